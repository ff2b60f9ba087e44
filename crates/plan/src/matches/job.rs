//! Plays the pairs of a match.

use super::{MOVES, Match, half_points_max, opponents, pair_measures};
use std::cmp::Ordering;
use std::ops::Range;
use tilelab_core::catalog::{GameEntry, NODES_AT};
use tilelab_core::game::session::{Rows, Session};
use tilelab_core::game::{GameObserver, GameResult, Job, Measure, Outcome, PositionError, Tally};
use tilelab_core::json::Json;

/// The job of a match: a game of each of two jobs makes a pair.
pub struct PairJob {
    /// Games for one: each player's games. Games for two: first the games in which the first player
    /// has seat 0, then those in which it has seat 1.
    games: [Box<dyn Job>; 2],
    by_measure: bool,
    /// Where the measure of each seat stands; `None` for the number of moves.
    measure_at: Option<[usize; 2]>,
    has_two_seats: bool,
    half_points_max: i64,
    measures: &'static [Measure],
}

impl PairJob {
    /// The pairs of two jobs of a game.
    ///
    /// # Panics
    /// When the measure of the match is not one of [`super::measures_of`].
    #[must_use]
    pub fn new(game: &GameEntry, decided: Match, games: [Box<dyn Job>; 2]) -> Self {
        let measure_at = (decided.measure != MOVES).then(|| {
            let at = game
                .measures
                .iter()
                .position(|measure| measure.name == decided.measure)
                .expect("a measure of the game");
            [at, opponents(game, decided.measure).unwrap_or(at)]
        });
        Self {
            games,
            by_measure: decided.by_measure,
            measure_at,
            has_two_seats: game.seats == 2,
            half_points_max: half_points_max(game),
            measures: pair_measures(game),
        }
    }

    /// The outcome of a pair. Who forfeits a game loses it, and the pair where that has no more
    /// games or a measure decides.
    fn joined(&self, [first, second]: [&Outcome; 2]) -> Outcome {
        let values = if self.has_two_seats {
            let value = |at| {
                let [own, opponents] = [&first.measures, &second.measures];
                let at: [usize; 2] = at;
                [own[at[0]] + opponents[at[1]], own[at[1]] + opponents[at[0]]]
            };
            value(self.measure_at.expect("two players are not told by moves"))
        } else {
            [first, second].map(|outcome| match self.measure_at {
                Some([at, _]) => outcome.measures[at],
                None => i64::try_from(outcome.moves).unwrap_or(i64::MAX),
            })
        };
        let half = self.half_points_max / 2;
        // The second game is seat 0's of the second player.
        let forfeits = first.forfeits.plus(second.forfeits.exchanged());
        let decides = self.by_measure || !self.has_two_seats;
        let half_points = if decides && forfeits.has(0) != forfeits.has(1) {
            self.half_points_max * i64::from(forfeits.has(1))
        } else if self.by_measure {
            half + half * values[0].cmp(&values[1]) as i64
        } else if self.has_two_seats {
            half_points_of(first.result) + 2 - half_points_of(second.result)
        } else {
            1 + (half_points_of(first.result).cmp(&half_points_of(second.result)) as i64)
        };
        let result = match half_points.cmp(&half) {
            Ordering::Greater => GameResult::Won,
            Ordering::Equal => GameResult::Drawn,
            Ordering::Less => GameResult::Lost,
        };
        let mut outcome = Outcome::new(result, first.moves.saturating_add(second.moves));
        outcome.forfeits = forfeits;
        outcome.measures[..4].copy_from_slice(&[
            half_points,
            values[0],
            values[1],
            values[0].saturating_sub(values[1]),
        ]);
        if self.has_two_seats {
            for (seat, at) in super::NODES_AT.into_iter().enumerate() {
                outcome.measures[at] =
                    first.measures[NODES_AT[seat]] + second.measures[NODES_AT[1 - seat]];
            }
        }
        outcome
    }

    /// Plays both games of each pair and calls `each` with its index, its outcome and the last
    /// positions, which are empty unless asked for.
    fn pairs(
        &self,
        games: Range<u64>,
        positions: bool,
        mut each: impl FnMut(u64, &Outcome, [&str; 2]),
    ) {
        let [first, second] = &self.games;
        let ends = [first, second].map(|job| ends(job.as_ref(), games.clone(), positions));
        let [first, second] = &ends;
        for ((index, first), second) in games.zip(first).zip(second) {
            let outcome = self.joined([&first.0, &second.0]);
            each(index, &outcome, [&first.1, &second.1]);
        }
    }
}

/// How often half a point goes to who has this result.
const fn half_points_of(result: GameResult) -> i64 {
    match result {
        GameResult::Won => 2,
        GameResult::Drawn => 1,
        GameResult::Lost => 0,
    }
}

/// The outcomes and, where they are wanted, the last positions of these games, in order.
fn ends(job: &dyn Job, games: Range<u64>, positions: bool) -> Vec<(Outcome, String)> {
    let start = games.start;
    let count = usize::try_from(games.end - start).expect("a batch fits into memory");
    let mut ends = vec![(Outcome::new(GameResult::Lost, 0), String::new()); count];
    let mut tally = Tally::new(job.measures());
    let observer = GameObserver {
        positions,
        each: &mut |game, outcome, position| {
            ends[(game - start) as usize] = (*outcome, position.to_owned());
        },
    };
    job.play(games, &mut tally, Some(observer));
    ends
}

impl Job for PairJob {
    fn measures(&self) -> &'static [Measure] {
        self.measures
    }

    fn kernel(&self) -> &'static str {
        self.games[0].kernel()
    }

    fn fallback(&self) -> Option<&str> {
        self.games.iter().find_map(|job| job.fallback())
    }

    fn batch_games(&self) -> u64 {
        let [first, second] = self.games.each_ref().map(|job| job.batch_games());
        first.min(second)
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let positions = observer.as_ref().is_some_and(|observer| observer.positions);
        self.pairs(games, positions, |index, outcome, [first, second]| {
            tally.add(outcome);
            if let Some(observer) = &mut observer {
                let both = positions.then(|| format!("[{first},{second}]"));
                (observer.each)(index, outcome, &both.unwrap_or_default());
            }
        });
    }

    /// Both games one after the other; each line has the number of its game in the pair, 1 or 2, as
    /// `game_of_pair`.
    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let mut number = 0_u64;
        let outcomes = self.games.each_ref().map(|job| {
            number += 1;
            job.replay(game, &mut |mut turn| {
                turn["game_of_pair"] = number.into();
                line(turn);
            })
        });
        self.joined(outcomes.each_ref())
    }

    fn open(&self, _game: u64, _board: Option<&Rows>) -> Result<Box<dyn Session>, PositionError> {
        Err("a match has two games at a time; watch a cell of one of its players".into())
    }
}
