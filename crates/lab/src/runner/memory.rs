//! A plan played in memory: no files, no progress, one result a cell.

use super::progress::CellProgress;
use super::schedule::Schedule;
use super::stages::Rules;
use super::state::{CellState, State, Stopped};
use super::{Observer, Options, Progress, Shard, run};
use crate::game::{KernelChoice, Tally};
use crate::plan::{Cell, Plan};
use crate::stats::{Rule, Summary};
use std::sync::atomic::AtomicBool;
use std::time::Duration;

/// A finished cell of a plan.
#[derive(Clone, Debug)]
pub struct CellResult<'a> {
    /// The cell.
    pub cell: &'a Cell,
    /// Its games.
    pub tally: Tally,
    /// Why it ended.
    pub stopped: Stopped,
    /// Its figures, with the intervals that `cells.csv` shows.
    pub summary: Summary,
}

/// Why a plan was not played to its end.
#[derive(Clone, Debug, thiserror::Error)]
pub enum RunError {
    /// The system does not give so many threads.
    #[error("{threads} threads: {reason}")]
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

struct Silent;

impl Observer for Silent {
    fn progress(&self, _: &Progress<'_>) {}
    fn save(&self, _: &State, _: &[CellProgress]) {}
}

/// Plays plans without a results folder.
pub trait InMemory {
    /// Plays every cell in memory on this many threads (at least 1), and returns one result a cell,
    /// in the order of the plan.
    ///
    /// The games are those of `tilelab run`: the same plan gives the same tallies on any number of
    /// threads.
    ///
    /// # Errors
    /// When the system refuses the threads, or a game fails.
    fn run(&self, threads: usize) -> Result<Vec<CellResult<'_>>, RunError>;
}

impl InMemory for Plan {
    fn run(&self, threads: usize) -> Result<Vec<CellResult<'_>>, RunError> {
        let options = Options {
            threads,
            kernel: KernelChoice::Auto,
            shard: Shard::WHOLE,
            fail_fast: true,
            // Nothing is saved.
            save_every: Duration::from_secs(1 << 30),
        };
        let schedule =
            Schedule::new(self, &options, None).expect("a new schedule contradicts no saved state");
        let state = run(schedule, &options, &AtomicBool::new(false), &Silent).map_err(|error| {
            RunError::Threads {
                threads,
                reason: error.to_string(),
            }
        })?;
        // With `fail_fast`, cells after the one that failed may lack games.
        let states = || self.cells.iter().zip(&state.cells);
        let failed =
            states().find_map(|(cell, state)| Some((cell, state.as_ref()?.error.clone()?)));
        if let Some((cell, reason)) = failed {
            return Err(RunError::Cell {
                cell: cell.key(),
                reason,
            });
        }
        let mut rules = Rules::default();
        Ok(states()
            .map(|(cell, state)| {
                result(
                    self,
                    cell,
                    state.as_ref().expect("a finished run has every cell"),
                    &mut rules,
                )
            })
            .collect())
    }
}

fn result<'a>(
    plan: &'a Plan,
    cell: &'a Cell,
    state: &CellState,
    rules: &mut Rules,
) -> CellResult<'a> {
    let saved = state.tally.clone().expect("a finished cell has a tally");
    let tally = saved
        .checked(cell.measures())
        .expect("a tally of this run is consistent");
    let confidence = rules
        .of(plan, cell)
        .and_then(|rule| rule.precision().map(Rule::confidence_per_look))
        .unwrap_or(plan.confidence);
    CellResult {
        cell,
        summary: Summary::of(&tally, confidence),
        tally,
        stopped: state.stopped.expect("a finished run has finished cells"),
    }
}
