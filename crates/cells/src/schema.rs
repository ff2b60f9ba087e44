//! The columns of `cells.csv`: the one description of what each holds.
//!
//! A file has the leading columns, the main parameters of its games, the result columns, and then
//! what games add; `error` is last. Numbers are plain, with a dot for decimals, and empty where
//! undefined. What a game adds is described by rule: parameters have the kind that the game gives
//! them, measures end in `_mean`, `_mean_se` (in the measure's own unit) or `_ge_LEVEL_pct`
//! (percent of the games). Exports in other formats carry this schema with its version.
//!
//! The files are for programs: text is written as it is, even where a spreadsheet takes it for a
//! formula (`operators` such as `+-`, or a title that starts with `=`). An added apostrophe would
//! change the value for every other reader. Import these columns as text into a spreadsheet.

// Skipped, so that a column stays on one line.
#[rustfmt::skip]
mod tables;

pub use tables::*;

/// The version of this schema; it changes when a column changes its meaning or goes.
pub const VERSION: u32 = 2;

/// A column: its name, its type and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in the header.
    pub name: &'static str,
    /// The type of the column's fields.
    pub kind: Kind,
    /// The unit of the column's numbers; empty where they have none.
    pub unit: &'static str,
    /// What the column holds.
    pub help: &'static str,
    /// The least and the largest number that a field may hold; not used for text and flags.
    pub range: [f64; 2],
}

/// 2⁶⁴: move counts are below it, so their means are too.
const NUMBER_MAX: f64 = 18_446_744_073_709_551_616.0;
/// 2⁶²: twice as many games still fit the integers that the statistics use.
const GAMES_MAX: f64 = 4_611_686_018_427_387_904.0;

/// The type of a column's fields; any field may also be empty (`null` in JSON and Parquet) where it
/// is undefined.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// UTF-8 text; see [`tilelab_output::text::guarded`].
    Text,
    /// A whole number from 0 to 2⁶⁴ − 1.
    Count,
    /// A whole number of 64 bits with sign.
    Integer,
    /// A 64-bit floating-point number; computed ones are written to twelve significant digits.
    Number,
    /// `true` or `false`.
    Flag,
}

impl Kind {
    /// The word in exported schemas.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "count",
            Self::Integer => "integer",
            Self::Number => "number",
            Self::Flag => "flag",
        }
    }

    /// What a field of this kind has to be, for messages.
    #[must_use]
    pub const fn expected(self) -> &'static str {
        match self {
            Self::Text => "text",
            Self::Count => "a count",
            Self::Integer => "an integer",
            Self::Number => "a finite number",
            Self::Flag => "true or false",
        }
    }
}

/// Before the names of parameters in the columns of the first and of the second player's
/// parameters.
pub const PLAYER_PREFIXES: [&str; 2] = ["player_", "opponent_"];

/// The names of columns.
pub const fn names<const N: usize>(columns: &[Column; N]) -> [&'static str; N] {
    let mut names = [""; N];
    let mut at = 0;
    while at < N {
        names[at] = columns[at].name;
        at += 1;
    }
    names
}

/// All columns of `cells.csv` that do not depend on the game.
pub fn columns() -> impl Iterator<Item = &'static Column> {
    let parts: [&[Column]; 14] = [
        &LEADING,
        &RESULTS,
        &TWO_PLAYERS,
        &PLAYERS,
        &LANES,
        &SPLITTING[..3],
        &MATCHES,
        &TESTS,
        &ADDED,
        &[MEDIAN_UNBIASED, INTERVAL],
        &FORFEITS,
        &OPPONENT_FORFEITS,
        &[CELLS_PLANNED],
        &[ERROR],
    ];
    parts.into_iter().flatten()
}

/// The description of a column that every file may have; `None` for parameters and measures of
/// games.
pub fn known(name: &str) -> Option<&'static Column> {
    columns().find(|column| column.name == name)
}

/// Whether a column holds what a game measured: a mean, its error, or a percentage.
fn is_measure(name: &str) -> bool {
    ["_mean", "_mean_se", "_pct"]
        .iter()
        .any(|ending| name.ends_with(ending))
}

/// Whether a column describes a cell beyond its table, key and seed: the game, a player, a
/// parameter.
pub fn is_parameter(name: &str) -> bool {
    ["game", "player", "lanes", "method", MATCHES[0].name].contains(&name)
        || !is_measure(name)
            && !is_of_player(name)
            && columns().chain(&COMPARED).all(|column| column.name != name)
}

/// Whether a column holds the name or a parameter of one player; the column `player` says all of
/// them.
pub fn is_of_player(name: &str) -> bool {
    PLAYERS.iter().any(|column| column.name == name)
        || PLAYER_PREFIXES
            .iter()
            .any(|prefix| name.starts_with(prefix))
            && !is_measure(name)
}

impl Column {
    /// Whether a field, not empty, is of this column's type and within its range.
    ///
    /// # Errors
    /// Says what the field has to be.
    pub fn check(&self, field: &str) -> Result<(), String> {
        let expected = self.kind.expected();
        let number = match self.kind {
            Kind::Text => return Ok(()),
            Kind::Flag => field.parse::<bool>().ok().map(f64::from),
            Kind::Count => field.parse::<u64>().ok().map(|count| count as f64),
            Kind::Integer => field.parse::<i64>().ok().map(|count| count as f64),
            Kind::Number => field.parse().ok().filter(|number: &f64| number.is_finite()),
        };
        let number = number.ok_or(expected)?;
        let [least, most] = self.range;
        if number < least || number > most {
            let [least, most] = self.range.map(bound);
            return Err(format!("{expected} from {least} to {most}"));
        }
        Ok(())
    }
}

/// A bound for people: large ones are powers of two.
pub fn bound(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if value.abs() < 1e15 {
        value.to_string()
    } else {
        format!("{sign}2^{}", value.abs().log2())
    }
}

/// Checks a field of `cells.csv` by the name of its column; parameters of games are not checked.
///
/// # Errors
/// Says what the field has to be.
pub fn check(name: &str, field: &str) -> Result<(), String> {
    match known(name) {
        Some(column) => column.check(field),
        None if is_measure(name) => tables::signed("", "").check(field),
        None => Ok(()),
    }
}

/// The kind of a column, where `parameter` knows the kinds of the games' parameters.
pub fn kind(name: &str, parameter: &dyn Fn(&str) -> Option<Kind>) -> Kind {
    let measure = || is_measure(name).then_some(Kind::Number);
    known(name)
        .map(|column| column.kind)
        .or_else(|| parameter(name))
        .or_else(measure)
        .unwrap_or(Kind::Text)
}
