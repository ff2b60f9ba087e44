//! The rules of Offset on plain lists of piles, which the incremental board is tested against:
//! every function looks at all cells.

use super::board::OffsetBoard;
use super::{Move, Offset, Pair, Pile, SIDE, Walk};
use crate::game::{Game, GameResult};
use crate::games::two_player::{self, TwoPlayer};
use crate::rng::{Draw, SeedableRng, Stream};

struct Plain {
    side: usize,
    piles: Vec<Option<Pile>>,
    pairs: [Pair; 2],
    seat: usize,
    moves: u64,
}

impl Plain {
    fn new(side: usize, pairs: [Pair; 2], beginner: usize) -> Self {
        let start = Some(Pile {
            level: 0,
            owner: None,
        });
        let on_board = |cell| cell % SIDE < side && cell / SIDE < side;
        let mut plain = Self {
            side,
            piles: (0..SIDE * SIDE)
                .map(|cell| start.filter(|_| on_board(cell)))
                .collect(),
            pairs,
            seat: 1 - beginner,
            moves: 0,
        };
        plain.pass_turn();
        plain
    }

    /// All moves of a seat, in the game's fixed order.
    fn legal(&self, seat: usize) -> Vec<Move> {
        let side = self.side as i32;
        let mut moves = Vec::new();
        for (dx, dy) in self.pairs[seat].directions() {
            for (x, y) in (0..side).flat_map(|y| (0..side).map(move |x| (x, y))) {
                let to_x = x + i32::from(dx);
                let to_y = y + i32::from(dy);
                if !(0..side).contains(&to_x) || !(0..side).contains(&to_y) {
                    continue;
                }
                let [source, target] =
                    [(x, y), (to_x, to_y)].map(|(x, y)| (y * SIDE as i32 + x) as u16);
                let level = |cell: u16| self.piles[usize::from(cell)].map(|pile| pile.level);
                if level(source).is_some() && level(source) == level(target) {
                    moves.push(Move { source, target });
                    moves.push(Move {
                        source: target,
                        target: source,
                    });
                }
            }
        }
        moves
    }

    fn scores(&self) -> [i64; 2] {
        let coins = |seat| {
            let piles = self.piles.iter().flatten();
            let own = piles.filter(|pile| pile.owner == Some(seat));
            own.map(|pile| pile.coins()).sum()
        };
        [coins(0), coins(1)]
    }

    /// Lets the other seat move, unless it cannot and this one can.
    fn pass_turn(&mut self) {
        let other = 1 - self.seat;
        if !self.legal(other).is_empty() || self.legal(self.seat).is_empty() {
            self.seat = other;
        }
    }

    fn play(&mut self, chosen: Move) {
        let half = self.piles[usize::from(chosen.source)].take().unwrap();
        self.piles[usize::from(chosen.target)] = Some(Pile {
            level: half.level + 1,
            owner: Some(self.seat),
        });
        self.moves += 1;
        self.pass_turn();
    }

    /// What the board says of itself is so, and its evaluations are what the rules say.
    fn check(&self, game: &Offset, board: &OffsetBoard) {
        let mut legal = Vec::new();
        game.legal(board, &mut legal);
        assert_eq!(legal, self.legal(self.seat));
        assert_eq!((board.seat(), board.moves()), (self.seat, self.moves));
        assert_eq!(board.scores(), self.scores());
        for cell in 0..(SIDE * SIDE) as u16 {
            assert_eq!(board.pile(cell), self.piles[usize::from(cell)]);
        }
        let mobility = [0, 1].map(|seat| self.legal(seat).len());
        assert_eq!([0, 1].map(|seat| board.mobility(seat)), mobility);
        let is_over = mobility == [0, 0];
        let outcome = is_over.then(|| two_player::outcome(self.scores(), self.moves));
        assert_eq!(game.outcome(board), outcome);
        assert_eq!(game.legal_count(board), legal.len());
        let mut scores = Vec::new();
        game.ordering_scores(board, &legal, &mut scores);
        let difference = |board: &OffsetBoard| {
            board.mobility(self.seat) as i64 - board.mobility(1 - self.seat) as i64
        };
        for (index, (&chosen, score)) in legal.iter().zip(scores).enumerate().step_by(7) {
            assert_eq!(game.nth_legal(board, index), chosen);
            let mut after = board.clone();
            let undo = game.make(&mut after, chosen);
            let gain = game.margin(&after, self.seat) - game.margin(board, self.seat);
            assert_eq!(game.gain(board, chosen), gain);
            assert_eq!(score, gain + 8 * (difference(&after) - difference(board)));
            game.unmake(&mut after, undo);
            assert_eq!(after, *board, "taken back");
        }
    }
}

#[test]
fn the_board_follows_the_rules() {
    for (side, d, seed) in [(32, 7, 1), (12, 7, 3), (7, 5, 4), (9, 13, 5), (4, 5, 7)] {
        let beginner = (seed % 2) as usize;
        let mut stream = Stream::seed_from_u64(seed);
        let mut game = Offset {
            side,
            d,
            pairs: None,
            beginner,
            opening: 0,
            walk: Walk::Drawn,
        };
        let pairs = game.pairs_of(&mut stream);
        game.pairs = Some(pairs);
        let mut board = game.start(&mut stream);
        let mut plain = Plain::new(side, pairs, beginner);
        while game.outcome(&board).is_none() {
            if side < 32 || plain.moves.is_multiple_of(40) {
                plain.check(&game, &board);
            }
            let index = Draw::next(&mut stream).below(game.legal_count(&board) as u64) as usize;
            let chosen = game.nth_legal(&board, index);
            game.play(&mut board, chosen);
            plain.play(chosen);
        }
        plain.check(&game, &board);
        let result = game.outcome(&board).unwrap().result;
        let [first, second] = plain.scores();
        assert_eq!(result == GameResult::Won, first > second);
    }
}
