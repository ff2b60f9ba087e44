//! The games, one file or folder each, and what games for two share.

pub mod calculator;
pub mod direction;
pub(crate) mod kernels;
pub mod offset;
pub mod sixty_seven;
pub mod twenty_forty_eight;
pub mod two_player;
pub mod zero_sum;
