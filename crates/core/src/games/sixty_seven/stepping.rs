//! Games of 67! stepped together with given moves: the reference, and the choice of the table.

use super::reference::State;
use super::{Direction, SixtySeven};
use crate::game::GameResult;
use crate::game::stepping::{End, Steppable};

impl Steppable for SixtySeven {
    fn all_moves(&self) -> Vec<(Direction, String)> {
        Direction::ALL
            .map(|direction| (direction, direction.name().to_owned()))
            .into()
    }

    fn end(&self, state: &State) -> End {
        let (result, moves) = state.ended.expect("the game is over");
        if result == GameResult::Won {
            End::Won
        } else if self
            .value_limit
            .is_some_and(|limit| state.board.exceeds(limit))
        {
            End::Exceeded
        } else if moves < state.round {
            End::Blocked
        } else {
            End::OutOfRounds
        }
    }
}
