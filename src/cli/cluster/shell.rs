//! Words of the POSIX shell.

use super::input_error;
use std::path::Path;

/// The path, made absolute and quoted so that a shell reads it as one word.
///
/// # Errors
/// When the path cannot be written in a script: it is not UTF-8, or has control characters such as
/// line breaks.
pub fn path(option: &str, path: &Path) -> anyhow::Result<String> {
    let absolute = std::path::absolute(path).map_err(|error| {
        input_error(format!(
            "{option} {}: cannot be made absolute: {error}",
            path.display()
        ))
    })?;
    let text = absolute
        .to_str()
        .filter(|text| !text.chars().any(char::is_control));
    let text = text.ok_or_else(|| {
        input_error(format!(
            "{option} {:?}: cannot be written in a script; accepted: a path in UTF-8 without control characters",
            path.display().to_string()
        ))
    })?;
    Ok(quoted(text))
}

/// The text in single quotes.
pub fn quoted(text: &str) -> String {
    format!("'{}'", text.replace('\'', r"'\''"))
}

#[cfg(test)]
mod tests {
    use super::quoted;

    #[test]
    fn quotes_are_closed_around_a_quote() {
        assert_eq!(quoted("plain"), "'plain'");
        assert_eq!(quoted("it's $HOME `x`"), r"'it'\''s $HOME `x`'");
    }
}
