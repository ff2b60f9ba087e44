//! Positions and lines of transcripts as JSON.

pub use serde_json::{Value as Json, json};

/// A text without quotes; any other value as JSON.
pub fn plain(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}
