//! AVX-512 on 256 bits: 256 games a register.

#![allow(unsafe_code)]

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
            let pair = |i: usize| {
                let low = _mm512_castsi256_si512(planes[2 * i]);
                _mm512_inserti64x4::<1>(low, planes[2 * i + 1])
            };
            let [a, b, c, d] = [pair(0), pair(1), pair(2), pair(3)];
            for (odd, low, high) in [
                (0, _mm512_unpacklo_epi64(a, b), _mm512_unpacklo_epi64(c, d)),
                (1, _mm512_unpackhi_epi64(a, b), _mm512_unpackhi_epi64(c, d)),
            ] {
                for (word, block) in [
                    (odd, _mm512_shuffle_i64x2::<0b10_00_10_00>(low, high)),
                    (odd + 2, _mm512_shuffle_i64x2::<0b11_01_11_01>(low, high)),
                ] {
                    // Transposes 8 × 8 bits, of which the last byte is the first row.
                    let rows = _mm512_permutexvar_epi8(load_table(&ROWS), block);
                    let ones = _mm512_set1_epi64(0x8040_2010_0804_0201_u64.cast_signed());
                    let block = _mm512_gf2p8affine_epi64_epi8::<0>(ones, rows);
                    // SAFETY: an unaligned store to the 64 bytes of the array.
                    unsafe { _mm512_storeu_si512(bytes[word].as_mut_ptr().cast(), block) }
                }
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

/// The places of the rows, last one first, among the planes 0, 2, 1, 3, 4, 6, 5, 7.
const ROWS: [u8; 64] = {
    let mut places = [0; 64];
    let mut place = 0;
    while place < 64 {
        places[place] = 8 * [7, 5, 6, 4, 3, 1, 2, 0][place % 8] + (place / 8) as u8;
        place += 1;
    }
    places
};
