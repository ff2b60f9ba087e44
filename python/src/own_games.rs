//! Games whose rules are a Python class.

use crate::errors::{refused, taken, wrong_input};
use crate::own::keep;
use pyo3::exceptions::PyTypeError;
use pyo3::intern;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyString};
use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock, PoisonError, RwLock};
use tilelab::catalog::{self, GameEntry, NamedPlayer, PlayerEntry, Setup};
use tilelab::game::splitting::{self, METHOD, METHOD_PARAM, SplittingJob};
use tilelab::game::{
    Describe, Game, Job, Level, LoopJob, Measure, MeasureKind, Player, PositionError, Positions,
};
use tilelab::games::two_player;
use tilelab::json::Json;
use tilelab::params::{ParamError, ParamSpec, Value};
use tilelab::players::mcts::Mcts;
use tilelab::players::monte_carlo::{ByRules, MonteCarlo};
use tilelab::players::random::Random;
use tilelab::players::two_player::seats::Seats;
use tilelab::rng::{Rng, Stream};
use tilelab::{GameResult, Outcome};

/// The rules, by the addresses of the entries of their players, which build the jobs of cells.
static RULES: RwLock<BTreeMap<usize, Arc<Rules>>> = RwLock::new(BTreeMap::new());

/// A class of rules.
struct Rules {
    name: &'static str,
    class: Py<PyAny>,
    has_seats: bool,
    has_deals: bool,
    has_positions: bool,
    has_levels: bool,
    measures: &'static [Measure],
}

/// A parameter: name, default, and the accepted words where there are some.
type Parameter<'py> = (String, Bound<'py, PyAny>, Vec<String>);

/// Adds a game whose rules are instances of `class`, one for each cell, made from its parameters.
#[pyfunction]
pub fn add_game(
    name: &str,
    summary: String,
    seats: usize,
    parameters: Vec<Parameter<'_>>,
    measures: Vec<(String, String)>,
    class: Bound<'_, PyAny>,
) -> PyResult<()> {
    let name: &'static str = name.to_owned().leak();
    let has_levels = seats == 1 && class.hasattr("level")?;
    let specs = parameters.into_iter().map(spec);
    let mut specs = specs.collect::<PyResult<Vec<_>>>()?;
    specs.extend(has_levels.then_some(METHOD_PARAM));
    let measures: &'static [Measure] = if seats == 2 {
        two_player::MEASURES
    } else {
        let measure = |(name, help): (String, String)| Measure {
            name: name.leak(),
            kind: MeasureKind::Mean,
            unit: "",
            help: help.leak(),
        };
        measures.into_iter().map(measure).collect::<Vec<_>>().leak()
    };
    // An entry's address tells whose it is.
    let players: &'static [PlayerEntry] = vec![
        entry::<Random>(),
        entry::<MonteCarlo<ByRules<OwnGame>>>(),
        entry::<Mcts<OwnGame>>(),
    ]
    .leak();
    let rules = Rules {
        name,
        has_seats: seats == 2,
        has_deals: class.hasattr("deal")?,
        has_positions: class.hasattr("position")?,
        has_levels,
        measures,
        class: class.unbind(),
    };
    let entry = GameEntry {
        measures,
        seats,
        players,
        complete: if has_levels {
            splitting::complete
        } else {
            |_| Ok(())
        },
        ..GameEntry::new(name, summary.leak(), specs.leak())
    };
    catalog::add_game(entry).map_err(wrong_input)?;
    let mut known = RULES.write().unwrap_or_else(PoisonError::into_inner);
    let rules = Arc::new(rules);
    for player in players {
        known.insert(std::ptr::from_ref(player) as usize, Arc::clone(&rules));
    }
    Ok(())
}

/// The table entry of a parameter, whose kind is that of its default.
fn spec((name, default, words): Parameter<'_>) -> PyResult<ParamSpec> {
    let name: &'static str = name.leak();
    let spec = if let Ok(value) = default.extract::<bool>() {
        ParamSpec {
            kind: tilelab::params::Kind::Bool,
            default: tilelab::params::Default::Bool(value),
            ..ParamSpec::int(name, 0..=1, None)
        }
    } else if let Ok(value) = default.extract::<i64>() {
        ParamSpec::int(name, i64::MIN..=i64::MAX, Some(value))
    } else if let Ok(value) = default.extract::<f64>() {
        ParamSpec::float(name, f64::NEG_INFINITY..=f64::INFINITY, value)
    } else {
        let words: Vec<&'static str> = words.into_iter().map(|word| &*word.leak()).collect();
        let default: &'static str = default.extract::<String>()?.leak();
        ParamSpec::choice(name, words.leak(), default)
    };
    Ok(spec.main(""))
}

fn entry<P: NamedPlayer<OwnGame> + Player<OwnGame>>() -> PlayerEntry {
    PlayerEntry::built_by::<OwnGame, P>(build::<P>)
}

fn build<P: NamedPlayer<OwnGame> + Player<OwnGame>>(
    setup: &Setup<'_>,
) -> Result<Box<dyn Job>, ParamError> {
    let known = RULES.read().unwrap_or_else(PoisonError::into_inner);
    let entry = std::ptr::from_ref(setup.players[0].entry) as usize;
    let rules = Arc::clone(known.get(&entry).expect("every game was added"));
    drop(known);
    let made = Python::attach(|py| {
        let arguments = PyDict::new(py);
        for (name, value) in setup.params.iter() {
            match value {
                _ if rules.has_levels && name == METHOD => {}
                Value::Unset => {}
                Value::Bool(value) => arguments.set_item(name, value)?,
                Value::Int(value) => arguments.set_item(name, value)?,
                Value::Float(value) => arguments.set_item(name, value)?,
                Value::Text(value) => arguments.set_item(name, value)?,
            }
        }
        rules.class.call(py, (), Some(&arguments))
    });
    let own = made.map_err(|error| ParamError::new(rules.name, error.to_string()))?;
    let game = OwnGame {
        rules,
        own: Arc::new(own),
    };
    let players = setup.players.to_vec();
    if game.rules.has_seats {
        let seats = move || Seats::of(&players, true).expect("general players need no memory");
        return Ok(Box::new(LoopJob::new(game, seats, setup.seeds)));
    }
    let player = move || P::build(&players[0].params).expect("general players need no memory");
    let job = LoopJob::new(game, player, setup.seeds);
    if P::NAME == <Random as NamedPlayer<OwnGame>>::NAME && splitting::is_split(setup.params) {
        return Ok(Box::new(SplittingJob::new(job, None)));
    }
    splitting::refuse(setup.params, "games are split for random only")?;
    Ok(Box::new(job))
}

/// An instance of the rules.
#[derive(Clone)]
struct OwnGame {
    rules: Arc<Rules>,
    own: Arc<Py<PyAny>>,
}

/// A state of a game in Python, which is not changed.
#[derive(Clone)]
struct Position {
    state: Arc<Py<PyAny>>,
    moves: u64,
    /// The names of the legal moves, once they have been asked for.
    legal: OnceLock<Vec<String>>,
}

impl OwnGame {
    /// Calls Python; an exception ends the game, and its cell.
    fn with<T>(&self, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> T {
        Python::attach(|py| call(self.own.bind(py))).unwrap_or_else(|error| {
            let text = keep(self.rules.name, error);
            std::panic::resume_unwind(Box::new(format!("{}: {text}", self.rules.name)))
        })
    }

    /// A message about what a method returned.
    fn of(&self, method: &str, what: &str) -> String {
        format!("{}: {method}: {what}", self.rules.name)
    }

    fn names<'a>(&self, position: &'a Position) -> &'a [String] {
        position.legal.get_or_init(|| {
            self.with(|own| {
                let py = own.py();
                let legal = own.call_method1(intern!(py, "legal"), (&*position.state,))?;
                // The letters of a string are strings, too.
                let moves = (!legal.is_instance_of::<PyString>()).then(|| legal.try_iter());
                let Some(Ok(moves)) = moves else {
                    let needed = self.of("legal", "a list of strings");
                    return Err(refused(&legal, &needed, false));
                };
                let needed = || self.of("legal", "a string for each move");
                let names = moves.map(|name| taken(&name?, needed));
                let names: Vec<String> = names.collect::<PyResult<_>>()?;
                if names.is_empty() {
                    return Err(wrong_input(self.of(
                        "legal",
                        "no moves, but result is None; return moves or a result",
                    )));
                }
                Ok(names)
            })
        })
    }

    fn position(state: Py<PyAny>, moves: u64) -> Position {
        Position {
            state: Arc::new(state),
            moves,
            legal: OnceLock::new(),
        }
    }
}

/// A generator of Python's library, seeded from the game's stream.
fn random<'py>(py: Python<'py>, world: &mut Stream) -> PyResult<Bound<'py, PyAny>> {
    let class = py.import(intern!(py, "random"))?.getattr("Random")?;
    class.call1((world.next_u64(),))
}

impl Game for OwnGame {
    type State = Position;
    type Move = usize;

    fn measures(&self) -> &'static [Measure] {
        self.rules.measures
    }

    fn start(&self, world: &mut Stream) -> Position {
        self.with(|own| {
            let py = own.py();
            let state = own.call_method1(intern!(py, "start"), (random(py, world)?,))?;
            Ok(Self::position(state.unbind(), 0))
        })
    }

    fn deal(&self, position: &mut Position, world: &mut Stream) {
        if self.rules.has_deals {
            let state = self.with(|own| {
                let py = own.py();
                let random = random(py, world)?;
                let dealt = own.call_method1(intern!(py, "deal"), (&*position.state, random));
                Ok(dealt?.unbind())
            });
            *position = Self::position(state, position.moves);
        }
    }

    const LEVEL: Option<Level<Self>> = Some(|game, position| {
        game.with(|own| {
            let level = own.call_method1(intern!(own.py(), "level"), (&*position.state,));
            taken(&level?, || game.of("level", "a whole number from 0 up"))
        })
    });

    fn seat(&self, position: &Position) -> usize {
        if !self.rules.has_seats {
            return 0;
        }
        self.with(|own| {
            let seat = own.call_method1(intern!(own.py(), "seat"), (&*position.state,))?;
            let needed = || self.of("seat", "0 or 1");
            match taken(&seat, needed)? {
                number @ (0 | 1) => Ok(number),
                _ => Err(refused(&seat, &needed(), true)),
            }
        })
    }

    fn legal(&self, position: &Position, moves: &mut Vec<usize>) {
        moves.extend(0..self.names(position).len());
    }

    fn play(&self, position: &mut Position, chosen: usize) {
        let name = &self.names(position)[chosen];
        let state = self.with(|own| {
            let played = own.call_method1(intern!(own.py(), "play"), (&*position.state, name));
            Ok(played?.unbind())
        });
        *position = Self::position(state, position.moves + 1);
    }

    fn outcome(&self, position: &Position) -> Option<Outcome> {
        self.with(|own| {
            let found = own.call_method1(intern!(own.py(), "result"), (&*position.state,))?;
            if found.is_none() {
                return Ok(None);
            }
            let (name, measures) = match found.extract::<(String, BTreeMap<String, i64>)>() {
                Ok(both) => both,
                Err(_) => {
                    let what = "None, a string, or a pair of a string and a dict of whole numbers";
                    let name = taken(&found, || self.of("result", what))?;
                    (name, BTreeMap::new())
                }
            };
            let result = match name.as_str() {
                "won" => GameResult::Won,
                "lost" => GameResult::Lost,
                "drawn" if self.rules.has_seats => GameResult::Drawn,
                other => {
                    let drawn = if self.rules.has_seats { ", drawn" } else { "" };
                    let message = format!("{other:?}; accepted: None, won, lost{drawn}");
                    return Err(wrong_input(self.of("result", &message)));
                }
            };
            let mut outcome = Outcome::new(result, position.moves);
            for (name, value) in measures {
                let known = self.rules.measures;
                let place = known.iter().position(|measure| measure.name == name);
                let place = place.ok_or_else(|| {
                    let known: Vec<&str> = known.iter().map(|measure| measure.name).collect();
                    let known = known.join(", ");
                    let message = format!("{name}: unknown measure; accepted: {known}");
                    wrong_input(self.of("result", &message))
                })?;
                outcome.measures[place] = value;
            }
            Ok(Some(outcome))
        })
    }
}

impl Positions for OwnGame {
    /// What `position` of the class makes of the state, or the state itself; as a text where it is
    /// nothing that JSON has.
    fn position(&self, position: &Position) -> Json {
        self.with(|own| {
            let py = own.py();
            let mut state = position.state.bind(py).clone();
            if self.rules.has_positions {
                state = own.call_method1(intern!(py, "position"), (state,))?;
            }
            let arguments = PyDict::new(py);
            arguments.set_item("default", py.import("builtins")?.getattr("repr")?)?;
            let json = py.import(intern!(py, "json"))?;
            let text = json.call_method("dumps", (state,), Some(&arguments));
            let text = text.map_err(|error| {
                if !error.is_instance_of::<PyTypeError>(py) {
                    return error;
                }
                let message = "keys of dicts have to be strings or numbers, as in JSON";
                PyTypeError::new_err(self.of("position", message))
            })?;
            serde_json::from_str(&text.extract::<String>()?)
                .map_err(|_| wrong_input(self.of("position", "JSON has no NaN and no infinity")))
        })
    }

    fn parse(&self, _position: &Json) -> Result<Position, PositionError> {
        Err("games in Python cannot start on a given position; simulate plays whole games".into())
    }
}

impl Describe for OwnGame {
    fn move_name(&self, position: &Position, chosen: usize) -> String {
        self.names(position)[chosen].clone()
    }
}
