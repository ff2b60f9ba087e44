//! `tilelab check`: validates experiments and forecasts their time.

use super::experiments;
use super::progress::{duration_text, scaled};
use super::run::{cores, threads};
use crate::game::KernelChoice;
use crate::plan::Overrides;
use crate::runner::forecast::Forecast;
use crate::text::counted;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Check experiment files: list their cells and forecast games, time and memory
///
/// All problems are reported at once, each with file, line, key, value and what is accepted. The
/// forecast comes from playing some games of each cell for some seconds. Where cells may stop
/// early, it also uses the win rates of those games.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab check experiments/readme.toml")]
pub struct Args {
    /// Experiment files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Games per cell, instead of what the files say
    #[arg(long, value_name = "N", value_parser = super::set::count)]
    games: Option<u64>,
    /// Games that share a trajectory in every cell, instead of what the files say
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// Threads the forecast is for [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,
    /// Which engine would play
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = super::run::kernel)]
    kernel: KernelChoice,
    /// List the cells without playing any
    #[arg(long)]
    no_forecast: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let plans = experiments::plans(
        &args.files,
        &Overrides {
            games: args.games,
            lanes: args.lanes,
            ..Overrides::default()
        },
    )?;
    let threads = args.threads.unwrap_or_else(cores);
    let mut output = std::io::stdout().lock();
    for (file, plan) in args.files.iter().zip(&plans) {
        experiments::check_kernel(file, plan, args.kernel)?;
        for cell in &plan.cells {
            let limit = if cell.stop.is_some() { "at most " } else { "" };
            writeln!(output, "{}  {limit}{} games", cell.key(), cell.games)?;
        }
        let games: u128 = plan.cells.iter().map(|cell| u128::from(cell.games)).sum();
        write!(
            output,
            "{}: {}, {games} games",
            plan.name,
            counted(plan.cells.len(), ["cell", "cells"])
        )?;
        if !args.no_forecast {
            let forecast = Forecast::of(plan, args.kernel, threads);
            if plan.cells.iter().any(|cell| cell.stop.is_some()) {
                write!(output, " at most, about {:.0} expected", forecast.games)?;
            }
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
