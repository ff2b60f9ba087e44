//! The functions by which results folders are read and written. Unit tests have others under these
//! names, which know a simulated disk, too.

pub use std::fs::*;
pub use tempfile::tempfile_in;
pub use tilelab_core::text::read_regular;
