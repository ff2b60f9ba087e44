//! Results compared with each other.

use crate::errors::wrong_input;
use crate::waiting::wait;
use pyo3::prelude::*;
use pyo3::types::PyBytes;
use std::path::PathBuf;
use tilelab::compare::{Options, Side};
use tilelab::report::cells::Record;
use tilelab::report::comparison::{notes, to_csv, to_markdown};
use tilelab::report::other_files::COMPARISON;

/// What a comparison has come to.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Comparison {
    csv: Vec<u8>,
    #[pyo3(get)]
    table: String,
    #[pyo3(get)]
    notes: String,
    #[pyo3(get)]
    only_a: Vec<String>,
    #[pyo3(get)]
    only_b: Vec<String>,
}

#[pymethods]
impl Comparison {
    /// The rows as CSV, and their columns with their kinds.
    fn rows<'py>(&self, py: Python<'py>) -> (Bound<'py, PyBytes>, Vec<(String, String)>) {
        let columns = COMPARISON.iter().map(|column| (column.name.to_owned(), column.kind.name().to_owned()));
        (PyBytes::new(py, &self.csv), columns.collect())
    }
}

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
    games: Option<u64>,
    margin: Option<f64>,
    measure: Option<String>,
    confidence: f64,
) -> PyResult<Comparison> {
    let options = Options { paired: paired.then_some(games), margin, measure, confidence };
    let work = move || {
        options.check()?;
        let side_a = Side::read(&a, paired)?;
        let side_b = b.as_ref().map(|b| Side::read(b, paired)).transpose()?;
        let matched = match (&side_b, by) {
            (Some(b), None) => side_a.with(b)?,
            (None, Some(by)) => side_a.by(&by, baseline.as_deref())?,
            _ => return Err("give either a second result or `by`, the column in which cells differ".to_owned()),
        };
        let pairs = tilelab::compare::compare(&side_a, side_b.as_ref().unwrap_or(&side_a), &matched, &options)?;
        let keys = |rows: &[Record<'_>]| rows.iter().filter_map(|row| row.get("cell").map(str::to_owned)).collect();
        Ok(Comparison {
            csv: to_csv(&pairs, &options),
            table: to_markdown(&pairs, &options),
            notes: notes(&pairs, &options),
            only_a: keys(&matched.only_a),
            only_b: keys(&matched.only_b),
        })
    };
    wait(py, false, move |_| work().map_err(wrong_input), |_| Ok(()))
}
