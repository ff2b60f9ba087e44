//! Boards for the learned network: one byte per tile, one 64-bit word per line.
//!
//! A tile is a *token*: blank, an operator, one of 248 distinguished numbers, or a class for
//! numbers below, between or above those. A line of up to eight cells is then one word, its first
//! cell in the lowest byte. The result of moving a line is cached by that word ([`super::lines`]),
//! so that a move is one look-up per line. Arithmetic is exact among the distinguished numbers; the
//! others count as far away. Only look-ahead players use these boards; games are played by the
//! exact rules.

use crate::games::sixty_seven::line::Tile;
use crate::games::sixty_seven::number::Number;
use crate::games::sixty_seven::{Direction, Operator, Runs, SixtySeven, reference};
use crate::rng::{Draw, Rng, Stream};
use num_bigint::Sign;

/// The longest line.
pub const SIDE_MAX: usize = 8;
/// Numbers beyond ± this count as this.
pub const NUMBER_MAX: i64 = 1 << 31;
/// The token of a blank cell; `+`, `-` and `*` are 1, 2 and 3.
pub const BLANK: u8 = 0;
/// The token of numbers below all that are told apart; all from here on are numbers.
pub const BELOW: u8 = 4;
/// The token of numbers between those near 0 and those near a distant target.
const BETWEEN: u8 = 5;
/// The token of numbers above all that are told apart.
const ABOVE: u8 = 6;
/// The first token of a number that is told apart.
const FIRST: u8 = 7;
/// How many numbers are told apart.
const EXACT: i64 = 248;
/// How far beyond the outermost numbers the others count as.
const AWAY: i64 = 1000;

/// The rows of a board, or its columns.
pub type TokenBoard = [u64; SIDE_MAX];

/// Which numbers are told apart.
#[derive(Clone)]
struct Vocabulary {
    /// The first of the numbers near 0 and how many there are; the rest lie around the target.
    near: i64,
    near_count: i64,
    /// The first of the numbers around the target.
    far: i64,
    /// The number of a token.
    numbers: [i64; 256],
}

impl Vocabulary {
    /// From 60 beyond 0, on the side away from the target, to beyond the target; around both where
    /// the target is far away.
    fn new(target: i64) -> Self {
        let (near, near_count, far) = match target {
            0..=127 => (-60, EXACT, 0),
            -127..0 => (60 - EXACT + 1, EXACT, 0),
            128.. => (-30, EXACT / 2, (target - EXACT / 4).max(EXACT / 2 - 30)),
            _ => {
                let near = 30 - EXACT / 2 + 1;
                (near, EXACT / 2, (target - EXACT / 4).min(near - EXACT / 2))
            }
        };
        let mut vocabulary = Self {
            near,
            near_count,
            far,
            numbers: [0; 256],
        };
        for number in (near..near + near_count).chain(far..far + EXACT - near_count) {
            vocabulary.numbers[usize::from(vocabulary.token(number))] = number;
        }
        let (lowest, highest) = if near_count < EXACT {
            (near.min(far), near.max(far) + EXACT / 2)
        } else {
            (near, near + EXACT)
        };
        vocabulary.numbers[usize::from(BELOW)] = lowest - AWAY;
        vocabulary.numbers[usize::from(BETWEEN)] = near.midpoint(far);
        vocabulary.numbers[usize::from(ABOVE)] = highest + AWAY;
        vocabulary
    }

    #[inline]
    fn token(&self, number: i64) -> u8 {
        let from_near = number - self.near;
        if (0..self.near_count).contains(&from_near) {
            return FIRST + from_near as u8;
        }
        let far_count = EXACT - self.near_count;
        let from_far = number - self.far;
        if (0..far_count).contains(&from_far) {
            return FIRST + (self.near_count + from_far) as u8;
        }
        let is_below_near = from_near < 0;
        if far_count == 0 || is_below_near == (from_far < 0) {
            return if is_below_near { BELOW } else { ABOVE };
        }
        BETWEEN
    }
}

/// What becomes of a line.
#[derive(Clone, Copy, Default)]
pub struct TokenLine {
    /// The line after a move towards its start, and towards its end.
    pub moved: [u64; 2],
    /// The flags [`CHANGES`], [`WINS`], [`LOSES`] and [`TRIPLE`].
    pub flags: u8,
}

/// A move towards the start changes the line; the next bit, towards the end.
pub const CHANGES: u8 = 1;
/// A move towards the start makes the target; the next bit, towards the end.
pub const WINS: u8 = 4;
/// A move towards the start makes a number beyond the limit; the next bit, towards the end.
pub const LOSES: u8 = 16;
/// A move towards the start makes a number; the next bit, towards the end.
pub const TRIPLE: u8 = 64;

/// Rules, size and tokens of a board.
#[derive(Clone)]
pub struct Tokens {
    /// The rules.
    pub game: SixtySeven,
    vocabulary: Vocabulary,
    /// The tokens of the numbers that appear.
    numbers: Vec<u8>,
    limit: i64,
}

impl Tokens {
    /// The tokens of a game on a board of up to 8 × 8 cells.
    pub fn new(game: &SixtySeven) -> Self {
        let vocabulary = Vocabulary::new(game.target);
        Self {
            numbers: game
                .numbers
                .tiles()
                .map(|&number| vocabulary.token(number))
                .collect(),
            limit: game.value_limit.unwrap_or(i64::MAX),
            vocabulary,
            game: game.clone(),
        }
    }

    /// The number that a token stands for; 0 for blanks and operators.
    #[inline]
    pub const fn number(&self, token: u8) -> i64 {
        self.vocabulary.numbers[token as usize]
    }

    /// The token of a number.
    pub fn token(&self, number: i64) -> u8 {
        self.vocabulary.token(number)
    }

    /// Whether a token is a number of its own.
    #[inline]
    pub const fn is_exact(token: u8) -> bool {
        token >= FIRST
    }

    /// The rows of a board.
    pub fn rows(&self, board: &reference::TileBoard) -> TokenBoard {
        self.rows_and_unknown(board).0
    }

    /// The rows of a board, and the lines to which tokens do not do justice: bit masks of the
    /// columns and of the rows with a number that has no token of its own or is beyond the limit.
    pub(super) fn rows_and_unknown(&self, board: &reference::TileBoard) -> (TokenBoard, [u8; 2]) {
        let mut rows = [0; SIDE_MAX];
        let mut unknown = [0; 2];
        let lines = board.tiles().chunks(self.game.cols);
        for (row, (word, tiles)) in rows.iter_mut().zip(lines).enumerate() {
            for (col, tile) in tiles.iter().enumerate() {
                let token = self.of(tile);
                *word |= u64::from(token) << (8 * col);
                let is_known = match tile {
                    Tile::Number(number) => Self::is_exact(token) && !number.is_beyond(self.limit),
                    Tile::Blank | Tile::Operator(_) => true,
                };
                if !is_known {
                    unknown[0] |= 1 << col;
                    unknown[1] |= 1 << row;
                }
            }
        }
        (rows, unknown)
    }

    /// The token of a tile.
    #[inline]
    fn of(&self, tile: &Tile) -> u8 {
        match tile {
            Tile::Blank => BLANK,
            Tile::Operator(operator) => *operator as u8 + 1,
            Tile::Number(number) => self.token(clamped(number)),
        }
    }

    /// Makes this round's tiles appear, one word a tile, each distributed as in the
    /// game.
    #[inline]
    pub fn deal(&self, rows: &mut TokenBoard, stream: &mut Stream) {
        let game = &self.game;
        let mut blanks = [0_u8; SIDE_MAX];
        let mut left = 0;
        for (blank, &row) in blanks.iter_mut().zip(&rows[..game.rows]) {
            *blank = !tiles(row) & (0xFF >> (SIDE_MAX - game.cols));
            left += blank.count_ones();
        }
        for _ in 0..game.words_per_round() {
            let mut draw = Draw::new(stream.next_u64());
            if left == 0 {
                continue;
            }
            let mut rank = draw.below(u64::from(left)) as u32;
            let numbers = game.numbers.total();
            let j = draw.below(numbers * game.operators.total());
            let mut row = 0;
            while rank >= blanks[row].count_ones() {
                rank -= blanks[row].count_ones();
                row += 1;
            }
            let col = (0..rank)
                .fold(blanks[row], |mask, _| mask & (mask - 1))
                .trailing_zeros();
            blanks[row] &= !(1 << col);
            left -= 1;
            let token = if draw.chance(game.operator_rate) {
                *game.operators.at(game.operators.place(j / numbers)) as u8 + 1
            } else {
                self.numbers[game.numbers.place(j % numbers)]
            };
            rows[row] |= u64::from(token) << (8 * col);
        }
    }

    /// What becomes of a line of these tiles, by the rules: tokens are made of the results only.
    #[cold]
    pub(super) fn line_by_rules(&self, tiles: &[Tile]) -> TokenLine {
        let mut line = TokenLine::default();
        let count = |tiles: &[Tile], is_counted: &dyn Fn(&Number) -> bool| {
            let is_counted =
                |tile: &&Tile| matches!(tile, Tile::Number(number) if is_counted(number));
            tiles.iter().filter(is_counted).count()
        };
        for towards_end in [false, true] {
            let after = reference::collapse(self.game.collapse, tiles, towards_end);
            let wins = count(&after, &|number| number.to_i64() == Some(self.game.target)) > 0;
            let limit = self.game.value_limit;
            let is_beyond = |number: &Number| limit.is_some_and(|limit| number.is_beyond(limit));
            let loses = count(&after, &is_beyond) > 0;
            let makes = count(&after, &|_| true) < count(tiles, &|_| true);
            let flags = [
                (after != tiles, CHANGES),
                (wins, WINS),
                (loses, LOSES),
                (makes, TRIPLE),
            ];
            let flags = flags.map(|(is_set, flag)| u8::from(is_set) * flag);
            let flags = flags.iter().fold(0, |all, flag| all | flag);
            let place = usize::from(towards_end);
            let tokens = after.iter().rev().map(|tile| u64::from(self.of(tile)));
            line.moved[place] = tokens.fold(0, |word, token| word << 8 | token);
            line.flags |= flags << place;
        }
        line
    }

    /// What becomes of a line of `cells` cells.
    pub fn line(&self, key: u64, cells: usize) -> TokenLine {
        let packed = packed(key);
        let acting = if self.game.collapse.blanks_separate {
            key
        } else {
            packed
        };
        let (mut moved, made) = if self.acts(acting) {
            self.collapsed(acting)
        } else {
            ([packed; 2], 0)
        };
        let free = cells as u32 - tiles(moved[1]).count_ones();
        moved[1] = moved[1].checked_shl(8 * free).unwrap_or(0);
        let changes = [0, 1].map(|end| u8::from(moved[end] != key) * (CHANGES << end));
        TokenLine {
            moved,
            flags: made | changes[0] | changes[1],
        }
    }

    /// Whether tiles of a line merge or are an operation, where only neighbours can.
    #[inline]
    fn acts(&self, line: u64) -> bool {
        // Tokens below 4 have no higher bit.
        let numbers = tiles(line & 0xFCFC_FCFC_FCFC_FCFC);
        let operators = tiles(line) & !numbers;
        let is_like_next = !tiles(line ^ line >> 8);
        let runs = operators & is_like_next;
        let operations = numbers & operators >> 1 & numbers >> 2;
        operations != 0 || (runs != 0 && self.game.collapse.runs != Runs::Stay)
    }

    /// The tiles of a line after a move towards its start and towards its end, both from the lowest
    /// byte up, with the flags [`WINS`], [`LOSES`] and [`TRIPLE`] of both. Tiles that are separated
    /// by blanks do not act.
    fn collapsed(&self, line: u64) -> ([u64; 2], u8) {
        let tokens = line.to_le_bytes();
        // The tiles that take part: those left out of a run stand behind one of it that stays.
        let mut left = [BLANK; SIDE_MAX];
        let mut count = 0;
        let mut run = 0;
        for (cell, &token) in tokens.iter().enumerate() {
            run = if cell > 0 && tokens[cell - 1] == token {
                run + 1
            } else {
                0
            };
            let is_left_out = is_operator(token)
                && match self.game.collapse.runs {
                    Runs::Stay => false,
                    Runs::Halve => run % 2 == 1,
                    Runs::One => run > 0,
                };
            if !is_left_out {
                left[count] = token;
                count += 1;
            }
        }
        let (towards_start, made) = self.moved(&left[..count], false);
        let (towards_end, made_at_end) = self.moved(&left[..count], true);
        ([towards_start, towards_end], made | made_at_end << 1)
    }

    /// The tiles after a move, from the lowest byte up, with [`WINS`], [`LOSES`] and
    /// [`TRIPLE`].
    fn moved(&self, line: &[u8], towards_end: bool) -> (u64, u8) {
        let mut left = line;
        let mut moved = 0;
        let mut flags = 0;
        while !left.is_empty() {
            let at = if towards_end {
                left.len().saturating_sub(3)
            } else {
                0
            };
            let token = match left.get(at..at + 3) {
                Some(&[a, operator, b]) if a >= BELOW && is_operator(operator) && b >= BELOW => {
                    let made = result(self.number(a), operator, self.number(b));
                    flags |= TRIPLE;
                    flags |= u8::from(made == self.game.target) * WINS;
                    flags |= u8::from(made.abs() > self.limit) * LOSES;
                    left = if towards_end { &left[..at] } else { &left[3..] };
                    self.vocabulary.token(made)
                }
                _ => {
                    let one = if towards_end { left.len() - 1 } else { 0 };
                    let token = left[one];
                    left = if towards_end {
                        &left[..one]
                    } else {
                        &left[1..]
                    };
                    token
                }
            };
            if token != BLANK {
                let place = 8 * tiles(moved).count_ones();
                moved = if towards_end {
                    moved << 8 | u64::from(token)
                } else {
                    moved | u64::from(token) << place
                };
            }
        }
        (moved, flags)
    }
}

/// The result of number, operator, number.
#[inline]
fn result(first: i64, operator: u8, second: i64) -> i64 {
    let exact = match Operator::ALL[usize::from(operator) - 1] {
        Operator::Plus => first.saturating_add(second),
        Operator::Minus => first.saturating_sub(second),
        Operator::Times => first.saturating_mul(second),
    };
    exact.clamp(-NUMBER_MAX, NUMBER_MAX)
}

fn clamped(number: &Number) -> i64 {
    let beyond = || match number.to_big().sign() {
        Sign::Minus => -NUMBER_MAX,
        _ => NUMBER_MAX,
    };
    number
        .to_i64()
        .map_or_else(beyond, |number| number.clamp(-NUMBER_MAX, NUMBER_MAX))
}

#[inline]
const fn is_operator(token: u8) -> bool {
    token != BLANK && token < BELOW
}

/// The tiles of a line without its gaps, from the lowest byte up.
#[inline]
fn packed(line: u64) -> u64 {
    let mut packed = 0;
    let mut place = 0;
    for token in line.to_le_bytes() {
        packed |= u64::from(token) << place;
        place += 8 * u32::from(token != BLANK);
    }
    packed
}

/// Bit i where byte i is a tile.
#[inline]
pub const fn tiles(line: u64) -> u8 {
    const LOW: u64 = 0x7F7F_7F7F_7F7F_7F7F;
    // The high bit of each byte that is not zero; the product brings the eight bits together.
    let high = (((line & LOW) + LOW) | line) & !LOW;
    ((high >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
}

/// The columns of a board from its rows, and the other way round.
#[inline]
pub fn transposed(board: &TokenBoard) -> TokenBoard {
    let mut lines = *board;
    // Blocks of 4 × 4, 2 × 2 and single bytes change places (Warren, "Hacker's Delight", 7-3).
    for (block, mask) in [
        (4, 0xFFFF_FFFF),
        (2, 0x0000_FFFF_0000_FFFF),
        (1, 0x00FF_00FF_00FF_00FF_u64),
    ] {
        for first in (0..SIDE_MAX).filter(|line| line & block == 0) {
            let changed = ((lines[first] >> (8 * block)) ^ lines[first + block]) & mask;
            lines[first + block] ^= changed;
            lines[first] ^= changed << (8 * block);
        }
    }
    lines
}

/// Whether a legal direction wins, by the flags of a board.
#[inline]
pub const fn wins(flags: [u8; 2]) -> bool {
    (flags[0] | flags[1]) & (WINS | WINS << 1) != 0
}

/// What a direction makes ([`CHANGES`], [`WINS`], [`LOSES`]), by the flags of a board.
#[inline]
pub fn made(flags: [u8; 2], direction: Direction) -> u8 {
    let flags = flags[usize::from(direction.along_rows())] >> u8::from(direction.towards_end());
    flags & (CHANGES | WINS | LOSES)
}

/// Whether a direction is legal and does not lose, by the flags of a board.
#[inline]
pub fn goes_on(flags: [u8; 2], direction: Direction) -> bool {
    made(flags, direction) & (CHANGES | LOSES) == CHANGES
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_numbers_that_matter_are_told_apart() {
        for target in [
            67,
            -67,
            1,
            -1,
            127,
            -127,
            128,
            -128,
            130,
            1000,
            -1000,
            1 << 30,
        ] {
            let vocabulary = Vocabulary::new(target);
            let mut last = None;
            let around = (target - 9..=target + 9).chain(-9..=9);
            let mut numbers: Vec<i64> = around.collect();
            numbers.sort_unstable();
            numbers.dedup();
            for number in numbers {
                let token = vocabulary.token(number);
                assert!(token >= FIRST, "{number} for {target}");
                assert_eq!(
                    vocabulary.numbers[usize::from(token)],
                    number,
                    "for {target}"
                );
                assert_ne!(Some(token), last, "{number} for {target}");
                last = Some(token);
            }
            assert_eq!(vocabulary.token(-(1 << 31)), BELOW, "for {target}");
            assert_eq!(vocabulary.token(1 << 31), ABOVE, "for {target}");
        }
        assert_eq!(Vocabulary::new(1000).token(500), BETWEEN);
        assert_eq!(Vocabulary::new(-1000).token(-500), BETWEEN);
    }

    #[test]
    fn tiles_and_columns_of_lines() {
        assert_eq!(tiles(0x00FF_0001_8000_0340), 0b0101_1011);
        let board: TokenBoard = std::array::from_fn(|row| {
            u64::from_le_bytes(std::array::from_fn(|col| (8 * row + col) as u8))
        });
        let columns = transposed(&board);
        for (col, column) in columns.iter().enumerate() {
            assert_eq!(
                column.to_le_bytes(),
                std::array::from_fn::<u8, 8, _>(|row| (8 * row + col) as u8)
            );
        }
    }
}
