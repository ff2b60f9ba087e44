//! A disk that loses power. What was written and not synced is lost or torn then, and of the
//! changes of names in a folder since it was synced, any may be missing.
//!
//! Files lie in a real folder. The disk hears of every step of [`crate::report::atomic`] on its
//! thread, refuses all from some step on, and at the restart makes the folder what it may hold by
//! then. Folders of the records of single games are not part of it: their records have checksums.

use crate::report::atomic::Step;
use crate::rng::{Draw, Stream};
use std::cell::RefCell;
use std::collections::BTreeMap;
use std::io;
use std::path::{Path, PathBuf};

thread_local! {
    static DISK: RefCell<Option<Disk>> = const { RefCell::new(None) };
}

/// The names of files with the number of what they hold.
type Names = BTreeMap<PathBuf, usize>;

/// A change of names that happens as a whole: each with what it means from then on.
type Change = Vec<(PathBuf, Option<usize>)>;

/// How a disk goes down.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The program is killed: all that was written is there.
    Kill,
    /// The power fails.
    Power,
}

/// See the module.
pub struct Disk {
    root: PathBuf,
    /// What files hold, and whether it is synced.
    files: Vec<(Vec<u8>, bool)>,
    /// As programs see them, and as they are on the disk.
    seen: Names,
    synced: Names,
    /// Changes of names that are not synced.
    pending: Vec<Change>,
    steps_left: u64,
}

impl Disk {
    /// Makes the files below a folder the disk's, on this thread; it goes down after so many steps.
    pub fn begin(root: &Path, steps: u64) {
        let mut disk = Self {
            root: root.to_owned(),
            files: Vec::new(),
            seen: Names::new(),
            synced: Names::new(),
            pending: Vec::new(),
            steps_left: steps,
        };
        for path in files(root) {
            disk.seen.insert(path.clone(), disk.files.len());
            disk.files.push((std::fs::read(path).unwrap(), true));
        }
        disk.synced = disk.seen.clone();
        DISK.with_borrow_mut(|current| *current = Some(disk));
    }

    /// The disk of this thread, which hears of no more steps.
    pub fn end() -> Option<Self> {
        DISK.take()
    }

    /// Whether it went down.
    pub const fn is_down(&self) -> bool {
        self.steps_left == 0
    }

    /// Makes the folder what it holds after the loss.
    pub fn restart(mut self, loss: Loss, draw: &mut Stream) {
        let mut below = |limit: usize| Draw::next(draw).below(limit as u64) as usize;
        let names = match loss {
            Loss::Kill => self.seen,
            Loss::Power => {
                for change in self.pending {
                    if below(2) == 0 {
                        apply(&mut self.synced, &change);
                    }
                }
                for (content, is_synced) in &mut self.files {
                    if !*is_synced {
                        content.truncate([0, content.len() / 2, content.len()][below(3)]);
                    }
                }
                self.synced
            }
        };
        // Two names may be one file: none is written in its place.
        for path in files(&self.root) {
            std::fs::remove_file(path).unwrap();
        }
        for (path, file) in names {
            std::fs::write(path, &self.files[file].0).unwrap();
        }
    }

    fn change(&mut self, change: Change) {
        apply(&mut self.seen, &change);
        self.pending.push(change);
    }

    fn take(&mut self, step: Step<'_>) -> io::Result<()> {
        let down = || Err(io::Error::other("the disk is down"));
        if self.is_down() {
            return down();
        }
        if is_of_records(step) {
            return Ok(());
        }
        self.steps_left -= 1;
        if let Step::Sync(path) = step
            && !self.seen.contains_key(path)
        {
            let file = self.files.len();
            self.files.push((std::fs::read(path)?, false));
            self.change(vec![(path.to_owned(), Some(file))]);
        }
        if self.is_down() {
            return down();
        }
        match step {
            Step::Sync(path) => {
                let file = self.seen[path];
                self.files[file].1 = true;
            }
            Step::Link(from, to) => {
                let file = self.seen.get(from).copied();
                self.change(vec![(to.to_owned(), file)]);
            }
            Step::Rename(from, to) => {
                let [file, other] = [from, to].map(|path| self.seen.get(path).copied());
                // POSIX: nothing happens where both are the same file.
                if file != other {
                    self.change(vec![(to.to_owned(), file), (from.to_owned(), None)]);
                }
            }
            Step::Remove(path) => {
                if self.seen.contains_key(path) {
                    self.change(vec![(path.to_owned(), None)]);
                }
            }
            Step::SyncFolder(folder) => {
                let is_here = |change: &Change| change[0].0.parent() == Some(folder);
                for change in self.pending.extract_if(.., |change| is_here(change)) {
                    apply(&mut self.synced, &change);
                }
            }
        }
        Ok(())
    }
}

/// Whether a step is taken among the records of single games.
fn is_of_records(step: Step<'_>) -> bool {
    let path = match step {
        Step::Sync(path)
        | Step::Link(path, _)
        | Step::Rename(path, _)
        | Step::Remove(path)
        | Step::SyncFolder(path) => path,
    };
    path.components().any(|part| part.as_os_str() == ".games")
}

fn apply(names: &mut Names, change: &Change) {
    for (path, file) in change {
        match file {
            Some(file) => names.insert(path.clone(), *file),
            None => names.remove(path),
        };
    }
}

/// The files below a folder, without locks and the records of single games.
pub fn files(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        if path.ends_with(".games") || path.ends_with(".lock") {
            continue;
        }
        if path.is_dir() {
            found.append(&mut files(&path));
        } else {
            found.push(path);
        }
    }
    found.sort();
    found
}

/// Tells the disk of this thread, if there is one, what is done to its files next.
///
/// # Errors
/// When it is down.
pub fn step(step: Step<'_>) -> io::Result<()> {
    DISK.with_borrow_mut(|disk| disk.as_mut().map_or(Ok(()), |disk| disk.take(step)))
}

/// Whether the disk of this thread is down.
pub fn is_down() -> bool {
    DISK.with_borrow(|disk| disk.as_ref().is_some_and(Disk::is_down))
}
