//! Contests of two-player games: a series between two players, and a tournament of every player
//! against every other.
//!
//! The functions here return games, rows and tables; whoever calls them prints and writes files.

pub mod series;
pub mod tournament;

use crate::params::ParamError;

/// Why a tournament was not played.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// The system does not give so many threads.
    #[error("{threads} threads: {reason}")]
    Threads {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// This machine cannot serve a player's parameter.
    #[error("{0}")]
    Player(#[from] ParamError),
}
