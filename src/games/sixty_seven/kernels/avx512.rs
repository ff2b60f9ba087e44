//! The instruction set `avx512`: eight games a vector.

#![allow(unsafe_code)]

use super::ended::{Ended, EndedLanes};
use super::entry::INDICES;
use super::isa::Isa;
use super::lane_isa::{BLOCK_DIGITS, DigitKey, LaneIsa};
use super::layout::Layout;
use super::lockstep::stepping::{Block, Round, SteppingIsa};
use super::lockstep::{self, Origin, lanes};
use super::operation::{Operation, OperationIsa, freed};
use super::plane::Plane;
use super::spec::{Games, Spec};
use crate::games::sixty_seven::lanes::LANES;
use crate::rng::{GOLDEN, MIX};
use std::arch::x86_64::*;
use std::ops::{Index, IndexMut};

/// The proof that the machine has AVX-512 F, BW, DQ, VL, VBMI, VBMI2, BITALG and VPOPCNTDQ, GFNI,
/// BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx512(());

impl Avx512 {
    /// The token, where the machine has the instructions; the standard library detects them once.
    pub(super) fn new() -> Option<Self> {
        let here = is_x86_feature_detected!("avx512f")
            && is_x86_feature_detected!("avx512bw")
            && is_x86_feature_detected!("avx512dq")
            && is_x86_feature_detected!("avx512vl")
            && is_x86_feature_detected!("avx512vbmi")
            && is_x86_feature_detected!("avx512vbmi2")
            && is_x86_feature_detected!("avx512bitalg")
            && is_x86_feature_detected!("avx512vpopcntdq")
            && is_x86_feature_detected!("gfni")
            && is_x86_feature_detected!("bmi1")
            && is_x86_feature_detected!("bmi2")
            && is_x86_feature_detected!("popcnt");
        here.then_some(Self(()))
    }

    /// [`lockstep::run`] compiled for this instruction set.
    pub(super) fn run<const W: usize, const R: usize, const H: usize>(
        self,
        layout: &Layout<W>,
        spec: &Spec,
        origin: Origin<'_, W, H>,
        games: Games,
        report: &mut dyn FnMut(&Ended<'_>),
    ) {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { run::<W, R, H>(self, layout, spec, origin, games, report) }
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn run<const W: usize, const R: usize, const H: usize>(
    isa: Avx512,
    layout: &Layout<W>,
    spec: &Spec,
    origin: Origin<'_, W, H>,
    games: Games,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    lockstep::run::<Avx512, W, R, H>(isa, layout, spec, origin, games, report);
}

/// Eight words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(64))]
pub(super) struct Eight([u64; 8]);

impl Index<usize> for Eight {
    type Output = u64;
    #[inline(always)]
    fn index(&self, lane: usize) -> &u64 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Eight {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut u64 {
        &mut self.0[lane]
    }
}

/// Words by their halves: the lower and the upper 32 bits, each in the lower half of a lane; what
/// lies above them is garbage.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    low: __m512i,
    high: __m512i,
}

/// Calls intrinsics.
///
/// Every use stands where there is a value of [`Avx512`], which proves that the machine has the
/// instructions.
macro_rules! intrinsics {
    ($body:expr) => {
        // SAFETY: `self` proves that the machine has the instructions; the only memory touched is
        // that of the references given.
        unsafe { $body }
    };
}

/// Truth tables of three-operand logic, for operands a, b, c with columns 0xF0, 0xCC, 0xAA.
mod logic {
    pub const OR_AND: i32 = 0xF0 | (0xCC & 0xAA);
    pub const XOR_AND: i32 = 0xF0 ^ (0xCC & 0xAA);
    pub const PICK: i32 = (0xF0 & 0xCC) | (0x0F & 0xAA);
    pub const PARITY: i32 = 0xF0 ^ 0xCC ^ 0xAA;
    pub const MAJORITY: i32 = (0xF0 & 0xCC) | (0xF0 & 0xAA) | (0xCC & 0xAA);
}

impl Isa for Avx512 {
    const WIDTH: usize = 8;
    type Vector = __m512i;
    type Mask = __mmask8;
    type Factor = Halves;
    type Count = __m512i;
    type Block = Eight;

    #[inline(always)]
    fn load(self, block: &Eight) -> __m512i {
        intrinsics!(_mm512_load_si512(block.0.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, block: &mut Eight, a: __m512i) {
        intrinsics!(_mm512_store_si512(block.0.as_mut_ptr().cast(), a));
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m512i {
        intrinsics!(_mm512_set1_epi64(word.cast_signed()))
    }
    #[inline(always)]
    fn and(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_and_si512(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_or_si512(a, b))
    }
    #[inline(always)]
    fn xor(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_xor_si512(a, b))
    }
    #[inline(always)]
    fn and_not(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_andnot_si512(b, a))
    }
    #[inline(always)]
    fn or_and(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        intrinsics!(_mm512_ternarylogic_epi64::<{ logic::OR_AND }>(a, b, c))
    }
    #[inline(always)]
    fn xor_and(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        intrinsics!(_mm512_ternarylogic_epi64::<{ logic::XOR_AND }>(a, b, c))
    }
    #[inline(always)]
    fn pick(self, mask: __m512i, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_ternarylogic_epi64::<{ logic::PICK }>(mask, a, b))
    }
    #[inline(always)]
    fn parity(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        intrinsics!(_mm512_ternarylogic_epi64::<{ logic::PARITY }>(a, b, c))
    }
    #[inline(always)]
    fn majority(self, a: __m512i, b: __m512i, c: __m512i) -> __m512i {
        intrinsics!(_mm512_ternarylogic_epi64::<{ logic::MAJORITY }>(a, b, c))
    }
    #[inline(always)]
    fn select(self, mask: __mmask8, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_mask_mov_epi64(b, mask, a))
    }
    #[inline(always)]
    fn keep(self, mask: __mmask8, a: __m512i) -> __m512i {
        intrinsics!(_mm512_maskz_mov_epi64(mask, a))
    }
    #[inline(always)]
    fn both(self, a: __mmask8, b: __mmask8) -> __mmask8 {
        a & b
    }
    #[inline(always)]
    fn add(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_add_epi64(a, b))
    }
    #[inline(always)]
    fn decrement(self, a: __m512i) -> __m512i {
        intrinsics!(_mm512_subs_epu16(a, _mm512_set1_epi64(1)))
    }
    #[inline(always)]
    fn greater(self, a: __m512i, b: __m512i) -> __mmask8 {
        intrinsics!(_mm512_cmpgt_epi64_mask(a, b))
    }
    #[inline(always)]
    fn is_zero(self, a: __m512i) -> __mmask8 {
        intrinsics!(_mm512_testn_epi64_mask(a, a))
    }
    #[inline(always)]
    fn is_nonzero(self, a: __m512i) -> __mmask8 {
        intrinsics!(_mm512_test_epi64_mask(a, a))
    }
    #[inline(always)]
    fn all_zero(self, a: __m512i) -> bool {
        self.is_nonzero(a) == 0
    }
    #[inline(always)]
    fn zero_lanes(self, a: __m512i) -> u32 {
        intrinsics!(u32::from(_mm512_testn_epi64_mask(a, a)))
    }
    #[inline(always)]
    fn popcount(self, a: __m512i) -> __m512i {
        intrinsics!(_mm512_popcnt_epi64(a))
    }
    #[inline(always)]
    fn factor(self, a: __m512i) -> Halves {
        intrinsics!(Halves { low: a, high: _mm512_srli_epi64::<32>(a) })
    }
    #[inline(always)]
    fn multiply(self, a: Halves, small: __m512i) -> (__m512i, Halves) {
        intrinsics!({
            let low = multiply_lower(a.low, small);
            let high = _mm512_add_epi64(multiply_lower(a.high, small), _mm512_srli_epi64::<32>(low));
            (_mm512_srli_epi64::<32>(high), Halves { low, high })
        })
    }
    #[inline(always)]
    fn word(self, a: Halves) -> __m512i {
        intrinsics!(_mm512_mask_shuffle_epi32::<0b10_10_00_00>(a.low, 0xAAAA, a.high))
    }
    #[inline(always)]
    fn counts(self, table: &[u64; 4], directions: __m512i) -> __m512i {
        self.lookup4(table, directions)
    }
    #[inline(always)]
    fn rotate(self, a: __m512i, counts: __m512i) -> __m512i {
        intrinsics!(_mm512_rolv_epi64(a, counts))
    }
    #[inline(always)]
    fn rotate_back(self, a: __m512i, counts: __m512i) -> __m512i {
        intrinsics!(_mm512_rorv_epi64(a, counts))
    }
    #[inline(always)]
    fn rotate_by<const N: i32>(self, a: __m512i) -> __m512i {
        intrinsics!(_mm512_rol_epi64::<N>(a))
    }
    #[inline(always)]
    fn shift_left_by<const N: u32>(self, a: __m512i) -> __m512i {
        intrinsics!(_mm512_slli_epi64::<N>(a))
    }
    #[inline(always)]
    fn shift_right_by<const N: u32>(self, a: __m512i) -> __m512i {
        intrinsics!(_mm512_srli_epi64::<N>(a))
    }
    #[inline(always)]
    fn shift_left(self, a: __m512i, counts: __m512i) -> __m512i {
        intrinsics!(_mm512_sllv_epi64(a, counts))
    }
    #[inline(always)]
    fn shift_right(self, a: __m512i, counts: __m512i) -> __m512i {
        intrinsics!(_mm512_srlv_epi64(a, counts))
    }
    #[inline(always)]
    fn lookup4(self, table: &[u64; 4], index: __m512i) -> __m512i {
        intrinsics!({
            let table = _mm256_loadu_si256(table.as_ptr().cast());
            _mm512_permutexvar_epi64(index, _mm512_broadcast_i64x4(table))
        })
    }
    #[inline(always)]
    fn lookup16(self, table: &[u8; 16], index: __m512i) -> __m512i {
        intrinsics!({
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(table.as_ptr().cast()));
            _mm512_maskz_shuffle_epi8(0x0101_0101_0101_0101, table, index)
        })
    }
    #[inline(always)]
    fn lookup64(self, table: &[u8; 64], index: __m512i) -> __m512i {
        intrinsics!({
            let table = _mm512_loadu_si512(table.as_ptr().cast());
            _mm512_maskz_permutexvar_epi8(0x0101_0101_0101_0101, index, table)
        })
    }
    #[inline(always)]
    fn or_where<const BIT: u32>(self, plane: __m512i, bits: __m512i, code: __m512i) -> __m512i {
        intrinsics!(or_masked(plane, _mm512_test_epi64_mask(code, _mm512_set1_epi64(1 << BIT)), bits))
    }
    #[inline(always)]
    fn or_if(self, sum: __m512i, addend: __m512i, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(or_masked(sum, _mm512_test_epi64_mask(a, b), addend))
    }
    #[inline(always)]
    fn append(self, list: &mut [u64], words: __m512i, lanes: __mmask8) -> usize {
        let list = &mut list[..8];
        // Compressed in registers and stored whole, since compressing stores are slow on some
        // machines.
        intrinsics!({
            _mm512_storeu_si512(list.as_mut_ptr().cast(), _mm512_maskz_compress_epi64(lanes, words));
            lanes.count_ones() as usize
        })
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, rank: u64) -> u64 {
        intrinsics!(_pdep_u64(1 << (rank & 63), word))
    }
}

impl OperationIsa for Avx512 {
    /// Rotates each plane so that the byte which begins at a cell's bit has the index's bit in its
    /// place.
    #[inline(always)]
    fn for_lookup<const W: usize, const H: usize>(self, mut indices: [Plane<Self, W>; H]) -> [Plane<Self, W>; H] {
        for b in 1..H {
            indices[b] = indices[b].rotate(self.splat(b as u64));
        }
        indices
    }
    /// The cells whose indices the entry holds are eight bit numbers in the bytes of a word, and
    /// one instruction a word of a plane looks them all up.
    #[inline(always)]
    fn take_operation<const W: usize, const H: usize>(
        self,
        starts: &mut Plane<Self, W>,
        indices: &[Plane<Self, W>; H],
        spread: __m512i,
    ) -> Operation<Self, W> {
        let starts = &mut starts.words;
        let ones = self.splat(u64::MAX);
        let mut start = ones;
        let mut any = 0;
        for w in 0..W {
            let less = self.add(starts[w], ones);
            let zeros = self.popcount(self.and_not(less, starts[w]));
            let here = self.is_nonzero(starts[w]) & !any;
            start = if w == 0 { zeros } else { self.select(here, self.add(zeros, self.splat(64 * w as u64)), start) };
            let rest = self.and(starts[w], less);
            starts[w] = if w == 0 { rest } else { self.select(here, rest, starts[w]) };
            any |= here;
        }
        let cells = intrinsics!({
            let first_bytes = _mm512_set4_epi32(0x0808_0808, 0x0808_0808, 0, 0);
            _mm512_add_epi8(_mm512_shuffle_epi8(start, first_bytes), spread)
        });
        let found = indices_at(self, indices, cells);
        let freed = if W == 1 {
            // Rotations count modulo 64, so that the bytes above the index do not matter.
            Plane { isa: self, words: [self.rotate(self.keep(any, self.splat(1)), found); W] }
        } else {
            freed(self, self.and(found, self.splat(0xFF)), any)
        };
        Operation { entry: self.and(found, self.splat(INDICES)), freed, any }
    }
}

impl Avx512 {
    /// [`lanes::run`] compiled for this instruction set.
    pub(super) fn run_lanes<const W: usize, const R: usize, const H: usize>(
        self,
        layout: &Layout<W>,
        spec: &Spec,
        games: Games,
        report: &mut dyn FnMut(&EndedLanes<'_>),
    ) {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { run_lanes::<W, R, H>(self, layout, spec, games, report) }
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn run_lanes<const W: usize, const R: usize, const H: usize>(
    isa: Avx512,
    layout: &Layout<W>,
    spec: &Spec,
    games: Games,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    lanes::run::<Avx512, W, R, H>(isa, layout, spec, games, report);
}

impl SteppingIsa for Avx512 {
    fn step<const W: usize, const R: usize, const H: usize>(self, block: &mut Block<Self, W, R, H>, round: Round<'_>) {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { step(block, round) }
    }
}

#[target_feature(
    enable = "avx512f,avx512bw,avx512dq,avx512vl,avx512vbmi,avx512vbmi2,avx512bitalg,avx512vpopcntdq,gfni,bmi1,bmi2,popcnt"
)]
fn step<const W: usize, const R: usize, const H: usize>(block: &mut Block<Avx512, W, R, H>, round: Round<'_>) {
    block.play(round);
}

impl LaneIsa for Avx512 {
    #[inline(always)]
    fn multiply_halves(self, a: __m512i, b: __m512i) -> __m512i {
        intrinsics!(_mm512_mul_epu32(a, b))
    }
    #[inline(always)]
    fn draw_digits(self, state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize {
        intrinsics!({
            let numbers = _mm512_setr_epi64(1, 2, 3, 4, 5, 6, 7, 8);
            let steps = _mm512_mullo_epi64(numbers, _mm512_set1_epi64(GOLDEN.cast_signed()));
            let word = _mm512_add_epi64(_mm512_set1_epi64(state.cast_signed()), steps);
            let word = _mm512_xor_si512(word, _mm512_srli_epi64::<30>(word));
            let word = _mm512_mullo_epi64(word, _mm512_set1_epi64(MIX[0].cast_signed()));
            let word = _mm512_xor_si512(word, _mm512_srli_epi64::<27>(word));
            let word = _mm512_mullo_epi64(word, _mm512_set1_epi64(MIX[1].cast_signed()));
            let word = _mm512_xor_si512(word, _mm512_srli_epi64::<31>(word));
            let half = _mm512_set1_epi8(15);
            let low = _mm512_and_si512(word, half);
            let high = _mm512_and_si512(_mm512_srli_epi64::<4>(word), half);
            let table = _mm512_broadcast_i32x4(_mm_loadu_si128(key.digits.as_ptr().cast()));
            let used = _mm512_set1_epi8(key.used as i8);
            let low_used = _mm512_cmplt_epu8_mask(low, used);
            let high_used = _mm512_cmplt_epu8_mask(high, used);
            let low = _mm512_maskz_compress_epi8(low_used, _mm512_shuffle_epi8(table, low));
            let high = _mm512_maskz_compress_epi8(high_used, _mm512_shuffle_epi8(table, high));
            let low_count = low_used.count_ones() as usize;
            let high_count = high_used.count_ones() as usize;
            _mm512_storeu_si512(digits.as_mut_ptr().cast(), low);
            // The first half has at most 64 digits, so that the second vector ends within the
            // block.
            _mm512_storeu_si512(digits.as_mut_ptr().add(low_count).cast(), high);
            low_count + high_count
        })
    }
    #[inline(always)]
    fn widen(self, digits: &[u8; LANES], small: &mut [Eight]) {
        intrinsics!(self.store(&mut small[0], _mm512_cvtepu8_epi32(_mm_loadu_si128(digits.as_ptr().cast()))));
    }
    #[inline(always)]
    fn combine_small(self, a: __m512i, minus: u64, times: u64, b: __m512i) -> __m512i {
        intrinsics!({
            let sum = _mm512_mask_sub_epi32(_mm512_add_epi32(a, b), minus as __mmask16, a, b);
            _mm512_mask_mullo_epi32(sum, times as __mmask16, a, b)
        })
    }
    #[inline(always)]
    fn equal_small(self, a: __m512i, b: __m512i) -> u32 {
        intrinsics!(u32::from(_mm512_cmpeq_epi32_mask(a, b)))
    }
    #[inline(always)]
    fn signed_words(self, small: &[Eight], chunk: usize) -> __m512i {
        let half: &[u64; 4] = small[chunk / 2].0[4 * (chunk % 2)..].first_chunk().expect("the second half has 4 words");
        intrinsics!(_mm512_cvtepi32_epi64(_mm256_loadu_si256(half.as_ptr().cast())))
    }
}

/// The products of the lower halves of the words.
#[inline]
#[target_feature(enable = "avx512f")]
fn multiply_lower(a: __m512i, b: __m512i) -> __m512i {
    if cfg!(miri) {
        // Miri knows the intrinsic and no assembler.
        return _mm512_mul_epu32(a, b);
    }
    let product;
    // Not the intrinsic, which the compiler widens to a multiplication of whole words where one
    // operand stays the same in a loop.
    // SAFETY: the instruction reads and writes these registers alone, and the enabled feature has
    // it.
    unsafe {
        std::arch::asm!(
            "vpmuludq {}, {}, {}",
            out(zmm_reg) product, in(zmm_reg) a, in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}

/// The words of `a`, with those of `b` joined where the mask is true.
#[inline]
#[target_feature(enable = "avx512f,avx512dq")]
fn or_masked(a: __m512i, mask: __mmask8, b: __m512i) -> __m512i {
    if cfg!(miri) {
        // Miri knows the intrinsic and no assembler.
        return _mm512_mask_or_epi64(a, mask, a, b);
    }
    let mut joined = a;
    // Not the intrinsic, of which the compiler makes two instructions: the words of `b` where the
    // mask is true, then the union.
    // SAFETY: the instruction reads and writes these registers alone, and the enabled features
    // have it.
    unsafe {
        std::arch::asm!(
            "vporq {0}{{{1}}}, {0}, {2}",
            inout(zmm_reg) joined, in(kreg) mask, in(zmm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    joined
}

/// In each byte the index on the cell with the bit number in that byte of `cells`.
#[inline(always)]
fn indices_at<const W: usize, const H: usize>(isa: Avx512, indices: &[Plane<Avx512, W>; H], cells: __m512i) -> __m512i {
    let mut found = cells;
    for (b, plane) in indices.iter().enumerate() {
        let mut bytes = intrinsics!(_mm512_multishift_epi64_epi8(cells, plane.words[0]));
        for w in 1..W {
            bytes = intrinsics!({
                let high = _mm512_and_si512(cells, _mm512_set1_epi8(0xC0_u8.cast_signed()));
                let here = _mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8((w as u8).wrapping_shl(6).cast_signed()));
                _mm512_mask_multishift_epi64_epi8(bytes, here, cells, plane.words[w])
            });
        }
        found = if b == 0 { bytes } else { isa.pick(isa.splat(0x0101_0101_0101_0101 << b), bytes, found) };
    }
    // Bits that no plane has set.
    isa.and(found, isa.splat(0x0101_0101_0101_0101 * ((1 << H) - 1)))
}
