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
use crate::game::{MoveValues, Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock};
use crate::players::weights::WEIGHTS_PARAM;
use crate::rng::{Rng, Stream};

/// Looks ahead to a fixed depth.
pub struct Expectimax {
    depth: u32,
    samples: u64,
    clock: Clock,
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
        self.clock.start();
        let mut samples = if self.clock.is_set() { 1 } else { self.samples };
        loop {
            for contender in &mut open {
                contender.mean = search.mean(&contender.after, self.depth, samples, seed);
            }
            let is_last = !self.clock.is_set()
                || self.clock.has_passed(0.5_f64.powi(self.depth as i32))
                || samples >= 1 << 20;
            if is_last {
                return choice(&open, legal);
            }
            samples *= 2;
        }
    }

    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> MoveValues {
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
        "looks a fixed number of rounds ahead over sampled tiles, with a learned network";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("depth", 1..=4, Some(1))
            .main("rounds (new tiles, then the player's move) searched after each move"),
        ParamSpec::int("samples", 1..=1 << 20, Some(40))
            .main("random deals per move at each depth"),
        WEIGHTS_PARAM,
        BUDGET_PARAM,
    ];

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            depth: params.count("depth") as u32,
            samples: params.count("samples"),
            clock: Clock::of(params),
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
