//! A tally as it is written to files.

use super::{Measure, Sampled, SavedSplitting, Tally, TrajectoryTally, counted, recorded};
use serde::{Deserialize, Serialize};

/// A [`Tally`] as written to files; wide integers are strings, since JSON readers lose their
/// precision.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SavedTally {
    pub games: u64,
    pub wins: u64,
    pub draws: u64,
    pub moves_sum: String,
    pub moves_sum_sq: String,
    pub moves_win_sum: String,
    pub moves_win_sum_sq: String,
    pub moves_max: u64,
    /// (representative move count, games) of each histogram bucket in use.
    pub moves: Vec<(u64, u64)>,
    /// The same over won games.
    pub moves_win: Vec<(u64, u64)>,
    pub measures: Vec<SavedMeasure>,
    /// Operators, digits, moves, games, won games; see [`Tally::counted`].
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub counted: Vec<[u64; 5]>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub trajectories: Option<SavedTrajectories>,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub splitting: Option<SavedSplitting>,
}

/// A [`TrajectoryTally`] as written to files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SavedTrajectories {
    pub lanes: u64,
    pub trajectories: u64,
    pub wins_sq: String,
    pub moves_sq: String,
    pub moves_win_sq: String,
    pub wins_moves: String,
}

/// A [`MeasureTally`](super::MeasureTally) as written to files.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
#[allow(missing_docs)]
pub struct SavedMeasure {
    pub sum: String,
    pub sum_sq: String,
    pub counts: Vec<(i64, u64)>,
}

impl Tally {
    /// Converts the tally to a form from which [`Tally::restore`] makes an equal tally.
    #[must_use]
    pub fn save(&self) -> SavedTally {
        SavedTally {
            games: self.games,
            wins: self.wins,
            draws: self.draws,
            moves_sum: self.moves_sum.to_string(),
            moves_sum_sq: self.moves_sum_sq.to_string(),
            moves_win_sum: self.moves_win_sum.to_string(),
            moves_win_sum_sq: self.moves_win_sum_sq.to_string(),
            moves_max: self.moves_max,
            moves: recorded(&self.moves).collect(),
            moves_win: recorded(&self.moves_win).collect(),
            measures: self
                .measures
                .iter()
                .map(|measure| SavedMeasure {
                    sum: measure.sum.to_string(),
                    sum_sq: measure.sum_sq.to_string(),
                    counts: measure
                        .counts
                        .iter()
                        .map(|(&value, &count)| (value, count))
                        .collect(),
                })
                .collect(),
            counted: counted::save(&self.counted),
            trajectories: self.trajectories().map(|sums| SavedTrajectories {
                lanes: sums.lanes,
                trajectories: sums.trajectories,
                wins_sq: sums.wins_sq.to_string(),
                moves_sq: sums.moves_sq.to_string(),
                moves_win_sq: sums.moves_win_sq.to_string(),
                wins_moves: sums.wins_moves.to_string(),
            }),
            splitting: self.splitting().map(SavedSplitting::of),
        }
    }

    /// Reads a saved tally of a game with these measures.
    ///
    /// # Errors
    /// Returns an error if the saved numbers contradict each other or do not fit the measures.
    pub fn restore(saved: &SavedTally, measures: &[Measure]) -> Result<Self, String> {
        if saved.measures.len() != measures.len() {
            return Err(format!(
                "{} measures saved where the game has {}",
                saved.measures.len(),
                measures.len()
            ));
        }
        let mut tally = Self::new(measures);
        tally.games = saved.games;
        tally.wins = saved.wins;
        tally.draws = saved.draws;
        tally.moves_sum = number("moves_sum", &saved.moves_sum)?;
        tally.moves_sum_sq = number("moves_sum_sq", &saved.moves_sum_sq)?;
        tally.moves_win_sum = number("moves_win_sum", &saved.moves_win_sum)?;
        tally.moves_win_sum_sq = number("moves_win_sum_sq", &saved.moves_win_sum_sq)?;
        tally.moves_max = saved.moves_max;
        for &(moves, games) in &saved.moves {
            tally
                .moves
                .record_n(moves, games)
                .map_err(|error| format!("moves {moves}: {error}"))?;
        }
        for &(moves, games) in &saved.moves_win {
            tally
                .moves_win
                .record_n(moves, games)
                .map_err(|error| format!("moves_win {moves}: {error}"))?;
        }
        for (measure, saved) in tally.measures.iter_mut().zip(&saved.measures) {
            measure.sum = number("measure sum", &saved.sum)?;
            measure.sum_sq = number("measure sum_sq", &saved.sum_sq)?;
            measure.counts = saved.counts.iter().copied().collect();
        }
        tally.counted = counted::restore(&saved.counted, tally.games, tally.wins)?;
        if let Some(saved) = &saved.trajectories {
            let games = u128::from(saved.lanes) * u128::from(saved.trajectories);
            if games != u128::from(tally.games) || games == 0 {
                let SavedTrajectories {
                    lanes,
                    trajectories,
                    ..
                } = saved;
                return Err(format!(
                    "{trajectories} trajectories of {lanes} games are not {} games",
                    tally.games
                ));
            }
            tally.sampled = Sampled::Lanes(TrajectoryTally {
                lanes: saved.lanes,
                trajectories: saved.trajectories,
                wins_sq: number("wins_sq", &saved.wins_sq)?,
                moves_sq: number("moves_sq", &saved.moves_sq)?,
                moves_win_sq: number("moves_win_sq", &saved.moves_win_sq)?,
                wins_moves: number("wins_moves", &saved.wins_moves)?,
            });
        }
        if let Some(saved) = &saved.splitting {
            if tally.trajectories().is_some() {
                return Err("games are replications or come in trajectories, not both".to_owned());
            }
            tally.sampled = Sampled::Splitting(saved.restore(tally.games, tally.wins)?);
        }
        let counted = tally.moves.len();
        if counted != tally.games
            || tally
                .wins
                .checked_add(tally.draws)
                .is_none_or(|ended| ended > tally.games)
        {
            return Err(format!(
                "{} games do not go with {} wins, {} draws and {counted} counted games",
                tally.games, tally.wins, tally.draws
            ));
        }
        let counted = tally.moves_win.len();
        if counted != tally.wins {
            return Err(format!(
                "{} wins do not go with {counted} counted wins",
                tally.wins
            ));
        }
        Ok(tally)
    }
}

/// Reads a number of a saved tally.
pub(super) fn number<T: std::str::FromStr>(name: &str, text: &str) -> Result<T, String> {
    text.parse()
        .map_err(|_| format!("{name} is not a number: {text:?}"))
}
