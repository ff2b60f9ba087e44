//! What a run knows, and how it is written to a file.
//!
//! The file is JSON lines: a header that tells experiment, seed and version, a line with what the plan was made of, then one line a
//! cell (and one for each run of cells of which other shards have everything), then a line with a checksum over all bytes before it. So
//! a state can be merged where the experiment file is not at hand. It is written beside its place and then moved there, and the file
//! that was there before is kept, so at every instant at least one whole state lies on the disk.

use super::Shard;
use crate::game::Tally;
use crate::plan::{Cell, Overrides, Plan, Published};
use crate::rng::hash_key;
use crate::stats::StopReason;
use crate::tally::SavedTally;
use serde::{Deserialize, Serialize};
use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

/// The version of the file's form.
pub const FORMAT: u32 = 2;

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

/// Everything about a cell that its results depend on, beside seed and confidence.
fn content(plan: &Plan, cell: &Cell) -> String {
    let stop = cell.stop.map(|stop| format!(", {stop:?}")).unwrap_or_default();
    format!("{:?} {} with {} games{stop}", plan.titles[cell.table], cell.key(), cell.games)
}

impl Header {
    /// The header of a plan's part.
    #[must_use]
    pub fn new(plan: &Plan, shard: Shard) -> Self {
        let content: String = plan.cells.iter().map(|cell| content(plan, cell) + "\n").collect();
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
            ("fingerprint of the cells", self.fingerprint.clone(), other.fingerprint.clone()),
        ];
        let differing: Vec<String> = pairs
            .into_iter()
            .filter(|(_, mine, theirs)| mine != theirs)
            .map(|(what, mine, theirs)| format!("{what}: {mine} there, {theirs} here"))
            .collect();
        (!differing.is_empty()).then(|| differing.join("; "))
    }
}

/// What a plan was made of: with the seed of the [`Header`], enough to make it again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Source {
    /// The text of the experiment file.
    pub experiment: String,
    /// Games per cell from the command line.
    pub games: Option<u64>,
    /// Value lanes from the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u64>,
    /// The published figures of cells, by the index of the cell.
    pub published: Vec<(usize, Published)>,
}

impl Source {
    /// What a plan was made of.
    #[must_use]
    pub fn of(plan: &Plan) -> Self {
        let published = plan.cells.iter().enumerate();
        Self {
            experiment: plan.text.clone(),
            games: plan.overrides.games,
            lanes: plan.overrides.lanes,
            published: published.filter_map(|(index, cell)| Some((index, cell.published.clone()?))).collect(),
        }
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
}

/// Everything a run knows.
#[derive(Clone, Debug, PartialEq)]
pub struct State {
    /// Which run.
    pub header: Header,
    /// What its plan was made of.
    pub source: Arc<Source>,
    /// One entry a cell; `None` where nothing has been played.
    pub cells: Vec<Option<Arc<CellState>>>,
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
    /// Another version of tilelab wrote it in another form.
    #[error("{}: the saved state has format {format} of another version of tilelab, where this one reads {FORMAT}", path.display())]
    Foreign {
        /// The file.
        path: PathBuf,
        /// Its form.
        format: u32,
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

/// The part of the header that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The line of cells that follow each other and of which other shards have everything.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Elsewhere {
    elsewhere: usize,
}

fn is_elsewhere(cell: Option<&CellState>) -> bool {
    cell.is_some_and(|cell| cell.stopped == Some(Stopped::Elsewhere))
}

#[derive(Serialize, Deserialize)]
struct Footer {
    crc32: String,
}

impl State {
    /// Makes the plan of the run again.
    ///
    /// # Errors
    /// When this version of tilelab does not accept the experiment.
    pub fn plan(&self) -> Result<Plan, String> {
        let Source { experiment, games, lanes, published } = self.source.as_ref();
        let overrides = Overrides { games: *games, lanes: *lanes, seed: Some(self.header.seed), unpublished: true };
        let mut plan = Plan::of_text(experiment, overrides)?;
        for (index, figures) in published {
            let cell = plan.cells.get_mut(*index).ok_or_else(|| format!("there is no cell {index} to be published"))?;
            cell.published = Some(figures.clone());
        }
        Ok(plan)
    }

    /// What differs between the run of this state and another, down to the first cell; `None` when nothing does. The shard is not
    /// compared.
    #[must_use]
    pub fn difference(&self, other: &Header, plan: Option<&Plan>) -> Option<String> {
        let mut what = self.header.difference(other)?;
        if let (Ok(mine), Some(plan)) = (self.plan(), plan) {
            let pairs = mine.cells.iter().map(|cell| content(&mine, cell));
            let mut pairs = pairs.zip(plan.cells.iter().map(|cell| content(plan, cell)));
            if let Some((there, here)) = pairs.find(|(there, here)| there != here) {
                what.push_str(&format!("; the first cell that differs: {there} there, {here} here"));
            }
        }
        Some(what)
    }

    /// Writes the state to `path`; the state that was there becomes `path` with the extension `previous`.
    ///
    /// # Errors
    /// When the file cannot be written; what was there stays.
    pub fn save(&self, path: &Path) -> std::io::Result<()> {
        let text = self.to_bytes()?;
        let folder = path.parent().unwrap_or(Path::new("."));
        let mut file = tempfile::Builder::new().prefix(".tilelab-").suffix(".tmp").tempfile_in(folder)?;
        file.write_all(&text)?;
        file.as_file().sync_all()?;
        // A temporary file is private to its owner; shards are merged by whoever may read the folder.
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
        }
        if path.exists() {
            keep(path, &path.with_extension("previous"))?;
        }
        file.persist(path).map_err(|error| error.error)?;
        Ok(())
    }

    fn to_bytes(&self) -> std::io::Result<Vec<u8>> {
        let mut text = serde_json::to_vec(&self.header)?;
        text.push(b'\n');
        serde_json::to_writer(&mut text, self.source.as_ref())?;
        text.push(b'\n');
        for run in self.cells.chunk_by(|a, b| is_elsewhere(a.as_deref()) && is_elsewhere(b.as_deref())) {
            if is_elsewhere(run[0].as_deref()) {
                serde_json::to_writer(&mut text, &Elsewhere { elsewhere: run.len() })?;
            } else {
                serde_json::to_writer(&mut text, &run[0].as_deref())?;
            }
            text.push(b'\n');
        }
        let footer = Footer { crc32: format!("{:08x}", crc32fast::hash(&text)) };
        serde_json::to_writer(&mut text, &footer)?;
        text.push(b'\n');
        Ok(text)
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
        let damaged = |reason| LoadError::Damaged { path: path.to_owned(), reason };
        let format = checked(&bytes).map_err(damaged)?;
        if format != FORMAT {
            return Err(LoadError::Foreign { path: path.to_owned(), format });
        }
        Self::parse(&bytes).map_err(damaged)
    }

    /// Reads the lines of a file whose checksum is right.
    fn parse(bytes: &[u8]) -> Result<Self, String> {
        let mut lines =
            bytes.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).collect::<Vec<_>>().into_iter();
        // The checksum.
        let _ = lines.next_back();
        let header = lines.next().unwrap_or_default();
        let strange = |what: &str, error: serde_json::Error| format!("{what}: {error}");
        let header: Header = serde_json::from_slice(header).map_err(|error| strange("its header", error))?;
        let source = lines.next().unwrap_or_default();
        let source: Source = serde_json::from_slice(source).map_err(|error| strange("its experiment", error))?;
        let elsewhere = Some(Arc::new(CellState::elsewhere()));
        let mut cells = Vec::new();
        for line in lines {
            if let Ok(Elsewhere { elsewhere: run }) = serde_json::from_slice(line) {
                // More than are missing are as wrong as one more.
                let missing = header.cells.saturating_sub(cells.len());
                cells.extend(std::iter::repeat_n(&elsewhere, run.min(missing.saturating_add(1))).cloned());
            } else {
                let cell: Option<CellState> = serde_json::from_slice(line).map_err(|error| strange("a cell", error))?;
                cells.push(cell.map(Arc::new));
            }
        }
        if cells.len() != header.cells {
            return Err(format!("it has {} cells where its header says {}", cells.len(), header.cells));
        }
        Ok(Self { header, source: Arc::new(source), cells })
    }
}

/// Checks the checksum of a file and returns its format.
fn checked(bytes: &[u8]) -> Result<u32, String> {
    let body = bytes.strip_suffix(b"\n").ok_or("its end is missing")?;
    let cut = body.iter().rposition(|&byte| byte == b'\n').ok_or("its end is missing")? + 1;
    let footer: Footer = serde_json::from_slice(&body[cut..]).map_err(|_| "its checksum is missing")?;
    if footer.crc32 != format!("{:08x}", crc32fast::hash(&bytes[..cut])) {
        return Err("its checksum does not match".to_owned());
    }
    let header = bytes.split(|&byte| byte == b'\n').next().unwrap_or_default();
    let Format { format } = serde_json::from_slice(header).map_err(|error| format!("its header: {error}"))?;
    Ok(format)
}

/// Keeps the file at `path` under a second name, replacing what has that name, so that at no instant the name is missing.
fn keep(path: &Path, name: &Path) -> std::io::Result<()> {
    // Named as other files half written are, which whoever takes the folder next removes.
    let spare = path.with_file_name(".tilelab-kept.tmp");
    let _ = std::fs::remove_file(&spare);
    let kept = std::fs::hard_link(path, &spare)
        .or_else(|_| std::fs::copy(path, &spare).map(drop))
        .and_then(|()| std::fs::rename(&spare, name));
    // After success it is there only where both names meant one file already, since a run was killed right after this step: POSIX has
    // `rename` leave both then. After a failure a copy may have been begun on a full disk.
    let _ = std::fs::remove_file(&spare);
    kept
}
