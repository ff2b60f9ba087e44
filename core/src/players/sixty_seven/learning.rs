//! Trains the network of 67! on games that it plays greedily.
//!
//! Temporal differences between boards after moves: the weights of a board's features are moved
//! towards the value one round later, which is the win probability of the next board after a move,
//! 1 if the round was won, 0 if no direction was legal:
//!
//! ```text
//! weight += RATE × coherence × (target - chance) / features
//! ```
//!
//! `coherence` is that of the weight (temporal coherence: Beal and Smith, "Temporal coherence and
//! prediction decay in TD learning", 1999): the absolute value of the sum of its errors over the
//! sum of their absolute values, so that a weight whose errors cancel hardly changes. It is 1
//! before the first error and at least [`COHERENCE_MIN`]. After a third of a training the rate
//! begins to fall, to a twentieth at its end.
//!
//! One thread, in order, so that the same seed gives the same weights. Within a game, the cached
//! sum of a line may be reused although some of its weights have changed since; the sums of a board
//! that was learned from are recomputed.

use super::field::SIDE_MAX;
use super::network::{FEATURES, MOVED_AT, Network, Values, chance};
use super::tokens::{Board, Mover, goes_on, wins};
use crate::game::learner::{Learner, Stretch};
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, Params};
use crate::players::sparse;
use crate::rng::{SeedableRng, Stream, game_seed, stream_seed};
use std::io::{self, BufRead, Read, Write};
use std::ops::Range;

/// The rate of learning; of 1.5, 3 and 6 it wins most after 40,000 games.
const RATE: f32 = 6.0;
/// The least coherence of a weight.
pub const COHERENCE_MIN: f32 = 0.02;
/// The share of a training after which the rate falls.
const FALLS_AFTER: f32 = 1.0 / 3.0;

/// What a state begins with in which weights without errors are left out. A state of an earlier
/// version holds all weights, perhaps but for those of the lines after a move; no weight is this
/// not-a-number.
const SPARSE: [u8; 4] = [0xff; 4];

/// The errors of a weight so far.
#[derive(Clone, Copy, Default)]
struct Errors {
    sum: f32,
    absolute: f32,
}

/// Learns a network.
struct Training {
    seed: u64,
    network: Network,
    errors: Vec<Errors>,
    mover: Mover,
    values: Values,
}

/// The learner for the rules with these parameters.
///
/// # Errors
/// Same as [`super::check`].
pub fn learner(params: &Params, seed: u64) -> Result<Box<dyn Learner>, ParamError> {
    let game = SixtySeven::from_params(params);
    super::check(&game, "learn", SIDE_MAX)?;
    Ok(Box::new(Training {
        seed,
        network: unlearned(&game),
        errors: vec![Errors::default(); FEATURES],
        mover: Mover::new(&game),
        values: Values::new(),
    }))
}

/// What a training starts from.
fn unlearned(game: &SixtySeven) -> Network {
    let mut network = Network::new(game);
    // Nothing is promised at first: where no direction would win the odds are about 1 : 20.
    for feature in Network::without_win() {
        network.weights[feature] = -3.0;
    }
    network
}

impl Training {
    /// Plays a game greedily, and learns from it at some rate; whether it was won, and its moves.
    fn play_game(&mut self, rate: Option<f32>, world: &mut Stream) -> (bool, u64) {
        self.values.renew();
        let mut rows: Board = [0; SIDE_MAX];
        let mut before: Option<(Board, f32)> = None;
        let mut rounds = 0;
        loop {
            if self
                .mover
                .tokens
                .game
                .max_rounds
                .is_some_and(|most| rounds >= most)
            {
                return (false, rounds);
            }
            self.mover.tokens.deal(&mut rows, world);
            let moves = self.mover.moves(&rows);
            let flags = moves.flags();
            let is_won = wins(flags);
            let mut best: Option<(Board, f32)> = None;
            if !is_won {
                for direction in Direction::ALL
                    .into_iter()
                    .filter(|&direction| goes_on(flags, direction))
                {
                    let after = moves.after(direction);
                    let odds = self.values.odds(&self.network, &mut self.mover, &after);
                    if best.is_none_or(|(_, known)| odds > known) {
                        best = Some((after, odds));
                    }
                }
            }
            if let (Some((board, odds)), Some(rate)) = (before, rate) {
                let target = if is_won {
                    1.0
                } else {
                    best.map_or(0.0, |(_, odds)| chance(odds))
                };
                self.correct(&board, target - chance(odds), rate);
            }
            if is_won {
                return (true, rounds + 1);
            }
            let Some((after, _)) = best else {
                return (false, rounds);
            };
            rows = after;
            before = best;
            rounds += 1;
        }
    }

    /// Moves the weights of a board's features.
    fn correct(&mut self, rows: &Board, error: f32, rate: f32) {
        let mut features = Vec::with_capacity(256);
        self.values
            .features(&self.network, &mut self.mover, rows, |feature| {
                features.push(feature as u32)
            });
        let step = rate * error / features.len() as f32;
        for feature in features {
            let errors = &mut self.errors[feature as usize];
            let coherence = if errors.absolute > 0.0 {
                (errors.sum.abs() / errors.absolute).max(COHERENCE_MIN)
            } else {
                1.0
            };
            self.network.weights[feature as usize] += coherence * step;
            errors.sum += error;
            errors.absolute += error.abs();
        }
        self.values.forget(&self.network, rows);
    }

    fn played(
        &mut self,
        games: Range<u64>,
        stream: &str,
        rate: impl Fn(u64) -> Option<f32>,
    ) -> Stretch {
        let mut stretch = Stretch::default();
        for game in games {
            let mut world = Stream::seed_from_u64(game_seed(stream_seed(self.seed, stream), game));
            let (is_won, moves) = self.play_game(rate(game), &mut world);
            stretch += Stretch {
                games: 1,
                moves,
                wins: u64::from(is_won),
                score: 0.0,
            };
        }
        stretch
    }
}

/// The rate of learning in one game of a training.
fn rate(game: u64, of: u64) -> f32 {
    let done = game as f32 / of as f32;
    RATE * (1.0 - 0.95 * ((done - FALLS_AFTER) / (1.0 - FALLS_AFTER)).max(0.0))
}

impl Learner for Training {
    fn play(&mut self, games: Range<u64>, of: u64) -> Stretch {
        self.played(games, "learn", |game| Some(rate(game, of)))
    }

    fn test(&mut self, games: Range<u64>) -> Stretch {
        self.played(games, "test", |_| None)
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        out.write_all(&SPARSE)?;
        sparse::write(&mut out, FEATURES, |feature| {
            let Errors { sum, absolute } = self.errors[feature];
            (absolute > 0.0)
                .then(|| sparse::to_bytes([self.network.weights[feature], sum, absolute]))
        })?;
        out.flush()
    }

    fn read_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut from = io::BufReader::new(from);
        self.network = unlearned(&self.network.tokens.game);
        self.errors = vec![Errors::default(); FEATURES];
        let mut take = |feature: usize, bytes| {
            let [weight, sum, absolute] = sparse::from_bytes(bytes);
            self.network.weights[feature] = weight;
            self.errors[feature] = Errors { sum, absolute };
        };
        if from.fill_buf()?.starts_with(&SPARSE) {
            from.consume(SPARSE.len());
            return sparse::read(&mut from, FEATURES, take);
        }
        for feature in 0..FEATURES {
            if feature == MOVED_AT && from.fill_buf()?.is_empty() {
                break;
            }
            let mut bytes = [0; 12];
            from.read_exact(&mut bytes)?;
            take(feature, bytes);
        }
        Ok(())
    }

    fn weights(&self) -> Vec<u8> {
        self.network.to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::sixty_seven::PARAMS;
    use crate::params::Value;

    #[test]
    fn a_training_goes_on_from_states_of_all_versions() {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(3));
        params.set("cols", Value::Int(3));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        let fresh = || learner(&params, 1).unwrap();
        let mut first = fresh();
        first.play(0..30, 100);
        let mut state = Vec::new();
        first.write_state(&mut state).unwrap();
        // As states of earlier versions are: all weights, one after the other.
        let weights = unlearned(&SixtySeven::from_params(&params)).weights;
        let mut dense: Vec<[u8; 12]> = weights
            .iter()
            .map(|&weight| sparse::to_bytes([weight, 0.0, 0.0]))
            .collect();
        sparse::read(&mut &state[SPARSE.len()..], FEATURES, |feature, bytes| {
            dense[feature] = bytes
        })
        .unwrap();
        let mut dense = dense.concat();
        first.play(30..60, 100);
        for state in [&state, &dense] {
            let mut same = fresh();
            same.play(90..95, 100);
            same.read_state(&mut state.as_slice()).unwrap();
            same.play(30..60, 100);
            assert_eq!(same.weights(), first.weights());
        }

        dense.truncate(12 * MOVED_AT);
        let mut older = fresh();
        older.read_state(&mut dense.as_slice()).unwrap();
        older.play(30..60, 100);
        assert_ne!(older.weights(), first.weights());
        for mut state in [state, dense] {
            state.pop();
            assert!(fresh().read_state(&mut state.as_slice()).is_err());
        }
    }
}
