//! Boards that Python gives as arrays.

use crate::errors::wrong_input;
use numpy::PyReadonlyArray3;
use numpy::ndarray::ArrayView3;
use pyo3::PyResult;
use tilelab::Cell;
use tilelab::game::boards::Boards;

/// The elements of an array, in order.
fn copied<T: Copy>(array: ArrayView3<'_, T>) -> Vec<T> {
    let in_order = || array.iter().copied().collect();
    array.as_slice().map_or_else(in_order, <[T]>::to_vec)
}

/// Rows and columns of a cell's boards; 0 in games without boards.
pub fn shape_of(cell: &Cell) -> (usize, usize) {
    let of = |name: &str| {
        let known = cell.game.params.iter().any(|spec| spec.name == name);
        known.then(|| cell.params.int(name)).flatten()
    };
    let [rows, cols] = ["rows", "cols"].map(|name| of(name).map_or(0, |side| side as usize));
    (rows, cols)
}

/// Kinds and numbers of N boards of a cell's shape, for work on other threads.
pub struct BoardArrays {
    pub count: usize,
    pub shape: (usize, usize),
    kinds: Vec<u8>,
    numbers: Vec<f64>,
}

impl BoardArrays {
    /// Copies arrays of shape (N, rows, cols).
    pub fn new(
        cell: &Cell,
        kinds: &PyReadonlyArray3<'_, u8>,
        numbers: &PyReadonlyArray3<'_, f64>,
    ) -> PyResult<Self> {
        let kinds = kinds.as_array();
        let numbers = numbers.as_array();
        let (count, rows, cols) = kinds.dim();
        let of_cell = shape_of(cell);
        if numbers.dim() != kinds.dim() || (rows, cols) != of_cell {
            let (rows, cols) = of_cell;
            let message = format!(
                "kinds and numbers: shape (N, {rows}, {cols}) is needed, {:?} and {:?} were given",
                kinds.dim(),
                numbers.dim()
            );
            return Err(wrong_input(message));
        }
        Ok(Self {
            count,
            shape: (rows, cols),
            kinds: copied(kinds),
            numbers: copied(numbers),
        })
    }

    /// The boards themselves.
    pub fn boards(&self) -> Boards<'_> {
        Boards {
            shape: self.shape,
            kinds: &self.kinds,
            numbers: &self.numbers,
        }
    }
}
