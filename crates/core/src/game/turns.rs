//! The turn loop: every game played by its reference rules uses [`Turns`].

use super::{Game, Outcome, Player, Turn, Watch};
use crate::rng::Stream;

/// One game in progress, move by move.
///
/// ```
/// use tilelab_core::{CellSeeds, SixtySeven, Turns};
///
/// let game = SixtySeven::new(6, 7);
/// let mut turns = Turns::new(&game, CellSeeds::of(67).world_stream(0));
/// while turns.outcome().is_none() {
///     let first = turns.legal(&game)[0];
///     turns.play(&game, first);
/// }
/// assert!(turns.outcome().unwrap().moves > 0);
/// ```
#[derive(Clone, Debug)]
pub struct Turns<G: Game> {
    state: G::State,
    world: Stream,
    outcome: Option<Outcome>,
}

impl<G: Game> Turns<G> {
    /// A new game after its first deal; `world` is the stream of its deals.
    pub fn new(game: &G, world: Stream) -> Self {
        let mut turns = Self::undealt(game, world);
        turns.deal(game);
        turns
    }

    /// A game that continues from a position after a deal.
    pub fn on(game: &G, state: G::State, world: Stream) -> Self {
        let outcome = game.outcome(&state);
        Self {
            state,
            world,
            outcome,
        }
    }

    /// A new game before its first deal.
    pub fn undealt(game: &G, mut world: Stream) -> Self {
        let state = game.start(&mut world);
        Self::before_deal(state, world)
    }

    /// A game that continues from a position before a deal.
    pub(crate) const fn before_deal(state: G::State, world: Stream) -> Self {
        Self {
            state,
            world,
            outcome: None,
        }
    }

    /// The position.
    pub const fn state(&self) -> &G::State {
        &self.state
    }

    /// Takes the position out of the game.
    pub fn into_state(self) -> G::State {
        self.state
    }

    /// How the game ended; `None` while it is in progress.
    pub const fn outcome(&self) -> Option<Outcome> {
        self.outcome
    }

    /// The legal moves; none when the game is over.
    pub fn legal(&self, game: &G) -> Vec<G::Move> {
        let mut moves = Vec::new();
        self.list_legal(game, &mut moves);
        moves
    }

    /// Replaces the content of `moves` by the legal moves.
    #[inline]
    pub fn list_legal(&self, game: &G, moves: &mut Vec<G::Move>) {
        moves.clear();
        if self.outcome.is_none() {
            game.legal(&self.state, moves);
        }
    }

    /// Plays a turn: a legal move, then the next deal unless the move ended the game.
    ///
    /// # Panics
    /// May panic if the move is not legal, or the game is over.
    #[inline]
    pub fn play(&mut self, game: &G, chosen: G::Move) {
        self.make(game, chosen);
        self.deal(game);
    }

    /// A legal move without the next deal.
    #[inline]
    pub fn make(&mut self, game: &G, chosen: G::Move) {
        game.play(&mut self.state, chosen);
        self.outcome = game.outcome(&self.state);
    }

    /// The deal, unless the game is over.
    #[inline]
    pub fn deal(&mut self, game: &G) {
        if self.outcome.is_none() {
            game.deal(&mut self.state, &mut self.world);
            self.outcome = game.outcome(&self.state);
        }
    }
}

/// Plays one whole game and calls `watch` with every turn; returns how it ended and the last state.
///
/// `moves` is scratch memory, so that a batch of games does not allocate per move. If `watch` is
/// `None`, no state is cloned.
#[inline]
pub fn play_game<G: Game, P: Player<G>>(
    game: &G,
    player: &mut P,
    world: Stream,
    stream: Stream,
    moves: &mut Vec<G::Move>,
    watch: Option<Watch<'_, G>>,
) -> (Outcome, G::State) {
    match watch {
        Some(watch) => play_turns::<true, G, P>(game, player, world, stream, moves, watch),
        None => play_turns::<false, G, P>(game, player, world, stream, moves, &mut |_| ()),
    }
}

/// The loop. It is compiled twice, so that games that nobody watches do not pay for it.
#[inline(always)]
fn play_turns<const WATCHED: bool, G: Game, P: Player<G>>(
    game: &G,
    player: &mut P,
    world: Stream,
    mut stream: Stream,
    moves: &mut Vec<G::Move>,
    watch: Watch<'_, G>,
) -> (Outcome, G::State) {
    player.begin(game);
    let mut turns = Turns::undealt(game, world);
    for number in 1.. {
        let before = WATCHED.then(|| turns.state.clone());
        turns.deal(game);
        let mut chosen = None;
        let mut dealt = None;
        moves.clear();
        if turns.outcome.is_none() {
            if WATCHED || player.needs_list(game.seat(&turns.state)) {
                game.legal(&turns.state, moves);
            }
            let choice = player.choose(game, &turns.state, moves, &mut stream);
            debug_assert!(
                moves.is_empty() || moves.contains(&choice),
                "{choice:?} is not legal"
            );
            dealt = WATCHED.then(|| turns.state.clone());
            turns.make(game, choice);
            chosen = Some(choice);
        }
        if let Some(outcome) = &mut turns.outcome {
            player.end(game, outcome);
        }
        if let Some(before) = &before {
            watch(&Turn {
                number,
                before,
                dealt: dealt.as_ref().unwrap_or(&turns.state),
                legal: moves,
                played: chosen.map(|chosen| (chosen, &turns.state)),
                outcome: turns.outcome,
            });
        }
        if let Some(outcome) = turns.outcome {
            return (outcome, turns.state);
        }
    }
    unreachable!("every game comes to an end")
}
