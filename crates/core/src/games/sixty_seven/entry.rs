//! The catalog entry of 67!.

use super::job::{self, Engine, LanesJob, SplittingJob};
use super::{NAME, PARAMS, SUMMARY, SixtySeven, complete, kernels, lanes, reference, splitting};
use crate::game::registry::{BATCHES, GameEntry, NamedPlayer, PlayableGame, Setup};
use crate::game::stepping::{PlainTable, Table};
use crate::game::{Job, LoopJob, Player, Sampling};
use crate::params::{ParamError, Params};
use crate::players::sixty_seven::cycle::Cycle;

/// How many games share a trajectory.
fn lane_count(params: &Params) -> i64 {
    params.int(lanes::NAME).unwrap_or(1)
}

/// Whether win rates are estimated by splitting.
fn splits(params: &Params) -> bool {
    params.text(splitting::METHOD) == Some(splitting::SPLITTING)
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
        if splits(params) {
            let message = format!(
                "{}: games are split for random only, not for {player}; leave the method out",
                splitting::SPLITTING
            );
            return Err(ParamError::new(splitting::METHOD, message));
        }
        if params.text(splitting::METHOD) == Some(splitting::COUNTED) && player != Cycle::NAME {
            let message = format!(
                "{}: {player} looks at operator_rate, so that its games say nothing of other rates; curves are for \
                 random and {}",
                splitting::COUNTED,
                Cycle::NAME
            );
            return Err(ParamError::new(splitting::METHOD, message));
        }
        Ok(())
    }

    fn random_job<P, F>(
        reference: LoopJob<Self, F>,
        setup: &Setup<'_>,
    ) -> Result<Box<dyn Job>, ParamError>
    where
        P: Player<Self>,
        F: Fn() -> P + Send + Sync + 'static,
    {
        let sampling = sampling(setup.params);
        let in_lanes = sampling.lanes() > 1;
        let engine = job::engine(setup.kernel, &reference.game, in_lanes)?;
        Ok(match (sampling, engine) {
            (Sampling::Lanes(_), engine) => Box::new(LanesJob { engine, reference }),
            (Sampling::Splitting, engine) => Box::new(SplittingJob::new(engine, reference)),
            (Sampling::Plain, Engine::Kernel(kernel)) => {
                Box::new(job::with_kernel(reference, kernel))
            }
            (Sampling::Plain, Engine::Reference) => Box::new(reference),
            (Sampling::Plain, Engine::Fallback(reason)) => Box::new(LoopJob {
                fallback: Some(reason),
                ..reference
            }),
        })
    }
}

/// See [`GameEntry::sampling`].
fn sampling(params: &Params) -> Sampling {
    match lane_count(params) {
        1 if splits(params) => Sampling::Splitting,
        1 => Sampling::Plain,
        lanes => Sampling::Lanes(lanes.unsigned_abs()),
    }
}

/// See [`GameEntry::make_table`].
fn table(setup: &Setup<'_>, slots: usize) -> Result<Box<dyn Table>, ParamError> {
    let lanes = lane_count(setup.params);
    if lanes > 1 {
        let message =
            format!("{lanes}: games that share their moves are not stepped; leave the lanes out");
        return Err(ParamError::new(lanes::NAME, message));
    }
    if splits(setup.params) {
        let message = format!(
            "{}: a replication is many games, which are not stepped; leave the method out",
            splitting::SPLITTING
        );
        return Err(ParamError::new(splitting::METHOD, message));
    }
    let mut game = SixtySeven::from_params(setup.params);
    // Those who step games see the tiles.
    game.counted = false;
    let is_stepped = game.is_stepped_by_kernels();
    Ok(match job::engine(setup.kernel, &game, false)? {
        Engine::Kernel(kernel) if BATCHES && is_stepped => kernel.table(setup.seeds, slots),
        _ => Box::new(PlainTable::new(game, setup.seeds, slots)),
    })
}
