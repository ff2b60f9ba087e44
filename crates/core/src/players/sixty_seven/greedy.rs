//! The greedy player of 67!: moves to the board with the best evaluation.
//!
//! It looks one move ahead, not at future tiles, and takes the direction whose board the learned
//! network ([`super::network`]) finds best. Ties go to the first of up, down, left, right. It draws
//! nothing.

use super::network::chance;
use super::planner::{Searches, choice};
use super::tokens::SIDE_MAX;
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::weights::WEIGHTS_PARAM;
use crate::rng::Stream;

/// Takes the best board after its move.
pub struct Greedy(Searches);

impl Player<SixtySeven> for Greedy {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        _: &mut Stream,
    ) -> Direction {
        match self.0.of(game).contenders(state, legal) {
            Ok(open) => choice(&open, legal),
            Err(decided) => decided,
        }
    }

    /// The chance of winning that the network gives each board.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let search = self.0.of(game);
        Some(search.chances(state, legal, |search, after| chance(search.odds(after))))
    }

    fn choose_and_evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> (Direction, Option<Vec<Option<f64>>>) {
        match self.0.of(game).contenders(state, legal) {
            Ok(open) => {
                let value = |direction| {
                    let found = open.iter().find(|open| open.direction == direction);
                    found.map_or(0.0, |open| f64::from(chance(open.mean)))
                };
                let values = legal.iter().map(|&direction| Some(value(direction)));
                (choice(&open, legal), Some(values.collect()))
            }
            Err(decided) => (decided, self.evaluate(game, state, legal, stream)),
        }
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Greedy {
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "moves to the board that a learned network values most";
    const PARAMS: &'static [ParamSpec] = &[WEIGHTS_PARAM];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Searches::new(params).map(Self)
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.0.network(game).map(drop)
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, SIDE_MAX)
    }
}
