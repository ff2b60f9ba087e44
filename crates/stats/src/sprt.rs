//! A sequential test of a mean: is it `lower` or less, or `upper` or more, with as few pairs as
//! that takes.
//!
//! The unknown distribution of a pair is estimated under each of both means, and the ratio of the
//! likelihoods decides: the generalized sequential probability ratio test (M. Van den Bergh, "The
//! generalized sequential probability ratio test for the Elo rating", 2016, as used by Fishtest).
//! Since pairs are what is independent, a pair of two games counts with its sum, which is
//! Fishtest's "pentanomial" form. Where pairs have points, the share of each number of points is
//! that of maximum likelihood under the mean (A. Owen, "Empirical Likelihood", 2001, section 2.9):
//! the error of a test that takes a normal distribution instead was up to 9 % of 5 % for strong
//! players, whose points are skew. One pair is added whose mean is the middle of both means, since
//! results that did not occur yet would count as impossible: if most pairs are drawn, 6.2 % of the
//! tests were wrong without it. Wald's bounds are ln((1 − β)/α) and ln(β/(1 − α)).
//!
//! A measure may be skew. The logarithm of its ratio is (z(lower)² − z(upper)²)/2, where z(μ) is
//! the normal deviate of the Studentized distance from the mean to μ: Hall's transformation with as
//! many degrees of freedom as the variance has (`skew`). A normal ratio decides wrongly in 9 % of
//! the tests that may do so in 5 % at a skewness of 1.5, and in 17 % at 4, since large values that
//! did not occur yet count as impossible. So the first look is at 256 pairs, and bounds move
//! inwards by 0.8 of the overshoot; large differences take 256 pairs where 64 would do. At most
//! 5.3 % are wrong then, up to a skewness of 4 and where 2 % of the differences are rare and large;
//! of what fewer than 2 % of the pairs show, 256 pairs may show nothing.
//!
//! Wald's bounds hold for a look after every pair. Looks are at 64, 80, 96, 112, 128, 160, … pairs
//! (four an octave), so the ratio jumps beyond a bound, and errors would be 2.9 % where 5 % are
//! allowed. So each bound is moved inwards by 0.583 standard deviations of the last step, its mean
//! overshoot (D. Siegmund, "Sequential Analysis", 1985, chapter 10; J. Whitehead and I. Stratton,
//! Biometrics 39, 1983). This saves a fifth of the pairs.
//!
//! The mean of a test that has stopped is biased. Its estimate and interval order outcomes by their
//! mean (as [`super::Rule::median_unbiased`] does by their share of wins): the true mean for which
//! a mean as large as the one found has probability ½, and those for which it has that of each
//! tail. The probabilities are those of normal steps with the variance found, by the recursion of
//! Armitage, McPherson and Rowe (1969).

use super::rate::boundary;
use super::sequential::schedule;
use super::skew::Shape;
use super::{Interval, StopReason, alpha, normal_upper_tail};
use std::f64::consts::PI;

/// The first look, in pairs.
pub const LOOK_FIRST: u64 = 64;
/// Looks in an octave.
pub const LOOKS_AN_OCTAVE: u64 = 4;
/// The mean overshoot of a step in its standard deviations: −ζ(½)/√(2π).
const OVERSHOOT: f64 = 0.582_6;
/// The first look of a test of a measure, in pairs.
const MEASURE_FIRST: u64 = 256;
/// By how much of the overshoot the bounds of a test of a measure move.
const MEASURE_OVERSHOOT: f64 = 0.8 * OVERSHOOT;
/// The most standard deviations from a mean at which the recursion has points.
const REACH: f64 = 7.0;
/// The most standard errors between the mean of a sample and a true mean that is looked for.
const FARTHEST: f64 = 6.0;
/// Intervals of Simpson's rule at each look; an even number.
const STEPS: usize = 96;
/// Tests that go on with less probability than this are left out.
const NEGLIGIBLE: f64 = 1e-9;

/// The mean of some pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Sample {
    /// How many pairs.
    pub pairs: u64,
    /// The mean of the pairs.
    pub mean: f64,
    /// The variance of a pair.
    pub variance: f64,
    /// What else is known of the pairs.
    pub seen: Seen,
}

/// The distribution of pairs.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Seen {
    /// How often pairs had each number of half points, where pairs have points.
    Levels(Levels),
    /// The shape of the distribution, where pairs have a measure; `None` where it is not known,
    /// which decides nothing.
    Shape(Option<Shape>),
}

impl Sample {
    /// The standard error of the mean.
    fn se(&self) -> f64 {
        (self.variance / self.pairs as f64).sqrt()
    }
}

/// How often pairs had each number of half points.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Levels {
    /// The pairs with 0, 1, … half points; those above `most` are not looked at.
    pub counts: [u64; 5],
    /// The most half points of a pair, at most 4.
    pub most: usize,
}

/// The nearest to 0 and 1 that a mean of points is taken to be.
const NEAREST: f64 = 1e-6;

impl Levels {
    /// The logarithm of the largest likelihood of the levels if the mean share of points is `mean`,
    /// but for a constant. One pair is added at the ends, in the ratio in which its mean is
    /// `middle`.
    fn log_likelihood(&self, mean: f64, middle: f64) -> f64 {
        let mean = mean.clamp(NEAREST, 1.0 - NEAREST);
        let levels = (0..=self.most).map(|level| {
            let added = match level {
                0 => 1.0 - middle,
                level if level == self.most => middle,
                _ => 0.0,
            };
            let count = self.counts[level] as f64 + added;
            (count, level as f64 / self.most as f64 - mean)
        });
        // The multiplier for which the shares, count / (1 + multiplier · deviation), have the mean.
        let is_below = |multiplier: f64| {
            let terms = levels
                .clone()
                .map(|(count, deviation)| count * deviation / (1.0 + multiplier * deviation));
            terms.sum::<f64>() > 0.0
        };
        let multiplier = boundary(-1.0 / (1.0 - mean), 1.0 / mean, is_below);
        -levels
            .map(|(count, deviation)| count * (multiplier * deviation).ln_1p())
            .sum::<f64>()
    }
}

/// A sequential test.
#[derive(Clone, Debug, PartialEq)]
pub struct Sprt {
    lower: f64,
    upper: f64,
    /// The logarithms of the likelihood ratios that decide for `lower` and for `upper`.
    bounds: [f64; 2],
    /// By how many standard deviations of a step the bounds move inwards.
    overshoot: f64,
    looks: Vec<u64>,
}

/// The sums at one look, each the mean less the middle of the test, times the pairs, for which the
/// test goes on; with their weighted densities for a reference mean.
struct Open {
    points: Vec<f64>,
    weights: Vec<f64>,
}

impl Sprt {
    /// The test that decides for `upper` with probability `alpha` if the mean is `lower`, and for
    /// `lower` with probability `beta` if it is `upper`; it ends undecided after `max_pairs`.
    ///
    /// # Errors
    /// Names the value that is out of range: `lower` must be below `upper`, `alpha` and `beta` lie
    /// strictly between 0 and 0.5, and `max_pairs` be at least 1.
    pub fn new(
        lower: f64,
        upper: f64,
        alpha: f64,
        beta: f64,
        max_pairs: u64,
    ) -> Result<Self, String> {
        if !(lower < upper && (upper - lower).is_finite()) {
            return Err(format!(
                "lower = {lower}, upper = {upper}: lower must be less than upper"
            ));
        }
        for (name, value) in [("alpha", alpha), ("beta", beta)] {
            if !(value > 0.0 && value < 0.5) {
                return Err(format!("{name} = {value}: must lie between 0 and 0.5"));
            }
        }
        if max_pairs == 0 {
            return Err("max_games = 0: must be at least 1".into());
        }
        let looks = schedule(LOOK_FIRST, LOOKS_AN_OCTAVE, max_pairs);
        let bounds = [(beta / (1.0 - alpha)).ln(), ((1.0 - beta) / alpha).ln()];
        Ok(Self {
            lower,
            upper,
            bounds,
            overshoot: OVERSHOOT,
            looks,
        })
    }

    /// The test of the mean of a measure, which may be skew: as [`Sprt::new`], with its first look
    /// at 256 pairs.
    ///
    /// # Errors
    /// As [`Sprt::new`].
    pub fn of_measure(
        lower: f64,
        upper: f64,
        alpha: f64,
        beta: f64,
        max_pairs: u64,
    ) -> Result<Self, String> {
        let mut test = Self::new(lower, upper, alpha, beta, max_pairs)?;
        test.looks
            .retain(|&pairs| pairs >= MEASURE_FIRST || pairs == max_pairs);
        test.overshoot = MEASURE_OVERSHOOT;
        Ok(test)
    }

    /// The numbers of pairs after which the test is looked at, ascending; it ends at the last.
    pub fn looks(&self) -> impl ExactSizeIterator<Item = u64> + '_ {
        self.looks.iter().copied()
    }

    /// The most pairs the test can take.
    pub fn pairs_max(&self) -> u64 {
        *self.looks.last().expect("a test has at least one look")
    }

    /// The logarithm of the likelihood ratio of `upper` against `lower`, of `pairs` pairs like
    /// those of the sample.
    fn log_ratio(&self, sample: &Sample, pairs: f64) -> f64 {
        match &sample.seen {
            Seen::Levels(levels) => {
                let of = |mean| levels.log_likelihood(mean, self.middle());
                pairs / sample.pairs as f64 * (of(self.upper) - of(self.lower))
            }
            Seen::Shape(None) => 0.0,
            Seen::Shape(Some(shape)) => {
                let se = (sample.variance / pairs).sqrt();
                let squared = |mean| shape.deviate((sample.mean - mean) / se, pairs).powi(2);
                0.5 * (squared(self.lower) - squared(self.upper))
            }
        }
    }

    /// The variance of a pair about the middle. That about the mean of the sample is small by
    /// chance where the mean lies far out, and a test with it stops too soon.
    fn about_the_middle(&self, sample: &Sample) -> f64 {
        sample.variance + (sample.mean - self.middle()).powi(2)
    }

    fn middle(&self) -> f64 {
        f64::midpoint(self.lower, self.upper)
    }

    /// The pairs of the look before this one.
    fn before(&self, look: usize) -> u64 {
        look.checked_sub(1).map_or(0, |look| self.looks[look])
    }

    /// The sums between which the test goes on at look number `look`.
    fn open(&self, look: usize, sample: &Sample) -> [f64; 2] {
        let variance = self.about_the_middle(sample);
        let scale = variance / (self.upper - self.lower);
        let step = (self.looks[look] - self.before(look)) as f64;
        let overshoot = self.overshoot * (step * variance).sqrt();
        let [lo, hi] = self.bounds.map(|bound| bound * scale);
        let lo = lo + overshoot;
        let hi = hi - overshoot;
        if lo < hi {
            return [lo, hi];
        }
        // So great a step decides by the nearer bound.
        let cut = f64::midpoint(lo, hi);
        [cut, cut]
    }

    /// The logarithm of the likelihood ratio at look number `look` (from 0), and the bounds between
    /// which the test goes on there.
    ///
    /// # Panics
    /// When there is no such look.
    pub fn reached(&self, look: usize, sample: &Sample) -> (f64, [f64; 2]) {
        let each = (self.upper - self.lower) / self.about_the_middle(sample);
        let bounds = self.open(look, sample).map(|sum| sum * each);
        // Callers who ask what comes of a sample may name a look with more pairs than it has.
        (self.log_ratio(sample, self.looks[look] as f64), bounds)
    }

    /// Whether the test ends at look number `look` (from 0), and how. Pairs that are all alike
    /// decide nothing.
    ///
    /// # Panics
    /// When there is no such look.
    pub fn decide(&self, look: usize, sample: &Sample) -> Option<StopReason> {
        let (ratio, [lo, hi]) = self.reached(look, sample);
        if sample.variance > 0.0 && ratio >= hi {
            Some(StopReason::Upper)
        } else if sample.variance > 0.0 && ratio <= lo {
            Some(StopReason::Lower)
        } else {
            (look + 1 == self.looks.len()).then_some(StopReason::MaxGames)
        }
    }

    /// The pairs after which the test ends if they all go on like these.
    pub fn pairs_expected(&self, sample: &Sample) -> u64 {
        let mut looks = self.looks.iter().enumerate();
        let stops = looks.find(|(look, _)| self.decide(*look, sample).is_some());
        stops.map_or(self.pairs_max(), |(_, &pairs)| pairs)
    }

    /// The median-unbiased estimate of the mean after a test that ended with this sample, and its
    /// interval, in the unit of the mean. Pairs that are all alike have none.
    pub fn estimate(&self, sample: &Sample, confidence: f64) -> Option<(f64, Interval)> {
        if !(sample.variance > 0.0 && sample.pairs > 0) {
            return None;
        }
        let opens = self.recursion(sample);
        let tail = alpha(confidence) / 2.0;
        let se = sample.se();
        let solved = |probability: f64| {
            let mut lo = -FARTHEST;
            let mut hi = FARTHEST;
            for _ in 0..26 {
                let middle = f64::midpoint(lo, hi);
                if self.above(&opens, sample, sample.mean + middle * se) < probability {
                    lo = middle;
                } else {
                    hi = middle;
                }
            }
            // To five decimals, so that it does not depend on the last digits of a computation.
            sample.mean + (lo * 1e5).round() / 1e5 * se
        };
        let interval = Interval {
            lo: solved(tail),
            hi: solved(1.0 - tail),
        };
        Some((solved(0.5), interval))
    }

    /// The reference mean less the middle: of those that are looked for, the one with which the
    /// test goes on longest, so that what is left out is negligible for the others too.
    fn reference(&self, sample: &Sample) -> f64 {
        let drift = sample.mean - self.middle();
        let reach = FARTHEST * sample.se();
        drift - drift.clamp(-reach, reach)
    }

    /// Where the test goes on after each look but the last, until it hardly does.
    fn recursion(&self, sample: &Sample) -> Vec<Open> {
        let drift = self.reference(sample);
        let farthest = FARTHEST * sample.se();
        let mut opens: Vec<Open> = Vec::new();
        for (look, &pairs) in self.looks[..self.looks.len() - 1].iter().enumerate() {
            let center = pairs as f64 * (sample.mean - self.middle());
            let spread = (pairs as f64 * sample.variance).sqrt();
            let reach = pairs as f64 * farthest + REACH * spread;
            let [lo, hi] = self.open(look, sample);
            let lo = lo.max(center - reach);
            let hi = hi.min(center + reach);
            if lo >= hi {
                break;
            }
            let width = (hi - lo) / STEPS as f64;
            let points: Vec<f64> = (0..=STEPS).map(|at| lo + width * at as f64).collect();
            let step = (pairs - self.before(look)) as f64;
            let deviation = (step * sample.variance).sqrt();
            let density = |x: f64| {
                let deviates = (x - step * drift) / deviation;
                (-0.5 * deviates.powi(2)).exp() / deviation
            };
            let simpson = |at: usize| match at {
                0 | STEPS => 1.0,
                at if at % 2 == 1 => 4.0,
                _ => 2.0,
            };
            let weights: Vec<f64> = points
                .iter()
                .enumerate()
                .map(|(at, &x)| {
                    let reached: f64 = match opens.last() {
                        None => density(x),
                        Some(before) => {
                            let from = before.points.iter().zip(&before.weights);
                            from.map(|(y, weight)| weight * density(x - y)).sum()
                        }
                    };
                    reached / (2.0 * PI).sqrt() * simpson(at) * width / 3.0
                })
                .collect();
            let goes_on: f64 = weights.iter().sum();
            opens.push(Open { points, weights });
            if goes_on < NEGLIGIBLE {
                break;
            }
        }
        opens
    }

    /// The probability that a test ends with a mean above that of the sample if the true mean is
    /// `truth`.
    fn above(&self, opens: &[Open], sample: &Sample, truth: f64) -> f64 {
        let variance = sample.variance;
        let drift = truth - self.middle();
        let reference = self.reference(sample);
        let mut total = 0.0;
        for (look, &pairs) in self.looks.iter().take(opens.len() + 1).enumerate() {
            let before = self.before(look);
            let step = (pairs - before) as f64;
            let deviation = (step * variance).sqrt();
            let wanted = pairs as f64 * (sample.mean - self.middle());
            let is_last = look + 1 == self.looks.len();
            let [lo, hi] = self.open(look, sample);
            // The probability of a sum above `wanted` at which the test ends.
            let ends = |y: f64| {
                let tail = |x: f64| normal_upper_tail((x - y - step * drift) / deviation);
                if is_last || wanted >= hi {
                    tail(wanted)
                } else {
                    tail(hi) + (tail(wanted) - tail(lo)).max(0.0)
                }
            };
            total += match look.checked_sub(1).map(|look| &opens[look]) {
                None => ends(0.0),
                // Densities for the true mean are those for the reference times a likelihood ratio.
                Some(open) => {
                    let shift = 0.5 * (drift * drift - reference * reference) * before as f64;
                    let from = open.points.iter().zip(&open.weights);
                    from.map(|(y, weight)| {
                        weight * (((drift - reference) * y - shift) / variance).exp() * ends(*y)
                    })
                    .sum()
                }
            };
        }
        total
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Moments;
    use crate::normal_upper_quantile;
    use rand_xoshiro::Xoshiro256PlusPlus;
    use rand_xoshiro::rand_core::{Rng, SeedableRng};

    /// Nothing about the shape speaks against a normal distribution.
    const fn normal() -> Seen {
        Seen::Shape(Some(Shape {
            skewness: 0.0,
            kurtosis: 3.0,
        }))
    }

    /// A skew measure of a pair with the standard deviation 1.
    #[derive(Clone, Copy, Debug)]
    enum Skew {
        /// A sum of exponential numbers with the skewness 2/√k.
        Gamma(u32),
        /// An exponential number in a fifth of the pairs, otherwise 0: skewness 4.1.
        Mixture,
        /// Noise, and rare large values in 2 % of the pairs.
        Rare,
    }

    impl Skew {
        /// A value in thousandths, since measures are whole numbers.
        fn draw(self, stream: &mut Xoshiro256PlusPlus) -> i64 {
            let mut uniform = || ((stream.next_u64() >> 11) + 1) as f64 / (1_u64 << 53) as f64;
            let value = match self {
                Self::Gamma(k) => {
                    let sum: f64 = (0..k).map(|_| -uniform().ln()).sum();
                    (sum - f64::from(k)) / f64::from(k).sqrt()
                }
                // The mean is 1/5, the variance 9/25.
                Self::Mixture => {
                    let hit = uniform() < 0.2;
                    let value = if hit { -uniform().ln() } else { 0.0 };
                    (value - 0.2) / 0.6
                }
                Self::Rare => {
                    let hit = if uniform() < 0.02 { 50.0 } else { 0.0 };
                    let noise = (-2.0 * uniform().ln()).sqrt() * (2.0 * PI * uniform()).cos();
                    (noise + hit - 1.0) / 50.0_f64.sqrt()
                }
            };
            (1_000.0 * value).round() as i64
        }

        /// How a test ends and after how many pairs, where the mean is the lower one or the upper.
        fn test(
            self,
            test: &Sprt,
            shift: i64,
            stream: &mut Xoshiro256PlusPlus,
        ) -> (StopReason, u64) {
            let mut moments = Moments::default();
            let mut powers = tilelab_core::tally::Powers::default();
            for (look, end) in test.looks().enumerate() {
                while moments.n < end {
                    let value = self.draw(stream) + shift;
                    moments.n += 1;
                    moments.sum += i128::from(value);
                    moments.sum_sq += u128::from(value.unsigned_abs()).pow(2);
                    powers.cubed += i128::from(value).pow(3);
                    powers.fourth += u128::from(value.unsigned_abs()).pow(4);
                }
                let sample = Sample {
                    pairs: moments.n,
                    mean: moments.mean().unwrap(),
                    variance: moments.variance().unwrap(),
                    seen: Seen::Shape(Shape::of_powers(&moments, powers)),
                };
                if let Some(reason) = test.decide(look, &sample) {
                    return (reason, moments.n);
                }
            }
            unreachable!("the last look ends the test")
        }
    }

    /// Errors of tests of skew measures; a normal likelihood ratio decides wrongly in up to 35 % of
    /// the tests. The table of docs/statistics.md: `TILELAB_SPRT_TESTS=12000 cargo test -p
    /// tilelab-stats --lib -- --nocapture skew_measures_keep_their_errors`.
    #[test]
    fn skew_measures_keep_their_errors() {
        let tests: u32 = std::env::var("TILELAB_SPRT_TESTS")
            .ok()
            .map_or(800, |text| text.parse().expect("a number of tests"));
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        println!(
            "| measure | distance | wrong %, mean low | wrong %, mean high | pairs | pairs, mean high |\n\
             | --- | ---: | ---: | ---: | ---: | ---: |"
        );
        for (name, measure) in [
            ("skewness 0.2", Skew::Gamma(100)),
            ("skewness 1.4", Skew::Gamma(2)),
            ("skewness 2", Skew::Gamma(1)),
            ("skewness 4.1", Skew::Mixture),
            ("2 % rare and large, 6.6", Skew::Rare),
        ] {
            for distance in [100, 200] {
                let test = Sprt::of_measure(0.0, f64::from(distance), 0.05, 0.05, 1 << 20).unwrap();
                let mut wrong = [0.0; 2];
                let mut pairs = [0.0; 2];
                for (at, (shift, error)) in [(0, StopReason::Upper), (distance, StopReason::Lower)]
                    .into_iter()
                    .enumerate()
                {
                    for _ in 0..tests {
                        let (reason, n) = measure.test(&test, shift.into(), &mut stream);
                        wrong[at] += f64::from(u8::from(reason == error)) / f64::from(tests);
                        pairs[at] += n as f64 / f64::from(tests);
                    }
                }
                println!(
                    "| {name} | {} | {:.2} | {:.2} | {:.0} | {:.0} |",
                    f64::from(distance) / 1_000.0,
                    100.0 * wrong[0],
                    100.0 * wrong[1],
                    pairs[0],
                    pairs[1]
                );
                let most = 0.055 + 3.0 * (0.05 * 0.95 / f64::from(tests)).sqrt();
                assert!(
                    wrong.iter().all(|wrong| *wrong < most),
                    "{measure:?}: {wrong:?}"
                );
            }
        }
    }

    /// A measure whose fourth powers have more than 128 bits decides nothing.
    #[test]
    fn an_unknown_shape_decides_nothing() {
        let test = Sprt::of_measure(0.0, 1.0, 0.05, 0.05, 1_000).unwrap();
        assert_eq!(test.looks().next(), Some(256));
        let sample = Sample {
            pairs: 256,
            mean: 5.0,
            variance: 1.0,
            seen: Seen::Shape(None),
        };
        assert_eq!(test.decide(0, &sample), None);
        let looks = test.looks().count();
        assert_eq!(test.decide(looks - 1, &sample), Some(StopReason::MaxGames));
    }

    /// Five outcomes of a pair in quarters of its points, drawn with these weights of 64.
    struct Pairs([u64; 5]);

    impl Pairs {
        fn mean(&self) -> f64 {
            let points = (0..5).zip(self.0).map(|(points, weight)| points * weight);
            points.sum::<u64>() as f64 / 4.0 / 64.0
        }

        fn variance(&self) -> f64 {
            let squares = (0..5)
                .zip(self.0)
                .map(|(points, weight)| points * points * weight);
            squares.sum::<u64>() as f64 / 16.0 / 64.0 - self.mean().powi(2)
        }

        /// How a test ends, and its sample.
        fn test(&self, test: &Sprt, stream: &mut Xoshiro256PlusPlus) -> (StopReason, Sample) {
            let mut sums = [0_u64; 2];
            let mut counts = [0; 5];
            let mut pairs = 0;
            for (look, end) in test.looks().enumerate() {
                while pairs < end {
                    let mut drawn = stream.next_u64() >> 58;
                    let mut points = 0;
                    while drawn >= self.0[points] {
                        drawn -= self.0[points];
                        points += 1;
                    }
                    counts[points] += 1;
                    sums[0] += points as u64;
                    sums[1] += (points * points) as u64;
                    pairs += 1;
                }
                let n = pairs as f64;
                let mean = sums[0] as f64 / n;
                let variance = (sums[1] as f64 - n * mean * mean) / (n - 1.0);
                let sample = Sample {
                    pairs,
                    mean: mean / 4.0,
                    variance: variance / 16.0,
                    seen: Seen::Levels(Levels { counts, most: 4 }),
                };
                if let Some(reason) = test.decide(look, &sample) {
                    return (reason, sample);
                }
            }
            unreachable!("the last look ends the test")
        }
    }

    /// Errors at both ends, pairs beside the fixed number, and the coverage of the interval; the
    /// table of docs/statistics.md: `TILELAB_SPRT_TESTS=12000 cargo test --lib --
    /// --nocapture sequential_tests_keep_their_errors`. The few tests of an ordinary run show more
    /// in all cases together than in each.
    #[test]
    fn sequential_tests_keep_their_errors() {
        let tests: u32 = std::env::var("TILELAB_SPRT_TESTS")
            .ok()
            .map_or(320, |text| text.parse().expect("a number of tests"));
        let mut stream = Xoshiro256PlusPlus::seed_from_u64(67);
        println!(
            "| distance in standard deviations | alpha, beta | true mean | wrong % | pairs | fixed \
             | covered % | truth below % |\n| ---: | ---: | --- | ---: | ---: | ---: | ---: | ---: |"
        );
        let even = || Pairs([10, 10, 24, 10, 10]);
        // Estimates take longer than tests.
        let estimates = tests / 16;
        let is_near = |share: f64, wanted: f64, of: u32, within: f64| {
            let se = (wanted * (1.0 - wanted) / f64::from(of)).sqrt();
            // One count more, since the normal distribution is rough for few.
            let within = within + 1.0 / f64::from(of);
            assert!((share - wanted).abs() < within + 4.0 * se, "{share}");
        };
        let mut cases = 0;
        let mut of_all = [0.0; 3];
        for (error, lower, upper) in [
            (0.05, even(), Pairs([8, 9, 24, 11, 12])),
            (0.05, even(), Pairs([9, 10, 24, 10, 11])),
            (0.01, even(), Pairs([8, 9, 24, 11, 12])),
            // A strong player, and one that mostly draws.
            (0.05, Pairs([2, 2, 8, 20, 32]), Pairs([1, 1, 8, 20, 34])),
            (0.05, Pairs([2, 2, 56, 2, 2]), Pairs([1, 2, 56, 2, 3])),
        ] {
            let test = Sprt::new(lower.mean(), upper.mean(), error, error, 1 << 20).unwrap();
            let distance = (upper.mean() - lower.mean()) / lower.variance().sqrt();
            let fixed = (2.0 * normal_upper_quantile(error) / distance).powi(2);
            for (name, truth, wrong) in [
                ("lower", &lower, StopReason::Upper),
                ("upper", &upper, StopReason::Lower),
            ] {
                let mut errors = 0.0;
                let mut pairs = 0.0;
                let mut covered = 0.0;
                let mut below = 0.0;
                for number in 0..tests {
                    let (reason, sample) = truth.test(&test, &mut stream);
                    errors += f64::from(u8::from(reason == wrong));
                    pairs += sample.pairs as f64;
                    if number < estimates {
                        let (estimate, interval) = test.estimate(&sample, 0.95).unwrap();
                        covered += f64::from(u8::from(interval.contains(truth.mean())));
                        below += f64::from(u8::from(estimate > truth.mean()));
                    }
                }
                errors /= f64::from(tests);
                pairs /= f64::from(tests);
                covered /= f64::from(estimates);
                below /= f64::from(estimates);
                println!(
                    "| {distance:.3} | {error} | {name} | {:.2} | {pairs:.0} | {fixed:.0} | {:.1} | {:.1} |",
                    100.0 * errors,
                    100.0 * covered,
                    100.0 * below
                );
                is_near(errors, error, tests, 0.005);
                assert!((0.4..0.6).contains(&(pairs / fixed)), "{pairs}");
                is_near(covered, 0.95, estimates, 0.005);
                is_near(below, 0.5, estimates, 0.02);
                cases += 1;
                of_all[0] += errors - error;
                of_all[1] += covered;
                of_all[2] += below;
            }
        }
        let [errors, covered, below] = of_all.map(|sum| sum / f64::from(cases));
        is_near(0.05 + errors, 0.05, cases * tests, 0.005);
        is_near(covered, 0.95, cases * estimates, 0.005);
        is_near(below, 0.5, cases * estimates, 0.02);
    }

    /// The truth is where the mean found is exceeded with the wanted probability, also where the
    /// mean lies far beyond the bounds.
    #[test]
    fn estimates_solve_their_equation() {
        let test = Sprt::new(910.0, 925.0, 0.05, 0.05, 1 << 20).unwrap();
        for mean in [-5_300.0, -530.0, 905.0, 912.0, 917.0, 924.0, 940.0, 2_366.0] {
            let mut sample = Sample {
                pairs: 1,
                mean,
                variance: 1e6,
                seen: normal(),
            };
            sample.pairs = test.pairs_expected(&sample);
            let (estimate, interval) = test.estimate(&sample, 0.95).unwrap();
            let opens = test.recursion(&sample);
            for (truth, wanted) in [(interval.lo, 0.025), (estimate, 0.5), (interval.hi, 0.975)] {
                let found = test.above(&opens, &sample, truth);
                assert!(
                    (found - wanted).abs() < 1e-3,
                    "{sample:?}: {truth}, {found}"
                );
            }
            let plain = 1.96 * (1e6 / sample.pairs as f64).sqrt();
            let width = (interval.hi - interval.lo) / (2.0 * plain);
            assert!((0.9..2.2).contains(&width), "{sample:?}: {interval:?}");
        }
    }

    /// A test with one look has the plain interval.
    #[test]
    fn without_looking_the_interval_is_the_plain_one() {
        let test = Sprt::new(-1.0, 1.0, 0.05, 0.05, 50).unwrap();
        assert_eq!(test.looks().collect::<Vec<_>>(), [50]);
        let sample = Sample {
            pairs: 50,
            mean: 0.3,
            variance: 2.0,
            seen: normal(),
        };
        let (estimate, interval) = test.estimate(&sample, 0.95).unwrap();
        let reach = 1.959_964 * 0.2;
        assert!((estimate - 0.3).abs() < 1e-5, "{estimate}");
        assert!((interval.lo - 0.3 + reach).abs() < 1e-5, "{interval:?}");
        assert!((interval.hi - 0.3 - reach).abs() < 1e-5, "{interval:?}");
    }

    #[test]
    fn impossible_tests_are_refused() {
        for (lower, upper, alpha, pairs, named) in [
            (0.5, 0.5, 0.05, 10, "lower = 0.5, upper = 0.5"),
            (f64::NAN, 0.5, 0.05, 10, "lower = NaN"),
            (0.5, 0.6, 0.5, 10, "alpha = 0.5"),
            (0.5, 0.6, 0.05, 0, "max_games = 0"),
        ] {
            let error = Sprt::new(lower, upper, alpha, 0.05, pairs).unwrap_err();
            assert!(error.contains(named), "{error}");
        }
        let test = Sprt::new(0.5, 0.6, 0.05, 0.05, 200).unwrap();
        assert_eq!(
            test.looks().collect::<Vec<_>>(),
            [64, 80, 96, 112, 128, 160, 192, 200]
        );
        let alike = Sample {
            pairs: 64,
            mean: 0.9,
            variance: 0.0,
            seen: normal(),
        };
        assert_eq!(test.decide(0, &alike), None);
        assert_eq!(test.estimate(&alike, 0.95), None);
    }
}
