//! Threads that know their process: a fork copies a pool, but not its threads.

use pyo3::PyResult;
use pyo3::exceptions::PyRuntimeError;
use rayon::prelude::*;
use std::process;
use std::sync::OnceLock;

/// The threads that work beside the calling one, as a pool that is made anew in a forked process.
pub struct Threads {
    count: usize,
    /// The process that made the pool, and the pool.
    made: Option<(u32, rayon::ThreadPool)>,
}

impl Threads {
    /// A pool for `count` threads, the calling one included; at least 2.
    pub fn new(count: usize) -> PyResult<Self> {
        let mut threads = Self { count, made: None };
        threads.pool()?;
        Ok(threads)
    }

    /// The pool of this process.
    pub fn pool(&mut self) -> PyResult<&rayon::ThreadPool> {
        let process = process::id();
        if self.made.as_ref().is_none_or(|made| made.0 != process) {
            let pool = build(self.count, self.count - 1).map_err(PyRuntimeError::new_err)?;
            self.forget();
            self.made = Some((process, pool));
        }
        Ok(&self.made.as_ref().expect("it was made").1)
    }

    /// Gives up the pool of another process: dropping it would wait for threads that do not exist.
    fn forget(&mut self) {
        if self
            .made
            .as_ref()
            .is_some_and(|made| made.0 != process::id())
        {
            std::mem::forget(self.made.take());
        }
    }
}

impl Drop for Threads {
    fn drop(&mut self) {
        self.forget();
    }
}

/// A pool of workers, for the number of threads that messages name.
fn build(threads: usize, workers: usize) -> Result<rayon::ThreadPool, String> {
    rayon::ThreadPoolBuilder::new()
        .num_threads(workers)
        .build()
        .map_err(|error| format!("threads={threads}: {error}"))
}

/// A process's shared pool; `next` is that of a forked process. No lock is held by a thread that a
/// fork leaves behind, except while a pool is being built.
struct Node {
    process: u32,
    pool: Result<rayon::ThreadPool, String>,
    next: OnceLock<Box<Node>>,
}

impl Node {
    fn new() -> Self {
        let threads = tilelab::cli::run::cores();
        Self {
            process: process::id(),
            pool: build(threads, threads),
            next: OnceLock::new(),
        }
    }
}

static SHARED: OnceLock<Node> = OnceLock::new();

/// The pool that the calls of this process share, one thread a core.
pub fn shared() -> PyResult<&'static rayon::ThreadPool> {
    let mut node = SHARED.get_or_init(Node::new);
    while node.process != process::id() {
        node = node.next.get_or_init(|| Box::new(Node::new()));
    }
    node.pool
        .as_ref()
        .map_err(|error| PyRuntimeError::new_err(error.clone()))
}

/// What `find` says of each item and its number, on the shared pool. For a single item, which other
/// threads could only be waited for, it is asked on the calling thread.
pub fn of_each<B: Sync, T: Send>(
    items: &[B],
    find: impl Fn((usize, &B)) -> PyResult<T> + Send + Sync,
) -> PyResult<Vec<T>> {
    if let [item] = items {
        return Ok(vec![find((0, item))?]);
    }
    shared()?.install(|| items.par_iter().enumerate().map(find).collect())
}
