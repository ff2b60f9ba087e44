//! `tilelab init`: writes an experiment to begin with.

use super::{input_error, set};
use crate::experiment::is_name;
use crate::plan::template;
use anyhow::Context;
use std::io::{ErrorKind, Write};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use tilelab_output::files::File;

/// Write a commented experiment file to begin with
///
/// The file has one table and explains every key; the parameters of the game stand there with their
/// defaults. A file that exists is never changed.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab init rates.toml --game 2048")]
pub struct Args {
    /// The file to write; its name without the ending becomes the name of the experiment
    #[arg(value_name = "FILE", default_value = "experiment.toml")]
    file: PathBuf,
    /// The game (`tilelab list games`)
    #[arg(long, value_name = "G", default_value = "sixty-seven")]
    game: String,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let game = set::game(&args.game)?;
    let file = &args.file;
    let name = file
        .file_stem()
        .and_then(|name| name.to_str())
        .filter(|name| is_name(name));
    let name = name.ok_or_else(|| {
        let shown = file.display();
        input_error(format!(
            "{shown}: the name of the experiment; accepted: letters, digits, - and _ before the ending"
        ))
    })?;
    create(file, &template(name, game))?;
    let shown = file.display();
    say!("{shown}: written; edit it, then: tilelab check {shown} && tilelab run {shown}");
    Ok(ExitCode::SUCCESS)
}

/// Writes a file that must not exist yet.
fn create(file: &Path, text: &str) -> anyhow::Result<()> {
    let shown = file.display();
    let created = File::create_new(file);
    let mut created = created.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => {
            input_error(format!("{shown}: is there already; name another file"))
        }
        _ => input_error(format!("{shown}: cannot be written: {error}")),
    })?;
    created
        .write_all(text.as_bytes())
        .with_context(|| format!("{shown}: cannot be written"))
}
