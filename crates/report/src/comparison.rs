//! Two results compared cell by cell.
//!
//! `cells.csv` has totals, which do not tell which games both cells won. From totals alone, two
//! cells are compared as independent samples: rates by Newcombe's interval and Fisher's test
//! (mid-p, the exact p beside it), mean move counts, and means of a measure that the game reports,
//! by Welch's test. Games that share trajectories count as their effective number. Rates of
//! splitting are compared by the intervals of their replications, since their wins are not counts.
//!
//! Where two cells met the same random numbers (same seed, game and rules, or rules that differ in
//! common parameters only), this is valid but imprecise: the outcomes of such games are usually
//! correlated, so the interval is wider than it has to be. [`PairSums`] hold what a paired analysis
//! needs, from the rows of single games or from playing both cells again.
//!
//! All p-values of one comparison are adjusted together (Holm), so the chance of any false positive
//! is at most one minus the confidence.

mod forms;
mod options;

pub use forms::{document, notes, to_csv, to_markdown};
pub use options::ComparisonOptions;

use super::cells::Record;
use super::figures::{is_certain, is_stopped};
use std::collections::HashMap;
use tilelab_stats::{
    Interval, Limits, Moments, RateDifference, WINS_FEW, equivalence_p, holm, paired_equivalence_p,
    paired_rate_difference, rate_difference, welch,
};

/// Games played by two cells on the same random numbers.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PairSums {
    /// Pairs of games that all players finished.
    pub games: u64,
    /// Pairs in which a player forfeited. They enter no other number.
    pub forfeited: u64,
    /// Pairs won by A only.
    pub only_a: u64,
    /// Pairs won by B only.
    pub only_b: u64,
    /// Pairs won by both.
    pub both: u64,
    /// The most moves of one game.
    pub moves_max: u64,
    /// Sums of the move counts.
    pub moves: NumberSums,
    /// Sums of the measure that is compared; 0 where none is.
    pub measure: NumberSums,
}

/// Sums over pairs of numbers, one of A and one of B.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct NumberSums {
    /// Sums of the numbers of A and of B.
    pub of: [i128; 2],
    /// Sums of the squares of the numbers of A and of B.
    pub squares_of: [u128; 2],
    /// Sum of the squares of B's number less A's.
    pub squares: u128,
}

impl NumberSums {
    fn add_pair(&mut self, a: i128, b: i128) {
        for (side, number) in [a, b].into_iter().enumerate() {
            self.of[side] += number;
            self.squares_of[side] += number.unsigned_abs().pow(2);
        }
        self.squares += a.abs_diff(b).pow(2);
    }

    fn add(&mut self, other: &Self) {
        for side in [0, 1] {
            self.of[side] += other.of[side];
            self.squares_of[side] += other.squares_of[side];
        }
        self.squares += other.squares;
    }

    /// B's mean less A's over `n` pairs, by Student's t over the differences.
    pub fn difference(&self, n: u64, confidence: f64) -> Option<Difference> {
        let moments = |sum, sum_sq| Moments { n, sum, sum_sq }.estimate();
        let estimate = moments(self.of[1] - self.of[0], self.squares)?;
        let of_side = |side: usize| Some(moments(self.of[side], self.squares_of[side])?.se.powi(2));
        let gain = gain(of_side(0)? + of_side(1)?, estimate.se.powi(2));
        let interval = estimate.interval(confidence);
        Some(Difference {
            gain,
            ..Difference::new(estimate.mean, interval, estimate.p_value())
        })
    }
}

/// What a pair of games takes from one of them.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct GameFigures {
    /// Whether the game was won.
    pub won: bool,
    /// The move count of the game.
    pub moves: u64,
    /// The measure that is compared; 0 where none is.
    pub measure: i64,
}

impl PairSums {
    /// Adds one pair: a game of A and that of B with the same number, `None` for one that a player
    /// forfeited.
    pub fn add_pair(&mut self, a: Option<GameFigures>, b: Option<GameFigures>) {
        let (Some(a), Some(b)) = (a, b) else {
            self.forfeited += 1;
            return;
        };
        self.games += 1;
        self.only_a += u64::from(a.won && !b.won);
        self.only_b += u64::from(b.won && !a.won);
        self.both += u64::from(a.won && b.won);
        self.moves_max = self.moves_max.max(a.moves).max(b.moves);
        self.moves.add_pair(a.moves.into(), b.moves.into());
        self.measure.add_pair(a.measure.into(), b.measure.into());
    }

    /// Adds other pairs.
    pub fn add(&mut self, other: &Self) {
        self.games += other.games;
        self.forfeited += other.forfeited;
        self.only_a += other.only_a;
        self.only_b += other.only_b;
        self.both += other.both;
        self.moves_max = self.moves_max.max(other.moves_max);
        self.moves.add(&other.moves);
        self.measure.add(&other.measure);
    }

    /// The win rate in percent, the mean move count and the mean of the measure of A and of B over
    /// the pairs; `None` without pairs.
    fn sides(&self) -> [[Option<f64>; 3]; 2] {
        let mean = |sum: f64| (self.games > 0).then(|| sum / self.games as f64);
        let wins = [self.only_a, self.only_b].map(|alone| 100.0 * (self.both + alone) as f64);
        [0, 1].map(|side| {
            let [moves, measure] = [self.moves, self.measure].map(|sums| sums.of[side] as f64);
            [wins[side], moves, measure].map(mean)
        })
    }

    /// B's rate less A's (shares): Tango's score interval and McNemar's mid-p test.
    pub fn rates(&self, confidence: f64) -> Option<Difference> {
        let found = paired_rate_difference(self.only_a, self.only_b, self.games, confidence)?;
        let n = self.games as f64;
        let value = (self.only_b as f64 - self.only_a as f64) / n;
        let of_side = |alone: u64| {
            let rate = (self.both + alone) as f64 / n;
            rate * (1.0 - rate)
        };
        let paired = (self.only_a + self.only_b) as f64 / n - value * value;
        let gain = gain(of_side(self.only_a) + of_side(self.only_b), paired);
        Some(Difference {
            gain,
            ..Difference::of_rates(value, found)
        })
    }
}

/// The variance of a difference of independent games divided by that of pairs; `None` where the
/// pairs do not vary.
fn gain(independent: f64, paired: f64) -> Option<f64> {
    (paired > 0.0).then(|| independent / paired)
}

/// A difference, B less A.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Difference {
    /// The difference found.
    pub value: f64,
    /// The confidence interval of the difference, for this cell alone.
    pub interval: Interval,
    /// The two-sided p-value for no difference, for this cell alone.
    pub p_value: f64,
    /// The p-value of the exact test, where there is one.
    pub p_exact: Option<f64>,
    /// The p-value adjusted for all cells compared.
    pub p_holm: f64,
    /// Over pairs: how many times as many games independent samples need for the same precision.
    pub gain: Option<f64>,
}

impl Difference {
    /// A difference, not adjusted yet.
    const fn new(value: f64, interval: Interval, p_value: f64) -> Self {
        Self {
            value,
            interval,
            p_value,
            p_exact: None,
            p_holm: 1.0,
            gain: None,
        }
    }

    /// A difference of rates (shares), not adjusted yet.
    const fn of_rates(value: f64, found: RateDifference) -> Self {
        Self {
            p_exact: found.p_exact,
            ..Self::new(value, found.interval, found.p_value)
        }
    }
}

/// The random numbers that two cells met.
#[derive(Clone, Copy, Debug)]
pub enum Met<'a> {
    /// The same random numbers in games of the same number; with the sums of such pairs of games,
    /// where they were played.
    Same(Option<&'a PairSums>),
    /// Other random numbers, or it is not known which.
    Other,
}

/// How a pair of cells was analysed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Analysis {
    /// Same cell, seed and number of games: the games are the same, so the results must be.
    SameGames,
    /// Same cell and seed: the games of the shorter run are the first ones of the longer. Compared
    /// as if they were independent, so intervals are too wide and p-values too large.
    Nested,
    /// Same random numbers, compared game by game.
    Paired,
    /// Same random numbers, compared as if they were independent.
    UnpairedThoughPairable,
    /// Independent samples.
    Unpaired,
    /// Independent samples, of which one is splitting with too few replications that were won for
    /// their spread to be known; the interval is wide and the test rejects seldom.
    FewWins,
}

impl Analysis {
    /// The word in tables.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::SameGames => "same games",
            Self::Nested => "nested (the games of one are among those of the other)",
            Self::Paired => "paired",
            Self::UnpairedThoughPairable => "unpaired (could be paired)",
            Self::Unpaired => "unpaired",
            Self::FewWins => "unpaired (fewer than 10 replications won)",
        }
    }
}

/// One cell of A and one of B.
#[derive(Clone, Debug)]
pub struct Pair<'a> {
    /// A's row.
    pub a: Record<'a>,
    /// B's row.
    pub b: Record<'a>,
    /// How the two were analysed.
    pub analysis: Analysis,
    /// Pairs of games, where they were played.
    pub games_paired: Option<u64>,
    /// Pairs that were played and left out, since a player forfeited one of their games.
    pub pairs_forfeited: u64,
    /// The win rate in percent, the mean move count and the mean of the measure of A and of B, over
    /// the games that the differences are about.
    pub sides: [[Option<f64>; 3]; 2],
    /// The differences of the win rates, as shares, of the mean move counts, and of the means of a
    /// measure that the game reports besides, where one was asked for and both cells have it.
    pub differences: [Option<Difference>; 3],
    /// Whether the same games gave other results, which chance cannot explain.
    pub changed: bool,
    /// Whether the win rates are the same but for a margin, where that was asked.
    pub equivalence: Option<Equivalence>,
}

/// The two one-sided tests of a margin around no difference of the win rates.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Equivalence {
    /// The margin, as a share.
    pub margin: f64,
    /// The p-value for a difference of at least the margin, of this cell alone; small values say
    /// that the rates are equivalent.
    pub p_value: f64,
    /// The p-value adjusted for all cells compared.
    pub p_holm: f64,
}

/// What the same games must agree in.
const SAME: [&str; 7] = [
    "games",
    "wins",
    "win_pct",
    "moves_mean",
    "moves_win_mean",
    "moves_max",
    "error",
];

impl<'a> Pair<'a> {
    /// Compares two rows, which met the same random numbers or others.
    pub fn new(a: Record<'a>, b: Record<'a>, met: Met<'_>, options: &ComparisonOptions) -> Self {
        let confidence = options.confidence;
        let measure = options
            .measure
            .as_ref()
            .map(|name| format!("{name}_mean"))
            .filter(|mean| [a, b].iter().all(|row| row.get(mean).is_some()));
        let same = |name: &str| a.get(name) == b.get(name);
        let same_games = ["cell", "seed", "games"].into_iter().all(same);
        let changed = same_games && !SAME.into_iter().chain(measure.as_deref()).all(same);
        let sums = match met {
            Met::Same(sums) => sums,
            Met::Other => None,
        };
        // The difference is what it is, and no test is needed.
        let is_point = same_games || is_certain(&a) && is_certain(&b);
        let analysis = match met {
            Met::Same(Some(_)) => Analysis::Paired,
            _ if same_games => Analysis::SameGames,
            _ if ["cell", "seed"].into_iter().all(same) => Analysis::Nested,
            _ if has_few_wins(&a) || has_few_wins(&b) => Analysis::FewWins,
            Met::Same(None) => Analysis::UnpairedThoughPairable,
            Met::Other => Analysis::Unpaired,
        };
        let rates = match sums {
            Some(sums) => sums.rates(confidence),
            None if is_point => certain(&a, &b, "win_pct", 0.01),
            None => rates(&a, &b, confidence),
        };
        let mean = |name, of: fn(&PairSums) -> NumberSums| match sums {
            Some(sums) => of(sums).difference(sums.games, confidence),
            None if is_point => certain(&a, &b, name, 1.0),
            None => means(&a, &b, name, confidence),
        };
        let moves = mean("moves_mean", |sums| sums.moves);
        let measured = measure
            .as_deref()
            .and_then(|name| mean(name, |sums| sums.measure));
        let differences = [rates, moves, measured];
        let equivalence = options.margin.and_then(|margin| {
            let p_value = match sums {
                Some(sums) => paired_equivalence_p(sums.only_a, sums.only_b, sums.games, margin),
                None if is_point => None,
                None if has_own_interval(&a) || has_own_interval(&b) => {
                    Some(limits(&a)?.equivalence_p(&limits(&b)?, margin))
                }
                None => equivalence_p(a.effective_wins()?, b.effective_wins()?, margin),
            };
            Some(Equivalence {
                margin,
                p_value: p_value?,
                p_holm: 1.0,
            })
        });
        let of_row = |row: &Record<'_>| {
            let measured = measure.as_deref().and_then(|name| row.number(name));
            [row.number("win_pct"), row.number("moves_mean"), measured]
        };
        // Figures of all games beside differences of the pairs would not go together.
        let sides = sums.map_or([of_row(&a), of_row(&b)], PairSums::sides);
        Self {
            a,
            b,
            analysis,
            games_paired: sums.map(|sums| sums.games),
            pairs_forfeited: sums.map_or(0, |sums| sums.forfeited),
            sides,
            differences,
            changed,
            equivalence,
        }
    }

    /// The differences that are tested.
    fn found(&self) -> impl Iterator<Item = &Difference> {
        self.differences.iter().flatten()
    }

    /// The p-value of each difference, and where the adjusted one goes; none for the same games,
    /// which are not tested.
    fn tests(&mut self) -> Vec<(f64, &mut f64)> {
        let is_tested = self.analysis != Analysis::SameGames;
        self.differences
            .iter_mut()
            .flatten()
            .filter(|_| is_tested)
            .map(|found| (found.p_value, &mut found.p_holm))
            .collect()
    }

    /// Whether the adjusted p-values, or changed results of the same games, tell the two apart.
    pub fn differs(&self, alpha: f64) -> bool {
        self.changed || self.found().any(|difference| difference.p_holm <= alpha)
    }
}

/// The difference of a figure that leaves nothing to chance: the interval is the point.
fn certain(a: &Record<'_>, b: &Record<'_>, name: &str, unit: f64) -> Option<Difference> {
    let value = (b.number(name)? - a.number(name)?) * unit;
    let p_value = if value == 0.0 { 1.0 } else { 0.0 };
    let [lo, hi] = [value; 2];
    Some(Difference::new(value, Interval { lo, hi }, p_value))
}

fn rates(a: &Record<'_>, b: &Record<'_>, confidence: f64) -> Option<Difference> {
    let value = b.rate()? - a.rate()?;
    let found = match (
        has_own_interval(a) || has_own_interval(b),
        limits(a),
        limits(b),
    ) {
        (true, Some(a), Some(b)) => b.difference(&a, confidence),
        _ => rate_difference(b.effective_wins()?, a.effective_wins()?, confidence)?,
    };
    Some(Difference::of_rates(value, found))
}

/// Whether the rate of a row was estimated by splitting.
fn is_split(row: &Record<'_>) -> bool {
    row.count("replications").is_some()
}

/// Whether so few replications of splitting were won that their spread is hardly known.
fn has_few_wins(row: &Record<'_>) -> bool {
    is_split(row) && row.count("wins").is_some_and(|wins| wins < WINS_FEW)
}

/// Whether counts alone do not say how far a rate may be off: games are split, or a stopping rule
/// chose their number.
fn has_own_interval(row: &Record<'_>) -> bool {
    is_split(row) || is_stopped(row)
}

/// The limits of a row's rate, those of its own interval where it has one.
fn limits(row: &Record<'_>) -> Option<Limits> {
    if !has_own_interval(row) {
        let (wins, games) = row.effective_wins()?;
        return Limits::counted(wins, games);
    }
    let ends = row.numbers(["win_pct_lo", "win_pct_hi"])?;
    let [lo, hi] = ends.map(|percent| percent / 100.0);
    let confidence = row.number("confidence")?;
    Some(Limits::of_interval(
        row.rate()?,
        Interval { lo, hi },
        confidence,
    ))
}

/// The difference of a mean, whose column is named and has its standard error beside it.
fn means(a: &Record<'_>, b: &Record<'_>, name: &str, confidence: f64) -> Option<Difference> {
    let found = welch(&b.mean(name)?, &a.mean(name)?, confidence);
    let mean = found.difference.mean;
    Some(Difference::new(mean, found.interval, found.p_value))
}

/// Adjusts the p-values of all pairs together. A pair of cells is one test however many tables
/// show it.
pub fn adjust(pairs: &mut [Pair<'_>]) {
    adjust_tests(pairs, Pair::tests);
    // Whether rates are equivalent is another question than whether they differ.
    adjust_tests(pairs, |pair| {
        let test = pair.equivalence.as_mut();
        test.map(|test| (test.p_value, &mut test.p_holm))
            .into_iter()
            .collect()
    });
}

/// Adjusts the p-values that `tests` finds in the pairs, each with where the adjusted one goes.
fn adjust_tests<'a>(
    pairs: &mut [Pair<'a>],
    tests: impl for<'p> Fn(&'p mut Pair<'a>) -> Vec<(f64, &'p mut f64)>,
) {
    let mut places = HashMap::new();
    let mut p_values = Vec::new();
    let mut adjusted = Vec::new();
    for pair in pairs {
        let cells = [&pair.a, &pair.b].map(|row| row.get("cell"));
        for (number, (p_value, p_holm)) in tests(pair).into_iter().enumerate() {
            let place = *places.entry((cells, number)).or_insert(p_values.len());
            if place == p_values.len() {
                p_values.push(p_value);
            }
            adjusted.push((place, p_holm));
        }
    }
    let known = holm(&p_values);
    for (place, p_holm) in adjusted {
        *p_holm = known[place];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_worked_by_hand() {
        // 100 pairs: 4 won by B only, 1 by A only; B needs one move more in every pair but one.
        let sums = PairSums {
            games: 100,
            forfeited: 0,
            only_a: 1,
            only_b: 4,
            both: 5,
            moves_max: 99,
            moves: NumberSums {
                of: [0, 99],
                squares_of: [0, 99],
                squares: 99,
            },
            measure: NumberSums::default(),
        };
        assert_eq!(
            sums.sides(),
            [[6.0, 0.0, 0.0], [9.0, 0.99, 0.0]].map(|side| side.map(Some))
        );
        let rates = sums.rates(0.95).unwrap();
        assert!((rates.value - 0.03).abs() < 1e-15);
        assert!(
            rates.interval.lo < 0.0
                && rates.interval.hi > 0.06
                && (rates.p_value - 0.21875).abs() < 1e-12
                && rates.p_exact.is_some_and(|p| (p - 0.375).abs() < 1e-12),
            "{rates:?}"
        );
        let moves = sums.moves.difference(100, 0.95).unwrap();
        assert!((moves.value - 0.99).abs() < 1e-15 && moves.p_value < 1e-50);
        let none = PairSums {
            games: 100,
            ..PairSums::default()
        }
        .rates(0.95)
        .unwrap();
        assert!(
            none.interval.hi > 0.03 && none.interval.hi < 0.04 && none.p_value == 1.0,
            "{none:?}"
        );
        let mut twice = sums;
        twice.add_pair(Some(GameFigures::default()), None);
        assert_eq!(
            twice,
            PairSums {
                forfeited: 1,
                ..sums
            }
        );
        assert_eq!(PairSums::default().sides(), [[None; 3]; 2]);
        twice.add(&sums);
        assert_eq!(
            (twice.games, twice.only_b, twice.moves.squares),
            (200, 8, 198)
        );
    }
}
