//! Games of one job, played in portions for some time.

use super::clock::WorkClock;
use super::progress::Pace;
use crate::game::{Job, Tally};
use std::time::{Duration, Instant};

/// Plays the first games of a job until they have taken `time` or `wins_max` are won: one game, and
/// then larger portions up to a batch.
pub(crate) fn play(job: &dyn Job, wins_max: u64, time: Duration) -> (Tally, Pace) {
    let start = Instant::now();
    let mut tally = Tally::new(job.measures());
    let mut pace = Pace::default();
    let lanes = job.sampling().lanes();
    let mut next = 0;
    let mut portion = 1;
    while next == 0 || (start.elapsed() < time && tally.wins < wins_max) {
        // Whole trajectories.
        let games = u64::next_multiple_of(portion, lanes);
        let begun = Instant::now();
        let work = WorkClock::begin();
        job.play(next..next + games, &mut tally, None);
        pace.add(games, work.done());
        next += games;
        // A portion of twice the size has to end in time, too.
        if begun.elapsed() < time / 2 {
            portion = (portion * 2).min(job.batch_games().max(1));
        }
    }
    (tally, pace)
}
