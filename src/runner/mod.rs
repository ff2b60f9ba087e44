//! The runner: plays the cells of a plan on all threads, in fixed order of games, resumable at any instant.
//!
//! Each thread takes a batch of one cell from the [`schedule::Schedule`], plays it, hands the result in and takes the next, whichever
//! cell it belongs to. Results are merged as integers, hence independent of who played what when. The schedule is asked
//! once per batch under a lock, for microseconds where a batch takes milliseconds; a thread for which there is nothing to do waits until
//! another one hands in a result, which may open the next stage of a cell. (A parallel iterator over batches would not
//! do: it ends when there is nothing to hand out at one instant.) A monitor thread tells the observer about progress and saves
//! the state every few seconds.

pub mod clock;
pub mod merge;
pub mod ranges;
pub mod restore;
pub mod schedule;
pub mod stages;
pub mod state;

use crate::game::KernelChoice;
use clock::Work;
use schedule::{CellProgress, Schedule};
use state::State;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Condvar, Mutex, MutexGuard};
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
    /// Called with the state to be saved and how far each cell is, every [`Options::save_every`] and at the end.
    fn save(&self, state: &State, cells: &[CellProgress]);
}

/// Plays a schedule until it is done or `interrupted` is set; returns the last state, which the observer has been told to save.
///
/// `interrupted` may be set by a signal handler; running batches are finished before the run ends.
///
/// # Errors
/// When the system does not give the threads; nothing is lost then.
pub fn run(
    schedule: Schedule<'_>,
    options: &Options,
    interrupted: &AtomicBool,
    observer: &dyn Observer,
) -> std::io::Result<State> {
    let desk = Desk {
        schedule: Mutex::new(schedule),
        changed: Condvar::new(),
        stopped: AtomicBool::new(false),
        interrupted,
        fail_fast: options.fail_fast,
    };
    std::thread::scope(|scope| {
        let start = |number: usize| {
            let name = format!("player-{number}");
            std::thread::Builder::new().name(name).spawn_scoped(scope, || desk.play())
        };
        let players: std::io::Result<Vec<_>> = (1..=options.threads).map(start).collect();
        match players {
            Ok(players) => {
                let monitor = scope.spawn(|| desk.watch(options, observer));
                for player in players {
                    // A panic of a thread comes up again at the end of the scope.
                    let _ = player.join();
                }
                desk.stopped.store(true, Ordering::Relaxed);
                monitor.thread().unpark();
                Ok(())
            }
            Err(error) => {
                desk.stopped.store(true, Ordering::Relaxed);
                Err(error)
            }
        }
    })?;
    let (state, cells) = desk.standing();
    observer.save(&state, &cells);
    Ok(state)
}

/// Where threads get their batches and hand in their results.
struct Desk<'a, 'p> {
    schedule: Mutex<Schedule<'p>>,
    /// Told when a result was handed in.
    changed: Condvar,
    /// Set when everybody should stop.
    stopped: AtomicBool,
    interrupted: &'a AtomicBool,
    fail_fast: bool,
}

impl<'p> Desk<'_, 'p> {
    /// The schedule is never left half changed: the code of games runs outside the lock, or its panics are caught.
    fn lock(&self) -> MutexGuard<'_, Schedule<'p>> {
        self.schedule.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_over(&self, schedule: &Schedule<'_>) -> bool {
        schedule.is_done()
            || (self.fail_fast && schedule.has_failed())
            || self.interrupted.load(Ordering::Relaxed)
            || self.stopped.load(Ordering::Relaxed)
    }

    /// Plays batches until none will come any more.
    fn play(&self) {
        let mut schedule = self.lock();
        while !self.is_over(&schedule) {
            let Some(batch) = schedule.next_batch() else {
                // Building a cell's job may have failed and so ended the run.
                if !self.is_over(&schedule) {
                    // A signal handler cannot tell the condition, so the wait is short.
                    let waited = self.changed.wait_timeout(schedule, Duration::from_millis(100));
                    schedule = waited.unwrap_or_else(std::sync::PoisonError::into_inner).0;
                }
                continue;
            };
            drop(schedule);
            let (start, work) = (Instant::now(), Work::begin());
            let played = catch_unwind(AssertUnwindSafe(|| batch.play())).map_err(|panic| panic_text(panic.as_ref()));
            let (time, work) = (start.elapsed(), work.done());
            schedule = self.lock();
            schedule.complete(&batch, played, time, work);
            self.changed.notify_all();
        }
    }

    /// The state to be saved, and how far each cell is in it.
    fn standing(&self) -> (State, Vec<CellProgress>) {
        let schedule = self.lock();
        (schedule.state(), schedule.progress())
    }

    fn watch(&self, options: &Options, observer: &dyn Observer) {
        let start = Instant::now();
        let mut saved = start;
        while !self.stopped.load(Ordering::Relaxed) {
            std::thread::park_timeout(options.save_every.min(Duration::from_millis(100)));
            let cells = self.lock().progress();
            observer.progress(&Progress { elapsed: start.elapsed(), cells: &cells });
            if saved.elapsed() >= options.save_every && !self.stopped.load(Ordering::Relaxed) {
                let (state, cells) = self.standing();
                observer.save(&state, &cells);
                saved = Instant::now();
            }
        }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the game panicked").to_owned()
}
