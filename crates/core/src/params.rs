//! Parameters: the settings of games and players, as data.
//!
//! A game or player lists its parameters as a table of [`ParamSpec`]s. From this one table come the
//! validation of experiment files and `--set`, the text of `tilelab list`, the columns of
//! `cells.csv`, the cell keys and the JSON schema.

use crate::json::Json;
use serde::Serialize;
use std::fmt;
use std::ops::RangeInclusive;

/// A parameter's value.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(untagged)]
pub enum Value {
    /// Not given, and there is no default: the parameter does not apply.
    Unset,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// Text.
    Text(String),
}

impl Value {
    /// A JSON truth value, number or text; `None` for lists, objects, null and numbers that fit
    /// neither `i64` nor `f64`.
    pub fn from_json(json: &Json) -> Option<Self> {
        match json {
            Json::Bool(value) => Some(Self::Bool(*value)),
            Json::Number(number) => {
                let whole = number.as_i64().map(Self::Int);
                whole.or_else(|| number.as_f64().map(Self::Float))
            }
            Json::String(text) => Some(Self::Text(text.clone())),
            Json::Null | Json::Array(_) | Json::Object(_) => None,
        }
    }
}

impl fmt::Display for Value {
    /// Plain text as in CSV and cell keys; [`Value::Unset`] is empty.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Unset => Ok(()),
            Self::Bool(value) => value.fmt(f),
            Self::Int(value) => value.fmt(f),
            Self::Float(value) => value.fmt(f),
            Self::Text(value) => value.fmt(f),
        }
    }
}

/// The accepted values of a parameter.
#[derive(Clone, Copy, Debug)]
pub enum Kind {
    /// `true` or `false`.
    Bool,
    /// Whole numbers from `min` to `max`.
    Int {
        /// Smallest value.
        min: i64,
        /// Largest value.
        max: i64,
    },
    /// Numbers from `min` to `max`.
    Float {
        /// Smallest value.
        min: f64,
        /// Largest value.
        max: f64,
    },
    /// One of these words.
    Choice(&'static [&'static str]),
    /// Text in a custom form.
    Text {
        /// The accepted form, as shown in messages.
        accepts: &'static str,
        /// Returns the canonical form, or `None` if the text is not accepted.
        canonical: fn(&str) -> Option<String>,
    },
}

/// The value of a parameter that is not given.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// The parameter is required.
    Required,
    /// The parameter does not apply.
    Unset,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i64),
    /// A number.
    Float(f64),
    /// A word or another text.
    Text(&'static str),
    /// What other parameters say. The parameter is unset then, and its column in `cells.csv` is
    /// there only where a cell says otherwise.
    Implied(fn(&Params) -> Value),
}

/// One parameter of a game or player.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// The key in TOML and `--set`, and the CSV column.
    pub name: &'static str,
    /// The accepted values.
    pub kind: Kind,
    /// The value of the parameter when it is not given.
    pub default: Default,
    /// Main parameters are always part of the cell key and of the leading columns of `cells.csv`.
    /// The others are part of the key only when they differ from their default (so that adding one
    /// changes no seed), and their columns come later.
    pub main: bool,
    /// One line of help, with the unit if there is one.
    pub help: &'static str,
}

impl ParamSpec {
    const fn new(name: &'static str, kind: Kind, default: Default) -> Self {
        Self {
            name,
            kind,
            default,
            main: false,
            help: "",
        }
    }

    /// A whole number; unset if there is no default.
    pub const fn int(name: &'static str, range: RangeInclusive<i64>, default: Option<i64>) -> Self {
        let min = *range.start();
        let max = *range.end();
        let default = match default {
            Some(value) => Default::Int(value),
            None => Default::Unset,
        };
        Self::new(name, Kind::Int { min, max }, default)
    }

    /// A number.
    pub const fn float(name: &'static str, range: RangeInclusive<f64>, default: f64) -> Self {
        let min = *range.start();
        let max = *range.end();
        Self::new(name, Kind::Float { min, max }, Default::Float(default))
    }

    /// One of these words.
    pub const fn choice(
        name: &'static str,
        words: &'static [&'static str],
        default: &'static str,
    ) -> Self {
        Self::new(name, Kind::Choice(words), Default::Text(default))
    }

    /// Text in a custom form, see [`Kind::Text`]; unset if there is no default.
    pub const fn text(
        name: &'static str,
        accepts: &'static str,
        canonical: fn(&str) -> Option<String>,
        default: Option<&'static str>,
    ) -> Self {
        let default = match default {
            Some(text) => Default::Text(text),
            None => Default::Unset,
        };
        Self::new(name, Kind::Text { accepts, canonical }, default)
    }

    /// This parameter, with a value that other parameters imply where it is not given.
    #[must_use]
    pub const fn implied(mut self, by: fn(&Params) -> Value) -> Self {
        self.default = Default::Implied(by);
        self
    }

    /// This parameter, with this help.
    #[must_use]
    pub const fn help(mut self, help: &'static str) -> Self {
        self.help = help;
        self
    }

    /// This parameter as a main one, with this help.
    #[must_use]
    pub const fn main(mut self, help: &'static str) -> Self {
        self.main = true;
        self.help(help)
    }

    /// The value when it is not given; `None` if the parameter is required.
    pub fn default_value(&self) -> Option<Value> {
        match self.default {
            Default::Required => None,
            Default::Unset | Default::Implied(_) => Some(Value::Unset),
            Default::Bool(value) => Some(Value::Bool(value)),
            Default::Int(value) => Some(Value::Int(value)),
            Default::Float(value) => Some(Value::Float(value)),
            Default::Text(value) => Some(Value::Text(value.to_owned())),
        }
    }

    /// The accepted values, as shown in messages.
    pub fn accepts(&self) -> String {
        match self.kind {
            Kind::Bool => "true, false".to_owned(),
            Kind::Int { min, max: i64::MAX } => format!("a whole number from {min} up"),
            Kind::Int { min: i64::MIN, max } => format!("a whole number up to {max}"),
            Kind::Int { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Float {
                min,
                max: f64::INFINITY,
            } => format!("a number from {min} up"),
            Kind::Float { min, max } => format!("a number from {min} to {max}"),
            Kind::Choice(words) => words.join(", "),
            Kind::Text { accepts, .. } => accepts.to_owned(),
        }
    }

    /// Converts a value to its canonical form; `None` if the parameter does not accept it.
    pub fn accept(&self, value: &Value) -> Option<Value> {
        let is_accepted = match (self.kind, value) {
            (Kind::Bool, Value::Bool(_)) => true,
            (Kind::Int { min, max }, Value::Int(number)) => (min..=max).contains(number),
            (Kind::Float { min, max }, Value::Float(number)) => (min..=max).contains(number),
            (Kind::Float { .. }, Value::Int(number)) => {
                return self.accept(&Value::Float(*number as f64));
            }
            (Kind::Choice(words), Value::Text(text)) => words.contains(&text.as_str()),
            (Kind::Text { canonical, .. }, Value::Text(text)) => {
                return canonical(text).map(Value::Text);
            }
            _ => false,
        };
        is_accepted.then(|| value.clone())
    }

    /// Reads a value from the text of `--set`.
    pub fn parse(&self, text: &str) -> Option<Value> {
        let value = match self.kind {
            Kind::Bool => Value::Bool(text.parse().ok()?),
            Kind::Int { .. } => Value::Int(text.parse().ok()?),
            Kind::Float { .. } => Value::Float(text.parse().ok()?),
            Kind::Choice(_) | Kind::Text { .. } => Value::Text(text.to_owned()),
        };
        self.accept(&value)
    }
}

/// The values of all parameters of one game or player, in the order of its table.
#[derive(Clone, Debug, PartialEq)]
pub struct Params {
    entries: Vec<(&'static str, Value)>,
}

impl Params {
    /// All defaults; required parameters are unset.
    pub fn defaults(specs: &[ParamSpec]) -> Self {
        Self {
            entries: specs
                .iter()
                .map(|spec| (spec.name, spec.default_value().unwrap_or(Value::Unset)))
                .collect(),
        }
    }

    /// The value of a parameter; `None` if there is no such parameter.
    pub fn find(&self, name: &str) -> Option<&Value> {
        let entry = self.entries.iter().find(|(known, _)| *known == name);
        entry.map(|(_, value)| value)
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// Panics if the table has no such parameter.
    pub fn get(&self, name: &str) -> &Value {
        self.find(name)
            .unwrap_or_else(|| panic!("no parameter {name}"))
    }

    /// Sets a parameter to a value that its spec accepts.
    ///
    /// # Panics
    /// Panics if the table has no such parameter.
    pub fn set(&mut self, name: &str, value: Value) {
        let entry = self.entries.iter_mut().find(|(known, _)| *known == name);
        entry.unwrap_or_else(|| panic!("no parameter {name}")).1 = value;
    }

    /// The value of a parameter, or what others imply of it where it is not given.
    pub fn effective(&self, spec: &ParamSpec) -> Value {
        match (self.get(spec.name), spec.default) {
            (Value::Unset, Default::Implied(by)) => by(self),
            (value, _) => value.clone(),
        }
    }

    /// Takes out what other parameters imply anyway, so that equal rules have equal keys.
    pub fn drop_implied(&mut self, specs: &[ParamSpec]) {
        for spec in specs {
            if let Default::Implied(by) = spec.default
                && *self.get(spec.name) == by(self)
            {
                self.set(spec.name, Value::Unset);
            }
        }
    }

    /// The defaults changed by `key=value` settings separated by white space, as in `"rules=gapless
    /// rows=4"`.
    ///
    /// # Errors
    /// Returns an error that names the invalid setting and the accepted values. A required
    /// parameter may stay unset; see [`Params::require`].
    pub fn parse(specs: &[ParamSpec], text: &str) -> Result<Self, SettingError> {
        Self::from_settings(specs, text.split_whitespace())
    }

    /// The defaults changed by these `key=value` settings, in their order; see [`Params::change`].
    ///
    /// # Errors
    /// Same as [`Params::parse`].
    pub fn from_settings<S: AsRef<str>>(
        specs: &[ParamSpec],
        settings: impl IntoIterator<Item = S>,
    ) -> Result<Self, SettingError> {
        let mut params = Self::defaults(specs);
        for setting in settings {
            params.change(specs, setting.as_ref())?;
        }
        Ok(params)
    }

    /// The parameters with exactly these values; `None` if a name is not in the table, a value is
    /// not accepted, or a parameter that has a default is missing.
    pub fn from_values(specs: &[ParamSpec], values: &[(String, Value)]) -> Option<Self> {
        let mut params = Self::defaults(specs);
        specs
            .iter()
            .for_each(|spec| params.set(spec.name, Value::Unset));
        for (key, value) in values {
            let spec = known_spec(specs, key).ok()?;
            params.set(spec.name, spec.accept(value)?);
        }
        let is_missing = |spec: &ParamSpec| {
            *params.get(spec.name) == Value::Unset && spec.default_value() != Some(Value::Unset)
        };
        (!specs.iter().any(is_missing)).then_some(params)
    }

    /// Applies one `key=value` setting. `size=6x7` sets `rows` and `cols` if the table has both.
    ///
    /// # Errors
    /// Returns an error that names the invalid setting and the accepted values. The parameters are
    /// then unchanged, except that `size` may have set `rows`.
    pub fn change(&mut self, specs: &[ParamSpec], setting: &str) -> Result<(), SettingError> {
        let Some((key, text)) = setting.split_once('=') else {
            return Err(SettingError::Form {
                setting: setting.to_owned(),
            });
        };
        if key == "size" && has_size(specs) {
            let Some((rows, cols)) = text.split_once(['x', '×']) else {
                let accepted = "rows x columns, such as 6x7".to_owned();
                return Err(SettingError::Value {
                    key: key.to_owned(),
                    value: text.to_owned(),
                    accepted,
                });
            };
            self.change_text(specs, "rows", rows)?;
            return self.change_text(specs, "cols", cols);
        }
        self.change_text(specs, key, text)
    }

    fn change_text(
        &mut self,
        specs: &[ParamSpec],
        key: &str,
        text: &str,
    ) -> Result<(), SettingError> {
        let spec = known_spec(specs, key)?;
        self.set_given(spec, spec.parse(text), text)
    }

    /// Sets a parameter to the value that was read from `given`, if its spec accepts one.
    fn set_given(
        &mut self,
        spec: &ParamSpec,
        value: Option<Value>,
        given: &str,
    ) -> Result<(), SettingError> {
        let value = value.ok_or_else(|| SettingError::Value {
            key: spec.name.to_owned(),
            value: given.to_owned(),
            accepted: spec.accepts(),
        })?;
        self.set(spec.name, value);
        Ok(())
    }

    /// Changes one parameter to a JSON value.
    ///
    /// # Errors
    /// Returns an error that names the unknown key or invalid value and what is accepted.
    pub fn change_json(
        &mut self,
        specs: &[ParamSpec],
        key: &str,
        json: &Json,
    ) -> Result<(), SettingError> {
        let spec = known_spec(specs, key)?;
        let value = Value::from_json(json).and_then(|value| spec.accept(&value));
        self.set_given(spec, value, &json.to_string())
    }

    /// Checks that every required parameter has been given.
    ///
    /// # Errors
    /// Returns an error that names the first missing parameter and its accepted values.
    pub fn require(&self, specs: &[ParamSpec]) -> Result<(), SettingError> {
        let missing = specs
            .iter()
            .find(|spec| spec.default_value().is_none() && *self.get(spec.name) == Value::Unset);
        missing.map_or(Ok(()), |spec| {
            Err(SettingError::Missing {
                key: spec.name.to_owned(),
                accepted: spec.accepts(),
            })
        })
    }

    /// A whole number; `None` when unset.
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// A whole number from 0 up of a parameter with a default.
    ///
    /// # Panics
    /// Panics if it is unset, or negative.
    pub fn count(&self, name: &str) -> u64 {
        let number = self.int(name).expect("a parameter with a default");
        number.try_into().expect("a whole number from 0 up")
    }

    /// The number of a parameter that is no whole number; it always has a default.
    ///
    /// # Panics
    /// Panics if there is no such parameter.
    pub fn float(&self, name: &str) -> f64 {
        match self.get(name) {
            Value::Float(value) => *value,
            other => panic!("{name} is {other}, not a number with a default"),
        }
    }

    /// Text; `None` when unset.
    pub fn text(&self, name: &str) -> Option<&str> {
        match self.get(name) {
            Value::Text(value) => Some(value),
            _ => None,
        }
    }

    /// Names and values in the order of the table.
    pub fn iter(&self) -> impl Iterator<Item = (&'static str, &Value)> {
        self.entries.iter().map(|(name, value)| (*name, value))
    }

    /// `name=value` pairs joined by commas: main parameters, and others that differ from their
    /// default.
    ///
    /// Values are written as they are, except that commas, equals signs, parentheses and white
    /// space in text are written as `%XX`.
    pub fn key(&self, specs: &[ParamSpec]) -> String {
        let pairs: Vec<String> = specs
            .iter()
            .filter(|spec| spec.main || spec.default_value().as_ref() != Some(self.get(spec.name)))
            .map(|spec| format!("{}={}", spec.name, escape(&self.get(spec.name).to_string())))
            .collect();
        pairs.join(",")
    }
}

/// The spec of this name.
fn known_spec<'a>(specs: &'a [ParamSpec], key: &str) -> Result<&'a ParamSpec, SettingError> {
    specs
        .iter()
        .find(|spec| spec.name == key)
        .ok_or_else(|| SettingError::Unknown {
            key: key.to_owned(),
            accepted: has_size(specs)
                .then_some("size")
                .into_iter()
                .chain(specs.iter().map(|spec| spec.name))
                .collect(),
        })
}

/// Whether `size=6x7` stands for two of the parameters.
fn has_size(specs: &[ParamSpec]) -> bool {
    ["rows", "cols"]
        .iter()
        .all(|name| specs.iter().any(|spec| spec.name == *name))
}

fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if matches!(character, ',' | '=' | '(' | ')' | '%') || character.is_whitespace() {
            let mut bytes = [0; 4];
            for byte in character.encode_utf8(&mut bytes).bytes() {
                escaped.push_str(&format!("%{byte:02X}"));
            }
        } else {
            escaped.push(character);
        }
    }
    escaped
}

/// An invalid parameter, with the reason and the accepted values.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct ParamError {
    /// The parameter's key.
    pub key: String,
    /// The problem and the accepted values.
    pub message: String,
}

impl ParamError {
    /// An error about the parameter `key`.
    pub fn new(key: &str, message: impl Into<String>) -> Self {
        Self {
            key: key.to_owned(),
            message: message.into(),
        }
    }
}

/// A `key=value` setting that cannot be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SettingError {
    /// The setting has no equals sign.
    #[error("{setting}: write key=value")]
    Form {
        /// The setting as it was written.
        setting: String,
    },
    /// No parameter has this name.
    #[error("{key}: unknown; accepted: {}{}", accepted.join(", "), did_you_mean(key, accepted))]
    Unknown {
        /// The unknown key.
        key: String,
        /// The keys that are accepted.
        accepted: Vec<&'static str>,
    },
    /// The parameter does not take this value.
    #[error("{key}={value}: not accepted; accepted: {accepted}")]
    Value {
        /// The parameter's key.
        key: String,
        /// The value as it was written.
        value: String,
        /// The accepted values, as shown in messages.
        accepted: String,
    },
    /// A required parameter was not given.
    #[error("{key} is missing; accepted: {accepted}")]
    Missing {
        /// The parameter's key.
        key: String,
        /// The accepted values, as shown in messages.
        accepted: String,
    },
}

/// `; did you mean "name"?`, or nothing if no known name is close.
pub fn did_you_mean(misspelt: &str, known: &[&str]) -> String {
    suggestion(misspelt, known.iter().copied())
        .map(|near| format!("; did you mean {near:?}?"))
        .unwrap_or_default()
}

/// What a message ends with where nothing similar is known to a game.
pub const OWN_RULES: &str = "; rules of your own: docs/own-games.md";

/// The known name closest to a misspelt one, if it is close enough.
pub fn suggestion<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .filter(|name| misspelt.len() < 2 * name.len() + 8)
        .map(|name| {
            (
                strsim::damerau_levenshtein(&misspelt.to_lowercase(), &name.to_lowercase()),
                name,
            )
        })
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: [ParamSpec; 3] = [
        ParamSpec::float("rate", 0.0..=1.0, 0.5).main(""),
        ParamSpec::int("limit", 1..=i64::MAX, None).help(""),
        ParamSpec {
            name: "rules",
            kind: Kind::Choice(&["a", "b"]),
            default: Default::Required,
            main: true,
            help: "",
        },
    ];

    #[test]
    fn keys_name_main_parameters_and_what_differs() {
        let mut params = Params::defaults(&SPECS);
        params.set("rules", Value::Text("a".into()));
        assert_eq!(params.key(&SPECS), "rate=0.5,rules=a");
        params.set("limit", Value::Int(7));
        assert_eq!(params.key(&SPECS), "rate=0.5,limit=7,rules=a");
    }

    #[test]
    fn values_are_checked() {
        assert_eq!(SPECS[0].accept(&Value::Int(1)), Some(Value::Float(1.0)));
        assert_eq!(SPECS[0].accept(&Value::Float(1.5)), None);
        assert_eq!(SPECS[0].accept(&Value::Float(f64::NAN)), None);
        assert_eq!(SPECS[1].parse("0"), None);
        assert_eq!(SPECS[2].parse("c"), None);
        assert_eq!(SPECS[1].accepts(), "a whole number from 1 up");
    }

    #[test]
    fn settings_are_parsed_in_one_place() {
        let specs = [SPECS.as_slice(), &["rows", "cols"].map(side)].concat();
        let params = Params::parse(&specs, "rules=a  rate=1 size=6x7").unwrap();
        assert_eq!(params.key(&specs), "rate=1,rules=a,rows=6,cols=7");
        let wrong = |text| Params::parse(&specs, text).unwrap_err().to_string();
        assert_eq!(wrong("rules"), "rules: write key=value");
        assert_eq!(
            wrong("ruls=a"),
            "ruls: unknown; accepted: size, rate, limit, rules, rows, cols; did you mean \"rules\"?"
        );
        assert_eq!(wrong("rules=c"), "rules=c: not accepted; accepted: a, b");
        assert_eq!(
            wrong("size=6xseven"),
            "cols=seven: not accepted; accepted: a whole number from 1 to 64"
        );
        assert_eq!(
            wrong("size=6"),
            "size=6: not accepted; accepted: rows x columns, such as 6x7"
        );
        let missing = Params::parse(&specs, "")
            .unwrap()
            .require(&specs)
            .unwrap_err();
        assert_eq!(missing.to_string(), "rules is missing; accepted: a, b");
        let mut params = params;
        params.change_json(&specs, "limit", &Json::from(9)).unwrap();
        assert_eq!(params.int("limit"), Some(9));
        assert!(
            params
                .change_json(&specs, "limit", &Json::from([9]))
                .is_err()
        );
    }

    fn side(name: &'static str) -> ParamSpec {
        ParamSpec::int(name, 1..=64, Some(4)).main("")
    }

    #[test]
    fn near_names_are_suggested() {
        assert_eq!(
            suggestion("orignal", ["original", "gapless"]),
            Some("original")
        );
        assert_eq!(suggestion("xyz", ["original", "gapless"]), None);
    }
}
