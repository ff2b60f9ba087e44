//! The runner: plays the cells of a plan on all threads, in fixed order of games, resumable at any instant.
//!
//! Threads take batches of one cell at a time from a [`schedule::Schedule`] through rayon's parallel bridge, so that a thread that is
//! done early takes the next batch, whichever cell it belongs to. Results are merged as integers, hence independent of
//! who played what when. A monitor thread tells the observer about progress and saves the state every few seconds.

pub mod ranges;
pub mod schedule;
pub mod state;

use crate::game::KernelChoice;
use crate::plan::Plan;
use rayon::iter::{ParallelBridge, ParallelIterator};
use schedule::{CellProgress, Schedule};
use state::{Header, State};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Mutex, MutexGuard};
use std::time::{Duration, Instant};

/// How a plan is to be played.
#[derive(Clone, Copy, Debug)]
pub struct Options {
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

/// One of several parts of an experiment's games: part `index` (from 1) of `count`.
///
/// A cell with a fixed number of games is cut into `count` ranges of games; a cell with a stopping rule belongs to one part as a
/// whole, since it must be looked at as a whole.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shard {
    /// From 1 to `count`.
    pub index: u64,
    /// Number of parts.
    pub count: u64,
}

impl Shard {
    /// Everything.
    pub const WHOLE: Self = Self { index: 1, count: 1 };
}

/// What the observer is told every tenth of a second.
#[derive(Debug)]
pub struct Progress<'a> {
    /// Time since the start of this run.
    pub elapsed: Duration,
    /// One entry a cell.
    pub cells: &'a [CellProgress],
}

/// Whoever watches a run.
pub trait Observer: Sync {
    /// Called about ten times a second.
    fn progress(&self, progress: &Progress<'_>);
    /// Called with the state to be saved, every [`Options::save_every`] and at the end.
    fn save(&self, state: &State);
}

/// Plays a plan, from the start or from a saved state, until it is done or `interrupted` is set; returns the last state.
///
/// `interrupted` may be set by a signal handler; running batches are finished before the run ends.
#[must_use]
pub fn run(
    plan: &Plan,
    options: &Options,
    saved: Option<State>,
    interrupted: &AtomicBool,
    observer: &dyn Observer,
) -> State {
    let header = Header::new(plan, options.shard);
    let schedule = Mutex::new(Schedule::new(plan, options, saved));
    let finished = AtomicBool::new(false);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).build().expect("threads can be started");
    std::thread::scope(|scope| {
        let monitor = scope.spawn(|| watch(&header, options, &schedule, &finished, observer));
        pool.install(|| play(&schedule, interrupted, options.fail_fast));
        finished.store(true, Ordering::Relaxed);
        monitor.thread().unpark();
    });
    let state = lock(&schedule).state(&header);
    observer.save(&state);
    state
}

/// The schedule is never left half changed: panics of games are caught outside the lock.
fn lock<'a, 'p>(schedule: &'a Mutex<Schedule<'p>>) -> MutexGuard<'a, Schedule<'p>> {
    schedule.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
}

/// Plays batches on all threads of the current pool until none is left.
fn play(schedule: &Mutex<Schedule<'_>>, interrupted: &AtomicBool, fail_fast: bool) {
    let stop = AtomicBool::new(false);
    let stopping = || interrupted.load(Ordering::Relaxed) || stop.load(Ordering::Relaxed);
    // The bridge ends when no batch can be handed out; games still being played may then open the next stage of a cell, so
    // the loop asks again until everything is decided.
    while !stopping() && !lock(schedule).is_done() {
        std::iter::from_fn(|| if stopping() { None } else { lock(schedule).next_batch() }).par_bridge().for_each(
            |batch| {
                let played = catch_unwind(AssertUnwindSafe(|| batch.play()));
                let mut schedule = lock(schedule);
                match played {
                    Ok(tally) => schedule.complete(&batch, &tally),
                    Err(panic) => {
                        schedule.fail(batch.cell, panic_text(panic.as_ref()));
                        stop.fetch_or(fail_fast, Ordering::Relaxed);
                    }
                }
            },
        );
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the game panicked").to_owned()
}

fn watch(
    header: &Header,
    options: &Options,
    schedule: &Mutex<Schedule<'_>>,
    finished: &AtomicBool,
    observer: &dyn Observer,
) {
    let start = Instant::now();
    let mut saved = start;
    while !finished.load(Ordering::Relaxed) {
        std::thread::park_timeout(Duration::from_millis(100));
        let cells = lock(schedule).progress();
        observer.progress(&Progress { elapsed: start.elapsed(), cells: &cells });
        if saved.elapsed() >= options.save_every && !finished.load(Ordering::Relaxed) {
            let state = lock(schedule).state(header);
            observer.save(&state);
            saved = Instant::now();
        }
    }
}
