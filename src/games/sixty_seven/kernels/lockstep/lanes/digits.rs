//! The digits that wait for the trajectories' next numbers.

use super::isa::{BLOCK_DIGITS, DigitKey, LaneIsa};
use crate::games::sixty_seven::lanes::{BLOCK_WORDS, LANES};
use crate::rng::GOLDEN;

/// The most seats of a table.
pub(super) const SEATS_MAX: usize = 32;
/// Unused digits move to the front by so many, a vector.
const MOVED: usize = 64;

/// The digits of all seats that are drawn and not yet used.
pub(super) struct Digits {
    key: DigitKey,
    /// Digits that a round may use.
    needed: u32,
    /// Room for the digits of one seat.
    size: usize,
    /// By seat: the state of the digit stream.
    states: Box<[u64; SEATS_MAX]>,
    /// By seat: where its unused digits begin and end. Seats that the table does not have never lack any.
    begins: Box<[u32; SEATS_MAX]>,
    ends: Box<[u32; SEATS_MAX]>,
    digits: Vec<u8>,
}

impl Digits {
    /// Digits for so many seats, each of which gets at most `tiles` numbers a round.
    pub(super) fn new(key: DigitKey, seats: usize, tiles: usize) -> Self {
        let needed = tiles * LANES;
        // Too few for a round, a block, and what is moved with the last ones.
        let size = needed + BLOCK_DIGITS + needed.next_multiple_of(MOVED);
        Self {
            key,
            needed: needed as u32,
            size,
            states: Box::new([0; SEATS_MAX]),
            begins: Box::new([0; SEATS_MAX]),
            ends: Box::new([u32::MAX; SEATS_MAX]),
            digits: vec![0; seats * size],
        }
    }

    /// Begins the digit stream with this seed at a seat.
    #[inline(always)]
    pub(super) fn begin<I: LaneIsa>(&mut self, isa: I, seat: usize, seed: u64) {
        let front = (seat * self.size) as u32;
        self.states[seat] = seed;
        (self.begins[seat], self.ends[seat]) = (front, front);
        self.refill(isa, seat);
    }

    /// Draws digits for a seat until a round has enough.
    #[inline(always)]
    fn refill<I: LaneIsa>(&mut self, isa: I, seat: usize) {
        let front = seat * self.size;
        let digits = &mut self.digits[front..][..self.size];
        let (begin, end, state) = (&mut self.begins[seat], &mut self.ends[seat], &mut self.states[seat]);
        while *end - *begin < self.needed {
            // What is left, fewer digits than a round's, goes to the front, by vectors of which the last may have no digits.
            for to in (0..self.needed as usize).step_by(MOVED) {
                let left: [u8; MOVED] = *digits[*begin as usize - front + to..]
                    .first_chunk()
                    .expect("a vector may be read behind the last digits");
                *digits[to..].first_chunk_mut().expect("the store has room for a round") = left;
            }
            let left = (*end - *begin) as usize;
            let block = digits[left..].first_chunk_mut().expect("there is room for a block");
            let count = left + isa.draw_digits(*state, &self.key, block);
            *state = state.wrapping_add(GOLDEN.wrapping_mul(BLOCK_WORDS as u64));
            (*begin, *end) = (front as u32, (front + count) as u32);
        }
    }

    /// Draws digits for the seats that may lack some in the next round.
    #[inline(always)]
    pub(super) fn refill_low<I: LaneIsa>(&mut self, isa: I) {
        let mut low = 0;
        for seat in 0..SEATS_MAX {
            low |= u32::from(self.ends[seat] - self.begins[seat] < self.needed) << seat;
        }
        while low != 0 {
            self.refill(isa, low.trailing_zeros() as usize);
            low &= low - 1;
        }
    }

    /// Gives each of these numbers of a round its digits. An entry has the seat in its lowest byte and the place above.
    #[inline(always)]
    pub(super) fn deal(&mut self, numbers: &[u64], mut give: impl FnMut(usize, &[u8; LANES])) {
        let digits = self.digits.as_slice();
        for &entry in numbers {
            let begin = &mut self.begins[entry as usize & (SEATS_MAX - 1)];
            give((entry >> 8) as usize, digits[*begin as usize..].first_chunk().expect("the store was refilled"));
            *begin += LANES as u32;
        }
    }
}
