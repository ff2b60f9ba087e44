//! The learned network of 67!: the win probability of a board after a move, from a sum over its
//! lines.
//!
//! Each occurrence of a feature adds its [`Part`] to the sum of a board: a weight and a vector. The
//! logarithm of the odds of winning is the sum of the weights, and what a hidden layer of rectified
//! units makes of the sum of the vectors ([`Layer`]); the layer can say that lines depend on each
//! other, which a sum cannot. A network without it is linear. Nearly all features belong to a
//! single row or column, so sums are cached by line, and a board costs one look-up for each of its
//! lines ([`super::lines`]).
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
//! networks for the game 2048", 2014) whose tuples may lie anywhere on the board. The layer above
//! summed vectors is that of NNUE (Nasu, "Efficiently updatable neural-network-based evaluation
//! functions for computer shogi", 2018).
//! [`super::learning`] trains it.

mod bytes;
mod parts;

pub use parts::{GrowingParts, Part};
use parts::{PartFeatures, Parts};

use super::tokens::{BELOW, CHANGES, SIDE_MAX, TRIPLE, TokenBoard, Tokens, WINS, tiles};
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
/// The first feature of moved triples.
const MOVED_AT: usize = MOVES_AT + 20;
/// The number of features.
pub const FEATURES: usize = MOVED_AT + (1 << TRIPLE_BITS);
/// The numbers of a vector.
pub const WIDTH: usize = 8;
/// The units of the hidden layer.
pub const UNITS: usize = 16;
/// The numbers of the hidden layer.
pub const LAYER: usize = (WIDTH + 2) * UNITS;
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

/// The hidden layer.
#[derive(Clone, Debug, PartialEq)]
pub struct Layer {
    /// The weights of the inputs, by number of the vector and unit.
    pub inputs: [[f32; UNITS]; WIDTH],
    /// What is added to the inputs of each unit.
    pub biases: [f32; UNITS],
    /// What a unit adds to the logarithm of the odds for each of its value.
    pub outputs: [f32; UNITS],
}

impl Layer {
    /// A layer whose numbers are all the same.
    pub const fn filled(number: f32) -> Self {
        Self {
            inputs: [[number; UNITS]; WIDTH],
            biases: [number; UNITS],
            outputs: [number; UNITS],
        }
    }

    /// The values of the units, none below 0.
    #[inline(always)]
    pub fn units(&self, vector: &[f32; WIDTH]) -> [f32; UNITS] {
        let mut units = self.biases;
        for (number, inputs) in vector.iter().zip(&self.inputs) {
            for (unit, input) in units.iter_mut().zip(inputs) {
                *unit += number * input;
            }
        }
        units.map(|unit| if unit > 0.0 { unit } else { 0.0 })
    }

    /// What the units add to the logarithm of the odds.
    #[inline(always)]
    pub fn output(&self, vector: &[f32; WIDTH]) -> f32 {
        let units = self.units(vector);
        // Four sums, since one would wait for each addition before the next.
        let mut sums = [0.0; 4];
        let fours = units.as_chunks::<4>().0.iter();
        for (units, outputs) in fours.zip(self.outputs.as_chunks::<4>().0) {
            for (sum, (unit, output)) in sums.iter_mut().zip(units.iter().zip(outputs)) {
                *sum += unit * output;
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// All numbers of the layer, in the order of files.
    pub fn numbers(&mut self) -> impl Iterator<Item = &mut f32> {
        let inputs = self.inputs.as_flattened_mut().iter_mut();
        inputs.chain(&mut self.biases).chain(&mut self.outputs)
    }
}

/// Why parts cannot be changed.
const FIXED: &str = "the parts of a network that was read from bytes are fixed";

/// The parts of features, for the rules that they were learned for.
#[derive(Clone)]
pub struct Network {
    /// Rules, size and tokens.
    pub tokens: Tokens,
    classes: Box<[u8; 256]>,
    /// The tokens of a network that was learned for another target, by those of the game.
    token_map: Option<Box<[u8; 256]>>,
    parts: Parts,
    /// A linear network has none.
    pub layer: Option<Layer>,
}

impl Network {
    /// A network that knows nothing.
    pub fn new(game: &SixtySeven) -> Self {
        Self::with_parts(game, Parts::Growing(GrowingParts::new()))
    }

    fn with_parts(game: &SixtySeven, parts: Parts) -> Self {
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
            token_map: None,
            parts,
            layer: None,
        }
    }

    /// The network, learned for the target `learned`, for a game with another one. Each number is
    /// taken for one that stands in the same relation to 0 and to the target: digits and what is
    /// a digit from the target stay that.
    #[must_use]
    pub fn translated(mut self, learned: i64) -> Self {
        let target = self.tokens.game.target;
        if target == learned {
            return self;
        }
        let mut rules = self.tokens.game.clone();
        rules.target = learned;
        let known = Self::new(&rules);
        self.classes = known.classes;
        let mut token_map: [u8; 256] = std::array::from_fn(|token| token as u8);
        for token in BELOW..=u8::MAX {
            let number = rescaled(self.tokens.number(token), target, learned);
            token_map[usize::from(token)] = known.tokens.token(number);
        }
        self.token_map = Some(Box::new(token_map));
        self
    }

    /// The part of a feature; `None` if it has none and adds nothing.
    #[inline(always)]
    pub fn part(&self, feature: usize) -> Option<Part> {
        match &self.parts {
            Parts::Growing(parts) => match parts.place(feature) {
                0 => None,
                place => Some(parts.parts[place]),
            },
            Parts::Stored(parts) => parts.has(feature).then(|| parts.part(parts.place(feature))),
        }
    }

    /// The features that have parts, in ascending order, and these.
    pub fn parts(&self) -> impl Iterator<Item = (usize, Part)> {
        (0..FEATURES).filter_map(|feature| Some((feature, self.part(feature)?)))
    }

    /// The parts of a network that was not read from bytes.
    ///
    /// # Panics
    /// Panics if the network was read from bytes: its parts are stored compactly.
    pub fn growing(&self) -> &GrowingParts {
        match &self.parts {
            Parts::Growing(parts) => parts,
            Parts::Stored(_) => panic!("{FIXED}"),
        }
    }

    /// The parts of a network that was not read from bytes, to be changed.
    ///
    /// # Panics
    /// Panics if the network was read from bytes: its parts are stored compactly.
    pub fn growing_mut(&mut self) -> &mut GrowingParts {
        match &mut self.parts {
            Parts::Growing(parts) => parts,
            Parts::Stored(_) => panic!("{FIXED}"),
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

    /// The network with only the `weights` weights and the `vectors` vectors that count for most.
    /// `met` tells how often each feature is met: a part changes sums by its size times the square
    /// root of that, in the root mean square.
    #[must_use]
    pub fn pruned(&self, weights: usize, vectors: usize, met: &[u32]) -> Self {
        let most = |count: usize, size: &dyn Fn(&Part) -> f32| {
            let effect = |(feature, part)| {
                let effect = size(&part) * (met[feature] as f32).sqrt();
                (effect > 0.0).then_some((effect, feature, part))
            };
            let mut features: Vec<(f32, usize, Part)> = self.parts().filter_map(effect).collect();
            // Among equal effects the first counts.
            features.sort_unstable_by(|a, b| b.0.total_cmp(&a.0).then(a.1.cmp(&b.1)));
            features.truncate(count);
            features
        };
        let mut pruned = Self::new(&self.tokens.game);
        pruned.layer.clone_from(&self.layer);
        for (_, feature, part) in most(weights, &|part| part.weight.abs()) {
            pruned.growing_mut().made(feature).weight = part.weight;
        }
        let length = |part: &Part| {
            part.vector
                .iter()
                .map(|number| number * number)
                .sum::<f32>()
        };
        for (_, feature, part) in most(vectors, &|part| length(part).sqrt()) {
            pruned.growing_mut().made(feature).vector = part.vector;
        }
        pruned
    }

    /// Calls `see` with every feature of a line of `cells` cells, with what becomes of it.
    #[inline(always)]
    pub fn features(&self, line: u64, moved: [u64; 2], cells: usize, mut see: impl FnMut(usize)) {
        if line == 0 {
            return;
        }
        let meaning = |line: u64| {
            self.token_map.as_ref().map_or(line, |token_map| {
                u64::from_le_bytes(
                    line.to_le_bytes()
                        .map(|token| token_map[usize::from(token)]),
                )
            })
        };
        let changed = moved.into_iter().filter(|&moved| moved != line);
        let line = meaning(line);
        triples(line, cells, |hash| see(TRIPLES_AT + hash));
        for moved in changed.map(meaning) {
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
    #[inline(always)]
    pub fn counts(rows: &TokenBoard) -> usize {
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
    #[inline(always)]
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

    /// The sum of a line's parts.
    #[inline(always)]
    pub(super) fn line(&self, line: u64, moved: [u64; 2], cells: usize) -> Part {
        match &self.parts {
            Parts::Growing(parts) => {
                let mut sum = Part::default();
                self.features(line, moved, cells, |feature| {
                    sum += &parts.parts[parts.place(feature)];
                });
                sum
            }
            Parts::Stored(parts) => {
                let mut found = PartFeatures::default();
                self.features(line, moved, cells, |feature| found.see(parts, feature));
                parts.sum(&found)
            }
        }
    }

    /// The logarithm of the odds of winning at a sum of the lines of a board, with the flags of all
    /// its columns and of all its rows.
    #[inline(always)]
    pub(super) fn odds_of(&self, mut sum: Part, rows: &TokenBoard, flags: [u8; 2]) -> f32 {
        for feature in [Self::counts(rows), Self::moves(flags)] {
            if let Some(part) = self.part(feature) {
                sum += &part;
            }
        }
        match &self.layer {
            Some(layer) => sum.weight + layer.output(&sum.vector),
            None => sum.weight,
        }
    }
}

/// `number`, moved from the scale of the target `target` to that of `learned`: the same near 0, as
/// far away near the target and beyond it, in proportion between.
fn rescaled(number: i64, target: i64, learned: i64) -> i64 {
    if (target < 0) != (learned < 0) {
        return rescaled(-number, -target, learned);
    }
    if number < 0 {
        return -rescaled(-number, target.abs(), learned.abs());
    }
    let target = target.abs();
    let learned = learned.abs();
    let near = 9.min(target.min(learned) / 2);
    match number {
        _ if number <= near => number,
        _ if number >= target - near => number + learned - target,
        _ => near + (number - near) * (learned - 2 * near) / (target - 2 * near).max(1),
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

/// The chance of winning at these odds, to a thousandth: the logistic function, made of `+`, `-`,
/// `×` and `÷` alone, so that it is the same on every machine.
#[inline]
pub fn chance(odds: f32) -> f32 {
    let odds = (odds * 1000.0).clamp(-1e6, 1e6) as i32;
    let exponent = (odds as f32 * (-0.001 * std::f32::consts::LOG2_E)).clamp(-60.0, 60.0);
    // 2^exponent: the whole part goes into the exponent's bits, the rest, within ± ½, into a
    // polynomial (Taylor's, to 1e-6).
    let whole = (exponent + if exponent < 0.0 { -0.5 } else { 0.5 }) as i32;
    let x = (exponent - whole as f32) * std::f32::consts::LN_2;
    let power =
        1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0)))));
    1.0 / (1.0 + power * f32::from_bits(((whole + 127) as u32) << 23))
}

#[cfg(test)]
impl Network {
    /// The logarithm of the odds of winning from a board after a move, with nothing remembered.
    pub fn odds(&self, rows: &TokenBoard) -> f32 {
        let game = &self.tokens.game;
        let columns = super::tokens::transposed(rows);
        let mut sum = Part::default();
        let mut flags = [0; 2];
        for &row in &rows[..game.rows] {
            let becomes = self.tokens.line(row, game.cols);
            sum += &self.line(row, becomes.moved, game.cols);
            flags[1] |= becomes.flags;
        }
        for &column in &columns[..game.cols] {
            let becomes = self.tokens.line(column, game.rows);
            sum += &self.line(column, becomes.moved, game.rows);
            flags[0] |= becomes.flags;
        }
        self.odds_of(sum, rows, flags)
    }
}

#[cfg(test)]
mod tests {
    use super::super::lines::{Lines, SLOTS};
    use super::parts::UNIT;
    use super::*;
    use crate::params::{Params, Value};
    use crate::rng::{Rng, SeedableRng, Stream};

    pub fn game(rules: &str, rows: i64, cols: i64) -> SixtySeven {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(rows));
        params.set("cols", Value::Int(cols));
        params.set("rules", Value::Text(rules.to_owned()));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    pub fn random_network(game: &SixtySeven, stream: &mut Stream) -> Network {
        let mut network = Network::new(game);
        let mut thousandths =
            |most: u64| (stream.next_u64() % (2 * most + 1)) as f32 * UNIT - most as f32 * UNIT;
        for feature in 0..FEATURES {
            let weight = thousandths(30_000);
            let vector = [(); WIDTH].map(|()| thousandths(1_900));
            *network.growing_mut().made(feature) = Part { weight, vector };
        }
        let mut layer = Layer::filled(0.0);
        layer
            .numbers()
            .for_each(|number| *number = thousandths(1_000));
        network.layer = Some(layer);
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
            let tokens = Tokens::new(&game);
            let mut lines = Lines::new(SLOTS);
            for _ in 0..300 {
                let mut board = [0; SIDE_MAX];
                for _ in 0..stream.next_u64() % 12 {
                    tokens.deal(&mut board, &mut stream);
                }
                assert_eq!(lines.odds(&network, &board), network.odds(&board));
                if stream.next_u64().is_multiple_of(8) {
                    lines.forget(&network, &board);
                }
            }
        }
    }

    #[test]
    fn the_chance_is_the_logistic_function() {
        for thousandths in (-20_000..=20_000).step_by(37) {
            let odds = thousandths as f32 / 1000.0;
            let exact = 1.0 / (1.0 + f64::from(-odds).exp());
            let relative = f64::from(chance(odds)) / exact - 1.0;
            assert!(relative.abs() < 2e-3, "{odds}: {relative}");
        }
        assert!(chance(f32::MIN) >= 0.0 && chance(f32::MAX) <= 1.0);
    }

    /// A network for another target gives a board the odds of the board with the numbers that it
    /// takes them for.
    #[test]
    fn numbers_are_likened_to_those_of_the_learned_target() {
        let of = |numbers: &[i64], target| {
            let of = |&number: &i64| rescaled(number, target, 67);
            numbers.iter().map(of).collect::<Vec<_>>()
        };
        assert_eq!(
            of(&[0, 9, 33, 41, 42, 51, -42], 42),
            [0, 9, 58, 66, 67, 76, -67]
        );
        assert_eq!(
            of(&[0, 9, 191, 199, 200, -200], 200),
            [0, 9, 58, 66, 67, -67]
        );
        assert_eq!(of(&[-42, -41, 3], -42), [67, 66, -3]);
        assert_eq!(of(&[0, 1, 2, 3], 1), [0, 67, 68, 69]);
        assert_eq!(of(&[5, 67, 80, -12], 67), [5, 67, 80, -12]);

        let known = game("original", 4, 4);
        let network = random_network(&known, &mut Stream::seed_from_u64(3));
        let bytes = network.to_bytes();
        let mut other = known;
        other.target = 200;
        let read = Network::from_bytes(&other, &bytes).unwrap().translated(67);
        let of = |network: &Network, numbers: [i64; 3]| {
            let tokens = numbers.map(|number| u64::from(network.tokens.token(number)));
            let mut board = [0; SIDE_MAX];
            board[1] = tokens[0] | 1 << 8 | tokens[1] << 16;
            board[3] = tokens[2];
            network.odds(&board)
        };
        let known = Network::from_bytes(&network.tokens.game, &bytes).unwrap();
        assert_eq!(of(&read, [197, 2, 9]), of(&known, [64, 2, 9]));
        assert_ne!(of(&read, [197, 2, 9]), of(&known, [63, 2, 9]));
    }

    /// What lines cannot add up: two of them count for much only together.
    #[test]
    fn the_layer_makes_lines_depend_on_each_other() {
        let game = game("original", 4, 4);
        let mut network = Network::new(&game);
        let lines = [[BELOW + 10, 0, 0, 0], [0, BELOW + 20, 0, 0]];
        for [a, b, ..] in lines {
            network
                .growing_mut()
                .made(NUMBERS_AT + usize::from(a + b))
                .vector[0] = 0.5;
        }
        let mut layer = Layer::filled(0.0);
        layer.inputs[0][3] = 1.0;
        layer.biases[3] = -1.0;
        layer.outputs[3] = 2.0;
        network.layer = Some(layer);
        let odds = |rows: [u8; 2]| {
            let mut board = [0; SIDE_MAX];
            for (row, line) in lines.iter().enumerate().filter(|&(row, _)| rows[row] == 1) {
                board[row] = u64::from(u32::from_le_bytes(*line));
            }
            network.odds(&board)
        };
        // A number counts in its row and in its column.
        assert_eq!(
            [[0, 0], [1, 0], [0, 1], [1, 1]].map(odds),
            [0.0, 0.0, 0.0, 2.0]
        );
    }

    /// A linear network has no layer and no vectors, in its bytes neither.
    #[test]
    fn linear_networks_are_sums_of_weights() {
        let game = game("original", 4, 4);
        let bytes = [
            &[2, 0, 0, 0, 0, 0, 0, 0][..],
            &[7, 0xFF, 0x3F],
            &[0xE8, 0x0C],
            &[0x03, 0xFE],
        ]
        .concat();
        let network = Network::from_bytes(&game, &bytes).unwrap();
        assert_eq!(network.to_bytes(), bytes);
        assert!(network.layer.is_none());
        let weights = [7, 8 + 0x1FFF].map(|feature| network.part(feature).unwrap().weight);
        assert_eq!(weights, [1.0, -0.5]);
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
