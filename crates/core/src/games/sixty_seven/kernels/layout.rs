//! The layout of cells in a plane of bits, and how a plane moves in a direction.
//!
//! A plane has one bit a cell, in `W` words, least significant bit first; rows follow each other
//! every `stride` bits, with nothing between where the stride is wider than the board. A word is a
//! ring: moving every tile by some cells in one direction rotates it.
//!
//! ```text
//!   6×7, one word                left:  rotate right by 1    pull(x, left) brings each cell its
//!   bit  0  1  2  3  4  5  6     right: rotate left by 1     right neighbour
//!        8  9 10 11 …            up:    rotate right by 8    push = pull in the opposite
//!        …          46           down:  rotate left by 8     direction
//! ```
//!
//! So a direction is data, looked up for each game: a rotation count and a few masks, together a
//! [`Shift`]. Bits that a rotation carries around the end of a line are masked off where they
//! matter. If the instruction set can shift each game's word to either side but not rotate it
//! ([`Isa::SHIFTS`]), planes of one word are shifted.
//!
//! | words | boards | stride | bits that a rotated word takes from other words |
//! | --- | --- | --- | --- |
//! | 1 | up to 8 × 8 | 8 | none |
//! | 2 | up to 128 cells | cols | from the other word: the two are one ring of 128 bits |
//! | 4 | up to 16 × 16 | 16 | from a neighbouring word; over 8 rows, from the word two further |
//!
//! With stride 16 no row crosses words.

use super::isa::Isa;
use super::plane::Plane;
use super::queued;
use crate::games::sixty_seven::Direction;

/// Steps of 1, 2, 4 and 8 cells.
pub(super) const STEPS: usize = 4;

/// The stride of boards up to 8 × 8.
const SHORT_STRIDE: usize = 8;

/// The steps that the lines of boards of `words` words take: of 1, 2, 4 cells, and of 8.
#[inline(always)]
pub(super) const fn steps(words: usize) -> usize {
    if words == 1 { 3 } else { STEPS }
}

/// Tables by direction (in the order of [`Direction::ALL`]) for boards whose planes take `W` words.
#[derive(Clone, Debug)]
pub(super) struct Layout<const W: usize> {
    /// The board's cells.
    pub board: [u64; W],
    cols: usize,
    /// Bits from a row to the next.
    stride: usize,
    /// Rotation to the left that pulls by `1 << step` cells.
    counts: [[u64; 4]; STEPS],
    /// Shift to the left, or to the right where negative, that pulls by `1 << step` cells on boards
    /// of one word.
    shifts: [[u64; 4]; STEPS],
    /// Which bits of a word that is pulled by `1 << step` cells come from that word itself.
    own: [[u64; 4]; STEPS],
    /// All ones where, on boards of four words, the other bits come from the previous word.
    backward: [u64; 4],
    /// Cells with at least `1 << step` cells between them and the edge that the tiles move towards.
    before: [[[u64; 4]; W]; STEPS],
    /// How far apart in bits neighbours are, away from the edge.
    strides: [i64; 4],
    /// The offsets of [`queued::spread`] for each direction.
    spread: [u64; 4],
}

impl<const W: usize> Layout<W> {
    /// The layout of a board of `rows` × `cols` ≤ 64 W cells, with one word of up to 8 × 8.
    pub(super) fn new(rows: usize, cols: usize) -> Self {
        assert!(
            rows * cols <= 64 * W,
            "{rows} × {cols} cells do not fit {W} words"
        );
        assert!(
            W > 1 || rows.max(cols) <= SHORT_STRIDE,
            "{rows} × {cols} cells take more than one word"
        );
        let stride = match W {
            1 => SHORT_STRIDE,
            2 => cols,
            _ => 16,
        };
        let mut layout = Self {
            board: [0; W],
            cols,
            stride,
            counts: [[0; 4]; STEPS],
            shifts: [[0; 4]; STEPS],
            own: [[0; 4]; STEPS],
            backward: [0; 4],
            before: [[[0; 4]; W]; STEPS],
            strides: [0; 4],
            spread: [0; 4],
        };
        for cell in 0..rows * cols {
            let bit = layout.bit(cell);
            layout.board[bit / 64] |= 1 << (bit % 64);
        }
        for (d, direction) in Direction::ALL.into_iter().enumerate() {
            let stride = if direction.along_rows() {
                1
            } else {
                stride as i64
            };
            layout.strides[d] = if direction.towards_end() {
                -stride
            } else {
                stride
            };
            layout.backward[d] = if direction.towards_end() { u64::MAX } else { 0 };
            layout.spread[d] = queued::spread(layout.strides[d]);
            for step in 0..STEPS {
                layout.set_step(rows, cols, direction, step);
            }
        }
        layout
    }

    /// The bit of a cell.
    pub(super) const fn bit(&self, cell: usize) -> usize {
        cell / self.cols * self.stride + cell % self.cols
    }

    fn set_step(&mut self, rows: usize, cols: usize, direction: Direction, step: usize) {
        let d = direction as usize;
        let bits = 64 * W as i64;
        // Pulling rotates the ring of bits to the right by this much.
        let amount = (self.strides[d] << step).rem_euclid(bits) as usize;
        let words = amount / 64;
        let rest = amount % 64;
        self.counts[step][d] = (64 - rest as u64) % 64;
        self.shifts[step][d] = (-(self.strides[d] << step)).cast_unsigned();
        // The upper 64 - rest bits of a word come to lie in its lower bits.
        let lower = u64::MAX >> rest;
        self.own[step][d] = match W {
            1 => u64::MAX,
            2 if words == 0 => lower,
            2 => !lower,
            // Rows do not cross words, so that along rows nothing comes from elsewhere.
            _ if direction.along_rows() => u64::MAX,
            _ if rest == 0 => 0,
            _ if direction.towards_end() => !lower,
            _ => lower,
        };
        for cell in 0..rows * cols {
            let row = cell / cols;
            let col = cell % cols;
            let bit = self.bit(cell);
            let before = match direction {
                Direction::Up => row,
                Direction::Down => rows - 1 - row,
                Direction::Left => col,
                Direction::Right => cols - 1 - col,
            };
            if before >= 1 << step {
                self.before[step][bit / 64][d] |= 1 << (bit % 64);
            }
        }
    }

    /// The offsets of [`queued::spread`] for the direction of each game.
    #[inline(always)]
    pub(super) fn spread<I: Isa>(&self, isa: I, directions: I::Vector) -> I::Vector {
        isa.lookup4(&self.spread, directions)
    }

    /// The shifts up and to the left, in all games.
    #[inline(always)]
    pub(super) fn axes<I: Isa>(&self, isa: I) -> [Shift<I, W>; 2] {
        let [up, left] = [
            isa.splat(Direction::Up as u64),
            isa.splat(Direction::Left as u64),
        ];
        [self.shift(isa, up), self.shift(isa, left)]
    }

    /// The shift of each game's direction; `directions` are numbers in the order of
    /// [`Direction::ALL`].
    #[inline(always)]
    pub(super) fn shift<I: Isa>(&self, isa: I, directions: I::Vector) -> Shift<I, W> {
        // Opposite directions are neighbours in the order.
        let opposite = isa.xor(directions, isa.splat(1));
        let zero = Plane::zero(isa);
        let tables = if W > 1 || !I::SHIFTS {
            &self.counts
        } else {
            &self.shifts
        };
        let mut shift = Shift {
            counts: [isa.lookup4(&tables[0], directions); STEPS],
            own: [[directions; STEPS]; 2],
            backward: isa.lookup4(&self.backward, directions),
            before: [zero; STEPS],
            after: [zero; 2],
        };
        for step in 0..steps(W) {
            shift.counts[step] = isa.lookup4(&tables[step], directions);
            if W > 1 {
                shift.own[0][step] = isa.lookup4(&self.own[step], directions);
                shift.own[1][step] = isa.lookup4(&self.own[step], opposite);
            }
            shift.before[step] = Plane::lookup4(isa, &self.before[step], directions);
        }
        for step in 0..2 {
            shift.after[step] = Plane::lookup4(isa, &self.before[step], opposite);
        }
        shift
    }
}

/// The direction of each game, as rotations and masks.
pub(super) struct Shift<I: Isa, const W: usize> {
    counts: [I::Vector; STEPS],
    /// Which bits of a word come from that word itself when it is pulled, pushed.
    own: [[I::Vector; STEPS]; 2],
    /// All ones where the direction is towards the end of lines.
    backward: I::Vector,
    /// Cells with at least `1 << step` cells between them and the edge.
    pub before: [Plane<I, W>; STEPS],
    /// Cells with at least 1 and 2 cells behind them, away from the edge.
    pub after: [Plane<I, W>; 2],
}

impl<I: Isa, const W: usize> Shift<I, W> {
    /// Brings each cell what stands `1 << step` cells further from the edge; garbage beyond the
    /// line's end.
    #[inline(always)]
    pub(super) fn pull(&self, plane: Plane<I, W>, step: usize) -> Plane<I, W> {
        self.exchange(plane.rotate(self.counts[step]), step, 0)
    }

    /// Brings each cell what stands `1 << step` cells nearer to the edge; garbage beyond the line's
    /// end.
    #[inline(always)]
    pub(super) fn push(&self, plane: Plane<I, W>, step: usize) -> Plane<I, W> {
        self.exchange(plane.rotate_back(self.counts[step]), step, 1)
    }

    /// Gives each rotated word the bits that come from other words; `sense` is 0 for a pull, 1 for
    /// a push.
    #[inline(always)]
    fn exchange(&self, turned: Plane<I, W>, step: usize, sense: usize) -> Plane<I, W> {
        if W == 1 {
            return turned;
        }
        let isa = turned.isa;
        let turned = turned.words;
        let mut words = turned;
        for w in 0..W {
            let elsewhere = if W == 2 || step == 3 {
                turned[(w + W / 2) % W]
            } else {
                let around = [turned[(w + W - 1) % W], turned[(w + 1) % W]];
                isa.pick(self.backward, around[sense], around[1 - sense])
            };
            words[w] = isa.apart(isa.pick(self.own[sense][step], turned[w], elsewhere));
        }
        Plane { isa, words }
    }
}

#[cfg(test)]
mod tests {
    use super::super::portable::Portable;
    use super::*;

    /// Every cell alone is pulled and pushed by 1, 2, 4 and 8 in every direction, and lands where
    /// it should.
    fn check<const W: usize>(rows: usize, cols: usize) {
        let layout = Layout::<W>::new(rows, cols);
        for (d, direction) in Direction::ALL.into_iter().enumerate() {
            let shift = layout.shift(Portable, d as u64);
            for (cell, step) in
                (0..rows * cols).flat_map(|cell| (0..STEPS).map(move |step| (cell, step)))
            {
                let mut plane = Plane::<Portable, W>::zero(Portable);
                let bit = layout.bit(cell);
                plane.words[bit / 64] = 1 << (bit % 64);
                let row = cell / cols;
                let col = cell % cols;
                let by = 1 << step;
                let before = match direction {
                    Direction::Up => row,
                    Direction::Down => rows - 1 - row,
                    Direction::Left => col,
                    Direction::Right => cols - 1 - col,
                };
                let is_before = shift.before[step].words[bit / 64] >> (bit % 64) & 1 == 1;
                assert_eq!(is_before, before >= by);
                if before < by {
                    continue;
                }
                let target = (bit as i64 - (layout.strides[d] << step)) as usize;
                let mut moved = Plane::zero(Portable);
                moved.words[target / 64] = 1 << (target % 64);
                assert_eq!(
                    shift.pull(plane, step).words,
                    moved.words,
                    "{rows}×{cols} {direction} {cell} by {by}"
                );
                assert_eq!(
                    shift.push(moved, step).words,
                    plane.words,
                    "{rows}×{cols} {direction} {cell} by {by}"
                );
            }
        }
    }

    #[test]
    fn rotations_follow_the_board() {
        check::<1>(6, 7);
        check::<1>(8, 8);
        check::<2>(1, 9);
        check::<2>(4, 16);
        check::<2>(10, 10);
        check::<2>(8, 16);
        check::<2>(16, 8);
        check::<4>(12, 11);
        check::<4>(16, 16);
    }
}
