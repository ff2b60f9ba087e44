//! Rates and means over games that come in correlated groups of equal size.
//!
//! With value lanes, one trajectory of kinds carries `size` sets of digits: `size` games that share
//! their tiles' kinds and win or lose partly together. The trajectory (cluster), not the game, is
//! the independent sampling unit, so variances are those of cluster totals. For clusters of equal
//! size this is at once the classical variance of a one-stage cluster sample and the cluster-robust
//! ("sandwich") variance of a mean. Sources: W. G. Cochran, *Sampling Techniques* (3rd ed., 1977),
//! section 9.2; K.-Y. Liang and S. L. Zeger, "Longitudinal data analysis using generalized linear
//! models", Biometrika 73 (1986).

use super::rate::{clopper_pearson_real, wilson_real};
use super::{Estimate, Interval, Moments, student_deviate};
use tilelab_core::tally::Tally;

/// Exact sums over the totals of equally large clusters.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ClusterSums {
    /// How many clusters.
    pub clusters: u64,
    /// Games a cluster, at least 1.
    pub size: u64,
    /// The sum of the clusters' totals (of wins, for a win rate).
    pub sum: i128,
    /// The sum of the squares of the clusters' totals.
    pub sum_sq: u128,
}

impl ClusterSums {
    /// The wins of a tally's trajectories; `None` when its games do not come in trajectories.
    pub fn of_wins(tally: &Tally) -> Option<Self> {
        let sums = tally.trajectories()?;
        Some(Self {
            clusters: sums.trajectories,
            size: sums.lanes,
            sum: i128::from(tally.wins),
            sum_sq: sums.wins_sq,
        })
    }

    /// The moves of a tally's trajectories; `None` when its games do not come in trajectories.
    pub fn of_moves(tally: &Tally) -> Option<Self> {
        let wins = Self::of_wins(tally)?;
        let sums = tally.trajectories()?;
        Some(Self {
            sum: tally.moves_sum as i128,
            sum_sq: sums.moves_sq,
            ..wins
        })
    }

    /// The sums of `games` games, extrapolated from these.
    pub fn grown(&self, games: u64) -> Self {
        let clusters = games / self.size;
        let times = clusters as f64 / self.clusters.max(1) as f64;
        let sum = (self.sum as f64 * times) as i128;
        let sum_sq = (self.sum_sq as f64 * times).ceil() as u128 + 1;
        Self {
            clusters,
            size: self.size,
            sum,
            sum_sq,
        }
    }

    /// The variance that one cluster brings to the logarithm of the width of the rate's interval,
    /// or of the width divided by the rate, from sums over blocks of clusters; `None` where no game
    /// or every game of all was won.
    ///
    /// To first order the logarithm of s is a mean over clusters of ((W − μ)²/σ² − 1)/2 with the
    /// totals W, and that of the rate one of (W − μ)/μ. Sums of these over a block follow from its
    /// own, and blocks are independent.
    pub fn width_variance(blocks: &[Self], is_relative: bool) -> Option<f64> {
        let total = |of: &dyn Fn(&Self) -> f64| blocks.iter().map(of).sum::<f64>();
        let clusters = total(&|block| block.clusters as f64);
        let mean = total(&|block| block.sum as f64) / clusters;
        let variance = total(&|block| block.sum_sq as f64) / clusters - mean * mean;
        let square = |block: &Self| {
            let m = block.clusters as f64;
            let sum = block.sum as f64 - m * mean;
            let squares = block.sum_sq as f64 - 2.0 * mean * block.sum as f64 + m * mean * mean;
            let of_rate = if is_relative { sum / mean } else { 0.0 };
            (0.5 * (squares / variance - m) - of_rate).powi(2)
        };
        (variance > 0.0).then(|| total(&square) / clusters)
    }

    /// All games of all clusters.
    pub fn games(&self) -> f64 {
        self.clusters as f64 * self.size as f64
    }

    /// The mean a game (for totals of wins: the win rate); `None` without games.
    pub fn mean(&self) -> Option<f64> {
        (self.games() > 0.0).then(|| self.sum as f64 / self.games())
    }

    /// The standard error of the mean, √(s² / m) / size with s² the sample variance of the m
    /// totals; `None` below two clusters.
    ///
    /// # Panics
    /// When the sums contradict each other.
    pub fn standard_error(&self) -> Option<f64> {
        Some(self.estimate()?.se)
    }

    /// Mean and standard error with clusters − 1 degrees of freedom; `None` below two clusters.
    ///
    /// # Panics
    /// When the sums contradict each other.
    pub fn estimate(&self) -> Option<Estimate> {
        let totals = Moments {
            n: self.clusters,
            sum: self.sum,
            sum_sq: self.sum_sq,
        };
        let of_totals = totals.estimate()?;
        Some(Estimate {
            mean: self.mean()?,
            se: of_totals.se / self.size as f64,
            ..of_totals
        })
    }

    /// How many times larger the variance of the rate is than that of as many independent games.
    ///
    /// se² / (p(1 − p)/n), for totals of wins. `None` below two clusters and where all games ended
    /// alike. Source: L. Kish, *Survey Sampling* (1965), section 8.2.
    pub fn design_effect(&self) -> Option<f64> {
        let rate = self.mean()?;
        let se = self.standard_error()?;
        let independent = rate * (1.0 - rate) / self.games();
        (independent > 0.0).then(|| se * se / independent)
    }

    /// How many independent games would give the rate the same precision: games / design effect,
    /// and at most all games.
    ///
    /// Where all games ended alike the design effect cannot be seen; then each cluster counts as
    /// one game, as if its games were copies. `None` below two clusters.
    pub fn effective_games(&self) -> Option<f64> {
        if self.clusters < 2 {
            return None;
        }
        // Lanes of one trajectory agree more than chance would have it; an estimate below 1 is
        // noise, and using it would overstate.
        Some(self.design_effect().map_or(self.clusters as f64, |effect| {
            self.games() / effect.max(1.0)
        }))
    }

    /// The interval of the win rate: Clopper's and Pearson's on effective counts; `None` below two
    /// clusters.
    ///
    /// The effective number of games is multiplied by (t_n / t_m)², with Student's t of games − 1
    /// and of clusters − 1 degrees of freedom, because the design effect is an estimate. Source:
    /// E. L. Korn and B. I. Graubard, "Confidence intervals for proportions with small expected
    /// number of positive counts estimated from survey data", Survey Methodology 24 (1998).
    ///
    /// # Panics
    /// When `confidence` is not strictly between 0 and 1, or the sums are no sums of wins.
    pub fn rate_interval(&self, confidence: f64) -> Option<Interval> {
        let rate = self.rate()?;
        let t = |samples: f64| student_deviate(samples - 1.0, confidence);
        let effective =
            self.effective_games()? * (t(self.games()) / t(self.clusters as f64)).powi(2);
        Some(clopper_pearson_real(
            rate * effective,
            effective,
            confidence,
        ))
    }

    /// Wilson's interval of the win rate with the effective number of games and Student's t; `None`
    /// below two clusters.
    ///
    /// Narrower than [`ClusterSums::rate_interval`]; covers too little where wins are rare. Source:
    /// N. Dean and M. Pagano, "Evaluating confidence interval methods for binomial proportions in
    /// clustered surveys", Journal of Survey Statistics and Methodology 3 (2015).
    ///
    /// # Panics
    /// As [`ClusterSums::rate_interval`].
    pub fn wilson_interval(&self, confidence: f64) -> Option<Interval> {
        let rate = self.rate()?;
        let effective = self.effective_games()?;
        let t = student_deviate(self.clusters as f64 - 1.0, confidence);
        Some(wilson_real(rate * effective, effective, t))
    }

    /// The mean as a rate.
    fn rate(&self) -> Option<f64> {
        let rate = self.mean()?;
        assert!(
            (0.0..=1.0).contains(&rate),
            "{} wins of {} games",
            self.sum,
            self.games()
        );
        Some(rate)
    }
}

/// Sums over clusters of a total `y` and a count `x` that varies too, as the moves and the number
/// of won games.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RatioSums {
    /// How many clusters.
    pub clusters: u64,
    /// Σy.
    pub y: u128,
    /// Σx.
    pub x: u128,
    /// Σy².
    pub yy: u128,
    /// Σxx.
    pub xx: u128,
    /// Σxy.
    pub xy: u128,
}

impl RatioSums {
    /// The moves of won games (y) and the wins (x) of a tally's trajectories; `None` when its games
    /// do not come in trajectories.
    pub fn of_won_moves(tally: &Tally) -> Option<Self> {
        let sums = tally.trajectories()?;
        Some(Self {
            clusters: sums.trajectories,
            y: tally.moves_win_sum,
            x: u128::from(tally.wins),
            yy: sums.moves_win_sq,
            xx: sums.wins_sq,
            xy: sums.wins_moves,
        })
    }

    /// How many trajectories with one win each would give the mean moves of won games about the
    /// same precision: (Σx)² / Σx², L. Kish's effective number; 0 without wins.
    pub fn effective_wins(&self) -> f64 {
        if self.x == 0 {
            return 0.0;
        }
        (self.x as f64).powi(2) / self.xx as f64
    }

    /// R = Σy/Σx with the standard error √(m/(m − 1) · Σ(y − Rx)²) / Σx; `None` below two clusters
    /// or where x is always 0.
    ///
    /// Source: Cochran (1977), section 6.3 (linearization of a ratio estimate). Meant for m in the
    /// hundreds and more.
    pub fn estimate(&self) -> Option<Estimate> {
        if self.clusters < 2 || self.x == 0 {
            return None;
        }
        let m = self.clusters as f64;
        let x = self.x as f64;
        let ratio = self.y as f64 / self.x as f64;
        let residual =
            self.yy as f64 - 2.0 * ratio * self.xy as f64 + ratio * ratio * self.xx as f64;
        Some(Estimate {
            mean: ratio,
            se: (m / (m - 1.0) * residual.max(0.0)).sqrt() / x,
            df: m - 1.0,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{clopper_pearson, wilson};
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    fn sums_of(totals: &[u64], size: u64) -> ClusterSums {
        ClusterSums {
            clusters: totals.len() as u64,
            size,
            sum: totals.iter().map(|&t| i128::from(t)).sum(),
            sum_sq: totals.iter().map(|&t| u128::from(t).pow(2)).sum(),
        }
    }

    #[test]
    fn figures_worked_by_hand() {
        // Totals 0, 4, 2, 2 of 4 games each: rate ½, s² = 8/3, se = √(8/3/4)/4; independent games:
        // ¼/16.
        let sums = sums_of(&[0, 4, 2, 2], 4);
        assert_eq!(sums.mean(), Some(0.5));
        assert!((sums.standard_error().unwrap() - (2.0f64 / 3.0).sqrt() / 4.0).abs() < 1e-15);
        assert!((sums.design_effect().unwrap() - 8.0 / 3.0).abs() < 1e-14);
        assert!((sums.effective_games().unwrap() - 6.0).abs() < 1e-13);
        assert_eq!(sums_of(&[3], 4).rate_interval(0.95), None);
    }

    /// `scipy.stats.beta` on effective counts (scipy 1.17).
    #[test]
    fn intervals_on_effective_counts_match_scipy() {
        for (totals, size, lo, hi) in [
            (
                vec![0, 4, 2, 2],
                4,
                0.029_989_771_631_216_05,
                0.970_010_228_368_783_9,
            ),
            (
                [3, 0, 0, 1, 0, 0, 0, 2, 0, 0].repeat(5),
                16,
                0.021_399_454_097_969_752,
                0.060_558_807_286_127_29,
            ),
        ] {
            let found = sums_of(&totals, size).rate_interval(0.95).unwrap();
            assert!(
                (found.lo - lo).abs() < 1e-9 && (found.hi - hi).abs() < 1e-9,
                "{found:?}"
            );
        }
    }

    #[test]
    fn clusters_of_one_game_are_independent_games() {
        let totals: Vec<u64> = (0..100_000).map(|i| u64::from(i % 8 == 0)).collect();
        let sums = sums_of(&totals, 1);
        assert!((sums.design_effect().unwrap() - 1.0).abs() < 2e-5);
        let close = |found: Interval, plain: Interval| {
            assert!(
                (found.lo - plain.lo).abs() < 1e-6 && (found.hi - plain.hi).abs() < 1e-6,
                "{found:?} {plain:?}"
            );
        };
        close(
            sums.rate_interval(0.95).unwrap(),
            clopper_pearson(12_500, 100_000, 0.95),
        );
        close(
            sums.wilson_interval(0.95).unwrap(),
            wilson(12_500, 100_000, 0.95),
        );
    }

    #[test]
    fn clusters_without_a_win_count_as_one_game_each() {
        let interval = sums_of(&[0; 500], 16).rate_interval(0.95).unwrap();
        assert_eq!(interval.lo, 0.0);
        assert!((interval.hi - clopper_pearson(0, 500, 0.95).hi).abs() < 1e-4);
        let all = sums_of(&[16; 500], 16).rate_interval(0.95).unwrap();
        assert!((all.lo - (1.0 - interval.hi)).abs() < 1e-12 && all.hi == 1.0);
    }

    /// Coverage for beta-binomial lanes: each cluster has its own win rate U^(1/a) (Beta(a, 1)) or
    /// 1 − U^(1/b) (Beta(1, b)).
    #[test]
    fn lane_intervals_cover() {
        const CELLS: u32 = 2_500;
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(16);
        // (rate, clusters, strongly correlated): intraclass correlation 1/(a + 2) when strong, else
        // 1/(b + 2).
        for (rate, clusters, strong) in [
            (0.5, 200, true),
            (0.12, 300, true),
            (0.12, 300, false),
            (0.02, 500, false),
            (0.002, 500, false),
        ] {
            let (power, correlation): (f64, f64) = if strong {
                let a = rate / (1.0 - rate);
                (1.0 / a, 1.0 / (a + 2.0))
            } else {
                let b = (1.0 - rate) / rate;
                (1.0 / b, 1.0 / (b + 2.0))
            };
            let mut covered = 0;
            let mut effect = 0.0;
            let mut totals = vec![0; clusters];
            for _ in 0..CELLS {
                for total in &mut totals {
                    let raised =
                        ((stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64).powf(power);
                    let own_rate = if strong { raised } else { 1.0 - raised };
                    // One word serves two lanes: 32 bits each.
                    let threshold = (own_rate * f64::from(u32::MAX)) as u32;
                    *total = 0;
                    for _ in 0..8 {
                        let word = stream.next_u64();
                        *total += u64::from((word as u32) < threshold)
                            + u64::from(((word >> 32) as u32) < threshold);
                    }
                }
                let sums = sums_of(&totals, 16);
                covered += u32::from(sums.rate_interval(0.95).unwrap().contains(rate));
                effect += sums.design_effect().unwrap_or(1.0) / f64::from(CELLS);
            }
            let coverage = f64::from(covered) / f64::from(CELLS);
            println!(
                "rate {rate}, {clusters} clusters of 16, correlation {correlation:.3}: covered {:.2} %",
                coverage * 100.0
            );
            assert!(
                (0.94..=0.99).contains(&coverage),
                "rate {rate}, {clusters} clusters: {coverage}"
            );
            let expected = 1.0 + 15.0 * correlation;
            // With few wins a cell the estimate is often that of wins in different clusters.
            assert!(
                rate < 0.01 || (effect / expected - 1.0).abs() < 0.06,
                "design effect {effect}, expected {expected}"
            );
        }
    }

    #[test]
    fn ratios_of_sums() {
        // Clusters (y, x): (2, 1), (6, 3), (4, 2): y = 2x throughout, so the ratio is 2 without
        // error.
        let exact = RatioSums {
            clusters: 3,
            y: 12,
            x: 6,
            yy: 56,
            xx: 14,
            xy: 28,
        };
        assert_eq!(
            exact.estimate().unwrap(),
            Estimate {
                mean: 2.0,
                se: 0.0,
                df: 2.0
            }
        );
        // (1, 1), (3, 1): ratio 2, residuals −1 and 1: se = √(2/1 · 2)/2 = 1, which is s/√n of 1
        // and 3.
        let plain = RatioSums {
            clusters: 2,
            y: 4,
            x: 2,
            yy: 10,
            xx: 2,
            xy: 4,
        };
        assert_eq!(
            plain.estimate().unwrap(),
            Estimate {
                mean: 2.0,
                se: 1.0,
                df: 1.0
            }
        );
        assert_eq!(
            RatioSums {
                clusters: 5,
                ..RatioSums::default()
            }
            .estimate(),
            None
        );
    }
}
