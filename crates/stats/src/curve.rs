//! Win rates and mean moves over a range of operator rates, from games of one rate or a few.
//!
//! A game of 67! in which a operators and b digits appeared has, at the operator rate q, a
//! probability proportional to qᵃ (1 − q)ᵇ, if its player does not look at the rate; nothing else
//! in it depends on q. So N games, n_k of them played at the rate q_k, serve every rate q with the
//! weights
//!
//! w = qᵃ (1 − q)ᵇ / Σ_k (n_k / N) q_kᵃ (1 − q_k)ᵇ,
//!
//! the *balance heuristic*. Source: E. Veach and L. J. Guibas, "Optimally combining sampling
//! techniques for Monte Carlo rendering", SIGGRAPH (1995).
//!
//! # Estimates
//! A mean is μ = Σwx / Σw; at the rate of a single cell it is the plain mean. The slope of the win
//! rate is the derivative of that expression, Σw(s − s̄)(x − μ) / Σw with the *score* s = a/q −
//! b/(1 − q) and its weighted mean s̄. Source: R. Y. Rubinstein and A. Shapiro, *Discrete Event
//! Systems: Sensitivity Analysis and Stochastic Optimization by the Score Function Method* (1993).
//!
//! # Intervals
//! To first order an estimate is a sum over games of their *influences* r, such as w(x − μ) / Σw,
//! so its variance is Σ_k n_k/(n_k − 1) (Σr² − (Σr)²/n_k).
//!
//! The interval of a win rate p with variance v is that of Clopper and Pearson, for weighted wins:
//! with h the largest weight as a share of all, its upper end is the quantile of a beta
//! distribution with mean (p + h)/(1 + h) and first parameter (p + h)² / (v/(1 − p) + h²); the
//! lower end is that of the losses. Equal weights give Clopper's and Pearson's; with rare wins it
//! is the gamma interval of M. P. Fay and E. J. Feuer, "Confidence intervals for directly
//! standardized rates", Statistics in Medicine 16 (1997). It covers where few games are won, and
//! where none is. The other intervals are Hall's (`skew`) with the skewness and kurtosis of
//! influences.
//! Each end is that of a sample with half a game more, of the largest influence on its side: few
//! samples have the games that would move the estimate most.
//!
//! A band covers all points of a curve at once. Its deviate c is the one at which
//! 2(1 − Φ(c)) + κ/π · exp(−c²/2) is what the confidence leaves, where κ, the length of the curve,
//! sums arccos of the correlation of neighbours; or Bonferroni's where that is smaller. Source:
//! J. Sun and C. R. Loader, "Simultaneous confidence bands for linear regression and smoothing",
//! Annals of Statistics 22 (1994), and D. Q. Naiman, same journal 14 (1986).
//!
//! # Where weights fail
//! Far from the rates that were played, a few games have all the weight, or those that would have
//! it were not played at all; estimates and intervals are then worthless. A rate is refused where
//! K = (Σw²)² / Σw⁴ is below [`TRUSTED`], so that the variance of the weights is not known to 14 %,
//! or where the mean weight, which is 1, is more than four standard errors off, or where the games
//! of equal weight are fewer than [`RATIO`] of those of the largest cell: between two far cells,
//! the games that would have the weight were not played. The slope and the moves of won games need
//! [`RATIO_WON`] of them, and [`WON_MIN`] won games. The weights of won games do not enter: a rate
//! that is shown only to samples in which they are even would be shown too high. The variance of
//! weights grows as exp(nδ²/(q(1 − q))) with the n tiles of a game and the distance δ of the rates.

use super::beta::{Side, beta_quantile};
use super::skew::Shape;
use super::summary::WON_MIN;
use super::{Interval, alpha, normal_two_sided_p, normal_upper_quantile};
use tilelab_core::tally::Tally;

/// How many games of equal weight the variance of the weights has to rest on: its relative error is
/// then 14 %.
pub const TRUSTED: f64 = 50.0;
/// The least number of games of equal weight for every figure, as a share of the games of the
/// largest cell.
pub const RATIO: f64 = 0.1;
/// The least for the slope and the moves of won games.
pub const RATIO_WON: f64 = 0.4;
/// Games that each end of an interval adds.
const GAMES_MORE: f64 = 0.5;
/// The most standard errors that the mean weight may be off.
const WEIGHT_ERRORS: f64 = 4.0;

/// What a curve shows.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Quantity {
    /// The win rate, from 0 to 1.
    Won,
    /// The derivative of the win rate by the operator rate; also percentage points per 0.01.
    Slope,
    /// Mean moves.
    Moves,
    /// Mean moves of won games.
    MovesWon,
}

impl Quantity {
    /// All, in the order of [`CurvePoint::figures`].
    pub const ALL: [Self; 4] = [Self::Won, Self::Slope, Self::Moves, Self::MovesWon];
}

/// A figure at one rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Figure {
    /// The estimate.
    pub value: f64,
    /// The standard error of the estimate.
    pub standard_error: f64,
    /// Covers the figure at this rate.
    pub interval: Interval,
    /// Covers the figures at all rates of the curve at once.
    pub band: Interval,
}

/// A point of a curve.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct CurvePoint {
    /// The operator rate.
    pub rate: f64,
    /// (Σw)² / Σw²: as many games with equal weights.
    pub effective_games: f64,
    /// In the order of [`Quantity::ALL`]; `None` where the weights fail.
    pub figures: [Option<Figure>; 4],
}

/// Games alike in all that matters here.
#[derive(Debug)]
struct Alike {
    /// The cell.
    source: usize,
    operators: f64,
    digits: f64,
    moves: f64,
    won: bool,
    games: f64,
    /// The logarithm of the weight's denominator.
    ln_mixture: f64,
}

/// Counted games of cells that differ in their operator rates only.
#[derive(Debug)]
pub struct Curve {
    /// Games of each cell.
    games: Vec<f64>,
    /// Won games of all cells.
    won: f64,
    alike: Vec<Alike>,
}

/// The estimates at a rate.
struct Estimates {
    effective_games: f64,
    /// The largest weight as a share of all.
    heaviest: f64,
    /// In the order of [`Quantity::ALL`].
    of: [Option<Estimated>; 4],
}

/// An estimate with the influence of one game of each kind.
struct Estimated {
    value: f64,
    influences: Vec<f64>,
    variance: f64,
    /// The shape of the distribution of one game's influence.
    shape: Shape,
    /// The least and the largest influence.
    ends: [f64; 2],
}

/// The logarithm of qᵃ (1 − q)ᵇ.
fn ln_likelihood(rate: f64, operators: f64, digits: f64) -> f64 {
    operators * rate.ln() + digits * (-rate).ln_1p()
}

impl Curve {
    /// The games of cells with these operator rates, which are independent of each other.
    ///
    /// # Panics
    /// When a rate does not lie strictly between 0 and 1, or the tiles of a cell were not counted.
    pub fn new(cells: &[(f64, &Tally)]) -> Self {
        let games: Vec<f64> = cells.iter().map(|(_, tally)| tally.games as f64).collect();
        let total: f64 = games.iter().sum();
        let mut alike = Vec::new();
        for (source, (rate, tally)) in cells.iter().enumerate() {
            assert!(*rate > 0.0 && *rate < 1.0 && !tally.counted.is_empty());
            let mut counted: Vec<_> = tally.counted.iter().collect();
            counted.sort_unstable();
            for (&[operators, digits, moves], &[all, wins]) in counted {
                let [operators, digits, moves] = [operators, digits, moves].map(|n| n as f64);
                let terms = cells.iter().zip(&games).map(|((rate, _), games)| {
                    (games / total).ln() + ln_likelihood(*rate, operators, digits)
                });
                let most = terms.clone().fold(f64::NEG_INFINITY, f64::max);
                let ln_mixture = most + terms.map(|term| (term - most).exp()).sum::<f64>().ln();
                for (won, games) in [(true, wins), (false, all - wins)] {
                    if games > 0 {
                        alike.push(Alike {
                            source,
                            operators,
                            digits,
                            moves,
                            won,
                            games: games as f64,
                            ln_mixture,
                        });
                    }
                }
            }
        }
        let won = alike.iter().filter(|alike| alike.won);
        Self {
            games,
            won: won.map(|alike| alike.games).sum(),
            alike,
        }
    }

    /// The points at these rates, in this order, with intervals and bands of this confidence.
    ///
    /// # Panics
    /// When a rate or `confidence` does not lie strictly between 0 and 1.
    pub fn points(&self, rates: &[f64], confidence: f64) -> Vec<CurvePoint> {
        let estimates: Vec<Estimates> = rates.iter().map(|&rate| self.estimates(rate)).collect();
        let joint = [0, 1, 2, 3].map(|at| {
            let shown = estimates.iter().filter_map(|all| all.of[at].as_ref());
            let shown: Vec<&Estimated> = shown.collect();
            let length = shown.windows(2).map(|pair| self.angle(pair[0], pair[1]));
            let deviate = band_deviate(length.sum(), shown.len(), alpha(confidence));
            1.0 - normal_two_sided_p(deviate)
        });
        let point = |(&rate, all): (&f64, &Estimates)| CurvePoint {
            rate,
            effective_games: all.effective_games,
            figures: std::array::from_fn(|at| {
                let estimated = all.of[at].as_ref()?;
                let interval = |confidence| match Quantity::ALL[at] {
                    Quantity::Won => rate_interval(
                        estimated.value,
                        estimated.variance,
                        all.heaviest,
                        confidence,
                    ),
                    Quantity::Slope => self.skew_interval(estimated, confidence),
                    Quantity::Moves | Quantity::MovesWon => self
                        .skew_interval(estimated, confidence)
                        .within(0.0, f64::INFINITY),
                };
                Some(Figure {
                    value: estimated.value,
                    standard_error: estimated.variance.sqrt(),
                    interval: interval(confidence),
                    band: interval(joint[at]),
                })
            }),
        };
        rates.iter().zip(&estimates).map(point).collect()
    }

    fn estimates(&self, rate: f64) -> Estimates {
        assert!(rate > 0.0 && rate < 1.0, "an operator rate of {rate}");
        let weights = self.weights(rate);
        let all = self.moment(&weights, 1);
        let effective_games = all.powi(2) / self.moment(&weights, 2);
        let largest = self.games.iter().copied().fold(0.0, f64::max);
        let is_trusted = self.is_trusted(&weights);
        let of = Quantity::ALL.map(|quantity| {
            let is_of_wins = matches!(quantity, Quantity::Slope | Quantity::MovesWon);
            let needed = if is_of_wins { RATIO_WON } else { RATIO };
            let is_shown = is_trusted
                && effective_games / largest >= needed
                && !(is_of_wins && self.won < WON_MIN);
            let estimated = || self.estimated(quantity, rate, &weights);
            is_shown.then(estimated).flatten()
        });
        Estimates {
            effective_games,
            heaviest: weights.into_iter().fold(0.0, f64::max) / all,
            of,
        }
    }

    /// The weight of a game of each kind.
    fn weights(&self, rate: f64) -> Vec<f64> {
        let weight = |alike: &Alike| {
            (ln_likelihood(rate, alike.operators, alike.digits) - alike.ln_mixture).exp()
        };
        self.alike.iter().map(weight).collect()
    }

    fn total(&self) -> f64 {
        self.games.iter().sum()
    }

    /// A sum of powers over games.
    fn moment(&self, of_each: &[f64], power: i32) -> f64 {
        let terms = self.alike.iter().zip(of_each);
        terms
            .map(|(alike, each)| alike.games * each.powi(power))
            .sum()
    }

    fn is_trusted(&self, weights: &[f64]) -> bool {
        let all = self.total();
        let error = self.covariance(weights, weights).max(0.0).sqrt() / all;
        let off = (self.moment(weights, 1) / all - 1.0).abs();
        let equal = self.moment(weights, 2).powi(2) / self.moment(weights, 4);
        equal >= TRUSTED && off <= WEIGHT_ERRORS * error + 1e-9
    }

    /// The part of a curve's length between two estimates.
    fn angle(&self, a: &Estimated, b: &Estimated) -> f64 {
        let scale = (a.variance * b.variance).sqrt();
        if scale == 0.0 {
            return 0.0;
        }
        let shared = self.covariance(&a.influences, &b.influences);
        (shared / scale).clamp(-1.0, 1.0).acos()
    }

    fn skew_interval(&self, estimated: &Estimated, confidence: f64) -> Interval {
        let games = self.total();
        let with_more = |influence: f64| {
            let value = estimated.value + GAMES_MORE * influence;
            let se = (estimated.variance + GAMES_MORE * influence.powi(2)).sqrt();
            estimated.shape.interval(value, se, games, confidence)
        };
        let [least, most] = estimated.ends;
        Interval {
            lo: with_more(least).lo,
            hi: with_more(most).hi,
        }
    }

    /// The covariance of two sums over games, whose numbers in each cell are given.
    fn covariance(&self, a: &[f64], b: &[f64]) -> f64 {
        let mut sums = vec![[0.0; 3]; self.games.len()];
        for (alike, (a, b)) in self.alike.iter().zip(a.iter().zip(b)) {
            let [products, of_a, of_b] = &mut sums[alike.source];
            *products += alike.games * a * b;
            *of_a += alike.games * a;
            *of_b += alike.games * b;
        }
        let of_cell = |(games, [products, a, b]): (&f64, &[f64; 3])| {
            games / (games - 1.0) * (products - a * b / games)
        };
        self.games.iter().zip(&sums).map(of_cell).sum()
    }

    /// `None` where all games are alike.
    fn estimated(&self, quantity: Quantity, rate: f64, weights: &[f64]) -> Option<Estimated> {
        let is_counted = |alike: &Alike| quantity != Quantity::MovesWon || alike.won;
        let value = |alike: &Alike| match quantity {
            Quantity::Won | Quantity::Slope => f64::from(alike.won),
            Quantity::Moves | Quantity::MovesWon => alike.moves,
        };
        let counted: Vec<f64> = self
            .alike
            .iter()
            .zip(weights)
            .map(|(alike, weight)| if is_counted(alike) { *weight } else { 0.0 })
            .collect();
        let whole = self.moment(&counted, 1);
        let mean = |of: &[f64]| {
            let terms = self.alike.iter().zip(&counted).zip(of);
            terms
                .map(|((alike, weight), each)| alike.games * weight * each)
                .sum::<f64>()
                / whole
        };
        let mut values: Vec<f64> = self.alike.iter().map(value).collect();
        let mut estimate = mean(&values);
        if quantity == Quantity::Slope {
            let score = |alike: &Alike| alike.operators / rate - alike.digits / (1.0 - rate);
            let scores: Vec<f64> = self.alike.iter().map(score).collect();
            let middle = mean(&scores);
            for (value, score) in values.iter_mut().zip(scores) {
                *value = (score - middle) * (*value - estimate);
            }
            estimate = mean(&values);
        }
        let terms = counted.iter().zip(&values);
        let influence = |(weight, value): (&f64, &f64)| weight * (value - estimate) / whole;
        let influences: Vec<f64> = terms.map(influence).collect();
        let variance = self.covariance(&influences, &influences);
        let games = self.total();
        let moment = |power| self.moment(&influences, power) / games;
        let shape = Shape {
            skewness: moment(3) / moment(2).powf(1.5),
            kurtosis: moment(4) / moment(2).powi(2),
        };
        let ends = influences.iter().fold([0.0_f64; 2], |[least, most], each| {
            [least.min(*each), most.max(*each)]
        });
        // A win rate without wins is shown.
        (variance > 0.0 || quantity == Quantity::Won).then_some(Estimated {
            value: estimate,
            influences,
            variance,
            shape,
            ends,
        })
    }
}

/// The interval of a win rate with this variance; `heaviest` is the largest share of a game in all
/// weights.
fn rate_interval(rate: f64, variance: f64, heaviest: f64, confidence: f64) -> Interval {
    let tail = alpha(confidence) / 2.0;
    // The upper end of a share, and what it leaves.
    let upper = |share: f64, rest: f64| {
        if rest <= 0.0 {
            return (1.0, 0.0);
        }
        let more = share + heaviest;
        let a = more.powi(2) / (variance / rest + heaviest.powi(2));
        beta_quantile(a, a * rest / more, Side::Upper, tail)
    };
    Interval {
        lo: upper(1.0 - rate, rate).1,
        hi: upper(rate, 1.0 - rate).0,
    }
}

/// The deviate of a band over `points` points of a curve of length `length`.
fn band_deviate(length: f64, points: usize, alpha: f64) -> f64 {
    let bonferroni = normal_upper_quantile(alpha / 2.0 / points.max(1) as f64);
    let exceeds = |deviate: f64| {
        let tube = length / std::f64::consts::PI * (-deviate * deviate / 2.0).exp();
        normal_two_sided_p(deviate) + tube > alpha
    };
    let inside = normal_upper_quantile(alpha / 2.0);
    if points < 2 || exceeds(bonferroni) {
        return bonferroni;
    }
    super::rate::boundary(inside, bonferroni, exceeds)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::clopper_pearson;
    use tilelab_core::tally::{GameResult, Outcome};

    /// Games of `tiles` tiles, as often as a rate lets each number of operators come; won where all
    /// but `lacking` are operators.
    fn tally(tiles: u64, lacking: u64, rate: f64, games: f64) -> Tally {
        let mut tally = Tally::new(&[]);
        let mut ln_chance = tiles as f64 * (-rate).ln_1p();
        for operators in 0..=tiles {
            let result = if tiles - operators <= lacking {
                GameResult::Won
            } else {
                GameResult::Lost
            };
            let outcome = Outcome {
                spawned: Some([operators, tiles - operators]),
                ..Outcome::new(result, operators)
            };
            (0..(games * ln_chance.exp()).round() as u64).for_each(|_| tally.add(&outcome));
            let more = (tiles - operators) as f64 / (operators + 1) as f64;
            ln_chance += (more * rate / (1.0 - rate)).ln();
        }
        tally
    }

    /// One of two tiles is an operator with probability 2q − q².
    #[test]
    fn expected_counts_give_the_polynomial() {
        let low = tally(2, 1, 0.25, 1600.0);
        let high = tally(2, 1, 0.5, 4000.0);
        for cells in [vec![(0.5, &high)], vec![(0.25, &low), (0.5, &high)]] {
            for point in Curve::new(&cells).points(&[0.3, 0.5, 0.6], 0.95) {
                let rate = point.rate;
                let truth = [
                    2.0 * rate - rate * rate,
                    2.0 - 2.0 * rate,
                    2.0 * rate,
                    2.0 / (2.0 - rate),
                ];
                for (figure, truth) in point.figures.iter().flatten().zip(truth) {
                    assert!((figure.value - truth).abs() < 1e-12, "{rate}: {figure:?}");
                }
                assert!(point.figures.iter().all(Option::is_some), "{point:?}");
            }
        }
    }

    #[test]
    fn the_rate_that_was_played_has_the_plain_interval() {
        let tally = tally(2, 0, 0.5, 4000.0);
        let [point] = Curve::new(&[(0.5, &tally)]).points(&[0.5], 0.95)[..] else {
            panic!("one point")
        };
        let won = point.figures[0].unwrap();
        let exact = clopper_pearson(1000, 4000, 0.95);
        assert!((won.interval.lo - exact.lo).abs() < 1e-5, "{won:?}");
        assert!((won.interval.hi - exact.hi).abs() < 1e-5, "{won:?}");
        assert!((won.band.hi - won.interval.hi).abs() < 1e-9, "one point");
        assert!((point.effective_games - 4000.0).abs() < 1e-6);
    }

    /// Won games of no move but for one: the ends with half a game more reach below 0.
    #[test]
    fn moves_are_never_negative() {
        let mut tally = Tally::new(&[]);
        for game in 0..1_000 {
            let outcome = Outcome {
                spawned: Some([game % 3, 2]),
                ..Outcome::new(
                    if game % 50 == 0 {
                        GameResult::Won
                    } else {
                        GameResult::Lost
                    },
                    if game == 0 { 500 } else { 0 },
                )
            };
            tally.add(&outcome);
        }
        let curve = Curve::new(&[(0.5, &tally)]);
        for point in curve.points(&[0.5], 0.95) {
            for figure in [point.figures[2].unwrap(), point.figures[3].unwrap()] {
                assert!(figure.value < 2.0 * figure.standard_error, "{figure:?}");
                assert_eq!((figure.interval.lo, figure.band.lo), (0.0, 0.0));
            }
        }
    }

    /// With 2,000 tiles a game, the variance of weights is e² at a distance of about 0.016.
    #[test]
    fn long_games_serve_only_near_rates() {
        let tally = tally(2000, 1000, 0.5, 20_000.0);
        let rates = [0.45, 0.49, 0.495, 0.5, 0.505, 0.51, 0.55];
        let points = Curve::new(&[(0.5, &tally)]).points(&rates, 0.95);
        let shown = points.iter().map(|point| point.figures[0].is_some());
        let shown: Vec<bool> = shown.collect();
        assert_eq!(shown, [false, true, true, true, true, true, false]);
    }

    /// Between two far cells, the games that would have the weight were not played; the slope and
    /// the moves of won games end before the win rate does, wherever the won games lie.
    #[test]
    fn figures_end_where_few_games_have_the_weight() {
        let [low, high] = [0.2, 0.8].map(|rate| tally(24, 18, rate, 20_000.0));
        let rates = [0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8];
        let points = Curve::new(&[(0.2, &low), (0.8, &high)]).points(&rates, 0.95);
        let shown = |points: &[CurvePoint], at: usize| -> Vec<bool> {
            points
                .iter()
                .map(|point| point.figures[at].is_some())
                .collect()
        };
        for at in [0, 2] {
            let expected = [true, true, false, false, false, true, true];
            assert_eq!(shown(&points, at), expected, "{points:?}");
        }
        let one = tally(24, 14, 0.5, 20_000.0);
        let rates = [0.3, 0.36, 0.42, 0.5, 0.58, 0.64, 0.7];
        let points = Curve::new(&[(0.5, &one)]).points(&rates, 0.95);
        assert_eq!(
            shown(&points, 0),
            [false, true, true, true, true, true, false]
        );
        for at in [1, 3] {
            let expected = [false, false, true, true, true, false, false];
            assert_eq!(shown(&points, at), expected, "{points:?}");
        }
    }

    #[test]
    fn bands_lie_between_a_point_and_bonferroni() {
        let pointwise = normal_upper_quantile(0.025);
        let many = normal_upper_quantile(0.025 / 50.0);
        assert_eq!(band_deviate(0.0, 1, 0.05), pointwise);
        assert_eq!(band_deviate(100.0, 50, 0.05), many);
        let narrow = band_deviate(1.0, 50, 0.05);
        assert!(pointwise < narrow && narrow < many, "{narrow}");
        // 2(1 − Φ(c)) + e^(−c²/2)/π = 0.05 (scipy 1.17).
        assert!((narrow - 2.248_12).abs() < 1e-4, "{narrow}");
    }
}
