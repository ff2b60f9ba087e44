//! The catalog's players: their moves on given boards, their games, and random playouts.

use crate::boards::{BoardArrays, shape_of};
use crate::errors::wrong_input;
use crate::pool::{of_each, shared};
use crate::shown::{Before, Facts, Reward};
use crate::waiting::wait;
use numpy::{PyArray1, PyArray2, PyArrayMethods, PyReadonlyArray1, PyReadonlyArray3};
use pyo3::exceptions::PyKeyboardInterrupt;
use pyo3::prelude::*;
use pyo3::types::PyDict;
use rayon::prelude::*;
use std::fmt::Display;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use tilelab::catalog::PlayerSpec;
use tilelab::game::advice::{Advice, Advisor, Recorded};
use tilelab::game::session::{self, Session as OpenGame};
use tilelab::game::{GameObserver, Job};
use tilelab::games::sixty_seven::kernels::{End, Kernel};
use tilelab::games::sixty_seven::packed::PackedBoard;
use tilelab::games::sixty_seven::{self, Direction, SixtySeven};
use tilelab::players::sixty_seven::monte_carlo::count_playouts;
use tilelab::stats::mean::Moments;
use tilelab::stats::{clopper_pearson, paired_rate_difference};
use tilelab::{Cell, GameResult, KernelChoice, Outcome, Tally, plan};
use tilelab_output::locked;

/// The cell of a game with these settings and players; seats that are not named have the default.
pub fn cell_of(game: &str, settings: &[String], players: &[String]) -> PyResult<Cell> {
    let game = plan::game(game).map_err(wrong_input)?;
    if players.len() > game.seats {
        return Err(wrong_input(format!(
            "players: {} given; {} has {}",
            players.len(),
            game.name,
            game.seats
        )));
    }
    let params = plan::params(game, settings).map_err(wrong_input)?;
    let mut seats = vec![PlayerSpec::new(&game.players[0]); game.seats];
    for (seat, player) in seats.iter_mut().zip(players) {
        *seat = plan::player(game, player).map_err(wrong_input)?;
    }
    let cell = Cell::of(game, params, seats);
    cell.job(0, KernelChoice::Auto).map_err(wrong_input)?;
    Ok(cell)
}

/// What an interrupted thread returns; nobody sees it.
fn interrupted() -> PyErr {
    PyKeyboardInterrupt::new_err(())
}

/// The key of a cell, and of its world, which all players share.
#[pyfunction]
pub fn cell_keys(game: &str, settings: Vec<String>, player: &str) -> PyResult<(String, String)> {
    let cell = cell_of(game, &settings, &[player.to_owned()])?;
    Ok((cell.key(), cell.world_key()))
}

/// A player that is asked about boards.
#[pyclass(frozen, module = "tilelab._tilelab")]
pub struct Asked {
    arguments: (String, Vec<String>, String, u64),
    /// The key of the player's cell.
    #[pyo3(get)]
    cell_key: String,
    inner: Arc<Players>,
}

/// A player as often as there were threads at once. What one remembers of lines takes megabytes to
/// begin with, and is worth the most when it is full.
struct Players {
    cell: Cell,
    job: Box<dyn Job>,
    idle: Mutex<Vec<Box<dyn Advisor>>>,
}

impl Players {
    /// Calls `ask` with a player. A fork may leave the lock locked, so nobody waits for it.
    fn with<T>(&self, ask: impl FnOnce(&mut dyn Advisor) -> PyResult<T>) -> PyResult<T> {
        let idle = self.idle.try_lock().ok().and_then(|mut idle| idle.pop());
        let mut player = idle.map_or_else(|| self.job.advisor().map_err(wrong_input), Ok)?;
        let answer = ask(&mut *player)?;
        if let Ok(mut idle) = self.idle.try_lock() {
            idle.push(player);
        }
        Ok(answer)
    }

    /// Asks about boards given as tile texts, each with the player's stream of the game with the
    /// board's number.
    fn ask<T: Send + 'static>(
        self: &Arc<Self>,
        py: Python<'_>,
        boards: Vec<Vec<Vec<String>>>,
        answer: fn(&mut dyn OpenGame) -> Result<T, String>,
    ) -> PyResult<Vec<T>> {
        let players = Arc::clone(self);
        let work = move |flag: &AtomicBool| {
            let one = |(index, board): (usize, &Vec<Vec<String>>)| {
                if flag.load(Ordering::Relaxed) {
                    return Err(interrupted());
                }
                let wrong = |error: &dyn Display| wrong_input(format!("board {index}: {error}"));
                let game = players.job.open(index as u64, Some(board));
                let mut game = game.map_err(|error| wrong(&error))?;
                if game.is_over() {
                    return Err(wrong(&"the game is over, so no move is legal"));
                }
                answer(&mut *game).map_err(|error| wrong(&error))
            };
            of_each(&boards, one)
        };
        wait(py, false, work, |_| Ok(()))
    }
}

#[pymethods]
impl Asked {
    #[new]
    fn new(game: String, settings: Vec<String>, player: String, seed: u64) -> PyResult<Self> {
        let cell = cell_of(&game, &settings, std::slice::from_ref(&player))?;
        let job = cell.job(seed, KernelChoice::Reference);
        Ok(Self {
            arguments: (game, settings, player, seed),
            cell_key: cell.key(),
            inner: Arc::new(Players {
                job: job.map_err(wrong_input)?,
                cell,
                idle: Mutex::default(),
            }),
        })
    }

    fn __getnewargs__(&self) -> (String, Vec<String>, String, u64) {
        self.arguments.clone()
    }

    /// The moves on boards given as tile texts, by their names.
    fn act(&self, py: Python<'_>, boards: Vec<Vec<Vec<String>>>) -> PyResult<Vec<String>> {
        self.inner.ask(py, boards, |game| {
            let chosen = game.choose();
            Ok(game.view().legal.swap_remove(chosen))
        })
    }

    /// The values of the moves up, down, left and right on boards given as tile texts: shape
    /// (boards, 4); NaN for moves that are not legal or that the player does not look at.
    fn values<'py>(
        &self,
        py: Python<'py>,
        boards: Vec<Vec<Vec<String>>>,
    ) -> PyResult<Bound<'py, PyArray2<f64>>> {
        let count = boards.len();
        let found = self.inner.ask(py, boards, |game| {
            let values = game
                .evaluate()
                .ok_or("the player does not evaluate moves; use one that does, such as greedy")?;
            let legal = game.view().legal;
            Ok(Direction::ALL.map(|direction| {
                let place = legal.iter().position(|name| name == direction.name());
                place.and_then(|place| values[place]).unwrap_or(f64::NAN)
            }))
        })?;
        PyArray1::from_iter(py, found.into_iter().flatten()).reshape([count, 4])
    }

    /// The moves on boards given as arrays, as numbers of directions, and with `has_values` the
    /// values as in [`Asked::values`]: shape (boards,) and (boards, 4).
    #[expect(clippy::type_complexity, reason = "a pair of arrays")]
    fn advise<'py>(
        &self,
        py: Python<'py>,
        kinds: PyReadonlyArray3<'py, u8>,
        numbers: PyReadonlyArray3<'py, f64>,
        has_values: bool,
    ) -> PyResult<(Bound<'py, PyArray1<i64>>, Bound<'py, PyArray2<f64>>)> {
        let given = BoardArrays::new(&self.inner.cell, &kinds, &numbers)?;
        let count = given.count;
        let players = Arc::clone(&self.inner);
        let work = move |flag: &AtomicBool| {
            let mut chosen = vec![0; count];
            let mut values = vec![[f64::NAN; 4]; if has_values { count } else { 0 }];
            let pool = shared()?;
            let part = count
                .div_ceil(pool.current_num_threads())
                .clamp(1, LOOKED_AT);
            let look = |(index, chosen): (usize, &mut [i64]),
                        mut values: Option<&mut [[f64; 4]]>| {
                if flag.load(Ordering::Relaxed) {
                    return Err(interrupted());
                }
                let start = index * part;
                let range = start..start + chosen.len();
                let mut keep = |board: usize, advice: Advice| {
                    chosen[board - start] = advice.chosen.into();
                    if let Some(values) = &mut values {
                        values[board - start] = advice.values;
                    }
                };
                players.with(|player| {
                    player
                        .advise(given.boards(), range, has_values, &mut keep)
                        .map_err(wrong_input)
                })
            };
            pool.install(|| {
                let chosen = chosen.par_chunks_mut(part).enumerate();
                if has_values {
                    let parts = chosen.zip(values.par_chunks_mut(part));
                    parts.try_for_each(|(chosen, values)| look(chosen, Some(values)))
                } else {
                    chosen
                        .into_par_iter()
                        .try_for_each(|chosen| look(chosen, None))
                }
            })?;
            Ok((chosen, values))
        };
        let (chosen, values) = wait(py, false, work, |_| Ok(()))?;
        let rows = values.len();
        let values = PyArray1::from_vec(py, values.into_flattened()).reshape([rows, 4])?;
        Ok((PyArray1::from_vec(py, chosen), values))
    }

    /// The boards of games `start` to `start + games - 1` of the player: a dict of `kinds` and
    /// `numbers` (boards, rows, cols), `action_mask` and `values` (boards, 4), and `action`,
    /// `return_to_go` (the sum of the rewards to come), `won`, `game` and `turn` (boards,).
    fn record<'py>(
        &self,
        py: Python<'py>,
        start: u64,
        games: u64,
        has_values: bool,
        reward: Option<&str>,
    ) -> PyResult<Bound<'py, PyDict>> {
        let players = Arc::clone(&self.inner);
        let reward = Reward::of(players.cell.game.name, reward)?;
        let end = start.checked_add(games);
        let end = end.ok_or_else(|| wrong_input("games: too many; indices end at 2**64 - 1"))?;
        let work = move |flag: &AtomicBool| {
            let pool = shared()?;
            let part = games.div_ceil(pool.current_num_threads() as u64).max(1);
            let play = |first: u64| {
                let mut boards = Boards::default();
                players.with(|player| {
                    for game in first..end.min(first.saturating_add(part)) {
                        if flag.load(Ordering::Relaxed) {
                            return Err(interrupted());
                        }
                        player
                            .record(game..game + 1, has_values, &mut |board| {
                                boards.add(board, reward);
                            })
                            .map_err(wrong_input)?;
                    }
                    Ok(boards)
                })
            };
            let firsts = (0..games.div_ceil(part)).into_par_iter();
            let parts = firsts.map(|index| play(start + index * part));
            let parts: Vec<Boards> = pool.install(|| parts.collect::<PyResult<_>>())?;
            Ok(parts.into_iter().reduce(|mut all, later| {
                all.append(later);
                all
            }))
        };
        let found = wait(py, false, work, |_| Ok(()))?.unwrap_or_default();
        let (rows, cols) = shape_of(&self.inner.cell);
        let count = found.actions.len();
        let boards = [count, rows, cols];
        let dict = PyDict::new(py);
        dict.set_item(
            "kinds",
            PyArray1::from_vec(py, found.kinds).reshape(boards)?,
        )?;
        dict.set_item(
            "numbers",
            PyArray1::from_vec(py, found.numbers).reshape(boards)?,
        )?;
        dict.set_item(
            "action_mask",
            PyArray1::from_vec(py, found.legal).reshape([count, 4])?,
        )?;
        dict.set_item("action", PyArray1::from_vec(py, found.actions))?;
        dict.set_item(
            "values",
            PyArray1::from_vec(py, found.values).reshape([count, 4])?,
        )?;
        dict.set_item("return_to_go", PyArray1::from_vec(py, found.returns))?;
        dict.set_item("won", PyArray1::from_vec(py, found.won))?;
        dict.set_item("game", PyArray1::from_vec(py, found.games))?;
        dict.set_item("turn", PyArray1::from_vec(py, found.turns))?;
        Ok(dict)
    }
}

/// Boards of a player's games, the ends of the games left out.
#[derive(Default)]
struct Boards {
    kinds: Vec<u8>,
    numbers: Vec<f64>,
    legal: Vec<i8>,
    actions: Vec<i64>,
    values: Vec<f64>,
    /// The rewards of the steps, from the end of a game on their sums.
    returns: Vec<f64>,
    won: Vec<bool>,
    games: Vec<i64>,
    turns: Vec<i64>,
    /// The board before, of the game that is being played.
    last: Option<Before>,
}

impl Boards {
    /// Adds a board, or the end of a game.
    fn add(&mut self, board: Recorded<'_>, reward: Reward) {
        let (kinds, numbers) = board.tiles;
        let after = reward.before(kinds, numbers);
        let won = board
            .outcome
            .map(|outcome| outcome.result == GameResult::Won);
        let facts = Facts {
            won: won == Some(true),
            lost: won == Some(false),
            illegal: false,
        };
        let turn = match self.last.replace(after) {
            Some(before) => {
                self.returns.push(reward.value(before, after, kinds, facts));
                self.turns.last().map_or(0, |turn| turn + 1)
            }
            None => 0,
        };
        if let Some(won) = won {
            let begun = self.won.len();
            self.last = None;
            self.won.resize(self.returns.len(), won);
            let mut sum = 0.0;
            for step in self.returns[begun..].iter_mut().rev() {
                sum += *step;
                *step = sum;
            }
            return;
        }
        self.kinds.extend_from_slice(kinds);
        self.numbers.extend_from_slice(numbers);
        self.legal
            .extend((0..4).map(|bit| (board.legal >> bit & 1) as i8));
        self.actions.push(board.advice.chosen.into());
        self.values.extend_from_slice(&board.advice.values);
        self.games.push(board.game.cast_signed());
        self.turns.push(turn);
    }

    /// Adds the boards of later games.
    fn append(&mut self, mut later: Self) {
        self.kinds.append(&mut later.kinds);
        self.numbers.append(&mut later.numbers);
        self.legal.append(&mut later.legal);
        self.actions.append(&mut later.actions);
        self.values.append(&mut later.values);
        self.returns.append(&mut later.returns);
        self.won.append(&mut later.won);
        self.games.append(&mut later.games);
        self.turns.append(&mut later.turns);
    }
}

/// The most boards that a thread looks at before signals are answered.
const LOOKED_AT: usize = 1 << 14;

/// The outcomes of games 0 to `games` - 1 of a one-player game under a master seed: won or not,
/// moves, and what the game reports besides, of shape (games, measures).
#[pyfunction]
#[expect(clippy::type_complexity, reason = "a tuple of arrays")]
pub fn outcomes<'py>(
    py: Python<'py>,
    game: &str,
    settings: Vec<String>,
    player: String,
    seed: u64,
    games: u64,
) -> PyResult<(
    Bound<'py, PyArray1<bool>>,
    Bound<'py, PyArray1<i64>>,
    Bound<'py, PyArray2<i64>>,
)> {
    let cell = cell_of(game, &settings, &[player])?;
    let width = cell.game.measures.len();
    let work = move |flag: &AtomicBool| {
        let job = cell.job(seed, KernelChoice::Auto).map_err(wrong_input)?;
        let batch = job.batch_games().max(1);
        let play = |index: u64| {
            let mut found: Vec<(u64, Outcome)> = Vec::new();
            if flag.load(Ordering::Relaxed) {
                return found;
            }
            let start = index * batch;
            let range = start..start + batch.min(games - start);
            let mut keep = |game: u64, outcome: &Outcome, _: &str| found.push((game, *outcome));
            let observer = GameObserver::outcomes(&mut keep);
            job.play(range, &mut Tally::new(job.measures()), Some(observer));
            found
        };
        let batches = (0..games.div_ceil(batch)).into_par_iter();
        let mut found: Vec<(u64, Outcome)> =
            shared()?.install(|| batches.flat_map_iter(play).collect());
        found.sort_unstable_by_key(|(game, _)| *game);
        Ok(found)
    };
    let found = wait(py, false, work, |_| Ok(()))?;
    let won = found
        .iter()
        .map(|(_, outcome)| outcome.result == GameResult::Won);
    let moves = found.iter().map(|(_, outcome)| outcome.moves.cast_signed());
    let measures = found
        .iter()
        .flat_map(|(_, outcome)| outcome.measures[..width].iter().copied());
    let measures = PyArray1::from_iter(py, measures).reshape([found.len(), width])?;
    Ok((
        PyArray1::from_iter(py, won),
        PyArray1::from_iter(py, moves),
        measures,
    ))
}

/// How many of `playouts` random games are won after each move of boards of 67!, given as tile
/// texts: shape (boards, 4); -1 where a move is not legal. Playouts end undecided after `horizon`
/// rounds.
#[pyfunction]
pub fn playouts<'py>(
    py: Python<'py>,
    settings: Vec<String>,
    boards: Vec<Vec<Vec<String>>>,
    playouts: u64,
    horizon: u64,
    seed: u64,
) -> PyResult<Bound<'py, PyArray2<i64>>> {
    let cell = cell_of(sixty_seven::NAME, &settings, &[])?;
    if playouts == 0 || horizon == 0 {
        return Err(wrong_input("n and horizon: accepted: whole numbers from 1"));
    }
    let count = boards.len();
    let work = move |flag: &AtomicBool| {
        let game = SixtySeven::from_params(&cell.params);
        let kernel = Kernel::new(KernelChoice::Auto, &game).map_err(wrong_input)?;
        let seeds = cell.seeds(seed);
        let wins = |(index, board): (usize, &Vec<Vec<String>>)| {
            if flag.load(Ordering::Relaxed) {
                return Err(interrupted());
            }
            let board = sixty_seven::reference::TileBoard::from_json(&board.as_slice().into())
                .and_then(
                    |board| match (board.rows(), board.cols()) == (game.rows, game.cols) {
                        true => Ok(board),
                        false => Err(format!(
                            "{}x{} was given, {}x{} is needed",
                            board.rows(),
                            board.cols(),
                            game.rows,
                            game.cols
                        )),
                    },
                )
                .map_err(|error| wrong_input(format!("board {index}: {error}")))?;
            let board = PackedBoard::pack(&board);
            if kernel.verdict(&board).is_some() {
                return Err(wrong_input(format!(
                    "board {index}: the game is over, so no move is legal"
                )));
            }
            let legal = kernel.legal(&board);
            let of = |direction: Direction| {
                if legal >> direction as u8 & 1 == 0 {
                    return -1;
                }
                let mut after = board.clone();
                match kernel.advance(&mut after, direction) {
                    Some(End::Won) => playouts as i64,
                    Some(_) => 0,
                    None => {
                        let after = std::slice::from_ref(&after);
                        count_playouts(&kernel, after, seeds, playouts, horizon)[0].wins as i64
                    }
                }
            };
            Ok(Direction::ALL.map(of))
        };
        of_each(&boards, wins)
    };
    let found = wait(py, false, work, |_| Ok(()))?;
    PyArray1::from_iter(py, found.into_iter().flatten()).reshape([count, 4])
}

/// The interval of a win rate (shares): Clopper and Pearson's.
#[pyfunction]
pub fn rate_interval(wins: u64, games: u64, confidence: f64) -> PyResult<(f64, f64)> {
    check(confidence, games, wins)?;
    let interval = clopper_pearson(wins, games, confidence);
    Ok((interval.lo, interval.hi))
}

/// The interval of the difference of two win rates on the same games (shares): Tango's, and
/// McNemar's mid-p. `only_a` games are won by A alone.
#[pyfunction]
pub fn paired_difference(
    only_a: u64,
    only_b: u64,
    games: u64,
    confidence: f64,
) -> PyResult<(f64, f64, f64)> {
    check(confidence, games, only_a.saturating_add(only_b))?;
    let found = paired_rate_difference(only_a, only_b, games, confidence).expect("there are games");
    Ok((found.interval.lo, found.interval.hi, found.p_value))
}

/// The mean of values with Student's interval, and the p-value of a mean of 0; `None` with fewer
/// than two values.
#[pyfunction]
pub fn mean_interval(
    values: PyReadonlyArray1<'_, i64>,
    confidence: f64,
) -> PyResult<Option<(f64, f64, f64, f64)>> {
    check(confidence, 1, 0)?;
    let mut moments = Moments {
        n: 0,
        sum: 0,
        sum_sq: 0,
    };
    for &value in values.as_array() {
        moments.n += 1;
        moments.sum += i128::from(value);
        moments.sum_sq += u128::from(value.unsigned_abs()).pow(2);
    }
    Ok(moments.estimate().map(|estimate| {
        let interval = estimate.interval(confidence);
        (estimate.mean, interval.lo, interval.hi, estimate.p_value())
    }))
}

fn check(confidence: f64, games: u64, counted: u64) -> PyResult<()> {
    if !(confidence > 0.0 && confidence < 1.0) {
        return Err(wrong_input(format!(
            "confidence={confidence}: accepted: a number between 0 and 1"
        )));
    }
    if games == 0 || counted > games {
        return Err(wrong_input(format!(
            "games={games}: accepted: a whole number from 1, and no fewer than are counted"
        )));
    }
    Ok(())
}

/// One game, played move by move.
#[pyclass(module = "tilelab._tilelab")]
pub struct Session {
    /// Behind a lock because sessions may be moved between threads, but not shared.
    game: Mutex<Box<dyn OpenGame>>,
    view: session::View,
}

#[pymethods]
impl Session {
    /// Opens game number `index` of a seed.
    #[new]
    fn new(
        game: &str,
        settings: Vec<String>,
        players: Vec<String>,
        seed: u64,
        index: u64,
    ) -> PyResult<Self> {
        let cell = cell_of(game, &settings, &players)?;
        let job = cell
            .job(seed, KernelChoice::Reference)
            .map_err(wrong_input)?;
        let game = job.open(index, None).map_err(wrong_input)?;
        Ok(Self {
            view: game.view(),
            game: Mutex::new(game),
        })
    }

    /// The position as JSON.
    fn position(&self) -> String {
        locked(&self.game).position().to_string()
    }

    /// The seat to move.
    #[getter]
    fn seat(&self) -> usize {
        self.view.seat
    }

    /// The names of the legal moves; none when the game is over.
    #[getter]
    fn legal(&self) -> Vec<String> {
        self.view.legal.clone()
    }

    /// In games where two cells are chosen, row and column of both for each legal move: (moves, 4).
    fn paths<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyArray2<i64>>> {
        let cells = self
            .view
            .paths
            .iter()
            .flatten()
            .flat_map(|&(row, col)| [row as i64, col as i64]);
        PyArray1::from_iter(py, cells).reshape([self.view.paths.len(), 4])
    }

    /// Seat 0's result, `won`, `lost` or `drawn`; `None` while the game goes on.
    #[getter]
    fn result(&self) -> Option<&'static str> {
        self.view.outcome.map(|outcome| match outcome.result {
            GameResult::Won => "won",
            GameResult::Lost => "lost",
            GameResult::Drawn => "drawn",
        })
    }

    /// Makes the legal move with this number.
    fn play(&mut self, py: Python<'_>, number: usize) -> PyResult<()> {
        if number >= self.view.legal.len() {
            let legal = self.view.legal.len();
            return Err(wrong_input(format!(
                "move {number}: there are {legal} legal moves, numbered from 0"
            )));
        }
        let Self { game, view } = self;
        py.detach(|| {
            let game = game.get_mut().unwrap_or_else(PoisonError::into_inner);
            game.play(number);
            *view = game.view();
        });
        Ok(())
    }

    /// The number of the legal move that the player of the seat to move chooses.
    fn choose(&mut self, py: Python<'_>) -> PyResult<usize> {
        if self.view.outcome.is_some() {
            return Err(wrong_input("the game is over"));
        }
        let game = self.game.get_mut().unwrap_or_else(PoisonError::into_inner);
        Ok(py.detach(|| game.choose()))
    }
}
