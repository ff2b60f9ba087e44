//! The corner player of 2048: keeps a largest tile in the corner and the board empty, looking one
//! swipe ahead.
//!
//! It takes the legal swipe that is best by these criteria, most important first:
//!
//! 1. a largest tile stands in the chosen corner;
//! 2. more cells are blank;
//! 3. the swipe goes towards the corner's row edge, then its column edge, then away along the row,
//!    then away along the column.
//!
//! It plays boards of every size and draws nothing.

use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::board::NumberBoard;
use crate::games::twenty_forty_eight::reference::State;
use crate::params::{ParamError, ParamSpec, Params};
use crate::rng::Stream;

/// Keeps a largest tile in a corner.
#[derive(Clone, Debug)]
pub struct Corner {
    /// All directions, the most liked first: towards the two edges of the corner, then away from
    /// them.
    liking: [Direction; 4],
    /// The board after the swipe that is looked at.
    after: NumberBoard,
}

impl Corner {
    /// The cell of the corner.
    fn cell(&self, board: &NumberBoard) -> usize {
        let row = if self.liking[0].towards_end() {
            board.rows() - 1
        } else {
            0
        };
        let col = if self.liking[1].towards_end() {
            board.cols() - 1
        } else {
            0
        };
        row * board.cols() + col
    }
}

impl Player<TwentyFortyEight> for Corner {
    fn choose(
        &mut self,
        _: &TwentyFortyEight,
        state: &State,
        legal: &[Direction],
        _: &mut Stream,
    ) -> Direction {
        // Among equal values, the direction that the player likes more counts.
        let directions = self.liking.into_iter().rev();
        let best = directions
            .filter(|direction| legal.contains(direction))
            .max_by_key(|&direction| {
                self.after.clone_from(&state.board);
                self.after.slide(direction);
                let cornered = self.after.tiles()[self.cell(&self.after)] == self.after.largest();
                (cornered, self.after.blanks().count())
            });
        best.expect("a swipe is legal")
    }
}

impl NamedPlayer<TwentyFortyEight> for Corner {
    const NAME: &'static str = "corner";
    const SUMMARY: &'static str =
        "looks one swipe ahead: keeps a largest tile in a corner and the board empty";
    const PARAMS: &'static [ParamSpec] = &[ParamSpec::choice(
        "corner",
        &["top-left", "top-right", "bottom-left", "bottom-right"],
        "bottom-left",
    )
    .help("the corner for the largest tile")];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        use Direction::{Down, Left, Right, Up};
        let liking = match params.text("corner").expect("a parameter with a default") {
            "top-left" => [Up, Left, Right, Down],
            "top-right" => [Up, Right, Left, Down],
            "bottom-left" => [Down, Left, Right, Up],
            "bottom-right" => [Down, Right, Left, Up],
            corner => unreachable!("{corner} is not in the list of corners"),
        };
        Ok(Self {
            liking,
            after: NumberBoard::blank(1, 1),
        })
    }
}
