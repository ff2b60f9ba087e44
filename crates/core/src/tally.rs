//! Integer counters and histograms over finished games.
//!
//! A [`Tally`] holds only integers, so merging is exact, associative and commutative: the total is
//! the same to the bit in whatever order threads, batches, interruptions and shards deliver games.
//! Means and intervals are derived from it by `tilelab_stats`.

mod blocks;
mod counted;
mod forfeits;
mod saved;
mod splitting;
mod trajectories;

pub use blocks::{Block, BlockTally, meetings};
pub use counted::Counted;
pub use forfeits::{Forfeit, ForfeitTally, Forfeits, add_counts};
pub use splitting::{SplitLevel, SplittingTally};
pub use trajectories::{Trajectory, TrajectoryTally};

use hdrhistogram::Histogram;
use serde::{Deserialize, Serialize};
use std::cmp::Ordering;
use std::collections::BTreeMap;

/// How a game ended, seen from seat 0.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "lowercase")]
pub enum GameResult {
    /// Seat 0 reached the goal.
    Won,
    /// Neither side did better (two-player games).
    Drawn,
    /// Seat 0 failed.
    Lost,
}

impl From<Ordering> for GameResult {
    /// The result of seat 0 whose points compare so with those of seat 1.
    fn from(points: Ordering) -> Self {
        match points {
            Ordering::Greater => Self::Won,
            Ordering::Equal => Self::Drawn,
            Ordering::Less => Self::Lost,
        }
    }
}

impl GameResult {
    /// The name of the result in transcripts: `won`, `drawn`, `lost`.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Won => "won",
            Self::Drawn => "drawn",
            Self::Lost => "lost",
        }
    }
}

impl From<bool> for GameResult {
    fn from(is_won: bool) -> Self {
        if is_won { Self::Won } else { Self::Lost }
    }
}

/// The largest number of measures a game may report.
pub const MEASURES_MAX: usize = 6;

/// One finished game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Outcome {
    /// The result.
    pub result: GameResult,
    /// The game's move count, as its rules define it.
    pub moves: u64,
    /// The values of the game's [`Measure`]s, in their order; unused entries are 0.
    pub measures: [i64; MEASURES_MAX],
    /// The operators and the digits that appeared, where the rules of 67! have them counted.
    pub spawned: Option<[u64; 2]>,
    /// Who did not finish the game, or games of the pair, and why.
    pub forfeits: Forfeits,
}

impl Outcome {
    /// An outcome of a game that reports no measures; `true` is won, `false` lost.
    pub fn new(result: impl Into<GameResult>, moves: u64) -> Self {
        Self {
            result: result.into(),
            moves,
            measures: [0; MEASURES_MAX],
            spawned: None,
            forfeits: Forfeits::NONE,
        }
    }
}

/// How the games of a cell are sampled.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Sampling {
    /// Independent games.
    #[default]
    Plain,
    /// Groups of n games share a trajectory: game g is lane g mod n of trajectory g ÷ n.
    Lanes(u64),
    /// Replications of multilevel splitting.
    Splitting,
}

impl Sampling {
    /// Games that share a trajectory.
    pub const fn lanes(self) -> u64 {
        match self {
            Self::Lanes(lanes) => lanes,
            Self::Plain | Self::Splitting => 1,
        }
    }
}

/// A number that a game reports at its end in addition to result and moves.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Measure {
    /// The stem of the measure's columns.
    pub name: &'static str,
    /// How the measure is summarized.
    pub kind: MeasureKind,
    /// The unit of the measure.
    pub unit: &'static str,
    /// What the measure is, in one line.
    pub help: &'static str,
}

/// How a measure is summarized over games.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum MeasureKind {
    /// Mean and standard error: columns `NAME_mean`, `NAME_mean_se`.
    Mean,
    /// Mean, standard error, and the share of games that reach at least each level: also columns
    /// `NAME_ge_LEVEL_pct`. The measure must take few distinct values: each gets a counter.
    Levels(&'static [i64]),
    /// What a game, or a pair of games, is worth: as [`MeasureKind::Levels`] without levels, and
    /// also of games that one of the players forfeited.
    Points,
    /// Mean and standard error, as for [`MeasureKind::Mean`]; the tally also has the third and
    /// fourth powers, for tests of means of skew distributions.
    Shape,
}

/// Sums over one measure.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct MeasureTally {
    /// Sum of the values.
    #[serde(with = "saved::text")]
    pub sum: i128,
    /// Sum of the squared values.
    #[serde(with = "saved::text")]
    pub sum_sq: u128,
    /// Games by value, kept for [`MeasureKind::Levels`] and [`MeasureKind::Points`] only.
    #[serde(with = "saved::entries")]
    pub counts: BTreeMap<i64, u64>,
    /// The sums of powers of the values, for [`MeasureKind::Shape`] only.
    #[serde(default, skip_serializing_if = "Powers::is_empty")]
    pub powers: Powers,
}

/// Sums of higher powers of a measure.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Powers {
    /// Sum of the third powers, which is right where that of the fourth is.
    #[serde(with = "saved::text")]
    pub cubed: i128,
    /// Sum of the fourth powers, or the largest number where they have more than 128 bits.
    #[serde(with = "saved::text")]
    pub fourth: u128,
}

impl Powers {
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }

    #[inline]
    fn add(&mut self, value: i64) {
        let cubed = i128::from(value).wrapping_pow(3);
        let fourth = u128::from(value.unsigned_abs()).saturating_pow(4);
        self.merge(&Self { cubed, fourth });
    }

    fn merge(&mut self, other: &Self) {
        self.cubed = self.cubed.wrapping_add(other.cubed);
        self.fourth = self.fourth.saturating_add(other.fourth);
    }
}

impl MeasureTally {
    #[inline]
    fn add(&mut self, value: i64, kind: MeasureKind) {
        self.sum += i128::from(value);
        self.sum_sq += u128::from(value.unsigned_abs()).pow(2);
        match kind {
            MeasureKind::Mean => {}
            MeasureKind::Levels(_) | MeasureKind::Points => {
                *self.counts.entry(value).or_default() += 1;
            }
            MeasureKind::Shape => self.powers.add(value),
        }
    }

    fn merge(&mut self, other: &Self) {
        self.sum += other.sum;
        self.sum_sq += other.sum_sq;
        self.powers.merge(&other.powers);
        for (&value, &count) in &other.counts {
            *self.counts.entry(value).or_default() += count;
        }
    }
}

/// The totals of the games of one cell.
///
/// In files, wide integers are texts, since JSON readers lose their precision. What was read is
/// used after [`Tally::checked`].
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Tally {
    /// Games played.
    pub games: u64,
    /// Games won by seat 0.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Sum of the move counts.
    #[serde(with = "saved::text")]
    pub moves_sum: u128,
    /// Sum of the squared move counts.
    #[serde(with = "saved::text")]
    pub moves_sum_sq: u128,
    /// Sum of the move counts of won games.
    #[serde(with = "saved::text")]
    pub moves_win_sum: u128,
    /// Sum of the squared move counts of won games.
    #[serde(with = "saved::text")]
    pub moves_win_sum_sq: u128,
    /// The largest move count.
    pub moves_max: u64,
    /// Distribution of the move counts, to three significant digits.
    #[serde(with = "saved::buckets")]
    moves: Histogram<u64>,
    /// Distribution of the move counts of won games, to three significant digits.
    #[serde(with = "saved::buckets")]
    moves_win: Histogram<u64>,
    /// One entry for each measure of the game.
    pub measures: Vec<MeasureTally>,
    /// [games, won games] by [operators, digits, moves], of games whose tiles are counted
    /// ([`Outcome::spawned`]); `tilelab_stats::Curve` weights them.
    #[serde(default, with = "counted", skip_serializing_if = "Counted::is_empty")]
    pub counted: Counted,
    /// Where games come in trajectories.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    trajectories: Option<TrajectoryTally>,
    /// Where a game is a replication: its moves are those of all its games, and it is won if one
    /// of them was.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    splitting: Option<SplittingTally>,
    /// Where players did not finish games.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    forfeits: Option<ForfeitTally>,
    /// Where a game is a block of a match of several players.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    blocks: Option<BlockTally>,
    #[serde(skip)]
    kinds: Vec<MeasureKind>,
}

/// An empty histogram: exact below 2,048, to three significant digits beyond.
fn histogram() -> Histogram<u64> {
    Histogram::new(3).expect("three significant digits are supported")
}

/// The smallest and the largest move count of the bin of a move count.
///
/// Below 1,024 every count has its own bin; above that, 128 bins cover each doubling, so a bin is
/// at most 1/128 of its lower end wide. The ends do not depend on the data, so that cells share
/// their bins.
pub const fn bin(moves: u64) -> [u64; 2] {
    let width = if moves < 1024 {
        1
    } else {
        1 << (moves.ilog2() - 7)
    };
    let lower = moves / width * width;
    [lower, lower + (width - 1)]
}

/// Adds sums that either both tallies have or neither.
fn join<T>(mine: &mut Option<T>, theirs: &Option<T>, add: impl FnOnce(&mut T, &T)) {
    match (mine, theirs) {
        (Some(mine), Some(theirs)) => add(mine, theirs),
        (mine, theirs) => assert!(
            mine.is_none() && theirs.is_none(),
            "the games of a tally are sampled in one way"
        ),
    }
}

/// The buckets in use as (largest value, count), ascending.
fn recorded(histogram: &Histogram<u64>) -> impl Iterator<Item = (u64, u64)> + '_ {
    // In an empty histogram the iterator would look at all 2,048 buckets.
    let filled = Some(histogram).filter(|histogram| !histogram.is_empty());
    filled
        .into_iter()
        .flat_map(Histogram::iter_recorded)
        .map(|bucket| (bucket.value_iterated_to(), bucket.count_at_value()))
}

impl Tally {
    /// An empty tally for a game with these measures.
    ///
    /// # Panics
    /// Panics if there are more than [`MEASURES_MAX`] measures.
    pub fn new(measures: &[Measure]) -> Self {
        assert!(
            measures.len() <= MEASURES_MAX,
            "a game reports at most {MEASURES_MAX} measures"
        );
        Self {
            games: 0,
            wins: 0,
            draws: 0,
            moves_sum: 0,
            moves_sum_sq: 0,
            moves_win_sum: 0,
            moves_win_sum_sq: 0,
            moves_max: 0,
            moves: histogram(),
            moves_win: histogram(),
            measures: vec![MeasureTally::default(); measures.len()],
            counted: Counted::default(),
            trajectories: None,
            splitting: None,
            forfeits: None,
            blocks: None,
            kinds: measures.iter().map(|measure| measure.kind).collect(),
        }
    }

    /// Adds one game.
    #[inline]
    pub fn add(&mut self, outcome: &Outcome) {
        if !outcome.forfeits.is_empty() {
            return self.add_forfeited(outcome);
        }
        self.add_alike(outcome.result, outcome.moves, 1);
        counted::add(&mut self.counted, outcome);
        self.add_measures(&outcome.measures);
    }

    /// Adds the results and moves of `games` games that ended alike.
    #[cfg_attr(feature = "kernels", inline)]
    fn add_alike(&mut self, result: GameResult, moves: u64, games: u64) {
        let record = |histogram: &mut Histogram<u64>| {
            histogram
                .record_n(moves, games)
                .expect("an auto-resizing histogram takes every value");
        };
        record(&mut self.moves);
        self.games += games;
        self.moves_max = self.moves_max.max(moves);
        let sum = u128::from(moves) * u128::from(games);
        let sum_sq = u128::from(moves) * sum;
        self.moves_sum += sum;
        self.moves_sum_sq += sum_sq;
        match result {
            GameResult::Won => {
                self.wins += games;
                self.moves_win_sum += sum;
                self.moves_win_sum_sq += sum_sq;
                record(&mut self.moves_win);
            }
            GameResult::Drawn => self.draws += games,
            GameResult::Lost => {}
        }
    }

    /// Adds the measures of one game whose result is added by [`Tally::add_trajectory`].
    #[inline]
    pub fn add_measures(&mut self, measures: &[i64; MEASURES_MAX]) {
        let tallies = self.measures.iter_mut().zip(&self.kinds);
        for ((tally, kind), &value) in tallies.zip(measures) {
            tally.add(value, *kind);
        }
    }

    /// Adds the games of one trajectory. Either all games of a tally come in trajectories of the
    /// same size, or none do.
    ///
    /// # Panics
    /// Panics if the tally's other games do not come in trajectories like this one.
    pub fn add_trajectory(&mut self, trajectory: &Trajectory<'_>) {
        let Trajectory {
            won,
            lost,
            moves_lost,
        } = *trajectory;
        let wins = won.len() as u64;
        let lanes = wins + lost;
        if self.games == 0 {
            self.trajectories = Some(TrajectoryTally {
                lanes,
                ..TrajectoryTally::default()
            });
        }
        let sums = self.trajectories.as_mut();
        let sums = sums.expect("a tally has trajectories or single games");
        assert_eq!(
            sums.lanes, lanes,
            "trajectories of one tally have equally many games"
        );
        let moves_win: u128 = won.iter().map(|&moves| u128::from(moves)).sum();
        let moves = moves_win + u128::from(lost) * u128::from(moves_lost);
        sums.trajectories += 1;
        sums.wins_sq += u128::from(wins * wins);
        sums.moves_sq += moves * moves;
        sums.moves_win_sq += moves_win * moves_win;
        sums.wins_moves += u128::from(wins) * moves_win;
        for &moves in won {
            self.add_alike(GameResult::Won, moves, 1);
        }
        if lost > 0 {
            self.add_alike(GameResult::Lost, moves_lost, lost);
        }
    }

    /// Adds one replication of splitting at these levels. It is won if one of its games was; its
    /// moves are those of all its games. Also adds its weighted wins ([`SplittingTally::wins`]).
    ///
    /// # Panics
    /// Panics if the tally's other games are not replications with these levels.
    pub fn add_replication(&mut self, outcome: &Outcome, levels: &[SplitLevel], wins: u64) {
        if self.games == 0 {
            self.splitting = Some(SplittingTally::new(levels));
        }
        let sums = self.splitting.as_mut();
        sums.expect("a tally has replications or single games")
            .add(levels, wins);
        self.add(outcome);
    }

    /// Adds one block of a match, and its outcome as seen from the first player.
    ///
    /// # Panics
    /// Panics if the tally's other games are not blocks of as many players.
    pub fn add_block(&mut self, outcome: &Outcome, block: &Block<'_>) {
        if self.games == 0 {
            self.blocks = Some(BlockTally::default());
        }
        let sums = self.blocks.as_mut();
        sums.expect("a tally has blocks or single games").add(block);
        self.add(outcome);
    }

    /// Adds all games of another tally of the same game.
    ///
    /// # Panics
    /// Panics if the two tallies are of games with different measures, or their games were not
    /// sampled in the same way.
    pub fn merge(&mut self, other: &Self) {
        assert_eq!(
            self.kinds, other.kinds,
            "tallies of different games cannot be merged"
        );
        if self.games == 0 {
            self.trajectories = other.trajectories;
            self.splitting.clone_from(&other.splitting);
            self.blocks.clone_from(&other.blocks);
        } else if other.games > 0 {
            join(
                &mut self.trajectories,
                &other.trajectories,
                TrajectoryTally::merge,
            );
            join(&mut self.splitting, &other.splitting, SplittingTally::merge);
            join(&mut self.blocks, &other.blocks, BlockTally::merge);
        }
        self.games += other.games;
        self.wins += other.wins;
        self.draws += other.draws;
        self.moves_sum += other.moves_sum;
        self.moves_sum_sq += other.moves_sum_sq;
        self.moves_win_sum += other.moves_win_sum;
        self.moves_win_sum_sq += other.moves_win_sum_sq;
        self.moves_max = self.moves_max.max(other.moves_max);
        self.moves
            .add(&other.moves)
            .expect("an auto-resizing histogram takes every value");
        self.moves_win
            .add(&other.moves_win)
            .expect("an auto-resizing histogram takes every value");
        for (mine, theirs) in self.measures.iter_mut().zip(&other.measures) {
            mine.merge(theirs);
        }
        counted::merge(&mut self.counted, &other.counted);
        if let Some(theirs) = &other.forfeits {
            self.forfeits.get_or_insert_default().merge(theirs);
        }
    }

    /// The sums over trajectories, if the games come in trajectories.
    pub const fn trajectories(&self) -> Option<&TrajectoryTally> {
        self.trajectories.as_ref()
    }

    /// The sums over replications, if the games are replications of splitting. Then the moves of a
    /// replication are those of all its games, and it is won if one of them was.
    pub const fn splitting(&self) -> Option<&SplittingTally> {
        self.splitting.as_ref()
    }

    /// The sums over games that players did not finish, if there are any.
    pub const fn forfeits(&self) -> Option<&ForfeitTally> {
        self.forfeits.as_ref()
    }

    /// Games that all players finished: those whose moves and measures are in the sums.
    pub fn finished(&self) -> u64 {
        self.games - self.forfeits.map_or(0, |forfeits| forfeits.games)
    }

    /// Games won by seat 0 that all players finished.
    pub fn finished_wins(&self) -> u64 {
        self.wins - self.forfeits.map_or(0, |forfeits| forfeits.wins)
    }

    /// The sums over blocks, if the games are blocks of a match.
    pub const fn blocks(&self) -> Option<&BlockTally> {
        self.blocks.as_ref()
    }

    /// How each measure is summarized, in the order of [`Tally::measures`].
    pub fn measure_kinds(&self) -> &[MeasureKind] {
        &self.kinds
    }

    /// Games lost by seat 0.
    pub fn losses(&self) -> u64 {
        let void = self.forfeits.map_or(0, |forfeits| forfeits.void);
        self.games - self.wins - self.draws - void
    }

    /// The smallest move count not exceeded by `quantile` (0 to 1) of the games, to three
    /// significant digits; `None` without finished games.
    pub fn moves_quantile(&self, quantile: f64) -> Option<u64> {
        // The histogram returns the upper end of a bucket, which may be above the largest value.
        (self.finished() > 0).then(|| self.moves.value_at_quantile(quantile).min(self.moves_max))
    }

    /// The distribution of the move counts as (representative count, games), ascending.
    pub fn moves_distribution(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        recorded(&self.moves)
    }

    /// The distribution of the move counts of won games, like [`Tally::moves_distribution`].
    pub fn moves_win_distribution(&self) -> impl Iterator<Item = (u64, u64)> + '_ {
        recorded(&self.moves_win)
    }
}

/// Short games that have nothing but a result and moves, counted by these: quick games spent a
/// fifth of their time in the sums of a [`Tally`].
pub(crate) struct ShortGames([[u64; 3]; 64]);

impl ShortGames {
    /// No games.
    pub(crate) const NONE: Self = Self([[0; 3]; 64]);

    /// Adds a game to these or to `tally`. Programs without kernels had rather be small.
    #[cfg_attr(feature = "kernels", inline)]
    pub(crate) fn add(&mut self, outcome: &Outcome, tally: &mut Tally) {
        let has_more = outcome.spawned.is_some() || !outcome.forfeits.is_empty();
        if outcome.moves < 64 && !has_more && tally.kinds.is_empty() {
            self.0[outcome.moves as usize][outcome.result as usize] += 1;
        } else {
            tally.add(outcome);
        }
    }

    /// Adds these games to `tally`.
    pub(crate) fn fold(self, tally: &mut Tally) {
        for (counts, moves) in self.0.iter().zip(0..) {
            for result in [GameResult::Won, GameResult::Drawn, GameResult::Lost] {
                let games = counts[result as usize];
                if games > 0 {
                    tally.add_alike(result, moves, games);
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Draw, SeedableRng, Stream};

    const MEASURES: [Measure; 2] = [
        Measure {
            name: "score",
            kind: MeasureKind::Mean,
            unit: "",
            help: "",
        },
        Measure {
            name: "tile",
            kind: MeasureKind::Levels(&[512, 1024]),
            unit: "",
            help: "",
        },
    ];

    fn some_games(seed: u64, games: u64) -> Tally {
        let mut stream = Stream::seed_from_u64(seed);
        let mut tally = Tally::new(&MEASURES);
        for _ in 0..games {
            let mut draw = Draw::next(&mut stream);
            let result =
                [GameResult::Won, GameResult::Drawn, GameResult::Lost][draw.below(3) as usize];
            let mut outcome = Outcome::new(result, draw.below(5_000_000));
            outcome.measures[0] = draw.below(100) as i64 - 50;
            outcome.measures[1] = 1 << draw.below(4);
            tally.add(&outcome);
        }
        tally
    }

    #[test]
    fn bins_hold_their_counts_and_join_without_gaps() {
        let mut next = 0;
        while next < 3_000_000 {
            let [lower, upper] = bin(next);
            assert_eq!((lower, bin(upper)), (next, [lower, upper]));
            assert!(
                lower == upper || (lower >= 1024 && 128 * (upper - lower + 1) <= lower),
                "{lower} {upper}"
            );
            next = upper + 1;
        }
    }

    #[test]
    fn merging_is_associative_and_commutative() {
        let a = some_games(1, 100);
        let b = some_games(2, 50);
        let c = some_games(3, 7);
        let sum = |parts: &[&Tally]| {
            let mut total = Tally::new(&MEASURES);
            parts.iter().for_each(|part| total.merge(part));
            total
        };
        let ab_c = sum(&[&sum(&[&a, &b]), &c]);
        assert_eq!(ab_c, sum(&[&c, &b, &a]));
        assert_eq!(ab_c, sum(&[&a, &sum(&[&b, &c])]));
        assert_eq!(ab_c.games, 157);
        assert_eq!(ab_c, sum(&[&c, &a, &b]));
    }

    #[test]
    fn games_that_are_counted_together_add_up() {
        for measures in [&MEASURES[..], &[]] {
            let mut stream = Stream::seed_from_u64(6);
            let [mut single, mut together] = [0; 2].map(|_| Tally::new(measures));
            let mut short = ShortGames::NONE;
            for number in 0..2000 {
                let mut draw = Draw::next(&mut stream);
                let result =
                    [GameResult::Won, GameResult::Drawn, GameResult::Lost][draw.below(3) as usize];
                let mut outcome = Outcome::new(result, draw.below(70));
                outcome.measures[0] = draw.below(9) as i64;
                outcome.spawned = (number % 5 == 0).then(|| [draw.below(3), 4]);
                if number % 7 == 0 {
                    outcome.forfeits = Forfeits::of(1, Forfeit::Crash);
                }
                single.add(&outcome);
                short.add(&outcome, &mut together);
            }
            assert_eq!(together.games < 2000, measures.is_empty());
            short.fold(&mut together);
            assert_eq!(single, together);
        }
    }

    #[test]
    fn saved_tallies_come_back() {
        let tally = some_games(4, 1000);
        let text = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        let restored = read.checked(&MEASURES).unwrap();
        assert_eq!(serde_json::to_string(&restored).unwrap(), text);
        for quantile in [0.0, 0.5, 0.9, 0.99, 1.0] {
            assert_eq!(
                restored.moves_quantile(quantile),
                tally.moves_quantile(quantile)
            );
        }
    }

    #[test]
    fn trajectories_add_up_to_games_and_to_themselves() {
        let trajectories: [(&[u64], u64, u64); 3] =
            [(&[3, 5, 3], 1, 9), (&[], 4, 7), (&[2, 2, 8, 1], 0, 8)];
        let mut games = Tally::new(&[]);
        let mut tally = Tally::new(&[]);
        let mut merged = Tally::new(&[]);
        for (won, lost, moves_lost) in trajectories {
            won.iter()
                .for_each(|&moves| games.add(&Outcome::new(GameResult::Won, moves)));
            (0..lost).for_each(|_| games.add(&Outcome::new(GameResult::Lost, moves_lost)));
            tally.add_trajectory(&Trajectory {
                won,
                lost,
                moves_lost,
            });
            let mut one = Tally::new(&[]);
            one.add_trajectory(&Trajectory {
                won,
                lost,
                moves_lost,
            });
            one.merge(&merged);
            merged = one;
        }
        assert_eq!(tally, merged);
        let sums = tally.trajectories().unwrap();
        assert_eq!(
            (sums.lanes, sums.trajectories, sums.wins_sq),
            (4, 3, 9 + 16)
        );
        assert_eq!(
            (sums.moves_sq, sums.moves_win_sq),
            (20 * 20 + 28 * 28 + 13 * 13, 11 * 11 + 13 * 13)
        );
        assert_eq!(sums.wins_moves, 3 * 11 + 4 * 13);
        let text = serde_json::to_string(&tally).unwrap();
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(read.checked(&[]).unwrap(), tally);
        tally.trajectories = None;
        assert_eq!(tally, games);
    }

    #[test]
    fn measures_are_summed_up_however_games_are_sampled() {
        let mut outcome = Outcome::new(GameResult::Lost, 2);
        outcome.measures[..2].copy_from_slice(&[7, 600]);
        let [mut plain, mut lanes, mut split] = [0; 3].map(|_| Tally::new(&MEASURES));
        for _ in 0..2 {
            (0..2).for_each(|_| plain.add(&outcome));
            lanes.add_trajectory(&Trajectory {
                won: &[],
                lost: 2,
                moves_lost: 2,
            });
            (0..2).for_each(|_| lanes.add_measures(&outcome.measures));
            (0..2).for_each(|_| split.add_replication(&outcome, &[], 0));
        }
        for tally in [&lanes, &split] {
            let mut merged = Tally::new(&MEASURES);
            merged.merge(tally);
            assert_eq!(merged.measures, plain.measures);
            assert_eq!(merged.games, plain.games);
        }
        assert!(lanes.trajectories().is_some() && split.splitting().is_some());
    }

    #[test]
    #[should_panic(expected = "a tally has trajectories or single games")]
    fn trajectories_are_not_mixed_with_games() {
        let mut tally = Tally::new(&[]);
        tally.add(&Outcome::new(GameResult::Lost, 1));
        tally.add_trajectory(&Trajectory {
            won: &[1],
            lost: 15,
            moves_lost: 2,
        });
    }

    #[test]
    fn contradictions_are_refused() {
        let mut read = some_games(5, 10);
        read.games = 11;
        assert!(read.checked(&MEASURES).unwrap_err().contains("11 games"));
    }
}
