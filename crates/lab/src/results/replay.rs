//! Games of a results folder again.

use crate::plan::{Cell, Overrides, Plan};
use crate::report::cells::Cells;
use std::collections::HashSet;
use std::path::Path;
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Which cell of a results folder is meant.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// The cell with this key, or with parts that only one key has.
    Key(&'a str),
    /// The cell of this row in `cells.csv`, from 1.
    Row(usize),
}

/// A cell of a results folder.
#[derive(Debug)]
pub struct CellOfFolder {
    /// The plan of the folder, with the seed and the lanes that the cell was played with, unless
    /// the overrides gave others.
    pub plan: Plan,
    /// The key of the cell, or the parts of it that were given.
    pub key: String,
    /// The games of the cell; `None` where no row of `cells.csv` has the key that is meant.
    pub games: Option<u64>,
}

/// The plan of a results folder: that of its experiment file, with the seed and the lanes that the
/// rows of its `cells.csv` were played with, unless the overrides give others.
///
/// # Errors
/// Names the experiment file, and why it cannot be read or what is wrong in it.
pub fn plan_of_folder(folder: &Path, cells: &Cells, overrides: Overrides) -> Result<Plan, String> {
    let path = folder.join("experiment.toml");
    let wrong = |error: String| format!("{}: {error}", path.display());
    let experiment = files::read_text(&path, TEXT_BYTES_MAX).map_err(wrong)?;
    let overrides = Overrides {
        // All cells of a run have one seed.
        seed: overrides.seed.or_else(|| cells.record(0).count("seed")),
        unpublished: true,
        ..overrides
    };
    let plan = Plan::of_text(&experiment, overrides.clone()).map_err(wrong)?;
    if overrides.lanes.is_some() {
        return Ok(plan);
    }
    // The lanes of --lanes, which are those of every cell, stand in the results only.
    let keys: HashSet<String> = plan.cells.iter().map(Cell::key).collect();
    let mut rows = cells.records();
    let unknown = rows.find(|row| row.get("cell").is_some_and(|key| !keys.contains(key)));
    let lanes = unknown.and_then(|row| row.count("lanes"));
    if lanes.is_none() {
        return Ok(plan);
    }
    Plan::of_text(&experiment, Overrides { lanes, ..overrides }).map_err(wrong)
}

/// Finds a cell of a results folder.
///
/// # Errors
/// Names the file of the folder that cannot be read, or what is wrong in it, or the rows that it
/// has.
pub fn cell_of_folder(
    folder: &Path,
    which: Which<'_>,
    overrides: Overrides,
) -> Result<CellOfFolder, String> {
    let cells = Cells::read_cells(&folder.join("cells.csv"))?;
    let key = match which {
        Which::Key(key) => key,
        Which::Row(row) => row
            .checked_sub(1)
            .and_then(|at| cells.records().nth(at)?.get("cell"))
            .ok_or_else(|| format!("--row {row}: accepted: 1 to {}", cells.len()))?,
    };
    let plan = plan_of_folder(folder, &cells, overrides)?;
    let found = plan.find(key).ok().map(Cell::key);
    let row_of = |key: String| cells.records().find(|row| row.get("cell") == Some(&key));
    let games = found.and_then(|key| row_of(key)?.count("games"));
    Ok(CellOfFolder {
        key: key.to_owned(),
        plan,
        games,
    })
}
