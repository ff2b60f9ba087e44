//! The command line of tilelab.

use clap::Parser;
use std::process::ExitCode;

fn main() -> ExitCode {
    tilelab::cli::Cli::parse().execute()
}
