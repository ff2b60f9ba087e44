//! Errors as Python sees them.

use numpy::{PyUntypedArray, PyUntypedArrayMethods};
use pyo3::exceptions::{PyOverflowError, PyRuntimeError, PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyInt, PyString};
use std::fmt::Display;
use tilelab::Problems;
use tilelab::cli::InputError;
use tilelab::text::join;

/// Wrong input, with the message of the command line.
pub fn wrong_input(message: impl Display) -> PyErr {
    PyValueError::new_err(message.to_string())
}

/// A shape as Python writes it.
pub fn shape_text(shape: &[usize]) -> String {
    match shape {
        [only] => format!("({only},)"),
        _ => format!("({})", join(shape.iter().map(usize::to_string), ", ")),
    }
}

/// What Python gave, in messages: an array by its type and shape, a text or a whole number as it
/// is, everything else by its type.
pub fn given(value: &Bound<'_, PyAny>) -> String {
    if let Ok(array) = value.cast::<PyUntypedArray>() {
        return format!("{} of shape {}", array.dtype(), shape_text(array.shape()));
    }
    if value.is_none() || value.is_instance_of::<PyInt>() || value.is_instance_of::<PyString>() {
        return format!("{value:?}");
    }
    let kind = value.get_type().name();
    kind.map_or_else(|error| error.to_string(), |name| name.to_string())
}

/// A wrong type, or with `is_value` a wrong value; `needed` says of what, and what is needed.
pub fn refused(value: &Bound<'_, PyAny>, needed: &str, is_value: bool) -> PyErr {
    let message = format!("{needed} is needed, {} was given", given(value));
    if is_value {
        wrong_input(message)
    } else {
        PyTypeError::new_err(message)
    }
}

/// The value that Python gave; `needed` is told where it is another.
pub fn taken<'a, 'py, T: FromPyObject<'a, 'py>>(
    value: &'a Bound<'py, PyAny>,
    needed: impl FnOnce() -> String,
) -> PyResult<T> {
    value.extract().map_err(|error: T::Error| {
        let error: PyErr = error.into();
        let is_value = error.is_instance_of::<PyOverflowError>(value.py());
        refused(value, &needed(), is_value)
    })
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
