//! The command line of tilelab.

use std::process::ExitCode;
use tilelab::cli::Cli;

fn main() -> ExitCode {
    Cli::read(std::env::args_os())
        .unwrap_or_else(|error| error.exit())
        .execute()
}
