//! How many games a question needs, and when two rates count as equal.
//!
//! All formulas are normal approximations, as planning needs them; the intervals of the results are
//! exact. They are for independent games. Where games share trajectories, multiply the games by the
//! design effect.

use super::normal_upper_quantile;
use super::rate::tango_score;

/// Games for an interval of this half-width at a win rate: p(1 − p)·(z/w)², rounded up.
///
/// `rate` and `half_width` are shares. The same as `samplesize_confint_proportion` of statsmodels.
///
/// # Panics
/// When `rate` or `confidence` is not strictly between 0 and 1, or `half_width` not above 0.
#[must_use]
pub fn games_for_half_width(rate: f64, half_width: f64, confidence: f64) -> f64 {
    check(rate, confidence);
    assert!(half_width > 0.0, "a half-width is above 0, not {half_width}");
    let z = normal_upper_quantile((1.0 - confidence) / 2.0);
    (rate * (1.0 - rate) * (z / half_width).powi(2)).ceil()
}

/// Games of each of two cells for a two-sided test at level 1 − `confidence` that finds the rates
/// `rate` and `rate` + `difference` different with probability `power`; rounded up.
///
/// ((z_α·√(2p̄q̄) + z_β·√(p₁q₁ + p₂q₂)) / (p₂ − p₁))². Source: J. L. Fleiss, *Statistical Methods
/// for Rates and Proportions* (2nd ed., 1981), section 3.2. The same as
/// `samplesize_proportions_2indep_onetail` of statsmodels.
///
/// # Panics
/// When a rate, `confidence` or `power` is not strictly between 0 and 1, or `difference` is 0.
#[must_use]
pub fn games_for_difference(rate: f64, difference: f64, confidence: f64, power: f64) -> f64 {
    check(rate, confidence);
    check(rate + difference, power);
    assert!(difference != 0.0, "a difference of 0 cannot be detected");
    let other = rate + difference;
    let z_test = normal_upper_quantile((1.0 - confidence) / 2.0);
    let z_power = normal_upper_quantile(1.0 - power);
    let equal = 2.0 * ((rate + other) / 2.0) * (1.0 - (rate + other) / 2.0);
    let different = rate * (1.0 - rate) + other * (1.0 - other);
    ((z_test * equal.sqrt() + z_power * different.sqrt()) / difference).powi(2).ceil()
}

/// Games of each of two cells with the same rate for [`equivalence_p`] to fall below
/// 1 − `confidence` with probability `power`; rounded up.
///
/// 2pq·((z_α + z_(β/2)) / m)². Source: S. C. Chow, J. Shao and H. Wang, *Sample Size Calculations
/// in Clinical Research* (2nd ed., 2008), section 4.2.
///
/// # Panics
/// When `rate`, `confidence` or `power` is not strictly between 0 and 1, or `margin` not above 0.
#[must_use]
pub fn games_for_equivalence(rate: f64, margin: f64, confidence: f64, power: f64) -> f64 {
    check(rate, confidence);
    check(rate, power);
    assert!(margin > 0.0, "a margin is above 0, not {margin}");
    let z = normal_upper_quantile(1.0 - confidence) + normal_upper_quantile((1.0 - power) / 2.0);
    (2.0 * rate * (1.0 - rate) * (z / margin).powi(2)).ceil()
}

/// The p-value of two one-sided tests that the rates of A and B, each given as (successes, trials),
/// differ by less than `margin`; small values say that they are equivalent.
///
/// The larger p-value of the two z tests of a difference of −margin and of +margin, with the
/// variance of the two rates found. `None` where either has no trials or no variance can be seen.
/// Source: D. J. Schuirmann, "A comparison of the two one-sided tests procedure and the power
/// approach", Journal of Pharmacokinetics and Biopharmaceutics 15 (1987).
///
/// # Panics
/// When `margin` is not above 0 or there are more successes than trials.
#[must_use]
pub fn equivalence_p(a: (u64, u64), b: (u64, u64), margin: f64) -> Option<f64> {
    assert!(margin > 0.0, "a margin is above 0, not {margin}");
    let deviation = rate_difference_deviation(a, b)?;
    let difference = a.0 as f64 / a.1 as f64 - b.0 as f64 / b.1 as f64;
    Some(upper_tail((margin - difference.abs()) / deviation))
}

/// The p-value of two one-sided tests that two rates seen on the same `pairs` differ by less than
/// `margin`, where the first succeeded alone in `only_a` pairs and the second alone in `only_b`.
///
/// The larger p-value of Tango's score tests of a difference of −margin and of +margin; `None`
/// without pairs. At most α exactly where [`tango`](super::tango)'s interval of level 1 − 2α lies
/// within the margins. Source: T. Tango, "Equivalence test and confidence interval for the
/// difference in proportions for the paired-sample design", Statistics in Medicine 17 (1998).
///
/// # Panics
/// When `margin` is not strictly between 0 and 1, or more pairs are discordant than there are.
#[must_use]
pub fn paired_equivalence_p(only_a: u64, only_b: u64, pairs: u64, margin: f64) -> Option<f64> {
    assert!(margin > 0.0 && margin < 1.0, "a margin lies strictly between 0 and 1, not at {margin}");
    assert!(only_a + only_b <= pairs, "{only_a} + {only_b} discordant of {pairs} pairs");
    let one_sided = |a: u64, b: u64| {
        let (distance, deviation) = tango_score(a, b, pairs, margin);
        upper_tail(distance / deviation)
    };
    (pairs > 0).then(|| one_sided(only_a, only_b).max(one_sided(only_b, only_a)))
}

/// The probability that a standard normal deviate is at least `z`.
fn upper_tail(z: f64) -> f64 {
    0.5 * statrs::function::erf::erfc(z / std::f64::consts::SQRT_2)
}

/// The standard error of the difference of two rates; `None` where it cannot be seen.
fn rate_difference_deviation(a: (u64, u64), b: (u64, u64)) -> Option<f64> {
    let variance = |(successes, trials): (u64, u64)| {
        assert!(successes <= trials, "{successes} successes of {trials} trials");
        let rate = successes as f64 / trials as f64;
        (trials > 0).then(|| rate * (1.0 - rate) / trials as f64)
    };
    let sum = variance(a)? + variance(b)?;
    (sum > 0.0).then(|| sum.sqrt())
}

fn check(rate: f64, probability: f64) {
    assert!(rate > 0.0 && rate < 1.0, "a rate lies strictly between 0 and 1, not {rate}");
    assert!(probability > 0.0 && probability < 1.0, "a probability lies strictly between 0 and 1, not {probability}");
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `samplesize_confint_proportion` and `samplesize_proportions_2indep_onetail` of statsmodels
    /// 0.14.
    #[test]
    fn games_are_those_of_statsmodels() {
        for (rate, width, confidence, games) in
            [(0.01, 0.001, 0.95, 38_030.442), (0.12, 0.005, 0.99, 28_025.803), (0.5, 0.02, 0.9, 1_690.965)]
        {
            assert_eq!(games_for_half_width(rate, width, confidence), f64::ceil(games));
        }
        for (rate, difference, confidence, power, games) in [
            (0.01, 0.001, 0.95, 0.9, 218_336.920),
            (0.12, 0.01, 0.95, 0.8, 17_168.245),
            (0.3, -0.05, 0.99, 0.95, 2_837.886),
        ] {
            assert_eq!(games_for_difference(rate, difference, confidence, power), f64::ceil(games));
        }
        assert_eq!(games_for_equivalence(0.01, 0.001, 0.95, 0.9), 214_280.0);
        assert_eq!(games_for_equivalence(0.12, 0.01, 0.95, 0.8), 18_087.0);
    }

    /// The larger p-value of `test_proportions_2indep` of statsmodels with method wald and value
    /// −margin and +margin.
    #[test]
    fn equivalence_is_that_of_statsmodels() {
        for (a, b, margin, p) in
            [((100, 1000), (110, 1000), 0.03, 0.072_277_323), ((480, 4000), (500, 4200), 0.02, 0.003_935_319)]
        {
            assert!((equivalence_p(a, b, margin).unwrap() - p).abs() < 1e-8);
            assert!((equivalence_p(b, a, margin).unwrap() - p).abs() < 1e-8);
        }
        assert_eq!(equivalence_p((0, 10), (0, 10), 0.1), None);
        assert_eq!(equivalence_p((0, 0), (1, 10), 0.1), None);
    }

    /// The margin at an end of Tango's 90 % interval that is the farther from 0 has p = 5 %.
    #[test]
    fn paired_equivalence_goes_with_tangos_interval() {
        for (only_a, only_b, pairs) in [(0, 0, 100), (3, 1, 200), (1, 3, 200), (40, 52, 1_000), (500, 500, 5_000)] {
            let interval = crate::stats::tango(only_a, only_b, pairs, 0.9).unwrap();
            let margin = interval.hi.max(-interval.lo);
            let p = paired_equivalence_p(only_a, only_b, pairs, margin).unwrap();
            assert!((p - 0.05).abs() < 1e-9, "{only_a} {only_b} {pairs}: {p} at {margin}");
            assert!(paired_equivalence_p(only_a, only_b, pairs, 1.1 * margin).unwrap() < p);
        }
        assert_eq!(paired_equivalence_p(0, 0, 0, 0.1), None);
    }
}
