//! The mobility player for two-player games: keeps its own choice wide and the other's narrow.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` best moves in the game's fixed order.

use super::greedy::Best;
use crate::games::two_player::TwoPlayer;
use crate::params::ParamSpec;
use crate::rng::Stream;

/// The player's name.
pub const NAME: &str = "mobility";
/// What it does, in one line.
pub const SUMMARY: &str = "maximizes its own moves minus the opponent's after the move; ties at random";
/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[];

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
    pub fn choose<G: TwoPlayer<Move = M>>(&mut self, game: &G, state: &G::State, stream: &mut Stream) -> M {
        let seat = game.seat(state);
        let mut after = state.clone();
        self.0.choose(game, state, stream, |chosen| {
            let undo = game.make(&mut after, chosen);
            let value = game.mobility(&after, seat) - game.mobility(&after, 1 - seat);
            game.unmake(&mut after, undo);
            value
        })
    }
}
