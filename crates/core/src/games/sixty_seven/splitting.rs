//! Splitting of 67!: the level of a position is its largest number without its sign.
//!
//! Rungs are values that grow by an eighth, from the first above the numbers that appear up to
//! twice the target. The product of the factors is one and a half times the ratio of the win
//! probability at the last level and that at the start. It grows with a power of the value, from
//! the rung before the first that raises the win probability to one and a half times that at the
//! start. So at the rungs between, where games differ most, it is larger than the ratio of win
//! probabilities: on 6×7 and 5×5 with `+-` that saves up to a third more moves than levels that
//! follow the win probability. The product is at most eight times the ratio of win probabilities.

use super::SixtySeven;
use super::job::{SMALL_CELLS, kernel};
use super::kernels::{End, Kernel, Start};
use super::packed::{PackedBoard, PackedTile};
use super::residue;
use crate::game::registry::BuiltJob;
use crate::game::splitting::{
    Fate, METHOD, PLAIN, Rungs, SPLITTING, SplittingJob, Stop, Wave, Waves, refuse,
};
use crate::game::{Game, KernelChoice};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::random::RandomJob;
use crate::rng::CellSeeds;

/// The method for games one by one whose operators and digits are counted.
pub const COUNTED: &str = "counted";

/// How win rates are estimated.
pub const METHOD_PARAM: ParamSpec = ParamSpec::choice(METHOD, &[PLAIN, SPLITTING, COUNTED], PLAIN)
    .help(
        "plain: games one by one; splitting: games that reach large numbers are continued \
             several times, for rare wins of the random player; counted: plain games whose \
             operators and digits are counted, for tilelab curve",
    );

/// The largest value of a level: kernels stop at numbers beyond a limit of up to 2³⁰.
const VALUE_MAX: u64 = 1 << 30;

/// Checks whether the other parameters go with the method.
///
/// # Errors
/// Returns an error if the games also share trajectories, or are to be split from a start board.
pub fn check(params: &Params) -> Result<(), ParamError> {
    let method = params.text(METHOD).unwrap_or(PLAIN);
    if let Some(lanes) = params
        .int("lanes")
        .filter(|lanes| *lanes > 1 && method != PLAIN)
    {
        let message = format!(
            "{method}: games that share a trajectory have correlated weights; leave out lanes = {lanes} or the method"
        );
        return Err(ParamError::new(METHOD, message));
    }
    if params.text("start").is_some() {
        refuse(
            params,
            "games are split from a blank board on, without start",
        )?;
    }
    Ok(())
}

/// The job of replications that a kernel or the loop plays.
///
/// # Errors
/// Returns an error if a kernel was requested by name that does not support the rules or the
/// machine.
pub fn job(mut reference: RandomJob<SixtySeven>, choice: KernelChoice) -> BuiltJob {
    let rungs = Some(rungs(&reference.game));
    let (kernel, fallback) = kernel(choice, &reference.game, false)?;
    let Some(kernel) = kernel else {
        reference.fallback = fallback;
        return Ok(Box::new(SplittingJob::new(reference, rungs)));
    };
    Ok(Box::new(SplittingJob {
        rungs,
        seeds: reference.seeds,
        measures: reference.game.measures(),
        batch_games: if kernel.cells() <= SMALL_CELLS {
            4_096
        } else {
            1_024
        },
        kernel: kernel.name(),
        fallback: None,
        splitting: Default::default(),
        waves: KernelWaves {
            game: reference.game,
            kernel: *kernel,
        },
    }))
}

/// A kernel that plays waves.
pub struct KernelWaves {
    /// The rules.
    pub game: SixtySeven,
    /// The kernel that plays the games.
    pub kernel: Kernel,
}

impl Waves for KernelWaves {
    type Position = PackedBoard;

    /// # Panics
    /// Panics if the value is not above the numbers that appear, or above 2³⁰.
    fn play(
        &self,
        wave: &Wave<PackedBoard>,
        value: Option<u64>,
        seeds: CellSeeds,
        stopped: &mut dyn FnMut(Stop<PackedBoard>),
    ) {
        let game = &self.game;
        let accepted = game.largest_new() + 1..=VALUE_MAX;
        assert!(
            value.is_none_or(|value| accepted.contains(&value)),
            "a level of {value:?}, not in {accepted:?}"
        );
        // Games begin either all with the rules, on the same board, or all on given ones.
        let blank = [PackedBoard::blank(game.rows, game.cols)];
        let boards = if wave.positions.is_empty() {
            &blank[..]
        } else {
            &wave.positions
        };
        let starts = wave.starts.iter().map(|start| Start {
            board: start.position.unwrap_or_default(),
            stream: start.stream,
            rounds: start.moves,
        });
        let starts: Vec<Start> = starts.collect();
        let limit = game.value_limit.map(|limit| limit.unsigned_abs());
        let stop_beyond = value.map(|value| value - 1);
        let kernel = self
            .kernel
            .with_limit(stop_beyond.into_iter().chain(limit).min());
        kernel.play_on(boards, &starts, seeds, &mut |ended| {
            let start = ended.game as usize;
            let is_last = game.max_rounds.is_some_and(|most| ended.rounds >= most);
            let fate = match ended.end {
                End::Won => Fate::Won,
                // Without a value to reach, the limit of the rules was exceeded.
                End::Exceeded if value.is_some() && !is_last => {
                    let board = ended.board();
                    let largest = largest_number(&board);
                    if limit.is_some_and(|limit| largest > limit) {
                        Fate::Lost
                    } else {
                        Fate::Reached(board, largest)
                    }
                }
                End::Exceeded | End::Blocked | End::OutOfRounds => Fate::Lost,
            };
            let blocked = u64::from(ended.end == End::Blocked);
            stopped(Stop {
                start,
                fate,
                moves: ended.rounds - starts[start].rounds - blocked,
                highest: 0,
            });
        });
    }
}

/// The largest number of a board, without its sign.
fn largest_number(board: &PackedBoard) -> u64 {
    let size = |tile: &PackedTile| {
        tile.residue()
            .map(|number| residue::nearest(number).unsigned_abs())
    };
    board
        .tiles()
        .iter()
        .filter_map(size)
        .max()
        .unwrap_or_default()
}

/// The values from which the pilot run chooses levels.
pub fn rungs(game: &SixtySeven) -> Rungs {
    let first = game.largest_new() + 1;
    let limit = game.value_limit.map_or(u64::MAX, i64::unsigned_abs);
    let target = game.target.unsigned_abs();
    let last = target.saturating_mul(2).min(limit).min(VALUE_MAX);
    let next = |&value: &u64| Some(value + value.div_ceil(8));
    let values = std::iter::successors(Some(first), next);
    Rungs {
        values: values.take_while(|&value| value <= last).collect(),
        target,
    }
}
