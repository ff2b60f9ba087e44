//! Records of games, which the page reads and writes as the program does.

use crate::game::Game;
use crate::text::error;
use serde_json::{Map, Value, json};
use tilelab::record;
use wasm_bindgen::prelude::*;

/// The first game of a file as JSON: `setup` (as `readCell` tells it) and `moves` (their names).
///
/// # Errors
/// Names the first line that is not one of a record, and says why.
#[wasm_bindgen(js_name = readRecord)]
pub fn read_record(text: &str) -> Result<String, JsError> {
    let records = record::of_text(text).map_err(error)?;
    let first = &records[0];
    let moves = first.moves.as_ref();
    let moves = moves.ok_or_else(|| error("moves: missing; games of value lanes have none"))?;
    let params = first.cell.params.iter();
    let params = params.map(|(name, value)| (name.to_owned(), value.to_string()));
    let params: Map<String, Value> = params
        .filter(|(_, value)| !value.is_empty())
        .map(|(name, value)| (name, value.into()))
        .collect();
    let players = first.players.iter().map(String::as_str);
    let players = players.map(|name| if name == record::PERSON { "" } else { name });
    let setup = json!({
        "game": first.cell.game.name,
        "params": params,
        "players": players.collect::<Vec<_>>(),
        "seat": 0,
        "seed": first.seed.to_string(),
        "index": first.game.to_string(),
    });
    Ok(json!({"setup": setup, "moves": moves}).to_string())
}

#[wasm_bindgen]
impl Game {
    /// The game so far as a record. `players` is a JSON list of those that played, as cells write
    /// them, and `person` the seat of a person, who has the seats without a player, too.
    ///
    /// # Errors
    /// Says which move is not one of the game.
    pub fn record(&self, players: &str, person: Option<usize>) -> Result<String, JsError> {
        let game = self.cell.game;
        let named: Vec<String> = serde_json::from_str(players).unwrap_or_default();
        let is_known = |name: &&String| {
            let name = name.split('(').next().unwrap_or_default();
            game.players.iter().any(|player| player.name == name)
        };
        let player = |seat: usize| match named.get(seat).filter(is_known) {
            Some(name) if person != Some(seat) => name.clone(),
            _ => record::PERSON.to_owned(),
        };
        let players = (0..game.seats).map(player).collect();
        record::of_moves(&self.cell, players, self.seed, self.index, &self.made).map_err(error)
    }
}
