//! Experiment files: the wire types, one to one with the TOML, with the line of every value.
//!
//! Reading knows the shape of a file and refuses keys it does not know; what games and players
//! accept is checked by [`crate::plan`]. All problems of a file are reported at once.

mod number;
mod problem;
mod reader;

pub use problem::{Problem, Problems};
pub use reader::is_name;

use reader::Reader;
pub(crate) use reader::clash;
use std::fmt;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use tilelab_output::files::{self, TEXT_BYTES_MAX};
use tilelab_stats::RateInterval;
use toml::de::DeTable;

/// An experiment file.
#[derive(Clone, Debug)]
pub struct Experiment {
    /// The path that the file was read from.
    pub path: PathBuf,
    /// The text of the file.
    pub text: String,
    /// Names the folder of the results: letters, digits, `-` and `_`.
    pub name: String,
    /// The master seed.
    pub seed: u64,
    /// Games per cell, where a table says nothing else.
    pub games: Option<u64>,
    /// The stopping rule, where a table says nothing else.
    pub stop: Option<Located<Stop>>,
    /// Confidence level of all intervals, in [`CONFIDENCE`].
    pub confidence: f64,
    /// Which interval win rates of independent games have.
    pub interval: RateInterval,
    /// Whether a row for every game is written, and how.
    pub per_game: Option<PerGame>,
    /// The tables, in the order of the file.
    pub tables: Vec<Table>,
}

/// The format of the file with a row for every game.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum PerGame {
    /// `games.parquet`.
    Parquet,
    /// `games.csv`.
    Csv,
    /// `games.parquet` with the last position of each game.
    Positions,
    /// `games.csv` with the last position of each game.
    CsvPositions,
}

impl PerGame {
    /// All formats with their names.
    pub const ALL: [(&'static str, Self); 4] = [
        ("parquet", Self::Parquet),
        ("csv", Self::Csv),
        ("positions", Self::Positions),
        ("csv-positions", Self::CsvPositions),
    ];

    /// The format with this name.
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL
            .iter()
            .find(|(known, _)| *known == name)
            .map(|(_, format)| *format)
    }

    /// The name of the format.
    #[must_use]
    pub fn name(self) -> &'static str {
        Self::ALL
            .iter()
            .find(|(_, format)| *format == self)
            .expect("every format has a name")
            .0
    }

    /// Whether the file is CSV rather than Parquet.
    #[must_use]
    pub const fn is_csv(self) -> bool {
        matches!(self, Self::Csv | Self::CsvPositions)
    }

    /// Whether rows have the last position.
    #[must_use]
    pub const fn has_positions(self) -> bool {
        matches!(self, Self::Positions | Self::CsvPositions)
    }
}

/// A `[[table]]`: the product of the lists of its keys.
#[derive(Clone, Debug, Default)]
pub struct Table {
    /// The line of the table's header.
    pub line: usize,
    /// The title, which names the table in results.
    pub title: String,
    /// Games per cell.
    pub games: Option<u64>,
    /// The stopping rule.
    pub stop: Option<Located<Stop>>,
    /// A CSV file of published figures, relative to the experiment file.
    pub published: Option<Located<String>>,
    /// All other keys with their values, in the order of the file.
    pub settings: Vec<Setting>,
    /// Groups of keys whose lists move together.
    pub zip: Vec<Located<Vec<String>>>,
    /// Cells to leave out, and those that play another number of games than the table's.
    pub selections: Vec<Selection>,
    /// Parameters that the random streams do not depend on.
    pub common: Option<Located<Vec<String>>>,
    /// Whether every two players of a match have a cell of their own.
    pub separate: Option<Located<bool>>,
    /// Keys with values that were refused; those values are left out. None in an experiment that
    /// was read whole.
    pub(crate) refused: Vec<String>,
}

impl Table {
    /// The setting of this key.
    pub fn setting(&self, key: &str) -> Option<&Setting> {
        self.settings.iter().find(|setting| setting.key == key)
    }

    /// Takes those settings of `[defaults]` for which it has none of its own.
    pub(crate) fn take_defaults(&mut self, defaults: &Self) {
        let is_own = |key: &str| self.settings.iter().any(|own| clash(&own.key, key));
        let taken = defaults.settings.iter();
        let taken: Vec<Setting> = taken
            .filter(|setting| !is_own(&setting.key))
            .cloned()
            .collect();
        let refused = defaults.refused.iter().filter(|key| !is_own(key));
        self.refused.extend(refused.cloned());
        self.settings.splice(0..0, taken);
    }

    /// Whether a value of this key was refused; `size` stands for rows and cols.
    pub fn is_refused(&self, key: &str) -> bool {
        self.refused.iter().any(|refused| clash(refused, key))
    }
}

/// A key with the list of its values; a single value is a list of one.
#[derive(Clone, Debug)]
pub struct Setting {
    /// The key.
    pub key: String,
    /// The line of the value.
    pub line: usize,
    /// The values.
    pub values: Vec<Located<Literal>>,
}

/// An entry of `exclude` or `grow`: all cells that have all of these values.
#[derive(Clone, Debug)]
pub struct Selection {
    /// The line of the entry.
    pub line: usize,
    /// The keys with their values.
    pub settings: Vec<Setting>,
    /// The games of cells to grow; `None` for cells to leave out.
    pub games: Option<u64>,
}

impl Selection {
    /// The key that the selection is an entry of.
    pub fn key(&self) -> &'static str {
        self.games.map_or("exclude", |_| "grow")
    }
}

/// When a cell may stop before its game count.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Stop {
    /// Stop when half the width of the win rate's interval is at most this (as a rate, not
    /// percent).
    pub half_width: Option<f64>,
    /// Stop when half the width divided by the rate is at most this.
    pub relative: Option<f64>,
    /// Stop a match when a sequential test is decided; alone.
    pub difference: Option<Difference>,
    /// The number of games after which to stop in any case.
    pub max_games: u64,
}

/// The sequential test of a match: [`tilelab_stats::Sprt`].
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The mean that speaks against the first player: its share of points, or of a match decided by
    /// a measure the mean difference of a pair.
    pub lower: f64,
    /// The mean that speaks for the first player.
    pub upper: f64,
    /// The probability of deciding for `upper` if the mean is `lower`.
    pub alpha: f64,
    /// The probability of deciding for `lower` if the mean is `upper`.
    pub beta: f64,
}

impl Difference {
    /// The probability of an error where none is given.
    pub const ERROR: f64 = 0.05;
    /// The most pairs where no number is given.
    pub const PAIRS_MAX: u64 = 1_000_000;
}

/// A value and the line it stands on.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Located<T> {
    /// The value.
    pub value: T,
    /// The line, from 1.
    pub line: usize,
}

/// A single value.
#[derive(Clone, Debug, PartialEq)]
pub enum Literal {
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
    /// An inline table: a player with its parameters.
    Table(Vec<(String, Vec<Literal>)>),
}

impl Literal {
    /// The text, where it is one.
    pub fn text(&self) -> Option<&str> {
        match self {
            Self::Text(text) => Some(text),
            _ => None,
        }
    }
}

impl fmt::Display for Literal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => write!(f, "{value:?}"),
            Self::Text(value) => write!(f, "{value:?}"),
            Self::Table(_) => f.write_str("{ … }"),
        }
    }
}
/// The accepted confidence levels: below, intervals say nothing; above, quantiles of a single look
/// lose digits.
pub const CONFIDENCE: RangeInclusive<f64> = 0.5..=0.999_999;
/// The most values of one key, listed or as a range.
pub const VALUES_MAX: usize = 100_000;

/// The text of a file.
pub(crate) fn text_of(path: &Path) -> Result<String, Problems> {
    files::read_named(path, TEXT_BYTES_MAX).map_err(|message| {
        Problems(vec![Problem {
            path: path.to_owned(),
            line: 0,
            message,
        }])
    })
}

impl Experiment {
    /// Reads an experiment file.
    ///
    /// # Errors
    /// All problems of the file, in the order of its lines.
    pub fn read(path: &Path) -> Result<Self, Problems> {
        Self::parse_at(path, &text_of(path)?)
    }

    /// Reads the text of an experiment file. Files that it names are sought in the current folder.
    ///
    /// # Errors
    /// All problems of the text, in the order of its lines.
    pub fn parse(text: &str) -> Result<Self, Problems> {
        Self::parse_at(Path::new("experiment.toml"), text)
    }

    /// Reads the text of an experiment file; `path` is for messages and for files named in it.
    ///
    /// # Errors
    /// All problems of the text, in the order of its lines.
    pub fn parse_at(path: &Path, text: &str) -> Result<Self, Problems> {
        let (experiment, problems) = Self::parse_in_part(path, text);
        Problems::check(problems)?;
        Ok(experiment.expect("what has no problems was read"))
    }

    /// Reads what can be read of the text of an experiment file, and tells the problems of the
    /// rest; nothing where it is not TOML.
    pub(crate) fn parse_in_part(path: &Path, text: &str) -> (Option<Self>, Vec<Problem>) {
        let mut reader = Reader::new(path, text);
        if text.len() as u64 > TEXT_BYTES_MAX {
            reader.problem_at(
                1,
                format!("is larger than {TEXT_BYTES_MAX} bytes, the most that is read"),
            );
            return (None, reader.problems);
        }
        let document = match DeTable::parse(text) {
            Ok(document) => document,
            Err(error) => {
                let at = error.span().map_or(0, |span| span.start);
                let message = format!("not TOML: {}", error.message().replace('\n', "; "));
                reader.problem_at(reader.line_at(at), message);
                return (None, reader.problems);
            }
        };
        let experiment = reader.experiment(document.get_ref());
        (Some(experiment), reader.problems)
    }
}
