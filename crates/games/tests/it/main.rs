//! Tests of the games and of their catalog by what the crate offers.

mod catalog;
mod positions;
