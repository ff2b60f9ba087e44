//! Results folders: plays a plan and writes its files, continues where an earlier run ended, and
//! merges shards.
//!
//! This module alone touches the files of a run. Only the saved state is needed to continue: every
//! other file is made from it, and is made again when it is missing or damaged.
//!
//! | file | content |
//! | --- | --- |
//! | `.state`, `.state.previous` | the last two saved states |
//! | `.lock`, `.live` | locked while a run writes into the folder; how far it is |
//! | `cells.csv`, `distributions.csv`, `published.csv` | the cells that have ended |
//! | `unfinished.csv` | what the others have, until they end |
//! | `standings.csv` | the players of matches of three or more |
//! | `games.parquet`, `games.csv` | every game, when a run is asked for them; `.games` until then |
//! | `times.csv` | time of the moves of each cell |
//! | `experiment.toml`, `machine.txt` | what was played, and on what |
//! | `table.md`, `*.svg`, `report.html` | tables, plots and page, made from the files above |

pub mod derived;
mod error;
pub mod folder;
pub mod guard;
pub mod live;
pub mod machine;
pub mod merge;
pub mod per_game;
pub mod replay;
pub mod rows;
mod standings;
pub mod status;
pub mod store;
pub mod times;

pub use error::Error;
pub use folder::Folder;

use crate::game::Tally;
use crate::plan::Plan;
use crate::report::folder::{Results, UNFINISHED};
use crate::runner::clock::Stopwatch;
use crate::runner::progress::{CellProgress, total};
use crate::runner::records::Sink;
use crate::runner::schedule::Schedule;
use crate::runner::state::{CellState, RunState, Stopped};
use crate::runner::{self, Progress, Shard};
use live::Noted;
use per_game::{Kept, Source};
use rows::CellRows;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use store::{Found, LoadError};
use tilelab_output::atomic;
use tilelab_output::document::Document;
use tilelab_output::files::File;
use tilelab_output::locked;
use times::Times;

/// How a plan is to be played, and where its results go.
#[derive(Clone, Debug)]
pub struct RunOptions {
    /// How the games are played.
    pub runner: runner::RunnerOptions,
    /// The folder in which the results folder lies.
    pub out: PathBuf,
    /// Whether to start over instead of continuing from a saved state.
    pub fresh: bool,
    /// The arguments of the program, for `machine.txt`.
    pub command: String,
}

/// Follows a run. All methods do nothing unless they are implemented.
pub trait RunObserver: Sync {
    /// Called about ten times a second.
    fn progress(&self, _progress: &Progress<'_>) {}
    /// Called when the state could not be saved and the run, which has gone on, tries again; of
    /// several failures in a row, with the first.
    fn save_failed(&self, _error: &Error) {}
    /// Called when the run has ended and its files could not be written, with what they would say.
    fn unwritten(&self, _results: Results) {}
}

/// An observer that ignores everything.
impl RunObserver for () {}

/// A cell that could not be played to its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Failure {
    /// The key of the cell.
    pub cell: String,
    /// What went wrong.
    pub error: String,
}

/// What a run has come to.
#[derive(Debug)]
pub struct Finished {
    /// The last state.
    pub state: RunState,
    /// The results folder.
    pub folder: Folder,
    /// Whether the run was interrupted; then the files show the cells that have ended.
    pub interrupted: bool,
    /// Cells of this shard that have ended.
    pub cells: usize,
    /// Games of all cells.
    pub games: u64,
    /// Games, or pairs of games, that a player did not finish.
    pub forfeited: u64,
    /// Games played now, without those of earlier runs.
    pub games_now: u64,
    /// Seconds that this run took.
    pub seconds: f64,
    /// The cells that failed.
    pub failures: Vec<Failure>,
    /// The tables of `table.md`; empty for shards, and where no cell has ended.
    pub tables: Document,
}

/// Plays a plan, or what is left of it, and writes its results folder.
///
/// The files are those of `tilelab run`. `interrupted` may be set by another thread or a signal
/// handler: the run then drops the batches being played, saves its state and ends, which takes
/// about 0.1 s where few cells are to be written.
///
/// # Errors
/// See [`Error`]. What was saved before is kept.
pub fn run(
    plan: &Plan,
    options: &RunOptions,
    interrupted: &AtomicBool,
    observer: &dyn RunObserver,
) -> Result<Finished, Error> {
    Run::prepare(plan, options)?.play(interrupted, observer)
}

/// A plan whose results folder is locked and whose saved state is read.
pub struct Run<'a> {
    /// The plan that is played.
    pub plan: &'a Plan,
    options: &'a RunOptions,
    /// The results folder.
    pub folder: Folder,
    /// Held while the run writes into its folder.
    _lock: File,
    schedule: Schedule<'a>,
    /// Games played by earlier runs.
    pub games_before: u64,
    /// Cells in the tables of earlier runs that the plan does not name: the folder keeps them, and
    /// its tables lose them.
    pub leaving: usize,
    /// Why the run continues from the state before the last one, if it does.
    pub damage: Option<LoadError>,
}

impl<'a> Run<'a> {
    /// Locks the results folder and reads the saved state. Nothing is played yet, so several plans
    /// can be prepared before the first game.
    ///
    /// # Errors
    /// When the folder cannot be written or is in use, or its state cannot be continued.
    pub fn prepare(plan: &'a Plan, options: &'a RunOptions) -> Result<Self, Error> {
        let shard = options.runner.shard;
        let folder = Folder::of(plan, shard, &options.out);
        let lock = folder.hold()?;
        let found = if options.fresh {
            Kept::forget(&folder)?;
            store::forget(&folder)?;
            None
        } else {
            store::load_for(&folder, plan, shard)?
        };
        let (saved, damage) = found.map_or((None, None), |found| (Some(found.state), found.damage));
        let schedule =
            Schedule::new(plan, &options.runner, saved).map_err(|reason| Error::Contradiction {
                path: folder.state(),
                reason,
            })?;
        let leaving = match options.fresh {
            true => 0,
            false => guard::check(&folder, plan, &schedule.state())?,
        };
        let games_before = total(schedule.progress().iter().map(|cell| cell.games));
        Ok(Self {
            plan,
            options,
            folder,
            _lock: lock,
            schedule,
            games_before,
            leaving,
            damage,
        })
    }

    /// Whether earlier runs have played all games.
    pub const fn is_complete(&self) -> bool {
        self.schedule.is_done()
    }

    /// Plays what is left and writes the files.
    ///
    /// # Errors
    /// When the system refuses the threads, or files cannot be written.
    pub fn play(
        self,
        interrupted: &AtomicBool,
        observer: &dyn RunObserver,
    ) -> Result<Finished, Error> {
        self.play_by(interrupted, observer, runner::run, derived::write)
    }

    /// Plays the plan like [`Run::play`], with another runner than [`runner::run`] and something
    /// else to make files from the rows than [`derived::write`].
    ///
    /// # Errors
    /// When the runner fails, or files cannot be written.
    pub fn play_by(
        self,
        interrupted: &AtomicBool,
        observer: &dyn RunObserver,
        run: impl FnOnce(
            Schedule<'a>,
            &runner::RunnerOptions,
            &AtomicBool,
            &dyn runner::RunnerObserver,
        ) -> std::io::Result<RunState>,
        derive: derived::Write,
    ) -> Result<Finished, Error> {
        let Self {
            plan,
            options,
            folder,
            mut schedule,
            games_before,
            _lock,
            ..
        } = self;
        let kept = plan
            .per_game
            .map(|format| Kept::new(&folder, plan, format, &[]))
            .transpose()?;
        if let Some(kept) = &kept {
            schedule.keep_games(Arc::clone(kept) as Arc<dyn Sink>);
        }
        let threads = options.runner.threads;
        let noted = Noted::new(plan, &folder, threads);
        let saver = Saver {
            folder: &folder,
            plan,
            observer,
            noted: &noted,
            times: Times::new(plan, &folder, games_before > 0),
            saves: Mutex::new(Saves {
                rows: CellRows::new(plan),
                failures: Vec::new(),
                cells: Vec::new(),
            }),
        };
        let stopwatch = Stopwatch::start();
        let state = run(schedule, &options.runner, interrupted, &saver)
            .map_err(|error| Error::Threads { threads, error })?;
        let seconds = stopwatch.elapsed().as_secs_f64();
        let saves = saver.saves.into_inner();
        let Saves {
            rows,
            failures: mut unsaved,
            cells,
        } = saves.unwrap_or_else(PoisonError::into_inner);
        drop(noted);
        let state_of = |(cell, state)| Some((cell, Option::as_ref(state)?));
        let states = || plan.cells.iter().zip(&state.cells).filter_map(state_of);
        let failures = states().filter_map(|(cell, state)| {
            let error = state.error.clone()?;
            let cell = cell.key();
            Some(Failure { cell, error })
        });
        let forfeited =
            states().filter_map(|(_, state)| Some(state.tally.as_ref()?.forfeits()?.games));
        let mut finished = Finished {
            interrupted: interrupted.load(Ordering::Relaxed) && !state.is_finished(),
            cells: states().filter(|(_, state)| state.has_ended_here()).count(),
            games: total(states().map(|(_, state)| state.games())),
            forfeited: total(forfeited),
            games_now: machine::games_now(&cells),
            seconds,
            failures: failures.collect(),
            tables: Document::default(),
            folder,
            state,
        };
        let is_whole = options.runner.shard == Shard::WHOLE;
        let write = || {
            if let Some(error) = unsaved.pop() {
                return Err(error);
            }
            if is_whole {
                finished.tables = finished.write_derived(plan, options, &cells, derive)?;
            }
            if let Some(kept) = kept.filter(|_| !finished.interrupted) {
                let source = Source {
                    plan,
                    kept: &kept,
                    interrupted,
                    threads,
                };
                let is_written = if is_whole {
                    source.write(&finished.folder, &ended_games(&finished.state))?
                } else {
                    source.complete_part(&finished.state)?
                };
                finished.interrupted = !is_written;
            }
            Ok(())
        };
        match write() {
            Ok(()) => Ok(finished),
            Err(error) => {
                if let Ok(results) = rows.results(plan, &finished.state) {
                    observer.unwritten(results);
                }
                Err(error)
            }
        }
    }
}

/// Games of each cell; `None` for cells that have not come to their end.
fn ended_games(state: &RunState) -> Vec<Option<u64>> {
    let games = |cell: &Option<Arc<CellState>>| {
        let cell = cell.as_ref()?;
        cell.stopped?.has_result().then(|| cell.games())
    };
    state.cells.iter().map(games).collect()
}

impl Finished {
    /// The games of the result of a cell of the plan; 0 where it has none.
    pub fn games_of(&self, cell: usize) -> u64 {
        let state = self.state.cells.get(cell).and_then(Option::as_ref);
        state.map_or(0, |state| state.games())
    }

    /// The tally of the first games of a cell of the plan, whatever else is known of it; `None`
    /// where they are not all known, or end within a segment of the state.
    pub fn first_games(&self, plan: &Plan, cell: usize, games: u64) -> Option<Tally> {
        let state = self.state.cells.get(cell)?.as_ref()?;
        let total = state.first_games(games, plan.cells[cell].measures())?;
        (total.games == games).then_some(total)
    }

    /// Writes what is made from the rows; also after an interruption, so that all files are of one
    /// moment. Returns the tables.
    fn write_derived(
        &self,
        plan: &Plan,
        options: &RunOptions,
        cells: &[CellProgress],
        derive: derived::Write,
    ) -> Result<Document, Error> {
        self.folder.put("experiment.toml", &plan.text)?;
        machine::write(&self.folder, options, cells, self.seconds)?;
        if self.cells == 0 {
            derived::clear(&self.folder)?;
            return Ok(Document::default());
        }
        derive(&self.folder, &derived::read(&self.folder)?)
    }
}

/// Writes the results of a state that was not played here: that of merged shards, whose folders are
/// `parts`. The folder keeps all games that it has; a result has the larger number. Where the plan
/// asks for a row for every game, games that no shard has kept are played again on `threads`
/// threads.
///
/// # Errors
/// When the folder cannot be written or is in use, or holds games of another seed or version, or
/// games that would be lost.
pub fn write(
    plan: &Plan,
    mut state: RunState,
    out: &Path,
    parts: &[PathBuf],
    threads: usize,
) -> Result<Folder, Error> {
    let folder = Folder::of(plan, Shard::WHOLE, out);
    let _lock = folder.hold()?;
    if let Some(Found { state: before, .. }) = store::load_for(&folder, plan, Shard::WHOLE)? {
        joined(plan, threads, &mut state, before).map_err(|reason| Error::Contradiction {
            path: folder.state(),
            reason,
        })?;
    }
    let state = &state;
    guard::check(&folder, plan, state)?;
    let mut rows = CellRows::new(plan);
    rows.update(plan, state);
    store::save(state, &folder.state())
        .and_then(|()| write_rows(&folder, plan, &rows, state))
        .map_err(|error| Error::Save {
            folder: folder.0.clone(),
            error,
        })?;
    folder.put("experiment.toml", &plan.text)?;
    derived::write(&folder, &derived::read(&folder)?)?;
    if let Some(format) = plan.per_game {
        let source = Source {
            plan,
            kept: &*Kept::new(&folder, plan, format, parts)?,
            interrupted: &AtomicBool::new(false),
            threads,
        };
        source.write(&folder, &ended_games(state))?;
    }
    Ok(folder)
}

/// Adds to a finished state what a folder had before.
fn joined(
    plan: &Plan,
    threads: usize,
    state: &mut RunState,
    before: RunState,
) -> Result<(), String> {
    let options = runner::RunnerOptions::on(threads);
    let cells = before.cells.into_iter().flatten();
    state
        .cells_not_in_plan
        .extend(cells.chain(before.cells_not_in_plan));
    let both = Schedule::new(plan, &options, Some(state.clone()))?.state();
    for (cell, both) in state.cells.iter_mut().zip(both.cells) {
        // The result of the shards stays where it ends within a segment of which the folder has
        // more games, and so does a failure, unless the folder had the result.
        match (cell, both) {
            (Some(cell), Some(both)) if both.stopped.is_none() => {
                let cell = Arc::make_mut(cell);
                let mut new = both.segments.clone();
                new.retain(|segment| !cell.segments.contains(segment));
                cell.segments.append(&mut new);
                // A result of the shards is what the tables show now, though they once had more.
                if cell.stopped == Some(Stopped::Failed) {
                    cell.games_reported = both.games_reported;
                }
            }
            (cell, Some(both)) => *cell = Some(both),
            (_, None) => {}
        }
    }
    state.cells_not_in_plan = both.cells_not_in_plan;
    Ok(())
}

/// Writes `unfinished.csv`, `distributions.csv`, `cells.csv`, `standings.csv` and `published.csv`.
/// The second shows whether the third is damaged ([`guard::check`]), so it is there before it.
fn write_rows(
    folder: &Folder,
    plan: &Plan,
    rows: &CellRows,
    state: &RunState,
) -> std::io::Result<()> {
    let path = |name: &str| folder.0.join(name);
    let open = rows.unfinished_csv(plan, state);
    if let Some(text) = &open {
        atomic::write(&path(UNFINISHED), text)?;
    }
    atomic::write(&path("distributions.csv"), &rows.distributions_csv())?;
    atomic::write(&path("cells.csv"), &rows.cells_csv())?;
    if open.is_none() {
        atomic::remove(&path(UNFINISHED))?;
    }
    let others = [
        ("standings.csv", rows.standings_csv(plan, state)),
        ("published.csv", rows::published_csv(plan)),
    ];
    others.into_iter().try_for_each(|(name, text)| match text {
        Some(text) => atomic::write(&path(name), &text),
        // Figures of an earlier form of the experiment would show up beside the new cells.
        None => atomic::remove(&path(name)),
    })
}

/// Saves the state, and passes on the progress.
struct Saver<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    observer: &'a dyn RunObserver,
    noted: &'a Noted<'a>,
    times: Times,
    saves: Mutex<Saves>,
}

/// What is known from the saves so far.
struct Saves {
    rows: CellRows,
    /// Why the last ones failed: the first of them, and the last.
    failures: Vec<Error>,
    /// How far each cell was at the last one.
    cells: Vec<CellProgress>,
}

impl runner::RunnerObserver for Saver<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.noted.progress(progress);
        self.observer.progress(progress);
    }

    fn save(&self, state: &RunState, cells: &[CellProgress]) {
        let mut saves = locked(&self.saves);
        let Saves { rows, failures, .. } = &mut *saves;
        // The run ends with the last failure; until then it may be the disk of an instant.
        if let [first] = &failures[..] {
            self.observer.save_failed(first);
        }
        rows.update(self.plan, state);
        let saved = store::save(state, &self.folder.state())
            .and_then(|()| write_rows(self.folder, self.plan, rows, state))
            .and_then(|()| self.times.write(self.plan, self.folder, cells));
        match saved {
            Ok(()) => failures.clear(),
            Err(error) => {
                failures.truncate(1);
                let folder = self.folder.0.clone();
                failures.push(Error::Save { folder, error });
            }
        }
        saves.cells = cells.to_vec();
    }
}
