//! 2048: slide equal numbers into one another; the goal is a tile of at least 2048.
//!
//! # Rules
//! A board of rows × cols cells, each blank or a positive number. Two tiles are spawned, then
//! swipes and spawns alternate.
//!
//! 1. A spawn puts 4 with probability `four_rate`, otherwise 2, on a blank cell, every blank
//!    equally likely.
//! 2. A swipe moves every line towards one edge. Tiles are packed against the edge, and two equal
//!    neighbours merge into their sum, scanned from that edge; each tile takes part in at most one
//!    merge per swipe. Any equal numbers merge, powers of two or not.
//! 3. A swipe is legal when it changes the board. After a legal swipe one tile is spawned.
//! 4. The game ends when no swipe is legal; it continues past the goal. It counts as won when its
//!    largest tile is at least `goal`, otherwise as lost. With `max_moves` it also ends right after
//!    `max_moves` swipes, without a further spawn.
//!
//! With `start` the game begins on that board and nothing is spawned before the first swipe.
//!
//! # What is reported
//! The move count is the number of swipes. **tile_sum** is the sum of all tiles at the end,
//! **merge_score** the sum of the tiles that merges made (the score usually shown),
//! **largest_tile** the largest tile at the end. All are exact: with the board's sum bounded at the
//! start ([`START_TOTAL_MAX`]), 2⁵⁰ moves are not enough to overflow them.
//!
//! # Parameters
//! See [`PARAMS`].
//!
//! # Draw protocol
//! * World stream: one word a spawn, so two words at the start (none with `start`) and one after
//!   each swipe that does not end the game by `max_moves`. A word serves, in this order:
//!   `below(blanks)` picks the k-th blank cell in reading order; `chance(four_rate)` makes the tile
//!   4, otherwise 2. A word drawn when no blank is left decides nothing (the second of a board of
//!   one cell).
//! * Player stream: see the player; [`crate::players::random`] draws one word a move and picks
//!   among the legal swipes in the order up, down, left, right.
//!
//! # Source
//! Gabriele Cirulli's 2048 (2014) for rules and merge score; the sum of the tiles is the score of
//! the 67! project's Python program for 2048.

pub mod board;
pub mod kernels;
pub(crate) mod lockstep;
pub mod packed;
pub mod reference;
mod stepping;
mod view;

use crate::game::registry::{BuiltJob, GameEntry, PlayableGame, Setup};
use crate::game::{GameResult, Measure, MeasureKind, Outcome};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::random::RandomJob;
use crate::rng::Probability;
use board::NumberBoard;
use packed::Packed;

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "twenty-forty-eight";
/// What the game is, in one line.
pub const SUMMARY: &str = "2048: slide equal numbers into one another until nothing moves; won when a tile reaches the goal";

/// The largest number of rows and of columns.
pub const SIDE_MAX: usize = 64;

/// The largest sum of the numbers on a start board.
///
/// A merge score is then below 2⁴⁰ · 12 merges deep, so that the squares of 10¹¹ games still fit
/// the tally's 128 bits.
pub const START_TOTAL_MAX: u64 = 1 << 40;

/// The numbers that the game reports in addition to result and moves.
pub const MEASURES: &[Measure] = &[
    Measure {
        name: "tile_sum",
        kind: MeasureKind::Mean,
        unit: "",
        help: "sum of all tiles at the end",
    },
    Measure {
        name: "merge_score",
        kind: MeasureKind::Mean,
        unit: "points",
        help: "sum of the tiles that merges made",
    },
    Measure {
        name: "largest_tile",
        kind: MeasureKind::Levels(&[512, 1024, 2048, 4096, 8192, 16_384, 32_768]),
        unit: "",
        help: "largest tile at the end",
    },
];

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("rows", 1..=SIDE_MAX as i64, Some(4))
        .main("rows of the board (size = \"4x4\" sets rows and cols)"),
    ParamSpec::int("cols", 1..=SIDE_MAX as i64, Some(4)).main("columns of the board"),
    ParamSpec::float("four_rate", 0.0..=1.0, 0.1)
        .main("probability that a new tile is 4 instead of 2"),
    ParamSpec::int("goal", 1..=i64::MAX, Some(2048))
        .main("a game whose largest tile at the end is at least this counts as won"),
    ParamSpec::text(
        "start",
        "rows from top to bottom separated by /, each of numbers separated by commas with 0 for a \
         blank cell, such as \"2,0,0,2/0,0,0,0/0,0,0,0/0,4,0,0\"",
        |text| NumberBoard::parse(text).ok().map(|board| board.to_string()),
        None,
    )
    .help(
        "the board that the game begins on; equal numbers merge, powers of two or not; unset: \
             two spawned tiles",
    ),
    ParamSpec::int("max_moves", 1..=i64::MAX, None)
        .help("the game ends after this many swipes at the latest; unset: no limit"),
];

/// Checks that the start board fits the size of the board.
///
/// # Errors
/// Returns an error if the start board has another size, no tile at all, or numbers that are too
/// large.
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    let game = TwentyFortyEight::from_params(params);
    let Some(board) = &game.start else {
        return Ok(());
    };
    let wrong = |message| Err(ParamError::new("start", message));
    let (rows, cols) = board.shape();
    if (rows, cols) != (game.rows, game.cols) {
        return wrong(format!(
            "{rows} rows of {cols} numbers where rows = {} and cols = {}; give as many, or set rows = {rows} and cols = {cols}",
            game.rows, game.cols
        ));
    }
    if board.points() == 0 {
        return wrong("only blanks; at least one number is needed".to_owned());
    }
    if board.points() > START_TOTAL_MAX {
        return wrong(format!(
            "the numbers sum to {}; accepted: a sum up to {START_TOTAL_MAX}",
            board.points()
        ));
    }
    Ok(())
}

/// The rules of 2048 with all parameters.
#[derive(Clone, Debug, PartialEq)]
pub struct TwentyFortyEight {
    /// Rows, 1 to 64.
    pub rows: usize,
    /// Columns, 1 to 64.
    pub cols: usize,
    /// Probability that a new tile is 4 instead of 2.
    pub four_rate: Probability,
    /// A largest tile of at least this wins.
    pub goal: u64,
    /// The start board.
    pub start: Option<NumberBoard>,
    /// The number of swipes after which the game ends at the latest.
    pub max_moves: Option<u64>,
}

impl TwentyFortyEight {
    /// The game with these parameters, after validation by [`PARAMS`] and [`complete`].
    ///
    /// # Panics
    /// Panics if the parameters were not accepted.
    pub fn from_params(params: &Params) -> Self {
        Self {
            rows: params.count("rows") as usize,
            cols: params.count("cols") as usize,
            four_rate: Probability::new(params.float("four_rate")),
            goal: params.count("goal"),
            start: params
                .text("start")
                .map(|text| NumberBoard::parse(text).expect("a start board in canonical form")),
            max_moves: params.int("max_moves").map(|moves| moves as u64),
        }
    }

    /// The outcome of a finished game.
    pub(crate) fn finished(
        &self,
        moves: u64,
        points: u64,
        merge_score: u64,
        largest: u64,
    ) -> Outcome {
        let result = if largest >= self.goal {
            GameResult::Won
        } else {
            GameResult::Lost
        };
        let mut outcome = Outcome::new(result, moves);
        outcome.measures[0] = points as i64;
        outcome.measures[1] = merge_score as i64;
        outcome.measures[2] = largest as i64;
        outcome
    }

    /// The start board as kernels pack it, blank where tiles are spawned at the start; `None` when
    /// it is not 4×4 or cannot be packed.
    fn packed_start(&self) -> Option<Packed> {
        if (self.rows, self.cols) != (4, 4) {
            return None;
        }
        let blank = Some(Packed::default());
        self.start.as_ref().map_or(blank, Packed::from_board)
    }
}

impl PlayableGame for TwentyFortyEight {
    const ENTRY: GameEntry = GameEntry {
        aliases: &["2048"],
        kernels: kernels::KERNELS,
        bench: &["size=4x4"],
        complete,
        answer: Some(|_, request, _| reference::answer(request)),
        make_table: Some(stepping::table),
        ..GameEntry::new(NAME, SUMMARY, PARAMS)
    };

    fn build(params: &Params) -> Self {
        Self::from_params(params)
    }

    fn random_job(reference: RandomJob<Self>, setup: &Setup<'_>) -> BuiltJob {
        kernels::job(reference, setup.kernel)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::params::Value;

    fn with_start(rows: i64, text: &str) -> Result<(), ParamError> {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(rows));
        params.set("cols", Value::Int(2));
        params.set("start", Value::Text(text.to_owned()));
        complete(&mut params)
    }

    #[test]
    fn start_boards_are_checked_against_the_size() {
        assert_eq!(with_start(1, "2,0"), Ok(()));
        assert!(
            with_start(2, "2,0")
                .unwrap_err()
                .message
                .contains("1 rows of 2 numbers where rows = 2")
        );
        assert!(
            with_start(1, "0,0")
                .unwrap_err()
                .message
                .contains("only blanks")
        );
        assert!(
            with_start(1, "1099511627776,1")
                .unwrap_err()
                .message
                .contains("sum to 1099511627777")
        );
        assert_eq!(with_start(1, "1099511627775,1"), Ok(()));
    }

    #[test]
    fn start_boards_have_one_text() {
        let spec = PARAMS.iter().find(|spec| spec.name == "start").unwrap();
        assert_eq!(
            spec.parse(" 2, 0/ 03,8"),
            Some(Value::Text("2,0/3,8".into()))
        );
        assert_eq!(spec.parse("2,0/3"), None);
    }
}
