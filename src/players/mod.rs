//! The players, one file each. A player plays every game whose moves it can choose; a specialist names its one game.

pub mod random;
