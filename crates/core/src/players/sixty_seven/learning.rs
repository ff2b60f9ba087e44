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
//! Vectors and hidden layer follow the gradient of the same error, with steps that get smaller by
//! the gradients so far (Adagrad: Duchi, Hazan and Singer, "Adaptive subgradient methods for online
//! learning and stochastic optimization", 2011; one sum for a vector). A feature has neither weight
//! nor vector before it is first learned from; its vector then begins with small random numbers.
//!
//! One thread, in order, so that the same seed gives the same weights. Within a game, the cached
//! sum of a line may be reused although some of its weights have changed since; the sums of a board
//! that was learned from are recomputed.

use super::lines::{self, Lines};
use super::network::{FEATURES, Layer, Network, Part, WIDTH, chance};
use super::networks;
use super::tokens::{SIDE_MAX, TokenBoard, goes_on, wins};
use crate::game::learner::{Learner, Totals};
use crate::games::sixty_seven::{Direction, SixtySeven};
use crate::params::{ParamError, Params};
use crate::players::sparse;
use crate::rng::{Rng, SeedableRng, Stream, game_seed, mix, stream_seed};
use std::io::{self, Read, Write};
use std::ops::Range;

/// The rate of learning; of 1.5, 3 and 6 it wins most after 40,000 games.
const RATE: f32 = 6.0;
/// The least coherence of a weight.
pub const COHERENCE_MIN: f32 = 0.02;
/// The share of a training after which the rate falls.
const FALLS_AFTER: f32 = 1.0 / 3.0;

/// The rates of vectors and of the layer.
const VECTOR_RATE: f32 = 0.01;
const LAYER_RATE: f32 = 0.02;
/// What the squares of the gradients of a vector and of a number of the layer begin with.
const VECTOR_SQUARES: f32 = 1e-4;
const LAYER_SQUARES: f32 = 1e-3;
/// The largest numbers, of either sign, that vectors and the layer's inputs, biases and outputs
/// begin with.
const VECTOR_START: f32 = 0.03;
const LAYER_START: [f32; 3] = [0.6, 0.1, 0.3];

/// What a state begins with.
const STATE: &[u8; 8] = b"67! 2.0\n";

/// The errors of a feature so far.
#[derive(Clone, Copy)]
struct Errors {
    sum: f32,
    absolute: f32,
    /// The mean squares of the gradients of its vector, added up.
    squares: f32,
}

/// The errors of a feature before its first one.
const NO_ERRORS: Errors = Errors {
    sum: 0.0,
    absolute: 0.0,
    squares: VECTOR_SQUARES,
};
/// The errors of a feature whose weight comes from other rules: its coherence begins low, and grows
/// where all errors have the same sign.
const TRUSTED: Errors = Errors {
    sum: 1.0,
    absolute: 20.0,
    squares: VECTOR_SQUARES,
};

/// The training of a network.
struct Training {
    seed: u64,
    network: Network,
    /// The squares of the gradients of the layer, added up.
    squares: Layer,
    /// The errors of each feature, by the place of its part.
    errors: Vec<Errors>,
    /// The lines that are remembered for moves.
    lines: Lines,
    /// The lines that are remembered for sums. They are not found anew within a game, so what is
    /// learned depends on how many they are.
    sums: Lines,
}

/// The learner for the rules with these parameters.
///
/// # Errors
/// Same as [`super::check`].
pub fn learner(params: &Params, seed: u64) -> Result<Box<dyn Learner>, ParamError> {
    let game = SixtySeven::from_params(params);
    super::check(&game, "learn", SIDE_MAX)?;
    Ok(Box::new(Training::new(&game, seed)))
}

/// A random number, at most `most` from 0.
fn random(stream: &mut Stream, most: f32) -> f32 {
    most * (stream.next_u64() as f32 / (1_u64 << 63) as f32 - 1.0)
}

impl Training {
    /// The training before the first game.
    fn new(game: &SixtySeven, seed: u64) -> Self {
        let mut training = Self {
            seed,
            network: Network::new(game),
            squares: Layer::filled(LAYER_SQUARES),
            errors: vec![NO_ERRORS],
            lines: Lines::new(lines::SLOTS),
            sums: Lines::new(1 << 15),
        };
        training.network.layer = Some(training.first_layer());
        // Nothing is promised at first: where no direction would win the odds are about 1 : 20.
        for feature in Network::without_win() {
            training.made(feature).weight = -3.0;
        }
        training
    }

    fn first_layer(&self) -> Layer {
        let mut stream = Stream::seed_from_u64(stream_seed(self.seed, "layer"));
        let [input, bias, output] = LAYER_START;
        let mut layer = Layer::filled(0.0);
        layer.inputs = layer
            .inputs
            .map(|inputs| inputs.map(|_| random(&mut stream, input)));
        layer.biases = layer.biases.map(|_| random(&mut stream, bias));
        layer.outputs = layer.outputs.map(|_| random(&mut stream, output));
        layer
    }

    /// The part of a feature, which may be new.
    fn made(&mut self, feature: usize) -> &mut Part {
        let parts = self.network.growing_mut();
        let is_new = parts.place(feature) == 0;
        let part = parts.made(feature);
        if is_new {
            let mut stream = Stream::seed_from_u64(mix(self.seed ^ feature as u64));
            part.vector = part.vector.map(|_| random(&mut stream, VECTOR_START));
            self.errors.push(NO_ERRORS);
        }
        part
    }

    /// Plays a game greedily, and learns from it at some rate; whether it was won, and its moves.
    fn play_game(&mut self, rate: Option<f32>, world: &mut Stream) -> (bool, u64) {
        self.sums.renew();
        let mut rows: TokenBoard = [0; SIDE_MAX];
        let mut before: Option<(TokenBoard, f32)> = None;
        let mut rounds = 0;
        loop {
            let tokens = &self.network.tokens;
            if tokens.game.max_rounds.is_some_and(|most| rounds >= most) {
                return (false, rounds);
            }
            tokens.deal(&mut rows, world);
            let moves = self.lines.moves(tokens, &rows);
            let flags = moves.flags();
            let is_won = wins(flags);
            let mut best: Option<(TokenBoard, f32)> = None;
            if !is_won {
                for direction in Direction::ALL
                    .into_iter()
                    .filter(|&direction| goes_on(flags, direction))
                {
                    let after = moves.after(direction);
                    let odds = self.sums.odds(&self.network, &after);
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

    /// Moves weights and vectors of a board's features, and the layer.
    fn correct(&mut self, rows: &TokenBoard, error: f32, rate: f32) {
        let mut features = Vec::with_capacity(256);
        self.sums
            .features(&self.network, rows, |feature| features.push(feature));
        let mut sum = Part::default();
        let mut places = Vec::with_capacity(features.len());
        for feature in features {
            sum += self.made(feature);
            places.push(self.network.growing().place(feature));
        }
        let gradient = self.correct_layer(&sum.vector, error, LAYER_RATE * rate / RATE);
        let mean_square = gradient.iter().map(|slope| slope * slope).sum::<f32>() / WIDTH as f32;
        let step = rate * error / places.len() as f32;
        let vector_step = VECTOR_RATE * rate / RATE;
        let parts = &mut self.network.growing_mut().parts;
        for place in places {
            let errors = &mut self.errors[place];
            let coherence = if errors.absolute > 0.0 {
                (errors.sum.abs() / errors.absolute).max(COHERENCE_MIN)
            } else {
                1.0
            };
            errors.sum += error;
            errors.absolute += error.abs();
            errors.squares += mean_square;
            let part = &mut parts[place];
            part.weight += coherence * step;
            let step = vector_step / errors.squares.sqrt();
            for (number, slope) in part.vector.iter_mut().zip(&gradient) {
                *number += step * slope;
            }
        }
        self.sums.forget(&self.network, rows);
    }

    /// Moves the layer after an error at a sum of vectors; the gradient of the vectors.
    fn correct_layer(&mut self, vector: &[f32; WIDTH], error: f32, rate: f32) -> [f32; WIDTH] {
        let layer = self.network.layer.as_mut().expect("a training has a layer");
        let units = layer.units(vector);
        let mut slopes = Layer::filled(0.0);
        for (unit, &value) in units.iter().enumerate() {
            slopes.outputs[unit] = error * value;
            // A unit at 0 stays there, whatever changes a little.
            slopes.biases[unit] = if value > 0.0 {
                error * layer.outputs[unit]
            } else {
                0.0
            };
        }
        let mut gradient = [0.0; WIDTH];
        for (number, slope) in gradient.iter_mut().enumerate() {
            for (unit, &bias) in slopes.biases.iter().enumerate() {
                *slope += bias * layer.inputs[number][unit];
                slopes.inputs[number][unit] = bias * vector[number];
            }
        }
        let sums = self.squares.numbers().zip(slopes.numbers());
        for (number, (squares, &mut slope)) in layer.numbers().zip(sums) {
            *squares += slope * slope;
            *number += rate * slope / squares.sqrt();
        }
        gradient
    }

    fn played(
        &mut self,
        games: Range<u64>,
        stream: &str,
        rate: impl Fn(u64) -> Option<f32>,
    ) -> Totals {
        let mut totals = Totals::default();
        for game in games {
            let mut world = Stream::seed_from_u64(game_seed(stream_seed(self.seed, stream), game));
            let (is_won, moves) = self.play_game(rate(game), &mut world);
            totals += Totals {
                games: 1,
                moves,
                wins: u64::from(is_won),
                score: 0.0,
            };
        }
        totals
    }
}

/// The rate of learning in one game of a training.
fn rate(game: u64, of: u64) -> f32 {
    let done = game as f32 / of as f32;
    RATE * (1.0 - 0.95 * ((done - FALLS_AFTER) / (1.0 - FALLS_AFTER)).max(0.0))
}

impl Learner for Training {
    fn play(&mut self, games: Range<u64>, of: u64) -> Totals {
        self.played(games, "learn", |game| Some(rate(game, of)))
    }

    fn test(&mut self, games: Range<u64>) -> Totals {
        self.played(games, "test", |_| None)
    }

    fn built_in(&self) -> Option<Vec<u8>> {
        let network = networks::nearest(&self.network.tokens.game).ok()?;
        Some(network.to_bytes())
    }

    /// Starts from all features of the network, with its layer. A linear one gets a layer that adds
    /// nothing at first.
    fn start_from(&mut self, weights: &[u8]) -> Result<(), String> {
        let known = Network::from_bytes(&self.network.tokens.game, weights)?;
        *self = Self::new(&known.tokens.game, self.seed);
        for (feature, part) in known.parts() {
            let made = self.made(feature);
            made.weight = part.weight;
            if known.layer.is_some() {
                made.vector = part.vector;
            }
            let place = self.network.growing().place(feature);
            self.errors[place] = TRUSTED;
        }
        let layer = self.network.layer.as_mut().expect("a training has a layer");
        match known.layer {
            Some(known) => *layer = known,
            None => layer.outputs.fill(0.0),
        }
        Ok(())
    }

    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        let mut out = io::BufWriter::new(out);
        out.write_all(STATE)?;
        for layer in [self.network.layer.as_ref(), Some(&self.squares)] {
            let mut layer = layer.expect("a training has a layer").clone();
            for number in layer.numbers() {
                out.write_all(&number.to_le_bytes())?;
            }
        }
        let parts = self.network.growing();
        sparse::write(&mut out, FEATURES, |feature| {
            let place = parts.place(feature);
            let Part { weight, vector } = parts.parts[place];
            let Errors {
                sum,
                absolute,
                squares,
            } = self.errors[place];
            let [a, b, c, d, e, f, g, h] = vector;
            (place != 0).then(|| {
                sparse::to_bytes::<12, 48>([weight, sum, absolute, squares, a, b, c, d, e, f, g, h])
            })
        })?;
        out.flush()
    }

    fn read_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let mut from = io::BufReader::new(from);
        sparse::check_begin(
            &mut from,
            STATE,
            "it was saved by another version; --from PATH starts from the weights of other versions",
        )?;
        *self = Self::new(&self.network.tokens.game, self.seed);
        for layer in [self.network.layer.as_mut(), Some(&mut self.squares)] {
            for number in layer.expect("a training has a layer").numbers() {
                [*number] = sparse::from_bytes::<4, 1>(sparse::array(&mut from)?)?;
            }
        }
        sparse::read(&mut from, FEATURES, |feature, bytes: [u8; 48]| {
            let [weight, sum, absolute, squares, vector @ ..] =
                sparse::from_bytes::<48, 12>(bytes)?;
            *self.made(feature) = Part { weight, vector };
            let place = self.network.growing().place(feature);
            self.errors[place] = Errors {
                sum,
                absolute,
                squares,
            };
            Ok(())
        })
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
    use crate::players::sixty_seven::network::LAYER;

    fn training(seed: u64) -> Training {
        let mut params = Params::defaults(PARAMS);
        params.set("rows", Value::Int(3));
        params.set("cols", Value::Int(3));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        Training::new(&SixtySeven::from_params(&params), seed)
    }

    #[test]
    fn a_training_goes_on_from_its_state() {
        let mut first = training(1);
        first.play(0..30, 100);
        let mut state = Vec::new();
        first.write_state(&mut state).unwrap();
        first.play(30..60, 100);
        let mut same = training(1);
        same.play(90..95, 100);
        same.read_state(&mut state.as_slice()).unwrap();
        same.play(30..60, 100);
        assert_eq!(same.errors.len(), first.errors.len());
        assert_eq!(same.weights(), first.weights());
        // A number of the layer, and one of the last feature.
        for place in [STATE.len() + 4, state.len() - 8] {
            for number in [f32::NAN, f32::INFINITY] {
                let mut state = state.clone();
                state[place..place + 4].copy_from_slice(&number.to_le_bytes());
                let error = training(1).read_state(&mut state.as_slice()).unwrap_err();
                assert!(error.to_string().contains("not finite"), "{error}");
            }
        }
        state.pop();
        assert!(training(1).read_state(&mut state.as_slice()).is_err());
        state[0] ^= 1;
        let error = training(1).read_state(&mut state.as_slice()).unwrap_err();
        assert!(error.to_string().contains("--from"), "{error}");
    }

    #[test]
    fn a_training_starts_from_the_board_values_of_other_weights() {
        let mut known = training(1);
        known.play(0..200, 200);
        let hidden = Network::from_bytes(&known.network.tokens.game, &known.weights()).unwrap();
        let mut linear = hidden.pruned(FEATURES, 0, &[1; FEATURES]);
        linear.layer = None;
        let board = [0x0004_0110_u64, 0x0103, 0x20_0002, 0, 0, 0, 0, 0];
        for network in [hidden, linear] {
            let mut training = training(2);
            training.start_from(&network.to_bytes()).unwrap();
            assert_eq!(training.network.odds(&board), network.odds(&board));
            assert_ne!(
                network.odds(&board),
                Training::new(&network.tokens.game, 2).network.odds(&board)
            );
            // The first games of a training that starts from weights change them less than those of
            // a training that knows nothing.
            training.play(0..5, 100);
            assert_ne!(training.network.odds(&board), network.odds(&board));
        }
        assert!(training(2).start_from(&[0x80]).is_err());
    }

    /// The steps of the layer and of vectors reduce the error that they follow: the gradient is
    /// that of small changes.
    #[test]
    fn the_gradient_is_that_of_small_changes() {
        let mut training = training(3);
        let vector = [0.3, -1.1, 0.7, 0.2, -0.4, 0.9, -0.6, 0.5];
        let layer = training.network.layer.clone().unwrap();
        let gradient = training.correct_layer(&vector, 1.0, 0.0);
        for number in 0..WIDTH {
            let odds = |change: f32| {
                let mut vector = vector;
                vector[number] += change;
                layer.output(&vector)
            };
            let slope = (odds(1e-3) - odds(-1e-3)) / 2e-3;
            assert!((gradient[number] - slope).abs() < 1e-3, "{number}: {slope}");
        }
        assert_eq!(training.network.layer.as_ref(), Some(&layer));
        // With a rate, every number of the layer moves up its own slope.
        training.squares = Layer::filled(LAYER_SQUARES);
        training.correct_layer(&vector, 1.0, 0.01);
        let after = training.network.layer.as_mut().unwrap();
        let moved: Vec<f32> = after
            .numbers()
            .zip(layer.clone().numbers())
            .map(|(a, b)| *a - *b)
            .collect();
        assert_eq!(moved.len(), LAYER);
        for (place, moved) in moved.into_iter().enumerate() {
            let odds = |change: f32| {
                let mut layer = layer.clone();
                *layer.numbers().nth(place).unwrap() += change;
                layer.output(&vector)
            };
            let slope = odds(1e-3) - odds(-1e-3);
            assert!(
                moved * slope > 0.0 || (moved == 0.0 && slope == 0.0),
                "{place}: {moved} {slope}"
            );
        }
    }
}
