//! Games for two players.

mod conformance;
mod wrong_input;
