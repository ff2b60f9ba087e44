//! Which batch is played next, and what is known of each cell.
//!
//! A cell is played in *stages* ([`super::stages`]). Batches of the current stages of cells already
//! begun come first, then new cells are begun. When the current stages of all cells have been
//! handed out, later stages of undecided cells are played ahead, the nearest first, so that no
//! thread is idle while any cell may need games. A cell is decided only when a stage is complete,
//! from the games up to its end, so the decision does not depend on the order of play. Games played
//! ahead that turn out not to be needed are dropped.
//!
//! Failures do not depend on the order of play either. A failed game counts only when all games
//! before it have been played and have not ended the cell, so the error reported is that of the
//! first failing game.

use super::ranges::Ranges;
use super::records::{Records, Sink};
use super::restore::restore;
use super::stages::Stages;
use super::state::{CellState, Header, PlanSource, Stage, State, Stopped};
use super::{Options, panic_text};
use crate::game::{Job, KernelChoice, Outcome, Tally};
use crate::plan::Plan;
use std::collections::VecDeque;
use std::ops::Range;
use std::panic::catch_unwind;
use std::sync::Arc;
use std::time::Duration;

/// The longest that a batch should take, so that an interruption or a kill loses few games.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// The first batches of a cell are this many times smaller than its largest, since its speed is
/// still unknown.
const FIRST_BATCH_SHARE: u64 = 8;

/// Some games of one cell, to be played by one thread.
pub struct Batch {
    /// Index of the cell in the plan.
    pub cell: usize,
    stage: usize,
    games: Range<u64>,
    job: Arc<dyn Job>,
    sink: Option<Arc<dyn Sink>>,
}

impl Batch {
    /// Plays the games.
    #[must_use]
    pub fn play(&self) -> Tally {
        let mut tally = Tally::new(self.job.measures());
        match &self.sink {
            None => self.job.play(self.games.clone(), &mut tally),
            Some(sink) => {
                let mut records = Records::new(self.games.clone(), self.job.measures().len());
                let mut put = |game: u64, outcome: &Outcome| records.put(game, outcome);
                self.job.play_each(self.games.clone(), &mut tally, Some(&mut put));
                sink.keep(self.cell, &records);
            }
        }
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
    /// The threads' time on a processor for the games of this run.
    pub work_now: Duration,
    /// The most games this run's part of the cell will have.
    pub games_max: u64,
    /// Whether the cell is done.
    pub done: bool,
}

enum Phase {
    Waiting,
    Playing(Box<Playing>),
    Done(Arc<CellState>),
}

/// A cell being played.
struct Playing {
    job: Arc<dyn Job>,
    /// Sum of the completed stages.
    total: Tally,
    /// Number of completed stages.
    stages_done: usize,
    /// The current stage and those being played ahead.
    open: VecDeque<OpenStage>,
    /// The first game of the earliest batch that failed, and how.
    failure: Option<(u64, String)>,
    /// Games played in this run, and the time that took.
    pace: (u64, Duration),
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

impl Playing {
    /// Games for the next batch, in whole trajectories: what [`BATCH_TIME`] allows at the pace so
    /// far.
    fn batch_games(&self) -> u64 {
        let most = self.job.batch_games().max(1);
        let lanes = self.job.lanes();
        let games = match self.pace {
            (0, _) => (most / FIRST_BATCH_SHARE).max(1),
            (games, time) => {
                let fit = BATCH_TIME.as_secs_f64() / (time.as_secs_f64() / games as f64).max(1e-12);
                (fit as u64).clamp(1, most)
            }
        };
        (games / lanes).max(1) * lanes
    }

    /// Whether all games before the failed batch are in, and the cell goes on to it.
    fn has_reached_failure(&self) -> bool {
        match (&self.failure, self.open.front()) {
            (Some((at, _)), Some(stage)) => {
                stage.whole.contains(at) && stage.done.missing_from(stage.whole.start..*at).is_empty()
            }
            _ => false,
        }
    }
}

/// The schedule of one run.
pub struct Schedule<'p> {
    plan: &'p Plan,
    header: Header,
    source: Arc<PlanSource>,
    kernel: KernelChoice,
    /// Who keeps the outcomes of single games.
    sink: Option<Arc<dyn Sink>>,
    stages: Vec<Stages>,
    phases: Vec<Phase>,
    progress: Vec<CellProgress>,
    /// Cells being played, in the order in which they were begun.
    playing: Vec<usize>,
    /// The first cell that may still be waiting.
    waiting: usize,
    /// Number of cells that are not done.
    undone: usize,
    /// Whether a cell has failed in this run.
    has_failed: bool,
}

impl<'p> Schedule<'p> {
    /// Starts a plan, or continues from a saved state of the same plan and shard. Cells that failed
    /// before are tried again.
    ///
    /// # Errors
    /// Names the cell whose saved numbers contradict each other or the plan, and says how.
    pub fn new(plan: &'p Plan, options: &Options, saved: Option<State>) -> Result<Self, String> {
        let stages = Stages::of(plan, options.shard);
        let mut schedule = Self {
            plan,
            header: Header::new(plan, options.shard),
            source: Arc::new(PlanSource::of(plan)),
            kernel: options.kernel,
            sink: None,
            phases: stages.iter().map(|_| Phase::Waiting).collect(),
            progress: stages
                .iter()
                .map(|stages| CellProgress { games_max: stages.games_max(), ..CellProgress::default() })
                .collect(),
            playing: Vec::new(),
            waiting: 0,
            undone: stages.len(),
            has_failed: false,
            stages,
        };
        let mut saved = saved.map(|state| state.cells.into_iter());
        for index in 0..plan.cells.len() {
            let state = saved.as_mut().and_then(Iterator::next).flatten();
            let state = state.filter(|state| state.stopped != Some(Stopped::Failed));
            schedule.continue_cell(index, state)?;
        }
        Ok(schedule)
    }

    fn continue_cell(&mut self, index: usize, saved: Option<Arc<CellState>>) -> Result<(), String> {
        let cell = &self.plan.cells[index];
        if self.stages[index].count() == 0 {
            self.finish(index, CellState::elsewhere());
            return Ok(());
        }
        let Some(state) = saved else { return Ok(()) };
        let restored = restore(&state, &self.stages[index], cell.game.measures);
        let restored = restored.map_err(|error| format!("the cell {}: {error}", cell.key()))?;
        self.progress[index].games = state.games();
        if state.stopped.is_some() {
            self.progress[index].done = true;
            self.undone -= 1;
            self.phases[index] = Phase::Done(state);
            return Ok(());
        }
        let stages_done = state.stages_done as usize;
        let mut open = VecDeque::new();
        for (number, (done, tally)) in restored.open.into_iter().enumerate() {
            let whole = self.stages[index].games(stages_done + number).expect("the number of stages was checked");
            open.push_back(OpenStage { todo: done.missing_from(whole.clone()), done, tally, whole });
        }
        self.begin(index, restored.total, stages_done, open);
        Ok(())
    }

    /// Has the outcomes of single games kept from now on.
    pub fn keep_games(&mut self, sink: Arc<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// What the run is, as it stands in its state.
    #[must_use]
    pub const fn header(&self) -> &Header {
        &self.header
    }

    /// Whether every cell is done.
    #[must_use]
    pub const fn is_done(&self) -> bool {
        self.undone == 0
    }

    /// Whether a cell has failed in this run.
    #[must_use]
    pub const fn has_failed(&self) -> bool {
        self.has_failed
    }

    /// How far each cell is.
    #[must_use]
    pub fn progress(&self) -> Vec<CellProgress> {
        self.progress.clone()
    }

    /// The next batch to play; `None` when everything that can be played is being played.
    pub fn next_batch(&mut self) -> Option<Batch> {
        if let Some(batch) = self.batch_ahead(0) {
            return Some(batch);
        }
        while self.waiting < self.phases.len() {
            let cell = self.waiting;
            self.waiting += 1;
            if matches!(self.phases[cell], Phase::Waiting) {
                self.begin(cell, Tally::new(self.plan.cells[cell].game.measures), 0, VecDeque::new());
                if let Some(batch) = self.batch_of(cell, 0) {
                    return Some(batch);
                }
            }
        }
        let furthest = self.playing.iter().map(|&cell| self.stages[cell].count()).max().unwrap_or(0);
        (1..furthest).find_map(|ahead| self.batch_ahead(ahead))
    }

    /// A batch of the stage that lies this far ahead of the current one, from the first cell that
    /// has one.
    fn batch_ahead(&mut self, ahead: usize) -> Option<Batch> {
        (0..self.playing.len()).find_map(|at| self.batch_of(self.playing[at], ahead))
    }

    fn batch_of(&mut self, cell: usize, ahead: usize) -> Option<Batch> {
        let Phase::Playing(playing) = &mut self.phases[cell] else { return None };
        let stage = playing.stages_done + ahead;
        while playing.open.len() <= ahead {
            let whole = self.stages[cell].games(playing.stages_done + playing.open.len())?;
            playing.open.push_back(OpenStage::new(whole, playing.job.as_ref()));
        }
        let most = playing.batch_games();
        let todo = &mut playing.open[ahead].todo;
        // Games after a failed one cannot be needed: the cell ends before it or fails with it.
        let most = match (&playing.failure, todo.first()) {
            (Some((at, _)), Some(first)) => most.min(at.saturating_sub(first)),
            _ => most,
        };
        let games = todo.take(most)?;
        Some(Batch { cell, stage, games, job: Arc::clone(&playing.job), sink: self.sink.clone() })
    }

    /// Starts playing a cell with what is known of it.
    fn begin(&mut self, cell: usize, total: Tally, stages_done: usize, open: VecDeque<OpenStage>) {
        // Building a job runs the game's own code; its panic must not end the run.
        let built = catch_unwind(|| self.plan.cells[cell].job(self.plan.seed, self.kernel));
        let job: Arc<dyn Job> = match built {
            Ok(Ok(job)) => job.into(),
            Ok(Err(error)) => return self.fail(cell, error.to_string()),
            Err(panic) => return self.fail(cell, panic_text(panic.as_ref())),
        };
        let pace = (0, Duration::ZERO);
        self.phases[cell] = Phase::Playing(Box::new(Playing { job, total, stages_done, open, failure: None, pace }));
        self.playing.push(cell);
        self.decide(cell);
    }

    /// Takes in a batch: its games or its error, the time that it took, and its time on a
    /// processor.
    pub fn complete(&mut self, batch: &Batch, played: Result<Tally, String>, time: Duration, work: Duration) {
        // A batch played ahead for a cell that has ended since then is not needed.
        let Phase::Playing(playing) = &mut self.phases[batch.cell] else { return };
        match played {
            Ok(tally) => {
                let progress = &mut self.progress[batch.cell];
                progress.games += tally.games;
                progress.games_now += tally.games;
                progress.turns_now += u64::try_from(tally.moves_sum).unwrap_or(u64::MAX);
                progress.work_now += work;
                playing.pace = (playing.pace.0 + tally.games, playing.pace.1 + time);
                let stage = &mut playing.open[batch.stage - playing.stages_done];
                stage.done.insert(batch.games.clone());
                stage.tally.merge(&tally);
            }
            Err(error) => {
                let at = batch.games.start;
                if playing.failure.as_ref().is_none_or(|(earliest, _)| at < *earliest) {
                    playing.failure = Some((at, error));
                }
            }
        }
        self.decide(batch.cell);
    }

    /// Closes the complete stages of a cell, and the cell after its last stage or by its rule.
    fn decide(&mut self, cell: usize) {
        let Phase::Playing(playing) = &mut self.phases[cell] else { return };
        while playing.open.front().is_some_and(OpenStage::is_complete) {
            let stage = playing.open.pop_front().expect("there is a front");
            playing.total.merge(&stage.tally);
            playing.stages_done += 1;
            if let Some(stopped) = self.stages[cell].decide(playing.stages_done, &playing.total) {
                let state = CellState::done(&playing.total, playing.stages_done as u64, stopped);
                return self.finish(cell, state);
            }
        }
        if playing.has_reached_failure() {
            let (_, error) = playing.failure.take().expect("a failure was reached");
            self.fail(cell, error);
        }
    }

    /// Records that a cell cannot be played to its end.
    fn fail(&mut self, cell: usize, error: String) {
        self.has_failed = true;
        self.finish(cell, CellState::failed(error));
    }

    fn finish(&mut self, cell: usize, state: CellState) {
        self.progress[cell].games = state.games();
        self.progress[cell].done = true;
        self.undone -= 1;
        self.phases[cell] = Phase::Done(Arc::new(state));
        self.playing.retain(|&playing| playing != cell);
    }

    /// Everything that is known, to be saved.
    #[must_use]
    pub fn state(&self) -> State {
        let of_cell = |phase: &Phase| match phase {
            Phase::Waiting => None,
            Phase::Done(state) => Some(Arc::clone(state)),
            Phase::Playing(playing) => {
                let open = playing.open.iter();
                let open = open.map(|stage| Stage { done: stage.done.pairs(), tally: stage.tally.save() }).collect();
                Some(Arc::new(CellState::playing(&playing.total, playing.stages_done as u64, open)))
            }
        };
        State {
            header: self.header.clone(),
            source: Arc::clone(&self.source),
            cells: self.phases.iter().map(of_cell).collect(),
        }
    }
}
