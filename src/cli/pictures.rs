//! Pictures of what is not a results folder: speeds.

use crate::report::plots::speed_plot;
use anyhow::Context;
use std::path::Path;
use tilelab_output::atomic;
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// Draws what `tilelab bench --json` printed into an SVG file beside it, of the same name.
///
/// # Errors
/// When the file is not such a record, or the plot cannot be written.
pub fn write_speeds(record: &Path) -> anyhow::Result<()> {
    let json = files::read_text(record, TEXT_BYTES_MAX)
        .map_err(|error| super::input_error(format!("{}: {error}", record.display())))?;
    let plot = speed_plot(&json)
        .map_err(|error| super::input_error(format!("{}: {error}", record.display())))?;
    let path = record.with_extension("svg");
    atomic::write(&path, plot.svg.as_bytes())
        .with_context(|| format!("{}: cannot be written", path.display()))
}
