//! What expectimax searches, boards that are packed or plain, and by what it evaluates them, values
//! of lines or a learned network.

use super::network::Network;
use crate::games::direction::Direction;
use crate::games::grid::Grid;
use crate::games::twenty_forty_eight::board::NumberBoard;
use crate::games::twenty_forty_eight::packed::{Packed, SlidRows};
use std::sync::LazyLock;

/// A board that can be searched.
pub(super) trait SearchBoard: Sized {
    /// The board after a swipe and what it earns, `None` when the swipe is not legal.
    fn slid(&self, rows: &SlidRows, direction: Direction) -> Option<(Self, f32)>;
    /// The number of blanks.
    fn blanks(&self) -> u32;
    /// Calls `see` with the two boards that follow from a spawn (2, then 4) on each blank in
    /// reading order.
    fn spawns(&self, see: impl FnMut(Self, Self));
    /// A word that no other board has, for the transposition table; `None`: boards of this kind are
    /// not remembered.
    fn word(&self) -> Option<u64>;
}

/// Packed 4×4 boards, with tables.
impl SearchBoard for Packed {
    #[inline(always)]
    fn slid(&self, rows: &SlidRows, direction: Direction) -> Option<(Self, f32)> {
        let swiped = rows.swipe(*self, direction);
        (swiped.board != *self).then_some((swiped.board, swiped.score as f32))
    }

    #[inline(always)]
    fn blanks(&self) -> u32 {
        Self::blanks(*self).count_ones()
    }

    #[inline(always)]
    fn spawns(&self, mut see: impl FnMut(Self, Self)) {
        let mut blanks = Self::blanks(*self);
        while blanks != 0 {
            let blank = blanks & blanks.wrapping_neg();
            blanks ^= blank;
            see(Self(self.0 | blank), Self(self.0 | blank << 1));
        }
    }

    #[inline(always)]
    fn word(&self) -> Option<u64> {
        Some(self.0)
    }
}

/// Boards of every size and number, without tables.
impl SearchBoard for NumberBoard {
    fn slid(&self, _: &SlidRows, direction: Direction) -> Option<(Self, f32)> {
        let mut after = self.clone();
        let score = after.slide(direction)?;
        Some((after, score as f32))
    }

    fn blanks(&self) -> u32 {
        Grid::blanks(self).count() as u32
    }

    fn spawns(&self, mut see: impl FnMut(Self, Self)) {
        for cell in Grid::blanks(self) {
            let with = |tile| {
                let mut dealt = self.clone();
                dealt.put(cell, tile);
                dealt
            };
            see(with(2), with(4));
        }
    }

    fn word(&self) -> Option<u64> {
        None
    }
}

/// How a kind of boards is evaluated.
pub(super) trait Evaluation<B> {
    /// Whether a swipe is worth what it earns in addition to the board behind it.
    const COUNTS_SCORE: bool = false;

    /// The value of a board.
    fn value_of(&self, board: &B) -> f32;
}

/// The sum of the values of all rows and columns.
pub(super) struct LineValues {
    /// The value of each packed row.
    rows: &'static [f32; 1 << 16],
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

impl LineValues {
    pub(super) fn new() -> Self {
        Self { rows: &ROW_VALUES }
    }

    #[inline(always)]
    fn add_rows(&self, sum: f32, board: u64) -> f32 {
        let row = |shift: u32| self.rows[usize::from((board >> shift) as u16)];
        sum + row(0) + row(16) + row(32) + row(48)
    }
}

impl Evaluation<Packed> for LineValues {
    #[inline(always)]
    fn value_of(&self, board: &Packed) -> f32 {
        self.add_rows(self.add_rows(0.0, board.0), board.transposed().0)
    }
}

impl Evaluation<NumberBoard> for LineValues {
    fn value_of(&self, board: &NumberBoard) -> f32 {
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
}

impl Evaluation<Packed> for Network {
    const COUNTS_SCORE: bool = true;

    #[inline(always)]
    fn value_of(&self, board: &Packed) -> f32 {
        self.value(*board)
    }
}

/// On 4×4 boards; every number counts as the power of two from 2 to 32768 that is nearest below it
/// (1 as a blank).
impl Evaluation<NumberBoard> for Network {
    const COUNTS_SCORE: bool = true;

    fn value_of(&self, board: &NumberBoard) -> f32 {
        let exponent = |&tile: &u64| u64::from(tile.checked_ilog2().unwrap_or(0).min(15));
        let word = board
            .tiles()
            .iter()
            .rev()
            .fold(0, |word, tile| word << 4 | exponent(tile));
        self.value(Packed(word))
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
