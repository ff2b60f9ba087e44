//! The sums of lines, remembered.

use super::super::tokens::{Board, Mover, slot, transposed};
use super::{Network, Part, WIDTH};

/// The sum of a line, remembered.
#[derive(Clone, Copy)]
struct Value {
    line: u64,
    sum: Part,
    /// When it was found; see [`Values::renew`].
    age: u16,
    /// See [`Line`](super::super::tokens::Line).
    flags: u8,
}

/// No line is all bytes 255: that is not a token.
const NO_VALUE: Value = Value {
    line: u64::MAX,
    sum: Part {
        weight: 0.0,
        vector: [0.0; WIDTH],
    },
    age: 0,
    flags: 0,
};
/// Slots of the memory of lines of one length.
const SLOTS: usize = 1 << 15;

/// The sums of lines that were met lately.
pub struct Values {
    /// Of columns and of rows.
    slots: [Vec<Value>; 2],
    age: u16,
}

impl Values {
    /// An empty memory.
    #[must_use]
    pub fn new() -> Self {
        Self {
            slots: [vec![NO_VALUE; SLOTS], vec![NO_VALUE; SLOTS]],
            age: 0,
        }
    }

    /// From now on, sums that were found before are found anew: weights may have changed.
    pub fn renew(&mut self) {
        self.age = self.age.wrapping_add(1);
        if self.age == 0 {
            self.slots.iter_mut().for_each(|slots| slots.fill(NO_VALUE));
        }
    }

    #[inline]
    fn line(&mut self, network: &Network, mover: &mut Mover, line: u64, is_row: bool) -> &Value {
        let value = &mut self.slots[usize::from(is_row)][slot(line, SLOTS)];
        if value.line != line || value.age != self.age {
            let game = &network.tokens.game;
            let cells = if is_row { game.cols } else { game.rows };
            let becomes = mover.line(line, is_row);
            let sum = network.line(line, becomes.moved, cells);
            *value = Value {
                line,
                sum,
                age: self.age,
                flags: becomes.flags,
            };
        }
        value
    }

    /// The logarithm of the odds of winning from a board after a move.
    #[inline]
    pub fn odds(&mut self, network: &Network, mover: &mut Mover, rows: &Board) -> f32 {
        let (sum, flags) = self.sum(network, mover, rows);
        network.odds_of(sum, rows, flags)
    }

    /// The sum of a board's lines, and the flags of its columns and of its rows.
    #[inline]
    fn sum(&mut self, network: &Network, mover: &mut Mover, rows: &Board) -> (Part, [u8; 2]) {
        let height = network.tokens.game.rows;
        let width = network.tokens.game.cols;
        let columns = transposed(rows);
        let mut sum = Part::default();
        let mut flags = [0; 2];
        for &row in &rows[..height] {
            let value = self.line(network, mover, row, true);
            sum += &value.sum;
            flags[1] |= value.flags;
        }
        for &column in &columns[..width] {
            let value = self.line(network, mover, column, false);
            sum += &value.sum;
            flags[0] |= value.flags;
        }
        (sum, flags)
    }

    /// Calls `see` with every feature of a board after a move, as often as the board has it.
    pub fn features(
        &mut self,
        network: &Network,
        mover: &mut Mover,
        rows: &Board,
        mut see: impl FnMut(usize),
    ) {
        let height = network.tokens.game.rows;
        let width = network.tokens.game.cols;
        for &row in &rows[..height] {
            network.features(row, mover.line(row, true).moved, width, &mut see);
        }
        for &column in &transposed(rows)[..width] {
            network.features(column, mover.line(column, false).moved, height, &mut see);
        }
        see(Network::counts(rows));
        // The flags could be had from the loops above. But sums that are remembered are not found
        // anew within a game of learning, so which lines are asked for shows in what is learned.
        see(Network::moves(self.sum(network, mover, rows).1));
    }

    /// Finds the lines of a board anew.
    pub fn forget(&mut self, network: &Network, rows: &Board) {
        let columns = transposed(rows);
        for (lines, count, is_row) in [
            (rows, network.tokens.game.rows, true),
            (&columns, network.tokens.game.cols, false),
        ] {
            for &line in &lines[..count] {
                let value = &mut self.slots[usize::from(is_row)][slot(line, SLOTS)];
                if value.line == line {
                    value.line = u64::MAX;
                }
            }
        }
    }
}

impl Default for Values {
    fn default() -> Self {
        Self::new()
    }
}
