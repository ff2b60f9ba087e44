//! Calculator: The Game.

mod cli;
mod solver;
