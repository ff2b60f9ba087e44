//! Values of the parameter `weights`, `PATH#ID`, compared with their files.
//!
//! A path without `#ID` gets the ID of the file there; one with it is compared with the file.
//! [`pin`] does both, wherever a player is named.

use super::{Error, Reason, Weights};
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::SystemTime;
use tilelab_games::catalog::PlayerSpec;
use tilelab_games::params::{Params, Value};
use tilelab_games::players::weights::{self, WEIGHTS, parts};
use tilelab_output::files;
use tilelab_output::locked;

/// The files that the process has read, with their length and the time of their last change.
type Files = HashMap<PathBuf, ((u64, Option<SystemTime>), Arc<Weights>)>;

static FILES: LazyLock<Mutex<Files>> = LazyLock::new(Mutex::default);

/// The file at `path`, read where it has changed since it was last.
fn file(path: &Path) -> Result<Arc<Weights>, Error> {
    let mut files = locked(&FILES);
    let metadata = files::metadata(path).map_err(|error| Reason::from(error).of(path))?;
    let stamp = (metadata.len, metadata.modified);
    if let Some((known, weights)) = files.get(path)
        && *known == stamp
    {
        return Ok(Arc::clone(weights));
    }
    let weights = Arc::new(Weights::read(path)?);
    files.insert(path.to_owned(), (stamp, Arc::clone(&weights)));
    Ok(weights)
}

/// The value `PATH#ID` for a path, or for one with its ID, which is compared with the file;
/// players with this value then find their weights. A relative path is one from `folder`.
///
/// A value that was pinned before needs no file: its ID names the weights.
///
/// # Errors
/// When the file cannot be used, or holds other weights than the ID names.
pub fn pin(value: &str, folder: &Path) -> Result<String, Error> {
    if weights::provided(value).is_some() {
        return Ok(value.to_owned());
    }
    let (path, wanted) = parts(value);
    let weights = file(&folder.join(path))?;
    if let Some(wanted) = wanted.filter(|wanted| **wanted != weights.id) {
        let reason = Reason::Changed {
            wanted: wanted.to_owned(),
            found: weights.id.clone(),
        };
        return Err(reason.of(&folder.join(path)));
    }
    let pinned = format!("{path}#{}", weights.id);
    weights::provide(pinned.clone(), Arc::clone(&weights.players));
    Ok(pinned)
}

/// The value of a player's parameter `weights`, where it has one that is set.
pub fn value_of(params: &Params) -> Option<&str> {
    let has_param = params.iter().any(|(name, _)| name == WEIGHTS);
    has_param.then(|| params.text(WEIGHTS)).flatten()
}

/// Pins the parameter `weights` of a player, where it has one that is set.
///
/// # Errors
/// As [`pin`].
pub fn pin_params(params: &mut Params, folder: &Path) -> Result<(), Error> {
    if let Some(value) = value_of(params) {
        let pinned = pin(value, folder)?;
        params.set(WEIGHTS, Value::Text(pinned));
    }
    Ok(())
}

/// Reads the weights of players whose values come from a results folder and were not pinned in this
/// process. A relative path is one from the current folder.
///
/// # Errors
/// As [`pin`].
pub fn provide(players: &[PlayerSpec]) -> Result<(), Error> {
    for value in players.iter().filter_map(|player| value_of(&player.params)) {
        pin(value, Path::new(""))?;
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::super::tests::file;
    use super::*;
    use tilelab_games::players::weights::{WEIGHTS_PARAM, of_params};

    #[test]
    fn a_value_names_what_the_file_holds() {
        let folder = tempfile::tempdir().unwrap();
        let path = file(folder.path(), [b"three", b"four"]);
        let pinned = pin("toy.weights", folder.path()).unwrap();
        let id = Weights::read(&path).unwrap().id;
        assert_eq!(pinned, format!("toy.weights#{id}"));
        assert_eq!(pin(&pinned, folder.path()).unwrap(), pinned);
        let mut params = Params::defaults(&[WEIGHTS_PARAM]);
        let written = pinned.to_uppercase().replace("TOY.WEIGHTS", "toy.weights");
        params.set(WEIGHTS, WEIGHTS_PARAM.parse(&written).unwrap());
        let played = of_params(&params).unwrap().unwrap();
        let wrong = pin("toy.weights#00000000", folder.path()).unwrap_err();
        assert!(
            wrong
                .to_string()
                .contains(&format!("holds the weights #{id}, not #00000000")),
            "{wrong}"
        );
        // Another content is another value; what was pinned before can still be played with.
        file(folder.path(), [b"three", b"five!"]);
        let other = pin("toy.weights", folder.path()).unwrap();
        assert_ne!(other, pinned);
        assert_eq!(pin(&pinned, folder.path()).unwrap(), pinned);
        assert!(Arc::ptr_eq(&played, &of_params(&params).unwrap().unwrap()));
    }
}
