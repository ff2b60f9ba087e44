//! The instruction set `simd128`: WebAssembly's vectors, two games each.
//!
//! A shift moves both lanes of a vector by the same count, and there is no table look-up of words.
//! So games that move in the same direction are combined in a vector for the move
//! ([`Isa::ONE_DIRECTION`]). Legal directions are found and tiles drawn for both games of a vector;
//! the rest is done game by game.
//!
//! WebAssembly has no detection at run time: the kernel exists where the compiler may use the
//! instructions, `-C target-feature=+simd128`.

use super::isa::{Instructions, Isa};
use super::lane_isa::LaneIsa;
use super::operation::OperationIsa;
use super::pair::{self, Pair};
use super::portable::Portable;
use crate::games::kernels::methods;
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

impl Instructions for Simd128 {}

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

    methods! { [] isa: Simd128, v128;
        load(block: &Pair) = u64x2(block.0[0], block.0[1]);
        store(block: &mut Pair, a) -> () = block.0 = isa.words(a);
        splat(word: u64) = u64x2_splat(word);
        and(a, b) = v128_and(a, b);
        or(a, b) = v128_or(a, b);
        xor(a, b) = v128_xor(a, b);
        and_not(a, b) = v128_andnot(a, b);
        pick(mask, a, b) = v128_bitselect(a, b, mask);
        select(mask, a, b) = v128_bitselect(a, b, mask);
        keep(mask, a) = v128_and(mask, a);
        both(a, b) = v128_and(a, b);
        add(a, b) = u64x2_add(a, b);
        decrement(a) = u16x8_sub_sat(a, u64x2_splat(1));
        greater(a, b) = i64x2_gt(a, b);
        is_zero(a) = u64x2_eq(a, u64x2_splat(0));
        is_nonzero(a) = u64x2_ne(a, u64x2_splat(0));
        all_zero(a) -> bool = !v128_any_true(a);
        zero_lanes(a) -> u32 = u32::from(u64x2_bitmask(isa.is_zero(a)));
        popcount(a) = {
            let sums = u32x4_extadd_pairwise_u16x8(u16x8_extadd_pairwise_u8x16(u8x16_popcnt(a)));
            v128_and(u64x2_add(sums, u64x2_shr(sums, 32)), u64x2_splat(u64::from(u32::MAX)))
        };
        factor(a) = a;
        multiply(a, small) -> (v128, v128) = {
            let small = u32x4_shuffle::<0, 2, 0, 2>(small, small);
            let low = u64x2_extmul_low_u32x4(u32x4_shuffle::<0, 2, 0, 2>(a, a), small);
            let high = u64x2_extmul_low_u32x4(u32x4_shuffle::<1, 3, 1, 3>(a, a), small);
            let upper = u64x2_shr(u64x2_add(high, u64x2_shr(low, 32)), 32);
            (upper, u64x2_add(u64x2_shl(high, 32), low))
        };
        word(a) = a;
        counts(table: &[u64; 4], directions) -> Distance = {
            let direction = u64x2_extract_lane::<0>(directions) & 3;
            Distance {
                towards_end: direction & 1 == 1,
                left: table[direction as usize] as i32,
            }
        };
        // Counts are taken modulo 64.
        rotate(a, by: Distance) = {
            let right = by.left.wrapping_neg().cast_unsigned();
            v128_or(u64x2_shl(a, by.left.cast_unsigned()), u64x2_shr(a, right))
        };
        rotate_back(a, by: Distance) = {
            let right = by.left.wrapping_neg().cast_unsigned();
            v128_or(u64x2_shr(a, by.left.cast_unsigned()), u64x2_shl(a, right))
        };
        turn(a, by: Distance) = if by.towards_end {
            u64x2_shl(a, by.left.cast_unsigned())
        } else {
            u64x2_shr(a, by.left.wrapping_neg().cast_unsigned())
        };
        turn_back(a, by: Distance) = if by.towards_end {
            u64x2_shr(a, by.left.cast_unsigned())
        } else {
            u64x2_shl(a, by.left.wrapping_neg().cast_unsigned())
        };
        rotate_by<N: i32>(a) = {
            let left = N.cast_unsigned();
            v128_or(u64x2_shl(a, left), u64x2_shr(a, 64 - left))
        };
        shift_left_by<N: u32>(a) = u64x2_shl(a, N);
        shift_right_by<N: u32>(a) = u64x2_shr(a, N);
        shift_left(a, counts) = isa.each2(a, counts, |a, count| Portable.shift_left(a, count));
        shift_right(a, counts) = isa.each2(a, counts, |a, count| Portable.shift_right(a, count));
        lookup4(table: &[u64; 4], index) = isa.each(index, |index| Portable.lookup4(table, index));
        lookup16(table: &[u8; 16], index) =
            isa.each(index, |index| Portable.lookup16(table, index));
        lookup64(table: &[u8; 64], index) =
            isa.each(index, |index| Portable.lookup64(table, index));
        or_where<BIT: u32>(plane, bits, code) = isa.or_if(plane, bits, code, u64x2_splat(1 << BIT));
        or_if(sum, addend, a, b) = v128_or(sum, v128_andnot(addend, isa.is_zero(v128_and(a, b))));
        append(list: &mut [u64], words, chosen) -> usize =
            pair::append(list, isa.words(words), isa.words(chosen));
        nth_bit(word: u64, rank: u64) -> u64 = Portable.nth_bit(word, rank);
    }
}

impl OperationIsa for Simd128 {}

impl LaneIsa for Simd128 {
    methods! { [] isa: Simd128, v128;
        multiply_halves(a, b) = u64x2_extmul_low_u32x4(
            u32x4_shuffle::<0, 2, 0, 2>(a, a),
            u32x4_shuffle::<0, 2, 0, 2>(b, b),
        );
        combine_small(a, minus: u64, times: u64, b) = {
            let minus = u64x2_splat(minus);
            // Flipping all bits and subtracting all ones, hence adding 1, negates.
            let sum = i32x4_add(a, i32x4_sub(v128_xor(b, minus), minus));
            v128_bitselect(i32x4_mul(a, b), sum, u64x2_splat(times))
        };
        equal_small(a, b) -> u32 = u32::from(i32x4_bitmask(i32x4_eq(a, b)));
        signed_words(small: &[Pair], chunk: usize) =
            i64x2_extend_low_i32x4(u64x2_splat(small[chunk / 2].0[chunk % 2]));
    }
}
