//! Extracts the collapsed operations from the planes, one per game at a time.

use super::isa::Isa;
use super::plane::Plane;
use super::queued::{FIRST_AT, OPERATOR_AT, RESULT_AT, SECOND_AT};

/// One operation (number, operator, number) of each game that has one.
pub(super) struct Operation<I: Isa, const W: usize> {
    /// The [`super::entry`], of value indices.
    pub entry: I::Vector,
    /// The value index that becomes free, as a bit.
    pub freed: Plane<I, W>,
    /// Games that have one; in others the entry is garbage and no index becomes free.
    pub any: I::Mask,
}

/// How an instruction set takes operations out of planes.
pub(super) trait OperationIsa: Isa {
    /// The indices in the form in which [`OperationIsa::take_operation`] looks them up.
    #[inline(always)]
    fn for_lookup<const W: usize, const H: usize>(
        self,
        indices: [Plane<Self, W>; H],
    ) -> [Plane<Self, W>; H] {
        indices
    }

    /// Removes the lowest bit of each game's `starts` and returns the operation that starts there.
    ///
    /// The bytes of `spread` ([`super::queued::spread`]) added to the bit number of the start give
    /// the bit numbers of the cells whose indices the entry holds. Each plane is shifted to these
    /// cells in turn.
    #[inline(always)]
    fn take_operation<const W: usize, const H: usize>(
        self,
        starts: &mut Plane<Self, W>,
        indices: &[Plane<Self, W>; H],
        spread: Self::Vector,
    ) -> Operation<Self, W> {
        let byte = self.splat(0xFF);
        let (start, any) = take_start(starts);
        let stride = self.shift_right_by::<OPERATOR_AT>(spread);
        let operator_at = self.and(self.add(start, stride), byte);
        let far_at = self.and(self.add(operator_at, stride), byte);
        let near = index_at(self, indices, start, H);
        let operator = index_at(self, indices, operator_at, 2);
        let far = index_at(self, indices, far_at, H);
        // A negative stride, and with it the whole word, has its top bit set.
        let backward = self.greater(self.splat(0), spread);
        let operands = self.or(
            self.shift_left_by::<FIRST_AT>(self.select(backward, far, near)),
            self.shift_left_by::<SECOND_AT>(self.select(backward, near, far)),
        );
        let rest = self.or(
            self.shift_left_by::<RESULT_AT>(near),
            self.shift_left_by::<OPERATOR_AT>(operator),
        );
        Operation {
            entry: self.or(operands, rest),
            freed: freed(self, far, any),
            any,
        }
    }
}

/// Removes each game's lowest bit; returns its number, and whether there was one.
#[inline(always)]
pub(super) fn take_start<I: Isa, const W: usize>(starts: &mut Plane<I, W>) -> (I::Vector, I::Mask) {
    let isa = starts.isa;
    let any = isa.is_nonzero(starts.any());
    let everywhere = isa.is_zero(isa.splat(0));
    (starts.take_lowest(everywhere), any)
}

/// The lowest `bits` bits of the index on the cell with bit number `at`.
#[inline(always)]
fn index_at<I: Isa, const W: usize, const H: usize>(
    isa: I,
    indices: &[Plane<I, W>; H],
    at: I::Vector,
    bits: usize,
) -> I::Vector {
    let word = isa.shift_right_by::<6>(at);
    let shift = isa.and(at, isa.splat(63));
    let mut index = isa.splat(0);
    for plane in indices[..bits].iter().rev() {
        let mut there = plane.words[0];
        for w in 1..W {
            there = isa.select(
                isa.is_zero(isa.xor(word, isa.splat(w as u64))),
                plane.words[w],
                there,
            );
        }
        index = isa.append_bit(index, isa.shift_right(there, shift));
    }
    index
}

/// The bit of an index in games of the mask.
#[inline(always)]
pub(super) fn freed<I: Isa, const W: usize>(isa: I, index: I::Vector, any: I::Mask) -> Plane<I, W> {
    let bit = isa.shift_left(isa.keep(any, isa.splat(1)), isa.and(index, isa.splat(63)));
    let mut freed = Plane {
        isa,
        words: [bit; W],
    };
    if W > 1 {
        for w in 0..W {
            let elsewhere = isa.xor(isa.shift_right_by::<6>(index), isa.splat(w as u64));
            freed.words[w] = isa.keep(isa.is_zero(elsewhere), bit);
        }
    }
    freed
}
