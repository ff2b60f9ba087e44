//! Joins the states of all shards of an experiment to the state with which an undivided run ends.
//!
//! The order of the shards does not matter, since tallies are sums of integers. Everything comes
//! from the states: the plan is made again from the experiment's text in them and compared with
//! their headers.
//!
//! All shards together can be larger than memory. Only the first cells that are read stay there.
//! The others are read again when it is the turn of their shards, a few shards at a time.

use super::per_game::Kept;
use super::store::load;
use super::{Error, Folder};
use crate::plan::{Cell, PerGame, Plan};
use crate::runner::Shard;
use crate::runner::restore::restore;
use crate::runner::stages::{ShardPlan, Stages};
use crate::runner::state::{CellState, Header, PlanSource, RunState, Segment, Stopped, quoted};
use std::borrow::Cow;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tilelab_output::files::{self, Kind};

/// The most shards that one message names.
const NAMED_MAX: usize = 8;

/// The cells of a state.
type Cells = Vec<Option<Arc<CellState>>>;

/// A shard's state and where it was read from.
struct Part {
    /// The shard's folder, for messages.
    path: PathBuf,
    /// The file.
    file: PathBuf,
    /// The state; it has no cells where these are to be read again.
    state: RunState,
    is_finished: bool,
    /// The memory that the cells of the state take, in cells with games.
    weight: usize,
}

impl Part {
    fn shard(&self) -> Shard {
        self.state.header.shard()
    }

    /// The cells, from memory or from the file.
    fn cells(&self) -> Result<Cow<'_, Cells>, String> {
        if !self.state.cells.is_empty() {
            return Ok(Cow::Borrowed(&self.state.cells));
        }
        let again = load(&self.file).map_err(|error| error.to_string())?;
        if again.header != self.state.header || !again.is_finished() {
            return Err(format!(
                "{}: it has changed since the merge began",
                self.file.display()
            ));
        }
        Ok(Cow::Owned(again.cells))
    }
}

/// Whether two states of one shard have the same results. One may have been interrupted at another
/// time, and so have other games besides.
fn agree(a: &Cells, b: &Cells) -> bool {
    let same = |(a, b): (&Arc<CellState>, &Arc<CellState>)| {
        let result = |cell: &CellState| (cell.stopped, cell.games, cell.error.clone());
        let contradicts = |segment: &Segment| {
            let mut others = b.segments.iter();
            others.any(|other| other.done == segment.done && other.tally != segment.tally)
        };
        result(a) == result(b) && a.steps == b.steps && !a.segments.iter().any(contradicts)
    };
    let pairs = a.iter().flatten().zip(b.iter().flatten());
    a.len() == b.len() && pairs.into_iter().all(same)
}

/// The memory that cells take, in cells with games; the others are little more than a pointer.
fn weight(cells: &Cells) -> usize {
    cells
        .iter()
        .flatten()
        .filter(|cell| cell.games() > 0)
        .count()
        + cells.len() / 100
}

/// Shards as they are found.
pub struct Parts {
    found: Vec<Part>,
    /// Cells in memory, and the most that there may be.
    cells: usize,
    cells_max: usize,
}

impl Parts {
    /// No shards yet; about `cells_max` of their cells may be in memory at a time.
    pub const fn new(cells_max: usize) -> Self {
        Self {
            found: Vec::new(),
            cells: 0,
            cells_max,
        }
    }

    /// Adds a shard's folder and the state that was read from `file` in it.
    pub fn add(&mut self, path: PathBuf, file: PathBuf, mut state: RunState) {
        let is_finished = state.is_finished();
        // All shards of a run have the same sources, which are kept once.
        if let Some(first) = self.found.first()
            && first.state.source == state.source
        {
            state.source = Arc::clone(&first.state.source);
        }
        let weight = weight(&state.cells);
        if self.cells + weight > self.cells_max {
            state.cells = Vec::new();
        } else {
            self.cells += weight;
        }
        self.found.push(Part {
            path,
            file,
            state,
            is_finished,
            weight,
        });
    }

    /// Puts the shards in order: one that is finished for each index; they must be of one run.
    ///
    /// # Errors
    /// Names shards that do not belong together and what differs, shards that are missing or
    /// unfinished, and shards that are there twice with different results.
    pub fn arrange(self) -> Result<Arranged, Error> {
        let parts = arrange(self.found).map_err(Error::Shards)?;
        Ok(Arranged {
            parts,
            cells_max: self.cells_max,
        })
    }
}

fn arrange(mut parts: Vec<Part>) -> Result<Vec<Part>, String> {
    fn order(part: &Part) -> (u64, bool, &str) {
        (
            part.shard().index,
            !part.is_finished,
            &part.state.source.experiment,
        )
    }
    parts.sort_by(|a, b| order(a).cmp(&order(b)));
    let Some(first) = parts.first() else {
        return Err("no shards were given".to_owned());
    };
    for part in &parts[1..] {
        let a = &first.state;
        let b = &part.state;
        let [there, here] = [a.header.shards, b.header.shards];
        let what = a.difference(&b.header, || b.plan().ok()).or_else(|| {
            let what = format!("number of shards: {there} there, {here} here");
            (there != here).then_some(what)
        });
        if let Some(what) = what {
            let first = first.path.display();
            let part = part.path.display();
            return Err(format!(
                "{part} (here) is of another run than {first} (there): {what}"
            ));
        }
    }
    let count = first.shard().count;
    let mut arranged: Vec<Part> = Vec::new();
    for part in parts {
        match arranged.last() {
            Some(last) if last.shard() == part.shard() => {
                if part.is_finished && !agree(last.cells()?.as_ref(), part.cells()?.as_ref()) {
                    let a = last.path.display();
                    let b = part.path.display();
                    let index = part.shard().index;
                    return Err(format!(
                        "shard {index}/{count} is there twice with different results: {a} and {b}"
                    ));
                }
            }
            _ => arranged.push(part),
        }
    }
    let unfinished = arranged.iter().filter(|part| !part.is_finished);
    let unfinished = listed(unfinished.map(|part| part.path.display().to_string()));
    let is_missing = |index: &u64| {
        let found = arranged.binary_search_by_key(index, |part| part.shard().index);
        found.is_err()
    };
    let missing = (1..=count).filter(is_missing);
    let missing = listed(missing.map(|index| format!("{index}/{count}")));
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!(
            "missing shards: {missing}; play them with tilelab run --shard I/{count}"
        ));
    }
    if !unfinished.is_empty() {
        problems.push(format!(
            "unfinished: {unfinished}; run the same commands again to finish them"
        ));
    }
    if problems.is_empty() {
        Ok(arranged)
    } else {
        Err(problems.join("; "))
    }
}

/// The first of these names, and how many there are besides; empty when there is none.
fn listed(mut names: impl Iterator<Item = String>) -> String {
    let first: Vec<String> = names.by_ref().take(NAMED_MAX).collect();
    match names.count() {
        0 => first.join(", "),
        more => format!("{} and {more} more", first.join(", ")),
    }
}

/// All shards of a run, in order.
pub struct Arranged {
    parts: Vec<Part>,
    cells_max: usize,
}

impl Arranged {
    /// Number of shards.
    pub fn count(&self) -> usize {
        self.parts.len()
    }

    /// The plan of the run.
    ///
    /// # Errors
    /// When this version of tilelab does not accept the experiment.
    pub fn plan(&self) -> Result<Plan, Error> {
        let first = &self.parts[0];
        let plan = first.state.plan();
        plan.map_err(|error| Error::Shards(format!("{}: {}", first.path.display(), quoted(&error))))
    }

    /// The folders of the shards.
    pub fn folders(&self) -> Vec<PathBuf> {
        self.parts.iter().map(|part| part.path.clone()).collect()
    }

    /// The format of the rows of single games for which shards have kept their games, and the
    /// shards that have not; `None` where no shard has.
    ///
    /// # Errors
    /// Names shards that were asked for different formats.
    pub fn per_game(&self) -> Result<Option<(PerGame, Vec<Shard>)>, Error> {
        let parts = self.parts.iter();
        let kept: Vec<_> = parts
            .map(|part| (part, Kept::of_part(&part.path)))
            .collect();
        let mut formats = kept
            .iter()
            .filter_map(|(part, format)| Some((*part, (*format)?)));
        let Some((first, format)) = formats.next() else {
            return Ok(None);
        };
        if let Some((part, other)) = formats.find(|(_, other)| *other != format) {
            let [first, part] = [first, part].map(|part| part.path.display());
            let [format, other] = [format, other].map(PerGame::name);
            return Err(Error::Shards(format!(
                "{first} was played with --per-game={format}, {part} with --per-game={other}; run all shards with one \
                 of them again, which plays no game twice"
            )));
        }
        let without = kept.iter().filter(|(_, format)| format.is_none());
        let without = without.map(|(part, _)| part.shard()).collect();
        Ok(Some((format, without)))
    }

    /// Joins the shards under the plan they were made from.
    ///
    /// # Errors
    /// When the plan is not theirs, or names the shard and the cell whose numbers contradict each
    /// other.
    pub fn merge(&self, plan: &Plan) -> Result<RunState, Error> {
        self.joined(plan).map_err(Error::Shards)
    }

    fn joined(&self, plan: &Plan) -> Result<RunState, String> {
        let header = Header::new(plan, Shard::WHOLE);
        for part in &self.parts {
            if let Some(what) = part.state.header.difference(&header) {
                return Err(format!(
                    "{}: another build of tilelab made it: {what}",
                    part.path.display()
                ));
            }
        }
        let shards = ShardPlan::new(plan, self.parts[0].shard().count);
        let wholes = ShardPlan::new(plan, 1);
        let mut all: Vec<Option<Joined<'_>>> = plan.cells.iter().map(|_| None).collect();
        let mut rest = self.parts.as_slice();
        while !rest.is_empty() {
            let mut weight = 0;
            let fit = rest.iter().take_while(|part| {
                weight += part.weight;
                weight <= self.cells_max
            });
            let (group, others) = rest.split_at(fit.count().max(1));
            rest = others;
            let cells: Vec<_> = group.iter().map(Part::cells).collect::<Result<_, _>>()?;
            for (index, (cell, joined)) in plan.cells.iter().zip(&mut all).enumerate() {
                for (part, cells) in group.iter().zip(&cells) {
                    let saved = cells[index].as_deref().expect("the part is finished");
                    let shard = part.shard();
                    let steps = shards.steps(index, shard, &saved.steps);
                    let stages = shards.stages(index, shard, &steps, saved.games_reported);
                    let joined = joined.get_or_insert_with(|| Joined::new(part, saved));
                    joined.add(cell, part, saved, &stages)?;
                }
            }
        }
        let cells = all.into_iter().enumerate().map(|(index, joined)| {
            let joined = joined.expect("there is a shard");
            let stages = wholes.stages(index, Shard::WHOLE, &[], joined.games);
            let state = joined.finish(&plan.cells[index], &stages)?;
            Ok(Some(Arc::new(state)))
        });
        let cells = cells.collect::<Result<_, String>>()?;
        Ok(RunState {
            header,
            source: Arc::new(PlanSource::of(plan)),
            cells,
            cells_not_in_plan: Vec::new(),
        })
    }
}

/// The games that some parts have of a cell.
struct Joined<'a> {
    /// The first part, and how its cell came to its games.
    first: &'a Part,
    growth: Vec<u64>,
    /// The least number of games that its result has, where it has no rule.
    games: u64,
    /// By the number of the segment.
    segments: BTreeMap<u64, Segment>,
    /// The first game of the part that failed, where one has, and why.
    failed: Option<(u64, Option<String>)>,
}

impl<'a> Joined<'a> {
    fn new(first: &'a Part, saved: &CellState) -> Self {
        let growth = growth(saved);
        let games_reported = saved.games_reported;
        let of_whole = (first.shard() == Shard::WHOLE).then_some(games_reported);
        Self {
            first,
            games: growth.last().copied().or(of_whole).unwrap_or_default(),
            growth,
            segments: BTreeMap::new(),
            failed: None,
        }
    }

    /// Adds the games of another part.
    fn add(
        &mut self,
        cell: &Cell,
        part: &Part,
        saved: &CellState,
        stages: &Stages,
    ) -> Result<(), String> {
        let named =
            |reason: &str| format!("{}: the cell {}: {reason}", part.path.display(), cell.key());
        if self.growth != growth(saved) {
            let first = self.first.path.display();
            let known = &self.growth;
            return Err(named(&format!(
                "it has grown in the steps {:?}, where {first} has {known:?}; all shards must grow in the same steps, \
                 each played with --games",
                growth(saved)
            )));
        }
        if saved.stopped == Some(Stopped::Failed) {
            // The failure that an undivided run meets first counts.
            let games = stages.games(0).unwrap_or_default();
            let failed = (games.first().unwrap_or_default(), saved.error.clone());
            self.failed = self.failed.take().into_iter().chain([failed]).min();
            return Ok(());
        }
        if stages.count() == 0 {
            return Ok(());
        }
        let restored = restore(saved, stages, cell).map_err(|reason| named(&reason))?;
        if restored.stopped != saved.stopped || restored.total.games != saved.games {
            return Err(named("its games are not those of its result"));
        }
        for (stage, segment) in restored.kept.into_iter().enumerate() {
            let number = stages.segment(stage).expect("the stage was kept");
            let joined = match self.segments.remove(&number) {
                None => segment,
                Some(other) => {
                    let both = || other.done.iter().chain(&segment.done);
                    let mut sorted: Vec<_> = both().collect();
                    sorted.sort_unstable();
                    if let Some(pair) = sorted.windows(2).find(|pair| pair[0].1 > pair[1].0) {
                        return Err(named(&format!(
                            "game {} is also in another shard",
                            pair[1].0
                        )));
                    }
                    let done = sorted.iter().map(|&&(start, end)| start..end).collect();
                    let mut tally = other.tally.restore(cell.measures())?;
                    tally.merge(&segment.tally.restore(cell.measures())?);
                    Segment::new(&done, &tally)
                }
            };
            self.segments.insert(number, joined);
        }
        Ok(())
    }

    /// The state of the cell with which an undivided run ends.
    fn finish(self, cell: &Cell, whole: &Stages) -> Result<CellState, String> {
        if let Some((_, error)) = self.failed {
            return Ok(CellState {
                key: cell.key(),
                stopped: Some(Stopped::Failed),
                error,
                ..CellState::default()
            });
        }
        let segments = self.segments.into_values().collect();
        let joined = CellState {
            key: cell.key(),
            segments,
            ..CellState::default()
        };
        let named = |reason: String| format!("the cell {}: {reason}", cell.key());
        let restored = restore(&joined, whole, cell).map_err(named)?;
        let games = restored.total.games;
        if restored.stopped.is_none() || !restored.unused.is_empty() {
            return Err(named(format!(
                "the shards have {games} of its games in a row, where {} are needed",
                whole.games_max()
            )));
        }
        let tally = Some(restored.total);
        Ok(CellState {
            stopped: restored.stopped,
            games,
            games_reported: games,
            tally,
            ..joined
        })
    }
}

/// The numbers of games to which a cell of a shard has grown, one after another.
fn growth(saved: &CellState) -> Vec<u64> {
    saved.steps.iter().map(|step| step.games).collect()
}

/// How deep folders of shards are looked for.
const DEPTH_MAX: usize = 8;

/// Finds the folders with a state at or below `path`; below a folder with one, only folders of
/// shards count.
///
/// A results folder is passed over when shards lie in it: its state is that of the merged or
/// undivided run.
///
/// # Errors
/// When a folder cannot be read.
pub fn find(path: &Path) -> std::io::Result<Vec<Folder>> {
    find_below(path, 0)
}

fn find_below(path: &Path, depth: usize) -> std::io::Result<Vec<Folder>> {
    let mut below = Vec::new();
    let mut entries = files::read_dir(path)?;
    entries.retain(|entry| depth < DEPTH_MAX && entry.kind == Kind::Folder);
    entries.sort_by(|a, b| a.path.cmp(&b.path));
    for entry in entries {
        below.extend(find_below(&entry.path, depth + 1)?);
    }
    let folder = Folder(path.to_owned());
    if below.is_empty() && (folder.state().exists() || folder.state_before().exists()) {
        below.push(folder);
    }
    Ok(below)
}
