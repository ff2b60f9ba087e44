//! Untrusted text, escaped before it reaches a terminal; lists; and counts, read and written.

use std::borrow::{Borrow, Cow};

/// Whether a character could change what a terminal or a reader sees: control characters, line
/// separators and marks that change the direction of writing.
pub fn is_control(character: char) -> bool {
    let changes_direction = matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    character.is_control() || changes_direction || matches!(character, '\u{2028}' | '\u{2029}')
}

/// The text with every control character written as an escape sequence, such as `\n` or `\u{1b}`.
///
/// ```
/// assert_eq!(tilelab_core::text::escape("red \u{1b}[31m\n"), "red \\u{1b}[31m\\n");
/// ```
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_where(text, is_control)
}

/// The text with every control character but line feeds written as by [`escape`]: for messages of
/// several lines whose parts are already escaped.
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_where(text, |character| character != '\n' && is_control(character))
}

/// The most characters of a line of a message.
const LINE_CHARS_MAX: usize = 4_000;
/// How many characters are kept at the end of a longer line, which says what would be right.
const LINE_CHARS_END: usize = 1_000;

/// The text with the middle of each very long line left out: messages quote what they refuse, and
/// that may be megabytes.
pub fn shorten_lines(text: &str) -> Cow<'_, str> {
    if text.lines().all(|line| line.len() <= LINE_CHARS_MAX) {
        return Cow::Borrowed(text);
    }
    let shortened = text.split('\n').map(|line| {
        let count = line.chars().count();
        if count <= LINE_CHARS_MAX {
            return line.to_owned();
        }
        let place = |at: usize| {
            line.char_indices()
                .nth(at)
                .map_or(line.len(), |(byte, _)| byte)
        };
        let begin = &line[..place(LINE_CHARS_MAX - LINE_CHARS_END)];
        let end = &line[place(count - LINE_CHARS_END)..];
        format!("{begin} … {} characters … {end}", count - LINE_CHARS_MAX)
    });
    Cow::Owned(join(shortened, "\n"))
}

/// The text with the chosen characters written as escape sequences.
pub fn escape_where(text: &str, is_escaped: impl Fn(char) -> bool) -> Cow<'_, str> {
    if !text.contains(&is_escaped) {
        return Cow::Borrowed(text);
    }
    let mut escaped = String::with_capacity(text.len() + 8);
    for character in text.chars() {
        if is_escaped(character) {
            match character {
                '\n' | '\r' | '\t' => escaped.extend(character.escape_default()),
                _ => escaped.extend(character.escape_unicode()),
            }
        } else {
            escaped.push(character);
        }
    }
    Cow::Owned(escaped)
}

/// The parts of a text between these characters outside parentheses, without blanks around them.
///
/// ```
/// let players = tilelab_core::text::separate("command(run=a / b) / random", '/');
/// assert_eq!(players, ["command(run=a / b)", "random"]);
/// ```
pub fn separate(text: &str, separator: char) -> Vec<&str> {
    let mut depth = 0_usize;
    let parts = text.split(|character| {
        match character {
            '(' => depth += 1,
            ')' => depth = depth.saturating_sub(1),
            _ => {}
        }
        character == separator && depth == 0
    });
    parts.map(str::trim).collect()
}

/// A count with its noun, from the singular and the plural.
///
/// ```
/// # use tilelab_core::text::counted;
/// assert_eq!(counted(1, ["cell", "cells"]), "1 cell");
/// assert_eq!(counted(0, ["cell", "cells"]), "0 cells");
/// ```
pub fn counted(count: usize, [one, several]: [&str; 2]) -> String {
    let name = if count == 1 { one } else { several };
    format!("{count} {name}")
}

/// The parts one after the other, with this text between them.
///
/// ```
/// # use tilelab_core::text::join;
/// assert_eq!(join((1..4).map(|number| number.to_string()), ", "), "1, 2, 3");
/// ```
pub fn join<T: Borrow<str>>(parts: impl IntoIterator<Item = T>, between: &str) -> String {
    parts.into_iter().collect::<Vec<T>>().join(between)
}

/// The form that [`count`] accepts, for messages.
pub const COUNT_FORM: &str = "a whole number such as 250000, 250_000, 250k, 2.5e5, 3M or 1G";

/// Reads a whole number, with optional `_` between digits, an exponent (`1e6`, `2.5e5`), or the
/// suffix `k` (thousand), `M` (million) or `G` (billion). `None` for text that is not a whole
/// number below 2⁶⁴.
///
/// ```
/// # use tilelab_core::text::count;
/// assert_eq!([count("10_000"), count("1e6"), count("2.5k")], [Some(10_000), Some(1_000_000), Some(2_500)]);
/// assert_eq!([count("1.5"), count("many"), count("-1")], [None; 3]);
/// ```
pub fn count(text: &str) -> Option<u64> {
    let (number, unit) = match text.char_indices().last()? {
        (at, 'k' | 'K') => (&text[..at], 3),
        (at, 'M') => (&text[..at], 6),
        (at, 'G') => (&text[..at], 9),
        _ => (text, 0),
    };
    let (mantissa, exponent) = match number.split_once(['e', 'E']) {
        Some((mantissa, exponent)) if unit == 0 => {
            let exponent = exponent.strip_prefix('+').unwrap_or(exponent);
            (mantissa, exponent.parse::<u8>().ok().map(usize::from)?)
        }
        Some(_) => return None,
        None => (number, unit),
    };
    let (whole, fraction) = mantissa.split_once('.').unwrap_or((mantissa, "0"));
    let is_number = |digits: &str| {
        let is_digit = |character: char| character.is_ascii_digit();
        digits.starts_with(is_digit)
            && digits.ends_with(is_digit)
            && digits.chars().all(|digit| is_digit(digit) || digit == '_')
    };
    if !is_number(whole) || !is_number(fraction) {
        return None;
    }
    let fraction = fraction.replace('_', "");
    let fraction = fraction.trim_end_matches('0');
    let zeros = exponent.checked_sub(fraction.len())?;
    let digits = format!("{}{fraction}{}", whole.replace('_', ""), "0".repeat(zeros));
    digits.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn counts_are_read_as_people_write_them() {
        for (text, number) in [
            ("0", Some(0)),
            ("007", Some(7)),
            ("1e6", Some(1_000_000)),
            ("1E+3", Some(1_000)),
            ("2.50e1", Some(25)),
            ("200k", Some(200_000)),
            ("1.5M", Some(1_500_000)),
            ("3G", Some(3_000_000_000)),
            ("10_000", Some(10_000)),
            ("18446744073709551615", Some(u64::MAX)),
            ("18446744073709551616", None),
            ("2e19", None),
            ("1e255", None),
            ("2.55e1", None),
            ("1.5", None),
            ("1e6k", None),
            ("_1", None),
            ("1_", None),
            ("1.", None),
            (".5k", None),
            ("1e-3", None),
            ("k", None),
            ("", None),
            ("1 000", None),
            ("−1", None),
        ] {
            assert_eq!(count(text), number, "{text:?}");
        }
    }

    #[test]
    fn control_characters_are_escaped() {
        for (text, escaped) in [
            ("plain ü 数", "plain ü 数"),
            ("a\nb\tc", "a\\nb\\tc"),
            ("\u{1b}]0;title\u{7}", "\\u{1b}]0;title\\u{7}"),
            ("\u{202e}gnp", "\\u{202e}gnp"),
            ("\u{9b}31m\u{7f}", "\\u{9b}31m\\u{7f}"),
        ] {
            assert_eq!(escape(text), escaped);
        }
        assert_eq!(escape_lines("a\nb\r"), "a\nb\\r");
    }

    #[test]
    fn long_lines_lose_their_middle() {
        let line = "é".repeat(LINE_CHARS_MAX);
        assert_eq!(shorten_lines(&line), line);
        let long = format!("short\nfrom {} to\n", "é".repeat(10_000_000));
        let shortened = shorten_lines(&long);
        assert!(shortened.chars().count() < 4_100, "{shortened}");
        assert!(shortened.starts_with("short\nfrom éé") && shortened.ends_with("é to\n"));
        assert!(
            shortened.contains(" … 9996008 characters … "),
            "{shortened}"
        );
    }
}
