//! Plays an experiment in memory and prints the text of its `cells.csv`: `cargo run --release
//! --example cells_csv < experiments/atlas.toml`.
//!
//! It runs on every platform, also without threads and files (`--no-default-features`), so that the
//! bytes of all of them can be compared.

use std::io::{Read, Write, stdin, stdout};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tilelab::results::rows::Rows;
use tilelab::runner::progress::CellProgress;
use tilelab::runner::schedule::Schedule;
use tilelab::runner::state::State;
use tilelab::runner::{Observer, Options, Progress, Shard, run};
use tilelab::{Experiment, KernelChoice};

struct Silent;

impl Observer for Silent {
    fn progress(&self, _: &Progress<'_>) {}
    fn save(&self, _: &State, _: &[CellProgress]) {}
}

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let mut text = String::new();
    stdin().read_to_string(&mut text)?;
    let plan = Experiment::parse(&text)?.plan()?;
    let save_every = Duration::from_secs(1 << 30);
    let options = Options { threads: 1, kernel: KernelChoice::Auto, shard: Shard::WHOLE, fail_fast: true, save_every };
    let state = run(Schedule::new(&plan, &options, None)?, &options, &AtomicBool::new(false), &Silent)?;
    let mut rows = Rows::new(&plan);
    rows.update(&plan, &state);
    stdout().write_all(&rows.cells_csv())?;
    Ok(())
}
