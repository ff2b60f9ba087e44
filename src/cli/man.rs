//! `tilelab man`: manual pages.

use super::{Cli, input_error};
use clap::CommandFactory;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write manual pages, one a verb, into a folder
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab man ~/.local/share/man/man1 && man tilelab-run")]
pub struct Args {
    /// The folder; it is made if it is not there
    #[arg(value_name = "DIR")]
    folder: PathBuf,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let folder = &args.folder;
    std::fs::create_dir_all(folder)
        .and_then(|()| clap_mangen::generate_to(Cli::command(), folder))
        .map_err(|error| input_error(format!("{}: cannot be written: {error}", folder.display())))?;
    Ok(ExitCode::SUCCESS)
}
