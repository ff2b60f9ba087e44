//! Files that are replaced as a whole or not at all.

use crate::files::{self, File};
use std::io::{self, Write};
use std::path::Path;
use tempfile::NamedTempFile;

/// Replaces a file: readers see the old content or the new one, never a part, and a power loss
/// leaves one of the two.
///
/// # Errors
/// When the file cannot be written; what was there stays.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    write_with(path, |file| file.write_all(content), || Ok(()))
}

/// Replaces a file as [`write()`] does, with what `write` writes piece by piece, and calls `before`
/// when the new content is safely on the disk beside the old one.
///
/// # Errors
/// When the file cannot be written, or `write` or `before` fails; what was there stays.
pub fn write_with(
    path: &Path,
    write: impl FnOnce(&mut (dyn Write + Send)) -> io::Result<()>,
    before: impl FnOnce() -> io::Result<()>,
) -> io::Result<()> {
    let mut file = new_beside(path)?;
    let mut buffered = io::BufWriter::with_capacity(1 << 20, file.as_file_mut());
    write(&mut buffered)?;
    buffered.flush()?;
    drop(buffered);
    file.as_file().sync_all()?;
    before()?;
    give_name(file, path)?;
    sync_folder(folder_of(path))
}

/// Replaces a file without waiting for the disk: for what means nothing after a power loss.
///
/// # Errors
/// When the file cannot be written; what was there stays.
pub fn write_unsynced(path: &Path, content: &[u8]) -> io::Result<()> {
    let mut file = new_beside(path)?;
    file.as_file_mut().write_all(content)?;
    give_name(file, path)
}

/// Names new files so that the next holder of the folder removes what a kill left.
fn temporary<'a>() -> tempfile::Builder<'a, 'a> {
    let mut named = tempfile::Builder::new();
    named.prefix(".tilelab-").suffix(".tmp");
    named
}

/// A new file in the folder of another.
fn new_beside(path: &Path) -> io::Result<NamedTempFile<File>> {
    temporary().make_in(folder_of(path), |path| File::create_new(path))
}

/// Moves a new file, or a new name of a file, to its place.
fn give_name<F>(new: NamedTempFile<F>, path: &Path) -> io::Result<()> {
    // Where both names meant one file already, after a kill right after this step, POSIX has
    // `rename` do nothing, and the new name goes when this returns.
    let new = new.into_temp_path();
    take_place(&new, path)
}

/// Moves a file to a place, where an empty folder gives way, too.
fn take_place(from: &Path, to: &Path) -> io::Result<()> {
    match files::rename(from, to) {
        Err(error) if error.kind() == io::ErrorKind::IsADirectory => {
            files::remove_dir(to)?;
            files::rename(from, to)
        }
        renamed => renamed,
    }
}

/// Writes a file that the user has named. A device, a FIFO or a link is written to as it is, never
/// replaced; anything else is replaced as [`write()`] does. `-` and `/dev/stdout` are standard
/// output, after what is already written there.
///
/// # Errors
/// When it cannot be written.
pub fn write_output(path: &Path, content: &[u8]) -> io::Result<()> {
    if is_stdout(path) {
        let mut output = io::stdout().lock();
        output.write_all(content)?;
        return output.flush();
    }
    if !is_special(path) {
        return write(path, content);
    }
    let mut output = File::create(path)?;
    output.write_all(content)?;
    output.flush()
}

/// Whether a path is one of the names of standard output. Opening them would begin at the start of
/// a file to which it was redirected.
pub fn is_stdout(path: &Path) -> bool {
    ["-", "/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"]
        .map(Path::new)
        .contains(&path)
}

/// Whether a path is there and is neither a regular file nor a folder.
pub fn is_special(path: &Path) -> bool {
    files::symlink_metadata(path).is_ok_and(|found| !found.is_file() && !found.is_dir())
}

/// Keeps the file at `path`, where there is one, under a second name too, replacing what has that
/// name, so that at no instant the name is missing.
///
/// # Errors
/// When it cannot be kept.
pub fn keep(path: &Path, name: &Path) -> io::Result<()> {
    if !files::exists(path)? {
        return Ok(());
    }
    let link = |spare: &Path| match files::hard_link(path, spare) {
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Err(error),
        Err(_) => files::copy(path, spare).map(drop),
        linked => linked,
    };
    give_name(temporary().make_in(folder_of(path), link)?, name)
}

/// Gives a finished file another name on the same file system, replacing what has that name:
/// readers see the old content or the new one, and a power loss leaves one of the two.
///
/// # Errors
/// When the name cannot be given; what had it stays.
pub fn rename(from: &Path, to: &Path) -> io::Result<()> {
    take_place(from, to)?;
    sync_folder(folder_of(to))
}

/// The folder that a file lies in.
fn folder_of(path: &Path) -> &Path {
    path.parent()
        .filter(|folder| !folder.as_os_str().is_empty())
        .unwrap_or(Path::new("."))
}

/// Removes a file that may be missing.
///
/// # Errors
/// When it is there and cannot be removed.
pub fn remove(path: &Path) -> io::Result<()> {
    match files::remove_file(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => Ok(()),
        removed => removed,
    }
}

/// Writes the names in a folder to the disk, so that a rename in it survives a power loss.
///
/// # Errors
/// When the folder cannot be synced.
#[cfg(unix)]
pub fn sync_folder(folder: &Path) -> io::Result<()> {
    match File::open(folder)?.sync_all() {
        // Some file systems, mostly network ones, cannot sync a folder.
        Err(error)
            if matches!(
                error.kind(),
                io::ErrorKind::InvalidInput | io::ErrorKind::Unsupported
            ) =>
        {
            Ok(())
        }
        synced => synced,
    }
}

/// Writes the names of a folder and of those above it to the disk, as far as they may be read, so
/// that a power loss leaves it where it is.
pub fn sync_names(folder: &Path) {
    for name in folder.ancestors() {
        drop(sync_folder(folder_of(name)));
    }
}

/// Does nothing: this system has no folders that are written apart.
///
/// # Errors
/// Never.
#[cfg(not(unix))]
pub fn sync_folder(_folder: &Path) -> io::Result<()> {
    Ok(())
}

/// Tells whether [`write_output`] can write, replace or create a file, without changing anything.
///
/// # Errors
/// When the folder does not exist or cannot be written, or `path` is a folder.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if is_stdout(path) {
        return Ok(());
    }
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    if is_special(path) {
        return Ok(());
    }
    files::check_folder(folder_of(path))
}
