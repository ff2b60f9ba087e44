//! Checks that a saved cell can be continued.
//!
//! A checksum shows that a file is as it was written. These checks show that its numbers can be
//! true. They cost little, and they keep a state of another build, or one edited by hand, from
//! giving wrong figures or a crash hours later.

use super::ranges::Ranges;
use super::stages::Stages;
use super::state::{CellState, Stopped};
use crate::game::{Measure, Tally};
use num_bigint::BigInt;

/// The tallies of a saved cell, checked.
pub struct Restored {
    /// Sum of the completed stages.
    pub total: Tally,
    /// The stages being played: which of their games are in, and their tally.
    pub open: Vec<(Ranges, Tally)>,
}

/// Checks a saved cell against its stages and reads its tallies.
///
/// # Errors
/// Says which numbers contradict each other.
pub fn restore(saved: &CellState, stages: &Stages, measures: &[Measure]) -> Result<Restored, String> {
    let total =
        saved.tally.as_ref().map_or_else(|| Ok(Tally::new(measures)), |tally| Tally::restore(tally, measures))?;
    check_sums(&total, stages.lanes())?;
    let done = usize::try_from(saved.stages_done).unwrap_or(usize::MAX);
    if done + saved.stages.len() > stages.count() {
        return Err(format!("{done} + {} stages of {}", saved.stages.len(), stages.count()));
    }
    if total.games != stages.games_through(done) {
        return Err(format!("{} games where {done} stages have {}", total.games, stages.games_through(done)));
    }
    let decided = if done == 0 { None } else { stages.decide(done, &total) };
    if decided != saved.stopped || (decided.is_some() && !saved.stages.is_empty()) {
        let name = |stopped: Option<Stopped>| stopped.map_or("going on", Stopped::name);
        return Err(format!("ended as {:?} where its games say {:?}", name(saved.stopped), name(decided)));
    }
    let mut open = Vec::new();
    for (number, stage) in saved.stages.iter().enumerate() {
        let whole = stages.games(done + number).expect("the number of stages was checked");
        let ranges = Ranges::from_sorted(&stage.done).ok_or("ranges of games overlap")?;
        let tally = Tally::restore(&stage.tally, measures)?;
        check_sums(&tally, stages.lanes())?;
        if ranges.count() != tally.games {
            return Err(format!("{} games in a tally of {}", ranges.count(), tally.games));
        }
        let cut = |at: u64| !at.is_multiple_of(stages.lanes());
        if let Some((start, end)) = ranges.pairs().into_iter().find(|&(start, end)| cut(start) || cut(end)) {
            return Err(format!("games {start}..{end} where trajectories have {}", stages.lanes()));
        }
        let outside = ranges.pairs().into_iter().find(|&(start, end)| start < whole.start || end > whole.end);
        if let Some((start, end)) = outside {
            return Err(format!("games {start}..{end} in the stage {}..{}", whole.start, whole.end));
        }
        open.push((ranges, tally));
    }
    Ok(Restored { total, open })
}

/// Refuses games that do not come in trajectories of `lanes`, and sums that no sample of integers
/// has: by the Cauchy–Schwarz inequality, n·Σx² is at least (Σx)².
fn check_sums(tally: &Tally, lanes: u64) -> Result<(), String> {
    let found = tally.trajectories.map_or(1, |sums| sums.lanes);
    if tally.games > 0 && found != lanes {
        return Err(format!("trajectories of {found} games where the cell's have {lanes}"));
    }
    let of_moves = |n: u64, sum: u128, squares: u128| (n, BigInt::from(sum), squares);
    let mut samples = vec![
        of_moves(tally.games, tally.moves_sum, tally.moves_sum_sq),
        of_moves(tally.wins, tally.moves_win_sum, tally.moves_win_sum_sq),
    ];
    samples.extend(tally.measures.iter().map(|measure| (tally.games, BigInt::from(measure.sum), measure.sum_sq)));
    if let Some(sums) = tally.trajectories {
        let n = sums.trajectories;
        samples.push(of_moves(n, u128::from(tally.wins), sums.wins_sq));
        samples.push(of_moves(n, tally.moves_sum, sums.moves_sq));
        samples.push(of_moves(n, tally.moves_win_sum, sums.moves_win_sq));
        if BigInt::from(sums.wins_sq) * sums.moves_win_sq < BigInt::from(sums.wins_moves).pow(2) {
            return Err(format!("no {n} trajectories have the sum of products {}", sums.wins_moves));
        }
    }
    for (n, sum, squares) in samples {
        if BigInt::from(squares) * n < sum.pow(2) {
            return Err(format!("no {n} numbers have the sum {sum} and the sum of squares {squares}"));
        }
    }
    Ok(())
}
