//! Records of games: a header that says which game it is, then a JSON line for each turn, as
//! `tilelab replay --json` writes them.

use crate::game::{Game, result};
use crate::text::error;
use serde_json::{Map, Value, json};
use tilelab::{Cell, plan};
use wasm_bindgen::prelude::*;

const FORMAT: &str = "tilelab-game";
/// The player of a record where a person played.
const PERSON: &str = "person";
const FORM: &str = "a record begins with a line such as {\"format\": \"tilelab-game\", \"cell\": \
                    \"sixty-seven/rules=original,rows=6,cols=7/random\", \"seed\": \"67\", \
                    \"index\": \"0\"} and has one JSON object a turn, as tilelab replay --json \
                    writes them";

/// The first game of a file as JSON: `setup` (as `readCell` tells it) and `moves` (their names).
///
/// # Errors
/// Names the first line that is not one of a record, and says why.
#[wasm_bindgen(js_name = readRecord)]
pub fn read_record(text: &str) -> Result<String, JsError> {
    read(text).map(|game| game.to_string()).map_err(error)
}

fn read(text: &str) -> Result<Value, String> {
    let mut game: Option<Value> = None;
    for (line, number) in text
        .lines()
        .zip(1..)
        .filter(|(line, _)| !line.trim().is_empty())
    {
        let wrong = |what: String| format!("line {number}: {what}; {FORM}");
        let read: Map<String, Value> = serde_json::from_str(line)
            .map_err(|problem| wrong(format!("not a JSON object ({problem})")))?;
        if read.get("format").is_some_and(|format| format == FORMAT) {
            if game.is_some() {
                // Further games of the file.
                break;
            }
            game = Some(json!({"setup": setup(&read).map_err(wrong)?, "moves": []}));
            continue;
        }
        let game = game
            .as_mut()
            .ok_or_else(|| wrong("a game without a header".to_owned()))?;
        let made = read.get("move").or_else(|| read.get("button"));
        let made = made.ok_or_else(|| wrong("move is missing".to_owned()))?;
        if let (Some(name), Some(moves)) = (name(made), game["moves"].as_array_mut()) {
            moves.push(name.into());
        }
    }
    game.ok_or_else(|| format!("the file is empty; {FORM}"))
}

fn setup(header: &Map<String, Value>) -> Result<Value, String> {
    let text = |name: &str| match header.get(name) {
        Some(Value::String(text)) => Ok(text.clone()),
        Some(Value::Number(number)) => Ok(number.to_string()),
        _ => Err(format!("{name} is missing")),
    };
    let cell = text("cell")?;
    let mut parts = cell.split('/');
    let game = plan::game(parts.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let settings = parts.next().unwrap_or_default().split(',');
    let settings = settings.filter_map(|setting| setting.split_once('='));
    let params = settings.filter(|(_, value)| !value.is_empty());
    let params: Map<String, Value> = params
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    let players = parts.map(|name| if name == PERSON { "" } else { name });
    let players = players.chain(std::iter::repeat("")).take(game.seats);
    Ok(json!({
        "game": game.name,
        "params": params,
        "players": players.collect::<Vec<_>>(),
        "seat": 0,
        "seed": text("seed")?,
        "index": text("index")?,
    }))
}

/// The name of a move in a turn: as it is, or for two cells as `1,2-3,4`; `None` where there was no
/// move.
fn name(made: &Value) -> Option<String> {
    match made {
        Value::Null => None,
        Value::Array(ends) => {
            let end = |end: &Value| format!("{},{}", end[0], end[1]);
            Some(ends.iter().map(end).collect::<Vec<_>>().join("-"))
        }
        Value::String(name) => Some(name.clone()),
        other => Some(other.to_string()),
    }
}

#[wasm_bindgen]
impl Game {
    /// The game so far as a record, which this page reads. `players` is a JSON list of those that
    /// played, as cells write them, and `person` the seat of a person.
    #[must_use]
    pub fn record(&self, players: &str, person: Option<usize>) -> String {
        let Cell { game, params, .. } = &self.cell;
        let named: Vec<String> = serde_json::from_str(players).unwrap_or_default();
        let is_known = |name: &&String| {
            let name = name.split('(').next().unwrap_or_default();
            game.players.iter().any(|player| player.name == name)
        };
        let player = |seat: usize| match named.get(seat).filter(is_known) {
            _ if person == Some(seat) => PERSON.to_owned(),
            Some(name) => name.clone(),
            None => String::new(),
        };
        let players: Vec<String> = (0..game.seats).map(player).collect();
        let key = self.cell.key();
        let cell = key
            .split('/')
            .take(2)
            .chain(players.iter().map(String::as_str));
        let outcome = self.session.view().outcome;
        let rules = params.iter();
        let rules = rules.map(|(name, value)| (name.to_owned(), value.to_string().into()));
        let header = json!({
            "format": FORMAT,
            "version": env!("CARGO_PKG_VERSION"),
            "game": game.name,
            "rules": rules.collect::<Map<String, Value>>(),
            "players": players,
            "cell": cell.collect::<Vec<_>>().join("/"),
            "seed": self.seed.to_string(),
            "index": self.index.to_string(),
            "outcome": outcome.map(|outcome| result(outcome.result)),
        });
        let moves = self
            .made
            .iter()
            .map(|name| json!({"move": name}).to_string());
        std::iter::once(header.to_string())
            .chain(moves)
            .map(|line| line + "\n")
            .collect()
    }
}
