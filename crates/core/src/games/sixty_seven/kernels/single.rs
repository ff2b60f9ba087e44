//! Legal directions and moves of one board, through the portable vectors of one game.

use super::layout::Layout;
use super::planar::PlanarBoard;
use super::plane::Plane;
use super::portable::Portable;
use super::spec::Spec;
use super::turn::Planes;
use crate::games::sixty_seven::Direction;
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::residue::combine;

fn planes<const W: usize, const H: usize>(planar: &PlanarBoard<W, H>) -> Planes<Portable, W, H> {
    let plane = |words| Plane {
        isa: Portable,
        words,
    };
    Planes {
        occupied: plane(planar.occupied),
        operators: plane(planar.operators),
        indices: planar.indices.map(plane),
    }
}

/// The legal directions of a board, bit d for direction number d.
pub(super) fn legal_on<const W: usize, const R: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
) -> u8 {
    let planes = planes(&PlanarBoard::<W, H>::new(layout, board));
    planes.legal_directions(&layout.axes::<Portable, R>(Portable), spec.collapse) as u8
}

/// A board after a move.
pub(super) fn advance_on<const W: usize, const R: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
    direction: Direction,
) -> PackedBoard {
    let mut planar = PlanarBoard::<W, H>::new(layout, board);
    let mut planes = planes(&planar);
    let shift = layout.shift::<Portable, R>(Portable, direction as u64);
    let cells = Plane {
        isa: Portable,
        words: layout.board,
    };
    let (starts, indices) = planes.advance::<R>(cells, &shift, spec.collapse, &mut ());
    let bit = |plane: &Plane<Portable, W>, at: usize| plane.words[at / 64] >> (at % 64) & 1;
    let stride = layout.strides[direction as usize];
    for at in (0..64 * W).filter(|&at| bit(&starts, at) == 1) {
        let index = |steps: i64| {
            let at = (at as i64 + steps * stride) as usize;
            indices
                .iter()
                .enumerate()
                .fold(0, |sum, (b, plane)| sum | bit(plane, at) << b)
        };
        let near = index(0) as usize;
        let far = index(2) as usize;
        let (first, second) = if direction.towards_end() {
            (far, near)
        } else {
            (near, far)
        };
        planar.values[near] = combine(planar.values[first], index(1) & 3, planar.values[second]);
    }
    planar.occupied = planes.occupied.words;
    planar.operators = planes.operators.words;
    planar.indices = planes.indices.map(|plane| plane.words);
    planar.board(layout, board.rows(), board.cols())
}
