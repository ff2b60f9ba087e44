//! The games, one file or folder each.

pub mod sixty_seven;
