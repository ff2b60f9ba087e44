//! The columns of `cells.csv`: the one description of what each holds.
//!
//! A file has the leading columns, the main parameters of its games, the result columns, and then what games add; `error` is last.
//! Numbers are plain, with a dot for decimals, and empty where undefined. What a game adds is described by rule: parameters have the kind
//! that the game gives them, measures end in `_mean`, `_mean_se` (in the measure's own unit) or `_ge_LEVEL_pct` (percent of
//! the games). Exports in other formats carry this schema with its version.

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
}

/// The type of a column's fields; any field may also be empty (`null` in JSON and Parquet) where it is undefined.
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
}

const fn column(name: &'static str, kind: Kind, help: &'static str) -> Column {
    Column { name, kind, help }
}

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
    column("games", Kind::Count, "games played; where games share trajectories, every lane counts"),
    column("wins", Kind::Count, "games won by seat 0"),
    column("win_pct", Kind::Number, "won games in percent of the games played"),
    column(
        "win_pct_lo",
        Kind::Number,
        "lower end of the interval of win_pct: Clopper–Pearson's, or where games share trajectories the cluster-robust one (corrected for looking more than once)",
    ),
    column("win_pct_hi", Kind::Number, "upper end of it"),
    column("moves_mean", Kind::Number, "mean move count"),
    column("moves_mean_se", Kind::Number, "its standard error"),
    column("moves_win_mean", Kind::Number, "mean move count of won games"),
    column("moves_win_mean_se", Kind::Number, "its standard error"),
    column("moves_p50", Kind::Count, "median move count, to three significant digits"),
    column("moves_p90", Kind::Count, "90 % of the games have at most this many moves, to three significant digits"),
    column("moves_p99", Kind::Count, "99 % of the games have at most this many moves, to three significant digits"),
    column("moves_max", Kind::Count, "largest move count"),
];

/// Added when a game of the file has two seats.
pub const TWO_PLAYERS: [Column; 3] = [
    column("draws", Kind::Count, "games drawn"),
    column("losses", Kind::Count, "games lost by seat 0"),
    column("score_mean", Kind::Number, "mean score of seat 0: a win counts 1, a draw one half"),
];

/// Added when games of the file share trajectories of kinds; all but the first are empty in the rows of games that do not.
pub const LANES: [Column; 4] = [
    column(
        "lanes",
        Kind::Count,
        "games that share a trajectory of kinds, each with its own digits; 1 where each has its own",
    ),
    column("trajectories", Kind::Count, "trajectories played: games / lanes; what intervals and standard errors count"),
    column(
        "design_effect",
        Kind::Number,
        "how many times larger the variance of win_pct is than that of independent games",
    ),
    column("effective_games", Kind::Number, "independent games that would give win_pct the same precision"),
];

/// Added to every file.
pub const ADDED: [Column; 4] = [
    column("stopped", Kind::Text, "why the cell ended: games (all played), precision, max-games, failed"),
    column(
        "win_pct_wilson_lo",
        Kind::Number,
        "lower end of the Wilson score interval of win_pct (one look); cluster-robust where games share trajectories",
    ),
    column("win_pct_wilson_hi", Kind::Number, "upper end of it"),
    column("confidence", Kind::Number, "confidence level of the intervals, between 0 and 1"),
];

/// The last column.
pub const ERROR: Column = column("error", Kind::Text, "why the cell failed; empty where it did not");

/// The description of a column that every file may have; `None` for parameters and measures of games.
#[must_use]
pub fn known(name: &str) -> Option<&'static Column> {
    LEADING
        .iter()
        .chain(&RESULTS)
        .chain(&TWO_PLAYERS)
        .chain(&LANES)
        .chain(&ADDED)
        .chain([&ERROR])
        .find(|column| column.name == name)
}

/// The kind of a column, where `parameter` knows the kinds of the games' parameters.
#[must_use]
pub fn kind(name: &str, parameter: &dyn Fn(&str) -> Option<Kind>) -> Kind {
    let measure = || ["_mean", "_mean_se", "_pct"].iter().any(|ending| name.ends_with(ending)).then_some(Kind::Number);
    known(name).map(|column| column.kind).or_else(|| parameter(name)).or_else(measure).unwrap_or(Kind::Text)
}
