//! From integer tallies to rates, means, intervals and tests.
//!
//! Everything here is a pure function of counts: no randomness, no state, no files. Each formula
//! names its source in its own documentation. Undefined figures (a mean of no games, a standard
//! error of one game) are `None`, never a made-up number.
//!
//! | file | what it answers |
//! | --- | --- |
//! | `beta` | the incomplete beta function and its inverse, for exact intervals and Student's t |
//! | `rate` | how sure is a win rate |
//! | `standings` | how strong are players that met each other |
//! | `difference` | how much do two win rates differ, and could they be the same |
//! | `fisher` | could two win rates be the same, of independent games and of pairs |
//! | `mean` | how sure is a mean; how much do two means differ |
//! | `sequential` | when may a cell stop that stops at a wanted precision |
//! | `sprt` | is the mean of pairs this or that, with as few pairs as it takes |
//! | `coverage` | how often the interval of a stopped cell contains the rate |
//! | `holm` | which of many differences count, when all are tested at once |
//! | `power` | how many games does a question need; do two rates count as equal |
//! | `pairs` | how sure is the share of points in pairs of games |
//! | `skew` | how sure is a mean of few values of a skew distribution |
//! | `quantile` | how sure is a quantile |
//! | `cluster` | how sure is a rate or a mean over games that come in correlated groups |
//! | `splitting` | how sure is the rate of rare wins, from games that were split |
//! | `curve` | win rates and moves at other operator rates than those that were played |
//! | `summary` | every figure of one row of `cells.csv` |

pub mod beta;
pub mod cluster;
mod coverage;
mod curve;
mod difference;
mod fisher;
mod holm;
pub mod mean;
mod pairs;
pub mod power;
mod quantile;
pub mod rate;
pub mod sequential;
mod skew;
mod splitting;
mod sprt;
mod standings;
mod summary;

pub use cluster::ClusterSums;
pub use curve::{Curve, CurvePoint, Figure, Quantity, RATIO, RATIO_WON, TRUSTED};
pub use difference::{Limits, RateDifference, paired_rate_difference, rate_difference};
pub use fisher::{fisher_mid_p, mcnemar_mid_p};
pub use holm::{fisher_combined, holm};
pub use mean::{Estimate, MeanDifference, Moments, welch};
pub use pairs::PairPoints;
pub use power::{equivalence_p, paired_equivalence_p};
pub use quantile::quantile_ranks;
pub use rate::{RateInterval, clopper_pearson, mid_p, wilson};
pub use sequential::{Rule, StopReason, Units, Wins};
pub use skew::Shape;
pub use splitting::{SplittingSums, WINS_FEW};
pub use sprt::{LOOK_FIRST, LOOKS_AN_OCTAVE, Levels, Sample, Seen, Sprt};
pub use standings::{Lead, Ranged, Standing, Standings, Stratum, elo_of_share};
pub use summary::{LaneSummary, MeasureSummary, SplittingSummary, Summary, WON_MIN};

/// A confidence interval, in the unit of what it bounds.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Interval {
    /// The lower end.
    pub lo: f64,
    /// The upper end.
    pub hi: f64,
}

impl Interval {
    /// The interval of all shares.
    const SHARES: Self = Self { lo: 0.0, hi: 1.0 };

    /// The interval from `middle − reach` to `middle + reach`.
    pub fn around(middle: f64, reach: f64) -> Self {
        Self {
            lo: middle - reach,
            hi: middle + reach,
        }
    }

    /// The part between these ends.
    #[must_use]
    pub fn within(self, least: f64, most: f64) -> Self {
        Self {
            lo: self.lo.clamp(least, most),
            hi: self.hi.clamp(least, most),
        }
    }

    /// The shortest interval that holds both.
    fn spanning(self, other: Self) -> Self {
        Self {
            lo: self.lo.min(other.lo),
            hi: self.hi.max(other.hi),
        }
    }

    /// Half the distance between the ends.
    pub fn half_width(&self) -> f64 {
        (self.hi - self.lo) / 2.0
    }

    /// Whether `value` lies in the interval, ends included.
    pub fn contains(&self, value: f64) -> bool {
        (self.lo..=self.hi).contains(&value)
    }

    /// The interval with both ends multiplied by `factor` (at least 0), as from a share to percent.
    pub fn scaled(&self, factor: f64) -> Self {
        Self {
            lo: self.lo * factor,
            hi: self.hi * factor,
        }
    }
}

/// What a confidence level leaves for the two sides together.
///
/// # Panics
/// When `confidence` is not strictly between 0 and 1.
fn alpha(confidence: f64) -> f64 {
    assert!(
        confidence > 0.0 && confidence < 1.0,
        "a confidence lies strictly between 0 and 1, not {confidence}"
    );
    1.0 - confidence
}

/// The standard normal deviate of a two-sided interval.
fn normal_deviate(confidence: f64) -> f64 {
    normal_upper_quantile(alpha(confidence) / 2.0)
}

/// Student's deviate of a two-sided interval.
fn student_deviate(df: f64, confidence: f64) -> f64 {
    beta::student_upper_quantile(df, alpha(confidence) / 2.0)
}

/// The standard normal deviate that is exceeded with probability `tail` (0 to 1, exclusive).
pub fn normal_upper_quantile(tail: f64) -> f64 {
    std::f64::consts::SQRT_2 * statrs::function::erf::erfc_inv(2.0 * tail)
}

/// The probability that a standard normal deviate is at least `z`.
fn normal_upper_tail(z: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(z / std::f64::consts::SQRT_2)
}

/// The probability that a standard normal deviate is at least as far from 0 as `z`, on either side.
pub fn normal_two_sided_p(z: f64) -> f64 {
    statrs::function::erf::erfc(z.abs() / std::f64::consts::SQRT_2)
}
