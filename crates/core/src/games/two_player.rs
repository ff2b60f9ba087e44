//! The interface of two-player games for players: gains, evaluations, undo, position keys.
//!
//! Every two-player player is written once over [`TwoPlayer`]; only the evaluations belong to a
//! game. Values are integers, so results do not depend on the order of addition.

use crate::game::registry::PlayerSpec;
use crate::game::{
    Game, GameResult, KernelChoice, KernelEntry, Measure, MeasureKind, Outcome, Player,
};
use crate::params::{ParamError, ParamSpec};
use crate::rng::{Draw, Stream};

/// What both two-player games report: score and visited nodes of seat 0 (`score`, `nodes`) and of
/// seat 1.
pub const MEASURES: &[Measure] = &[
    mean("score", "points", "points or coins of the first player"),
    mean(
        "opponent_score",
        "points",
        "points or coins of the second player",
    ),
    mean(
        "nodes",
        "positions",
        "positions that the first player visited in a game; empty for players that do not search",
    ),
    mean(
        "opponent_nodes",
        "positions",
        "positions that the second player visited in a game; empty for players that do not search",
    ),
];

const fn mean(name: &'static str, unit: &'static str, help: &'static str) -> Measure {
    Measure {
        name,
        kind: MeasureKind::Mean,
        unit,
        help,
    }
}

/// Where the points of a seat stand among [`MEASURES`].
pub const SCORE_AT: [usize; 2] = [0, 1];
/// Where the visited nodes of a seat stand among [`MEASURES`].
pub const NODES_AT: [usize; 2] = [2, 3];

/// The parameter with the number of random moves before those of the players.
///
/// Players that draw nothing play the same game from the same start; random openings make them play
/// different ones. The world stream decides them, one word a move: `below(n)` picks among the `n`
/// legal moves in their order. So both games of a pair of a match have the same opening. A move
/// that would end the game ends the opening instead.
pub const OPENING: &str = "opening";
/// What experiment files may say for [`OPENING`].
pub const OPENING_PARAM: ParamSpec = ParamSpec::int(OPENING, 0..=1000, Some(0)).help(
    "random moves before those of the players; both games of a pair of a match have the same",
);

/// Plays the opening of a game that has just begun. Some starts have no legal move; they are over.
pub fn open<G: TwoPlayer>(game: &G, state: &mut G::State, moves: u64, world: &mut Stream) {
    for _ in 0..moves {
        let legal = game.legal_count(state) as u64;
        if legal == 0 {
            return;
        }
        let chosen = game.nth_legal(state, Draw::next(world).below(legal) as usize);
        let undo = game.make(state, chosen);
        if game.outcome(state).is_some() {
            game.unmake(state, undo);
            return;
        }
    }
}

/// The value of a won game in [`TwoPlayer::evaluate`]; no unfinished position comes near it.
pub const WIN: i64 = 1 << 50;

/// A game of two seats without hidden knowledge, as a thinking player sees it.
///
/// Chance may decide the start of such a game, but nothing after it: [`Game::deal`] does nothing,
/// and a seat to move has a legal move (a game with passing passes inside [`Game::play`]).
pub trait TwoPlayer: Game {
    /// What [`TwoPlayer::unmake`] needs to take a move back.
    type Undo;

    /// Carries out a legal move as [`Game::play`] does, and remembers how to take it back.
    fn make(&self, state: &mut Self::State, chosen: Self::Move) -> Self::Undo;

    /// Takes the last made move back.
    fn unmake(&self, state: &mut Self::State, undo: Self::Undo);

    /// Points of `seat` minus points of the other.
    fn margin(&self, state: &Self::State, seat: usize) -> i64;

    /// How good the position is for `seat`: beyond ±[`WIN`]/2 exactly where the game is over and
    /// not drawn.
    fn evaluate(&self, state: &Self::State, seat: usize) -> i64;

    /// By how much one more point of margin raises the evaluation of an unfinished game.
    fn point_value(&self) -> i64 {
        1
    }

    /// No evaluation lies beyond ± this value, so a search is over where a move reaches it. A game
    /// whose wins all have the value [`WIN`] says so here.
    const BEST: i64 = i64::MAX;

    /// By how much a legal move raises the margin of the seat to move at once.
    fn gain(&self, state: &Self::State, chosen: Self::Move) -> i64;

    /// How promising a move looks before any search: searches try high ones first, narrow ones try
    /// nothing else.
    fn ordering_score(&self, state: &Self::State, chosen: Self::Move) -> i64 {
        self.gain(state, chosen)
    }

    /// The ordering score of each of these legal moves, in their order; `ordering_scores` arrives
    /// empty.
    fn ordering_scores(
        &self,
        state: &Self::State,
        moves: &[Self::Move],
        ordering_scores: &mut Vec<i64>,
    ) {
        ordering_scores.extend(
            moves
                .iter()
                .map(|&chosen| self.ordering_score(state, chosen)),
        );
    }

    /// How many moves `seat` would have if it were to move.
    fn mobility(&self, state: &Self::State, seat: usize) -> i64;

    /// A 64-bit key: equal for equal futures, different for different ones (for Zobrist keys: but
    /// for one case in 2⁶⁴).
    fn key(&self, state: &Self::State) -> u64;
}

/// The kernels of two-player games: their own engine without lists of all moves, in addition to the
/// loop.
pub const KERNELS: &[KernelEntry] = &[KernelEntry {
    choice: KernelChoice::Portable,
    summary: "two-player games without lists of all legal moves",
    needs: "nothing",
    available: || true,
}];

/// The player that a spec names, for one seat of the game `G`.
///
/// # Errors
/// Returns an error that names a parameter this machine cannot support, such as a table larger than
/// its memory.
///
/// # Panics
/// Panics if the player does not play this game.
pub fn seat_player<G: Game>(spec: &PlayerSpec) -> Result<Box<dyn Player<G>>, ParamError> {
    let make = spec.entry.seat.expect("a player of the program");
    let player = make(&spec.params)?.downcast::<Box<dyn Player<G>>>();
    Ok(*player.expect("a player of this game"))
}

/// Legal moves in the order in which a search tries them, with scratch memory.
#[derive(Debug)]
pub struct Ranking<M> {
    moves: Vec<M>,
    ordering_scores: Vec<i64>,
    ranked: Vec<(i64, u32, M)>,
}

impl<M> Default for Ranking<M> {
    fn default() -> Self {
        Self {
            moves: Vec::new(),
            ordering_scores: Vec::new(),
            ranked: Vec::new(),
        }
    }
}

impl<M: Copy> Ranking<M> {
    /// Ranks the legal moves: the `width` most promising (all when `width` is 0), the most
    /// promising first, equally promising ones in the game's fixed order.
    pub fn rank<G: TwoPlayer<Move = M>>(&mut self, game: &G, state: &G::State, width: usize) {
        self.moves.clear();
        game.legal(state, &mut self.moves);
        self.ranked.clear();
        self.ordering_scores.clear();
        game.ordering_scores(state, &self.moves, &mut self.ordering_scores);
        let ordering_scores = self.ordering_scores.iter().zip(&self.moves).enumerate();
        self.ranked
            .extend(ordering_scores.map(|(place, (&ordering_score, &chosen))| {
                (-ordering_score, place as u32, chosen)
            }));
        if (1..self.ranked.len()).contains(&width) {
            self.ranked
                .select_nth_unstable_by_key(width - 1, |&(rank, place, _)| (rank, place));
            self.ranked.truncate(width);
        }
        self.ranked
            .sort_unstable_by_key(|&(rank, place, _)| (rank, place));
    }

    /// The ranked moves with their places in the game's fixed order.
    pub fn iter(&self) -> impl Iterator<Item = (u32, M)> + '_ {
        self.ranked
            .iter()
            .map(|&(_, place, chosen)| (place, chosen))
    }

    /// Brings `first` to the front, if it was ranked, and leaves the others in order.
    pub fn promote(&mut self, first: M)
    where
        M: PartialEq,
    {
        if let Some(rank) = self
            .ranked
            .iter()
            .position(|&(_, _, chosen)| chosen == first)
        {
            self.ranked[..=rank].rotate_right(1);
        }
    }
}

/// The outcome of a finished two-player game, from its final points.
pub fn outcome(scores: [i64; 2], moves: u64) -> Outcome {
    let result = GameResult::from(scores[0].cmp(&scores[1]));
    let mut outcome = Outcome::new(result, moves);
    for seat in [0, 1] {
        outcome.measures[SCORE_AT[seat]] = scores[seat];
    }
    outcome
}
