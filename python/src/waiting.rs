//! Long work on a thread of its own, so that signals are answered while it goes on.

use crate::own::caught;
use pyo3::exceptions::PyRuntimeError;
use pyo3::prelude::*;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};
use tilelab_output::locked;

/// How often signals are looked for.
const POLL: Duration = Duration::from_millis(10);
/// How often progress is told.
const TELL_EVERY: Duration = Duration::from_millis(50);

/// Does `work` without the GIL and waits for it; `tell` is called every [`TELL_EVERY`], and at last
/// when `work` has succeeded.
///
/// When Python turns a signal into an exception, or `tell` fails, the flag that `work` was given is
/// set. The exception is raised at once, or with `is_awaited` when `work` has ended; without it,
/// what `work` still does is nobody's.
pub fn wait<T: Send + 'static>(
    py: Python<'_>,
    is_awaited: bool,
    work: impl FnOnce(&AtomicBool) -> PyResult<T> + Send + 'static,
    tell: impl Fn(Python<'_>) -> PyResult<()>,
) -> PyResult<T> {
    let interrupted = Arc::new(AtomicBool::new(false));
    let flag = Arc::clone(&interrupted);
    let (sender, ended) = mpsc::channel();
    std::thread::Builder::new()
        .name("tilelab".to_owned())
        .spawn(move || {
            // Nobody waits for what an abandoned call found.
            let _ = sender.send(caught(|| work(&flag)));
        })?;
    let ended = Mutex::new(ended);
    let mut raised = None;
    let mut told = Instant::now();
    loop {
        let receive = || locked(&ended).recv_timeout(POLL);
        match py.detach(receive) {
            Ok(found) => {
                if raised.is_none() && found.is_ok() {
                    tell(py)?;
                }
                return raised.map_or(found, Err);
            }
            Err(mpsc::RecvTimeoutError::Disconnected) => {
                return Err(PyRuntimeError::new_err(
                    "the call failed: its thread ended early",
                ));
            }
            Err(mpsc::RecvTimeoutError::Timeout) if raised.is_some() => {}
            Err(mpsc::RecvTimeoutError::Timeout) => {
                let mut checked = py.check_signals();
                if checked.is_ok() && told.elapsed() >= TELL_EVERY {
                    checked = tell(py);
                    told = Instant::now();
                }
                if let Err(error) = checked {
                    interrupted.store(true, Ordering::Relaxed);
                    if !is_awaited {
                        return Err(error);
                    }
                    raised = Some(error);
                }
            }
        }
    }
}
