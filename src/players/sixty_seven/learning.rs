//! Learns the weights of the evaluation from games that the greedy player plays against the rules.
//!
//! Temporal differences between boards after moves (Szubert and Jaśkowski, "Temporal difference
//! learning of N-tuple networks for the game 2048", 2014), for a chance of winning instead of a
//! score: after each round the weights of the last board's features are moved towards what is known
//! now, that is the chance that the next board after a move promises, 1 when the move won, 0 when
//! none was legal:
//!
//! ```text
//! weight += rate × (target - chance) / features
//! ```
//!
//! The rate falls to a tenth over the games, and the weights are means over the second half of
//! them. One thread, in order, so that the same seed learns the same weights.

use super::evaluation::{FEATURES, NOT_WINNING, features, logistic};
use super::field::{Field, Position, SIDE_MAX, Step};
use crate::game::learner::{Learner, Stretch};
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, Params};
use crate::rng::{SeedableRng, Stream, game_seed, stream_seed};
use std::io::{self, Read, Write};
use std::ops::Range;

/// The first rate of learning.
const RATE: f32 = 0.3;

/// Weights with their unit, the thousandth, as a fraction.
#[derive(Clone)]
struct Weights(Vec<f32>);

impl Weights {
    fn chance(&self, seen: &[usize]) -> f32 {
        let odds: f32 = seen.iter().map(|&feature| self.0[feature]).sum();
        logistic((odds * 1000.0).clamp(-1e6, 1e6) as i32)
    }

    fn correct(&mut self, seen: &[usize], by: f32) {
        for &feature in seen {
            self.0[feature] += by / seen.len() as f32;
        }
    }
}

/// Plays a game greedily and learns from it at this rate.
fn play(field: &Field, weights: &mut Weights, rate: f32, world: &mut Stream) -> Stretch {
    let mut position = field.blank();
    let mut before = Vec::new();
    let mut seen = Vec::new();
    let mut best = Vec::new();
    let mut rounds = 0;
    loop {
        rounds += 1;
        field.deal(&mut position, world);
        let legal = field.legal(&position);
        let mut chosen: Option<(f32, Position)> = None;
        let mut won = false;
        for direction in Direction::ALL.into_iter().filter(|&direction| legal.mask >> direction as u8 & 1 == 1) {
            let mut after = position;
            match field.advance(&mut after, direction) {
                Step::Won => won = true,
                Step::Lost => continue,
                Step::On => {}
            }
            seen.clear();
            features(field, &after, |feature| seen.push(feature));
            let chance = weights.chance(&seen);
            if chosen.as_ref().is_none_or(|(known, _)| chance > *known) {
                chosen = Some((chance, after));
                std::mem::swap(&mut seen, &mut best);
            }
        }
        let promised = if won { 1.0 } else { chosen.as_ref().map_or(0.0, |(chance, _)| *chance) };
        if !before.is_empty() {
            let error = promised - weights.chance(&before);
            weights.correct(&before, rate * error);
        }
        let out_of_rounds = field.game.max_rounds.is_some_and(|most| rounds >= most);
        match chosen {
            Some((_, after)) if !won && !out_of_rounds => position = after,
            _ => {
                let moves = rounds - u64::from(legal.mask == 0);
                return Stretch { games: 1, moves, wins: won.into(), score: 0.0 };
            }
        }
        std::mem::swap(&mut before, &mut best);
    }
}

/// Learns the weights of the linear evaluation.
struct Linear {
    field: Field,
    seed: u64,
    weights: Weights,
    /// Of each weight, the sum over the games in the second half of the training, and their number.
    sums: Vec<f64>,
    averaged: u64,
}

/// The learner for the rules with these parameters.
///
/// # Errors
/// As [`super::check`].
pub fn learner(params: &Params, seed: u64) -> Result<Box<dyn Learner>, ParamError> {
    let game = SixtySeven::from_params(params);
    super::check(&game, "learn", SIDE_MAX)?;
    let mut weights = Weights(vec![0.0; FEATURES]);
    // Nothing is promised at first: without a legal winning direction the odds are about 1 : 20.
    weights.0[NOT_WINNING] = -3.0;
    Ok(Box::new(Linear { field: Field::new(&game), seed, weights, sums: vec![0.0; FEATURES], averaged: 0 }))
}

impl Linear {
    /// The weights as players take them: means, or the last ones before there is one.
    fn mean(&self) -> Weights {
        if self.averaged == 0 {
            return self.weights.clone();
        }
        Weights(self.sums.iter().map(|sum| (sum / self.averaged as f64) as f32).collect())
    }
}

/// The games of two stretches.
fn joined(a: Stretch, b: Stretch) -> Stretch {
    Stretch { games: a.games + b.games, moves: a.moves + b.moves, wins: a.wins + b.wins, score: a.score + b.score }
}

impl Learner for Linear {
    fn play(&mut self, games: Range<u64>, of: u64) -> Stretch {
        let learn = |game| {
            let rate = RATE * (1.0 - 0.9 * game as f32 / of as f32);
            let mut world = Stream::seed_from_u64(game_seed(stream_seed(self.seed, "learn"), game));
            let played = play(&self.field, &mut self.weights, rate, &mut world);
            if game >= of / 2 {
                self.sums.iter_mut().zip(&self.weights.0).for_each(|(sum, &weight)| *sum += f64::from(weight));
                self.averaged += 1;
            }
            played
        };
        games.map(learn).fold(Stretch::default(), joined)
    }

    fn test(&mut self, games: Range<u64>) -> Stretch {
        let mut weights = self.mean();
        let test = |game| {
            let mut world = Stream::seed_from_u64(game_seed(stream_seed(self.seed, "test"), game));
            play(&self.field, &mut weights, 0.0, &mut world)
        };
        games.map(test).fold(Stretch::default(), joined)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        self.weights.0.iter().try_for_each(|weight| out.write_all(&weight.to_le_bytes()))?;
        self.sums.iter().try_for_each(|sum| out.write_all(&sum.to_le_bytes()))?;
        out.write_all(&self.averaged.to_le_bytes())
    }

    fn read_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        fn next<const N: usize>(from: &mut dyn Read) -> io::Result<[u8; N]> {
            let mut bytes = [0; N];
            from.read_exact(&mut bytes).map(|()| bytes)
        }
        for weight in &mut self.weights.0 {
            *weight = f32::from_le_bytes(next(from)?);
        }
        for sum in &mut self.sums {
            *sum = f64::from_le_bytes(next(from)?);
        }
        self.averaged = u64::from_le_bytes(next(from)?);
        Ok(())
    }

    fn weights(&self) -> Vec<u8> {
        let thousandths = |weight: &f32| ((weight * 1000.0).round() as i32).to_le_bytes();
        self.mean().0.iter().flat_map(thousandths).collect()
    }
}
