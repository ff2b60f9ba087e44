//! Reports: from tallies to `cells.csv`, and from the files of a results folder to tables.
//!
//! Everything after `cells.csv` is rebuilt from the files of the folder alone, so `tilelab report`
//! needs no experiment and plays nothing.

pub mod cells;
pub mod comparison;
mod csv_rows;
pub mod distributions;
pub mod factors;
pub mod figures;
pub mod folder;
pub mod html;
pub mod json;
pub mod labels;
pub mod markdown;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pivot;
pub mod plots;
pub mod published;
pub mod readme;
pub mod schema;
mod standings;
pub mod times;
