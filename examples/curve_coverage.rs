//! How well curves over the operator rate serve: `cargo run --release --example curve_coverage`.
//!
//! Each case draws many samples, each of games of its own at the rates of its cells, and estimates
//! the win rate, its slope and the mean moves at other rates from each. The truth is that of many
//! more games that are played at those rates. `variance` is that of the estimate as a multiple of
//! what as many games give that are played at the rate itself: all games of a single cell, or those
//! of one cell of several. `slope gain` is the variance of the difference of two cells 0.02 apart
//! that share their random numbers, for as many games in all, as a multiple of that of the slope.
//! A band counts as covering where it holds the truth at all rates of a case where it is shown. An
//! argument sets the number of samples, 200 when left out; others choose cases by their numbers
//! from 1.

use tilelab::game::Job;
use tilelab::stats::{Curve, CurvePoint, Figure, Interval};
use tilelab::{Cell, KernelChoice, Tally};

/// Cells, rates that are played, games at each, and rates that are estimated.
type Case = (&'static str, &'static [f64], u64, &'static [f64]);

/// The atlas has these rates; 11 of them serve the others.
const ATLAS: [f64; 11] = [0.25, 0.3, 0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65, 0.7, 0.75];

const CASES: &[Case] = &[
    (
        "size=4x4",
        &[0.5],
        400_000,
        &[0.35, 0.4, 0.45, 0.5, 0.55, 0.6, 0.65],
    ),
    (
        "size=6x7",
        &[0.5],
        100_000,
        &[0.42, 0.44, 0.46, 0.5, 0.54, 0.56, 0.58],
    ),
    (
        "rules=merge-runs size=5x5",
        &[0.5],
        100_000,
        &[0.44, 0.46, 0.48, 0.5, 0.52, 0.54, 0.56],
    ),
    ("size=4x4", &ATLAS, 40_000, &[0.3, 0.4, 0.5, 0.6, 0.7]),
    ("size=6x7", &ATLAS, 20_000, &[0.3, 0.4, 0.5, 0.6, 0.7]),
    (
        "rules=merge-runs size=5x5",
        &ATLAS,
        20_000,
        &[0.3, 0.4, 0.5, 0.6, 0.7],
    ),
];
/// Games behind a truth, as a multiple of those of all cells.
const TRUTH: u64 = 40;
/// Half the distance of the two cells that a difference is made of.
const APART: f64 = 0.01;

fn job(settings: &str, rate: f64, seed: u64) -> Box<dyn Job> {
    let text = format!("sixty-seven {settings} operator_rate={rate} method=counted");
    let mut cell = Cell::parse(&text).expect("the cell is valid");
    cell.common = vec!["operator_rate"];
    cell.job(seed, KernelChoice::Auto)
        .expect("the cell can be played")
}

fn play(job: &dyn Job, games: std::ops::Range<u64>) -> Tally {
    tilelab::play_games(job, games)
}

/// Estimates of one figure at one rate.
#[derive(Default)]
struct Estimates {
    values: Vec<f64>,
    refused: u64,
    below: u64,
    above: u64,
}

impl Estimates {
    fn add(&mut self, figure: Option<Figure>, truth: f64) {
        let Some(Figure {
            value, interval, ..
        }) = figure
        else {
            self.refused += 1;
            return;
        };
        self.values.push(value);
        self.below += u64::from(truth < interval.lo);
        self.above += u64::from(truth > interval.hi);
    }

    fn covered(&self) -> String {
        let shown = self.values.len() as u64;
        if shown == 0 {
            return "–".to_owned();
        }
        let share = |count: u64| format!("{:.1}", 100.0 * count as f64 / shown as f64);
        let covered = share(shown - self.below - self.above);
        let [below, above] = [self.below, self.above].map(share);
        format!("{covered} ({below}, {above})")
    }
}

fn variance(values: &[f64]) -> f64 {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    values
        .iter()
        .map(|value| (value - mean).powi(2))
        .sum::<f64>()
        / (n - 1.0)
}

/// A figure that is not known where it was shown in one sample at most.
fn or_dash(value: f64, digits: usize) -> String {
    if value.is_finite() {
        format!("{value:.digits$}")
    } else {
        "–".to_owned()
    }
}

/// Variance of the slope from differences of cells with common random numbers, times their games.
fn difference_variance(settings: &str, rate: f64, games: u64, samples: u64) -> f64 {
    let [low, high] = [-APART, APART].map(|by| job(settings, rate + by, 3));
    let slopes = (0..samples).map(|sample| {
        let range = sample * games..(sample + 1) * games;
        let [low, high] = [&low, &high].map(|job| play(job.as_ref(), range.clone()).wins as f64);
        (high - low) / games as f64 / (2.0 * APART)
    });
    variance(&slopes.collect::<Vec<_>>()) * 2.0 * games as f64
}

fn case(&(settings, played, games, wanted): &Case, samples: u64) {
    let all = games * played.len() as u64;
    let truths: Vec<[f64; 4]> = wanted
        .iter()
        .map(|&rate| {
            let tally = play(job(settings, rate, 1).as_ref(), 0..TRUTH * all);
            let point = Curve::new(&[(rate, &tally)]).points(&[rate], 0.95);
            point[0]
                .figures
                .map(|figure| figure.expect("many games are won").value)
        })
        .collect();
    let jobs: Vec<_> = (10..)
        .zip(played)
        .map(|(seed, &rate)| (rate, job(settings, rate, seed)))
        .collect();
    let mut estimates: Vec<[Estimates; 4]> = wanted.iter().map(|_| Default::default()).collect();
    let mut effective = vec![0.0; wanted.len()];
    let mut bands = [0; 4];
    for sample in 0..samples {
        let range = sample * games..(sample + 1) * games;
        let cells: Vec<_> = jobs
            .iter()
            .map(|(rate, job)| (*rate, play(job.as_ref(), range.clone())))
            .collect();
        let cells: Vec<(f64, &Tally)> = cells.iter().map(|(rate, tally)| (*rate, tally)).collect();
        let points = Curve::new(&cells).points(wanted, 0.95);
        for (at, bands) in bands.iter_mut().enumerate() {
            let is_held = |(point, truth): (&CurvePoint, &[f64; 4])| {
                let band: Option<Interval> = point.figures[at].map(|figure| figure.band);
                band.is_none_or(|band| band.contains(truth[at]))
            };
            *bands += u64::from(points.iter().zip(&truths).all(is_held));
        }
        for (at, point) in points.iter().enumerate() {
            effective[at] += point.effective_games / samples as f64;
            for (figure, truth) in (0..4).zip(truths[at]) {
                estimates[at][figure].add(point.figures[figure], truth);
            }
        }
    }
    for (at, rate) in wanted.iter().enumerate() {
        let [truth, ..] = truths[at];
        let [won, slope, moves, moves_won] = &estimates[at];
        let ratio = variance(&won.values) * games as f64 / (truth * (1.0 - truth));
        let common = difference_variance(settings, *rate, 2_000, samples);
        println!(
            "| {settings} | {} | {rate} | {:.3} | {:.0} | {} | {} | {} | {} | {} | {} | {} |",
            played.len(),
            100.0 * truth,
            effective[at],
            won.refused,
            or_dash(ratio, 2),
            won.covered(),
            slope.covered(),
            moves.covered(),
            moves_won.covered(),
            or_dash(common / (variance(&slope.values) * all as f64), 1),
        );
    }
    let [won, slope, moves, moves_won] = bands.map(|held| 100.0 * held as f64 / samples as f64);
    println!(
        "| {settings} | {} | band | | | | | {won:.1} | {slope:.1} | {moves:.1} | {moves_won:.1} | |",
        played.len()
    );
}

fn main() {
    let mut numbers = std::env::args().skip(1).map(|text| {
        text.parse()
            .expect("a number of samples, then numbers of cases")
    });
    let samples = numbers.next().unwrap_or(200);
    let chosen: Vec<u64> = numbers.collect();
    println!(
        "| cell | cells | rate | win rate % | effective games | refused | variance | win rate covered % (truth below, \
         above) | slope | moves | moves won | slope gain |"
    );
    println!("| --- | {}", "---: | ".repeat(11));
    for (each, number) in CASES.iter().zip(1..) {
        if chosen.is_empty() || chosen.contains(&number) {
            case(each, samples);
        }
    }
}
