//! Many comparisons at once.

/// Holm's step-down adjusted p-values, in the order given.
///
/// Sorted ascending, the i-th of m values (from 0) becomes the largest of (m − j)·p_j over j ≤ i,
/// at most 1. Rejecting where the adjusted value is at most α keeps the probability of any false
/// rejection at most α, however the tests depend on each other. Source: S. Holm, "A simple
/// sequentially rejective multiple test procedure", Scandinavian Journal of Statistics 6 (1979).
///
/// # Panics
/// When a value is not a probability.
///
/// # Examples
/// ```
/// let adjusted = tilelab_stats::holm(&[0.01, 0.04, 0.03, 0.005]);
/// for (found, expected) in adjusted.iter().zip([0.03, 0.06, 0.06, 0.02]) {
///     assert!((found - expected).abs() < 1e-15);
/// }
/// ```
pub fn holm(p_values: &[f64]) -> Vec<f64> {
    check(p_values);
    let mut order: Vec<usize> = (0..p_values.len()).collect();
    order.sort_by(|&a, &b| p_values[a].total_cmp(&p_values[b]));
    let mut adjusted = vec![0.0; p_values.len()];
    let mut largest: f64 = 0.0;
    for (rank, &index) in order.iter().enumerate() {
        largest = largest
            .max((p_values.len() - rank) as f64 * p_values[index])
            .min(1.0);
        adjusted[index] = largest;
    }
    adjusted
}

/// The p-value of independent tests together: that of the hypothesis that all of theirs hold;
/// `None` without tests.
///
/// −2 Σ ln p has the χ² distribution with twice as many degrees of freedom as there are tests,
/// whose upper tail at 2x is e^(−x) Σ x^i / i! over i below their number. Source: R. A. Fisher,
/// *Statistical Methods for Research Workers* (1934), section 21.1.
///
/// # Panics
/// When a value is not a probability.
pub fn fisher_combined(p_values: &[f64]) -> Option<f64> {
    check(p_values);
    if p_values.is_empty() {
        return None;
    }
    let x: f64 = -p_values.iter().map(|p| p.ln()).sum::<f64>();
    if x.is_infinite() {
        return Some(0.0);
    }
    let mut term = (-x).exp();
    let mut sum = term;
    for i in 1..p_values.len() {
        term *= x / i as f64;
        sum += term;
    }
    Some(sum.min(1.0))
}

fn check(p_values: &[f64]) {
    assert!(
        p_values.iter().all(|p| (0.0..=1.0).contains(p)),
        "p-values lie between 0 and 1: {p_values:?}"
    );
}

#[cfg(test)]
mod tests {
    use super::{fisher_combined, holm};

    /// `scipy.stats.combine_pvalues(p, method="fisher")`.
    #[test]
    fn combined_values_match_scipy() {
        for (p_values, expected) in COMBINED {
            let found = fisher_combined(p_values).unwrap();
            assert!((found - expected).abs() < 1e-12, "{p_values:?}: {found}");
        }
        assert_eq!(fisher_combined(&[]), None);
        assert_eq!(fisher_combined(&[0.3, 0.0]), Some(0.0));
    }

    const COMBINED: [(&[f64], f64); 3] = [
        (&[0.2], 0.2),
        (&[0.01, 0.2, 0.3], 0.021_561_751_324_834_632),
        (&[0.5, 0.9, 1.0, 0.04, 0.7], 0.556_163_489_487_016_2),
    ];

    /// R: `p.adjust(c(0.01, 0.02, 0.03, 0.04, 0.05), "holm")`.
    #[test]
    fn adjusted_values_match_r() {
        let adjusted = holm(&[0.05, 0.01, 0.04, 0.02, 0.03]);
        for (found, expected) in adjusted.iter().zip([0.09, 0.05, 0.09, 0.08, 0.09]) {
            assert!((found - expected).abs() < 1e-15, "{adjusted:?}");
        }
        assert_eq!(holm(&[]), Vec::<f64>::new());
        assert_eq!(holm(&[0.2]), vec![0.2]);
        assert_eq!(holm(&[0.9, 0.9]), vec![1.0, 1.0]);
    }
}
