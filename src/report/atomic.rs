//! Files that are replaced as a whole or not at all.

use std::io::{self, Write};
use std::path::Path;

/// Replaces a file: readers see the old content or the new one, never a part.
///
/// # Errors
/// When the file cannot be written; what was there stays.
pub fn write(path: &Path, content: &[u8]) -> io::Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    let mut file = tempfile::Builder::new().prefix(".tilelab-").suffix(".tmp").tempfile_in(folder)?;
    file.write_all(content)?;
    file.as_file().sync_all()?;
    // A temporary file is private to its owner; results are for everybody who may read the folder.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        file.as_file().set_permissions(std::fs::Permissions::from_mode(0o644))?;
    }
    file.persist(path).map_err(|error| error.error)?;
    Ok(())
}

/// Tells whether [`write`] can replace or create a file, without changing anything.
///
/// # Errors
/// When the folder does not exist or cannot be written, or `path` is a folder.
pub fn check_writable(path: &Path) -> io::Result<()> {
    if path.is_dir() {
        return Err(io::Error::from(io::ErrorKind::IsADirectory));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    tempfile::Builder::new().prefix(".tilelab-").suffix(".tmp").tempfile_in(folder).map(drop)
}
