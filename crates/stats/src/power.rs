//! How many games a question needs, and when two rates count as equal.
//!
//! Widths are those of the intervals that are reported, exactly. Tests are planned by normal
//! approximations. All are for independent games. Where games share trajectories, multiply the
//! games by the design effect.

use super::coverage::{Design, first_that_holds};
use super::difference::tango_score;
use super::{RateInterval, normal_upper_quantile, normal_upper_tail};

/// A width that an interval of a win rate is to have.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Width {
    /// Half the width, a share.
    Half(f64),
    /// Half the width divided by the rate.
    Relative(f64),
}

impl Width {
    /// `half_width` and `relative` of a stopping rule, of which one is set.
    #[must_use]
    pub const fn criteria(self) -> (Option<f64>, Option<f64>) {
        match self {
            Self::Half(width) => (Some(width), None),
            Self::Relative(relative) => (None, Some(relative)),
        }
    }
}

/// The probability that the interval of `games` games at a win rate is at most `width` wide.
///
/// # Panics
/// When `rate` or `confidence` is not strictly between 0 and 1.
pub fn width_probability(
    rate: f64,
    width: Width,
    games: u64,
    confidence: f64,
    kind: RateInterval,
) -> f64 {
    check(rate, confidence);
    let (half_width, relative) = width.criteria();
    Design::new(
        std::iter::once(games),
        half_width,
        relative,
        confidence,
        kind,
    )
    .precise(rate)
}

/// More games than can be played; where a question needs more, the answer is infinite.
pub const GAMES_MOST: u64 = 1 << 40;

/// Games whose interval at a win rate is at most `width` wide with this probability; infinite
/// beyond [`GAMES_MOST`].
///
/// The width depends on the wins, so any number of games reaches it in a share of the runs only.
/// The share is that of the binomial distribution. It rises with the games in a fine zigzag, and
/// the answer is within one of its teeth.
///
/// # Panics
/// When `rate`, `confidence` or `probability` is not strictly between 0 and 1, or the width not
/// above 0.
pub fn games_for_width(
    rate: f64,
    width: Width,
    confidence: f64,
    kind: RateInterval,
    probability: f64,
) -> f64 {
    check(rate, probability);
    let (Width::Half(wanted) | Width::Relative(wanted)) = width;
    assert!(wanted > 0.0, "a width is above 0, not {wanted}");
    let reaches =
        |games: u64| width_probability(rate, width, games, confidence, kind) >= probability;
    fewest(2, reaches).map_or(f64::INFINITY, |games| games as f64)
}

/// The fewest games, from `least` on, for which `reaches` holds, which then holds for all above;
/// `None` beyond [`GAMES_MOST`].
pub(super) fn fewest(least: u64, reaches: impl Fn(u64) -> bool) -> Option<u64> {
    let mut enough = least;
    while !reaches(enough) {
        enough *= 2;
        if enough > GAMES_MOST {
            return None;
        }
    }
    let too_few = enough / 2 + 1;
    Some(first_that_holds(too_few, enough - 1, reaches))
}

/// Pairs of games of two cells for McNemar's test at level 1 − `confidence` to find a `difference`
/// of their rates with probability `power`, where only one of the two wins in the share `differing`
/// of the pairs; rounded up.
///
/// ((z_α √ψ + z_β √(ψ − d²)) / d)². Source: R. J. Connor, "Sample size for testing differences in
/// proportions for the paired-sample design", Biometrics 43 (1987).
///
/// # Panics
/// When `differing`, `confidence` or `power` is not strictly between 0 and 1, or `difference` is 0
/// or exceeds `differing`.
pub fn pairs_for_difference(differing: f64, difference: f64, confidence: f64, power: f64) -> f64 {
    check(differing, confidence);
    check(differing, power);
    assert!(
        difference != 0.0 && difference.abs() <= differing,
        "a difference of {difference} where {differing} of the pairs differ"
    );
    let variances = [differing, differing - difference * difference];
    for_difference(variances, difference, confidence, power)
}

/// Pairs of games of two cells with the same rate for [`paired_equivalence_p`] to fall below
/// 1 − `confidence` with probability `power`, where only one of the two wins in the share
/// `differing` of the pairs; rounded up.
///
/// ψ ((z_α + z_(β/2)) / m)², as [`games_for_equivalence`] with the variance of the pairs.
///
/// # Panics
/// When `differing`, `confidence` or `power` is not strictly between 0 and 1, or `margin` not above
/// 0.
pub fn pairs_for_equivalence(differing: f64, margin: f64, confidence: f64, power: f64) -> f64 {
    check(differing, confidence);
    check(differing, power);
    for_equivalence(differing, margin, confidence, power)
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
pub fn games_for_difference(rate: f64, difference: f64, confidence: f64, power: f64) -> f64 {
    check(rate, confidence);
    check(rate + difference, power);
    assert!(difference != 0.0, "a difference of 0 cannot be detected");
    let other = rate + difference;
    let equal = 2.0 * ((rate + other) / 2.0) * (1.0 - (rate + other) / 2.0);
    let different = rate * (1.0 - rate) + other * (1.0 - other);
    for_difference([equal, different], difference, confidence, power)
}

/// How many units find a difference, where one has the first of these variances if there is no
/// difference, and the second if there is.
fn for_difference(variances: [f64; 2], difference: f64, confidence: f64, power: f64) -> f64 {
    let [equal, different] = variances.map(f64::sqrt);
    let z_test = normal_upper_quantile((1.0 - confidence) / 2.0);
    let z_power = normal_upper_quantile(1.0 - power);
    ((z_test * equal + z_power * different) / difference)
        .powi(2)
        .ceil()
}

/// How many units of this variance show that a difference is less than the margin.
fn for_equivalence(variance: f64, margin: f64, confidence: f64, power: f64) -> f64 {
    assert!(margin > 0.0, "a margin is above 0, not {margin}");
    let z = normal_upper_quantile(1.0 - confidence) + normal_upper_quantile((1.0 - power) / 2.0);
    (variance * (z / margin).powi(2)).ceil()
}

/// Games of each of two cells with the same rate for [`equivalence_p`] to fall below
/// 1 − `confidence` with probability `power`; rounded up.
///
/// 2pq·((z_α + z_(β/2)) / m)². Source: S. C. Chow, J. Shao and H. Wang, *Sample Size Calculations
/// in Clinical Research* (2nd ed., 2008), section 4.2.
///
/// # Panics
/// When `rate`, `confidence` or `power` is not strictly between 0 and 1, or `margin` not above 0.
pub fn games_for_equivalence(rate: f64, margin: f64, confidence: f64, power: f64) -> f64 {
    check(rate, confidence);
    check(rate, power);
    for_equivalence(2.0 * rate * (1.0 - rate), margin, confidence, power)
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
pub fn equivalence_p(a: (u64, u64), b: (u64, u64), margin: f64) -> Option<f64> {
    assert!(margin > 0.0, "a margin is above 0, not {margin}");
    let of_arm = |(successes, trials): (u64, u64)| {
        assert!(
            successes <= trials,
            "{successes} successes of {trials} trials"
        );
        let rate = successes as f64 / trials as f64;
        (trials > 0).then(|| (rate, rate * (1.0 - rate) / trials as f64))
    };
    let (rate_a, variance_a) = of_arm(a)?;
    let (rate_b, variance_b) = of_arm(b)?;
    let deviation = (variance_a + variance_b).sqrt();
    let distance = margin - (rate_a - rate_b).abs();
    (deviation > 0.0).then(|| normal_upper_tail(distance / deviation))
}

/// The p-value of two one-sided tests that two rates seen on the same `pairs` differ by less than
/// `margin`, where the first succeeded alone in `only_a` pairs and the second alone in `only_b`.
///
/// The larger p-value of Tango's score tests of a difference of −margin and of +margin; `None`
/// without pairs. At most α exactly where Tango's interval of level 1 − 2α lies within the margins.
/// Source: T. Tango, "Equivalence test and confidence interval for the difference in proportions
/// for the paired-sample design", Statistics in Medicine 17 (1998).
///
/// # Panics
/// When `margin` is not strictly between 0 and 1, or more pairs are discordant than there are.
pub fn paired_equivalence_p(only_a: u64, only_b: u64, pairs: u64, margin: f64) -> Option<f64> {
    assert!(
        margin > 0.0 && margin < 1.0,
        "a margin lies strictly between 0 and 1, not at {margin}"
    );
    assert!(
        only_a + only_b <= pairs,
        "{only_a} + {only_b} discordant of {pairs} pairs"
    );
    let one_sided = |a: u64, b: u64| {
        let (distance, deviation) = tango_score(a, b, pairs, margin);
        normal_upper_tail(distance / deviation)
    };
    (pairs > 0).then(|| one_sided(only_a, only_b).max(one_sided(only_b, only_a)))
}

/// Asserts that both are probabilities of neither 0 nor 1.
pub(super) fn check(rate: f64, probability: f64) {
    assert!(
        rate > 0.0 && rate < 1.0,
        "a rate lies strictly between 0 and 1, not {rate}"
    );
    assert!(
        probability > 0.0 && probability < 1.0,
        "a probability lies strictly between 0 and 1, not {probability}"
    );
}

#[cfg(test)]
mod tests {
    use super::super::difference::tango_at;
    use super::*;

    /// `samplesize_proportions_2indep_onetail` of statsmodels 0.14.
    #[test]
    fn games_are_those_of_statsmodels() {
        for (rate, difference, confidence, power, games) in [
            (0.01, 0.001, 0.95, 0.9, 218_336.920),
            (0.12, 0.01, 0.95, 0.8, 17_168.245),
            (0.3, -0.05, 0.99, 0.95, 2_837.886),
        ] {
            assert_eq!(
                games_for_difference(rate, difference, confidence, power),
                f64::ceil(games)
            );
        }
        assert_eq!(games_for_equivalence(0.01, 0.001, 0.95, 0.9), 214_280.0);
        assert_eq!(games_for_equivalence(0.12, 0.01, 0.95, 0.8), 18_087.0);
    }

    /// Widths are reached in the share of the runs that is asked, and hardly ever by Wald's
    /// formula.
    #[test]
    fn planned_games_reach_the_width() {
        let kind = RateInterval::ClopperPearson;
        for (rate, width, probability) in [
            (0.01, Width::Half(0.001), 0.9),
            (0.01, Width::Relative(0.2), 0.8),
            (0.1, Width::Half(0.02), 0.95),
            (0.0005, Width::Relative(0.5), 0.5),
        ] {
            let games = games_for_width(rate, width, 0.95, kind, probability);
            // By the binomial distribution, count by count.
            let mut mass = (games * (-rate).ln_1p()).exp();
            let mut reached = 0.0;
            let (Width::Half(wanted) | Width::Relative(wanted)) = width;
            for wins in 0..=(games * rate * 3.0 + 60.0) as u64 {
                let half = kind.of(wins, games as u64, 0.95).half_width();
                let is_reached = match width {
                    Width::Half(_) => half <= wanted,
                    Width::Relative(_) => half <= wanted * wins as f64 / games,
                };
                reached += if is_reached { mass } else { 0.0 };
                mass *= (games - wins as f64) / (wins as f64 + 1.0) * rate / (1.0 - rate);
            }
            assert!(
                (probability..probability + 0.03).contains(&reached),
                "{width:?}: {reached}"
            );
            let found = width_probability(rate, width, games as u64, 0.95, kind);
            assert!((found - reached).abs() < 1e-3, "{found} {reached}");
        }
        // Wald's formula: p(1 − p)(z/w)².
        let wald = width_probability(0.01, Width::Half(0.001), 38_031, 0.95, kind);
        assert!((0.2..0.4).contains(&wald), "{wald}");
        let mid_p = games_for_width(0.001, Width::Relative(0.5), 0.95, RateInterval::MidP, 0.9);
        let exact = games_for_width(0.001, Width::Relative(0.5), 0.95, kind, 0.9);
        assert!((0.8..0.92).contains(&(mid_p / exact)), "{mid_p} {exact}");
    }

    /// Connor's table I: ψ = 0.2, d = 0.1, α = 0.05, power 0.9; and the power of the mid-p test
    /// there.
    #[test]
    fn pairs_have_their_power() {
        assert_eq!(pairs_for_difference(0.2, 0.1, 0.95, 0.9), 206.0);
        assert_eq!(pairs_for_equivalence(0.2, 0.1, 0.95, 0.9), 217.0);
        let mut power = 0.0;
        let binomial = |n: u64, k: u64, p: f64| {
            let choose: f64 = (0..k).map(|i| ((n - i) as f64 / (k - i) as f64).ln()).sum();
            (choose + k as f64 * p.ln() + (n - k) as f64 * (-p).ln_1p()).exp()
        };
        for differ in 0..=206 {
            for only_b in 0..=differ {
                if crate::mcnemar_mid_p(differ - only_b, only_b).0 <= 0.05 {
                    power += binomial(206, differ, 0.2) * binomial(differ, only_b, 0.75);
                }
            }
        }
        assert!((power - 0.9).abs() < 0.015, "{power}");
    }

    /// The larger p-value of `test_proportions_2indep` of statsmodels with method wald and value
    /// −margin and +margin.
    #[test]
    fn equivalence_is_that_of_statsmodels() {
        for (a, b, margin, p) in [
            ((100, 1000), (110, 1000), 0.03, 0.072_277_323),
            ((480, 4000), (500, 4200), 0.02, 0.003_935_319),
        ] {
            assert!((equivalence_p(a, b, margin).unwrap() - p).abs() < 1e-8);
            assert!((equivalence_p(b, a, margin).unwrap() - p).abs() < 1e-8);
        }
        assert_eq!(equivalence_p((0, 10), (0, 10), 0.1), None);
        assert_eq!(equivalence_p((0, 0), (1, 10), 0.1), None);
    }

    /// The margin at an end of Tango's 90 % interval that is the farther from 0 has p = 5 %.
    #[test]
    fn paired_equivalence_goes_with_tangos_interval() {
        for (only_a, only_b, pairs) in [
            (0, 0, 100),
            (3, 1, 200),
            (1, 3, 200),
            (40, 52, 1_000),
            (500, 500, 5_000),
        ] {
            let interval = tango_at(only_a, only_b, pairs, normal_upper_quantile(0.05));
            let margin = interval.hi.max(-interval.lo);
            let p = paired_equivalence_p(only_a, only_b, pairs, margin).unwrap();
            assert!(
                (p - 0.05).abs() < 1e-9,
                "{only_a} {only_b} {pairs}: {p} at {margin}"
            );
            assert!(paired_equivalence_p(only_a, only_b, pairs, 1.1 * margin).unwrap() < p);
        }
        assert_eq!(paired_equivalence_p(0, 0, 0, 0.1), None);
    }
}
