//! One bit for each cell of each game of a vector.

use super::isa::Isa;
use crate::games::kernels::operators;

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
/// words of planes of several words are kept [apart](Isa::apart). They are written out: loops, of
/// which a turn has hundreds, took an eighth of the time in which this crate is compiled.
macro_rules! by_word {
    ($plane:ident, $w:ident => $word:expr) => {
        by_word!($plane, $w => $word, 0 1 2 3)
    };
    ($plane:ident, $w:ident => $word:expr, $($number:literal)*) => {{
        let mut result = $plane;
        $(if W > $number {
            let $w = $number;
            let word = $word;
            result.words[$w] = if W > 1 { result.isa.apart(word) } else { word };
        })*
        result
    }};
}

/// Methods that do to the words of planes what those of the instruction set with the same names do.
macro_rules! word_by_word {
    ($($(#[$doc:meta])* $name:ident($($other:ident),*);)*) => {$(
        $(#[$doc])*
        #[inline(always)]
        pub(super) fn $name(self, $($other: Self),*) -> Self {
            by_word!(self, w => self.isa.$name(self.words[w], $($other.words[w]),*))
        }
    )*};
}

impl<I: Isa, const W: usize> Plane<I, W> {
    /// The plane without bits.
    #[inline(always)]
    pub(super) fn zero(isa: I) -> Self {
        Self {
            isa,
            words: [isa.splat(0); W],
        }
    }

    /// A plane with these bits in every game.
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

    word_by_word! {
        and(other);
        or(other);
        xor(other);
        /// `self & !other`.
        and_not(other);
        /// `self | (a & b)`.
        or_and(a, b);
        /// `self ^ (a & b)`.
        xor_and(a, b);
        /// The bits of `a` on the cells of `self`, those of `b` on the others.
        pick(a, b);
        /// `self ^ a ^ b`: the sum bit of a full adder.
        parity(a, b);
        /// The bits that two or three of the planes have: the carry bit of a full adder.
        majority(a, b);
    }

    /// With `bits` added in the games whose `code` has this bit.
    #[inline(always)]
    pub(super) fn or_where(self, bits: Self, code: I::Vector, bit: u32) -> Self {
        let isa = self.isa;
        let bit = isa.splat(1 << bit);
        by_word!(self, w => isa.or_if(self.words[w], bits.words[w], code, bit))
    }

    /// Each word rotated to the left by the game's count; see [`Isa::turn`] for planes of one word.
    #[inline(always)]
    pub(super) fn rotate(self, counts: I::Vector) -> Self {
        let isa = self.isa;
        by_word!(self, w => {
            let word = self.words[w];
            if W == 1 { isa.turn(word, counts) } else { isa.rotate(word, counts) }
        })
    }

    /// Each word rotated to the right by the game's count; see [`Isa::turn`] for planes of one
    /// word.
    #[inline(always)]
    pub(super) fn rotate_back(self, counts: I::Vector) -> Self {
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

    /// Removes each game's lowest bit where `taken` is true; returns its number, 64 W where the
    /// game has none.
    #[inline(always)]
    pub(super) fn take_lowest(&mut self, mut taken: I::Mask) -> I::Vector {
        let isa = self.isa;
        let words = &mut self.words;
        let ones = isa.splat(u64::MAX);
        let mut lowest = isa.splat(0);
        for w in (0..W).rev() {
            // 64 where the word has no bit, so that the count goes on with the next word.
            let zeros = isa.popcount(isa.and_not(isa.add(words[w], ones), words[w]));
            lowest = if w == W - 1 {
                zeros
            } else {
                isa.add(zeros, isa.keep(isa.is_zero(words[w]), lowest))
            };
        }
        for w in 0..W {
            let is_empty = isa.is_zero(words[w]);
            words[w] = isa.select(taken, isa.and(words[w], isa.add(words[w], ones)), words[w]);
            taken = isa.both(taken, is_empty);
        }
        lowest
    }
}

operators! { Plane<Isa>:
    BitAnd::bitand, BitAndAssign::bitand_assign = and;
    BitOr::bitor, BitOrAssign::bitor_assign = or;
    BitXor::bitxor, BitXorAssign::bitxor_assign = xor;
}
