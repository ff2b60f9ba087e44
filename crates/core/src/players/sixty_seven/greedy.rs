//! The greedy player of 67!: moves to the board with the best evaluation.
//!
//! It looks one move ahead, not at future tiles, and takes the direction whose board the learned
//! network ([`super::network`]) finds best. Ties go to the first of up, down, left, right. It draws
//! nothing.

use super::planner::Planner;
use super::tokens::SIDE_MAX;
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::weights::WEIGHTS_PARAM;
use crate::rng::Stream;

/// Takes the best board after its move.
pub struct Greedy(Planner);

impl Player<SixtySeven> for Greedy {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        self.0.choose(game, state, legal, stream)
    }

    /// The chance of winning that the network gives each board.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        self.0.evaluate(game, state, legal, stream)
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Greedy {
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "moves to the board that the learned network finds best";
    const PARAMS: &'static [ParamSpec] = &[WEIGHTS_PARAM];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Planner::greedy(params).map(Self)
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.0.fits(game)
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, SIDE_MAX)
    }
}
