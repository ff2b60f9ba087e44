//! The games, one file or folder each.

pub mod calculator;
pub mod sixty_seven;
