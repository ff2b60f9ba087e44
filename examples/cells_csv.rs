//! Plays an experiment in memory and prints the text of its `cells.csv`: `cargo run --release
//! --example cells_csv < experiments/atlas.toml`.
//!
//! It runs on every platform, also without threads and files (`--no-default-features`), so the same
//! bytes can be asked of all of them. The first argument is the kernel, `auto` when left out.

use std::io::{Read, Write, stdin, stdout};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tilelab::results::rows::Rows;
use tilelab::runner::schedule::{CellProgress, Schedule};
use tilelab::runner::state::State;
use tilelab::runner::{Observer, Options, Progress, Shard, run};
use tilelab::{Experiment, KernelChoice};

struct Silent;

impl Observer for Silent {
    fn progress(&self, _: &Progress<'_>) {}
    fn save(&self, _: &State, _: &[CellProgress]) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let name = std::env::args().nth(1).unwrap_or_else(|| "auto".to_owned());
    let kernel = KernelChoice::ALL.into_iter().find(|(known, _)| *known == name).ok_or("no such kernel")?.1;
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let plan = Experiment::parse(&text)?.plan()?;
    let save_every = Duration::from_secs(1 << 30);
    let options = Options { threads: 1, kernel, shard: Shard::WHOLE, fail_fast: true, save_every };
    let state = run(Schedule::new(&plan, &options, None)?, &options, &AtomicBool::new(false), &Silent)?;
    let mut rows = Rows::new(&plan);
    rows.update(&plan, &state);
    stdout().write_all(&rows.cells_csv())?;
    Ok(())
}
