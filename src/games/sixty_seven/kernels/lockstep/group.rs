//! What one vector of games remembers, and its move.

use super::super::isa::Isa;
use super::super::layout::{Layout, Plane, Way};
use super::super::spec::{Rule, Spec};
use super::super::streams::next_word;
use super::super::turn::{Meanwhile, Planes, point};
use super::deal::Deal;

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
pub(super) struct Group<I: Isa, const W: usize, const H: usize> {
    pub(super) occupied: [I::Block; W],
    pub(super) operators: [I::Block; W],
    pub(super) handles: [[I::Block; W]; H],
    /// Slots without a number.
    pub(super) free: [I::Block; W],
    pub(super) world: [I::Block; 4],
    pub(super) player: [I::Block; 4],
    /// The blanks before this round's deal.
    pub(super) blanks: [I::Block; W],
    /// Where each seat's values begin, as [`super::super::triple::base`] packs them.
    pub(super) base: I::Block,
    /// Starts of this round's triples, the handles as they then stood, and the directions.
    pub(super) starts: [I::Block; W],
    pub(super) packed: [[I::Block; W]; H],
    pub(super) directions: I::Block,
    /// Lanes without a legal direction.
    pub(super) blocked: u32,
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

/// Puts the tiles, picks a legal direction and moves, for a vector of games.
#[inline(always)]
pub(super) fn advance<I: Isa, const W: usize, const R: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    deals: &[Deal<I, W>],
    axes: &[Way<I, W>; 2],
    meanwhile: &mut impl Meanwhile,
) {
    let rule = spec.rule;
    let mut planes = group.planes(isa);
    planes.clear(isa, load(isa, &group.blanks));
    for deal in deals {
        planes.put(isa, load(isa, &deal.cell), isa.load(&deal.code));
    }
    meanwhile.work::<{ point::PUT }>();
    let legal = legal(isa, &planes, axes, rule);
    meanwhile.work::<{ point::LEGAL }>();
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
        board[w] = isa.splat(layout.board[w]);
    }
    // Without a legal direction any move leaves the board as it is.
    let way = layout.way::<I, R>(isa, directions);
    meanwhile.work::<{ point::PICKED }>();
    let (starts, handles) = planes.advance::<R>(isa, &board, &way, rule, meanwhile);
    group.set_planes(isa, &planes);
    store(isa, &mut group.starts, &starts);
    let handles = isa.in_store(handles);
    for b in 0..H {
        store(isa, &mut group.packed[b], &handles[b]);
    }
    isa.store(&mut group.directions, directions);
    group.blocked = isa.zero_lanes(legal);
    meanwhile.work::<{ point::END }>();
}

/// Queues the triples of vectors of games, the first of each game, then the second of each, until there are none; returns how many.
#[inline(always)]
pub(super) fn queue_triples<I: Isa, const W: usize, const H: usize, const N: usize>(
    isa: I,
    layout: &Layout<W>,
    groups: &mut [Group<I, W, H>; N],
    queue: &mut [u64],
) -> usize {
    let mut starts = [[isa.splat(0); W]; N];
    let mut free = starts;
    for n in 0..N {
        starts[n] = load(isa, &groups[n].starts);
        free[n] = load(isa, &groups[n].free);
    }
    let mut queued = 0;
    loop {
        let mut any = isa.splat(0);
        for n in 0..N {
            let group = &groups[n];
            let spread = layout.spread(isa, isa.load(&group.directions));
            let mut handles = [starts[n]; H];
            for b in 0..H {
                handles[b] = load(isa, &group.packed[b]);
            }
            let triple = isa.take_triple(&mut starts[n], &handles, spread);
            for w in 0..W {
                free[n][w] = isa.or(free[n][w], triple.freed[w]);
                any = isa.or(any, starts[n][w]);
            }
            let entry = isa.add(triple.entry, isa.load(&group.base));
            queued += isa.append(&mut queue[queued..], entry, triple.any);
        }
        if isa.all_zero(any) {
            break;
        }
    }
    for n in 0..N {
        store(isa, &mut groups[n].free, &free[n]);
    }
    queued
}

/// The legal directions, bit d for direction number d; `axes` are those of [`Layout::axes`].
#[inline(always)]
pub(in super::super) fn legal<I: Isa, const W: usize, const H: usize>(
    isa: I,
    planes: &Planes<I, W, H>,
    axes: &[Way<I, W>; 2],
    rule: Rule,
) -> I::Vector {
    let [up, left] = axes;
    let (to_up, to_down) = planes.legal(isa, up, rule);
    let (to_left, to_right) = planes.legal(isa, left, rule);
    let mut legal = isa.keep(isa.is_nonzero(to_up), isa.splat(1));
    for (bit, to) in [(2, to_down), (4, to_left), (8, to_right)] {
        legal = isa.or_if(legal, isa.splat(bit), to, to);
    }
    legal
}

#[inline(always)]
pub(super) fn load<I: Isa, const W: usize>(isa: I, words: &[I::Block; W]) -> Plane<I::Vector, W> {
    let mut plane = [isa.splat(0); W];
    for w in 0..W {
        plane[w] = isa.load(&words[w]);
    }
    plane
}

#[inline(always)]
pub(super) fn store<I: Isa, const W: usize>(isa: I, words: &mut [I::Block; W], plane: &Plane<I::Vector, W>) {
    for w in 0..W {
        isa.store(&mut words[w], plane[w]);
    }
}
