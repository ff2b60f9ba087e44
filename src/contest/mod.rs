//! Contests of two-player games: a series between two players, and a tournament of every player
//! against every other.
//!
//! A game takes part with an implementation of [`ContestGame`] and a line in [`CONTESTS`]. The
//! functions here return games, rows and tables; whoever calls them prints and writes files.

mod offset;
pub mod series;
pub mod tournament;
mod zero_sum;

use crate::catalog::PlayerSpec;
use crate::game::Outcome;
use crate::games::offset::{Offset, log};
use crate::games::two_player::{SCORE_AT, TwoPlayerGame};
use crate::games::zero_sum::ZeroSum;
use crate::params::{ParamError, Params};
use crate::report::history;
use crate::report::schema::Column;
use crate::rng::{CellSeeds, Stream};
use series::{Series, SeriesGame};
use tournament::{Board, Options, Tournament};

/// What series and tournaments need to know of a game beyond its rules.
pub trait ContestGame: TwoPlayerGame {
    /// What a score counts, in the plural.
    const SCORES: &'static str;
    /// The columns of a series' rows after those of the players.
    const SERIES_COLUMNS: &'static [Column];
    /// The columns of a tournament's rows after those of the players.
    const TOURNAMENT_COLUMNS: &'static [Column];
    /// Whether [`ContestGame::log_line`] writes moves.
    const IS_LOGGED: bool = false;
    /// Whether [`ContestGame::history`] makes entries.
    const HAS_HISTORY: bool = false;
    /// The values of all starts under best play as a Markdown table, for a game that is small
    /// enough.
    const EXACT_TABLE: Option<fn() -> String> = None;

    /// The same game with everything decided that its start leaves to this world stream.
    #[must_use]
    fn dealt(self, _world: &mut Stream) -> Self {
        self
    }

    /// Every board of a tournament with these parameters, each with both seatings.
    fn boards(params: &Params) -> Vec<Board<Self>>;

    /// The values of [`ContestGame::SERIES_COLUMNS`] for a game that was dealt.
    fn series_row(&self, outcome: &Outcome) -> Vec<String>;

    /// The values of [`ContestGame::TOURNAMENT_COLUMNS`] for a game that was dealt.
    fn tournament_row(&self, outcome: &Outcome) -> Vec<String>;

    /// A move as a line of the log that `tilelab replay` reads.
    fn log_line(_state: &Self::State, _chosen: Self::Move) -> Option<String> {
        None
    }

    /// The options with which `tilelab replay` reads the log of this game.
    fn log_options(&self) -> String {
        String::new()
    }

    /// The entry of a finished game in the history of its algorithm.
    fn history(&self, _players: &[PlayerSpec; 2], _game: &SeriesGame) -> Option<history::Played> {
        None
    }

    /// A picture of a tournament as SVG, from its `games.csv`.
    ///
    /// # Errors
    /// Names the line that is not a game of a tournament.
    fn picture(_games_csv: &[u8]) -> Result<Option<String>, String> {
        Ok(None)
    }
}

/// A game that takes part in contests.
#[derive(Debug)]
pub struct Contest {
    /// The game's name.
    pub game: &'static str,
    /// See [`ContestGame::IS_LOGGED`].
    pub is_logged: bool,
    /// See [`ContestGame::HAS_HISTORY`].
    pub has_history: bool,
    /// See [`ContestGame::EXACT_TABLE`].
    pub exact_table: Option<fn() -> String>,
    /// See [`ContestGame::SERIES_COLUMNS`].
    pub series_columns: &'static [Column],
    /// See [`series::play`].
    pub series: fn(&Params, &[PlayerSpec; 2], CellSeeds, bool) -> Result<Series, ParamError>,
    /// See [`tournament::play`].
    pub tournament: fn(&Params, &[PlayerSpec], &Options) -> Result<Tournament, ContestError>,
    /// See [`ContestGame::picture`].
    pub picture: fn(&[u8]) -> Result<Option<String>, String>,
}

impl Contest {
    const fn of<G: ContestGame + Copy + Send + Sync + 'static>() -> Self {
        Self {
            game: G::NAME,
            is_logged: G::IS_LOGGED,
            has_history: G::HAS_HISTORY,
            exact_table: G::EXACT_TABLE,
            series_columns: G::SERIES_COLUMNS,
            series: series::play::<G>,
            tournament: tournament::play::<G>,
            picture: G::picture,
        }
    }
}

/// All games that take part in contests.
pub static CONTESTS: &[Contest] = &[Contest::of::<Offset>(), Contest::of::<ZeroSum>()];

/// The contests of the game with this name.
#[must_use]
pub fn of(game: &str) -> Option<&'static Contest> {
    CONTESTS.iter().find(|contest| contest.game == game)
}

/// A row: both players' labels and what the game adds.
fn row(players: &[PlayerSpec; 2], rest: Vec<String>) -> Vec<String> {
    players.iter().map(PlayerSpec::label).chain(rest).collect()
}

/// The final scores.
fn scores(outcome: &Outcome) -> [i64; 2] {
    SCORE_AT.map(|at| outcome.measures[at])
}

/// The winner's column: 0, 1 or draw.
fn winner_text(outcome: &Outcome) -> String {
    log::winner(scores(outcome)).map_or("draw".to_owned(), |winner| winner.to_string())
}

/// Why a tournament was not played.
#[derive(Debug, thiserror::Error)]
pub enum ContestError {
    /// The system does not give so many threads.
    #[error("{threads} threads: {reason}")]
    Threads {
        /// The threads asked for.
        threads: usize,
        /// What the system says.
        reason: String,
    },
    /// This machine cannot serve a player's parameter.
    #[error("{0}")]
    Player(#[from] ParamError),
}
