//! Errors as Python sees them.

use pyo3::PyErr;
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use std::fmt::Display;
use tilelab::Problems;
use tilelab::cli::InputError;
use tilelab::text::join;

/// Wrong input, with the message of the command line.
pub fn wrong_input(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// All mistakes of an experiment, a line each; `has_file` says whether its lines are those of a
/// text that the caller wrote.
pub fn of_problems(problems: &Problems, has_file: bool) -> PyErr {
    let text = |problem: &tilelab::Problem| {
        if has_file {
            problem.to_string()
        } else {
            problem.message.clone()
        }
    };
    wrong_input(join(problems.0.iter().map(text), "\n"))
}

/// The error of a run, with the remedy that the command line names.
pub fn of_run(error: tilelab::results::Error) -> PyErr {
    let error = tilelab::cli::run::explained(error);
    let message = format!("{error:#}");
    if error.is::<InputError>() {
        PyValueError::new_err(message)
    } else {
        PyRuntimeError::new_err(message)
    }
}
