//! `machine.txt`: what made the results, and how fast. Kept apart from `cells.csv`, whose bytes do
//! not depend on any of it.

use super::{Error, Folder, RunOptions};
use crate::runner::progress::{CellProgress, total};
use crate::text::join;
use std::collections::BTreeSet;
use tilelab_output::files::{self, NOTE_BYTES_MAX};

/// Writes `machine.txt` about a run whose cells are this far after these seconds, unless no game
/// was played now and the file is there: then it names the machine that played them.
///
/// # Errors
/// When it cannot be written.
pub fn write(
    folder: &Folder,
    options: &RunOptions,
    cells: &[CellProgress],
    seconds: f64,
) -> Result<(), Error> {
    let known = || files::read_text(folder.0.join("machine.txt"), NOTE_BYTES_MAX);
    let is_known = || known().is_ok_and(|text| text.starts_with("command: "));
    let games = games_now(cells);
    if games == 0 && is_known() {
        return Ok(());
    }
    let played = cells.iter().filter(|cell| cell.games_now > 0);
    let kernels: BTreeSet<&str> = played.filter_map(|cell| cell.kernel).collect();
    let text = format!(
        "{}kernels: {}\ngames: {}\nseconds: {:.1}\ngames_per_s: {:.0}\n",
        head(&options.command, options.runner.threads),
        join(kernels, ", "),
        games,
        seconds,
        games as f64 / seconds.max(1e-9)
    );
    folder.put("machine.txt", &text)
}

/// Games that were played now, in all cells.
pub fn games_now(cells: &[CellProgress]) -> u64 {
    total(cells.iter().map(|cell| cell.games_now))
}

/// Command, version, processor and threads, a line each.
pub fn head(command: &str, threads: usize) -> String {
    let version = env!("CARGO_PKG_VERSION");
    let cpu = cpu();
    format!("command: tilelab {command}\nversion: {version}\ncpu: {cpu}\nthreads: {threads}\n")
}

/// The name of the processor, as far as the system tells.
#[expect(
    clippy::disallowed_methods,
    reason = "the system wrote it, and it has no length"
)]
pub fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info
        .lines()
        .find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or(std::env::consts::ARCH, |(_, name)| name)
        .to_owned()
}
