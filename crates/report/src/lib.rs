//! Reports: from tallies to `cells.csv`, and from the files of a results folder to tables.
//!
//! Everything after `cells.csv` is rebuilt from the files of the folder alone, so `tilelab report`
//! needs no experiment and plays nothing.

mod columns;
pub mod comparison;
pub mod folder;
pub mod forfeits;
mod html;
pub mod json;
mod markdown;
#[cfg(feature = "parquet")]
pub mod parquet;
pub mod pivot;
mod quote;
pub mod readme;
mod standings;

pub use tilelab_cells::{
    cells, csv_rows, distributions, figures, labels, published, schema, times,
};
pub use tilelab_plots as plots;
