//! Which games of a cell belong to a shard, and after which games its stopping rule is asked.

use super::Shard;
use super::state::Stopped;
use crate::game::Tally;
use crate::plan::{Cell, Plan, Stop};
use crate::rng::mix;
use crate::stats::Rule;
use std::ops::Range;
use std::sync::Arc;

/// The stages of one cell in one shard: the games up to its first look, from there to its second,
/// and so on.
///
/// A cell with a fixed number of games has one stage. A cell without games in this shard has none.
#[derive(Clone, Debug)]
pub struct Stages {
    rule: Option<Arc<Rule>>,
    start: u64,
    looks: Vec<u64>,
    lanes: u64,
}

/// The stopping rules of cells, in the form that decides.
///
/// Making a rule takes dozens of intervals. Neighbouring cells mostly share a rule, so the last one
/// is kept.
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
        let stop = cell.stop?;
        let lanes = cell.lanes();
        if self.last.as_ref().is_none_or(|(known, _)| *known != (stop, lanes)) {
            let rule = Rule::of_lanes(stop.half_width, stop.relative, stop.max_games, plan.confidence, lanes);
            let rule = rule.expect("the reader of experiment files has checked the bounds");
            self.last = Some(((stop, lanes), Arc::new(rule)));
        }
        self.last.as_ref().map(|(_, rule)| Arc::clone(rule))
    }
}

/// About how many ranges of games a shard gets where cells are many.
///
/// The cost of a game is unknown beforehand. Shards with this many ranges, taken from anywhere in
/// the plan, cost about the same.
const PARTS: u64 = 128;

/// Which games of each cell belong to which shard.
///
/// A cell with a stopping rule must be looked at as a whole. Such cells are shuffled and assigned
/// to the shards in turn. The others are cut into ranges of whole trajectories. Where cells are
/// few, each shard gets one range of every cell. With `2 * PARTS` cells or more, that would give
/// more tallies than can be merged in reasonable time. Each cell is then cut into fewer ranges, so
/// that a shard gets about `PARTS` ranges, or a few whole cells more. The ranges of all cells are
/// assigned to the shards in turn, in a shuffled order.
#[derive(Debug)]
pub struct ShardPlan {
    /// Number of shards.
    shards: u64,
    /// Ranges of a cell, at most as many as shards.
    parts: u64,
    /// Rank of each cell in the shuffled order, counted apart for cells with and without a rule.
    places: Vec<u64>,
    rules: Vec<Option<Arc<Rule>>>,
}

impl ShardPlan {
    /// Divides the cells of a plan among this many shards, at least 1.
    #[must_use]
    pub fn new(plan: &Plan, shards: u64) -> Self {
        let mut known = Rules::default();
        let rules: Vec<_> = plan.cells.iter().map(|cell| known.of(plan, cell)).collect();
        // Shuffled, since cells at regular distances in a sweep are alike.
        let mut order: Vec<usize> = (0..rules.len()).collect();
        order.sort_by_key(|&cell| mix(cell as u64));
        let (fixed, adaptive): (Vec<usize>, Vec<usize>) = order.into_iter().partition(|&cell| rules[cell].is_none());
        let mut places = vec![0; plan.cells.len()];
        for cells in [&fixed, &adaptive] {
            for (place, &cell) in cells.iter().enumerate() {
                places[cell] = place as u64;
            }
        }
        let parts = (shards / (fixed.len() as u64 / PARTS).max(1)).max(1);
        Self { shards, parts, places, rules }
    }

    /// The stages of a cell in one of the shards.
    #[must_use]
    pub fn stages(&self, plan: &Plan, cell: usize, shard: Shard) -> Stages {
        let place = self.places[cell];
        let rule = self.rules[cell].clone();
        let cell = &plan.cells[cell];
        let lanes = cell.lanes();
        let index = shard.index - 1;
        if let Some(rule) = rule {
            let looks = if place % self.shards == index { rule.looks().collect() } else { Vec::new() };
            return Stages { rule: Some(rule), start: 0, looks, lanes };
        }
        let trajectories = u128::from(cell.games / lanes);
        let bound = |part: u64| (trajectories * u128::from(part) / u128::from(self.parts)) as u64 * lanes;
        // Ranges continue where those of the previous cell ended, wrapping around the shards.
        let first = (u128::from(place) * u128::from(self.parts) % u128::from(self.shards)) as u64;
        let part = (index + self.shards - first) % self.shards;
        let (start, end) = if part < self.parts { (bound(part), bound(part + 1)) } else { (0, 0) };
        Stages { rule: None, start, looks: if start < end { vec![end] } else { Vec::new() }, lanes }
    }
}

impl Stages {
    /// The stages of all cells of a plan in one shard.
    #[must_use]
    pub fn of(plan: &Plan, shard: Shard) -> Vec<Self> {
        let shards = ShardPlan::new(plan, shard.count);
        (0..plan.cells.len()).map(|cell| shards.stages(plan, cell, shard)).collect()
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

    /// The games of stage number `stage`, from 0; `None` after the last.
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::Overrides;

    fn plan(cells: usize, games: u64) -> Plan {
        let targets: Vec<String> = (10..10 + cells).map(|target| target.to_string()).collect();
        let text = format!(
            "name = \"shards\"\nseed = 1\ngames = {games}\n[[table]]\ntitle = \"fixed\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n\
             target = [{}]\n[[table]]\ntitle = \"adaptive\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\ntarget = [10, 11, 12]\n\
             stop = {{ half_width = 0.1, max_games = 1000 }}\n",
            targets.join(", ")
        );
        Plan::of_text(&text, Overrides::default()).unwrap()
    }

    /// Every game belongs to one shard, and shards have about equally much.
    #[test]
    fn every_game_belongs_to_one_shard() {
        for (cells, shards) in
            [(1, 1), (5, 7), (200, 1), (200, 7), (300, 2), (300, 3), (300, 5), (300, 1000), (1000, 64), (1300, 6)]
        {
            let plan = plan(cells, 1003);
            let all: Vec<Vec<Stages>> =
                (1..=shards).map(|index| Stages::of(&plan, Shard { index, count: shards })).collect();
            for cell in 0..plan.cells.len() {
                let mut ranges: Vec<_> = all.iter().filter_map(|stages| stages[cell].games(0)).collect();
                if cell >= cells {
                    assert_eq!(ranges.len(), 1, "an adaptive cell has one shard");
                    continue;
                }
                ranges.sort_by_key(|range| range.start);
                let end = ranges.into_iter().fold(0, |end, range| {
                    assert_eq!(range.start, end, "{cells} cells, {shards} shards");
                    range.end
                });
                assert_eq!(end, 1003, "{cells} cells, {shards} shards");
            }
            let parts: Vec<usize> =
                all.iter().map(|stages| stages[..cells].iter().filter(|stages| stages.count() > 0).count()).collect();
            let least = *parts.iter().min().unwrap();
            let most = *parts.iter().max().unwrap();
            if cells as u64 >= 2 * PARTS {
                assert!(most - least <= 1, "{least} to {most} parts of {cells} cells in {shards} shards");
                let whole = cells as u64 / shards;
                assert!(most as u64 <= 2 * PARTS + whole, "{most} parts of {cells} cells in {shards} shards");
            } else {
                assert!(parts.iter().all(|&parts| parts == cells), "{cells} cells, {shards} shards");
            }
        }
    }
}
