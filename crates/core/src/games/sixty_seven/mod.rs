//! 67!, a sliding game of numbers and operators; the goal is a tile of exactly 67.
//!
//! # Rules
//! A board of rows × cols cells, each blank, a number (any integer, no size limit) or an operator
//! (`+ - *`), is blank at first, or the board `start`. In each round, numbered from 1:
//!
//! 1. `min(tiles_per_turn, blanks)` tiles appear on distinct blank cells, every set of cells
//!    equally likely; each is an operator with probability `operator_rate`, otherwise a number:
//!    one of `operators` or of `numbers` (by default the digits), by their weights.
//! 2. A direction is legal when moving there would change the board. Without a legal direction the
//!    game is lost.
//! 3. The player chooses a legal direction, and every line along that axis is collapsed towards it
//!    ([`reference::collapse`]).
//! 4. If a tile equals `target`, or meets the `goal` set instead, the game is won.
//! 5. If a number lies outside `[-value_limit, value_limit]`, or `max_rounds` rounds were played
//!    without an end, the game is lost.
//!
//! The move count is the number of moves made. A game lost because no direction is legal has one
//! move fewer than rounds; every other game has as many moves as rounds.
//!
//! # Parameters
//! See [`PARAMS`]. `rules` is a name for settings of `gaps`, `equal_operators` and the two limits.
//!
//! # Draw protocol
//! * World stream, each round: `min(tiles_per_turn, rows × cols)` words, one per tile, even if
//!   fewer tiles fit. A word serves, in this order: `below(blanks)` picks the k-th blank cell in
//!   reading order; `below(numbers × operators)`, the sums of their weights, gives j;
//!   `chance(operator_rate)` makes the tile the operator that j ÷ numbers draws (`+`, `-`, `*` in
//!   this order, each as often as its weight), otherwise the number that j mod numbers draws
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
mod catalog_entry;
pub mod job;
pub mod kernels;
pub mod lanes;
pub mod line;
pub mod number;
pub mod packed;
pub mod reference;
pub(crate) mod residue;
pub mod splitting;
mod view;
pub mod weighted;

pub use super::direction::Direction;

use crate::game::splitting::METHOD;
use crate::params::{ParamError, ParamSpec, Params, Value};
use crate::rng::Probability;
use crate::text::join;
use line::Tile;
use number::Number;
use std::fmt;
use weighted::Weighted;

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "sixty-seven";
/// What the game is, in one line.
pub const SUMMARY: &str = "67!: slide numbers and operators until a tile is exactly 67";

/// The largest number of rows and of columns.
pub const SIDE_MAX: usize = 64;

/// The most numbers that appear.
pub const NUMBERS_MAX: usize = 16;

const TARGET: &str = "target";
const TARGET_DEFAULT: i64 = 67;

/// The parameter of the start board.
const START: &str = "start";
/// Numbers on start boards lie within ± this, where no other number has their residue.
const START_NUMBER_MAX: i64 = 1 << 59;

const DIGITS: &str = "digits";
const ALL_DIGITS: &str = "0123456789";

/// A name for settings.
struct Preset {
    name: &'static str,
    gaps: &'static str,
    equal_operators: &'static str,
    /// What `value_limit` and `max_rounds` are unless they are given.
    limit: Option<i64>,
}

/// The values of `rules`.
#[rustfmt::skip]
const PRESETS: [Preset; 5] = [
    Preset { name: "original", gaps: "keep", equal_operators: "stay", limit: None },
    Preset { name: "gapless", gaps: "close", equal_operators: "stay", limit: None },
    Preset { name: "merge-pairs", gaps: "close", equal_operators: "pairs", limit: None },
    Preset { name: "merge-runs", gaps: "close", equal_operators: "runs", limit: None },
    Preset { name: "bounded", gaps: "close", equal_operators: "runs", limit: Some(1000) },
];

/// The names of the presets, the default first.
pub const RULES: [&str; PRESETS.len()] = {
    let mut names = [""; PRESETS.len()];
    let mut at = 0;
    while at < names.len() {
        names[at] = PRESETS[at].name;
        at += 1;
    }
    names
};

/// The preset that the parameters name.
fn preset(params: &Params) -> &'static Preset {
    let name = params.text("rules").expect("a parameter with a default");
    let named = PRESETS.iter().find(|preset| preset.name == name);
    named.expect("an accepted name")
}

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::choice("rules", &RULES, RULES[0])
        .main("a preset of gaps, equal_operators and limits; any of these can also be set beside it"),
    ParamSpec::int("rows", 1..=SIDE_MAX as i64, Some(6))
        .main("rows of the board (size = \"6x7\" sets rows and cols)"),
    ParamSpec::int("cols", 1..=SIDE_MAX as i64, Some(7)).main("columns of the board"),
    ParamSpec::text(
        "operators",
        "a non-empty subset of + - *, such as \"+-*\", or with whole weights up to 1000, such as \
         \"+:3;-:2;*\"",
        canonical_operators,
        Some("+-*"),
    )
    .main("the operators that appear, equally likely or by weights"),
    ParamSpec::float("operator_rate", 0.0..=1.0, 0.5)
        .main("probability that a new tile is an operator"),
    ParamSpec::int("tiles_per_turn", 1..=4096, Some(2))
        .main("tiles that appear each round, as far as there is room"),
    ParamSpec::int(TARGET, i64::MIN..=i64::MAX, Some(TARGET_DEFAULT)).main("the number that wins"),
    ParamSpec::text(
        DIGITS,
        "a non-empty set of digits, such as \"0123456789\"",
        |text| canonical_set(text, ALL_DIGITS),
        Some(ALL_DIGITS),
    )
    .help("the digits that appear, each equally likely"),
    ParamSpec::text(
        "numbers",
        "1 to 16 whole numbers from -999 to 999 with their weights, if not 1, such as \"-5;1:3;10\"",
        canonical_numbers,
        None,
    )
    .implied(|params| Value::Text(numbers_of_digits(params).text(|number| *number)))
    .help("the numbers that appear, equally likely or by weights; unset: the digits"),
    ParamSpec::text(
        "goal",
        "up to 16 numbers such as \"67;76\", or the least one such as \"100+\"",
        |text| Goal::parse(text).map(|goal| goal.to_string()),
        None,
    )
    .implied(|params| Value::Text(target_of(params).to_string()))
    .help("the numbers that win; only the kernel reference plays them; unset: the target"),
    ParamSpec::choice("gaps", &["keep", "close"], "")
        .implied(|params| Value::Text(preset(params).gaps.to_owned()))
        .help("keep: blanks between the tiles of an operation prevent it; close: they do not"),
    ParamSpec::choice("equal_operators", &["stay", "pairs", "runs"], "")
        .implied(|params| Value::Text(preset(params).equal_operators.to_owned()))
        .help("what remains of a run of equal operators: stay: all; pairs: half of them; runs: one"),
    ParamSpec::text(
        START,
        "rows from top to bottom separated by /, each of tiles separated by commas with _ for a \
         blank cell, such as \"1,+,_/2,_,3\"",
        |text| reference::TileBoard::parse(text).ok().map(|board| board.to_string()),
        None,
    )
    .implied(|_| Value::Unset)
    .help("the board before the first tiles appear; unset: a blank one"),
    ParamSpec::int("value_limit", 0..=i64::MAX, None)
        .help("a number above this, or below minus this, loses the game; unset: no limit (bounded: 1000)"),
    ParamSpec::int("max_rounds", 1..=i64::MAX - 1, None)
        .help("a game not ended after this many rounds is lost; unset: no limit (bounded: 1000)"),
    ParamSpec::int(lanes::NAME, 1..=lanes::LANES as i64, Some(1)).help(
        "16: 16 games share one sequence of tiles and differ in their digits, in a tenth \
             of the time; 1: each has its own",
    ),
    splitting::METHOD_PARAM,
];

fn canonical_operators(text: &str) -> Option<String> {
    canonical_set(text, "+-*").or_else(|| {
        let operators = weighted_operators(text)?;
        Some(if operators.is_equal() {
            operators
                .tiles()
                .map(|operator| operator.symbol())
                .collect()
        } else {
            operators.text(|operator| operator.symbol())
        })
    })
}

/// The operators of a text in either form.
fn weighted_operators(text: &str) -> Option<Weighted<Operator>> {
    let is_set = !text.contains([';', ':']);
    let listed = join(text.chars().map(String::from), ";");
    Weighted::parse(if is_set { &listed } else { text }, Operator::from_symbol)
}

fn canonical_numbers(text: &str) -> Option<String> {
    let number = |text: &str| {
        text.parse()
            .ok()
            .filter(|number| (-999..=999).contains(number))
    };
    let numbers = Weighted::<i64>::parse(text, number)?;
    (numbers.tiles().len() <= NUMBERS_MAX).then(|| numbers.text(|number| *number))
}

/// The digits that appear.
fn numbers_of_digits(params: &Params) -> Weighted<i64> {
    let digits = params.text(DIGITS).expect("a parameter with a default");
    Weighted::equal(digits.bytes().map(|digit| i64::from(digit - b'0')))
}

/// The characters of `text` in the order of `alphabet`; `None` when empty, repeated or foreign.
fn canonical_set(text: &str, alphabet: &str) -> Option<String> {
    let set: String = alphabet
        .chars()
        .filter(|&character| text.contains(character))
        .collect();
    (!set.is_empty() && set.len() == text.chars().count()).then_some(set)
}

/// Sets the limits of the preset, drops what the preset says anyway, and checks that value lanes
/// and the method are compatible with the other parameters.
///
/// # Errors
/// Returns an error if the rules do not support lanes or this number of lanes, or if games that
/// share a trajectory are to be split.
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    if let Some(limit) = preset(params).limit {
        for key in ["value_limit", "max_rounds"] {
            if params.int(key).is_none() {
                params.set(key, Value::Int(limit));
            }
        }
    }
    params.drop_implied(PARAMS);
    if let (Some(numbers), Some(digits)) = (params.text("numbers"), params.text(DIGITS))
        && digits != ALL_DIGITS
    {
        let message = format!("{numbers}: {DIGITS} = {digits} is given too; write one of them");
        return Err(ParamError::new("numbers", message));
    }
    if let Some(goal) = params.text("goal").and_then(Goal::parse) {
        let target = target_of(params);
        if target != TARGET_DEFAULT {
            let message = format!("{goal}: {TARGET} = {target} is given too; write one of them");
            return Err(ParamError::new("goal", message));
        }
        if let Goal::AnyOf(numbers) = goal
            && let [target] = numbers[..]
        {
            params.set(TARGET, Value::Int(target));
            params.set("goal", Value::Unset);
        }
    }
    check_start(params)?;
    lanes::check(params)?;
    splitting::check(params)
}

/// Checks that a start board has the board's size, tiles, and numbers with which a game goes on.
fn check_start(params: &Params) -> Result<(), ParamError> {
    let game = SixtySeven::from_params(params);
    let Some(board) = &game.start else {
        return Ok(());
    };
    let wrong = |message| Err(ParamError::new(START, message));
    let [rows, cols] = [board.rows(), board.cols()];
    if (rows, cols) != (game.rows, game.cols) {
        return wrong(format!(
            "{rows} rows of {cols} tiles where size = {}x{}; set size = {rows}x{cols}",
            game.rows, game.cols
        ));
    }
    if board.tiles().iter().all(Tile::is_blank) {
        return wrong("only blanks; at least one tile is needed".to_owned());
    }
    if game.is_won(board) {
        return wrong(format!(
            "{board}: {} is there already; leave it out or choose another target",
            game.goal_text()
        ));
    }
    let limit = game
        .value_limit
        .unwrap_or(START_NUMBER_MAX)
        .min(START_NUMBER_MAX);
    if board.exceeds(limit) {
        return wrong(format!(
            "{board}: numbers from -{limit} to {limit} are accepted"
        ));
    }
    Ok(())
}

/// What wins where it is not a single target.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Goal {
    /// One of these numbers, in ascending order.
    AnyOf(Vec<i64>),
    /// A number of at least this.
    AtLeast(i64),
}

impl Goal {
    /// Reads `67;76` or `100+`; `None` if it is neither.
    fn parse(text: &str) -> Option<Self> {
        if let Some(least) = text.trim().strip_suffix('+') {
            return Some(Self::AtLeast(least.trim().parse().ok()?));
        }
        let numbers = text.split(';').map(|number| number.trim().parse().ok());
        let mut numbers: Vec<i64> = numbers.collect::<Option<_>>()?;
        numbers.sort_unstable();
        numbers.dedup();
        (numbers.len() <= NUMBERS_MAX).then_some(Self::AnyOf(numbers))
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::AnyOf(numbers) => {
                let numbers: Vec<String> = numbers.iter().map(i64::to_string).collect();
                f.write_str(&numbers.join(";"))
            }
            Self::AtLeast(least) => write!(f, "{least}+"),
        }
    }
}

fn target_of(params: &Params) -> i64 {
    params.int(TARGET).expect("a parameter with a default")
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
    pub const fn symbol(self) -> char {
        match self {
            Self::Plus => '+',
            Self::Minus => '-',
            Self::Times => '*',
        }
    }

    /// The operator with this character.
    pub fn from_symbol(text: &str) -> Option<Self> {
        Self::ALL
            .into_iter()
            .find(|operator| text.chars().eq([operator.symbol()]))
    }
}

/// How a run of equal operators changes before the scan for operations.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Runs {
    /// A run is unchanged.
    Stay,
    /// A run of m becomes ⌈m/2⌉.
    Halve,
    /// A run becomes one operator.
    One,
}

/// How a line collapses.
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
    pub fn preset(name: &str) -> Self {
        let mut params = Params::defaults(PARAMS);
        params.set("rules", Value::Text(name.to_owned()));
        Self::of(&params)
    }

    /// The rule of these parameters.
    fn of(params: &Params) -> Self {
        let preset = preset(params);
        let gaps = params.text("gaps").unwrap_or(preset.gaps);
        let equal_operators = params.text("equal_operators");
        Self {
            blanks_separate: gaps == "keep",
            runs: match equal_operators.unwrap_or(preset.equal_operators) {
                "stay" => Runs::Stay,
                "pairs" => Runs::Halve,
                _ => Runs::One,
            },
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
    /// The operators that appear.
    pub operators: Weighted<Operator>,
    /// The numbers that appear, digits unless other ones are given.
    pub numbers: Weighted<i64>,
    /// Probability that a new tile is an operator.
    pub operator_rate: Probability,
    /// Tiles that appear each round, or as many as fit; at least 1.
    pub tiles_per_turn: usize,
    /// The board before the first tiles appear, where it is not blank.
    pub start: Option<reference::TileBoard>,
    /// The number that wins, or with a goal the least one.
    pub target: i64,
    /// What wins instead of the target.
    pub goal: Option<Goal>,
    /// Numbers beyond ± this lose.
    pub value_limit: Option<i64>,
    /// The number of rounds after which a game that has not ended is lost.
    pub max_rounds: Option<u64>,
    /// Whether outcomes tell how many operators and digits appeared.
    pub counted: bool,
}

impl SixtySeven {
    /// The rules `original` on a board of this size, with the defaults for everything else.
    ///
    /// # Panics
    /// Panics if a side is 0 or above [`SIDE_MAX`].
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
    pub fn from_params(params: &Params) -> Self {
        let operators = params.text("operators");
        let goal = params.text("goal").and_then(Goal::parse);
        Self {
            rows: params.count("rows") as usize,
            cols: params.count("cols") as usize,
            collapse: Collapse::of(params),
            operators: operators
                .and_then(weighted_operators)
                .expect("an accepted text"),
            numbers: params.text("numbers").map_or_else(
                || numbers_of_digits(params),
                |text| {
                    Weighted::parse(text, |number| number.parse().ok()).expect("an accepted text")
                },
            ),
            operator_rate: Probability::new(params.float("operator_rate")),
            tiles_per_turn: params.count("tiles_per_turn") as usize,
            start: params.text(START).map(|text| {
                reference::TileBoard::parse(text).expect("a start board in canonical form")
            }),
            target: match &goal {
                Some(Goal::AnyOf(numbers)) => numbers[0],
                Some(Goal::AtLeast(least)) => *least,
                None => target_of(params),
            },
            goal,
            value_limit: params.int("value_limit"),
            max_rounds: params.int("max_rounds").map(|rounds| rounds as u64),
            counted: params.text(METHOD) == Some(splitting::COUNTED),
        }
    }

    /// Cells of the board.
    pub fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// Whether a number wins.
    pub fn wins(&self, number: &Number) -> bool {
        match &self.goal {
            None => number.to_i64() == Some(self.target),
            Some(Goal::AnyOf(numbers)) => number
                .to_i64()
                .is_some_and(|number| numbers.contains(&number)),
            Some(Goal::AtLeast(least)) => number.is_at_least(*least),
        }
    }

    /// Whether a tile of the board wins.
    pub fn is_won(&self, board: &reference::TileBoard) -> bool {
        let wins = |tile: &Tile| matches!(tile, Tile::Number(number) if self.wins(number));
        board.tiles().iter().any(wins)
    }

    /// The numbers that win, in words.
    pub(crate) fn goal_text(&self) -> String {
        match &self.goal {
            None => self.target.to_string(),
            Some(goal @ Goal::AnyOf(_)) => goal.to_string().replace(';', " or "),
            Some(Goal::AtLeast(least)) => format!("{least} or more"),
        }
    }

    /// Whether a new tile can show the target, so that a spawn can win the game.
    pub fn target_is_new(&self) -> bool {
        let mut numbers = self.numbers.tiles();
        numbers.any(|&number| self.wins(&number.into()))
    }

    /// Whether the tables of kernels step these games: they begin on blank boards and do not look
    /// for the target among new tiles.
    pub(crate) fn is_stepped_by_kernels(&self) -> bool {
        !self.target_is_new() && self.start.is_none()
    }

    /// The largest number that appears, without its sign.
    pub fn largest_new(&self) -> u64 {
        let sizes = self.numbers.tiles().map(|number| number.unsigned_abs());
        sizes.max().unwrap_or_default()
    }

    /// Words drawn from the world stream each round.
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
        assert_eq!(canonical_operators("*:2;+:2").as_deref(), Some("+*"));
        assert_eq!(canonical_operators("*:4;+:6").as_deref(), Some("+:3;*:2"));
        assert_eq!(canonical_operators("/:4").as_deref(), None);
        assert_eq!(canonical_set("31", ALL_DIGITS).as_deref(), Some("13"));
        assert_eq!(canonical_numbers("10;-3:2").as_deref(), Some("-3:2;10"));
        assert_eq!(canonical_numbers("1000"), None);
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
