//! The runner: plays the cells of a plan on all threads, in fixed order of games, resumable at any instant.
//!
//! Batches of games are tasks of a rayon pool. A task plays its batch, hands the result in to the [`schedule::Schedule`] and spawns the
//! batches that come next, whichever cells they belong to: as many as keep every thread busy. It takes one of them itself, idle threads
//! steal the others. Results are merged as integers, hence independent of who played what when. The schedule is asked once per
//! batch under a lock, for microseconds where a batch takes milliseconds. (A parallel iterator over batches would not do: it ends
//! when there is nothing to hand out at one instant, while a result may open the next stage of a cell.) A monitor thread tells the
//! observer about progress and saves the state every few seconds.

pub mod clock;
pub mod memory;
pub mod merge;
pub mod ranges;
pub mod restore;
pub mod schedule;
#[cfg(not(feature = "parallel"))]
mod sequential;
pub mod stages;
pub mod state;

use crate::game::{KernelChoice, Tally};
use clock::{Stopwatch, Work};
#[cfg(feature = "parallel")]
use rayon::Scope;
#[cfg(feature = "parallel")]
use schedule::Schedule;
use schedule::{Batch, CellProgress};
#[cfg(not(feature = "parallel"))]
pub use sequential::run;
use state::State;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::time::Duration;
#[cfg(feature = "parallel")]
use std::{
    sync::atomic::{AtomicBool, Ordering},
    sync::{Mutex, MutexGuard},
    thread::Thread,
    time::Instant,
};

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
/// A cell with a fixed number of games is cut into ranges of games; a cell with a stopping rule belongs to one part as a
/// whole, since it must be looked at as a whole. [`stages::Deal`] says who gets what.
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
#[cfg(feature = "parallel")]
pub fn run(
    schedule: Schedule<'_>,
    options: &Options,
    interrupted: &AtomicBool,
    observer: &dyn Observer,
) -> std::io::Result<State> {
    let name = |number| format!("player-{}", number + 1);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(options.threads).thread_name(name).build();
    let pool = pool.map_err(std::io::Error::other)?;
    let desk = Desk {
        ledger: Mutex::new(Ledger { schedule, playing: 0 }),
        threads: options.threads,
        stopped: AtomicBool::new(false),
        interrupted,
        fail_fast: options.fail_fast,
    };
    std::thread::scope(|scope| {
        let monitor = std::thread::Builder::new().name("monitor".into());
        let monitor = monitor.spawn_scoped(scope, || desk.watch(options, observer))?;
        let _stop = StopAtEnd(&desk.stopped, monitor.thread());
        pool.scope(|scope| desk.hand_out(&mut desk.lock(), scope));
        std::io::Result::Ok(())
    })?;
    let (state, cells) = desk.standing();
    observer.save(&state, &cells);
    Ok(state)
}

/// Ends the monitor, also when the players' thread unwinds.
#[cfg(feature = "parallel")]
struct StopAtEnd<'a>(&'a AtomicBool, &'a Thread);

#[cfg(feature = "parallel")]
impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

/// The schedule, and how many of its batches are being played.
#[cfg(feature = "parallel")]
struct Ledger<'p> {
    schedule: Schedule<'p>,
    playing: usize,
}

/// Where tasks get their batches and hand in their results.
#[cfg(feature = "parallel")]
struct Desk<'a, 'p> {
    ledger: Mutex<Ledger<'p>>,
    threads: usize,
    /// Set when the monitor should stop.
    stopped: AtomicBool,
    interrupted: &'a AtomicBool,
    fail_fast: bool,
}

#[cfg(feature = "parallel")]
impl<'p> Desk<'_, 'p> {
    /// The schedule is never left half changed: the code of games runs outside the lock, or its panics are caught.
    fn lock(&self) -> MutexGuard<'_, Ledger<'p>> {
        self.ledger.lock().unwrap_or_else(std::sync::PoisonError::into_inner)
    }

    fn is_over(&self, schedule: &Schedule<'_>) -> bool {
        schedule.is_done() || (self.fail_fast && schedule.has_failed()) || self.interrupted.load(Ordering::Relaxed)
    }

    /// Spawns batches until every thread has one, or there is none to play now.
    fn hand_out<'s>(&'s self, ledger: &mut Ledger<'p>, scope: &Scope<'s>) {
        while ledger.playing < self.threads && !self.is_over(&ledger.schedule) {
            let Some(batch) = ledger.schedule.next_batch() else { break };
            ledger.playing += 1;
            scope.spawn(move |scope| self.play(&batch, scope));
        }
    }

    fn play<'s>(&'s self, batch: &Batch, scope: &Scope<'s>) {
        let played = Played::of(batch);
        let mut ledger = self.lock();
        ledger.schedule.complete(batch, played.tally, played.time, played.work);
        ledger.playing -= 1;
        self.hand_out(&mut ledger, scope);
    }

    /// The state to be saved, and how far each cell is in it.
    fn standing(&self) -> (State, Vec<CellProgress>) {
        let ledger = self.lock();
        (ledger.schedule.state(), ledger.schedule.progress())
    }

    fn watch(&self, options: &Options, observer: &dyn Observer) {
        let start = Instant::now();
        let mut saved = start;
        while !self.stopped.load(Ordering::Relaxed) {
            std::thread::park_timeout(options.save_every.min(Duration::from_millis(100)));
            let cells = self.lock().schedule.progress();
            observer.progress(&Progress { elapsed: start.elapsed(), cells: &cells });
            if saved.elapsed() >= options.save_every && !self.stopped.load(Ordering::Relaxed) {
                let (state, cells) = self.standing();
                observer.save(&state, &cells);
                saved = Instant::now();
            }
        }
    }
}

/// A batch that has been played, or the text of its panic.
struct Played {
    tally: Result<Tally, String>,
    /// From its start to its end.
    time: Duration,
    /// The thread's time on a processor.
    work: Duration,
}

impl Played {
    fn of(batch: &Batch) -> Self {
        let start = Stopwatch::start();
        let work = Work::begin();
        let tally = catch_unwind(AssertUnwindSafe(|| batch.play())).map_err(|panic| panic_text(panic.as_ref()));
        Self { tally, time: start.elapsed(), work: work.done() }
    }
}

fn panic_text(panic: &(dyn std::any::Any + Send)) -> String {
    let text = panic.downcast_ref::<&str>().copied().or_else(|| panic.downcast_ref::<String>().map(String::as_str));
    text.unwrap_or("the game panicked").to_owned()
}
