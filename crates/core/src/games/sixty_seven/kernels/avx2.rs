//! The instruction set `avx2`: AVX2 vectors of four games, and BMI2 for the cells of new tiles.

#![allow(unsafe_code)]

use super::isa::{Halves, Instructions, Isa, block_of_words};
use super::lane_isa::{BLOCK_DIGITS, DigitKey, LaneIsa};
use super::operation::OperationIsa;
use super::streams::split_mix;
use crate::games::kernels::{Avx2, Work, methods, with_avx2};
use crate::games::sixty_seven::lanes::{BLOCK_WORDS, LANES};
use std::arch::x86_64::*;

block_of_words! {
    /// Four words.
    #[repr(C, align(32))]
    Four, 4
}

impl Instructions for Avx2 {
    #[inline(always)]
    fn compiled<W: Work>(self, work: W) -> W::Output {
        self.run(work)
    }
}

impl Isa for Avx2 {
    const WIDTH: usize = 4;
    type Vector = __m256i;
    /// All ones for true.
    type Mask = __m256i;
    type Block = Four;

    with_avx2! { methods! isa: Avx2, __m256i;
        load(block: &Four) = load_words(&block.0);
        store(block: &mut Four, a) -> () = store_words(&mut block.0, a);
        splat(word: u64) = _mm256_set1_epi64x(word.cast_signed());
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        and_not(a, b) = _mm256_andnot_si256(b, a);
        select(mask, a, b) = _mm256_blendv_epi8(b, a, mask);
        add(a, b) = _mm256_add_epi64(a, b);
        greater(a, b) = _mm256_cmpgt_epi64(a, b);
        is_zero(a) = _mm256_cmpeq_epi64(a, _mm256_setzero_si256());
        decrement(a) = _mm256_subs_epu16(a, _mm256_set1_epi64x(1));
        all_zero(a) -> bool = _mm256_testz_si256(a, a) == 1;
        zero_lanes(a) -> u32 = lanes(isa.is_zero(a));
        popcount(a) = {
            let nibbles = _mm256_broadcastsi128_si256(_mm_setr_epi8(
                0, 1, 1, 2, 1, 2, 2, 3, 1, 2, 2, 3, 2, 3, 3, 4,
            ));
            let low = _mm256_set1_epi8(0x0F);
            let lower = _mm256_shuffle_epi8(nibbles, _mm256_and_si256(a, low));
            let upper =
                _mm256_shuffle_epi8(nibbles, _mm256_and_si256(_mm256_srli_epi64::<4>(a), low));
            _mm256_sad_epu8(_mm256_add_epi8(lower, upper), _mm256_setzero_si256())
        };
        multiply_halves(a, b) = {
            if cfg!(miri) {
                // Miri knows the intrinsic and no assembler.
                return _mm256_mul_epu32(a, b);
            }
            let product;
            // Not the intrinsic, which the compiler widens to a multiplication of whole words where
            // one operand stays the same in a loop.
            // SAFETY: the instruction reads and writes these registers alone, and the enabled
            // feature has it.
            unsafe {
                std::arch::asm!(
                    "vpmuludq {}, {}, {}",
                    out(ymm_reg) product, in(ymm_reg) a, in(ymm_reg) b,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            product
        };
        word(a: Halves<__m256i>) = _mm256_blend_epi32::<0b1010_1010>(a.low, _mm256_slli_epi64::<32>(a.high));
        // A shift by 64 clears the word, so that a rotation by 0 comes out right.
        rotate(a, counts) = {
            let back = _mm256_sub_epi64(_mm256_set1_epi64x(64), counts);
            _mm256_or_si256(_mm256_sllv_epi64(a, counts), _mm256_srlv_epi64(a, back))
        };
        rotate_back(a, counts) = {
            let back = _mm256_sub_epi64(_mm256_set1_epi64x(64), counts);
            _mm256_or_si256(_mm256_srlv_epi64(a, counts), _mm256_sllv_epi64(a, back))
        };
        shift_left_by<N: u32>(a) = _mm256_sll_epi64(a, _mm_cvtsi64_si128(i64::from(N)));
        shift_right_by<N: u32>(a) = _mm256_srl_epi64(a, _mm_cvtsi64_si128(i64::from(N)));
        shift_left(a, counts) = _mm256_sllv_epi64(a, counts);
        shift_right(a, counts) = _mm256_srlv_epi64(a, counts);
        lookup4(table: &[u64; 4], index) = {
            // Words are picked by halves: 2 × index and 2 × index + 1.
            let twice = _mm256_shuffle_epi32::<0b10_10_00_00>(_mm256_slli_epi64::<1>(index));
            let halves = _mm256_add_epi32(twice, _mm256_set1_epi64x(1 << 32));
            _mm256_permutevar8x32_epi32(load_words(table), halves)
        };
        lookup16(table: &[u8; 16], index) = {
            let table = _mm256_broadcastsi128_si256(load_bytes(table));
            _mm256_and_si256(_mm256_shuffle_epi8(table, index), _mm256_set1_epi64x(0xFF))
        };
        append(list: &mut [u64], words, chosen) -> usize = {
            let list = &mut list[..4];
            let mut given = Four::default();
            isa.store(&mut given, words);
            let chosen = lanes(chosen);
            let mut length = 0;
            for (lane, word) in given.0.into_iter().enumerate() {
                list[length & 3] = word;
                length += (chosen >> lane & 1) as usize;
            }
            length
        };
        nth_bit(word: u64, rank: u64) -> u64 = _pdep_u64(1 << (rank & 63), word);
    }
    methods! { [] isa: Avx2, __m256i;
        keep(mask, a) = isa.and(mask, a);
        both(a, b) = isa.and(a, b);
        is_nonzero(a) = isa.xor(isa.is_zero(a), isa.splat(u64::MAX));
        rotate_by<N: i32>(a) = isa.rotate(a, isa.splat(N as u64));
        or_if(sum, addend, a, b) = isa.or(sum, isa.and_not(addend, isa.is_zero(isa.and(a, b))));
        lookup64(table: &[u8; 64], index) = {
            let low = isa.and(index, isa.splat(15));
            let high = isa.and(index, isa.splat(0x30));
            let (quarters, _) = table.as_chunks::<16>();
            let mut found = isa.splat(0);
            for (number, quarter) in quarters.iter().enumerate() {
                let here = isa.is_zero(isa.xor(high, isa.splat(16 * number as u64)));
                found = isa.or_and(found, isa.lookup16(quarter, low), here);
            }
            found
        };
    }
}

impl OperationIsa for Avx2 {}

impl LaneIsa for Avx2 {
    with_avx2! { methods! isa: Avx2, __m256i;
        draw_digits(state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize = {
            let words = split_mix::<BLOCK_WORDS>(state);
            let mut count = 0;
            let table = _mm256_broadcastsi128_si256(load_bytes(&key.digits));
            let half = _mm256_set1_epi8(15);
            let used = _mm256_set1_epi8(key.used as i8);
            for shift in [0, 4] {
                for words in words.as_chunks::<4>().0 {
                    let words = _mm256_srl_epi64(load_words(words), _mm_cvtsi32_si128(shift));
                    let halves = _mm256_and_si256(words, half);
                    let mut all = Four::default();
                    let mut chosen = Four::default();
                    isa.store(&mut all, _mm256_shuffle_epi8(table, halves));
                    isa.store(&mut chosen, _mm256_cmpgt_epi8(used, halves));
                    for word in 0..4 {
                        // At most all places before these eight are taken.
                        let packed = _pext_u64(all.0[word], chosen.0[word]);
                        digits[count..][..8].copy_from_slice(&packed.to_le_bytes());
                        count += chosen.0[word].count_ones() as usize / 8;
                    }
                }
            }
            count
        };
        widen(digits: &[u8; LANES], small: &mut [Four]) -> () = {
            let digits = load_bytes(digits);
            isa.store(&mut small[0], _mm256_cvtepu8_epi32(digits));
            isa.store(&mut small[1], _mm256_cvtepu8_epi32(_mm_unpackhi_epi64(digits, digits)));
        };
        combine_small(a, minus: u64, times: u64, b) = {
            let minus = isa.splat(minus);
            let times = isa.splat(times);
            // Flipping all bits and subtracting all ones, hence adding 1, negates.
            let sum = _mm256_add_epi32(a, _mm256_sub_epi32(_mm256_xor_si256(b, minus), minus));
            _mm256_blendv_epi8(sum, _mm256_mullo_epi32(a, b), times)
        };
        equal_small(a, b) -> u32 =
            _mm256_movemask_ps(_mm256_castsi256_ps(_mm256_cmpeq_epi32(a, b))).cast_unsigned();
        signed_words(small: &[Four], chunk: usize) = {
            let half = &small[chunk / 2].0.as_chunks::<2>().0[chunk % 2];
            _mm256_cvtepi32_epi64(_mm_set_epi64x(half[1].cast_signed(), half[0].cast_signed()))
        };
    }
}

/// Four words of memory.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_words(words: &[u64; 4]) -> __m256i {
    // SAFETY: an unaligned load of the 32 bytes of the array.
    unsafe { _mm256_loadu_si256(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx2")]
fn store_words(words: &mut [u64; 4], a: __m256i) {
    // SAFETY: an unaligned store to the 32 bytes of the array, which is borrowed alone.
    unsafe { _mm256_storeu_si256(words.as_mut_ptr().cast(), a) }
}

/// Sixteen bytes of memory.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_bytes(bytes: &[u8; 16]) -> __m128i {
    // SAFETY: an unaligned load of the 16 bytes of the array.
    unsafe { _mm_loadu_si128(bytes.as_ptr().cast()) }
}

/// Bit `l` is set where lane `l` of a mask is true.
#[inline]
#[target_feature(enable = "avx2")]
fn lanes(mask: __m256i) -> u32 {
    _mm256_movemask_pd(_mm256_castsi256_pd(mask)).cast_unsigned()
}
