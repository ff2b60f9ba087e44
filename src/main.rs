//! The command line of tilelab.

fn main() {}
