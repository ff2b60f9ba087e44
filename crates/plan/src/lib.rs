//! From an experiment file to a plan: what is to be played, cell by cell, by which players. It plays single games
//! (records, sessions with programs from outside), writes no results and knows no thread.

pub mod experiment;
pub mod external;
pub mod levels;
pub mod matches;
pub mod plan;
pub mod record;
pub mod requests;
pub mod schema;
pub mod weights;

pub use experiment::{Experiment, Problem, Problems};
pub use plan::{Cell, Overrides, Plan};
