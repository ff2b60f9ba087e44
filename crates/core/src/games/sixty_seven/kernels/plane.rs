//! One bit for each cell of each game of a vector.

use super::isa::Isa;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor};

/// One plane of a vector of games: bit b of word w of a game stands for its bit number 64 w + b;
/// [`super::layout`] says which cell that is.
///
/// A plane carries the token of its instruction set, so that its operators need no further
/// argument.
#[derive(Clone, Copy)]
pub(super) struct Plane<I: Isa, const W: usize> {
    pub isa: I,
    pub words: [I::Vector; W],
}

/// The plane whose word number `$w` is `$word`. A macro, since closures are not always inlined. The
/// words of planes of several words are kept [apart](Isa::apart).
macro_rules! by_word {
    ($plane:ident, $w:ident => $word:expr) => {{
        let mut result = $plane;
        for $w in 0..W {
            result.words[$w] = if W > 1 {
                result.isa.apart($word)
            } else {
                $word
            };
        }
        result
    }};
}

impl<I: Isa, const W: usize> Plane<I, W> {
    /// No bits.
    #[inline(always)]
    pub(super) fn zero(isa: I) -> Self {
        Self {
            isa,
            words: [isa.splat(0); W],
        }
    }

    /// The same bits in every game.
    #[inline(always)]
    pub(super) fn splat(isa: I, words: &[u64; W]) -> Self {
        let plane = Self::zero(isa);
        by_word!(plane, w => isa.splat(words[w]))
    }

    /// In each game the words that its direction has in `tables`.
    #[inline(always)]
    pub(super) fn lookup4(isa: I, tables: &[[u64; 4]; W], directions: I::Vector) -> Self {
        let plane = Self::zero(isa);
        by_word!(plane, w => isa.lookup4(&tables[w], directions))
    }

    #[inline(always)]
    pub(super) fn load(isa: I, blocks: &[I::Block; W]) -> Self {
        let plane = Self::zero(isa);
        by_word!(plane, w => isa.load(&blocks[w]))
    }

    #[inline(always)]
    pub(super) fn store(&self, blocks: &mut [I::Block; W]) {
        for w in 0..W {
            self.isa.store(&mut blocks[w], self.words[w]);
        }
    }

    /// `self & !other`.
    #[inline(always)]
    pub(super) fn and_not(self, other: Self) -> Self {
        by_word!(self, w => self.isa.and_not(self.words[w], other.words[w]))
    }

    /// `self | (a & b)`.
    #[inline(always)]
    pub(super) fn or_and(self, a: Self, b: Self) -> Self {
        by_word!(self, w => self.isa.or_and(self.words[w], a.words[w], b.words[w]))
    }

    /// `self ^ (a & b)`.
    #[inline(always)]
    pub(super) fn xor_and(self, a: Self, b: Self) -> Self {
        by_word!(self, w => self.isa.xor_and(self.words[w], a.words[w], b.words[w]))
    }

    /// The bits of `a` on the cells of `self`, those of `b` on the others.
    #[inline(always)]
    pub(super) fn pick(self, a: Self, b: Self) -> Self {
        by_word!(self, w => self.isa.pick(self.words[w], a.words[w], b.words[w]))
    }

    /// `self ^ a ^ b`: the sum bit of a full adder.
    #[inline(always)]
    pub(super) fn parity(self, a: Self, b: Self) -> Self {
        by_word!(self, w => self.isa.parity(self.words[w], a.words[w], b.words[w]))
    }

    /// The bits that two or three of the planes have: the carry bit of a full adder.
    #[inline(always)]
    pub(super) fn majority(self, a: Self, b: Self) -> Self {
        by_word!(self, w => self.isa.majority(self.words[w], a.words[w], b.words[w]))
    }

    /// With `bits` added in the games whose `code` has bit number `BIT`.
    #[inline(always)]
    pub(super) fn or_where<const BIT: u32>(self, bits: Self, code: I::Vector) -> Self {
        by_word!(self, w => self.isa.or_where::<BIT>(self.words[w], bits.words[w], code))
    }

    /// Each word rotated to the left by the game's count; see [`Isa::turn`] for planes of one word.
    #[inline(always)]
    pub(super) fn rotate(self, counts: I::Count) -> Self {
        let isa = self.isa;
        by_word!(self, w => if W == 1 { isa.turn(self.words[w], counts) } else { isa.rotate(self.words[w], counts) })
    }

    /// Each word rotated to the right by the game's count; see [`Isa::turn`] for planes of one
    /// word.
    #[inline(always)]
    pub(super) fn rotate_back(self, counts: I::Count) -> Self {
        let isa = self.isa;
        by_word!(self, w => {
            let word = self.words[w];
            if W == 1 { isa.turn_back(word, counts) } else { isa.rotate_back(word, counts) }
        })
    }

    /// A word for each game that is 0 where the game has no bits.
    #[inline(always)]
    pub(super) fn any(self) -> I::Vector {
        let mut any = self.words[0];
        for w in 1..W {
            any = self.isa.or(any, self.words[w]);
        }
        any
    }

    /// How many bits each game has.
    #[inline(always)]
    pub(super) fn count(self) -> I::Vector {
        let mut count = self.isa.popcount(self.words[0]);
        for w in 1..W {
            count = self.isa.add(count, self.isa.popcount(self.words[w]));
        }
        count
    }
}

impl<I: Isa, const W: usize> BitAnd for Plane<I, W> {
    type Output = Self;
    #[inline(always)]
    fn bitand(self, other: Self) -> Self {
        by_word!(self, w => self.isa.and(self.words[w], other.words[w]))
    }
}

impl<I: Isa, const W: usize> BitOr for Plane<I, W> {
    type Output = Self;
    #[inline(always)]
    fn bitor(self, other: Self) -> Self {
        by_word!(self, w => self.isa.or(self.words[w], other.words[w]))
    }
}

impl<I: Isa, const W: usize> BitXor for Plane<I, W> {
    type Output = Self;
    #[inline(always)]
    fn bitxor(self, other: Self) -> Self {
        by_word!(self, w => self.isa.xor(self.words[w], other.words[w]))
    }
}

impl<I: Isa, const W: usize> BitAndAssign for Plane<I, W> {
    #[inline(always)]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<I: Isa, const W: usize> BitOrAssign for Plane<I, W> {
    #[inline(always)]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}
