//! All four swipes of a packed board with their merge scores, from one table of rows.
//!
//! An entry of the table has a row slid to its start and to its end, and the points of the merges,
//! which are the same both ways: every run of equal tiles merges in pairs from either end. An entry
//! is eight contiguous bytes, so that the two swipes along an axis cost one look-up per row.

use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::packed::{Packed, RowTables};
use std::sync::LazyLock;

/// What becomes of a row.
#[derive(Clone, Copy, Debug, Default)]
struct Row {
    to_start: u16,
    to_end: u16,
    score: u32,
}

/// The swipes of all 65536 rows. As in [`RowTables`], two tiles 32768 do not merge: boards are to
/// sum to less than [`POINTS_BOUND`](crate::games::twenty_forty_eight::packed::POINTS_BOUND).
pub struct Swipes(Box<[Row; 1 << 16]>);

static SWIPES: LazyLock<Swipes> = LazyLock::new(Swipes::new);

/// A board after a swipe and what the swipe earned. The board equals the one before where the swipe
/// is not legal.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Swiped {
    /// The board after the swipe.
    pub board: Packed,
    /// The sum of the tiles that merges made.
    pub score: u32,
}

impl Swipes {
    /// The table, made at the first call.
    #[must_use]
    pub fn get() -> &'static Self {
        &SWIPES
    }

    fn new() -> Self {
        let tables = RowTables::get();
        let row = |row: u64| {
            let to_start = Packed(row).slid(Direction::Left, tables);
            Row {
                to_start: to_start.0 as u16,
                to_end: Packed(row).slid(Direction::Right, tables).0 as u16,
                score: (to_start.earned() - Packed(row).earned()) as u32,
            }
        };
        let rows: Vec<Row> = (0..1 << 16).map(row).collect();
        Self(
            rows.into_boxed_slice()
                .try_into()
                .expect("there is one entry for each row"),
        )
    }

    /// The two swipes of the rows: to their start, to their end.
    #[inline(always)]
    fn along_rows(&self, board: u64) -> [Swiped; 2] {
        let mut to_start = 0;
        let mut to_end = 0;
        let mut score = 0;
        for shift in [0, 16, 32, 48] {
            let row = self.0[usize::from((board >> shift) as u16)];
            to_start |= u64::from(row.to_start) << shift;
            to_end |= u64::from(row.to_end) << shift;
            score += row.score;
        }
        [
            Swiped {
                board: Packed(to_start),
                score,
            },
            Swiped {
                board: Packed(to_end),
                score,
            },
        ]
    }

    /// One swipe.
    #[inline(always)]
    #[must_use]
    pub fn one(&self, board: Packed, direction: Direction) -> Swiped {
        let towards_end = matches!(direction, Direction::Right | Direction::Down);
        if direction.along_rows() {
            return self.along_rows(board.0)[usize::from(towards_end)];
        }
        let Swiped { board, score } =
            self.along_rows(board.transposed().0)[usize::from(towards_end)];
        Swiped {
            board: board.transposed(),
            score,
        }
    }

    /// All swipes, in the order of [`Direction::ALL`].
    #[inline(always)]
    #[must_use]
    pub fn of(&self, board: Packed) -> [Swiped; 4] {
        let [left, right] = self.along_rows(board.0);
        let [up, down] = self.along_rows(board.transposed().0);
        let back = |swiped: Swiped| Swiped {
            board: swiped.board.transposed(),
            score: swiped.score,
        };
        [back(up), back(down), left, right]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::{Rng, SeedableRng, Stream};

    #[test]
    fn swipes_are_those_of_the_plain_board() {
        let mut stream = Stream::seed_from_u64(48);
        for round in 0..2000 {
            // Few kinds of tiles, so that many merge; below 32768, so that every merge has room.
            let kinds = 1 + round % 14;
            let cells = (0..16).map(|cell| (stream.next_u64() % (kinds + 1)) << (4 * cell));
            let board = Packed(cells.sum());
            for (direction, swiped) in Direction::ALL.into_iter().zip(Swipes::get().of(board)) {
                let mut plain = board.to_board();
                let score = plain.slide(direction);
                assert_eq!(
                    score.is_some(),
                    swiped.board != board,
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    plain,
                    swiped.board.to_board(),
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    score.unwrap_or(0),
                    u64::from(swiped.score),
                    "{direction} of {}",
                    board.to_board()
                );
                assert_eq!(
                    Swipes::get().one(board, direction),
                    swiped,
                    "{direction} of {}",
                    board.to_board()
                );
            }
        }
    }
}
