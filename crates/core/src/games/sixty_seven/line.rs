//! Tiles and lines, and their text form.
//!
//! As text a tile is `_` (blank), `+`, `-`, `*` or a decimal integer of any size; a line is tiles
//! separated by spaces.

use super::Operator;
use super::number::Number;
use num_bigint::BigInt;
use serde::{Serialize, Serializer};
use std::fmt;

/// What stands on a cell.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum Tile {
    /// Nothing.
    #[default]
    Blank,
    /// An operator.
    Operator(Operator),
    /// A number of any size.
    Number(Number),
}

impl Tile {
    /// A number tile.
    pub fn number(value: impl Into<Number>) -> Self {
        Self::Number(value.into())
    }

    /// Whether the cell is free.
    pub const fn is_blank(&self) -> bool {
        matches!(self, Self::Blank)
    }

    /// Reads a tile.
    ///
    /// # Errors
    /// Returns an error that names the text and the accepted forms.
    pub fn parse(text: &str) -> Result<Self, String> {
        if text == "_" {
            return Ok(Self::Blank);
        }
        if let Some(operator) = Operator::from_symbol(text) {
            return Ok(Self::Operator(operator));
        }
        let digits = text.strip_prefix('-').unwrap_or(text);
        if digits.is_empty() || !digits.bytes().all(|byte| byte.is_ascii_digit()) {
            return Err(format!(
                "{text:?} is not a tile; a tile is \"_\", \"+\", \"-\", \"*\" or a decimal integer"
            ));
        }
        let number: BigInt = text
            .parse()
            .expect("an optional minus sign and digits are an integer");
        Ok(Self::number(number))
    }
}

impl fmt::Display for Tile {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Blank => f.write_str("_"),
            Self::Operator(operator) => write!(f, "{}", operator.symbol()),
            Self::Number(number) => number.fmt(f),
        }
    }
}

impl Serialize for Tile {
    /// Writes the tile as its text.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_str(self)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn tiles_round_trip() {
        for text in [
            "_",
            "+",
            "-",
            "*",
            "0",
            "-12",
            "123456789012345678901234567890",
        ] {
            assert_eq!(Tile::parse(text).unwrap().to_string(), text);
        }
        for text in ["", "x", "1.5", "--1", "+1", "١"] {
            assert!(Tile::parse(text).is_err(), "{text}");
        }
    }
}
