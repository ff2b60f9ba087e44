//! What is known of the lines of boards: what becomes of each in a move, and its sum of the
//! network, both remembered by the line's word.

use super::network::{Network, Part, WIDTH};
use super::tokens::{SIDE_MAX, TRIPLE, TokenBoard, TokenLine, Tokens, tiles, transposed};
use crate::games::kernels::{self, Work};
use crate::games::sixty_seven::line::Tile;
use crate::games::sixty_seven::{Direction, SixtySeven, reference};
use crate::rng::GOLDEN;

/// Slots for the rows that a player remembers, and as many for the columns: half a megabyte, so
/// that they stay in the second cache beside the weights of a network. With 2¹⁵, greedy moves take
/// 1.5 times as long.
pub const SLOTS: usize = 1 << 12;

/// [`TRIPLE`] towards the start and towards the end.
const EITHER_TRIPLE: u8 = TRIPLE | TRIPLE << 1;

/// What becomes of each line of a board before a move.
#[derive(Clone, Copy, Default)]
pub struct Moves {
    lines: [[TokenLine; SIDE_MAX]; 2],
}

/// What is known of a line, on one line of the cache.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct CachedLine {
    line: u64,
    /// The line after a move towards its start, and towards its end ([`Line`]).
    moved: [u64; 2],
    flags: u8,
    /// When the sum was found, by [`Lines::renew`]; 0 if it was not.
    age: u16,
    sum: Part,
}

/// No line is all bytes 255: that is not a token.
const UNKNOWN: CachedLine = CachedLine {
    line: u64::MAX,
    moved: [0; 2],
    flags: 0,
    age: 0,
    sum: Part {
        weight: 0.0,
        vector: [0.0; WIDTH],
    },
};

impl CachedLine {
    fn new(tokens: &Tokens, line: u64, cells: usize) -> Self {
        let TokenLine { moved, flags } = tokens.line(line, cells);
        Self {
            line,
            moved,
            flags,
            ..UNKNOWN
        }
    }

    #[inline(always)]
    fn has_sum(&self, line: u64, age: u16) -> bool {
        (self.line == line) & (self.age == age)
    }
}

/// The lines that were met lately. All boards are of one size and met with the same rules, and
/// with one network.
pub struct Lines {
    /// The known columns and the known rows.
    slots: [Vec<CachedLine>; 2],
    age: u16,
}

impl Lines {
    /// An empty memory of `slots` columns and as many rows, a power of two.
    pub fn new(slots: usize) -> Self {
        Self {
            slots: [vec![UNKNOWN; slots], vec![UNKNOWN; slots]],
            age: 1,
        }
    }

    /// From now on, sums that were found before are found anew: weights may have changed.
    pub fn renew(&mut self) {
        self.age = self.age.wrapping_add(1);
        if self.age == 0 {
            self.slots.iter_mut().for_each(|slots| slots.fill(UNKNOWN));
            self.age = 1;
        }
    }

    /// What becomes of a row or of a column.
    #[inline]
    fn line(&mut self, tokens: &Tokens, line: u64, is_row: bool) -> TokenLine {
        let slots = &mut self.slots[usize::from(is_row)];
        let place = slot(line, slots.len());
        let known = &mut slots[place];
        if known.line != line {
            let cells = [tokens.game.rows, tokens.game.cols][usize::from(is_row)];
            *known = CachedLine::new(tokens, line, cells);
        }
        TokenLine {
            moved: known.moved,
            flags: known.flags,
        }
    }

    /// The moves of a board.
    pub fn moves(&mut self, tokens: &Tokens, rows: &TokenBoard) -> Moves {
        let mut moves = Moves::default();
        let columns = transposed(rows);
        let [of_columns, of_rows] = &mut moves.lines;
        for (line, &column) in of_columns.iter_mut().zip(&columns[..tokens.game.cols]) {
            *line = self.line(tokens, column, false);
        }
        for (line, &row) in of_rows.iter_mut().zip(&rows[..tokens.game.rows]) {
            *line = self.line(tokens, row, true);
        }
        moves
    }

    /// The moves of a board by the rules, whatever its numbers. Numbers that have no token of their
    /// own count as far away in the boards after the moves only.
    pub fn moves_of(&mut self, tokens: &Tokens, board: &reference::TileBoard) -> Moves {
        let (rows, unknown) = tokens.rows_and_unknown(board);
        let mut moves = self.moves(tokens, &rows);
        let SixtySeven { rows, cols, .. } = tokens.game;
        for (along_rows, unknown) in unknown.into_iter().enumerate() {
            let (cells, next, step) = match along_rows {
                0 => (rows, 1, cols),
                _ => (cols, cols, 1),
            };
            let lines = moves.lines[along_rows].iter_mut().enumerate();
            for (at, line) in lines.filter(|(at, _)| unknown >> at & 1 == 1) {
                // Tiles that only slide keep their tokens.
                if line.flags & EITHER_TRIPLE == 0 && tokens.game.value_limit.is_none() {
                    continue;
                }
                let tiles = board.tiles()[at * next..].iter().step_by(step).take(cells);
                let tiles: Vec<Tile> = tiles.cloned().collect();
                *line = tokens.line_by_rules(&tiles);
            }
        }
        moves
    }

    /// The moves of a board that differs from `before`, with the moves `known`, in a few tiles.
    #[inline]
    pub fn moves_after(
        &mut self,
        tokens: &Tokens,
        before: &TokenBoard,
        known: &Moves,
        rows: &TokenBoard,
    ) -> Moves {
        let mut moves = *known;
        let mut changed = 0;
        for row in 0..tokens.game.rows {
            let difference = before[row] ^ rows[row];
            if difference != 0 {
                changed |= difference;
                moves.lines[1][row] = self.line(tokens, rows[row], true);
            }
        }
        let columns = transposed(rows);
        let mut changed = tiles(changed);
        while changed != 0 {
            let col = changed.trailing_zeros() as usize;
            changed &= changed - 1;
            moves.lines[0][col] = self.line(tokens, columns[col], false);
        }
        moves
    }

    /// The logarithm of the odds of winning from a board after a move.
    #[inline]
    pub fn odds(&mut self, network: &Network, rows: &TokenBoard) -> f32 {
        kernels::run(Odds {
            lines: self,
            network,
            rows,
        })
    }

    /// The sum of a board's lines, and the flags of its columns and of its rows.
    #[inline(always)]
    fn sum(&mut self, network: &Network, rows: &TokenBoard) -> (Part, [u8; 2]) {
        let game = &network.tokens.game;
        let columns = transposed(rows);
        let lines = [&columns[..game.cols], &rows[..game.rows]];
        // All slots are read before a branch depends on one: memory is waited for once, not for
        // each of them.
        let mut places = [[0; SIDE_MAX]; 2];
        let mut are_known = true;
        for ((places, lines), slots) in places.iter_mut().zip(lines).zip(&self.slots) {
            for (place, &line) in places.iter_mut().zip(lines) {
                *place = slot(line, slots.len());
                are_known &= slots[*place].has_sum(line, self.age);
            }
        }
        let mut sum = Part::default();
        let mut flags = [0; 2];
        for (is_row, cells) in [(1, game.cols), (0, game.rows)] {
            for (&line, &place) in lines[is_row].iter().zip(&places[is_row]) {
                let known = &mut self.slots[is_row][place];
                if !are_known && !known.has_sum(line, self.age) {
                    if known.line != line {
                        *known = CachedLine::new(&network.tokens, line, cells);
                    }
                    known.sum = network.line(line, known.moved, cells);
                    known.age = self.age;
                }
                sum += &known.sum;
                flags[is_row] |= known.flags;
            }
        }
        (sum, flags)
    }

    /// Calls `see` with every feature of a board after a move, as often as the board has it.
    pub fn features(&mut self, network: &Network, rows: &TokenBoard, mut see: impl FnMut(usize)) {
        let SixtySeven {
            rows: height,
            cols: width,
            ..
        } = network.tokens.game;
        let columns = transposed(rows);
        for (lines, cells) in [(&rows[..height], width), (&columns[..width], height)] {
            for &line in lines {
                let moved = network.tokens.line(line, cells).moved;
                network.features(line, moved, cells, &mut see);
            }
        }
        see(Network::counts(rows));
        // The flags could be had from the loops above. But sums that are remembered are not found
        // anew within a game of learning, so which lines are asked for shows in what is learned.
        see(Network::moves(self.sum(network, rows).1));
    }

    /// Finds the lines of a board anew.
    pub fn forget(&mut self, network: &Network, rows: &TokenBoard) {
        let columns = transposed(rows);
        for (lines, count, is_row) in [
            (rows, network.tokens.game.rows, true),
            (&columns, network.tokens.game.cols, false),
        ] {
            let slots = &mut self.slots[usize::from(is_row)];
            for &line in &lines[..count] {
                let place = slot(line, slots.len());
                if slots[place].line == line {
                    slots[place].age = 0;
                }
            }
        }
    }
}

/// [`Lines::odds`]: most of a greedy player's time.
struct Odds<'a> {
    lines: &'a mut Lines,
    network: &'a Network,
    rows: &'a TokenBoard,
}

impl Work for Odds<'_> {
    type Output = f32;

    #[inline(always)]
    fn run(self) -> f32 {
        let (sum, flags) = self.lines.sum(self.network, self.rows);
        self.network.odds_of(sum, self.rows, flags)
    }
}

/// The slot of a line.
#[inline(always)]
const fn slot(line: u64, slots: usize) -> usize {
    let hash = line.wrapping_mul(GOLDEN);
    ((hash ^ (hash >> 29)) >> 20) as usize & (slots - 1)
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
    pub fn after(&self, direction: Direction) -> TokenBoard {
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
    use super::super::tokens::{BELOW, WINS, goes_on, made, wins};
    use super::super::{rules_of_large_numbers, states_of_large_numbers};
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
                let tokens = Tokens::new(&game);
                let mut memory = Lines::new(SLOTS);
                let compared: u32 = (0..games)
                    .map(|seed| follow(&tokens, &mut memory, seed))
                    .sum();
                assert!(
                    compared > 10,
                    "{rules} {rows}x{cols}: {compared} moves were compared"
                );
            }
        }
    }

    fn follow(tokens: &Tokens, memory: &mut Lines, seed: u64) -> u32 {
        let game = &tokens.game;
        let is_exact = |rows: &TokenBoard| {
            let mut tokens = rows.iter().flat_map(|row| row.to_le_bytes());
            tokens.all(|token| token < BELOW || Tokens::is_exact(token))
        };
        let mut world = Stream::seed_from_u64(seed);
        let mut state = game.start(&mut world);
        let mut compared = 0;
        while game.outcome(&state).is_none() && state.round < 60 {
            let before = tokens.rows(&state.board);
            if !is_exact(&before) {
                break;
            }
            let known = memory.moves(tokens, &before);
            let mut rows = before;
            let mut same_words = world.clone();
            game.deal(&mut state, &mut world);
            tokens.deal(&mut rows, &mut same_words);
            assert_eq!(
                rows,
                tokens.rows(&state.board),
                "the same words deal the same tiles"
            );
            let mut legal = Vec::new();
            game.legal(&state, &mut legal);
            let moves = memory.moves_after(tokens, &before, &known, &rows);
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
                        tokens.rows(&after.board),
                        "{direction}"
                    );
                    compared += 1;
                }
                let wins = game.is_won(&after.board);
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
                let tokens = Tokens::new(&game);
                let mut memory = Lines::new(SLOTS);
                let mut large = 0;
                for state in states_of_large_numbers(&game, 200) {
                    compare(&tokens, &mut memory, &state.board);
                    large += u32::from(state.board.exceeds(i64::MAX));
                }
                let is_large = game.value_limit.is_none() && game.rows > 4;
                assert!(!is_large || large > 20, "{rules} {size:?}: {large} large");
            }
        }
    }

    /// Moves follow the reference on boards that no game reaches, too: half the numbers are
    /// neighbours of a large one, and their difference may be the target; some are beyond a limit
    /// already.
    #[test]
    fn moves_follow_the_reference_on_any_board() {
        let mut draws = Stream::seed_from_u64(5);
        for rules in RULES {
            for (rows, cols) in [(4, 4), (6, 7), (3, 8)] {
                let mut game = game(rules, rows, cols, 67);
                for limit in [game.value_limit, Some(40)] {
                    game.value_limit = limit;
                    let tokens = Tokens::new(&game);
                    let mut memory = Lines::new(SLOTS);
                    for _ in 0..200 {
                        let mut board = reference::TileBoard::blank(game.rows, game.cols);
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
                        compare(&tokens, &mut memory, &board);
                    }
                }
            }
        }
    }

    /// Compares the moves of a board with those of the reference.
    fn compare(tokens: &Tokens, memory: &mut Lines, board: &reference::TileBoard) {
        let game = &tokens.game;
        let moves = memory.moves_of(tokens, board);
        let flags = moves.flags();
        for direction in Direction::ALL {
            let after = board.moved(game.collapse, direction);
            let text = || format!("{direction} on {}", board);
            let wins = game.is_won(&after);
            let loses = game.value_limit.is_some_and(|limit| after.exceeds(limit));
            assert_eq!(made(flags, direction) & WINS != 0, wins, "{}", text());
            assert_eq!(
                goes_on(flags, direction),
                after != *board && !loses,
                "{}",
                text()
            );
            assert_eq!(moves.after(direction), tokens.rows(&after), "{}", text());
        }
    }
}
