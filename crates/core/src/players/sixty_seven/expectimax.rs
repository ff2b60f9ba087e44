//! Expectimax for 67!: the chance of winning of each move, looked ahead a fixed number of rounds.
//!
//! A round is the tiles that appear and the own move after them; its value is the mean over
//! `samples` deals of the best move's value ([`super::planner`]), at the end of the look-ahead the
//! win probability of the learned network. The same deals follow every direction. Ties go to the
//! first of up, down, left, right.
//!
//! With `budget_ms`, the samples double from 1 until another step would exceed the budget.
//!
//! Draw protocol (player stream): one word per choice, the seed of the deals; none if only one
//! direction is legal or a direction wins.

use super::planner::{Searches, choice};
use super::tokens::SIDE_MAX;
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, budget};
use crate::players::weights::WEIGHTS_PARAM;
use crate::rng::{Rng, Stream};
use std::time::{Duration, Instant};

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec::int("depth", 1..=4, Some(1))
        .main("rounds of tiles and own move looked at behind each move"),
    ParamSpec::int("samples", 1..=1 << 20, Some(40)).main("deals a move at each depth"),
    WEIGHTS_PARAM,
    BUDGET_PARAM,
];

/// Looks ahead to a fixed depth.
pub struct Expectimax {
    depth: u32,
    samples: u64,
    budget: Option<Duration>,
    searches: Searches,
}

impl Player<SixtySeven> for Expectimax {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        let search = self.searches.of(game);
        let mut open = match search.contenders(state, legal) {
            Ok(open) => open,
            Err(decided) => return decided,
        };
        let seed = stream.next_u64();
        let depth = self.depth;
        let mut choose = |samples| {
            for contender in &mut open {
                contender.mean = search.mean(&contender.after, depth, samples, seed);
            }
            choice(&open, legal)
        };
        let Some(budget) = self.budget else {
            return choose(self.samples);
        };
        let begun = Instant::now();
        let mut samples = 1;
        loop {
            let chosen = choose(samples);
            // Twice the samples take 2^depth times as long as the last ones did.
            if begun.elapsed() * (1 << depth) > budget || samples >= 1 << 20 {
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
        let seed = stream.clone().next_u64();
        let search = self.searches.of(game);
        Some(search.chances(state, legal, |search, after| {
            search.mean(after, self.depth, self.samples, seed)
        }))
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Expectimax {
    const NAME: &'static str = "expectimax";
    const SUMMARY: &'static str =
        "looks a fixed number of rounds ahead over sampled tiles, with the learned network";
    const PARAMS: &'static [ParamSpec] = PARAMS;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let int = |name| params.int(name).expect("a parameter with a default");
        Ok(Self {
            depth: int("depth") as u32,
            samples: int("samples") as u64,
            budget: budget(params),
            searches: Searches::new(params)?,
        })
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, SIDE_MAX)
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.searches.network(game).map(drop)
    }
}
