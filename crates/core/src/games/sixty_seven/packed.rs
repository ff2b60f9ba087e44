//! Boards whose numbers are residues modulo the prime 2⁶¹ − 1, for kernels and for players that use
//! kernels.

use super::Operator;
use super::line::Tile;
use super::reference::TileBoard;
use super::residue::{PRIME, nearest};
use crate::games::grid::Grid;
use num_bigint::BigInt;

/// A tile in one word.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct PackedTile(u64);

impl PackedTile {
    /// A blank cell.
    pub const BLANK: Self = Self(u64::MAX);
    const OPERATORS: u64 = 1 << 62;

    /// The number with this residue.
    ///
    /// # Panics
    /// Panics if `residue` is not below the prime 2⁶¹ − 1.
    pub const fn of(residue: u64) -> Self {
        assert!(residue < PRIME, "a residue is below the prime");
        Self(residue)
    }

    /// The operator with this number in [`Operator::ALL`].
    pub(super) const fn numbered(operator: usize) -> Self {
        Self(Self::OPERATORS + operator as u64)
    }

    /// Packs a tile; numbers of any size become residues.
    pub fn pack(tile: &Tile) -> Self {
        match tile {
            Tile::Blank => Self::BLANK,
            Tile::Operator(operator) => Self::numbered(*operator as usize),
            Tile::Number(number) => {
                let prime = BigInt::from(PRIME);
                let residue = ((&*number.to_big() % &prime) + &prime) % &prime;
                Self(u64::try_from(residue).expect("a residue is below the prime"))
            }
        }
    }

    /// The tile; a number is the one nearest to 0 with its residue, from -2⁶⁰ + 1 to 2⁶⁰ - 1.
    pub fn unpack(self) -> Tile {
        match (self.operator(), self.residue()) {
            (Some(operator), _) => Tile::Operator(operator),
            (_, Some(residue)) => Tile::number(nearest(residue)),
            _ => Tile::Blank,
        }
    }

    /// Whether the cell is free.
    pub const fn is_blank(self) -> bool {
        self.0 == Self::BLANK.0
    }

    /// The operator, if the tile is one.
    pub fn operator(self) -> Option<Operator> {
        Operator::ALL
            .get(usize::try_from(self.0.checked_sub(Self::OPERATORS)?).ok()?)
            .copied()
    }

    /// The number's residue, if the tile is a number.
    pub fn residue(self) -> Option<u64> {
        (self.0 < PRIME).then_some(self.0)
    }
}

impl Default for PackedTile {
    fn default() -> Self {
        Self::BLANK
    }
}

/// A board of packed tiles. Two boards are equal when all tiles are, up to the prime.
pub type PackedBoard = Grid<PackedTile>;

impl PackedBoard {
    /// Packs a board.
    pub fn pack(board: &TileBoard) -> Self {
        board.map(PackedTile::pack)
    }

    /// The board with each number as the one nearest to 0 with its residue.
    pub fn unpack(&self) -> TileBoard {
        self.map(|tile| tile.unpack())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_come_back_up_to_the_prime() {
        for text in [
            "_",
            "+",
            "-",
            "*",
            "0",
            "67",
            "-12",
            "1152921504606846975",
            "-1152921504606846975",
        ] {
            let tile = Tile::parse(text).unwrap();
            assert_eq!(PackedTile::pack(&tile).unpack(), tile);
        }
        let prime_and_67 = Tile::parse("2305843009213694018").unwrap();
        assert_eq!(PackedTile::pack(&prime_and_67), PackedTile::of(67));
        let power = Tile::number(BigInt::from(2).pow(200));
        assert_ne!(PackedTile::pack(&power), PackedTile::of(0));
    }
}
