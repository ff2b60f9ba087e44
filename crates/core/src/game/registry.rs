//! How a game or a player is registered: one implementation in its own file, one line in a list.
//!
//! A game implements [`PlayableGame`] and gets one line, [`GameEntry::of`], in the catalog of
//! `tilelab-games`. A player implements [`NamedPlayer`] and gets one line, [`PlayerEntry::of`], in
//! its folder's list. The entries are plain data with functions monomorphized for this game and
//! player, so the loop over a batch has no dynamic calls.

use super::learner::MakeLearner;
use super::splitting::{self, SplittingJob};
use super::stepping::Table;
use super::{
    Describe, Game, Job, KernelChoice, KernelEntry, LoopJob, Measure, Outcome, Player,
    PositionError, Sampling,
};
use crate::json::Json;
use crate::params::{ParamError, ParamSpec, Params, SettingError, Value};
use crate::players::random::RandomJob;
use crate::players::weights::{WEIGHTS, parts};
use crate::rng::CellSeeds;
use std::any::Any;

/// The parameter of players that limits the time of a choice, in milliseconds. Experiments reject
/// it.
pub const BUDGET: &str = "budget_ms";

/// Whether games are played by batch kernels, stepped together and learned from. Otherwise they are
/// played one by one.
pub(crate) const BATCHES: bool = cfg!(feature = "kernels");

/// A player with its parameters, as chosen for a cell.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// Which player.
    pub entry: &'static PlayerEntry,
    /// The parameters of the player.
    pub params: Params,
}

/// Two are equal if they are the same player of the catalog with the same parameters.
impl PartialEq for PlayerSpec {
    fn eq(&self, other: &Self) -> bool {
        std::ptr::eq(self.entry, other.entry) && self.params == other.params
    }
}

impl PlayerSpec {
    /// The player with its defaults.
    pub fn new(entry: &'static PlayerEntry) -> Self {
        Self {
            entry,
            params: Params::defaults(entry.params),
        }
    }

    /// `name`, or `name(key=value,…)` with the parameters that [`Params::key`] shows, and blanks as
    /// they are: for people.
    pub fn label(&self) -> String {
        self.named().replace("%20", " ")
    }

    fn named(&self) -> String {
        let key = self.params.key(self.entry.params);
        if key.is_empty() {
            self.entry.name.to_owned()
        } else {
            format!("{}({key})", self.entry.name)
        }
    }

    /// The player as keys of cells name it: [`PlayerSpec::label`] with blanks as `%20`, and with
    /// the ID of weights in place of `PATH#ID`. The keys and the streams of cells do not depend on
    /// where a file lies.
    pub fn key(&self) -> String {
        let mut named = self.clone();
        if let Some(Value::Text(text)) = self.params.find(WEIGHTS)
            && let (_, Some(id)) = parts(text)
        {
            named.params.set(WEIGHTS, Value::Text(format!("#{id}")));
        }
        named.named()
    }
}

/// The job of a cell, or which of its parameters is not supported.
pub type BuiltJob = Result<Box<dyn Job>, ParamError>;

/// Builds the job of a cell from its game and players.
pub type BuildJob = fn(&Setup<'_>) -> BuiltJob;

/// Makes a player of the game `G`; the result holds a `Box<dyn Player<G>>`.
pub type MakeSeat = fn(&Params) -> Result<Box<dyn Any>, ParamError>;

/// A player of one game.
#[derive(Clone, Copy, Debug)]
pub struct PlayerEntry {
    /// The name in experiment files and on the command line.
    pub name: &'static str,
    /// What the player does, in one line.
    pub summary: &'static str,
    /// The parameters of the player.
    pub params: &'static [ParamSpec],
    /// Whether the player's choices use the player stream ([`NamedPlayer::CHANCE`]).
    pub chance: bool,
    /// Whether the player counts visited positions and so reports the measures of nodes
    /// ([`NamedPlayer::SEARCHES`]).
    pub searches: bool,
    /// Builds the job of a cell in which this player moves first.
    pub build: BuildJob,
    /// Makes the player; `None` for players outside the program.
    pub seat: Option<MakeSeat>,
}

impl PlayerEntry {
    /// This player with other parameters, for a game that needs other defaults.
    #[must_use]
    pub const fn with_params(mut self, params: &'static [ParamSpec]) -> Self {
        self.params = params;
        self
    }
}

/// Everything that a cell's job is built from.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The game's parameters, completed.
    pub params: &'a Params,
    /// The players, seat 0 first; one-player games have one.
    pub players: &'a [PlayerSpec],
    /// The seeds of the random streams.
    pub seeds: CellSeeds,
    /// The requested engine.
    pub kernel: KernelChoice,
}

/// Makes the table whose slots step games of a cell together; the second argument is the number of
/// slots.
pub type MakeTable = fn(&Setup<'_>, usize) -> Result<Box<dyn Table>, ParamError>;

/// Answers one request of `tilelab move` about a game with these parameters and players.
pub type Answer = fn(&Params, &Json, &'static [PlayerEntry]) -> Result<Json, String>;

/// Reads a position of a game with these parameters and writes it in canonical form.
pub type ReadBack = fn(&Params, &Json) -> Result<Json, PositionError>;

/// Lists the states of a game with these parameters.
pub type ListStates = fn(&Params) -> Box<dyn States>;

/// The states of a game, numbered from 0 as they are found, each once.
pub trait States {
    /// The states in which games begin, with probabilities above 0; `None` if the game does not
    /// list them ([`Game::starts`]), or with weights that are no numbers from 0 up or sum to 0.
    fn starts(&mut self) -> Option<Vec<(u32, f64)>>;

    /// The states after the next deal ([`Game::chances`]), in the same way; `None` also where a
    /// trial of [`Game::deal`] makes another state.
    fn dealt(&mut self, state: u32) -> Option<Vec<(u32, f64)>>;

    /// The states after each legal move of a game that is not over, in the order of the moves.
    fn moved(&mut self, state: u32) -> Vec<u32>;

    /// The seat to move, and the outcome of a finished game.
    fn status(&self, state: u32) -> (usize, Option<Outcome>);

    /// How many states were found.
    fn known(&self) -> usize;
}

/// A game: its properties, with defaults in [`GameEntry::new`].
#[derive(Clone, Copy, Debug)]
pub struct GameEntry {
    /// The name in experiment files and on the command line.
    pub name: &'static str,
    /// Other accepted names; results use [`GameEntry::name`].
    pub aliases: &'static [&'static str],
    /// What the game is, in one line.
    pub summary: &'static str,
    /// The parameters of the game.
    pub params: &'static [ParamSpec],
    /// The numbers that the game reports in addition to result and moves.
    pub measures: &'static [Measure],
    /// The number of players: 1 or 2. With two, the key `opponent` names the second.
    pub seats: usize,
    /// The players of the game; the first is the default.
    pub players: &'static [PlayerEntry],
    /// Fills in values implied by other parameters and checks that all are consistent; an error
    /// names the parameter contradicting the others.
    pub complete: fn(&mut Params) -> Result<(), ParamError>,
    /// Whether these rules use the world stream.
    pub chance: fn(&Params) -> bool,
    /// If only the start is random and there are few starts: the parameters under which the games
    /// play all starts in order, and the number of starts.
    pub all_starts: fn(&Params) -> Option<(Params, u64)>,
    /// How games with these parameters are sampled.
    pub sampling: fn(&Params) -> Sampling,
    /// How many moves more than made the published figures count in a lost game; `None` if that
    /// differs from game to game.
    pub published_lost_extra: fn(&Params) -> Option<u64>,
    /// The batch kernels that can play it in addition to the generic loop, slowest first.
    pub kernels: &'static [KernelEntry],
    /// How many games make a batch of the generic loop: all games of two players, and those of the
    /// random player.
    pub batch_games: u64,
    /// The default settings of `tilelab bench`, as for its `--set`.
    pub bench: &'static [&'static str],
    /// Answers one request of `tilelab move`; the players are those of this entry. An error is one
    /// line. By default requests are those of [`answers::answer`](super::answers::answer).
    pub answer: Option<Answer>,
    /// Reads a position and writes it in canonical form; an error is one line.
    pub read_back: ReadBack,
    /// Makes the table that steps games of these rules together
    /// ([`Stepper`](super::stepping::Stepper)); `None` if the game is not stepped. An error names
    /// rules that cannot be stepped, or a kernel requested by name that does not support them.
    pub make_table: Option<MakeTable>,
    /// Lists the states of the game, for exact figures; `None` if they are not known.
    pub states: Option<ListStates>,
    /// Makes the learner for `tilelab learn`; `None` if the game has none.
    pub learner: Option<MakeLearner>,
}

impl GameEntry {
    /// The parameter with this name.
    pub fn param(&self, name: &str) -> Option<&'static ParamSpec> {
        self.params.iter().find(|spec| spec.name == name)
    }

    /// The names of the game's parameters.
    pub fn param_names(&self) -> impl Iterator<Item = &'static str> + use<> {
        self.params.iter().map(|spec| spec.name)
    }

    /// A one-player game with this name, one-line summary and parameters. It has no players, no
    /// kernels, and whatever else it has not said.
    pub const fn new(
        name: &'static str,
        summary: &'static str,
        params: &'static [ParamSpec],
    ) -> Self {
        Self {
            name,
            aliases: &[],
            summary,
            params,
            measures: &[],
            seats: 1,
            players: &[],
            complete: |_| Ok(()),
            chance: |_| true,
            all_starts: |_| None,
            sampling: splitting::sampling,
            published_lost_extra: |_| Some(0),
            kernels: &[],
            batch_games: 256,
            bench: &[],
            answer: None,
            read_back: |_, _| Err("this game reads no positions".into()),
            make_table: None,
            states: None,
            learner: None,
        }
    }

    /// This game with a learner for its evaluation.
    #[must_use]
    pub const fn learned_by(mut self, learner: MakeLearner) -> Self {
        if BATCHES {
            self.learner = Some(learner);
        }
        self
    }

    /// Every accepted name of this game, its own first.
    pub fn names(&self) -> impl Iterator<Item = &'static str> + use<> {
        std::iter::once(self.name).chain(self.aliases.iter().copied())
    }

    /// Whether this is one of the accepted names.
    pub fn has_name(&self, name: &str) -> bool {
        self.names().any(|known| known == name)
    }

    /// The player of this game with this name.
    pub fn player(&self, name: &str) -> Option<&'static PlayerEntry> {
        self.players.iter().find(|player| player.name == name)
    }

    /// The job of the game's first player with these `key=value` settings. It plays the same games
    /// as the program's cell with these settings and this master seed.
    ///
    /// # Errors
    /// Returns an error that names the invalid setting and the accepted values.
    pub fn job<S: AsRef<str>>(
        &'static self,
        settings: impl IntoIterator<Item = S>,
        seed: u64,
    ) -> BuiltJob {
        let wrong = |error: SettingError| ParamError::new(self.name, error.to_string());
        let mut params = Params::from_settings(self.params, settings).map_err(wrong)?;
        params.require(self.params).map_err(wrong)?;
        (self.complete)(&mut params)?;
        let players = vec![PlayerSpec::new(&self.players[0]); self.seats];
        let world = format!("{}/{}", self.name, params.key(self.params));
        let keys: Vec<String> = players.iter().map(PlayerSpec::key).collect();
        let player = format!("{world}/{}", keys.join("/"));
        self.build(&Setup {
            params: &params,
            players: &players,
            seeds: CellSeeds::new(seed, &world, &player),
            kernel: KernelChoice::Auto,
        })
    }

    /// The table that steps games of a cell together, with this number of slots.
    ///
    /// # Errors
    /// Returns an error if the game or these rules cannot be stepped, or a kernel was requested by
    /// name that does not support them.
    pub fn table(&self, setup: &Setup<'_>, slots: usize) -> Result<Box<dyn Table>, ParamError> {
        splitting::refuse(
            setup.params,
            "a replication is many games, which are not stepped",
        )?;
        let name = self.name;
        let message = match self.make_table {
            Some(make) if BATCHES => return make(setup, slots),
            Some(_) => format!("{name} is not stepped by a build without the feature kernels"),
            None => format!("{name} is not stepped"),
        };
        Err(ParamError::new("game", message))
    }

    /// Builds the job of a cell of this game.
    ///
    /// # Errors
    /// Returns an error that names the parameter the player or the kernel does not support.
    ///
    /// # Panics
    /// Panics if the setup has no player.
    pub fn build(&self, setup: &Setup<'_>) -> BuiltJob {
        (setup.players[0].entry.build)(setup)
    }
}

/// A game that the catalog can name.
#[diagnostic::on_unimplemented(
    message = "`{Self}` has no name and parameters",
    note = "implement `PlayableGame` for it, with `ENTRY` and `build`"
)]
pub trait PlayableGame: Describe {
    /// The properties of the game; [`GameEntry::of`] adds the players and what the type says.
    const ENTRY: GameEntry;

    /// The game with these parameters, after [`GameEntry::complete`].
    fn build(params: &Params) -> Self;

    /// Rejects players under settings that only the random player supports.
    ///
    /// # Errors
    /// Returns an error that names the parameter and why the player does not support it.
    fn check_player(_params: &Params, _player: &str) -> Result<(), ParamError> {
        Ok(())
    }

    /// The job of the random player. `reference` plays its games with the generic loop; a game with
    /// batch kernels returns a job that plays the same games faster.
    ///
    /// # Errors
    /// Returns an error if a kernel was requested by name that does not support the rules or the
    /// machine.
    fn random_job(reference: RandomJob<Self>, _setup: &Setup<'_>) -> BuiltJob {
        Ok(Box::new(reference))
    }

    /// The job of replications in which the random player's games are split, of a game with
    /// [`Game::LEVEL`].
    ///
    /// # Errors
    /// As [`PlayableGame::random_job`].
    fn split_job(reference: RandomJob<Self>, setup: &Setup<'_>) -> BuiltJob {
        refuse_kernels(setup, "its splitting")?;
        Ok(Box::new(SplittingJob::new(reference, None)))
    }
}

/// Rejects kernels requested by name, where the loop alone plays.
fn refuse_kernels(setup: &Setup<'_>, player: &str) -> Result<(), ParamError> {
    let why = format!("plays the random player only; {player} accepts: auto, reference");
    setup.kernel.accept_reference(&why)
}

/// A player of the game `G` that the catalog can name.
pub trait NamedPlayer<G: Game>: Sized + Send + 'static {
    /// The name in experiment files and on the command line.
    const NAME: &'static str;
    /// What the player does, in one line.
    const SUMMARY: &'static str;
    /// The parameters of the player.
    const PARAMS: &'static [ParamSpec] = &[];
    /// The number of games in a batch: 1 if games take long.
    const BATCH_GAMES: u64 = 1;
    /// Whether the player's choices use the player stream.
    const CHANCE: bool = true;
    /// Whether the player counts visited positions and so reports the measures of nodes.
    const SEARCHES: bool = false;

    /// The player with these parameters, which [`NamedPlayer::PARAMS`] accepts.
    ///
    /// # Errors
    /// Returns an error that names a parameter this machine cannot support, such as a table larger
    /// than its memory.
    fn build(params: &Params) -> Result<Self, ParamError>;

    /// Checks whether the player supports this game.
    ///
    /// # Errors
    /// Returns an error that names the unsupported parameter of the game and the supported values.
    fn check(_game: &G) -> Result<(), ParamError> {
        Ok(())
    }

    /// Checks whether the built player supports this one-player game, such as whether its file of
    /// weights covers these rules.
    ///
    /// # Errors
    /// Returns an error that names the parameter, the problem and the accepted values.
    fn fits(&self, _game: &G) -> Result<(), ParamError> {
        Ok(())
    }

    /// The job in which this player plays a one-player game with the generic loop.
    ///
    /// # Errors
    /// Returns an error that names the parameter the player or the kernel does not support.
    fn job(game: G, setup: &Setup<'_>) -> BuiltJob
    where
        Self: Player<G>,
        G: PlayableGame,
    {
        Self::check(&game)?;
        G::check_player(setup.params, Self::NAME)?;
        let why = format!("games are split for random only, not for {}", Self::NAME);
        splitting::refuse(setup.params, &why)?;
        refuse_kernels(setup, Self::NAME)?;
        let params = setup.players[0].params.clone();
        Self::build(&params)?.fits(&game)?;
        let player = move || Self::build(&params).unwrap_or_else(|error| panic!("{error}"));
        Ok(Box::new(LoopJob {
            batch_games: Self::BATCH_GAMES,
            ..LoopJob::new(game, player, setup.seeds)
        }))
    }
}

/// Rejects players whose choices depend on elapsed time.
///
/// # Errors
/// Returns an error that names the parameter and its alternatives.
pub fn refuse_clocks(players: &[PlayerSpec]) -> Result<(), ParamError> {
    for (player, seat) in players.iter().zip(["player", "opponent"]) {
        if matches!(player.params.find(BUDGET), Some(Value::Int(_))) {
            let message = "a time budget makes games differ from run to run; leave it out and set the other \
                           parameters of the player (budgets are for matches, play and watch)";
            return Err(ParamError::new(&format!("{seat}.{BUDGET}"), message));
        }
    }
    Ok(())
}
