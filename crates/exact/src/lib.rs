//! Exact figures of small games under random and under best play: no simulation, no interval.
//!
//! `engine::solve` carries the probability of every state forward, turn by turn, until all
//! games have ended. The result has the probability of winning, the mean number of moves and its
//! standard deviation. `optimal::solve` finds the value of every state under best play. Both work
//! on any game that lists its chances ([`Game::chances`](tilelab_games::game::Game::chances)).
//! Those of 67! and 2048 are compact: boards that a symmetry of the rules maps to each other have
//! equal futures and are kept once.
//!
//! All sums have positive terms in 64-bit floating point, so rounding adds a relative error of at
//! most about 10⁻¹² for a few thousand terms in a row. What the computation leaves out (boards
//! beyond [`Limits`], numbers beyond ± 2³⁰) is counted in [`Exact::unresolved`]: the true
//! probability of winning always lies in [`Exact::win_bounds`].
//!
//! | file | contents |
//! | --- | --- |
//! | `engine` | what both recursions know of a game, and that of random play |
//! | `optimal` | the values of all states under best play |
//! | `listed` | any game by its own rules |
//! | `board` | boards as codes, symmetries, and lines that are collapsed once |
//! | `sixty_seven`, `twenty_forty_eight` | the rules on such boards |
//! | `zero_sum` | the values of the multiplication game under best play |

mod board;
mod engine;
mod listed;
mod optimal;
mod sixty_seven;
mod twenty_forty_eight;
mod zero_sum;

pub use zero_sum::values_table;

use board::{BoardRules, Boards};
use engine::Rules;
use listed::{Listed, WINS};
use tilelab_games::catalog::GameEntry;
use tilelab_games::games::sixty_seven::{self as sixty_seven_rules, SixtySeven};
use tilelab_games::games::twenty_forty_eight::{
    self as twenty_forty_eight_rules, TwentyFortyEight,
};
use tilelab_games::params::Params;

/// A table of states or lines.
type HashMap<K, V> = std::collections::HashMap<K, V, foldhash::fast::FixedState>;

/// Cells of the largest board.
pub const CELLS_MAX: usize = board::CELLS_MAX;

/// When the computation gives up.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Limits {
    /// Boards held at once. A million takes about 300 MB of memory; states of a game that has no
    /// compact form are held to the end, and as large as their positions.
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
    /// The probability of a draw, as far as it was found.
    pub drawn: f64,
    /// The probability that the game ends in none of them within the limits, at least 0.
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
#[derive(Clone, Debug, PartialEq)]
pub struct Best {
    /// The lowest and the highest probability of winning that the computation leaves open. In a
    /// two-player game both play their best, for the first seat and against it, and a draw is half
    /// a win.
    pub won: [f64; 2],
    /// The lowest and the highest probability of winning after each move of the first choice, moves
    /// that end the game first; empty where chance comes before it, or where nothing is better than
    /// one of them.
    pub choices: Vec<[f64; 2]>,
    /// Boards that were listed, up to symmetry: before each tile, and before a move.
    pub boards: u64,
    /// Whether the computation stopped at its limits.
    pub is_cut: bool,
}

/// A game that [`Problem::solve`] can work on.
pub struct Problem {
    boards_bound: f64,
    solve: Box<dyn Fn(Limits) -> Exact>,
    best: Box<dyn Fn(Limits) -> Best>,
}

impl Problem {
    /// The problem of these rules, for both recursions.
    fn new<R: Rules>(boards_bound: f64, rules: impl Fn() -> R + Clone + 'static) -> Self {
        let same_rules = rules.clone();
        Self {
            boards_bound,
            solve: Box::new(move |limits| engine::solve(rules(), limits)),
            best: Box::new(move |limits| optimal::solve(same_rules(), limits)),
        }
    }

    fn on_boards<R: BoardRules + Clone + 'static>(rules: &R) -> Self {
        let boards = Boards::new(rules.clone());
        Self::new(rules.boards_bound(), move || boards.clone())
    }

    /// A game of the catalog with these parameters, which are complete.
    ///
    /// # Errors
    /// Says in one line what is missing: a smaller board, or the chances of the game.
    pub fn of(game: &'static GameEntry, params: &Params) -> Result<Self, String> {
        match game.name {
            sixty_seven_rules::NAME => Self::sixty_seven(&SixtySeven::from_params(params)),
            twenty_forty_eight_rules::NAME => {
                Self::twenty_forty_eight(&TwentyFortyEight::from_params(params))
            }
            _ => Self::listed(game, params),
        }
    }

    /// A game of the catalog with these parameters, state by state as its own rules play it.
    ///
    /// # Errors
    /// Says in one line which chances of the game are missing.
    pub fn listed(game: &'static GameEntry, params: &Params) -> Result<Self, String> {
        let params = params.clone();
        let rules = move || Listed::new(game, &params, WINS);
        rules()?;
        let checked = move || rules().expect("checked before");
        Ok(Self::new(f64::INFINITY, checked))
    }

    /// 67! with these rules.
    ///
    /// # Errors
    /// When the board has more than [`CELLS_MAX`] cells.
    pub fn sixty_seven(game: &SixtySeven) -> Result<Self, String> {
        board::check_size(game.rows, game.cols)?;
        Ok(Self::on_boards(game))
    }

    /// 2048 with these rules.
    ///
    /// # Errors
    /// When the board has more than [`CELLS_MAX`] cells, or numbers on it beyond 2²⁴.
    pub fn twenty_forty_eight(game: &TwentyFortyEight) -> Result<Self, String> {
        board::check_size(game.rows, game.cols)?;
        twenty_forty_eight::check_start(game)?;
        Ok(Self::on_boards(game))
    }

    /// An upper bound on the boards held at once, known before anything is computed; infinite where
    /// the rules bound neither numbers nor rounds. Far fewer are usually met.
    #[must_use]
    pub fn boards_bound(&self) -> f64 {
        self.boards_bound
    }

    /// Computes the figures.
    #[must_use]
    pub fn solve(&self, limits: Limits) -> Exact {
        (self.solve)(limits)
    }

    /// Computes the highest probability of winning that any player can reach.
    #[must_use]
    pub fn best(&self, limits: Limits) -> Best {
        (self.best)(limits)
    }
}
