//! Two players in one game: whose turn it is, which stream each player uses, and the job of such
//! games.
//!
//! # Streams
//! Seat 0 draws from the game's player stream, seat 1 from the same stream after one jump of
//! xoshiro256++ (2¹²⁸ words), so that what one seat draws does not depend on how much the other
//! draws.

use crate::game::given::{GivenError, Reached};
use crate::game::registry::{PlayerSpec, Setup};
use crate::game::session::{self, Rows, Session};
use crate::game::{
    Describe, Each, EachPosition, Job, KernelChoice, LoopJob, Measure, Outcome, Player,
    PositionError, Scale, Tally, Turns, play_to_end,
};
use crate::games::two_player::{NODES_AT, SeatPlayer, TwoPlayer, TwoPlayerGame, seat_player};
use crate::json::Json;
use crate::params::ParamError;
use crate::rng::{CellSeeds, Stream};
use std::ops::Range;

/// The players of both seats.
pub struct Seats<G> {
    players: [Box<dyn SeatPlayer<G>>; 2],
    streams: Option<[Stream; 2]>,
    nodes: [u64; 2],
}

impl<G: TwoPlayer> Seats<G> {
    /// Both seats, seat 0 first.
    #[must_use]
    pub fn new(players: [Box<dyn SeatPlayer<G>>; 2]) -> Self {
        Self {
            players,
            streams: None,
            nodes: [0, 0],
        }
    }

    /// The seats of two named players, seat 0 first.
    ///
    /// # Errors
    /// Returns an error that names a parameter this machine cannot support.
    ///
    /// # Panics
    /// Panics if a player does not play this game.
    pub fn of(players: &[PlayerSpec; 2]) -> Result<Self, ParamError> {
        let [first, second] = players;
        Ok(Self::new([seat_player(first)?, seat_player(second)?]))
    }

    /// The streams of both seats of a game with this player stream.
    #[must_use]
    pub fn streams(stream: &Stream) -> [Stream; 2] {
        let mut second = stream.clone();
        second.jump();
        [stream.clone(), second]
    }

    fn forget(&mut self) {
        for player in &mut self.players {
            player.take_nodes();
            player.begin();
        }
        self.streams = None;
        self.nodes = [0, 0];
    }

    /// Lets the seat to move choose; the game's player stream is read at its first choice.
    fn seat_chooses(&mut self, game: &G, state: &G::State, stream: &Stream) -> G::Move {
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

    /// Plays one whole game as [`crate::game::play_game`] does, without listing the legal moves for
    /// players that do not ask for them; `watch` sees each position before a move, and the move.
    pub fn play(
        &mut self,
        game: &G,
        world: Stream,
        stream: &Stream,
        watch: impl FnMut(&G::State, G::Move),
    ) -> Outcome {
        self.play_to_end(game, world, stream, watch).0
    }

    /// As [`Seats::play`], and returns the last state, too.
    pub fn play_to_end(
        &mut self,
        game: &G,
        world: Stream,
        stream: &Stream,
        mut watch: impl FnMut(&G::State, G::Move),
    ) -> (Outcome, G::State) {
        self.forget();
        let mut turns = Turns::new(game, world);
        loop {
            if let Some(mut outcome) = turns.outcome() {
                self.write_nodes(&mut outcome);
                return (outcome, turns.into_state());
            }
            let chosen = self.seat_chooses(game, turns.state(), stream);
            watch(turns.state(), chosen);
            turns.play(game, chosen);
        }
    }
}

impl<G: TwoPlayer> Player<G> for Seats<G> {
    fn begin(&mut self, _game: &G) {
        self.forget();
    }

    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        let seat = game.seat(state);
        let streams = self.streams.get_or_insert_with(|| Self::streams(stream));
        let chosen = self.players[seat].choose_among(game, state, legal, &mut streams[seat]);
        self.nodes[seat] += self.players[seat].take_nodes();
        chosen
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let seat = game.seat(state);
        let stream = match &self.streams {
            Some(streams) => streams[seat].clone(),
            None => Self::streams(stream)[seat].clone(),
        };
        let values = self.players[seat].evaluate(game, state, legal, &stream);
        // Positions that were visited for the values do not count as those of the game.
        self.players[seat].take_nodes();
        values
    }

    fn scale(&self, game: &G, state: &G::State) -> Scale {
        self.players[game.seat(state)].scale(game)
    }

    fn end(&mut self, _game: &G, outcome: &mut Outcome) {
        self.write_nodes(outcome);
    }

    fn own_streams(&self) -> Vec<Stream> {
        self.streams.iter().flatten().cloned().collect()
    }

    fn restore_streams(&mut self, streams: &[Stream]) {
        self.streams = <[Stream; 2]>::try_from(streams.to_vec()).ok();
    }
}

/// Builds the job of a cell of a two-player game.
///
/// # Errors
/// Returns an error if these games do not have the kernel or this machine cannot support a player.
pub(super) fn build<G: TwoPlayerGame>(setup: &Setup<'_>) -> Result<Box<dyn Job>, ParamError> {
    if !matches!(
        setup.kernel,
        KernelChoice::Auto | KernelChoice::Reference | KernelChoice::Portable
    ) {
        let kernel = setup.kernel.name();
        let message =
            format!("{kernel} does not play two-player games; accepted: auto, reference, portable");
        return Err(ParamError::new("kernel", message));
    }
    let rules = G::rules(setup.params);
    if setup.kernel == KernelChoice::Reference {
        job(
            setup,
            G::BATCH_GAMES,
            move |index| rules(index).plain(),
            true,
        )
    } else {
        job(setup, G::BATCH_GAMES, rules, false)
    }
}

/// The job of two players at a game whose rules may change with the index of the game.
fn job<G, R>(
    setup: &Setup<'_>,
    batch_games: u64,
    rules: R,
    lists_moves: bool,
) -> Result<Box<dyn Job>, ParamError>
where
    G: TwoPlayer + Describe,
    R: Fn(u64) -> G + Send + Sync + 'static,
{
    let players: [PlayerSpec; 2] = setup
        .players
        .to_vec()
        .try_into()
        .expect("a two-player game has two players");
    // A player that cannot be made, for lack of memory, is refused here instead of within a batch.
    Seats::<G>::of(&players)?;
    Ok(Box::new(SeatsJob {
        rules,
        seats: move || Seats::of(&players).unwrap_or_else(|error| panic!("{error}")),
        seeds: setup.seeds,
        batch_games,
        kernel: if lists_moves {
            KernelChoice::Reference
        } else {
            KernelChoice::Portable
        }
        .name(),
        lists_moves,
    }))
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
    /// Whether the games go through [`crate::game::play_game`], which lists all legal moves; the
    /// same games either way.
    pub lists_moves: bool,
}

impl<G, R, F> SeatsJob<R, F>
where
    G: TwoPlayer + Describe,
    R: Fn(u64) -> G + Send + Sync,
    F: Fn() -> Seats<G> + Send + Sync,
{
    /// One game through the generic loop.
    fn listed(&self, game: u64) -> LoopJob<G, &F> {
        let Self {
            seats,
            seeds,
            batch_games,
            kernel,
            ..
        } = self;
        let game = (self.rules)(game);
        LoopJob {
            game,
            player: seats,
            seeds: *seeds,
            batch_games: *batch_games,
            kernel,
            fallback: None,
        }
    }

    /// Plays games and calls `each` with the index, the rules, the outcome and the last state.
    fn play_all(&self, games: Range<u64>, mut each: impl FnMut(u64, &G, &Outcome, &G::State)) {
        let mut seats = (self.seats)();
        let mut moves = Vec::new();
        for index in games {
            let game = (self.rules)(index);
            let world = self.seeds.world_stream(index);
            let stream = self.seeds.player_stream(index);
            let (outcome, last) = if self.lists_moves {
                play_to_end(&game, &mut seats, world, stream, &mut moves, None)
            } else {
                seats.play_to_end(&game, world, &stream, |_, _| ())
            };
            each(index, &game, &outcome, &last);
        }
    }
}

impl<G, R, F> Job for SeatsJob<R, F>
where
    G: TwoPlayer + Describe,
    R: Fn(u64) -> G + Send + Sync,
    F: Fn() -> Seats<G> + Send + Sync,
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

    fn play_each(&self, games: Range<u64>, tally: &mut Tally, mut each: Option<Each<'_>>) {
        self.play_all(games, |index, _, outcome, _| {
            tally.add(outcome);
            if let Some(each) = &mut each {
                each(index, outcome);
            }
        });
    }

    fn play_positions(&self, games: Range<u64>, tally: &mut Tally, each: EachPosition<'_>) {
        self.play_all(games, |index, game, outcome, last| {
            tally.add(outcome);
            each(index, outcome, &game.position(last).to_string());
        });
    }

    fn replay(&self, game: u64, line: &mut dyn FnMut(Json)) -> Outcome {
        self.listed(game).replay(game, line)
    }

    fn replay_given(
        &self,
        game: u64,
        moves: &[String],
        line: &mut dyn FnMut(Json),
    ) -> Result<Reached, GivenError> {
        self.listed(game).replay_given(game, moves, line)
    }

    fn open(&self, game: u64, board: Option<&Rows>) -> Result<Box<dyn Session>, PositionError> {
        session::open((self.rules)(game), (self.seats)(), self.seeds, game, board)
    }
}
