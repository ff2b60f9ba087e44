//! Exact tests for two rates: Fisher's for independent games, McNemar's for pairs.

use super::beta::{at_least, binomial_probability};
use super::coverage::first_that_holds;

/// The hypergeometric distribution of A's successes, all margins of the 2 × 2 table given.
struct Margins {
    /// A's trials.
    trials_a: u64,
    /// B's trials.
    trials_b: u64,
    /// Successes of both.
    successes: u64,
}

impl Margins {
    /// The fewest successes A can have.
    fn least(&self) -> u64 {
        self.successes.saturating_sub(self.trials_b)
    }

    /// The most successes A can have.
    fn most(&self) -> u64 {
        self.successes.min(self.trials_a)
    }

    /// The likeliest number of A's successes.
    fn mode(&self) -> u64 {
        let a = u128::from(self.trials_a);
        let b = u128::from(self.trials_b);
        let s = u128::from(self.successes);
        (((a + 1) * (s + 1)) / (a + b + 2)) as u64
    }

    /// The probability that A has `x` of the successes, by Loader's product of three binomial
    /// probabilities.
    fn probability(&self, x: u64) -> f64 {
        let trials = (self.trials_a + self.trials_b) as f64;
        let rate = self.successes as f64 / trials;
        let miss = (self.trials_a + self.trials_b - self.successes) as f64 / trials;
        let part = |successes: u64, trials: u64| {
            let failures = (trials - successes) as f64;
            binomial_probability(successes as f64, failures, rate, miss)
        };
        part(x, self.trials_a) * part(self.successes - x, self.trials_b)
            / part(self.successes, self.trials_a + self.trials_b)
    }

    /// P(x + 1) / P(x).
    fn ratio_up(&self, x: u64) -> f64 {
        let a = self.trials_a as f64;
        let b = self.trials_b as f64;
        let s = self.successes as f64;
        let x = x as f64;
        (s - x) / (x + 1.0) * ((a - x) / (b - s + x + 1.0))
    }

    /// The probability of the counts from `x` to `end`, which lies on the other side of `x` than
    /// the mode: terms shrink, and are left out when they no longer count.
    fn tail(&self, mut x: u64, end: u64) -> f64 {
        let mut term = self.probability(x);
        let mut sum = term;
        while x != end && term > sum * 1e-17 {
            if x < end {
                term *= self.ratio_up(x);
                x += 1;
            } else {
                x -= 1;
                term /= self.ratio_up(x);
            }
            sum += term;
        }
        sum
    }
}

/// Fisher's two-sided test of the hypothesis that A and B, each (successes, trials), have one rate,
/// as (mid-p, exact p).
///
/// The exact p is the sum of the probabilities, given all margins, of the tables that are at most
/// as likely as the one seen; a table counts as equally likely within a relative 10^-7, as R's
/// `fisher.test` has it. Both tails are summed outwards from their inner ends, so the work grows
/// with the standard deviation of the count only. 1 where either side has no trials. Source: R. A.
/// Fisher, *Statistical Methods for Research Workers* (1934), section 21.02; the probabilities
/// after Loader (see [`super::beta`]).
///
/// The mid-p counts half the probability of the tables that are as likely as the one seen. The
/// exact p rejects true hypotheses less often than its level says, because the table is discrete;
/// the mid-p does so about as often as it says. Source: H. O. Lancaster, "Significance tests in
/// discrete distributions", JASA 56 (1961).
///
/// # Panics
/// When there are more successes than trials, or 2^63 trials or more on one side.
///
/// # Examples
/// ```
/// // The lady tasting tea: three of four cups right.
/// let (mid_p, p) = tilelab_stats::fisher_mid_p((3, 4), (1, 4));
/// assert!((p - 34.0 / 70.0).abs() < 1e-12 && (mid_p - 18.0 / 70.0).abs() < 1e-12);
/// ```
pub fn fisher_mid_p(a: (u64, u64), b: (u64, u64)) -> (f64, f64) {
    let (exact, equal) = fisher(a, b);
    (exact - equal / 2.0, exact)
}

/// McNemar's test that neither of two cells wins more of the pairs that only one of them won, as
/// (mid-p, exact p).
///
/// The exact p is twice the smaller tail of `only_a` of `only_a` + `only_b` halves, at most 1; the
/// mid-p is less by the probability of the result itself. Source: M. W. Fagerland, S. Lydersen and
/// P. Laake, "The McNemar test for binary matched-pairs data: mid-p and asymptotic are better than
/// exact conditional", BMC Medical Research Methodology 13 (2013).
///
/// # Examples
/// ```
/// let (mid_p, exact_p) = tilelab_stats::mcnemar_mid_p(0, 5);
/// assert!((mid_p - 1.0 / 32.0).abs() < 1e-12 && (exact_p - 1.0 / 16.0).abs() < 1e-12);
/// ```
pub fn mcnemar_mid_p(only_a: u64, only_b: u64) -> (f64, f64) {
    let fewer = only_a.min(only_b) as f64;
    let more = only_a.max(only_b) as f64;
    if fewer == more {
        return (1.0, 1.0);
    }
    // By symmetry, P(X ≤ fewer) is P(X ≥ more).
    let tail = at_least(more, fewer + more, 0.5).lower;
    let exact = (2.0 * tail).min(1.0);
    // Next to the middle both tails hold the result: 2P(X ≤ k) is 1.
    (
        2.0 * tail - binomial_probability(fewer, more, 0.5, 0.5),
        exact,
    )
}

/// The exact p-value, and the probability of the tables that are as likely as the one seen.
fn fisher(a: (u64, u64), b: (u64, u64)) -> (f64, f64) {
    assert!(
        a.0 <= a.1 && b.0 <= b.1,
        "more successes than trials: {a:?} {b:?}"
    );
    assert!(
        a.1 < 1 << 63 && b.1 < 1 << 63,
        "too many trials: {a:?} {b:?}"
    );
    let margins = Margins {
        trials_a: a.1,
        trials_b: b.1,
        successes: a.0 + b.0,
    };
    let least = margins.least();
    let most = margins.most();
    let mode = margins.mode().clamp(least, most);
    if least == most {
        return (1.0, 1.0);
    }
    let own = margins.probability(a.0);
    let seen = own * (1.0 + 1e-7);
    // The neighbours of the mode may be as likely as it is.
    let is_equal = |x: u64| {
        x != a.0 && (least..=most).contains(&x) && margins.probability(x) >= own * (1.0 - 1e-7)
    };
    if margins.probability(mode) <= seen {
        let twins = [a.0.wrapping_sub(1), a.0 + 1]
            .into_iter()
            .filter(|&x| is_equal(x))
            .count();
        return (1.0, own * (1 + twins) as f64);
    }
    if a.0 > mode {
        return fisher(b, a);
    }
    // The first count above the mode that is as unlikely: probabilities fall from the mode on.
    let unlikely = first_that_holds(mode + 1, most, |x| margins.probability(x) <= seen);
    let other = if unlikely > most {
        0.0
    } else {
        margins.tail(unlikely, most)
    };
    // In the other tail, only the innermost table can be as likely.
    let twin = if is_equal(unlikely) {
        margins.probability(unlikely)
    } else {
        0.0
    };
    ((margins.tail(a.0, least) + other).min(1.0), own + twin)
}

#[cfg(test)]
mod tests {
    use super::super::normal_two_sided_p;
    use super::*;

    /// R: `binom.test(only_a, only_a + only_b)$p.value`, and the mid-p from the sums of `pbinom`.
    #[test]
    fn mcnemars_test_matches_the_binomial_test() {
        for (only_a, only_b, expected, mid) in [
            (0, 0, 1.0, 1.0),
            (5, 5, 1.0, 1.0),
            (0, 5, 0.0625, 0.031_25),
            (1, 9, 0.021_484_375, 0.011_718_75),
            (8, 2, 0.109_375, 0.065_429_687_5),
            (10, 11, 1.0, 0.831_811_904_907_226_6),
            (3, 12, 0.035_156_25, 0.021_270_751_953_125),
        ] {
            let (found_mid, found) = mcnemar_mid_p(only_a, only_b);
            assert!(
                (found - expected).abs() < 1e-12 && (found_mid - mid).abs() < 1e-12,
                "{only_a} {only_b}: {found_mid} {found}"
            );
        }
    }

    fn check(a: (u64, u64), b: (u64, u64), expected: f64, relative: f64) {
        for found in [
            fisher_mid_p(a, b),
            fisher_mid_p(b, a),
            fisher_mid_p((a.1 - a.0, a.1), (b.1 - b.0, b.1)),
        ]
        .map(|(_, exact)| exact)
        {
            assert!(
                (found - expected).abs() <= relative * expected,
                "{a:?} {b:?}: {found} is not {expected}"
            );
        }
    }

    /// R's documentation of `fisher.test`: Fisher's convicted twins (0.0005367); and the example of
    /// the method's encyclopedia article (1 of 10 against 11 of 14: 0.002759456).
    #[test]
    fn published_tables() {
        check((2, 17), (10, 13), 0.000_536_7, 1e-4);
        check((1, 10), (11, 14), 0.002_759_456, 1e-6);
        check((0, 5), (0, 9), 1.0, 0.0);
        check((0, 0), (4, 9), 1.0, 0.0);
        check((4, 4), (4, 4), 1.0, 0.0);
    }

    /// Sums of `scipy.stats.hypergeom` (scipy 1.17).
    #[test]
    fn mid_p_values_match_scipy() {
        for (a, b, expected) in [
            ((2, 17), (10, 13), 0.000_311_874_138_118_910_4),
            ((1, 10), (11, 14), 0.001_413_379_997_307_847_8),
            ((3, 4), (1, 4), 0.257_142_857_142_857_1),
            ((0, 5), (0, 9), 0.5),
        ] {
            let (found, _) = fisher_mid_p(a, b);
            assert!((found - expected).abs() < 1e-12, "{a:?} {b:?}: {found}");
        }
    }

    /// All tables with small margins against the definition, in exact integers.
    #[test]
    fn small_tables_match_the_definition() {
        fn choose(n: u64, k: u64) -> u128 {
            (0..k).fold(1, |product, i| {
                product * u128::from(n - i) / u128::from(i + 1)
            })
        }
        for trials_a in 1..=9u64 {
            for trials_b in 1..=12u64 {
                for successes in 0..=trials_a + trials_b {
                    let range = successes.saturating_sub(trials_b)..=successes.min(trials_a);
                    let weight = |x: u64| choose(trials_a, x) * choose(trials_b, successes - x);
                    let all: u128 = range.clone().map(weight).sum();
                    for x in range.clone() {
                        let extreme: u128 =
                            range.clone().map(weight).filter(|&w| w <= weight(x)).sum();
                        let (mid, found) = fisher_mid_p((x, trials_a), (successes - x, trials_b));
                        assert!(
                            (found - extreme as f64 / all as f64).abs() < 1e-10,
                            "{x}/{trials_a} {successes}"
                        );
                        let equal: u128 =
                            range.clone().map(weight).filter(|&w| w == weight(x)).sum();
                        let expected = (extreme as f64 - equal as f64 / 2.0) / all as f64;
                        assert!(
                            (mid - expected).abs() < 1e-10,
                            "{x}/{trials_a} {successes}: {mid}"
                        );
                    }
                }
            }
        }
    }

    /// With a hundred million games the discreteness is gone and the score test gives the same.
    #[test]
    fn large_arms_agree_with_the_score_test_and_are_quick() {
        let started = std::time::Instant::now();
        let tables = [
            ((50_010_000, 100_000_000), (49_998_000, 100_000_000)),
            ((30_400, 100_000_000), (30_000, 100_000_000)),
            ((121_000, 1_000_000), (12_000_000, 100_000_000)),
        ];
        for (a, b) in tables {
            let share = |(successes, trials): (u64, u64)| successes as f64 / trials as f64;
            let pooled = share((a.0 + b.0, a.1 + b.1));
            let variance = pooled * (1.0 - pooled) * (1.0 / a.1 as f64 + 1.0 / b.1 as f64);
            let z = (share(a) - share(b)) / variance.sqrt();
            check(a, b, normal_two_sided_p(z), 0.02);
        }
        assert!(fisher_mid_p((10, 100_000_000), (90_000_000, 100_000_000)).1 < 1e-300);
        // Thirteen tests; a test must take about a millisecond at most, even on a busy machine.
        assert!(
            started.elapsed().as_millis() < 130,
            "{:?}",
            started.elapsed()
        );
    }
}
