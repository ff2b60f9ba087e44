//! Games of a results folder again.

use crate::plan::{Cell, Overrides, Plan};
use crate::report::cells::Cells;
use std::path::Path;
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Which cell of a results folder is meant.
#[derive(Clone, Copy, Debug)]
pub enum Which<'a> {
    /// By its key, or by parts that only one key has.
    Key(&'a str),
    /// By its row in `cells.csv`, from 1.
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
    /// Its games; `None` where no row of `cells.csv` has the key that is meant.
    pub games: Option<u64>,
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
    let path = folder.join("experiment.toml");
    let wrong = |error: String| format!("{}: {error}", path.display());
    let experiment = files::read_text(&path, TEXT_BYTES_MAX).map_err(wrong)?;
    let cells = Cells::read_cells(&folder.join("cells.csv"))?;
    let key = match which {
        Which::Key(key) => key,
        Which::Row(row) => row
            .checked_sub(1)
            .and_then(|at| cells.records().nth(at)?.get("cell"))
            .ok_or_else(|| format!("--row {row}: accepted: 1 to {}", cells.records().count()))?,
    };
    let row_of = |key: &str| cells.records().find(|row| row.get("cell") == Some(key));
    let count = |name| row_of(key)?.count(name);
    // All cells of a run have one seed, so that a part of a key is enough.
    let seed = count("seed").or_else(|| cells.records().next()?.count("seed"));
    let overrides = Overrides {
        seed: overrides.seed.or(seed),
        unpublished: true,
        ..overrides
    };
    let mut plan = Plan::of_text(&experiment, overrides.clone()).map_err(wrong)?;
    // The lanes of --lanes stand in the results only.
    if plan.find(key).is_err() && overrides.lanes.is_none() && count("lanes").is_some() {
        let overrides = Overrides {
            lanes: count("lanes"),
            ..overrides
        };
        plan = Plan::of_text(&experiment, overrides).map_err(wrong)?;
    }
    let found = plan.find(key).ok().map(Cell::key);
    let games = found.and_then(|key| row_of(&key)?.count("games"));
    Ok(CellOfFolder {
        key: key.to_owned(),
        plan,
        games,
    })
}
