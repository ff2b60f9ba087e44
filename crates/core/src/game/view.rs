//! Positions prepared for display, and what people do in them, independent of how a screen draws
//! them.

use crate::json::{Json, plain};

/// The kind of a tile, which determines its colour.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Tone {
    /// A blank cell.
    Blank,
    /// A number ≥ 0, with its length in bits.
    Number(u32),
    /// A number < 0, with the length of its magnitude in bits.
    Negative(u32),
    /// An operator.
    Operator,
    /// A number that wins.
    Goal,
    /// A tile that belongs to a seat.
    Owned(usize),
}

impl Tone {
    /// The tone of a decimal integer of any size; any other text is an operator.
    pub fn of_text(text: &str) -> Self {
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return if text.is_empty() || text == "_" {
                Self::Blank
            } else {
                Self::Operator
            };
        }
        // Beyond 19 digits only the size matters: 3.32 bits per digit.
        let bits = digits
            .parse::<u64>()
            .map_or(digits.len() as u32 * 332 / 100, |value| {
                u64::BITS - value.leading_zeros()
            });
        if digits.len() < text.len() {
            Self::Negative(bits)
        } else {
            Self::Number(bits)
        }
    }
}

/// Why a cell is marked.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mark {
    /// The tile of the cell was just dealt.
    Dealt,
    /// The tile of the cell was made by the last move.
    Made,
}

/// Where a tile went in a move.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Slide {
    /// The cell of the tile before the move, as (row, column).
    pub from: (usize, usize),
    /// The cell of the tile after the move, as (row, column).
    pub to: (usize, usize),
}

/// A cell of a board.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Cell {
    /// The tile in full; empty for a blank cell.
    pub text: String,
    /// The kind of the tile.
    pub tone: Tone,
    /// Why the cell is marked, if it is.
    pub mark: Option<Mark>,
}

impl Cell {
    /// A cell with this tile; `_` and the empty text are a blank cell.
    pub fn new(text: impl Into<String>) -> Self {
        let text = text.into();
        let tone = Tone::of_text(&text);
        Self {
            text: if tone == Tone::Blank {
                String::new()
            } else {
                text
            },
            tone,
            mark: None,
        }
    }

    /// The cell in another tone, if there is one.
    #[must_use]
    pub fn toned(mut self, tone: Option<Tone>) -> Self {
        self.tone = tone.unwrap_or(self.tone);
        self
    }
}

/// A position prepared for display.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BoardView {
    /// The rows of the board, all of the same length; empty in games without a board.
    pub cells: Vec<Vec<Cell>>,
    /// Additional values with their names.
    pub facts: Vec<(String, String)>,
}

impl BoardView {
    /// A board of these cells, with the values of other facts.
    pub fn new<N: Into<String>, V: ToString>(
        cells: Vec<Vec<Cell>>,
        facts: impl IntoIterator<Item = (N, V)>,
    ) -> Self {
        let facts = facts.into_iter();
        Self {
            cells,
            facts: facts
                .map(|(name, value)| (name.into(), value.to_string()))
                .collect(),
        }
    }

    /// A generic view of any position: a field that is a list of lists becomes the board, scalar
    /// values become facts.
    pub fn of_position(position: &Json) -> Self {
        let mut view = Self::default();
        for (name, value) in position.as_object().into_iter().flatten() {
            match value {
                Json::Array(rows) if !rows.is_empty() && rows.iter().all(Json::is_array) => {
                    let rows = rows.iter().filter_map(Json::as_array);
                    view.cells = rows
                        .map(|row| row.iter().map(|tile| Cell::new(plain(tile))).collect())
                        .collect();
                }
                Json::String(_) | Json::Number(_) | Json::Bool(_) => {
                    view.facts.push((name.clone(), plain(value)));
                }
                _ => {}
            }
        }
        view
    }
}

/// The two cells of a move, as (row, column): the one chosen first, and the second.
pub type Path = [(usize, usize); 2];

/// A move that a person tried to make.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Attempt<'a> {
    /// The move with this name.
    Name(&'a str),
    /// The move between these two cells.
    Path(Path),
}

/// A suggestion.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Hint<M> {
    /// What the player would choose.
    Choice(M),
    /// The first move of a shortest solution.
    Solution {
        /// The move.
        chosen: M,
        /// Moves to the goal, including this one.
        moves: usize,
    },
    /// The solver proved that the goal cannot be reached.
    Unsolvable,
}

impl<M> Hint<M> {
    /// The suggested move.
    pub fn chosen(self) -> Option<M> {
        match self {
            Self::Choice(chosen) | Self::Solution { chosen, .. } => Some(chosen),
            Self::Unsolvable => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::json;

    #[test]
    fn tones_of_texts() {
        for (text, tone) in [
            ("", Tone::Blank),
            ("_", Tone::Blank),
            ("-", Tone::Operator),
            ("*", Tone::Operator),
            ("0", Tone::Number(0)),
            ("8", Tone::Number(4)),
            ("-9", Tone::Negative(4)),
            ("100000000000000000000", Tone::Number(69)),
        ] {
            assert_eq!(Tone::of_text(text), tone, "{text:?}");
        }
    }

    #[test]
    fn any_position_can_be_shown() {
        let view = BoardView::of_position(&json!({
            "board": [["1", "_"], [2, "+"]],
            "round": 3,
            "pairs": [1, 2],
        }));
        let texts: Vec<Vec<&str>> = view
            .cells
            .iter()
            .map(|row| row.iter().map(|cell| cell.text.as_str()).collect())
            .collect();
        assert_eq!(texts, [["1", ""], ["2", "+"]]);
        assert_eq!(view.facts, [("round".to_owned(), "3".to_owned())]);
    }
}
