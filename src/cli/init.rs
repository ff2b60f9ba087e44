//! `tilelab init`: writes an experiment, or a game of your own, to begin with.

use super::{DONE, Ended, Result, input_error, set, wrong};
use crate::experiment::is_name;
use crate::plan::template;
use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use tilelab_output::files::{self, File};

/// A game of your own to begin with, and its experiment.
const RULES: &str = include_str!("../../examples/own_game.rs");
const EXPERIMENT: &str = include_str!("../../examples/own_game.toml");
/// The name of the game of the example.
const PIG: &str = "pig";

/// Write a commented experiment file, or a game of your own, to start from
///
/// The file has one table and explains every key; it lists the parameters of the game with their
/// defaults. A file that exists is never changed.
///
/// With --game pig it writes a Rust crate: a program with all commands of tilelab for the rules of
/// a small game, and an experiment. Change the rules into a game of your own (docs/own-games.md).
#[derive(clap::Args)]
#[command(after_help = "Example: tilelab init rates.toml --game 2048\n\
                  Example: tilelab init --game pig")]
pub struct Args {
    /// The file to write, by default experiment.toml; its name without the extension becomes the
    /// name of the experiment. With --game pig: the folder of the crate, by default pig
    file: Option<PathBuf>,
    /// The game (`tilelab list games`), or pig
    #[arg(long, value_name = "G", default_value = "sixty-seven")]
    game: String,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    // A program that has the game writes experiments of it.
    let is_crate = args.game == PIG && crate::catalog::game(PIG).is_none();
    let default = if is_crate { PIG } else { "experiment.toml" };
    let file = args.file.as_deref().unwrap_or(Path::new(default));
    let name = file
        .file_stem()
        .and_then(|name| name.to_str())
        .filter(|name| is_name(name));
    let shown = file.display();
    let name = name.ok_or_else(|| {
        let what = if is_crate { "crate" } else { "experiment" };
        input_error(format!(
            "{shown}: the name of the {what}; accepted: letters, digits, - and _ before the ending"
        ))
    })?;
    if is_crate {
        write_crate(file, name)?;
        say!("{shown}: written; then: cd {shown} && cargo run --release -- run pig.toml");
    } else {
        create(file, &template(name, set::game(&args.game)?))?;
        say!("{shown}: written; edit it, then: tilelab check {shown} && tilelab run {shown}");
    }
    DONE
}

/// Writes a crate into a folder that must not exist yet.
fn write_crate(folder: &Path, name: &str) -> Result<()> {
    let shown = folder.display();
    if files::exists(folder).unwrap_or(true) {
        refuse!("{shown}: already exists; name another folder");
    }
    let source = env!("CARGO_MANIFEST_DIR");
    // What was built in a clone needs no published version.
    let tilelab = if Path::new(source).join("crates/core").is_dir() {
        format!("{{ path = {source:?} }}")
    } else {
        format!("{:?}", env!("CARGO_PKG_VERSION"))
    };
    let manifest = format!(
        "[package]\nname = \"{name}\"\nversion = \"0.1.0\"\nedition = \"2024\"\n\n[dependencies]\n\
         serde = {{ version = \"1\", features = [\"derive\"] }}\ntilelab = {tilelab}\n\n\
         # Also within the folder of another workspace.\n[workspace]\n"
    );
    files::create_dir_all(folder.join("src"))
        .map_err(wrong(format!("{shown}: cannot be written")))?;
    create(&folder.join("Cargo.toml"), &manifest)?;
    create(
        &folder.join("src/main.rs"),
        &RULES.replace("--example own_game ", ""),
    )?;
    create(&folder.join("pig.toml"), EXPERIMENT)
}

/// Writes a file that must not exist yet.
fn create(file: &Path, text: &str) -> Result<()> {
    let shown = file.display();
    let mut created = File::create_new(file).map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            input_error(format!("{shown}: already exists; name another file"))
        }
        _ => input_error(format!("{shown}: cannot be written: {error}")),
    })?;
    created
        .write_all(text.as_bytes())
        .with_context(|| format!("{shown}: cannot be written"))
}
