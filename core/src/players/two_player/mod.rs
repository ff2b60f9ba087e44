//! The players of two-player games and the games of two of them ([`seats`]).
//!
//! They are written once over [`TwoPlayer`]; only the evaluations belong to a game. A seat holds
//! its player in a box, so a choice costs one virtual call, which is negligible compared with a
//! search or a list of moves.

pub mod alpha_beta;
pub mod exact;
pub mod greedy;
pub mod minimax;
pub mod monte_carlo;
pub mod seats;

use super::random::Random;
use crate::game::registry::{NamedPlayer, PlayerEntry};
use crate::games::offset::{self, Offset};
use crate::games::two_player::{SeatPlayer, TwoPlayer, TwoPlayerGame};
use crate::games::zero_sum::ZeroSum;
use crate::params::{ParamError, Params};
use std::any::{Any, TypeId};

/// The players of Offset, the default first.
pub static OFFSET: &[PlayerEntry] = &[
    entry::<Offset, Random>(),
    entry::<Offset, greedy::Greedy<offset::Move>>(),
    entry::<Offset, greedy::Mobility<offset::Move>>(),
    entry::<Offset, minimax::Minimax<offset::Move>>().with_params(&minimax::params(2, 16)),
    entry::<Offset, alpha_beta::AlphaBeta<offset::Move>>()
        .with_params(&alpha_beta::params(4, 16, 14)),
    entry::<Offset, monte_carlo::MonteCarlo<offset::Move>>()
        .with_params(&monte_carlo::params(2, 16)),
];

/// The players of the multiplication game, the default first.
pub static ZERO_SUM: &[PlayerEntry] = &[
    entry::<ZeroSum, Random>(),
    entry::<ZeroSum, greedy::Greedy<u8>>(),
    entry::<ZeroSum, minimax::Minimax<u8>>(),
    entry::<ZeroSum, alpha_beta::AlphaBeta<u8>>(),
    entry::<ZeroSum, monte_carlo::MonteCarlo<u8>>(),
    entry::<ZeroSum, exact::Exact>(),
];

/// The entry of the player `P` of the two-player game `G`.
#[must_use]
pub const fn entry<G, P>() -> PlayerEntry
where
    G: TwoPlayerGame,
    P: NamedPlayer<G> + SeatPlayer<G> + SeatPlayer<G::Plain>,
{
    PlayerEntry {
        name: P::NAME,
        summary: P::SUMMARY,
        params: P::PARAMS,
        chance: P::CHANCE,
        searches: P::SEARCHES,
        build: seats::build::<G>,
        seat: Some(make_seat::<G, P>),
    }
}

/// The player for the fast rules if `rules` names them, otherwise for the reference.
fn make_seat<G, P>(rules: TypeId, params: &Params) -> Result<Box<dyn Any>, ParamError>
where
    G: TwoPlayerGame,
    P: NamedPlayer<G> + SeatPlayer<G> + SeatPlayer<G::Plain>,
{
    let player = P::build(params)?;
    Ok(if rules == TypeId::of::<G>() {
        boxed::<G, P>(player)
    } else {
        boxed::<G::Plain, P>(player)
    })
}

fn boxed<G: TwoPlayer, P: SeatPlayer<G>>(player: P) -> Box<dyn Any> {
    let player: Box<dyn SeatPlayer<G>> = Box::new(player);
    Box::new(player)
}
