//! The program `tilelab`, and the whole laboratory under one name: [`tilelab_lab`] and the crates
//! below it.

/// The command line. It is public for the Python package, whose command it is, and no interface for
/// others.
pub mod cli;

/// The program `tilelab`, for the `main` of a crate that has added games or players of its own to
/// the catalog: they are played, listed, saved and compared like the others. Reads the arguments of
/// the process, prints errors, and returns the exit code.
pub fn program() -> std::process::ExitCode {
    cli::tell_of_full_files();
    let code = cli::Cli::read(std::env::args_os())
        .unwrap_or_else(|error| error.exit())
        .execute();
    // Programs may still play games that were given up.
    external::end_all();
    code
}

/// [`program`] with a game of your own, played by the players of any game
/// ([`players::general`]). `tilelab init --game pig` writes a crate to begin with.
pub fn program_with<G: PlayableGame>() -> std::process::ExitCode {
    let entry = GameEntry::of::<G>(players::general::<G>());
    match catalog::add_game(entry) {
        Ok(_) => program(),
        Err(error) => {
            eprintln!("error: {error}");
            std::process::ExitCode::from(2)
        }
    }
}

pub use tilelab_exact as exact;
pub use tilelab_lab::*;
pub use tilelab_learn as learn;
pub use tilelab_play as tui;
