//! The flat Monte Carlo player for two-player games: random games after each move.
//!
//! Each of the `width` most promising moves gets `playouts` games played at random to their end;
//! the move with the largest sum of final margins is chosen; ties go to the first in the game's
//! fixed order. A node is a position reached in a playout. With `budget_ms` it plays one game after
//! each move in turn until the time is over; `playouts` does not matter then.
//!
//! Draw protocol (player stream): the moves in the order of their ordering scores, their playouts
//! one after another, one word a random choice; `below(n)` picks among the `n` legal moves in the
//! game's fixed order.

use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::game::{Player, Scale};
use crate::games::two_player::{Ranking, TwoPlayer};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock, budget};
use crate::rng::{Draw, Stream};
use std::cmp::Reverse;

/// Its parameters, with a game's own defaults.
#[must_use]
pub const fn params(playouts: i64, width: i64) -> [ParamSpec; 3] {
    [
        ParamSpec::int("playouts", 1..=1 << 20, Some(playouts))
            .main("random games a move that is looked at"),
        super::minimax::width_param(width),
        BUDGET_PARAM,
    ]
}

/// Plays random games from after each promising move.
#[derive(Debug)]
pub struct MonteCarlo<M> {
    playouts: usize,
    width: usize,
    ranking: Ranking<M>,
    /// The sum of the margins after each ranked move.
    sums: Vec<i64>,
    nodes: u64,
    clock: Clock,
}

impl<M: Copy> MonteCarlo<M> {
    /// Plays random games from after each promising move and passes on the sum of their margins,
    /// with the move's place in the game's fixed order. Returns how many games each move got.
    fn play_out<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        stream: &mut Stream,
        mut found: impl FnMut(i64, u32, M),
    ) -> usize {
        self.clock.start();
        self.ranking.rank(game, state, self.width);
        self.sums.clear();
        self.sums.resize(self.ranking.len(), 0);
        let mut playouts = 0;
        if self.clock.is_set() {
            while playouts == 0 || !self.clock.has_passed(1.0) {
                self.round(game, state, stream, 1);
                playouts += 1;
            }
        } else {
            playouts = self.playouts;
            self.round(game, state, stream, playouts);
        }
        for (&sum, (place, chosen)) in self.sums.iter().zip(self.ranking.iter()) {
            found(sum, place, chosen);
        }
        playouts
    }

    /// Plays this many games from after each ranked move.
    fn round<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        state: &G::State,
        stream: &mut Stream,
        playouts: usize,
    ) {
        let seat = game.seat(state);
        for (sum, (_, chosen)) in self.sums.iter_mut().zip(self.ranking.iter()) {
            for _ in 0..playouts {
                let mut playout = state.clone();
                game.play(&mut playout, chosen);
                self.nodes += 1;
                while game.outcome(&playout).is_none() {
                    let index =
                        Draw::next(stream).below(game.legal_count(&playout) as u64) as usize;
                    let next = game.nth_legal(&playout, index);
                    game.play(&mut playout, next);
                    self.nodes += 1;
                }
                *sum += game.margin(&playout, seat);
            }
        }
    }
}

impl<M, G> NamedPlayer<G> for MonteCarlo<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: PlayableGame + TwoPlayer<Move = M>,
{
    const NAME: &'static str = "monte-carlo";
    const SUMMARY: &'static str =
        "plays random games from after each promising move; the largest mean margin";
    const PARAMS: &'static [ParamSpec] = &params(64, 0);
    const SEARCHES: bool = true;

    fn build(params: &Params) -> Result<Self, ParamError> {
        let int = |name| params.int(name).expect("a parameter with a default") as usize;
        Ok(Self {
            playouts: int("playouts"),
            width: int("width"),
            ranking: Ranking::default(),
            sums: Vec::new(),
            nodes: 0,
            clock: Clock::new(budget(params)),
        })
    }
}

impl<M, G> Player<G> for MonteCarlo<M>
where
    M: Copy + PartialEq + Send + 'static,
    G: TwoPlayer<Move = M>,
{
    fn needs_list(&self, _seat: usize) -> bool {
        false
    }

    fn choose(&mut self, game: &G, state: &G::State, _: &[M], stream: &mut Stream) -> M {
        let mut best: Option<(i64, Reverse<u32>, M)> = None;
        self.play_out(game, state, stream, |sum, place, chosen| {
            let place = Reverse(place);
            if best.is_none_or(|(known, known_place, _)| (sum, place) > (known, known_place)) {
                best = Some((sum, place, chosen));
            }
        });
        best.expect("a seat to move has a legal move").2
    }

    /// The mean margin after each move; `None` for moves beyond the width.
    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[M],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let mut values = vec![None; legal.len()];
        let playouts = self.play_out(game, state, &mut stream.clone(), |sum, place, _| {
            values[place as usize] = Some(sum as f64);
        });
        let mean = |sum: Option<f64>| sum.map(|sum| sum / playouts as f64);
        Some(values.into_iter().map(mean).collect())
    }

    fn scale(&self, _: &G, _: &G::State) -> Scale {
        Scale::Margin { unit: 1 }
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}
