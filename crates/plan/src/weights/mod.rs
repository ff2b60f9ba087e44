//! Files of weights, which `tilelab learn` writes and players take as their parameter
//! [`WEIGHTS`].
//!
//! # The form
//! JSON lines, then the weights of each set of rules as bytes, in the order of the lines and with
//! nothing between or after them:
//!
//! ```text
//! {"format":"tilelab weights","version":1,"tilelab":"0.1.0","command":"tilelab learn …","seed":67,"sets":1}
//! {"game":"sixty-seven","rules":{"rules":"original",…},"games":1000,"moves":51234,"schedule":[[1000,1000]],"bytes":16908,"crc32":"8c736521"}
//! {"id":"0d1f2a3b","crc32":"5e6f7a8b"}
//! ```
//!
//! `bytes` and `crc32` of a set are those of its weights. `id` is the CRC-32 of the lines of the
//! sets, so it names what was learned for which rules, wherever the file lies and whichever command
//! wrote it. The last `crc32` is that of all bytes before its line. `schedule` says how the games
//! were learned: up to game 1000, as part of a training of 1000 games. A set whose training started
//! from other weights names their ID: `"from":"#0d1f2a3b"`.

mod pin;

pub use pin::{pin, pin_params, provide, value_of};

use serde::{Deserialize, Serialize};
use serde_json::{Map, json};
use std::io::{self, BufRead, BufReader, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tilelab_games::params::{ParamError, ParamSpec, Params, Value};
use tilelab_games::players::weights::{self, WEIGHTS};
use tilelab_output::checksum::Summed;
pub use tilelab_output::checksum::checksum;
use tilelab_output::files::File;

/// The version of the form.
pub const VERSION: u32 = 1;
/// What the first line says it is.
const FORMAT: &str = "tilelab weights";
/// The most bytes of a line.
const LINE_BYTES_MAX: u64 = 1 << 20;
/// The most bytes of a file: the largest networks take a hundredth of it.
const FILE_BYTES_MAX: u64 = 1 << 34;
/// The most sets of a file.
const SETS_MAX: usize = 1 << 20;

/// A file of weights that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{path}: {reason}")]
pub struct Error {
    /// The file.
    pub path: PathBuf,
    /// Why.
    pub reason: Reason,
}

/// Why a file of weights cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum Reason {
    /// The file cannot be read.
    #[error("cannot be read: {0}")]
    Unreadable(String),
    /// The file is something else.
    #[error("is not a file of weights; tilelab learn writes them")]
    Foreign,
    /// The file has another version of the form.
    #[error("has version {0} of the file format; this tilelab reads version {VERSION}")]
    Version(u32),
    /// The file is incomplete, or has been changed.
    #[error("is damaged: {0}; write it again with tilelab learn")]
    Damaged(String),
    /// The file holds other weights than the value names.
    #[error("holds the weights #{found}, not #{wanted}; leave #{wanted} out to play with these")]
    Changed {
        /// The ID in the value.
        wanted: String,
        /// The ID of the file.
        found: String,
    },
}

impl Reason {
    /// The error of this file.
    fn of(self, path: &Path) -> Error {
        Error {
            path: path.to_owned(),
            reason: self,
        }
    }
}

impl From<io::Error> for Reason {
    fn from(error: io::Error) -> Self {
        Self::Unreadable(error.to_string())
    }
}

/// For lines of another form.
impl From<serde_json::Error> for Reason {
    fn from(error: serde_json::Error) -> Self {
        Self::Damaged(error.to_string())
    }
}

/// A file that is damaged in this way.
fn damaged<T>(how: impl Into<String>) -> Result<T, Reason> {
    Err(Reason::Damaged(how.into()))
}

impl From<Error> for ParamError {
    fn from(error: Error) -> Self {
        Self::new(WEIGHTS, error.to_string())
    }
}

/// The first line.
#[derive(Serialize, Deserialize)]
struct First {
    format: String,
    version: u32,
    tilelab: String,
    command: String,
    seed: u64,
    sets: usize,
}

/// The last line before the weights.
#[derive(Serialize, Deserialize)]
struct Last {
    id: String,
    crc32: String,
}

/// What is known of the weights for one set of rules.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub struct Learned {
    /// The game.
    pub game: String,
    /// All of its parameters that are set, by name.
    pub rules: Map<String, serde_json::Value>,
    /// The weights that the training started from, `#` and their ID.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub from: Option<String>,
    /// Games learned from.
    pub games: u64,
    /// Moves made in the games learned from.
    pub moves: u64,
    /// Numbers of games, each with that of the training that it was part of.
    pub schedule: Vec<(u64, u64)>,
    /// Length of the weights.
    pub bytes: u64,
    /// CRC-32 of the weights, eight hexadecimal digits.
    pub crc32: String,
}

impl Learned {
    /// The rules of a game with these parameters, as a file names them.
    pub fn rules_of(params: &Params) -> Map<String, serde_json::Value> {
        let set = params.iter().filter(|(_, value)| **value != Value::Unset);
        set.map(|(name, value)| (name.to_owned(), json!(value)))
            .collect()
    }

    /// The rules as values; what is no value of a parameter is [`Value::Unset`].
    fn values(&self) -> Vec<(String, Value)> {
        let value = |json: &serde_json::Value| Value::from_json(json).unwrap_or(Value::Unset);
        let rules = self.rules.iter();
        rules
            .map(|(key, json)| (key.clone(), value(json)))
            .collect()
    }

    /// The game's parameters; `None` where they are not those of this table.
    pub fn params(&self, specs: &[ParamSpec]) -> Option<Params> {
        Params::from_values(specs, &self.values())
    }
}

/// The weights of a file for one set of rules.
#[derive(Clone, Debug)]
pub struct Section {
    /// What is known of the weights.
    pub learned: Learned,
    path: Arc<PathBuf>,
    /// Where the weights begin in the file.
    offset: u64,
}

impl Section {
    /// Reads the weights from the file.
    ///
    /// # Errors
    /// When the file has changed since it was opened.
    pub fn payload(&self) -> Result<Vec<u8>, Error> {
        self.bytes().map_err(|reason| reason.of(&self.path))
    }

    fn bytes(&self) -> Result<Vec<u8>, Reason> {
        let mut bytes = Vec::new();
        let mut file = File::open(&*self.path)?;
        file.seek(SeekFrom::Start(self.offset))?;
        file.take(self.learned.bytes).read_to_end(&mut bytes)?;
        if checksum(&bytes) != self.learned.crc32 {
            return damaged("its weights have changed while it was in use");
        }
        Ok(bytes)
    }
}

/// A file of weights, read and found whole; the weights themselves stay on the disk until a player
/// asks for them.
pub struct Weights {
    /// The weights as players take them.
    pub players: Arc<weights::Weights>,
    /// The ID of the file: the CRC-32 of what was learned for which rules, eight hexadecimal
    /// digits.
    pub id: String,
    /// The command that wrote the file.
    pub command: String,
    /// The seed of the learning.
    pub seed: u64,
    /// The weights, set by set.
    pub sections: Vec<Section>,
}

impl Weights {
    /// Reads a file and checks all of it.
    ///
    /// # Errors
    /// Says whether it is unreadable, something else, of another version, or damaged.
    pub fn read(path: &Path) -> Result<Self, Error> {
        Self::read_whole(path).map_err(|reason| reason.of(path))
    }

    fn read_whole(path: &Path) -> Result<Self, Reason> {
        let file = File::open(path)?;
        let found = file.metadata()?;
        if found.len > FILE_BYTES_MAX {
            return damaged(format!("it is larger than {FILE_BYTES_MAX} bytes"));
        }
        let mut reader = Lines {
            input: BufReader::with_capacity(1 << 20, file),
            read: 0,
            sum: Summed::new(io::sink()),
        };
        let line = reader.line()?.ok_or(Reason::Foreign)?;
        let json: serde_json::Value = serde_json::from_str(&line).map_err(|_| Reason::Foreign)?;
        if json["format"] != FORMAT {
            return Err(Reason::Foreign);
        }
        let version = json["version"]
            .as_u64()
            .and_then(|version| u32::try_from(version).ok())
            .ok_or(Reason::Foreign)?;
        if version != VERSION {
            return Err(Reason::Version(version));
        }
        let first: First = serde_json::from_value(json)?;
        if first.sets > SETS_MAX {
            return damaged(format!("it claims {} sets", first.sets));
        }
        let mut ids = Summed::new(io::sink());
        let mut all = Vec::new();
        for _ in 0..first.sets {
            let line = reader.whole_line()?;
            ids.write_all(line.as_bytes())?;
            all.push(serde_json::from_str(&line)?);
        }
        let sum = reader.sum.checksum();
        let last: Last = serde_json::from_str(&reader.whole_line()?)?;
        if last.crc32 != sum || last.id != ids.checksum() {
            return damaged("its lines do not have their checksum");
        }
        let shared = Arc::new(path.to_owned());
        let sections = reader.sections(all, &shared, found.len)?;
        let players = sections.iter().map(|section| {
            let read = section.clone();
            weights::Section::new(
                section.learned.game.clone(),
                section.learned.values(),
                Box::new(move || read.payload().map_err(|error| error.to_string())),
            )
        });
        let players = weights::Weights::new(path.display().to_string(), players.collect());
        Ok(Self {
            players: Arc::new(players),
            id: last.id,
            command: first.command,
            seed: first.seed,
            sections,
        })
    }
}

/// Writes a file: these sets, whose weights `weights` opens by their index.
///
/// # Errors
/// Those of the writer and of the weights.
pub fn write(
    out: &mut dyn Write,
    command: &str,
    seed: u64,
    sets: &[Learned],
    mut weights: impl FnMut(usize) -> io::Result<Box<dyn Read>>,
) -> io::Result<()> {
    let first = First {
        format: FORMAT.to_owned(),
        version: VERSION,
        tilelab: env!("CARGO_PKG_VERSION").to_owned(),
        command: command.to_owned(),
        seed,
        sets: sets.len(),
    };
    let mut header = serde_json::to_string(&first)? + "\n";
    let begin = header.len();
    for set in sets {
        header += &(serde_json::to_string(set)? + "\n");
    }
    let last = Last {
        id: checksum(&header.as_bytes()[begin..]),
        crc32: checksum(header.as_bytes()),
    };
    header += &(serde_json::to_string(&last)? + "\n");
    out.write_all(header.as_bytes())?;
    for index in 0..sets.len() {
        io::copy(&mut weights(index)?, out)?;
    }
    Ok(())
}

/// A file being read.
struct Lines {
    input: BufReader<File>,
    /// Bytes of the lines so far, and their checksum.
    read: u64,
    sum: Summed<io::Sink>,
}

impl Lines {
    /// The next line with its end; `None` where the file has none that is short enough and text.
    fn line(&mut self) -> Result<Option<String>, Reason> {
        let mut line = Vec::new();
        let mut input = self.input.by_ref().take(LINE_BYTES_MAX);
        input.read_until(b'\n', &mut line)?;
        self.sum.write_all(&line)?;
        self.read += line.len() as u64;
        Ok(String::from_utf8(line)
            .ok()
            .filter(|line| line.ends_with('\n')))
    }

    fn whole_line(&mut self) -> Result<String, Reason> {
        self.line()?
            .map_or_else(|| damaged("its lines are incomplete"), Ok)
    }

    /// The weights behind the lines, all of which must be there and nothing else.
    fn sections(
        mut self,
        all: Vec<Learned>,
        path: &Arc<PathBuf>,
        length: u64,
    ) -> Result<Vec<Section>, Reason> {
        let mut offset = self.read;
        let wanted = all
            .iter()
            .try_fold(offset, |sum, learned| sum.checked_add(learned.bytes));
        if wanted != Some(length) {
            let wanted = wanted.map_or("too many".to_owned(), |wanted| wanted.to_string());
            return damaged(format!(
                "it has {length} bytes where its lines announce {wanted}"
            ));
        }
        let mut sections = Vec::with_capacity(all.len());
        for learned in all {
            let mut summed = Summed::new(io::sink());
            let copied = io::copy(&mut self.input.by_ref().take(learned.bytes), &mut summed);
            if copied? < learned.bytes {
                return damaged("it ends within its weights");
            }
            if summed.checksum() != learned.crc32 {
                return damaged(format!("the weights for {} have changed", learned.game));
            }
            let bytes = learned.bytes;
            sections.push(Section {
                learned,
                path: Arc::clone(path),
                offset,
            });
            offset += bytes;
        }
        Ok(sections)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParamSpec] = &[ParamSpec::int("side", 1..=9, Some(4)).main("")];

    /// A file with weights for boards of side 3 and 4.
    pub fn file(folder: &Path, weights: [&'static [u8]; 2]) -> PathBuf {
        let learned = |side: i64| {
            let mut params = Params::defaults(SPECS);
            params.set("side", Value::Int(side));
            let bytes = weights[side as usize - 3];
            Learned {
                game: "toy".to_owned(),
                rules: Learned::rules_of(&params),
                from: None,
                games: 10,
                moves: 100,
                schedule: vec![(10, 10)],
                bytes: bytes.len() as u64,
                crc32: checksum(bytes),
            }
        };
        let mut bytes = Vec::new();
        write(
            &mut bytes,
            "tilelab learn",
            67,
            &[learned(3), learned(4)],
            |set| Ok(Box::new(weights[set])),
        )
        .unwrap();
        let path = folder.join("toy.weights");
        std::fs::write(&path, bytes).unwrap();
        path
    }

    #[test]
    fn a_file_is_read_as_it_was_written() {
        let folder = tempfile::tempdir().unwrap();
        let weights = Weights::read(&file(folder.path(), [b"three", b"four"])).unwrap();
        assert_eq!(
            (weights.seed, weights.command.as_str()),
            (67, "tilelab learn")
        );
        assert_eq!(weights.sections.len(), 2);
        assert_eq!(weights.sections[1].payload().unwrap(), b"four");
        let is_meant = |params: &Params| params.int("side") == Some(4);
        let read = |bytes: &[u8]| Ok(bytes.to_vec());
        let decoded = weights.players.decoded("toy", SPECS, is_meant, read);
        assert_eq!(*decoded.unwrap(), b"four");
    }

    #[test]
    fn every_change_of_a_byte_is_found() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), [b"three", b"four"]);
        let whole = std::fs::read(&path).unwrap();
        for at in 0..whole.len() {
            let mut bytes = whole.clone();
            bytes[at] ^= 1;
            std::fs::write(&path, &bytes).unwrap();
            assert!(Weights::read(&path).is_err(), "byte {at} changed");
            std::fs::write(&path, &whole[..at]).unwrap();
            assert!(Weights::read(&path).is_err(), "cut at byte {at}");
        }
        std::fs::write(&path, [whole.as_slice(), b"x"].concat()).unwrap();
        let reason = || Weights::read(&path).err().unwrap().reason;
        assert!(matches!(reason(), Reason::Damaged(_)));
        std::fs::write(
            &path,
            String::from_utf8_lossy(&whole).replace("\"version\":1", "\"version\":2"),
        )
        .unwrap();
        assert_eq!(reason(), Reason::Version(2));
        std::fs::write(&path, "name = \"experiment\"\n").unwrap();
        assert_eq!(Weights::read(&path).err(), Some(Reason::Foreign.of(&path)));
        let folder = Weights::read(folder.path()).err().unwrap();
        assert!(matches!(folder.reason, Reason::Unreadable(_)));
    }
}
