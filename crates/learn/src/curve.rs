//! Points of a learning curve, and their file.

use serde::{Deserialize, Serialize};
use std::io::Read;
use std::path::Path;
use tilelab_lab::plan::Plan;
use tilelab_output::files::File;
use tilelab_report::cells::{csv_of, decimal};
use tilelab_report::schema::{LEARNING, names};
use tilelab_stats::{Estimate, Interval, clopper_pearson};

/// How far a training had come after some games.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct LearningPoint {
    /// Games learned.
    pub games: u64,
    /// Moves made in the games learned.
    pub moves: u64,
    /// Time of learning, in seconds.
    pub seconds: f64,
    /// Games learned since the point before, and how many of them were won.
    pub learned: (u64, u64),
    /// Games played without learning, and how many of them were won.
    pub tested: (u64, u64),
    /// Mean score of the games without learning, and its standard error; 0 where a game has no
    /// scores.
    pub score: (f64, f64),
}

/// A rate of wins in percent with Clopper and Pearson's interval.
fn rate((games, wins): (u64, u64), confidence: f64) -> [f64; 3] {
    let Interval { lo, hi } = clopper_pearson(wins, games, confidence);
    [wins as f64 / games as f64, lo, hi].map(|share| 100.0 * share)
}

impl LearningPoint {
    /// The mean score with Student's interval; `None` where the game has no scores.
    fn scores(&self, confidence: f64) -> Option<[f64; 3]> {
        let (mean, se) = self.score;
        (mean != 0.0 && self.tested.0 > 1).then(|| {
            let df = self.tested.0 as f64 - 1.0;
            let Interval { lo, hi } = Estimate { mean, se, df }.interval(confidence);
            [mean, lo, hi]
        })
    }

    /// The figures of the games without learning, for people.
    pub fn text(&self, confidence: f64) -> String {
        let [rate, lo, hi] = rate(self.tested, confidence);
        let score = self
            .scores(confidence)
            .map(|[mean, lo, hi]| format!(", score {mean:.1} [{lo:.1}, {hi:.1}]"));
        format!(
            "won {rate:.1} % [{lo:.1}, {hi:.1}] of {} games{}",
            self.tested.0,
            score.unwrap_or_default()
        )
    }
}

/// Whether a file begins as a learning curve does.
pub fn is_curve(path: &Path) -> bool {
    let mut line = Vec::new();
    let header = names(&LEARNING).join(",");
    File::open(path)
        .and_then(|file| file.take(header.len() as u64).read_to_end(&mut line))
        .is_ok_and(|_| line == header.as_bytes())
}

/// The learning curves of all sets: a row a point.
pub fn csv<'a>(sets: &Plan, curves: impl Iterator<Item = &'a [LearningPoint]>) -> Vec<u8> {
    let row = |rules: String, point: &LearningPoint| {
        let [learned, tested] =
            [point.learned, point.tested].map(|counts| rate(counts, sets.confidence).map(decimal));
        let scores = point.scores(sets.confidence);
        let seconds = decimal((point.seconds * 1e3).round() / 1e3);
        let counts = [sets.seed, point.games, point.moves, point.learned.0];
        [
            &[rules],
            &counts.map(|count| count.to_string())[..],
            &learned,
            &[point.tested.0.to_string()],
            &tested,
            &scores.map(|scores| scores.map(decimal)).unwrap_or_default(),
            &[decimal(sets.confidence), seconds],
        ]
        .concat()
    };
    let rows =
        sets.cells.iter().zip(curves).flat_map(|(cell, points)| {
            points.iter().map(move |point| row(cell.world_key(), point))
        });
    csv_of(names(&LEARNING), rows)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tilelab_lab::plan::Overrides;

    fn point(tested: (u64, u64), score: (f64, f64)) -> LearningPoint {
        LearningPoint {
            games: 200,
            moves: 5_000,
            seconds: 0.1239,
            learned: (100, 25),
            tested,
            score,
        }
    }

    /// The intervals are those of scipy 1.17: `binomtest(3, 10).proportion_ci(0.95)` and
    /// `t.interval(0.95, 9, 50, 2)`.
    #[test]
    fn a_point_has_a_rate_and_a_score_with_their_intervals() {
        let text = |point: LearningPoint| point.text(0.95);
        assert_eq!(
            text(point((10, 3), (50.0, 2.0))),
            "won 30.0 % [6.7, 65.2] of 10 games, score 50.0 [45.5, 54.5]"
        );
        assert_eq!(
            text(point((10, 3), (0.0, 0.0))),
            "won 30.0 % [6.7, 65.2] of 10 games"
        );
        // The spread of one score is not known.
        assert_eq!(
            text(point((1, 1), (50.0, 0.0))),
            "won 100.0 % [2.5, 100.0] of 1 games"
        );
    }

    /// A row for each point, in the order of the sets and of their points, as wide as the header.
    #[test]
    fn curves_are_a_file_of_points() {
        let text = "name = \"a\"\nseed = 7\ngames = 1\n[[table]]\ntitle = \"t\"\n\
            game = \"67\"\nsize = [\"2x2\", \"2x3\"]\n";
        let sets = Plan::parse(text, Overrides::default()).unwrap();
        let first = [point((10, 3), (50.0, 2.0)), point((10, 4), (60.0, 2.0))];
        let second = [point((10, 5), (0.0, 0.0))];
        let bytes = csv(&sets, [&first[..], &second[..]].into_iter());
        let text = String::from_utf8(bytes).unwrap();
        let mut lines = text.lines();
        assert_eq!(lines.next().unwrap(), names(&LEARNING).join(","));
        // From the end, since the rules have commas, too.
        let columns = names(&LEARNING);
        let rows: Vec<Vec<&str>> = lines
            .map(|line| line.rsplitn(columns.len(), ',').collect())
            .collect();
        let column = |name: &str| {
            let place = columns.iter().rev().position(|column| *column == name);
            place.unwrap()
        };
        for (name, expected) in [
            ("games", ["200"; 3]),
            ("test_games", ["10"; 3]),
            ("test_win_pct", ["30", "40", "50"]),
            ("test_score_mean", ["50", "60", ""]),
            ("seconds", ["0.124"; 3]),
        ] {
            let found: Vec<&str> = rows.iter().map(|row| row[column(name)]).collect();
            assert_eq!(found, expected, "{name}");
        }
        let rules = |row: usize| rows[row][column("rules")];
        assert!(rules(0) == rules(1) && rules(1) != rules(2), "{rows:?}");
    }
}
