//! Trains the tuple network of 2048 by self-play.
//!
//! # What it computes
//! Each turn takes the swipe with the largest sum of its score and the value ([`Network`]) of the
//! board after it; ties go to the first of up, down, left, right. Four swipes later, or at the end
//! of the game, the value of the board after the swipe is updated towards a target (TD(λ) between
//! boards after swipes, truncated after four). With r the scores of the swipes, V the values when
//! they were chosen, and t the last swipe of this window:
//!
//! ```text
//!   target(t − 1) = r(t) + V(t)
//!   target(k − 1) = r(k) + (1 − λ) · V(k) + λ · target(k)      λ = 0.5
//! ```
//!
//! If no further swipe was legal, the target of the last board is 0. With e the error (target minus
//! value), n the number of look-ups, and s and a stored for each weight:
//!
//! ```text
//!   weight += rate · e / n · |s| / a      (the last factor is 1 as long as a = 0)
//!   s += e
//!   a += |e|
//! ```
//!
//! So a weight whose errors cancel is changed less and less: temporal coherence. The rate is 1 and
//! falls linearly to a tenth over the last two fifths of the training.
//!
//! A game ends early when the sum of its tiles is so close to [`POINTS_BOUND`] that the next spawn
//! could reach it: packed boards cannot hold two tiles 32768. The last four boards after swipes are
//! then not updated.
//!
//! # Restart
//! Late boards are rare and need the most games. So when a training game has ended, it is played
//! again from the board in the middle of its moves, then from the middle of that continuation, and
//! so on until fewer than 10 moves were played. All of this is one training game. Its moves are the
//! total; its score and result are those of the game from its start.
//!
//! # Draw protocol
//! Training game g uses the stream of the learner's seed, and its restarts continue with that
//! stream; a test game uses the stream of this seed with the key `test`. Draws are those of the
//! game: one word per spawn.
//!
//! # Sources
//! Szubert and Jaśkowski (2014), as in [`super::network`]; Beal and Smith, "Temporal coherence and
//! prediction decay in TD learning" (1999); Jaśkowski, "Mastering 2048 with delayed temporal
//! coherence learning, multistage weight promotion, redundant encoding and carousel shaping"
//! (2016), for both together and for the delay; Matsuzaki, "Developing a 2048 player with backward
//! temporal coherence learning and restart" (2017), for restart.

use super::kernels::prefetch;
use super::network::{FEATURES, Network, WEIGHTS, features, shapes};
use crate::game::learner::{Learner, Totals};
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::packed::{POINTS_BOUND, Packed, SlidRows, Swiped};
use crate::params::{ParamError, Params};
use crate::players::sparse;
use crate::rng::{Draw, Probability, SeedableRng, Stream, game_seed, stream_seed};
use std::io::{self, Read, Write};
use std::ops::Range;

/// The share of a training from which on the rate falls, and what it falls to.
const FALLS_FROM: f32 = 0.6;
const RATE_LAST: f32 = 0.1;

/// How much what follows a swipe counts for the target of the board before it, beside the value
/// behind the swipe.
const LAMBDA: f32 = 0.5;
/// A board is corrected `DELAY` swipes later.
const DELAY: usize = 4;

/// From the middle of `RESTART_MOVES` moves or more, a game is played again.
const RESTART_MOVES: usize = 10;

/// What the bytes of a state begin with.
const STATE: &[u8; 16] = b"2048 learning 2\n";

/// Makes the learner for these rules.
///
/// # Errors
/// Returns an error if the board is not 4×4, or the start board has tiles that packed boards cannot
/// hold.
///
/// # Panics
/// Panics if the game's parameters were not completed.
pub fn learner(params: &Params, seed: u64) -> Result<Box<dyn Learner>, ParamError> {
    Ok(Box::new(TupleLearner::new(
        &TwentyFortyEight::from_params(params),
        seed,
    )?))
}

/// A tuple network in the making.
struct TupleLearner {
    weights: Vec<f32>,
    /// For each weight, the sums of its errors and of their sizes.
    errors: Vec<[f32; 2]>,
    seed: u64,
    four_rate: Probability,
    goal: u64,
    start: Option<Packed>,
    moves_max: u64,
    /// Room for the boards of what is played.
    boards: Vec<Packed>,
}

/// A board behind a swipe.
#[derive(Clone, Copy)]
struct After {
    swiped: Swiped,
    features: [u32; FEATURES],
    /// The swipe's score; -∞ where it is not legal.
    score: f32,
}

/// A board behind a swipe that is not corrected yet, with its value when it was chosen.
#[derive(Clone, Copy, Default)]
struct Recent {
    features: [u32; FEATURES],
    value: f32,
    /// The swipe's score and the value.
    sum: f32,
}

impl Recent {
    /// The target of the board behind the swipe before, when this is that of the board itself.
    #[inline(always)]
    fn target_before(&self, target: f32) -> f32 {
        self.sum + LAMBDA * (target - self.value)
    }
}

impl TupleLearner {
    fn new(game: &TwentyFortyEight, seed: u64) -> Result<Self, ParamError> {
        for (name, side) in [("rows", game.rows), ("cols", game.cols)] {
            if side != 4 {
                let message =
                    format!("{side} where the tuple network of 2048 learns boards of 4×4 only");
                return Err(ParamError::new(name, message));
            }
        }
        let packed = |board| {
            let packed =
                Packed::from_board(board).filter(|packed| packed.points() + 4 < POINTS_BOUND);
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
            boards: Vec::new(),
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
        let afters = SlidRows::get().swipes(board).map(|swiped| {
            let is_legal = swiped.board != board;
            over &= !is_legal;
            let features = features(swiped.board);
            features
                .iter()
                .for_each(|&feature| prefetch(&self.weights[feature as usize]));
            After {
                swiped,
                features,
                score: if is_legal {
                    swiped.score as f32
                } else {
                    f32::NEG_INFINITY
                },
            }
        });
        (!over).then_some(afters)
    }

    /// The best of the boards after a move, with the sum of its score and its value.
    #[inline(always)]
    fn best<'a>(&self, afters: &'a [After; 4]) -> (&'a After, f32) {
        let values = afters
            .each_ref()
            .map(|after| after.score + self.value(&after.features));
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

    /// The board that a game starts from.
    fn first_board(&self, world: &mut Stream) -> Packed {
        self.start.unwrap_or_else(|| {
            let board = self.spawned(Packed(0), world);
            self.spawned(board, world)
        })
    }

    /// Plays a game greedily and learns from it at this rate, then again and again from the middle
    /// of what was played last. The score and the win are those of the game from its start.
    fn learn_from_one(&mut self, world: &mut Stream, rate: f32) -> Totals {
        let mut boards = std::mem::take(&mut self.boards);
        let mut board = self.first_board(world);
        let mut moves_left = self.moves_max;
        let mut all = Totals::default();
        loop {
            boards.clear();
            let played = self.play_from::<true>(board, moves_left, world, rate, &mut boards);
            if all.games == 0 {
                all = played;
            } else {
                all.moves += played.moves;
            }
            if boards.len() < RESTART_MOVES {
                break;
            }
            let middle = boards.len() / 2;
            board = boards[middle];
            moves_left -= middle as u64;
        }
        self.boards = boards;
        all
    }

    /// Plays greedily from a board, and learns from it at this rate if `LEARNS`; the boards on
    /// which swipes were chosen are added to `boards` then.
    fn play_from<const LEARNS: bool>(
        &mut self,
        mut board: Packed,
        moves_left: u64,
        world: &mut Stream,
        rate: f32,
        boards: &mut Vec<Packed>,
    ) -> Totals {
        let mut moves = 0;
        let mut score = 0_u64;
        // At least the sum of the tiles.
        let mut points_bound = board.points();
        let mut recent = [Recent::default(); DELAY];
        let mut is_over = true;
        let mut afters = self.afters(board);
        while let Some(found) = afters {
            let (after, value) = self.best(&found);
            if LEARNS {
                after
                    .features
                    .iter()
                    .for_each(|&feature| prefetch(&self.errors[feature as usize]));
                boards.push(board);
            }
            moves += 1;
            score += u64::from(after.swiped.score);
            afters = None;
            if moves < moves_left {
                board = self.spawned(after.swiped.board, world);
                afters = self.afters(board);
            } else {
                board = after.swiped.board;
            }
            if LEARNS {
                let place = moves as usize % DELAY;
                if moves > DELAY as u64 {
                    let mut target = value;
                    for back in 1..DELAY {
                        target = recent[(place + DELAY - back) % DELAY].target_before(target);
                    }
                    let oldest = recent[place].features;
                    self.correct(&oldest, target, rate);
                }
                recent[place] = Recent {
                    features: after.features,
                    sum: value,
                    value: value - after.score,
                };
            }
            points_bound += 4;
            if points_bound + 4 >= POINTS_BOUND {
                points_bound = board.points();
                if points_bound + 4 >= POINTS_BOUND {
                    is_over = false;
                    break;
                }
            }
        }
        if LEARNS && is_over {
            let mut target = 0.0;
            for back in 0..moves.min(DELAY as u64) {
                let last = recent[(moves - back) as usize % DELAY];
                self.correct(&last.features, target, rate);
                target = last.target_before(target);
            }
        }
        Totals {
            games: 1,
            moves,
            wins: u64::from(board.largest() >= self.goal),
            score: score as f64,
        }
    }
}

impl Learner for TupleLearner {
    fn play(&mut self, games: Range<u64>, of: u64) -> Totals {
        let mut all = Totals::default();
        for game in games {
            let falling = (game as f32 / of as f32 - FALLS_FROM).max(0.0) / (1.0 - FALLS_FROM);
            let rate = 1.0 - (1.0 - RATE_LAST) * falling;
            let mut world = Stream::seed_from_u64(game_seed(self.seed, game));
            all += self.learn_from_one(&mut world, rate);
        }
        all
    }

    fn test(&mut self, games: Range<u64>) -> Totals {
        let seed = stream_seed(self.seed, "test");
        let mut all = Totals::default();
        for game in games {
            let mut world = Stream::seed_from_u64(game_seed(seed, game));
            let board = self.first_board(&mut world);
            all += self.play_from::<false>(board, self.moves_max, &mut world, 0.0, &mut Vec::new());
        }
        all
    }

    fn start_from(&mut self, weights: &[u8]) -> Result<(), String> {
        let known = Network::from_bytes(weights)?;
        self.weights = (0..WEIGHTS).map(|index| known.weight(index)).collect();
        self.errors = vec![[0.0; 2]; WEIGHTS];
        Ok(())
    }

    /// After a line and the shapes, weight and sums of errors of every index that was ever
    /// corrected, or has a weight.
    fn write_state(&self, out: &mut dyn Write) -> io::Result<()> {
        out.write_all(STATE)?;
        out.write_all(&shapes())?;
        sparse::write(out, WEIGHTS, |index| {
            let [sum, size] = self.errors[index];
            (size != 0.0 || self.weights[index] != 0.0)
                .then(|| sparse::to_bytes::<3, 12>([self.weights[index], sum, size]))
        })
    }

    fn read_state(&mut self, from: &mut dyn Read) -> io::Result<()> {
        sparse::check_begin(
            from,
            &[&STATE[..], &shapes()].concat(),
            "it is not a state of learning 2048 with the shapes of this version",
        )?;
        self.weights = vec![0.0; WEIGHTS];
        self.errors = vec![[0.0; 2]; WEIGHTS];
        sparse::read(from, WEIGHTS, |index, bytes| {
            let [weight, sum, size] = sparse::from_bytes::<12, 3>(bytes)?;
            self.weights[index] = weight;
            self.errors[index] = [sum, size];
            Ok(())
        })
    }

    fn weights(&self) -> Vec<u8> {
        Network::rounded(&self.weights).to_bytes()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, GameResult};
    use crate::games::direction::Direction;
    use crate::games::twenty_forty_eight::PARAMS;
    use std::io::ErrorKind;

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

    #[test]
    fn a_training_starts_from_other_weights_and_its_state_has_all_of_them() {
        let mut known = tuple_learner(&[], 5);
        known.play(0..20, 20);
        let weights = Learner::weights(&known);
        let mut started = tuple_learner(&[], 6);
        started.play(0..5, 20);
        started.start_from(&weights).unwrap();
        let mut again = tuple_learner(&[], 6);
        again.read_state(&mut state(&started).as_slice()).unwrap();
        assert!(Learner::weights(&started) == weights && Learner::weights(&again) == weights);
        assert!(started.start_from(&weights[1..]).is_err());
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
        assert!(
            learned.score > 1.5 * first.score,
            "{learned:?} after learning, {first:?} before"
        );

        // What players take has the values that were learned, to half a unit a look-up.
        let network = Network::from_bytes(&whole.weights()).unwrap();
        let largest = whole
            .weights
            .iter()
            .fold(0.0_f32, |largest, weight| largest.max(weight.abs()));
        for word in [0x1_0000_0020, 0x1111_0000_0000_0000, 0x1234_5432_1021_0000] {
            let value = whole.value(&features(Packed(word)));
            let apart = (network.value(Packed(word)) - value).abs();
            assert!(
                apart <= FEATURES as f32 * largest / 65_000.0,
                "{value}: {apart} apart"
            );
        }
    }

    #[test]
    fn a_damaged_or_foreign_state_is_refused() {
        let mut learner = tuple_learner(&[], 5);
        learner.play(0..2, 2);
        let whole = state(&learner);
        let mut read = |bytes: &[u8]| {
            learner
                .read_state(&mut &*bytes)
                .map_err(|error| error.kind())
        };
        assert_eq!(read(&whole), Ok(()));
        assert_eq!(
            read(&whole[..whole.len() - 1]),
            Err(ErrorKind::UnexpectedEof)
        );
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
        let game = TwentyFortyEight::from_params(&params(&["goal=64"]));
        let mut learner = tuple_learner(&["goal=64"], 9);
        learner.play(0..10, 10);
        let mut expected = Totals::default();
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
                let better = |best: (f32, Direction), next: (f32, Direction)| {
                    if next.0 > best.0 { next } else { best }
                };
                let (_, direction) = Direction::ALL
                    .into_iter()
                    .filter_map(value)
                    .reduce(better)
                    .unwrap();
                game.play(&mut state, direction);
                game.deal(&mut state, &mut world);
            }
            let won = game.outcome(&state).unwrap().result == GameResult::Won;
            let score = state.merge_score as f64;
            expected += Totals {
                games: 1,
                moves: state.moves,
                wins: won.into(),
                score,
            };
        }
        assert_eq!(learner.test(0..10), expected);
    }

    #[test]
    fn games_begin_and_end_as_the_parameters_say() {
        let mut short = tuple_learner(&["max_moves=3"], 1);
        assert_eq!(short.play(0..4, 4).moves, 12);
        // One swipe fills the board's only gap, and nothing is legal after its spawn or few more.
        let mut late = tuple_learner(
            &[
                "start=2,4,8,16/32,64,128,256/2,4,8,16/512,2,4,0",
                "goal=512",
            ],
            1,
        );
        let played = late.play(0..4, 4);
        assert_eq!((played.games, played.wins), (4, 4));
        assert!(played.moves >= 4, "{played:?}");
        // The tiles are bounded by what packed boards hold.
        let mut large = tuple_learner(
            &["start=32768,16384,8192,4096/0,0,0,0/0,0,0,0/2048,1024,512,256"],
            1,
        );
        let played = large.test(0..1);
        assert!(played.moves <= 80, "{played:?}");
        assert!(
            large.play(0..1, 1).moves > played.moves,
            "it is played again from its middle"
        );
    }

    /// A swipe as [`learn_plainly`] has it: what it earned, and its board behind.
    struct Swipe {
        score: f32,
        behind: Recent,
    }

    /// What [`TupleLearner::learn_from_one`] does at a rate of 1, by the rules of the game.
    fn learn_plainly(
        learner: &mut TupleLearner,
        game: &TwentyFortyEight,
        world: &mut Stream,
    ) -> Totals {
        let mut state = game.start(world);
        game.deal(&mut state, world);
        let mut all = Totals::default();
        loop {
            let mut states = Vec::new();
            let mut swipes: Vec<Swipe> = Vec::new();
            while game.outcome(&state).is_none() {
                let swipe = |direction: Direction| {
                    let mut after = state.board.clone();
                    let score = after.slide(direction)? as f32;
                    let features = features(Packed::from_board(&after).unwrap());
                    let sum = score + learner.value(&features);
                    Some((
                        direction,
                        Swipe {
                            score,
                            behind: Recent {
                                features,
                                value: sum - score,
                                sum,
                            },
                        },
                    ))
                };
                let better = |best: (Direction, Swipe), next: (Direction, Swipe)| {
                    if next.1.behind.sum > best.1.behind.sum {
                        next
                    } else {
                        best
                    }
                };
                let (direction, swipe) = Direction::ALL
                    .into_iter()
                    .filter_map(swipe)
                    .reduce(better)
                    .unwrap();
                states.push(state.clone());
                swipes.push(swipe);
                game.play(&mut state, direction);
                if game.outcome(&state).is_none() {
                    game.deal(&mut state, world);
                }
                if let Some(corrected) = swipes.len().checked_sub(DELAY + 1) {
                    let target = plain_target(&swipes[corrected + 1..], false);
                    learner.correct(&swipes[corrected].behind.features, target, 1.0);
                }
            }
            for last in (swipes.len().saturating_sub(DELAY)..swipes.len()).rev() {
                learner.correct(
                    &swipes[last].behind.features,
                    plain_target(&swipes[last + 1..], true),
                    1.0,
                );
            }
            if all.games == 0 {
                let won = game.outcome(&state).unwrap().result == GameResult::Won;
                all = Totals {
                    games: 1,
                    moves: 0,
                    wins: won.into(),
                    score: state.merge_score as f64,
                };
            }
            all.moves += swipes.len() as u64;
            if swipes.len() < 10 {
                return all;
            }
            state = states.swap_remove(swipes.len() / 2);
        }
    }

    /// The target of the board before these swipes, which the game ended after or not.
    fn plain_target(swipes: &[Swipe], is_over: bool) -> f32 {
        let mut backwards = swipes.iter().rev();
        let last = if is_over {
            0.0
        } else {
            backwards.next().unwrap().behind.sum
        };
        let target = backwards.fold(last, |target, swipe| swipe.behind.target_before(target));
        // The target is also the mean of what the first swipe promises, the first two, and so on.
        // The last of these counts for all that could follow.
        let mut scores = 0.0;
        let mut mean = 0.0;
        let mut left = 1.0;
        for (place, swipe) in swipes.iter().enumerate() {
            scores += swipe.score;
            let is_last = !is_over && place + 1 == swipes.len();
            let share = if is_last { left } else { (1.0 - LAMBDA) * left };
            mean += share * (scores + swipe.behind.value);
            left -= share;
        }
        mean += left * scores;
        assert!(
            (target - mean).abs() <= 1e-3 * (1.0 + mean.abs()),
            "{target} {mean}"
        );
        target
    }

    #[test]
    fn games_of_the_training_are_played_and_learned_from_by_the_rules() {
        for (settings, moves) in [
            (&["max_moves=60"][..], 61..),
            (&["max_moves=9"], 9..),
            (&[], 10..),
        ] {
            let game = TwentyFortyEight::from_params(&params(settings));
            let mut learner = tuple_learner(settings, 8);
            let mut plain = tuple_learner(settings, 8);
            for number in 0..6 {
                let mut world = Stream::seed_from_u64(game_seed(8, number));
                let mut plain_world = world.clone();
                let expected = learn_plainly(&mut plain, &game, &mut plain_world);
                assert_eq!(
                    learner.learn_from_one(&mut world, 1.0),
                    expected,
                    "{settings:?}, game {number}"
                );
                assert_eq!(world, plain_world);
                assert!(moves.contains(&expected.moves), "{expected:?}");
                assert!(
                    settings != ["max_moves=9"] || expected.moves == 9,
                    "short games are played once"
                );
            }
            assert!(learner.weights == plain.weights, "{settings:?}");
            assert!(learner.errors == plain.errors, "{settings:?}");
        }
    }

    #[test]
    fn rules_that_it_cannot_learn_are_named() {
        let error = |settings: &[&str]| learner(&params(settings), 1).err().unwrap();
        assert_eq!(error(&["rows=5"]).key, "rows");
        assert_eq!(error(&["cols=3"]).key, "cols");
        let start = error(&["start=3,3,0,0/0,0,0,0/0,0,0,0/0,0,0,0"]);
        assert_eq!(start.key, "start");
        assert!(start.message.contains("powers of two"), "{start}");
        assert_eq!(
            error(&["start=32768,32768,0,0/0,0,0,0/0,0,0,0/0,0,0,0"]).key,
            "start"
        );
    }
}
