//! Games by the numbers of their tiles, where the rules of 67! have them counted.

use super::Outcome;
use crate::game::GameResult;
use foldhash::fast::FixedState;
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

/// Operators, digits, moves, games and won games, in ascending order.
pub(super) fn save(counted: &Counted) -> Vec<[u64; 5]> {
    let row = |(&[operators, digits, moves], &[games, wins]): (&[u64; 3], &[u64; 2])| {
        [operators, digits, moves, games, wins]
    };
    let mut rows: Vec<_> = counted.iter().map(row).collect();
    rows.sort_unstable();
    rows
}

/// Reads what [`save`] made of so many games and won games.
///
/// # Errors
/// Returns an error if the numbers contradict each other.
pub(super) fn restore(saved: &[[u64; 5]], games: u64, wins: u64) -> Result<Counted, String> {
    let mut counted = Counted::default();
    let mut sums = [0_u64; 2];
    for &[operators, digits, moves, games, wins] in saved {
        let key = [operators, digits, moves];
        sums = [sums[0].saturating_add(games), sums[1].saturating_add(wins)];
        if wins > games || counted.insert(key, [games, wins]).is_some() {
            return Err(format!(
                "counted: {key:?} is there twice, or has {wins} wins of {games} games"
            ));
        }
    }
    if !saved.is_empty() && sums != [games, wins] {
        return Err(format!(
            "counted: {sums:?} games and wins are not {games} and {wins}"
        ));
    }
    Ok(counted)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn contradictions_are_refused() {
        let saved = [[1, 2, 3, 4, 1], [1, 2, 4, 2, 0]];
        let counted = restore(&saved, 6, 1).unwrap();
        assert_eq!(save(&counted), saved);
        assert_eq!(restore(&[], 6, 1), Ok(Counted::default()));
        for (saved, games, wins) in [
            (&saved[..], 7, 1),
            (&saved, 6, 2),
            (&[[1, 2, 3, 4, 5]], 4, 5),
            (&[[1, 2, 3, 3, 1], [1, 2, 3, 3, 0]], 6, 1),
            (&[[1, 2, 3, u64::MAX, 1], [1, 2, 4, 7, 0]], 6, 1),
        ] {
            let error = restore(saved, games, wins).unwrap_err();
            assert!(error.starts_with("counted: "), "{error}");
        }
    }
}
