//! `tilelab export`: `cells.csv` in other formats.

use super::input_error;
use crate::report::cells::Cells;
use crate::report::{atomic, json, parquet};
use crate::results::dictionary::kind_of_parameter;
use anyhow::Context;
use std::path::PathBuf;
use std::process::ExitCode;

/// Write the cells of a results folder in another format, with types and the schema
///
/// JSON and Parquet hold the same data as cells.csv; what a column holds, its type and unit stand
/// in the schema that both carry.
#[derive(clap::Args, Debug)]
#[command(after_help = "Example: tilelab export results/readme --format json --output -")]
pub struct Args {
    /// A results folder: DIR/NAME of a run
    dir: PathBuf,
    /// The format to write
    #[arg(long)]
    format: Format,
    /// Where to write: a file, or - for standard output [default: cells.json or cells.parquet in
    /// the folder]
    #[arg(long, value_name = "FILE")]
    output: Option<PathBuf>,
}

#[derive(clap::ValueEnum, Clone, Copy, Debug, PartialEq, Eq)]
enum Format {
    Json,
    Parquet,
}

/// Runs the verb.
pub fn run(args: &Args) -> anyhow::Result<ExitCode> {
    let name = match args.format {
        Format::Json => "cells.json",
        Format::Parquet => "cells.parquet",
    };
    let output = args.output.clone().unwrap_or_else(|| args.dir.join(name));
    let to_stdout = output.as_os_str() == "-";
    let file = args.dir.join("cells.csv");
    let cells = Cells::read_cells(&file).map_err(input_error)?;
    let is_in_file = |game: &str| cells.records().any(|row| row.get("game") == Some(game));
    let columns = json::columns(&cells, &|name| kind_of_parameter(name, is_in_file));
    if !to_stdout {
        atomic::check_writable(&output).map_err(|error| {
            input_error(format!(
                "--output {}: cannot be written: {error}; name a file that can",
                output.display()
            ))
        })?;
    }
    let content = match args.format {
        Format::Json => json::to_json(&cells, &columns),
        Format::Parquet => parquet::to_parquet(&cells, &columns),
    };
    let content = content.map_err(|error| input_error(format!("{}: {error}", file.display())))?;
    if to_stdout {
        std::io::Write::write_all(&mut std::io::stdout().lock(), &content)?;
    } else {
        atomic::write_output(&output, &content)
            .with_context(|| format!("{}: cannot be written", output.display()))?;
    }
    Ok(ExitCode::SUCCESS)
}
