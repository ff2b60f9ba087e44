//! `tilelab merge`: joins the shards of an experiment.

use super::input_error;
use super::output::{Folder, Rows, folder};
use super::run::load_last_good;
use crate::report::atomic;
use crate::runner::merge::Parts;
use anyhow::Context;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Join the shards of an experiment into the results of a run of everything
///
/// Writes DIR/NAME/ with the bytes that an undivided run gives. The order of the shards does not matter, and a shard may be there
/// twice. The experiment file is not needed: every shard carries its text in its .state file.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab merge --out results results/readme/shard-*")]
pub struct Args {
    /// Where results go
    #[arg(long, value_name = "DIR")]
    out: PathBuf,
    /// Folders of shards, or folders that have such folders anywhere below them
    #[arg(required = true, value_name = "SHARD_DIR")]
    shards: Vec<PathBuf>,
}

/// So many cells of shards are in memory at a time: a kilobyte each, or a few where move counts differ much.
const CELLS_MAX: usize = 50_000;
/// How deep folders of shards are looked for.
const DEPTH_MAX: usize = 8;

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let mut parts = Parts::new(CELLS_MAX);
    for path in &args.shards {
        let mut folders = Vec::new();
        find(path, 0, &mut folders).map_err(|error| input_error(format!("{}: {error}", path.display())))?;
        if folders.is_empty() {
            return Err(input_error(format!(
                "{}: neither a shard nor a folder with shards: there is no .state file of a run with --shard (hidden files \
                 must be copied too)",
                path.display()
            )));
        }
        for folder in folders {
            if let Some((file, state)) = load_last_good(&folder)? {
                parts.add(folder.0, file, state);
            }
        }
    }
    let shards = parts.arrange().map_err(input_error)?;
    let plan = shards.plan().map_err(input_error)?;
    let state = shards.merge(&plan).map_err(input_error)?;
    let folder = folder(&args.out, &plan);
    let _lock = folder.hold()?;
    let mut rows = Rows::new(&plan);
    rows.update(&plan, &state);
    let write = || -> anyhow::Result<()> {
        state.save(&folder.state())?;
        folder.write_cells(&plan, &rows)?;
        atomic::write(&folder.0.join("experiment.toml"), plan.text.as_bytes())?;
        folder.write_tables()?;
        super::pictures::write(&folder.0)
    };
    write().with_context(|| format!("{}: the results cannot be written", folder.0.display()))?;
    let failed = state.cells.iter().flatten().filter(|cell| cell.error.is_some()).count();
    let games: u64 = state.cells.iter().flatten().map(|cell| cell.games()).sum();
    let failures = if failed > 0 { format!(", {failed} of them failed") } else { String::new() };
    eprintln!(
        "{}: merged {} shards: {} cells{failures}, {games} games; results in {}",
        plan.name,
        shards.count(),
        plan.cells.len(),
        folder.0.display()
    );
    Ok(ExitCode::from(u8::from(failed > 0)))
}

/// Finds the folders with a state at or below `path`; below a folder with one, only folders of shards count.
///
/// A results folder itself is passed over when shards lie in it: its state is that of the merged or undivided run.
fn find(path: &Path, depth: usize, found: &mut Vec<Folder>) -> std::io::Result<()> {
    let mut below = Vec::new();
    let mut entries: Vec<PathBuf> =
        std::fs::read_dir(path)?.map(|entry| Ok(entry?.path())).collect::<std::io::Result<_>>()?;
    entries.sort();
    for entry in entries.into_iter().filter(|entry| depth < DEPTH_MAX && entry.is_dir() && !entry.is_symlink()) {
        find(&entry, depth + 1, &mut below)?;
    }
    let folder = Folder(path.to_owned());
    if below.is_empty() && (folder.state().exists() || folder.state_before().exists()) {
        below.push(folder);
    }
    found.append(&mut below);
    Ok(())
}
