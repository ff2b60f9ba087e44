//! The recursion: the probability of every board, carried forward until all games have ended.
//!
//! Boards are handled level by level. Where the rules count rounds, the level is the number of
//! moves made. Where they do not (2048 without `max_moves`), it is the sum of the tiles: each spawn
//! raises it, so no board is met again, and boards that take different numbers of moves are kept
//! once. Beside its probability a board carries the first two moments of the moves made so far.
//!
//! A map adds up what leads to the same board. Its contents are sorted by board before they go on,
//! so that the rules alone decide in which order numbers are added, and every run gives the
//! same bits.

use super::board::{BLANK, Cells, Code, Lines, Shape};
use super::{Exact, Limits, Moves};
use std::collections::{BTreeMap, HashMap};
use tilelab_core::games::direction::Direction;

/// Games whose remaining probability is below this count as ended.
const NEGLIGIBLE: f64 = 1e-17;

/// How a game ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum End {
    /// Won with the moves made.
    Won,
    /// Lost with the moves made.
    Lost,
    /// A number is too large to be followed.
    Unresolved,
}

/// The rules of a game for the recursion.
pub trait Rules {
    /// Size and symmetries.
    fn shape(&self) -> Shape;
    /// The board before anything is dealt, and the tiles dealt before the first move.
    fn start(&self) -> (Cells, usize);
    /// The tiles dealt before every later move.
    fn spawns(&self) -> usize;
    /// The tiles that are dealt, with their probabilities.
    fn tiles(&self) -> Vec<(Code, f64)>;
    /// Collapses a line by the plain rules.
    fn collapse(&self, line: &[Code], towards_end: bool) -> Vec<Code>;
    /// Whether levels are numbers of moves; otherwise they are sums of tiles.
    fn counts_rounds(&self) -> bool;
    /// The rounds after which a game ends, if the rules limit them.
    fn rounds_max(&self) -> Option<u64>;
    /// How a game ends after a move; `made` moves were made where rounds are counted.
    fn after_move(&self, board: &[Code], made: u64) -> Option<End>;
    /// How a game ends that has no legal move.
    fn stuck(&self, board: &[Code]) -> End;
}

/// The probability of a board with the moments of the moves made.
#[derive(Clone, Copy, Default)]
struct Mass {
    probability: f64,
    sum: f64,
    squares: f64,
}

impl Mass {
    fn scaled(self, factor: f64) -> Self {
        Self {
            probability: self.probability * factor,
            sum: self.sum * factor,
            squares: self.squares * factor,
        }
    }

    /// The moments after `more` further moves.
    fn moved(self, more: f64) -> Self {
        let sum = self.sum + more * self.probability;
        let squares = self.squares + 2.0 * more * self.sum + more * more * self.probability;
        Self {
            probability: self.probability,
            sum,
            squares,
        }
    }

    fn add(&mut self, other: Self) {
        self.probability += other.probability;
        self.sum += other.sum;
        self.squares += other.squares;
    }
}

impl Moves {
    fn add(&mut self, mass: Mass) {
        self.probability += mass.probability;
        self.sum += mass.sum;
        self.squares += mass.squares;
    }
}

/// Boards that are being added up.
type Sums = HashMap<Cells, Mass>;

/// The boards in their order.
fn sorted(sums: Sums) -> Vec<(Cells, Mass)> {
    let mut boards: Vec<_> = sums.into_iter().collect();
    boards.sort_unstable_by_key(|&(board, _)| board);
    boards
}

/// More boards than are allowed.
pub struct TooMany;

struct Engine<'a, R> {
    rules: &'a R,
    shape: Shape,
    tiles: Vec<(Code, f64)>,
    limits: Limits,
    exact: Exact,
}

/// Computes the figures of a game under random play.
pub fn solve<R: Rules>(rules: &R, limits: Limits) -> Exact {
    let mut tiles = rules.tiles();
    tiles.retain(|&(_, probability)| probability > 0.0);
    let mut engine = Engine {
        rules,
        shape: rules.shape(),
        tiles,
        limits,
        exact: Exact::default(),
    };
    engine.exact.is_cut = engine.run().is_err();
    let exact = &mut engine.exact;
    exact.unresolved = (1.0 - exact.won - exact.lost).max(0.0);
    engine.exact
}

impl<R: Rules> Engine<'_, R> {
    fn run(&mut self) -> Result<(), TooMany> {
        let rules = self.rules;
        let collapse = |line: &[Code], towards_end: bool| rules.collapse(line, towards_end);
        let mut lines = Lines::new(&collapse);
        let mut levels: BTreeMap<u64, Sums> = BTreeMap::new();
        let (start, spawns) = rules.start();
        let certain = Mass {
            probability: 1.0,
            ..Mass::default()
        };
        let boards = Sums::from([(self.shape.canonical(&start), certain)]);
        self.file(self.dealt(boards, spawns)?, 0, &mut levels);
        while let Some((level, boards)) = levels.pop_first() {
            let boards = sorted(boards);
            let made = level + 1;
            let held = boards.len() + levels.values().map(Sums::len).sum::<usize>();
            self.exact.boards += boards.len() as u64;
            self.exact.boards_peak = self.exact.boards_peak.max(held);
            if held > self.limits.boards_max {
                return Err(TooMany);
            }
            if rules.counts_rounds() {
                let alive: f64 = boards.iter().map(|(_, mass)| mass.probability).sum();
                if alive < NEGLIGIBLE {
                    break;
                }
                if made > self.limits.rounds_max {
                    return Err(TooMany);
                }
            }
            let moved = self.moved(&boards, made, &mut lines)?;
            let dealt = self.dealt(moved, rules.spawns())?;
            self.file(dealt, made, &mut levels);
        }
        Ok(())
    }

    /// Puts boards that wait for a move with those of their level; `made` moves were made where
    /// rounds are counted.
    fn file(&self, boards: Sums, made: u64, levels: &mut BTreeMap<u64, Sums>) {
        if self.rules.counts_rounds() {
            if !boards.is_empty() {
                levels.insert(made, boards);
            }
            return;
        }
        // Each board is met once here, so that its order among them does not matter.
        for (board, mass) in boards {
            let sum = board
                .iter()
                .filter(|&&tile| tile != BLANK)
                .map(|&tile| tile as u64)
                .sum();
            levels
                .entry(sum)
                .or_default()
                .entry(board)
                .or_default()
                .add(mass);
        }
    }

    /// The boards after one move by the random player; games that end are counted.
    fn moved(
        &mut self,
        boards: &[(Cells, Mass)],
        made: u64,
        lines: &mut Lines<'_>,
    ) -> Result<Sums, TooMany> {
        let cells = self.shape.cells();
        let mut moved = Sums::new();
        for &(ref board, mass) in boards {
            let mut after = Direction::ALL
                .map(|direction| self.shape.moved(lines, board, direction))
                .to_vec();
            after.retain(|after| after != board);
            if after.is_empty() {
                self.end(self.rules.stuck(&board[..cells]), mass);
                continue;
            }
            let share = mass.scaled(1.0 / after.len() as f64).moved(1.0);
            for after in after {
                match self.rules.after_move(&after[..cells], made) {
                    Some(end) => self.end(end, share),
                    None => moved
                        .entry(self.shape.canonical(&after))
                        .or_default()
                        .add(share),
                }
            }
            if moved.len() > self.limits.boards_max {
                return Err(TooMany);
            }
        }
        Ok(moved)
    }

    /// The boards after so many tiles, each on a random blank cell as long as there is one.
    fn dealt(&self, mut boards: Sums, spawns: usize) -> Result<Sums, TooMany> {
        let cells = self.shape.cells();
        for _ in 0..spawns {
            let mut dealt = Sums::new();
            for (mut board, mass) in sorted(boards) {
                let blanks = board[..cells].iter().filter(|&&tile| tile == BLANK).count();
                if blanks == 0 {
                    dealt.entry(board).or_default().add(mass);
                    continue;
                }
                for cell in 0..cells {
                    if board[cell] != BLANK {
                        continue;
                    }
                    for &(tile, probability) in &self.tiles {
                        board[cell] = tile;
                        let share = mass.scaled(probability / blanks as f64);
                        dealt
                            .entry(self.shape.canonical(&board))
                            .or_default()
                            .add(share);
                    }
                    board[cell] = BLANK;
                }
                if dealt.len() > self.limits.boards_max {
                    return Err(TooMany);
                }
            }
            boards = dealt;
        }
        Ok(boards)
    }

    fn end(&mut self, end: End, mass: Mass) {
        match end {
            End::Won => {
                self.exact.won += mass.probability;
                self.exact.moves.add(mass);
                self.exact.moves_win.add(mass);
            }
            End::Lost => {
                self.exact.lost += mass.probability;
                self.exact.moves.add(mass);
            }
            End::Unresolved => {}
        }
    }
}
