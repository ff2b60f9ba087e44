//! Players that are Python functions on arrays: they move in many games at once.

use crate::errors::wrong_input;
use crate::own::keep;
use crate::shown::Observation;
use numpy::{PyArray1, PyArrayMethods, PyReadonlyArray1};
use pyo3::prelude::*;
use std::ops::Range;
use std::panic::resume_unwind;
use std::sync::Arc;
use tilelab::catalog::{self, GameEntry, PlayerSpec, Setup};
use tilelab::external::{self, Function, PLAYS_WHOLE_GAMES};
use tilelab::game::advice::Advisor;
use tilelab::game::given::{GivenError, Reached};
use tilelab::game::session::{BoardRows, Session};
use tilelab::game::stepping::{Playing, Table, play_in_slots};
use tilelab::game::{GameObserver, Job, Measure, PositionError};
use tilelab::json::Json;
use tilelab::params::{ParamError, Params};
use tilelab::rng::CellSeeds;
use tilelab::{KernelChoice, Outcome, Tally};

/// Games that are shown to a function at once.
const SLOTS: u64 = 1024;
/// Games of a batch.
const BATCH_GAMES: u64 = 4 * SLOTS;

/// Makes a function on arrays the player of this name, in one-player games that can be stepped. It
/// gets an observation of N games and their legal moves, bool (N, moves), and returns N moves,
/// int64.
#[pyfunction]
pub fn add_policy(name: &str, observation: String, respond: Py<PyAny>) -> PyResult<()> {
    let label = name.to_owned();
    let respond = Arc::new(respond);
    let make = move |entry: &'static GameEntry, setup: &Setup<'_>, games: Box<dyn Job>| {
        let observation = Observation::of(entry.name, &observation)
            .map_err(|error| ParamError::new("player", format!("{label}: {error}")))?;
        let mut job = PolicyJob {
            name: label.clone(),
            observation,
            respond: Arc::clone(&respond),
            entry,
            params: setup.params.clone(),
            players: setup.players.to_vec(),
            seeds: setup.seeds,
            choice: setup.kernel,
            kernel: "",
            games,
        };
        job.kernel = job.table(1)?.kernel();
        Ok(Box::new(job) as Box<dyn Job>)
    };
    external::add_player(name, Function::Games(Arc::new(make))).map_err(wrong_input)?;
    Ok(())
}

/// The games of a cell in which such a function chooses.
struct PolicyJob {
    name: String,
    observation: Observation,
    respond: Arc<Py<PyAny>>,
    entry: &'static GameEntry,
    params: Params,
    players: Vec<PlayerSpec>,
    seeds: CellSeeds,
    choice: KernelChoice,
    kernel: &'static str,
    /// The random player's games of the cell.
    games: Box<dyn Job>,
}

impl PolicyJob {
    fn table(&self, slots: usize) -> Result<Box<dyn Table>, ParamError> {
        catalog::refuse_unstepped(self.entry)?;
        let setup = Setup {
            params: &self.params,
            players: &self.players,
            seeds: self.seeds,
            kernel: self.choice,
        };
        self.entry.table(&setup, slots)
    }

    /// Plays games in slots. `watch` is told of the moves of every step.
    fn play_games(
        &self,
        games: Range<u64>,
        positions: bool,
        watch: &mut dyn FnMut(Playing<'_>, &[u8]),
        each: &mut dyn FnMut(u64, &Outcome, &str),
    ) {
        let slots = games.end.saturating_sub(games.start).clamp(1, SLOTS);
        let table = self.table(slots as usize);
        let mut table = table.expect("a table was made with the job");
        let mut choose = |playing: Playing<'_>, moves: &mut [u8]| {
            if let Err(error) = Python::attach(|py| self.choose(py, playing, moves)) {
                // Not `panic!`, whose hook prints a backtrace.
                let message = format!("{}: {}", self.name, keep(&self.name, error));
                resume_unwind(Box::new(message))
            }
            watch(playing, moves);
        };
        play_in_slots(&mut *table, games, positions, &mut choose, each);
    }

    /// Asks the function. Rows of slots without a game repeat another slot's, so that arrays keep
    /// their shape and every row has a legal move.
    fn choose(&self, py: Python<'_>, playing: Playing<'_>, moves: &mut [u8]) -> PyResult<()> {
        let slots = playing.games.len();
        let (rows, cols) = playing.table.shape();
        let cells = rows * cols;
        let width = playing.table.move_names().len();
        let mut kinds = vec![0; slots * cells];
        let mut numbers = vec![0.0; slots * cells];
        let mut legal = Vec::with_capacity(slots * width);
        let mut shown = playing.games.iter().position(Option::is_some).unwrap_or(0);
        for slot in 0..slots {
            if playing.games[slot].is_some() {
                shown = slot;
            }
            let range = slot * cells..(slot + 1) * cells;
            playing
                .table
                .read(shown, &mut kinds[range.clone()], &mut numbers[range]);
            legal.extend((0..width).map(|bit| playing.legal[shown] >> bit & 1 == 1));
        }
        let observation = self
            .observation
            .arrays(py, (slots, rows, cols), kinds, numbers)?;
        let legal = PyArray1::from_vec(py, legal).reshape([slots, width])?;
        let answer = self.respond.bind(py).call1((observation, legal))?;
        let answer: PyReadonlyArray1<'_, i64> = answer.extract()?;
        for (slot, &chosen) in answer.as_array().iter().enumerate() {
            let Some(game) = playing.games[slot] else {
                continue;
            };
            if !(0..width as i64).contains(&chosen) || playing.legal[slot] >> chosen & 1 == 0 {
                let names = playing.table.move_names();
                let legal = (0..width).filter(|bit| playing.legal[slot] >> bit & 1 == 1);
                let legal: Vec<String> =
                    legal.map(|bit| format!("{bit} ({})", names[bit])).collect();
                return Err(wrong_input(format!(
                    "game {game}: {chosen} is not a legal move; legal: {}",
                    legal.join(", ")
                )));
            }
            moves[slot] = chosen as u8;
        }
        Ok(())
    }
}

impl Job for PolicyJob {
    fn measures(&self) -> &'static [Measure] {
        self.games.measures()
    }

    fn kernel(&self) -> &'static str {
        self.kernel
    }

    fn batch_games(&self) -> u64 {
        BATCH_GAMES
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let positions = observer.as_ref().is_some_and(|observer| observer.positions);
        let mut ended = |index: u64, outcome: &Outcome, position: &str| {
            tally.add(outcome);
            if let Some(observer) = &mut observer {
                (observer.each)(index, outcome, position);
            }
        };
        self.play_games(games, positions, &mut |_, _| {}, &mut ended);
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let (outcome, moves) = self.moves(game).expect("games of the loop can be opened");
        let replayed = self.games.replay_given(game, &moves, line);
        debug_assert!(replayed.is_ok(), "{:?}", replayed.err());
        outcome
    }

    fn moves(&self, game: u64) -> Option<(Outcome, Vec<String>)> {
        let mut session = self.games.open(game, None).ok()?;
        let mut names = Vec::new();
        let mut found = None;
        // Names as the game shows them: some of Calculator's change in the course of a game.
        let mut watch = |playing: Playing<'_>, moves: &[u8]| {
            let rank = (playing.legal[0] & ((1 << moves[0]) - 1)).count_ones() as usize;
            names.push(session.view().legal.swap_remove(rank));
            session.play(rank);
        };
        let mut ended = |_: u64, outcome: &Outcome, _: &str| found = Some(*outcome);
        self.play_games(game..game + 1, false, &mut watch, &mut ended);
        found.map(|outcome| (outcome, names))
    }

    fn advisor(&self) -> Result<Box<dyn Advisor>, PositionError> {
        Err(PLAYS_WHOLE_GAMES.into())
    }

    fn replay_given(
        &self,
        game: u64,
        moves: &[String],
        line: &mut dyn FnMut(Json),
    ) -> Result<Reached, GivenError> {
        self.games.replay_given(game, moves, line)
    }

    fn open(&self, _: u64, _: Option<&BoardRows>) -> Result<Box<dyn Session>, PositionError> {
        Err(PLAYS_WHOLE_GAMES.into())
    }
}
