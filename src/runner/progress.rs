//! How far the cells of a run are.

use std::time::Duration;

/// How far a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellProgress {
    /// Games played, in this run and before.
    pub games: u64,
    /// Games played in this run.
    pub games_now: u64,
    /// Moves made in this run.
    pub turns_now: u64,
    /// The threads' time on a processor for the games of this run.
    pub work_now: Duration,
    /// The most games this run's part of the cell will have.
    pub games_max: u64,
    /// Whether a rule may end the cell before.
    pub may_stop: bool,
    /// Whether the cell is done.
    pub done: bool,
}
