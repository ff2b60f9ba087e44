//! The loop of a training: sets on threads, each a game at a time.

use super::saved::Saved;
use super::{Error, LearnObserver, LearningPoint, Training};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::mpsc::{self, RecvTimeoutError, Sender};
use std::time::Duration;
use tilelab_games::game::learner::Learner;
use tilelab_lab::plan::Cell;
use tilelab_lab::runner::clock::{Stopwatch, WorkClock};
use tilelab_lab::runner::progress::CellProgress;
use tilelab_lab::runner::{Progress, caught};
use tilelab_lab::weights::Learned;
use tilelab_output::atomic;
use tilelab_output::checksum::checksum;
use tilelab_output::locked;

/// How often the observer is told.
const TOLD_EVERY: Duration = Duration::from_millis(100);
/// How often a thread tells how far it is.
const TELLS_EVERY: Duration = Duration::from_millis(50);
/// How many times as long as a save of the state the learning between two saves takes, at least.
const SAVING_SHARE: u32 = 20;

/// Games that are played without learning at each point of a training of `of` games.
fn tests(of: u64) -> u64 {
    (of / 200).clamp(20, 1000)
}

/// How far a set came.
pub struct End {
    pub saved: Saved,
    /// What the weights of the set are; `None` where the set was interrupted.
    pub learned: Option<Learned>,
}

/// What the threads share.
struct Shared<'a> {
    training: &'a Training<'a>,
    interrupted: &'a AtomicBool,
    /// Set when a thread has failed.
    stopped: AtomicBool,
    next: AtomicUsize,
    /// How long a set may be learned.
    time: Option<Duration>,
    before: Vec<Mutex<Option<Saved>>>,
    progress: Mutex<Vec<CellProgress>>,
}

impl Shared<'_> {
    fn is_stopped(&self) -> bool {
        self.interrupted.load(Ordering::Relaxed) || self.stopped.load(Ordering::Relaxed)
    }
}

/// What a thread tells.
enum Message {
    Point(usize, LearningPoint),
    End(usize, Box<Result<End, Error>>),
}

/// Learns all sets; returns how far each came that was begun, and the time taken.
pub fn run(
    training: &Training<'_>,
    before: Vec<Option<Saved>>,
    interrupted: &AtomicBool,
    observer: &dyn LearnObserver,
) -> Result<(Vec<End>, Duration), Error> {
    let cells = &training.sets.cells;
    let of = training.options.games;
    let games = |saved: &Option<Saved>| saved.as_ref().map_or(0, |saved| saved.games);
    let left = before
        .iter()
        .filter(|saved| games(saved) < of)
        .count()
        .max(1);
    let threads = training.options.threads.min(cells.len()).max(1);
    let share = threads.min(left) as f64 / left as f64;
    let start = |saved| CellProgress {
        games: games(saved),
        games_max: of,
        ..CellProgress::default()
    };
    let shared = Shared {
        training,
        interrupted,
        stopped: AtomicBool::new(false),
        next: AtomicUsize::new(0),
        time: training.options.time.map(|time| time.mul_f64(share)),
        progress: Mutex::new(before.iter().map(start).collect()),
        before: before.into_iter().map(Mutex::new).collect(),
    };
    let begun = Stopwatch::start();
    let mut ends: Vec<_> = cells.iter().map(|_| None).collect();
    let mut failed = None;
    std::thread::scope(|scope| {
        let (tell, told) = mpsc::channel();
        for _ in 0..threads {
            let tell = tell.clone();
            let shared = &shared;
            let spawned =
                std::thread::Builder::new().spawn_scoped(scope, move || shared.work(&tell));
            if let Err(error) = spawned {
                shared.stopped.store(true, Ordering::Relaxed);
                failed = Some(Error::Threads { threads, error });
                break;
            }
        }
        drop(tell);
        let mut last = Stopwatch::start();
        let mut is_over = false;
        while !is_over {
            match told.recv_timeout(TOLD_EVERY) {
                Ok(Message::Point(set, point)) => observer.point(set, &point),
                Ok(Message::End(set, end)) => match *end {
                    Ok(end) => ends[set] = Some(end),
                    Err(error) => {
                        shared.stopped.store(true, Ordering::Relaxed);
                        failed = failed.take().or(Some(error));
                    }
                },
                Err(RecvTimeoutError::Timeout) => {}
                Err(RecvTimeoutError::Disconnected) => is_over = true,
            }
            if is_over || last.elapsed() >= TOLD_EVERY {
                last = Stopwatch::start();
                let cells = locked(&shared.progress).clone();
                observer.progress(&Progress {
                    elapsed: begun.elapsed(),
                    cells: &cells,
                });
            }
        }
    });
    failed.map_or_else(
        || Ok((ends.into_iter().flatten().collect(), begun.elapsed())),
        Err,
    )
}

impl Shared<'_> {
    /// Learns one set after the other until none is left.
    fn work(&self, tell: &Sender<Message>) {
        let cells = &self.training.sets.cells;
        while !self.is_stopped() {
            let set = self.next.fetch_add(1, Ordering::Relaxed);
            let Some(cell) = cells.get(set) else { return };
            let learned = caught(|| self.set(set, cell, tell));
            let end = learned.unwrap_or_else(|reason| {
                Err(Error::Failed {
                    set: cell.world_key(),
                    reason,
                })
            });
            // Nobody listens any more only where the process ends.
            let _ = tell.send(Message::End(set, Box::new(end)));
        }
    }

    /// Learns a set until it has its games, its time is over, or all are stopped.
    fn set(&self, set: usize, cell: &Cell, tell: &Sender<Message>) -> Result<End, Error> {
        let training = self.training;
        let path = training.state(cell);
        let mut learner = super::learner(cell, training.seed(cell))?;
        let before = locked(&self.before[set]).take();
        let mut saved = match before {
            Some(saved) => {
                saved.restore(&path, learner.as_mut())?;
                saved
            }
            None => {
                if let Some((_, starts)) = &training.from {
                    let damaged = |reason| Error::Failed {
                        set: cell.world_key(),
                        reason,
                    };
                    let weights = starts[set].weights()?;
                    learner.start_from(&weights).map_err(damaged)?;
                }
                let from = training.start_id();
                Saved::new(cell.game.name, &cell.params, training.sets.seed, from)
            }
        };
        let mut pace = SetReporter::new(self, set, &saved);
        let is_whole = self.learn(cell, &path, learner.as_mut(), &mut saved, &mut pace, tell)?;
        if pace.is_unsaved {
            saved.save(&path, learner.as_ref())?;
        }
        pace.tell(&saved, is_whole);
        if !is_whole {
            return Ok(End {
                saved,
                learned: None,
            });
        }
        let weights = learner.weights();
        let path = training.payload(cell);
        atomic::write(&path, &weights).map_err(|error| Error::Write { path, error })?;
        let learned = Learned {
            game: saved.game.clone(),
            rules: saved.rules.clone(),
            from: saved.from.clone(),
            games: saved.games,
            moves: saved.moves,
            schedule: saved.schedule.clone(),
            bytes: weights.len() as u64,
            crc32: checksum(&weights),
        };
        Ok(End {
            saved,
            learned: Some(learned),
        })
    }

    /// Plays games until the end of the training or of its time; `false` where it was stopped
    /// before.
    fn learn(
        &self,
        cell: &Cell,
        path: &std::path::Path,
        learner: &mut dyn Learner,
        saved: &mut Saved,
        pace: &mut SetReporter<'_>,
        tell: &Sender<Message>,
    ) -> Result<bool, Error> {
        let of = cell.games;
        loop {
            let is_over = self.time.is_some_and(|time| pace.begun.elapsed() >= time)
                && saved.games > pace.games_before;
            if saved.is_due(of, is_over) {
                pace.tell(saved, false);
                saved.seconds += pace.learning();
                let Some((tested, score)) = self.test(learner, tests(of)) else {
                    return Ok(false);
                };
                let point = LearningPoint {
                    games: saved.games,
                    moves: saved.moves,
                    seconds: saved.seconds,
                    learned: std::mem::take(&mut saved.since),
                    tested,
                    score,
                };
                let _ = tell.send(Message::Point(pace.set, point.clone()));
                saved.points.push(point);
                pace.is_unsaved = true;
                pace.learns = Stopwatch::start();
            }
            if saved.games >= of || is_over {
                return Ok(true);
            }
            if self.is_stopped() {
                saved.seconds += pace.learning();
                return Ok(false);
            }
            saved.add(learner.play(saved.games..saved.games + 1, of), of);
            pace.is_unsaved = true;
            if pace.told.elapsed() >= TELLS_EVERY {
                pace.tell(saved, false);
                if pace.is_save_due(self.training.options.save_every) {
                    saved.seconds += pace.learning();
                    let saving = Stopwatch::start();
                    saved.save(path, learner)?;
                    pace.saved(saving.elapsed());
                }
            }
        }
    }

    /// Plays games without learning: how many and how many were won, and the mean of their scores
    /// with its standard error. `None` where all are stopped before the end.
    fn test(&self, learner: &mut dyn Learner, games: u64) -> Option<((u64, u64), (f64, f64))> {
        let mut scores = Vec::new();
        let mut wins = 0;
        for game in 0..games {
            if self.is_stopped() {
                return None;
            }
            let played = learner.test(game..game + 1);
            wins += played.wins;
            scores.push(played.score);
        }
        let n = games as f64;
        let mean = scores.iter().sum::<f64>() / n;
        let squares: f64 = scores.iter().map(|score| (score - mean).powi(2)).sum();
        Some(((games, wins), (mean, (squares / n / (n - 1.0)).sqrt())))
    }
}

/// What a thread tells about its set, and when.
struct SetReporter<'a> {
    shared: &'a Shared<'a>,
    set: usize,
    games_before: u64,
    moves_before: u64,
    /// When the set was begun.
    begun: Stopwatch,
    /// Since when the set learns, tests and saves left out.
    learns: Stopwatch,
    told: Stopwatch,
    work: WorkClock,
    /// Games that were told.
    games: u64,
    saves: Stopwatch,
    /// The least time between two saves.
    save_every: Duration,
    is_unsaved: bool,
}

impl<'a> SetReporter<'a> {
    fn new(shared: &'a Shared<'a>, set: usize, saved: &Saved) -> Self {
        Self {
            shared,
            set,
            games_before: saved.games,
            moves_before: saved.moves,
            begun: Stopwatch::start(),
            learns: Stopwatch::start(),
            told: Stopwatch::start(),
            work: WorkClock::begin(),
            games: saved.games,
            saves: Stopwatch::start(),
            save_every: Duration::ZERO,
            is_unsaved: false,
        }
    }

    /// Takes the time of learning since the last call [s].
    fn learning(&mut self) -> f64 {
        let learned = self.learns.elapsed().as_secs_f64();
        self.learns = Stopwatch::start();
        learned
    }

    fn is_save_due(&self, every: Duration) -> bool {
        self.saves.elapsed() >= every.max(self.save_every)
    }

    /// Notes that the state was saved, and how long that took.
    fn saved(&mut self, took: Duration) {
        self.save_every = took * SAVING_SHARE;
        self.saves = Stopwatch::start();
        self.learns = Stopwatch::start();
        self.is_unsaved = false;
    }

    /// Tells how far the set is.
    fn tell(&mut self, saved: &Saved, is_done: bool) {
        let games = saved.games - self.games;
        let mut all = locked(&self.shared.progress);
        let told = &mut all[self.set];
        if games > 0 {
            told.pace.add(games, self.work.done());
            told.work_now += self.work.done();
            told.time_now += self.told.elapsed();
            self.work = WorkClock::begin();
            self.games = saved.games;
        }
        told.games = saved.games;
        told.games_now = saved.games - self.games_before;
        told.turns_now = saved.moves - self.moves_before;
        told.done = is_done;
        self.told = Stopwatch::start();
    }
}
