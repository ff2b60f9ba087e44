//! Two players play one game or several in a row.

use super::{ContestGame, row};
use crate::catalog::PlayerSpec;
use crate::game::Outcome;
use crate::params::{ParamError, Params};
use crate::players::two_player::seats::Seats;
use crate::report::history;
use crate::rng::CellSeeds;
use std::time::{Duration, Instant};

/// A finished game of a series.
#[derive(Clone, Debug)]
pub struct SeriesGame {
    /// Result, scores and visited positions.
    pub outcome: Outcome,
    /// Mean time of a choice of player 0.
    pub choice_time: Duration,
    /// The moves, one line each, as `tilelab replay` reads them; empty unless asked for.
    pub log: String,
    /// The options with which `tilelab replay` reads the log.
    pub log_options: String,
    /// The values of the players' columns and of [`ContestGame::SERIES_COLUMNS`].
    pub row: Vec<String>,
    /// The game's entry in the history, where the game has one.
    pub history: Option<history::Played>,
}

/// The games of a series, one after the other, without end.
pub type Series = Box<dyn Iterator<Item = SeriesGame>>;

/// Plays games one after the other, without end. The log of moves is kept when `is_logged`.
///
/// # Errors
/// Names the parameter of a player that this machine cannot serve.
pub fn play<G: ContestGame + 'static>(
    params: &Params,
    players: &[PlayerSpec; 2],
    seeds: CellSeeds,
    is_logged: bool,
) -> Result<Series, ParamError> {
    let mut seats = Seats::<G>::of(players)?;
    let rules_of = G::rules(params);
    let players = players.clone();
    Ok(Box::new((0_u64..).map(move |index| {
        let rules = rules_of(index).dealt(&mut seeds.world_stream(index));
        let mut log = String::new();
        let mut thinking = Duration::ZERO;
        let mut choices = 0_u32;
        let mut since = Instant::now();
        let outcome = seats.play(&rules, seeds.world_stream(index), &seeds.player_stream(index), |state, chosen| {
            if rules.seat(state) == 0 {
                thinking += since.elapsed();
                choices += 1;
            }
            if let Some(line) = is_logged.then(|| G::log_line(state, chosen)).flatten() {
                log.push_str(&line);
                log.push('\n');
            }
            since = Instant::now();
        });
        let mut game = SeriesGame {
            outcome,
            choice_time: thinking / choices.max(1),
            log,
            log_options: rules.log_options(),
            row: row(&players, rules.series_row(&outcome)),
            history: None,
        };
        game.history = rules.history(&players, &game);
        game
    })))
}
