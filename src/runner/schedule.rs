//! Which batch is played next, and what is known of each cell.
//!
//! A cell is played in *stages*: the games up to its first look, from there to its second, and so on; a cell with a fixed
//! number of games has one stage. Batches of the current stage are handed out first; when every cell's current
//! stage has been handed out, the next stage of an undecided cell is begun on suspicion, so that no thread is idle. A decision is
//! taken only when a stage is complete, from the games up to its end, so it does not depend on who played what when.

use super::Options;
use super::ranges::Ranges;
use super::state::{CellState, Header, Stage, State, Stopped};
use crate::game::{Job, KernelChoice, Tally};
use crate::plan::{Cell, Plan};
use crate::stats::Rule;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;

/// Some games of one cell, to be played by one thread.
pub struct Batch {
    /// Index of the cell in the plan.
    pub cell: usize,
    stage: u64,
    games: Range<u64>,
    job: Arc<dyn Job>,
}

impl Batch {
    /// Plays the games.
    #[must_use]
    pub fn play(&self) -> Tally {
        let mut tally = Tally::new(self.job.measures());
        self.job.play(self.games.clone(), &mut tally);
        tally
    }
}

/// How far a cell is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct CellProgress {
    /// Games played, in this run and before.
    pub games: u64,
    /// Games played in this run.
    pub games_now: u64,
    /// Moves made in this run.
    pub turns_now: u64,
    /// The most games this run's part of the cell will have.
    pub games_max: u64,
    /// Whether the cell is done.
    pub done: bool,
}

enum Phase {
    Waiting,
    Playing(Box<Playing>),
    Done(Box<CellState>),
}

/// A cell being played.
struct Playing {
    job: Arc<dyn Job>,
    /// Sum of the completed stages.
    total: Tally,
    /// Number of completed stages.
    stages_done: u64,
    /// The current stage and, perhaps, the next.
    stages: VecDeque<OpenStage>,
}

struct OpenStage {
    whole: Range<u64>,
    todo: Ranges,
    done: Ranges,
    tally: Tally,
}

impl OpenStage {
    fn new(whole: Range<u64>, job: &dyn Job) -> Self {
        Self { todo: Ranges::one(whole.clone()), done: Ranges::default(), tally: Tally::new(job.measures()), whole }
    }

    fn is_complete(&self) -> bool {
        self.done.count() == self.whole.end - self.whole.start
    }
}

/// The schedule of one run.
pub struct Schedule<'p> {
    plan: &'p Plan,
    kernel: KernelChoice,
    rules: Vec<Option<Rule>>,
    /// For each cell, where its stages end; the first starts at `starts`.
    looks: Vec<Vec<u64>>,
    starts: Vec<u64>,
    phases: Vec<Phase>,
    progress: Vec<CellProgress>,
    /// Cells being played, in the order of the plan.
    playing: Vec<usize>,
    /// The first cell that may still be waiting.
    waiting: usize,
}

impl<'p> Schedule<'p> {
    /// Starts a plan, or continues from a saved state of the same plan and shard.
    #[must_use]
    pub fn new(plan: &'p Plan, options: &Options, saved: Option<State>) -> Self {
        let mut schedule = Self {
            plan,
            kernel: options.kernel,
            rules: Vec::new(),
            looks: Vec::new(),
            starts: Vec::new(),
            phases: Vec::new(),
            progress: Vec::new(),
            playing: Vec::new(),
            waiting: 0,
        };
        let mut saved = saved.map(|state| state.cells.into_iter());
        let mut adaptive = 0;
        for (index, cell) in plan.cells.iter().enumerate() {
            let rule = rule(plan, cell);
            let (start, looks) = stages(cell, rule.as_ref(), options, &mut adaptive);
            schedule.rules.push(rule);
            let games_max = looks.last().map_or(0, |end| end - start);
            schedule.progress.push(CellProgress { games_max, ..CellProgress::default() });
            schedule.starts.push(start);
            schedule.looks.push(looks);
            schedule.phases.push(Phase::Waiting);
            let state = saved.as_mut().and_then(Iterator::next).flatten();
            schedule.continue_cell(index, state);
        }
        schedule
    }

    fn continue_cell(&mut self, index: usize, saved: Option<CellState>) {
        let progress = &mut self.progress[index];
        match saved {
            Some(state) if state.stopped.is_some() => {
                progress.games = state.games();
                progress.done = true;
                self.phases[index] = Phase::Done(Box::new(state));
            }
            Some(state) => {
                progress.games = state.games();
                self.begin(index, Some(&state));
            }
            None if self.looks[index].is_empty() || self.starts[index] == self.looks[index][0] => {
                // Nothing of this cell is in this shard.
                self.phases[index] = Phase::Done(Box::new(CellState::elsewhere()));
                progress.done = true;
            }
            None => {}
        }
    }

    /// Whether every cell is done.
    #[must_use]
    pub fn is_done(&self) -> bool {
        self.progress.iter().all(|cell| cell.done)
    }

    /// How far each cell is.
    #[must_use]
    pub fn progress(&self) -> Vec<CellProgress> {
        self.progress.clone()
    }

    /// The next batch to play; `None` when everything that can be played is being played.
    pub fn next_batch(&mut self) -> Option<Batch> {
        if let Some(batch) = self.playing.clone().into_iter().find_map(|cell| self.batch_of(cell, 0)) {
            return Some(batch);
        }
        while self.waiting < self.phases.len() {
            let cell = self.waiting;
            self.waiting += 1;
            if matches!(self.phases[cell], Phase::Waiting) {
                self.begin(cell, None);
                if let Some(batch) = self.batch_of(cell, 0) {
                    return Some(batch);
                }
            }
        }
        self.playing.clone().into_iter().find_map(|cell| self.batch_of(cell, 1))
    }

    /// A batch of a cell's current stage (`ahead` 0) or of the one after it (`ahead` 1).
    fn batch_of(&mut self, cell: usize, ahead: usize) -> Option<Batch> {
        let Phase::Playing(playing) = &mut self.phases[cell] else { return None };
        let stage = playing.stages_done + ahead as u64;
        let looks = &self.looks[cell];
        if playing.stages.len() == ahead {
            let start = looks[(stage - 1) as usize];
            let end = *looks.get(stage as usize)?;
            playing.stages.push_back(OpenStage::new(start..end, playing.job.as_ref()));
        }
        let games = playing.stages.get_mut(ahead)?.todo.take(playing.job.batch_games())?;
        Some(Batch { cell, stage, games, job: Arc::clone(&playing.job) })
    }

    /// Starts playing a cell, from the beginning or from its saved state.
    fn begin(&mut self, cell: usize, saved: Option<&CellState>) {
        let job: Arc<dyn Job> = match self.plan.cells[cell].job(self.plan.seed, self.kernel) {
            Ok(job) => job.into(),
            Err(error) => return self.fail(cell, error.to_string()),
        };
        let restored = saved.map(|state| state.restore(job.measures()));
        let (total, stages_done, saved_stages) = match restored {
            Some(Ok(restored)) => restored,
            Some(Err(error)) => return self.fail(cell, format!("the saved state does not fit: {error}")),
            None => (Tally::new(job.measures()), 0, Vec::new()),
        };
        let looks = &self.looks[cell];
        let bounds = |stage: u64| {
            let start = if stage == 0 { self.starts[cell] } else { looks[stage as usize - 1] };
            start..looks[stage as usize]
        };
        let mut stages: VecDeque<OpenStage> = VecDeque::new();
        for (number, (done, tally)) in saved_stages.into_iter().enumerate() {
            let whole = bounds(stages_done + number as u64);
            stages.push_back(OpenStage { todo: done.missing_from(whole.clone()), done, tally, whole });
        }
        if stages.is_empty() {
            stages.push_back(OpenStage::new(bounds(stages_done), job.as_ref()));
        }
        self.phases[cell] = Phase::Playing(Box::new(Playing { job, total, stages_done, stages }));
        self.playing.push(cell);
        self.decide(cell);
    }

    /// Takes the games of a batch in.
    pub fn complete(&mut self, batch: &Batch, tally: &Tally) {
        let progress = &mut self.progress[batch.cell];
        progress.games += tally.games;
        progress.games_now += tally.games;
        progress.turns_now += tally.moves_sum as u64;
        // A batch played on suspicion for a cell that has been decided or has failed meanwhile is not needed.
        let Phase::Playing(playing) = &mut self.phases[batch.cell] else { return };
        let stage = &mut playing.stages[(batch.stage - playing.stages_done) as usize];
        stage.done.insert(batch.games.clone());
        stage.tally.merge(tally);
        self.decide(batch.cell);
    }

    /// Closes complete stages of a cell and, at its last or when its rule says so, the cell.
    fn decide(&mut self, cell: usize) {
        let Phase::Playing(playing) = &mut self.phases[cell] else { return };
        while playing.stages.front().is_some_and(OpenStage::is_complete) {
            let stage = playing.stages.pop_front().expect("there is a front");
            playing.total.merge(&stage.tally);
            let look = playing.stages_done;
            playing.stages_done += 1;
            let last = playing.stages_done == self.looks[cell].len() as u64;
            let stopped = match &self.rules[cell] {
                None => last.then_some(Stopped::Games),
                Some(rule) => rule.decide(look as usize, playing.total.wins, playing.total.games).map(Stopped::from),
            };
            if let Some(stopped) = stopped {
                let state = CellState::done(&playing.total, playing.stages_done, stopped);
                self.finish(cell, state);
                return;
            }
            if playing.stages.is_empty() {
                let whole = self.looks[cell][look as usize]..self.looks[cell][look as usize + 1];
                playing.stages.push_back(OpenStage::new(whole, playing.job.as_ref()));
            }
        }
    }

    /// Records that a cell cannot be played to its end.
    pub fn fail(&mut self, cell: usize, error: String) {
        if !self.progress[cell].done {
            self.finish(cell, CellState::failed(error));
        }
    }

    fn finish(&mut self, cell: usize, state: CellState) {
        self.progress[cell].games = state.games();
        self.progress[cell].done = true;
        self.phases[cell] = Phase::Done(Box::new(state));
        self.playing.retain(|&playing| playing != cell);
    }

    /// Everything that is known, to be saved.
    #[must_use]
    pub fn state(&self, header: &Header) -> State {
        let cells = self.phases.iter().map(|phase| match phase {
            Phase::Waiting => None,
            Phase::Done(state) => Some(CellState::clone(state)),
            Phase::Playing(playing) => Some(CellState::playing(
                &playing.total,
                playing.stages_done,
                playing
                    .stages
                    .iter()
                    .map(|stage| Stage { done: stage.done.pairs(), tally: stage.tally.save() })
                    .collect(),
            )),
        });
        State { header: header.clone(), cells: cells.collect() }
    }
}

/// The stopping rule of a cell, in the form that decides.
#[must_use]
pub fn rule(plan: &Plan, cell: &Cell) -> Option<Rule> {
    cell.stop.map(|stop| {
        Rule::new(stop.half_width, stop.relative, stop.max_games, plan.confidence)
            .expect("the experiment file's reader has checked the bounds")
    })
}

/// Where the stages of a cell start and end in this shard; no ends where nothing of it is in the shard.
fn stages(cell: &Cell, rule: Option<&Rule>, options: &Options, adaptive: &mut u64) -> (u64, Vec<u64>) {
    let shard = options.shard;
    if let Some(rule) = rule {
        let number = *adaptive;
        *adaptive += 1;
        let mine = number % shard.count == shard.index - 1;
        return (0, if mine { rule.looks().collect() } else { Vec::new() });
    }
    let bound = |part: u64| (u128::from(cell.games) * u128::from(part) / u128::from(shard.count)) as u64;
    (bound(shard.index - 1), vec![bound(shard.index)])
}
