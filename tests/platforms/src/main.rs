//! Plays an experiment in memory and prints the text of its `cells.csv`: `cargo run --release -p
//! tilelab-platforms < experiments/atlas.toml`.
//!
//! It runs on every platform, also without threads and files (`--no-default-features`), so that the
//! bytes of all of them can be compared. Its tests are those of `tests/it` that start no other
//! program: kernels beside the reference, and the rules. As a crate of its own it needs the library
//! alone, without the command line and what only other tests need.

#![allow(clippy::disallowed_methods)]

use std::io::{Read, Write, stdin, stdout};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tilelab::results::rows::CellRows;
use tilelab::runner::progress::CellProgress;
use tilelab::runner::schedule::Schedule;
use tilelab::runner::state::RunState;
use tilelab::runner::{Progress, RunnerObserver, RunnerOptions, Shard, run};
use tilelab::{Experiment, KernelChoice};

#[cfg(test)]
// Nothing fails here on purpose.
#[allow(dead_code)]
#[path = "../../it/allocator.rs"]
mod allocator;
#[cfg(test)]
#[path = "../../it/conformance.rs"]
mod conformance;
#[cfg(test)]
mod determinism;
#[cfg(test)]
#[path = "../../it/effort.rs"]
mod effort;
#[cfg(test)]
#[path = "../../it/kernels/mod.rs"]
mod kernels;
#[cfg(test)]
#[path = "../../it/lanes/games.rs"]
mod lanes;
#[cfg(test)]
#[path = "../../it/stepping.rs"]
mod stepping;
#[cfg(test)]
#[path = "../../it/twenty_forty_eight/lockstep.rs"]
mod twenty_forty_eight;

struct Silent;

impl RunnerObserver for Silent {
    fn progress(&self, _: &Progress<'_>) {}
    fn save(&self, _: &RunState, _: &[CellProgress]) {}
}

/// The text of `cells.csv` of an experiment.
fn cells_csv(
    experiment: &str,
    threads: usize,
    kernel: KernelChoice,
) -> Result<Vec<u8>, Box<dyn std::error::Error>> {
    let plan = Experiment::parse(experiment)?.plan()?;
    let save_every = Duration::from_secs(1 << 30);
    let options = RunnerOptions {
        threads,
        kernel,
        shard: Shard::WHOLE,
        fail_fast: true,
        save_every,
    };
    let state = run(
        Schedule::new(&plan, &options, None)?,
        &options,
        &AtomicBool::new(false),
        &Silent,
    )?;
    let mut rows = CellRows::new(&plan);
    rows.update(&plan, &state);
    Ok(rows.cells_csv())
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut experiment = String::new();
    stdin().read_to_string(&mut experiment)?;
    stdout().write_all(&cells_csv(&experiment, 1, KernelChoice::Auto)?)?;
    Ok(())
}
