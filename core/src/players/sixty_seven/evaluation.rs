//! The learned evaluation of 67!: the win probability of a board after a move.
//!
//! The value of a board is a sum of weights, one for each occurrence of a feature; it is the
//! logarithm of the odds of winning.
//!
//! | block | features | what they tell |
//! | --- | --- | --- |
//! | triples | 16³ | what three neighbouring cells of a row or column are (blank, operator, number by class): room, order, results to come |
//! | results | 12 | class of what a triple on neighbouring cells would make: small useful numbers, near ones, dead ones |
//! | fill | 17 | sixteenths of the board that are blank |
//! | directions | 5 | legal directions before the next tiles appear |
//! | numbers | 12 | class of each number |
//! | partners | 2 × 3 × 4 | pairs of numbers whose sum, or whose difference, is the target: on a line, near, far; none, 1, 2, more |
//! | operators | 17 | sixteenths of the tiles that are operators |
//! | winning | 2 | whether a legal direction would win already, or none |
//!
//! The classes of a number n for the target t: 0; 1; 2 to 9; 10 to 24; 25 to t - 10; t - 9 to t - 1
//! and t + 1 to t + 9 (one digit away, by `+` or `-`); up to 2 t; negative digits; negative down to
//! -t - 9; all others, which are useless except with `* 0`; and t itself.
//!
//! # Where the weights come from
//! Temporal-difference learning by self-play of the greedy player, with no manual tuning: the
//! command `tilelab learn sixty-seven --rate 0.3 --seed 67` of commit 07cea0c, before networks
//! ([`super::network`]) replaced it. The file `weights.txt` in this folder has a line for each of
//! 18 sets of rules (the cells of `experiments/players.toml`), trained in 6,000 to 600,000 games; a
//! game uses the line nearest to its own rules. Weights are thousandths, so that their sum is
//! exact, and the logistic function is made of `+`, `-`, `×` and `÷` alone: the same on every
//! machine.

use super::field::{BLANK, Field, NUMBER, Position, SIDE_MAX, result};
use crate::games::sixty_seven::{Operator, SixtySeven};
use std::sync::OnceLock;

const CLASSES: usize = 12;
/// What a cell can be: blank, a number of a class, an operator.
const LOOKS: usize = 1 + CLASSES + 3;
const TRIPLES_AT: usize = 0;
const RESULTS_AT: usize = TRIPLES_AT + LOOKS * LOOKS * LOOKS;
const FILL_AT: usize = RESULTS_AT + CLASSES;
const DIRECTIONS_AT: usize = FILL_AT + 17;
const NUMBERS_AT: usize = DIRECTIONS_AT + 5;
const PARTNERS_AT: usize = NUMBERS_AT + CLASSES;
const OPERATORS_AT: usize = PARTNERS_AT + 2 * 3 * 4;
const WINNING_AT: usize = OPERATORS_AT + 17;
/// The number of features.
pub const FEATURES: usize = WINNING_AT + 2;

/// The class of a number.
#[inline]
fn class(number: i64, target: i64) -> usize {
    match number {
        _ if number == target => 11,
        0 => 0,
        1 => 1,
        2..=9 => 2,
        10..=24 => 3,
        _ if (target - 9..target).contains(&number) => 5,
        _ if (target + 1..=target + 9).contains(&number) => 6,
        _ if (25..target).contains(&number) => 4,
        _ if number > target && number <= 2 * target => 7,
        -9..=-1 => 8,
        _ if number < 0 && number >= -target - 9 => 9,
        _ => 10,
    }
}

/// Calls `see` with every feature of a board after a move, as often as the board has it.
#[inline]
pub fn features(field: &Field, position: &Position, mut see: impl FnMut(usize)) {
    // Blank, where there is not a tile.
    let mut looks = [0_u8; SIDE_MAX * SIDE_MAX];
    let mut numbers = Numbers {
        cells: [0; SIDE_MAX * SIDE_MAX],
        count: 0,
    };
    for row in 0..field.rows {
        for (cell, look) in looks
            .iter_mut()
            .enumerate()
            .skip(SIDE_MAX * row)
            .take(field.cols)
        {
            *look = match position.kinds[cell] {
                BLANK => continue,
                NUMBER => {
                    let class = class(position.numbers[cell], field.game.target);
                    see(NUMBERS_AT + class);
                    numbers.cells[numbers.count] = cell as u8;
                    numbers.count += 1;
                    1 + class as u8
                }
                operator => (1 + CLASSES) as u8 + operator - 2,
            };
        }
    }
    for row in 0..field.rows {
        for col in 0..field.cols {
            let cell = SIDE_MAX * row + col;
            for (stride, room) in [(1, field.cols - col), (SIDE_MAX, field.rows - row)] {
                if room > 2 {
                    triple(
                        field,
                        position,
                        &looks,
                        [cell, cell + stride, cell + 2 * stride],
                        &mut see,
                    );
                }
            }
        }
    }
    numbers.partners(field, position, &mut see);
    let blanks = field.blanks(position);
    see(FILL_AT + 16 * blanks / field.cells());
    let tiles = field.cells() - blanks;
    see(OPERATORS_AT + 16 * (tiles - numbers.count) / tiles.max(1));
    let legal = field.legal(position);
    see(DIRECTIONS_AT + legal.mask.count_ones() as usize);
    see(WINNING_AT + usize::from(field.winning(position, legal) & legal.mask == 0));
}

/// The features of three neighbouring cells.
#[inline]
fn triple(
    field: &Field,
    position: &Position,
    looks: &[u8; SIDE_MAX * SIDE_MAX],
    cells: [usize; 3],
    see: &mut impl FnMut(usize),
) {
    let [a, b, c] = cells.map(|cell| looks[cell] as usize);
    see(TRIPLES_AT + LOOKS * (LOOKS * a + b) + c);
    let is_number = |look| (1..=CLASSES).contains(&look);
    if is_number(a) && b > CLASSES && is_number(c) {
        let made = result(
            position.numbers[cells[0]],
            position.kinds[cells[1]],
            position.numbers[cells[2]],
        );
        see(RESULTS_AT + class(made, field.game.target));
    }
}

/// The cells with numbers.
struct Numbers {
    cells: [u8; SIDE_MAX * SIDE_MAX],
    count: usize,
}

impl Numbers {
    /// How many pairs of numbers are the target, added or subtracted, by whether they share a line
    /// or lie near.
    #[inline]
    fn partners(&self, field: &Field, position: &Position, see: &mut impl FnMut(usize)) {
        let target = field.game.target;
        let mut pairs = [[0_usize; 3]; 2];
        let cells = || self.cells[..self.count].iter().map(|&cell| cell as usize);
        // One number of such a pair is at least half as large as the target.
        for large in cells().filter(|&cell| 2 * position.numbers[cell].abs() >= target.abs()) {
            let number = position.numbers[large];
            for other in cells().filter(|&cell| cell != large) {
                let partner = position.numbers[other];
                let by = if number + partner == target {
                    0
                } else if (number - partner).abs() == target.abs() {
                    1
                } else {
                    continue;
                };
                // Where both are large the pair is met twice.
                if 2 * partner.abs() >= target.abs() && other < large {
                    continue;
                }
                let rows = (large / SIDE_MAX).abs_diff(other / SIDE_MAX);
                let cols = (large % SIDE_MAX).abs_diff(other % SIDE_MAX);
                let place = if rows == 0 || cols == 0 {
                    0
                } else {
                    1 + usize::from(rows + cols > 3)
                };
                pairs[by][place] += 1;
            }
        }
        for (place, &pairs) in pairs.as_flattened().iter().enumerate() {
            see(PARTNERS_AT + 4 * place + pairs.min(3));
        }
    }
}

/// The logistic function of `odds` thousandths, with no function of the system's: those differ
/// between systems.
#[inline]
#[must_use]
pub fn logistic(odds: i32) -> f32 {
    let exponent = (odds as f32 * (-0.001 * std::f32::consts::LOG2_E)).clamp(-60.0, 60.0);
    // 2^exponent: the whole part goes into the exponent's bits, the rest, within ± ½, into a
    // polynomial (Taylor's, to 1e-6).
    let whole = (exponent + if exponent < 0.0 { -0.5 } else { 0.5 }) as i32;
    let x = (exponent - whole as f32) * std::f32::consts::LN_2;
    let power =
        1.0 + x * (1.0 + x * (0.5 + x * (1.0 / 6.0 + x * (1.0 / 24.0 + x * (1.0 / 120.0)))));
    1.0 / (1.0 + power * f32::from_bits(((whole + 127) as u32) << 23))
}

/// The rules for which weights were learned.
#[derive(Clone, Debug, PartialEq)]
pub struct Learned {
    /// The preset of the rules.
    pub rules: String,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub cols: usize,
    /// The operators' symbols.
    pub operators: String,
    /// Probability that a tile is an operator.
    pub operator_rate: f64,
    /// Tiles a round.
    pub tiles_per_turn: usize,
    /// Thousandths by feature.
    pub weights: Vec<i32>,
}

impl Learned {
    /// Reads a line of `weights.txt`; `None` when it has another form.
    #[must_use]
    pub fn read(line: &str) -> Option<Self> {
        let mut words = line.split_ascii_whitespace();
        let mut next = || words.next();
        Some(Self {
            rules: next()?.to_owned(),
            rows: next()?.parse().ok()?,
            cols: next()?.parse().ok()?,
            operators: next()?.to_owned(),
            operator_rate: next()?.parse().ok()?,
            tiles_per_turn: next()?.parse().ok()?,
            weights: words
                .map(|word| word.parse().ok())
                .collect::<Option<Vec<i32>>>()?,
        })
        .filter(|learned| learned.weights.len() == FEATURES)
    }

    /// The line that [`Learned::read`] reads.
    #[must_use]
    pub fn line(&self) -> String {
        let Self {
            rules,
            rows,
            cols,
            operators,
            operator_rate,
            tiles_per_turn,
            weights,
        } = self;
        let weights: Vec<String> = weights.iter().map(i32::to_string).collect();
        format!(
            "{rules} {rows} {cols} {operators} {operator_rate} {tiles_per_turn} {}",
            weights.join(" ")
        )
    }
}

/// The rules that something was learned for.
#[derive(Clone, Copy, Debug)]
pub(super) struct Origin<'a> {
    /// The preset of the rules.
    pub rules: &'a str,
    /// Cells of the board.
    pub cells: usize,
    /// The operators' symbols.
    pub operators: &'a str,
    /// Probability that a tile is an operator.
    pub operator_rate: f64,
    /// Tiles a round.
    pub tiles_per_turn: usize,
}

impl Origin<'_> {
    /// How unlike a game's rules are; 0 for the same ones.
    pub fn distance(self, game: &SixtySeven) -> f64 {
        let collapse = crate::games::sixty_seven::Collapse::preset(self.rules);
        let symbols: String = game
            .operators
            .iter()
            .map(|operator: &Operator| operator.symbol())
            .collect();
        let apart = |a: usize, b: usize| (a as f64 / b as f64).max(b as f64 / a as f64) - 1.0;
        let rate = game.operator_rate.threshold() as f64 / (1_u64 << 63) as f64;
        100.0 * f64::from(collapse.blanks_separate != game.collapse.blanks_separate)
            + 10.0 * f64::from(symbols != self.operators)
            + f64::from(collapse.runs != game.collapse.runs)
            + apart(self.cells, game.cells())
            + apart(self.tiles_per_turn, game.tiles_per_turn)
            + (rate - self.operator_rate).abs()
    }
}

impl Learned {
    fn distance(&self, game: &SixtySeven) -> f64 {
        let origin = Origin {
            rules: &self.rules,
            cells: self.rows * self.cols,
            operators: &self.operators,
            operator_rate: self.operator_rate,
            tiles_per_turn: self.tiles_per_turn,
        };
        origin.distance(game)
    }
}

/// All that was learned.
fn learned() -> &'static [Learned] {
    static LEARNED: OnceLock<Vec<Learned>> = OnceLock::new();
    LEARNED.get_or_init(|| {
        let lines = include_str!("weights.txt").lines();
        lines
            .map(|line| Learned::read(line).expect("weights.txt holds a set of weights a line"))
            .collect()
    })
}

/// The evaluation for one game.
#[derive(Clone, Debug)]
pub struct Evaluation {
    /// Thousandths by feature.
    pub weights: Vec<i32>,
}

impl Evaluation {
    /// What was learned for the rules nearest to these.
    ///
    /// # Panics
    /// Panics if `weights.txt` is empty or broken.
    #[must_use]
    pub fn of(game: &SixtySeven) -> Self {
        let nearest = learned()
            .iter()
            .min_by(|a, b| a.distance(game).total_cmp(&b.distance(game)));
        Self {
            weights: nearest.expect("something was learned").weights.clone(),
        }
    }

    /// The logarithm of the odds of winning from a board after a move, in thousandths.
    #[inline]
    #[must_use]
    pub fn odds(&self, field: &Field, position: &Position) -> i32 {
        let mut sum = 0;
        features(field, position, |feature| sum += self.weights[feature]);
        sum
    }

    /// The chance of winning from a board after a move.
    #[inline]
    #[must_use]
    pub fn chance(&self, field: &Field, position: &Position) -> f32 {
        logistic(self.odds(field, position))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_logistic_function_is_one() {
        for odds in (-20_000..=20_000).step_by(37) {
            let exact = 1.0 / (1.0 + (-f64::from(odds) / 1000.0).exp());
            let relative = f64::from(logistic(odds)) / exact - 1.0;
            assert!(relative.abs() < 1e-5, "{odds}: {relative}");
        }
        assert!(logistic(-1_000_000) >= 0.0 && logistic(1_000_000) <= 1.0);
    }

    #[test]
    fn classes_tell_what_a_number_is_good_for() {
        let of = |numbers: &[i64]| {
            numbers
                .iter()
                .map(|&number| class(number, 67))
                .collect::<Vec<_>>()
        };
        assert_eq!(of(&[0, 1, 2, 9, 10, 24, 25, 57]), [0, 1, 2, 2, 3, 3, 4, 4]);
        assert_eq!(
            of(&[58, 66, 67, 68, 76, 77, 134, 135]),
            [5, 5, 11, 6, 6, 7, 7, 10]
        );
        assert_eq!(of(&[-1, -9, -10, -76, -77, 1 << 31]), [8, 8, 9, 9, 10, 10]);
    }

    #[test]
    fn weights_come_back_from_their_line() {
        for learned in learned() {
            assert_eq!(Learned::read(&learned.line()).as_ref(), Some(learned));
        }
        assert_eq!(Learned::read("original 4 4 +- 0.5 2 1 2 3"), None);
    }
}
