//! The greedy player of 67!: the board after the move that promises most.
//!
//! It looks one move ahead, at no tile that is yet to come, and takes the direction whose board has
//! the best evaluation ([`super::evaluation`]), the first of up, down, left, right among equal
//! ones. It draws nothing.

use super::EvaluatorCache;
use super::field::Step;
use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::weights::WEIGHTS_PARAM;
use crate::rng::Stream;

/// Takes the best board after its move.
#[derive(Default)]
pub struct Greedy {
    evaluators: EvaluatorCache,
}

impl Player<SixtySeven> for Greedy {
    fn choose(&mut self, game: &SixtySeven, state: &State, legal: &[Direction], _: &mut Stream) -> Direction {
        let evaluator = self.evaluators.of(game);
        let position = evaluator.field.position(&state.board);
        let mut best = (i64::MIN, legal[0]);
        for &direction in legal {
            let odds = match evaluator.after(&position, direction) {
                None => return direction,
                Some((_, Step::Lost)) => i64::MIN,
                Some((after, _)) => i64::from(evaluator.evaluation.odds(&evaluator.field, &after)),
            };
            if odds > best.0 {
                best = (odds, direction);
            }
        }
        best.1
    }

    /// The chance of winning that the evaluation gives each board.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let evaluator = self.evaluators.of(game);
        Some(evaluator.values(state, legal, |after| evaluator.evaluation.chance(&evaluator.field, after).into()))
    }
}

impl NamedPlayer<SixtySeven> for Greedy {
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "moves to the board of the best learned evaluation";
    const PARAMS: &'static [ParamSpec] = &[WEIGHTS_PARAM];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self { evaluators: EvaluatorCache::new(params)? })
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.evaluators.fits(game)
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, super::field::SIDE_MAX)
    }
}
