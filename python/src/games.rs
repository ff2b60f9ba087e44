//! Games that are stepped together: arrays in, arrays out.
//!
//! The library plays ([`Stepper`]); here slots are divided among threads, ended episodes are
//! replaced as Gymnasium's modes of autoreset say, and arrays are filled.

use crate::errors::wrong_input;
use numpy::{PyArray1, PyArray2, PyArray3, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use rayon::prelude::*;
use std::sync::{Mutex, MutexGuard, TryLockError};
use tilelab::game::stepping::{End, IDLE, Illegal, MOVES_MAX, Options, Reseat, StepError, Stepper};
use tilelab::games::calculator;
use tilelab::plan::Direct;
use tilelab::tally::MEASURES_MAX;
use tilelab::{Cell, GameResult, KernelChoice, plan};

/// The codes of ends in arrays; 0 stands for a game that goes on.
const WON: u8 = 1;
const BLOCKED: u8 = 2;
const EXCEEDED: u8 = 3;
const OUT_OF_ROUNDS: u8 = 4;
/// The episode was cut at the limit of the environment; the rules know nothing of it.
const CUT: u8 = 5;

/// When an episode that is over is replaced by the next one.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Autoreset {
    SameStep,
    NextStep,
    Disabled,
}

/// N games of one cell that are stepped together.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Games {
    inner: Mutex<Inner>,
    /// The key of the cell, as in the column `cell` of `cells.csv` for the default player.
    #[pyo3(get)]
    cell_key: String,
    /// The games' number, N.
    #[pyo3(get)]
    slots: usize,
    /// Rows and columns of a board.
    #[pyo3(get)]
    shape: (usize, usize),
    /// The names of all moves.
    #[pyo3(get)]
    moves: Vec<String>,
    /// The name of the kernel that plays.
    #[pyo3(get)]
    kernel: &'static str,
    /// The parameters of the game, `key=value`.
    settings: Vec<String>,
}

struct Inner {
    cell: Cell,
    seed: u64,
    first_game: u64,
    slots: usize,
    autoreset: Autoreset,
    refuses: bool,
    steps_max: Option<u64>,
    records: bool,
    chunks: Vec<Chunk>,
    pool: Option<rayon::ThreadPool>,
    /// Whether no episode has been shown yet.
    is_new: bool,
}

/// The slots that one thread steps.
struct Chunk {
    first_slot: usize,
    stepper: Stepper,
    /// Steps of each slot's episode, those with illegal moves included.
    steps: Vec<u64>,
    /// Why each slot's episode is over, until it is replaced; 0 while it goes on.
    over: Vec<u8>,
    moves: Vec<u8>,
    /// The moves of each slot's episode; empty when they are not recorded.
    played: Vec<Vec<u8>>,
    finals: Vec<Final>,
    /// The final boards of `finals`.
    kinds: Vec<u8>,
    numbers: Vec<f64>,
}

/// An episode that ended in the last step.
struct Final {
    slot: usize,
    game: u64,
    end: u8,
    moves: u64,
    won: bool,
    /// What the game reports besides; 0 where the rules did not end it.
    measures: [i64; MEASURES_MAX],
    /// The moves, where they are recorded.
    played: Vec<u8>,
}

/// One chunk's part of the arrays.
struct Part<'a> {
    chunk: &'a mut Chunk,
    actions: &'a [i64],
    kinds: &'a mut [u8],
    numbers: &'a mut [f64],
    mask: &'a mut [bool],
    ends: &'a mut [u8],
    illegal: &'a mut [bool],
}

/// How episodes go on: what all chunks share.
#[derive(Clone, Copy)]
struct Rules {
    slots: u64,
    autoreset: Autoreset,
    steps_max: Option<u64>,
}

impl Chunk {
    fn new(inner: &Inner, slots: std::ops::Range<usize>) -> PyResult<Self> {
        let count = slots.len();
        let options = Options {
            first_game: inner.first_game.wrapping_add(slots.start as u64),
            reseat: Reseat::Disabled,
            illegal: Illegal::Ignore,
        };
        let stepper = inner.cell.stepper(inner.seed, count, KernelChoice::Auto, options).map_err(wrong_input)?;
        Ok(Self {
            first_slot: slots.start,
            stepper,
            steps: vec![0; count],
            over: vec![0; count],
            moves: vec![IDLE; count],
            played: vec![Vec::new(); if inner.records { count } else { 0 }],
            finals: Vec::new(),
            kinds: Vec::new(),
            numbers: Vec::new(),
        })
    }

    /// The first slot whose action is not legal.
    fn refused(&self, actions: &[i64]) -> Option<usize> {
        let legal = self.stepper.legal();
        (0..legal.len()).find(|&slot| self.over[slot] == 0 && legal[slot] != 0 && !is_legal(legal[slot], actions[slot]))
    }

    fn step(&mut self, actions: &[i64], ends: &mut [u8], illegal: &mut [bool], rules: Rules) {
        let count = actions.len();
        for slot in 0..count {
            let legal = self.stepper.legal()[slot];
            let is_legal = is_legal(legal, actions[slot]);
            let goes_on = self.over[slot] == 0;
            self.moves[slot] = if is_legal && goes_on { actions[slot] as u8 } else { IDLE };
            illegal[slot] = goes_on && legal != 0 && !is_legal;
            ends[slot] = 0;
        }
        for (played, &chosen) in self.played.iter_mut().zip(&self.moves) {
            if chosen != IDLE {
                played.push(chosen);
            }
        }
        self.finals.clear();
        self.kinds.clear();
        self.numbers.clear();
        self.stepper.step(&self.moves).expect("one move for each slot, and others than legal ones are ignored");
        for (slot, end) in ends.iter_mut().enumerate() {
            if self.over[slot] != 0 {
                match rules.autoreset {
                    Autoreset::NextStep => self.next(slot, rules.slots),
                    _ => *end = self.over[slot],
                }
                continue;
            }
            self.steps[slot] += 1;
            *end = match self.stepper.ended()[slot] {
                Some(end) => code(end),
                None if rules.steps_max.is_some_and(|most| self.steps[slot] >= most) => CUT,
                None => continue,
            };
            self.over[slot] = *end;
            self.finish(slot, *end);
            if rules.autoreset == Autoreset::SameStep {
                self.next(slot, rules.slots);
            }
        }
    }

    /// Keeps the final board and facts of an episode.
    fn finish(&mut self, slot: usize, end: u8) {
        let (rows, cols) = self.stepper.shape();
        let at = self.kinds.len();
        self.kinds.resize(at + rows * cols, 0);
        self.numbers.resize(at + rows * cols, 0.0);
        self.stepper.board(slot, &mut self.kinds[at..], &mut self.numbers[at..]);
        let finished = self.stepper.finished().iter().find(|game| game.slot == slot);
        self.finals.push(Final {
            slot: self.first_slot + slot,
            game: self.stepper.games()[slot],
            end,
            moves: self.stepper.moves()[slot],
            won: finished.is_some_and(|game| game.outcome.result == GameResult::Won),
            measures: finished.map_or([0; MEASURES_MAX], |game| game.outcome.measures),
            played: self.played.get_mut(slot).map(std::mem::take).unwrap_or_default(),
        });
    }

    /// Begins the next episode of a slot.
    fn next(&mut self, slot: usize, slots: u64) {
        let game = self.stepper.games()[slot].wrapping_add(slots);
        self.stepper.open(slot, game);
        self.steps[slot] = 0;
        self.over[slot] = 0;
        if let Some(played) = self.played.get_mut(slot) {
            played.clear();
        }
    }

    /// Writes the boards and the masks of legal moves.
    fn show(&self, kinds: &mut [u8], numbers: &mut [f64], mask: &mut [bool]) {
        self.stepper.boards(kinds, numbers);
        let width = mask.len() / self.moves.len();
        for ((legal, mask), &over) in self.stepper.legal().iter().zip(mask.chunks_exact_mut(width)).zip(&self.over) {
            // An episode that was cut may have legal moves; they are not to be made.
            let legal = if over == 0 { *legal } else { 0 };
            for (bit, is_legal) in mask.iter_mut().enumerate() {
                *is_legal = legal >> bit & 1 == 1;
            }
        }
    }
}

fn is_legal(legal: u64, action: i64) -> bool {
    (0..MOVES_MAX as i64).contains(&action) && legal >> action & 1 == 1
}

const fn code(end: End) -> u8 {
    match end {
        End::Won => WON,
        End::Blocked => BLOCKED,
        End::Exceeded => EXCEEDED,
        End::OutOfRounds => OUT_OF_ROUNDS,
    }
}

impl Inner {
    fn rules(&self) -> Rules {
        Rules { slots: self.slots as u64, autoreset: self.autoreset, steps_max: self.steps_max }
    }

    /// Begins the first episodes of a master seed.
    fn begin(&mut self, seed: u64, threads: usize) -> PyResult<()> {
        self.seed = seed;
        let size = self.slots.div_ceil(threads.clamp(1, self.slots));
        let starts = (0..self.slots).step_by(size);
        let ranges = starts.map(|start| start..self.slots.min(start + size));
        self.chunks = ranges.map(|slots| Chunk::new(self, slots)).collect::<PyResult<_>>()?;
        self.is_new = true;
        Ok(())
    }

    /// The message for the first slot whose action is not legal, if there is one.
    fn refusal(&self, actions: &[i64]) -> Option<StepError> {
        self.chunks.iter().find_map(|chunk| {
            let slot = chunk.refused(&actions[chunk.first_slot..][..chunk.moves.len()])?;
            let names = chunk.stepper.move_names();
            let text = |number: i64| {
                let name = usize::try_from(number).ok().and_then(|number| names.get(number));
                name.map_or_else(|| number.to_string(), |name| format!("{number} ({name})"))
            };
            let legal = chunk.stepper.legal()[slot];
            Some(StepError::Illegal {
                slot: chunk.first_slot + slot,
                game: chunk.stepper.games()[slot],
                chosen: text(actions[chunk.first_slot + slot]),
                legal: (0..names.len() as i64).filter(|&number| is_legal(legal, number)).map(text).collect(),
            })
        })
    }

    /// The names of moves of a game, as `replay --moves` reads them.
    ///
    /// Some buttons of Calculator change their label in the course of a game.
    fn named(&self, game: u64, moves: &[u8]) -> PyResult<Vec<String>> {
        let names = self.chunks[0].stepper.move_names();
        if self.cell.game.name != calculator::NAME {
            return Ok(moves.iter().map(|&chosen| names[usize::from(chosen)].clone()).collect());
        }
        let options = Options { first_game: game, ..Options::default() };
        let mut stepper = self.cell.stepper(self.seed, 1, KernelChoice::Reference, options).map_err(wrong_input)?;
        let job = self.cell.job(self.seed, KernelChoice::Reference).map_err(wrong_input)?;
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

    /// Does something with every chunk and its part of the arrays, on all threads.
    fn each(&mut self, arrays: Arrays<'_>, act: impl Fn(Part<'_>) + Send + Sync) {
        let Arrays { actions, mut kinds, mut numbers, mut mask, mut ends, mut illegal } = arrays;
        let cells = kinds.len() / self.slots;
        let width = mask.len() / self.slots;
        let part = |chunk| {
            let chunk: &mut Chunk = chunk;
            let count = chunk.moves.len();
            let first = chunk.first_slot;
            Part {
                actions: actions.get(first..first + count).unwrap_or(&[]),
                kinds: kinds.split_off_mut(..count * cells).expect("a board for each slot"),
                numbers: numbers.split_off_mut(..count * cells).expect("a board for each slot"),
                mask: mask.split_off_mut(..count * width).expect("a mask for each slot"),
                ends: ends.split_off_mut(..count.min(ends.len())).expect("an end for each slot"),
                illegal: illegal.split_off_mut(..count.min(illegal.len())).expect("a flag for each slot"),
                chunk,
            }
        };
        let parts: Vec<Part<'_>> = self.chunks.iter_mut().map(part).collect();
        match &self.pool {
            Some(pool) => pool.install(|| parts.into_par_iter().for_each(act)),
            None => parts.into_iter().for_each(act),
        }
    }
}

/// The arrays of a call; those that it does not need are empty.
struct Arrays<'a> {
    actions: &'a [i64],
    kinds: &'a mut [u8],
    numbers: &'a mut [f64],
    mask: &'a mut [bool],
    ends: &'a mut [u8],
    illegal: &'a mut [bool],
}

impl Games {
    /// The games, for one thread at a time.
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "another thread is using this environment; give each thread an environment of its own",
            )),
            Err(TryLockError::Poisoned(_)) => {
                Err(PyRuntimeError::new_err("an earlier call of this environment failed; make a new one"))
            }
        }
    }

    /// Checks the shapes of arrays.
    fn check(&self, kinds: usize, numbers: usize, mask: usize) -> PyResult<()> {
        let cells = self.slots * self.shape.0 * self.shape.1;
        if (kinds, numbers, mask) != (cells, cells, self.slots * self.moves.len()) {
            return Err(PyValueError::new_err("arrays: kinds and numbers need a board, masks a row, for each game"));
        }
        Ok(())
    }
}

/// The elements of an array, in order.
fn elements<'a, T: numpy::Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
) -> PyResult<&'a mut [T]> {
    array.as_slice_mut().map_err(|error| PyValueError::new_err(error.to_string()))
}

#[pymethods]
impl Games {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    #[pyo3(signature = (game, settings, slots, seed, first_game=0, autoreset="next-step", refuses=false, steps_max=None, threads=1, records=false))]
    fn new(
        py: Python<'_>,
        game: &str,
        settings: Vec<String>,
        slots: usize,
        seed: u64,
        first_game: u64,
        autoreset: &str,
        refuses: bool,
        steps_max: Option<u64>,
        threads: usize,
        records: bool,
    ) -> PyResult<Self> {
        if slots == 0 {
            return Err(wrong_input("num_envs=0: accepted: a whole number from 1"));
        }
        let autoreset = match autoreset {
            "same-step" => Autoreset::SameStep,
            "next-step" => Autoreset::NextStep,
            "disabled" => Autoreset::Disabled,
            other => {
                return Err(wrong_input(format!("autoreset_mode={other:?}: accepted: same-step, next-step, disabled")));
            }
        };
        let threads = tilelab::cli::run::threads(&threads.to_string())
            .map_err(|accepted| wrong_input(format!("threads={threads}: {accepted}")))?;
        let entry = plan::game(game).map_err(wrong_input)?;
        let params = plan::params(entry, &settings).map_err(wrong_input)?;
        let players = vec![tilelab::catalog::PlayerSpec::new(&entry.players[0]); entry.seats];
        let cell = Cell::of(entry, params, players);
        let pool = (threads > 1).then(|| rayon::ThreadPoolBuilder::new().num_threads(threads).build()).transpose();
        let pool = pool.map_err(|error| PyRuntimeError::new_err(format!("threads={threads}: {error}")))?;
        let cell_key = cell.key();
        let mut inner = Inner {
            cell,
            seed,
            first_game,
            slots,
            autoreset,
            refuses,
            steps_max,
            records,
            chunks: Vec::new(),
            pool,
            is_new: true,
        };
        py.detach(|| inner.begin(seed, threads))?;
        let stepper = &inner.chunks[0].stepper;
        Ok(Self {
            cell_key,
            slots,
            shape: stepper.shape(),
            moves: stepper.move_names().to_vec(),
            kernel: stepper.kernel(),
            settings,
            inner: Mutex::new(inner),
        })
    }

    /// Begins episodes: the first of a master seed; without a seed, the next ones of the chosen
    /// slots (of all, without `chosen`). Episodes that nobody has seen yet stay.
    #[pyo3(signature = (seed=None, chosen=None))]
    fn reset(&self, py: Python<'_>, seed: Option<u64>, chosen: Option<PyReadonlyArray1<'_, bool>>) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = match &chosen {
            Some(chosen) if chosen.len()? != self.slots => {
                return Err(wrong_input(format!("reset_mask: {} flags for {} games", chosen.len()?, self.slots)));
            }
            Some(chosen) => Some(chosen.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?),
            None => None,
        };
        let inner = &mut *inner;
        py.detach(|| {
            if let Some(seed) = seed {
                let threads = inner.chunks.len();
                inner.begin(seed, threads)?;
            } else if !inner.is_new {
                let slots = inner.slots as u64;
                for chunk in &mut inner.chunks {
                    for slot in 0..chunk.moves.len() {
                        if chosen.is_none_or(|chosen| chosen[chunk.first_slot + slot]) {
                            chunk.next(slot, slots);
                        }
                    }
                }
            }
            inner.is_new = false;
            Ok(())
        })
    }

    /// Writes the boards (kinds and numbers) and the masks of legal moves.
    fn observe(
        &self,
        py: Python<'_>,
        kinds: &Bound<'_, PyArray3<u8>>,
        numbers: &Bound<'_, PyArray3<f64>>,
        mask: &Bound<'_, PyArray2<bool>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let (mut kinds, mut numbers, mut mask) =
            (kinds.try_readwrite()?, numbers.try_readwrite()?, mask.try_readwrite()?);
        let (kinds, numbers, mask) = (elements(&mut kinds)?, elements(&mut numbers)?, elements(&mut mask)?);
        self.check(kinds.len(), numbers.len(), mask.len())?;
        let arrays = Arrays { actions: &[], kinds, numbers, mask, ends: &mut [], illegal: &mut [] };
        let inner = &mut *inner;
        py.detach(|| inner.each(arrays, |part| part.chunk.show(part.kinds, part.numbers, part.mask)));
        Ok(())
    }

    /// Plays one round in every slot and writes what [`Games::observe`] writes, the codes of ends
    /// (0 where the game goes on) and which actions were not legal. Returns how many episodes
    /// ended.
    #[expect(clippy::too_many_arguments, reason = "one argument for each array")]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        kinds: &Bound<'_, PyArray3<u8>>,
        numbers: &Bound<'_, PyArray3<f64>>,
        mask: &Bound<'_, PyArray2<bool>>,
        ends: &Bound<'_, PyArray1<u8>>,
        illegal: &Bound<'_, PyArray1<bool>>,
    ) -> PyResult<usize> {
        let mut inner = self.lock()?;
        let actions = actions.as_slice().map_err(|error| PyValueError::new_err(error.to_string()))?;
        let (mut kinds, mut numbers, mut mask) =
            (kinds.try_readwrite()?, numbers.try_readwrite()?, mask.try_readwrite()?);
        let (mut ends, mut illegal) = (ends.try_readwrite()?, illegal.try_readwrite()?);
        let (kinds, numbers, mask) = (elements(&mut kinds)?, elements(&mut numbers)?, elements(&mut mask)?);
        let (ends, illegal) = (elements(&mut ends)?, elements(&mut illegal)?);
        self.check(kinds.len(), numbers.len(), mask.len())?;
        if [actions.len(), ends.len(), illegal.len()] != [self.slots; 3] {
            let (given, slots) = (actions.len(), self.slots);
            return Err(wrong_input(StepError::Count { given, slots }));
        }
        let inner = &mut *inner;
        py.detach(|| {
            if inner.refuses
                && let Some(refusal) = inner.refusal(actions)
            {
                return Err(wrong_input(refusal));
            }
            inner.is_new = false;
            let rules = inner.rules();
            inner.each(Arrays { actions, kinds, numbers, mask, ends, illegal }, |part| {
                part.chunk.step(part.actions, part.ends, part.illegal, rules);
                part.chunk.show(part.kinds, part.numbers, part.mask);
            });
            Ok(inner.chunks.iter().map(|chunk| chunk.finals.len()).sum())
        })
    }

    /// Plays one round where there is one game, and returns new arrays: kinds and numbers of its
    /// board, its mask of legal moves, the code of its end, and whether the action was not legal.
    ///
    /// A step of one game takes less time than giving the GIL away, so it is kept.
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn step_one<'py>(
        &self,
        py: Python<'py>,
        action: i64,
    ) -> PyResult<(Bound<'py, PyArray2<u8>>, Bound<'py, PyArray2<f64>>, Bound<'py, PyArray1<bool>>, u8, bool)> {
        let mut inner = self.lock()?;
        let actions = [action];
        if self.slots != 1 {
            return Err(wrong_input(StepError::Count { given: 1, slots: self.slots }));
        }
        if inner.refuses
            && let Some(refusal) = inner.refusal(&actions)
        {
            return Err(wrong_input(refusal));
        }
        inner.is_new = false;
        let rules = inner.rules();
        let chunk = &mut inner.chunks[0];
        let (mut end, mut illegal) = ([0], [false]);
        chunk.step(&actions, &mut end, &mut illegal, rules);
        let shape = [self.shape.0, self.shape.1];
        let kinds = PyArray2::zeros(py, shape, false);
        let numbers = PyArray2::zeros(py, shape, false);
        let mask = PyArray1::zeros(py, self.moves.len(), false);
        chunk.show(
            elements(&mut kinds.try_readwrite()?)?,
            elements(&mut numbers.try_readwrite()?)?,
            elements(&mut mask.try_readwrite()?)?,
        );
        Ok((kinds, numbers, mask, end[0], illegal[0]))
    }

    /// The index of each slot's game among those of the cell.
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<u64>>> {
        let inner = self.lock()?;
        let games = inner.chunks.iter().flat_map(|chunk| chunk.stepper.games().iter().copied());
        Ok(PyArray1::from_iter(py, games))
    }

    /// The episodes that ended in the last step, by slot: slots, games, codes of ends, moves,
    /// whether the game was won, and the final boards (kinds and numbers, one after another).
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn finished<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<u8>>,
        Bound<'py, PyArray1<u64>>,
        Bound<'py, PyArray1<bool>>,
        Bound<'py, PyArray1<u8>>,
        Bound<'py, PyArray1<f64>>,
    )> {
        let inner = self.lock()?;
        let finals = || inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        Ok((
            PyArray1::from_iter(py, finals().map(|last| last.slot as i64)),
            PyArray1::from_iter(py, finals().map(|last| last.game)),
            PyArray1::from_iter(py, finals().map(|last| last.end)),
            PyArray1::from_iter(py, finals().map(|last| last.moves)),
            PyArray1::from_iter(py, finals().map(|last| last.won)),
            PyArray1::from_iter(py, inner.chunks.iter().flat_map(|chunk| chunk.kinds.iter().copied())),
            PyArray1::from_iter(py, inner.chunks.iter().flat_map(|chunk| chunk.numbers.iter().copied())),
        ))
    }

    /// What the games report besides result and moves, of the episodes of [`Games::finished`]:
    /// shape (ended, measures); 0 where the rules did not end the game.
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let inner = self.lock()?;
        let width = inner.cell.game.measures.len();
        let finals = || inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        let measures = finals().flat_map(|last| last.measures[..width].iter().copied());
        PyArray1::from_iter(py, measures).reshape([finals().count(), width])
    }

    /// The moves of the episodes of [`Games::finished`] by name, where they are recorded.
    fn played(&self) -> PyResult<Vec<Vec<String>>> {
        let inner = self.lock()?;
        let finals = inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        finals.map(|last| inner.named(last.game, &last.played)).collect()
    }

    /// The text of an experiment file that has the cell of these games, with their seed.
    fn experiment(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let game = inner.cell.game;
        let direct =
            Direct { game, settings: &self.settings, players: &[], opponents: &[], games: 1, seed: inner.seed };
        direct.text().map_err(wrong_input)
    }
}
