//! The players, one file each, in a folder for each game or kind of game; those of this folder
//! play any game.
//!
//! A new player is one file, its `mod` line and one line in the list of its folder's `mod.rs`.

pub mod clock;
pub mod mcts;
pub mod monte_carlo;
pub mod random;
pub mod sixty_seven;
mod sparse;
pub mod twenty_forty_eight;
pub mod two_player;
pub mod weights;

use crate::game::registry::{PlayableGame, PlayerEntry};

/// The players of any game, the default first.
pub const fn general<G: PlayableGame>() -> &'static [PlayerEntry] {
    const {
        &[
            PlayerEntry::of::<G, random::Random>(),
            PlayerEntry::of::<G, monte_carlo::MonteCarlo<monte_carlo::ByRules<G>>>(),
            PlayerEntry::of::<G, mcts::Mcts<G>>(),
        ]
    }
}
