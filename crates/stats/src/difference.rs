//! Differences of two win rates: an interval and a test that agree.
//!
//! Tests are mid-p tests: Fisher's for independent games, McNemar's over pairs. Intervals are score
//! intervals: Newcombe's and Tango's. The two can disagree on whether 0 is possible; [`agreeing`]
//! settles such cases in favour of the test. Where a rate is no count of games (splitting), the
//! test is the one that the interval inverts.

use super::rate::{boundary, wilson_real};
use super::{
    Interval, alpha, fisher_mid_p, mcnemar_mid_p, normal_deviate, normal_two_sided_p,
    normal_upper_quantile,
};

/// How two win rates differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RateDifference {
    /// The confidence interval of the difference; it excludes 0 exactly where `p_value` is at most
    /// 1 − confidence.
    pub interval: Interval,
    /// The two-sided p-value of no difference: a mid-p where there are counts.
    pub p_value: f64,
    /// The p-value of the exact test, which is at least as large; `None` where there are no counts.
    pub p_exact: Option<f64>,
}

/// A's rate less B's over independent games, each given as (wins, games): Newcombe's interval and
/// Fisher's mid-p; `None` where either has no games.
///
/// # Panics
/// When there are more wins than games or `confidence` is not strictly between 0 and 1.
pub fn rate_difference(a: (u64, u64), b: (u64, u64), confidence: f64) -> Option<RateDifference> {
    let limits_a = Limits::counted(a.0, a.1)?;
    let limits_b = Limits::counted(b.0, b.1)?;
    let at = |z: f64| difference_at(&limits_a, &limits_b, z);
    Some(agreeing(at, fisher_mid_p(a, b), confidence))
}

/// B's rate less A's over `pairs`, of which the first won `only_a` alone and the second `only_b`:
/// Tango's interval and McNemar's mid-p; `None` without pairs.
///
/// # Panics
/// When more pairs are discordant than there are, or `confidence` is not strictly between 0 and 1.
pub fn paired_rate_difference(
    only_a: u64,
    only_b: u64,
    pairs: u64,
    confidence: f64,
) -> Option<RateDifference> {
    assert!(
        only_a + only_b <= pairs,
        "{only_a} + {only_b} discordant of {pairs} pairs"
    );
    let at = |z: f64| tango_at(only_a, only_b, pairs, z);
    (pairs > 0).then(|| agreeing(at, mcnemar_mid_p(only_a, only_b), confidence))
}

/// A test of no difference, as (mid-p, exact p), with an interval of the difference that agrees
/// with it: it excludes 0 exactly where the mid-p is at most 1 − `confidence`.
///
/// `at` is the interval for a normal deviate; its ends move outwards with the deviate. It is taken
/// at the deviate of the confidence. Where that disagrees with the test, the deviate is multiplied
/// by z₀/z_p: z₀ is the deviate at which the interval ends at 0, z_p that of the p-value.
fn agreeing(
    at: impl Fn(f64) -> Interval,
    (p_value, p_exact): (f64, f64),
    confidence: f64,
) -> RateDifference {
    let z = normal_deviate(confidence);
    let mut interval = at(z);
    let is_rejected = p_value <= alpha(confidence);
    if is_rejected == interval.contains(0.0) {
        interval = at(z * deviate_of(&at, 0.0) / normal_upper_quantile(p_value / 2.0));
    }
    RateDifference {
        interval,
        p_value,
        p_exact: Some(p_exact),
    }
}

/// The largest deviate at which the interval does not contain `value`; 0 where it always does.
fn deviate_of(at: impl Fn(f64) -> Interval, value: f64) -> f64 {
    /// At larger deviates probabilities are 0 in floating point.
    const DEVIATE_MAX: f64 = 38.0;
    if at(0.0).contains(value) {
        return 0.0;
    }
    if !at(DEVIATE_MAX).contains(value) {
        return DEVIATE_MAX;
    }
    boundary(0.0, DEVIATE_MAX, |z| !at(z).contains(value))
}

/// The limits of one rate at any normal deviate, as [`Limits::difference`] needs them.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Limits {
    rate: f64,
    /// Games whose score limit is the lower end at each deviate.
    games_lo: f64,
    /// Games whose score limit is the upper end at each deviate.
    games_hi: f64,
}

impl Limits {
    /// Wilson's limits for counted games; `None` without games.
    pub fn counted(wins: u64, games: u64) -> Option<Self> {
        (games > 0).then(|| Self {
            rate: wins as f64 / games as f64,
            games_lo: games as f64,
            games_hi: games as f64,
        })
    }

    /// Limits that are those of `interval` at its `confidence`.
    ///
    /// An end x of Wilson's interval fulfils (x − p)² n = z² x(1 − x). Each end has the n of its
    /// own that this gives, and keeps it at other deviates.
    pub fn of_interval(rate: f64, interval: Interval, confidence: f64) -> Self {
        let z = normal_deviate(confidence);
        let games = |end: f64| {
            let games = (z / (end - rate)).powi(2) * end * (1.0 - end);
            if games.is_finite() { games } else { 0.0 }
        };
        Self {
            rate,
            games_lo: games(interval.lo),
            games_hi: games(interval.hi),
        }
    }

    fn at(&self, z: f64) -> Interval {
        let wilson = |games: f64| wilson_real(self.rate * games, games, z);
        Interval {
            lo: wilson(self.games_lo).lo.min(self.rate),
            hi: wilson(self.games_hi).hi.max(self.rate),
        }
    }
}

/// The interval of A's rate less B's at a deviate, from the limits l and u of each: d − √((p_A −
/// l_A)² + (u_B − p_B)²) to d + √((u_A − p_A)² + (p_B − l_B)²).
///
/// Where the limits are Wilson's: R. G. Newcombe, "Interval estimation for the difference between
/// independent proportions", Statistics in Medicine 17 (1998), method 10. For other limits: G. Y.
/// Zou and A. Donner, "Construction of confidence limits about effect measures", same journal 27
/// (2008).
pub(super) fn difference_at(a: &Limits, b: &Limits, z: f64) -> Interval {
    let limits_a = a.at(z);
    let limits_b = b.at(z);
    let value = a.rate - b.rate;
    Interval {
        lo: value - (a.rate - limits_a.lo).hypot(limits_b.hi - b.rate),
        hi: value + (limits_a.hi - a.rate).hypot(b.rate - limits_b.lo),
    }
}

impl Limits {
    /// This rate less another's, with the test that the interval inverts.
    pub fn difference(&self, other: &Self, confidence: f64) -> RateDifference {
        let at = |z: f64| difference_at(self, other, z);
        let z = normal_deviate(confidence);
        RateDifference {
            interval: at(z),
            p_value: normal_two_sided_p(deviate_of(at, 0.0)),
            p_exact: None,
        }
    }

    /// The p-value of two one-sided tests that the two rates differ by less than `margin`.
    pub fn equivalence_p(&self, other: &Self, margin: f64) -> f64 {
        let at = |z: f64| difference_at(self, other, z);
        let one_sided = |end: f64, is_within: bool| {
            let tail = normal_two_sided_p(deviate_of(at, end)) / 2.0;
            if is_within { tail } else { 1.0 - tail }
        };
        let value = self.rate - other.rate;
        one_sided(margin, value < margin).max(one_sided(-margin, value > -margin))
    }
}

/// Tango's score interval for the difference of two rates seen on the same `pairs`, at least one,
/// where the first succeeded alone in `only_a` pairs and the second alone in `only_b`: B's rate
/// less A's, at a normal deviate.
///
/// The differences Δ whose score (b − a − nΔ) / √(n(2q + Δ(1 − Δ))) lies within the normal deviate,
/// where q is the likeliest share of pairs that only A won, given Δ: the larger root of
/// 2n q² − (a + b − (2n − b + a)Δ) q − aΔ(1 − Δ) = 0. It covers what it says with few discordant
/// pairs too, where mean ± z standard errors covers 85 to 89 % at 95 %. Source: T. Tango,
/// "Equivalence test and confidence interval for the difference in proportions for the
/// paired-sample design", Statistics in Medicine 17 (1998).
pub(super) fn tango_at(only_a: u64, only_b: u64, pairs: u64, z: f64) -> Interval {
    // By symmetry the lower end is the negated upper end with the two sides exchanged.
    Interval {
        lo: -tango_upper(only_b, only_a, pairs, z),
        hi: tango_upper(only_a, only_b, pairs, z),
    }
}

/// The distance nΔ − (b − a) of [`tango_at`]'s score at a difference `delta`, and its deviation
/// there.
pub(super) fn tango_score(only_a: u64, only_b: u64, pairs: u64, delta: f64) -> (f64, f64) {
    let a = only_a as f64;
    let b = only_b as f64;
    let n = pairs as f64;
    let linear = (2.0 * n - b + a) * delta - a - b;
    let constant = -a * delta * (1.0 - delta);
    // The root in the form without cancellation.
    let root = (linear * linear - 8.0 * n * constant).max(0.0).sqrt();
    let q = if linear <= 0.0 {
        (root - linear) / (4.0 * n)
    } else {
        -2.0 * constant / (root + linear)
    };
    let variance = n * (2.0 * q + delta * (1.0 - delta));
    (n * delta - (b - a), variance.max(0.0).sqrt())
}

/// The upper end of [`tango_at`]: the score falls in Δ, so by bisection between the estimate and 1.
fn tango_upper(only_a: u64, only_b: u64, pairs: u64, z: f64) -> f64 {
    let is_within = |delta: f64| {
        let (distance, deviation) = tango_score(only_a, only_b, pairs, delta);
        distance <= z * deviation
    };
    let estimate = (only_b as f64 - only_a as f64) / pairs as f64;
    if is_within(1.0) {
        return 1.0;
    }
    boundary(estimate, 1.0, is_within)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// For both kinds of difference and all small tables, the interval excludes 0 exactly where the
    /// test rejects. Newcombe's and Tango's own intervals do not.
    #[test]
    fn interval_and_test_agree() {
        let mut disagreed = [0, 0];
        let mut check = |kind: usize, found: RateDifference, plain: Interval, level: f64| {
            let is_rejected = found.p_value <= alpha(level);
            assert_eq!(!found.interval.contains(0.0), is_rejected, "{found:?}");
            assert!(
                found.interval.lo >= -1.0 && found.interval.hi <= 1.0,
                "{found:?}"
            );
            disagreed[kind] += u32::from(plain.contains(0.0) == is_rejected);
        };
        for level in [0.9, 0.95, 0.99] {
            for a in 0..=30 {
                for b in 0..=30 {
                    let found = rate_difference((a, 30), (b, 45), level).unwrap();
                    let [limits_a, limits_b] = [(a, 30), (b, 45)]
                        .map(|(wins, games)| Limits::counted(wins, games).unwrap());
                    let plain = limits_a.difference(&limits_b, level).interval;
                    check(0, found, plain, level);
                    let found = paired_rate_difference(a, b, 300, level).unwrap();
                    let plain = tango_at(a, b, 300, normal_upper_quantile(alpha(level) / 2.0));
                    check(1, found, plain, level);
                }
            }
        }
        assert!(disagreed.iter().all(|count| *count > 0), "{disagreed:?}");
    }

    /// The size of McNemar's mid-p test and its power at 15 differing pairs of 3,000, of which B
    /// wins three quarters: the exact test had 2.7 and 29.5 %.
    #[test]
    fn the_paired_test_has_its_level_and_more_power() {
        let poisson = |mean: f64, count: u64| {
            (count as f64 * mean.ln() - mean - (1..=count).map(|k| (k as f64).ln()).sum::<f64>())
                .exp()
        };
        let rejects = |a_mean: f64, b_mean: f64, exact: bool| {
            let mut share = 0.0;
            for a in 0..60 {
                for b in 0..60 {
                    let (mid, p) = mcnemar_mid_p(a, b);
                    if if exact { p } else { mid } <= 0.05 {
                        share += poisson(a_mean, a) * poisson(b_mean, b);
                    }
                }
            }
            share
        };
        let size = rejects(7.5, 7.5, false);
        assert!((0.035..0.05).contains(&size), "{size}");
        assert!(rejects(7.5, 7.5, true) < 0.028);
        let gain = rejects(3.75, 11.25, false) - rejects(3.75, 11.25, true);
        assert!(gain > 0.06, "{gain}");
    }

    /// Two samples of 1,200 replications of the same cell, of which 9 win on average, with
    /// geometric totals as in 67!. Fisher's test on effective counts rejected 12 %, and Newcombe's
    /// interval covered 88 %.
    #[test]
    fn few_replications_with_a_win_are_not_called_different() {
        use rand_xoshiro::Xoshiro256PlusPlus;
        use rand_xoshiro::rand_core::{Rng, SeedableRng};
        const PAIRS: u32 = 1_500;
        const REPLICATIONS: u64 = 1_200;
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        let mut uniform = || ((stream.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        let mut sample = || {
            let wins = (0..REPLICATIONS).map(|_| match uniform() < 9.0 / REPLICATIONS as f64 {
                true => 1 + (uniform().ln() / 0.8f64.ln()) as u64,
                false => 0,
            });
            let tally = crate::splitting::tests::tally(wins.map(|wins| wins.min(100)));
            crate::SplittingSums::of(&tally).unwrap()
        };
        let limits = |sums: &crate::SplittingSums| {
            Limits::of_interval(sums.rate().unwrap(), sums.interval(0.95).unwrap(), 0.95)
        };
        let mut rejected = 0;
        let mut rejected_as_counts = 0;
        for _ in 0..PAIRS {
            let a = sample();
            let b = sample();
            let found = limits(&a).difference(&limits(&b), 0.95);
            assert_eq!(
                found.p_value > 0.05,
                found.interval.contains(0.0),
                "{found:?}"
            );
            rejected += u32::from(found.p_value <= 0.05);
            let counts = |sums: &crate::SplittingSums| {
                let games = sums.effective_games().unwrap();
                (
                    (sums.rate().unwrap() * games).round() as u64,
                    games.round() as u64,
                )
            };
            rejected_as_counts += u32::from(fisher_mid_p(counts(&a), counts(&b)).0 <= 0.05);
        }
        let share = |count: u32| f64::from(count) / f64::from(PAIRS);
        println!("{} {}", share(rejected), share(rejected_as_counts));
        assert!(share(rejected) < 0.05, "{}", share(rejected));
        assert!(
            share(rejected_as_counts) > 0.08,
            "{}",
            share(rejected_as_counts)
        );
    }

    /// Limits taken from an interval give it back, and those of counted games are Wilson's.
    #[test]
    fn limits_are_those_of_their_interval() {
        let exact = crate::clopper_pearson(3, 1000, 0.95);
        let limits = Limits::of_interval(0.003, exact, 0.95);
        let found = limits.at(normal_upper_quantile(0.025));
        assert!((found.lo - exact.lo).abs() < 1e-12 && (found.hi - exact.hi).abs() < 1e-12);
        let wilson = crate::wilson(3, 1000, 0.95);
        let counted = Limits::of_interval(0.003, wilson, 0.95);
        assert!((counted.games_lo - 1000.0).abs() < 1e-6, "{counted:?}");
        let none = Limits::of_interval(0.0, Interval { lo: 0.0, hi: 0.01 }, 0.95);
        assert_eq!(none.at(1.0).lo, 0.0);
        assert_eq!(none.difference(&none, 0.95).p_value, 1.0);
    }
}
