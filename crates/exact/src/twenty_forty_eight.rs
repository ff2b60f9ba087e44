//! 2048 for the recursion. Lines slide by the plain engine.

use super::board::{BLANK, BoardRules, CELLS_MAX, Cells, Code, Shape, Symmetry};
use super::engine::End;
use tilelab_core::games::direction::Direction;
use tilelab_core::games::twenty_forty_eight::TwentyFortyEight;
use tilelab_core::games::twenty_forty_eight::board::Board;

/// The largest sum of a start board, so that every number that can be made has a code.
const TOTAL_MAX: u64 = 1 << 24;

/// The rules of 2048.
pub struct Rules {
    game: TwentyFortyEight,
}

impl Rules {
    /// The rules of a game on at most [`CELLS_MAX`] cells.
    pub fn new(game: TwentyFortyEight) -> Result<Self, String> {
        if let Some(total) = game
            .start
            .as_ref()
            .map(Board::points)
            .filter(|&total| total > TOTAL_MAX)
        {
            return Err(format!(
                "start: the numbers sum to {total}; accepted: a sum up to {TOTAL_MAX}"
            ));
        }
        Ok(Self { game })
    }
}

impl BoardRules for Rules {
    /// The smaller of all fillings with powers of two up to the largest that the board can hold
    /// (2ⁿ⁺¹ on n cells, without a start board) and all boards that so many moves can make, where
    /// moves are limited.
    fn boards_bound(&self) -> f64 {
        let cells = (self.game.rows * self.game.cols) as f64;
        let fillings = if self.game.start.is_none() {
            (cells + 2.0).powf(cells)
        } else {
            f64::INFINITY
        };
        let moves = self.game.max_moves.map_or(f64::INFINITY, |moves| {
            (8.0 * cells).powf(moves as f64 + 2.0)
        });
        fillings.min(moves)
    }

    /// A slide scans from the edge moved towards, so every reflection is a symmetry.
    fn shape(&self) -> Shape {
        Shape::new(
            self.game.rows,
            self.game.cols,
            Symmetry {
                flip_rows: true,
                flip_cols: true,
            },
        )
    }

    fn start(&self) -> (Cells, usize) {
        let mut cells = [BLANK; CELLS_MAX];
        let Some(board) = &self.game.start else {
            return (cells, 2);
        };
        for (cell, &tile) in cells.iter_mut().zip(board.tiles()) {
            *cell = if tile == 0 { BLANK } else { tile as Code };
        }
        (cells, 0)
    }

    fn spawns(&self) -> usize {
        1
    }

    fn tiles(&self) -> Vec<(Code, f64)> {
        let tiles = self.game.new_tiles();
        tiles.map(|(tile, share)| (tile as Code, share)).to_vec()
    }

    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code> {
        let mut board = Board::blank(1, line.len());
        for (cell, &tile) in line.iter().enumerate().filter(|&(_, &tile)| tile != BLANK) {
            board.put(cell, tile as u64);
        }
        board.slide(if towards_end {
            Direction::Right
        } else {
            Direction::Left
        });
        board
            .tiles()
            .iter()
            .map(|&tile| if tile == 0 { BLANK } else { tile as Code })
            .collect()
    }

    fn counts_rounds(&self) -> bool {
        self.game.max_moves.is_some()
    }

    fn rounds_max(&self) -> Option<u64> {
        self.game.max_moves
    }

    fn after_move(&self, board: &[Code], made: u64) -> Option<End> {
        self.game
            .max_moves
            .is_some_and(|moves| made >= moves)
            .then(|| self.stuck(board))
    }

    fn stuck(&self, board: &[Code]) -> End {
        let largest = board
            .iter()
            .copied()
            .max()
            .filter(|&tile| tile != BLANK)
            .unwrap_or(0);
        if largest as u64 >= self.game.goal {
            End::WON
        } else {
            End::LOST
        }
    }
}
