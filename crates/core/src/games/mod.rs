//! 67!, and what several games share: directions, boards, instruction sets, games of two.

pub mod direction;
pub mod grid;
pub mod kernels;
pub mod sixty_seven;
pub mod two_player;
