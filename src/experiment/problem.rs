//! The mistakes of an experiment file.

use crate::text;
use std::fmt;
use std::ops::Deref;
use std::path::PathBuf;
use toml::de::DeValue;

/// A mistake in an experiment file.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Problem {
    /// The file.
    pub path: PathBuf,
    /// The line, from 1; 0 where the whole file is meant.
    pub line: usize,
    /// What is wrong and what would be right.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:", text::escape(&self.path.display().to_string()))?;
        if self.line > 0 {
            write!(f, "{}:", self.line)?;
        }
        write!(f, " {}", text::escape(&self.message))
    }
}

/// All mistakes of an experiment file, in the order of its lines; at least one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problems(Vec<Problem>);

impl Problems {
    /// Sorts the mistakes by line and drops repeated ones.
    ///
    /// # Errors
    /// The mistakes, when there are any.
    pub(crate) fn check(mut problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort();
        problems.dedup();
        Err(Self(problems))
    }
}

impl Deref for Problems {
    type Target = [Problem];

    fn deref(&self) -> &[Problem] {
        &self.0
    }
}

impl IntoIterator for Problems {
    type Item = Problem;
    type IntoIter = std::vec::IntoIter<Problem>;

    fn into_iter(self) -> Self::IntoIter {
        self.0.into_iter()
    }
}

/// One line a mistake.
impl fmt::Display for Problems {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let lines: Vec<String> = self.0.iter().map(Problem::to_string).collect();
        f.write_str(&lines.join("\n"))
    }
}

impl std::error::Error for Problems {}

/// For mistakes in the order of their lines; at least one.
impl From<Vec<Problem>> for Problems {
    fn from(problems: Vec<Problem>) -> Self {
        Self(problems)
    }
}

/// The start of a long text, for messages.
pub(super) fn shortened(text: String) -> String {
    const SHOWN: usize = 200;
    match text.char_indices().nth(SHOWN) {
        Some((at, _)) => format!("{}…", &text[..at]),
        None => text,
    }
}

/// A value as a message shows it.
pub(super) fn node_text(value: &DeValue<'_>) -> String {
    match value {
        DeValue::String(text) => format!("{text:?}"),
        DeValue::Integer(integer) => integer.to_string(),
        DeValue::Float(float) => float.to_string(),
        DeValue::Boolean(value) => value.to_string(),
        DeValue::Datetime(value) => value.to_string(),
        DeValue::Array(list) => {
            // A message shows the start of a long list only.
            format!("[{}]", list.iter().take(100).map(|node| node_text(node.get_ref())).collect::<Vec<_>>().join(", "))
        }
        DeValue::Table(_) => "{ … }".to_owned(),
    }
}

/// Says that a key is unknown, which ones are known, and which was probably meant.
pub(super) fn unknown_key(key: &str, known: &[&str]) -> String {
    let plain = key.rsplit('.').next().unwrap_or(key);
    let near = known.iter().min_by_key(|name| strsim::damerau_levenshtein(plain, name));
    let meant = near
        .filter(|name| strsim::damerau_levenshtein(plain, name) <= 2)
        .map(|name| format!("; did you mean {name}?"))
        .unwrap_or_default();
    format!("{key}: unknown key; accepted: {}{meant}", known.join(", "))
}
