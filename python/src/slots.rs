//! The slots of an environment, divided among threads.

use crate::episodes::{Board, Chunk, Illegal, ObservationArrays, Results, Rules, Saved, is_legal};
use crate::errors::wrong_input;
use crate::pool::Threads;
use pyo3::{PyErr, PyResult};
use tilelab::game::stepping::{self, Autoreset, StepError, SteppingOptions};
use tilelab::{Cell, KernelChoice};

/// N games of one cell, in chunks for the threads.
pub struct Slots {
    pub cell: Cell,
    pub seed: u64,
    pub first_game: u64,
    pub rules: Rules,
    pub chunks: Vec<Chunk>,
    pub threads: usize,
    /// Where more than one thread steps.
    pub pool: Option<Threads>,
    /// Whether no episode has been shown yet.
    pub is_new: bool,
}

impl Slots {
    /// Begins the first episodes of a master seed.
    pub fn begin(&mut self, seed: u64, kernel: KernelChoice) -> PyResult<()> {
        let slots = self.rules.slots as usize;
        let size = slots.div_ceil(self.threads.clamp(1, slots));
        let chunk = |start: usize| {
            let options = SteppingOptions {
                first_game: self.first_game.wrapping_add(start as u64),
                autoreset: Autoreset::Disabled,
                illegal: stepping::Illegal::Ignore,
            };
            let count = size.min(slots - start);
            let stepper = self
                .cell
                .stepper(seed, count, kernel, options)
                .map_err(wrong_input)?;
            Ok(Chunk::new(start, stepper, &self.rules))
        };
        self.chunks = (0..slots)
            .step_by(size)
            .map(chunk)
            .collect::<PyResult<_>>()?;
        self.seed = seed;
        self.is_new = true;
        Ok(())
    }

    /// Begins the current game of the chosen slots on given boards: one for each of them, or one
    /// for all.
    pub fn pose(&mut self, boards: &[Board], chosen: Option<&[bool]>) -> PyResult<()> {
        let slots = self.rules.slots as usize;
        if boards.len() != 1 && boards.len() != slots {
            return Err(wrong_input(format!(
                "board: {} boards for {slots} games; give one, or one for each",
                boards.len()
            )));
        }
        // Kernels begin games by dealing only; the reference plays the same games.
        if !self.is_reference() {
            let saved: Vec<Saved> = self.saved().collect();
            self.begin(self.seed, KernelChoice::Reference)?;
            self.is_new = false;
            self.load(&saved)?;
        }
        for chunk in &mut self.chunks {
            for slot in 0..chunk.slots() {
                let number = chunk.first_slot + slot;
                if chosen.is_some_and(|chosen| !chosen[number]) {
                    continue;
                }
                let board = &boards[number % boards.len()];
                chunk
                    .pose(slot, board.clone(), &self.rules)
                    .map_err(|error| wrong_input(format!("board {number}: {error}")))?;
            }
        }
        Ok(())
    }

    /// Whether the reference plays, which can begin on a given board.
    pub fn is_reference(&self) -> bool {
        self.chunks[0].stepper.kernel() == KernelChoice::Reference.name()
    }

    pub fn saved(&self) -> impl Iterator<Item = Saved> {
        self.chunks
            .iter()
            .flat_map(|chunk| (0..chunk.slots()).map(|slot| chunk.save(slot)))
    }

    pub fn load(&mut self, saved: &[Saved]) -> PyResult<()> {
        for chunk in &mut self.chunks {
            let part = &saved[chunk.first_slot..][..chunk.slots()];
            chunk.load(part, &self.rules).map_err(wrong_input)?;
        }
        Ok(())
    }

    /// The message for the first slot whose action is outside the space, or not legal where that is
    /// refused.
    pub fn refusal(&self, actions: &[i64], names: &[String]) -> Option<PyErr> {
        let width = names.len() as i64;
        if let Some(slot) = actions
            .iter()
            .position(|action| !(0..width).contains(action))
        {
            let most = width - 1;
            return Some(wrong_input(format!(
                "slot {slot}: action {}: accepted: a whole number from 0 to {most}",
                actions[slot]
            )));
        }
        if self.rules.illegal != Illegal::Raise {
            return None;
        }
        self.chunks.iter().find_map(|chunk| {
            let slot = chunk.refused(&actions[chunk.first_slot..][..chunk.slots()])?;
            let text = |number: usize| format!("{number} ({})", names[number]);
            let legal = chunk.stepper.legal()[slot];
            Some(wrong_input(StepError::Illegal {
                slot: chunk.first_slot + slot,
                game: chunk.stepper.games()[slot],
                chosen: text(actions[chunk.first_slot + slot] as usize),
                legal: (0..names.len())
                    .filter(|&number| is_legal(legal, number as i64))
                    .map(text)
                    .collect(),
            }))
        })
    }

    /// The labels of moves of Calculator: some buttons change theirs in the course of a game.
    pub fn labels(&self, game: u64, moves: &[u8]) -> PyResult<Vec<String>> {
        let options = SteppingOptions {
            first_game: game,
            ..SteppingOptions::default()
        };
        let kernel = KernelChoice::Reference;
        let stepper = self.cell.stepper(self.seed, 1, kernel, options);
        let mut stepper = stepper.map_err(wrong_input)?;
        let job = self.cell.job(self.seed, kernel).map_err(wrong_input)?;
        let mut session = job.open(game, None).map_err(wrong_input)?;
        let mut labels = Vec::new();
        for &chosen in moves {
            let rank = (stepper.legal()[0] & ((1 << chosen) - 1)).count_ones() as usize;
            labels.push(session.view().legal.swap_remove(rank));
            session.play(rank);
            stepper.step(&[chosen]).map_err(wrong_input)?;
        }
        Ok(labels)
    }

    /// Steps every chunk, where there are actions, and fills its part of the arrays, on all
    /// threads.
    pub fn fill(
        &mut self,
        shown: ObservationArrays<'_>,
        mut step: Option<(&[i64], Results<'_>)>,
    ) -> PyResult<()> {
        let slots = self.rules.slots as usize;
        let cells = shown.kinds.len() / slots;
        let numbers = shown.numbers.len() / slots;
        let planes = shown.planes.len() / slots;
        let width = shown.mask.len() / slots;
        let mut all_kinds = shown.kinds;
        let mut all_numbers = shown.numbers;
        let mut all_planes = shown.planes;
        let mut all_masks = shown.mask;
        let whole = "an element for each slot";
        let mut parts = Vec::with_capacity(self.chunks.len());
        for chunk in &mut self.chunks {
            let count = chunk.slots();
            let shown = ObservationArrays {
                kinds: all_kinds.split_off_mut(..count * cells).expect(whole),
                numbers: all_numbers.split_off_mut(..count * numbers).expect(whole),
                planes: all_planes.split_off_mut(..count * planes).expect(whole),
                mask: all_masks.split_off_mut(..count * width).expect(whole),
            };
            let step = step.as_mut().map(|(actions, all)| {
                let results = Results {
                    rewards: all.rewards.split_off_mut(..count).expect(whole),
                    terminated: all.terminated.split_off_mut(..count).expect(whole),
                    truncated: all.truncated.split_off_mut(..count).expect(whole),
                    illegal: all.illegal.split_off_mut(..count).expect(whole),
                };
                (&actions[chunk.first_slot..][..count], results)
            });
            parts.push((chunk, shown, step));
        }
        let rules = &self.rules;
        let act = |(chunk, shown, step): (
            &mut Chunk,
            ObservationArrays<'_>,
            Option<(&[i64], Results<'_>)>,
        )| {
            if let Some((actions, results)) = step {
                chunk.step(actions, results, rules);
            }
            chunk.show(shown, rules.observation);
        };
        let Some(pool) = &mut self.pool else {
            parts.into_iter().for_each(act);
            return Ok(());
        };
        // The calling thread steps a chunk too: it is awake.
        let own = parts.pop();
        pool.pool()?.in_place_scope(|scope| {
            for part in parts {
                scope.spawn(|_| act(part));
            }
            own.into_iter().for_each(act);
        });
        Ok(())
    }
}
