//! Win rates of rare wins, from replications of multilevel splitting.
//!
//! A replication has weighted wins W, a whole number from 0 to the product L of all factors, with
//! expectation p · L for the win probability p. Replications are independent, so p is estimated by
//! the mean of W / L, and its standard error is s / √m with the sample standard deviation s of W /
//! L over m replications. Source: M. J. J. Garvels, *The splitting method in rare event
//! simulation* (thesis, University of Twente, 2000), chapter 2.
//!
//! # The interval
//! Few replications have wins, and some of them many, since the continuations of one game win
//! together. So the mean is skew, and its standard error is uncertain where few replications won.
//!
//! The interval is Clopper's and Pearson's on effective counts ([`ClusterSums::rate_interval`]),
//! with Student's t of as many degrees of freedom as the variance has: 2m / (κ − 1) with the
//! kurtosis κ of W, from Var(s²) ≈ (κ − 1) s⁴ / m (F. E. Satterthwaite, "An approximate
//! distribution of estimates of variance components", Biometrics Bulletin 2 (1946)). It takes the
//! skewness of a mean of games. Where the mean of W is more skew, the upper end is higher: it is
//! that of a Poisson variable, shifted and scaled to mean, variance and skewness of the mean of W.
//! (N. J. Johnson, "Modified t tests and confidence intervals for asymmetrical populations", JASA
//! 73 (1978), corrects Student's t for skewness by an expansion, which needs a small skewness.)

use super::beta::student_upper_quantile;
use super::rate::clopper_pearson_real;
use super::{ClusterSums, Interval, alpha, normal_upper_quantile};
use crate::tally::Tally;

/// Exact sums over replications.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SplittingSums {
    /// Weighted wins and their squares; a replication is a cluster.
    wins: ClusterSums,
    /// The sum of their third powers.
    cubed: u128,
    /// The sum of their fourth powers.
    fourth: u128,
}

impl SplittingSums {
    /// The weighted wins of a tally's replications; `None` when its games are not replications.
    ///
    /// # Panics
    /// When the sums do not fit 127 bits, or the product of the factors 64.
    #[must_use]
    pub fn of(tally: &Tally) -> Option<Self> {
        let sums = tally.splitting.as_ref()?;
        let sum = i128::try_from(sums.wins).expect("weighted wins fit 127 bits");
        let size = sums.product().expect("the product of the factors fits 64 bits");
        let wins = ClusterSums { clusters: tally.games, size, sum, sum_sq: sums.wins_sq };
        Some(Self { wins, cubed: sums.wins_cubed, fourth: sums.wins_fourth })
    }

    /// Replications.
    #[must_use]
    pub const fn replications(&self) -> u64 {
        self.wins.clusters
    }

    /// The sums of this many replications, extrapolated from these.
    #[must_use]
    pub fn grown(&self, replications: u64) -> Self {
        let times = replications as f64 / self.wins.clusters.max(1) as f64;
        let grown = |sum: u128| (sum as f64 * times) as u128;
        let wins = self.wins.grown(replications.saturating_mul(self.wins.size));
        Self { wins, cubed: grown(self.cubed), fourth: grown(self.fourth) }
    }

    /// The estimated win rate; `None` without replications.
    #[must_use]
    pub fn rate(&self) -> Option<f64> {
        self.wins.mean()
    }

    /// Its standard error; `None` below two replications.
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        self.wins.standard_error()
    }

    /// How many independent plain games would give the rate the same precision: p(1 − p) / se², and
    /// where no game or every game was won, the replications. `None` below two replications.
    #[must_use]
    pub fn effective_games(&self) -> Option<f64> {
        self.wins.effective_games()
    }

    /// The interval of the win rate; `None` below two replications.
    ///
    /// Without levels a replication is a game, and the interval is Clopper's and Pearson's. Where
    /// no replication or every one won in full, it is theirs with each replication as one game.
    ///
    /// # Panics
    /// When `confidence` is not strictly between 0 and 1.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let se = self.standard_error()?;
        let m = self.wins.clusters as f64;
        let rate = self.rate()?;
        if self.wins.size == 1 || se == 0.0 {
            return Some(clopper_pearson_real(rate * m, m, confidence));
        }
        // Central moments of W / L.
        let size = self.wins.size as f64;
        let square = self.wins.sum_sq as f64 / m / size.powi(2);
        let cube = self.cubed as f64 / m / size.powi(3);
        let fourth = self.fourth as f64 / m / size.powi(4);
        let variance = square - rate.powi(2);
        let third = cube - 3.0 * rate * square + 2.0 * rate.powi(3);
        let kurtosis =
            (fourth - 4.0 * rate * cube + 6.0 * rate.powi(2) * square - 3.0 * rate.powi(4)) / variance.powi(2);
        let freedom = (2.0 * m / (kurtosis - 1.0).max(f64::MIN_POSITIVE)).clamp(1.0, m - 1.0);
        let tail = alpha(confidence) / 2.0;
        // Effective counts shrink as the t quantile exceeds the normal one.
        let shrunk = (normal_upper_quantile(tail) / student_upper_quantile(freedom, tail)).powi(2);
        let effective = self.effective_games()? * shrunk;
        let interval = clopper_pearson_real(rate * effective, effective, confidence);
        // A Poisson variable of mean λ has skewness 1/√λ; that of the mean of W is `skewness` / √m.
        let skewness = third / variance.powf(1.5);
        if skewness <= 0.0 {
            return Some(interval);
        }
        let count = m / skewness.powi(2) * shrunk;
        let unit = se * (m.sqrt() / skewness) / count;
        let upper = rate + unit * (poisson_upper(count, confidence) - count);
        Some(Interval { lo: interval.lo, hi: interval.hi.max(upper).min(1.0) })
    }
}

/// The upper end of the exact interval of a Poisson mean, for a count that need not be whole.
///
/// That of Clopper and Pearson for a million times as many games. Source: F. Garwood, "Fiducial
/// limits for the Poisson distribution", Biometrika 28 (1936).
fn poisson_upper(count: f64, confidence: f64) -> f64 {
    let games = 1e6 * (count + 1.0);
    clopper_pearson_real(count, games, confidence).hi * games
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tally::{GameResult, Outcome, SplitLevel};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// A tally of replications with these weighted wins, at levels with a product of 100.
    fn tally(wins: impl Iterator<Item = u64>) -> Tally {
        let levels = [SplitLevel { value: 10, factor: 4 }, SplitLevel { value: 20, factor: 25 }];
        let mut tally = Tally::new(&[]);
        for wins in wins {
            let result = if wins > 0 { GameResult::Won } else { GameResult::Lost };
            tally.add_replication(&Outcome::new(result, 1), &levels, wins);
        }
        tally
    }

    #[test]
    fn figures_worked_by_hand() {
        // 0, 50, 0, 10 of 100: rate 0.15, s² of the totals 1700/3.
        let sums = SplittingSums::of(&tally([0, 50, 0, 10].into_iter())).unwrap();
        assert_eq!((sums.rate(), sums.replications()), (Some(0.15), 4));
        let se = (1700.0f64 / 3.0 / 4.0).sqrt() / 100.0;
        assert!((sums.standard_error().unwrap() - se).abs() < 1e-15);
        assert!((sums.effective_games().unwrap() - 0.15 * 0.85 / se.powi(2)).abs() < 1e-12);
        let interval = sums.interval(0.95).unwrap();
        assert!(interval.lo < 0.05 && interval.hi > 0.5, "{interval:?}");
        assert_eq!(sums.grown(4).interval(0.95).map(|grown| grown.hi > 0.4), Some(true));
    }

    #[test]
    fn replications_without_a_win_count_as_one_game_each() {
        let sums = SplittingSums::of(&tally((0..300).map(|_| 0))).unwrap();
        let plain = crate::stats::clopper_pearson(0, 300, 0.95);
        let interval = sums.interval(0.95).unwrap();
        assert!(interval.lo == 0.0 && (interval.hi - plain.hi).abs() < 1e-12, "{interval:?}");
        assert_eq!(sums.effective_games(), Some(300.0));
        assert_eq!(SplittingSums::of(&tally([5].into_iter())).unwrap().interval(0.95), None);
        assert_eq!(SplittingSums::of(&Tally::new(&[])), None);
    }

    /// `scipy.stats.gamma.ppf(0.975, count + 1)`.
    #[test]
    fn poisson_limits_are_those_of_the_gamma_distribution() {
        for (count, upper) in [(0.0, 3.688_879_454_113_936), (10.0, 18.390_356_0)] {
            assert!((poisson_upper(count, 0.95) / upper - 1.0).abs() < 1e-5, "{count}");
        }
    }

    /// Coverage where one replication in 30 wins, with geometric totals of mean 5: as in 67!.
    #[test]
    fn intervals_cover() {
        const INTERVALS: u32 = 2_000;
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        let mut uniform = || ((stream.next_u64() >> 11) + 1) as f64 / (1u64 << 53) as f64;
        for replications in [1_000, 4_000] {
            let mut covered = 0;
            for _ in 0..INTERVALS {
                let draw = |_| {
                    let wins = uniform() < 1.0 / 30.0;
                    if wins { 1 + (uniform().ln() / 0.8f64.ln()) as u64 } else { 0 }
                };
                let sums = SplittingSums::of(&tally((0..replications).map(draw).map(|wins| wins.min(100)))).unwrap();
                covered += u32::from(sums.interval(0.95).unwrap().contains(5.0 / 30.0 / 100.0));
            }
            let coverage = f64::from(covered) / f64::from(INTERVALS);
            println!("{replications} replications: covered {:.2} %", coverage * 100.0);
            assert!((0.94..=0.97).contains(&coverage), "{replications} replications: {coverage}");
        }
    }
}
