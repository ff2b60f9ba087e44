//! The games of one cell, played in batches, replayed and opened: [`Job`] and [`LoopJob`].

use super::advice::{Advisor, PlayerAdvisor};
use super::given::{self, GivenError, Reached};
use super::session::{self, BoardRows, Session};
use super::stepping::{Table, play_at_random};
use super::{
    Describe, Game, KernelChoice, Measure, Outcome, Player, PositionError, Sampling, Tally,
    play_game,
};
use crate::json::Json;
use crate::rng::CellSeeds;
use crate::tally::ShortGames;
use std::borrow::Cow;
use std::ops::Range;

/// Games that are stepped together for their last positions.
const STEPPED: usize = 64;

/// Who is told of every game of a batch, in any order.
pub struct GameObserver<'a> {
    /// Whether the last positions are wanted. A kernel may be several times slower at this.
    pub positions: bool,
    /// Receives the index and the outcome of each game, and its last position as JSON, as
    /// [`Positions::position`](super::Positions::position) writes it; the text is empty where
    /// positions are not wanted. It does not depend on the kernel.
    pub each: &'a mut dyn FnMut(u64, &Outcome, &str),
}

impl<'a> GameObserver<'a> {
    /// An observer without positions.
    pub fn outcomes(each: &'a mut dyn FnMut(u64, &Outcome, &str)) -> Self {
        Self {
            positions: false,
            each,
        }
    }
}

/// One cell's games, ready to be played by the runner.
pub trait Job: Send + Sync {
    /// The measures of the game, in the order of [`Outcome::measures`].
    fn measures(&self) -> &'static [Measure];

    /// The name of the kernel in use.
    fn kernel(&self) -> &'static str;

    /// If `auto` fell back to the reference although a kernel supports other parameters of the
    /// game: the reason, and roughly how much slower it is. `None` otherwise.
    fn fallback(&self) -> Option<&str> {
        None
    }

    /// The number of games in a batch: large enough to make dispatch cheap, small enough to balance
    /// work and to stop quickly.
    fn batch_games(&self) -> u64;

    /// How the games are sampled. Batches are made of whole trajectories.
    fn sampling(&self) -> Sampling {
        Sampling::Plain
    }

    /// Plays the games with these indices, adds them to the tally and tells the observer.
    ///
    /// # Panics
    /// Panics if the range cuts a trajectory.
    fn play(&self, games: Range<u64>, tally: &mut Tally, observer: Option<GameObserver<'_>>);

    /// Plays one game again, calling `line` with each line of its transcript, and returns its
    /// outcome.
    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome;

    /// The outcome of one game and the names of its moves, for jobs whose games can be watched
    /// ([`Job::open`]).
    fn moves(&self, game: u64) -> Option<(Outcome, Vec<String>)> {
        let mut session = self.open(game, None).ok()?;
        let mut moves = Vec::new();
        loop {
            let mut view = session.view();
            if let Some(outcome) = view.outcome {
                return Some((outcome, moves));
            }
            let chosen = session.choose();
            moves.push(view.legal.swap_remove(chosen));
            session.play(chosen);
        }
    }

    /// The player, to be asked about boards that are given as arrays.
    ///
    /// # Errors
    /// Returns an error if the games of this job are not played one by one.
    fn advisor(&self) -> Result<Box<dyn Advisor>, PositionError> {
        Err("cells with a match, lanes or splitting have no player to ask".into())
    }

    /// Plays one game with given moves instead of the player's; see [`given::replay`].
    ///
    /// # Errors
    /// Returns an error if a move is illegal, if there are moves after the end, or if this job
    /// cannot take moves (value lanes, splitting).
    fn replay_given(
        &self,
        _game: u64,
        _moves: &[String],
        _line: &mut dyn FnMut(Json),
    ) -> Result<Reached, GivenError> {
        Err(GivenError::Batches(self.kernel()))
    }

    /// Opens one game to be played or watched move by move, on the given board or from the start of
    /// the rules.
    ///
    /// # Errors
    /// Returns an error if the board is invalid or the games of this job cannot be watched (value
    /// lanes, splitting).
    fn open(
        &self,
        _game: u64,
        _board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        Err("the games of this cell cannot be watched; tilelab replay shows them".into())
    }
}

/// A way to play the games of the random player faster than the loop does, many at a time.
pub trait BatchEngine<G>: Send + Sync {
    /// Plays the games with these indices and calls `each` with the index and the outcome of every
    /// one, in any order. Games without an outcome are left to the loop.
    fn play(&self, seeds: CellSeeds, games: Range<u64>, each: EachPlayed<'_>);

    /// A table whose slots step these games, to find last positions; `None` leaves them to the
    /// loop.
    fn table(&self, game: &G, seeds: CellSeeds, slots: usize) -> Option<Box<dyn Table>>;
}

/// Receives the index of every game of a batch, and its outcome unless it is left to the loop.
pub type EachPlayed<'a> = &'a mut dyn FnMut(u64, Option<&Outcome>);

/// The job of a game and its player: the generic loop, and for the random player a kernel that
/// plays the same games in batches.
#[non_exhaustive]
pub struct LoopJob<G, F> {
    /// Rules and parameters.
    pub game: G,
    /// Makes a player; called once per batch.
    pub player: F,
    /// The seeds of the streams.
    pub seeds: CellSeeds,
    /// The number of games in a batch ([`Job::batch_games`]).
    pub batch_games: u64,
    /// The name of the kernel in use ([`Job::kernel`]).
    pub kernel: &'static str,
    /// Why `auto` fell back to the reference, if it did ([`Job::fallback`]).
    pub fallback: Option<String>,
    /// Plays the batches; `None`: the loop does.
    pub engine: Option<Box<dyn BatchEngine<G>>>,
}

impl<G, P, F> LoopJob<G, F>
where
    G: Game,
    P: Player<G>,
    F: Fn() -> P + Send + Sync,
{
    /// The job of a game and a function that makes its player, with these seeds, in batches of 64
    /// games.
    pub fn new(game: G, player: F, seeds: CellSeeds) -> Self {
        Self {
            game,
            player,
            seeds,
            batch_games: 64,
            kernel: KernelChoice::Reference.name(),
            fallback: None,
            engine: None,
        }
    }

    /// Plays games through the loop and calls `each` with the index, the outcome and the last state
    /// of every one.
    pub(crate) fn play_loop(
        &self,
        games: impl IntoIterator<Item = u64>,
        mut each: impl FnMut(u64, &Outcome, &G::State),
    ) {
        let mut player = (self.player)();
        let mut moves = Vec::new();
        for index in games {
            let world = self.seeds.world_stream(index);
            let stream = self.seeds.player_stream(index);
            let game = &*self.rules(index);
            let (outcome, last) = play_game(game, &mut player, world, stream, &mut moves, None);
            each(index, &outcome, &last);
        }
    }

    /// The rules of game number `index`.
    pub(super) fn rules(&self, index: u64) -> Cow<'_, G> {
        self.game
            .numbered(index)
            .map_or(Cow::Borrowed(&self.game), Cow::Owned)
    }
}

impl<G, P, F> Job for LoopJob<G, F>
where
    G: Describe,
    P: Player<G>,
    F: Fn() -> P + Send + Sync,
{
    fn measures(&self) -> &'static [Measure] {
        self.game.measures()
    }

    fn kernel(&self) -> &'static str {
        self.kernel
    }

    fn fallback(&self) -> Option<&str> {
        self.fallback.as_deref()
    }

    fn batch_games(&self) -> u64 {
        self.batch_games
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally, mut observer: Option<GameObserver<'_>>) {
        let positions = observer.as_ref().is_some_and(|observer| observer.positions);
        let mut short = ShortGames::NONE;
        let mut ended = |index: u64, outcome: &Outcome, position: &str| {
            short.add(outcome, tally);
            if let Some(observer) = &mut observer {
                (observer.each)(index, outcome, position);
            }
        };
        let mut rest = games;
        let mut left = Vec::new();
        if let Some(engine) = &self.engine {
            if !positions {
                let games = std::mem::take(&mut rest);
                engine.play(self.seeds, games, &mut |index, outcome| match outcome {
                    Some(outcome) => ended(index, outcome, ""),
                    None => left.push(index),
                });
            } else if let Some(mut table) = engine.table(&self.game, self.seeds, STEPPED) {
                let games = std::mem::take(&mut rest);
                play_at_random(&mut *table, self.seeds, games, &mut ended);
            }
        }
        self.play_loop(rest.chain(left), |index, outcome, last| {
            if positions {
                ended(index, outcome, &self.game.position(last).to_string());
            } else {
                ended(index, outcome, "");
            }
        });
        short.fold(tally);
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        let (outcome, _) = play_game(
            &*self.rules(game),
            &mut (self.player)(),
            self.seeds.world_stream(game),
            self.seeds.player_stream(game),
            &mut Vec::new(),
            Some(&mut |turn| line(self.game.describe(turn))),
        );
        outcome
    }

    fn advisor(&self) -> Result<Box<dyn Advisor>, PositionError> {
        Ok(Box::new(PlayerAdvisor {
            game: self.game.clone(),
            player: (self.player)(),
            seeds: self.seeds,
        }))
    }

    fn replay_given(
        &self,
        game: u64,
        moves: &[String],
        line: &mut dyn FnMut(Json),
    ) -> Result<Reached, GivenError> {
        let world = self.seeds.world_stream(game);
        given::replay(&*self.rules(game), world, moves, line)
    }

    fn open(
        &self,
        game: u64,
        board: Option<&BoardRows>,
    ) -> Result<Box<dyn Session>, PositionError> {
        let rules = self.rules(game).into_owned();
        session::open(rules, (self.player)(), self.seeds, game, board)
    }
}
