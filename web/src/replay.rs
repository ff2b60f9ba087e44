//! Transcripts that `tilelab replay --json` has written, as positions to step through.

use crate::game::cells;
use crate::text::error;
use serde_json::{Map, Value, json};
use tilelab::game::view::{BoardView, Mark};
use wasm_bindgen::prelude::*;

/// The longest transcript that is read, in turns.
const TURNS_MAX: usize = 1_000_000;
/// Fields of a line that are shown elsewhere than among the facts.
const NO_FACTS: [&str; 9] =
    ["spawned", "board", "legal", "legal_count", "move", "button", "after", "scores_after", "outcome"];

/// Reads the transcript of one game and returns its turns as a JSON list, each with `cells` (as
/// those of `Game.view`, after the deal), `after` (rows of tiles after the move, or null), `facts`,
/// `legal`, `move` (null where the deal ended the game) and `outcome`.
///
/// # Errors
/// Names the first line that is not one of a transcript, and says why.
#[wasm_bindgen(js_name = replayOf)]
pub fn replay_of(lines: &str) -> Result<String, JsError> {
    turns(lines).map(|turns| json!(turns).to_string()).map_err(error)
}

fn turns(lines: &str) -> Result<Vec<Value>, String> {
    let form = "a transcript has one JSON object a line, as tilelab replay --json writes them";
    let mut turns = Vec::new();
    let mut is_over = false;
    let mut game = None;
    for (line, number) in lines.lines().zip(1_usize..).filter(|(line, _)| !line.trim().is_empty()) {
        let wrong = |what: &str| format!("line {number}: {what}; {form}");
        if turns.len() == TURNS_MAX {
            return Err(wrong(&format!("more than {TURNS_MAX} turns")));
        }
        let fields: Map<String, Value> =
            serde_json::from_str(line).map_err(|problem| wrong(&format!("not a JSON object ({problem})")))?;
        let this = fields.get("game_index").and_then(Value::as_u64);
        if turns.is_empty() {
            game = this;
        } else if this != game {
            // One game of a file of many: the first.
            break;
        }
        if is_over {
            return Err(wrong("the game was over on the line before"));
        }
        let turn = turn(&fields).map_err(|what| wrong(&what))?;
        is_over = !turn["outcome"].is_null();
        turns.push(turn);
    }
    match turns.len() {
        0 => Err(format!("the file is empty; {form}")),
        _ => Ok(turns),
    }
}

fn turn(fields: &Map<String, Value>) -> Result<Value, String> {
    let field = |name: &str| fields.get(name).unwrap_or(&Value::Null);
    let outcome = fields.get("outcome").ok_or("outcome is missing")?;
    if !(outcome.is_null() || ["won", "lost", "drawn"].iter().any(|result| outcome == result)) {
        return Err(format!("outcome: {outcome}; accepted: won, lost, drawn, null"));
    }
    let chosen = fields.get("move").or_else(|| fields.get("button")).ok_or("move is missing")?;
    if let Some(legal) = field("legal").as_array()
        && !chosen.is_null()
        && !legal.contains(chosen)
    {
        return Err(format!("the move {chosen} is not among the legal ones"));
    }
    let mut look = board(field("board"))?;
    for spawned in field("spawned").as_array().into_iter().flatten() {
        let at = |name: &str| spawned[name].as_u64().and_then(|at| usize::try_from(at).ok());
        let cell = at("row").zip(at("col")).and_then(|(row, col)| look.cells.get_mut(row)?.get_mut(col));
        cell.ok_or_else(|| format!("spawned: {spawned} is not on the board"))?.mark = Some(Mark::Dealt);
    }
    let after = match field("after") {
        rows @ Value::Array(_) => cells(&board(rows)?),
        _ => Value::Null,
    };
    let facts: Vec<(&str, String)> = fields
        .iter()
        .filter(|(name, _)| !NO_FACTS.contains(&name.as_str()))
        .map(|(name, value)| (name.as_str(), plain(value)))
        .collect();
    let legal: Vec<String> = field("legal").as_array().into_iter().flatten().map(plain).collect();
    Ok(json!({
        "cells": cells(&look),
        "after": after,
        "facts": facts,
        "legal": legal,
        "move": if chosen.is_null() { Value::Null } else { plain(chosen).into() },
        "outcome": outcome,
    }))
}

/// A board whose rows are equally long; none where the line has no board.
fn board(rows: &Value) -> Result<BoardView, String> {
    if rows.is_null() {
        return Ok(BoardView::default());
    }
    let mut look = BoardView::of_position(&json!({"board": rows}));
    let width = look.cells.first().map_or(0, Vec::len);
    if width == 0 || look.cells.iter().any(|row| row.len() != width) {
        return Err("board: its rows are not lists of equal length".to_owned());
    }
    // 2048 writes an empty cell as 0.
    if rows[0][0].is_number() {
        for cell in look.cells.iter_mut().flatten().filter(|cell| cell.text == "0") {
            *cell = tilelab::game::view::Cell::new("");
        }
    }
    Ok(look)
}

/// A value as text.
fn plain(value: &Value) -> String {
    match value {
        Value::String(text) => text.clone(),
        Value::Array(values) => values.iter().map(plain).collect::<Vec<_>>().join(" "),
        Value::Null => String::new(),
        other => other.to_string(),
    }
}
