//! From tallies to the rows of `cells.csv`, `distributions.csv` and `published.csv`.

use crate::catalog::LANES;
use crate::params::{ParamSpec, Params};
use crate::plan::{Cell, Plan};
use crate::report::cells::{Row, to_csv};
use crate::report::dataset::moves_bucket;
use crate::report::published::COLUMNS;
use crate::runner::stages::Rules;
use crate::runner::state::{CellState, State, Stopped};
use crate::stats::{ClusterSums, Interval, Rule, Summary, clopper_pearson};
use crate::tally::Tally;

/// The rows of the cells that have ended, each made once.
pub struct Rows {
    rows: Vec<Option<(Row, String)>>,
    rules: Rules,
}

impl Rows {
    /// No rows yet for the cells of this plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self { rows: vec![None; plan.cells.len()], rules: Rules::default() }
    }

    /// Makes the rows of the cells that have ended since the last time.
    pub fn update(&mut self, plan: &Plan, state: &State) {
        for ((row, cell), state) in self.rows.iter_mut().zip(&plan.cells).zip(&state.cells) {
            let ended = state
                .as_deref()
                .filter(|state| row.is_none() && state.stopped.is_some_and(|stopped| stopped != Stopped::Elsewhere));
            if let Some(state) = ended {
                *row = Some((row_of(plan, cell, state, self.rules.of(plan, cell).as_deref()), distribution(state)));
            }
        }
    }

    /// The text of `cells.csv`: the cells that have ended.
    #[must_use]
    pub fn cells_csv(&self) -> Vec<u8> {
        let ended: Vec<&Row> = self.rows.iter().flatten().map(|(row, _)| row).collect();
        to_csv(&ended)
    }

    /// The text of `distributions.csv`: the move counts of each cell, one row a cell however long
    /// the games.
    #[must_use]
    pub fn distributions_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer.write_record(["table", "cell", "moves"]).expect("memory takes every record");
        for (row, distribution) in self.rows.iter().flatten() {
            writer.write_record([&row.table, &row.cell, distribution]).expect("memory takes every record");
        }
        writer.into_inner().expect("memory takes every record")
    }
}

fn row_of(plan: &Plan, cell: &Cell, state: &CellState, rule: Option<&Rule>) -> Row {
    let values = |main: bool| params(cell.game.params, &cell.params, main);
    let mut error = state.error.clone().unwrap_or_default();
    let tally = state.tally.as_ref().and_then(|saved| match Tally::restore(saved, cell.game.measures) {
        Ok(tally) => Some(tally),
        Err(reason) => {
            error = format!("the saved state does not fit: {reason}");
            None
        }
    });
    let players: Vec<String> = cell.players.iter().map(crate::catalog::PlayerSpec::label).collect();
    Row {
        table: plan.titles[cell.table].clone(),
        cell: cell.key(),
        game: cell.game.name,
        player: players.join(" / "),
        seed: plan.seed,
        main: values(true),
        // Lanes have columns of their own.
        other: values(false).into_iter().filter(|(name, _)| *name != LANES).collect(),
        lanes: cell.game.params.iter().any(|spec| spec.name == LANES).then(|| cell.lanes()),
        two_seats: cell.game.seats == 2,
        measures: cell.game.measures.iter().map(|measure| measure.name).collect(),
        interval: tally.as_ref().and_then(|tally| interval(plan, rule, tally)),
        confidence: plan.confidence,
        stopped: state.stopped.map_or("", Stopped::name),
        summary: tally.map(|tally| Summary::of(&tally, plan.confidence)),
        error,
    }
}

/// The interval of a cell's win rate; where the cell was looked at more than once, the corrected one.
fn interval(plan: &Plan, rule: Option<&Rule>, tally: &Tally) -> Option<Interval> {
    if let (None, Some(sums)) = (rule, ClusterSums::of_wins(tally)) {
        return sums.rate_interval(plan.confidence);
    }
    (tally.games > 0).then(|| match rule {
        Some(rule) => rule.interval_of(tally),
        None => clopper_pearson(tally.wins, tally.games, plan.confidence),
    })
}

fn params(specs: &'static [ParamSpec], params: &Params, main: bool) -> Vec<(&'static str, String)> {
    specs.iter().filter(|spec| spec.main == main).map(|spec| (spec.name, params.get(spec.name).to_string())).collect()
}

/// The move counts of a cell as `MOVES:GAMES MOVES:GAMES …`, in the buckets of [`moves_bucket`].
fn distribution(state: &CellState) -> String {
    let mut counts = std::collections::BTreeMap::<u64, u64>::new();
    for &(moves, games) in state.tally.iter().flat_map(|tally| &tally.moves) {
        *counts.entry(moves_bucket(moves).0).or_default() += games;
    }
    let pairs: Vec<String> = counts.iter().map(|(moves, games)| format!("{moves}:{games}")).collect();
    pairs.join(" ")
}

/// The text of `published.csv`; `None` when the plan has no published figures.
#[must_use]
pub fn published_csv(plan: &Plan) -> Option<Vec<u8>> {
    if plan.cells.iter().all(|cell| cell.published.is_none()) {
        return None;
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(COLUMNS).expect("memory takes every record");
    for cell in &plan.cells {
        let Some(published) = &cell.published else { continue };
        let record = [
            plan.titles[cell.table].clone(),
            cell.key(),
            published.games.to_string(),
            published.wins.to_string(),
            published.moves_mean.clone(),
            published.moves_win_mean.clone(),
        ];
        writer.write_record(record).expect("memory takes every record");
    }
    Some(writer.into_inner().expect("memory takes every record"))
}
