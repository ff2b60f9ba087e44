//! Which batch is played next, and what is known of each cell.
//!
//! A cell is played in *stages* ([`super::stages`]). A run begins with a pilot, which plays the
//! games that tell most about the work left ([`super::pace`]). Then batches of the current stages
//! of cells already begun come first, then new cells are begun. When the current stages of all
//! cells have been handed out, later stages of undecided cells are played ahead, the nearest first,
//! so that no thread is idle while any cell may need games. A cell is decided only when a stage is
//! complete, from the games up to its end, so the decision does not depend on the order of play.
//! Games played ahead that turn out not to be needed are dropped.
//!
//! Failures do not depend on the order of play either. A failed game counts only when all games
//! before it have been played and have not ended the cell, so the error reported is that of the
//! first failing game.

mod playing;

pub use playing::Batch;

use super::pace::CostGroups;
use super::progress::{CellProgress, Pace};
use super::ranges::Ranges;
use super::records::Sink;
use super::restore::{Restored, restore};
use super::stages::{ShardPlan, Stages};
use super::state::{CellState, Header, PlanSource, RunState, Segment, Step, Stopped};
use super::store::Store;
use super::{RunnerOptions, caught};
use crate::game::{Forfeit, KernelChoice, Tally};
use crate::plan::{Cell, Plan};
use crate::text::join;
use playing::{OpenStage, Playing};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

/// About how many cells are played before all others, to learn what their games cost.
const SAMPLES_MAX: usize = 64;
/// The batches of each cell that is played before all others: the first one also makes what the
/// cell needs once.
const SAMPLE_BATCHES: usize = 2;

enum Phase {
    Waiting,
    Playing(Box<Playing>),
    Done(Arc<CellState>),
}

/// What is known of a cell apart from its phase.
struct CellPlan {
    key: String,
    /// How the cell of a shard comes to its games.
    steps: Vec<Step>,
    /// The most games that a result has had.
    games_reported: u64,
}

impl CellPlan {
    /// The state of the cell with these games, while it goes on.
    fn state(&self, segments: Vec<Segment>) -> CellState {
        CellState {
            key: self.key.clone(),
            games_reported: self.games_reported,
            steps: self.steps.clone(),
            segments,
            ..CellState::default()
        }
    }
}

/// The games that are played first, to learn what the others cost.
struct FirstGames {
    groups: CostGroups,
    /// Cells of which batches are played.
    samples: Vec<usize>,
    /// Number of first batches of the samples that have been handed out.
    begun: usize,
}

/// The schedule of one run.
pub struct Schedule<'p> {
    plan: &'p Plan,
    header: Header,
    source: Arc<PlanSource>,
    kernel: KernelChoice,
    /// Whether a forfeited game is a failure, and the run ends at the first one.
    fail_fast: bool,
    /// Who keeps the outcomes of single games.
    sink: Option<Arc<dyn Sink>>,
    stages: Vec<Stages>,
    known: Vec<CellPlan>,
    phases: Vec<Phase>,
    progress: Vec<CellProgress>,
    /// Cells being played, in the order in which they were begun.
    playing: Vec<usize>,
    /// The first cell that may still be waiting.
    waiting: usize,
    /// The cells that are played first, to learn what their games cost.
    pilot: Option<FirstGames>,
    /// Number of cells that are not done.
    undone: usize,
    /// Whether a cell has failed in this run.
    has_failed: bool,
    /// Saved cells that the plan does not name.
    cells_not_in_plan: Vec<Arc<CellState>>,
}

impl<'p> Schedule<'p> {
    /// Starts a plan, or continues from a saved state with the same name, seed and shard, whatever
    /// its plan was. Cells that failed before are tried again.
    ///
    /// # Errors
    /// Names the cell whose saved numbers contradict each other.
    pub fn new(
        plan: &'p Plan,
        options: &RunnerOptions,
        saved: Option<RunState>,
    ) -> Result<Self, String> {
        let shard = options.shard;
        let mut schedule = Self {
            plan,
            header: Header::new(plan, shard),
            source: Arc::new(PlanSource::of(plan)),
            kernel: options.kernel,
            fail_fast: options.fail_fast,
            sink: None,
            stages: Vec::new(),
            known: Vec::new(),
            phases: Vec::new(),
            progress: Vec::new(),
            playing: Vec::new(),
            waiting: 0,
            pilot: None,
            undone: plan.cells.len(),
            has_failed: false,
            cells_not_in_plan: Vec::new(),
        };
        let mut store = saved.map_or_else(Store::default, Store::new);
        let shards = ShardPlan::new(plan, shard.count);
        for (index, cell) in plan.cells.iter().enumerate() {
            let key = cell.key();
            let saved = store.take(&key).unwrap_or_default();
            let steps = shards.steps(index, shard, &saved.steps);
            let stages = shards.stages(index, shard, &steps, saved.games_reported);
            let restored = restore(&saved, &stages, cell)
                .map_err(|reason| format!("the cell {key}: {reason}"))?;
            let known = CellPlan {
                key,
                steps,
                games_reported: saved.games_reported,
            };
            schedule.take_over(index, stages, known, restored);
        }
        schedule.cells_not_in_plan = store.not_taken();
        // Cells that an earlier run has begun are sampled, too: what their games cost is not saved.
        let is_open = |cell: &usize| !matches!(schedule.phases[*cell], Phase::Done(_));
        let open: Vec<usize> = (0..plan.cells.len()).filter(is_open).collect();
        let groups = CostGroups::new(plan);
        let samples = groups.sample(&open, SAMPLES_MAX);
        schedule.pilot = Some(FirstGames {
            groups,
            samples,
            begun: 0,
        });
        Ok(schedule)
    }

    /// Has the outcomes of single games kept from now on.
    pub fn keep_games(&mut self, sink: Arc<dyn Sink>) {
        self.sink = Some(sink);
    }

    /// Adds the next cell, with its stages and what is known and was saved of it.
    fn take_over(&mut self, index: usize, stages: Stages, known: CellPlan, restored: Restored) {
        let open = restored.open.iter().map(|(_, tally)| tally.games);
        let games = restored.total.games + open.sum::<u64>();
        self.progress.push(CellProgress {
            games,
            games_max: stages.games_max(),
            may_stop: stages.rule().is_some(),
            test: stages.test().and_then(|test| test.reached(&restored.total)),
            ..CellProgress::default()
        });
        self.known.push(known);
        self.phases.push(Phase::Waiting);
        let is_of_other_shard = stages.count() == 0;
        self.stages.push(stages);
        let other_shard = is_of_other_shard.then_some(Stopped::OtherShard);
        if let Some(stopped) = other_shard.or(restored.stopped) {
            let segments = [restored.kept, restored.unused].concat();
            self.finish(index, stopped, None, restored.total, segments);
        } else if games > 0 || !restored.unused.is_empty() {
            self.begin(index, restored);
        }
    }

    /// Whether every cell is done.
    pub const fn is_done(&self) -> bool {
        self.undone == 0
    }

    /// Whether nothing more is to be played, now that `interrupted` is so.
    pub fn is_over(&self, interrupted: &AtomicBool) -> bool {
        let is_failure = self.fail_fast && self.has_failed;
        is_failure || self.is_done() || interrupted.load(Ordering::Relaxed)
    }

    /// How far each cell is.
    pub fn progress(&self) -> Vec<CellProgress> {
        self.progress.clone()
    }

    /// The next batch to play; `None` when everything that can be played is being played.
    pub fn next_batch(&mut self) -> Option<Batch> {
        if let Some(batch) = self.pilot_batch().or_else(|| self.batch_ahead(0)) {
            return Some(batch);
        }
        while self.waiting < self.phases.len() {
            let cell = self.waiting;
            self.waiting += 1;
            if let Some(batch) = self.first_batch(cell) {
                return Some(batch);
            }
        }
        let counts = self.playing.iter().map(|&cell| self.stages[cell].count());
        let furthest = counts.max().unwrap_or(0);
        (1..furthest).find_map(|ahead| self.batch_ahead(ahead))
    }

    /// A batch by which the work left becomes more certain: the first batches of every sample, then
    /// more of the measured cell that matters most.
    fn pilot_batch(&mut self) -> Option<Batch> {
        let mut pilot = self.pilot.take()?;
        while pilot.begun < SAMPLE_BATCHES * pilot.samples.len() {
            let cell = pilot.samples[pilot.begun % pilot.samples.len()];
            pilot.begun += 1;
            let batch = match self.phases[cell] {
                Phase::Playing(_) => self.batch_of(cell, 0),
                _ => self.first_batch(cell),
            };
            if batch.is_some() {
                self.pilot = Some(pilot);
                return batch;
            }
        }
        // What is uncertain is known when all samples are measured; finding it takes a while in
        // large plans.
        let is_unknown =
            |cell: &usize| !self.progress[*cell].done && self.progress[*cell].pace.games() == 0;
        if pilot.samples.iter().any(is_unknown) {
            self.pilot = Some(pilot);
            return None;
        }
        let uncertain = pilot.groups.uncertain(&self.progress)?;
        let batch = uncertain.iter().find_map(|&cell| self.batch_of(cell, 0));
        if !uncertain.is_empty() {
            self.pilot = Some(pilot);
        }
        batch
    }

    /// Begins a cell that is waiting.
    fn first_batch(&mut self, cell: usize) -> Option<Batch> {
        if !matches!(self.phases[cell], Phase::Waiting) {
            return None;
        }
        self.begin(cell, Restored::new(self.plan.cells[cell].measures()));
        self.batch_of(cell, 0)
    }

    /// A batch of the stage that lies this far ahead of the current one, from the first cell that
    /// has one.
    fn batch_ahead(&mut self, ahead: usize) -> Option<Batch> {
        (0..self.playing.len()).find_map(|at| self.batch_of(self.playing[at], ahead))
    }

    fn batch_of(&mut self, cell: usize, ahead: usize) -> Option<Batch> {
        if ahead > 0 || self.stages[cell].rule().is_some() {
            return self.batch_of_stage(cell, ahead);
        }
        // All stages are needed, so none of them is ahead.
        (0..self.stages[cell].count()).find_map(|ahead| self.batch_of_stage(cell, ahead))
    }

    fn batch_of_stage(&mut self, cell: usize, ahead: usize) -> Option<Batch> {
        let Phase::Playing(playing) = &mut self.phases[cell] else {
            return None;
        };
        let stage = playing.stages_done + ahead;
        while playing.open.len() <= ahead {
            let wanted = self.stages[cell].games(playing.stages_done + playing.open.len())?;
            let tally = Tally::new(playing.job.measures());
            playing
                .open
                .push_back(OpenStage::new(wanted, Ranges::default(), tally));
        }
        let most = playing.batch_games(self.stages[cell].games_max());
        let todo = &mut playing.open[ahead].todo;
        // Games after a failed one cannot be needed: the cell ends before it or fails with it.
        let most = match (&playing.failure, todo.first()) {
            (Some((at, _)), Some(first)) => most.min(at.saturating_sub(first)),
            _ => most,
        };
        let games = todo.take(most)?;
        Some(Batch {
            cell,
            stage,
            games,
            job: Arc::clone(&playing.job),
            sink: self.sink.clone(),
        })
    }

    /// Starts playing a cell with what is known of it.
    fn begin(&mut self, cell: usize, known: Restored) {
        // Building a job runs the game's own code; its panic must not end the run.
        let built = caught(|| self.plan.cells[cell].job(self.plan.seed, self.kernel));
        let job = match built.and_then(|job| job.map_err(|error| error.to_string())) {
            Ok(job) => job,
            Err(error) => return self.fail(cell, error, [known.kept, known.unused].concat()),
        };
        self.progress[cell].kernel = Some(job.kernel());
        let saved = (known.stages_done..).zip(known.open);
        let open = saved.map(|(stage, (done, tally))| {
            let wanted = self.stages[cell].games(stage);
            OpenStage::new(wanted.expect("games were found in it"), done, tally)
        });
        let playing = Playing {
            job: job.into(),
            total: known.total,
            stages_done: known.stages_done,
            kept: known.kept,
            open: open.collect(),
            unused: known.unused,
            failure: None,
            pace: Pace::default(),
            seen: 0,
        };
        self.phases[cell] = Phase::Playing(Box::new(playing));
        self.playing.push(cell);
    }

    /// Takes in a batch: its games or its error, the time that it took, and its time on a
    /// processor.
    pub fn complete(
        &mut self,
        batch: &Batch,
        played: Result<Tally, String>,
        time: Duration,
        work: Duration,
    ) {
        // A batch played ahead for a cell that has ended since then is not needed.
        let Phase::Playing(playing) = &mut self.phases[batch.cell] else {
            return;
        };
        if let Ok(tally) = &played
            && let Some(error) = playing.split_otherwise(tally)
        {
            let segments = playing.segments(|_| true);
            return self.fail(batch.cell, error, segments);
        }
        let failure = |tally: &Tally| {
            let sums = tally.forfeits().filter(|_| self.fail_fast)?;
            Some(forfeit_text(
                &self.plan.cells[batch.cell],
                batch.games.start,
                tally.blocks().map_or(&sums.by, |blocks| &blocks.forfeits),
            ))
        };
        let played = played.and_then(|tally| failure(&tally).map_or(Ok(tally), Err));
        match played {
            Ok(tally) => {
                let progress = &mut self.progress[batch.cell];
                progress.games += tally.games;
                progress.games_now += tally.games;
                progress.turns_now += u64::try_from(tally.moves_sum).unwrap_or(u64::MAX);
                progress.work_now += work;
                progress.time_now += time;
                progress.pace.add(tally.games, work);
                playing.pace.add(tally.games, time);
                let stage = &mut playing.open[batch.stage - playing.stages_done];
                stage.done.insert(batch.games.clone());
                stage.tally.merge(&tally);
                let rule = self.stages[batch.cell].rule();
                if let Some(expected) = rule.and_then(|rule| playing.expected(rule)) {
                    progress.expected = Some(expected);
                }
            }
            Err(error) => {
                let failure = (batch.games.start, error);
                playing.failure = playing.failure.take().into_iter().chain([failure]).min();
            }
        }
        self.decide(batch.cell);
    }

    /// Closes the complete stages of a cell, and the cell after its last stage or by its rule.
    fn decide(&mut self, cell: usize) {
        let Phase::Playing(playing) = &mut self.phases[cell] else {
            return;
        };
        while playing.open.front().is_some_and(OpenStage::is_complete) {
            let stage = playing.open.pop_front().expect("there is a front");
            playing.total.merge(&stage.tally);
            playing.kept.extend(stage.segment());
            playing.stages_done += 1;
            if let Some(stopped) = self.stages[cell].decide(playing.stages_done, &playing.total) {
                let segments = playing.segments(|stage| stage.is_saved);
                let total = std::mem::replace(&mut playing.total, Tally::new(&[]));
                return self.finish(cell, stopped, None, total, segments);
            }
            let test = self.stages[cell].test();
            if let Some(reached) = test.and_then(|test| test.reached(&playing.total)) {
                self.progress[cell].test = Some(reached);
            }
        }
        if playing.has_reached_failure() {
            let (_, error) = playing.failure.take().expect("a failure was reached");
            let segments = playing.segments(|stage| stage.is_saved);
            self.fail(cell, error, segments);
        }
    }

    /// Records that a cell cannot be played to its end.
    fn fail(&mut self, cell: usize, error: String, segments: Vec<Segment>) {
        self.has_failed = true;
        let none = Tally::new(self.plan.cells[cell].measures());
        self.finish(cell, Stopped::Failed, Some(error), none, segments);
    }

    /// Records the end of a cell: why, what its result is, and all of its games.
    fn finish(
        &mut self,
        cell: usize,
        stopped: Stopped,
        error: Option<String>,
        total: Tally,
        segments: Vec<Segment>,
    ) {
        let known = &self.known[cell];
        let mut state = CellState {
            stopped: Some(stopped),
            error,
            ..known.state(segments)
        };
        if stopped.has_result() {
            state.games = total.games;
            let of_all_shards = known.steps.last().map_or(total.games, |step| step.games);
            state.games_reported = known.games_reported.max(of_all_shards);
            state.tally = Some(total);
        } else if stopped == Stopped::OtherShard && state.segments.is_empty() {
            state.key.clear();
        }
        self.progress[cell].games = state.games();
        self.progress[cell].done = true;
        self.undone -= 1;
        self.phases[cell] = Phase::Done(Arc::new(state));
        self.playing.retain(|&playing| playing != cell);
    }

    /// Everything that is known, to be saved.
    pub fn state(&self) -> RunState {
        let all = self.phases.iter().zip(&self.known);
        let cells = all.map(|(phase, known)| match phase {
            // Shards remember in which steps they come to their games before they play them.
            Phase::Waiting if known.steps.is_empty() && known.games_reported == 0 => None,
            Phase::Waiting => Some(Arc::new(known.state(Vec::new()))),
            Phase::Done(state) => Some(Arc::clone(state)),
            Phase::Playing(playing) => Some(Arc::new(known.state(playing.segments(|_| true)))),
        });
        RunState {
            header: self.header.clone(),
            source: Arc::clone(&self.source),
            cells: cells.collect(),
            cells_not_in_plan: self.cells_not_in_plan.clone(),
        }
    }
}

/// Who forfeited one of the games from `game` on, for people.
fn forfeit_text(cell: &Cell, game: u64, by: &[[u64; 4]]) -> String {
    let players = cell.players.iter().zip(by);
    let texts = players.flat_map(|(player, counts)| {
        let causes = Forfeit::ALL.iter().zip(counts);
        let causes = causes.filter(|(_, count)| **count > 0);
        causes.map(move |(cause, _)| format!("{} ({})", player.label(), cause.name()))
    });
    format!("game {game} is forfeited by {}", join(texts, " and by "))
}
