//! Buttons and the text on them.

use crate::params::did_you_mean;
use std::fmt;
use std::ops::RangeInclusive;

/// The most digits that the display, a button's number or a digit string has.
pub const DIGITS_MAX: usize = 6;
/// The largest absolute value that the display shows: six nines.
pub const VALUE_MAX: i32 = 999_999;
/// What the display shows.
pub(super) const VALUES: RangeInclusive<i64> = -(VALUE_MAX as i64)..=VALUE_MAX as i64;
/// The largest number on a `[+]n` button; together with the limit on moves it bounds what buttons
/// can grow by.
pub const INCREASE_MAX: u32 = 9_999;
/// The largest exponent; 2²⁰ has seven digits, so a larger one would say nothing new.
pub const POWER_MAX: u32 = 20;

/// The accepted labels, as shown in messages.
pub const ACCEPTED: &str = "+n, -n, xn, x-n, /n, x^n, +/-, digits, <<, a=>b, Reverse, SUM, <Shift, Shift>, Mirror, Inv10, [+]n, Store";

/// A string of one to six digits, in which leading zeros count.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct ButtonDigits {
    /// How many digits, 1 to 6.
    pub len: u8,
    /// The number that the digits spell.
    pub value: u32,
}

impl ButtonDigits {
    /// Reads digits; `None` for anything else, and for more than six.
    pub fn parse(text: &str) -> Option<Self> {
        let good = (1..=DIGITS_MAX).contains(&text.len())
            && text.bytes().all(|byte| byte.is_ascii_digit());
        good.then(|| Self {
            len: text.len() as u8,
            value: text.parse().expect("at most six digits"),
        })
    }

    /// The digits of a number.
    pub const fn of(value: u32) -> Self {
        Self {
            len: digit_count(value) as u8,
            value,
        }
    }

    /// What an append button with these digits appends after `added` was added to it.
    #[must_use]
    pub const fn plus(self, added: u32) -> Self {
        let value = self.value + added;
        let count = digit_count(value) as u8;
        Self {
            len: if count > self.len { count } else { self.len },
            value,
        }
    }
}

impl fmt::Display for ButtonDigits {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{:0width$}", self.value, width = usize::from(self.len))
    }
}

/// The number of decimal digits; zero has one.
pub const fn digit_count(value: u32) -> u32 {
    match value.checked_ilog10() {
        Some(log) => log + 1,
        None => 1,
    }
}

/// A button as the level gives it, before any `[+]n` was pressed.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Button {
    /// `+n`: adds.
    Add(u32),
    /// `-n`: subtracts.
    Subtract(u32),
    /// `xn`, `x-n`: multiplies.
    Multiply(i32),
    /// `/n`: divides, where that leaves no remainder; n is at least 1.
    Divide(u32),
    /// `x^n`: raises to a power, 1 to [`POWER_MAX`].
    Power(u32),
    /// `+/-`: changes the sign.
    Negate,
    /// Digits: appends these.
    Append(ButtonDigits),
    /// `<<`: deletes the last digit.
    Delete,
    /// `a=>b`: replaces every occurrence of a digit string by another, left to right.
    Replace(ButtonDigits, ButtonDigits),
    /// `Reverse`: reverses the digits.
    Reverse,
    /// `SUM`: the sum of the digits.
    Sum,
    /// `<Shift`: the first digit goes to the end.
    ShiftLeft,
    /// `Shift>`: the last digit goes to the front.
    ShiftRight,
    /// `Mirror`: appends the reversed digits.
    Mirror,
    /// `Inv10`: each digit d becomes 10 − d, 0 stays 0.
    Invert,
    /// `[+]n`: adds n to the number on every `+ - x /` and append button.
    Increase(u32),
    /// `Store`: stores the display, free of charge.
    Store,
}

/// Buttons whose text is a fixed word.
const WORDS: [(&str, Button); 9] = [
    ("+/-", Button::Negate),
    ("<<", Button::Delete),
    ("Reverse", Button::Reverse),
    ("SUM", Button::Sum),
    ("<Shift", Button::ShiftLeft),
    ("Shift>", Button::ShiftRight),
    ("Mirror", Button::Mirror),
    ("Inv10", Button::Invert),
    ("Store", Button::Store),
];

impl Button {
    /// Reads a label.
    ///
    /// ```
    /// use tilelab_games::games::calculator::Button;
    /// assert_eq!(Button::parse("x-3"), Ok(Button::Multiply(-3)));
    /// assert!(Button::parse("/0").is_err());
    /// ```
    ///
    /// # Errors
    /// Returns an error that names the label, the problem and the accepted labels.
    pub fn parse(label: &str) -> Result<Self, String> {
        if let Some((_, button)) = WORDS.iter().find(|(word, _)| *word == label) {
            return Ok(*button);
        }
        let number = |text: &str, min: u32, max: u32| {
            ButtonDigits::parse(text)
                .map(|digits| digits.value)
                .filter(|value| (min..=max).contains(value))
                .ok_or_else(|| {
                    format!("button {label:?}: {text:?} is not a number from {min} to {max}")
                })
        };
        let value_max = VALUE_MAX as u32;
        if let Some(n) = label.strip_prefix("[+]") {
            number(n, 1, INCREASE_MAX).map(Self::Increase)
        } else if let Some((from, to)) = label.split_once("=>") {
            let string = |text: &str| {
                ButtonDigits::parse(text).ok_or_else(|| {
                    format!("button {label:?}: {text:?} is not a string of 1 to 6 digits")
                })
            };
            Ok(Self::Replace(string(from)?, string(to)?))
        } else if let Some(n) = label.strip_prefix("x^") {
            number(n, 1, POWER_MAX).map(Self::Power)
        } else if let Some(n) = label.strip_prefix("x-") {
            number(n, 0, value_max).map(|n| Self::Multiply(-(n as i32)))
        } else if let Some(n) = label.strip_prefix('x') {
            number(n, 0, value_max).map(|n| Self::Multiply(n as i32))
        } else if let Some(n) = label.strip_prefix('+') {
            number(n, 0, value_max).map(Self::Add)
        } else if let Some(n) = label.strip_prefix('-') {
            number(n, 0, value_max).map(Self::Subtract)
        } else if let Some(n) = label.strip_prefix('/') {
            number(n, 1, value_max).map(Self::Divide)
        } else if label.starts_with(|first: char| first.is_ascii_digit()) {
            let digits = ButtonDigits::parse(label);
            digits
                .map(Self::Append)
                .ok_or_else(|| format!("button {label:?}: an append button has 1 to 6 digits"))
        } else {
            let meant = did_you_mean(label, &WORDS.map(|(word, _)| word));
            Err(format!(
                "button {label:?}: unknown label; accepted: {ACCEPTED}{meant}"
            ))
        }
    }

    /// The text on the button after `[+]` buttons have added `added` in all.
    pub fn label(self, added: u32) -> String {
        match self {
            Self::Add(n) => format!("+{}", n + added),
            Self::Subtract(n) => format!("-{}", n + added),
            Self::Multiply(n) => format!("x{}", i64::from(n) + i64::from(added)),
            Self::Divide(n) => format!("/{}", n + added),
            Self::Power(n) => format!("x^{n}"),
            Self::Append(digits) => digits.plus(added).to_string(),
            Self::Replace(from, to) => format!("{from}=>{to}"),
            Self::Increase(n) => format!("[+]{n}"),
            fixed => {
                let word = WORDS.iter().find(|(_, button)| *button == fixed);
                word.expect("every other button has a fixed word")
                    .0
                    .to_owned()
            }
        }
    }
}

impl fmt::Display for Button {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.label(0))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_round_trip() {
        let labels = [
            "+1", "-12", "x3", "x-4", "x0", "/9", "x^2", "+/-", "0", "12", "007", "<<", "1=>2",
            "31=>00", "Reverse", "SUM", "<Shift", "Shift>", "Mirror", "Inv10", "[+]3", "Store",
        ];
        for label in labels {
            assert_eq!(Button::parse(label).unwrap().to_string(), label);
        }
    }

    #[test]
    fn wrong_labels_say_why() {
        for (label, why) in [
            ("", "unknown label"),
            ("reverse", "did you mean \"Reverse\"?"),
            ("/0", "from 1 to 999999"),
            ("+", "\"\" is not a number"),
            ("+-3", "is not a number"),
            ("x^0", "from 1 to 20"),
            ("x--2", "is not a number"),
            ("1234567", "1 to 6 digits"),
            ("12a", "1 to 6 digits"),
            ("=>1", "\"\" is not a string"),
            ("1=>", "\"\" is not a string"),
            ("1=>x", "\"x\" is not a string"),
            ("[+]0", "from 1 to 9999"),
            ("[+]-1", "is not a number"),
            ("٣", "unknown label"),
        ] {
            let error = Button::parse(label).unwrap_err();
            assert!(error.contains(why), "{label}: {error}");
        }
    }

    #[test]
    fn increases_relabel_numbers() {
        for (label, added, expected) in [
            ("/2", 1, "/3"),
            ("-2", 2, "-4"),
            ("x-3", 1, "x-2"),
            ("x-3", 4, "x1"),
            ("9", 1, "10"),
            ("00", 7, "07"),
            ("x^2", 5, "x^2"),
            ("1=>2", 5, "1=>2"),
            ("[+]1", 1, "[+]1"),
            ("Reverse", 1, "Reverse"),
        ] {
            assert_eq!(Button::parse(label).unwrap().label(added), expected);
        }
    }
}
