//! Games of policies and players as rows of `cells.csv`.

use crate::errors::wrong_input;
use crate::players::cell_of;
use numpy::{PyReadonlyArray1, PyReadonlyArray2};
use pyo3::prelude::*;
use std::sync::Arc;
use tilelab::catalog::PlayerSpec;
use tilelab::dictionary::kind_of_parameter;
use tilelab::external::named_entry;
use tilelab::plan::PlanEntry;
use tilelab::report::cells::Cells;
use tilelab::report::json;
use tilelab::results::rows::CellRows;
use tilelab::runner::Shard;
use tilelab::runner::state::{CellState, Header, PlanSource, RunState, Stopped};
use tilelab::{Cell, GameResult, Outcome, Overrides, Plan, Tally};

/// The games of one player: name, whether it is a policy, won (games,), moves (games,), and what
/// the game reports besides (games, measures).
type Games<'py> = (
    String,
    bool,
    PyReadonlyArray1<'py, bool>,
    PyReadonlyArray1<'py, i64>,
    PyReadonlyArray2<'py, i64>,
);

/// The `cells.csv` of these players' games 0, 1, 2, … of a cell.
#[pyfunction]
pub fn cells_csv(
    game: &str,
    settings: Vec<String>,
    seed: u64,
    confidence: f64,
    players: Vec<Games<'_>>,
) -> PyResult<crate::cells::Cells> {
    let mut plan = Plan {
        name: game.to_owned(),
        seed,
        confidence,
        interval: tilelab::stats::RateInterval::default(),
        titles: Vec::new(),
        cells: Vec::new(),
        entries: Vec::new(),
        text: String::new(),
        per_game: None,
        overrides: Overrides::default(),
    };
    let mut states = Vec::new();
    for (name, is_policy, won, moves, measures) in &players {
        let mut cell = if *is_policy {
            let mut cell = cell_of(game, &settings, &[])?;
            cell.players = vec![PlayerSpec::new(named_entry(name).map_err(wrong_input)?)];
            cell
        } else {
            cell_of(game, &settings, std::slice::from_ref(name))?
        };
        let tally = tally_of(&cell, (won, moves, measures))?;
        cell.games = tally.games;
        plan.titles = vec![cell.game.name.to_owned()];
        plan.cells.push(cell);
        states.push(Some(Arc::new(CellState {
            stopped: Some(Stopped::Games),
            games: tally.games,
            games_reported: tally.games,
            tally: Some(tally.clone()),
            ..CellState::default()
        })));
    }
    plan.entries = PlanEntry::of_each(&plan.cells);
    let state = RunState {
        header: Header::new(&plan, Shard::WHOLE),
        source: Arc::new(PlanSource::of(&plan)),
        cells: states,
        cells_not_in_plan: Vec::new(),
    };
    let mut rows = CellRows::new(&plan);
    rows.update(&plan, &state);
    let csv = rows.cells_csv();
    let cells = Cells::parse("cells.csv", &csv, &[]).map_err(wrong_input)?;
    let is_in_file = |game: &str| cells.records().any(|row| row.get("game") == Some(game));
    let columns = json::columns(&cells, &|name| kind_of_parameter(name, is_in_file));
    let columns = columns
        .into_iter()
        .map(|column| (column.name, column.kind.name().to_owned()));
    Ok(crate::cells::Cells::new(csv, columns.collect()))
}

/// The tally of games given as arrays.
fn tally_of(
    cell: &Cell,
    (won, moves, measures): (
        &PyReadonlyArray1<'_, bool>,
        &PyReadonlyArray1<'_, i64>,
        &PyReadonlyArray2<'_, i64>,
    ),
) -> PyResult<Tally> {
    let won = won.as_array();
    let moves = moves.as_array();
    let measures = measures.as_array();
    if moves.len() != won.len() || measures.dim() != (won.len(), cell.game.measures.len()) {
        return Err(wrong_input(
            "arrays: won, moves and measures need one row for each game",
        ));
    }
    let mut tally = Tally::new(cell.game.measures);
    for ((&won, &moves), measures) in won.iter().zip(moves).zip(measures.rows()) {
        let mut outcome = Outcome::new(
            if won {
                GameResult::Won
            } else {
                GameResult::Lost
            },
            moves.cast_unsigned(),
        );
        for (place, &measure) in outcome.measures.iter_mut().zip(measures) {
            *place = measure;
        }
        tally.add(&outcome);
    }
    Ok(tally)
}
