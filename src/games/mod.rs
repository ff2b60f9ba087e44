//! The games, one file or folder each.

pub mod calculator;
pub mod direction;
pub mod sixty_seven;
pub mod twenty_forty_eight;
