//! Saved states on the disk.
//!
//! A state is written beside its place and then moved there, and the one that was there before is
//! kept. So at every instant at least one whole state lies on the disk.

pub use super::error::LoadError;

use super::{Error, Folder};
use crate::plan::Plan;
use crate::runner::Shard;
use crate::runner::state::{Header, ParseError, RunState};
use std::io::{self, Read, Seek, SeekFrom};
use std::path::{Path, PathBuf};
use tilelab_output::atomic;
use tilelab_output::files::File;

/// The most bytes of a state that are read. The largest plans need a hundredth of it.
pub const STATE_BYTES_MAX: u64 = 1 << 34;

/// What the last line of a state begins with, and how many bytes of the end surely have it.
const CHECKSUM: &[u8] = b"{\"crc32\":";
const TAIL_BYTES: u64 = 64;

/// Reads a state from a file.
///
/// # Errors
/// Says whether the file is missing, unreadable, of another format, or damaged, and how.
pub fn load(path: &Path) -> Result<RunState, LoadError> {
    let unreadable = |error: io::Error| match error.kind() {
        io::ErrorKind::NotFound => LoadError::Missing(path.to_owned()),
        _ => LoadError::Unreadable {
            path: path.to_owned(),
            error,
        },
    };
    let damaged = |reason| LoadError::Damaged {
        path: path.to_owned(),
        reason,
    };
    let unfit = || {
        damaged(format!(
            "it is not a file of at most {STATE_BYTES_MAX} bytes"
        ))
    };
    let mut file = match File::open(path) {
        // A device or a pipe could be read for ever.
        Err(error) if error.kind() == io::ErrorKind::InvalidInput => return Err(unfit()),
        opened => opened.map_err(unreadable)?,
    };
    let found = file.metadata().map_err(unreadable)?;
    let len = found.len;
    if !found.is_file() || len > STATE_BYTES_MAX {
        return Err(unfit());
    }
    // The end first: a long file that is no state takes no memory.
    let mut tail = Vec::new();
    let begin = len.saturating_sub(TAIL_BYTES);
    file.seek(SeekFrom::Start(begin))
        .and_then(|_| file.by_ref().take(TAIL_BYTES).read_to_end(&mut tail))
        .map_err(unreadable)?;
    if !tail.windows(CHECKSUM.len()).any(|bytes| bytes == CHECKSUM) {
        return Err(damaged("its end is missing".to_owned()));
    }
    let mut bytes = Vec::new();
    file.rewind()
        .and_then(|()| file.take(len).read_to_end(&mut bytes))
        .map_err(unreadable)?;
    RunState::of_bytes(&bytes).map_err(|error| match error {
        ParseError::Damaged(reason) => damaged(reason),
        ParseError::Foreign(format) => LoadError::Foreign {
            path: path.to_owned(),
            format,
        },
    })
}

/// Writes a state to `path`; the state that was there becomes `path` with the extension `previous`.
///
/// # Errors
/// When the file cannot be written; what was there stays.
pub fn save(state: &RunState, path: &Path) -> io::Result<()> {
    let bytes = state.to_bytes()?;
    let keep = || atomic::keep(path, &path.with_extension("previous"));
    atomic::write_with(path, |file| file.write_all(&bytes), keep)
}

/// A saved state that can be used.
#[derive(Debug)]
pub struct Found {
    /// The state.
    pub state: RunState,
    /// The file of the state.
    pub file: PathBuf,
    /// Why the state is the one before the last.
    pub damage: Option<LoadError>,
}

/// The last state of a folder that can be read; `None` where nothing was saved.
///
/// # Errors
/// When a state is there, but neither it nor the one before it can be read.
pub fn load_last_good(folder: &Folder) -> Result<Option<Found>, Error> {
    match load_either(folder) {
        // Readers take no lock: a run may have put the state before in the place of a damaged one
        // between the two looks.
        Err(Error::LoadBoth {
            previous: LoadError::Missing(_),
            ..
        }) => load_either(folder),
        found => found,
    }
}

fn load_either(folder: &Folder) -> Result<Option<Found>, Error> {
    let found = |state, file, damage| {
        Ok(Some(Found {
            state,
            file,
            damage,
        }))
    };
    let last = match load(&folder.state()) {
        Ok(state) => return found(state, folder.state(), None),
        Err(error @ (LoadError::Missing(_) | LoadError::Damaged { .. })) => error,
        Err(error) => return Err(error.into()),
    };
    match (load(&folder.state_before()), last) {
        (Ok(state), last) => found(state, folder.state_before(), Some(last)),
        (Err(LoadError::Missing(_)), LoadError::Missing(_)) => Ok(None),
        (Err(previous), last) => Err(Error::LoadBoth { last, previous }),
    }
}

/// The state of a folder from which this part of the plan can continue, whatever plan it was saved
/// under; `None` where nothing was saved. The folder must be locked: the state before takes the
/// place of a damaged one, which the next save would put over it.
///
/// # Errors
/// When the state cannot be read, or is that of another seed, results version or shard.
pub fn load_for(folder: &Folder, plan: &Plan, shard: Shard) -> Result<Option<Found>, Error> {
    let Some(found) = load_last_good(folder)? else {
        return Ok(None);
    };
    let header = Header::new(plan, shard);
    if let Some(difference) = found.state.header.contradiction(&header) {
        return Err(Error::OtherRun {
            path: folder.state(),
            difference,
        });
    }
    let saved = found.state.header.shard();
    if saved != shard {
        return Err(Error::OtherShard {
            path: folder.state(),
            saved,
            here: shard,
        });
    }
    mend(folder, &found)?;
    Ok(Some(found))
}

/// Removes the saved states, so that a run that starts over and is killed before its first save
/// does not continue the run that it was to replace. The last one that can be read goes last: who
/// reads in between, or after a power loss, meets it or none.
///
/// # Errors
/// When a state cannot be removed.
pub fn forget(folder: &Folder) -> Result<(), Error> {
    if let Ok(Some(found)) = load_last_good(folder) {
        mend(folder, &found)?;
    }
    for path in [folder.state_before(), folder.state()] {
        atomic::remove(&path)
            .and_then(|()| atomic::sync_folder(&folder.0))
            .map_err(|error| Error::Unwritable { path, error })?;
    }
    Ok(())
}

/// Puts the state before the last one in the place of a damaged one. Synced, so that no power loss
/// keeps what comes after, such as the removal of the state before, and not this.
fn mend(folder: &Folder, found: &Found) -> Result<(), Error> {
    if found.damage.is_none() {
        return Ok(());
    }
    let path = folder.state();
    atomic::keep(&found.file, &path)
        .and_then(|()| atomic::sync_folder(&folder.0))
        .map_err(|error| Error::Unwritable { path, error })
}
