//! What a player does on many boards that are given as arrays, or that it meets in its games.

use super::boards::{Boards, direction, state_on};
use super::{Describe, NO_BOARDS, Outcome, Player, PositionError, Tiles, Turns};
use crate::rng::{CellSeeds, Stream};
use std::ops::Range;

/// A player's move on a board whose moves are the four directions, and its values of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// The number of the direction that it chooses; 0 if the game is over.
    pub chosen: u8,
    /// The player's values of up, down, left and right ([`Player::evaluate`]); NaN where there is
    /// none.
    pub values: [f64; 4],
}

impl Advice {
    /// The advice on a board whose game is over.
    const NONE: Self = Self {
        chosen: 0,
        values: [f64::NAN; 4],
    };
}

/// Receives the advice for each board, with its index.
pub type EachAdvice<'a> = &'a mut dyn FnMut(usize, Advice);

/// A board of a player's game, or its end.
#[derive(Clone, Copy, Debug)]
pub struct Recorded<'a> {
    /// The index of the game.
    pub game: u64,
    /// The board; the last one where the game is over.
    pub tiles: Tiles<'a>,
    /// The legal moves, bit m for direction m; 0 where the game is over.
    pub legal: u8,
    /// What the player does.
    pub advice: Advice,
    /// How the game ended; `None` while it is in progress.
    pub outcome: Option<Outcome>,
}

/// A player that is asked about many boards; what it remembers, it keeps from call to call.
pub trait Advisor: Send {
    /// Calls `each` with the player's move on each board of a range, and with its values if they
    /// are asked for. Board i is that of game i: it has that game's player stream.
    ///
    /// # Errors
    /// Returns an error if a board is invalid, or the player has no values.
    fn advise(
        &mut self,
        boards: Boards<'_>,
        range: Range<usize>,
        has_values: bool,
        each: EachAdvice<'_>,
    ) -> Result<(), PositionError>;

    /// Plays the games with these indices from their starts, and calls `each` with every board in
    /// which the player moves and with the end of every game, in order. Values are NaN where the
    /// player has none, or they are not asked for.
    ///
    /// # Errors
    /// Returns an error if the game has no boards.
    fn record(
        &mut self,
        games: Range<u64>,
        has_values: bool,
        each: &mut dyn FnMut(Recorded<'_>),
    ) -> Result<(), PositionError>;
}

/// The player of a [`LoopJob`](super::LoopJob).
pub(crate) struct PlayerAdvisor<G, P> {
    pub game: G,
    pub player: P,
    pub seeds: CellSeeds,
}

impl<G: Describe, P: Player<G>> PlayerAdvisor<G, P> {
    /// The player's move in a game that goes on, and the values of all directions where it has any.
    fn consult(
        &mut self,
        state: &G::State,
        legal: &[G::Move],
        has_values: bool,
        stream: &mut Stream,
    ) -> (G::Move, Option<[f64; 4]>) {
        let Self { game, player, .. } = self;
        if !has_values {
            return (player.choose(game, state, legal, stream), None);
        }
        let (chosen, found) = player.choose_and_evaluate(game, state, legal, stream);
        let values = found.map(|found| {
            let mut values = [f64::NAN; 4];
            for (&one, value) in legal.iter().zip(found) {
                values[direction(one) as usize] = value.unwrap_or(f64::NAN);
            }
            values
        });
        (chosen, values)
    }
}

impl<G: Describe, P: Player<G>> Advisor for PlayerAdvisor<G, P> {
    fn advise(
        &mut self,
        boards: Boards<'_>,
        range: Range<usize>,
        has_values: bool,
        each: EachAdvice<'_>,
    ) -> Result<(), PositionError> {
        let mut legal = Vec::new();
        for index in range {
            let tiles = boards.get(index);
            self.player.begin(&self.game);
            let wrong = |error| PositionError::from(format!("board {index}: {error}"));
            let state = state_on(&self.game, boards.shape, tiles).map_err(wrong)?;
            let mut advice = Advice::NONE;
            // The last board of an episode stands among those of games that go on.
            if self.game.outcome(&state).is_none() {
                legal.clear();
                self.game.legal(&state, &mut legal);
                let mut stream = self.seeds.player_stream(index as u64);
                let (chosen, values) = self.consult(&state, &legal, has_values, &mut stream);
                if has_values && values.is_none() {
                    let reason =
                        "the player does not evaluate moves; use one that does, such as greedy";
                    return Err(wrong(reason.into()));
                }
                advice = Advice {
                    chosen: direction(chosen) as u8,
                    values: values.unwrap_or(advice.values),
                };
            }
            each(index, advice);
        }
        Ok(())
    }

    fn record(
        &mut self,
        games: Range<u64>,
        has_values: bool,
        each: &mut dyn FnMut(Recorded<'_>),
    ) -> Result<(), PositionError> {
        if !G::HAS_BOARDS {
            return Err(NO_BOARDS.into());
        }
        let (rows, cols) = self.game.shape();
        let mut kinds = vec![0; rows * cols];
        let mut numbers = vec![0.0; rows * cols];
        let mut moves = Vec::new();
        for game in games {
            self.player.begin(&self.game);
            let mut stream = self.seeds.player_stream(game);
            let mut turns = Turns::new(&self.game, self.seeds.world_stream(game));
            loop {
                let mut outcome = turns.outcome();
                let mut legal = 0;
                let mut advice = Advice::NONE;
                let state = turns.state();
                self.game.read(state, &mut kinds, &mut numbers);
                let mut chosen = None;
                if let Some(outcome) = &mut outcome {
                    self.player.end(&self.game, outcome);
                } else {
                    turns.list_legal(&self.game, &mut moves);
                    legal = moves.iter().map(|&one| 1 << direction(one) as u8).sum();
                    let (best, values) = self.consult(state, &moves, has_values, &mut stream);
                    advice = Advice {
                        chosen: direction(best) as u8,
                        values: values.unwrap_or(advice.values),
                    };
                    chosen = Some(best);
                }
                each(Recorded {
                    game,
                    tiles: (&kinds, &numbers),
                    legal,
                    advice,
                    outcome,
                });
                let Some(chosen) = chosen else { break };
                turns.play(&self.game, chosen);
            }
        }
        Ok(())
    }
}
