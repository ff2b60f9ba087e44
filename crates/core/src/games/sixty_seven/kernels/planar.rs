//! A single board as planes, outside of a vector.

use super::layout::Layout;
use crate::games::sixty_seven::packed::{PackedBoard, PackedTile};

/// One board: planes of `W` words, indices of `H` bits. See [`super::turn::Planes`].
#[derive(Clone, Debug)]
pub(super) struct PlanarBoard<const W: usize, const H: usize> {
    pub occupied: [u64; W],
    pub operators: [u64; W],
    pub indices: [[u64; W]; H],
    /// Value indices not in use.
    pub free: [u64; W],
    /// The values of those in use, by index.
    pub values: Vec<u64>,
}

impl<const W: usize, const H: usize> PlanarBoard<W, H> {
    /// The blank board.
    pub(super) const fn blank() -> Self {
        Self {
            occupied: [0; W],
            operators: [0; W],
            indices: [[0; W]; H],
            free: [u64::MAX; W],
            values: Vec::new(),
        }
    }

    /// A board whose numbers take the first value indices.
    pub(super) fn new(layout: &Layout<W>, board: &PackedBoard) -> Self {
        let mut planar = Self::blank();
        planar.read(layout, board);
        planar
    }

    /// Becomes this board, as from [`PlanarBoard::new`].
    pub(super) fn read(&mut self, layout: &Layout<W>, board: &PackedBoard) {
        let mut values = std::mem::take(&mut self.values);
        values.clear();
        *self = Self::blank();
        self.values = values;
        for (cell, tile) in board.tiles().iter().enumerate() {
            let word = layout.bit(cell) / 64;
            let bit = 1 << (layout.bit(cell) % 64);
            let index = if let Some(operator) = tile.operator() {
                self.operators[word] |= bit;
                operator as usize
            } else if let Some(residue) = tile.residue() {
                let index = self.values.len();
                self.free[index / 64] &= !(1 << (index % 64));
                self.values.push(residue);
                index
            } else {
                continue;
            };
            self.occupied[word] |= bit;
            for (b, plane) in self.indices.iter_mut().enumerate() {
                plane[word] |= if index >> b & 1 == 1 { bit } else { 0 };
            }
        }
    }

    /// The board that the planes show.
    pub(super) fn board(&self, layout: &Layout<W>, rows: usize, cols: usize) -> PackedBoard {
        let mut board = PackedBoard::blank(rows, cols);
        for cell in 0..rows * cols {
            let at = layout.bit(cell);
            let bit = |plane: &[u64; W]| plane[at / 64] >> (at % 64) & 1;
            if bit(&self.occupied) == 1 {
                let index = self
                    .indices
                    .iter()
                    .enumerate()
                    .fold(0, |sum, (b, plane)| sum | (bit(plane) as usize) << b);
                let operator = bit(&self.operators) == 1;
                board.put(
                    cell,
                    if operator {
                        PackedTile::numbered(index)
                    } else {
                        PackedTile::of(self.values[index])
                    },
                );
            }
        }
        board
    }
}
