//! The outcomes of single games as records of fixed size, and who keeps them.

use crate::game::{Forfeits, GameObserver, GameResult, Job, MEASURES_MAX, Outcome, Tally};
use std::ops::Range;

/// Keeps the records of batches. It may drop them: games are the same whenever they are played.
pub trait Sink: Send + Sync {
    /// Whether the last positions of games are to be kept, too.
    fn with_positions(&self) -> bool;

    /// Called by the thread that has played the batch; `cell` is the index in the plan.
    fn keep(&self, cell: usize, records: Records);
}

/// The records of consecutive games of one cell.
///
/// A record has a checksum of the game's index and of all that follows (4 bytes), the result with
/// the forfeits (1), the moves (8) and the measures (8 each). Where last positions are kept, these
/// are texts of any length elsewhere, and the record goes on with the text's place there (8),
/// length (4) and checksum (4). All numbers are little-endian. A record of zeros stands for a game
/// that is not known.
#[derive(Clone, Debug)]
pub struct Records {
    games: Range<u64>,
    measures: usize,
    bytes: Vec<u8>,
    /// The last position of each game; `None` where positions are not kept.
    positions: Option<Vec<String>>,
}

/// Where the text of a last position lies, in bytes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    /// The first byte of the text.
    pub at: u64,
    /// The length of the text in bytes.
    pub length: usize,
    checksum: [u8; CHECKSUM],
}

impl Place {
    /// Whether a text is the one that was put there.
    pub fn holds(&self, text: &[u8]) -> bool {
        crc32fast::hash(text).to_le_bytes() == self.checksum
    }
}

const RESULTS: [GameResult; 3] = [GameResult::Won, GameResult::Drawn, GameResult::Lost];
const CHECKSUM: usize = 4;
const MOVES: usize = CHECKSUM + 1;
const MEASURES: usize = MOVES + 8;
const PLACE: usize = 8 + 4 + CHECKSUM;

impl Records {
    /// Records of games that are not known yet.
    pub fn new(games: Range<u64>, measures: usize, with_positions: bool) -> Self {
        let count = usize::try_from(games.end - games.start).expect("a batch fits into memory");
        let positions = with_positions.then(|| vec![String::new(); count]);
        let mut records = Self {
            games,
            measures,
            bytes: Vec::new(),
            positions,
        };
        records.bytes = vec![0; count * records.size()];
        records
    }

    /// Plays games, adds them to the tally and notes them.
    ///
    /// # Panics
    /// When the range cuts a trajectory ([`Job::sampling`]).
    pub fn of(job: &dyn Job, games: Range<u64>, with_positions: bool, tally: &mut Tally) -> Self {
        let mut records = Self::new(games.clone(), job.measures().len(), with_positions);
        let observer = GameObserver {
            positions: with_positions,
            each: &mut |game, outcome, position| records.put(game, outcome, position),
        };
        job.play(games, tally, Some(observer));
        records
    }

    /// The bytes of one record.
    pub const fn size(&self) -> usize {
        MEASURES + 8 * self.measures + if self.positions.is_some() { PLACE } else { 0 }
    }

    /// The games.
    pub fn games(&self) -> Range<u64> {
        self.games.clone()
    }

    /// Takes over what is known of these games in other records.
    pub fn fill(&mut self, other: &Self) {
        let both = self.games.start.max(other.games.start)..self.games.end.min(other.games.end);
        for game in both.filter(|&game| other.is_known(game)) {
            let from = other.place(game);
            let to = self.place(game);
            self.bytes[to].copy_from_slice(&other.bytes[from]);
            if let (Some(to), Some(from)) = (&mut self.positions, &other.positions) {
                to[(game - self.games.start) as usize]
                    .clone_from(&from[(game - other.games.start) as usize]);
            }
        }
    }

    /// The records of some of these games.
    ///
    /// # Panics
    /// When they are not among these.
    pub fn part(&self, games: Range<u64>) -> Self {
        let mut part = Self::new(games, self.measures, self.positions.is_some());
        part.fill(self);
        part
    }

    /// All records one after another.
    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// All records, to be read from elsewhere.
    pub fn bytes_mut(&mut self) -> &mut [u8] {
        &mut self.bytes
    }

    fn place(&self, game: u64) -> Range<usize> {
        assert!(
            self.games.contains(&game),
            "game {game} is not among {:?}",
            self.games
        );
        let start = (game - self.games.start) as usize * self.size();
        start..start + self.size()
    }

    /// Notes a game, with its last position where positions are kept.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn put(&mut self, game: u64, outcome: &Outcome, position: &str) {
        let place = self.place(game);
        let record = &mut self.bytes[place];
        let result = RESULTS.iter().position(|&result| result == outcome.result);
        let result = result.expect("every result is listed");
        record[CHECKSUM] = 1 + result as u8 + RESULTS.len() as u8 * outcome.forfeits.code();
        let (numbers, _) = record[MOVES..].as_chunks_mut();
        numbers[0] = outcome.moves.to_le_bytes();
        for (bytes, measure) in numbers[1..=self.measures].iter_mut().zip(outcome.measures) {
            *bytes = measure.to_le_bytes();
        }
        if let Some(positions) = &mut self.positions {
            positions[(game - self.games.start) as usize] = position.to_owned();
        }
        self.sign(game);
    }

    fn sign(&mut self, game: u64) {
        let place = self.place(game);
        let record = &mut self.bytes[place];
        let checksum = checksum(game, &record[CHECKSUM..]);
        record[..CHECKSUM].copy_from_slice(&checksum);
    }

    /// Whether the record of a game is there and undamaged.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn is_known(&self, game: u64) -> bool {
        let record = &self.bytes[self.place(game)];
        ended(record[CHECKSUM]).is_some()
            && record[..CHECKSUM] == checksum(game, &record[CHECKSUM..])
    }

    /// Makes a game one that is not known.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn forget(&mut self, game: u64) {
        let place = self.place(game);
        self.bytes[place].fill(0);
    }

    /// What is known of a game.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn get(&self, game: u64) -> Option<Outcome> {
        if !self.is_known(game) {
            return None;
        }
        let record = &self.bytes[self.place(game)];
        let (numbers, _) = record[MOVES..].as_chunks();
        let (moves, numbers) = numbers.split_first()?;
        let mut measures = [0; MEASURES_MAX];
        for (measure, bytes) in measures.iter_mut().zip(&numbers[..self.measures]) {
            *measure = i64::from_le_bytes(*bytes);
        }
        let (result, forfeits) = ended(record[CHECKSUM])?;
        Some(Outcome {
            result,
            moves: u64::from_le_bytes(*moves),
            measures,
            spawned: None,
            forfeits,
        })
    }

    /// The last position of a game; empty where positions are not kept.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn position(&self, game: u64) -> &str {
        self.positions.as_ref().map_or("", |positions| {
            &positions[(game - self.games.start) as usize]
        })
    }

    /// Sets the text of a game's last position, which was read from elsewhere.
    ///
    /// # Panics
    /// When it is none of the games, or positions are not kept.
    pub fn set_position(&mut self, game: u64, text: String) {
        let positions = self.positions.as_mut().expect("positions are kept");
        positions[(game - self.games.start) as usize] = text;
    }

    /// Where the last position of a game that is known lies; `None` where positions are not kept.
    ///
    /// # Panics
    /// When it is none of the games.
    pub fn position_place(&self, game: u64) -> Option<Place> {
        self.positions.as_ref()?;
        let record = &self.bytes[self.place(game)][MEASURES + 8 * self.measures..];
        let (at, rest) = record.split_first_chunk::<8>()?;
        let (length, rest) = rest.split_first_chunk::<4>()?;
        let (checksum, _) = rest.split_first_chunk::<CHECKSUM>()?;
        Some(Place {
            at: u64::from_le_bytes(*at),
            length: u32::from_le_bytes(*length) as usize,
            checksum: *checksum,
        })
    }

    /// Notes that the last positions of all known games lie one after another from this byte on,
    /// and returns them so.
    pub fn place_positions(&mut self, mut at: u64) -> Vec<u8> {
        let mut texts = Vec::new();
        let Some(positions) = self.positions.take() else {
            return texts;
        };
        // The size of records depends on it.
        self.positions = Some(Vec::new());
        for (game, text) in self.games().zip(&positions) {
            if !self.is_known(game) {
                continue;
            }
            let place = self.place(game);
            let record = &mut self.bytes[place][MEASURES + 8 * self.measures..];
            record[..8].copy_from_slice(&at.to_le_bytes());
            record[8..12].copy_from_slice(&(text.len() as u32).to_le_bytes());
            record[12..].copy_from_slice(&crc32fast::hash(text.as_bytes()).to_le_bytes());
            self.sign(game);
            texts.extend(text.as_bytes());
            at += text.len() as u64;
        }
        self.positions = Some(positions);
        texts
    }
}

/// The result and the forfeits that a byte stands for.
fn ended(byte: u8) -> Option<(GameResult, Forfeits)> {
    let byte = byte.checked_sub(1)?;
    let count = RESULTS.len() as u8;
    let result = RESULTS[usize::from(byte % count)];
    Some((result, Forfeits::decoded(byte / count)?))
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
                moves: if game == 7 {
                    u64::MAX
                } else {
                    game.unsigned_abs()
                },
                measures: [-game, i64::MIN + game, 0, 0, 0, 0],
                spawned: None,
                forfeits: Forfeits::decoded(game as u8).unwrap_or_default(),
            })
            .collect();
        let mut records = Records::new(1_000..1_030, 2, false);
        assert!((1_000..1_030).all(|game| records.get(game).is_none()));
        for (game, outcome) in (1_000..1_030).zip(&outcomes) {
            records.put(game, outcome, "");
        }
        assert!(
            (1_000..1_030)
                .zip(&outcomes)
                .all(|(game, outcome)| records.get(game).as_ref() == Some(outcome))
        );
        for at in 0..records.size() {
            let mut damaged = records.clone();
            damaged.bytes_mut()[at] ^= 4;
            assert_eq!(damaged.get(1_000), None, "byte {at}");
            assert_eq!(damaged.get(1_001).as_ref(), Some(&outcomes[1]));
        }
    }

    #[test]
    fn positions_lie_one_after_another() {
        let mut records = Records::new(5..9, 1, true);
        for (game, text) in [(8, "last"), (5, "first"), (6, "é")] {
            records.put(game, &Outcome::new(GameResult::Won, game), text);
        }
        assert_eq!(records.place_positions(100), "firstélast".as_bytes());
        let place = |game| {
            let place = records.position_place(game).unwrap();
            (
                place.at,
                place.length,
                place.holds(records.position(game).as_bytes()),
            )
        };
        assert_eq!(
            [place(5), place(6), place(8)],
            [(100, 5, true), (105, 2, true), (107, 4, true)]
        );
        assert!(records.get(7).is_none() && !records.position_place(5).unwrap().holds(b"fist!"));
        let part = records.part(6..8);
        assert_eq!(
            (part.position(6), part.get(6), part.get(7)),
            ("é", records.get(6), None)
        );
    }
}
