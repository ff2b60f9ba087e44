//! Games that are stepped together: arrays in, arrays out.
//!
//! The library plays; [`Chunk`] adds episodes. Here slots are divided among threads and NumPy's
//! arrays are filled.

use crate::episodes::{Autoreset, Board, Chunk, Illegal, Results, Rules, Saved, Shown, is_legal};
use crate::errors::wrong_input;
use crate::pool::Threads;
use crate::shown::{Observation, Reward};
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1, PyReadwriteArray,
};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use rayon::prelude::*;
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, TryLockError};
use tilelab::game::stepping::{self, Options, Reseat, StepError};
use tilelab::games::calculator;
use tilelab::plan::Direct;
use tilelab::{Cell, KernelChoice, plan};

/// N games of one cell that are stepped together.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Games {
    inner: Mutex<Inner>,
    /// The arguments that it was made with.
    arguments: Py<PyTuple>,
    /// The key of the cell, as in the column `cell` of `cells.csv` for the default player.
    #[pyo3(get)]
    cell_key: String,
    /// The games' number, N.
    #[pyo3(get)]
    slots: usize,
    /// Rows and columns of a board.
    #[pyo3(get)]
    shape: (usize, usize),
    /// The shape of one board's observation.
    #[pyo3(get)]
    observation_shape: Vec<usize>,
    /// The bounds of the values of observations.
    #[pyo3(get)]
    observation_bounds: (f64, f64),
    /// The names of all moves.
    #[pyo3(get)]
    moves: Vec<String>,
    names: Vec<Py<PyString>>,
    /// The name of the kernel that plays.
    #[pyo3(get)]
    kernel: &'static str,
    /// The parameters of the game, `key=value`.
    settings: Vec<String>,
    rules: Rules,
}

struct Inner {
    cell: Cell,
    seed: u64,
    first_game: u64,
    rules: Rules,
    chunks: Vec<Chunk>,
    threads: usize,
    /// Where more than one thread steps.
    pool: Option<Threads>,
    /// Whether no episode has been shown yet.
    is_new: bool,
}

/// What leads to the positions of all slots.
#[derive(Serialize, Deserialize)]
struct State {
    cell: String,
    seed: u64,
    is_new: bool,
    games: Vec<Saved>,
}

/// The arrays that a call fills; those of other observations are empty.
struct Arrays<'a> {
    shown: Shown<'a>,
    step: Option<(&'a [i64], Results<'a>)>,
}

impl Inner {
    /// Begins the first episodes of a master seed.
    fn begin(&mut self, seed: u64, kernel: KernelChoice) -> PyResult<()> {
        let slots = self.rules.slots as usize;
        let size = slots.div_ceil(self.threads.clamp(1, slots));
        let chunk = |start: usize| {
            let options = Options {
                first_game: self.first_game.wrapping_add(start as u64),
                reseat: Reseat::Disabled,
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

    /// Begins the current game of the chosen slots on given boards: one for each of them, or one for
    /// all.
    fn pose(&mut self, boards: &[Board], chosen: Option<&[bool]>) -> PyResult<()> {
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
    fn is_reference(&self) -> bool {
        self.chunks[0].stepper.kernel() == KernelChoice::Reference.name()
    }

    fn saved(&self) -> impl Iterator<Item = Saved> {
        self.chunks
            .iter()
            .flat_map(|chunk| (0..chunk.slots()).map(|slot| chunk.save(slot)))
    }

    fn load(&mut self, saved: &[Saved]) -> PyResult<()> {
        for chunk in &mut self.chunks {
            let part = &saved[chunk.first_slot..][..chunk.slots()];
            chunk.load(part, &self.rules).map_err(wrong_input)?;
        }
        Ok(())
    }

    /// The message for the first slot whose action is outside the space, or not legal where that is
    /// refused.
    fn refusal(&self, actions: &[i64], names: &[String]) -> Option<PyErr> {
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
    fn labels(&self, game: u64, moves: &[u8]) -> PyResult<Vec<String>> {
        let options = Options {
            first_game: game,
            ..Options::default()
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

    /// Steps every chunk, where there are actions, and fills its part of the arrays, on all threads.
    fn fill(&mut self, arrays: Arrays<'_>) -> PyResult<()> {
        let Arrays { shown, mut step } = arrays;
        let slots = self.rules.slots as usize;
        let (cells, numbers) = (shown.kinds.len() / slots, shown.numbers.len() / slots);
        let (planes, width) = (shown.planes.len() / slots, shown.mask.len() / slots);
        let (mut all_kinds, mut all_numbers) = (shown.kinds, shown.numbers);
        let (mut all_planes, mut all_masks) = (shown.planes, shown.mask);
        let whole = "an element for each slot";
        let mut parts = Vec::with_capacity(self.chunks.len());
        for chunk in &mut self.chunks {
            let count = chunk.slots();
            let shown = Shown {
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
        let act = |(chunk, shown, step): (&mut Chunk, Shown<'_>, Option<(&[i64], Results<'_>)>)| {
            if let Some((actions, results)) = step {
                chunk.step(actions, results, rules);
            }
            chunk.show(shown, rules.observation);
        };
        match &mut self.pool {
            Some(pool) => pool.pool()?.install(|| parts.into_par_iter().for_each(act)),
            None => parts.into_iter().for_each(act),
        }
        Ok(())
    }
}

/// The arrays of an observation: kinds and numbers, or planes.
enum ObservationArrays<'py> {
    Tiles(
        PyReadwriteArray<'py, u8, numpy::IxDyn>,
        PyReadwriteArray<'py, f64, numpy::IxDyn>,
    ),
    Planes(PyReadwriteArray<'py, f32, numpy::IxDyn>),
}

impl<'py> ObservationArrays<'py> {
    fn of(observation: Observation, arrays: &Bound<'py, PyTuple>) -> PyResult<Self> {
        if observation == Observation::Tiles {
            let (kinds, numbers): (Bound<'_, PyArrayDyn<u8>>, Bound<'_, PyArrayDyn<f64>>) =
                arrays.extract()?;
            return Ok(Self::Tiles(
                kinds.try_readwrite()?,
                numbers.try_readwrite()?,
            ));
        }
        let (planes,): (Bound<'_, PyArrayDyn<f32>>,) = arrays.extract()?;
        Ok(Self::Planes(planes.try_readwrite()?))
    }

    fn shown<'a>(&'a mut self, mask: &'a mut [i8]) -> PyResult<Shown<'a>> {
        Ok(match self {
            Self::Tiles(kinds, numbers) => Shown {
                kinds: elements(kinds)?,
                numbers: elements(numbers)?,
                planes: &mut [],
                mask,
            },
            Self::Planes(planes) => Shown {
                kinds: &mut [],
                numbers: &mut [],
                planes: elements(planes)?,
                mask,
            },
        })
    }
}

impl Games {
    /// The games, for one thread at a time.
    fn lock(&self) -> PyResult<MutexGuard<'_, Inner>> {
        match self.inner.try_lock() {
            Ok(inner) => Ok(inner),
            Err(TryLockError::WouldBlock) => Err(PyRuntimeError::new_err(
                "another thread is using this environment; give each thread an environment of its own",
            )),
            Err(TryLockError::Poisoned(_)) => Err(PyRuntimeError::new_err(
                "an earlier call of this environment failed; make a new one",
            )),
        }
    }

    /// Checks the sizes of arrays.
    fn check(&self, shown: &Shown<'_>) -> PyResult<()> {
        let size: usize = self.slots * self.observation_shape.iter().product::<usize>();
        let is_tiles = self.rules.observation == Observation::Tiles;
        let (tiles, planes) = if is_tiles { (size, 0) } else { (0, size) };
        let given = (shown.kinds.len(), shown.numbers.len(), shown.planes.len());
        if given != (tiles, tiles, planes) || shown.mask.len() != self.slots * self.moves.len() {
            return Err(PyValueError::new_err(
                "arrays: observations and masks need one row for each game",
            ));
        }
        Ok(())
    }

    /// The names of moves, as `replay --moves` reads them.
    fn named(&self, py: Python<'_>, inner: &Inner, game: u64, moves: &[u8]) -> PyResult<Py<PyAny>> {
        if inner.cell.game.name == calculator::NAME {
            return Ok(inner.labels(game, moves)?.into_pyobject(py)?.unbind());
        }
        let names = moves
            .iter()
            .map(|&chosen| self.names[usize::from(chosen)].clone_ref(py));
        Ok(names.collect::<Vec<_>>().into_pyobject(py)?.unbind())
    }
}

/// The elements of an array, in order.
fn elements<'a, T: numpy::Element, D: numpy::ndarray::Dimension>(
    array: &'a mut PyReadwriteArray<'_, T, D>,
) -> PyResult<&'a mut [T]> {
    array
        .as_slice_mut()
        .map_err(|error| PyValueError::new_err(error.to_string()))
}

/// Refuses more games than there is memory for, before anything is allocated piece by piece.
fn afford(slots: usize, (rows, cols): (usize, usize)) -> PyResult<()> {
    let bytes = (96 * rows * cols + 512).saturating_mul(slots);
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(bytes).map_err(|_| {
        let gigabytes = bytes as f64 / 1e9;
        PyMemoryError::new_err(format!(
            "num_envs={slots}: about {gigabytes:.0} GB are needed"
        ))
    })
}

/// The word's meaning.
fn chosen<T: Copy>(what: &str, word: &str, known: &[(&str, T)]) -> PyResult<T> {
    let found = known.iter().find(|(name, _)| *name == word);
    found.map(|(_, value)| *value).ok_or_else(|| {
        let names: Vec<&str> = known.iter().map(|(name, _)| *name).collect();
        wrong_input(format!("{what}={word:?}: accepted: {}", names.join(", ")))
    })
}

#[pymethods]
impl Games {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    #[pyo3(signature = (
        game, settings, slots, seed, first_game=0, autoreset="next-step", illegal="noop", steps_max=None,
        threads=1, records=false, observation="tiles", reward=None,
    ))]
    fn new(
        py: Python<'_>,
        game: &str,
        settings: Vec<String>,
        slots: usize,
        seed: u64,
        first_game: u64,
        autoreset: &str,
        illegal: &str,
        steps_max: Option<u64>,
        threads: usize,
        records: bool,
        observation: &str,
        reward: Option<&str>,
    ) -> PyResult<Self> {
        let arguments = (
            (game, settings.clone(), slots, seed, first_game, autoreset),
            (illegal, steps_max, threads, records, observation, reward),
        );
        let (first, rest) = arguments;
        let first = first.into_pyobject(py)?;
        let arguments = first
            .add(rest.into_pyobject(py)?)?
            .cast_into::<PyTuple>()?
            .unbind();
        if slots == 0 {
            return Err(wrong_input("num_envs=0: accepted: a whole number from 1"));
        }
        let autoreset = chosen(
            "autoreset_mode",
            autoreset,
            &[
                ("same-step", Autoreset::SameStep),
                ("next-step", Autoreset::NextStep),
                ("disabled", Autoreset::Disabled),
            ],
        )?;
        let illegal = chosen(
            "illegal",
            illegal,
            &[
                ("noop", Illegal::Noop),
                ("lose", Illegal::Lose),
                ("raise", Illegal::Raise),
            ],
        )?;
        let threads = tilelab::cli::run::threads(&threads.to_string())
            .map_err(|accepted| wrong_input(format!("threads={threads}: {accepted}")))?;
        let entry = plan::game(game).map_err(wrong_input)?;
        let params = plan::params(entry, &settings).map_err(wrong_input)?;
        let players = vec![tilelab::catalog::PlayerSpec::new(&entry.players[0]); entry.seats];
        let cell = Cell::of(entry, params, players);
        cell.check_single_games("environments")
            .map_err(wrong_input)?;
        let rules = Rules {
            slots: slots as u64,
            autoreset,
            illegal,
            steps_max,
            records,
            rounds_truncate: entry.name != calculator::NAME,
            observation: Observation::of(entry.name, observation)?,
            reward: Reward::of(entry.name, reward)?,
        };
        let one = cell.stepper(seed, 1, KernelChoice::Auto, Options::default());
        let one = one.map_err(wrong_input)?;
        let (rows, cols) = one.shape();
        afford(slots, (rows, cols))?;
        let cell_key = cell.key();
        let mut inner = Inner {
            cell,
            seed,
            first_game,
            rules,
            chunks: Vec::new(),
            threads,
            pool: (threads > 1).then(|| Threads::new(threads)).transpose()?,
            is_new: true,
        };
        py.detach(|| inner.begin(seed, KernelChoice::Auto))?;
        let names = one.move_names().iter();
        Ok(Self {
            arguments,
            cell_key,
            slots,
            shape: (rows, cols),
            observation_shape: rules.observation.shape(rows, cols),
            observation_bounds: rules.observation.bounds(),
            names: names.map(|name| PyString::new(py, name).unbind()).collect(),
            moves: one.move_names().to_vec(),
            kernel: one.kernel(),
            settings,
            rules,
            inner: Mutex::new(inner),
        })
    }

    fn __reduce__<'py>(
        slf: &Bound<'py, Self>,
    ) -> PyResult<(Bound<'py, PyAny>, Py<PyTuple>, Bound<'py, PyBytes>)> {
        let py = slf.py();
        let arguments = slf.get().arguments.clone_ref(py);
        Ok((slf.get_type().into_any(), arguments, slf.get().state(py)?))
    }

    fn __setstate__(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        self.set_state(py, state)
    }

    /// What leads to the positions of all games, for [`Games::set_state`].
    fn state<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyBytes>> {
        let inner = self.lock()?;
        let state = State {
            cell: self.cell_key.clone(),
            seed: inner.seed,
            is_new: inner.is_new,
            games: inner.saved().collect(),
        };
        let text = serde_json::to_vec(&state).expect("numbers and texts are JSON");
        Ok(PyBytes::new(py, &text))
    }

    /// Goes to the positions of a state of games of the same cell.
    fn set_state(&self, py: Python<'_>, state: &[u8]) -> PyResult<()> {
        let state: State = serde_json::from_slice(state)
            .map_err(|error| wrong_input(format!("state: not one of get_state: {error}")))?;
        if state.cell != self.cell_key || state.games.len() != self.slots {
            return Err(wrong_input(format!(
                "state: {} games of {}; here are {} of {}",
                state.games.len(),
                state.cell,
                self.slots,
                self.cell_key
            )));
        }
        let mut inner = self.lock()?;
        let inner = &mut *inner;
        py.detach(|| {
            let is_posed = state.games.iter().any(|game| game.board.is_some());
            let is_reference = inner.is_reference();
            let kernel = if is_posed {
                KernelChoice::Reference
            } else {
                KernelChoice::Auto
            };
            if inner.seed != state.seed || is_posed && !is_reference {
                inner.begin(state.seed, kernel)?;
            }
            inner.is_new = state.is_new;
            inner.load(&state.games)
        })
    }

    /// Begins episodes: the first of a master seed; without a seed, the next ones of the chosen
    /// slots (of all, without `chosen`). Episodes that nobody has seen yet stay. With `boards`, they
    /// begin on these: one for each slot, or one for all.
    #[pyo3(signature = (seed=None, chosen=None, boards=None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        chosen: Option<PyReadonlyArray1<'_, bool>>,
        boards: Option<Vec<Board>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let chosen = match &chosen {
            Some(chosen) if chosen.len()? != self.slots => {
                return Err(wrong_input(format!(
                    "reset_mask: {} flags for {} games",
                    chosen.len()?,
                    self.slots
                )));
            }
            Some(chosen) => Some(
                chosen
                    .as_slice()
                    .map_err(|error| PyValueError::new_err(error.to_string()))?,
            ),
            None => None,
        };
        let inner = &mut *inner;
        py.detach(|| {
            if let Some(seed) = seed {
                inner.begin(seed, KernelChoice::Auto)?;
            } else if !inner.is_new {
                let rules = inner.rules;
                for chunk in &mut inner.chunks {
                    chunk.forget();
                    for slot in 0..chunk.slots() {
                        if chosen.is_none_or(|chosen| chosen[chunk.first_slot + slot]) {
                            chunk.next(slot, &rules);
                        }
                    }
                }
            }
            inner.is_new = false;
            boards.map_or(Ok(()), |boards| inner.pose(&boards, chosen))
        })
    }

    /// Writes the observations and the masks of legal moves.
    fn observe(
        &self,
        py: Python<'_>,
        observation: &Bound<'_, PyTuple>,
        mask: &Bound<'_, PyArray2<i8>>,
    ) -> PyResult<()> {
        let mut inner = self.lock()?;
        let mut arrays = ObservationArrays::of(self.rules.observation, observation)?;
        let mut mask = mask.try_readwrite()?;
        let shown = arrays.shown(elements(&mut mask)?)?;
        self.check(&shown)?;
        let inner = &mut *inner;
        py.detach(|| inner.fill(Arrays { shown, step: None }))
    }

    /// Plays one round in every slot and fills the arrays: observations, masks of legal moves,
    /// rewards, which episodes are terminated and which truncated, and which actions were not legal.
    /// Returns how many episodes ended.
    #[expect(clippy::too_many_arguments, reason = "one argument for each array")]
    fn step(
        &self,
        py: Python<'_>,
        actions: PyReadonlyArray1<'_, i64>,
        observation: &Bound<'_, PyTuple>,
        mask: &Bound<'_, PyArray2<i8>>,
        rewards: &Bound<'_, PyArray1<f64>>,
        terminated: &Bound<'_, PyArray1<bool>>,
        truncated: &Bound<'_, PyArray1<bool>>,
        illegal: &Bound<'_, PyArray1<bool>>,
    ) -> PyResult<usize> {
        let mut inner = self.lock()?;
        reset_needed(py, inner.is_new)?;
        let actions = actions
            .as_slice()
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        let mut arrays = ObservationArrays::of(self.rules.observation, observation)?;
        let mut mask = mask.try_readwrite()?;
        let mut rewards = rewards.try_readwrite()?;
        let mut flags = [terminated, truncated, illegal]
            .map(|array| array.try_readwrite())
            .into_iter()
            .collect::<Result<Vec<_>, _>>()?;
        let shown = arrays.shown(elements(&mut mask)?)?;
        self.check(&shown)?;
        let [terminated, truncated, illegal] = &mut flags[..] else {
            unreachable!("three arrays")
        };
        let results = Results {
            rewards: elements(&mut rewards)?,
            terminated: elements(terminated)?,
            truncated: elements(truncated)?,
            illegal: elements(illegal)?,
        };
        let sizes = [
            actions.len(),
            results.rewards.len(),
            results.terminated.len(),
            results.truncated.len(),
            results.illegal.len(),
        ];
        if sizes != [self.slots; 5] {
            let (given, slots) = (actions.len(), self.slots);
            return Err(wrong_input(StepError::Count { given, slots }));
        }
        let inner = &mut *inner;
        py.detach(|| {
            if let Some(refusal) = inner.refusal(actions, &self.moves) {
                return Err(refusal);
            }
            let step = Some((actions, results));
            inner.fill(Arrays { shown, step })?;
            Ok(inner.chunks.iter().map(|chunk| chunk.finals.len()).sum())
        })
    }

    /// Plays one round where there is one game, and returns its observation, its mask of legal moves,
    /// the reward, whether it is terminated and truncated, whether the action was not legal, and
    /// whether the episode ended in this step.
    ///
    /// A step of one game takes less time than giving the GIL away, so it is kept.
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn step_one<'py>(
        &self,
        py: Python<'py>,
        action: i64,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Bound<'py, PyArray1<i8>>,
        f64,
        bool,
        bool,
        bool,
        bool,
    )> {
        let mut inner = self.lock()?;
        let slots = self.slots;
        if slots != 1 {
            return Err(wrong_input(StepError::Count { given: 1, slots }));
        }
        reset_needed(py, inner.is_new)?;
        let actions = [action];
        if let Some(refusal) = inner.refusal(&actions, &self.moves) {
            return Err(refusal);
        }
        let (mut reward, mut terminated, mut truncated, mut illegal) = (0.0, false, false, false);
        let results = Results {
            rewards: std::slice::from_mut(&mut reward),
            terminated: std::slice::from_mut(&mut terminated),
            truncated: std::slice::from_mut(&mut truncated),
            illegal: std::slice::from_mut(&mut illegal),
        };
        let rules = self.rules;
        let chunk = &mut inner.chunks[0];
        chunk.step(&actions, results, &rules);
        let ended = !chunk.finals.is_empty();
        let (observation, mask) = self.shown_one(py, chunk)?;
        Ok((
            observation,
            mask,
            reward,
            terminated,
            truncated,
            illegal,
            ended,
        ))
    }

    /// The observation and the mask of legal moves where there is one game.
    fn observe_one<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<i8>>)> {
        self.shown_one(py, &self.lock()?.chunks[0])
    }

    /// The index of each slot's game among those of the cell.
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = self.lock()?;
        let games = inner
            .chunks
            .iter()
            .flat_map(|chunk| chunk.stepper.games().iter().map(|&game| game.cast_signed()));
        Ok(PyArray1::from_iter(py, games))
    }

    /// Which slots' episodes are over, until they are replaced.
    fn waiting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inner = self.lock()?;
        let waiting = inner.chunks.iter().flat_map(Chunk::waiting);
        Ok(PyArray1::from_iter(py, waiting))
    }

    /// The boards, kinds and numbers of shape (N, rows, cols); with `last`, those of episodes that
    /// ended in the last step are their final ones.
    #[pyo3(signature = (last=false))]
    #[expect(clippy::type_complexity, reason = "a pair of arrays")]
    fn boards<'py>(
        &self,
        py: Python<'py>,
        last: bool,
    ) -> PyResult<(Bound<'py, PyArrayDyn<u8>>, Bound<'py, PyArrayDyn<f64>>)> {
        let inner = self.lock()?;
        let (rows, cols) = self.shape;
        let cells = rows * cols;
        let mut all_kinds = Vec::with_capacity(self.slots * cells);
        let mut all_numbers = Vec::with_capacity(self.slots * cells);
        for chunk in &inner.chunks {
            let (kinds, numbers) = chunk.boards();
            all_kinds.extend_from_slice(kinds);
            all_numbers.extend_from_slice(numbers);
            for (place, ended) in chunk.finals.iter().enumerate().filter(|_| last) {
                let to = ended.slot * cells;
                let from = place * cells;
                all_kinds[to..to + cells].copy_from_slice(&chunk.final_kinds[from..from + cells]);
                all_numbers[to..to + cells]
                    .copy_from_slice(&chunk.final_numbers[from..from + cells]);
            }
        }
        let shape = vec![self.slots, rows, cols];
        Ok((
            PyArray1::from_vec(py, all_kinds).reshape(shape.clone())?,
            PyArray1::from_vec(py, all_numbers).reshape(shape)?,
        ))
    }

    /// The episodes that ended in the last step, by slot: a dict of the arrays `game`, `end` (codes),
    /// `moves`, `won`, with `records` a list `played` (the names of the moves); then their slots and
    /// final observations.
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn finished<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyDict>,
        Bound<'py, PyArray1<i64>>,
        Bound<'py, PyAny>,
    )> {
        let inner = self.lock()?;
        let finals = || inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        let facts = PyDict::new(py);
        let games = finals().map(|last| last.game.cast_signed());
        facts.set_item("game", PyArray1::from_iter(py, games))?;
        facts.set_item(
            "end",
            PyArray1::from_iter(py, finals().map(|last| last.end)),
        )?;
        let moves = finals().map(|last| last.moves.cast_signed());
        facts.set_item("moves", PyArray1::from_iter(py, moves))?;
        facts.set_item(
            "won",
            PyArray1::from_iter(py, finals().map(|last| last.won)),
        )?;
        if self.rules.records {
            let played = finals().map(|last| self.named(py, &inner, last.game, &last.played));
            facts.set_item("played", played.collect::<PyResult<Vec<_>>>()?)?;
        }
        let count = finals().count();
        let slots = PyArray1::from_iter(py, finals().map(|last| last.slot as i64));
        let kinds = inner.chunks.iter().flat_map(|chunk| &chunk.final_kinds);
        let numbers = inner.chunks.iter().flat_map(|chunk| &chunk.final_numbers);
        let (kinds, numbers): (Vec<u8>, Vec<f64>) =
            (kinds.copied().collect(), numbers.copied().collect());
        let shape = std::iter::once(count).chain(self.observation_shape.iter().copied());
        let observation = self.rules.observation;
        let observations = if observation == Observation::Tiles {
            let shape: Vec<usize> = shape.collect();
            let kinds = kinds.into_pyarray(py).reshape(shape.clone())?;
            tiles(
                py,
                kinds.into_any(),
                numbers.into_pyarray(py).reshape(shape)?.into_any(),
            )?
        } else {
            let size: usize = self.observation_shape.iter().product();
            let mut planes = vec![0.0; count * size];
            let cells = self.shape.0 * self.shape.1;
            for (place, planes) in planes.chunks_exact_mut(size).enumerate() {
                let range = place * cells..(place + 1) * cells;
                observation.write(&kinds[range.clone()], &numbers[range], planes);
            }
            planes
                .into_pyarray(py)
                .reshape(shape.collect::<Vec<_>>())?
                .into_any()
        };
        Ok((facts, slots, observations))
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

    /// The names of the moves that a slot's episode has made so far.
    fn played(&self, py: Python<'_>, slot: usize) -> PyResult<Py<PyAny>> {
        let inner = self.lock()?;
        let chunk = inner.chunks.iter().rfind(|chunk| chunk.first_slot <= slot);
        let chunk = chunk.filter(|chunk| slot - chunk.first_slot < chunk.slots());
        let chunk = chunk.ok_or_else(|| wrong_input(format!("slot {slot}: there is none")))?;
        let slot = slot - chunk.first_slot;
        self.named(py, &inner, chunk.stepper.games()[slot], &chunk.played(slot))
    }

    /// The text of an experiment file that has the cell of these games, with their seed.
    fn experiment(&self) -> PyResult<String> {
        let inner = self.lock()?;
        let game = inner.cell.game;
        let direct = Direct {
            game,
            settings: &self.settings,
            players: &[],
            opponents: &[],
            games: 1,
            seed: inner.seed,
            decided_by: None,
            difference: None,
            starts: &[],
            rounds: &[],
        };
        direct.text().map_err(wrong_input)
    }
}

impl Games {
    fn shown_one<'py>(
        &self,
        py: Python<'py>,
        chunk: &Chunk,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArray1<i8>>)> {
        let observation = self.rules.observation;
        let mask = PyArray1::<i8>::zeros(py, self.moves.len(), false);
        let shape = &self.observation_shape[..];
        let mut writable = mask.try_readwrite()?;
        let mask_elements = elements(&mut writable)?;
        let shown = if observation == Observation::Tiles {
            let kinds = PyArrayDyn::<u8>::zeros(py, shape, false);
            let numbers = PyArrayDyn::<f64>::zeros(py, shape, false);
            let (mut kinds_to, mut numbers_to) = (kinds.try_readwrite()?, numbers.try_readwrite()?);
            let shown = Shown {
                kinds: elements(&mut kinds_to)?,
                numbers: elements(&mut numbers_to)?,
                planes: &mut [],
                mask: mask_elements,
            };
            chunk.show(shown, observation);
            drop((kinds_to, numbers_to));
            tiles(py, kinds.into_any(), numbers.into_any())?
        } else {
            let planes = PyArrayDyn::<f32>::zeros(py, shape, false);
            let mut planes_to = planes.try_readwrite()?;
            let shown = Shown {
                kinds: &mut [],
                numbers: &mut [],
                planes: elements(&mut planes_to)?,
                mask: mask_elements,
            };
            chunk.show(shown, observation);
            drop(planes_to);
            planes.into_any()
        };
        drop(writable);
        Ok((shown, mask))
    }
}

/// The observation `tiles`.
fn tiles<'py>(
    py: Python<'py>,
    kinds: Bound<'py, PyAny>,
    numbers: Bound<'py, PyAny>,
) -> PyResult<Bound<'py, PyAny>> {
    let both = PyDict::new(py);
    both.set_item(pyo3::intern!(py, "kinds"), kinds)?;
    both.set_item(pyo3::intern!(py, "numbers"), numbers)?;
    Ok(both.into_any())
}

/// Refuses to step what was not reset, with Gymnasium's exception where there is Gymnasium.
fn reset_needed(py: Python<'_>, is_new: bool) -> PyResult<()> {
    if !is_new {
        return Ok(());
    }
    let message = "call reset before the first step";
    let gymnasium = py
        .import("gymnasium.error")
        .and_then(|module| module.getattr("ResetNeeded"));
    let error = match gymnasium {
        Ok(kind) => PyErr::from_value(kind.call1((message,))?),
        Err(_) => PyRuntimeError::new_err(message),
    };
    Err(error)
}
