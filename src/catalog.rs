//! The catalog: the only file that names all games and players.
//!
//! A game is one [`GameEntry`]: its name, tables of parameters and measures, the players that can play it, and a function that
//! builds the [`Job`] of a cell. A player is one [`PlayerEntry`]. Nothing outside this file matches on their names.

use crate::game::{Describe, Job, KernelChoice, KernelEntry, LoopJob, Measure, Player};
use crate::games::{calculator, sixty_seven};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::random;
use crate::rng::CellSeeds;

/// A player with its parameters, as chosen for a cell.
#[derive(Clone, Debug)]
pub struct PlayerSpec {
    /// Which player.
    pub entry: &'static PlayerEntry,
    /// Its parameters.
    pub params: Params,
}

impl PlayerSpec {
    /// The player with its defaults.
    #[must_use]
    pub fn new(entry: &'static PlayerEntry) -> Self {
        Self { entry, params: Params::defaults(entry.params) }
    }

    /// `name`, or `name(key=value,…)` with the parameters that [`Params::key`] shows.
    #[must_use]
    pub fn label(&self) -> String {
        let key = self.params.key(self.entry.params);
        if key.is_empty() { self.entry.name.to_owned() } else { format!("{}({key})", self.entry.name) }
    }
}

/// A kind of player.
#[derive(Debug)]
pub struct PlayerEntry {
    /// The name in experiment files and on the command line.
    pub name: &'static str,
    /// What it does, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [ParamSpec],
}

/// Everything that a cell's job is built from.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The game's parameters, completed.
    pub params: &'a Params,
    /// The players, seat 0 first; one-player games have one.
    pub players: &'a [PlayerSpec],
    /// Where the random streams come from.
    pub seeds: CellSeeds,
    /// Which engine is asked for.
    pub kernel: KernelChoice,
}

/// A game.
#[derive(Debug)]
pub struct GameEntry {
    /// The name in experiment files and on the command line.
    pub name: &'static str,
    /// What it is, in one line.
    pub summary: &'static str,
    /// Its parameters.
    pub params: &'static [ParamSpec],
    /// What it reports besides result and moves.
    pub measures: &'static [Measure],
    /// How many players sit at it: 1 or 2. With two, the key `opponent` names the second.
    pub seats: usize,
    /// Who can play it; the first is the default.
    pub players: &'static [&'static PlayerEntry],
    /// Fills in what parameters imply and checks them against each other.
    pub complete: fn(&mut Params) -> Result<(), ParamError>,
    /// Builds the job of a cell.
    pub build: fn(&Setup<'_>) -> Result<Box<dyn Job>, ParamError>,
    /// The batch kernels that can play it beside the generic loop, slowest first.
    pub kernels: &'static [KernelEntry],
    /// What `tilelab bench` measures when nothing is said: settings as for its `--set`.
    pub bench: &'static [&'static str],
    /// Answers one line of `tilelab move`.
    pub answer: fn(&Params, &serde_json::Value) -> Result<serde_json::Value, String>,
}

impl GameEntry {
    /// The player of this game with this name.
    #[must_use]
    pub fn player(&self, name: &str) -> Option<&'static PlayerEntry> {
        self.players.iter().copied().find(|player| player.name == name)
    }
}

/// The game with this name.
#[must_use]
pub fn game(name: &str) -> Option<&'static GameEntry> {
    GAMES.iter().find(|game| game.name == name)
}

static RANDOM: PlayerEntry = PlayerEntry { name: random::NAME, summary: random::SUMMARY, params: random::PARAMS };

/// All games.
pub static GAMES: &[GameEntry] = &[
    GameEntry {
        name: sixty_seven::NAME,
        summary: sixty_seven::SUMMARY,
        params: sixty_seven::PARAMS,
        measures: &[],
        seats: 1,
        players: &[&RANDOM],
        complete: sixty_seven::complete,
        build: build_sixty_seven,
        kernels: sixty_seven::kernels::KERNELS,
        bench: &["rules=original,gapless,merge-pairs,merge-runs", "size=5x5,6x7,8x8,10x10,16x16"],
        answer: |params, request| {
            sixty_seven::reference::answer(&sixty_seven::SixtySeven::from_params(params), request)
        },
    },
    GameEntry {
        name: calculator::NAME,
        summary: calculator::SUMMARY,
        params: calculator::PARAMS,
        measures: &[],
        seats: 1,
        players: &[&RANDOM],
        complete: calculator::complete,
        build: |setup| {
            Ok(reference_job(setup, calculator::Calculator::from_params(setup.params), || random::Random, 4096))
        },
        kernels: &[],
        bench: &[],
        answer: |_, request| calculator::answer(request),
    },
];

fn build_sixty_seven(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    let game = sixty_seven::SixtySeven::from_params(setup.params);
    match setup.players[0].entry.name {
        random::NAME => Ok(match sixty_seven::job::kernel(setup.kernel, &game)? {
            Some(kernel) => {
                let (player, batch_games) = (|| random::Random, 256);
                let reference = LoopJob { game, player, seeds: setup.seeds, batch_games, kernel: "reference" };
                Box::new(sixty_seven::job::KernelJob { kernel, reference })
            }
            None => reference_job(setup, game, || random::Random, 256),
        }),
        name => unreachable!("{name} is not in the list of players"),
    }
}

/// The job that plays a game through the generic loop over its plain rules.
fn reference_job<G, P, F>(setup: &Setup<'_>, game: G, player: F, batch_games: u64) -> Box<dyn Job>
where
    G: Describe + 'static,
    P: Player<G> + 'static,
    F: Fn() -> P + Send + Sync + 'static,
{
    Box::new(LoopJob { game, player, seeds: setup.seeds, batch_games, kernel: KernelChoice::Reference.name() })
}
