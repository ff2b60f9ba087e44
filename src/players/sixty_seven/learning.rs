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

use super::evaluation::{FEATURES, Learned, NOT_WINNING, features, logistic};
use super::field::{Field, Position, Step};
use crate::games::sixty_seven::Direction;
use crate::rng::{SeedableRng, Stream, game_seed};

/// Weights with their unit, the thousandth, as a fraction.
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

/// How learning goes, for whoever watches.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Games played.
    pub games: u64,
    /// Won among the last eighth of all games.
    pub win_pct: f64,
}

/// Learns weights for the rules of a field by playing `games` games; `rate` is the first rate of
/// learning.
pub fn learn(field: &Field, games: u64, rate: f32, seed: u64, mut watch: impl FnMut(Pace)) -> Vec<i32> {
    let mut weights = Weights(vec![0.0; FEATURES]);
    // Nothing is promised at first: without a legal winning direction the odds are about 1 : 20.
    weights.0[NOT_WINNING] = -3.0;
    let mut sums = vec![0.0_f64; FEATURES];
    let mut wins = 0;
    for game in 0..games {
        let rate = rate * (1.0 - 0.9 * game as f32 / games as f32);
        wins += u64::from(play(field, &mut weights, rate, &mut Stream::seed_from_u64(game_seed(seed, game))));
        if game >= games / 2 {
            sums.iter_mut().zip(&weights.0).for_each(|(sum, &weight)| *sum += f64::from(weight));
        }
        let part = (games / 8).max(1);
        if (game + 1) % part == 0 {
            watch(Pace { games: game + 1, win_pct: std::mem::take(&mut wins) as f64 * 100.0 / part as f64 });
        }
    }
    let averaged = (games - games / 2) as f64;
    sums.iter().map(|sum| (sum / averaged * 1000.0).round() as i32).collect()
}

/// Plays a game greedily and learns from it; returns whether it was won.
fn play(field: &Field, weights: &mut Weights, rate: f32, world: &mut Stream) -> bool {
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
            _ => return won,
        }
        std::mem::swap(&mut before, &mut best);
    }
}

/// What was learned, with the rules of its field.
#[must_use]
pub fn learned(field: &Field, rules: &str, operator_rate: f64, weights: Vec<i32>) -> Learned {
    Learned {
        rules: rules.to_owned(),
        rows: field.rows,
        cols: field.cols,
        operators: field.game.operators.iter().map(|operator| operator.symbol()).collect(),
        operator_rate,
        tiles_per_turn: field.game.tiles_per_turn,
        weights,
    }
}
