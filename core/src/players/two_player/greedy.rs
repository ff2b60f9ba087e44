//! The greedy player for two-player games: takes the largest immediate gain.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` moves of the
//! largest gain in the game's fixed order.

use crate::game::Scale;
use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::games::two_player::{SeatPlayer, TwoPlayer};
use crate::params::{ParamError, Params};
use crate::rng::{Draw, Stream};

/// Chooses among the moves of the highest value, each equally likely, with one word of the stream.
#[derive(Clone, Debug)]
pub(super) struct Best<M> {
    legal: Vec<M>,
    best: Vec<M>,
}

impl<M> Default for Best<M> {
    fn default() -> Self {
        Self {
            legal: Vec::new(),
            best: Vec::new(),
        }
    }
}

impl<M: Copy> Best<M> {
    pub(super) fn choose<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        stream: &mut Stream,
        mut value: impl FnMut(M) -> i64,
    ) -> M {
        self.legal.clear();
        game.legal(state, &mut self.legal);
        let mut highest = i64::MIN;
        for &chosen in &self.legal {
            let value = value(chosen);
            if value > highest {
                highest = value;
                self.best.clear();
            }
            if value == highest {
                self.best.push(chosen);
            }
        }
        self.best[Draw::next(stream).below(self.best.len() as u64) as usize]
    }
}

/// Takes the largest gain at once.
#[derive(Clone, Debug)]
pub struct Greedy<M>(Best<M>);

impl<M> Default for Greedy<M> {
    fn default() -> Self {
        Self(Best::default())
    }
}

impl<M: Copy> Greedy<M> {
    /// Chooses a legal move.
    pub fn choose<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        stream: &mut Stream,
    ) -> M {
        self.0
            .choose(game, state, stream, |chosen| game.gain(state, chosen))
    }
}

impl<M, G> NamedPlayer<G> for Greedy<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: PlayableGame + TwoPlayer<Move = M>,
{
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "raises its margin at once by as much as it can; ties at random";

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self::default())
    }
}

impl<M, G> SeatPlayer<G> for Greedy<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: TwoPlayer<Move = M>,
{
    fn choose(&mut self, game: &G, state: &G::State, stream: &mut Stream) -> M {
        Self::choose(self, game, state, stream)
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[M],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        Some(
            legal
                .iter()
                .map(|&chosen| Some(game.gain(state, chosen) as f64))
                .collect(),
        )
    }

    fn scale(&self, _game: &G) -> Scale {
        Scale::Margin { unit: 1 }
    }
}
