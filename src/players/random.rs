//! The uniformly random player.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` legal moves in the game's fixed order.

use crate::game::{Game, Player};
use crate::params::ParamSpec;
use crate::rng::{Draw, Stream};

/// The player's name.
pub const NAME: &str = "random";
/// What it does, in one line.
pub const SUMMARY: &str = "chooses uniformly among the legal moves";
/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[];

/// Chooses uniformly among the legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Player<G> for Random {
    #[inline]
    fn choose(&mut self, _game: &G, _state: &G::State, legal: &[G::Move], stream: &mut Stream) -> G::Move {
        legal[Draw::next(stream).below(legal.len() as u64) as usize]
    }
}
