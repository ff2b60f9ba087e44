//! The catalog: the only file that names all games and players.
//!
//! A game is one [`GameEntry`]: its name, tables of parameters and measures, the players that can play it, and a function that
//! builds the [`Job`] of a cell. A player is one [`PlayerEntry`]. Nothing outside this file matches on their names.

use crate::game::{Describe, Job, KernelChoice, KernelEntry, LoopJob, Measure, Player};
use crate::games::{calculator, sixty_seven, twenty_forty_eight};
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::{corner, expectimax_2048, random, seed_lookahead};
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

static CORNER: PlayerEntry = PlayerEntry { name: corner::NAME, summary: corner::SUMMARY, params: corner::PARAMS };
static SEED_LOOKAHEAD: PlayerEntry =
    PlayerEntry { name: seed_lookahead::NAME, summary: seed_lookahead::SUMMARY, params: seed_lookahead::PARAMS };
static EXPECTIMAX_2048: PlayerEntry =
    PlayerEntry { name: expectimax_2048::NAME, summary: expectimax_2048::SUMMARY, params: expectimax_2048::PARAMS };

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
    GameEntry {
        name: twenty_forty_eight::NAME,
        summary: twenty_forty_eight::SUMMARY,
        params: twenty_forty_eight::PARAMS,
        measures: twenty_forty_eight::MEASURES,
        seats: 1,
        players: &[&RANDOM, &CORNER, &SEED_LOOKAHEAD, &EXPECTIMAX_2048],
        complete: twenty_forty_eight::complete,
        build: build_twenty_forty_eight,
        kernels: twenty_forty_eight::kernels::KERNELS,
        bench: &["size=4x4"],
        answer: |_, request| twenty_forty_eight::reference::answer(request),
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

fn build_twenty_forty_eight(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    let game = twenty_forty_eight::TwentyFortyEight::from_params(setup.params);
    match setup.players[0].entry.name {
        random::NAME => {
            let (player, batch_games) = (|| random::Random, 256);
            let reference = LoopJob { game, player, seeds: setup.seeds, batch_games, kernel: "reference" };
            Ok(match twenty_forty_eight::kernels::LockstepJob::new(reference, setup.kernel)? {
                Ok(job) => Box::new(job),
                Err(reference) => Box::new(reference),
            })
        }
        corner::NAME => thinking_job(setup, game, corner::Corner::from_params, 64),
        seed_lookahead::NAME => thinking_job(setup, game, seed_lookahead::SeedLookahead::from_params, 1),
        expectimax_2048::NAME => thinking_job(setup, game, expectimax_2048::Expectimax::from_params, 1),
        name => unreachable!("{name} is not in the list of players"),
    }
}

/// The job of a player that thinks: it plays through the generic loop, so no other kernel fits.
fn thinking_job<G, P>(
    setup: &Setup<'_>,
    game: G,
    player: fn(&Params) -> P,
    batch_games: u64,
) -> Result<Box<dyn Job>, ParamError>
where
    G: Describe + 'static,
    P: Player<G> + 'static,
{
    if !matches!(setup.kernel, KernelChoice::Auto | KernelChoice::Reference) {
        let (kernel, player) = (setup.kernel.name(), setup.players[0].entry.name);
        let message = format!("{kernel} plays the random player only; {player} accepts: auto, reference");
        return Err(ParamError::new("kernel", message));
    }
    let params = setup.players[0].params.clone();
    Ok(reference_job(setup, game, move || player(&params), batch_games))
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
