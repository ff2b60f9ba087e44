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
pub struct Point {
    /// Games learned.
    pub games: u64,
    /// Moves made in them.
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

impl Point {
    /// The mean score with Student's interval; `None` where the game has no scores.
    fn scores(&self, confidence: f64) -> Option<[f64; 3]> {
        let (mean, se) = self.score;
        let Interval { lo, hi } = Estimate {
            mean,
            se,
            df: self.tested.0 as f64 - 1.0,
        }
        .interval(confidence);
        (mean != 0.0 && self.tested.0 > 1).then_some([mean, lo, hi])
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
pub fn csv<'a>(sets: &Plan, curves: impl Iterator<Item = &'a [Point]>) -> Vec<u8> {
    let row = |rules: String, point: &Point| {
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
