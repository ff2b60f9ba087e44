//! What a collapsed triple leaves to be calculated, in one word.
//!
//! ```text
//!   bit  0       8        24        40        56  58
//!        freed   first    second    result    op  seat
//! ```
//!
//! `first` and `second` are the places of the operands among the values, in reading order; `result` is the place of the operand nearest to
//! the edge, which takes the result. Lanes make entries of slots, 0 to 255; adding the lane's base makes the slots places and enters the
//! seat. `freed` is the slot of the other operand in lanes, and means nothing in the queue.

use super::isa::Isa;
use super::layout::Plane;

/// Bits of a place among the values.
pub(super) const PLACE: u64 = 0xFFFF;
pub(super) const FIRST_AT: u32 = 8;
pub(super) const SECOND_AT: u32 = 24;
pub(super) const RESULT_AT: u32 = 40;
pub(super) const OPERATOR_AT: u32 = 56;
pub(super) const SEAT_AT: u32 = 58;
/// The bits of an entry of slots.
pub(super) const SLOTS: u64 = 0xFF << FIRST_AT | 0xFF << SECOND_AT | 0xFF << RESULT_AT | 3 << OPERATOR_AT;

/// One triple of each lane that has one.
pub(super) struct Triple<I: Isa, const W: usize> {
    /// The entry, of slots.
    pub entry: I::Vector,
    /// The slot that falls free, as a bit.
    pub freed: Plane<I::Vector, W>,
    /// Lanes that have one; in others the entry is garbage and no slot falls free.
    pub any: I::Mask,
}

/// The base of a seat whose values begin at `place`.
pub(super) const fn base(place: u64, seat: u64) -> u64 {
    place << FIRST_AT | place << SECOND_AT | place << RESULT_AT | seat << SEAT_AT
}

/// What byte by byte added to the bit number of a start gives the bit numbers of the cells of which an entry takes the handles,
/// where neighbours are `stride` bits apart, away from the edge.
pub(super) const fn spread(stride: i64) -> u64 {
    let (near, operator, far) = (0, stride as u8, (2 * stride) as u8);
    let (first, second) = if stride < 0 { (far, near) } else { (near, far) };
    u64::from_le_bytes([far, first, 0, second, 0, near, 0, operator])
}

/// See [`Isa::take_triple`]: each plane is shifted to the three cells in turn.
#[inline(always)]
pub(super) fn take<I: Isa, const W: usize, const H: usize>(
    isa: I,
    starts: &mut Plane<I::Vector, W>,
    handles: &[Plane<I::Vector, W>; H],
    spread: I::Vector,
) -> Triple<I, W> {
    let byte = isa.splat(0xFF);
    let (start, any) = take_lowest(isa, starts);
    let stride = isa.shift_right_by::<OPERATOR_AT>(spread);
    let operator_at = isa.and(isa.add(start, stride), byte);
    let far_at = isa.and(isa.add(operator_at, stride), byte);
    let near = handle_at(isa, handles, start, H);
    let operator = handle_at(isa, handles, operator_at, 2);
    let far = handle_at(isa, handles, far_at, H);
    // A negative stride, and with it the whole word, has its top bit set.
    let backward = isa.greater(isa.splat(0), spread);
    let operands = isa.or(
        isa.shift_left_by::<FIRST_AT>(isa.select(backward, far, near)),
        isa.shift_left_by::<SECOND_AT>(isa.select(backward, near, far)),
    );
    let rest = isa.or(isa.shift_left_by::<RESULT_AT>(near), isa.shift_left_by::<OPERATOR_AT>(operator));
    Triple { entry: isa.or(operands, rest), freed: freed(isa, far, any), any }
}

/// The lowest bits of the handle on the cell with this bit number.
#[inline(always)]
fn handle_at<I: Isa, const W: usize, const H: usize>(
    isa: I,
    handles: &[Plane<I::Vector, W>; H],
    at: I::Vector,
    bits: usize,
) -> I::Vector {
    let (word, shift) = (isa.shift_right_by::<6>(at), isa.and(at, isa.splat(63)));
    let mut handle = isa.splat(0);
    for plane in handles[..bits].iter().rev() {
        let mut there = plane[0];
        for w in 1..W {
            there = isa.select(isa.is_zero(isa.xor(word, isa.splat(w as u64))), plane[w], there);
        }
        handle = isa.or_and(isa.add(handle, handle), isa.shift_right(there, shift), isa.splat(1));
    }
    handle
}

/// The bit of a slot in lanes of the mask.
#[inline(always)]
pub(super) fn freed<I: Isa, const W: usize>(isa: I, slot: I::Vector, any: I::Mask) -> Plane<I::Vector, W> {
    let bit = isa.shift_left(isa.keep(any, isa.splat(1)), isa.and(slot, isa.splat(63)));
    let mut freed = [bit; W];
    if W > 1 {
        for w in 0..W {
            let elsewhere = isa.xor(isa.shift_right_by::<6>(slot), isa.splat(w as u64));
            freed[w] = isa.keep(isa.is_zero(elsewhere), bit);
        }
    }
    freed
}

/// Takes the lowest bit out of each lane's plane; returns its number, and whether there was one.
#[inline(always)]
fn take_lowest<I: Isa, const W: usize>(isa: I, plane: &mut Plane<I::Vector, W>) -> (I::Vector, I::Mask) {
    let ones = isa.splat(u64::MAX);
    let (mut lowest, mut none) = (ones, isa.is_zero(isa.splat(0)));
    for w in 0..W {
        let less = isa.add(plane[w], ones);
        let zeros = isa.add(isa.popcount(isa.and_not(less, plane[w])), isa.splat(64 * w as u64));
        lowest = isa.select(none, zeros, lowest);
        let here = isa.both(none, isa.is_nonzero(plane[w]));
        none = isa.both(none, isa.is_zero(plane[w]));
        plane[w] = isa.select(here, isa.and(plane[w], less), plane[w]);
    }
    (lowest, isa.is_zero(isa.keep(none, ones)))
}
