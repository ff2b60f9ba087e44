//! WebAssembly's vectors: 128 games a register.
//!
//! WebAssembly has no detection at run time: the kernel exists where the compiler may use the
//! instructions, `-C target-feature=+simd128`.

#![allow(unsafe_code)]

use super::super::super::isa::Instructions;
use super::super::bits::{SliceIsa, Unpack, bytes_by_unpacking};
use crate::games::kernels::methods;
use std::arch::wasm32::*;

/// WebAssembly's vectors.
#[derive(Clone, Copy, Debug)]
pub(in super::super::super) struct Simd128;

impl Instructions for Simd128 {}

// SAFETY: a register is two words.
unsafe impl SliceIsa<2> for Simd128 {
    type Register = v128;
    const SELECTS: bool = false;

    methods! { [] isa: Simd128, v128;
        splat(word: u64) = u64x2_splat(word);
        and(a, b) = v128_and(a, b);
        or(a, b) = v128_or(a, b);
        xor(a, b) = v128_xor(a, b);
        and_not(a, b) = v128_andnot(a, b);
        select(mask, a, b) = v128_bitselect(a, b, mask);
        any(a) -> bool = v128_any_true(a);
        bits_of(bytes: &[[u8; 64]; 2], bit: u32) = {
            let (parts, _) = bytes.as_flattened().as_chunks::<16>();
            let part = |number: usize| {
                // SAFETY: a load of the 16 bytes of the array.
                let bytes = unsafe { v128_load(parts[number].as_ptr().cast()) };
                i8x16_bitmask(i16x8_shl(bytes, 7 - bit)).cast_signed()
            };
            i16x8(part(0), part(1), part(2), part(3), part(4), part(5), part(6), part(7))
        };
    }
    #[inline(always)]
    fn bytes_of(self, planes: &[v128; 8], bytes: &mut [[u8; 64]; 2]) {
        bytes_by_unpacking(self, planes, bytes);
    }
}

impl Unpack<2> for Simd128 {
    methods! { [] isa: Simd128, v128;
        unpack_bytes(a, b) -> (v128, v128) = (
            i8x16_shuffle::<0, 16, 1, 17, 2, 18, 3, 19, 4, 20, 5, 21, 6, 22, 7, 23>(a, b),
            i8x16_shuffle::<8, 24, 9, 25, 10, 26, 11, 27, 12, 28, 13, 29, 14, 30, 15, 31>(a, b),
        );
        unpack_pairs(a, b) -> (v128, v128) = (
            i16x8_shuffle::<0, 8, 1, 9, 2, 10, 3, 11>(a, b),
            i16x8_shuffle::<4, 12, 5, 13, 6, 14, 7, 15>(a, b),
        );
        unpack_fours(a, b) -> (v128, v128) =
            (i32x4_shuffle::<0, 4, 1, 5>(a, b), i32x4_shuffle::<2, 6, 3, 7>(a, b));
        exchange<SHIFT: i32>(a, mask: u64) = {
            let shift = SHIFT.cast_unsigned();
            let differ = v128_and(v128_xor(a, u64x2_shr(a, shift)), u64x2_splat(mask));
            v128_xor(a, v128_xor(differ, u64x2_shl(differ, shift)))
        };
    }
}
