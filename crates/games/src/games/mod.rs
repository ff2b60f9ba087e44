//! The games, one file or folder each, with 67! and what several games share from the core.

pub mod calculator;
pub mod offset;
pub mod twenty_forty_eight;
pub mod zero_sum;

pub use tilelab_core::games::*;
