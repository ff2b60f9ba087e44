//! One game with given moves, such as those of an agent outside this crate.

use super::{Describe, Outcome, Turn};
use crate::game::session::Attempt;
use crate::rng::Stream;

/// How far given moves led.
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// The game is over.
    End(Outcome),
    /// The game goes on after the last of the moves.
    Open {
        /// The names of the moves that are legal then.
        legal: Vec<String>,
    },
}

/// Why given moves are not those of a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// A move is not legal.
    #[error("move {number}: {name} is not legal{}; legal: {}", why.as_deref().map(|why| format!(" ({why})")).unwrap_or_default(), listed(legal))]
    Illegal {
        /// Which of the moves, from 1.
        number: usize,
        /// Its name.
        name: String,
        /// Why it is not legal, where the game can say so.
        why: Option<String>,
        /// The names of the legal moves.
        legal: Vec<String>,
    },
    /// There are moves after the end of the game.
    #[error("{given} moves, but the game is over after {played}")]
    Surplus {
        /// How many moves are given.
        given: usize,
        /// How many the game has.
        played: usize,
    },
    /// The job plays whole batches only, such as value lanes.
    #[error("the games of this cell are played in batches (kernel {0}) and take no given moves")]
    Batches(&'static str),
}

/// Names of moves in a message: the first dozen, and how many there are.
#[must_use]
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN { format!("{shown}, … ({} moves)", names.len()) } else { shown }
}

/// Plays one game with these moves, those of all seats one after another, and calls `line` with
/// each line of its transcript. Moves are named as in [`Describe::move_name`].
///
/// Where the game goes on after the last move, the last line shows the position that waits for the
/// next one.
///
/// # Errors
/// Names the first move that is not legal, or says that there are moves after the end.
pub fn replay<G: Describe>(
    game: &G,
    mut world: Stream,
    moves: &[String],
    line: &mut dyn FnMut(serde_json::Value),
) -> Result<Reached, GivenError> {
    let mut state = game.start(&mut world);
    let mut legal = Vec::new();
    for number in 0.. {
        let before = state.clone();
        game.deal(&mut state, &mut world);
        let dealt = state.clone();
        legal.clear();
        let mut turn = Turn {
            number: number as u64 + 1,
            before: &before,
            dealt: &dealt,
            legal: &[],
            played: None,
            outcome: game.outcome(&state),
        };
        let mut played = number;
        if turn.outcome.is_none() {
            game.legal(&state, &mut legal);
            turn.legal = &legal;
            let names = || legal.iter().map(|&chosen| game.move_name(&dealt, chosen)).collect();
            let Some(name) = moves.get(number) else {
                line(game.describe(&turn));
                return Ok(Reached::Open { legal: names() });
            };
            let chosen = legal.iter().find(|&&chosen| game.move_name(&dealt, chosen) == *name);
            let Some(&chosen) = chosen else {
                let why = game.why_illegal(&dealt, Attempt::Name(name));
                return Err(GivenError::Illegal { number: number + 1, name: name.clone(), why, legal: names() });
            };
            game.play(&mut state, chosen);
            played += 1;
            turn.played = Some((chosen, &state));
            turn.outcome = game.outcome(&state);
        }
        line(game.describe(&turn));
        if let Some(outcome) = turn.outcome {
            if moves.len() > played {
                return Err(GivenError::Surplus { given: moves.len(), played });
            }
            return Ok(Reached::End(outcome));
        }
    }
    unreachable!("every turn uses a move, and the moves come to an end")
}
