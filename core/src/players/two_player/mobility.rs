//! The mobility player for two-player games: keeps many moves for itself and few for the opponent.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` best moves in
//! the game's fixed order.

use super::greedy::Best;
use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::games::two_player::{SeatPlayer, TwoPlayer};
use crate::params::{ParamError, Params};
use crate::rng::Stream;

/// Maximizes the difference of the numbers of moves.
#[derive(Clone, Debug)]
pub struct Mobility<M>(Best<M>);

impl<M> Default for Mobility<M> {
    fn default() -> Self {
        Self(Best::default())
    }
}

impl<M: Copy> Mobility<M> {
    /// Chooses a legal move.
    pub fn choose<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        stream: &mut Stream,
    ) -> M {
        self.0.choose(game, state, stream, lead(game, state))
    }
}

/// By how many moves the seat to move leads after a move.
fn lead<G: TwoPlayer>(game: &G, state: &G::State) -> impl FnMut(G::Move) -> i64 {
    let seat = game.seat(state);
    let mut after = state.clone();
    move |chosen| {
        let undo = game.make(&mut after, chosen);
        let value = game.mobility(&after, seat) - game.mobility(&after, 1 - seat);
        game.unmake(&mut after, undo);
        value
    }
}

impl<M, G> NamedPlayer<G> for Mobility<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: PlayableGame + TwoPlayer<Move = M>,
{
    const NAME: &'static str = "mobility";
    const SUMMARY: &'static str =
        "maximizes its own moves minus the opponent's after the move; ties at random";

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self::default())
    }
}

impl<M, G> SeatPlayer<G> for Mobility<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: TwoPlayer<Move = M>,
{
    fn choose(&mut self, game: &G, state: &G::State, stream: &mut Stream) -> M {
        Self::choose(self, game, state, stream)
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[M],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        Some({
            let mut lead = lead(game, state);
            legal
                .iter()
                .map(|&chosen| Some(lead(chosen) as f64))
                .collect()
        })
    }
}
