//! The strongest player of 67!: looks ahead over sampled tiles and spends its samples where they decide something.
//!
//! Directions are compared on the same deals, batch by batch. After each batch a direction is dropped when it lies behind the best one by
//! more than `margin` standard errors of their paired difference, so that clear choices cost one batch and close ones the whole
//! budget:
//!
//! 1. One round deep, up to `samples` deals: what a deal is worth is 1 where a direction wins at once, 0 where none is legal, else the best
//!    evaluation ([`super::evaluation`]) that a direction leads to.
//! 2. Two rounds deep, up to `deep` deals, each followed by each direction and [`REPLIES`] further deals, among the directions that are
//!    left. Both rounds count: what decides is the mean of step 2, or that of step 1 where `deep` is 0.
//!
//! Of equals the first of up, down, left, right is taken. With `budget_ms` both steps go on, batch by batch in turn, until the time is up.
//!
//! Draw protocol (player stream): one word a choice, the seed of the deals; none where one direction is legal or one wins.

use super::field::Position;
use super::{BUDGET, BUDGET_PARAM, Seen, Sight};
use crate::game::Player;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{Default, Kind, ParamSpec, Params};
use crate::rng::{Rng, Stream, mix};
use std::time::{Duration, Instant};

/// The player's name.
pub const NAME: &str = "foresight";
/// What it does, in one line.
pub const SUMMARY: &str =
    "compares its moves on the same sampled tiles, one and two rounds deep, as long as the choice is close";
/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "samples",
        kind: Kind::Int { min: 1, max: 1 << 20 },
        default: Default::Int(256),
        main: true,
        help: "deals a direction one round deep, at most",
    },
    ParamSpec {
        name: "deep",
        kind: Kind::Int { min: 0, max: 1 << 20 },
        default: Default::Int(40),
        main: true,
        help: "deals a direction two rounds deep, at most",
    },
    ParamSpec {
        name: "margin",
        kind: Kind::Float { min: 0.0, max: 100.0 },
        default: Default::Float(2.5),
        main: false,
        help: "a direction is dropped when it lies behind by more standard errors than this",
    },
    BUDGET_PARAM,
];
/// Deals behind each own move of the second step.
pub const REPLIES: u64 = 12;

/// Looks ahead adaptively.
pub struct Foresight {
    samples: u64,
    deep: u64,
    margin: f64,
    budget: Option<Duration>,
    seen: Seen,
}

impl Foresight {
    /// The player with these parameters, which [`PARAMS`] has accepted.
    ///
    /// # Panics
    /// When the parameters were not accepted.
    #[must_use]
    pub fn from_params(params: &Params) -> Self {
        let int = |name| params.int(name).expect("a parameter with a default") as u64;
        Self {
            samples: int("samples"),
            deep: int("deep"),
            margin: params.float("margin").expect("a parameter with a default"),
            budget: params.int(BUDGET).map(|ms| Duration::from_millis(ms as u64)),
            seen: Seen::default(),
        }
    }
}

/// How deep a step looks, and in batches of how many deals.
#[derive(Clone, Copy)]
struct Depth {
    rounds: u32,
    batch: u64,
}

const NEAR: Depth = Depth { rounds: 1, batch: 32 };
const FAR: Depth = Depth { rounds: 2, batch: 8 };

/// The directions that are still compared, and their worths by deal.
struct Contest<'a> {
    sight: &'a Sight,
    margin: f64,
    seed: u64,
    open: Vec<Contender>,
}

struct Contender {
    direction: Direction,
    after: Position,
    /// By deal.
    worths: Vec<f32>,
}

impl Contender {
    fn mean(&self) -> f64 {
        self.worths.iter().map(|&worth| f64::from(worth)).sum::<f64>() / self.worths.len().max(1) as f64
    }
}

impl Contest<'_> {
    /// Forgets the worths found at another depth.
    fn forget(&mut self) {
        self.open.iter_mut().for_each(|contender| contender.worths.clear());
    }

    /// Looks at deals up to number `most` until one direction is left or `stop` says so.
    fn hold(&mut self, depth: Depth, most: u64, mut stop: impl FnMut() -> bool) {
        let seed = mix(self.seed ^ u64::from(depth.rounds));
        let mut begun = self.open[0].worths.len() as u64;
        while begun < most && self.open.len() > 1 && !stop() {
            let batch = begun..(begun + depth.batch).min(most);
            for contender in &mut self.open {
                let (sight, after) = (self.sight, &contender.after);
                let worth = |sample| sight.sampled_worth(after, depth.rounds, REPLIES, seed, sample);
                contender.worths.extend(batch.clone().map(worth));
            }
            begun = batch.end;
            self.drop_clear_losers();
        }
    }

    fn drop_clear_losers(&mut self) {
        let best = self.best();
        let (leader, margin) = (self.open[best].worths.clone(), self.margin);
        let mut place = 0;
        self.open.retain(|contender| {
            place += 1;
            place - 1 == best || !is_behind(&contender.worths, &leader, margin)
        });
    }

    /// The place of the best direction.
    fn best(&self) -> usize {
        let mut best = (0, f64::MIN);
        for (place, contender) in self.open.iter().enumerate() {
            let mean = contender.mean();
            if mean > best.1 {
                best = (place, mean);
            }
        }
        best.0
    }
}

/// Whether worths lie behind a leader's on the same deals by more than `margin` standard errors of the difference.
fn is_behind(worths: &[f32], leader: &[f32], margin: f64) -> bool {
    let n = worths.len() as f64;
    let (mut sum, mut squares) = (0.0, 0.0);
    for (&worth, &lead) in worths.iter().zip(leader) {
        let difference = f64::from(lead) - f64::from(worth);
        sum += difference;
        squares += difference * difference;
    }
    let variance = (squares - sum * sum / n).max(0.0) / (n - 1.0).max(1.0);
    sum > 0.0 && n > 1.0 && sum > margin * (variance * n).sqrt()
}

impl Player<SixtySeven> for Foresight {
    fn choose(&mut self, game: &SixtySeven, state: &State, legal: &[Direction], stream: &mut Stream) -> Direction {
        let sight = self.seen.of(game);
        let open = match sight.choices(&sight.field.position(&state.board), legal) {
            Ok(open) => open,
            Err(only) => return only,
        };
        let contenders = open.into_iter().map(|(direction, after)| Contender { direction, after, worths: Vec::new() });
        let mut contest = Contest { sight, margin: self.margin, seed: stream.next_u64(), open: contenders.collect() };
        match self.budget {
            None => {
                contest.hold(NEAR, self.samples, || false);
                if self.deep > 0 && contest.open.len() > 1 {
                    contest.forget();
                    contest.hold(FAR, self.deep, || false);
                }
            }
            Some(budget) => {
                // A fifth of the time for the first step, which sorts out the clear losers.
                let begun = Instant::now();
                contest.hold(NEAR, u64::MAX, || begun.elapsed() > budget / 5);
                if contest.open.len() > 1 {
                    contest.forget();
                    contest.hold(FAR, u64::MAX, || begun.elapsed() > budget);
                }
            }
        }
        contest.open[contest.best()].direction
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_clear_losers_are_behind() {
        let leader = [0.5, 0.6, 0.4, 0.5];
        assert!(is_behind(&[0.3, 0.41, 0.19, 0.3], &leader, 2.5));
        assert!(!is_behind(&[0.3, 0.9, 0.1, 0.6], &leader, 2.5));
        assert!(!is_behind(&leader, &leader, 0.0), "equals stay");
        assert!(is_behind(&[0.4, 0.5, 0.3, 0.4], &leader, 2.5), "always behind by the same");
        assert!(!is_behind(&[0.3], &[0.5], 2.5), "one deal tells nothing");
    }
}
