//! A single board as planes, outside of a vector.

use super::layout::Layout;
use super::plane::Plane;
use super::portable::Portable;
use super::turn::Planes;
use crate::games::sixty_seven::packed::{PackedBoard, PackedTile};

/// One board: planes of `W` words, indices of `H` bits.
pub(super) struct PlanarBoard<const W: usize, const H: usize> {
    pub planes: Planes<Portable, W, H>,
    /// Value indices not in use.
    pub free: Plane<Portable, W>,
    /// The values of the indices in use, by index.
    pub values: Vec<u64>,
}

impl<const W: usize, const H: usize> PlanarBoard<W, H> {
    /// The blank board.
    pub(super) fn blank() -> Self {
        Self {
            planes: Planes::blank(Portable),
            free: Plane::splat(Portable, &[u64::MAX; W]),
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
        *self = Self {
            values,
            ..Self::blank()
        };
        let planes = &mut self.planes;
        for (cell, tile) in board.tiles().iter().enumerate() {
            let at = layout.bit(cell);
            let index = if let Some(operator) = tile.operator() {
                planes.operators.flip(at, 1);
                operator as usize
            } else if let Some(residue) = tile.residue() {
                let index = self.values.len();
                self.free.flip(index, 1);
                self.values.push(residue);
                index
            } else {
                continue;
            };
            planes.occupied.flip(at, 1);
            for (b, plane) in planes.indices.iter_mut().enumerate() {
                plane.flip(at, index >> b & 1);
            }
        }
    }
}

/// What stands on a cell.
pub(super) enum Indexed {
    /// The operator with this number.
    Operator(usize),
    /// A number whose value has this index.
    Number(usize),
}

impl<const W: usize> Plane<Portable, W> {
    /// Bit number `at`.
    pub(super) const fn bit(&self, at: usize) -> usize {
        (self.words[at / 64] >> (at % 64)) as usize & 1
    }

    /// Adds `bit`, 0 or 1, to bit number `at`.
    const fn flip(&mut self, at: usize, bit: usize) {
        self.words[at / 64] ^= (bit as u64) << (at % 64);
    }
}

impl<const W: usize, const H: usize> Planes<Portable, W, H> {
    /// The tile on the cell with bit number `at`.
    pub(super) fn tile(&self, at: usize) -> Option<Indexed> {
        let indices = self.indices.iter().enumerate();
        let index = indices.fold(0, |index, (b, plane)| index | plane.bit(at) << b);
        (self.occupied.bit(at) == 1).then_some(if self.operators.bit(at) == 1 {
            Indexed::Operator(index)
        } else {
            Indexed::Number(index)
        })
    }

    /// The board that the planes show, of numbers with these values.
    pub(super) fn board(
        &self,
        layout: &Layout<W>,
        rows: usize,
        cols: usize,
        values: &[u64],
    ) -> PackedBoard {
        let mut board = PackedBoard::blank(rows, cols);
        for cell in 0..rows * cols {
            match self.tile(layout.bit(cell)) {
                None => {}
                Some(Indexed::Operator(number)) => board.put(cell, PackedTile::numbered(number)),
                Some(Indexed::Number(index)) => board.put(cell, PackedTile::of(values[index])),
            }
        }
        board
    }
}
