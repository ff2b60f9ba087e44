//! The board of 67! with big integers, and how its lines collapse.

use super::line::Tile;
use super::{Collapse, Direction, Operator, Runs, SIDE_MAX};
use crate::json::Json;
use num_bigint::BigInt;

/// Collapses one line in reading order towards its start or its end and packs it against that edge.
///
/// * Where blanks separate, an operation must occupy three adjacent cells; otherwise blanks are
///   removed first.
/// * Runs of equal operators are merged before the scan for operations.
/// * An operation is number, operator, number. The scan for operations starts at the edge that the
///   tiles move towards, makes one pass, and continues after each operation; operands stay in
///   reading order.
///
/// ```
/// use tilelab_core::games::sixty_seven::{Collapse, line::{line_text, parse_line}, reference::collapse};
/// let line = parse_line("5 - 9 - 3").unwrap();
/// assert_eq!(line_text(&collapse(Collapse::preset("original"), &line, true)), "_ _ 5 - 6");
/// ```
#[must_use]
pub fn collapse(rule: Collapse, line: &[Tile], towards_end: bool) -> Vec<Tile> {
    let mut tiles = line.to_vec();
    if !rule.blanks_separate {
        tiles.retain(|tile| !tile.is_blank());
    }
    tiles = merge_runs(rule.runs, tiles);
    tiles = if towards_end {
        collapse_operations_backward(tiles)
    } else {
        collapse_operations_forward(tiles)
    };
    tiles.retain(|tile| !tile.is_blank());
    let blanks = vec![Tile::Blank; line.len() - tiles.len()];
    if towards_end {
        [blanks, tiles].concat()
    } else {
        [tiles, blanks].concat()
    }
}

/// Merges each run of m equal operators into m, ⌈m/2⌉ or 1 of them.
fn merge_runs(runs: Runs, tiles: Vec<Tile>) -> Vec<Tile> {
    let mut merged = Vec::new();
    for run in tiles.chunk_by(|a, b| a == b) {
        let left = match (&run[0], runs) {
            (Tile::Operator(_), Runs::Halve) => run.len().div_ceil(2),
            (Tile::Operator(_), Runs::One) => 1,
            _ => run.len(),
        };
        merged.extend_from_slice(&run[..left]);
    }
    merged
}

fn collapse_operations_forward(tiles: Vec<Tile>) -> Vec<Tile> {
    let mut collapsed = Vec::new();
    let mut at = 0;
    while at < tiles.len() {
        if let Some(number) = tiles.get(at..at + 3).and_then(result) {
            collapsed.push(number);
            at += 3;
        } else {
            collapsed.push(tiles[at].clone());
            at += 1;
        }
    }
    collapsed
}

fn collapse_operations_backward(tiles: Vec<Tile>) -> Vec<Tile> {
    let mut collapsed = Vec::new();
    let mut end = tiles.len();
    while end > 0 {
        if let Some(number) = end
            .checked_sub(3)
            .and_then(|start| result(&tiles[start..end]))
        {
            collapsed.push(number);
            end -= 3;
        } else {
            collapsed.push(tiles[end - 1].clone());
            end -= 1;
        }
    }
    collapsed.reverse();
    collapsed
}

/// The result of number, operator, number; `None` for other tiles.
fn result(tiles: &[Tile]) -> Option<Tile> {
    let [
        Tile::Number(first),
        Tile::Operator(operator),
        Tile::Number(second),
    ] = tiles
    else {
        return None;
    };
    Some(Tile::Number(match operator {
        Operator::Plus => first + second,
        Operator::Minus => first - second,
        Operator::Times => first * second,
    }))
}

/// A board with true big integers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Board {
    rows: usize,
    cols: usize,
    pub(super) tiles: Vec<Tile>,
}

impl Board {
    /// A blank board of `rows` × `cols` cells.
    #[must_use]
    pub fn blank(rows: usize, cols: usize) -> Self {
        Self {
            rows,
            cols,
            tiles: vec![Tile::Blank; rows * cols],
        }
    }

    /// Rows.
    #[must_use]
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    #[must_use]
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// The `rows` × `cols` tiles in reading order: the first row from left to right, then the next.
    #[must_use]
    pub fn tiles(&self) -> &[Tile] {
        &self.tiles
    }

    /// Puts a tile on a cell, numbered from 0 in reading order.
    ///
    /// # Panics
    /// Panics if there is no such cell.
    pub fn put(&mut self, cell: usize, tile: Tile) {
        self.tiles[cell] = tile;
    }

    /// The board after all lines along the axis of `direction` were collapsed towards it.
    #[must_use]
    pub fn moved(&self, rule: Collapse, direction: Direction) -> Self {
        let mut after = self.clone();
        let lines = if direction.along_rows() {
            self.rows
        } else {
            self.cols
        };
        for line in 0..lines {
            let cells: Vec<usize> = if direction.along_rows() {
                (0..self.cols).map(|col| line * self.cols + col).collect()
            } else {
                (0..self.rows).map(|row| row * self.cols + line).collect()
            };
            let before: Vec<Tile> = cells.iter().map(|&cell| self.tiles[cell].clone()).collect();
            for (cell, tile) in
                cells
                    .into_iter()
                    .zip(collapse(rule, &before, direction.towards_end()))
            {
                after.tiles[cell] = tile;
            }
        }
        after
    }

    /// The directions in which a move would change the board, in the order of [`Direction::ALL`].
    pub fn legal(&self, rule: Collapse) -> impl Iterator<Item = Direction> + '_ {
        Direction::ALL
            .into_iter()
            .filter(move |&direction| self.moved(rule, direction) != *self)
    }

    /// Whether a tile is this number.
    #[must_use]
    pub fn shows(&self, number: &BigInt) -> bool {
        self.tiles
            .iter()
            .any(|tile| matches!(tile, Tile::Number(value) if value == number))
    }

    /// Whether a number lies outside `[-limit, limit]`.
    #[must_use]
    pub fn exceeds(&self, limit: i64) -> bool {
        let limit = BigInt::from(limit).magnitude().clone();
        self.tiles
            .iter()
            .any(|tile| matches!(tile, Tile::Number(value) if *value.magnitude() > limit))
    }

    /// The board as rows of tile texts.
    #[must_use]
    pub fn to_json(&self) -> Json {
        let row = |tiles: &[Tile]| tiles.iter().map(Tile::to_string).collect::<Json>();
        self.tiles.chunks(self.cols).map(row).collect()
    }

    /// Reads a board from rows of tile texts.
    ///
    /// # Errors
    /// Returns an error that names the invalid row or tile and the accepted form.
    pub fn from_json(board: &Json) -> Result<Self, String> {
        let shape = "a board is a list of rows, each a list of tile texts such as [[\"1\",\"+\",\"_\"],[\"2\",\"_\",\"3\"]]";
        let rows = board.as_array().ok_or_else(|| format!("board: {shape}"))?;
        let rows: Vec<&Vec<Json>> = rows
            .iter()
            .map(|row| row.as_array().ok_or_else(|| format!("board: {shape}")))
            .collect::<Result<_, _>>()?;
        let cols = rows.first().map_or(0, |row| row.len());
        if !(1..=SIDE_MAX).contains(&rows.len()) || !(1..=SIDE_MAX).contains(&cols) {
            return Err(format!(
                "board: {} × {cols} cells; 1 to {SIDE_MAX} rows and columns are accepted",
                rows.len()
            ));
        }
        let mut tiles = Vec::with_capacity(rows.len() * cols);
        for (number, row) in rows.iter().enumerate() {
            if row.len() != cols {
                let row = row.len();
                let number = number + 1;
                return Err(format!(
                    "board: row {number} has {row} tiles where row 1 has {cols}; all rows must be equally long"
                ));
            }
            for (col, tile) in row.iter().enumerate() {
                let place = || format!("board: row {}, column {}: ", number + 1, col + 1);
                let text = tile.as_str().ok_or_else(|| {
                    format!("{}{tile} is not a text; write tiles as \"7\"", place())
                })?;
                tiles.push(Tile::parse(text).map_err(|error| place() + &error)?);
            }
        }
        Ok(Self {
            rows: rows.len(),
            cols,
            tiles,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::line::{line_text, parse_line};

    fn check(rules: &str, towards_end: bool, line: &str, expected: &str) {
        let collapsed = collapse(
            Collapse::preset(rules),
            &parse_line(line).unwrap(),
            towards_end,
        );
        assert_eq!(
            line_text(&collapsed),
            expected,
            "{rules}: {line}, towards end: {towards_end}"
        );
    }

    #[test]
    fn lines_of_the_rules() {
        check("original", false, "1 + 2 + 3", "3 + 3 _ _");
        check("original", true, "5 - 9 - 3", "_ _ 5 - 6");
        check("original", true, "5 - 4", "_ _ 1");
        check("original", false, "8 + _ 0", "8 + 0 _");
        for rules in ["gapless", "merge-pairs", "merge-runs", "bounded"] {
            check(rules, false, "8 + _ 0", "8 _ _ _");
        }
        check("original", false, "1 + 2 3", "3 3 _ _");
        check("merge-runs", false, "+ + + +", "+ _ _ _");
        check("merge-pairs", false, "+ + + +", "+ + _ _");
        check("gapless", false, "+ + + +", "+ + + +");
        check("merge-pairs", false, "1 + + 2", "3 _ _ _");
        check("merge-runs", false, "1 + + + 2", "3 _ _ _ _");
    }
}
