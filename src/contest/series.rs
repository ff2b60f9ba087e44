//! Two players play one game or several in a row.

use crate::catalog::PlayerSpec;
use crate::game::Outcome;
use crate::games::offset::{self, Assignment, Offset, Position as _, log};
use crate::games::two_player::{NODES_AT, SCORE_AT};
use crate::games::zero_sum::ZeroSum;
use crate::params::ParamError;
use crate::players::two_player::seats::Seats;
use crate::rng::CellSeeds;
use std::time::{Duration, Instant};

/// A finished game of Offset.
#[derive(Clone, Debug)]
pub struct OffsetGame {
    /// The pairs of both players.
    pub pairs: [offset::Pair; 2],
    /// Result and scores.
    pub outcome: Outcome,
    /// The moves, one line each, as `tilelab replay offset --log` reads them; empty unless asked
    /// for.
    pub log: String,
}

/// Plays games of Offset one after the other, without end.
///
/// `assignments` are dealt in turn; where there are none, the rules draw the pairs. The log of
/// moves is kept when `is_logged`.
///
/// # Errors
/// Names the parameter of a player that this machine cannot serve.
pub fn offset_games(
    rules: Offset,
    assignments: Vec<Assignment>,
    players: &[PlayerSpec; 2],
    seeds: CellSeeds,
    is_logged: bool,
) -> Result<impl Iterator<Item = OffsetGame>, ParamError> {
    let mut seats = Seats::of(players)?;
    Ok((0_u64..).map(move |index| {
        let rules = match assignments.len() as u64 {
            0 => rules,
            count => rules.assigned(assignments[(index % count) as usize]),
        };
        let mut pairs = None;
        let mut log = String::new();
        let outcome = seats.play(&rules, seeds.world_stream(index), &seeds.player_stream(index), |board, chosen| {
            pairs = Some(board.pairs());
            if is_logged {
                log.push_str(&log::Entry::of(board, chosen).line());
                log.push('\n');
            }
        });
        // A game without any move (d beyond the board) has shown no board; its pairs are those of
        // its start.
        let pairs = pairs.unwrap_or_else(|| rules.pairs_of(&mut seeds.world_stream(index)));
        OffsetGame { pairs, outcome, log }
    }))
}

/// A finished game of the multiplication game.
#[derive(Clone, Copy, Debug)]
pub struct ZeroSumGame {
    /// Result, scores and visited positions.
    pub outcome: Outcome,
    /// Mean time of a choice of player 0.
    pub choice_time: Duration,
}

/// Plays games of the multiplication game one after the other, without end.
///
/// # Errors
/// Names the parameter of a player that this machine cannot serve.
pub fn zero_sum_games(
    rules: ZeroSum,
    players: &[PlayerSpec; 2],
    seeds: CellSeeds,
) -> Result<impl Iterator<Item = ZeroSumGame>, ParamError> {
    let mut seats = Seats::of(players)?;
    Ok((0_u64..).map(move |index| {
        let mut thinking = Duration::ZERO;
        let mut choices = 0_u32;
        let mut since = Instant::now();
        let outcome = seats.play(&rules, seeds.world_stream(index), &seeds.player_stream(index), |state, _| {
            if state.seat == 0 {
                thinking += since.elapsed();
                choices += 1;
            }
            since = Instant::now();
        });
        ZeroSumGame { outcome, choice_time: thinking / choices.max(1) }
    }))
}

/// The columns of Offset's result rows.
pub const OFFSET_COLUMNS: [&str; 10] =
    ["player0", "player1", "d", "p0", "q0", "p1", "q1", "winner", "score0", "score1"];

/// A result row of Offset.
#[must_use]
pub fn offset_row(players: &[PlayerSpec; 2], d: i64, pairs: [offset::Pair; 2], outcome: &Outcome) -> Vec<String> {
    let [(p0, q0), (p1, q1)] = pairs.map(offset::Pair::parts);
    let mut row: Vec<String> = players.iter().map(PlayerSpec::label).collect();
    row.push(d.to_string());
    row.extend([p0, q0, p1, q1].map(|part| part.to_string()));
    row.push(winner_text(outcome));
    row.extend(SCORE_AT.map(|at| outcome.measures[at].to_string()));
    row
}

/// The columns of the multiplication game's result rows.
pub const ZERO_SUM_COLUMNS: [&str; 10] =
    ["player0", "player1", "start", "beginner", "winner", "score0", "score1", "moves", "nodes0", "nodes1"];

/// A result row of the multiplication game.
#[must_use]
pub fn zero_sum_row(players: &[PlayerSpec; 2], rules: &ZeroSum, outcome: &Outcome) -> Vec<String> {
    let mut row: Vec<String> = players.iter().map(PlayerSpec::label).collect();
    row.extend([rules.start.to_string(), rules.beginner.to_string(), winner_text(outcome)]);
    row.extend(SCORE_AT.map(|at| outcome.measures[at].to_string()));
    row.push(outcome.moves.to_string());
    row.extend(NODES_AT.map(|at| outcome.measures[at].to_string()));
    row
}

/// The winner's column: 0, 1 or draw.
fn winner_text(outcome: &Outcome) -> String {
    let scores = SCORE_AT.map(|at| outcome.measures[at]);
    log::winner(scores).map_or("draw".to_owned(), |winner| winner.to_string())
}
