//! The state of one vector of games in memory, and its move.

use crate::games::sixty_seven::kernels::{
    isa::Isa,
    layout::{Layout, Shift},
    operation::OperationIsa,
    plane::Plane,
    portable::Portable,
    queued::SLOT_AT,
    spec::Spec,
    streams::Streams,
    turn::{Meanwhile, Planes, point},
};
use std::ops::{Index, IndexMut};

/// At most 64 slots make a batch: an entry of the queue has 6 bits for the slot, and sets of slots
/// are the bits of one word.
pub(super) const SLOTS_MAX: usize = 1 << (u64::BITS - SLOT_AT);

/// `ORDER[legal]` lists the legal directions, two bits each, from bit 0 on; `legal` has bit d set
/// where direction number d is legal.
static ORDER: [u8; 16] = {
    let mut order = [0; 16];
    let mut legal = 0;
    while legal < 16 {
        let mut direction = 0;
        let mut place = 0;
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

/// The planes and streams of one vector of games, in memory: planes of `W` words, value indices of
/// `H` bits.
#[derive(Clone, Copy)]
pub(super) struct Group<I: Isa, const W: usize, const H: usize> {
    /// The cells that are not blank.
    pub occupied: [I::Block; W],
    /// The cells with operators.
    pub operators: [I::Block; W],
    /// The value index of each number, or the code of each operator, bit by bit.
    pub indices: [[I::Block; W]; H],
    /// Value indices not in use.
    pub free: [I::Block; W],
    /// The states of the world streams.
    pub world: [I::Block; 4],
    /// The states of the player streams.
    pub player: [I::Block; 4],
    /// The blanks before this round's tiles.
    pub blanks: [I::Block; W],
    /// Where each slot's values begin, as [`super::super::queued::base`] packs them.
    pub base: I::Block,
    /// Starts of this round's operations.
    pub starts: [I::Block; W],
    /// The indices as they stood before the operations collapsed, in the form for look-ups.
    pub collapsing: [[I::Block; W]; H],
    /// This round's directions.
    pub directions: I::Block,
    /// Tiles put in each game, and from bit 32 the operators among them, where
    /// [`Spec::counts_each_round`].
    pub spawned: I::Block,
    /// Bit l is set where lane l, of at most 32, has no legal direction.
    pub blocked: u32,
}

/// One tile of this round, for one vector of games.
#[derive(Clone, Copy)]
pub(super) struct Spawn<I: Isa, const W: usize> {
    /// Rank among the blanks (8 bits), address of the value (from bit 8), and the digit (from bit
    /// 32).
    pub draw: I::Block,
    /// The code that goes into the planes.
    pub code: I::Block,
    /// The cell, as one bit.
    pub cell: [I::Block; W],
}

impl<I: Isa, const W: usize> Spawn<I, W> {
    /// No tile.
    pub(super) fn none() -> Self {
        let block = I::Block::default();
        Self {
            draw: block,
            code: block,
            cell: [block; W],
        }
    }
}

impl<I: Isa, const W: usize, const H: usize> Group<I, W, H> {
    /// A blank board in each lane.
    pub(super) fn blank() -> Self {
        let block = I::Block::default();
        Self {
            occupied: [block; W],
            operators: [block; W],
            indices: [[block; W]; H],
            free: [block; W],
            world: [block; 4],
            player: [block; 4],
            blanks: [block; W],
            base: block,
            starts: [block; W],
            collapsing: [[block; W]; H],
            directions: block,
            spawned: block,
            blocked: 0,
        }
    }

    #[inline(always)]
    pub(super) fn planes(&self, isa: I) -> Planes<I, W, H> {
        Planes {
            occupied: Plane::load(isa, &self.occupied),
            operators: Plane::load(isa, &self.operators),
            indices: load_indices(isa, &self.indices),
        }
    }

    /// The board of one lane.
    #[inline(always)]
    pub(super) fn lane_planes(&self, lane: usize) -> Planes<Portable, W, H> {
        Planes {
            occupied: lane_plane(&self.occupied, lane),
            operators: lane_plane(&self.operators, lane),
            indices: std::array::from_fn(|b| lane_plane(&self.indices[b], lane)),
        }
    }

    /// Puts a board and its free value indices into a lane.
    #[inline(always)]
    pub(super) fn set_lane(
        &mut self,
        lane: usize,
        planes: &Planes<Portable, W, H>,
        free: &Plane<Portable, W>,
    ) {
        set_words(&mut self.occupied, lane, planes.occupied.words);
        set_words(&mut self.operators, lane, planes.operators.words);
        set_words(&mut self.free, lane, free.words);
        for b in 0..H {
            set_words(&mut self.indices[b], lane, planes.indices[b].words);
        }
    }

    #[inline(always)]
    pub(super) fn set_planes(&mut self, planes: &Planes<I, W, H>) {
        planes.occupied.store(&mut self.occupied);
        planes.operators.store(&mut self.operators);
        for b in 0..H {
            planes.indices[b].store(&mut self.indices[b]);
        }
    }
}

/// The words of one lane.
#[inline(always)]
pub(super) fn words<B: Index<usize, Output = u64>, const N: usize>(
    blocks: &[B; N],
    lane: usize,
) -> [u64; N] {
    std::array::from_fn(|n| blocks[n][lane])
}

/// Writes the words of one lane.
#[inline(always)]
pub(super) fn set_words<B: IndexMut<usize, Output = u64>, const N: usize>(
    blocks: &mut [B; N],
    lane: usize,
    words: [u64; N],
) {
    for n in 0..N {
        blocks[n][lane] = words[n];
    }
}

/// One lane's part of a plane.
#[inline(always)]
pub(super) fn lane_plane<B: Index<usize, Output = u64>, const W: usize>(
    blocks: &[B; W],
    lane: usize,
) -> Plane<Portable, W> {
    Plane {
        isa: Portable,
        words: words(blocks, lane),
    }
}

#[inline(always)]
fn load_indices<I: Isa, const W: usize, const H: usize>(
    isa: I,
    blocks: &[[I::Block; W]; H],
) -> [Plane<I, W>; H] {
    let mut indices = [Plane::zero(isa); H];
    for b in 0..H {
        indices[b] = Plane::load(isa, &blocks[b]);
    }
    indices
}

/// Puts the tiles, picks a legal direction and moves, for a vector of games.
#[inline(always)]
pub(super) fn take_turn<I: OperationIsa, const W: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    spawns: &[Spawn<I, W>],
    axes: &[Shift<I, W>; 2],
    meanwhile: &mut impl Meanwhile,
) {
    let mut planes = group.planes(isa);
    planes.clear(Plane::load(isa, &group.blanks));
    for spawn in spawns {
        planes.put(Plane::load(isa, &spawn.cell), isa.load(&spawn.code));
    }
    if spec.counts_each_round {
        let tiles = Plane::load(isa, &group.blanks) & planes.occupied;
        let operators = (tiles & planes.operators).count();
        let counts = isa.add(tiles.count(), isa.shift_left_by::<32>(operators));
        let spawned = isa.add(isa.load(&group.spawned), counts);
        isa.store(&mut group.spawned, spawned);
    }
    meanwhile.work::<{ point::PUT }>();
    let legal = planes.legal_directions(axes, spec.collapse);
    meanwhile.work::<{ point::LEGAL }>();
    group.blocked = isa.zero_lanes(legal);
    let mut player = Streams::load(isa, &group.player);
    // A direction's rank below the number of legal ones: the high half of the product. `ORDER` has
    // two bits a direction; without a legal one, any move leaves the board as it is.
    let (rank, _) = isa.multiply(isa.factor(player.next_word()), isa.popcount(legal));
    player.store(&mut group.player);
    let directions = isa.shift_right(isa.lookup16(&ORDER, legal), isa.add(rank, rank));
    let directions = isa.and(directions, isa.splat(3));
    move_boards::<I, W, H>(isa, layout, spec, group, planes, directions, meanwhile);
    meanwhile.work::<{ point::END }>();
}

/// Moves a vector of games, each in its direction, and stores the planes.
#[inline(always)]
pub(super) fn move_boards<I: OperationIsa, const W: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    mut planes: Planes<I, W, H>,
    directions: I::Vector,
    meanwhile: &mut impl Meanwhile,
) {
    let board = Plane::splat(isa, &layout.board);
    let shift = layout.shift(isa, directions);
    meanwhile.work::<{ point::PICKED }>();
    let (starts, indices) = planes.advance(board, &shift, spec.collapse, meanwhile);
    group.set_planes(&planes);
    starts.store(&mut group.starts);
    let indices = isa.for_lookup(indices);
    for b in 0..H {
        indices[b].store(&mut group.collapsing[b]);
    }
    isa.store(&mut group.directions, directions);
}

/// Queues the operations of vectors of games; returns how many. Some vectors share the loop over
/// the first, second, … operation of each game; how many gain most was measured (docs/kernels.md).
#[inline(always)]
pub(super) fn queue_groups<I: OperationIsa, const W: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>],
    queue: &mut [u64],
) -> usize {
    match (I::WIDTH, W) {
        (8, 1) => queue_chunks::<I, W, H, 4>(isa, layout, groups, queue),
        (8, 2) => queue_chunks::<I, W, H, 2>(isa, layout, groups, queue),
        _ => queue_chunks::<I, W, H, 1>(isa, layout, groups, queue),
    }
}

#[inline(always)]
fn queue_chunks<I: OperationIsa, const W: usize, const H: usize, const N: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>],
    queue: &mut [u64],
) -> usize {
    let mut queued = 0;
    let (chunks, rest) = groups.as_chunks_mut::<N>();
    for chunk in chunks {
        queued += queue_operations(isa, layout, chunk, &mut queue[queued..]);
    }
    for group in rest {
        queued += queue_operations(
            isa,
            layout,
            std::array::from_mut(group),
            &mut queue[queued..],
        );
    }
    queued
}

/// Queues the operations of vectors of games: the first of each game, then the second of each,
/// until there are none. Returns how many. The queue needs room for a whole vector behind the last
/// one, since a vector is written at once.
#[inline(always)]
fn queue_operations<I: OperationIsa, const W: usize, const H: usize, const N: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>; N],
    queue: &mut [u64],
) -> usize {
    let mut starts = [Plane::zero(isa); N];
    let mut free = [Plane::zero(isa); N];
    for n in 0..N {
        starts[n] = Plane::load(isa, &groups[n].starts);
        free[n] = Plane::load(isa, &groups[n].free);
    }
    let mut queued = 0;
    loop {
        let mut left = isa.splat(0);
        for n in 0..N {
            let group = &groups[n];
            let spread = layout.spread(isa, isa.load(&group.directions));
            let indices = load_indices(isa, &group.collapsing);
            let operation = isa.take_operation(&mut starts[n], &indices, spread);
            free[n] |= operation.freed;
            left = isa.or(left, starts[n].any());
            let entry = isa.add(operation.entry, isa.load(&group.base));
            queued += isa.append(&mut queue[queued..], entry, operation.any);
        }
        if isa.all_zero(left) {
            break;
        }
    }
    for n in 0..N {
        free[n].store(&mut groups[n].free);
    }
    queued
}
