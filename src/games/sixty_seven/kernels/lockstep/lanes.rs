//! Value lanes: one trajectory of kinds carries [`LANES`] sets of digits.
//!
//! What a lane is, and which word decides its digits, stands in [`crate::games::sixty_seven::lanes`].
//!
//! ```text
//! draw, place, move, queue     as for ordinary games: they know kinds and slots only
//! digits   per number tile:    8 words of the trajectory's digit stream become 16 digits in the tile's slot
//! values   per triple:         combine 16 values with 16 values, note the lanes that show the target
//! ended    per trajectory:     blocked, out of rounds, or all lanes won: report all lanes at once
//! ```
//!
//! # Departures from the obvious
//! 1. The table of ordinary games plays the trajectory; only what touches values is different. Its own place for a value stays unused.
//! 2. Digits are drawn for numbers only: the deals of a vector are compressed to a list of numbers first, since an operator or a number
//!    is as unpredictable as can be.
//! 3. The digit stream is counted (SplitMix64), so that a trajectory keeps one word of state for 16 lanes rather than 8 generators.
//! 4. Triples are parted by operator, without a branch, into sums and products: a product of residues costs five times a sum.

use super::super::isa::Isa;
use super::super::layout::Layout;
use super::super::residue::PRIME;
use super::super::spec::Spec;
use super::super::start::Start;
use super::super::{End, EndedLanes, Playing};
use super::{OPERATOR_BIT, PLACE, SEAT_AT, Table, slots};
use crate::games::sixty_seven::lanes::{ALL_LANES, DIGIT_WORDS, LANES, digit_seed};
use crate::rng::{GOLDEN, MIX};

/// The further operations that lanes ask of an instruction set.
pub(in super::super) trait LaneIsa: Isa {
    /// The product of the lower halves of each word.
    fn multiply_halves(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// The lower word of each product.
    #[inline(always)]
    fn multiply_low(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        let (a_high, b_high) = (self.shift_right_by::<32>(a), self.shift_right_by::<32>(b));
        let cross = self.add(self.multiply_halves(a_high, b), self.multiply_halves(a, b_high));
        self.add(self.multiply_halves(a, b), self.shift_left_by::<32>(cross))
    }

    /// The residue of each product of two residues.
    #[inline(always)]
    fn multiply_residues(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        let prime = self.splat(PRIME);
        let (a_high, b_high) = (self.shift_right_by::<32>(a), self.shift_right_by::<32>(b));
        let low = self.multiply_halves(a, b);
        let cross = self.add(self.multiply_halves(a_high, b), self.multiply_halves(a, b_high));
        let high = self.multiply_halves(a_high, b_high);
        // 2⁶¹ counts as 1, hence 2⁶⁴ as 8; the cross terms (below 2⁶²) stand 32 bits up, of which 29 reach 2⁶¹.
        let of_low = self.add(self.and(low, prime), self.shift_right_by::<61>(low));
        let cross_low = self.shift_left_by::<32>(self.and(cross, self.splat((1 << 29) - 1)));
        let of_cross = self.add(cross_low, self.shift_right_by::<29>(cross));
        let sum = self.add(self.add(of_low, of_cross), self.shift_left_by::<3>(high));
        reduce(self, self.add(self.and(sum, prime), self.shift_right_by::<61>(sum)))
    }
}

/// Brings numbers below 2 × PRIME into 0..PRIME.
#[inline(always)]
fn reduce<I: Isa>(isa: I, number: I::Vector) -> I::Vector {
    let prime = isa.splat(PRIME);
    isa.select(isa.greater(prime, number), number, isa.sub(number, prime))
}

/// `a ± b` for residues; `minus` is all ones for a difference, 0 for a sum.
#[inline(always)]
fn add_residues<I: Isa>(isa: I, a: I::Vector, minus: I::Vector, b: I::Vector) -> I::Vector {
    // The prime is all ones, so that flipping bits subtracts from it.
    reduce(isa, isa.add(a, isa.xor(b, isa.and(minus, isa.splat(PRIME)))))
}

/// [`crate::rng::mix`] of each word.
#[inline(always)]
fn mix<I: LaneIsa>(isa: I, word: I::Vector) -> I::Vector {
    let word = isa.multiply_low(isa.xor(word, isa.shift_right_by::<30>(word)), isa.splat(MIX[0]));
    let word = isa.multiply_low(isa.xor(word, isa.shift_right_by::<27>(word)), isa.splat(MIX[1]));
    isa.xor(word, isa.shift_right_by::<31>(word))
}

/// The values of a trajectory's seat.
struct Lanes {
    /// Lanes that have won.
    won: u32,
    /// The round in which each did.
    rounds: [u64; LANES],
}

/// Trajectories in lock-step.
struct LaneTable<'a, I: Isa, const W: usize, const R: usize, const H: usize> {
    table: Table<'a, I, W, R, H>,
    /// By seat, slot and chunk of lanes; lane l stands in chunk l ÷ `I::LANES`.
    values: Vec<I::Block>,
    /// Per vector of trajectories: the state of the digit stream before the next tile.
    digits: Vec<I::Block>,
    /// What is added to that state for each word of a tile.
    offsets: [I::Block; DIGIT_WORDS],
    /// The choices and the states of the digit stream of the numbers dealt to a vector of trajectories.
    numbers: Vec<u64>,
    states: Vec<u64>,
    sums: Vec<u64>,
    products: Vec<u64>,
    lanes: Vec<Lanes>,
}

/// Plays the trajectories `playing.games` and reports each end, in no particular order.
#[inline(always)]
pub(in super::super) fn run<I: LaneIsa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    playing: Playing,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    let start = Start::blank();
    let mut lanes = LaneTable::<I, W, R, H>::new(Table::new(isa, layout, spec, &start, playing));
    let (left, up) = (layout.way::<I, R>(isa, isa.splat(2)), layout.way::<I, R>(isa, isa.splat(0)));
    for seat in 0..lanes.lanes.len() {
        lanes.fill(seat);
    }
    while lanes.table.taken > 0 {
        lanes.table.rounds += 1;
        let groups = lanes.table.groups.len();
        for group in 0..groups {
            lanes.table.draw(group);
        }
        for group in 0..groups {
            lanes.table.place(group);
            lanes.draw_digits(group);
        }
        for group in 0..groups {
            lanes.table.advance(group, &left, &up);
        }
        lanes.evaluate();
        lanes.table.call_time();
        lanes.finish(report);
    }
}

impl<'a, I: LaneIsa, const W: usize, const R: usize, const H: usize> LaneTable<'a, I, W, R, H> {
    /// Blocks that hold the values of one slot.
    const CHUNKS: usize = LANES / I::LANES;
    /// Vectors of digit words a tile.
    const WORDS: usize = DIGIT_WORDS / I::LANES;

    fn new(table: Table<'a, I, W, R, H>) -> Self {
        let (block, seats, queue) = (I::Block::default(), table.seats.len(), table.queue.len());
        let mut offsets = [block; DIGIT_WORDS];
        for word in 0..DIGIT_WORDS {
            offsets[word / I::LANES][word % I::LANES] = GOLDEN.wrapping_mul(word as u64 + 1);
        }
        Self {
            values: vec![block; seats * slots(W) * Self::CHUNKS],
            digits: vec![block; table.groups.len()],
            offsets,
            // A whole vector is written each time.
            numbers: vec![0; (table.spec.tiles + 1) * I::LANES],
            states: vec![0; (table.spec.tiles + 1) * I::LANES],
            sums: vec![0; queue],
            products: vec![0; queue],
            lanes: (0..seats).map(|_| Lanes { won: 0, rounds: [0; LANES] }).collect(),
            table,
        }
    }

    /// Seats the next trajectory.
    #[inline(always)]
    fn fill(&mut self, seat: usize) {
        self.table.fill(seat);
        self.lanes[seat].won = 0;
        let trajectory = self.table.seats[seat].game.unwrap_or_default();
        self.digits[seat / I::LANES][seat % I::LANES] = digit_seed(self.table.playing.seeds, trajectory);
    }

    /// Draws the digits of this round's numbers for a vector of trajectories.
    #[inline(always)]
    fn draw_digits(&mut self, group: usize) {
        let isa = self.table.isa;
        let tiles = self.table.spec.tiles;
        let mut state = isa.load(&self.digits[group]);
        let mut dealt = 0;
        for deal in &self.table.deals[group * tiles..][..tiles] {
            let operator = isa.splat(1 << OPERATOR_BIT);
            let number = isa.and_not(operator, isa.load(&deal.code));
            // What finds no room is no operator either; its digits go to a slot that is free or that nothing reads.
            let count = isa.append(&mut self.numbers[dealt..], isa.load(&deal.choice), number);
            isa.append(&mut self.states[dealt..], state, number);
            dealt += count;
            state = isa.add(state, isa.splat(GOLDEN.wrapping_mul(DIGIT_WORDS as u64)));
        }
        isa.store(&mut self.digits[group], state);
        let digits = isa.splat(self.table.spec.digits);
        for at in 0..dealt {
            let place = (self.numbers[at] as u32 >> 8) as usize;
            let values = &mut self.values[place * Self::CHUNKS..][..Self::CHUNKS];
            let state = isa.splat(self.states[at]);
            for word in 0..Self::WORDS {
                let (first, rest) = isa.multiply(mix(isa, isa.add(state, isa.load(&self.offsets[word]))), digits);
                let (second, _) = isa.multiply(rest, digits);
                isa.store(&mut values[word], isa.lookup64(&self.table.spec.table, first));
                isa.store(&mut values[word + Self::WORDS], isa.lookup64(&self.table.spec.table, second));
            }
        }
    }

    /// Combines the values of all queued triples.
    #[inline(always)]
    fn evaluate(&mut self) {
        let isa = self.table.isa;
        let (mut sums, mut products) = (0, 0);
        for &entry in &self.table.queue[..self.table.queued] {
            self.sums[sums] = entry;
            self.products[products] = entry;
            let times = (entry >> 49 & 1) as usize;
            products += times;
            sums += 1 - times;
        }
        self.table.queued = 0;
        for at in 0..sums {
            let entry = self.sums[at];
            let minus = isa.splat((entry >> 48 & 1).wrapping_neg());
            self.combine(entry, |a, b| add_residues(isa, a, minus, b));
        }
        for at in 0..products {
            self.combine(self.products[at], |a, b| isa.multiply_residues(a, b));
        }
    }

    /// Combines the values of one triple in all lanes.
    #[inline(always)]
    fn combine(&mut self, entry: u64, operate: impl Fn(I::Vector, I::Vector) -> I::Vector) {
        let isa = self.table.isa;
        let target = isa.splat(self.table.spec.target);
        let place = |at: u32| (entry >> at & PLACE) as usize * Self::CHUNKS;
        let mut shown = 0;
        for chunk in 0..Self::CHUNKS {
            let (a, b) = (isa.load(&self.values[place(0) + chunk]), isa.load(&self.values[place(16) + chunk]));
            let value = operate(a, b);
            isa.store(&mut self.values[place(32) + chunk], value);
            shown |= isa.zero_lanes(isa.xor(value, target)) << (chunk * I::LANES);
        }
        if shown != 0 {
            self.note_wins((entry >> SEAT_AT) as usize, shown);
        }
    }

    /// Notes that these lanes of a seat show the target.
    fn note_wins(&mut self, number: usize, shown: u32) {
        let (seat, lanes) = (&mut self.table.seats[number], &mut self.lanes[number]);
        for lane in (0..LANES).filter(|lane| (shown & !lanes.won) >> lane & 1 == 1) {
            lanes.rounds[lane] = self.table.rounds - seat.since;
        }
        lanes.won |= shown;
        if lanes.won == ALL_LANES && seat.end.is_none() {
            seat.end = Some(End::Won);
            self.table.ended.push(number as u32);
        }
    }

    /// Reports the ended trajectories and seats new ones.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&EndedLanes<'_>)) {
        for at in 0..self.table.ended.len() {
            let number = self.table.ended[at] as usize;
            let seat = self.table.seats[number];
            if let (Some(trajectory), Some(end)) = (seat.game, seat.end) {
                let Lanes { won, rounds: rounds_won } = &self.lanes[number];
                let rounds = self.table.rounds - seat.since;
                report(&EndedLanes { trajectory, end, rounds, won: *won, rounds_won });
                self.table.taken -= 1;
                self.fill(number);
            }
        }
        self.table.ended.clear();
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::portable::Portable;
    use super::super::super::residue::combine;
    use super::*;
    use crate::rng;

    fn check<I: LaneIsa>(isa: I) {
        let some = |i: u64| rng::mix(i) >> (i % 62);
        let edges = [0, 1, 2, 66, 67, PRIME / 2, PRIME - 2, PRIME - 1];
        let numbers: Vec<u64> = (0..400).map(some).chain(edges).map(|number| number % PRIME).collect();
        let words = |vector: I::Vector| {
            let mut block = I::Block::default();
            isa.store(&mut block, vector);
            block
        };
        for &a in &numbers {
            for &b in &numbers {
                let (va, vb) = (isa.splat(a), isa.splat(b));
                let found = [
                    words(add_residues(isa, va, isa.splat(0), vb)),
                    words(add_residues(isa, va, isa.splat(u64::MAX), vb)),
                    words(isa.multiply_residues(va, vb)),
                ];
                for (op, found) in found.into_iter().enumerate() {
                    assert_eq!(found[I::LANES - 1], combine(a, op as u64, b), "{a} {op} {b}");
                }
            }
            let wide = rng::mix(a);
            assert_eq!(words(mix(isa, isa.splat(wide)))[0], rng::mix(wide));
        }
    }

    #[test]
    fn residues_and_words_are_those_of_plain_rust() {
        check(Portable);
        #[cfg(target_arch = "x86_64")]
        {
            if let Some(isa) = super::super::super::avx2::Avx2::new() {
                check(isa);
            }
            if let Some(isa) = super::super::super::avx512::Avx512::new() {
                check(isa);
            }
        }
    }
}
