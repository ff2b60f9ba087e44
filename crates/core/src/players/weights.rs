//! Learned weights for players' evaluations.
//!
//! The core reads no files. A program reads weights and [`provide`]s them under the value of the
//! players' parameter [`WEIGHTS_PARAM`], which is `PATH#ID`. So the key of a cell, and everything
//! seeded from it, identifies the weights.

use crate::locked;
use crate::params::{ParamError, ParamSpec, Params, Value};
use std::any::Any;
use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex};

/// The parameter's name.
pub const WEIGHTS: &str = "weights";

/// The parameter of players whose evaluation can be learned.
pub const WEIGHTS_PARAM: ParamSpec = ParamSpec::text(
    WEIGHTS,
    "the path of a file that tilelab learn wrote, or PATH#ID",
    canonical,
    None,
)
.help(
    "file of weights that evaluate boards, as tilelab learn writes it; unset: the built-in \
     weights",
);

/// The most sets of rules that a message lists.
const LISTED_MAX: usize = 3;

/// Why a player cannot use its weights.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// Nothing was provided under the value of the parameter.
    #[error("{0}: no weights are loaded under this name")]
    Missing(String),
    /// The weights cannot be read any more.
    #[error("{0}")]
    Unreadable(String),
    /// The weights are not what the player reads.
    #[error("{name}: is damaged: {reason}; write it again with tilelab learn")]
    Damaged {
        /// The name of the weights.
        name: String,
        /// What is wrong with the weights.
        reason: String,
    },
    /// There are none for the game's rules.
    #[error(
        "{name}: holds no weights for these rules; it has {has}; learn these with tilelab learn"
    )]
    OtherRules {
        /// The name of the weights.
        name: String,
        /// What there is.
        has: String,
    },
}

impl From<Error> for ParamError {
    fn from(error: Error) -> Self {
        Self::new(WEIGHTS, error.to_string())
    }
}

/// The value of the parameter as path and ID.
pub fn parts(value: &str) -> (&str, Option<&str>) {
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
    is_path.then(|| {
        id.map_or_else(
            || path.to_owned(),
            |id| format!("{path}#{}", id.to_ascii_lowercase()),
        )
    })
}

/// Reads the bytes of weights, or says in one line why not.
pub type ReadBytes = Box<dyn Fn() -> Result<Vec<u8>, String> + Send + Sync>;

/// The weights for one set of rules.
pub struct Section {
    game: String,
    rules: Vec<(String, Value)>,
    read: ReadBytes,
    /// What a player has made of the bytes.
    decoded: Mutex<Option<Arc<dyn Any + Send + Sync>>>,
}

impl Section {
    /// Weights for the game of this name with these parameters; `read` is called when a player
    /// asks for them first.
    pub fn new(game: String, rules: Vec<(String, Value)>, read: ReadBytes) -> Self {
        Self {
            game,
            rules,
            read,
            decoded: Mutex::new(None),
        }
    }

    /// Game and rules for messages, as the key of a cell has them.
    fn label(&self) -> String {
        let rules: Vec<String> = self
            .rules
            .iter()
            .map(|(key, value)| format!("{key}={value}"))
            .collect();
        crate::text::escape(&format!("{}/{}", self.game, rules.join(","))).into_owned()
    }
}

/// Weights for one or several sets of rules.
pub struct Weights {
    name: String,
    sections: Vec<Section>,
}

impl Weights {
    /// Weights that messages call `name`.
    pub const fn new(name: String, sections: Vec<Section>) -> Self {
        Self { name, sections }
    }

    /// What `decode` makes of the weights for a game's rules: those whose parameters `is_meant`
    /// says are the rules'. Made once, and shared by all players of the process.
    ///
    /// # Errors
    /// Returns an error if there are none for these rules, or those of reading them and of
    /// `decode`, which says what is wrong with the bytes.
    ///
    /// # Panics
    /// Panics if the same weights are decoded as two types.
    pub fn decoded<T: Send + Sync + 'static>(
        &self,
        game: &str,
        specs: &[ParamSpec],
        is_meant: impl Fn(&Params) -> bool,
        decode: impl FnOnce(&[u8]) -> Result<T, String>,
    ) -> Result<Arc<T>, Error> {
        let is_it = |section: &&Section| {
            section.game == game
                && Params::from_values(specs, &section.rules)
                    .is_some_and(|params| is_meant(&params))
        };
        let section = self.sections.iter().find(is_it);
        let section = section.ok_or_else(|| self.other_rules())?;
        let mut decoded = locked(&section.decoded);
        if decoded.is_none() {
            let bytes = (section.read)().map_err(Error::Unreadable)?;
            let made = decode(&bytes).map_err(|reason| Error::Damaged {
                name: self.name.clone(),
                reason,
            })?;
            *decoded = Some(Arc::new(made));
        }
        let shared = decoded.clone().expect("it was made");
        Ok(shared.downcast().expect("weights are decoded as one type"))
    }

    fn other_rules(&self) -> Error {
        let sections = self.sections.iter().take(LISTED_MAX);
        let mut labels: Vec<String> = sections.map(Section::label).collect();
        let more = self.sections.len() - labels.len();
        if more > 0 {
            labels.push(format!("{more} more"));
        }
        Error::OtherRules {
            name: self.name.clone(),
            has: labels.join("; "),
        }
    }
}

/// By the value of the parameter.
static PROVIDED: LazyLock<Mutex<HashMap<String, Arc<Weights>>>> = LazyLock::new(Mutex::default);

/// Provides weights for players whose parameter has this value.
pub fn provide(value: String, weights: Arc<Weights>) {
    let mut provided = locked(&PROVIDED);
    provided.insert(value, weights);
}

/// What was provided for this value of the parameter.
pub fn provided(value: &str) -> Option<Arc<Weights>> {
    let provided = locked(&PROVIDED);
    provided.get(value).cloned()
}

/// The weights that a player's parameters name; `None` where they name none.
///
/// # Errors
/// Returns an error if none were provided under that name.
pub fn of_params(params: &Params) -> Result<Option<Arc<Weights>>, Error> {
    let found = |value| provided(value).ok_or_else(|| Error::Missing(value.to_owned()));
    params.text(WEIGHTS).map(found).transpose()
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: &[ParamSpec] = &[ParamSpec::int("side", 1..=9, Some(4)).main("")];

    fn toy() -> Weights {
        let section = |(side, bytes): (i64, &'static [u8])| {
            let rules = vec![("side".to_owned(), Value::Int(side))];
            Section::new("toy".to_owned(), rules, Box::new(|| Ok(bytes.to_vec())))
        };
        let sections = [(3, b"three".as_slice()), (4, b"four")].map(section).into();
        Weights::new("toy.weights".to_owned(), sections)
    }

    #[test]
    fn weights_are_found_by_their_rules_and_decoded_once() {
        let weights = toy();
        let side = |side: i64| move |params: &Params| params.int("side") == Some(side);
        let made = weights.decoded("toy", SPECS, side(4), |bytes| Ok(bytes.to_vec()));
        let made = made.unwrap();
        assert_eq!(*made, b"four");
        let again = weights.decoded::<Vec<u8>>("toy", SPECS, side(4), |_| panic!("made before"));
        assert!(Arc::ptr_eq(&made, &again.unwrap()));
        for (game, wanted) in [("toy", 5), ("other", 4)] {
            let error = weights.decoded(game, SPECS, side(wanted), |_| Ok(()));
            let error = error.unwrap_err().to_string();
            assert!(
                error.contains("no weights for these rules; it has toy/side=3; toy/side=4;"),
                "{error}"
            );
        }
    }

    #[test]
    fn a_value_names_what_was_provided() {
        let mut params = Params::defaults(&[WEIGHTS_PARAM]);
        assert!(of_params(&params).unwrap().is_none());
        let value = WEIGHTS_PARAM.parse(" toy.weights#00ABCDEF ").unwrap();
        params.set(WEIGHTS, value);
        assert!(matches!(of_params(&params), Err(Error::Missing(_))));
        provide("toy.weights#00abcdef".to_owned(), Arc::new(toy()));
        assert!(of_params(&params).unwrap().is_some());
        assert_eq!(WEIGHTS_PARAM.parse(" "), None);
        assert_eq!(parts("a#b"), ("a#b", None));
    }
}
