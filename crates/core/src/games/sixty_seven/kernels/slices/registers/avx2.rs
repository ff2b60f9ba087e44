//! AVX2: 256 games a register.

#![allow(unsafe_code)]

use super::super::bits::{SliceIsa, Unpack, bytes_by_unpacking};
use crate::games::kernels::{Avx2, methods, with_avx2};
use std::arch::x86_64::*;

// SAFETY: a register is four words.
unsafe impl SliceIsa<4> for Avx2 {
    type Register = __m256i;
    const SELECTS: bool = false;

    with_avx2! { methods! isa: Avx2, __m256i;
        splat(word: u64) = _mm256_set1_epi64x(word.cast_signed());
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        and_not(a, b) = _mm256_andnot_si256(b, a);
        any(a) -> bool = _mm256_testz_si256(a, a) == 0;
        bits_of(bytes: &[[u8; 64]; 4], bit: u32) = {
            let to_top = _mm_cvtsi32_si128(7 - bit.cast_signed());
            let (parts, _) = bytes.as_flattened().as_chunks::<32>();
            let part = |number: usize| {
                let bytes = load_32_bytes(&parts[number]);
                _mm256_movemask_epi8(_mm256_sll_epi16(bytes, to_top))
            };
            _mm256_setr_epi32(
                part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7),
            )
        };
    }
    #[inline(always)]
    fn bytes_of(self, planes: &[__m256i; 8], bytes: &mut [[u8; 64]; 4]) {
        bytes_by_unpacking(self, planes, bytes);
    }
}

impl Unpack<4> for Avx2 {
    with_avx2! { methods! isa: Avx2, __m256i;
        unpack_bytes(a, b) -> (__m256i, __m256i) =
            (_mm256_unpacklo_epi8(a, b), _mm256_unpackhi_epi8(a, b));
        unpack_pairs(a, b) -> (__m256i, __m256i) =
            (_mm256_unpacklo_epi16(a, b), _mm256_unpackhi_epi16(a, b));
        unpack_fours(a, b) -> (__m256i, __m256i) =
            (_mm256_unpacklo_epi32(a, b), _mm256_unpackhi_epi32(a, b));
        exchange<SHIFT: i32>(a, mask: u64) = {
            let differ = _mm256_xor_si256(a, _mm256_srli_epi64::<SHIFT>(a));
            let differ = _mm256_and_si256(differ, _mm256_set1_epi64x(mask.cast_signed()));
            let both = _mm256_xor_si256(differ, _mm256_slli_epi64::<SHIFT>(differ));
            _mm256_xor_si256(a, both)
        };
    }
}

/// Thirty-two bytes of memory.
#[inline]
#[target_feature(enable = "avx2")]
pub(super) fn load_32_bytes(bytes: &[u8; 32]) -> __m256i {
    // SAFETY: an unaligned load of the 32 bytes of the array.
    unsafe { _mm256_loadu_si256(bytes.as_ptr().cast()) }
}
