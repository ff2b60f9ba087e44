//! The runner: plays the cells of a plan, in batches of games, from any saved state.
//!
//! [`schedule::Schedule`] says which batch of which cell is next and takes in the results. They are
//! merged as integers, so they do not depend on which thread played what and when. With the feature
//! `parallel`, [`run`] keeps all threads busy; without it, it plays on the calling thread. An
//! [`RunnerObserver`] is told about progress and saves the state. The runner itself touches no
//! files.

pub mod clock;
pub mod forecast;
pub mod pace;
#[cfg(feature = "parallel")]
mod parallel;
pub(crate) mod portions;
pub mod progress;
pub mod ranges;
pub mod records;
pub mod restore;
pub mod schedule;
pub mod segments;
#[cfg(not(feature = "parallel"))]
mod sequential;
pub mod stages;
pub mod state;
mod store;

use crate::game::{KernelChoice, Tally};
use clock::{Stopwatch, WorkClock};
#[cfg(feature = "parallel")]
pub use parallel::run;
use progress::CellProgress;
use schedule::Batch;
#[cfg(not(feature = "parallel"))]
pub use sequential::run;
use state::RunState;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;

/// How a plan is to be played.
#[derive(Clone, Copy, Debug)]
pub struct RunnerOptions {
    /// Threads to play on; at least 1.
    pub threads: usize,
    /// Which engine plays.
    pub kernel: KernelChoice,
    /// The part of the work to do.
    pub shard: Shard,
    /// Stop at the first cell that fails.
    pub fail_fast: bool,
    /// How often the state is saved.
    pub save_every: Duration,
}

impl RunnerOptions {
    /// The whole of a plan, by the best kernel, past cells that fail, saved at the end alone.
    pub const fn on(threads: usize) -> Self {
        Self {
            threads,
            kernel: KernelChoice::Auto,
            shard: Shard::WHOLE,
            fail_fast: false,
            save_every: Duration::MAX,
        }
    }
}

/// One of several parts of an experiment's games: part `index` (from 1) of `count`.
///
/// A cell with a fixed number of games is cut into ranges of games. A cell with a stopping rule
/// belongs to one part as a whole, since its rule looks at all of its games.
/// [`stages::ShardPlan`] says which games belong to which part.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// The number of the part, from 1 to `count`.
    pub index: u64,
    /// Number of parts, from 1 to [`Shard::COUNT_MAX`].
    pub count: u64,
}

impl Shard {
    /// The only part of an undivided run.
    pub const WHOLE: Self = Self { index: 1, count: 1 };
    /// The most parts that a run may have.
    pub const COUNT_MAX: u64 = 1_000_000;
}

/// What the observer is told every tenth of a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Time since the start of this run.
    pub elapsed: Duration,
    /// The progress of each cell.
    pub cells: &'a [CellProgress],
}

/// Follows a run and saves its state.
pub trait RunnerObserver: Sync {
    /// Called about ten times a second.
    fn progress(&self, _progress: &Progress<'_>) {}
    /// Called with the state to be saved and the progress of each cell, every
    /// [`RunnerOptions::save_every`] and at the end.
    fn save(&self, _state: &RunState, _cells: &[CellProgress]) {}
}

/// A batch that has been played, or the text of its panic.
struct Played {
    tally: Result<Tally, String>,
    /// The time from the start of the batch to its end.
    time: Duration,
    /// The thread's time on a processor.
    work: Duration,
}

impl Played {
    fn of(batch: &Batch) -> Self {
        let start = Stopwatch::start();
        let work = WorkClock::begin();
        Self {
            tally: caught(|| batch.play()),
            time: start.elapsed(),
            work: work.done(),
        }
    }
}

/// What `work` returns, or the message of its panic.
///
/// # Errors
/// The message.
pub fn caught<T>(work: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(work)).map_err(|panic| {
        let text = panic.downcast_ref::<&str>().copied();
        let text = text.or_else(|| panic.downcast_ref::<String>().map(String::as_str));
        text.unwrap_or("the game panicked").to_owned()
    })
}
