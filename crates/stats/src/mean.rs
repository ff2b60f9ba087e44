//! Means from exact sums, and differences of means.

use super::beta::student_two_sided_p;
use super::{Interval, student_deviate};

/// The exact sums of a sample of integers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Moments {
    /// How many values.
    pub n: u64,
    /// The sum of the values.
    pub sum: i128,
    /// The sum of the squares of the values.
    pub sum_sq: u128,
}

/// A mean with what is known about its precision.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Estimate {
    /// The mean.
    pub mean: f64,
    /// The standard error of the mean.
    pub se: f64,
    /// The degrees of freedom of the standard error: one less than the values it was estimated
    /// from.
    pub df: f64,
}

/// The product of two 128-bit numbers as (high, low) halves.
fn widening_mul(a: u128, b: u128) -> (u128, u128) {
    const LOW: u128 = u64::MAX as u128;
    let a_hi = a >> 64;
    let a_lo = a & LOW;
    let b_hi = b >> 64;
    let b_lo = b & LOW;
    let low = a_lo * b_lo;
    let middle = a_hi * b_lo + (low >> 64);
    let cross = a_lo * b_hi + (middle & LOW);
    (
        a_hi * b_hi + (middle >> 64) + (cross >> 64),
        (cross << 64) | (low & LOW),
    )
}

/// n·Σx² − (Σx)², exactly until the final rounding: 0 only where all values are equal.
///
/// # Panics
/// When the sums are of no sample: by the Cauchy–Schwarz inequality the difference is never
/// negative.
fn scaled_variance(n: u64, sum: i128, sum_sq: u128) -> f64 {
    let (product_hi, product_lo) = widening_mul(u128::from(n), sum_sq);
    let (square_hi, square_lo) = widening_mul(sum.unsigned_abs(), sum.unsigned_abs());
    let (lo, borrow) = product_lo.overflowing_sub(square_lo);
    let hi = product_hi
        .checked_sub(square_hi)
        .and_then(|hi| hi.checked_sub(u128::from(borrow)));
    let hi =
        hi.unwrap_or_else(|| panic!("no {n} values have sum {sum} and sum of squares {sum_sq}"));
    hi as f64 * 2f64.powi(128) + lo as f64
}

impl Moments {
    /// The sums of unsigned values.
    ///
    /// # Panics
    /// When the sum does not fit 127 bits.
    pub fn of_unsigned(n: u64, sum: u128, sum_sq: u128) -> Self {
        Self {
            n,
            sum: i128::try_from(sum).expect("a sum of 64-bit counts fits 127 bits"),
            sum_sq,
        }
    }

    /// The mean; `None` without values.
    pub fn mean(&self) -> Option<f64> {
        (self.n > 0).then(|| self.sum as f64 / self.n as f64)
    }

    /// The unbiased sample variance (nΣx² − (Σx)²) / (n(n − 1)); `None` with fewer than two values.
    ///
    /// The numerator is exact, so that a tiny spread around a large mean is not lost: the textbook
    /// one-pass formula in floating point would cancel (T. Chan, G. Golub and R. LeVeque,
    /// "Algorithms for computing the sample variance", The American Statistician 37, 1983).
    ///
    /// # Panics
    /// When the sums contradict each other.
    pub fn variance(&self) -> Option<f64> {
        let n = self.n as f64;
        (self.n > 1).then(|| scaled_variance(self.n, self.sum, self.sum_sq) / n / (n - 1.0))
    }

    /// The standard error of the mean, √(variance / n); `None` with fewer than two values.
    pub fn standard_error(&self) -> Option<f64> {
        self.variance()
            .map(|variance| (variance / self.n as f64).sqrt())
    }

    /// Mean, standard error and degrees of freedom; `None` with fewer than two values.
    pub fn estimate(&self) -> Option<Estimate> {
        Some(Estimate {
            mean: self.mean()?,
            se: self.standard_error()?,
            df: self.n as f64 - 1.0,
        })
    }
}

impl Estimate {
    /// Student's interval mean ± t·se for this confidence (strictly between 0 and 1).
    ///
    /// Over the differences of paired games this is the paired interval. Source: Student, "The
    /// probable error of a mean", Biometrika 6 (1908).
    pub fn interval(&self, confidence: f64) -> Interval {
        Interval::around(self.mean, student_deviate(self.df, confidence) * self.se)
    }

    /// The two-sided p-value of the hypothesis that the true mean is 0, by Student's t.
    ///
    /// With a standard error of 0 it is 1 for a mean of 0, else 0.
    pub fn p_value(&self) -> f64 {
        match (self.se == 0.0, self.mean == 0.0) {
            (true, true) => 1.0,
            (true, false) => 0.0,
            (false, _) => student_two_sided_p(self.df, self.mean / self.se),
        }
    }
}

/// How two means differ.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct MeanDifference {
    /// A's mean minus B's with its standard error and Welch's degrees of freedom.
    pub difference: Estimate,
    /// The confidence interval of the difference.
    pub interval: Interval,
    /// The two-sided p-value of the hypothesis of no difference.
    pub p_value: f64,
}

/// Welch's comparison of two independent means whose variances may differ.
///
/// se² = se_A² + se_B² with (se_A² + se_B²)² / (se_A⁴/df_A + se_B⁴/df_B) degrees of freedom.
/// Source: B. L. Welch, "The generalization of 'Student's' problem when several different
/// population variances are involved", Biometrika 34 (1947).
///
/// # Panics
/// When `confidence` is not strictly between 0 and 1.
pub fn welch(a: &Estimate, b: &Estimate, confidence: f64) -> MeanDifference {
    let var_a = a.se * a.se;
    let var_b = b.se * b.se;
    let var = var_a + var_b;
    // Shares rather than fourth powers, which could underflow.
    let df = if var > 0.0 {
        1.0 / ((var_a / var).powi(2) / a.df + (var_b / var).powi(2) / b.df)
    } else {
        a.df + b.df
    };
    let difference = Estimate {
        mean: a.mean - b.mean,
        se: var.sqrt(),
        df,
    };
    MeanDifference {
        difference,
        interval: difference.interval(confidence),
        p_value: difference.p_value(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(values: &[i64]) -> Moments {
        Moments {
            n: values.len() as u64,
            sum: values.iter().map(|&v| i128::from(v)).sum(),
            sum_sq: values
                .iter()
                .map(|&v| u128::from(v.unsigned_abs()).pow(2))
                .sum(),
        }
    }

    fn close(found: f64, expected: f64, tolerance: f64) {
        assert!(
            (found - expected).abs() <= tolerance,
            "{found} is not {expected}"
        );
    }

    /// Student's sleep data (Biometrika 1908), in tenths of hours, with the figures that R prints
    /// for `t.test(extra ~ group)`.
    const SLEEP: ([i64; 10], [i64; 10]) = (
        [7, -16, -2, -12, -1, 34, 37, 8, 0, 20],
        [19, 8, 11, 1, -1, 44, 55, 16, 46, 34],
    );

    #[test]
    fn welch_matches_r_on_students_sleep_data() {
        let a = moments(&SLEEP.0).estimate().unwrap();
        let b = moments(&SLEEP.1).estimate().unwrap();
        let found = welch(&a, &b, 0.95);
        close(found.difference.mean / found.difference.se, -1.8608, 5e-5);
        close(found.difference.df, 17.776, 5e-4);
        close(found.p_value, 0.07939, 5e-6);
        close(found.interval.lo / 10.0, -3.365_483_2, 5e-7);
        close(found.interval.hi / 10.0, 0.205_483_2, 5e-7);
    }

    #[test]
    fn paired_interval_matches_r_on_students_sleep_data() {
        let differences: Vec<i64> = SLEEP.0.iter().zip(&SLEEP.1).map(|(a, b)| a - b).collect();
        let paired = moments(&differences).estimate().unwrap();
        close(paired.mean / paired.se, -4.0621, 5e-5);
        close(paired.p_value(), 0.002_833, 5e-7);
        let interval = paired.interval(0.95);
        close(interval.lo / 10.0, -2.459_885_8, 5e-7);
        close(interval.hi / 10.0, -0.700_114_2, 5e-7);
    }

    /// NIST's StRD set "NumAcc4" in spirit: a spread of 1 around 10^15, where one-pass floating
    /// point finds nothing.
    #[test]
    fn small_spreads_around_large_means_are_kept() {
        let base = 1_000_000_000_000_000i64;
        let found = moments(&[base + 1, base + 2, base + 3]);
        assert_eq!(found.variance(), Some(1.0));
        assert_eq!(found.mean(), Some(1_000_000_000_000_002.0));
        assert_eq!(moments(&[base; 7]).variance(), Some(0.0));
    }

    #[test]
    fn wide_products_are_exact() {
        for (a, b) in [
            (u128::MAX, u128::MAX),
            (u128::MAX, 3),
            (1 << 127, 1 << 100),
            (0, 9),
            (u64::MAX as u128, u128::MAX),
        ] {
            let expected = num_bigint::BigUint::from(a) * b;
            let (hi, lo) = widening_mul(a, b);
            assert_eq!((num_bigint::BigUint::from(hi) << 128u32) + lo, expected);
        }
    }

    #[test]
    fn what_is_undefined_is_none() {
        assert_eq!((moments(&[]).mean(), moments(&[]).variance()), (None, None));
        assert_eq!(
            (moments(&[5]).mean(), moments(&[5]).standard_error()),
            (Some(5.0), None)
        );
        assert_eq!(moments(&[5, 5]).estimate().unwrap().p_value(), 0.0);
        assert_eq!(moments(&[0, 0]).estimate().unwrap().p_value(), 1.0);
    }

    #[test]
    #[should_panic(expected = "no 2 values have sum 10")]
    fn contradictory_sums_are_refused() {
        let _ = Moments {
            n: 2,
            sum: 10,
            sum_sq: 49,
        }
        .variance();
    }
}
