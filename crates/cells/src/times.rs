//! `times.csv`: how long the moves of each cell took. Kept apart from `cells.csv`, whose bytes do
//! not depend on any of it.

use super::cells::{Cells, Record};
use super::schema;
use std::collections::HashMap;

/// The columns of `times.csv`; `seconds` is time of threads on a processor, `moves` and `games` are
/// those that it was measured on.
pub const COLUMNS: [&str; 6] = schema::names(&schema::TIMES);

/// How long a move of each cell took, from the file `times.csv` of a results folder.
#[derive(Clone, Debug)]
pub struct Times {
    /// Milliseconds by table and cell.
    ms_per_move: HashMap<(String, String), f64>,
}

/// Faster moves do not get a column [ms].
const SHOWN_MS_MIN: f64 = 0.01;

impl Times {
    /// Looks the milliseconds of all cells up in the file.
    pub fn new(file: &Cells) -> Self {
        let rows = file.records();
        let known = rows.filter_map(|row| Some((row.owned_key(), row.number("ms_per_move")?)));
        Self {
            ms_per_move: known.collect(),
        }
    }

    /// The milliseconds that a move of a cell took.
    pub fn ms_per_move(&self, row: &Record<'_>) -> Option<f64> {
        self.ms_per_move.get(&row.owned_key()).copied()
    }

    /// Whether a table has a cell whose moves take noticeable time.
    pub fn are_noticeable(&self, rows: &[Record<'_>]) -> bool {
        rows.iter()
            .filter_map(|row| self.ms_per_move(row))
            .any(|ms| ms >= SHOWN_MS_MIN)
    }
}
