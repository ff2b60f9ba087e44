//! Transcripts that `tilelab replay --json` has written, as positions to step through.

use crate::game::{cells, slides};
use crate::text::error;
use serde_json::{Map, Value, json};
use tilelab::game::Describe;
use tilelab::game::view::{BoardView, Cell, Mark, Slide, Tone};
use tilelab::games::direction::Direction;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::twenty_forty_eight::TwentyFortyEight;
use tilelab::params::{Params, Value as Param};
use tilelab::requests::json_of;
use wasm_bindgen::prelude::*;

/// The longest transcript of one game, in turns.
const TURNS_MAX: usize = 1_000_000;
/// The largest board that is drawn.
const SIDE_MAX: u64 = 64;
const FORM: &str = "a transcript has one JSON object a line, as tilelab replay --json writes them";

/// A line of a transcript.
type Turn = Map<String, Value>;

/// A game: its number as text, and its lines with their numbers.
type Game = (String, Vec<(usize, Turn)>);

/// The games of a file.
#[wasm_bindgen]
pub struct Replay {
    games: Vec<Game>,
}

/// What a game's lines show.
enum Kind {
    /// A board: 67! and 2048.
    Board,
    /// One number, in this field.
    Display(&'static str),
    /// Piles of Offset on a board of this side.
    Piles(usize),
}

#[wasm_bindgen]
impl Replay {
    /// Reads a file.
    ///
    /// # Errors
    /// Names the first line that is not one of a transcript, and says why.
    #[wasm_bindgen(constructor)]
    pub fn new(text: &str) -> Result<Self, JsError> {
        games(text).map(|games| Self { games }).map_err(error)
    }

    /// The games as a JSON list, each with `index`, `length` (the number of its positions) and
    /// `outcome`.
    #[must_use]
    pub fn games(&self) -> String {
        let game = |(index, turns): &Game| {
            let end = &turns[turns.len() - 1].1;
            let length = turns.len() + usize::from(is_made(end));
            json!({"index": index, "length": length, "outcome": end["outcome"]})
        };
        self.games.iter().map(game).collect::<Value>().to_string()
    }

    /// Position number `at` of a game as JSON: `cells`, `facts`, `slides` and `last`, as those of
    /// `Game.view`.
    ///
    /// # Errors
    /// Names the line that cannot be shown, and says why.
    pub fn position(&self, game: usize, at: usize) -> Result<String, JsError> {
        let turns = self.games.get(game).map(|(_, turns)| turns.as_slice());
        let turns = turns.ok_or_else(|| error(format!("game {game}: there is none")))?;
        position(turns, at)
            .map(|position| position.to_string())
            .map_err(error)
    }
}

fn games(text: &str) -> Result<Vec<Game>, String> {
    let mut games: Vec<Game> = Vec::new();
    for (line, number) in text.lines().zip(1_usize..) {
        if line.trim().is_empty() {
            continue;
        }
        let wrong = |what: &str| format!("line {number}: {what}; {FORM}");
        let turn: Turn = serde_json::from_str(line)
            .map_err(|problem| wrong(&format!("not a JSON object ({problem})")))?;
        // The header of a record.
        if turn.contains_key("format") {
            continue;
        }
        check(&turn).map_err(|what| wrong(&what))?;
        let index = turn.get("game_index").map_or_else(String::new, plain);
        let at = games.iter().position(|(known, _)| *known == index);
        let at = at.unwrap_or_else(|| {
            games.push((index, Vec::new()));
            games.len() - 1
        });
        let turns = &mut games[at].1;
        if turns
            .last()
            .is_some_and(|(_, end)| !end["outcome"].is_null())
        {
            return Err(wrong("the game was over on the line before"));
        }
        if turns.len() == TURNS_MAX {
            return Err(wrong(&format!("more than {TURNS_MAX} turns")));
        }
        turns.push((number, turn));
    }
    if games.is_empty() {
        return Err(format!("the file is empty; {FORM}"));
    }
    for (_, turns) in &games {
        for at in [0, turns.len() - 1] {
            position(turns, at)?;
        }
    }
    Ok(games)
}

/// The move of a turn; a button in Calculator.
fn chosen(turn: &Turn) -> &Value {
    let chosen = turn.get("move").or_else(|| turn.get("button"));
    chosen.unwrap_or(&Value::Null)
}

fn is_made(turn: &Turn) -> bool {
    !chosen(turn).is_null()
}

fn check(turn: &Turn) -> Result<(), String> {
    let outcome = turn.get("outcome").ok_or("outcome is missing")?;
    let results = [json!("won"), json!("lost"), json!("drawn"), Value::Null];
    if !results.contains(outcome) {
        return Err(format!(
            "outcome: {outcome}; accepted: won, lost, drawn, null"
        ));
    }
    if !turn.contains_key("move") && !turn.contains_key("button") {
        return Err("move is missing".to_owned());
    }
    let chosen = chosen(turn);
    let legal = turn.get("legal").and_then(Value::as_array);
    if legal.is_some_and(|legal| !chosen.is_null() && !legal.contains(chosen)) {
        return Err(format!("the move {chosen} is not among the legal ones"));
    }
    Ok(())
}

fn kind(turns: &[(usize, Turn)]) -> Result<Kind, String> {
    let first = &turns[0].1;
    if first.contains_key("board") {
        Ok(Kind::Board)
    } else if first.contains_key("button") {
        Ok(Kind::Display("value"))
    } else if first.contains_key("number") {
        Ok(Kind::Display("number"))
    } else if first.contains_key("pair") {
        let mut side = 3;
        for (number, turn) in turns.iter().filter(|(_, turn)| is_made(turn)) {
            side = pair(chosen(turn))
                .map_err(|what| format!("line {number}: {what}; {FORM}"))?
                .into_iter()
                .flatten()
                .fold(side, u64::max);
        }
        // A file does not name the size; the moves of a whole game reach the edges.
        Ok(Kind::Piles(side as usize + 1))
    } else {
        Err(format!(
            "line {}: not a game that is shown here; {FORM}",
            turns[0].0
        ))
    }
}

/// Source and target of a move of Offset, each as column and row.
fn pair(chosen: &Value) -> Result<[[u64; 2]; 2], String> {
    let ends: [[u64; 2]; 2] = serde_json::from_value(chosen.clone())
        .map_err(|_| format!("move: {chosen} is not [[x, y], [x, y]]"))?;
    if ends.iter().flatten().any(|&place| place >= SIDE_MAX) {
        return Err(format!("move: {chosen} is not on a board"));
    }
    Ok(ends)
}

fn position(turns: &[(usize, Turn)], at: usize) -> Result<Value, String> {
    let kind = kind(turns)?;
    let (number, turn) = turns.get(at).unwrap_or(&turns[turns.len() - 1]);
    let before = at
        .checked_sub(1)
        .and_then(|at| turns.get(at))
        .map(|(_, turn)| turn);
    let (look, moved) = match kind {
        Kind::Board => board_position(turn, before, at == turns.len()),
        Kind::Display(field) => display(turn, field, at == turns.len()),
        Kind::Piles(side) => piles(&turns[..at.min(turns.len())], turn, side),
    }
    .map_err(|what| format!("line {number}: {what}; {FORM}"))?;
    let last = before.map(|turn| match chosen(turn) {
        Value::Array(_) => pair(chosen(turn)).map_or_else(
            |_| String::new(),
            |[from, to]| format!("{},{}-{},{}", from[0], from[1], to[0], to[1]),
        ),
        Value::Number(factor) => format!("× {factor}"),
        other => plain(other),
    });
    Ok(json!({"cells": cells(&look), "facts": look.facts, "slides": slides(&moved), "last": last}))
}

/// The board of a turn, or the one after it, with what the move before it made and what was dealt.
fn board_position(
    turn: &Turn,
    before: Option<&Turn>,
    is_after: bool,
) -> Result<(BoardView, Vec<Slide>), String> {
    const NO_FACTS: [&str; 8] = [
        "spawned",
        "board",
        "legal",
        "move",
        "after",
        "outcome",
        "game_index",
        "turn",
    ];
    let mut look = board(if is_after {
        &turn["after"]
    } else {
        &turn["board"]
    })?;
    let moved = before.and_then(slides_of).unwrap_or_default();
    for slide in &moved {
        let count = moved.iter().filter(|other| other.to == slide.to).count();
        let cell = look
            .cells
            .get_mut(slide.to.0)
            .and_then(|row| row.get_mut(slide.to.1));
        if let Some(cell) = cell.filter(|cell| count > 1 && cell.tone != Tone::Operator) {
            cell.mark = Some(Mark::Made);
        }
    }
    let spawned = turn.get("spawned").and_then(Value::as_array);
    for spawned in spawned.into_iter().flatten().filter(|_| !is_after) {
        let at = |name: &str| {
            spawned[name]
                .as_u64()
                .and_then(|at| usize::try_from(at).ok())
        };
        let cell = at("row")
            .zip(at("col"))
            .and_then(|(row, col)| look.cells.get_mut(row)?.get_mut(col));
        cell.ok_or_else(|| format!("spawned: {spawned} is not on the board"))?
            .mark = Some(Mark::Dealt);
    }
    let facts = turn
        .iter()
        .filter(|(name, _)| !NO_FACTS.contains(&name.as_str()));
    look.facts = facts
        .map(|(name, value)| (name.clone(), plain(value)))
        .collect();
    Ok((look, moved))
}

/// Where the move of a turn took its tiles, under whichever rules lead to the board after it.
fn slides_of(turn: &Turn) -> Option<Vec<Slide>> {
    let direction = Direction::from_name(chosen(turn).as_str()?)?;
    let (rows, after) = (&turn["board"], turn.get("after")?);
    let height = rows.as_array()?.len();
    let width = rows[0].as_array()?.len();
    let sized = |specs, rules: Option<&str>| {
        let mut params = Params::defaults(specs);
        params.set("rows", Param::Int(height as i64));
        params.set("cols", Param::Int(width as i64));
        if let Some(rules) = rules {
            params.set("rules", Param::Text(rules.to_owned()));
        }
        params
    };
    if rows[0][0].is_number() {
        let params = sized(tilelab::games::twenty_forty_eight::PARAMS, None);
        let game = TwentyFortyEight::from_params(&params);
        let position = json!({"board": rows, "merge_score": 0, "moves": 0, "spawns_due": 0});
        return slides_under(&game, &position, direction, after);
    }
    let position = json!({"board": rows, "round": 1});
    ["original", "gapless", "merge-pairs", "merge-runs"]
        .iter()
        .find_map(|rules| {
            let params = sized(tilelab::games::sixty_seven::PARAMS, Some(rules));
            let game = SixtySeven::from_params(&params);
            slides_under(&game, &position, direction, after)
        })
}

fn slides_under<G: Describe<Move = Direction>>(
    game: &G,
    position: &Value,
    direction: Direction,
    after: &Value,
) -> Option<Vec<Slide>> {
    let before = game.parse(&json_of(position)).ok()?;
    let mut moved = before.clone();
    game.play(&mut moved, direction);
    let is_same = game.position(&moved)["board"] == json_of(after);
    is_same.then(|| game.slides(&before, direction, &moved))
}

/// The number of a turn, or the one after it.
fn display(turn: &Turn, field: &str, is_after: bool) -> Result<(BoardView, Vec<Slide>), String> {
    let field = if is_after { "after" } else { field };
    let number = turn.get(field).and_then(Value::as_i64);
    let number = number.ok_or_else(|| format!("{field}: a whole number is needed"))?;
    let scores = match turn.get("scores_after").filter(|_| is_after) {
        Some(scores) => scores,
        None => turn.get("scores").unwrap_or(&Value::Null),
    };
    let mut facts: Vec<(String, String)> = [("left", "presses left"), ("stored", "stored")]
        .iter()
        .filter_map(|(field, name)| Some(((*name).to_owned(), plain(turn.get(*field)?))))
        .filter(|_| !is_after)
        .collect();
    for (score, seat) in scores.as_array().into_iter().flatten().zip(0..) {
        facts.push((format!("seat {seat}"), plain(score)));
    }
    let cells = vec![vec![Cell::new(number.to_string())]];
    Ok((BoardView { cells, facts }, Vec::new()))
}

/// The piles after these turns, from their moves: every cell begins with one coin.
fn piles(
    made: &[(usize, Turn)],
    turn: &Turn,
    side: usize,
) -> Result<(BoardView, Vec<Slide>), String> {
    let mut cells = vec![vec![Cell::new("1"); side]; side];
    let mut moved = Vec::new();
    for (at, (_, turn)) in made.iter().enumerate() {
        if !is_made(turn) {
            continue;
        }
        let [from, to] = pair(chosen(turn))?.map(|[x, y]| (y as usize, x as usize));
        let seat = turn
            .get("seat")
            .and_then(Value::as_u64)
            .filter(|&seat| seat < 2);
        let seat = seat.ok_or("seat: 0 or 1 is needed")? as usize;
        let mut pile = Cell::new(plain(turn.get("value").unwrap_or(&Value::Null)));
        pile.tone = Tone::Owned(seat);
        if at + 1 == made.len() {
            pile.mark = Some(Mark::Made);
            moved = [from, to].map(|from| Slide { from, to }).to_vec();
        }
        cells[from.0][from.1] = Cell::new("");
        cells[to.0][to.1] = pile;
    }
    let scores = made
        .last()
        .unwrap_or(&(0, Turn::new()))
        .1
        .get("scores")
        .cloned();
    let score = |seat: usize| {
        scores
            .as_ref()
            .map_or_else(|| "0".to_owned(), |all| plain(&all[seat]))
    };
    let mut facts: Vec<(String, String)> = (0..2)
        .map(|seat| (format!("seat {seat}"), score(seat)))
        .collect();
    if let (Some(seat), Some(pair)) = (turn.get("seat"), turn.get("pair")) {
        facts.push((format!("seat {} moves by", plain(seat)), plain(pair)));
    }
    Ok((BoardView { cells, facts }, moved))
}

/// A board whose rows are equally long.
fn board(rows: &Value) -> Result<BoardView, String> {
    let mut look = BoardView::of_position(&json_of(&json!({"board": rows})));
    let width = look.cells.first().map_or(0, Vec::len);
    if width == 0 || look.cells.iter().any(|row| row.len() != width) {
        return Err("board: its rows are not lists of equal length".to_owned());
    }
    // 2048 writes an empty cell as 0.
    if rows[0][0].is_number() {
        let empty = look
            .cells
            .iter_mut()
            .flatten()
            .filter(|cell| cell.text == "0");
        empty.for_each(|cell| *cell = Cell::new(""));
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
