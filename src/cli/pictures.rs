//! The plots and the report page of a results folder, from its files alone.

use crate::report::atomic;
use crate::report::dataset::Dataset;
use crate::report::html::{Page, page};
use crate::report::plots::{moves_plots, speed_plot, win_rate_plots};
use crate::report::tournament::heat_map;
use anyhow::Context;
use std::path::Path;

/// Writes the SVG files and `report.html` beside `cells.csv`.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn write(folder: &Path) -> anyhow::Result<()> {
    let path = folder.join("cells.csv");
    let bytes = std::fs::read(&path).with_context(|| format!("{}: cannot be read", path.display()))?;
    let cells = Dataset::parse(&bytes).map_err(|error| anyhow::anyhow!("{}: {error}", path.display()))?;
    let optional = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let table = |name: &str| {
        let parsed = optional(name).map(|text| Dataset::parse(text.as_bytes()));
        parsed.transpose().map_err(|error| anyhow::anyhow!("{}: {error}", folder.join(name).display()))
    };
    let (distributions, published) = (table("distributions.csv")?, table("published.csv")?);
    let mut plots = win_rate_plots(&cells);
    plots.extend(moves_plots(&cells, distributions.as_ref()));
    for plot in &plots {
        put(folder, &plot.file, &plot.svg)?;
    }
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let (machine, experiment) = (optional("machine.txt"), optional("experiment.toml"));
    let contents = Page {
        name: name.as_deref().unwrap_or("results"),
        cells: &cells,
        distributions: distributions.as_ref(),
        published: published.as_ref(),
        experiment: experiment.as_deref(),
        machine: machine.as_deref(),
    };
    put(folder, "report.html", &page(&contents))
}

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
