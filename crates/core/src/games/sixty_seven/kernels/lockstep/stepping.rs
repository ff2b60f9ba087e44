//! Rounds with given moves, for many games in lock-step.
//!
//! ```text
//! step, for a block of slots:
//!     move     per vector: collapse in the given directions
//!     queue    per vector: an entry for the first operation of each game, then for the second, …
//!     values   per operation: combine the two values, note wins and numbers beyond the limit
//!     draw     per vector: each tile's rank among the blanks, kind, value index
//!     place    per game that goes on: turn a tile's rank into a cell; store a digit's value
//!     deal     per vector: put the tiles, find the legal directions
//! ```
//!
//! Differences from playing whole random games ([`super`]):
//!
//! 1. A round ends with the deal, since the next move is chosen on the dealt board. Ended games get
//!    no tiles, so that their final boards can be read.
//! 2. Numbers are exact ([`super::super::numbers`]) instead of residues, since callers read them.
//! 3. A slot that must not change is saved before the round and restored after it, while its vector
//!    plays the round. Such slots are rare in the mode that replaces ended games at once.
//! 4. Moving and placing, or combining and drawing, do not alternate: the passes run one after
//!    another.

use super::super::ended::End;
use super::super::layout::{Layout, Shift};
use super::super::numbers::Numbers;
use super::super::operation::OperationIsa;
use super::super::planar::Indexed;
use super::super::plane::Plane;
use super::super::portable::{Portable, set_bits};
use super::super::queued::{
    FIRST_AT, OPERATOR_AT, RESULT_AT, SECOND_AT, SLOT_AT, address, values_each,
};
use super::super::spec::Spec;
use super::super::streams::{Streams, state};
use super::super::turn::Planes;
use super::group::{Group, Spawn, lane_plane, move_boards, queue_groups, set_words, words};
use super::spawn::{Spawner, draw, look_up_numbers, place_game};
use super::{blank_groups, queue_length, slots};
use crate::game::stepping::{IDLE, kind};
use crate::games::kernels::Work;
use crate::games::sixty_seven::Operator;
use crate::games::sixty_seven::residue::nearest;
use crate::rng::CellSeeds;

/// The moves of a round, one for each slot of a block, and what the slots show after it.
pub(in super::super) struct BlockRound<'a> {
    pub moves: &'a [u8],
    pub legal: &'a mut [u64],
    pub ended: &'a mut [Option<End>],
}

/// A block of slots that are stepped together: as many as keep their data in the first-level cache.
pub(in super::super) struct SlotBlock<I: OperationIsa, const W: usize, const H: usize> {
    isa: I,
    layout: Layout<W>,
    spec: Spec,
    seeds: CellSeeds,
    axes: [Shift<Portable, W>; 2],
    groups: Vec<Group<I, W, H>>,
    spawns: Vec<Spawn<I, W>>,
    /// The first tiles of one game.
    first: Vec<Spawn<Portable, W>>,
    numbers: Numbers,
    /// The numbers that appear, exactly.
    new_numbers: Vec<u64>,
    queue: Vec<u64>,
    /// The moves made in each slot's game.
    moves_made: Vec<u64>,
    /// The places beyond the last slot, as bits.
    unused: u64,
    /// The legal directions of each vector.
    legal: Vec<I::Block>,
    /// Idle slots with what they were before the round.
    idle: Vec<(usize, Lane<W, H>)>,
}

/// One game's part of a vector.
struct Lane<const W: usize, const H: usize> {
    planes: Planes<Portable, W, H>,
    free: Plane<Portable, W>,
    world: [u64; 4],
}

/// A round of a block, for the block's instruction set to do.
pub(in super::super) struct StepBlock<'a, I: OperationIsa, const W: usize, const H: usize> {
    pub block: &'a mut SlotBlock<I, W, H>,
    pub round: BlockRound<'a>,
}

impl<I: OperationIsa, const W: usize, const H: usize> Work for StepBlock<'_, I, W, H> {
    type Output = ();

    #[inline(always)]
    fn run(self) {
        self.block.play(self.round);
    }
}

impl<I: OperationIsa, const W: usize, const H: usize> SlotBlock<I, W, H> {
    /// How many slots a block has at most.
    pub(in super::super) const SLOTS: usize = slots::<I>(W, u64::MAX);

    /// A block of `slots` slots, in which no game has begun.
    pub(in super::super) fn new(
        isa: I,
        layout: &Layout<W>,
        spec: &Spec,
        seeds: CellSeeds,
        count: usize,
    ) -> Self {
        assert!(count <= Self::SLOTS, "{count} slots do not fit a block");
        let mut groups = blank_groups::<I, W, H>(count.div_ceil(I::WIDTH));
        let slots = groups.len() * I::WIDTH;
        // On a full board of numbers nothing moves.
        for slot in count..slots {
            let group = &mut groups[slot / I::WIDTH];
            set_words(&mut group.occupied, slot % I::WIDTH, layout.board);
        }
        Self {
            isa,
            axes: layout.axes(Portable),
            layout: layout.clone(),
            spec: spec.clone(),
            seeds,
            spawns: vec![Spawn::none(); groups.len() * spec.tiles],
            first: vec![Spawn::none(); spec.tiles],
            numbers: Numbers::new(spec),
            new_numbers: spec
                .numbers
                .iter()
                .map(|&number| nearest(number).cast_unsigned())
                .collect(),
            queue: vec![0; queue_length::<I>(W, slots)],
            moves_made: vec![0; count],
            unused: if count < 64 { u64::MAX << count } else { 0 },
            legal: vec![I::Block::default(); groups.len()],
            idle: Vec::with_capacity(count),
            groups,
        }
    }

    /// Begins a game in a slot and deals; returns the legal directions.
    pub(in super::super) fn begin(&mut self, slot: usize, game: u64) -> u64 {
        let isa = Portable;
        self.moves_made[slot] = 0;
        self.numbers.forget(slot, values_each(W));
        let group = &mut self.groups[slot / I::WIDTH];
        let lane = slot % I::WIDTH;
        let mut planes = Planes::blank(isa);
        let mut spawner = Spawner {
            occupied: planes.occupied,
            free: Plane::splat(isa, &[u64::MAX; W]),
            world: Streams {
                isa,
                state: state(self.seeds.world, game),
            },
            base: group.base[lane],
        };
        let first = &mut self.first;
        let blanks = spawner.draw(&self.layout, &self.spec, |number, code, choice| {
            first[number].code[0] = code;
            first[number].draw[0] = choice;
        });
        let mut cells = [[0]; W];
        blanks.store(&mut cells);
        place_game::<Portable, W, true>(isa, &cells, first, self.numbers.values(), 0);
        if self.spec.has_places {
            look_up_numbers(first, &self.new_numbers, self.numbers.values());
        }
        for spawn in first {
            planes.put(Plane::load(isa, &spawn.cell), spawn.code[0]);
        }
        group.set_lane(lane, &planes, &spawner.free);
        set_words(&mut group.world, lane, spawner.world.state);
        planes.legal_directions(&self.axes, self.spec.collapse)
    }

    /// Plays one round.
    #[inline(always)]
    fn play(&mut self, round: BlockRound<'_>) {
        let BlockRound {
            moves,
            legal,
            ended,
        } = round;
        self.set_directions(moves);
        for group in &mut self.groups {
            let planes = group.planes(self.isa);
            let directions = self.isa.load(&group.directions);
            move_boards::<I, W, H>(
                self.isa,
                &self.layout,
                &self.spec,
                group,
                planes,
                directions,
                &mut (),
            );
        }
        let mut idle = self.unused;
        for (slot, _) in &self.idle {
            idle |= 1 << slot;
            let starts = &mut self.groups[slot / I::WIDTH].starts;
            set_words(starts, slot % I::WIDTH, [0; W]);
        }
        let queued = queue_groups(self.isa, &self.layout, &mut self.groups, &mut self.queue);
        let mut won = 0_u64;
        // Games that have won are marked here, too.
        let mut exceeded = 0_u64;
        for &entry in &self.queue[..queued] {
            let places = [FIRST_AT, SECOND_AT, RESULT_AT].map(|at| address(entry, at));
            if let Some(end) = self.numbers.combine(places, entry >> OPERATOR_AT & 3) {
                let slot = 1 << (entry >> SLOT_AT);
                won |= if end == End::Won { slot } else { 0 };
                exceeded |= slot;
            }
        }
        let moves_max = self.spec.max_rounds.unwrap_or(u64::MAX);
        let mut spent = 0;
        for (slot, moves) in self.moves_made.iter_mut().enumerate() {
            *moves += !idle >> slot & 1;
            spent |= u64::from(*moves >= moves_max) << slot;
        }
        self.deal(idle | exceeded | spent);
        for slot in (0..self.moves_made.len()).filter(|slot| idle >> slot & 1 == 0) {
            let is_in = |slots: u64| slots >> slot & 1 == 1;
            let directions = self.legal[slot / I::WIDTH][slot % I::WIDTH];
            let goes_on = !is_in(exceeded | spent);
            legal[slot] = if goes_on { directions } else { 0 };
            ended[slot] = if is_in(won) {
                Some(End::Won)
            } else if is_in(exceeded) {
                Some(End::Exceeded)
            } else if is_in(spent) {
                Some(End::OutOfRounds)
            } else {
                (directions == 0).then_some(End::Blocked)
            };
        }
        for (slot, saved) in self.idle.drain(..) {
            let group = &mut self.groups[slot / I::WIDTH];
            let lane = slot % I::WIDTH;
            group.set_lane(lane, &saved.planes, &saved.free);
            set_words(&mut group.world, lane, saved.world);
        }
    }

    /// Notes the direction of each slot, and saves the idle ones.
    #[inline(always)]
    fn set_directions(&mut self, moves: &[u8]) {
        for (slot, &chosen) in moves.iter().enumerate() {
            let group = &mut self.groups[slot / I::WIDTH];
            let lane = slot % I::WIDTH;
            group.directions[lane] = u64::from(chosen & 3);
            if chosen == IDLE {
                let saved = Lane {
                    planes: group.lane_planes(lane),
                    free: lane_plane(&group.free, lane),
                    world: words(&group.world, lane),
                };
                self.idle.push((slot, saved));
            }
        }
    }

    /// Deals in all slots but the resting ones, and finds the legal directions.
    #[inline(always)]
    fn deal(&mut self, resting: u64) {
        let isa = self.isa;
        let tiles = self.spec.tiles;
        for (group, spawns) in self
            .groups
            .iter_mut()
            .zip(self.spawns.chunks_exact_mut(tiles))
        {
            draw(isa, &self.layout, &self.spec, group, spawns, || {});
        }
        for (number, (group, spawns)) in self
            .groups
            .iter()
            .zip(self.spawns.chunks_exact_mut(tiles))
            .enumerate()
        {
            for lane in 0..I::WIDTH {
                if resting >> (number * I::WIDTH + lane) & 1 == 0 {
                    place_game::<I, W, true>(
                        isa,
                        &group.blanks,
                        spawns,
                        self.numbers.values(),
                        lane,
                    );
                } else {
                    for spawn in &mut *spawns {
                        set_words(&mut spawn.cell, lane, [0; W]);
                    }
                }
            }
            if self.spec.has_places {
                look_up_numbers(spawns, &self.new_numbers, self.numbers.values());
            }
        }
        let axes = self.layout.axes(isa);
        for (number, group) in self.groups.iter_mut().enumerate() {
            let mut planes = group.planes(isa);
            planes.clear(Plane::load(isa, &group.blanks));
            for spawn in &self.spawns[self.spec.tiles_of(number)] {
                planes.put(Plane::load(isa, &spawn.cell), isa.load(&spawn.code));
            }
            group.set_planes(&planes);
            isa.store(
                &mut self.legal[number],
                planes.legal_directions(&axes, self.spec.collapse),
            );
        }
    }

    /// The moves made in a slot's game.
    pub(in super::super) fn moves_made(&self, slot: usize) -> u64 {
        self.moves_made[slot]
    }

    /// Writes a slot's board.
    pub(in super::super) fn read(
        &self,
        slot: usize,
        places: &Places,
        kinds: &mut [u8],
        numbers: &mut [f64],
    ) {
        const { assert!(kind::BLANK == 0 && kind::NUMBER == 1 && kind::PLUS == 2) };
        let group = &self.groups[slot / I::WIDTH];
        let lane = slot % I::WIDTH;
        let word = |words: &[I::Block; W], w: usize| words[w][lane];
        numbers.fill(0.0);
        for run in &places.bytes {
            let byte = |words: &[I::Block; W]| {
                SPREAD[(word(words, run.byte / 8) >> (run.byte % 8 * 8)) as u8 as usize]
            };
            let operators = byte(&group.operators);
            let indices = (0..H).fold(0, |sum, b| sum | byte(&group.indices[b]) << b);
            // Each operator's byte, as all ones.
            let mask = operators * 0xFF;
            let found =
                (byte(&group.occupied) & !operators) | ((operators << 1) + (indices & mask));
            let count = run.cells.len();
            kinds[run.cells.clone()].copy_from_slice(&found.to_le_bytes()[..count]);
        }
        let base = slot * values_each(W);
        for w in 0..W {
            let indices: [u64; H] = std::array::from_fn(|b| word(&group.indices[b], w));
            for bit in set_bits(word(&group.occupied, w) & !word(&group.operators, w)) {
                let index = (0..H).fold(0, |sum, b| sum | (indices[b] >> bit & 1) << b);
                numbers[usize::from(places.cells[64 * w + bit])] =
                    self.numbers.rounded(base + index as usize);
            }
        }
    }

    /// Writes the rows of a slot's board as JSON lists of tile texts.
    pub(in super::super) fn write_board(&self, slot: usize, text: &mut String) {
        let planes = self.groups[slot / I::WIDTH].lane_planes(slot % I::WIDTH);
        for cell in 0..self.spec.cells() {
            text.push_str(match (cell, cell % self.spec.cols) {
                (0, _) => "[\"",
                (_, 0) => "\"],[\"",
                _ => "\",\"",
            });
            match planes.tile(self.layout.bit(cell)) {
                None => text.push('_'),
                Some(Indexed::Operator(number)) => text.push(Operator::ALL[number].symbol()),
                Some(Indexed::Number(index)) => {
                    self.numbers.write(slot * values_each(W) + index, text);
                }
            }
        }
        text.push_str("\"]");
    }
}

/// Where the cells of a board lie in a plane.
pub(in super::super) struct Places {
    /// The bytes of a plane that have cells.
    bytes: Vec<Run>,
    /// The cell of each bit; 0 for bits without a cell.
    cells: Vec<u8>,
}

/// The cells of one byte of a plane, neighbours in a row or in reading order.
struct Run {
    byte: usize,
    cells: std::ops::Range<usize>,
}

impl Places {
    pub(in super::super) fn new<const W: usize>(layout: &Layout<W>, cells: usize) -> Self {
        let mut places = Self {
            bytes: Vec::new(),
            cells: vec![0; 64 * W],
        };
        for cell in 0..cells {
            let bit = layout.bit(cell);
            places.cells[bit] = cell as u8;
            match places.bytes.last_mut() {
                Some(run) if run.byte == bit / 8 => run.cells.end = cell + 1,
                _ => places.bytes.push(Run {
                    byte: bit / 8,
                    cells: cell..cell + 1,
                }),
            }
        }
        places
    }
}

/// Eight bits as the lowest bits of eight bytes.
static SPREAD: [u64; 256] = {
    let mut spread = [0; 256];
    let mut bits = 0;
    while bits < 256 {
        let mut bit = 0;
        while bit < 8 {
            spread[bits] |= (bits as u64 >> bit & 1) << (8 * bit);
            bit += 1;
        }
        bits += 1;
    }
    spread
};
