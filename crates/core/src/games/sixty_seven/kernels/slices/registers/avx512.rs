//! AVX-512 on 256 bits: 256 games a register.

#![allow(unsafe_code)]

use super::super::super::avx2::store_words;
use super::super::super::avx512::load_table;
use super::super::bits::SliceIsa;
use super::avx2::load_32_bytes;
use crate::games::kernels::{Avx512, methods, with_avx512};
use std::arch::x86_64::*;

/// Truth tables of three-operand logic, for operands a, b, c with columns 0xF0, 0xCC, 0xAA.
const SELECT: i32 = (0xF0 & 0xCC) | (0x0F & 0xAA);
const OR_AND: i32 = 0xF0 | (0xCC & 0xAA);
const OR_XOR: i32 = 0xF0 | (0xCC ^ 0xAA);

// SAFETY: a register is four words. Twice as many would not be faster, and leave more empty.
unsafe impl SliceIsa<4> for Avx512 {
    type Register = __m256i;
    const SELECTS: bool = true;

    with_avx512! { methods! isa: Avx512, __m256i;
        splat(word: u64) = _mm256_set1_epi64x(word.cast_signed());
        and(a, b) = _mm256_and_si256(a, b);
        or(a, b) = _mm256_or_si256(a, b);
        xor(a, b) = _mm256_xor_si256(a, b);
        and_not(a, b) = _mm256_andnot_si256(b, a);
        select(mask, a, b) = _mm256_ternarylogic_epi64::<{ SELECT }>(mask, a, b);
        or_and(a, b, c) = _mm256_ternarylogic_epi64::<{ OR_AND }>(a, b, c);
        or_xor(a, b, c) = _mm256_ternarylogic_epi64::<{ OR_XOR }>(a, b, c);
        any(a) -> bool = _mm256_testz_si256(a, a) == 0;
        bits_of(bytes: &[[u8; 64]; 4], bit: u32) = {
            let bit = _mm256_set1_epi8(1 << bit);
            let (parts, _) = bytes.as_flattened().as_chunks::<32>();
            let part = |number: usize| {
                _mm256_test_epi8_mask(load_32_bytes(&parts[number]), bit).cast_signed()
            };
            _mm256_setr_epi32(
                part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7),
            )
        };
        bytes_of(planes: &[__m256i; 8], bytes: &mut [[u8; 64]; 4]) -> () = {
            let words = planes.map(|plane| {
                let mut words = [0; 4];
                store_words(&mut words, plane);
                words
            });
            for (word, bytes) in bytes.iter_mut().enumerate() {
                let mut sum = _mm512_setzero_si512();
                for (plane, words) in words.iter().enumerate() {
                    let bit = _mm512_set1_epi8(1 << plane);
                    sum = _mm512_mask_add_epi8(sum, words[word], sum, bit);
                }
                // SAFETY: an unaligned store to the 64 bytes of the array.
                unsafe { _mm512_storeu_si512(bytes.as_mut_ptr().cast(), sum) };
            }
        };
        list(word: u64, base: u16, list: &mut [u16]) -> usize = {
            const NUMBERS: [u8; 64] = {
                let mut numbers = [0; 64];
                let mut number = 0;
                while number < 64 {
                    numbers[number] = number as u8;
                    number += 1;
                }
                numbers
            };
            let numbers = _mm512_maskz_compress_epi8(word, load_table(&NUMBERS));
            let base = _mm512_set1_epi16(base.cast_signed());
            let (parts, _) = list.as_chunks_mut::<32>();
            let lower = _mm512_cvtepu8_epi16(_mm512_castsi512_si256(numbers));
            store_32_numbers(&mut parts[0], _mm512_add_epi16(base, lower));
            let count = word.count_ones() as usize;
            if count > 32 {
                let upper = _mm512_cvtepu8_epi16(_mm512_extracti64x4_epi64::<1>(numbers));
                store_32_numbers(&mut parts[1], _mm512_add_epi16(base, upper));
            }
            count
        };
    }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_32_numbers(numbers: &mut [u16; 32], a: __m512i) {
    // SAFETY: an unaligned store to the 64 bytes of the array, which is borrowed alone.
    unsafe { _mm512_storeu_si512(numbers.as_mut_ptr().cast(), a) }
}
