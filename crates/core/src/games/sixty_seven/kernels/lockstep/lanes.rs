//! Value lanes: one trajectory of kinds carries [`LANES`] sets of digits.
//!
//! [`crate::games::sixty_seven::lanes`] explains value lanes and which word decides their digits.
//!
//! ```text
//! draw, place, move, queue     as for ordinary games: they know kinds and value indices only
//! digits   per number tile:    the next 16 digits of the trajectory go to the tile's address
//! refill   per trajectory:     while few digits are left, turn 64 bytes of the digit stream into
//!                              about 80 of them
//! values   per operation:      combine 16 values with 16 values, in 32 bits each or as residues;
//!                              note the lanes that show the target
//! ended    per trajectory:     blocked, out of rounds, or all lanes won: report all lanes at once
//! ```
//!
//! # Departures from the obvious
//! `docs/kernels.md` has the timings.
//!
//! 1. The batch of ordinary games plays the trajectory; only the code that uses values differs.
//! 2. Only numbers get digits. Whether a tile is a number is unpredictable, so the numbers of a
//!    vector are first compressed to a list without a branch.
//! 3. The digit stream counts (SplitMix64): a trajectory keeps one word of state for 16 lanes
//!    rather than 8 generators. Half bytes that represent digits are compressed in registers;
//!    drawing with two multiplications per word and pair of lanes took twice as long. With BMI2,
//!    eight half bytes are compressed by one extraction of bits: 17 %.
//! 4. Numbers that fit 32 bits by their bound are stored and combined in 32 bits, the others as
//!    residues ([`numbers`]): 11 %, on 8×8 19 %. On 16×16, where most numbers are large, it costs 5
//!    %.
//! 5. Operations with large results are split by operator, without a branch, into sums and
//!    products: a product of residues costs five times as much as a sum.
//! 6. The loops over numbers and operations avoid three costs that the compiler does not remove:
//!    bounds checks (by slices of known length), counters in memory, and a scan of all slots for
//!    trajectories with few digits (by sets of bits). 9 % together.

mod digits;
mod numbers;

use super::super::ended::{End, EndedLanes};
use super::super::lane_isa::{DigitKey, LaneIsa};
use super::super::layout::Layout;
use super::super::planar::PlanarBoard;
use super::super::plane::Plane;
use super::super::portable::set_bits;
use super::super::spec::{GameRange, Spec};
use super::super::turn::OPERATOR_BIT;
use super::{Batch, Origin, Slot};
use crate::games::kernels::Work;
use crate::games::sixty_seven::lanes::{ALL_LANES, LANES, digit_seed, half_bytes_used};
use digits::{SLOTS_MAX, SlotDigits};
use numbers::LaneNumbers;

/// Which lanes of a trajectory have won, and when.
#[derive(Clone, Copy, Default)]
struct Wins {
    /// Bit l is set when lane l has won.
    lanes: u32,
    /// The round in which each of these won.
    rounds: [u64; LANES],
}

impl Wins {
    /// Notes that these lanes show the target. `number` is that of the slot; `rounds` are those
    /// that the batch has played.
    fn note(&mut self, shown: u32, slot: &mut Slot, number: usize, rounds: u64, ended: &mut u64) {
        for lane in (0..LANES).filter(|lane| (shown & !self.lanes) >> lane & 1 == 1) {
            self.rounds[lane] = rounds - slot.since;
        }
        self.lanes |= shown;
        if self.lanes == ALL_LANES && slot.end.is_none() {
            slot.end = Some(End::Won);
            *ended |= 1 << number;
        }
    }
}

/// Trajectories in lock-step.
struct LaneBatch<'a, I: LaneIsa, const W: usize, const H: usize> {
    batch: Batch<'a, I, W, H>,
    digits: SlotDigits,
    numbers: LaneNumbers<I, W>,
    wins: Vec<Wins>,
    /// The slot numbers of each vector of trajectories.
    slots: Vec<I::Block>,
    /// This round's numbers: slot (8 bits) and address of the value (from bit 8).
    list: Vec<u64>,
    listed: usize,
}

/// The trajectories `games.range`, to be played; each end is reported, in no particular order.
pub(in super::super) struct LanesPlay<'a, I, const W: usize, const H: usize> {
    pub isa: I,
    pub layout: &'a Layout<W>,
    pub spec: &'a Spec,
    pub games: GameRange,
    pub report: &'a mut dyn FnMut(&EndedLanes<'_>),
}

impl<I: LaneIsa, const W: usize, const H: usize> Work for LanesPlay<'_, I, W, H> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            isa,
            layout,
            spec,
            games,
            report,
        } = self;
        let start = PlanarBoard::blank();
        let slots = if W == 1 { SLOTS_MAX } else { 16 };
        let mut lanes = LaneBatch::<I, W, H>::new(Batch::new(
            isa,
            layout,
            spec,
            Origin::Shared(&start),
            games,
            slots,
        ));
        let axes = layout.axes(isa);
        for slot in 0..lanes.wins.len() {
            lanes.fill(slot);
        }
        while lanes.batch.taken > 0 {
            lanes.batch.rounds += 1;
            let groups = lanes.batch.groups.len();
            for group in 0..groups {
                lanes.batch.draw(group);
            }
            for group in 0..groups {
                lanes.batch.place::<false>(group);
            }
            for group in 0..groups {
                lanes.list_numbers(group);
            }
            lanes.give_digits();
            for group in 0..groups {
                lanes.batch.advance(group, &axes);
            }
            lanes.batch.queue_operations(0..groups);
            lanes.evaluate();
            lanes.batch.end_blocked(0..groups);
            lanes.digits.refill_low(isa);
            lanes.batch.call_time(0..groups);
            lanes.finish(report);
        }
    }
}

impl<'a, I: LaneIsa, const W: usize, const H: usize> LaneBatch<'a, I, W, H> {
    fn new(batch: Batch<'a, I, W, H>) -> Self {
        let slots = batch.slots.len();
        let spec = batch.spec;
        let mut slots_of = vec![I::Block::default(); batch.groups.len()];
        (0..slots).for_each(|slot| slots_of[slot / I::WIDTH][slot % I::WIDTH] = slot as u64);
        let count = spec.numbers.len();
        let digits = std::array::from_fn(|half| spec.table[half % count]);
        let key = DigitKey {
            digits,
            used: half_bytes_used(count as u64),
        };
        Self {
            digits: SlotDigits::new(key, slots, spec.tiles),
            numbers: LaneNumbers::new(batch.isa, spec.target, batch.queue.len()),
            wins: vec![Wins::default(); slots],
            slots: slots_of,
            // A whole vector is written each time.
            list: vec![0; slots * spec.tiles + I::WIDTH],
            listed: 0,
            batch,
        }
    }

    /// Fills a slot with the next trajectory.
    #[inline(always)]
    fn fill(&mut self, slot: usize) {
        self.batch.fill(slot);
        self.wins[slot].lanes = 0;
        let trajectory = self.batch.slots[slot].game.unwrap_or_default();
        self.digits.begin(
            self.batch.isa,
            slot,
            digit_seed(self.batch.games.seeds, trajectory),
        );
    }

    /// Adds this round's numbers of a vector of trajectories to the list.
    #[inline(always)]
    fn list_numbers(&mut self, group: usize) {
        let isa = self.batch.isa;
        let slots = isa.load(&self.slots[group]);
        let mut listed = self.listed;
        for spawn in &self.batch.spawns[self.batch.spec.tiles_of(group)] {
            let cell = Plane::load(isa, &spawn.cell).any();
            // A tile that found no cell is not there.
            let number =
                isa.is_nonzero(isa.and_not(isa.splat(1 << OPERATOR_BIT), isa.load(&spawn.code)));
            let number = isa.both(isa.is_nonzero(cell), number);
            let entry = isa.or(
                isa.and(isa.load(&spawn.draw), isa.splat(0xFFFF_FF00)),
                slots,
            );
            listed += isa.append(&mut self.list[listed..], entry, number);
        }
        self.listed = listed;
    }

    /// Gives the listed numbers their digits.
    #[inline(always)]
    fn give_digits(&mut self) {
        self.digits
            .hand_out(&self.list[..self.listed], self.numbers.taker());
        self.listed = 0;
    }

    /// Combines the values of all queued operations.
    #[inline(always)]
    fn evaluate(&mut self) {
        let Batch {
            queue,
            queued,
            slots,
            ended,
            rounds,
            ..
        } = &mut self.batch;
        let wins = &mut self.wins;
        self.numbers.combine(&queue[..*queued], |slot, shown| {
            wins[slot].note(shown, &mut slots[slot], slot, *rounds, ended);
        });
        *queued = 0;
    }

    /// Reports the ended trajectories and fills their slots.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&EndedLanes<'_>)) {
        for number in set_bits(std::mem::take(&mut self.batch.ended)) {
            let slot = self.batch.slots[number];
            if let (Some(trajectory), Some(end)) = (slot.game, slot.end) {
                let Wins {
                    lanes: won,
                    rounds: rounds_won,
                } = &self.wins[number];
                let rounds = self.batch.rounds - slot.since;
                report(&EndedLanes {
                    trajectory,
                    end,
                    rounds,
                    won: *won,
                    rounds_won,
                });
                self.batch.taken -= 1;
                self.fill(number);
            }
        }
    }
}
