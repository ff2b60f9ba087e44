//! Expectimax for 2048: the best of the own swipes, the mean over the spawns.
//!
//! # What it computes
//! The value of a board after a swipe is, `depth` rounds deep, the mean over all spawns (each blank
//! equally likely, 4 with the game's `four_rate`) of the largest value that a legal swipe leads to,
//! one round less deep; a board without a legal swipe has the value 0. At depth 0 it is the
//! evaluation of the board. The swipe of the largest value is chosen, the first of up, down, left,
//! right among equal ones. Three things keep this quick:
//!
//! * **Depth.** Without `depth` it is the number of distinct tiles less 2, at least 3: crowded
//!   boards are looked into deeper. With `nodes`, depths 1, 2, … are searched in turn up to that,
//!   until that many swipes have been evaluated; the search under way then is dropped, and the
//!   deepest complete one decides.
//! * **Probability cut.** A line of play that is less likely than `cut` is evaluated where it
//!   stands.
//! * **Transposition table.** The value of a board after a swipe is remembered for the rest of the
//!   same move and used again where at most the same depth is asked for, whatever the probability
//!   on the way. 4 MiB; each move starts from an empty table, so a choice depends on nothing but
//!   the position.
//!
//! # The evaluation
//! The sum over all rows and columns of a line's value, looked up by row on packed boards. With r
//! the exponents of the tiles (0 for a blank; numbers that are no powers of two lie linearly
//! between), a line has the value
//!
//! ```text
//!   50000 · cells + 270 · blanks + 700 · merges − 11 · Σ r^3.5 − 47 · min(falls, rises)
//! ```
//!
//! where falls is the sum of a⁴ − b⁴ over neighbours a > b, rises that over a < b, and merges
//! counts runs of m > 1 equal tiles (blanks between them do not matter) as m each. Features and
//! weights are those of Robert Xiao's public 2048 solver (nneonneo/2048-ai), who found the weights
//! by CMA-ES, and so is the rule for the depth.
//!
//! Numbers are 32-bit floats, added in a fixed order; no function is used but + − × ÷ √, which give
//! the same result on every machine. It draws nothing.

use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::board::Board;
use crate::games::twenty_forty_eight::packed::{POINTS_BOUND, Packed, RowTables};
use crate::games::twenty_forty_eight::reference::State;
use crate::params::{Default, Kind, ParamError, ParamSpec, Params};
use crate::rng::Stream;
use std::sync::LazyLock;

/// Its parameters.
pub const PARAMS: &[ParamSpec] = &[
    ParamSpec {
        name: "depth",
        kind: Kind::Int { min: 1, max: DEPTH_MAX as i64 },
        default: Default::Unset,
        main: false,
        help: "rounds of spawn and swipe looked at behind each swipe; unset: distinct tiles less 2, at least 3",
    },
    ParamSpec {
        name: "nodes",
        kind: Kind::Int { min: 1, max: i64::MAX },
        default: Default::Unset,
        main: false,
        help: "swipes to evaluate for each move, deepening round by round up to depth; unset: no limit",
    },
    ParamSpec {
        name: "cut",
        kind: Kind::Float { min: 0.0, max: 1.0 },
        default: Default::Float(0.001),
        main: false,
        help: "lines of play less likely than this are not looked into further",
    },
];

/// The largest depth.
pub const DEPTH_MAX: u32 = 15;

/// Chooses by expectimax.
pub struct Expectimax {
    depth: Option<u32>,
    nodes: u64,
    cut: f32,
    packed: Option<Search<PackedBoards>>,
    plain: Search<PlainBoards>,
    evaluated: u64,
}

impl Expectimax {
    /// The player with these parameters, which [`PARAMS`] has accepted.
    ///
    /// # Panics
    /// When the parameters were not accepted.
    #[must_use]
    pub fn from_params(params: &Params) -> Self {
        Self {
            depth: params.int("depth").map(|depth| depth as u32),
            nodes: params.int("nodes").map_or(u64::MAX, |nodes| nodes as u64),
            cut: params.float("cut").expect("a parameter with a default") as f32,
            packed: None,
            plain: Search::new(PlainBoards),
            evaluated: 0,
        }
    }

    /// Swipes evaluated since the player was made, legal or not, as public engines count them.
    #[must_use]
    pub const fn evaluated(&self) -> u64 {
        self.evaluated
    }

    /// The best of the legal swipes on a board, with the value of each.
    pub fn values(&mut self, game: &TwentyFortyEight, board: &Board, legal: &[Direction]) -> Vec<f32> {
        let depth = self.depth.unwrap_or_else(|| distinct_tiles(board).saturating_sub(2).clamp(3, DEPTH_MAX));
        let four_rate = game.four_rate.threshold() as f32 / (1_u64 << 63) as f32;
        let limits = Limits { depth, nodes: self.nodes, cut: self.cut, four_rate };
        // One more swipe than spawns may be looked at.
        let fits = board.points() + 4 * (u64::from(depth) + 1) < POINTS_BOUND;
        match Packed::from_board(board).filter(|_| fits) {
            Some(packed) => {
                let search = self.packed.get_or_insert_with(|| Search::new(PackedBoards::new()));
                let values = search.values(&packed, legal, limits);
                self.evaluated += search.evaluated;
                values
            }
            None => {
                let values = self.plain.values(board, legal, limits);
                self.evaluated += self.plain.evaluated;
                values
            }
        }
    }
}

fn distinct_tiles(board: &Board) -> u32 {
    let mut tiles: Vec<u64> = board.tiles().iter().copied().filter(|&tile| tile != 0).collect();
    tiles.sort_unstable();
    tiles.dedup();
    tiles.len() as u32
}

impl Player<TwentyFortyEight> for Expectimax {
    fn choose(&mut self, game: &TwentyFortyEight, state: &State, legal: &[Direction], _: &mut Stream) -> Direction {
        if let [only] = legal {
            return *only;
        }
        let values = self.values(game, &state.board, legal);
        let mut best = 0;
        for place in 1..legal.len() {
            if values[place] > values[best] {
                best = place;
            }
        }
        legal[best]
    }

    /// The mean evaluation behind each swipe.
    fn evaluate(
        &mut self,
        game: &TwentyFortyEight,
        state: &State,
        legal: &[Direction],
        _: &Stream,
    ) -> Option<Vec<Option<f64>>> {
        let values = self.values(game, &state.board, legal);
        Some(values.into_iter().map(|value| Some(value.into())).collect())
    }
}

/// How far a search goes.
#[derive(Clone, Copy, Debug)]
struct Limits {
    depth: u32,
    nodes: u64,
    cut: f32,
    four_rate: f32,
}

/// A kind of boards that can be searched.
trait Boards: Copy {
    type Board;

    /// The board after a swipe, `None` when the swipe is not legal.
    fn slid(&self, board: &Self::Board, direction: Direction) -> Option<Self::Board>;
    /// The number of blanks.
    fn blanks(&self, board: &Self::Board) -> u32;
    /// Calls `see` with the two boards that follow from a spawn (2, then 4) on each blank in
    /// reading order.
    fn spawns(&self, board: &Self::Board, see: impl FnMut(Self::Board, Self::Board));
    /// The evaluation.
    fn value(&self, board: &Self::Board) -> f32;
    /// A word that no other board has, for the transposition table; `None`: boards of this kind are
    /// not remembered.
    fn word(&self, board: &Self::Board) -> Option<u64>;
}

/// Slots of the transposition table; 16 bytes each.
const SLOTS: usize = 1 << 18;

#[derive(Clone, Copy)]
struct Slot {
    board: u64,
    value: f32,
    /// The move for which it was written, and its depth in the low four bits.
    written: u32,
}

struct Search<B> {
    boards: B,
    slots: Vec<Slot>,
    /// Counts moves in steps of 16; slots of other moves are void.
    current: u32,
    limits: Limits,
    evaluated: u64,
    /// The search stops when this many swipes have been evaluated.
    stop: u64,
}

impl<B: Boards> Search<B> {
    fn new(boards: B) -> Self {
        let limits = Limits { depth: 0, nodes: 0, cut: 0.0, four_rate: 0.0 };
        Self { boards, slots: Vec::new(), current: 0, limits, evaluated: 0, stop: 0 }
    }

    /// The value of each legal swipe.
    fn values(&mut self, board: &B::Board, legal: &[Direction], limits: Limits) -> Vec<f32> {
        (self.limits, self.evaluated) = (limits, 0);
        self.forget();
        let first = if limits.nodes == u64::MAX { limits.depth } else { 1 };
        let mut values = Vec::new();
        for depth in first..=limits.depth {
            // The first search is completed whatever it takes: there must be a choice.
            self.stop = if depth == first { u64::MAX } else { limits.nodes };
            let found: Vec<f32> = legal
                .iter()
                .map(|&direction| {
                    self.evaluated += 1;
                    let after = self.boards.slid(board, direction).expect("the swipe is legal");
                    self.spawn_mean(&after, depth, 1.0)
                })
                .collect();
            if self.evaluated > self.stop {
                break;
            }
            values = found;
            if self.evaluated >= limits.nodes {
                break;
            }
        }
        values
    }

    fn forget(&mut self) {
        self.current = self.current.wrapping_add(16);
        if self.current == 0 || self.slots.is_empty() {
            self.slots = vec![Slot { board: 0, value: 0.0, written: 0 }; SLOTS];
            self.current = 16;
        }
    }

    /// The value of a board after a swipe that happens with this probability.
    fn spawn_mean(&mut self, board: &B::Board, depth: u32, probability: f32) -> f32 {
        if depth == 0 || probability < self.limits.cut || self.evaluated > self.stop {
            return self.boards.value(board);
        }
        let word = self.boards.word(board);
        if let Some(word) = word {
            let slot = self.slots[place(word)];
            if slot.board == word && slot.written >= self.current + depth {
                return slot.value;
            }
        }
        let blanks = self.boards.blanks(board) as f32;
        let each = probability / blanks;
        let four_rate = self.limits.four_rate;
        let boards = self.boards;
        let mut sum = 0.0;
        boards.spawns(board, |two, four| {
            if four_rate < 1.0 {
                sum += (1.0 - four_rate) * self.best_swipe(&two, depth, each * (1.0 - four_rate));
            }
            if four_rate > 0.0 {
                sum += four_rate * self.best_swipe(&four, depth, each * four_rate);
            }
        });
        let value = sum / blanks;
        if let Some(word) = word {
            self.slots[place(word)] = Slot { board: word, value, written: self.current + depth };
        }
        value
    }

    /// The value of a board after a spawn: its best swipe's.
    fn best_swipe(&mut self, board: &B::Board, depth: u32, probability: f32) -> f32 {
        let mut best = 0.0_f32;
        self.evaluated += 4;
        for direction in Direction::ALL {
            if let Some(after) = self.boards.slid(board, direction) {
                best = best.max(self.spawn_mean(&after, depth - 1, probability));
            }
        }
        best
    }
}

/// Which slot a board has.
#[inline(always)]
const fn place(word: u64) -> usize {
    (word.wrapping_mul(0x9E37_79B9_7F4A_7C15) >> (64 - SLOTS.ilog2())) as usize
}

/// Packed 4×4 boards, with tables.
#[derive(Clone, Copy)]
struct PackedBoards {
    tables: &'static RowTables,
    row_values: &'static [f32; 1 << 16],
}

static ROW_VALUES: LazyLock<Box<[f32; 1 << 16]>> = LazyLock::new(|| {
    let value = |row: u16| {
        let row = Packed(u64::from(row));
        line_value((0..4).map(|cell| f64::from(row.exponent(cell))))
    };
    let values: Vec<f32> = (0..=u16::MAX).map(value).collect();
    values.into_boxed_slice().try_into().expect("there is one value for each row")
});

impl PackedBoards {
    fn new() -> Self {
        Self { tables: RowTables::get(), row_values: &ROW_VALUES }
    }

    #[inline(always)]
    fn add_rows(&self, sum: f32, board: u64) -> f32 {
        let row = |shift: u32| self.row_values[usize::from((board >> shift) as u16)];
        sum + row(0) + row(16) + row(32) + row(48)
    }
}

impl Boards for PackedBoards {
    type Board = Packed;

    #[inline(always)]
    fn slid(&self, board: &Packed, direction: Direction) -> Option<Packed> {
        let after = board.slid(direction, self.tables);
        (after != *board).then_some(after)
    }

    #[inline(always)]
    fn blanks(&self, board: &Packed) -> u32 {
        board.blanks().count_ones()
    }

    #[inline(always)]
    fn spawns(&self, board: &Packed, mut see: impl FnMut(Packed, Packed)) {
        let mut blanks = board.blanks();
        while blanks != 0 {
            let blank = blanks & blanks.wrapping_neg();
            blanks ^= blank;
            see(Packed(board.0 | blank), Packed(board.0 | blank << 1));
        }
    }

    #[inline(always)]
    fn value(&self, board: &Packed) -> f32 {
        self.add_rows(self.add_rows(0.0, board.0), board.transposed().0)
    }

    #[inline(always)]
    fn word(&self, board: &Packed) -> Option<u64> {
        Some(board.0)
    }
}

/// Boards of every size and number, without tables.
#[derive(Clone, Copy)]
struct PlainBoards;

impl Boards for PlainBoards {
    type Board = Board;

    fn slid(&self, board: &Board, direction: Direction) -> Option<Board> {
        let mut after = board.clone();
        after.slide(direction).map(|_| after)
    }

    fn blanks(&self, board: &Board) -> u32 {
        board.blanks() as u32
    }

    fn spawns(&self, board: &Board, mut see: impl FnMut(Board, Board)) {
        for cell in (0..board.tiles().len()).filter(|&cell| board.tiles()[cell] == 0) {
            let with = |tile| {
                let mut dealt = board.clone();
                dealt.put(cell, tile);
                dealt
            };
            see(with(2), with(4));
        }
    }

    fn value(&self, board: &Board) -> f32 {
        let rows = board.rows();
        let cols = board.cols();
        let exponent = |row: usize, col: usize| exponent(board.tiles()[row * cols + col]);
        let sum = (0..rows).fold(0.0, |sum, row| sum + line_value((0..cols).map(|col| exponent(row, col))));
        (0..cols).fold(sum, |sum, col| sum + line_value((0..rows).map(|row| exponent(row, col))))
    }

    fn word(&self, _: &Board) -> Option<u64> {
        None
    }
}

/// The exponent of a power of two; other numbers lie linearly between. 0 for a blank, and for 1.
fn exponent(tile: u64) -> f64 {
    if tile == 0 {
        return 0.0;
    }
    let whole = tile.ilog2();
    f64::from(whole) + ((tile - (1 << whole)) as f64 / (1_u64 << whole) as f64)
}

/// The value of a line of exponents.
fn line_value(line: impl Iterator<Item = f64> + Clone) -> f32 {
    let mut cells = 0.0;
    let mut blanks = 0.0;
    let mut powers = 0.0;
    let mut merges = 0.0;
    let mut run = 1.0;
    let mut last = 0.0;
    for exponent in line.clone() {
        cells += 1.0;
        powers += exponent * exponent * exponent * exponent.sqrt();
        if exponent == 0.0 {
            blanks += 1.0;
        } else if exponent == last {
            merges += if run == 1.0 { 2.0 } else { 1.0 };
            run += 1.0;
        } else {
            (run, last) = (1.0, exponent);
        }
    }
    let fourth = |exponent: f64| exponent * exponent * exponent * exponent;
    let mut falls = 0.0;
    let mut rises = 0.0;
    for (before, after) in line.clone().zip(line.skip(1)) {
        let step = fourth(after) - fourth(before);
        if step > 0.0 {
            rises += step;
        } else {
            falls -= step;
        }
    }
    let monotony = if falls < rises { falls } else { rises };
    (50_000.0 * cells + 270.0 * blanks + 700.0 * merges - 11.0 * powers - 47.0 * monotony) as f32
}

impl NamedPlayer<TwentyFortyEight> for Expectimax {
    const NAME: &'static str = "expectimax";
    const SUMMARY: &'static str =
        "looks ahead over the best swipes and the mean of the spawns, with a row-table evaluation";
    const PARAMS: &'static [ParamSpec] = PARAMS;
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self::from_params(params))
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty_forty_eight::PARAMS as GAME;

    fn game() -> TwentyFortyEight {
        TwentyFortyEight::from_params(&Params::defaults(GAME))
    }

    fn player(settings: &[(&str, &str)]) -> Expectimax {
        let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
        Expectimax::from_params(&Params::from_settings(PARAMS, settings).unwrap())
    }

    const BOARDS: [&str; 5] = [
        "2,0,0,0/0,0,0,0/0,0,2,0/0,0,0,0",
        "2,4,2,4/4,2,4,2/2,4,2,4/4,2,8,8",
        "2,4,8,16/4,2,32,2/2,64,2,2/512,2048,4,0",
        "32768,2048,1024,8/8192,4096,4096,8/2,2,2,2/64,0,128,128",
        "2,2,2,2/4,4,4,4/2,4,2,4/2,4,2,2",
    ];

    #[test]
    fn lines_by_hand() {
        let value = |line: &[f64]| line_value(line.iter().copied());
        assert_eq!(value(&[0.0; 4]), 200_000.0 + 4.0 * 270.0);
        // One falling line without merges: nothing rises.
        assert_eq!(value(&[4.0, 1.0, 0.0, 0.0]), 200_000.0 + 540.0 - 11.0 * (128.0 + 1.0));
        // Two runs; 1 → 4 rises by 255, 4 → 1 falls by 255.
        assert_eq!(value(&[1.0, 1.0, 4.0, 4.0, 4.0, 1.0]), 300_000.0 + 3500.0 - 11.0 * 387.0 - 47.0 * 255.0);
        assert_eq!(value(&[1.0, 0.0, 1.0]), 150_000.0 + 270.0 + 1400.0 - 22.0 - 47.0);
        assert_eq!(exponent(6), 2.5);
    }

    /// Where nothing is remembered twice, the packed search and the plain one agree to the bit.
    #[test]
    fn packed_values_equal_plain_ones() {
        for text in BOARDS {
            let board = Board::parse(text).unwrap();
            let packed = Packed::from_board(&board).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            assert_eq!(PlainBoards.value(&board), PackedBoards::new().value(&packed), "{text}");
            for four_rate in [0.0, 0.1, 1.0] {
                let limits = Limits { depth: 1, nodes: u64::MAX, cut: 0.0, four_rate };
                let plain = Search::new(PlainBoards).values(&board, &legal, limits);
                let fast = Search::new(PackedBoards::new()).values(&packed, &legal, limits);
                assert_eq!(plain, fast, "{text}");
            }
        }
    }

    /// Without a probability cut a remembered value of the same depth is the value itself, so depth
    /// 2 agrees as well; the four root swipes share boards only at equal depth.
    #[test]
    fn deeper_packed_values_equal_plain_ones() {
        for text in &BOARDS[1..] {
            let board = Board::parse(text).unwrap();
            let packed = Packed::from_board(&board).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let limits = Limits { depth: 2, nodes: u64::MAX, cut: 0.0, four_rate: 0.1 };
            let plain = Search::new(PlainBoards).values(&board, &legal, limits);
            let fast = Search::new(PackedBoards::new()).values(&packed, &legal, limits);
            for (plain, fast) in plain.iter().zip(&fast) {
                assert!((plain - fast).abs() <= 1e-6 * plain.abs(), "{text}: {plain} {fast}");
            }
        }
    }

    #[test]
    fn a_choice_depends_on_nothing_before() {
        let game = game();
        let mut used = player(&[]);
        for text in BOARDS {
            let board = Board::parse(text).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let fresh = player(&[]).values(&game, &board, &legal);
            assert_eq!(used.values(&game, &board, &legal), fresh, "{text}");
            assert_eq!(used.values(&game, &board, &legal), fresh, "{text}, again");
        }
    }

    #[test]
    fn a_node_budget_is_kept_and_the_deepest_complete_search_decides() {
        let game = game();
        let board = Board::parse(BOARDS[2]).unwrap();
        let legal: Vec<Direction> = board.legal().collect();
        let at_depth = |depth: &str| player(&[("depth", depth), ("cut", "0")]).values(&game, &board, &legal);
        let evaluated = |settings: &[(&str, &str)]| {
            let mut player = player(settings);
            player.values(&game, &board, &legal);
            player.evaluated()
        };
        let one = evaluated(&[("depth", "1"), ("cut", "0")]);
        let two = evaluated(&[("depth", "2"), ("cut", "0")]);
        assert!(one < two);
        let budget = (one + two / 2).to_string();
        let mut limited = player(&[("nodes", &budget), ("cut", "0")]);
        assert_eq!(limited.values(&game, &board, &legal), at_depth("1"));
        assert!(limited.evaluated() < one + two / 2 + 64, "{} evaluated", limited.evaluated());
        assert_eq!(player(&[("nodes", "1"), ("cut", "0")]).values(&game, &board, &legal), at_depth("1"));
    }

    #[test]
    fn other_boards_are_played_too() {
        let game = game();
        let mut player = player(&[("depth", "1")]);
        for text in ["3,3,0/0,6,0", "65536,2,0,0/0,0,0,0/0,0,4,0/0,0,0,0", "2,0,0,0,2"] {
            let board = Board::parse(text).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            let values = player.values(&game, &board, &legal);
            assert!(values.iter().all(|value| value.is_finite() && *value > 0.0), "{text}: {values:?}");
        }
    }
}
