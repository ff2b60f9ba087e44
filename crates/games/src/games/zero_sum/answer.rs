//! Answers to `tilelab move --game zero-sum`.

use super::{LIMIT_MAX, MULTIPLIERS, State, ZeroSum};
use crate::game::Game;
use crate::game::answers::ask_player;
use crate::game::registry::PlayerEntry;
use crate::json::{Json, json, refuse_unknown_keys};
use crate::params::Params;
use serde::Deserialize;
use std::cmp::Ordering;

/// Points beyond these are not accepted: no game comes near them.
const SCORE_MAX: i64 = 1000;

/// Answers one position: `{"number":16,"scores":[0,-1],"player":"alpha-beta","depth":3}`, scores as
/// \[opponent, mover\].
///
/// * With `player` (and its parameters), that player's multiplier and the positions it visited:
///   `{"move":4,"nodes":31}`.
/// * With `move`, the position after it, scores again as \[opponent, mover\] of the seat that moves
///   next, and `winner` (null while the game goes on): who of \[opponent, mover\] *of the request*
///   has won, or "draw".
/// * Otherwise the legal multipliers.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn answer(
    params: &Params,
    request: &Json,
    players: &'static [PlayerEntry],
) -> Result<Json, String> {
    let game = &ZeroSum::from_params(params);
    if request.as_object().is_none() {
        return Err("a request is an object with \"number\" and \"scores\"".to_owned());
    }
    let state = position(game, request)?;
    let own = ["number", "scores", "move", "player"];
    match (request.get("player"), request.get("move")) {
        (Some(_), Some(_)) => Err("move: given together with player; write one of them".to_owned()),
        (Some(name), None) => {
            let (chosen, nodes) = ask_player(players, game, &state, name, request, &own)?;
            Ok(json!({"move": chosen, "nodes": nodes}))
        }
        (None, Some(chosen)) => {
            refuse_unknown_keys(request, &own)?;
            let multiplier = MULTIPLIERS
                .into_iter()
                .find(|&multiplier| Some(u64::from(multiplier)) == chosen.as_u64());
            let multiplier = multiplier
                .ok_or_else(|| format!("move: {chosen} is not a multiplier; accepted: 2, 3, 4"))?;
            let mut after = state;
            game.play(&mut after, multiplier);
            let winner =
                game.outcome(&after)
                    .map(|_| match after.scores[1].cmp(&after.scores[0]) {
                        Ordering::Greater => "mover",
                        Ordering::Equal => "draw",
                        Ordering::Less => "opponent",
                    });
            let scores = [after.scores[1 - after.seat], after.scores[after.seat]];
            Ok(json!({"number": after.number, "scores": scores, "winner": winner}))
        }
        (None, None) => {
            refuse_unknown_keys(request, &own)?;
            Ok(json!({"legal": MULTIPLIERS}))
        }
    }
}

/// The requested position; the mover is seat 1, so that scores are in the order of the seats.
fn position(game: &ZeroSum, request: &Json) -> Result<State, String> {
    let number = request.get("number").ok_or("number: missing")?;
    let accepted = 1..game.limit.min(LIMIT_MAX);
    let number = number.as_i64().filter(|number| accepted.contains(number)).ok_or_else(|| {
        format!(
            "number: {number} is not accepted; a whole number from 1 to {} (the game ends at {})",
            accepted.end - 1,
            game.limit
        )
    })?;
    let shape = format!(
        "write [opponent's, mover's] points, whole numbers from -{SCORE_MAX} to {SCORE_MAX}"
    );
    let scores = request
        .get("scores")
        .ok_or_else(|| format!("scores: missing; {shape}"))?;
    let accepted = -SCORE_MAX..=SCORE_MAX;
    let points = <[i64; 2]>::deserialize(scores).ok();
    let points = points.filter(|points| points.iter().all(|points| accepted.contains(points)));
    Ok(State {
        number,
        scores: points.ok_or_else(|| format!("scores: {scores} is not accepted; {shape}"))?,
        seat: 1,
        moves: 0,
    })
}
