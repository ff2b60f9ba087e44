//! Where the cells lie, and what moving in a direction means for a plane of bits.
//!
//! A plane has one bit a cell, in reading order without padding: cell (row, col) is bit `row × cols + col` of `W` words, least
//! significant bit first. A plane is a ring of 64 W bits. Moving every tile by some cells in one direction rotates the ring:
//!
//! ```text
//!   6×7, one word                left:  rotate right by 1      pull(x, left)  brings each cell its right neighbour
//!   bit  0  1  2  3  4  5  6     right: rotate left by 1       push = pull in the opposite direction
//!        7  8  9 10 …            up:    rotate right by cols
//!        …          41           down:  rotate left by cols
//! ```
//!
//! So a direction is data: a rotation count and a few masks, looked up per lane. Bits that a rotation carries around the end
//! of a line are masked off where they could matter.

use super::isa::Isa;
use crate::games::sixty_seven::Direction;

/// Steps of 1, 2, 4 and 8 cells.
pub(super) const STEPS: usize = 4;

/// One plane of a vector of games.
pub(super) type Plane<V, const W: usize> = [V; W];

/// Tables by direction (in the order of [`Direction::ALL`]) for boards whose planes take `W` words.
#[derive(Clone, Debug)]
pub(super) struct Layout<const W: usize> {
    /// The board's cells.
    pub board: [u64; W],
    /// Rotation to the left that pulls by `1 << step` cells.
    counts: [[u64; 4]; STEPS],
    /// Which bits of a rotated word belong to the word that lies so many words before it.
    parts: [[[u64; 4]; W]; STEPS],
    /// Cells with at least `1 << step` cells between them and the edge that the tiles move towards.
    before: [[[u64; 4]; W]; STEPS],
    /// How far apart in bits neighbours are, away from the edge.
    pub strides: [i64; 4],
}

impl<const W: usize> Layout<W> {
    /// The layout of a board of `rows` × `cols` ≤ 64 W cells.
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        assert!(rows * cols <= 64 * W, "{rows} × {cols} cells do not fit {W} words");
        let mut layout = Self {
            board: [0; W],
            counts: [[0; 4]; STEPS],
            parts: [[[0; 4]; W]; STEPS],
            before: [[[0; 4]; W]; STEPS],
            strides: [0; 4],
        };
        for cell in 0..rows * cols {
            layout.board[cell / 64] |= 1 << (cell % 64);
        }
        for (d, direction) in Direction::ALL.into_iter().enumerate() {
            let stride = if direction.along_rows() { 1 } else { cols as i64 };
            layout.strides[d] = if direction.towards_end() { -stride } else { stride };
            for step in 0..STEPS {
                layout.set_step(rows, cols, direction, step);
            }
        }
        layout
    }

    fn set_step(&mut self, rows: usize, cols: usize, direction: Direction, step: usize) {
        let (d, bits) = (direction as usize, 64 * W as i64);
        // Pulling rotates the ring of bits to the right by this much.
        let amount = (self.strides[d] << step).rem_euclid(bits) as usize;
        let (words, rest) = (amount / 64, amount % 64);
        self.counts[step][d] = (64 - rest as u64) % 64;
        // Word w gets the upper 64 - rest bits of word w + words and the lower `rest` bits of the word after that one.
        self.parts[step][words][d] |= u64::MAX >> rest;
        self.parts[step][(words + 1) % W][d] |= !(u64::MAX >> rest);
        for cell in 0..rows * cols {
            let (row, col) = (cell / cols, cell % cols);
            let before = match direction {
                Direction::Up => row,
                Direction::Down => rows - 1 - row,
                Direction::Left => col,
                Direction::Right => cols - 1 - col,
            };
            if before >= 1 << step {
                self.before[step][cell / 64][d] |= 1 << (cell % 64);
            }
        }
    }

    /// The way that each lane goes, `directions` being numbers in the order of [`Direction::ALL`].
    #[inline(always)]
    pub(super) fn way<I: Isa, const R: usize>(&self, isa: I, directions: I::Vector) -> Way<I, W> {
        // Opposite directions are neighbours in the order.
        let opposite = isa.xor(directions, isa.splat(1));
        let mut way = Way {
            pull: self.side::<I, R>(isa, directions),
            push: self.side::<I, R>(isa, opposite),
            before: [[directions; W]; STEPS],
            after: [[directions; W]; 2],
        };
        for step in 0..R {
            for w in 0..W {
                way.before[step][w] = isa.lookup4(&self.before[step][w], directions);
            }
        }
        for step in 0..2 {
            for w in 0..W {
                way.after[step][w] = isa.lookup4(&self.before[step][w], opposite);
            }
        }
        way
    }

    #[inline(always)]
    fn side<I: Isa, const R: usize>(&self, isa: I, directions: I::Vector) -> Side<I, W> {
        let mut side = Side { counts: [directions; STEPS], parts: [[directions; W]; STEPS] };
        for step in 0..R {
            side.counts[step] = isa.lookup4(&self.counts[step], directions);
            if W > 1 {
                for d in 0..W {
                    side.parts[step][d] = isa.lookup4(&self.parts[step][d], directions);
                }
            }
        }
        side
    }
}

/// One sense of a direction.
pub(super) struct Side<I: Isa, const W: usize> {
    counts: [I::Vector; STEPS],
    parts: [[I::Vector; W]; STEPS],
}

impl<I: Isa, const W: usize> Side<I, W> {
    #[inline(always)]
    fn shift(&self, isa: I, x: Plane<I::Vector, W>, step: usize) -> Plane<I::Vector, W> {
        let mut turned = x;
        for w in 0..W {
            turned[w] = isa.rotate(x[w], self.counts[step]);
        }
        if W == 1 {
            return turned;
        }
        let mut shifted = turned;
        for w in 0..W {
            shifted[w] = isa.and(turned[w], self.parts[step][0]);
            for d in 1..W {
                shifted[w] = isa.or_and(shifted[w], turned[(w + d) % W], self.parts[step][d]);
            }
        }
        shifted
    }
}

/// The direction of each lane, as rotations and masks.
pub(super) struct Way<I: Isa, const W: usize> {
    pull: Side<I, W>,
    push: Side<I, W>,
    /// Cells with at least `1 << step` cells between them and the edge.
    pub before: [Plane<I::Vector, W>; STEPS],
    /// Cells with at least 1 and 2 cells behind them, away from the edge.
    pub after: [Plane<I::Vector, W>; 2],
}

impl<I: Isa, const W: usize> Way<I, W> {
    /// Brings each cell what stands `1 << step` cells further from the edge; garbage beyond the line's end.
    #[inline(always)]
    pub(super) fn pull(&self, isa: I, x: Plane<I::Vector, W>, step: usize) -> Plane<I::Vector, W> {
        self.pull.shift(isa, x, step)
    }

    /// Brings each cell what stands `1 << step` cells nearer to the edge; garbage beyond the line's end.
    #[inline(always)]
    pub(super) fn push(&self, isa: I, x: Plane<I::Vector, W>, step: usize) -> Plane<I::Vector, W> {
        self.push.shift(isa, x, step)
    }
}

#[cfg(test)]
mod tests {
    use super::super::portable::Portable;
    use super::*;

    /// Every cell alone is pulled and pushed by 1, 2, 4 and 8 in every direction, and lands where it should.
    fn check<const W: usize>(rows: usize, cols: usize) {
        let layout = Layout::<W>::new(rows, cols);
        for (d, direction) in Direction::ALL.into_iter().enumerate() {
            let way = layout.way::<Portable, STEPS>(Portable, d as u64);
            for (cell, step) in (0..rows * cols).flat_map(|cell| (0..STEPS).map(move |step| (cell, step))) {
                let mut plane = [0; W];
                plane[cell / 64] = 1 << (cell % 64);
                let (row, col, by) = (cell / cols, cell % cols, 1 << step);
                let before = match direction {
                    Direction::Up => row,
                    Direction::Down => rows - 1 - row,
                    Direction::Left => col,
                    Direction::Right => cols - 1 - col,
                };
                let is_before = way.before[step][cell / 64] >> (cell % 64) & 1 == 1;
                assert_eq!(is_before, before >= by);
                if before < by {
                    continue;
                }
                let target = (cell as i64 - (layout.strides[d] << step)) as usize;
                let mut moved = [0; W];
                moved[target / 64] = 1 << (target % 64);
                assert_eq!(way.pull(Portable, plane, step), moved, "{rows}×{cols} {direction} {cell} by {by}");
                assert_eq!(way.push(Portable, moved, step), plane, "{rows}×{cols} {direction} {cell} by {by}");
            }
        }
    }

    #[test]
    fn rotations_follow_the_board() {
        check::<1>(6, 7);
        check::<1>(8, 8);
        check::<1>(1, 9);
        check::<1>(4, 16);
        check::<2>(10, 10);
        check::<2>(8, 16);
        check::<2>(16, 8);
        check::<4>(12, 11);
        check::<4>(16, 16);
    }
}
