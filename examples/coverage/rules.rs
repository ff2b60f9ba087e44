//! The stopping rules whose coverage is shown (`examples/coverage.rs`) and tested.

/// `half_width`, `relative` and `max_games` of a rule.
pub type Given = (Option<f64>, Option<f64>, u64);

/// The rules.
pub const RULES: [Given; 20] = [
    (Some(0.03), None, 3_000),
    (Some(0.02), None, 10_000_000),
    (Some(0.01), None, 10_000_000),
    (Some(0.005), None, 10_000_000),
    (Some(0.001), None, 10_000_000),
    (Some(0.001), None, 100_000),
    (Some(0.0005), None, 100_000_000),
    (Some(0.0001), None, 1_000_000_000),
    (Some(0.1), None, 10_000),
    (None, Some(0.5), 10_000_000),
    (None, Some(0.2), 10_000_000),
    (None, Some(0.2), 20_000),
    (None, Some(0.1), 10_000_000),
    (None, Some(0.1), 50_000),
    (None, Some(0.05), 100_000_000),
    (None, Some(0.01), 10_000_000_000),
    (Some(0.01), Some(0.05), 10_000_000),
    (Some(0.005), Some(0.3), 300_000),
    (Some(0.002), Some(0.5), 10_000_000),
    (Some(0.0002), Some(0.1), 100_000_000),
];
