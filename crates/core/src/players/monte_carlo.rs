//! Flat Monte Carlo for any game: random games after each legal move; the move after which most are
//! won is chosen.
//!
//! A move that wins at once is taken. Otherwise random games follow each move to their end, the
//! same deals and the same random words for every move ("common random numbers"). A win counts 1
//! and a draw ½ for the seat to move. Ties go to the move after which lost games last longer, then
//! to the first in the game's fixed order. A node is a position reached in a random game.
//!
//! With `budget_ms` it plays rounds of random games, each an eighth of those before, for as long as
//! the next one fits into the time; `playouts` does not matter then.
//!
//! Draw protocol (player stream): one word a round, the seed of the games' streams; none if there
//! is nothing to compare.

use super::clock::{BUDGET_PARAM, Clock};
use super::random::Random;
use crate::game::registry::NamedPlayer;
use crate::game::{Game, GameResult, MoveValues, Outcome, Player, Scale, Turns};
use crate::params::{ParamError, ParamSpec, Params};
use crate::rng::{CellSeeds, Rng, Stream, mix};
use std::cmp::Reverse;

/// Moves to compare, with their places in the game's fixed order.
pub type Open<M> = Vec<(u32, M)>;

/// Random games after the moves of a position, and what they are worth.
pub trait Playouts<G: Game>: Sized + Send + 'static {
    /// What the player does, in one line ([`NamedPlayer::SUMMARY`]).
    const SUMMARY: &'static str;
    /// The parameters of the player ([`NamedPlayer::PARAMS`]); `playouts` and the budget are read
    /// for all.
    const PARAMS: &'static [ParamSpec];
    /// What the values of moves measure ([`Player::scale`]).
    const SCALE: Scale = Scale::Chance;
    /// Whether the player counts visited positions ([`NamedPlayer::SEARCHES`]).
    const SEARCHES: bool = true;
    /// Whether [`Playouts::open`] takes the list of legal moves, and games are played only where
    /// there are moves to compare.
    const LOOKS: bool = true;
    /// The fewest random games a move of a round with a budget.
    const ROUND_MIN: u64 = 1;
    /// The sums over the games after a move; larger is better.
    type Sum: Copy + Default + Ord;

    /// Random games with these parameters.
    fn new(params: &Params) -> Self;

    /// Checks whether the player supports this game ([`NamedPlayer::check`]).
    ///
    /// # Errors
    /// Returns an error that names the unsupported parameter of the game and the supported values.
    fn check(_game: &G) -> Result<(), ParamError> {
        Ok(())
    }

    /// The moves to compare by random games. Writes the values of those that need none, by place.
    fn open(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        values: &mut [Option<f64>],
    ) -> Open<G::Move>;

    /// Plays `playouts` random games after each open move, those of the last call of
    /// [`Playouts::open`], and adds them to its sum.
    fn play(
        &mut self,
        game: &G,
        state: &G::State,
        open: &[(u32, G::Move)],
        stream: &mut Stream,
        playouts: u64,
        sums: &mut [Self::Sum],
    );

    /// The value of a move after `playouts` games.
    fn value(&self, sum: Self::Sum, playouts: u64) -> f64;

    /// Positions visited since the last call ([`Player::take_nodes`]).
    fn take_nodes(&mut self) -> u64 {
        0
    }
}

/// Plays random games after each legal move.
pub struct MonteCarlo<P> {
    playouts: u64,
    clock: Clock,
    games: P,
}

impl<P> MonteCarlo<P> {
    /// The sums of the open moves, and how many games each got.
    fn run<G: Game>(
        &mut self,
        game: &G,
        state: &G::State,
        open: &[(u32, G::Move)],
        stream: &mut Stream,
    ) -> (Vec<P::Sum>, u64)
    where
        P: Playouts<G>,
    {
        let mut sums = vec![P::Sum::default(); open.len()];
        let mut played = 0;
        loop {
            let round = if self.clock.is_set() {
                (played / 8).max(P::ROUND_MIN)
            } else {
                self.playouts
            };
            self.games.play(game, state, open, stream, round, &mut sums);
            played += round;
            if !self.clock.is_set() || self.clock.has_passed(8.0 / 9.0) {
                return (sums, played);
            }
        }
    }
}

impl<G: Game, P: Playouts<G>> Player<G> for MonteCarlo<P> {
    fn needs_list(&self, _seat: usize) -> bool {
        P::LOOKS
    }

    fn choose(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &mut Stream,
    ) -> G::Move {
        self.clock.start();
        let mut values = vec![None; legal.len()];
        let open = self.games.open(game, state, legal, &mut values);
        // The first of the best moves whose values are known.
        let mut known = None;
        for (value, &chosen) in values.iter().zip(legal) {
            if let Some(value) = *value
                && known.is_none_or(|(best, _)| value > best)
            {
                known = Some((value, chosen));
            }
        }
        if P::LOOKS {
            let floor = known.map_or(0.0, |(value, _)| value);
            match (open.as_slice(), known) {
                (rest, Some((value, chosen))) if rest.is_empty() || value == 1.0 => return chosen,
                (&[(_, only)], _) if floor == 0.0 => return only,
                _ => {}
            }
        }
        let (sums, played) = self.run(game, state, &open, stream);
        let compared = open.iter().zip(sums);
        let best = compared.max_by_key(|&(&(place, _), sum)| (sum, Reverse(place)));
        let (&(_, best), sum) = best.expect("a seat to move has a legal move");
        match known {
            Some((value, chosen)) if value > self.games.value(sum, played) => chosen,
            _ => best,
        }
    }

    fn evaluate(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        stream: &Stream,
    ) -> MoveValues {
        self.clock.start();
        let mut values = vec![None; legal.len()];
        let open = self.games.open(game, state, legal, &mut values);
        if values.contains(&None) {
            let (sums, played) = self.run(game, state, &open, &mut stream.clone());
            for (&(place, _), sum) in open.iter().zip(sums) {
                values[place as usize] = Some(self.games.value(sum, played));
            }
        }
        Some(values)
    }

    fn scale(&self, _: &G, _: &G::State) -> Scale {
        P::SCALE
    }

    fn take_nodes(&mut self) -> u64 {
        self.games.take_nodes()
    }
}

impl<G: Game, P: Playouts<G>> NamedPlayer<G> for MonteCarlo<P> {
    const NAME: &'static str = "monte-carlo";
    const SUMMARY: &'static str = P::SUMMARY;
    const PARAMS: &'static [ParamSpec] = P::PARAMS;
    const SEARCHES: bool = P::SEARCHES;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            playouts: params.count("playouts"),
            clock: Clock::of(params),
            games: P::new(params),
        })
    }

    fn check(game: &G) -> Result<(), ParamError> {
        P::check(game)
    }
}

/// Random games by the rules of any game.
pub struct ByRules<G: Game> {
    /// The positions after the open moves.
    after: Vec<G::State>,
    moves: Vec<G::Move>,
    nodes: u64,
}

/// What the games after a move are worth, compared in this order.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Worth {
    /// Twice the wins, and the draws.
    pub half_wins: u64,
    /// Moves of lost games.
    pub survived: u64,
}

/// What an outcome is worth to a seat: 2 for a win, 1 for a draw.
pub(super) const fn half_wins(outcome: &Outcome, seat: usize) -> u64 {
    match (outcome.result, seat) {
        (GameResult::Drawn, _) => 1,
        (GameResult::Won, 0) | (GameResult::Lost, 1) => 2,
        _ => 0,
    }
}

/// Plays a game to its end at random and returns the outcome with the number of moves; `moves` is
/// scratch memory.
pub(super) fn play_on<G: Game>(
    game: &G,
    turns: &mut Turns<G>,
    draws: &mut Stream,
    moves: &mut Vec<G::Move>,
) -> (Outcome, u64) {
    let mut made = 0;
    moves.clear();
    loop {
        if let Some(outcome) = turns.outcome() {
            return (outcome, made);
        }
        if !G::PICKS_MOVES {
            turns.list_legal(game, moves);
        }
        let chosen = Random.choose(game, turns.state(), moves, draws);
        turns.play(game, chosen);
        made += 1;
    }
}

/// The seeds of the random games of a choice: one word of the player's stream.
pub(super) fn seeds(stream: &mut Stream) -> CellSeeds {
    let word = stream.next_u64();
    CellSeeds {
        world: word,
        player: mix(word),
    }
}

impl<G: Game> Playouts<G> for ByRules<G> {
    const SUMMARY: &'static str = "plays random games from each legal move; chooses the move with most wins, then with the longest lost games";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("playouts", 1..=1 << 24, Some(200)).main("random games per legal move"),
        BUDGET_PARAM,
    ];
    type Sum = Worth;

    fn new(_: &Params) -> Self {
        Self {
            after: Vec::new(),
            moves: Vec::new(),
            nodes: 0,
        }
    }

    fn open(
        &mut self,
        game: &G,
        state: &G::State,
        legal: &[G::Move],
        values: &mut [Option<f64>],
    ) -> Open<G::Move> {
        let seat = game.seat(state);
        let mut open = Vec::new();
        self.after.clear();
        for (place, &chosen) in legal.iter().enumerate() {
            let mut after = state.clone();
            game.play(&mut after, chosen);
            match game.outcome(&after) {
                Some(outcome) => values[place] = Some(half_wins(&outcome, seat) as f64 / 2.0),
                None => {
                    open.push((place as u32, chosen));
                    self.after.push(after);
                }
            }
        }
        open
    }

    fn play(
        &mut self,
        game: &G,
        state: &G::State,
        _: &[(u32, G::Move)],
        stream: &mut Stream,
        playouts: u64,
        sums: &mut [Worth],
    ) {
        let seat = game.seat(state);
        let seeds = seeds(stream);
        for (after, sum) in self.after.iter().zip(sums) {
            for playout in 0..playouts {
                let mut turns = Turns::before_deal(after.clone(), seeds.world_stream(playout));
                turns.deal(game);
                let mut draws = seeds.player_stream(playout);
                let (outcome, made) = play_on(game, &mut turns, &mut draws, &mut self.moves);
                let half_wins = half_wins(&outcome, seat);
                sum.half_wins += half_wins;
                if half_wins == 0 {
                    sum.survived += made;
                }
                self.nodes += made + 1;
            }
        }
    }

    fn value(&self, sum: Worth, playouts: u64) -> f64 {
        sum.half_wins as f64 / (2 * playouts) as f64
    }

    fn take_nodes(&mut self) -> u64 {
        std::mem::take(&mut self.nodes)
    }
}
