//! Contests of the multiplication game: a unit of a tournament is a start number.

use super::series::SeriesGame;
use super::tournament::Board;
use super::{ContestGame, scores, winner_text};
use crate::catalog::PlayerSpec;
use crate::game::registry::PlayableGame;
use crate::game::{Game, GameResult, Outcome};
use crate::games::two_player::NODES_AT;
use crate::games::zero_sum::{PARAMS, STARTS, ZeroSum};
use crate::params::Params;
use crate::players::two_player::exact::Exact;
use crate::report::history;
use crate::report::other_files::{ZERO_SUM_SERIES, ZERO_SUM_TOURNAMENT};
use crate::report::schema::Column;
use crate::report::table::{Align, Table};
use crate::rng::{SeedableRng, Stream};

impl ContestGame for ZeroSum {
    const SCORES: &'static str = "points";
    const SERIES_COLUMNS: &'static [Column] = &ZERO_SUM_SERIES;
    const TOURNAMENT_COLUMNS: &'static [Column] = &ZERO_SUM_TOURNAMENT;
    const HAS_HISTORY: bool = true;
    const EXACT_TABLE: Option<fn() -> String> = Some(exact_table);

    fn boards(params: &Params) -> Vec<Board<Self>> {
        let rules = Self::build(params);
        let boards = STARTS.flat_map(|start| {
            let unit = (start - STARTS.start()) as usize;
            [0, 1].map(|beginner| Board { rules: Self { start, beginner, ..rules }, unit })
        });
        boards.collect()
    }

    fn series_row(&self, outcome: &Outcome) -> Vec<String> {
        let mut row = self.tournament_row(outcome);
        row.insert(2, winner_text(outcome));
        row
    }

    fn tournament_row(&self, outcome: &Outcome) -> Vec<String> {
        let mut row = vec![self.start.to_string(), self.beginner.to_string()];
        row.extend(scores(outcome).map(|score| score.to_string()));
        row.push(outcome.moves.to_string());
        row.extend(NODES_AT.map(|at| outcome.measures[at].to_string()));
        row
    }

    fn history(&self, players: &[PlayerSpec; 2], game: &SeriesGame) -> Option<history::Played> {
        Some(history::Played {
            result: result_text(game.outcome.result).to_owned(),
            start: self.start,
            nodes: game.outcome.measures[NODES_AT[0]] as u64,
            move_ms: game.choice_time.as_secs_f64() * 1e3,
            algorithm: players[0].label(),
            opponent: players[1].label(),
            beginner: self.beginner,
            time: history::utc_now(),
        })
    }
}

/// How a game ended for player 0, as the history writes it.
const fn result_text(result: GameResult) -> &'static str {
    match result {
        GameResult::Won => "won",
        GameResult::Drawn => "drawn",
        GameResult::Lost => "lost",
    }
}

/// The exact values under best play as a Markdown table, for every start number and both beginners.
fn exact_table() -> String {
    let mut table = Table::new([
        ("start", Align::Right),
        ("beginner", Align::Left),
        ("result for the player", Align::Left),
        ("final difference", Align::Right),
        ("first multiplier", Align::Right),
    ]);
    for Board { rules: game, .. } in ZeroSum::boards(&Params::defaults(PARAMS)) {
        let state = game.start(&mut Stream::seed_from_u64(0));
        let mut exact = Exact::default();
        let margin = exact.margin(&game, &mut state.clone());
        let first = exact.choose(&game, &state);
        let result = ["lost", "drawn", "won"][(margin.signum() + 1) as usize];
        let name = ["player", "opponent"][game.beginner];
        table.row([
            game.start.to_string(),
            name.to_owned(),
            result.to_owned(),
            format!("{margin:+}"),
            first.to_string(),
        ]);
    }
    table.to_string()
}
