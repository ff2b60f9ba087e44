//! Plays many games of one job and adds them up.

use super::{Game, Job, LoopJob, Measure, Player, Tally};
use crate::rng::CellSeeds;
use std::ops::Range;

/// Plays the games with these indices, on all threads with the feature `parallel`; the tally is the
/// same either way.
///
/// # Panics
/// Panics if the range cuts a trajectory ([`Job::sampling`]).
pub fn play_games(job: &dyn Job, games: Range<u64>) -> Tally {
    // Batches start at whole trajectories.
    let lanes = job.sampling().lanes();
    let batch = (job.batch_games() / lanes).max(1) * lanes;
    in_batches(games, batch, job.measures(), |games, tally| {
        job.play(games, tally, None);
    })
}

/// Adds up games that are played in batches of `size`; the last batch may have fewer.
fn in_batches(
    games: Range<u64>,
    size: u64,
    measures: &[Measure],
    play: impl Fn(Range<u64>, &mut Tally) + Send + Sync,
) -> Tally {
    let play = |mut tally: Tally, batch: u64| {
        let start = games.start + batch * size;
        play(start..start + size.min(games.end - start), &mut tally);
        tally
    };
    let batches = games.end.saturating_sub(games.start).div_ceil(size);
    fold(batches, || Tally::new(measures), play, Tally::merge)
}

/// Plays the games with these indices by the rules and a player, on all threads with the feature
/// `parallel`; the tally is the same either way. `player` makes a player for each batch.
///
/// The games use the streams of [`CellSeeds::of`] with this seed.
pub fn simulate<G: Game, P: Player<G>>(
    game: &G,
    player: impl Fn() -> P + Send + Sync,
    seed: u64,
    games: Range<u64>,
) -> Tally {
    let job = LoopJob::new(game.clone(), player, CellSeeds::of(seed));
    in_batches(games, job.batch_games, game.measures(), |games, tally| {
        job.play_loop(games, |_, outcome, _| tally.add(outcome));
    })
}

/// Plays `batches` batches into values that start as `none`, on all threads with the feature
/// `parallel`, and merges them.
///
/// The result is the same either way: `merge` has to be associative and commutative.
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
