//! Experiments on several workers.
//!
//! One worker holds a [`Simulation`], which says what is played next and takes in the results. The
//! other workers play batches of games, each by its own [`Batches`]. Results do not depend on who
//! played what and when, so `cells.csv` has the bytes of `tilelab run`.

use crate::chart::Point;
use crate::tables::{Table, tables};
use crate::text::error;
use serde_json::{Value, json};
use std::collections::HashMap;
use std::time::Duration;
use tilelab::dictionary::kind_of_parameter;
use tilelab::game::{Job, Sampling};
use tilelab::output::numbers::{duration_text, grouped, scaled};
use tilelab::report::distributions::Distributions;
use tilelab::report::folder::Results;
use tilelab::report::json as cells_json;
use tilelab::report::plots::{Plot, win_rate_plots};
use tilelab::results::rows::{CellRows, win_interval};
use tilelab::runner::RunnerOptions;
use tilelab::runner::pace::CostGroups;
use tilelab::runner::progress::CellProgress;
use tilelab::runner::schedule::{Batch, Schedule};
use tilelab::runner::stages::Rules;
use tilelab::text::count;
use tilelab::{Interval, KernelChoice, Overrides, Plan, Tally};
use wasm_bindgen::prelude::*;

/// The columns of the table of a run.
const FIELDS: [&str; 5] = ["games", "won %", "interval %", "mean moves", ""];
/// Characters on a line of a picture.
const LINE_MAX: usize = 68;

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
    let plan = plan.map_err(|problems| problems.to_string())?;
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

    /// Plays a batch that [`Simulation::exchange`] named, and returns it with its tally.
    ///
    /// # Errors
    /// When there is no such cell.
    pub fn play(&mut self, batch: &str) -> Result<String, JsError> {
        let begun = js_sys::Date::now();
        let mut batch: Value = serde_json::from_str(batch).map_err(error)?;
        let number = |name: &str| batch[name].as_u64().ok_or_else(|| error("not a batch"));
        let start = number("start")?;
        let end = number("end")?;
        let cell = usize::try_from(number("cell")?).map_err(error)?;
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
        job.play(start..end, &mut tally, None);
        batch["tally"] = serde_json::to_value(&tally).map_err(error)?;
        batch["milliseconds"] = json!(js_sys::Date::now() - begun);
        Ok(batch.to_string())
    }
}

/// The run of an experiment.
#[wasm_bindgen]
pub struct Simulation {
    plan: &'static Plan,
    tables: Vec<Table>,
    schedule: Schedule<'static>,
    groups: CostGroups,
    rules: Rules,
    /// The cells that have ended.
    rows: CellRows,
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
        let options = RunnerOptions::on(1);
        Ok(Self {
            plan,
            tables: tables(plan),
            schedule: Schedule::new(plan, &options, None).map_err(error)?,
            groups: CostGroups::new(plan),
            rules: Rules::default(),
            rows: CellRows::new(plan),
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

    /// The experiment as JSON: `name`, `fields` (the columns of its tables) and `tables`, each with
    /// `title` and `rows`, each with `cell` (its number), `key` and `label` (what tells it from the
    /// others of its table).
    #[must_use]
    pub fn describe(&self) -> String {
        let table = |table: &Table| {
            let rows = table.members.iter().map(|member| {
                let key = self.plan.cells[member.cell].key();
                json!({"cell": member.cell, "key": key, "label": member.label})
            });
            json!({"title": table.title, "rows": rows.collect::<Value>()})
        };
        let tables: Value = self.tables.iter().map(table).collect();
        json!({"name": self.plan.name, "fields": FIELDS, "tables": tables}).to_string()
    }

    /// Takes in a batch that [`Batches::play`] has played, or that has the `reason` why it was not
    /// (the first time there is none: an empty text), and names the next one as JSON: `id`, `cell`,
    /// and its games from `start` to before `end`. The answer is `null` where everything that can
    /// be played is being played or the caller wants none, and `false` when every cell is done.
    ///
    /// # Errors
    /// When no such batch is being played, or its tally is not one.
    pub fn exchange(&mut self, played: &str, wants: bool) -> Result<String, JsError> {
        if !played.is_empty() {
            self.take_in(&serde_json::from_str(played).map_err(error)?)?;
        }
        if self.schedule.is_done() {
            return Ok("false".to_owned());
        }
        let batch = if wants {
            self.schedule.next_batch()
        } else {
            None
        };
        let Some(batch) = batch else {
            return Ok("null".to_owned());
        };
        let games = batch.games();
        let id = self.batches;
        self.batches += 1;
        let text = json!({"id": id, "cell": batch.cell, "start": games.start, "end": games.end});
        self.playing.insert(id, batch);
        Ok(text.to_string())
    }

    /// How far the run is after these seconds, as JSON: `share` of the games, `line` about it in
    /// words, `cells`, the fields of their rows in the tables, and `charts` of the tables, with a
    /// line at the cell `here`; null while there is nothing to draw.
    pub fn progress(&mut self, seconds: f64, here: Option<usize>) -> String {
        let progress = self.schedule.progress();
        self.take_results(&progress);
        let left = self.groups.estimate(&progress).map(|left| left.work);
        let mut cells = Vec::with_capacity(progress.len());
        let mut points = Vec::with_capacity(progress.len());
        let mut games = 0_u64;
        let mut games_max = 0_u64;
        let mut moves = 0_u64;
        let mut work = 0.0;
        let mut done = 0;
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
                let rule = self.rules.of(self.plan, cell);
                *interval = win_interval(self.plan, cell, rule.as_deref(), tally);
            }
            let lo = interval.and_then(|interval| percent(interval.lo));
            let hi = interval.and_then(|interval| percent(interval.hi));
            let digits = if hi.is_some_and(|hi| hi < 1.0) { 4 } else { 2 };
            let text = |value: Option<f64>, digits: usize| {
                value.map_or_else(String::new, |value| format!("{value:.digits$}"))
            };
            let interval = match lo.and(hi) {
                None => String::new(),
                Some(_) => format!("{} to {}", text(lo, digits), text(hi, digits)),
            };
            let mean = (tally.games > 0).then(|| tally.moves_sum as f64 / played);
            let state = match error {
                Some(error) => format!("failed: {error}"),
                None if at.done => "done".to_owned(),
                None if at.games > 0 => "playing".to_owned(),
                None => "waiting".to_owned(),
            };
            done += usize::from(at.done);
            points.push(rate.map(|y| Point {
                x: 0.0,
                y,
                ends: lo.zip(hi),
            }));
            cells.push([
                grouped(at.games),
                text(rate, digits),
                interval,
                text(mean, 2),
                state,
            ]);
        }
        let share = games as f64 / games_max.max(1) as f64;
        let mut line = format!(
            "{:.1} % · {done} of {} cells · {} games · {}moves/s · {} played",
            100.0 * share,
            cells.len(),
            grouped(games),
            scaled(moves as f64 / seconds.max(0.001)),
            duration_text(seconds)
        );
        // Workers do `work` seconds of work in `seconds`.
        if let Some(left) = left.filter(|left| work > 0.0 && *left > 0.0) {
            line += &format!(" · about {} left", duration_text(left * seconds / work));
        }
        let charts = self.tables.iter().map(|table| table.chart(&points, here));
        let charts: Value = charts.collect();
        json!({"share": share, "line": line, "cells": cells, "charts": charts}).to_string()
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
    /// When no cell has ended; names the column and the field that is not of its type.
    #[wasm_bindgen(js_name = cellsJson)]
    pub fn cells_json(&mut self) -> Result<Vec<u8>, JsError> {
        let cells = self.ended()?.cells;
        let is_in_file = |game: &str| cells.records().any(|row| row.get("game") == Some(game));
        let columns = cells_json::columns(&cells, &|name| kind_of_parameter(name, is_in_file));
        cells_json::to_json(&cells, &columns).map_err(error)
    }

    /// The plot of the win rates of the cells that have ended, as a file that stands alone: with
    /// its title, intervals, and where it is from, such as the `address` of the page.
    ///
    /// # Errors
    /// When no two of the cells that have ended differ in one parameter only.
    pub fn picture(&mut self, address: &str) -> Result<String, JsError> {
        let cells = self.ended()?.cells;
        let games: u64 = cells.records().filter_map(|row| row.count("games")).sum();
        let mut source = vec![format!(
            "Source: {} games of tilelab {}, seed {}.",
            grouped(games),
            env!("CARGO_PKG_VERSION"),
            self.plan.seed
        )];
        // An address has no words between which a line could end.
        let letters: Vec<char> = address.chars().collect();
        source.extend(letters.chunks(LINE_MAX).map(|line| line.iter().collect()));
        let plots = win_rate_plots(&cells, &source);
        // The plot of the parameter with the most values.
        let values = |plot: &Plot| plot.svg.matches("class=\"bar ").count();
        let plot = plots.into_iter().max_by_key(values);
        let plot = plot.ok_or_else(|| error("no two cells differ in one parameter only"))?;
        Ok(plot.svg)
    }

    /// The text of `report.html`: the cells that have ended, and what the others have so far.
    ///
    /// # Errors
    /// When no cell has ended; says what is wrong with the rows.
    pub fn report(&mut self) -> Result<String, JsError> {
        let results = self.ended()?;
        let distributions = self.rows.distributions_csv();
        let distributions = Distributions::parse("distributions.csv", distributions.as_slice());
        let results = Results {
            distributions: Some(distributions.map_err(error)?),
            experiment: Some(self.plan.text.clone()),
            ..results
        };
        Ok(results.page())
    }
}

impl Simulation {
    /// The cells that have ended, and what the others have so far.
    fn ended(&mut self) -> Result<Results, JsError> {
        let state = self.schedule.state();
        let mut known = state.cells.iter().flatten();
        if !known.any(|cell| cell.stopped.is_some()) {
            return Err(error("no cell has ended yet"));
        }
        self.rows.update(self.plan, &state);
        self.rows.results(self.plan, &state).map_err(error)
    }

    /// Takes in a batch that was played, with its tally or the reason why there is none.
    fn take_in(&mut self, played: &Value) -> Result<(), JsError> {
        let id = played["id"].as_u64().and_then(|id| u32::try_from(id).ok());
        let batch = id.and_then(|id| self.playing.remove(&id));
        let batch = batch.ok_or_else(|| error(format!("{}: not being played", played["id"])))?;
        if let Some(reason) = played["reason"].as_str() {
            let failed = Err(reason.to_owned());
            self.schedule
                .complete(&batch, failed, Duration::ZERO, Duration::ZERO);
            return Ok(());
        }
        let saved: Tally = serde_json::from_value(played["tally"].clone()).map_err(error)?;
        let measures = self.plan.cells[batch.cell].measures();
        let tally = saved.checked(measures).map_err(error)?;
        // The runner drops games of cells that have ended, too.
        if !self.known_done[batch.cell] {
            self.tallies[batch.cell].merge(&tally);
        }
        let milliseconds = played["milliseconds"].as_f64().unwrap_or(0.0);
        let time = Duration::from_secs_f64(milliseconds.max(0.0) / 1000.0);
        self.schedule.complete(&batch, Ok(tally), time, time);
        Ok(())
    }

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
            let measures = self.plan.cells[at].measures();
            let saved = cell.tally.clone();
            let result = saved.and_then(|saved| saved.checked(measures).ok());
            // A cell that failed has none.
            if let Some(result) = result {
                self.tallies[at] = result;
            }
        }
    }
}
