//! How sure is the share of points in pairs of games.

use super::{Interval, Levels, Moments, Sample};
use tilelab_core::tally::{MeasureTally, Tally};

/// The half points of the first player in independent pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairPoints {
    sums: Moments,
    /// Pairs in which the first player has more points than the other, and as many.
    wins: u64,
    draws: u64,
    /// Half points of a pair that is won outright.
    most: i64,
}

impl PairPoints {
    /// The half points of the pairs of a tally, of which each has at most `most`: 2, or 4 in games
    /// for two. Pairs that both players forfeited have none.
    #[must_use]
    pub fn new(tally: &Tally, half_points: &MeasureTally, most: i64) -> Self {
        Self {
            sums: Moments {
                n: half_points.counts.values().sum(),
                sum: half_points.sum,
                sum_sq: half_points.sum_sq,
            },
            wins: tally.wins,
            draws: tally.draws,
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

    /// The interval of the share: Student's t over the pairs and two more, in the manner of Agresti
    /// and Coull (1998), one like the best of them and one like the worst. If all pairs ended
    /// alike, one is won outright and one lost; without them, the interval would have no width.
    /// `None` without pairs.
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

    /// The half points with those of two pairs more.
    fn padded(&self) -> Moments {
        let ends = self.ends().unwrap_or([0, self.most]).map(i128::from);
        Moments {
            n: self.sums.n + 2,
            sum: self.sums.sum + ends[0] + ends[1],
            sum_sq: self.sums.sum_sq + (ends[0].pow(2) + ends[1].pow(2)).unsigned_abs(),
        }
    }

    /// The half points of the worst and of the best pair; `None` if all pairs ended alike.
    fn ends(&self) -> Option<[i64; 2]> {
        let counts = self.levels()?.counts;
        let worst = counts.iter().position(|&count| count > 0)?;
        let best = counts.iter().rposition(|&count| count > 0)?;
        (worst < best).then_some([worst as i64, best as i64])
    }

    /// The share for a sequential test, with the variance of [`PairPoints::interval`]; `None`
    /// without pairs.
    #[must_use]
    pub fn sample(&self) -> Option<Sample> {
        Some(Sample {
            pairs: self.sums.n,
            mean: self.mean()?,
            variance: self.padded().variance()? / (self.most as f64).powi(2),
            levels: self.levels(),
        })
    }

    /// How often pairs had each number of half points: the sums leave nothing open.
    fn levels(&self) -> Option<Levels> {
        let Self { wins, draws, .. } = *self;
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

#[cfg(test)]
mod tests {
    use super::*;

    /// `scipy.stats.t.interval(0.95, n + 1, mean(v), sem(v))` of the shares `v` of the pairs and of
    /// the two more, cut at 0 and 1.
    #[test]
    fn intervals_match_scipy() {
        for (counts, [lo, hi]) in [
            ([40, 0, 0, 0, 0], [0.0, 0.071_893_832_63]),
            ([0, 10, 30, 0, 0], [0.399_855_820_73, 0.469_191_798_32]),
            ([3, 0, 20, 10, 7], [0.520_865_185_78, 0.693_420_528_51]),
            ([0, 0, 1, 0, 0], [0.0, 1.0]),
        ] {
            let sum = |term: fn(u64) -> u64| {
                let terms = (0..).zip(counts).map(|(level, count)| term(level) * count);
                terms.sum::<u64>()
            };
            let points = PairPoints {
                sums: Moments {
                    n: sum(|_| 1),
                    sum: sum(|level| level).into(),
                    sum_sq: sum(|level| level * level).into(),
                },
                wins: counts[3] + counts[4],
                draws: counts[2],
                most: 4,
            };
            let interval = points.interval(0.95).unwrap();
            assert!((interval.lo - lo).abs() < 1e-9, "{counts:?}: {interval:?}");
            assert!((interval.hi - hi).abs() < 1e-9, "{counts:?}: {interval:?}");
        }
    }
}
