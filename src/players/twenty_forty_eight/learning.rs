//! Learns the tuple network of 2048 from games that it plays itself.
//!
//! # What it computes
//! In each turn the swipe is taken whose score and board behind it ([`Network`]) have the largest
//! sum, the first of up, down, left, right among equal ones. Then the board behind the swipe before
//! is corrected towards that sum, or towards 0 when no swipe was legal (TD(0) between boards behind
//! swipes). With e the error, n the number of look-ups and s and a of each weight's own:
//!
//! ```text
//!   weight += rate · e / n · |s| / a      (the last factor is 1 as long as a = 0)
//!   s += e
//!   a += |e|
//! ```
//!
//! So a weight whose errors cancel each other is corrected less and less: temporal coherence. The
//! rate is 1 and falls evenly to a tenth over the last two fifths of the training.
//!
//! A game ends early when the sum of its tiles comes so near to [`POINTS_BOUND`] that the next
//! spawn could reach it: packed boards cannot hold two tiles 32768. The last board behind a swipe
//! is then not corrected.
//!
//! # Draw protocol
//! Game g of the training has the stream of the learner's seed; a test game that of this seed with
//! the key `test`. It draws as the game does: one word a spawn.
//!
//! # Sources
//! Szubert and Jaśkowski (2014), as in [`super::network`]; Beal and Smith, "Temporal coherence and
//! prediction decay in TD learning" (1999); Jaśkowski, "Mastering 2048 with delayed temporal
//! coherence learning, multistage weight promotion, redundant encoding and carousel shaping"
//! (2016), for both together.

use super::kernels::prefetch;
use super::network::{FEATURES, Network, WEIGHTS, features, shapes};
use super::sparse;
use super::swipes::{Swiped, Swipes};
use crate::game::learner::{Learner, Stretch};
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::packed::{POINTS_BOUND, Packed};
use crate::params::{ParamError, Params};
use crate::rng::{Draw, Probability, SeedableRng, Stream, game_seed, stream_seed};
use std::io::{self, Error, ErrorKind, Read, Write};
use std::ops::Range;

/// The share of a training from which on the rate falls, and what it falls to.
const FALLS_FROM: f32 = 0.6;
const RATE_LAST: f32 = 0.1;

/// What the bytes of a state begin with.
const STATE: &[u8; 16] = b"2048 learning 1\n";

/// Makes the learner for these rules.
///
/// # Errors
/// When the board is not 4×4, or the start board has tiles that packed boards cannot hold.
///
/// # Panics
/// When the game's parameters were not completed.
pub fn learner(params: &Params, seed: u64) -> Result<Box<dyn Learner>, ParamError> {
    Ok(Box::new(TupleLearner::new(&TwentyFortyEight::from_params(params), seed)?))
}

/// A tuple network in the making.
struct TupleLearner {
    weights: Vec<f32>,
    /// Of each weight, the sums of its errors and of their sizes.
    errors: Vec<[f32; 2]>,
    seed: u64,
    four_rate: Probability,
    goal: u64,
    start: Option<Packed>,
    moves_max: u64,
}

/// A board behind a swipe.
#[derive(Clone, Copy)]
struct After {
    swiped: Swiped,
    features: [u32; FEATURES],
    /// The swipe's score; -∞ where it is not legal.
    score: f32,
}

impl TupleLearner {
    fn new(game: &TwentyFortyEight, seed: u64) -> Result<Self, ParamError> {
        for (name, side) in [("rows", game.rows), ("cols", game.cols)] {
            if side != 4 {
                let message = format!("{side} where the tuple network of 2048 learns boards of 4×4 only");
                return Err(ParamError::new(name, message));
            }
        }
        let packed = |board| {
            let packed = Packed::from_board(board).filter(|packed| packed.points() + 4 < POINTS_BOUND);
            packed.ok_or_else(|| {
                let most = POINTS_BOUND - 5;
                let message = format!(
                    "the tuple network of 2048 learns from powers of two from 2 to 32768 that sum to at most {most}"
                );
                ParamError::new("start", message)
            })
        };
        Ok(Self {
            weights: vec![0.0; WEIGHTS],
            errors: vec![[0.0; 2]; WEIGHTS],
            seed,
            four_rate: game.four_rate,
            goal: game.goal,
            start: game.start.as_ref().map(packed).transpose()?,
            moves_max: game.max_moves.unwrap_or(u64::MAX),
        })
    }

    #[inline(always)]
    fn value(&self, features: &[u32; FEATURES]) -> f32 {
        let mut sums = [0.0_f32; 4];
        for four in features.chunks_exact(sums.len()) {
            for (sum, &feature) in sums.iter_mut().zip(four) {
                *sum += self.weights[feature as usize];
            }
        }
        (sums[0] + sums[1]) + (sums[2] + sums[3])
    }

    /// What the swipes of a board lead to; `None` when none is legal. The weights are asked for.
    #[inline(always)]
    fn afters(&self, board: Packed) -> Option<[After; 4]> {
        let mut over = true;
        let afters = Swipes::get().of(board).map(|swiped| {
            let is_legal = swiped.board != board;
            over &= !is_legal;
            let features = features(swiped.board);
            features.iter().for_each(|&feature| prefetch(&self.weights[feature as usize]));
            After { swiped, features, score: if is_legal { swiped.score as f32 } else { f32::NEG_INFINITY } }
        });
        (!over).then_some(afters)
    }

    /// The best of them, with the sum of its score and its value.
    #[inline(always)]
    fn best<'a>(&self, afters: &'a [After; 4]) -> (&'a After, f32) {
        let values = afters.each_ref().map(|after| after.score + self.value(&after.features));
        // Written without branches: which swipe is best cannot be predicted.
        let mut best = 0;
        let mut largest = values[0];
        for (place, &value) in values.iter().enumerate().skip(1) {
            let is_better = value > largest;
            best = if is_better { place } else { best };
            largest = if is_better { value } else { largest };
        }
        (&afters[best], largest)
    }

    /// Corrects the value of a board towards a target.
    #[inline(always)]
    fn correct(&mut self, features: &[u32; FEATURES], target: f32, rate: f32) {
        let error = target - self.value(features);
        let step = rate * error / FEATURES as f32;
        for &feature in features {
            let [sum, size] = &mut self.errors[feature as usize];
            let coherence = if *size == 0.0 { 1.0 } else { sum.abs() / *size };
            *sum += error;
            *size += error.abs();
            self.weights[feature as usize] += step * coherence;
        }
    }

    #[inline(always)]
    fn spawned(&self, board: Packed, world: &mut Stream) -> Packed {
        let mut draw = Draw::next(world);
        let mut blanks = board.blanks();
        for _ in 0..draw.below(u64::from(blanks.count_ones())) {
            blanks &= blanks - 1;
        }
        let blank = blanks & blanks.wrapping_neg();
        Packed(board.0 | blank << u32::from(draw.chance(self.four_rate)))
    }

    /// Plays a game greedily, and learns from it at this rate if `LEARNS`.
    fn play_one<const LEARNS: bool>(&mut self, world: &mut Stream, rate: f32) -> Stretch {
        let mut board = self.start.unwrap_or_else(|| {
            let board = self.spawned(Packed(0), world);
            self.spawned(board, world)
        });
        let mut moves = 0;
        let mut score = 0_u64;
        // At least the sum of the tiles.
        let mut points_bound = board.points();
        let mut before: Option<[u32; FEATURES]> = None;
        let mut afters = self.afters(board);
        while let Some(found) = afters {
            let (after, value) = self.best(&found);
            if LEARNS {
                after.features.iter().for_each(|&feature| prefetch(&self.errors[feature as usize]));
            }
            moves += 1;
            score += u64::from(after.swiped.score);
            afters = None;
            if moves < self.moves_max {
                board = self.spawned(after.swiped.board, world);
                afters = self.afters(board);
            } else {
                board = after.swiped.board;
            }
            if LEARNS && let Some(before) = &before {
                self.correct(before, value, rate);
            }
            before = Some(after.features);
            points_bound += 4;
            if points_bound + 4 >= POINTS_BOUND {
                points_bound = board.points();
                if points_bound + 4 >= POINTS_BOUND {
                    before = None;
                    break;
                }
            }
        }
        if LEARNS && let Some(before) = &before {
            self.correct(before, 0.0, rate);
        }
        Stretch { games: 1, moves, wins: u64::from(board.largest() >= self.goal), score: score as f64 }
    }
}

impl Learner for TupleLearner {
    fn play(&mut self, games: Range<u64>, of: u64) -> Stretch {
        let mut all = Stretch::default();
        for game in games {
            let falling = (game as f32 / of as f32 - FALLS_FROM).max(0.0) / (1.0 - FALLS_FROM);
            let rate = 1.0 - (1.0 - RATE_LAST) * falling;
            let mut world = Stream::seed_from_u64(game_seed(self.seed, game));
            all += self.play_one::<true>(&mut world, rate);
        }
        all
    }

    fn test(&mut self, games: Range<u64>) -> Stretch {
        let seed = stream_seed(self.seed, "test");
        let mut all = Stretch::default();
        for game in games {
            let mut world = Stream::seed_from_u64(game_seed(seed, game));
            all += self.play_one::<false>(&mut world, 0.0);
        }
        all
    }

    /// After a line and the shapes, weight and sums of errors of every index that was ever
    /// corrected.
    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(STATE)?;
        out.write_all(&shapes())?;
        sparse::write(out, WEIGHTS, |index| {
            let [sum, size] = self.errors[index];
            let floats = [self.weights[index], sum, size];
            (size != 0.0).then(|| std::array::from_fn::<u8, 12, _>(|byte| floats[byte / 4].to_le_bytes()[byte % 4]))
        })
    }

    fn read_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        let expected = [&STATE[..], &shapes()].concat();
        let mut found = vec![0; expected.len()];
        from.read_exact(&mut found)?;
        let wrong = |what| Err(Error::new(ErrorKind::InvalidData, what));
        if found != expected {
            return wrong("it is not a state of learning 2048 with the shapes of this version");
        }
        self.weights = vec![0.0; WEIGHTS];
        self.errors = vec![[0.0; 2]; WEIGHTS];
        let mut is_finite = true;
        sparse::read(from, WEIGHTS, |index, bytes: [u8; 12]| {
            let (floats, _) = bytes.as_chunks::<4>();
            let [weight, sum, size] = [0, 1, 2].map(|place| f32::from_le_bytes(floats[place]));
            is_finite &= weight.is_finite() && sum.is_finite() && size.is_finite();
            self.weights[index] = weight;
            self.errors[index] = [sum, size];
        })?;
        if is_finite { Ok(()) } else { wrong("it has numbers that are not finite") }
    }

    fn weights(&self) -> Vec<u8> {
        Network::rounded(&self.weights).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty_forty_eight::PARAMS;

    fn params(settings: &[&str]) -> Params {
        Params::from_settings(PARAMS, settings.iter().map(|&setting| setting.to_owned())).unwrap()
    }

    fn tuple_learner(settings: &[&str], seed: u64) -> TupleLearner {
        TupleLearner::new(&TwentyFortyEight::from_params(&params(settings)), seed).unwrap()
    }

    fn state(learner: &dyn Learner) -> Vec<u8> {
        let mut bytes = Vec::new();
        learner.write_state(&mut bytes).unwrap();
        bytes
    }

    /// A training that is continued from its state learns what an uninterrupted one learns, and
    /// games by the learned weights are better than the first ones.
    #[test]
    fn learning_is_repeatable_can_be_continued_and_helps() {
        let mut whole = tuple_learner(&[], 5);
        let first = whole.test(0..20);
        let played = whole.play(0..120, 120);
        let mut part = tuple_learner(&[], 5);
        let mut sum = part.play(0..50, 120);
        let half = state(&part);
        let mut rest = tuple_learner(&[], 5);
        rest.play(0..1, 1);
        rest.read_state(&mut &half[..]).unwrap();
        sum += rest.play(50..120, 120);
        assert_eq!(sum, played);
        assert_eq!(state(&rest), state(&whole));
        assert_eq!(rest.weights(), whole.weights());

        assert_eq!(played.games, 120);
        let learned = whole.test(0..20);
        assert_eq!(whole.test(0..20), learned, "testing does not learn");
        assert!(learned.score > 1.5 * first.score, "{learned:?} after learning, {first:?} before");

        // What players take has the values that were learned, to half a unit a look-up.
        let network = Network::from_bytes(&whole.weights()).unwrap();
        let largest = whole.weights.iter().fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
        for word in [0x1_0000_0020, 0x1111_0000_0000_0000, 0x1234_5432_1021_0000] {
            let value = whole.value(&features(Packed(word)));
            let apart = (network.value(Packed(word)) - value).abs();
            assert!(apart <= FEATURES as f32 * largest / 65_000.0, "{value}: {apart} apart");
        }
    }

    #[test]
    fn a_damaged_or_foreign_state_is_refused() {
        let mut learner = tuple_learner(&[], 5);
        learner.play(0..2, 2);
        let whole = state(&learner);
        let mut read = |bytes: &[u8]| learner.read_state(&mut &*bytes).map_err(|error| error.kind());
        assert_eq!(read(&whole), Ok(()));
        assert_eq!(read(&whole[..whole.len() - 1]), Err(ErrorKind::UnexpectedEof));
        assert_eq!(read(b"{}"), Err(ErrorKind::UnexpectedEof));
        let mut other = whole.clone();
        other[STATE.len()] = 15;
        assert_eq!(read(&other), Err(ErrorKind::InvalidData));
        let mut infinite = whole;
        // The first weight follows after a count and the bits of its block.
        let at = STATE.len() + shapes().len() + 4 + 8;
        infinite[at..at + 4].copy_from_slice(&f32::NAN.to_le_bytes());
        assert_eq!(read(&infinite), Err(ErrorKind::InvalidData));
    }

    /// The greedy games of a test are games by the rules: replayed on plain boards they have the
    /// same scores.
    #[test]
    fn test_games_keep_to_the_rules() {
        use crate::game::{Game, GameResult};
        use crate::games::direction::Direction;

        let game = TwentyFortyEight::from_params(&params(&["goal=64"]));
        let mut learner = tuple_learner(&["goal=64"], 9);
        learner.play(0..10, 10);
        let mut expected = Stretch::default();
        for index in 0..10 {
            let mut world = Stream::seed_from_u64(game_seed(stream_seed(9, "test"), index));
            let mut state = game.start(&mut world);
            game.deal(&mut state, &mut world);
            while game.outcome(&state).is_none() {
                let value = |direction: Direction| {
                    let mut after = state.board.clone();
                    let score = after.slide(direction)?;
                    let packed = Packed::from_board(&after).unwrap();
                    Some((score as f32 + learner.value(&features(packed)), direction))
                };
                let better = |best: (f32, Direction), next: (f32, Direction)| if next.0 > best.0 { next } else { best };
                let (_, direction) = Direction::ALL.into_iter().filter_map(value).reduce(better).unwrap();
                game.play(&mut state, direction);
                game.deal(&mut state, &mut world);
            }
            let won = game.outcome(&state).unwrap().result == GameResult::Won;
            let score = state.merge_score as f64;
            expected += Stretch { games: 1, moves: state.moves, wins: won.into(), score };
        }
        assert_eq!(learner.test(0..10), expected);
    }

    #[test]
    fn games_begin_and_end_as_the_parameters_say() {
        let mut short = tuple_learner(&["max_moves=3"], 1);
        assert_eq!(short.play(0..4, 4).moves, 12);
        // One swipe fills the board's only gap, and nothing is legal after its spawn or few more.
        let mut late = tuple_learner(&["start=2,4,8,16/32,64,128,256/2,4,8,16/512,2,4,0", "goal=512"], 1);
        let played = late.play(0..4, 4);
        assert_eq!((played.games, played.wins), (4, 4));
        assert!(played.moves >= 4, "{played:?}");
        // The tiles are bounded by what packed boards hold.
        let mut large = tuple_learner(&["start=32768,16384,8192,4096/0,0,0,0/0,0,0,0/2048,1024,512,256"], 1);
        let played = large.play(0..1, 1);
        assert!(played.moves <= 80, "{played:?}");
    }

    #[test]
    fn rules_that_it_cannot_learn_are_named() {
        let error = |settings: &[&str]| learner(&params(settings), 1).err().unwrap();
        assert_eq!(error(&["rows=5"]).key, "rows");
        assert_eq!(error(&["cols=3"]).key, "cols");
        let start = error(&["start=3,3,0,0/0,0,0,0/0,0,0,0/0,0,0,0"]);
        assert_eq!(start.key, "start");
        assert!(start.message.contains("powers of two"), "{start}");
        assert_eq!(error(&["start=32768,32768,0,0/0,0,0,0/0,0,0,0/0,0,0,0"]).key, "start");
    }
}
