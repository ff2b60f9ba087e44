//! The parameter `weights` of players.
//!
//! Its value is `PATH#ID`, so that the key of a cell and all that is seeded from it name what was
//! played with. A path without `#ID` gets the ID of the file there; one with it is held against the
//! file. [`pin`] does both, wherever a player is named.

use super::{Error, Weights, unreadable};
use crate::params::{Default, Kind, ParamError, ParamSpec, Params, Value};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use std::time::SystemTime;

/// The parameter's name.
pub const WEIGHTS: &str = "weights";

/// The parameter of players whose evaluation can be learned.
pub const WEIGHTS_PARAM: ParamSpec = ParamSpec {
    name: WEIGHTS,
    kind: Kind::Text { accepts: "the path of a file that tilelab learn wrote, or PATH#ID", canonical },
    default: Default::Unset,
    main: false,
    help: "file of weights, as tilelab learn writes it, to evaluate boards with; unset: the built-in ones",
};

impl From<Error> for ParamError {
    fn from(error: Error) -> Self {
        Self::new(WEIGHTS, error.to_string())
    }
}

/// The value of the parameter as path and ID.
fn parts(value: &str) -> (&str, Option<&str>) {
    let is_id = |id: &str| id.len() == 8 && id.bytes().all(|byte| byte.is_ascii_hexdigit());
    match value.rsplit_once('#') {
        Some((path, id)) if is_id(id) && !path.is_empty() => (path, Some(id)),
        _ => (value, None),
    }
}

fn canonical(text: &str) -> Option<String> {
    let text = text.trim();
    let (path, id) = parts(text);
    let is_path = !text.is_empty() && !text.chars().any(crate::text::is_control);
    is_path.then(|| id.map_or_else(|| path.to_owned(), |id| format!("{path}#{}", id.to_ascii_lowercase())))
}

/// What a process has read.
#[derive(Default)]
struct Known {
    /// By the file, with its length and the time of its last change.
    files: HashMap<PathBuf, (u64, Option<SystemTime>, Arc<Weights>)>,
    /// By the value of the parameter: path and ID. The path may be relative to a folder that is not
    /// the current one.
    values: HashMap<String, Arc<Weights>>,
}

static KNOWN: LazyLock<Mutex<Known>> = LazyLock::new(Mutex::default);

impl Known {
    /// The file at `path`, read where it has changed since it was last.
    fn file(&mut self, path: &Path) -> Result<Arc<Weights>, Error> {
        let metadata = std::fs::metadata(path).map_err(|error| unreadable(path, &error))?;
        let stamp = (metadata.len(), metadata.modified().ok());
        if let Some((length, modified, weights)) = self.files.get(path)
            && (*length, *modified) == stamp
        {
            return Ok(Arc::clone(weights));
        }
        let weights = Arc::new(Weights::read(path)?);
        self.files.insert(path.to_owned(), (stamp.0, stamp.1, Arc::clone(&weights)));
        Ok(weights)
    }

    /// The file that a value names, and the value with its ID. One that was pinned before needs no
    /// file: its ID names the weights.
    fn pinned(&mut self, value: &str, folder: &Path) -> Result<(String, Arc<Weights>), Error> {
        if let Some(weights) = self.values.get(value) {
            return Ok((value.to_owned(), Arc::clone(weights)));
        }
        let (path, wanted) = parts(value);
        let weights = self.file(&folder.join(path))?;
        if let Some(wanted) = wanted.filter(|wanted| **wanted != weights.id) {
            let found = weights.id.clone();
            return Err(Error::Changed { path: folder.join(path), wanted: wanted.to_owned(), found });
        }
        let pinned = format!("{path}#{}", weights.id);
        self.values.insert(pinned.clone(), Arc::clone(&weights));
        Ok((pinned, weights))
    }
}

/// The value `PATH#ID` for a path, or for one with its ID, which is held against the file. A
/// relative path is one from `folder`.
///
/// # Errors
/// When the file cannot be used, or holds other weights than the ID names.
pub fn pin(value: &str, folder: &Path) -> Result<String, Error> {
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.pinned(value, folder).map(|(pinned, _)| pinned)
}

/// Pins the parameter `weights` of a player, where it has one that is set.
///
/// # Errors
/// As [`pin`].
pub fn pin_params(specs: &[ParamSpec], params: &mut Params, folder: &Path) -> Result<(), Error> {
    if specs.iter().any(|spec| spec.name == WEIGHTS)
        && let Some(value) = params.text(WEIGHTS)
    {
        let pinned = pin(value, folder)?;
        params.set(WEIGHTS, Value::Text(pinned));
    }
    Ok(())
}

/// The file that a player's parameters name; `None` where they name none. What has been pinned is
/// not read again; another relative path is one from the current folder.
///
/// # Errors
/// As [`pin`].
pub fn of_params(params: &Params) -> Result<Option<Arc<Weights>>, Error> {
    let Some(value) = params.text(WEIGHTS) else { return Ok(None) };
    let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
    known.pinned(value, Path::new("")).map(|(_, weights)| Some(weights))
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;

    #[test]
    fn a_value_names_what_the_file_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), [b"three", b"four"]);
        let pinned = pin("toy.weights", folder.path()).unwrap();
        let id = Weights::read(&path).unwrap().id;
        assert_eq!(pinned, format!("toy.weights#{id}"));
        assert_eq!(pin(&pinned, folder.path()).unwrap(), pinned);
        let mut params = Params::defaults(&[WEIGHTS_PARAM]);
        params.set(WEIGHTS, WEIGHTS_PARAM.parse(&pinned.to_uppercase().replace("TOY.WEIGHTS", "toy.weights")).unwrap());
        assert!(of_params(&params).unwrap().is_some());
        let wrong = pin("toy.weights#00000000", folder.path()).unwrap_err();
        assert!(wrong.to_string().contains(&format!("holds the weights #{id}, not #00000000")), "{wrong}");
        // Another content is another value; what was pinned before can still be played with.
        file(folder.path(), [b"three", b"five!"]);
        let other = pin("toy.weights", folder.path()).unwrap();
        assert_ne!(other, pinned);
        assert_eq!(pin(&pinned, folder.path()).unwrap(), pinned);
        assert_eq!(of_params(&params).unwrap().unwrap().id, id);
        assert_eq!(WEIGHTS_PARAM.parse(" "), None);
        assert_eq!(parts("a#b"), ("a#b", None));
    }
}
