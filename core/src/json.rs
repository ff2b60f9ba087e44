//! Positions and lines of transcripts as data that display as JSON.
//!
//! The core writes JSON and reads values that its callers have parsed, so it needs no parser.

use crate::tally::GameResult;
use std::fmt;
use std::ops::Index;

/// A JSON value.
#[derive(Clone, Debug, PartialEq)]
pub enum Json {
    /// Nothing.
    Null,
    /// A truth value.
    Bool(bool),
    /// A whole number.
    Int(i128),
    /// Any other number; finite.
    Float(f64),
    /// A text.
    String(String),
    /// A list.
    Array(Vec<Json>),
    /// Fields with their unique keys, in display order.
    Object(Vec<(String, Json)>),
}

impl Json {
    /// An object with these fields.
    #[must_use]
    pub fn object<const N: usize>(fields: [(&str, Json); N]) -> Self {
        Self::Object(fields.map(|(key, value)| (key.to_owned(), value)).into())
    }

    /// Adds a field at the end of an object.
    ///
    /// # Panics
    /// Panics if this is no object.
    pub fn push(&mut self, key: &str, value: impl Into<Json>) {
        let Self::Object(fields) = self else {
            panic!("{self} has no fields");
        };
        fields.push((key.to_owned(), value.into()));
    }

    /// The field of an object with this key.
    #[must_use]
    pub fn get(&self, key: &str) -> Option<&Json> {
        let fields = self.as_object()?;
        fields
            .iter()
            .find_map(|(known, value)| (known == key).then_some(value))
    }

    /// The keys of an object.
    #[must_use]
    pub fn keys(&self) -> Option<impl Iterator<Item = &str>> {
        Some(self.as_object()?.iter().map(|(key, _)| key.as_str()))
    }

    /// The fields of an object.
    #[must_use]
    pub fn as_object(&self) -> Option<&[(String, Json)]> {
        match self {
            Self::Object(fields) => Some(fields),
            _ => None,
        }
    }

    /// The items of a list.
    #[must_use]
    pub fn as_array(&self) -> Option<&[Json]> {
        match self {
            Self::Array(items) => Some(items),
            _ => None,
        }
    }

    /// A text.
    #[must_use]
    pub fn as_str(&self) -> Option<&str> {
        match self {
            Self::String(text) => Some(text),
            _ => None,
        }
    }

    /// A whole number of 64 bits.
    #[must_use]
    pub fn as_i64(&self) -> Option<i64> {
        match self {
            Self::Int(number) => i64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A whole number from 0 up, of 64 bits.
    #[must_use]
    pub fn as_u64(&self) -> Option<u64> {
        match self {
            Self::Int(number) => u64::try_from(*number).ok(),
            _ => None,
        }
    }

    /// A string without quotes; any other value as JSON.
    #[must_use]
    pub fn plain(&self) -> String {
        self.as_str()
            .map_or_else(|| self.to_string(), str::to_owned)
    }
}

/// The field with this key; [`Json::Null`] if there is none.
impl Index<&str> for Json {
    type Output = Json;

    fn index(&self, key: &str) -> &Json {
        self.get(key).unwrap_or(&Json::Null)
    }
}

/// The item at this index; [`Json::Null`] if there is none.
impl Index<usize> for Json {
    type Output = Json;

    fn index(&self, number: usize) -> &Json {
        self.as_array()
            .and_then(|items| items.get(number))
            .unwrap_or(&Json::Null)
    }
}

impl fmt::Display for Json {
    /// Compact JSON.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Bool(value) => value.fmt(f),
            Self::Int(number) => number.fmt(f),
            Self::Float(number) => write!(f, "{number:?}"),
            Self::String(text) => write_text(f, text),
            Self::Array(items) => {
                f.write_str("[")?;
                for (number, item) in items.iter().enumerate() {
                    f.write_str(if number == 0 { "" } else { "," })?;
                    item.fmt(f)?;
                }
                f.write_str("]")
            }
            Self::Object(fields) => {
                f.write_str("{")?;
                for (number, (key, value)) in fields.iter().enumerate() {
                    f.write_str(if number == 0 { "" } else { "," })?;
                    write_text(f, key)?;
                    f.write_str(":")?;
                    value.fmt(f)?;
                }
                f.write_str("}")
            }
        }
    }
}

fn write_text(f: &mut fmt::Formatter<'_>, text: &str) -> fmt::Result {
    use fmt::Write;
    f.write_str("\"")?;
    for character in text.chars() {
        match character {
            '"' => f.write_str("\\\"")?,
            '\\' => f.write_str("\\\\")?,
            '\n' => f.write_str("\\n")?,
            '\r' => f.write_str("\\r")?,
            '\t' => f.write_str("\\t")?,
            '\u{8}' => f.write_str("\\b")?,
            '\u{c}' => f.write_str("\\f")?,
            '\0'..='\u{1f}' => write!(f, "\\u{:04x}", u32::from(character))?,
            _ => f.write_char(character)?,
        }
    }
    f.write_str("\"")
}

/// A [`Json`] object from its fields, or any value that converts to [`Json`].
macro_rules! json {
    ({$($key:literal: $value:expr),* $(,)?}) => {
        $crate::json::Json::object([$(($key, $crate::json::Json::from($value))),*])
    };
    ($value:expr) => {
        $crate::json::Json::from($value)
    };
}

pub(crate) use json;

macro_rules! from_whole_numbers {
    ($($number:ty),*) => {
        $(impl From<$number> for Json {
            fn from(number: $number) -> Self {
                Self::Int(number as i128)
            }
        })*
    };
}

from_whole_numbers!(u8, u16, u32, i32, u64, i64, usize);

impl From<bool> for Json {
    fn from(value: bool) -> Self {
        Self::Bool(value)
    }
}

impl From<&str> for Json {
    fn from(text: &str) -> Self {
        Self::String(text.to_owned())
    }
}

impl From<String> for Json {
    fn from(text: String) -> Self {
        Self::String(text)
    }
}

impl From<GameResult> for Json {
    fn from(result: GameResult) -> Self {
        result.name().into()
    }
}

impl<T: Into<Json>> From<Option<T>> for Json {
    fn from(value: Option<T>) -> Self {
        value.map_or(Self::Null, Into::into)
    }
}

impl<T: Into<Json>> From<Vec<T>> for Json {
    fn from(items: Vec<T>) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Json> + Clone> From<&[T]> for Json {
    fn from(items: &[T]) -> Self {
        items.iter().cloned().collect()
    }
}

impl<T: Into<Json>, const N: usize> From<[T; N]> for Json {
    fn from(items: [T; N]) -> Self {
        items.into_iter().collect()
    }
}

impl<T: Into<Json>> FromIterator<T> for Json {
    fn from_iter<I: IntoIterator<Item = T>>(items: I) -> Self {
        Self::Array(items.into_iter().map(Into::into).collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn values_are_shown_as_json() {
        let value = Json::object([
            ("list", [1, -2].into()),
            ("none", None::<u8>.into()),
            ("text", "a\"\\\n\u{1}é".into()),
            ("most", u64::MAX.into()),
            ("yes", true.into()),
            ("half", Json::Float(0.5)),
        ]);
        assert_eq!(
            value.to_string(),
            r#"{"list":[1,-2],"none":null,"text":"a\"\\\n\u0001é","most":18446744073709551615,"yes":true,"half":0.5}"#
        );
        assert_eq!(value["list"][1], Json::Int(-2));
        assert_eq!(value["list"][2], Json::Null);
        assert_eq!(value["other"], Json::Null);
        assert_eq!(value["most"].as_i64(), None);
        assert_eq!(value["text"].plain(), "a\"\\\n\u{1}é");
    }
}
