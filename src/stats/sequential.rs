//! Stopping at a wanted precision, corrected for looking more than once.
//!
//! A cell with a [`Rule`] is looked at after fixed numbers of games: 1,024, 1,536, 2,048, 3,072,
//! 4,096, … (each power of two and one and a half times it), and at last after `max_games`. It
//! stops at the first look whose interval is narrow enough.
//!
//! Choosing the moment by the data would make an ordinary 95 % interval cover less than 95 %. So
//! the interval of each look is the exact one (Clopper–Pearson) at level 1 − α/K, where K is the
//! number of looks at which the cell can stop at all. By Bonferroni's inequality the probability
//! that *any* of the K intervals misses the true rate is at most α, hence also that the reported
//! one does, whatever the rate and whatever the rule. Source: the repeated confidence intervals of
//! C. Jennison and B. W. Turnbull, *Group Sequential Methods with Applications to Clinical Trials*
//! (2000), chapter 9, with equal shares of α; equal shares because nothing is known beforehand of
//! the rate, so no look is likelier than another to be the last.
//!
//! K is kept small without giving up the guarantee: a look at which not even a rate of 0 or 1 would
//! satisfy the rule cannot stop the cell and gets no share, and nor do looks behind the one at
//! which every rate satisfies it. Both depend on the rule alone. The price against a single look
//! fixed beforehand is an interval wider by z(α/2K)/z(α/2): 1.43 for ten looks at 95 %.

//!
//! # Games in trajectories
//! Where games share trajectories ([`super::cluster`]), a look comes after as many *trajectories*
//! as it otherwise would after games, and its interval is the cluster-robust one at the same level.
//! That one is approximate where Clopper–Pearson is exact; 1,024 trajectories at the first look are
//! what it needs. Looks without a share are those at which not even a rate of 1 without any design
//! effect would satisfy the rule, and those behind the one at which a rate of ½ with the largest
//! design effect does.

use super::beta::student_upper_quantile;
use super::rate::wilson_real;
use super::{ClusterSums, Interval, alpha, clopper_pearson};
use crate::tally::Tally;

/// When a cell with adaptive precision may stop.
#[derive(Clone, Debug, PartialEq)]
pub struct Rule {
    half_width: Option<f64>,
    relative: Option<f64>,
    looks: Vec<u64>,
    confidence_per_look: f64,
    /// Games of each trajectory.
    lanes: u64,
}

/// Why a cell stopped.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StopReason {
    /// Its interval is as narrow as wanted.
    Precision,
    /// It has played the most games allowed.
    MaxGames,
}

/// The game counts of all looks below `max_games`, and `max_games` itself.
fn schedule(max_games: u64) -> Vec<u64> {
    let mut looks: Vec<u64> = (10..63).flat_map(|k| [1u64 << k, 3 << (k - 1)]).take_while(|&n| n < max_games).collect();
    looks.push(max_games);
    looks
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
        Self::of_lanes(half_width, relative, max_games, confidence, 1)
    }

    /// The rule for games that come in trajectories of `lanes`.
    ///
    /// # Errors
    /// As [`Rule::new`], and when `max_games` is not a multiple of `lanes` (at least 1).
    pub fn of_lanes(
        half_width: Option<f64>,
        relative: Option<f64>,
        max_games: u64,
        confidence: f64,
        lanes: u64,
    ) -> Result<Self, String> {
        if let Some(width) = half_width.filter(|width| !(*width > 0.0 && *width < 0.5)) {
            return Err(format!(
                "half_width = {width}: must lie between 0 and 0.5 (0.001 is a tenth of a percentage point)"
            ));
        }
        if let Some(relative) = relative.filter(|relative| !(*relative > 0.0 && relative.is_finite())) {
            return Err(format!("relative = {relative}: must be above 0 (0.05 is five percent of the rate)"));
        }
        if half_width.is_none() && relative.is_none() {
            return Err("stop needs half_width or relative".into());
        }
        if max_games == 0 {
            return Err("max_games = 0: must be at least 1".into());
        }
        if !(confidence > 0.0 && confidence < 1.0) {
            return Err(format!("confidence = {confidence}: must lie between 0 and 1"));
        }
        if lanes == 0 || !max_games.is_multiple_of(lanes) {
            return Err(format!("max_games = {max_games}: must be a multiple of the {lanes} games of a trajectory"));
        }
        let looks = schedule(max_games / lanes).into_iter().map(|look| look * lanes).collect();
        let mut rule = Self { half_width, relative, looks, confidence_per_look: confidence, lanes };
        rule.keep_looks_that_can_stop(max_games, confidence);
        Ok(rule)
    }

    /// Drops the looks that can never stop a cell and shares α among the rest.
    fn keep_looks_that_can_stop(&mut self, max_games: u64, confidence: f64) {
        let looks = std::mem::take(&mut self.looks);
        // At the uncorrected level, which is the most generous, the narrowest interval is that of a
        // rate of 1.
        let rule = &*self;
        let can_stop = |n: u64| n == max_games;
        let mut looks: Vec<u64> = looks.into_iter().filter(|&n| can_stop(n) || rule.satisfied_at_best(n)).collect();
        loop {
            self.confidence_per_look = 1.0 - (1.0 - confidence) / looks.len() as f64;
            // The widest interval is that of a rate of ½; a relative width has no bound, as there
            // may be no win.
            let certain = looks.iter().position(|&n| self.relative.is_none() && self.satisfied_at_worst(n));
            match certain {
                // A larger share for each look only narrows the intervals, so the same look stays
                // certain.
                Some(last) if last + 1 < looks.len() => looks.truncate(last + 1),
                _ => break,
            }
        }
        self.looks = looks;
    }

    /// The game counts at which the cell is looked at, ascending; it stops at the last of them in
    /// any case.
    pub fn looks(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.looks.iter().copied()
    }

    /// The most games the rule can ask for.
    #[must_use]
    pub fn games_max(&self) -> u64 {
        *self.looks.last().expect("a rule has at least one look")
    }

    /// The level of each look's interval, for which the one finally reported has the confidence of
    /// the rule.
    #[must_use]
    pub const fn confidence_per_look(&self) -> f64 {
        self.confidence_per_look
    }

    /// The interval of the win rate to report for a cell that stopped with these counts (a share).
    ///
    /// # Panics
    /// When there are more wins than games.
    #[must_use]
    pub fn interval(&self, wins: u64, games: u64) -> Interval {
        clopper_pearson(wins, games, self.confidence_per_look)
    }

    /// Whether a cell stops at the look number `look` (from 0), having won `wins` of `games`.
    ///
    /// # Panics
    /// When there is no such look, or `games` is not the count of that look.
    #[must_use]
    pub fn decide(&self, look: usize, wins: u64, games: u64) -> Option<StopReason> {
        assert_eq!(games, self.looks[look], "look {look} comes after {} games", self.looks[look]);
        if self.satisfied(wins, games) {
            return Some(StopReason::Precision);
        }
        (look + 1 == self.looks.len()).then_some(StopReason::MaxGames)
    }

    /// [`Rule::interval`] or [`Rule::lanes_interval`], as the tally's games come.
    #[must_use]
    pub fn interval_of(&self, tally: &Tally) -> Interval {
        match ClusterSums::of_wins(tally) {
            Some(sums) => self.lanes_interval(&sums),
            None => self.interval(tally.wins, tally.games),
        }
    }

    /// The interval to report for games in trajectories; all of [0, 1] below two trajectories.
    #[must_use]
    pub fn lanes_interval(&self, wins: &ClusterSums) -> Interval {
        wins.rate_interval(self.confidence_per_look).unwrap_or(Interval { lo: 0.0, hi: 1.0 })
    }

    /// [`Rule::decide`] or [`Rule::decide_lanes`], as the tally's games come.
    ///
    /// # Panics
    /// As these.
    #[must_use]
    pub fn decide_of(&self, look: usize, tally: &Tally) -> Option<StopReason> {
        match ClusterSums::of_wins(tally) {
            Some(sums) => self.decide_lanes(look, &sums),
            None => self.decide(look, tally.wins, tally.games),
        }
    }

    /// Whether a cell of games in trajectories stops at the look number `look` (from 0) with these
    /// wins.
    ///
    /// # Panics
    /// When there is no such look, or the games are not those of that look.
    #[must_use]
    pub fn decide_lanes(&self, look: usize, wins: &ClusterSums) -> Option<StopReason> {
        let games = wins.clusters * wins.size;
        let rate = wins.mean().unwrap_or_default();
        assert_eq!(games, self.looks[look], "look {look} comes after {} games", self.looks[look]);
        if self.is_precise(self.lanes_interval(wins), rate) {
            return Some(StopReason::Precision);
        }
        (look + 1 == self.looks.len()).then_some(StopReason::MaxGames)
    }

    /// Whether the interval for these counts fulfils every criterion.
    fn satisfied(&self, wins: u64, games: u64) -> bool {
        self.is_precise(self.interval(wins, games), wins as f64 / games as f64)
    }

    fn is_precise(&self, interval: Interval, rate: f64) -> bool {
        let half_width = interval.half_width();
        self.half_width.is_none_or(|wanted| half_width <= wanted)
            && self.relative.is_none_or(|wanted| half_width <= wanted * rate)
    }

    /// Whether the narrowest interval that so many games can have, that of a rate of 1, fulfils
    /// every criterion.
    fn satisfied_at_best(&self, games: u64) -> bool {
        if self.lanes == 1 {
            return self.satisfied(games, games);
        }
        self.student(games).is_some_and(|t| self.is_precise(wilson_real(games as f64, games as f64, t), 1.0))
    }

    /// Whether the widest interval that so many games can have, that of a rate of ½, fulfils every
    /// criterion.
    fn satisfied_at_worst(&self, games: u64) -> bool {
        if self.lanes == 1 {
            return self.satisfied(games / 2, games);
        }
        // When all games of each of m trajectories end alike, the design effect is lanes · m/(m −
        // 1), its largest.
        let effective = (games / self.lanes) as f64 - 1.0;
        self.student(games).is_some_and(|t| self.is_precise(wilson_real(effective / 2.0, effective, t), 0.5))
    }

    /// The deviate of the interval of so many games in trajectories; `None` below two trajectories.
    fn student(&self, games: u64) -> Option<f64> {
        let clusters = games / self.lanes;
        (clusters > 1).then(|| student_upper_quantile(clusters as f64 - 1.0, alpha(self.confidence_per_look) / 2.0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// A uniform number in (0, 1].
    fn uniform(stream: &mut Xoshiro256PlusPlus) -> f64 {
        ((stream.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64
    }

    /// Plays one cell of games won with probability `rate`; returns wins, games and the reason.
    ///
    /// Waiting times between wins are geometric, so the work grows with the wins rather than with
    /// the games.
    fn simulate(rule: &Rule, rate: f64, stream: &mut Xoshiro256PlusPlus) -> (u64, u64, StopReason) {
        let mut wait = || 1 + (uniform(stream).ln() / (-rate).ln_1p()) as u64;
        let mut wins = 0;
        let mut next_win = wait();
        for (look, games) in rule.looks().enumerate() {
            while next_win <= games {
                wins += 1;
                next_win += wait();
            }
            if let Some(reason) = rule.decide(look, wins, games) {
                return (wins, games, reason);
            }
        }
        unreachable!("the last look always stops");
    }

    /// Coverage of the reported interval over 2,000 cells a rate, for absolute, relative, joint and
    /// capped rules.
    #[test]
    fn adaptive_intervals_cover() {
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        for (rate, width) in [(0.0003, 0.0001), (0.01, 0.001), (0.12, 0.01), (0.5, 0.01)] {
            let rules = [
                (Some(width), None, 100_000_000),
                (None, Some(0.2), 100_000_000),
                (Some(2.0 * width), Some(0.5), 100_000_000),
                (None, Some(0.2), 20_000),
            ];
            for (half_width, relative, max_games) in rules {
                let rule = Rule::new(half_width, relative, max_games, 0.95).unwrap();
                let mut covered = 0u64;
                let mut all_games = 0;
                for _ in 0..2_000 {
                    let (wins, games, reason) = simulate(&rule, rate, &mut stream);
                    let interval = rule.interval(wins, games);
                    covered += u64::from(interval.contains(rate));
                    all_games += games;
                    if reason == StopReason::Precision {
                        assert!(half_width.is_none_or(|wanted| interval.half_width() <= wanted));
                        assert!(relative.is_none_or(|w| interval.half_width() <= w * wins as f64 / games as f64));
                    } else {
                        assert_eq!(games, max_games);
                    }
                }
                println!(
                    "rate {rate}, half_width {half_width:?}, relative {relative:?}, cap {max_games}: {} looks, covered {:.2} %, \
                     {} games a cell",
                    rule.looks().len(),
                    covered as f64 / 20.0,
                    all_games / 2_000
                );
                assert!(covered >= 1_880, "rate {rate}, {rule:?}: {covered} of 2000 covered");
            }
        }
    }

    #[test]
    fn looks_follow_from_the_rule_alone() {
        let rule = Rule::new(Some(0.02), None, 10_000_000, 0.95).unwrap();
        let looks: Vec<u64> = rule.looks().collect();
        assert_eq!(looks, [1_024, 1_536, 2_048, 3_072, 4_096, 6_144]);
        assert_eq!(rule.games_max(), 6_144);
        assert!((rule.confidence_per_look() - (1.0 - 0.05 / 6.0)).abs() < 1e-15);
        // Even half the games won is precise enough at the last look.
        assert_eq!(rule.decide(5, 3_072, 6_144), Some(StopReason::Precision));
        assert_eq!(rule.decide(0, 512, 1_024), None);
        assert_eq!(rule.decide(0, 0, 1_024), Some(StopReason::Precision));

        let capped = Rule::new(Some(1e-4), Some(0.1), 5_000, 0.95).unwrap();
        assert_eq!(capped.looks().collect::<Vec<_>>(), [5_000]);
        assert_eq!(capped.decide(0, 10, 5_000), Some(StopReason::MaxGames));
        assert_eq!(capped.confidence_per_look(), 0.95);
        assert_eq!(Rule::new(None, Some(0.1), 1, 0.95).unwrap().decide(0, 0, 1), Some(StopReason::MaxGames));
    }

    #[test]
    fn impossible_rules_are_refused() {
        for (half_width, relative, max_games, confidence, message) in [
            (Some(0.0), None, 10, 0.95, "half_width = 0"),
            (Some(0.7), None, 10, 0.95, "half_width = 0.7"),
            (Some(f64::NAN), None, 10, 0.95, "half_width = NaN"),
            (None, Some(-1.0), 10, 0.95, "relative = -1"),
            (None, None, 10, 0.95, "needs half_width or relative"),
            (Some(0.1), None, 0, 0.95, "max_games = 0"),
            (Some(0.1), None, 10, 1.0, "confidence = 1"),
        ] {
            let error = Rule::new(half_width, relative, max_games, confidence).unwrap_err();
            assert!(error.contains(message), "{error}");
        }
    }
}
