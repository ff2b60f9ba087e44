//! The players of any game, one file each; those of any game of two and of 67! in folders.
//!
//! A new player is one file, its `mod` line and one line in the list of its folder's `mod.rs`.

pub mod clock;
pub mod mcts;
pub mod monte_carlo;
pub mod random;
pub mod sixty_seven;
pub mod sparse;
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
