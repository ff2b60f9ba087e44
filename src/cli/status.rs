//! `tilelab status`: says what a results folder holds.

use super::progress::{duration_text, grouped, left_text, scaled};
use super::{DONE, Ended, input_error};
use crate::results::status::Status;
use crate::text::{counted, escape_lines};
use std::io::Write;
use std::path::PathBuf;

/// Show a result's experiment, progress and size
///
/// A folder may hold more than its experiment asks for now: cells that the file no longer names,
/// and more games than it asks for. They are used again when the file asks for them.
#[derive(clap::Args)]
#[command(after_help = "Example: tilelab status results/readme")]
pub struct Args {
    /// Results folders: DIR/NAME of a run, or the folder of a shard in it
    #[arg(required = true, value_name = "DIR")]
    dirs: Vec<PathBuf>,
    /// Write one JSON object a line for each folder
    #[arg(long)]
    json: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let statuses: Result<Vec<Status>, _> = args.dirs.iter().map(|dir| Status::read(dir)).collect();
    let statuses = statuses.map_err(input_error)?;
    let mut output = std::io::stdout().lock();
    for status in &statuses {
        if args.json {
            writeln!(output, "{}", serde_json::to_string(status)?)?;
        } else {
            super::print_lines(&escape_lines(&text(status)))?;
        }
    }
    DONE
}

fn text(status: &Status) -> String {
    let Status {
        folder,
        name,
        cells,
        cells_done,
        cells_failed,
        cells_elsewhere,
        games,
        ..
    } = status;
    let seed = status
        .seed
        .map_or_else(String::new, |seed| format!(", seed {seed}"));
    let shard = status.shard.map_or_else(String::new, |(index, count)| {
        format!(", shard {index}/{count}")
    });
    let mut lines = vec![format!("{folder}: {name}{seed}{shard}")];
    if let Some(damage) = &status.damage {
        lines.push(format!("  {damage}; this is the one saved before it"));
    }
    let besides = |cells: usize, what: &str| match cells {
        0 => String::new(),
        _ => format!(", {cells} {what}"),
    };
    let failed = besides(*cells_failed, "failed");
    let elsewhere = besides(*cells_elsewhere, "in other shards");
    if let Some(live) = &status.live {
        let left = left_text(live.seconds_left);
        lines.push(format!(
            "  runs now: {left} after {}; cells: {} of {} done; games: {} of {}",
            duration_text(live.elapsed_s),
            live.cells_done,
            live.cells,
            grouped(live.games),
            grouped(live.games_max)
        ));
    }
    let forfeited = match status.games_forfeited {
        0 => String::new(),
        games => format!(", {} of them forfeited", grouped(games)),
    };
    let saved = if status.live.is_some() { "saved: " } else { "" };
    lines.push(format!(
        "  {saved}cells: {cells_done} of {cells} done{failed}{elsewhere}; {} games{forfeited}",
        grouped(*games)
    ));
    if status.has_state {
        if status.cells_beyond > 0 || status.games_beyond > 0 {
            lines.push(format!(
                "  kept besides: {} that the experiment does not name now, {} games that it does not ask for",
                counted(status.cells_beyond, ["cell", "cells"]),
                grouped(status.games_beyond)
            ));
        }
        let version = status.version.as_deref().unwrap_or_default();
        let results = status.results_version.unwrap_or_default();
        lines.push(format!(
            "  saved by tilelab {version}, results version {results}"
        ));
    } else if status.live.is_none() {
        lines.push(
            "  no saved state: a run plays all games again; the counts are those of cells.csv"
                .to_owned(),
        );
    }
    let size = |bytes: u64| format!("{}B", scaled(bytes as f64));
    lines.push(format!(
        "  size: {} saved states, {} other files",
        size(status.state_bytes),
        size(status.other_bytes)
    ));
    lines.join("\n") + "\n"
}
