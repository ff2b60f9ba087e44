//! What can go wrong with a results folder.

use crate::runner::Shard;
use crate::runner::state::FORMAT;
use std::io;
use std::path::PathBuf;

/// Why a state was not read from its file.
#[derive(Debug, thiserror::Error)]
pub enum LoadError {
    /// There is no saved state.
    #[error("{0}: there is no saved state")]
    Missing(PathBuf),
    /// The state is incomplete, or has been changed.
    #[error("{path}: the saved state is damaged: {reason}")]
    Damaged {
        /// The file.
        path: PathBuf,
        /// What is wrong with the state.
        reason: String,
    },
    /// Another version of tilelab wrote the state in another form.
    #[error(
        "{path}: the saved state has format {format} of another version of tilelab, where this one reads {FORMAT}"
    )]
    Foreign {
        /// The file.
        path: PathBuf,
        /// The form of the state.
        format: u32,
    },
    /// The state could not be read.
    #[error("{path}: cannot be read: {error}")]
    Unreadable {
        /// The file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

/// Why results were not made.
#[derive(Debug, thiserror::Error)]
pub enum Error {
    /// The folder cannot be created, or files in it cannot be created or removed.
    #[error("{path}: cannot be written: {error}")]
    Unwritable {
        /// The folder or file.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file or folder inside a results folder is a symbolic link or a device, or one where the
    /// other should be.
    #[error("{0}: is not a regular file; remove it")]
    Strange(PathBuf),
    /// Another process holds the folder.
    #[error("{0}: another run is writing here")]
    Busy(PathBuf),
    /// The saved state cannot be read.
    #[error(transparent)]
    Load(#[from] LoadError),
    /// Neither the saved state nor the one before it can be read.
    #[error("{last}; and {previous}")]
    LoadBoth {
        /// What is wrong with the last state.
        last: LoadError,
        /// What is wrong with the state before the last one.
        previous: LoadError,
    },
    /// The saved state is that of another run.
    #[error("{path}: saved by another run ({difference})")]
    OtherRun {
        /// The state.
        path: PathBuf,
        /// What differs.
        difference: String,
    },
    /// The saved state is that of another shard.
    #[error(
        "{path}: saved by the shard {}/{}, but this run is {}/{}",
        saved.index, saved.count, here.index, here.count
    )]
    OtherShard {
        /// The state.
        path: PathBuf,
        /// The shard that saved the state.
        saved: Shard,
        /// The shard to be played.
        here: Shard,
    },
    /// The numbers of the saved state cannot be true.
    #[error("{path}: the saved state contradicts itself: {reason}")]
    Contradiction {
        /// The state.
        path: PathBuf,
        /// Which numbers.
        reason: String,
    },
    /// Games of earlier results would be lost.
    #[error("{path}: {reason}")]
    Lost {
        /// The state or the table that holds them.
        path: PathBuf,
        /// Which cells and how many games.
        reason: String,
    },
    /// Shards cannot be merged.
    #[error("{0}")]
    Shards(String),
    /// A CSV file that tables are made from is missing or wrong.
    #[error("{0}")]
    Csv(String),
    /// The system refuses the threads.
    #[error("{threads} threads could not be started: {error}")]
    Threads {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        error: io::Error,
    },
    /// The state cannot be saved.
    #[error("{folder}: the state cannot be saved: {error}; what was saved before is kept")]
    Save {
        /// The results folder.
        folder: PathBuf,
        /// Why.
        error: io::Error,
    },
    /// A file that is made from the state cannot be written.
    #[error("{path}: cannot be written: {error}")]
    Write {
        /// The file, or the folder.
        path: PathBuf,
        /// Why.
        error: io::Error,
    },
}

impl Error {
    /// Whether the caller's input is wrong, rather than something failing on the way. Nothing has
    /// been played then.
    pub const fn is_wrong_input(&self) -> bool {
        !matches!(
            self,
            Self::Threads { .. } | Self::Save { .. } | Self::Write { .. }
        )
    }
}
