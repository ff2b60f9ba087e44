//! The files of results: their columns, their rows, what varies in them, and what a row is called. It reads and writes
//! `cells.csv`, and draws and tells nothing.

pub mod cells;
pub mod csv_rows;
pub mod distributions;
pub mod factors;
pub mod figures;
pub mod labels;
pub mod published;
pub mod schema;
pub mod times;
