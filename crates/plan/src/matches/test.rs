//! The sequential test of a match.

use super::{DIFFERENCE_AT, HALF_POINTS_AT, Match, half_points_max};
use crate::experiment::Difference;
use tilelab_games::catalog::GameEntry;
use tilelab_games::tally::Tally;
use tilelab_stats::{Interval, Moments, PairPoints, Sample, Seen, Shape, Sprt, StopReason};

/// What decides the pairs of a match of a game, of pairs with this tally: the share of points, or
/// the mean difference; `None` below two.
pub fn decided(game: &GameEntry, matched: Match, tally: &Tally) -> Option<Sample> {
    sample(tally, (!matched.by_measure).then(|| half_points_max(game)))
}

/// The share of points where a pair has at most `most` half points, otherwise the difference.
fn sample(tally: &Tally, most: Option<i64>) -> Option<Sample> {
    if let Some(most) = most {
        let points = PairPoints::new(&tally.measures[HALF_POINTS_AT].counts, most);
        return points.sample();
    }
    let difference = &tally.measures[DIFFERENCE_AT];
    let moments = Moments {
        n: tally.finished(),
        sum: difference.sum,
        sum_sq: difference.sum_sq,
    };
    Some(Sample {
        pairs: moments.n,
        mean: moments.mean()?,
        variance: moments.variance()?,
        seen: Seen::Shape(Shape::of_powers(&moments, difference.powers)),
    })
}

/// How far a sequential test is.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Reached {
    /// Pairs at the last look of the test.
    pub pairs: u64,
    /// The mean that is tested: the share of points, or the mean difference of a pair.
    pub mean: f64,
    /// The logarithm of the likelihood ratio.
    pub log_ratio: f64,
    /// The bounds of the logarithm of the likelihood ratio between which the test goes on.
    pub bounds: [f64; 2],
    /// Pairs after which the test ends if they go on like these.
    pub pairs_expected: u64,
}

/// Tests the share of points of a match that outcomes decide, and the mean difference of a pair of
/// one that a measure decides.
#[derive(Clone, Debug)]
pub struct PairTest {
    test: Sprt,
    /// The most half points of a pair, where points are tested.
    half_points_max: Option<i64>,
}

impl PairTest {
    /// The test of a match in a game, of at most `max_pairs` pairs.
    ///
    /// # Errors
    /// Names the value that is out of range; see [`Sprt::new`]. Shares of points lie between 0 and
    /// 1.
    pub fn new(
        game: &GameEntry,
        matched: Match,
        wanted: Difference,
        max_pairs: u64,
    ) -> Result<Self, String> {
        let Difference {
            lower,
            upper,
            alpha,
            beta,
        } = wanted;
        let is_share = |value: f64| (0.0..=1.0).contains(&value);
        let is_mean = matched.by_measure || is_share(lower) && is_share(upper);
        if !is_mean {
            return Err(format!(
                "lower = {lower}, upper = {upper}: shares of points lie between 0 and 1 (0.5 is as many as the opponent's)"
            ));
        }
        let test = if matched.by_measure {
            Sprt::of_measure
        } else {
            Sprt::new
        };
        Ok(Self {
            test: test(lower, upper, alpha, beta, max_pairs)?,
            half_points_max: (!matched.by_measure).then(|| half_points_max(game)),
        })
    }

    /// The test itself.
    pub const fn sprt(&self) -> &Sprt {
        &self.test
    }

    /// What the test sees of these pairs; `None` below two.
    pub fn sample(&self, tally: &Tally) -> Option<Sample> {
        sample(tally, self.half_points_max)
    }

    /// Whether the match ends at look number `look` (from 0) with these pairs, and how.
    ///
    /// # Panics
    /// When there is no such look.
    pub fn decide(&self, look: usize, tally: &Tally) -> Option<StopReason> {
        let at_end = || (tally.games == self.test.pairs_max()).then_some(StopReason::MaxGames);
        let Some(sample) = self.sample(tally) else {
            return at_end();
        };
        if sample.pairs == tally.games {
            return self.test.decide(look, &sample);
        }
        // Forfeited pairs tell nothing: the test is not further than those that are left.
        let looks = self.test.looks().take_while(|&pairs| pairs <= sample.pairs);
        let before = looks.count().checked_sub(1);
        let reason = before.and_then(|look| self.test.decide(look, &sample));
        reason.or_else(at_end)
    }

    /// How far the test is after these pairs; `None` where it was not looked at then.
    pub fn reached(&self, tally: &Tally) -> Option<Reached> {
        let look = self.test.looks().position(|pairs| pairs == tally.games)?;
        let sample = self.sample(tally).filter(|sample| sample.variance > 0.0)?;
        let (log_ratio, bounds) = self.test.reached(look, &sample);
        Some(Reached {
            pairs: tally.games,
            mean: sample.mean,
            log_ratio,
            bounds,
            pairs_expected: self.test.pairs_expected(&sample),
        })
    }

    /// The median-unbiased estimate of what is tested, with its interval.
    pub fn estimate(&self, tally: &Tally, confidence: f64) -> Option<(f64, Interval)> {
        let (estimate, interval) = self.test.estimate(&self.sample(tally)?, confidence)?;
        if self.half_points_max.is_none() {
            return Some((estimate, interval));
        }
        Some((estimate.clamp(0.0, 1.0), interval.within(0.0, 1.0)))
    }
}
