//! Many games at once, all in the same phase of their turn.
//!
//! ```text
//! fill every seat with a game
//! while a seat is taken, for either half of the table in turn:
//!     move     per vector: put the tiles, find the legal directions, pick one            (player stream), collapse;
//!              between these operations
//!     place    per game of the other half: a rank becomes a bit; a digit's value goes into its slot
//!     queue    per vector: an entry for the first triple of each game, then for the second, …
//!     draw     per vector: each tile's rank among the blanks, kind, slot                 (world stream);
//!              between the tiles
//!     values   per triple: combine the two values, note wins and numbers beyond the limit
//!     ended    per ended game: report it, seat the next one and draw its tiles
//! ```
//!
//! # Departures from the obvious
//! Worth measured on 6×7 `gapless`, 2 tiles a turn, `avx512`, one thread of a shared 2-core Xeon (Sapphire Rapids), by leaving the departure
//! out and running both builds in the same minute, medians of 80 runs of 2,000 games; the spread of such medians is about 1 %. Numbers 5
//! (its second half), 6 and 11: the fastest of 5 runs of 200,000 games, 8,000 on larger boards.
//!
//! 1. Passes over all vectors rather than game by game: no branch depends on one game's fate, and words that one pass stores one by one
//!    have reached the cache when the next pass loads them as vectors: 14–17 %, against taking one vector through all passes.
//! 2. Handles move as planes of bits like everything else, so that a turn has no byte shuffles and no frame of its own for each
//!    direction: a direction is a rotation count and a few masks per lane ([`super::layout`]). With AVX-512 this takes as long as moving bytes
//!    by compressing and expanding (a prototype that does so takes 1.00 to 1.03 times as long); the worth is one program for all machines.
//! 3. Handles on blank cells are garbage. A plane then moves by one rotation and one choice of bits, where it took a third operation to
//!    keep blank cells clean; new tiles clear their cells first: 3–5 %.
//! 4. The handles of a triple are looked up by bit number ([`Isa::take_triple`]), one instruction for each plane, rather than tested plane
//!    by plane on each of its cells: 11–14 % of the time, 15–20 % at 4 tiles a turn.
//! 5. Triples are queued in a pass of their own, so that the branch that ends a vector's triples, which nobody can predict, is not found wrong
//!    at the end of a chain of 200 cycles: 6 %. With eight games a vector four vectors share that branch, at the price of more empty rounds, and
//!    the table has 64 seats for that: 3–5 % more.
//! 6. The table has two halves. Placing one, which is scalar, is spread between the operations of moving the other, which are not, so that a
//!    core, which sees 500 operations at a time, has both before it: 2 %, on 9×9 and 10×10 9 %, with `bmi2` 3–4 %, without either 5 %. Values
//!    are spread over drawing in the same way: 1 %, 3–4 % where runs merge.
//! 7. That a line has two triples is rare; what closes the second gap stands behind a branch ([`super::turn`]): 1 %.
//! 8. Multiplication by halves of words that are never put together in between, and by an instruction the compiler cannot widen
//!    to the slow multiplication of whole words: 1–4 %.
//! 9. Streams are seeded in registers rather than through bytes: nothing on 6×7, 8–11 % on 5×5, where games are short.
//! 10. A full table of seats keeps playing while the last games of a batch run out; empty seats hold a board on which nothing moves. Not
//!     for time: it spares a second loop for tables that are not full.
//! 11. The handles of triples are stored in the form in which they are looked up ([`Isa::in_store`]), rather than brought into it for each triple;
//!     sum and product share one reduction: together 3 %.
//!
//! Tried and of no worth: taking as many triples as there are tiles a turn before looking whether any are left (1 %, and dear where tiles are many);
//! drawing between the operations of a move (3–5 % slower: both want the registers); a ring of four stages, in which all that is done for three
//! vectors stands between the operations of the fourth (2–6 % slower: branches that cannot be predicted then throw away a move's beginning);
//! holding the compiler to the order of moves and places (2 % faster on 10×10, 1 % slower on 6×7); 64 seats for two words. Two vectors side by
//! side in one operation were not inlined by the compiler, so their worth is not known.

mod deal;
pub(super) mod group;
pub(super) mod lanes;

use super::isa::Isa;
use super::layout::{Layout, Way};
use super::portable::Portable;
use super::residue::{combine, exceeds};
use super::spec::Spec;
use super::start::Start;
use super::streams::state;
use super::triple::{FIRST_AT, OPERATOR_AT, RESULT_AT, SEAT_AT, SECOND_AT, base};
use super::{End, Ended, Playing};
use deal::{Deal, Placing, Source, draw, place_lane};
use group::{Group, advance, queue_triples};
use std::cell::Cell;
use std::ops::Range;

/// Games in lock-step: as many as have their data in the cache nearest to the core, and at most a word's bits. Half as many where there are
/// few games in all, such as a player's playouts, since the last ones play beside empty seats.
const fn seats<I: Isa>(words: usize, games: u64) -> usize {
    let lanes = if I::LANES < 4 { 4 } else { I::LANES };
    let seats = match words {
        1 => 8 * lanes,
        2 => 4 * lanes,
        _ => 16,
    };
    if seats > 16 && games < 16 * seats as u64 { seats / 2 } else { seats }
}

/// Who sits at a place.
#[derive(Clone, Copy)]
struct Seat {
    /// The game's index; `None` when nobody is left to sit here.
    game: Option<u64>,
    /// Rounds that the table had played when the game began.
    since: u64,
    end: Option<End>,
}

/// All games in lock-step.
struct Table<'a, I: Isa, const W: usize, const R: usize, const H: usize> {
    isa: I,
    layout: &'a Layout<W>,
    spec: &'a Spec,
    start: &'a Start<W, H>,
    playing: Playing,
    waiting: Range<u64>,
    groups: Vec<Group<I, W, H>>,
    deals: Vec<Deal<I, W>>,
    seats: Vec<Seat>,
    /// Values by seat and slot; the slot after the last takes what has no place.
    values: Vec<u64>,
    /// This round's triples, as entries.
    queue: Vec<u64>,
    queued: usize,
    /// Seats whose games have ended, a bit each.
    ended: u64,
    rounds: u64,
    taken: usize,
}

/// Places for the values of all seats, a power of two, so that masking a place keeps it in range.
const PLACES: usize = 8192;

/// The place that a word names from this bit on.
#[inline(always)]
const fn place(word: u64, at: u32) -> usize {
    (word >> at) as usize & (PLACES - 1)
}

thread_local! {
    /// What the thread's last table kept its values in. To clear as much for each of a player's short batches takes up to a tenth of their
    /// time; a place is written before it is read.
    static VALUES: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// Values kept for each seat.
const fn slots(words: usize) -> usize {
    64 * words + 8
}

/// Plays the games `playing.games` from `start` and reports each end, in no particular order.
#[inline(always)]
pub(super) fn run<I: Isa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    start: &Start<W, H>,
    playing: Playing,
    report: &mut dyn FnMut(&Ended<'_>),
) {
    let seats = seats::<I>(W, playing.count());
    let mut table = Table::<I, W, R, H>::new(isa, layout, spec, start, playing, seats);
    let axes = layout.axes::<I, R>(isa);
    for seat in 0..table.seats.len() {
        table.fill(seat);
    }
    let groups = table.groups.len();
    let halves = [0..groups.div_ceil(2), groups.div_ceil(2)..groups];
    for group in 0..groups {
        table.draw(group);
    }
    for group in halves[0].clone() {
        table.place::<true>(group);
    }
    while table.taken > 0 {
        table.rounds += 1;
        for half in 0..2 {
            let (moving, placed) = (halves[half].clone(), halves[1 - half].clone());
            for (at, group) in moving.clone().enumerate() {
                table.advance_and_place(group, placed.clone().nth(at), &axes);
            }
            if placed.len() > moving.len() {
                table.place::<true>(placed.end - 1);
            }
            table.queue_triples(moving.clone());
            table.evaluate_and_draw(moving.clone());
            table.end_blocked(moving.clone());
            table.call_time(moving);
            table.finish(report);
        }
    }
    VALUES.set(table.values);
}

impl<'a, I: Isa, const W: usize, const R: usize, const H: usize> Table<'a, I, W, R, H> {
    /// A table without players, with at most `most` seats.
    fn new(
        isa: I,
        layout: &'a Layout<W>,
        spec: &'a Spec,
        start: &'a Start<W, H>,
        playing: Playing,
        most: usize,
    ) -> Self {
        assert!(most * slots(W) <= PLACES && most <= 1 << (u64::BITS - SEAT_AT));
        let groups = playing.count().div_ceil(I::LANES as u64).min((most / I::LANES) as u64) as usize;
        let (block, seats) = (I::Block::default(), groups * I::LANES);
        let group = Group::<I, W, H> {
            occupied: [block; W],
            operators: [block; W],
            handles: [[block; W]; H],
            free: [block; W],
            world: [block; 4],
            player: [block; 4],
            blanks: [block; W],
            base: block,
            starts: [block; W],
            packed: [[block; W]; H],
            directions: block,
            blocked: 0,
        };
        let mut groups = vec![group; groups];
        for seat in 0..seats {
            let place = (seat * slots(W)) as u64;
            groups[seat / I::LANES].base[seat % I::LANES] = base(place, seat as u64);
        }
        Self {
            isa,
            layout,
            spec,
            start,
            waiting: playing.games.clone(),
            playing,
            deals: vec![Deal { choice: block, code: block, cell: [block; W] }; groups.len() * spec.tiles],
            groups,
            seats: vec![Seat { game: None, since: 0, end: None }; seats],
            values: {
                let mut values = VALUES.take();
                values.resize(PLACES, 0);
                values
            },
            // At most every third tile starts a triple, and a whole vector is written each time.
            queue: vec![0; seats * (64 * W).div_ceil(3) + I::LANES],
            queued: 0,
            ended: 0,
            rounds: 0,
            taken: 0,
        }
    }

    /// Seats the next game, or nobody: a board full of numbers, on which nothing moves.
    #[inline(always)]
    fn fill(&mut self, seat: usize) {
        let (group, lane) = (&mut self.groups[seat / I::LANES], seat % I::LANES);
        let game = self.waiting.next();
        self.seats[seat] = Seat { game, since: self.rounds, end: None };
        let Some(game) = game else {
            for w in 0..W {
                group.occupied[w][lane] = self.layout.board[w];
                group.operators[w][lane] = 0;
            }
            return;
        };
        self.taken += 1;
        for w in 0..W {
            group.occupied[w][lane] = self.start.occupied[w];
            group.operators[w][lane] = self.start.operators[w];
            group.free[w][lane] = self.start.free[w];
            for b in 0..H {
                group.handles[b][w][lane] = self.start.handles[b][w];
            }
        }
        let values = &self.start.values;
        self.values[seat * slots(W)..][..values.len()].copy_from_slice(values);
        let seeds = &self.playing.seeds;
        let (world, player) = (state(seeds.world, game), state(seeds.player, game));
        for (i, (world, player)) in world.into_iter().zip(player).enumerate() {
            group.world[i][lane] = world;
            group.player[i][lane] = player;
        }
    }

    /// See [`draw`].
    #[inline(always)]
    fn draw(&mut self, group: usize) {
        let tiles = self.spec.tiles;
        let deals = &mut self.deals[group * tiles..][..tiles];
        draw(self.isa, self.layout, self.spec, &mut self.groups[group], deals, || {});
    }

    /// See [`place_lane`].
    #[inline(always)]
    fn place<const VALUES: bool>(&mut self, group: usize) {
        let deals = &mut self.deals[group * self.spec.tiles..][..self.spec.tiles];
        for lane in 0..I::LANES {
            place_lane::<I, W, VALUES>(self.isa, &self.groups[group].blanks, deals, &mut self.values, lane);
        }
    }

    /// See [`advance`].
    #[inline(always)]
    fn advance(&mut self, group: usize, axes: &[Way<I, W>; 2]) {
        let tiles = self.spec.tiles;
        let deals = &self.deals[group * tiles..][..tiles];
        advance::<I, W, R, H>(self.isa, self.layout, self.spec, &mut self.groups[group], deals, axes, &mut ());
    }

    /// Moves a vector of games and meanwhile places the tiles of another one.
    #[inline(always)]
    fn advance_and_place(&mut self, group: usize, other: Option<usize>, axes: &[Way<I, W>; 2]) {
        let tiles = self.spec.tiles;
        let tiles_of = |group: usize| group * tiles..(group + 1) * tiles;
        let apart = "the vectors are two";
        let placed = other.map_or(0..0, tiles_of);
        let [deals, placed] = self.deals.get_disjoint_mut([tiles_of(group), placed]).expect(apart);
        let (isa, layout, spec, values) = (self.isa, self.layout, self.spec, &mut self.values[..]);
        // Without another one nothing is placed, by the same code: a second copy of it costs 16×16 a fifth of its speed.
        let blanks = &other.map_or([I::Block::default(); W], |other| self.groups[other].blanks);
        let mut placing = Placing { isa, values, blanks, deals: placed, lane: 0 };
        advance::<I, W, R, H>(isa, layout, spec, &mut self.groups[group], deals, axes, &mut placing);
    }

    /// Notes the games without a legal direction.
    #[inline(always)]
    fn end_blocked(&mut self, groups: Range<usize>) {
        for number in groups {
            let mut blocked = self.groups[number].blocked;
            while blocked != 0 {
                let seat = number * I::LANES + blocked.trailing_zeros() as usize;
                blocked &= blocked - 1;
                if self.seats[seat].game.is_some() {
                    self.seats[seat].end = Some(End::Blocked);
                    self.ended |= 1 << seat;
                }
            }
        }
    }

    /// Queues the triples of vectors of games, the first of each game, then the second of each, until there are none.
    #[inline(always)]
    fn queue_triples(&mut self, groups: Range<usize>) {
        match (I::LANES, W) {
            (8, 1) => self.queue_chunks::<4>(groups),
            (8, 2) => self.queue_chunks::<2>(groups),
            _ => self.queue_chunks::<1>(groups),
        }
    }

    #[inline(always)]
    fn queue_chunks<const N: usize>(&mut self, groups: Range<usize>) {
        let (chunks, rest) = self.groups[groups].as_chunks_mut::<N>();
        for chunk in chunks {
            self.queued += queue_triples(self.isa, self.layout, chunk, &mut self.queue[self.queued..]);
        }
        for group in rest {
            let one = std::array::from_mut(group);
            self.queued += queue_triples(self.isa, self.layout, one, &mut self.queue[self.queued..]);
        }
    }

    /// Combines the values of all queued triples, and meanwhile draws the next tiles for vectors of games.
    #[inline(always)]
    fn evaluate_and_draw(&mut self, groups: Range<usize>) {
        match self.spec.limit {
            None => self.evaluate_where(|_| false, groups),
            Some(limit) => self.evaluate_where(|value| exceeds(value, limit), groups),
        }
    }

    /// The same, where `exceeds` tells numbers beyond the limit.
    #[inline(always)]
    fn evaluate_where(&mut self, exceeds: impl Fn(u64) -> bool, groups: Range<usize>) {
        let (isa, layout, spec) = (self.isa, self.layout, self.spec);
        let (seats, values, ended) = (&mut self.seats, &mut self.values, &mut self.ended);
        let mut rest = &self.queue[..self.queued];
        let deals = self.deals[groups.start * spec.tiles..].chunks_exact_mut(spec.tiles);
        for (group, deals) in self.groups[groups].iter_mut().zip(deals) {
            draw(isa, layout, spec, group, deals, || {
                if let Some((entries, others)) = rest.split_first_chunk::<3>() {
                    evaluate(entries, values, spec.target, &exceeds, seats, ended);
                    rest = others;
                }
            });
        }
        evaluate(rest, values, spec.target, &exceeds, seats, ended);
        self.queued = 0;
    }

    /// Draws the first tiles of a game that took its seat after those of its vector were drawn.
    #[inline(always)]
    fn draw_seat(&mut self, seat: usize) {
        let (isa, tiles) = (Portable, self.spec.tiles);
        let (number, lane) = (seat / I::LANES, seat % I::LANES);
        let group = &mut self.groups[number];
        let word = |words: &[I::Block; W]| std::array::from_fn(|w| words[w][lane]);
        let mut source = Source::<Portable, W> {
            occupied: word(&group.occupied),
            free: word(&group.free),
            stream: std::array::from_fn(|i| group.world[i][lane]),
            base: group.base[lane],
        };
        let deals = &mut self.deals[number * tiles..][..tiles];
        let blanks = source.draw(isa, self.layout, self.spec, |number, code, choice| {
            deals[number].code[lane] = code;
            deals[number].choice[lane] = choice;
        });
        for w in 0..W {
            group.blanks[w][lane] = blanks[w];
            group.free[w][lane] = source.free[w];
        }
        for i in 0..4 {
            group.world[i][lane] = source.stream[i];
        }
    }

    /// Ends the games that have played their last round.
    #[inline(always)]
    fn call_time(&mut self, groups: Range<usize>) {
        let Some(limit) = self.playing.rounds_max else { return };
        for number in groups.start * I::LANES..groups.end * I::LANES {
            let seat = &mut self.seats[number];
            if seat.game.is_some() && seat.end.is_none() && self.rounds - seat.since >= limit {
                seat.end = Some(End::OutOfRounds);
                self.ended |= 1 << number;
            }
        }
    }

    /// A seat whose game has ended, which is no longer noted then.
    #[inline(always)]
    fn next_ended(&mut self) -> Option<usize> {
        let seat = (self.ended != 0).then(|| self.ended.trailing_zeros() as usize)?;
        self.ended &= self.ended - 1;
        Some(seat)
    }

    /// Reports the ended games and seats new ones.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&Ended<'_>)) {
        while let Some(number) = self.next_ended() {
            let seat = self.seats[number];
            if let (Some(game), Some(end)) = (seat.game, seat.end) {
                let board = || self.board(number);
                report(&Ended { game, end, rounds: self.rounds - seat.since, board: &board });
                self.taken -= 1;
                self.fill(number);
                self.draw_seat(number);
            }
        }
    }

    /// A seat's board.
    fn board(&self, seat: usize) -> super::PackedBoard {
        let (group, lane) = (&self.groups[seat / I::LANES], seat % I::LANES);
        let word = |words: &[I::Block; W]| std::array::from_fn(|w| words[w][lane]);
        let start = Start::<W, H> {
            occupied: word(&group.occupied),
            operators: word(&group.operators),
            handles: std::array::from_fn(|b| word(&group.handles[b])),
            free: word(&group.free),
            values: self.values[seat * slots(W)..][..64 * W].to_vec(),
        };
        start.board(self.layout, self.spec.rows, self.spec.cols)
    }
}

/// Combines the values of queued triples; `exceeds` tells numbers beyond the limit.
#[inline(always)]
fn evaluate(
    entries: &[u64],
    values: &mut [u64],
    target: u64,
    exceeds: impl Fn(u64) -> bool,
    seats: &mut [Seat],
    ended: &mut u64,
) {
    let values = &mut values[..PLACES];
    for &entry in entries {
        let value = |at: u32| values[place(entry, at)];
        let value = combine(value(FIRST_AT), entry >> OPERATOR_AT & 3, value(SECOND_AT));
        values[place(entry, RESULT_AT)] = value;
        let won = value == target;
        if won | exceeds(value) {
            let number = (entry >> SEAT_AT) as usize;
            let seat = &mut seats[number];
            *ended |= 1 << number;
            if seat.end != Some(End::Won) {
                seat.end = Some(if won { End::Won } else { End::Exceeded });
            }
        }
    }
}
