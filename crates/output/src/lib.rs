//! What people and disks get: text made safe to show, numbers as people read them, tables and
//! documents as Markdown and for a terminal, and files that are replaced whole or not at all.
//!
//! It knows no game and no result.

pub mod atomic;
pub mod checksum;
pub mod document;
pub mod files;
pub mod numbers;
pub mod table;
pub mod text;

use std::sync::{Mutex, MutexGuard, PoisonError};

/// What a mutex holds, also where a thread that held it has panicked: who uses this keeps what is
/// held whole at every moment.
pub fn locked<T: ?Sized>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
