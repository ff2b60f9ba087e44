//! The program `tilelab`, called from Python.

use pyo3::prelude::*;
use std::io::Write;
use std::process::ExitCode;
use tilelab::cli::Cli;

/// Runs the program with these arguments, the program's name first, and returns its exit code (0 to
/// 255).
///
/// Output goes to the process's own standard output and error, not to `sys.stdout`.
#[pyfunction]
pub fn command_line(py: Python<'_>, arguments: Vec<String>) -> u8 {
    py.detach(|| {
        let code = match Cli::read(arguments) {
            Ok(cli) => number(cli.execute()),
            Err(error) => {
                // A closed standard error changes nothing about the exit code.
                let _ = error.print();
                u8::try_from(error.exit_code()).unwrap_or(2)
            }
        };
        // A Rust program flushes when `main` returns; here nothing else does.
        let _ = std::io::stdout().flush();
        code
    })
}

/// The number of an exit code, which the standard library only compares.
fn number(code: ExitCode) -> u8 {
    (0..=u8::MAX)
        .find(|&number| ExitCode::from(number) == code)
        .expect("an exit code is a number below 256")
}
