//! Two players in one game: whose turn it is, and which stream each player uses.
//!
//! # Streams
//! Seat 0 draws from the game's player stream, seat 1 from the same stream after one jump of
//! xoshiro256++ (2¹²⁸ words), so that what one seat draws does not depend on how much the other
//! draws.

use crate::game::registry::{BuiltJob, PlayableGame, PlayerSpec, Setup};
use crate::game::{Game, KernelChoice, LoopJob, MoveValues, Outcome, Player, Scale};
use crate::games::two_player::{MEASURES, NODES_AT, seat_player};
use crate::params::ParamError;
use crate::rng::Stream;

/// The players of both seats, as one player of the game.
pub struct Seats<G: Game> {
    players: [Box<dyn Player<G>>; 2],
    /// For which of the players legal moves are listed.
    lists: [bool; 2],
    streams: Option<[Stream; 2]>,
    nodes: [u64; 2],
}

impl<G: Game> Seats<G> {
    /// The seats of two named players, seat 0 first. With `lists`, legal moves are listed also for
    /// players that do not need it.
    ///
    /// # Errors
    /// Returns an error that names a parameter this machine cannot support.
    ///
    /// # Panics
    /// Panics if a player does not play this game.
    pub fn of(players: &[PlayerSpec], lists: bool) -> Result<Self, ParamError> {
        let [first, second] = players else {
            panic!("a two-player game has two players");
        };
        let players: [Box<dyn Player<G>>; 2] = [seat_player(first)?, seat_player(second)?];
        Ok(Self {
            lists: [0, 1].map(|seat| lists || players[seat].needs_list(seat)),
            players,
            streams: None,
            nodes: [0, 0],
        })
    }

    /// The streams of both seats of a game with this player stream.
    pub fn streams(stream: &Stream) -> [Stream; 2] {
        let mut second = stream.clone();
        second.jump();
        [stream.clone(), second]
    }
}

impl<G: Game> Player<G> for Seats<G> {
    fn begin(&mut self, game: &G) {
        for player in &mut self.players {
            player.take_nodes();
            player.begin(game);
        }
        self.streams = None;
        self.nodes = [0, 0];
    }

    fn needs_list(&self, seat: usize) -> bool {
        self.lists[seat]
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
        let player = &mut self.players[seat];
        let chosen = player.choose(game, state, legal, &mut streams[seat]);
        self.nodes[seat] += player.take_nodes();
        chosen
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &Stream,
    ) -> MoveValues {
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
        self.players[game.seat(state)].scale(game, state)
    }

    fn end(&mut self, game: &G, outcome: &mut Outcome) {
        if game.measures() == MEASURES {
            for seat in [0, 1] {
                outcome.measures[NODES_AT[seat]] = self.nodes[seat] as i64;
            }
        }
    }

    fn own_streams(&self) -> Vec<Stream> {
        self.streams.iter().flatten().cloned().collect()
    }

    fn restore_streams(&mut self, streams: &[Stream]) {
        self.streams = <[Stream; 2]>::try_from(streams.to_vec()).ok();
    }
}

/// The job of a cell of a two-player game.
///
/// # Errors
/// Returns an error if these games do not have the kernel or this machine cannot support a player.
pub fn job<G: PlayableGame>(game: G, setup: &Setup<'_>) -> BuiltJob {
    let kernel = match setup.kernel {
        KernelChoice::Auto | KernelChoice::Portable => KernelChoice::Portable,
        KernelChoice::Reference => KernelChoice::Reference,
        other => {
            let why = "does not play two-player games; accepted: auto, reference, portable";
            return Err(other.refused(why));
        }
    };
    let players = setup.players.to_vec();
    let seats = move || Seats::<G>::of(&players, kernel == KernelChoice::Reference);
    // A player that cannot be made, for lack of memory, is refused here instead of within a batch.
    seats()?;
    let player = move || seats().unwrap_or_else(|error| panic!("{error}"));
    Ok(Box::new(LoopJob {
        batch_games: G::ENTRY.batch_games,
        kernel: kernel.name(),
        ..LoopJob::new(game, player, setup.seeds)
    }))
}
