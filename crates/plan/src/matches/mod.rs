//! Matches: players compared over starts that all of them play.
//!
//! A match is a cell whose unit is a *block*: one start with all its players. In a one-player game,
//! each player plays the start once: block i is game i of every player's own cell. In a game for
//! two, every two players play both seatings of the start. Every two players of a block meet in it:
//! the meeting is won by the one with more points, or with more of a measure where one is named.
//! The runner counts a block as one game, seen from the first player. The block of two players is a
//! *pair* of games.

mod best;
mod job;
mod test;

pub use best::Best;
pub use job::MatchJob;
pub use test::{PairTest, Reached, decided};

use tilelab_games::catalog::GameEntry;
use tilelab_games::tally::{Measure, MeasureKind};

/// Decides pairs by the outcomes of their games rather than by a measure.
pub const OUTCOME: &str = "outcome";
/// The number of moves as a measure, in one-player games.
pub const MOVES: &str = "moves";

/// How the pairs of a match are decided.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Match {
    /// Whether the measure decides pairs; otherwise the outcomes of their games do.
    pub by_measure: bool,
    /// The measure whose difference is reported.
    pub measure: &'static str,
}

impl Match {
    /// The match that `outcome` or the name of a measure decides, such as `merge_score` or `score`
    /// for it; `None` for other names.
    pub fn named(game: &GameEntry, name: &str) -> Option<Self> {
        let measures = measures_of(game);
        let named = |name: &str| {
            let ending = format!("_{name}");
            let mut measures = measures.iter().copied();
            measures.find(|known| *known == name || known.ends_with(&ending))
        };
        let by_measure = name != OUTCOME;
        let measure = if by_measure {
            named(name)?
        } else {
            named("score").unwrap_or(measures[0])
        };
        Some(Self {
            by_measure,
            measure,
        })
    }

    /// What decides pairs: `outcome`, or the name of a measure.
    pub const fn decided_by(&self) -> &'static str {
        if self.by_measure {
            self.measure
        } else {
            OUTCOME
        }
    }
}

/// The measures that can decide the pairs of a game.
pub fn measures_of(game: &GameEntry) -> Vec<&'static str> {
    let names = game.measures.iter().map(|measure| measure.name);
    if game.seats == 2 {
        names
            .filter(|name| opponents(game, name).is_some())
            .collect()
    } else {
        names.chain([MOVES]).collect()
    }
}

/// The measure of the second player of a two-player game that is `name` of the first.
fn opponents(game: &GameEntry, name: &str) -> Option<usize> {
    let name = format!("opponent_{name}");
    game.measures.iter().position(|other| other.name == name)
}

const fn measure(name: &'static str, unit: &'static str, help: &'static str) -> Measure {
    Measure {
        name,
        kind: MeasureKind::Mean,
        unit,
        help,
    }
}

/// Where the half points of a pair stand among its measures.
pub const HALF_POINTS_AT: usize = 0;
/// Where the difference of a pair stands among its measures.
pub const DIFFERENCE_AT: usize = 3;
/// Where the visited positions of the players stand among the measures of a pair.
pub const NODES_AT: [usize; 2] = [4, 5];

/// What a pair reports; the last two in two-player games only, and with more players the first two.
static MEASURES: [Measure; 6] = [
    Measure {
        name: "half_points",
        kind: MeasureKind::Points,
        unit: "half points",
        help: "half points of the first player in a pair, or in all meetings of a start: 2 for a won game, 1 for a drawn one",
    },
    measure(
        "value",
        "",
        "the measure of the match in the first player's games of a pair or a start, summed up",
    ),
    measure(
        "opponent_value",
        "",
        "the measure of the match in the second player's games of a pair or a start, summed up",
    ),
    Measure {
        kind: MeasureKind::Shape,
        ..measure(
            "difference",
            "",
            "the measure of the match in a pair, the first player's minus the second's",
        )
    },
    measure(
        "nodes",
        "positions",
        "positions that the first player visited in a game; empty for players that do not search",
    ),
    measure(
        "opponent_nodes",
        "positions",
        "positions that the second player visited in a game; empty for players that do not search",
    ),
];

/// What a block of `players` players of this game reports besides result and moves.
pub fn block_measures(game: &GameEntry, players: usize) -> &'static [Measure] {
    match (players, game.seats) {
        (3.., _) => &MEASURES[..2],
        (_, 2) => &MEASURES,
        _ => &MEASURES[..4],
    }
}

/// The most half points of a pair of this game.
pub const fn half_points_max(game: &GameEntry) -> i64 {
    2 * game.seats as i64
}
