//! The moves of token boards, remembered by line.

use super::{Board, Line, SIDE_MAX, TRIPLE, Tokens, slot, tiles, transposed};
use crate::games::sixty_seven::line::Tile;
use crate::games::sixty_seven::{Direction, SixtySeven, reference};

/// Slots of the cache of lines of one length.
const SLOTS: usize = 1 << 15;

/// [`TRIPLE`] towards the start and towards the end.
const EITHER_TRIPLE: u8 = TRIPLE | TRIPLE << 1;

/// What became of the lines of one length, remembered.
pub struct Lines {
    slots: Vec<Line>,
    cells: usize,
}

impl Lines {
    /// An empty memory of lines of `cells` cells.
    pub fn new(cells: usize) -> Self {
        // No line is all bytes 255: that is not a token.
        Self {
            slots: vec![
                Line {
                    key: u64::MAX,
                    moved: [0; 2],
                    flags: 0
                };
                SLOTS
            ],
            cells,
        }
    }

    /// What becomes of a line.
    #[inline]
    pub fn get(&mut self, tokens: &Tokens, key: u64) -> Line {
        let slot = &mut self.slots[slot(key, SLOTS)];
        if slot.key != key {
            *slot = tokens.line(key, self.cells);
        }
        *slot
    }
}

/// What becomes of each line of a board before a move.
#[derive(Clone, Copy)]
pub struct Moves {
    lines: [[Line; SIDE_MAX]; 2],
}

/// Finds the moves of boards.
pub struct Mover {
    /// Rules and size.
    pub tokens: Tokens,
    columns: Lines,
    rows: Lines,
}

impl Mover {
    /// For a game on a board of up to 8 × 8 cells.
    pub fn new(game: &SixtySeven) -> Self {
        Self {
            tokens: Tokens::new(game),
            columns: Lines::new(game.rows),
            rows: Lines::new(game.cols),
        }
    }

    /// What becomes of a row or a column.
    #[inline]
    pub fn line(&mut self, line: u64, is_row: bool) -> Line {
        let lines = if is_row {
            &mut self.rows
        } else {
            &mut self.columns
        };
        lines.get(&self.tokens, line)
    }

    /// The moves of a board.
    pub fn moves(&mut self, rows: &Board) -> Moves {
        let none = Line {
            key: 0,
            moved: [0; 2],
            flags: 0,
        };
        let mut moves = Moves {
            lines: [[none; SIDE_MAX]; 2],
        };
        let columns = transposed(rows);
        let [of_columns, of_rows] = &mut moves.lines;
        for (line, &column) in of_columns.iter_mut().zip(&columns[..self.tokens.game.cols]) {
            *line = self.columns.get(&self.tokens, column);
        }
        for (line, &row) in of_rows.iter_mut().zip(&rows[..self.tokens.game.rows]) {
            *line = self.rows.get(&self.tokens, row);
        }
        moves
    }

    /// The moves of a board by the rules, whatever its numbers. Numbers that have no token of their
    /// own count as far away in the boards after the moves only.
    pub fn moves_of(&mut self, board: &reference::Board) -> Moves {
        let (rows, unknown) = self.tokens.rows_and_unknown(board);
        let mut moves = self.moves(&rows);
        let SixtySeven { rows, cols, .. } = self.tokens.game;
        for (along_rows, unknown) in unknown.into_iter().enumerate() {
            let (cells, next, step) = match along_rows {
                0 => (rows, 1, cols),
                _ => (cols, cols, 1),
            };
            let lines = moves.lines[along_rows].iter_mut().enumerate();
            for (at, line) in lines.filter(|(at, _)| unknown >> at & 1 == 1) {
                // Tiles that only slide keep their tokens.
                if line.flags & EITHER_TRIPLE == 0 && self.tokens.game.value_limit.is_none() {
                    continue;
                }
                let tiles = board.tiles()[at * next..].iter().step_by(step).take(cells);
                let tiles: Vec<Tile> = tiles.cloned().collect();
                *line = self.tokens.line_by_rules(line.key, &tiles);
            }
        }
        moves
    }

    /// The moves of a board that differs from `before`, with the moves `known`, in a few tiles.
    #[inline]
    pub fn moves_after(&mut self, before: &Board, known: &Moves, rows: &Board) -> Moves {
        let mut moves = *known;
        let mut changed = 0;
        for row in 0..self.tokens.game.rows {
            let difference = before[row] ^ rows[row];
            if difference != 0 {
                changed |= difference;
                moves.lines[1][row] = self.rows.get(&self.tokens, rows[row]);
            }
        }
        let columns = transposed(rows);
        let mut changed = tiles(changed);
        while changed != 0 {
            let col = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            moves.lines[0][col] = self.columns.get(&self.tokens, columns[col]);
        }
        moves
    }
}

impl Moves {
    /// The flags of all columns, then of all rows.
    #[inline]
    pub fn flags(&self) -> [u8; 2] {
        self.lines
            .map(|lines| lines.iter().fold(0, |flags, line| flags | line.flags))
    }

    /// The board after a move.
    #[inline]
    pub fn after(&self, direction: Direction) -> Board {
        let lines = &self.lines[usize::from(direction.along_rows())];
        let moved = lines.map(|line| line.moved[usize::from(direction.towards_end())]);
        if direction.along_rows() {
            moved
        } else {
            transposed(&moved)
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::super::{rules_of_large_numbers, states_of_large_numbers};
    use super::super::{BELOW, WINS, goes_on, made, wins};
    use super::*;
    use crate::game::Game;
    use crate::games::sixty_seven::Operator;
    use crate::params::Params;
    use crate::players::sixty_seven::RULES;
    use crate::rng::{Draw, SeedableRng, Stream};
    use num_bigint::BigInt;

    fn game(rules: &str, rows: i64, cols: i64, target: i64) -> SixtySeven {
        let settings = format!("rules={rules} rows={rows} cols={cols} target={target}");
        let mut params = Params::parse(crate::games::sixty_seven::PARAMS, &settings).unwrap();
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    /// Random games: the same words deal the same tiles, and legal directions, those that win or
    /// lose, and all four boards are those of the reference, as long as every number is told apart.
    #[test]
    fn token_boards_follow_the_reference() {
        for rules in RULES {
            for (rows, cols, games) in [
                (4, 4, 40),
                (6, 7, 12),
                (3, 8, 10),
                (8, 8, 4),
                (1, 5, 20),
                (2, 2, 20),
            ] {
                let game = game(rules, rows, cols, 67);
                let mut mover = Mover::new(&game);
                let compared: u32 = (0..games).map(|seed| follow(&game, &mut mover, seed)).sum();
                assert!(
                    compared > 10,
                    "{rules} {rows}x{cols}: {compared} moves were compared"
                );
            }
        }
    }

    fn follow(game: &SixtySeven, mover: &mut Mover, seed: u64) -> u32 {
        let is_exact = |rows: &Board| {
            let mut tokens = rows.iter().flat_map(|row| row.to_le_bytes());
            tokens.all(|token| token < BELOW || Tokens::is_exact(token))
        };
        let mut world = Stream::seed_from_u64(seed);
        let mut state = game.start(&mut world);
        let mut compared = 0;
        while game.outcome(&state).is_none() && state.round < 60 {
            let before = mover.tokens.rows(&state.board);
            if !is_exact(&before) {
                break;
            }
            let known = mover.moves(&before);
            let mut rows = before;
            let mut same_words = world.clone();
            game.deal(&mut state, &mut world);
            mover.tokens.deal(&mut rows, &mut same_words);
            assert_eq!(
                rows,
                mover.tokens.rows(&state.board),
                "the same words deal the same tiles"
            );
            let mut legal = Vec::new();
            game.legal(&state, &mut legal);
            let moves = mover.moves_after(&before, &known, &rows);
            let flags = moves.flags();
            let mut is_won = false;
            let mut next = None;
            for direction in Direction::ALL {
                let is_legal = legal.contains(&direction);
                let mut after = state.clone();
                if is_legal {
                    game.play(&mut after, direction);
                    assert_eq!(
                        moves.after(direction),
                        mover.tokens.rows(&after.board),
                        "{direction}"
                    );
                    compared += 1;
                }
                let wins = after.board.shows(game.target);
                let loses = game
                    .value_limit
                    .is_some_and(|limit| after.board.exceeds(limit));
                is_won |= wins;
                if !wins {
                    assert_eq!(goes_on(flags, direction), is_legal && !loses);
                }
                if is_legal && !wins && !loses && (next.is_none() || seed % 4 == direction as u64) {
                    next = Some(after);
                }
            }
            assert_eq!(wins(flags), is_won);
            let Some(after) = next else { break };
            state = after;
        }
        compared
    }

    /// Games of all rules, with numbers beyond those told apart and beyond 64 bits: legal
    /// directions, those that win or lose, and the boards after them are those of the reference.
    #[test]
    fn moves_follow_the_reference_whatever_the_numbers() {
        for rules in RULES {
            for size in [
                ["rows=4", "cols=5"],
                ["rows=6", "cols=7"],
                ["rows=8", "cols=8"],
            ] {
                let rules = format!("rules={rules}");
                let params = rules_of_large_numbers(&[&*rules, size[0], size[1]]);
                let game = SixtySeven::from_params(&params);
                let mut mover = Mover::new(&game);
                let mut large = 0;
                for state in states_of_large_numbers(&game, 200) {
                    compare(&game, &mut mover, &state.board);
                    large += u32::from(state.board.exceeds(i64::MAX));
                }
                let is_large = game.value_limit.is_none() && game.rows > 4;
                assert!(!is_large || large > 20, "{rules} {size:?}: {large} large");
            }
        }
    }

    /// The same on boards that no game reaches: half the numbers are neighbours of a large one, and
    /// their difference may be the target; some are beyond a limit already.
    #[test]
    fn moves_follow_the_reference_on_any_board() {
        let mut draws = Stream::seed_from_u64(5);
        for rules in RULES {
            for (rows, cols) in [(4, 4), (6, 7), (3, 8)] {
                let mut game = game(rules, rows, cols, 67);
                for limit in [game.value_limit, Some(40)] {
                    game.value_limit = limit;
                    let mut mover = Mover::new(&game);
                    for _ in 0..200 {
                        let mut board = reference::Board::blank(game.rows, game.cols);
                        for cell in 0..game.cells() {
                            let mut draw = Draw::next(&mut draws);
                            let exponent = 10 * draw.below(8);
                            let beyond = BigInt::from(2).pow(exponent as u32) + draw.below(80);
                            let tile = match draw.below(7) {
                                0 => continue,
                                1..=3 => Tile::Operator(Operator::ALL[draw.below(3) as usize]),
                                4 => Tile::number(draw.below(60) as i64),
                                5 => Tile::number(beyond),
                                _ => Tile::number(-beyond),
                            };
                            if tile != Tile::number(game.target) {
                                board.put(cell, tile);
                            }
                        }
                        compare(&game, &mut mover, &board);
                    }
                }
            }
        }
    }

    /// Compares the moves of a board with those of the reference.
    fn compare(game: &SixtySeven, mover: &mut Mover, board: &reference::Board) {
        let moves = mover.moves_of(board);
        let flags = moves.flags();
        for direction in Direction::ALL {
            let after = board.moved(game.collapse, direction);
            let text = || format!("{direction} on {}", board.to_json());
            let wins = after.shows(game.target);
            let loses = game.value_limit.is_some_and(|limit| after.exceeds(limit));
            assert_eq!(made(flags, direction) & WINS != 0, wins, "{}", text());
            assert_eq!(
                goes_on(flags, direction),
                after != *board && !loses,
                "{}",
                text()
            );
            assert_eq!(
                moves.after(direction),
                mover.tokens.rows(&after),
                "{}",
                text()
            );
        }
    }
}
