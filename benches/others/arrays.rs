//! 67! (`original`, random player) as one would write it in Rust: an array of tiles, one game at a
//! time, all four moves made to see which are legal. `run.py` compares the kernels with it.
//!
//! `arrays ROWS COLS GAMES SEED` prints games, wins, the sum of the moves, the sum of their squares
//! and the seconds on a processor.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

#[derive(Clone, Copy, PartialEq)]
enum Tile {
    Blank,
    Operator(u8),
    Number(i64),
}

use Tile::{Blank, Number, Operator};

const OPERATORS: [u8; 3] = *b"+-*";
const TARGET: i64 = 67;
const TILES_A_TURN: usize = 2;

type Board<const ROWS: usize, const COLS: usize> = [[Tile; COLS]; ROWS];

/// A number below `bound`.
fn below(random: &mut Xoshiro256PlusPlus, bound: usize) -> usize {
    ((u128::from(random.next_u64()) * bound as u128) >> 64) as usize
}

fn spawn<const ROWS: usize, const COLS: usize>(
    board: &mut Board<ROWS, COLS>,
    random: &mut Xoshiro256PlusPlus,
) {
    let mut blanks = [[(0, 0); COLS]; ROWS];
    let blanks = blanks.as_flattened_mut();
    let mut count = 0;
    for (row, tiles) in board.iter().enumerate() {
        for (col, tile) in tiles.iter().enumerate() {
            if *tile == Blank {
                blanks[count] = (row, col);
                count += 1;
            }
        }
    }
    for _ in 0..TILES_A_TURN.min(count) {
        let place = below(random, count);
        let (row, col) = blanks[place];
        board[row][col] = if below(random, 2) == 0 {
            Operator(OPERATORS[below(random, 3)])
        } else {
            Number(below(random, 10) as i64)
        };
        count -= 1;
        blanks[place] = blanks[count];
    }
}

/// Writes the board after a move (left, right, up, down); tells whether it differs.
fn move_tiles<const ROWS: usize, const COLS: usize>(
    board: &Board<ROWS, COLS>,
    direction: usize,
    moved: &mut Board<ROWS, COLS>,
) -> bool {
    let horizontal = direction < 2;
    let to_end = direction % 2 == 1;
    let (lines, length) = if horizontal {
        (ROWS, COLS)
    } else {
        (COLS, ROWS)
    };
    let mut changed = false;
    *moved = [[Blank; COLS]; ROWS];
    for line in 0..lines {
        // The i-th cell from the edge that tiles move to.
        let cell = |i: usize| {
            let i = if to_end { length - 1 - i } else { i };
            if horizontal { (line, i) } else { (i, line) }
        };
        let tile = |i: usize| {
            let (row, col) = cell(i);
            board[row][col]
        };
        let mut start = 0;
        let mut end = 0;
        while start < length {
            let mut result = tile(start);
            let mut taken = 1;
            if start + 2 < length
                && let (Number(a), Operator(operator), Number(b)) =
                    (result, tile(start + 1), tile(start + 2))
            {
                let (a, b) = if to_end { (b, a) } else { (a, b) };
                result = Number(match operator {
                    b'+' => a.wrapping_add(b),
                    b'-' => a.wrapping_sub(b),
                    _ => a.wrapping_mul(b),
                });
                taken = 3;
            }
            if result != Blank {
                let (row, col) = cell(end);
                moved[row][col] = result;
                changed |= end != start || taken == 3;
                end += 1;
            }
            start += taken;
        }
    }
    changed
}

/// Plays a game; returns whether it is won, and the moves made.
fn play<const ROWS: usize, const COLS: usize>(random: &mut Xoshiro256PlusPlus) -> (bool, u64) {
    let mut board: Board<ROWS, COLS> = [[Blank; COLS]; ROWS];
    let mut moved = [board; 4];
    let mut moves = 0;
    loop {
        spawn(&mut board, random);
        let mut legal = [0; 4];
        let mut count = 0;
        for (direction, moved) in moved.iter_mut().enumerate() {
            if move_tiles(&board, direction, moved) {
                legal[count] = direction;
                count += 1;
            }
        }
        if count == 0 {
            return (false, moves);
        }
        board = moved[legal[below(random, count)]];
        moves += 1;
        if board.as_flattened().contains(&Number(TARGET)) {
            return (true, moves);
        }
    }
}

#[cfg(target_os = "linux")]
fn seconds() -> f64 {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 / 1e9
}

/// The time of the clock, where the system does not tell the time on a processor.
#[cfg(not(target_os = "linux"))]
fn seconds() -> f64 {
    let since = std::time::SystemTime::now().duration_since(std::time::UNIX_EPOCH);
    since.expect("the clock is set").as_secs_f64()
}

fn main() {
    let arguments: Vec<u64> = std::env::args()
        .skip(1)
        .map(|argument| argument.parse().expect("a number"))
        .collect();
    let [rows, cols, games, seed] = arguments[..] else {
        panic!("usage: arrays ROWS COLS GAMES SEED");
    };
    let play = match (rows, cols) {
        (6, 7) => play::<6, 7>,
        (5, 5) => play::<5, 5>,
        _ => panic!("a board of {rows}x{cols}: accepted: 6x7, 5x5"),
    };
    let mut random = Xoshiro256PlusPlus::seed_from_u64(seed);
    let begun = seconds();
    let mut wins = 0;
    let mut sum = 0;
    let mut squares = 0;
    for _ in 0..games {
        let (won, moves) = play(&mut random);
        wins += u64::from(won);
        sum += moves;
        squares += moves * moves;
    }
    println!("{games} {wins} {sum} {squares} {}", seconds() - begun);
}
