//! `tilelab check`: validates experiments and forecasts their time.

use super::progress::{duration_text, grouped, scaled};
use super::run::{cores, threads};
use super::{DONE, Ended, columns, experiments, print, print_lines};
use crate::game::KernelChoice;
use crate::params::Value;
use crate::plan::{Overrides, Plan};
use crate::runner::forecast::Forecast;
use crate::text::counted;
use std::io::Write;
use std::path::PathBuf;
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};

/// Check experiment files: list their cells and forecast games, time and memory
///
/// All problems are reported at once, each with file, line, key, value and what is accepted. For
/// the forecast, the run is begun, for at most 6 seconds and a tenth of its time; nothing is
/// written, and no program that a file names is started. The range of the time holds for four out
/// of five runs if other programs use the machine as now, or not at all. Where cells may stop
/// early, the forecast also uses the win rates of the games played.
#[derive(clap::Args)]
#[command(after_help = "Example: tilelab check experiments/readme.toml")]
pub struct Args {
    /// Experiment files
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Games per cell, instead of what the files say
    #[arg(long, value_name = "N", value_parser = super::set::count)]
    games: Option<u64>,
    /// Games that share one sequence of tiles in every cell, instead of what the files say
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// Threads the forecast is for [default: one for each core]
    #[arg(long, value_name = "T", value_parser = threads)]
    threads: Option<usize>,
    /// The kernel that the forecast is for
    #[arg(long, value_name = "NAME", default_value = "auto", value_parser = super::run::kernel)]
    kernel: KernelChoice,
    /// List the cells without a forecast; no games are played
    #[arg(long)]
    no_forecast: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
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
        let unit = plan.unit()[1];
        if columns().is_some() {
            print(&tables(plan))?;
        } else {
            for cell in &plan.cells {
                let limit = if cell.stop.is_some() { "at most " } else { "" };
                writeln!(output, "{}  {limit}{} {unit}", cell.key(), cell.games)?;
            }
        }
        let games = plan.cells.iter().map(|cell| cell.games);
        let mut text = format!(
            "{}: {}, {} {unit}",
            plan.name,
            counted(plan.cells.len(), ["cell", "cells"]),
            grouped(games.fold(0, u64::saturating_add))
        );
        let programs: Vec<_> = plan
            .cells
            .iter()
            .filter_map(crate::Cell::refused_program)
            .collect();
        if let Some(program) = programs.first() {
            let cells = counted(programs.len(), ["cell has", "cells have"]);
            text += &format!(
                "; {cells} a program as player, such as {program}, which `check` does not start"
            );
        }
        if !args.no_forecast
            && let Some(forecast) = Forecast::of(plan, args.kernel, threads)?
        {
            text += &forecast_text(plan, &forecast, threads);
        }
        print_lines(&text)?;
        for note in operator_notes(plan) {
            say!("{}: {note}", file.display());
        }
    }
    DONE
}

/// Games, time and memory that a plan is expected to take.
fn forecast_text(plan: &Plan, forecast: &Forecast, threads: usize) -> String {
    let mut text = String::new();
    if plan.cells.iter().any(|cell| cell.stop.is_some()) {
        let expected = grouped(forecast.games as u64);
        text += &format!(" at most, about {expected} expected");
    }
    let [run, lo, hi] =
        [forecast.run_s, forecast.range_s[0], forecast.range_s[1]].map(duration_text);
    text += &format!(
        ", about {run} ({lo} to {hi}) on {} ({} turns/s each), about {} MB of memory",
        counted(threads, ["thread", "threads"]),
        scaled(forecast.turns / forecast.seconds.max(1e-9)).trim_end(),
        forecast.megabytes(plan.cells.len(), threads)
    );
    text
}

/// The cells of each table by what varies, for people.
fn tables(plan: &Plan) -> Document {
    let labels = plan.labels();
    let mut document = Document::default();
    for (number, title) in plan.titles.iter().enumerate() {
        let mut table = Table::new([("cell", Align::Left), (plan.unit()[1], Align::Right)]);
        let cells = plan.cells.iter().zip(&labels);
        for (cell, label) in cells.filter(|(cell, _)| cell.table == number) {
            let name = if label.is_empty() {
                cell.key()
            } else {
                label.clone()
            };
            let limit = if cell.stop.is_some() { "≤ " } else { "" };
            table.row([name, format!("{limit}{}", grouped(cell.games))]);
        }
        document.heading(title);
        document.table(table);
    }
    // An empty line before what follows.
    document.text("");
    document
}

/// Says where a list of single operators makes a cell of each: who writes `["+", "-"]` often means
/// one game with both.
fn operator_notes(plan: &Plan) -> Vec<String> {
    let note = |(table, title): (usize, &String)| {
        let cells = plan.entries.iter().filter(|entry| entry.table == table);
        let mut values: Vec<_> = cells
            .filter_map(|entry| {
                plan.cells[entry.cell]
                    .params
                    .iter()
                    .find_map(|(name, value)| match value {
                        Value::Text(text) if name == "operators" => Some(text.as_str()),
                        _ => None,
                    })
            })
            .collect();
        values.sort_unstable();
        values.dedup();
        let are_single = values.len() > 1 && values.iter().all(|value| value.chars().count() == 1);
        are_single.then(|| {
            format!(
                "table {title:?}: the list of operators {} makes a cell of each; for games with all of them write operators = {:?}",
                values.join(", "),
                values.concat()
            )
        })
    };
    plan.titles.iter().enumerate().filter_map(note).collect()
}
