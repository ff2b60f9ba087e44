//! A Monte Carlo laboratory for number games.
//!
//! tilelab plays millions of games of 67!, 2048 and their kin, by random or thinking players, over grids of parameters, and
//! writes tables that can be trusted and repeated to the bit. ARCHITECTURE.md tells what each room is for.

pub mod catalog;
#[cfg(feature = "cli")]
pub mod cli;
pub mod experiment;
pub mod game;
pub mod games;
pub mod params;
pub mod plan;
pub mod players;
pub mod report;
pub mod results;
pub mod rng;
pub mod runner;
pub mod stats;
pub mod tally;
#[cfg(feature = "cli")]
pub mod tui;
