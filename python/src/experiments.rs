//! Experiments: read, planned, played into a results folder or into memory, and replayed.

use crate::cells::Cells;
use crate::errors::{of_problems, of_run, wrong_input};
use crate::own::{caught, names, raised};
use crate::waiting::wait;
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::sync::{Arc, Mutex};
use std::time::Duration;
use tilelab::dictionary::kind_of_parameter;
use tilelab::experiment::PerGame;
use tilelab::external::Programs;
use tilelab::game::given::{Reached, listed};
use tilelab::json::Json;
use tilelab::plan::{Difference, Inline, Overrides, Plan};
use tilelab::report::json;
use tilelab::report::schema::{DISTRIBUTIONS, GAME_ROWS, Kind, POSITION, STANDINGS};
use tilelab::results::{self, Failure, Folder};
use tilelab::runner::progress::CellProgress;
use tilelab::runner::{self, Progress};
use tilelab::{KernelChoice, Problems, cli, plan};
use tilelab_output::files::{self, TABLE_BYTES_MAX, TEXT_BYTES_MAX};
use tilelab_output::locked;

/// The most bytes of a file of distributions or of single games that are read.
const ROWS_BYTES_MAX: u64 = 16 * TABLE_BYTES_MAX;

/// A checked experiment.
#[pyclass(frozen, module = "tilelab")]
pub struct Experiment {
    pub plan: Arc<Plan>,
}

/// Makes the jobs of a plan once, so that what they refuse is told at once; `has_file` is explained
/// at [`of_problems`].
fn planned(plan: Result<Plan, Problems>, has_file: bool) -> PyResult<Experiment> {
    let plan = plan.map_err(|problems| of_problems(&problems, has_file))?;
    for cell in &plan.cells {
        cell.job(plan.seed, KernelChoice::Auto)
            .map_err(|error| wrong_input(format!("{}: {error}", cell.key())))?;
    }
    Ok(Experiment {
        plan: Arc::new(plan),
    })
}

fn overrides(games: Option<u64>, seed: Option<u64>, allow_programs: bool) -> Overrides {
    Overrides {
        games,
        seed,
        programs: allow_programs.then(Programs::default),
        ..Overrides::default()
    }
}

#[pymethods]
impl Experiment {
    /// Reads and plans an experiment file.
    #[staticmethod]
    #[pyo3(signature = (path, games=None, seed=None, allow_programs=false))]
    fn read(
        py: Python<'_>,
        path: PathBuf,
        games: Option<u64>,
        seed: Option<u64>,
        allow_programs: bool,
    ) -> PyResult<Self> {
        let overrides = overrides(games, seed, allow_programs);
        py.detach(|| planned(Plan::read(&path, overrides), true))
    }

    /// Plans the text of an experiment file.
    #[staticmethod]
    #[pyo3(signature = (text, games=None, seed=None, allow_programs=false))]
    fn parse(
        py: Python<'_>,
        text: &str,
        games: Option<u64>,
        seed: Option<u64>,
        allow_programs: bool,
    ) -> PyResult<Self> {
        let overrides = overrides(games, seed, allow_programs);
        py.detach(|| planned(Plan::parse(text, overrides), true))
    }

    /// Plans an experiment given as JSON with the keys of an experiment file.
    #[staticmethod]
    #[pyo3(signature = (text, games=None, seed=None))]
    fn of_json(
        py: Python<'_>,
        text: &str,
        games: Option<u64>,
        seed: Option<u64>,
    ) -> PyResult<Self> {
        let value: toml::Value = serde_json::from_str(text).map_err(|_| {
            wrong_input("dict: a value is None, NaN, infinite, or 2**63 or more; give another")
        })?;
        let text =
            toml::to_string(&value).map_err(|error| wrong_input(format!("dict: {error}")))?;
        py.detach(|| planned(Plan::parse(&text, overrides(games, seed, true)), false))
    }

    /// Plans one table without a file, as `tilelab run --game` does; with `decided_by`, the matches
    /// of the players, as `tilelab match` does. `sprt` are the bounds and the errors of its test.
    #[staticmethod]
    #[expect(clippy::too_many_arguments, reason = "the options of the commands")]
    #[pyo3(signature = (game, settings, players, opponents, games, seed, decided_by=None, sprt=None))]
    fn direct(
        py: Python<'_>,
        game: &str,
        settings: Vec<String>,
        players: Vec<String>,
        opponents: Vec<String>,
        games: Option<u64>,
        seed: u64,
        decided_by: Option<&str>,
        sprt: Option<[f64; 4]>,
    ) -> PyResult<Self> {
        let game = plan::game(game).map_err(wrong_input)?;
        if game.seats == 1 && !opponents.is_empty() {
            return Err(wrong_input(format!(
                "opponent: {} has one seat; leave opponent out",
                game.name
            )));
        }
        let games = games.unwrap_or(plan::GAMES_DEFAULT);
        let direct = Inline {
            game,
            settings: &settings,
            players: &players,
            opponents: &opponents,
            games,
            seed,
            decided_by,
            difference: sprt.map(|[lower, upper, alpha, beta]| Difference {
                lower,
                upper,
                alpha,
                beta,
            }),
            starts: &[],
            rounds: None,
        };
        let text = direct.text().map_err(wrong_input)?;
        py.detach(|| planned(Plan::parse(&text, overrides(None, None, true)), false))
    }

    /// Plans a copy of an experiment's text again, away from the files that it names. `own` are the
    /// players and games in Python that it needs.
    #[staticmethod]
    #[pyo3(signature = (text, games=None, seed=None, own=None, allow_programs=false))]
    fn copied(
        py: Python<'_>,
        text: &str,
        games: Option<u64>,
        seed: Option<u64>,
        own: Option<Bound<'_, PyAny>>,
        allow_programs: bool,
    ) -> PyResult<Self> {
        if let Some(own) = own {
            py.import("tilelab.own")?.call_method1("_restore", (own,))?;
        }
        let overrides = Overrides {
            unpublished: true,
            ..overrides(games, seed, allow_programs)
        };
        py.detach(|| planned(Plan::parse(text, overrides), true))
    }

    #[expect(clippy::type_complexity, reason = "what pickle asks for")]
    fn __reduce__<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        (&str, Option<u64>, Option<u64>, Bound<'py, PyAny>, bool),
    )> {
        let copied = py.get_type::<Self>().getattr("copied")?;
        let Overrides {
            games,
            seed,
            ref programs,
            ..
        } = self.plan.overrides;
        let names: Vec<&str> = names(&self.plan.cells).collect();
        let own = py.import("tilelab.own")?;
        let own = own.call_method1("_needed", (names,))?;
        Ok((
            copied,
            (&self.plan.text, games, seed, own, programs.is_some()),
        ))
    }

    /// The experiment's name.
    #[getter]
    fn name(&self) -> &str {
        &self.plan.name
    }

    /// The master seed.
    #[getter]
    fn seed(&self) -> u64 {
        self.plan.seed
    }

    /// The text of the experiment file.
    #[getter]
    fn text(&self) -> &str {
        &self.plan.text
    }

    /// The keys of the cells, in the order of the file.
    #[getter]
    fn cells(&self) -> Vec<String> {
        self.plan.cells.iter().map(tilelab::Cell::key).collect()
    }

    /// The transcript of a game: a JSON text for each turn. With `moves`, these are played in place
    /// of the player's; where they stop before the end, the game has to be `unfinished`.
    #[pyo3(signature = (cell, game, moves=None, unfinished=false))]
    fn replay(
        &self,
        py: Python<'_>,
        cell: &str,
        game: u64,
        moves: Option<Vec<String>>,
        unfinished: bool,
    ) -> PyResult<Vec<String>> {
        let play = || {
            let cell = self.plan.find(cell).map_err(wrong_input)?;
            cell.check_single_games("replay").map_err(wrong_input)?;
            let job = cell
                .job(self.plan.seed, KernelChoice::Reference)
                .map_err(wrong_input)?;
            let mut lines = Vec::new();
            let mut keep = |line: Json| lines.push(line.to_string());
            let Some(moves) = moves else {
                job.replay(game, &mut keep);
                return Ok(lines);
            };
            let reached = job
                .replay_given(game, &moves, &mut keep)
                .map_err(wrong_input)?;
            if let (Reached::Open { legal }, false) = (reached, unfinished) {
                return Err(wrong_input(format!(
                    "{} moves, and game {game} goes on after them (legal: {}); add the others, or unfinished=True",
                    moves.len(),
                    listed(&legal)
                )));
            }
            Ok(lines)
        };
        py.detach(|| caught(play))
    }

    /// Plays the experiment into `out`, or into memory where `out` is `None`.
    ///
    /// `progress` is called about 20 times a second with the games played, the games to play, the
    /// cells that have ended, and all cells. A signal that Python turns into an exception, and an
    /// exception of `progress` or of a player or game in Python, end the run: with `out` after its
    /// state is saved, otherwise at once.
    #[pyo3(signature = (threads=None, out=None, fresh=false, progress=None))]
    fn run(
        &self,
        py: Python<'_>,
        threads: Option<usize>,
        out: Option<PathBuf>,
        fresh: bool,
        progress: Option<Py<PyAny>>,
    ) -> PyResult<Finished> {
        let threads = match threads {
            None => cli::run::cores(),
            Some(threads) => cli::run::threads(&threads.to_string())
                .map_err(|accepted| wrong_input(format!("threads={threads}: {accepted}")))?,
        };
        let shared = Arc::new(Shared::default());
        let plan = Arc::clone(&self.plan);
        let seen = Arc::clone(&shared);
        // Without a folder nothing is saved, and an interrupted run need not be waited for.
        let is_awaited = out.is_some();
        let work =
            move |interrupted: &AtomicBool| play(&plan, threads, out, fresh, interrupted, &seen);
        wait(py, is_awaited, work, |py| match raised(&self.plan.cells) {
            Some(error) => Err(error),
            None => tell(py, progress.as_ref(), &shared),
        })
    }
}

/// What the thread that plays shares with the one that waits.
#[derive(Default)]
pub struct Shared {
    /// The last progress that was told to the observer.
    progress: Mutex<Option<Counts>>,
}

/// Sums over the cells of a run.
#[derive(Clone, Copy)]
struct Counts {
    games: u64,
    games_max: u64,
    cells_ended: usize,
    cells: usize,
}

impl results::RunObserver for Shared {
    fn progress(&self, progress: &Progress<'_>) {
        let cells = progress.cells;
        let sum = |of: fn(&CellProgress) -> u64| cells.iter().map(of).fold(0, u64::saturating_add);
        let counts = Counts {
            games: sum(|cell| cell.games),
            games_max: sum(CellProgress::games_needed),
            cells_ended: cells.iter().filter(|cell| cell.done).count(),
            cells: cells.len(),
        };
        *locked(&self.progress) = Some(counts);
    }
}

/// Tells the last progress.
pub fn tell(py: Python<'_>, progress: Option<&Py<PyAny>>, shared: &Shared) -> PyResult<()> {
    let counts = *locked(&shared.progress);
    let (Some(progress), Some(counts)) = (progress, counts) else {
        return Ok(());
    };
    progress.call1(
        py,
        (
            counts.games,
            counts.games_max,
            counts.cells_ended,
            counts.cells,
        ),
    )?;
    Ok(())
}

/// Plays a plan and reads what it wrote; without `out` in a temporary folder, which is removed.
fn play(
    plan: &Plan,
    threads: usize,
    out: Option<PathBuf>,
    fresh: bool,
    interrupted: &AtomicBool,
    shared: &Shared,
) -> PyResult<Finished> {
    let temporary = if out.is_none() {
        Some(tempfile::tempdir()?)
    } else {
        None
    };
    let is_kept = out.is_some();
    // Rows that are kept in memory are read as text.
    let per_game = plan.per_game.map(|format| match format {
        _ if is_kept => format,
        PerGame::Parquet | PerGame::Csv => PerGame::Csv,
        PerGame::Positions | PerGame::CsvPositions => PerGame::CsvPositions,
    });
    let plan = &Plan {
        per_game,
        ..plan.clone()
    };
    let options = results::RunOptions {
        runner: runner::RunnerOptions {
            save_every: Duration::from_secs(8),
            ..runner::RunnerOptions::on(threads)
        },
        out: out
            .or_else(|| temporary.as_ref().map(|folder| folder.path().to_owned()))
            .unwrap_or_default(),
        fresh,
        command: format!("run {} (called from Python)", plan.name),
    };
    let finished = results::run(plan, &options, interrupted, shared).map_err(of_run)?;
    if finished.interrupted {
        // The caller raises what interrupted the run.
        return Err(PyKeyboardInterrupt::new_err(()));
    }
    let folder = finished.folder.0.clone();
    let (cells, plots) = if finished.cells == 0 {
        (
            Cells::new(
                files::read(folder.join("cells.csv"), TABLE_BYTES_MAX)?,
                Vec::new(),
            ),
            Vec::new(),
        )
    } else {
        read(&folder)?
    };
    let files = if is_kept {
        Vec::new()
    } else {
        let mut files = Vec::new();
        for name in ["distributions.csv", "games.csv", "standings.csv"] {
            let path = folder.join(name);
            if path.is_file() {
                let rows = rows_of(path)?;
                let rows = Python::attach(|py| Py::new(py, rows))?;
                files.push((name.to_owned(), rows));
            }
        }
        files
    };
    let failure = |Failure { cell, error }| (cell, error);
    Ok(Finished {
        folder: is_kept.then_some(folder),
        files,
        games: finished.games,
        games_now: finished.games_now,
        seconds: finished.seconds,
        failures: finished.failures.into_iter().map(failure).collect(),
        cells: Python::attach(|py| Py::new(py, cells))?,
        tables: finished.tables.to_string(),
        plots,
    })
}

/// File name, title and SVG.
type Plot = (String, String, String);

/// The cells and plots of a results folder.
fn read(folder: &Path) -> PyResult<(Cells, Vec<Plot>)> {
    let csv = files::read(folder.join("cells.csv"), TABLE_BYTES_MAX)
        .map_err(|error| wrong_input(format!("{}: {error}", folder.display())))?;
    let read = results::derived::read(&Folder(folder.to_owned())).map_err(of_run)?;
    let is_in_file = |game: &str| {
        read.cells
            .records()
            .any(|row| row.get("game") == Some(game))
    };
    let columns = json::columns(&read.cells, &|name| kind_of_parameter(name, is_in_file))
        .into_iter()
        .map(|column| (column.name, column.kind.name().to_owned()));
    let plots = read
        .plots()
        .into_iter()
        .map(|plot| (plot.file, plot.title, plot.svg));
    Ok((Cells::new(csv, columns.collect()), plots.collect()))
}

/// The rows of `games.csv`, `distributions.csv` or `standings.csv`.
#[pyfunction]
pub fn rows_of(path: PathBuf) -> PyResult<Cells> {
    let wrong = |error: &dyn std::fmt::Display| wrong_input(format!("{}: {error}", path.display()));
    let csv = files::read(&path, ROWS_BYTES_MAX).map_err(|error| wrong(&error))?;
    let mut reader = csv::Reader::from_reader(&csv[..]);
    let kind = |name: &str| {
        let known = GAME_ROWS.iter().chain([&POSITION]).chain(&DISTRIBUTIONS);
        let column = known.chain(&STANDINGS).find(|column| column.name == name);
        // The others are what the games measure, as whole numbers.
        let kind = column.map_or(Kind::Integer, |column| column.kind);
        (name.to_owned(), kind.name().to_owned())
    };
    let header = reader.headers().map_err(|error| wrong(&error))?;
    let columns = header.iter().map(kind).collect();
    Ok(Cells::new(csv, columns))
}

/// The text of the experiment of a results folder, its cells, tables and plots.
#[pyfunction]
pub fn load(py: Python<'_>, folder: PathBuf) -> PyResult<(String, Cells, String, Vec<Plot>)> {
    py.detach(|| {
        let (cells, plots) = read(&folder)?;
        let tables = results::derived::read(&Folder(folder.clone()))
            .map_err(of_run)?
            .tables();
        let text = files::read_text(folder.join("experiment.toml"), TEXT_BYTES_MAX)
            .map_err(wrong_input)?;
        Ok((text, cells, tables, plots))
    })
}

/// The files and facts of a finished run.
#[pyclass(frozen, get_all, module = "tilelab._tilelab")]
pub struct Finished {
    /// The results folder; `None` where nothing was kept.
    folder: Option<PathBuf>,
    /// The rows of `distributions.csv`, `games.csv` and `standings.csv`, by file name, of a run
    /// without a folder.
    files: Vec<(String, Py<Cells>)>,
    /// Games of all cells, those of earlier runs included.
    games: u64,
    /// Games played now.
    games_now: u64,
    /// Seconds that the run took.
    seconds: f64,
    /// The cells that failed: key and reason.
    failures: Vec<(String, String)>,
    /// The rows of `cells.csv`.
    cells: Py<Cells>,
    /// The tables in Markdown.
    tables: String,
    /// The plots: file name, title, SVG.
    plots: Vec<Plot>,
}
