//! NEON: 128 games a register.

#![allow(unsafe_code)]

use super::super::super::neon::Neon;
use super::super::bits::{SliceIsa, Unpack, bytes_by_unpacking};
use crate::games::kernels::methods;
use std::arch::aarch64::*;

// SAFETY: a register is two words.
unsafe impl SliceIsa<2> for Neon {
    type Register = uint64x2_t;
    const SELECTS: bool = true;

    methods! { ["neon"] isa: Neon, uint64x2_t;
        splat(word: u64) = vdupq_n_u64(word);
        and(a, b) = vandq_u64(a, b);
        or(a, b) = vorrq_u64(a, b);
        xor(a, b) = veorq_u64(a, b);
        and_not(a, b) = vbicq_u64(a, b);
        select(mask, a, b) = vbslq_u64(mask, a, b);
        any(a) -> bool = vmaxvq_u32(vreinterpretq_u32_u64(a)) != 0;
        bits_of(bytes: &[[u8; 64]; 2], bit: u32) = {
            let bit = vdupq_n_u8(1 << bit);
            let places = vreinterpretq_u8_u64(vdupq_n_u64(0x8040_2010_0804_0201));
            let (parts, _) = bytes.as_flattened().as_chunks::<16>();
            let part = |number: usize| {
                // SAFETY: a load of the 16 bytes of the array.
                let bytes = unsafe { vld1q_u8(parts[number].as_ptr()) };
                vandq_u8(vtstq_u8(bytes, bit), places)
            };
            let pair = |number: usize| vpaddq_u8(part(2 * number), part(2 * number + 1));
            let lower = vpaddq_u8(pair(0), pair(1));
            vreinterpretq_u64_u8(vpaddq_u8(lower, vpaddq_u8(pair(2), pair(3))))
        };
    }
    #[inline(always)]
    fn bytes_of(self, planes: &[uint64x2_t; 8], bytes: &mut [[u8; 64]; 2]) {
        bytes_by_unpacking(self, planes, bytes);
    }
}

impl Unpack<2> for Neon {
    methods! { ["neon"] isa: Neon, uint64x2_t;
        unpack_bytes(a, b) -> (uint64x2_t, uint64x2_t) = {
            let [a, b] = [a, b].map(|a| vreinterpretq_u8_u64(a));
            (vreinterpretq_u64_u8(vzip1q_u8(a, b)), vreinterpretq_u64_u8(vzip2q_u8(a, b)))
        };
        unpack_pairs(a, b) -> (uint64x2_t, uint64x2_t) = {
            let [a, b] = [a, b].map(|a| vreinterpretq_u16_u64(a));
            (vreinterpretq_u64_u16(vzip1q_u16(a, b)), vreinterpretq_u64_u16(vzip2q_u16(a, b)))
        };
        unpack_fours(a, b) -> (uint64x2_t, uint64x2_t) = {
            let [a, b] = [a, b].map(|a| vreinterpretq_u32_u64(a));
            (vreinterpretq_u64_u32(vzip1q_u32(a, b)), vreinterpretq_u64_u32(vzip2q_u32(a, b)))
        };
        exchange<SHIFT: i32>(a, mask: u64) = {
            let differ = vandq_u64(veorq_u64(a, vshrq_n_u64::<SHIFT>(a)), vdupq_n_u64(mask));
            veorq_u64(a, veorq_u64(differ, vshlq_n_u64::<SHIFT>(differ)))
        };
    }
}
