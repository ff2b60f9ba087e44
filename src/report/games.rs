//! The columns of `games.parquet` and `games.csv`: a row for every game.

use super::schema::{Column, Kind};

const fn column(
    name: &'static str,
    kind: Kind,
    unit: &'static str,
    help: &'static str,
    range: [f64; 2],
) -> Column {
    Column {
        name,
        kind,
        unit,
        help,
        range,
    }
}

/// 2⁶⁴.
const COUNT: [f64; 2] = [0.0, 18_446_744_073_709_551_616.0];

/// Rows of a row group of `games.parquet`, at most.
pub const GROUP_ROWS: usize = 1 << 18;

/// The columns of every file; then come the measures of the games, as whole numbers, empty where a
/// game does not have them, and [`POSITION`] where it is asked for.
pub const COLUMNS: [Column; 5] = [
    column("table", Kind::Text, "", "title of the table", COUNT),
    column("cell", Kind::Text, "", "key of the cell", COUNT),
    column(
        "game_index",
        Kind::Count,
        "",
        "number of the game in its cell, from 0, as `tilelab replay --game` takes it",
        COUNT,
    ),
    column(
        "outcome",
        Kind::Text,
        "",
        "won, drawn or lost, seen from seat 0",
        COUNT,
    ),
    column("moves", Kind::Count, "moves", "moves made", COUNT),
];

/// The last column of files with positions.
pub const POSITION: Column = column(
    "position",
    Kind::Text,
    "",
    "last position, as JSON (`--per-game=positions`)",
    COUNT,
);
