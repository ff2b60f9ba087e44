//! The legal directions, and the random player's choice among them.

use super::batch::{Pass, SliceBatch};
use super::bits::{Bits, SliceIsa};

/// Finds the legal directions and takes the one that the word of this `phase` picks.
///
/// Left is legal if somewhere a blank precedes a tile, right if a tile precedes a blank; both if an
/// operation or, where runs `MERGE`, two equal operators stand on adjacent cells.
pub(super) struct Choose<const MERGE: bool> {
    pub phase: usize,
}

impl<I: SliceIsa<N>, const N: usize, const S: usize, const MERGE: bool> Pass<I, N, S>
    for Choose<MERGE>
{
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        let [occupied, operators, low, high, ..] = &batch.planes;
        let [mut up, mut down, mut left, mut right] = [zero; 4];
        let [mut along_columns, mut along_rows] = [zero; 2];
        // No check of bounds is needed up to `S`.
        let rows = batch.rows.min(S);
        let cols = batch.cols.min(S);
        for row in 0..rows {
            for col in 0..cols {
                let here = occupied[row][col];
                if col + 1 < cols {
                    let next = occupied[row][col + 1];
                    let differ = here ^ next;
                    left = left.or_and(differ, next);
                    right = right.or_and(differ, here);
                    if MERGE {
                        let both = operators[row][col] & operators[row][col + 1];
                        let equal = both
                            .and_not(low[row][col] ^ low[row][col + 1])
                            .and_not(high[row][col] ^ high[row][col + 1]);
                        along_rows |= equal;
                    }
                    if col + 2 < cols {
                        let number = here.and_not(operators[row][col]);
                        let second = occupied[row][col + 2].and_not(operators[row][col + 2]);
                        along_rows = along_rows.or_and(number & second, operators[row][col + 1]);
                    }
                }
                if row + 1 < rows {
                    let next = occupied[row + 1][col];
                    let differ = here ^ next;
                    up = up.or_and(differ, next);
                    down = down.or_and(differ, here);
                    if MERGE {
                        let both = operators[row][col] & operators[row + 1][col];
                        let equal = both
                            .and_not(low[row][col] ^ low[row + 1][col])
                            .and_not(high[row][col] ^ high[row + 1][col]);
                        along_columns |= equal;
                    }
                    if row + 2 < rows {
                        let number = here.and_not(operators[row][col]);
                        let second = occupied[row + 2][col].and_not(operators[row + 2][col]);
                        along_columns =
                            along_columns.or_and(number & second, operators[row + 1][col]);
                    }
                }
            }
        }
        let legal = [
            up | along_columns,
            down | along_columns,
            left | along_rows,
            right | along_rows,
        ];
        let mut pick = [zero; 4];
        for (b, bits) in pick.iter_mut().enumerate() {
            *bits = Bits::of(batch.isa, &batch.draws.picks[self.phase], b);
        }
        let [up, down, _, right] = nth(legal, pick, zero);
        batch.blocked = !(legal[0] | legal[1] | legal[2] | legal[3]);
        batch.vertical = up | down;
        batch.down = down;
        batch.right = right;
    }
}

/// The legal direction number ⌊n p ÷ 12⌋ of each game, where n are legal and p is its `pick`.
#[inline(always)]
fn nth<I: SliceIsa<N>, const N: usize>(
    legal: [Bits<I, N>; 4],
    pick: [Bits<I, N>; 4],
    zero: Bits<I, N>,
) -> [Bits<I, N>; 4] {
    let at_least_3 = pick[3] | pick[2] | (pick[1] & pick[0]);
    let at_least_4 = pick[3] | pick[2];
    let at_least_6 = pick[3].or_and(pick[2], pick[1]);
    let at_least_8 = pick[3];
    let at_least_9 = pick[3] & (pick[0] | pick[1]);
    let [mut ones, mut twos, mut fours] = [zero; 3];
    for direction in legal {
        let carry = ones & direction;
        ones ^= direction;
        fours |= twos & carry;
        twos ^= carry;
    }
    let two = twos.and_not(ones);
    let three = twos & ones;
    let four = fours;
    let first = (two & at_least_6) | (three & at_least_4) | (four & at_least_3);
    let second = (three & at_least_8) | (four & at_least_6);
    let third = four & at_least_9;
    // Which of the legal directions to come is the chosen one.
    let mut next = [!first, first.and_not(second), second.and_not(third), third];
    let mut chosen = legal;
    for (chosen, direction) in chosen.iter_mut().zip(legal) {
        *chosen = direction & next[0];
        for at in 0..3 {
            next[at] = direction.select(next[at + 1], next[at]);
        }
        next[3] = next[3].and_not(direction);
    }
    chosen
}
