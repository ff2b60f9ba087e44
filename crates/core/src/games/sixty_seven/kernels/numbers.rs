//! Exact numbers by address: 64-bit words where they suffice, otherwise big integers.
//!
//! About 15 of 100 games of `merge-runs` on 6×7 have a number beyond 2⁶³. The total number of
//! digits on a board is at most the number of spawned tiles, since a result has no more digits than
//! its operands together. So big integers stay small enough to store.

use super::ended::End;
use super::queued::ADDRESSES;
use super::spec::Spec;
use crate::games::sixty_seven::residue::nearest;
use num_bigint::BigInt;
use num_traits::ToPrimitive;
use std::collections::BTreeMap;
use std::fmt::Write;

/// The word of a number that is kept as a big integer.
const BIG: i64 = i64::MIN;

/// The numbers of a block of slots.
pub(super) struct Numbers {
    /// By address; [`BIG`] where the number is in `big`.
    words: Vec<u64>,
    big: BTreeMap<usize, BigInt>,
    target: i64,
    limit: Option<u64>,
}

impl Numbers {
    pub(super) fn new(spec: &Spec) -> Self {
        Self {
            words: vec![0; ADDRESSES],
            big: BTreeMap::new(),
            target: nearest(spec.target),
            limit: spec.limit,
        }
    }

    /// The words by address, to store digits.
    #[inline(always)]
    pub(super) fn values(&mut self) -> &mut [u64] {
        &mut self.words
    }

    /// Forgets the big numbers of a slot that has `each` addresses.
    pub(super) fn forget(&mut self, slot: usize, each: usize) {
        if !self.big.is_empty() {
            self.big.retain(|&address, _| address / each != slot);
        }
    }

    /// Combines two numbers, with operator 0 = plus, 1 = minus, 2 = times; the addresses are those
    /// of the operands, in reading order, and of the result. Returns whether the result wins or
    /// exceeds the limit.
    #[inline(always)]
    pub(super) fn combine(
        &mut self,
        [first, second, result]: [usize; 3],
        operator: u64,
    ) -> Option<End> {
        let words = &mut self.words[..ADDRESSES];
        let a = words[first].cast_signed();
        let b = words[second].cast_signed();
        let sum = a.overflowing_add(b);
        let difference = a.overflowing_sub(b);
        let product = a.overflowing_mul(b);
        let (value, is_beyond) = match operator {
            0 => sum,
            1 => difference,
            _ => product,
        };
        if is_beyond | (a == BIG) | (b == BIG) | (value == BIG) {
            return self.combine_big([first, second, result], operator);
        }
        words[result] = value.cast_unsigned();
        if value == self.target {
            return Some(End::Won);
        }
        self.limit
            .and_then(|limit| (value.unsigned_abs() > limit).then_some(End::Exceeded))
    }

    #[cold]
    #[inline(never)]
    fn combine_big(&mut self, [first, second, result]: [usize; 3], operator: u64) -> Option<End> {
        let [a, b] = [first, second].map(|address| self.exact(address));
        let value = match operator {
            0 => a + b,
            1 => a - b,
            _ => a * b,
        };
        let word = i64::try_from(&value).ok().filter(|&word| word != BIG);
        self.words[result] = word.unwrap_or(BIG).cast_unsigned();
        if word.is_none() {
            self.big.insert(result, value);
        }
        // No big number is the target. With a limit there is none.
        (word == Some(self.target)).then_some(End::Won)
    }

    fn exact(&self, address: usize) -> BigInt {
        match self.words[address].cast_signed() {
            BIG => self.big[&address].clone(),
            word => BigInt::from(word),
        }
    }

    /// Writes the number at an address in decimal.
    pub(super) fn write(&self, address: usize, text: &mut String) {
        let _ = match self.words[address].cast_signed() {
            BIG => write!(text, "{}", self.big[&address]),
            word => write!(text, "{word}"),
        };
    }

    /// The nearest `f64` to the number at an address.
    pub(super) fn rounded(&self, address: usize) -> f64 {
        match self.words[address].cast_signed() {
            BIG => self.big[&address]
                .to_f64()
                .expect("every number has a nearest float"),
            word => word as f64,
        }
    }
}
