//! Keeps the results that a folder holds from being replaced by smaller ones.
//!
//! `cells.csv` may be all that is there of an earlier run: states are not versioned with it. So its
//! rows are compared with what the new run keeps or plays.

use super::{Error, Folder};
use crate::plan::Plan;
use crate::report::cells::{Cells, Record};
use crate::report::distributions::Distributions;
use crate::report::schema::FORFEITS;
use crate::runner::progress::total;
use crate::runner::state::RunState;
use crate::text::counted;
use std::cell::LazyCell;
use std::collections::{HashMap, HashSet};
use std::io;
use tilelab_output::files::{self, TABLE_BYTES_MAX};

/// The most cells that a message names.
const NAMED_MAX: usize = 3;

/// Refuses to replace a `cells.csv` with games that neither the state holds nor the plan will play;
/// how many of its cells only former plans named.
///
/// A file without a table of cells holds no games, and neither does a row whose games are not those
/// of its bins in `distributions.csv`: both are damaged, and made again from the state.
///
/// # Errors
/// Names the cells and their games, or says why the file cannot be read.
pub fn check(folder: &Folder, plan: &Plan, state: &RunState) -> Result<usize, Error> {
    use io::ErrorKind::{FileTooLarge, InvalidInput, NotFound};
    let path = folder.0.join("cells.csv");
    let table = match files::read(&path, TABLE_BYTES_MAX) {
        Ok(bytes) => Cells::parse("cells.csv", &bytes, &["cell", "games"]),
        Err(error) if matches!(error.kind(), FileTooLarge | InvalidInput | NotFound) => {
            return Ok(0);
        }
        // A file that may not be opened may hold games.
        Err(error) => {
            let message = format!("{}: cannot be read: {error}", path.display());
            return Err(Error::Csv(message));
        }
    };
    let Ok(cells) = table else {
        return Ok(0);
    };
    let mut kept: HashMap<String, u64> = HashMap::new();
    let planned = plan.cells.iter().map(|cell| (cell.key(), cell.games));
    let stored = state.cells.iter().flatten().chain(&state.cells_not_in_plan);
    let stored = stored.map(|cell| (cell.key.clone(), cell.games_stored()));
    for (key, games) in planned.chain(stored) {
        let known = kept.entry(key).or_default();
        *known = games.max(*known);
    }
    // Most runs lose no games, and the file may be large.
    let bins = LazyCell::new(|| Distributions::read(&folder.0.join("distributions.csv")));
    let is_damaged = |row: &Record<'_>, games: u64| {
        let sum = |bins: &Distributions| total(bins.of_record(row).iter().map(|bin| bin.games));
        // Replications have no bins.
        let has_bins = row.get("method") != Some("splitting");
        // Forfeited games have no bins either.
        let forfeited = row.count(FORFEITS[0].name).unwrap_or_default();
        let in_bins = games.saturating_sub(forfeited);
        has_bins && bins.as_ref().is_ok_and(|bins| in_bins != sum(bins))
    };
    let mut lost = Vec::new();
    for row in cells.records() {
        let games = row.count("games").unwrap_or_default();
        let cell = row.get("cell").unwrap_or_default();
        let left = kept.get(cell).copied().unwrap_or_default();
        if games > left && !is_damaged(&row, games) {
            lost.push(format!("{cell} has {games} games and would have {left}"));
        }
    }
    if lost.is_empty() {
        let former = state.cells_not_in_plan.iter();
        let former: HashSet<&str> = former.map(|cell| cell.key.as_str()).collect();
        let named = cells.records().filter_map(|row| row.get("cell"));
        return Ok(named.filter(|cell| former.contains(cell)).count());
    }
    let cells = counted(lost.len(), ["cell", "cells"]);
    let more = lost.len().saturating_sub(NAMED_MAX);
    lost.truncate(NAMED_MAX);
    if more > 0 {
        lost.push(format!("and {more} more"));
    }
    let reason = format!("games of {cells} would be lost: {}", lost.join("; "));
    Err(Error::Lost { path, reason })
}
