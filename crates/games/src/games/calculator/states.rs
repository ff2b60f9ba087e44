//! Search states packed into words, and sets of them.

use super::button::VALUE_MAX;
use super::level::State;

/// A position as the search tells positions apart.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Node {
    /// The position.
    pub state: State,
    /// A number was stored and has not been pressed since. Such a position counts as a solution
    /// only after that press: otherwise the store was for nothing.
    pub pending: bool,
    /// The last press was Inv10, so that another one would only undo it.
    pub inverted: bool,
}

const VALUE_BITS: u32 = 21;
const STORED_BITS: u32 = 20;
const ADDED_BITS: u32 = 20;

impl Node {
    /// The node as a word: value, stored number plus one, added, and the two flags.
    #[inline]
    pub fn pack(self) -> u64 {
        let stored = self.state.stored.map_or(0, |stored| u64::from(stored) + 1);
        let value = (self.state.value + VALUE_MAX) as u64;
        debug_assert!(
            u64::from(self.state.added) < 1 << ADDED_BITS,
            "levels bound what [+] buttons add"
        );
        let word = (value << STORED_BITS | stored) << ADDED_BITS | u64::from(self.state.added);
        word << 2 | u64::from(self.pending) << 1 | u64::from(self.inverted)
    }

    /// The node of a word.
    #[inline]
    pub fn unpack(word: u64) -> Self {
        let field = |shift: u32, bits: u32| (word >> shift) & ((1 << bits) - 1);
        Self {
            state: State {
                value: field(2 + ADDED_BITS + STORED_BITS, VALUE_BITS) as i32 - VALUE_MAX,
                stored: (field(2 + ADDED_BITS, STORED_BITS) as u32).checked_sub(1),
                added: field(2, ADDED_BITS) as u32,
            },
            pending: word & 2 != 0,
            inverted: word & 1 != 0,
        }
    }
}

/// A set of packed nodes, numbered from 0 in the order in which they came.
#[derive(Debug, Default)]
pub struct StateSet {
    words: Vec<u64>,
    /// Open addressing with linear probing: number plus one, 0 where free; a power of two long, at
    /// most half full.
    slots: Vec<u32>,
}

impl StateSet {
    /// How many there are.
    pub fn len(&self) -> usize {
        self.words.len()
    }

    /// The node with this number.
    pub fn node(&self, number: usize) -> Node {
        Node::unpack(self.words[number])
    }

    /// The number of a node.
    pub fn find(&self, node: Node) -> Option<usize> {
        if self.slots.is_empty() {
            return None;
        }
        self.probe(node.pack()).ok()
    }

    /// Adds a node; false when it was there before.
    ///
    /// # Panics
    /// Beyond 2³² − 2 nodes.
    pub fn insert(&mut self, node: Node) -> bool {
        if self.words.len() * 2 >= self.slots.len() {
            self.grow();
        }
        let word = node.pack();
        let Err(slot) = self.probe(word) else {
            return false;
        };
        self.words.push(word);
        self.slots[slot] = u32::try_from(self.words.len()).expect("fewer than 2³² states");
        true
    }

    /// The number of a word, or the free slot where it belongs. There must be slots.
    #[inline]
    fn probe(&self, word: u64) -> Result<usize, usize> {
        let mut slot = self.slot(word);
        while let Some(number) = (self.slots[slot] as usize).checked_sub(1) {
            if self.words[number] == word {
                return Ok(number);
            }
            slot = (slot + 1) & (self.slots.len() - 1);
        }
        Err(slot)
    }

    /// Where the search for a word begins: the high bits of its product with the odd constant of
    /// the golden ratio.
    fn slot(&self, word: u64) -> usize {
        let bits = self.slots.len().ilog2();
        (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - bits)) as usize
    }

    fn grow(&mut self) {
        let size = (self.slots.len() * 2).max(64);
        self.slots.clear();
        self.slots.resize(size, 0);
        for (number, &word) in self.words.iter().enumerate() {
            let mut slot = self.slot(word);
            while self.slots[slot] != 0 {
                slot = (slot + 1) & (size - 1);
            }
            self.slots[slot] = number as u32 + 1;
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nodes_round_trip_and_are_told_apart() {
        let mut set = StateSet::default();
        let mut count = 0;
        for value in [-VALUE_MAX, -1, 0, 1, VALUE_MAX] {
            for stored in [None, Some(0), Some(1), Some(VALUE_MAX as u32)] {
                for added in [0, 1, (1 << ADDED_BITS) - 1] {
                    for flags in 0..4 {
                        let state = State {
                            value,
                            stored,
                            added,
                        };
                        let node = Node {
                            state,
                            pending: flags & 2 != 0,
                            inverted: flags & 1 != 0,
                        };
                        assert_eq!(Node::unpack(node.pack()), node);
                        assert_eq!(set.find(node), None);
                        assert!(set.insert(node) && !set.insert(node));
                        assert_eq!(set.find(node), Some(count));
                        count += 1;
                    }
                }
            }
        }
        assert_eq!(set.len(), count);
    }
}
