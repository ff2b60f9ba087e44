//! All integration tests in one crate, so that they are built and linked once. A module is a
//! subject.

mod calculator;
mod cluster;
mod columns;
mod common;
mod conformance;
mod dependencies;
mod docs;
mod fuzz;
mod kernels;
mod kernels_cli;
mod lanes;
mod offset;
mod players;
mod report_page;
mod runs;
mod schema;
mod sixty_seven;
mod statistics;
mod stepping;
mod terminal;
mod tidy;
mod twenty_forty_eight;
mod two_player;
mod wrong_input;
mod zero_sum;
