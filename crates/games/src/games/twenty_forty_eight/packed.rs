//! 4×4 boards of powers of two in one 64-bit word, with row tables.
//!
//! A cell is four bits that hold the exponent of its tile, 0 for a blank; cell k in reading order
//! lies at bit 4k:
//!
//! ```text
//!   row 0  bits  0–15    col 0  bits 0–3 of the row
//!   row 1  bits 16–31    col 1  bits 4–7
//!   row 2  bits 32–47    col 2  bits 8–11
//!   row 3  bits 48–63    col 3  bits 12–15
//! ```
//!
//! All swipes derive from one table of slid rows ([`SlidRows`]); up and down slide the transposed
//! board. The largest tile is 2¹⁵ = 32768. Two of them would merge into a tile that does not fit.
//! Callers must prevent this by a bound on the sum of the tiles: below [`POINTS_BOUND`] there
//! cannot be two.

use super::board::NumberBoard;
use crate::games::direction::Direction;
use std::sync::LazyLock;

/// Boards whose tiles sum to less than this never have two tiles 32768.
pub const POINTS_BOUND: u64 = 1 << 16;

/// The lowest bit of every cell.
pub const ONES: u64 = 0x1111_1111_1111_1111;

/// A 4×4 board of tiles 2 to 32768.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct Packed(pub u64);

impl Packed {
    /// Packs a board; `None` when it is not 4×4 or has a number that is not a power of two from 2
    /// to 32768.
    pub fn from_board(board: &NumberBoard) -> Option<Self> {
        if (board.rows(), board.cols()) != (4, 4) {
            return None;
        }
        let exponent = |&tile: &u64| match tile {
            0 => Some(0),
            2..=32_768 if tile.is_power_of_two() => Some(u64::from(tile.ilog2())),
            _ => None,
        };
        let mut cells = board.tiles().iter().rev().map(exponent);
        cells
            .try_fold(0, |word, exponent| Some(word << 4 | exponent?))
            .map(Self)
    }

    /// The board as plain numbers.
    pub fn to_board(self) -> NumberBoard {
        let mut board = NumberBoard::blank(4, 4);
        for (cell, tile) in self.tiles().enumerate() {
            board.put(cell, tile);
        }
        board
    }

    /// The exponent on a cell, numbered in reading order; 0 for a blank.
    #[inline(always)]
    pub const fn exponent(self, cell: usize) -> u32 {
        (self.0 >> (4 * cell)) as u32 & 15
    }

    /// The number on a cell, 0 for a blank.
    #[inline(always)]
    pub const fn tile(self, cell: usize) -> u64 {
        (1 << self.exponent(cell)) & !1
    }

    /// The lowest bit of every blank cell.
    #[inline(always)]
    pub const fn blanks(self) -> u64 {
        !occupied(self.0) & ONES
    }

    /// The numbers of all cells.
    #[inline(always)]
    pub fn tiles(self) -> impl Iterator<Item = u64> {
        (0..16).map(move |cell| self.tile(cell))
    }

    /// The sum of all tiles.
    pub fn points(self) -> u64 {
        self.tiles().sum()
    }

    /// The largest tile; 0 on a blank board.
    pub fn largest(self) -> u64 {
        self.tiles().max().unwrap_or(0)
    }

    /// What merges have earned if all tiles had been spawned as 2: (e − 1)·2ᵉ for each tile 2ᵉ.
    ///
    /// A merge of two 2ᵉ raises this by 2ᵉ⁺¹, the merge's score, and a spawned 4 raises it by 4; so
    /// the merge score of a game is the difference of this between its end and its start, less 4
    /// for each spawned 4.
    pub fn earned(self) -> u64 {
        (0..16)
            .map(|cell| u64::from(self.exponent(cell).saturating_sub(1)) * self.tile(cell))
            .sum()
    }

    /// The board mirrored at its main diagonal: rows become columns.
    #[inline(always)]
    pub const fn transposed(self) -> Self {
        Self(transposed_if(u64::MAX, self.0))
    }
}

/// The lowest bit of every occupied cell, with other bits undefined.
#[inline(always)]
pub const fn occupied(board: u64) -> u64 {
    let pairs = board | (board >> 1);
    pairs | (pairs >> 2)
}

/// The board mirrored at its main diagonal where the condition is all ones, not where it is 0.
#[inline(always)]
pub(super) const fn transposed_if(condition: u64, board: u64) -> u64 {
    let swap = (board ^ (board >> 12)) & 0x0000_F0F0_0000_F0F0 & condition;
    let board = board ^ swap ^ (swap << 12);
    let swap = (board ^ (board >> 24)) & 0x0000_0000_FF00_FF00 & condition;
    board ^ swap ^ (swap << 24)
}

/// What becomes of a row.
#[derive(Clone, Copy, Default)]
struct SlidRow {
    to_start: u16,
    to_end: u16,
    /// The sum of the tiles that merges make, which is the same both ways: every run of equal tiles
    /// merges in pairs from either end.
    score: u32,
}

/// What becomes of each of the 65536 rows. Two tiles 32768 do not merge here: a row with such a
/// pair counts as not changed.
pub struct SlidRows(Box<[SlidRow; 1 << 16]>);

static SLID_ROWS: LazyLock<SlidRows> = LazyLock::new(SlidRows::new);

/// A board after a swipe and what the swipe earned. The board equals the one before where the swipe
/// is not legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swiped {
    /// The board after the swipe.
    pub board: Packed,
    /// The sum of the tiles that merges made.
    pub score: u32,
}

impl SlidRows {
    /// The table, made from the plain engine at the first call.
    pub fn get() -> &'static Self {
        &SLID_ROWS
    }

    fn new() -> Self {
        let mut rows = vec![SlidRow::default(); 1 << 16];
        for row in 0..=u16::MAX {
            let (slid, score) = slide_row(row);
            rows[usize::from(row)].to_start = slid;
            rows[usize::from(row)].score = score;
            rows[usize::from(mirrored(row))].to_end = mirrored(slid);
        }
        let rows = rows.into_boxed_slice().try_into();
        Self(rows.ok().expect("there is one entry for each row"))
    }

    /// All rows of a board slid to their start or their end, and what that earned.
    #[inline(always)]
    pub(super) fn slide(&self, towards_end: bool, board: u64) -> (u64, u32) {
        let mut after = 0;
        let mut score = 0;
        for shift in [0, 16, 32, 48] {
            let row = self.0[usize::from((board >> shift) as u16)];
            let slid = if towards_end {
                row.to_end
            } else {
                row.to_start
            };
            after |= u64::from(slid) << shift;
            score += row.score;
        }
        (after, score)
    }

    /// A swipe.
    #[inline(always)]
    pub fn swipe(&self, board: Packed, direction: Direction) -> Swiped {
        let facing = |board: Packed| {
            if direction.along_rows() {
                board
            } else {
                board.transposed()
            }
        };
        let (board, score) = self.slide(direction.towards_end(), facing(board).0);
        Swiped {
            board: facing(Packed(board)),
            score,
        }
    }

    /// All swipes, in the order of [`Direction::ALL`].
    #[inline(always)]
    pub fn swipes(&self, board: Packed) -> [Swiped; 4] {
        Direction::ALL.map(|direction| self.swipe(board, direction))
    }
}

/// A row slid left by the plain engine, and the sum of the tiles that merges made.
fn slide_row(row: u16) -> (u16, u32) {
    let mut board = NumberBoard::blank(1, 4);
    for cell in 0..4 {
        board.put(cell, Packed(u64::from(row)).tile(cell));
    }
    let score = board.slide(Direction::Left).unwrap_or(0);
    if board.largest() > 32_768 {
        return (row, 0);
    }
    let exponent = |tile: u64| tile.checked_ilog2().unwrap_or(0) as u16;
    let tiles = board.tiles().iter().rev();
    let slid = tiles.fold(0, |row, &tile| row << 4 | exponent(tile));
    (slid, score as u32)
}

const fn mirrored(row: u16) -> u16 {
    row << 12 | (row & 0x00F0) << 4 | (row & 0x0F00) >> 4 | row >> 12
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SeedableRng, Stream};

    #[test]
    fn swipes_are_those_of_the_plain_board() {
        let mut stream = Stream::seed_from_u64(48);
        for round in 0..2000 {
            // Few kinds of tiles, so that many merge; below 32768, so that every merge has room.
            let kinds = 1 + round % 14;
            let cells = (0..16).map(|cell| (stream.next_u64() % (kinds + 1)) << (4 * cell));
            let board = Packed(cells.sum());
            for (direction, swiped) in Direction::ALL
                .into_iter()
                .zip(SlidRows::get().swipes(board))
            {
                let mut plain = board.to_board();
                let score = plain.slide(direction);
                assert_eq!(
                    score.is_some(),
                    swiped.board != board,
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    plain,
                    swiped.board.to_board(),
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    score.unwrap_or(0),
                    u64::from(swiped.score),
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    SlidRows::get().swipe(board, direction),
                    swiped,
                    "{direction} of {}",
                    board.to_board()
                );
            }
        }
    }
}
