//! The columns of `cells.csv`: the one description of what each holds.
//!
//! A file has the leading columns, the main parameters of its games, the result columns, and then what games add; `error` is last.
//! Numbers are plain, with a dot for decimals, and empty where undefined.

/// The version of this schema; it changes when a column changes its meaning or goes.
pub const VERSION: u32 = 1;

/// A column: its name and what it holds.
#[derive(Clone, Copy, Debug)]
pub struct Column {
    /// The name in the header.
    pub name: &'static str,
    /// What it holds, with the unit.
    pub help: &'static str,
}

const fn column(name: &'static str, help: &'static str) -> Column {
    Column { name, help }
}

/// Before the parameters.
pub const LEADING: [Column; 5] = [
    column("table", "title of the table"),
    column("cell", "key of the cell, as `tilelab replay --cell` takes it"),
    column("game", "name of the game"),
    column("player", "name and parameters of the player, `name` or `name(key=value,…)`; two players joined by ` / `"),
    column("seed", "master seed"),
];

/// After the parameters.
pub const RESULTS: [Column; 13] = [
    column("games", "games played"),
    column("wins", "games won by seat 0"),
    column("win_pct", "won games in percent of the games played"),
    column("win_pct_lo", "lower end of the Clopper–Pearson interval of win_pct (corrected for looking more than once)"),
    column("win_pct_hi", "upper end of it"),
    column("moves_mean", "mean move count"),
    column("moves_mean_se", "its standard error"),
    column("moves_win_mean", "mean move count of won games"),
    column("moves_win_mean_se", "its standard error"),
    column("moves_p50", "median move count, to three significant digits"),
    column("moves_p90", "90 % of the games have at most this many moves, to three significant digits"),
    column("moves_p99", "99 % of the games have at most this many moves, to three significant digits"),
    column("moves_max", "largest move count"),
];

/// Added when a game of the file has two seats.
pub const TWO_PLAYERS: [Column; 3] = [
    column("draws", "games drawn"),
    column("losses", "games lost by seat 0"),
    column("score_mean", "mean score of seat 0: a win counts 1, a draw one half"),
];

/// Added to every file.
pub const ADDED: [Column; 4] = [
    column("stopped", "why the cell ended: games (all played), precision, max-games, failed"),
    column("win_pct_wilson_lo", "lower end of the Wilson score interval of win_pct (one look)"),
    column("win_pct_wilson_hi", "upper end of it"),
    column("confidence", "confidence level of the intervals, between 0 and 1"),
];

/// The last column.
pub const ERROR: Column = column("error", "why the cell failed; empty where it did not");
