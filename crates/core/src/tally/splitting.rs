//! Sums over replications of multilevel splitting.

use super::saved;
use serde::{Deserialize, Serialize};
use std::fmt;

/// A value at which games are split in two or more continuations.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(from = "(u64, u64)", into = "(u64, u64)")]
pub struct SplitLevel {
    /// A game is split when it first reaches this value.
    pub value: u64,
    /// The number of continuations; at least 1.
    pub factor: u64,
}

impl fmt::Display for SplitLevel {
    /// `value×factor`.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}×{}", self.value, self.factor)
    }
}

impl From<(u64, u64)> for SplitLevel {
    fn from((value, factor): (u64, u64)) -> Self {
        Self { value, factor }
    }
}

impl From<SplitLevel> for (u64, u64) {
    fn from(level: SplitLevel) -> Self {
        (level.value, level.factor)
    }
}

/// Sums over replications of splitting.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SplittingTally {
    /// Where games are split.
    pub levels: Vec<SplitLevel>,
    /// Sum of the weighted wins: a won game counts the product of the factors of the levels that it
    /// did not pass, so that this, divided by replications and product of all factors, estimates
    /// the win probability without bias.
    #[serde(with = "saved::text")]
    pub wins: u128,
    /// Sum of the squared weighted wins of each replication.
    #[serde(with = "saved::text")]
    pub wins_sq: u128,
    /// Sum of the third powers of the weighted wins of each replication.
    #[serde(with = "saved::text")]
    pub wins_cubed: u128,
    /// Sum of the fourth powers of the weighted wins of each replication.
    #[serde(with = "saved::text")]
    pub wins_fourth: u128,
}

impl SplittingTally {
    /// The product of the factors: the weighted wins of a replication in which every game wins;
    /// `None` beyond 64 bits.
    pub fn product(&self) -> Option<u64> {
        self.levels
            .iter()
            .try_fold(1u64, |product, level| product.checked_mul(level.factor))
    }

    /// No replications yet, with these levels.
    pub(super) fn new(levels: &[SplitLevel]) -> Self {
        Self {
            levels: levels.to_vec(),
            ..Self::default()
        }
    }

    /// Adds the weighted wins of one replication with these levels.
    pub(super) fn add(&mut self, levels: &[SplitLevel], wins: u64) {
        assert_eq!(
            self.levels, levels,
            "replications of one tally have the same levels"
        );
        let wins = u128::from(wins);
        self.wins += wins;
        self.wins_sq += wins.pow(2);
        self.wins_cubed += wins.pow(3);
        self.wins_fourth += wins.pow(4);
    }

    pub(super) fn merge(&mut self, other: &Self) {
        assert_eq!(
            self.levels, other.levels,
            "replications of one tally have the same levels"
        );
        self.wins += other.wins;
        self.wins_sq += other.wins_sq;
        self.wins_cubed += other.wins_cubed;
        self.wins_fourth += other.wins_fourth;
    }

    /// Whether these can be the sums of `replications` replications, of which `won` had a win.
    pub(super) fn check(&self, replications: u64, won: u64) -> Result<(), String> {
        let product = self
            .product()
            .filter(|product| *product > 0)
            .ok_or("factors of splitting are out of range")?;
        let most = u128::from(product) * u128::from(won);
        if !(u128::from(won)..=most).contains(&self.wins) {
            return Err(format!(
                "{} weighted wins do not go with {won} won replications of {replications}",
                self.wins
            ));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::super::{GameResult, Outcome, Tally};
    use super::*;

    const LEVELS: [SplitLevel; 2] = [
        SplitLevel {
            value: 10,
            factor: 4,
        },
        SplitLevel {
            value: 30,
            factor: 3,
        },
    ];

    fn tally(wins: &[u64]) -> Tally {
        let mut tally = Tally::new(&[]);
        for &wins in wins {
            let result = if wins > 0 {
                GameResult::Won
            } else {
                GameResult::Lost
            };
            tally.add_replication(&Outcome::new(result, 7), &LEVELS, wins);
        }
        tally
    }

    #[test]
    fn replications_add_up_and_come_back() {
        let all = tally(&[0, 5, 12, 0]);
        let sums = all.splitting().unwrap();
        assert_eq!(
            (all.games, all.wins, sums.wins, sums.wins_sq),
            (4, 2, 17, 169)
        );
        assert_eq!(
            (sums.wins_cubed, sums.wins_fourth),
            (125 + 1728, 625 + 20736)
        );
        assert_eq!((sums.product(), all.moves_sum), (Some(12), 28));
        let mut merged = tally(&[12, 0]);
        merged.merge(&tally(&[]));
        merged.merge(&tally(&[0, 5]));
        assert_eq!(merged, all);
        let text = serde_json::to_string(&all).unwrap();
        assert!(text.contains("\"levels\":[[10,4],[30,3]]"), "{text}");
        let read: Tally = serde_json::from_str(&text).unwrap();
        assert_eq!(read.checked(&[]).unwrap(), all);
    }

    #[test]
    fn impossible_sums_are_refused() {
        let mut saved = serde_json::to_value(tally(&[0, 5])).unwrap();
        for (wins, factor) in [("13", 4), ("0", 4), ("x", 4), ("5", 0), ("5", u64::MAX)] {
            saved["splitting"]["wins"] = wins.into();
            saved["splitting"]["levels"][0][1] = factor.into();
            let read = serde_json::from_value::<Tally>(saved.clone());
            assert!(
                !read.is_ok_and(|tally| tally.checked(&[]).is_ok()),
                "{wins} wins, factor {factor}"
            );
        }
    }

    #[test]
    #[should_panic(expected = "the same levels")]
    fn replications_of_other_levels_are_not_added() {
        tally(&[1]).add_replication(&Outcome::new(GameResult::Lost, 1), &LEVELS[..1], 0);
    }
}
