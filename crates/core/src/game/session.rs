//! One game played move by move, by a person or a player, with undo.
//!
//! A [`Session`] is one game of a [`Job`](super::Job) for people to play and watch. It deals, names
//! the legal moves, asks the job's player, and stores earlier positions for undo. A game that is
//! only watched is exactly the job's game of the same index.

pub use super::boards::BoardRows;
use super::boards::start_on;
pub use super::view::{Attempt, Hint, Path};
use super::view::{BoardView, Mark, Slide, Tone};
use super::{Describe, MoveValues, Outcome, Player, PositionError, Scale, Turns};
use crate::json::Json;
use crate::rng::{CellSeeds, Stream};
use std::collections::VecDeque;

/// The largest number of moves that can be undone.
pub const UNDO_MAX: usize = 1000;

/// A position prepared for display, with its legal moves.
#[derive(Clone, Debug)]
pub struct View {
    /// Board and facts, with the new and the merged tiles marked.
    pub board: BoardView,
    /// The seat to move.
    pub seat: usize,
    /// The names of the legal moves, in the game's fixed order; empty when the game is over.
    pub legal: Vec<String>,
    /// The last move.
    pub last: Option<String>,
    /// Where each tile went in the last move ([`Describe::slides`]).
    pub slides: Vec<Slide>,
    /// Moves made so far.
    pub moves: u64,
    /// Set when the game is over.
    pub outcome: Option<Outcome>,
    /// Why the game is over; empty while it is in progress.
    pub why_over: String,
    /// All buttons, pressable or not, in games that have buttons ([`Describe::buttons`]).
    pub buttons: Vec<String>,
    /// The cells of each legal move in games where two cells are chosen ([`Describe::path`]);
    /// otherwise empty.
    pub paths: Vec<Path>,
}

/// One game in progress.
pub trait Session: Send {
    /// The position.
    fn view(&self) -> View;

    /// The position as JSON, as [`Positions::position`](super::Positions::position) writes it.
    fn position(&self) -> Json;

    /// Whether the game is over; cheaper than a whole [`Session::view`].
    fn is_over(&self) -> bool;

    /// The rules of the game, for display to people.
    fn rules(&self) -> String;

    /// What wins, in a few words.
    fn goal(&self) -> String;

    /// Why this move is illegal, if the game gives a reason.
    fn why_illegal(&self, attempt: Attempt<'_>) -> Option<String>;

    /// Plays the legal move with this index in [`View::legal`], then deals.
    ///
    /// # Panics
    /// Panics if there is no such move.
    fn play(&mut self, legal: usize);

    /// Lets the player of the seat to move choose; returns an index in [`View::legal`].
    ///
    /// # Panics
    /// Panics if the game is over.
    fn choose(&mut self) -> usize;

    /// Suggests a move as an index in [`View::legal`], from the game's solver if it has one,
    /// otherwise from the player of the seat to move. A hint does not advance the player's stream.
    ///
    /// # Panics
    /// Panics if the game is over.
    fn hint(&mut self) -> Hint<usize>;

    /// The values of the legal moves according to the player of the seat to move, in the order of
    /// [`View::legal`] ([`Player::evaluate`]); `None` if the player has no values. It changes
    /// nothing.
    ///
    /// # Panics
    /// Panics if the game is over.
    fn evaluate(&mut self) -> MoveValues;

    /// What the values of [`Session::evaluate`] measure.
    fn scale(&self) -> Scale {
        Scale::Own
    }

    /// Undoes the last move and restores the streams, so that the same move gives the same tiles
    /// again. Returns whether there was a move to undo.
    fn undo(&mut self) -> bool;
}

/// Opens game number `index` with these seeds, on the given board or from the start of the rules.
///
/// # Errors
/// Returns an error if the board is invalid.
pub fn open<G, P>(
    game: G,
    mut player: P,
    seeds: CellSeeds,
    index: u64,
    board: Option<&BoardRows>,
) -> Result<Box<dyn Session>, PositionError>
where
    G: Describe,
    P: Player<G>,
{
    let world = seeds.world_stream(index);
    player.begin(&game);
    let stream = seeds.player_stream(index);
    let streams = PlayerStreams {
        given: stream.clone(),
        own: player.own_streams(),
    };
    let now = match board {
        Some(rows) => {
            let turns = Turns::on(&game, start_on(&game, rows)?, world);
            Position::new(&game, &mut player, streams, turns)
        }
        None => {
            let turns = Turns::undealt(&game, world);
            Position::dealt(&game, &mut player, streams, turns, Vec::new())
        }
    };
    Ok(Box::new(Running {
        game,
        player,
        stream,
        now,
        past: VecDeque::new(),
    }))
}

struct Running<G: Describe, P> {
    game: G,
    player: P,
    stream: Stream,
    now: Position<G>,
    past: VecDeque<Position<G>>,
}

/// What a player draws from.
#[derive(Clone)]
struct PlayerStreams {
    given: Stream,
    /// The player's own streams ([`Player::own_streams`]).
    own: Vec<Stream>,
}

/// A position after dealing.
struct Position<G: Describe> {
    /// The streams as they were when the position was reached, before the player was asked.
    streams: PlayerStreams,
    turns: Turns<G>,
    legal: Vec<G::Move>,
    /// The position prepared for display; its outcome has the measures that the player adds.
    view: View,
}

impl<G: Describe> Position<G> {
    /// Deals, unless the game is over already; `slides` are those of the last move.
    fn dealt<P: Player<G>>(
        game: &G,
        player: &mut P,
        streams: PlayerStreams,
        mut turns: Turns<G>,
        slides: Vec<Slide>,
    ) -> Self {
        let before = game.view(turns.state());
        turns.deal(game);
        let is_made = |place| slides.iter().filter(|slide| slide.to == place).count() > 1;
        let mut position = Self::new(game, player, streams, turns);
        for (row, cells) in position.view.board.cells.iter_mut().enumerate() {
            for (col, cell) in cells.iter_mut().enumerate() {
                let was = before.cells.get(row).and_then(|cells| cells.get(col));
                if cell.tone != Tone::Operator && is_made((row, col)) {
                    cell.mark = Some(Mark::Made);
                } else if was.is_some_and(|was| was.text != cell.text) {
                    cell.mark = Some(Mark::Dealt);
                }
            }
        }
        position.view.slides = slides;
        position
    }

    /// The position of a game that has been dealt.
    fn new<P: Player<G>>(
        game: &G,
        player: &mut P,
        streams: PlayerStreams,
        turns: Turns<G>,
    ) -> Self {
        let mut outcome = turns.outcome();
        if let Some(outcome) = &mut outcome {
            player.end(game, outcome);
        }
        let state = turns.state();
        let legal = turns.legal(game);
        let names = legal.iter().map(|&chosen| game.move_name(state, chosen));
        let paths = legal.iter().filter_map(|&chosen| game.path(chosen));
        let view = View {
            board: game.view(state),
            seat: game.seat(state),
            legal: names.collect(),
            last: None,
            slides: Vec::new(),
            moves: 0,
            outcome,
            why_over: outcome.map_or_else(String::new, |_| game.why_over(state)),
            buttons: game.buttons(state),
            paths: paths.collect(),
        };
        Self {
            streams,
            turns,
            legal,
            view,
        }
    }

    /// The index of a legal move.
    fn index(&self, chosen: G::Move) -> usize {
        let mut legal = self.legal.iter();
        legal
            .position(|&known| known == chosen)
            .expect("players and solvers choose legal moves")
    }
}

impl<G: Describe, P: Player<G>> Running<G, P> {
    fn streams(&self) -> PlayerStreams {
        PlayerStreams {
            given: self.stream.clone(),
            own: self.player.own_streams(),
        }
    }

    fn restore(&mut self, streams: &PlayerStreams) {
        self.stream = streams.given.clone();
        self.player.restore_streams(&streams.own);
    }
}

impl<G: Describe, P: Player<G>> Session for Running<G, P> {
    fn view(&self) -> View {
        self.now.view.clone()
    }

    fn position(&self) -> Json {
        self.game.position(self.now.turns.state())
    }

    fn is_over(&self) -> bool {
        self.now.view.outcome.is_some()
    }

    fn rules(&self) -> String {
        self.game.how_to_play()
    }

    fn goal(&self) -> String {
        self.game.goal()
    }

    fn why_illegal(&self, attempt: Attempt<'_>) -> Option<String> {
        self.game.why_illegal(self.now.turns.state(), attempt)
    }

    fn play(&mut self, legal: usize) {
        let chosen = self.now.legal[legal];
        let mut turns = self.now.turns.clone();
        turns.make(&self.game, chosen);
        let slides = self
            .game
            .slides(self.now.turns.state(), chosen, turns.state());
        let streams = self.streams();
        let mut next = Position::dealt(&self.game, &mut self.player, streams, turns, slides);
        next.view.last = Some(self.now.view.legal[legal].clone());
        next.view.moves = self.now.view.moves + 1;
        if self.past.len() == UNDO_MAX {
            self.past.pop_front();
        }
        self.past.push_back(std::mem::replace(&mut self.now, next));
    }

    fn choose(&mut self) -> usize {
        let Position { turns, legal, .. } = &self.now;
        let state = turns.state();
        let chosen = self
            .player
            .choose(&self.game, state, legal, &mut self.stream);
        self.now.index(chosen)
    }

    fn hint(&mut self) -> Hint<usize> {
        match self.game.solve(self.now.turns.state()) {
            Some(Hint::Choice(chosen)) => Hint::Choice(self.now.index(chosen)),
            Some(Hint::Solution { chosen, moves }) => Hint::Solution {
                chosen: self.now.index(chosen),
                moves,
            },
            Some(Hint::Unsolvable) => Hint::Unsolvable,
            None => {
                let streams = self.streams();
                let hinted = self.choose();
                self.restore(&streams);
                Hint::Choice(hinted)
            }
        }
    }

    fn evaluate(&mut self) -> MoveValues {
        assert!(
            !self.is_over(),
            "a game that is over has no moves to evaluate"
        );
        self.player.evaluate(
            &self.game,
            self.now.turns.state(),
            &self.now.legal,
            &self.stream,
        )
    }

    fn scale(&self) -> Scale {
        self.player.scale(&self.game, self.now.turns.state())
    }

    fn undo(&mut self) -> bool {
        let Some(position) = self.past.pop_back() else {
            return false;
        };
        self.restore(&position.streams);
        self.now = position;
        true
    }
}
