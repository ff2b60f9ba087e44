//! The games, one file or folder each, and the shared code of two-player games.

pub mod calculator;
pub mod direction;
pub mod grid;
pub(crate) mod kernels;
pub mod offset;
pub mod sixty_seven;
pub mod twenty_forty_eight;
pub mod two_player;
pub mod zero_sum;
