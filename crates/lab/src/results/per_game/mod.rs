//! `games.parquet` or `games.csv`: a row for every game of the cells that have ended.
//!
//! While games are played, the outcome of each is kept in `.games/`, in files for each cell with a
//! record of fixed size at the place of each game ([`Records`]), and its last position where the
//! rows have positions. Files are named after the seed and the keys of their cells, so that they
//! stay right when the experiment changes; damaged and missing records are seen. At the end the
//! rows are written in the order of the cells and games, and games without a record (played before,
//! lost in a crash) are played again. The rows therefore depend on cells, seed and numbers of games
//! alone, and a slab of games is all that is in memory.
//!
//! A shard keeps the records of its games, which `merge` reads, and writes no rows.

mod kept;
#[cfg(feature = "parquet")]
mod parquet;
mod rows;

pub use kept::Kept;

use super::{Error, Folder};
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::{PerGame, Plan};
use crate::runner::records::{Records, Sink};
use crate::runner::state::RunState;
use kept::CHUNK;
use rows::{Columns, RowWriter};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, BufReader};
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tilelab_output::atomic;
use tilelab_output::checksum::Summed;
use tilelab_output::files::{self, File, NOTE_BYTES_MAX};
use tilelab_output::text::guarded;

/// Games that are read at a time: whole trajectories, whatever the lanes, and a whole number of
/// times in a chunk.
const SLAB: u64 = CHUNK >> 4;
/// Games that are read at a time where last positions are read, too.
const SLAB_WITH_POSITIONS: u64 = CHUNK >> 8;

/// Whether what was done to a file came to its end, rather than being interrupted.
fn completed(done: io::Result<()>, path: &Path) -> Result<bool, Error> {
    match done {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => Ok(false),
        done => done.map(|()| true).map_err(|error| Error::Write {
            path: path.to_owned(),
            error,
        }),
    }
}

/// Length and checksum of a file, by which damage is seen.
fn digest(path: &Path) -> io::Result<String> {
    if !files::symlink_metadata(path)?.is_file() {
        return Err(io::ErrorKind::InvalidInput.into());
    }
    let mut input = BufReader::with_capacity(1 << 20, File::open(path)?);
    let mut summed = Summed::new(io::sink());
    let length = io::copy(&mut input, &mut summed)?;
    Ok(format!("{length} {}\n", summed.checksum()))
}

/// Counts the changes of the files' layout: 3 since the crate `parquet` writes `games.parquet`.
const LAYOUT: u32 = 3;

/// A text that changes whenever the rows or their layout do.
fn stamp(plan: &Plan, games: &[Option<u64>], format: PerGame) -> String {
    let mut hasher = DefaultHasher::new();
    (plan.seed, format).hash(&mut hasher);
    for entry in &plan.entries {
        let games = &games[entry.cell];
        let key = plan.cells[entry.cell].key();
        (&plan.titles[entry.table], key, games).hash(&mut hasher);
    }
    format!(
        "{} {LAYOUT} {:016x}\n",
        env!("CARGO_PKG_VERSION"),
        hasher.finish()
    )
}

/// Where the outcomes come from.
pub struct Source<'a> {
    /// The plan of the games.
    pub plan: &'a Plan,
    /// The games that are known.
    pub kept: &'a Kept,
    /// Set when no more games should be played.
    pub interrupted: &'a AtomicBool,
    /// Threads to play the others on; at least 1.
    pub threads: usize,
}

impl Source<'_> {
    /// Writes the file of cells that have `games` games each, `None` for cells that did not end
    /// well; returns whether that came to its end before `interrupted` was set. The records are
    /// removed then.
    ///
    /// # Errors
    /// When the file cannot be written.
    pub fn write(&self, folder: &Folder, games: &[Option<u64>]) -> Result<bool, Error> {
        let Self { plan, kept, .. } = *self;
        let path = folder.0.join(match kept.format.is_csv() {
            true => "games.csv",
            false => "games.parquet",
        });
        let stamp = stamp(plan, games, kept.format);
        let written = files::read_text(kept.stamp(), NOTE_BYTES_MAX);
        if written.is_ok_and(|known| digest(&path).is_ok_and(|sum| known == stamp.clone() + &sum)) {
            return Ok(true);
        }
        let written = atomic::write_with(&path, |output| self.rows(games, output), || Ok(()));
        if !completed(written, &path)? {
            return Ok(false);
        }
        Kept::forget(folder)?;
        let stamped = files::create_dir_all(&kept.folder)
            .and_then(|()| Ok(stamp + &digest(&path)?))
            .and_then(|stamp| atomic::write(&kept.stamp(), stamp.as_bytes()));
        completed(stamped, &path)
    }

    /// Makes sure that a shard has kept all its games, and plays those again that it has not;
    /// returns whether that came to its end before `interrupted` was set.
    ///
    /// # Errors
    /// When the records cannot be read or written.
    pub fn complete_part(&self, state: &RunState) -> Result<bool, Error> {
        let done = self.part(state).and_then(|()| self.kept.complete_part());
        completed(done, &self.kept.folder)
    }

    /// Passes on all games in order.
    fn rows(&self, games: &[Option<u64>], output: impl io::Write + Send) -> io::Result<()> {
        let format = self.kept.format;
        let columns = Columns::new(self.plan, format.has_positions());
        let mut rows = begin(&columns, format, output)?;
        for (number, entry) in self.plan.entries.iter().enumerate() {
            let title = &self.plan.titles[entry.table];
            let title = match format.is_csv() {
                true => guarded(title),
                false => title.into(),
            };
            let key = self.plan.cells[entry.cell].key();
            let entry_of_file = (number, [title.as_ref(), &key]);
            for slab in self.slabs(0..games[entry.cell].unwrap_or(0)) {
                let records = self.complete(entry.cell, slab.clone())?;
                for game in slab {
                    let outcome = records
                        .get(game)
                        .expect("every game of the slab was played");
                    let position = records.position(game);
                    columns.write(rows.as_mut(), entry_of_file, game, &outcome, position)?;
                }
            }
        }
        rows.end()
    }

    /// Goes through all games that a shard has.
    fn part(&self, state: &RunState) -> io::Result<()> {
        for (cell, saved) in state.cells.iter().enumerate() {
            for segment in saved.iter().flat_map(|saved| &saved.segments) {
                for &(start, end) in &segment.done {
                    self.slabs(start..end)
                        .try_for_each(|slab| self.complete(cell, slab).map(drop))?;
                }
            }
        }
        Ok(())
    }

    /// Divides games into slabs, none of which lies in two chunks.
    fn slabs(&self, games: Range<u64>) -> impl Iterator<Item = Range<u64>> + use<> {
        let slab = if self.kept.with_positions() {
            SLAB_WITH_POSITIONS
        } else {
            SLAB
        };
        let Range { start, end } = games;
        let slabs = start / slab..end.div_ceil(slab);
        let games = move |number| start.max(number * slab)..end.min((number + 1) * slab);
        slabs.map(games)
    }

    /// The records of some games; those that are missing are played, and kept.
    fn complete(&self, cell: usize, games: Range<u64>) -> io::Result<Records> {
        let about = &self.plan.cells[cell];
        let mut records = self
            .kept
            .read(cell, games.clone(), about.measures().len())?;
        let lanes = about.sampling().lanes();
        let is_known = |trajectory: &u64| {
            (trajectory * lanes..(trajectory + 1) * lanes).all(|game| records.is_known(game))
        };
        let missing: Vec<u64> = (games.start / lanes..games.end / lanes)
            .filter(|at| !is_known(at))
            .collect();
        if !missing.is_empty() {
            let job = about
                .job(self.plan.seed, KernelChoice::Auto)
                .map_err(io::Error::other)?;
            for part in self.play(cell, job.as_ref(), &missing)? {
                records.fill(&part);
            }
        }
        if self.interrupted.load(Ordering::Relaxed) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        Ok(records)
    }

    /// Plays trajectories, in batches of neighbours, on all threads.
    fn play(&self, cell: usize, job: &dyn Job, trajectories: &[u64]) -> io::Result<Vec<Records>> {
        let lanes = job.sampling().lanes();
        let most = usize::try_from(job.batch_games() / lanes)
            .unwrap_or(usize::MAX)
            .max(1);
        let neighbours = trajectories.chunk_by(|a, b| a + 1 == *b);
        let batches: Vec<&[u64]> = neighbours.flat_map(|run| run.chunks(most)).collect();
        let play = |batch: &&[u64]| {
            if self.interrupted.load(Ordering::Relaxed) {
                return None;
            }
            let games = batch[0] * lanes..(batch[batch.len() - 1] + 1) * lanes;
            let records = Records::of(
                job,
                games,
                self.kept.with_positions(),
                &mut Tally::new(job.measures()),
            );
            self.kept.keep(cell, records.clone());
            Some(records)
        };
        assert!(self.threads > 0, "a run has a thread");
        #[cfg(feature = "parallel")]
        if self.threads > 1 {
            use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
            let pool = rayon::ThreadPoolBuilder::new()
                .num_threads(self.threads)
                .build()
                .map_err(io::Error::other)?;
            let played: Option<_> = pool.install(|| batches.par_iter().map(play).collect());
            return played.ok_or_else(|| io::ErrorKind::Interrupted.into());
        }
        let played: Option<_> = batches.iter().map(play).collect();
        played.ok_or_else(|| io::ErrorKind::Interrupted.into())
    }
}

/// Begins a file of the format that a plan asks for.
///
/// # Errors
/// When the output cannot be written, or this build has no Parquet.
fn begin<'a, W: io::Write + Send + 'a>(
    columns: &Columns,
    format: PerGame,
    output: W,
) -> io::Result<Box<dyn RowWriter + 'a>> {
    if format.is_csv() {
        return Ok(Box::new(rows::Csv::new(columns, output)?));
    }
    #[cfg(feature = "parquet")]
    return Ok(Box::new(parquet::Parquet::new(columns, output)?));
    #[cfg(not(feature = "parquet"))]
    Err(io::Error::new(
        io::ErrorKind::Unsupported,
        "this build has no Parquet; per_game = \"csv\" writes games.csv",
    ))
}
