//! The mistakes of an experiment file.

use std::collections::HashMap;
use std::fmt;
use std::path::PathBuf;
use tilelab_games::text;

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
        let message = text::escape(&self.message);
        write!(f, " {}", text::shorten_lines(&message))
    }
}

/// All mistakes of an experiment file, in the order of its lines; at least one. Shown one line a
/// mistake.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{}", text::join(.0.iter().map(Problem::to_string), "\n"))]
pub struct Problems(pub Vec<Problem>);

impl Problems {
    /// Sorts the mistakes by line, drops repeated ones, and joins those that are the same in many
    /// lines.
    ///
    /// # Errors
    /// The mistakes, when there are any.
    pub(crate) fn check(mut problems: Vec<Problem>) -> Result<(), Self> {
        if problems.is_empty() {
            return Ok(());
        }
        problems.sort();
        problems.dedup();
        Err(Self(joined(problems)))
    }
}

/// Lines in which the same mistake is told.
const SAME_MAX: usize = 3;

/// The mistakes without those that were told of [`SAME_MAX`] lines already; the last of these says
/// how many more there are.
fn joined(problems: Vec<Problem>) -> Vec<Problem> {
    let mut told: HashMap<(PathBuf, String), Vec<usize>> = HashMap::new();
    let mut kept: Vec<Problem> = Vec::new();
    for problem in problems {
        let same = (problem.path.clone(), problem.message.clone());
        let places = told.entry(same).or_default();
        places.push(kept.len());
        if places.len() <= SAME_MAX {
            kept.push(problem);
        }
    }
    for places in told.into_values().filter(|places| places.len() > SAME_MAX) {
        let more = text::counted(places.len() - SAME_MAX, ["line", "lines"]);
        let last = &mut kept[places[SAME_MAX - 1]].message;
        *last = format!("{last} (and so in {more} more)");
    }
    kept
}
