//! Games by the numbers of their tiles, where the rules of 67! have them counted.

use super::{GameResult, Outcome};
use foldhash::fast::FixedState;
use serde::de::{Deserialize, Deserializer, Error};
use std::collections::HashMap;

/// [games, won games] by [operators, digits, moves], in no order. A table with hashes, since every
/// game is looked up: a tree took as long as 50 turns.
pub type Counted = HashMap<[u64; 3], [u64; 2], FixedState>;

/// Adds a game, where its tiles were counted.
#[inline]
pub(super) fn add(counted: &mut Counted, outcome: &Outcome) {
    let Some([operators, digits]) = outcome.spawned else {
        return;
    };
    let is_won = outcome.result == GameResult::Won;
    let counts = counted
        .entry([operators, digits, outcome.moves])
        .or_default();
    counts[0] += 1;
    counts[1] += u64::from(is_won);
}

pub(super) fn merge(counted: &mut Counted, other: &Counted) {
    for (&key, &[games, wins]) in other {
        let counts = counted.entry(key).or_default();
        counts[0] += games;
        counts[1] += wins;
    }
}

/// Writes rows of operators, digits, moves, games and won games, in ascending order.
pub(super) fn serialize<S: serde::Serializer>(counted: &Counted, to: S) -> Result<S::Ok, S::Error> {
    let row = |(&[operators, digits, moves], &[games, wins]): (&[u64; 3], &[u64; 2])| {
        [operators, digits, moves, games, wins]
    };
    let mut rows: Vec<_> = counted.iter().map(row).collect();
    rows.sort_unstable();
    to.collect_seq(rows)
}

pub(super) fn deserialize<'a, D: Deserializer<'a>>(from: D) -> Result<Counted, D::Error> {
    let mut counted = Counted::default();
    for [operators, digits, moves, games, wins] in Vec::<[u64; 5]>::deserialize(from)? {
        let key = [operators, digits, moves];
        if wins > games || counted.insert(key, [games, wins]).is_some() {
            return Err(D::Error::custom(format!(
                "counted: {key:?} is there twice, or has {wins} wins of {games} games"
            )));
        }
    }
    Ok(counted)
}

/// Whether these are `games` games, of which `wins` were won.
///
/// # Errors
/// Returns an error if they are not.
pub(super) fn check(counted: &Counted, games: u64, wins: u64) -> Result<(), String> {
    let add = |sum: [u64; 2], one: &[u64; 2]| [0, 1].map(|at| sum[at].saturating_add(one[at]));
    let sums = counted.values().fold([0; 2], add);
    if counted.is_empty() || sums == [games, wins] {
        return Ok(());
    }
    Err(format!(
        "counted: {sums:?} games and wins are not {games} and {wins}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_refused() {
        let read = |saved: &[[u64; 5]], games, wins| {
            let counted =
                deserialize(serde_json::json!(saved)).map_err(|error| error.to_string())?;
            check(&counted, games, wins).map(|()| counted)
        };
        let saved = [[1, 2, 3, 4, 1], [1, 2, 4, 2, 0]];
        let counted = read(&saved, 6, 1).unwrap();
        assert_eq!(
            serialize(&counted, serde_json::value::Serializer).unwrap(),
            serde_json::json!(saved)
        );
        assert_eq!(read(&[], 6, 1), Ok(Counted::default()));
        for (saved, games, wins) in [
            (&saved[..], 7, 1),
            (&saved, 6, 2),
            (&[[1, 2, 3, 4, 5]], 4, 5),
            (&[[1, 2, 3, 3, 1], [1, 2, 3, 3, 0]], 6, 1),
            (&[[1, 2, 3, u64::MAX, 1], [1, 2, 4, 7, 0]], 6, 1),
        ] {
            let error = read(saved, games, wins).unwrap_err();
            assert!(error.starts_with("counted: "), "{error}");
        }
    }
}
