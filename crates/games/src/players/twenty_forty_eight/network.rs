//! The tuple network of 2048: a board's value is a sum of look-ups, one for each feature.
//!
//! # What it computes
//! A shape is a tuple of six cells. Each shape is laid on the board in all eight symmetries, and
//! each time the exponents of the tiles under it, four bits a cell, are the index of a weight. The
//! symmetries of a shape share its table of 16⁶ weights:
//!
//! ```text
//!   value(board) = Σ over shapes s, symmetries g of weight[s][exponents of g(board) on s]
//! ```
//!
//! so mirrored or rotated boards have the same value. A value estimates the merge score still to
//! come after a swipe. Players use weights as whole multiples of a unit, so that the sum is exact
//! and its order does not matter.
//!
//! # The index
//! Bits are grouped by significance, bit 0 of all six exponents lowest:
//!
//! ```text
//!   bits 18–23  bit 3 of the exponents of cells 5 … 0
//!   bits 12–17  bit 2
//!   bits  6–11  bit 1
//!   bits  0–5   bit 0
//! ```
//!
//! Swipes change small tiles much more often than large ones. With this order, look-ups touch few
//! pages of memory, wherever the large tiles are on the board: training makes 1.25 times as many
//! moves per second as with four adjacent bits for each cell.
//!
//! # The bytes
//! What [`Network::from_bytes`] reads: the shapes as 6 bytes each, the unit as a 32-bit float, and
//! the weights as 16-bit integers in the form of `sparse`. All numbers are little-endian.
//!
//! # Sources
//! Szubert and Jaśkowski, "Temporal difference learning of N-tuple networks for the game 2048"
//! (2014), for the network; Matsuzaki, "Systematic selection of N-tuple networks with consideration
//! of interinfluence for game 2048" (2016), for the shapes.

use crate::games::twenty_forty_eight::packed::Packed;
use crate::games::twenty_forty_eight::{NAME, PARAMS, TwentyFortyEight};
use crate::params::Params;
use crate::players::sparse;
use crate::players::weights::{Error, Weights};
use std::io::{self, Read};
use std::sync::Arc;

/// Cells of a shape.
const CELLS: usize = 6;
/// The shapes, each as its cells in reading order.
pub const SHAPES: &[[usize; CELLS]] = &[
    [0, 1, 2, 3, 4, 5],
    [4, 5, 6, 7, 8, 9],
    [0, 1, 2, 4, 5, 6],
    [4, 5, 6, 8, 9, 10],
];
/// Weights of a shape: the exponents of a shape's cells are a number of `ENTRIES` values.
pub const ENTRIES: usize = 1 << (4 * CELLS);
/// Weights of all shapes.
pub const WEIGHTS: usize = SHAPES.len() * ENTRIES;
/// Look-ups of a board.
pub const FEATURES: usize = 8 * SHAPES.len();

/// Neighbouring cells of a shape: how far the planes are shifted so that the cells lie where the
/// index has them, and their bits there.
type Run = (u32, u64);

/// The lowest bit of every plane.
const PLANES: u64 = 0x0001_0001_0001_0001;

/// The runs of neighbouring cells of each shape; runs that a shape does not need are empty.
const RUNS: [[Run; CELLS]; SHAPES.len()] = {
    let mut runs = [[(0, 0); CELLS]; SHAPES.len()];
    let mut shape = 0;
    while shape < SHAPES.len() {
        let cells = SHAPES[shape];
        let mut run = 0;
        let mut place = 0;
        while place < CELLS {
            if place > 0 && cells[place] != cells[place - 1] + 1 {
                run += 1;
            }
            runs[shape][run].0 = (cells[place] - place) as u32;
            runs[shape][run].1 |= PLANES << place;
            place += 1;
        }
        shape += 1;
    }
    runs
};

/// Exchanges the bits of `mask` with those `by` places above.
#[inline(always)]
const fn exchanged(word: u64, by: u32, mask: u64) -> u64 {
    let differing = (word ^ (word >> by)) & mask;
    word ^ differing ^ (differing << by)
}

/// The board as four planes of 16 bits: plane k has bit k of each cell's exponent, in reading
/// order.
#[inline(always)]
const fn planes(board: Packed) -> u64 {
    // A bit's place is a number of six bits, cell (4) and k (2); it becomes k (2) and cell (4).
    // Each step exchanges two of the six.
    let word = exchanged(board.0, 3, 0x0A0A_0A0A_0A0A_0A0A);
    let word = exchanged(word, 6, 0x00CC_00CC_00CC_00CC);
    let word = exchanged(word, 12, 0x0000_F0F0_0000_F0F0);
    exchanged(word, 24, 0x0000_0000_FF00_FF00)
}

/// Planes in all eight symmetries.
#[inline(always)]
const fn symmetries(planes: u64) -> [u64; 8] {
    let turned = exchanged(
        exchanged(planes, 3, 0x0A0A_0A0A_0A0A_0A0A),
        6,
        0x00CC_00CC_00CC_00CC,
    );
    [
        planes,
        mirrored(planes),
        flipped(planes),
        flipped(mirrored(planes)),
        turned,
        mirrored(turned),
        flipped(turned),
        flipped(mirrored(turned)),
    ]
}

/// Each row from its end to its start.
#[inline(always)]
const fn mirrored(planes: u64) -> u64 {
    let pairs = (planes & 0x3333_3333_3333_3333) << 2 | (planes >> 2) & 0x3333_3333_3333_3333;
    (pairs & 0x5555_5555_5555_5555) << 1 | (pairs >> 1) & 0x5555_5555_5555_5555
}

/// The rows from the last to the first.
#[inline(always)]
const fn flipped(planes: u64) -> u64 {
    let halves = (planes & 0x00FF_00FF_00FF_00FF) << 8 | (planes >> 8) & 0x00FF_00FF_00FF_00FF;
    (halves & 0x0F0F_0F0F_0F0F_0F0F) << 4 | (halves >> 4) & 0x0F0F_0F0F_0F0F_0F0F
}

/// The weights that a board looks up, as indices below [`WEIGHTS`].
#[inline(always)]
pub fn features(board: Packed) -> [u32; FEATURES] {
    let mut features = [0; FEATURES];
    for (image, features) in symmetries(planes(board))
        .into_iter()
        .zip(features.chunks_exact_mut(SHAPES.len()))
    {
        for shape in 0..SHAPES.len() {
            let mut cells = 0;
            for (shift, bits) in RUNS[shape] {
                cells |= image >> shift & bits;
            }
            // Six bits of each plane, 16 apart, are moved together.
            let pairs = (cells | cells >> 10) & 0x0000_0FFF_0000_0FFF;
            let index = (pairs | pairs >> 20) as usize & (ENTRIES - 1);
            features[shape] = (shape * ENTRIES + index) as u32;
        }
    }
    features
}

/// The shapes as bytes, for what is written to files.
pub fn shapes() -> Vec<u8> {
    SHAPES.iter().flatten().map(|&cell| cell as u8).collect()
}

/// A learned network, as players use it.
#[derive(Clone, Debug, PartialEq)]
pub struct Network {
    unit: f32,
    weights: Vec<i16>,
}

impl Network {
    /// Rounds weights to multiples of a unit: the largest weight is the largest 16-bit integer.
    ///
    /// # Panics
    /// Panics if there are not [`WEIGHTS`] weights.
    pub fn rounded(weights: &[f32]) -> Self {
        assert_eq!(weights.len(), WEIGHTS, "a weight for each index");
        let largest = weights
            .iter()
            .fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
        let unit = if largest > 0.0 {
            largest / f32::from(i16::MAX)
        } else {
            1.0
        };
        let weights = weights
            .iter()
            .map(|&weight| match weight {
                // Most of them in a young network, and rounding is a call.
                0.0 => 0,
                _ => (weight / unit).round() as i16,
            })
            .collect();
        Self { unit, weights }
    }

    /// The network of a file for a game's rules: learned on the same board with the same rate of
    /// fours, from the game's own start board and with its limit of moves, or without either. The
    /// goal does not matter. All players of the process share it.
    ///
    /// # Errors
    /// Returns an error if the file has no such network, or it cannot be read.
    pub fn read(file: &Weights, game: &TwentyFortyEight) -> Result<Arc<Self>, Error> {
        let is_meant = |params: &Params| {
            let learned = TwentyFortyEight::from_params(params);
            (learned.rows, learned.cols, learned.four_rate)
                == (game.rows, game.cols, game.four_rate)
                && (learned.start.is_none() || learned.start == game.start)
                && (learned.max_moves.is_none() || learned.max_moves == game.max_moves)
        };
        file.decoded(NAME, PARAMS, is_meant, Self::from_bytes)
    }

    /// The merge score that is to come behind a swipe that led to this board.
    #[inline]
    pub fn value(&self, board: Packed) -> f32 {
        let sum: i32 = features(board)
            .iter()
            .map(|&feature| i32::from(self.weights[feature as usize]))
            .sum();
        self.unit * sum as f32
    }

    /// The weight of an index.
    pub(super) fn weight(&self, index: usize) -> f32 {
        self.unit * f32::from(self.weights[index])
    }

    /// The network as bytes.
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = shapes();
        bytes.extend(self.unit.to_le_bytes());
        let put =
            |index: usize| (self.weights[index] != 0).then(|| self.weights[index].to_le_bytes());
        sparse::write(&mut bytes, WEIGHTS, put).expect("a vector takes all bytes");
        bytes
    }

    /// Reads what [`Network::to_bytes`] has written.
    ///
    /// # Errors
    /// Returns an error if the bytes are not a network with these shapes.
    pub fn from_bytes(bytes: &[u8]) -> Result<Self, String> {
        let mut rest = bytes;
        let cut = |error: io::Error| format!("the tuple network is not whole: {error}");
        let mut found = shapes();
        rest.read_exact(&mut found).map_err(cut)?;
        if found != shapes() {
            return Err(
                "it is not a tuple network of 2048 with the shapes of this version".to_owned(),
            );
        }
        let unit = f32::from_le_bytes(sparse::array(&mut rest).map_err(cut)?);
        if !unit.is_finite() {
            return Err(format!("its unit is {unit}"));
        }
        let mut weights = vec![0; WEIGHTS];
        sparse::read(&mut rest, WEIGHTS, |index, bytes| {
            weights[index] = i16::from_le_bytes(bytes);
            Ok(())
        })
        .map_err(cut)?;
        if !rest.is_empty() {
            return Err(format!("{} bytes follow after the network", rest.len()));
        }
        Ok(Self { unit, weights })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SeedableRng, Stream};

    /// A network with a weight that is not 0 for about every 16th index.
    fn network() -> Network {
        let mut stream = Stream::seed_from_u64(6);
        let mut weights = vec![0.0; WEIGHTS];
        for _ in 0..WEIGHTS / 16 {
            weights[(stream.next_u64() % WEIGHTS as u64) as usize] =
                (stream.next_u64() >> 40) as f32 - 8e6;
        }
        Network::rounded(&weights)
    }

    /// The cell that takes the place of a cell in a symmetry, by rows and columns.
    fn moved(cell: usize, symmetry: usize) -> usize {
        let row = cell / 4;
        let col = cell % 4;
        let (row, col) = if symmetry & 4 == 0 {
            (row, col)
        } else {
            (col, row)
        };
        let col = if symmetry & 1 == 0 { col } else { 3 - col };
        let row = if symmetry & 2 == 0 { row } else { 3 - row };
        4 * row + col
    }

    /// The sum written as in the header, a bit at a time.
    fn plain(network: &Network, board: Packed) -> f32 {
        let mut sum = 0;
        for (shape, cells) in SHAPES.iter().enumerate() {
            for symmetry in 0..8 {
                let mut index = 0;
                for (place, &cell) in cells.iter().enumerate() {
                    for bit in 0..4 {
                        let exponent = board.exponent(moved(cell, symmetry)) as usize;
                        index |= (exponent >> bit & 1) << (CELLS * bit + place);
                    }
                }
                sum += i32::from(network.weights[shape * ENTRIES + index]);
            }
        }
        network.unit * sum as f32
    }

    #[test]
    fn values_are_those_of_the_plain_sum_in_all_symmetries() {
        let network = network();
        let mut stream = Stream::seed_from_u64(7);
        for _ in 0..500 {
            let board = Packed(stream.next_u64() & stream.next_u64());
            let value = plain(&network, board);
            for symmetry in 0..8 {
                let cells = (0..16)
                    .map(|cell| u64::from(board.exponent(moved(cell, symmetry))) << (4 * cell));
                assert_eq!(
                    network.value(Packed(cells.sum())),
                    value,
                    "{}, symmetry {symmetry}",
                    board.to_board()
                );
            }
        }
    }

    #[test]
    fn bytes_come_back_and_others_are_refused() {
        let network = network();
        let bytes = network.to_bytes();
        assert!(
            Network::from_bytes(&bytes).unwrap() == network,
            "the network comes back"
        );
        let error = |bytes: &[u8]| Network::from_bytes(bytes).unwrap_err();
        assert!(error(&[]).contains("not whole"));
        assert!(error(&bytes[..bytes.len() - 1]).contains("not whole"));
        assert!(error(&[&bytes[..], &[0]].concat()).contains("1 bytes follow"));
        let mut foreign = bytes.clone();
        foreign[0] = 15;
        assert!(error(&foreign).contains("shapes"));
        let mut infinite = bytes;
        let at = shapes().len();
        infinite[at..at + 4].copy_from_slice(&f32::INFINITY.to_le_bytes());
        assert!(error(&infinite).contains("unit is inf"));
    }
}
