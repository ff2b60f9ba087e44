//! What the lock-step algorithm asks of an instruction set.
//!
//! A *word* is 64 bits; a vector holds one word of each of [`Isa::LANES`] games. Every operation works on all lanes alike. A type that
//! implements [`Isa`] is a zero-sized token; those that need more than the baseline can be made only where the machine has it, so
//! that holding a token is the proof that its instructions exist.

use std::fmt::Debug;
use std::ops::{Index, IndexMut};

/// The vector operations of one instruction set.
pub(super) trait Isa: Copy + Send + Sync + 'static {
    /// Games per vector.
    const LANES: usize;
    /// One word of each lane, in registers.
    type Vector: Copy;
    /// One word of each lane, in memory.
    type Block: Copy + Debug + Default + Send + Index<usize, Output = u64> + IndexMut<usize>;

    fn load(self, block: &Self::Block) -> Self::Vector;
    fn store(self, block: &mut Self::Block, a: Self::Vector);
    fn splat(self, word: u64) -> Self::Vector;

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a & !b`.
    fn and_not(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a | (b & c)`.
    fn or_and(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// `a ^ (b & c)`.
    fn xor_and(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector;
    /// `(mask & a) | (!mask & b)`.
    fn select(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector;

    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn sub(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// All ones where `a > b` as signed numbers.
    fn greater(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// All ones where the word is 0.
    fn is_zero(self, a: Self::Vector) -> Self::Vector;
    /// Bit `l` is set when lane `l` is 0.
    fn zero_lanes(self, a: Self::Vector) -> u32;
    /// Set bits of each word.
    fn popcount(self, a: Self::Vector) -> Self::Vector;
    /// The 128-bit product of each word with a number below 2³², as (upper, lower) word.
    fn multiply(self, a: Self::Vector, small: Self::Vector) -> (Self::Vector, Self::Vector);

    /// Rotates each word to the left by its own count, 0 to 63.
    fn rotate(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    fn rotate_by<const N: i32>(self, a: Self::Vector) -> Self::Vector;
    fn shift_left_by<const N: u32>(self, a: Self::Vector) -> Self::Vector;
    fn shift_right_by<const N: u32>(self, a: Self::Vector) -> Self::Vector;
    /// Shifts each word to the right by its own count, 0 to 63.
    fn shift_right(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;

    /// `table[index]`, indices 0 to 3.
    fn lookup4(self, table: &[u64; 4], index: Self::Vector) -> Self::Vector;
    /// `table[index]`, indices 0 to 15.
    fn lookup16(self, table: &[u8; 16], index: Self::Vector) -> Self::Vector;
    /// `table[index]`, indices 0 to 63.
    fn lookup64(self, table: &[u8; 64], index: Self::Vector) -> Self::Vector;
    /// `plane | bits` in lanes whose `code` has bit number `BIT`, else `plane`.
    fn or_where<const BIT: u32>(self, plane: Self::Vector, bits: Self::Vector, code: Self::Vector) -> Self::Vector;

    /// The set bit of `word` that has `rank` set bits below it, alone; 0 when `word` is 0 and `rank` is 0.
    fn nth_bit(self, word: u64, rank: u64) -> u64;
}
