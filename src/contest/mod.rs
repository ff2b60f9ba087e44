//! Contests of two-player games: a series between two players, and a tournament of every player against every other.
//!
//! The functions here return games, rows and tables; whoever calls them prints and writes files.

pub mod series;
pub mod tournament;
