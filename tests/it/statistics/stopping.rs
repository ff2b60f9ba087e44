//! The interval of a cell that stopped by itself covers the rate as often as it says.

use crate::effort::times;
use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};
use tilelab::stats::Rule;

#[path = "../../../examples/coverage/rules.rs"]
mod rules;
use rules::RULES;

/// Exact coverage at random rates from 10⁻⁵ to 0.9, which are not those that the calibration tried:
/// of every third rule, and of all of them where more is asked for.
#[test]
fn calibrated_rules_cover_at_every_rate() {
    let mut stream = Xoshiro256PlusPlus::seed_from_u64(95);
    let mut uniform = || (stream.next_u64() >> 11) as f64 / (1u64 << 53) as f64;
    let every = if times(1) > 1 { 1 } else { 3 };
    for (half_width, relative, max_games) in RULES.into_iter().step_by(every) {
        let rule = Rule::new(half_width, relative, max_games, 0.95).unwrap();
        let mut worst = (1.0, 0.0);
        for number in 0..40 {
            let rate = if number % 2 == 0 {
                1e-5 * 9e4f64.powf(uniform())
            } else {
                0.1 + 0.8 * uniform()
            };
            let coverage = rule.coverage(rate);
            if coverage < worst.0 {
                worst = (coverage, rate);
            }
        }
        println!(
            "half_width {half_width:?}, relative {relative:?}, max_games {max_games}: {} looks at {:.4}, least coverage {:.4} at {:.6}",
            rule.looks().len(),
            rule.confidence_per_look(),
            worst.0,
            worst.1
        );
        assert!(
            worst.0 >= 0.95,
            "{rule:?}: coverage {} at {}",
            worst.0,
            worst.1
        );
        assert!(rule.confidence_per_look() <= 0.97, "{rule:?}");
    }
}
