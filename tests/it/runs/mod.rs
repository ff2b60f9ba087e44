//! Runs: saving, resuming, shards, merging, comparing.

mod committed;
mod compare;
mod damage;
mod export;
mod faults;
mod forecast;
mod grow;
mod interruptions;
mod parquet;
mod per_game;
mod positions;
mod replay;
mod runner;
mod shards;
mod store;
mod without_file;
mod workflows;
mod wrong_input;
