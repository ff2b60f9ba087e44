//! The coverage of an interval that is reported at the look that stopped a cell, by recursion.
//!
//! For one rate, the distribution of (look, wins) follows from look to look: the wins of games that
//! were not stopped, convolved with the binomial wins of the games up to the next look. The
//! probability that the interval contains the rate is summed over the looks. Source: P. Armitage,
//! C. K. McPherson and B. C. Rowe, "Repeated significance tests on accumulating data", JRSS A 132
//! (1969), for the recursion.
//!
//! Counts of wins are kept one by one up to a standard deviation of 24. Beyond it they lie on a
//! lattice of 12 to 24 points a standard deviation; sampling a smooth density so finely is exact to
//! rounding, and the two ends of a stopping region and of an interval are interpolated between
//! points. Left out are counts farther than 6.5 standard deviations and 12 wins from the mean.

use super::beta::{at_least, binomial_probability};
use super::rate::{RateInterval, wilson_real};
use super::{Interval, alpha, normal_upper_quantile};
use std::ops::RangeInclusive;

/// Lattice points a standard deviation, at least.
const POINTS: f64 = 12.0;
/// Games that were not stopped with at most this probability are left out.
const NEGLIGIBLE: f64 = 1e-9;
/// How far beyond an end of an interval, as a share of the rate, coverage is looked at.
const BEYOND: f64 = 1e-8;
/// With more expected wins and losses than this, intervals are approximated.
const COUNTS_MANY: f64 = 1_000.0;

/// A look and the counts of wins that stop a cell there.
struct Look {
    games: f64,
    /// Whether every count stops.
    is_last: bool,
    /// The counts that are precise: up to this or from `games` minus this.
    width_max: f64,
    /// The least count that is precise relative to the rate.
    relative_min: f64,
}

/// The looks of a rule, with intervals of one kind and level.
pub(super) struct Design {
    looks: Vec<Look>,
    kind: RateInterval,
    /// α/2 of each look, and its normal deviate.
    tail: f64,
    z: f64,
}

/// Wins from 0 up with their probabilities, on multiples of `step`.
struct Lattice {
    /// A power of two.
    step: u64,
    /// The first point divided by `step`.
    first: u64,
    mass: Vec<f64>,
}

impl Lattice {
    fn points(&self) -> impl Iterator<Item = f64> + use<> {
        let step = self.step;
        let first = self.first;
        (0..self.mass.len() as u64).map(move |index| ((first + index) * step) as f64)
    }
}

/// The wins by which an interval is wider on each side than Wilson's, with many wins: Clopper and
/// Pearson's is Wilson's of half a win less and half a win more, the mid-p's is Wilson's.
const fn continuity(kind: RateInterval) -> f64 {
    match kind {
        RateInterval::ClopperPearson => 0.5,
        RateInterval::MidP => 0.0,
    }
}

/// The counts of wins that matter among `games` games.
fn window(games: f64, rate: f64) -> (f64, f64) {
    let mean = games * rate;
    let reach = 6.5 * (mean * (1.0 - rate)).sqrt() + 12.0;
    (
        (mean - reach).max(0.0).floor(),
        (mean + reach).min(games).ceil(),
    )
}

/// The wins among `games` games on multiples of `step`, without any probability on them.
fn blank(games: f64, rate: f64, step: u64) -> Lattice {
    let (lo, hi) = window(games, rate);
    let first = lo as u64 / step;
    let last = hi as u64 / step;
    Lattice {
        step,
        first,
        mass: vec![0.0; (last - first + 1) as usize],
    }
}

/// The wins among `games` games on multiples of `step`, with the probability of each number.
fn binomials(games: f64, rate: f64, step: u64) -> Lattice {
    let mut lattice = blank(games, rate, step);
    let Lattice {
        first,
        ref mut mass,
        ..
    } = lattice;
    let wins = |index: usize| ((first + index as u64) * step) as f64;
    let probability =
        |index| binomial_probability(wins(index), games - wins(index), rate, 1.0 - rate);
    if step > 1 {
        for (index, mass) in mass.iter_mut().enumerate() {
            *mass = probability(index);
        }
        return lattice;
    }
    // One after the other from the likeliest on, so that no rounding error grows.
    let likeliest = ((games * rate) as usize)
        .saturating_sub(first as usize)
        .min(mass.len() - 1);
    let odds = rate / (1.0 - rate);
    mass[likeliest] = probability(likeliest);
    for index in likeliest + 1..mass.len() {
        mass[index] = mass[index - 1] * (games - wins(index - 1)).max(0.0) / wins(index) * odds;
    }
    for index in (0..likeliest).rev() {
        mass[index] = mass[index + 1] * wins(index + 1) / (games - wins(index)) / odds;
    }
    lattice
}

/// The length that the cell of a lattice point shares with the counts from `first` to `last`, as a
/// share of the cell.
fn overlap(point: f64, step: f64, first: f64, last: f64) -> f64 {
    let lo = (point - step / 2.0).max(first - 0.5);
    let hi = (point + step / 2.0).min(last + 0.5);
    ((hi - lo) / step).clamp(0.0, 1.0)
}

/// The least count from `lo` to `hi` for which `holds`, which then holds for all above; `hi` + 1
/// where there is none.
pub(super) fn first_that_holds(mut lo: u64, hi: u64, holds: impl Fn(u64) -> bool) -> u64 {
    let mut end = hi + 1;
    while lo < end {
        let middle = lo.midpoint(end);
        if holds(middle) {
            end = middle;
        } else {
            lo = middle + 1;
        }
    }
    lo
}

impl Design {
    /// The looks after these numbers of games (ascending) at the level 1 − α = `confidence`.
    pub(super) fn new(
        looks: impl ExactSizeIterator<Item = u64>,
        half_width: Option<f64>,
        relative: Option<f64>,
        confidence: f64,
        kind: RateInterval,
    ) -> Self {
        let tail = alpha(confidence) / 2.0;
        let z = normal_upper_quantile(tail);
        let interval = |wins: u64, games: u64| {
            let losses = (games - wins) as f64;
            let n = games as f64;
            let w = wins as f64;
            if w * losses / n < COUNTS_MANY {
                return kind.of(wins, games, confidence);
            }
            let more = continuity(kind);
            Interval {
                lo: wilson_real(w - more, n, z).lo,
                hi: wilson_real(w + more, n, z).hi,
            }
        };
        let count = looks.len();
        let look = |(number, games): (usize, u64)| {
            let n = games as f64;
            let wide =
                |wins| half_width.is_some_and(|wanted| interval(wins, games).half_width() > wanted);
            let narrow_relatively = |wins: u64| {
                relative.is_none_or(|wanted| {
                    interval(wins, games).half_width() <= wanted * wins as f64 / n
                })
            };
            let first_wide = first_that_holds(0, games / 2, wide);
            Look {
                games: n,
                is_last: number + 1 == count,
                width_max: if first_wide > games / 2 {
                    n
                } else {
                    first_wide as f64 - 1.0
                },
                relative_min: first_that_holds(0, games, narrow_relatively) as f64,
            }
        };
        Self {
            looks: looks.enumerate().map(look).collect(),
            kind,
            tail,
            z,
        }
    }

    /// The rates at which the coverage is lowest, as far as they lie in `range`: those at which
    /// about half the cells stop at some look.
    ///
    /// There the error of the rate decides whether a cell stops. The lowest point lies within a few
    /// standard errors of that rate.
    pub(super) fn critical_rates(&self, range: RangeInclusive<f64>) -> Vec<f64> {
        let mut rates = Vec::new();
        for look in self.looks.iter().filter(|look| !look.is_last) {
            let n = look.games;
            for edge in [look.width_max, n - look.width_max, look.relative_min] {
                let rate = (edge / n).clamp(0.0, 1.0);
                let error = (rate * (1.0 - rate) / n).sqrt();
                let near = (-12..=12).map(|step| rate + 0.2 * f64::from(step) * error);
                rates.extend(near.filter(|rate| range.contains(rate)));
            }
        }
        rates
    }

    /// The rates in `range` just beyond the ends of the intervals of counts that may stop a cell
    /// and have at most this variance. Coverage jumps down there, by the probability of the count.
    pub(super) fn rates_beyond_ends(
        &self,
        range: RangeInclusive<f64>,
        variance_max: f64,
    ) -> Vec<f64> {
        let mut rates = Vec::new();
        let mut before: Option<&Look> = None;
        for look in &self.looks {
            let n = look.games;
            // Some cells with this rate come so far: not all counts near their mean stopped before.
            let is_reached = |rate: &f64| {
                before.is_none_or(|before| {
                    let mean = before.games * rate;
                    let reach = 5.0 * (mean * (1.0 - rate)).sqrt() + 4.0;
                    let lo = (mean - reach).max(0.0);
                    let hi = (mean + reach).min(before.games);
                    let mut regions = before.regions().into_iter();
                    !regions.any(|(first, last)| first <= lo && hi <= last)
                })
            };
            let few = 0.5 * n * (1.0 - (1.0 - 4.0 * variance_max / n).max(0.0).sqrt());
            let few = few as u64;
            let many = (n as u64 - few).max(few + 1);
            for wins in (0..=few).chain(many..=n as u64) {
                let w = wins as f64;
                if look.stops_between(w, w) {
                    let Interval { lo, hi } = self.kind.of(wins, n as u64, 1.0 - 2.0 * self.tail);
                    let beyond = [lo * (1.0 - BEYOND), hi * (1.0 + BEYOND)].into_iter();
                    rates.extend(beyond.filter(|rate| range.contains(rate) && is_reached(rate)));
                }
            }
            before = Some(look);
        }
        rates
    }

    /// The probability that the interval reported for a cell with this rate (0 to 1, exclusive)
    /// contains it.
    pub(super) fn coverage(&self, rate: f64) -> f64 {
        self.coverage_and_spread(rate).0
    }

    /// [`Design::coverage`], and the standard deviation of the wins at the first look that may stop
    /// such a cell.
    ///
    /// Counts are whole numbers, so coverage jumps from rate to rate, by more where the deviation
    /// is small.
    pub(super) fn coverage_and_spread(&self, rate: f64) -> (f64, f64) {
        let mut covered = 0.0;
        let mut spread = None;
        self.walk(rate, |look, here| {
            let n = look.games;
            spread.get_or_insert((n * rate * (1.0 - rate)).sqrt());
            let (least, most) = self.covering(n, rate, here.step == 1);
            covered += here.stopped(look, least, most);
        });
        (covered, spread.expect("the last look stops every cell"))
    }

    /// The probability that a cell with this rate (0 to 1, exclusive) ends with a larger share of
    /// wins than `share`, and half the probability that it ends with the same.
    pub(super) fn above(&self, share: f64, rate: f64) -> f64 {
        let mut above = 0.0;
        self.walk(rate, |look, here| {
            // A count spans half a win on each side, so this cuts the count itself in half.
            let least = share * look.games + 0.5;
            above += here.stopped(look, least, look.games);
        });
        above
    }

    /// The probability that the interval of the last look is as narrow as wanted.
    pub(super) fn precise(&self, rate: f64) -> f64 {
        let look = self.looks.last().expect("there is a look");
        let n = look.games;
        let up_to = |wins: f64| at_least(n - wins, n, 1.0 - rate).lower;
        let ranges = look
            .precise()
            .into_iter()
            .filter(|(first, last)| first <= last);
        ranges
            .map(|(first, last)| up_to(last) - up_to(first - 1.0))
            .sum()
    }

    /// The games of each look and the probability that a cell stops there.
    pub(super) fn stops(&self, rate: f64) -> Vec<(f64, f64)> {
        let mut stops = Vec::new();
        self.walk(rate, |look, here| {
            stops.push((look.games, here.stopped(look, 0.0, look.games)));
        });
        stops
    }

    /// Calls `at` for each look that may stop a cell with this rate, with the wins of the cells
    /// that have come so far.
    fn walk(&self, rate: f64, mut at: impl FnMut(&Look, &Lattice)) {
        let mut alive: Option<(f64, Lattice)> = None;
        for look in &self.looks {
            let n = look.games;
            let (lo, hi) = window(n, rate);
            if !look.is_last && !look.stops_between(lo, hi) {
                continue;
            }
            let mut here = match &alive {
                None => start(n, rate),
                Some((games, before)) => advanced(before, *games, n, rate),
            };
            at(look, &here);
            if here.go_on(look) < NEGLIGIBLE {
                break;
            }
            here.trim();
            alive = Some((n, here));
        }
    }

    /// The least and the largest number of wins whose interval contains the rate.
    fn covering(&self, games: f64, rate: f64, each_count: bool) -> (f64, f64) {
        let mean = games * rate;
        let deviation = (mean * (1.0 - rate)).sqrt();
        if each_count {
            let Lattice { first, mass, .. } = binomials(games, rate, 1);
            let lo = first as f64;
            let hi = lo + (mass.len() - 1) as f64;
            // The share of the count itself that its tail holds.
            let own = 0.5 + continuity(self.kind);
            let outside = |masses: &mut dyn Iterator<Item = &f64>| {
                let mut sum = 0.0;
                let is_outside = |mass: &&f64| {
                    let tail = sum + own * **mass;
                    sum += **mass;
                    tail < self.tail
                };
                masses.take_while(is_outside).count()
            };
            let below = outside(&mut mass.iter());
            let above = outside(&mut mass.iter().rev());
            return ((lo + below as f64).min(hi), (hi - above as f64).max(lo));
        }
        // The expansion of Cornish and Fisher, with the continuity correction of the interval.
        let z = self.z;
        let skew = (1.0 - 2.0 * rate) / deviation;
        let excess = (1.0 - 6.0 * rate * (1.0 - rate)) / (deviation * deviation);
        let odd = z + (z.powi(3) - 3.0 * z) * excess / 24.0
            - (2.0 * z.powi(3) - 5.0 * z) * skew * skew / 36.0;
        let even = (z * z - 1.0) * skew / 6.0;
        let more = continuity(self.kind);
        let first = mean + deviation * (even - odd) - more;
        let last = mean + deviation * (even + odd) + more;
        (first.ceil(), last.floor())
    }
}

impl Look {
    /// The counts of wins that stop a cell, as ranges from first to last; a range may be empty.
    fn regions(&self) -> [(f64, f64); 2] {
        if self.is_last {
            return [(0.0, self.games), (1.0, 0.0)];
        }
        self.precise()
    }

    /// The counts of wins that are precise, likewise.
    fn precise(&self) -> [(f64, f64); 2] {
        let few = self.width_max;
        // None is left where all counts are among the first.
        let many = (self.games - few).max(few + 1.0);
        [
            (self.relative_min, few),
            (many.max(self.relative_min), self.games),
        ]
    }

    /// Whether a count from `lo` to `hi` stops a cell.
    fn stops_between(&self, lo: f64, hi: f64) -> bool {
        self.regions()
            .into_iter()
            .any(|(first, last)| first.max(lo) <= last.min(hi))
    }
}

/// The largest power of two that leaves enough points a standard deviation.
fn step(games: f64, rate: f64) -> u64 {
    let most = (games * rate * (1.0 - rate)).sqrt() / POINTS;
    if most < 2.0 {
        1
    } else {
        1 << most.log2().floor() as u32
    }
}

/// The wins of the first `games` games.
fn start(games: f64, rate: f64) -> Lattice {
    let step = step(games, rate);
    let mut lattice = binomials(games, rate, step);
    lattice
        .mass
        .iter_mut()
        .for_each(|mass| *mass *= step as f64);
    lattice
}

/// The wins after `games` games, given those after `before` of them.
fn advanced(from: &Lattice, before: f64, games: f64, rate: f64) -> Lattice {
    let more = games - before;
    let mut to = blank(games, rate, step(games, rate));
    let weight = to.step as f64;
    // The wins of the games in between, on the finer lattice.
    let Lattice { first, mass, .. } = binomials(more, rate, from.step);
    // Backwards, so that each point is a product of two slices.
    let wins: Vec<f64> = mass.into_iter().rev().map(|mass| mass * weight).collect();
    let ratio = to.step / from.step;
    for (index, mass) in to.mass.iter_mut().enumerate() {
        // In units of the finer step: this point = a point of `from` + a number of wins in between.
        let point = (to.first + index as u64) * ratio;
        let Some(beyond) = point.checked_sub(from.first + first) else {
            continue;
        };
        let beyond = beyond as usize;
        let begin = (beyond + 1).saturating_sub(wins.len());
        let end = from.mass.len().min(beyond + 1);
        if begin < end {
            let skipped = wins.len() + begin - beyond - 1;
            *mass = product(
                &from.mass[begin..end],
                &wins[skipped..skipped + end - begin],
            );
        }
    }
    to
}

/// The scalar product, in four sums, which a processor adds side by side.
fn product(a: &[f64], b: &[f64]) -> f64 {
    let fours = a.chunks_exact(4).zip(b.chunks_exact(4));
    let sums = fours.fold([0.0; 4], |sums: [f64; 4], (a, b)| {
        std::array::from_fn(|at| sums[at] + a[at] * b[at])
    });
    let rest = a.len() / 4 * 4;
    let left: f64 = a[rest..].iter().zip(&b[rest..]).map(|(a, b)| a * b).sum();
    sums.iter().sum::<f64>() + left
}

impl Lattice {
    /// The share of each point with which a cell stops at this look with from `least` to `most`
    /// wins.
    fn shares(&self, look: &Look, least: f64, most: f64) -> impl Iterator<Item = f64> + use<> {
        let step = self.step as f64;
        let regions = look.regions();
        let share = move |point: f64| {
            let regions = regions.into_iter();
            regions
                .map(|(first, last)| overlap(point, step, first.max(least), last.min(most)))
                .sum::<f64>()
        };
        self.points().map(share)
    }

    /// The probability that a cell stops at this look with from `least` to `most` wins.
    fn stopped(&self, look: &Look, least: f64, most: f64) -> f64 {
        let shares = self.shares(look, least, most).zip(&self.mass);
        shares.map(|(share, mass)| mass * share).sum()
    }

    /// Takes out the cells that stop at this look; returns the probability of the others.
    fn go_on(&mut self, look: &Look) -> f64 {
        let shares = self.shares(look, 0.0, look.games);
        for (share, mass) in shares.zip(&mut self.mass) {
            *mass *= (1.0 - share).max(0.0);
        }
        self.mass.iter().sum()
    }

    /// Drops points without probability at both ends.
    fn trim(&mut self) {
        while self.mass.last().is_some_and(|&mass| mass == 0.0) {
            self.mass.pop();
        }
        let zeros = self.mass.iter().take_while(|&&mass| mass == 0.0).count();
        self.mass.drain(..zeros);
        self.first += zeros as u64;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The expected values are those of a recursion with `binom` and `beta` of scipy, count by
    /// count, over the looks 1,024, 1,536, … and `max_games`.
    #[test]
    fn coverage_is_that_of_a_recursion_in_scipy() {
        for (half_width, relative, max_games, level, rate, expected, tolerance) in [
            (Some(0.01), None, 20_000, 0.96, 0.0313, 0.962_440_046, 1e-7),
            (Some(0.002), None, 100_000, 0.96, 0.004, 0.945_575_984, 1e-7),
            (None, Some(0.2), 50_000, 0.96, 0.0313, 0.969_251_074, 1e-7),
            (None, Some(0.3), 3_000, 0.96, 0.3, 0.965_536_988, 1e-7),
            (
                Some(0.004),
                Some(0.5),
                20_000,
                0.8,
                0.01,
                0.873_419_074,
                1e-7,
            ),
            // On a lattice of every second to fourth count.
            (None, Some(0.05), 30_000, 0.96, 0.2, 0.961_708_144, 3e-4),
            (Some(0.01), None, 20_000, 0.96, 0.2929, 0.960_752_478, 3e-4),
        ] {
            let mut looks: Vec<u64> = (10..30)
                .flat_map(|k| [1u64 << k, 3 << (k - 1)])
                .filter(|&n| n < max_games)
                .collect();
            looks.push(max_games);
            let coverage = Design::new(
                looks.into_iter(),
                half_width,
                relative,
                level,
                RateInterval::ClopperPearson,
            )
            .coverage(rate);
            println!(
                "{half_width:?} {relative:?} {max_games} at {rate}: {coverage:.9}, {expected}"
            );
            assert!(
                (coverage - expected).abs() < tolerance,
                "{rate}: {coverage}, not {expected}"
            );
        }
    }
}
