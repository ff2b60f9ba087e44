//! The traits of games and players: [`Game`], [`Player`], [`Job`].
//!
//! Every game is played by one generic loop, [`play_game`]: the world deals, a seat chooses, the
//! rules play the move. The loop over a game's plain rules is that game's *reference*. A fast batch
//! kernel plays the same games, and tests compare it with the reference, game for game. A [`Job`]
//! bundles one cell's game, rules, player and seeds for the runner. It is called once per batch, so
//! there is no dynamic dispatch per move.

pub mod advice;
pub mod answers;
pub mod batches;
pub mod boards;
mod entries;
pub mod given;
pub mod job;
pub mod learner;
pub mod registry;
pub mod session;
pub mod splitting;
pub mod stepping;
pub mod turns;
pub mod view;

pub use job::{BatchEngine, GameObserver, Job, LoopJob};
pub use turns::{Turns, play_game};

pub use crate::tally::{
    Forfeit, Forfeits, GameResult, MEASURES_MAX, Measure, MeasureKind, Outcome, Sampling,
    SplitLevel, Tally, Trajectory,
};

use crate::json::{Json, json};
use crate::params::ParamError;
use crate::rng::{Draw, SeedableRng, Stream};
use serde::{Deserialize, Serialize, de::DeserializeOwned};
use std::fmt::Debug;
use view::{Attempt, BoardView, Hint, Path, Slide};

/// The rules of a game, with their parameters.
///
/// A state is everything that the rest of the game depends on, apart from the two random streams.
pub trait Game: Clone + Send + Sync + 'static {
    /// A position with everything else the rules need (whose turn, round number, score).
    type State: Clone + Send;
    /// A choice that a player makes.
    type Move: Copy + PartialEq + Debug + Send + 'static;

    /// All moves, in a game where each is legal in every position; other games have
    /// [`Game::legal`].
    const MOVES: &'static [Self::Move] = &[];

    /// The numbers reported at the end in addition to result and moves.
    const MEASURES: &'static [Measure] = &[];

    /// [`Game::MEASURES`], for rules that are known only at run time.
    fn measures(&self) -> &'static [Measure] {
        Self::MEASURES
    }

    /// The state before anything has been dealt.
    fn start(&self, world: &mut Stream) -> Self::State;

    /// The states in which games can begin, with weights as in [`Game::chances`]; `None` if the
    /// game does not list them. Only games with a random [`Game::start`] need it.
    fn starts(&self) -> Option<Vec<(f64, Self::State)>> {
        let start = without_draws(|world| self.start(world))?;
        Some(vec![(1.0, start)])
    }

    /// The number of events, in a game where every deal is one of them, all equally likely:
    /// [`Game::event`] says what they do. Other games of chance have their own [`Game::deal`].
    const EVENTS: u64 = 0;

    /// Plays the random events before the next choice; does nothing in games without randomness.
    ///
    /// After it, either the game is over ([`Game::outcome`]) or a seat has at least one legal move.
    #[inline]
    fn deal(&self, state: &mut Self::State, world: &mut Stream) {
        if Self::EVENTS > 0 {
            self.event(state, Draw::next(world).below(Self::EVENTS));
        }
    }

    /// Plays event number `index` of [`Game::EVENTS`], from 0. A game with events has its own:
    ///
    /// ```compile_fail,E0080
    /// use tilelab_core::{CellSeeds, Game, Outcome, Stream, Turns};
    ///
    /// #[derive(Clone)]
    /// struct Coin;
    ///
    /// impl Game for Coin {
    ///     type State = ();
    ///     type Move = ();
    ///     const MOVES: &[()] = &[()];
    ///     const EVENTS: u64 = 2;
    ///     fn start(&self, _: &mut Stream) {}
    ///     fn play(&self, _: &mut (), _: ()) {}
    ///     fn outcome(&self, _: &()) -> Option<Outcome> {
    ///         Some(Outcome::new(true, 0))
    ///     }
    /// }
    ///
    /// Turns::new(&Coin, CellSeeds::of(67).world_stream(0));
    /// ```
    fn event(&self, _state: &mut Self::State, _index: u64) {
        const { assert!(Self::EVENTS == 0, "a game with EVENTS has its own `event`") };
    }

    /// The states that the next deal can make of this one, with weights in any unit (at least 0),
    /// for exact figures; `None` if the game does not list them. A state may be there several
    /// times. Only games with a random [`Game::deal`] of their own need it.
    fn chances(&self, state: &Self::State) -> Option<Vec<(f64, Self::State)>> {
        let dealt = |index| {
            let mut dealt = state.clone();
            self.event(&mut dealt, index);
            (1.0, dealt)
        };
        if Self::EVENTS > 0 {
            return Some((0..Self::EVENTS).map(dealt).collect());
        }
        // A deal that draws nothing is certain.
        let mut dealt = state.clone();
        without_draws(|world| self.deal(&mut dealt, world))?;
        Some(vec![(1.0, dealt)])
    }

    /// The seat to move, from 0.
    fn seat(&self, _state: &Self::State) -> usize {
        0
    }

    /// Writes the legal moves into `moves`, in the game's fixed order; `moves` arrives empty.
    fn legal(&self, _state: &Self::State, moves: &mut Vec<Self::Move>) {
        const {
            assert!(
                !Self::MOVES.is_empty(),
                "a game has MOVES or its own `legal`"
            )
        };
        moves.extend_from_slice(Self::MOVES);
    }

    /// Whether [`Game::legal_count`] and [`Game::nth_legal`] do not list all moves.
    const PICKS_MOVES: bool = !Self::MOVES.is_empty();

    /// The legal moves as a list of their own.
    fn legal_moves(&self, state: &Self::State) -> Vec<Self::Move> {
        let mut moves = Vec::new();
        self.legal(state, &mut moves);
        moves
    }

    /// The number of legal moves.
    fn legal_count(&self, state: &Self::State) -> usize {
        if !Self::MOVES.is_empty() {
            return Self::MOVES.len();
        }
        self.legal_moves(state).len()
    }

    /// Legal move number `index` in the order of [`Game::legal`].
    ///
    /// # Panics
    /// Panics if there are at most `index` legal moves.
    fn nth_legal(&self, state: &Self::State, index: usize) -> Self::Move {
        if !Self::MOVES.is_empty() {
            return Self::MOVES[index];
        }
        self.legal_moves(state)[index]
    }

    /// Plays a legal move.
    fn play(&self, state: &mut Self::State, chosen: Self::Move);

    /// The rules of game number `index` of a cell whose games walk a list of starts; `None` where
    /// all games have these rules.
    fn numbered(&self, _index: u64) -> Option<Self> {
        None
    }

    /// How near a position after a move is to a win, in whole numbers that grow towards it, in a
    /// one-player game whose rare wins are estimated by [`splitting`]. Only their order matters.
    const LEVEL: Option<Level<Self>> = None;

    /// The outcome of a finished game; `None` while it is in progress.
    fn outcome(&self, state: &Self::State) -> Option<Outcome>;
}

/// How near a position after a move is to a win, in whole numbers that grow towards it
/// ([`Game::LEVEL`]).
pub type Level<G> = fn(&G, &<G as Game>::State) -> u64;

/// What is done with a stream of which nothing is drawn; `None` where something is.
pub(crate) fn without_draws<T>(work: impl FnOnce(&mut Stream) -> T) -> Option<T> {
    let unused = Stream::seed_from_u64(0);
    let mut world = unused.clone();
    let done = work(&mut world);
    (world == unused).then_some(done)
}

/// What becomes of boards with weights when a tile appears on a random one of their blank cells, if
/// there is one.
pub fn spawned<S: Clone, T>(
    boards: &[(f64, S)],
    tiles: &[(T, f64)],
    blanks: impl Fn(&S) -> Vec<usize>,
    put: impl Fn(&mut S, usize, &T),
) -> Vec<(f64, S)> {
    let mut dealt = Vec::new();
    for (weight, board) in boards {
        let blanks = blanks(board);
        if blanks.is_empty() {
            dealt.push((*weight, board.clone()));
        }
        for &cell in &blanks {
            for (tile, share) in tiles {
                let mut board = board.clone();
                put(&mut board, cell, tile);
                dealt.push((weight * share / blanks.len() as f64, board));
            }
        }
    }
    dealt
}

/// Why a position or a board cannot be played, in one line.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct PositionError(String);

impl From<String> for PositionError {
    fn from(message: String) -> Self {
        Self(message)
    }
}

impl From<&str> for PositionError {
    fn from(message: &str) -> Self {
        Self(message.to_owned())
    }
}

/// One of [`Boards`](boards::Boards): kinds and numbers.
pub type Tiles<'a> = (&'a [u8], &'a [f64]);

/// Why a game cannot begin on a board.
const NO_BOARDS: &str = "this game cannot start on a given board; play it from its start";

/// The positions of a game as JSON: those of serde where the state derives it.
#[diagnostic::on_unimplemented(
    message = "the positions of `{Self}` cannot be written and read",
    label = "its `State` does not derive `serde::Serialize` and `serde::Deserialize`",
    note = "derive both for the `State`, or implement `Positions` for the game"
)]
pub trait Positions: Game {
    /// Whether games can begin on given boards ([`boards`]): [`Positions::parse`] reads
    /// `{"board": rows}`, with rows of tile texts, as the position of a game after its first deal,
    /// and the moves are the four directions.
    const HAS_BOARDS: bool = false;

    /// Rows and columns of a board; 0 in games whose positions are not written as arrays.
    fn shape(&self) -> (usize, usize) {
        (0, 0)
    }

    /// Writes a board; see [`Table::read`](stepping::Table::read).
    fn read(&self, _state: &Self::State, _kinds: &mut [u8], _numbers: &mut [f64]) {}

    /// The state of a game that begins on a board, as after a deal. Kinds are known and numbers
    /// whole; see [`boards::state_on`].
    ///
    /// # Errors
    /// Says in one line why the board is invalid, or that the game has no boards.
    fn on_board(&self, _tiles: Tiles<'_>) -> Result<Self::State, PositionError> {
        Err(NO_BOARDS.into())
    }

    /// A state as JSON that [`Positions::parse`] reads back to an equal state, also when the game
    /// is over.
    fn position(&self, state: &Self::State) -> Json;

    /// Reads a state.
    ///
    /// # Errors
    /// Says in one line why the position is invalid.
    fn parse(&self, position: &Json) -> Result<Self::State, PositionError>;
}

impl<G: Game<State: Serialize + DeserializeOwned>> Positions for G {
    fn position(&self, state: &G::State) -> Json {
        serde_json::to_value(state).expect("a state is a value of JSON")
    }

    fn parse(&self, position: &Json) -> Result<G::State, PositionError> {
        G::State::deserialize(position).map_err(|error| error.to_string().into())
    }
}

/// The text and display of a game: transcripts, and views for people who play or watch. Everything
/// has a default.
#[diagnostic::on_unimplemented(
    message = "`{Self}` does not say how people see it",
    label = "write `impl Describe for {Self} {{}}`",
    note = "everything in `Describe` has a default"
)]
pub trait Describe: Positions {
    /// One line of a transcript (`replay --json`).
    fn describe(&self, turn: &Turn<'_, Self>) -> Json {
        let name = |chosen| self.move_name(turn.dealt, chosen);
        json!({
            "turn": turn.number,
            "position": self.position(turn.dealt),
            "legal": turn.legal.iter().map(|&chosen| name(chosen)).collect::<Vec<_>>(),
            "move": turn.played.map(|(chosen, _)| name(chosen)),
            "after": turn.played.map(|(_, after)| self.position(after)),
            "outcome": turn.outcome.map(|outcome| outcome.result),
        })
    }

    /// A state prepared for display.
    fn view(&self, state: &Self::State) -> BoardView {
        BoardView::of_position(&self.position(state))
    }

    /// The name of a legal move. Moves named `up`, `down`, `left`, `right` or by a single character
    /// have a key.
    fn move_name(&self, _state: &Self::State, chosen: Self::Move) -> String {
        format!("{chosen:?}").trim_matches('"').to_lowercase()
    }

    /// Where each tile went, including tiles that stayed; empty in games whose tiles do not move.
    /// Tiles that went to the same cell have merged. `after` is the state before the next deal.
    fn slides(
        &self,
        _before: &Self::State,
        _chosen: Self::Move,
        _after: &Self::State,
    ) -> Vec<Slide> {
        Vec::new()
    }

    /// The rules for people, in a few short lines with the values of these parameters.
    fn how_to_play(&self) -> String {
        String::new()
    }

    /// What wins, in a few words, such as "make 67".
    fn goal(&self) -> String {
        String::new()
    }

    /// Why a finished game is over, in a few words.
    fn why_over(&self, _state: &Self::State) -> String {
        String::new()
    }

    /// Why this move is illegal; `None` if the game gives no reason.
    fn why_illegal(&self, _state: &Self::State, _attempt: Attempt<'_>) -> Option<String> {
        None
    }

    /// The names of all moves, legal or not, in games played with buttons; otherwise empty.
    fn buttons(&self, _state: &Self::State) -> Vec<String> {
        Vec::new()
    }

    /// The two cells of a move that is made by choosing one cell and then another.
    fn path(&self, _chosen: Self::Move) -> Option<Path> {
        None
    }

    /// The suggestion of the game's solver; `None` in games without a solver, where a player is
    /// asked instead.
    fn solve(&self, _state: &Self::State) -> Option<Hint<Self::Move>> {
        None
    }
}

/// One turn of a game as a transcript shows it.
#[non_exhaustive]
pub struct Turn<'a, G: Game> {
    /// Turns are numbered from 1.
    pub number: u64,
    /// The state before the deal.
    pub before: &'a G::State,
    /// The state after the deal, before the move.
    pub dealt: &'a G::State,
    /// The legal moves, empty when the deal ended the game.
    pub legal: &'a [G::Move],
    /// The chosen move and the state after it; `None` when the deal ended the game.
    pub played: Option<(G::Move, &'a G::State)>,
    /// Set on the last turn.
    pub outcome: Option<Outcome>,
}

/// A value for each legal move, in their order, `None` for a move that the player does not
/// evaluate; the whole is `None` if it has no values.
pub type MoveValues = Option<Vec<Option<f64>>>;

/// A strategy that chooses moves.
///
/// A player may keep scratch memory between calls, but its choices may depend only on the game's
/// parameters, the states since [`Player::begin`] and the player stream; otherwise results would
/// depend on batches.
pub trait Player<G: Game>: Send + 'static {
    /// Called before each game; must clear all state of the previous one.
    fn begin(&mut self, _game: &G) {}

    /// Whether [`Player::choose`] takes the list of legal moves when it moves for this seat;
    /// otherwise `legal` may be empty.
    fn needs_list(&self, _seat: usize) -> bool {
        true
    }

    /// Chooses one of the legal moves; there is at least one.
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move;

    /// Positions visited since the last call; 0 for players that do not search.
    fn take_nodes(&mut self) -> u64 {
        0
    }

    /// The player's value of each legal move, on its own scale ([`Player::scale`]); larger is
    /// better.
    ///
    /// `stream` is the stream of the next choice. Calling this does not change later choices.
    fn evaluate(
        &mut self,
        _game: &G,
        _state: &G::State,
        _legal: &[G::Move],
        _stream: &Stream,
    ) -> MoveValues {
        None
    }

    /// The move of [`Player::choose`] and the values of [`Player::evaluate`], for players that find
    /// both at once.
    fn choose_and_evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> (G::Move, MoveValues) {
        let values = self.evaluate(game, state, legal, stream);
        (self.choose(game, state, legal, stream), values)
    }

    /// What the values of [`Player::evaluate`] measure in the position evaluated last.
    fn scale(&self, _game: &G, _state: &G::State) -> Scale {
        Scale::Own
    }

    /// Called after each game; may write the player's own measures (such as nodes visited) into the
    /// outcome.
    fn end(&mut self, _game: &G, _outcome: &mut Outcome) {}

    /// The current states of the player's own streams, if it has any besides the one passed to it.
    fn own_streams(&self) -> Vec<Stream> {
        Vec::new()
    }

    /// Restores the streams that [`Player::own_streams`] returned earlier in the same game.
    fn restore_streams(&mut self, _streams: &[Stream]) {}
}

/// A closure that chooses moves is a player.
impl<G, F> Player<G> for F
where
    G: Game,
    F: FnMut(&G, &G::State, &[G::Move], &mut Stream) -> G::Move + Send + 'static,
{
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        self(game, state, legal, stream)
    }
}

/// What the values of [`Player::evaluate`] measure.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Scale {
    /// The probability of winning, from 0 to 1.
    Chance,
    /// Points ahead of the other player; `unit` is the value of one point. Values beyond half of
    /// [`WIN`](crate::games::two_player::WIN) are decided games.
    Margin {
        /// The value of one point.
        unit: i64,
    },
    /// Points still to come.
    Points,
    /// The player's own values: only their order and differences are meaningful.
    Own,
}

/// Observes every turn of a game.
pub type Watch<'a, G> = &'a mut dyn FnMut(&Turn<'_, G>);

/// The requested engine.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
#[non_exhaustive]
pub enum KernelChoice {
    /// The fastest that supports the rules, the board size and the machine.
    #[default]
    Auto,
    /// The reference rules in the generic loop.
    Reference,
    /// Bit-packed boards, for every machine.
    Portable,
    /// Needs 64-bit ARM.
    Neon,
    /// Needs WebAssembly with 128-bit vectors.
    Simd128,
    /// Needs BMI2 and AVX2.
    Avx2,
    /// Needs AVX-512 with VBMI2, GFNI, VPOPCNTDQ and BITALG.
    Avx512,
}

impl KernelChoice {
    /// All choices with their names on the command line.
    pub const ALL: [(&'static str, Self); 7] = [
        ("auto", Self::Auto),
        ("reference", Self::Reference),
        ("portable", Self::Portable),
        ("neon", Self::Neon),
        ("simd128", Self::Simd128),
        ("avx2", Self::Avx2),
        ("avx512", Self::Avx512),
    ];

    /// The name on the command line.
    pub const fn name(self) -> &'static str {
        Self::ALL[self as usize].0
    }

    /// The error where this choice does not go with a cell, for the reason that follows its name.
    pub fn refused(self, why: &str) -> ParamError {
        ParamError::new("kernel", format!("{} {why}", self.name()))
    }

    /// Accepts what the loop alone plays.
    ///
    /// # Errors
    /// Returns the error of [`KernelChoice::refused`] for kernels requested by name.
    pub fn accept_reference(self, why: &str) -> Result<(), ParamError> {
        if matches!(self, Self::Auto | Self::Reference) {
            return Ok(());
        }
        Err(self.refused(why))
    }
}

/// A kernel as `tilelab list kernels` shows it.
#[derive(Clone, Copy, Debug)]
pub struct KernelEntry {
    /// The choice that selects the kernel.
    pub choice: KernelChoice,
    /// What the kernel is, in one line.
    pub summary: &'static str,
    /// The machine features that the kernel needs.
    pub needs: &'static str,
    /// Whether this machine supports it.
    pub available: fn() -> bool,
}
