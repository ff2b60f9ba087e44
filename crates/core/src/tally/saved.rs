//! How a tally is written to files, and what is checked of one that was read.

use super::{Measure, Tally, counted};

/// Wide integers as texts.
pub(super) mod text {
    use serde::de::{Deserialize, Deserializer, Error};
    use std::{fmt::Display, str::FromStr};

    pub fn serialize<T: Display, S: serde::Serializer>(
        number: &T,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_str(number)
    }

    pub fn deserialize<'a, T: FromStr, D: Deserializer<'a>>(from: D) -> Result<T, D::Error> {
        let text = String::deserialize(from)?;
        let wrong = |_| D::Error::custom(format!("{text:?} is not a number"));
        text.parse().map_err(wrong)
    }
}

/// Lists of wide integers as lists of texts.
pub(super) mod texts {
    use serde::de::{Deserialize, Deserializer};

    #[derive(serde::Serialize, serde::Deserialize)]
    struct Wide(#[serde(with = "super::text")] u128);

    pub fn serialize<S: serde::Serializer>(numbers: &[u128], to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(numbers.iter().map(|&number| Wide(number)))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Vec<u128>, D::Error> {
        let read = Vec::<Wide>::deserialize(from)?;
        Ok(read.into_iter().map(|Wide(number)| number).collect())
    }
}

/// Maps as lists of pairs.
pub(super) mod entries {
    use serde::de::{Deserialize, Deserializer};
    use std::collections::BTreeMap;

    type Map = BTreeMap<i64, u64>;

    pub fn serialize<S: serde::Serializer>(map: &Map, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(map)
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Map, D::Error> {
        Ok(Vec::deserialize(from)?.into_iter().collect())
    }
}

/// Histograms as lists of (representative move count, games), of the buckets in use.
pub(super) mod buckets {
    use crate::tally::{histogram, recorded};
    use hdrhistogram::Histogram;
    use serde::de::{Deserialize, Deserializer, Error};

    pub fn serialize<S: serde::Serializer>(
        histogram: &Histogram<u64>,
        to: S,
    ) -> Result<S::Ok, S::Error> {
        to.collect_seq(recorded(histogram))
    }

    pub fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Histogram<u64>, D::Error> {
        let mut read = histogram();
        for (moves, games) in Vec::deserialize(from)? {
            read.record_n(moves, games)
                .map_err(|error| D::Error::custom(format!("moves {moves}: {error}")))?;
        }
        Ok(read)
    }
}

impl Tally {
    /// A tally that was read from a file, of a game with these measures.
    ///
    /// # Errors
    /// Returns an error if its numbers contradict each other or do not fit the measures.
    pub fn checked(mut self, measures: &[Measure]) -> Result<Self, String> {
        let games = self.games;
        let wins = self.wins;
        if self.measures.len() != measures.len() {
            let saved = self.measures.len();
            let has = measures.len();
            return Err(format!("{saved} measures saved where the game has {has}"));
        }
        self.kinds = measures.iter().map(|measure| measure.kind).collect();
        if let Some(sums) = &self.forfeits {
            sums.check(games, wins, self.draws)?;
        }
        let [finished, finished_wins] = [self.finished(), self.finished_wins()];
        counted::check(&self.counted, finished, finished_wins)?;
        if let Some(sums) = &self.trajectories {
            let all = u128::from(sums.lanes) * u128::from(sums.trajectories);
            if all != u128::from(games) || all == 0 {
                return Err(format!(
                    "{} trajectories of {} games are not {games} games",
                    sums.trajectories, sums.lanes
                ));
            }
        }
        if let Some(sums) = &self.splitting {
            if self.trajectories.is_some() {
                return Err("games are replications or come in trajectories, not both".to_owned());
            }
            sums.check(games, wins)?;
        }
        if let Some(sums) = &self.blocks {
            sums.check(games)?;
        }
        let counted = self.moves.len();
        let ended = wins.checked_add(self.draws);
        if counted != finished || ended.is_none_or(|ended| ended > games) {
            return Err(format!(
                "{games} games do not go with {wins} wins, {} draws and {counted} counted games",
                self.draws
            ));
        }
        let counted = self.moves_win.len();
        if counted != finished_wins {
            return Err(format!("{wins} wins do not go with {counted} counted wins"));
        }
        Ok(self)
    }
}
