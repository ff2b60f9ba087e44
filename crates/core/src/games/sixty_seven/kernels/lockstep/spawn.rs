//! The tiles of a round, for one vector of games: drawn as ranks among the blanks, then placed on
//! cells.

use super::super::isa::Isa;
use super::super::layout::Layout;
use super::super::plane::Plane;
use super::super::portable::Portable;
use super::super::queued::{ADDRESS, ADDRESSES, FIRST_AT, address};
use super::super::spec::Spec;
use super::super::streams::Streams;
use super::super::turn::{Meanwhile, OPERATOR_BIT, point};
use super::group::{Group, Spawn, lane_plane, set_words, words};

/// What a vector of games draws its tiles from.
pub(super) struct Spawner<I: Isa, const W: usize> {
    pub occupied: Plane<I, W>,
    /// Value indices not in use.
    pub free: Plane<I, W>,
    pub world: Streams<I>,
    pub base: I::Vector,
}

impl<I: Isa, const W: usize> Spawner<I, W> {
    /// Draws this round's tiles, one word each: `tile` takes the number of each, its code and its
    /// choice. Returns the blanks.
    #[inline(always)]
    pub(super) fn draw(
        &mut self,
        layout: &Layout<W>,
        spec: &Spec,
        mut tile: impl FnMut(usize, I::Vector, I::Vector),
    ) -> Plane<I, W> {
        let isa = self.occupied.isa;
        let blanks = Plane::splat(isa, &layout.board).and_not(self.occupied);
        let mut left = blanks.count();
        let base = isa.and(
            isa.shift_right_by::<FIRST_AT>(self.base),
            isa.splat(ADDRESS),
        );
        // Below 2⁶³, so that the signed comparison serves; a threshold of 0 becomes -1, which every
        // word exceeds.
        let threshold = isa.splat(spec.operator_threshold.wrapping_sub(1));
        let kinds = isa.splat(spec.totals[0] * spec.totals[1]);
        let operators_at = isa.splat(spec.operators_at);
        for number in 0..spec.tiles {
            let (rank, rest) = isa.multiply(isa.factor(self.world.next_word()), left);
            let entry;
            let digit;
            if spec.is_tabled() {
                let (kind, rest) = isa.multiply(rest, kinds);
                digit = isa.greater(isa.shift_right_by::<1>(isa.word(rest)), threshold);
                entry = isa.select(digit, kind, isa.add(kind, operators_at));
            } else {
                // The quotient and the remainder of the draw below the product of both.
                let totals = spec.totals.map(|total| isa.splat(total));
                let (of_operator, rest) = isa.multiply(rest, totals[1]);
                let (of_number, rest) = isa.multiply(rest, totals[0]);
                digit = isa.greater(isa.shift_right_by::<1>(isa.word(rest)), threshold);
                let draw = isa.select(digit, of_number, isa.add(of_operator, totals[0]));
                entry = spec.bounds.iter().fold(isa.splat(0), |entry, &bound| {
                    let is_beyond = isa.greater(draw, isa.splat(bound));
                    isa.add(entry, isa.keep(is_beyond, isa.splat(1)))
                });
            }
            let content = isa.lookup64(&spec.table, entry);
            let taken = isa.both(digit, isa.is_nonzero(left));
            let index = self.free.take_lowest(taken);
            let code = isa.select(digit, index, isa.or(content, isa.splat(1 << OPERATOR_BIT)));
            let address = isa.shift_left_by::<8>(isa.add(index, base));
            tile(
                number,
                code,
                isa.or(isa.or(rank, address), isa.shift_left_by::<32>(content)),
            );
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
    spawns: &mut [Spawn<I, W>],
    mut meanwhile: impl FnMut(),
) {
    let mut spawner = Spawner {
        occupied: Plane::load(isa, &group.occupied),
        free: Plane::load(isa, &group.free),
        world: Streams::load(isa, &group.world),
        base: isa.load(&group.base),
    };
    let blanks = spawner.draw(layout, spec, |number, code, choice| {
        isa.store(&mut spawns[number].code, code);
        isa.store(&mut spawns[number].draw, choice);
        meanwhile();
    });
    blanks.store(&mut group.blanks);
    spawner.free.store(&mut group.free);
    spawner.world.store(&mut group.world);
}

/// Draws this round's tiles for one game.
#[inline(always)]
pub(super) fn draw_game<I: Isa, const W: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    group: &mut Group<I, W, H>,
    spawns: &mut [Spawn<I, W>],
    lane: usize,
) {
    let isa = Portable;
    let mut spawner = Spawner::<Portable, W> {
        occupied: lane_plane(&group.occupied, lane),
        free: lane_plane(&group.free, lane),
        world: Streams {
            isa,
            state: words(&group.world, lane),
        },
        base: group.base[lane],
    };
    let blanks = spawner.draw(layout, spec, |number, code, choice| {
        spawns[number].code[lane] = code;
        spawns[number].draw[lane] = choice;
    });
    set_words(&mut group.blanks, lane, blanks.words);
    set_words(&mut group.free, lane, spawner.free.words);
    set_words(&mut group.world, lane, spawner.world.state);
}

/// Finds the cells of a game's new tiles and, where `VALUES`, stores the digits' values.
#[inline(always)]
pub(super) fn place_game<I: Isa, const W: usize, const VALUES: bool>(
    isa: I,
    blanks: &[I::Block; W],
    spawns: &mut [Spawn<I, W>],
    values: &mut [u64],
    lane: usize,
) {
    let mut left = [0; W];
    for w in 0..W {
        left[w] = blanks[w][lane];
    }
    for spawn in spawns {
        let choice = spawn.draw[lane];
        if VALUES {
            // An operator is stored as well, under an index that stays free: a branch would cost
            // more.
            values[..ADDRESSES][address(choice, 8)] = choice >> 32;
        }
        let cell = nth_cell(isa, &left, choice);
        for w in 0..W {
            left[w] ^= cell[w];
            spawn.cell[w][lane] = cell[w];
        }
    }
}

/// Replaces the places of new numbers by the numbers, where [`Spec::has_places`].
#[cold]
#[inline(never)]
pub(super) fn look_up_numbers<I: Isa, const W: usize>(
    spawns: &[Spawn<I, W>],
    numbers: &[u64],
    values: &mut [u64],
) {
    for spawn in spawns {
        for lane in 0..I::WIDTH {
            let choice = spawn.draw[lane];
            // An operator's number is no place where fewer numbers appear.
            if let Some(number) = numbers.get((choice >> 32) as usize) {
                values[address(choice, 8)] = *number;
            }
        }
    }
}

/// The drawn tiles of a vector of games, to be placed while another vector moves.
pub(super) struct Placing<'a, I: Isa, const W: usize> {
    pub isa: I,
    pub values: &'a mut [u64],
    pub blanks: &'a [I::Block; W],
    pub spawns: &'a mut [Spawn<I, W>],
    /// The next game whose tiles are to be placed.
    pub lane: usize,
}

impl<I: Isa, const W: usize> Placing<'_, I, W> {
    /// Places the tiles of the next `lanes` games.
    #[inline(always)]
    fn place(&mut self, lanes: usize) {
        for _ in 0..lanes {
            if self.lane < I::WIDTH {
                place_game::<I, W, true>(
                    self.isa,
                    self.blanks,
                    self.spawns,
                    self.values,
                    self.lane,
                );
                self.lane += 1;
            }
        }
    }
}

impl<I: Isa, const W: usize> Meanwhile for Placing<'_, I, W> {
    #[inline(always)]
    fn work<const POINT: usize>(&mut self) {
        // Two games after the legal directions, where the move is one dependency chain up to the
        // picked direction; elsewhere one each, as evenly as eight games allow.
        match POINT {
            point::PUT => {}
            point::LEGAL => self.place(2),
            point::END => self.place(I::WIDTH),
            _ => self.place(1),
        }
    }
}

/// The blank cell of this rank, as one bit; none when there are no blanks.
#[inline(always)]
fn nth_cell<I: Isa, const W: usize>(isa: I, blanks: &[u64; W], choice: u64) -> [u64; W] {
    // Chosen by comparing: words chosen by number would go through memory.
    let mut at = 0;
    let mut rank = choice & 0xFF;
    let mut chosen = blanks[0];
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
