//! A game on the table: played move by move, by a person or a player, with moves taken back.
//!
//! A [`Session`] is one game of a [`Job`](super::Job) behind one object, for people to play and watch. It deals, offers the legal
//! moves by name, asks the job's player, and keeps the positions before. Watched without interference it is the job's game of the
//! same index, draw for draw.

use super::view::{BoardView, Mark};
use super::{Describe, Outcome, Player};
use crate::rng::{CellSeeds, Stream};
use std::collections::VecDeque;

/// How many moves can be taken back; what lies further back is forgotten.
pub const UNDO_MAX: usize = 1000;

/// A start board as typed: rows of tile texts.
pub type Rows = [Vec<String>];

/// What there is to see.
#[derive(Clone, Debug)]
pub struct View {
    /// Board and facts, with the dealt and the made tiles marked.
    pub look: BoardView,
    /// The seat to move.
    pub seat: usize,
    /// The names of the legal moves, in the game's fixed order; none when the game is over.
    pub legal: Vec<String>,
    /// The last move.
    pub last: Option<String>,
    /// Moves made so far.
    pub moves: u64,
    /// Set when the game is over.
    pub outcome: Option<Outcome>,
}

/// A game on the table.
pub trait Session: Send {
    /// The position.
    fn view(&self) -> View;

    /// Carries out the legal move with this place in [`View::legal`], and deals.
    ///
    /// # Panics
    /// When there is no such move.
    fn play(&mut self, legal: usize);

    /// Lets the player of the seat to move choose; returns a place in [`View::legal`].
    ///
    /// # Panics
    /// When the game is over.
    fn choose(&mut self) -> usize;

    /// What the player of the seat to move would choose; what it draws for that is not missed later.
    ///
    /// # Panics
    /// When the game is over.
    fn hint(&mut self) -> usize;

    /// Takes the last move back, with the streams as they were: the same move meets the same tiles again. Returns whether there
    /// was one to take back.
    fn undo(&mut self) -> bool;
}

/// Sits down to game number `index` with these seeds, on the given board or where the rules start.
///
/// # Errors
/// Says what is wrong with the board.
pub fn open<G, P>(
    game: G,
    mut player: P,
    seeds: CellSeeds,
    index: u64,
    board: Option<&Rows>,
) -> Result<Box<dyn Session>, String>
where
    G: Describe,
    P: Player<G>,
{
    let mut world = seeds.world_stream(index);
    let state = match board {
        Some(rows) => game.start_on(rows)?,
        None => game.start(&mut world),
    };
    player.begin(&game);
    let now = Position::dealt(&game, &mut player, state, world, &[]);
    let stream = seeds.player_stream(index);
    Ok(Box::new(Table { game, player, reached: stream.clone(), stream, now, past: VecDeque::new() }))
}

struct Table<G: Describe, P> {
    game: G,
    player: P,
    stream: Stream,
    /// The player's stream as it was when the position was reached, before the player was asked.
    reached: Stream,
    now: Position<G>,
    /// The positions before, each with the player's stream as it was when it was reached.
    past: VecDeque<(Position<G>, Stream)>,
}

/// A position after dealing.
struct Position<G: Describe> {
    state: G::State,
    world: Stream,
    legal: Vec<G::Move>,
    look: BoardView,
    last: Option<String>,
    moves: u64,
    outcome: Option<Outcome>,
}

impl<G: Describe> Position<G> {
    /// Deals, unless the game is over already; `made` are the cells that the last move made.
    fn dealt<P: Player<G>>(
        game: &G,
        player: &mut P,
        mut state: G::State,
        mut world: Stream,
        made: &[(usize, usize)],
    ) -> Self {
        let before = game.view(&state);
        let mut outcome = game.outcome(&state);
        if outcome.is_none() {
            game.deal(&mut state, &mut world);
            outcome = game.outcome(&state);
        }
        let mut legal = Vec::new();
        match &mut outcome {
            Some(outcome) => player.end(game, outcome),
            None => game.legal(&state, &mut legal),
        }
        let mut look = game.view(&state);
        for (row, cells) in look.cells.iter_mut().enumerate() {
            for (col, cell) in cells.iter_mut().enumerate() {
                let was = before.cells.get(row).and_then(|cells| cells.get(col));
                if made.contains(&(row, col)) {
                    cell.mark = Some(Mark::Made);
                } else if was.is_some_and(|was| was.text != cell.text) {
                    cell.mark = Some(Mark::Dealt);
                }
            }
        }
        Self { state, world, legal, look, last: None, moves: 0, outcome }
    }
}

impl<G: Describe, P: Player<G>> Table<G, P> {
    fn ask(&mut self) -> usize {
        let Position { state, legal, .. } = &self.now;
        let chosen = self.player.choose(&self.game, state, legal, &mut self.stream);
        legal.iter().position(|known| *known == chosen).expect("players choose legal moves")
    }
}

impl<G: Describe, P: Player<G>> Session for Table<G, P> {
    fn view(&self) -> View {
        let Position { state, legal, look, last, moves, outcome, .. } = &self.now;
        View {
            look: look.clone(),
            seat: self.game.seat(state),
            legal: legal.iter().map(|&chosen| self.game.move_name(state, chosen)).collect(),
            last: last.clone(),
            moves: *moves,
            outcome: *outcome,
        }
    }

    fn play(&mut self, legal: usize) {
        let chosen = self.now.legal[legal];
        let mut state = self.now.state.clone();
        self.game.play(&mut state, chosen);
        let made = self.game.made(&self.now.state, chosen, &state);
        let mut next = Position::dealt(&self.game, &mut self.player, state, self.now.world.clone(), &made);
        next.last = Some(self.game.move_name(&self.now.state, chosen));
        next.moves = self.now.moves + 1;
        if self.past.len() == UNDO_MAX {
            self.past.pop_front();
        }
        let reached = std::mem::replace(&mut self.reached, self.stream.clone());
        self.past.push_back((std::mem::replace(&mut self.now, next), reached));
    }

    fn choose(&mut self) -> usize {
        self.ask()
    }

    fn hint(&mut self) -> usize {
        let stream = self.stream.clone();
        let hinted = self.ask();
        self.stream = stream;
        hinted
    }

    fn undo(&mut self) -> bool {
        let Some((position, stream)) = self.past.pop_back() else { return false };
        (self.now, self.stream, self.reached) = (position, stream.clone(), stream);
        true
    }
}
