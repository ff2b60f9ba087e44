//! Value lanes: 16 games that share their tiles' kinds, and the plain engine that plays them.
//!
//! For a player that does not look at values, values decide neither which moves are legal nor where tiles go, only when a game is won. So
//! one *trajectory* of kinds (blank, number, or which operator, for each cell) can carry [`LANES`] *lanes*, each with digits of its own. Each
//! lane alone is an ordinary game: its tiles, moves and digits have the distribution that the rules ask for. The lanes of one
//! trajectory are correlated, so the trajectory is what statistics count ([`crate::stats::cluster`]).
//!
//! # When a lane ends
//! A lane that shows the target after a move is won in that round, and what becomes of its values afterwards counts for nothing. The trajectory
//! goes on until all lanes are won, or no direction is legal, or `max_rounds` were played; then the lanes not won are lost, with the
//! move count of an ordinary game. A `value_limit` would end games by their values and leave lanes of one trajectory with different
//! rounds to play: with one (hence with the preset `bounded`) lanes are refused ([`check`]).
//!
//! # Draw protocol
//! Game number g of a cell with lanes is lane g mod 16 of trajectory number g ÷ 16. World and player stream of a trajectory are those of
//! a game with its number, and their words decide what they always do, except that the digit of a world word serves nobody.
//!
//! Digits come from a third stream, SplitMix64 seeded with [`digit_seed`]. Tile number t of a trajectory (from 0, in the order of the words of
//! the world stream, whatever became of them) has its words 8t to 8t + 7: of word 8t + i, `below(digits)` picks the digit (ascending) of lane
//! i, and `below(digits)` again that of lane i + 8. The bias is below 100/2⁶⁴. Words of tiles that are no numbers decide nothing.

use super::reference::{Board, State};
use super::{Direction, Operator, SixtySeven};
use crate::game::{Describe, Game, GameResult, Outcome, Player, Turn};
use crate::params::ParamError;
use crate::rng::{CellSeeds, Draw, GOLDEN, Stream, game_seed, hash_key, mix};
use num_bigint::BigInt;

/// The parameter.
pub const NAME: &str = "lanes";
/// Lanes of a trajectory.
pub const LANES: usize = 16;
/// Bits of all lanes.
pub(super) const ALL_LANES: u32 = (1 << LANES) - 1;
/// Words of the digit stream a tile.
pub(super) const DIGIT_WORDS: usize = LANES / 2;

/// Checks the number of lanes against the other rules.
///
/// # Errors
/// Says which numbers of lanes there are, or why the rules have none.
pub fn check(lanes: Option<i64>, value_limit: Option<i64>) -> Result<(), ParamError> {
    match (lanes, value_limit) {
        (None | Some(1), _) => Ok(()),
        (Some(lanes), _) if lanes != LANES as i64 => Err(ParamError::new(
            NAME,
            format!("{lanes}: accepted: 1 (every game has a trajectory of its own) or {LANES} (as many games share one)"),
        )),
        (_, Some(limit)) => Err(ParamError::new(
            NAME,
            format!(
                "{LANES}: games share a trajectory only where values do not decide when it ends; value_limit = {limit} \
                 (part of the rules bounded) does; leave out the limit or the lanes"
            ),
        )),
        _ => Ok(()),
    }
}

/// The seed of a trajectory's digit stream.
#[must_use]
pub const fn digit_seed(seeds: CellSeeds, trajectory: u64) -> u64 {
    game_seed(mix(seeds.world ^ hash_key("digits of lanes")), trajectory)
}

/// The numbers of all lanes' digits for tile number `tile` of a trajectory, where `count` digits appear.
#[must_use]
pub fn digits(seed: u64, tile: u64, count: u64) -> [usize; LANES] {
    let mut digits = [0; LANES];
    for word in 0..DIGIT_WORDS {
        let number = tile.wrapping_mul(DIGIT_WORDS as u64).wrapping_add(word as u64 + 1);
        let mut draw = Draw::new(mix(seed.wrapping_add(GOLDEN.wrapping_mul(number))));
        digits[word] = draw.below(count) as usize;
        digits[word + DIGIT_WORDS] = draw.below(count) as usize;
    }
    digits
}

/// The move counts of the lanes of an ended trajectory.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct LaneMoves {
    /// Of each lane that won.
    pub won: [Option<u64>; LANES],
    /// Of those that lost.
    pub lost: u64,
}

impl LaneMoves {
    /// The outcome of one lane.
    #[must_use]
    pub fn outcome(&self, lane: usize) -> Outcome {
        self.won[lane].map_or_else(
            || Outcome::new(GameResult::Lost, self.lost),
            |moves| Outcome::new(GameResult::Won, moves),
        )
    }
}

/// A position of all lanes.
#[derive(Clone, Debug)]
struct Lanes {
    boards: Vec<Board>,
    rounds: u64,
    won: [Option<u64>; LANES],
    /// The move count of lost lanes, when the trajectory has ended.
    lost: Option<u64>,
}

impl Lanes {
    fn start(game: &SixtySeven) -> Self {
        let boards = vec![Board::blank(game.rows, game.cols); LANES];
        Self { boards, rounds: 0, won: [None; LANES], lost: None }
    }

    fn deal(&mut self, game: &SixtySeven, world: &mut Stream, seed: u64) {
        for word in 0..game.words_per_round() {
            let tile = self.rounds * game.words_per_round() as u64 + word as u64;
            let mut draw = Draw::next(world);
            let blanks: Vec<usize> =
                (0..game.cells()).filter(|&cell| self.boards[0].tiles()[cell].is_blank()).collect();
            if blanks.is_empty() {
                continue;
            }
            let cell = blanks[draw.below(blanks.len() as u64) as usize];
            let j = draw.below((game.digits.len() * game.operators.len()) as u64) as usize;
            let operator = draw.chance(game.operator_rate).then(|| game.operators[j / game.digits.len()]);
            let digits = digits(seed, tile, game.digits.len() as u64);
            for (board, digit) in self.boards.iter_mut().zip(digits) {
                board.put(cell, tile_of(game, operator, digit));
            }
        }
        self.rounds += 1;
    }

    fn play(&mut self, game: &SixtySeven, chosen: Direction) {
        let target = BigInt::from(game.target);
        for (board, won) in self.boards.iter_mut().zip(&mut self.won) {
            *board = board.moved(game.collapse, chosen);
            if won.is_none() && board.shows(&target) {
                *won = Some(self.rounds);
            }
        }
        if self.won.iter().all(Option::is_some) {
            self.lost = Some(self.rounds);
        } else if game.max_rounds.is_some_and(|rounds| self.rounds >= rounds) {
            self.lost = Some(self.rounds + 1);
        }
    }

    /// The position of one lane's game.
    fn state(&self, lane: usize) -> State {
        let lost = self.lost.map(|moves| (GameResult::Lost, moves));
        let ended = self.won[lane].map(|moves| (GameResult::Won, moves)).or(lost);
        State { board: self.boards[lane].clone(), round: self.rounds, ended }
    }
}

fn tile_of(game: &SixtySeven, operator: Option<Operator>, digit: usize) -> super::line::Tile {
    use super::line::Tile;
    operator.map_or_else(|| Tile::number(game.digits[digit]), Tile::Operator)
}

/// Plays one trajectory with true big integers: the reference of lanes.
///
/// The player sees lane 0 and must not look at its values. `watch`, a lane and who wants to see every turn of its game, ends with that game.
pub fn play_trajectory<P: Player<SixtySeven>>(
    game: &SixtySeven,
    player: &mut P,
    seeds: CellSeeds,
    trajectory: u64,
    mut watch: Option<(usize, &mut dyn FnMut(&Turn<'_, SixtySeven>))>,
) -> LaneMoves {
    let (mut world, mut stream) = (seeds.world_stream(trajectory), seeds.player_stream(trajectory));
    let seed = digit_seed(seeds, trajectory);
    let (mut lanes, mut legal) = (Lanes::start(game), Vec::new());
    player.begin(game);
    loop {
        let before = lanes.clone();
        lanes.deal(game, &mut world, seed);
        legal.clear();
        let shown = lanes.state(0);
        game.legal(&shown, &mut legal);
        let dealt = lanes.clone();
        let chosen = if legal.is_empty() {
            lanes.lost = Some(lanes.rounds);
            None
        } else {
            let chosen = player.choose(game, &shown, &legal, &mut stream);
            lanes.play(game, chosen);
            Some(chosen)
        };
        if let Some((lane, watch)) = &mut watch
            && before.won[*lane].is_none()
        {
            let after = lanes.state(*lane);
            watch(&Turn {
                number: lanes.rounds,
                before: &before.state(*lane),
                dealt: &dealt.state(*lane),
                legal: &legal,
                played: chosen.map(|chosen| (chosen, &after)),
                outcome: game.outcome(&after),
            });
        }
        if let Some(lost) = lanes.lost {
            return LaneMoves { won: lanes.won, lost };
        }
    }
}

/// The transcript of one lane: what [`Describe::describe`] says of each turn, with the lane's place.
pub fn describe(game: &SixtySeven, number: u64, turn: &Turn<'_, SixtySeven>) -> serde_json::Value {
    let mut line = game.describe(turn);
    line["trajectory"] = (number / LANES as u64).into();
    line["lane"] = (number % LANES as u64).into();
    line
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn digits_are_stable() {
        let seeds = CellSeeds::new(67, "world", "player");
        assert_eq!(digits(digit_seed(seeds, 0), 0, 10), STABLE[0]);
        assert_eq!(digits(digit_seed(seeds, 1), 3, 10), STABLE[1]);
    }

    /// Value stability: these digits are part of the promise "same seed, same bytes".
    const STABLE: [[usize; LANES]; 2] = [[0; LANES]; 2];

    #[test]
    fn digits_of_lanes_are_uniform_and_independent() {
        let mut counts = [[[0_u32; 10]; 10]; 3];
        for tile in 0..30_000 {
            let digits = digits(mix(5), tile, 10);
            counts[0][digits[0]][digits[8]] += 1;
            counts[1][digits[3]][digits[4]] += 1;
            counts[2][digits[15]][super::digits(mix(5), tile + 1, 10)[15]] += 1;
        }
        for pairs in counts {
            // 100 outcomes with 300 expected each: chi-square with 99 degrees of freedom, 99.99 % point 158.
            let chi_square: f64 = pairs.iter().flatten().map(|&n| (f64::from(n) - 300.0).powi(2) / 300.0).sum();
            assert!(chi_square < 158.0, "{chi_square}");
        }
    }

    #[test]
    fn lanes_are_one_or_sixteen_and_shun_value_limits() {
        assert!(check(None, Some(5)).is_ok() && check(Some(1), Some(5)).is_ok() && check(Some(16), None).is_ok());
        for lanes in [2, 8, 15] {
            assert!(check(Some(lanes), None).unwrap_err().to_string().contains("accepted: 1"));
        }
        assert!(check(Some(16), Some(1000)).unwrap_err().to_string().contains("value_limit = 1000"));
    }
}
