//! The operations that a scan has found: their operands, the slots of their results, the values.
//!
//! Most lines have no operation, and few games have operations in more than three lines. So the
//! operations are taken in rounds: in round r those of the r-th line of each game that has any, all
//! at once in planes. What is left is done game by game: operations in further lines, and second
//! operations of a line.

use super::super::portable::set_bits;
use super::batch::{INDICES, INDICES_MAX, Pass, SLOTS_AT, SliceBatch};
use super::bits::{Bits, LISTED, SliceIsa};
use crate::games::sixty_seven::residue::{combine_either, exceeds};

/// Replaces each operation by its result; `LIMITED` where the rules limit values.
#[derive(Clone, Copy)]
pub(super) struct CollapsePass<const LIMITED: bool> {
    pub target: u64,
    pub limit: u64,
}

/// Rounds of operations done in planes at most; see [`Batch::ROUNDS`].
const ROUNDS_MAX: usize = 4;

/// The operations of a round, in planes.
#[derive(Clone, Copy)]
struct Operations<I: SliceIsa<N>, const N: usize, const S: usize> {
    /// The games whose operation in this line belongs to the round.
    lines: [Bits<I, N>; S],
    /// The games with an operation.
    has: Bits<I, N>,
    /// The games in which both operands have a slot, so that the second one's becomes free; there
    /// are enough slots without it, and its number is read where the values are combined.
    frees: Bits<I, N>,
    first: [Bits<I, N>; 8],
    second: [Bits<I, N>; 8],
    result: [Bits<I, N>; 8],
    operator: [Bits<I, N>; 2],
}

impl<I: SliceIsa<N>, const N: usize, const S: usize, const LIMITED: bool> Pass<I, N, S>
    for CollapsePass<LIMITED>
{
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let zero = Bits::zero(batch.isa);
        let none = Operations {
            lines: [zero; S],
            has: zero,
            frees: zero,
            first: [zero; 8],
            second: [zero; 8],
            result: [zero; 8],
            operator: [zero; 2],
        };
        let rounds = &mut [none; ROUNDS_MAX][..SliceBatch::<I, N, S>::ROUNDS];
        // Operations in lines beyond those of the rounds, and those behind another one.
        let mut beyond = [zero; S];
        let mut any_left = zero;
        for line in 0..S {
            let mut left = zero;
            for at in 2..S {
                left |= batch.seconds[line][at];
                any_left = any_left.or_and(batch.seconds[line][at], batch.behind[line][at]);
            }
            for round in &mut *rounds {
                let taken = left.and_not(round.has);
                round.lines[line] = taken;
                round.has |= taken;
                left = left.and_not(taken);
            }
            beyond[line] = left;
            any_left |= left;
        }
        for line in 0..S {
            batch.gather(line, rounds);
        }
        for (r, round) in rounds.iter_mut().enumerate() {
            batch.allot(round, S * r);
        }
        for line in 0..S {
            batch.put_results(line, rounds, beyond[line]);
        }
        for round in &*rounds {
            if !round.has.any() {
                break;
            }
            batch.combine_round(self, round);
        }
        if any_left.any() {
            for line in 0..S {
                for at in 2..S {
                    let left = batch.behind[line][at] | beyond[line];
                    let games = batch.seconds[line][at] & left;
                    if games.any() {
                        batch.combine_one_by_one(self, games, line, at);
                    }
                }
            }
        }
    }
}

impl<I: SliceIsa<N>, const N: usize, const S: usize> SliceBatch<I, N, S> {
    /// Rounds of operations done in planes. The more games a register holds, the likelier one of
    /// them has operations in many lines.
    const ROUNDS: usize = if N >= 4 { ROUNDS_MAX } else { 3 };

    /// Reads the indices of a line's first operation into the round that it belongs to.
    #[inline(always)]
    fn gather(&self, line: usize, rounds: &mut [Operations<I, N, S>]) {
        let zero = Bits::zero(self.isa);
        let behind = &self.behind[line];
        let mut firsts = [zero; S];
        let mut symbols = [zero; S];
        let mut seconds = [zero; S];
        for at in 0..S {
            firsts[at] = self.firsts[line][at].and_not(behind[at]);
            symbols[at] = self.symbols[line][at].and_not(behind[at]);
            seconds[at] = self.seconds[line][at].and_not(behind[at]);
        }
        for b in 0..Self::INDEX_BITS {
            let index = &self.frames[INDICES + b][line];
            let mut first = firsts[0] & index[0];
            for at in 1..S - 2 {
                first = first.or_and(firsts[at], index[at]);
            }
            let mut second = seconds[2] & index[2];
            for at in 3..S {
                second = second.or_and(seconds[at], index[at]);
            }
            for round in rounds.iter_mut() {
                round.first[b] = round.first[b].or_and(first, round.lines[line]);
                round.second[b] = round.second[b].or_and(second, round.lines[line]);
            }
            if b < 2 {
                let mut operator = symbols[1] & index[1];
                for at in 2..S - 1 {
                    operator = operator.or_and(symbols[at], index[at]);
                }
                for round in rounds.iter_mut() {
                    round.operator[b] = round.operator[b].or_and(operator, round.lines[line]);
                }
            }
        }
    }

    /// The games in which an index is not below [`SLOTS_AT`].
    #[inline(always)]
    fn is_slot(index: &[Bits<I, N>; 8]) -> Bits<I, N> {
        const { assert!(SLOTS_AT == 10) };
        let mut high = index[4];
        for b in 5..Self::INDEX_BITS {
            high |= index[b];
        }
        high.or_and(index[3], index[1] | index[2])
    }

    /// Gives each operation of a round the slot of its result: that of an operand that has one, the
    /// nearer one's if both have, else a free one. The search begins at slot `from`, another one
    /// for each round, since earlier rounds have taken the first free slots.
    #[inline(always)]
    fn allot(&mut self, round: &mut Operations<I, N, S>, from: usize) {
        let first = Self::is_slot(&round.first);
        let second = Self::is_slot(&round.second);
        for b in 0..Self::INDEX_BITS {
            round.result[b] = first.select(round.first[b], round.second[b]) & (first | second);
        }
        round.frees = first & second;
        let mut want = round.has.and_not(first | second);
        for slot in (from..S * S).chain(0..from) {
            let free = &mut self.free.as_flattened_mut()[slot];
            let taken = *free & want;
            want = want.and_not(taken);
            *free = free.and_not(taken);
            for b in 0..Self::INDEX_BITS {
                if (slot + SLOTS_AT) >> b & 1 == 1 {
                    round.result[b] |= taken;
                }
            }
            if !want.any() {
                break;
            }
        }
    }

    /// Writes the results' indices to the cells that take them.
    #[inline(always)]
    fn put_results(&mut self, line: usize, rounds: &[Operations<I, N, S>], beyond: Bits<I, N>) {
        let mut seconds = [beyond; S];
        for at in 2..S {
            seconds[at] = self.seconds[line][at].and_not(self.behind[line][at] | beyond);
        }
        for b in 0..Self::INDEX_BITS {
            let mut result = rounds[0].lines[line] & rounds[0].result[b];
            for round in &rounds[1..] {
                result = result.or_and(round.lines[line], round.result[b]);
            }
            let index = &mut self.frames[INDICES + b][line];
            for at in 2..S {
                index[at] = seconds[at].select(result, index[at]);
            }
        }
    }

    /// Combines the values of a round.
    #[inline(always)]
    fn combine_round<const LIMITED: bool>(
        &mut self,
        collapse: CollapsePass<LIMITED>,
        round: &Operations<I, N, S>,
    ) {
        let mut first = round.first;
        let mut second = round.second;
        let [low, high] = round.operator;
        // Minus becomes its mirror image.
        let high = high.or_and(low, self.right | self.down);
        // Bits that indices leave.
        first[7] = low;
        second[7] = high;
        let mut firsts = [[0; 64]; N];
        let mut seconds = [[0; 64]; N];
        let mut results = [[0; 64]; N];
        Bits::bytes(&first, &mut firsts);
        Bits::bytes(&second, &mut seconds);
        Bits::bytes(&round.result, &mut results);
        let list = &mut [[0; LISTED]; N];
        for &game in round.frees.list(list) {
            let second = seconds.as_flattened()[game as usize] as usize % INDICES_MAX;
            self.free.as_flattened_mut()[second - SLOTS_AT].set_bit(game as usize, 1);
        }
        for &game in round.has.list(list) {
            // The remainder is the game itself, and no check of bounds is needed.
            let game = game as usize % Self::GAMES;
            let first = firsts.as_flattened()[game] as usize;
            let second = seconds.as_flattened()[game] as usize;
            let result = results.as_flattened()[game] as usize;
            let indices = [first, second, result].map(|index| index % INDICES_MAX);
            let operator = first >> 7 | second >> 7 << 1;
            self.combine(collapse, game, indices, operator);
        }
    }

    /// Combines two numbers of a game; the indices are those of the numbers nearer to and farther
    /// from the edge and of the result. See [`combine_either`] for the operator.
    #[inline(always)]
    fn combine<const LIMITED: bool>(
        &mut self,
        collapse: CollapsePass<LIMITED>,
        game: usize,
        [first, second, result]: [usize; 3],
        operator: usize,
    ) {
        let values = self.values[game * Self::VALUES..].first_chunk_mut::<INDICES_MAX>();
        let values = values.expect("there is a margin");
        let value = combine_either(values[first], operator, values[second]);
        values[result] = value;
        if value == collapse.target {
            self.won[game / 64] |= 1 << (game % 64);
        }
        if LIMITED && exceeds(value, collapse.limit) {
            self.exceeded[game / 64] |= 1 << (game % 64);
        }
    }

    /// Does the operation whose second number is on this cell, in these games.
    #[cold]
    #[inline(never)]
    fn combine_one_by_one<const LIMITED: bool>(
        &mut self,
        collapse: CollapsePass<LIMITED>,
        games: Bits<I, N>,
        line: usize,
        at: usize,
    ) {
        for (word, bits) in games.words().iter().enumerate() {
            for bit in set_bits(*bits) {
                let game = 64 * word + bit;
                let before = |cells: &[Bits<I, N>; S], end: usize| {
                    (0..end)
                        .rev()
                        .find(|&cell| cells[cell].bit(game) == 1)
                        .expect("an operation has three tiles")
                };
                let symbol = before(&self.symbols[line], at);
                let first = before(&self.firsts[line], symbol);
                let index = |cell: usize| {
                    (0..Self::INDEX_BITS).fold(0, |index, b| {
                        index | self.frames[INDICES + b][line][cell].bit(game) << b
                    })
                };
                let mirrored = self.right.bit(game) | self.down.bit(game);
                let first = index(first);
                let second = index(at);
                let operator = index(symbol);
                let operator = operator & 3 | (operator & mirrored) << 1;
                let slots = self.free.as_flattened_mut();
                let result = match (first >= SLOTS_AT, second >= SLOTS_AT) {
                    (true, true) => {
                        slots[second - SLOTS_AT].set_bit(game, 1);
                        first
                    }
                    (true, false) => first,
                    (false, true) => second,
                    (false, false) => {
                        let slot = slots
                            .iter()
                            .position(|slot| slot.bit(game) == 1)
                            .expect("there are as many slots as cells");
                        slots[slot].set_bit(game, 0);
                        slot + SLOTS_AT
                    }
                };
                for b in 0..Self::INDEX_BITS {
                    self.frames[INDICES + b][line][at].set_bit(game, result >> b & 1);
                }
                self.combine(collapse, game, [first, second, result], operator);
            }
        }
    }
}
