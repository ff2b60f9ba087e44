//! The moves of token boards, remembered by line.

use super::{BELOW, BLANK, Board, Line, NUMBER_MAX, SIDE_MAX, Tokens, slot, tiles, transposed};
use crate::game::boards::Tiles;
use crate::game::stepping::kind;
use crate::games::sixty_seven::{Direction, SixtySeven};

/// Slots of the cache of lines of one length.
const SLOTS: usize = 1 << 15;

/// What became of the lines of one length, remembered.
pub struct Lines {
    slots: Vec<Line>,
    cells: usize,
}

impl Lines {
    /// An empty memory of lines of `cells` cells.
    #[must_use]
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
    #[must_use]
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

    /// The moves of a board given as arrays, exact for numbers that are not told apart as well;
    /// `None` if the board shows the target or a number beyond the limit, or if results that count
    /// as [`NUMBER_MAX`] could be either.
    pub fn moves_on(&mut self, (kinds, numbers): Tiles<'_>) -> Option<Moves> {
        let tokens = &self.tokens;
        let SixtySeven {
            rows: height,
            cols,
            target,
            ..
        } = tokens.game;
        let limit = tokens.game.value_limit.unwrap_or(0);
        if target.abs().max(limit) >= NUMBER_MAX {
            return None;
        }
        let mut rows: Board = [0; SIDE_MAX];
        // The columns and the rows with a number that its token does not tell.
        let mut rounded = [0_u8; 2];
        for (cell, (&kind, &number)) in kinds.iter().zip(numbers).enumerate() {
            let row = cell / cols;
            let col = cell % cols;
            let number = number as i64;
            let token = match kind {
                kind::BLANK => BLANK,
                kind::NUMBER => tokens.token(number),
                operator => operator - kind::NUMBER,
            };
            if token >= BELOW {
                if number == target || number.unsigned_abs() > tokens.limit.unsigned_abs() {
                    return None;
                }
                if !Tokens::is_exact(token) {
                    rounded[0] |= 1 << col;
                    rounded[1] |= 1 << row;
                }
            }
            rows[row] |= u64::from(token) << (8 * col);
        }
        let mut moves = self.moves(&rows);
        for (along_rows, rounded) in rounded.into_iter().enumerate() {
            let [lines, cells, first, next] = match along_rows {
                0 => [cols, height, 1, cols],
                _ => [height, cols, cols, 1],
            };
            for at in (0..lines).filter(|at| rounded >> at & 1 == 1) {
                let line = &mut moves.lines[along_rows][at];
                let mut shown = line.key.to_le_bytes().map(|token| (token, 0));
                for (place, tile) in shown[..cells].iter_mut().enumerate() {
                    tile.1 = numbers[at * first + place * next] as i64;
                }
                *line = self.tokens.line_of(line.key, &shown[..cells]);
            }
        }
        Some(moves)
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
    #[must_use]
    pub fn flags(&self) -> [u8; 2] {
        self.lines
            .map(|lines| lines.iter().fold(0, |flags, line| flags | line.flags))
    }

    /// The board after a move.
    #[inline]
    #[must_use]
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
    use super::super::{WINS, goes_on, made, wins};
    use super::*;
    use crate::game::Game;
    use crate::game::boards::{Boards, state_on};
    use crate::params::{Params, Value};
    use crate::rng::{Draw, Rng, SeedableRng, Stream};

    fn game(rules: &str, rows: i64, cols: i64, target: i64) -> SixtySeven {
        let mut params = Params::defaults(crate::games::sixty_seven::PARAMS);
        for (key, value) in [("rows", rows), ("cols", cols), ("target", target)] {
            params.set(key, Value::Int(value));
        }
        params.set("rules", Value::Text(rules.to_owned()));
        crate::games::sixty_seven::complete(&mut params).unwrap();
        SixtySeven::from_params(&params)
    }

    /// Random games: the same words deal the same tiles, and legal directions, those that win or
    /// lose, and all four boards are those of the reference, as long as every number is told apart.
    #[test]
    fn token_boards_follow_the_reference() {
        for rules in [
            "original",
            "gapless",
            "merge-pairs",
            "merge-runs",
            "bounded",
        ] {
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

    /// Boards of which half the numbers are beyond those told apart: the moves are the reference's.
    #[test]
    fn moves_on_arrays_are_exact() {
        let mut stream = Stream::seed_from_u64(5);
        let mut large = 0;
        for rules in ["original", "merge-runs", "bounded"] {
            for (rows, cols) in [(4, 4), (6, 7), (3, 8)] {
                let game = game(rules, rows, cols, 67);
                let mut mover = Mover::new(&game);
                for _ in 0..200 {
                    let mut kinds = Vec::new();
                    let mut numbers = Vec::new();
                    for _ in 0..rows * cols {
                        let mut draw = Draw::new(stream.next_u64());
                        let kind = [kind::BLANK, kind::NUMBER, kind::NUMBER, 2, 3, 4]
                            [draw.below(6) as usize];
                        // Neighbours of one large number, whose difference may be the target.
                        let beyond = (1 << (10 * draw.below(6))) + draw.below(80) as i64;
                        let near = draw.below(60) as i64;
                        let number = if draw.below(2) == 0 { beyond } else { near };
                        kinds.push(kind);
                        numbers.push(if kind == kind::NUMBER {
                            number as f64
                        } else {
                            0.0
                        });
                    }
                    let boards = Boards {
                        shape: (game.rows, game.cols),
                        kinds: &kinds,
                        numbers: &numbers,
                    };
                    let state = state_on(&game, boards.shape, boards.get(0)).ok();
                    let state = state.filter(|state| game.outcome(state).is_none());
                    let Some(moves) = mover.moves_on(boards.get(0)) else {
                        let limit = game.value_limit.unwrap_or(i64::MAX) as f64;
                        let is_beyond = numbers.iter().any(|&number| number > limit);
                        assert!(state.is_none() || is_beyond, "{kinds:?} {numbers:?}");
                        continue;
                    };
                    let flags = moves.flags();
                    let Some(state) = state else {
                        let none = Direction::ALL.map(|direction| goes_on(flags, direction));
                        assert_eq!(none, [false; 4], "{rules} {kinds:?} {numbers:?}");
                        continue;
                    };
                    large += u32::from(numbers.iter().any(|number| *number > 1000.0));
                    let mut legal = Vec::new();
                    game.legal(&state, &mut legal);
                    for direction in legal {
                        let mut after = state.clone();
                        game.play(&mut after, direction);
                        let wins = after.board.shows(67);
                        assert_eq!(
                            made(flags, direction) & WINS != 0,
                            wins,
                            "{kinds:?} {numbers:?}"
                        );
                        if !wins {
                            let loses = game
                                .value_limit
                                .is_some_and(|limit| after.board.exceeds(limit));
                            assert_eq!(goes_on(flags, direction), !loses);
                            let rows = mover.tokens.rows(&after.board);
                            assert_eq!(moves.after(direction), rows, "{kinds:?} {numbers:?}");
                        }
                    }
                }
            }
        }
        assert!(
            large > 500,
            "{large} boards with large numbers were compared"
        );
    }
}
