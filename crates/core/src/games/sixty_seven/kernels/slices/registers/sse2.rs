//! `portable` on x86-64, every processor of which has SSE2: 128 games a register.

#![allow(unsafe_code)]

use super::super::super::portable::Portable;
use super::super::bits::{SliceIsa, Unpack, bytes_by_unpacking};
use crate::games::kernels::methods;
use std::arch::x86_64::*;

// SAFETY: a register is two words.
unsafe impl SliceIsa<2> for Portable {
    type Register = __m128i;
    const SELECTS: bool = false;

    methods! { ["sse2"] isa: Portable, __m128i;
        splat(word: u64) = _mm_set1_epi64x(word.cast_signed());
        and(a, b) = _mm_and_si128(a, b);
        or(a, b) = _mm_or_si128(a, b);
        xor(a, b) = _mm_xor_si128(a, b);
        and_not(a, b) = _mm_andnot_si128(b, a);
        any(a) -> bool = _mm_movemask_epi8(_mm_cmpeq_epi8(a, _mm_setzero_si128())) != 0xFFFF;
        bits_of(bytes: &[[u8; 64]; 2], bit: u32) = {
            let to_top = _mm_cvtsi32_si128(7 - bit.cast_signed());
            let (parts, _) = bytes.as_flattened().as_chunks::<16>();
            let part = |number: usize| {
                // SAFETY: an unaligned load of the 16 bytes of the array.
                let bytes = unsafe { _mm_loadu_si128(parts[number].as_ptr().cast()) };
                _mm_movemask_epi8(_mm_sll_epi16(bytes, to_top)) as i16
            };
            _mm_setr_epi16(
                part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7),
            )
        };
    }
    #[inline(always)]
    fn bytes_of(self, planes: &[__m128i; 8], bytes: &mut [[u8; 64]; 2]) {
        bytes_by_unpacking(self, planes, bytes);
    }
}

impl Unpack<2> for Portable {
    methods! { ["sse2"] isa: Portable, __m128i;
        unpack_bytes(a, b) -> (__m128i, __m128i) =
            (_mm_unpacklo_epi8(a, b), _mm_unpackhi_epi8(a, b));
        unpack_pairs(a, b) -> (__m128i, __m128i) =
            (_mm_unpacklo_epi16(a, b), _mm_unpackhi_epi16(a, b));
        unpack_fours(a, b) -> (__m128i, __m128i) =
            (_mm_unpacklo_epi32(a, b), _mm_unpackhi_epi32(a, b));
        exchange<SHIFT: i32>(a, mask: u64) = {
            let differ = _mm_xor_si128(a, _mm_srli_epi64::<SHIFT>(a));
            let differ = _mm_and_si128(differ, _mm_set1_epi64x(mask.cast_signed()));
            let both = _mm_xor_si128(differ, _mm_slli_epi64::<SHIFT>(differ));
            _mm_xor_si128(a, both)
        };
    }
}
