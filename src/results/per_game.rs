//! `games.parquet` or `games.csv`: a row for every game of the cells that have ended.
//!
//! While games are played, the outcome of each is kept in `.games/`, in a file for each cell with a
//! record of fixed size at the place of each game ([`Records`]). Files are named after the seed
//! and the keys of their cells, so that they stay right when the experiment changes; damaged and
//! missing records are seen. At the end the rows are written in the order of the cells and games,
//! and games without a record (played before, lost in a crash) are played again. The rows
//! therefore depend on cells, seed and numbers of games alone, and a slab of games is all that is
//! in memory.

use super::{Error, Folder};
use crate::game::{GameResult, Job, KernelChoice, Outcome, Tally};
use crate::plan::{Cell, PerGame, Plan};
use crate::report::parquet::file::{Column, Field, Values, Writer};
use crate::report::schema::Kind;
use crate::report::text::guarded;
use crate::report::{atomic, games};
use crate::runner::records::{Records, Sink};
use std::collections::HashMap;
use std::fs::{File, OpenOptions};
use std::hash::{DefaultHasher, Hash, Hasher};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::ops::Range;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

/// Games that are read at a time: whole trajectories, whatever the lanes.
const SLAB: u64 = 1 << 16;
/// Rows of a row group of the Parquet file.
const GROUP: usize = 1 << 18;

/// The file with the rows of all games.
#[must_use]
pub fn path(folder: &Folder, format: PerGame) -> PathBuf {
    folder.0.join(match format {
        PerGame::Parquet => "games.parquet",
        PerGame::Csv => "games.csv",
    })
}

/// The records of single games in a results folder.
pub struct Kept {
    folder: PathBuf,
    /// The name of each cell's file.
    names: Vec<String>,
}

impl Kept {
    /// The records of a plan's cells; makes their folder.
    ///
    /// # Errors
    /// When the folder cannot be made.
    pub fn new(folder: &Folder, plan: &Plan) -> Result<Arc<Self>, Error> {
        // Not the cell's own seeds, which cells with common parameters share.
        let name = |cell: &Cell| format!("{:016x}", cell.fingerprint(plan.seed));
        let kept = Self { folder: folder.0.join(".games"), names: plan.cells.iter().map(name).collect() };
        let unwritable = |error| Error::Unwritable { path: kept.folder.clone(), error };
        std::fs::create_dir_all(&kept.folder).map_err(unwritable)?;
        Ok(Arc::new(kept))
    }

    /// Removes all records of a results folder.
    ///
    /// # Errors
    /// When they cannot be removed.
    pub fn forget(folder: &Folder) -> Result<(), Error> {
        let path = folder.0.join(".games");
        match std::fs::remove_dir_all(&path) {
            Err(error) if error.kind() != io::ErrorKind::NotFound => Err(Error::Unwritable { path, error }),
            _ => Ok(()),
        }
    }

    fn path(&self, cell: usize) -> PathBuf {
        self.folder.join(&self.names[cell])
    }

    /// Says for which rows the file was written last.
    fn stamp(&self) -> PathBuf {
        self.folder.join("written")
    }

    fn try_keep(&self, cell: usize, records: &Records) -> io::Result<()> {
        // Several threads write into the file of a cell, each its own games.
        let mut file = OpenOptions::new().create(true).truncate(false).write(true).open(self.path(cell))?;
        file.seek(SeekFrom::Start(records.offset()))?;
        file.write_all(records.bytes())
    }

    /// What is known of some games of a cell.
    fn read(&self, cell: usize, games: Range<u64>, measures: usize) -> io::Result<Records> {
        let mut records = Records::new(games, measures);
        let mut file = match File::open(self.path(cell)) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(records),
            file => file?,
        };
        file.seek(SeekFrom::Start(records.offset()))?;
        let mut left = records.bytes_mut();
        while !left.is_empty() {
            match file.read(left) {
                Ok(0) => break,
                Ok(count) => left = &mut left[count..],
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                Err(error) => return Err(error),
            }
        }
        Ok(records)
    }
}

impl Sink for Kept {
    fn keep(&self, cell: usize, records: &Records) {
        // A game whose record is not there is played again in the end. What keeps the disk from
        // being written will then stop the file itself, with a message.
        let _ = self.try_keep(cell, records);
    }
}

/// Writes the file of a plan whose cells have `games` games each, `None` for cells that did not end
/// well; returns whether that came to its end before `interrupted` was set. The records are removed
/// then.
///
/// # Errors
/// When the file cannot be written.
pub fn write(
    plan: &Plan,
    folder: &Folder,
    kept: &Kept,
    games: &[Option<u64>],
    threads: usize,
    interrupted: &AtomicBool,
) -> Result<bool, Error> {
    let Some(format) = plan.per_game else { return Ok(true) };
    let path = path(folder, format);
    let failed = |error| Error::Write { path: path.clone(), error };
    let stamp = stamp(plan, games, format);
    let is_written = path.exists() && std::fs::read_to_string(kept.stamp()).is_ok_and(|known| known == stamp);
    if is_written {
        return Ok(true);
    }
    let source = Source { plan, kept, interrupted, threads };
    let written = atomic::write_with(&path, |output| match format {
        PerGame::Parquet => source.rows(games, &mut Parquet::new(plan, output)?),
        PerGame::Csv => source.rows(games, &mut Csv::new(plan, output)?),
    });
    match written {
        Err(error) if error.kind() == io::ErrorKind::Interrupted => return Ok(false),
        written => written.map_err(failed)?,
    }
    Kept::forget(folder)?;
    std::fs::create_dir_all(&kept.folder).and_then(|()| std::fs::write(kept.stamp(), stamp)).map_err(failed)?;
    Ok(true)
}

/// A text that changes whenever the rows do.
fn stamp(plan: &Plan, games: &[Option<u64>], format: PerGame) -> String {
    let mut hasher = DefaultHasher::new();
    (plan.seed, format).hash(&mut hasher);
    for (cell, games) in plan.cells.iter().zip(games) {
        (&plan.titles[cell.table], cell.key(), games).hash(&mut hasher);
    }
    format!("{} {:016x}\n", env!("CARGO_PKG_VERSION"), hasher.finish())
}

/// The names of the measures of a plan's games, in order of appearance.
fn measures(plan: &Plan) -> Vec<&'static str> {
    let mut names = Vec::new();
    for measure in plan.cells.iter().flat_map(|cell| cell.game.measures) {
        if !names.contains(&measure.name) {
            names.push(measure.name);
        }
    }
    names
}

/// Where the outcomes come from.
struct Source<'a> {
    plan: &'a Plan,
    kept: &'a Kept,
    interrupted: &'a AtomicBool,
    threads: usize,
}

/// Writes rows.
trait Rows {
    fn row(&mut self, cell: usize, game: u64, outcome: &Outcome) -> io::Result<()>;
    fn end(&mut self) -> io::Result<()>;
}

impl Source<'_> {
    /// Passes on all games in order.
    fn rows(&self, games: &[Option<u64>], rows: &mut dyn Rows) -> io::Result<()> {
        for (cell, count) in games.iter().enumerate() {
            let mut from = 0;
            let count = count.unwrap_or(0);
            while from < count {
                let to = count.min(from + SLAB);
                let records = self.complete(cell, from..to)?;
                for game in from..to {
                    let outcome = records.get(game).expect("every game of the slab was played");
                    rows.row(cell, game, &outcome)?;
                }
                from = to;
            }
        }
        rows.end()
    }

    /// The records of some games; those that are missing are played, and kept.
    fn complete(&self, cell: usize, games: Range<u64>) -> io::Result<Records> {
        let about = &self.plan.cells[cell];
        let mut records = self.kept.read(cell, games.clone(), about.game.measures.len())?;
        let lanes = about.lanes();
        let is_known =
            |trajectory: &u64| (trajectory * lanes..(trajectory + 1) * lanes).all(|game| records.get(game).is_some());
        let missing: Vec<u64> = (games.start / lanes..games.end / lanes).filter(|at| !is_known(at)).collect();
        if !missing.is_empty() {
            let job = about.job(self.plan.seed, KernelChoice::Auto).map_err(io::Error::other)?;
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
        let lanes = job.lanes();
        let most = usize::try_from(job.batch_games() / lanes).unwrap_or(usize::MAX).max(1);
        let neighbours = trajectories.chunk_by(|a, b| a + 1 == *b);
        let batches: Vec<&[u64]> = neighbours.flat_map(|run| run.chunks(most)).collect();
        let play = |batch: &&[u64]| {
            if self.interrupted.load(Ordering::Relaxed) {
                return None;
            }
            let games = batch[0] * lanes..(batch[batch.len() - 1] + 1) * lanes;
            let mut records = Records::new(games.clone(), job.measures().len());
            let mut put = |game: u64, outcome: &Outcome| records.put(game, outcome);
            job.play_each(games, &mut Tally::new(job.measures()), Some(&mut put));
            self.kept.keep(cell, &records);
            Some(records)
        };
        #[cfg(feature = "parallel")]
        let played: Option<Vec<Records>> = {
            use rayon::iter::{IntoParallelRefIterator, ParallelIterator};
            let pool = rayon::ThreadPoolBuilder::new().num_threads(self.threads).build().map_err(io::Error::other)?;
            pool.install(|| batches.par_iter().map(play).collect())
        };
        #[cfg(not(feature = "parallel"))]
        let played: Option<Vec<Records>> = {
            assert!(self.threads > 0, "a run has a thread");
            batches.iter().map(play).collect()
        };
        played.ok_or_else(|| io::ErrorKind::Interrupted.into())
    }
}

const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// For each measure of the file, its place among those of each cell's game.
fn places(plan: &Plan, names: &[&str]) -> Vec<Vec<Option<usize>>> {
    let of_cell = |cell: &Cell| {
        let place = |name: &&str| cell.game.measures.iter().position(|measure| measure.name == *name);
        names.iter().map(place).collect()
    };
    plan.cells.iter().map(of_cell).collect()
}

/// Rows as CSV.
struct Csv<'p, W: Write> {
    plan: &'p Plan,
    output: csv::Writer<W>,
    places: Vec<Vec<Option<usize>>>,
    /// The cell whose texts these are.
    cell: Option<usize>,
    table: String,
    key: String,
}

impl<'p, W: Write> Csv<'p, W> {
    fn new(plan: &'p Plan, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let mut output = csv::Writer::from_writer(output);
        output.write_record(games::COLUMNS.iter().map(|column| column.name).chain(names.iter().copied()))?;
        let places = places(plan, &names);
        Ok(Self { plan, output, places, cell: None, table: String::new(), key: String::new() })
    }
}

impl<W: Write> Rows for Csv<'_, W> {
    fn row(&mut self, cell: usize, game: u64, outcome: &Outcome) -> io::Result<()> {
        if self.cell != Some(cell) {
            self.cell = Some(cell);
            self.table = guarded(&self.plan.titles[self.plan.cells[cell].table]).into_owned();
            self.key = self.plan.cells[cell].key();
        }
        let output = &mut self.output;
        output.write_field(&self.table)?;
        output.write_field(&self.key)?;
        output.write_field(game.to_string())?;
        output.write_field(result_text(outcome.result))?;
        output.write_field(outcome.moves.to_string())?;
        for place in &self.places[cell] {
            output.write_field(place.map_or_else(String::new, |place| outcome.measures[place].to_string()))?;
        }
        output.write_record(None::<&[u8]>).map_err(io::Error::from)
    }

    fn end(&mut self) -> io::Result<()> {
        self.output.flush()
    }
}

/// Rows as Parquet.
struct Parquet<'p, W: Write> {
    plan: &'p Plan,
    /// `None` after the end.
    writer: Option<Writer<W>>,
    places: Vec<Vec<Option<usize>>>,
    group: Group,
    /// The cell of the last row, and the places of its texts in the dictionaries.
    cell: Option<usize>,
}

/// The rows of a row group.
#[derive(Default)]
struct Group {
    tables: Places,
    cells: Places,
    games: Vec<i64>,
    results: Places,
    moves: Vec<i64>,
    measures: Vec<Measure>,
}

/// The values of a measure, and which rows have one.
#[derive(Default)]
struct Measure {
    values: Vec<i64>,
    defined: Vec<bool>,
}

/// Texts, most of which are that of the row before.
#[derive(Default)]
struct Places {
    dictionary: Vec<String>,
    known: HashMap<String, u32>,
    places: Vec<u32>,
    /// The place of the next rows.
    at: u32,
}

impl Places {
    /// Makes a text that of the next rows.
    fn choose(&mut self, text: &str) {
        self.at = self.known.get(text).copied().unwrap_or_else(|| {
            let place = self.dictionary.len() as u32;
            self.dictionary.push(text.to_owned());
            self.known.insert(text.to_owned(), place);
            place
        });
    }

    fn repeat(&mut self) {
        self.places.push(self.at);
    }

    fn column(self) -> Column {
        Values::Places { dictionary: self.dictionary, places: self.places }.into()
    }
}

impl<'p, W: Write> Parquet<'p, W> {
    fn new(plan: &'p Plan, output: W) -> io::Result<Self> {
        let names = measures(plan);
        let field = |(name, kind, is_optional): (&str, Kind, bool)| Field { name: name.to_owned(), kind, is_optional };
        let fixed = games::COLUMNS.iter().map(|column| field((column.name, column.kind, false)));
        let added = names.iter().map(|name| field((name, Kind::Integer, true)));
        let writer = Some(Writer::new(output, "games", fixed.chain(added).collect())?);
        let places = places(plan, &names);
        Ok(Self { plan, writer, places, group: Group::default(), cell: None })
    }

    fn write_group(&mut self) -> io::Result<()> {
        let Group { tables, cells, games, results, moves, measures } = std::mem::take(&mut self.group);
        self.cell = None;
        if games.is_empty() {
            return Ok(());
        }
        let measure =
            |measure: Measure| Column { values: Values::Integers(measure.values), defined: Some(measure.defined) };
        let fixed = [
            tables.column(),
            cells.column(),
            Values::Integers(games).into(),
            results.column(),
            Values::Integers(moves).into(),
        ];
        let columns: Vec<Column> = fixed.into_iter().chain(measures.into_iter().map(measure)).collect();
        self.writer.as_mut().expect("the file has not ended").group(&columns)
    }
}

impl<W: Write> Rows for Parquet<'_, W> {
    fn row(&mut self, cell: usize, game: u64, outcome: &Outcome) -> io::Result<()> {
        if self.cell != Some(cell) {
            self.cell = Some(cell);
            let about = &self.plan.cells[cell];
            self.group.tables.choose(&self.plan.titles[about.table]);
            self.group.cells.choose(&about.key());
        }
        let group = &mut self.group;
        group.tables.repeat();
        group.cells.repeat();
        group.games.push(game.cast_signed());
        group.results.choose(result_text(outcome.result));
        group.results.repeat();
        group.moves.push(outcome.moves.cast_signed());
        let places = &self.places[cell];
        group.measures.resize_with(places.len(), Measure::default);
        for (measure, place) in group.measures.iter_mut().zip(places) {
            measure.values.extend(place.map(|place| outcome.measures[place]));
            measure.defined.push(place.is_some());
        }
        if group.games.len() == GROUP {
            return self.write_group();
        }
        Ok(())
    }

    fn end(&mut self) -> io::Result<()> {
        self.write_group()?;
        let writer = self.writer.take().expect("a file ends once");
        writer.finish(&[]).map(drop)
    }
}
