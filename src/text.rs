//! Text from outside: read up to a stated size, and escaped before it reaches a terminal.

use std::borrow::Cow;
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Whether a character could change what a terminal or a reader sees: control characters, line
/// separators and marks that change the direction of writing.
#[must_use]
pub fn is_control(character: char) -> bool {
    let changes_direction =
        matches!(character, '\u{200E}' | '\u{200F}' | '\u{202A}'..='\u{202E}' | '\u{2066}'..='\u{2069}');
    character.is_control() || changes_direction || matches!(character, '\u{2028}' | '\u{2029}')
}

/// The text with every control character written as an escape sequence, such as `\n` or `\u{1b}`.
///
/// ```
/// assert_eq!(tilelab::text::escape("red \u{1b}[31m\n"), "red \\u{1b}[31m\\n");
/// ```
#[must_use]
pub fn escape(text: &str) -> Cow<'_, str> {
    escape_unless(text, |_| false)
}

/// As [`escape`], but line feeds stay: for messages of several lines whose parts are escaped
/// already.
#[must_use]
pub fn escape_lines(text: &str) -> Cow<'_, str> {
    escape_unless(text, |character| character == '\n')
}

fn escape_unless(text: &str, stays: impl Fn(char) -> bool) -> Cow<'_, str> {
    let is_escaped = |character: char| is_control(character) && !stays(character);
    if !text.contains(is_escaped) {
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

/// Reads a text file of at most `bytes_max` bytes.
///
/// # Errors
/// Says that the file cannot be read, is too large, or is not text in UTF-8. At most `bytes_max` +
/// 1 bytes are read.
pub fn read(path: &Path, bytes_max: u64) -> Result<String, String> {
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    let mut bytes = Vec::new();
    file.take(bytes_max + 1).read_to_end(&mut bytes).map_err(|error| format!("cannot be read: {error}"))?;
    if bytes.len() as u64 > bytes_max {
        return Err(format!("is larger than {bytes_max} bytes, the most that is read"));
    }
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())
}

/// As [`read`], for files that are not meant to be devices or pipes, which could block.
///
/// # Errors
/// As [`read`], and when the path is not a regular file.
pub fn read_regular(path: &Path, bytes_max: u64) -> Result<String, String> {
    let metadata = std::fs::metadata(path).map_err(|error| format!("cannot be read: {error}"))?;
    if !metadata.is_file() {
        return Err("cannot be read: it is not a regular file".to_owned());
    }
    read(path, bytes_max)
}

#[cfg(test)]
mod tests {
    use super::*;

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
}
