//! From an experiment file to a plan: what is to be played, cell by cell, and by which players.
//!
//! Beside plans it has what describes single games: players that are asked one choice at a time,
//! matches, records, and the weights that players read. It writes no results and knows no threads.

#![cfg_attr(test, allow(clippy::disallowed_methods))]

pub mod dictionary;
pub mod experiment;
pub mod external;
pub mod keys;
pub mod levels;
pub mod matches;
pub mod plan;
pub mod record;
pub mod requests;
pub mod schema;
pub mod weights;

pub use experiment::{Experiment, Problem, Problems};
pub use plan::{Cell, Overrides, Plan};
