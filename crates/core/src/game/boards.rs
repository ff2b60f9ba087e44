//! Boards to begin on, as rows of tile texts or as arrays. Either is read as a position
//! ([`Positions::parse`](super::Positions::parse)).

use super::{Describe, GameResult, NO_BOARDS, PositionError, Tiles};
use crate::games::direction::Direction;
use crate::json::{Json, json};
use std::any::Any;

/// A start board as typed: rows of tile texts.
pub type BoardRows = [Vec<String>];

/// Kinds of tiles in the arrays of boards.
pub mod kind {
    /// No tile.
    pub const BLANK: u8 = 0;
    /// A number.
    pub const NUMBER: u8 = 1;
    /// The operator `+`.
    pub const PLUS: u8 = 2;
    /// The operator `-`.
    pub const MINUS: u8 = 3;
    /// The operator `*`.
    pub const TIMES: u8 = 4;
}

/// Boards after a deal, one after the other, each in reading order; see
/// [`Table::read`](super::stepping::Table::read). Numbers are exact up to 2⁵³.
#[derive(Clone, Copy, Debug)]
pub struct Boards<'a> {
    /// Rows and columns of a board.
    pub shape: (usize, usize),
    /// The [`kind`] of each cell.
    pub kinds: &'a [u8],
    /// The numbers, 0 where there are none.
    pub numbers: &'a [f64],
}

impl<'a> Boards<'a> {
    /// The board with this index.
    pub fn get(&self, index: usize) -> Tiles<'a> {
        let cells = self.shape.0 * self.shape.1;
        let range = index * cells..(index + 1) * cells;
        (&self.kinds[range.clone()], &self.numbers[range])
    }
}

/// The state of a game that begins on this board, as after a deal: nothing is dealt before the
/// first move.
///
/// # Errors
/// Says in one line why the board is invalid, that it is won already, or that the game has no
/// boards.
pub fn start_on<G: Describe>(game: &G, rows: &BoardRows) -> Result<G::State, PositionError> {
    if !G::HAS_BOARDS {
        return Err(NO_BOARDS.into());
    }
    let state = game.parse(&json!({ "board": Json::from(rows) }))?;
    match game.outcome(&state) {
        Some(outcome) if outcome.result == GameResult::Won => Err(format!(
            "board: {} already; start on a board that is not won yet",
            game.why_over(&state)
        )
        .into()),
        _ => Ok(state),
    }
}

/// The state of a game on this board, given as arrays, as [`start_on`] makes it. The game may be
/// over. Numbers beyond the range of `f64`, which arrays show as infinite, are its largest.
///
/// # Errors
/// Says in one line why the board is invalid, or that the game has no boards.
pub fn state_on<G: Describe>(
    game: &G,
    shape: (usize, usize),
    tiles: Tiles<'_>,
) -> Result<G::State, PositionError> {
    check(shape, tiles)?;
    game.on_board(tiles)
}

/// Checks that the kinds of a board's tiles are known and its numbers whole or infinite.
///
/// # Errors
/// Names the first cell with another tile.
pub fn check((_, cols): (usize, usize), (kinds, numbers): Tiles<'_>) -> Result<(), PositionError> {
    for (cell, (&kind, &number)) in kinds.iter().zip(numbers).enumerate() {
        let what = match kind {
            kind::NUMBER if number.is_nan() || number.fract().abs() > 0.0 => {
                format!("{number} is not a whole number")
            }
            kind::BLANK..=kind::TIMES => continue,
            _ => format!(
                "{kind} is not a kind; accepted: 0 (blank), 1 (number), 2 (+), 3 (-), 4 (*)"
            ),
        };
        let row = cell / cols + 1;
        let col = cell % cols + 1;
        return Err(format!("board: row {row}, column {col}: {what}").into());
    }
    Ok(())
}

/// The direction that a move is, in a game with boards.
pub(super) fn direction<M: Any>(chosen: M) -> Direction {
    let chosen: &dyn Any = &chosen;
    *chosen
        .downcast_ref()
        .expect("the moves of games with boards are directions")
}
