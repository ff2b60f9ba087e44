//! What the disk has to hold: the games of each cell in the last two saved states of each folder,
//! and those of trainings.

use super::learning::Adder;
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use tilelab_lab::runner::state::RunState;
use tilelab_learn::saved::Saved;

/// The folder of trainings.
pub const TRAININGS: &str = ".weights.training";

pub type Games = BTreeMap<String, u64>;

/// The games of each cell in a state.
pub fn games(state: &RunState) -> Games {
    let cells = state.cells.iter().flatten().chain(&state.cells_not_in_plan);
    cells
        .map(|cell| (cell.key.clone(), cell.games_stored()))
        .collect()
}

/// The last two states of a folder.
struct Last<T> {
    last: T,
    /// `None` where it is damaged, or none was saved.
    before: Option<T>,
    /// Whether the file of the last state is damaged: `last` is that of the one before.
    is_damaged: bool,
}

impl<T: Clone> Last<T> {
    fn save(&mut self, saved: T) {
        let before = std::mem::replace(&mut self.last, saved);
        if !std::mem::take(&mut self.is_damaged) {
            self.before = Some(before);
        }
    }

    /// The file of the last state or of the one before is damaged.
    fn damage(&mut self, is_before: bool) {
        let before = self.before.take();
        if !is_before {
            self.last = before.expect("the only good state is not damaged");
            self.is_damaged = true;
        }
    }

    const fn may_be_damaged(&self, is_before: bool) -> bool {
        if is_before {
            !self.is_damaged
        } else {
            self.before.is_some()
        }
    }
}

/// What the disk has to hold.
#[derive(Default)]
pub struct Model {
    folders: BTreeMap<PathBuf, Last<Games>>,
    trainings: BTreeMap<PathBuf, Last<u64>>,
    /// Folders whose states were damaged or started over, and tables that were damaged.
    lost: Vec<PathBuf>,
}

fn save<T: Clone>(known: &mut BTreeMap<PathBuf, Last<T>>, path: &Path, saved: T) {
    match known.get_mut(path) {
        Some(last) => last.save(saved),
        None => {
            let first = Last {
                last: saved,
                before: None,
                is_damaged: false,
            };
            known.insert(path.to_owned(), first);
        }
    }
}

impl Model {
    /// A state was saved in a folder.
    pub fn save(&mut self, folder: &Path, state: &RunState) {
        save(&mut self.folders, folder, games(state));
    }

    /// A number of games was saved in the state of a training.
    pub fn train(&mut self, file: &Path, games: u64) {
        save(&mut self.trainings, file, games);
    }

    /// The states of a folder are started over.
    pub fn forget(&mut self, folder: &Path) {
        self.folders.remove(folder);
        self.lost.push(folder.to_owned());
    }

    /// Whether a table may have games that nothing else has: those of a state that has gone, or
    /// nothing shows that its numbers are damaged.
    pub fn is_lost(&self, table: &Path) -> bool {
        let folder = table.parent().unwrap_or(table);
        let bins = table.with_file_name("distributions.csv");
        self.was_damaged(folder) || self.was_damaged(table) && self.was_damaged(&bins)
    }

    /// Whether this file was damaged, or the state of this folder.
    pub fn was_damaged(&self, path: &Path) -> bool {
        self.lost.iter().any(|lost| lost == path)
    }

    /// Whether damage of a file may be survived.
    pub fn may_be_damaged(&self, path: &Path) -> bool {
        let is_before = path.extension().is_some_and(|ending| ending == "previous");
        let training = path.with_extension("state");
        let folder = path.parent().unwrap_or(path);
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(".state") {
            let last = self.folders.get(folder);
            return last.is_some_and(|last| last.may_be_damaged(is_before));
        }
        if !folder.ends_with(TRAININGS) || name == ".lock" {
            return true;
        }
        let last = self.trainings.get(&training);
        last.is_some_and(|last| last.may_be_damaged(is_before))
    }

    /// A file is damaged.
    pub fn damaged(&mut self, path: &Path) {
        let is_before = path.extension().is_some_and(|ending| ending == "previous");
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        if name.starts_with(".state") {
            let folder = path.parent().unwrap_or(path);
            if let Some(last) = self.folders.get_mut(folder) {
                last.damage(is_before);
            }
            if !is_before {
                self.lost.push(folder.to_owned());
            }
        } else if let Some(last) = self.trainings.get_mut(&path.with_extension("state")) {
            last.damage(is_before);
        } else {
            self.lost.push(path.to_owned());
        }
    }

    /// The least games that the state of each folder has.
    pub fn folders(&self) -> impl Iterator<Item = (&PathBuf, &Games)> {
        self.folders.iter().map(|(path, last)| (path, &last.last))
    }

    /// Each training can be continued, with no game fewer.
    pub fn check_trainings(&self) {
        for (path, last) in &self.trainings {
            let (saved, learner) = load(path).expect("the training can be read");
            let saved = saved.expect("the training is there");
            assert!(saved.games >= last.last, "{path:?} has lost games");
            let sums = (0..saved.games).scan(0, |sum, game| {
                *sum += game;
                Some(*sum)
            });
            assert!(sums.eq(learner.learned), "{path:?} has learned other games");
        }
    }
}

/// A training as it was saved.
pub fn load(path: &Path) -> Result<(Option<Saved>, Adder), tilelab_learn::Error> {
    let mut learner = Adder::default();
    let saved = Saved::load(path)?;
    if let Some(saved) = &saved {
        saved.restore(path, &mut learner)?;
    }
    Ok((saved, learner))
}
