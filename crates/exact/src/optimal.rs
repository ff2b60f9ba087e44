//! Best play: the highest probability of winning that any player can reach.
//!
//! Every board that any moves can lead to is listed once up to symmetry, for each number of tiles
//! that are still to appear before the next move. Then the values are iterated: a board before a
//! move has the value of its best move, a board before a tile the mean over the tiles. A sweep over
//! all boards is a round; where the rules end games after some rounds, as many sweeps are exact.
//! Elsewhere one iteration begins with values of 0 and rises, another with 1 and falls, and the
//! probability lies between them.

use super::board::{BLANK, Cells, Code, Lines, Shape};
use super::engine::{End, Rules, TooMany};
use super::{Best, Limits};
use std::collections::HashMap;
use tilelab_core::games::direction::Direction;

/// The iterations end when they are this close.
const CLOSE: f64 = 1e-12;

/// What follows a board.
enum Next {
    /// Before a move: the boards after it, and the highest value of a move that cannot be followed.
    Moves(Vec<u32>, f64),
    /// Before a tile: the boards with it, and their probabilities.
    Tiles(Vec<(u32, f64)>),
    /// The game has ended, or cannot be followed; the lowest and the highest value.
    Ended([f64; 2]),
}

/// The boards of a game.
struct Boards<'a, R> {
    rules: &'a R,
    shape: Shape,
    tiles: Vec<(Code, f64)>,
    limits: Limits,
    /// By tiles still to appear and board.
    known: HashMap<(usize, Cells), u32>,
    /// By number, with the fewest moves that lead there; what follows is found in this order.
    boards: Vec<(usize, Cells, u64)>,
    next: Vec<Next>,
}

/// What a board is worth where the game ends.
const fn worth(end: End) -> [f64; 2] {
    match end {
        End::Won => [1.0; 2],
        End::Lost => [0.0; 2],
        End::Unresolved => [0.0, 1.0],
    }
}

/// Computes the highest probability of winning.
pub fn solve<R: Rules>(rules: &R, limits: Limits) -> Best {
    let mut tiles = rules.tiles();
    tiles.retain(|&(_, probability)| probability > 0.0);
    let mut boards = Boards {
        rules,
        shape: rules.shape(),
        tiles,
        limits,
        known: HashMap::new(),
        boards: Vec::new(),
        next: Vec::new(),
    };
    let listed = boards.list();
    let mut best = Best {
        won: [0.0, 1.0],
        boards: boards.boards.len() as u64,
        is_cut: listed.is_err(),
    };
    if !best.is_cut {
        best.won = boards.values();
        best.is_cut = best.won[1] - best.won[0] > 1e-9;
    }
    best
}

impl<R: Rules> Boards<'_, R> {
    /// The number of a board after some moves, which may be new.
    fn number(&mut self, left: usize, board: &Cells, made: u64) -> u32 {
        let board = self.shape.canonical(board);
        *self.known.entry((left, board)).or_insert_with(|| {
            self.boards.push((left, board, made));
            self.boards.len() as u32 - 1
        })
    }

    /// Lists all boards, the one before the first tile first.
    fn list(&mut self) -> Result<(), TooMany> {
        let rules = self.rules;
        let collapse = |line: &[Code], end: bool| rules.collapse(line, end);
        let mut lines = Lines::new(&collapse);
        let (start, spawns) = rules.start();
        self.number(spawns, &start, 0);
        // All boards after so many moves come before all others.
        while let Some(&(left, board, made)) = self.boards.get(self.next.len()) {
            let next = if rules.rounds_max() == Some(made) {
                Next::Ended(worth(rules.stuck(&board[..self.shape.cells()])))
            } else if left == 0 {
                self.moves(&board, made, &mut lines)
            } else {
                self.dealt(left, board, made)
            };
            self.next.push(next);
            if self.boards.len() > self.limits.boards_max {
                return Err(TooMany);
            }
        }
        Ok(())
    }

    fn moves(&mut self, board: &Cells, made: u64, lines: &mut Lines<'_>) -> Next {
        let cells = self.shape.cells();
        let mut after = Vec::new();
        let mut unresolved = 0.0;
        let mut is_stuck = true;
        for direction in Direction::ALL {
            let moved = self.shape.moved(lines, board, direction);
            if moved == *board {
                continue;
            }
            is_stuck = false;
            match self.rules.after_move(&moved[..cells], 0).map(worth) {
                // Nothing is better.
                Some([1.0, _]) => return Next::Ended([1.0; 2]),
                Some([_, high]) => unresolved = high.max(unresolved),
                None => after.push(self.number(self.rules.spawns(), &moved, made + 1)),
            }
        }
        if is_stuck {
            return Next::Ended(worth(self.rules.stuck(&board[..cells])));
        }
        after.sort_unstable();
        after.dedup();
        Next::Moves(after, unresolved)
    }

    fn dealt(&mut self, left: usize, mut board: Cells, made: u64) -> Next {
        let cells = self.shape.cells();
        let blanks = board[..cells].iter().filter(|&&tile| tile == BLANK).count();
        if blanks == 0 {
            return Next::Tiles(vec![(self.number(left - 1, &board, made), 1.0)]);
        }
        let mut dealt: Vec<(u32, f64)> = Vec::new();
        for cell in 0..cells {
            if board[cell] != BLANK {
                continue;
            }
            for (tile, probability) in self.tiles.clone() {
                board[cell] = tile;
                let number = self.number(left - 1, &board, made);
                dealt.push((number, probability / blanks as f64));
            }
            board[cell] = BLANK;
        }
        dealt.sort_by_key(|&(number, _)| number);
        dealt.dedup_by(|next, kept| {
            let is_same = next.0 == kept.0;
            kept.1 += if is_same { next.1 } else { 0.0 };
            is_same
        });
        Next::Tiles(dealt)
    }

    /// The lowest and the highest value of the start.
    fn values(&self) -> [f64; 2] {
        let cells = self.shape.cells();
        let mut order: Vec<usize> = (0..self.boards.len()).collect();
        // Boards before a move come first, since those before a tile are worth their mean.
        order.sort_by_key(|&number| self.boards[number].0);
        let rounds = self.rules.rounds_max();
        let first = |board: &(usize, Cells, u64)| match rounds {
            // After the last round.
            Some(_) => worth(self.rules.stuck(&board.1[..cells])),
            None => [0.0, 1.0],
        };
        let mut values: Vec<[f64; 2]> = self.boards.iter().map(first).collect();
        for _ in 0..rounds.unwrap_or(self.limits.rounds_max) {
            for &number in &order {
                values[number] = [0, 1].map(|side| match &self.next[number] {
                    Next::Ended(worth) => worth[side],
                    Next::Moves(after, unresolved) => {
                        let after = after.iter().map(|&after| values[after as usize][side]);
                        after.fold(side as f64 * unresolved, f64::max)
                    }
                    Next::Tiles(dealt) => {
                        let value =
                            |&(board, share): &(u32, f64)| share * values[board as usize][side];
                        dealt.iter().map(value).sum()
                    }
                });
            }
            if rounds.is_none() && values[0][1] - values[0][0] < CLOSE {
                break;
            }
        }
        values[0]
    }
}
