//! The instruction set `portable`: plain Rust on one word, one game a vector.
//!
//! One lane, because a game's planes then fit the general registers, rotations by a count are
//! single instructions, and the planes of one game are independent enough to keep a scalar core
//! busy.

use super::isa::{Halves, Instructions, Isa};
use super::lane_isa::LaneIsa;
use super::operation::OperationIsa;
use crate::games::kernels::methods;
use crate::games::sixty_seven::lanes::LANES;
use crate::games::sixty_seven::residue::combine;

/// Plain Rust, on every machine.
#[derive(Clone, Copy, Debug)]
pub(super) struct Portable;

/// `NTH_BIT_OF_BYTE[rank][byte]` is the set bit of `byte` with `rank` set bits below it, alone, or
/// 0.
static NTH_BIT_OF_BYTE: [[u8; 256]; 8] = {
    let mut table = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut bit = 0;
        let mut rank = 0;
        while bit < 8 {
            if byte >> bit & 1 == 1 {
                table[rank][byte] = 1 << bit;
                rank += 1;
            }
            bit += 1;
        }
        byte += 1;
    }
    table
};

/// A 1 in each byte.
pub(super) const ONES: u64 = 0x0101_0101_0101_0101;

/// Set bits of each byte, summed from byte 0 up to and including each byte.
#[inline(always)]
fn byte_sums(word: u64) -> u64 {
    let pairs = word - (word >> 1 & (0x55 * ONES));
    let fours = (pairs & (0x33 * ONES)) + (pairs >> 2 & (0x33 * ONES));
    ((fours + (fours >> 4)) & (0x0F * ONES)).wrapping_mul(ONES)
}

/// The set bit of `word` that has `rank` set bits below it ([`Isa::nth_bit`]).
#[inline(always)]
pub(super) fn nth_bit(word: u64, rank: u64) -> u64 {
    nth_bit_of(word, rank, byte_sums(word))
}

/// The set bit of `word` that has `rank` set bits below it, where `sums` are the [`byte_sums`] of
/// `word`. Broadword selection (Vigna, "Broadword implementation of rank/select queries", 2008).
#[inline(always)]
pub(super) fn nth_bit_of(word: u64, rank: u64, sums: u64) -> u64 {
    // A byte of `beyond` has its top bit set when the sum up to it exceeds the rank; sums are at
    // most 64 and ranks at most 63.
    let beyond = (sums | (0x80 * ONES)) - (rank + 1) * ONES;
    let shift = ((beyond & (0x80 * ONES)).trailing_zeros() & !7) & 63;
    let before = (sums << 8) >> shift & 0xFF;
    let byte = word >> shift & 0xFF;
    u64::from(NTH_BIT_OF_BYTE[(rank - before) as usize & 7][byte as usize]) << shift
}

/// The numbers of the set bits of a word, in ascending order.
#[inline(always)]
pub(super) fn set_bits(mut word: u64) -> impl Iterator<Item = usize> {
    std::iter::from_fn(move || {
        let lowest = (word != 0).then(|| word.trailing_zeros() as usize);
        word &= word.wrapping_sub(1);
        lowest
    })
}

/// All ones for true.
#[inline(always)]
const fn mask(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

impl Instructions for Portable {}

impl Isa for Portable {
    const WIDTH: usize = 1;
    type Vector = u64;
    type Mask = bool;
    type Block = [u64; 1];

    /// The compiler would join the two words of a plane in one vector register where it can and
    /// take them apart again for each rotation, through memory: on 10×10 that takes three to four
    /// times as long.
    #[inline(always)]
    #[allow(unsafe_code, unused_mut)]
    fn apart(self, mut a: u64) -> u64 {
        #[cfg(all(any(target_arch = "x86_64", target_arch = "aarch64"), not(miri)))]
        // SAFETY: it has no instruction.
        unsafe {
            std::arch::asm!("/* {0} */", inout(reg) a, options(pure, nomem, nostack, preserves_flags));
        }
        a
    }
    methods! { [] isa: Portable, u64;
        load(block: &[u64; 1]) = block[0];
        store(block: &mut [u64; 1], a) -> () = *block = [a];
        splat(word) = word;
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        and_not(a, b) = a & !b;
        select(condition: bool, a, b) = b ^ ((a ^ b) & mask(condition));
        keep(condition: bool, a) = a & mask(condition);
        both(a: bool, b: bool) -> bool = a & b;
        add(a, b) = a.wrapping_add(b);
        decrement(a) = a.saturating_sub(1);
        greater(a, b) -> bool = a.cast_signed() > b.cast_signed();
        is_zero(a) -> bool = a == 0;
        is_nonzero(a) -> bool = a != 0;
        all_zero(a) -> bool = a == 0;
        zero_lanes(a) -> u32 = u32::from(a == 0);
        popcount(a) = u64::from(a.count_ones());
        multiply_halves(a, b) = (a & 0xFFFF_FFFF) * (b & 0xFFFF_FFFF);
        // WebAssembly has no product of 128 bits: it would be a function call.
        #[cfg(not(target_arch = "wasm32"))]
        multiply(a: Halves<u64>, small) -> (u64, Halves<u64>) = {
            let product = u128::from(isa.word(a)) * u128::from(small);
            ((product >> 64) as u64, isa.factor(product as u64))
        };
        word(a: Halves<u64>) = a.high << 32 | a.low & 0xFFFF_FFFF;
        rotate(a, counts) = a.rotate_left(counts as u32);
        rotate_back(a, counts) = a.rotate_right(counts as u32);
        rotate_by<N: i32>(a) = a.rotate_left(N as u32);
        shift_left_by<N: u32>(a) = a << N;
        shift_right_by<N: u32>(a) = a >> N;
        shift_left(a, counts) = a << (counts & 63);
        shift_right(a, counts) = a >> (counts & 63);
        lookup4(table: &[u64; 4], index) = table[index as usize & 3];
        lookup16(table: &[u8; 16], index) = u64::from(table[index as usize & 15]);
        lookup64(table: &[u8; 64], index) = u64::from(table[index as usize & 63]);
        or_if(sum, addend, a, b) = sum | (addend & mask(a & b != 0));
        append(list: &mut [u64], words, chosen: bool) -> usize = {
            list[0] = words;
            usize::from(chosen)
        };
        nth_bit(word, rank) = nth_bit(word, rank);
    }
}

impl OperationIsa for Portable {}

impl LaneIsa for Portable {
    methods! { [] isa: Portable, u64;
        multiply_residues(a, b) = combine(a, 2, b);
        combine_small(a, minus, times, b) = {
            let combine = |a: u32, b: u32| {
                // Flipping all bits and subtracting all ones, hence adding 1, negates.
                let sum = a.wrapping_add((b ^ minus as u32).wrapping_sub(minus as u32));
                u64::from(sum & !(times as u32) | a.wrapping_mul(b) & times as u32)
            };
            combine(a as u32, b as u32) | combine((a >> 32) as u32, (b >> 32) as u32) << 32
        };
        widen(digits: &[u8; LANES], small: &mut [[u64; 1]]) -> () = {
            for (word, pair) in small.iter_mut().zip(digits.as_chunks::<2>().0) {
                *word = [u64::from(pair[0]) | u64::from(pair[1]) << 32];
            }
        };
        signed_words(small: &[[u64; 1]], chunk: usize) = {
            let half = small[chunk / 2][0] >> (32 * (chunk % 2));
            i64::from(half as i32).cast_unsigned()
        };
        equal_small(a, b) -> u32 =
            u32::from(a as u32 == b as u32) | u32::from(a >> 32 == b >> 32) << 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::rng::mix;

    #[test]
    fn the_nth_bit_is_found() {
        let words = (0..2000)
            .map(|i| mix(i) & mix(i + 7) | u64::from(i % 3 == 0) << 63)
            .chain([0, 1, u64::MAX, 1 << 63]);
        for word in words {
            let mut rest = word;
            for rank in 0..word.count_ones() {
                let lowest = rest & rest.wrapping_neg();
                assert_eq!(nth_bit(word, u64::from(rank)), lowest, "{word:#x} {rank}");
                rest ^= lowest;
            }
        }
        assert_eq!(nth_bit(0, 0), 0);
    }
}
