//! The command line of tilelab.

fn main() -> std::process::ExitCode {
    tilelab::program()
}
