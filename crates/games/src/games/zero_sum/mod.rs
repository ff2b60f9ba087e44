//! The multiplication game: two players multiply a number until it reaches a limit.
//!
//! # Rules
//! The number begins at `start`, both players at 0 points. In turn each multiplies the number by 2,
//! 3 or 4. An even product takes one point from the opponent, an odd one gives one point to the
//! mover. The game ends when the number has reached `limit`; more points win, equal is a draw. The
//! move count is the number of multiplications.
//!
//! # Parameters
//! See [`PARAMS`]. Seat 0 is the player, seat 1 the opponent; `beginner` says which of them
//! multiplies first.
//!
//! # Evaluation
//! The evaluation of the original project, from the searching player's side: a finished game has
//! the value ±infinity or 0, by the sign of the score difference; any other position `2 ×
//! difference +
//! 0.5 × number / limit`. Here it is multiplied by `2 × limit`, so that it is a whole number and
//! comparisons are exact: `4 × limit × difference + number`, and ±[`WIN`] for ±infinity. Of equally
//! good multipliers the players take the first in the order 2, 3, 4.
//!
//! # Draw protocol
//! World stream: the moves of the opening ([`two_player::OPENING`]), if any. Player streams: see
//! the players.
//!
//! # Source
//! The multiplication game of the original project, as its README and programs describe it. Note
//! that even and odd products change the *difference* in the same way, by one point for the mover.
//! So the beginner wins exactly the games with an odd number of multiplications, all others are
//! draws, and the beginner cannot lose.

mod answer;

pub use answer::answer;

use crate::game::registry::{GameEntry, PlayableGame};
use crate::game::view::{BoardView, Cell};
use crate::game::{Describe, Game, Measure, Outcome, PositionError, Positions, Turn};
use crate::games::two_player::{self, OPENING, OPENING_PARAM, TwoPlayer, WIN};
use crate::json::{Json, json};
use crate::params::{ParamSpec, Params};
use crate::rng::{Stream, mix};
use serde::Serialize;

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "zero-sum";
/// What the game is, in one line.
pub const SUMMARY: &str =
    "the multiplication game: two players multiply a number by 2, 3 or 4 until it reaches a limit";

/// The smallest and the largest start number.
pub const STARTS: std::ops::RangeInclusive<i64> = 8..=18;

/// The largest limit that is accepted.
pub const LIMIT_MAX: i64 = 1_000_000_000;

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("start", STARTS, Some(8)).main("the number at the start"),
    ParamSpec::int("beginner", 0..=1, Some(0))
        .main("the seat that multiplies first: 0 the player, 1 the opponent"),
    ParamSpec::int("limit", 19..=LIMIT_MAX, Some(1200))
        .help("the game ends when the number has reached this"),
    OPENING_PARAM,
];

/// The multipliers in the order in which legal moves are listed.
pub const MULTIPLIERS: [u8; 3] = [2, 3, 4];

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct ZeroSum {
    /// The number at the start.
    pub start: i64,
    /// The seat that multiplies first.
    pub beginner: usize,
    /// The game ends when the number has reached this.
    pub limit: i64,
    /// Random moves before those of the players.
    pub opening: u64,
}

impl ZeroSum {
    /// The game with these parameters, which [`PARAMS`] accepts.
    ///
    /// # Panics
    /// Panics if the parameters were not accepted.
    pub fn from_params(params: &Params) -> Self {
        let int = |name| params.int(name).expect("a parameter with a default");
        Self {
            start: int("start"),
            beginner: int("beginner") as usize,
            limit: int("limit"),
            opening: int(OPENING) as u64,
        }
    }
}

impl PlayableGame for ZeroSum {
    const ENTRY: GameEntry = GameEntry {
        aliases: &["multiplication", "multiplication-game"],
        seats: 2,
        kernels: two_player::KERNELS,
        bench: &["start=8,18"],
        chance: |params| params.int(OPENING) > Some(0),
        answer: Some(answer),
        ..GameEntry::new(NAME, SUMMARY, PARAMS)
    };

    fn build(params: &Params) -> Self {
        Self::from_params(params)
    }
}

/// A position.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
pub struct State {
    /// The number.
    pub number: i64,
    /// The points of seats 0 and 1.
    pub scores: [i64; 2],
    /// The seat to move.
    pub seat: usize,
    /// Multiplications so far.
    pub moves: u64,
}

impl Game for ZeroSum {
    type State = State;
    type Move = u8;

    const MOVES: &'static [u8] = &MULTIPLIERS;
    const MEASURES: &'static [Measure] = two_player::MEASURES;

    fn start(&self, world: &mut Stream) -> State {
        let mut state = State {
            number: self.start,
            scores: [0, 0],
            seat: self.beginner,
            moves: 0,
        };
        two_player::open(self, &mut state, self.opening, world);
        state
    }

    fn seat(&self, state: &State) -> usize {
        state.seat
    }

    fn play(&self, state: &mut State, chosen: u8) {
        state.number *= i64::from(chosen);
        if state.number % 2 == 0 {
            state.scores[1 - state.seat] -= 1;
        } else {
            state.scores[state.seat] += 1;
        }
        state.seat = 1 - state.seat;
        state.moves += 1;
    }

    fn outcome(&self, state: &State) -> Option<Outcome> {
        (state.number >= self.limit).then(|| two_player::outcome(state.scores, state.moves))
    }
}

impl TwoPlayer for ZeroSum {
    type Undo = State;

    fn make(&self, state: &mut State, chosen: u8) -> State {
        let before = *state;
        self.play(state, chosen);
        before
    }

    fn unmake(&self, state: &mut State, undo: State) {
        *state = undo;
    }

    fn margin(&self, state: &State, seat: usize) -> i64 {
        state.scores[seat] - state.scores[1 - seat]
    }

    const BEST: i64 = WIN;

    fn evaluate(&self, state: &State, seat: usize) -> i64 {
        let difference = self.margin(state, seat);
        if state.number >= self.limit {
            difference.signum() * WIN
        } else {
            self.point_value() * difference + state.number
        }
    }

    fn point_value(&self) -> i64 {
        4 * self.limit
    }

    fn gain(&self, _state: &State, _chosen: u8) -> i64 {
        1
    }

    fn mobility(&self, _state: &State, _seat: usize) -> i64 {
        MULTIPLIERS.len() as i64
    }

    fn key(&self, state: &State) -> u64 {
        // Number, difference and seat side by side are an injection for differences of less than
        // 2¹⁵ points.
        let difference = (self.margin(state, 0) as u64) & 0xFFFF;
        mix((state.number as u64) << 17 | difference << 1 | state.seat as u64)
    }
}

impl Positions for ZeroSum {
    fn position(&self, state: &State) -> Json {
        json!(state)
    }

    fn parse(&self, position: &Json) -> Result<State, PositionError> {
        let int = |name: &str, value: &Json| {
            value
                .as_i64()
                .ok_or_else(|| format!("{name}: a whole number is missing"))
        };
        let seat = int("seat", &position["seat"])?;
        let moves = int("moves", &position["moves"])?;
        if !(0..=1).contains(&seat) || moves < 0 {
            return Err(format!(
                "seat {seat} after {moves} moves: the seat is 0 or 1, the moves are at least 0"
            )
            .into());
        }
        let scores = [
            int("scores", &position["scores"][0])?,
            int("scores", &position["scores"][1])?,
        ];
        let number = int("number", &position["number"])?;
        if !(1..=4 * LIMIT_MAX).contains(&number) {
            return Err(format!("number: {number}; 1 to {} are accepted", 4 * LIMIT_MAX).into());
        }
        Ok(State {
            number,
            scores,
            seat: seat as usize,
            moves: moves as u64,
        })
    }
}

impl Describe for ZeroSum {
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        json!({
            "turn": turn.number,
            "seat": turn.dealt.seat,
            "number": turn.dealt.number,
            "scores": turn.dealt.scores,
            "legal": turn.legal,
            "move": turn.played.map(|(chosen, _)| chosen),
            "after": turn.played.map(|(_, after)| after.number),
            "scores_after": turn.played.map(|(_, after)| after.scores),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    fn view(&self, state: &State) -> BoardView {
        let [first, second] = state.scores;
        BoardView::new(
            vec![vec![Cell::new(state.number.to_string())]],
            [("seat 0", first), ("seat 1", second), ("until", self.limit)],
        )
    }

    fn how_to_play(&self) -> String {
        format!(
            "The number begins at {}. In turn, each player multiplies it by 2, 3 or 4.\n\
             An even product takes a point from the opponent, an odd one gives you a point.\n\
             The game ends when the number is {} or more. More points win.\n",
            self.start, self.limit
        )
    }

    fn goal(&self) -> String {
        format!("most points at {}", self.limit)
    }

    fn why_over(&self, state: &State) -> String {
        let [first, second] = state.scores;
        format!(
            "the number reached {}, points {first} to {second}",
            self.limit
        )
    }
}
