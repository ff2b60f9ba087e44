//! The lock-step engine compiled for the vectors of the machine, and the job that plays it.
//!
//! The algorithm is written once, in `lockstep` of this game; a kernel is that code inlined into a
//! function for which the compiler may use more instructions. The kernel is chosen when the job is
//! built.

use super::TwentyFortyEight;
use super::lockstep::Lockstep;
use super::stepping::PackedTable;
use crate::game::stepping::play_at_random;
use crate::game::{
    Each, EachPosition, Job, KernelChoice, KernelEntry, LoopJob, Measure, Outcome, Player, Tally,
    play_game,
};
use crate::games::kernels::{AVX2_NEEDS, AVX512_NEEDS, Work};
#[cfg(target_arch = "x86_64")]
use crate::games::kernels::{Avx2, Avx512};
use crate::json::Json;
use crate::params::ParamError;
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
        choice: KernelChoice::Bmi2,
        summary: "the same in vectors of 4 games",
        needs: AVX2_NEEDS,
        available: || Kernel::new(KernelChoice::Bmi2).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx512,
        summary: "the same in vectors of 8 games",
        needs: AVX512_NEEDS,
        available: || Kernel::new(KernelChoice::Avx512).is_some(),
    },
];

/// What the kernels play.
const FITTING: &str =
    "boards of 4×4 with powers of two from 2 to 32768 that sum to less than 65529";
/// What it costs when they do not.
const SLOWER: &str = "the reference plays these games, about 10 times slower";

/// A kernel that fits the machine.
#[derive(Clone, Copy, Debug)]
pub enum Kernel {
    /// Two games a vector.
    Portable,
    /// Four games a vector.
    #[cfg(target_arch = "x86_64")]
    Bmi2(Avx2),
    /// Eight games a vector.
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Kernel {
    /// The kernel with this name; `None` when the machine lacks its instructions. `Auto` is the
    /// fastest that it has.
    #[must_use]
    pub fn new(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Auto => KERNELS
                .iter()
                .rev()
                .find_map(|entry| Self::new(entry.choice)),
            KernelChoice::Portable => Some(Self::Portable),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Bmi2 => Avx2::new().map(Self::Bmi2),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx512 => Avx512::new().map(Self::Avx512),
            _ => None,
        }
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        let choice = match self {
            Self::Portable => KernelChoice::Portable,
            #[cfg(target_arch = "x86_64")]
            Self::Bmi2(_) => KernelChoice::Bmi2,
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(_) => KernelChoice::Avx512,
        };
        choice.name()
    }

    fn play(self, games: Play<'_>) {
        match self {
            Self::Portable => games.run(),
            #[cfg(target_arch = "x86_64")]
            Self::Bmi2(token) => token.run(games),
            #[cfg(target_arch = "x86_64")]
            Self::Avx512(token) => token.run(games),
        }
    }
}

/// See [`Lockstep::play`].
struct Play<'a> {
    lockstep: &'a Lockstep,
    seeds: CellSeeds,
    games: Range<u64>,
    each: &'a mut dyn FnMut(u64, Option<Outcome>),
}

impl Work for Play<'_> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.lockstep.play(self.seeds, self.games, self.each);
    }
}

/// Games that are stepped together for their last positions.
const STEPPED: usize = 64;

/// The random player's games in lock-step; transcripts come from the reference, which plays the
/// same games.
pub struct LockstepJob<F> {
    lockstep: Lockstep,
    kernel: Kernel,
    reference: LoopJob<TwentyFortyEight, F>,
}

impl<F> LockstepJob<F> {
    /// The job, or the reference itself when that was asked for or when nothing else fits what
    /// `auto` was asked to play.
    ///
    /// # Errors
    /// Returns an error if a kernel was requested by name that does not support the rules or the
    /// machine.
    pub fn new(
        reference: LoopJob<TwentyFortyEight, F>,
        choice: KernelChoice,
    ) -> Result<Result<Self, LoopJob<TwentyFortyEight, F>>, ParamError> {
        if choice == KernelChoice::Reference {
            return Ok(Err(reference));
        }
        let refuse = |reason: &str| {
            ParamError::new(
                "kernel",
                format!(
                    "{} cannot play this: {reason}; reference and auto can",
                    choice.name()
                ),
            )
        };
        match (Lockstep::new(&reference.game), Kernel::new(choice)) {
            (Some(lockstep), Some(kernel)) => Ok(Ok(Self {
                lockstep,
                kernel,
                reference,
            })),
            (lockstep, _) if choice == KernelChoice::Auto => {
                let fallback = lockstep
                    .is_none()
                    .then(|| format!("kernels play {FITTING}; {SLOWER}"));
                Ok(Err(LoopJob {
                    fallback,
                    ..reference
                }))
            }
            (Some(_), None) => Err(refuse("this machine lacks its instructions")),
            (None, _) => Err(refuse(&format!("it plays {FITTING}"))),
        }
    }
}

impl<P, F> Job for LockstepJob<F>
where
    P: Player<TwentyFortyEight>,
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
        8192
    }

    fn play_each(&self, games: Range<u64>, tally: &mut Tally, mut each: Option<Each<'_>>) {
        let mut add = |index: u64, outcome: &Outcome| {
            tally.add(outcome);
            if let Some(each) = &mut each {
                each(index, outcome);
            }
        };
        let LoopJob {
            game,
            player,
            seeds,
            ..
        } = &self.reference;
        let mut handed_back = Vec::new();
        self.kernel.play(Play {
            lockstep: &self.lockstep,
            seeds: *seeds,
            games,
            each: &mut |index, outcome| match outcome {
                Some(outcome) => add(index, &outcome),
                None => handed_back.push(index),
            },
        });
        for index in handed_back {
            let world = seeds.world_stream(index);
            let stream = seeds.player_stream(index);
            add(
                index,
                &play_game(game, &mut player(), world, stream, &mut Vec::new(), None),
            );
        }
    }

    /// Packed boards are stepped, since playing in lock-step hands out no boards.
    fn play_positions(&self, games: Range<u64>, tally: &mut Tally, each: EachPosition<'_>) {
        let LoopJob { game, seeds, .. } = &self.reference;
        let Some(mut table) = PackedTable::new(game, *seeds, STEPPED) else {
            return self.reference.play_positions(games, tally, each);
        };
        play_at_random(
            &mut table,
            *seeds,
            games,
            &mut |index, outcome, position| {
                tally.add(outcome);
                each(index, outcome, position);
            },
        );
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        self.reference.replay(game, line)
    }
}
