//! Questions about single positions: legal moves, moves carried out, puzzles solved.

use crate::errors::wrong_input;
use pyo3::prelude::*;
use tilelab::games::calculator::{Level, Portal, solver};
use tilelab::levels::built_in;
use tilelab::{plan, requests};

/// Answers one request of `tilelab move`, JSON to JSON.
#[pyfunction]
pub fn answer(
    py: Python<'_>,
    game: &str,
    settings: Vec<String>,
    request: &str,
) -> PyResult<String> {
    py.detach(|| {
        let game = plan::game(game).map_err(wrong_input)?;
        let params = plan::params(game, &settings).map_err(wrong_input)?;
        requests::answer(game, &params, request.as_bytes())
            .map(|answer| answer.to_string())
            .map_err(wrong_input)
    })
}

/// Solves a level of Calculator: the buttons of one shortest solution, or of all solutions; empty
/// where the goal is out of reach.
#[pyfunction]
#[pyo3(signature = (start, goal, moves, buttons, portal=None, all=false))]
pub fn solve_level(
    py: Python<'_>,
    start: i64,
    goal: i64,
    moves: i64,
    buttons: Vec<String>,
    portal: Option<&str>,
    all: bool,
) -> PyResult<Vec<Vec<String>>> {
    let level = Level::new(1, [start, goal, moves], &buttons, portal.map(Portal::parse))
        .map_err(|reasons| wrong_input(reasons.join("\n")))?;
    py.detach(|| solutions(&level, all))
}

/// Solves a level of the game's 199 by its number; see [`solve_level`].
#[pyfunction]
#[pyo3(signature = (number, all=false))]
pub fn solve_number(py: Python<'_>, number: u32, all: bool) -> PyResult<Vec<Vec<String>>> {
    py.detach(|| {
        let levels = built_in();
        let most = levels.len();
        let listed = levels
            .into_iter()
            .find(|listed| listed.level.number == number);
        let listed = listed.ok_or_else(|| {
            wrong_input(format!(
                "level={number}: no such level; there are levels 1 to {most}"
            ))
        })?;
        solutions(&listed.level, all)
    })
}

fn solutions(level: &Level, all: bool) -> PyResult<Vec<Vec<String>>> {
    if all {
        return Ok(solver::all(level).map_err(wrong_input)?.list());
    }
    Ok(solver::shortest(level)
        .map_err(wrong_input)?
        .solution
        .into_iter()
        .collect())
}

/// Reads a number of games such as `250k` or `1e6`.
#[pyfunction]
pub fn count(text: &str) -> PyResult<u64> {
    tilelab::text::count(text).ok_or_else(|| {
        wrong_input(format!(
            "games={text:?}: accepted: {}",
            tilelab::text::COUNT_FORM
        ))
    })
}
