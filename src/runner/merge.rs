//! Joining the states of all shards of an experiment to the state that one run of everything ends with.
//!
//! The order of the shards does not matter, since tallies are sums of integers. Everything comes from the states themselves: the plan is
//! made again from the experiment's text in them and held against their headers.

use super::Shard;
use super::restore::restore;
use super::stages::Stages;
use super::state::{CellState, Header, Source, State, Stopped};
use crate::game::Tally;
use crate::plan::{Cell, Plan};
use std::path::PathBuf;
use std::sync::Arc;

/// A shard's state and the file it was read from.
pub struct Part {
    /// The file, for messages.
    pub path: PathBuf,
    /// The state.
    pub state: State,
}

impl Part {
    fn shard(&self) -> Shard {
        Shard { index: self.state.header.shard, count: self.state.header.shards }
    }

    fn is_finished(&self) -> bool {
        self.state.cells.iter().all(|cell| cell.as_ref().is_some_and(|cell| cell.stopped.is_some()))
    }
}

/// Puts the parts in order: one finished part for each shard, which must be of one run.
///
/// # Errors
/// Names parts that do not belong together and what differs, shards that are missing or unfinished, and shards that
/// are there twice with different results.
pub fn arrange(mut parts: Vec<Part>) -> Result<Vec<Part>, String> {
    parts.sort_by(|a, b| {
        let order = |part: &Part| (part.shard().index, !part.is_finished(), part.state.source.experiment.clone());
        order(a).cmp(&order(b))
    });
    let Some(first) = parts.first() else { return Err("there is no shard to merge".to_owned()) };
    for part in &parts[1..] {
        let (a, b) = (&first.state, &part.state);
        let what = match a.header.difference(&b.header) {
            Some(_) => a.difference(&b.header, b.plan().ok().as_ref()),
            None if a.header.shards != b.header.shards => {
                Some(format!("number of shards: {} there, {} here", a.header.shards, b.header.shards))
            }
            None => None,
        };
        if let Some(what) = what {
            let (first, part) = (first.path.display(), part.path.display());
            return Err(format!("{part} (here) is of another run than {first} (there): {what}"));
        }
    }
    let count = first.shard().count;
    let mut arranged: Vec<Part> = Vec::new();
    for part in parts {
        match arranged.last() {
            Some(last) if last.shard() == part.shard() => {
                if part.is_finished() && last.state.cells != part.state.cells {
                    let (a, b) = (last.path.display(), part.path.display());
                    let index = part.shard().index;
                    return Err(format!("shard {index}/{count} is there twice with different results: {a} and {b}"));
                }
            }
            _ => arranged.push(part),
        }
    }
    let unfinished: Vec<String> =
        arranged.iter().filter(|part| !part.is_finished()).map(|part| part.path.display().to_string()).collect();
    let missing: Vec<String> = (1..=count)
        .filter(|index| arranged.binary_search_by_key(index, |part| part.shard().index).is_err())
        .map(|index| format!("{index}/{count}"))
        .collect();
    let mut problems = Vec::new();
    if !missing.is_empty() {
        problems.push(format!("missing shards: {}; play them with tilelab run --shard I/{count}", missing.join(", ")));
    }
    if !unfinished.is_empty() {
        problems.push(format!("unfinished: {}; run the same commands again to finish them", unfinished.join(", ")));
    }
    if problems.is_empty() { Ok(arranged) } else { Err(problems.join("; ")) }
}

/// Joins arranged parts under the plan they were made from.
///
/// # Errors
/// When the plan is not theirs, or names the part and the cell whose numbers contradict each other.
pub fn merge(plan: &Plan, parts: &[Part]) -> Result<State, String> {
    let stages: Vec<Vec<Stages>> = parts.iter().map(|part| Stages::of(plan, part.shard())).collect();
    for part in parts {
        if let Some(what) = part.state.header.difference(&Header::new(plan, part.shard())) {
            return Err(format!("{}: another build of tilelab made it: {what}", part.path.display()));
        }
    }
    let mut cells = Vec::with_capacity(plan.cells.len());
    for (index, cell) in plan.cells.iter().enumerate() {
        let shares = parts.iter().zip(&stages).map(|(part, stages)| (part, &stages[index]));
        cells.push(Some(Arc::new(join(cell, index, shares)?)));
    }
    Ok(State { header: Header::new(plan, Shard::WHOLE), source: Arc::new(Source::of(plan)), cells })
}

fn join<'a>(
    cell: &Cell,
    index: usize,
    shares: impl Iterator<Item = (&'a Part, &'a Stages)>,
) -> Result<CellState, String> {
    let mut total = Tally::new(cell.game.measures);
    let mut ended = None;
    for (part, stages) in shares.filter(|(_, stages)| stages.count() > 0) {
        let saved = part.state.cells[index].as_ref().expect("the part is finished");
        if saved.stopped == Some(Stopped::Failed) {
            // Parts are in the order of their games: this failure is the one that a run of everything meets first.
            return Ok(CellState::clone(saved));
        }
        let restored = restore(saved, stages, cell.game.measures)
            .map_err(|error| format!("{}: the cell {}: {error}", part.path.display(), cell.key()))?;
        total.merge(&restored.total);
        ended = saved.stopped.map(|stopped| (saved.stages_done, stopped));
    }
    let (stages_done, stopped) = ended.ok_or_else(|| format!("no shard has the cell {}", cell.key()))?;
    Ok(CellState::done(&total, stages_done, stopped))
}
