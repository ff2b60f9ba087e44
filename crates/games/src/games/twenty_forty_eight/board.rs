//! Boards of any size with any positive numbers, and their text and JSON.
//!
//! This is the reference engine: lines are lists of numbers, a slide walks each line once. As text
//! a board is its rows from top to bottom, separated by `/`, each a list of numbers separated by
//! commas; 0 is a blank: `2,0,0,2/0,4,0,0`. As JSON it is a list of rows.

use super::SIDE_MAX;
use crate::games::direction::Direction;
use crate::games::grid::Grid;
use crate::json::Json;
use serde::Serialize;
use std::fmt;
use std::ops::{Deref, DerefMut};

/// The largest sum of all numbers on a board that text or JSON may bring.
///
/// A slide keeps the sum and a spawn adds at most 4, so tiles, points and the score of one slide
/// stay below 2⁶⁴ for the next 2⁶¹ moves.
pub const TOTAL_MAX: u64 = i64::MAX as u64;

/// A board: blanks (0) and positive numbers.
#[derive(Clone, Debug, PartialEq, Eq, Hash, Serialize)]
#[serde(transparent)]
pub struct NumberBoard(Grid<u64>);

impl Deref for NumberBoard {
    type Target = Grid<u64>;

    fn deref(&self) -> &Grid<u64> {
        &self.0
    }
}

impl DerefMut for NumberBoard {
    fn deref_mut(&mut self) -> &mut Grid<u64> {
        &mut self.0
    }
}

impl fmt::Display for NumberBoard {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.fmt(f)
    }
}

impl NumberBoard {
    /// A blank board of `rows` × `cols` cells.
    pub fn blank(rows: usize, cols: usize) -> Self {
        Self(Grid::blank(rows, cols))
    }

    /// The sum of all tiles.
    pub fn points(&self) -> u64 {
        self.tiles().iter().sum()
    }

    /// The largest tile; 0 on a blank board.
    pub fn largest(&self) -> u64 {
        self.tiles().iter().copied().max().unwrap_or(0)
    }

    /// Slides all tiles; returns the merge score, or `None` when nothing changes (the swipe is not
    /// legal).
    ///
    /// Each line is walked from the edge moved towards. A tile merges with the one last settled
    /// when both are equal and that one has not merged yet; otherwise it settles on the next cell.
    ///
    /// ```
    /// use tilelab_games::games::{direction::Direction, twenty_forty_eight::board::NumberBoard};
    /// let mut board = NumberBoard::parse("4,2,2,0").unwrap();
    /// assert_eq!(board.slide(Direction::Left), Some(4));
    /// assert_eq!(board.to_string(), "4,4,0,0");
    /// ```
    pub fn slide(&mut self, direction: Direction) -> Option<u64> {
        let mut score = 0;
        let mut changed = false;
        let lines = self.lines(direction);
        let tiles = self.tiles_mut();
        for line in lines {
            // Places before `settled` are final, except that the tile on the last of them may still
            // merge.
            let mut settled = 0;
            let mut may_merge = false;
            for place in 0..line.cells {
                let tile = std::mem::take(&mut tiles[line.at(place)]);
                if tile == 0 {
                    continue;
                }
                if may_merge && tiles[line.at(settled - 1)] == tile {
                    tiles[line.at(settled - 1)] = 2 * tile;
                    score += 2 * tile;
                    (may_merge, changed) = (false, true);
                } else {
                    tiles[line.at(settled)] = tile;
                    changed |= settled != place;
                    (settled, may_merge) = (settled + 1, true);
                }
            }
        }
        changed.then_some(score)
    }

    /// Whether a swipe is legal: some tile has a blank, or an equal tile, next to it on the side
    /// moved towards.
    pub fn can_slide(&self, direction: Direction) -> bool {
        self.lines(direction).any(|line| {
            let tile = |place: usize| self.tiles()[line.at(place)];
            (1..line.cells).any(|place| {
                tile(place) != 0 && (tile(place - 1) == 0 || tile(place - 1) == tile(place))
            })
        })
    }

    /// The legal swipes in the order of [`Direction::ALL`].
    pub fn legal(&self) -> impl Iterator<Item = Direction> + '_ {
        Direction::ALL
            .into_iter()
            .filter(|&direction| self.can_slide(direction))
    }

    /// Whether no swipe is legal.
    pub fn is_stuck(&self) -> bool {
        self.legal().next().is_none()
    }

    /// Reads a number in digits.
    fn parse_tile(text: &str) -> Option<u64> {
        let read = text.parse().ok().filter(|&tile| tile <= TOTAL_MAX);
        read.filter(|_| text.bytes().all(|byte| byte.is_ascii_digit()))
    }

    /// Reads one row: numbers separated by commas, 0 for a blank.
    ///
    /// # Errors
    /// Returns an error that names the text that is not a number and the accepted form.
    fn parse_row(text: &str) -> Result<Vec<u64>, String> {
        text.split(',')
            .map(|number| {
                let number = number.trim();
                Self::parse_tile(number).ok_or_else(|| {
                    format!(
                        "{number:?} is not a tile; write whole numbers from 0 (blank) to {TOTAL_MAX}, separated by commas"
                    )
                })
            })
            .collect()
    }

    /// Reads a board from text such as `2,0,0,2/0,4,0,0`.
    ///
    /// # Errors
    /// Returns an error that names the invalid row and the accepted form.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rows = text
            .split('/')
            .enumerate()
            .map(|(number, row)| {
                Self::parse_row(row).map_err(|error| format!("row {}: {error}", number + 1))
            })
            .collect::<Result<Vec<_>, _>>()?;
        Self::of_numbers(rows)
    }

    /// The board with these rows.
    ///
    /// # Errors
    /// Returns an error if the rows are not equally long, too many or too few, or their sum is too
    /// large.
    fn of_numbers(rows: Vec<Vec<u64>>) -> Result<Self, String> {
        let board = Self(Grid::from_rows(rows, SIDE_MAX, "numbers")?);
        let mut tiles = board.tiles().iter();
        let total = tiles.try_fold(0_u64, |sum, &tile| sum.checked_add(tile));
        if total.is_none_or(|total| total > TOTAL_MAX) {
            return Err(format!(
                "the numbers sum to more than {TOTAL_MAX}; smaller ones are accepted"
            ));
        }
        Ok(board)
    }

    /// Reads a board from JSON: a list of rows, each a list of whole numbers, 0 for blanks, or of
    /// tile texts, `_` for blanks.
    ///
    /// # Errors
    /// Returns an error that names the invalid row or tile and the accepted form.
    pub fn from_json(board: &Json) -> Result<Self, String> {
        let shape = "a board is a list of rows, each a list of numbers with 0 for a blank cell, such as [[2,0,0,2],[0,4,0,0]]";
        let rows = board.as_array().ok_or_else(|| format!("board: {shape}"))?;
        let mut numbers = Vec::with_capacity(rows.len());
        for (row, tiles) in (1..).zip(rows) {
            let tiles = tiles
                .as_array()
                .ok_or_else(|| format!("board: row {row} is not a list; {shape}"))?;
            let tile = |(col, tile): (usize, &Json)| {
                let number = match tile.as_str() {
                    Some("_") => Some(0),
                    Some(text) => Self::parse_tile(text),
                    None => tile.as_u64().filter(|&tile| tile <= TOTAL_MAX),
                };
                number.ok_or_else(|| {
                    format!(
                        "board: row {row}, column {col}: {tile} is not a tile; write whole numbers from 0 (blank) to {TOTAL_MAX}"
                    )
                })
            };
            numbers.push((1..).zip(tiles).map(tile).collect::<Result<_, _>>()?);
        }
        Self::of_numbers(numbers).map_err(|error| format!("board: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(before: &str, direction: Direction, after: &str, score: Option<u64>) {
        let mut board = NumberBoard::parse(before).unwrap();
        assert_eq!(
            board.can_slide(direction),
            score.is_some(),
            "{before} {direction}"
        );
        assert_eq!(board.slide(direction), score, "{before} {direction}");
        assert_eq!(board.to_string(), after, "{before} {direction}");
    }

    #[test]
    fn slides_of_the_rules() {
        use Direction::{Down, Left, Right, Up};
        check("2,2,2,2", Left, "4,4,0,0", Some(8));
        check("4,2,2,0", Left, "4,4,0,0", Some(4));
        check("2,2,4,0", Left, "4,4,0,0", Some(4));
        check("2,2,2,0", Left, "4,2,0,0", Some(4));
        check("2,2,2,0", Right, "0,0,2,4", Some(4));
        check("2,0,0,2", Left, "4,0,0,0", Some(4));
        check("0,0,0,2", Right, "0,0,0,2", None);
        check("0,2,0,4", Right, "0,0,2,4", Some(0));
        check("2,4,2,4", Left, "2,4,2,4", None);
        check("3,3,6,12", Left, "6,6,12,0", Some(6));
        check("1,1,1,1,1", Right, "0,0,1,2,2", Some(4));
        check("2,4/2,0/4,4", Up, "4,8/4,0/0,0", Some(12));
        check("2,4/2,0/4,4", Down, "0,0/4,0/4,8", Some(12));
        check("7", Up, "7", None);
        check(
            "4611686018427387903,4611686018427387903",
            Left,
            "9223372036854775806,0",
            Some(9_223_372_036_854_775_806),
        );
    }

    #[test]
    fn text_and_json_come_back() {
        for text in ["2,0,0,2/0,4,0,0", "0", "1,2,3", "65536/3"] {
            let board = NumberBoard::parse(text).unwrap();
            assert_eq!(board.to_string(), text);
            assert_eq!(
                NumberBoard::from_json(&crate::json::json!(board)),
                Ok(board)
            );
        }
        assert_eq!(
            NumberBoard::parse(" 2, 0 / 4,8").unwrap().to_string(),
            "2,0/4,8"
        );
    }

    #[test]
    fn bad_boards_are_refused() {
        for (text, word) in [
            ("", "is not a tile"),
            ("2,x", "\"x\""),
            ("2,-4", "\"-4\""),
            ("2,+4", "\"+4\""),
            ("2,2.0", "\"2.0\""),
            ("2,0/4", "equally long"),
            ("9223372036854775808", "is not a tile"),
            ("9223372036854775807,1", "sum to more"),
            (
                "9223372036854775807,9223372036854775807,9223372036854775807",
                "sum to more",
            ),
        ] {
            let error = NumberBoard::parse(text).unwrap_err();
            assert!(error.contains(word), "{text}: {error}");
        }
        assert!(
            NumberBoard::parse(&vec!["0"; 65].join(","))
                .unwrap_err()
                .contains("1 × 65")
        );
    }
}
