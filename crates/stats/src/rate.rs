//! Intervals for a win rate.
//!
//! Tables show Clopper–Pearson, which never covers less than its level, at rates of 0 and 1 too, or
//! on request the mid-p interval, which is narrower and covers its level on average. Wilson's
//! interval stands beside them. All rates are shares from 0 to 1.

use super::beta::{Side, at_least, beta_quantile};
use super::{Interval, alpha, normal_deviate};

/// Which interval a win rate has, of games that are independent.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum RateInterval {
    /// [`clopper_pearson`]: covers at least its level at every rate.
    #[default]
    ClopperPearson,
    /// [`mid_p`]: covers its level on average over rates.
    MidP,
}

impl RateInterval {
    /// Both kinds of interval with their names.
    pub const ALL: [(&'static str, Self); 2] = [
        ("clopper-pearson", Self::ClopperPearson),
        ("mid-p", Self::MidP),
    ];

    /// The one with this name.
    pub fn named(name: &str) -> Option<Self> {
        let mut all = Self::ALL.iter();
        all.find(|(known, _)| *known == name).map(|(_, kind)| *kind)
    }

    /// The interval for `successes` of `trials`; all of [0, 1] without trials.
    ///
    /// # Panics
    /// When there are more successes than trials or `confidence` is not strictly between 0 and 1.
    #[must_use]
    pub fn of(self, successes: u64, trials: u64, confidence: f64) -> Interval {
        match self {
            Self::ClopperPearson => clopper_pearson(successes, trials, confidence),
            Self::MidP => mid_p(successes, trials, confidence),
        }
    }
}

/// Wilson's score interval for `successes` of `trials`; all of [0, 1] without trials.
///
/// (p + z²/2n ± z √(p(1 − p)/n + z²/4n²)) / (1 + z²/n). Source: E. B. Wilson, "Probable inference,
/// the law of succession, and statistical inference", JASA 22 (1927).
///
/// # Panics
/// When there are more successes than trials or `confidence` is not strictly between 0 and 1.
pub fn wilson(successes: u64, trials: u64, confidence: f64) -> Interval {
    assert!(
        successes <= trials,
        "{successes} successes of {trials} trials"
    );
    let z = normal_deviate(confidence);
    wilson_real(successes as f64, trials as f64, z)
}

/// Wilson's interval for real numbers of successes and trials and a given deviate.
pub(super) fn wilson_real(successes: f64, trials: f64, z: f64) -> Interval {
    if trials == 0.0 {
        return Interval::SHARES;
    }
    let failures = trials - successes;
    let root = z * (successes * failures / trials + z * z / 4.0).sqrt();
    let wins = successes + z * z / 2.0;
    let losses = failures + z * z / 2.0;
    // Each end is taken from the form without cancellation: lo = s²/(n(…)) by the product of the
    // two roots of the quadratic.
    let lo = successes * successes / trials / (wins + root);
    let hi = if successes * 2.0 < trials {
        (wins + root) / (trials + z * z)
    } else {
        1.0 - failures * failures / trials / (losses + root)
    };
    Interval { lo, hi }
}

/// The exact interval of Clopper and Pearson for `successes` of `trials`; all of [0, 1] without
/// trials.
///
/// The ends are the rates at which as many successes, or as few, would come with probability α/2:
/// quantiles of Beta(s, n − s + 1) and Beta(s + 1, n − s). Source: C. J. Clopper and E. S. Pearson,
/// "The use of confidence or fiducial limits illustrated in the case of the binomial", Biometrika
/// 26 (1934).
///
/// # Panics
/// When there are more successes than trials or `confidence` is not strictly between 0 and 1.
///
/// # Examples
/// ```
/// let none = tilelab_stats::clopper_pearson(0, 1000, 0.95);
/// assert_eq!(none.lo, 0.0);
/// assert!((none.hi - (1.0 - 0.025f64.powf(0.001))).abs() < 1e-15);
/// ```
pub fn clopper_pearson(successes: u64, trials: u64, confidence: f64) -> Interval {
    assert!(
        successes <= trials,
        "{successes} successes of {trials} trials"
    );
    clopper_pearson_real(successes as f64, trials as f64, confidence)
}

/// Clopper's and Pearson's interval for real numbers of successes and trials; all of [0, 1] without
/// trials.
pub(super) fn clopper_pearson_real(successes: f64, trials: f64, confidence: f64) -> Interval {
    let tail = alpha(confidence) / 2.0;
    let failures = trials - successes;
    // Where all failed, or all succeeded: (α/2)^(1/n).
    let lo = if successes <= 0.0 {
        0.0
    } else if failures <= 0.0 {
        (tail.ln() / trials).exp()
    } else {
        beta_quantile(successes, failures + 1.0, Side::Lower, tail).0
    };
    let hi = if failures <= 0.0 {
        1.0
    } else if successes <= 0.0 {
        -(tail.ln() / trials).exp_m1()
    } else {
        beta_quantile(successes + 1.0, failures, Side::Upper, tail).0
    };
    Interval { lo, hi }
}

/// The mid-p interval for `successes` of `trials`; all of [0, 1] without trials.
///
/// As [`clopper_pearson`], but the result itself counts half in each tail: the lower end is the
/// rate at which P(X > s) + P(X = s)/2 = α/2. It is narrower and covers its level on average over
/// rates, less at some. Source: G. Berry and P. Armitage, "Mid-P confidence intervals: a brief
/// review", The Statistician 44 (1995).
///
/// # Panics
/// When there are more successes than trials or `confidence` is not strictly between 0 and 1.
pub fn mid_p(successes: u64, trials: u64, confidence: f64) -> Interval {
    let exact = clopper_pearson(successes, trials, confidence);
    if trials == 0 {
        return exact;
    }
    let failures = trials - successes;
    if successes > failures {
        let mirrored = mid_p(failures, trials, confidence);
        return Interval {
            lo: 1.0 - mirrored.hi,
            hi: 1.0 - mirrored.lo,
        };
    }
    let tail = alpha(confidence) / 2.0;
    let s = successes as f64;
    let n = trials as f64;
    let rate = s / n;
    let above = |p: f64| f64::midpoint(at_least(s, n, p).lower, at_least(s + 1.0, n, p).lower);
    if successes == 0 {
        // P(X = 0) / 2 = (1 − p)^n / 2.
        let hi = -((2.0 * tail).ln() / n).exp_m1();
        return Interval { lo: 0.0, hi };
    }
    Interval {
        lo: boundary(exact.lo, rate, |p| above(p) <= tail),
        hi: boundary(exact.hi, rate, |p| 1.0 - above(p) <= tail),
    }
}

/// The place between `inside` and `outside` beyond which `is_inside` no longer holds.
pub(super) fn boundary(mut inside: f64, mut outside: f64, is_inside: impl Fn(f64) -> bool) -> f64 {
    while (outside - inside).abs() > 1e-15 * outside.abs().max(inside.abs()) {
        let middle = f64::midpoint(inside, outside);
        if middle == inside || middle == outside {
            break;
        }
        if is_inside(middle) {
            inside = middle;
        } else {
            outside = middle;
        }
    }
    f64::midpoint(inside, outside)
}

#[cfg(test)]
mod tests {
    use super::super::difference::{Limits, tango_at};
    use super::*;

    fn tango(only_a: u64, only_b: u64, pairs: u64, confidence: f64) -> Interval {
        tango_at(only_a, only_b, pairs, normal_deviate(confidence))
    }

    fn check(found: Interval, lo: f64, hi: f64, tolerance: f64) {
        assert!(
            (found.lo - lo).abs() <= tolerance && (found.hi - hi).abs() <= tolerance,
            "{found:?} is not {lo} {hi}"
        );
    }

    /// Table I of R. G. Newcombe, "Two-sided confidence intervals for the single proportion",
    /// Statistics in Medicine 17 (1998).
    #[test]
    fn single_rates_match_newcombes_table() {
        for (successes, trials, score, exact) in [
            (81, 263, (0.2553, 0.3662), (0.2527, 0.3676)),
            (15, 148, (0.0624, 0.1605), (0.0578, 0.1617)),
            (0, 20, (0.0, 0.1611), (0.0, 0.1684)),
            (1, 29, (0.0061, 0.1718), (0.0009, 0.1776)),
        ] {
            check(wilson(successes, trials, 0.95), score.0, score.1, 5.1e-5);
            check(
                clopper_pearson(successes, trials, 0.95),
                exact.0,
                exact.1,
                5.1e-5,
            );
        }
    }

    /// Roots of the mid-p with `scipy.stats.binom` and `brentq` (scipy 1.17), and the closed form
    /// without successes.
    #[test]
    fn mid_p_intervals_match_scipy() {
        for (successes, trials, confidence, lo, hi) in [
            (3, 1000, 0.95, 0.000763646288987, 0.008142317798840),
            (1, 29, 0.95, 0.001724770114705, 0.158537383681465),
            (15, 148, 0.99, 0.049637957560925, 0.178348054075854),
            (81, 263, 0.9, 0.262759819264805, 0.356318969508993),
            (0, 20, 0.95, 0.000000000000000, 0.139108340668265),
        ] {
            check(mid_p(successes, trials, confidence), lo, hi, 1e-11);
            let mirrored = mid_p(trials - successes, trials, confidence);
            check(mirrored, 1.0 - hi, 1.0 - lo, 1e-11);
        }
        assert_eq!(mid_p(0, 0, 0.95), Interval { lo: 0.0, hi: 1.0 });
    }

    /// Coverage of the mid-p interval over rates from 0.001 to 0.5 at 1,000 games: its level on
    /// average, less at some rates; Clopper and Pearson's covers more on average.
    #[test]
    fn mid_p_covers_its_level_on_average() {
        const GAMES: u64 = 1_000;
        let rates: Vec<f64> = (0..60)
            .map(|step| 0.001 * 500f64.powf(f64::from(step) / 59.0))
            .collect();
        let mean = |kind: RateInterval| {
            let all: Vec<Interval> = (0..=GAMES).map(|wins| kind.of(wins, GAMES, 0.95)).collect();
            let covered = |rate: &f64| {
                let mut mass = (1.0 - rate).powi(GAMES as i32);
                let mut sum = 0.0;
                for (wins, interval) in all.iter().enumerate() {
                    sum += if interval.contains(*rate) { mass } else { 0.0 };
                    mass *=
                        (GAMES - wins as u64) as f64 / (wins as f64 + 1.0) * rate / (1.0 - rate);
                }
                sum
            };
            rates.iter().map(covered).sum::<f64>() / rates.len() as f64
        };
        let mid = mean(RateInterval::MidP);
        let exact = mean(RateInterval::ClopperPearson);
        assert!((0.95..0.958).contains(&mid), "{mid}");
        assert!(exact > mid + 0.005, "{exact}");
    }

    /// Table II of Newcombe's paper on differences, method 10.
    #[test]
    fn differences_match_newcombes_table() {
        for (a, b, lo, hi) in [
            ((56, 70), (48, 80), 0.0524, 0.3339),
            ((9, 10), (3, 10), 0.1705, 0.8090),
            ((6, 7), (2, 7), 0.0582, 0.8062),
            ((5, 56), (0, 29), -0.0381, 0.1926),
            ((0, 10), (0, 10), -0.2775, 0.2775),
            ((10, 10), (0, 10), 0.6075, 1.0),
        ] {
            let [a, b] = [a, b].map(|(wins, games)| Limits::counted(wins, games).unwrap());
            check(a.difference(&b, 0.95).interval, lo, hi, 5.1e-5);
        }
        assert_eq!(Limits::counted(0, 0), None);
    }

    /// Roots of Tango's score with the nuisance rate maximized numerically (scipy 1.17).
    #[test]
    fn paired_differences_match_a_numerical_likelihood() {
        for (only_a, only_b, pairs, lo, hi) in [
            (1, 4, 100, -0.019_498_83, 0.089_984_33),
            (0, 0, 100, -0.036_993_50, 0.036_993_50),
            (0, 5, 50, 0.021_517_64, 0.213_602_31),
            (9, 2, 54, -0.259_138_44, -0.010_831_79),
            (120, 180, 10_000, 0.002_622_04, 0.009_447_02),
            (3, 0, 1000, -0.008_783_01, 0.000_838_24),
        ] {
            let found = tango(only_a, only_b, pairs, 0.95);
            check(found, lo, hi, 2e-8);
            let mirror = tango(only_b, only_a, pairs, 0.95);
            check(found, -mirror.hi, -mirror.lo, 0.0);
        }
        // A hundred million pairs: as Student's interval has it.
        let many = tango(1_000_000, 1_010_000, 100_000_000, 0.95);
        let reach = 1.959_964 * (2_010_000.0_f64 / 1e16).sqrt();
        check(many, 1e-4 - reach, 1e-4 + reach, 1e-8);
        check(tango(0, 7, 7, 0.95), 0.0, 1.0, 0.5);
    }

    /// Exact coverage, summed over all tables of few pairs.
    #[test]
    fn tangos_interval_covers_with_few_discordant_pairs() {
        const PAIRS: u64 = 40;
        let choose = |n: u64, k: u64| {
            (0..k).fold(1.0, |product, i| product * (n - i) as f64 / (i + 1) as f64)
        };
        for (only_a, only_b) in [(0.02, 0.02), (0.01, 0.05), (0.1, 0.1), (0.2, 0.05)] {
            let mut coverage = 0.0;
            for a in 0..=PAIRS {
                for b in 0..=PAIRS - a {
                    let rest = (PAIRS - a - b) as i32;
                    let same = f64::powi(1.0 - only_a - only_b, rest);
                    let probability = choose(PAIRS, a) * choose(PAIRS - a, b) * same;
                    let probability =
                        probability * f64::powi(only_a, a as i32) * f64::powi(only_b, b as i32);
                    let interval = tango(a, b, PAIRS, 0.95);
                    coverage += if interval.contains(only_b - only_a) {
                        probability
                    } else {
                        0.0
                    };
                }
            }
            assert!(
                (0.935..=0.995).contains(&coverage),
                "{only_a} {only_b}: {coverage}"
            );
        }
    }

    #[test]
    fn ends_are_exact() {
        for trials in [1, 7, 1_000, 10_000_000_000] {
            let none = clopper_pearson(0, trials, 0.95);
            let all = clopper_pearson(trials, trials, 0.95);
            assert_eq!((none.lo, all.hi), (0.0, 1.0));
            // P(no success) at the upper end is α/2; to first order that end is −ln(α/2)/n.
            let missed = trials as f64 * (-none.hi).ln_1p();
            assert!((missed - 0.025f64.ln()).abs() < 1e-9, "{trials}: {none:?}");
            assert!((all.lo + none.hi - 1.0).abs() < 1e-15);
            assert_eq!(wilson(0, trials, 0.95).lo, 0.0);
            assert_eq!(wilson(trials, trials, 0.95).hi, 1.0);
        }
        check(clopper_pearson(0, 0, 0.95), 0.0, 1.0, 0.0);
    }

    /// Ten billion games: a rare rate against the exact Poisson limits for 3 events (0.61867,
    /// 8.76727: Garwood 1936), a common one against the normal limit.
    #[test]
    fn ten_billion_games_keep_their_digits() {
        let rare = clopper_pearson(3, 10_000_000_000, 0.95);
        check(rare.scaled(1e10), 0.618_672, 8.767_273, 2e-6);
        let even = clopper_pearson(5_000_000_000, 10_000_000_000, 0.95);
        check(even, 0.5 - 9.799_82e-6, 0.5 + 9.799_82e-6, 2e-10);
    }

    #[test]
    fn intervals_hold_the_rate_narrow_with_games_and_mirror() {
        for trials in [1u64, 2, 5, 50, 1_000, 77_777, 3_000_000] {
            for successes in (0..=trials).step_by((trials as usize / 6).max(1)) {
                let rate = successes as f64 / trials as f64;
                let score = wilson(successes, trials, 0.9);
                let exact = clopper_pearson(successes, trials, 0.9);
                assert!(
                    score.contains(rate) && exact.contains(rate),
                    "{successes}/{trials}: {score:?} {exact:?}"
                );
                assert!(
                    exact.half_width()
                        >= clopper_pearson(successes * 2, trials * 2, 0.9).half_width()
                );
                assert!(
                    exact.half_width() <= clopper_pearson(successes, trials, 0.99).half_width()
                );
                let mirror = clopper_pearson(trials - successes, trials, 0.9);
                check(exact, 1.0 - mirror.hi, 1.0 - mirror.lo, 1e-12);
                let mirror = wilson(trials - successes, trials, 0.9);
                check(score, 1.0 - mirror.hi, 1.0 - mirror.lo, 1e-12);
            }
        }
    }

    /// The sum of binomial probabilities over the counts whose interval covers the rate: exact
    /// coverage, no simulation.
    #[test]
    fn clopper_pearson_never_covers_less_than_it_says() {
        for trials in [10u64, 60] {
            let intervals: Vec<Interval> = (0..=trials)
                .map(|s| clopper_pearson(s, trials, 0.95))
                .collect();
            for step in 1..100 {
                let rate = f64::from(step) / 100.0;
                let mut probability = (1.0 - rate).powi(trials as i32);
                let mut coverage = 0.0;
                for (s, interval) in intervals.iter().enumerate() {
                    coverage += if interval.contains(rate) {
                        probability
                    } else {
                        0.0
                    };
                    probability *=
                        (trials as f64 - s as f64) / (s as f64 + 1.0) * rate / (1.0 - rate);
                }
                assert!(
                    coverage >= 0.95 - 1e-9,
                    "{trials} trials at {rate}: {coverage}"
                );
            }
        }
    }
}
