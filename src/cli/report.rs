//! `tilelab report`: rebuilds what is derived from the CSV files of a results folder.

use super::input_error;
use super::run::explained;
use crate::report::{atomic, folder, pivot, readme};
use crate::results::{Folder, derived};
use crate::text;
use anyhow::Context;
use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::ExitCode;

/// Rebuild the tables, plots and page of a results folder from its CSV files alone
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab report results/readme --readme docs/results.md --check")]
pub struct Args {
    /// A results folder, DIR/NAME of a run; or a .json file that `tilelab bench --json` printed,
    /// which is drawn beside it
    dir: PathBuf,
    /// Put the tables into this file, between <!-- tilelab:NAME:begin --> and <!-- tilelab:NAME:end
    /// -->
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Change nothing; exit with 1 when the tables of the README are stale
    #[arg(long, requires = "readme")]
    check: bool,
    /// Write nothing; print win rates as Markdown tables of two parameters, such as
    /// size,operator_rate
    #[arg(long, value_name = "ROW,COLUMN", value_parser = two_names, conflicts_with_all = ["readme", "check"])]
    pivot: Option<[String; 2]>,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    if args.readme.is_none() && args.dir.extension().is_some_and(|ending| ending == "json") {
        super::pictures::write_speeds(&args.dir)?;
        return Ok(ExitCode::SUCCESS);
    }
    // All files are read before the first is written: wrong input changes nothing. A run that
    // changes them meanwhile would leave tables that contradict them.
    let folder = Folder(args.dir.clone());
    let is_read_only = args.check || args.pivot.is_some();
    let _lock = match (is_read_only, folder.0.is_dir()) {
        (false, true) => Some(folder.hold().map_err(explained)?),
        _ => None,
    };
    let results = derived::read(&folder).map_err(explained)?;
    if let Some(pivot) = &args.pivot {
        let [row, column] = pivot;
        let text = pivot::pivot(&results.cells, row, column)
            .map_err(|error| input_error(format!("--pivot {row},{column}: {error}")))?;
        std::io::stdout().lock().write_all(text.as_bytes())?;
        return Ok(ExitCode::SUCCESS);
    }
    let tables = results.tables();
    let replacement = args
        .readme
        .as_deref()
        .map(|path| replace(path, &args.dir, &tables))
        .transpose()?;
    if !args.check {
        derived::write(&folder, &results).map_err(explained)?;
    }
    let Some(Replacement {
        path,
        name,
        before,
        after,
    }) = replacement
    else {
        return Ok(ExitCode::SUCCESS);
    };
    if after == before {
        return Ok(ExitCode::SUCCESS);
    }
    if args.check {
        let readme = path.display();
        let dir = args.dir.display();
        say!(
            "{readme}: the tables of {name} are stale; run tilelab report {dir} --readme {readme}"
        );
        return Ok(ExitCode::FAILURE);
    }
    atomic::write_output(path, after.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))?;
    Ok(ExitCode::SUCCESS)
}

/// The largest README that is read, in bytes.
const README_BYTES_MAX: u64 = 64 << 20;

/// A README before and after its tables were replaced.
struct Replacement<'a> {
    path: &'a Path,
    name: String,
    before: String,
    after: String,
}

fn replace<'a>(path: &'a Path, dir: &Path, tables: &str) -> anyhow::Result<Replacement<'a>> {
    let wrong = |error: String| input_error(format!("--readme {}: {error}", path.display()));
    let before = text::read_regular(path, README_BYTES_MAX).map_err(wrong)?;
    let name = folder::name(dir).map_err(input_error)?;
    let name =
        name.ok_or_else(|| input_error(format!("{}: is not the name of a folder", dir.display())))?;
    let after = readme::replace(&before, &name, tables).map_err(wrong)?;
    Ok(Replacement {
        path,
        name,
        before,
        after,
    })
}

/// Two names with a comma between.
fn two_names(text: &str) -> Result<[String; 2], String> {
    let (row, column) = text
        .split_once(',')
        .ok_or("write two parameters with a comma between: size,operator_rate")?;
    Ok([row, column].map(|name| name.trim().to_owned()))
}
