//! The digits drawn for the trajectories' next numbers.

use crate::games::sixty_seven::kernels::lane_isa::{BLOCK_DIGITS, DigitKey, LaneIsa};
use crate::games::sixty_seven::kernels::portable::set_bits;
use crate::games::sixty_seven::lanes::{BLOCK_WORDS, LANES};
use crate::rng::GOLDEN;

/// The most slots of a batch.
pub(super) const SLOTS_MAX: usize = 32;
/// Unused digits move to the front by vectors of `MOVED` digits.
const MOVED: usize = 64;

/// The digits of all slots that are drawn and not yet used.
pub(super) struct SlotDigits {
    key: DigitKey,
    /// Digits that a round may use.
    needed: u32,
    /// Bytes kept for the digits of one slot.
    size: usize,
    /// By slot: the state of the digit stream.
    states: Box<[u64; SLOTS_MAX]>,
    /// By slot: where its unused digits begin and end. Slots beyond the batch's never run low.
    begins: Box<[u32; SLOTS_MAX]>,
    ends: Box<[u32; SLOTS_MAX]>,
    digits: Vec<u8>,
}

impl SlotDigits {
    /// Digits for `slots` slots, each of which gets at most `tiles` numbers a round.
    pub(super) fn new(key: DigitKey, slots: usize, tiles: usize) -> Self {
        let needed = tiles * LANES;
        // Less than a round's digits are left, a block is added, and a move may copy garbage behind
        // the last.
        let size = needed + BLOCK_DIGITS + needed.next_multiple_of(MOVED);
        Self {
            key,
            needed: needed as u32,
            size,
            states: Box::new([0; SLOTS_MAX]),
            begins: Box::new([0; SLOTS_MAX]),
            ends: Box::new([u32::MAX; SLOTS_MAX]),
            digits: vec![0; slots * size],
        }
    }

    /// Begins a slot's digit stream with this seed.
    #[inline(always)]
    pub(super) fn begin<I: LaneIsa>(&mut self, isa: I, slot: usize, seed: u64) {
        let front = (slot * self.size) as u32;
        self.states[slot] = seed;
        self.begins[slot] = front;
        self.ends[slot] = front;
        self.refill(isa, slot);
    }

    /// Draws digits for a slot until a round has enough.
    #[inline(always)]
    fn refill<I: LaneIsa>(&mut self, isa: I, slot: usize) {
        let front = slot * self.size;
        let digits = &mut self.digits[front..][..self.size];
        let begin = &mut self.begins[slot];
        let end = &mut self.ends[slot];
        let state = &mut self.states[slot];
        while *end - *begin < self.needed {
            // The rest, fewer digits than a round's, moves to the front. The last vector may lie
            // behind the digits.
            for to in (0..self.needed as usize).step_by(MOVED) {
                let left: [u8; MOVED] = *digits[*begin as usize - front + to..]
                    .first_chunk()
                    .expect("a vector may be read behind the last digits");
                *digits[to..]
                    .first_chunk_mut()
                    .expect("a round's digits fit") = left;
            }
            let left = (*end - *begin) as usize;
            let block = digits[left..].first_chunk_mut().expect("a block fits");
            let count = left + isa.draw_digits(*state, &self.key, block);
            *state = state.wrapping_add(GOLDEN.wrapping_mul(BLOCK_WORDS as u64));
            *begin = front as u32;
            *end = (front + count) as u32;
        }
    }

    /// Draws digits for the slots that may lack some in the next round.
    #[inline(always)]
    pub(super) fn refill_low<I: LaneIsa>(&mut self, isa: I) {
        let mut low = 0;
        for slot in 0..SLOTS_MAX {
            low |= u32::from(self.ends[slot] - self.begins[slot] < self.needed) << slot;
        }
        for slot in set_bits(low.into()) {
            self.refill(isa, slot);
        }
    }

    /// Gives each of these numbers of a round its digits. An entry has the slot in its lowest byte
    /// and the address above.
    #[inline(always)]
    pub(super) fn hand_out(&mut self, numbers: &[u64], mut give: impl FnMut(usize, &[u8; LANES])) {
        let digits = self.digits.as_slice();
        for &entry in numbers {
            let begin = &mut self.begins[entry as usize & (SLOTS_MAX - 1)];
            give(
                (entry >> 8) as usize,
                digits[*begin as usize..]
                    .first_chunk()
                    .expect("the store was refilled"),
            );
            *begin += LANES as u32;
        }
    }
}
