//! `machine.txt`: who made these results, when, and how fast. Kept apart from `cells.csv`, whose bytes do not depend on any of it.

use crate::plan::Plan;
use crate::report::atomic;
use crate::runner::Options;
use std::io;
use std::path::Path;

/// Writes `machine.txt` and `experiment.toml`, the text of the experiment.
pub fn write(folder: &Path, plan: &Plan, options: &Options, games: u64, seconds: f64) -> io::Result<()> {
    atomic::write(&folder.join("experiment.toml"), plan.text.as_bytes())?;
    if games == 0 {
        // Nothing was played now: the machine that made the results is already named.
        return Ok(());
    }
    let mut kernels: Vec<&str> = Vec::new();
    for cell in &plan.cells {
        if let Ok(job) = cell.job(plan.seed, options.kernel)
            && !kernels.contains(&job.kernel())
        {
            kernels.push(job.kernel());
        }
    }
    let text = format!(
        "{}kernels: {}\ngames: {games}\nseconds: {seconds:.1}\ngames_per_s: {:.0}\n",
        facts(options.threads),
        kernels.join(", "),
        games as f64 / seconds.max(1e-9)
    );
    atomic::write(&folder.join("machine.txt"), text.as_bytes())
}

/// Command, version, processor and threads, a line each.
#[must_use]
pub fn facts(threads: usize) -> String {
    let command: Vec<String> = std::env::args().skip(1).collect();
    let (command, version, cpu) = (command.join(" "), env!("CARGO_PKG_VERSION"), cpu());
    format!("command: tilelab {command}\nversion: {version}\ncpu: {cpu}\nthreads: {threads}\n")
}

/// The name of the processor, as far as the system tells.
#[must_use]
pub fn cpu() -> String {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap_or_default();
    let name = info.lines().find_map(|line| line.strip_prefix("model name")?.split_once(": "));
    name.map_or_else(|| std::env::consts::ARCH.to_owned(), |(_, name)| name.to_owned())
}
