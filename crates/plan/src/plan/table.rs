//! One table while it is planned: what its keys have said so far, and its problems.

use super::{Overrides, Published};
use crate::experiment::{Experiment, Problem, Table};
use crate::matches::Match;
use std::collections::HashMap;
use tilelab_core::catalog::{self, GameEntry, LANES, PlayerSpec};
use tilelab_core::params::Value;

/// What one value of one key says about a cell.
#[derive(Clone)]
pub(super) enum Assignment {
    Params(Vec<(&'static str, Value)>),
    /// The player of a seat, from 0.
    Player(usize, PlayerSpec),
    /// What decides the pairs of a match.
    Match(Match),
}

impl PartialEq for Assignment {
    fn eq(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Params(a), Self::Params(b)) => a == b,
            (Self::Player(seat, a), Self::Player(other, b)) => {
                seat == other && std::ptr::eq(a.entry, b.entry) && a.params == b.params
            }
            (Self::Match(a), Self::Match(b)) => a == b,
            _ => false,
        }
    }
}

/// Plans the cells of one table.
pub(super) struct Planner<'a> {
    pub(super) experiment: &'a Experiment,
    pub(super) table: &'a Table,
    pub(super) number: usize,
    pub(super) overrides: &'a Overrides,
    pub(super) problems: Vec<Problem>,
    /// Files of weights: the line where one is named, as it is written, and with its ID.
    pub(super) pins: Vec<(usize, String, String)>,
    /// The published figures of cells of the table, by the place of the cell in it.
    pub(super) published: HashMap<usize, Published>,
}

impl Planner<'_> {
    /// Notes a problem.
    pub(super) fn problem(&mut self, line: usize, message: String) {
        self.problems.push(Problem {
            path: self.experiment.path.clone(),
            line,
            message,
        });
    }
}

/// Why a game has no value lanes.
pub(super) fn no_lanes(game: &GameEntry) -> String {
    let with: Vec<&str> = catalog::games()
        .filter(|game| game.params.iter().any(|spec| spec.name == LANES))
        .map(|game| game.name)
        .collect();
    format!(
        "{LANES}: the moves of {} depend on its values, so games cannot share them; only {} has lanes",
        game.name,
        with.join(", ")
    )
}
