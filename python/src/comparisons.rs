//! Results compared with each other.

use crate::cells::Cells;
use crate::errors::wrong_input;
use crate::waiting::wait;
use pyo3::prelude::*;
use std::path::PathBuf;
use tilelab::compare::{ComparisonOptions, Side};
use tilelab::report::cells::Record;
use tilelab::report::comparison::{notes, to_csv, to_markdown};
use tilelab::report::schema::COMPARISON;

/// What a comparison has come to: its rows, its table and notes in Markdown, and the keys of cells
/// that are in the first result only and in the second only.
type Found = (Cells, String, String, Vec<String>, Vec<String>);

/// Compares two results folders or files, or the cells of one by a column, as `tilelab compare`
/// does; `paired` says whether in pairs of games, and `games` how many of the first.
#[pyfunction]
#[expect(clippy::too_many_arguments, reason = "the options of the command")]
pub fn compare(
    py: Python<'_>,
    a: PathBuf,
    b: Option<PathBuf>,
    by: Option<String>,
    baseline: Option<String>,
    paired: bool,
    unpaired_ok: bool,
    games: Option<u64>,
    margin: Option<f64>,
    measure: Option<String>,
    confidence: f64,
) -> PyResult<Found> {
    let options = ComparisonOptions {
        paired: paired.then_some(games),
        unpaired_ok,
        margin,
        measure,
        confidence,
    };
    let work = move || {
        options.check()?;
        let side_a = Side::read(&a)?;
        let side_b = b.as_ref().map(|b| Side::read(b)).transpose()?;
        let matched = match (&side_b, by) {
            (Some(b), None) => side_a.with(b)?,
            (None, Some(by)) => side_a.by(&by, baseline.as_deref())?,
            _ => {
                return Err(
                    "give either a second result or `by`, the column in which cells differ"
                        .to_owned(),
                );
            }
        };
        let pairs = tilelab::compare::compare(
            &side_a,
            side_b.as_ref().unwrap_or(&side_a),
            &matched,
            &options,
        )?;
        let keys = |rows: &[Record<'_>]| {
            rows.iter()
                .filter_map(|row| row.get("cell").map(str::to_owned))
                .collect()
        };
        let columns = COMPARISON
            .iter()
            .map(|column| (column.name.to_owned(), column.kind.name().to_owned()));
        Ok((
            Cells::new(to_csv(&pairs, &options), columns.collect()),
            to_markdown(&pairs, &options),
            notes(&pairs, &options),
            keys(&matched.only_a),
            keys(&matched.only_b),
        ))
    };
    let work = move |_: &_| crate::pool::shared()?.install(work).map_err(wrong_input);
    wait(py, false, work, |_| Ok(()))
}
