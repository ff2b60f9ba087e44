//! Learning evaluations: what `tilelab learn` does with the rules that an experiment names.
//!
//! Each set of rules is learned by one thread, in games numbered from 0, from the master seed and
//! the rules alone. What is learned does not depend on the other sets, on threads or on
//! interruptions. The state of each set is saved beside the output, and the files are written when
//! no set is left to learn:
//!
//! | file | what it holds |
//! | --- | --- |
//! | PATH | the weights ([`tilelab_lab::weights`]) |
//! | PATH.csv | the learning curve ([`tilelab_report::schema::LEARNING`]) |
//! | PATH.svg | its plot |
//! | .PATH.training/ | states, of which only further learning has need |

mod curve;
mod error;
pub mod saved;
mod training;

pub use curve::LearningPoint;
pub use error::Error;

use saved::Saved;
use std::borrow::Cow;
use std::collections::HashSet;
use std::io::{self, Read};
use std::path::{Path, PathBuf};
use std::sync::atomic::AtomicBool;
use std::time::Duration;
use tilelab_games::catalog::{self, LANES, METHOD, PlayerSpec};
use tilelab_games::game::learner::Learner;
use tilelab_games::game::registry::GameEntry;
use tilelab_games::params::Params;
use tilelab_games::rng::{hash_key, stream_seed};
use tilelab_lab::plan::{Cell, Plan, PlanEntry};
use tilelab_lab::results::Folder;
use tilelab_lab::runner::Progress;
use tilelab_lab::weights::{self, Learned, Section, Weights};
use tilelab_output::atomic;
use tilelab_output::checksum::checksum;
use tilelab_output::files::{self, File, Kind, Metadata};
use tilelab_report::plots::learning_plot;
use training::End;

/// Default number of games of a training.
pub const GAMES_DEFAULT: u64 = 100_000;

/// What names the weights that come with tilelab in place of a file to start from.
pub const BUILT_IN: &str = "built-in";

/// How an experiment's rules are to be learned.
#[derive(Clone, Debug)]
pub struct LearnOptions {
    /// Where the weights go.
    pub out: PathBuf,
    /// Games of each set's training.
    pub games: u64,
    /// About how long this run may take, all sets together.
    pub time: Option<Duration>,
    /// Threads; at least 1. A set has one.
    pub threads: usize,
    /// How often each state is saved; large ones are saved less often.
    pub save_every: Duration,
    /// Learn from the start, whatever was learned before.
    pub fresh: bool,
    /// A file of weights to start from, or [`BUILT_IN`].
    pub from: Option<PathBuf>,
    /// The command, for the file.
    pub command: String,
}

/// Follows a training.
pub trait LearnObserver: Sync {
    /// Called about ten times a second, with an entry for each set.
    fn progress(&self, progress: &Progress<'_>);
    /// Called at each point of a learning curve.
    fn point(&self, set: usize, point: &LearningPoint);
}

/// How a training ended.
#[derive(Clone, Debug, PartialEq)]
pub struct Finished {
    /// Whether the training was interrupted; the states are saved then, and no other file is
    /// written.
    pub interrupted: bool,
    /// Games learned, now and before.
    pub games: u64,
    /// Games learned now.
    pub games_now: u64,
    /// Sets that have all their games.
    pub complete: usize,
    /// Time of this run, in seconds.
    pub seconds: f64,
}

/// The plan of what an experiment's cells leave to be learned: a cell for each set of rules,
/// whatever plays it, with this number of games.
///
/// # Errors
/// Names the game that nothing can be learned for, or the parameter under which nothing can be.
pub fn sets(plan: &Plan, games: u64) -> Result<Plan, Error> {
    let mut known = HashSet::new();
    let mut cells = Vec::new();
    for cell in &plan.cells {
        let game = cell.game;
        let set = Cell {
            table: cell.table,
            games,
            ..Cell::of(game, rules(game, &cell.params), Vec::new())
        };
        if !known.insert(set.world_key()) {
            continue;
        }
        learner(&set, 0)?;
        cells.push(Cell {
            players: vec![PlayerSpec::new(&game.players[0]); game.seats],
            ..set
        });
    }
    Ok(Plan {
        entries: PlanEntry::of_each(&cells),
        cells,
        per_game: None,
        ..plan.clone()
    })
}

/// The learner of a set.
fn learner(set: &Cell, seed: u64) -> Result<Box<dyn Learner>, Error> {
    let make = set.game.learner.ok_or_else(|| Error::NoLearner {
        game: set.game.name,
        accepted: catalog::games()
            .filter(|game| game.learner.is_some())
            .map(|game| game.name)
            .collect(),
    })?;
    make(&set.params, seed).map_err(|error| Error::Rules {
        set: set.world_key(),
        error,
    })
}

/// The parameters without those that say how games are played and not by which rules.
fn rules(game: &GameEntry, params: &Params) -> Params {
    let mut rules = params.clone();
    for spec in game
        .params
        .iter()
        .filter(|spec| [LANES, METHOD].contains(&spec.name))
    {
        rules.set(
            spec.name,
            spec.default_value()
                .expect("lanes and method have defaults"),
        );
    }
    rules
}

/// The file beside the weights with this ending.
pub fn beside(out: &Path, ending: &str) -> PathBuf {
    let mut name = out.file_name().unwrap_or_default().to_owned();
    name.push(ending);
    out.with_file_name(name)
}

/// What a set starts from.
#[derive(Debug)]
enum Start {
    Section(Section),
    BuiltIn(Vec<u8>),
}

impl Start {
    fn weights(&self) -> Result<Cow<'_, [u8]>, Error> {
        Ok(match self {
            Self::Section(section) => section.payload()?.into(),
            Self::BuiltIn(weights) => weights.into(),
        })
    }
}

/// The ID of the weights at a path, and what each set starts from.
fn start(sets: &Plan, path: &Path) -> Result<(String, Vec<Start>), Error> {
    if path == Path::new(BUILT_IN) {
        return built_in(sets);
    }
    let weights = Weights::read(path)?;
    // The section for the same rules, or the only one of the same game.
    let section = |cell: &Cell| {
        let rules = Learned::rules_of(&cell.params);
        let of_game: Vec<_> = weights
            .sections
            .iter()
            .filter(|section| section.learned.game == cell.game.name)
            .collect();
        let same = of_game
            .iter()
            .find(|section| section.learned.rules == rules);
        match (same, &of_game[..]) {
            (Some(&section), _) | (None, &[section]) => Ok(Start::Section(section.clone())),
            _ => Err(Error::From {
                path: path.to_owned(),
                set: cell.world_key(),
                count: of_game.len(),
            }),
        }
    };
    let sections = sets.cells.iter().map(section).collect::<Result<_, _>>()?;
    Ok((weights.id, sections))
}

/// The ID of the weights that come with tilelab, and what each set starts from: those of the
/// nearest rules.
fn built_in(sets: &Plan) -> Result<(String, Vec<Start>), Error> {
    let all: Vec<_> = sets
        .cells
        .iter()
        .map(|cell| {
            learner(cell, 0)?
                .built_in()
                .ok_or(Error::NoBuiltIn(cell.game.name))
        })
        .collect::<Result<_, _>>()?;
    Ok((
        checksum(&all.concat()),
        all.into_iter().map(Start::BuiltIn).collect(),
    ))
}

/// A validated training: its folder is locked and its states have been read.
#[derive(Debug)]
pub struct Training<'a> {
    sets: &'a Plan,
    options: &'a LearnOptions,
    folder: Folder,
    before: Vec<Option<Saved>>,
    /// The ID of the weights to start from, and those of each set.
    from: Option<(String, Vec<Start>)>,
    _lock: File,
}

impl<'a> Training<'a> {
    /// Checks that a training can begin or go on; `sets` is from [`sets()`].
    ///
    /// # Errors
    /// When a file cannot be written, another process is learning, or what was learned before is
    /// damaged or of another training.
    pub fn prepare(sets: &'a Plan, options: &'a LearnOptions) -> Result<Self, Error> {
        let out = &options.out;
        let from = options
            .from
            .as_deref()
            .map(|from| start(sets, from))
            .transpose()?;
        let is_special = |found: Metadata| found.kind == Kind::Other;
        if atomic::is_stdout(out) || files::metadata(out).is_ok_and(is_special) {
            return Err(Error::Special(out.clone()));
        }
        for ending in ["", ".csv", ".svg"] {
            let path = beside(out, ending);
            atomic::check_writable(&path).map_err(|error| Error::Unwritable { path, error })?;
        }
        if out.exists()
            && Weights::read(out).is_err_and(|error| error.reason == weights::Reason::Foreign)
        {
            return Err(Error::Occupied(out.clone()));
        }
        // Curve and plot of other weights, or files that are neither.
        let curve = beside(out, ".csv");
        let is_ours = curve::is_curve(&curve);
        for path in [curve, beside(out, ".svg")] {
            if path.is_file() && !is_ours && !atomic::is_special(&path) {
                return Err(Error::Beside(path));
            }
        }
        let mut name = std::ffi::OsString::from(".");
        name.push(beside(out, ".training").file_name().unwrap_or_default());
        let folder = Folder(out.with_file_name(name));
        let lock = folder.hold()?;
        let mut training = Self {
            sets,
            options,
            folder,
            before: Vec::new(),
            from,
            _lock: lock,
        };
        training.before = training.states()?;
        Ok(training)
    }

    /// The states of earlier runs, one for each set; they must be of this training.
    fn states(&self) -> Result<Vec<Option<Saved>>, Error> {
        if self.options.fresh {
            return Ok(self.sets.cells.iter().map(|_| None).collect());
        }
        let state = |cell: &Cell| {
            let path = self.state(cell);
            let Some(saved) = Saved::load(&path)? else {
                return Ok(None);
            };
            let is_other =
                saved.game != cell.game.name || saved.rules != Learned::rules_of(&cell.params);
            let difference = if is_other {
                format!("it is about other rules than {}", cell.world_key())
            } else if saved.seed != self.sets.seed {
                format!("seed: {} there, {} here", saved.seed, self.sets.seed)
            } else if saved.from != self.start_id() {
                let [there, here] = [saved.from, self.start_id()]
                    .map(|from| from.unwrap_or_else(|| "nothing".to_owned()));
                format!("--from: {there} there, {here} here")
            } else if saved.games > self.options.games {
                return Err(Error::Fewer {
                    set: cell.world_key(),
                    games: saved.games,
                    wanted: self.options.games,
                });
            } else {
                return Ok(Some(saved));
            };
            Err(Error::OtherTraining { path, difference })
        };
        let states: Vec<_> = self
            .sets
            .cells
            .iter()
            .map(state)
            .collect::<Result<_, _>>()?;
        if states.iter().all(Option::is_none) && self.options.out.exists() {
            return Err(Error::Lost(self.options.out.clone()));
        }
        Ok(states)
    }

    fn start_id(&self) -> Option<String> {
        self.from.as_ref().map(|(id, _)| format!("#{id}"))
    }

    fn state(&self, cell: &Cell) -> PathBuf {
        self.folder.0.join(format!(
            "{}-{:016x}.state",
            cell.game.name,
            hash_key(&cell.world_key())
        ))
    }

    /// Where the weights of a set wait until all are learned.
    fn payload(&self, cell: &Cell) -> PathBuf {
        self.state(cell).with_extension("weights")
    }

    /// What the learner of a set is seeded with: the master seed and the rules.
    fn seed(&self, cell: &Cell) -> u64 {
        stream_seed(self.sets.seed, &format!("learn/{}", cell.world_key()))
    }

    /// Games learned by earlier runs.
    pub fn games_before(&self) -> u64 {
        self.before.iter().flatten().map(|saved| saved.games).sum()
    }

    /// Learns until all sets have their games, the time is over, or `interrupted` is set, and
    /// writes the files.
    ///
    /// # Errors
    /// When a file cannot be written, or a learner fails.
    pub fn run(
        mut self,
        interrupted: &AtomicBool,
        observer: &dyn LearnObserver,
    ) -> Result<Finished, Error> {
        if self.options.fresh {
            for cell in &self.sets.cells {
                let state = self.state(cell);
                for path in [saved::previous(&state), state] {
                    atomic::remove(&path).map_err(|error| Error::Write { path, error })?;
                }
            }
        }
        let games_before = self.games_before();
        let before = std::mem::take(&mut self.before);
        let (ends, elapsed) = training::run(&self, before, interrupted, observer)?;
        let games = ends.iter().map(|end| end.saved.games).sum();
        let finished = Finished {
            interrupted: ends.len() < self.sets.cells.len()
                || ends.iter().any(|end| end.learned.is_none()),
            games,
            games_now: games.saturating_sub(games_before),
            complete: ends
                .iter()
                .filter(|end| end.saved.games == self.options.games)
                .count(),
            seconds: elapsed.as_secs_f64(),
        };
        if !finished.interrupted {
            self.write(&ends)?;
        }
        Ok(finished)
    }

    /// Writes curve, plot and weights, each in the folder of the states first and then moved to its
    /// place.
    fn write(&self, ends: &[End]) -> Result<(), Error> {
        let out = &self.options.out;
        let curve = curve::csv(self.sets, ends.iter().map(|end| &end.saved.points[..]));
        let plot = learning_plot(&curve).map_err(|reason| Error::Failed {
            set: self.sets.name.clone(),
            reason,
        })?;
        self.publish(&beside(out, ".csv"), |file| file.write_all(&curve))?;
        self.publish(&beside(out, ".svg"), |file| {
            file.write_all(plot.svg.as_bytes())
        })?;
        let learned: Vec<Learned> = ends.iter().filter_map(|end| end.learned.clone()).collect();
        let open = |set: usize| -> io::Result<Box<dyn Read>> {
            Ok(Box::new(File::open(self.payload(&self.sets.cells[set]))?))
        };
        let LearnOptions { command, .. } = self.options;
        self.publish(out, |file| {
            weights::write(file, command, self.sets.seed, &learned, open)
        })?;
        for cell in &self.sets.cells {
            let path = self.payload(cell);
            atomic::remove(&path).map_err(|error| Error::Write { path, error })?;
        }
        Ok(())
    }

    fn publish(
        &self,
        path: &Path,
        write: impl FnOnce(&mut (dyn io::Write + Send)) -> io::Result<()>,
    ) -> Result<(), Error> {
        let made = self.folder.0.join("made");
        let published = atomic::write_with(&made, write, || Ok(())).and_then(|()| {
            // The user has named the weights, and nothing beside them.
            if path == self.options.out && atomic::is_special(path) {
                io::copy(&mut File::open(&made)?, &mut File::create(path)?)?;
                return atomic::remove(&made);
            }
            atomic::rename(&made, path)
        });
        published.map_err(|error| Error::Write {
            path: path.to_owned(),
            error,
        })
    }
}
