//! Many games at once, all in the same phase of their turn.
//!
//! ```text
//! fill every seat with a game
//! while a seat is taken:
//!     draw     per vector: each tile's rank among the blanks, kind, slot                 (world stream)
//!     place    per game:   the rank becomes a bit; a digit's value goes into its slot
//!     move     per vector: put the tiles, find the legal directions, pick one            (player stream), collapse
//!     queue    per game:   the starts of its triples, without branching on how many
//!     values   per triple: combine the two values, note wins and numbers beyond the limit
//!     ended    per ended game: report it and seat the next one
//! ```
//!
//! Passes over all seats rather than game by game, because no branch then depends on one game's fate, and because words that one
//! pass stores one by one have reached the cache when the next pass loads them as vectors.

use super::isa::Isa;
use super::layout::{Layout, Plane, Way};
use super::residue::combine;
use super::spec::{OPERATORS_AT, Spec};
use super::start::Start;
use super::turn::{OPERATOR_BIT, Planes};
use super::{End, Ended, Playing};
use crate::rng::Stream;
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
    directions: I::Block,
    /// Starts of this round's triples, and the handles at that time.
    starts: [I::Block; W],
    queued: [[I::Block; W]; H],
}

/// One tile of this round, for one vector of games.
#[derive(Clone, Copy)]
struct Deal<I: Isa, const W: usize> {
    /// Rank among the blanks, what the tile is (from bit 16) and its slot (from bit 32).
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
    /// Seat (from bit 8) and cell of each collapsing triple.
    queue: Vec<u32>,
    ended: Vec<u32>,
    rounds: u64,
    taken: usize,
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
    while table.taken > 0 {
        table.rounds += 1;
        for group in 0..table.groups.len() {
            table.draw(group);
        }
        for seat in 0..table.seats.len() {
            table.place(seat);
        }
        for group in 0..table.groups.len() {
            table.advance(group, &left, &up);
        }
        table.queue.clear();
        for seat in 0..table.seats.len() {
            table.queue_triples(seat);
        }
        table.evaluate();
        table.call_time();
        table.finish(report);
    }
}

impl<'a, I: Isa, const W: usize, const R: usize, const H: usize> Table<'a, I, W, R, H> {
    fn new(isa: I, layout: &'a Layout<W>, spec: &'a Spec, start: &'a Start<W, H>, playing: Playing) -> Self {
        let games = playing.games.end.saturating_sub(playing.games.start);
        let groups = games.div_ceil(I::LANES as u64).min((seats(W) / I::LANES) as u64) as usize;
        let (block, seats) = (I::Block::default(), groups * I::LANES);
        let group = Group {
            occupied: [block; W],
            operators: [block; W],
            handles: [[block; W]; H],
            free: [block; W],
            world: [block; 4],
            player: [block; 4],
            blanks: [block; W],
            directions: block,
            starts: [block; W],
            queued: [[block; W]; H],
        };
        Self {
            isa,
            layout,
            spec,
            start,
            waiting: playing.games.clone(),
            playing,
            groups: vec![group; groups],
            deals: vec![Deal { choice: block, code: block, cell: [block; W] }; groups * spec.tiles],
            seats: vec![Seat { game: None, since: 0, end: None }; seats],
            values: vec![0; seats * slots(W)],
            // At most every third tile starts a triple; two more are written before it is known whether they exist.
            queue: Vec::with_capacity(seats * (64 * W).div_ceil(3) + 2),
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
        let (world, player) = (self.playing.seeds.world_stream(game), self.playing.seeds.player_stream(game));
        for (i, (world, player)) in state(&world).into_iter().zip(state(&player)).enumerate() {
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
        let (one, all) = (isa.splat(1), isa.splat(u64::MAX));
        for deal in deals {
            let (rank, rest) = isa.multiply(next_word(isa, &mut stream), blanks);
            let (kind, rest) = isa.multiply(rest, isa.splat(spec.kinds));
            // Below 2⁶³, so that the signed comparison serves; a threshold of 0 becomes -1, which everything exceeds.
            let number = isa.greater(isa.shift_right_by::<1>(rest), isa.splat(spec.operator_threshold.wrapping_sub(1)));
            let tile = isa.lookup64(&spec.table, isa.add(kind, isa.and_not(isa.splat(OPERATORS_AT), number)));
            let full = isa.is_zero(blanks);
            let slot = take_slot(isa, &mut free, isa.and_not(number, full));
            let code = isa.select(number, slot, isa.or(tile, isa.splat(1 << OPERATOR_BIT)));
            let choice = isa.or(rank, isa.or(isa.shift_left_by::<16>(tile), isa.shift_left_by::<32>(slot)));
            isa.store(&mut deal.code, code);
            isa.store(&mut deal.choice, choice);
            blanks = isa.sub(blanks, isa.and(one, isa.xor(full, all)));
        }
        for i in 0..4 {
            isa.store(&mut group.world[i], stream[i]);
        }
        for w in 0..W {
            isa.store(&mut group.free[w], free[w]);
        }
    }

    /// Finds the cells of one game's new tiles and writes the digits' values.
    #[inline(always)]
    fn place(&mut self, seat: usize) {
        let (group, lane) = (seat / I::LANES, seat % I::LANES);
        let deals = &mut self.deals[group * self.spec.tiles..][..self.spec.tiles];
        let values = &mut self.values[seat * slots(W)..][..slots(W)];
        let mut blanks = [0; W];
        for w in 0..W {
            blanks[w] = self.groups[group].blanks[w][lane];
        }
        for deal in deals {
            let choice = deal.choice[lane];
            // An operator writes its number into a slot that stays free.
            values[(choice >> 32) as usize] = choice >> 16 & 0xFF;
            let cell = nth_cell(self.isa, &blanks, choice & 0xFFFF);
            for w in 0..W {
                blanks[w] ^= cell[w];
                deal.cell[w][lane] = cell[w];
            }
        }
    }

    /// Puts the tiles, picks a legal direction and moves, for a vector of games.
    #[inline(always)]
    fn advance(&mut self, number: usize, left: &Way<I, W>, up: &Way<I, W>) {
        let (isa, rule) = (self.isa, self.spec.rule);
        let group = &mut self.groups[number];
        let mut planes = group.planes(isa);
        for deal in &self.deals[number * self.spec.tiles..][..self.spec.tiles] {
            planes.put(isa, load(isa, &deal.cell), isa.load(&deal.code));
        }
        let legal = legal(isa, &planes, left, up, rule);
        let mut stream = [legal; 4];
        for i in 0..4 {
            stream[i] = isa.load(&group.player[i]);
        }
        let (rank, _) = isa.multiply(next_word(isa, &mut stream), isa.popcount(legal));
        for i in 0..4 {
            isa.store(&mut group.player[i], stream[i]);
        }
        let directions = isa.shift_right(isa.lookup16(&ORDER, legal), isa.add(rank, rank));
        let directions = isa.and(directions, isa.splat(3));
        isa.store(&mut group.directions, directions);
        let mut board = planes.occupied;
        for w in 0..W {
            board[w] = isa.splat(self.layout.board[w]);
        }
        // Without a legal direction any move leaves the board as it is.
        let (starts, queued) = planes.advance::<R>(isa, &board, &self.layout.way::<I, R>(isa, directions), rule);
        group.set_planes(isa, &planes);
        store(isa, &mut group.starts, &starts);
        for b in 0..H {
            store(isa, &mut group.queued[b], &queued[b]);
        }
        let mut blocked = isa.zero_lanes(legal);
        while blocked != 0 {
            let seat = number * I::LANES + blocked.trailing_zeros() as usize;
            blocked &= blocked - 1;
            if self.seats[seat].game.is_some() {
                self.seats[seat].end = Some(End::Blocked);
                self.ended.push(seat as u32);
            }
        }
    }

    /// Queues one game's triples: the first two without asking whether they exist, since guessing wrong costs more.
    #[inline(always)]
    fn queue_triples(&mut self, seat: usize) {
        let (group, lane) = (&self.groups[seat / I::LANES], seat % I::LANES);
        for w in 0..W {
            let mut starts = group.starts[w][lane];
            let place = ((seat << 8) + 64 * w) as u32;
            if W > 1 {
                while starts != 0 {
                    self.queue.push(place | starts.trailing_zeros());
                    starts &= starts - 1;
                }
                continue;
            }
            let (length, count) = (self.queue.len(), starts.count_ones() as usize);
            let first = starts.trailing_zeros() & 63;
            starts &= starts.wrapping_sub(1);
            let second = starts.trailing_zeros() & 63;
            starts &= starts.wrapping_sub(1);
            self.queue.extend_from_slice(&[place | first, place | second]);
            self.queue.truncate(length + count.min(2));
            while starts != 0 {
                self.queue.push(place | starts.trailing_zeros());
                starts &= starts - 1;
            }
        }
    }

    /// Combines the values of all queued triples.
    #[inline(always)]
    fn evaluate(&mut self) {
        let target = self.spec.target;
        for &entry in &self.queue {
            let (seat, cell) = ((entry >> 8) as usize, (entry & 0xFF) as usize);
            let (group, lane) = (&mut self.groups[seat / I::LANES], seat % I::LANES);
            let direction = group.directions[lane];
            let stride = self.layout.strides[direction as usize & 3];
            let (middle, last) =
                (cell.wrapping_add_signed(stride as isize), cell.wrapping_add_signed(2 * stride as isize));
            let (a, b) = (group.queued_handle::<H>(lane, cell), group.queued_handle::<H>(lane, last));
            let operator = group.queued_handle::<2>(lane, middle);
            let values = &mut self.values[seat * slots(W)..][..slots(W)];
            let value = combine_in_order(direction, values[a], operator as u64, values[b]);
            values[a] = value;
            group.free[b / 64 % W][lane] |= 1 << (b % 64);
            let end = if value == target {
                End::Won
            } else if self.spec.limit.is_some_and(|limit| super::residue::exceeds(value, limit)) {
                End::Exceeded
            } else {
                continue;
            };
            match self.seats[seat].end {
                None => self.ended.push(seat as u32),
                Some(End::Won) => continue,
                Some(_) => {}
            }
            self.seats[seat].end = Some(end);
        }
    }

    /// Ends the games that have played their last round.
    #[inline(always)]
    fn call_time(&mut self) {
        let Some(limit) = self.playing.rounds_max else { return };
        for (number, seat) in self.seats.iter_mut().enumerate() {
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
        start.board(self.spec.rows, self.spec.cols)
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

    /// The lower `BITS` bits of the handle that stood on a cell when the triples were found.
    #[inline(always)]
    fn queued_handle<const BITS: usize>(&self, lane: usize, cell: usize) -> usize {
        let (word, shift) = (cell / 64 % W, cell % 64);
        let mut handle = 0;
        for b in 0..BITS {
            handle |= (self.queued[b][word][lane] >> shift & 1) << b;
        }
        handle as usize
    }
}

/// The result of a triple whose tiles, from the edge, are `near`, the operator and `far`: operands stay in reading order, and the
/// tile near the edge comes last in it when tiles move towards the end of lines (down and right, the odd directions).
#[inline(always)]
pub(super) const fn combine_in_order(direction: u64, near: u64, operator: u64, far: u64) -> u64 {
    let swapped = (near ^ far) & (direction & 1).wrapping_neg();
    combine(near ^ swapped, operator, far ^ swapped)
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
    let mut legal = isa.and_not(isa.splat(1), isa.is_zero(to_up));
    legal = isa.or(legal, isa.and_not(isa.splat(2), isa.is_zero(to_down)));
    legal = isa.or(legal, isa.and_not(isa.splat(4), isa.is_zero(to_left)));
    isa.or(legal, isa.and_not(isa.splat(8), isa.is_zero(to_right)))
}

/// The next word of each lane's xoshiro256++.
#[inline(always)]
fn next_word<I: Isa>(isa: I, s: &mut [I::Vector; 4]) -> I::Vector {
    let word = isa.add(isa.rotate_by::<23>(isa.add(s[0], s[3])), s[0]);
    let shifted = isa.shift_left_by::<17>(s[1]);
    s[2] = isa.xor(s[2], s[0]);
    s[3] = isa.xor(s[3], s[1]);
    s[1] = isa.xor(s[1], s[2]);
    s[0] = isa.xor(s[0], s[3]);
    s[2] = isa.xor(s[2], shifted);
    s[3] = isa.rotate_by::<45>(s[3]);
    word
}

/// The words of a stream's state.
fn state(stream: &Stream) -> [u64; 4] {
    let bytes = stream.state();
    std::array::from_fn(|i| u64::from_le_bytes(std::array::from_fn(|b| bytes[8 * i + b])))
}

/// The lowest free slot, 64 W when there is none; it is taken where `taken` is all ones.
#[inline(always)]
fn take_slot<I: Isa, const W: usize>(isa: I, free: &mut Plane<I::Vector, W>, mut taken: I::Vector) -> I::Vector {
    let ones = isa.splat(u64::MAX);
    let mut slot = isa.splat(0);
    let mut empty = ones;
    for word in free.iter_mut() {
        let less = isa.add(*word, ones);
        let zeros = isa.popcount(isa.and_not(less, *word));
        slot = isa.add(slot, isa.and(zeros, empty));
        let next = isa.and(*word, less);
        if W > 1 {
            let here = isa.is_zero(*word);
            *word = isa.select(taken, next, *word);
            taken = isa.and(taken, here);
            empty = isa.and(empty, here);
        } else {
            *word = isa.select(taken, next, *word);
        }
    }
    slot
}

/// The blank cell of this rank, as one bit; none when there are no blanks.
#[inline(always)]
fn nth_cell<I: Isa, const W: usize>(isa: I, blanks: &[u64; W], mut rank: u64) -> [u64; W] {
    let mut cell = [0; W];
    let mut at = 0;
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
