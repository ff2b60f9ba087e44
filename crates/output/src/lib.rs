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

pub use tilelab_core::locked;
