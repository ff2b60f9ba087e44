//! Value lanes: 16 games that share their tiles' kinds, and the reference engine that plays them.
//!
//! If the player does not look at values, they do not affect which moves are legal or where tiles
//! go, only when a game is won. So one *trajectory* of kinds (blank, number, or which operator, for
//! each cell) can carry [`LANES`] *lanes*, each with its own digits. Each lane by itself is an
//! ordinary game: its tiles, moves and digits have the distribution of the rules. The lanes of one
//! trajectory are correlated, so the trajectory is the unit of the statistics
//! (`tilelab_stats::cluster`).
//!
//! # When a lane ends
//! A lane that shows the target after a move is won in that round; its values no longer count. The
//! trajectory continues until all lanes are won, no direction is legal, or `max_rounds` were
//! played; then the other lanes are lost, with the move count of an ordinary game. A `value_limit`
//! would end the lanes of one trajectory in different rounds, so [`check`] rejects lanes with a
//! limit, and with the preset `bounded`.
//!
//! # Draw protocol
//! Game number g of a cell with lanes is lane g mod 16 of trajectory number g ÷ 16. A trajectory
//! has the world and player streams of the game with its number. Their words decide the same as in
//! an ordinary game, except that the digit of a world word is not used.
//!
//! Digits come from a third stream, SplitMix64 seeded with [`digit_seed`], in blocks of eight
//! words, read as 64 bytes (each word from its least significant byte up): the lower halves of the
//! bytes in their order, then the upper halves. With d digits, a half byte below the largest
//! multiple of d up to 16 represents digit number (half byte mod d) in ascending order, and the
//! others are skipped, so there is no bias. Number n of a trajectory (from 0, in the order of the
//! words of the world stream that made them) takes the next 16 digits of the stream, one for each
//! lane.

use super::line::Tile;
use super::reference::{State, TileBoard};
use super::{Direction, SixtySeven};
use crate::game::{Game, GameResult, Outcome, Turn, Watch, play_game};
use crate::params::{ParamError, Params};
use crate::players::random::Random;
use crate::rng::{CellSeeds, Draw, GOLDEN, Stream, game_seed, hash_key, mix};
use std::collections::VecDeque;

/// The parameter.
pub const NAME: &str = "lanes";
/// Lanes of a trajectory.
pub const LANES: usize = 16;
/// Bits of all lanes.
pub(super) const ALL_LANES: u32 = (1 << LANES) - 1;
/// Words of a block of the digit stream.
pub(super) const BLOCK_WORDS: usize = 8;

/// Checks whether the other parameters go with lanes.
///
/// # Errors
/// Returns an error that names the accepted numbers of lanes, or the reason why the rules have
/// none.
pub fn check(params: &Params) -> Result<(), ParamError> {
    let Some(lanes) = params.int(NAME).filter(|&lanes| lanes != 1) else {
        return Ok(());
    };
    let wrong = |message: String| Err(ParamError::new(NAME, message));
    if lanes != LANES as i64 {
        return wrong(format!(
            "{lanes}: accepted: 1 (every game has a trajectory of its own) or {LANES} (as many games share one)"
        ));
    }
    if let Some(limit) = params.int("value_limit") {
        return wrong(format!(
            "{LANES}: games share a trajectory only where values do not decide when it ends; value_limit = {limit} \
             (part of the rules bounded) does; leave out the limit or the lanes"
        ));
    }
    if params.text("start").is_some() {
        return wrong(format!(
            "{LANES}: games of a trajectory begin on a blank board; leave out the start or the lanes"
        ));
    }
    if let Some(numbers) = params.text("numbers") {
        return wrong(format!(
            "{LANES}: each game of a trajectory has its own digits, equally likely; numbers = {numbers} are not; \
             leave out the numbers or the lanes"
        ));
    }
    Ok(())
}

/// The seed of a trajectory's digit stream.
pub const fn digit_seed(seeds: CellSeeds, trajectory: u64) -> u64 {
    game_seed(mix(seeds.world ^ hash_key("digits of lanes")), trajectory)
}

/// How half bytes become digits, where `count` digits (1 to 10) appear: those below the returned
/// limit, modulo `count`.
pub(super) const fn half_bytes_used(count: u64) -> u64 {
    16 - 16 % count
}

/// The digits of one trajectory's numbers, by their places in the set of digits.
#[derive(Clone, Debug)]
pub struct LaneDigits {
    state: u64,
    count: u64,
    waiting: VecDeque<usize>,
}

impl LaneDigits {
    /// The stream of this seed, where `count` digits appear.
    pub const fn new(seed: u64, count: u64) -> Self {
        Self {
            state: seed,
            count,
            waiting: VecDeque::new(),
        }
    }

    /// The digits of the next number, one for each lane.
    pub(crate) fn next_number(&mut self) -> [usize; LANES] {
        while self.waiting.len() < LANES {
            let mut words = [0; BLOCK_WORDS];
            for word in &mut words {
                self.state = self.state.wrapping_add(GOLDEN);
                *word = mix(self.state);
            }
            let bytes: Vec<u8> = words.iter().flat_map(|word| word.to_le_bytes()).collect();
            let halves = bytes
                .iter()
                .map(|byte| byte & 15)
                .chain(bytes.iter().map(|byte| byte >> 4))
                .map(u64::from);
            let used = halves.filter(|&half| half < half_bytes_used(self.count));
            self.waiting
                .extend(used.map(|half| (half % self.count) as usize));
        }
        std::array::from_fn(|_| self.waiting.pop_front().expect("enough were drawn"))
    }
}

/// The move counts of the lanes of an ended trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMoves {
    /// The move count of each lane that won.
    pub won: [Option<u64>; LANES],
    /// The move count of the lanes that lost.
    pub lost: u64,
}

impl LaneMoves {
    /// The outcome of one lane.
    pub fn outcome(&self, lane: usize) -> Outcome {
        self.won[lane].map_or_else(
            || Outcome::new(GameResult::Lost, self.lost),
            |moves| Outcome::new(GameResult::Won, moves),
        )
    }
}

/// An ended trajectory.
#[derive(Clone, Debug)]
pub struct EndedTrajectory {
    /// When each lane ended, and how.
    pub moves: LaneMoves,
    /// The last position of each lane: that of its win, or of the end of the trajectory.
    pub last: Vec<State>,
}

/// The lanes of one trajectory as one game: they share its moves.
#[derive(Clone, Debug)]
struct Shared {
    rules: SixtySeven,
    /// The digits as they are before the first number.
    digits: LaneDigits,
}

/// A position of all lanes.
#[derive(Clone, Debug)]
struct Lanes {
    digits: LaneDigits,
    boards: Vec<TileBoard>,
    /// The last boards of the lanes that won.
    won_on: Vec<Option<TileBoard>>,
    rounds: u64,
    won: [Option<u64>; LANES],
    /// The move count of lost lanes, when the trajectory has ended.
    lost: Option<u64>,
}

impl Game for Shared {
    type State = Lanes;
    type Move = Direction;

    fn start(&self, _world: &mut Stream) -> Lanes {
        Lanes {
            digits: self.digits.clone(),
            boards: vec![TileBoard::blank(self.rules.rows, self.rules.cols); LANES],
            won_on: vec![None; LANES],
            rounds: 0,
            won: [None; LANES],
            lost: None,
        }
    }

    fn deal(&self, state: &mut Lanes, world: &mut Stream) {
        let rules = &self.rules;
        for _ in 0..rules.words_per_round() {
            let Some((cell, tile)) = rules.new_tile(&state.boards[0], Draw::next(world)) else {
                continue;
            };
            let tiles = match tile {
                Tile::Number(_) => {
                    let digits = state.digits.next_number();
                    digits.map(|digit| Tile::number(*rules.numbers.at(digit)))
                }
                operator => std::array::from_fn(|_| operator.clone()),
            };
            for (board, tile) in state.boards.iter_mut().zip(tiles) {
                board.put(cell, tile);
            }
        }
        state.rounds += 1;
        if state.boards[0].legal(rules.collapse).next().is_none() {
            // No move was made in this round.
            state.lost = Some(state.rounds - 1);
        }
    }

    fn legal(&self, state: &Lanes, moves: &mut Vec<Direction>) {
        moves.extend(state.boards[0].legal(self.rules.collapse));
    }

    fn play(&self, state: &mut Lanes, chosen: Direction) {
        for (lane, board) in state.boards.iter_mut().enumerate() {
            board.slide(self.rules.collapse, chosen);
            if state.won[lane].is_none() && self.rules.is_won(board) {
                state.won[lane] = Some(state.rounds);
                state.won_on[lane] = Some(board.clone());
            }
        }
        let limit = self.rules.max_rounds;
        let is_last = limit.is_some_and(|limit| state.rounds >= limit);
        if is_last || state.won.iter().all(Option::is_some) {
            state.lost = Some(state.rounds);
        }
    }

    /// The end of the trajectory, with the move count of the lost lanes.
    fn outcome(&self, state: &Lanes) -> Option<Outcome> {
        let lost = |moves| Outcome::new(GameResult::Lost, moves);
        state.lost.map(lost)
    }
}

impl Lanes {
    /// The position of one lane's game; that of its win once it has won.
    fn state(&self, lane: usize) -> State {
        if let (Some(board), Some(moves)) = (&self.won_on[lane], self.won[lane]) {
            return State {
                board: board.clone(),
                round: moves,
                ended: Some((GameResult::Won, moves)),
                spawned: [0; 2],
            };
        }
        let ended = self.lost.map(|moves| (GameResult::Lost, moves));
        State {
            board: self.boards[lane].clone(),
            round: self.rounds,
            ended,
            spawned: [0; 2],
        }
    }
}

/// Plays one trajectory with true numbers of any size: the reference of lanes.
///
/// The player random chooses, which does not look at values. `watch` is a lane and a callback that
/// sees every turn of that lane's game.
pub fn play_trajectory(
    game: &SixtySeven,
    seeds: CellSeeds,
    trajectory: u64,
    mut watch: Option<(usize, Watch<'_, SixtySeven>)>,
) -> EndedTrajectory {
    let shared = Shared {
        rules: game.clone(),
        digits: LaneDigits::new(digit_seed(seeds, trajectory), game.numbers.total()),
    };
    let is_watched = watch.is_some();
    let each: Watch<'_, Shared> = &mut |turn| {
        if let Some((lane, watch)) = &mut watch
            && turn.before.won[*lane].is_none()
        {
            let after = turn.played.map_or(turn.dealt, |(_, after)| after);
            let after = after.state(*lane);
            watch(&Turn {
                number: turn.number,
                before: &turn.before.state(*lane),
                dealt: &turn.dealt.state(*lane),
                legal: turn.legal,
                played: turn.played.map(|(chosen, _)| (chosen, &after)),
                outcome: game.outcome(&after),
            });
        }
    };
    let (_, lanes) = play_game(
        &shared,
        &mut Random,
        seeds.world_stream(trajectory),
        seeds.player_stream(trajectory),
        &mut Vec::new(),
        is_watched.then_some(each),
    );
    EndedTrajectory {
        moves: LaneMoves {
            won: lanes.won,
            lost: lanes.lost.expect("the trajectory has ended"),
        },
        last: (0..LANES).map(|lane| lanes.state(lane)).collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_stable() {
        let mut digits = LaneDigits::new(digit_seed(CellSeeds::new(67, "world", "player"), 1), 10);
        let numbers = [digits.next_number(), digits.next_number()];
        assert_eq!(numbers, STABLE);
    }

    /// Value stability: "same seed, same bytes" depends on these digits.
    const STABLE: [[usize; LANES]; 2] = [
        [5, 7, 2, 9, 1, 5, 5, 2, 4, 3, 8, 2, 1, 0, 5, 9],
        [6, 5, 7, 6, 0, 7, 8, 0, 9, 3, 6, 3, 6, 1, 0, 3],
    ];

    #[test]
    fn digits_of_lanes_are_uniform_and_independent() {
        for count in [3, 7, 10] {
            let mut digits = LaneDigits::new(mix(count), count);
            let size = count as usize;
            let mut pairs = vec![vec![0_u32; size * size]; 3];
            let mut last = digits.next_number();
            let numbers = 300 * size * size;
            for _ in 0..numbers {
                let next = digits.next_number();
                for (pairs, (a, b)) in pairs.iter_mut().zip([
                    (next[0], next[8]),
                    (next[3], next[4]),
                    (last[15], next[15]),
                ]) {
                    pairs[a * size + b] += 1;
                }
                last = next;
            }
            for pairs in pairs {
                // 300 expected each; chi-square with n degrees of freedom lies within 4 √(2n) of n.
                let chi_square: f64 = pairs
                    .iter()
                    .map(|&n| (f64::from(n) - 300.0).powi(2) / 300.0)
                    .sum();
                let freedom = (size * size - 1) as f64;
                assert!(
                    (chi_square - freedom).abs() < 4.0 * (2.0 * freedom).sqrt(),
                    "{count}: {chi_square}"
                );
            }
        }
    }

    #[test]
    fn parameters_that_lanes_exclude_are_rejected() {
        let checked = |settings: &str| {
            let params = Params::parse(super::super::PARAMS, settings).unwrap();
            check(&params).map_err(|error| error.to_string())
        };
        for settings in ["", "lanes=1 value_limit=5", "lanes=16 operators=+:2;*"] {
            assert_eq!(checked(settings), Ok(()), "{settings}");
        }
        for (settings, reason) in [
            (
                "lanes=2",
                "accepted: 1 (every game has a trajectory of its own) or 16",
            ),
            ("lanes=16 value_limit=1000", "value_limit = 1000"),
            ("lanes=16 numbers=1;2:2", "numbers = 1;2:2 are not"),
            ("lanes=16 start=1,+,2", "begin on a blank board"),
        ] {
            let error = checked(settings).unwrap_err();
            assert!(error.contains(reason), "{settings}: {error}");
        }
    }
}
