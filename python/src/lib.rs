//! The Python package `tilelab`: moves arrays and names between Python and the library.
//!
//! No rules and no statistics are here. Every call that can take long releases the GIL. Wrong input
//! is a `ValueError` with the message of the command line.

mod afterstates;
mod arrays;
mod boards;
mod catalog;
mod cells;
mod command_line;
mod comparisons;
mod episodes;
mod errors;
mod experiments;
mod games;
mod learning;
mod own;
mod own_games;
mod players;
mod policies;
mod pool;
mod positions;
mod rows;
mod shown;
mod slots;
mod waiting;

use pyo3::prelude::*;

#[pymodule]
fn _tilelab(module: &Bound<'_, PyModule>) -> PyResult<()> {
    module.add("__version__", env!("CARGO_PKG_VERSION"))?;
    module.add_class::<cells::Cells>()?;
    module.add_class::<experiments::Experiment>()?;
    module.add_class::<experiments::Finished>()?;
    module.add_class::<games::Games>()?;
    module.add_class::<players::Asked>()?;
    module.add_class::<players::Session>()?;
    module.add_function(wrap_pyfunction!(afterstates::afterstates, module)?)?;
    module.add_function(wrap_pyfunction!(catalog::catalog, module)?)?;
    module.add_function(wrap_pyfunction!(command_line::command_line, module)?)?;
    module.add_function(wrap_pyfunction!(comparisons::compare, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::load, module)?)?;
    module.add_function(wrap_pyfunction!(experiments::rows_of, module)?)?;
    module.add_function(wrap_pyfunction!(learning::learn, module)?)?;
    module.add_function(wrap_pyfunction!(own::add_player, module)?)?;
    module.add_function(wrap_pyfunction!(own_games::add_game, module)?)?;
    module.add_function(wrap_pyfunction!(policies::add_policy, module)?)?;
    module.add_function(wrap_pyfunction!(positions::answer, module)?)?;
    module.add_function(wrap_pyfunction!(positions::count, module)?)?;
    module.add_function(wrap_pyfunction!(positions::solve_level, module)?)?;
    module.add_function(wrap_pyfunction!(positions::solve_number, module)?)?;
    module.add_function(wrap_pyfunction!(players::cell_keys, module)?)?;
    module.add_function(wrap_pyfunction!(players::mean_interval, module)?)?;
    module.add_function(wrap_pyfunction!(players::outcomes, module)?)?;
    module.add_function(wrap_pyfunction!(players::paired_difference, module)?)?;
    module.add_function(wrap_pyfunction!(players::playouts, module)?)?;
    module.add_function(wrap_pyfunction!(players::rate_interval, module)?)?;
    module.add_function(wrap_pyfunction!(rows::cells_csv, module)?)?;
    module.add_function(wrap_pyfunction!(shown::encode, module)?)?;
    Ok(())
}
