//! Games that are stepped together: arrays in, arrays out.
//!
//! The library plays; [`Chunk`] adds episodes, and [`Slots`] divides them among threads. Here
//! NumPy's arrays are filled.

use crate::arrays::{Given, Observations, Pool, shown};
use crate::episodes::{Autoreset, Board, Chunk, Illegal, Results, Rules, Saved};
use crate::errors::{taken, wrong_input};
use crate::pool::Threads;
use crate::shown::{Observation, Reward, chosen};
use crate::slots::Slots;
use numpy::{
    IntoPyArray, PyArray1, PyArray2, PyArrayDyn, PyArrayMethods, PyReadonlyArray1,
    PyUntypedArrayMethods,
};
use pyo3::exceptions::{PyMemoryError, PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PyDict, PyString, PyTuple};
use serde::{Deserialize, Serialize};
use std::sync::{Mutex, MutexGuard, TryLockError};
use tilelab::game::stepping::{StepError, SteppingOptions};
use tilelab::games::calculator;
use tilelab::plan::Inline;
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

/// The games, and the arrays that show them.
struct Inner {
    slots: Slots,
    observations: Observations,
    mask: Pool<i8>,
}

/// What leads to the positions of all slots.
#[derive(Serialize, Deserialize)]
struct State {
    cell: String,
    seed: u64,
    is_new: bool,
    games: Vec<Saved>,
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

    /// The names of moves, as `replay --moves` reads them.
    fn named(&self, py: Python<'_>, inner: &Slots, game: u64, moves: &[u8]) -> PyResult<Py<PyAny>> {
        if inner.cell.game.name == calculator::NAME {
            return Ok(inner.labels(game, moves)?.into_pyobject(py)?.unbind());
        }
        let names = moves
            .iter()
            .map(|&chosen| self.names[usize::from(chosen)].clone_ref(py));
        Ok(names.collect::<Vec<_>>().into_pyobject(py)?.unbind())
    }
}

/// Refuses more games than there is memory for, before anything is allocated piece by piece.
fn afford(slots: usize, (rows, cols): (usize, usize)) -> PyResult<()> {
    let bytes = (96 * rows * cols + 512).saturating_mul(slots);
    let mut probe: Vec<u8> = Vec::new();
    probe.try_reserve_exact(bytes).map_err(|_| {
        let gigabytes = bytes as f64 / 1e9;
        PyMemoryError::new_err(format!(
            "num_envs={slots}: about {gigabytes:.0} GB of memory are needed; choose fewer"
        ))
    })
}

#[pymethods]
impl Games {
    #[new]
    #[expect(clippy::too_many_arguments, reason = "they are named in Python")]
    #[pyo3(signature = (
        game, settings, slots, seed, first_game=0, autoreset="next-step", illegal="noop", steps_max=None,
        threads=1, records=false, observation="tiles", reward=None, copy=true, is_one=false,
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
        copy: bool,
        is_one: bool,
    ) -> PyResult<Self> {
        let arguments = (
            (game, settings.clone(), slots, seed, first_game, autoreset),
            (
                illegal,
                steps_max,
                threads,
                records,
                observation,
                reward,
                copy,
                is_one,
            ),
        );
        let (first, rest) = arguments;
        let first = first.into_pyobject(py)?;
        let arguments = first
            .add(rest.into_pyobject(py)?)?
            .cast_into::<PyTuple>()?
            .unbind();
        if slots == 0 || is_one && slots > 1 {
            let accepted = if is_one { "1" } else { "a whole number from 1" };
            return Err(wrong_input(format!(
                "num_envs={slots}: accepted: {accepted}"
            )));
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
        let one = cell.stepper(seed, 1, KernelChoice::Auto, SteppingOptions::default());
        let one = one.map_err(wrong_input)?;
        let (rows, cols) = one.shape();
        afford(slots, (rows, cols))?;
        let cell_key = cell.key();
        let mut games = Slots {
            cell,
            seed,
            first_game,
            rules,
            chunks: Vec::new(),
            threads,
            pool: (threads > 1).then(|| Threads::new(threads)).transpose()?,
            is_new: true,
        };
        py.detach(|| games.begin(seed, KernelChoice::Auto))?;
        let shape = |rest: &[usize]| -> Vec<usize> {
            let leading = (!is_one).then_some(slots);
            leading.into_iter().chain(rest.iter().copied()).collect()
        };
        let observation = rules.observation;
        let observation_shape = observation.shape(rows, cols);
        let inner = Inner {
            slots: games,
            observations: Observations::new(observation, shape(&observation_shape), !copy),
            mask: Pool::new("action_mask", shape(&[one.move_names().len()]), !copy),
        };
        let names = one.move_names().iter();
        Ok(Self {
            arguments,
            cell_key,
            slots,
            shape: (rows, cols),
            observation_shape,
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
        let inner = &self.lock()?.slots;
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
            .map_err(|_| wrong_input("state: not what get_state returned"))?;
        if state.cell != self.cell_key || state.games.len() != self.slots {
            return Err(wrong_input(format!(
                "state: {} games of {}; this environment has {} of {}",
                state.games.len(),
                state.cell,
                self.slots,
                self.cell_key
            )));
        }
        let inner = &mut self.lock()?.slots;
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
    /// slots (of all, without `chosen`). Episodes that nobody has seen yet stay. With `boards`,
    /// they begin on these: one for each slot, or one for all.
    #[pyo3(signature = (seed=None, chosen=None, boards=None))]
    fn reset(
        &self,
        py: Python<'_>,
        seed: Option<u64>,
        chosen: Option<PyReadonlyArray1<'_, bool>>,
        boards: Option<Vec<Board>>,
    ) -> PyResult<()> {
        let inner = &mut self.lock()?.slots;
        let chosen = match &chosen {
            Some(chosen) if chosen.len() != self.slots => {
                return Err(wrong_input(format!(
                    "reset_mask: {} flags for {} games",
                    chosen.len(),
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

    /// The observations and the masks of legal moves; with `is_one`, those of the one game. They
    /// are written to the arrays of `out`, where it is given.
    #[pyo3(signature = (out=None))]
    fn observe<'py>(
        &self,
        py: Python<'py>,
        out: Given<'py>,
    ) -> PyResult<(Bound<'py, PyAny>, Bound<'py, PyArrayDyn<i8>>)> {
        let mut inner = self.lock()?;
        let Inner {
            slots,
            observations,
            mask,
        } = &mut *inner;
        shown(py, observations, mask, out, |shown| {
            py.detach(|| slots.fill(shown, None))
        })
    }

    /// Plays one round in every slot. Returns observations, masks of legal moves, rewards, which
    /// episodes are terminated and which truncated, which actions were not legal, and how many
    /// episodes ended. Observations and masks are written to the arrays of `out`, where it is
    /// given.
    #[pyo3(signature = (actions, out=None))]
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn step<'py>(
        &self,
        py: Python<'py>,
        actions: PyReadonlyArray1<'_, i64>,
        out: Given<'py>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Bound<'py, PyArrayDyn<i8>>,
        Bound<'py, PyArray1<f64>>,
        Bound<'py, PyArray1<bool>>,
        Bound<'py, PyArray1<bool>>,
        Bound<'py, PyArray1<bool>>,
        usize,
    )> {
        let mut inner = self.lock()?;
        let Inner {
            slots,
            observations,
            mask,
        } = &mut *inner;
        reset_needed(py, slots.is_new)?;
        let actions = actions
            .as_slice()
            .map_err(|error| PyValueError::new_err(error.to_string()))?;
        if actions.len() != self.slots {
            let given = actions.len();
            let slots = self.slots;
            return Err(wrong_input(StepError::Count { given, slots }));
        }
        let mut rewards = vec![0.0; self.slots];
        let mut flags = [(); 3].map(|()| vec![false; self.slots]);
        let [terminated, truncated, illegal] = &mut flags;
        let results = Results {
            rewards: &mut rewards,
            terminated,
            truncated,
            illegal,
        };
        let (observation, mask) = shown(py, observations, mask, out, |shown| {
            py.detach(|| match slots.refusal(actions, &self.moves) {
                Some(refusal) => Err(refusal),
                None => slots.fill(shown, Some((actions, results))),
            })
        })?;
        let ended = slots.chunks.iter().map(|chunk| chunk.finals.len()).sum();
        let [terminated, truncated, illegal] = flags.map(|flags| flags.into_pyarray(py));
        Ok((
            observation,
            mask,
            rewards.into_pyarray(py),
            terminated,
            truncated,
            illegal,
            ended,
        ))
    }

    /// Plays one round of the one game, and returns its observation, its mask of legal moves, the
    /// reward, whether it is terminated and truncated, whether the action was not legal, and
    /// whether the episode ended in this step.
    ///
    /// A step of one game takes less time than giving the GIL away, so it is kept.
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn step_one<'py>(
        &self,
        py: Python<'py>,
        action: &Bound<'py, PyAny>,
    ) -> PyResult<(
        Bound<'py, PyAny>,
        Bound<'py, PyArrayDyn<i8>>,
        f64,
        bool,
        bool,
        bool,
        bool,
    )> {
        // Before the games are locked: a number of a class of its own calls Python.
        let actions = [taken(action, || {
            let most = self.moves.len() - 1;
            format!("action: a whole number from 0 to {most}")
        })?];
        let mut inner = self.lock()?;
        let Inner {
            slots,
            observations,
            mask,
        } = &mut *inner;
        let given = self.slots;
        if given != 1 {
            return Err(wrong_input(StepError::Count {
                given: 1,
                slots: given,
            }));
        }
        reset_needed(py, slots.is_new)?;
        if let Some(refusal) = slots.refusal(&actions, &self.moves) {
            return Err(refusal);
        }
        let mut reward = 0.0;
        let mut terminated = false;
        let mut truncated = false;
        let mut illegal = false;
        let results = Results {
            rewards: std::slice::from_mut(&mut reward),
            terminated: std::slice::from_mut(&mut terminated),
            truncated: std::slice::from_mut(&mut truncated),
            illegal: std::slice::from_mut(&mut illegal),
        };
        let chunk = &mut slots.chunks[0];
        chunk.step(&actions, results, &self.rules);
        let (observation, mask) = shown(py, observations, mask, None, |shown| {
            chunk.show(shown, self.rules.observation);
            Ok(())
        })?;
        Ok((
            observation,
            mask,
            reward,
            terminated,
            truncated,
            illegal,
            !chunk.finals.is_empty(),
        ))
    }

    /// The index of each slot's game among those of the cell.
    fn games<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<i64>>> {
        let inner = &self.lock()?.slots;
        let games = inner
            .chunks
            .iter()
            .flat_map(|chunk| chunk.stepper.games().iter().map(|&game| game.cast_signed()));
        Ok(PyArray1::from_iter(py, games))
    }

    /// Which slots' episodes are over, until they are replaced.
    fn waiting<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray1<bool>>> {
        let inner = &self.lock()?.slots;
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
        let inner = &self.lock()?.slots;
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

    /// The episodes that ended in the last step: a dict of the arrays `game`, `end` (codes),
    /// `moves` and `won`, of all slots, 0 where none ended; the slots where one did; with `records`
    /// the names of their moves; and their final observations.
    #[expect(clippy::type_complexity, reason = "a tuple of arrays")]
    fn finished<'py>(
        &self,
        py: Python<'py>,
    ) -> PyResult<(
        Bound<'py, PyDict>,
        Vec<usize>,
        Vec<Py<PyAny>>,
        Bound<'py, PyAny>,
    )> {
        let inner = &self.lock()?.slots;
        let finals = || inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        let mut games = vec![0; self.slots];
        let mut ends = vec![0; self.slots];
        let mut moves = vec![0; self.slots];
        let mut won = vec![false; self.slots];
        for last in finals() {
            games[last.slot] = last.game.cast_signed();
            ends[last.slot] = last.end;
            moves[last.slot] = last.moves.cast_signed();
            won[last.slot] = last.won;
        }
        let facts = PyDict::new(py);
        facts.set_item("game", games.into_pyarray(py))?;
        facts.set_item("end", ends.into_pyarray(py))?;
        facts.set_item("moves", moves.into_pyarray(py))?;
        facts.set_item("won", won.into_pyarray(py))?;
        let played = finals().filter(|_| self.rules.records);
        let played = played.map(|last| self.named(py, inner, last.game, &last.played));
        let played = played.collect::<PyResult<Vec<_>>>()?;
        let slots: Vec<usize> = finals().map(|last| last.slot).collect();
        let count = slots.len();
        let kinds = inner.chunks.iter().flat_map(|chunk| &chunk.final_kinds);
        let numbers = inner.chunks.iter().flat_map(|chunk| &chunk.final_numbers);
        let (kinds, numbers): (Vec<u8>, Vec<f64>) =
            (kinds.copied().collect(), numbers.copied().collect());
        let (rows, cols) = self.shape;
        let observation = self.rules.observation;
        let observations = observation.arrays(py, (count, rows, cols), kinds, numbers)?;
        Ok((facts, slots, played, observations))
    }

    /// What the games report besides result and moves, of the episodes of [`Games::finished`]:
    /// shape (ended, measures); 0 where the rules did not end the game.
    fn measures<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let inner = &self.lock()?.slots;
        let width = inner.cell.game.measures.len();
        let finals = || inner.chunks.iter().flat_map(|chunk| &chunk.finals);
        let measures = finals().flat_map(|last| last.measures[..width].iter().copied());
        PyArray1::from_iter(py, measures).reshape([finals().count(), width])
    }

    /// The names of the moves that a slot's episode has made so far.
    fn played(&self, py: Python<'_>, slot: usize) -> PyResult<Py<PyAny>> {
        let inner = &self.lock()?.slots;
        let chunk = inner.chunks.iter().rfind(|chunk| chunk.first_slot <= slot);
        let chunk = chunk.filter(|chunk| slot - chunk.first_slot < chunk.slots());
        let chunk = chunk.ok_or_else(|| wrong_input(format!("slot {slot}: there is none")))?;
        let slot = slot - chunk.first_slot;
        self.named(py, inner, chunk.stepper.games()[slot], chunk.played(slot))
    }

    /// The text of an experiment file that has the cell of these games, with their seed.
    fn experiment(&self) -> PyResult<String> {
        let inner = &self.lock()?.slots;
        let game = inner.cell.game;
        let direct = Inline {
            game,
            settings: &self.settings,
            players: &[],
            opponents: &[],
            games: 1,
            seed: inner.seed,
            decided_by: None,
            difference: None,
            starts: &[],
            rounds: None,
        };
        direct.text().map_err(wrong_input)
    }
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
