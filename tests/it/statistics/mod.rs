//! What the statistics promise: exact values, coverage of intervals, planning.

mod common;
mod exact;
mod planning;
mod splitting;
mod stopping;
