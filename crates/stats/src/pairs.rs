//! How sure is the share of points in pairs of games.

use super::{Interval, Levels, Moments, Sample, Seen};
use std::collections::BTreeMap;

/// The half points of the first player in independent pairs of games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct PairPoints {
    levels: Levels,
    sums: Moments,
}

impl PairPoints {
    /// Pairs by their half points, of which each has at most `most`: 2, or 4 in two-player games.
    ///
    /// # Panics
    /// When a pair has more.
    pub fn new(counts: &BTreeMap<i64, u64>, most: i64) -> Self {
        let mut levels = [0; 5];
        let mut sums = Moments::default();
        for (&half_points, &pairs) in counts {
            assert!((0..=most).contains(&half_points), "{half_points} of {most}");
            levels[half_points as usize] = pairs;
            sums.n += pairs;
            sums.sum += i128::from(half_points) * i128::from(pairs);
            sums.sum_sq += u128::from(half_points.unsigned_abs()).pow(2) * u128::from(pairs);
        }
        Self {
            levels: Levels {
                counts: levels,
                most: most as usize,
            },
            sums,
        }
    }

    /// Won, drawn and lost pairs.
    pub fn results(&self) -> [u64; 3] {
        let half = self.levels.most / 2;
        let sum = |levels: &[u64]| levels.iter().sum();
        let counts = &self.levels.counts;
        [sum(&counts[half + 1..]), counts[half], sum(&counts[..half])]
    }

    /// Half points of a pair that is won outright.
    const fn most(&self) -> f64 {
        self.levels.most as f64
    }

    /// The share of all points; `None` without pairs.
    pub fn mean(&self) -> Option<f64> {
        self.sums.mean().map(|mean| mean / self.most())
    }

    /// The interval of the share: Student's t over the pairs and two more, in the manner of Agresti
    /// and Coull (1998), one like the best of them and one like the worst. If all pairs ended
    /// alike, one is won outright and one lost; without them, the interval would have no width.
    /// `None` without pairs.
    pub fn interval(&self, confidence: f64) -> Option<Interval> {
        let estimate = self.padded().estimate().filter(|_| self.sums.n > 0)?;
        let interval = estimate.interval(confidence);
        Some(interval.scaled(1.0 / self.most()).within(0.0, 1.0))
    }

    /// The half points with those of two pairs more.
    fn padded(&self) -> Moments {
        let mut counts = self.levels.counts.iter();
        let worst = counts.position(|&count| count > 0);
        // The best level, counted from the one after the worst.
        let best = counts.rposition(|&count| count > 0);
        let ends = worst
            .zip(best)
            .map(|(worst, best)| [worst, worst + 1 + best]);
        let [worst, best] = ends.unwrap_or([0, self.levels.most]);
        Moments {
            n: self.sums.n + 2,
            sum: self.sums.sum + (worst + best) as i128,
            sum_sq: self.sums.sum_sq + (worst.pow(2) + best.pow(2)) as u128,
        }
    }

    /// The share for a sequential test, with the variance of [`PairPoints::interval`]; `None`
    /// without pairs.
    pub fn sample(&self) -> Option<Sample> {
        Some(Sample {
            pairs: self.sums.n,
            mean: self.mean()?,
            variance: self.padded().variance()? / (self.most()).powi(2),
            seen: Seen::Levels(self.levels),
        })
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
            let points = PairPoints::new(&(0..).zip(counts).collect(), 4);
            let interval = points.interval(0.95).unwrap();
            assert!((interval.lo - lo).abs() < 1e-9, "{counts:?}: {interval:?}");
            assert!((interval.hi - hi).abs() < 1e-9, "{counts:?}: {interval:?}");
        }
    }
}
