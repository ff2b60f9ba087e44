//! The players, one file each. A player plays every game whose moves it can choose; a specialist names its one game.

pub mod corner;
pub mod expectimax_2048;
pub mod random;
pub mod seed_lookahead;
