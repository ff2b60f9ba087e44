//! Jobs for cells of 67! that a kernel plays.

use super::SixtySeven;
use super::kernels::{KERNELS, Kernel};
use super::lanes::{self, LANES, LaneMoves};
use super::reference::State;
use crate::game::job::EachPlayed;
use crate::game::registry::BATCHES;
use crate::game::session::{BoardRows, Session};
use crate::game::stepping::Table;
use crate::game::{
    BatchEngine, Describe, Game, GameObserver, Job, KernelChoice, LoopJob, Measure, Outcome,
    PositionError, Positions, Sampling, Tally, Trajectory, Turn,
};
use crate::json::Json;
use crate::params::ParamError;
use crate::players::random::RandomJob;
use crate::rng::CellSeeds;
use std::ops::Range;

/// Boards with more cells than this go in smaller batches.
pub(super) const SMALL_CELLS: usize = 64;

/// The requested kernel, for single games or value lanes. Where the reference plays because no
/// kernel fits what `auto` was asked to play: why, and about how much slower it is.
///
/// # Errors
/// Returns an error if the kernel requested by name does not support the rules or the machine.
pub fn kernel(
    choice: KernelChoice,
    game: &SixtySeven,
    in_lanes: bool,
) -> Result<(Option<Box<Kernel>>, Option<String>), ParamError> {
    let fitting = |choice| -> Result<_, String> {
        let kernel = Box::new(Kernel::new(choice, game)?);
        if in_lanes {
            kernel.check_lanes()?;
        }
        Ok((Some(kernel), None))
    };
    match choice {
        KernelChoice::Reference => Ok((None, None)),
        KernelChoice::Auto => Ok(fitting(choice).unwrap_or_else(|reason| {
            let slower = "the reference plays these games, tens of times slower";
            (None, Some(format!("{reason}; {slower}")))
        })),
        named => fitting(named).map_err(|reason| {
            let here = KERNELS
                .iter()
                .filter(|entry| (entry.available)())
                .map(|entry| entry.choice.name());
            let here: Vec<&str> = here.collect();
            named.refused(&format!(
                "cannot play this: {reason}; available on this machine: auto, reference, {}",
                here.join(", ")
            ))
        }),
    }
}

impl BatchEngine<SixtySeven> for Kernel {
    fn play(&self, seeds: CellSeeds, games: Range<u64>, each: EachPlayed<'_>) {
        self.play(seeds, games, &mut |ended| {
            each(ended.game, Some(&ended.outcome()));
        });
    }

    /// Kernels step the games, since numbers are exact there. They begin on blank boards, and
    /// neither look for the target among new tiles nor count these.
    fn table(&self, game: &SixtySeven, seeds: CellSeeds, slots: usize) -> Option<Box<dyn Table>> {
        (BATCHES && game.is_stepped_by_kernels() && !game.counted).then(|| self.table(seeds, slots))
    }
}

/// Games that come in trajectories of [`LANES`] value lanes, through a kernel or the lanes'
/// reference; random chooses.
pub struct LanesJob {
    /// Plays the batches; `None`: the reference does.
    pub kernel: Option<Box<Kernel>>,
    /// Rules and streams.
    pub reference: RandomJob<SixtySeven>,
}

impl Job for LanesJob {
    fn measures(&self) -> &'static [Measure] {
        SixtySeven::MEASURES
    }

    fn kernel(&self) -> &'static str {
        let kernel = self.kernel.as_ref();
        kernel.map_or(self.reference.kernel, |kernel| kernel.name())
    }

    fn fallback(&self) -> Option<&str> {
        self.reference.fallback()
    }

    fn batch_games(&self) -> u64 {
        let trajectories = match &self.kernel {
            Some(kernel) if kernel.cells() <= SMALL_CELLS => 16_384,
            Some(_) => 1_024,
            None => 16,
        };
        trajectories * LANES as u64
    }

    fn sampling(&self) -> Sampling {
        Sampling::Lanes(LANES as u64)
    }

    /// Kernels keep residues of the lanes' numbers, so that positions come from the plain engine.
    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let lanes = LANES as u64;
        assert!(
            games.start.is_multiple_of(lanes) && games.end.is_multiple_of(lanes),
            "{games:?} cuts a trajectory"
        );
        let trajectories = games.start / lanes..games.end / lanes;
        let positions = observer.as_ref().is_some_and(|observer| observer.positions);
        let LoopJob { game, seeds, .. } = &self.reference;
        let mut add = |trajectory: u64, moves: &LaneMoves, last: &[State]| {
            add_trajectory(tally, moves);
            let Some(observer) = &mut observer else {
                return;
            };
            for lane in 0..LANES {
                let position = last.get(lane).map(|last| game.position(last).to_string());
                (observer.each)(
                    trajectory * lanes + lane as u64,
                    &moves.outcome(lane),
                    &position.unwrap_or_default(),
                );
            }
        };
        match &self.kernel {
            Some(kernel) if !positions => {
                kernel.play_lanes(*seeds, trajectories, &mut |ended| {
                    add(ended.trajectory, &ended.moves(), &[]);
                });
            }
            _ => {
                for trajectory in trajectories {
                    let ended = lanes::play_trajectory(game, *seeds, trajectory, None);
                    let last = if positions { &ended.last[..] } else { &[] };
                    add(trajectory, &ended.moves, last);
                }
            }
        }
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let LoopJob {
            game: rules, seeds, ..
        } = &self.reference;
        let trajectory = game / LANES as u64;
        let lane = (game % LANES as u64) as usize;
        let watch = &mut |turn: &Turn<'_, SixtySeven>| {
            let mut described = rules.describe(turn);
            described["trajectory"] = trajectory.into();
            described["lane"] = lane.into();
            line(described);
        };
        lanes::play_trajectory(rules, *seeds, trajectory, Some((lane, watch)))
            .moves
            .outcome(lane)
    }

    fn open(
        &self,
        _game: u64,
        _board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        Err(format!(
            "{}: games that share one sequence of tiles cannot be watched; play with lanes = 1",
            lanes::NAME
        )
        .into())
    }
}

fn add_trajectory(tally: &mut Tally, moves: &LaneMoves) {
    let mut won = [0; LANES];
    let mut wins = 0;
    for moves in moves.won.iter().flatten() {
        won[wins] = *moves;
        wins += 1;
    }
    tally.add_trajectory(&Trajectory {
        won: &won[..wins],
        lost: (LANES - wins) as u64,
        moves_lost: moves.lost,
    });
    if !SixtySeven::MEASURES.is_empty() {
        (0..LANES).for_each(|lane| tally.add_measures(&moves.outcome(lane).measures));
    }
}
