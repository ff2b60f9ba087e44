//! The library for a browser: games, players and experiments as classes of JavaScript.
//!
//! No rules and no statistics are here. Structures pass as JSON text. Wrong input is an `Error` with
//! the message of the command line. The classes run on the calling thread; the page calls what may
//! take long in workers (`static/worker.js`).

mod catalog;
mod game;
mod replay;
mod text;

use wasm_bindgen::prelude::*;

/// Called once when the module is loaded: a panic is written to the console before it ends the
/// thread's module.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        text::log_error(&panic.to_string());
    }));
}

/// The version of tilelab.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
