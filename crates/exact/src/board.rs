//! Boards as arrays of codes, their symmetries, and a table of collapsed lines.

use std::collections::HashMap;
use tilelab_core::games::direction::Direction;

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
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Symmetry {
    /// Reversing the order of the rows (columns are read backwards).
    pub flip_rows: bool,
    /// Reversing the order of the columns (rows are read backwards).
    pub flip_cols: bool,
}

/// Rows and columns of a board, and the permutations of its cells that preserve the rules.
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
        for flip_rows in [false, true] {
            for flip_cols in [false, true] {
                for transpose in [false, true] {
                    let allowed = (!flip_rows || symmetry.flip_rows)
                        && (!flip_cols || symmetry.flip_cols)
                        && (!transpose || rows == cols);
                    if !allowed {
                        continue;
                    }
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
                    permutations.push(permutation);
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
    pub fn moved(&self, lines: &mut Lines<'_>, board: &Cells, direction: Direction) -> Cells {
        let mut after = *board;
        let along_rows = direction.along_rows();
        let (count, length, across, step) = if along_rows {
            (self.rows, self.cols, self.cols, 1)
        } else {
            (self.cols, self.rows, 1, self.cols)
        };
        for line in 0..count {
            let mut tiles = [BLANK; CELLS_MAX];
            for place in 0..length {
                tiles[place] = board[line * across + place * step];
            }
            let collapsed = lines.collapsed(&tiles[..length], direction.towards_end());
            for (place, &tile) in collapsed.iter().enumerate() {
                after[line * across + place * step] = tile;
            }
        }
        after
    }
}

/// How a line collapses: towards its end or its start.
pub type Collapse<'a> = &'a dyn Fn(&[Code], bool) -> Vec<Code>;

/// Collapsed lines, each computed by the plain rules when it is first met.
pub struct Lines<'a> {
    collapse: Collapse<'a>,
    /// Towards the start, and towards the end.
    known: HashMap<Box<[Code]>, [Vec<Code>; 2]>,
}

impl<'a> Lines<'a> {
    /// An empty table.
    pub fn new(collapse: Collapse<'a>) -> Self {
        Self {
            collapse,
            known: HashMap::new(),
        }
    }

    fn collapsed(&mut self, line: &[Code], towards_end: bool) -> &[Code] {
        if !self.known.contains_key(line) {
            let both = [false, true].map(|end| (self.collapse)(line, end));
            self.known.insert(line.into(), both);
        }
        &self.known[line][usize::from(towards_end)]
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
