//! What a press does to the display.

use super::button::{Button, ButtonDigits, DIGITS_MAX, VALUE_MAX, digit_count};
use std::fmt;

const POWERS_OF_TEN: [u32; 10] = [
    1,
    10,
    100,
    1_000,
    10_000,
    100_000,
    1_000_000,
    10_000_000,
    100_000_000,
    1_000_000_000,
];

/// Why a press is not allowed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Refusal {
    /// A division would leave a remainder.
    #[error("the division leaves a remainder")]
    Remainder,
    /// The result would have more than six digits.
    #[error("the result has more than {DIGITS_MAX} digits")]
    TooLong,
    /// Negative numbers are not stored.
    #[error("a negative number cannot be stored")]
    NegativeStore,
    /// There is no stored number yet.
    #[error("no number is stored")]
    NothingStored,
}

/// A portal: a digit that reaches one position falls through to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Portal {
    /// The position where digits are taken out, from the right, ones = 1; 2 to 6.
    pub from: u8,
    /// The position at which the digits are added, from the right; less than `from`.
    pub to: u8,
}

impl Portal {
    /// A portal between positions counted from the right, either as 4, 1 or as −4, −1.
    ///
    /// A portal leads to the right: otherwise a digit would return to where it came from, for ever.
    ///
    /// # Errors
    /// Returns an error that names the accepted positions.
    pub fn new(from: i64, to: i64) -> Result<Self, String> {
        let (i, j) = if from < 0 && to < 0 {
            (from.saturating_neg(), to.saturating_neg())
        } else {
            (from, to)
        };
        if (2..=DIGITS_MAX as i64).contains(&i) && (1..i).contains(&j) {
            Ok(Self {
                from: i as u8,
                to: j as u8,
            })
        } else {
            Err(format!(
                "portal {from},{to}: positions count from the right (ones -1), the first from -{DIGITS_MAX} to -2, the second to its right, such as -4,-1"
            ))
        }
    }

    /// Reads `-4,-1`.
    ///
    /// # Errors
    /// Returns an error that names the text and an example of the accepted form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let numbers: Option<Vec<i64>> = text
            .split(',')
            .map(|part| part.trim().parse().ok())
            .collect();
        match numbers.as_deref() {
            Some(&[from, to]) => Self::new(from, to),
            _ => Err(format!(
                "portal {text:?}: write two positions, such as -4,-1"
            )),
        }
    }

    /// The number after all digits at the portal have fallen through.
    ///
    /// Each fall makes the number smaller, so this ends.
    pub const fn fall(self, magnitude: u32) -> u32 {
        let place = POWERS_OF_TEN[self.from as usize - 1];
        let mut number = magnitude;
        while number >= place {
            let digit = number / place % 10;
            number = number / (place * 10) * place
                + number % place
                + digit * POWERS_OF_TEN[self.to as usize - 1];
        }
        number
    }
}

impl fmt::Display for Portal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "-{},-{}", self.from, self.to)
    }
}

/// The display after a button was pressed, before any portal; `added` is what `[+]` buttons have
/// added so far.
///
/// `Store` and `[+]n` leave the display as it is; what else they do is the caller's.
///
/// # Errors
/// Returns the reason if the press is not allowed.
#[inline]
pub fn press(button: Button, added: u32, value: i32) -> Result<i32, Refusal> {
    let wide = i64::from(value);
    let result = match button {
        Button::Add(n) => wide + i64::from(n + added),
        Button::Subtract(n) => wide - i64::from(n + added),
        Button::Multiply(n) => wide * (i64::from(n) + i64::from(added)),
        Button::Divide(n) => {
            let divisor = i64::from(n + added);
            if wide % divisor != 0 {
                return Err(Refusal::Remainder);
            }
            wide / divisor
        }
        Button::Power(n) => wide.checked_pow(n).ok_or(Refusal::TooLong)?,
        Button::Negate => -wide,
        Button::Append(digits) => return append(value, digits.plus(added)),
        Button::Store if value < 0 => return Err(Refusal::NegativeStore),
        Button::Store | Button::Increase(_) => wide,
        digitwise => {
            let magnitude =
                rearrange(digitwise, value.unsigned_abs()).ok_or(Refusal::TooLong)? as i32;
            return Ok(if value < 0 { -magnitude } else { magnitude });
        }
    };
    if result.unsigned_abs() > VALUE_MAX as u64 {
        Err(Refusal::TooLong)
    } else {
        Ok(result as i32)
    }
}

/// The display after digits were appended.
///
/// # Errors
/// Returns an error if the result has more than six digits.
#[inline]
pub fn append(value: i32, digits: ButtonDigits) -> Result<i32, Refusal> {
    if usize::from(digits.len) > DIGITS_MAX {
        return Err(Refusal::TooLong);
    }
    let magnitude = u64::from(value.unsigned_abs())
        * u64::from(POWERS_OF_TEN[usize::from(digits.len)])
        + u64::from(digits.value);
    if magnitude > VALUE_MAX as u64 {
        return Err(Refusal::TooLong);
    }
    let magnitude = magnitude as i32;
    Ok(if value < 0 { -magnitude } else { magnitude })
}

/// The magnitude after a button that acts on the digits alone; `None` when it would have more than
/// six.
///
/// # Panics
/// For buttons that do not act on the digits alone ([`acts_on_digits`]).
pub fn rearrange(button: Button, magnitude: u32) -> Option<u32> {
    let count = digit_count(magnitude);
    let highest = POWERS_OF_TEN[count as usize - 1];
    Some(match button {
        Button::Delete => magnitude / 10,
        Button::Reverse => reversed(magnitude),
        Button::Sum => fold_digits(magnitude, |sum, digit| sum + digit),
        Button::ShiftLeft => magnitude % highest * 10 + magnitude / highest,
        Button::ShiftRight => magnitude % 10 * highest + magnitude / 10,
        Button::Mirror if count as usize * 2 > DIGITS_MAX => return None,
        Button::Mirror => magnitude * highest * 10 + reversed(magnitude),
        Button::Invert => {
            let mut place = 1;
            fold_digits(magnitude, |number, digit| {
                let number = number + (10 - digit) % 10 * place;
                place *= 10;
                number
            })
        }
        Button::Replace(from, to) => return replaced(magnitude, from, to),
        other => panic!("{other} does not act on the digits alone"),
    })
}

/// Whether a button acts on the digits of the absolute value alone.
pub const fn acts_on_digits(button: Button) -> bool {
    matches!(
        button,
        Button::Delete
            | Button::Reverse
            | Button::Sum
            | Button::ShiftLeft
            | Button::ShiftRight
            | Button::Mirror
            | Button::Invert
            | Button::Replace(..)
    )
}

/// Folds over the digits from the last to the first.
fn fold_digits(magnitude: u32, mut step: impl FnMut(u32, u32) -> u32) -> u32 {
    let mut rest = magnitude;
    let mut folded = 0;
    while rest > 0 {
        folded = step(folded, rest % 10);
        rest /= 10;
    }
    folded
}

fn reversed(magnitude: u32) -> u32 {
    fold_digits(magnitude, |number, digit| number * 10 + digit)
}

/// Replaces every occurrence of `from`, scanning from the left and going on after each one.
fn replaced(magnitude: u32, from: ButtonDigits, to: ButtonDigits) -> Option<u32> {
    let width = u32::from(from.len);
    let place = POWERS_OF_TEN[usize::from(from.len)];
    let mut left = digit_count(magnitude);
    let mut number = 0_u64;
    while left > 0 {
        if left >= width && magnitude / POWERS_OF_TEN[(left - width) as usize] % place == from.value
        {
            number = number * u64::from(POWERS_OF_TEN[usize::from(to.len)]) + u64::from(to.value);
            left -= width;
        } else {
            number = number * 10 + u64::from(magnitude / POWERS_OF_TEN[left as usize - 1] % 10);
            left -= 1;
        }
        // Later digits only make it longer.
        if number > VALUE_MAX as u64 {
            return None;
        }
    }
    Some(number as u32)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn presses_of_the_rules() {
        for (value, label, expected) in [
            (3, "+4", Some(7)),
            (3, "-4", Some(-1)),
            (999_999, "+1", None),
            (-999_999, "-1", None),
            (-6, "x-4", Some(24)),
            (7, "x0", Some(0)),
            (9, "/3", Some(3)),
            (-9, "/3", Some(-3)),
            (10, "/3", None),
            (0, "/7", Some(0)),
            (-7, "x^3", Some(-343)),
            (1000, "x^2", None),
            (-1, "x^20", Some(1)),
            (0, "+/-", Some(0)),
            (5, "+/-", Some(-5)),
            (0, "5", Some(5)),
            (0, "00", Some(0)),
            (-8, "5", Some(-85)),
            (12345, "67", None),
            (123_456, "<<", Some(12345)),
            (-5, "<<", Some(0)),
            (-52, "<<", Some(-5)),
            (0, "<<", Some(0)),
            (1111, "11=>2", Some(22)),
            (111, "11=>2", Some(21)),
            (3311, "31=>00", Some(3001)),
            (3131, "31=>00", Some(0)),
            (312, "31=>00", Some(2)),
            (-12, "1=>3", Some(-32)),
            (7, "7=>0", Some(0)),
            (0, "0=>12", Some(12)),
            (100_000, "0=>11", None),
            (121, "12=>21", Some(211)),
            (111_111, "1=>1", Some(111_111)),
            (120, "Reverse", Some(21)),
            (-120, "Reverse", Some(-21)),
            (-104, "SUM", Some(-5)),
            (999_999, "SUM", Some(54)),
            (1234, "<Shift", Some(2341)),
            (100, "<Shift", Some(1)),
            (-102, "<Shift", Some(-21)),
            (0, "<Shift", Some(0)),
            (120, "Shift>", Some(12)),
            (123, "Shift>", Some(312)),
            (5, "Shift>", Some(5)),
            (120, "Mirror", Some(120_021)),
            (-9, "Mirror", Some(-99)),
            (0, "Mirror", Some(0)),
            (1000, "Mirror", None),
            (105, "Inv10", Some(905)),
            (-28, "Inv10", Some(-82)),
            (0, "Inv10", Some(0)),
        ] {
            let button = Button::parse(label).unwrap();
            assert_eq!(press(button, 0, value).ok(), expected, "{value} {label}");
        }
    }

    #[test]
    fn increases_act_on_numbers_and_appended_digits() {
        for (label, added, value, expected) in [
            ("+2", 3, 1, Some(6)),
            ("-2", 3, 1, Some(-4)),
            ("x-3", 3, 7, Some(0)),
            ("/2", 1, 9, Some(3)),
            ("9", 1, 3, Some(310)),
            ("999999", 1, 0, None),
            ("x^2", 1, 3, Some(9)),
        ] {
            assert_eq!(
                press(Button::parse(label).unwrap(), added, value).ok(),
                expected,
                "{label} + {added}"
            );
        }
    }

    /// Spelt out on text, one digit at a time, as the rules tell it.
    fn fall_on_text(from: usize, to: usize, magnitude: u32) -> u32 {
        let mut text = magnitude.to_string();
        while text.len() >= from {
            let digit = text.remove(text.len() - from) as u32 - '0' as u32;
            let rest: u32 = if text.is_empty() {
                0
            } else {
                text.parse().unwrap()
            };
            text = (rest + digit * 10_u32.pow(to as u32 - 1)).to_string();
        }
        text.parse().unwrap()
    }

    #[test]
    fn portals_close_up_and_add() {
        // 189 x4 = 756 stays; 1756 loses its 1 to the ones: 757; 9999 → 999 + 9 = 1008 → 8 + 1 = 9.
        for (from, to, before, after) in [
            (4, 1, 756, 756),
            (4, 1, 1756, 757),
            (4, 1, 9999, 9),
            (3, 2, 246, 66),
        ] {
            assert_eq!(Portal::new(from, to).unwrap().fall(before), after);
        }
        for (from, to) in (2..=6).flat_map(|from| (1..from).map(move |to| (from, to))) {
            let portal = Portal::new(from as i64, to as i64).unwrap();
            for magnitude in (0..=VALUE_MAX as u32).step_by(37) {
                assert_eq!(
                    portal.fall(magnitude),
                    fall_on_text(from, to, magnitude),
                    "{portal}: {magnitude}"
                );
            }
        }
    }

    #[test]
    fn portals_lead_right() {
        assert_eq!(Portal::parse("-4,-1"), Ok(Portal { from: 4, to: 1 }));
        assert_eq!(Portal::parse("4, 1"), Ok(Portal { from: 4, to: 1 }));
        for text in [
            "",
            "4",
            "4,1,2",
            "a,b",
            "-1,-4",
            "-4,1",
            "4,-1",
            "1,1",
            "7,1",
            "-3,0",
            "-9223372036854775808,-1",
        ] {
            assert!(Portal::parse(text).is_err(), "{text}");
        }
    }
}
