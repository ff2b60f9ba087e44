//! The reference engine of Offset: piles in a list, and every function looks at all cells. It
//! follows the rules as closely as possible.
//!
//! Tests compare the incremental board with this file, position by position and game for game.

use super::{
    Engine, MOVE_VALUE, Move, Offset, Pair, Pile, Position, SIDE, evaluate_of, gain_of, margin_of,
    pile_key,
};
use crate::game::{Game, Measure, Outcome};
use crate::games::two_player::{self, TwoPlayer};
use crate::rng::{Stream, mix};

/// The rules of Offset on plain boards.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Plain(pub Offset);

/// A position.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct PlainBoard {
    side: usize,
    piles: Vec<Option<Pile>>,
    pairs: [Pair; 2],
    seat: usize,
    moves: u64,
}

impl PlainBoard {
    /// All moves of a seat, in the game's fixed order.
    fn moves_of(&self, seat: usize) -> impl Iterator<Item = Move> + '_ {
        let side = self.side as i32;
        let cells = move || (0..side).flat_map(move |y| (0..side).map(move |x| (x, y)));
        let combinations = self.pairs[seat]
            .directions()
            .into_iter()
            .flat_map(move |(dx, dy)| {
                cells().map(move |(x, y)| ((x, y), (x + i32::from(dx), y + i32::from(dy))))
            });
        let on_board = move |(x, y): (i32, i32)| (0..side).contains(&x) && (0..side).contains(&y);
        let cell = |(x, y): (i32, i32)| (y * SIDE as i32 + x) as u16;
        combinations
            .filter(move |&(_, lower)| on_board(lower))
            .flat_map(move |(upper, lower)| {
                let upper = cell(upper);
                let lower = cell(lower);
                let level = |cell| self.pile(cell).map(|pile| pile.level);
                let equal = level(upper).is_some() && level(upper) == level(lower);
                let both = [
                    Move {
                        source: upper,
                        target: lower,
                    },
                    Move {
                        source: lower,
                        target: upper,
                    },
                ];
                both.into_iter().filter(move |_| equal)
            })
    }

    /// Lets the other seat move, unless it cannot and this one can.
    fn pass_turn(&mut self) {
        let other = 1 - self.seat;
        if self.mobility(other) > 0 || self.mobility(self.seat) == 0 {
            self.seat = other;
        }
    }
}

impl Position for PlainBoard {
    fn pile(&self, cell: u16) -> Option<Pile> {
        self.piles[usize::from(cell)]
    }

    fn scores(&self) -> [i64; 2] {
        [0, 1].map(|seat| {
            self.piles
                .iter()
                .flatten()
                .filter(|pile| pile.owner == Some(seat))
                .map(|pile| pile.coins())
                .sum()
        })
    }

    fn seat(&self) -> usize {
        self.seat
    }

    fn moves(&self) -> u64 {
        self.moves
    }

    fn pairs(&self) -> [Pair; 2] {
        self.pairs
    }

    fn mobility(&self, seat: usize) -> usize {
        self.moves_of(seat).count()
    }

    fn put(&mut self, cell: u16, pile: Option<Pile>) {
        self.piles[usize::from(cell)] = pile;
    }

    fn set_turn(&mut self, seat: usize, moves: u64) {
        self.seat = 1 - seat;
        self.moves = moves;
        self.pass_turn();
    }
}

impl Game for Plain {
    type State = PlainBoard;
    type Move = Move;

    const MEASURES: &'static [Measure] = two_player::MEASURES;

    fn start(&self, world: &mut Stream) -> PlainBoard {
        let mut board = self.empty(self.0.pairs_of(world));
        for cell in 0..SIDE * SIDE {
            if cell % SIDE < self.0.side && cell / SIDE < self.0.side {
                board.piles[cell] = Some(Pile {
                    level: 0,
                    owner: None,
                });
            }
        }
        board.set_turn(self.0.beginner, 0);
        two_player::open(self, &mut board, self.0.opening, world);
        board
    }

    fn seat(&self, board: &PlainBoard) -> usize {
        board.seat
    }

    fn legal(&self, board: &PlainBoard, moves: &mut Vec<Move>) {
        moves.extend(board.moves_of(board.seat));
    }

    fn play(&self, board: &mut PlainBoard, chosen: Move) {
        let half = board.piles[usize::from(chosen.source)]
            .take()
            .expect("a legal move combines two piles");
        board.piles[usize::from(chosen.target)] = Some(Pile {
            level: half.level + 1,
            owner: Some(board.seat),
        });
        board.moves += 1;
        board.pass_turn();
    }

    fn outcome(&self, board: &PlainBoard) -> Option<Outcome> {
        let is_over = [0, 1]
            .iter()
            .all(|&seat| board.moves_of(seat).next().is_none());
        is_over.then(|| two_player::outcome(board.scores(), board.moves))
    }
}

impl TwoPlayer for Plain {
    type Undo = PlainBoard;

    fn make(&self, board: &mut PlainBoard, chosen: Move) -> PlainBoard {
        let before = board.clone();
        self.play(board, chosen);
        before
    }

    fn unmake(&self, board: &mut PlainBoard, undo: PlainBoard) {
        *board = undo;
    }

    fn margin(&self, board: &PlainBoard, seat: usize) -> i64 {
        margin_of(board, seat)
    }

    fn evaluate(&self, board: &PlainBoard, seat: usize) -> i64 {
        evaluate_of(board, seat)
    }

    fn gain(&self, board: &PlainBoard, chosen: Move) -> i64 {
        gain_of(board, chosen)
    }

    fn ordering_score(&self, board: &PlainBoard, chosen: Move) -> i64 {
        let seat = board.seat;
        let difference =
            |board: &PlainBoard| board.mobility(seat) as i64 - board.mobility(1 - seat) as i64;
        let mut after = board.clone();
        self.play(&mut after, chosen);
        gain_of(board, chosen) + MOVE_VALUE * (difference(&after) - difference(board))
    }

    fn mobility(&self, board: &PlainBoard, seat: usize) -> i64 {
        Position::mobility(board, seat) as i64
    }

    fn key(&self, board: &PlainBoard) -> u64 {
        let piles = board
            .piles
            .iter()
            .enumerate()
            .filter_map(|(cell, pile)| pile.map(|pile| pile_key(cell, pile)));
        piles.fold(mix(board.seat as u64), |key, part| key ^ part)
    }
}

impl Engine for Plain {
    fn rules(&self) -> &Offset {
        &self.0
    }

    fn empty(&self, pairs: [Pair; 2]) -> PlainBoard {
        PlainBoard {
            side: self.0.side,
            piles: vec![None; SIDE * SIDE],
            pairs,
            seat: 0,
            moves: 0,
        }
    }
}
