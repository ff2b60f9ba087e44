//! `tilelab report`: rebuilds what is derived from the CSV files of a results folder.

use super::input_error;
use super::run::explained;
use crate::report::{atomic, readme};
use crate::results::{Folder, pictures, tables};
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

/// Rebuild the tables, plots and page of a results folder from its CSV files alone
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab report results/readme --readme README.md --check")]
pub struct Args {
    /// A results folder: DIR/NAME of a run, or an Offset tournament's; or a .json file that `tilelab bench --json` printed, which
    /// is drawn beside it
    dir: PathBuf,
    /// Put the tables into this file, between <!-- tilelab:NAME:begin --> and <!-- tilelab:NAME:end -->
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Change nothing; exit with 1 when the tables of the README are stale
    #[arg(long, requires = "readme")]
    check: bool,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.readme.is_none() && args.dir.extension().is_some_and(|ending| ending == "json") {
        super::pictures::write_speeds(&args.dir)?;
        return Ok(ExitCode::SUCCESS);
    }
    let (games, cells) = (args.dir.join("games.csv"), args.dir.join("cells.csv"));
    if args.readme.is_none() && games.exists() && !cells.exists() {
        super::pictures::write_heat_map(&games)?;
        return Ok(ExitCode::SUCCESS);
    }
    let folder = Folder(args.dir.clone());
    let text_of_tables = tables::text(&folder).map_err(explained)?;
    if !args.check {
        tables::write(&folder).map_err(explained)?;
        pictures::write(&args.dir).map_err(explained)?;
    }
    let Some(path) = &args.readme else { return Ok(ExitCode::SUCCESS) };
    let text = std::fs::read_to_string(path)
        .map_err(|error| input_error(format!("--readme {}: cannot be read: {error}", path.display())))?;
    let name = args.dir.canonicalize().ok().and_then(|dir| Some(dir.file_name()?.to_string_lossy().into_owned()));
    let name = name.ok_or_else(|| input_error(format!("{}: names no folder", args.dir.display())))?;
    let replaced = readme::replace(&text, &name, &text_of_tables)
        .map_err(|error| input_error(format!("--readme {}: {error}", path.display())))?;
    if replaced == text {
        return Ok(ExitCode::SUCCESS);
    }
    if args.check {
        let (readme, dir) = (path.display(), args.dir.display());
        eprintln!("{readme}: the tables of {name} are stale; run tilelab report {dir} --readme {readme}");
        return Ok(ExitCode::FAILURE);
    }
    atomic::write(path, replaced.as_bytes()).with_context(|| format!("{}: cannot be written", path.display()))?;
    Ok(ExitCode::SUCCESS)
}
