//! `times.csv`: how long the moves of each cell took, summed over the runs that made a result.

use super::Folder;
use crate::plan::{Cell, Plan, PlanEntry};
use crate::report::cells::{Cells, Record, csv_of};
use crate::report::times::COLUMNS;
use crate::runner::progress::CellProgress;
use std::collections::HashMap;
use std::io;
use tilelab_output::atomic;
use tilelab_output::text::guarded;

/// What was measured of a cell.
#[derive(Clone, Copy, Default)]
struct Measured {
    games: u64,
    moves: u64,
    seconds: f64,
}

impl Measured {
    /// A row of the file; `None` where its numbers cannot be used.
    fn of(row: &Record<'_>) -> Option<Self> {
        let seconds = row
            .number("seconds")
            .filter(|seconds| (0.0..1e15).contains(seconds))?;
        Some(Self {
            games: row.count("games")?,
            moves: row.count("moves")?,
            seconds,
        })
    }
}

/// The sums of a plan's cells over earlier runs of the same result.
pub struct Times {
    before: Vec<Measured>,
}

impl Times {
    /// Nothing for a new run. For a run that continues, what the folder's file says; nothing where
    /// the file is missing or damaged, since results do not depend on it.
    pub fn new(plan: &Plan, folder: &Folder, continues: bool) -> Self {
        let file = Cells::read(&folder.times(), &COLUMNS)
            .ok()
            .filter(|_| continues);
        let rows = file.iter().flat_map(Cells::records);
        // The rows of a cell in several tables are alike.
        let named = rows.filter_map(|row| Some((row.get("cell")?, Measured::of(&row)?)));
        let known: HashMap<&str, Measured> = named.collect();
        let of_cell = |cell: &Cell| known.get(&*cell.key()).copied().unwrap_or_default();
        Self {
            before: plan.cells.iter().map(of_cell).collect(),
        }
    }

    /// Writes the file, with what this run adds. Cells that were never measured have no row.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, plan: &Plan, folder: &Folder, now: &[CellProgress]) -> io::Result<()> {
        let row = |entry: &PlanEntry| {
            let before = &self.before[entry.cell];
            let now = &now[entry.cell];
            let games = before.games.saturating_add(now.games_now);
            let moves = before.moves.saturating_add(now.turns_now);
            let seconds = before.seconds + now.work_now.as_secs_f64();
            let ms_per_move = seconds * 1000.0 / moves.max(1) as f64;
            (games > 0).then(|| {
                (
                    guarded(&plan.titles[entry.table]),
                    plan.cells[entry.cell].key(),
                    games,
                    moves,
                    format!("{seconds:.9}"),
                    format!("{ms_per_move:.6}"),
                )
            })
        };
        let rows = plan.entries.iter().filter_map(row);
        atomic::write(&folder.times(), &csv_of(COLUMNS, rows))
    }
}
