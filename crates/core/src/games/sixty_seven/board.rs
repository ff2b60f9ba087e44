//! The board of 67! with numbers of any size, and how its lines collapse.

use super::line::Tile;
use super::number::Number;
use super::{Collapse, Direction, Runs, SIDE_MAX};
use crate::games::grid::{Grid, Line};
use crate::json::Json;

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
/// use tilelab_core::games::sixty_seven::{Collapse, line::Tile, reference::collapse};
/// let line = |text: &str| text.split(' ').map(Tile::parse).collect::<Result<Vec<_>, _>>();
/// let collapsed = collapse(Collapse::preset("original"), &line("5 - 9 - 3")?, true);
/// assert_eq!(collapsed, line("_ _ 5 - 6")?);
/// # Ok::<(), String>(())
/// ```
pub fn collapse(rule: Collapse, line: &[Tile], towards_end: bool) -> Vec<Tile> {
    let mut tiles = line.to_vec();
    Line::new(0, 1, tiles.len(), towards_end).collapse(rule, &mut tiles);
    tiles
}

impl Line {
    /// Moves the line's tiles; see [`collapse`].
    fn collapse(self, rule: Collapse, tiles: &mut [Tile]) {
        if !rule.blanks_separate {
            self.retain(tiles, |tile| !tile.is_blank());
        }
        self.merge_runs(rule.runs, tiles);
        self.collapse_operations(tiles);
        self.retain(tiles, |tile| !tile.is_blank());
    }

    /// Removes the tiles that are not to be kept; those behind them move up, and blanks follow.
    fn retain(self, tiles: &mut [Tile], mut keep: impl FnMut(&Tile) -> bool) {
        let mut kept = 0;
        for cell in 0..self.cells {
            let at = self.at(cell);
            if keep(&tiles[at]) {
                tiles.swap(self.at(kept), at);
                kept += 1;
            } else {
                tiles[at] = Tile::Blank;
            }
        }
    }

    /// Merges each run of m equal operators into m, ⌈m/2⌉ or 1 of them.
    fn merge_runs(self, runs: Runs, tiles: &mut [Tile]) {
        if runs == Runs::Stay {
            return;
        }
        let mut last = None;
        let mut run: usize = 0;
        self.retain(tiles, |tile| {
            let Tile::Operator(operator) = *tile else {
                last = None;
                return true;
            };
            run = if last == Some(operator) { run + 1 } else { 1 };
            last = Some(operator);
            match runs {
                Runs::Stay => true,
                Runs::Halve => !run.is_multiple_of(2),
                Runs::One => run == 1,
            }
        });
    }

    /// Replaces each operation by its result and two blanks.
    fn collapse_operations(self, tiles: &mut [Tile]) {
        let mut cell = 0;
        while cell + 2 < self.cells {
            if let Some(number) = self.result(cell, tiles) {
                tiles[self.at(cell)] = Tile::Number(number);
                tiles[self.at(cell + 1)] = Tile::Blank;
                tiles[self.at(cell + 2)] = Tile::Blank;
                cell += 3;
            } else {
                cell += 1;
            }
        }
    }

    /// The result of number, operator, number on three cells; `None` for other tiles.
    fn result(self, cell: usize, tiles: &[Tile]) -> Option<Number> {
        let Tile::Operator(operator) = tiles[self.at(cell + 1)] else {
            return None;
        };
        // Operands are taken in reading order.
        let is_reversed = self.step < 0;
        let (first, second) = if is_reversed {
            (cell + 2, cell)
        } else {
            (cell, cell + 2)
        };
        match (&tiles[self.at(first)], &tiles[self.at(second)]) {
            (Tile::Number(first), Tile::Number(second)) => Some(operator.apply(first, second)),
            _ => None,
        }
    }

    /// Whether a move changes the line. Without a gap, only tiles on neighbouring cells can merge
    /// or be an operation; behind a gap, every tile moves.
    fn changes(self, rule: Collapse, tiles: &[Tile]) -> bool {
        let mut before_last: Option<&Tile> = None;
        let mut last: Option<&Tile> = None;
        for cell in 0..self.cells {
            let tile = &tiles[self.at(cell)];
            let changes = match (before_last, last, tile) {
                (_, _, Tile::Blank) => false,
                (_, Some(Tile::Blank), _) => true,
                (_, Some(Tile::Operator(last)), Tile::Operator(operator)) => {
                    rule.runs != Runs::Stay && last == operator
                }
                (Some(Tile::Number(_)), Some(Tile::Operator(_)), Tile::Number(_)) => true,
                _ => false,
            };
            if changes {
                return true;
            }
            before_last = last;
            last = Some(tile);
        }
        false
    }
}

/// A board with true numbers of any size.
pub type TileBoard = Grid<Tile>;

impl TileBoard {
    /// Collapses all lines along the axis of `direction` towards it.
    pub fn slide(&mut self, rule: Collapse, direction: Direction) {
        for line in self.lines(direction) {
            line.collapse(rule, &mut self.tiles);
        }
    }

    /// The board after all lines along the axis of `direction` were collapsed towards it.
    #[must_use]
    pub fn moved(&self, rule: Collapse, direction: Direction) -> Self {
        let mut after = self.clone();
        after.slide(rule, direction);
        after
    }

    /// Whether a move would change the board.
    pub fn changes(&self, rule: Collapse, direction: Direction) -> bool {
        self.lines(direction)
            .any(|line| line.changes(rule, &self.tiles))
    }

    /// The directions in which a move would change the board, in the order of [`Direction::ALL`].
    pub fn legal(&self, rule: Collapse) -> impl Iterator<Item = Direction> + '_ {
        Direction::ALL
            .into_iter()
            .filter(move |&direction| self.changes(rule, direction))
    }

    /// Whether a number lies outside `[-limit, limit]`.
    pub fn exceeds(&self, limit: i64) -> bool {
        self.largest() > limit.unsigned_abs()
    }

    /// The largest number without its sign, at most [`u64::MAX`].
    pub fn largest(&self) -> u64 {
        let size = |tile: &Tile| match tile {
            Tile::Number(number) => number.to_i64().map_or(u64::MAX, i64::unsigned_abs),
            _ => 0,
        };
        self.tiles.iter().map(size).max().unwrap_or_default()
    }

    /// Reads rows that are separated by `/`, of tiles separated by commas; the text of a board.
    ///
    /// # Errors
    /// Same as [`TileBoard::from_json`].
    pub fn parse(text: &str) -> Result<Self, String> {
        let row = |row: &str| {
            row.split(',')
                .map(|tile| Json::from(tile.trim()))
                .collect::<Json>()
        };
        Self::from_json(&text.split('/').map(row).collect())
    }

    /// Reads a board from rows of tile texts.
    ///
    /// # Errors
    /// Returns an error that names the invalid row or tile and the accepted form.
    pub fn from_json(board: &Json) -> Result<Self, String> {
        let shape = "a board is a list of rows, each a list of tile texts such as [[\"1\",\"+\",\"_\"],[\"2\",\"_\",\"3\"]]";
        let wrong = || format!("board: {shape}");
        let mut rows = Vec::new();
        for (row, tiles) in (1..).zip(board.as_array().ok_or_else(wrong)?) {
            let tile = |(col, tile): (usize, &Json)| {
                let text = tile.as_str();
                let text =
                    text.ok_or_else(|| format!("{tile} is not a text; write tiles as \"7\""));
                text.and_then(Tile::parse)
                    .map_err(|error| format!("board: row {row}, column {col}: {error}"))
            };
            let tiles = (1..).zip(tiles.as_array().ok_or_else(wrong)?).map(tile);
            rows.push(tiles.collect::<Result<_, _>>()?);
        }
        Self::from_rows(rows, SIDE_MAX, "tiles").map_err(|error| format!("board: {error}"))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn line_text(line: &[Tile]) -> String {
        crate::text::join(line.iter().map(Tile::to_string), " ")
    }

    fn check(rules: &str, towards_end: bool, line: &str, expected: &str) {
        let collapsed = collapse(
            Collapse::preset(rules),
            &line
                .split(' ')
                .map(|tile| Tile::parse(tile).unwrap())
                .collect::<Vec<_>>(),
            towards_end,
        );
        assert_eq!(
            line_text(&collapsed),
            expected,
            "{rules}: {line}, towards end: {towards_end}"
        );
    }

    /// All lines of up to six tiles.
    #[test]
    fn a_move_changes_a_line_if_the_collapsed_line_differs() {
        let tiles = ["_", "0", "7", "+", "-", "*"].map(|text| Tile::parse(text).unwrap());
        for cells in 1..=6 {
            for number in 0..6_usize.pow(cells) {
                let line: Vec<Tile> = (0..cells)
                    .map(|cell| tiles[number / 6_usize.pow(cell) % 6].clone())
                    .collect();
                for blanks_separate in [false, true] {
                    for runs in [Runs::Stay, Runs::Halve, Runs::One] {
                        let rule = Collapse {
                            blanks_separate,
                            runs,
                        };
                        for end in [false, true] {
                            assert_eq!(
                                Line::new(0, 1, line.len(), end).changes(rule, &line),
                                collapse(rule, &line, end) != line,
                                "{rule:?} {end} {}",
                                line_text(&line)
                            );
                        }
                    }
                }
            }
        }
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
        // Numbers beyond 64 bits.
        check(
            "original",
            false,
            "9223372036854775807 + 1 _",
            "9223372036854775808 _ _ _",
        );
        check(
            "gapless",
            true,
            "-9223372036854775808 _ - 1",
            "_ _ _ -9223372036854775809",
        );
        let power = format!("1{}", "0".repeat(99));
        check(
            "original",
            true,
            &format!("{power} * {power}"),
            &format!("_ _ {power}{}", "0".repeat(99)),
        );
        check("original", false, &format!("{power} - {power}"), "0 _ _");
    }
}
