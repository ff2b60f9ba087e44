//! Boards to begin on, as rows of tile texts or as arrays. Either is read as a position
//! ([`Describe::parse`]).

use super::session::Rows;
use super::stepping::kind;
use super::{Describe, GameResult, PositionError};
use crate::games::direction::Direction;
use crate::json::{Json, json};

/// Boards after a deal, one after the other, each in reading order; see
/// [`Table::read`](super::stepping::Table::read). Numbers are exact up to 2⁵³.
#[derive(Clone, Copy, Debug)]
pub struct Boards<'a> {
    /// Rows and columns of a board.
    pub shape: (usize, usize),
    /// The [`kind`](super::stepping::kind) of each cell.
    pub kinds: &'a [u8],
    /// The numbers, 0 where there are none.
    pub numbers: &'a [f64],
}

/// One of [`Boards`]: kinds and numbers.
pub type Tiles<'a> = (&'a [u8], &'a [f64]);

impl<'a> Boards<'a> {
    /// The board with this index.
    #[must_use]
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
pub fn start_on<G: Describe>(game: &G, rows: &Rows) -> Result<G::State, PositionError> {
    let state = state_of(game, rows.into())?;
    match game.outcome(&state) {
        Some(outcome) if outcome.result == GameResult::Won => Err(format!(
            "board: {} already; start on a board that is not won yet",
            game.why_over(&state)
        )
        .into()),
        _ => Ok(state),
    }
}

/// Like [`start_on`], on a board of this shape as arrays. The game may be over.
///
/// # Errors
/// Says in one line why the board is invalid, or that the game has no boards.
pub fn state_on<G: Describe>(
    game: &G,
    (_, cols): (usize, usize),
    (kinds, numbers): Tiles<'_>,
) -> Result<G::State, PositionError> {
    let text = |(cell, (&kind, &number)): (usize, (&u8, &f64))| {
        let wrong = |what: String| {
            let row = cell / cols + 1;
            let col = cell % cols + 1;
            PositionError::from(format!("board: row {row}, column {col}: {what}"))
        };
        match kind {
            kind::BLANK => Ok("_".to_owned()),
            kind::PLUS => Ok("+".to_owned()),
            kind::MINUS => Ok("-".to_owned()),
            kind::TIMES => Ok("*".to_owned()),
            kind::NUMBER if number.is_finite() && number.fract() == 0.0 => {
                // The sum makes a negative 0 positive.
                Ok(format!("{:.0}", number + 0.0))
            }
            kind::NUMBER => Err(wrong(format!("{number} is not a whole number"))),
            _ => Err(wrong(format!(
                "{kind} is not a kind; accepted: 0 (blank), 1 (number), 2 (+), 3 (-), 4 (*)"
            ))),
        }
    };
    let tiles = kinds.iter().zip(numbers).enumerate().map(text);
    let tiles: Vec<String> = tiles.collect::<Result<_, _>>()?;
    state_of(game, tiles.chunks(cols).map(Json::from).collect())
}

fn state_of<G: Describe>(game: &G, rows: Json) -> Result<G::State, PositionError> {
    if !G::HAS_BOARDS {
        return Err("this game cannot start on a given board".into());
    }
    game.parse(&json!({ "board": rows }))
}

/// The direction that a move is, in a game with boards.
pub(super) fn direction<G: Describe>(game: &G, state: &G::State, chosen: G::Move) -> Direction {
    let name = game.move_name(state, chosen);
    Direction::from_name(&name).expect("the moves of games with boards are directions")
}
