//! The cursor of games in which a move is made by choosing two cells.

use tilelab_games::game::session::Path;

/// A cell as (row, column).
pub type Place = (usize, usize);

/// Where the cursor is, and the cell that was chosen first.
#[derive(Clone, Copy, Default)]
pub struct Cursor {
    /// The cell under the cursor.
    pub at: Place,
    /// The first of the two cells, once it is chosen.
    pub first: Option<Place>,
}

impl Cursor {
    /// Moves one cell in a direction and stays on a board of `rows` × `cols` cells.
    pub fn step(&mut self, direction: &str, rows: usize, cols: usize) {
        let (row, col) = &mut self.at;
        match direction {
            "up" => *row = row.saturating_sub(1),
            "down" => *row = (*row + 1).min(rows.saturating_sub(1)),
            "left" => *col = col.saturating_sub(1),
            "right" => *col = (*col + 1).min(cols.saturating_sub(1)),
            _ => {}
        }
    }

    /// The cells that complete a legal move with the first cell; none before that is chosen.
    pub fn targets(&self, paths: &[Path]) -> Vec<Place> {
        let Some(first) = self.first else {
            return Vec::new();
        };
        paths
            .iter()
            .filter(|path| path[0] == first)
            .map(|path| path[1])
            .collect()
    }

    /// Moves on to the next cell, in reading order, that can be chosen; after the last one comes
    /// the first.
    pub fn next(&mut self, paths: &[Path]) {
        let mut places: Vec<Place> = match self.first {
            Some(_) => self.targets(paths),
            None => paths.iter().map(|path| path[0]).collect(),
        };
        places.sort_unstable();
        let next = places
            .iter()
            .find(|&&place| place > self.at)
            .or(places.first());
        self.at = next.copied().unwrap_or(self.at);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_stay_on_the_board() {
        let mut cursor = Cursor::default();
        for (direction, expected) in [
            ("up", (0, 0)),
            ("left", (0, 0)),
            ("right", (0, 1)),
            ("right", (0, 1)),
            ("down", (1, 1)),
            ("down", (2, 1)),
            ("down", (2, 1)),
        ] {
            cursor.step(direction, 3, 2);
            assert_eq!(cursor.at, expected, "{direction}");
        }
    }

    #[test]
    fn next_walks_over_what_can_be_chosen() {
        let paths = [[(0, 0), (1, 1)], [(1, 1), (0, 0)], [(0, 0), (2, 2)]];
        let mut cursor = Cursor::default();
        cursor.next(&paths);
        assert_eq!(cursor.at, (1, 1));
        cursor.next(&paths);
        assert_eq!(cursor.at, (0, 0));
        cursor.first = Some((0, 0));
        let visited: Vec<Place> = (0..3)
            .map(|_| {
                cursor.next(&paths);
                cursor.at
            })
            .collect();
        assert_eq!(visited, [(1, 1), (2, 2), (1, 1)]);
    }
}
