//! The state of one vector of games in memory, and its move.

use super::super::entry::SLOT_AT;
use super::super::isa::Isa;
use super::super::layout::{Layout, Shift};
use super::super::operation::OperationIsa;
use super::super::plane::Plane;
use super::super::portable::Portable;
use super::super::spec::Spec;
use super::super::streams::Streams;
use super::super::turn::{Meanwhile, Planes, point};

/// Slots of a batch, at most: an entry has so many bits for a slot, a word one bit for each.
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

/// The planes and streams of one vector of games, in memory.
#[derive(Clone, Copy)]
pub(super) struct Group<I: Isa, const W: usize, const H: usize> {
    pub(super) occupied: [I::Block; W],
    pub(super) operators: [I::Block; W],
    pub(super) indices: [[I::Block; W]; H],
    /// Value indices not in use.
    pub(super) free: [I::Block; W],
    pub(super) world: [I::Block; 4],
    pub(super) player: [I::Block; 4],
    /// The blanks before this round's tiles.
    pub(super) blanks: [I::Block; W],
    /// Where each slot's values begin, as [`super::super::entry::base`] packs them.
    pub(super) base: I::Block,
    /// Starts of this round's operations.
    pub(super) starts: [I::Block; W],
    /// The indices as they stood before the operations collapsed, in the form for look-ups.
    pub(super) collapsing: [[I::Block; W]; H],
    /// This round's directions.
    pub(super) directions: I::Block,
    /// Tiles put in each game, and from bit 32 the operators among them, where
    /// [`Spec::counts_each_round`].
    pub(super) spawned: I::Block,
    /// Bit l is set where lane l has no legal direction.
    pub(super) blocked: u32,
}

/// One tile of this round, for one vector of games.
#[derive(Clone, Copy)]
pub(super) struct Spawn<I: Isa, const W: usize> {
    /// Rank among the blanks (8 bits), address of the value (from bit 8), and the digit (from bit
    /// 32).
    pub(super) choice: I::Block,
    /// The code that goes into the planes.
    pub(super) code: I::Block,
    /// The cell, as one bit.
    pub(super) cell: [I::Block; W],
}

impl<I: Isa, const W: usize> Spawn<I, W> {
    /// No tile.
    pub(super) fn none() -> Self {
        let block = I::Block::default();
        Self {
            choice: block,
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

    #[inline(always)]
    pub(super) fn set_planes(&mut self, planes: &Planes<I, W, H>) {
        planes.occupied.store(&mut self.occupied);
        planes.operators.store(&mut self.operators);
        for b in 0..H {
            planes.indices[b].store(&mut self.indices[b]);
        }
    }
}

impl<I: Isa, const W: usize, const H: usize> Group<I, W, H> {
    /// One game's part of a plane.
    #[inline(always)]
    pub(super) fn plane(
        &self,
        words: impl Fn(&Self) -> &[I::Block; W],
        lane: usize,
    ) -> Plane<Portable, W> {
        Plane {
            isa: Portable,
            words: std::array::from_fn(|w| words(self)[w][lane]),
        }
    }

    /// Copies the planes of lane number `from` of another vector to one of this vector's.
    #[inline(always)]
    fn copy_planes(&mut self, to: usize, other: &Self, from: usize) {
        for w in 0..W {
            self.occupied[w][to] = other.occupied[w][from];
            self.operators[w][to] = other.operators[w][from];
            for b in 0..H {
                self.indices[b][w][to] = other.indices[b][w][from];
            }
        }
    }

    /// Picks a direction for one game, for which `directions` has the legal ones.
    #[inline(always)]
    fn pick(&mut self, lane: usize) {
        let isa = Portable;
        let mut player = Streams {
            isa,
            state: std::array::from_fn(|i| self.player[i][lane]),
        };
        let legal = self.directions[lane];
        let (rank, _) = isa.multiply(player.next_word(), isa.popcount(legal));
        for i in 0..4 {
            self.player[i][lane] = player.state[i];
        }
        self.directions[lane] = isa.lookup16(&ORDER, legal) >> (2 * rank) & 3;
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

/// Puts the tiles, picks a legal direction and moves, for a vector of games. Where
/// [`Isa::ONE_DIRECTION`], the move remains to be done, by [`collapse_together`].
#[inline(always)]
pub(super) fn advance<I: OperationIsa, const W: usize, const R: usize, const H: usize>(
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
    if I::ONE_DIRECTION {
        group.set_planes(&planes);
        isa.store(&mut group.directions, legal);
        for lane in 0..I::WIDTH {
            group.pick(lane);
        }
        meanwhile.work::<{ point::END }>();
        return;
    }
    let mut player = Streams::load(isa, &group.player);
    let (rank, _) = isa.multiply(isa.factor(player.next_word()), isa.popcount(legal));
    player.store(&mut group.player);
    let directions = isa.shift_right(isa.lookup16(&ORDER, legal), isa.add(rank, rank));
    let directions = isa.and(directions, isa.splat(3));
    collapse::<I, W, R, H>(isa, layout, spec, group, planes, directions, meanwhile);
    meanwhile.work::<{ point::END }>();
}

/// Moves a vector of games, each in its direction, and stores the planes.
#[inline(always)]
pub(super) fn collapse<I: OperationIsa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    mut planes: Planes<I, W, H>,
    directions: I::Vector,
    meanwhile: &mut impl Meanwhile,
) {
    let board = Plane::splat(isa, &layout.board);
    // Without a legal direction any move leaves the board as it is.
    let shift = layout.shift::<I, R>(isa, directions);
    meanwhile.work::<{ point::PICKED }>();
    let (starts, indices) = planes.advance::<R>(board, &shift, spec.collapse, meanwhile);
    group.set_planes(&planes);
    starts.store(&mut group.starts);
    let indices = isa.for_lookup(indices);
    for b in 0..H {
        indices[b].store(&mut group.collapsing[b]);
    }
    isa.store(&mut group.directions, directions);
}

/// Moves vectors of games, each game in its direction, where [`Isa::ONE_DIRECTION`]: games with the
/// same direction share a vector.
#[inline(always)]
pub(super) fn collapse_together<I: OperationIsa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    groups: &mut [Group<I, W, H>],
) {
    let mut slots = [[0; SLOTS_MAX]; 4];
    let mut counts = [0; 4];
    assert!(
        groups.len() * I::WIDTH <= SLOTS_MAX,
        "a batch has few slots"
    );
    for slot in 0..groups.len() * I::WIDTH {
        let direction = groups[slot / I::WIDTH].directions[slot % I::WIDTH] as usize & 3;
        // The mask changes nothing; it saves the check of the bound.
        slots[direction][counts[direction] & (SLOTS_MAX - 1)] = slot;
        counts[direction] += 1;
    }
    collapse_towards::<I, W, R, H, 0>(isa, layout, spec, groups, &slots[0][..counts[0]]);
    collapse_towards::<I, W, R, H, 1>(isa, layout, spec, groups, &slots[1][..counts[1]]);
    collapse_towards::<I, W, R, H, 2>(isa, layout, spec, groups, &slots[2][..counts[2]]);
    collapse_towards::<I, W, R, H, 3>(isa, layout, spec, groups, &slots[3][..counts[3]]);
}

/// Moves the games of these slots in direction number `D`, which the compiler knows.
///
/// A separate function, since otherwise each caller would have a copy for each direction.
#[inline(never)]
fn collapse_towards<
    I: OperationIsa,
    const W: usize,
    const R: usize,
    const H: usize,
    const D: u64,
>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    groups: &mut [Group<I, W, H>],
    slots: &[usize],
) {
    let board = Plane::splat(isa, &layout.board);
    let shift = layout.shift::<I, R>(isa, isa.splat(D));
    for slots in slots.chunks(I::WIDTH) {
        let mut joined = Group::<I, W, H>::blank();
        // The last vector's lanes may all hold the same game.
        let slot_of = |lane: usize| slots[lane.min(slots.len() - 1)];
        for lane in 0..I::WIDTH {
            let slot = slot_of(lane);
            joined.copy_planes(lane, &groups[slot / I::WIDTH], slot % I::WIDTH);
        }
        let mut planes = joined.planes(isa);
        let (starts, indices) = planes.advance::<R>(board, &shift, spec.collapse, &mut ());
        joined.set_planes(&planes);
        starts.store(&mut joined.starts);
        for b in 0..H {
            indices[b].store(&mut joined.collapsing[b]);
        }
        for lane in 0..I::WIDTH {
            let slot = slot_of(lane);
            let group = &mut groups[slot / I::WIDTH];
            group.copy_planes(slot % I::WIDTH, &joined, lane);
            for w in 0..W {
                group.starts[w][slot % I::WIDTH] = joined.starts[w][lane];
                for b in 0..H {
                    group.collapsing[b][w][slot % I::WIDTH] = joined.collapsing[b][w][lane];
                }
            }
        }
    }
}

/// Queues the operations of vectors of games; returns how many. So many vectors as gain by it share
/// the loop over the first, second, … operation of each game.
#[inline(always)]
pub(super) fn queue_groups<I: OperationIsa, const W: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>],
    queue: &mut [u64],
) -> usize {
    if I::ONE_DIRECTION {
        return queue_each(layout, groups, queue);
    }
    match (I::WIDTH, W) {
        (8, 1) => queue_chunks::<I, W, H, 4>(isa, layout, groups, queue),
        (8, 2) => queue_chunks::<I, W, H, 2>(isa, layout, groups, queue),
        _ => queue_chunks::<I, W, H, 1>(isa, layout, groups, queue),
    }
}

/// The same game by game.
#[inline(always)]
fn queue_each<I: Isa, const W: usize, const H: usize>(
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>],
    queue: &mut [u64],
) -> usize {
    let isa = Portable;
    // Slots with operations left, found without a branch.
    let mut slots = [0; SLOTS_MAX];
    let mut count = 0;
    assert!(
        groups.len() * I::WIDTH <= SLOTS_MAX,
        "a batch has few slots"
    );
    for slot in 0..groups.len() * I::WIDTH {
        // The mask changes nothing; it saves the check of the bound.
        slots[count & (SLOTS_MAX - 1)] = slot;
        count += usize::from(
            groups[slot / I::WIDTH]
                .plane(|group| &group.starts, slot % I::WIDTH)
                .any()
                != 0,
        );
    }
    let mut queued = 0;
    while count > 0 {
        let mut left = 0;
        for at in 0..count {
            let slot = slots[at];
            let lane = slot % I::WIDTH;
            let group = &mut groups[slot / I::WIDTH];
            let mut starts = group.plane(|group| &group.starts, lane);
            let indices =
                std::array::from_fn::<_, H, _>(|b| group.plane(|group| &group.collapsing[b], lane));
            let spread = layout.spread(isa, group.directions[lane]);
            let operation = isa.take_operation(&mut starts, &indices, spread);
            queue[queued] = operation.entry.wrapping_add(group.base[lane]);
            queued += 1;
            for w in 0..W {
                group.starts[w][lane] = starts.words[w];
                group.free[w][lane] |= operation.freed.words[w];
            }
            slots[left] = slot;
            left += usize::from(starts.any() != 0);
        }
        count = left;
    }
    queued
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
/// until there are none. Returns how many.
#[inline(always)]
fn queue_operations<I: OperationIsa, const W: usize, const H: usize, const N: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>; N],
    queue: &mut [u64],
) -> usize {
    let mut starts = [Plane::zero(isa); N];
    let mut free = starts;
    for n in 0..N {
        starts[n] = Plane::load(isa, &groups[n].starts);
        free[n] = Plane::load(isa, &groups[n].free);
    }
    let mut queued = 0;
    loop {
        let mut any = isa.splat(0);
        for n in 0..N {
            let group = &groups[n];
            let spread = layout.spread(isa, isa.load(&group.directions));
            let indices = load_indices(isa, &group.collapsing);
            let operation = isa.take_operation(&mut starts[n], &indices, spread);
            free[n] |= operation.freed;
            any = isa.or(any, starts[n].any());
            let entry = isa.add(operation.entry, isa.load(&group.base));
            queued += isa.append(&mut queue[queued..], entry, operation.any);
        }
        if isa.all_zero(any) {
            break;
        }
    }
    for n in 0..N {
        free[n].store(&mut groups[n].free);
    }
    queued
}
