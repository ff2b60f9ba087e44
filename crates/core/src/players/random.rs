//! The uniformly random player.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` legal moves in
//! the game's fixed order.

use crate::game::{Game, LoopJob, Player};
use crate::rng::{Draw, Stream};

/// Chooses uniformly among the legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Player<G> for Random {
    fn needs_list(&self, _seat: usize) -> bool {
        !G::PICKS_MOVES
    }

    #[inline]
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        let mut draw = Draw::next(stream);
        if legal.is_empty() {
            let count = game.legal_count(state) as u64;
            return game.nth_legal(state, draw.below(count) as usize);
        }
        legal[draw.below(legal.len() as u64) as usize]
    }
}

/// The games of the random player, played by the loop over turns.
pub type RandomJob<G> = LoopJob<G, fn() -> Random>;
