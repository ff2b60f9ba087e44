//! The built-in networks of 67!: files beside the module, so that a page that does not need them
//! loads quickly.

use crate::text::error;
use serde_json::{Value, json};
use tilelab::players::sixty_seven::networks;
use wasm_bindgen::prelude::*;

/// The files of the networks that games have asked for and that are not there, as a JSON list.
#[wasm_bindgen(js_name = missingNetworks)]
#[must_use]
pub fn missing_networks() -> String {
    json!(networks::missing().collect::<Value>()).to_string()
}

/// Takes in a network.
///
/// # Errors
/// When there is no such network, or the bytes are not those of a network.
#[wasm_bindgen(js_name = provideNetwork)]
pub fn provide_network(file: &str, bytes: Vec<u8>) -> Result<(), JsError> {
    networks::provide(file, bytes).map_err(error)
}
