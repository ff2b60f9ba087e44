//! Boards that Python gives as arrays.

use crate::errors::wrong_input;
use numpy::PyReadonlyArray3;
use numpy::ndarray::ArrayView3;
use pyo3::PyResult;
use std::ops::Range;
use tilelab::Cell;
use tilelab::game::boards::Boards;
use tilelab::game::stepping::kind;
use tilelab::games::twenty_forty_eight;

/// The elements of an array, in order.
fn copied<T: Copy>(array: ArrayView3<'_, T>) -> Vec<T> {
    let in_order = || array.iter().copied().collect();
    array.as_slice().map_or_else(in_order, <[T]>::to_vec)
}

/// Kinds and numbers of N boards of a cell's shape, for work on other threads.
pub struct BoardArrays {
    pub count: usize,
    pub shape: (usize, usize),
    is_2048: bool,
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
        let of_cell = ["rows", "cols"].map(|name| {
            let known = cell.game.params.iter().any(|spec| spec.name == name);
            known.then(|| cell.params.int(name)).flatten().unwrap_or(0)
        });
        if numbers.dim() != kinds.dim() || [rows as i64, cols as i64] != of_cell {
            let [rows, cols] = of_cell;
            let message = format!("kinds and numbers need one shape, (N, {rows}, {cols})");
            return Err(wrong_input(message));
        }
        Ok(Self {
            count,
            shape: (rows, cols),
            is_2048: cell.game.name == twenty_forty_eight::NAME,
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

    /// Checks the tiles of these boards.
    ///
    /// # Errors
    /// Names the first board with one that is none of the game.
    pub fn check(&self, range: Range<usize>) -> PyResult<()> {
        for index in range {
            let (kinds, numbers) = self.boards().get(index);
            let is_whole =
                |number: f64| number.abs() < 2_f64.powi(53) && number as i64 as f64 == number;
            if !kinds.iter().all(|&kind| kind <= kind::TIMES)
                || !numbers.iter().all(|&number| is_whole(number))
            {
                return Err(wrong_input(format!(
                    "board {index}: kinds from 0 to 4 and whole numbers below 2**53 are needed"
                )));
            }
            let is_tile =
                |&number: &f64| number == 0.0 || number >= 2.0 && (number as u64).is_power_of_two();
            if self.is_2048
                && let Some(number) = numbers.iter().find(|number| !is_tile(number))
            {
                return Err(wrong_input(format!(
                    "board {index}: {number}: tiles are powers of two from 2 up"
                )));
            }
        }
        Ok(())
    }
}
