//! The boards that expectimax searches: packed or plain, each with the row-table evaluation or a
//! learned network.

use super::network::Network;
use super::swipes::Swipes;
use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::board::Board;
use crate::games::twenty_forty_eight::packed::{Packed, RowTables};
use std::sync::LazyLock;

/// A kind of boards that can be searched.
pub(super) trait Boards {
    type Board;
    /// What a swipe earns, where that counts.
    type Score: Copy;

    /// The board after a swipe and what it earns, `None` when the swipe is not legal.
    fn slid(&self, board: &Self::Board, direction: Direction)
    -> Option<(Self::Board, Self::Score)>;
    /// The value of a swipe that earns this and leads to a board of this value.
    fn sum(&self, score: Self::Score, value: f32) -> f32;
    /// The number of blanks.
    fn blanks(&self, board: &Self::Board) -> u32;
    /// Calls `see` with the two boards that follow from a spawn (2, then 4) on each blank in
    /// reading order.
    fn spawns(&self, board: &Self::Board, see: impl FnMut(Self::Board, Self::Board));
    /// The evaluation.
    fn value(&self, board: &Self::Board) -> f32;
    /// A word that no other board has, for the transposition table; `None`: boards of this kind are
    /// not remembered.
    fn word(&self, board: &Self::Board) -> Option<u64>;
}

/// Packed 4×4 boards, with tables.
pub(super) struct PackedBoards {
    tables: &'static RowTables,
    row_values: &'static [f32; 1 << 16],
}

static ROW_VALUES: LazyLock<Box<[f32; 1 << 16]>> = LazyLock::new(|| {
    let value = |row: u16| {
        let row = Packed(u64::from(row));
        line_value((0..4).map(|cell| f64::from(row.exponent(cell))))
    };
    let values: Vec<f32> = (0..=u16::MAX).map(value).collect();
    values
        .into_boxed_slice()
        .try_into()
        .expect("there is one value for each row")
});

impl PackedBoards {
    pub(super) fn new() -> Self {
        Self {
            tables: RowTables::get(),
            row_values: &ROW_VALUES,
        }
    }

    #[inline(always)]
    fn add_rows(&self, sum: f32, board: u64) -> f32 {
        let row = |shift: u32| self.row_values[usize::from((board >> shift) as u16)];
        sum + row(0) + row(16) + row(32) + row(48)
    }
}

impl Boards for PackedBoards {
    type Board = Packed;
    type Score = ();

    #[inline(always)]
    fn slid(&self, board: &Packed, direction: Direction) -> Option<(Packed, ())> {
        let after = board.slid(direction, self.tables);
        (after != *board).then_some((after, ()))
    }

    #[inline(always)]
    fn sum(&self, (): (), value: f32) -> f32 {
        value
    }

    #[inline(always)]
    fn blanks(&self, board: &Packed) -> u32 {
        board.blanks().count_ones()
    }

    #[inline(always)]
    fn spawns(&self, board: &Packed, see: impl FnMut(Packed, Packed)) {
        packed_spawns(board, see);
    }

    #[inline(always)]
    fn value(&self, board: &Packed) -> f32 {
        self.add_rows(self.add_rows(0.0, board.0), board.transposed().0)
    }

    #[inline(always)]
    fn word(&self, board: &Packed) -> Option<u64> {
        Some(board.0)
    }
}

/// Boards of every size and number, without tables.
pub(super) struct PlainBoards;

impl Boards for PlainBoards {
    type Board = Board;
    type Score = ();

    fn slid(&self, board: &Board, direction: Direction) -> Option<(Board, ())> {
        plain_slid(board, direction).map(|(after, _)| (after, ()))
    }

    fn sum(&self, (): (), value: f32) -> f32 {
        value
    }

    fn blanks(&self, board: &Board) -> u32 {
        board.blanks() as u32
    }

    fn spawns(&self, board: &Board, see: impl FnMut(Board, Board)) {
        plain_spawns(board, see);
    }

    fn value(&self, board: &Board) -> f32 {
        let rows = board.rows();
        let cols = board.cols();
        let exponent = |row: usize, col: usize| exponent(board.tiles()[row * cols + col]);
        let sum = (0..rows).fold(0.0, |sum, row| {
            sum + line_value((0..cols).map(|col| exponent(row, col)))
        });
        (0..cols).fold(sum, |sum, col| {
            sum + line_value((0..rows).map(|row| exponent(row, col)))
        })
    }

    fn word(&self, _: &Board) -> Option<u64> {
        None
    }
}

/// The exponent of a power of two; other numbers lie linearly between. 0 for a blank, and for 1.
fn exponent(tile: u64) -> f64 {
    if tile == 0 {
        return 0.0;
    }
    let whole = tile.ilog2();
    f64::from(whole) + ((tile - (1 << whole)) as f64 / (1_u64 << whole) as f64)
}

/// The value of a line of exponents.
fn line_value(line: impl Iterator<Item = f64> + Clone) -> f32 {
    let mut cells = 0.0;
    let mut blanks = 0.0;
    let mut powers = 0.0;
    let mut merges = 0.0;
    let mut run = 1.0;
    let mut last = 0.0;
    for exponent in line.clone() {
        cells += 1.0;
        powers += exponent * exponent * exponent * exponent.sqrt();
        if exponent == 0.0 {
            blanks += 1.0;
        } else if exponent == last {
            merges += if run == 1.0 { 2.0 } else { 1.0 };
            run += 1.0;
        } else {
            (run, last) = (1.0, exponent);
        }
    }
    let fourth = |exponent: f64| exponent * exponent * exponent * exponent;
    let mut falls = 0.0;
    let mut rises = 0.0;
    for (before, after) in line.clone().zip(line.skip(1)) {
        let step = fourth(after) - fourth(before);
        if step > 0.0 {
            rises += step;
        } else {
            falls -= step;
        }
    }
    let monotony = if falls < rises { falls } else { rises };
    (50_000.0 * cells + 270.0 * blanks + 700.0 * merges - 11.0 * powers - 47.0 * monotony) as f32
}

#[inline(always)]
fn packed_spawns(board: &Packed, mut see: impl FnMut(Packed, Packed)) {
    let mut blanks = board.blanks();
    while blanks != 0 {
        let blank = blanks & blanks.wrapping_neg();
        blanks ^= blank;
        see(Packed(board.0 | blank), Packed(board.0 | blank << 1));
    }
}

fn plain_slid(board: &Board, direction: Direction) -> Option<(Board, u64)> {
    let mut after = board.clone();
    after.slide(direction).map(|score| (after, score))
}

fn plain_spawns(board: &Board, mut see: impl FnMut(Board, Board)) {
    for cell in (0..board.tiles().len()).filter(|&cell| board.tiles()[cell] == 0) {
        let with = |tile| {
            let mut dealt = board.clone();
            dealt.put(cell, tile);
            dealt
        };
        see(with(2), with(4));
    }
}

/// Packed boards with a learned network. A swipe is worth its score and the board behind it.
pub(super) struct LearnedBoards<'a> {
    network: &'a Network,
    swipes: &'static Swipes,
}

impl<'a> LearnedBoards<'a> {
    pub(super) fn new(network: &'a Network) -> Self {
        Self {
            network,
            swipes: Swipes::get(),
        }
    }
}

impl Boards for LearnedBoards<'_> {
    type Board = Packed;
    type Score = u32;

    #[inline(always)]
    fn slid(&self, board: &Packed, direction: Direction) -> Option<(Packed, u32)> {
        let swiped = self.swipes.one(*board, direction);
        (swiped.board != *board).then_some((swiped.board, swiped.score))
    }

    #[inline(always)]
    fn sum(&self, score: u32, value: f32) -> f32 {
        score as f32 + value
    }

    #[inline(always)]
    fn blanks(&self, board: &Packed) -> u32 {
        board.blanks().count_ones()
    }

    #[inline(always)]
    fn spawns(&self, board: &Packed, see: impl FnMut(Packed, Packed)) {
        packed_spawns(board, see);
    }

    #[inline(always)]
    fn value(&self, board: &Packed) -> f32 {
        self.network.value(*board)
    }

    #[inline(always)]
    fn word(&self, board: &Packed) -> Option<u64> {
        Some(board.0)
    }
}

/// Plain 4×4 boards with a learned network, which sees every number as the power of two from 2 to
/// 32768 that is nearest below it (1 as a blank).
pub(super) struct LearnedPlainBoards<'a> {
    pub(super) network: &'a Network,
}

impl Boards for LearnedPlainBoards<'_> {
    type Board = Board;
    type Score = u64;

    fn slid(&self, board: &Board, direction: Direction) -> Option<(Board, u64)> {
        plain_slid(board, direction)
    }

    fn sum(&self, score: u64, value: f32) -> f32 {
        score as f32 + value
    }

    fn blanks(&self, board: &Board) -> u32 {
        board.blanks() as u32
    }

    fn spawns(&self, board: &Board, see: impl FnMut(Board, Board)) {
        plain_spawns(board, see);
    }

    fn value(&self, board: &Board) -> f32 {
        let exponent = |&tile: &u64| u64::from(tile.checked_ilog2().unwrap_or(0).min(15));
        let word = board
            .tiles()
            .iter()
            .rev()
            .fold(0, |word, tile| word << 4 | exponent(tile));
        self.network.value(Packed(word))
    }

    fn word(&self, _: &Board) -> Option<u64> {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_by_hand() {
        let value = |line: &[f64]| line_value(line.iter().copied());
        assert_eq!(value(&[0.0; 4]), 200_000.0 + 4.0 * 270.0);
        // One falling line without merges: nothing rises.
        assert_eq!(
            value(&[4.0, 1.0, 0.0, 0.0]),
            200_000.0 + 540.0 - 11.0 * (128.0 + 1.0)
        );
        // Two runs; 1 → 4 rises by 255, 4 → 1 falls by 255.
        assert_eq!(
            value(&[1.0, 1.0, 4.0, 4.0, 4.0, 1.0]),
            300_000.0 + 3500.0 - 11.0 * 387.0 - 47.0 * 255.0
        );
        assert_eq!(
            value(&[1.0, 0.0, 1.0]),
            150_000.0 + 270.0 + 1400.0 - 22.0 - 47.0
        );
        assert_eq!(exponent(6), 2.5);
    }
}
