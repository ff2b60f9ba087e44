//! The JSON schema of experiment files, made from the catalog's tables of parameters.
//!
//! A table's keys depend on its game, so the schema has one definition a game. A table without a
//! game has that of `[defaults]`. Types, ranges, words, unknown and missing keys are checked; the
//! forms of texts, and what relates places to each other (zipped lists of equal length, a size
//! given twice, parameters that have to be given), are left to `tilelab check`.

use crate::catalog::{GAMES, GameEntry, PlayerEntry};
use crate::experiment::CONFIDENCE;
use crate::params::{Kind, ParamSpec};
use serde_json::{Map, Value, json};

/// The schema.
#[must_use]
pub fn schema() -> Value {
    let tables: Vec<Value> = GAMES.iter().map(|game| table_of(game.name)).collect();
    let is_default = |game: &GameEntry| {
        let fields = json!({"required": ["game"], "properties": {"game": {"enum": names(game)}}});
        json!({"required": ["defaults"], "properties": {"defaults": fields}})
    };
    let mut by_default: Vec<Value> = GAMES
        .iter()
        .map(|game| {
            let items = json!({"anyOf": [{"required": ["game"]}, table_of(game.name)]});
            json!({"if": is_default(game), "then": {"properties": {"table": {"items": items}}}})
        })
        .collect();
    by_default.push(json!({
        "if": {"required": ["defaults"], "properties": {"defaults": {"required": ["game"]}}},
        "then": true,
        "else": {"properties": {"table": {"items": {"required": ["game"]}}}},
    }));
    let mut definitions: Map<String, Value> = GAMES.iter().map(|game| (game.name.to_owned(), table(game))).collect();
    definitions.extend(GAMES.iter().flat_map(swept_definitions));
    definitions.insert("games".to_owned(), games());
    definitions.insert("stop".to_owned(), stop());
    json!({
        "$schema": "http://json-schema.org/draft-07/schema#",
        "title": "tilelab experiment",
        "description": "An experiment for `tilelab run`: tables of cells, each cell many games with the same parameters.",
        "type": "object",
        "additionalProperties": false,
        "required": ["name", "seed", "table"],
        "properties": {
            "name": {
                "description": "Names the folder of the results.",
                "type": "string",
                "pattern": "^[A-Za-z0-9_-]+$",
            },
            "seed": {
                "description": "The master seed: the same seed gives the same results.",
                "type": "integer",
                "minimum": 0,
            },
            "games": {"$ref": "#/definitions/games"},
            "stop": {"$ref": "#/definitions/stop"},
            "confidence": {
                "description": "Confidence level of all intervals.",
                "type": "number",
                "minimum": CONFIDENCE.start(),
                "maximum": CONFIDENCE.end(),
                "default": 0.95,
            },
            "per_game": {
                "description": "Whether a row for every game is written: true or \"parquet\" for games.parquet, \"csv\" for games.csv; \"positions\" and \"csv-positions\" add the last position.",
                "enum": [true, false, "parquet", "csv", "positions", "csv-positions"],
                "default": false,
            },
            "defaults": {
                "description": "Keys that every table has unless it gives them itself.",
                "anyOf": GAMES.iter().map(defaults).collect::<Vec<_>>(),
            },
            "table": {
                "description": "Each [[table]] is the product of the lists of its keys.",
                "type": "array",
                "minItems": 1,
                "items": {"anyOf": tables},
            },
        },
        "allOf": by_default,
        "definitions": definitions,
    })
}

fn table_of(game: &str) -> Value {
    json!({"$ref": format!("#/definitions/{game}")})
}

/// The `[defaults]` for tables of a game.
fn defaults(game: &GameEntry) -> Value {
    let mut properties = swept_keys(game);
    properties.insert("game".to_owned(), json!({"description": game.summary, "enum": names(game)}));
    json!({"title": game.name, "type": "object", "additionalProperties": false, "properties": properties})
}

/// Every name by which a file may name a game.
fn names(game: &GameEntry) -> Vec<&'static str> {
    game.names().collect()
}

fn games() -> Value {
    let mut games = count();
    games["description"] = json!("Games per cell.");
    games
}

/// A number of games: whole, or text such as "1e6" and "200k".
fn count() -> Value {
    let text = json!({"type": "string", "pattern": "^[0-9][0-9_]*([.][0-9][0-9_]*)?([kKMG]|[eE][+]?[0-9]+)?$"});
    json!({"anyOf": [{"type": "integer", "minimum": 1}, text]})
}

fn stop() -> Value {
    let bound = |what: &str, below: f64| json!({"description": what, "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": below});
    let mut max_games = count();
    max_games["description"] = json!("Stop here in any case.");
    json!({
        "description": "When a cell may stop before its game count; at least one of half_width and relative.",
        "type": "object",
        "additionalProperties": false,
        "required": ["max_games"],
        "anyOf": [{"required": ["half_width"]}, {"required": ["relative"]}],
        "properties": {
            "half_width": bound("Stop when half the width of the win rate's interval is at most this (as a rate).", 0.5),
            "relative": bound("Stop when half the width divided by the rate is at most this.", 1.0),
            "max_games": max_games,
        },
    })
}

/// The `[[table]]` of a game.
fn table(game: &GameEntry) -> Value {
    let swept = swept_keys(game);
    let mut properties = Map::new();
    properties.insert(
        "title".to_owned(),
        json!({
            "description": "Names the table in the results.",
            "type": "string",
            "pattern": "[^ \\t\\n]",
        }),
    );
    properties.insert("game".to_owned(), json!({"description": game.summary, "enum": names(game)}));
    properties.insert("games".to_owned(), json!({"$ref": "#/definitions/games"}));
    properties.insert("stop".to_owned(), json!({"$ref": "#/definitions/stop"}));
    properties.insert(
        "published".to_owned(),
        json!({
            "description": "A CSV file of published figures, relative to the experiment file.",
            "type": "string",
        }),
    );
    properties.insert(
        "zip".to_owned(),
        json!({
            "description": "Groups of keys whose lists move together.",
            "type": "array",
            "items": {"type": "array", "minItems": 2, "items": {"enum": swept.keys().collect::<Vec<_>>()}},
        }),
    );
    properties.insert(
        "exclude".to_owned(),
        json!({
            "description": "Cells to leave out: all that have all the values of one entry.",
            "type": "array",
            "items": {"type": "object", "minProperties": 1, "additionalProperties": false, "properties": swept},
        }),
    );
    let names: Vec<&str> = game.params.iter().map(|spec| spec.name).collect();
    properties.insert(
        "common".to_owned(),
        json!({
            "description": "Parameters that the random numbers do not depend on: cells that differ in them alone meet the same ones.",
            "type": "array",
            "minItems": 1,
            "uniqueItems": true,
            "items": {"enum": names},
        }),
    );
    properties.extend(swept);
    json!({
        "title": game.name,
        "description": game.summary,
        "type": "object",
        "additionalProperties": false,
        "required": ["title"],
        "properties": properties,
    })
}

/// The definitions of the keys of a game's table that may hold lists, named GAME.KEY, and of one
/// player, named GAME.one-player.
fn swept_definitions(game: &GameEntry) -> Vec<(String, Value)> {
    let one_player = format!("{}.one-player", game.name);
    let mut keys = Map::new();
    for seat in ["player", "opponent"].into_iter().take(game.seats) {
        let forms = vec![json!({"$ref": format!("#/definitions/{one_player}")})];
        keys.insert(seat.to_owned(), listed(forms, &format!("Who sits on the seat {seat}.")));
    }
    if game.params.iter().any(|spec| spec.name == "rows") {
        let size = json!({"type": "string", "pattern": "^[1-9][0-9]*x[1-9][0-9]*$"});
        keys.insert("size".to_owned(), listed(vec![size], "Rows x columns, such as \"6x7\": sets rows and cols."));
    }
    keys.extend(game.params.iter().map(|spec| (spec.name.to_owned(), param(spec))));
    let mut definitions = vec![(one_player, json!({"anyOf": players(game)}))];
    definitions.extend(keys.into_iter().map(|(key, schema)| (format!("{}.{key}", game.name), schema)));
    definitions
}

/// The keys of a game's table that may hold lists, as references to their definitions.
fn swept_keys(game: &GameEntry) -> Map<String, Value> {
    let prefix = format!("{}.", game.name);
    let names =
        swept_definitions(game).into_iter().filter_map(|(name, _)| Some(name.strip_prefix(&prefix)?.to_owned()));
    let keys = names.filter(|name| name != "one-player");
    keys.map(|key| (key.clone(), json!({"$ref": format!("#/definitions/{prefix}{key}")}))).collect()
}

/// A player's name, or a table with its name and parameters.
fn players(game: &GameEntry) -> Vec<Value> {
    let complete = |player: &PlayerEntry| player.params.iter().all(|spec| spec.default_value().is_some());
    let names: Vec<&str> = game.players.iter().filter(|player| complete(player)).map(|player| player.name).collect();
    let mut forms = vec![json!({"enum": names})];
    forms.extend(game.players.iter().map(|player| {
        let mut properties = Map::new();
        properties.insert("name".to_owned(), json!({"description": player.summary, "const": player.name}));
        properties.extend(player.params.iter().map(|spec| (spec.name.to_owned(), param(spec))));
        let required = player.params.iter().filter(|spec| spec.default_value().is_none()).map(|spec| spec.name);
        let required: Vec<&str> = ["name"].into_iter().chain(required).collect();
        json!({
            "description": player.summary,
            "type": "object",
            "additionalProperties": false,
            "required": required,
            "properties": properties,
        })
    }));
    forms
}

/// A parameter: one of its values, a list of them, or a range of numbers.
fn param(spec: &ParamSpec) -> Value {
    let (value, bounds) = match spec.kind {
        Kind::Bool => (json!({"type": "boolean"}), None),
        Kind::Int { min, max } => {
            let mut value = json!({"type": "integer"});
            bound(&mut value, (min != i64::MIN).then(|| json!(min)), (max != i64::MAX).then(|| json!(max)));
            (value.clone(), Some(value))
        }
        Kind::Float { min, max } => {
            let mut value = json!({"type": "number"});
            bound(&mut value, min.is_finite().then(|| json!(min)), max.is_finite().then(|| json!(max)));
            (value.clone(), Some(value))
        }
        Kind::Choice(words) => (json!({"enum": words}), None),
        Kind::Text { .. } => (json!({"type": "string"}), None),
    };
    let range = bounds.map(|bounds| {
        json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["from", "to"],
            "properties": {"from": bounds, "to": bounds, "step": {"type": "number", "exclusiveMinimum": 0}},
        })
    });
    let mut schema = listed(vec![value], &format!("{} ({})", spec.help, spec.accepts()));
    if let (Some(range), Some(forms)) = (range, schema["anyOf"].as_array_mut()) {
        forms.push(range);
    }
    if let Some(default) = spec.default_value().filter(|value| *value != crate::params::Value::Unset) {
        schema["default"] = plain(&default);
    }
    schema
}

fn bound(schema: &mut Value, min: Option<Value>, max: Option<Value>) {
    for (key, limit) in [("minimum", min), ("maximum", max)] {
        if let Some(limit) = limit {
            schema[key] = limit;
        }
    }
}

fn plain(value: &crate::params::Value) -> Value {
    use crate::params::Value as Param;
    match value {
        Param::Unset => Value::Null,
        Param::Bool(value) => json!(value),
        Param::Int(value) => json!(value),
        Param::Float(value) => json!(value),
        Param::Text(value) => json!(value),
    }
}

/// One of these forms, or a list of them.
fn listed(forms: Vec<Value>, description: &str) -> Value {
    let item = if forms.len() == 1 { forms[0].clone() } else { json!({"anyOf": forms.clone()}) };
    let mut any = forms;
    any.push(json!({"type": "array", "minItems": 1, "items": item}));
    json!({"description": description, "anyOf": any})
}
