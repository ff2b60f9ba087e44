//! One turn of a vector of games on planes of bits: tiles put, directions found legal and picked, lines collapsed.
//!
//! ```text
//! tile's place   the k-th set bit of the blanks
//! legal          left if somewhere: blank, then tile; right if: tile, then blank; both if: number, operator, number, or (where
//!                runs merge) two equal operators; likewise up and down
//! slide          count the blanks between each tile and the edge; move by 1, 2, 4, … where the count has that bit
//! triples        T = N & O⁺¹ & N⁺² (⁺¹: from the next cell away from the edge); starts S = T, without every second of a chain
//!                of T two cells apart; the operator and the second number of each start vanish
//! close up       move by 2 whatever lies behind a start; where a line has another start, which is rare, once more behind that one
//! ```

use super::isa::Isa;
use super::layout::{Plane, STEPS, Way};
use super::spec::Rule;

/// Bit of a tile's code that tells operators; the bits below are handle or operator number.
pub(super) const OPERATOR_BIT: u32 = 9;

/// Points of a vector's turn at which other work is done; see [`Meanwhile`].
pub(super) mod point {
    /// The tiles are put.
    pub const PUT: usize = 0;
    /// The legal directions are known.
    pub const LEGAL: usize = 1;
    /// A direction is picked.
    pub const PICKED: usize = 2;
    /// Before the steps of 1, 2, 4, 8 cells of sliding.
    pub const STEPS: [usize; 4] = [3, 4, 5, 6];
    /// Before triples are found.
    pub const TRIPLES: usize = 7;
    /// Before the gaps that triples leave are closed.
    pub const CLOSE: usize = 8;
    /// The turn is over.
    pub const END: usize = 9;
}

/// Work on other data between the operations on a vector of games.
///
/// A core that finds both in its window works on both at once; one after the other they would be too long for that.
pub(super) trait Meanwhile {
    /// Does what is to be done at this one of the [`point`]s.
    fn work<const POINT: usize>(&mut self);
}

/// Nothing to do.
impl Meanwhile for () {
    #[inline(always)]
    fn work<const POINT: usize>(&mut self) {}
}

/// The planes of a vector of games.
///
/// A handle is `H` bits: the slot in which a number's value stands, or the operator's number. On blank cells handles are garbage.
#[derive(Clone, Copy)]
pub(super) struct Planes<I: Isa, const W: usize, const H: usize> {
    pub occupied: Plane<I::Vector, W>,
    pub operators: Plane<I::Vector, W>,
    pub handles: [Plane<I::Vector, W>; H],
}

impl<I: Isa, const W: usize, const H: usize> Planes<I, W, H> {
    /// Clears the handles on the cells where tiles will be put.
    #[inline(always)]
    pub(super) fn clear(&mut self, isa: I, cells: Plane<I::Vector, W>) {
        for handles in &mut self.handles {
            for w in 0..W {
                handles[w] = isa.and_not(handles[w], cells[w]);
            }
        }
    }

    /// Puts a tile with this code on the cleared cells `bits`, of which each game has at most one.
    #[inline(always)]
    pub(super) fn put(&mut self, isa: I, bits: Plane<I::Vector, W>, code: I::Vector) {
        for w in 0..W {
            self.occupied[w] = isa.or(self.occupied[w], bits[w]);
            self.operators[w] = isa.or_where::<OPERATOR_BIT>(self.operators[w], bits[w], code);
        }
        put_bit::<I, W, H, 0>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 1>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 2>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 3>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 4>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 5>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 6>(isa, &mut self.handles, bits, code);
        put_bit::<I, W, H, 7>(isa, &mut self.handles, bits, code);
    }

    #[inline(always)]
    fn numbers(&self, isa: I) -> Plane<I::Vector, W> {
        let mut numbers = self.occupied;
        for w in 0..W {
            numbers[w] = isa.and_not(self.occupied[w], self.operators[w]);
        }
        numbers
    }

    /// Cells at which a triple starts whose three tiles stand on adjacent cells.
    #[inline(always)]
    fn triples(&self, isa: I, way: &Way<I, W>) -> Plane<I::Vector, W> {
        let numbers = self.numbers(isa);
        let (next, third) = (way.pull(isa, self.operators, 0), way.pull(isa, numbers, 1));
        let mut triples = numbers;
        for w in 0..W {
            triples[w] = isa.and(isa.and(numbers[w], way.after[1][w]), isa.and(next[w], third[w]));
        }
        triples
    }

    /// Operators with the same operator on the neighbouring cell, where `neighbour` brings each cell its neighbour and `inside` are
    /// the cells that have one.
    #[inline(always)]
    fn equal(&self, isa: I, neighbour: Neighbour<'_, I, W>, inside: &Plane<I::Vector, W>) -> Plane<I::Vector, W> {
        let operators = neighbour.of(isa, self.operators);
        let (low, high) = (neighbour.of(isa, self.handles[0]), neighbour.of(isa, self.handles[1]));
        let mut equal = operators;
        for w in 0..W {
            let different = isa.or(isa.xor(low[w], self.handles[0][w]), isa.xor(high[w], self.handles[1][w]));
            equal[w] = isa.and_not(isa.and(isa.and(operators[w], inside[w]), self.operators[w]), different);
        }
        equal
    }

    /// Legality along one axis, as words that are nonzero where (the way's direction, its opposite) is legal.
    #[inline(always)]
    pub(super) fn legal(&self, isa: I, way: &Way<I, W>, rule: Rule) -> (I::Vector, I::Vector) {
        let next = way.pull(isa, self.occupied, 0);
        let mut either = self.triples(isa, way);
        if matches!(rule, Rule::Pairs | Rule::Runs) {
            let equal = self.equal(isa, Neighbour::Behind(way), &way.after[0]);
            for w in 0..W {
                either[w] = isa.or(either[w], equal[w]);
            }
        }
        let (mut there, mut back) = (isa.splat(0), isa.splat(0));
        for w in 0..W {
            let differs = isa.and(way.after[0][w], isa.xor(self.occupied[w], next[w]));
            there = isa.or(there, isa.or_and(either[w], differs, next[w]));
            back = isa.or(back, isa.or_and(either[w], differs, self.occupied[w]));
        }
        (there, back)
    }

    /// Moves each tile towards the edge by one cell for each mark that lies between it and the edge; `kept` are the tiles that
    /// stay on the board.
    ///
    /// A mark stands for a vanished cell at or before it, so that a tile which has moved part of its way still finds the same
    /// rest of its count on the cell that it has reached ("Hacker's Delight", 7-4).
    #[inline(always)]
    fn close_up<const R: usize>(
        &mut self,
        isa: I,
        way: &Way<I, W>,
        kept: Plane<I::Vector, W>,
        marks: Plane<I::Vector, W>,
        meanwhile: &mut impl Meanwhile,
    ) {
        self.occupied = kept;
        let counts = counts::<I, W, R>(isa, way, marks);
        meanwhile.work::<{ point::STEPS[0] }>();
        self.move_by(isa, way, &counts[0], 0);
        meanwhile.work::<{ point::STEPS[1] }>();
        self.move_by(isa, way, &counts[1], 1);
        meanwhile.work::<{ point::STEPS[2] }>();
        self.move_by(isa, way, &counts[2], 2);
        if R > 3 {
            meanwhile.work::<{ point::STEPS[3] }>();
            self.move_by(isa, way, &counts[3], 3);
        }
        self.tidy(isa);
    }

    /// The same by two cells for each mark, one mark of each line after the other.
    #[inline(always)]
    fn close_up_pairs<const R: usize>(
        &mut self,
        isa: I,
        way: &Way<I, W>,
        kept: Plane<I::Vector, W>,
        marks: Plane<I::Vector, W>,
    ) {
        self.occupied = kept;
        let mut marks = marks;
        loop {
            // The cells at or behind the first mark of their line.
            let mut behind = marks;
            for step in 0..R {
                let pushed = way.push(isa, behind, step);
                for w in 0..W {
                    behind[w] = isa.or_and(behind[w], pushed[w], way.before[step][w]);
                }
            }
            self.move_by(isa, way, &behind, 1);
            // Marks behind another one in their line, which are rare.
            let pushed = way.push(isa, behind, 0);
            let (mut more, mut any) = (marks, isa.splat(0));
            for w in 0..W {
                more[w] = isa.and(marks[w], isa.and(pushed[w], way.before[0][w]));
                any = isa.or(any, more[w]);
            }
            if isa.all_zero(any) {
                break;
            }
            // They have moved with the tiles.
            marks = way.pull(isa, more, 1);
            for w in 0..W {
                marks[w] = isa.and(marks[w], way.after[1][w]);
            }
        }
        self.tidy(isa);
    }

    /// Clears what is left of operators on cells that have become blank.
    #[inline(always)]
    fn tidy(&mut self, isa: I) {
        for w in 0..W {
            self.operators[w] = isa.and(self.operators[w], self.occupied[w]);
        }
    }

    /// Moves the tiles on the cells `chosen` towards the edge by `1 << step` cells.
    #[inline(always)]
    fn move_by(&mut self, isa: I, way: &Way<I, W>, chosen: &Plane<I::Vector, W>, step: usize) {
        let mut moving = *chosen;
        for w in 0..W {
            moving[w] = isa.and(self.occupied[w], chosen[w]);
        }
        let reached = way.pull(isa, moving, step);
        for w in 0..W {
            self.occupied[w] = isa.or(isa.and_not(self.occupied[w], chosen[w]), reached[w]);
        }
        self.operators = moved(isa, way, self.operators, &reached, step);
        for b in 0..H {
            self.handles[b] = moved(isa, way, self.handles[b], &reached, step);
        }
    }

    /// Removes blanks between the tiles and the edge.
    #[inline(always)]
    fn slide<const R: usize>(
        &mut self,
        isa: I,
        way: &Way<I, W>,
        board: &Plane<I::Vector, W>,
        meanwhile: &mut impl Meanwhile,
    ) {
        let mut blanks = *board;
        for w in 0..W {
            blanks[w] = isa.and_not(board[w], self.occupied[w]);
        }
        self.close_up::<R>(isa, way, self.occupied, blanks, meanwhile);
    }

    /// Merges runs of equal operators in lines without gaps, by the rule.
    #[inline(always)]
    fn merge<const R: usize>(&mut self, isa: I, way: &Way<I, W>, rule: Rule) {
        // Operators that repeat the one before them.
        let repeats = self.equal(isa, Neighbour::Ahead(way), &way.before[0]);
        let mut removed = repeats;
        if rule == Rule::Pairs {
            // Of a run, those at an odd distance from its head vanish: the first that repeats, and every second one after it.
            let pushed = way.push(isa, repeats, 0);
            let mut inner = repeats;
            for w in 0..W {
                inner[w] = isa.and(repeats[w], isa.and(pushed[w], way.before[0][w]));
                removed[w] = isa.and_not(repeats[w], inner[w]);
            }
            // A removed one removes the one two cells on where both of these repeat; then four cells on, and so forth.
            let mut reach = inner;
            for step in 1..R {
                let (far, further) = (way.push(isa, removed, step), way.push(isa, reach, step));
                for w in 0..W {
                    removed[w] = isa.or_and(removed[w], far[w], reach[w]);
                    reach[w] = isa.and(reach[w], isa.and(further[w], way.before[step][w]));
                }
            }
        }
        let mut kept = self.occupied;
        for w in 0..W {
            kept[w] = isa.and_not(self.occupied[w], removed[w]);
        }
        self.close_up::<R>(isa, way, kept, removed, &mut ());
    }

    /// Starts of the triples that collapse when the scan begins at the edge.
    #[inline(always)]
    fn starts<const R: usize>(&self, isa: I, way: &Way<I, W>) -> Plane<I::Vector, W> {
        let triples = self.triples(isa, way);
        let pushed = way.push(isa, triples, 1);
        let mut starts = triples;
        for w in 0..W {
            // A triple has two cells behind it, so that pushing by 2 stays in the line.
            starts[w] = isa.and_not(triples[w], pushed[w]);
        }
        // In a chain of triples two cells apart every second one collapses; lines of 8, 16 cells hold 2, 4 such.
        let repeats = if R > 3 { 3 } else { 1 };
        for _ in 0..repeats {
            let pushed = way.push(isa, starts, 2);
            for w in 0..W {
                starts[w] = isa.or_and(starts[w], triples[w], isa.and(pushed[w], way.before[2][w]));
            }
        }
        starts
    }

    /// Moves all tiles the way of their lane and collapses their lines.
    ///
    /// Returns the starts of the collapsed triples and the handles as they stood then: the operator and the second number of a triple
    /// stand on the two cells after its start. On the board only the first number remains, whose slot takes the result.
    #[inline(always)]
    pub(super) fn advance<const R: usize>(
        &mut self,
        isa: I,
        board: &Plane<I::Vector, W>,
        way: &Way<I, W>,
        rule: Rule,
        meanwhile: &mut impl Meanwhile,
    ) -> (Plane<I::Vector, W>, [Plane<I::Vector, W>; H]) {
        if rule != Rule::Original {
            self.slide::<R>(isa, way, board, meanwhile);
        }
        if matches!(rule, Rule::Pairs | Rule::Runs) {
            self.merge::<R>(isa, way, rule);
        }
        meanwhile.work::<{ point::TRIPLES }>();
        let starts = self.starts::<R>(isa, way);
        let handles = self.handles;
        let (second, third) = (way.push(isa, starts, 0), way.push(isa, starts, 1));
        let mut kept = self.occupied;
        for w in 0..W {
            kept[w] = isa.and_not(isa.and_not(self.occupied[w], second[w]), third[w]);
        }
        if rule == Rule::Original {
            self.occupied = kept;
            self.slide::<R>(isa, way, board, meanwhile);
        } else {
            meanwhile.work::<{ point::CLOSE }>();
            self.close_up_pairs::<R>(isa, way, kept, second);
        }
        (starts, handles)
    }
}

#[inline(always)]
fn put_bit<I: Isa, const W: usize, const H: usize, const BIT: u32>(
    isa: I,
    handles: &mut [Plane<I::Vector, W>; H],
    bits: Plane<I::Vector, W>,
    code: I::Vector,
) {
    if (BIT as usize) < H {
        for w in 0..W {
            handles[BIT as usize][w] = isa.or_where::<BIT>(handles[BIT as usize][w], bits[w], code);
        }
    }
}

/// The plane with what stands `1 << step` cells further from the edge on the cells `reached`.
#[inline(always)]
fn moved<I: Isa, const W: usize>(
    isa: I,
    way: &Way<I, W>,
    plane: Plane<I::Vector, W>,
    reached: &Plane<I::Vector, W>,
    step: usize,
) -> Plane<I::Vector, W> {
    let mut pulled = way.pull(isa, plane, step);
    for w in 0..W {
        pulled[w] = isa.pick(reached[w], pulled[w], plane[w]);
    }
    pulled
}

/// How many marks lie at or before each cell, as the lowest planes of a binary number; sums over 1, 2, 4, … cells.
///
/// Written out bit by bit, since loops over bits are left as loops, whose planes would go through memory.
#[inline(always)]
fn counts<I: Isa, const W: usize, const R: usize>(
    isa: I,
    way: &Way<I, W>,
    marks: Plane<I::Vector, W>,
) -> [Plane<I::Vector, W>; STEPS] {
    let (ones, twos) = half_add(isa, way, marks, 0);
    let (ones, carry) = half_add(isa, way, ones, 1);
    let (twos, fours) = full_add(isa, way, twos, carry, 1);
    let (ones, carry) = half_add(isa, way, ones, 2);
    let (twos, carry) = full_add(isa, way, twos, carry, 2);
    let (fours, eights) = full_add(isa, way, fours, carry, 2);
    if R == 3 {
        return [ones, twos, fours, eights];
    }
    let (ones, carry) = half_add(isa, way, ones, 3);
    let (twos, carry) = full_add(isa, way, twos, carry, 3);
    let (fours, carry) = full_add(isa, way, fours, carry, 3);
    let (eights, _) = full_add(isa, way, eights, carry, 3);
    [ones, twos, fours, eights]
}

/// The sum of a bit and the same bit `1 << step` cells nearer to the edge, and what is carried.
#[inline(always)]
fn half_add<I: Isa, const W: usize>(
    isa: I,
    way: &Way<I, W>,
    mut bits: Plane<I::Vector, W>,
    step: usize,
) -> (Plane<I::Vector, W>, Plane<I::Vector, W>) {
    let mut pushed = way.push(isa, bits, step);
    for w in 0..W {
        let before = way.before[step][w];
        let sum = isa.xor_and(bits[w], pushed[w], before);
        pushed[w] = isa.and(isa.and(bits[w], before), pushed[w]);
        bits[w] = sum;
    }
    (bits, pushed)
}

/// The same with a carry that comes in.
#[inline(always)]
fn full_add<I: Isa, const W: usize>(
    isa: I,
    way: &Way<I, W>,
    mut bits: Plane<I::Vector, W>,
    mut carry: Plane<I::Vector, W>,
    step: usize,
) -> (Plane<I::Vector, W>, Plane<I::Vector, W>) {
    let pushed = way.push(isa, bits, step);
    for w in 0..W {
        let other = isa.and(pushed[w], way.before[step][w]);
        let sum = isa.parity(bits[w], other, carry[w]);
        carry[w] = isa.majority(bits[w], other, carry[w]);
        bits[w] = sum;
    }
    (bits, carry)
}

/// Which neighbour of a cell is meant.
enum Neighbour<'a, I: Isa, const W: usize> {
    /// The next one away from the edge.
    Behind(&'a Way<I, W>),
    /// The next one towards the edge.
    Ahead(&'a Way<I, W>),
}

impl<I: Isa, const W: usize> Neighbour<'_, I, W> {
    #[inline(always)]
    fn of(&self, isa: I, plane: Plane<I::Vector, W>) -> Plane<I::Vector, W> {
        match self {
            Self::Behind(way) => way.pull(isa, plane, 0),
            Self::Ahead(way) => way.push(isa, plane, 0),
        }
    }
}
