//! How this program was started, for `machine.txt`.

use std::path::Path;

/// The arguments of the program. Those that are not text are shown with replacement characters.
///
/// Where Python runs the program, the first word is Python and the second is the program.
pub fn command() -> String {
    let words: Vec<String> = std::env::args_os()
        .map(|word| word.to_string_lossy().into_owned())
        .collect();
    let program = words
        .iter()
        .take(2)
        .position(|word| {
            Path::new(word)
                .file_stem()
                .is_some_and(|stem| stem == "tilelab")
        })
        .unwrap_or(0);
    words.get(program + 1..).unwrap_or_default().join(" ")
}
