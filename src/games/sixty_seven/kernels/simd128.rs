//! The instruction set `simd128`: WebAssembly's vectors, two games each.
//!
//! A shift moves both lanes of a vector by the same count, and nothing looks words up in a table.
//! So games that move in the same direction are brought together in a vector for the move
//! ([`Isa::ONE_DIRECTION`]). Legal directions are found and tiles drawn for both games of a vector;
//! the rest is done game by game.
//!
//! WebAssembly has no detection at run time: the kernel exists where the compiler may use the
//! instructions, `-C target-feature=+simd128`.

use super::isa::Isa;
use super::lane_isa::LaneIsa;
use super::lockstep::stepping::SteppingIsa;
use super::operation::OperationIsa;
use super::pair::{self, Pair};
use super::portable::Portable;
use std::arch::wasm32::*;

/// WebAssembly's vectors.
#[derive(Clone, Copy, Debug)]
pub(super) struct Simd128;

/// By how much the bits of all lanes move.
#[derive(Clone, Copy)]
pub(super) struct Distance {
    /// Whether tiles move towards the end of lines.
    towards_end: bool,
    /// To the left; to the right where negative.
    left: i32,
}

impl Simd128 {
    #[inline(always)]
    fn words(self, a: v128) -> [u64; 2] {
        [u64x2_extract_lane::<0>(a), u64x2_extract_lane::<1>(a)]
    }
    /// What plain Rust makes of each word.
    #[inline(always)]
    fn each(self, a: v128, f: impl Fn(u64) -> u64) -> v128 {
        let [first, second] = self.words(a);
        u64x2(f(first), f(second))
    }
    /// What plain Rust makes of each pair of words.
    #[inline(always)]
    fn each2(self, a: v128, b: v128, f: impl Fn(u64, u64) -> u64) -> v128 {
        let [a0, a1] = self.words(a);
        let [b0, b1] = self.words(b);
        u64x2(f(a0, b0), f(a1, b1))
    }
}

impl Isa for Simd128 {
    const WIDTH: usize = 2;
    const SHIFTS: bool = true;
    const ONE_DIRECTION: bool = true;
    type Vector = v128;
    /// All ones for true.
    type Mask = v128;
    type Factor = v128;
    type Block = Pair;
    type Count = Distance;

    #[inline(always)]
    fn load(self, block: &Pair) -> v128 {
        u64x2(block.0[0], block.0[1])
    }
    #[inline(always)]
    fn store(self, block: &mut Pair, a: v128) {
        block.0 = self.words(a);
    }
    #[inline(always)]
    fn splat(self, word: u64) -> v128 {
        u64x2_splat(word)
    }
    #[inline(always)]
    fn and(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    #[inline(always)]
    fn or(self, a: v128, b: v128) -> v128 {
        v128_or(a, b)
    }
    #[inline(always)]
    fn xor(self, a: v128, b: v128) -> v128 {
        v128_xor(a, b)
    }
    #[inline(always)]
    fn and_not(self, a: v128, b: v128) -> v128 {
        v128_andnot(a, b)
    }
    #[inline(always)]
    fn pick(self, mask: v128, a: v128, b: v128) -> v128 {
        v128_bitselect(a, b, mask)
    }
    #[inline(always)]
    fn select(self, mask: v128, a: v128, b: v128) -> v128 {
        v128_bitselect(a, b, mask)
    }
    #[inline(always)]
    fn keep(self, mask: v128, a: v128) -> v128 {
        v128_and(mask, a)
    }
    #[inline(always)]
    fn both(self, a: v128, b: v128) -> v128 {
        v128_and(a, b)
    }
    #[inline(always)]
    fn add(self, a: v128, b: v128) -> v128 {
        u64x2_add(a, b)
    }
    #[inline(always)]
    fn decrement(self, a: v128) -> v128 {
        u16x8_sub_sat(a, u64x2_splat(1))
    }
    #[inline(always)]
    fn greater(self, a: v128, b: v128) -> v128 {
        i64x2_gt(a, b)
    }
    #[inline(always)]
    fn is_zero(self, a: v128) -> v128 {
        u64x2_eq(a, u64x2_splat(0))
    }
    #[inline(always)]
    fn is_nonzero(self, a: v128) -> v128 {
        u64x2_ne(a, u64x2_splat(0))
    }
    #[inline(always)]
    fn all_zero(self, a: v128) -> bool {
        !v128_any_true(a)
    }
    #[inline(always)]
    fn zero_lanes(self, a: v128) -> u32 {
        u32::from(u64x2_bitmask(self.is_zero(a)))
    }
    #[inline(always)]
    fn popcount(self, a: v128) -> v128 {
        let sums = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(u8x16_popcnt(a)));
        v128_and(u64x2_add(sums, u64x2_shr(sums, 32)), u64x2_splat(u64::from(u32::MAX)))
    }
    #[inline(always)]
    fn factor(self, a: v128) -> v128 {
        a
    }
    #[inline(always)]
    fn multiply(self, a: v128, small: v128) -> (v128, v128) {
        let small = u32x4_shuffle::<0, 2, 0, 2>(small, small);
        let low = u64x2_extmul_low_u32x4(u32x4_shuffle::<0, 2, 0, 2>(a, a), small);
        let high = u64x2_extmul_low_u32x4(u32x4_shuffle::<1, 3, 1, 3>(a, a), small);
        let upper = u64x2_shr(u64x2_add(high, u64x2_shr(low, 32)), 32);
        (upper, u64x2_add(u64x2_shl(high, 32), low))
    }
    #[inline(always)]
    fn word(self, a: v128) -> v128 {
        a
    }
    #[inline(always)]
    fn counts(self, table: &[u64; 4], directions: v128) -> Distance {
        let direction = u64x2_extract_lane::<0>(directions) & 3;
        Distance { towards_end: direction & 1 == 1, left: table[direction as usize] as i32 }
    }
    #[inline(always)]
    fn rotate(self, a: v128, by: Distance) -> v128 {
        // Counts are taken modulo 64.
        v128_or(u64x2_shl(a, by.left.cast_unsigned()), u64x2_shr(a, by.left.wrapping_neg().cast_unsigned()))
    }
    #[inline(always)]
    fn rotate_back(self, a: v128, by: Distance) -> v128 {
        v128_or(u64x2_shr(a, by.left.cast_unsigned()), u64x2_shl(a, by.left.wrapping_neg().cast_unsigned()))
    }
    #[inline(always)]
    fn turn(self, a: v128, by: Distance) -> v128 {
        if by.towards_end {
            u64x2_shl(a, by.left.cast_unsigned())
        } else {
            u64x2_shr(a, by.left.wrapping_neg().cast_unsigned())
        }
    }
    #[inline(always)]
    fn turn_back(self, a: v128, by: Distance) -> v128 {
        if by.towards_end {
            u64x2_shr(a, by.left.cast_unsigned())
        } else {
            u64x2_shl(a, by.left.wrapping_neg().cast_unsigned())
        }
    }
    #[inline(always)]
    fn rotate_by<const N: i32>(self, a: v128) -> v128 {
        let left = N.cast_unsigned();
        v128_or(u64x2_shl(a, left), u64x2_shr(a, 64 - left))
    }
    #[inline(always)]
    fn shift_left_by<const N: u32>(self, a: v128) -> v128 {
        u64x2_shl(a, N)
    }
    #[inline(always)]
    fn shift_right_by<const N: u32>(self, a: v128) -> v128 {
        u64x2_shr(a, N)
    }
    #[inline(always)]
    fn shift_left(self, a: v128, counts: v128) -> v128 {
        self.each2(a, counts, |a, count| Portable.shift_left(a, count))
    }
    #[inline(always)]
    fn shift_right(self, a: v128, counts: v128) -> v128 {
        self.each2(a, counts, |a, count| Portable.shift_right(a, count))
    }
    #[inline(always)]
    fn lookup4(self, table: &[u64; 4], index: v128) -> v128 {
        self.each(index, |index| Portable.lookup4(table, index))
    }
    #[inline(always)]
    fn lookup16(self, table: &[u8; 16], index: v128) -> v128 {
        self.each(index, |index| Portable.lookup16(table, index))
    }
    #[inline(always)]
    fn lookup64(self, table: &[u8; 64], index: v128) -> v128 {
        self.each(index, |index| Portable.lookup64(table, index))
    }
    #[inline(always)]
    fn or_where<const BIT: u32>(self, plane: v128, bits: v128, code: v128) -> v128 {
        self.or_if(plane, bits, code, u64x2_splat(1 << BIT))
    }
    #[inline(always)]
    fn or_if(self, sum: v128, addend: v128, a: v128, b: v128) -> v128 {
        v128_or(sum, v128_andnot(addend, self.is_zero(v128_and(a, b))))
    }
    #[inline(always)]
    fn append(self, list: &mut [u64], words: v128, chosen: v128) -> usize {
        pair::append(list, self.words(words), self.words(chosen))
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, rank: u64) -> u64 {
        Portable.nth_bit(word, rank)
    }
}

impl OperationIsa for Simd128 {}

impl SteppingIsa for Simd128 {}

impl LaneIsa for Simd128 {
    #[inline(always)]
    fn multiply_halves(self, a: v128, b: v128) -> v128 {
        u64x2_extmul_low_u32x4(u32x4_shuffle::<0, 2, 0, 2>(a, a), u32x4_shuffle::<0, 2, 0, 2>(b, b))
    }
    #[inline(always)]
    fn combine_small(self, a: v128, minus: u64, times: u64, b: v128) -> v128 {
        let minus = u64x2_splat(minus);
        // Flipping all bits and subtracting all ones, hence adding 1, negates.
        let sum = i32x4_add(a, i32x4_sub(v128_xor(b, minus), minus));
        v128_bitselect(i32x4_mul(a, b), sum, u64x2_splat(times))
    }
    #[inline(always)]
    fn equal_small(self, a: v128, b: v128) -> u32 {
        u32::from(i32x4_bitmask(i32x4_eq(a, b)))
    }
    #[inline(always)]
    fn signed_words(self, small: &[Pair], chunk: usize) -> v128 {
        i64x2_extend_low_i32x4(u64x2_splat(small[chunk / 2].0[chunk % 2]))
    }
}
