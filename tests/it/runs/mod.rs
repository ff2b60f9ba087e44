//! Runs: saving, resuming, shards, merging, comparing.

mod compare;
mod damage;
mod interruptions;
mod runner;
mod shards;
mod wrong_input;
