//! What a player does on many boards that are given as arrays.

use super::boards::{Boards, direction, state_on};
use super::{Describe, Player, PositionError};
use crate::rng::CellSeeds;
use std::ops::Range;

/// A player's move on a board whose moves are the four directions, and its values of all.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Advice {
    /// The number of the direction that it chooses; 0 if the game is over.
    pub chosen: u8,
    /// Its values of up, down, left and right ([`Player::evaluate`]); NaN where there is none.
    pub values: [f64; 4],
}

/// Receives the advice for each board, with its index.
pub type EachAdvice<'a> = &'a mut dyn FnMut(usize, Advice);

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
}

/// The player of a [`LoopJob`](super::LoopJob).
pub(super) struct PlayerAdvisor<G, P> {
    pub game: G,
    pub player: P,
    pub seeds: CellSeeds,
}

impl<G: Describe, P: Player<G>> Advisor for PlayerAdvisor<G, P> {
    fn advise(
        &mut self,
        boards: Boards<'_>,
        range: Range<usize>,
        has_values: bool,
        each: EachAdvice<'_>,
    ) -> Result<(), PositionError> {
        let Self {
            game,
            player,
            seeds,
        } = self;
        let mut legal = Vec::new();
        for index in range {
            let tiles = boards.get(index);
            player.begin(game);
            let wrong = |error| PositionError::from(format!("board {index}: {error}"));
            let state = state_on(game, boards.shape, tiles).map_err(wrong)?;
            let mut values = [f64::NAN; 4];
            if game.outcome(&state).is_some() {
                // The last board of an episode stands among those of games that go on.
                each(index, Advice { chosen: 0, values });
                continue;
            }
            legal.clear();
            game.legal(&state, &mut legal);
            let mut stream = seeds.player_stream(index as u64);
            if has_values {
                let found = player.evaluate(game, &state, &legal, &stream);
                let reason =
                    "the player does not evaluate moves; accepted: those that do, such as greedy";
                let found = found.ok_or_else(|| wrong(reason.into()))?;
                for (&one, value) in legal.iter().zip(found) {
                    values[direction(game, &state, one) as usize] = value.unwrap_or(f64::NAN);
                }
            }
            let chosen = player.choose(game, &state, &legal, &mut stream);
            let chosen = direction(game, &state, chosen) as u8;
            each(index, Advice { chosen, values });
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::KernelChoice;
    use crate::game::stepping::{End, kind};
    use crate::{GameEntry, Params, PlayerSpec, Setup};

    fn with_setup<T>(settings: [&str; 3], work: impl Fn(&GameEntry, &Setup<'_>) -> T) -> T {
        let game = crate::game("sixty-seven").unwrap();
        let mut params = Params::from_settings(game.params, settings).unwrap();
        (game.complete)(&mut params).unwrap();
        let setup = Setup {
            params: &params,
            players: &[PlayerSpec::new(&game.players[0])],
            seeds: CellSeeds::of(1),
            kernel: KernelChoice::Reference,
        };
        work(game, &setup)
    }

    /// A number beyond the limit has lost the game, whoever looks at the board.
    #[test]
    fn boards_beyond_the_limit_are_over() {
        for (number, chosen, ended) in [
            (67.0, 0, Some(End::Won)),
            (-1000.0, 1, None),
            (1001.0, 0, Some(End::Exceeded)),
            (-1001.0, 0, Some(End::Exceeded)),
        ] {
            let settings = ["rows=2", "cols=1", "value_limit=1000"];
            let numbers = [number, 0.0];
            let boards = Boards {
                shape: (2, 1),
                kinds: &[kind::NUMBER, kind::BLANK],
                numbers: &numbers,
            };
            with_setup(settings, |game, setup| {
                let mut found = Vec::new();
                let mut advisor = game.build(setup).unwrap().advisor().unwrap();
                let mut keep = |_, advice: Advice| found.push(advice.chosen);
                advisor.advise(boards, 0..1, false, &mut keep).unwrap();
                assert_eq!(found, [chosen], "{number}");
                if ended != Some(End::Won) {
                    let mut table = game.table(setup, 1).unwrap();
                    let rows = [vec![number.to_string()], vec!["_".to_owned()]];
                    let (_, end) = table.pose(0, 0, &rows).unwrap();
                    assert_eq!(end, ended, "{number}");
                }
            });
        }
    }
}
