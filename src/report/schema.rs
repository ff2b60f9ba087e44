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

/// The version of this schema; it changes when a column changes its meaning or goes.
pub const VERSION: u32 = 1;

/// A column: its name, its type and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in the header.
    pub name: &'static str,
    /// What its fields are.
    pub kind: Kind,
    /// What it holds, with the unit.
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
    /// UTF-8 text.
    Text,
    /// A whole number from 0 to 2⁶⁴ − 1.
    Count,
    /// A whole number of 64 bits with sign.
    Integer,
    /// A 64-bit floating-point number, written so that it reads back to the same number.
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

const fn column(name: &'static str, kind: Kind, help: &'static str) -> Column {
    let least = if matches!(kind, Kind::Count) { 0.0 } else { -NUMBER_MAX };
    Column { name, kind, help, range: [least, NUMBER_MAX] }
}

/// A column of numbers between two bounds.
const fn number(name: &'static str, range: [f64; 2], help: &'static str) -> Column {
    Column { name, kind: Kind::Number, help, range }
}

/// A column that counts games.
const fn games(name: &'static str, help: &'static str) -> Column {
    Column { name, kind: Kind::Count, help, range: [0.0, GAMES_MAX] }
}

const PERCENT: [f64; 2] = [0.0, 100.0];
const NOT_NEGATIVE: [f64; 2] = [0.0, NUMBER_MAX];

/// Before the parameters.
pub const LEADING: [Column; 5] = [
    column("table", Kind::Text, "title of the table"),
    column("cell", Kind::Text, "key of the cell, as `tilelab replay --cell` takes it"),
    column("game", Kind::Text, "name of the game"),
    column(
        "player",
        Kind::Text,
        "name and parameters of the player, `name` or `name(key=value,…)`; two players joined by ` / `",
    ),
    column("seed", Kind::Count, "master seed"),
];

/// After the parameters.
pub const RESULTS: [Column; 13] = [
    games("games", "games played; where games share trajectories, every lane counts"),
    games("wins", "games won by seat 0"),
    number("win_pct", PERCENT, "won games in percent of the games played"),
    number(
        "win_pct_lo",
        PERCENT,
        "lower end of the interval of win_pct: Clopper–Pearson's, or where games share trajectories the cluster-robust one (corrected for looking more than once)",
    ),
    number("win_pct_hi", PERCENT, "upper end of it"),
    number("moves_mean", NOT_NEGATIVE, "mean move count"),
    number("moves_mean_se", NOT_NEGATIVE, "its standard error"),
    number("moves_win_mean", NOT_NEGATIVE, "mean move count of won games"),
    number("moves_win_mean_se", NOT_NEGATIVE, "its standard error"),
    column("moves_p50", Kind::Count, "median move count, to three significant digits"),
    column("moves_p90", Kind::Count, "90 % of the games have at most this many moves, to three significant digits"),
    column("moves_p99", Kind::Count, "99 % of the games have at most this many moves, to three significant digits"),
    column("moves_max", Kind::Count, "largest move count"),
];

/// Added when a game of the file has two seats.
pub const TWO_PLAYERS: [Column; 3] = [
    games("draws", "games drawn"),
    games("losses", "games lost by seat 0"),
    number("score_mean", [0.0, 1.0], "mean score of seat 0: a win counts 1, a draw one half"),
];

/// Added when games of the file share trajectories of kinds; all but the first are empty in the
/// rows of games that do not.
pub const LANES: [Column; 4] = [
    column(
        "lanes",
        Kind::Count,
        "games that share a trajectory of kinds, each with its own digits; 1 where each has its own",
    ),
    games("trajectories", "trajectories played: games / lanes; what intervals and standard errors count"),
    number(
        "design_effect",
        NOT_NEGATIVE,
        "how many times larger the variance of win_pct is than that of independent games",
    ),
    number("effective_games", [0.0, GAMES_MAX], "independent games that would give win_pct the same precision"),
];

/// Added to every file.
pub const ADDED: [Column; 4] = [
    column("stopped", Kind::Text, "why the cell ended: games (all played), precision, max-games, failed"),
    number(
        "win_pct_wilson_lo",
        PERCENT,
        "lower end of the Wilson score interval of win_pct (one look); cluster-robust where games share trajectories",
    ),
    number("win_pct_wilson_hi", PERCENT, "upper end of it"),
    number("confidence", [0.0, 1.0], "confidence level of the intervals, between 0 and 1"),
];

/// The last column.
pub const ERROR: Column = column("error", Kind::Text, "why the cell failed; empty where it did not");

/// The columns of `published.csv`: figures published elsewhere for cells of `cells.csv`.
pub const PUBLISHED: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    games("games", "games behind the published figure"),
    games("wins", "how many of them were won"),
    column("moves_mean", Kind::Text, "mean move count as published"),
    column("moves_win_mean", Kind::Text, "mean move count of won games as published"),
];

/// The columns of `times.csv`.
pub const TIMES: [Column; 6] = [
    LEADING[0],
    LEADING[1],
    games("games", "games that the time was measured on"),
    column("moves", Kind::Count, "their moves"),
    number("seconds", NOT_NEGATIVE, "time of threads on a processor"),
    number("ms_per_move", NOT_NEGATIVE, "milliseconds that one thread takes for a move"),
];

/// The columns of `distributions.csv`.
pub const DISTRIBUTIONS: [Column; 3] =
    [LEADING[0], LEADING[1], column("moves", Kind::Text, "`MOVES:GAMES MOVES:GAMES …`, move counts ascending")];

/// Columns that the report page adds where figures published elsewhere are known.
pub const COMPARED: [Column; 2] = [
    number("published_win_pct", PERCENT, "won games in percent as published elsewhere"),
    number(
        "published_p",
        [0.0, 1.0],
        "Fisher's exact two-sided p-value of the hypothesis that both rates are the same",
    ),
];

/// The names of columns.
#[must_use]
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
    LEADING.iter().chain(&RESULTS).chain(&TWO_PLAYERS).chain(&LANES).chain(&ADDED).chain([&ERROR])
}

/// The description of a column that every file may have; `None` for parameters and measures of
/// games.
#[must_use]
pub fn known(name: &str) -> Option<&'static Column> {
    columns().find(|column| column.name == name)
}

/// Whether a column holds what a game measured: a mean, its error, or a percentage.
#[must_use]
pub fn is_measure(name: &str) -> bool {
    ["_mean", "_mean_se", "_pct"].iter().any(|ending| name.ends_with(ending))
}

/// Whether a column describes a cell beyond its table, key and seed: the game, a player, a
/// parameter.
#[must_use]
pub fn is_parameter(name: &str) -> bool {
    ["game", "player", "lanes"].contains(&name)
        || !is_measure(name) && known(name).or(COMPARED.iter().find(|column| column.name == name)).is_none()
}

impl Column {
    /// Whether a field, not empty, is of this column's type and within its range.
    ///
    /// # Errors
    /// Says what the field has to be.
    pub fn check(&self, field: &str) -> Result<(), String> {
        let number = match self.kind {
            Kind::Text => return Ok(()),
            Kind::Flag => return field.parse::<bool>().map(drop).map_err(|_| self.kind.expected().to_owned()),
            Kind::Count => field.parse::<u64>().ok().map(|count| count as f64),
            Kind::Integer => field.parse::<i64>().ok().map(|count| count as f64),
            Kind::Number => field.parse::<f64>().ok().filter(|number| number.is_finite()),
        };
        let number = number.ok_or_else(|| self.kind.expected().to_owned())?;
        let [least, most] = self.range;
        if number < least || number > most {
            return Err(format!("{} from {} to {}", self.kind.expected(), bound(least), bound(most)));
        }
        Ok(())
    }
}

/// A bound for people: large ones are powers of two.
fn bound(value: f64) -> String {
    let sign = if value < 0.0 { "-" } else { "" };
    if value.abs() < 1e15 { value.to_string() } else { format!("{sign}2^{}", value.abs().log2()) }
}

/// Checks a field of `cells.csv` by the name of its column; parameters of games are not checked.
///
/// # Errors
/// Says what the field has to be.
pub fn check(name: &str, field: &str) -> Result<(), String> {
    match known(name) {
        Some(column) => column.check(field),
        None if is_measure(name) => column("", Kind::Number, "").check(field),
        None => Ok(()),
    }
}

/// The kind of a column, where `parameter` knows the kinds of the games' parameters.
#[must_use]
pub fn kind(name: &str, parameter: &dyn Fn(&str) -> Option<Kind>) -> Kind {
    let measure = || is_measure(name).then_some(Kind::Number);
    known(name).map(|column| column.kind).or_else(|| parameter(name)).or_else(measure).unwrap_or(Kind::Text)
}
