//! The catalog: the only file that names all games and players.
//!
//! A game is one [`GameEntry`]: its name, tables of parameters and measures, the players that can play it, and a function that
//! builds the [`Job`] of a cell. A player is one [`PlayerEntry`]. Nothing outside this file matches on their names.

use crate::game::{Describe, Job, KernelChoice, KernelEntry, LoopJob, Measure, Player};
use crate::games::two_player::{self, TwoPlayer};
use crate::games::{calculator, offset, sixty_seven, twenty_forty_eight, zero_sum};
use crate::params::{ParamError, ParamSpec, Params, Value};
use crate::players::seats::{self, AnyPlayer, Seats, SeatsJob};
use crate::players::sixty_seven as of_67;
use crate::players::{
    alpha_beta, corner, exact, expectimax_2048, greedy, minimax, mobility, monte_carlo, random, seed_lookahead,
};
use crate::rng::CellSeeds;

/// The parameter of games that can share trajectories: how many do ([`sixty_seven::lanes`]).
pub const LANES: &str = sixty_seven::lanes::NAME;

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
static GREEDY: PlayerEntry = PlayerEntry { name: greedy::NAME, summary: greedy::SUMMARY, params: greedy::PARAMS };
static MOBILITY: PlayerEntry =
    PlayerEntry { name: mobility::NAME, summary: mobility::SUMMARY, params: mobility::PARAMS };
static EXACT: PlayerEntry = PlayerEntry { name: exact::NAME, summary: exact::SUMMARY, params: exact::PARAMS };
static OFFSET_MINIMAX: PlayerEntry =
    PlayerEntry { name: minimax::NAME, summary: minimax::SUMMARY, params: &minimax::params(2, 16) };
static OFFSET_ALPHA_BETA: PlayerEntry =
    PlayerEntry { name: alpha_beta::NAME, summary: alpha_beta::SUMMARY, params: &alpha_beta::params(4, 16, 14) };
static OFFSET_MONTE_CARLO: PlayerEntry =
    PlayerEntry { name: monte_carlo::NAME, summary: monte_carlo::SUMMARY, params: &monte_carlo::params(2, 16) };
static ZERO_SUM_MINIMAX: PlayerEntry =
    PlayerEntry { name: minimax::NAME, summary: minimax::SUMMARY, params: &minimax::params(3, 0) };
static ZERO_SUM_ALPHA_BETA: PlayerEntry =
    PlayerEntry { name: alpha_beta::NAME, summary: alpha_beta::SUMMARY, params: &alpha_beta::params(3, 0, 0) };
static ZERO_SUM_MONTE_CARLO: PlayerEntry =
    PlayerEntry { name: monte_carlo::NAME, summary: monte_carlo::SUMMARY, params: &monte_carlo::params(64, 0) };

static CYCLE: PlayerEntry =
    PlayerEntry { name: of_67::cycle::NAME, summary: of_67::cycle::SUMMARY, params: of_67::cycle::PARAMS };
static GREEDY_67: PlayerEntry =
    PlayerEntry { name: of_67::greedy::NAME, summary: of_67::greedy::SUMMARY, params: of_67::greedy::PARAMS };
static MONTE_CARLO_67: PlayerEntry = PlayerEntry {
    name: of_67::monte_carlo::NAME,
    summary: of_67::monte_carlo::SUMMARY,
    params: of_67::monte_carlo::PARAMS,
};
static EXPECTIMAX_67: PlayerEntry = PlayerEntry {
    name: of_67::expectimax::NAME,
    summary: of_67::expectimax::SUMMARY,
    params: of_67::expectimax::PARAMS,
};
static FORESIGHT: PlayerEntry =
    PlayerEntry { name: of_67::foresight::NAME, summary: of_67::foresight::SUMMARY, params: of_67::foresight::PARAMS };

/// All games.
pub static GAMES: &[GameEntry] = &[
    GameEntry {
        name: sixty_seven::NAME,
        summary: sixty_seven::SUMMARY,
        params: sixty_seven::PARAMS,
        measures: &[],
        seats: 1,
        players: &[&RANDOM, &CYCLE, &GREEDY_67, &MONTE_CARLO_67, &EXPECTIMAX_67, &FORESIGHT],
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
    GameEntry {
        name: offset::NAME,
        summary: offset::SUMMARY,
        params: offset::PARAMS,
        measures: two_player::MEASURES,
        seats: 2,
        players: &[&RANDOM, &GREEDY, &MOBILITY, &OFFSET_MINIMAX, &OFFSET_ALPHA_BETA, &OFFSET_MONTE_CARLO],
        complete: offset::complete,
        build: build_offset,
        kernels: SEATS_KERNELS,
        bench: &["d=7,10"],
        answer: |params, request| {
            let ask = |game: &offset::Offset, state: &_, name: &_, fields: &_, own: &[&str]| {
                ask_player(offset::NAME, game, state, name, fields, own)
            };
            offset::answer(&offset::Offset::from_params(params), request, &ask)
        },
    },
    GameEntry {
        name: zero_sum::NAME,
        summary: zero_sum::SUMMARY,
        params: zero_sum::PARAMS,
        measures: two_player::MEASURES,
        seats: 2,
        players: &[&RANDOM, &GREEDY, &ZERO_SUM_MINIMAX, &ZERO_SUM_ALPHA_BETA, &ZERO_SUM_MONTE_CARLO, &EXACT],
        complete: zero_sum::complete,
        build: build_zero_sum,
        kernels: SEATS_KERNELS,
        bench: &["start=8,18"],
        answer: |params, request| {
            let ask = |game: &zero_sum::ZeroSum, state: &_, name: &_, fields: &_, own: &[&str]| {
                ask_player(zero_sum::NAME, game, state, name, fields, own)
            };
            zero_sum::answer(&zero_sum::ZeroSum::from_params(params), request, &ask)
        },
    },
];

/// The parameter of players that bounds a choice by the clock.
const BUDGET: &str = alpha_beta::BUDGET;

fn build_sixty_seven(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    let game = sixty_seven::SixtySeven::from_params(setup.params);
    let lanes = setup.params.int(sixty_seven::lanes::NAME).unwrap_or(1);
    let name = setup.players[0].entry.name;
    match name {
        random::NAME | of_67::cycle::NAME => {}
        of_67::monte_carlo::NAME => of_67::check(&game, name, of_67::monte_carlo::SIDE_MAX)?,
        _ => of_67::check(&game, name, of_67::field::SIDE_MAX)?,
    }
    match name {
        random::NAME if lanes > 1 => {
            let (player, kernel, batch_games) =
                (|| random::Random, sixty_seven::job::kernel(setup.kernel, &game)?, 256);
            let reference = LoopJob { game, player, seeds: setup.seeds, batch_games, kernel: "reference" };
            Ok(Box::new(sixty_seven::job::LanesJob { kernel, reference }))
        }
        name if lanes > 1 => {
            let message = format!(
                "{lanes}: lanes are played by random only, not by {name}; most players look at values, which differ in lanes"
            );
            Err(ParamError::new(sixty_seven::lanes::NAME, message))
        }
        random::NAME => Ok(match sixty_seven::job::kernel(setup.kernel, &game)? {
            Some(kernel) => {
                let (player, batch_games) = (|| random::Random, 256);
                let reference = LoopJob { game, player, seeds: setup.seeds, batch_games, kernel: "reference" };
                Box::new(sixty_seven::job::KernelJob { kernel, reference })
            }
            None => reference_job(setup, game, || random::Random, 256),
        }),
        of_67::cycle::NAME => thinking_job(setup, game, of_67::cycle::Cycle::from_params, 64),
        of_67::greedy::NAME => thinking_job(setup, game, |_| of_67::greedy::Greedy::default(), 64),
        of_67::monte_carlo::NAME => thinking_job(setup, game, of_67::monte_carlo::MonteCarlo::from_params, 1),
        of_67::expectimax::NAME => thinking_job(setup, game, of_67::expectimax::Expectimax::from_params, 1),
        of_67::foresight::NAME => thinking_job(setup, game, of_67::foresight::Foresight::from_params, 1),
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

/// The kernels of two-player games: their own engine without lists of all moves, beside the generic loop.
const SEATS_KERNELS: &[KernelEntry] = &[KernelEntry {
    choice: KernelChoice::Portable,
    summary: "two players without lists of all legal moves; Offset on bits that follow each move",
    needs: "nothing",
    available: || true,
}];

/// Batches of two-player games are small, since games of searching players take seconds.
const SEATS_BATCH: u64 = 16;

fn build_offset(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    check_seats(setup)?;
    let game = offset::Offset::from_params(setup.params);
    let walks = setup.params.text("pairs") == Some("all");
    let assignments = if walks { offset::all_assignments(game.d) } else { Vec::new() };
    let rules = move |index: u64| match assignments.len() as u64 {
        0 => game,
        count => game.assigned(assignments[(index % count) as usize]),
    };
    if setup.kernel == KernelChoice::Reference {
        Ok(seats_job(setup, move |index| offset::reference::Plain(rules(index)), true))
    } else {
        Ok(seats_job(setup, rules, false))
    }
}

fn build_zero_sum(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    check_seats(setup)?;
    let game = zero_sum::ZeroSum::from_params(setup.params);
    Ok(seats_job(setup, move |_| game, setup.kernel == KernelChoice::Reference))
}

/// Refuses kernels that these games do not have, and players whose choices depend on the clock.
fn check_seats(setup: &Setup<'_>) -> Result<(), ParamError> {
    if !matches!(setup.kernel, KernelChoice::Auto | KernelChoice::Reference | KernelChoice::Portable) {
        let message =
            format!("{} does not play games for two; accepted: auto, reference, portable", setup.kernel.name());
        return Err(ParamError::new("kernel", message));
    }
    refuse_clocks(setup.players)
}

/// Refuses players whose choices depend on the clock.
///
/// # Errors
/// Names the parameter and says what to give instead.
pub fn refuse_clocks(players: &[PlayerSpec]) -> Result<(), ParamError> {
    for (player, seat) in players.iter().zip(["player", "opponent"]) {
        let timed = player.entry.params.iter().any(|spec| spec.name == BUDGET) && player.params.int(BUDGET).is_some();
        if timed {
            let message = "a time budget makes games differ from run to run; give a depth or a number of samples (budgets are for match, \
                           tournament, play and watch)";
            return Err(ParamError::new(&format!("{seat}.{BUDGET}"), message));
        }
    }
    Ok(())
}

/// The job of two players at a game whose rules may change with the index of the game.
fn seats_job<G, R>(setup: &Setup<'_>, rules: R, lists_moves: bool) -> Box<dyn Job>
where
    G: TwoPlayer + Describe + 'static,
    R: Fn(u64) -> G + Send + Sync + 'static,
{
    let players: [PlayerSpec; 2] = setup.players.to_vec().try_into().expect("a game for two has two players");
    Box::new(SeatsJob {
        rules,
        seats: move || Seats::new(players.each_ref().map(any_player)),
        seeds: setup.seeds,
        batch_games: SEATS_BATCH,
        kernel: if lists_moves { KernelChoice::Reference } else { KernelChoice::Portable }.name(),
        lists_moves,
    })
}

/// The player for two that a spec names.
#[must_use]
pub fn any_player<M: Copy + PartialEq>(spec: &PlayerSpec) -> AnyPlayer<M> {
    AnyPlayer::new(spec.entry.name, &spec.params)
}

/// Lets a named player choose in a position of a game for two; its parameters and `seed` are fields of the request.
fn ask_player<G: TwoPlayer>(
    game_name: &str,
    game: &G,
    state: &G::State,
    name: &serde_json::Value,
    fields: &serde_json::Map<String, serde_json::Value>,
    own: &[&str],
) -> Result<(G::Move, u64), String> {
    let entry = self::game(game_name).expect("a game of the catalog");
    let names = || entry.players.iter().map(|player| player.name).collect::<Vec<_>>().join(", ");
    let player = name.as_str().and_then(|name| entry.player(name));
    let player = player.ok_or_else(|| format!("player: {name} is no player of {game_name}; accepted: {}", names()))?;
    let mut spec = PlayerSpec::new(player);
    let mut seed = 0;
    for (key, value) in fields.iter().filter(|(key, _)| !own.contains(&key.as_str()) && *key != "player") {
        if key == "seed" {
            seed = value.as_u64().ok_or_else(|| format!("seed: {value} is not accepted; a whole number from 0 up"))?;
            continue;
        }
        let Some(param) = player.params.iter().find(|param| param.name == key) else {
            let known: Vec<&str> = own.iter().copied().chain(["player", "seed"]).collect();
            let params: Vec<&str> = player.params.iter().map(|param| param.name).collect();
            let known = [known, params].concat().join(", ");
            return Err(format!("{key}: unknown key for {}; accepted: {known}", player.name));
        };
        let given = match value {
            serde_json::Value::Number(number) => number.as_i64().map(Value::Int),
            _ => None,
        };
        let accepted = given.and_then(|given| param.accept(&given));
        let accepted = accepted.ok_or_else(|| format!("{key}: {value} is not accepted; {}", param.accepts()))?;
        spec.params.set(param.name, accepted);
    }
    let mut chooser: AnyPlayer<G::Move> = any_player(&spec);
    let chosen = chooser.choose(game, state, &mut seats::request_stream(seed));
    Ok((chosen, chooser.take_nodes()))
}
