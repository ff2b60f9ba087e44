//! The instruction set `neon`: two games a vector, on 64-bit ARM.
//!
//! A lane is a game, not a word of one game's plane: each game moves in its own direction, and an
//! instruction (`USHL`) shifts each lane by its own count, to the left or to the right. NEON has no
//! rotation, but planes of one word need none ([`Isa::SHIFTS`]).
//!
//! Every 64-bit ARM target of Rust has the instructions, so there is no detection.

#![allow(unsafe_code)]

use super::isa::{Halves, Instructions, Isa};
use super::lane_isa::LaneIsa;
use super::operation::OperationIsa;
use super::portable::{self, ONES};
use crate::games::kernels::methods;
use crate::games::sixty_seven::lanes::LANES;
use std::arch::aarch64::*;

/// NEON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

impl Neon {
    methods! { ["neon"] isa: Neon, uint64x2_t;
        /// Shifts each word to the left by its own count, by a negative count to the right; counts
        /// are the lowest bytes, signed.
        shift(a, counts) = vshlq_u64(a, vreinterpretq_s64_u64(counts));
        negate(a) = vreinterpretq_u64_s64(vnegq_s64(vreinterpretq_s64_u64(a)));
        words(a) -> [u64; 2] = [vgetq_lane_u64::<0>(a), vgetq_lane_u64::<1>(a)];
    }
}

impl Instructions for Neon {}

impl Isa for Neon {
    const WIDTH: usize = 2;
    const SHIFTS: bool = true;
    type Vector = uint64x2_t;
    /// All ones for true.
    type Mask = uint64x2_t;
    type Block = [u64; 2];

    methods! { ["neon"] isa: Neon, uint64x2_t;
        // SAFETY: a load of the 16 bytes of the array.
        load(block: &[u64; 2]) = unsafe { vld1q_u64(block.as_ptr()) };
        // SAFETY: a store to the 16 bytes of the array, which is borrowed alone.
        store(block: &mut [u64; 2], a) -> () = unsafe { vst1q_u64(block.as_mut_ptr(), a) };
        splat(word: u64) = vdupq_n_u64(word);
        and(a, b) = vandq_u64(a, b);
        or(a, b) = vorrq_u64(a, b);
        xor(a, b) = veorq_u64(a, b);
        and_not(a, b) = vbicq_u64(a, b);
        pick(mask, a, b) = vbslq_u64(mask, a, b);
        majority(a, b, c) = isa.pick(isa.xor(a, b), c, a);
        select(mask, a, b) = isa.pick(mask, a, b);
        keep(mask, a) = isa.and(mask, a);
        both(a, b) = isa.and(a, b);
        add(a, b) = vaddq_u64(a, b);
        decrement(a) = vqsubq_u64(a, vdupq_n_u64(1));
        greater(a, b) = vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b));
        is_zero(a) = vceqzq_u64(a);
        is_nonzero(a) = vtstq_u64(a, a);
        all_zero(a) -> bool = vmaxvq_u32(vreinterpretq_u32_u64(a)) == 0;
        zero_lanes(a) -> u32 = {
            let [first, second] = isa.words(isa.is_zero(a));
            first as u32 & 1 | second as u32 & 2
        };
        popcount(a) =
            vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(a)))));
        multiply_halves(a, b) = vmull_u32(vmovn_u64(a), vmovn_u64(b));
        word(a: Halves<uint64x2_t>) = vsliq_n_u64::<32>(a.low, a.high);
        // A shift by 64 clears the word, so that a rotation by 0 comes out right.
        rotate(a, counts) = {
            let back = vsubq_u64(counts, vdupq_n_u64(64));
            isa.or(isa.shift(a, counts), isa.shift(a, back))
        };
        rotate_back(a, counts) = {
            let forth = vsubq_u64(vdupq_n_u64(64), counts);
            isa.or(isa.shift(a, isa.negate(counts)), isa.shift(a, forth))
        };
        turn(a, counts) = isa.shift(a, counts);
        turn_back(a, counts) = isa.shift(a, isa.negate(counts));
        rotate_by<N: i32>(a) = isa.rotate(a, isa.splat(N as u64));
        shift_left_by<N: u32>(a) = isa.shift(a, isa.splat(u64::from(N)));
        shift_right_by<N: u32>(a) = isa.shift(a, isa.splat(u64::from(N).wrapping_neg()));
        shift_left(a, counts) = isa.shift(a, counts);
        shift_right(a, counts) = isa.shift(a, isa.negate(counts));
        lookup4(table: &[u64; 4], index) = {
            // Words are picked by bytes: 8 × index to 8 × index + 7.
            let first = vcombine_u8(vdup_n_u8(0), vdup_n_u8(8));
            let eights = vshlq_n_u8::<3>(vqtbl1q_u8(vreinterpretq_u8_u64(index), first));
            let within = vreinterpretq_u8_u64(vdupq_n_u64(0x0706_0504_0302_0100));
            // SAFETY: a load of the 32 bytes of the array.
            let table = unsafe { vld1q_u8_x2(table.as_ptr().cast()) };
            vreinterpretq_u64_u8(vqtbl2q_u8(table, vorrq_u8(eights, within)))
        };
        lookup16(table: &[u8; 16], index) = {
            // SAFETY: a load of the 16 bytes of the array.
            let table = unsafe { vld1q_u8(table.as_ptr()) };
            let found = vqtbl1q_u8(table, vreinterpretq_u8_u64(index));
            isa.and(vreinterpretq_u64_u8(found), vdupq_n_u64(0xFF))
        };
        lookup64(table: &[u8; 64], index) = {
            // SAFETY: a load of the 64 bytes of the array.
            let table = unsafe { vld1q_u8_x4(table.as_ptr()) };
            let found = vqtbl4q_u8(table, vreinterpretq_u8_u64(index));
            isa.and(vreinterpretq_u64_u8(found), vdupq_n_u64(0xFF))
        };
        or_if(sum, addend, a, b) = isa.or(sum, isa.and(addend, vtstq_u64(a, b)));
        append_bit(index, bit) = vsliq_n_u64::<1>(bit, index);
        append(list: &mut [u64], words, chosen) -> usize = {
            let list = list.first_chunk_mut::<2>().expect("the list has room for both lanes");
            let words = isa.words(words);
            let [first, second] = isa.words(chosen).map(|chosen| chosen as usize & 1);
            list[0] = words[0];
            list[first] = words[1];
            first + second
        };
        nth_bit(word: u64, rank: u64) -> u64 = {
            let counts = vget_lane_u64::<0>(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word))));
            portable::nth_bit_of(word, rank, counts.wrapping_mul(ONES))
        };
    }
}

impl OperationIsa for Neon {}

impl LaneIsa for Neon {
    methods! { ["neon"] isa: Neon, uint64x2_t;
        widen(digits: &[u8; LANES], small: &mut [[u64; 2]]) -> () = {
            // SAFETY: a load of the 16 bytes of the array.
            let digits = unsafe { vld1q_u8(digits.as_ptr()) };
            let halves = [vmovl_u8(vget_low_u8(digits)), vmovl_u8(vget_high_u8(digits))];
            for (half, small) in halves.into_iter().zip(small.as_chunks_mut::<2>().0) {
                isa.store(&mut small[0], vreinterpretq_u64_u32(vmovl_u16(vget_low_u16(half))));
                isa.store(&mut small[1], vreinterpretq_u64_u32(vmovl_u16(vget_high_u16(half))));
            }
        };
        combine_small(a, minus: u64, times: u64, b) = {
            let minus = vreinterpretq_u32_u64(isa.splat(minus));
            let times = vreinterpretq_u32_u64(isa.splat(times));
            let a = vreinterpretq_u32_u64(a);
            let b = vreinterpretq_u32_u64(b);
            // Flipping all bits and subtracting all ones, hence adding 1, negates.
            let sum = vaddq_u32(a, vsubq_u32(veorq_u32(b, minus), minus));
            vreinterpretq_u64_u32(vbslq_u32(times, vmulq_u32(a, b), sum))
        };
        equal_small(a, b) -> u32 = {
            let equal = vceqq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
            let bits = vcombine_u32(vcreate_u32(2 << 32 | 1), vcreate_u32(8 << 32 | 4));
            vaddvq_u32(vandq_u32(equal, bits))
        };
        signed_words(small: &[[u64; 2]], chunk: usize) =
            vreinterpretq_u64_s64(vmovl_s32(vcreate_s32(small[chunk / 2][chunk % 2])));
    }
}
