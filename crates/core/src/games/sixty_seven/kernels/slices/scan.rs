//! What a move does to each line: the operations, then how far the tiles that are left move.
//!
//! An automaton reads a frame's line from the edge. It knows whether the tiles before it may begin
//! an operation: a number (state 1), or a number and an operator (state 2); a number in state 2 is
//! the second one of an operation. A blank resets it where gaps are kept; otherwise it skips
//! blanks. Where runs merge, it skips an operator that is to be removed.

use super::batch::{INDICES, OCCUPIED, OPERATORS, Pass, STEPS_MAX, SliceBatch, steps};
use super::bits::{Bits, SliceIsa, unrolled};

/// Finds operations and removed operators, and removes these and all tiles of an operation but the
/// second number, which takes the result. `SEPARATE` where blanks separate; `MERGE` where runs
/// merge, `HALVE` where half of a run remains.
pub(super) struct Scan<const SEPARATE: bool, const MERGE: bool, const HALVE: bool>;

impl<
    I: SliceIsa<N>,
    const N: usize,
    const S: usize,
    const SEPARATE: bool,
    const MERGE: bool,
    const HALVE: bool,
> Pass<I, N, S> for Scan<SEPARATE, MERGE, HALVE>
{
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        for line in 0..S {
            let occupied = &batch.frames[OCCUPIED][line];
            let operators = &batch.frames[OPERATORS][line];
            let low = &batch.frames[INDICES][line];
            let high = &batch.frames[INDICES + 1][line];
            // The occupied cells, less removed operators.
            let mut tiles = [zero; S];
            let mut removed = [zero; S];
            let mut second = [zero; S];
            let [mut state_1, mut state_2, mut behind] = [zero; 3];
            // The last tile, and whether it was removed.
            let [mut last, mut last_low, mut last_high, mut last_removed] = [zero; 4];
            unrolled!(at < S, {
                let mut tile = occupied[at];
                let mut operator = operators[at];
                let number = tile.and_not(operator);
                if MERGE {
                    removed[at] = (operator & last)
                        .and_not(last_low ^ low[at])
                        .and_not(last_high ^ high[at]);
                    if HALVE {
                        removed[at] = removed[at].and_not(last_removed);
                        last_removed = if SEPARATE {
                            removed[at]
                        } else {
                            tile.select(removed[at], last_removed)
                        };
                    }
                    if SEPARATE {
                        last = operator;
                        last_low = low[at];
                        last_high = high[at];
                    } else {
                        last = tile.select(operator, last);
                        last_low = operator.select(low[at], last_low);
                        last_high = operator.select(high[at], last_high);
                    }
                    tile = tile.and_not(removed[at]);
                    operator = operator.and_not(removed[at]);
                }
                let ends = number & state_2;
                let first = number.and_not(state_2);
                let continues = operator & state_1;
                if SEPARATE && MERGE {
                    state_1 = removed[at].select(state_1, first);
                    state_2 = removed[at].select(state_2, continues);
                } else if SEPARATE {
                    state_1 = first;
                    state_2 = continues;
                } else {
                    state_1 = tile.select(first, state_1);
                    state_2 = tile.select(continues, state_2);
                }
                tiles[at] = tile;
                second[at] = ends;
                batch.behind[line][at] = behind;
                batch.seconds[line][at] = ends;
                behind |= ends;
            });
            // Back from each operation's second number to its operator and its first number.
            let [mut operator_due, mut first_due] = [zero; 2];
            unrolled!(rev at < S, {
                let operator = operator_due & tiles[at];
                let first = first_due & tiles[at];
                batch.symbols[line][at] = operator;
                batch.firsts[line][at] = first;
                batch.frames[OCCUPIED][line][at] = tiles[at].and_not(operator | first);
                if SEPARATE && MERGE {
                    operator_due = second[at].or_and(operator_due, removed[at]);
                    first_due = operator.or_and(first_due, removed[at]);
                } else if SEPARATE {
                    operator_due = second[at];
                    first_due = operator;
                } else {
                    operator_due = second[at] | operator_due.and_not(tiles[at]);
                    first_due = operator | first_due.and_not(tiles[at]);
                }
            });
        }
    }
}

/// Finds how far each tile moves, moves the tiles, and counts the blanks.
pub(super) struct SlidePass;

impl<I: SliceIsa<N>, const N: usize, const S: usize> Pass<I, N, S> for SlidePass {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        // Walls are no blanks, but the rest of the frame that is not on the board is.
        let mut blanks = [zero; 8];
        for (length, mirrored) in [(batch.cols, batch.right), (batch.rows, batch.down)] {
            let walls = SliceBatch::<I, N, S>::walls_of(length);
            for (b, bits) in blanks.iter_mut().enumerate() {
                if walls >> b & 1 == 1 {
                    *bits |= mirrored;
                }
            }
        }
        for line in 0..S {
            let mut kept = [zero; S];
            unrolled!(at < S, {
                kept[at] = batch.frames[OCCUPIED][line][at];
            });
            // The gaps before each tile, as a binary number.
            let mut gaps = [zero; 5];
            let mut distance = [[zero; S]; STEPS_MAX];
            unrolled!(at < S, {
                for b in 0..steps(S) {
                    distance[b][at] = gaps[b] & kept[at];
                }
                let mut carry = !kept[at];
                for b in 0..=steps(S) {
                    if (at + 1) >> b != 0 {
                        let next = gaps[b] & carry;
                        gaps[b] ^= carry;
                        carry = next;
                    }
                }
            });
            let mut carry = zero;
            unrolled!(b < 8, {
                let gaps = if b <= steps(S) { gaps[b % 5] } else { zero };
                let sum = gaps ^ blanks[b];
                let next = (gaps & blanks[b]) | (sum & carry);
                blanks[b] = sum ^ carry;
                carry = next;
            });
            // A tile moves by 1, 2, 4, 8 as its distance has these bits, and takes the distance
            // along.
            unrolled!(step < steps(S), {
                let by = 1 << step;
                let mut moving = [zero; S];
                unrolled!(at < S, {
                    if at >= by {
                        moving[at] = distance[step][at];
                        batch.moves[step][line][at] = moving[at];
                    }
                });
                unrolled!(at < S, {
                    let arrived = if at + by < S {
                        moving[(at + by) % S]
                    } else {
                        zero
                    };
                    // Nothing moves out of the cells within the step from the edge.
                    kept[at] = kept[at].and_not(moving[at]) | arrived;
                    for b in step + 1..steps(S) {
                        let mut next = distance[b][at].and_not(moving[at]);
                        if at + by < S {
                            next = next.or_and(distance[b][(at + by) % S], arrived);
                        }
                        distance[b][at] = next;
                    }
                });
            });
            unrolled!(at < S, {
                batch.frames[OCCUPIED][line][at] = kept[at];
            });
        }
        Bits::bytes(&blanks, &mut batch.draws.blanks);
        let beside = (S * S - batch.rows * batch.cols) as u8;
        for blanks in batch.draws.blanks.as_flattened_mut() {
            *blanks = blanks.wrapping_sub(beside);
        }
    }
}
