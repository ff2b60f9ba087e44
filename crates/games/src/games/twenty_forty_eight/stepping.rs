//! Games of 2048 stepped together with given swipes: 4×4 boards packed, others by the reference.

use super::TwentyFortyEight;
use super::lockstep::{begun, legal_swipes, spawn};
use super::packed::{POINTS_BOUND, Packed, SlidRows, transposed_if};
use super::reference::{State, read};
use crate::game::registry::Setup;
use crate::game::stepping::{End, IDLE, PlainTable, Steppable, Table};
use crate::game::{KernelChoice, Outcome, Positions};
use crate::games::direction::Direction;
use crate::params::ParamError;
use crate::rng::{CellSeeds, game_seed, next_word, stream_in_state};

impl Steppable for TwentyFortyEight {
    fn all_moves(&self) -> Vec<(Direction, String)> {
        Direction::named()
    }

    fn end(&self, state: &State) -> End {
        // The game goes on past the goal, so that reaching it ends nothing.
        let is_spent = self.max_moves.is_some_and(|moves| state.moves >= moves);
        if is_spent {
            End::OutOfRounds
        } else {
            End::Blocked
        }
    }
}

/// The table that steps these rules.
///
/// # Errors
/// Returns an error if a kernel was requested by name that does not support the rules.
pub(super) fn table(setup: &Setup<'_>, slots: usize) -> Result<Box<dyn Table>, ParamError> {
    let game = TwentyFortyEight::from_params(setup.params);
    let Setup { seeds, kernel, .. } = *setup;
    let refuse = |reason: &str| {
        let why = format!("cannot step this: {reason}; accepted: auto, reference");
        Err(kernel.refused(&why))
    };
    let packed = PackedTable::new(&game, seeds, slots);
    match (kernel, packed) {
        (KernelChoice::Auto | KernelChoice::Portable, Some(packed)) => Ok(Box::new(packed)),
        (KernelChoice::Auto | KernelChoice::Reference, _) => {
            Ok(Box::new(PlainTable::new(game, seeds, slots)))
        }
        (KernelChoice::Portable, None) => refuse(
            "it plays boards of 4×4 with powers of two from 2 to 32768 that sum to less than 65529",
        ),
        _ => refuse("games of 2048 are stepped by portable"),
    }
}

/// Packed 4×4 boards ([`Packed`]), stepped without a branch that depends on a swipe or a board.
///
/// A game goes on in the plain engine once its tiles sum to so much that two tiles 32768 might
/// meet.
pub(super) struct PackedTable {
    game: TwentyFortyEight,
    seeds: CellSeeds,
    start: Packed,
    moves_max: u64,
    rows: &'static SlidRows,
    slots: Vec<GameSlot>,
    /// The games that have outgrown the packing, by slot.
    plain: PlainTable<TwentyFortyEight>,
}

/// A packed game.
#[derive(Clone, Copy, Default)]
struct GameSlot {
    board: Packed,
    /// The state of the world stream.
    world: [u64; 4],
    moves: u64,
    /// How many tiles 4 were spawned.
    fours: u32,
    /// The sum of all tiles; [`OUTGROWN`] where the plain engine plays.
    points: u32,
}

const OUTGROWN: u32 = u32::MAX;

impl PackedTable {
    /// `None` when the board is not 4×4 or its start board cannot be packed.
    pub(super) fn new(game: &TwentyFortyEight, seeds: CellSeeds, slots: usize) -> Option<Self> {
        let start = game.packed_start()?;
        (start.points() < POINTS_BOUND - 8).then(|| Self {
            seeds,
            start,
            moves_max: game.max_moves.unwrap_or(u64::MAX),
            rows: SlidRows::get(),
            slots: vec![GameSlot::default(); slots],
            plain: PlainTable::new(game.clone(), seeds, slots),
            game: game.clone(),
        })
    }

    /// The sum of the tiles that merges made; see [`Packed::earned`].
    fn merge_score(&self, slot: &GameSlot) -> u64 {
        slot.board.earned() - self.start.earned() - 4 * u64::from(slot.fours)
    }

    /// Hands a game over to the plain engine, before its tiles outgrow the packing.
    #[cold]
    fn outgrow(&mut self, slot: usize) {
        let GameSlot {
            board,
            world,
            moves,
            ..
        } = self.slots[slot];
        let state = State {
            board: board.to_board(),
            merge_score: self.merge_score(&self.slots[slot]),
            moves,
            spawns_due: 0,
            ended: false,
        };
        self.plain.set(slot, state, stream_in_state(world));
        self.slots[slot].points = OUTGROWN;
    }
}

impl Table for PackedTable {
    fn slots(&self) -> usize {
        self.slots.len()
    }

    fn kernel(&self) -> &'static str {
        KernelChoice::Portable.name()
    }

    fn shape(&self) -> (usize, usize) {
        (4, 4)
    }

    fn move_names(&self) -> Vec<String> {
        self.plain.move_names()
    }

    fn begin(&mut self, slot: usize, game: u64) -> (u64, Option<End>) {
        let seed = game_seed(self.seeds.world, game);
        let (board, world, fours) = begun(&self.game, self.start, seed);
        self.slots[slot] = GameSlot {
            board,
            world,
            moves: 0,
            fours: fours as u32,
            points: board.points() as u32,
        };
        let legal = legal_mask(board);
        (legal, (legal == 0).then_some(End::Blocked))
    }

    fn step(&mut self, moves: &[u8], legal: &mut [u64], ended: &mut [Option<End>]) {
        let four_rate = self.game.four_rate.threshold();
        for (number, &chosen) in moves.iter().enumerate() {
            if chosen == IDLE {
                continue;
            }
            let slot = &mut self.slots[number];
            if slot.points == OUTGROWN {
                (legal[number], ended[number]) = self.plain.step_slot(number, chosen);
                continue;
            }
            let along_columns = u64::from(chosen >> 1).wrapping_sub(1);
            let facing = transposed_if(along_columns, slot.board.0);
            let (slid, _) = self.rows.slide(chosen & 1 == 1, facing);
            slot.board.0 = transposed_if(along_columns, slid);
            slot.moves += 1;
            if slot.moves >= self.moves_max {
                (legal[number], ended[number]) = (0, Some(End::OutOfRounds));
                continue;
            }
            let (place, four) = spawn(slot.board.blanks(), next_word(&mut slot.world), four_rate);
            slot.board.0 |= place + (place & four);
            let four = (four & 1) as u32;
            slot.fours += four;
            slot.points += 2 + 2 * four;
            let swipes = legal_mask(slot.board);
            legal[number] = swipes;
            ended[number] = (swipes == 0).then_some(End::Blocked);
            if u64::from(slot.points) >= POINTS_BOUND - 4 && swipes != 0 {
                self.outgrow(number);
            }
        }
    }

    fn outcome(&self, slot: usize, end: End) -> Outcome {
        let ended = &self.slots[slot];
        if ended.points == OUTGROWN {
            return self.plain.outcome(slot, end);
        }
        let board = ended.board;
        self.game.finished(
            ended.moves,
            board.points(),
            self.merge_score(ended),
            board.largest(),
        )
    }

    fn read(&self, slot: usize, kinds: &mut [u8], numbers: &mut [f64]) {
        let shown = &self.slots[slot];
        if shown.points == OUTGROWN {
            self.plain.read(slot, kinds, numbers);
        } else {
            read(shown.board.tiles(), kinds, numbers);
        }
    }

    fn position(&self, slot: usize, end: End) -> String {
        let shown = &self.slots[slot];
        if shown.points == OUTGROWN {
            return self.plain.position(slot, end);
        }
        let state = State {
            board: shown.board.to_board(),
            merge_score: self.merge_score(shown),
            moves: shown.moves,
            // After the last move that the rules allow, no tile is spawned.
            spawns_due: u8::from(end == End::OutOfRounds),
            ended: true,
        };
        self.game.position(&state).to_string()
    }
}

/// The legal swipes, bit d for direction number d.
#[inline(always)]
fn legal_mask(board: Packed) -> u64 {
    let swipes = legal_swipes(board.0);
    (0..4)
        .map(|direction| u64::from(swipes[direction] != 0) << direction)
        .sum()
}
