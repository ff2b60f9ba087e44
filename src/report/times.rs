//! `times.csv`: how long the moves of each cell took. Kept apart from `cells.csv`, whose bytes do not depend on any of it.

use super::cells::{Cells, Record};

/// The columns of `times.csv`; `seconds` is time of threads on a processor, `moves` and `games` are those that it was measured on.
pub const COLUMNS: [&str; 6] = ["table", "cell", "games", "moves", "seconds", "ms_per_move"];

/// The file `times.csv` of a results folder.
#[derive(Clone, Debug)]
pub struct Times(pub Cells);

/// Moves quicker than this are not worth a column [ms].
const WORTH_SHOWING_MS: f64 = 0.01;

impl Times {
    /// The milliseconds that a move of a cell took.
    #[must_use]
    pub fn ms_per_move(&self, row: &Record<'_>) -> Option<f64> {
        let of_cell = |time: &Record<'_>| time.get("table") == row.get("table") && time.get("cell") == row.get("cell");
        self.0.records().find(of_cell)?.number("ms_per_move")
    }

    /// Whether a table has a cell whose moves take noticeable time.
    #[must_use]
    pub fn are_worth_showing(&self, rows: &[Record<'_>]) -> bool {
        rows.iter().filter_map(|row| self.ms_per_move(row)).any(|ms| ms >= WORTH_SHOWING_MS)
    }
}
