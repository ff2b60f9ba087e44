//! The players, with those of the core: players of any game, of any game of two, and of 67!.
//!
//! A new player is one file, its `mod` line and one line in the list of its game's players.

pub mod twenty_forty_eight;
pub mod two_player;

pub use tilelab_core::players::*;
