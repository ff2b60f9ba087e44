//! The greedy player of 67!: moves to the board with the best evaluation.
//!
//! It looks one move ahead, not at future tiles, and takes the direction whose board has the best
//! evaluation ([`super::evaluation`]). Ties go to the first of up, down, left, right. It draws
//! nothing. With a file of weights the evaluation is the network in it ([`super::network`]).

use super::evaluation::logistic;
use super::field::Step;
use super::planner::Planner;
use super::{Evaluator, EvaluatorCache};
use crate::game::looks::{Look, Tiles};
use crate::game::registry::NamedPlayer;
use crate::game::{Player, Scale};
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::weights::{WEIGHTS_PARAM, of_params};
use crate::rng::Stream;

/// Takes the best board after its move.
#[derive(Default)]
pub struct Greedy {
    evaluators: EvaluatorCache,
    /// Chooses instead, where there is a file of weights.
    learned: Option<Planner>,
}

impl Player<SixtySeven> for Greedy {
    fn choose(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &mut Stream,
    ) -> Direction {
        if let Some(learned) = &mut self.learned {
            return learned.choose(game, state, legal, stream);
        }
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

    fn look(&mut self, game: &SixtySeven, tiles: Tiles<'_>) -> Option<Look> {
        if self.learned.is_some() {
            return None;
        }
        let Evaluator { field, evaluation } = self.evaluators.of(game);
        let shows_target = |(_, &number): (&u8, &f64)| number == game.target as f64;
        let position = field.tiles(tiles);
        let legal = field.legal(&position).mask;
        // Boards that are over are left to the state, which says why.
        if legal == 0 || tiles.0.iter().zip(tiles.1).any(shows_target) {
            return None;
        }
        let mut best = (i64::MIN, None);
        let mut values = [f64::NAN; 4];
        for direction in Direction::ALL {
            if legal >> direction as u8 & 1 == 0 {
                continue;
            }
            let mut after = position;
            let (odds, value) = match field.advance(&mut after, direction) {
                Step::Won => (i64::MAX, 1.0),
                Step::Lost => (i64::MIN, 0.0),
                Step::On => {
                    let odds = evaluation.odds(field, &after);
                    (odds.into(), logistic(odds).into())
                }
            };
            values[direction as usize] = value;
            if best.1.is_none() || odds > best.0 {
                best = (odds, Some(direction));
            }
        }
        let chosen = best.1.expect("a direction is legal") as u8;
        Some(Look { chosen, values })
    }

    /// The chance of winning that the evaluation gives each board.
    fn evaluate(
        &mut self,
        game: &SixtySeven,
        state: &State,
        legal: &[Direction],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        if let Some(learned) = &mut self.learned {
            return learned.evaluate(game, state, legal, stream);
        }
        let evaluator = self.evaluators.of(game);
        Some(evaluator.values(state, legal, |after| {
            evaluator.evaluation.chance(&evaluator.field, after).into()
        }))
    }

    fn scale(&self, _: &SixtySeven, _: &State) -> Scale {
        Scale::Chance
    }
}

impl NamedPlayer<SixtySeven> for Greedy {
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "moves to the board of the best learned evaluation";
    const PARAMS: &'static [ParamSpec] = &[WEIGHTS_PARAM];
    const BATCH_GAMES: u64 = 64;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let learned = of_params(params)?.map(Planner::greedy);
        Ok(Self {
            evaluators: EvaluatorCache::default(),
            learned,
        })
    }

    fn fits(&self, game: &SixtySeven) -> Result<(), ParamError> {
        self.learned
            .as_ref()
            .map_or(Ok(()), |learned| learned.fits(game))
    }

    fn check(game: &SixtySeven) -> Result<(), ParamError> {
        super::check(game, Self::NAME, super::field::SIDE_MAX)
    }
}
