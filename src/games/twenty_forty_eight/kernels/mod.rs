//! The lock-step engine compiled for the vectors of the machine, and the job that plays it.
//!
//! The algorithm is written once, in `lockstep` of this game; a kernel is that code inlined into a
//! function for which the compiler may use more of the machine. Which one plays is decided when the
//! job is built.
#![allow(unsafe_code)]

use super::TwentyFortyEight;
use super::lockstep::Lockstep;
use super::stepping::PackedTable;
use crate::game::stepping::play_at_random;
use crate::game::{
    Each, EachPosition, Job, KernelChoice, KernelEntry, LoopJob, Measure, Outcome, Player, Tally, play_game,
};
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
        needs: "x86-64 with AVX2, BMI2",
        available: || Kernel::new(KernelChoice::Bmi2).is_some(),
    },
    KernelEntry {
        choice: KernelChoice::Avx512,
        summary: "the same in vectors of 8 games",
        needs: "x86-64 with AVX-512 F, BW, DQ, VL",
        available: || Kernel::new(KernelChoice::Avx512).is_some(),
    },
];

/// What the kernels play.
const FITTING: &str = "boards of 4×4 with powers of two from 2 to 32768 that sum to less than 65529";
/// What it costs when they do not.
const SLOWER: &str = "the reference plays these games, about 10 times slower";

/// A kernel that fits the machine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Kernel(KernelChoice);

impl Kernel {
    /// The kernel with this name; `None` when the machine lacks its instructions. `Auto` is the
    /// fastest that it has.
    #[must_use]
    pub fn new(choice: KernelChoice) -> Option<Self> {
        match choice {
            KernelChoice::Auto => {
                [KernelChoice::Avx512, KernelChoice::Bmi2, KernelChoice::Portable].into_iter().find_map(Self::new)
            }
            KernelChoice::Reference | KernelChoice::Neon | KernelChoice::Simd128 => None,
            KernelChoice::Portable => Some(Self(choice)),
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Bmi2 => {
                (is_x86_feature_detected!("avx2") && is_x86_feature_detected!("bmi2")).then_some(Self(choice))
            }
            #[cfg(target_arch = "x86_64")]
            KernelChoice::Avx512 => (is_x86_feature_detected!("avx512f")
                && is_x86_feature_detected!("avx512bw")
                && is_x86_feature_detected!("avx512dq")
                && is_x86_feature_detected!("avx512vl"))
            .then_some(Self(choice)),
            #[cfg(not(target_arch = "x86_64"))]
            KernelChoice::Bmi2 | KernelChoice::Avx512 => None,
        }
    }

    /// The name on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        self.0.name()
    }

    fn play(
        self,
        lockstep: &Lockstep,
        seeds: CellSeeds,
        games: Range<u64>,
        each: &mut dyn FnMut(u64, Option<Outcome>),
    ) {
        match self.0 {
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::new` has found AVX2 and BMI2 on this machine.
            KernelChoice::Bmi2 => unsafe { play_avx2(lockstep, seeds, games, each) },
            #[cfg(target_arch = "x86_64")]
            // SAFETY: `Kernel::new` has found AVX-512 F, BW, DQ and VL on this machine.
            KernelChoice::Avx512 => unsafe { play_avx512(lockstep, seeds, games, each) },
            _ => lockstep.play(seeds, games, each),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn play_avx2(lockstep: &Lockstep, seeds: CellSeeds, games: Range<u64>, each: &mut dyn FnMut(u64, Option<Outcome>)) {
    lockstep.play(seeds, games, each);
}

#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "avx512f,avx512bw,avx512dq,avx512vl,avx2,bmi1,bmi2,lzcnt,popcnt")]
fn play_avx512(lockstep: &Lockstep, seeds: CellSeeds, games: Range<u64>, each: &mut dyn FnMut(u64, Option<Outcome>)) {
    lockstep.play(seeds, games, each);
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
    /// When a kernel was asked for by name that does not fit the rules or the machine.
    pub fn new(
        reference: LoopJob<TwentyFortyEight, F>,
        choice: KernelChoice,
    ) -> Result<Result<Self, LoopJob<TwentyFortyEight, F>>, ParamError> {
        if choice == KernelChoice::Reference {
            return Ok(Err(reference));
        }
        let refuse = |reason: &str| {
            ParamError::new("kernel", format!("{} cannot play this: {reason}; reference and auto can", choice.name()))
        };
        match (Lockstep::new(&reference.game), Kernel::new(choice)) {
            (Some(lockstep), Some(kernel)) => Ok(Ok(Self { lockstep, kernel, reference })),
            (lockstep, _) if choice == KernelChoice::Auto => {
                let fallback = lockstep.is_none().then(|| format!("kernels play {FITTING}; {SLOWER}"));
                Ok(Err(LoopJob { fallback, ..reference }))
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
        let LoopJob { game, player, seeds, .. } = &self.reference;
        let mut handed_back = Vec::new();
        self.kernel.play(&self.lockstep, *seeds, games, &mut |index, outcome| match outcome {
            Some(outcome) => add(index, &outcome),
            None => handed_back.push(index),
        });
        for index in handed_back {
            let world = seeds.world_stream(index);
            let stream = seeds.player_stream(index);
            add(index, &play_game(game, &mut player(), world, stream, &mut Vec::new(), None));
        }
    }

    /// Packed boards are stepped, since playing in lock-step hands out no boards.
    fn play_positions(&self, games: Range<u64>, tally: &mut Tally, each: EachPosition<'_>) {
        let LoopJob { game, seeds, .. } = &self.reference;
        let Some(mut table) = PackedTable::new(game, *seeds, STEPPED) else {
            return self.reference.play_positions(games, tally, each);
        };
        play_at_random(&mut table, *seeds, games, &mut |index, outcome, position| {
            tally.add(outcome);
            each(index, outcome, position);
        });
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(serde_json::Value)) -> Outcome {
        self.reference.replay(game, line)
    }

    fn check_positions(&self, game: u64) -> Result<(), String> {
        self.reference.check_positions(game)
    }
}
