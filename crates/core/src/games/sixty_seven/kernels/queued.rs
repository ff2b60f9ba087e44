//! The pending calculation of a collapsed operation, in one word.
//!
//! ```text
//!   bit  0       8        24        40        56  58
//!        freed   first    second    result    op  slot
//! ```
//!
//! `first` and `second` are the addresses of the operands among the values, in reading order;
//! `result` is the address of the operand nearest to the edge, which takes the result. Vector code
//! first makes entries of value indices, 0 to 255. Adding the base of a game's slot turns indices
//! into addresses and adds the slot. `freed` is the index of the other operand; in the queue it has
//! no meaning.

use crate::games::sixty_seven::residue::combine;

/// The bits of an address.
pub(super) const ADDRESS: u64 = 0xFFFF;
pub(super) const FIRST_AT: u32 = 8;
pub(super) const SECOND_AT: u32 = 24;
pub(super) const RESULT_AT: u32 = 40;
pub(super) const OPERATOR_AT: u32 = 56;
pub(super) const SLOT_AT: u32 = 58;
/// The bits of an entry of indices.
#[cfg(target_arch = "x86_64")]
pub(super) const INDICES: u64 =
    0xFF << FIRST_AT | 0xFF << SECOND_AT | 0xFF << RESULT_AT | 3 << OPERATOR_AT;

/// Addresses for the values of all slots. A power of two, so that masking an address bounds it.
pub(super) const ADDRESSES: usize = 8192;

/// Values kept for each slot: one for each cell, and one address for numbers without a cell.
pub(super) const fn values_each(words: usize) -> usize {
    64 * words + 8
}

/// The address that a word holds from bit `at` on.
#[inline(always)]
pub(super) const fn address(word: u64, at: u32) -> usize {
    (word >> at) as usize & (ADDRESSES - 1)
}

/// Combines the values of an operation, stores the result and returns it.
#[inline(always)]
pub(super) fn combine_entry(entry: u64, values: &mut [u64]) -> u64 {
    let value = |at: u32| values[address(entry, at)];
    let result = combine(value(FIRST_AT), entry >> OPERATOR_AT & 3, value(SECOND_AT));
    values[address(entry, RESULT_AT)] = result;
    result
}

/// The base of a slot whose values begin at `address`.
pub(super) const fn base(address: u64, slot: u64) -> u64 {
    address << FIRST_AT | address << SECOND_AT | address << RESULT_AT | slot << SLOT_AT
}

/// Offsets, one a byte, from the bit number of an operation's first cell to those of the cells
/// whose indices an entry holds; neighbours are `stride` bits apart, away from the edge.
pub(super) const fn spread(stride: i64) -> u64 {
    let near = 0;
    let operator = stride as u8;
    let far = (2 * stride) as u8;
    let (first, second) = if stride < 0 { (far, near) } else { (near, far) };
    u64::from_le_bytes([far, first, 0, second, 0, near, 0, operator])
}
