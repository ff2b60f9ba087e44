//! The functions of `std::fs` that results folders need. Below [`ROOT`] they are steps on the disk
//! of the thread's process ([`super::simulation::disk`]).

use crate::disk::{Disk, Entry, Shared, shared, step};
use std::fs;
pub use std::fs::TryLockError;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tilelab_core::text;

/// Where simulated files lie.
pub const ROOT: &str = "/simulated";

/// The most bytes of one write.
const WRITTEN_MAX: usize = 4096;

fn is_simulated(path: &Path) -> bool {
    path.starts_with(ROOT) || path == Path::new("/")
}

/// A file, real or simulated.
#[derive(Debug)]
pub enum File {
    Real(fs::File),
    Simulated(Handle),
}

/// An open simulated file.
pub struct Handle {
    shared: Arc<Shared>,
    /// `None` for a folder.
    file: Option<usize>,
    path: PathBuf,
    at: usize,
    appends: bool,
    number: u64,
}

impl std::fmt::Debug for Handle {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
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

/// Of a file or folder.
pub struct Metadata {
    entry: Kind,
    len: u64,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Kind {
    File,
    Folder,
    Other,
}

impl Kind {
    fn of(kind: fs::FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }
}

impl Metadata {
    fn of(found: &fs::Metadata) -> Self {
        Self {
            entry: Kind::of(found.file_type()),
            len: found.len(),
        }
    }

    pub fn is_file(&self) -> bool {
        self.entry == Kind::File
    }

    pub fn is_dir(&self) -> bool {
        self.entry == Kind::Folder
    }

    pub const fn len(&self) -> u64 {
        self.len
    }
}

fn metadata_on(disk: &Disk, path: &Path) -> io::Result<Metadata> {
    match disk.entry(path) {
        Some(Entry::Folder) => Ok(Metadata {
            entry: Kind::Folder,
            len: 0,
        }),
        _ => Ok(Metadata {
            entry: Kind::File,
            len: disk.content(disk.file(path)?).len() as u64,
        }),
    }
}

pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref();
    if is_simulated(path) {
        return step(|disk| metadata_on(disk, path));
    }
    fs::metadata(path).map(|found| Metadata::of(&found))
}

pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let path = path.as_ref();
    if is_simulated(path) {
        return metadata(path);
    }
    fs::symlink_metadata(path).map(|found| Metadata::of(&found))
}

pub fn exists(path: impl AsRef<Path>) -> io::Result<bool> {
    match metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|_| true),
    }
}

pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    if is_simulated(path) {
        return Ok(path.to_owned());
    }
    path.canonicalize()
}

/// A name in a folder.
pub struct DirEntry {
    path: PathBuf,
    kind: Kind,
}

impl DirEntry {
    pub fn path(&self) -> PathBuf {
        self.path.clone()
    }

    pub fn file_name(&self) -> std::ffi::OsString {
        self.path.file_name().unwrap_or_default().to_owned()
    }

    #[expect(clippy::unnecessary_wraps, reason = "as in std::fs")]
    pub const fn file_type(&self) -> io::Result<FileType> {
        Ok(FileType(self.kind))
    }
}

/// The kind of a name in a folder.
pub struct FileType(Kind);

impl FileType {
    pub fn is_file(&self) -> bool {
        self.0 == Kind::File
    }

    pub fn is_dir(&self) -> bool {
        self.0 == Kind::Folder
    }
}

pub fn read_dir(path: impl AsRef<Path>) -> io::Result<std::vec::IntoIter<io::Result<DirEntry>>> {
    let path = path.as_ref();
    let entries: Vec<_> = if is_simulated(path) {
        let found = step(|disk| Ok(disk.list(path)))?;
        let entry = |(path, entry)| {
            let kind = match entry {
                Entry::Folder => Kind::Folder,
                Entry::File(_) => Kind::File,
            };
            Ok(DirEntry { path, kind })
        };
        found.into_iter().map(entry).collect()
    } else {
        let entry = |found: io::Result<fs::DirEntry>| {
            let found = found?;
            Ok(DirEntry {
                kind: Kind::of(found.file_type()?),
                path: found.path(),
            })
        };
        fs::read_dir(path)?.map(entry).collect()
    };
    Ok(entries.into_iter())
}

pub fn create_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref();
    if !is_simulated(path) {
        return fs::create_dir_all(path);
    }
    if exists(path)? {
        return Ok(());
    }
    path.parent().map_or(Ok(()), create_dir_all)?;
    match step(|disk| disk.create_folder(path)) {
        // Another process was faster.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(()),
        made => made,
    }
}

pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref();
    if is_simulated(path) {
        return step(|disk| disk.remove(path));
    }
    fs::remove_file(path)
}

pub fn remove_dir(path: impl AsRef<Path>) -> io::Result<()> {
    fs::remove_dir(path)
}

pub fn remove_dir_all(path: impl AsRef<Path>) -> io::Result<()> {
    let path = path.as_ref();
    if is_simulated(path) {
        return step(|disk| disk.remove_all(path));
    }
    fs::remove_dir_all(path)
}

pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let from = from.as_ref();
    let to = to.as_ref();
    if is_simulated(from) {
        return step(|disk| disk.rename(from, to));
    }
    fs::rename(from, to)
}

pub fn hard_link(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let from = from.as_ref();
    let to = to.as_ref();
    if is_simulated(from) {
        return step(|disk| disk.link(from, to));
    }
    fs::hard_link(from, to)
}

pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    fs::copy(from, to)
}

pub fn read(path: impl AsRef<Path>) -> io::Result<Vec<u8>> {
    let path = path.as_ref();
    if is_simulated(path) {
        return step(|disk| Ok(disk.content(disk.file(path)?).to_vec()));
    }
    fs::read(path)
}

pub fn read_to_string(path: impl AsRef<Path>) -> io::Result<String> {
    String::from_utf8(read(path)?).map_err(|_| io::ErrorKind::InvalidData.into())
}

/// As [`text::read_regular`].
pub fn read_regular(path: &Path, bytes_max: u64) -> Result<String, String> {
    if !is_simulated(path) {
        return text::read_regular(path, bytes_max);
    }
    let file = File::open(path).map_err(|error| format!("cannot be read: {error}"))?;
    text::read_from(file, bytes_max)
}

/// Whether files can be made in a folder.
pub fn tempfile_in(folder: &Path) -> io::Result<()> {
    if is_simulated(folder) {
        return exists(folder).map(drop);
    }
    tempfile::tempfile_in(folder).map(drop)
}

/// See `std::fs::OpenOptions`.
#[derive(Clone)]
pub struct OpenOptions {
    real: fs::OpenOptions,
    creates: bool,
    creates_new: bool,
    appends: bool,
    truncates: bool,
}

impl OpenOptions {
    pub fn new() -> Self {
        Self {
            real: fs::OpenOptions::new(),
            creates: false,
            creates_new: false,
            appends: false,
            truncates: false,
        }
    }

    pub fn write(&mut self, value: bool) -> &mut Self {
        self.real.write(value);
        self
    }

    pub fn append(&mut self, value: bool) -> &mut Self {
        self.real.append(value);
        self.appends = value;
        self
    }

    pub fn create(&mut self, value: bool) -> &mut Self {
        self.real.create(value);
        self.creates = value;
        self
    }

    pub fn create_new(&mut self, value: bool) -> &mut Self {
        self.real.create_new(value);
        self.creates_new = value;
        self
    }

    pub fn truncate(&mut self, value: bool) -> &mut Self {
        self.real.truncate(value);
        self.truncates = value;
        self
    }

    pub fn open(&self, path: impl AsRef<Path>) -> io::Result<File> {
        let path = path.as_ref();
        if !is_simulated(path) {
            return self.real.open(path).map(File::Real);
        }
        let shared = shared();
        step(|disk| {
            let file = match disk.entry(path) {
                Some(_) if self.creates_new => return Err(io::ErrorKind::AlreadyExists.into()),
                None if self.creates || self.creates_new => Some(disk.create(path)?),
                // A folder can be opened for syncing.
                Some(Entry::Folder) => None,
                _ => Some(disk.file(path)?),
            };
            if let Some(file) = file.filter(|_| self.truncates) {
                disk.content_mut(file).clear();
            }
            Ok(File::Simulated(Handle {
                file,
                path: path.to_owned(),
                at: 0,
                appends: self.appends,
                number: disk.open(),
                shared,
            }))
        })
    }
}

impl Handle {
    fn file(&self) -> io::Result<usize> {
        self.file.ok_or_else(|| io::ErrorKind::IsADirectory.into())
    }
}

impl File {
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let path = path.as_ref();
        if is_simulated(path) {
            return OpenOptions::new().open(path);
        }
        fs::File::open(path).map(Self::Real)
    }

    pub fn metadata(&self) -> io::Result<Metadata> {
        match self {
            Self::Real(file) => file.metadata().map(|found| Metadata::of(&found)),
            Self::Simulated(handle) => {
                let file = handle.file()?;
                step(|disk| {
                    Ok(Metadata {
                        entry: Kind::File,
                        len: disk.content(file).len() as u64,
                    })
                })
            }
        }
    }

    pub fn sync_all(&self) -> io::Result<()> {
        match self {
            Self::Real(file) => file.sync_all(),
            Self::Simulated(handle) => step(|disk| {
                match handle.file {
                    Some(file) => disk.sync(file),
                    None => disk.sync_folder(&handle.path),
                }
                Ok(())
            }),
        }
    }

    fn lock(&self, alone: bool) -> Result<(), TryLockError> {
        match self {
            Self::Real(file) if alone => file.try_lock(),
            Self::Real(file) => file.try_lock_shared(),
            Self::Simulated(handle) => {
                let file = handle.file().map_err(TryLockError::Error)?;
                let taken = step(|disk| Ok(disk.lock(file, handle.number, alone)));
                match taken.map_err(TryLockError::Error)? {
                    true => Ok(()),
                    false => Err(TryLockError::WouldBlock),
                }
            }
        }
    }

    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.lock(true)
    }

    pub fn try_lock_shared(&self) -> Result<(), TryLockError> {
        self.lock(false)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        match self {
            Self::Real(file) => file.read(buffer),
            Self::Simulated(handle) => {
                let file = handle.file()?;
                let read = step(|disk| {
                    let rest = disk.content(file).get(handle.at..).unwrap_or_default();
                    let count = rest.len().min(buffer.len());
                    buffer[..count].copy_from_slice(&rest[..count]);
                    Ok(count)
                })?;
                handle.at += read;
                Ok(read)
            }
        }
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        match self {
            Self::Real(file) => file.write(bytes),
            Self::Simulated(handle) => {
                let file = handle.file()?;
                let appends = handle.appends;
                let at = handle.at;
                // Long writes take several steps.
                let bytes = &bytes[..bytes.len().min(WRITTEN_MAX)];
                handle.at = step(|disk| {
                    let content = disk.content_mut(file);
                    let at = if appends { content.len() } else { at };
                    let end = at + bytes.len();
                    content.resize(content.len().max(at), 0);
                    let old = bytes.len().min(content.len() - at);
                    content[at..at + old].copy_from_slice(&bytes[..old]);
                    content.extend_from_slice(&bytes[old..]);
                    Ok(end)
                })?;
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        match self {
            Self::Real(file) => file.flush(),
            Self::Simulated(_) => Ok(()),
        }
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        match self {
            Self::Real(file) => file.seek(to),
            Self::Simulated(handle) => match to {
                SeekFrom::Start(at) => {
                    handle.at = usize::try_from(at).map_err(io::Error::other)?;
                    Ok(at)
                }
                _ => Err(io::ErrorKind::Unsupported.into()),
            },
        }
    }
}
