//! `tilelab report`: rebuilds what is derived from the CSV files of a results folder.

use super::formats::{self, Format};
use super::run::explained;
use super::serve::Server;
use super::{DONE, Ended, input_error, interruption, wrong};
use crate::report::{folder, pivot, readme};
use crate::results::{Folder, derived};
use std::path::{Path, PathBuf};
use std::process::ExitCode;
use std::sync::atomic::Ordering;
use std::time::Duration;
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Rebuild the tables, plots and page of a results folder, or write its cells in another format
///
/// Everything is made from the CSV files of the folder alone.
#[derive(clap::Args)]
#[command(after_help = "Examples:\n  \
        tilelab report results/readme --readme docs/results.md --check\n  \
        tilelab report results/readme --format json --output -")]
pub struct Args {
    /// A results folder, DIR/NAME of a run
    dir: PathBuf,
    /// Put the tables into this file, between <!-- tilelab:NAME:begin --> and <!-- tilelab:NAME:end
    /// -->
    #[arg(long, value_name = "FILE")]
    readme: Option<PathBuf>,
    /// Change nothing; exit with 1 when the tables of the README are stale
    #[arg(long, requires = "readme")]
    check: bool,
    /// Write nothing; print win rates as tables of two parameters, such as size,operator_rate
    #[arg(long, value_name = "ROW,COLUMN", value_parser = two_names, conflicts_with_all = ["readme", "check"])]
    pivot: Option<[String; 2]>,
    /// Write nothing; show the page at 127.0.0.1:PORT until Ctrl-C, also while a run goes on
    /// [default port: one that is free]
    #[arg(long, value_name = "PORT", num_args = 0..=1, default_missing_value = "0",
          conflicts_with_all = ["readme", "check", "pivot"])]
    serve: Option<u16>,
    /// Write only the cells, in this format; JSON and Parquet carry types and the schema
    #[arg(long, conflicts_with_all = ["readme", "check", "pivot", "serve"])]
    format: Option<Format>,
    /// Where --format writes: a file, or - for standard output [default: cells.FORMAT in the
    /// folder]
    #[arg(long, value_name = "FILE", requires = "format")]
    output: Option<PathBuf>,
}

/// Runs the verb.
pub fn run(args: &Args) -> Ended {
    if let Some(format) = args.format {
        return formats::write(&args.dir, format, args.output.as_deref());
    }
    if let Some(port) = args.serve {
        return serve(&args.dir, port);
    }
    // All files are read before the first is written: wrong input changes nothing.
    let folder = Folder(args.dir.clone());
    let is_read_only = args.check || args.pivot.is_some();
    // A folder without results is not locked, which would leave a file in it.
    let has_results = folder.state().exists() || folder.0.join("cells.csv").exists();
    let (_lock, results) = if is_read_only || !has_results {
        (None, derived::read(&folder).map_err(explained)?)
    } else {
        let (lock, results) = derived::open(&folder).map_err(explained)?;
        (Some(lock), results)
    };
    if let Some(pivot) = &args.pivot {
        let [row, column] = pivot;
        let tables = pivot::pivot(&results.cells, row, column)
            .map_err(wrong(format!("--pivot {row},{column}")))?;
        if let Some(lacking) = results.lacking() {
            say!("{}: {lacking}", args.dir.display());
        }
        super::print(&tables)?;
        return DONE;
    }
    let Some(path) = &args.readme else {
        derived::write(&folder, &results).map_err(explained)?;
        return DONE;
    };
    let dir = args.dir.display();
    let shown = path.display();
    let place = format!("--readme {shown}");
    let before = files::read_text(path, TEXT_BYTES_MAX).map_err(wrong(&place))?;
    let Some(name) = folder::name(&args.dir).map_err(input_error)? else {
        refuse!("{dir}: is not the name of a folder");
    };
    let tables = results.short_document().to_string();
    let after = readme::replace(&before, &name, &tables).map_err(wrong(place))?;
    if !args.check {
        derived::write(&folder, &results).map_err(explained)?;
    }
    if let Some(lacking) = results.lacking() {
        say!("{dir}: {lacking}");
        if args.check {
            return Ok(ExitCode::FAILURE);
        }
    }
    if after == before {
        return DONE;
    }
    if args.check {
        say!("{shown}: the tables of {name} are stale; run tilelab report {dir} --readme {shown}");
        return Ok(ExitCode::FAILURE);
    }
    super::write_output(path, after.as_bytes())?;
    DONE
}

/// Shows the page until a signal.
fn serve(dir: &Path, port: u16) -> Ended {
    if !dir.is_dir() {
        refuse!("{}: is not a folder", dir.display());
    }
    let interrupted = interruption::flag()?;
    let server =
        Server::start(dir, port).map_err(|error| input_error(format!("--serve: {error:#}")))?;
    say!("report: {} (Ctrl-C ends)", server.address());
    while !interrupted.load(Ordering::Relaxed) {
        std::thread::sleep(Duration::from_millis(100));
    }
    DONE
}

/// Two names with a comma between.
fn two_names(text: &str) -> Result<[String; 2], String> {
    let (row, column) = text
        .split_once(',')
        .ok_or("write two parameters with a comma between: size,operator_rate")?;
    Ok([row, column].map(|name| name.trim().to_owned()))
}
