//! Writes the JavaScript module that loads a compiled tilelab-web: `tilelab-web-bindgen INPUT.wasm
//! OUTPUT_FOLDER`.
//!
//! It is the command `wasm-bindgen --target web` without its test runner. As a package of this
//! workspace it has the version that Cargo.lock names, and nothing has to be installed.

use std::process::ExitCode;
use wasm_bindgen_cli_support::Bindgen;

fn main() -> ExitCode {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [input, folder] = arguments.as_slice() else {
        eprintln!("write: tilelab-web-bindgen INPUT.wasm OUTPUT_FOLDER");
        return ExitCode::from(2);
    };
    let mut bindgen = Bindgen::new();
    bindgen
        .input_path(input)
        .typescript(true)
        .remove_name_section(true)
        .remove_producers_section(true);
    match bindgen
        .web(true)
        .and_then(|bindgen| bindgen.generate(folder))
    {
        Ok(()) => ExitCode::SUCCESS,
        Err(error) => {
            eprintln!("{input}: {error:#}");
            ExitCode::FAILURE
        }
    }
}
