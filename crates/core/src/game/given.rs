//! One game with given moves, such as those of an agent outside this crate.

use super::{Describe, Outcome, Turn, Turns};
use crate::game::session::Attempt;
use crate::json::Json;
use crate::rng::Stream;

/// How far given moves led.
#[derive(Clone, Debug, PartialEq)]
pub enum Reached {
    /// The game is over.
    End(Outcome),
    /// The game is still in progress after the last move.
    Open {
        /// The names of the legal moves at that point.
        legal: Vec<String>,
    },
}

/// Why given moves do not form a game.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum GivenError {
    /// A move is not legal.
    #[error("move {number}: {name} is not legal{}; legal: {}", why.as_deref().map(|why| format!(" ({why})")).unwrap_or_default(), listed(legal))]
    Illegal {
        /// Which of the moves, from 1.
        number: usize,
        /// The name of the move.
        name: String,
        /// Why the move is illegal, if the game gives a reason.
        why: Option<String>,
        /// The names of the legal moves.
        legal: Vec<String>,
    },
    /// There are moves after the end of the game.
    #[error("{given} moves, but the game is over after {played}")]
    Surplus {
        /// The number of given moves.
        given: usize,
        /// The number of moves of the game.
        played: usize,
    },
    /// The job plays whole batches only, such as value lanes.
    #[error("the games of this cell are played in batches (kernel {0}) and take no given moves")]
    Batches(&'static str),
}

/// Names of moves in a message: the first dozen, and how many there are.
pub fn listed(names: &[String]) -> String {
    const SHOWN: usize = 12;
    let shown = names[..names.len().min(SHOWN)].join(", ");
    if names.len() > SHOWN {
        format!("{shown}, … ({} moves)", names.len())
    } else {
        shown
    }
}

/// Plays one game with these moves (of all seats, in order) and calls `line` with each line of its
/// transcript. Moves are named as in [`Describe::move_name`].
///
/// If the game is not over after the last move, the last line shows the position before the next
/// one.
///
/// # Errors
/// Returns an error if a move is illegal or there are moves after the end.
pub fn replay<G: Describe>(
    game: &G,
    world: Stream,
    moves: &[String],
    line: &mut dyn FnMut(Json),
) -> Result<Reached, GivenError> {
    let mut turns = Turns::undealt(game, world);
    let mut legal = Vec::new();
    let mut given = moves.iter();
    for number in 1.. {
        let before = turns.state().clone();
        turns.deal(game);
        let dealt = turns.state().clone();
        turns.list_legal(game, &mut legal);
        let name = |&chosen: &G::Move| game.move_name(&dealt, chosen);
        let mut made = None;
        if turns.outcome().is_none()
            && let Some(wanted) = given.next()
        {
            let Some(&chosen) = legal.iter().find(|chosen| name(chosen) == *wanted) else {
                return Err(GivenError::Illegal {
                    number,
                    name: wanted.clone(),
                    why: game.why_illegal(&dealt, Attempt::Name(wanted)),
                    legal: legal.iter().map(name).collect(),
                });
            };
            turns.make(game, chosen);
            made = Some(chosen);
        }
        line(game.describe(&Turn {
            number: number as u64,
            before: &before,
            dealt: &dealt,
            legal: &legal,
            played: made.map(|chosen| (chosen, turns.state())),
            outcome: turns.outcome(),
        }));
        let surplus = given.len();
        match turns.outcome() {
            Some(_) if surplus > 0 => {
                return Err(GivenError::Surplus {
                    given: moves.len(),
                    played: moves.len() - surplus,
                });
            }
            Some(outcome) => return Ok(Reached::End(outcome)),
            None if made.is_none() => {
                let legal = legal.iter().map(name).collect();
                return Ok(Reached::Open { legal });
            }
            None => {}
        }
    }
    unreachable!("every turn uses a move, and the moves come to an end")
}
