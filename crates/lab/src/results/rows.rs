//! From tallies to the rows of `cells.csv`, `distributions.csv` and `published.csv`.

use super::standings;
use crate::catalog::{LANES, METHOD, NODES_AT};
use crate::external::program;
use crate::games::two_player;
use crate::matches::{HALF_POINTS_AT, NODES_AT as PAIR_NODES_AT, half_points_max};
use crate::params::{self, Value};
use crate::plan::{Cell, Plan, PlanEntry};
use crate::report::cells::{Cells, Fields, Row, csv_of, ends, named, number, shown, to_csv};
use crate::report::distributions::Bin;
use crate::report::folder::{Results, UNFINISHED};
use crate::report::published::{COLUMNS, Published};
use crate::report::schema::{self, DISTRIBUTIONS, PLAYER_PREFIXES, names};
use crate::runner::stages::{Rules, StoppingRule};
use crate::runner::state::{CellState, RunState, Stopped};
use crate::stats::{
    Interval, Moments, PairPoints, RateInterval, Standings, Stratum, Summary, Wins,
};
use crate::tally::{ForfeitTally, Tally, bin};
use std::collections::BTreeSet;
use tilelab_output::text::guarded;

/// The rows of the cells that have ended, each made once, by the entries of the plan.
pub struct CellRows {
    rows: Vec<Option<Ended>>,
    rules: Rules,
    set: Set,
}

/// A cell that has ended.
#[derive(Clone)]
struct Ended {
    row: Row,
    bins: Vec<Bin>,
}

/// Games and those of their parameters that a cell of the plan sets.
type Set = BTreeSet<(&'static str, &'static str)>;

impl CellRows {
    /// No rows yet for the cells of this plan.
    pub fn new(plan: &Plan) -> Self {
        let set = plan.cells.iter().flat_map(|cell| {
            let params = cell.params.iter();
            let params = params.filter(|(_, value)| **value != Value::Unset);
            params.map(|(name, _)| (cell.game.name, name))
        });
        Self {
            rows: vec![None; plan.entries.len()],
            rules: Rules::default(),
            set: set.collect(),
        }
    }

    /// Makes the rows of the cells that have ended since the last time.
    pub fn update(&mut self, plan: &Plan, state: &RunState) {
        for (ended, entry) in self.rows.iter_mut().zip(&plan.entries) {
            let state = state.cells[entry.cell].as_deref();
            let state = state.filter(|state| state.has_ended_here());
            if let (None, Some(state)) = (&ended, state) {
                let rule = self.rules.of(plan, &plan.cells[entry.cell]);
                let tally = state.tally.as_ref();
                *ended = Some(Ended {
                    row: row_of(plan, entry, state, tally, rule.as_deref(), &self.set),
                    bins: tally.map_or_else(Vec::new, distribution),
                });
            }
        }
    }

    /// The text of `cells.csv`: the cells that have ended.
    pub fn cells_csv(&self) -> Vec<u8> {
        let ended = self.rows.iter().flatten();
        to_csv(&ended.map(|ended| &ended.row).collect::<Vec<_>>())
    }

    /// The text of `unfinished.csv`: what cells have that have not ended; `None` where all have.
    /// Their intervals are those of games whose number was chosen beforehand.
    pub fn unfinished_csv(&self, plan: &Plan, state: &RunState) -> Option<Vec<u8>> {
        let entries = self.rows.iter().zip(&plan.entries);
        let open = entries.filter_map(|(row, entry)| {
            let known = state.cells[entry.cell].as_deref();
            let is_open = row.is_none() && known.is_none_or(|known| known.stopped.is_none());
            is_open.then_some((entry, known))
        });
        let open: Vec<_> = open.collect();
        let (first, _) = open.first()?;
        let planned = self.rows.iter().flatten().count() + open.len();
        let row = |entry: &PlanEntry, tally: Option<&Tally>| {
            let mut row = row_of(plan, entry, &CellState::default(), tally, None, &self.set);
            row[6].extend(named(&[schema::CELLS_PLANNED], [planned.to_string()]));
            row
        };
        let begun = open.iter().filter_map(|(entry, known)| {
            let tally = games_so_far(&plan.cells[entry.cell], (*known)?)?;
            Some(row(entry, Some(&tally)))
        });
        let mut rows: Vec<Row> = begun.collect();
        if rows.is_empty() {
            rows.push(row(first, None));
        }
        Some(to_csv(&rows.iter().collect::<Vec<_>>()))
    }

    /// The text of `standings.csv`: those of cells that have ended and, one by one, of the others;
    /// `None` without a match of three or more players.
    pub fn standings_csv(&self, plan: &Plan, state: &RunState) -> Option<Vec<u8>> {
        let entries = self.rows.iter().zip(&plan.entries);
        let known = entries.filter_map(|(ended, entry)| {
            let cell = &plan.cells[entry.cell];
            let known = state.cells[entry.cell].as_deref();
            let known = known.filter(|_| cell.has_blocks())?;
            let tally = match ended {
                Some(_) => known.tally.clone(),
                None => games_so_far(cell, known),
            };
            Some(standings::MatchBlocks {
                table: entry.table,
                cell,
                sums: tally?.blocks()?.clone(),
                has_ended: ended.is_some(),
            })
        });
        standings::csv(plan, &known.collect::<Vec<_>>())
    }

    /// What the tables of a folder with these rows are made of.
    ///
    /// # Errors
    /// When no cell has ended.
    pub fn results(&self, plan: &Plan, state: &RunState) -> Result<Results, String> {
        let cells = |file: &str, text: Option<Vec<u8>>| {
            let cells = text.map(|text| Cells::parse(file, &text, &[]));
            cells.transpose()
        };
        Ok(Results {
            name: plan.name.clone(),
            cells: Cells::parse_cells("cells.csv", &self.cells_csv())?,
            unfinished: cells(UNFINISHED, self.unfinished_csv(plan, state))?,
            distributions: None,
            standings: cells("standings.csv", self.standings_csv(plan, state))?,
            published: cells("published.csv", published_csv(plan))?
                .map(Published::of)
                .transpose()?,
            times: None,
            experiment: None,
            machine: None,
        })
    }

    /// The text of `distributions.csv`: the move counts of each cell, a row for each bin in use.
    pub fn distributions_csv(&self) -> Vec<u8> {
        let rows = self.rows.iter().flatten().flat_map(|Ended { row, bins }| {
            let [(_, table), (_, cell), ..] = row[0].as_slice() else {
                unreachable!("a row begins with its table and cell")
            };
            bins.iter().map(move |bin| (table, cell, bin))
        });
        csv_of(names(&DISTRIBUTIONS), rows)
    }
}

/// The games that a cell has before it ends; `None` where it has none.
fn games_so_far(cell: &Cell, state: &CellState) -> Option<Tally> {
    // Games that a former plan asked for are no part of it.
    let total = state.first_games(cell.games, cell.measures());
    total.filter(|total| total.games > 0)
}

fn row_of(
    plan: &Plan,
    entry: &PlanEntry,
    state: &CellState,
    tally: Option<&Tally>,
    rule: Option<&StoppingRule>,
    set: &Set,
) -> Row {
    let cell = &plan.cells[entry.cell];
    let leading = [
        guarded(&plan.titles[entry.table]).into_owned(),
        cell.key(),
        cell.game.name.to_owned(),
        cell.player_labels().join(" / "),
        plan.seed.to_string(),
    ];
    let mut before = named(&schema::LEADING, leading);
    before.extend(params(cell, true, set));
    let points = tally.and_then(|tally| points_of_match(plan, cell, tally));
    let summary = tally.map(|tally| {
        let mut summary = Summary::of(tally, plan.confidence);
        if let Some(points) = &points {
            summary.points_mean = Some(points.mean);
            summary.points_mean_se = points.standard_error;
        }
        if cell.has_chance() {
            summary
        } else {
            summary.without_chance()
        }
    });
    let all = summary.unwrap_or_default();
    let count = |count: u64| shown(tally.map(|_| count));
    let interval = tally.and_then(|tally| win_interval(plan, cell, rule, tally));
    let [lo, hi] = ends(interval.map(|interval| interval.scaled(100.0)));
    let values = [
        count(all.games),
        count(all.wins),
        number(all.win_pct),
        lo,
        hi,
        number(all.moves_mean),
        number(all.moves_mean_se),
        number(all.moves_win_mean),
        number(all.moves_win_mean_se),
        shown(all.moves_p50),
        shown(all.moves_p90),
        shown(all.moves_p99),
        shown(all.moves_max),
    ];
    let mut results = named(&schema::RESULTS, values);
    if cell.players.len() >= 2 {
        let values = [
            count(all.draws),
            count(all.losses),
            number(all.points_mean),
            number(all.points_mean_se),
        ];
        results.extend(named(&schema::TWO_PLAYERS, values));
    }
    let mut method = None;
    for (name, value) in params(cell, false, set) {
        // Lanes and the method have columns of their own.
        match name.as_ref() {
            LANES => {}
            METHOD => method = Some(value),
            _ => results.push((name, value)),
        }
    }
    if !cell.has_blocks() {
        for (column, player) in schema::PLAYERS.iter().zip(&cell.players) {
            results.push((column.name.into(), player.entry.name.to_owned()));
        }
        results.extend(player_columns(cell));
    }
    let [lanes, splitting] = sampled(cell, method, &all);
    let [matches, tests] = matched(plan, cell, rule, tally, points);
    let stopped = state.stopped.map_or("", Stopped::name).to_owned();
    let [wilson_lo, wilson_hi] = ends(all.win_pct_wilson);
    let [moves_lo, moves_hi] = ends(all.moves_win_interval);
    let level = plan.confidence.to_string();
    let values = [stopped, wilson_lo, wilson_hi, moves_lo, moves_hi, level];
    let mut added = named(&schema::ADDED, values);
    if let Some(rate) = median_unbiased(rule, tally) {
        added.extend(named(
            &[schema::MEDIAN_UNBIASED],
            [number(Some(100.0 * rate))],
        ));
    }
    if plan.interval == RateInterval::MidP {
        added.extend(named(&[schema::INTERVAL], ["mid-p".to_owned()]));
    }
    if cell.players.iter().any(|player| program(player).is_some()) {
        let players = cell.players.len();
        // The forfeits of more players are in standings.csv.
        let columns = if cell.has_blocks() { 1 } else { 5 * players };
        added.extend(forfeits(tally).into_iter().take(columns));
    }
    for ((name, holds), measure) in measures(cell).into_iter().zip(&all.measures) {
        let number = |value: Option<f64>| number(value.filter(|_| holds));
        added.push((format!("{name}_mean").into(), number(measure.mean)));
        added.push((format!("{name}_mean_se").into(), number(measure.mean_se)));
        for (level, pct) in &measure.ge_pct {
            added.push((format!("{name}_ge_{level}_pct").into(), number(*pct)));
        }
    }
    let error = named(&[schema::ERROR], [state.error.clone().unwrap_or_default()]);
    [
        before, results, lanes, splitting, matches, tests, added, error,
    ]
}

/// The share of points of the first player of a match.
struct MatchPoints {
    mean: f64,
    standard_error: Option<f64>,
    interval: Interval,
}

/// `None` where no start was played.
fn points_of_match(plan: &Plan, cell: &Cell, tally: &Tally) -> Option<MatchPoints> {
    cell.matched?;
    let most = half_points_max(cell.game);
    let half_points = &tally.measures[HALF_POINTS_AT];
    let all = (most * (cell.players.len() as i64 - 1)) as f64;
    let moments = Moments {
        n: half_points.counts.values().sum(),
        sum: half_points.sum,
        sum_sq: half_points.sum_sq,
    };
    let mean = moments.mean()? / all;
    let has_chance = cell.has_chance();
    let interval = match tally.blocks() {
        _ if !has_chance => Interval { lo: mean, hi: mean },
        None => PairPoints::new(&half_points.counts, most).interval(plan.confidence)?,
        Some(sums) => {
            let strata = [Stratum { sums, has_chance }];
            let standings = Standings::new(&strata, most, plan.confidence)?;
            standings.players[0].points.interval
        }
    };
    Some(MatchPoints {
        mean,
        standard_error: moments.standard_error().map(|error| error / all),
        interval,
    })
}

/// How many games the players of a cell did not finish.
fn forfeits(tally: Option<&Tally>) -> Fields {
    let sums = tally.map(|tally| tally.forfeits().copied().unwrap_or_default());
    let values = sums.map(
        |ForfeitTally {
             games, void, by, ..
         }| {
            let [first, second] = by;
            [&[games][..], &first, &[void], &second].concat()
        },
    );
    let columns = [schema::FORFEITS, schema::OPPONENT_FORFEITS];
    let columns = columns.as_flattened().iter().enumerate();
    let value = |at: usize| shown(values.as_ref().map(|values| values[at]));
    columns
        .map(|(at, column)| (column.name.into(), value(at)))
        .collect()
}

/// What value lanes and splitting add.
fn sampled(cell: &Cell, method: Option<String>, all: &Summary) -> [Fields; 2] {
    let lanes = all.lanes;
    let splitting = all.splitting.as_ref();
    let effective = number(match splitting {
        Some(splitting) => splitting.effective_games,
        None => lanes.and_then(|lanes| lanes.effective_games),
    });
    let has_lanes = cell.game.param(LANES).is_some();
    let values = [
        shown(has_lanes.then(|| cell.sampling().lanes())),
        shown(lanes.map(|lanes| lanes.trajectories)),
        number(lanes.and_then(|lanes| lanes.design_effect)),
        effective.clone(),
        number(lanes.and_then(|lanes| lanes.moves_design_effect)),
    ];
    let of_splitting = [
        method.unwrap_or_default(),
        shown(splitting.map(|splitting| splitting.replications)),
        shown(splitting.map(|splitting| splitting.levels_text())),
        effective,
    ];
    let lanes = named(&schema::LANES, values);
    [lanes, named(&schema::SPLITTING, of_splitting)]
}

/// What a match and its test add.
fn matched(
    plan: &Plan,
    cell: &Cell,
    rule: Option<&StoppingRule>,
    tally: Option<&Tally>,
    points: Option<MatchPoints>,
) -> [Fields; 2] {
    let tested = tally.and_then(|tally| {
        let wanted = cell.stop?.difference?;
        Some((wanted, rule?.test()?.estimate(tally, plan.confidence)?))
    });
    let matched = cell.matched;
    let of_points = points.map(|points| match tested {
        Some((_, (_, interval))) if matched.is_some_and(|matched| !matched.by_measure) => interval,
        _ => points.interval,
    });
    let [lo, hi] = ends(of_points);
    let values = [
        shown(matched.map(|matched| matched.decided_by())),
        shown(matched.map(|matched| matched.measure)),
        lo,
        hi,
    ];
    let [lo, hi] = ends(tested.map(|(_, (_, interval))| interval));
    let of_test = [
        number(tested.map(|(wanted, _)| wanted.lower)),
        number(tested.map(|(wanted, _)| wanted.upper)),
        number(tested.map(|(_, (estimate, _))| estimate)),
        lo,
        hi,
    ];
    let matches = named(&schema::MATCHES, values);
    [matches, named(&schema::TESTS, of_test)]
}

/// The median-unbiased estimate of the win rate, where a rule may have stopped the cell before its
/// last game.
fn median_unbiased(rule: Option<&StoppingRule>, tally: Option<&Tally>) -> Option<f64> {
    let Wins::Games(wins, games @ 1..) = Wins::of(tally?) else {
        return None;
    };
    let rule = rule?.precision().filter(|rule| rule.looks().len() > 1)?;
    Some(rule.median_unbiased(wins, games))
}

/// The interval of a cell's win rate as `cells.csv` shows it, of games that need not be all of the
/// cell's; where a rule looks at the cell more than once, the corrected one. What a sequential test
/// stopped has none: it tests another figure. Where nothing is left to chance, it is the rate
/// itself.
pub fn win_interval(
    plan: &Plan,
    cell: &Cell,
    rule: Option<&StoppingRule>,
    tally: &Tally,
) -> Option<Interval> {
    if !cell.has_chance() {
        let rate = (tally.games > 0).then(|| tally.wins as f64 / tally.games as f64)?;
        return Some(Interval { lo: rate, hi: rate });
    }
    match (rule, Wins::of(tally)) {
        (None, Wins::Trajectories(sums)) => sums.rate_interval(plan.confidence),
        (None, Wins::Replications(sums)) => sums.interval(plan.confidence),
        _ if tally.games == 0 => None,
        (Some(rule), wins) => rule.precision().map(|rule| rule.interval(&wins)),
        (None, Wins::Games(wins, games)) => Some(plan.interval.of(wins, games, plan.confidence)),
    }
}

/// The measures of a cell's game, and whether they hold for its players: nodes are those of a
/// search.
fn measures(cell: &Cell) -> Vec<(&'static str, bool)> {
    let holds = |at: usize| {
        let nodes_at = if cell.matched.is_some() {
            PAIR_NODES_AT
        } else {
            NODES_AT
        };
        let has_nodes = cell.game.measures == two_player::MEASURES;
        let seat = nodes_at.iter().position(|nodes| {
            *nodes == at && cell.game.seats == 2 && (has_nodes || cell.matched.is_some())
        });
        seat.is_none_or(|seat| has_nodes && cell.players[seat].entry.searches)
    };
    let measures = cell.measures().iter().enumerate();
    measures
        .map(|(at, measure)| (measure.name, holds(at)))
        .collect()
}

/// The parameters of a cell's players by the names of their columns.
fn player_columns(cell: &Cell) -> Fields {
    let players = cell.players.iter().zip(PLAYER_PREFIXES);
    let columns = players.flat_map(|(player, prefix)| {
        let params = player.params.iter();
        params.map(move |(name, value)| (format!("{prefix}{name}").into(), field(value)))
    });
    columns.collect()
}

/// The parameters of a cell's game. Of those that others imply, only what a cell of the plan sets.
fn params(cell: &Cell, main: bool, set: &Set) -> Fields {
    let specs = cell.game.params.iter().filter(|spec| {
        let is_implied = matches!(spec.default, params::Default::Implied(_));
        spec.main == main && (!is_implied || set.contains(&(cell.game.name, spec.name)))
    });
    specs
        .map(|spec| (spec.name.into(), field(&cell.params.effective(spec))))
        .collect()
}

/// A value as it stands in a file.
fn field(value: &Value) -> String {
    match value {
        Value::Text(text) => guarded(text).into_owned(),
        value => value.to_string(),
    }
}

/// The move counts of a cell in the bins of [`bin`], ascending; none where games are split.
fn distribution(tally: &Tally) -> Vec<Bin> {
    // The moves of replications are not those of games.
    if tally.splitting().is_some() {
        return Vec::new();
    }
    let mut bins = std::collections::BTreeMap::<u64, Bin>::new();
    for (moves, games) in tally.moves_distribution() {
        let [lower, upper] = bin(moves);
        bins.entry(lower)
            .or_insert(Bin {
                lower,
                upper,
                ..Bin::default()
            })
            .games += games;
    }
    for (moves, wins) in tally.moves_win_distribution() {
        bins.entry(bin(moves)[0]).and_modify(|bin| bin.wins += wins);
    }
    bins.into_values().collect()
}

/// The text of `published.csv`; `None` when the plan has no published figures.
pub fn published_csv(plan: &Plan) -> Option<Vec<u8>> {
    if plan.entries.iter().all(|entry| entry.published.is_none()) {
        return None;
    }
    let rows = plan.entries.iter().filter_map(|entry| {
        let published = entry.published.as_ref()?;
        let cell = &plan.cells[entry.cell];
        Some((
            guarded(&plan.titles[entry.table]),
            cell.key(),
            published.games,
            published.wins,
            &published.moves_mean,
            &published.moves_win_mean,
            (cell.game.published_lost_extra)(&cell.params),
            &published.win_pct,
        ))
    });
    Some(csv_of(COLUMNS, rows))
}
