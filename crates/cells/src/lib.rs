//! The results of experiments as rows: `cells.csv` and the files beside it.
//!
//! It knows the columns and their types, writes and reads rows, and finds out what varies between
//! them and what a row is called. It draws nothing and plays nothing.

pub mod cells;
pub mod csv_rows;
pub mod distributions;
pub mod figures;
pub mod labels;
pub mod published;
pub mod schema;
pub mod times;
