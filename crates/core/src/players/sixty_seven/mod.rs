//! The players of 67!, one file each, and their shared code.
//!
//! `greedy`, `expectimax` and `planner` evaluate boards ([`tokens`], up to 8 × 8) by a network
//! ([`network`], [`learning`]) that is built in ([`networks`]) or read from a file. `monte-carlo`
//! uses the kernels, up to 16 × 16. All players except `random` and `cycle` choose a direction that
//! wins at once if there is one, the first in the order up, down, left, right.
//!
//! A player draws one word per choice from its own stream, and seeds all its samples from it. Every
//! direction gets the same samples, so that differences between directions are not due to luck.

pub mod cycle;
pub mod expectimax;
pub mod greedy;
pub mod learning;
pub mod monte_carlo;
pub mod network;
pub mod networks;
pub mod planner;
pub mod tokens;

use super::random::Random;
use crate::game::KernelChoice;
use crate::game::registry::PlayerEntry;
use crate::games::sixty_seven::SixtySeven;
use crate::games::sixty_seven::kernels::Kernel;
use crate::params::ParamError;
use tokens::{NUMBER_MAX, SIDE_MAX};

/// The players of 67!, the default first.
pub static PLAYERS: &[PlayerEntry] = &[
    PlayerEntry::of::<SixtySeven, Random>(),
    PlayerEntry::of::<SixtySeven, cycle::Cycle>(),
    PlayerEntry::of::<SixtySeven, greedy::Greedy>(),
    PlayerEntry::of::<SixtySeven, monte_carlo::MonteCarlo>(),
    PlayerEntry::of::<SixtySeven, expectimax::Expectimax>(),
    PlayerEntry::of::<SixtySeven, planner::Planner>(),
];

/// Checks whether look-ahead players support a game.
///
/// # Errors
/// Returns an error that names the unsupported parameter of the game and the supported values.
pub fn check(game: &SixtySeven, player: &str, side_max: usize) -> Result<(), ParamError> {
    if game.rows.max(game.cols) > side_max {
        let rows = game.rows;
        let cols = game.cols;
        let message =
            format!("{player} plays boards up to {side_max}x{side_max}, not {rows}x{cols}");
        return Err(ParamError::new("size", message));
    }
    if let Err(reason) = Kernel::new(KernelChoice::Portable, game) {
        return Err(ParamError::new(
            "player",
            format!("{player} cannot play this: {reason}"),
        ));
    }
    if game.target_is_digit() {
        let message = format!(
            "{player} cannot play this: the target {} is itself a digit that appears",
            game.target
        );
        return Err(ParamError::new("target", message));
    }
    if game.target.abs() > NUMBER_MAX / 2 && side_max == SIDE_MAX {
        let message = format!(
            "{player} plays for targets within ± {}, not {}",
            NUMBER_MAX / 2,
            game.target
        );
        return Err(ParamError::new("target", message));
    }
    Ok(())
}
