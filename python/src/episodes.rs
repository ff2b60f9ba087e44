//! Episodes of games that one thread steps: illegal moves, limits, rewards and autoreset.

use crate::shown::{Before, Facts, Observation, Reward};
use serde::{Deserialize, Serialize};
use tilelab::GameResult;
use tilelab::game::PositionError;
use tilelab::game::stepping::{End, IDLE, MOVES_MAX, Stepper};
use tilelab::tally::MEASURES_MAX;

/// The codes of ends in arrays; 0 stands for a game that goes on.
const WON: u8 = 1;
const BLOCKED: u8 = 2;
const EXCEEDED: u8 = 3;
const OUT_OF_ROUNDS: u8 = 4;
/// The episode was cut at the limit of the environment; the rules know nothing of it.
const CUT: u8 = 5;
/// A move was not legal, which loses.
const ILLEGAL: u8 = 6;

/// When an episode that is over is replaced by the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Autoreset {
    /// In the step in which the episode ended.
    SameStep,
    /// In the step after the one in which the episode ended.
    NextStep,
    /// When the slot is reset.
    Disabled,
}

/// What a move does that is not legal.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Illegal {
    /// The move does nothing.
    Noop,
    /// The move loses the game.
    Lose,
    /// The step is refused.
    Raise,
}

/// How episodes go on: what all slots share.
#[derive(Clone, Copy)]
pub struct Rules {
    pub slots: u64,
    pub autoreset: Autoreset,
    pub illegal: Illegal,
    pub steps_max: Option<u64>,
    pub records: bool,
    /// Whether the rules' limit of rounds truncates an episode; otherwise reaching it loses.
    pub rounds_truncate: bool,
    pub observation: Observation,
    pub reward: Reward,
}

/// A start board as rows of tile texts.
pub type Board = Vec<Vec<String>>;

/// The slots that one thread steps.
pub struct Chunk {
    pub first_slot: usize,
    pub stepper: Stepper,
    cells: usize,
    /// Steps of each slot's episode, those with illegal moves included.
    steps: Vec<u64>,
    /// Why each slot's episode is over, until it is replaced; 0 while it goes on.
    over: Vec<u8>,
    /// The board that each slot's game began on, where one was given.
    starts: Vec<Option<Board>>,
    moves: Vec<u8>,
    /// The moves that each slot's episode has made.
    played: Vec<Vec<u8>>,
    /// The boards.
    kinds: Vec<u8>,
    numbers: Vec<f64>,
    before: Vec<Before>,
    /// The episodes that ended in the last step, with their final boards.
    pub finals: Vec<Final>,
    pub final_kinds: Vec<u8>,
    pub final_numbers: Vec<f64>,
}

/// An episode that ended in the last step.
pub struct Final {
    pub slot: usize,
    pub game: u64,
    pub end: u8,
    pub moves: u64,
    pub won: bool,
    /// What the game reports besides; 0 where the rules did not end it.
    pub measures: [i64; MEASURES_MAX],
    /// The moves, where they are recorded.
    pub played: Vec<u8>,
}

/// What leads to a slot's position.
#[derive(Serialize, Deserialize)]
pub struct Saved {
    game: u64,
    /// A letter a move: `0` is move 0.
    moves: String,
    steps: u64,
    over: u8,
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub board: Option<Board>,
}

/// A chunk's part of the arrays of observations and masks.
pub struct ObservationArrays<'a> {
    pub kinds: &'a mut [u8],
    pub numbers: &'a mut [f64],
    pub planes: &'a mut [f32],
    pub mask: &'a mut [i8],
}

/// A chunk's part of the arrays of a step's results.
pub struct Results<'a> {
    pub rewards: &'a mut [f64],
    pub terminated: &'a mut [bool],
    pub truncated: &'a mut [bool],
    pub illegal: &'a mut [bool],
}

impl Chunk {
    pub fn new(first_slot: usize, stepper: Stepper, rules: &Rules) -> Self {
        let count = stepper.slots();
        let (rows, cols) = stepper.shape();
        let cells = rows * cols;
        let mut chunk = Self {
            first_slot,
            stepper,
            cells,
            steps: vec![0; count],
            over: vec![0; count],
            starts: vec![None; count],
            moves: vec![IDLE; count],
            played: vec![Vec::new(); count],
            kinds: vec![0; count * cells],
            numbers: vec![0.0; count * cells],
            before: vec![Before::default(); count],
            finals: Vec::new(),
            final_kinds: Vec::new(),
            final_numbers: Vec::new(),
        };
        (0..count).for_each(|slot| chunk.look(slot, rules));
        chunk
    }

    pub fn slots(&self) -> usize {
        self.moves.len()
    }

    /// The first slot whose action is not legal.
    pub fn refused(&self, actions: &[i64]) -> Option<usize> {
        let legal = self.stepper.legal();
        (0..legal.len()).find(|&slot| {
            self.over[slot] == 0 && legal[slot] != 0 && !is_legal(legal[slot], actions[slot])
        })
    }

    /// Plays one round in every slot.
    pub fn step(&mut self, actions: &[i64], out: Results<'_>, rules: &Rules) {
        for (slot, &action) in actions.iter().enumerate() {
            let legal = self.stepper.legal()[slot];
            let is_legal = is_legal(legal, action);
            let goes_on = self.over[slot] == 0;
            self.moves[slot] = if is_legal && goes_on {
                action as u8
            } else {
                IDLE
            };
            out.illegal[slot] = goes_on && legal != 0 && !is_legal;
        }
        self.forget();
        self.play();
        for slot in 0..actions.len() {
            let illegal = out.illegal[slot];
            out.rewards[slot] = 0.0;
            out.terminated[slot] = false;
            out.truncated[slot] = false;
            let was_over = self.over[slot];
            if was_over != 0 {
                match rules.autoreset {
                    Autoreset::NextStep => self.next(slot, rules),
                    _ => {
                        out.truncated[slot] = is_truncated(was_over, rules);
                        out.terminated[slot] = !out.truncated[slot];
                    }
                }
                continue;
            }
            self.steps[slot] += 1;
            let end = match self.stepper.ended()[slot] {
                Some(end) => code(end),
                None if illegal && rules.illegal == Illegal::Lose => ILLEGAL,
                None if rules.steps_max.is_some_and(|most| self.steps[slot] >= most) => CUT,
                None => 0,
            };
            let before = self.before[slot];
            self.look(slot, rules);
            let mut won = false;
            if end != 0 {
                self.over[slot] = end;
                won = self.finish(slot, end, rules.records);
                out.truncated[slot] = is_truncated(end, rules);
                out.terminated[slot] = !out.truncated[slot];
            }
            let facts = Facts {
                won,
                lost: out.terminated[slot] && !won,
                illegal,
            };
            let after = self.before[slot];
            out.rewards[slot] = rules.reward.value(before, after, self.board(slot).0, facts);
            if end != 0 && rules.autoreset == Autoreset::SameStep {
                self.next(slot, rules);
            }
        }
    }

    /// Forgets the episodes that ended in the last step.
    pub fn forget(&mut self) {
        self.finals.clear();
        self.final_kinds.clear();
        self.final_numbers.clear();
    }

    /// The moves of a slot's episode so far.
    pub fn played(&self, slot: usize) -> &[u8] {
        &self.played[slot]
    }

    /// Plays the chosen moves, and keeps those that are made.
    fn play(&mut self) {
        for (played, &chosen) in self.played.iter_mut().zip(&self.moves) {
            if chosen != IDLE {
                played.push(chosen);
            }
        }
        self.stepper
            .step(&self.moves)
            .expect("one move for each slot, and others than legal ones are ignored");
    }

    /// Reads a slot's board.
    fn look(&mut self, slot: usize, rules: &Rules) {
        let range = slot * self.cells..(slot + 1) * self.cells;
        let kinds = &mut self.kinds[range.clone()];
        let numbers = &mut self.numbers[range];
        self.stepper.board(slot, kinds, numbers);
        self.before[slot] = rules.reward.before(kinds, numbers);
    }

    /// A slot's board, kinds and numbers.
    fn board(&self, slot: usize) -> (&[u8], &[f64]) {
        let range = slot * self.cells..(slot + 1) * self.cells;
        (&self.kinds[range.clone()], &self.numbers[range])
    }

    /// Which slots' episodes are over.
    pub fn waiting(&self) -> impl Iterator<Item = bool> {
        self.over.iter().map(|&over| over != 0)
    }

    /// All boards: kinds and numbers.
    pub fn boards(&self) -> (&[u8], &[f64]) {
        (&self.kinds, &self.numbers)
    }

    /// Keeps the final board and facts of an episode; returns whether it was won.
    fn finish(&mut self, slot: usize, end: u8, records: bool) -> bool {
        let range = slot * self.cells..(slot + 1) * self.cells;
        self.final_kinds
            .extend_from_slice(&self.kinds[range.clone()]);
        self.final_numbers.extend_from_slice(&self.numbers[range]);
        let finished = self.stepper.finished();
        let place = finished.binary_search_by_key(&slot, |game| game.slot).ok();
        let finished = place.map(|place| finished[place].outcome);
        let won = finished.is_some_and(|outcome| outcome.result == GameResult::Won);
        self.finals.push(Final {
            slot: self.first_slot + slot,
            game: self.stepper.games()[slot],
            end,
            moves: self.stepper.moves()[slot],
            won,
            measures: finished.map_or([0; MEASURES_MAX], |outcome| outcome.measures),
            played: if records {
                self.played[slot].clone()
            } else {
                Vec::new()
            },
        });
        won
    }

    /// Begins the next episode of a slot.
    pub fn next(&mut self, slot: usize, rules: &Rules) {
        let game = self.stepper.games()[slot].wrapping_add(rules.slots);
        self.stepper.open(slot, game);
        self.begun(slot, None, rules);
    }

    /// Begins a slot's current game again, on a given board.
    pub fn pose(&mut self, slot: usize, board: Board, rules: &Rules) -> Result<(), PositionError> {
        let game = self.stepper.games()[slot];
        self.stepper.pose(slot, game, &board)?;
        self.begun(slot, Some(board), rules);
        let checked = rules.observation.check(self.board(slot).1);
        checked.map_err(|error| {
            self.stepper.open(slot, game);
            self.begun(slot, None, rules);
            error.into()
        })
    }

    fn begun(&mut self, slot: usize, start: Option<Board>, rules: &Rules) {
        self.steps[slot] = 0;
        self.over[slot] = 0;
        self.starts[slot] = start;
        self.played[slot].clear();
        self.look(slot, rules);
    }

    /// Writes the observations and the masks of legal moves.
    pub fn show(&self, out: ObservationArrays<'_>, observation: Observation) {
        let count = self.slots();
        if observation == Observation::Tiles {
            out.kinds.copy_from_slice(&self.kinds);
            out.numbers.copy_from_slice(&self.numbers);
        } else {
            let size = out.planes.len() / count;
            for (slot, planes) in out.planes.chunks_exact_mut(size).enumerate() {
                let (kinds, numbers) = self.board(slot);
                observation.write(kinds, numbers, planes);
            }
        }
        let width = out.mask.len() / count;
        for (slot, mask) in out.mask.chunks_exact_mut(width).enumerate() {
            // An episode that was cut may have legal moves; they are not to be made.
            let legal = if self.over[slot] == 0 {
                self.stepper.legal()[slot]
            } else {
                0
            };
            for (bit, is_legal) in mask.iter_mut().enumerate() {
                *is_legal = (legal >> bit & 1) as i8;
            }
        }
    }

    /// What leads to the position of a slot.
    pub fn save(&self, slot: usize) -> Saved {
        let letter = |chosen: u8| char::from(b'0' + chosen);
        Saved {
            game: self.stepper.games()[slot],
            moves: self.played[slot].iter().copied().map(letter).collect(),
            steps: self.steps[slot],
            over: self.over[slot],
            board: self.starts[slot].clone(),
        }
    }

    /// Plays every slot up to a saved position.
    pub fn load(&mut self, saved: &[Saved], rules: &Rules) -> Result<(), String> {
        let begin = |chunk: &mut Self, slot: usize| {
            let one = &saved[slot];
            chunk.stepper.open(slot, one.game);
            chunk.begun(slot, None, rules);
            one.board
                .clone()
                .map_or(Ok(()), |board| chunk.pose(slot, board, rules))
                .map_err(|error| error.to_string())
        };
        (0..saved.len()).try_for_each(|slot| begin(self, slot))?;
        let longest = saved.iter().map(|one| one.moves.len()).max().unwrap_or(0);
        for number in 0..longest {
            for (slot, one) in saved.iter().enumerate() {
                self.moves[slot] = match one.moves.as_bytes().get(number) {
                    None => IDLE,
                    Some(letter) => letter.wrapping_sub(b'0'),
                };
                let chosen = self.moves[slot];
                if chosen != IDLE && !is_legal(self.stepper.legal()[slot], chosen.into()) {
                    return Err(format!("game {}: move {number} is not legal", one.game));
                }
            }
            self.play();
        }
        for (slot, one) in saved.iter().enumerate() {
            if one.moves.is_empty() {
                // The stepper tells the end of a game that is over before its first move only once.
                begin(self, slot)?;
            }
            self.steps[slot] = one.steps;
            self.over[slot] = one.over;
            self.look(slot, rules);
        }
        self.forget();
        Ok(())
    }
}

pub fn is_legal(legal: u64, action: i64) -> bool {
    (0..MOVES_MAX as i64).contains(&action) && legal >> action & 1 == 1
}

fn is_truncated(end: u8, rules: &Rules) -> bool {
    end == CUT || end == OUT_OF_ROUNDS && rules.rounds_truncate
}

const fn code(end: End) -> u8 {
    match end {
        End::Won => WON,
        End::Blocked => BLOCKED,
        End::Exceeded => EXCEEDED,
        End::OutOfRounds => OUT_OF_ROUNDS,
    }
}
