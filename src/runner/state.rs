//! What a run knows, and how it is written to a file.
//!
//! The file is JSON lines: a header that tells experiment, seed and version, then one line a cell, then a line with a
//! checksum over all bytes before it. It is written beside its place and then moved there, and the file that was there before is kept, so
//! at every instant at least one whole state lies on the disk.

use super::Shard;
use super::ranges::Ranges;
use crate::game::{Measure, Tally};
use crate::plan::Plan;
use crate::rng::hash_key;
use crate::stats::StopReason;
use crate::tally::SavedTally;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};

/// The version of the file's form.
pub const FORMAT: u32 = 1;

/// What identifies a run: states are only continued and merged where these agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// Version of tilelab.
    pub version: String,
    /// Name of the experiment.
    pub name: String,
    /// Master seed.
    pub seed: u64,
    /// Confidence level, as text.
    pub confidence: String,
    /// Number of cells.
    pub cells: usize,
    /// Hash of all cells: table titles, keys, games and stopping rules.
    pub fingerprint: String,
    /// Which part of the experiment.
    pub shard: u64,
    /// Of how many.
    pub shards: u64,
}

impl Header {
    /// The header of a plan's part.
    #[must_use]
    pub fn new(plan: &Plan, shard: Shard) -> Self {
        let mut content = String::new();
        for cell in &plan.cells {
            let title = &plan.titles[cell.table];
            content.push_str(&format!("{title}\n{}\n{} {:?}\n", cell.key(), cell.games, cell.stop));
        }
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            name: plan.name.clone(),
            seed: plan.seed,
            confidence: plan.confidence.to_string(),
            cells: plan.cells.len(),
            fingerprint: format!("{:016x}", hash_key(&content)),
            shard: shard.index,
            shards: shard.count,
        }
    }

    /// What differs from another header, for people; `None` when nothing does. The shard is not compared.
    #[must_use]
    pub fn difference(&self, other: &Self) -> Option<String> {
        let pairs = [
            ("format", self.format.to_string(), other.format.to_string()),
            ("tilelab version", self.version.clone(), other.version.clone()),
            ("name", self.name.clone(), other.name.clone()),
            ("seed", self.seed.to_string(), other.seed.to_string()),
            ("confidence", self.confidence.clone(), other.confidence.clone()),
            ("number of cells", self.cells.to_string(), other.cells.to_string()),
            ("cells (parameters, games or stopping rules)", self.fingerprint.clone(), other.fingerprint.clone()),
        ];
        let differing: Vec<String> = pairs
            .into_iter()
            .filter(|(_, mine, theirs)| mine != theirs)
            .map(|(what, mine, theirs)| format!("{what}: {mine} there, {theirs} here"))
            .collect();
        (!differing.is_empty()).then(|| differing.join("; "))
    }
}

/// Why a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// All its games are played.
    Games,
    /// Its interval is as narrow as wanted.
    Precision,
    /// It reached `max_games` first.
    MaxGames,
    /// It failed.
    Failed,
    /// Another shard has it.
    Elsewhere,
}

impl Stopped {
    /// The word in `cells.csv`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Precision => "precision",
            Self::MaxGames => "max-games",
            Self::Failed => "failed",
            Self::Elsewhere => "elsewhere",
        }
    }
}

impl From<StopReason> for Stopped {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Precision => Self::Precision,
            StopReason::MaxGames => Self::MaxGames,
        }
    }
}

/// Some games of a stage.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Stage {
    /// The games that are in the tally, as ranges.
    pub done: Vec<(u64, u64)>,
    /// Their tally.
    pub tally: SavedTally,
}

/// What is known of a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellState {
    /// Why the cell ended; `None` while it is played.
    pub stopped: Option<Stopped>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Number of completed stages.
    pub stages_done: u64,
    /// Tally of the completed stages.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub tally: Option<SavedTally>,
    /// Stages being played.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub stages: Vec<Stage>,
}

type Restored = (Tally, u64, Vec<(Ranges, Tally)>);

impl CellState {
    /// A cell that has ended with these games.
    #[must_use]
    pub fn done(tally: &Tally, stages_done: u64, stopped: Stopped) -> Self {
        let tally = Some(tally.save());
        Self { stopped: Some(stopped), error: None, stages_done, tally, stages: Vec::new() }
    }

    /// A cell that is being played.
    #[must_use]
    pub fn playing(total: &Tally, stages_done: u64, stages: Vec<Stage>) -> Self {
        Self { stopped: None, error: None, stages_done, tally: Some(total.save()), stages }
    }

    /// A cell that failed.
    #[must_use]
    pub const fn failed(error: String) -> Self {
        Self { stopped: Some(Stopped::Failed), error: Some(error), stages_done: 0, tally: None, stages: Vec::new() }
    }

    /// A cell of which another shard has everything.
    #[must_use]
    pub const fn elsewhere() -> Self {
        Self { stopped: Some(Stopped::Elsewhere), error: None, stages_done: 0, tally: None, stages: Vec::new() }
    }

    /// Games known.
    #[must_use]
    pub fn games(&self) -> u64 {
        let stages: u64 = self.stages.iter().map(|stage| stage.tally.games).sum();
        self.tally.as_ref().map_or(0, |tally| tally.games) + stages
    }

    /// The tallies of a cell that is being played.
    ///
    /// # Errors
    /// Says which numbers contradict each other.
    pub fn restore(&self, measures: &[Measure]) -> Result<Restored, String> {
        let total = self.tally.as_ref().map_or_else(|| Ok(Tally::new(measures)), |t| Tally::restore(t, measures))?;
        let mut stages = Vec::new();
        for stage in &self.stages {
            let done = Ranges::from_sorted(&stage.done).ok_or("ranges of games overlap")?;
            let tally = Tally::restore(&stage.tally, measures)?;
            if done.count() != tally.games {
                return Err(format!("{} games in a tally of {}", done.count(), tally.games));
            }
            stages.push((done, tally));
        }
        Ok((total, self.stages_done, stages))
    }
}

/// Everything a run knows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Which run.
    pub header: Header,
    /// One entry a cell; `None` where nothing has been played.
    pub cells: Vec<Option<CellState>>,
}

/// Why a state file was not read.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is none.
    #[error("{}: there is no saved state", .0.display())]
    Missing(PathBuf),
    /// It is not whole.
    #[error("{}: the saved state is damaged: {reason}", path.display())]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with it.
        reason: String,
    },
    /// It could not be read.
    #[error("{}: cannot be read: {error}", path.display())]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: std::io::Error,
    },
}

#[derive(Serialize, Deserialize)]
struct Footer {
    crc32: String,
}

impl State {
    /// Writes the state to `path`; the state that was there becomes `path` with the extension `previous`.
    ///
    /// # Errors
    /// When the file cannot be written; what was there stays.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let mut text = serde_json::to_vec(&self.header)?;
        text.push(b'\n');
        for cell in &self.cells {
            serde_json::to_writer(&mut text, cell)?;
            text.push(b'\n');
        }
        let footer = Footer { crc32: format!("{:08x}", crc32fast::hash(&text)) };
        serde_json::to_writer(&mut text, &footer)?;
        text.push(b'\n');
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::NamedTempFile::new_in(folder)?;
        file.write_all(&text)?;
        file.as_file().sync_all()?;
        if path.exists() {
            // A hard link first, so that there is no instant without a state under either name.
            let previous = path.with_extension("previous");
            let spare = path.with_extension("spare");
            let _ = std::fs::remove_file(&spare);
            std::fs::hard_link(path, &spare).or_else(|_| std::fs::copy(path, &spare).map(drop))?;
            std::fs::rename(&spare, previous)?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    /// Reads a state.
    ///
    /// # Errors
    /// Says whether the file is missing, unreadable, or damaged, and how.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let bytes = std::fs::read(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => LoadError::Missing(path.to_owned()),
            _ => LoadError::Unreadable { path: path.to_owned(), error },
        })?;
        Self::parse(&bytes).map_err(|reason| LoadError::Damaged { path: path.to_owned(), reason })
    }

    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let body = bytes.strip_suffix(b"\n").ok_or("its end is missing")?;
        let cut = body.iter().rposition(|&byte| byte == b'\n').ok_or("its end is missing")? + 1;
        let footer: Footer = serde_json::from_slice(&body[cut..]).map_err(|_| "its checksum is missing")?;
        if footer.crc32 != format!("{:08x}", crc32fast::hash(&bytes[..cut])) {
            return Err("its checksum does not match".to_owned());
        }
        let mut lines = bytes[..cut - 1].split(|&byte| byte == b'\n');
        let header = lines.next().unwrap_or_default();
        let header: Header =
            serde_json::from_slice(header).map_err(|error| format!("its header is strange: {error}"))?;
        let cells: Vec<Option<CellState>> =
            lines.map(serde_json::from_slice).collect::<Result<_, _>>().map_err(|error| format!("a cell: {error}"))?;
        if cells.len() != header.cells {
            return Err(format!("it has {} cells where its header says {}", cells.len(), header.cells));
        }
        Ok(Self { header, cells })
    }
}
