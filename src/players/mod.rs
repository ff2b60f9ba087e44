//! The players, one file each. A player plays every game whose moves it can choose; a specialist names its one game.

pub mod alpha_beta;
pub mod corner;
pub mod exact;
pub mod expectimax_2048;
pub mod greedy;
pub mod minimax;
pub mod mobility;
pub mod monte_carlo;
pub mod random;
pub mod seats;
pub mod seed_lookahead;
pub mod sixty_seven;
