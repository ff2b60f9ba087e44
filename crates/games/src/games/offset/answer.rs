//! Answers to `tilelab move --game offset`.

use super::describe::{board_json, move_json, parse_move, parse_position};
use super::{Offset, Pile};
use crate::game::Game;
use crate::game::answers::ask_player;
use crate::game::registry::PlayerEntry;
use crate::json::{Json, json, refuse_unknown_keys};
use crate::params::Params;

/// Answers one position, in the form of the transcripts (as `describe` gives it): `pairs` and
/// `piles`, if wanted `owners`, `seat`.
///
/// * With `player` (and its parameters), that player's move and the positions it visited.
/// * With `move`, the board after it.
/// * With `"list": true`, all legal moves.
/// * Otherwise how many moves are legal, for the seat to move and for both seats.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn answer(
    params: &Params,
    request: &Json,
    players: &'static [PlayerEntry],
) -> Result<Json, String> {
    let game = &Offset::from_params(params);
    if request.as_object().is_none() {
        return Err("a request is an object with \"pairs\" and \"piles\"".to_owned());
    }
    let own = [
        "pairs", "piles", "owners", "seat", "moves", "move", "list", "player",
    ];
    let asks: Vec<&str> = ["player", "move", "list"]
        .into_iter()
        .filter(|key| request.get(key).is_some())
        .collect();
    if let [first, second, ..] = asks.as_slice() {
        return Err(format!(
            "{second}: given together with {first}; write one of them"
        ));
    }
    if request.get("player").is_none() {
        refuse_unknown_keys(request, &own)?;
    }
    let board = parse_position(game, request)?;
    let legal = game.legal_moves(&board);
    let is_over = game.outcome(&board).is_some();
    if let Some(name) = request.get("player") {
        if is_over {
            return Err("player: nobody can move on this board".to_owned());
        }
        let (chosen, nodes) = ask_player(players, game, &board, name, request, &own)?;
        return Ok(json!({"seat": board.seat(), "move": move_json(chosen), "nodes": nodes}));
    }
    if let Some(chosen) = request.get("move") {
        let chosen = parse_move(chosen, game.side)?;
        if !legal.contains(&chosen) {
            return Err(format!(
                "move: {}",
                super::log::why_illegal(&board, board.seat(), chosen)
            ));
        }
        let mut after = board;
        game.play(&mut after, chosen);
        let (piles, owners) = board_json(&after, game.side);
        let value = after.pile(chosen.target).map(Pile::coins);
        let over = game.outcome(&after).is_some();
        return Ok(json!({
            "value": value, "piles": piles, "owners": owners, "scores": after.scores(), "seat": after.seat(), "over": over,
        }));
    }
    match request.get("list") {
        None | Some(Json::Bool(false)) => Ok(json!({
            "seat": board.seat(),
            "legal_count": legal.len(),
            "mobility": [board.mobility(0), board.mobility(1)],
            "scores": board.scores(),
            "over": is_over,
        })),
        Some(Json::Bool(true)) => Ok(
            json!({"seat": board.seat(), "legal": legal.into_iter().map(move_json).collect::<Vec<_>>()}),
        ),
        Some(other) => Err(format!(
            "list: {other} is not accepted; accepted: true, false"
        )),
    }
}
