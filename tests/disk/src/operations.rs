//! What processes do with the files of a world.

use super::disk;
use super::model::{Model, TRAININGS, load};
use super::mounted::ROOT;
use super::{SHARDS, below, is_one_in};
use std::collections::HashMap;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;
use tilelab_games::game::{KernelChoice, Tally};
use tilelab_games::rng::Stream;
use tilelab_lab::plan::Plan;
use tilelab_lab::results::merge::Parts;
use tilelab_lab::results::status::Status;
use tilelab_lab::results::{Error, Finished, Folder, Run, RunOptions, derived, store, write};
use tilelab_lab::runner::schedule::{Batch, Schedule};
use tilelab_lab::runner::state::RunState;
use tilelab_lab::runner::{self, Progress, Shard};
use tilelab_learn::saved::Saved;
use tilelab_output::atomic;
use tilelab_report::cells::Cells;

/// Games of a training.
const LEARNED: u64 = 400;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    Run(Shard),
    /// Starts the run over.
    Fresh,
    Merge,
    Report,
    Export,
    Status,
    Learn,
}

impl Operation {
    /// One of the operations that may happen at any time.
    pub fn drawn(draw: &mut Stream) -> Self {
        let shard = |index| Shard {
            index,
            count: SHARDS,
        };
        match below(draw, 18) {
            0..=6 => Self::Run(Shard::WHOLE),
            7 | 8 => Self::Run(shard(1)),
            9 | 10 => Self::Run(shard(2)),
            11 | 12 => Self::Merge,
            13 => Self::Report,
            14 => Self::Export,
            15 => Self::Status,
            16 => Self::Learn,
            _ if is_one_in(draw, 2) => Self::Fresh,
            _ => Self::Run(Shard::WHOLE),
        }
    }

    /// Whether the operation reads the rows as they are.
    pub const fn reads_rows(self) -> bool {
        matches!(self, Self::Report | Self::Export | Self::Status)
    }

    /// Whether the operation ends with rows of the last state.
    pub fn makes_rows(self) -> bool {
        matches!(self, Self::Run(Shard::WHOLE) | Self::Fresh | Self::Merge)
    }
}

/// How the shard of a plan is played.
pub fn options(shard: Shard) -> RunOptions {
    RunOptions {
        runner: runner::RunnerOptions {
            threads: 1,
            kernel: KernelChoice::Auto,
            shard,
            fail_fast: false,
            save_every: Duration::MAX,
        },
        out: ROOT.into(),
        fresh: false,
        command: "simulated".to_owned(),
    }
}

/// The games of a batch; games that were played before are not played again, unless the outcome of
/// each is to be kept.
pub fn played(plan: &Plan, batch: &Batch, are_kept: bool) -> Tally {
    type Games = (String, u64, u64);
    static PLAYED: LazyLock<Mutex<HashMap<Games, Tally>>> = LazyLock::new(Mutex::default);
    if are_kept {
        return batch.play();
    }
    let games = batch.games();
    let key = (plan.cells[batch.cell].key(), games.start, games.end);
    let known = PLAYED.lock().expect("no game panics").get(&key).cloned();
    known.unwrap_or_else(|| {
        let tally = batch.play();
        PLAYED
            .lock()
            .expect("no game panics")
            .insert(key, tally.clone());
        tally
    })
}

/// An operation on a plan's files.
pub struct Ran {
    pub plan: Arc<Plan>,
    pub draw: Stream,
    pub operation: Operation,
    /// Writes the files made from the rows.
    pub derive: derived::Write,
    /// Whether no other process uses the disk.
    pub is_alone: bool,
}

impl Ran {
    /// Does the operation, and tells the model what is saved.
    pub fn run(&mut self, model: &Mutex<Model>) -> Result<(), Error> {
        let folder = Folder::of(&self.plan, Shard::WHOLE, Path::new(ROOT));
        match self.operation {
            Operation::Run(shard) => self.play(shard, false, model),
            Operation::Fresh => self.play(Shard::WHOLE, true, model),
            Operation::Merge => self.merge(&folder, model),
            Operation::Report => {
                let (_lock, results) = derived::open(&folder)?;
                (self.derive)(&folder, &results).map(drop)
            }
            Operation::Export => {
                let cells = Cells::read_cells(&folder.0.join("cells.csv")).map_err(Error::Csv)?;
                let path = Path::new(ROOT).join("cells.json");
                let text = cells.records().count().to_string();
                atomic::write(&path, text.as_bytes()).map_err(|error| Error::Write { path, error })
            }
            Operation::Status => Status::read(&folder.0).map(drop),
            Operation::Learn => self.learn(model),
        }
    }

    fn play(&mut self, shard: Shard, fresh: bool, model: &Mutex<Model>) -> Result<(), Error> {
        let plan = Arc::clone(&self.plan);
        let derive = self.derive;
        let folder = Folder::of(&plan, shard, Path::new(ROOT));
        let mut options = options(shard);
        options.fresh = fresh;
        let interrupted = AtomicBool::new(false);
        let forget = || {
            if fresh {
                model.lock().expect("no operation panics").forget(&folder.0);
            }
        };
        forget();
        let run = Run::prepare(&plan, &options);
        // Another run may have saved games before this one had the folder to itself.
        if !matches!(run, Err(Error::Busy(_))) {
            forget();
        }
        let run = run?;
        let by = |schedule: Schedule<'_>,
                  _: &runner::RunnerOptions,
                  interrupted: &AtomicBool,
                  observer: &dyn runner::RunnerObserver| {
            let save = |state: &RunState, schedule: &Schedule<'_>| {
                observer.save(state, &schedule.progress());
                if !disk::is_down() {
                    model
                        .lock()
                        .expect("no operation panics")
                        .save(&folder.0, state);
                }
            };
            Ok(self.play_batches(schedule, interrupted, observer, &save))
        };
        let finished: Finished = run.play_by(&interrupted, &(), by, derive)?;
        drop(finished);
        Ok(())
    }

    /// Plays batches in an order that is drawn, saves now and then, and is interrupted sometimes.
    fn play_batches(
        &mut self,
        mut schedule: Schedule<'_>,
        interrupted: &AtomicBool,
        observer: &dyn runner::RunnerObserver,
        save: &dyn Fn(&RunState, &Schedule<'_>),
    ) -> RunState {
        let draw = &mut self.draw;
        let are_kept = self.plan.per_game.is_some();
        let ends_early = is_one_in(draw, 3);
        for second in 0.. {
            let mut batches: Vec<Batch> = Vec::new();
            while batches.len() <= below(draw, 3)
                && let Some(batch) = schedule.next_batch()
            {
                batches.push(batch);
            }
            if batches.is_empty() || disk::is_down() {
                break;
            }
            if ends_early && is_one_in(draw, 4) {
                interrupted.store(true, Ordering::Relaxed);
                break;
            }
            while !batches.is_empty() {
                let batch = batches.swap_remove(below(draw, batches.len()));
                let time = Duration::from_micros(batch.games().end - batch.games().start);
                let tally = played(&self.plan, &batch, are_kept);
                schedule.complete(&batch, Ok(tally), time, time);
            }
            if is_one_in(draw, 8) {
                observer.progress(&Progress {
                    elapsed: Duration::from_secs(second),
                    cells: &schedule.progress(),
                });
            }
            if is_one_in(draw, 6) {
                save(&schedule.state(), &schedule);
            }
        }
        let state = schedule.state();
        save(&state, &schedule);
        state
    }

    /// Merges the parts, where all are there.
    fn merge(&self, folder: &Folder, model: &Mutex<Model>) -> Result<(), Error> {
        let mut all = Parts::new(usize::MAX);
        for index in 1..=SHARDS {
            let count = SHARDS;
            let part = Folder::of(&self.plan, Shard { index, count }, Path::new(ROOT));
            if let Some(found) = store::load_last_good(&part)? {
                all.add(part.0, found.file, found.state);
            }
        }
        let shards = all.arrange()?;
        let mut plan = shards.plan()?;
        plan.per_game = shards.per_game()?.map(|(format, _)| format);
        let state = shards.merge(&plan)?;
        write(&plan, state, Path::new(ROOT), &shards.folders(), 1)?;
        // Another process may have saved since then.
        if self.is_alone {
            let saved = store::load(&folder.state())?;
            model
                .lock()
                .expect("no operation panics")
                .save(&folder.0, &saved);
        }
        Ok(())
    }

    /// Learns some games of a training, and saves them now and then.
    fn learn(&mut self, model: &Mutex<Model>) -> Result<(), Error> {
        let wrong = |error: tilelab_learn::Error| Error::Csv(error.to_string());
        let folder = Folder(Path::new(ROOT).join(TRAININGS));
        let _lock = folder.hold()?;
        let path = folder.0.join("67.state");
        let (saved, mut learner) = load(&path).map_err(wrong)?;
        let params = &self.plan.cells[0].params;
        let mut saved = saved.unwrap_or_else(|| Saved::new("67", params, 67, None));
        for _ in 0..1 + below(&mut self.draw, 3) {
            let games = saved.games..saved.games + 1 + below(&mut self.draw, 40) as u64;
            let played = tilelab_games::game::learner::Learner::play(&mut learner, games, LEARNED);
            saved.add(played, LEARNED);
            saved.save(&path, &learner).map_err(wrong)?;
            model
                .lock()
                .expect("no operation panics")
                .train(&path, saved.games);
        }
        Ok(())
    }
}
