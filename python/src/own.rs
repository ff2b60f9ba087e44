//! Players that are Python functions, and the exceptions that they raise.

use crate::errors::wrong_input;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::collections::BTreeMap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Mutex};
use tilelab::Cell;
use tilelab::external::{self, Function};
use tilelab::json::Json;
use tilelab_output::locked;

/// The first exception of each player and game in Python, by name, until a call raises it. The
/// runner sees only its text.
static RAISED: Mutex<BTreeMap<String, PyErr>> = Mutex::new(BTreeMap::new());

/// Keeps an exception for the call that waits for the games; returns its text.
pub fn keep(name: &str, error: PyErr) -> String {
    let text = error.to_string();
    let mut raised = locked(&RAISED);
    raised.entry(name.to_owned()).or_insert(error);
    text
}

/// The names of the players and games of these cells.
pub fn names(cells: &[Cell]) -> impl Iterator<Item = &str> {
    cells.iter().flat_map(|cell| {
        let players = cell.players.iter().map(|player| player.entry.name);
        std::iter::once(cell.game.name).chain(players)
    })
}

/// Takes an exception that one of these cells' players or games has raised.
pub fn raised(cells: &[Cell]) -> Option<PyErr> {
    let mut raised = locked(&RAISED);
    names(cells).find_map(|name| raised.remove(name))
}

/// Does work that may play games in Python; an exception of theirs is that of the work.
pub fn caught<T>(work: impl FnOnce() -> PyResult<T>) -> PyResult<T> {
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(|panic| {
        let mut raised = locked(&RAISED);
        let error = raised.pop_first().map(|(_, error)| error);
        let text = panic.downcast_ref::<String>().cloned();
        let failed = || text.unwrap_or_else(|| "the call failed: its thread ended early".into());
        Err(error.unwrap_or_else(|| PyRuntimeError::new_err(failed())))
    })
}

/// Makes a function the player of this name: it gets a position as JSON and returns a move.
#[pyfunction]
pub fn add_player(name: &str, respond: Py<PyAny>) -> PyResult<()> {
    let label = name.to_owned();
    let ask = move |request: &Json| {
        let answer = Python::attach(|py| {
            let answer = respond.call1(py, (request.to_string(),))?;
            answer.extract::<String>(py)
        });
        answer.map_err(|error| keep(&label, error))
    };
    let plays = Function::Choices(Arc::new(ask));
    external::add_player(name, plays).map_err(wrong_input)?;
    Ok(())
}
