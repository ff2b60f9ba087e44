//! Games of 2048 that are stepped together with given swipes: the reference.

use super::TwentyFortyEight;
use super::reference::State;
use crate::game::stepping::{End, Steppable, kind};
use crate::games::direction::Direction;

impl Steppable for TwentyFortyEight {
    fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    fn all_moves(&self) -> Vec<(Direction, String)> {
        Direction::ALL.map(|direction| (direction, direction.name().to_owned())).into()
    }

    fn end(&self, state: &State) -> End {
        // The game goes on past the goal, so that reaching it ends nothing.
        let is_spent = self.max_moves.is_some_and(|moves| state.moves >= moves);
        if is_spent { End::OutOfRounds } else { End::Blocked }
    }

    fn read(&self, state: &State, kinds: &mut [u8], numbers: &mut [f64]) {
        for (cell, &tile) in state.board.tiles().iter().enumerate() {
            kinds[cell] = if tile == 0 { kind::BLANK } else { kind::NUMBER };
            numbers[cell] = tile as f64;
        }
    }
}
