//! The command line of tilelab.

use std::process::ExitCode;
use tilelab::catalog::Additions;

fn main() -> ExitCode {
    tilelab::main_with(Additions::default())
}
