//! Values that cross the border to JavaScript.

use js_sys::BigInt;
use wasm_bindgen::JsCast;
use wasm_bindgen::prelude::*;

#[wasm_bindgen]
extern "C" {
    /// Writes a message to the console.
    #[wasm_bindgen(js_namespace = console, js_name = error)]
    pub fn log_error(message: &str);
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
    number.map_err(|_| error(format!("{name}={text}: not accepted; accepted: a whole number from 0 to {}", u64::MAX)))
}
