//! New tiles: from ranks among the blanks to cells.

use super::batch::{INDICES, OCCUPIED, OPERATORS, Pass, SLOTS_AT, SliceBatch};
use super::bits::{Bits, SliceIsa, unrolled};

/// Puts the `T` tiles that were drawn.
///
/// Counts the blank cells in reading order and puts each tile where the count is its rank.
pub(super) struct Put<const T: usize>;

/// Bits of a number below [`SLOTS_AT`].
const DIGIT_BITS: usize = (SLOTS_AT - 1).ilog2() as usize + 1;

impl<I: SliceIsa<N>, const N: usize, const S: usize, const T: usize> Pass<I, N, S> for Put<T> {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        let mut operator = [zero; T];
        let mut index = [[zero; DIGIT_BITS]; T];
        let mut rank = [[zero; 8]; T];
        for tile in 0..T {
            operator[tile] = Bits::of(batch.isa, &batch.draws.codes[tile], 7);
            for b in 0..DIGIT_BITS {
                index[tile][b] = Bits::of(batch.isa, &batch.draws.codes[tile], b);
            }
            for b in 0..SliceBatch::<I, N, S>::INDEX_BITS {
                rank[tile][b] = Bits::of(batch.isa, &batch.draws.ranks[tile], b);
            }
        }
        raise::<I, N, S, T>(&mut rank, zero);
        let mut count = [zero; 8];
        // No check of bounds is needed up to `S`.
        for row in 0..batch.rows.min(S) {
            for col in 0..batch.cols.min(S) {
                let [occupied, operators, indices @ ..] = &mut batch.planes;
                let blank = !occupied[row][col];
                let mut here = [zero; T];
                unrolled!(tile < T, {
                    for b in 0..SliceBatch::<I, N, S>::INDEX_BITS {
                        here[tile] = here[tile].or_xor(count[b], rank[tile][b]);
                    }
                    here[tile] = blank.and_not(here[tile]);
                });
                let mut carry = blank;
                for b in 0..SliceBatch::<I, N, S>::INDEX_BITS {
                    let next = count[b] & carry;
                    count[b] ^= carry;
                    carry = next;
                }
                unrolled!(tile < T, {
                    occupied[row][col] |= here[tile];
                    operators[row][col] = operators[row][col].or_and(here[tile], operator[tile]);
                });
                for b in 0..SliceBatch::<I, N, S>::INDEX_BITS {
                    let cell = &mut indices[b][row][col];
                    if I::SELECTS {
                        unrolled!(tile < T, {
                            *cell = if b < DIGIT_BITS {
                                here[tile].select(index[tile][b], *cell)
                            } else {
                                cell.and_not(here[tile])
                            };
                        });
                    } else {
                        let mut any = here[0];
                        unrolled!(tile < T, {
                            any |= here[tile];
                        });
                        let mut new = cell.and_not(any);
                        if b < DIGIT_BITS {
                            unrolled!(tile < T, {
                                new = new.or_and(here[tile], index[tile][b]);
                            });
                        }
                        *cell = new;
                    }
                }
            }
        }
    }
}

/// Makes ranks among the blanks that the earlier tiles leave ranks among all blanks: a rank rises
/// by one for each earlier tile, in ascending order, that it does not lie below.
#[inline(always)]
fn raise<I: SliceIsa<N>, const N: usize, const S: usize, const T: usize>(
    ranks: &mut [[Bits<I, N>; 8]; T],
    zero: Bits<I, N>,
) {
    let bits = SliceBatch::<I, N, S>::INDEX_BITS;
    let mut ascending = [[zero; 8]; T];
    for tile in 0..T {
        let mut rank = ranks[tile];
        let mut above = [zero; T];
        for earlier in 0..tile {
            let other = ascending[earlier];
            let mut below = zero;
            for b in 0..bits {
                below = (rank[b] ^ other[b]).select(other[b], below);
            }
            above[earlier] = !below;
            let mut carry = above[earlier];
            for b in 0..bits {
                let next = rank[b] & carry;
                rank[b] ^= carry;
                carry = next;
            }
        }
        ranks[tile] = rank;
        if tile + 1 < T {
            // Inserts the rank after those that it lies above.
            for at in (0..=tile).rev() {
                for b in 0..bits {
                    let moved = if at > 0 {
                        above[at - 1].select(rank[b], ascending[at - 1][b])
                    } else {
                        rank[b]
                    };
                    ascending[at][b] = if at < tile {
                        above[at].select(ascending[at][b], moved)
                    } else {
                        moved
                    };
                }
            }
        }
    }
}

/// Notes the games in which a number tile shows the new number of this place, the target.
pub(super) struct FindTarget {
    pub place: usize,
}

impl<I: SliceIsa<N>, const N: usize, const S: usize> Pass<I, N, S> for FindTarget {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let mut shown = Bits::zero(batch.isa);
        for row in 0..batch.rows {
            for col in 0..batch.cols {
                let cell = |plane: usize| batch.planes[plane][row][col];
                let mut differs = cell(OPERATORS);
                for b in 0..SliceBatch::<I, N, S>::INDEX_BITS {
                    let bit = cell(INDICES + b);
                    differs |= if self.place >> b & 1 == 1 { !bit } else { bit };
                }
                shown |= cell(OCCUPIED).and_not(differs);
            }
        }
        for (won, shown) in batch.won.iter_mut().zip(shown.words()) {
            *won |= shown;
        }
    }
}
