//! Boards for look-ahead players: moves, legal directions and winning moves from tables of lines.
//!
//! A line is its kinds (blank, number, `+`, `-`, `*`) as base-5 digits. For each line of up to
//! eight cells, a table holds the resulting line in both directions; a test compares it with the
//! reference. A position stores the index of every row and column, so that the legal directions
//! take a few look-ups, and the triples of its lines are enough to decide whether a direction wins.
//!
//! Numbers are 64-bit and saturate at ± [`NUMBER_MAX`], for players only; games use exact numbers.

use crate::game::looks::Tiles;
use crate::games::sixty_seven::line::Tile;
use crate::games::sixty_seven::packed::PackedBoard;
use crate::games::sixty_seven::reference::Board;
use crate::games::sixty_seven::residue::PRIME;
use crate::games::sixty_seven::{Collapse, Direction, Runs, SixtySeven};
use crate::rng::{Draw, Rng, Stream};
use num_bigint::{BigInt, Sign};
use std::sync::OnceLock;

/// The longest line.
pub const SIDE_MAX: usize = 8;
/// The largest number that is told apart.
pub const NUMBER_MAX: i64 = 1 << 31;
/// The kind of a blank cell.
pub const BLANK: u8 = 0;
/// The kind of a number; operators follow in the order of
/// [`Operator::ALL`](crate::games::sixty_seven::Operator::ALL).
pub const NUMBER: u8 = 1;
/// Kinds of tiles, blanks included.
pub const KINDS: usize = 5;

/// Powers of the number of kinds.
const POWERS: [u32; SIDE_MAX] = [1, 5, 25, 125, 625, 3125, 15_625, 78_125];

/// Where a tile of a collapsed line comes from.
#[derive(Clone, Copy, Default)]
struct Origin {
    /// The cell, or that of a triple's first number.
    first: u8,
    /// The cell of a triple's second number; the same as `first` for a tile that only moved.
    second: u8,
    /// Its kind, or that of a triple's operator.
    kind: u8,
}

/// A collapsed line.
#[derive(Clone, Copy, Default)]
struct Collapsed {
    tiles: [Origin; SIDE_MAX],
    count: u8,
    /// Which of them are results of triples.
    results: u8,
}

/// All lines of one length under one rule.
struct Lines {
    /// By index: bit 0, it changes towards its start; bit 1, towards its end; bit 2, it holds a
    /// triple.
    flags: Vec<u8>,
    /// By index, towards the start and towards the end.
    collapsed: Vec<[Collapsed; 2]>,
}

const HOLDS_TRIPLE: u8 = 4;

impl Lines {
    fn new(rule: Collapse, cells: usize) -> Self {
        let count = KINDS.pow(cells as u32);
        let mut lines = Self {
            flags: Vec::with_capacity(count),
            collapsed: Vec::with_capacity(count),
        };
        for index in 0..count {
            let kinds: Vec<u8> = (0..cells)
                .map(|cell| (index as u32 / POWERS[cell] % KINDS as u32) as u8)
                .collect();
            let mut flags = 0;
            let sides = [false, true].map(|towards_end| {
                let collapsed = Collapsed::new(rule, &kinds, towards_end);
                flags |= u8::from(collapsed.changes(&kinds, towards_end)) << u8::from(towards_end);
                flags |= if collapsed.results == 0 {
                    0
                } else {
                    HOLDS_TRIPLE
                };
                collapsed
            });
            lines.flags.push(flags);
            lines.collapsed.push(sides);
        }
        lines
    }

    /// The lines of this length, built on first use.
    fn shared(rule: Collapse, cells: usize) -> &'static Self {
        static LINES: [[OnceLock<Lines>; SIDE_MAX + 1]; 6] =
            [const { [const { OnceLock::new() }; SIDE_MAX + 1] }; 6];
        let runs = match rule.runs {
            Runs::Stay => 0,
            Runs::Halve => 1,
            Runs::One => 2,
        };
        LINES[runs + 3 * usize::from(rule.blanks_separate)][cells]
            .get_or_init(|| Self::new(rule, cells))
    }
}

impl Collapsed {
    /// What the rules make of a line whose numbers are unknown; the steps are those of the
    /// reference.
    fn new(rule: Collapse, kinds: &[u8], towards_end: bool) -> Self {
        let mut cells = [0_usize; SIDE_MAX];
        let mut count = 0;
        let mut run = 0;
        for (cell, &kind) in kinds.iter().enumerate() {
            if kind == BLANK && !rule.blanks_separate {
                continue;
            }
            // The tiles that are left out of a run stand behind one of it that stays.
            run = if count > 0 && kinds[cells[count - 1]] == kind {
                run + 1
            } else {
                0
            };
            let left_out = kind > NUMBER
                && match rule.runs {
                    Runs::Stay => false,
                    Runs::Halve => run % 2 == 1,
                    Runs::One => run > 0,
                };
            if !left_out {
                cells[count] = cell;
                count += 1;
            }
        }
        Self::of_triples(kinds, &cells[..count], towards_end)
    }

    fn of_triples(kinds: &[u8], cells: &[usize], towards_end: bool) -> Self {
        let mut collapsed = Self::default();
        let mut left = cells;
        while !left.is_empty() {
            let triple = if towards_end {
                left.len().checked_sub(3).map(|at| &left[at..])
            } else {
                left.get(..3)
            };
            let triple = triple.filter(|cells| {
                (kinds[cells[0]], kinds[cells[2]]) == (NUMBER, NUMBER) && kinds[cells[1]] > NUMBER
            });
            let taken = if triple.is_some() { 3 } else { 1 };
            let near;
            (near, left) = if towards_end {
                let (rest, near) = left.split_at(left.len() - taken);
                (near, rest)
            } else {
                left.split_at(taken)
            };
            let first = near[0];
            let second = near[taken - 1];
            let kind = kinds[near[taken / 2]];
            if kind == BLANK {
                continue;
            }
            let at = collapsed.count as usize;
            collapsed.tiles[at] = Origin {
                first: first as u8,
                second: second as u8,
                kind,
            };
            collapsed.results |= u8::from(taken == 3) << at;
            collapsed.count += 1;
        }
        if towards_end {
            let count = collapsed.count as usize;
            collapsed.tiles[..count].reverse();
            collapsed.results = if count == 0 {
                0
            } else {
                collapsed.results.reverse_bits() >> (8 - count)
            };
        }
        collapsed
    }

    /// Whether the line is another afterwards.
    fn changes(&self, kinds: &[u8], towards_end: bool) -> bool {
        let begin = if towards_end {
            kinds.len() - self.count as usize
        } else {
            0
        };
        let after = |cell: usize| {
            let tile = cell
                .checked_sub(begin)
                .filter(|&at| at < self.count as usize);
            tile.map_or(BLANK, |at| self.tiles[at].kind)
        };
        self.results != 0 || (0..kinds.len()).any(|cell| after(cell) != kinds[cell])
    }
}

/// A board with the indices of its lines.
#[derive(Clone, Copy)]
pub struct Position {
    /// Kinds by cell; cell (row, col) is `SIDE_MAX × row + col`.
    pub kinds: [u8; SIDE_MAX * SIDE_MAX],
    /// The numbers by cell, where there is one.
    pub numbers: [i64; SIDE_MAX * SIDE_MAX],
    rows: [u32; SIDE_MAX],
    cols: [u32; SIDE_MAX],
    tiles: u32,
}

/// What a move led to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Step {
    /// The game is not over.
    On,
    /// A tile is the target.
    Won,
    /// A number is beyond the limit.
    Lost,
}

/// The legal directions of a position.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Legal {
    /// Bit d for direction number d of [`Direction::ALL`].
    pub mask: u8,
    /// Whether a column, and whether a row holds a triple.
    triples: [bool; 2],
}

/// Rules and size of a board.
#[derive(Clone)]
pub struct Field {
    /// The rules.
    pub game: SixtySeven,
    /// Rows of the board.
    pub rows: usize,
    /// Columns of the board.
    pub cols: usize,
    /// The lines that are columns and those that are rows.
    columns: &'static Lines,
    row_lines: &'static Lines,
    limit: i64,
}

impl Field {
    /// The field of a game on a board of up to 8 × 8 cells.
    ///
    /// # Panics
    /// Panics if the board is larger.
    #[must_use]
    pub fn new(game: &SixtySeven) -> Self {
        let rows = game.rows;
        let cols = game.cols;
        assert!(
            rows.max(cols) <= SIDE_MAX,
            "{rows} × {cols} cells are too many"
        );
        Self {
            rows,
            cols,
            columns: Lines::shared(game.collapse, rows),
            row_lines: Lines::shared(game.collapse, cols),
            limit: game.value_limit.unwrap_or(i64::MAX),
            game: game.clone(),
        }
    }

    /// Cells of the board.
    #[must_use]
    pub const fn cells(&self) -> usize {
        self.rows * self.cols
    }

    /// The blank position.
    #[must_use]
    pub const fn blank(&self) -> Position {
        const CELLS: usize = SIDE_MAX * SIDE_MAX;
        Position {
            kinds: [BLANK; CELLS],
            numbers: [0; CELLS],
            rows: [0; SIDE_MAX],
            cols: [0; SIDE_MAX],
            tiles: 0,
        }
    }

    /// The position of a board; numbers beyond ± [`NUMBER_MAX`] become that.
    #[must_use]
    pub fn position(&self, board: &Board) -> Position {
        let mut position = self.blank();
        for (cell, tile) in board.tiles().iter().enumerate() {
            let (kind, number) = match tile {
                Tile::Blank => continue,
                Tile::Operator(operator) => (*operator as u8 + 2, 0),
                Tile::Number(number) => (NUMBER, clamped(number)),
            };
            position.put(cell / self.cols, cell % self.cols, kind, number);
        }
        position
    }

    /// The position of a board as arrays; numbers beyond ± [`NUMBER_MAX`] become that.
    #[must_use]
    pub fn tiles(&self, (kinds, numbers): Tiles<'_>) -> Position {
        let mut position = self.blank();
        let rows = kinds.chunks(self.cols).zip(numbers.chunks(self.cols));
        for (row, (kinds, numbers)) in rows.enumerate() {
            for (col, (&kind, &number)) in kinds.iter().zip(numbers).enumerate() {
                if kind != BLANK {
                    let number = (number as i64).clamp(-NUMBER_MAX, NUMBER_MAX);
                    position.put(row, col, kind, number);
                }
            }
        }
        position
    }

    /// The position of a packed board. Of numbers beyond ± 2⁶⁰ only residues are known: they become
    /// some number within that, and then nearly always one of ± [`NUMBER_MAX`].
    #[must_use]
    pub fn packed(&self, board: &PackedBoard) -> Position {
        let mut position = self.blank();
        for (cell, &tile) in board.tiles().iter().enumerate() {
            let row = cell / self.cols;
            let col = cell % self.cols;
            if let Some(residue) = tile.residue() {
                let number = if residue > PRIME / 2 {
                    residue as i64 - PRIME as i64
                } else {
                    residue as i64
                };
                position.put(row, col, NUMBER, number.clamp(-NUMBER_MAX, NUMBER_MAX));
            } else if let Some(operator) = tile.operator() {
                position.put(row, col, operator as u8 + 2, 0);
            }
        }
        position
    }

    /// The number of blanks.
    #[must_use]
    pub const fn blanks(&self, position: &Position) -> usize {
        self.cells() - position.tiles as usize
    }

    /// Makes this round's tiles appear, one word a tile, each distributed as in the game.
    #[inline]
    pub fn deal(&self, position: &mut Position, stream: &mut Stream) {
        let game = &self.game;
        for _ in 0..game.words_per_round() {
            let mut draw = Draw::new(stream.next_u64());
            let blanks = self.blanks(position);
            if blanks == 0 {
                continue;
            }
            let cell = self.nth_blank(position, draw.below(blanks as u64) as usize);
            let j = draw.below((game.digits.len() * game.operators.len()) as u64) as usize;
            let row = cell / SIDE_MAX;
            let col = cell % SIDE_MAX;
            if draw.chance(game.operator_rate) {
                position.put(row, col, game.operators[j / game.digits.len()] as u8 + 2, 0);
            } else {
                position.put(
                    row,
                    col,
                    NUMBER,
                    i64::from(game.digits[j % game.digits.len()]),
                );
            }
        }
    }

    fn nth_blank(&self, position: &Position, mut rank: usize) -> usize {
        for row in 0..self.rows {
            for cell in SIDE_MAX * row..SIDE_MAX * row + self.cols {
                if position.kinds[cell] == BLANK {
                    if rank == 0 {
                        return cell;
                    }
                    rank -= 1;
                }
            }
        }
        unreachable!("the rank is below the number of blanks")
    }

    /// The legal directions.
    #[inline]
    #[must_use]
    pub fn legal(&self, position: &Position) -> Legal {
        let columns = position.cols[..self.cols]
            .iter()
            .fold(0, |sum, &line| sum | self.columns.flags[line as usize]);
        let rows = position.rows[..self.rows]
            .iter()
            .fold(0, |sum, &line| sum | self.row_lines.flags[line as usize]);
        Legal {
            mask: (columns & 3) | (rows & 3) << 2,
            triples: [columns & HOLDS_TRIPLE != 0, rows & HOLDS_TRIPLE != 0],
        }
    }

    /// The legal directions that win at once, as a mask.
    #[inline]
    #[must_use]
    pub fn winning(&self, position: &Position, legal: Legal) -> u8 {
        let mut winning = 0;
        if legal.triples[0] {
            for col in 0..self.cols {
                winning |=
                    self.line_wins(self.columns, position, position.cols[col], col, SIDE_MAX);
            }
        }
        if legal.triples[1] {
            for row in 0..self.rows {
                winning |= self.line_wins(
                    self.row_lines,
                    position,
                    position.rows[row],
                    SIDE_MAX * row,
                    1,
                ) << 2;
            }
        }
        winning
    }

    /// Bit 0 when collapsing the line towards its start makes the target, bit 1 towards its end.
    #[inline]
    fn line_wins(
        &self,
        lines: &Lines,
        position: &Position,
        line: u32,
        begin: usize,
        stride: usize,
    ) -> u8 {
        if lines.flags[line as usize] & HOLDS_TRIPLE == 0 {
            return 0;
        }
        let mut wins = 0;
        for (side, collapsed) in lines.collapsed[line as usize].iter().enumerate() {
            let mut results = collapsed.results;
            while results != 0 {
                let origin = collapsed.tiles[results.trailing_zeros() as usize];
                results &= results - 1;
                wins |=
                    u8::from(origin.number(position, begin, stride) == self.game.target) << side;
            }
        }
        wins
    }

    /// Moves all tiles in a direction.
    #[inline]
    pub fn advance(&self, position: &mut Position, direction: Direction) -> Step {
        let side = usize::from(direction.towards_end());
        let (lines, length) = if direction.along_rows() {
            (self.row_lines, self.cols)
        } else {
            (self.columns, self.rows)
        };
        let mut step = Step::On;
        let count = if direction.along_rows() {
            self.rows
        } else {
            self.cols
        };
        for number in 0..count {
            let line = if direction.along_rows() {
                position.rows[number]
            } else {
                position.cols[number]
            };
            if lines.flags[line as usize] >> side & 1 == 0 {
                continue;
            }
            let collapsed = &lines.collapsed[line as usize][side];
            let (begin, stride) = if direction.along_rows() {
                (SIDE_MAX * number, 1)
            } else {
                (number, SIDE_MAX)
            };
            let mut after = [(BLANK, 0_i64); SIDE_MAX];
            let tiles = collapsed.count as usize;
            let at = if side == 1 { length - tiles } else { 0 };
            for (place, origin) in collapsed.tiles[..tiles].iter().enumerate() {
                after[at + place] = if collapsed.results >> place & 1 == 1 {
                    let made = origin.number(position, begin, stride);
                    if made == self.game.target {
                        step = Step::Won;
                    } else if made.abs() > self.limit && step == Step::On {
                        step = Step::Lost;
                    }
                    (NUMBER, made)
                } else {
                    (
                        origin.kind,
                        position.numbers[begin + origin.first as usize * stride],
                    )
                };
            }
            for (place, &(kind, value)) in after[..length].iter().enumerate() {
                position.replace(begin + place * stride, kind, value);
            }
        }
        step
    }
}

impl Position {
    /// Puts a tile on a blank cell.
    #[inline]
    fn put(&mut self, row: usize, col: usize, kind: u8, number: i64) {
        let cell = SIDE_MAX * row + col;
        (self.kinds[cell], self.numbers[cell]) = (kind, number);
        self.rows[row] += u32::from(kind) * POWERS[col];
        self.cols[col] += u32::from(kind) * POWERS[row];
        self.tiles += 1;
    }

    /// Puts a tile, or none, in place of another, or none.
    #[inline]
    fn replace(&mut self, cell: usize, kind: u8, number: i64) {
        let row = cell / SIDE_MAX;
        let col = cell % SIDE_MAX;
        let before = self.kinds[cell];
        let change = u32::from(kind).wrapping_sub(u32::from(before));
        self.rows[row] = self.rows[row].wrapping_add(change.wrapping_mul(POWERS[col]));
        self.cols[col] = self.cols[col].wrapping_add(change.wrapping_mul(POWERS[row]));
        self.tiles = self.tiles + u32::from(kind != BLANK) - u32::from(before != BLANK);
        (self.kinds[cell], self.numbers[cell]) = (kind, number);
    }
}

impl Origin {
    /// The result of the triple on a line.
    #[inline]
    fn number(self, position: &Position, begin: usize, stride: usize) -> i64 {
        let at = |cell: u8| position.numbers[begin + cell as usize * stride];
        result(at(self.first), self.kind, at(self.second))
    }
}

/// The result of number, operator, number.
#[inline]
#[must_use]
pub fn result(first: i64, operator: u8, second: i64) -> i64 {
    let exact = match operator {
        2 => first + second,
        3 => first - second,
        _ => first * second,
    };
    exact.clamp(-NUMBER_MAX, NUMBER_MAX)
}

fn clamped(number: &BigInt) -> i64 {
    let beyond = if number.sign() == Sign::Minus {
        -NUMBER_MAX
    } else {
        NUMBER_MAX
    };
    i64::try_from(number).map_or(beyond, |number| number.clamp(-NUMBER_MAX, NUMBER_MAX))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::game::{Game, Player};
    use crate::params::{Params, Value};
    use crate::players::random::Random;
    use crate::rng::SeedableRng;

    fn game(rules: &str, rows: i64, cols: i64) -> SixtySeven {
        let mut params = Params::defaults(crate::games::sixty_seven::PARAMS);
        for (key, value) in [("rows", Value::Int(rows)), ("cols", Value::Int(cols))] {
            params.set(key, value);
        }
        params.set("rules", Value::Text(rules.to_owned()));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    /// Random games: after every round the legal directions, the winning ones and all four boards
    /// are those of the reference.
    #[test]
    fn positions_follow_the_reference() {
        for rules in [
            "original",
            "gapless",
            "merge-pairs",
            "merge-runs",
            "bounded",
        ] {
            for (rows, cols, games) in [(4, 4, 40), (6, 7, 12), (3, 8, 10), (1, 5, 20)] {
                let game = game(rules, rows, cols);
                let field = Field::new(&game);
                for seed in 0..games {
                    check_game(&game, &field, seed);
                }
            }
        }
    }

    fn check_game(game: &SixtySeven, field: &Field, seed: u64) {
        let mut world = Stream::seed_from_u64(seed);
        let mut stream = Stream::seed_from_u64(seed + 1000);
        let mut state = game.start(&mut world);
        while game.outcome(&state).is_none() && state.round < 60 {
            let mut dealt = field.position(&state.board);
            let mut same_words = world.clone();
            game.deal(&mut state, &mut world);
            field.deal(&mut dealt, &mut same_words);
            let position = field.position(&state.board);
            assert_eq!(
                texts(field, &dealt),
                texts(field, &position),
                "the same words deal the same tiles"
            );
            let mut moves = Vec::new();
            game.legal(&state, &mut moves);
            let legal = field.legal(&position);
            assert_eq!(
                Direction::ALL
                    .into_iter()
                    .filter(|&d| legal.mask >> d as u8 & 1 == 1)
                    .collect::<Vec<_>>(),
                moves
            );
            let winning = field.winning(&position, legal);
            for &direction in &moves {
                let mut moved = position;
                let mut after = state.clone();
                let step = field.advance(&mut moved, direction);
                game.play(&mut after, direction);
                let expected = field.position(&after.board);
                assert_eq!(
                    texts(field, &moved),
                    texts(field, &expected),
                    "{direction} {:?}",
                    state.board
                );
                assert_eq!(
                    (moved.rows, moved.cols, moved.tiles),
                    (expected.rows, expected.cols, expected.tiles)
                );
                let won = after.board.shows(&game.target.into());
                assert_eq!(step == Step::Won, won);
                assert_eq!(winning >> direction as u8 & 1 == 1, won);
                let lost = !won
                    && game
                        .value_limit
                        .is_some_and(|limit| after.board.exceeds(limit));
                assert_eq!(step == Step::Lost, lost);
            }
            if moves.is_empty() {
                break;
            }
            let chosen = Random.choose(game, &state, &moves, &mut stream);
            game.play(&mut state, chosen);
        }
    }

    fn texts(field: &Field, position: &Position) -> Vec<String> {
        let cells =
            (0..field.rows).flat_map(|row| (0..field.cols).map(move |col| SIDE_MAX * row + col));
        cells
            .map(|cell| match position.kinds[cell] {
                BLANK => "_".to_owned(),
                NUMBER => position.numbers[cell].to_string(),
                operator => operator.to_string(),
            })
            .collect()
    }
}
