//! Pictures of what is not a results folder: speeds and tournaments.

use crate::report::atomic;
use crate::report::plots::speed_plot;
use crate::report::tournament::heat_map;
use anyhow::Context;
use std::path::Path;

/// Draws what `tilelab bench --json` printed into an SVG file beside it, of the same name.
///
/// # Errors
/// When the file is no such record, or the plot cannot be written.
pub fn write_speeds(record: &Path) -> anyhow::Result<()> {
    let json = std::fs::read_to_string(record)
        .map_err(|error| super::input_error(format!("{}: cannot be read: {error}", record.display())))?;
    let plot = speed_plot(&json).map_err(|error| super::input_error(format!("{}: {error}", record.display())))?;
    let path = record.with_extension("svg");
    atomic::write(&path, plot.svg.as_bytes()).with_context(|| format!("{}: cannot be written", path.display()))
}

/// Draws the heat map of a tournament beside its games.
///
/// # Errors
/// When the file holds no games of a tournament, or the plot cannot be written.
pub fn write_heat_map(games: &Path) -> anyhow::Result<()> {
    let bytes = std::fs::read(games)
        .map_err(|error| super::input_error(format!("{}: cannot be read: {error}", games.display())))?;
    let svg = heat_map(&bytes).map_err(|error| super::input_error(format!("{}: {error}", games.display())))?;
    put(games.parent().unwrap_or(Path::new(".")), "heat_map.svg", &svg)
}

fn put(folder: &Path, file: &str, text: &str) -> anyhow::Result<()> {
    let path = folder.join(file);
    atomic::write(&path, text.as_bytes()).with_context(|| format!("{}: cannot be written", path.display()))
}
