//! A cell being played: its open stages, and batches of their games.

use crate::game::{Job, Tally};
use crate::runner::progress::{Expected, Pace};
use crate::runner::ranges::Ranges;
use crate::runner::records::{Records, Sink};
use crate::runner::stages::StoppingRule;
use crate::runner::state::Segment;
use crate::tally::SplittingTally;
use crate::text::join;
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Duration;

/// The longest that a batch should take, so that an interruption or a kill loses few games.
const BATCH_TIME: Duration = Duration::from_millis(500);
/// Dispatching a batch is cheap where it takes `DISPATCH_TIME`: quick games have larger batches
/// than the job asks for, up to [`BATCH_GAMES_MAX`].
const DISPATCH_TIME: Duration = Duration::from_millis(5);
/// The most games of a batch that is made larger so that it is cheap to dispatch.
const BATCH_GAMES_MAX: u64 = 1 << 14;
/// The first batches of a cell are `FIRST_BATCH_SHARE` times smaller than its largest, since its
/// speed is still unknown.
const FIRST_BATCH_SHARE: u64 = 8;
/// The first batches of a cell are also `FIRST_GAMES_SHARE` times smaller than all its games, so
/// that the work left is known well before a tenth of it is done.
const FIRST_GAMES_SHARE: u64 = 16;
/// Some games of one cell, to be played by one thread.
pub struct Batch {
    /// Index of the cell in the plan.
    pub cell: usize,
    pub(super) stage: usize,
    pub(super) games: Range<u64>,
    pub(super) job: Arc<dyn Job>,
    pub(super) sink: Option<Arc<dyn Sink>>,
}

impl Batch {
    /// The indices of the games, for those who have another process play them.
    pub fn games(&self) -> Range<u64> {
        self.games.clone()
    }

    /// Plays the games.
    pub fn play(&self) -> Tally {
        let mut tally = Tally::new(self.job.measures());
        match &self.sink {
            None => self.job.play(self.games.clone(), &mut tally, None),
            Some(sink) => {
                let positions = sink.with_positions();
                let games = self.games.clone();
                let records = Records::of(self.job.as_ref(), games, positions, &mut tally);
                sink.keep(self.cell, records);
            }
        }
        tally
    }
}

/// A cell being played.
pub struct Playing {
    pub job: Arc<dyn Job>,
    /// Sum of the completed stages.
    pub total: Tally,
    /// Number of completed stages.
    pub stages_done: usize,
    /// The segments of the completed stages.
    pub kept: Vec<Segment>,
    /// The current stage and those being played ahead.
    pub open: VecDeque<OpenStage>,
    /// Segments that no stage needs.
    pub unused: Vec<Segment>,
    /// The first game of the earliest batch that failed, and how.
    pub failure: Option<(u64, String)>,
    /// The time that a game takes.
    pub pace: Pace,
    /// The games from which it was last seen after how many games a rule will end the cell.
    pub seen: u64,
}

/// After how many games a rule will end a cell is seen again once its games have grown this much:
/// it takes dozens of intervals.
const SEEN_GROWTH: f64 = 1.25;

pub struct OpenStage {
    /// Whether games of the stage come from a saved state: those are never dropped.
    pub is_saved: bool,
    pub wanted: Ranges,
    pub todo: Ranges,
    pub done: Ranges,
    pub tally: Tally,
}

impl OpenStage {
    /// A stage of these games, of which some may be in from a saved state.
    pub fn new(wanted: Ranges, done: Ranges, tally: Tally) -> Self {
        Self {
            is_saved: !done.is_empty(),
            todo: wanted.without(&done),
            done,
            tally,
            wanted,
        }
    }

    pub fn is_complete(&self) -> bool {
        self.done.count() == self.wanted.count()
    }

    pub fn segment(&self) -> Option<Segment> {
        (!self.done.is_empty()).then(|| Segment::new(&self.done, &self.tally))
    }
}

impl Playing {
    /// Games for the next batch, in whole trajectories: what [`BATCH_TIME`] allows at the pace so
    /// far. The cell has `games_max` games at most.
    pub fn batch_games(&self, games_max: u64) -> u64 {
        let most = self.job.batch_games().max(1);
        let lanes = self.job.sampling().lanes();
        let games = if self.pace.games() == 0 {
            (most / FIRST_BATCH_SHARE)
                .min(games_max / FIRST_GAMES_SHARE)
                .max(1)
        } else {
            let games = |time: Duration| {
                (time.as_secs_f64() / self.pace.seconds_per_game().max(1e-12)) as u64
            };
            let cheap = games(DISPATCH_TIME).min(BATCH_GAMES_MAX);
            games(BATCH_TIME).clamp(1, most.max(cheap))
        };
        (games / lanes).max(1) * lanes
    }

    /// After how many games the rule will end the cell; `None` while too few games are new.
    pub fn expected(&mut self, rule: &StoppingRule) -> Option<Expected> {
        let stages = self.open.iter().map(|stage| stage.tally.games);
        let games = self.total.games + stages.sum::<u64>();
        if games == 0 || (games as f64) < self.seen as f64 * SEEN_GROWTH {
            return None;
        }
        self.seen = games;
        let mut tally = self.total.clone();
        for stage in &self.open {
            tally.merge(&stage.tally);
        }
        Some(rule.expected(&tally))
    }

    /// The segments of the cell. Of the open stages, a cell that ends keeps those with games of an
    /// earlier run; games that this run has played ahead and that are not needed are dropped.
    pub fn segments(&self, is_kept: impl Fn(&OpenStage) -> bool) -> Vec<Segment> {
        let open = self.open.iter().filter(|stage| is_kept(stage));
        let open: Vec<Segment> = open.filter_map(OpenStage::segment).collect();
        [&self.kept[..], &open, &self.unused].concat()
    }

    /// Says so when new replications are split at other levels than the saved ones, which another
    /// version may have chosen otherwise: they cannot be added.
    pub fn split_otherwise(&self, new: &Tally) -> Option<String> {
        let open = self.open.iter().map(|stage| &stage.tally);
        let mut saved = std::iter::once(&self.total).chain(open);
        let saved = saved.find_map(|tally| tally.splitting())?;
        let new = new.splitting()?;
        let text = |sums: &SplittingTally| {
            let levels = sums.levels.iter();
            let levels = levels.map(|level| format!("{}×{}", level.value, level.factor));
            match join(levels, ", ") {
                none if none.is_empty() => "no levels".to_owned(),
                levels => format!("the levels {levels}"),
            }
        };
        (saved.levels != new.levels).then(|| {
            format!(
                "the saved replications are split at {} and new ones at {}, so they cannot be added; continue with the \
                 version that saved them, or start over with --fresh",
                text(saved),
                text(new)
            )
        })
    }

    /// Whether all games before the failed batch are in, and the cell goes on to it.
    pub fn has_reached_failure(&self) -> bool {
        match (&self.failure, self.open.front()) {
            (Some((at, _)), Some(stage)) => stage.wanted.without(&stage.done).first() == Some(*at),
            _ => false,
        }
    }
}
