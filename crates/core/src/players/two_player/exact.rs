//! The exact player for small two-player games: solves the rest of the game.
//!
//! The value of a position is the final margin under best play of both, cached by the position's
//! key; its sign is the result. Of the best moves the player takes the first in the game's fixed
//! order. A node is a position whose value was computed, not taken from the cache. No draws.

use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::game::{MoveValues, Player, Scale};
use crate::games::two_player::TwoPlayer;
use crate::params::{ParamError, Params};
use crate::rng::Stream;
use std::collections::HashMap;

/// Final margins of seat 0 under best play, by position.
#[derive(Clone, Debug, Default)]
pub struct Exact {
    margins: HashMap<u64, i64>,
    nodes: u64,
}

impl Exact {
    /// The final margin of seat 0 under best play of both.
    pub fn margin<G: TwoPlayer>(&mut self, game: &G, state: &mut G::State) -> i64 {
        if game.outcome(state).is_some() {
            return game.margin(state, 0);
        }
        let key = game.key(state);
        if let Some(&margin) = self.margins.get(&key) {
            return margin;
        }
        let (margin, _) = self.best(game, state);
        self.margins.insert(key, margin);
        margin
    }

    /// The best final margin of seat 0 and the first move towards it, in an unfinished position.
    fn best<G: TwoPlayer>(&mut self, game: &G, state: &mut G::State) -> (i64, G::Move) {
        self.nodes += 1;
        let sign = if game.seat(state) == 0 { 1 } else { -1 };
        let mut best: Option<(i64, G::Move)> = None;
        for chosen in game.legal_moves(state) {
            let undo = game.make(state, chosen);
            let margin = self.margin(game, state);
            game.unmake(state, undo);
            if best.is_none_or(|(known, _)| sign * margin > sign * known) {
                best = Some((margin, chosen));
            }
        }
        best.expect("a seat to move has a legal move")
    }
}

impl<G: PlayableGame + TwoPlayer> NamedPlayer<G> for Exact {
    const NAME: &'static str = "exact";
    const SUMMARY: &'static str = "solves the rest of the game; chooses the first best move";
    const CHANCE: bool = false;
    const SEARCHES: bool = true;

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self::default())
    }
}

impl<G: TwoPlayer> Player<G> for Exact {
    fn needs_list(&self, _seat: usize) -> bool {
        false
    }

    fn begin(&mut self, _: &G) {
        self.margins.clear();
    }

    fn choose(&mut self, game: &G, state: &G::State, _: &[G::Move], _: &mut Stream) -> G::Move {
        self.best(game, &mut state.clone()).1
    }

    /// The final margin of the seat to move after each move.
    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        _: &Stream,
    ) -> MoveValues {
        let sign = if game.seat(state) == 0 { 1 } else { -1 };
        let mut state = state.clone();
        let mut value = |chosen: &G::Move| {
            let undo = game.make(&mut state, *chosen);
            let margin = sign * self.margin(game, &mut state);
            game.unmake(&mut state, undo);
            Some(margin as f64)
        };
        Some(legal.iter().map(&mut value).collect())
    }

    fn scale(&self, _: &G, _: &G::State) -> Scale {
        Scale::Margin { unit: 1 }
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}
