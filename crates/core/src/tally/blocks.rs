//! Sums over blocks: starts that every player of a match played against each of the others.

use super::forfeits::add_counts;
use super::{MeasureKind, MeasureTally, saved};
use serde::{Deserialize, Serialize};

/// What happened in one block. Meetings of every two players are in the order (0, 1), (0, 2), …,
/// (1, 2), …
#[derive(Clone, Copy, Debug)]
pub struct Block<'a> {
    /// Half points of the first player in each meeting, and of both together: none where both
    /// forfeited it.
    pub meetings: &'a [[i64; 2]],
    /// A measure in each meeting, the first player's less the second's.
    pub differences: &'a [i64],
    /// The measure of each player in all its games of the block.
    pub values: &'a [i64],
    /// Games that each player forfeited, by cause in the order of [`Forfeit::ALL`].
    ///
    /// [`Forfeit::ALL`]: super::Forfeit::ALL
    pub forfeits: &'a [[u64; 4]],
}

/// Sums over the blocks of one match. Players of a block are dependent, since they met each other
/// on one start; blocks are not.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct BlockTally {
    /// Half points of each player in a block, with the number of blocks of each value.
    pub points: Vec<MeasureTally>,
    /// Blocks without a forfeit: those whose measures are in the sums.
    pub finished: u64,
    /// A measure of each player in a block.
    pub values: Vec<MeasureTally>,
    /// Half points of the first of two players in their meeting, with the number of blocks of each
    /// value, without those that both forfeited; in the order (0, 1), (0, 2), …, (1, 2), …
    pub meetings: Vec<MeasureTally>,
    /// The difference of the measure in their meeting.
    pub differences: Vec<MeasureTally>,
    /// Sums of the products of both players' half points in a block.
    #[serde(with = "saved::texts")]
    pub products: Vec<u128>,
    /// Games that each player forfeited, by cause.
    pub forfeits: Vec<[u64; 4]>,
}

/// Every two of `players` players, in the order in which tallies have their meetings.
pub fn meetings(players: usize) -> impl Iterator<Item = [usize; 2]> {
    (0..players).flat_map(move |first| (first + 1..players).map(move |second| [first, second]))
}

impl BlockTally {
    /// No blocks yet of `players` players.
    fn new(players: usize) -> Self {
        let pairs = meetings(players).count();
        Self {
            points: vec![MeasureTally::default(); players],
            values: vec![MeasureTally::default(); players],
            meetings: vec![MeasureTally::default(); pairs],
            differences: vec![MeasureTally::default(); pairs],
            products: vec![0; pairs],
            forfeits: vec![[0; 4]; players],
            finished: 0,
        }
    }

    /// Adds a block.
    ///
    /// # Panics
    /// When the blocks of a tally are of different numbers of players.
    pub(super) fn add(&mut self, block: &Block<'_>) {
        let players = block.values.len();
        if self.points.is_empty() {
            *self = Self::new(players);
        }
        assert_eq!(
            (self.points.len(), self.meetings.len()),
            (players, block.meetings.len()),
            "the blocks of a tally have the same players"
        );
        let mut points = vec![0; players];
        for ([first, second], &[won, both]) in meetings(players).zip(block.meetings) {
            points[first] += won;
            points[second] += both - won;
        }
        for (tally, &points) in self.points.iter_mut().zip(&points) {
            tally.add(points, MeasureKind::Points);
        }
        for (tally, &[won, both]) in self.meetings.iter_mut().zip(block.meetings) {
            if both > 0 {
                tally.add(won, MeasureKind::Points);
            }
        }
        for ([first, second], product) in meetings(players).zip(&mut self.products) {
            *product += u128::from((points[first] * points[second]).unsigned_abs());
        }
        if block.forfeits.iter().any(|causes| *causes != [0; 4]) {
            return add_counts(&mut self.forfeits, block.forfeits);
        }
        self.finished += 1;
        let values = self.values.iter_mut().zip(block.values);
        let differences = self.differences.iter_mut().zip(block.differences);
        for (tally, &value) in values.chain(differences) {
            tally.add(value, MeasureKind::Mean);
        }
    }

    /// Adds all blocks of another tally.
    pub(super) fn merge(&mut self, other: &Self) {
        let both = |mine: &mut Vec<MeasureTally>, theirs: &[MeasureTally]| {
            assert_eq!(
                mine.len(),
                theirs.len(),
                "the blocks of a tally have the same players"
            );
            for (mine, theirs) in mine.iter_mut().zip(theirs) {
                mine.merge(theirs);
            }
        };
        both(&mut self.points, &other.points);
        both(&mut self.values, &other.values);
        both(&mut self.meetings, &other.meetings);
        both(&mut self.differences, &other.differences);
        for (mine, theirs) in self.products.iter_mut().zip(&other.products) {
            *mine += theirs;
        }
        self.finished += other.finished;
        add_counts(&mut self.forfeits, &other.forfeits);
    }

    /// Whether every two players met in every block: no meeting was forfeited by both.
    pub fn are_complete(&self) -> bool {
        let blocks = |tally: &MeasureTally| tally.counts.values().sum::<u64>();
        let all = self.points.first().map_or(0, blocks);
        self.meetings.iter().all(|meeting| blocks(meeting) == all)
    }

    /// Whether these can be the sums of `blocks` blocks.
    pub(super) fn check(&self, blocks: u64) -> Result<(), String> {
        let players = self.points.len();
        let pairs = meetings(players).count();
        let lengths = [
            self.meetings.len(),
            self.differences.len(),
            self.products.len(),
        ];
        let of_players = [self.values.len(), self.forfeits.len()];
        if players < 2 || of_players != [players; 2] || lengths != [pairs; 3] {
            return Err(format!(
                "blocks of {players} players do not have {lengths:?} meetings"
            ));
        }
        for (at, tally) in self.points.iter().chain(&self.meetings).enumerate() {
            let mut counts = tally.counts.values();
            let counted = counts.try_fold(0, |sum: u64, count| sum.checked_add(*count));
            let is_possible = if at < players {
                counted == Some(blocks)
            } else {
                counted.is_some_and(|counted| counted <= blocks)
            };
            if !is_possible || self.finished > blocks {
                return Err(format!("{counted:?} counted blocks are not {blocks}"));
            }
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{Forfeit, Forfeits, GameResult, Outcome, Tally};
    use super::*;

    fn tally(blocks: &[[i64; 3]]) -> Tally {
        let mut tally = Tally::new(&[]);
        for meetings in blocks {
            let meetings = meetings.map(|won| [won, 2]);
            let block = Block {
                meetings: &meetings,
                differences: &[1, 2, -3],
                values: &[7, 8, -9],
                forfeits: &[[0; 4]; 3],
            };
            tally.add_block(&Outcome::new(GameResult::Drawn, 5), &block);
        }
        tally
    }

    #[test]
    fn blocks_add_up_and_come_back() {
        let all = tally(&[[2, 1, 0], [0, 0, 2], [2, 2, 1]]);
        let sums = all.blocks().unwrap();
        // Half points: 3, 0, 3; 0, 4, 2; 4, 1, 1.
        let points = sums.points.iter().map(|points| (points.sum, points.sum_sq));
        assert_eq!(points.collect::<Vec<_>>(), [(7, 25), (5, 17), (6, 14)]);
        assert_eq!(sums.products, [4, 9 + 4, 8 + 1]);
        assert_eq!(sums.meetings[2].sum, 3);
        assert_eq!((sums.values[2].sum, sums.differences[2].sum_sq), (-27, 27));
        let mut merged = tally(&[[2, 2, 1]]);
        merged.merge(&tally(&[]));
        merged.merge(&tally(&[[0, 0, 2], [2, 1, 0]]));
        assert_eq!(merged, all);
        let text = serde_json::to_string(&all).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(read.checked(&[]).unwrap(), all);
    }

    #[test]
    fn forfeited_games_count_as_lost_and_their_measures_nowhere() {
        let mut all = tally(&[[2, 1, 0]]);
        // Players 1 and 2 forfeited: the first takes both meetings, the third is nobody's.
        let mut outcome = Outcome::new(GameResult::Won, 5);
        outcome.forfeits = Forfeits::of(1, Forfeit::Crash);
        let block = Block {
            meetings: &[[2, 2], [2, 2], [0, 0]],
            differences: &[9; 3],
            values: &[9; 3],
            forfeits: &[[0; 4], [1, 0, 0, 0], [0, 2, 0, 0]],
        };
        all.add_block(&outcome, &block);
        let sums = all.blocks().unwrap();
        let points: Vec<i128> = sums.points.iter().map(|points| points.sum).collect();
        assert_eq!(points, [3 + 4, 0, 3]);
        assert_eq!(sums.meetings[2].counts.values().sum::<u64>(), 1);
        assert!(!sums.are_complete());
        assert_eq!(sums.forfeits, [[0; 4], [1, 0, 0, 0], [0, 2, 0, 0]]);
        assert_eq!((sums.finished, sums.values[0].sum), (1, 7));
        assert_eq!(sums.differences[2].sum, -3);
        assert_eq!((all.finished(), all.moves_sum), (1, 5));
        let read: Tally = serde_json::from_str(&serde_json::to_string(&all).unwrap()).unwrap();
        assert_eq!(read.checked(&[]).unwrap(), all);
    }

    #[test]
    fn impossible_sums_are_refused() {
        let saved = serde_json::to_value(tally(&[[2, 1, 0]])).unwrap();
        for (name, wrong) in [("products", "[]"), ("points", "[]"), ("meetings", "[]")] {
            let mut saved = saved.clone();
            saved["blocks"][name] = serde_json::from_str(wrong).unwrap();
            let read: Tally = serde_json::from_value(saved).unwrap();
            let error = read.checked(&[]).unwrap_err();
            assert!(error.contains("players"), "{error}");
        }
        let mut saved = saved.clone();
        saved["blocks"]["points"][0]["counts"][0][1] = 2.into();
        let read: Tally = serde_json::from_value(saved).unwrap();
        assert!(read.checked(&[]).unwrap_err().contains("counted blocks"));
    }
}
