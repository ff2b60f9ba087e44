//! Random games of the Monte Carlo player ([`crate::players::monte_carlo`]) of games with points:
//! the largest sum of final margins.
//!
//! The `width` most promising moves are compared, each by games of its own. A node is a position
//! reached in a random game.
//!
//! Draw protocol (player stream): the moves in the order of their ordering scores, their games one
//! after another, one word a random choice; `below(n)` picks among the `n` legal moves in the
//! game's fixed order.

use crate::game::{Game, Player, Scale};
use crate::games::two_player::{Ranking, TwoPlayer};
use crate::params::{ParamSpec, Params};
use crate::players::clock::BUDGET_PARAM;
use crate::players::monte_carlo::{self, Open, Playouts};
use crate::players::random::Random;
use crate::rng::Stream;

/// The parameters of the player, with a game's own defaults.
pub const fn params(playouts: i64, width: i64) -> [ParamSpec; 3] {
    [
        ParamSpec::int("playouts", 1..=1 << 20, Some(playouts))
            .main("random games per move that is searched"),
        super::alpha_beta::width_param(width),
        BUDGET_PARAM,
    ]
}

/// Compares moves by the margins of random games.
pub type MonteCarlo<G> = monte_carlo::MonteCarlo<Margins<G>>;

/// Random games after promising moves, and their margins.
pub struct Margins<G: Game> {
    width: usize,
    ranking: Ranking<G::Move>,
    nodes: u64,
}

impl<G: TwoPlayer> Playouts<G> for Margins<G> {
    const SUMMARY: &'static str = "plays random games from each promising move; chooses the move with the largest mean margin";
    const PARAMS: &'static [ParamSpec] = &params(64, 0);
    const SCALE: Scale = Scale::Margin { unit: 1 };
    const LOOKS: bool = false;
    type Sum = i64;

    fn new(params: &Params) -> Self {
        Self {
            width: params.count("width") as usize,
            ranking: Ranking::default(),
            nodes: 0,
        }
    }

    fn open(
        &mut self,
        game: &G,
        state: &G::State,
        _: &[G::Move],
        _: &mut [Option<f64>],
    ) -> Open<G::Move> {
        self.ranking.rank(game, state, self.width);
        self.ranking.iter().collect()
    }

    fn play(
        &mut self,
        game: &G,
        state: &G::State,
        open: &[(u32, G::Move)],
        stream: &mut Stream,
        playouts: u64,
        sums: &mut [i64],
    ) {
        let seat = game.seat(state);
        for (sum, &(_, chosen)) in sums.iter_mut().zip(open) {
            for _ in 0..playouts {
                let mut playout = state.clone();
                game.play(&mut playout, chosen);
                self.nodes += 1;
                while game.outcome(&playout).is_none() {
                    let next = Random.choose(game, &playout, &[], stream);
                    game.play(&mut playout, next);
                    self.nodes += 1;
                }
                *sum += game.margin(&playout, seat);
            }
        }
    }

    fn value(&self, sum: i64, playouts: u64) -> f64 {
        sum as f64 / playouts as f64
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}
