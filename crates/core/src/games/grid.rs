//! Boards of tiles in rows and columns, and their lines in the order of a slide.

use super::direction::Direction;
use crate::json::{Json, json};
use crate::text::join;
use serde::{Serialize, Serializer};
use std::fmt;

/// The tiles of a board.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
pub struct Grid<T> {
    rows: usize,
    cols: usize,
    /// `rows` × `cols`, in reading order.
    pub(super) tiles: Vec<T>,
}

impl<T> Grid<T> {
    /// A blank board of `rows` × `cols` cells.
    pub fn blank(rows: usize, cols: usize) -> Self
    where
        T: Clone + Default,
    {
        Self {
            rows,
            cols,
            tiles: vec![T::default(); rows * cols],
        }
    }

    /// The board with these rows, each a list of what messages call `tiles`.
    ///
    /// # Errors
    /// Returns an error if the rows are not equally long, or more or longer than `side_max`.
    pub fn from_rows(rows: Vec<Vec<T>>, side_max: usize, tiles: &str) -> Result<Self, String> {
        let count = rows.len();
        let cols = rows.first().map_or(0, Vec::len);
        if !(1..=side_max).contains(&count) || !(1..=side_max).contains(&cols) {
            return Err(format!(
                "{count} × {cols} cells; 1 to {side_max} rows and columns are accepted"
            ));
        }
        if let Some((number, row)) = (1..).zip(&rows).find(|(_, row)| row.len() != cols) {
            let found = row.len();
            return Err(format!(
                "row {number} has {found} {tiles} where row 1 has {cols}; all rows must be equally long"
            ));
        }
        Ok(Self {
            rows: count,
            cols,
            tiles: rows.into_iter().flatten().collect(),
        })
    }

    /// Rows.
    pub const fn rows(&self) -> usize {
        self.rows
    }

    /// Columns.
    pub const fn cols(&self) -> usize {
        self.cols
    }

    /// Rows and columns.
    pub const fn shape(&self) -> (usize, usize) {
        (self.rows, self.cols)
    }

    /// Checks that a board read from a position has the shape of the rules.
    ///
    /// # Errors
    /// Returns an error that names both shapes.
    pub fn check_shape(&self, (rows, cols): (usize, usize)) -> Result<(), String> {
        if self.shape() == (rows, cols) {
            return Ok(());
        }
        Err(format!(
            "board: {} × {} cells where {rows} × {cols} are played",
            self.rows, self.cols
        ))
    }

    /// The `rows` × `cols` tiles in reading order: the first row from left to right, then the next.
    pub fn tiles(&self) -> &[T] {
        &self.tiles
    }

    /// The tiles in reading order, to be changed.
    pub fn tiles_mut(&mut self) -> &mut [T] {
        &mut self.tiles
    }

    /// The blank cells, numbered from 0 in reading order.
    pub fn blanks(&self) -> impl Iterator<Item = usize>
    where
        T: Default + PartialEq,
    {
        let blank = T::default();
        let tiles = self.tiles.iter().enumerate();
        tiles.filter_map(move |(cell, tile)| (*tile == blank).then_some(cell))
    }

    /// Puts a tile on a cell, numbered from 0 in reading order.
    ///
    /// # Panics
    /// Panics if there is no such cell.
    pub fn put(&mut self, cell: usize, tile: T) {
        self.tiles[cell] = tile;
    }

    /// The board with another tile for each.
    pub fn map<U>(&self, tile: impl FnMut(&T) -> U) -> Grid<U> {
        Grid {
            rows: self.rows,
            cols: self.cols,
            tiles: self.tiles.iter().map(tile).collect(),
        }
    }

    /// The tiles of each row.
    pub fn in_rows(&self) -> impl Iterator<Item = &[T]> {
        self.tiles.chunks(self.cols)
    }

    /// The row and the column of a cell.
    pub const fn place(&self, cell: usize) -> (usize, usize) {
        (cell / self.cols, cell % self.cols)
    }

    /// The lines along the axis of a direction.
    pub fn lines(&self, direction: Direction) -> impl Iterator<Item = Line> + use<T> {
        let (lines, cells, next, step) = if direction.along_rows() {
            (self.rows, self.cols, self.cols, 1)
        } else {
            (self.cols, self.rows, 1, self.cols)
        };
        let towards_end = direction.towards_end();
        (0..lines).map(move |line| Line::new(line * next, step, cells, towards_end))
    }
}

impl<T: Serialize + PartialEq> Grid<T> {
    /// The cells with other tiles than before, each with its row, column and tile.
    pub fn changes_since(&self, before: &Self) -> Vec<Json> {
        let tiles = self.tiles.iter().zip(&before.tiles).enumerate();
        let changed = tiles.filter(|(_, (tile, before))| tile != before);
        changed
            .map(|(cell, (tile, _))| {
                let (row, col) = self.place(cell);
                json!({"row": row, "col": col, "tile": tile})
            })
            .collect()
    }
}

impl<T: Serialize> Serialize for Grid<T> {
    /// Writes the board as a list of rows.
    fn serialize<S: Serializer>(&self, to: S) -> Result<S::Ok, S::Error> {
        to.collect_seq(self.in_rows())
    }
}

impl<T: fmt::Display> fmt::Display for Grid<T> {
    /// Rows separated by `/`, each of tiles separated by commas.
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let row = |row: &[T]| join(row.iter().map(T::to_string), ",");
        f.write_str(&join(self.in_rows().map(row), "/"))
    }
}

/// The cells of one line, numbered from the edge that its tiles move towards.
#[derive(Clone, Copy)]
pub struct Line {
    /// The place of cell 0 among the tiles.
    edge: usize,
    /// From the place of one cell to that of the next; negative if tiles move towards the end.
    pub step: isize,
    /// Cells.
    pub cells: usize,
}

impl Line {
    /// The line whose cells in reading order are `start`, `start + step`, ….
    pub const fn new(start: usize, step: usize, cells: usize, towards_end: bool) -> Self {
        let (edge, step) = if towards_end {
            let end = start + cells.saturating_sub(1) * step;
            (end, -step.cast_signed())
        } else {
            (start, step.cast_signed())
        };
        Self { edge, step, cells }
    }

    /// The place of a cell among the tiles.
    #[inline]
    pub const fn at(self, cell: usize) -> usize {
        self.edge
            .wrapping_add_signed(cell.cast_signed() * self.step)
    }

    /// The places of all cells.
    pub fn places(self) -> impl Iterator<Item = usize> {
        (0..self.cells).map(move |cell| self.at(cell))
    }
}
