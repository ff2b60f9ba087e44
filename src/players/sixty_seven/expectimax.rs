//! Expectimax for 67!: the best of the own moves, the mean over sampled tiles, the learned evaluation at the end.
//!
//! A board after a move is worth, `depth` rounds deep, the mean over `samples` deals of what the deal leads to: 1 where a legal
//! direction wins, 0 where none is legal, else the most that a legal direction is worth one round less deep. At depth 0 it is worth the
//! chance that the evaluation gives it. Every node of the same depth sees the same deals for all directions. With `budget_ms` the
//! samples are doubled from 1 until the time is up.
//!
//! Draw protocol (player stream): one word a choice, the seed of the deals; none where one direction is legal or one wins.

use super::field::{Position, Step};
use super::{BUDGET, BUDGET_PARAM, Seen, Sight};
use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{Default, Kind, ParamError, ParamSpec, Params};
use crate::rng::{Rng, SeedableRng, Stream, game_seed, mix};
use std::time::{Duration, Instant};

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "depth",
        kind: Kind::Int { min: 1, max: 4 },
        default: Default::Int(1),
        main: true,
        help: "rounds of tiles and own move looked at behind each move",
    },
    ParamSpec {
        name: "samples",
        kind: Kind::Int { min: 1, max: 1 << 20 },
        default: Default::Int(40),
        main: true,
        help: "deals a move at each depth",
    },
    BUDGET_PARAM,
];

/// Looks ahead to a fixed depth.
pub struct Expectimax {
    depth: u32,
    samples: u64,
    budget: Option<Duration>,
    seen: Seen,
}

impl Expectimax {
    /// The player with these parameters, which [`PARAMS`] has accepted.
    ///
    /// # Panics
    /// When the parameters were not accepted.
    #[must_use]
    pub fn from_params(params: &Params) -> Self {
        let int = |name| params.int(name).expect("a parameter with a default");
        Self {
            depth: int("depth") as u32,
            samples: int("samples") as u64,
            budget: params.int(BUDGET).map(|ms| Duration::from_millis(ms as u64)),
            seen: Seen::default(),
        }
    }
}

impl Sight {
    /// What a dealt position is worth with `depth` more rounds to look at, each over `samples` deals.
    pub(super) fn dealt_worth(&self, position: &Position, depth: u32, samples: u64, seed: u64) -> f32 {
        let legal = self.field.legal(position);
        if self.field.winning(position, legal) & legal.mask != 0 {
            return 1.0;
        }
        let mut most = 0.0_f32;
        for direction in Direction::ALL.into_iter().filter(|&direction| legal.mask >> direction as u8 & 1 == 1) {
            let mut after = *position;
            if self.field.advance(&mut after, direction) == Step::On {
                most = most.max(self.moved_worth(&after, depth, samples, seed));
            }
        }
        most
    }

    /// What a board after a move is worth with `depth` rounds to look at, each over `samples` deals.
    pub(super) fn moved_worth(&self, after: &Position, depth: u32, samples: u64, seed: u64) -> f32 {
        if depth == 0 {
            return self.evaluation.chance(&self.field, after);
        }
        let sum: f32 = (0..samples).map(|sample| self.sampled_worth(after, depth, samples, seed, sample)).sum();
        sum / samples as f32
    }

    /// What one deal makes of a board after a move: deal number `sample` of `seed`, then `depth - 1` rounds of `samples` deals each.
    #[inline]
    pub(super) fn sampled_worth(&self, after: &Position, depth: u32, samples: u64, seed: u64, sample: u64) -> f32 {
        let sample_seed = game_seed(seed, sample);
        let mut dealt = *after;
        self.field.deal(&mut dealt, &mut Stream::seed_from_u64(sample_seed));
        self.dealt_worth(&dealt, depth - 1, samples, mix(sample_seed))
    }

    /// The directions that do not end the game, with their boards; or the one that wins.
    pub(super) fn choices(
        &self,
        position: &Position,
        legal: &[Direction],
    ) -> Result<Vec<(Direction, Position)>, Direction> {
        let mut open = Vec::with_capacity(4);
        for &direction in legal {
            match self.after(position, direction) {
                None => return Err(direction),
                Some((after, Step::On)) => open.push((direction, after)),
                Some(_) => {}
            }
        }
        match open.as_slice() {
            [] => Err(legal[0]),
            [(only, _)] => Err(*only),
            _ => Ok(open),
        }
    }
}

impl Player<SixtySeven> for Expectimax {
    fn choose(&mut self, game: &SixtySeven, state: &State, legal: &[Direction], stream: &mut Stream) -> Direction {
        let sight = self.seen.of(game);
        let open = match sight.choices(&sight.field.position(&state.board), legal) {
            Ok(open) => open,
            Err(only) => return only,
        };
        let (seed, begun) = (stream.next_u64(), Instant::now());
        let best = |samples| {
            let mut best = (-1.0, legal[0]);
            for (direction, after) in &open {
                let worth = sight.moved_worth(after, self.depth, samples, seed);
                if worth > best.0 {
                    best = (worth, *direction);
                }
            }
            best.1
        };
        let Some(budget) = self.budget else { return best(self.samples) };
        let mut samples = 1;
        loop {
            let chosen = best(samples);
            // Twice the samples take 2^depth times as long as the last ones did.
            if begun.elapsed() * (1 << self.depth) > budget || samples >= 1 << 20 {
                return chosen;
            }
            samples *= 2;
        }
    }
}

impl NamedPlayer<SixtySeven> for Expectimax {
    const NAME: &'static str = "expectimax";
    const SUMMARY: &'static str = "looks ahead over its own moves and sampled tiles, with the learned evaluation";
    const PARAMS: &'static [ParamSpec] = PARAMS;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::from_params(params))
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, super::field::SIDE_MAX)
    }
}
