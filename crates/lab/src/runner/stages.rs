//! Which games of a cell belong to a shard, and after which games its stopping rule is asked.

use super::Shard;
use super::progress::Expected;
use super::ranges::Ranges;
use super::segments::Grid;
use super::state::{Step, Stopped};
use crate::game::{Sampling, Tally};
use crate::matches::{Match, PairTest};
use crate::plan::{Cell, Plan, Stop};
use crate::rng::{hash_key, mix};
use crate::stats::{Rule, StopReason, Units, Wins};
use std::sync::Arc;

/// The stages of one cell in one shard: the games of the shard, cut at the boundaries of
/// [`super::segments`].
///
/// A cell without games in this shard has no stages.
#[derive(Clone, Debug)]
pub struct Stages {
    rule: Option<Arc<StoppingRule>>,
    share: Ranges,
    /// Numbers of the segments in which the share has games.
    segments: Vec<u64>,
    grid: Grid,
}

/// When a cell may stop, in the form that decides.
#[derive(Clone, Debug)]
pub enum StoppingRule {
    /// When a wanted precision is reached.
    Precision(Rule),
    /// When the sequential test of a match is decided.
    Test(PairTest),
}

impl StoppingRule {
    /// The most games the rule can ask for.
    pub fn games_max(&self) -> u64 {
        match self {
            Self::Precision(rule) => rule.games_max(),
            Self::Test(test) => test.sprt().pairs_max(),
        }
    }

    /// The rule that stops at a precision.
    pub const fn precision(&self) -> Option<&Rule> {
        match self {
            Self::Precision(rule) => Some(rule),
            Self::Test(_) => None,
        }
    }

    /// The sequential test.
    pub const fn test(&self) -> Option<&PairTest> {
        match self {
            Self::Precision(_) => None,
            Self::Test(test) => Some(test),
        }
    }

    /// After how many games a cell stops that has this tally and goes on as it began.
    pub fn expected(&self, tally: &Tally) -> Expected {
        let rule = match self {
            Self::Precision(rule) => rule,
            Self::Test(test) => {
                let sample = test.sample(tally);
                let pairs = sample.map(|sample| test.sprt().pairs_expected(&sample));
                let games = pairs.unwrap_or(self.games_max()).max(tally.games);
                return Expected { games, error: 0 };
            }
        };
        // The first look to come at which the rule stops.
        let first = |stops: &dyn Fn(usize, u64) -> bool| {
            let mut looks = rule.looks().enumerate();
            let found = looks.find(|(look, games)| *games > tally.games && stops(*look, *games));
            found.map_or(self.games_max(), |(_, games)| games)
        };
        let wins = Wins::of(tally);
        if !matches!(wins, Wins::Games(..)) {
            let stops = |look, games| rule.decide(look, &wins.grown(games)).is_some();
            let games = first(&stops);
            return Expected { games, error: 0 };
        }
        // At the win rate `off` standard errors off. Half a win more: few games without wins do
        // not show that the rate is 0.
        let at = |off: f64| {
            let wins = tally.wins as f64 + 0.5;
            let rate = (wins + off * wins.sqrt()) / (tally.games as f64 + 1.0);
            let rate = rate.clamp(1e-12, 1.0);
            first(&|look, games| {
                let wins = ((games as f64 * rate).round() as u64).min(games);
                rule.decide(look, &Wins::Games(wins, games)).is_some()
            })
        };
        Expected {
            games: at(0.0),
            error: at(1.0).abs_diff(at(-1.0)) / 2,
        }
    }

    /// Whether a cell with this tally stops; never between two looks.
    fn decide(&self, tally: &Tally) -> Option<StopReason> {
        match self {
            Self::Precision(rule) => {
                let look = rule.looks().position(|games| games == tally.games)?;
                rule.decide(look, &Wins::of(tally))
            }
            Self::Test(test) => {
                let look = test.sprt().looks().position(|pairs| pairs == tally.games)?;
                test.decide(look, tally)
            }
        }
    }
}

/// What the rule of a cell follows from.
type RuleKey = (Stop, Sampling, Option<Match>, &'static str);

/// The stopping rules of cells, in the form that decides.
///
/// Making a rule takes dozens of intervals. Neighbouring cells mostly share a rule, so the last one
/// is kept.
#[derive(Clone, Debug, Default)]
pub struct Rules {
    last: Option<(RuleKey, Arc<StoppingRule>)>,
}

impl Rules {
    /// The rule of a cell of this plan.
    ///
    /// # Panics
    /// When the bounds of the rule are impossible; the reader of experiment files refuses those.
    pub fn of(&mut self, plan: &Plan, cell: &Cell) -> Option<Arc<StoppingRule>> {
        let stop = cell.stop?;
        let sampling = cell.sampling();
        let key = (stop, sampling, cell.matched, cell.game.name);
        if self.last.as_ref().is_none_or(|(known, _)| *known != key) {
            let test = cell.matched.zip(stop.difference);
            let rule = if let Some((matched, wanted)) = test {
                PairTest::new(cell.game, matched, wanted, stop.max_games).map(StoppingRule::Test)
            } else {
                let units = match sampling {
                    Sampling::Plain => Units::Games(plan.interval),
                    Sampling::Splitting => Units::Replications,
                    Sampling::Lanes(lanes) => Units::Trajectories(lanes),
                };
                let [half_width, relative] = [stop.half_width, stop.relative];
                Rule::of(units, half_width, relative, stop.max_games, plan.confidence)
                    .map(StoppingRule::Precision)
            };
            let rule = rule.expect("the reader of experiment files has checked the bounds");
            self.last = Some((key, Arc::new(rule)));
        }
        self.last.as_ref().map(|(_, rule)| Arc::clone(rule))
    }
}

/// About how many ranges of games a shard gets where cells are many.
///
/// The cost of a game is unknown beforehand. Shards with `PARTS` ranges, taken from anywhere in
/// the plan, cost about the same.
const PARTS: u64 = 128;

/// Which games of each cell belong to which shard.
///
/// A cell with a stopping rule must be looked at as a whole. It belongs to the shard that the hash
/// of its key names, whatever other cells there are. The others are cut into ranges of whole
/// trajectories. Where cells are few, each shard gets one range of every cell. With `2 * PARTS`
/// cells or more, that would give more tallies than can be merged in reasonable time. Each cell is
/// then cut into fewer ranges, so that a shard gets about `PARTS` ranges, or a few whole cells
/// more. The ranges of all cells are assigned to the shards in turn, in a shuffled order.
///
/// A cell that grows is cut again from its former number of games on, so that every shard keeps
/// what it has. A shard remembers these [`Step`]s.
#[derive(Debug)]
pub struct ShardPlan<'p> {
    plan: &'p Plan,
    /// Number of shards.
    shards: u64,
    /// Ranges of a cell, at most as many as shards.
    parts: u64,
    /// Rank of each cell without a rule in the shuffled order.
    places: Vec<u64>,
    rules: Vec<Option<Arc<StoppingRule>>>,
}

impl<'p> ShardPlan<'p> {
    /// Divides the cells of a plan among `shards` shards, at least 1.
    pub fn new(plan: &'p Plan, shards: u64) -> Self {
        let mut known = Rules::default();
        let rules: Vec<_> = plan.cells.iter().map(|cell| known.of(plan, cell)).collect();
        // Shuffled, since cells at regular distances in a sweep are alike.
        let mut fixed: Vec<usize> = (0..rules.len())
            .filter(|&cell| rules[cell].is_none())
            .collect();
        fixed.sort_by_key(|&cell| mix(cell as u64));
        let mut places = vec![0; plan.cells.len()];
        for (place, &cell) in fixed.iter().enumerate() {
            places[cell] = place as u64;
        }
        let parts = (shards / (fixed.len() as u64 / PARTS).max(1)).max(1);
        Self {
            plan,
            shards,
            parts,
            places,
            rules,
        }
    }

    /// The steps by which a cell of one of the shards has come to its number of games, continuing
    /// those before; none where a cell is not cut. A cell never goes back to fewer games.
    pub fn steps(&self, cell: usize, shard: Shard, before: &[Step]) -> Vec<Step> {
        let mut steps = before.to_vec();
        if self.shards == 1 || self.rules[cell].is_some() {
            return steps;
        }
        let games = self.plan.cells[cell].games;
        let known = steps.last().map_or(0, |step| step.games);
        if games > known {
            let lanes = self.plan.cells[cell].sampling().lanes();
            let trajectories = u128::from((games - known) / lanes);
            let bound = |part: u64| {
                known + (trajectories * u128::from(part) / u128::from(self.parts)) as u64 * lanes
            };
            // Ranges continue where those of the previous cell ended, wrapping around the shards.
            let first = (u128::from(self.places[cell]) * u128::from(self.parts)
                % u128::from(self.shards)) as u64;
            let part = (shard.index - 1 + self.shards - first) % self.shards;
            let (start, end) = if part < self.parts {
                (bound(part), bound(part + 1))
            } else {
                (known, known)
            };
            steps.push(Step { games, start, end });
        }
        steps
    }

    /// The stages of a cell in one of the shards, which came to its games by these steps. A cell
    /// without a rule has at least the games of its former results.
    pub fn stages(&self, cell: usize, shard: Shard, steps: &[Step], games_reported: u64) -> Stages {
        let rule = self.rules[cell].clone();
        let cell = &self.plan.cells[cell];
        let first = |games: u64| Ranges::from_iter(Some(0..games));
        let share = match &rule {
            Some(rule)
                if self.shards == 1 || hash_key(&cell.key()) % self.shards == shard.index - 1 =>
            {
                first(rule.games_max())
            }
            Some(_) => Ranges::default(),
            None if self.shards == 1 => first(cell.games.max(games_reported)),
            None => steps.iter().map(|step| step.start..step.end).collect(),
        };
        let grid = match cell.matched {
            Some(_) if !cell.has_blocks() => Grid::of_pairs(),
            _ => Grid::of_games(cell.sampling().lanes()),
        };
        let ranges = share.iter();
        let segments =
            ranges.flat_map(|range| grid.of_game(range.start)..=grid.of_game(range.end - 1));
        let mut segments: Vec<u64> = segments.collect();
        segments.dedup();
        Stages {
            rule,
            share,
            segments,
            grid,
        }
    }
}

impl Stages {
    /// Where the games of the cell are summed up apart.
    pub const fn grid(&self) -> Grid {
        self.grid
    }

    /// Number of stages.
    pub fn count(&self) -> usize {
        self.segments.len()
    }

    /// When the cell may stop; `None` where the games of all stages are needed.
    pub fn rule(&self) -> Option<&StoppingRule> {
        self.rule.as_deref()
    }

    /// The number of the segment in which stage number `stage` lies, from 0; `None` after the last.
    pub fn segment(&self, stage: usize) -> Option<u64> {
        self.segments.get(stage).copied()
    }

    /// The games of stage number `stage`, from 0; `None` after the last.
    pub fn games(&self, stage: usize) -> Option<Ranges> {
        Some(self.share.within(&self.grid.games(self.segment(stage)?)))
    }

    /// The most games that the cell can have in this shard.
    pub fn games_max(&self) -> u64 {
        self.share.count()
    }

    /// The sequential test of the cell.
    pub fn test(&self) -> Option<&PairTest> {
        self.rule.as_deref()?.test()
    }

    /// Why the cell stops after its first `stages` stages (at least 1) with this tally of them;
    /// `None` when it goes on.
    pub fn decide(&self, stages: usize, tally: &Tally) -> Option<Stopped> {
        match &self.rule {
            None => (stages == self.count()).then_some(Stopped::Games),
            Some(rule) => rule.decide(tally).map(Stopped::from),
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
             target = [{}]\n[[table]]\ntitle = \"adaptive\"\ngame = \"sixty-seven\"\nsize = \"2x3\"\ntarget = [10, 11, 12]\n\
             stop = {{ half_width = 0.1, max_games = 1000 }}\n",
            targets.join(", ")
        );
        Plan::of_text(&text, Overrides::default()).unwrap()
    }

    /// The stages of all cells of a plan in one shard, for a new run.
    fn stages(plan: &Plan, shard: Shard) -> Vec<Stages> {
        let shards = ShardPlan::new(plan, shard.count);
        let of_cell = |cell: usize| {
            let steps = shards.steps(cell, shard, &[]);
            shards.stages(cell, shard, &steps, 0)
        };
        (0..plan.cells.len()).map(of_cell).collect()
    }

    /// Every game belongs to one shard, and shards have about equally much.
    #[test]
    fn every_game_belongs_to_one_shard() {
        for (cells, shards) in [
            (1, 1),
            (5, 7),
            (200, 1),
            (200, 7),
            (300, 2),
            (300, 3),
            (300, 5),
            (300, 1000),
            (1000, 64),
            (1300, 6),
        ] {
            let plan = plan(cells, 1003);
            let all: Vec<Vec<Stages>> = (1..=shards)
                .map(|index| {
                    stages(
                        &plan,
                        Shard {
                            index,
                            count: shards,
                        },
                    )
                })
                .collect();
            for cell in 0..plan.cells.len() {
                let mut ranges: Vec<_> = all
                    .iter()
                    .flat_map(|stages| stages[cell].share.iter())
                    .collect();
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
            let parts: Vec<usize> = all
                .iter()
                .map(|stages| {
                    stages[..cells]
                        .iter()
                        .filter(|stages| stages.count() > 0)
                        .count()
                })
                .collect();
            let least = *parts.iter().min().unwrap();
            let most = *parts.iter().max().unwrap();
            if cells as u64 >= 2 * PARTS {
                assert!(
                    most - least <= 1,
                    "{least} to {most} parts of {cells} cells in {shards} shards"
                );
                let whole = cells as u64 / shards;
                assert!(
                    most as u64 <= 2 * PARTS + whole,
                    "{most} parts of {cells} cells in {shards} shards"
                );
            } else {
                assert!(
                    parts.iter().all(|&parts| parts == cells),
                    "{cells} cells, {shards} shards"
                );
            }
        }
    }

    /// Grown shards keep what they had, and have every game of the larger plan once.
    #[test]
    fn every_game_belongs_to_one_grown_shard() {
        for (cells, count) in [(1, 3), (5, 7), (300, 5)] {
            let plans = [150, 1003, 5000].map(|games| plan(cells, games));
            for cell in 0..cells {
                let mut all = Ranges::default();
                for index in 1..=count {
                    let shard = Shard { index, count };
                    let mut steps = Vec::new();
                    let mut before = Ranges::default();
                    for plan in &plans {
                        let shards = ShardPlan::new(plan, count);
                        steps = shards.steps(cell, shard, &steps);
                        let share = shards.stages(cell, shard, &steps, 0).share;
                        assert!(before.without(&share).is_empty(), "a shard lost games");
                        before = share;
                    }
                    before.iter().for_each(|range| all.insert(range));
                    assert_eq!(
                        ShardPlan::new(&plans[0], count).steps(cell, shard, &steps),
                        steps,
                        "a shard went back to fewer games"
                    );
                }
                assert_eq!(all.pairs(), [(0, 5000)], "{cells} cells, {count} shards");
            }
        }
    }
}
