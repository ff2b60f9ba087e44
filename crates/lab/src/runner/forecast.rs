//! How long an experiment will take, from playing some of its games.
//!
//! Cells are sampled evenly over the plan. Each is played for a moment. Then the cells whose share
//! of the forecast is least certain are played longer, until the time is up. All threads play at
//! once, as they will in the run, since cores that share caches, memory or a clock are slower
//! together than alone.

use super::clock::Work;
use super::stages::{Rules, StoppingRule};
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::Plan;
use crate::stats::{ClusterSums, Rule, SplittingSums};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Longest calibration of an experiment.
const CALIBRATION: Duration = Duration::from_secs(6);
/// The most of the time of the run that calibration takes, unless that is shorter than
/// [`SHORTEST`].
const CALIBRATION_SHARE: f64 = 0.1;
/// So much is little for any run.
const SHORTEST: Duration = Duration::from_millis(300);
/// Longest first look at all sampled cells together, and at one of them.
const FIRST_LOOK: Duration = Duration::from_secs(3);
const FIRST_LOOK_CELL: Duration = Duration::from_millis(5);
/// How long a cell is played again.
const MOMENT: Duration = Duration::from_millis(100);
/// The range has four of five runs if times are spread like a lognormal distribution.
const RANGE_DEVIATES: f64 = 1.2816;
/// What no game shows (relative standard deviation): other programs, clock rates, saving.
const SYSTEMATIC: f64 = 0.12;
/// What a run takes beside its games: to begin and end, and for each cell its rows and plots.
const BESIDE_S: f64 = 0.1;
const BESIDE_CELL_S: f64 = 3e-4;
/// Most cells that are played.
const SAMPLED_MAX: usize = 600;
/// Smaller batches are not those of a kernel.
const KERNEL_BATCH: u64 = 1024;
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
    /// The time of the run in seconds, and the range in which four of five such runs end.
    pub run_s: f64,
    /// The ends of that range in seconds.
    pub range_s: [f64; 2],
    /// Mean number of histogram buckets in use by a cell.
    buckets: f64,
}

/// A cell that is played to learn its pace.
struct Sample {
    job: Arc<dyn Job>,
    games_max: u64,
    rule: Option<Arc<StoppingRule>>,
    tally: Tally,
    pace: Pace,
    /// All time that games took, and the work in it, in seconds.
    took: [f64; 2],
    /// See [`set_up`].
    set_up: f64,
    next: u64,
    /// Whether a thread is playing it.
    busy: bool,
}

impl Sample {
    /// The time of all its games, in seconds of one thread.
    fn seconds_expected(&self) -> f64 {
        self.games_expected() * self.pace.seconds_per_game() + self.set_up
    }

    /// The games that the cell will need if it goes on as it began.
    fn games_expected(&self) -> f64 {
        let rule = match self.rule.as_deref() {
            None => return self.games_max as f64,
            Some(StoppingRule::Test(test)) => {
                let sample = test.sample(&self.tally);
                let pairs = sample.map(|sample| test.sprt().pairs_expected(&sample));
                return pairs.unwrap_or(self.games_max) as f64;
            }
            Some(StoppingRule::Precision(rule)) => rule,
        };
        if let Some(sums) = ClusterSums::of_wins(&self.tally) {
            return self.games_until(rule, |look, games| {
                rule.decide_lanes(look, &sums.grown(games)).is_some()
            });
        }
        if let Some(sums) = SplittingSums::of(&self.tally) {
            return self.games_until(rule, |look, games| {
                rule.decide_replications(look, &sums.grown(games)).is_some()
            });
        }
        self.games_at(rule, self.rate(0.0))
    }

    /// The games at the first look at which a rule stops.
    fn games_until(&self, rule: &Rule, stops: impl Fn(usize, u64) -> bool) -> f64 {
        let mut looks = rule.looks().enumerate();
        let found = looks.find(|(look, games)| stops(*look, *games));
        found.map_or(self.games_max, |(_, games)| games) as f64
    }

    /// The win rate, this many standard errors off. Half a win more: a short sample without wins
    /// does not show that the rate is 0.
    fn rate(&self, off: f64) -> f64 {
        let wins = self.tally.wins as f64 + 0.5;
        let rate = (wins + off * wins.sqrt()) / (self.tally.games as f64 + 1.0);
        rate.clamp(1e-12, 1.0)
    }

    /// The games after which a rule stops at this win rate.
    fn games_at(&self, rule: &Rule, rate: f64) -> f64 {
        let wins = |games: u64| ((games as f64 * rate).round() as u64).min(games);
        self.games_until(rule, |look, games| {
            rule.decide(look, wins(games), games).is_some()
        })
    }

    /// The standard error of the cell's time, if the times of games were spread like exponential
    /// ones.
    fn uncertainty(&self) -> f64 {
        self.games_expected() * self.pace.seconds_per_game()
            / (self.tally.games.max(1) as f64).sqrt()
    }

    /// The standard error of the cell's time through the number of games at which a rule stops.
    fn uncertainty_of_stop(&self) -> f64 {
        let Some(rule) = self.rule.as_ref().and_then(|rule| rule.precision()) else {
            return 0.0;
        };
        let [lo, hi] = [-1.0, 1.0].map(|off| self.games_at(rule, self.rate(off)));
        (hi - lo).abs() / 2.0 * self.pace.seconds_per_game()
    }

    /// The time of a batch, for which threads may have to wait at the end.
    fn batch_seconds(&self) -> f64 {
        self.batch() as f64 * self.pace.seconds_per_game()
    }

    /// The games of a batch of the run.
    fn batch(&self) -> u64 {
        self.job.batch_games().clamp(1, self.games_max.max(1))
    }

    /// The games of the next portion at least. Kernels play so many games at once that a small
    /// portion takes as long as a large one.
    fn portion(&self) -> u64 {
        if self.job.batch_games() >= KERNEL_BATCH {
            self.pace.portion.max(self.batch() / 4)
        } else {
            self.pace.portion
        }
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
                samples.push(Sample {
                    tally: Tally::new(job.measures()),
                    job: job.into(),
                    games_max,
                    rule,
                    pace: Pace::default(),
                    took: [0.0; 2],
                    set_up: 0.0,
                    next: 0,
                    busy: false,
                });
            }
        }
        calibrate(&mut samples, threads);
        Self::of_samples(&samples, plan.cells.len(), threads)
    }

    fn of_samples(samples: &[Sample], cells: usize, threads: usize) -> Self {
        let scale = cells as f64 / samples.len().max(1) as f64;
        let sum = |value: &dyn Fn(&Sample) -> f64| scale * samples.iter().map(value).sum::<f64>();
        let turns_per_game =
            |sample: &Sample| sample.tally.moves_sum as f64 / sample.tally.games.max(1) as f64;
        let seconds = sum(&Sample::seconds_expected);
        let parts: Vec<Part> = samples.iter().map(Part::of).collect();
        let took = |at: usize| samples.iter().map(|sample| sample.took[at]).sum::<f64>();
        let stretch = match took(1) {
            0.0 => 1.0,
            work => (took(0) / work).max(1.0),
        };
        let (run_s, range_s) = range(&parts, cells, threads, stretch);
        Self {
            run_s,
            range_s,
            games: sum(&Sample::games_expected),
            seconds,
            turns: sum(&|sample| sample.games_expected() * turns_per_game(sample)),
            buckets: sum(&|sample| sample.tally.moves_distribution().count() as f64) / cells as f64,
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

/// What is known of a sampled cell's time, in seconds of one thread.
struct Part {
    seconds: f64,
    /// Its standard error.
    error: f64,
    batch: f64,
}

impl Part {
    fn of(sample: &Sample) -> Self {
        Self {
            seconds: sample.seconds_expected(),
            error: sample.uncertainty().hypot(sample.uncertainty_of_stop()),
            batch: sample.batch_seconds(),
        }
    }
}

/// The time of a run from sampled cells, and its range.
///
/// `stretch` is the time that a second of work takes: 1, or more where other programs use the
/// processors too. The run may take as much as now, or have them for itself.
fn range(parts: &[Part], cells: usize, threads: usize, stretch: f64) -> (f64, [f64; 2]) {
    let count = parts.len().max(1) as f64;
    let scale = cells as f64 / count;
    let work: f64 = parts.iter().map(|part| part.seconds).sum();
    let mut variance: f64 = parts.iter().map(|part| part.error.powi(2)).sum();
    if cells > parts.len() {
        // Cells that were not sampled differ from those that were as these do from each other.
        let mean = work / count;
        let spread: f64 = parts.iter().map(|part| (part.seconds - mean).powi(2)).sum();
        variance += spread * (1.0 - 1.0 / scale);
    }
    let relative = variance.sqrt() / work.max(1e-9);
    let deviation = relative.hypot(SYSTEMATIC);
    // Threads end at different times, at most a batch apart.
    let batch = parts.iter().map(|part| part.batch).fold(0.0, f64::max);
    let wait = if threads > 1 { batch } else { 0.0 };
    let beside = BESIDE_S + BESIDE_CELL_S * cells as f64;
    let played = scale * work / threads as f64;
    let run = played * stretch + beside + wait / 2.0;
    let factor = (RANGE_DEVIATES * deviation).exp();
    let lo = played / factor + beside / 2.0;
    (run, [lo, played * stretch * factor + 2.0 * beside + wait])
}

/// How long an experiment is calibrated whose run is expected to take this long.
fn calibration(run_s: f64) -> Duration {
    Duration::from_secs_f64((CALIBRATION_SHARE * run_s).clamp(0.0, CALIBRATION.as_secs_f64()))
        .max(SHORTEST)
}

/// Plays the samples on all threads: first each for a moment, then the least certain.
fn calibrate(samples: &mut [Sample], threads: usize) {
    let start = Instant::now();
    let first_look =
        (FIRST_LOOK * threads as u32 / samples.len().max(1) as u32).min(FIRST_LOOK_CELL);
    let shared = Mutex::new(samples);
    let work = || {
        let lock = || shared.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let mut samples = lock();
            let Some(at) = next_sample(&samples, threads, start.elapsed()) else {
                return;
            };
            samples[at].busy = true;
            let job = Arc::clone(&samples[at].job);
            let first = samples[at].next;
            let games_max = samples[at].games_max;
            let portion = samples[at].portion();
            drop(samples);
            let is_first = first == 0;
            let set_up = if is_first { set_up(job.as_ref()) } else { 0.0 };
            let moment = if is_first { first_look } else { MOMENT };
            let played = play(job.as_ref(), first, games_max, u64::MAX, portion, moment);
            let sample = &mut lock()[at];
            sample.tally.merge(&played.tally);
            sample.pace.add(played.pace);
            sample.took = [0, 1].map(|at| sample.took[at] + played.took[at]);
            sample.set_up += set_up;
            sample.next = played.next;
            sample.busy = false;
        }
    };
    #[cfg(feature = "parallel")]
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where the system has no more threads, the others play.
            drop(std::thread::Builder::new().spawn_scoped(scope, work));
        }
        work();
    });
    #[cfg(not(feature = "parallel"))]
    work();
}

/// The sample to play next; `None` when the time is up or more games would tell little.
fn next_sample(samples: &[Sample], threads: usize, elapsed: Duration) -> Option<usize> {
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
    // Portions below a batch make the pace of kernels look slower than it is.
    let is_certain = variance.sqrt() <= CERTAIN * total
        && samples
            .iter()
            .all(|sample| sample.pace.portion >= sample.batch() || sample.is_exhausted());
    if elapsed >= calibration(total / threads as f64) || is_certain {
        return None;
    }
    let open = samples
        .iter()
        .enumerate()
        .filter(|(_, sample)| !sample.busy && !sample.is_exhausted());
    open.max_by(|(_, a), (_, b)| a.uncertainty().total_cmp(&b.uncertainty()))
        .map(|(at, _)| at)
}

/// What games take, from the largest portions of them that were played. Smaller ones tell less:
/// kernels play many games at once, and towards the end of a portion few are left.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Pace {
    /// The games of each of these portions, and of all of them.
    portion: u64,
    games: u64,
    /// Their work in seconds of a thread on a processor.
    seconds: f64,
}

impl Pace {
    /// Adds portions. All of them count, not only the last one: the last is the one that time ran
    /// out in, and long games are more likely to be that.
    fn add(&mut self, other: Self) {
        if other.portion > self.portion {
            *self = other;
        } else if other.portion == self.portion {
            self.games += other.games;
            self.seconds += other.seconds;
        }
    }

    pub(crate) fn seconds_per_game(&self) -> f64 {
        self.seconds / self.games.max(1) as f64
    }
}

/// Some games of a sample.
pub(crate) struct Played {
    /// The games.
    pub tally: Tally,
    next: u64,
    pub pace: Pace,
    /// The time of all portions, and the work in it, in seconds.
    took: [f64; 2],
}

/// Plays games from `first` on until they have taken so long or so many are won: a portion of this
/// size at least, and then larger ones up to a batch.
pub(crate) fn play(
    job: &dyn Job,
    first: u64,
    games_max: u64,
    wins_max: u64,
    portion: u64,
    time: Duration,
) -> Played {
    let start = Instant::now();
    let mut played = Played {
        tally: Tally::new(job.measures()),
        next: first,
        pace: Pace::default(),
        took: [0.0; 2],
    };
    let lanes = job.sampling().lanes();
    let mut portion = portion.max(1);
    let goes_on = |played: &Played| start.elapsed() < time && played.tally.wins < wins_max;
    while played.next < games_max && (played.next == first || goes_on(&played)) {
        // Whole trajectories.
        let games = portion.next_multiple_of(lanes);
        let end = played.next.saturating_add(games).min(games_max);
        let games = end - played.next;
        let begun = Instant::now();
        let work = Work::begin();
        job.play(played.next..end, &mut played.tally, None);
        let seconds = work.done().as_secs_f64();
        let took = begun.elapsed();
        played.took[0] += took.as_secs_f64();
        played.took[1] += seconds;
        played.pace.add(Pace {
            portion: games,
            games,
            seconds,
        });
        played.next = end;
        // A portion of twice the size has to end in time, too.
        if took < time / 2 {
            portion = (portion * 2).min(job.batch_games().max(1));
        }
    }
    played
}

/// Seconds of work that a job takes before its first game: it makes what all of its games need,
/// such as the levels of splitting.
fn set_up(job: &dyn Job) -> f64 {
    let work = Work::begin();
    job.play(0..0, &mut Tally::new(job.measures()), None);
    work.done().as_secs_f64()
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

    /// 2,000 made-up runs of cells whose costs differ by three powers of ten, known from 1 to 1,000
    /// games each, on machines that are faster or slower than when they were calibrated.
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
            let part = |cell: u64| Part {
                seconds: estimate(cell),
                error: estimate(cell) / measured(cell).sqrt(),
                batch: 0.0,
            };
            let parts: Vec<Part> = (0..cells).map(part).collect();
            let (_, [lo, hi]) = range(&parts, parts.len(), 2, 1.0);
            let speed = (SYSTEMATIC * normal(number(99, 3))).exp();
            let took = (0..cells).map(cost).sum::<f64>() * speed / 2.0 + BESIDE_S;
            inside += usize::from((lo..=hi).contains(&took));
        }
        assert!((1540..=1760).contains(&inside), "{inside} of 2000");
    }

    /// Long games end more often when time runs out; they must not count for more.
    #[test]
    fn a_pace_is_that_of_all_of_the_largest_portions() {
        let mut pace = Pace::default();
        for (portion, seconds) in [(1, 9.0), (2, 3.0), (2, 1.0), (1, 9.0)] {
            pace.add(Pace {
                portion,
                games: portion,
                seconds,
            });
        }
        assert_eq!(pace.seconds_per_game(), 1.0);
    }

    #[test]
    fn a_short_run_is_calibrated_shortly() {
        for (run_s, seconds) in [(0.0, 0.3), (11.0, 1.1), (60.0, 6.0), (1e9, 6.0)] {
            assert_eq!(calibration(run_s).as_secs_f64(), seconds);
        }
    }

    #[test]
    fn what_was_not_sampled_and_long_batches_widen_the_range() {
        let part = |seconds: f64, batch: f64| Part {
            seconds,
            error: 0.0,
            batch,
        };
        let width = |parts: &[Part], cells: usize| {
            let (run, [lo, hi]) = range(parts, cells, 2, 1.0);
            assert!(lo < run && run < hi);
            (hi - lo) / run
        };
        let equal = [part(100.0, 0.0), part(100.0, 0.0)];
        let unequal = [part(10.0, 0.0), part(190.0, 0.0)];
        assert_eq!(width(&equal, 2), width(&unequal, 2));
        assert!(width(&unequal, 20) > 1.5 * width(&equal, 20));
        assert!(width(&[part(100.0, 40.0)], 1) > 1.5 * width(&[part(100.0, 0.0)], 1));
    }

    /// On a machine that other programs use, a run may be left alone later.
    #[test]
    fn a_busy_machine_widens_the_range_upwards() {
        let parts = [Part {
            seconds: 100.0,
            error: 0.0,
            batch: 0.0,
        }];
        let (quiet, [lo, hi]) = range(&parts, 1, 2, 1.0);
        let (busy, [busy_lo, busy_hi]) = range(&parts, 1, 2, 3.0);
        assert_eq!(lo, busy_lo);
        assert!(busy > 2.9 * quiet && busy_hi > 2.9 * hi, "{busy} {busy_hi}");
    }
}
