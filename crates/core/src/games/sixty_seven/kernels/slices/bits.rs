//! One bit of each game of a batch, and what an instruction set has to do with such bits.

#![allow(unsafe_code)]

use super::super::isa::Instructions;
use crate::games::kernels::operators;
use std::fmt::{Debug, Formatter};
use std::ops::Not;

/// Registers of `N` words, in which each bit belongs to another game.
///
/// # Safety
/// A register is `N` words of plain data: as large as `[u64; N]`, at least as aligned, and valid
/// whatever its bits.
pub(in super::super) unsafe trait SliceIsa<const N: usize>:
    Instructions
{
    type Register: Copy + Send;
    /// Whether bits are selected by a mask in one instruction.
    const SELECTS: bool;

    /// Games of a register.
    fn slots(self) -> usize {
        64 * N
    }

    fn splat(self, word: u64) -> Self::Register;
    fn and(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn or(self, a: Self::Register, b: Self::Register) -> Self::Register;
    fn xor(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// `a & !b`.
    fn and_not(self, a: Self::Register, b: Self::Register) -> Self::Register;
    /// The bits of `a` where `mask` has bits, else those of `b`.
    #[inline(always)]
    fn select(self, mask: Self::Register, a: Self::Register, b: Self::Register) -> Self::Register {
        self.or(self.and(a, mask), self.and_not(b, mask))
    }
    /// `a | (b & c)`.
    #[inline(always)]
    fn or_and(self, a: Self::Register, b: Self::Register, c: Self::Register) -> Self::Register {
        self.or(a, self.and(b, c))
    }
    /// `a | (b ^ c)`.
    #[inline(always)]
    fn or_xor(self, a: Self::Register, b: Self::Register, c: Self::Register) -> Self::Register {
        self.or(a, self.xor(b, c))
    }
    /// Whether any bit is set.
    fn any(self, a: Self::Register) -> bool;
    /// Bit number `bit` of each game's byte.
    fn bits_of(self, bytes: &[[u8; 64]; N], bit: u32) -> Self::Register;
    /// The byte of each game of which `planes` holds the bits.
    fn bytes_of(self, planes: &[Self::Register; 8], bytes: &mut [[u8; 64]; N]);
    /// Writes the numbers of the bits of `word`, plus `base`, to the beginning of `list`, which has
    /// room for [`LISTED`]; returns how many there are.
    #[inline(always)]
    fn list(self, word: u64, base: u16, list: &mut [u16]) -> usize {
        // Several at a time: an exit after each could not be predicted.
        let mut rest = word;
        let mut at = 0;
        while rest != 0 {
            for entry in &mut list[at..at + AT_A_TIME] {
                *entry = base + rest.trailing_zeros() as u16;
                rest &= rest.wrapping_sub(1);
            }
            at += AT_A_TIME;
        }
        word.count_ones() as usize
    }
}

/// Bits that [`SliceIsa::list`] lists at a time.
const AT_A_TIME: usize = 8;
/// The entries of a list for each word: its 64 bits, and what is written beyond them.
pub(super) const LISTED: usize = 64 + AT_A_TIME;

/// What [`bytes_by_unpacking`] needs of registers of 16 bytes, or of several such parts.
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
pub(in super::super) trait Unpack<const N: usize>: SliceIsa<N> {
    /// The bytes of the lower halves of both in turn, and those of the upper halves, part by part.
    fn unpack_bytes(self, a: Self::Register, b: Self::Register)
    -> (Self::Register, Self::Register);
    /// The pairs of bytes of the lower halves of both in turn, and those of the upper halves, part
    /// by part.
    fn unpack_pairs(self, a: Self::Register, b: Self::Register)
    -> (Self::Register, Self::Register);
    /// The fours of bytes of the lower halves of both in turn, and those of the upper halves, part
    /// by part.
    fn unpack_fours(self, a: Self::Register, b: Self::Register)
    -> (Self::Register, Self::Register);
    /// Exchanges the bits of each word that `mask` selects with those `SHIFT` above them.
    fn exchange<const SHIFT: i32>(self, a: Self::Register, mask: u64) -> Self::Register;
}

/// Computes [`SliceIsa::bytes_of`]: brings together the bytes of all planes that hold the bits of
/// the same eight games, then transposes these 8 × 8 bits ("Hacker's Delight", 7-3).
#[cfg(any(
    target_arch = "x86_64",
    target_arch = "aarch64",
    all(target_arch = "wasm32", target_feature = "simd128")
))]
#[inline(always)]
pub(in super::super) fn bytes_by_unpacking<I: Unpack<N>, const N: usize>(
    isa: I,
    planes: &[I::Register; 8],
    bytes: &mut [[u8; 64]; N],
) {
    let (bytes, _) = bytes.as_flattened_mut().as_chunks_mut::<8>();
    // The results of each step, lower halves first.
    let mut pairs = [[planes[0]; 4]; 2];
    for i in 0..4 {
        (pairs[0][i], pairs[1][i]) = isa.unpack_bytes(planes[2 * i], planes[2 * i + 1]);
    }
    let mut fours = [[planes[0]; 2]; 4];
    for i in 0..4 {
        let from = &pairs[i / 2];
        let of = i % 2;
        (fours[i / 2 * 2][of], fours[i / 2 * 2 + 1][of]) =
            isa.unpack_pairs(from[2 * of], from[2 * of + 1]);
    }
    let mut eights = [planes[0]; 8];
    for i in 0..4 {
        (eights[2 * i], eights[2 * i + 1]) = isa.unpack_fours(fours[i][0], fours[i][1]);
    }
    for i in 0..8 {
        let block = isa.exchange::<7>(eights[i], 0x00AA_00AA_00AA_00AA);
        let block = isa.exchange::<14>(block, 0x0000_CCCC_0000_CCCC);
        let block = isa.exchange::<28>(block, 0x0000_0000_F0F0_F0F0);
        let words = words(isa, &block);
        for part in 0..N / 2 {
            bytes[16 * part + 2 * i] = words[2 * part].to_le_bytes();
            bytes[16 * part + 2 * i + 1] = words[2 * part + 1].to_le_bytes();
        }
    }
}

/// The words of a register in memory.
#[inline(always)]
fn words<I: SliceIsa<N>, const N: usize>(_isa: I, register: &I::Register) -> &[u64; N] {
    const { assert!(size_of::<I::Register>() == 8 * N && align_of::<I::Register>() >= 8) };
    // SAFETY: a register is N words of plain data, as SliceIsa requires.
    unsafe { &*std::ptr::from_ref(register).cast() }
}

/// One bit of each game of a batch of 64 × `N` games.
#[derive(Clone, Copy)]
pub(super) struct Bits<I: SliceIsa<N>, const N: usize> {
    isa: I,
    register: I::Register,
}

/// Methods that do to registers what those of the instruction set with the same names do.
macro_rules! by_register {
    ($($(#[$doc:meta])* $name:ident($($other:ident),*);)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(self, $($other: Self),*) -> Self {
            let register = self.isa.$name(self.register, $($other.register),*);
            Self { register, ..self }
        }
    )*};
}

impl<I: SliceIsa<N>, const N: usize> Bits<I, N> {
    #[inline(always)]
    pub(super) fn zero(isa: I) -> Self {
        // Unlike a splat this is a constant, so that many registers are cleared by memset.
        // SAFETY: a register is plain data, valid whatever its bits, as SliceIsa requires.
        let register = unsafe { std::mem::zeroed() };
        Self { isa, register }
    }

    /// Bit g of word w for game 64 w + g.
    #[inline(always)]
    pub(super) fn new(isa: I, words: [u64; N]) -> Self {
        let mut bits = Self::zero(isa);
        *bits.words_mut() = words;
        bits
    }

    /// Bit number `bit` of each game's byte.
    #[inline(always)]
    pub(super) fn of(isa: I, bytes: &[[u8; 64]; N], bit: usize) -> Self {
        let register = isa.bits_of(bytes, bit as u32);
        Self { isa, register }
    }

    /// The byte of each game of which `planes` holds the bits.
    #[inline(always)]
    pub(super) fn bytes(planes: &[Self; 8], bytes: &mut [[u8; 64]; N]) {
        let isa = planes[0].isa;
        let mut registers = [planes[0].register; 8];
        for (register, plane) in registers.iter_mut().zip(planes) {
            *register = plane.register;
        }
        isa.bytes_of(&registers, bytes);
    }

    by_register! {
        and(other);
        or(other);
        xor(other);
        /// `self & !other`.
        and_not(other);
        /// `self | (a & b)`.
        or_and(a, b);
        /// `self | (a ^ b)`.
        or_xor(a, b);
        /// `a` in games whose bit is set, else `b`.
        select(a, b);
    }

    /// Exchanges both in games whose bit is set.
    #[inline(always)]
    pub(super) fn exchange(self, a: &mut Self, b: &mut Self) {
        if I::SELECTS {
            (*a, *b) = (self.select(*b, *a), self.select(*a, *b));
        } else {
            let differ = (*a ^ *b) & self;
            *a ^= differ;
            *b ^= differ;
        }
    }

    #[inline(always)]
    pub(super) fn any(self) -> bool {
        self.isa.any(self.register)
    }

    #[inline(always)]
    pub(super) fn words(&self) -> &[u64; N] {
        words(self.isa, &self.register)
    }

    #[inline(always)]
    pub(super) fn words_mut(&mut self) -> &mut [u64; N] {
        const { assert!(size_of::<I::Register>() == 8 * N && align_of::<I::Register>() >= 8) };
        // SAFETY: a register is N words of plain data, as SliceIsa requires.
        unsafe { &mut *std::ptr::from_mut(&mut self.register).cast() }
    }

    /// The games whose bit is set, at the beginning of `list`. One list for all words, since each
    /// end of a loop is a branch that cannot be predicted.
    #[inline(always)]
    pub(super) fn list<'a>(&self, list: &'a mut [[u16; LISTED]; N]) -> &'a [u16] {
        let list = list.as_flattened_mut();
        let mut count = 0;
        for (word, bits) in self.words().iter().enumerate() {
            count += self.isa.list(*bits, 64 * word as u16, &mut list[count..]);
        }
        &list[..count]
    }

    /// The bit of one game, 0 or 1.
    #[inline(always)]
    pub(super) fn bit(&self, game: usize) -> usize {
        (self.words()[game / 64] >> (game % 64)) as usize & 1
    }

    #[inline(always)]
    pub(super) fn set_bit(&mut self, game: usize, bit: usize) {
        let word = &mut self.words_mut()[game / 64];
        *word = *word & !(1 << (game % 64)) | (bit as u64) << (game % 64);
    }
}

impl<I: SliceIsa<N>, const N: usize> Debug for Bits<I, N> {
    fn fmt(&self, formatter: &mut Formatter<'_>) -> std::fmt::Result {
        write!(formatter, "{:x?}", self.words())
    }
}

operators! { Bits<SliceIsa<N>>:
    BitAnd::bitand, BitAndAssign::bitand_assign = and;
    BitOr::bitor, BitOrAssign::bitor_assign = or;
    BitXor::bitxor, BitXorAssign::bitxor_assign = xor;
}

impl<I: SliceIsa<N>, const N: usize> Not for Bits<I, N> {
    type Output = Self;
    #[inline(always)]
    fn not(self) -> Self {
        let register = self.isa.and_not(self.isa.splat(u64::MAX), self.register);
        Self { register, ..self }
    }
}

/// Repeats a block with `$i` = 0, 1, … below `$count`, written out: the compiler leaves nested
/// loops over planes rolled, and arrays that a loop's counter indexes go through memory. The blocks
/// beyond the count, a constant, are not compiled.
macro_rules! unrolled {
    ($i:ident < $count:expr, $block:block) => {
        unrolled!(@ $i, $count, $block, 0 1 2 3 4 5 6 7 8 9)
    };
    (rev $i:ident < $count:expr, $block:block) => {
        unrolled!(@ $i, $count, $block, 9 8 7 6 5 4 3 2 1 0)
    };
    (@ $i:ident, $count:expr, $block:block, $($number:literal)*) => {$(
        #[allow(unconditional_panic, unused_variables)]
        if const { $number < $count } {
            let $i: usize = $number;
            $block
        }
    )*};
}
pub(super) use unrolled;
