//! Boards as arrays of codes, their symmetries, and a table of collapsed lines: the compact form in
//! which the recursions follow 67! and 2048.

use super::HashMap;
use super::engine::{End, Rules};
use tilelab_games::game::spawned;
use tilelab_games::games::direction::Direction;

/// Cells of the largest board.
pub const CELLS_MAX: usize = 16;

/// A tile: a number within ± 2³⁰, or one of the codes below.
pub type Code = i32;

/// A free cell.
pub const BLANK: Code = Code::MIN;
/// The code of operator number 0; the others follow.
pub const OPERATOR: Code = Code::MIN + 1;
/// A number beyond ± 2³⁰.
pub const HUGE: Code = Code::MIN + 8;
/// Numbers within ± this have their own code.
pub const NUMBER_MAX: i64 = 1 << 30;

/// A board in reading order; cells beyond its size are blank.
pub type Cells = [Code; CELLS_MAX];

/// Refuses boards that are too large.
pub fn check_size(rows: usize, cols: usize) -> Result<(), String> {
    if rows * cols > CELLS_MAX {
        return Err(format!(
            "a board of {rows}x{cols} has {} cells; accepted: at most {CELLS_MAX}",
            rows * cols
        ));
    }
    Ok(())
}

/// Which reflections leave the rules as they are.
pub struct Symmetry {
    /// Reversing the order of the rows (columns are read backwards).
    pub flip_rows: bool,
    /// Reversing the order of the columns (rows are read backwards).
    pub flip_cols: bool,
}

/// Rows and columns of a board, and the permutations of its cells that preserve the rules.
#[derive(Clone)]
pub struct Shape {
    rows: usize,
    cols: usize,
    /// Each maps a cell to the cell whose tile it gets.
    permutations: Vec<[usize; CELLS_MAX]>,
}

impl Shape {
    /// The shape of a board of at most [`CELLS_MAX`] cells.
    ///
    /// Square boards may be transposed whatever the rules: rows become columns, both read in the
    /// same order as before.
    pub fn new(rows: usize, cols: usize, symmetry: Symmetry) -> Self {
        let mut permutations = Vec::new();
        for flip_rows in [false, symmetry.flip_rows] {
            for flip_cols in [false, symmetry.flip_cols] {
                for transpose in [false, rows == cols] {
                    let mut permutation: [usize; CELLS_MAX] = std::array::from_fn(|cell| cell);
                    for (cell, source) in permutation.iter_mut().enumerate().take(rows * cols) {
                        let row = cell / cols;
                        let col = cell % cols;
                        let row = if flip_rows { rows - 1 - row } else { row };
                        let col = if flip_cols { cols - 1 - col } else { col };
                        *source = if transpose {
                            col * cols + row
                        } else {
                            row * cols + col
                        };
                    }
                    // In the place of a reflection that changes the rules there is none.
                    if !permutations.contains(&permutation) {
                        permutations.push(permutation);
                    }
                }
            }
        }
        Self {
            rows,
            cols,
            permutations,
        }
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// The least of the boards that symmetries make of this one.
    pub fn canonical(&self, board: &Cells) -> Cells {
        let image = |permutation: &[usize; CELLS_MAX]| permutation.map(|cell| board[cell]);
        self.permutations
            .iter()
            .map(image)
            .min()
            .expect("the identity is a symmetry")
    }

    /// The board after a move; the same board when the move is not legal.
    fn moved(
        &self,
        board: &Cells,
        direction: Direction,
        mut collapsed: impl FnMut(&[Code]) -> Vec<Code>,
    ) -> Cells {
        let mut after = *board;
        let (count, length, across, step) = if direction.along_rows() {
            (self.rows, self.cols, self.cols, 1)
        } else {
            (self.cols, self.rows, 1, self.cols)
        };
        for line in 0..count {
            let mut tiles = [BLANK; CELLS_MAX];
            for place in 0..length {
                tiles[place] = board[line * across + place * step];
            }
            for (place, tile) in collapsed(&tiles[..length]).into_iter().enumerate() {
                after[line * across + place * step] = tile;
            }
        }
        after
    }
}

/// The rules of a game on boards.
pub trait BoardRules {
    /// Size and symmetries.
    fn shape(&self) -> Shape;
    /// The board before anything is dealt, and the tiles dealt before the first move.
    fn start(&self) -> (Cells, usize);
    /// The tiles dealt before every later move.
    fn spawns(&self) -> usize;
    /// The tiles that are dealt, with their probabilities.
    fn tiles(&self) -> Vec<(Code, f64)>;
    /// Collapses a line by the plain rules.
    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code>;
    /// Whether levels are numbers of moves ([`Rules::counts_rounds`]); otherwise a board's level is
    /// the sum of its tiles.
    fn counts_rounds(&self) -> bool {
        true
    }
    /// The rounds after which a game ends ([`Rules::rounds_max`]).
    fn rounds_max(&self) -> Option<u64>;
    /// An upper bound on the boards held at once.
    fn boards_bound(&self) -> f64;
    /// How a game ends after a move; `made` moves were made where rounds are counted.
    fn after_move(&self, board: &[Code], made: u64) -> Option<End>;
    /// How a game ends that has no legal move.
    fn stuck(&self, board: &[Code]) -> End;
}

/// The states of a game on boards: boards up to symmetry.
#[derive(Clone)]
pub struct Boards<R> {
    rules: R,
    shape: Shape,
    tiles: Vec<(Code, f64)>,
    /// Lines collapsed towards their start and their end, each when it is first met.
    lines: HashMap<Box<[Code]>, [Vec<Code>; 2]>,
}

impl<R: BoardRules> Boards<R> {
    /// The boards of a game.
    pub fn new(rules: R) -> Self {
        let mut tiles = rules.tiles();
        tiles.retain(|&(_, probability)| probability > 0.0);
        Self {
            shape: rules.shape(),
            rules,
            tiles,
            lines: HashMap::default(),
        }
    }
}

impl<R: BoardRules> Rules for Boards<R> {
    /// The tiles still to appear before the next move, and the board.
    type State = (u8, Cells);

    fn start(&self) -> (u8, Cells) {
        let (board, left) = self.rules.start();
        (left as u8, self.shape.canonical(&board))
    }

    fn pending(&self, &(left, _): &(u8, Cells)) -> u8 {
        left
    }

    /// Each tile on each blank cell, as long as there is one.
    fn chances(&mut self, &(left, board): &(u8, Cells)) -> Option<Vec<((u8, Cells), f64)>> {
        let cells = 0..self.shape.cells();
        let blanks = |board: &Cells| cells.clone().filter(|&cell| board[cell] == BLANK).collect();
        let put = |board: &mut Cells, cell: usize, &tile: &Code| board[cell] = tile;
        let dealt = spawned(&[(1.0, board)], &self.tiles, blanks, put).into_iter();
        let state = |(share, board)| ((left - 1, self.shape.canonical(&board)), share);
        Some(dealt.map(state).collect())
    }

    fn moves(
        &mut self,
        (_, board): &(u8, Cells),
        made: u64,
    ) -> Result<Vec<Result<(u8, Cells), End>>, End> {
        let cells = self.shape.cells();
        let mut after = Vec::new();
        for direction in Direction::ALL {
            let moved = self.shape.moved(board, direction, |line| {
                if !self.lines.contains_key(line) {
                    let both = [false, true].map(|end| self.rules.collapse(line, end));
                    self.lines.insert(line.into(), both);
                }
                self.lines[line][usize::from(direction.towards_end())].clone()
            });
            if moved != *board {
                after.push(match self.rules.after_move(&moved[..cells], made) {
                    Some(end) => Err(end),
                    None => Ok((self.rules.spawns() as u8, self.shape.canonical(&moved))),
                });
            }
        }
        if after.is_empty() {
            return Err(self.rules.stuck(&board[..cells]));
        }
        Ok(after)
    }

    fn counts_rounds(&self) -> bool {
        self.rules.counts_rounds()
    }

    fn level(&self, (_, board): &(u8, Cells)) -> u64 {
        let tiles = board.iter().filter(|&&tile| tile != BLANK);
        tiles.map(|&tile| tile as u64).sum()
    }

    fn rounds_max(&self) -> Option<u64> {
        self.rules.rounds_max()
    }

    fn after_rounds(&self, (_, board): &(u8, Cells)) -> End {
        self.rules.stuck(&board[..self.shape.cells()])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn symmetries_of_shapes() {
        for (rows, cols, flip_rows, flip_cols, count) in [
            (2, 2, true, true, 8),
            (2, 3, true, true, 4),
            (2, 3, true, false, 2),
            (3, 3, false, false, 2),
            (2, 3, false, false, 1),
        ] {
            let shape = Shape::new(
                rows,
                cols,
                Symmetry {
                    flip_rows,
                    flip_cols,
                },
            );
            assert_eq!(shape.permutations.len(), count, "{rows}x{cols}");
            // Each is a permutation, and the canonical board is the same for all images.
            let mut board = [BLANK; CELLS_MAX];
            for (cell, tile) in board[..rows * cols].iter_mut().enumerate() {
                *tile = (cell as Code * 5 + 3) % 7;
            }
            for permutation in &shape.permutations {
                let mut sorted = *permutation;
                sorted.sort_unstable();
                assert!(sorted.into_iter().eq(0..CELLS_MAX));
                let image = permutation.map(|cell| board[cell]);
                assert_eq!(shape.canonical(&image), shape.canonical(&board));
            }
        }
    }
}
