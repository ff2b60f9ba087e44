//! Value lanes: 16 sets of digits on one trajectory.

mod cli;
mod games;
mod statistics;
