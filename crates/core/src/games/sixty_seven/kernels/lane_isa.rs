//! The additional operations that value lanes need from an instruction set.

use super::operation::OperationIsa;
use super::streams::split_mix;
use crate::games::sixty_seven::lanes::{BLOCK_WORDS, LANES};
use crate::games::sixty_seven::residue::PRIME;

/// The further operations that lanes ask of an instruction set.
pub(super) trait LaneIsa: OperationIsa {
    /// Writes the digits of the block of the digit stream that follows `state` to the front of
    /// `digits` and returns how many these are; what lies behind them is garbage.
    #[inline(always)]
    fn draw_digits(self, state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize {
        let words = split_mix::<BLOCK_WORDS>(state);
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

    /// Writes 16 digits as small numbers: lane 2n to the lower and lane 2n + 1 to the upper 32 bits
    /// of word n of the blocks.
    fn widen(self, digits: &[u8; LANES], small: &mut [Self::Block]);

    /// `a × b` of the signed halves of words where `times` is all ones, else `a − b` where `minus`
    /// is all ones, else `a + b`; the other cases are 0, and results fit.
    fn combine_small(
        self,
        a: Self::Vector,
        minus: u64,
        times: u64,
        b: Self::Vector,
    ) -> Self::Vector;

    /// Bit n is set where half number n, in the order of lanes, is that of `b`.
    fn equal_small(self, a: Self::Vector, b: Self::Vector) -> u32;

    /// The lanes of number `chunk` × [`Isa::WIDTH`] on of small numbers, as signed words.
    fn signed_words(self, small: &[Self::Block], chunk: usize) -> Self::Vector;

    /// The residue of each product of two residues.
    #[inline(always)]
    fn multiply_residues(self, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        let prime = self.splat(PRIME);
        let a_high = self.shift_right_by::<32>(a);
        let b_high = self.shift_right_by::<32>(b);
        let low = self.multiply_halves(a, b);
        let cross = self.add(
            self.multiply_halves(a_high, b),
            self.multiply_halves(a, b_high),
        );
        let high = self.multiply_halves(a_high, b_high);
        // 2⁶¹ counts as 1, hence 2⁶⁴ as 8; the cross terms (below 2⁶²) stand 32 bits up, of which
        // 29 reach 2⁶¹.
        let of_low = self.add(self.and(low, prime), self.shift_right_by::<61>(low));
        let cross_low = self.shift_left_by::<32>(self.and(cross, self.splat((1 << 29) - 1)));
        let of_cross = self.add(cross_low, self.shift_right_by::<29>(cross));
        let sum = self.add(self.add(of_low, of_cross), self.shift_left_by::<3>(high));
        reduce(
            self,
            self.add(self.and(sum, prime), self.shift_right_by::<61>(sum)),
        )
    }
}

/// Brings numbers below 2 × PRIME into 0..PRIME.
#[inline(always)]
fn reduce<I: LaneIsa>(isa: I, number: I::Vector) -> I::Vector {
    let prime = isa.splat(PRIME);
    isa.select(
        isa.greater(prime, number),
        number,
        isa.add(number, isa.splat(PRIME.wrapping_neg())),
    )
}

/// `a ± b` for residues; `minus` is all ones for a difference, 0 for a sum.
#[inline(always)]
pub(super) fn add_residues<I: LaneIsa>(
    isa: I,
    a: I::Vector,
    minus: I::Vector,
    b: I::Vector,
) -> I::Vector {
    // The prime is all ones, so that flipping bits subtracts from it.
    reduce(
        isa,
        isa.add(a, isa.xor(b, isa.and(minus, isa.splat(PRIME)))),
    )
}

/// How half bytes become digits.
#[derive(Clone, Copy, Debug)]
pub(super) struct DigitKey {
    /// The digit of each half byte in use.
    pub digits: [u8; 16],
    /// Half bytes below this are in use.
    pub used: u64,
}

/// Half bytes of a block of the digit stream.
pub(super) const BLOCK_DIGITS: usize = 16 * BLOCK_WORDS;

#[cfg(test)]
mod tests {
    use super::super::kernel::{Engine, engines, with_isa};
    use super::*;
    use crate::games::sixty_seven::lanes::{LaneDigits, half_bytes_used};
    use crate::games::sixty_seven::residue::combine;
    use crate::rng;

    fn words<I: LaneIsa>(isa: I, vector: I::Vector) -> I::Block {
        let mut block = I::Block::default();
        isa.store(&mut block, vector);
        block
    }

    fn check<I: LaneIsa>(isa: I) {
        let some = |i: u64| rng::mix(i) >> (i % 62);
        let edges = [0, 1, 2, 66, 67, PRIME / 2, PRIME - 2, PRIME - 1];
        let numbers: Vec<u64> = (0..400)
            .map(some)
            .chain(edges)
            .map(|number| number % PRIME)
            .collect();
        for &a in &numbers {
            for &b in &numbers {
                let va = isa.splat(a);
                let vb = isa.splat(b);
                let found = [
                    words(isa, add_residues(isa, va, isa.splat(0), vb)),
                    words(isa, add_residues(isa, va, isa.splat(u64::MAX), vb)),
                    words(isa, isa.multiply_residues(va, vb)),
                ];
                for (op, found) in found.into_iter().enumerate() {
                    assert_eq!(
                        found[I::WIDTH - 1],
                        combine(a, op as u64, b),
                        "{a} {op} {b}"
                    );
                }
            }
        }
        for (number, count) in (1..=10).cycle().take(400).enumerate() {
            let key = DigitKey {
                digits: std::array::from_fn(|half| (half as u64 % count) as u8 + 3),
                used: half_bytes_used(count),
            };
            let seed = rng::mix(number as u64);
            let mut drawn = [0; BLOCK_DIGITS];
            let drawn_count = isa.draw_digits(seed, &key, &mut drawn);
            let mut expected = LaneDigits::new(seed, count);
            for number in drawn[..drawn_count].chunks_exact(LANES) {
                assert_eq!(
                    number,
                    expected.next_number().map(|digit| digit as u8 + 3),
                    "{count} digits"
                );
            }
            let mut small = vec![I::Block::default(); LANES / 2 / I::WIDTH];
            isa.widen(drawn.first_chunk().unwrap(), &mut small);
            let lanes: Vec<u64> = (0..LANES / I::WIDTH)
                .flat_map(|chunk| (0..I::WIDTH).map(move |lane| (chunk, lane)))
                .map(|(chunk, lane)| words(isa, isa.signed_words(&small, chunk))[lane])
                .collect();
            assert_eq!(
                lanes,
                drawn[..LANES]
                    .iter()
                    .map(|&digit| u64::from(digit))
                    .collect::<Vec<_>>()
            );
        }
        check_small(isa);
    }

    /// Small numbers, half by half.
    fn check_small<I: LaneIsa>(isa: I) {
        let some = |i: u64| i64::from(rng::mix(i) as i32) >> (i % 31);
        let edges = [
            0,
            1,
            -1,
            67,
            -67,
            (1 << 31) - 1,
            1 - (1 << 31),
            46_340,
            -46_340,
        ];
        let numbers: Vec<i64> = (0..100).map(some).chain(edges).collect();
        for &a in &numbers {
            for &b in &numbers {
                for (op, result) in [(0, a + b), (1, a - b), (2, a * b)] {
                    let Ok(result) = i32::try_from(result) else {
                        continue;
                    };
                    for place in 0..2 * I::WIDTH {
                        // The other numbers of the block show that nothing is carried between
                        // halves of a word.
                        let half = |number: i32, other: i32| {
                            let mut block = I::Block::default();
                            for at in 0..2 * I::WIDTH {
                                let number = if at == place { number } else { other };
                                block[at / 2] |=
                                    u64::from(number.cast_unsigned()) << (32 * (at % 2));
                            }
                            block
                        };
                        let va = isa.load(&half(a as i32, -1));
                        let vb = isa.load(&half(b as i32, 1));
                        let rest = [0, -2, -1][op as usize];
                        let is_minus = [0, u64::MAX, 0][op as usize];
                        let is_times = [0, 0, u64::MAX][op as usize];
                        let found = isa.combine_small(va, is_minus, is_times, vb);
                        let expected = half(result, rest);
                        assert_eq!(
                            format!("{:?}", words(isa, found)),
                            format!("{expected:?}"),
                            "{a} {op} {b}"
                        );
                        let other = isa.load(&half(result, rest ^ 8));
                        assert_eq!(isa.equal_small(found, other), 1 << place);
                        let extended = isa.signed_words(&[expected], place / I::WIDTH);
                        assert_eq!(
                            words(isa, extended)[place % I::WIDTH].cast_signed(),
                            i64::from(result)
                        );
                    }
                }
            }
        }
    }

    #[test]
    fn residues_and_words_are_those_of_plain_rust() {
        for engine in engines() {
            with_isa!(engine, isa => check(isa));
        }
    }
}
