//! Curves over the operator rate from the counted games of a result: `tilelab curve`.
//!
//! Cells with `method = "counted"` that differ in nothing but `operator_rate` make one curve
//! ([`crate::stats::Curve`]).

use crate::report::cells::{csv_of, number};
use crate::report::figures::{brackets, with_interval};
use crate::report::plots::scale::number_text;
use crate::report::plots::{RateCurve, RatePoint, rate_plot};
use crate::report::schema::{CURVE, names};
use crate::results::Folder;
use crate::results::store::load_last_good;
use crate::runner::RunnerOptions;
use crate::runner::schedule::Schedule;
use crate::runner::state::Stopped;
use crate::stats::{Curve, CurvePoint, Figure, Interval, clopper_pearson};
use crate::tally::Tally;
use crate::text::join;
use std::collections::BTreeMap;
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};

/// The parameter that curves run over.
const RATE: &str = "operator_rate";
/// The factors in which the figures of a point are shown.
const FACTORS: [f64; 4] = [100.0, 1.0, 1.0, 1.0];

/// The rates at which curves are evaluated.
#[derive(Clone, Copy, Debug)]
pub struct Rates {
    /// The first; the smallest multiple of `step` where it is left out.
    pub from: Option<f64>,
    /// The last; the largest multiple of `step` below 1 where it is left out.
    pub to: Option<f64>,
    /// The distance of neighbours.
    pub step: f64,
}

impl Rates {
    /// The rates.
    ///
    /// # Errors
    /// Names the option that is wrong and what is accepted.
    pub fn list(&self) -> Result<Vec<f64>, String> {
        let step = self.step;
        if !(0.0001..=0.5).contains(&step) {
            return Err(format!("--step {step}: accepted: 0.0001 to 0.5"));
        }
        let from = self.from.unwrap_or(step);
        let to = self.to.unwrap_or(1.0 - step);
        for (name, rate) in [("--from", from), ("--to", to)] {
            if !(rate > 0.0 && rate < 1.0) {
                return Err(format!("{name} {rate}: a rate lies between 0 and 1"));
            }
        }
        if from > to {
            return Err(format!("--from {from} lies above --to {to}"));
        }
        let steps = ((to - from) / step + 1e-9).floor() as u64;
        // Sums of decimal steps, without the noise of binary ones.
        let rate = |number: u64| ((from + number as f64 * step) * 1e9).round() / 1e9;
        Ok((0..=steps).map(rate).collect())
    }
}

/// A curve with the cells that it is made of.
#[derive(Debug)]
pub struct CellCurve {
    /// What the cells have in common: their key without the rate.
    pub cell: String,
    /// Operator rate, games and won games of each cell, by rate.
    pub sources: Vec<(f64, u64, u64)>,
    /// The points, also those that are refused.
    pub points: Vec<CurvePoint>,
    /// The confidence of all intervals.
    pub confidence: f64,
}

/// The curves of the counted cells of a results folder that have ended.
///
/// # Errors
/// Says why the folder cannot be read or its games do not make a curve.
pub fn read(folder: &Folder, rates: &Rates) -> Result<Vec<CellCurve>, String> {
    let rates = rates.list()?;
    let path = folder.0.display();
    let wrong = |what: String| format!("{path}: {what}");
    let found = load_last_good(folder).map_err(|error| error.to_string())?;
    let missing = || wrong("there is no saved state".to_owned());
    let state = found.ok_or_else(missing)?.state;
    let plan = state.plan().map_err(wrong)?;
    let options = RunnerOptions {
        shard: state.header.shard(),
        ..RunnerOptions::on(1)
    };
    let schedule = Schedule::new(&plan, &options, Some(state)).map_err(wrong)?;
    let mut families: BTreeMap<String, Vec<(f64, Tally)>> = BTreeMap::new();
    for (cell, state) in plan.cells.iter().zip(schedule.state().cells) {
        let ended = state.filter(|state| state.stopped.is_some_and(|why| why != Stopped::Failed));
        let Some(tally) = ended.and_then(|state| state.tally.clone()) else {
            continue;
        };
        if tally.counted.is_empty() {
            continue;
        }
        let refuse = |why: &str| Err(wrong(format!("the cell {}: {why}", cell.key())));
        let rate = cell.params.float(RATE);
        if cell.stop.is_some() {
            return refuse(
                "it has a stopping rule, which the weights do not allow for; leave stop out and give games",
            );
        }
        if !(rate > 0.0 && rate < 1.0) {
            return refuse("games at this operator_rate say nothing about other rates");
        }
        let others = families.entry(cell.key_without(&[RATE])).or_default();
        if !others.is_empty() && cell.common.contains(&RATE) {
            return refuse(
                "its games share random numbers with those of other rates; leave operator_rate out of common",
            );
        }
        others.push((rate, tally));
    }
    if families.is_empty() {
        return Err(format!(
            "{path}: no cell that has ended has counted tiles; add method = \"counted\" to a table of sixty-seven"
        ));
    }
    let shown = families.into_iter().map(|(cell, mut cells)| {
        cells.sort_by(|(a, _), (b, _)| a.total_cmp(b));
        let tallies: Vec<_> = cells.iter().map(|(rate, tally)| (*rate, tally)).collect();
        let source = |(rate, tally): &(f64, Tally)| (*rate, tally.games, tally.wins);
        CellCurve {
            cell,
            sources: cells.iter().map(source).collect(),
            points: Curve::new(&tallies).points(&rates, plan.confidence),
            confidence: plan.confidence,
        }
    });
    let shown: Vec<CellCurve> = shown.collect();
    let mut points = shown.iter().flat_map(|curve| &curve.points);
    if points.all(|point| point.figures[0].is_none()) {
        return Err(wrong(
            "refused at every rate asked for: the weights rest on too few games; play more \
             games, or games at nearer rates"
                .to_owned(),
        ));
    }
    Ok(shown)
}

fn text_of(figure: &Figure, factor: f64) -> String {
    let Interval { lo, hi } = figure.interval.scaled(factor);
    with_interval(figure.value * factor, lo, hi)
}

/// Runs of points whose win rate is refused, as text; empty where there are none.
fn refused(points: &[CurvePoint]) -> String {
    let runs = points.chunk_by(|a, b| a.figures[0].is_some() == b.figures[0].is_some());
    let text = |run: &[CurvePoint]| match run {
        [one] => one.rate.to_string(),
        [first, .., last] => format!("{} to {}", first.rate, last.rate),
        [] => String::new(),
    };
    let refused = runs.filter(|run| run[0].figures[0].is_none());
    join(refused.map(text), ", ")
}

impl CellCurve {
    /// The curve as a table with its notes.
    pub fn document(&self) -> Document {
        let mut whole = Document::default();
        whole.heading(&self.cell);
        let source = |(rate, games, _): &(f64, u64, u64)| format!("{games} at {rate}");
        let percent = number_text(100.0 * self.confidence);
        whole.text(&format!(
            "Games: {}. In brackets: {percent} % intervals. Band: holds the whole curve with {percent} %. Slope: \
             percentage points of the win rate per 0.01 of operator_rate.",
            join(self.sources.iter().map(source), ", ")
        ));
        let columns = [
            RATE,
            "effective games",
            "win rate %",
            "band %",
            "slope",
            "moves",
            "moves of won games",
        ];
        let mut table = Table::new(columns.map(|name| (name, Align::Right)));
        for point in &self.points {
            let [won, slope, moves, moves_won] = &point.figures;
            let Some(won) = won else { continue };
            let band = won.band.scaled(100.0);
            let other = |figure: &Option<Figure>| {
                figure.map_or_else(|| "–".to_owned(), |figure| text_of(&figure, 1.0))
            };
            table.row([
                point.rate.to_string(),
                format!("{:.0}", point.effective_games),
                text_of(won, 100.0),
                brackets(won.value * 100.0, band.lo, band.hi),
                other(slope),
                other(moves),
                other(moves_won),
            ]);
        }
        whole.table(table);
        let refused = refused(&self.points);
        if !refused.is_empty() {
            whole.text(&format!(
                "Refused, since the weights rest on too few games: {refused}."
            ));
        }
        whole
    }
}

/// The curves as CSV, a row for each point; figures that are refused are empty.
pub fn to_csv(curves: &[CellCurve]) -> Vec<u8> {
    let record = |curve: &CellCurve, point: &CurvePoint| {
        let games = format!("{:.1}", point.effective_games);
        let mut record = vec![curve.cell.clone(), point.rate.to_string(), games];
        for (figure, factor) in point.figures.iter().zip(FACTORS) {
            let numbers = figure.map(|figure| {
                let [Interval { lo, hi }, band] = [figure.interval, figure.band];
                let [value, error] = [figure.value, figure.standard_error];
                [value, error, lo, hi, band.lo, band.hi]
            });
            record.extend((0..6).map(|at| number(numbers.map(|numbers| numbers[at] * factor))));
        }
        record
    };
    let records = curves.iter().flat_map(|curve| {
        let points = curve.points.iter();
        points.map(move |point| record(curve, point))
    });
    csv_of(names(&CURVE), records)
}

/// The win rates as an SVG file, with the bands and the cells themselves.
pub fn to_svg(curves: &[CellCurve]) -> String {
    let of_curve = |curve: &CellCurve| {
        let point = |point: &CurvePoint| {
            let won = point.figures[0]?;
            Some(RatePoint {
                rate: point.rate,
                value: 100.0 * won.value,
                ends: won.band.scaled(100.0),
            })
        };
        let cell = |(rate, games, wins): &(f64, u64, u64)| RatePoint {
            rate: *rate,
            value: 100.0 * *wins as f64 / *games as f64,
            ends: clopper_pearson(*wins, *games, curve.confidence).scaled(100.0),
        };
        RateCurve {
            label: curve.cell.clone(),
            points: curve.points.iter().map(point).collect(),
            cells: curve.sources.iter().map(cell).collect(),
        }
    };
    let curves_drawn: Vec<RateCurve> = curves.iter().map(of_curve).collect();
    let confidence = curves.first().map_or(0.95, |curve| curve.confidence);
    rate_plot(&curves_drawn, confidence)
}
