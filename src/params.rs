//! Parameters: what games and players can be told, as data.
//!
//! A game or player lists its parameters as a table of [`ParamSpec`]s. From this one table come the validation of experiment
//! files and `--set`, the text of `tilelab list`, the columns of `cells.csv`, the cell keys and the JSON schema.

use std::fmt;

/// A parameter's value.
#[derive(Clone, Debug, PartialEq)]
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

/// Which values a parameter takes.
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
    /// Text of a form of its own.
    Text {
        /// The accepted form, for people.
        accepts: &'static str,
        /// Returns the canonical form, or `None` for text that is not accepted.
        canonical: fn(&str) -> Option<String>,
    },
}

/// What a parameter is when nothing is said.
#[derive(Clone, Copy, Debug)]
pub enum Default {
    /// It has to be given.
    Required,
    /// It does not apply.
    Unset,
    /// This truth value.
    Bool(bool),
    /// This whole number.
    Int(i64),
    /// This number.
    Float(f64),
    /// This word.
    Text(&'static str),
}

/// One parameter of a game or player.
#[derive(Clone, Copy, Debug)]
pub struct ParamSpec {
    /// The key in TOML and `--set`, and the name of the CSV column.
    pub name: &'static str,
    /// Which values it takes.
    pub kind: Kind,
    /// What it is when nothing is said.
    pub default: Default,
    /// Main parameters always stand in the cell key and in the leading columns of `cells.csv`; the others stand in the key only when
    /// they differ from their default (so that adding one changes no seed) and in the columns that the game adds.
    pub main: bool,
    /// One line for people, with the unit where there is one.
    pub help: &'static str,
}

impl ParamSpec {
    /// The value when nothing is said; `None` when the parameter has to be given.
    #[must_use]
    pub fn default_value(&self) -> Option<Value> {
        match self.default {
            Default::Required => None,
            Default::Unset => Some(Value::Unset),
            Default::Bool(value) => Some(Value::Bool(value)),
            Default::Int(value) => Some(Value::Int(value)),
            Default::Float(value) => Some(Value::Float(value)),
            Default::Text(value) => Some(Value::Text(value.to_owned())),
        }
    }

    /// The accepted values, for people.
    #[must_use]
    pub fn accepts(&self) -> String {
        match self.kind {
            Kind::Bool => "true, false".to_owned(),
            Kind::Int { min, max: i64::MAX } => format!("a whole number from {min} up"),
            Kind::Int { min: i64::MIN, max } => format!("a whole number up to {max}"),
            Kind::Int { min, max } => format!("a whole number from {min} to {max}"),
            Kind::Float { min, max: f64::INFINITY } => format!("a number from {min} up"),
            Kind::Float { min, max } => format!("a number from {min} to {max}"),
            Kind::Choice(words) => words.join(", "),
            Kind::Text { accepts, .. } => accepts.to_owned(),
        }
    }

    /// Brings a value into its canonical form; `None` when the parameter does not take it.
    #[must_use]
    pub fn accept(&self, value: &Value) -> Option<Value> {
        match (self.kind, value) {
            (Kind::Bool, Value::Bool(_)) => Some(value.clone()),
            (Kind::Int { min, max }, Value::Int(number)) if (min..=max).contains(number) => Some(value.clone()),
            (Kind::Float { min, max }, Value::Float(number)) if (min..=max).contains(number) => Some(value.clone()),
            (Kind::Float { min, max }, Value::Int(number)) if (min..=max).contains(&(*number as f64)) => {
                Some(Value::Float(*number as f64))
            }
            (Kind::Choice(words), Value::Text(text)) if words.contains(&text.as_str()) => Some(value.clone()),
            (Kind::Text { canonical, .. }, Value::Text(text)) => canonical(text).map(Value::Text),
            _ => None,
        }
    }

    /// Reads a value from the text of `--set`.
    #[must_use]
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
    /// All defaults; parameters that have to be given are unset.
    #[must_use]
    pub fn defaults(specs: &[ParamSpec]) -> Self {
        Self { entries: specs.iter().map(|spec| (spec.name, spec.default_value().unwrap_or(Value::Unset))).collect() }
    }

    /// The value of a parameter.
    ///
    /// # Panics
    /// When the table has no such parameter.
    #[must_use]
    pub fn get(&self, name: &str) -> &Value {
        let entry = self.entries.iter().find(|(known, _)| *known == name);
        &entry.unwrap_or_else(|| panic!("no parameter {name}")).1
    }

    /// Sets a parameter to a value that its spec has accepted.
    ///
    /// # Panics
    /// When the table has no such parameter.
    pub fn set(&mut self, name: &str, value: Value) {
        let entry = self.entries.iter_mut().find(|(known, _)| *known == name);
        entry.unwrap_or_else(|| panic!("no parameter {name}")).1 = value;
    }

    /// A whole number; `None` when unset.
    #[must_use]
    pub fn int(&self, name: &str) -> Option<i64> {
        match self.get(name) {
            Value::Int(value) => Some(*value),
            _ => None,
        }
    }

    /// A number; `None` when unset.
    #[must_use]
    pub fn float(&self, name: &str) -> Option<f64> {
        match self.get(name) {
            Value::Float(value) => Some(*value),
            _ => None,
        }
    }

    /// A truth value; `None` when unset.
    #[must_use]
    pub fn flag(&self, name: &str) -> Option<bool> {
        match self.get(name) {
            Value::Bool(value) => Some(*value),
            _ => None,
        }
    }

    /// Text; `None` when unset.
    #[must_use]
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

    /// `name=value` pairs joined by commas: main parameters, and others that differ from their default.
    ///
    /// Values are written plainly, except that a comma, an equals sign, a parenthesis or white space in text is written as `%XX`.
    #[must_use]
    pub fn key(&self, specs: &[ParamSpec]) -> String {
        let pairs: Vec<String> = specs
            .iter()
            .filter(|spec| spec.main || spec.default_value().as_ref() != Some(self.get(spec.name)))
            .map(|spec| format!("{}={}", spec.name, escape(&self.get(spec.name).to_string())))
            .collect();
        pairs.join(",")
    }
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

/// A parameter that is wrong: which, why, and what would be right.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{key}: {message}")]
pub struct ParamError {
    /// The parameter's key.
    pub key: String,
    /// What is wrong and what would be right.
    pub message: String,
}

impl ParamError {
    /// An error about the parameter `key`.
    #[must_use]
    pub fn new(key: &str, message: impl Into<String>) -> Self {
        Self { key: key.to_owned(), message: message.into() }
    }
}

/// The known name nearest to a misspelt one, when it is near enough to be meant.
#[must_use]
pub fn suggestion<'a>(misspelt: &str, known: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    known
        .into_iter()
        .map(|name| (strsim::damerau_levenshtein(&misspelt.to_lowercase(), &name.to_lowercase()), name))
        .filter(|(distance, name)| *distance <= 1 + name.len() / 4)
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, name)| name)
}

#[cfg(test)]
mod tests {
    use super::*;

    const SPECS: [ParamSpec; 3] = [
        ParamSpec {
            name: "rate",
            kind: Kind::Float { min: 0.0, max: 1.0 },
            default: Default::Float(0.5),
            main: true,
            help: "",
        },
        ParamSpec {
            name: "limit",
            kind: Kind::Int { min: 1, max: i64::MAX },
            default: Default::Unset,
            main: false,
            help: "",
        },
        ParamSpec { name: "rules", kind: Kind::Choice(&["a", "b"]), default: Default::Required, main: true, help: "" },
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
    fn near_names_are_suggested() {
        assert_eq!(suggestion("orignal", ["original", "gapless"]), Some("original"));
        assert_eq!(suggestion("xyz", ["original", "gapless"]), None);
    }
}
