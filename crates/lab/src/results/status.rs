//! What a results folder holds.

use super::live::Live;
use super::store::{Found, load_last_good};
use super::{Error, Folder};
use crate::report::cells::Cells;
use crate::report::folder;
use crate::report::schema::FORFEITS;
use crate::runner::Shard;
use crate::runner::progress::total;
use crate::runner::state::{CellState, Stopped};
use serde::Serialize;
use std::path::Path;
use tilelab_output::files;

/// What a results folder holds, and for whom.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
pub struct Status {
    /// The folder.
    pub folder: String,
    /// Whether there is a saved state; without one, the counts are those of `cells.csv`.
    pub has_state: bool,
    /// Why the state before the last one was read, if it was.
    pub damage: Option<String>,
    /// Name of the experiment; that of the folder where nothing is saved.
    pub name: String,
    /// The master seed, where it is known.
    pub seed: Option<u64>,
    /// The version of tilelab that saved the state.
    pub version: Option<String>,
    /// The version of seeded results.
    pub results_version: Option<u32>,
    /// Which shard and of how many, where it is not the whole.
    pub shard: Option<(u64, u64)>,
    /// Cells of the experiment as it was last run.
    pub cells: usize,
    /// Cells that have a result.
    pub cells_done: usize,
    /// Cells that failed.
    pub cells_failed: usize,
    /// Cells that other shards play.
    pub cells_elsewhere: usize,
    /// Games of all results and unfinished cells.
    pub games: u64,
    /// Games, or pairs of games, that a player did not finish.
    pub games_forfeited: u64,
    /// Games that are kept besides: of cells and numbers of games that the experiment no longer
    /// asks for.
    pub games_beyond: u64,
    /// Cells that the experiment no longer names.
    pub cells_beyond: usize,
    /// How far the run is that plays in the folder now, if one does.
    pub live: Option<Live>,
    /// Bytes of the last two states.
    pub state_bytes: u64,
    /// Bytes of all other files of the folder.
    pub other_bytes: u64,
}

impl Status {
    /// Reads a results folder.
    ///
    /// # Errors
    /// When its state cannot be read; or when it has none, nor a `cells.csv` that can be read.
    pub fn read(path: &Path) -> Result<Self, Error> {
        let folder = Folder(path.to_owned());
        let state_bytes = [folder.state(), folder.state_before()]
            .iter()
            .map(|file| bytes(file))
            .sum();
        let files = files::read_dir(path)
            .map_err(|error| Error::Csv(format!("{}: {error}", path.display())))?;
        let all: u64 = files.iter().map(|entry| bytes(&entry.path)).sum();
        let sizes = Self {
            folder: path.display().to_string(),
            state_bytes,
            other_bytes: all.saturating_sub(state_bytes),
            live: Live::of(&folder),
            ..Self::default()
        };
        match (load_last_good(&folder)?, &sizes.live) {
            (Some(found), _) => Ok(Self::of_state(&found, sizes)),
            // A run that has not saved yet.
            (None, Some(live)) => Ok(Self {
                name: live.name.clone(),
                seed: Some(live.seed),
                cells: live.cells,
                ..sizes
            }),
            (None, None) => Self::of_table(path, sizes),
        }
    }

    fn of_state(found: &Found, sizes: Self) -> Self {
        let state = &found.state;
        let header = &state.header;
        let cells = || state.cells.iter().flatten();
        let ended = |wanted: fn(Stopped) -> bool| {
            let ended = cells().filter(|cell| cell.stopped.is_some_and(wanted));
            ended.count()
        };
        let shard = header.shard();
        let all = cells().chain(&state.cells_not_in_plan);
        let stored = total(all.map(|cell| cell.games_stored()));
        let shown = total(cells().map(|cell| cell.games()));
        Self {
            has_state: true,
            damage: found.damage.as_ref().map(ToString::to_string),
            name: header.name.clone(),
            seed: Some(header.seed),
            version: Some(header.version.clone()),
            results_version: Some(header.results),
            shard: (shard != Shard::WHOLE).then_some((shard.index, shard.count)),
            cells: state.cells.len(),
            cells_done: ended(Stopped::has_result),
            cells_failed: ended(|stopped| stopped == Stopped::Failed),
            cells_elsewhere: ended(|stopped| stopped == Stopped::OtherShard),
            games: shown,
            games_forfeited: total(cells().map(|cell| forfeited(cell))),
            games_beyond: stored.saturating_sub(shown),
            cells_beyond: state.cells_not_in_plan.len(),
            ..sizes
        }
    }

    fn of_table(path: &Path, sizes: Self) -> Result<Self, Error> {
        let table = Cells::read_cells(&path.join("cells.csv")).map_err(Error::Csv)?;
        let rows = || table.records();
        let failed = rows().filter(|row| row.get("error").is_some()).count();
        let sum = |column: &str| total(rows().filter_map(|row| row.count(column)));
        Ok(Self {
            name: folder::name(path).map_err(Error::Csv)?.unwrap_or_default(),
            seed: rows().next().and_then(|row| row.count("seed")),
            cells: rows().count(),
            cells_done: rows().count() - failed,
            cells_failed: failed,
            games: sum("games"),
            games_forfeited: sum(FORFEITS[0].name),
            ..sizes
        })
    }
}

/// Games of a cell that a player did not finish.
fn forfeited(cell: &CellState) -> u64 {
    let segments = cell.segments.iter();
    total(segments.map(|segment| segment.tally.forfeited()))
}

/// The size of a file; 0 for anything else.
fn bytes(file: &Path) -> u64 {
    let found = files::symlink_metadata(file).ok();
    let found = found.filter(|found| found.is_file());
    found.map_or(0, |found| found.len)
}
