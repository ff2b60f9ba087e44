//! The learned network of 67!: the win probability of a board after a move, from a sum over its
//! lines.
//!
//! The value of a board is a sum of weights, one for each occurrence of a feature; it is the
//! logarithm of the odds of winning. Nearly all features belong to a single row or column, so sums
//! are cached by line, and a board costs one look-up for each of its lines ([`Values`]).
//!
//! | block | features | what they tell |
//! | --- | --- | --- |
//! | triples | 2²⁰, hashed | three neighbouring cells of a row or column, each number told apart |
//! | fives | 16⁵ | five neighbouring cells by class: order and room; all cells of a shorter line |
//! | numbers | 256 | each number, in its row and in its column |
//! | tiles | 65² | how many numbers and how many operators there are |
//! | moved | 2²⁰, hashed | the triples that the line will have after a move, towards its start and towards its end |
//! | moves | 5 × 2 × 2 | how many directions are legal before the next tiles appear, whether one makes a number, and whether one wins |
//!
//! It is an n-tuple network (Szubert and Jaśkowski, "Temporal difference learning of n-tuple
//! networks for the game 2048", 2014) whose tuples may lie anywhere on the board.
//! [`super::learning`] trains it.

use super::evaluation::logistic;
use super::field::SIDE_MAX;
use super::tokens::{BELOW, Board, CHANGES, Mover, TRIPLE, Tokens, WINS, slot, tiles, transposed};
use crate::games::sixty_seven::{NAME, PARAMS, SixtySeven};
use crate::params::Params;
use crate::players::weights::{Error, Weights};
use std::sync::Arc;

/// Bits of the hash of a triple.
const TRIPLE_BITS: u32 = 20;
const TRIPLES_AT: usize = 0;
const FIVES_AT: usize = TRIPLES_AT + (1 << TRIPLE_BITS);
const NUMBERS_AT: usize = FIVES_AT + (1 << 20);
const TILES_AT: usize = NUMBERS_AT + 256;
/// Numbers and operators of the fullest board, and none.
const COUNTS: usize = SIDE_MAX * SIDE_MAX + 1;
const MOVES_AT: usize = TILES_AT + COUNTS * COUNTS;
/// The first feature of moved triples. Trainings of before there were any can go on: they have the
/// features below.
pub const MOVED_AT: usize = MOVES_AT + 20;
/// The number of features.
pub const FEATURES: usize = MOVED_AT + (1 << TRIPLE_BITS);
/// Weights are multiples of one thousandth.
const UNIT: f32 = 0.001;

/// The class of a number in fives: 4 to 15.
fn class(number: i64, target: i64) -> u8 {
    let toward = if target < 0 { -number } else { number };
    let goal = target.abs();
    match toward {
        _ if toward == goal => 15,
        0 => 4,
        1 => 5,
        2..=5 => 6,
        6..=9 => 7,
        10..=24 => 8,
        _ if (goal - 9..goal).contains(&toward) => 10,
        _ if (goal + 1..=goal + 9).contains(&toward) => 11,
        _ if (25..goal).contains(&toward) => 9,
        _ if toward > goal && toward <= 2 * goal => 12,
        -9..=-1 => 13,
        _ => 14,
    }
}

/// The weights, for the rules that they were learned for.
#[derive(Clone)]
pub struct Network {
    /// Rules, size and tokens.
    pub tokens: Tokens,
    classes: Box<[u8; 256]>,
    /// By feature.
    pub weights: Vec<f32>,
}

impl Network {
    /// A network that knows nothing.
    #[must_use]
    pub fn new(game: &SixtySeven) -> Self {
        let tokens = Tokens::new(game);
        let mut classes = Box::new([0; 256]);
        for token in 0..=u8::MAX {
            classes[usize::from(token)] = match token {
                0..BELOW => token,
                _ if Tokens::is_exact(token) => class(tokens.number(token), game.target),
                _ => 14,
            };
        }
        Self {
            tokens,
            classes,
            weights: vec![0.0; FEATURES],
        }
    }

    /// The network that a file of weights holds for a game.
    ///
    /// # Errors
    /// Returns an error if the file has none, or something else.
    pub fn read(file: &Weights, game: &SixtySeven) -> Result<Arc<Self>, Error> {
        let is_meant = |params: &Params| SixtySeven::from_params(params) == *game;
        file.decoded(NAME, PARAMS, is_meant, |bytes| {
            Self::from_bytes(game, bytes)
        })
    }

    /// The network with only the `count` weights that count for most; the others become 0. `met`
    /// tells how often each feature is met: a weight changes sums by its size times the square root
    /// of that, in the root mean square.
    #[must_use]
    pub fn pruned(&self, count: usize, met: &[u32]) -> Self {
        let effect = |feature: usize| self.weights[feature].abs() * (met[feature] as f32).sqrt();
        let mut features: Vec<usize> = (0..FEATURES)
            .filter(|&feature| effect(feature) > 0.0)
            .collect();
        features.sort_by(|&a, &b| effect(b).total_cmp(&effect(a)));
        let mut pruned = Self {
            weights: vec![0.0; FEATURES],
            ..self.clone()
        };
        for &feature in features.iter().take(count) {
            pruned.weights[feature] = self.weights[feature];
        }
        pruned
    }

    /// The weights that are not 0, in thousandths: for each the number of zeros before it (LEB128)
    /// and its value (16 bits, little end first).
    #[must_use]
    pub fn to_bytes(&self) -> Vec<u8> {
        let mut bytes = Vec::new();
        let mut zeros = 0_usize;
        for &weight in &self.weights {
            // Most weights are 0, and rounding takes longer than asking.
            let thousandths = match weight {
                0.0 => 0,
                _ => (weight / UNIT)
                    .round()
                    .clamp(f32::from(i16::MIN), f32::from(i16::MAX)) as i16,
            };
            if thousandths == 0 {
                zeros += 1;
                continue;
            }
            while zeros >= 0x80 {
                bytes.push(zeros as u8 | 0x80);
                zeros >>= 7;
            }
            bytes.push(zeros as u8);
            zeros = 0;
            bytes.extend(thousandths.to_le_bytes());
        }
        bytes
    }

    /// Reads what [`Network::to_bytes`] wrote.
    ///
    /// # Errors
    /// Returns an error if the bytes are invalid.
    pub fn from_bytes(game: &SixtySeven, bytes: &[u8]) -> Result<Self, String> {
        let mut network = Self::new(game);
        read_sparse(bytes, |at, weight| network.weights[at] = weight)?;
        Ok(network)
    }

    /// Whether these are the bytes of a network.
    ///
    /// # Errors
    /// Returns an error if the bytes are invalid.
    pub fn check_bytes(bytes: &[u8]) -> Result<(), String> {
        read_sparse(bytes, |_, _| ())
    }

    /// Calls `see` with every feature of a line of `cells` cells, with what becomes of it.
    #[inline(always)]
    pub fn features(&self, line: u64, moved: [u64; 2], cells: usize, mut see: impl FnMut(usize)) {
        if line == 0 {
            return;
        }
        triples(line, cells, |hash| see(TRIPLES_AT + hash));
        for moved in moved.into_iter().filter(|&moved| moved != line) {
            triples(moved, cells, |hash| see(MOVED_AT + hash));
        }
        let mut five = 0;
        for (cell, &token) in line.to_le_bytes()[..cells].iter().enumerate() {
            five = (five << 4 | usize::from(self.classes[usize::from(token)])) & 0xF_FFFF;
            if cell + 1 >= cells.min(5) && five != 0 {
                see(FIVES_AT + five);
            }
            if token >= BELOW {
                see(NUMBERS_AT + usize::from(token));
            }
        }
    }

    /// The feature of a board's numbers and operators.
    #[inline]
    #[must_use]
    pub fn counts(rows: &Board) -> usize {
        let mut all = 0;
        let mut operators = 0;
        for &row in rows {
            all += tiles(row).count_ones() as usize;
            // Tokens below 4 have no higher bit.
            let above = row & 0xFCFC_FCFC_FCFC_FCFC;
            operators += (tiles(row) & !tiles(above)).count_ones() as usize;
        }
        TILES_AT + COUNTS * (all - operators) + operators
    }

    /// The feature of a board's moves, from the flags of all its columns and of all its rows.
    #[inline]
    #[must_use]
    pub const fn moves(flags: [u8; 2]) -> usize {
        const BOTH: u8 = CHANGES | CHANGES << 1;
        let legal = (flags[0] & BOTH).count_ones() + (flags[1] & BOTH).count_ones();
        let any = flags[0] | flags[1];
        let makes = any & (TRIPLE | TRIPLE << 1) != 0;
        let wins = any & (WINS | WINS << 1) != 0;
        MOVES_AT + 4 * legal as usize + 2 * makes as usize + wins as usize
    }

    /// The features of a board's moves in which none wins.
    pub fn without_win() -> impl Iterator<Item = usize> {
        (MOVES_AT..MOVED_AT).filter(|feature| (feature - MOVES_AT).is_multiple_of(2))
    }

    /// The sum of a line's weights.
    #[inline]
    fn line(&self, line: u64, moved: [u64; 2], cells: usize) -> f32 {
        let mut sum = 0.0;
        self.features(line, moved, cells, |feature| sum += self.weights[feature]);
        sum
    }

    /// The logarithm of the odds of winning from a board after a move, with nothing remembered.
    #[must_use]
    pub fn odds(&self, rows: &Board) -> f32 {
        let game = &self.tokens.game;
        let columns = transposed(rows);
        let mut sum = 0.0;
        let mut flags = [0; 2];
        for &row in &rows[..game.rows] {
            let becomes = self.tokens.line(row, game.cols);
            sum += self.line(row, becomes.moved, game.cols);
            flags[1] |= becomes.flags;
        }
        for &column in &columns[..game.cols] {
            let becomes = self.tokens.line(column, game.rows);
            sum += self.line(column, becomes.moved, game.rows);
            flags[0] |= becomes.flags;
        }
        sum + self.weights[Self::counts(rows)] + self.weights[Self::moves(flags)]
    }
}

/// Calls `see` with the hash of every three neighbouring cells of a line that are not all blank.
#[inline(always)]
fn triples(line: u64, cells: usize, mut see: impl FnMut(usize)) {
    for first in 0..cells.saturating_sub(2) {
        let triple = line >> (8 * first) & 0xFF_FFFF;
        if triple != 0 {
            let hash = triple.wrapping_mul(crate::rng::GOLDEN);
            let hash = (hash ^ (hash >> 32)).wrapping_mul(crate::rng::MIX[0]);
            see((hash >> (64 - TRIPLE_BITS)) as usize);
        }
    }
}

/// Calls `see` with place and value of each weight that [`Network::to_bytes`] wrote.
fn read_sparse(bytes: &[u8], mut see: impl FnMut(usize, f32)) -> Result<(), String> {
    let broken = || {
        format!(
            "{} bytes are not the weights of a network of 67!",
            bytes.len()
        )
    };
    let mut at = 0;
    let mut left = bytes.iter();
    while !left.as_slice().is_empty() {
        let mut zeros = 0_usize;
        for shift in (0..28).step_by(7) {
            let byte = *left.next().ok_or_else(broken)?;
            zeros |= usize::from(byte & 0x7F) << shift;
            if byte < 0x80 {
                break;
            }
        }
        at += zeros;
        let low = *left.next().ok_or_else(broken)?;
        let high = *left.next().ok_or_else(broken)?;
        if at >= FEATURES {
            return Err(broken());
        }
        see(at, f32::from(i16::from_le_bytes([low, high])) * UNIT);
        at += 1;
    }
    Ok(())
}

/// The chance of winning at these odds.
#[inline]
#[must_use]
pub fn chance(odds: f32) -> f32 {
    logistic((odds * 1000.0).clamp(-1e6, 1e6) as i32)
}

/// The sum of a line, remembered.
#[derive(Clone, Copy)]
struct Value {
    line: u64,
    sum: f32,
    /// When it was found; see [`Values::renew`].
    age: u16,
    /// See [`Line`](super::tokens::Line).
    flags: u8,
}

/// No line is all bytes 255: that is not a token.
const NO_VALUE: Value = Value {
    line: u64::MAX,
    sum: 0.0,
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
    fn line(&mut self, network: &Network, mover: &mut Mover, line: u64, is_row: bool) -> Value {
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
        *value
    }

    /// The logarithm of the odds of winning from a board after a move.
    #[inline]
    pub fn odds(&mut self, network: &Network, mover: &mut Mover, rows: &Board) -> f32 {
        let (sum, flags) = self.sum(network, mover, rows);
        sum + network.weights[Network::counts(rows)] + network.weights[Network::moves(flags)]
    }

    /// The sum of a board's lines, and the flags of its columns and of its rows.
    #[inline]
    fn sum(&mut self, network: &Network, mover: &mut Mover, rows: &Board) -> (f32, [u8; 2]) {
        let height = network.tokens.game.rows;
        let width = network.tokens.game.cols;
        let columns = transposed(rows);
        let mut sum = 0.0;
        let mut flags = [0; 2];
        for &row in &rows[..height] {
            let value = self.line(network, mover, row, true);
            sum += value.sum;
            flags[1] |= value.flags;
        }
        for &column in &columns[..width] {
            let value = self.line(network, mover, column, false);
            sum += value.sum;
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::{Params, Value};
    use crate::rng::{Rng, SeedableRng, Stream};

    fn game(rules: &str, rows: i64, cols: i64) -> SixtySeven {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(rows));
        params.set("cols", Value::Int(cols));
        params.set("rules", Value::Text(rules.to_owned()));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    fn random_network(game: &SixtySeven, stream: &mut Stream) -> Network {
        let mut network = Network::new(game);
        for weight in &mut network.weights {
            *weight = (stream.next_u64() % 60_001) as f32 * UNIT - 30.0;
        }
        network
    }

    #[test]
    fn remembered_sums_are_those_of_the_network() {
        let mut stream = Stream::seed_from_u64(1);
        for (rules, rows, cols) in [
            ("original", 6, 7),
            ("merge-runs", 4, 4),
            ("gapless", 3, 8),
            ("original", 1, 4),
        ] {
            let game = game(rules, rows, cols);
            let network = random_network(&game, &mut stream);
            let mut mover = Mover::new(&game);
            let mut values = Values::new();
            for _ in 0..300 {
                let mut board = [0; SIDE_MAX];
                for _ in 0..stream.next_u64() % 12 {
                    mover.tokens.deal(&mut board, &mut stream);
                }
                assert_eq!(
                    values.odds(&network, &mut mover, &board),
                    network.odds(&board)
                );
                if stream.next_u64().is_multiple_of(8) {
                    values.forget(&network, &board);
                }
            }
        }
    }

    #[test]
    fn weights_come_back_from_their_bytes() {
        let game = game("original", 4, 4);
        let met = vec![1; FEATURES];
        let network = random_network(&game, &mut Stream::seed_from_u64(2)).pruned(1000, &met);
        let bytes = network.to_bytes();
        let again = Network::from_bytes(&game, &bytes).unwrap();
        assert!(
            network
                .weights
                .iter()
                .zip(&again.weights)
                .all(|(a, b)| (a - b).abs() < UNIT / 2.0)
        );
        assert_eq!(again.to_bytes(), bytes);
        let kept = again
            .weights
            .iter()
            .filter(|&&weight| weight != 0.0)
            .count();
        assert_eq!(kept, 1000);
        for damaged in [
            &bytes[..bytes.len() - 1],
            &[0xFF; 64],
            &[0xFF, 0xFF, 0xFF, 0x7F, 1, 0],
            &[0x80],
        ] {
            assert!(Network::from_bytes(&game, damaged).is_err());
        }
    }

    #[test]
    fn operators_are_told_from_numbers() {
        let board = [
            u64::from_le_bytes([1, 2, 3, BELOW, 255, 0, 0, 128]),
            0,
            0,
            0,
            0,
            0,
            0,
            1,
        ];
        assert_eq!(Network::counts(&board), TILES_AT + COUNTS * 3 + 4);
    }
}
