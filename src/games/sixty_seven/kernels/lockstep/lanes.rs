//! Value lanes: one trajectory of kinds carries [`LANES`] sets of digits.
//!
//! What a lane is, and which word decides its digits, stands in [`crate::games::sixty_seven::lanes`].
//!
//! ```text
//! draw, place, move, queue     as for ordinary games: they know kinds and slots only
//! digits   per number tile:    the next 16 digits of the trajectory go to the tile's slot
//! refill   per trajectory:     while few digits are left, 64 bytes of the digit stream become about 80 of them
//! values   per triple:         combine 16 values with 16 values, in 32 bits each or as residues, note the lanes that show the target
//! ended    per trajectory:     blocked, out of rounds, or all lanes won: report all lanes at once
//! ```
//!
//! # Departures from the obvious
//! On 6×7 `gapless` a trajectory's turn takes 21.2 ns where an ordinary game's takes 14.7 (`avx512`, shared 2-core Xeon, Sapphire Rapids). A
//! prototype whose lanes have 32 bits, and wrap, takes 20.5 in the same minutes.
//!
//! 1. The table of ordinary games plays the trajectory; only what touches values is different.
//! 2. Digits go to numbers only: the deals of a vector are compressed to a list of numbers first, since an operator or a number
//!    is as unpredictable as can be.
//! 3. The digit stream is counted (SplitMix64), so that a trajectory keeps one word of state for 16 lanes rather than 8 generators. Half
//!    bytes that stand for digits are compressed in registers; two multiplications a word and lane pair took twice as long. Drawing two
//!    blocks at a time is worth 1 % at most, and not done. With BMI2 eight half bytes are compressed by one extraction of bits: 17 %.
//! 4. Numbers that cannot have outgrown 32 bits are kept and combined in 32 bits, the others as residues ([`numbers`]): 11 %; 19 % on 8×8. On
//!    16×16, where most numbers are large, it costs 5 %.
//! 5. Large triples are parted by operator, without a branch, into sums and products: a product of residues costs five times a sum.
//! 6. The loops over numbers and triples have been freed of what the compiler does not remove by itself: checks of places (slices of known
//!    length), counters in memory, a scan of all seats for few digits (sets of bits now): 9 % together.

pub(in super::super) mod isa;

mod digits;
mod numbers;

use super::super::layout::Layout;
use super::super::spec::Spec;
use super::super::start::Start;
use super::super::turn::OPERATOR_BIT;
use super::super::{End, EndedLanes, Playing};
use super::{Seat, Table};
use crate::games::sixty_seven::lanes::{ALL_LANES, LANES, digit_seed, half_bytes_used};
use digits::{Digits, SEATS_MAX};
use isa::{DigitKey, LaneIsa};
use numbers::Numbers;

/// The lanes of a trajectory's seat that have won.
#[derive(Clone, Copy, Default)]
struct Wins {
    /// Which have.
    lanes: u32,
    /// The round in which each did.
    rounds: [u64; LANES],
}

impl Wins {
    /// Notes that these lanes show the target; `number` is that of the seat, and `rounds` what the table has played.
    fn note(&mut self, shown: u32, seat: &mut Seat, number: usize, rounds: u64, ended: &mut u64) {
        for lane in (0..LANES).filter(|lane| (shown & !self.lanes) >> lane & 1 == 1) {
            self.rounds[lane] = rounds - seat.since;
        }
        self.lanes |= shown;
        if self.lanes == ALL_LANES && seat.end.is_none() {
            seat.end = Some(End::Won);
            *ended |= 1 << number;
        }
    }
}

/// Trajectories in lock-step.
struct LaneTable<'a, I: LaneIsa, const W: usize, const R: usize, const H: usize> {
    table: Table<'a, I, W, R, H>,
    digits: Digits,
    numbers: Numbers<I, W>,
    wins: Vec<Wins>,
    /// The seats of each vector of trajectories.
    seats: Vec<I::Block>,
    /// This round's numbers: seat (8 bits) and where the value goes.
    list: Vec<u64>,
    listed: usize,
}

/// Plays the trajectories `playing.games` and reports each end, in no particular order.
#[inline(always)]
pub(in super::super) fn run<I: LaneIsa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    playing: Playing,
    report: &mut dyn FnMut(&EndedLanes<'_>),
) {
    let start = Start::blank();
    let seats = if W == 1 { SEATS_MAX } else { 16 };
    let mut lanes = LaneTable::<I, W, R, H>::new(Table::new(isa, layout, spec, &start, playing, seats));
    let axes = layout.axes::<I, R>(isa);
    for seat in 0..lanes.wins.len() {
        lanes.fill(seat);
    }
    while lanes.table.taken > 0 {
        lanes.table.rounds += 1;
        let groups = lanes.table.groups.len();
        for group in 0..groups {
            lanes.table.draw(group);
        }
        for group in 0..groups {
            lanes.table.place::<false>(group);
        }
        for group in 0..groups {
            lanes.list_numbers(group);
        }
        lanes.deal_digits();
        for group in 0..groups {
            lanes.table.advance(group, &axes);
        }
        lanes.table.queue_triples(0..groups);
        lanes.evaluate();
        lanes.table.end_blocked(0..groups);
        lanes.digits.refill_low(isa);
        lanes.table.call_time(0..groups);
        lanes.finish(report);
    }
}

impl<'a, I: LaneIsa, const W: usize, const R: usize, const H: usize> LaneTable<'a, I, W, R, H> {
    fn new(table: Table<'a, I, W, R, H>) -> Self {
        let (seats, spec) = (table.seats.len(), table.spec);
        let mut seats_of = vec![I::Block::default(); table.groups.len()];
        (0..seats).for_each(|seat| seats_of[seat / I::LANES][seat % I::LANES] = seat as u64);
        let digits = std::array::from_fn(|half| spec.table[half % spec.digits as usize]);
        let key = DigitKey { digits, used: half_bytes_used(spec.digits) };
        Self {
            digits: Digits::new(key, seats, spec.tiles),
            numbers: Numbers::new(table.isa, spec.target, table.queue.len()),
            wins: vec![Wins::default(); seats],
            seats: seats_of,
            // A whole vector is written each time.
            list: vec![0; seats * spec.tiles + I::LANES],
            listed: 0,
            table,
        }
    }

    /// Seats the next trajectory.
    #[inline(always)]
    fn fill(&mut self, seat: usize) {
        self.table.fill(seat);
        self.wins[seat].lanes = 0;
        let trajectory = self.table.seats[seat].game.unwrap_or_default();
        self.digits.begin(self.table.isa, seat, digit_seed(self.table.playing.seeds, trajectory));
    }

    /// Adds this round's numbers of a vector of trajectories to the list.
    #[inline(always)]
    fn list_numbers(&mut self, group: usize) {
        let (isa, tiles) = (self.table.isa, self.table.spec.tiles);
        let seats = isa.load(&self.seats[group]);
        let mut listed = self.listed;
        for deal in &self.table.deals[group * tiles..][..tiles] {
            let mut cell = isa.load(&deal.cell[0]);
            for w in 1..W {
                cell = isa.or(cell, isa.load(&deal.cell[w]));
            }
            // Only tiles that found a cell are there.
            let number = isa.is_nonzero(isa.and_not(isa.splat(1 << OPERATOR_BIT), isa.load(&deal.code)));
            let number = isa.both(isa.is_nonzero(cell), number);
            let entry = isa.or(isa.and(isa.load(&deal.choice), isa.splat(0xFFFF_FF00)), seats);
            listed += isa.append(&mut self.list[listed..], entry, number);
        }
        self.listed = listed;
    }

    /// Gives the listed numbers their digits.
    #[inline(always)]
    fn deal_digits(&mut self) {
        self.digits.deal(&self.list[..self.listed], self.numbers.taker());
        self.listed = 0;
    }

    /// Combines the values of all queued triples.
    #[inline(always)]
    fn evaluate(&mut self) {
        let Table { queue, queued, seats, ended, rounds, .. } = &mut self.table;
        let wins = &mut self.wins;
        self.numbers.combine(&queue[..*queued], |seat, shown| {
            wins[seat].note(shown, &mut seats[seat], seat, *rounds, ended);
        });
        *queued = 0;
    }

    /// Reports the ended trajectories and seats new ones.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&EndedLanes<'_>)) {
        while let Some(number) = self.table.next_ended() {
            let seat = self.table.seats[number];
            if let (Some(trajectory), Some(end)) = (seat.game, seat.end) {
                let Wins { lanes: won, rounds: rounds_won } = &self.wins[number];
                let rounds = self.table.rounds - seat.since;
                report(&EndedLanes { trajectory, end, rounds, won: *won, rounds_won });
                self.table.taken -= 1;
                self.fill(number);
            }
        }
    }
}
