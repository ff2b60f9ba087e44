//! Whole numbers of any size.

use super::Operator;
use num_bigint::BigInt;
use num_traits::{FromPrimitive, ToPrimitive};
use std::borrow::Cow;
use std::fmt;

/// A whole number of any size, without an allocation if it fits into 64 bits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Number(Form);

#[derive(Clone, Debug, PartialEq, Eq)]
enum Form {
    Small(i64),
    /// Never a number that fits into an `i64`, so that equal numbers have equal forms.
    Large(Box<BigInt>),
}

impl Number {
    /// The number that a float is; `None` if it is not a whole number.
    pub fn from_f64(float: f64) -> Option<Self> {
        if float.fract() != 0.0 {
            return None;
        }
        if float.abs() < 2_f64.powi(63) {
            return Some((float as i64).into());
        }
        BigInt::from_f64(float).map(Self::from)
    }

    /// The nearest float, ties to even; infinite beyond the range of `f64`.
    pub fn to_f64(&self) -> f64 {
        match &self.0 {
            Form::Small(number) => *number as f64,
            Form::Large(number) => number.to_f64().expect("every number has a nearest float"),
        }
    }

    /// The number in 64 bits; `None` if it does not fit.
    #[inline]
    pub const fn to_i64(&self) -> Option<i64> {
        match self.0 {
            Form::Small(number) => Some(number),
            Form::Large(_) => None,
        }
    }

    /// The number as a big integer.
    pub fn to_big(&self) -> Cow<'_, BigInt> {
        match &self.0 {
            Form::Small(number) => Cow::Owned((*number).into()),
            Form::Large(number) => Cow::Borrowed(number),
        }
    }

    /// Whether the number is at least this one.
    pub fn is_at_least(&self, least: i64) -> bool {
        match &self.0 {
            Form::Small(number) => *number >= least,
            Form::Large(number) => **number > BigInt::ZERO,
        }
    }

    /// Whether the number lies outside `[-limit, limit]`; `limit` is not negative.
    #[inline]
    pub const fn is_beyond(&self, limit: i64) -> bool {
        match self.0 {
            Form::Small(number) => number.unsigned_abs() > limit.unsigned_abs(),
            // A large number has a magnitude of 2⁶³ or more.
            Form::Large(_) => true,
        }
    }
}

impl Operator {
    /// The result of an operation.
    #[inline]
    pub fn apply(self, first: &Number, second: &Number) -> Number {
        if let (Form::Small(a), Form::Small(b)) = (&first.0, &second.0) {
            let result = match self {
                Self::Plus => a.checked_add(*b),
                Self::Minus => a.checked_sub(*b),
                Self::Times => a.checked_mul(*b),
            };
            if let Some(result) = result {
                return result.into();
            }
        }
        self.apply_big(&first.to_big(), &second.to_big()).into()
    }

    #[cold]
    fn apply_big(self, first: &BigInt, second: &BigInt) -> BigInt {
        match self {
            Self::Plus => first + second,
            Self::Minus => first - second,
            Self::Times => first * second,
        }
    }
}

impl From<BigInt> for Number {
    fn from(number: BigInt) -> Self {
        Self(match number.to_i64() {
            Some(small) => Form::Small(small),
            None => Form::Large(Box::new(number)),
        })
    }
}

impl From<i64> for Number {
    #[inline]
    fn from(number: i64) -> Self {
        Self(Form::Small(number))
    }
}

impl From<i32> for Number {
    fn from(number: i32) -> Self {
        i64::from(number).into()
    }
}

impl fmt::Display for Number {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.0 {
            Form::Small(number) => number.fmt(f),
            Form::Large(number) => number.fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Near both ends of 64 bits, results are those of big integers, and equal numbers are equal
    /// however they were made.
    #[test]
    fn results_are_exact_at_the_ends_of_64_bits() {
        let ends = [i64::MIN, -1 << 32, -1, 0, 1, 3, 1 << 31, i64::MAX];
        let near = |end: i64| (-2..=2).map(move |by| BigInt::from(end) + by);
        let numbers: Vec<BigInt> = ends.into_iter().flat_map(near).collect();
        for a in &numbers {
            for b in &numbers {
                for (operator, exact) in Operator::ALL.into_iter().zip([a + b, a - b, a * b]) {
                    let result = operator.apply(&a.clone().into(), &b.clone().into());
                    assert_eq!(*result.to_big(), exact);
                    assert_eq!(result, exact.clone().into());
                    assert_eq!(result.to_i64(), i64::try_from(&exact).ok());
                    assert_eq!(result.to_string(), exact.to_string());
                    for limit in [0, 1000, i64::MAX] {
                        let is_beyond = *exact.magnitude() > limit.unsigned_abs().into();
                        assert_eq!(result.is_beyond(limit), is_beyond);
                    }
                }
            }
        }
    }

    #[test]
    fn numbers_are_rounded_once_to_floats() {
        let two = BigInt::from(2);
        let mut numbers = vec![BigInt::from(0), BigInt::from(67), BigInt::from(i64::MIN)];
        for bits in [
            10, 53, 54, 55, 63, 64, 65, 100, 117, 118, 119, 200, 1022, 1023, 1024, 3000,
        ] {
            let power = two.pow(bits);
            for near in [-3, -2, -1, 0, 1, 2, 3] {
                numbers.push(&power + near);
                // Beside the middle of two neighbouring values.
                numbers.push(&power + two.pow(bits.saturating_sub(53)) + near);
            }
        }
        for number in numbers {
            for number in [number.clone(), -number] {
                let expected: f64 = number.to_string().parse().unwrap();
                let rounded = Number::from(number).to_f64();
                assert_eq!(rounded, expected);
                match Number::from_f64(rounded) {
                    Some(whole) => assert_eq!(whole.to_f64(), rounded),
                    None => assert!(rounded.is_infinite()),
                }
            }
        }
        for float in [0.5, -1e15 - 0.5, f64::NAN, f64::INFINITY] {
            assert_eq!(Number::from_f64(float), None, "{float}");
        }
    }
}
