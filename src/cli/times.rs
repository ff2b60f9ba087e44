//! `times.csv`: summed over the runs that made a result.

use super::output::Folder;
use crate::plan::Plan;
use crate::report::atomic;
use crate::report::cells::Cells;
use crate::report::times::COLUMNS;
use crate::runner::schedule::CellProgress;
use std::io;

/// Games, moves and time of each cell of a plan, as earlier runs of the same result left them.
pub struct Times {
    before: Vec<(u64, u64, f64)>,
}

impl Times {
    /// Nothing for a fresh run; what the folder's file tells for a run that continues.
    pub fn new(plan: &Plan, folder: &Folder, continues: bool) -> Self {
        let known = Cells::read(&folder.times(), &COLUMNS).ok().filter(|_| continues);
        let of_cell = |title: &str, key: &str| {
            let known = known.as_ref()?;
            let row = known.records().find(|row| row.get("table") == Some(title) && row.get("cell") == Some(key))?;
            Some((row.count("games")?, row.count("moves")?, row.number("seconds")?))
        };
        let cells = plan.cells.iter();
        Self {
            before: cells.map(|cell| of_cell(&plan.titles[cell.table], &cell.key()).unwrap_or((0, 0, 0.0))).collect(),
        }
    }

    /// Writes the file, with what this run adds.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn write(&self, plan: &Plan, folder: &Folder, now: &[CellProgress]) -> io::Result<()> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(COLUMNS).expect("memory takes every record");
        for ((cell, &(games, moves, seconds)), now) in plan.cells.iter().zip(&self.before).zip(now) {
            let (games, moves) = (games + now.games_now, moves + now.turns_now);
            let seconds = seconds + now.work_now.as_secs_f64();
            if games == 0 {
                continue;
            }
            let ms_per_move = seconds * 1000.0 / moves.max(1) as f64;
            let record = [
                plan.titles[cell.table].clone(),
                cell.key(),
                games.to_string(),
                moves.to_string(),
                format!("{seconds:.9}"),
                format!("{ms_per_move:.6}"),
            ];
            writer.write_record(record).expect("memory takes every record");
        }
        atomic::write(&folder.times(), &writer.into_inner().expect("memory takes every record"))
    }
}
