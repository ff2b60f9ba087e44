//! The plots and the report page of a results folder, from its files alone.

use super::Error;
use crate::report::atomic;
use crate::report::dataset::Dataset;
use crate::report::html::{Page, page};
use crate::report::plots::{moves_plots, win_rate_plots};
use std::path::Path;

/// Writes the SVG files and `report.html` beside `cells.csv`.
///
/// # Errors
/// Names the file that cannot be read or written.
pub fn write(folder: &Path) -> Result<(), Error> {
    let parse = |name: &str, bytes: &[u8]| {
        Dataset::parse(bytes).map_err(|error| Error::Csv(format!("{}: {error}", folder.join(name).display())))
    };
    let path = folder.join("cells.csv");
    let bytes =
        std::fs::read(&path).map_err(|error| Error::Csv(format!("{}: cannot be read: {error}", path.display())))?;
    let cells = parse("cells.csv", &bytes)?;
    let optional = |name: &str| std::fs::read_to_string(folder.join(name)).ok();
    let table = |name: &str| optional(name).map(|text| parse(name, text.as_bytes())).transpose();
    let distributions = table("distributions.csv")?;
    let published = table("published.csv")?;
    let mut plots = win_rate_plots(&cells);
    plots.extend(moves_plots(&cells, distributions.as_ref()));
    for plot in &plots {
        put(folder, &plot.file, &plot.svg)?;
    }
    let name = folder.canonicalize().ok().and_then(|path| Some(path.file_name()?.to_string_lossy().into_owned()));
    let machine = optional("machine.txt");
    let experiment = optional("experiment.toml");
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

fn put(folder: &Path, file: &str, text: &str) -> Result<(), Error> {
    let path = folder.join(file);
    atomic::write(&path, text.as_bytes()).map_err(|error| Error::Write { path, error })
}
