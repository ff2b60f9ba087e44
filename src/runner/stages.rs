//! Where the games of a cell start and end in one part of the work, and where the cell is looked at.

use super::Shard;
use super::state::Stopped;
use crate::game::Tally;
use crate::plan::{Cell, Plan, Stop};
use crate::stats::Rule;
use std::ops::Range;
use std::sync::Arc;

/// The stages of one cell in one shard: the games up to its first look, from there to its second, and so on.
///
/// A cell with a fixed number of games has one stage; a cell of which the shard has nothing has none.
#[derive(Clone, Debug)]
pub struct Stages {
    rule: Option<Arc<Rule>>,
    start: u64,
    looks: Vec<u64>,
    lanes: u64,
}

/// The stopping rules of cells, in the form that decides.
///
/// Making a rule takes dozens of intervals, and neighbouring cells mostly share theirs, so the last one is kept.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    last: Option<((Stop, u64), Arc<Rule>)>,
}

impl Rules {
    /// The rule of a cell of this plan.
    ///
    /// # Panics
    /// When the bounds of the rule are impossible; the reader of experiment files refuses those.
    pub fn of(&mut self, plan: &Plan, cell: &Cell) -> Option<Arc<Rule>> {
        let (stop, lanes) = (cell.stop?, cell.lanes());
        if self.last.as_ref().is_none_or(|(known, _)| *known != (stop, lanes)) {
            let rule = Rule::of_lanes(stop.half_width, stop.relative, stop.max_games, plan.confidence, lanes);
            self.last =
                Some(((stop, lanes), Arc::new(rule.expect("the experiment file's reader has checked the bounds"))));
        }
        self.last.as_ref().map(|(_, rule)| Arc::clone(rule))
    }
}

impl Stages {
    /// The stages of all cells of a plan in one shard.
    ///
    /// Games of a fixed cell are cut into [`Shard::count`] ranges of whole trajectories. A cell with a stopping rule must be looked at as a whole; such
    /// cells are dealt to the shards in turn.
    #[must_use]
    pub fn of(plan: &Plan, shard: Shard) -> Vec<Self> {
        let mut adaptive = 0;
        let mut rules = Rules::default();
        let of_cell = |cell: &Cell| match rules.of(plan, cell) {
            Some(rule) => {
                let mine = adaptive % shard.count == shard.index - 1;
                adaptive += 1;
                let looks = if mine { rule.looks().collect() } else { Vec::new() };
                Self { rule: Some(rule), start: 0, looks, lanes: cell.lanes() }
            }
            None => {
                let lanes = cell.lanes();
                let bound = |part: u64| {
                    (u128::from(cell.games / lanes) * u128::from(part) / u128::from(shard.count)) as u64 * lanes
                };
                let (start, end) = (bound(shard.index - 1), bound(shard.index));
                Self { rule: None, start, looks: if start < end { vec![end] } else { Vec::new() }, lanes }
            }
        };
        plan.cells.iter().map(of_cell).collect()
    }

    /// Games of each trajectory; 1 when each has its own.
    #[must_use]
    pub const fn lanes(&self) -> u64 {
        self.lanes
    }

    /// Number of stages.
    #[must_use]
    pub fn count(&self) -> usize {
        self.looks.len()
    }

    /// The games of stage number `stage`, from 0; `None` behind the last.
    #[must_use]
    pub fn games(&self, stage: usize) -> Option<Range<u64>> {
        let end = *self.looks.get(stage)?;
        Some(if stage == 0 { self.start } else { self.looks[stage - 1] }..end)
    }

    /// Number of games in the first `stages` stages.
    ///
    /// # Panics
    /// When there are fewer.
    #[must_use]
    pub fn games_through(&self, stages: usize) -> u64 {
        if stages == 0 { 0 } else { self.looks[stages - 1] - self.start }
    }

    /// The most games that the cell can have in this shard.
    #[must_use]
    pub fn games_max(&self) -> u64 {
        self.games_through(self.count())
    }

    /// Why the cell stops after its first `stages` stages (at least 1) with this tally of them; `None` when it goes on.
    #[must_use]
    pub fn decide(&self, stages: usize, tally: &Tally) -> Option<Stopped> {
        match &self.rule {
            None => (stages == self.count()).then_some(Stopped::Games),
            Some(rule) => rule.decide_of(stages - 1, tally).map(Stopped::from),
        }
    }
}
