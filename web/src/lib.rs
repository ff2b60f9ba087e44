//! The library for a browser: games, players and experiments as classes of JavaScript.
//!
//! No rules and no statistics are here. Structures pass as JSON text. Wrong input is an `Error`
//! with the message of the command line. The classes run on the calling thread; the page calls
//! what may take long in workers (`static/worker.js`).

mod catalog;
mod chart;
mod game;
mod networks;
mod record;
#[cfg(feature = "lab")]
mod simulation;
#[cfg(feature = "lab")]
mod tables;
mod text;
mod thinker;

use wasm_bindgen::prelude::*;

/// Called once when the module is loaded: the message of a panic is written to the console, and
/// kept as `tilelabPanic` of the global object, before the panic ends the thread's module.
#[wasm_bindgen(start)]
pub fn start() {
    std::panic::set_hook(Box::new(|panic| {
        text::keep_panic(&panic.to_string());
    }));
}

/// The version of tilelab.
#[wasm_bindgen]
#[must_use]
pub fn version() -> String {
    env!("CARGO_PKG_VERSION").to_owned()
}
