//! The state of one set's training as a file: a JSON line, the learner's own bytes, and the CRC-32
//! of both in four bytes, the lowest first.

use super::{Error, LearningPoint};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use tilelab_games::game::learner::{Learner, Totals};
use tilelab_games::params::Params;
use tilelab_games::rng::RESULTS_VERSION;
use tilelab_lab::weights::Learned;
use tilelab_output::atomic;
use tilelab_output::checksum::Summed;
use tilelab_output::files::File;

/// What the line says it is.
const FORMAT: &str = "tilelab training";
/// The version of the form.
const VERSION: u32 = 1;
/// The most bytes of the line.
const LINE_BYTES_MAX: u64 = 64 << 20;
/// Bytes of the checksum.
const SUM_BYTES: u64 = 4;
/// Points of the learning curve of a training.
const POINTS: u128 = 20;

/// How far a set is learned.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub struct Saved {
    format: String,
    version: u32,
    /// Version of tilelab, for people.
    tilelab: String,
    /// The version of seeded results, [`RESULTS_VERSION`].
    results: u32,
    /// Name of the game.
    pub game: String,
    /// The rules of the game, by the names of their parameters.
    pub rules: Map<String, Value>,
    /// The master seed.
    pub seed: u64,
    /// The weights that the training started from, `#` and their ID.
    #[serde(default)]
    pub from: Option<String>,
    /// Games learned.
    pub games: u64,
    /// Moves made in the games learned.
    pub moves: u64,
    /// Time of learning, in seconds.
    pub seconds: f64,
    /// Numbers of games, each with that of the training that it was part of
    /// ([`Learned::schedule`]).
    pub schedule: Vec<(u64, u64)>,
    /// Games since the last point, and how many were won.
    pub since: (u64, u64),
    /// The learning curve.
    pub points: Vec<LearningPoint>,
    /// Where the learner's bytes lie in the file.
    #[serde(skip)]
    bytes: (u64, u64),
}

impl Saved {
    /// The state of a training before its first game.
    pub fn new(game: &str, params: &Params, seed: u64, from: Option<String>) -> Self {
        Self {
            format: FORMAT.to_owned(),
            version: VERSION,
            tilelab: env!("CARGO_PKG_VERSION").to_owned(),
            results: RESULTS_VERSION,
            game: game.to_owned(),
            rules: Learned::rules_of(params),
            seed,
            from,
            games: 0,
            moves: 0,
            seconds: 0.0,
            schedule: Vec::new(),
            since: (0, 0),
            points: Vec::new(),
            bytes: (0, 0),
        }
    }

    /// Adds games of a training of `of` games.
    pub fn add(&mut self, played: Totals, of: u64) {
        self.games += played.games;
        self.moves += played.moves;
        self.since.0 += played.games;
        self.since.1 += played.wins;
        match self.schedule.last_mut() {
            Some((games, known)) if *known == of => *games = self.games,
            _ => self.schedule.push((self.games, of)),
        }
    }

    /// Whether a point of the curve of a training of `of` games is due: at each twentieth of them,
    /// and where the training stops.
    pub fn is_due(&self, of: u64, stops: bool) -> bool {
        let part = |games: u64| u128::from(games) * POINTS / u128::from(of.max(1));
        self.since.0 > 0 && (stops || self.games >= of || part(self.games) > part(self.games - 1))
    }

    /// Reads a state and checks all of it; where it is missing or damaged, the one before it, which
    /// takes its place. `None` where there is none.
    pub fn load(path: &Path) -> Result<Option<Self>, Error> {
        let last = Self::load_file(path);
        if !matches!(last, Ok(None) | Err(Error::Damaged { .. })) {
            return last;
        }
        let before = previous(path);
        let Ok(Some(saved)) = Self::load_file(&before) else {
            return last;
        };
        atomic::rename(&before, path).map_err(|error| Error::Write {
            path: path.to_owned(),
            error,
        })?;
        Ok(Some(saved))
    }

    fn load_file(path: &Path) -> Result<Option<Self>, Error> {
        let unreadable = |error: io::Error| Error::Unreadable {
            path: path.to_owned(),
            error,
        };
        let damaged = |reason: &str| Error::Damaged {
            path: path.to_owned(),
            reason: reason.to_owned(),
        };
        let file = match File::open(path) {
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) if error.kind() == io::ErrorKind::InvalidInput => {
                return Err(damaged(&error.to_string()));
            }
            opened => opened.map_err(unreadable)?,
        };
        let found = file.metadata().map_err(unreadable)?;
        if !found.is_file() || found.len <= SUM_BYTES {
            return Err(damaged("it is not a whole file"));
        }
        let mut input = BufReader::with_capacity(1 << 16, file);
        let mut line = Vec::new();
        let most = LINE_BYTES_MAX.min(found.len - SUM_BYTES);
        input
            .by_ref()
            .take(most)
            .read_until(b'\n', &mut line)
            .map_err(unreadable)?;
        let begin = line.len() as u64;
        let length = found.len - SUM_BYTES - begin;
        let mut summed = Summed::new(io::sink());
        let mut body = line.chain(input.by_ref().take(length));
        if io::copy(&mut body, &mut summed).map_err(unreadable)? < begin + length {
            return Err(damaged("it ends too early"));
        }
        let mut wanted = [0; SUM_BYTES as usize];
        input.read_exact(&mut wanted).map_err(unreadable)?;
        if u32::from_le_bytes(wanted) != summed.sum() {
            return Err(damaged("its checksum is wrong"));
        }
        let json: Value =
            serde_json::from_slice(&line).map_err(|error| damaged(&error.to_string()))?;
        for (what, here) in [("version", VERSION), ("results", RESULTS_VERSION)] {
            if json["format"] != FORMAT || json[what] != here {
                let difference = format!("{what}: {} there, {here} here", json[what]);
                return Err(Error::OtherTraining {
                    path: path.to_owned(),
                    difference,
                });
            }
        }
        let saved: Self =
            serde_json::from_value(json).map_err(|error| damaged(&error.to_string()))?;
        let bytes = (begin, length);
        Ok(Some(Self { bytes, ..saved }))
    }

    /// Brings a learner to the state that was loaded from this file.
    pub fn restore(&self, path: &Path, learner: &mut dyn Learner) -> Result<(), Error> {
        let (begin, length) = self.bytes;
        let mut read = || {
            let mut file = File::open(path)?;
            file.seek(SeekFrom::Start(begin))?;
            let mut bytes = BufReader::with_capacity(1 << 16, file).take(length);
            learner.read_state(&mut bytes)?;
            if bytes.limit() == 0 {
                Ok(())
            } else {
                Err(io::Error::from(io::ErrorKind::InvalidData))
            }
        };
        read().map_err(|error| Error::Damaged {
            path: path.to_owned(),
            reason: error.to_string(),
        })
    }

    /// Replaces the file; what was there becomes the [`previous`] one.
    pub fn save(&self, path: &Path, learner: &dyn Learner) -> Result<(), Error> {
        let saved = atomic::write_with(
            path,
            |out| {
                let mut out = Summed::new(out);
                out.write_all(&serde_json::to_vec(self)?)?;
                out.write_all(b"\n")?;
                learner.write_state(&mut out)?;
                let sum = out.sum();
                out.output.write_all(&sum.to_le_bytes())
            },
            || atomic::keep(path, &previous(path)),
        );
        saved.map_err(|error| Error::Write {
            path: path.to_owned(),
            error,
        })
    }
}

/// Where the state before the last one lies.
pub fn previous(path: &Path) -> PathBuf {
    path.with_extension("previous")
}
