//! One table while it is planned: what its keys have said so far, and its problems.

use super::{Cell, Overrides, PublishedFigures};
use crate::experiment::{Experiment, Located, Problem, Setting, Stop, Table};
use crate::matches::Match;
use std::collections::HashMap;
use std::path::Path;
use tilelab_games::catalog::{self, GameEntry, LANES, PlayerSpec};
use tilelab_games::params::Value;
use tilelab_games::text::join;

/// A key of a table with what each of its choices says about a cell: a value, each value of a
/// player's parameters, or the players of a match.
pub(super) struct Choices<'a> {
    pub(super) setting: &'a Setting,
    pub(super) all: Vec<Choice>,
}

impl Choices<'_> {
    /// Whether all values of the key were accepted. Of a key with problems it is not known how many
    /// choices are meant.
    pub(super) fn are_whole(&self, table: &Table) -> bool {
        self.all.len() >= self.setting.values.len() && !table.is_refused(&self.setting.key)
    }
}

/// What one choice of one key, or of keys that move together, says about a cell.
pub(super) type Choice = Vec<Assignment>;

/// A part of a choice.
#[derive(Clone, PartialEq)]
pub(super) enum Assignment {
    Param(&'static str, Value),
    /// The player of a seat, from 0.
    Player(usize, PlayerSpec),
    /// All players of a match.
    Players(Vec<PlayerSpec>),
    /// What decides the pairs of a match.
    Match(Match),
}

impl Assignment {
    /// Changes a cell as this says.
    pub(super) fn assign(&self, cell: &mut Cell) {
        match self {
            Self::Param(name, value) => cell.params.set(name, value.clone()),
            Self::Player(seat, spec) => cell.players[*seat] = spec.clone(),
            Self::Players(specs) => cell.players.clone_from(specs),
            Self::Match(decided) => cell.matched = Some(*decided),
        }
    }

    /// Whether a cell is as this says.
    pub(super) fn is_of(&self, cell: &Cell) -> bool {
        match self {
            Self::Param(name, value) => cell.params.get(name) == value,
            Self::Player(seat, spec) => cell.players[*seat] == *spec,
            Self::Players(specs) => cell.players == *specs,
            Self::Match(decided) => cell.matched == Some(*decided),
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
    pub(super) published: HashMap<usize, PublishedFigures>,
}

impl<'a> Planner<'a> {
    /// The folder of the experiment file.
    pub(super) fn folder(&self) -> &'a Path {
        self.experiment.path.parent().unwrap_or(Path::new(""))
    }

    /// Whether every two players of a match have a cell of their own, as sequential tests need.
    pub(super) fn is_separate(&self) -> bool {
        let stop = self.stop();
        self.table.separate.is_some_and(|separate| separate.value)
            || stop.is_some_and(|stop| stop.value.difference.is_some())
    }

    /// The stopping rule of the table, or that of all tables.
    pub(super) fn stop(&self) -> Option<Located<Stop>> {
        self.table.stop.or(self.experiment.stop)
    }

    /// Notes a problem.
    pub(super) fn problem(&mut self, line: usize, message: String) {
        self.problems.push(Problem {
            path: self.experiment.path.clone(),
            line,
            message,
        });
    }

    /// Notes a problem, and reads nothing.
    pub(super) fn refuse<T: Default>(&mut self, line: usize, message: String) -> T {
        self.problem(line, message);
        T::default()
    }
}

/// Why a game has no value lanes.
pub(super) fn no_lanes(game: &GameEntry) -> String {
    let with = catalog::games().filter(|game| game.param(LANES).is_some());
    let with = with.map(|game| game.name);
    format!(
        "{LANES}: the moves of {} depend on its values, so games cannot share them; only {} has lanes",
        game.name,
        join(with, ", ")
    )
}
