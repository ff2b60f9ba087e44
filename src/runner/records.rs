//! The outcomes of single games as records of fixed size, and who keeps them.

use crate::game::{GameResult, MEASURES_MAX, Outcome};
use std::ops::Range;

/// Keeps the records of batches. It may drop them: games are the same whenever they are played.
pub trait Sink: Send + Sync {
    /// Called by the thread that has played the batch; `cell` is the index in the plan.
    fn keep(&self, cell: usize, records: &Records);
}

/// The records of consecutive games of one cell.
///
/// A record has a checksum of the game's index and of all that follows (4 bytes), the result (1),
/// the moves (8) and the measures (8 each), all little-endian. One of zeros stands for a game that
/// is not known.
#[derive(Clone, Debug)]
pub struct Records {
    games: Range<u64>,
    measures: usize,
    bytes: Vec<u8>,
}

const RESULTS: [GameResult; 3] = [GameResult::Won, GameResult::Drawn, GameResult::Lost];
const CHECKSUM: usize = 4;
const MOVES: usize = CHECKSUM + 1;
const MEASURES: usize = MOVES + 8;

impl Records {
    /// Records of games that are not known yet.
    #[must_use]
    pub fn new(games: Range<u64>, measures: usize) -> Self {
        let count = usize::try_from(games.end - games.start).expect("a batch fits into memory");
        Self { games, measures, bytes: vec![0; count * Self::size(measures)] }
    }

    /// The bytes of one record.
    #[must_use]
    pub const fn size(measures: usize) -> usize {
        MEASURES + 8 * measures
    }

    /// The games.
    #[must_use]
    pub fn games(&self) -> Range<u64> {
        self.games.clone()
    }

    /// The place of the first record in a file that has one for every game from 0, in bytes.
    #[must_use]
    pub const fn offset(&self) -> u64 {
        self.games.start * Self::size(self.measures) as u64
    }

    /// Takes over the records of some of these games.
    ///
    /// # Panics
    /// When they are not among these.
    pub fn fill(&mut self, other: &Self) {
        let Range { start, end } = other.games();
        if start < end {
            let place = self.place(start).start..self.place(end - 1).end;
            self.bytes[place].copy_from_slice(&other.bytes);
        }
    }

    /// All records one after another.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All records, to be read from elsewhere.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn place(&self, game: u64) -> Range<usize> {
        assert!(self.games.contains(&game), "game {game} is not among {:?}", self.games);
        let size = Self::size(self.measures);
        let start = (game - self.games.start) as usize * size;
        start..start + size
    }

    /// Notes a game.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn put(&mut self, game: u64, outcome: &Outcome) {
        let place = self.place(game);
        let record = &mut self.bytes[place];
        let result = RESULTS.iter().position(|&result| result == outcome.result).expect("every result is listed");
        record[CHECKSUM] = result as u8 + 1;
        record[MOVES..MEASURES].copy_from_slice(&outcome.moves.to_le_bytes());
        for (bytes, measure) in record[MEASURES..].chunks_exact_mut(8).zip(outcome.measures) {
            bytes.copy_from_slice(&measure.to_le_bytes());
        }
        let checksum = checksum(game, &record[CHECKSUM..]);
        record[..CHECKSUM].copy_from_slice(&checksum);
    }

    /// What is known of a game.
    ///
    /// # Panics
    /// When it is none of the games.
    #[must_use]
    pub fn get(&self, game: u64) -> Option<Outcome> {
        let record = &self.bytes[self.place(game)];
        let result = *RESULTS.get(usize::from(record[CHECKSUM].checked_sub(1)?))?;
        if record[..CHECKSUM] != checksum(game, &record[CHECKSUM..]) {
            return None;
        }
        let number = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().expect("eight bytes"));
        let mut measures = [0; MEASURES_MAX];
        for (measure, bytes) in measures.iter_mut().zip(record[MEASURES..].chunks_exact(8)) {
            *measure = number(bytes).cast_signed();
        }
        Some(Outcome { result, moves: number(&record[MOVES..MEASURES]), measures })
    }
}

fn checksum(game: u64, rest: &[u8]) -> [u8; CHECKSUM] {
    let mut hasher = crc32fast::Hasher::new();
    hasher.update(&game.to_le_bytes());
    hasher.update(rest);
    hasher.finalize().to_le_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_read_back_and_damage_is_seen() {
        let outcomes: Vec<Outcome> = (0..30)
            .map(|game: i64| Outcome {
                result: RESULTS[game as usize % 3],
                moves: if game == 7 { u64::MAX } else { game.unsigned_abs() },
                measures: [-game, i64::MIN + game, 0, 0, 0, 0],
            })
            .collect();
        let mut records = Records::new(1_000..1_030, 2);
        assert!((1_000..1_030).all(|game| records.get(game).is_none()));
        for (game, outcome) in (1_000..1_030).zip(&outcomes) {
            records.put(game, outcome);
        }
        assert!((1_000..1_030).zip(&outcomes).all(|(game, outcome)| records.get(game).as_ref() == Some(outcome)));
        for at in 0..Records::size(2) {
            let mut damaged = records.clone();
            damaged.bytes_mut()[at] ^= 4;
            assert_eq!(damaged.get(1_000), None, "byte {at}");
            assert_eq!(damaged.get(1_001).as_ref(), Some(&outcomes[1]));
        }
    }
}
