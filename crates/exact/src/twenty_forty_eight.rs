//! 2048 for the recursion. Lines slide by the plain engine.

use super::board::{BLANK, BoardRules, CELLS_MAX, Cells, Code, Shape, Symmetry};
use super::engine::End;
use tilelab_games::games::direction::Direction;
use tilelab_games::games::twenty_forty_eight::TwentyFortyEight;
use tilelab_games::games::twenty_forty_eight::board::NumberBoard;

/// The largest sum of a start board, so that every number that can be made has a code.
const TOTAL_MAX: u64 = 1 << 24;

/// Refuses a start board whose numbers are too large.
pub fn check_start(game: &TwentyFortyEight) -> Result<(), String> {
    match game.start.as_ref().map(NumberBoard::points) {
        Some(total) if total > TOTAL_MAX => Err(format!(
            "start: the numbers sum to {total}; accepted: a sum up to {TOTAL_MAX}"
        )),
        _ => Ok(()),
    }
}

/// The code of a tile, of which 0 is a free cell.
const fn code(tile: u64) -> Code {
    if tile == 0 { BLANK } else { tile as Code }
}

impl BoardRules for TwentyFortyEight {
    /// The smaller of all fillings with powers of two up to the largest that the board can hold
    /// (2ⁿ⁺¹ on n cells, without a start board) and all boards that `max_moves` moves can
    /// make, where moves are limited.
    fn boards_bound(&self) -> f64 {
        let cells = (self.rows * self.cols) as f64;
        let fillings = if self.start.is_none() {
            (cells + 2.0).powf(cells)
        } else {
            f64::INFINITY
        };
        let moves = self.max_moves.map_or(f64::INFINITY, |moves| {
            (8.0 * cells).powf(moves as f64 + 2.0)
        });
        fillings.min(moves)
    }

    /// A slide scans from the edge moved towards, so every reflection is a symmetry.
    fn shape(&self) -> Shape {
        Shape::new(
            self.rows,
            self.cols,
            Symmetry {
                flip_rows: true,
                flip_cols: true,
            },
        )
    }

    fn start(&self) -> (Cells, usize) {
        let mut cells = [BLANK; CELLS_MAX];
        let Some(board) = &self.start else {
            return (cells, 2);
        };
        for (cell, &tile) in cells.iter_mut().zip(board.tiles()) {
            *cell = code(tile);
        }
        (cells, 0)
    }

    fn spawns(&self) -> usize {
        1
    }

    fn tiles(&self) -> Vec<(Code, f64)> {
        self.new_tiles()
            .map(|(tile, share)| (tile as Code, share))
            .to_vec()
    }

    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code> {
        let mut board = NumberBoard::blank(1, line.len());
        for (cell, &tile) in line.iter().enumerate().filter(|&(_, &tile)| tile != BLANK) {
            board.put(cell, tile as u64);
        }
        board.slide(if towards_end {
            Direction::Right
        } else {
            Direction::Left
        });
        board.tiles().iter().map(|&tile| code(tile)).collect()
    }

    fn counts_rounds(&self) -> bool {
        self.max_moves.is_some()
    }

    fn rounds_max(&self) -> Option<u64> {
        self.max_moves
    }

    fn after_move(&self, board: &[Code], made: u64) -> Option<End> {
        self.max_moves
            .is_some_and(|moves| made >= moves)
            .then(|| self.stuck(board))
    }

    fn stuck(&self, board: &[Code]) -> End {
        // The code of a free cell is less than all.
        let largest = board.iter().fold(0, |largest, &tile| largest.max(tile));
        if largest as u64 >= self.goal {
            End::WON
        } else {
            End::LOST
        }
    }
}
