//! Exact figures of small boards under random and under best play: no simulation, no interval.
//!
//! `engine::solve` carries the probability of every board forward, turn by turn, until all
//! games have ended. Boards that a symmetry of the rules maps to each other have equal futures and
//! are kept once. The result has the probability of winning, the mean number of moves and its
//! standard deviation.
//!
//! All sums have positive terms in 64-bit floating point, so rounding adds a relative error of at
//! most about 10⁻¹² for a few thousand terms in a row. What the computation leaves out (boards
//! beyond [`Limits`], numbers beyond ± 2³⁰) is counted in [`Exact::unresolved`]: the true
//! probability of winning always lies in [`Exact::win_bounds`].
//!
//! | file | contents |
//! | --- | --- |
//! | `board` | boards as codes, symmetries, and lines that are collapsed once |
//! | `engine` | the recursion over boards |
//! | `optimal` | the values of all boards under best play |
//! | `sixty_seven`, `twenty_forty_eight` | the rules in the form that the recursion uses |
//! | `zero_sum` | the values of the multiplication game under best play |

mod board;
mod engine;
mod optimal;
mod sixty_seven;
mod twenty_forty_eight;
mod zero_sum;

pub use zero_sum::values_table;

use tilelab_core::games::sixty_seven::SixtySeven;
use tilelab_core::games::twenty_forty_eight::TwentyFortyEight;

/// Cells of the largest board.
pub const CELLS_MAX: usize = board::CELLS_MAX;

/// When the computation gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Boards held at once. A million takes about 300 MB of memory.
    pub boards_max: usize,
    /// Rounds; only games without an end of their own reach it.
    pub rounds_max: u64,
}

impl Default for Limits {
    fn default() -> Self {
        Self {
            boards_max: 1_000_000,
            rounds_max: 100_000,
        }
    }
}

/// The figures of one game under random play.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Exact {
    /// The probability of winning, as far as it was found.
    pub won: f64,
    /// The probability of losing, as far as it was found.
    pub lost: f64,
    /// The probability that the game ends in neither within the limits: 1 − won − lost, at least 0.
    pub unresolved: f64,
    /// Moves of all games that ended.
    pub moves: Moves,
    /// Moves of the games that were won.
    pub moves_win: Moves,
    /// Boards that were examined, each before a move, up to symmetry; in games that count rounds,
    /// once for each round.
    pub boards: u64,
    /// The most boards held at once.
    pub boards_peak: usize,
    /// Whether the computation stopped at its limits.
    pub is_cut: bool,
}

impl Exact {
    /// The lowest and the highest probability of winning that the computation leaves open.
    #[must_use]
    pub fn win_bounds(&self) -> (f64, f64) {
        (self.won, self.won + self.unresolved)
    }
}

/// Sums over games that ended, weighted by probability.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct Moves {
    /// The probability of such games.
    pub probability: f64,
    /// The sum of moves.
    pub sum: f64,
    /// The sum of squared moves.
    pub squares: f64,
}

impl Moves {
    /// The mean number of moves; `None` when no such game is possible.
    #[must_use]
    pub fn mean(&self) -> Option<f64> {
        (self.probability > 0.0).then(|| self.sum / self.probability)
    }

    /// The standard deviation of the moves of one game; `None` when no such game is possible.
    #[must_use]
    pub fn standard_deviation(&self) -> Option<f64> {
        let mean = self.mean()?;
        Some(
            (self.squares / self.probability - mean * mean)
                .max(0.0)
                .sqrt(),
        )
    }
}

/// What the best player can reach.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Best {
    /// The lowest and the highest probability of winning that the computation leaves open.
    pub won: [f64; 2],
    /// Boards that were listed, up to symmetry: before each tile, and before a move.
    pub boards: u64,
    /// Whether the computation stopped at its limits.
    pub is_cut: bool,
}

/// A game that [`Problem::solve`] can work on.
pub struct Problem {
    kind: Kind,
}

enum Kind {
    SixtySeven(sixty_seven::Rules),
    TwentyFortyEight(twenty_forty_eight::Rules),
}

impl Problem {
    /// 67! with these rules.
    ///
    /// # Errors
    /// When the board has more than [`CELLS_MAX`] cells.
    pub fn sixty_seven(game: &SixtySeven) -> Result<Self, String> {
        board::check_size(game.rows, game.cols)?;
        Ok(Self {
            kind: Kind::SixtySeven(sixty_seven::Rules::new(game.clone())),
        })
    }

    /// 2048 with these rules.
    ///
    /// # Errors
    /// When the board has more than [`CELLS_MAX`] cells, or numbers on it beyond 2²⁴.
    pub fn twenty_forty_eight(game: &TwentyFortyEight) -> Result<Self, String> {
        board::check_size(game.rows, game.cols)?;
        Ok(Self {
            kind: Kind::TwentyFortyEight(twenty_forty_eight::Rules::new(game.clone())?),
        })
    }

    /// An upper bound on the boards held at once, known before anything is computed; infinite where
    /// the rules bound neither numbers nor rounds. Far fewer are usually met.
    #[must_use]
    pub fn boards_bound(&self) -> f64 {
        match &self.kind {
            Kind::SixtySeven(rules) => rules.boards_bound(),
            Kind::TwentyFortyEight(rules) => rules.boards_bound(),
        }
    }

    /// Computes the figures.
    #[must_use]
    pub fn solve(&self, limits: Limits) -> Exact {
        match &self.kind {
            Kind::SixtySeven(rules) => engine::solve(rules, limits),
            Kind::TwentyFortyEight(rules) => engine::solve(rules, limits),
        }
    }

    /// Computes the highest probability of winning that any player can reach.
    #[must_use]
    pub fn best(&self, limits: Limits) -> Best {
        match &self.kind {
            Kind::SixtySeven(rules) => optimal::solve(rules, limits),
            Kind::TwentyFortyEight(rules) => optimal::solve(rules, limits),
        }
    }
}
