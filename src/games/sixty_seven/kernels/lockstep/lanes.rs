//! Value lanes: one trajectory of kinds carries [`LANES`] sets of digits.
//!
//! What a lane is, and which word decides its digits, stands in [`crate::games::sixty_seven::lanes`].
//!
//! ```text
//! draw, place, move, queue     as for ordinary games: they know kinds and slots only
//! digits   per number tile:    the next 16 digits of the trajectory go to the tile's slot
//! refill   per trajectory:     while few digits are left, 64 bytes of the digit stream become about 80 of them
//! values   per triple:         combine 16 values with 16 values, note the lanes that show the target
//! ended    per trajectory:     blocked, out of rounds, or all lanes won: report all lanes at once
//! ```
//!
//! # Departures from the obvious
//! On 6×7 `gapless` a trajectory's turn takes 26.6 ns where an ordinary game's takes 14.9 (`avx512`, shared 2-core Xeon, Sapphire Rapids). Of
//! that, by samples of a profile, drawing digits takes 3.3 ns, giving them to numbers 3.2 and combining triples 2.8. A prototype whose lanes
//! have 32 bits, and wrap, takes 19.8 in the same minutes.
//!
//! 1. The table of ordinary games plays the trajectory; only what touches values is different. Its own place for a value stays unused.
//! 2. Digits go to numbers only: the deals of a vector are compressed to a list of numbers first, since an operator or a number
//!    is as unpredictable as can be.
//! 3. The digit stream is counted (SplitMix64), so that a trajectory keeps one word of state for 16 lanes rather than 8 generators. Half
//!    bytes that stand for digits are compressed in registers; two multiplications a word and lane pair took twice as long.
//! 4. Triples are parted by operator, without a branch, into sums and products: a product of residues costs five times a sum.

use super::super::isa::Isa;
use super::super::layout::Layout;
use super::super::residue::PRIME;
use super::super::spec::Spec;
use super::super::start::Start;
use super::super::triple::{FIRST_AT, OPERATOR_AT, PLACE, RESULT_AT, SEAT_AT, SECOND_AT};
use super::super::turn::OPERATOR_BIT;
use super::super::{End, EndedLanes, Playing};
use super::{Table, slots};
use crate::games::sixty_seven::lanes::{ALL_LANES, BLOCK_WORDS, LANES, digit_seed, half_bytes_used};
use crate::rng::{GOLDEN, mix};

/// The further operations that lanes ask of an instruction set.
pub(in super::super) trait LaneIsa: Isa {
    /// The product of the lower halves of each word.
    fn multiply_halves(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    /// Writes the digits of the block of the digit stream that follows `state` to the front of `digits` and returns how many these are;
    /// what lies behind them is garbage.
    #[inline(always)]
    fn draw_digits(self, state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize {
        let words: [u64; BLOCK_WORDS] =
            std::array::from_fn(|word| mix(state.wrapping_add(GOLDEN.wrapping_mul(word as u64 + 1))));
        let mut count = 0;
        for shift in [0, 4] {
            for word in words {
                for byte in 0..8 {
                    let half = word >> (8 * byte + shift) & 15;
                    // At most all places before this one are taken.
                    digits[count & (BLOCK_DIGITS - 1)] = key.digits[half as usize];
                    count += usize::from(half < key.used);
                }
            }
        }
        count
    }

    /// Writes 16 digits as numbers, lane l to word l mod `LANES` of block l ÷ `LANES`.
    #[inline(always)]
    fn widen(self, digits: &[u8; LANES], values: &mut [Self::Block]) {
        for (lane, &digit) in digits.iter().enumerate() {
            values[lane / Self::LANES][lane % Self::LANES] = u64::from(digit);
        }
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
    isa.select(isa.greater(prime, number), number, isa.add(number, isa.splat(PRIME.wrapping_neg())))
}

/// `a ± b` for residues; `minus` is all ones for a difference, 0 for a sum.
#[inline(always)]
fn add_residues<I: Isa>(isa: I, a: I::Vector, minus: I::Vector, b: I::Vector) -> I::Vector {
    // The prime is all ones, so that flipping bits subtracts from it.
    reduce(isa, isa.add(a, isa.xor(b, isa.and(minus, isa.splat(PRIME)))))
}

/// How half bytes become digits.
#[derive(Clone, Copy, Debug)]
pub(in super::super) struct DigitKey {
    /// The digit of each half byte in use.
    pub digits: [u8; 16],
    /// Half bytes below this are in use.
    pub used: u64,
}

/// Half bytes of a block of the digit stream.
pub(in super::super) const BLOCK_DIGITS: usize = 16 * BLOCK_WORDS;
/// The digits of a trajectory that are drawn and not yet used.
#[derive(Clone, Copy, Debug, Default)]
struct Store {
    /// The state of the digit stream.
    state: u64,
    /// Where the unused digits begin and end in the seat's part of the stores.
    at: usize,
    end: usize,
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
    key: DigitKey,
    stores: Vec<Store>,
    /// By seat: unused digits.
    digits: Vec<u8>,
    /// The seats of each vector of trajectories.
    seats: Vec<I::Block>,
    /// This round's numbers: seat (8 bits) and where the value goes.
    numbers: Vec<u64>,
    listed: usize,
    sums: Vec<u64>,
    products: Vec<u64>,
    lanes: Vec<Lanes>,
    /// Seats with few digits left.
    low: Vec<u32>,
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
        }
        for group in 0..groups {
            lanes.list_numbers(group);
        }
        lanes.deal_digits();
        for group in 0..groups {
            lanes.table.advance(group, &left, &up);
        }
        for group in 0..groups {
            lanes.table.queue_triples(group);
        }
        lanes.evaluate();
        lanes.table.end_blocked(0..groups);
        lanes.refill_low();
        lanes.table.call_time(0..groups);
        lanes.finish(report);
    }
}

impl<'a, I: LaneIsa, const W: usize, const R: usize, const H: usize> LaneTable<'a, I, W, R, H> {
    /// Blocks that hold the values of one slot.
    const CHUNKS: usize = LANES / I::LANES;

    fn new(table: Table<'a, I, W, R, H>) -> Self {
        let (block, seats, queue, spec) = (I::Block::default(), table.seats.len(), table.queue.len(), table.spec);
        let mut seats_of = vec![block; table.groups.len()];
        (0..seats).for_each(|seat| seats_of[seat / I::LANES][seat % I::LANES] = seat as u64);
        let digits = std::array::from_fn(|half| spec.table[half % spec.digits as usize]);
        Self {
            values: vec![block; seats * slots(W) * Self::CHUNKS],
            key: DigitKey { digits, used: half_bytes_used(spec.digits) },
            stores: vec![Store::default(); seats],
            digits: vec![0; seats * Self::store_size(spec)],
            seats: seats_of,
            // A whole vector is written each time.
            numbers: vec![0; seats * spec.tiles + I::LANES],
            listed: 0,
            sums: vec![0; queue],
            products: vec![0; queue],
            lanes: (0..seats).map(|_| Lanes { won: 0, rounds: [0; LANES] }).collect(),
            low: vec![0; seats],
            table,
        }
    }

    /// Digits that a round may use.
    const fn digits_a_round(spec: &Spec) -> usize {
        spec.tiles * LANES
    }

    /// Room for the digits of one seat: too few for a round, a block, and what is read behind them.
    const fn store_size(spec: &Spec) -> usize {
        2 * Self::digits_a_round(spec) + BLOCK_DIGITS
    }

    /// Seats the next trajectory.
    #[inline(always)]
    fn fill(&mut self, seat: usize) {
        self.table.fill(seat);
        self.lanes[seat].won = 0;
        let trajectory = self.table.seats[seat].game.unwrap_or_default();
        self.stores[seat] = Store { state: digit_seed(self.table.playing.seeds, trajectory), at: 0, end: 0 };
        self.refill(seat);
    }

    /// Draws digits for a seat until a round has enough.
    #[inline(always)]
    fn refill(&mut self, seat: usize) {
        let (needed, size) = (Self::digits_a_round(self.table.spec), Self::store_size(self.table.spec));
        let (store, digits) = (&mut self.stores[seat], &mut self.digits[seat * size..][..size]);
        while store.end - store.at < needed {
            // What is left, fewer digits than a round's, goes to the front, by numbers of which the last may be no digits.
            for number in 0..self.table.spec.tiles {
                let from = store.at + number * LANES;
                let left: [u8; LANES] =
                    *digits[from..].first_chunk().expect("a round's digits may be read behind the last");
                *digits[number * LANES..].first_chunk_mut().expect("the store has room for a round") = left;
            }
            (store.at, store.end) = (0, store.end - store.at);
            let block = digits[store.end..].first_chunk_mut().expect("there is room for a block");
            store.end += self.table.isa.draw_digits(store.state, &self.key, block);
            store.state = store.state.wrapping_add(GOLDEN.wrapping_mul(BLOCK_WORDS as u64));
        }
    }

    /// Draws digits for the seats that may lack some in the next round.
    #[inline(always)]
    fn refill_low(&mut self) {
        let needed = Self::digits_a_round(self.table.spec);
        let mut low = 0;
        for seat in 0..self.stores.len() {
            self.low[low] = seat as u32;
            low += usize::from(self.stores[seat].end - self.stores[seat].at < needed);
        }
        for at in 0..low {
            self.refill(self.low[at] as usize);
        }
    }

    /// Adds this round's numbers of a vector of trajectories to the list.
    #[inline(always)]
    fn list_numbers(&mut self, group: usize) {
        let (isa, tiles) = (self.table.isa, self.table.spec.tiles);
        let seats = isa.load(&self.seats[group]);
        for deal in &self.table.deals[group * tiles..][..tiles] {
            let mut cell = isa.load(&deal.cell[0]);
            for w in 1..W {
                cell = isa.or(cell, isa.load(&deal.cell[w]));
            }
            // Only tiles that found a cell are there.
            let number = isa.is_nonzero(isa.and_not(isa.splat(1 << OPERATOR_BIT), isa.load(&deal.code)));
            let number = isa.both(isa.is_nonzero(cell), number);
            let entry = isa.or(isa.and(isa.load(&deal.choice), isa.splat(0xFFFF_FF00)), seats);
            self.listed += isa.append(&mut self.numbers[self.listed..], entry, number);
        }
    }

    /// Gives the listed numbers their digits.
    #[inline(always)]
    fn deal_digits(&mut self) {
        let (isa, size) = (self.table.isa, Self::store_size(self.table.spec));
        for &entry in &self.numbers[..self.listed] {
            let (seat, place) = (entry as usize & 0xFF, entry as usize >> 8);
            let at = self.stores[seat].at;
            self.stores[seat].at = at + LANES;
            let digits = self.digits[seat * size + at..].first_chunk().expect("the store was refilled");
            isa.widen(digits, &mut self.values[place * Self::CHUNKS..][..Self::CHUNKS]);
        }
        self.listed = 0;
    }

    /// Combines the values of all queued triples.
    #[inline(always)]
    fn evaluate(&mut self) {
        let (mut sums, mut products) = (0, 0);
        for &entry in &self.table.queue[..self.table.queued] {
            self.sums[sums] = entry;
            self.products[products] = entry;
            let times = (entry >> (OPERATOR_AT + 1) & 1) as usize;
            products += times;
            sums += 1 - times;
        }
        self.table.queued = 0;
        for at in 0..sums {
            self.combine::<false>(self.sums[at]);
        }
        for at in 0..products {
            self.combine::<true>(self.products[at]);
        }
    }

    /// Combines the values of one triple, a product or else a sum or difference, in all lanes.
    #[inline(always)]
    fn combine<const PRODUCT: bool>(&mut self, entry: u64) {
        let isa = self.table.isa;
        let target = isa.splat(self.table.spec.target);
        let minus = isa.splat((entry >> OPERATOR_AT & 1).wrapping_neg());
        let place = |at: u32| (entry >> at & PLACE) as usize * Self::CHUNKS;
        let mut shown = 0;
        for chunk in 0..Self::CHUNKS {
            let (a, b) =
                (isa.load(&self.values[place(FIRST_AT) + chunk]), isa.load(&self.values[place(SECOND_AT) + chunk]));
            let value = if PRODUCT { isa.multiply_residues(a, b) } else { add_residues(isa, a, minus, b) };
            isa.store(&mut self.values[place(RESULT_AT) + chunk], value);
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
    use crate::games::sixty_seven::lanes::Digits;
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
        }
        for (number, count) in (1..=10).cycle().take(400).enumerate() {
            let key = DigitKey {
                digits: std::array::from_fn(|half| (half as u64 % count) as u8 + 3),
                used: half_bytes_used(count),
            };
            let (seed, mut drawn) = (rng::mix(number as u64), [0; BLOCK_DIGITS]);
            let drawn_count = isa.draw_digits(seed, &key, &mut drawn);
            let mut expected = Digits::new(seed, count);
            for number in drawn[..drawn_count].chunks_exact(LANES) {
                assert_eq!(number, expected.next_number().map(|digit| digit as u8 + 3), "{count} digits");
            }
            let mut values = vec![I::Block::default(); LANES / I::LANES];
            isa.widen(drawn.first_chunk().unwrap(), &mut values);
            let lanes: Vec<u64> = (0..LANES).map(|lane| values[lane / I::LANES][lane % I::LANES]).collect();
            assert_eq!(lanes, drawn[..LANES].iter().map(|&digit| u64::from(digit)).collect::<Vec<_>>());
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
