//! One turn of a vector of games on planes of bits.
//!
//! ```text
//! put            set the bits of the new tiles
//! legal          left if somewhere: blank, then tile; right if: tile, then blank; both if: number,
//!                operator, number, or (where runs merge) two equal operators; likewise up and down
//! slide          count the blanks between each tile and the edge; move by 1, 2, 4, … where the
//!                count has that bit
//! operations     T = N & O⁺¹ & N⁺² (⁺¹: from the next cell away from the edge); starts S = T
//!                without every second of a chain of T two cells apart; the operator and the second
//!                number of each start vanish
//! close up       move by 2 whatever lies behind a start; where a line has another start, which is
//!                rare, once more behind that one
//! ```

use super::isa::Isa;
use super::layout::{STEPS, Shift, steps};
use super::plane::Plane;
use crate::games::sixty_seven::{Collapse, Runs};

/// The bit of a tile's code that marks operators. The bits below it are the tile's index.
pub(super) const OPERATOR_BIT: u32 = 9;

/// Points of a vector's turn at which other work is done; see [`Meanwhile`].
pub(super) mod point {
    /// The tiles are put.
    pub const PUT: usize = 0;
    /// The legal directions are known.
    pub const LEGAL: usize = 1;
    /// A direction is picked.
    pub const PICKED: usize = 2;
    /// The point before the steps of 1, 2, 4, 8 cells of sliding.
    pub const STEPS: [usize; 4] = [3, 4, 5, 6];
    /// The point before operations are found.
    pub const OPERATIONS: usize = 7;
    /// The point before the gaps that operations leave are closed.
    pub const CLOSE: usize = 8;
    /// The turn is over.
    pub const END: usize = 9;
}

/// Work on other data between the steps of a vector's turn.
///
/// A core overlaps both when both are within its reorder window; one after the other they are too
/// far apart for that.
pub(super) trait Meanwhile {
    /// Does the work due at this one of the [`point`]s.
    fn work<const POINT: usize>(&mut self);
}

/// No work is due.
impl Meanwhile for () {
    #[inline(always)]
    fn work<const POINT: usize>(&mut self) {}
}

/// The boards of a vector of games.
///
/// The index of a tile has `H` bits, one in each plane: for a number it says where its value is
/// kept, for an operator it is the operator's number. On blank cells it is garbage.
#[derive(Clone, Copy)]
pub(super) struct Planes<I: Isa, const W: usize, const H: usize> {
    pub occupied: Plane<I, W>,
    pub operators: Plane<I, W>,
    pub indices: [Plane<I, W>; H],
}

impl<I: Isa, const W: usize, const H: usize> Planes<I, W, H> {
    /// Blank boards.
    #[inline(always)]
    pub(super) fn blank(isa: I) -> Self {
        let zero = Plane::zero(isa);
        Self {
            occupied: zero,
            operators: zero,
            indices: [zero; H],
        }
    }

    /// Clears the indices on the cells where tiles will be put.
    #[inline(always)]
    pub(super) fn clear(&mut self, cells: Plane<I, W>) {
        for plane in &mut self.indices {
            *plane = plane.and_not(cells);
        }
    }

    /// Puts a tile with this code on the cleared cells `bits`, of which each game has at most one.
    #[inline(always)]
    pub(super) fn put(&mut self, bits: Plane<I, W>, code: I::Vector) {
        self.occupied |= bits;
        self.operators = self.operators.or_where(bits, code, OPERATOR_BIT);
        for b in 0..H {
            self.indices[b] = self.indices[b].or_where(bits, code, b as u32);
        }
    }

    /// Cells at which an operation starts whose three tiles stand on adjacent cells.
    #[inline(always)]
    fn operations(&self, shift: &Shift<I, W>) -> Plane<I, W> {
        let numbers = self.occupied.and_not(self.operators);
        let second = shift.pull(self.operators, 0);
        let third = shift.pull(numbers, 1);
        (numbers & shift.after[1]) & (second & third)
    }

    /// Operators with the same operator on the neighbouring cell: `low` and `high` bring each cell
    /// the index bits of its neighbour, `operators` the operators of those inside the board.
    #[inline(always)]
    fn equal(&self, operators: Plane<I, W>, low: Plane<I, W>, high: Plane<I, W>) -> Plane<I, W> {
        let differs = (low ^ self.indices[0]) | (high ^ self.indices[1]);
        (operators & self.operators).and_not(differs)
    }

    /// Legality along one axis, as words that are nonzero where the direction of `shift` is legal,
    /// and where its opposite is.
    #[inline(always)]
    fn legal(&self, shift: &Shift<I, W>, rule: Collapse) -> (I::Vector, I::Vector) {
        let next = shift.pull(self.occupied, 0);
        let mut either = self.operations(shift);
        if rule.runs != Runs::Stay {
            either |= self.equal(
                shift.pull(self.operators, 0) & shift.after[0],
                shift.pull(self.indices[0], 0),
                shift.pull(self.indices[1], 0),
            );
        }
        let differs = shift.after[0] & (self.occupied ^ next);
        (
            either.or_and(differs, next).any(),
            either.or_and(differs, self.occupied).any(),
        )
    }

    /// The legal directions, bit d for direction number d; `axes` are those of
    /// [`super::layout::Layout::axes`].
    #[inline(always)]
    pub(super) fn legal_directions(&self, axes: &[Shift<I, W>; 2], rule: Collapse) -> I::Vector {
        let isa = self.occupied.isa;
        let [up, left] = axes;
        let (to_up, to_down) = self.legal(up, rule);
        let (to_left, to_right) = self.legal(left, rule);
        let mut legal = isa.keep(isa.is_nonzero(to_up), isa.splat(1));
        for (bit, to) in [(2, to_down), (4, to_left), (8, to_right)] {
            legal = isa.or_if(legal, isa.splat(bit), to, to);
        }
        legal
    }

    /// Moves each tile towards the edge by one cell for each mark between it and the edge; `kept`
    /// are the tiles that stay on the board.
    ///
    /// A mark stands for a vanished cell at or before it. So a tile that has moved part of its way
    /// finds the rest of its count on the cell that it has reached ("Hacker's Delight", 7-4).
    #[inline(always)]
    fn close_up(
        &mut self,
        shift: &Shift<I, W>,
        kept: Plane<I, W>,
        marks: Plane<I, W>,
        meanwhile: &mut impl Meanwhile,
    ) {
        self.occupied = kept;
        let counts = counts::<I, W>(shift, marks);
        meanwhile.work::<{ point::STEPS[0] }>();
        self.move_by(shift, counts[0], 0);
        meanwhile.work::<{ point::STEPS[1] }>();
        self.move_by(shift, counts[1], 1);
        meanwhile.work::<{ point::STEPS[2] }>();
        self.move_by(shift, counts[2], 2);
        if steps(W) > 3 {
            meanwhile.work::<{ point::STEPS[3] }>();
            self.move_by(shift, counts[3], 3);
        }
        self.tidy();
    }

    /// Moves each tile towards the edge like [`Planes::close_up`], but by two cells for each mark,
    /// one mark of each line after the other.
    #[inline(always)]
    fn close_up_pairs(&mut self, shift: &Shift<I, W>, kept: Plane<I, W>, mut marks: Plane<I, W>) {
        self.occupied = kept;
        loop {
            // The cells at or behind the first mark of their line.
            let mut behind = marks;
            for step in 0..steps(W) {
                behind = behind.or_and(shift.push(behind, step), shift.before[step]);
            }
            self.move_by(shift, behind, 1);
            // Marks behind another one in their line, which are rare.
            let more = marks & (shift.push(behind, 0) & shift.before[0]);
            if more.isa.all_zero(more.any()) {
                break;
            }
            // The other marks have moved with the tiles.
            marks = shift.pull(more, 1) & shift.after[1];
        }
        self.tidy();
    }

    /// Clears what is left of operators on cells that have become blank.
    #[inline(always)]
    fn tidy(&mut self) {
        self.operators &= self.occupied;
    }

    /// Moves the tiles on the cells `chosen` towards the edge by `1 << step` cells.
    #[inline(always)]
    fn move_by(&mut self, shift: &Shift<I, W>, chosen: Plane<I, W>, step: usize) {
        let reached = shift.pull(self.occupied & chosen, step);
        self.occupied = self.occupied.and_not(chosen) | reached;
        self.operators = moved(shift, self.operators, reached, step);
        for b in 0..H {
            self.indices[b] = moved(shift, self.indices[b], reached, step);
        }
    }

    /// Removes blanks between the tiles and the edge.
    #[inline(always)]
    fn slide(&mut self, shift: &Shift<I, W>, board: Plane<I, W>, meanwhile: &mut impl Meanwhile) {
        self.close_up(
            shift,
            self.occupied,
            board.and_not(self.occupied),
            meanwhile,
        );
    }

    /// Merges runs of equal operators on neighbouring cells, by the rule.
    #[inline(always)]
    fn merge(&mut self, shift: &Shift<I, W>, rule: Collapse) {
        // Operators that repeat the one before them.
        let repeats = self.equal(
            shift.push(self.operators, 0) & shift.before[0],
            shift.push(self.indices[0], 0),
            shift.push(self.indices[1], 0),
        );
        let mut removed = repeats;
        if rule.runs == Runs::Halve {
            // In a run, the operators at an odd distance from its head vanish: the first that
            // repeats, and every second one after it.
            let inner = repeats & (shift.push(repeats, 0) & shift.before[0]);
            removed = repeats.and_not(inner);
            // A removed one removes the one two cells on where both of these repeat; then four
            // cells on, and so forth.
            let mut reach = inner;
            for step in 1..steps(W) {
                let far = shift.push(removed, step);
                let further = shift.push(reach, step);
                removed = removed.or_and(far, reach);
                reach &= further & shift.before[step];
            }
        }
        self.close_up(shift, self.occupied.and_not(removed), removed, &mut ());
    }

    /// Starts of the operations that collapse when the scan begins at the edge.
    #[inline(always)]
    fn starts(&self, shift: &Shift<I, W>) -> Plane<I, W> {
        let operations = self.operations(shift);
        // An operation has two cells behind it, so that pushing by 2 stays in the line.
        let mut starts = operations.and_not(shift.push(operations, 1));
        // In a chain of operations two cells apart every second one collapses; lines of 8, 16 cells
        // hold 2, 4 such.
        let repeats = if steps(W) > 3 { 3 } else { 1 };
        for _ in 0..repeats {
            starts = starts.or_and(operations, shift.push(starts, 2) & shift.before[2]);
        }
        starts
    }

    /// Moves all tiles in their game's direction and collapses their lines.
    ///
    /// Returns the starts of the collapsed operations and the indices as they stood then: the
    /// operator and the second number of an operation stand on the two cells after its start. On
    /// the board only the first number remains; its index now belongs to the result.
    #[inline(always)]
    pub(super) fn advance(
        &mut self,
        board: Plane<I, W>,
        shift: &Shift<I, W>,
        rule: Collapse,
        meanwhile: &mut impl Meanwhile,
    ) -> (Plane<I, W>, [Plane<I, W>; H]) {
        if !rule.blanks_separate {
            self.slide(shift, board, meanwhile);
        }
        if rule.runs != Runs::Stay {
            self.merge(shift, rule);
        }
        meanwhile.work::<{ point::OPERATIONS }>();
        let starts = self.starts(shift);
        let indices = self.indices;
        let second = shift.push(starts, 0);
        let third = shift.push(starts, 1);
        let kept = self.occupied.and_not(second).and_not(third);
        if rule.blanks_separate {
            self.occupied = kept;
            self.slide(shift, board, meanwhile);
        } else {
            meanwhile.work::<{ point::CLOSE }>();
            self.close_up_pairs(shift, kept, second);
        }
        (starts, indices)
    }
}

/// The plane with what stands `1 << step` cells further from the edge on the cells `reached`.
#[inline(always)]
fn moved<I: Isa, const W: usize>(
    shift: &Shift<I, W>,
    plane: Plane<I, W>,
    reached: Plane<I, W>,
    step: usize,
) -> Plane<I, W> {
    reached.pick(shift.pull(plane, step), plane)
}

/// How many marks lie at or before each cell, as the lowest planes of a binary number; sums over 1,
/// 2, 4, … cells.
///
/// Written out bit by bit: the compiler does not unroll loops over bits, and their planes would go
/// through memory.
#[inline(always)]
fn counts<I: Isa, const W: usize>(shift: &Shift<I, W>, marks: Plane<I, W>) -> [Plane<I, W>; STEPS] {
    let (ones, twos) = half_add(shift, marks, 0);
    let (ones, carry) = half_add(shift, ones, 1);
    let (twos, fours) = full_add(shift, twos, carry, 1);
    let (ones, carry) = half_add(shift, ones, 2);
    let (twos, carry) = full_add(shift, twos, carry, 2);
    let (fours, eights) = full_add(shift, fours, carry, 2);
    if steps(W) == 3 {
        return [ones, twos, fours, eights];
    }
    let (ones, carry) = half_add(shift, ones, 3);
    let (twos, carry) = full_add(shift, twos, carry, 3);
    let (fours, carry) = full_add(shift, fours, carry, 3);
    let (eights, _) = full_add(shift, eights, carry, 3);
    [ones, twos, fours, eights]
}

/// The sum of a bit and the same bit `1 << step` cells nearer to the edge, and the carry.
#[inline(always)]
fn half_add<I: Isa, const W: usize>(
    shift: &Shift<I, W>,
    bits: Plane<I, W>,
    step: usize,
) -> (Plane<I, W>, Plane<I, W>) {
    let pushed = shift.push(bits, step);
    let before = shift.before[step];
    (bits.xor_and(pushed, before), bits & before & pushed)
}

/// The sum of a bit, the same bit `1 << step` cells nearer to the edge and a carry that comes in,
/// and the carry.
#[inline(always)]
fn full_add<I: Isa, const W: usize>(
    shift: &Shift<I, W>,
    bits: Plane<I, W>,
    carry: Plane<I, W>,
    step: usize,
) -> (Plane<I, W>, Plane<I, W>) {
    let other = shift.push(bits, step) & shift.before[step];
    (bits.parity(other, carry), bits.majority(other, carry))
}
