//! The numbers of all trajectories, each in all lanes.
//!
//! # Two forms
//! The bound of a number follows from how it was made, for all lanes alike: a digit is at most
//! [`DIGIT_BOUND`], the bound of a sum or difference is the sum of the operands' bounds, the bound
//! of a product is their product. A number whose bound is at most [`SMALL`] is stored exactly in 32
//! bits; results with such a bound fit. Every other number is stored as a residue;
//! [`crate::games::sixty_seven::kernels`] explains why residues are enough.

use crate::games::sixty_seven::kernels::lane_isa::{LaneIsa, add_residues};
use crate::games::sixty_seven::kernels::queued::{
    ADDRESSES, FIRST_AT, OPERATOR_AT, RESULT_AT, SECOND_AT, SLOT_AT, address,
};
use crate::games::sixty_seven::lanes::LANES;
use crate::games::sixty_seven::residue::{PRIME, nearest};

/// The largest bound of small numbers, which have 32 bits; -2³¹ is not one of them.
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

/// The bound of an operation's result, where its operands have these bounds, of at most 32 bits.
#[inline(always)]
fn result_bound(entry: u64, first: u32, second: u32) -> u64 {
    let first = u64::from(first);
    let second = u64::from(second);
    // Computed both ways, since the operator is unpredictable.
    let of_sum = first + second;
    let of_product = first * second;
    of_sum ^ (of_sum ^ of_product) & is_product(entry)
}

/// The numbers by address.
pub(super) struct LaneNumbers<I: LaneIsa, const W: usize> {
    isa: I,
    /// What no lane of the number exceeds in size; [`LARGE`] when it is not small.
    bounds: Vec<u32>,
    /// By address and chunk of lanes: small numbers. [`LaneIsa::widen`] says where lanes stand.
    small: Vec<I::Block>,
    /// By address and chunk of lanes: residues of the others; lane l stands in chunk l ÷
    /// `I::WIDTH`.
    large: Vec<I::Block>,
    /// The target as a residue.
    target: u64,
    /// The target as a small number, in both halves; -2³¹, which no small number is, where it is
    /// not small.
    small_target: u64,
    /// A round's operations with large results, by operator.
    sums: Vec<u64>,
    products: Vec<u64>,
}

impl<I: LaneIsa, const W: usize> LaneNumbers<I, W> {
    /// Blocks of a number as residues, and as a small number.
    const CHUNKS: usize = LANES / I::WIDTH;
    const SMALL_CHUNKS: usize = Self::CHUNKS / 2;

    /// No numbers yet; `target` is a residue, and a round has at most `operations` operations.
    pub(super) fn new(isa: I, target: u64, operations: usize) -> Self {
        let small = i32::try_from(nearest(target))
            .unwrap_or(i32::MIN)
            .cast_unsigned();
        let block = I::Block::default();
        Self {
            isa,
            bounds: vec![0; ADDRESSES],
            small: vec![block; ADDRESSES * Self::SMALL_CHUNKS],
            large: vec![block; ADDRESSES * Self::CHUNKS],
            target,
            small_target: u64::from(small) << 32 | u64::from(small),
            sums: vec![0; operations],
            products: vec![0; operations],
        }
    }

    /// Takes the digits of new numbers; the returned function takes the address of each and its
    /// digits.
    #[inline(always)]
    pub(super) fn taker(&mut self) -> impl FnMut(usize, &[u8; LANES]) {
        // The compiler knows these lengths, so that it checks no address in the loop around the
        // function.
        let bounds = &mut self.bounds[..ADDRESSES];
        let small = &mut self.small[..ADDRESSES * Self::SMALL_CHUNKS];
        let isa = self.isa;
        move |address, digits| {
            let address = address & (ADDRESSES - 1);
            bounds[address] = DIGIT_BOUND;
            isa.widen(
                digits,
                &mut small[address * Self::SMALL_CHUNKS..][..Self::SMALL_CHUNKS],
            );
        }
    }

    /// Combines the numbers of all these operations, in all lanes; `won` takes slots and which of
    /// their lanes show the target.
    #[inline(always)]
    pub(super) fn combine(&mut self, operations: &[u64], mut won: impl FnMut(usize, u32)) {
        let (sums, products) = self.combine_small(operations, &mut won);
        for at in 0..sums {
            self.combine_large::<false>(self.sums[at], &mut won);
        }
        for at in 0..products {
            self.combine_large::<true>(self.products[at], &mut won);
        }
    }

    /// Combines the numbers of the operations that have small results, and lists the others;
    /// returns how many sums and products these are.
    #[inline(always)]
    fn combine_small(
        &mut self,
        operations: &[u64],
        won: &mut impl FnMut(usize, u32),
    ) -> (usize, usize) {
        let isa = self.isa;
        let target = isa.splat(self.small_target);
        let bounds = &mut self.bounds[..ADDRESSES];
        let small = &mut self.small[..ADDRESSES * Self::SMALL_CHUNKS];
        let mut sums = 0;
        let mut products = 0;
        for &entry in operations {
            let [first, second, result] =
                [FIRST_AT, SECOND_AT, RESULT_AT].map(|at| address(entry, at));
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
                let at = |address: usize| address * Self::SMALL_CHUNKS + chunk;
                let a = isa.load(&small[at(first)]);
                let b = isa.load(&small[at(second)]);
                let value = isa.combine_small(a, is_difference(entry), is_product(entry), b);
                isa.store(&mut small[at(result)], value);
                shown |= isa.equal_small(value, target) << (chunk * 2 * I::WIDTH);
            }
            if shown != 0 {
                won((entry >> SLOT_AT) as usize, shown);
            }
        }
        (sums, products)
    }

    /// Combines the numbers of one operation whose result may be large, a product or else a sum or
    /// difference.
    #[inline(always)]
    fn combine_large<const PRODUCT: bool>(&mut self, entry: u64, won: &mut impl FnMut(usize, u32)) {
        let isa = self.isa;
        let target = isa.splat(self.target);
        let minus = isa.splat(is_difference(entry));
        let [first, second, result] = [FIRST_AT, SECOND_AT, RESULT_AT].map(|at| address(entry, at));
        let mut shown = 0;
        for chunk in 0..Self::CHUNKS {
            let a = self.residues(first, chunk);
            let b = self.residues(second, chunk);
            let value = if PRODUCT {
                isa.multiply_residues(a, b)
            } else {
                add_residues(isa, a, minus, b)
            };
            isa.store(&mut self.large[result * Self::CHUNKS + chunk], value);
            shown |= isa.zero_lanes(isa.xor(value, target)) << (chunk * I::WIDTH);
        }
        self.bounds[result] = LARGE;
        if shown != 0 {
            won((entry >> SLOT_AT) as usize, shown);
        }
    }

    /// The residues of a chunk of a number's lanes.
    #[inline(always)]
    fn residues(&self, address: usize, chunk: usize) -> I::Vector {
        let isa = self.isa;
        if self.bounds[address] == LARGE {
            return isa.load(&self.large[address * Self::CHUNKS + chunk]);
        }
        let small = isa.signed_words(
            &self.small[address * Self::SMALL_CHUNKS..][..Self::SMALL_CHUNKS],
            chunk,
        );
        let negative = isa.greater(isa.splat(0), small);
        isa.add(small, isa.keep(negative, isa.splat(PRIME)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::kernels::kernel::{Engine, engines, with_isa};
    use crate::games::sixty_seven::kernels::queued::{base, values_each};
    use crate::rng::mix;

    /// An operation of indices, the result of which takes the address of its first operand.
    fn operation(first: u64, operator: u64, second: u64) -> u64 {
        first << FIRST_AT | second << SECOND_AT | first << RESULT_AT | operator << OPERATOR_AT
    }

    /// Plays with a few numbers at two slots until they have outgrown 32 bits, in every way in
    /// which they can.
    fn check<I: LaneIsa>(isa: I, round: u64) {
        const INDICES: u64 = 6;
        let bases = [base(0, 0), base(values_each(1) as u64, 1)];
        let address_of = |slot: usize, index: u64| {
            ((bases[slot] >> FIRST_AT) + index) as usize & (ADDRESSES - 1)
        };
        let modulus = i128::from(PRIME);
        let target =
            [67, 2_147_483_647, 2_147_483_648, -2_147_483_648, -18_i64][round as usize % 5];
        let mut numbers =
            LaneNumbers::<I, 1>::new(isa, i128::from(target).rem_euclid(modulus) as u64, 2);
        // Remainders modulo the prime, with the sign of the number: the number itself as long as it
        // is small.
        let mut expected = [[[0_i128; LANES]; INDICES as usize]; 2];
        let give =
            |numbers: &mut LaneNumbers<I, 1>, slot: usize, index: u64, digits: [u8; LANES]| {
                numbers.taker()(address_of(slot, index), &digits);
                digits.map(i128::from)
            };
        for slot in 0..2 {
            for index in 0..INDICES {
                let digits = std::array::from_fn(|lane| {
                    (mix(round * 97 + index * 17 + lane as u64) % 10) as u8
                });
                expected[slot][index as usize] = give(&mut numbers, slot, index, digits);
            }
        }
        for step in 0..400 {
            let word = mix(round << 20 | step);
            let first = word % INDICES;
            let second = (word >> 8) % INDICES;
            // Sums of a number with itself pass 32 bits by one bit.
            let operator = [0, 1, 2, 0, 1, 0, 0, 1][(word >> 16) as usize % 8];
            let mut wins = [0; 2];
            let operations = bases.map(|base| operation(first, operator, second) + base);
            numbers.combine(&operations, |slot, shown| wins[slot] |= shown);
            for slot in 0..2 {
                let a = expected[slot][first as usize];
                let b = expected[slot][second as usize];
                let result: [i128; LANES] = std::array::from_fn(|lane| match operator {
                    0 => (a[lane] + b[lane]) % modulus,
                    1 => (a[lane] - b[lane]) % modulus,
                    _ => (a[lane] * b[lane]) % modulus,
                });
                expected[slot][first as usize] = result;
                let address = address_of(slot, first);
                for (lane, number) in result.into_iter().enumerate() {
                    let chunk = lane / I::WIDTH;
                    let at = lane % I::WIDTH;
                    let mut block = I::Block::default();
                    isa.store(&mut block, numbers.residues(address, chunk));
                    assert_eq!(
                        i128::from(block[at]),
                        number.rem_euclid(modulus),
                        "round {round}, step {step}"
                    );
                    let won = (number - i128::from(target)) % modulus == 0;
                    assert_eq!(
                        wins[slot] >> lane & 1 == 1,
                        won,
                        "round {round}, step {step}, lane {lane}"
                    );
                    let bound = numbers.bounds[address];
                    assert!(bound == LARGE || number.unsigned_abs() <= u128::from(bound));
                }
            }
            if step % 50 == 49 {
                let digits = std::array::from_fn(|lane| (word >> lane) as u8 % 10);
                for slot in 0..2 {
                    expected[slot][first as usize] = give(&mut numbers, slot, first, digits);
                }
            }
        }
        assert!(
            numbers.bounds.contains(&LARGE),
            "nothing has outgrown 32 bits"
        );
    }

    #[test]
    fn both_forms_are_the_numbers() {
        for engine in engines() {
            for round in 0..if cfg!(miri) { 2 } else { 100 } {
                with_isa!(engine, isa => check(isa, round));
            }
        }
    }
}
