//! The in-memory form of a vector of two games.

use super::isa::block_of_words;

block_of_words! {
    /// Two words.
    #[repr(C, align(16))]
    Pair, 2
}

/// See [`super::isa::Isa::append`]; `chosen` has a 1 in its lowest bit for a chosen lane.
#[inline(always)]
pub(super) fn append(list: &mut [u64], words: [u64; 2], chosen: [u64; 2]) -> usize {
    let list = list
        .first_chunk_mut::<2>()
        .expect("the list has room for both lanes");
    list[0] = words[0];
    let first = chosen[0] as usize & 1;
    list[first] = words[1];
    first + (chosen[1] as usize & 1)
}
