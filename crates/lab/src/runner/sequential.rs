//! Plays a schedule on the calling thread, for builds without the feature `parallel`.

use super::clock::Stopwatch;
use super::schedule::Schedule;
use super::state::RunState;
use super::{Played, Progress, RunnerObserver, RunnerOptions};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// Plays a schedule until it is done or `interrupted` is set; returns the last state, which the
/// observer has been asked to save.
///
/// [`RunnerOptions::threads`] has no effect: games are played on the calling thread, batch by
/// batch, and the observer is called between batches.
///
/// # Errors
/// Never; the signature is that of the parallel runner.
pub fn run(
    mut schedule: Schedule<'_>,
    options: &RunnerOptions,
    interrupted: &AtomicBool,
    observer: &dyn RunnerObserver,
) -> std::io::Result<RunState> {
    let start = Stopwatch::start();
    let mut shown = Duration::ZERO;
    let mut saved = Duration::ZERO;
    while !schedule.is_over(interrupted) {
        let Some(batch) = schedule.next_batch() else {
            break;
        };
        let played = Played::of(&batch);
        schedule.complete(&batch, played.tally, played.time, played.work);
        let elapsed = start.elapsed();
        if elapsed - shown >= Duration::from_millis(100) {
            observer.progress(&Progress {
                elapsed,
                cells: &schedule.progress(),
            });
            shown = elapsed;
        }
        if elapsed - saved >= options.save_every {
            observer.save(&schedule.state(), &schedule.progress());
            saved = elapsed;
        }
    }
    let state = schedule.state();
    observer.save(&state, &schedule.progress());
    Ok(state)
}
