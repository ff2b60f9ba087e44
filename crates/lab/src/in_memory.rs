//! A plan played in memory: no files, no progress, one result a cell.

use crate::game::Tally;
use crate::plan::{Cell, Plan};
use crate::results::rows::win_interval;
use crate::runner::schedule::Schedule;
use crate::runner::stages::Rules;
use crate::runner::state::Stopped;
use crate::runner::{RunnerObserver, RunnerOptions, run};
use crate::stats::{Interval, Summary};
use std::sync::atomic::AtomicBool;

/// A finished cell of a plan.
#[derive(Clone, Debug)]
pub struct CellResult<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// The games of the cell.
    pub tally: Tally,
    /// Why the cell ended.
    pub stopped: Stopped,
    /// The interval of the win rate (a share) that `cells.csv` shows: the one that the experiment
    /// names, corrected where a stopping rule looked more than once. `None` where a sequential test
    /// ended a match, or no game was played.
    pub win_interval: Option<Interval>,
    /// The figures of the cell. Their intervals have the confidence of the plan for a number of
    /// games that was fixed before.
    pub summary: Summary,
}

/// Why a plan was not played to its end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// The threads could not be started.
    #[error("{threads} threads could not be started: {reason}")]
    Threads {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// A game failed.
    #[error("the cell {cell} failed: {reason}")]
    Cell {
        /// The key of the first cell that failed.
        cell: String,
        /// What went wrong.
        reason: String,
    },
}

impl RunnerObserver for () {}

/// Plays every cell of a plan in memory on `threads` threads (at least 1), and returns one result a
/// cell, in the order of the plan.
///
/// The games are those of `tilelab run`: the same plan gives the same tallies on any number of
/// threads.
///
/// # Errors
/// When the system refuses the threads, or a game fails.
pub fn play_plan(plan: &Plan, threads: usize) -> Result<Vec<CellResult<'_>>, RunError> {
    let options = RunnerOptions {
        fail_fast: true,
        ..RunnerOptions::on(threads)
    };
    let schedule =
        Schedule::new(plan, &options, None).expect("a new schedule contradicts no saved state");
    let state = run(schedule, &options, &AtomicBool::new(false), &()).map_err(|error| {
        RunError::Threads {
            threads,
            reason: error.to_string(),
        }
    })?;
    // With `fail_fast`, cells after the one that failed may lack games.
    let states = || plan.cells.iter().zip(&state.cells);
    let failed = states().find_map(|(cell, state)| Some((cell, state.as_ref()?.error.clone()?)));
    if let Some((cell, reason)) = failed {
        return Err(RunError::Cell {
            cell: cell.key(),
            reason,
        });
    }
    let mut rules = Rules::default();
    let results = states().map(|(cell, state)| {
        let state = state.as_ref().expect("a finished run has every cell");
        let tally = state.tally.clone().expect("a finished cell has a tally");
        CellResult {
            cell,
            win_interval: win_interval(plan, cell, rules.of(plan, cell).as_deref(), &tally),
            summary: Summary::of(&tally, plan.confidence),
            tally,
            stopped: state.stopped.expect("a finished run has finished cells"),
        }
    });
    Ok(results.collect())
}
