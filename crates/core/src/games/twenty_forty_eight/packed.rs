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
//! All swipes derive from one table of rows slid left: right is a table of mirrored rows, up and
//! down slide the transposed board. The largest tile is 2¹⁵ = 32768. Two of them would merge into a
//! tile that does not fit. Callers must prevent this by a bound on the sum of the tiles: below
//! [`POINTS_BOUND`] there cannot be two.

use super::board::Board;
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
    #[must_use]
    pub fn from_board(board: &Board) -> Option<Self> {
        if (board.rows(), board.cols()) != (4, 4) {
            return None;
        }
        let exponent = |&tile: &u64| match tile {
            0 => Some(0),
            2..=32_768 if tile.is_power_of_two() => Some(u64::from(tile.ilog2())),
            _ => None,
        };
        let cells = board.tiles().iter().rev().map(exponent);
        cells
            .into_iter()
            .try_fold(0, |word, exponent| Some(word << 4 | exponent?))
            .map(Self)
    }

    /// The board as plain numbers.
    #[must_use]
    pub fn to_board(self) -> Board {
        let mut board = Board::blank(4, 4);
        for cell in 0..16 {
            board.put(cell, self.tile(cell));
        }
        board
    }

    /// The exponent on a cell, numbered in reading order; 0 for a blank.
    #[inline(always)]
    #[must_use]
    pub const fn exponent(self, cell: usize) -> u32 {
        (self.0 >> (4 * cell)) as u32 & 15
    }

    /// The number on a cell, 0 for a blank.
    #[inline(always)]
    #[must_use]
    pub const fn tile(self, cell: usize) -> u64 {
        (1 << self.exponent(cell)) & !1
    }

    /// The lowest bit of every blank cell.
    #[inline(always)]
    #[must_use]
    pub const fn blanks(self) -> u64 {
        !occupied(self.0) & ONES
    }

    /// The sum of all tiles.
    #[must_use]
    pub fn points(self) -> u64 {
        (0..16).map(|cell| self.tile(cell)).sum()
    }

    /// The largest tile; 0 on a blank board.
    #[must_use]
    pub fn largest(self) -> u64 {
        (0..16).map(|cell| self.tile(cell)).max().unwrap_or(0)
    }

    /// What merges have earned if all tiles had been spawned as 2: (e − 1)·2ᵉ for each tile 2ᵉ.
    ///
    /// A merge of two 2ᵉ raises this by 2ᵉ⁺¹, the merge's score, and a spawned 4 raises it by 4; so
    /// the merge score of a game is the difference of this between its end and its start, less 4
    /// for each spawned 4.
    #[must_use]
    pub fn earned(self) -> u64 {
        (0..16)
            .map(|cell| u64::from(self.exponent(cell).saturating_sub(1)) * self.tile(cell))
            .sum()
    }

    /// The board mirrored at its main diagonal: rows become columns.
    #[inline(always)]
    #[must_use]
    pub const fn transposed(self) -> Self {
        let board = self.0;
        let swap = (board ^ (board >> 12)) & 0x0000_F0F0_0000_F0F0;
        let board = board ^ swap ^ (swap << 12);
        let swap = (board ^ (board >> 24)) & 0x0000_0000_FF00_FF00;
        Self(board ^ swap ^ (swap << 24))
    }

    /// The board after a swipe; the same board when the swipe is not legal.
    #[inline(always)]
    #[must_use]
    pub fn slid(self, direction: Direction, tables: &RowTables) -> Self {
        match direction {
            Direction::Left => Self(tables.rows_slid(&tables.left, self.0)),
            Direction::Right => Self(tables.rows_slid(&tables.right, self.0)),
            Direction::Up => Self(tables.rows_slid(&tables.left, self.transposed().0)).transposed(),
            Direction::Down => {
                Self(tables.rows_slid(&tables.right, self.transposed().0)).transposed()
            }
        }
    }
}

/// The lowest bit of every occupied cell, with other bits undefined.
#[inline(always)]
#[must_use]
pub const fn occupied(board: u64) -> u64 {
    let pairs = board | (board >> 1);
    pairs | (pairs >> 2)
}

/// What becomes of each of the 65536 rows.
pub struct RowTables {
    left: Box<[u16; 1 << 16]>,
    right: Box<[u16; 1 << 16]>,
}

static TABLES: LazyLock<RowTables> = LazyLock::new(RowTables::new);

impl RowTables {
    /// The tables, made from the plain engine at the first call.
    #[must_use]
    pub fn get() -> &'static Self {
        &TABLES
    }

    fn new() -> Self {
        let mut tables = Self {
            left: table(),
            right: table(),
        };
        for row in 0..=u16::MAX {
            tables.left[usize::from(row)] = slide_row(row);
            tables.right[usize::from(mirrored(row))] = mirrored(slide_row(row));
        }
        tables
    }

    /// All rows of a board slid to their start or their end.
    #[inline(always)]
    pub(super) fn slid(&self, towards_end: bool, board: u64) -> u64 {
        self.rows_slid([&self.left, &self.right][usize::from(towards_end)], board)
    }

    #[inline(always)]
    fn rows_slid(&self, table: &[u16; 1 << 16], board: u64) -> u64 {
        let row = |shift: u32| u64::from(table[usize::from((board >> shift) as u16)]) << shift;
        row(0) | row(16) | row(32) | row(48)
    }
}

fn table() -> Box<[u16; 1 << 16]> {
    vec![0; 1 << 16]
        .into_boxed_slice()
        .try_into()
        .expect("the length is that of the array")
}

/// A row slid left by the plain engine. A merge of two tiles 32768 is left out: the row counts as
/// not changed.
fn slide_row(row: u16) -> u16 {
    let mut board = Board::blank(1, 4);
    for cell in 0..4 {
        board.put(cell, Packed(u64::from(row)).tile(cell));
    }
    board.slide(Direction::Left);
    if board.largest() > 32_768 {
        return row;
    }
    board.tiles().iter().rev().fold(0, |row, &tile| {
        row << 4 | if tile == 0 { 0 } else { tile.ilog2() as u16 }
    })
}

const fn mirrored(row: u16) -> u16 {
    row << 12 | (row & 0x00F0) << 4 | (row & 0x0F00) >> 4 | row >> 12
}
