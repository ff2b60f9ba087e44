//! Plays a schedule on all threads, for builds with the feature `parallel`.
//!
//! Batches are tasks of a rayon pool. The calling thread hands them out and takes in their results.
//! One batch more than there are threads is always out, so that a thread that finishes its batch
//! finds the next one waiting. A second thread reports progress and saves the state: saving may
//! take longer than a batch and must not hold up the games.
//!
//! Tasks own everything they touch. After an interruption the run therefore does not have to wait
//! for long games. It gives running batches [`GRACE`] to finish, saves without the rest, and
//! returns. An abandoned batch ends in the background, its result is dropped, and a continued run
//! plays its games again.

use super::progress::CellProgress;
use super::schedule::{Batch, Schedule};
use super::state::RunState;
use super::{Played, Progress, RunnerObserver, RunnerOptions};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, mpsc};
use std::thread::Thread;
use std::time::{Duration, Instant};
use tilelab_output::locked;

/// How long an interrupted run waits for the batches being played. Together with the time that
/// saving takes, people should not have to wait more than 0.2 s.
const GRACE: Duration = Duration::from_millis(50);
/// How often the interruption flag is looked at while no batch ends.
const POLL: Duration = Duration::from_millis(10);
/// How often the observer hears of the progress.
const PROGRESS_EVERY: Duration = Duration::from_millis(100);

/// Plays a schedule until it is done or `interrupted` is set; returns the last state, which the
/// observer has been asked to save.
///
/// `interrupted` may be set by a signal handler. The run then ends within a tenth of a second,
/// however long the games are; threads may go on with abandoned batches for a while after the
/// return.
///
/// # Errors
/// When the system refuses the threads.
pub fn run(
    schedule: Schedule<'_>,
    options: &RunnerOptions,
    interrupted: &AtomicBool,
    observer: &dyn RunnerObserver,
) -> std::io::Result<RunState> {
    let name = |number| format!("player-{}", number + 1);
    let pool = rayon::ThreadPoolBuilder::new()
        .num_threads(options.threads)
        .thread_name(name)
        .build();
    let pool = pool.map_err(std::io::Error::other)?;
    let shared = Shared {
        schedule: Mutex::new(schedule),
        stopped: AtomicBool::new(false),
    };
    std::thread::scope(|scope| {
        let monitor = std::thread::Builder::new().name("monitor".into());
        let monitor = monitor.spawn_scoped(scope, || shared.monitor(options, observer))?;
        let _stop = StopAtEnd(&shared.stopped, monitor.thread());
        shared.play(&pool, options, interrupted);
        std::io::Result::Ok(())
    })?;
    let (state, cells) = shared.snapshot();
    observer.save(&state, &cells);
    Ok(state)
}

/// Ends the monitor, also when the calling thread unwinds.
struct StopAtEnd<'a>(&'a AtomicBool, &'a Thread);

impl Drop for StopAtEnd<'_> {
    fn drop(&mut self) {
        self.0.store(true, Ordering::Relaxed);
        self.1.unpark();
    }
}

/// What the calling thread and the monitor share.
struct Shared<'p> {
    schedule: Mutex<Schedule<'p>>,
    /// Set when the monitor should end.
    stopped: AtomicBool,
}

impl<'p> Shared<'p> {
    /// A panic never leaves the schedule half changed: games run outside the lock.
    fn lock(&self) -> MutexGuard<'_, Schedule<'p>> {
        locked(&self.schedule)
    }

    /// Hands out batches and takes in their results until the run is over.
    fn play(&self, pool: &rayon::ThreadPool, options: &RunnerOptions, interrupted: &AtomicBool) {
        // Batches that have not begun when it is set are not played.
        let over = Arc::new(AtomicBool::new(false));
        let (sender, results) = mpsc::channel::<(Batch, Played)>();
        let mut playing = 0;
        let mut abandon_at = None;
        loop {
            {
                let mut schedule = self.lock();
                while playing <= options.threads && !schedule.is_over(interrupted) {
                    let Some(batch) = schedule.next_batch() else {
                        break;
                    };
                    let sender = sender.clone();
                    let over = Arc::clone(&over);
                    pool.spawn(move || {
                        if !over.load(Ordering::Relaxed) {
                            let played = Played::of(&batch);
                            // The receiver is gone when the batch was abandoned.
                            let _ = sender.send((batch, played));
                        }
                    });
                    playing += 1;
                }
                if schedule.is_done() {
                    // Batches that are still out were played ahead for cells that ended earlier.
                    break;
                }
            }
            if playing == 0 {
                break;
            }
            if interrupted.load(Ordering::Relaxed) {
                let now = Instant::now();
                if now >= *abandon_at.get_or_insert(now + GRACE) {
                    break;
                }
            }
            if let Ok((batch, played)) = results.recv_timeout(POLL) {
                playing -= 1;
                self.lock()
                    .complete(&batch, played.tally, played.time, played.work);
            }
        }
        over.store(true, Ordering::Relaxed);
    }

    /// The state to be saved, and how far each cell is in it.
    fn snapshot(&self) -> (RunState, Vec<CellProgress>) {
        let schedule = self.lock();
        (schedule.state(), schedule.progress())
    }

    /// Reports progress and saves until the run is over.
    fn monitor(&self, options: &RunnerOptions, observer: &dyn RunnerObserver) {
        let start = Instant::now();
        let mut saved = start;
        loop {
            if !self.stopped.load(Ordering::Relaxed) {
                std::thread::park_timeout(options.save_every.min(PROGRESS_EVERY));
            }
            // Progress is told of a run that ended before this thread began, too.
            let is_over = self.stopped.load(Ordering::Relaxed);
            let cells = self.lock().progress();
            observer.progress(&Progress {
                elapsed: start.elapsed(),
                cells: &cells,
            });
            if is_over {
                return;
            }
            if saved.elapsed() >= options.save_every {
                let (state, cells) = self.snapshot();
                observer.save(&state, &cells);
                saved = Instant::now();
            }
        }
    }
}
