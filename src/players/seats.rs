//! Two players at one board: who moves when, which stream each draws from, and the job of such games.
//!
//! # Streams
//! Seat 0 draws from the game's player stream, seat 1 from the same stream after one jump of xoshiro256++ (2¹²⁸ words), so
//! that what one seat draws does not depend on how much the other draws.

use super::{alpha_beta, exact, greedy, minimax, mobility, monte_carlo, random};
use crate::game::session::{self, Rows, Session};
use crate::game::{Describe, Job, LoopJob, Measure, Outcome, Player, Tally, play_game};
use crate::games::two_player::{NODES_AT, TwoPlayer};
use crate::params::Params;
use crate::rng::{CellSeeds, Draw, SeedableRng, Stream};
use std::ops::Range;

/// A player for two-player games; which one is decided once a move by a jump, not through a table of functions.
#[derive(Debug)]
pub enum AnyPlayer<M> {
    /// See [`random`].
    Random,
    /// See [`greedy`].
    Greedy(greedy::Greedy<M>),
    /// See [`mobility`].
    Mobility(mobility::Mobility<M>),
    /// See [`minimax`].
    Minimax(minimax::Minimax<M>),
    /// See [`alpha_beta`].
    AlphaBeta(alpha_beta::AlphaBeta<M>),
    /// See [`monte_carlo`].
    MonteCarlo(monte_carlo::MonteCarlo<M>),
    /// See [`exact`].
    Exact(exact::Exact),
}

impl<M: Copy + PartialEq> AnyPlayer<M> {
    /// The player of this name with these parameters, which its table has accepted.
    ///
    /// # Panics
    /// When there is no such player for two.
    #[must_use]
    pub fn new(name: &str, params: &Params) -> Self {
        match name {
            random::NAME => Self::Random,
            greedy::NAME => Self::Greedy(greedy::Greedy::default()),
            mobility::NAME => Self::Mobility(mobility::Mobility::default()),
            minimax::NAME => Self::Minimax(minimax::Minimax::from_params(params)),
            alpha_beta::NAME => Self::AlphaBeta(alpha_beta::AlphaBeta::from_params(params)),
            monte_carlo::NAME => Self::MonteCarlo(monte_carlo::MonteCarlo::from_params(params)),
            exact::NAME => Self::Exact(exact::Exact::default()),
            _ => unreachable!("{name} is no player for two"),
        }
    }

    /// Forgets the last game.
    pub fn begin(&mut self) {
        self.take_nodes();
        match self {
            Self::AlphaBeta(player) => player.begin(),
            Self::Exact(player) => player.begin(),
            Self::Random | Self::Greedy(_) | Self::Mobility(_) | Self::Minimax(_) | Self::MonteCarlo(_) => {}
        }
    }

    /// Positions visited since the last call; 0 for players that do not search.
    pub fn take_nodes(&mut self) -> u64 {
        match self {
            Self::Random | Self::Greedy(_) | Self::Mobility(_) => 0,
            Self::Minimax(player) => player.take_nodes(),
            Self::AlphaBeta(player) => player.take_nodes(),
            Self::MonteCarlo(player) => player.take_nodes(),
            Self::Exact(player) => player.take_nodes(),
        }
    }

    /// Chooses one of the legal moves, of which there is at least one.
    pub fn choose<G: TwoPlayer<Move = M>>(&mut self, game: &G, state: &G::State, stream: &mut Stream) -> M {
        match self {
            // The same word and the same move as `random::Random`, without the list of all moves.
            Self::Random => {
                let index = Draw::next(stream).below(game.legal_count(state) as u64);
                game.nth_legal(state, index as usize)
            }
            Self::Greedy(player) => player.choose(game, state, stream),
            Self::Mobility(player) => player.choose(game, state, stream),
            Self::Minimax(player) => player.choose(game, state),
            Self::AlphaBeta(player) => player.choose(game, state),
            Self::MonteCarlo(player) => player.choose(game, state, stream),
            Self::Exact(player) => player.choose(game, state),
        }
    }
}

/// The stream of a player that is asked about a single position with this seed.
#[must_use]
pub fn request_stream(seed: u64) -> Stream {
    Stream::seed_from_u64(seed)
}

/// The players of both seats.
#[derive(Debug)]
pub struct Seats<M> {
    players: [AnyPlayer<M>; 2],
    streams: Option<[Stream; 2]>,
    nodes: [u64; 2],
}

impl<M: Copy + PartialEq> Seats<M> {
    /// Sits two players down, seat 0 first.
    #[must_use]
    pub const fn new(players: [AnyPlayer<M>; 2]) -> Self {
        Self { players, streams: None, nodes: [0, 0] }
    }

    /// The streams of both seats of a game with this player stream.
    #[must_use]
    pub fn streams(stream: &Stream) -> [Stream; 2] {
        let mut second = stream.clone();
        second.jump();
        [stream.clone(), second]
    }

    fn forget(&mut self) {
        self.players.iter_mut().for_each(AnyPlayer::begin);
        self.streams = None;
        self.nodes = [0, 0];
    }

    /// Lets the seat to move choose; the game's player stream is read at its first choice.
    pub fn seat_chooses<G: TwoPlayer<Move = M>>(&mut self, game: &G, state: &G::State, stream: &Stream) -> M {
        let streams = self.streams.get_or_insert_with(|| Self::streams(stream));
        let seat = game.seat(state);
        let chosen = self.players[seat].choose(game, state, &mut streams[seat]);
        self.nodes[seat] += self.players[seat].take_nodes();
        chosen
    }

    /// Positions visited by each seat since the game began.
    #[must_use]
    pub const fn nodes(&self) -> [u64; 2] {
        self.nodes
    }

    fn write_nodes(&self, outcome: &mut Outcome) {
        for seat in [0, 1] {
            outcome.measures[NODES_AT[seat]] = self.nodes[seat] as i64;
        }
    }

    /// Plays one whole game as [`crate::game::play_game`] does, without listing the legal moves for players that do not ask for
    /// them; `watch` sees each position before a move, and the move.
    pub fn play<G: TwoPlayer<Move = M>>(
        &mut self,
        game: &G,
        mut world: Stream,
        stream: &Stream,
        mut watch: impl FnMut(&G::State, M),
    ) -> Outcome {
        self.forget();
        let mut state = game.start(&mut world);
        loop {
            game.deal(&mut state, &mut world);
            if let Some(mut outcome) = game.outcome(&state) {
                self.write_nodes(&mut outcome);
                return outcome;
            }
            let chosen = self.seat_chooses(game, &state, stream);
            watch(&state, chosen);
            game.play(&mut state, chosen);
        }
    }
}

impl<G: TwoPlayer> Player<G> for Seats<G::Move> {
    fn begin(&mut self, _game: &G) {
        self.forget();
    }

    fn choose(&mut self, game: &G, state: &G::State, legal: &[G::Move], stream: &mut Stream) -> G::Move {
        let seat = game.seat(state);
        if let AnyPlayer::Random = self.players[seat] {
            let streams = self.streams.get_or_insert_with(|| Self::streams(stream));
            return Player::<G>::choose(&mut random::Random, game, state, legal, &mut streams[seat]);
        }
        self.seat_chooses(game, state, stream)
    }

    fn end(&mut self, _game: &G, outcome: &mut Outcome) {
        self.write_nodes(outcome);
    }
}

/// The job of two players.
pub struct SeatsJob<R, F> {
    /// The rules of the game with this index; a cell may walk a list of them.
    pub rules: R,
    /// Makes both players; called once per batch.
    pub seats: F,
    /// Where the streams come from.
    pub seeds: CellSeeds,
    /// See [`Job::batch_games`].
    pub batch_games: u64,
    /// See [`Job::kernel`].
    pub kernel: &'static str,
    /// Whether the games go through [`crate::game::play_game`], which lists all legal moves; the same games either way.
    pub lists_moves: bool,
}

impl<G, R, F> SeatsJob<R, F>
where
    G: TwoPlayer + Describe,
    R: Fn(u64) -> G + Send + Sync,
    F: Fn() -> Seats<G::Move> + Send + Sync,
{
    /// One game through the generic loop.
    fn listed(&self, game: u64) -> LoopJob<G, &F> {
        let Self { seats, seeds, batch_games, kernel, .. } = self;
        LoopJob { game: (self.rules)(game), player: seats, seeds: *seeds, batch_games: *batch_games, kernel }
    }
}

impl<G, R, F> Job for SeatsJob<R, F>
where
    G: TwoPlayer + Describe,
    R: Fn(u64) -> G + Send + Sync,
    F: Fn() -> Seats<G::Move> + Send + Sync,
{
    fn measures(&self) -> &'static [Measure] {
        G::MEASURES
    }

    fn kernel(&self) -> &'static str {
        self.kernel
    }

    fn batch_games(&self) -> u64 {
        self.batch_games
    }

    fn play(&self, games: Range<u64>, tally: &mut Tally) {
        let mut seats = (self.seats)();
        let mut moves = Vec::new();
        for index in games {
            let game = (self.rules)(index);
            let (world, stream) = (self.seeds.world_stream(index), self.seeds.player_stream(index));
            tally.add(&if self.lists_moves {
                play_game(&game, &mut seats, world, stream, &mut moves, None)
            } else {
                seats.play(&game, world, &stream, |_, _| ())
            });
        }
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(serde_json::Value)) -> Outcome {
        self.listed(game).replay(game, line)
    }

    fn check_positions(&self, game: u64) -> Result<(), String> {
        self.listed(game).check_positions(game)
    }

    fn open(&self, game: u64, board: Option<&Rows>) -> Result<Box<dyn Session>, String> {
        session::open((self.rules)(game), (self.seats)(), self.seeds, game, board)
    }
}
