//! Plays many games of one job and adds them up.

use super::{Describe, Job, KernelChoice, LoopJob, Player, Tally};
use crate::rng::CellSeeds;
use std::ops::Range;

/// Plays the games with these indices, on all threads where the feature `parallel` is on; the tally
/// is the same either way.
///
/// # Panics
/// When the range cuts a trajectory ([`Job::lanes`]).
#[must_use]
pub fn play_games(job: &dyn Job, games: Range<u64>) -> Tally {
    // Batches start at whole trajectories.
    let lanes = job.lanes();
    let batch = (job.batch_games() / lanes).max(1) * lanes;
    let play = |mut tally: Tally, index: u64| {
        let start = games.start + index * batch;
        job.play(start..games.end.min(start + batch), &mut tally);
        tally
    };
    let batches = 0..games.end.saturating_sub(games.start).div_ceil(batch);
    let none = || Tally::new(job.measures());
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let merge = |mut sum: Tally, part: Tally| {
            sum.merge(&part);
            sum
        };
        batches.into_par_iter().fold(none, play).reduce(none, merge)
    }
    #[cfg(not(feature = "parallel"))]
    batches.fold(none(), play)
}

impl<G, F> LoopJob<G, F> {
    /// The job of a game and a function that makes its player, on these streams, in batches of 64
    /// games.
    #[must_use]
    pub fn new<P>(game: G, player: F, seeds: CellSeeds) -> Self
    where
        G: Describe,
        P: Player<G>,
        F: Fn() -> P + Send + Sync,
    {
        Self { game, player, seeds, batch_games: 64, kernel: KernelChoice::Reference.name() }
    }
}
