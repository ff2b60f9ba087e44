//! Kernels as [`Table`]s of games that are stepped together.

use super::layout::Layout;
use super::lockstep::stepping::{BlockRound, Places, SlotBlock, StepBlock};
use super::operation::OperationIsa;
use super::spec::Spec;
use crate::game::stepping::{End, Table};
use crate::game::{GameResult, Outcome};
use crate::games::sixty_seven::Direction;
use crate::rng::CellSeeds;
use std::fmt::Write;

/// Slots in blocks.
pub(super) struct Blocks<I: OperationIsa, const W: usize, const H: usize> {
    isa: I,
    kernel: &'static str,
    shape: (usize, usize),
    slots: usize,
    blocks: Vec<SlotBlock<I, W, H>>,
    places: Places,
}

impl<I: OperationIsa, const W: usize, const H: usize> Blocks<I, W, H> {
    /// Slots of a block, but for the last one.
    const EACH: usize = SlotBlock::<I, W, H>::SLOTS;

    pub(super) fn new(
        isa: I,
        kernel: &'static str,
        layout: &Layout<W>,
        spec: &Spec,
        seeds: CellSeeds,
        slots: usize,
    ) -> Self {
        let starts = (0..slots).step_by(Self::EACH);
        let count = |start: usize| (slots - start).min(Self::EACH);
        let block = |start| SlotBlock::new(isa, layout, spec, seeds, count(start));
        Self {
            isa,
            kernel,
            shape: (spec.rows, spec.cols),
            slots,
            blocks: starts.map(block).collect(),
            places: Places::new(layout, spec.cells()),
        }
    }

    /// The block of a slot, and its number there.
    fn place(&self, slot: usize) -> (&SlotBlock<I, W, H>, usize) {
        (&self.blocks[slot / Self::EACH], slot % Self::EACH)
    }
}

impl<I: OperationIsa, const W: usize, const H: usize> Table for Blocks<I, W, H> {
    fn slots(&self) -> usize {
        self.slots
    }

    fn kernel(&self) -> &'static str {
        self.kernel
    }

    fn shape(&self) -> (usize, usize) {
        self.shape
    }

    fn move_names(&self) -> Vec<String> {
        Direction::ALL
            .map(|direction| direction.name().to_owned())
            .into()
    }

    fn begin(&mut self, slot: usize, game: u64) -> (u64, Option<End>) {
        let legal = self.blocks[slot / Self::EACH].begin(slot % Self::EACH, game);
        (legal, (legal == 0).then_some(End::Blocked))
    }

    fn step(&mut self, moves: &[u8], legal: &mut [u64], ended: &mut [Option<End>]) {
        let parts = moves
            .chunks(Self::EACH)
            .zip(legal.chunks_mut(Self::EACH))
            .zip(ended.chunks_mut(Self::EACH));
        for (block, ((moves, legal), ended)) in self.blocks.iter_mut().zip(parts) {
            let round = BlockRound {
                moves,
                legal,
                ended,
            };
            self.isa.compiled(StepBlock { block, round });
        }
    }

    fn outcome(&self, slot: usize, end: End) -> Outcome {
        let (block, slot) = self.place(slot);
        let result = if end == End::Won {
            GameResult::Won
        } else {
            GameResult::Lost
        };
        Outcome::new(result, block.moves_made(slot))
    }

    fn read(&self, slot: usize, kinds: &mut [u8], numbers: &mut [f64]) {
        let (block, slot) = self.place(slot);
        block.read(slot, &self.places, kinds, numbers);
    }

    fn position(&self, slot: usize, end: End) -> String {
        let (block, slot) = self.place(slot);
        let mut text = "{\"board\":[".to_owned();
        block.write_board(slot, &mut text);
        // A blocked game ends in a round without a move.
        let round = block.moves_made(slot) + u64::from(end == End::Blocked);
        let _ = write!(text, "],\"round\":{round}}}");
        text
    }
}
