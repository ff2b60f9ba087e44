//! The simulated disks as what `tilelab_output::files` opens below [`ROOT`]: each call is a step,
//! or several, on the disk of the thread's process.

use crate::disk::{self, Entry, Shared, shared, step};
use std::fmt;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, Once};
use tilelab_output::files::{self, DirEntry, Disk, Kind, Metadata, Mode, Opened, TryLockError};

/// Where simulated files lie.
pub const ROOT: &str = "/simulated";

/// The most bytes of one write: long ones take several steps.
const WRITTEN_MAX: usize = 4096;

/// Puts the simulated disks in their place.
pub fn mount() {
    static MOUNTED: Once = Once::new();
    MOUNTED.call_once(|| files::mount(Path::new(ROOT), Arc::new(Mounted)));
}

/// The disk of the thread's process, whichever that is.
struct Mounted;

fn metadata(kind: Kind, len: usize) -> Metadata {
    Metadata {
        kind,
        len: len as u64,
        modified: None,
    }
}

fn metadata_on(disk: &disk::Disk, path: &Path) -> io::Result<Metadata> {
    match disk.entry(path) {
        Some(Entry::Folder) => Ok(metadata(Kind::Folder, 0)),
        _ => {
            let file = disk.file(path)?;
            Ok(metadata(kind(disk, file), disk.content(file).len()))
        }
    }
}

fn kind(disk: &disk::Disk, file: usize) -> Kind {
    if disk.is_strange(file) {
        Kind::Other
    } else {
        Kind::File
    }
}

impl Disk for Mounted {
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn Opened>> {
        let shared = shared();
        step(|disk| {
            let file = match (disk.entry(path), mode) {
                (Some(_), Mode::New) => return Err(io::ErrorKind::AlreadyExists.into()),
                (None, Mode::Read) => return Err(io::ErrorKind::NotFound.into()),
                (None, _) => Some(disk.create(path)?),
                // A folder can be opened for syncing.
                (Some(Entry::Folder), Mode::Read) => None,
                (Some(_), _) => Some(disk.file(path)?),
            };
            let is_strange = file.is_some_and(|file| disk.is_strange(file));
            assert!(
                mode == Mode::Read || !is_strange,
                "{path:?} would be written through"
            );
            if file.is_some_and(|file| disk.is_closed(file)) {
                return Err(io::ErrorKind::PermissionDenied.into());
            }
            if let Some(file) = file.filter(|_| mode == Mode::Truncate) {
                disk.content_mut(file).clear();
            }
            Ok(Box::new(Handle {
                file,
                path: path.to_owned(),
                at: 0,
                appends: mode == Mode::Append,
                number: disk.open(),
                shared,
            }) as Box<dyn Opened>)
        })
    }

    fn metadata(&self, path: &Path, _follows: bool) -> io::Result<Metadata> {
        step(|disk| metadata_on(disk, path))
    }

    fn read_dir(&self, folder: &Path) -> io::Result<Vec<DirEntry>> {
        step(|disk| {
            let entry = |(path, entry)| {
                let kind = match entry {
                    Entry::Folder => Kind::Folder,
                    Entry::File(file) => kind(disk, file),
                };
                DirEntry { path, kind }
            };
            Ok(disk.list(folder).into_iter().map(entry).collect())
        })
    }

    fn create_dir_all(&self, folder: &Path) -> io::Result<()> {
        if files::exists(folder)? {
            return Ok(());
        }
        folder.parent().map_or(Ok(()), files::create_dir_all)?;
        match step(|disk| disk.create_folder(folder)) {
            // Another process was faster.
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
            made => made,
        }
    }

    fn remove_file(&self, path: &Path) -> io::Result<()> {
        step(|disk| disk.remove(path))
    }

    fn remove_dir(&self, _folder: &Path) -> io::Result<()> {
        Err(io::ErrorKind::Unsupported.into())
    }

    fn remove_dir_all(&self, folder: &Path) -> io::Result<()> {
        step(|disk| disk.remove_all(folder))
    }

    fn rename(&self, from: &Path, to: &Path) -> io::Result<()> {
        step(|disk| disk.rename(from, to))
    }

    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()> {
        step(|disk| disk.link(from, to))
    }
}

/// An open file.
struct Handle {
    shared: Arc<Shared>,
    /// `None` for a folder.
    file: Option<usize>,
    path: PathBuf,
    at: usize,
    appends: bool,
    number: u64,
}

impl Handle {
    fn file(&self) -> io::Result<usize> {
        self.file.ok_or_else(|| io::ErrorKind::IsADirectory.into())
    }
}

impl fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.path.fmt(formatter)
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        if let Some(file) = self.file {
            self.shared.disk().unlock(file, self.number);
        }
    }
}

impl Opened for Handle {
    fn metadata(&self) -> io::Result<Metadata> {
        // Not a step: programs know it when the file is open.
        let disk = self.shared.disk();
        Ok(match self.file {
            Some(file) => metadata(kind(&disk, file), disk.content(file).len()),
            None => metadata(Kind::Folder, 0),
        })
    }

    fn sync_all(&self) -> io::Result<()> {
        step(|disk| {
            match self.file {
                Some(file) => disk.sync(file),
                None => disk.sync_folder(&self.path),
            }
            Ok(())
        })
    }

    fn try_lock(&self, alone: bool) -> Result<(), TryLockError> {
        let file = self.file().map_err(TryLockError::Error)?;
        let taken = step(|disk| Ok(disk.lock(file, self.number, alone)));
        match taken.map_err(TryLockError::Error)? {
            true => Ok(()),
            false => Err(TryLockError::WouldBlock),
        }
    }
}

impl Read for Handle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        let file = self.file()?;
        let at = self.at;
        let read = step(|disk| {
            assert!(
                !disk.is_strange(file),
                "{:?} would be read for ever",
                self.path
            );
            let rest = disk.content(file).get(at..).unwrap_or_default();
            let count = rest.len().min(buffer.len());
            buffer[..count].copy_from_slice(&rest[..count]);
            Ok(count)
        })?;
        self.at += read;
        Ok(read)
    }
}

impl Write for Handle {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let file = self.file()?;
        let bytes = &bytes[..bytes.len().min(WRITTEN_MAX)];
        self.at = step(|disk| {
            let content = disk.content_mut(file);
            let at = if self.appends { content.len() } else { self.at };
            let end = at + bytes.len();
            content.resize(content.len().max(at), 0);
            let old = bytes.len().min(content.len() - at);
            content[at..at + old].copy_from_slice(&bytes[..old]);
            content.extend_from_slice(&bytes[old..]);
            Ok(end)
        })?;
        Ok(bytes.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}

impl Seek for Handle {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        let SeekFrom::Start(at) = to else {
            return Err(io::ErrorKind::Unsupported.into());
        };
        self.at = usize::try_from(at).map_err(io::Error::other)?;
        Ok(at)
    }
}
