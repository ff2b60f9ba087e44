//! The uniformly random player.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` legal moves in
//! the game's fixed order.

use crate::game::registry::{BATCHES, BuiltJob, NamedPlayer, PlayableGame, Setup};
use crate::game::splitting::is_split;
use crate::game::{Game, KernelChoice, LoopJob, Player, Sampling};
use crate::params::{ParamError, Params};
use crate::rng::{Draw, Stream};

/// Chooses uniformly among the legal moves.
#[derive(Clone, Copy, Debug, Default)]
pub struct Random;

impl<G: Game> Player<G> for Random {
    fn needs_list(&self, _seat: usize) -> bool {
        !G::PICKS_MOVES
    }

    #[inline]
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        let mut draw = Draw::next(stream);
        if legal.is_empty() {
            let count = game.legal_count(state) as u64;
            return game.nth_legal(state, draw.below(count) as usize);
        }
        legal[draw.below(legal.len() as u64) as usize]
    }
}

/// The games of the random player, played by the loop over turns.
pub type RandomJob<G> = LoopJob<G, fn() -> Random>;

impl<G: Game> NamedPlayer<G> for Random {
    const NAME: &'static str = "random";
    const SUMMARY: &'static str = "chooses uniformly among the legal moves";

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self)
    }

    fn job(game: G, setup: &Setup<'_>) -> BuiltJob
    where
        G: PlayableGame,
    {
        let reference = LoopJob {
            batch_games: G::ENTRY.batch_games,
            ..RandomJob::new(game, || Self, setup.seeds)
        };
        if BATCHES {
            if is_split(setup.params) {
                return G::split_job(reference, setup);
            }
            G::random_job(reference, setup)
        } else if matches!(setup.kernel, KernelChoice::Auto | KernelChoice::Reference)
            && (G::ENTRY.sampling)(setup.params) == Sampling::Plain
        {
            Ok(Box::new(reference))
        } else {
            let message = "kernels, lanes and splitting need a build with the feature kernels";
            Err(ParamError::new("kernel", message))
        }
    }
}
