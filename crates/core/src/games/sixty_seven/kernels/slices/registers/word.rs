//! `portable` where there are no vectors: 64 games a word.

#![allow(unsafe_code)]

use super::super::super::portable::{ONES, Portable};
use super::super::bits::SliceIsa;
use crate::games::kernels::methods;

// SAFETY: a register is one word.
unsafe impl SliceIsa<1> for Portable {
    type Register = u64;
    const SELECTS: bool = false;

    methods! { [] isa: Portable, u64;
        splat(word: u64) = word;
        and(a, b) = a & b;
        or(a, b) = a | b;
        xor(a, b) = a ^ b;
        and_not(a, b) = a & !b;
        any(a) -> bool = a != 0;
        bits_of(bytes: &[[u8; 64]; 1], bit: u32) = {
            let (eights, _) = bytes[0].as_chunks::<8>();
            let mut word = 0;
            for (number, bytes) in eights.iter().enumerate() {
                let bits = u64::from_le_bytes(*bytes) >> bit & ONES;
                // Bit 8 i becomes bit 56 + i.
                word |= bits.wrapping_mul(0x0102_0408_1020_4080) >> 56 << (8 * number);
            }
            word
        };
        bytes_of(planes: &[u64; 8], bytes: &mut [[u8; 64]; 1]) -> () = {
            let (eights, _) = bytes[0].as_chunks_mut::<8>();
            for (number, bytes) in eights.iter_mut().enumerate() {
                let rows = planes.map(|plane| (plane >> (8 * number)) as u8);
                let mut block = u64::from_le_bytes(rows);
                // Transposes 8 × 8 bits ("Hacker's Delight", 7-3).
                for (shift, mask) in [
                    (7, 0x00AA_00AA_00AA_00AA),
                    (14, 0x0000_CCCC_0000_CCCC),
                    (28, 0x0000_0000_F0F0_F0F0),
                ] {
                    let differ = (block ^ (block >> shift)) & mask;
                    block ^= differ ^ (differ << shift);
                }
                *bytes = block.to_le_bytes();
            }
        };
    }
}
