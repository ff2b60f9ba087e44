//! The operations that the lock-step algorithm needs from an instruction set.
//!
//! A *word* is 64 bits; a vector holds one word of each of [`Isa::WIDTH`] games. A lane is the
//! place of one game in vectors; every method treats all lanes alike. A type that implements
//! [`Isa`] is a zero-sized token. Tokens of instructions beyond the baseline exist only on machines
//! that have them, so holding a token proves that the instructions are available.

use crate::games::kernels::Work;
use std::fmt::Debug;
use std::ops::{Index, IndexMut};

/// An instruction set that functions are compiled for.
pub(super) trait Instructions: Copy + Send + Sync + 'static {
    /// Runs `work` compiled for this instruction set. Call it once per batch or pass: it is not
    /// inlined.
    #[inline(always)]
    fn compiled<W: Work>(self, work: W) -> W::Output {
        work.run()
    }
}

/// Words by their halves: the lower and the upper 32 bits, each in the lower half of a lane; what
/// lies above them is garbage.
#[derive(Clone, Copy)]
pub(super) struct Halves<V> {
    pub low: V,
    pub high: V,
}

/// The vectors of one instruction set and what can be done with them.
pub(super) trait Isa: Instructions {
    /// Games per vector.
    const WIDTH: usize;
    /// Whether planes of one word are shifted rather than rotated, see [`Isa::turn`].
    const SHIFTS: bool = false;
    /// One word of each lane, in registers.
    type Vector: Copy;
    /// A truth value of each lane.
    type Mask: Copy;
    /// One word of each lane, in memory.
    type Block: Copy + Debug + Default + Send + Index<usize, Output = u64> + IndexMut<usize>;

    fn load(self, block: &Self::Block) -> Self::Vector;
    fn store(self, block: &mut Self::Block, a: Self::Vector);
    fn splat(self, word: u64) -> Self::Vector;
    /// The words of `a`, in a register that the compiler does not join with others; for the words
    /// of planes of several words. Wide vectors need no such care.
    #[inline(always)]
    fn apart(self, a: Self::Vector) -> Self::Vector {
        a
    }

    fn and(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn or(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    fn xor(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a & !b`.
    fn and_not(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a | (b & c)`.
    #[inline(always)]
    fn or_and(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or(a, self.and(b, c))
    }
    /// `a ^ (b & c)`.
    #[inline(always)]
    fn xor_and(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.xor(a, self.and(b, c))
    }
    /// The bits of `a` where `mask` has bits, else those of `b`.
    #[inline(always)]
    fn pick(self, mask: Self::Vector, a: Self::Vector, b: Self::Vector) -> Self::Vector {
        // The compiler uses and-not instead where the machine has it.
        self.xor(b, self.and(self.xor(a, b), mask))
    }
    /// `a ^ b ^ c`.
    #[inline(always)]
    fn parity(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.xor(self.xor(a, b), c)
    }
    /// The bits that two or three of the words have.
    #[inline(always)]
    fn majority(self, a: Self::Vector, b: Self::Vector, c: Self::Vector) -> Self::Vector {
        self.or_and(self.and(a, b), c, self.or(a, b))
    }
    /// `a` in lanes where the mask is true, else `b`.
    fn select(self, mask: Self::Mask, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a` in lanes where the mask is true, else 0.
    fn keep(self, mask: Self::Mask, a: Self::Vector) -> Self::Vector;
    fn both(self, a: Self::Mask, b: Self::Mask) -> Self::Mask;

    fn add(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// `a - 1`, but 0 stays 0; for words below 2¹⁶.
    fn decrement(self, a: Self::Vector) -> Self::Vector;
    /// `a > b` as signed numbers.
    fn greater(self, a: Self::Vector, b: Self::Vector) -> Self::Mask;
    fn is_zero(self, a: Self::Vector) -> Self::Mask;
    fn is_nonzero(self, a: Self::Vector) -> Self::Mask;
    /// Whether all lanes are 0.
    fn all_zero(self, a: Self::Vector) -> bool;
    /// Bit `l` is set when lane `l` is 0.
    fn zero_lanes(self, a: Self::Vector) -> u32;
    /// Set bits of each word.
    fn popcount(self, a: Self::Vector) -> Self::Vector;
    /// The product of the lower halves of each word.
    fn multiply_halves(self, a: Self::Vector, b: Self::Vector) -> Self::Vector;
    /// The words as factors of [`Isa::multiply`].
    #[inline(always)]
    fn factor(self, a: Self::Vector) -> Halves<Self::Vector> {
        Halves {
            low: a,
            high: self.shift_right_by::<32>(a),
        }
    }
    /// The 128-bit product of each word with a number below 2³², as upper word and lower word.
    #[inline(always)]
    fn multiply(
        self,
        a: Halves<Self::Vector>,
        small: Self::Vector,
    ) -> (Self::Vector, Halves<Self::Vector>) {
        let low = self.multiply_halves(a.low, small);
        let carry = self.shift_right_by::<32>(low);
        let high = self.add(self.multiply_halves(a.high, small), carry);
        (self.shift_right_by::<32>(high), Halves { low, high })
    }
    /// The words of a factor.
    fn word(self, a: Halves<Self::Vector>) -> Self::Vector;

    /// Rotates each word to the left by its own count, 0 to 63.
    fn rotate(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    /// Rotates each word to the right by its own count, 0 to 63.
    fn rotate_back(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    /// Moves the bits of each word of a plane of one word to the left by its own count. Bits that
    /// leave the word are garbage wherever they come back, so that a shift serves as well as a
    /// rotation: where [`Isa::SHIFTS`], counts are signed, and by a negative one bits move to the
    /// right.
    #[inline(always)]
    fn turn(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector {
        self.rotate(a, counts)
    }
    /// Moves the bits of each word of a plane of one word to the right by its own count, as
    /// [`Isa::turn`] moves them to the left.
    #[inline(always)]
    fn turn_back(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector {
        self.rotate_back(a, counts)
    }
    fn rotate_by<const N: i32>(self, a: Self::Vector) -> Self::Vector;
    fn shift_left_by<const N: u32>(self, a: Self::Vector) -> Self::Vector;
    fn shift_right_by<const N: u32>(self, a: Self::Vector) -> Self::Vector;
    /// Shifts each word to the left by its own count, 0 to 63.
    fn shift_left(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;
    /// Shifts each word to the right by its own count, 0 to 63.
    fn shift_right(self, a: Self::Vector, counts: Self::Vector) -> Self::Vector;

    /// `table[index]`, indices 0 to 3.
    fn lookup4(self, table: &[u64; 4], index: Self::Vector) -> Self::Vector;
    /// `table[index]`, indices 0 to 15.
    fn lookup16(self, table: &[u8; 16], index: Self::Vector) -> Self::Vector;
    /// `table[index]`, indices 0 to 63.
    fn lookup64(self, table: &[u8; 64], index: Self::Vector) -> Self::Vector;
    /// `sum | addend` in lanes where `a & b` is not 0, else `sum`.
    fn or_if(
        self,
        sum: Self::Vector,
        addend: Self::Vector,
        a: Self::Vector,
        b: Self::Vector,
    ) -> Self::Vector;

    /// `2 × index`, plus the lowest bit of `bit`.
    #[inline(always)]
    fn append_bit(self, index: Self::Vector, bit: Self::Vector) -> Self::Vector {
        self.or_and(self.add(index, index), bit, self.splat(1))
    }

    /// Writes the words of the chosen lanes to the front of `list`, in order; returns how many
    /// these are. `list` has room for all lanes; what lies behind the written words is garbage.
    fn append(self, list: &mut [u64], words: Self::Vector, chosen: Self::Mask) -> usize;

    /// The set bit of `word` that has `rank` set bits below it, alone; 0 when `word` is 0 and
    /// `rank` is 0.
    fn nth_bit(self, word: u64, rank: u64) -> u64;
}

/// Declares the words of a vector in memory.
#[cfg(target_arch = "x86_64")]
macro_rules! block_of_words {
    ($(#[$attribute:meta])* $name:ident, $lanes:literal) => {
        $(#[$attribute])*
        #[derive(Clone, Copy, Debug, Default)]
        pub(super) struct $name(pub(super) [u64; $lanes]);

        impl std::ops::Index<usize> for $name {
            type Output = u64;
            #[inline(always)]
            fn index(&self, lane: usize) -> &u64 {
                &self.0[lane]
            }
        }

        impl std::ops::IndexMut<usize> for $name {
            #[inline(always)]
            fn index_mut(&mut self, lane: usize) -> &mut u64 {
                &mut self.0[lane]
            }
        }
    };
}
#[cfg(target_arch = "x86_64")]
pub(super) use block_of_words;

#[cfg(test)]
mod tests {
    use super::super::kernel::{Engine, engines, with_isa};
    use super::super::portable::Portable;
    use super::*;
    use crate::rng::mix;

    /// Every method of `isa` does on each lane what plain Rust does on one.
    #[allow(clippy::redundant_closure_for_method_calls)]
    fn check<I: Isa>(isa: I) {
        let lanes = I::WIDTH;
        let block = |round: u64, kind: u64, top: u64| {
            let mut block = I::Block::default();
            for lane in 0..lanes {
                // Words of all sizes, zeros among them.
                let word = mix(round * 64 + kind * 16 + lane as u64);
                block[lane] = (word >> (mix(word) % 70).min(63)) % top;
            }
            block
        };
        let words = |vector: I::Vector| {
            let mut block = I::Block::default();
            isa.store(&mut block, vector);
            block
        };
        let tables = (
            [3, u64::MAX, 1 << 40, 0],
            std::array::from_fn::<u8, 16, _>(|i| (i * 37) as u8),
        );
        let table64 = std::array::from_fn::<u8, 64, _>(|i| (i * 73 + 5) as u8);
        for round in 0..3000 {
            let a = block(round, 0, u64::MAX);
            let b = block(round, 1, u64::MAX);
            let c = block(round, 2, u64::MAX);
            let small = block(round, 3, 257);
            let count = block(round, 4, 64);
            let index = block(round, 5, 64);
            let va = isa.load(&a);
            let vb = isa.load(&b);
            let vc = isa.load(&c);
            let vs = isa.load(&small);
            let vn = isa.load(&count);
            let vi = isa.load(&index);
            let v4 = isa.and(vi, isa.splat(3));
            let amounts: [u64; 4] =
                std::array::from_fn(|direction| (count[0] + 17 * direction as u64) % 64);
            let by = isa.lookup4(&amounts, v4);
            let towards = words(v4);
            let v16 = isa.and(vi, isa.splat(15));
            let p = Portable;
            let results = [
                words(isa.or_and(va, vb, vc)),
                words(isa.xor_and(va, vb, vc)),
                words(isa.pick(va, vb, vc)),
                words(isa.rotate_back(va, by)),
                words(isa.parity(va, vb, vc)),
                words(isa.majority(va, vb, vc)),
                words(isa.and_not(isa.xor(va, vb), isa.or(vb, vc))),
                words(isa.add(va, vb)),
                words(isa.decrement(vs)),
                words(isa.select(isa.greater(va, vb), va, vc)),
                words(isa.keep(isa.both(isa.is_zero(va), isa.is_nonzero(vb)), vc)),
                words(isa.popcount(va)),
                words(isa.multiply(isa.factor(va), vs).0),
                words(isa.word(isa.multiply(isa.factor(va), vs).1)),
                words(isa.multiply(isa.multiply(isa.factor(va), vs).1, vs).0),
                words(isa.rotate(va, by)),
                words(isa.rotate_by::<45>(va)),
                words(isa.shift_left_by::<17>(va)),
                words(isa.shift_right_by::<6>(va)),
                words(isa.shift_left(va, vn)),
                words(isa.shift_right(va, vn)),
                words(isa.lookup4(&tables.0, v4)),
                words(isa.lookup16(&tables.1, v16)),
                words(isa.lookup64(&table64, vi)),
                words(isa.or_if(va, vb, vs, vi)),
                words(isa.append_bit(va, vb)),
            ];
            for lane in 0..lanes {
                let a = a[lane];
                let b = b[lane];
                let c = c[lane];
                let s = small[lane];
                let n = count[lane];
                let i = index[lane];
                let amount = amounts[towards[lane] as usize] as u32;
                let product = u128::from(a) * u128::from(s);
                let expected = [
                    p.or_and(a, b, c),
                    a ^ (b & c),
                    (a & b) | (!a & c),
                    a.rotate_right(amount),
                    p.parity(a, b, c),
                    p.majority(a, b, c),
                    (a ^ b) & !(b | c),
                    a.wrapping_add(b),
                    p.decrement(s),
                    p.select(p.greater(a, b), a, c),
                    if a == 0 && b != 0 { c } else { 0 },
                    p.popcount(a),
                    (product >> 64) as u64,
                    product as u64,
                    ((u128::from(product as u64) * u128::from(s)) >> 64) as u64,
                    a.rotate_left(amount),
                    a.rotate_left(45),
                    a << 17,
                    a >> 6,
                    a << n,
                    a >> n,
                    tables.0[i as usize & 3],
                    u64::from(tables.1[i as usize & 15]),
                    u64::from(table64[i as usize]),
                    p.or_if(a, b, s, i),
                    a << 1 | b & 1,
                ];
                for (number, (result, expected)) in results.iter().zip(expected).enumerate() {
                    assert_eq!(
                        result[lane], expected,
                        "method {number}, round {round}, lane {lane}"
                    );
                }
                if i < u64::from(a.count_ones()) {
                    assert_eq!(isa.nth_bit(a, i), p.nth_bit(a, i));
                }
                assert_eq!(isa.zero_lanes(va) >> lane & 1 == 1, a == 0);
            }
            let mut list = vec![0; lanes + 3];
            let length = isa.append(&mut list, va, isa.is_nonzero(vb));
            assert!(!isa.all_zero(isa.or(vb, isa.splat(1))) && isa.all_zero(isa.and_not(va, va)));
            let expected: Vec<u64> = (0..lanes)
                .filter(|&lane| b[lane] != 0)
                .map(|lane| a[lane])
                .collect();
            assert_eq!(list[..length], expected);
        }
    }

    #[test]
    fn vectors_do_on_each_lane_what_plain_rust_does() {
        for engine in engines() {
            with_isa!(engine, isa => check(isa));
        }
    }
}
