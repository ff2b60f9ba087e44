//! Stopping at a wanted precision, corrected for looking more than once.
//!
//! A cell with a [`Rule`] is looked at after fixed numbers of games: 1,024, 1,536, 2,048, 3,072,
//! 4,096, … (each power of two and one and a half times it), and at last after `max_games`. It
//! stops at the first look whose interval is narrow enough.
//!
//! Choosing the moment by the data would make an ordinary 95 % interval cover less than 95 %. So
//! the interval of each look is the exact one (Clopper–Pearson) at a higher level, the same for all
//! looks. The level is calibrated for the rule at hand: it is the lowest one at which the interval
//! finally reported covers the true rate with at least the wanted confidence, whatever the rate
//! from 10⁻⁵ to 0.9. The coverage for a rate is computed, not simulated (`stats::coverage`): at
//! rates between, with a margin, and where wins are few just beyond the ends of intervals, where it
//! jumps down. At 95 % the level is usually between 95.5 and 97 %, for an interval 1.02 to 1.11
//! times as wide as one without looking.
//!
//! The level is 1 − α·j/100 with a whole number j, so that it does not depend on the last digits of
//! a computation. It is at least as low as Bonferroni's 1 − α/K for K looks, which covers any rate.
//! K counts the looks at which the cell can stop at all: a look at which not even a rate of 0 or 1
//! would satisfy the rule is left out, and so are looks behind the one at which every rate
//! satisfies it.
//!
//! # Games in trajectories
//! Where games share trajectories ([`super::cluster`]), a look comes after as many *trajectories*
//! as it otherwise would after games, and its interval is the cluster-robust one at the same level.
//! That one is approximate where Clopper–Pearson is exact; 1,024 trajectories at the first look are
//! what it needs. The level is calibrated as for independent games, for several design effects from
//! 1 to the games of a trajectory; the highest level that one of them asks for is used. Looks left
//! out are those at which not even a rate of 1 without any design effect would satisfy the rule,
//! and those behind the one at which a rate of ½ with the largest design effect does.
//!
//! # Replications of splitting
//! A look comes after as many *replications* ([`super::SplittingSums`]) as it otherwise would after
//! games, and no look is left out. How many plain games a replication is worth is not known in
//! advance, so the level is calibrated for independent games, 1, 8, 64, … 4,096 of them for each
//! replication, and the highest level that one of them asks for is used.
//!
//! The weighted wins of replications are far more skew than wins of games. A cell that stops at its
//! first narrow interval tends to be one whose large totals are still to come. So a relative width
//! stops a cell from 100 replications with a win on.

use super::coverage::Design;
use super::power::check;
use super::rate::{RateInterval, wilson_real};
use super::{ClusterSums, Interval, SplittingSums, clopper_pearson, student_deviate};
use std::collections::HashMap;
use std::sync::{LazyLock, Mutex};
use tilelab_core::locked;
use tilelab_core::tally::Tally;

/// What a [`Rule`] counts.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Units {
    /// Independent games, whose win rate has this interval.
    Games(RateInterval),
    /// Trajectories of this number of games.
    Trajectories(u64),
    /// Replications of splitting.
    Replications,
}

/// The wins of a cell, as its games come.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Wins {
    /// Wins and games.
    Games(u64, u64),
    /// The wins of trajectories.
    Trajectories(ClusterSums),
    /// The wins of replications.
    Replications(SplittingSums),
}

impl Wins {
    /// The wins of a tally.
    pub fn of(tally: &Tally) -> Self {
        match (ClusterSums::of_wins(tally), SplittingSums::of(tally)) {
            (Some(sums), _) => Self::Trajectories(sums),
            (_, Some(sums)) => Self::Replications(sums),
            _ => Self::Games(tally.wins, tally.games),
        }
    }

    /// The wins of `games` games, or replications, extrapolated from these.
    pub fn grown(&self, games: u64) -> Self {
        match self {
            Self::Games(..) => Self::Games((self.rate() * games as f64) as u64, games),
            Self::Trajectories(sums) => Self::Trajectories(sums.grown(games)),
            Self::Replications(sums) => Self::Replications(sums.grown(games)),
        }
    }

    /// The interval of the win rate (a share), of independent games by this kind; all of [0, 1]
    /// below two trajectories or replications.
    ///
    /// # Panics
    /// When there are more wins than games, or `confidence` is not strictly between 0 and 1.
    pub fn interval(&self, kind: RateInterval, confidence: f64) -> Interval {
        let found = match self {
            Self::Games(wins, games) => Some(kind.of(*wins, *games, confidence)),
            Self::Trajectories(sums) => sums.rate_interval(confidence),
            Self::Replications(sums) => sums.interval(confidence),
        };
        found.unwrap_or(Interval::SHARES)
    }

    /// Games, or replications.
    const fn games(&self) -> u64 {
        match self {
            Self::Games(_, games) => *games,
            Self::Trajectories(sums) => sums.clusters * sums.size,
            Self::Replications(sums) => sums.replications(),
        }
    }

    /// The win rate; 0 without games.
    pub fn rate(&self) -> f64 {
        let rate = match self {
            Self::Games(wins, games) => (*games > 0).then(|| *wins as f64 / *games as f64),
            Self::Trajectories(sums) => sums.mean(),
            Self::Replications(sums) => sums.rate(),
        };
        rate.unwrap_or_default()
    }
}

/// When a cell with adaptive precision may stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    half_width: Option<f64>,
    relative: Option<f64>,
    looks: Vec<u64>,
    confidence_per_look: f64,
    units: Units,
}

/// Why a cell stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// The interval is as narrow as wanted.
    Precision,
    /// The cell has played the most games allowed.
    MaxGames,
    /// The sequential test decided for the lower mean.
    Lower,
    /// The sequential test decided for the upper mean.
    Upper,
}

/// Counts from `first` on, `an_octave` an octave, below `most`, and `most` itself.
pub(super) fn schedule(first: u64, an_octave: u64, most: u64) -> Vec<u64> {
    let octaves = (0..first.leading_zeros()).map(|octave| first << octave);
    let counts =
        octaves.flat_map(|from| (0..an_octave).map(move |step| from + from / an_octave * step));
    let below = counts.take_while(|&count| count < most);
    below.chain([most]).collect()
}

/// Coverage above the confidence that is asked at the tried rates, as a share of α, since it is
/// lower at some rates between them: by more where the standard deviation of the wins is small.
fn margin(spread: f64) -> f64 {
    0.004 + (1.0 / spread).min(0.08)
}

/// With fewer replications with a win, no interval is called precise relative to the rate. On 5×5
/// with `+-` and `relative = 0.5`, three pilot runs: coverage 94.6 to 96.0 %, and 93.2 to 94.3 %
/// without this condition.
const REPLICATIONS_WON: u64 = 100;

/// The variance of wins up to which coverage is held at the ends of intervals: beyond it, the jump
/// at an end is about the margin.
const VARIANCE_MANY: f64 = 160.0;

/// The lowest rate at which coverage is held.
const RATE_MIN: f64 = 1e-5;
/// The highest rate at which coverage is held.
const RATE_MAX: f64 = 0.9;

/// Rates at which coverage is held, beside the critical ones: from the lowest in steps of a sixth
/// of an octave to 0.25, then in steps of 0.025 to the highest.
fn rates() -> Vec<f64> {
    let rare = (0..88).map(|step| RATE_MIN * 2f64.powf(f64::from(step) / 6.0));
    rare.chain((10..=36).map(|step| f64::from(step) / 40.0))
        .collect()
}

impl Rule {
    /// A rule that stops when every given criterion holds, or at `max_games`.
    ///
    /// `half_width` bounds half the interval of the win rate (a share: 0.001 is a tenth of a
    /// percentage point); `relative` bounds half the interval divided by the rate found.
    /// `confidence` is that of the interval finally reported.
    ///
    /// # Errors
    /// Names the value that is out of range: `half_width` must lie strictly between 0 and 0.5,
    /// `relative` be above 0, one of the two be given, `max_games` be at least 1, and `confidence`
    /// lie strictly between 0 and 1.
    pub fn new(
        half_width: Option<f64>,
        relative: Option<f64>,
        max_games: u64,
        confidence: f64,
    ) -> Result<Self, String> {
        let units = Units::Games(RateInterval::ClopperPearson);
        Self::of(units, half_width, relative, max_games, confidence)
    }

    /// The rule of [`Rule::new`] for games that come in these units, of which `max_games` counts
    /// replications or games.
    ///
    /// With [`RateInterval::MidP`], the level is the lowest one at which the reported interval
    /// covers the rates tried with the wanted confidence on average, not each of them.
    ///
    /// # Errors
    /// As [`Rule::new`], and when `max_games` is not a multiple of the games of a trajectory (at
    /// least 1).
    pub fn of(
        units: Units,
        half_width: Option<f64>,
        relative: Option<f64>,
        max_games: u64,
        confidence: f64,
    ) -> Result<Self, String> {
        if let Some(width) = half_width.filter(|width| !(*width > 0.0 && *width < 0.5)) {
            return Err(format!(
                "half_width = {width}: must lie between 0 and 0.5 (0.001 is a tenth of a percentage point)"
            ));
        }
        if let Some(relative) =
            relative.filter(|relative| !(*relative > 0.0 && relative.is_finite()))
        {
            return Err(format!(
                "relative = {relative}: must be above 0 (0.05 is five percent of the rate)"
            ));
        }
        if half_width.is_none() && relative.is_none() {
            return Err("stop needs half_width or relative".into());
        }
        if max_games == 0 {
            return Err("max_games = 0: must be at least 1".into());
        }
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(format!(
                "confidence = {confidence}: must lie between 0 and 1"
            ));
        }
        let lanes = match units {
            Units::Trajectories(lanes) => lanes,
            Units::Games(_) | Units::Replications => 1,
        };
        if lanes == 0 || !max_games.is_multiple_of(lanes) {
            return Err(format!(
                "max_games = {max_games}: must be a multiple of the {lanes} games of a trajectory"
            ));
        }
        let looks = schedule(1_024, 2, max_games / lanes)
            .into_iter()
            .map(|look| look * lanes)
            .collect();
        let mut rule = Self {
            half_width,
            relative,
            looks,
            confidence_per_look: confidence,
            units,
        };
        rule.keep_looks_that_can_stop();
        Ok(rule)
    }

    /// Drops the looks that can never stop a cell and calibrates the level of the rest.
    fn keep_looks_that_can_stop(&mut self) {
        // At the uncorrected level, which is the most generous.
        let max_games = self.games_max();
        let can_stop = |&n: &u64| n == max_games || self.is_satisfied(n, true);
        self.looks = self.looks().filter(can_stop).collect();
        if self.looks.len() > 1 && self.certain_look() != Some(0) {
            self.confidence_per_look = self.calibrated();
        }
        if let Some(last) = self.certain_look() {
            self.looks.truncate(last + 1);
        }
    }

    /// The first look that stops every cell at the level of the rule; a relative width has none, as
    /// there may be no win.
    fn certain_look(&self) -> Option<usize> {
        let is_certain = |&n: &u64| self.relative.is_none() && self.is_satisfied(n, false);
        self.looks.iter().position(is_certain)
    }

    /// The level of each look at which the reported interval covers every rate of [`rates`] with
    /// the confidence that is the level so far; computed once for each rule.
    fn calibrated(&self) -> f64 {
        type Key = (Option<u64>, Option<u64>, u64, u64, Units);
        /// The levels that were computed already: a pure function of the key.
        static LEVELS: LazyLock<Mutex<HashMap<Key, f64>>> = LazyLock::new(Mutex::default);
        let key = (
            self.half_width.map(f64::to_bits),
            self.relative.map(f64::to_bits),
            self.games_max(),
            self.confidence_per_look.to_bits(),
            self.units,
        );
        let levels = || locked(&LEVELS);
        let known = levels().get(&key).copied();
        known.unwrap_or_else(|| {
            let level = self.lowest_covering_level(self.confidence_per_look);
            levels().insert(key, level);
            level
        })
    }

    /// The lowest level of each look at which the rule covers with this confidence, for
    /// [`Rule::calibrated`]. Bisects the hundredths of α from Bonferroni's share up.
    fn lowest_covering_level(&self, confidence: f64) -> f64 {
        let alpha = 1.0 - confidence;
        let level = |hundredths: u64| 1.0 - alpha * hundredths as f64 / 100.0;
        let mut rates = rates();
        let fewest = (100 / self.looks.len() as u64).max(1);
        let mut enough = fewest;
        let mut too_much = 101;
        while too_much - enough > 1 {
            let middle = enough.midpoint(too_much);
            let covers = self.designs(level(middle)).iter().all(|design| {
                if self.kind() == RateInterval::MidP {
                    let sum: f64 = rates.iter().map(|&rate| design.coverage(rate)).sum();
                    return sum >= confidence * rates.len() as f64;
                }
                let misses = |&rate: &f64| {
                    let (coverage, spread) = design.coverage_and_spread(rate);
                    coverage < confidence + alpha * margin(spread)
                };
                let Some(worst) = rates.iter().position(misses) else {
                    return !design
                        .critical_rates(RATE_MIN..=RATE_MAX)
                        .iter()
                        .any(misses);
                };
                // The rate that failed is tried first next time.
                rates[..=worst].rotate_right(1);
                false
            });
            if covers {
                enough = middle;
            } else {
                too_much = middle;
            }
        }
        // Bonferroni's share, where this ends at the latest, covers any rate.
        let is_exact = self.units == Units::Games(RateInterval::ClopperPearson);
        while is_exact && enough > fewest && !self.covers_at_ends(level(enough), confidence) {
            enough -= 1;
        }
        level(enough)
    }

    /// Whether intervals of this level cover just beyond the ends of those of few wins or losses,
    /// where coverage jumps down by more than its margin.
    fn covers_at_ends(&self, level: f64, confidence: f64) -> bool {
        let design = self.design(level, 1.0);
        let rates = design.rates_beyond_ends(RATE_MIN..=RATE_MAX, VARIANCE_MANY);
        rates
            .into_iter()
            .all(|rate| design.coverage(rate) >= confidence)
    }

    /// The looks with intervals of one level, in as many independent games as each of several
    /// design effects leaves.
    fn designs(&self, level: f64) -> Vec<Design> {
        let effects = match self.units {
            Units::Games(_) => vec![1.0],
            // A doubled effect is one look more or less, so effects within an octave stand for all.
            Units::Trajectories(lanes) => {
                let effects = [1.0, 1.25, 1.5, 1.75, lanes as f64].into_iter();
                effects.filter(|&effect| effect <= lanes as f64).collect()
            }
            Units::Replications => [1.0, 8.0, 64.0, 512.0, 4096.0].map(f64::recip).into(),
        };
        let design = |effect| self.design(level, effect);
        effects.into_iter().map(design).collect()
    }

    /// The probability that the reported interval contains the win rate `rate` (above 0, below 1),
    /// computed for independent games.
    ///
    /// # Panics
    /// When the rate is not strictly between 0 and 1.
    pub fn coverage(&self, rate: f64) -> f64 {
        check(rate, self.confidence_per_look);
        self.design(self.confidence_per_look, 1.0).coverage(rate)
    }

    /// The looks with intervals of one level, in independent games of which each is worth `effect`.
    fn design(&self, level: f64, effect: f64) -> Design {
        let games = |&games: &u64| (games as f64 / effect) as u64;
        let looks = self.looks.iter().map(games);
        Design::new(looks, self.half_width, self.relative, level, self.kind())
    }

    /// The interval of independent games.
    const fn kind(&self) -> RateInterval {
        match self.units {
            Units::Games(kind) => kind,
            Units::Trajectories(_) | Units::Replications => RateInterval::ClopperPearson,
        }
    }

    /// The win rate at which a stopped cell of independent games has an even chance of ending above
    /// or below the share of wins that this one has: the median-unbiased estimate.
    ///
    /// The share itself is biased, because the wins decide when a cell stops: `relative` stops
    /// cells that happen to have many wins, `half_width` those that have few. Outcomes are ordered
    /// by their share of wins. To six significant digits. Source: S. S. Emerson and T. R. Fleming,
    /// "Parameter estimation following group sequential hypothesis testing", Biometrika 77 (1990).
    ///
    /// # Panics
    /// When there are no games, or more wins than games.
    pub fn median_unbiased(&self, wins: u64, games: u64) -> f64 {
        let share = wins as f64 / games as f64;
        if wins == 0 || wins == games {
            return share;
        }
        let design = self.design(self.confidence_per_look, 1.0);
        // Bias is less than an interval this wide.
        let bounds = clopper_pearson(wins, games, 0.999_999);
        let logit = |rate: f64| (rate / (1.0 - rate)).ln();
        let rate = |logit: f64| 1.0 / (1.0 + (-logit).exp());
        let mut lo = logit(bounds.lo);
        let mut hi = logit(bounds.hi);
        while hi - lo > 1e-9 {
            let middle = f64::midpoint(lo, hi);
            if design.above(share, rate(middle)) < 0.5 {
                lo = middle;
            } else {
                hi = middle;
            }
        }
        format!("{:.5e}", rate(lo))
            .parse()
            .expect("a number in scientific form reads back")
    }

    /// The numbers of games after which a cell with this win rate stops, with their probabilities,
    /// where `design_effect` games are worth one independent game.
    ///
    /// # Panics
    /// When the rate is not strictly between 0 and 1.
    pub fn stops(&self, rate: f64, design_effect: f64) -> Vec<(f64, f64)> {
        check(rate, self.confidence_per_look);
        let design = self.design(self.confidence_per_look, design_effect);
        let look = |effective: f64| {
            let is_it = |&look: &u64| (look as f64 / design_effect) as u64 == effective as u64;
            let found = self.looks.iter().copied().find(is_it);
            found.expect("the design has these looks") as f64
        };
        let stops = design.stops(rate).into_iter();
        stops.map(|(games, share)| (look(games), share)).collect()
    }

    /// Whether a cell with these wins stops if its interval is `wider` times as wide.
    pub fn would_stop(&self, wins: &Wins, wider: f64) -> bool {
        let half_width = wider * self.interval(wins).half_width();
        let is_known = match wins {
            Wins::Replications(sums) => self.relative.is_none() || sums.won() >= REPLICATIONS_WON,
            Wins::Games(..) | Wins::Trajectories(_) => true,
        };
        is_known && self.is_precise(half_width, wins.rate())
    }

    /// The game counts at which the cell is looked at, ascending; it stops at the last of them in
    /// any case.
    pub fn looks(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.looks.iter().copied()
    }

    /// The most games the rule can ask for.
    pub fn games_max(&self) -> u64 {
        *self.looks.last().expect("a rule has at least one look")
    }

    /// The level of each look's interval, for which the one finally reported has the confidence of
    /// the rule.
    pub const fn confidence_per_look(&self) -> f64 {
        self.confidence_per_look
    }

    /// The interval of the win rate to report for a cell that stopped with these wins (a share).
    ///
    /// # Panics
    /// When there are more wins than games.
    pub fn interval(&self, wins: &Wins) -> Interval {
        wins.interval(self.kind(), self.confidence_per_look)
    }

    /// Whether a cell stops at the look number `look` (from 0) with these wins.
    ///
    /// # Panics
    /// When there is no such look, or the games are not those of that look.
    pub fn decide(&self, look: usize, wins: &Wins) -> Option<StopReason> {
        let games = self.looks[look];
        assert_eq!(wins.games(), games, "look {look} comes after {games} games");
        if self.would_stop(wins, 1.0) {
            return Some(StopReason::Precision);
        }
        (look + 1 == self.looks.len()).then_some(StopReason::MaxGames)
    }

    fn is_precise(&self, half_width: f64, rate: f64) -> bool {
        self.half_width.is_none_or(|wanted| half_width <= wanted)
            && self
                .relative
                .is_none_or(|wanted| half_width <= wanted * rate)
    }

    /// Whether the narrowest interval that `games` games can have, that of a rate of 1, fulfils
    /// every criterion; or if not `at_best` the widest one, that of a rate of ½.
    fn is_satisfied(&self, games: u64, at_best: bool) -> bool {
        match self.units {
            Units::Games(_) => {
                let wins = if at_best { games } else { games / 2 };
                self.would_stop(&Wins::Games(wins, games), 1.0)
            }
            Units::Trajectories(lanes) => {
                let trajectories = games / lanes;
                // When all games of each of m trajectories end alike, the design effect is lanes ·
                // m/(m − 1), its largest.
                let (rate, effective) = if at_best {
                    (1.0, games as f64)
                } else {
                    (0.5, trajectories as f64 - 1.0)
                };
                let is_precise = || {
                    let t = student_deviate(trajectories as f64 - 1.0, self.confidence_per_look);
                    let interval = wilson_real(rate * effective, effective, t);
                    self.is_precise(interval.half_width(), rate)
                };
                trajectories > 1 && is_precise()
            }
            Units::Replications => at_best,
        }
    }
}

#[cfg(test)]
mod tests;
