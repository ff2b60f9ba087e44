//! The games of two cells in pairs, played again.

use super::RowOf;
use crate::game::batches::fold;
use crate::game::{GameObserver, GameResult, Job, Outcome, Tally};
use crate::report::comparison::{GameFigures, PairSums};
use std::ops::Range;

/// The pairs of games that both cells have, at most the first `most`.
pub(super) fn played(
    [(a, row_a), (b, row_b)]: [RowOf<'_>; 2],
    measure: Option<&str>,
    most: Option<u64>,
) -> Result<PairSums, String> {
    let both = row_a.count("games").min(row_b.count("games"));
    let games = both.unwrap_or_default().min(most.unwrap_or(u64::MAX));
    let [a, b] = [a.job(&row_a)?, b.job(&row_b)?];
    Ok(play_pairs(a.as_ref(), b.as_ref(), measure, games))
}

/// Plays games 0 to `games` of two jobs in pairs, on all threads where the feature `parallel` is
/// on; the sums are the same either way. They are also of a measure where one is named; a game
/// without it counts as 0.
/// Pairs with a forfeited game are counted and left out.
pub fn play_pairs(a: &dyn Job, b: &dyn Job, measure: Option<&str>, games: u64) -> PairSums {
    // Kernels play many games at a time.
    let portion = a.batch_games().min(b.batch_games()).max(8);
    let play = |mut sums: PairSums, index: u64| {
        let start = index * portion;
        let range = start..games.min(start + portion);
        let [of_a, of_b] = [a, b].map(|job| figures(job, measure, range.clone()));
        for (a, b) in of_a.into_iter().zip(of_b) {
            sums.add_pair(a, b);
        }
        sums
    };
    fold(
        games.div_ceil(portion),
        PairSums::default,
        play,
        PairSums::add,
    )
}

/// Plays some games of a cell; `None` for those that a player forfeited.
fn figures(job: &dyn Job, measure: Option<&str>, games: Range<u64>) -> Vec<Option<GameFigures>> {
    let place = measure.and_then(|name| {
        job.measures()
            .iter()
            .position(|measure| measure.name == name)
    });
    let mut figures = vec![None; (games.end - games.start) as usize];
    let mut put = |game: u64, outcome: &Outcome, _: &str| {
        let figure = GameFigures {
            won: outcome.result == GameResult::Won,
            moves: outcome.moves,
            measure: place.map_or(0, |place| outcome.measures[place]),
        };
        figures[(game - games.start) as usize] = outcome.forfeits.is_empty().then_some(figure);
    };
    job.play(
        games.clone(),
        &mut Tally::new(job.measures()),
        Some(GameObserver::outcomes(&mut put)),
    );
    figures
}
