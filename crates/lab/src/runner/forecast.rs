//! How long an experiment will take: its run is begun in memory, and stopped when it knows.
//!
//! A run plays some games of cells all over the plan first ([`super::pace`]). The forecast is what
//! it then says of the work left, with the work that it has done and the time beside the games. All
//! threads play at once, as they will in the run, since cores that share caches, memory or a clock
//! are slower together than alone.

use super::pace::{CostGroups, Estimate, seconds_left, work_and_time};
use super::progress::{CellProgress, total};
use super::schedule::Schedule;
use super::state::{CellState, RunState};
use super::{Progress, RunnerObserver, RunnerOptions, run};
use crate::external;
use crate::game::{KernelChoice, Measure, Tally};
use crate::plan::{Cell, Plan, PlanEntry};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;
use tilelab_output::locked;

/// The longest that an experiment is played for its forecast, once some work was measured.
const LONGEST: Duration = Duration::from_secs(6);
/// The most of the time of the run that its forecast takes, unless that is shorter than
/// [`SHORTEST`].
const SHARE: f64 = 0.1;
/// The least time that a forecast may take: it is little for any run.
const SHORTEST: Duration = Duration::from_millis(300);
/// The range has four of five runs if times are spread like a lognormal distribution.
const RANGE_DEVIATES: f64 = 1.2816;
/// What no game shows (relative standard deviation): other programs, clock rates, saving.
const SYSTEMATIC: f64 = 0.12;
/// What a run takes beside its games: to begin and end, and for each cell its rows and plots.
const BESIDE_S: f64 = 0.1;
const BESIDE_CELL_S: f64 = 3e-4;
/// About the longest that a batch takes, unless one game does.
const BATCH_S: f64 = 0.5;

/// What an experiment will take.
#[derive(Clone, Copy, Debug)]
pub struct Forecast {
    /// Games of all cells; where cells may stop early, as many as the games played let expect.
    pub games: f64,
    /// Time of one thread.
    pub seconds: f64,
    /// Turns of all games.
    pub turns: f64,
    /// The time of the run in seconds.
    pub run_s: f64,
    /// The ends of the range in which four of five such runs end, in seconds.
    pub range_s: [f64; 2],
    /// Mean number of histogram buckets in use by a cell.
    buckets: f64,
}

impl Forecast {
    /// Begins the run of a plan on `threads` threads (at least 1), for a few seconds.
    ///
    /// Nothing outside this program is started: cells of players that are commands or functions are
    /// left out. `None` where no other cell is left, or no game of them could be played.
    ///
    /// # Errors
    /// When the system refuses the threads.
    pub fn of(plan: &Plan, kernel: KernelChoice, threads: usize) -> std::io::Result<Option<Self>> {
        let mut plan = plan.clone();
        let is_inside = |cell: &Cell| !cell.players.iter().any(external::is_outside);
        plan.cells.retain(is_inside);
        if plan.cells.is_empty() {
            return Ok(None);
        }
        plan.entries = PlanEntry::of_each(&plan.cells);
        let options = RunnerOptions {
            kernel,
            ..RunnerOptions::on(threads)
        };
        let schedule = Schedule::new(&plan, &options, None)
            .expect("a new schedule contradicts no saved state");
        let pilot = ForecastObserver {
            groups: CostGroups::new(&plan),
            threads,
            knows: AtomicBool::new(false),
            progress: Mutex::default(),
        };
        let state = run(schedule, &options, &pilot.knows, &pilot)?;
        let progress = locked(&pilot.progress);
        let left = pilot.groups.estimate(&progress);
        Ok(left.map(|left| Self::of_begun(&plan, &state, &progress, left, threads)))
    }

    fn of_begun(
        plan: &Plan,
        state: &RunState,
        progress: &[CellProgress],
        left: Estimate,
        threads: usize,
    ) -> Self {
        let sum = |value: fn(&CellProgress) -> u64| total(progress.iter().map(value)) as f64;
        let [work, time] = work_and_time(progress);
        let seconds = work + left.work;
        // Threads end at different times, at most a batch apart.
        let open = progress.iter().filter(|cell| !cell.done);
        let batches = open.map(|cell| cell.pace.seconds_per_game().max(BATCH_S));
        let longest = batches.fold(0.0, f64::max).min(left.work);
        let played = progress.iter().filter(|cell| cell.games_now > 0);
        let played: Vec<f64> = played
            .map(|cell| cell.games_max as f64 * cell.pace.seconds_per_game())
            .collect();
        let of_others = of_others(&played, progress.len()) * left.work;
        let (run_s, range_s) = range(&Work {
            seconds,
            error: left.error.hypot(of_others),
            wait: if threads > 1 { longest } else { 0.0 },
            beside: BESIDE_S + BESIDE_CELL_S * plan.cells.len() as f64,
            threads,
            stretch: if work > 0.0 {
                (time / work).max(1.0)
            } else {
                1.0
            },
        });
        let buckets: Vec<usize> = state
            .cells
            .iter()
            .zip(&plan.cells)
            .filter_map(|(state, cell)| Some(buckets(state.as_ref()?, cell.measures())))
            .collect();
        Self {
            games: sum(|cell| cell.games_now) + left.games,
            seconds,
            turns: sum(|cell| cell.turns_now) + left.turns,
            run_s,
            range_s,
            buckets: buckets.iter().sum::<usize>() as f64 / buckets.len().max(1) as f64,
        }
    }

    /// Memory that the run will take, in MB.
    ///
    /// Counts the program with its tables, the tallies of the batches being played, and for each
    /// cell its tally, its rows and its part of the report page. Fitted to runs of 38 to 5,040
    /// cells.
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

/// Stops a run when it knows what is left of it, or when that has taken long enough.
struct ForecastObserver {
    groups: CostGroups,
    threads: usize,
    knows: AtomicBool,
    progress: Mutex<Vec<CellProgress>>,
}

impl RunnerObserver for ForecastObserver {
    fn progress(&self, progress: &Progress<'_>) {
        let Some(left) = self.groups.estimate(progress.cells) else {
            return;
        };
        let run_s =
            progress.elapsed.as_secs_f64() + seconds_left(left.work, progress.cells, self.threads);
        let uncertain = self.groups.uncertain(progress.cells);
        let is_certain = uncertain.is_some_and(|cells| cells.is_empty());
        if progress.elapsed >= longest(run_s) || is_certain && progress.elapsed >= SHORTEST {
            self.knows.store(true, Ordering::Relaxed);
        }
    }

    fn save(&self, _: &RunState, cells: &[CellProgress]) {
        *locked(&self.progress) = cells.to_vec();
    }
}

/// The histogram buckets that a cell has in use: those of its result, or of the segment with most.
fn buckets(cell: &CellState, measures: &[Measure]) -> usize {
    let count = |tally: &Tally| tally.moves_distribution().count();
    let segments = cell
        .segments
        .iter()
        .filter_map(|segment| segment.tally.restore(measures).ok());
    let most = segments.map(|tally| count(&tally)).max();
    cell.tally.as_ref().map(count).or(most).unwrap_or_default()
}

/// How long an experiment is played for its forecast whose run is expected to take this long.
fn longest(run_s: f64) -> Duration {
    Duration::from_secs_f64((SHARE * run_s).clamp(0.0, LONGEST.as_secs_f64())).max(SHORTEST)
}

/// The relative standard error that cells bring that were not played, if they differ from those
/// that were as these do from each other.
fn of_others(played: &[f64], cells: usize) -> f64 {
    let count = played.len().max(1) as f64;
    let sum: f64 = played.iter().sum();
    let mean = sum / count;
    let spread: f64 = played.iter().map(|seconds| (seconds - mean).powi(2)).sum();
    (spread * (1.0 - count / (cells as f64).max(count))).sqrt() / sum.max(1e-9)
}

/// The work of a run, in seconds of one thread.
struct Work {
    seconds: f64,
    /// The standard error of the work.
    error: f64,
    /// How long threads may wait for the last batch.
    wait: f64,
    /// The time beside the games.
    beside: f64,
    threads: usize,
    /// The time that a second of work takes: 1, or more where other programs use the processors
    /// too. The run may take as much as now, or have them for itself.
    stretch: f64,
}

/// The time of a run, and its range.
fn range(work: &Work) -> (f64, [f64; 2]) {
    let relative = work.error / work.seconds.max(1e-9);
    let factor = (RANGE_DEVIATES * relative.hypot(SYSTEMATIC)).exp();
    let played = work.seconds / work.threads as f64;
    let run = played * work.stretch + work.beside + work.wait / 2.0;
    let lo = played / factor + work.beside / 2.0;
    let hi = played * work.stretch * factor + 2.0 * work.beside + work.wait;
    (run, [lo, hi])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    /// A number from 0 to 1.
    fn uniform(seed: u64) -> f64 {
        (mix(seed) as f64 + 0.5) / 2_f64.powi(64)
    }

    /// Standard normal, by Box and Muller.
    fn normal(seed: u64) -> f64 {
        let radius = (-2.0 * uniform(seed.wrapping_mul(2)).ln()).sqrt();
        radius * (std::f64::consts::TAU * uniform(seed.wrapping_mul(2).wrapping_add(1))).cos()
    }

    fn work(seconds: f64, error: f64) -> Work {
        Work {
            seconds,
            error,
            wait: 0.0,
            beside: BESIDE_S,
            threads: 2,
            stretch: 1.0,
        }
    }

    /// 2,000 made-up runs of cells whose costs differ by three powers of ten, known from 1 to 1,000
    /// games each, on machines that are faster or slower than when the forecast was made.
    #[test]
    fn four_of_five_runs_end_within_the_range() {
        let mut inside = 0;
        for run in 0..2000 {
            let cells = 2 + run % 30;
            let number = |cell: u64, what: u64| mix((run * 100 + cell) * 10 + what) | 1;
            let cost = |cell: u64| 10_f64.powf(3.0 * uniform(number(cell, 0)));
            let measured = |cell: u64| 10_f64.powf(3.0 * uniform(number(cell, 1))).floor();
            let error = |cell: u64| cost(cell) / measured(cell).sqrt();
            let estimate =
                |cell: u64| (cost(cell) + error(cell) * normal(number(cell, 2))).max(0.0);
            let variance = |cell: u64| estimate(cell).powi(2) / measured(cell);
            let seconds = (0..cells).map(estimate).sum();
            let error = (0..cells).map(variance).sum::<f64>().sqrt();
            let (_, [lo, hi]) = range(&work(seconds, error));
            let speed = (SYSTEMATIC * normal(number(99, 3))).exp();
            let took = (0..cells).map(cost).sum::<f64>() * speed / 2.0 + BESIDE_S;
            inside += usize::from((lo..=hi).contains(&took));
        }
        assert!((1540..=1760).contains(&inside), "{inside} of 2000");
    }

    #[test]
    fn a_short_run_is_played_shortly() {
        for (run_s, seconds) in [(0.0, 0.3), (11.0, 1.1), (60.0, 6.0), (1e9, 6.0)] {
            assert_eq!(longest(run_s).as_secs_f64(), seconds);
        }
    }

    #[test]
    fn cells_that_were_not_played_are_uncertain_where_the_others_differ() {
        assert_eq!(of_others(&[10.0, 190.0], 2), 0.0);
        assert_eq!(of_others(&[100.0, 100.0], 20), 0.0);
        let error = of_others(&[10.0, 190.0], 20);
        assert!((error - 0.604).abs() < 1e-3, "{error}");
    }

    #[test]
    fn long_batches_widen_the_range() {
        let width = |wait: f64| {
            let (run, [lo, hi]) = range(&Work {
                wait,
                ..work(100.0, 0.0)
            });
            assert!(lo < run && run < hi);
            (hi - lo) / run
        };
        assert!(width(40.0) > 1.5 * width(0.0));
    }

    /// On a machine that other programs use, a run may be left alone later.
    #[test]
    fn a_busy_machine_widens_the_range_upwards() {
        let (quiet, [lo, hi]) = range(&work(100.0, 0.0));
        let (busy, [busy_lo, busy_hi]) = range(&Work {
            stretch: 3.0,
            ..work(100.0, 0.0)
        });
        assert_eq!(lo, busy_lo);
        assert!(busy > 2.9 * quiet && busy_hi > 2.9 * hi, "{busy} {busy_hi}");
    }
}
