//! Many games at once, all in the same phase of their turn.
//!
//! ```text
//! fill every seat with a game
//! while a seat is taken, for either half of the table in turn:
//!     move     per vector: put the tiles, find the legal directions, pick one            (player stream), collapse
//!     place    per game of the other half: a rank becomes a bit; a digit's value goes into its slot
//!     queue    per vector: an entry for the first triple of each game, then for the second, …
//!     values   per triple: combine the two values, note wins and numbers beyond the limit
//!     ended    per ended game: report it and seat the next one
//!     draw     per vector: each tile's rank among the blanks, kind, slot                 (world stream)
//! ```
//!
//! # Departures from the obvious
//! Worth measured on 6×7 `gapless`, 2 tiles a turn, `avx512`, one thread of a shared 2-core Xeon (Sapphire Rapids), by leaving the departure
//! out and running both builds in the same minute, medians of 80 runs of 2,000 games; the spread of such medians is about 1 %.
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
//!    at the end of a chain of 200 cycles: 6 %.
//! 6. The table has two halves, so that placing, which is scalar, overlaps with moving, which is not: 1–2 %.
//! 7. That a line has two triples is rare; what closes both gaps stands behind a branch ([`super::turn`]): 1 %.
//! 8. Multiplication by halves of words that are never put together in between, and by an instruction the compiler cannot widen
//!    to the slow multiplication of whole words: 1–4 %.
//! 9. Streams are seeded in registers rather than through bytes: nothing on 6×7, 8–11 % on 5×5, where games are short.
//! 10. A full table of seats keeps playing while the last games of a batch run out; empty seats hold a board on which nothing moves. Not
//!     for time: it spares a second loop for tables that are not full.
//!
//! Tried and of no worth: 64 seats instead of 32; taking as many triples as there are tiles a turn before looking whether any are left
//! (1 %, and dear where tiles are many). Two vectors side by side in one operation were not inlined by the compiler, so their worth is not known.

pub(super) mod lanes;

use super::isa::Isa;
use super::layout::{Layout, Plane, Way};
use super::residue::{PRIME, combine, exceeds};
use super::spec::{OPERATORS_AT, Spec};
use super::start::Start;
use super::streams::{next_word, state};
use super::triple::{FIRST_AT, OPERATOR_AT, PLACE, RESULT_AT, SEAT_AT, SECOND_AT, base};
use super::turn::{OPERATOR_BIT, Planes};
use super::{End, Ended, Playing};
use std::ops::Range;

/// Games in lock-step, for boards of one word and of more.
const fn seats(words: usize) -> usize {
    if words == 1 { 32 } else { 16 }
}

/// `ORDER[legal]` holds the legal directions, two bits each, first the first; `legal` has bit d set for direction number d.
static ORDER: [u8; 16] = {
    let mut order = [0; 16];
    let mut legal = 0;
    while legal < 16 {
        let (mut direction, mut place) = (0, 0);
        while direction < 4 {
            if legal >> direction & 1 == 1 {
                order[legal] |= (direction as u8) << (2 * place);
                place += 1;
            }
            direction += 1;
        }
        legal += 1;
    }
    order
};

/// The planes and streams of one vector of games, in memory.
#[derive(Clone, Copy)]
struct Group<I: Isa, const W: usize, const H: usize> {
    occupied: [I::Block; W],
    operators: [I::Block; W],
    handles: [[I::Block; W]; H],
    /// Slots without a number.
    free: [I::Block; W],
    world: [I::Block; 4],
    player: [I::Block; 4],
    /// The blanks before this round's deal.
    blanks: [I::Block; W],
    /// Where each seat's values begin, as [`base`] packs them.
    base: I::Block,
    /// Starts of this round's triples, the handles as they then stood, and the directions.
    starts: [I::Block; W],
    packed: [[I::Block; W]; H],
    directions: I::Block,
    /// Lanes without a legal direction.
    blocked: u32,
}

/// One tile of this round, for one vector of games.
#[derive(Clone, Copy)]
struct Deal<I: Isa, const W: usize> {
    /// Rank among the blanks (8 bits), where its value goes (from bit 8), and the digit (from bit 32).
    choice: I::Block,
    /// The code that goes into the planes.
    code: I::Block,
    /// The cell, as one bit.
    cell: [I::Block; W],
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
    ended: Vec<u32>,
    rounds: u64,
    taken: usize,
}

/// Places for the values of all seats, a power of two, so that masking a place keeps it in range.
const fn places(words: usize) -> usize {
    if words < 4 { 4096 } else { 8192 }
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
    let mut table = Table::<I, W, R, H>::new(isa, layout, spec, start, playing);
    let (left, up) = (layout.way::<I, R>(isa, isa.splat(2)), layout.way::<I, R>(isa, isa.splat(0)));
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
            let (moving, dealing) = (halves[half].clone(), halves[1 - half].clone());
            for at in 0..moving.len() {
                table.advance(moving.start + at, &left, &up);
                if at < dealing.len() {
                    table.place::<true>(dealing.start + at);
                }
            }
            if dealing.len() > moving.len() {
                table.place::<true>(dealing.end - 1);
            }
            for group in moving.clone() {
                table.queue_triples(group);
            }
            table.evaluate();
            table.end_blocked(moving.clone());
            table.call_time(moving.clone());
            table.finish(report);
            for group in moving {
                table.draw(group);
            }
        }
    }
}

impl<'a, I: Isa, const W: usize, const R: usize, const H: usize> Table<'a, I, W, R, H> {
    fn new(isa: I, layout: &'a Layout<W>, spec: &'a Spec, start: &'a Start<W, H>, playing: Playing) -> Self {
        const { assert!(seats(W) * slots(W) <= places(W) && seats(W) <= 1 << (u64::BITS - SEAT_AT)) };
        let games = playing.games.end.saturating_sub(playing.games.start);
        let groups = games.div_ceil(I::LANES as u64).min((seats(W) / I::LANES) as u64) as usize;
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
            values: vec![0; places(W)],
            // At most every third tile starts a triple, and a whole vector is written each time.
            queue: vec![0; seats * (64 * W).div_ceil(3) + I::LANES],
            queued: 0,
            ended: Vec::with_capacity(seats),
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

    /// Draws this round's tiles for a vector of games: one word a tile.
    #[inline(always)]
    fn draw(&mut self, group: usize) {
        let (isa, spec) = (self.isa, self.spec);
        let deals = &mut self.deals[group * spec.tiles..][..spec.tiles];
        let group = &mut self.groups[group];
        let mut blanks = isa.splat(0);
        let mut free = [blanks; W];
        for w in 0..W {
            let blank = isa.and_not(isa.splat(self.layout.board[w]), isa.load(&group.occupied[w]));
            isa.store(&mut group.blanks[w], blank);
            blanks = isa.add(blanks, isa.popcount(blank));
            free[w] = isa.load(&group.free[w]);
        }
        let mut stream = [free[0]; 4];
        for i in 0..4 {
            stream[i] = isa.load(&group.world[i]);
        }
        let base = isa.and(isa.shift_right_by::<FIRST_AT>(isa.load(&group.base)), isa.splat(PLACE));
        // Below 2⁶³, so that the signed comparison serves; a threshold of 0 becomes -1, which everything exceeds.
        let threshold = isa.splat(spec.operator_threshold.wrapping_sub(1));
        let kinds = isa.splat(spec.kinds);
        for deal in deals {
            let (rank, rest) = isa.multiply(isa.factor(next_word(isa, &mut stream)), blanks);
            let (kind, rest) = isa.multiply(rest, kinds);
            let number = isa.greater(isa.shift_right_by::<1>(isa.word(rest)), threshold);
            let operator_index = isa.add(kind, isa.splat(OPERATORS_AT));
            let tile = isa.lookup64(&spec.table, isa.select(number, kind, operator_index));
            let slot = take_slot(isa, &mut free, isa.both(number, isa.is_nonzero(blanks)));
            let code = isa.select(number, slot, isa.or(tile, isa.splat(1 << OPERATOR_BIT)));
            let place = isa.shift_left_by::<8>(isa.add(slot, base));
            isa.store(&mut deal.code, code);
            isa.store(&mut deal.choice, isa.or(isa.or(rank, place), isa.shift_left_by::<32>(tile)));
            blanks = isa.decrement(blanks);
        }
        for i in 0..4 {
            isa.store(&mut group.world[i], stream[i]);
        }
        for w in 0..W {
            isa.store(&mut group.free[w], free[w]);
        }
    }

    /// Finds the cells of new tiles and, where `VALUES`, writes the digits' values.
    #[inline(always)]
    fn place<const VALUES: bool>(&mut self, group: usize) {
        let deals = &mut self.deals[group * self.spec.tiles..][..self.spec.tiles];
        let group = &self.groups[group];
        for lane in 0..I::LANES {
            let mut blanks = [0; W];
            for w in 0..W {
                blanks[w] = group.blanks[w][lane];
            }
            for deal in &mut *deals {
                let choice = deal.choice[lane];
                if VALUES {
                    // An operator writes its number into a slot that stays free.
                    self.values[..places(W)][(choice >> 8) as usize & (places(W) - 1)] = choice >> 32;
                }
                let cell = nth_cell(self.isa, &blanks, choice);
                for w in 0..W {
                    blanks[w] ^= cell[w];
                    deal.cell[w][lane] = cell[w];
                }
            }
        }
    }

    /// Puts the tiles, picks a legal direction and moves, for a vector of games.
    #[inline(always)]
    fn advance(&mut self, number: usize, left: &Way<I, W>, up: &Way<I, W>) {
        let (isa, rule) = (self.isa, self.spec.rule);
        let group = &mut self.groups[number];
        let mut planes = group.planes(isa);
        let deals = &self.deals[number * self.spec.tiles..][..self.spec.tiles];
        planes.clear(isa, load(isa, &group.blanks));
        for deal in deals {
            planes.put(isa, load(isa, &deal.cell), isa.load(&deal.code));
        }
        let legal = legal(isa, &planes, left, up, rule);
        let mut stream = [legal; 4];
        for i in 0..4 {
            stream[i] = isa.load(&group.player[i]);
        }
        let (rank, _) = isa.multiply(isa.factor(next_word(isa, &mut stream)), isa.popcount(legal));
        for i in 0..4 {
            isa.store(&mut group.player[i], stream[i]);
        }
        let directions = isa.shift_right(isa.lookup16(&ORDER, legal), isa.add(rank, rank));
        let directions = isa.and(directions, isa.splat(3));
        let mut board = planes.occupied;
        for w in 0..W {
            board[w] = isa.splat(self.layout.board[w]);
        }
        // Without a legal direction any move leaves the board as it is.
        let way = self.layout.way::<I, R>(isa, directions);
        let (starts, handles) = planes.advance::<R>(isa, &board, &way, rule);
        group.set_planes(isa, &planes);
        let group = &mut self.groups[number];
        store(isa, &mut group.starts, &starts);
        for b in 0..H {
            store(isa, &mut group.packed[b], &handles[b]);
        }
        isa.store(&mut group.directions, directions);
        group.blocked = isa.zero_lanes(legal);
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
                    self.ended.push(seat as u32);
                }
            }
        }
    }

    /// Queues the triples of a vector of games, the first of each game, then the second of each, until there are none.
    #[inline(always)]
    fn queue_triples(&mut self, group: usize) {
        let isa = self.isa;
        let group = &mut self.groups[group];
        let spread = self.layout.spread(isa, isa.load(&group.directions));
        let mut starts = load(isa, &group.starts);
        let mut handles = [starts; H];
        for b in 0..H {
            handles[b] = load(isa, &group.packed[b]);
        }
        let base = isa.load(&group.base);
        let mut free = load(isa, &group.free);
        loop {
            let triple = isa.take_triple(&mut starts, &handles, spread);
            for w in 0..W {
                free[w] = isa.or(free[w], triple.freed[w]);
            }
            let entry = isa.add(triple.entry, base);
            self.queued += isa.append(&mut self.queue[self.queued..], entry, triple.any);
            let mut left = starts[0];
            for w in 1..W {
                left = isa.or(left, starts[w]);
            }
            if isa.all_zero(left) {
                break;
            }
        }
        store(isa, &mut group.free, &free);
    }

    /// Combines the values of all queued triples.
    #[inline(always)]
    fn evaluate(&mut self) {
        let target = self.spec.target;
        // Without a limit nothing exceeds it.
        let limit = self.spec.limit.unwrap_or(PRIME / 2);
        let values = &mut self.values[..places(W)];
        for &entry in &self.queue[..self.queued] {
            let place = |at: u32| (entry >> at) as usize & (places(W) - 1);
            let value = |at: u32| values[place(at)];
            let value = combine(value(FIRST_AT), entry >> OPERATOR_AT & 3, value(SECOND_AT));
            values[place(RESULT_AT)] = value;
            let won = value == target;
            if won | exceeds(value, limit) {
                let number = (entry >> SEAT_AT) as usize;
                let seat = &mut self.seats[number];
                if seat.end.is_none() {
                    self.ended.push(number as u32);
                }
                if seat.end != Some(End::Won) {
                    seat.end = Some(if won { End::Won } else { End::Exceeded });
                }
            }
        }
        self.queued = 0;
    }

    /// Ends the games that have played their last round.
    #[inline(always)]
    fn call_time(&mut self, groups: Range<usize>) {
        let Some(limit) = self.playing.rounds_max else { return };
        for number in groups.start * I::LANES..groups.end * I::LANES {
            let seat = &mut self.seats[number];
            if seat.game.is_some() && seat.end.is_none() && self.rounds - seat.since >= limit {
                seat.end = Some(End::OutOfRounds);
                self.ended.push(number as u32);
            }
        }
    }

    /// Reports the ended games and seats new ones.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&Ended<'_>)) {
        for at in 0..self.ended.len() {
            let number = self.ended[at] as usize;
            let seat = self.seats[number];
            if let (Some(game), Some(end)) = (seat.game, seat.end) {
                let board = || self.board(number);
                report(&Ended { game, end, rounds: self.rounds - seat.since, board: &board });
                self.taken -= 1;
                self.fill(number);
            }
        }
        self.ended.clear();
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

impl<I: Isa, const W: usize, const H: usize> Group<I, W, H> {
    #[inline(always)]
    fn planes(&self, isa: I) -> Planes<I, W, H> {
        let occupied = load(isa, &self.occupied);
        let mut planes = Planes { occupied, operators: load(isa, &self.operators), handles: [occupied; H] };
        for b in 0..H {
            planes.handles[b] = load(isa, &self.handles[b]);
        }
        planes
    }

    #[inline(always)]
    fn set_planes(&mut self, isa: I, planes: &Planes<I, W, H>) {
        store(isa, &mut self.occupied, &planes.occupied);
        store(isa, &mut self.operators, &planes.operators);
        for b in 0..H {
            store(isa, &mut self.handles[b], &planes.handles[b]);
        }
    }
}

/// The legal directions, bit d for direction number d.
#[inline(always)]
pub(super) fn legal<I: Isa, const W: usize, const H: usize>(
    isa: I,
    planes: &Planes<I, W, H>,
    left: &Way<I, W>,
    up: &Way<I, W>,
    rule: super::spec::Rule,
) -> I::Vector {
    let (to_up, to_down) = planes.legal(isa, up, rule);
    let (to_left, to_right) = planes.legal(isa, left, rule);
    let mut legal = isa.keep(isa.is_nonzero(to_up), isa.splat(1));
    for (bit, to) in [(2, to_down), (4, to_left), (8, to_right)] {
        legal = isa.or_if(legal, isa.splat(bit), to, to);
    }
    legal
}

/// The lowest free slot, 64 W when there is none; it is taken where `taken` is true.
#[inline(always)]
fn take_slot<I: Isa, const W: usize>(isa: I, free: &mut Plane<I::Vector, W>, mut taken: I::Mask) -> I::Vector {
    let ones = isa.splat(u64::MAX);
    let mut slot = isa.splat(0);
    for w in (0..W).rev() {
        // 64 where the word has no free slot, so that the count goes on with the next word.
        let zeros = isa.popcount(isa.and_not(isa.add(free[w], ones), free[w]));
        slot = if w == W - 1 { zeros } else { isa.add(zeros, isa.keep(isa.is_zero(free[w]), slot)) };
    }
    for w in 0..W {
        let full = isa.is_zero(free[w]);
        free[w] = isa.select(taken, isa.and(free[w], isa.add(free[w], ones)), free[w]);
        taken = isa.both(taken, full);
    }
    slot
}

/// The blank cell of this rank, as one bit; none when there are no blanks.
#[inline(always)]
fn nth_cell<I: Isa, const W: usize>(isa: I, blanks: &[u64; W], choice: u64) -> [u64; W] {
    let mut cell = [0; W];
    let (mut at, mut rank) = (0, choice & 0xFF);
    for (w, word) in blanks[..W - 1].iter().enumerate() {
        let count = u64::from(word.count_ones());
        let beyond = at == w && rank >= count;
        rank -= if beyond { count } else { 0 };
        at += usize::from(beyond);
    }
    cell[at] = isa.nth_bit(blanks[at], rank);
    cell
}

#[inline(always)]
fn load<I: Isa, const W: usize>(isa: I, words: &[I::Block; W]) -> Plane<I::Vector, W> {
    let mut plane = [isa.splat(0); W];
    for w in 0..W {
        plane[w] = isa.load(&words[w]);
    }
    plane
}

#[inline(always)]
fn store<I: Isa, const W: usize>(isa: I, words: &mut [I::Block; W], plane: &Plane<I::Vector, W>) {
    for w in 0..W {
        isa.store(&mut words[w], plane[w]);
    }
}
