//! Offset: two players combine equal piles that lie a fixed offset apart.
//!
//! # Rules
//! A `side` × `side` grid; every cell starts with a pile of one coin, owned by nobody. Each player
//! has a pair (p, q) of positive integers with p + q = `d` and p ≠ q; the two pairs differ, also
//! when swapped. On a turn the player combines two piles of equal, non-zero size whose cells differ
//! by (±p, ±q) or (±q, ±p), and chooses which of the two cells receives the doubled pile; the other
//! becomes empty. The combined pile belongs to that player, regardless of who owned its halves. A
//! player without a legal move passes; the game ends when neither can move. The score is the number
//! of coins in piles that the player owns; more coins win, equal is a draw. The move count is the
//! number of combinations.
//!
//! # Parameters
//! See [`PARAMS`]. A cell is numbered x + 32 y from 0 with x the column; as text it is (x, y).
//!
//! # Order of moves
//! Legal moves are listed by direction, (p, q), (−p, q), (q, p), (−q, p) with p < q, then by the
//! cell with the smaller y in reading order; of the two moves of a combination the one that fills
//! the cell with the larger y comes first.
//!
//! # Draw protocol
//! * World stream: with `pairs = "drawn"` and no pair given, one word at the start: of the m pairs
//!   p < q in the order of p, `below(m)` is that of seat 0, `below(m − 1)` that of seat 1 among the
//!   others. Otherwise nothing. With `pairs = "all"` game number i is assignment number i mod 2m(m
//!   − 1) of [`all_assignments`]; with `pairs = "each"` those with another beginner are left out.
//!   Then the moves of the opening ([`two_player::OPENING`]), if any.
//! * Player streams: see the players.
//!
//! # Source
//! The Offset game of the original project, as its README and simulator describe it. The rules do
//! not define who begins, so `beginner` does.

mod answer;
pub mod board;
mod describe;
pub mod log;
#[cfg(test)]
mod reference;

pub use answer::answer;

use crate::game::registry::{GameEntry, PlayableGame};
use crate::games::two_player::{self, OPENING, OPENING_PARAM};
use crate::params::{self, ParamError, ParamSpec, Params};
use crate::rng::{Draw, Stream};
use std::fmt;

/// The game's name in experiment files and on the command line.
pub const NAME: &str = "offset";
/// What the game is, in one line.
pub const SUMMARY: &str =
    "Offset: two players combine equal piles that lie a fixed offset apart; most coins win";

/// The largest and the usual side of the board.
pub const SIDE: usize = 32;
/// The smallest side that is accepted: (1, 4) of d = 5 needs 5 cells, (2, 3) needs 4.
pub const SIDE_MIN: usize = 4;
/// The smallest d with two different pairs.
pub const D_MIN: i64 = 5;
/// The largest d with a pair that fits on the board: 31 + 31 has equal parts, so 61 is the largest
/// d with legal moves.
pub const D_MAX: i64 = 61;

/// The parameters of the game.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("d", D_MIN..=D_MAX, Some(7)).main("the sum p + q of both players' pairs"),
    ParamSpec::choice("pairs", &["drawn", "all", "each"], "drawn").main(
        "drawn: different pairs drawn for each game; all: the games go through all ordered \
             pairs of pairs, each with both beginners; each: the same with one beginner, the \
             parameter beginner",
    ),
    ParamSpec::text("pair0", PAIR_FORM, canonical_pair, None)
        .main("the pair of seat 0, such as \"1,6\"; unset: as pairs says"),
    ParamSpec::text("pair1", PAIR_FORM, canonical_pair, None)
        .main("the pair of seat 1; given together with pair0"),
    ParamSpec::int("beginner", 0..=1, Some(0))
        .main("the seat that moves first (pairs = \"all\" alternates it)"),
    ParamSpec::int("side", (SIDE_MIN as i64)..=SIDE as i64, Some(SIDE as i64))
        .help("cells along a side of the board"),
    OPENING_PARAM,
];

/// The value of `pairs` that draws the pairs at random.
const DRAWN: &str = "drawn";

/// The accepted form of a pair, as shown in messages.
pub const PAIR_FORM: &str = "p,q with different positive p and q up to 60, such as \"1,6\"";

fn canonical_pair(text: &str) -> Option<String> {
    Pair::parse(text).map(|pair| pair.to_string())
}

/// A player's pair, the smaller number first, since the rules treat (p, q) and (q, p) alike.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Pair {
    p: u8,
    q: u8,
}

impl Pair {
    /// The pair of two different positive numbers up to 60; `None` for others.
    pub fn new(p: u8, q: u8) -> Option<Self> {
        (p != q && [p, q].iter().all(|part| (1..D_MAX as u8).contains(part))).then(|| Self {
            p: p.min(q),
            q: p.max(q),
        })
    }

    /// Reads `p,q`.
    pub fn parse(text: &str) -> Option<Self> {
        let (p, q) = text.split_once(',')?;
        Self::new(p.trim().parse().ok()?, q.trim().parse().ok()?)
    }

    /// The sum of both numbers.
    pub fn d(self) -> i64 {
        i64::from(self.p) + i64::from(self.q)
    }

    /// The four downward directions, as (x, y), in the order of the moves.
    pub const fn directions(self) -> [(i8, i8); 4] {
        let p = self.p as i8;
        let q = self.q as i8;
        [(p, q), (-p, q), (q, p), (-q, p)]
    }
}

impl fmt::Display for Pair {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{},{}", self.p, self.q)
    }
}

/// Reads the pairs of both seats from `p0,q0:p1,q1`.
///
/// # Errors
/// Returns an error that names the problem and the accepted form.
pub fn parse_pairs(text: &str) -> Result<[Pair; 2], String> {
    let form = || {
        format!(
            "{text:?} is not accepted; write p0,q0:p1,q1 such as 1,6:3,4, each pair {PAIR_FORM}"
        )
    };
    let (first, second) = text.split_once(':').ok_or_else(form)?;
    let pairs = [
        Pair::parse(first).ok_or_else(form)?,
        Pair::parse(second).ok_or_else(form)?,
    ];
    check_pairs(pairs)?;
    Ok(pairs)
}

/// Whether two players may have these pairs.
///
/// # Errors
/// Returns an error that names the rule they break.
fn check_pairs(pairs: [Pair; 2]) -> Result<(), String> {
    let [first, second] = pairs;
    if first.d() != second.d() {
        return Err(format!(
            "{first} has the sum {} and {second} the sum {}; both pairs must have the same sum d",
            first.d(),
            second.d()
        ));
    }
    if first == second {
        return Err(format!(
            "both players have {first}; their pairs must differ, also when swapped"
        ));
    }
    if first.d() > D_MAX {
        return Err(format!(
            "the sum of {first} is {}; at most {D_MAX} is accepted",
            first.d()
        ));
    }
    Ok(())
}

/// All pairs p < q with p + q = `d`, in the order of p.
pub fn all_pairs(d: i64) -> Vec<Pair> {
    (1..=(d - 1) / 2)
        .filter_map(|p| Pair::new(p as u8, (d - p) as u8))
        .collect()
}

/// Who has which pair and who begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The pairs of seats 0 and 1.
    pub pairs: [Pair; 2],
    /// The seat that moves first.
    pub beginner: usize,
}

/// All ordered pairs of different pairs of `d`, seat 0's slowest, each with seat 0 and then with
/// seat 1 as beginner.
pub fn all_assignments(d: i64) -> Vec<Assignment> {
    let pairs = all_pairs(d);
    let mut assignments = Vec::new();
    for &first in &pairs {
        for &second in pairs.iter().filter(|&&second| second != first) {
            assignments.extend([0, 1].map(|beginner| Assignment {
                pairs: [first, second],
                beginner,
            }));
        }
    }
    assignments
}

/// Checks that the pairs and d are consistent.
///
/// # Errors
/// Returns an error that names the parameter contradicting the others.
pub fn complete(params: &mut Params) -> Result<(), ParamError> {
    let pair = |name| params.text(name).and_then(Pair::parse);
    let missing = |name| Err(ParamError::new(name, "missing; give both pairs or neither"));
    let d = params.int("d").expect("a parameter with a default");
    match [pair("pair0"), pair("pair1")] {
        [None, None] => Ok(()),
        [Some(_), None] => missing("pair1"),
        [None, Some(_)] => missing("pair0"),
        [Some(first), Some(second)] => {
            let pairs = params.text("pairs").unwrap_or_default();
            if pairs != DRAWN {
                return Err(ParamError::new(
                    "pair0",
                    format!(
                        "given although pairs is {pairs}; leave the pairs out, or pairs = \"drawn\""
                    ),
                ));
            }
            for (name, pair) in [("pair0", first), ("pair1", second)] {
                if pair.d() != d {
                    return Err(ParamError::new(
                        name,
                        format!("{pair} has the sum {}; d is {d}", pair.d()),
                    ));
                }
            }
            check_pairs([first, second]).map_err(|message| ParamError::new("pair1", message))
        }
    }
}

/// The rules with their parameters.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Offset {
    /// Cells along a side, 4 to 32.
    pub side: usize,
    /// The sum p + q.
    pub d: i64,
    /// The pairs of both seats; if `None`, drawn for each game.
    pub pairs: Option<[Pair; 2]>,
    /// The seat that moves first.
    pub beginner: usize,
    /// Random moves before those of the players.
    pub opening: u64,
    /// Which starts the games of a cell walk.
    pub walk: Walk,
}

/// Which starts the games of a cell walk; see the parameter `pairs`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Walk {
    /// No fixed starts: each game draws its own.
    Drawn,
    /// All assignments in order.
    All,
    /// All assignments in which the same seat begins, in order.
    Each,
}

impl Offset {
    /// The game with these parameters, after validation by [`PARAMS`] and [`complete`].
    ///
    /// # Panics
    /// Panics if the parameters were not accepted.
    pub fn from_params(params: &Params) -> Self {
        let int = |name| params.int(name).expect("a parameter with a default");
        let pair = |name| params.text(name).and_then(Pair::parse);
        Self {
            side: int("side") as usize,
            d: int("d"),
            pairs: pair("pair0")
                .zip(pair("pair1"))
                .map(|(first, second)| [first, second]),
            beginner: int("beginner") as usize,
            opening: int(OPENING) as u64,
            walk: match params.text("pairs") {
                Some("all") => Walk::All,
                Some("each") => Walk::Each,
                _ => Walk::Drawn,
            },
        }
    }

    /// This game with this assignment.
    #[must_use]
    pub const fn assigned(self, assignment: Assignment) -> Self {
        Self {
            pairs: Some(assignment.pairs),
            beginner: assignment.beginner,
            walk: Walk::Drawn,
            ..self
        }
    }

    /// The pairs of a new game with this world stream.
    pub fn pairs_of(&self, world: &mut Stream) -> [Pair; 2] {
        self.pairs.unwrap_or_else(|| {
            let mut pairs = all_pairs(self.d);
            let mut draw = Draw::next(world);
            let first = pairs.remove(draw.below(pairs.len() as u64) as usize);
            [first, pairs[draw.below(pairs.len() as u64) as usize]]
        })
    }
}

impl PlayableGame for Offset {
    const ENTRY: GameEntry = GameEntry {
        seats: 2,
        kernels: two_player::KERNELS,
        bench: &["d=7,10"],
        // A game of searching players takes seconds.
        batch_games: 16,
        complete,
        chance: |params| {
            let are_drawn = params.text("pairs") == Some(DRAWN) && params.text("pair0").is_none();
            are_drawn || params.int(OPENING) > Some(0)
        },
        all_starts,
        answer: Some(answer),
        ..GameEntry::new(NAME, SUMMARY, PARAMS)
    };

    fn build(params: &Params) -> Self {
        Self::from_params(params)
    }
}

/// The parameters under which the games play all starts in order, and the number of starts
/// ([`GameEntry::all_starts`]).
fn all_starts(params: &Params) -> Option<(Params, u64)> {
    if params.text("pair0").is_some() || params.int(OPENING) > Some(0) {
        return None;
    }
    let mut walked = params.clone();
    walked.set("pairs", params::Value::Text("each".to_owned()));
    let pairs = all_pairs(Offset::from_params(params).d).len() as u64;
    Some((walked, pairs * (pairs - 1)))
}

/// A combination: the pile on `source` goes onto the equal pile on `target`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Move {
    /// The cell that becomes empty.
    pub source: u16,
    /// The cell that receives the doubled pile.
    pub target: u16,
}

/// The column and the row of a cell.
pub const fn place(cell: u16) -> (u16, u16) {
    (cell % SIDE as u16, cell / SIDE as u16)
}

/// A cell's pile: how often it was doubled, and its owner.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Pile {
    /// The number of coins is 2 to the power of this.
    pub level: u8,
    /// The seat that made the pile; `None` for the piles of the start.
    pub owner: Option<usize>,
}

impl Pile {
    /// The number of coins.
    pub const fn coins(self) -> i64 {
        1 << self.level
    }
}
