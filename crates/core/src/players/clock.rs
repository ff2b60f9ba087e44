//! The time of a choice, for players with a budget.

use crate::game::registry::BUDGET;
use crate::params::{ParamSpec, Params};
use std::time::{Duration, Instant};

/// The parameter with the time of a choice.
pub const BUDGET_PARAM: ParamSpec = ParamSpec::int(BUDGET, 1..=3_600_000, None).help(
    "time for each choice in ms: until it is over, the player searches on, up to its depth where it \
     has one; for matches, play and watch, since games then differ from run to run",
);

/// How often [`Clock::is_over`] is asked between two looks at the clock. Ranking the moves of a
/// position takes microseconds on Offset's board, so that a budget of milliseconds is kept to about
/// a tenth of one.
const ASKED_BETWEEN_LOOKS: u32 = 16;

/// Tells a search when the time of a choice is over; it never is without a budget.
#[derive(Clone, Debug, Default)]
pub struct Clock {
    budget: Option<Duration>,
    begun: Option<Instant>,
    is_running: bool,
    asked: u32,
    is_over: bool,
}

impl Clock {
    /// The clock of a player with these parameters.
    pub fn of(params: &Params) -> Self {
        let budget = params.int(BUDGET).map(i64::unsigned_abs);
        Self {
            budget: budget.map(Duration::from_millis),
            ..Self::default()
        }
    }

    /// Whether there is a budget.
    pub const fn is_set(&self) -> bool {
        self.budget.is_some()
    }

    /// Begins a choice. The time runs, but is not over before [`Clock::run`]: what a player needs
    /// to have a choice at all is finished whatever it takes.
    pub fn start(&mut self) {
        self.begun = self.is_set().then(Instant::now);
        self.is_running = false;
        self.is_over = false;
    }

    /// From now on the search ends with the time.
    pub const fn run(&mut self) {
        self.is_running = self.is_set();
    }

    /// Whether the time is over. Asked often, it looks at the clock now and then.
    pub fn is_over(&mut self) -> bool {
        if self.is_running && !self.is_over {
            self.asked = self.asked.wrapping_add(1);
            self.is_over = self.asked.is_multiple_of(ASKED_BETWEEN_LOOKS) && self.has_passed(1.0);
        }
        self.is_over
    }

    /// Whether [`Clock::is_over`] has said so.
    pub const fn was_over(&self) -> bool {
        self.is_over
    }

    /// Whether this share of the budget has passed.
    pub fn has_passed(&self, share: f64) -> bool {
        let timed = self.begun.zip(self.budget);
        timed.is_some_and(|(begun, budget)| begun.elapsed() >= budget.mul_f64(share))
    }
}
