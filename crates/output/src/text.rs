//! Text from files, made safe to show.

use std::borrow::Cow;
use tilelab_core::text::escape_where;

/// The text on one line: control characters, and those that reorder text, are written as escapes
/// such as `\u{1b}`.
///
/// Titles and keys come from files of other people. Raw, they could move the cursor of a terminal,
/// break a Markdown table or make an SVG file invalid.
pub fn plain(text: &str) -> Cow<'_, str> {
    escape_where(text, is_unsafe)
}

/// The columns that a text takes on a terminal.
pub fn columns_of(text: &str) -> usize {
    unicode_width::UnicodeWidthStr::width(text)
}

/// The words of a text in lines of at most `columns` columns; longer words stay whole. Line ends of
/// the text are kept.
pub fn wrapped(text: &str, columns: usize) -> Vec<String> {
    let mut lines = Vec::new();
    for paragraph in text.lines() {
        let mut line = String::new();
        for word in paragraph.split_whitespace() {
            if columns_of(&line) + 1 + columns_of(word) > columns && !line.is_empty() {
                lines.push(std::mem::take(&mut line));
            }
            if !line.is_empty() {
                line.push(' ');
            }
            line.push_str(word);
        }
        lines.push(line);
    }
    lines
}

/// Lines with a line end each; where there are columns, longer ones are broken between words, and
/// what follows is indented by four columns more.
pub fn indented(text: &str, columns: Option<usize>) -> String {
    let mut lines = String::new();
    for line in text.lines() {
        let words = line.trim_start();
        let indent = line.len() - words.len();
        let broken = match columns {
            Some(columns) if columns_of(line) > columns => {
                wrapped(words, columns.saturating_sub(indent + 4))
            }
            _ => vec![words.to_owned()],
        };
        for (at, words) in broken.iter().enumerate() {
            let indent = if at > 0 { indent + 4 } else { indent };
            lines += &format!("{}{words}\n", " ".repeat(indent));
        }
    }
    lines
}

/// Text of other people as [`plain`] text in Markdown, where it could hold HTML or links.
///
/// What begins a tag, a comment or a character reference is written as a reference, and so is what
/// would make a link of the words in brackets before it. Emphasis stays possible.
pub fn markdown(text: &str) -> String {
    let text = plain(text);
    let mut escaped = String::with_capacity(text.len());
    let mut before = None;
    for (at, character) in text.char_indices() {
        let next = text[at + character.len_utf8()..].chars().next();
        let is_before = |accepted: &str| {
            next.is_some_and(|next| next.is_ascii_alphabetic() || accepted.contains(next))
        };
        match character {
            '<' if is_before("/!?") => escaped.push_str("&lt;"),
            '&' if is_before("#") => escaped.push_str("&amp;"),
            '(' if before == Some(']') => escaped.push_str("&#40;"),
            _ => escaped.push(character),
        }
        before = Some(character);
    }
    escaped
}

/// Control characters, line and paragraph separators, bidirectional controls, and characters that
/// XML forbids.
fn is_unsafe(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{2028}' | '\u{2029}' | '\u{202a}'..='\u{202e}' | '\u{2066}'..='\u{2069}' | '\u{fffe}' | '\u{ffff}')
}

/// Text as a field of a CSV file: in braces where readers would take it for a number, a truth
/// value or a missing value, as in `{0123456789}`.
///
/// Braces around such text are doubled, so [`unguarded`] always finds the text again.
pub fn guarded(text: &str) -> Cow<'_, str> {
    if is_mistakable(inner(text)) {
        Cow::Owned(format!("{{{text}}}"))
    } else {
        Cow::Borrowed(text)
    }
}

/// The text that a field of a CSV file stands for.
pub fn unguarded(field: &str) -> &str {
    in_braces(field)
        .filter(|text| is_mistakable(inner(text)))
        .unwrap_or(field)
}

/// What stands in the braces around a text.
fn in_braces(text: &str) -> Option<&str> {
    text.strip_prefix('{')?.strip_suffix('}')
}

/// The text without all braces around it.
fn inner(mut text: &str) -> &str {
    while let Some(inside) = in_braces(text) {
        text = inside;
    }
    text
}

/// Whether pandas or polars would not read these characters as text: numbers as Rust reads them,
/// truth values, and what `pandas.read_csv` takes for a missing value.
fn is_mistakable(text: &str) -> bool {
    const WORDS: [&str; 16] = [
        "true", "false", "na", "n/a", "<na>", "#na", "#n/a", "#n/a n/a", "null", "none", "nan",
        "-nan", "1.#ind", "1.#qnan", "-1.#ind", "-1.#qnan",
    ];
    let text = text.trim();
    text.parse::<f64>().is_ok() || WORDS.iter().any(|word| text.eq_ignore_ascii_case(word))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn text_that_looks_like_a_number_is_written_in_braces() {
        for (text, field) in [
            ("0123456789", "{0123456789}"),
            ("{5}", "{{5}}"),
            ("-1e5", "{-1e5}"),
            ("None", "{None}"),
            ("inf", "{inf}"),
            ("", ""),
            ("{}", "{}"),
            ("{a}", "{a}"),
            ("+-*", "+-*"),
            ("67!", "67!"),
            ("6x7", "6x7"),
        ] {
            assert_eq!((guarded(text).as_ref(), unguarded(field)), (field, text));
        }
    }

    #[test]
    fn long_lines_are_broken_between_words() {
        for (text, columns, lines) in [
            ("a b\n  c", None, "a b\n  c\n"),
            (
                "  one two three",
                Some(9),
                "  one\n      two\n      three\n",
            ),
            ("  a b c d", Some(9), "  a b c d\n"),
            ("", Some(9), ""),
        ] {
            assert_eq!(indented(text, columns), lines);
        }
    }

    #[test]
    fn markdown_holds_no_html_and_no_links() {
        for (text, expected) in [
            ("+, -, * included", "+, -, * included"),
            ("50 [7, 93] (a)", "50 [7, 93] (a)"),
            ("p < 0.05 & more", "p < 0.05 & more"),
            ("<img src=x>", "&lt;img src=x>"),
            ("\\</h1><!-- &lt;", "\\&lt;/h1>&lt;!-- &amp;lt;"),
            ("![x](http://y)", "![x]&#40;http://y)"),
        ] {
            assert_eq!(markdown(text), expected);
        }
    }

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
