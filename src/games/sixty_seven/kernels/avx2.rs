//! The instruction set `bmi2`: AVX2 vectors of four games, and BMI2 for the cells of new tiles.

#![allow(unsafe_code)]

use super::ended::{Ended, EndedLanes};
use super::isa::Isa;
use super::lane_isa::{BLOCK_DIGITS, DigitKey, LaneIsa, block_words};
use super::layout::Layout;
use super::lockstep::stepping::{Block, Round, SteppingIsa};
use super::lockstep::{self, Origin, lanes};
use super::operation::OperationIsa;
use super::spec::{Games, Spec};
use crate::games::sixty_seven::lanes::LANES;
use std::arch::x86_64::*;
use std::ops::{Index, IndexMut};

/// The proof that the machine has AVX2, BMI1, BMI2 and POPCNT.
#[derive(Clone, Copy, Debug)]
pub(super) struct Avx2(());

impl Avx2 {
    /// The token, where the machine has the instructions; the standard library detects them once.
    pub(super) fn new() -> Option<Self> {
        let here = is_x86_feature_detected!("avx2")
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

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run<const W: usize, const R: usize, const H: usize>(
    isa: Avx2,
    layout: &Layout<W>,
    spec: &Spec,
    origin: Origin<'_, W, H>,
    games: Games,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    lockstep::run::<Avx2, W, R, H>(isa, layout, spec, origin, games, report);
}

/// Four words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(32))]
pub(super) struct Four([u64; 4]);

impl Index<usize> for Four {
    type Output = u64;
    #[inline(always)]
    fn index(&self, lane: usize) -> &u64 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Four {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut u64 {
        &mut self.0[lane]
    }
}

/// Words by their halves: the lower and the upper 32 bits, each in the lower half of a lane; what
/// lies above them is garbage.
#[derive(Clone, Copy)]
pub(super) struct Halves {
    low: __m256i,
    high: __m256i,
}

/// Calls intrinsics.
///
/// Every use stands in a method of [`Avx2`], whose value proves that the machine has the
/// instructions.
macro_rules! intrinsics {
    ($body:expr) => {
        // SAFETY: `self` proves that the machine has the instructions; the only memory touched is
        // that of the references given.
        unsafe { $body }
    };
}

impl Isa for Avx2 {
    const WIDTH: usize = 4;
    type Vector = __m256i;
    /// All ones for true.
    type Mask = __m256i;
    type Factor = Halves;
    type Count = __m256i;
    type Block = Four;

    #[inline(always)]
    fn load(self, block: &Four) -> __m256i {
        intrinsics!(_mm256_load_si256(block.0.as_ptr().cast()))
    }
    #[inline(always)]
    fn store(self, block: &mut Four, a: __m256i) {
        intrinsics!(_mm256_store_si256(block.0.as_mut_ptr().cast(), a));
    }
    #[inline(always)]
    fn splat(self, word: u64) -> __m256i {
        intrinsics!(_mm256_set1_epi64x(word.cast_signed()))
    }
    #[inline(always)]
    fn and(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_and_si256(a, b))
    }
    #[inline(always)]
    fn or(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_or_si256(a, b))
    }
    #[inline(always)]
    fn xor(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_xor_si256(a, b))
    }
    #[inline(always)]
    fn and_not(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_andnot_si256(b, a))
    }
    #[inline(always)]
    fn select(self, mask: __m256i, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_blendv_epi8(b, a, mask))
    }
    #[inline(always)]
    fn keep(self, mask: __m256i, a: __m256i) -> __m256i {
        self.and(mask, a)
    }
    #[inline(always)]
    fn both(self, a: __m256i, b: __m256i) -> __m256i {
        self.and(a, b)
    }
    #[inline(always)]
    fn add(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_add_epi64(a, b))
    }
    #[inline(always)]
    fn greater(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_cmpgt_epi64(a, b))
    }
    #[inline(always)]
    fn is_zero(self, a: __m256i) -> __m256i {
        intrinsics!(_mm256_cmpeq_epi64(a, _mm256_setzero_si256()))
    }
    #[inline(always)]
    fn is_nonzero(self, a: __m256i) -> __m256i {
        self.xor(self.is_zero(a), self.splat(u64::MAX))
    }
    #[inline(always)]
    fn decrement(self, a: __m256i) -> __m256i {
        intrinsics!(_mm256_subs_epu16(a, _mm256_set1_epi64x(1)))
    }
    #[inline(always)]
    fn all_zero(self, a: __m256i) -> bool {
        intrinsics!(_mm256_testz_si256(a, a) == 1)
    }
    #[inline(always)]
    fn zero_lanes(self, a: __m256i) -> u32 {
        intrinsics!(_mm256_movemask_pd(_mm256_castsi256_pd(self.is_zero(a))).cast_unsigned())
    }
    #[inline(always)]
    fn popcount(self, a: __m256i) -> __m256i {
        intrinsics!({
            let nibbles = _mm256_broadcastsi128_si256(_mm_setr_epi8(0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4));
            let low = _mm256_set1_epi8(0x0F);
            let lower = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(a, low));
            let upper = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi64::<4>(a), low));
            _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
        })
    }
    #[inline(always)]
    fn factor(self, a: __m256i) -> Halves {
        intrinsics!(Halves { low: a, high: _mm256_srli_epi64::<32>(a) })
    }
    #[inline(always)]
    fn multiply(self, a: Halves, small: __m256i) -> (__m256i, Halves) {
        intrinsics!({
            let low = multiply_lower(a.low, small);
            let high = _mm256_add_epi64(multiply_lower(a.high, small), _mm256_srli_epi64::<32>(low));
            (_mm256_srli_epi64::<32>(high), Halves { low, high })
        })
    }
    #[inline(always)]
    fn word(self, a: Halves) -> __m256i {
        intrinsics!(_mm256_blend_epi32::<0b1010_1010>(a.low, _mm256_slli_epi64::<32>(a.high)))
    }
    #[inline(always)]
    fn counts(self, table: &[u64; 4], directions: __m256i) -> __m256i {
        self.lookup4(table, directions)
    }
    #[inline(always)]
    fn rotate(self, a: __m256i, counts: __m256i) -> __m256i {
        // A shift by 64 clears the word, so that a rotation by 0 comes out right.
        intrinsics!({
            let back = _mm256_sub_epi64(_mm256_set1_epi64x(64), counts);
            _mm256_or_si256(_mm256_sllv_epi64(a, counts), _mm256_srlv_epi64(a, back))
        })
    }
    #[inline(always)]
    fn rotate_back(self, a: __m256i, counts: __m256i) -> __m256i {
        intrinsics!({
            let back = _mm256_sub_epi64(_mm256_set1_epi64x(64), counts);
            _mm256_or_si256(_mm256_srlv_epi64(a, counts), _mm256_sllv_epi64(a, back))
        })
    }
    #[inline(always)]
    fn rotate_by<const N: i32>(self, a: __m256i) -> __m256i {
        self.rotate(a, self.splat(N as u64))
    }
    #[inline(always)]
    fn shift_left_by<const N: u32>(self, a: __m256i) -> __m256i {
        intrinsics!(_mm256_sll_epi64(a, _mm_cvtsi64_si128(i64::from(N))))
    }
    #[inline(always)]
    fn shift_right_by<const N: u32>(self, a: __m256i) -> __m256i {
        intrinsics!(_mm256_srl_epi64(a, _mm_cvtsi64_si128(i64::from(N))))
    }
    #[inline(always)]
    fn shift_left(self, a: __m256i, counts: __m256i) -> __m256i {
        intrinsics!(_mm256_sllv_epi64(a, counts))
    }
    #[inline(always)]
    fn shift_right(self, a: __m256i, counts: __m256i) -> __m256i {
        intrinsics!(_mm256_srlv_epi64(a, counts))
    }
    #[inline(always)]
    fn lookup4(self, table: &[u64; 4], index: __m256i) -> __m256i {
        intrinsics!({
            // Words are picked by halves: 2 × index and 2 × index + 1.
            let twice = _mm256_shuffle_epi32::<0b10_10_00_00>(_mm256_slli_epi64::<1>(index));
            let halves = _mm256_add_epi32(twice, _mm256_set1_epi64x(1 << 32));
            _mm256_permutevar8x32_epi32(_mm256_loadu_si256(table.as_ptr().cast()), halves)
        })
    }
    #[inline(always)]
    fn lookup16(self, table: &[u8; 16], index: __m256i) -> __m256i {
        intrinsics!({
            let table = _mm256_broadcastsi128_si256(_mm_loadu_si128(table.as_ptr().cast()));
            _mm256_and_si256(_mm256_shuffle_epi8(table, index), _mm256_set1_epi64x(0xFF))
        })
    }
    #[inline(always)]
    fn lookup64(self, table: &[u8; 64], index: __m256i) -> __m256i {
        let low = self.and(index, self.splat(15));
        let high = self.and(index, self.splat(0x30));
        let (quarters, _) = table.as_chunks::<16>();
        let mut found = self.splat(0);
        for (number, quarter) in quarters.iter().enumerate() {
            let here = self.is_zero(self.xor(high, self.splat(16 * number as u64)));
            found = self.or_and(found, self.lookup16(quarter, low), here);
        }
        found
    }
    #[inline(always)]
    fn or_where<const BIT: u32>(self, plane: __m256i, bits: __m256i, code: __m256i) -> __m256i {
        let without = self.is_zero(self.and(code, self.splat(1 << BIT)));
        self.or(plane, self.and_not(bits, without))
    }
    #[inline(always)]
    fn or_if(self, sum: __m256i, addend: __m256i, a: __m256i, b: __m256i) -> __m256i {
        self.or(sum, self.and_not(addend, self.is_zero(self.and(a, b))))
    }
    #[inline(always)]
    fn append(self, list: &mut [u64], words: __m256i, chosen: __m256i) -> usize {
        let list = &mut list[..4];
        let mut given = Four::default();
        let mut length = 0;
        self.store(&mut given, words);
        let lanes = intrinsics!(_mm256_movemask_pd(_mm256_castsi256_pd(chosen)));
        for (lane, word) in given.0.into_iter().enumerate() {
            list[length & 3] = word;
            length += (lanes >> lane & 1) as usize;
        }
        length
    }
    #[inline(always)]
    fn nth_bit(self, word: u64, rank: u64) -> u64 {
        intrinsics!(_pdep_u64(1 << (rank & 63), word))
    }
}

impl Avx2 {
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

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn run_lanes<const W: usize, const R: usize, const H: usize>(
    isa: Avx2,
    layout: &Layout<W>,
    spec: &Spec,
    games: Games,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    lanes::run::<Avx2, W, R, H>(isa, layout, spec, games, report);
}

impl OperationIsa for Avx2 {}

impl SteppingIsa for Avx2 {
    fn step<const W: usize, const R: usize, const H: usize>(self, block: &mut Block<Self, W, R, H>, round: Round<'_>) {
        // SAFETY: `self` proves that the machine has the instructions.
        unsafe { step(block, round) }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,popcnt")]
fn step<const W: usize, const R: usize, const H: usize>(block: &mut Block<Avx2, W, R, H>, round: Round<'_>) {
    block.play(round);
}

impl LaneIsa for Avx2 {
    #[inline(always)]
    fn multiply_halves(self, a: __m256i, b: __m256i) -> __m256i {
        intrinsics!(_mm256_mul_epu32(a, b))
    }
    #[inline(always)]
    fn draw_digits(self, state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize {
        let words = block_words(state);
        let used = key.used as i8;
        let mut count = 0;
        intrinsics!({
            let table = _mm_loadu_si128(key.digits.as_ptr().cast());
            let half = _mm256_set1_epi8(15);
            let table = _mm256_broadcastsi128_si256(table);
            let used = _mm256_set1_epi8(used);
            for shift in [0, 4] {
                for words in words.as_chunks::<4>().0 {
                    let words = _mm256_loadu_si256(words.as_ptr().cast());
                    let halves = _mm256_and_si256(_mm256_srl_epi64(words, _mm_cvtsi32_si128(shift)), half);
                    let mut all = Four::default();
                    let mut chosen = Four::default();
                    self.store(&mut all, _mm256_shuffle_epi8(table, halves));
                    self.store(&mut chosen, _mm256_cmpgt_epi8(used, halves));
                    for word in 0..4 {
                        // At most all places before these eight are taken.
                        let packed = _pext_u64(all[word], chosen[word]);
                        digits[count..][..8].copy_from_slice(&packed.to_le_bytes());
                        count += chosen[word].count_ones() as usize / 8;
                    }
                }
            }
        });
        count
    }
    #[inline(always)]
    fn widen(self, digits: &[u8; LANES], small: &mut [Four]) {
        intrinsics!({
            let digits = _mm_loadu_si128(digits.as_ptr().cast());
            self.store(&mut small[0], _mm256_cvtepu8_epi32(digits));
            self.store(&mut small[1], _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(digits, digits)));
        });
    }
    #[inline(always)]
    fn combine_small(self, a: __m256i, minus: u64, times: u64, b: __m256i) -> __m256i {
        intrinsics!({
            let minus = self.splat(minus);
            let times = self.splat(times);
            // Flipping all bits and subtracting all ones, hence adding 1, negates.
            let sum = _mm256_add_epi32(a, _mm256_sub_epi32(_mm256_xor_si256(b, minus), minus));
            _mm256_blendv_epi8(sum, _mm256_mullo_epi32(a, b), times)
        })
    }
    #[inline(always)]
    fn equal_small(self, a: __m256i, b: __m256i) -> u32 {
        intrinsics!(_mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))).cast_unsigned())
    }
    #[inline(always)]
    fn signed_words(self, small: &[Four], chunk: usize) -> __m256i {
        let half: &[u64; 2] = small[chunk / 2].0[2 * (chunk % 2)..].first_chunk().expect("the second half has 2 words");
        intrinsics!(_mm256_cvtepi32_epi64(_mm_loadu_si128(half.as_ptr().cast())))
    }
}

/// The products of the lower halves of the words.
#[inline]
#[target_feature(enable = "avx2")]
fn multiply_lower(a: __m256i, b: __m256i) -> __m256i {
    if cfg!(miri) {
        // Miri knows the intrinsic and no assembler.
        return _mm256_mul_epu32(a, b);
    }
    let product;
    // Not the intrinsic, which the compiler widens to a multiplication of whole words where one
    // operand stays the same in a loop.
    // SAFETY: the instruction reads and writes these registers alone, and the enabled feature has
    // it.
    unsafe {
        std::arch::asm!(
            "vpmuludq {}, {}, {}",
            out(ymm_reg) product, in(ymm_reg) a, in(ymm_reg) b,
            options(pure, nomem, nostack, preserves_flags)
        );
    }
    product
}
