//! How sure is the share of points in pairs of games.

use super::{Interval, Levels, Moments, Sample};
use crate::tally::MeasureTally;

/// The half points of the first player in independent pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairPoints {
    sums: Moments,
    /// Half points of a pair that is won outright.
    most: i64,
}

impl PairPoints {
    /// The half points of this many pairs, of which each has at most `most`.
    #[must_use]
    pub const fn new(pairs: u64, half_points: &MeasureTally, most: i64) -> Self {
        Self {
            sums: Moments {
                n: pairs,
                sum: half_points.sum,
                sum_sq: half_points.sum_sq,
            },
            most,
        }
    }

    /// The share of all points; `None` without pairs.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        self.sums.mean().map(|mean| mean / self.most as f64)
    }

    /// Its standard error; `None` below two pairs.
    #[must_use]
    pub fn standard_error(&self) -> Option<f64> {
        self.sums.standard_error().map(|se| se / self.most as f64)
    }

    /// The interval of the share: Student's t over the pairs and one more that is half won outright
    /// and half lost, in the manner of Agresti and Coull (1998). Without it, pairs that all ended
    /// alike would have an interval of no width. `None` without pairs.
    #[must_use]
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        (self.sums.n > 0).then_some(())?;
        let interval = self
            .padded()
            .estimate()?
            .interval(confidence)
            .scaled(1.0 / self.most as f64);
        Some(Interval {
            lo: interval.lo.max(0.0),
            hi: interval.hi.min(1.0),
        })
    }

    /// The half points with those of one pair more.
    fn padded(&self) -> Moments {
        let most = i128::from(self.most);
        Moments {
            n: self.sums.n + 1,
            sum: self.sums.sum + most / 2,
            sum_sq: self.sums.sum_sq + most.unsigned_abs().pow(2) / 2,
        }
    }

    /// The share for a sequential test, with the variance of [`PairPoints::interval`], of pairs of
    /// which these were won and drawn; `None` without pairs.
    #[must_use]
    pub fn sample(&self, wins: u64, draws: u64) -> Option<Sample> {
        Some(Sample {
            pairs: self.sums.n,
            mean: self.mean()?,
            variance: self.padded().variance()? / (self.most as f64).powi(2),
            levels: self.levels(wins, draws),
        })
    }

    /// How often pairs had each number of half points, of which these were won and drawn. The sums
    /// leave nothing open: half points are 0 to 2, or 0 to 4 in games for two.
    fn levels(&self, wins: u64, draws: u64) -> Option<Levels> {
        let losses = self.sums.n.checked_sub(wins.checked_add(draws)?)?;
        if self.most == 2 {
            let counts = [losses, draws, wins, 0, 0];
            return Some(Levels { counts, most: 2 });
        }
        let [won, drawn] = [wins, draws].map(i128::from);
        // Pairs with 1 half point less those with 3, and less 7 times those.
        let less_once = self.sums.sum - 2 * drawn - 4 * won;
        let less_seven = i128::try_from(self.sums.sum_sq).ok()? - 4 * drawn - 16 * won;
        let three = u64::try_from((less_once - less_seven) / 6).ok()?;
        let one = u64::try_from(less_once + i128::from(three)).ok()?;
        let counts = [
            losses.checked_sub(one)?,
            one,
            draws,
            three,
            wins.checked_sub(three)?,
        ];
        Some(Levels { counts, most: 4 })
    }
}
