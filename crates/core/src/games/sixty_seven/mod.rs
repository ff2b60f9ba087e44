//! 67!, a sliding game of numbers and operators; the goal is a tile of exactly 67.
//!
//! # Rules
//! A board of rows × cols cells, each blank, a number (any integer, no size limit) or an operator
//! (`+ - *`). In each round, numbered from 1:
//!
//! 1. `min(tiles_per_turn, blanks)` tiles appear on distinct blank cells, every set of cells
//!    equally likely; each is an operator with probability `operator_rate` (uniform over the
//!    operator set), otherwise a digit (uniform over the digit set).
//! 2. A direction is legal when moving there would change the board. Without a legal direction the
//!    game is lost.
//! 3. The player chooses a legal direction, and every line along that axis is collapsed towards it
//!    ([`reference::collapse`]).
//! 4. If a tile equals `target`, the game is won.
//! 5. If a number lies outside `[-value_limit, value_limit]`, or `max_rounds` rounds were played
//!    without an end, the game is lost.
//!
//! The move count is the number of moves made. A game lost because no direction is legal has one
//! move fewer than rounds; every other game has as many moves as rounds.
//!
//! # Parameters
//! See [`PARAMS`]. The presets determine how blanks and operator runs are treated; `bounded` also
//! sets the two limits.
//!
//! # Draw protocol
//! * World stream, each round: `min(tiles_per_turn, rows × cols)` words, one per tile, even if
//!   fewer tiles fit. A word serves, in this order: `below(blanks)` picks the k-th blank cell in
//!   reading order; `below(digits × operators)` gives j; `chance(operator_rate)` makes the tile
//!   operator number j ÷ digits (in the order + - *), otherwise digit number j mod digits
//!   (ascending). A word drawn when no blank is left decides nothing.
//! * Player stream: see the player; [`crate::players::random`] draws one word a round and picks
//!   among the legal directions in the order up, down, left, right.
//!
//! # Source
//! The README of the 67! project's Python programs and the observed behaviour of those programs. A
//! known quirk is preserved: operands stay in reading order in whichever direction the line moves.
//! Those programs count the last, unplayable round of a lost game as a move; published figures are
//! compared in that convention.

mod board;
mod entry;
pub mod job;
pub mod kernels;
pub mod lanes;
pub mod line;
pub mod number;
pub mod packed;
pub mod reference;
pub(crate) mod residue;
pub mod splitting;
mod stepping;
mod view;

pub use super::direction::Direction;

use crate::params::{ParamError, ParamSpec, Params, Value};
use crate::rng::Probability;

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "sixty-seven";
/// What it is, in one line.
pub const SUMMARY: &str = "67!: slide numbers and operators until a tile is exactly 67";

/// The largest number of rows and of columns.
pub const SIDE_MAX: usize = 64;

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::choice(
        "rules",
        &[
            "original",
            "gapless",
            "merge-pairs",
            "merge-runs",
            "bounded",
        ],
        "original",
    )
    .main(
        "how blanks and runs of equal operators are treated; bounded = merge-runs with \
         value_limit 1000 and max_rounds 1000",
    ),
    ParamSpec::int("rows", 1..=SIDE_MAX as i64, Some(6))
        .main("rows of the board (size = \"6x7\" sets rows and cols)"),
    ParamSpec::int("cols", 1..=SIDE_MAX as i64, Some(7)).main("columns of the board"),
    ParamSpec::text(
        "operators",
        "a non-empty subset of + - *, such as \"+-*\"",
        canonical_operators,
        Some("+-*"),
    )
    .main("the operators that appear, each equally likely"),
    ParamSpec::float("operator_rate", 0.0..=1.0, 0.5)
        .main("probability that a new tile is an operator"),
    ParamSpec::int("tiles_per_turn", 1..=4096, Some(2))
        .main("tiles that appear each round, as far as there is room"),
    ParamSpec::int("target", i64::MIN..=i64::MAX, Some(67)).main("the number that wins"),
    ParamSpec::text(
        "digits",
        "a non-empty set of digits, such as \"0123456789\"",
        canonical_digits,
        Some("0123456789"),
    )
    .help("the digits that appear, each equally likely"),
    ParamSpec::int("value_limit", 0..=i64::MAX, None)
        .help("a number beyond ± this loses the game; unset: no limit (bounded: 1000)"),
    ParamSpec::int("max_rounds", 1..=i64::MAX - 1, None)
        .help("a game not ended after this many rounds is lost; unset: no limit (bounded: 1000)"),
    ParamSpec::int(lanes::NAME, 1..=lanes::LANES as i64, Some(1)).help(
        "16: as many games share one trajectory of kinds, each with its own digits, for a \
             tenth of the time; 1: none do",
    ),
    ParamSpec::choice(
        splitting::METHOD,
        &[splitting::PLAIN, splitting::SPLITTING, splitting::COUNTED],
        splitting::PLAIN,
    )
    .help(
        "plain: games one by one; splitting: games that reach large numbers are played on \
             several times, for rare wins of random; counted: plain games whose operators and \
             digits are counted, for tilelab curve",
    ),
];

fn canonical_operators(text: &str) -> Option<String> {
    canonical_set(text, "+-*")
}

fn canonical_digits(text: &str) -> Option<String> {
    canonical_set(text, "0123456789")
}

/// The characters of `text` in the order of `alphabet`; `None` when empty, repeated or foreign.
fn canonical_set(text: &str, alphabet: &str) -> Option<String> {
    let set: String = alphabet
        .chars()
        .filter(|&character| text.contains(character))
        .collect();
    (!set.is_empty() && set.len() == text.chars().count()).then_some(set)
}

/// Fills in the values implied by the preset `bounded`, and checks that value lanes and the method
/// are compatible with the other parameters.
///
/// # Errors
/// Returns an error if the rules do not support lanes or this number of lanes, or if games that
/// share a trajectory are to be split.
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    if params.text("rules") == Some("bounded") {
        for limit in ["value_limit", "max_rounds"] {
            if params.int(limit).is_none() {
                params.set(limit, Value::Int(1000));
            }
        }
    }
    lanes::check(params.int(lanes::NAME), params.int("value_limit"))?;
    splitting::check(params.text(splitting::METHOD), params.int(lanes::NAME))
}

/// An operator tile.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Operator {
    /// `+`
    Plus,
    /// `-`
    Minus,
    /// `*`
    Times,
}

impl Operator {
    /// All operators, in the order in which draws number them.
    pub const ALL: [Self; 3] = [Self::Plus, Self::Minus, Self::Times];

    /// The character on the tile.
    #[must_use]
    pub const fn symbol(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
        }
    }
}

/// How a run of equal operators changes before the scan for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// It is unchanged.
    Stay,
    /// A run of m becomes ⌈m/2⌉.
    Halve,
    /// It becomes one.
    One,
}

/// How a line collapses: the part of the rules set by a preset.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Collapse {
    /// Whether a blank cell between the tiles of an operation prevents it.
    pub blanks_separate: bool,
    /// How operator runs change.
    pub runs: Runs,
}

impl Collapse {
    /// The rule of a preset.
    ///
    /// # Panics
    /// Panics if there is no such preset.
    #[must_use]
    pub fn preset(name: &str) -> Self {
        let (blanks_separate, runs) = match name {
            "original" => (true, Runs::Stay),
            "gapless" => (false, Runs::Stay),
            "merge-pairs" => (false, Runs::Halve),
            "merge-runs" | "bounded" => (false, Runs::One),
            _ => panic!("no preset {name}"),
        };
        Self {
            blanks_separate,
            runs,
        }
    }
}

/// The rules of 67! with all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct SixtySeven {
    /// Rows, 1 to 64.
    pub rows: usize,
    /// Columns, 1 to 64.
    pub cols: usize,
    /// How a line collapses.
    pub collapse: Collapse,
    /// The operators that appear, in the order of [`Operator::ALL`].
    pub operators: Vec<Operator>,
    /// The digits that appear, ascending.
    pub digits: Vec<u8>,
    /// Probability that a new tile is an operator.
    pub operator_rate: Probability,
    /// Tiles that appear each round, or as many as fit; at least 1.
    pub tiles_per_turn: usize,
    /// The number that wins.
    pub target: i64,
    /// Numbers beyond ± this lose.
    pub value_limit: Option<i64>,
    /// A game not ended after this many rounds is lost.
    pub max_rounds: Option<u64>,
    /// Whether outcomes tell how many operators and digits appeared.
    pub counted: bool,
}

impl SixtySeven {
    /// The rules `original` on a board of this size, with the defaults for everything else.
    ///
    /// # Panics
    /// Panics if a side is 0 or above [`SIDE_MAX`].
    #[must_use]
    pub fn new(rows: usize, cols: usize) -> Self {
        let accepted = 1..=SIDE_MAX;
        assert!(
            accepted.contains(&rows) && accepted.contains(&cols),
            "1 to {SIDE_MAX} rows and columns, not {rows} × {cols}"
        );
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(rows as i64));
        params.set("cols", Value::Int(cols as i64));
        Self::from_params(&params)
    }

    /// The game with these parameters, after validation by [`PARAMS`] and [`complete`].
    ///
    /// # Panics
    /// Panics if the parameters were not accepted.
    #[must_use]
    pub fn from_params(params: &Params) -> Self {
        let int = |name| params.int(name).expect("a parameter with a default");
        let text = |name| params.text(name).expect("a parameter with a default");
        Self {
            rows: int("rows") as usize,
            cols: int("cols") as usize,
            collapse: Collapse::preset(text("rules")),
            operators: Operator::ALL
                .into_iter()
                .filter(|operator| text("operators").contains(operator.symbol()))
                .collect(),
            digits: text("digits").bytes().map(|digit| digit - b'0').collect(),
            operator_rate: Probability::new(
                params
                    .float("operator_rate")
                    .expect("a parameter with a default"),
            ),
            tiles_per_turn: int("tiles_per_turn") as usize,
            target: int("target"),
            value_limit: params.int("value_limit"),
            max_rounds: params.int("max_rounds").map(|rounds| rounds as u64),
            counted: params.text(splitting::METHOD) == Some(splitting::COUNTED),
        }
    }

    /// Cells of the board.
    #[must_use]
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether a new tile can show the target, so that a spawn can win the game.
    #[must_use]
    pub fn target_is_digit(&self) -> bool {
        self.digits
            .iter()
            .any(|&digit| i64::from(digit) == self.target)
    }

    /// Words drawn from the world stream each round.
    #[must_use]
    pub fn words_per_round(&self) -> usize {
        self.tiles_per_turn.min(self.cells())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sets_are_canonical() {
        assert_eq!(canonical_operators("*+").as_deref(), Some("+*"));
        assert_eq!(canonical_operators(""), None);
        assert_eq!(canonical_operators("++"), None);
        assert_eq!(canonical_operators("+/"), None);
        assert_eq!(canonical_digits("31").as_deref(), Some("13"));
    }

    #[test]
    fn bounded_brings_its_limits_and_yields_to_given_ones() {
        let mut params = Params::defaults(PARAMS);
        params.set("rules", Value::Text("bounded".into()));
        params.set("max_rounds", Value::Int(5));
        complete(&mut params).unwrap();
        let game = SixtySeven::from_params(&params);
        assert_eq!((game.value_limit, game.max_rounds), (Some(1000), Some(5)));
    }
}
