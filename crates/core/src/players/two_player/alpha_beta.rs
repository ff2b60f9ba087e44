//! The alpha-beta player for two-player games: the same choice as minimax with fewer positions.
//!
//! With the same `depth` and `width` it chooses the same move as [`super::minimax`], the first best
//! one in the game's fixed order: at the root, a move that precedes the best so far in that order
//! is searched with a window that distinguishes an equal value from a lower one. A node is a
//! visited position, the searched one included; a visit ends early where the best value reaches
//! beta. No draws.
//!
//! Minimax is the same search without pruning, a table or a clock.
//!
//! # Transposition table
//! With `table` = b > 0, 2ᵇ positions are stored with depth, value, whether the value is exact or a
//! bound, and the best move; a new position replaces the old one in its slot. A stored value is
//! used only if it was searched to exactly the same depth, so that the choice is that of minimax.
//! The search then uses iterative deepening and tries the stored best move first. The table is
//! cleared between games.
//!
//! # Time
//! With `budget_ms` the search deepens until the time is over and plays the best move of the last
//! finished depth; the first depth is always finished. Such games differ from run to run, so that
//! only matches have them.

use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::game::{Game, MoveValues, Player, Scale};
use crate::games::two_player::{Ranking, TwoPlayer};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock};
use crate::rng::Stream;

/// The largest depth that is accepted.
pub const DEPTH_MAX: i64 = 64;

/// The parameters of minimax, with a game's own defaults.
pub const fn minimax_params(depth: i64, width: i64) -> [ParamSpec; 3] {
    [depth_param(depth), width_param(width), BUDGET_PARAM]
}

/// How many moves to look ahead.
const fn depth_param(depth: i64) -> ParamSpec {
    ParamSpec::int("depth", 1..=DEPTH_MAX, Some(depth)).main("moves to look ahead")
}

/// How many moves to look at in each position.
pub(super) const fn width_param(width: i64) -> ParamSpec {
    ParamSpec::int("width", 0..=1 << 20, Some(width))
        .help("number of moves searched in each position, the most promising ones; 0: all")
}

/// The parameters of alpha-beta, with a game's own defaults.
pub const fn params(depth: i64, width: i64, table: i64) -> [ParamSpec; 4] {
    [
        depth_param(depth),
        width_param(width),
        ParamSpec::int("table", 0..=26, Some(table))
            .help("the transposition table remembers 2^table positions; 0: none"),
        BUDGET_PARAM,
    ]
}

/// What a remembered value says.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Bound {
    Exact,
    AtLeast,
    AtMost,
}

/// A remembered position.
#[derive(Clone, Copy, Debug)]
struct Remembered<M> {
    key: u64,
    value: i64,
    depth: u8,
    bound: Bound,
    best: M,
}

/// Looks a fixed number of moves ahead: at every line, or if it `PRUNES`, at those that can change
/// the choice.
pub struct LookAhead<G: Game, const PRUNES: bool> {
    depth: usize,
    width: usize,
    clock: Clock,
    /// Reserved when the player is made and filled at its first choice.
    table: Vec<Option<Remembered<G::Move>>>,
    table_len: usize,
    rankings: Vec<Ranking<G::Move>>,
    nodes: u64,
}

/// Looks ahead and prunes.
pub type AlphaBeta<G> = LookAhead<G, true>;

impl<G: TwoPlayer, const PRUNES: bool> LookAhead<G, PRUNES> {
    /// A player that looks `depth` ≥ 1 moves ahead at the `width` most promising moves (0: all) and
    /// remembers 2^`table` positions (0: none).
    pub fn new(depth: usize, width: usize, table: usize) -> Self {
        Self {
            depth,
            width,
            clock: Clock::default(),
            table: Vec::new(),
            table_len: if table == 0 { 0 } else { 1 << table },
            rankings: (0..depth).map(|_| Ranking::default()).collect(),
            nodes: 0,
        }
    }

    /// The first best move at this depth, trying `first` first; `None` when the time is over.
    fn best(
        &mut self,
        game: &G,
        state: &mut G::State,
        depth: usize,
        first: Option<G::Move>,
    ) -> Option<G::Move> {
        self.nodes += 1;
        let seat = game.seat(state);
        let mut ranking = std::mem::take(&mut self.rankings[depth - 1]);
        ranking.rank(game, state, self.width);
        if let Some(first) = first {
            ranking.promote(first);
        }
        let mut best: Option<(i64, u32, G::Move)> = None;
        for (place, chosen) in ranking.iter() {
            // An earlier move in the fixed order wins a tie, so its window reaches down to the
            // value before the best.
            let alpha = best.map_or(
                -G::BEST,
                |(value, best_place, _)| if place < best_place { value - 1 } else { value },
            );
            // Nothing is better than a proved win, and an equal one later in the fixed order loses
            // the tie.
            if PRUNES && alpha >= G::BEST {
                continue;
            }
            let undo = game.make(state, chosen);
            let value = self.value(game, state, seat, depth - 1, alpha, G::BEST);
            game.unmake(state, undo);
            if self.clock.was_over() {
                break;
            }
            if value > alpha || best.is_none() {
                best = Some((value, place, chosen));
            }
        }
        self.rankings[depth - 1] = ranking;
        if self.clock.was_over() {
            None
        } else {
            best.map(|(_, _, chosen)| chosen)
        }
    }

    /// The value of the position for `seat`: exact between alpha and beta, otherwise a bound beyond
    /// the one that it reaches.
    fn value(
        &mut self,
        game: &G,
        state: &mut G::State,
        seat: usize,
        depth: usize,
        alpha: i64,
        beta: i64,
    ) -> i64 {
        self.nodes += 1;
        if depth == 0 || game.outcome(state).is_some() {
            return game.evaluate(state, seat);
        }
        if PRUNES && self.clock.is_over() {
            return 0;
        }
        let has_table = PRUNES && !self.table.is_empty();
        let key = if has_table { game.key(state) } else { 0 };
        // Without a table there is no such place.
        let place = key as usize & self.table.len().wrapping_sub(1);
        let remembered = if has_table { self.table[place] } else { None };
        let remembered = remembered.filter(|known| known.key == key);
        if let Some(known) = remembered.filter(|known| usize::from(known.depth) == depth) {
            let usable = match known.bound {
                Bound::Exact => true,
                Bound::AtLeast => known.value >= beta,
                Bound::AtMost => known.value <= alpha,
            };
            if usable {
                return known.value;
            }
        }
        let mut ranking = std::mem::take(&mut self.rankings[depth - 1]);
        ranking.rank(game, state, self.width);
        if let Some(known) = remembered {
            ranking.promote(known.best);
        }
        let (value, best) = self.search(game, state, seat, depth, (alpha, beta), &ranking);
        self.rankings[depth - 1] = ranking;
        if has_table && !self.clock.was_over() {
            let bound = if value >= beta {
                Bound::AtLeast
            } else if value <= alpha {
                Bound::AtMost
            } else {
                Bound::Exact
            };
            self.table[place] = Some(Remembered {
                key,
                value,
                depth: depth as u8,
                bound,
                best,
            });
        }
        value
    }

    /// The value of a position from its ranked moves, and the move that it comes from.
    fn search(
        &mut self,
        game: &G,
        state: &mut G::State,
        seat: usize,
        depth: usize,
        (mut alpha, mut beta): (i64, i64),
        ranking: &Ranking<G::Move>,
    ) -> (i64, G::Move) {
        let mine = game.seat(state) == seat;
        let (_, first) = ranking
            .iter()
            .next()
            .expect("a seat to move has a legal move");
        let mut best = (if mine { i64::MIN } else { i64::MAX }, first);
        for (_, chosen) in ranking.iter() {
            let undo = game.make(state, chosen);
            let value = self.value(game, state, seat, depth - 1, alpha, beta);
            game.unmake(state, undo);
            if if mine { value > best.0 } else { value < best.0 } {
                best = (value, chosen);
            }
            if mine {
                alpha = alpha.max(best.0);
            } else {
                beta = beta.min(best.0);
            }
            if PRUNES && (alpha >= beta || self.clock.was_over()) {
                break;
            }
        }
        best
    }
}

impl<G: PlayableGame + TwoPlayer, const PRUNES: bool> NamedPlayer<G> for LookAhead<G, PRUNES> {
    const NAME: &'static str = if PRUNES { "alpha-beta" } else { "minimax" };
    const SUMMARY: &'static str = if PRUNES {
        "looks ahead with alpha-beta pruning; chooses as minimax from fewer positions"
    } else {
        "looks a fixed number of moves ahead without pruning; chooses the first best move"
    };
    const PARAMS: &'static [ParamSpec] = if PRUNES {
        const { &params(3, 0, 0) }
    } else {
        const { &minimax_params(3, 0) }
    };
    const CHANCE: bool = false;
    const SEARCHES: bool = true;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let count = |name| params.count(name) as usize;
        let table = if PRUNES { count("table") } else { 0 };
        let mut player = Self::new(count("depth"), count("width"), table);
        player.clock = Clock::of(params);
        let positions = player.table_len;
        player.table.try_reserve_exact(positions).map_err(|_| {
            let megabytes = (positions * size_of::<Option<Remembered<G::Move>>>()) >> 20;
            let message = format!(
                "{table}: a table of 2^{table} positions needs {megabytes} MiB, which this machine does not \
                 give; choose a smaller table"
            );
            ParamError::new("alpha-beta.table", message)
        })?;
        Ok(player)
    }
}

impl<G: TwoPlayer, const PRUNES: bool> Player<G> for LookAhead<G, PRUNES> {
    fn needs_list(&self, _seat: usize) -> bool {
        false
    }

    fn begin(&mut self, _: &G) {
        self.table.clear();
    }

    fn choose(&mut self, game: &G, state: &G::State, _: &[G::Move], _: &mut Stream) -> G::Move {
        // The table is empty after a game; a table that is in use already has its length.
        self.table.resize(self.table_len, None);
        self.clock.start();
        let mut state = state.clone();
        let deepens = self.clock.is_set() || !self.table.is_empty();
        let first = if deepens { 1 } else { self.depth };
        let mut best = self
            .best(game, &mut state, first, None)
            .expect("the first depth is always finished");
        self.clock.run();
        for depth in first + 1..=self.depth {
            match self.best(game, &mut state, depth, Some(best)) {
                Some(better) => best = better,
                None => break,
            }
        }
        best
    }

    /// The values at the full depth; `None` for moves beyond the width. What the player remembers
    /// stays as it is.
    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        _: &Stream,
    ) -> MoveValues {
        let table = std::mem::take(&mut self.table);
        self.clock.start();
        let seat = game.seat(state);
        let mut state = state.clone();
        let mut ranking = std::mem::take(&mut self.rankings[self.depth - 1]);
        ranking.rank(game, &state, self.width);
        let mut values = vec![None; legal.len()];
        for (place, chosen) in ranking.iter() {
            let undo = game.make(&mut state, chosen);
            let value = self.value(game, &mut state, seat, self.depth - 1, -G::BEST, G::BEST);
            values[place as usize] = Some(value as f64);
            game.unmake(&mut state, undo);
        }
        self.rankings[self.depth - 1] = ranking;
        self.table = table;
        Some(values)
    }

    fn scale(&self, game: &G, _: &G::State) -> Scale {
        Scale::Margin {
            unit: game.point_value(),
        }
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}
