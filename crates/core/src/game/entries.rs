//! The entries of games and players, made from their types.

use super::registry::{
    BATCHES, BuildJob, BuiltJob, GameEntry, NamedPlayer, PlayableGame, PlayerEntry, Setup, States,
};
use super::splitting::{self, METHOD_PARAM};
use super::{Game, KernelChoice, LoopJob, Outcome, Player, PositionError, Sampling, answers};
use crate::json::Json;
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::random::{Random, RandomJob};
use crate::players::two_player::seats;
use crate::rng::{SeedableRng, Stream};
use std::any::Any;
use std::collections::HashMap;
use std::marker::PhantomData;

/// The most parameters of a game, with the method.
const PARAMS_MAX: usize = 64;

impl PlayerEntry {
    /// The entry of the player `P` of the game `G`.
    pub const fn of<G: PlayableGame, P: NamedPlayer<G> + Player<G>>() -> Self {
        Self::built_by::<G, P>(build_job::<G, P>)
    }

    /// The entry of the player `P` of the game `G`, which the catalog need not name, with a
    /// function that builds its jobs.
    pub const fn built_by<G: Game, P: NamedPlayer<G> + Player<G>>(build: BuildJob) -> Self {
        Self {
            name: P::NAME,
            summary: P::SUMMARY,
            params: P::PARAMS,
            chance: P::CHANCE,
            searches: P::SEARCHES,
            build,
            seat: Some(make_seat::<G, P>),
        }
    }
}

impl GameEntry {
    /// The entry of the game `G` with these players, the default first.
    pub const fn of<G: PlayableGame>(players: &'static [PlayerEntry]) -> Self {
        Self {
            players,
            params: Offered::<G>::PARAMS,
            complete: complete::<G>,
            measures: G::MEASURES,
            read_back: read_back::<G>,
            // Without the feature programs are small, and none has exact figures.
            states: if cfg!(feature = "kernels") {
                Some(list_states::<G>)
            } else {
                None
            },
            answer: match G::ENTRY.answer {
                None => Some(answers::answer::<G>),
                own => own,
            },
            ..G::ENTRY
        }
    }
}

/// The parameters of a game in the catalog.
struct Offered<G>(PhantomData<G>);

impl<G: PlayableGame> Offered<G> {
    const METHOD: &'static [u8] = METHOD_PARAM.name.as_bytes();
    const ADDS_METHOD: bool = {
        let mut lists_it = false;
        let mut at = 0;
        while at < G::ENTRY.params.len() {
            lists_it |= matches!(G::ENTRY.params[at].name.as_bytes(), Self::METHOD);
            at += 1;
        }
        G::LEVEL.is_some() && G::ENTRY.seats == 1 && !lists_it
    };
    /// The parameters of the game, then the method.
    const ALL: [ParamSpec; PARAMS_MAX] = {
        let mut all = [METHOD_PARAM; PARAMS_MAX];
        let (own, _) = all.split_at_mut(G::ENTRY.params.len());
        own.copy_from_slice(G::ENTRY.params);
        all
    };
    const PARAMS: &'static [ParamSpec] = if Self::ADDS_METHOD {
        Self::ALL.split_at(G::ENTRY.params.len() + 1).0
    } else {
        G::ENTRY.params
    };
}

/// Completes and checks the parameters of a game and of the method that is added to them
/// ([`GameEntry::complete`]).
fn complete<G: PlayableGame>(params: &mut Params) -> Result<(), ParamError> {
    if Offered::<G>::ADDS_METHOD {
        splitting::complete(params)?;
    }
    (G::ENTRY.complete)(params)
}

fn read_back<G: PlayableGame>(params: &Params, position: &Json) -> Result<Json, PositionError> {
    let game = G::build(params);
    game.parse(position).map(|state| game.position(&state))
}

fn build_job<G: PlayableGame, P: NamedPlayer<G> + Player<G>>(setup: &Setup<'_>) -> BuiltJob {
    let game = G::build(setup.params);
    if G::ENTRY.seats == 2 {
        return seats::job(game, setup);
    }
    P::job(game, setup)
}

fn make_seat<G: Game, P: NamedPlayer<G> + Player<G>>(
    params: &Params,
) -> Result<Box<dyn Any>, ParamError> {
    let player: Box<dyn Player<G>> = Box::new(P::build(params)?);
    Ok(Box::new(player))
}

/// The states whose deals are tried.
const TRIALS: u32 = 64;

/// [`States`] by the rules of a game; positions tell states apart.
struct KnownStates<G: Game> {
    game: G,
    numbers: HashMap<String, u32>,
    states: Vec<G::State>,
}

fn list_states<G: PlayableGame>(params: &Params) -> Box<dyn States> {
    Box::new(KnownStates {
        game: G::build(params),
        numbers: HashMap::new(),
        states: Vec::new(),
    })
}

impl<G: PlayableGame> KnownStates<G> {
    fn number(&mut self, state: G::State) -> u32 {
        let key = self.game.position(&state).to_string();
        *self.numbers.entry(key).or_insert_with(|| {
            self.states.push(state);
            self.states.len() as u32 - 1
        })
    }

    /// States with probabilities, from those with weights.
    fn numbers(&mut self, mut weighted: Vec<(f64, G::State)>) -> Option<Vec<(u32, f64)>> {
        let is_weight = weighted.iter().all(|(weight, _)| *weight >= 0.0);
        let sum: f64 = weighted.iter().map(|(weight, _)| weight).sum();
        weighted.retain(|(weight, _)| *weight > 0.0);
        let number = |(weight, state)| (self.number(state), weight / sum);
        let is_valid = is_weight && sum > 0.0 && sum.is_finite();
        is_valid.then(|| weighted.into_iter().map(number).collect())
    }
}

impl<G: PlayableGame> States for KnownStates<G> {
    fn starts(&mut self) -> Option<Vec<(u32, f64)>> {
        self.numbers(self.game.starts()?)
    }

    fn dealt(&mut self, state: u32) -> Option<Vec<(u32, f64)>> {
        let before = self.states[state as usize].clone();
        let dealt = self.numbers(self.game.chances(&before)?)?;
        // A wrong list shows at once, so that the first states are enough.
        if state < TRIALS {
            let mut tried = before;
            let mut world = Stream::seed_from_u64(state.into());
            self.game.deal(&mut tried, &mut world);
            let tried = self.number(tried);
            dealt.iter().find(|&&(listed, _)| listed == tried)?;
        }
        Some(dealt)
    }

    fn moved(&mut self, state: u32) -> Vec<u32> {
        let before = self.states[state as usize].clone();
        let moves = self.game.legal_moves(&before);
        let after = |chosen| {
            let mut after = before.clone();
            self.game.play(&mut after, chosen);
            self.number(after)
        };
        moves.into_iter().map(after).collect()
    }

    fn status(&self, state: u32) -> (usize, Option<Outcome>) {
        let state = &self.states[state as usize];
        (self.game.seat(state), self.game.outcome(state))
    }

    fn known(&self) -> usize {
        self.states.len()
    }
}

impl<G: Game> NamedPlayer<G> for Random {
    const NAME: &'static str = "random";
    const SUMMARY: &'static str = "chooses uniformly among the legal moves";

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self)
    }

    fn job(game: G, setup: &Setup<'_>) -> BuiltJob
    where
        G: PlayableGame,
    {
        let reference = LoopJob {
            batch_games: G::ENTRY.batch_games,
            ..RandomJob::new(game, || Self, setup.seeds)
        };
        if BATCHES {
            if splitting::is_split(setup.params) {
                return G::split_job(reference, setup);
            }
            G::random_job(reference, setup)
        } else if matches!(setup.kernel, KernelChoice::Auto | KernelChoice::Reference)
            && (G::ENTRY.sampling)(setup.params) == Sampling::Plain
        {
            Ok(Box::new(reference))
        } else {
            let message = "kernels, lanes and splitting need a build with the feature kernels";
            Err(ParamError::new("kernel", message))
        }
    }
}
