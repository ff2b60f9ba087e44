//! Frames: the planes as seen from the edge that each game's tiles move to.
//!
//! A direction is a transposition on reading and a mirror within the line. A board that is not as
//! long as its frame in both directions would leave a gap at the edge when mirrored: *walls* stand
//! there, operators that no tile equals, so that they neither move nor take part in an operation.

use super::batch::{INDICES, OCCUPIED, OPERATORS, Pass, SliceBatch, steps};
use super::bits::{Bits, SliceIsa, unrolled};

/// Turns planes into frames.
pub(super) struct Frame;

/// Closes the gaps in frames and turns them back into planes.
pub(super) struct Pack;

impl<I: SliceIsa<N>, const N: usize, const S: usize> Pass<I, N, S> for Frame {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let mirrored = batch.right | batch.down;
        for plane in 0..INDICES + SliceBatch::<I, N, S>::INDEX_BITS {
            let cells = &batch.planes[plane];
            for line in 0..S {
                let mut framed = [mirrored; S];
                unrolled!(at < S, {
                    framed[at] = batch.vertical.select(cells[at][line], cells[line][at]);
                });
                mirror(&mut framed, mirrored);
                let frame = &mut batch.frames[plane][line];
                unrolled!(at < S, {
                    frame[at] = framed[at];
                });
            }
        }
        for at in 0..batch.walls() {
            let odd = batch.wall(at, 1);
            let wall = odd | batch.wall(at, 0);
            for line in 0..S {
                batch.frames[OCCUPIED][line][at] |= wall;
                batch.frames[OPERATORS][line][at] |= wall;
                // Number 3 beside the board, which no operator has; behind it 2 and 3 in turn, so
                // that they differ.
                let [low, high] = [INDICES, INDICES + 1];
                batch.frames[high][line][at] |= wall;
                batch.frames[low][line][at] = (batch.frames[low][line][at] | wall).and_not(odd);
            }
        }
    }
}

impl<I: SliceIsa<N>, const N: usize, const S: usize> Pass<I, N, S> for Pack {
    #[inline(always)]
    fn run(self, batch: &mut SliceBatch<I, N, S>) {
        let mirrored = batch.right | batch.down;
        for plane in OPERATORS..INDICES + SliceBatch::<I, N, S>::INDEX_BITS {
            for line in 0..S {
                let mut cells = [mirrored; S];
                unrolled!(at < S, {
                    cells[at] = batch.frames[plane][line][at];
                });
                unrolled!(step < steps(S), {
                    let moves = &batch.moves[step][line];
                    let by = 1 << step;
                    unrolled!(at < S, {
                        if at + by < S {
                            cells[at] = moves[at + by].select(cells[at + by], cells[at]);
                        }
                    });
                });
                if plane == OPERATORS {
                    unrolled!(at < S, {
                        cells[at] &= batch.frames[OCCUPIED][line][at];
                    });
                }
                mirror(&mut cells, mirrored);
                unrolled!(at < S, {
                    batch.frames[plane][line][at] = cells[at];
                });
            }
            batch.turn_back(plane);
        }
        for at in 0..batch.walls() {
            let wall = batch.wall(at, 0) | batch.wall(at, 1);
            for line in 0..S {
                batch.frames[OCCUPIED][line][at] = batch.frames[OCCUPIED][line][at].and_not(wall);
            }
        }
        for line in &mut batch.frames[OCCUPIED] {
            mirror(line, mirrored);
        }
        batch.turn_back(OCCUPIED);
    }
}

/// Reverses lines in games whose bit is set.
#[inline(always)]
fn mirror<I: SliceIsa<N>, const N: usize, const S: usize>(
    line: &mut [Bits<I, N>; S],
    mirrored: Bits<I, N>,
) {
    unrolled!(at < S / 2, {
        let mut near = line[at];
        let mut far = line[S - 1 - at];
        mirrored.exchange(&mut near, &mut far);
        line[at] = near;
        line[S - 1 - at] = far;
    });
}

impl<I: SliceIsa<N>, const N: usize, const S: usize> SliceBatch<I, N, S> {
    /// Lines that are mirrored already, as rows again.
    #[inline(always)]
    fn turn_back(&mut self, plane: usize) {
        let lines = &self.frames[plane];
        for row in 0..self.rows {
            unrolled!(col < S, {
                self.planes[plane][row][col] =
                    self.vertical.select(lines[col][row], lines[row][col]);
            });
        }
    }

    /// Cells at the edge of a mirrored frame that may be walls.
    #[inline(always)]
    fn walls(&self) -> usize {
        S - self.rows.min(self.cols)
    }

    /// The games in which the cell `at` of every line is a wall with `parity` modulo 2 more between
    /// it and the board.
    #[inline(always)]
    fn wall(&self, at: usize, parity: usize) -> Bits<I, N> {
        let mut wall = Bits::zero(self.isa);
        for (length, mirrored) in [(self.cols, self.right), (self.rows, self.down)] {
            if at + length < S && (S - length - 1 - at) % 2 == parity {
                wall |= mirrored;
            }
        }
        wall
    }

    /// Cells of a mirrored frame that are walls.
    #[inline(always)]
    pub(super) const fn walls_of(length: usize) -> usize {
        S * (S - length)
    }
}
