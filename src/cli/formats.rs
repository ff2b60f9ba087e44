//! The cells of a results folder in other formats.

use super::{DONE, Ended, input_error, wrong};
use crate::dictionary::kind_of_parameter;
use crate::report::cells::Cells;
use crate::report::{json, parquet};
use anyhow::Context;
use std::path::Path;
use tilelab_output::atomic;
use tilelab_output::files::{self, TABLE_BYTES_MAX};

/// A format of cells.
#[derive(clap::ValueEnum, Clone, Copy)]
pub enum Format {
    Csv,
    Json,
    Parquet,
}

/// Writes the cells of a results folder, by default into the folder.
pub fn write(dir: &Path, format: Format, output: Option<&Path>) -> Ended {
    let name = match format {
        Format::Csv => "cells.csv",
        Format::Json => "cells.json",
        Format::Parquet => "cells.parquet",
    };
    let file = dir.join("cells.csv");
    let own = dir.join(name);
    let path = output.unwrap_or(&own);
    let cells = Cells::read_cells(&file).map_err(input_error)?;
    let is_in_file = |game: &str| cells.records().any(|row| row.get("game") == Some(game));
    let columns = json::columns(&cells, &|name| kind_of_parameter(name, is_in_file));
    super::check_writable("--output", path)?;
    let content = match format {
        Format::Csv => files::read(&file, TABLE_BYTES_MAX).map_err(|error| error.to_string()),
        Format::Json => json::to_json(&cells, &columns),
        Format::Parquet => parquet::to_parquet(&cells, &columns),
    };
    let content = content.map_err(wrong(file.display()))?;
    // A name in the folder may be a stranger's link; what the user names is written to as it is.
    let written = match output {
        Some(_) => atomic::write_output(path, &content),
        None => atomic::write(path, &content),
    };
    written.with_context(|| format!("{}: cannot be written", path.display()))?;
    DONE
}
