//! What the statistics promise: exact values, coverage of intervals, planning.

mod exact;
mod planning;
mod splitting;
mod stopping;
