//! Rare wins by multilevel splitting: few games reach large numbers, and those that do are
//! continued several times.
//!
//! # The estimate
//! A *replication* begins with one game. When a number of a game first reaches a level in absolute
//! value after a move, the game stops there, and `factor` continuations of its board begin, each
//! with its own streams. They stop at the next level in the same way. A game that passes several
//! levels in one move is split for each of them. With factors f₁, …, fₙ, a won game that has passed
//! the first k levels counts fₖ₊₁ ⋯ fₙ, so that a replication's *weighted wins* are a whole number,
//! and their expectation is p · f₁ ⋯ fₙ for the win probability p, for any levels and factors: each
//! continuation is distributed like the rest of the game it continues, and each split divides the
//! weight by its factor. Replications are independent, so the mean over them is an unbiased
//! estimate of p, and its standard error follows from their spread
//! (`tilelab_stats::SplittingSums`). This is *fixed splitting*; see M. J. J. Garvels, *The
//! splitting method in rare event simulation* (thesis, University of Twente, 2000), chapter 2.
//!
//! # The levels
//! Levels and factors affect only the precision of the estimate. They come from a pilot run of
//! 1,024 games per *rung*, with its own seeds ([`pilot_seeds`]). Rungs are values that grow by an
//! eighth, from the first above the numbers that appear up to twice the target. The pilot starts
//! games on boards with which other games reached a rung, and estimates the probabilities of
//! winning before the next rung and of reaching it. These give the win probability at each rung.
//!
//! If all games at a rung were alike, the variance for a number of moves would be least where about
//! as many games are played from each rung as from the start. The last level is the rung up to the
//! target with the highest win probability; the product of all factors is one and a half times the
//! ratio of this probability and that at the start. The product grows with a power of the value,
//! from the rung before the first that raises the win probability to one and a half times that at
//! the start. So at the rungs between, where games differ most, it is larger than the ratio of win
//! probabilities: on 6×7 and 5×5 with `+-` that saves up to a third more moves than levels that
//! follow the win probability. The product is at most eight times the ratio of win probabilities. A
//! rung whose factor would be rounded to 1 is left out. If large numbers do not make a win more
//! likely, there are few levels or none; without levels every replication is a plain game.
//!
//! # Draw protocol
//! Replication g begins with the world and player streams of game g. Continuation number i (from 0)
//! of a game whose streams have number s draws from the streams with number [`continuation`]\(s,
//! i).

use super::SixtySeven;
use super::kernels::{End, Kernel, Start};
use super::packed::{PackedBoard, PackedTile};
use super::reference::{Board, State};
use super::residue;
use crate::game::{GameResult, Player, SplitLevel, Turns};
use crate::params::{ParamError, Params};
use crate::rng::{CellSeeds, GOLDEN, hash_key, mix};

/// The parameter that chooses how win rates are estimated.
pub const METHOD: &str = "method";
/// Its value for games that are played one by one.
pub const PLAIN: &str = "plain";
/// Its value for splitting.
pub const SPLITTING: &str = "splitting";

/// Its value for games one by one whose operators and digits are counted.
pub const COUNTED: &str = "counted";

/// Games of the pilot run from each rung.
const PILOT: usize = 1024;
/// The product of all factors is so many times the ratio of the win probability at the last level
/// and at the start.
const EXCESS: f64 = 1.5;
/// The product of factors at a rung is at most so many times the ratio of the win probability there
/// and at the start.
const EXCESS_MAX: f64 = 8.0;
/// The largest product of all factors: the fourth powers of weighted wins must fit the sums over
/// many replications.
const PRODUCT_MAX: f64 = 16_777_216.0;
/// The largest value of a level: kernels stop at numbers beyond a limit of up to 2³⁰.
const VALUE_MAX: u64 = 1 << 30;
/// Replications that are played side by side.
const SIDE_BY_SIDE: u64 = 4096;

/// Checks whether the other parameters go with the method.
///
/// # Errors
/// Returns an error if the games also share trajectories, or are to be split from a start board.
pub fn check(params: &Params) -> Result<(), ParamError> {
    let method = params.text(METHOD).unwrap_or(PLAIN);
    let wrong = |message: String| Err(ParamError::new(METHOD, message));
    match (method, params.int("lanes")) {
        (SPLITTING, Some(lanes)) if lanes > 1 => wrong(format!(
            "{SPLITTING}: games that share a trajectory cannot be split; leave out lanes = {lanes} or the method"
        )),
        (COUNTED, Some(lanes)) if lanes > 1 => wrong(format!(
            "{COUNTED}: games that share a trajectory have correlated weights; leave out lanes = {lanes} or the \
             method"
        )),
        (SPLITTING, _) if params.text("start").is_some() => wrong(format!(
            "{SPLITTING}: games are split from a blank board on; leave out the start or the method"
        )),
        _ => Ok(()),
    }
}

/// What a replication has come to.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Replication {
    /// Its weighted wins: at most the product of the factors.
    pub wins: u64,
    /// Moves made in all its games.
    pub moves: u64,
}

/// The seeds of the pilot run of a cell with these seeds.
#[must_use]
pub const fn pilot_seeds(seeds: CellSeeds) -> CellSeeds {
    let pilot = hash_key("pilot of splitting");
    CellSeeds {
        world: mix(seeds.world ^ pilot),
        player: mix(seeds.player ^ pilot),
    }
}

/// The number of the streams of a continuation, from the number of the streams before.
#[must_use]
pub const fn continuation(stream: u64, number: u64) -> u64 {
    mix(mix(stream.wrapping_add(GOLDEN))
        .wrapping_add(number)
        .wrapping_add(1))
}

/// Games that are played on from boards until they end or reach a value.
#[derive(Clone, Debug, Default)]
struct Wave {
    boards: Vec<PackedBoard>,
    starts: Vec<Start>,
    /// The replication to which each start belongs.
    owners: Vec<usize>,
}

/// A game of a wave that has ended or reached the value.
struct Stop {
    /// The place of its start.
    start: usize,
    fate: Fate,
    /// Rounds begun since the beginning of the game.
    rounds: u64,
    /// Moves made since the start.
    moves: u64,
}

enum Fate {
    Won,
    Lost,
    /// The board with the largest number, without its sign.
    Reached(PackedBoard, u64),
}

/// What plays the games of waves.
pub struct WavePlayer<'a, P> {
    /// The rules.
    pub game: &'a SixtySeven,
    /// Plays the games; `None`: the plain rules do.
    pub kernel: Option<&'a Kernel>,
    /// Chooses the moves where no kernel plays.
    pub player: P,
}

impl<P: Player<SixtySeven>> WavePlayer<'_, P> {
    /// Plays the games of a wave until they end or have a number of at least `value` in size.
    fn play(
        &mut self,
        wave: &Wave,
        value: Option<u64>,
        seeds: CellSeeds,
        stopped: &mut dyn FnMut(Stop),
    ) {
        let game = self.game;
        let limit = game.value_limit.map(|limit| limit.unsigned_abs());
        let mut ended = |start: usize, end: End, rounds: u64, board: &dyn Fn() -> PackedBoard| {
            let is_last = game.max_rounds.is_some_and(|most| rounds >= most);
            let fate = match end {
                End::Won => Fate::Won,
                // Without a value to reach, the limit of the rules was exceeded.
                End::Exceeded if value.is_some() && !is_last => {
                    let board = board();
                    let largest = largest_number(&board);
                    if limit.is_some_and(|limit| largest > limit) {
                        Fate::Lost
                    } else {
                        Fate::Reached(board, largest)
                    }
                }
                End::Exceeded | End::Blocked | End::OutOfRounds => Fate::Lost,
            };
            let moves = rounds - wave.starts[start].rounds - u64::from(end == End::Blocked);
            stopped(Stop {
                start,
                fate,
                rounds,
                moves,
            });
        };
        let Some(kernel) = self.kernel else {
            for (number, start) in wave.starts.iter().enumerate() {
                let board = wave.boards[start.board].unpack();
                let (end, state) = self.play_on(board, *start, value, seeds);
                ended(number, end, state.round, &|| {
                    PackedBoard::pack(&state.board)
                });
            }
            return;
        };
        let stop_beyond = value.map(|value| value - 1);
        let kernel = kernel.with_limit(stop_beyond.into_iter().chain(limit).min());
        kernel.play_on(&wave.boards, &wave.starts, seeds, &mut |game| {
            ended(game.game as usize, game.end, game.rounds, &|| game.board());
        });
    }

    /// Plays one game on through the plain rules; [`End::Exceeded`] where it has reached the value
    /// or gone beyond the limit of the rules.
    fn play_on(
        &mut self,
        board: Board,
        start: Start,
        value: Option<u64>,
        seeds: CellSeeds,
    ) -> (End, State) {
        let game = self.game;
        let mut stream = seeds.player_stream(start.stream);
        let state = State {
            board,
            round: start.rounds,
            ended: None,
            spawned: [0; 2],
        };
        let mut turns = Turns::before_deal(state, seeds.world_stream(start.stream));
        let mut moves = Vec::new();
        let stop_beyond = value.map(|value| value.cast_signed() - 1);
        self.player.begin(game);
        loop {
            turns.deal(game);
            if turns.outcome().is_some() {
                return (End::Blocked, turns.into_state());
            }
            turns.list_legal(game, &mut moves);
            let chosen = self.player.choose(game, turns.state(), &moves, &mut stream);
            turns.make(game, chosen);
            let state = turns.state();
            let exceeds =
                |limit: Option<i64>| limit.is_some_and(|limit| state.board.exceeds(limit));
            let end = match state.ended {
                Some((GameResult::Won, _)) => Some(End::Won),
                Some(_) if exceeds(game.value_limit) => Some(End::Exceeded),
                Some(_) => Some(End::OutOfRounds),
                None => exceeds(stop_beyond).then_some(End::Exceeded),
            };
            if let Some(end) = end {
                return (end, turns.into_state());
            }
        }
    }
}

/// The largest number of a board, without its sign.
fn largest_number(board: &PackedBoard) -> u64 {
    let size = |tile: &PackedTile| {
        tile.residue()
            .map(|number| residue::nearest(number).unsigned_abs())
    };
    board
        .tiles()
        .iter()
        .filter_map(size)
        .max()
        .unwrap_or_default()
}

/// The levels of a cell.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Splitting {
    levels: Vec<SplitLevel>,
}

impl Splitting {
    /// Splitting at these levels.
    ///
    /// # Panics
    /// Panics if the values do not ascend, one of them is not above the numbers that appear or is
    /// above 2³⁰, a factor is 0, or the product of the factors is above 2²⁴.
    #[must_use]
    pub fn new(game: &SixtySeven, levels: Vec<SplitLevel>) -> Self {
        let new = game.largest_new();
        assert!(
            levels.is_sorted_by(|a, b| a.value < b.value),
            "levels ascend: {levels:?}"
        );
        assert!(
            levels
                .iter()
                .all(|level| (new + 1..=VALUE_MAX).contains(&level.value)),
            "levels: {levels:?}"
        );
        let product: f64 = levels.iter().map(|level| level.factor as f64).product();
        assert!(
            (1.0..=PRODUCT_MAX).contains(&product),
            "factors: {levels:?}"
        );
        Self { levels }
    }

    /// The levels that a pilot run finds for the cell with these seeds.
    pub fn by_pilot<P: Player<SixtySeven>>(
        wave_player: &mut WavePlayer<'_, P>,
        seeds: CellSeeds,
    ) -> Self {
        let rungs = rungs(wave_player.game);
        let climbed = climb(wave_player, &rungs, pilot_seeds(seeds));
        Self::new(
            wave_player.game,
            choose(&rungs, &climbed, wave_player.game.target.unsigned_abs()),
        )
    }

    /// The levels, ascending.
    #[must_use]
    pub fn levels(&self) -> &[SplitLevel] {
        &self.levels
    }

    /// The product of the factors of the levels from number `from` on.
    #[must_use]
    pub fn product(&self, from: usize) -> u64 {
        self.levels[from..]
            .iter()
            .map(|level| level.factor)
            .product()
    }

    /// Plays the replications with these numbers and calls `each` with each of them, in order.
    pub fn play<P: Player<SixtySeven>>(
        &self,
        wave_player: &mut WavePlayer<'_, P>,
        seeds: CellSeeds,
        replications: std::ops::Range<u64>,
        each: &mut dyn FnMut(u64, Replication),
    ) {
        let mut first = replications.start;
        while first < replications.end {
            let end = first + SIDE_BY_SIDE.min(replications.end - first);
            let played = self.play_side_by_side(wave_player, seeds, first..end);
            (first..end)
                .zip(played)
                .for_each(|(number, replication)| each(number, replication));
            first = end;
        }
    }

    /// Plays replications level by level.
    fn play_side_by_side<P: Player<SixtySeven>>(
        &self,
        wave_player: &mut WavePlayer<'_, P>,
        seeds: CellSeeds,
        replications: std::ops::Range<u64>,
    ) -> Vec<Replication> {
        let count = (replications.end - replications.start) as usize;
        let mut played = vec![Replication::default(); count];
        let mut waves = vec![Wave::default(); self.levels.len() + 1];
        waves[0] = Wave {
            boards: vec![PackedBoard::blank(
                wave_player.game.rows,
                wave_player.game.cols,
            )],
            starts: replications
                .map(|stream| Start {
                    board: 0,
                    stream,
                    rounds: 0,
                })
                .collect(),
            owners: (0..count).collect(),
        };
        for passed in 0..waves.len() {
            let wave = std::mem::take(&mut waves[passed]);
            let value = self.levels.get(passed).map(|level| level.value);
            wave_player.play(&wave, value, seeds, &mut |stop| {
                let owner = wave.owners[stop.start];
                played[owner].moves += stop.moves;
                match stop.fate {
                    Fate::Won => played[owner].wins += self.product(passed),
                    Fate::Lost => {}
                    Fate::Reached(board, largest) => {
                        let reached = self.levels.partition_point(|level| level.value <= largest);
                        let copies = self.product(passed) / self.product(reached);
                        let stream = wave.starts[stop.start].stream;
                        waves[reached].split(board, (stream, copies), stop.rounds, owner);
                    }
                }
            });
        }
        played
    }
}

impl Wave {
    /// Adds continuations of a game that drew from the streams with this number.
    fn split(
        &mut self,
        board: PackedBoard,
        (stream, copies): (u64, u64),
        rounds: u64,
        owner: usize,
    ) {
        let place = self.boards.len();
        self.boards.push(board);
        for number in 0..copies {
            self.starts.push(Start {
                board: place,
                stream: continuation(stream, number),
                rounds,
            });
            self.owners.push(owner);
        }
    }
}

/// The values from which the pilot chooses levels, ascending.
fn rungs(game: &SixtySeven) -> Vec<u64> {
    let first = game.largest_new() + 1;
    let limit = game.value_limit.map_or(u64::MAX, i64::unsigned_abs);
    let last = game
        .target
        .unsigned_abs()
        .saturating_mul(2)
        .min(limit)
        .min(VALUE_MAX);
    let next = |&value: &u64| Some(value + value.div_ceil(8));
    std::iter::successors(Some(first), next)
        .take_while(|&value| value <= last)
        .collect()
}

/// A board of the pilot run with the rounds before it and its largest number.
#[derive(Clone)]
struct Found {
    board: PackedBoard,
    rounds: u64,
    largest: u64,
}

/// What games of the pilot run came to between one rung and the next.
#[derive(Clone, Copy, Debug)]
struct Climbed {
    /// The share that won before the next rung.
    won: f64,
    /// The share that reached the next rung.
    reached: f64,
}

/// Plays from each rung to the next, the first from the start: as far as a game comes.
fn climb<P: Player<SixtySeven>>(
    wave_player: &mut WavePlayer<'_, P>,
    rungs: &[u64],
    seeds: CellSeeds,
) -> Vec<Climbed> {
    let blank = PackedBoard::blank(wave_player.game.rows, wave_player.game.cols);
    let mut found = vec![Found {
        board: blank,
        rounds: 0,
        largest: 0,
    }];
    let mut climbed = Vec::new();
    for height in 0..=rungs.len() {
        let value = rungs.get(height).copied();
        let mut wave = Wave::default();
        let mut reached = Vec::new();
        let mut wins = 0_u32;
        for number in 0..PILOT {
            let Found {
                board,
                rounds,
                largest,
            } = found[number * found.len() / PILOT].clone();
            if value.is_some_and(|value| largest >= value) {
                reached.push((
                    number,
                    Found {
                        board,
                        rounds,
                        largest,
                    },
                ));
            } else {
                let stream = (height * PILOT + number) as u64;
                wave.starts.push(Start {
                    board: wave.boards.len(),
                    stream,
                    rounds,
                });
                wave.boards.push(board);
                wave.owners.push(number);
            }
        }
        wave_player.play(&wave, value, seeds, &mut |stop| match stop.fate {
            Fate::Won => wins += 1,
            Fate::Lost => {}
            Fate::Reached(board, largest) => {
                reached.push((
                    wave.owners[stop.start],
                    Found {
                        board,
                        rounds: stop.rounds,
                        largest,
                    },
                ));
            }
        });
        // Kernels report games in different orders.
        reached.sort_by_key(|(number, _)| *number);
        found = reached.into_iter().map(|(_, found)| found).collect();
        let share = |count: f64| count / PILOT as f64;
        climbed.push(Climbed {
            won: share(f64::from(wins)),
            reached: share(found.len() as f64),
        });
        if found.is_empty() {
            break;
        }
    }
    climbed
}

/// The levels that these figures ask for, up to `target`.
fn choose(rungs: &[u64], climbed: &[Climbed], target: u64) -> Vec<SplitLevel> {
    let chances = chances(climbed);
    let reached: Vec<(u64, f64)> = rungs
        .iter()
        .zip(&chances[1..])
        .map(|(&value, chance)| (value, chance / chances[0]))
        .collect();
    let first = reached
        .iter()
        .position(|&(_, ratio)| ratio >= 1.5)
        .unwrap_or(reached.len());
    let most = |&place: &usize| reached[place].1;
    let places = first.max(1)..reached.partition_point(|&(value, _)| value <= target);
    let Some(last) = places.max_by(|a, b| most(a).total_cmp(&most(b))) else {
        return Vec::new();
    };
    let mut product = 1.0;
    let mut levels = Vec::new();
    let octaves = |to: u64| (to as f64 / reached[first.max(1) - 1].0 as f64).log2();
    for &(value, ratio) in reached.iter().take(last + 1).skip(first.max(1)) {
        let wanted = (EXCESS * reached[last].1).powf(octaves(value) / octaves(reached[last].0));
        let factor = (wanted.min(EXCESS_MAX * ratio) / product).round();
        if factor >= 2.0 && product * factor <= PRODUCT_MAX {
            product *= factor;
            levels.push(SplitLevel {
                value,
                factor: factor as u64,
            });
        }
    }
    levels
}

/// The win probabilities of games at each rung, the first from the start.
fn chances(climbed: &[Climbed]) -> Vec<f64> {
    // Half a win more: a short run without wins does not show that there are none.
    let mut above = 0.5 / PILOT as f64;
    let mut chances = Vec::with_capacity(climbed.len());
    for &Climbed { won, reached } in climbed.iter().rev() {
        above = if chances.is_empty() {
            won + above
        } else {
            won + reached * above
        };
        chances.push(above);
    }
    chances.reverse();
    chances
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Half of the games reach 10, a quarter of these 20, and half of those win.
    #[test]
    fn factors_follow_the_win_probabilities() {
        let climbed =
            [(0.0, 0.5), (0.0, 0.25), (0.5, 0.0)].map(|(won, reached)| Climbed { won, reached });
        let ratios = chances(&climbed)
            .windows(2)
            .map(|pair| pair[1] / pair[0])
            .collect::<Vec<f64>>();
        assert_eq!(ratios, [2.0, 4.0]);
        let start = Climbed {
            won: 0.0,
            reached: 1.0,
        };
        let climbed = [start, climbed[0], climbed[1], climbed[2]];
        // Nothing changes up to 5; at 20 the product is 1.5 times 8, at 10 its root.
        assert_eq!(
            choose(&[5, 10, 20, 40], &climbed, 30),
            [(10, 3).into(), (20, 4).into()]
        );
        // Large numbers that do not win more often are no reason to split.
        let climbed =
            [(0.1, 0.5), (0.1, 0.25), (0.1, 0.0)].map(|(won, reached)| Climbed { won, reached });
        assert_eq!(choose(&[10, 20], &climbed, 30), []);
    }
}
