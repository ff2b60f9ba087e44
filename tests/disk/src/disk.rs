//! A disk in memory that processes take turns to use, and that loses power.
//!
//! What was written and not synced is lost, torn or out of order then, sector by sector, and of the
//! changes of names in a folder since it was synced, any may be missing. A process can be killed
//! before any of its steps: what it has done stays.

use std::cell::RefCell;
use std::collections::BTreeMap;
use std::ffi::{OsStr, OsString};
use std::io;
use std::ops::Bound;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use tilelab_games::rng::{Draw, Stream};

/// What a power loss leaves or takes as a whole, in bytes.
const SECTOR: usize = 512;
/// A turn has as many steps as a power of two that is drawn from `TURNS`, or fewer: some processes
/// wait while the other one does all that it has to.
const TURNS: usize = 9;

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Entry {
    Folder,
    /// The file with this number.
    File(usize),
}

/// Names in the order of their bytes: to compare paths by their components takes several times as
/// long.
type Names = BTreeMap<OsString, Entry>;

/// A change of names that happens as a whole: each with what it means from then on.
type Change = Vec<(PathBuf, Option<Entry>)>;

#[derive(Default)]
struct Content {
    seen: Arc<Vec<u8>>,
    synced: Arc<Vec<u8>>,
    /// Who holds the lock of the file, and whether alone.
    locks: Vec<(u64, bool)>,
    /// Whether a stranger's pipe, device or link to somebody's file lies there in place of a file;
    /// nobody may read or write through it.
    is_strange: bool,
    /// Whether the file belongs to another user, who lets nobody open it. The name may be given to
    /// another file, since the folder is ours.
    is_closed: bool,
}

/// How a process ends before its time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Loss {
    /// The process is killed.
    Kill,
    /// The power fails, for all.
    Power,
}

/// A disk in memory that processes take turns to use, and that loses power.
pub struct Disk {
    files: Vec<Content>,
    /// The names as programs see them, and as they are on the disk.
    seen: Names,
    synced: Names,
    /// Changes of names that are not synced.
    pending: Vec<Change>,
    opened: u64,
    draw: Stream,
    /// Whether the power has failed.
    is_down: bool,
    /// Whose turn it is, and who is there.
    turn: usize,
    /// Steps that are left of the turn.
    turn_left: usize,
    present: [bool; 2],
}

impl Disk {
    /// A disk with one folder, and those above it.
    pub fn new(root: &Path, draw: Stream) -> Self {
        let names: Names = root
            .ancestors()
            .map(|folder| (folder.into(), Entry::Folder))
            .collect();
        Self {
            files: Vec::new(),
            seen: names.clone(),
            synced: names,
            pending: Vec::new(),
            opened: 0,
            draw,
            is_down: false,
            turn: 0,
            turn_left: 0,
            present: [false; 2],
        }
    }

    fn below(&mut self, limit: usize) -> usize {
        Draw::next(&mut self.draw).below(limit as u64) as usize
    }

    /// Goes on with what a power loss has left, where there was one.
    pub fn restart(&mut self) {
        if !std::mem::take(&mut self.is_down) {
            return;
        }
        for change in std::mem::take(&mut self.pending) {
            if self.below(2) == 0 {
                apply(&mut self.synced, &change);
            }
        }
        let names = self.synced.clone();
        let is_reached = |name: &OsString| {
            let mut folders = Path::new(name).ancestors();
            folders.all(|folder| names.contains_key(folder.as_os_str()))
        };
        self.synced.retain(|path, _| is_reached(path));
        self.seen = self.synced.clone();
        for file in 0..self.files.len() {
            let Content { seen, synced, .. } = &self.files[file];
            if !Arc::ptr_eq(seen, synced) {
                let left = torn(&synced.clone(), &seen.clone(), &mut self.draw);
                self.files[file] = Content {
                    seen: Arc::clone(&left),
                    synced: left,
                    ..Content::default()
                };
            }
        }
    }

    /// Puts something else than a file in the place of a file that has no other name.
    pub fn make_strange(&mut self, file: usize) {
        self.files[file].is_strange = true;
    }

    /// Whether that was done.
    pub fn is_strange(&self, file: usize) -> bool {
        self.files[file].is_strange
    }

    /// Gives a file that has no other name to another user.
    pub fn close(&mut self, file: usize) {
        self.files[file].is_closed = true;
    }

    /// Whether that was done.
    pub fn is_closed(&self, file: usize) -> bool {
        self.files[file].is_closed
    }

    pub fn entry(&self, path: &Path) -> Option<Entry> {
        self.seen.get(path.as_os_str()).copied()
    }

    pub fn file(&self, path: &Path) -> io::Result<usize> {
        match self.entry(path) {
            Some(Entry::File(file)) => Ok(file),
            Some(Entry::Folder) => Err(io::ErrorKind::IsADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn content(&self, file: usize) -> &Arc<Vec<u8>> {
        &self.files[file].seen
    }

    pub fn content_mut(&mut self, file: usize) -> &mut Vec<u8> {
        Arc::make_mut(&mut self.files[file].seen)
    }

    /// A folder and all that is in it, at any depth.
    fn from<'a>(&'a self, folder: &'a Path) -> impl Iterator<Item = (&'a Path, Entry)> {
        let first = folder.as_os_str();
        let is_alike = move |name: &OsStr| {
            let start = first.as_encoded_bytes();
            name.as_encoded_bytes().starts_with(start)
        };
        let from = (Bound::Included(first), Bound::Unbounded);
        let alike = self.seen.range::<OsStr, _>(from);
        let alike = alike.take_while(move |(name, _)| is_alike(name));
        alike
            .map(|(name, entry)| (Path::new(name), *entry))
            .filter(move |(path, _)| path.starts_with(folder))
    }

    /// The files and folders directly in a folder.
    pub fn list(&self, folder: &Path) -> Vec<(PathBuf, Entry)> {
        let all = self.from(folder);
        let here = all.filter(|(path, _)| path.parent() == Some(folder));
        here.map(|(path, entry)| (path.to_owned(), entry)).collect()
    }

    /// All files.
    pub fn paths(&self) -> Vec<PathBuf> {
        let is_file = |entry: &Entry| matches!(entry, Entry::File(_));
        let files = self.seen.iter().filter(|(_, entry)| is_file(entry));
        files.map(|(name, _)| name.into()).collect()
    }

    fn change(&mut self, change: Change) {
        apply(&mut self.seen, &change);
        self.pending.push(change);
    }

    pub fn create(&mut self, path: &Path) -> io::Result<usize> {
        if self.entry(path).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.folder_of(path)?;
        self.files.push(Content::default());
        let file = self.files.len() - 1;
        self.change(vec![(path.to_owned(), Some(Entry::File(file)))]);
        Ok(file)
    }

    fn folder_of(&self, path: &Path) -> io::Result<()> {
        match path.parent().and_then(|folder| self.entry(folder)) {
            Some(Entry::Folder) => Ok(()),
            Some(Entry::File(_)) => Err(io::ErrorKind::NotADirectory.into()),
            None => Err(io::ErrorKind::NotFound.into()),
        }
    }

    pub fn create_folder(&mut self, path: &Path) -> io::Result<()> {
        self.folder_of(path)?;
        if self.entry(path).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.change(vec![(path.to_owned(), Some(Entry::Folder))]);
        Ok(())
    }

    pub fn link(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = self.file(from)?;
        if self.entry(to).is_some() {
            return Err(io::ErrorKind::AlreadyExists.into());
        }
        self.change(vec![(to.to_owned(), Some(Entry::File(file)))]);
        Ok(())
    }

    pub fn rename(&mut self, from: &Path, to: &Path) -> io::Result<()> {
        let file = Some(Entry::File(self.file(from)?));
        match self.entry(to) {
            Some(Entry::Folder) => return Err(io::ErrorKind::IsADirectory.into()),
            // POSIX: nothing happens where both are the same file.
            known if known == file => {}
            _ => self.change(vec![(to.to_owned(), file), (from.to_owned(), None)]),
        }
        Ok(())
    }

    pub fn remove(&mut self, path: &Path) -> io::Result<()> {
        self.file(path)?;
        self.change(vec![(path.to_owned(), None)]);
        Ok(())
    }

    /// Removes a folder and all that is in it, one after the other.
    pub fn remove_all(&mut self, path: &Path) -> io::Result<()> {
        if self.entry(path).is_none() {
            return Err(io::ErrorKind::NotFound.into());
        }
        let all: Vec<PathBuf> = self.from(path).map(|(path, _)| path.to_owned()).collect();
        for path in all.into_iter().rev() {
            self.change(vec![(path, None)]);
        }
        Ok(())
    }

    pub fn sync(&mut self, file: usize) {
        let content = &mut self.files[file];
        content.synced = Arc::clone(&content.seen);
    }

    /// Writes the names in a folder to the disk.
    pub fn sync_folder(&mut self, folder: &Path) {
        let is_here = |change: &mut Change| change[0].0.parent() == Some(folder);
        for change in self.pending.extract_if(.., is_here) {
            apply(&mut self.synced, &change);
        }
    }

    /// A number for someone who has opened a file.
    pub fn open(&mut self) -> u64 {
        self.opened += 1;
        self.opened
    }

    /// Takes a file's lock, if it is free.
    pub fn lock(&mut self, file: usize, who: u64, alone: bool) -> bool {
        let locks = &mut self.files[file].locks;
        let is_free = locks.iter().all(|(_, other)| !alone && !other);
        if is_free {
            locks.push((who, alone));
        }
        is_free
    }

    pub fn unlock(&mut self, file: usize, who: u64) {
        self.files[file].locks.retain(|(other, _)| *other != who);
    }
}

fn apply(names: &mut Names, change: &Change) {
    for (path, entry) in change {
        match entry {
            Some(entry) => names.insert(path.into(), *entry),
            None => names.remove(path.as_os_str()),
        };
    }
}

/// What is left of a file of which only the old content was synced.
fn torn(old: &[u8], new: &[u8], draw: &mut Stream) -> Arc<Vec<u8>> {
    let mut below = |limit: usize| Draw::next(draw).below(limit as u64) as usize;
    let short = old.len().min(new.len());
    let long = old.len().max(new.len());
    let length = [old.len(), new.len(), short + below(long - short + 1)][below(3)];
    let mut left = new.to_vec();
    left.resize(length, 0);
    let all_or_none = below(3);
    for (number, sector) in left.chunks_mut(SECTOR).enumerate() {
        let is_written = match all_or_none {
            0 => true,
            1 => false,
            _ => below(2) == 0,
        };
        if !is_written {
            let before = old.get(number * SECTOR..).unwrap_or_default();
            for (at, byte) in sector.iter_mut().enumerate() {
                *byte = before.get(at).copied().unwrap_or_default();
            }
        }
    }
    Arc::new(left)
}

/// A disk and who waits for it.
pub struct Shared {
    disk: Mutex<Disk>,
    passed: Condvar,
}

impl Shared {
    pub fn new(disk: Disk) -> Arc<Self> {
        Arc::new(Self {
            disk: Mutex::new(disk),
            passed: Condvar::new(),
        })
    }

    /// The disk, not as a step of any process.
    pub fn disk(&self) -> MutexGuard<'_, Disk> {
        self.disk.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until it is the turn of a process.
    fn turn_of<'a>(&self, number: usize, mut disk: MutexGuard<'a, Disk>) -> MutexGuard<'a, Disk> {
        while disk.turn != number && disk.present[1 - number] {
            let passed = self.passed.wait(disk);
            disk = passed.unwrap_or_else(PoisonError::into_inner);
        }
        disk
    }
}

thread_local! {
    static PROCESS: RefCell<Option<Process>> = const { RefCell::new(None) };
}

/// Who uses the disk from a thread.
#[derive(Clone)]
pub struct Process {
    shared: Arc<Shared>,
    number: usize,
    /// Steps until the process is killed or the power fails.
    steps_left: u64,
    loss: Loss,
}

impl Process {
    /// Number 0 or 1, which ends so after `steps` steps.
    pub fn new(shared: &Arc<Shared>, number: usize, steps: u64, loss: Loss) -> Self {
        shared.disk().present[number] = true;
        Self {
            shared: Arc::clone(shared),
            number,
            steps_left: steps,
            loss,
        }
    }

    /// Does this when it is its turn; returns how, and whether the process got to its end. Whoever
    /// has the turn keeps it from one step to the next.
    pub fn run<T>(self, operation: impl FnOnce() -> T) -> (T, bool) {
        struct Leave(Arc<Shared>, usize);
        impl Drop for Leave {
            fn drop(&mut self) {
                PROCESS.take();
                let mut disk = self.0.disk();
                disk.present[self.1] = false;
                disk.turn = 1 - self.1;
                self.0.passed.notify_all();
            }
        }
        let shared = Arc::clone(&self.shared);
        let number = self.number;
        PROCESS.set(Some(self));
        let _leave = Leave(Arc::clone(&shared), number);
        drop(shared.turn_of(number, shared.disk()));
        let result = operation();
        let is_alive = !is_down();
        (result, is_alive)
    }
}

/// Whether the process of this thread has come to its end.
pub fn is_down() -> bool {
    step(|_| Ok(())).is_err()
}

/// The disk of this thread's process.
pub fn shared() -> Arc<Shared> {
    PROCESS
        .with_borrow(|process| Arc::clone(&process.as_ref().expect("a simulated process").shared))
}

/// Takes a step on the disk of this thread.
///
/// # Errors
/// Those of the step, or that the process is at its end.
pub fn step<T>(take: impl FnOnce(&mut Disk) -> io::Result<T>) -> io::Result<T> {
    let down = || io::Error::other("the process has ended");
    PROCESS.with_borrow_mut(|process| {
        let process = process.as_mut().expect("a simulated process");
        let mut disk = process.shared.disk();
        if process.steps_left > 0 && disk.present == [true; 2] {
            if disk.turn_left == 0 {
                let most = 1 << disk.below(TURNS);
                disk.turn_left = 1 + disk.below(most);
                disk.turn = 1 - process.number;
                process.shared.passed.notify_all();
            }
            disk = process.shared.turn_of(process.number, disk);
            disk.turn_left = disk.turn_left.saturating_sub(1);
        }
        if process.steps_left == 0 || disk.is_down {
            return Err(down());
        }
        process.steps_left -= 1;
        if process.steps_left == 0 {
            disk.is_down |= process.loss == Loss::Power;
            return Err(down());
        }
        take(&mut disk)
    })
}
