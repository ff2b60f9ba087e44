//! The players of 2048, one file each.

mod boards;
pub mod corner;
pub mod expectimax;
mod kernels;
pub mod learning;
pub mod network;
pub mod original_lookahead;

use super::mcts::Mcts;
use super::monte_carlo::{ByRules, MonteCarlo};
use super::random::Random;
use crate::game::registry::PlayerEntry;
use crate::games::twenty_forty_eight::TwentyFortyEight;

/// The players of 2048, the default first.
pub const PLAYERS: &[PlayerEntry] = &[
    PlayerEntry::of::<TwentyFortyEight, Random>(),
    PlayerEntry::of::<TwentyFortyEight, corner::Corner>(),
    PlayerEntry::of::<TwentyFortyEight, MonteCarlo<ByRules<TwentyFortyEight>>>(),
    PlayerEntry::of::<TwentyFortyEight, Mcts<TwentyFortyEight>>(),
    PlayerEntry::of::<TwentyFortyEight, original_lookahead::OriginalLookahead>(),
    PlayerEntry::of::<TwentyFortyEight, expectimax::Expectimax>(),
];
