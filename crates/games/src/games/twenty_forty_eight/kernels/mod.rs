//! The lock-step engine compiled for the vectors of the machine.
//!
//! The algorithm is written once, in `lockstep` of this game; a kernel is that code inlined into a
//! function for which the compiler may use more instructions. The kernel is chosen when the job is
//! built.

use super::TwentyFortyEight;
use super::lockstep::Lockstep;
use super::stepping::PackedTable;
use crate::game::job::EachPlayed;
use crate::game::registry::BuiltJob;
use crate::game::stepping::Table;
use crate::game::{BatchEngine, KernelChoice, KernelEntry};
use crate::games::kernels::{AVX2_NEEDS, AVX512_NEEDS, Work};
#[cfg(target_arch = "x86_64")]
use crate::games::kernels::{Avx2, Avx512};
use crate::players::random::RandomJob;
use crate::rng::CellSeeds;
use std::ops::Range;

/// The kernels, slowest first.
pub const KERNELS: &[KernelEntry] = &[
    KernelEntry {
        choice: KernelChoice::Portable,
        summary: "4×4 boards in 64-bit words, random player, games in lock-step",
        needs: "nothing",
        available: || Kernel::new(KernelChoice::Portable).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx2,
        summary: "4×4 boards, random player, in vectors of 4 games",
        needs: AVX2_NEEDS,
        available: || Kernel::new(KernelChoice::Avx2).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx512,
        summary: "4×4 boards, random player, in vectors of 8 games",
        needs: AVX512_NEEDS,
        available: || Kernel::new(KernelChoice::Avx512).is_some(),
    },
];

/// What the kernels play.
const FITTING: &str =
    "boards of 4×4 with powers of two from 2 to 32768 that sum to less than 65529";
/// What it costs when the kernels do not play a game.
const SLOWER: &str = "the reference plays these games, about 10 times slower";

/// A kernel that fits the machine.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Two games a vector.
    Portable,
    /// Four games a vector.
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    /// Eight games a vector.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Kernel {
    /// The kernel with this name; `None` when the machine lacks its instructions. `Auto` is the
    /// fastest that it has.
    pub fn new(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Auto => KERNELS
                .iter()
                .rev()
                .find_map(|entry| Self::new(entry.choice)),
            KernelChoice::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx2 => Avx2::new().map(Self::Avx2),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx512 => Avx512::new().map(Self::Avx512),
            _ => None,
        }
    }

    /// The name on the command line.
    pub fn name(self) -> &'static str {
        let choice = match self {
            Self::Portable => KernelChoice::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(_) => KernelChoice::Avx2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => KernelChoice::Avx512,
        };
        choice.name()
    }

    fn play(self, games: Play<'_>) {
        match self {
            Self::Portable => games.run(),
            #[cfg(target_arch = "x86_64")]
            Self::Avx2(token) => token.run(games),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(token) => token.run(games),
        }
    }
}

/// The games that [`Lockstep::play`] plays, as work for an instruction set.
struct Play<'a> {
    lockstep: &'a Lockstep,
    seeds: CellSeeds,
    games: Range<u64>,
    each: EachPlayed<'a>,
}

impl Work for Play<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.lockstep.play(self.seeds, self.games, self.each);
    }
}

/// The random player's games in lock-step.
struct LockstepEngine {
    lockstep: Lockstep,
    kernel: Kernel,
}

impl BatchEngine<TwentyFortyEight> for LockstepEngine {
    fn play(&self, seeds: CellSeeds, games: Range<u64>, each: EachPlayed<'_>) {
        let lockstep = &self.lockstep;
        self.kernel.play(Play {
            lockstep,
            seeds,
            games,
            each,
        });
    }

    /// Packed boards are stepped, since playing in lock-step hands out no boards.
    fn table(
        &self,
        game: &TwentyFortyEight,
        seeds: CellSeeds,
        slots: usize,
    ) -> Option<Box<dyn Table>> {
        PackedTable::new(game, seeds, slots).map(|table| Box::new(table) as Box<dyn Table>)
    }
}

/// Lets a kernel play the random player's games, unless the reference was asked for or `auto` finds
/// no kernel that fits.
///
/// # Errors
/// Returns an error if a kernel was requested by name that does not support the rules or the
/// machine.
pub fn job(mut job: RandomJob<TwentyFortyEight>, choice: KernelChoice) -> BuiltJob {
    if choice == KernelChoice::Reference {
        return Ok(Box::new(job));
    }
    let refuse = |reason: &str| {
        let why = format!("cannot play this: {reason}; reference and auto can");
        Err(choice.refused(&why))
    };
    match (Lockstep::new(&job.game), Kernel::new(choice)) {
        (Some(lockstep), Some(kernel)) => {
            job.kernel = kernel.name();
            // About 10 ms of work.
            job.batch_games = 8192;
            job.engine = Some(Box::new(LockstepEngine { lockstep, kernel }));
        }
        (None, _) if choice == KernelChoice::Auto => {
            job.fallback = Some(format!("kernels play {FITTING}; {SLOWER}"));
        }
        (None, _) => return refuse(&format!("it plays {FITTING}")),
        (Some(_), None) => return refuse("this machine lacks its instructions"),
    }
    Ok(Box::new(job))
}
