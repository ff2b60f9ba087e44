//! The players, one file each, in a folder for each game or kind of game.
//!
//! A new player is one file, its `mod` line and one line in the list of its folder's `mod.rs`.

mod clock;
pub mod random;
pub mod sixty_seven;
mod sparse;
pub mod twenty_forty_eight;
pub mod two_player;
pub mod weights;
