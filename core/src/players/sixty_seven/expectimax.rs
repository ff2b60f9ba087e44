//! Expectimax for 67!: the maximum over moves, the mean over sampled tiles, the learned evaluation
//! at the leaves.
//!
//! The value of a board after a move, `depth` rounds deep, is the mean over `samples` deals of the
//! value of the deal: 1 if a direction wins, 0 if none is legal, else the largest value of a legal
//! direction one round less deep. At depth 0 it is the win probability from the evaluation.
//! Every node of the same depth sees the same deals for all directions. With `budget_ms` the
//! samples are doubled from 1 until the time is up.
//!
//! Draw protocol (player stream): one word per choice, the seed of the deals; none if only one
//! direction is legal or a direction wins.

use super::field::{Position, Step};
use super::{Evaluator, EvaluatorCache};
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, budget};
use crate::rng::{Rng, SeedableRng, Stream, game_seed, mix};
use std::time::{Duration, Instant};

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("depth", 1..=4, Some(1))
        .main("rounds of tiles and own move looked at behind each move"),
    ParamSpec::int("samples", 1..=1 << 20, Some(40)).main("deals a move at each depth"),
    BUDGET_PARAM,
];

/// Looks ahead to a fixed depth.
pub struct Expectimax {
    depth: u32,
    samples: u64,
    budget: Option<Duration>,
    evaluators: EvaluatorCache,
}

impl Evaluator {
    /// The value of a dealt position with `depth` more rounds to look at, each over `samples`
    /// deals.
    pub(super) fn dealt_value(
        &self,
        position: &Position,
        depth: u32,
        samples: u64,
        seed: u64,
    ) -> f32 {
        let legal = self.field.legal(position);
        if self.field.winning(position, legal) & legal.mask != 0 {
            return 1.0;
        }
        let mut most = 0.0_f32;
        for direction in Direction::ALL
            .into_iter()
            .filter(|&direction| legal.mask >> direction as u8 & 1 == 1)
        {
            let mut after = *position;
            if self.field.advance(&mut after, direction) == Step::On {
                most = most.max(self.moved_value(&after, depth, samples, seed));
            }
        }
        most
    }

    /// The value of a board after a move with `depth` rounds to look at, each over `samples` deals.
    pub(super) fn moved_value(&self, after: &Position, depth: u32, samples: u64, seed: u64) -> f32 {
        if depth == 0 {
            return self.evaluation.chance(&self.field, after);
        }
        let sum: f32 = (0..samples)
            .map(|sample| self.sampled_value(after, depth, samples, seed, sample))
            .sum();
        sum / samples as f32
    }

    /// What one deal makes of a board after a move: deal number `sample` of `seed`, then `depth -
    /// 1` rounds of `samples` deals each.
    #[inline]
    pub(super) fn sampled_value(
        &self,
        after: &Position,
        depth: u32,
        samples: u64,
        seed: u64,
        sample: u64,
    ) -> f32 {
        let sample_seed = game_seed(seed, sample);
        let mut dealt = *after;
        self.field
            .deal(&mut dealt, &mut Stream::seed_from_u64(sample_seed));
        self.dealt_value(&dealt, depth - 1, samples, mix(sample_seed))
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
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        let evaluator = self.evaluators.of(game);
        let open = match evaluator.choices(&evaluator.field.position(&state.board), legal) {
            Ok(open) => open,
            Err(only) => return only,
        };
        let seed = stream.next_u64();
        let best = |samples| {
            let mut best = (-1.0, legal[0]);
            for (direction, after) in &open {
                let value = evaluator.moved_value(after, self.depth, samples, seed);
                if value > best.0 {
                    best = (value, *direction);
                }
            }
            best.1
        };
        let Some(budget) = self.budget else {
            return best(self.samples);
        };
        let begun = Instant::now();
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

    /// The values that a choice without a budget compares: chances of winning.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let evaluator = self.evaluators.of(game);
        let seed = stream.clone().next_u64();
        Some(evaluator.values(state, legal, |after| {
            evaluator
                .moved_value(after, self.depth, self.samples, seed)
                .into()
        }))
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Expectimax {
    const NAME: &'static str = "expectimax";
    const SUMMARY: &'static str =
        "looks ahead over its own moves and sampled tiles, with the learned evaluation";
    const PARAMS: &'static [ParamSpec] = PARAMS;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let int = |name| params.int(name).expect("a parameter with a default");
        Ok(Self {
            depth: int("depth") as u32,
            samples: int("samples") as u64,
            budget: budget(params),
            evaluators: EvaluatorCache::default(),
        })
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, super::field::SIDE_MAX)
    }
}
