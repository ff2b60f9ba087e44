//! The players of 67!, one file each, and their shared code.
//!
//! `cycle`, `greedy`, `expectimax` and `foresight` represent boards by [`field`], up to 8 × 8;
//! `planner`, and `greedy` with learned weights, by [`tokens`]. `monte-carlo`, and `foresight` for
//! its playouts, use the kernels, up to 16 × 16. Evaluations are learned: a small linear one
//! ([`evaluation`]), and a network ([`network`], [`learning`]) that is built in ([`networks`]) or
//! read from a file. All players except `cycle` choose a direction that wins at once if there is
//! one, the first in the order up, down, left, right.
//!
//! A player draws one word per choice from its own stream, and seeds all its samples from it. Every
//! direction gets the same samples, so that differences between directions are not due to luck.

pub mod cycle;
pub mod evaluation;
pub mod expectimax;
pub mod field;
pub mod foresight;
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
use crate::games::sixty_seven::kernels::Kernel;
use crate::games::sixty_seven::reference::State;
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::ParamError;
use evaluation::Evaluation;
use field::{Field, Position, SIDE_MAX, Step};

/// The players of 67!, the default first.
pub static PLAYERS: &[PlayerEntry] = &[
    PlayerEntry::of::<SixtySeven, Random>(),
    PlayerEntry::of::<SixtySeven, cycle::Cycle>(),
    PlayerEntry::of::<SixtySeven, greedy::Greedy>(),
    PlayerEntry::of::<SixtySeven, monte_carlo::MonteCarlo>(),
    PlayerEntry::of::<SixtySeven, expectimax::Expectimax>(),
    PlayerEntry::of::<SixtySeven, foresight::Foresight>(),
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
    if game.target.abs() > field::NUMBER_MAX / 2 && side_max == SIDE_MAX {
        let message = format!(
            "{player} plays for targets within ± {}, not {}",
            field::NUMBER_MAX / 2,
            game.target
        );
        return Err(ParamError::new("target", message));
    }
    Ok(())
}

/// A field with its evaluation.
#[derive(Clone)]
pub struct Evaluator {
    /// The board.
    pub field: Field,
    /// The value of boards.
    pub evaluation: Evaluation,
}

impl Evaluator {
    /// The evaluator of a game.
    #[must_use]
    pub fn new(game: &SixtySeven) -> Self {
        Self {
            field: Field::new(game),
            evaluation: Evaluation::of(game),
        }
    }

    /// The board after a move; `None` when the move wins.
    fn after(&self, position: &Position, direction: Direction) -> Option<(Position, Step)> {
        let mut after = *position;
        let step = self.field.advance(&mut after, direction);
        (step != Step::Won).then_some((after, step))
    }

    /// The value of each move: 1 if it wins, 0 if it ends the game otherwise, else `value` of the
    /// board after it.
    fn values(
        &self,
        state: &State,
        legal: &[Direction],
        mut value: impl FnMut(&Position) -> f64,
    ) -> Vec<Option<f64>> {
        let position = self.field.position(&state.board);
        let mut of = |direction: Direction| match self.after(&position, direction) {
            None => 1.0,
            Some((after, Step::On)) => value(&after),
            Some(_) => 0.0,
        };
        legal.iter().map(|&direction| Some(of(direction))).collect()
    }
}

/// Caches the evaluator of the last game.
#[derive(Default)]
struct EvaluatorCache(Option<Evaluator>);

impl EvaluatorCache {
    /// The evaluator of this game, rebuilt if the last game was different.
    fn of(&mut self, game: &SixtySeven) -> &Evaluator {
        if self
            .0
            .as_ref()
            .is_none_or(|evaluator| evaluator.field.game != *game)
        {
            self.0 = None;
        }
        self.0.get_or_insert_with(|| Evaluator::new(game))
    }
}

/// Caches the kernel for a player's playouts.
#[derive(Default)]
struct PlayoutKernel(Option<(SixtySeven, Kernel)>);

impl PlayoutKernel {
    /// The kernel for this game.
    fn of(&mut self, game: &SixtySeven) -> &Kernel {
        if self.0.as_ref().is_none_or(|(known, _)| known != game) {
            self.0 = None;
        }
        let make = || {
            Kernel::new(KernelChoice::Auto, game)
                .expect("the catalog has checked that a kernel fits")
        };
        &self.0.get_or_insert_with(|| (game.clone(), make())).1
    }
}
