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
use super::layout::{Plane, Way};

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

/// See [`Isa::take_triple`]: every bit of a handle is looked up on the start, on the cell after it and on the next.
#[inline(always)]
pub(super) fn take<I: Isa, const W: usize, const H: usize>(
    isa: I,
    starts: &mut Plane<I::Vector, W>,
    handles: &[Plane<I::Vector, W>; H],
    way: &Way<I, W>,
) -> Triple<I, W> {
    let (first, any) = take_lowest(isa, starts);
    let (second, third) = (way.push(isa, first, 0), way.push(isa, first, 1));
    let (mut near, mut far) = (isa.splat(0), isa.splat(0));
    for b in 0..H {
        let bit = isa.splat(1 << b);
        near = or_on(isa, near, bit, &handles[b], &first);
        far = or_on(isa, far, bit, &handles[b], &third);
    }
    let mut operator = isa.splat(0);
    for b in 0..2 {
        operator = or_on(isa, operator, isa.splat(1 << b), &handles[b], &second);
    }
    let swapped = isa.and(isa.xor(near, far), way.backward);
    let operands = isa.or(
        isa.shift_left_by::<FIRST_AT>(isa.xor(near, swapped)),
        isa.shift_left_by::<SECOND_AT>(isa.xor(far, swapped)),
    );
    let rest = isa.or(isa.shift_left_by::<RESULT_AT>(near), isa.shift_left_by::<OPERATOR_AT>(operator));
    let any = isa.is_nonzero(any);
    Triple { entry: isa.or(operands, rest), freed: freed(isa, far, any), any }
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

/// Takes the lowest bit out of each lane's plane; returns it alone, and a word that is not 0 where there was one.
#[inline(always)]
fn take_lowest<I: Isa, const W: usize>(isa: I, plane: &mut Plane<I::Vector, W>) -> (Plane<I::Vector, W>, I::Vector) {
    let zero = isa.splat(0);
    let (mut lowest, mut any) = (*plane, zero);
    for w in 0..W {
        let bit = isa.and(plane[w], isa.sub(zero, plane[w]));
        lowest[w] = if w == 0 { bit } else { isa.keep(isa.is_zero(any), bit) };
        any = isa.or(any, lowest[w]);
        plane[w] = isa.xor(plane[w], lowest[w]);
    }
    (lowest, any)
}

/// `sum | addend` in lanes whose plane has a bit in common with `cell`.
#[inline(always)]
fn or_on<I: Isa, const W: usize>(
    isa: I,
    sum: I::Vector,
    addend: I::Vector,
    plane: &Plane<I::Vector, W>,
    cell: &Plane<I::Vector, W>,
) -> I::Vector {
    if W == 1 {
        return isa.or_if(sum, addend, plane[0], cell[0]);
    }
    let mut common = isa.and(plane[0], cell[0]);
    for w in 1..W {
        common = isa.or_and(common, plane[w], cell[w]);
    }
    isa.or_if(sum, addend, common, common)
}
