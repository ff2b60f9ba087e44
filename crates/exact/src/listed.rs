//! Any game that lists its chances, state by state as its own rules play it.

use super::engine::{End, Rules};
use tilelab_games::catalog::GameEntry;
use tilelab_games::game::registry::States;
use tilelab_games::game::{GameResult, Outcome};
use tilelab_games::params::Params;

/// What an outcome is worth to the first seat, and the lowest and the highest worth.
pub type Worth = (fn(&Outcome) -> f64, [f64; 2]);

/// A won game; of two seats, a draw is half of it.
pub const WINS: Worth = (
    |outcome| match outcome.result {
        GameResult::Won => 1.0,
        GameResult::Drawn => 0.5,
        GameResult::Lost => 0.0,
    },
    [0.0, 1.0],
);

/// The states of a game by number.
pub struct Listed {
    states: Box<dyn States>,
    starts: Vec<(u32, f64)>,
    worth: Worth,
}

impl Listed {
    /// The states of a game.
    ///
    /// # Errors
    /// When the game does not list how it begins, or what its first deal makes.
    pub fn new(game: &GameEntry, params: &Params, worth: Worth) -> Result<Self, String> {
        let mut states = game
            .states
            .map(|states| states(params))
            .ok_or("its chances are not known here: exact figures need rules in Rust")?;
        let starts = states.starts().ok_or(
            "it begins at random, and its rules lack `Game::starts` (docs/own-games.md); or set \
             the parameters that name a start",
        )?;
        if starts
            .iter()
            .any(|&(start, _)| states.dealt(start).is_none())
        {
            return Err(
                "its deals are random, and its rules do not list all of them: they lack \
                 `Game::chances`, or have EVENTS and a `deal` beside it (docs/own-games.md)"
                    .to_owned(),
            );
        }
        Ok(Self {
            states,
            starts,
            worth,
        })
    }

    fn end(&self, state: u32) -> Option<End> {
        let outcome = self.states.status(state).1?;
        Some(End {
            result: Some(outcome.result),
            moves: Some(outcome.moves),
            worth: [(self.worth.0)(&outcome); 2],
        })
    }
}

impl Rules for Listed {
    /// The chances before the next move, and the number; the draw of the start is a chance, too.
    type State = (u8, u32);

    fn start(&self) -> (u8, u32) {
        match self.starts[..] {
            [(only, _)] => (1, only),
            _ => (2, 0),
        }
    }

    fn pending(&self, &(left, _): &(u8, u32)) -> u8 {
        left
    }

    fn chances(&mut self, &(left, state): &(u8, u32)) -> Option<Vec<((u8, u32), f64)>> {
        let after = match left {
            2 => self.starts.clone(),
            _ => self.states.dealt(state)?,
        };
        let next = |(state, share)| ((left - 1, state), share);
        Some(after.into_iter().map(next).collect())
    }

    fn moves(
        &mut self,
        &(_, state): &(u8, u32),
        _: u64,
    ) -> Result<Vec<Result<(u8, u32), End>>, End> {
        if let Some(end) = self.end(state) {
            return Err(end);
        }
        let after = self.states.moved(state);
        if after.is_empty() {
            return Err(End::UNRESOLVED);
        }
        let next = |state| self.end(state).map_or(Ok((1, state)), Err);
        let mut after: Vec<_> = after.into_iter().map(next).collect();
        // Best play lists nothing beside an end that nothing beats.
        after.sort_by_key(Result::is_ok);
        Ok(after)
    }

    fn is_against(&self, &(_, state): &(u8, u32)) -> bool {
        self.states.status(state).0 == 1
    }

    fn range(&self) -> [f64; 2] {
        self.worth.1
    }

    fn held(&self) -> usize {
        self.states.known()
    }
}
