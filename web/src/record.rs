//! Records of games, as `tilelab replay --json` writes them: the header says which game it is, and
//! has its moves.

use crate::game::{Game, result};
use crate::text::error;
use serde_json::{Map, Value, json};
use tilelab::{Cell, plan};
use wasm_bindgen::prelude::*;

const FORMAT: &str = "tilelab game";
const VERSION: u64 = 1;
/// The player of a record where a person played.
const PERSON: &str = "person";
const FORM: &str = "a record begins with a header, as tilelab replay --json writes it";

/// The first game of a file as JSON: `setup` (as `readCell` tells it) and `moves` (their names).
///
/// # Errors
/// Says why the first line is not the header of a record.
#[wasm_bindgen(js_name = readRecord)]
pub fn read_record(text: &str) -> Result<String, JsError> {
    read(text).map(|game| game.to_string()).map_err(error)
}

fn read(text: &str) -> Result<Value, String> {
    let mut lines = text.lines().zip(1..);
    let first = lines.find(|(line, _)| !line.trim().is_empty());
    let (line, number) = first.ok_or_else(|| format!("the file is empty; {FORM}"))?;
    let wrong = |what: String| format!("line {number}: {what}; {FORM}");
    let header: Map<String, Value> = serde_json::from_str(line)
        .map_err(|problem| wrong(format!("not a JSON object ({problem})")))?;
    if header.get("format").is_none_or(|format| format != FORMAT) {
        return Err(wrong("a game without a header".to_owned()));
    }
    if header
        .get("version")
        .is_none_or(|version| *version != VERSION)
    {
        return Err(wrong(format!("version: accepted: {VERSION}")));
    }
    let moves = header.get("moves").filter(|moves| moves.is_array());
    let moves = moves.ok_or_else(|| wrong("moves are missing".to_owned()))?;
    let setup = setup(&header).map_err(wrong)?;
    Ok(json!({"setup": setup, "moves": moves}))
}

fn setup(header: &Map<String, Value>) -> Result<Value, String> {
    let text = |name: &str| match header.get(name) {
        None => Err(format!("{name} is missing")),
        Some(value) => Ok(plain(value)),
    };
    let name = text("game")?;
    let game = plan::game(&name).map_err(|error| error.to_string())?;
    // The key of a cell names fewer settings than the rules; that of a match is of another form.
    let key = text("cell").unwrap_or_default();
    let key = key.strip_prefix(&format!("{name}/")).unwrap_or_default();
    let settings = key.split('/').next().unwrap_or_default().split(',');
    let settings = settings.filter_map(|setting| setting.split_once('='));
    let settings = settings.filter(|(_, value)| !value.is_empty());
    let mut params: Map<String, Value> = settings
        .map(|(name, value)| (name.to_owned(), value.into()))
        .collect();
    if let Some(rules) = header.get("rules").and_then(Value::as_object)
        && params.is_empty()
    {
        let rules = rules.iter();
        params.extend(rules.map(|(name, value)| (name.clone(), plain(value).into())));
    }
    let players = header.get("players").and_then(Value::as_array);
    let players = players.into_iter().flatten().map(plain);
    let players = players.map(|name| if name == PERSON { String::new() } else { name });
    let players = players.chain(std::iter::repeat(String::new()));
    Ok(json!({
        "game": game.name,
        "params": params,
        "players": players.take(game.seats).collect::<Vec<_>>(),
        "seat": 0,
        "seed": text("seed")?,
        "index": text("game_index")?,
    }))
}

/// A value as settings write it.
fn plain(value: &Value) -> String {
    value
        .as_str()
        .map_or_else(|| value.to_string(), str::to_owned)
}

#[wasm_bindgen]
impl Game {
    /// The header of a record of the game so far. `players` is a JSON list of those that played, as
    /// cells write them, and `person` the seat of a person.
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
        let outcome = self.session.view().outcome;
        let rules = params.iter();
        let rules = rules.map(|(name, value)| (name.to_owned(), value.to_string().into()));
        let header = json!({
            "format": FORMAT,
            "version": VERSION,
            "tilelab": env!("CARGO_PKG_VERSION"),
            "game": game.name,
            "rules": rules.collect::<Map<String, Value>>(),
            "players": players,
            "seed": self.seed,
            "cell": self.cell.key(),
            "game_index": self.index,
            "outcome": outcome.map(|outcome| result(outcome.result)),
            "turns": self.made.len(),
            "moves": self.made,
        });
        header.to_string() + "\n"
    }
}
