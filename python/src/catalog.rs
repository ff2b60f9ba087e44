//! The catalog as data.

use pyo3::prelude::*;
use serde_json::{Value as Json, json};
use tilelab::catalog::games;
use tilelab::params::{Kind, ParamSpec, Value};

/// All games as JSON: names, parameters, measures, and players with their parameters.
#[pyfunction]
pub fn catalog() -> String {
    let game = |game: &tilelab::catalog::GameEntry| {
        let player = |player: &tilelab::catalog::PlayerEntry| {
            json!({
                "name": player.name,
                "summary": player.summary,
                "parameters": player.params.iter().map(parameter).collect::<Vec<_>>(),
            })
        };
        let measure = |measure: &tilelab::game::Measure| json!([measure.name, measure.help]);
        json!({
            "name": game.name,
            "names": game.names().collect::<Vec<_>>(),
            "summary": game.summary,
            "seats": game.seats,
            "parameters": game.params.iter().map(parameter).collect::<Vec<_>>(),
            "measures": game.measures.iter().map(measure).collect::<Vec<_>>(),
            "players": game.players.iter().map(player).collect::<Vec<_>>(),
        })
    };
    Json::Array(games().map(game).collect()).to_string()
}

fn parameter(spec: &ParamSpec) -> Json {
    let (kind, words) = match spec.kind {
        Kind::Bool => ("bool", &[][..]),
        Kind::Int { .. } => ("int", &[][..]),
        Kind::Float { .. } => ("float", &[][..]),
        Kind::Choice(words) => ("str", words),
        Kind::Text { .. } => ("str", &[][..]),
    };
    let default = match spec.default_value() {
        None | Some(Value::Unset) => Json::Null,
        Some(Value::Bool(value)) => value.into(),
        Some(Value::Int(value)) => value.into(),
        Some(Value::Float(value)) => value.into(),
        Some(Value::Text(value)) => value.into(),
    };
    json!({
        "name": spec.name,
        "kind": kind,
        "choices": words,
        "default": default,
        "accepts": spec.accepts(),
        "help": spec.help,
    })
}
