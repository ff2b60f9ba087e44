//! Games of a results folder again.

use crate::experiment::FILE_BYTES_MAX;
use crate::plan::{Overrides, Plan};
use crate::report::cells::Cells;
use crate::text;
use std::path::Path;

/// The plan of a results folder with the seed and the lanes that the cell with this key was played
/// with, unless the overrides give others.
///
/// # Errors
/// Names the file of the folder that cannot be read, or what is wrong in it.
pub fn plan_of_cell(folder: &Path, key: &str, overrides: Overrides) -> Result<Plan, String> {
    let path = folder.join("experiment.toml");
    let wrong = |error: String| format!("{}: {error}", path.display());
    let experiment = text::read_regular(&path, FILE_BYTES_MAX).map_err(wrong)?;
    let cells = Cells::read_cells(&folder.join("cells.csv"))?;
    let row = cells.records().find(|row| row.get("cell") == Some(key));
    let count = |name| row.as_ref().and_then(|row| row.count(name));
    // All cells of a run have one seed, so that a part of a key is enough.
    let seed = count("seed").or_else(|| cells.records().next()?.count("seed"));
    let overrides = Overrides {
        seed: overrides.seed.or(seed),
        unpublished: true,
        ..overrides
    };
    let plan = Plan::of_text(&experiment, overrides.clone()).map_err(wrong)?;
    // The lanes of --lanes stand in the results only.
    if plan.find(key).is_err() && overrides.lanes.is_none() && count("lanes").is_some() {
        return Plan::of_text(
            &experiment,
            Overrides {
                lanes: count("lanes"),
                ..overrides
            },
        )
        .map_err(wrong);
    }
    Ok(plan)
}

/// The key of the cell in a row of a folder's `cells.csv`, from 1.
///
/// # Errors
/// Names the file that cannot be read, or the rows that it has.
pub fn key_of_row(folder: &Path, row: usize) -> Result<String, String> {
    let cells = Cells::read_cells(&folder.join("cells.csv"))?;
    let found = row
        .checked_sub(1)
        .and_then(|at| cells.records().nth(at))
        .and_then(|row| row.get("cell").map(str::to_owned));
    found.ok_or_else(|| format!("--row {row}: accepted: 1 to {}", cells.records().count()))
}

/// The number of games of a cell in a folder's `cells.csv`; `None` where no row has this key.
///
/// # Errors
/// Names the file that cannot be read.
pub fn games_of_cell(folder: &Path, key: &str) -> Result<Option<u64>, String> {
    let cells = Cells::read_cells(&folder.join("cells.csv"))?;
    let row = cells.records().find(|row| row.get("cell") == Some(key));
    Ok(row.and_then(|row| row.count("games")))
}
