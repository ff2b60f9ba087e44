//! The incremental board: for each seat and direction, one bit per cell marks whether a combination
//! is legal there.
//!
//! ```text
//! combinations[seat][direction], bit c: the piles on c and on c + direction are equal and not empty
//! ```
//!
//! A move changes two cells. A changed cell belongs to two combinations of each direction (as its
//! first and as its second cell), so 2 cells × 2 seats × 4 directions × 2 bits are updated, for any
//! size of the board; the counts are updated with the bits. The k-th legal move is found by
//! counting bits. Tests compare the board with the plain rules of `reference.rs`.

use super::{Move, Offset, Pair, Pile, SIDE, Walk, all_assignments};
use crate::game::{Game, Measure, Outcome};
use crate::games::two_player::{self, TwoPlayer, WIN};
use crate::rng::{Stream, mix};

/// Cells of the largest board.
const CELLS: usize = SIDE * SIDE;
/// Words of 64 cells.
const WORDS: usize = CELLS / 64;

/// A position with all combinations of both seats.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct OffsetBoard {
    /// 0: empty; otherwise one more than the pile's level.
    heights: [u8; CELLS],
    /// 0: nobody; otherwise one more than the owner's seat.
    owners: [u8; CELLS],
    combinations: [[[u64; WORDS]; 4]; 2],
    counts: [[u16; 4]; 2],
    directions: [[(i8, i8); 4]; 2],
    pairs: [Pair; 2],
    scores: [i32; 2],
    hash: u64,
    moves: u32,
    side: u8,
    seat: u8,
}

impl OffsetBoard {
    pub(super) fn empty(side: usize, pairs: [Pair; 2]) -> Self {
        Self {
            heights: [0; CELLS],
            owners: [0; CELLS],
            combinations: [[[0; WORDS]; 4]; 2],
            counts: [[0; 4]; 2],
            directions: pairs.map(Pair::directions),
            pairs,
            scores: [0, 0],
            hash: 0,
            moves: 0,
            side: side as u8,
            seat: 0,
        }
    }

    /// The number of combinations of a seat.
    fn count(&self, seat: usize) -> usize {
        self.counts[seat]
            .iter()
            .map(|&count| usize::from(count))
            .sum()
    }

    /// Changes a cell, with points, key and combinations.
    #[inline]
    fn set(&mut self, cell: usize, height: u8, owner: u8) {
        self.credit(cell, -1);
        self.heights[cell] = height;
        self.owners[cell] = owner;
        self.credit(cell, 1);
        for seat in 0..2 {
            for direction in 0..4 {
                self.compare(seat, direction, cell, height);
            }
        }
    }

    /// Takes a pile's coins and its part of the key in (`sign` 1) or out (−1).
    #[inline]
    fn credit(&mut self, cell: usize, sign: i32) {
        if let Some(pile) = self.pile(cell as u16) {
            self.hash ^= pile_key(cell, pile);
            if let Some(owner) = pile.owner {
                self.scores[owner] += sign << pile.level;
            }
        }
    }

    /// Compares a cell with the cells before and after it in one direction of a seat.
    #[inline]
    fn compare(&mut self, seat: usize, direction: usize, cell: usize, height: u8) {
        let (dx, dy) = self.directions[seat][direction];
        let x = (cell % SIDE) as i8;
        let y = (cell / SIDE) as i8;
        let side = self.side;
        // Places left of or above the board are large unsigned numbers, too.
        let on_board = |x: i8, y: i8| (x as u8) < side && (y as u8) < side;
        let step = isize::from(dy) * SIDE as isize + isize::from(dx);
        if on_board(x + dx, y + dy) {
            let after = cell.wrapping_add_signed(step);
            self.mark(
                seat,
                direction,
                cell,
                height > 0 && self.heights[after] == height,
            );
        }
        if on_board(x - dx, y - dy) {
            let before = cell.wrapping_add_signed(-step);
            self.mark(
                seat,
                direction,
                before,
                height > 0 && self.heights[before] == height,
            );
        }
    }

    /// Sets or clears one bit, and counts it.
    #[inline]
    fn mark(&mut self, seat: usize, direction: usize, cell: usize, legal: bool) {
        let word = &mut self.combinations[seat][direction][cell / 64];
        let was = (*word >> (cell % 64)) & 1;
        *word = *word & !(1 << (cell % 64)) | u64::from(legal) << (cell % 64);
        let count = &mut self.counts[seat][direction];
        *count = *count + u16::from(legal) - was as u16;
    }

    /// Lets the other seat move, unless it cannot and this one can.
    fn pass_turn(&mut self) {
        let other = 1 - self.seat;
        if self.count(usize::from(other)) > 0 || self.count(usize::from(self.seat)) == 0 {
            self.seat = other;
        }
    }

    /// For each cell, by how much the mover's combinations minus the other's change when its pile
    /// is taken away.
    fn balance_when_taken(&self) -> [i8; CELLS] {
        let mut balance = [0; CELLS];
        for (seat, directions) in self.combinations.iter().enumerate() {
            let change = if seat == usize::from(self.seat) {
                -1
            } else {
                1
            };
            for (direction, words) in directions.iter().enumerate() {
                let (dx, dy) = self.directions[seat][direction];
                let step = isize::from(dy) * SIDE as isize + isize::from(dx);
                for (at, &word) in words.iter().enumerate() {
                    let mut rest = word;
                    while rest != 0 {
                        let cell = at * 64 + rest.trailing_zeros() as usize;
                        balance[cell] += change;
                        balance[cell.wrapping_add_signed(step)] += change;
                        rest &= rest - 1;
                    }
                }
            }
        }
        balance
    }

    /// By how much the mover's combinations minus the other's would grow by a pile of this height
    /// on an empty cell.
    fn balance_when_added(&self, cell: usize, height: u8) -> i8 {
        let x = (cell % SIDE) as i8;
        let y = (cell / SIDE) as i8;
        let side = self.side;
        let mut balance = 0;
        for (seat, directions) in self.directions.iter().enumerate() {
            let change = if seat == usize::from(self.seat) {
                1
            } else {
                -1
            };
            for &(dx, dy) in directions {
                for (x, y) in [(x + dx, y + dy), (x - dx, y - dy)] {
                    let on_board = (x as u8) < side && (y as u8) < side;
                    if on_board && self.heights[y as usize * SIDE + x as usize] == height {
                        balance += change;
                    }
                }
            }
        }
        balance
    }

    /// The two moves of a combination in the order of listing.
    fn combination(&self, direction: usize, cell: usize) -> [Move; 2] {
        let (dx, dy) = self.directions[usize::from(self.seat)][direction];
        let upper = cell as u16;
        let lower = upper.wrapping_add_signed(i16::from(dy) * SIDE as i16 + i16::from(dx));
        [
            Move {
                source: upper,
                target: lower,
            },
            Move {
                source: lower,
                target: upper,
            },
        ]
    }
}

impl OffsetBoard {
    /// The pile on a cell; `None` where the cell is empty.
    pub fn pile(&self, cell: u16) -> Option<Pile> {
        let cell = usize::from(cell);
        let level = self.heights[cell].checked_sub(1)?;
        Some(Pile {
            level,
            owner: self.owners[cell].checked_sub(1).map(usize::from),
        })
    }

    /// The coins owned by both seats.
    pub fn scores(&self) -> [i64; 2] {
        self.scores.map(i64::from)
    }

    /// The seat to move.
    pub fn seat(&self) -> usize {
        usize::from(self.seat)
    }

    /// Combinations so far.
    pub fn moves(&self) -> u64 {
        u64::from(self.moves)
    }

    /// The pairs of both seats.
    pub fn pairs(&self) -> [Pair; 2] {
        self.pairs
    }

    /// The number of moves that a seat would have if it were to move.
    pub fn mobility(&self, seat: usize) -> usize {
        2 * self.count(seat)
    }

    /// Changes one cell, as when a position is set up.
    pub fn put(&mut self, cell: u16, pile: Option<Pile>) {
        let height = pile.map_or(0, |pile| pile.level + 1);
        let owner = pile
            .and_then(|pile| pile.owner)
            .map_or(0, |owner| owner as u8 + 1);
        self.set(usize::from(cell), height, owner);
    }

    /// Sets whose turn it is and how many combinations were made; the turn passes on where the seat
    /// has no move.
    pub fn set_turn(&mut self, seat: usize, moves: u64) {
        self.seat = 1 - seat as u8;
        self.moves = moves as u32;
        self.pass_turn();
    }
}

/// The value in the evaluation of one more possible move than the other's, in coins.
///
/// A player without moves cannot prevent the other from stealing, so moves count far more than
/// coins until the end. Over all assignments of d = 7 (12 games), alpha-beta of depth 3 and width
/// 16 wins 7 games against mobility with a value of 2, and 12 with 8 and with 32, with the largest
/// margin for 8.
const MOVE_VALUE: i64 = 8;

/// A pile's part of the Zobrist key of a position.
fn pile_key(cell: usize, pile: Pile) -> u64 {
    let owner = pile.owner.map_or(0, |owner| owner as u64 + 1);
    mix(1 + (cell as u64 | u64::from(pile.level) << 16 | owner << 24))
}

/// What a move has changed.
#[derive(Clone, Copy, Debug)]
pub struct Undo {
    chosen: Move,
    height: u8,
    owners: [u8; 2],
    seat: u8,
}

impl Game for Offset {
    type State = OffsetBoard;
    type Move = Move;

    const MEASURES: &'static [Measure] = two_player::MEASURES;

    fn start(&self, world: &mut Stream) -> OffsetBoard {
        let mut board = OffsetBoard::empty(self.side, self.pairs_of(world));
        for y in 0..self.side {
            for x in 0..self.side {
                board.set(y * SIDE + x, 1, 0);
            }
        }
        board.set_turn(self.beginner, 0);
        two_player::open(self, &mut board, self.opening, world);
        board
    }

    fn seat(&self, board: &OffsetBoard) -> usize {
        board.seat()
    }

    fn legal(&self, board: &OffsetBoard, moves: &mut Vec<Move>) {
        for (direction, words) in board.combinations[board.seat()].iter().enumerate() {
            for (at, &word) in words.iter().enumerate() {
                let mut rest = word;
                while rest != 0 {
                    moves.extend(
                        board.combination(direction, at * 64 + rest.trailing_zeros() as usize),
                    );
                    rest &= rest - 1;
                }
            }
        }
    }

    const PICKS_MOVES: bool = true;

    fn legal_count(&self, board: &OffsetBoard) -> usize {
        board.mobility(board.seat())
    }

    fn nth_legal(&self, board: &OffsetBoard, index: usize) -> Move {
        let seat = board.seat();
        let mut left = index / 2;
        for (direction, words) in board.combinations[seat].iter().enumerate() {
            let count = usize::from(board.counts[seat][direction]);
            if left >= count {
                left -= count;
                continue;
            }
            for (at, &word) in words.iter().enumerate() {
                let ones = word.count_ones() as usize;
                if left < ones {
                    return board.combination(direction, at * 64 + nth_one(word, left))[index % 2];
                }
                left -= ones;
            }
        }
        panic!("no legal move number {index}")
    }

    fn play(&self, board: &mut OffsetBoard, chosen: Move) {
        self.make(board, chosen);
    }

    fn numbered(&self, index: u64) -> Option<Self> {
        if self.walk == Walk::Drawn {
            return None;
        }
        let mut starts = all_assignments(self.d);
        starts.retain(|start| self.walk == Walk::All || start.beginner == self.beginner);
        Some(self.assigned(starts[(index % starts.len() as u64) as usize]))
    }

    fn outcome(&self, board: &OffsetBoard) -> Option<Outcome> {
        let is_over = [0, 1].iter().all(|&seat| board.count(seat) == 0);
        is_over.then(|| two_player::outcome(board.scores(), board.moves()))
    }
}

impl TwoPlayer for Offset {
    type Undo = Undo;

    fn make(&self, board: &mut OffsetBoard, chosen: Move) -> Undo {
        let source = usize::from(chosen.source);
        let target = usize::from(chosen.target);
        let height = board.heights[target];
        let seat = board.seat;
        let undo = Undo {
            chosen,
            height,
            owners: [board.owners[source], board.owners[target]],
            seat,
        };
        board.set(source, 0, 0);
        board.set(target, height + 1, seat + 1);
        board.moves += 1;
        board.pass_turn();
        undo
    }

    fn unmake(&self, board: &mut OffsetBoard, undo: Undo) {
        board.set(usize::from(undo.chosen.target), undo.height, undo.owners[1]);
        board.set(usize::from(undo.chosen.source), undo.height, undo.owners[0]);
        board.moves -= 1;
        board.seat = undo.seat;
    }

    fn margin(&self, board: &OffsetBoard, seat: usize) -> i64 {
        let scores = board.scores();
        scores[seat] - scores[1 - seat]
    }

    /// The margin and the value of the moves; once the game is over, the margin and ±[`WIN`].
    fn evaluate(&self, board: &OffsetBoard, seat: usize) -> i64 {
        let margin = self.margin(board, seat);
        let mobility = [seat, 1 - seat].map(|seat| board.mobility(seat) as i64);
        if mobility == [0, 0] {
            margin.signum() * WIN + margin
        } else {
            margin + MOVE_VALUE * (mobility[0] - mobility[1])
        }
    }

    /// An unowned half counts its coins once, a stolen one twice.
    fn gain(&self, board: &OffsetBoard, chosen: Move) -> i64 {
        let half = |cell| {
            let pile = board.pile(cell).expect("a legal move combines two piles");
            pile.coins()
                * match pile.owner {
                    None => 1,
                    Some(owner) if owner == board.seat() => 0,
                    Some(_) => 2,
                }
        };
        half(chosen.source) + half(chosen.target)
    }

    fn ordering_score(&self, board: &OffsetBoard, chosen: Move) -> i64 {
        let mut ordering_scores = Vec::new();
        self.ordering_scores(board, &[chosen], &mut ordering_scores);
        ordering_scores[0]
    }

    fn ordering_scores(&self, board: &OffsetBoard, moves: &[Move], ordering_scores: &mut Vec<i64>) {
        let taken = board.balance_when_taken();
        let mut doubled = [i8::MIN; CELLS];
        ordering_scores.extend(moves.iter().map(|&chosen| {
            let source = usize::from(chosen.source);
            let target = usize::from(chosen.target);
            if doubled[target] == i8::MIN {
                doubled[target] =
                    taken[target] + board.balance_when_added(target, board.heights[target] + 1);
            }
            // The combination itself was counted as lost with both of its cells.
            let combinations = i64::from(taken[source]) + i64::from(doubled[target]) + 1;
            self.gain(board, chosen) + MOVE_VALUE * 2 * combinations
        }));
    }

    fn mobility(&self, board: &OffsetBoard, seat: usize) -> i64 {
        board.mobility(seat) as i64
    }

    fn key(&self, board: &OffsetBoard) -> u64 {
        board.hash ^ mix(u64::from(board.seat))
    }
}

/// The place of set bit number `n` of a word.
fn nth_one(mut word: u64, n: usize) -> usize {
    for _ in 0..n {
        word &= word - 1;
    }
    word.trailing_zeros() as usize
}
