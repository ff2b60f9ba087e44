//! `tilelab run`: plays experiments.

use super::output::{Folder, folder};
use super::progress::Display;
use super::{experiments, input_error};
use crate::game::KernelChoice;
use crate::plan::{Overrides, Plan};
use crate::runner::state::{Header, LoadError, State, Stopped};
use crate::runner::{self, Observer, Options, Progress, Shard};
use anyhow::Context;
use std::fs::File;
use std::path::PathBuf;
use std::process::ExitCode;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

/// Play experiments and write their tables
///
/// Results go to DIR/NAME/, where NAME is the experiment's name: cells.csv, table.md, and machine.txt with times and machine facts. The state is saved
/// about every ten seconds and when interrupted; started again, an unfinished run continues by itself.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab run experiments/readme.toml --games 10000 --out /tmp/results")]
pub struct Args {
    /// Experiment files (experiments/README.md documents every key)
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Games per cell, instead of what the files say; caps stopping rules too
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
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

fn shard(text: &str) -> Result<Shard, String> {
    let parts = text.split_once('/').and_then(|(i, n)| Some((i.parse().ok()?, n.parse().ok()?)));
    match parts {
        Some((index, count)) if (1..=count).contains(&index) && count <= 1_000_000 => Ok(Shard { index, count }),
        _ => Err("write I/N with 1 ≤ I ≤ N ≤ 1000000, such as 3/7".to_owned()),
    }
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let plans = experiments::plans(&args.files, Overrides { games: args.games, seed: args.seed })?;
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, Into::into), usize::from);
    let options = Options {
        threads,
        kernel: args.kernel,
        shard: args.shard.unwrap_or(Shard::WHOLE),
        fail_fast: args.fail_fast,
        save_every: Duration::from_secs(10),
    };
    for (path, plan) in args.files.iter().zip(&plans) {
        experiments::check_kernel(path, plan, args.kernel)?;
    }
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    ctrlc::set_handler(move || {
        if flag.swap(true, Ordering::Relaxed) {
            // Asked twice: do not wait for running batches. The state of the last save stays.
            std::process::exit(130);
        }
    })
    .context("signals cannot be handled")?;
    let mut failed = false;
    for plan in &plans {
        failed |= play(plan, args, &options, &interrupted)?;
        if interrupted.load(Ordering::Relaxed) {
            return Ok(ExitCode::from(130));
        }
    }
    Ok(ExitCode::from(u8::from(failed)))
}

/// Plays one experiment; returns whether a cell failed.
fn play(plan: &Plan, args: &Args, options: &Options, interrupted: &AtomicBool) -> anyhow::Result<bool> {
    let mut folder = folder(&args.out, plan);
    if options.shard != Shard::WHOLE {
        folder = Folder(folder.0.join(format!("shard-{}-of-{}", options.shard.index, options.shard.count)));
    }
    let _lock = open(&folder)?;
    let header = Header::new(plan, options.shard);
    let saved = if args.fresh { None } else { load(&folder, &header)? };
    let already = saved.as_ref().map_or(0, |state| state.cells.iter().flatten().map(|cell| cell.games()).sum::<u64>());
    if already > 0 {
        eprintln!("{}: continuing after {already} games that are already played (--fresh starts over)", plan.name);
    }
    let display = Display::new(plan, options.shard, args.quiet);
    let saver = Saver { folder: &folder, plan, display: &display, failure: Mutex::new(None) };
    let start = Instant::now();
    let state = runner::run(plan, options, saved, interrupted, &saver);
    display.finish();
    if let Some(error) = saver.failure.into_inner().unwrap_or_else(std::sync::PoisonError::into_inner) {
        return Err(error);
    }
    if interrupted.load(Ordering::Relaxed) {
        eprintln!("{}: interrupted; the state is saved, run the same command to continue", plan.name);
        return Ok(false);
    }
    finish(plan, &folder, args, options, &state, already, start.elapsed())
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
    }
    if !args.quiet {
        eprintln!(
            "{}: {} cells, {games} games ({now} now) in {seconds:.1} s, {:.0} games/s on {} threads; results in {}",
            plan.name,
            cells().filter(|(_, state)| state.stopped != Some(Stopped::Elsewhere)).count(),
            now as f64 / seconds.max(1e-9),
            options.threads,
            folder.0.display()
        );
    }
    Ok(!failed.is_empty())
}

/// Creates the results folder and holds it for this run.
fn open(folder: &Folder) -> anyhow::Result<File> {
    let unwritable = |error: std::io::Error| {
        input_error(format!("--out: {}: cannot be written: {error}; name a folder that can", folder.0.display()))
    };
    std::fs::create_dir_all(&folder.0).map_err(unwritable)?;
    let lock = File::create(folder.lock()).map_err(unwritable)?;
    match lock.try_lock() {
        Ok(()) => Ok(lock),
        Err(std::fs::TryLockError::WouldBlock) => Err(input_error(format!(
            "{}: another run is writing here; wait for it or name another folder with --out",
            folder.0.display()
        ))),
        Err(std::fs::TryLockError::Error(error)) => Err(unwritable(error)),
    }
}

/// The saved state to continue from: the last one, or the one before when that is damaged.
fn load(folder: &Folder, header: &Header) -> anyhow::Result<Option<State>> {
    let path = folder.state();
    let state = match State::load(&path) {
        Ok(state) => state,
        Err(LoadError::Missing(_)) => return Ok(None),
        Err(error @ LoadError::Unreadable { .. }) => return Err(input_error(error.to_string())),
        Err(error @ LoadError::Damaged { .. }) => match State::load(&path.with_extension("previous")) {
            Ok(state) => {
                eprintln!("{error}; using the one saved before it");
                state
            }
            Err(other) => {
                return Err(input_error(format!("{error}; and {other}; --fresh starts over")));
            }
        },
    };
    if let Some(difference) = state.header.difference(header) {
        let path = path.display();
        return Err(input_error(format!(
            "{path}: saved by another run ({difference}); --fresh starts over, --out DIR keeps it"
        )));
    }
    Ok(Some(state))
}

/// Saves the state and shows the progress.
struct Saver<'a> {
    folder: &'a Folder,
    plan: &'a Plan,
    display: &'a Display,
    failure: Mutex<Option<anyhow::Error>>,
}

impl Observer for Saver<'_> {
    fn progress(&self, progress: &Progress<'_>) {
        self.display.show(progress);
    }

    fn save(&self, state: &State) {
        let saved = state.save(&self.folder.state()).and_then(|()| self.folder.write_cells(self.plan, state));
        let mut failure = self.failure.lock().unwrap_or_else(std::sync::PoisonError::into_inner);
        *failure = saved.err().map(|error| {
            let text = format!(
                "{}: the state cannot be saved: {error}; what was saved before is kept",
                self.folder.0.display()
            );
            self.display.message(&text);
            anyhow::Error::msg(text)
        });
    }
}
