//! `tilelab check`: validates experiments and forecasts their time.

use super::experiments;
use super::progress::{duration_text, scaled};
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::{Overrides, Plan};
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::{Duration, Instant};

/// Check experiment files: list their cells and forecast games, time and memory
///
/// All problems are reported at once, each with file, line, key, value and what is accepted. The forecast comes from playing
/// some games of each cell.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab check experiments/readme.toml")]
pub struct Args {
    /// Experiment files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Games per cell, instead of what the files say
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    games: Option<u64>,
    /// Threads the forecast is for [default: one for each core]
    #[arg(long, value_name = "T", value_parser = clap::value_parser!(u16).range(1..))]
    threads: Option<u16>,
    /// Which engine would play
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = super::run::kernel)]
    kernel: KernelChoice,
    /// List the cells without playing any
    #[arg(long)]
    no_forecast: bool,
}

/// Longest calibration of all cells of an experiment together.
const CALIBRATION: Duration = Duration::from_secs(6);
/// Longest calibration of one cell.
const CALIBRATION_CELL: Duration = Duration::from_millis(100);

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let plans = experiments::plans(&args.files, Overrides { games: args.games, ..Overrides::default() })?;
    let threads = args.threads.map_or_else(|| std::thread::available_parallelism().map_or(1, Into::into), usize::from);
    let mut output = std::io::stdout().lock();
    for (file, plan) in args.files.iter().zip(&plans) {
        experiments::check_kernel(file, plan, args.kernel)?;
        for cell in &plan.cells {
            let limit = if cell.stop.is_some() { "at most " } else { "" };
            writeln!(output, "{}  {limit}{} games", cell.key(), cell.games)?;
        }
        let games: u128 = plan.cells.iter().map(|cell| u128::from(cell.games)).sum();
        write!(output, "{}: {} cells, {games} games", plan.name, plan.cells.len())?;
        if !args.no_forecast {
            let forecast = forecast(plan, args.kernel);
            write!(
                output,
                ", about {} on {threads} threads ({} turns/s each), about {} MB of memory",
                duration_text(forecast.seconds / threads as f64),
                scaled(forecast.turns / forecast.seconds.max(1e-9)),
                forecast.megabytes(plan.cells.len(), threads)
            )?;
        }
        writeln!(output)?;
    }
    Ok(ExitCode::SUCCESS)
}

struct Forecast {
    /// Of one thread.
    seconds: f64,
    turns: f64,
    /// Mean number of histogram buckets in use by a cell.
    buckets: f64,
}

impl Forecast {
    /// Program and its tables, tallies of the batches being played, and the buckets of the cells that have ended (a pair of
    /// words each, once in memory and once as text while saving).
    fn megabytes(&self, cells: usize, threads: usize) -> u64 {
        (8.0 + threads as f64 * 0.5 + cells as f64 * (self.buckets * 32.0 + 2048.0) / 1e6).ceil() as u64
    }
}

/// Plays some games of cells spread over the plan and extrapolates.
fn forecast(plan: &Plan, kernel: KernelChoice) -> Forecast {
    let sampled = plan.cells.len().min(600);
    let each = (CALIBRATION / sampled as u32).min(CALIBRATION_CELL);
    let (mut seconds, mut turns, mut games_sampled, mut buckets) = (0.0, 0.0, 0.0, 0.0);
    for number in 0..sampled {
        let cell = &plan.cells[number * plan.cells.len() / sampled];
        let Ok(job) = cell.job(plan.seed, kernel) else { continue };
        let (tally, elapsed) = calibrate(job.as_ref(), cell.games, each);
        let scale = cell.games as f64 / tally.games as f64;
        seconds += elapsed * scale;
        turns += tally.moves_sum as f64 * scale;
        games_sampled += cell.games as f64;
        buckets += tally.moves_distribution().count() as f64 / sampled as f64;
    }
    let all: f64 = plan.cells.iter().map(|cell| cell.games as f64).sum();
    let scale = if games_sampled > 0.0 { all / games_sampled } else { 0.0 };
    Forecast { seconds: seconds * scale, turns: turns * scale, buckets }
}

/// Plays games in growing portions until the time is up; the time of the last, largest portions counts.
fn calibrate(job: &dyn Job, games: u64, time: Duration) -> (Tally, f64) {
    let start = Instant::now();
    let (mut next, mut portion) = (0, 1);
    loop {
        let mut tally = Tally::new(job.measures());
        let begun = Instant::now();
        let end = (next + portion).min(games);
        job.play(next..end, &mut tally);
        let elapsed = begun.elapsed().as_secs_f64();
        next = end;
        portion = (portion * 2).min(job.batch_games());
        if start.elapsed() * 2 >= time && (portion == job.batch_games() || start.elapsed() >= time) || next == games {
            return (tally, elapsed);
        }
    }
}
