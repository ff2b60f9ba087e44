//! Cells of 67! that a kernel plays.

use super::SixtySeven;
use super::kernels::{KERNELS, Kernel};
use crate::game::{Job, KernelChoice, LoopJob, Measure, Outcome, Player, Tally};
use crate::params::ParamError;
use std::ops::Range;

/// Boards with more cells than this go in smaller batches.
const SMALL_CELLS: usize = 64;

/// The kernel that was asked for; `None` when the reference is to play: because it was asked for, or because no kernel fits what
/// `auto` was asked to play.
///
/// # Errors
/// When the kernel asked for by name does not fit the rules or the machine.
pub fn kernel(choice: KernelChoice, game: &SixtySeven) -> Result<Option<Kernel>, ParamError> {
    match choice {
        KernelChoice::Reference => Ok(None),
        KernelChoice::Auto => Ok(Kernel::new(choice, game).ok()),
        named => Kernel::new(named, game).map(Some).map_err(|reason| {
            let here = KERNELS.iter().filter(|entry| (entry.available)()).map(|entry| entry.choice.name());
            let here: Vec<&str> = here.collect();
            ParamError::new(
                "kernel",
                format!(
                    "{} cannot play this: {reason}; there are on this machine: auto, reference, {}",
                    named.name(),
                    here.join(", ")
                ),
            )
        }),
    }
}

/// The random player's games through a kernel; transcripts come from the reference, which plays the same games.
pub struct KernelJob<F> {
    /// Plays the batches.
    pub kernel: Kernel,
    /// The same games through the generic loop.
    pub reference: LoopJob<SixtySeven, F>,
}

impl<P, F> Job for KernelJob<F>
where
    P: Player<SixtySeven>,
    F: Fn() -> P + Send + Sync,
{
    fn measures(&self) -> &'static [Measure] {
        self.reference.measures()
    }

    fn kernel(&self) -> &'static str {
        self.kernel.name()
    }

    fn batch_games(&self) -> u64 {
        // About 10 ms of work.
        if self.kernel.cells() <= SMALL_CELLS { 10_000 } else { 2_000 }
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally) {
        self.kernel.play(self.reference.seeds, games, &mut |ended| tally.add(&ended.outcome()));
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(serde_json::Value)) -> Outcome {
        self.reference.replay(game, line)
    }

    fn check_positions(&self, game: u64) -> Result<(), String> {
        self.reference.check_positions(game)
    }
}
