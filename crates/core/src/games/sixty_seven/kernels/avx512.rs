//! The instruction set `avx512`: eight games a vector.

#![allow(unsafe_code)]

use super::avx2::{self, load_bytes};
use super::isa::{Halves, Instructions, Isa, block_of_words};
use super::lane_isa::{BLOCK_DIGITS, DigitKey, LaneIsa};
use super::operation::{Operation, OperationIsa, freed, take_start};
use super::plane::Plane;
use super::queued::INDICES;
use crate::games::kernels::{Avx512, Work, methods, with_avx512};
use crate::games::sixty_seven::lanes::LANES;
use crate::rng::{GOLDEN, MIX};
use std::arch::x86_64::*;

block_of_words! {
    /// Eight words.
    #[repr(C, align(64))]
    Eight, 8
}

/// Truth tables of three-operand logic, for operands a, b, c with columns 0xF0, 0xCC, 0xAA.
mod logic {
    pub const OR_AND: i32 = 0xF0 | (0xCC & 0xAA);
    pub const XOR_AND: i32 = 0xF0 ^ (0xCC & 0xAA);
    pub const PICK: i32 = (0xF0 & 0xCC) | (0x0F & 0xAA);
    pub const PARITY: i32 = 0xF0 ^ 0xCC ^ 0xAA;
    pub const MAJORITY: i32 = (0xF0 & 0xCC) | (0xF0 & 0xAA) | (0xCC & 0xAA);
}

impl Instructions for Avx512 {
    #[inline(always)]
    fn compiled<W: Work>(self, work: W) -> W::Output {
        self.run(work)
    }
}

impl Isa for Avx512 {
    const WIDTH: usize = 8;
    type Vector = __m512i;
    type Mask = __mmask8;
    type Block = Eight;

    with_avx512! { methods! isa: Avx512, __m512i;
        load(block: &Eight) = load_words(&block.0);
        store(block: &mut Eight, a) -> () = store_words(&mut block.0, a);
        splat(word: u64) = _mm512_set1_epi64(word.cast_signed());
        and(a, b) = _mm512_and_si512(a, b);
        or(a, b) = _mm512_or_si512(a, b);
        xor(a, b) = _mm512_xor_si512(a, b);
        and_not(a, b) = _mm512_andnot_si512(b, a);
        or_and(a, b, c) = _mm512_ternarylogic_epi64::<{ logic::OR_AND }>(a, b, c);
        xor_and(a, b, c) = _mm512_ternarylogic_epi64::<{ logic::XOR_AND }>(a, b, c);
        pick(mask, a, b) = _mm512_ternarylogic_epi64::<{ logic::PICK }>(mask, a, b);
        parity(a, b, c) = _mm512_ternarylogic_epi64::<{ logic::PARITY }>(a, b, c);
        majority(a, b, c) = _mm512_ternarylogic_epi64::<{ logic::MAJORITY }>(a, b, c);
        select(mask: __mmask8, a, b) = _mm512_mask_mov_epi64(b, mask, a);
        keep(mask: __mmask8, a) = _mm512_maskz_mov_epi64(mask, a);
        both(a: __mmask8, b: __mmask8) -> __mmask8 = a & b;
        add(a, b) = _mm512_add_epi64(a, b);
        decrement(a) = _mm512_subs_epu16(a, _mm512_set1_epi64(1));
        greater(a, b) -> __mmask8 = _mm512_cmpgt_epi64_mask(a, b);
        is_zero(a) -> __mmask8 = _mm512_testn_epi64_mask(a, a);
        is_nonzero(a) -> __mmask8 = _mm512_test_epi64_mask(a, a);
        all_zero(a) -> bool = isa.is_nonzero(a) == 0;
        zero_lanes(a) -> u32 = u32::from(_mm512_testn_epi64_mask(a, a));
        popcount(a) = _mm512_popcnt_epi64(a);
        multiply_halves(a, b) = {
            if cfg!(miri) {
                // Miri knows the intrinsic and no assembler.
                return _mm512_mul_epu32(a, b);
            }
            let product;
            // Not the intrinsic, which the compiler widens to a multiplication of whole words where
            // one operand stays the same in a loop.
            // SAFETY: the instruction reads and writes these registers alone, and the enabled
            // feature has it.
            unsafe {
                std::arch::asm!(
                    "vpmuludq {}, {}, {}",
                    out(zmm_reg) product, in(zmm_reg) a, in(zmm_reg) b,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            product
        };
        word(a: Halves<__m512i>) = _mm512_mask_shuffle_epi32::<0b10_10_00_00>(a.low, 0xAAAA, a.high);
        rotate(a, counts) = _mm512_rolv_epi64(a, counts);
        rotate_back(a, counts) = _mm512_rorv_epi64(a, counts);
        rotate_by<N: i32>(a) = _mm512_rol_epi64::<N>(a);
        shift_left_by<N: u32>(a) = _mm512_slli_epi64::<N>(a);
        shift_right_by<N: u32>(a) = _mm512_srli_epi64::<N>(a);
        shift_left(a, counts) = _mm512_sllv_epi64(a, counts);
        shift_right(a, counts) = _mm512_srlv_epi64(a, counts);
        lookup4(table: &[u64; 4], index) =
            _mm512_permutexvar_epi64(index, _mm512_broadcast_i64x4(avx2::load_words(table)));
        lookup16(table: &[u8; 16], index) = {
            let table = _mm512_broadcast_i32x4(load_bytes(table));
            _mm512_maskz_shuffle_epi8(0x0101_0101_0101_0101, table, index)
        };
        lookup64(table: &[u8; 64], index) =
            _mm512_maskz_permutexvar_epi8(0x0101_0101_0101_0101, index, load_table(table));
        or_if(sum, addend, a, b) = {
            let mask = _mm512_test_epi64_mask(a, b);
            if cfg!(miri) {
                // Miri knows the intrinsic and no assembler.
                return _mm512_mask_or_epi64(sum, mask, sum, addend);
            }
            let mut joined = sum;
            // Not the intrinsic, of which the compiler makes two instructions: the words of
            // `addend` where the mask is true, then the union.
            // SAFETY: the instruction reads and writes these registers alone, and the enabled
            // features have it.
            unsafe {
                std::arch::asm!(
                    "vporq {0}{{{1}}}, {0}, {2}",
                    inout(zmm_reg) joined, in(kreg) mask, in(zmm_reg) addend,
                    options(pure, nomem, nostack, preserves_flags)
                );
            }
            joined
        };
        // Compressed in registers and stored whole, since compressing stores are slow on some
        // machines.
        append(list: &mut [u64], words, lanes: __mmask8) -> usize = {
            let list = list.first_chunk_mut().expect("the list has room for all lanes");
            store_words(list, _mm512_maskz_compress_epi64(lanes, words));
            lanes.count_ones() as usize
        };
        nth_bit(word: u64, rank: u64) -> u64 = _pdep_u64(1 << (rank & 63), word);
    }
}

impl OperationIsa for Avx512 {
    /// Rotates each plane so that the byte which begins at a cell's bit has the index's bit in its
    /// place.
    #[inline(always)]
    fn for_lookup<const W: usize, const H: usize>(
        self,
        mut indices: [Plane<Self, W>; H],
    ) -> [Plane<Self, W>; H] {
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
        let (start, any) = take_start(starts);
        let found = indices_at(self, indices, self.cells(start, spread));
        let freed = if W == 1 {
            // Rotations count modulo 64, so that the bytes above the index do not matter.
            Plane {
                isa: self,
                words: [self.rotate(self.keep(any, self.splat(1)), found); W],
            }
        } else {
            freed(self, self.and(found, self.splat(0xFF)), any)
        };
        Operation {
            entry: self.and(found, self.splat(INDICES)),
            freed,
            any,
        }
    }
}

impl Avx512 {
    with_avx512! { methods! isa: Avx512, __m512i;
        /// The bytes of `spread`, each added to the start.
        cells(start, spread) = {
            let first_bytes = _mm512_set4_epi32(0x0808_0808, 0x0808_0808, 0, 0);
            _mm512_add_epi8(_mm512_shuffle_epi8(start, first_bytes), spread)
        };
        /// In each byte the eight bits of `word` that begin at the bit with the number in that
        /// byte of `cells`, modulo 64.
        bytes_at(cells, word) = _mm512_multishift_epi64_epi8(cells, word);
        /// In each byte the eight bits that begin at the bit with the number in that byte of
        /// `cells`, where that is a bit of `word`, word number `w` of a plane; else the byte of
        /// `bytes`.
        bytes_at_in(bytes, cells, word, w: usize) = {
            let high = _mm512_and_si512(cells, _mm512_set1_epi8(0xC0_u8.cast_signed()));
            let number = (w as u8).wrapping_shl(6).cast_signed();
            let here = _mm512_cmpeq_epi8_mask(high, _mm512_set1_epi8(number));
            _mm512_mask_multishift_epi64_epi8(bytes, here, cells, word)
        };
    }
}

/// In each byte the index on the cell with the bit number in that byte of `cells`.
#[inline(always)]
fn indices_at<const W: usize, const H: usize>(
    isa: Avx512,
    indices: &[Plane<Avx512, W>; H],
    cells: __m512i,
) -> __m512i {
    let mut found = cells;
    for (b, plane) in indices.iter().enumerate() {
        let mut bytes = isa.bytes_at(cells, plane.words[0]);
        for w in 1..W {
            bytes = isa.bytes_at_in(bytes, cells, plane.words[w], w);
        }
        found = if b == 0 {
            bytes
        } else {
            isa.pick(isa.splat(0x0101_0101_0101_0101 << b), bytes, found)
        };
    }
    // Bits that no plane has set.
    isa.and(found, isa.splat(0x0101_0101_0101_0101 * ((1 << H) - 1)))
}

impl LaneIsa for Avx512 {
    with_avx512! { methods! isa: Avx512, __m512i;
        draw_digits(state: u64, key: &DigitKey, digits: &mut [u8; BLOCK_DIGITS]) -> usize = {
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
            let table = _mm512_broadcast_i32x4(load_bytes(&key.digits));
            let used = _mm512_set1_epi8(key.used as i8);
            let low_used = _mm512_cmplt_epu8_mask(low, used);
            let high_used = _mm512_cmplt_epu8_mask(high, used);
            let low = _mm512_maskz_compress_epi8(low_used, _mm512_shuffle_epi8(table, low));
            let high = _mm512_maskz_compress_epi8(high_used, _mm512_shuffle_epi8(table, high));
            let low_count = low_used.count_ones() as usize;
            // SAFETY: `digits` has 128 bytes and is borrowed alone. The first vector has 64, and
            // `low_count`, the bits of a mask of 64, is at most 64, so that the second one ends
            // within them, too.
            unsafe {
                _mm512_storeu_si512(digits.as_mut_ptr().cast(), low);
                _mm512_storeu_si512(digits.as_mut_ptr().add(low_count).cast(), high);
            }
            low_count + high_used.count_ones() as usize
        };
        widen(digits: &[u8; LANES], small: &mut [Eight]) -> () =
            isa.store(&mut small[0], _mm512_cvtepu8_epi32(load_bytes(digits)));
        combine_small(a, minus: u64, times: u64, b) = {
            let sum = _mm512_mask_sub_epi32(_mm512_add_epi32(a, b), minus as __mmask16, a, b);
            _mm512_mask_mullo_epi32(sum, times as __mmask16, a, b)
        };
        equal_small(a, b) -> u32 = u32::from(_mm512_cmpeq_epi32_mask(a, b));
        signed_words(small: &[Eight], chunk: usize) =
            _mm512_cvtepi32_epi64(avx2::load_words(&small[chunk / 2].0.as_chunks::<4>().0[chunk % 2]));
    }
}

/// Eight words of memory.
#[inline]
#[target_feature(enable = "avx512f")]
fn load_words(words: &[u64; 8]) -> __m512i {
    // SAFETY: an unaligned load of the 64 bytes of the array.
    unsafe { _mm512_loadu_si512(words.as_ptr().cast()) }
}

#[inline]
#[target_feature(enable = "avx512f")]
fn store_words(words: &mut [u64; 8], a: __m512i) {
    // SAFETY: an unaligned store to the 64 bytes of the array, which is borrowed alone.
    unsafe { _mm512_storeu_si512(words.as_mut_ptr().cast(), a) }
}

/// A table of 64 bytes.
#[inline]
#[target_feature(enable = "avx512f")]
pub(super) fn load_table(table: &[u8; 64]) -> __m512i {
    // SAFETY: an unaligned load of the 64 bytes of the array.
    unsafe { _mm512_loadu_si512(table.as_ptr().cast()) }
}
