//! `tilelab schema`: prints the JSON schema of experiment files, or the columns of all files.

use crate::results::dictionary;
use crate::schema::schema;
use std::io::Write;
use std::process::ExitCode;

/// Print the JSON schema of experiment files, or the columns of the files that tilelab writes
///
/// An experiment file whose first line is "#:schema tilelab.schema.json" is completed and checked
/// by editors that know the Taplo language server (VS Code, Helix, Neovim, Zed).
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab schema > experiments/tilelab.schema.json")]
pub struct Args {
    /// Print the columns of all files that tilelab writes instead, as Markdown: type, unit, range
    /// and meaning
    #[arg(long)]
    columns: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.columns {
        write!(std::io::stdout(), "{}", dictionary::markdown())?;
        return Ok(ExitCode::SUCCESS);
    }
    let schema = serde_json::to_string_pretty(&schema())?;
    writeln!(std::io::stdout(), "{schema}")?;
    Ok(ExitCode::SUCCESS)
}
