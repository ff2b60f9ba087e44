//! Levels of Calculator that are stepped together with given presses.
//!
//! There is no randomness, so every game of a level is the same. A board has one row of four cells:
//! the display, the stored number (blank as long as nothing is stored), what `[+]n` buttons have
//! added to the others, and the moves left. The moves are the level's buttons in its order, then
//! the stored number where there is `Store`.

use super::game::{Calculator, Position};
use super::level::Press;
use crate::game::stepping::{End, Steppable, kind};
use crate::game::{Game, GameResult};

impl Steppable for Calculator {
    fn shape(&self) -> (usize, usize) {
        (1, 4)
    }

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

    fn read(&self, state: &Position, kinds: &mut [u8], numbers: &mut [f64]) {
        let stored = state.state.stored;
        kinds.copy_from_slice(&[
            kind::NUMBER,
            if stored.is_some() {
                kind::NUMBER
            } else {
                kind::BLANK
            },
            kind::NUMBER,
            kind::NUMBER,
        ]);
        numbers.copy_from_slice(&[
            f64::from(state.state.value),
            stored.map_or(0.0, f64::from),
            f64::from(state.state.added),
            f64::from(self.level.moves - state.spent),
        ]);
    }
}
