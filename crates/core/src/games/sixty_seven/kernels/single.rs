//! Legal directions and moves of one board, through the portable vectors of one game.

use super::layout::Layout;
use super::operation::OperationIsa;
use super::planar::PlanarBoard;
use super::plane::Plane;
use super::portable::Portable;
use super::queued::combine_entry;
use super::spec::Spec;
use crate::games::sixty_seven::Direction;
use crate::games::sixty_seven::packed::PackedBoard;

/// The legal directions of a board, bit d for direction number d.
pub(super) fn legal_on<const W: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
) -> u8 {
    let PlanarBoard { planes, .. } = PlanarBoard::<W, H>::new(layout, board);
    planes.legal_directions(&layout.axes(Portable), spec.collapse) as u8
}

/// A board after a move.
pub(super) fn advance_on<const W: usize, const H: usize>(
    layout: &Layout<W>,
    spec: &Spec,
    board: &PackedBoard,
    direction: Direction,
) -> PackedBoard {
    let mut planar = PlanarBoard::<W, H>::new(layout, board);
    let direction = direction as u64;
    let (mut starts, indices) = planar.planes.advance(
        Plane::splat(Portable, &layout.board),
        &layout.shift(Portable, direction),
        spec.collapse,
        &mut (),
    );
    let spread = layout.spread(Portable, direction);
    while starts.any() != 0 {
        let operation = Portable.take_operation(&mut starts, &indices, spread);
        combine_entry(operation.entry, &mut planar.values);
    }
    let PlanarBoard { planes, values, .. } = planar;
    planes.board(layout, board.rows(), board.cols(), &values)
}
