//! The regularized incomplete beta function, its inverse, and Student's t by way of both.
//!
//! Library versions fail where this laboratory works: with 10^10 games the difference of log-gammas
//! has lost five digits, and a continued fraction cut at a fixed number of terms has not converged.
//! Here the factor in front comes from Loader's saddle-point form, whose parts are all small, and
//! the fraction runs until it stands still.
//!
//! Sources: C. Loader, "Fast and Accurate Computation of Binomial Probabilities" (2000), for the
//! density; A. R. DiDonato and A. H. Morris, "Algorithm 708: Significant digit computation of the
//! incomplete beta function ratios", ACM TOMS 18 (1992), for the continued fraction; M. Abramowitz
//! and I. Stegun, *Handbook of Mathematical Functions*, 26.5 and 26.7, for the relations between
//! the distributions.

use statrs::function::gamma::ln_gamma;
use std::f64::consts::{PI, TAU};

/// The two tail probabilities of a distribution at a point; the smaller one is accurate in all its
/// digits.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Tails {
    /// The probability below the point.
    pub lower: f64,
    /// The probability above the point.
    pub upper: f64,
}

impl Tails {
    /// The tails with this lower one.
    fn of_lower(lower: f64) -> Self {
        let upper = 1.0 - lower;
        Self { lower, upper }
    }

    /// The tails with this upper one.
    fn of_upper(upper: f64) -> Self {
        let lower = 1.0 - upper;
        Self { lower, upper }
    }
}

/// Which tail a quantile is asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Side {
    /// The given probability lies below the quantile.
    Lower,
    /// The given probability lies above the quantile.
    Upper,
}

/// What Stirling's formula misses: ln Γ(z+1) − (z + ½) ln z + z − ½ ln 2π, for z > 0.
fn stirling_error(z: f64) -> f64 {
    if z < 15.0 {
        return ln_gamma(z + 1.0) - (z + 0.5) * z.ln() + z - 0.5 * TAU.ln();
    }
    let w = 1.0 / (z * z);
    (1.0 / 12.0 - (1.0 / 360.0 - (1.0 / 1260.0 - (1.0 / 1680.0 - w / 1188.0) * w) * w) * w) / z
}

/// Loader's deviance x ln(x/m) + m − x for x, m > 0, where `difference` is x − m, known more
/// exactly than the two.
fn deviance(x: f64, m: f64, difference: f64) -> f64 {
    let v = difference / (x + m);
    if v.abs() >= 0.1 {
        return x * (x / m).ln() - difference;
    }
    // x ln(x/m) = 2x artanh(v), as a series in v; near x = m the plain form would cancel.
    let mut sum = difference * v;
    let mut power = 2.0 * x * v;
    for j in 1..1000 {
        power *= v * v;
        let next = sum + power / f64::from(2 * j + 1);
        if next == sum {
            break;
        }
        sum = next;
    }
    sum
}

/// The "binomial" probability Γ(n+1) / (Γ(a+1) Γ(b+1)) · x^a · y^b with n = a + b, for real a, b >
/// 0.
///
/// `y` is 1 − x, passed beside it because either may be too small to be told from the other's
/// complement.
pub(super) fn binomial_density(a: f64, b: f64, x: f64, y: f64) -> f64 {
    let n = a + b;
    let difference = a * y - b * x;
    let exponent = stirling_error(n)
        - stirling_error(a)
        - stirling_error(b)
        - deviance(a, n * x, difference)
        - deviance(b, n * y, -difference);
    (n / (2.0 * PI * a * b)).sqrt() * exponent.exp()
}

/// The probability of `wins` wins and `losses` losses at a rate whose complement is `miss`; 0 where
/// either count is negative.
pub(super) fn binomial_probability(wins: f64, losses: f64, rate: f64, miss: f64) -> f64 {
    if wins < 0.0 || losses < 0.0 {
        0.0
    } else if wins == 0.0 {
        (losses * (-rate).ln_1p()).exp()
    } else if losses == 0.0 {
        (wins * (-miss).ln_1p()).exp()
    } else {
        binomial_density(wins, losses, rate, miss)
    }
}

/// The probabilities of `k` or more of `n` trials at a rate (lower), and of fewer (upper).
pub(super) fn at_least(k: f64, n: f64, rate: f64) -> Tails {
    if k <= 0.0 {
        Tails::of_lower(1.0)
    } else if k > n {
        Tails::of_lower(0.0)
    } else {
        beta_tails(k, n - k + 1.0, rate, 1.0 - rate)
    }
}

/// The continued fraction of the incomplete beta function in the form of DiDonato and Morris
/// (`BFRAC`), by the modified Lentz method.
///
/// The probability below x is x^a·y^b / B(a, b) times the value returned. `lambda` is a·y − b·x ≥
/// 0, known exactly enough where neither x nor y alone would be. Converges within a few times
/// √max(a, b) terms.
fn continued_fraction(a: f64, b: f64, x: f64, y: f64, lambda: f64) -> f64 {
    const TINY: f64 = 1e-300;
    let away_from_zero = |value: f64| if value.abs() < TINY { TINY } else { value };
    let mut fraction = away_from_zero((1.0 + lambda) * a / (a + 1.0));
    let mut c = fraction;
    let mut d = 0.0;
    let mut n = 1.0;
    loop {
        let s = a + 2.0 * n - 1.0;
        let w = n * (b - n) * x;
        let alpha = (a + n - 1.0) / s * ((a + b + n - 1.0) / s) * (w * x);
        let beta = n + w / s + (a + n) / (s + 2.0) * (lambda + 1.0 + n * (1.0 + y));
        d = 1.0 / away_from_zero(beta + alpha * d);
        c = away_from_zero(beta + alpha / c);
        let change = c * d;
        fraction *= change;
        if (change - 1.0).abs() <= f64::EPSILON || n >= 1e7 {
            return 1.0 / fraction;
        }
        n += 1.0;
    }
}

/// The tails of the beta distribution with parameters `a`, `b` > 0 at `x`, where `y` is 1 − x.
///
/// # Panics
/// When `a` or `b` is not a positive finite number.
///
/// # Examples
/// ```
/// let tails = tilelab_stats::beta::beta_tails(2.0, 3.0, 0.5, 0.5);
/// assert!((tails.lower - 11.0 / 16.0).abs() < 1e-14);
/// ```
pub fn beta_tails(a: f64, b: f64, x: f64, y: f64) -> Tails {
    assert!(
        a > 0.0 && b > 0.0 && a.is_finite() && b.is_finite(),
        "beta parameters must be positive, not {a}, {b}"
    );
    if x <= 0.0 {
        return Tails::of_lower(0.0);
    }
    if y <= 0.0 {
        return Tails::of_lower(1.0);
    }
    // x^a·y^b / B(a, b).
    let front = binomial_density(a, b, x, y) * a * b / (a + b);
    let lambda = a * y - b * x;
    if lambda >= 0.0 {
        Tails::of_lower(front * continued_fraction(a, b, x, y, lambda))
    } else {
        Tails::of_upper(front * continued_fraction(b, a, y, x, -lambda))
    }
}

/// The point (x, 1 − x) at which one tail of the beta distribution with parameters `a`, `b` holds
/// probability `p`.
///
/// Newton's method on the logarithm of the tail as a function of logit(x). That function is
/// concave, because the beta density is log-concave on the logit scale, so from the second step on
/// the iterates approach the root from one side and cannot overshoot.
///
/// # Panics
/// When `p` is not strictly between 0 and 1, or `a` or `b` is not a positive finite number.
pub fn beta_quantile(a: f64, b: f64, side: Side, p: f64) -> (f64, f64) {
    assert!(
        p > 0.0 && p < 1.0,
        "a quantile is asked for a probability strictly between 0 and 1, not {p}"
    );
    let is_lower = side == Side::Lower;
    let sign = if is_lower { 1.0 } else { -1.0 };
    let split = |u: f64| {
        let odds = (-u.abs()).exp();
        let smaller = odds / (1.0 + odds);
        let larger = 1.0 / (1.0 + odds);
        if u < 0.0 {
            (smaller, larger)
        } else {
            (larger, smaller)
        }
    };
    let spread = (1.0 / a + 1.0 / b).sqrt().min(5.0);
    let mut u = (a / b).ln() - sign * super::normal_upper_quantile(p) * spread;
    let mut last_step = f64::INFINITY;
    for round in 0..200 {
        let (x, y) = split(u);
        let tails = beta_tails(a, b, x, y);
        let tail = if is_lower { tails.lower } else { tails.upper };
        // d tail / du is the beta density times dx/du = x·y, which is this "binomial" probability
        // times ab/(a + b).
        let slope = binomial_density(a, b, x, y) * a * b / (a + b) / tail;
        let step = sign * (p.ln() - tail.ln()) / slope;
        let step = if step.is_finite() {
            step.clamp(-8.0, 8.0)
        } else {
            sign * if tail > p { -8.0 } else { 8.0 }
        };
        u += step;
        if step.abs() <= 1e-15 * u.abs().max(1.0)
            || (round > 3 && step.abs() < 1e-9 && step.abs() >= last_step)
        {
            break;
        }
        last_step = step.abs();
    }
    split(u)
}

/// The value that Student's t with `df` > 0 degrees of freedom exceeds with probability `tail`
/// (above 0, at most ½).
///
/// t² / (df + t²) has the beta distribution with parameters ½ and df/2 (Abramowitz and Stegun
/// 26.7.1).
pub fn student_upper_quantile(df: f64, tail: f64) -> f64 {
    if tail >= 0.5 {
        return 0.0;
    }
    let (x, y) = beta_quantile(0.5, df / 2.0, Side::Upper, 2.0 * tail);
    (df * x / y).sqrt()
}

/// The probability that Student's t with `df` > 0 degrees of freedom is at least as far from 0 as
/// `t`, on either side.
pub fn student_two_sided_p(df: f64, t: f64) -> f64 {
    if t.is_infinite() {
        return 0.0;
    }
    let square = t * t;
    beta_tails(0.5, df / 2.0, square / (df + square), df / (df + square)).upper
}

#[cfg(test)]
mod tests {
    use super::*;

    fn close(found: f64, expected: f64, relative: f64) {
        assert!(
            (found - expected).abs() <= relative * expected.abs(),
            "{found} is not {expected}"
        );
    }

    /// The incomplete beta function with whole parameters is a binomial tail, which can be summed
    /// term by term.
    #[test]
    fn tails_are_binomial_sums() {
        for n in 1u32..=40 {
            for k in 1..=n {
                for x in [1e-6, 0.01, 0.3, 0.5, 0.77, 0.999] {
                    let y = 1.0 - x;
                    let mut choose = 1.0;
                    let terms: Vec<f64> = (0..=n)
                        .map(|j| {
                            let term =
                                choose * f64::powi(x, j as i32) * f64::powi(y, (n - j) as i32);
                            choose = choose * f64::from(n - j) / f64::from(j + 1);
                            term
                        })
                        .collect();
                    let tails = beta_tails(f64::from(k), f64::from(n - k + 1), x, y);
                    close(tails.lower, terms[k as usize..].iter().sum(), 1e-12);
                    close(tails.upper, terms[..k as usize].iter().sum(), 1e-12);
                }
            }
        }
    }

    #[test]
    fn quantiles_give_back_their_tail() {
        for a in [0.5, 1.0, 3.0, 120.0, 4.5e4, 3e6, 5e9] {
            for b in [0.5, 1.0, 7.0, 300.0, 9.9e5, 1e10] {
                for p in [1e-6, 0.0005, 0.025, 0.4, 0.6, 0.975] {
                    for side in [Side::Lower, Side::Upper] {
                        let (x, y) = beta_quantile(a, b, side, p);
                        let tails = beta_tails(a, b, x, y);
                        let tail = if side == Side::Lower {
                            tails.lower
                        } else {
                            tails.upper
                        };
                        assert!(
                            (tail - p).abs() < 2e-9 * p,
                            "Beta({a}, {b}) {side:?} {p}: {tail}"
                        );
                    }
                }
            }
        }
    }

    /// With a huge second parameter the beta distribution is a gamma distribution: whole shapes
    /// have a closed Poisson sum.
    #[test]
    fn ten_billion_games_agree_with_the_poisson_limit() {
        for (k, p) in [(1u32, 0.025), (3, 0.025), (10, 0.975)] {
            let (x, _) = beta_quantile(f64::from(k), 1e10, Side::Lower, p);
            let mean = x * (1e10 + f64::from(k) / 2.0 - 0.5);
            let mut term = (-mean).exp();
            let mut below = 0.0;
            for j in 0..k {
                below += term;
                term *= mean / f64::from(j + 1);
            }
            close(1.0 - below, p, 1e-8);
        }
    }

    /// The two-sided 5 % and 1 % points printed in every table of Student's t (Abramowitz and
    /// Stegun, table 26.10).
    #[test]
    fn student_quantiles_are_the_tabulated_ones() {
        for (df, tail, expected) in [
            (1.0, 0.025, 12.706),
            (2.0, 0.025, 4.303),
            (5.0, 0.005, 4.032),
            (9.0, 0.025, 2.262),
            (30.0, 0.025, 2.042),
            (120.0, 0.005, 2.617),
        ] {
            let found = student_upper_quantile(df, tail);
            assert!(
                (found - expected).abs() < 5.1e-4,
                "t({df}, {tail}) = {found}"
            );
            close(student_two_sided_p(df, found), 2.0 * tail, 1e-12);
        }
        close(
            student_upper_quantile(1e9, 0.025),
            super::super::normal_upper_quantile(0.025),
            1e-8,
        );
        close(
            super::super::normal_upper_quantile(0.025),
            1.959_963_984_540_054,
            1e-14,
        );
    }

    /// What the library's own inverse makes of ten billion games is why this file exists.
    #[test]
    fn where_both_work_the_library_agrees() {
        use statrs::distribution::{Beta, ContinuousCDF};
        for (a, b) in [(2.0, 5.0), (30.0, 4.0), (100.0, 250.0)] {
            let library = Beta::new(a, b).unwrap();
            for x in [0.1, 0.3, 0.6, 0.9] {
                let found = beta_tails(a, b, x, 1.0 - x);
                assert!(
                    (found.lower - library.cdf(x)).abs() < 1e-12,
                    "I_{x}({a}, {b})"
                );
            }
        }
    }
}
