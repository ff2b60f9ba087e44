//! How this program was started, for `machine.txt`.

pub use crate::results::machine::cpu;
use crate::results::machine::head;

/// Command, version, processor and threads, a line each.
#[must_use]
pub fn facts(threads: usize) -> String {
    head(&command(), threads)
}

/// The arguments of the program. Those that are not text are shown with replacement characters.
#[must_use]
pub fn command() -> String {
    let arguments: Vec<String> = std::env::args_os().skip(1).map(|word| word.to_string_lossy().into_owned()).collect();
    arguments.join(" ")
}
