//! The look-ahead of the program that tilelab grew from, for 2048: the swipe with the largest sum
//! over all its futures.
//!
//! # What it computes
//! From each legal root swipe it follows every spawn, then every legal swipe, then every spawn …
//! until `depth` swipes and as many spawns have been made. Each board at the end is evaluated,
//! multiplied by 9 for each spawned 2 and by 1 for each spawned 4 on the way (0.9 and 0.1,
//! regardless of `four_rate`), and all are added up, also over the player's own swipes: it takes
//! their sum, not their maximum. The swipe with the largest sum is chosen; ties go to the first of
//! up, down, left, right.
//!
//! # The evaluation
//! The value of a board without a legal swipe is 0, at the end or before. Otherwise each tile of
//! number v adds 1.1 · v, times `edge_factor` if it touches a side of the board, times
//! `edge_factor` again if it stands in a corner, times a neighbour factor: 1 + v/40 when one of up
//! to four neighbours is equal, else 1 + w/100 with w the largest neighbour (blanks count 0). The
//! sum over all tiles is multiplied by 1 + 0.03 · blanks.
//!
//! The source says "a large factor" without its size; `edge_factor` = 10 is our interpretation.
//!
//! # How it computes it
//! Nothing is rounded: multiplied by 200 · 100 / 1.1 the evaluation is a whole number, so sums are
//! exact and independent of their order ([`plain`]). A 4×4 board of powers of two takes a packed
//! path with the same sums (`PackedSum`): all spawns of the last level are evaluated at once, as
//! the board before them plus what each spawn changes around it, and sums of equal boards are
//! remembered in a table of 16 MiB that is forgotten before each game.

use crate::game::Player;
use crate::game::registry::NamedPlayer;
use crate::games::direction::Direction;
use crate::games::twenty_forty_eight::TwentyFortyEight;
use crate::games::twenty_forty_eight::board::NumberBoard;
use crate::games::twenty_forty_eight::packed::{POINTS_BOUND, Packed, SlidRows};
use crate::games::twenty_forty_eight::reference::State;
use crate::params::{ParamError, ParamSpec, Params};
use crate::players::clock::{BUDGET_PARAM, Clock};
use crate::rng::Stream;
use num_bigint::BigUint;

/// The share of a budget after which a depth more is not begun: it costs about forty times as much.
const LAST_BEGIN: f64 = 1.0 / 40.0;

/// Weights of a spawned 2 and a spawned 4, in tenths.
const SPAWNS: [(u64, u64); 2] = [(2, 9), (4, 1)];

/// Chooses the swipe with the largest sum over all futures.
pub struct OriginalLookahead {
    depth: u32,
    edge_factor: u64,
    packed: Option<PackedSum>,
    clock: Clock,
}

impl OriginalLookahead {
    /// The sum over all futures of each legal swipe, in the order of `legal`; with a budget those
    /// of the deepest look-ahead that fits into it.
    pub fn sums(&mut self, board: &NumberBoard, legal: &[Direction]) -> Vec<BigUint> {
        self.clock.start();
        let first = if self.clock.is_set() { 1 } else { self.depth };
        let mut sums = self.sums_at(board, legal, first);
        for depth in first + 1..=self.depth {
            if self.clock.has_passed(LAST_BEGIN) {
                break;
            }
            sums = self.sums_at(board, legal, depth);
        }
        sums
    }

    fn sums_at(&mut self, board: &NumberBoard, legal: &[Direction], depth: u32) -> Vec<BigUint> {
        match self.packable(board) {
            Some(packed) => {
                let search = self
                    .packed
                    .get_or_insert_with(|| PackedSum::new(self.edge_factor));
                legal
                    .iter()
                    .map(|&direction| {
                        search
                            .after_swipe(search.rows.swipe(packed, direction).board, depth)
                            .into()
                    })
                    .collect()
            }
            None => legal
                .iter()
                .map(|&swipe| plain::after_root(board, swipe, depth, self.edge_factor))
                .collect(),
        }
    }

    /// The board when packing it, and every board that the look-ahead meets, loses nothing.
    fn packable(&self, board: &NumberBoard) -> Option<Packed> {
        // Sums fit 128 bits up to depth 6.
        let room = self.depth <= 6 && board.points() + 4 * u64::from(self.depth) < POINTS_BOUND;
        Packed::from_board(board).filter(|_| room)
    }
}

impl Player<TwentyFortyEight> for OriginalLookahead {
    fn begin(&mut self, _: &TwentyFortyEight) {
        if let Some(packed) = &mut self.packed {
            packed.slots.fill(SumSlot::default());
        }
    }

    fn choose(
        &mut self,
        _: &TwentyFortyEight,
        state: &State,
        legal: &[Direction],
        _: &mut Stream,
    ) -> Direction {
        let sums = self.sums(&state.board, legal);
        // Among equal sums the first counts.
        let places = (0..legal.len()).rev();
        let best = places.max_by_key(|&place| &sums[place]);
        legal[best.expect("a swipe is legal")]
    }
}

/// The look-ahead on boards of every size and number, to be read beside the description; the packed
/// path is compared with it.
pub mod plain {
    use super::{BigUint, Direction, NumberBoard, SPAWNS};
    use std::ops::{AddAssign, Mul};

    /// Whole numbers large enough for the sums: 128 bits where they suffice, of any size elsewhere.
    pub(super) trait Whole: From<u64> + AddAssign + Mul<Output = Self> {}
    impl<N: From<u64> + AddAssign + Mul<Output = N>> Whole for N {}

    /// The weighted sum over all futures after a legal swipe.
    pub fn after_root(
        board: &NumberBoard,
        swipe: Direction,
        depth: u32,
        edge_factor: u64,
    ) -> BigUint {
        if bits(board, depth, edge_factor) < 127.0 {
            BigUint::from(after::<u128>(board, swipe, depth, edge_factor))
        } else {
            after::<BigUint>(board, swipe, depth, edge_factor)
        }
    }

    /// A bound on the logarithm of every sum: all tiles in one, in a corner, beside an equal one,
    /// on a blank board, in every future.
    fn bits(board: &NumberBoard, depth: u32, edge_factor: u64) -> f64 {
        let total = (board.points() + 4 * u64::from(depth)) as f64;
        let cells = board.tiles().len() as f64;
        let board =
            total * (200.0 + 5.0 * total) * (edge_factor as f64).powi(2) * (100.0 + 3.0 * cells);
        board.log2() + f64::from(depth) * (cells * 10.0 * 4.0).log2()
    }

    fn after<N: Whole>(board: &NumberBoard, swipe: Direction, depth: u32, edge_factor: u64) -> N {
        let mut board = board.clone();
        board.slide(swipe);
        let mut sum = N::from(0);
        for cell in 0..board.tiles().len() {
            if board.tiles()[cell] != 0 {
                continue;
            }
            for (tile, weight) in SPAWNS {
                board.put(cell, tile);
                sum += futures::<N>(&board, depth - 1, edge_factor) * N::from(weight);
            }
            board.put(cell, 0);
        }
        sum
    }

    fn futures<N: Whole>(board: &NumberBoard, depth: u32, edge_factor: u64) -> N {
        if depth == 0 {
            return value(board, edge_factor);
        }
        let mut sum = N::from(0);
        for swipe in board.legal() {
            sum += after::<N>(board, swipe, depth, edge_factor);
        }
        sum
    }

    pub(super) fn value<N: Whole>(board: &NumberBoard, edge_factor: u64) -> N {
        let mut sum = N::from(0);
        if board.is_stuck() {
            return sum;
        }
        let rows = board.rows();
        let cols = board.cols();
        let tiles = board.tiles();
        for (cell, &tile) in tiles.iter().enumerate().filter(|&(_, &tile)| tile != 0) {
            let row = cell / cols;
            let col = cell % cols;
            let row_edge = row == 0 || row == rows - 1;
            let col_edge = col == 0 || col == cols - 1;
            let edges = u32::from(row_edge) + u32::from(col_edge);
            let neighbours = [
                (row > 0).then(|| tiles[cell - cols]),
                (row + 1 < rows).then(|| tiles[cell + cols]),
                (col > 0).then(|| tiles[cell - 1]),
                (col + 1 < cols).then(|| tiles[cell + 1]),
            ];
            let largest = neighbours.iter().flatten().copied().max().unwrap_or(0);
            let mut factor = N::from(200);
            factor += if neighbours.contains(&Some(tile)) {
                N::from(5) * N::from(tile)
            } else {
                N::from(2) * N::from(largest)
            };
            sum += factor * N::from(tile) * N::from(edge_factor.pow(edges));
        }
        sum * N::from(100 + 3 * board.blanks().count() as u64)
    }
}

/// Neighbours of each cell of a 4×4 board; 16 stands for none.
const NEIGHBOURS: [[usize; 4]; 16] = {
    let mut all = [[16; 4]; 16];
    let mut cell = 0;
    while cell < 16 {
        if cell >= 4 {
            all[cell][0] = cell - 4;
        }
        if cell < 12 {
            all[cell][1] = cell + 4;
        }
        if cell % 4 > 0 {
            all[cell][2] = cell - 1;
        }
        if cell % 4 < 3 {
            all[cell][3] = cell + 1;
        }
        cell += 1;
    }
    all
};

/// Slots of the table of remembered sums; 32 bytes each.
const SLOTS: usize = 1 << 19;

/// A remembered sum over the futures of a board after a swipe.
#[derive(Clone, Copy, Default)]
struct SumSlot {
    board: u64,
    depth: u64,
    sum: u128,
}

/// What stands next to a tile.
#[derive(Clone, Copy, Default)]
struct Beside {
    equal: bool,
    largest: u64,
}

/// The look-ahead on packed 4×4 boards.
struct PackedSum {
    rows: &'static SlidRows,
    /// `edge_factor` to the power of how often a cell counts as edge.
    edges: [u64; 16],
    slots: Vec<SumSlot>,
}

impl PackedSum {
    fn new(edge_factor: u64) -> Self {
        let edges = std::array::from_fn(|cell| {
            let sides = u32::from(cell / 4 % 3 == 0) + u32::from(cell % 4 % 3 == 0);
            edge_factor.pow(sides)
        });
        Self {
            rows: SlidRows::get(),
            edges,
            slots: vec![SumSlot::default(); SLOTS],
        }
    }

    /// The weighted sum over all futures of a board after a swipe; `depth` is at least 1.
    fn after_swipe(&mut self, board: Packed, depth: u32) -> u128 {
        let mixed = (board.0 ^ u64::from(depth) << 60).wrapping_mul(0x9E37_79B9_7F4A_7C15);
        let place = (mixed >> (64 - SLOTS.ilog2())) as usize;
        let slot = self.slots[place];
        if (slot.board, slot.depth) == (board.0, u64::from(depth)) {
            return slot.sum;
        }
        let sum = if depth == 1 {
            self.last_spawns(board)
        } else {
            self.spawns(board, depth)
        };
        self.slots[place] = SumSlot {
            board: board.0,
            depth: u64::from(depth),
            sum,
        };
        sum
    }

    fn spawns(&mut self, board: Packed, depth: u32) -> u128 {
        let mut sum = 0;
        let mut blanks = board.blanks();
        while blanks != 0 {
            let blank = blanks & blanks.wrapping_neg();
            blanks ^= blank;
            for (tile, weight) in SPAWNS {
                let dealt = with_spawn(board, blank, tile);
                for direction in Direction::ALL {
                    let after = self.rows.swipe(dealt, direction).board;
                    if after != dealt {
                        sum += u128::from(weight) * self.after_swipe(after, depth - 1);
                    }
                }
            }
        }
        sum
    }

    /// All boards one spawn after `board`, evaluated and weighted.
    fn last_spawns(&self, board: Packed) -> u128 {
        let blanks = board.blanks().count_ones() as u64;
        let tiles: [u64; 17] =
            std::array::from_fn(|cell| if cell < 16 { board.tile(cell) } else { 0 });
        let mut beside = [Beside::default(); 17];
        let mut value = 0;
        for cell in 0..16 {
            beside[cell] = look_beside(&tiles, cell, tiles[cell]);
            value += self.tile_value(cell, tiles[cell], beside[cell]);
        }
        let mut sum = 0;
        for cell in (0..16).filter(|&cell| tiles[cell] == 0) {
            for (tile, weight) in SPAWNS {
                // Only the last blank's spawn can leave a board without a legal swipe.
                if blanks == 1 && self.is_dead(with_spawn(board, 1 << (4 * cell), tile)) {
                    continue;
                }
                let mut with_spawn =
                    value + self.tile_value(cell, tile, look_beside(&tiles, cell, tile));
                for near in NEIGHBOURS[cell].into_iter().filter(|&near| near < 16) {
                    let Beside { equal, largest } = beside[near];
                    let changed = Beside {
                        equal: equal || tiles[near] == tile,
                        largest: largest.max(tile),
                    };
                    with_spawn += self.tile_value(near, tiles[near], changed);
                    with_spawn -= self.tile_value(near, tiles[near], beside[near]);
                }
                sum += weight * with_spawn;
            }
        }
        u128::from(sum) * u128::from(100 + 3 * blanks.saturating_sub(1))
    }

    /// A tile's part of the evaluation; 0 for a blank. Below 2⁴⁵ with the largest edge factor.
    #[inline(always)]
    fn tile_value(&self, cell: usize, tile: u64, beside: Beside) -> u64 {
        tile * (200
            + if beside.equal {
                5 * tile
            } else {
                2 * beside.largest
            })
            * self.edges[cell]
    }

    fn is_dead(&self, board: Packed) -> bool {
        Direction::ALL
            .into_iter()
            .all(|direction| self.rows.swipe(board, direction).board == board)
    }
}

/// The board with a 2 or a 4 on the cell whose lowest bit is `blank`.
#[inline(always)]
const fn with_spawn(board: Packed, blank: u64, tile: u64) -> Packed {
    Packed(board.0 | blank << (tile.trailing_zeros() - 1))
}

/// What a tile on this cell has next to it. `tiles[16]` is 0, for neighbours off the board.
#[inline(always)]
fn look_beside(tiles: &[u64; 17], cell: usize, tile: u64) -> Beside {
    let near = NEIGHBOURS[cell].map(|near| tiles[near]);
    let largest = near[0].max(near[1]).max(near[2]).max(near[3]);
    Beside {
        equal: near.contains(&tile),
        largest,
    }
}

impl NamedPlayer<TwentyFortyEight> for OriginalLookahead {
    const NAME: &'static str = "seed-lookahead";
    const SUMMARY: &'static str = "sums a board evaluation over all futures below a swipe, its own swipes included, and takes the largest sum";
    const PARAMS: &'static [ParamSpec] = &[
        ParamSpec::int("depth", 1..=8, Some(3)).main(
            "how many swipes, each with its spawn, it looks ahead; each step costs about forty \
             times as much",
        ),
        ParamSpec::int("edge_factor", 1..=64, Some(10)).help(
            "what a tile's value is multiplied by when it touches a side, and again in a corner",
        ),
        BUDGET_PARAM,
    ];
    const CHANCE: bool = false;

    fn build(params: &Params) -> Result<Self, ParamError> {
        Ok(Self {
            depth: params.count("depth") as u32,
            edge_factor: params.count("edge_factor"),
            packed: None,
            clock: Clock::of(params),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::games::twenty_forty_eight::PARAMS as GAME;

    fn player(depth: u32, edge_factor: u64) -> OriginalLookahead {
        OriginalLookahead {
            depth,
            edge_factor,
            packed: None,
            clock: Clock::default(),
        }
    }

    #[test]
    fn the_evaluation_by_hand() {
        // 2 in a corner beside 4: 2·(200 + 8)·100; 4 on a side, beside 2: 4·(200 + 4)·10; two
        // blanks of the 1×4 row would all be corners and sides, so a 3×3 board it is.
        let board = NumberBoard::parse("2,4,0/0,8,8/0,0,0").unwrap();
        let two = 2 * (200 + 2 * 4) * 100;
        let four = 4 * (200 + 2 * 8) * 10;
        let middle_eight = 8 * (200 + 5 * 8);
        let side_eight = 8 * (200 + 5 * 8) * 10;
        let expected = (two + four + middle_eight + side_eight) * (100 + 3 * 5);
        assert_eq!(
            plain::value::<BigUint>(&board, 10),
            BigUint::from(expected as u64)
        );
        let dead = NumberBoard::parse("2,4/4,2").unwrap();
        assert_eq!(plain::value::<BigUint>(&dead, 10), BigUint::ZERO);
    }

    #[test]
    fn numbers_of_every_size_are_summed() {
        // Equal tiles of 61 bits side by side: 128 bits do not hold their product with the factors.
        let huge = NumberBoard::parse("0,2305843009213693952/0,2305843009213693952").unwrap();
        let sum = plain::after_root(&huge, Direction::Left, 1, 64);
        assert!(sum.bits() > 128, "{} bits", sum.bits());
        assert_eq!(sum, player(1, 64).sums(&huge, &[Direction::Left])[0]);
        // A tile beside blanks only: value · 200 · corner · (100 + 3 · 8).
        let one = NumberBoard::parse("1099511627776,0,0/0,0,0/0,0,0").unwrap();
        assert_eq!(
            plain::value::<BigUint>(&one, 10),
            BigUint::from(1_u64 << 40) * 200_u64 * 100_u64 * 124_u64
        );
    }

    #[test]
    fn packed_sums_equal_plain_ones() {
        for text in [
            "2,0,0,0/0,0,0,0/0,0,2,0/0,0,0,0",
            "2,4,2,4/4,2,4,2/2,4,2,4/4,2,0,2",
            "2,4,2,4/4,2,4,2/2,4,2,4/4,2,8,8",
            "2,4,8,16/4,2,32,2/2,64,2,2/512,2048,4,0",
            "32768,2048,1024,8/8192,4096,4096,8/2,2,2,2/64,0,128,128",
            "2,2,2,2/4,4,4,4/2,4,2,4/2,4,2,2",
        ] {
            let board = NumberBoard::parse(text).unwrap();
            let legal: Vec<Direction> = board.legal().collect();
            for (depth, edge_factor) in [(1, 10), (1, 64), (2, 10), (2, 1)] {
                let sums = player(depth, edge_factor).sums(&board, &legal);
                for (&swipe, sum) in legal.iter().zip(sums) {
                    assert_eq!(
                        sum,
                        plain::after_root(&board, swipe, depth, edge_factor),
                        "{text} {swipe} {depth}"
                    );
                }
            }
        }
    }

    #[test]
    fn deep_sums_of_full_boards_equal_plain_ones() {
        let board = NumberBoard::parse("2,4,8,16/4,2,32,8/2,64,16,2/512,8,4,4").unwrap();
        let legal: Vec<Direction> = board.legal().collect();
        for depth in [3, 4] {
            let sums = player(depth, 10).sums(&board, &legal);
            for (&swipe, sum) in legal.iter().zip(sums) {
                assert_eq!(
                    sum,
                    plain::after_root(&board, swipe, depth, 10),
                    "{swipe} {depth}"
                );
            }
        }
    }

    #[test]
    fn boards_that_cannot_be_packed_are_played_too() {
        let game = TwentyFortyEight::from_params(&Params::defaults(GAME));
        for text in [
            "3,3,0,0/0,6,0,0/0,0,0,0/0,0,0,5",
            "65536,2,0,0/0,0,0,0/0,0,4,0/0,0,0,0",
        ] {
            let state = State::on(NumberBoard::parse(text).unwrap());
            let legal: Vec<Direction> = state.board.legal().collect();
            let mut stream = crate::rng::SeedableRng::seed_from_u64(1);
            let swipe = player(1, 10).choose(&game, &state, &legal, &mut stream);
            assert!(legal.contains(&swipe));
        }
    }
}
