//! Plays the blocks of a match.

use super::{
    DIFFERENCE_AT, HALF_POINTS_AT, MOVES, Match, block_measures, half_points_max, opponents,
};
use std::ops::Range;
use tilelab_games::catalog::{GameEntry, NODES_AT};
use tilelab_games::game::session::{BoardRows, Session};
use tilelab_games::game::{
    Forfeit, Forfeits, GameObserver, GameResult, Job, Measure, Outcome, PositionError, Tally,
};
use tilelab_games::json::Json;
use tilelab_games::tally::{Block, meetings};
use tilelab_games::text::join;

/// The job of a match: a game of each of its jobs makes a block.
pub struct MatchJob {
    /// Games for one: each player's games. Games for two: of every two players first the games in
    /// which the first has seat 0, then those in which it has seat 1.
    games: Vec<Box<dyn Job>>,
    players: usize,
    by_measure: bool,
    /// Where the measure of each seat stands; `None` for the number of moves.
    measure_at: Option<[usize; 2]>,
    has_two_seats: bool,
    half_points_max: i64,
    measures: &'static [Measure],
}

/// How two players met in a block.
struct Meeting {
    /// Half points of the first.
    half_points: i64,
    /// The measure of both.
    values: [i64; 2],
    /// The forfeits of both.
    forfeits: Forfeits,
}

impl MatchJob {
    /// The blocks of `players` players of a game, from the jobs of their games.
    ///
    /// # Panics
    /// When the measure of the match is not one of [`super::measures_of`].
    pub fn new(game: &GameEntry, decided: Match, players: usize, games: Vec<Box<dyn Job>>) -> Self {
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
            players,
            by_measure: decided.by_measure,
            measure_at,
            has_two_seats: game.seats == 2,
            half_points_max: half_points_max(game),
            measures: block_measures(game, players),
        }
    }

    /// The games in which two players met.
    fn games_of<'a>(
        &self,
        [first, second]: [usize; 2],
        meeting: usize,
        outcomes: &[&'a Outcome],
    ) -> [&'a Outcome; 2] {
        if self.has_two_seats {
            [outcomes[2 * meeting], outcomes[2 * meeting + 1]]
        } else {
            [outcomes[first], outcomes[second]]
        }
    }

    /// How two players met in these games. Who forfeits a game loses it, and the meeting where that
    /// has no more games or a measure decides.
    fn met(&self, [first, second]: [&Outcome; 2]) -> Meeting {
        let values = if self.has_two_seats {
            let at = self.measure_at;
            let [at, opponents_at] = at.expect("two players are not told by moves");
            let [own, other] = [first, second].map(|outcome| &outcome.measures);
            [own[at] + other[opponents_at], own[opponents_at] + other[at]]
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
        let half_points = if forfeits.is_void() {
            0
        } else if decides && !forfeits.is_empty() {
            self.half_points_max * i64::from(forfeits.has(1))
        } else if self.by_measure {
            half + half * values[0].cmp(&values[1]) as i64
        } else if self.has_two_seats {
            half_points_of(first.result) + 2 - half_points_of(second.result)
        } else {
            1 + (half_points_of(first.result).cmp(&half_points_of(second.result)) as i64)
        };
        Meeting {
            half_points,
            values,
            forfeits,
        }
    }

    /// The outcome of a block as seen from the first player, of these outcomes of its games; added
    /// to a tally where there is one.
    fn joined(&self, outcomes: &[&Outcome], tally: Option<&mut Tally>) -> Outcome {
        let met: Vec<Meeting> = meetings(self.players)
            .enumerate()
            .map(|(at, players)| self.met(self.games_of(players, at, outcomes)))
            .collect();
        // What both players of a meeting take.
        let both = |met: &Meeting| self.half_points_max * i64::from(!met.forfeits.is_void());
        let of_first = &met[..self.players - 1];
        let half_points: i64 = of_first.iter().map(|met| met.half_points).sum();
        let result = GameResult::from((2 * half_points).cmp(&of_first.iter().map(both).sum()));
        let moves = outcomes.iter().map(|outcome| outcome.moves);
        let mut outcome = Outcome::new(result, moves.fold(0, u64::saturating_add));
        outcome.measures[HALF_POINTS_AT] = half_points;
        if self.players > 2 {
            let (values, forfeits) = self.of_players(&met);
            outcome.measures[1] = values[0];
            outcome.forfeits = one_of(&forfeits);
            if let Some(tally) = tally {
                let meetings = met.iter().map(|met| [met.half_points, both(met)]);
                let differences = met
                    .iter()
                    .map(|met| met.values[0].saturating_sub(met.values[1]));
                tally.add_block(
                    &outcome,
                    &Block {
                        meetings: &meetings.collect::<Vec<_>>(),
                        differences: &differences.collect::<Vec<_>>(),
                        values: &values,
                        forfeits: &forfeits,
                    },
                );
            }
            return outcome;
        }
        outcome.forfeits = met[0].forfeits;
        let [first, second] = met[0].values;
        outcome.measures[1..=DIFFERENCE_AT].copy_from_slice(&[
            first,
            second,
            first.saturating_sub(second),
        ]);
        if self.has_two_seats {
            for (seat, at) in super::NODES_AT.into_iter().enumerate() {
                outcome.measures[at] =
                    outcomes[0].measures[NODES_AT[seat]] + outcomes[1].measures[NODES_AT[1 - seat]];
            }
        }
        if let Some(tally) = tally {
            tally.add(&outcome);
        }
        outcome
    }

    /// The measure of each player in all its games of a block, and its forfeits by cause.
    fn of_players(&self, met: &[Meeting]) -> (Vec<i64>, Vec<[u64; 4]>) {
        let mut values = vec![0_i64; self.players];
        let mut forfeits = vec![[0; 4]; self.players];
        for (players, met) in meetings(self.players).zip(met) {
            for (seat, player) in players.into_iter().enumerate() {
                if !self.has_two_seats {
                    // The player played the start once, whomever it met with it.
                    values[player] = 0;
                    forfeits[player] = [0; 4];
                }
                values[player] = values[player].saturating_add(met.values[seat]);
                for (sum, count) in forfeits[player].iter_mut().zip(met.forfeits.by_cause(seat)) {
                    *sum += u64::from(count);
                }
            }
        }
        (values, forfeits)
    }
}

/// One forfeit that stands for all of a block, of which tallies have the others; the first player's
/// where it has one.
fn one_of(forfeits: &[[u64; 4]]) -> Forfeits {
    let causes = forfeits.as_flattened().iter();
    let found = causes.enumerate().find(|(_, count)| **count > 0);
    found.map_or(Forfeits::NONE, |(at, _)| {
        Forfeits::of((at / 4).min(1), Forfeit::ALL[at % 4])
    })
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

impl Job for MatchJob {
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
        let of_each = self.games.iter().map(|job| job.batch_games());
        // All outcomes of a batch are kept: no more than those of twice the games of one job.
        (2 * of_each.min().unwrap_or(1) / self.games.len() as u64).max(1)
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let positions = observer.as_ref().is_some_and(|observer| observer.positions);
        let jobs = self.games.iter();
        let ends: Vec<_> = jobs
            .map(|job| ends(job.as_ref(), games.clone(), positions))
            .collect();
        for (at, index) in games.enumerate() {
            let outcomes: Vec<&Outcome> = ends.iter().map(|ends| &ends[at].0).collect();
            let outcome = self.joined(&outcomes, Some(tally));
            if let Some(observer) = &mut observer {
                let texts = || ends.iter().map(|ends| ends[at].1.as_str());
                let all = positions.then(|| format!("[{}]", join(texts(), ",")));
                (observer.each)(index, &outcome, &all.unwrap_or_default());
            }
        }
    }

    /// All games one after the other; each line has the number of its game in the block, from 1, as
    /// `game_of_pair`.
    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let jobs = self.games.iter().zip(1_u64..);
        let outcomes: Vec<Outcome> = jobs
            .map(|(job, number)| {
                job.replay(game, &mut |mut turn| {
                    turn["game_of_pair"] = number.into();
                    line(turn);
                })
            })
            .collect();
        self.joined(&outcomes.iter().collect::<Vec<_>>(), None)
    }

    fn open(
        &self,
        _game: u64,
        _board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        Err("a match has several games at a time; watch a cell of one of its players".into())
    }
}
