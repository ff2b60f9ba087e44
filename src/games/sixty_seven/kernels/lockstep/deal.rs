//! The tiles of a round, for one vector of games: drawn as ranks among the blanks, then placed on cells.

use super::super::isa::Isa;
use super::super::layout::{Layout, Plane};
use super::super::spec::{OPERATORS_AT, Spec};
use super::super::streams::next_word;
use super::super::triple::{FIRST_AT, PLACE};
use super::super::turn::{Meanwhile, OPERATOR_BIT, point};
use super::group::{Group, load, store};
use super::{PLACES, place};

/// One tile of this round, for one vector of games.
#[derive(Clone, Copy)]
pub(super) struct Deal<I: Isa, const W: usize> {
    /// Rank among the blanks (8 bits), where its value goes (from bit 8), and the digit (from bit 32).
    pub(super) choice: I::Block,
    /// The code that goes into the planes.
    pub(super) code: I::Block,
    /// The cell, as one bit.
    pub(super) cell: [I::Block; W],
}

/// What a vector of games draws its tiles from.
pub(super) struct Source<I: Isa, const W: usize> {
    pub(super) occupied: Plane<I::Vector, W>,
    pub(super) free: Plane<I::Vector, W>,
    pub(super) stream: [I::Vector; 4],
    pub(super) base: I::Vector,
}

impl<I: Isa, const W: usize> Source<I, W> {
    /// Draws this round's tiles, one word each: `tile` takes the number of each, its code and its choice. Returns the blanks.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        isa: I,
        layout: &Layout<W>,
        spec: &Spec,
        mut tile: impl FnMut(usize, I::Vector, I::Vector),
    ) -> Plane<I::Vector, W> {
        let mut blanks = self.occupied;
        let mut left = isa.splat(0);
        for w in 0..W {
            blanks[w] = isa.and_not(isa.splat(layout.board[w]), self.occupied[w]);
            left = isa.add(left, isa.popcount(blanks[w]));
        }
        let base = isa.and(isa.shift_right_by::<FIRST_AT>(self.base), isa.splat(PLACE));
        // Below 2⁶³, so that the signed comparison serves; a threshold of 0 becomes -1, which everything exceeds.
        let threshold = isa.splat(spec.operator_threshold.wrapping_sub(1));
        let kinds = isa.splat(spec.kinds);
        for number in 0..spec.tiles {
            let (rank, rest) = isa.multiply(isa.factor(next_word(isa, &mut self.stream)), left);
            let (kind, rest) = isa.multiply(rest, kinds);
            let digit = isa.greater(isa.shift_right_by::<1>(isa.word(rest)), threshold);
            let operator_index = isa.add(kind, isa.splat(OPERATORS_AT));
            let content = isa.lookup64(&spec.table, isa.select(digit, kind, operator_index));
            let slot = take_slot(isa, &mut self.free, isa.both(digit, isa.is_nonzero(left)));
            let code = isa.select(digit, slot, isa.or(content, isa.splat(1 << OPERATOR_BIT)));
            let place = isa.shift_left_by::<8>(isa.add(slot, base));
            tile(number, code, isa.or(isa.or(rank, place), isa.shift_left_by::<32>(content)));
            left = isa.decrement(left);
        }
        blanks
    }
}

/// Draws this round's tiles for a vector of games; `meanwhile` is called after each.
#[inline(always)]
pub(super) fn draw<I: Isa, const W: usize, const H: usize>(
    isa: I,
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    deals: &mut [Deal<I, W>],
    mut meanwhile: impl FnMut(),
) {
    let occupied = load(isa, &group.occupied);
    let mut source =
        Source { occupied, free: load(isa, &group.free), stream: [occupied[0]; 4], base: isa.load(&group.base) };
    for i in 0..4 {
        source.stream[i] = isa.load(&group.world[i]);
    }
    let blanks = source.draw(isa, layout, spec, |number, code, choice| {
        isa.store(&mut deals[number].code, code);
        isa.store(&mut deals[number].choice, choice);
        meanwhile();
    });
    store(isa, &mut group.blanks, &blanks);
    store(isa, &mut group.free, &source.free);
    for i in 0..4 {
        isa.store(&mut group.world[i], source.stream[i]);
    }
}

/// Finds the cells of a game's new tiles and, where `VALUES`, writes the digits' values.
#[inline(always)]
pub(super) fn place_lane<I: Isa, const W: usize, const VALUES: bool>(
    isa: I,
    blanks: &[I::Block; W],
    deals: &mut [Deal<I, W>],
    values: &mut [u64],
    lane: usize,
) {
    let mut left = [0; W];
    for w in 0..W {
        left[w] = blanks[w][lane];
    }
    for deal in deals {
        let choice = deal.choice[lane];
        if VALUES {
            // An operator writes its number into a slot that stays free.
            values[..PLACES][place(choice, 8)] = choice >> 32;
        }
        let cell = nth_cell(isa, &left, choice);
        for w in 0..W {
            left[w] ^= cell[w];
            deal.cell[w][lane] = cell[w];
        }
    }
}

/// The drawn tiles of a vector of games, placed while another one moves.
pub(super) struct Placing<'a, I: Isa, const W: usize> {
    pub(super) isa: I,
    pub(super) values: &'a mut [u64],
    pub(super) blanks: &'a [I::Block; W],
    pub(super) deals: &'a mut [Deal<I, W>],
    /// The next game whose tiles are to be placed.
    pub(super) lane: usize,
}

impl<I: Isa, const W: usize> Placing<'_, I, W> {
    /// Places the tiles of the next `lanes` games.
    #[inline(always)]
    fn place(&mut self, lanes: usize) {
        for _ in 0..lanes {
            if self.lane < I::LANES {
                place_lane::<I, W, true>(self.isa, self.blanks, self.deals, self.values, self.lane);
                self.lane += 1;
            }
        }
    }
}

impl<I: Isa, const W: usize> Meanwhile for Placing<'_, I, W> {
    #[inline(always)]
    fn work<const POINT: usize>(&mut self) {
        // Two where the move is one chain, from the legal directions to the one that is picked; elsewhere as even as eight games go.
        match POINT {
            point::PUT => {}
            point::LEGAL => self.place(2),
            point::END => self.place(I::LANES),
            _ => self.place(1),
        }
    }
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
    // Chosen by comparing, since words chosen by number would go through memory.
    let (mut at, mut rank, mut chosen) = (0, choice & 0xFF, blanks[0]);
    for w in 1..W {
        let count = u64::from(blanks[w - 1].count_ones());
        let beyond = at == w - 1 && rank >= count;
        rank -= if beyond { count } else { 0 };
        chosen = if beyond { blanks[w] } else { chosen };
        at = if beyond { w } else { at };
    }
    let bit = isa.nth_bit(chosen, rank);
    let mut cell = [0; W];
    for w in 0..W {
        cell[w] = if at == w { bit } else { 0 };
    }
    cell
}
