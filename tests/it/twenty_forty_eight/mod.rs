//! 2048.

mod cli;
mod lockstep;
