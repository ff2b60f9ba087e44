//! `tilelab merge`: joins the shards of an experiment.

use super::run::{cores, explained};
use super::{Ended, input_error, wrong};
use crate::results::merge::{Parts, find};
use crate::results::{self, Error, store};
use crate::text::counted;
use std::path::PathBuf;
use std::process::ExitCode;

/// Join the shards of an experiment into the results of an undivided run
///
/// Writes DIR/NAME/, byte for byte as an undivided run does. The order of the shards does not
/// matter, and a shard may be given twice. The experiment file is not needed: its text is in the
/// .state file of every shard.
#[derive(clap::Args)]
#[command(after_help = "Example: tilelab merge --out results results/readme/shard-*")]
pub struct Args {
    /// Where results go
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Folders of shards, or folders that have such folders anywhere below them
    #[arg(required = true, value_name = "SHARD_DIR")]
    shards: Vec<PathBuf>,
}

/// About how many cells of shards are in memory at a time: a kilobyte each, or a few kilobytes
/// where move counts differ much.
const CELLS_MAX: usize = 50_000;

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    let mut parts = Parts::new(CELLS_MAX);
    for path in &args.shards {
        let folders = find(path).map_err(wrong(path.display()))?;
        if folders.is_empty() {
            refuse!(
                "{}: neither a shard nor a folder with shards: there is no .state file of a run with --shard (hidden files \
                 must be copied too)",
                path.display()
            );
        }
        for folder in folders {
            if let Some(found) = store::load_last_good(&folder).map_err(explained)? {
                if let Some(damage) = &found.damage {
                    say!("{damage}; using the one saved before it");
                }
                parts.add(folder.0, found.file, found.state);
            }
        }
    }
    let shards = parts.arrange().map_err(explained)?;
    let mut plan = shards.plan().map_err(explained)?;
    let rows = shards.per_game().map_err(explained)?;
    plan.per_game = rows.as_ref().map(|(format, _)| *format);
    if let Some((_, without)) = rows.filter(|(_, without)| !without.is_empty()) {
        say!(
            "{} of {} shards, the first of them shard {}, have kept no single games; those are played again here (run \
             such shards with --per-game to avoid that)",
            without.len(),
            shards.count(),
            without[0].index
        );
    }
    let state = shards.merge(&plan).map_err(explained)?;
    let failed = state
        .cells
        .iter()
        .flatten()
        .filter(|cell| cell.error.is_some())
        .count();
    let games: u64 = state.cells.iter().flatten().map(|cell| cell.games()).sum();
    let folder =
        results::write(&plan, state, &args.out, &shards.folders(), cores()).map_err(|error| {
            match error {
                Error::Lost { .. } => input_error(format!("{error}; --out DIR writes elsewhere")),
                error => explained(error),
            }
        })?;
    let failures = if failed > 0 {
        format!(", {failed} of them failed")
    } else {
        String::new()
    };
    say!(
        "{}: merged {}: {}{failures}, {games} games; results in {}",
        plan.name,
        counted(shards.count(), ["shard", "shards"]),
        counted(plan.cells.len(), ["cell", "cells"]),
        folder.0.display()
    );
    Ok(ExitCode::from(u8::from(failed > 0)))
}
