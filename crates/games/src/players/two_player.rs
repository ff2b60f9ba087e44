//! The players of the games of two. All are written once for any such game, in the core.

pub use tilelab_core::players::two_player::*;

use super::mcts::Mcts;
use super::random::Random;
use crate::game::registry::PlayerEntry;
use crate::games::offset::Offset;
use crate::games::zero_sum::ZeroSum;

/// The players of Offset, the default first.
pub const OFFSET: &[PlayerEntry] = &[
    PlayerEntry::of::<Offset, Random>(),
    PlayerEntry::of::<Offset, greedy::Greedy<Offset>>(),
    PlayerEntry::of::<Offset, greedy::Mobility<Offset>>(),
    PlayerEntry::of::<Offset, Mcts<Offset>>(),
    PlayerEntry::of::<Offset, minimax::Minimax<Offset>>()
        .with_params(&alpha_beta::minimax_params(2, 16)),
    PlayerEntry::of::<Offset, alpha_beta::AlphaBeta<Offset>>()
        .with_params(&alpha_beta::params(4, 16, 14)),
    PlayerEntry::of::<Offset, monte_carlo::MonteCarlo<Offset>>()
        .with_params(&monte_carlo::params(2, 16)),
];

/// The players of the multiplication game, the default first.
pub const ZERO_SUM: &[PlayerEntry] = &[
    PlayerEntry::of::<ZeroSum, Random>(),
    PlayerEntry::of::<ZeroSum, greedy::Greedy<ZeroSum>>(),
    PlayerEntry::of::<ZeroSum, minimax::Minimax<ZeroSum>>(),
    PlayerEntry::of::<ZeroSum, alpha_beta::AlphaBeta<ZeroSum>>(),
    PlayerEntry::of::<ZeroSum, monte_carlo::MonteCarlo<ZeroSum>>(),
    PlayerEntry::of::<ZeroSum, Mcts<ZeroSum>>(),
    PlayerEntry::of::<ZeroSum, exact::Exact>(),
];
