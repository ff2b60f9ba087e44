//! The words of a vector of two games in memory.

use std::ops::{Index, IndexMut};

/// Two words.
#[derive(Clone, Copy, Debug, Default)]
#[repr(C, align(16))]
pub(super) struct Pair(pub(super) [u64; 2]);

impl Index<usize> for Pair {
    type Output = u64;
    #[inline(always)]
    fn index(&self, lane: usize) -> &u64 {
        &self.0[lane]
    }
}

impl IndexMut<usize> for Pair {
    #[inline(always)]
    fn index_mut(&mut self, lane: usize) -> &mut u64 {
        &mut self.0[lane]
    }
}

/// See [`super::isa::Isa::append`]; `chosen` has a 1 in its lowest bit for a chosen lane.
#[inline(always)]
pub(super) fn append(list: &mut [u64], words: [u64; 2], chosen: [u64; 2]) -> usize {
    let list = list.first_chunk_mut::<2>().expect("the list has room for both lanes");
    list[0] = words[0];
    let first = chosen[0] as usize & 1;
    list[first] = words[1];
    first + (chosen[1] as usize & 1)
}
