//! From tallies to the rows of `cells.csv`, `distributions.csv` and `published.csv`.

use crate::catalog::{LANES, METHOD, NODES_AT};
use crate::matches::{HALF_POINTS_AT, NODES_AT as PAIR_NODES_AT, half_points_max};
use crate::params::{ParamSpec, Params, Value};
use crate::plan::{Cell, Entry, Plan};
use crate::report::cells::{MatchRow, Row, Tested, to_csv};
use crate::report::distributions::Bin;
use crate::report::published::COLUMNS;
use crate::report::schema::{DISTRIBUTIONS, PLAYER_PREFIXES, names};
use crate::report::text::guarded;
use crate::runner::stages::{Rules, StoppingRule};
use crate::runner::state::{CellState, State, Stopped};
use crate::stats::{ClusterSums, Interval, PairPoints, SplittingSums, Summary};
use crate::tally::{Tally, bin};

/// The rows of the cells that have ended, each made once, by the entries of the plan.
pub struct Rows {
    rows: Vec<Option<(Row, Vec<Bin>)>>,
    rules: Rules,
}

impl Rows {
    /// No rows yet for the cells of this plan.
    #[must_use]
    pub fn new(plan: &Plan) -> Self {
        Self {
            rows: vec![None; plan.entries.len()],
            rules: Rules::default(),
        }
    }

    /// Makes the rows of the cells that have ended since the last time.
    pub fn update(&mut self, plan: &Plan, state: &State) {
        for (row, entry) in self.rows.iter_mut().zip(&plan.entries) {
            let cell = &plan.cells[entry.cell];
            let ended = state.cells[entry.cell].as_deref().filter(|state| {
                row.is_none()
                    && state
                        .stopped
                        .is_some_and(|stopped| stopped != Stopped::Elsewhere)
            });
            if let Some(state) = ended {
                *row = Some((
                    row_of(plan, entry, state, self.rules.of(plan, cell).as_deref()),
                    distribution(state),
                ));
            }
        }
    }

    /// The text of `cells.csv`: the cells that have ended.
    #[must_use]
    pub fn cells_csv(&self) -> Vec<u8> {
        let ended: Vec<&Row> = self.rows.iter().flatten().map(|(row, _)| row).collect();
        to_csv(&ended)
    }

    /// The text of `distributions.csv`: the move counts of each cell, a row for each bin in use.
    #[must_use]
    pub fn distributions_csv(&self) -> Vec<u8> {
        let mut writer = csv::Writer::from_writer(Vec::new());
        writer
            .write_record(names(&DISTRIBUTIONS))
            .expect("memory takes every record");
        for (row, bins) in self.rows.iter().flatten() {
            let table = guarded(&row.table);
            for bin in bins {
                let [lower, upper, games, wins] =
                    [bin.lower, bin.upper, bin.games, bin.wins].map(|count| count.to_string());
                let record = [&table, row.cell.as_str(), &lower, &upper, &games, &wins];
                writer
                    .write_record(record)
                    .expect("memory takes every record");
            }
        }
        writer.into_inner().expect("memory takes every record")
    }
}

fn row_of(plan: &Plan, entry: &Entry, state: &CellState, rule: Option<&StoppingRule>) -> Row {
    let cell = &plan.cells[entry.cell];
    let values = |main: bool| params(cell.game.params, &cell.params, main);
    let mut error = state.error.clone().unwrap_or_default();
    let tally =
        state
            .tally
            .as_ref()
            .and_then(|saved| match Tally::restore(saved, cell.measures()) {
                Ok(tally) => Some(tally),
                Err(reason) => {
                    error = format!("the saved state does not fit: {reason}");
                    None
                }
            });
    let chance = cell.has_chance();
    let points = tally
        .as_ref()
        .filter(|_| cell.matched.is_some())
        .map(|tally| {
            let half_points = &tally.measures[HALF_POINTS_AT];
            PairPoints::new(tally, half_points, half_points_max(cell.game))
        });
    let tested = tally.as_ref().and_then(|tally| {
        let wanted = cell.stop?.difference?;
        let (estimate, interval) = rule?.test()?.estimate(tally, plan.confidence)?;
        Some(Tested {
            lower: wanted.lower,
            upper: wanted.upper,
            estimate,
            interval,
        })
    });
    let players: Vec<String> = cell
        .players
        .iter()
        .map(crate::catalog::PlayerSpec::label)
        .collect();
    Row {
        table: plan.titles[entry.table].clone(),
        cell: cell.key(),
        game: cell.game.name,
        player: players.join(" / "),
        seed: plan.seed,
        main: values(true),
        // Lanes and the method have columns of their own.
        other: values(false)
            .into_iter()
            .filter(|(name, _)| ![LANES, METHOD].contains(name))
            .collect(),
        method: values(false)
            .into_iter()
            .find(|(name, _)| *name == METHOD)
            .map(|(_, value)| value),
        lanes: cell
            .game
            .params
            .iter()
            .any(|spec| spec.name == LANES)
            .then(|| cell.sampling().lanes()),
        two_seats: cell.players.len() == 2,
        matched: cell.matched.map(|matched| MatchRow {
            decided_by: matched.decided_by(),
            measure: matched.measure,
            points: points.and_then(|points| {
                if let Some(tested) = tested.filter(|_| !matched.by_measure) {
                    Some(tested.interval)
                } else if chance {
                    points.interval(plan.confidence)
                } else {
                    let mean = points.mean()?;
                    Some(Interval { lo: mean, hi: mean })
                }
            }),
            tested,
        }),
        names: cell
            .players
            .iter()
            .map(|player| player.entry.name)
            .collect(),
        players: player_columns(cell),
        measures: measures(cell),
        interval: tally.as_ref().and_then(|tally| match chance {
            true => interval(plan, rule, tally),
            false => point(tally),
        }),
        kind: plan.interval,
        median_unbiased: tally.as_ref().and_then(|tally| {
            let is_plain = tally.trajectories().is_none() && tally.splitting().is_none();
            let rule = rule
                .and_then(StoppingRule::precision)
                .filter(|rule| rule.looks().len() > 1 && is_plain && tally.games > 0)?;
            Some(rule.median_unbiased(tally.wins, tally.games))
        }),
        confidence: plan.confidence,
        stopped: state.stopped.map_or("", Stopped::name),
        summary: tally.map(|tally| {
            let mut summary = Summary::of(&tally, plan.confidence);
            if let Some(points) = points {
                summary.points_mean = points.mean();
                summary.points_mean_se = points.standard_error();
            }
            if chance {
                summary
            } else {
                summary.without_chance()
            }
        }),
        error,
    }
}

/// The interval of a cell's win rate as `cells.csv` shows it, of games that need not be all of the
/// cell's: the corrected one where a rule looks at the cell more than once.
#[must_use]
pub fn win_interval(
    plan: &Plan,
    cell: &Cell,
    rules: &mut Rules,
    tally: &Tally,
) -> Option<Interval> {
    if cell.has_chance() {
        interval(plan, rules.of(plan, cell).as_deref(), tally)
    } else {
        point(tally)
    }
}

/// The interval of a win rate that chance decides; where the cell was looked at more than once, the
/// corrected one. What a sequential test stopped has none: it tests another figure.
fn interval(plan: &Plan, rule: Option<&StoppingRule>, tally: &Tally) -> Option<Interval> {
    if let (None, Some(sums)) = (rule, ClusterSums::of_wins(tally)) {
        return sums.rate_interval(plan.confidence);
    }
    if let (None, Some(sums)) = (rule, SplittingSums::of(tally)) {
        return sums.interval(plan.confidence);
    }
    if tally.games == 0 {
        return None;
    }
    match rule {
        Some(rule) => rule.precision().map(|rule| rule.interval_of(tally)),
        None => Some(plan.interval.of(tally.wins, tally.games, plan.confidence)),
    }
}

/// The rate itself: nothing was left to chance.
fn point(tally: &Tally) -> Option<Interval> {
    let rate = (tally.games > 0).then(|| tally.wins as f64 / tally.games as f64)?;
    Some(Interval { lo: rate, hi: rate })
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
        let seat = nodes_at
            .iter()
            .position(|nodes| cell.game.seats == 2 && *nodes == at);
        seat.is_none_or(|seat| cell.players[seat].entry.searches)
    };
    let measures = cell.measures().iter().enumerate();
    measures
        .map(|(at, measure)| (measure.name, holds(at)))
        .collect()
}

/// The parameters of a cell's players by the names of their columns.
fn player_columns(cell: &Cell) -> Vec<(String, String)> {
    let of_player = |(player, prefix): (&crate::catalog::PlayerSpec, &&str)| {
        let column =
            |(name, value): (&'static str, &Value)| (format!("{prefix}{name}"), field(value));
        player.params.iter().map(column).collect::<Vec<_>>()
    };
    cell.players
        .iter()
        .zip(&PLAYER_PREFIXES)
        .flat_map(of_player)
        .collect()
}

fn params(specs: &'static [ParamSpec], params: &Params, main: bool) -> Vec<(&'static str, String)> {
    specs
        .iter()
        .filter(|spec| spec.main == main)
        .map(|spec| (spec.name, field(params.get(spec.name))))
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
fn distribution(state: &CellState) -> Vec<Bin> {
    let mut bins = std::collections::BTreeMap::<u64, Bin>::new();
    // The moves of replications are not those of games.
    let Some(tally) = state
        .tally
        .as_ref()
        .filter(|tally| tally.splitting.is_none())
    else {
        return Vec::new();
    };
    for &(moves, games) in &tally.moves {
        let [lower, upper] = bin(moves);
        bins.entry(lower)
            .or_insert(Bin {
                lower,
                upper,
                games: 0,
                wins: 0,
            })
            .games += games;
    }
    for &(moves, wins) in &tally.moves_win {
        bins.entry(bin(moves)[0]).and_modify(|bin| bin.wins += wins);
    }
    bins.into_values().collect()
}

/// The text of `published.csv`; `None` when the plan has no published figures.
#[must_use]
pub fn published_csv(plan: &Plan) -> Option<Vec<u8>> {
    if plan.entries.iter().all(|entry| entry.published.is_none()) {
        return None;
    }
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(COLUMNS)
        .expect("memory takes every record");
    for entry in &plan.entries {
        let Some(published) = &entry.published else {
            continue;
        };
        let cell = &plan.cells[entry.cell];
        let record = [
            guarded(&plan.titles[entry.table]).into_owned(),
            cell.key(),
            published.games.to_string(),
            published.wins.to_string(),
            published.moves_mean.clone(),
            published.moves_win_mean.clone(),
            (cell.game.published_lost_extra)(&cell.params)
                .map(|moves| moves.to_string())
                .unwrap_or_default(),
        ];
        writer
            .write_record(record)
            .expect("memory takes every record");
    }
    Some(writer.into_inner().expect("memory takes every record"))
}
