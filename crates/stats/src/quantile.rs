//! Exact intervals for quantiles.

use super::beta::at_least;
use super::coverage::first_that_holds;

/// The ranks (from 1) of the two order statistics of `n` observations between which the quantile of
/// order `q` (0 to 1, exclusive) lies with at least the given confidence; `None` where no pair of
/// ranks is wide enough.
///
/// The number of observations below the quantile is binomial, so the ranks do not depend on the
/// distribution. Each side misses with probability (1 − confidence)/2 at most. Where observations
/// are whole numbers with ties the interval covers more. Source: W. J. Conover, *Practical
/// Nonparametric Statistics* (3rd ed., 1999), section 3.2.
///
/// # Panics
/// When `q` or `confidence` is not strictly between 0 and 1.
///
/// # Examples
/// ```
/// assert_eq!(tilelab_stats::quantile_ranks(100, 0.5, 0.95), Some((40, 61)));
/// ```
pub fn quantile_ranks(n: u64, q: f64, confidence: f64) -> Option<(u64, u64)> {
    assert!(
        q > 0.0 && q < 1.0,
        "the order of a quantile lies strictly between 0 and 1, not {q}"
    );
    let tail = super::alpha(confidence) / 2.0;
    // The probabilities of k or more observations below the quantile, and of fewer.
    let tails = |k: u64| at_least(k as f64, n as f64, q);
    // The lower rank is the largest with P(fewer than it lie below) at most the tail; the upper one
    // is the least with P(at least it lie below) at most the tail.
    let lower = first_that_holds(1, n, |k| tails(k).upper > tail) - 1;
    let upper = first_that_holds(1, n, |k| tails(k).lower <= tail);
    (lower >= 1 && upper <= n).then_some((lower, upper))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Ranks from binomial tails summed term by term.
    #[test]
    fn ranks_are_those_of_binomial_sums() {
        for (n, q, confidence) in [
            (100u64, 0.5, 0.95),
            (30, 0.9, 0.9),
            (59, 0.99, 0.95),
            (250, 0.9, 0.99),
            (8, 0.5, 0.95),
        ] {
            let mut terms = vec![(1.0f64 - q).powi(n as i32)];
            for k in 0..n {
                let next = terms[k as usize] * (n - k) as f64 / (k as f64 + 1.0) * q / (1.0 - q);
                terms.push(next);
            }
            let tail = (1.0 - confidence) / 2.0;
            let fewer = |k: u64| terms[..k as usize].iter().sum::<f64>();
            let lower = (1..=n).rev().find(|&k| fewer(k) <= tail);
            let upper = (1..=n).find(|&k| 1.0 - fewer(k) <= tail);
            let expected = lower.zip(upper);
            assert_eq!(
                quantile_ranks(n, q, confidence),
                expected,
                "{n} observations, quantile {q}"
            );
        }
    }

    /// Ranks from `binom` of scipy.
    #[test]
    fn ranks_are_those_of_scipy() {
        assert_eq!(quantile_ranks(1_000, 0.5, 0.95), Some((469, 532)));
        assert_eq!(quantile_ranks(10_000, 0.99, 0.95), Some((9_880, 9_920)));
    }
}
