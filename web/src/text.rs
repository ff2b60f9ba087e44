//! Values that cross the border to JavaScript.

use js_sys::BigInt;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Writes a message to the console.
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    fn log_error(message: &str);
}

/// The name of the last panic's message among the properties of the global object.
const PANIC: &str = "tilelabPanic";

/// Keeps the message of a panic where JavaScript finds it: after a panic the module can only trap.
pub fn keep_panic(message: &str) {
    log_error(message);
    // The global object takes properties, and nothing can be done where it does not.
    let _ = js_sys::Reflect::set(&js_sys::global(), &PANIC.into(), &message.into());
}

/// An `Error` with this message.
pub fn error(message: impl std::fmt::Display) -> JsError {
    JsError::new(&message.to_string())
}

/// A whole number from 0 to 2^64 − 1, given as a bigint, a number or decimal text.
pub fn whole(name: &str, value: &JsValue) -> Result<u64, JsError> {
    let text = match (value.as_string(), value.dyn_ref::<BigInt>(), value.as_f64()) {
        (Some(text), _, _) => text,
        (_, Some(number), _) => String::from(number.to_string(10).map_err(|_| error(name))?),
        (_, _, Some(number)) => number.to_string(),
        _ => String::new(),
    };
    let number = text.trim().parse();
    number.map_err(|_| {
        error(format!(
            "{name}={text}: not accepted; accepted: a whole number from 0 to {}",
            u64::MAX
        ))
    })
}
