//! The legal directions, and the random player's choice among them.

use super::batch::{Batch, INDICES, OCCUPIED, OPERATORS, Pass};
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
    fn run(self, batch: &mut Batch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        let mut vertical = Axis::none(zero);
        let mut horizontal = Axis::none(zero);
        for row in 0..batch.rows {
            for col in 0..batch.cols {
                horizontal.look::<S, MERGE>(batch, [row, col], [0, 1]);
                vertical.look::<S, MERGE>(batch, [row, col], [1, 0]);
            }
        }
        let legal = [
            vertical.back | vertical.either,
            vertical.forth | vertical.either,
            horizontal.back | horizontal.either,
            horizontal.forth | horizontal.either,
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

/// The games in which tiles can move along columns or along rows.
struct Axis<I: SliceIsa<N>, const N: usize> {
    /// Up or to the left, since a blank precedes a tile.
    back: Bits<I, N>,
    /// Down or to the right, since a tile precedes a blank.
    forth: Bits<I, N>,
    /// In both directions, since tiles collapse or merge.
    either: Bits<I, N>,
}

impl<I: SliceIsa<N>, const N: usize> Axis<I, N> {
    const fn none(zero: Bits<I, N>) -> Self {
        Self {
            back: zero,
            forth: zero,
            either: zero,
        }
    }

    /// Adds what a cell shows together with the next cells, each of them `down` and `right` by so
    /// many.
    #[inline(always)]
    fn look<const S: usize, const MERGE: bool>(
        &mut self,
        batch: &Batch<I, N, S>,
        [row, col]: [usize; 2],
        [down, right]: [usize; 2],
    ) {
        let [next_row, next_col] = [row + down, col + right];
        let [last_row, last_col] = [next_row + down, next_col + right];
        if next_row >= batch.rows || next_col >= batch.cols {
            return;
        }
        let occupied = &batch.planes[OCCUPIED];
        let operators = &batch.planes[OPERATORS];
        let here = occupied[row][col];
        let next = occupied[next_row][next_col];
        let differ = here ^ next;
        self.back = self.back.or_and(differ, next);
        self.forth = self.forth.or_and(differ, here);
        if MERGE {
            let [low, high] = [&batch.planes[INDICES], &batch.planes[INDICES + 1]];
            let both = operators[row][col] & operators[next_row][next_col];
            self.either |= both
                .and_not(low[row][col] ^ low[next_row][next_col])
                .and_not(high[row][col] ^ high[next_row][next_col]);
        }
        if last_row < batch.rows && last_col < batch.cols {
            let first = here.and_not(operators[row][col]);
            let last = occupied[last_row][last_col].and_not(operators[last_row][last_col]);
            self.either = self
                .either
                .or_and(first & last, operators[next_row][next_col]);
        }
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
