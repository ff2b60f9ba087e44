//! Random play on packed 4×4 boards, many games in lock-step without a branch.
//!
//! ```text
//! repeat
//!     for each lane: choose a legal swipe, slide, spawn, find the legal swipes   (no branch, no table: vectors)
//!     for each lane whose game has ended: report it, begin the next game         (about once in 118 moves)
//! ```
//!
//! Differences from the plain loop:
//!
//! 1. A lane is one game; everything of a lane is 64-bit words in arrays by lane, so that the
//!    compiler makes vectors of neighbouring lanes: eight games with AVX-512, four with AVX2, two
//!    with SSE2, all from this one source.
//! 2. Every swipe is a slide to the left of a board that has been mirrored and transposed by masked
//!    swaps of cells.
//! 3. A slide is three steps that close gaps and three that merge, each on all rows at once.
//! 4. The k-th blank is found by counting blanks in the cells themselves: at most 15 after a slide,
//!    so counts fit four bits.
//! 5. The merge score is not counted; it follows from the last board and the number of spawned
//!    fours ([`Packed::earned`]).
//! 6. A game in which two tiles 32768 might meet is handed back to the reference engine.

use super::TwentyFortyEight;
use super::board::NumberBoard;
use super::packed::{ONES, POINTS_BOUND, Packed, occupied, transposed_if};
use crate::game::Outcome;
use crate::game::job::EachPlayed;
use crate::rng::{CellSeeds, Draw, game_seed, next_word, stream_words};
use std::ops::Range;

/// Games in flight. The most that keeps their state within the first-level cache; more than one
/// vector of them hides latencies.
const LANES: usize = 32;

/// The lowest bits of the cells of columns 0 to 2, 1 to 3, rows 0 to 2 and 1 to 3.
const COLUMNS_0_2: u64 = 0x0111_0111_0111_0111;
const COLUMNS_1_3: u64 = 0x1110_1110_1110_1110;
const ROWS_0_2: u64 = 0x0000_1111_1111_1111;
const ROWS_1_3: u64 = 0x1111_1111_1111_0000;
/// All bits of columns 0 to 2.
const CELLS_0_2: u64 = 0x0FFF_0FFF_0FFF_0FFF;

/// What lock-step play needs to know of the rules.
#[derive(Clone, Debug)]
pub struct Lockstep {
    game: TwentyFortyEight,
    start: Packed,
    /// The moves up to which games are watched: `max_moves`, or fewer when tiles might outgrow the
    /// packing.
    moves_limit: u64,
}

/// The state of all lanes.
#[derive(Default)]
#[repr(align(64))]
struct Lanes {
    board: [u64; LANES],
    world: [[u64; LANES]; 4],
    player: [[u64; LANES]; 4],
    moves: [u64; LANES],
    fours: [u64; LANES],
    /// How many of up; up and down; up, down and left; all swipes are legal.
    legal: [[u64; LANES]; 4],
    /// Not 0 where the game has ended.
    ended: [u64; LANES],
}

impl Lockstep {
    /// Lock-step play of these rules; `None` when the board is not 4×4 or its start board cannot be
    /// packed.
    pub fn new(game: &TwentyFortyEight) -> Option<Self> {
        let start = game.packed_start()?;
        // Two spawned tiles are 8 points at most, and so is a spawn after the last move that is
        // looked at.
        let points = game.start.as_ref().map_or(8, NumberBoard::points);
        let room = (POINTS_BOUND - 8).checked_sub(points)?;
        let moves_limit = (room / 4).min(game.max_moves.unwrap_or(u64::MAX));
        Some(Self {
            game: game.clone(),
            start,
            moves_limit,
        })
    }

    /// Plays the games with these indices and calls `each` with their outcomes; `None` for a game
    /// that it cannot play.
    #[inline(always)]
    pub fn play(&self, seeds: CellSeeds, mut games: Range<u64>, each: EachPlayed<'_>) {
        let four_rate = self.game.four_rate.threshold();
        let mut lanes = Lanes::default();
        let mut playing: [Option<u64>; LANES] = [None; LANES];
        for (lane, index) in playing.iter_mut().enumerate() {
            *index = games.next();
            self.begin(&mut lanes, lane, seeds, *index);
        }
        let mut left = playing.iter().flatten().count();
        while left > 0 {
            if lanes.ended.iter().fold(0, |any, ended| any | ended) != 0 {
                for (lane, index) in playing.iter_mut().enumerate() {
                    while lanes.ended[lane] != 0 {
                        if let Some(ended) = index.take() {
                            each(ended, self.outcome(&lanes, lane).as_ref());
                            *index = games.next();
                            left -= usize::from(index.is_none());
                        }
                        self.begin(&mut lanes, lane, seeds, *index);
                    }
                }
            }
            lanes.step(four_rate, self.moves_limit);
        }
    }

    /// Begins a game on a lane. A lane without a game plays on for nothing.
    #[inline(never)]
    fn begin(&self, lanes: &mut Lanes, lane: usize, seeds: CellSeeds, index: Option<u64>) {
        let number = index.unwrap_or(0);
        let player = stream_words(game_seed(seeds.player, number));
        let (board, world, fours) = begun(&self.game, self.start, game_seed(seeds.world, number));
        for part in 0..4 {
            lanes.world[part][lane] = world[part];
            lanes.player[part][lane] = player[part];
        }
        lanes.board[lane] = board.0;
        lanes.moves[lane] = 0;
        lanes.fours[lane] = fours;
        lanes.note_legal(lane);
        lanes.ended[lane] = u64::from(index.is_some() && lanes.legal[3][lane] == 0);
    }

    /// The outcome of the game that has ended on a lane; `None` when the lane could not follow it
    /// to its end.
    fn outcome(&self, lanes: &Lanes, lane: usize) -> Option<Outcome> {
        let board = Packed(lanes.board[lane]);
        let moves = lanes.moves[lane];
        if moves >= self.moves_limit && self.game.max_moves != Some(self.moves_limit) {
            return None;
        }
        let merge_score = board.earned() - self.start.earned() - 4 * lanes.fours[lane];
        let outcome = self
            .game
            .finished(moves, board.points(), merge_score, board.largest());
        Some(outcome)
    }
}

impl Lanes {
    /// One move on every lane.
    #[inline(always)]
    fn step(&mut self, four_rate: u64, moves_limit: u64) {
        for lane in 0..LANES {
            let (k, _) = below(next_word_of(&mut self.player, lane), self.legal[3][lane]);
            // The k-th legal swipe is the number of directions before which at most k are legal.
            let past_up = mask(self.legal[0][lane] <= k);
            let past_down = mask(self.legal[1][lane] <= k);
            let past_left = mask(self.legal[2][lane] <= k);
            let vertical = !past_down;
            let towards_end = past_up ^ past_down ^ past_left;

            let facing = mirrored_if(towards_end, transposed_if(vertical, self.board[lane]));
            let slid = slid_left(facing);
            let board = transposed_if(vertical, mirrored_if(towards_end, slid));

            let moves = self.moves[lane] + 1;
            let goes_on = mask(moves < moves_limit);
            let blanks = !occupied(board) & ONES;
            let (place, four) = spawn(blanks, next_word_of(&mut self.world, lane), four_rate);
            let board = board | ((place + (place & four)) & goes_on);
            self.board[lane] = board;
            self.moves[lane] = moves;
            self.fours[lane] += four & goes_on & 1;
            self.note_legal(lane);
            self.ended[lane] = u64::from(self.legal[3][lane] == 0) | !goes_on;
        }
    }

    /// Counts the legal swipes.
    #[inline(always)]
    fn note_legal(&mut self, lane: usize) {
        let mut count = 0;
        for (place, swipe) in legal_swipes(self.board[lane]).into_iter().enumerate() {
            count += u64::from(swipe != 0);
            self.legal[place][lane] = count;
        }
    }
}

/// The board on which the game with this world seed begins, the state of its world stream, and how
/// many tiles 4 were spawned.
pub(super) fn begun(game: &TwentyFortyEight, start: Packed, seed: u64) -> (Packed, [u64; 4], u64) {
    let mut board = start;
    let mut world = stream_words(seed);
    let mut fours = 0;
    let spawns = if game.start.is_none() { 2 } else { 0 };
    for _ in 0..spawns {
        let mut draw = Draw::new(next_word(&mut world));
        let mut left = board.blanks();
        for _ in 0..draw.below(u64::from(left.count_ones())) {
            left &= left - 1;
        }
        let four = u64::from(draw.chance(game.four_rate));
        board.0 |= (left & left.wrapping_neg()) << four;
        fours += four;
    }
    (board, world, fours)
}

/// For up, down, left and right a word that is not 0 where the swipe is legal: where a tile has a
/// blank or an equal tile before it.
#[inline(always)]
pub(super) const fn legal_swipes(board: u64) -> [u64; 4] {
    let tiles = occupied(board) & ONES;
    let equal_left = !occupied(board ^ (board << 4)) & tiles & COLUMNS_1_3;
    let equal_above = !occupied(board ^ (board << 16)) & tiles & ROWS_1_3;
    [
        (tiles & !(tiles << 16) & ROWS_1_3) | equal_above,
        (tiles & !(tiles >> 16) & ROWS_0_2) | equal_above,
        (tiles & !(tiles << 4) & COLUMNS_1_3) | equal_left,
        (tiles & !(tiles >> 4) & COLUMNS_0_2) | equal_left,
    ]
}

/// All ones when true.
#[inline(always)]
const fn mask(condition: bool) -> u64 {
    (condition as u64).wrapping_neg()
}

/// The next word of a lane's xoshiro256++.
#[inline(always)]
fn next_word_of(state: &mut [[u64; LANES]; 4], lane: usize) -> u64 {
    let mut words = [
        state[0][lane],
        state[1][lane],
        state[2][lane],
        state[3][lane],
    ];
    let word = next_word(&mut words);
    for part in 0..4 {
        state[part][lane] = words[part];
    }
    word
}

/// [`Draw::below`] for `n` below 2³² in 32-bit products, which vectors have; also the fraction that
/// is left.
#[inline(always)]
const fn below(word: u64, n: u64) -> (u64, u64) {
    const LOW: u64 = 0xFFFF_FFFF;
    let low = (word & LOW) * (n & LOW);
    let high = (word >> 32) * (n & LOW) + (low >> 32);
    (high >> 32, (high << 32) | (low & LOW))
}

/// The lowest bit of the blank that a word picks, and all ones when the new tile is 4.
#[inline(always)]
pub(super) const fn spawn(blanks: u64, word: u64, four_rate: u64) -> (u64, u64) {
    // Each cell counts the blanks up to and with itself.
    let count = blanks + (blanks << 4);
    let count = count + (count << 8);
    let count = count + (count << 16);
    let count = count + (count << 32);
    let (k, fraction) = below(word, count >> 60);
    let wanted = k + 1;
    let wanted = wanted | (wanted << 4);
    let wanted = wanted | (wanted << 8);
    let wanted = wanted | (wanted << 16);
    let wanted = wanted | (wanted << 32);
    (
        !occupied(count ^ wanted) & blanks,
        mask((fraction >> 1) < four_rate),
    )
}

#[inline(always)]
const fn mirrored_if(condition: u64, board: u64) -> u64 {
    let outer = (board ^ (board >> 12)) & 0x000F_000F_000F_000F & condition;
    let inner = (board ^ (board >> 4)) & 0x00F0_00F0_00F0_00F0 & condition;
    board ^ outer ^ (outer << 12) ^ inner ^ (inner << 4)
}

/// All rows slid left.
#[inline(always)]
const fn slid_left(board: u64) -> u64 {
    let board = closed_gap::<2>(board);
    let board = closed_gap::<1>(board);
    let board = closed_gap::<0>(board);
    let board = merged::<0>(board);
    let board = merged::<1>(board);
    merged::<2>(board)
}

/// The lowest bit of column `COL` in each row.
const fn column<const COL: u32>() -> u64 {
    0x0001_0001_0001_0001 << (4 * COL)
}

/// Where column `COL` is blank, what stands right of it moves one cell left.
#[inline(always)]
const fn closed_gap<const COL: u32>(board: u64) -> u64 {
    let blank = !occupied(board) & column::<COL>();
    // From one bit at the column to all bits from there to the end of the row; the last row's carry
    // falls off.
    let moving = (blank << (16 - 4 * COL)).wrapping_sub(blank);
    (board & !moving) | ((board >> 4) & CELLS_0_2 & moving)
}

/// Where columns `COL` and `COL + 1` are equal, they become one and what stands right of them moves
/// one cell left.
#[inline(always)]
const fn merged<const COL: u32>(board: u64) -> u64 {
    let equal = !occupied(board ^ (board >> 4)) & occupied(board) & column::<COL>();
    let moving = (equal << (16 - 4 * COL)).wrapping_sub(equal << 4);
    ((board & !moving) | ((board >> 4) & CELLS_0_2 & moving)) + equal
}
