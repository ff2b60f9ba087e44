//! Positions and lines of transcripts as JSON.

pub use serde_json::{Value as Json, json};

/// A text without quotes; any other value as JSON.
pub fn plain(value: &Json) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

/// Rejects a request with other keys.
///
/// # Errors
/// Returns an error that names the first unknown key and the accepted keys.
pub fn refuse_unknown_keys(request: &Json, known: &[&str]) -> Result<(), String> {
    let mut keys = request.as_object().into_iter().flat_map(|all| all.keys());
    match keys.find(|key| !known.contains(&key.as_str())) {
        Some(unknown) => Err(format!(
            "{unknown}: unknown key; accepted: {}",
            known.join(", ")
        )),
        None => Ok(()),
    }
}
