//! Text from files, made safe to show.

use std::borrow::Cow;

/// The text on one line: control characters, and those that reorder text, are written as escapes
/// such as `\u{1b}`.
///
/// Titles and keys come from files of other people. Raw, they could move the cursor of a terminal,
/// break a Markdown table or make an SVG file invalid.
#[must_use]
pub fn plain(text: &str) -> Cow<'_, str> {
    if !text.chars().any(is_unsafe) {
        return Cow::Borrowed(text);
    }
    let mut safe = String::with_capacity(text.len() + 8);
    for c in text.chars() {
        if is_unsafe(c) { safe.extend(c.escape_default()) } else { safe.push(c) }
    }
    Cow::Owned(safe)
}

/// Control characters, line and paragraph separators, bidirectional controls, and characters that
/// XML forbids.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn control_characters_are_escaped_and_other_text_stays() {
        for (text, expected) in [
            ("a\u{1b}[31m\nb", "a\\u{1b}[31m\\nb"),
            ("\u{202e}x", "\\u{202e}x"),
            ("\u{0}\u{7f}", "\\u{0}\\u{7f}"),
            ("größer – 6×7 |", "größer – 6×7 |"),
        ] {
            assert_eq!(plain(text), expected);
        }
    }
}
