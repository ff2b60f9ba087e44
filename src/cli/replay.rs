//! `tilelab replay`: one game of a run again, move by move.

use super::{experiments, input_error, replay_offset};
use crate::game::KernelChoice;
use crate::plan::Overrides;
use std::io::Write;
use std::path::PathBuf;
use std::process::ExitCode;

/// Play one game of an experiment again and show every move
#[derive(clap::Args, Debug)]
#[command(
    after_help = "Example: tilelab replay experiments/readme.toml --cell \"$(tilelab check --no-forecast experiments/readme.toml | head -1 | cut -d' ' -f1)\" --game 0 --json"
)]
pub struct Args {
    /// The experiment file; with --log the game, offset
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// The key of a cell: the column `cell` of cells.csv
    #[arg(long, value_name = "KEY", required_unless_present = "log")]
    cell: Option<String>,
    /// Which game of the cell, from 0
    #[arg(long, value_name = "I", required_unless_present = "log")]
    game: Option<u64>,
    #[command(flatten)]
    log: replay_offset::Args,
    /// The master seed of the run, when it was not the file's
    #[arg(long, value_name = "S")]
    seed: Option<u64>,
    /// The value lanes of the run, when they were not the file's
    #[arg(long, value_name = "N")]
    lanes: Option<u64>,
    /// One JSON line a turn
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if let Some(log) = &args.log.log {
        return replay_offset::run(&args.file, log, &args.log, args.json);
    }
    let (Some(cell), Some(game)) = (&args.cell, args.game) else { unreachable!("required without --log") };
    let overrides = Overrides { seed: args.seed, lanes: args.lanes, ..Overrides::default() };
    let plans = experiments::plans(std::slice::from_ref(&args.file), overrides)?;
    let cell = plans[0].find(cell).map_err(input_error)?;
    let job = cell.job(plans[0].seed, KernelChoice::Reference).map_err(|error| input_error(error.to_string()))?;
    let mut output = std::io::BufWriter::new(std::io::stdout().lock());
    let mut written = Ok(());
    let outcome = job.replay(game, &mut |line| {
        if written.is_ok() {
            written = if args.json { writeln!(output, "{line}") } else { write_turn(&mut output, &line) };
        }
    });
    written?;
    if !args.json {
        writeln!(output, "{:?} after {} moves", outcome.result, outcome.moves)?;
    }
    output.flush()?;
    Ok(ExitCode::SUCCESS)
}

/// A transcript line for people: boards as grids, everything else as `key: value`.
fn write_turn(output: &mut impl Write, line: &serde_json::Value) -> std::io::Result<()> {
    for (key, value) in line.as_object().into_iter().flatten() {
        let rows: Option<Vec<Vec<String>>> = value.as_array().and_then(|rows| {
            rows.iter().map(|row| Some(row.as_array()?.iter().map(plain).collect())).collect::<Option<_>>()
        });
        match rows.filter(|rows| !rows.is_empty()) {
            Some(rows) => {
                writeln!(output, "{key}:")?;
                let width = rows.iter().flatten().map(|tile| tile.chars().count()).max().unwrap_or(1);
                for row in rows {
                    let tiles: Vec<String> = row.iter().map(|tile| format!("{tile:>width$}")).collect();
                    writeln!(output, "  {}", tiles.join(" "))?;
                }
            }
            None if value.is_null() => {}
            None => writeln!(output, "{key}: {}", plain(value))?,
        }
    }
    writeln!(output)
}

fn plain(value: &serde_json::Value) -> String {
    match value {
        serde_json::Value::String(text) => text.clone(),
        serde_json::Value::Array(items) => items.iter().map(plain).collect::<Vec<_>>().join(", "),
        serde_json::Value::Object(fields) => {
            fields.iter().map(|(key, value)| format!("{key} {}", plain(value))).collect::<Vec<_>>().join(" ")
        }
        other => other.to_string(),
    }
}
