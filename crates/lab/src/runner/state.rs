//! The state of a run, and its form as bytes.
//!
//! The bytes are JSON lines: a header with experiment, seed and version; a line with the sources of
//! the plan; one line a cell, or one line for several cells in a row that belong to other shards as
//! a whole; one line for each cell that only former plans named; and a line with a checksum over
//! all bytes before it. Since the sources of the plan are included, states can be merged without
//! the experiment file.
//!
//! Games depend on the seed, the cell's key and their index, and on nothing else. So a state is
//! continued under any plan with the same name and seed: each cell takes the games that were saved
//! under its key.

use super::Shard;
use super::ranges::Ranges;
use crate::game::{Measure, Tally};
use crate::plan::{Overrides, Plan, PlanEntry, PublishedFigures};
use crate::rng::{RESULTS_VERSION, hash_key};
use crate::stats::{RateInterval, StopReason};
use crate::tally::ForfeitTally;
use crate::text::{escape, join};
use serde::de::DeserializeOwned;
use serde::{Deserialize, Serialize};
use serde_json::value::RawValue;
use std::sync::Arc;
use tilelab_output::checksum::checksum;

/// The version of the form.
pub const FORMAT: u32 = 4;

/// The most cells that a state may claim to have.
///
/// The cells of other shards take one line, however many they are, so a short file could otherwise
/// claim gigabytes of them.
pub const CELLS_MAX: usize = 10_000_000;

/// The most characters of a text from a state that a message repeats.
const QUOTED_MAX: usize = 400;

/// A text from a state, shortened and without control characters, for a message.
pub fn quoted(text: &str) -> String {
    let short: String = text.chars().take(QUOTED_MAX).collect();
    let dots = if short.len() < text.len() { "…" } else { "" };
    format!("{}{dots}", escape(&short))
}

/// What identifies a run: states are only continued and merged where these agree.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Header {
    /// [`FORMAT`] of the writer.
    pub format: u32,
    /// Version of tilelab that wrote it, for people.
    pub version: String,
    /// [`RESULTS_VERSION`] of the games.
    pub results: u32,
    /// Name of the experiment.
    pub name: String,
    /// Master seed.
    pub seed: u64,
    /// Confidence level, and the kind of interval where it is not Clopper and Pearson's, as text.
    pub confidence: String,
    /// Number of cells of the plan; cells beyond it may follow.
    pub cells: usize,
    /// Hash of all cells: table titles, keys, games and stopping rules.
    pub fingerprint: String,
    /// Which part of the experiment, from 1.
    pub shard: u64,
    /// How many parts the experiment has.
    pub shards: u64,
}

/// Everything that the results of each cell depend on, except seed and confidence.
fn contents(plan: &Plan) -> Vec<String> {
    let content = |entry: &PlanEntry| {
        let cell = &plan.cells[entry.cell];
        let stop = cell.stop.map(|stop| format!(", {stop:?}"));
        format!(
            "{:?} {} with {} games{}",
            plan.titles[entry.table],
            cell.key(),
            cell.games,
            stop.unwrap_or_default()
        )
    };
    plan.entries.iter().map(content).collect()
}

impl Header {
    /// The header of a plan's part.
    pub fn new(plan: &Plan, shard: Shard) -> Self {
        let content = contents(plan).join("\n") + "\n";
        Self {
            format: FORMAT,
            version: env!("CARGO_PKG_VERSION").to_owned(),
            results: RESULTS_VERSION,
            name: plan.name.clone(),
            seed: plan.seed,
            confidence: match plan.interval {
                RateInterval::ClopperPearson => plan.confidence.to_string(),
                RateInterval::MidP => format!("{}, mid-p", plan.confidence),
            },
            cells: plan.cells.len(),
            fingerprint: format!("{:016x}", hash_key(&content)),
            shard: shard.index,
            shards: shard.count,
        }
    }

    /// Which part of the experiment it is.
    pub const fn shard(&self) -> Shard {
        Shard {
            index: self.shard,
            count: self.shards,
        }
    }

    /// Why games saved under this header are not those of another, for people; `None` when they
    /// are. Only the shard may make them others besides.
    pub fn contradiction(&self, other: &Self) -> Option<String> {
        self.differing(other, 4)
    }

    /// What differs from another header, for people; `None` when nothing does. Neither the shard
    /// nor the version of tilelab is compared.
    pub fn difference(&self, other: &Self) -> Option<String> {
        self.differing(other, usize::MAX)
    }

    /// What differs among the first `count` of the values compared.
    fn differing(&self, other: &Self, count: usize) -> Option<String> {
        let pairs = self.compared().into_iter().zip(other.compared());
        let differing = pairs.take(count).filter(|(mine, theirs)| mine != theirs);
        let texts = differing.map(|((what, mine), (_, theirs))| {
            format!("{what}: {} there, {} here", quoted(&mine), quoted(&theirs))
        });
        Some(join(texts, "; ")).filter(|text| !text.is_empty())
    }

    /// What headers are compared by: four values that games depend on, then those that results
    /// depend on besides.
    fn compared(&self) -> [(&str, String); 7] {
        [
            ("format", self.format.to_string()),
            ("results version", self.results.to_string()),
            ("name", self.name.clone()),
            ("seed", self.seed.to_string()),
            ("confidence", self.confidence.clone()),
            ("number of cells", self.cells.to_string()),
            ("fingerprint of the cells", self.fingerprint.clone()),
        ]
    }
}

/// The sources of a plan: with the seed of the [`Header`], enough to make the plan again.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PlanSource {
    /// The text of the experiment file.
    pub experiment: String,
    /// Games per cell from the command line.
    pub games: Option<u64>,
    /// The cells that these games are for; all where there is nothing.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub part: Vec<String>,
    /// Value lanes from the command line.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub lanes: Option<u64>,
    /// The published figures of the plan's entries, by the index of the entry.
    pub published: Vec<(usize, PublishedFigures)>,
}

impl PlanSource {
    /// The sources of a plan.
    pub fn of(plan: &Plan) -> Self {
        let published = plan.entries.iter().enumerate();
        Self {
            experiment: plan.text.clone(),
            games: plan.overrides.games,
            part: plan.overrides.part.clone(),
            lanes: plan.overrides.lanes,
            published: published
                .filter_map(|(index, entry)| Some((index, entry.published.clone()?)))
                .collect(),
        }
    }
}

/// One step in which a cell of a shard grew: up to `games` games in all shards, of which this one
/// plays those from `start` to `end`.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Step {
    /// Games of the cell after this step, in all shards.
    pub games: u64,
    /// The first game of this shard's part.
    pub start: u64,
    /// The game after the last one of this shard's part.
    pub end: u64,
}

/// Why a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum Stopped {
    /// All games of the cell are played.
    Games,
    /// The interval is as narrow as wanted.
    Precision,
    /// The cell reached `max_games` first.
    MaxGames,
    /// The sequential test decided for the lower mean.
    Lower,
    /// The sequential test decided for the upper mean.
    Upper,
    /// The cell failed.
    Failed,
    /// Another shard has the cell.
    #[serde(rename = "elsewhere")]
    OtherShard,
}

impl Stopped {
    /// Whether the games played are the result of the cell.
    pub(crate) const fn has_result(self) -> bool {
        !matches!(self, Self::Failed | Self::OtherShard)
    }

    /// The word in `cells.csv`.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Games => "games",
            Self::Precision => "precision",
            Self::MaxGames => "max-games",
            Self::Lower => "lower",
            Self::Upper => "upper",
            Self::Failed => "failed",
            Self::OtherShard => "elsewhere",
        }
    }
}

impl From<StopReason> for Stopped {
    fn from(reason: StopReason) -> Self {
        match reason {
            StopReason::Precision => Self::Precision,
            StopReason::MaxGames => Self::MaxGames,
            StopReason::Lower => Self::Lower,
            StopReason::Upper => Self::Upper,
        }
    }
}

/// A tally as it is kept in a state: its JSON text, which takes a fraction of the memory of its
/// numbers.
#[derive(Clone, Debug, Serialize, Deserialize)]
#[serde(transparent)]
pub struct KeptTally(Box<RawValue>);

impl PartialEq for KeptTally {
    fn eq(&self, other: &Self) -> bool {
        self.0.get() == other.0.get()
    }
}

impl Eq for KeptTally {}

impl KeptTally {
    fn of(tally: &Tally) -> Self {
        Self(
            serde_json::value::to_raw_value(tally)
                .expect("integers and texts can be written as JSON"),
        )
    }

    /// Games that a player did not finish.
    pub(crate) fn forfeited(&self) -> u64 {
        #[derive(Deserialize)]
        struct Forfeits {
            forfeits: Option<ForfeitTally>,
        }
        // Most have none, and a state may have many tallies.
        let text = Some(self.0.get()).filter(|text| text.contains("\"forfeits\":"));
        let read = text.and_then(|text| serde_json::from_str(text).ok());
        let sums = read.and_then(|Forfeits { forfeits }| forfeits);
        sums.map_or(0, |sums| sums.games)
    }

    /// Reads the tally of a game with these measures.
    ///
    /// # Errors
    /// When the text is not a tally, or its numbers contradict each other.
    pub fn restore(&self, measures: &[Measure]) -> Result<Tally, String> {
        let saved: Tally = serde_json::from_str(self.0.get()).map_err(|error| error.to_string())?;
        saved.checked(measures)
    }
}

/// Some games of a segment ([`super::segments`]).
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Segment {
    /// The games that are in the tally, as ranges.
    pub done: Vec<(u64, u64)>,
    /// The tally of the games.
    pub tally: KeptTally,
}

impl Segment {
    /// The segment of these games with their tally.
    pub fn new(done: &Ranges, tally: &Tally) -> Self {
        Self {
            done: done.pairs(),
            tally: KeptTally::of(tally),
        }
    }

    /// Whether another segment has all games of this one.
    fn is_within(&self, other: &Self) -> bool {
        let is_in = |&(start, end): &(u64, u64)| {
            let mut ranges = other.done.iter();
            ranges.any(|&(first, last)| first <= start && end <= last)
        };
        self.done.iter().all(is_in)
    }
}

/// What is known of a cell.
#[derive(Clone, Debug, Default, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CellState {
    /// The key of the cell; empty where it is that of the plan's cell in the same place.
    #[serde(default, skip_serializing_if = "String::is_empty")]
    pub key: String,
    /// Why the cell ended; `None` while it is played.
    pub stopped: Option<Stopped>,
    /// What went wrong.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub error: Option<String>,
    /// Games of the cell's result, where it has one.
    #[serde(default, skip_serializing_if = "is_zero")]
    pub games: u64,
    /// The most games that a result of this cell has ever had; they are never dropped.
    #[serde(rename = "shown", default, skip_serializing_if = "is_zero")]
    pub games_reported: u64,
    /// How the cell of a shard came to its games.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub steps: Vec<Step>,
    /// All games, segment by segment; also those behind the result's. Where a result ends within a
    /// segment of which more games are known, both are kept.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub segments: Vec<Segment>,
    /// The tally of the result; made from the segments, so that it is neither saved nor compared.
    #[serde(skip)]
    pub tally: Option<Tally>,
}

const fn is_zero(number: &u64) -> bool {
    *number == 0
}

impl PartialEq for CellState {
    fn eq(&self, other: &Self) -> bool {
        let of = |state: &Self| (state.stopped, state.games, state.games_reported);
        of(self) == of(other)
            && self.key == other.key
            && self.error == other.error
            && self.steps == other.steps
            && self.segments == other.segments
    }
}

impl Eq for CellState {}

impl CellState {
    /// Whether the cell has ended, and not because another shard has it.
    pub fn has_ended_here(&self) -> bool {
        !matches!(self.stopped, None | Some(Stopped::OtherShard))
    }

    /// Games of the result of a cell that has ended; of another, all that are known.
    pub fn games(&self) -> u64 {
        if self.stopped.is_some() {
            self.games
        } else {
            self.games_stored()
        }
    }

    /// The tally of the segments that end within the first `games` games of a cell with these
    /// measures; `None` where one contradicts itself.
    pub fn first_games(&self, games: u64, measures: &[Measure]) -> Option<Tally> {
        let mut total = Tally::new(measures);
        for segment in &self.segments {
            if segment.done.iter().all(|&(_, end)| end <= games) {
                total.merge(&segment.tally.restore(measures).ok()?);
            }
        }
        Some(total)
    }

    /// All games that are kept, each counted once.
    pub fn games_stored(&self) -> u64 {
        let ranges = self.segments.iter().flat_map(|segment| &segment.done);
        let mut ranges: Vec<(u64, u64)> = ranges.copied().collect();
        ranges.sort_unstable();
        let mut end_before = 0;
        let mut games = 0u64;
        for (start, end) in ranges {
            games = games.saturating_add(end.saturating_sub(start.max(end_before)));
            end_before = end_before.max(end);
        }
        games
    }

    /// Adds what another state has of the same cell: no game of either is lost.
    pub fn absorb(&mut self, mut other: Self) {
        let games = |state: &Self| state.steps.last().map_or(0, |step| step.games);
        if games(self) < games(&other) {
            std::mem::swap(&mut self.steps, &mut other.steps);
        }
        self.games_reported = self.games_reported.max(other.games_reported);
        for segment in other.segments {
            if !self.segments.iter().any(|known| segment.is_within(known)) {
                self.segments.retain(|known| !known.is_within(&segment));
                self.segments.push(segment);
            }
        }
    }
}

/// Everything a run knows.
#[derive(Clone, Debug, PartialEq)]
pub struct RunState {
    /// Which run.
    pub header: Header,
    /// The sources of the plan.
    pub source: Arc<PlanSource>,
    /// One entry a cell; `None` where nothing has been played.
    pub cells: Vec<Option<Arc<CellState>>>,
    /// Cells that the plan does not name, kept for a plan that names them again.
    pub cells_not_in_plan: Vec<Arc<CellState>>,
}

/// Why bytes are not a state that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ParseError {
    /// The bytes are incomplete, or have been changed.
    #[error("{0}")]
    Damaged(String),
    /// Another version of tilelab wrote the bytes in another form.
    #[error("it has format {0} of another version of tilelab, where this one reads {FORMAT}")]
    Foreign(u32),
}

/// The part of the header that every format has.
#[derive(Deserialize)]
struct Format {
    format: u32,
}

/// The line of several cells in a row that belong to other shards as a whole.
#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct OtherShards {
    elsewhere: usize,
    /// The steps of each of the cells.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    steps: Vec<Step>,
}

/// Whether a cell belongs to other shards as a whole, and no games of it are kept here.
fn is_of_other_shard(cell: &CellState) -> bool {
    cell.stopped == Some(Stopped::OtherShard) && cell.segments.is_empty() && cell.key.is_empty()
}

#[derive(Serialize, Deserialize)]
struct Footer {
    crc32: String,
}

impl RunState {
    /// Whether all cells have ended.
    pub fn is_finished(&self) -> bool {
        let mut cells = self.cells.iter().map(Option::as_ref);
        cells.all(|cell| cell.is_some_and(|cell| cell.stopped.is_some()))
    }

    /// Makes the plan of the run again.
    ///
    /// # Errors
    /// When this version of tilelab does not accept the experiment.
    pub fn plan(&self) -> Result<Plan, String> {
        let PlanSource {
            experiment,
            games,
            part,
            lanes,
            published,
        } = self.source.as_ref();
        let overrides = Overrides {
            games: *games,
            part: part.clone(),
            lanes: *lanes,
            seed: Some(self.header.seed),
            unpublished: true,
            // A folder cannot allow its own.
            programs: None,
        };
        let mut plan = Plan::of_text(experiment, overrides)?;
        for (index, figures) in published {
            let entry = plan.entries.get_mut(*index).ok_or_else(|| {
                format!("published figures of the row {index}, which does not exist")
            })?;
            entry.published = Some(figures.clone());
        }
        Ok(plan)
    }

    /// What differs between the run of this state and another, down to the first cell; `None` when
    /// nothing does. The shard is not compared.
    pub fn difference(
        &self,
        other: &Header,
        plan: impl FnOnce() -> Option<Plan>,
    ) -> Option<String> {
        let mut what = self.header.difference(other)?;
        if let (Ok(mine), Some(other)) = (self.plan(), plan()) {
            let [mine, others] = [mine, other].map(|plan| contents(&plan));
            let mut pairs = mine.iter().zip(&others);
            if let Some((there, here)) = pairs.find(|(there, here)| there != here) {
                let [there, here] = [there, here].map(|text| quoted(text));
                what += &format!("; the first cell that differs: {there} there, {here} here");
            }
        }
        Some(what)
    }

    /// The bytes of the state, which [`RunState::of_bytes`] reads back to an equal state.
    ///
    /// # Errors
    /// When a value cannot be written as JSON.
    pub fn to_bytes(&self) -> serde_json::Result<Vec<u8>> {
        let mut text = Vec::new();
        add_line(&mut text, &self.header)?;
        add_line(&mut text, self.source.as_ref())?;
        let share_a_line = |a: &Option<Arc<CellState>>, b: &Option<Arc<CellState>>| {
            let both = a.as_deref().zip(b.as_deref());
            both.is_some_and(|(a, b)| {
                is_of_other_shard(a) && is_of_other_shard(b) && a.steps == b.steps
            })
        };
        for run in self.cells.chunk_by(share_a_line) {
            match run[0].as_deref() {
                Some(cell) if is_of_other_shard(cell) => {
                    let line = OtherShards {
                        elsewhere: run.len(),
                        steps: cell.steps.clone(),
                    };
                    add_line(&mut text, &line)?;
                }
                cell => add_line(&mut text, &cell)?,
            }
        }
        for cell in &self.cells_not_in_plan {
            add_line(&mut text, cell.as_ref())?;
        }
        let crc32 = checksum(&text);
        add_line(&mut text, &Footer { crc32 })?;
        Ok(text)
    }

    /// Reads a state.
    ///
    /// # Errors
    /// Says what is damaged, or which format the bytes have.
    pub fn of_bytes(bytes: &[u8]) -> Result<Self, ParseError> {
        let damaged = |reason: String| ParseError::Damaged(quoted(&reason));
        let mut lines = checked(bytes)
            .map_err(damaged)?
            .split(|&byte| byte == b'\n')
            .filter(|line| !line.is_empty());
        let header = lines.next();
        let Format { format } = read_line("its header", header).map_err(damaged)?;
        if format != FORMAT {
            return Err(ParseError::Foreign(format));
        }
        Self::parse(header, lines).map_err(damaged)
    }

    /// Reads the lines of a state, of which the first is the header.
    fn parse<'a>(
        header: Option<&[u8]>,
        mut lines: impl Iterator<Item = &'a [u8]>,
    ) -> Result<Self, String> {
        let header: Header = read_line("its header", header)?;
        if !(1..=header.shards).contains(&header.shard) || header.shards > Shard::COUNT_MAX {
            let Header { shard, shards, .. } = header;
            return Err(format!(
                "shard {shard} of {shards}, where a run has from 1 to {} shards",
                Shard::COUNT_MAX
            ));
        }
        if header.cells > CELLS_MAX {
            return Err(format!(
                "{} cells, where at most {CELLS_MAX} are accepted",
                header.cells
            ));
        }
        let source: PlanSource = read_line("its experiment", lines.next())?;
        let mut cells = Vec::new();
        let mut cells_not_in_plan = Vec::new();
        for line in lines {
            if let Ok(OtherShards { elsewhere, steps }) = serde_json::from_slice(line) {
                // More than are missing are as wrong as one more.
                let missing = header.cells.saturating_sub(cells.len());
                let count = elsewhere.min(missing.saturating_add(1));
                let cell = CellState {
                    stopped: Some(Stopped::OtherShard),
                    steps,
                    ..CellState::default()
                };
                cells.resize(cells.len() + count, Some(Arc::new(cell)));
                continue;
            }
            let cell: Option<CellState> = read_line("a cell", Some(line))?;
            match cell.map(Arc::new) {
                Some(cell) if cells.len() == header.cells => cells_not_in_plan.push(cell),
                cell => cells.push(cell),
            }
        }
        if cells.len() != header.cells {
            return Err(format!(
                "it has {} cells where its header says {}",
                cells.len(),
                header.cells
            ));
        }
        Ok(Self {
            header,
            source: Arc::new(source),
            cells,
            cells_not_in_plan,
        })
    }
}

/// Adds a value as a line.
fn add_line(text: &mut Vec<u8>, value: &impl Serialize) -> serde_json::Result<()> {
    serde_json::to_writer(&mut *text, value)?;
    text.push(b'\n');
    Ok(())
}

/// What a line was read as; the message says what it is.
fn read_line<T: DeserializeOwned>(what: &str, line: Option<&[u8]>) -> Result<T, String> {
    let read = serde_json::from_slice(line.unwrap_or_default());
    read.map_err(|error| format!("{what}: {error}"))
}

/// The lines of a file before its checksum, which is checked.
fn checked(bytes: &[u8]) -> Result<&[u8], String> {
    let body = bytes.strip_suffix(b"\n").ok_or("its end is missing")?;
    let end = body.iter().rposition(|&byte| byte == b'\n');
    let (lines, footer) = bytes.split_at(end.ok_or("its end is missing")? + 1);
    let footer: Footer = serde_json::from_slice(footer).map_err(|_| "its checksum is missing")?;
    if footer.crc32 != checksum(lines) {
        return Err("its checksum does not match".to_owned());
    }
    Ok(lines)
}
