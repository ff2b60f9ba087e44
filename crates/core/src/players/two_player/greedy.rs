//! Players of two-player games that look one move ahead: `greedy` takes the largest immediate gain,
//! `mobility` keeps many moves for itself and few for the opponent.
//!
//! Draw protocol (player stream): one word a choice; `below(n)` picks among the `n` best moves in
//! the game's fixed order.

use crate::game::registry::{NamedPlayer, PlayableGame};
use crate::game::{Game, MoveValues, Player, Scale};
use crate::games::two_player::TwoPlayer;
use crate::params::{ParamError, Params};
use crate::rng::{Draw, Stream};
use std::marker::PhantomData;

/// What a move is worth to the seat that makes it.
pub trait MoveWorth: Send + 'static {
    /// The name of the player.
    const NAME: &'static str;
    /// What the player does.
    const SUMMARY: &'static str;
    /// What the values measure.
    const SCALE: Scale;

    /// The value of each legal move of a position.
    fn of<G: TwoPlayer>(game: &G, state: &G::State) -> impl FnMut(G::Move) -> i64;
}

/// What the margin gains at once.
#[derive(Debug)]
pub struct Gain;

impl MoveWorth for Gain {
    const NAME: &'static str = "greedy";
    const SUMMARY: &'static str = "raises its margin at once by as much as it can; ties at random";
    const SCALE: Scale = Scale::Margin { unit: 1 };

    fn of<G: TwoPlayer>(game: &G, state: &G::State) -> impl FnMut(G::Move) -> i64 {
        |chosen| game.gain(state, chosen)
    }
}

/// The number of the player's own moves minus that of the opponent's, after the move.
#[derive(Debug)]
pub struct Lead;

impl MoveWorth for Lead {
    const NAME: &'static str = "mobility";
    const SUMMARY: &'static str =
        "maximizes its own moves minus the opponent's after the move; ties at random";
    const SCALE: Scale = Scale::Own;

    fn of<G: TwoPlayer>(game: &G, state: &G::State) -> impl FnMut(G::Move) -> i64 {
        let seat = game.seat(state);
        let mut after = state.clone();
        move |chosen| {
            let undo = game.make(&mut after, chosen);
            let value = game.mobility(&after, seat) - game.mobility(&after, 1 - seat);
            game.unmake(&mut after, undo);
            value
        }
    }
}

/// Chooses among the moves of the highest value, each equally likely.
pub struct Best<G: Game, W> {
    best: Vec<G::Move>,
    worth: PhantomData<W>,
}

/// Takes the largest gain at once.
pub type Greedy<G> = Best<G, Gain>;
/// Maximizes the difference of the numbers of moves.
pub type Mobility<G> = Best<G, Lead>;

impl<G: PlayableGame + TwoPlayer, W: MoveWorth> NamedPlayer<G> for Best<G, W> {
    const NAME: &'static str = W::NAME;
    const SUMMARY: &'static str = W::SUMMARY;

    fn build(_: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            best: Vec::new(),
            worth: PhantomData,
        })
    }
}

impl<G: TwoPlayer, W: MoveWorth> Player<G> for Best<G, W> {
    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        let mut worth = W::of(game, state);
        let mut highest = i64::MIN;
        for &chosen in legal {
            let value = worth(chosen);
            if value > highest {
                highest = value;
                self.best.clear();
            }
            if value == highest {
                self.best.push(chosen);
            }
        }
        self.best[Draw::next(stream).below(self.best.len() as u64) as usize]
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        _: &Stream,
    ) -> MoveValues {
        let mut worth = W::of(game, state);
        let value = |&chosen| Some(worth(chosen) as f64);
        Some(legal.iter().map(value).collect())
    }

    fn scale(&self, _: &G, _: &G::State) -> Scale {
        W::SCALE
    }
}
