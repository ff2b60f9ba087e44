//! `tilelab run`: plays experiments.

use super::output::{Folder, Rows, folder};
use super::progress::Display;
use super::times::Times;
use super::{experiments, input_error, interruption};
use crate::game::KernelChoice;
use crate::plan::{Overrides, Plan};
use crate::runner::schedule::{CellProgress, Schedule};
use crate::runner::state::{Header, LoadError, State, Stopped};
use crate::runner::{self, Observer, Options, Progress, Shard};
use anyhow::Context;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

/// Play experiments and write their tables
///
/// Results go to DIR/NAME/, where NAME is the experiment's name: cells.csv, table.md, and machine.txt with times and machine facts. The state is saved
/// about every ten seconds and when interrupted; started again, an unfinished run continues by itself, and cells that failed are tried again.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab run experiments/readme.toml --games 10000 --out /tmp/results")]
pub struct Args {
    /// Experiment files (experiments/README.md documents every key)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Games per cell, instead of what the files say; caps stopping rules too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Games that share a trajectory in every cell, instead of what the files say: 1 or 16 (`lanes` in experiments/README.md)
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// The master seed, instead of the files'
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// Threads to play on [default: one for each core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Which engine plays (`tilelab list kernels`)
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = kernel)]
    kernel: KernelChoice,
    /// Where results go
    #[arg(long, value_name = "DIR", default_value = "results")]
    out: PathBuf,
    /// Play only part I of N; `tilelab merge` joins the parts
    #[arg(long, value_name = "I/N", value_parser = shard)]
    shard: Option<Shard>,
    /// Start over instead of continuing an unfinished run
    #[arg(long)]
    fresh: bool,
    /// Stop at the first cell that fails
    #[arg(long)]
    fail_fast: bool,
    /// How often the state is saved [seconds]; with a batch and the saving itself, a kill loses two seconds more
    #[arg(long, value_name = "T", default_value = "8", value_parser = seconds, hide_short_help = true)]
    save_every: Duration,
    /// How often a line of progress is written when standard error is no terminal [seconds]
    #[arg(long, value_name = "T", default_value = "10", value_parser = seconds, hide_short_help = true)]
    line_every: Duration,
    /// Show no progress
    #[arg(long, short)]
    quiet: bool,
}

/// Reads the name of a kernel.
pub fn kernel(name: &str) -> Result<KernelChoice, String> {
    let found = KernelChoice::ALL.iter().find(|(known, _)| *known == name);
    found.map(|(_, choice)| *choice).ok_or_else(|| {
        format!("accepted: {}", KernelChoice::ALL.iter().map(|(name, _)| *name).collect::<Vec<_>>().join(", "))
    })
}

fn seconds(text: &str) -> Result<Duration, String> {
    let seconds = text.parse().ok().filter(|seconds| (0.001..=1e6).contains(seconds));
    seconds.map(Duration::from_secs_f64).ok_or_else(|| "write seconds from 0.001 to 1000000".to_owned())
}

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((index, count)) if (1..=count).contains(&index) && count <= 1_000_000 => Ok(Shard { index, count }),
        _ => Err("write I/N with 1 ≤ I ≤ N ≤ 1000000, such as 3/7".to_owned()),
    }
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let overrides = Overrides { games: args.games, lanes: args.lanes, seed: args.seed, ..Overrides::default() };
    let plans = experiments::plans(&args.files, overrides)?;
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, Into::into), usize::from);
    let options = Options {
        threads,
        kernel: args.kernel,
        shard: args.shard.unwrap_or(Shard::WHOLE),
        fail_fast: args.fail_fast,
        save_every: args.save_every,
    };
    for (path, plan) in args.files.iter().zip(&plans) {
        experiments::check_kernel(path, plan, args.kernel)?;
    }
    // Everything that can be refused is refused before the first game.
    let runs: Vec<Run<'_>> = plans.iter().map(|plan| Run::prepare(plan, args, &options)).collect::<Result<_, _>>()?;
    let interrupted = interruption::flag().context("signals cannot be handled")?;
    let mut failed = false;
    for run in runs {
        failed |= run.play(args, &options, &interrupted)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(interruption::EXIT_CODE));
        }
        if failed && args.fail_fast {
            break;
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// One experiment, ready to be played or continued.
struct Run<'a> {
    plan: &'a Plan,
    folder: Folder,
    /// Held while the run writes into its folder.
    _lock: File,
    schedule: Schedule<'a>,
    /// Games that were played before.
    already: u64,
}

impl<'a> Run<'a> {
    /// Takes hold of the results folder and reads the saved state.
    fn prepare(plan: &'a Plan, args: &Args, options: &Options) -> anyhow::Result<Self> {
        let mut folder = folder(&args.out, plan);
        if options.shard != Shard::WHOLE {
            folder = Folder(folder.0.join(format!("shard-{}-of-{}", options.shard.index, options.shard.count)));
        }
        let lock = folder.hold()?;
        let saved = if args.fresh { forget(&folder)? } else { load(&folder, plan, options.shard)? };
        let already =
            saved.as_ref().map_or(0, |state| state.cells.iter().flatten().map(|cell| cell.games()).sum::<u64>());
        let schedule = Schedule::new(plan, options, saved).map_err(|error| {
            let path = folder.state();
            input_error(format!("{}: the saved state contradicts itself: {error}; --fresh starts over", path.display()))
        })?;
        Ok(Self { plan, folder, _lock: lock, schedule, already })
    }

    /// Plays what is left; returns whether a cell failed.
    fn play(self, args: &Args, options: &Options, interrupted: &AtomicBool) -> anyhow::Result<bool> {
        let Self { plan, folder, already, schedule, _lock } = self;
        if already > 0 {
            eprintln!("{}: continuing after {already} games that are already played (--fresh starts over)", plan.name);
        }
        let display = Display::new(plan, options.shard, args.quiet, args.line_every);
        let rows = Mutex::new(Rows::new(plan));
        let times = Times::new(plan, &folder, already > 0);
        let saver = Saver { folder: &folder, plan, display: &display, rows, times, failure: Mutex::new(None) };
        let start = Instant::now();
        display.start(options.threads);
        let played = runner::run(schedule, options, interrupted, &saver);
        display.finish();
        let state = played.with_context(|| format!("--threads {}: the system refuses so many", options.threads))?;
        if let Some(failure) = saver.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
            return Err(anyhow::Error::msg(failure));
        }
        if interrupted.load(Ordering::Relaxed) {
            eprintln!("{}: interrupted; the state is saved, run the same command to continue", plan.name);
            return Ok(false);
        }
        finish(plan, &folder, args, options, &state, already, start.elapsed())
    }
}

/// Writes everything that is derived from the cells and tells the end.
fn finish(
    plan: &Plan,
    folder: &Folder,
    args: &Args,
    options: &Options,
    state: &State,
    already: u64,
    elapsed: Duration,
) -> anyhow::Result<bool> {
    let cells = || plan.cells.iter().zip(state.cells.iter().flatten());
    let failed: Vec<(String, String)> =
        cells().filter_map(|(cell, state)| Some((cell.key(), state.error.clone()?))).collect();
    for (cell, error) in &failed {
        eprintln!("{}: the cell {cell} failed: {error}", plan.name);
    }
    let games: u64 = cells().map(|(_, state)| state.games()).sum();
    let now = games.saturating_sub(already);
    let seconds = elapsed.as_secs_f64();
    if options.shard == Shard::WHOLE {
        folder.write_tables().with_context(|| format!("{}: the tables cannot be written", folder.0.display()))?;
        super::machine::write(&folder.0, plan, options, now, seconds)
            .with_context(|| format!("{}: machine.txt cannot be written", folder.0.display()))?;
        super::pictures::write(&folder.0)?;
    }
    if !args.quiet {
        eprintln!(
            "{}: {} cells, {games} games ({now} now) in {seconds:.1} s, {:.0} games/s on {} threads; results in {}",
            plan.name,
            cells().filter(|(_, state)| state.stopped.is_some_and(|stopped| stopped != Stopped::Elsewhere)).count(),
            now as f64 / seconds.max(1e-9),
            options.threads,
            folder.0.display()
        );
    }
    Ok(!failed.is_empty())
}

/// Removes the saved state, as `--fresh` asks: a run killed before its first save must not continue what it was to replace.
fn forget(folder: &Folder) -> anyhow::Result<Option<State>> {
    for path in [folder.state(), folder.state_before()] {
        match std::fs::remove_file(&path) {
            Err(error) if error.kind() != std::io::ErrorKind::NotFound => {
                return Err(input_error(format!("--fresh: {}: cannot be removed: {error}", path.display())));
            }
            _ => {}
        }
    }
    Ok(None)
}

/// The saved state to continue from: the last one, or the one before when that is damaged.
fn load(folder: &Folder, plan: &Plan, shard: Shard) -> anyhow::Result<Option<State>> {
    let Some((_, state)) = load_last_good(folder)? else { return Ok(None) };
    let header = Header::new(plan, shard);
    let path = folder.state();
    let path = path.display();
    if let Some(difference) = state.difference(&header, Some(plan)) {
        return Err(input_error(format!(
            "{path}: saved by another run ({difference}); --fresh starts over, --out DIR keeps it"
        )));
    }
    let saved = Shard { index: state.header.shard, count: state.header.shards };
    if saved != shard {
        let (a, b, i, n) = (saved.index, saved.count, shard.index, shard.count);
        return Err(input_error(format!(
            "{path}: saved by the shard {a}/{b}, where this is {i}/{n}; --fresh starts over"
        )));
    }
    Ok(Some(state))
}

/// The last state of a folder that is whole, and its file; `None` where nothing was saved.
pub fn load_last_good(folder: &Folder) -> anyhow::Result<Option<(PathBuf, State)>> {
    let last = State::load(&folder.state());
    let error = match last {
        Ok(state) => return Ok(Some((folder.state(), state))),
        Err(error @ (LoadError::Missing(_) | LoadError::Damaged { .. })) => error,
        Err(error) => return Err(input_error(format!("{error}; --fresh starts over"))),
    };
    match (State::load(&folder.state_before()), error) {
        (Ok(state), error) => {
            eprintln!("{error}; using the one saved before it");
            Ok(Some((folder.state_before(), state)))
        }
        (Err(LoadError::Missing(_)), LoadError::Missing(_)) => Ok(None),
        (Err(other), error) => Err(input_error(format!("{error}; and {other}; --fresh starts over"))),
    }
}

/// Saves the state and shows the progress.
struct Saver<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    display: &'a Display,
    rows: Mutex<Rows>,
    times: Times,
    /// Why the last save failed, when it did.
    failure: Mutex<Option<String>>,
}

impl Observer for Saver<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.display.show(progress);
    }

    fn save(&self, state: &State, cells: &[CellProgress]) {
        let mut rows = self.rows.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        rows.update(self.plan, state);
        let saved = state
            .save(&self.folder.state())
            .and_then(|()| self.folder.write_cells(self.plan, &rows))
            .and_then(|()| self.times.write(self.plan, self.folder, cells));
        let mut failure = self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *failure = saved.err().map(|error| {
            format!("{}: the state cannot be saved: {error}; what was saved before is kept", self.folder.0.display())
        });
        if let Some(text) = failure.as_ref() {
            self.display.message(text);
        }
    }
}
