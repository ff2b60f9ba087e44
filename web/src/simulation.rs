//! Experiments on several workers.
//!
//! One worker holds a [`Simulation`], which says what is played next and takes in the results. The
//! other workers play batches of games, each by its own [`Batches`]. Results do not depend on who
//! played what and when, so `cells.csv` has the bytes of `tilelab run`.

use crate::text::error;
use serde_json::{Value, json};
use std::collections::{HashMap, HashSet};
use std::time::Duration;
use tilelab::experiment::Problem;
use tilelab::game::{Job, Sampling};
use tilelab::report::cells::Cells;
use tilelab::report::distributions::Distributions;
use tilelab::report::folder::Results;
use tilelab::report::{json as cells_json, labels};
use tilelab::results::dictionary::kind_of_parameter;
use tilelab::results::rows::{Rows, win_interval};
use tilelab::runner::pace::Kinds;
use tilelab::runner::progress::CellProgress;
use tilelab::runner::schedule::{Batch, Schedule};
use tilelab::runner::stages::Rules;
use tilelab::runner::{Options, Shard};
use tilelab::text::count;
use tilelab::{Interval, KernelChoice, Overrides, Plan, Tally};
use wasm_bindgen::prelude::*;

/// Nothing is saved: a page has no files.
const NEVER: Duration = Duration::from_secs(1 << 30);

/// Reads and checks an experiment; `games` and `seed` replace those of the text unless they are
/// empty. Files of published figures are left alone.
fn plan(text: &str, games: &str, seed: &str) -> Result<Plan, String> {
    let number = |name: &str, text: &str, accepted: &str| match text.trim() {
        "" => Ok(None),
        given => count(given)
            .map(Some)
            .ok_or_else(|| format!("{name}: {given}: not accepted; accepted: {accepted}")),
    };
    let games = number(
        "games",
        games,
        "a whole number from 1, such as 5000, 200k or 1e6",
    )?;
    let seed = number("seed", seed, "a whole number from 0")?;
    if games == Some(0) {
        return Err("games: 0: not accepted; accepted: a whole number from 1".to_owned());
    }
    let overrides = Overrides {
        games,
        seed,
        unpublished: true,
        ..Overrides::default()
    };
    let plan = Plan::parse(text, overrides);
    let plan = plan.map_err(|problems| {
        problems
            .iter()
            .map(Problem::to_string)
            .collect::<Vec<_>>()
            .join("\n")
    })?;
    for cell in &plan.cells {
        cell.job(plan.seed, KernelChoice::Auto)
            .map_err(|error| format!("{}: {error}", cell.key()))?;
    }
    Ok(plan)
}

/// Plays batches of an experiment's games.
#[wasm_bindgen]
pub struct Batches {
    plan: Plan,
    /// What plays the cell of the last batch.
    job: Option<(usize, Box<dyn Job>)>,
}

#[wasm_bindgen]
impl Batches {
    /// Reads an experiment as [`Simulation::new`] does.
    ///
    /// # Errors
    /// All problems of the text, one a line.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, games: &str, seed: &str) -> Result<Self, JsError> {
        Ok(Self {
            plan: plan(text, games, seed).map_err(error)?,
            job: None,
        })
    }

    /// Plays the games from number `start` to before `end` of a cell, and returns their tally as
    /// JSON for [`Simulation::complete`].
    ///
    /// # Errors
    /// When there is no such cell.
    pub fn play(&mut self, cell: usize, start: u64, end: u64) -> Result<String, JsError> {
        if self.job.as_ref().is_none_or(|(known, _)| *known != cell) {
            let of_plan = self
                .plan
                .cells
                .get(cell)
                .ok_or_else(|| error(format!("cell {cell}: there is none")))?;
            self.job = Some((
                cell,
                of_plan
                    .job(self.plan.seed, KernelChoice::Auto)
                    .map_err(error)?,
            ));
        }
        let (_, job) = self.job.as_ref().expect("the job was made");
        let mut tally = Tally::new(job.measures());
        job.play(start..end, &mut tally);
        serde_json::to_string(&tally.save()).map_err(error)
    }
}

/// The run of an experiment.
#[wasm_bindgen]
pub struct Simulation {
    plan: &'static Plan,
    schedule: Schedule<'static>,
    kinds: Kinds,
    rules: Rules,
    /// The cells that have ended.
    rows: Rows,
    /// What has been played of each cell; of one that is done, its result.
    tallies: Vec<Tally>,
    /// The cells that were done when progress was last told.
    known_done: Vec<bool>,
    /// Why cells failed.
    errors: Vec<Option<String>>,
    /// The interval of each cell's win rate, and of how many games it is.
    intervals: Vec<(u64, Option<Interval>)>,
    /// Batches that are being played, by their numbers.
    playing: HashMap<u32, Batch>,
    batches: u32,
}

#[wasm_bindgen]
impl Simulation {
    /// Reads and checks an experiment; `games` and `seed` replace those of the text unless they are
    /// empty, as `--games` and `--seed` do.
    ///
    /// The plan stays in memory when the object is freed: a worker holds one simulation and ends
    /// with it.
    ///
    /// # Errors
    /// All problems of the text, one a line, as the command line reports them.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str, games: &str, seed: &str) -> Result<Self, JsError> {
        let plan: &'static Plan = Box::leak(Box::new(plan(text, games, seed).map_err(error)?));
        let options = Options {
            threads: 1,
            kernel: KernelChoice::Auto,
            shard: Shard::WHOLE,
            fail_fast: false,
            save_every: NEVER,
        };
        Ok(Self {
            plan,
            schedule: Schedule::new(plan, &options, None).map_err(error)?,
            kinds: Kinds::new(plan),
            rules: Rules::default(),
            rows: Rows::new(plan),
            tallies: plan
                .cells
                .iter()
                .map(|cell| Tally::new(cell.measures()))
                .collect(),
            known_done: vec![false; plan.cells.len()],
            errors: vec![None; plan.cells.len()],
            intervals: vec![(0, None); plan.cells.len()],
            playing: HashMap::new(),
            batches: 0,
        })
    }

    /// The experiment as JSON: `name`, `tables`, each with `title` and `axis` (the parameter over
    /// which its curves are drawn, or null), and `cells`, each with `table`, `key`, `label` (what
    /// tells it from the others of its table), `x` (its place on the axis) and `series` (the name
    /// of its curve).
    #[must_use]
    pub fn describe(&self) -> String {
        let plan = self.plan;
        let mut cells = vec![Value::Null; plan.cells.len()];
        let tables = plan.titles.iter().enumerate().map(|(table, title)| {
            let members = plan.cells.iter().enumerate();
            let members: Vec<_> = members.filter(|(_, cell)| cell.table == table).collect();
            let mut settings: Vec<_> = members.iter().map(|(_, cell)| settings(cell)).collect();
            let names = labels::distinct(&settings);
            let axis = axis(&settings);
            let mut places = vec![None; members.len()];
            if let Some(axis) = &axis {
                for (place, own) in places.iter_mut().zip(&mut settings) {
                    let at = own.iter().position(|(name, _)| name == axis);
                    *place = at.and_then(|at| number(&own.remove(at).1));
                }
            }
            let series = labels::varying(&settings);
            for (row, (at, cell)) in members.into_iter().enumerate() {
                cells[at] = json!({
                    "table": table,
                    "key": cell.key(),
                    "label": if names[row].is_empty() { cell.key() } else { names[row].clone() },
                    "x": places[row],
                    "series": series[row],
                });
            }
            json!({"title": title, "axis": axis})
        });
        let tables: Value = tables.collect();
        json!({"name": plan.name, "tables": tables, "cells": cells}).to_string()
    }

    /// The next batch to play, as JSON: `id`, `cell`, and its games from `start` to before `end` as
    /// text; `null` when everything that can be played is being played.
    #[must_use]
    pub fn next(&mut self) -> String {
        let Some(batch) = self.schedule.next_batch() else {
            return "null".to_owned();
        };
        let games = batch.games();
        let id = self.batches;
        self.batches += 1;
        let text = json!({
            "id": id,
            "cell": batch.cell,
            "start": games.start.to_string(),
            "end": games.end.to_string(),
        })
        .to_string();
        self.playing.insert(id, batch);
        text
    }

    /// Takes in the tally of a batch, and the time that it took.
    ///
    /// # Errors
    /// When no such batch is being played, or the tally is not one.
    pub fn complete(&mut self, id: u32, tally: &str, milliseconds: f64) -> Result<(), JsError> {
        let batch = self
            .playing
            .remove(&id)
            .ok_or_else(|| error(format!("batch {id} is not being played")))?;
        let saved = serde_json::from_str(tally).map_err(error)?;
        let tally =
            Tally::restore(&saved, self.plan.cells[batch.cell].measures()).map_err(error)?;
        // The runner drops games of cells that have ended, too.
        if !self.known_done[batch.cell] {
            self.tallies[batch.cell].merge(&tally);
        }
        let time = Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0);
        self.schedule.complete(&batch, Ok(tally), time, time);
        Ok(())
    }

    /// Takes in that a batch could not be played, and why.
    ///
    /// # Errors
    /// When no such batch is being played.
    pub fn fail(&mut self, id: u32, reason: &str) -> Result<(), JsError> {
        let batch = self
            .playing
            .remove(&id)
            .ok_or_else(|| error(format!("batch {id} is not being played")))?;
        self.schedule.complete(
            &batch,
            Err(reason.to_owned()),
            Duration::ZERO,
            Duration::ZERO,
        );
        Ok(())
    }

    /// Whether every cell is done.
    #[wasm_bindgen(js_name = isDone)]
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.schedule.is_done()
    }

    /// How far the run is, as JSON: `games` and `gamesMax` of all cells, `moves`, `work` done and
    /// `left` (seconds of one worker; null before the first batch), and `cells`, each with `games`,
    /// `gamesMax`, `mayStop`, `done`, `error` (null where it did not fail), `wins`, `winPct`, `lo`
    /// and `hi` (percent) and `movesMean`.
    pub fn progress(&mut self) -> String {
        let progress = self.schedule.progress();
        self.take_results(&progress);
        let left = self
            .kinds
            .work_left(&progress)
            .map(|left| left.iter().sum::<f64>());
        let mut cells = Vec::with_capacity(progress.len());
        let mut games = 0_u64;
        let mut games_max = 0_u64;
        let mut moves = 0_u64;
        let mut work = 0.0;
        let cells_played = self
            .plan
            .cells
            .iter()
            .zip(&self.tallies)
            .zip(&self.errors)
            .zip(&mut self.intervals);
        for ((((cell, tally), error), (games_of_interval, interval)), at) in
            cells_played.zip(&progress)
        {
            games = games.saturating_add(at.games);
            games_max = games_max.saturating_add(at.games_needed());
            moves = moves.saturating_add(at.turns_now);
            work += at.work_now.as_secs_f64();
            let played = tally.games as f64;
            let percent = |share: f64| (tally.games > 0).then_some(100.0 * share);
            // The rate of replications is not the share of games won.
            let rate = if cell.sampling() == Sampling::Splitting {
                None
            } else {
                percent(tally.wins as f64 / played)
            };
            if *games_of_interval != tally.games {
                *games_of_interval = tally.games;
                *interval = win_interval(self.plan, cell, &mut self.rules, tally);
            }
            cells.push(json!({
                "games": at.games,
                "gamesMax": at.games_max,
                "mayStop": at.may_stop,
                "done": at.done,
                "error": error,
                "wins": tally.wins,
                "winPct": rate,
                "lo": interval.and_then(|interval| percent(interval.lo)),
                "hi": interval.and_then(|interval| percent(interval.hi)),
                "movesMean": (tally.games > 0).then(|| tally.moves_sum as f64 / played),
            }));
        }
        json!({"games": games, "gamesMax": games_max, "moves": moves, "work": work, "left": left, "cells": cells})
            .to_string()
    }

    /// The text of `cells.csv`: the cells that have ended.
    #[wasm_bindgen(js_name = cellsCsv)]
    pub fn cells_csv(&mut self) -> Vec<u8> {
        self.rows.update(self.plan, &self.schedule.state());
        self.rows.cells_csv()
    }

    /// The text of `cells.json`: the same cells with types.
    ///
    /// # Errors
    /// Names the column and the field that is not of its type.
    #[wasm_bindgen(js_name = cellsJson)]
    pub fn cells_json(&mut self) -> Result<Vec<u8>, JsError> {
        let cells = Cells::parse_cells("cells.csv", &self.cells_csv()).map_err(error)?;
        let is_in_file = |game: &str| cells.records().any(|row| row.get("game") == Some(game));
        let columns = cells_json::columns(&cells, &|name| kind_of_parameter(name, is_in_file));
        cells_json::to_json(&cells, &columns).map_err(error)
    }

    /// What is made from the cells that have ended, as JSON: `table`, the tables in Markdown, and
    /// `plots`, each with `file`, `title` and `svg`, and `page`, the text of `report.html`.
    ///
    /// # Errors
    /// Says what is wrong with the rows.
    pub fn report(&mut self) -> Result<String, JsError> {
        let csv = self.cells_csv();
        let distributions = self.rows.distributions_csv();
        let results = Results {
            name: self.plan.name.clone(),
            cells: Cells::parse_cells("cells.csv", &csv).map_err(error)?,
            distributions: Some(
                Distributions::parse("distributions.csv", distributions.as_slice())
                    .map_err(error)?,
            ),
            published: None,
            times: None,
            experiment: Some(self.plan.text.clone()),
            machine: None,
        };
        let plots = results.plots();
        let plots: Vec<Value> = plots
            .iter()
            .map(|plot| json!({"file": plot.file, "title": plot.title, "svg": plot.svg}))
            .collect();
        Ok(json!({"table": results.tables(), "plots": plots, "page": results.page()}).to_string())
    }
}

/// Parameters and players of a cell: names and values.
fn settings(cell: &tilelab::Cell) -> Vec<(String, String)> {
    let params = cell.params.iter();
    let params = params.map(|(name, value)| (name.to_owned(), value.to_string()));
    let players = cell.players.iter().zip(["player", "opponent"]);
    let players = players.map(|(player, seat)| (seat.to_owned(), player.label()));
    labels::sized(&params.chain(players).collect::<Vec<_>>())
        .into_iter()
        .map(|(name, value)| (name.to_owned(), value))
        .collect()
}

/// The number that a value stands for on an axis: 4 for `4x5`.
fn number(value: &str) -> Option<f64> {
    let parts: Result<Vec<f64>, _> = value.split('x').map(str::parse).collect();
    parts.ok()?.into_iter().next()
}

/// The parameter with the most values if all are numbers and a curve over it has at least three
/// points on average.
fn axis(cells: &[Vec<(String, String)>]) -> Option<String> {
    let mut values: HashMap<&str, HashSet<&str>> = HashMap::new();
    for (name, value) in cells.iter().flatten() {
        values.entry(name).or_default().insert(value);
    }
    let curves = |axis: &str| {
        let others = cells.iter().map(|cell| {
            let others = cell.iter().filter(|(name, _)| name != axis);
            others.collect::<Vec<_>>()
        });
        others.collect::<HashSet<_>>().len()
    };
    let is_axis = |name: &&str| {
        values[name].iter().all(|value| number(value).is_some()) && cells.len() >= 3 * curves(name)
    };
    let names = cells.first()?.iter().map(|(name, _)| name.as_str());
    // The first of several.
    let axis = names.rev().filter(is_axis);
    axis.max_by_key(|name| values[name].len())
        .map(str::to_owned)
}

impl Simulation {
    /// Replaces the tallies of cells that have ended since the last time by those of their results:
    /// a rule may have dropped games that were played ahead.
    fn take_results(&mut self, progress: &[CellProgress]) {
        if progress
            .iter()
            .zip(&self.known_done)
            .all(|(cell, &known)| cell.done == known)
        {
            return;
        }
        let state = self.schedule.state();
        for (at, cell) in progress.iter().enumerate().filter(|(_, cell)| cell.done) {
            if std::mem::replace(&mut self.known_done[at], cell.done) {
                continue;
            }
            let Some(cell) = state.cells[at].as_deref() else {
                continue;
            };
            self.errors[at].clone_from(&cell.error);
            let saved = cell.tally.as_ref();
            let result =
                saved.and_then(|saved| Tally::restore(saved, self.plan.cells[at].measures()).ok());
            // A cell that failed has none.
            if let Some(result) = result {
                self.tallies[at] = result;
            }
        }
    }
}
