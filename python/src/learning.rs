//! Training of weights.

use crate::cells::Cells;
use crate::errors::wrong_input;
use crate::experiments::{Experiment, Shared, tell};
use crate::waiting::wait;
use pyo3::exceptions::{PyKeyboardInterrupt, PyRuntimeError};
use pyo3::prelude::*;
use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tilelab::cli;
use tilelab::learn::{Error, LearnObserver, LearnOptions, LearningPoint, Training, beside, sets};
use tilelab::report::schema::LEARNING;
use tilelab::runner::Progress;
use tilelab_output::files::{self, TABLE_BYTES_MAX};

impl LearnObserver for Shared {
    fn progress(&self, progress: &Progress<'_>) {
        tilelab::results::RunObserver::progress(self, progress);
    }

    fn point(&self, _set: usize, _point: &LearningPoint) {}
}

/// Trains weights for the rules of an experiment's cells, as `tilelab learn` does, and returns the
/// learning curves. An interrupted training is saved and goes on when it is asked for again.
#[pyfunction]
#[pyo3(signature = (experiment, out, games, minutes=None, threads=None, start=None, fresh=false, progress=None))]
#[expect(clippy::too_many_arguments, reason = "the options of the command")]
pub fn learn(
    py: Python<'_>,
    experiment: &Experiment,
    out: PathBuf,
    games: u64,
    minutes: Option<f64>,
    threads: Option<usize>,
    start: Option<PathBuf>,
    fresh: bool,
    progress: Option<Py<PyAny>>,
) -> PyResult<Cells> {
    let explained = |error: Error| {
        let text = error.to_string();
        if error.is_wrong_input() {
            wrong_input(text)
        } else {
            PyRuntimeError::new_err(text)
        }
    };
    if let Some(minutes) = minutes.filter(|minutes| !(0.001..=1e6).contains(minutes)) {
        return Err(wrong_input(format!(
            "minutes={minutes}: accepted: a number from 0.001 to 1000000"
        )));
    }
    let sets = sets(&experiment.plan, games).map_err(explained)?;
    let curve = beside(&out, ".csv");
    let options = LearnOptions {
        command: format!("learn {} --games {games} (called from Python)", sets.name),
        out,
        games,
        time: minutes.map(|minutes| Duration::from_secs_f64(60.0 * minutes)),
        threads: threads.unwrap_or_else(cli::run::cores),
        save_every: Duration::from_secs(60),
        fresh,
        from: start,
    };
    let shared = Arc::new(Shared::default());
    let seen = Arc::clone(&shared);
    let work = move |interrupted: &AtomicBool| {
        let training = Training::prepare(&sets, &options).map_err(explained)?;
        let finished = training.run(interrupted, &*seen).map_err(explained)?;
        if finished.interrupted {
            // The caller raises what interrupted the training.
            return Err(PyKeyboardInterrupt::new_err(()));
        }
        Ok(())
    };
    wait(py, true, work, |py| tell(py, progress.as_ref(), &shared))?;
    let columns = LEARNING
        .iter()
        .map(|column| (column.name.to_owned(), column.kind.name().to_owned()));
    Ok(Cells::new(
        files::read(curve, TABLE_BYTES_MAX)?,
        columns.collect(),
    ))
}
