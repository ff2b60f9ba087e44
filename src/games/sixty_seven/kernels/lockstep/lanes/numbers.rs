//! The numbers of all trajectories, each in all lanes.
//!
//! # Two forms
//! How large a number can be follows from how it came about, for all lanes alike: a digit is at most [`DIGIT_BOUND`], the bound of a sum or
//! difference is the sum of the operands' bounds, that of a product their product. A number whose bound is at most [`SMALL`] is kept as it
//! is, in 32 bits, and results with such a bound are exact in 32 bits. Every other number is kept as a residue
//! ([`super::super::super::residue`] says why that is enough), and stays one.

use super::super::super::residue::{PRIME, nearest};
use super::super::super::triple::{FIRST_AT, OPERATOR_AT, RESULT_AT, SEAT_AT, SECOND_AT};
use super::super::{PLACES, place};
use super::isa::{LaneIsa, add_residues};
use crate::games::sixty_seven::lanes::LANES;

/// The largest bound of small numbers, which have 32 bits; the least number of 32 bits is none of them.
const SMALL: u32 = i32::MAX.cast_unsigned();
/// What stands for all larger bounds.
const LARGE: u32 = SMALL + 1;
/// The bound of a digit.
const DIGIT_BOUND: u32 = 9;

/// All ones where an entry's operator is minus, else 0.
#[inline(always)]
const fn is_difference(entry: u64) -> u64 {
    (entry >> OPERATOR_AT & 1).wrapping_neg()
}

/// All ones where an entry's operator is times, else 0.
#[inline(always)]
const fn is_product(entry: u64) -> u64 {
    (entry >> (OPERATOR_AT + 1) & 1).wrapping_neg()
}

/// The bound of a triple's result, where its operands have these bounds, of at most 32 bits.
#[inline(always)]
fn result_bound(entry: u64, first: u32, second: u32) -> u64 {
    let (first, second) = (u64::from(first), u64::from(second));
    // Computed both ways, since the operator is unpredictable.
    let (of_sum, of_product) = (first + second, first * second);
    of_sum ^ (of_sum ^ of_product) & is_product(entry)
}

/// The numbers by place.
pub(super) struct Numbers<I: LaneIsa, const W: usize> {
    isa: I,
    /// What no lane of the number exceeds in size; [`LARGE`] when it is not small.
    bounds: Vec<u32>,
    /// By place and chunk of lanes: small numbers. [`LaneIsa::widen`] says where lanes stand.
    small: Vec<I::Block>,
    /// By place and chunk of lanes: residues of the others; lane l stands in chunk l ÷ `I::LANES`.
    large: Vec<I::Block>,
    /// The target as a residue.
    target: u64,
    /// The target as a small number, in both halves; one that no number is, where it is not small.
    small_target: u64,
    /// A round's triples with large results, by operator.
    sums: Vec<u64>,
    products: Vec<u64>,
}

impl<I: LaneIsa, const W: usize> Numbers<I, W> {
    /// Blocks of a number as residues, and as a small number.
    const CHUNKS: usize = LANES / I::LANES;
    const SMALL_CHUNKS: usize = Self::CHUNKS / 2;

    /// No numbers yet; `target` is a residue, and a round has at most `triples` triples.
    pub(super) fn new(isa: I, target: u64, triples: usize) -> Self {
        let small = i32::try_from(nearest(target)).unwrap_or(i32::MIN).cast_unsigned();
        let block = I::Block::default();
        Self {
            isa,
            bounds: vec![0; PLACES],
            small: vec![block; PLACES * Self::SMALL_CHUNKS],
            large: vec![block; PLACES * Self::CHUNKS],
            target,
            small_target: u64::from(small) << 32 | u64::from(small),
            sums: vec![0; triples],
            products: vec![0; triples],
        }
    }

    /// Takes the digits of new numbers; the returned function is told the place of each and its digits.
    #[inline(always)]
    pub(super) fn taker(&mut self) -> impl FnMut(usize, &[u8; LANES]) {
        // The compiler knows these lengths, so that it checks no place in the loop around the function.
        let bounds = &mut self.bounds[..PLACES];
        let small = &mut self.small[..PLACES * Self::SMALL_CHUNKS];
        let isa = self.isa;
        move |place, digits| {
            let place = place & (PLACES - 1);
            bounds[place] = DIGIT_BOUND;
            isa.widen(digits, &mut small[place * Self::SMALL_CHUNKS..][..Self::SMALL_CHUNKS]);
        }
    }

    /// Combines the numbers of all these triples, in all lanes; `won` is told seats and which of their lanes show the target.
    #[inline(always)]
    pub(super) fn combine(&mut self, triples: &[u64], mut won: impl FnMut(usize, u32)) {
        let (sums, products) = self.combine_small(triples, &mut won);
        for at in 0..sums {
            self.combine_large::<false>(self.sums[at], &mut won);
        }
        for at in 0..products {
            self.combine_large::<true>(self.products[at], &mut won);
        }
    }

    /// Combines the numbers of the triples that have small results, and lists the others; returns how many sums and products these are.
    #[inline(always)]
    fn combine_small(&mut self, triples: &[u64], won: &mut impl FnMut(usize, u32)) -> (usize, usize) {
        let isa = self.isa;
        let target = isa.splat(self.small_target);
        let bounds = &mut self.bounds[..PLACES];
        let small = &mut self.small[..PLACES * Self::SMALL_CHUNKS];
        let (mut sums, mut products) = (0, 0);
        for &entry in triples {
            let [first, second, result] = [FIRST_AT, SECOND_AT, RESULT_AT].map(|at| place(entry, at));
            let bound = result_bound(entry, bounds[first], bounds[second]);
            if bound > u64::from(SMALL) {
                let times = is_product(entry) as usize & 1;
                self.sums[sums] = entry;
                self.products[products] = entry;
                products += times;
                sums += 1 - times;
                continue;
            }
            bounds[result] = bound as u32;
            let mut shown = 0;
            for chunk in 0..Self::SMALL_CHUNKS {
                let at = |place: usize| place * Self::SMALL_CHUNKS + chunk;
                let (a, b) = (isa.load(&small[at(first)]), isa.load(&small[at(second)]));
                let value = isa.combine_small(a, is_difference(entry), is_product(entry), b);
                isa.store(&mut small[at(result)], value);
                shown |= isa.equal_small(value, target) << (chunk * 2 * I::LANES);
            }
            if shown != 0 {
                won((entry >> SEAT_AT) as usize, shown);
            }
        }
        (sums, products)
    }

    /// Combines the numbers of one triple whose result may be large, a product or else a sum or difference.
    #[inline(always)]
    fn combine_large<const PRODUCT: bool>(&mut self, entry: u64, won: &mut impl FnMut(usize, u32)) {
        let isa = self.isa;
        let target = isa.splat(self.target);
        let minus = isa.splat(is_difference(entry));
        let [first, second, result] = [FIRST_AT, SECOND_AT, RESULT_AT].map(|at| place(entry, at));
        let mut shown = 0;
        for chunk in 0..Self::CHUNKS {
            let (a, b) = (self.residues(first, chunk), self.residues(second, chunk));
            let value = if PRODUCT { isa.multiply_residues(a, b) } else { add_residues(isa, a, minus, b) };
            isa.store(&mut self.large[result * Self::CHUNKS + chunk], value);
            shown |= isa.zero_lanes(isa.xor(value, target)) << (chunk * I::LANES);
        }
        self.bounds[result] = LARGE;
        if shown != 0 {
            won((entry >> SEAT_AT) as usize, shown);
        }
    }

    /// The residues of a chunk of a number's lanes.
    #[inline(always)]
    fn residues(&self, place: usize, chunk: usize) -> I::Vector {
        let isa = self.isa;
        if self.bounds[place] == LARGE {
            return isa.load(&self.large[place * Self::CHUNKS + chunk]);
        }
        let small = isa.signed_words(&self.small[place * Self::SMALL_CHUNKS..][..Self::SMALL_CHUNKS], chunk);
        let negative = isa.greater(isa.splat(0), small);
        isa.add(small, isa.keep(negative, isa.splat(PRIME)))
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::super::portable::Portable;
    use super::super::super::super::triple::base;
    use super::super::super::slots;
    use super::*;
    use crate::rng::mix;

    /// A triple of slots, the result of which takes the place of its first operand.
    fn triple(first: u64, operator: u64, second: u64) -> u64 {
        first << FIRST_AT | second << SECOND_AT | first << RESULT_AT | operator << OPERATOR_AT
    }

    /// Plays with a few numbers at two seats until they have outgrown 32 bits, in every way in which they can.
    fn check<I: LaneIsa>(isa: I, round: u64) {
        const SLOTS: u64 = 6;
        let bases = [base(0, 0), base(slots(1) as u64, 1)];
        let place_of = |seat: usize, slot: u64| ((bases[seat] >> FIRST_AT) + slot) as usize & (PLACES - 1);
        let modulus = i128::from(PRIME);
        let target = [67, 2_147_483_647, 2_147_483_648, -2_147_483_648, -18_i64][round as usize % 5];
        let mut numbers = Numbers::<I, 1>::new(isa, i128::from(target).rem_euclid(modulus) as u64, 2);
        // Remainders modulo the prime, with the sign of the number: the number itself as long as it is small.
        let mut expected = [[[0_i128; LANES]; SLOTS as usize]; 2];
        let give = |numbers: &mut Numbers<I, 1>, seat: usize, slot: u64, digits: [u8; LANES]| {
            numbers.taker()(place_of(seat, slot), &digits);
            digits.map(i128::from)
        };
        for seat in 0..2 {
            for slot in 0..SLOTS {
                let digits = std::array::from_fn(|lane| (mix(round * 97 + slot * 17 + lane as u64) % 10) as u8);
                expected[seat][slot as usize] = give(&mut numbers, seat, slot, digits);
            }
        }
        for step in 0..400 {
            let word = mix(round << 20 | step);
            let (first, second) = (word % SLOTS, (word >> 8) % SLOTS);
            // Sums of a number with itself pass 32 bits by one bit.
            let operator = [0, 1, 2, 0, 1, 0, 0, 1][(word >> 16) as usize % 8];
            let mut wins = [0; 2];
            let triples = bases.map(|base| triple(first, operator, second) + base);
            numbers.combine(&triples, |seat, shown| wins[seat] |= shown);
            for seat in 0..2 {
                let (a, b) = (expected[seat][first as usize], expected[seat][second as usize]);
                let result: [i128; LANES] = std::array::from_fn(|lane| match operator {
                    0 => (a[lane] + b[lane]) % modulus,
                    1 => (a[lane] - b[lane]) % modulus,
                    _ => (a[lane] * b[lane]) % modulus,
                });
                expected[seat][first as usize] = result;
                let place = place_of(seat, first);
                for (lane, number) in result.into_iter().enumerate() {
                    let (chunk, at) = (lane / I::LANES, lane % I::LANES);
                    let mut block = I::Block::default();
                    isa.store(&mut block, numbers.residues(place, chunk));
                    assert_eq!(i128::from(block[at]), number.rem_euclid(modulus), "round {round}, step {step}");
                    let won = (number - i128::from(target)) % modulus == 0;
                    assert_eq!(wins[seat] >> lane & 1 == 1, won, "round {round}, step {step}, lane {lane}");
                    let bound = numbers.bounds[place];
                    assert!(bound == LARGE || number.unsigned_abs() <= u128::from(bound));
                }
            }
            if step % 50 == 49 {
                let digits = std::array::from_fn(|lane| (word >> lane) as u8 % 10);
                for seat in 0..2 {
                    expected[seat][first as usize] = give(&mut numbers, seat, first, digits);
                }
            }
        }
        assert!(numbers.bounds.contains(&LARGE), "nothing has outgrown 32 bits");
    }

    #[test]
    fn both_forms_are_the_numbers() {
        for round in 0..if cfg!(miri) { 2 } else { 100 } {
            check(Portable, round);
            #[cfg(target_arch = "x86_64")]
            {
                if let Some(isa) = super::super::super::super::avx2::Avx2::new() {
                    check(isa, round);
                }
                if let Some(isa) = super::super::super::super::avx512::Avx512::new() {
                    check(isa, round);
                }
            }
        }
    }
}
