//! All integration tests in one crate, so that they are built and linked once. A module is a
//! subject.

#![allow(clippy::disallowed_methods, reason = "these files are the tests' own")]

mod allocator;
mod calculator;
mod cluster;
mod columns;
mod common;
mod conformance;
mod curve;
mod docs;
mod effort;
mod external;
mod fuzz;
mod kernels;
mod kernels_cli;
mod lanes;
mod learn;
mod matches;
mod offset;
mod outputs;
mod own_games;
mod players;
mod programs;
mod report_page;
mod rules_page;
mod runs;
mod safety;
mod serve;
mod sixty_seven;
mod statistics;
mod stepping;
mod terminal;
mod tidy;
mod twenty_forty_eight;
mod two_player;
mod unfinished;
mod wrong_input;
mod zero_sum;
