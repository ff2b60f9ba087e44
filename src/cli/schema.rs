//! `tilelab schema`: prints the JSON schema of experiment files.

use crate::schema::schema;
use std::io::Write;
use std::process::ExitCode;

/// Print the JSON schema of experiment files
///
/// An experiment file whose first line is "#:schema tilelab.schema.json" is completed and checked
/// by editors that know the Taplo language server (VS Code, Helix, Neovim, Zed).
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab schema > experiments/tilelab.schema.json")]
pub struct Args {}

/// Runs the verb.
pub fn run(_args: &Args) -> anyhow::Result<ExitCode> {
    let schema = serde_json::to_string_pretty(&schema())?;
    writeln!(std::io::stdout(), "{schema}")?;
    Ok(ExitCode::SUCCESS)
}
