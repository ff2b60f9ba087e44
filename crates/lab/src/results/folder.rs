//! The paths of a results folder, and its lock.

use super::Error;
use crate::plan::Plan;
use crate::runner::Shard;
use std::io;
use std::path::{Path, PathBuf};
use std::time::Duration;
use tilelab_output::atomic;
use tilelab_output::files::{self, DirEntry, File, Kind, TryLockError};

/// How often to try for a lock, every 10 ms: a killed run holds it until the system has removed the
/// process. Simulated ones are gone at once.
const LOCK_TRIES: usize = if cfg!(test) { 1 } else { 100 };

fn lock_soon(lock: &File) -> Result<(), TryLockError> {
    let mut left = LOCK_TRIES;
    loop {
        left -= 1;
        match lock.try_lock() {
            Err(TryLockError::WouldBlock) if left > 0 => {
                std::thread::sleep(Duration::from_millis(10));
            }
            locked => return locked,
        }
    }
}

/// A results folder.
#[derive(Clone, Debug)]
pub struct Folder(pub PathBuf);

impl Folder {
    /// The folder of a plan's results below `out`; that of a shard lies inside it.
    pub fn of(plan: &Plan, shard: Shard, out: &Path) -> Self {
        let whole = out.join(&plan.name);
        if shard == Shard::WHOLE {
            return Self(whole);
        }
        Self(whole.join(format!("shard-{}-of-{}", shard.index, shard.count)))
    }

    /// Whether the folder has the name of a shard's folder, which lies in a results folder.
    fn is_of_shard(&self) -> bool {
        let name = self.0.file_name().unwrap_or_default();
        name.as_encoded_bytes().starts_with(b"shard-")
    }

    /// The state that a run continues from.
    pub fn state(&self) -> PathBuf {
        self.0.join(".state")
    }

    /// The state saved before that one.
    pub fn state_before(&self) -> PathBuf {
        self.0.join(".state.previous")
    }

    /// How long the moves of each cell took.
    pub fn times(&self) -> PathBuf {
        self.0.join("times.csv")
    }

    /// How far a run is that plays now.
    pub fn live(&self) -> PathBuf {
        self.0.join(".live")
    }

    /// Held while a run writes into the folder.
    pub fn lock(&self) -> PathBuf {
        self.0.join(".lock")
    }

    /// Replaces a text file of the folder.
    pub(super) fn put(&self, file: &str, text: &str) -> Result<(), Error> {
        let path = self.0.join(file);
        atomic::write(&path, text.as_bytes()).map_err(|error| Error::Write { path, error })
    }

    /// Creates the folder and locks it until the returned file is dropped; removes the temporary
    /// files of a killed run.
    ///
    /// # Errors
    /// When the folder cannot be written, another process holds it, its lock is not a file, or it
    /// is a link in a results folder to another place.
    pub fn hold(&self) -> Result<File, Error> {
        let is_link = files::symlink_metadata(&self.0).is_ok_and(|found| found.kind == Kind::Other);
        if is_link && self.is_of_shard() {
            return Err(Error::Strange(self.0.clone()));
        }
        let unwritable = |error| Error::Unwritable {
            path: self.0.clone(),
            error,
        };
        if !files::exists(self.lock()).map_err(unwritable)? {
            files::create_dir_all(&self.0).map_err(unwritable)?;
            atomic::sync_names(&self.0);
        }
        let lock = self.open_lock()?;
        // A lock that was there already says nothing about whether files can be written now.
        files::check_folder(&self.0).map_err(unwritable)?;
        lock_soon(&lock).map_err(|error| match error {
            TryLockError::WouldBlock => Error::Busy(self.0.clone()),
            TryLockError::Error(error) => unwritable(error),
        })?;
        for DirEntry { path, kind } in files::read_dir(&self.0).map_err(unwritable)? {
            let name = path.file_name().unwrap_or_default().to_string_lossy();
            let is_file = kind != Kind::Folder;
            if is_file && name.starts_with(".tilelab-") && name.ends_with(".tmp") {
                files::remove_file(path).map_err(unwritable)?;
            }
        }
        Ok(lock)
    }

    /// Opens the lock, which is created where it is missing.
    ///
    /// Nothing is ever written through this name. In a shared folder somebody else may have made it
    /// a symbolic link to a file of the user's.
    fn open_lock(&self) -> Result<File, Error> {
        let path = self.lock();
        let unwritable = |error| Error::Unwritable {
            path: path.clone(),
            error,
        };
        if let Err(error) = File::create_new(&path) {
            if error.kind() != io::ErrorKind::AlreadyExists {
                return Err(unwritable(error));
            }
            let found = files::symlink_metadata(&path).map_err(unwritable)?;
            if !found.is_file() {
                return Err(Error::Strange(path));
            }
        }
        // Held open for reading only: a file open for writing would keep an administrator from
        // making the disk read-only.
        File::open(&path).map_err(unwritable)
    }
}
