//! The state of a batch of games, and its passes.

use super::super::isa::Instructions;
use super::super::portable::set_bits;
use super::super::spec::Spec;
use super::bits::{Bits, SliceIsa};
use super::draw::Draws;
use crate::games::kernels::Work;
use crate::games::sixty_seven::packed::{PackedBoard, PackedTile};

/// The plane of the occupied cells.
pub(super) const OCCUPIED: usize = 0;
/// The plane of the operators.
pub(super) const OPERATORS: usize = 1;
/// The first plane of the indices.
pub(super) const INDICES: usize = 2;
/// Planes that there is room for: an index has [`index_bits`].
pub(super) const PLANES: usize = INDICES + 8;
/// Indices below this are numbers that appear, by their places among these. Above them are slots,
/// which hold results of operations.
pub(super) const SLOTS_AT: usize = 10;
/// Indices are below this. The list of values is that much longer than all games need, so that
/// each game's begin a slice of this length and indices need no check.
pub(super) const INDICES_MAX: usize = 128;
/// Log₂ of the longest line.
pub(super) const STEPS_MAX: usize = 4;
/// The bits of an index on boards of lines up to `side`.
pub(super) const fn index_bits(side: usize) -> usize {
    (side * side + SLOTS_AT).next_power_of_two().ilog2() as usize
}

/// The bits of a distance within a line of `side` cells.
pub(super) const fn steps(side: usize) -> usize {
    side.next_power_of_two().ilog2() as usize
}

/// A plane: the bits of each cell, row by row, or in a frame line by line.
pub(super) type SlicePlane<I, const N: usize, const S: usize> = [[Bits<I, N>; S]; S];

/// 64 × `N` games on boards of up to `S` × `S` cells.
///
/// Indices and operators on blank cells are garbage, and so is everything about a game that is
/// over: its slot plays on until the next game takes it.
pub(super) struct SliceBatch<I: SliceIsa<N>, const N: usize, const S: usize> {
    pub isa: I,
    pub rows: usize,
    pub cols: usize,
    pub planes: [SlicePlane<I, N, S>; PLANES],
    /// Slots without a number, by their number.
    pub free: SlicePlane<I, N, S>,
    pub draws: Draws<N>,
    /// The directions: along columns, …
    pub vertical: Bits<I, N>,
    /// … to the right, down, …
    pub right: Bits<I, N>,
    pub down: Bits<I, N>,
    /// … or none.
    pub blocked: Bits<I, N>,
    /// The planes as seen from the edge that tiles move to: line by line, the cell at the edge
    /// first.
    pub frames: [SlicePlane<I, N, S>; PLANES],
    /// In a frame, the cells with the first number, the operator and the second number of each
    /// operation.
    pub firsts: SlicePlane<I, N, S>,
    pub symbols: SlicePlane<I, N, S>,
    pub seconds: SlicePlane<I, N, S>,
    /// In a frame, the cells behind an operation of their line.
    pub behind: SlicePlane<I, N, S>,
    /// In a frame, the cells that take the tile 1, 2, 4, 8 cells behind.
    pub moves: [SlicePlane<I, N, S>; STEPS_MAX],
    /// Values by index, game by game; those of numbers that appear are never written.
    pub values: Vec<u64>,
    /// Games in which an operation had these results in this round.
    pub won: [u64; N],
    pub exceeded: [u64; N],
}

impl<I: SliceIsa<N>, const N: usize, const S: usize> SliceBatch<I, N, S> {
    pub(super) const GAMES: usize = 64 * N;
    pub(super) const INDEX_BITS: usize = index_bits(S);
    /// Values kept for each game. An odd number of lines of the cache, so that the same index of
    /// different games is in different sets.
    pub(super) const VALUES: usize = {
        let lines = (SLOTS_AT + S * S).div_ceil(8);
        8 * (lines + 1 - lines % 2)
    };

    /// Games without a board.
    pub(super) fn new(isa: I, spec: &Spec) -> Box<Self> {
        let zero = Bits::zero(isa);
        let plane = [[zero; S]; S];
        let mut values = vec![0; Self::GAMES * Self::VALUES + INDICES_MAX];
        for values in values.chunks_exact_mut(Self::VALUES) {
            values[..spec.numbers.len()].copy_from_slice(&spec.numbers);
        }
        Box::new(Self {
            isa,
            rows: spec.rows,
            cols: spec.cols,
            planes: [plane; PLANES],
            free: [[!zero; S]; S],
            draws: Draws::new(spec),
            vertical: zero,
            right: zero,
            down: zero,
            blocked: zero,
            frames: [plane; PLANES],
            firsts: plane,
            symbols: plane,
            seconds: plane,
            behind: plane,
            moves: [plane; STEPS_MAX],
            values,
            won: [0; N],
            exceeded: [0; N],
        })
    }

    /// Puts a board's tiles on the blank boards of these games of a word.
    pub(super) fn put_board(&mut self, word: usize, games: u64, board: &PackedBoard) {
        let mut slots = 0;
        for (cell, tile) in board.tiles().iter().enumerate() {
            let index = if let Some(operator) = tile.operator() {
                operator as usize
            } else if let Some(residue) = tile.residue() {
                let index = SLOTS_AT + slots;
                self.free.as_flattened_mut()[slots].words_mut()[word] &= !games;
                slots += 1;
                for bit in set_bits(games) {
                    self.values[(64 * word + bit) * Self::VALUES + index] = residue;
                }
                index
            } else {
                continue;
            };
            let mut set = |plane: usize, bit: bool| {
                let bits = &mut self.planes[plane][cell / self.cols][cell % self.cols];
                let bits = &mut bits.words_mut()[word];
                *bits = *bits & !games | if bit { games } else { 0 };
            };
            set(OCCUPIED, true);
            set(OPERATORS, tile.operator().is_some());
            for b in 0..Self::INDEX_BITS {
                set(INDICES + b, index >> b & 1 == 1);
            }
        }
    }

    /// The tile on a cell of a game.
    fn tile(&self, game: usize, row: usize, col: usize) -> PackedTile {
        let bit = |plane: usize| self.planes[plane][row][col].bit(game);
        let index = (0..Self::INDEX_BITS).fold(0, |index, b| index | bit(INDICES + b) << b);
        let number = PackedTile::of(self.values[game * Self::VALUES + index]);
        // Looked up, not branched on: which kind a tile is cannot be predicted.
        let tile = [number, PackedTile::numbered(index & 3)][bit(OPERATORS)];
        [PackedTile::BLANK, tile][bit(OCCUPIED)]
    }

    /// Writes a game's board to one of the same size.
    pub(super) fn read(&self, game: usize, board: &mut PackedBoard) {
        for cell in 0..self.rows * self.cols {
            board.put(cell, self.tile(game, cell / self.cols, cell % self.cols));
        }
    }

    /// Does one pass.
    pub(super) fn run(&mut self, pass: impl Pass<I, N, S>) {
        struct Run<'a, I: SliceIsa<N>, const N: usize, const S: usize, P> {
            batch: &'a mut SliceBatch<I, N, S>,
            pass: P,
        }
        impl<I: SliceIsa<N>, const N: usize, const S: usize, P: Pass<I, N, S>> Work
            for Run<'_, I, N, S, P>
        {
            type Output = ();
            #[inline(always)]
            fn run(self) {
                self.pass.run(self.batch);
            }
        }
        let isa = self.isa;
        let batch = self;
        compiled_alone(isa, Run { batch, pass });
    }
}

/// Runs `work` in a function of its own: two passes in one would run out of registers.
#[inline(never)]
pub(super) fn compiled_alone<W: Work>(isa: impl Instructions, work: W) -> W::Output {
    isa.compiled(work)
}

/// Clears the boards of these games.
pub(super) struct Clear<const N: usize>(pub(super) [u64; N]);

impl<I: SliceIsa<N>, const N: usize, const S: usize> Pass<I, N, S> for Clear<N> {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let games = Bits::new(batch.isa, self.0);
        for plane in [OCCUPIED, OPERATORS] {
            for cell in batch.planes[plane].as_flattened_mut() {
                *cell = cell.and_not(games);
            }
        }
        for slot in batch.free.as_flattened_mut() {
            *slot |= games;
        }
    }
}

/// A part of the turn that all games of a batch do before the next one.
pub(super) trait Pass<I: SliceIsa<N>, const N: usize, const S: usize> {
    fn run(self, batch: &mut SliceBatch<I, N, S>);
}
