//! The catalog entry of 67!.

use super::job::{self, LanesJob, SMALL_CELLS};
use super::{NAME, PARAMS, SUMMARY, SixtySeven, complete, kernels, lanes, reference, splitting};
use crate::game::Sampling;
use crate::game::registry::{BATCHES, BuiltJob, GameEntry, NamedPlayer, PlayableGame, Setup};
use crate::game::splitting::METHOD;
use crate::game::stepping::{PlainTable, Table};
use crate::params::{ParamError, Params};
use crate::players::random::RandomJob;
use crate::players::sixty_seven::cycle::Cycle;

/// How many games share a trajectory.
fn lane_count(params: &Params) -> i64 {
    params.int(lanes::NAME).unwrap_or(1)
}

impl PlayableGame for SixtySeven {
    const ENTRY: GameEntry = GameEntry {
        aliases: &["67", "67!"],
        kernels: kernels::KERNELS,
        bench: &[
            "rules=original,gapless,merge-pairs,merge-runs",
            "size=5x5,6x7,8x8,10x10,16x16",
        ],
        complete,
        sampling,
        // A game lost by the limit of values has no unplayable round.
        published_lost_extra: |params| params.int("value_limit").is_none().then_some(1),
        answer: Some(|params, request, _| reference::answer(&Self::from_params(params), request)),
        make_table: Some(table),
        ..GameEntry::new(NAME, SUMMARY, PARAMS)
    };

    fn build(params: &Params) -> Self {
        Self::from_params(params)
    }

    fn check_player(params: &Params, player: &str) -> Result<(), ParamError> {
        let lanes = lane_count(params);
        if lanes > 1 {
            let message = format!(
                "{lanes}: lanes are played by random only, not by {player}; most players look at values, which \
                 differ in lanes"
            );
            return Err(ParamError::new(lanes::NAME, message));
        }
        if params.text(METHOD) == Some(splitting::COUNTED) && player != Cycle::NAME {
            let message = format!(
                "{}: {player} looks at operator_rate, so that its games say nothing about other rates; curves are for \
                 random and {}",
                splitting::COUNTED,
                Cycle::NAME
            );
            return Err(ParamError::new(METHOD, message));
        }
        Ok(())
    }

    fn random_job(mut reference: RandomJob<Self>, setup: &Setup<'_>) -> BuiltJob {
        let in_lanes = lane_count(setup.params) > 1;
        let (kernel, fallback) = job::kernel(setup.kernel, &reference.game, in_lanes)?;
        reference.fallback = fallback;
        if in_lanes {
            return Ok(Box::new(LanesJob { kernel, reference }));
        }
        if let Some(kernel) = kernel {
            reference.kernel = kernel.name();
            // About 10 to 200 ms of work. The last games of a batch take longer than the others, so
            // smaller batches are slower.
            reference.batch_games = match kernel.cells() {
                cells if cells <= SMALL_CELLS => 10_000,
                cells if cells <= kernels::SLICED_CELLS => 5_000,
                _ => 2_000,
            };
            reference.engine = Some(kernel);
        }
        Ok(Box::new(reference))
    }

    fn split_job(reference: RandomJob<Self>, setup: &Setup<'_>) -> BuiltJob {
        splitting::job(reference, setup.kernel)
    }
}

/// How games with these parameters are sampled ([`GameEntry::sampling`]).
fn sampling(params: &Params) -> Sampling {
    match lane_count(params) {
        1 => crate::game::splitting::sampling(params),
        lanes => Sampling::Lanes(lanes.unsigned_abs()),
    }
}

/// Makes the table that steps games together ([`GameEntry::make_table`]).
fn table(setup: &Setup<'_>, slots: usize) -> Result<Box<dyn Table>, ParamError> {
    let lanes = lane_count(setup.params);
    if lanes > 1 {
        let message =
            format!("{lanes}: games that share their moves are not stepped; leave the lanes out");
        return Err(ParamError::new(lanes::NAME, message));
    }
    let mut game = SixtySeven::from_params(setup.params);
    // Whoever steps games sees the tiles.
    game.counted = false;
    let is_stepped = game.is_stepped_by_kernels();
    Ok(match job::kernel(setup.kernel, &game, false)? {
        (Some(kernel), _) if BATCHES && is_stepped => kernel.table(setup.seeds, slots),
        _ => Box::new(PlainTable::new(game, setup.seeds, slots)),
    })
}
