//! The sums of lines, remembered.

use super::super::tokens::{Board, SIDE_MAX, slot, transposed};
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

impl Value {
    fn new(network: &Network, line: u64, cells: usize, age: u16) -> Self {
        let becomes = network.tokens.line(line, cells);
        Self {
            line,
            sum: network.line(line, becomes.moved, cells),
            age,
            flags: becomes.flags,
        }
    }

    #[inline]
    fn is_of(&self, line: u64, age: u16) -> bool {
        (self.line == line) & (self.age == age)
    }
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

    /// The logarithm of the odds of winning from a board after a move.
    #[inline]
    pub fn odds(&mut self, network: &Network, rows: &Board) -> f32 {
        let (sum, flags) = self.sum(network, rows);
        network.odds_of(sum, rows, flags)
    }

    /// The sum of a board's lines, and the flags of its columns and of its rows.
    #[inline]
    fn sum(&mut self, network: &Network, rows: &Board) -> (Part, [u8; 2]) {
        let game = &network.tokens.game;
        let columns = transposed(rows);
        let lines = [&columns[..game.cols], &rows[..game.rows]];
        // All slots are read before a branch depends on one: memory is waited for once, not for
        // each of them.
        let mut places = [[0; SIDE_MAX]; 2];
        let mut are_known = true;
        for ((places, lines), slots) in places.iter_mut().zip(lines).zip(&self.slots) {
            for (place, &line) in places.iter_mut().zip(lines) {
                *place = slot(line, SLOTS);
                are_known &= slots[*place].is_of(line, self.age);
            }
        }
        let mut sum = Part::default();
        let mut flags = [0; 2];
        for (is_row, cells) in [(1, game.cols), (0, game.rows)] {
            for (&line, &place) in lines[is_row].iter().zip(&places[is_row]) {
                let value = &mut self.slots[is_row][place];
                if !are_known && !value.is_of(line, self.age) {
                    *value = Value::new(network, line, cells, self.age);
                }
                sum += &value.sum;
                flags[is_row] |= value.flags;
            }
        }
        (sum, flags)
    }

    /// Calls `see` with every feature of a board after a move, as often as the board has it.
    pub fn features(&mut self, network: &Network, rows: &Board, mut see: impl FnMut(usize)) {
        let height = network.tokens.game.rows;
        let width = network.tokens.game.cols;
        for &row in &rows[..height] {
            network.features(row, network.tokens.line(row, width).moved, width, &mut see);
        }
        for &column in &transposed(rows)[..width] {
            let becomes = network.tokens.line(column, height);
            network.features(column, becomes.moved, height, &mut see);
        }
        see(Network::counts(rows));
        // The flags could be had from the loops above. But sums that are remembered are not found
        // anew within a game of learning, so which lines are asked for shows in what is learned.
        see(Network::moves(self.sum(network, rows).1));
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
