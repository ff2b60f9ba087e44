//! Plays many games of one job and adds them up.

use super::{Game, Job, KernelChoice, LoopJob, Player, Tally};
use crate::rng::CellSeeds;
use std::ops::Range;

/// Plays the games with these indices, on all threads with the feature `parallel`; the tally is the
/// same either way.
///
/// # Panics
/// Panics if the range cuts a trajectory ([`Job::sampling`]).
#[must_use]
pub fn play_games(job: &dyn Job, games: Range<u64>) -> Tally {
    // Batches start at whole trajectories.
    let lanes = job.sampling().lanes();
    let batch = (job.batch_games() / lanes).max(1) * lanes;
    let play = |mut tally: Tally, index: u64| {
        let start = games.start + index * batch;
        job.play(start..games.end.min(start + batch), &mut tally);
        tally
    };
    let batches = games.end.saturating_sub(games.start).div_ceil(batch);
    fold(batches, || Tally::new(job.measures()), play, Tally::merge)
}

/// Plays the games with these indices by the rules and a player, on all threads with the feature
/// `parallel`; the tally is the same either way. `player` makes a player for each batch.
///
/// The games use the streams of [`CellSeeds::of`] with this seed.
#[must_use]
pub fn simulate<G: Game, P: Player<G>>(
    game: &G,
    player: impl Fn() -> P + Send + Sync,
    seed: u64,
    games: Range<u64>,
) -> Tally {
    let job = LoopJob::new(game.clone(), player, CellSeeds::of(seed));
    let play = |mut tally: Tally, batch: u64| {
        let start = games.start + batch * job.batch_games;
        let batch = start..games.end.min(start + job.batch_games);
        job.play_all(batch, |_, outcome, _| tally.add(outcome));
        tally
    };
    let batches = games.end.saturating_sub(games.start);
    let batches = batches.div_ceil(job.batch_games);
    fold(batches, || Tally::new(game.measures()), play, Tally::merge)
}

/// Plays this many batches into values that start as `none`, on all threads with the feature
/// `parallel`, and merges them.
///
/// The result is the same either way: `merge` has to be associative and commutative.
#[doc(hidden)]
pub fn fold<T: Send>(
    batches: u64,
    none: impl Fn() -> T + Send + Sync,
    play: impl Fn(T, u64) -> T + Send + Sync,
    merge: impl Fn(&mut T, &T) + Send + Sync,
) -> T {
    #[cfg(feature = "parallel")]
    {
        use rayon::iter::{IntoParallelIterator, ParallelIterator};
        let merged = |mut sum: T, part: T| {
            merge(&mut sum, &part);
            sum
        };
        (0..batches)
            .into_par_iter()
            .fold(&none, play)
            .reduce(&none, merged)
    }
    #[cfg(not(feature = "parallel"))]
    {
        let _ = merge;
        (0..batches).fold(none(), play)
    }
}

impl<G, F> LoopJob<G, F> {
    /// The job of a game and a function that makes its player, with these seeds, in batches of 64
    /// games.
    #[must_use]
    pub fn new<P>(game: G, player: F, seeds: CellSeeds) -> Self
    where
        G: Game,
        P: Player<G>,
        F: Fn() -> P + Send + Sync,
    {
        Self {
            game,
            player,
            seeds,
            batch_games: 64,
            kernel: KernelChoice::Reference.name(),
            fallback: None,
        }
    }
}
