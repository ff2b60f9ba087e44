//! Answers to `tilelab move`: those of any game, and what games with answers of their own share.

use super::registry::{PlayableGame, PlayerEntry, PlayerSpec};
use crate::games::two_player::seat_player;
use crate::json::{Json, json, refuse_unknown_keys};
use crate::params::{Params, SettingError};
use crate::rng::{SeedableRng, Stream};

/// Answers one position: `{"position":{"points":12},"player":"monte-carlo","playouts":100}`, as
/// [`Positions::position`](super::Positions::position) writes it after a deal.
///
/// * With `player` (and its parameters), that player's move and the positions it visited:
///   `{"move":"stop","nodes":0}`.
/// * With `move`, the position after it, before the next deal: `{"position":{…},"outcome":"won"}`.
/// * Otherwise the names of the legal moves and the outcome, null while the game goes on.
///
/// # Errors
/// Returns a one-line message if the request is invalid.
pub fn answer<G: PlayableGame>(
    params: &Params,
    request: &Json,
    players: &'static [PlayerEntry],
) -> Result<Json, String> {
    let game = G::build(params);
    let position = request
        .get("position")
        .ok_or("position: missing; one as in `replay --json`")?;
    let mut state = game
        .parse(position)
        .map_err(|error| format!("position: {error}"))?;
    let outcome = game.outcome(&state);
    let mut legal = Vec::new();
    if outcome.is_none() {
        game.legal(&state, &mut legal);
    }
    let name = |&chosen: &G::Move| game.move_name(&state, chosen);
    let own = ["position", "move", "player"];
    match (request.get("player"), request.get("move")) {
        (Some(_), Some(_)) => Err("move: given together with player; write one of them".to_owned()),
        (Some(_), None) if outcome.is_some() => Err("position: the game is over".to_owned()),
        (Some(player), None) => {
            let (chosen, nodes) = ask_player(players, &game, &state, player, request, &own)?;
            Ok(json!({"move": name(&chosen), "nodes": nodes}))
        }
        (None, wanted) => {
            refuse_unknown_keys(request, &own)?;
            let names: Vec<String> = legal.iter().map(name).collect();
            let Some(wanted) = wanted else {
                let outcome = outcome.map(|outcome| outcome.result);
                return Ok(json!({"legal": names, "outcome": outcome}));
            };
            let place = names.iter().position(|name| *wanted == **name);
            let place = place.ok_or_else(|| {
                format!(
                    "move: {wanted} is not legal; accepted: {}",
                    names.join(", ")
                )
            })?;
            game.play(&mut state, legal[place]);
            let outcome = game.outcome(&state).map(|outcome| outcome.result);
            Ok(json!({"position": game.position(&state), "outcome": outcome}))
        }
    }
}

/// Lets one of `players` choose in a position; its name, its parameters and `seed` are fields of
/// the request, beside the keys in `own`. Returns the move and the visited positions.
///
/// # Errors
/// Returns a one-line message if the player or its parameters are invalid.
pub fn ask_player<G: PlayableGame>(
    players: &'static [PlayerEntry],
    game: &G,
    state: &G::State,
    name: &Json,
    request: &Json,
    own: &[&str],
) -> Result<(G::Move, u64), String> {
    let player = name
        .as_str()
        .and_then(|name| players.iter().find(|player| player.name == name));
    let player = player.ok_or_else(|| {
        let names: Vec<&str> = players.iter().map(|player| player.name).collect();
        format!(
            "player: {name} is not a player of {}; accepted: {}",
            G::ENTRY.name,
            names.join(", ")
        )
    })?;
    let mut spec = PlayerSpec::new(player);
    let mut seed = 0;
    for (key, value) in request.as_object().into_iter().flatten() {
        if own.contains(&key.as_str()) {
            continue;
        }
        if key == "seed" {
            seed = value.as_u64().ok_or_else(|| {
                format!("seed: {value} is not accepted; a whole number from 0 up")
            })?;
            continue;
        }
        spec.params
            .change_json(player.params, key, value)
            .map_err(|error| match error {
                SettingError::Unknown { key, accepted } => {
                    let known = [own, &["seed"], &accepted].concat();
                    format!(
                        "{key}: unknown key for {}; accepted: {}",
                        player.name,
                        known.join(", ")
                    )
                }
                SettingError::Value {
                    key,
                    value,
                    accepted,
                } => format!("{key}: {value} is not accepted; {accepted}"),
                error => error.to_string(),
            })?;
    }
    let mut chooser = seat_player::<G>(&spec).map_err(|error| error.to_string())?;
    let mut legal = Vec::new();
    if chooser.needs_list(game.seat(state)) {
        game.legal(state, &mut legal);
    }
    chooser.begin(game);
    let chosen = chooser.choose(game, state, &legal, &mut Stream::seed_from_u64(seed));
    Ok((chosen, chooser.take_nodes()))
}
