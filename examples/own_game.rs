//! A game of your own, played by the random player: `cargo run --release --example own_game`.
//!
//! Pig with one turn: a die is rolled as often as the player likes. A 1 loses; stopping at 20
//! points or more wins.

use tilelab::players::random::Random;
use tilelab::rng::{Draw, Stream};
use tilelab::{Game, GameResult, Outcome, Summary, simulate};

#[derive(Clone)]
struct Pig {
    goal: u64,
}

/// A turn at any moment.
#[derive(Clone)]
struct Turn {
    points: u64,
    rolls: u64,
    result: Option<GameResult>,
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Choice {
    Roll,
    Stop,
}

impl Game for Pig {
    type State = Turn;
    type Move = Choice;

    fn start(&self, _world: &mut Stream) -> Turn {
        Turn {
            points: 0,
            rolls: 0,
            result: None,
        }
    }

    /// Rolls the die: chance comes before every choice.
    fn deal(&self, turn: &mut Turn, world: &mut Stream) {
        turn.rolls += 1;
        match 1 + Draw::next(world).below(6) {
            1 => turn.result = Some(GameResult::Lost),
            eyes => turn.points += eyes,
        }
    }

    fn legal(&self, _turn: &Turn, moves: &mut Vec<Choice>) {
        moves.extend([Choice::Roll, Choice::Stop]);
    }

    fn play(&self, turn: &mut Turn, chosen: Choice) {
        if chosen == Choice::Stop {
            turn.result = Some(if turn.points >= self.goal {
                GameResult::Won
            } else {
                GameResult::Lost
            });
        }
    }

    fn outcome(&self, turn: &Turn) -> Option<Outcome> {
        turn.result.map(|result| Outcome::new(result, turn.rolls))
    }
}

fn main() {
    let tally = simulate(&Pig { goal: 20 }, || Random, 67, 0..10_000);
    println!("{:?}", Summary::of(&tally, 0.95).win_pct_exact);
}
