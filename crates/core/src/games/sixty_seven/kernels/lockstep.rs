//! Many games at once, all in the same phase of their turn.
//!
//! ```text
//! fill every slot with a game
//! while a slot is taken, for either half of the batch in turn:
//!     move     per vector: put the tiles, find the legal directions, pick one, collapse
//!              (one word of the player stream); between these steps
//!     place    per game of the other half: turn a tile's rank into a cell; store a digit's value
//!     queue    per vector: an entry for the first operation of each game, then for the second, …
//!     draw     per vector: each tile's rank among the blanks, kind, value index
//!              (one word of the world stream a tile); between the tiles
//!     values   per operation: combine the two values, note wins and numbers beyond the limit
//!     ended    per ended game: report it, fill its slot and draw the new game's tiles
//! ```
//!
//! # Departures from the obvious
//! Each gain was measured by removing the departure: 6×7 `gapless`, 2 tiles a round, `avx512`.
//! `docs/kernels.md` describes the conditions, `docs/trials.md` the changes that were dropped.
//!
//! 1. Passes go over all vectors rather than game by game. No branch depends on a single game, and
//!    words that one pass stores one by one have reached the cache before the next pass loads them
//!    as vectors. 14–17 %.
//! 2. Value indices move as planes of bits like everything else, so a turn shuffles no bytes. With
//!    AVX-512 this is as fast as moving bytes by compress and expand; the gain is one program for
//!    all machines.
//! 3. Indices on blank cells are garbage. A plane then moves by one rotation and one selection of
//!    bits; keeping blank cells clean took a third instruction. New tiles clear their cells first.
//!    3–5 %.
//! 4. The indices of an operation are looked up by bit number ([`OperationIsa::take_operation`]),
//!    one instruction for each plane, rather than tested plane by plane on each cell. 11–14 %.
//! 5. Operations are queued in a separate pass, so that its unpredictable exit branch does not
//!    stall behind the 200-cycle dependency chain of a move: 6 %. With eight games a vector, four
//!    vectors share that branch; the batch has 64 slots for this: 3–5 % more.
//! 6. The batch has two halves. Placing one half is scalar work, moving the other is vector work,
//!    and the steps of both alternate, so that both lie within the 500 instructions that a core
//!    sees at a time: 2 %, on 9×9 and 10×10 9 %. Combining values alternates with drawing likewise:
//!    1 %.
//! 7. Two operations in one line are rare, so closing the second gap is behind a branch
//!    ([`super::turn`]). 1 %.
//! 8. Words are multiplied by halves that are never joined in between, with an instruction that the
//!    compiler cannot widen to the slow multiplication of whole words. 1–4 %.
//! 9. Streams are seeded in registers rather than through bytes. No gain on 6×7; 8–11 % on 5×5,
//!    where games are short.
//! 10. While the last games of a batch finish, all vectors keep moving; an empty slot holds a full
//!     board on which nothing moves. This saves no time, but avoids a second loop for partly filled
//!     batches.
//! 11. The indices of operations are stored in the form in which they are looked up
//!     ([`OperationIsa::for_lookup`]), and sum and product share one reduction. 3 % together.

mod group;
pub(super) mod lanes;
mod spawn;
pub(super) mod stepping;

use super::ended::{End, Ended, Start};
use super::isa::Isa;
use super::layout::{Layout, Shift};
use super::operation::OperationIsa;
use super::planar::PlanarBoard;
use super::portable::set_bits;
use super::queued::{ADDRESSES, SLOT_AT, base, combine_entry, values_each};
use super::spec::{GameRange, Spec};
use super::streams::state;
use crate::games::kernels::Work;
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::residue::exceeds;
use group::{Group, SLOTS_MAX, Spawn, lane_plane, queue_groups, set_words, take_turn, words};
use spawn::{Placing, draw, draw_game, look_up_numbers, place_game};
use std::cell::Cell;
use std::ops::Range;

/// Slots of a batch: as many as keep their data in the first-level cache, and at most the bits of a
/// word. Half as many for few games, such as a player's playouts, since the last games of a batch
/// play beside empty slots.
const fn slots<I: Isa>(words: usize, games: u64) -> usize {
    let lanes = match I::WIDTH {
        ..4 => 4,
        width => width,
    };
    let slots = match words {
        1 => 8 * lanes,
        2 => 4 * lanes,
        _ => 16,
    };
    if slots > 16 && games < 16 * slots as u64 {
        slots / 2
    } else {
        slots
    }
}

/// Room for the operations of `slots` slots: at most every third tile starts one, and a whole
/// vector is written each time.
const fn queue_length<I: Isa>(words: usize, slots: usize) -> usize {
    slots * (64 * words).div_ceil(3) + I::WIDTH
}

/// The boards on which the games of a batch begin.
#[derive(Clone, Copy)]
pub(super) enum Origin<'a, const W: usize, const H: usize> {
    /// All on this one; game i draws from the streams with number i.
    Shared(&'a PlanarBoard<W, H>),
    /// Game i on one of these boards, as start number i says.
    Own(&'a [PlanarBoard<W, H>], &'a [Start]),
    /// Game i in the middle of its streams: writes its board.
    Resumed(&'a dyn Fn(usize, &mut PackedBoard) -> Resumed),
}

/// Where a game stands that slices have begun.
pub(super) struct Resumed {
    /// Rounds played.
    pub rounds: u64,
    /// The states of the game's streams.
    pub world: [u64; 4],
    pub player: [u64; 4],
    /// The digits and the operators that appeared, where the rules have them counted.
    pub spawned: [u32; 2],
}

/// The game of one lane of one vector.
#[derive(Clone, Copy)]
struct Slot {
    /// The game's index; `None` when no games are left.
    game: Option<u64>,
    /// Rounds that the batch had played when the game began; below 0, as a wrapped number, for a
    /// game that began before the batch.
    since: u64,
    end: Option<End>,
}

/// Games in lock-step.
struct Batch<'a, I: OperationIsa, const W: usize, const H: usize> {
    isa: I,
    layout: &'a Layout<W>,
    spec: &'a Spec,
    origin: Origin<'a, W, H>,
    games: GameRange,
    /// Where resumed games are read.
    packed: PackedBoard,
    planar: PlanarBoard<W, H>,
    waiting: Range<u64>,
    groups: Vec<Group<I, W, H>>,
    spawns: Vec<Spawn<I, W>>,
    slots: Vec<Slot>,
    /// Values by address; the address after a slot's last index takes the numbers without a cell.
    values: Vec<u64>,
    /// This round's operations, as entries.
    queue: Vec<u64>,
    queued: usize,
    /// Bit s is set when the game of slot s has ended.
    ended: u64,
    rounds: u64,
    taken: usize,
}

/// A number of vectors of games, whose slots have their addresses and blank boards.
fn blank_groups<I: OperationIsa, const W: usize, const H: usize>(
    count: usize,
) -> Vec<Group<I, W, H>> {
    let mut groups = vec![Group::<I, W, H>::blank(); count];
    for slot in 0..count * I::WIDTH {
        let address = (slot * values_each(W)) as u64;
        groups[slot / I::WIDTH].base[slot % I::WIDTH] = base(address, slot as u64);
    }
    groups
}

thread_local! {
    /// The values of the thread's last batch. Clearing as much memory for each of a player's short
    /// batches takes up to a tenth of their time; an address is written before it is read.
    static VALUES: Cell<Vec<u64>> = const { Cell::new(Vec::new()) };
}

/// The games `games.range`, to be played from their `origin`; each end is reported, in no
/// particular order.
pub(super) struct LockstepPlay<'a, I, const W: usize, const H: usize> {
    pub isa: I,
    pub layout: &'a Layout<W>,
    pub spec: &'a Spec,
    pub origin: Origin<'a, W, H>,
    pub games: GameRange,
    pub report: &'a mut dyn FnMut(&Ended<'_>),
}

impl<I: OperationIsa, const W: usize, const H: usize> Work for LockstepPlay<'_, I, W, H> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        let Self {
            isa,
            layout,
            spec,
            origin,
            games,
            report,
        } = self;
        let slots = slots::<I>(W, games.count());
        let mut batch = Batch::<I, W, H>::new(isa, layout, spec, origin, games, slots);
        let axes = layout.axes(isa);
        for slot in 0..batch.slots.len() {
            batch.fill(slot);
        }
        let groups = batch.groups.len();
        let halves = [0..groups.div_ceil(2), groups.div_ceil(2)..groups];
        for group in 0..groups {
            batch.draw(group);
        }
        for group in halves[0].clone() {
            batch.place::<true>(group);
        }
        while batch.taken > 0 {
            batch.rounds += 1;
            for half in 0..2 {
                let moving = halves[half].clone();
                let placed = halves[1 - half].clone();
                for (at, group) in moving.clone().enumerate() {
                    batch.advance_and_place(group, placed.clone().nth(at), &axes);
                }
                if placed.len() > moving.len() {
                    batch.place::<true>(placed.end - 1);
                }
                batch.queue_operations(moving.clone());
                if spec.target_is_new {
                    batch.evaluate_and_find(moving.clone());
                }
                batch.evaluate_and_draw(moving.clone());
                batch.end_blocked(moving.clone());
                batch.call_time(moving);
                batch.finish(report);
            }
        }
        VALUES.set(batch.values);
    }
}

impl<'a, I: OperationIsa, const W: usize, const H: usize> Batch<'a, I, W, H> {
    /// A batch of empty slots, `most` at most.
    fn new(
        isa: I,
        layout: &'a Layout<W>,
        spec: &'a Spec,
        origin: Origin<'a, W, H>,
        games: GameRange,
        most: usize,
    ) -> Self {
        assert!(most * values_each(W) <= ADDRESSES && most <= SLOTS_MAX);
        let groups = games
            .count()
            .div_ceil(I::WIDTH as u64)
            .min((most / I::WIDTH) as u64) as usize;
        let slots = groups * I::WIDTH;
        let groups = blank_groups::<I, W, H>(groups);
        Self {
            isa,
            layout,
            spec,
            origin,
            waiting: games.range.clone(),
            games,
            packed: PackedBoard::blank(spec.rows, spec.cols),
            planar: PlanarBoard {
                values: Vec::with_capacity(spec.cells()),
                ..PlanarBoard::blank()
            },
            spawns: vec![Spawn::none(); groups.len() * spec.tiles],
            groups,
            slots: vec![
                Slot {
                    game: None,
                    since: 0,
                    end: None
                };
                slots
            ],
            values: {
                let mut values = VALUES.take();
                values.resize(ADDRESSES, 0);
                values
            },
            queue: vec![0; queue_length::<I>(W, slots)],
            queued: 0,
            ended: 0,
            rounds: 0,
            taken: 0,
        }
    }

    /// Fills a slot with the next game, or empties it: a board full of numbers, on which nothing
    /// moves.
    #[inline(always)]
    fn fill(&mut self, slot: usize) {
        let group = &mut self.groups[slot / I::WIDTH];
        let lane = slot % I::WIDTH;
        let game = self.waiting.next();
        self.slots[slot] = Slot {
            game,
            since: self.rounds,
            end: None,
        };
        let Some(game) = game else {
            set_words(&mut group.occupied, lane, self.layout.board);
            set_words(&mut group.operators, lane, [0; W]);
            return;
        };
        self.taken += 1;
        let seeds = &self.games.seeds;
        let streams = |number| (state(seeds.world, number), state(seeds.player, number));
        group.spawned[lane] = 0;
        let (start, (world, player)) = match self.origin {
            Origin::Shared(start) => (start, streams(game)),
            Origin::Own(boards, starts) => {
                let Start {
                    board,
                    stream,
                    rounds,
                } = starts[game as usize];
                self.slots[slot].since = self.rounds.wrapping_sub(rounds);
                (&boards[board], streams(stream))
            }
            Origin::Resumed(resume) => {
                let resumed = resume(game as usize, &mut self.packed);
                self.planar.read(self.layout, &self.packed);
                self.slots[slot].since = self.rounds.wrapping_sub(resumed.rounds);
                let [digits, operators] = resumed.spawned.map(u64::from);
                group.spawned[lane] = (digits + operators) | (operators << 32);
                (&self.planar, (resumed.world, resumed.player))
            }
        };
        group.set_lane(lane, &start.planes, &start.free);
        let values = &start.values;
        self.values[slot * values_each(W)..][..values.len()].copy_from_slice(values);
        set_words(&mut group.world, lane, world);
        set_words(&mut group.player, lane, player);
    }

    /// Draws this round's tiles for a vector of games with [`draw`].
    #[inline(always)]
    fn draw(&mut self, group: usize) {
        let spawns = &mut self.spawns[self.spec.tiles_of(group)];
        draw(
            self.isa,
            self.layout,
            self.spec,
            &mut self.groups[group],
            spawns,
            || {},
        );
    }

    /// Finds the cells of the new tiles of a vector of games with [`place_game`] and, where
    /// `VALUES`, stores the digits' values.
    #[inline(always)]
    fn place<const VALUES: bool>(&mut self, group: usize) {
        let spawns = &mut self.spawns[self.spec.tiles_of(group)];
        for lane in 0..I::WIDTH {
            place_game::<I, W, VALUES>(
                self.isa,
                &self.groups[group].blanks,
                spawns,
                &mut self.values,
                lane,
            );
        }
        if VALUES && self.spec.has_places {
            look_up_numbers(spawns, &self.spec.numbers, &mut self.values);
        }
    }

    /// Puts the tiles, picks a legal direction and moves with [`advance`], for a vector of games.
    #[inline(always)]
    fn advance(&mut self, group: usize, axes: &[Shift<I, W>; 2]) {
        let spawns = &self.spawns[self.spec.tiles_of(group)];
        take_turn::<I, W, H>(
            self.isa,
            self.layout,
            self.spec,
            &mut self.groups[group],
            spawns,
            axes,
            &mut (),
        );
    }

    /// Moves a vector of games and meanwhile places the tiles of another vector.
    #[inline(always)]
    fn advance_and_place(&mut self, group: usize, other: Option<usize>, axes: &[Shift<I, W>; 2]) {
        let isa = self.isa;
        let layout = self.layout;
        let spec = self.spec;
        let placed = other.map_or(0..0, |other| spec.tiles_of(other));
        let [spawns, placed] = self
            .spawns
            .get_disjoint_mut([spec.tiles_of(group), placed])
            .expect("the two vectors differ");
        let values = &mut self.values[..];
        // Without another vector the same code places nothing: a second copy of it made 16×16 a
        // fifth slower.
        let blanks = &other.map_or([I::Block::default(); W], |other| self.groups[other].blanks);
        let mut placing = Placing {
            isa,
            values,
            blanks,
            spawns: placed,
            lane: 0,
        };
        take_turn::<I, W, H>(
            isa,
            layout,
            spec,
            &mut self.groups[group],
            spawns,
            axes,
            &mut placing,
        );
        if spec.has_places {
            look_up_numbers(placing.spawns, &spec.numbers, placing.values);
        }
    }

    /// Notes the games without a legal direction.
    #[inline(always)]
    fn end_blocked(&mut self, groups: Range<usize>) {
        for number in groups {
            for lane in set_bits(self.groups[number].blocked.into()) {
                let slot = number * I::WIDTH + lane;
                if self.slots[slot].game.is_some() {
                    self.slots[slot].end = Some(End::Blocked);
                    self.ended |= 1 << slot;
                }
            }
        }
    }

    /// Queues the operations of vectors of games with [`queue_groups`].
    #[inline(always)]
    fn queue_operations(&mut self, groups: Range<usize>) {
        let queue = &mut self.queue[self.queued..];
        self.queued += queue_groups(self.isa, self.layout, &mut self.groups[groups], queue);
    }

    /// Combines the values of all queued operations, and ends the games in which a number shows the
    /// target: where that is a digit, a new tile can.
    ///
    /// Apart from the loop of other games, which stays as it is. Such games are short.
    #[cold]
    #[inline(never)]
    fn evaluate_and_find(&mut self, groups: Range<usize>) {
        let queue = &self.queue[..self.queued];
        let Spec { target, limit, .. } = *self.spec;
        evaluate(
            queue,
            &mut self.values,
            target,
            |value| limit.is_some_and(|limit| exceeds(value, limit)),
            &mut self.slots,
            &mut self.ended,
        );
        self.queued = 0;
        for number in groups.start * I::WIDTH..groups.end * I::WIDTH {
            let free = words(&self.groups[number / I::WIDTH].free, number % I::WIDTH);
            let values = &self.values[number * values_each(W)..];
            let shows = |w: usize| set_bits(!free[w]).any(|index| values[64 * w + index] == target);
            if self.slots[number].game.is_some() && (0..W).any(shows) {
                self.slots[number].end = Some(End::Won);
                self.ended |= 1 << number;
            }
        }
    }

    /// Combines the values of all queued operations, and meanwhile draws the next tiles of these
    /// vectors.
    #[inline(always)]
    fn evaluate_and_draw(&mut self, groups: Range<usize>) {
        match self.spec.limit {
            None => self.evaluate_where(|_| false, groups),
            Some(limit) => self.evaluate_where(|value| exceeds(value, limit), groups),
        }
    }

    /// Combines the values of all queued operations, where `exceeds` recognizes numbers beyond the
    /// limit, and meanwhile draws the next tiles of these vectors.
    #[inline(always)]
    fn evaluate_where(&mut self, exceeds: impl Fn(u64) -> bool, groups: Range<usize>) {
        let isa = self.isa;
        let layout = self.layout;
        let spec = self.spec;
        let slots = &mut self.slots;
        let values = &mut self.values;
        let ended = &mut self.ended;
        let mut rest = &self.queue[..self.queued];
        let spawns = self.spawns[groups.start * spec.tiles..].chunks_exact_mut(spec.tiles);
        for (group, spawns) in self.groups[groups].iter_mut().zip(spawns) {
            draw(isa, layout, spec, group, spawns, || {
                if let Some((entries, others)) = rest.split_first_chunk::<3>() {
                    evaluate(entries, values, spec.target, &exceeds, slots, ended);
                    rest = others;
                }
            });
        }
        evaluate(rest, values, spec.target, &exceeds, slots, ended);
        self.queued = 0;
    }

    /// Ends the games that have played their last round.
    #[inline(always)]
    fn call_time(&mut self, groups: Range<usize>) {
        let Some(limit) = self.games.rounds_max else {
            return;
        };
        for number in groups.start * I::WIDTH..groups.end * I::WIDTH {
            let slot = &mut self.slots[number];
            if slot.game.is_some()
                && slot.end.is_none()
                && self.rounds.wrapping_sub(slot.since) >= limit
            {
                slot.end = Some(End::OutOfRounds);
                self.ended |= 1 << number;
            }
        }
    }

    /// Reports the ended games and fills their slots.
    #[inline(always)]
    fn finish(&mut self, report: &mut dyn FnMut(&Ended<'_>)) {
        for number in set_bits(std::mem::take(&mut self.ended)) {
            let slot = self.slots[number];
            if let (Some(game), Some(end)) = (slot.game, slot.end) {
                let board = || self.board(number);
                let rounds = self.rounds.wrapping_sub(slot.since);
                report(&Ended {
                    game,
                    end,
                    rounds,
                    spawned: self.spec.counted.then(|| self.spawned(number, rounds)),
                    board: &board,
                });
                self.taken -= 1;
                self.fill(number);
                // The tiles of its vector were drawn before.
                let group = number / I::WIDTH;
                draw_game(
                    self.layout,
                    self.spec,
                    &mut self.groups[group],
                    &mut self.spawns[self.spec.tiles_of(group)],
                    number % I::WIDTH,
                );
            }
        }
    }

    /// The operators and the digits that appeared in the game of a slot, which ended in this round.
    ///
    /// Unless [`Spec::counts_each_round`], they follow from its last board. Each operation leaves
    /// one of three tiles, so T tiles are left of S after (S − T)/2 operations, and each of these
    /// took an operator. S is the number of drawn tiles, less one if that makes S − T even: a tile
    /// finds no cell when two are drawn for one blank cell. That fills the board, and from then on
    /// the number of blank cells is even before every round. It is never 0, since a move on a full
    /// board is an operation.
    fn spawned(&self, slot: usize, rounds: u64) -> [u64; 2] {
        let group = &self.groups[slot / I::WIDTH];
        let lane = slot % I::WIDTH;
        let (spawned, operators) = if self.spec.counts_each_round {
            let counts = group.spawned[lane];
            (counts & u64::from(u32::MAX), counts >> 32)
        } else {
            let left = lane_plane(&group.occupied, lane).count();
            let drawn = rounds * self.spec.tiles as u64;
            let spawned = drawn - ((drawn - left) & 1);
            let operators = lane_plane(&group.operators, lane).count();
            (spawned, operators + (spawned - left) / 2)
        };
        [operators, spawned - operators]
    }

    /// A slot's board.
    fn board(&self, slot: usize) -> PackedBoard {
        let planes = self.groups[slot / I::WIDTH].lane_planes(slot % I::WIDTH);
        let values = &self.values[slot * values_each(W)..];
        planes.board(self.layout, self.spec.rows, self.spec.cols, values)
    }
}

/// Combines the values of queued operations; `exceeds` recognizes numbers beyond the limit.
#[inline(always)]
fn evaluate(
    entries: &[u64],
    values: &mut [u64],
    target: u64,
    exceeds: impl Fn(u64) -> bool,
    slots: &mut [Slot],
    ended: &mut u64,
) {
    let values = &mut values[..ADDRESSES];
    for &entry in entries {
        let value = combine_entry(entry, values);
        let won = value == target;
        if won | exceeds(value) {
            let number = (entry >> SLOT_AT) as usize;
            let slot = &mut slots[number];
            *ended |= 1 << number;
            if slot.end != Some(End::Won) {
                slot.end = Some(if won { End::Won } else { End::Exceeded });
            }
        }
    }
}
