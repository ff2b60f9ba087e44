//! Checks that a saved cell can be continued.
//!
//! A checksum shows that a file is as it was written. These checks show that its numbers can be
//! true. They cost little, and they keep a state of another build, or one edited by hand, from
//! giving wrong figures or a crash hours later.

use super::ranges::Ranges;
use super::segments::Grid;
use super::stages::Stages;
use super::state::{CellState, Segment, Stopped};
use crate::game::{Measure, Tally};
use crate::matches::{HALF_POINTS_AT, half_points_max};
use crate::plan::Cell;
use num_bigint::BigInt;
use std::collections::BTreeMap;
use tilelab_games::tally::{MeasureKind, MeasureTally, meetings};

/// What a saved cell means for the stages that are wanted now.
pub struct Restored {
    /// Number of stages that are complete, from the first on, up to the one after which the cell
    /// ends.
    pub stages_done: usize,
    /// The segments of the complete stages.
    pub kept: Vec<Segment>,
    /// The sum of the games of the complete stages.
    pub total: Tally,
    /// Why the cell ends there, if it does.
    pub stopped: Option<Stopped>,
    /// The stages behind the complete ones, as far as games of them are in: which, and their tally.
    /// Empty where the cell has ended.
    pub open: Vec<(Ranges, Tally)>,
    /// Segments that no stage needs, or not as they are.
    pub unused: Vec<Segment>,
}

impl Restored {
    /// A cell of which nothing is saved.
    pub fn new(measures: &[Measure]) -> Self {
        Self {
            stages_done: 0,
            kept: Vec::new(),
            total: Tally::new(measures),
            stopped: None,
            open: Vec::new(),
            unused: Vec::new(),
        }
    }
}

/// Checks a saved cell and sorts its games into the stages that are wanted now.
///
/// No game is dropped. Where a segment has more games than are wanted now, they cannot be taken out
/// of its tally: it is kept, and what is wanted of it is played again.
///
/// # Errors
/// Says which numbers contradict each other.
pub fn restore(saved: &CellState, stages: &Stages, cell: &Cell) -> Result<Restored, String> {
    let measures = cell.measures();
    let mut known: BTreeMap<u64, Vec<(&Segment, Ranges, Tally)>> = BTreeMap::new();
    for segment in &saved.segments {
        let (number, done, tally) = checked(segment, stages.grid(), cell)?;
        let same = known.entry(number).or_default();
        let contradicts = |(_, other, sums): &(_, Ranges, Tally)| *other == done && *sums != tally;
        if same.iter().any(contradicts) {
            return Err(format!(
                "the segment {number} is there twice with different results"
            ));
        }
        same.push((segment, done, tally));
    }
    let levels = |tally: &Tally| tally.splitting().map(|sums| sums.levels.clone());
    let mut all_levels = known.values().flatten().map(|(_, _, tally)| levels(tally));
    if let Some(first) = all_levels.next()
        && all_levels.any(|levels| levels != first)
    {
        return Err("its segments are not split at the same levels".to_owned());
    }
    let mut restored = Restored::new(measures);
    for stage in 0..stages.count() {
        if restored.stopped.is_some() {
            break;
        }
        let number = stages.segment(stage).expect("the stage was counted");
        let wanted = stages.games(stage).expect("the stage was counted");
        let mut same = known.remove(&number).unwrap_or_default();
        let fitting = (0..same.len()).filter(|&at| same[at].1.without(&wanted).is_empty());
        let found = fitting
            .max_by_key(|&at| same[at].1.count())
            .map(|at| same.swap_remove(at));
        let has = |games: &Ranges| {
            let found = found.as_ref();
            found.is_some_and(|(_, done, _)| games.without(done).is_empty())
        };
        let others = same.iter().filter(|(_, done, _)| !has(done));
        restored
            .unused
            .extend(others.map(|(segment, ..)| (*segment).clone()));
        match found {
            Some((segment, done, tally)) if restored.stages_done == stage && done == wanted => {
                restored.total.merge(&tally);
                restored.kept.push(segment.clone());
                restored.stages_done += 1;
                restored.stopped = stages.decide(restored.stages_done, &restored.total);
            }
            Some((_, done, tally)) => restored.open.push((done, tally)),
            None => restored
                .open
                .push((Ranges::default(), Tally::new(measures))),
        }
    }
    while restored
        .open
        .last()
        .is_some_and(|(done, _)| done.is_empty())
    {
        restored.open.pop();
    }
    let unused = known.into_values().flatten();
    restored
        .unused
        .extend(unused.map(|(segment, ..)| segment.clone()));
    Ok(restored)
}

/// Checks the numbers of a segment; returns its number, its games and their tally.
fn checked(segment: &Segment, grid: Grid, cell: &Cell) -> Result<(u64, Ranges, Tally), String> {
    let lanes = cell.sampling().lanes();
    let done = Ranges::from_sorted(&segment.done).ok_or("ranges of games overlap")?;
    let first = done.first().ok_or("a segment without games")?;
    let tally = segment.tally.restore(cell.measures())?;
    check_sums(&tally, lanes)?;
    if cell.matched.is_some() {
        check_half_points(&tally, half_points_max(cell.game))?;
    }
    if done.count() != tally.games {
        return Err(format!(
            "{} games in a tally of {}",
            done.count(),
            tally.games
        ));
    }
    let cut = |at: u64| !at.is_multiple_of(lanes);
    if let Some(range) = done.iter().find(|range| cut(range.start) || cut(range.end)) {
        return Err(format!("games {range:?} where trajectories have {lanes}"));
    }
    let number = grid.of_game(first);
    let whole = grid.games(number);
    if let Some(range) = done.iter().find(|range| range.end > whole.end) {
        return Err(format!("games {range:?} in the segment {whole:?}"));
    }
    Ok((number, done, tally))
}

/// Refuses games that do not come in trajectories of `lanes`, and sums that no sample of integers
/// has.
fn check_sums(tally: &Tally, lanes: u64) -> Result<(), String> {
    let found = tally.trajectories().map_or(1, |sums| sums.lanes);
    if tally.games > 0 && found != lanes {
        return Err(format!(
            "trajectories of {found} games where the cell's have {lanes}"
        ));
    }
    let finished = tally.finished();
    let wins = tally.finished_wins();
    check_sample(finished, tally.moves_sum, tally.moves_sum_sq)?;
    check_sample(wins, tally.moves_win_sum, tally.moves_win_sum_sq)?;
    for (measure, kind) in tally.measures.iter().zip(tally.measure_kinds()) {
        // A forfeited pair has half points, and no other measures.
        let n = match kind {
            MeasureKind::Points => tally.games,
            _ => finished,
        };
        check_sample(n, measure.sum, measure.sum_sq)?;
    }
    if let Some(sums) = tally.blocks() {
        for measure in sums.values.iter().chain(&sums.differences) {
            check_sample(sums.finished, measure.sum, measure.sum_sq)?;
        }
    }
    if let Some(sums) = tally.splitting() {
        check_sample(tally.games, sums.wins, sums.wins_sq)?;
        check_sample(tally.games, sums.wins_sq, sums.wins_fourth)?;
    }
    if let Some(sums) = tally.trajectories() {
        let n = sums.trajectories;
        check_sample(n, tally.wins, sums.wins_sq)?;
        check_sample(n, tally.moves_sum, sums.moves_sq)?;
        check_sample(n, tally.moves_win_sum, sums.moves_win_sq)?;
        if BigInt::from(sums.wins_sq) * sums.moves_win_sq < BigInt::from(sums.wins_moves).pow(2) {
            return Err(format!(
                "no {n} trajectories have the sum of products {}",
                sums.wins_moves
            ));
        }
    }
    Ok(())
}

/// Refuses sums that no `n` numbers have: by the Cauchy–Schwarz inequality, n·Σx² is at least
/// (Σx)².
fn check_sample(n: u64, sum: impl Into<BigInt>, squares: u128) -> Result<(), String> {
    let sum = sum.into();
    if BigInt::from(squares) * n < sum.pow(2) {
        return Err(format!(
            "no {n} numbers have the sum {sum} and the sum of squares {squares}"
        ));
    }
    Ok(())
}

/// Refuses half points that no pair or block has, where a meeting has at most `most`.
fn check_half_points(tally: &Tally, most: i64) -> Result<(), String> {
    let check = |counted: &MeasureTally, most: i64| {
        let [mut sum, mut squares] = [BigInt::ZERO, BigInt::ZERO];
        for (&half_points, &games) in &counted.counts {
            if !(0..=most).contains(&half_points) {
                return Err(format!(
                    "{half_points} half points where {most} are the most"
                ));
            }
            sum += BigInt::from(half_points) * games;
            squares += BigInt::from(half_points).pow(2) * games;
        }
        if sum != BigInt::from(counted.sum) || squares != BigInt::from(counted.sum_sq) {
            return Err(format!(
                "{} half points where counts have {sum}",
                counted.sum
            ));
        }
        Ok(())
    };
    let Some(sums) = tally.blocks() else {
        return check(&tally.measures[HALF_POINTS_AT], most);
    };
    let of_block = most * (sums.points.len() as i64 - 1);
    check(&tally.measures[HALF_POINTS_AT], of_block)?;
    sums.points
        .iter()
        .try_for_each(|counted| check(counted, of_block))?;
    sums.meetings
        .iter()
        .try_for_each(|counted| check(counted, most))?;
    for ([first, second], product) in meetings(sums.points.len()).zip(&sums.products) {
        // By the Cauchy–Schwarz inequality, at most the larger sum of squares.
        let squares = [first, second].map(|at| sums.points[at].sum_sq);
        if !squares.iter().any(|square| square >= product) {
            return Err(format!("no blocks have the sum of products {product}"));
        }
    }
    Ok(())
}
