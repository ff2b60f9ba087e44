//! Levels of Calculator that are stepped together with given presses.
//!
//! There is no randomness, so every game of a level is the same. A board has one row of four cells:
//! the display, the stored number (blank as long as nothing is stored), what `[+]n` buttons have
//! added to the others, and the moves left. The moves are the level's buttons in its order, then
//! the stored number where there is `Store`.

use super::game::{Calculator, Position};
use super::level::Press;
use crate::game::stepping::{End, Steppable};
use crate::game::{Game, GameResult};

impl Steppable for Calculator {
    fn all_moves(&self) -> Vec<(Press, String)> {
        let start = self.level.start_state();
        let name = |press| match press {
            Press::Button(_) => self.level.label(&start, press),
            Press::Recall => "stored number".to_owned(),
        };
        self.level
            .presses()
            .map(|press| (press, name(press)))
            .collect()
    }

    fn end(&self, state: &Position) -> End {
        if self
            .outcome(state)
            .is_some_and(|outcome| outcome.result == GameResult::Won)
        {
            End::Won
        } else if state.spent >= self.level.moves {
            End::OutOfRounds
        } else {
            End::Blocked
        }
    }
}
