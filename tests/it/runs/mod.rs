//! Runs: saving, resuming, shards, merging, comparing.

mod compare;
mod damage;
mod faults;
mod grow;
mod interruptions;
mod runner;
mod shards;
mod workflows;
mod wrong_input;
