//! Every figure of one row of `cells.csv`, from its tally.

use super::cluster::RatioSums;
use super::skew::Shape;
use super::{ClusterSums, Interval, Moments, SplittingSums, clopper_pearson, wilson};
use tilelab_core::tally::{MeasureKind, SplitLevel, Tally, bin};
use tilelab_core::text::join;

/// The figures of one cell; rates in percent; `None` where the games played leave a figure
/// undefined.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Summary {
    /// Games played; replications, where games are split.
    pub games: u64,
    /// Games won by seat 0; replications in which a game was won, where games are split.
    pub wins: u64,
    /// Games drawn.
    pub draws: u64,
    /// Games lost by seat 0.
    pub losses: u64,
    /// The share of games won, in percent.
    pub win_pct: Option<f64>,
    /// The exact interval of the win rate (Clopper–Pearson) for a number of games fixed beforehand,
    /// in percent; `None` for games in trajectories and games that are split. Tables show another
    /// one where the experiment asks for the mid-p, or a stopping rule chose the number of games.
    pub win_pct_exact: Option<Interval>,
    /// Wilson's interval of the win rate, in percent; for games in trajectories
    /// [`ClusterSums::wilson_interval`]; `None` for games that are split.
    pub win_pct_wilson: Option<Interval>,
    /// Mean moves of a game; like all figures of moves `None` where games are split.
    pub moves_mean: Option<f64>,
    /// The standard error of the mean moves of a game.
    pub moves_mean_se: Option<f64>,
    /// Mean moves of a won game.
    pub moves_win_mean: Option<f64>,
    /// The standard error of the mean moves of a won game.
    pub moves_win_mean_se: Option<f64>,
    /// Hall's interval of the mean moves of a won game, for skewed data, with few wins together
    /// with Student's; `None` below [`WON_MIN`] wins (for games in trajectories,
    /// [`super::cluster::RatioSums::effective_wins`]).
    pub moves_win_interval: Option<Interval>,
    /// The mean of 1 for a win, ½ for a draw and 0 for a loss.
    pub points_mean: Option<f64>,
    /// The standard error of the mean points, for independent games.
    pub points_mean_se: Option<f64>,
    /// The moves that half of the games do not exceed, to three significant digits like the other
    /// quantiles.
    pub moves_p50: Option<u64>,
    /// The moves that 90 % of the games do not exceed.
    pub moves_p90: Option<u64>,
    /// The moves that 99 % of the games do not exceed.
    pub moves_p99: Option<u64>,
    /// The largest move count, exactly.
    pub moves_max: Option<u64>,
    /// One entry a measure of the game, in its order.
    pub measures: Vec<MeasureSummary>,
    /// How far the games are from independent, when they come in trajectories.
    pub lanes: Option<LaneSummary>,
    /// How the win rate was estimated, when games are split.
    pub splitting: Option<SplittingSummary>,
}

/// How a win rate was estimated from games that are split.
#[derive(Clone, Debug, PartialEq)]
pub struct SplittingSummary {
    /// Where games are split.
    pub levels: Vec<SplitLevel>,
    /// Independent replications.
    pub replications: u64,
    /// How many independent plain games would give the win rate the same precision
    /// ([`SplittingSums::effective_games`]).
    pub effective_games: Option<f64>,
}

impl SplittingSummary {
    /// The levels as `value×factor`, with blanks between them.
    pub fn levels_text(&self) -> String {
        join(self.levels.iter().map(SplitLevel::to_string), " ")
    }
}

/// The figures of games that come in trajectories; standard errors and intervals are then those of
/// clusters.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct LaneSummary {
    /// Games of each trajectory.
    pub lanes: u64,
    /// Trajectories played.
    pub trajectories: u64,
    /// How many times larger the variance of the win rate is than that of independent games
    /// ([`ClusterSums::design_effect`]).
    pub design_effect: Option<f64>,
    /// How many independent games would give the win rate the same precision
    /// ([`ClusterSums::effective_games`]).
    pub effective_games: Option<f64>,
    /// How many times larger the variance of the mean move count is than that of independent games.
    pub moves_design_effect: Option<f64>,
}

/// The fewest wins with which the mean moves of won games have an interval: with fewer, their
/// skewness is not known well enough.
pub const WON_MIN: f64 = 10.0;

/// The figures of one measure.
#[derive(Clone, Debug, PartialEq)]
pub struct MeasureSummary {
    /// The mean over all games.
    pub mean: Option<f64>,
    /// The standard error of the mean.
    pub mean_se: Option<f64>,
    /// For a measure with levels: (level, percent of games that reach at least it), in the
    /// measure's order.
    pub ge_pct: Vec<(i64, Option<f64>)>,
}

/// A count as percent of all; `None` of nothing.
fn percent(count: u64, all: u64) -> Option<f64> {
    (all > 0).then(|| 100.0 * (count as f64 / all as f64))
}

impl Summary {
    /// Sums up a tally, with intervals of this confidence (strictly between 0 and 1).
    ///
    /// For a cell with adaptive precision pass [`super::Rule::confidence_per_look`].
    ///
    /// # Panics
    /// When `confidence` is out of range.
    pub fn of(tally: &Tally, confidence: f64) -> Self {
        if let Some(sums) = SplittingSums::of(tally) {
            return Self::of_splitting(tally, &sums);
        }
        let games = tally.games;
        let wins = tally.wins;
        let moves = Moments::of_unsigned(tally.finished(), tally.moves_sum, tally.moves_sum_sq);
        let won_games = tally.finished_wins();
        let won = Moments::of_unsigned(won_games, tally.moves_win_sum, tally.moves_win_sum_sq);
        let clusters = ClusterSums::of_wins(tally);
        let is_independent = clusters.is_none() && games > 0;
        let exact = is_independent.then(|| clopper_pearson(wins, games, confidence));
        let wilson = match clusters {
            None => is_independent.then(|| wilson(wins, games, confidence)),
            Some(sums) => sums.wilson_interval(confidence),
        };
        let moves_se = match ClusterSums::of_moves(tally) {
            None => moves.standard_error(),
            Some(sums) => sums.standard_error(),
        };
        let (won_se, independent_wins) = match RatioSums::of_won_moves(tally) {
            None => (won.standard_error(), won_games as f64),
            Some(sums) => {
                let se = sums.estimate().map(|estimate| estimate.se);
                (se, sums.effective_wins())
            }
        };
        let won_shape = || {
            let counts: Vec<(f64, u64)> = tally
                .moves_win_distribution()
                .map(|(moves, games)| {
                    let [lower, upper] = bin(moves);
                    (f64::midpoint(lower as f64, upper as f64), games)
                })
                .collect();
            Shape::of_counts(&counts)
        };
        let won_mean = won.mean().zip(won_se);
        let moves_win_interval =
            won_mean
                .filter(|_| independent_wins >= WON_MIN)
                .map(|(mean, se)| match won_shape() {
                    // Hall's may be long where wins are few and skew; moves are not negative.
                    Some(shape) => shape
                        .interval(mean, se, independent_wins, confidence)
                        .within(0.0, f64::INFINITY),
                    // All won games took equally many moves.
                    None => Interval::around(mean, 0.0),
                });
        let points = Moments {
            n: games,
            sum: 2 * i128::from(wins) + i128::from(tally.draws),
            sum_sq: 4 * u128::from(wins) + u128::from(tally.draws),
        };
        Self {
            games,
            wins,
            draws: tally.draws,
            losses: tally.losses(),
            win_pct: percent(wins, games),
            win_pct_exact: exact.map(|interval| interval.scaled(100.0)),
            win_pct_wilson: wilson.map(|interval| interval.scaled(100.0)),
            moves_mean: moves.mean(),
            moves_mean_se: moves_se,
            moves_win_mean: won.mean(),
            moves_win_mean_se: won_se,
            moves_win_interval,
            points_mean: points.mean().map(|mean| mean / 2.0),
            points_mean_se: points.standard_error().map(|se| se / 2.0),
            moves_p50: tally.moves_quantile(0.5),
            moves_p90: tally.moves_quantile(0.9),
            moves_p99: tally.moves_quantile(0.99),
            moves_max: (tally.finished() > 0).then_some(tally.moves_max),
            measures: measures_of(tally),
            lanes: clusters.map(|sums| LaneSummary {
                lanes: sums.size,
                trajectories: sums.clusters,
                design_effect: sums.design_effect(),
                effective_games: sums.effective_games(),
                moves_design_effect: moves_se
                    .zip(moves.standard_error().filter(|se| *se > 0.0))
                    .map(|(se, independent)| (se / independent).powi(2)),
            }),
            splitting: None,
        }
    }

    /// Sums up replications: moves are those of all games of a replication, which say nothing about
    /// a game.
    fn of_splitting(tally: &Tally, sums: &SplittingSums) -> Self {
        let levels = tally.splitting().map(|splitting| splitting.levels.clone());
        let effective_games = sums.effective_games();
        Self {
            win_pct: sums.rate().map(|rate| 100.0 * rate),
            splitting: levels.map(|levels| SplittingSummary {
                levels,
                replications: tally.games,
                effective_games,
            }),
            games: tally.games,
            wins: tally.wins,
            losses: tally.losses(),
            ..Self::default()
        }
    }

    /// The figures of games that leave nothing to chance: they are what they are, so every interval
    /// is the point and every standard error 0.
    #[must_use]
    pub fn without_chance(mut self) -> Self {
        let point = |value: Option<f64>| value.map(|value| Interval::around(value, 0.0));
        let zero = |value: Option<f64>| value.map(|_| 0.0);
        self.win_pct_exact = point(self.win_pct);
        self.win_pct_wilson = point(self.win_pct);
        self.moves_win_interval = point(self.moves_win_mean);
        self.moves_mean_se = zero(self.moves_mean);
        self.moves_win_mean_se = zero(self.moves_win_mean);
        self.points_mean_se = zero(self.points_mean);
        for measure in &mut self.measures {
            measure.mean_se = zero(measure.mean);
        }
        self
    }
}

/// Sums up every measure of a tally.
fn measures_of(tally: &Tally) -> Vec<MeasureSummary> {
    let one = |(measure, kind): (&tilelab_core::tally::MeasureTally, &MeasureKind)| {
        let (n, levels): (_, &[i64]) = match kind {
            MeasureKind::Points => (measure.counts.values().sum(), &[]),
            MeasureKind::Mean | MeasureKind::Shape => (tally.finished(), &[]),
            MeasureKind::Levels(levels) => (tally.finished(), levels),
        };
        let moments = Moments {
            n,
            sum: measure.sum,
            sum_sq: measure.sum_sq,
        };
        let reached = |level: i64| measure.counts.range(level..).map(|(_, &games)| games).sum();
        MeasureSummary {
            mean: moments.mean(),
            mean_se: moments.standard_error(),
            ge_pct: levels
                .iter()
                .map(|&level| (level, percent(reached(level), tally.finished())))
                .collect(),
        }
    };
    tally
        .measures
        .iter()
        .zip(tally.measure_kinds())
        .map(one)
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelab_core::tally::{GameResult, Measure, Outcome};

    const MEASURES: [Measure; 2] = [
        Measure {
            name: "score",
            kind: MeasureKind::Mean,
            unit: "",
            help: "",
        },
        Measure {
            name: "tile",
            kind: MeasureKind::Levels(&[512, 1024, 2048]),
            unit: "",
            help: "",
        },
    ];

    /// Nine short won games and a long one: Student's interval would begin at −1,262 moves.
    #[test]
    fn moves_of_won_games_are_never_negative() {
        let mut tally = Tally::new(&[]);
        for moves in [1, 1, 1, 1, 1, 1, 1, 1, 1, 10_000] {
            tally.add(&Outcome::new(GameResult::Won, moves));
        }
        let summary = Summary::of(&tally, 0.95);
        assert!(summary.moves_win_mean.unwrap() < 2.2 * summary.moves_win_mean_se.unwrap());
        assert_eq!(summary.moves_win_interval.unwrap().lo, 0.0);
    }

    #[test]
    fn four_games_worked_by_hand() {
        let mut tally = Tally::new(&MEASURES);
        for (result, moves, score, tile) in [
            (GameResult::Won, 10, -3, 1024),
            (GameResult::Won, 20, 5, 2048),
            (GameResult::Drawn, 30, 1, 512),
            (GameResult::Lost, 40, 1, 256),
        ] {
            let mut outcome = Outcome::new(result, moves);
            outcome.measures[..2].copy_from_slice(&[score, tile]);
            tally.add(&outcome);
        }
        let summary = Summary::of(&tally, 0.95);
        assert_eq!(
            (summary.games, summary.wins, summary.draws, summary.losses),
            (4, 2, 1, 1)
        );
        assert_eq!(summary.win_pct, Some(50.0));
        let exact = summary.win_pct_exact.unwrap();
        // 2 of 4, from the closed form of the binomial tail 6p² − 8p³ + 3p⁴ = 0.025.
        let p = exact.lo / 100.0;
        assert!((6.0 * p.powi(2) - 8.0 * p.powi(3) + 3.0 * p.powi(4) - 0.025).abs() < 1e-12);
        assert!((exact.lo + exact.hi - 100.0).abs() < 1e-10);
        assert!(summary.win_pct_wilson.unwrap().half_width() < exact.half_width());
        assert_eq!(
            (summary.moves_mean, summary.moves_win_mean),
            (Some(25.0), Some(15.0))
        );
        // Variance 500/3 over 4 games; 50 over 2.
        assert!((summary.moves_mean_se.unwrap() - (500.0f64 / 12.0).sqrt()).abs() < 1e-12);
        assert!((summary.moves_win_mean_se.unwrap() - 5.0).abs() < 1e-12);
        assert_eq!(
            (summary.moves_p50, summary.moves_p99, summary.moves_max),
            (Some(20), Some(40), Some(40))
        );
        assert_eq!(summary.measures[0].mean, Some(1.0));
        assert_eq!(summary.measures[0].ge_pct, []);
        assert_eq!(
            summary.measures[1].ge_pct,
            [(512, Some(75.0)), (1024, Some(50.0)), (2048, Some(25.0))]
        );
    }

    #[test]
    fn nothing_is_made_up_without_games() {
        let summary = Summary::of(&Tally::new(&MEASURES), 0.95);
        assert_eq!(
            (
                summary.games,
                summary.win_pct,
                summary.win_pct_exact,
                summary.moves_mean
            ),
            (0, None, None, None)
        );
        assert_eq!(
            (
                summary.moves_p50,
                summary.moves_max,
                summary.measures[0].mean
            ),
            (None, None, None)
        );
        assert_eq!(summary.measures[1].ge_pct[0], (512, None));
        let mut one = Tally::new(&[]);
        one.add(&Outcome::new(GameResult::Lost, 7));
        let summary = Summary::of(&one, 0.95);
        assert_eq!(
            (summary.win_pct, summary.moves_mean, summary.moves_mean_se),
            (Some(0.0), Some(7.0), None)
        );
        assert_eq!(
            (summary.moves_win_mean, summary.moves_win_mean_se),
            (None, None)
        );
    }
}
