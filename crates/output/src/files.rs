//! The one door to the file system: how every crate opens, reads, lists and changes files.
//!
//! A file may come from a stranger: a link to a device, a pipe that nobody writes to, a sparse file
//! of terabytes. So [`File::open`] opens regular files and folders only and never waits, and
//! whatever reads a file as a whole ([`read`], [`read_text`]) says how many bytes it takes at most:
//!
//! | bound | of |
//! | --- | --- |
//! | [`NOTE_BYTES_MAX`] | notes that tilelab writes beside results, such as `machine.txt` and `.live` |
//! | [`TEXT_BYTES_MAX`] | what people write: experiments, levels, boards, starts, moves, logs, READMEs, figures |
//! | [`TABLE_BYTES_MAX`] | what games write: tables of results (a million cells take half of it), records |
//!
//! Saved states and weights are larger; their readers look at the end or the head of the file
//! first. Writing never follows a link, save for [`File::create`], which is for files that the user
//! named.
//!
//! A [`Disk`] that is mounted by [`mount`] has the files below its root instead of the system.

#![expect(
    clippy::disallowed_methods,
    reason = "everything else opens files by these functions"
)]

use std::fmt::Debug;
use std::fs;
pub use std::fs::TryLockError;
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, PoisonError, RwLock};
use std::time::SystemTime;

/// The most bytes of a note that tilelab writes beside results.
pub const NOTE_BYTES_MAX: u64 = 1 << 20;
/// The most bytes of a text that a person writes.
pub const TEXT_BYTES_MAX: u64 = 64 << 20;
/// The most bytes of a table of results or of the records of games.
pub const TABLE_BYTES_MAX: u64 = 1 << 30;

/// A file system of its own below some folder, in the place of the system's.
///
/// Each function does what its namesake in this module does, and has its errors.
pub trait Disk: Send + Sync {
    /// Opens a file, or a folder for reading; whether it is a pipe is for the caller to see.
    fn open(&self, path: &Path, mode: Mode) -> io::Result<Box<dyn Opened>>;
    /// What is known of a name, or with `follows` of what a link leads to.
    fn metadata(&self, path: &Path, follows: bool) -> io::Result<Metadata>;
    /// The names in a folder.
    fn read_dir(&self, folder: &Path) -> io::Result<Vec<DirEntry>>;
    /// Creates a folder and those above it where they are missing.
    fn create_dir_all(&self, folder: &Path) -> io::Result<()>;
    /// Removes a file, or a link.
    fn remove_file(&self, path: &Path) -> io::Result<()>;
    /// Removes an empty folder.
    fn remove_dir(&self, folder: &Path) -> io::Result<()>;
    /// Removes a folder and all that is in it.
    fn remove_dir_all(&self, folder: &Path) -> io::Result<()>;
    /// Gives a file another name.
    fn rename(&self, from: &Path, to: &Path) -> io::Result<()>;
    /// Gives a file a second name.
    fn hard_link(&self, from: &Path, to: &Path) -> io::Result<()>;
}

/// A file or folder of a [`Disk`], open.
pub trait Opened: Read + Write + Seek + Debug + Send + Sync {
    /// What is known of the file or folder.
    fn metadata(&self) -> io::Result<Metadata>;
    /// Waits until the content of the file is on the disk, or the names of a folder.
    fn sync_all(&self) -> io::Result<()>;
    /// Takes the lock of the file, alone or shared with others.
    fn try_lock(&self, alone: bool) -> Result<(), TryLockError>;
}

static IS_MOUNTED: AtomicBool = AtomicBool::new(false);
static MOUNTED: RwLock<Vec<(PathBuf, Arc<dyn Disk>)>> = RwLock::new(Vec::new());

/// Puts a disk below `root`, for the whole process and to its end. For tests.
pub fn mount(root: &Path, disk: Arc<dyn Disk>) {
    let mut mounted = MOUNTED.write().unwrap_or_else(PoisonError::into_inner);
    mounted.push((root.to_owned(), disk));
    IS_MOUNTED.store(true, Ordering::Release);
}

/// The disk that a path lies on, where it is not the system's.
fn disk_of(path: &Path) -> Option<Arc<dyn Disk>> {
    if !IS_MOUNTED.load(Ordering::Acquire) {
        return None;
    }
    let mounted = MOUNTED.read().unwrap_or_else(PoisonError::into_inner);
    mounted
        .iter()
        .find(|(root, _)| path.starts_with(root))
        .map(|(_, disk)| Arc::clone(disk))
}

/// Calls `mounted` with the disk that a path lies on, or `system` where that is the system's.
fn on_disk<'a, T>(
    path: &'a Path,
    mounted: impl FnOnce(&(dyn Disk + 'static), &'a Path) -> T,
    system: impl FnOnce(&'a Path) -> T,
) -> T {
    match disk_of(path) {
        Some(disk) => mounted(disk.as_ref(), path),
        None => system(path),
    }
}

/// How a file is opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Mode {
    /// To read it, or to sync a folder or take a lock.
    Read,
    /// To write a file that is not there yet.
    New,
    /// To write a file from its beginning; what it held is gone.
    Truncate,
    /// To write to the end of a file, which is made where it is missing.
    Append,
    /// To write into the middle of a file, which is made where it is missing.
    Update,
}

/// What a name stands for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Kind {
    /// A regular file.
    File,
    /// A folder.
    Folder,
    /// A link, a pipe, a device, or a socket.
    Other,
}

impl From<fs::FileType> for Kind {
    fn from(kind: fs::FileType) -> Self {
        match kind {
            kind if kind.is_file() => Self::File,
            kind if kind.is_dir() => Self::Folder,
            _ => Self::Other,
        }
    }
}

/// What is known of a file or folder.
#[derive(Clone, Copy, Debug)]
pub struct Metadata {
    /// What the path stands for.
    pub kind: Kind,
    /// The length in bytes.
    pub len: u64,
    /// When the file or folder was changed last, where that is known.
    pub modified: Option<SystemTime>,
}

impl Metadata {
    /// Whether the metadata is that of a regular file.
    pub fn is_file(&self) -> bool {
        self.kind == Kind::File
    }

    /// Whether the metadata is that of a folder.
    pub fn is_dir(&self) -> bool {
        self.kind == Kind::Folder
    }
}

impl From<fs::Metadata> for Metadata {
    fn from(found: fs::Metadata) -> Self {
        Self {
            kind: found.file_type().into(),
            len: found.len(),
            modified: found.modified().ok(),
        }
    }
}

/// A name in a folder.
#[derive(Clone, Debug)]
pub struct DirEntry {
    /// The folder with the name.
    pub path: PathBuf,
    /// What has the name itself: a link is [`Kind::Other`].
    pub kind: Kind,
}

/// A file that is open, of the system or of a [`Disk`].
#[derive(Debug)]
pub struct File(Box<dyn Opened>);

impl Opened for fs::File {
    fn metadata(&self) -> io::Result<Metadata> {
        self.metadata().map(Metadata::from)
    }

    fn sync_all(&self) -> io::Result<()> {
        self.sync_all()
    }

    fn try_lock(&self, alone: bool) -> Result<(), TryLockError> {
        if alone {
            self.try_lock()
        } else {
            self.try_lock_shared()
        }
    }
}

impl File {
    /// Opens a regular file for reading, or a folder for syncing. Never waits.
    ///
    /// # Errors
    /// When it cannot be opened, or is a pipe or a device.
    pub fn open(path: impl AsRef<Path>) -> io::Result<Self> {
        let file = Self::with(path.as_ref(), Mode::Read)?;
        match file.metadata()?.kind {
            Kind::Other => Err(not_regular()),
            _ => Ok(file),
        }
    }

    /// Creates a file for writing.
    ///
    /// # Errors
    /// When it cannot be created, or anything has the name.
    pub fn create_new(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::with(path.as_ref(), Mode::New)
    }

    /// Opens whatever has the name for writing from its beginning, or creates a file. For files
    /// that the user named: links are followed, and pipes and devices are written to.
    ///
    /// # Errors
    /// When it cannot be opened.
    pub fn create(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::with(path.as_ref(), Mode::Truncate)
    }

    /// Opens a file for writing at its end; creates it where it is missing.
    ///
    /// # Errors
    /// When it cannot be opened, or is a link.
    pub fn append(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::with(path.as_ref(), Mode::Append)
    }

    /// Opens a file for writing anywhere in it; creates it where it is missing.
    ///
    /// # Errors
    /// When it cannot be opened, or is a link.
    pub fn update(path: impl AsRef<Path>) -> io::Result<Self> {
        Self::with(path.as_ref(), Mode::Update)
    }

    fn with(path: &Path, mode: Mode) -> io::Result<Self> {
        if let Some(disk) = disk_of(path) {
            return disk.open(path, mode).map(Self);
        }
        let mut options = fs::OpenOptions::new();
        match mode {
            Mode::Read => options.read(true),
            Mode::New => options.write(true).create_new(true),
            Mode::Truncate => options.write(true).create(true).truncate(true),
            Mode::Append => options.append(true).create(true),
            Mode::Update => options.write(true).create(true).truncate(false),
        };
        #[cfg(unix)]
        {
            use rustix::fs::OFlags;
            use std::os::unix::fs::OpenOptionsExt;
            let flags = match mode {
                // Opening a pipe that nobody writes to would wait for ever.
                Mode::Read => OFlags::NONBLOCK | OFlags::NOCTTY,
                Mode::New | Mode::Append | Mode::Update => OFlags::NOFOLLOW,
                Mode::Truncate => OFlags::empty(),
            };
            options.custom_flags(flags.bits().cast_signed());
        }
        options.open(path).map(|file| Self(Box::new(file)))
    }

    /// What is known of the file.
    ///
    /// # Errors
    /// When the system does not tell.
    pub fn metadata(&self) -> io::Result<Metadata> {
        self.0.metadata()
    }

    /// Waits until the content of the file is on the disk, or the names of a folder.
    ///
    /// # Errors
    /// When it cannot be written.
    pub fn sync_all(&self) -> io::Result<()> {
        self.0.sync_all()
    }

    /// Takes the lock of the file for this process alone.
    ///
    /// # Errors
    /// When another process holds it, or the system has no locks.
    pub fn try_lock(&self) -> Result<(), TryLockError> {
        self.0.try_lock(true)
    }

    /// Takes the lock of the file with others that do so.
    ///
    /// # Errors
    /// When another process holds it alone, or the system has no locks.
    pub fn try_lock_shared(&self) -> Result<(), TryLockError> {
        self.0.try_lock(false)
    }
}

impl Read for File {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.0.read(buffer)
    }
}

impl Write for File {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.0.write(bytes)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.0.flush()
    }
}

impl Seek for File {
    fn seek(&mut self, to: SeekFrom) -> io::Result<u64> {
        self.0.seek(to)
    }
}

fn not_regular() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidInput, "it is not a regular file")
}

/// Reads an input to its end.
///
/// # Errors
/// When it cannot be read, or has more than `bytes_max` bytes, of which no more are read than one.
pub fn read_from(input: impl Read, bytes_max: u64) -> io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    input.take(bytes_max + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > bytes_max {
        return Err(too_large(bytes_max));
    }
    Ok(bytes)
}

fn too_large(bytes_max: u64) -> io::Error {
    let message = format!("it is larger than {bytes_max} bytes, the most that is read");
    io::Error::new(io::ErrorKind::FileTooLarge, message)
}

/// Reads a regular file.
///
/// # Errors
/// When it cannot be read, is not a regular file, or has more than `bytes_max` bytes.
pub fn read(path: impl AsRef<Path>, bytes_max: u64) -> io::Result<Vec<u8>> {
    let file = File::open(path)?;
    let found = file.metadata()?;
    if found.is_dir() {
        return Err(not_regular());
    }
    if found.len > bytes_max {
        return Err(too_large(bytes_max));
    }
    read_from(file, bytes_max)
}

/// Reads a regular file as text.
///
/// # Errors
/// A message that names no file: it cannot be read, is not a regular file, has more than
/// `bytes_max` bytes, or is not UTF-8.
pub fn read_text(path: impl AsRef<Path>, bytes_max: u64) -> Result<String, String> {
    as_text(read(path, bytes_max))
}

/// Reads a file that the user named as text; `-` is standard input. It may be a pipe of the shell,
/// as in `<(…)`, which is waited for.
///
/// # Errors
/// As [`read_text`], save that it may be a pipe.
pub fn read_named(path: &Path, bytes_max: u64) -> Result<String, String> {
    as_text(match path {
        path if path == Path::new("-") => read_from(io::stdin().lock(), bytes_max),
        path if is_pipe(path) => fs::File::open(path).and_then(|pipe| read_from(pipe, bytes_max)),
        path => read(path, bytes_max),
    })
}

fn as_text(read: io::Result<Vec<u8>>) -> Result<String, String> {
    let bytes = read.map_err(|error| format!("cannot be read: {error}"))?;
    String::from_utf8(bytes).map_err(|_| "is not text in UTF-8".to_owned())
}

#[cfg(unix)]
fn is_pipe(path: &Path) -> bool {
    use std::os::unix::fs::FileTypeExt;
    // Not one that lies where files do: nobody may ever write to it.
    ["/dev/fd", "/dev/stdin", "/proc"]
        .iter()
        .any(|begin| path.starts_with(begin))
        && fs::metadata(path).is_ok_and(|found| found.file_type().is_fifo())
}

#[cfg(not(unix))]
const fn is_pipe(_path: &Path) -> bool {
    false
}

/// What is known of a file or folder, or of what a link leads to.
///
/// # Errors
/// When there is none, or it may not be seen.
pub fn metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let system = |path| fs::metadata(path).map(Metadata::from);
    on_disk(
        path.as_ref(),
        |disk, path| disk.metadata(path, true),
        system,
    )
}

/// What is known of a name itself, which may be that of a link.
///
/// # Errors
/// When there is none, or it may not be seen.
pub fn symlink_metadata(path: impl AsRef<Path>) -> io::Result<Metadata> {
    let system = |path| fs::symlink_metadata(path).map(Metadata::from);
    on_disk(
        path.as_ref(),
        |disk, path| disk.metadata(path, false),
        system,
    )
}

/// Whether a file or folder is there.
///
/// # Errors
/// When it may not be seen.
pub fn exists(path: impl AsRef<Path>) -> io::Result<bool> {
    match metadata(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(false),
        found => found.map(|_| true),
    }
}

/// The path behind links and dots.
///
/// # Errors
/// When it cannot be found.
pub fn canonicalize(path: &Path) -> io::Result<PathBuf> {
    match disk_of(path) {
        Some(_) => Ok(path.to_owned()),
        None => fs::canonicalize(path),
    }
}

/// The names in a folder.
///
/// # Errors
/// When it cannot be read.
pub fn read_dir(folder: impl AsRef<Path>) -> io::Result<Vec<DirEntry>> {
    let folder = folder.as_ref();
    if let Some(disk) = disk_of(folder) {
        return disk.read_dir(folder);
    }
    let mut entries = Vec::new();
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        match entry.file_type() {
            Ok(kind) => entries.push(DirEntry {
                path: entry.path(),
                kind: kind.into(),
            }),
            // The entry has gone since.
            Err(error) if error.kind() == io::ErrorKind::NotFound => {}
            Err(error) => return Err(error),
        }
    }
    Ok(entries)
}

/// Creates a folder and those above it where they are missing.
///
/// # Errors
/// When one cannot be created.
pub fn create_dir_all(folder: impl AsRef<Path>) -> io::Result<()> {
    on_disk(folder.as_ref(), Disk::create_dir_all, fs::create_dir_all)
}

/// Removes a file, or a link.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_file(path: impl AsRef<Path>) -> io::Result<()> {
    on_disk(path.as_ref(), Disk::remove_file, fs::remove_file)
}

/// Removes an empty folder.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_dir(folder: impl AsRef<Path>) -> io::Result<()> {
    on_disk(folder.as_ref(), Disk::remove_dir, fs::remove_dir)
}

/// Removes a folder and all that is in it, and no file that a link in it leads to.
///
/// # Errors
/// When it cannot be removed.
pub fn remove_dir_all(folder: impl AsRef<Path>) -> io::Result<()> {
    on_disk(folder.as_ref(), Disk::remove_dir_all, fs::remove_dir_all)
}

/// Gives a file another name on the same file system; what has the name is replaced.
///
/// # Errors
/// When the name cannot be given.
pub fn rename(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref();
    on_disk(
        from.as_ref(),
        |disk, from| disk.rename(from, to),
        |from| fs::rename(from, to),
    )
}

/// Gives a file a second name on the same file system.
///
/// # Errors
/// When the name cannot be given, or is taken.
pub fn hard_link(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<()> {
    let to = to.as_ref();
    on_disk(
        from.as_ref(),
        |disk, from| disk.hard_link(from, to),
        |from| fs::hard_link(from, to),
    )
}

/// Copies a regular file to a new one.
///
/// # Errors
/// When it cannot be read or written, or the name is taken.
pub fn copy(from: impl AsRef<Path>, to: impl AsRef<Path>) -> io::Result<u64> {
    io::copy(&mut File::open(from)?, &mut File::create_new(to)?)
}

/// Tells whether files can be made in a folder. Where the system has files without names, one of
/// these is made to find out, so nothing is left behind.
///
/// # Errors
/// When the folder does not exist or cannot be written.
pub fn check_folder(folder: &Path) -> io::Result<()> {
    match disk_of(folder) {
        Some(disk) => disk.metadata(folder, true).map(drop),
        None => tempfile::tempfile_in(folder).map(drop),
    }
}
