//! How long an experiment will take, from playing some of its games.
//!
//! Cells are sampled evenly over the plan. Each is played for a moment. Then the cells whose share
//! of the forecast is least certain are played longer, until the time is up. All threads play at
//! once, as they will in the run, since cores that share caches, memory or a clock are slower
//! together than alone.

use super::stages::Rules;
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::Plan;
use crate::stats::{ClusterSums, Rule, SplittingSums};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest calibration of an experiment.
const CALIBRATION: Duration = Duration::from_secs(6);
/// Longest first look at all sampled cells together.
const FIRST_LOOK: Duration = Duration::from_secs(3);
/// Most cells that are played.
const SAMPLED_MAX: usize = 600;
/// A forecast this certain (relative standard error, if games were as spread as exponential times)
/// needs no more games.
const CERTAIN: f64 = 0.02;

/// What an experiment will take.
pub struct Forecast {
    /// Games of all cells; where cells may stop early, as many as the sample lets expect.
    pub games: f64,
    /// Time of one thread.
    pub seconds: f64,
    /// Turns of all games.
    pub turns: f64,
    /// Mean number of histogram buckets in use by a cell.
    buckets: f64,
}

/// A cell that is played to learn its pace.
struct Sample {
    job: Arc<dyn Job>,
    games_max: u64,
    rule: Option<Arc<Rule>>,
    tally: Tally,
    /// Games whose time was taken, and that time in seconds.
    pace: (u64, f64),
    /// What the first games took besides, in seconds: a job makes what all of its games need, such
    /// as the levels of splitting.
    set_up: f64,
    next: u64,
    /// Whether a thread is playing it.
    busy: bool,
}

impl Sample {
    fn seconds_per_game(&self) -> f64 {
        self.pace.1 / self.pace.0.max(1) as f64
    }

    /// The time of all its games, in seconds of one thread.
    fn seconds_expected(&self) -> f64 {
        self.games_expected() * self.seconds_per_game() + self.set_up
    }

    /// The games that the cell will need if it goes on as it began.
    fn games_expected(&self) -> f64 {
        let Some(rule) = &self.rule else {
            return self.games_max as f64;
        };
        if let Some(sums) = ClusterSums::of_wins(&self.tally) {
            let stops = |(look, games): &(usize, u64)| {
                rule.decide_lanes(*look, &sums.grown(*games)).is_some()
            };
            return rule
                .looks()
                .enumerate()
                .find(stops)
                .map_or(self.games_max as f64, |(_, games)| games as f64);
        }
        if let Some(sums) = SplittingSums::of(&self.tally) {
            let stops = |(look, games): &(usize, u64)| {
                rule.decide_replications(*look, &sums.grown(*games))
                    .is_some()
            };
            return rule
                .looks()
                .enumerate()
                .find(stops)
                .map_or(self.games_max as f64, |(_, games)| games as f64);
        }
        // Half a win more: a short sample without wins does not show that the rate is 0.
        let rate = (self.tally.wins as f64 + 0.5) / (self.tally.games as f64 + 1.0);
        let wins = |games: u64| ((games as f64 * rate).round() as u64).min(games);
        let stops =
            |(look, games): &(usize, u64)| rule.decide(*look, wins(*games), *games).is_some();
        rule.looks()
            .enumerate()
            .find(stops)
            .map_or(self.games_max as f64, |(_, games)| games as f64)
    }

    /// The standard error of the cell's time, if the times of games were spread like exponential
    /// ones.
    fn uncertainty(&self) -> f64 {
        self.games_expected() * self.seconds_per_game() / (self.tally.games.max(1) as f64).sqrt()
    }

    fn is_exhausted(&self) -> bool {
        self.next >= self.games_max
    }
}

impl Forecast {
    /// Plays some games of cells spread over the plan on this many threads (at least 1), for a few
    /// seconds, and extrapolates.
    #[must_use]
    pub fn of(plan: &Plan, kernel: KernelChoice, threads: usize) -> Self {
        let sampled = plan.cells.len().min(SAMPLED_MAX);
        let mut rules = Rules::default();
        let mut samples = Vec::new();
        for number in 0..sampled {
            let cell = &plan.cells[number * plan.cells.len() / sampled];
            if let Ok(job) = cell.job(plan.seed, kernel) {
                let rule = rules.of(plan, cell);
                let games_max = rule.as_ref().map_or(cell.games, |rule| rule.games_max());
                let tally = Tally::new(job.measures());
                let job = job.into();
                let pace = (0, 0.0);
                samples.push(Sample {
                    job,
                    games_max,
                    rule,
                    tally,
                    pace,
                    set_up: 0.0,
                    next: 0,
                    busy: false,
                });
            }
        }
        calibrate(&mut samples, threads);
        let scale = plan.cells.len() as f64 / samples.len().max(1) as f64;
        let sum = |value: &dyn Fn(&Sample) -> f64| scale * samples.iter().map(value).sum::<f64>();
        let turns_per_game =
            |sample: &Sample| sample.tally.moves_sum as f64 / sample.tally.games.max(1) as f64;
        Self {
            games: sum(&Sample::games_expected),
            seconds: sum(&Sample::seconds_expected),
            turns: sum(&|sample| sample.games_expected() * turns_per_game(sample)),
            buckets: sum(&|sample| sample.tally.moves_distribution().count() as f64)
                / plan.cells.len() as f64,
        }
    }

    /// Memory that the run will take, in MB.
    ///
    /// Counts the program with its tables, the tallies of the batches being played, and for each
    /// cell its tally, its rows and its part of the report page. Fitted to runs of 38 to 5,040
    /// cells.
    #[must_use]
    pub fn megabytes(&self, cells: usize, threads: usize) -> u64 {
        const PROGRAM: f64 = 7e6;
        const THREAD: f64 = 5e5;
        const CELL: f64 = 7.5e3;
        const BUCKET: f64 = 80.0;
        let bytes =
            PROGRAM + threads as f64 * THREAD + cells as f64 * (CELL + self.buckets * BUCKET);
        (bytes / 1e6).ceil() as u64
    }
}

/// Plays the samples on all threads: first each for a moment, then the least certain.
fn calibrate(samples: &mut [Sample], threads: usize) {
    let start = Instant::now();
    let moment =
        (FIRST_LOOK * threads as u32 / samples.len().max(1) as u32).min(Duration::from_millis(100));
    let shared = Mutex::new(samples);
    let work = || {
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut samples = lock();
            let Some(at) = next_sample(&samples, start.elapsed()) else {
                return;
            };
            samples[at].busy = true;
            let job = Arc::clone(&samples[at].job);
            let first = samples[at].next;
            let games_max = samples[at].games_max;
            drop(samples);
            let played = play(job.as_ref(), first, games_max, moment);
            let sample = &mut lock()[at];
            sample.tally.merge(&played.tally);
            sample.pace.0 += played.pace.0;
            sample.pace.1 += played.pace.1;
            if first == 0 {
                sample.set_up = played.set_up;
            }
            sample.next = played.next;
            sample.busy = false;
        }
    };
    #[cfg(feature = "parallel")]
    std::thread::scope(|scope| (0..threads).for_each(|_| drop(scope.spawn(work))));
    #[cfg(not(feature = "parallel"))]
    work();
}

/// The sample to play next; `None` when the time is up or more games would tell little.
fn next_sample(samples: &[Sample], elapsed: Duration) -> Option<usize> {
    if let Some(at) = samples
        .iter()
        .position(|sample| sample.tally.games == 0 && !sample.busy)
    {
        return Some(at);
    }
    let variance: f64 = samples
        .iter()
        .map(|sample| sample.uncertainty().powi(2))
        .sum();
    let total: f64 = samples.iter().map(Sample::seconds_expected).sum();
    if elapsed >= CALIBRATION || variance.sqrt() <= CERTAIN * total {
        return None;
    }
    let open = samples
        .iter()
        .enumerate()
        .filter(|(_, sample)| !sample.busy && !sample.is_exhausted());
    open.max_by(|(_, a), (_, b)| a.uncertainty().total_cmp(&b.uncertainty()))
        .map(|(at, _)| at)
}

/// Some games of a sample.
struct Played {
    tally: Tally,
    next: u64,
    /// Games of the last portion, and its seconds.
    pace: (u64, f64),
    /// Seconds that the first portion took more than its games.
    set_up: f64,
}

/// Plays games from `first` on, in at least two growing portions, until the time is up. The last
/// portion tells the pace. The earlier ones are too small: kernels play many games at once, and
/// towards the end of a portion few are left. The first one also contains what the job makes once.
fn play(job: &dyn Job, first: u64, games_max: u64, time: Duration) -> Played {
    let start = Instant::now();
    let mut tally = Tally::new(job.measures());
    let mut next = first;
    let mut portion = job.sampling().lanes();
    let mut begin = None;
    let mut portions = 0;
    let mut pace = (0, 0.0);
    while next < games_max && (portions < 2 || start.elapsed() < time) {
        let end = next.saturating_add(portion).min(games_max);
        let begun = start.elapsed();
        job.play(next..end, &mut tally);
        let seconds = (start.elapsed() - begun).as_secs_f64();
        // The last portion may be cut short by the end of the games.
        if end - next >= pace.0 {
            pace = (end - next, seconds);
        }
        begin.get_or_insert((end - next, seconds));
        portions += 1;
        next = end;
        portion = (portion * 2).min(job.batch_games().max(1));
    }
    let (games, seconds) = begin.unwrap_or((0, 0.0));
    let set_up = (seconds - games as f64 * pace.1 / pace.0.max(1) as f64).max(0.0);
    Played {
        tally,
        next,
        pace,
        set_up,
    }
}
