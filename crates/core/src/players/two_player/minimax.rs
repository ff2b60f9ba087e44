//! The minimax player for two-player games: searches a fixed number of moves without pruning.
//!
//! It is the reference that [`super::alpha_beta`] is tested against. Of the best moves it takes the
//! first in the game's fixed order. A node is a visited position, the searched one included. No
//! draws. With `budget_ms` it searches depths 1, 2, … up to `depth` until the time is over, and the
//! last finished depth decides.

use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::game::{Player, Scale};
use crate::games::two_player::{Ranking, TwoPlayer};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock, budget};
use crate::rng::Stream;
use std::cmp::Reverse;

/// The largest depth that is accepted.
pub const DEPTH_MAX: i64 = 64;

/// Its parameters, with a game's own defaults.
pub const fn params(depth: i64, width: i64) -> [ParamSpec; 3] {
    [depth_param(depth), width_param(width), BUDGET_PARAM]
}

/// How many moves to look ahead.
pub(super) const fn depth_param(depth: i64) -> ParamSpec {
    ParamSpec::int("depth", 1..=DEPTH_MAX, Some(depth)).main("moves to look ahead")
}

/// How many moves to look at in each position.
pub(super) const fn width_param(width: i64) -> ParamSpec {
    ParamSpec::int("width", 0..=1 << 20, Some(width))
        .help("the most promising moves looked at in each position; 0: all")
}

/// Looks a fixed number of moves ahead.
#[derive(Debug)]
pub struct Minimax<M> {
    depth: usize,
    width: usize,
    rankings: Vec<Ranking<M>>,
    nodes: u64,
    clock: Clock,
}

impl<M: Copy> Minimax<M> {
    /// A player that looks `depth` ≥ 1 moves ahead at the `width` most promising moves, at all when
    /// it is 0.
    pub fn new(depth: usize, width: usize) -> Self {
        Self {
            depth,
            width,
            rankings: (0..depth).map(|_| Ranking::default()).collect(),
            nodes: 0,
            clock: Clock::default(),
        }
    }

    /// The values of the moves that are looked at, with their places in the game's fixed order.
    fn values<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        depth: usize,
    ) -> Vec<(i64, u32, M)> {
        let seat = game.seat(state);
        let mut state = state.clone();
        let mut ranking = std::mem::take(&mut self.rankings[depth - 1]);
        ranking.rank(game, &state, self.width);
        let values = ranking.iter().map(|(place, chosen)| {
            let undo = game.make(&mut state, chosen);
            let value = self.value(game, &mut state, seat, depth - 1);
            game.unmake(&mut state, undo);
            (value, place, chosen)
        });
        let values = values.collect();
        self.rankings[depth - 1] = ranking;
        values
    }

    /// The value of the position for `seat`; anything once the time is over.
    fn value<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &mut G::State,
        seat: usize,
        depth: usize,
    ) -> i64 {
        self.nodes += 1;
        if depth == 0 || self.clock.is_over() || game.outcome(state).is_some() {
            return game.evaluate(state, seat);
        }
        let mine = game.seat(state) == seat;
        let mut ranking = std::mem::take(&mut self.rankings[depth - 1]);
        ranking.rank(game, state, self.width);
        let values = ranking.iter().map(|(_, chosen)| {
            let undo = game.make(state, chosen);
            let value = self.value(game, state, seat, depth - 1);
            game.unmake(state, undo);
            value
        });
        let value = if mine { values.max() } else { values.min() };
        self.rankings[depth - 1] = ranking;
        value.expect("a seat to move has a legal move")
    }
}

impl<M, G> NamedPlayer<G> for Minimax<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: PlayableGame + TwoPlayer<Move = M>,
{
    const NAME: &'static str = "minimax";
    const SUMMARY: &'static str =
        "looks a fixed number of moves ahead at every line; the first best move";
    const PARAMS: &'static [ParamSpec] = &params(3, 0);
    const CHANCE: bool = false;
    const SEARCHES: bool = true;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let count = |name| params.count(name) as usize;
        let mut player = Self::new(count("depth"), count("width"));
        player.clock = Clock::new(budget(params));
        Ok(player)
    }
}

impl<M, G> Player<G> for Minimax<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: TwoPlayer<Move = M>,
{
    fn needs_list(&self, _seat: usize) -> bool {
        false
    }

    fn choose(&mut self, game: &G, state: &G::State, _: &[M], _: &mut Stream) -> M {
        self.nodes += 1;
        self.clock.start();
        let first = if self.clock.is_set() { 1 } else { self.depth };
        let mut values = self.values(game, state, first);
        self.clock.run();
        for depth in first + 1..=self.depth {
            let deeper = self.values(game, state, depth);
            if self.clock.was_over() {
                break;
            }
            values = deeper;
        }
        let best = values
            .into_iter()
            .max_by_key(|&(value, place, _)| (value, Reverse(place)));
        best.expect("a seat to move has a legal move").2
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[M],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        self.clock.start();
        let mut values = vec![None; legal.len()];
        for (value, place, _) in self.values(game, state, self.depth) {
            values[place as usize] = Some(value as f64);
        }
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
