//! The instruction set `neon`: two games a vector, on 64-bit ARM.
//!
//! A lane is a game, not a word of one game's plane: games move in directions of their own, and an
//! instruction (`USHL`) shifts each lane by its own count, to the left or to the right. NEON has no
//! rotation, but planes of one word need none ([`Isa::SHIFTS`]).
//!
//! Every 64-bit ARM target of Rust has the instructions, so nothing is detected.

#![allow(unsafe_code)]

use super::isa::Isa;
use super::lane_isa::LaneIsa;
use super::lockstep::stepping::SteppingIsa;
use super::operation::OperationIsa;
use super::pair::{self, Pair};
use super::portable::{self, ONES};
use crate::games::sixty_seven::lanes::LANES;
use std::arch::aarch64::*;

/// NEON.
#[derive(Clone, Copy, Debug)]
pub(super) struct Neon;

/// Words by their halves: the lower and the upper 32 bits, each in the lower half of a lane; what
/// lies above them is garbage.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    low: uint64x2_t,
    high: uint64x2_t,
}

/// Calls intrinsics.
macro_rules! intrinsics {
    ($body:expr) => {{
        // SAFETY: the target has the instructions, or the module would not be compiled; the only
        // memory touched is that of the references given.
        #[allow(unused_unsafe)]
        unsafe {
            $body
        }
    }};
}

impl Neon {
    /// Shifts each word to the left by its own count, by a negative count to the right; counts are
    /// the lowest bytes, signed.
    #[inline(always)]
    fn shift(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        intrinsics!(vshlq_u64(a, vreinterpretq_s64_u64(counts)))
    }
    #[inline(always)]
    fn negate(self, a: uint64x2_t) -> uint64x2_t {
        intrinsics!(vreinterpretq_u64_s64(vnegq_s64(vreinterpretq_s64_u64(a))))
    }
    #[inline(always)]
    fn words(self, a: uint64x2_t) -> [u64; 2] {
        intrinsics!([vgetq_lane_u64::<0>(a), vgetq_lane_u64::<1>(a)])
    }
}

impl Isa for Neon {
    const WIDTH: usize = 2;
    const SHIFTS: bool = true;
    type Vector = uint64x2_t;
    /// All ones for true.
    type Mask = uint64x2_t;
    type Factor = Halves;
    type Count = uint64x2_t;
    type Block = Pair;

    #[inline(always)]
    fn load(self, block: &Pair) -> uint64x2_t {
        intrinsics!(vld1q_u64(block.0.as_ptr()))
    }
    #[inline(always)]
    fn store(self, block: &mut Pair, a: uint64x2_t) {
        intrinsics!(vst1q_u64(block.0.as_mut_ptr(), a));
    }
    #[inline(always)]
    fn splat(self, word: u64) -> uint64x2_t {
        intrinsics!(vdupq_n_u64(word))
    }
    #[inline(always)]
    fn and(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vandq_u64(a, b))
    }
    #[inline(always)]
    fn or(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vorrq_u64(a, b))
    }
    #[inline(always)]
    fn xor(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(veorq_u64(a, b))
    }
    #[inline(always)]
    fn and_not(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vbicq_u64(a, b))
    }
    #[inline(always)]
    fn pick(self, mask: uint64x2_t, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vbslq_u64(mask, a, b))
    }
    #[inline(always)]
    fn majority(self, a: uint64x2_t, b: uint64x2_t, c: uint64x2_t) -> uint64x2_t {
        self.pick(self.xor(a, b), c, a)
    }
    #[inline(always)]
    fn select(self, mask: uint64x2_t, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        self.pick(mask, a, b)
    }
    #[inline(always)]
    fn keep(self, mask: uint64x2_t, a: uint64x2_t) -> uint64x2_t {
        self.and(mask, a)
    }
    #[inline(always)]
    fn both(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        self.and(a, b)
    }
    #[inline(always)]
    fn add(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vaddq_u64(a, b))
    }
    #[inline(always)]
    fn decrement(self, a: uint64x2_t) -> uint64x2_t {
        intrinsics!(vqsubq_u64(a, vdupq_n_u64(1)))
    }
    #[inline(always)]
    fn greater(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vcgtq_s64(vreinterpretq_s64_u64(a), vreinterpretq_s64_u64(b)))
    }
    #[inline(always)]
    fn is_zero(self, a: uint64x2_t) -> uint64x2_t {
        intrinsics!(vceqzq_u64(a))
    }
    #[inline(always)]
    fn is_nonzero(self, a: uint64x2_t) -> uint64x2_t {
        intrinsics!(vtstq_u64(a, a))
    }
    #[inline(always)]
    fn all_zero(self, a: uint64x2_t) -> bool {
        intrinsics!(vmaxvq_u32(vreinterpretq_u32_u64(a)) == 0)
    }
    #[inline(always)]
    fn zero_lanes(self, a: uint64x2_t) -> u32 {
        let [first, second] = self.words(self.is_zero(a));
        first as u32 & 1 | second as u32 & 2
    }
    #[inline(always)]
    fn popcount(self, a: uint64x2_t) -> uint64x2_t {
        intrinsics!(vpaddlq_u32(vpaddlq_u16(vpaddlq_u8(vcntq_u8(vreinterpretq_u8_u64(a))))))
    }
    #[inline(always)]
    fn factor(self, a: uint64x2_t) -> Halves {
        intrinsics!(Halves { low: a, high: vshrq_n_u64::<32>(a) })
    }
    #[inline(always)]
    fn multiply(self, a: Halves, small: uint64x2_t) -> (uint64x2_t, Halves) {
        intrinsics!({
            let low = self.multiply_halves(a.low, small);
            let high = vsraq_n_u64::<32>(self.multiply_halves(a.high, small), low);
            (vshrq_n_u64::<32>(high), Halves { low, high })
        })
    }
    #[inline(always)]
    fn word(self, a: Halves) -> uint64x2_t {
        intrinsics!(vsliq_n_u64::<32>(a.low, a.high))
    }
    #[inline(always)]
    fn counts(self, table: &[u64; 4], directions: uint64x2_t) -> uint64x2_t {
        self.lookup4(table, directions)
    }
    #[inline(always)]
    fn rotate(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        // A shift by 64 clears the word, so that a rotation by 0 comes out right.
        let back = intrinsics!(vsubq_u64(counts, vdupq_n_u64(64)));
        self.or(self.shift(a, counts), self.shift(a, back))
    }
    #[inline(always)]
    fn rotate_back(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        let forth = intrinsics!(vsubq_u64(vdupq_n_u64(64), counts));
        self.or(self.shift(a, self.negate(counts)), self.shift(a, forth))
    }
    #[inline(always)]
    fn turn(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        self.shift(a, counts)
    }
    #[inline(always)]
    fn turn_back(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        self.shift(a, self.negate(counts))
    }
    #[inline(always)]
    fn rotate_by<const N: i32>(self, a: uint64x2_t) -> uint64x2_t {
        self.rotate(a, self.splat(N as u64))
    }
    #[inline(always)]
    fn shift_left_by<const N: u32>(self, a: uint64x2_t) -> uint64x2_t {
        self.shift(a, self.splat(u64::from(N)))
    }
    #[inline(always)]
    fn shift_right_by<const N: u32>(self, a: uint64x2_t) -> uint64x2_t {
        self.shift(a, self.splat(u64::from(N).wrapping_neg()))
    }
    #[inline(always)]
    fn shift_left(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        self.shift(a, counts)
    }
    #[inline(always)]
    fn shift_right(self, a: uint64x2_t, counts: uint64x2_t) -> uint64x2_t {
        self.shift(a, self.negate(counts))
    }
    #[inline(always)]
    fn lookup4(self, table: &[u64; 4], index: uint64x2_t) -> uint64x2_t {
        intrinsics!({
            // Words are picked by bytes: 8 × index to 8 × index + 7.
            let first = vcombine_u8(vdup_n_u8(0), vdup_n_u8(8));
            let eights = vshlq_n_u8::<3>(vqtbl1q_u8(vreinterpretq_u8_u64(index), first));
            let bytes = vorrq_u8(eights, vreinterpretq_u8_u64(vdupq_n_u64(0x0706_0504_0302_0100)));
            vreinterpretq_u64_u8(vqtbl2q_u8(vld1q_u8_x2(table.as_ptr().cast()), bytes))
        })
    }
    #[inline(always)]
    fn lookup16(self, table: &[u8; 16], index: uint64x2_t) -> uint64x2_t {
        intrinsics!({
            let found = vqtbl1q_u8(vld1q_u8(table.as_ptr()), vreinterpretq_u8_u64(index));
            self.and(vreinterpretq_u64_u8(found), vdupq_n_u64(0xFF))
        })
    }
    #[inline(always)]
    fn lookup64(self, table: &[u8; 64], index: uint64x2_t) -> uint64x2_t {
        intrinsics!({
            let found = vqtbl4q_u8(vld1q_u8_x4(table.as_ptr()), vreinterpretq_u8_u64(index));
            self.and(vreinterpretq_u64_u8(found), vdupq_n_u64(0xFF))
        })
    }
    #[inline(always)]
    fn or_where<const BIT: u32>(self, plane: uint64x2_t, bits: uint64x2_t, code: uint64x2_t) -> uint64x2_t {
        self.or_if(plane, bits, code, self.splat(1 << BIT))
    }
    #[inline(always)]
    fn or_if(self, sum: uint64x2_t, addend: uint64x2_t, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        self.or(sum, self.and(addend, intrinsics!(vtstq_u64(a, b))))
    }
    #[inline(always)]
    fn append_bit(self, index: uint64x2_t, bit: uint64x2_t) -> uint64x2_t {
        intrinsics!(vsliq_n_u64::<1>(bit, index))
    }
    #[inline(always)]
    fn append(self, list: &mut [u64], words: uint64x2_t, chosen: uint64x2_t) -> usize {
        pair::append(list, self.words(words), self.words(chosen))
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, rank: u64) -> u64 {
        let counts = intrinsics!(vget_lane_u64::<0>(vreinterpret_u64_u8(vcnt_u8(vcreate_u8(word)))));
        portable::nth_bit_of(word, rank, counts.wrapping_mul(ONES))
    }
}

impl OperationIsa for Neon {}

impl SteppingIsa for Neon {}

impl LaneIsa for Neon {
    #[inline(always)]
    fn multiply_halves(self, a: uint64x2_t, b: uint64x2_t) -> uint64x2_t {
        intrinsics!(vmull_u32(vmovn_u64(a), vmovn_u64(b)))
    }
    #[inline(always)]
    fn widen(self, digits: &[u8; LANES], small: &mut [Pair]) {
        intrinsics!({
            let digits = vld1q_u8(digits.as_ptr());
            let halves = [vmovl_u8(vget_low_u8(digits)), vmovl_u8(vget_high_u8(digits))];
            for (half, small) in halves.into_iter().zip(small.as_chunks_mut::<2>().0) {
                self.store(&mut small[0], vreinterpretq_u64_u32(vmovl_u16(vget_low_u16(half))));
                self.store(&mut small[1], vreinterpretq_u64_u32(vmovl_u16(vget_high_u16(half))));
            }
        });
    }
    #[inline(always)]
    fn combine_small(self, a: uint64x2_t, minus: u64, times: u64, b: uint64x2_t) -> uint64x2_t {
        intrinsics!({
            let minus = vreinterpretq_u32_u64(self.splat(minus));
            let a = vreinterpretq_u32_u64(a);
            let b = vreinterpretq_u32_u64(b);
            // Flipping all bits and subtracting all ones, hence adding 1, negates.
            let sum = vaddq_u32(a, vsubq_u32(veorq_u32(b, minus), minus));
            vreinterpretq_u64_u32(vbslq_u32(vreinterpretq_u32_u64(self.splat(times)), vmulq_u32(a, b), sum))
        })
    }
    #[inline(always)]
    fn equal_small(self, a: uint64x2_t, b: uint64x2_t) -> u32 {
        intrinsics!({
            let equal = vceqq_u32(vreinterpretq_u32_u64(a), vreinterpretq_u32_u64(b));
            let bits = vcombine_u32(vcreate_u32(2 << 32 | 1), vcreate_u32(8 << 32 | 4));
            vaddvq_u32(vandq_u32(equal, bits))
        })
    }
    #[inline(always)]
    fn signed_words(self, small: &[Pair], chunk: usize) -> uint64x2_t {
        let two = small[chunk / 2].0[chunk % 2];
        intrinsics!(vreinterpretq_u64_s64(vmovl_s32(vcreate_s32(two))))
    }
}
