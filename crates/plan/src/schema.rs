//! The JSON schema of experiment files, made from the catalog's tables of parameters.
//!
//! A table's keys depend on its game, so the schema has one definition a game. A table without a
//! game has that of `[defaults]`. Types, ranges, words, unknown and missing keys are checked; the
//! forms of texts, and what relates places to each other (zipped lists of equal length, a size
//! given twice, parameters that have to be given), are left to `tilelab check`.

use crate::experiment::CONFIDENCE;
use crate::external::{self, COMMAND};
use crate::matches::{OUTCOME, measures_of};
use serde_json::{Map, Value, json};
use tilelab_core::catalog::{self, GameEntry, PlayerEntry};
use tilelab_core::params::{Kind, ParamSpec};

/// The schema.
#[must_use]
pub fn schema() -> Value {
    let tables: Vec<Value> = catalog::games().map(|game| reference(game.name)).collect();
    let is_default = |game: &GameEntry| {
        let fields = json!({"required": ["game"], "properties": {"game": {"enum": names(game)}}});
        json!({"required": ["defaults"], "properties": {"defaults": fields}})
    };
    let mut by_default: Vec<Value> = catalog::games()
        .map(|game| {
            let items = json!({"anyOf": [{"required": ["game"]}, reference(game.name)]});
            json!({"if": is_default(game), "then": {"properties": {"table": {"items": items}}}})
        })
        .collect();
    by_default.push(json!({
        "if": {"required": ["defaults"], "properties": {"defaults": {"required": ["game"]}}},
        "then": true,
        "else": {"properties": {"table": {"items": {"required": ["game"]}}}},
    }));
    let mut definitions: Map<String, Value> = catalog::games()
        .map(|game| (game.name.to_owned(), table(game)))
        .collect();
    definitions
        .extend(catalog::games().map(|game| (format!("{}.defaults", game.name), defaults(game))));
    definitions.extend(catalog::games().flat_map(swept_definitions));
    definitions.extend(catalog::games().flat_map(player_definitions));
    let of_games = catalog::games().flat_map(|game| game.params);
    let of_players = catalog::games()
        .flat_map(|game| game.players)
        .flat_map(|player| player.params);
    definitions.extend(
        of_games
            .chain(of_players)
            .filter_map(|spec| Some((values_name(&spec.kind)?, values(&spec.kind)))),
    );
    definitions.insert(COMMAND.to_owned(), command());
    definitions.insert("games".to_owned(), games());
    definitions.insert("stop".to_owned(), stop());
    definitions.insert("grow".to_owned(), grow());
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
            "games": reference("games"),
            "stop": reference("stop"),
            "confidence": {
                "description": "Confidence level of all intervals.",
                "type": "number",
                "minimum": CONFIDENCE.start(),
                "maximum": CONFIDENCE.end(),
                "default": 0.95,
            },
            "interval": {
                "description": "Interval of win rates: the mid-p covers its level on average and needs fewer games.",
                "enum": ["clopper-pearson", "mid-p"],
                "default": "clopper-pearson",
            },
            "per_game": {
                "description": "Whether a row for every game is written: true or \"parquet\" for games.parquet, \"csv\" for games.csv; \"positions\" and \"csv-positions\" add the last position.",
                "enum": [true, false, "parquet", "csv", "positions", "csv-positions"],
                "default": false,
            },
            "defaults": {
                "description": "Keys that every table has unless it gives them itself.",
                "anyOf": catalog::games().map(|game| reference(&format!("{}.defaults", game.name))).collect::<Vec<_>>(),
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

/// A definition by its name.
fn reference(definition: &str) -> Value {
    json!({"$ref": format!("#/definitions/{definition}")})
}

/// The `[defaults]` for tables of a game.
fn defaults(game: &GameEntry) -> Value {
    let mut properties = swept_keys(game);
    properties.insert(
        "game".to_owned(),
        json!({"description": game.summary, "enum": names(game)}),
    );
    json!({"title": game.name, "type": "object", "additionalProperties": false, "properties": properties})
}

/// Every name by which a file may name a game.
fn names(game: &GameEntry) -> Vec<&'static str> {
    game.names().collect()
}

fn games() -> Value {
    described(count(), "Games per cell.")
}

/// A number of games: whole, or text such as "1e6" and "200k".
fn count() -> Value {
    let text = json!({"type": "string", "pattern": "^[0-9][0-9_]*([.][0-9][0-9_]*)?([kKMG]|[eE][+]?[0-9]+)?$"});
    json!({"anyOf": [{"type": "integer", "minimum": 1}, text]})
}

fn grow() -> Value {
    json!({
        "description": "Cells with another number of games: all that have all other values of one entry.",
        "type": "array",
        "items": {
            "type": "object",
            "required": ["games"],
            "minProperties": 2,
            "properties": {"games": reference("games")},
        },
    })
}

fn stop() -> Value {
    let bound = |what: &str, below: f64| json!({"description": what, "type": "number", "exclusiveMinimum": 0, "exclusiveMaximum": below});
    json!({
        "description": "When a cell may stop before its game count: half_width, relative or both; or difference, for matches.",
        "type": "object",
        "additionalProperties": false,
        "anyOf": [
            {"required": ["half_width", "max_games"]},
            {"required": ["relative", "max_games"]},
            {"required": ["difference"]},
        ],
        "properties": {
            "half_width": bound("Stop when half the width of the win rate's interval is at most this (as a rate).", 0.5),
            "relative": bound("Stop when half the width divided by the rate is at most this.", 1.0),
            "difference": {
                "description": "Stop a match when a sequential test of its mean is decided: of the share of points, or of the mean difference of a pair where a measure decides.",
                "type": "object",
                "additionalProperties": false,
                "required": ["lower", "upper"],
                "properties": {
                    "lower": {"description": "The mean that speaks against the first player.", "type": "number"},
                    "upper": {"description": "The mean that speaks for it.", "type": "number"},
                    "alpha": bound("How often to decide for upper if the mean is lower.", 0.5),
                    "beta": bound("How often to decide for lower if the mean is upper.", 0.5),
                },
            },
            "max_games": described(count(), "Stop here in any case."),
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
    properties.insert(
        "game".to_owned(),
        json!({"description": game.summary, "enum": names(game)}),
    );
    properties.insert("games".to_owned(), reference("games"));
    properties.insert("stop".to_owned(), reference("stop"));
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
            "items": {"type": "array", "minItems": 2, "items": {"enum": swept.keys().filter(|key| *key != "match").collect::<Vec<_>>()}},
        }),
    );
    properties.insert(
        "exclude".to_owned(),
        json!({
            "description": "Cells to leave out: all that have all the values of one entry.",
            "type": "array",
            "items": {
                "allOf": [reference(&format!("{}.defaults", game.name))],
                "minProperties": 1,
                "not": {"required": ["game"]},
            },
        }),
    );
    properties.insert("grow".to_owned(), reference("grow"));
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
        keys.insert(
            seat.to_owned(),
            described(
                listed(reference(&one_player)),
                &format!("Who sits on the seat {seat}."),
            ),
        );
    }
    let players_of_match = json!({"type": "array", "minItems": 1, "items": reference(&one_player)});
    keys.insert(
        "match".to_owned(),
        described(
            players_of_match,
            "Players that meet, every two in pairs of games; in place of player and opponent.",
        ),
    );
    let decided_by = [&[OUTCOME], measures_of(game).as_slice()].concat();
    keys.insert(
        "measure".to_owned(),
        described(
            listed(json!({"enum": decided_by})),
            "What decides the pairs of a match.",
        ),
    );
    if game.params.iter().any(|spec| spec.name == "rows") {
        let size = json!({"type": "string", "pattern": "^[1-9][0-9]*x[1-9][0-9]*$"});
        keys.insert(
            "size".to_owned(),
            described(
                listed(size),
                "Rows x columns, such as \"6x7\": sets rows and cols.",
            ),
        );
    }
    keys.extend(
        game.params
            .iter()
            .map(|spec| (spec.name.to_owned(), param(spec))),
    );
    let mut definitions = vec![(one_player, json!({"anyOf": players(game)}))];
    definitions.extend(
        keys.into_iter()
            .map(|(key, schema)| (format!("{}.{key}", game.name), schema)),
    );
    definitions
}

/// The keys of a game's table that may hold lists, as references to their definitions.
fn swept_keys(game: &GameEntry) -> Map<String, Value> {
    let prefix = format!("{}.", game.name);
    let names = swept_definitions(game)
        .into_iter()
        .filter_map(|(name, _)| Some(name.strip_prefix(&prefix)?.to_owned()));
    let keys = names.filter(|name| name != "one-player");
    keys.map(|key| (key.clone(), reference(&format!("{prefix}{key}"))))
        .collect()
}

/// A program as a player.
fn command() -> Value {
    json!({
        "description": external::ENTRY.summary,
        "type": "object",
        "additionalProperties": false,
        "required": [COMMAND],
        "properties": {
            COMMAND: {"type": "array", "minItems": 1, "items": {"type": "string"}},
            "timeout_ms": param(&external::ENTRY.params[1]),
        },
    })
}

/// A player's name, or a table with its name and parameters.
fn players(game: &GameEntry) -> Vec<Value> {
    let complete = |player: &PlayerEntry| {
        player
            .params
            .iter()
            .all(|spec| spec.default_value().is_some())
    };
    let names: Vec<&str> = game
        .players
        .iter()
        .filter(|player| complete(player))
        .map(|player| player.name)
        .collect();
    let mut forms = vec![
        json!({"enum": names}),
        json!({"type": "string", "pattern": "^[a-z0-9-]+\\(.*\\)$"}),
        reference(COMMAND),
    ];
    forms.extend(
        player_definitions(game)
            .iter()
            .map(|(name, _)| reference(name)),
    );
    forms
}

/// The definitions of a game's players, named GAME.PLAYER by the first game that has the same one.
fn player_definitions(game: &GameEntry) -> Vec<(String, Value)> {
    let of_player = |entry: &PlayerEntry| {
        let definition = player(entry);
        let has_it = |other: &&GameEntry| {
            other
                .players
                .iter()
                .any(|entry| player(entry) == definition)
        };
        let first = catalog::games()
            .find(has_it)
            .expect("the game itself has it");
        (format!("{}.{}", first.name, entry.name), definition)
    };
    game.players.iter().map(of_player).collect()
}

/// A table with the name and the parameters of a player.
fn player(entry: &PlayerEntry) -> Value {
    let mut properties = Map::new();
    properties.insert("name".to_owned(), json!({"const": entry.name}));
    properties.extend(
        entry
            .params
            .iter()
            .map(|spec| (spec.name.to_owned(), param(spec))),
    );
    let required = entry
        .params
        .iter()
        .filter(|spec| spec.default_value().is_none())
        .map(|spec| spec.name);
    let required: Vec<&str> = ["name"].into_iter().chain(required).collect();
    json!({
        "description": entry.summary,
        "type": "object",
        "additionalProperties": false,
        "required": required,
        "properties": properties,
    })
}

/// A parameter: its values and what they mean.
fn param(spec: &ParamSpec) -> Value {
    let mut schema = values_name(&spec.kind).map_or_else(
        || values(&spec.kind),
        |name| json!({"allOf": [reference(&name)]}),
    );
    schema = described(schema, &format!("{} ({})", spec.help, spec.accepts()));
    if let Some(default) = spec
        .default_value()
        .filter(|value| *value != tilelab_core::params::Value::Unset)
    {
        schema["default"] = plain(&default);
    }
    schema
}

/// The definition that all parameters with these values share, such as `integers.1..64`; `None` for
/// words, which few share.
fn values_name(kind: &Kind) -> Option<String> {
    let limit = |limit: Option<String>| limit.unwrap_or_default();
    match *kind {
        Kind::Int { min, max } => {
            let min = limit((min != i64::MIN).then(|| min.to_string()));
            let max = limit((max != i64::MAX).then(|| max.to_string()));
            Some(format!("integers.{min}..{max}"))
        }
        Kind::Float { min, max } => {
            let min = limit(min.is_finite().then(|| min.to_string()));
            let max = limit(max.is_finite().then(|| max.to_string()));
            Some(format!("numbers.{min}..{max}"))
        }
        Kind::Text { .. } => Some("texts".to_owned()),
        Kind::Bool | Kind::Choice(_) => None,
    }
}

/// One value of a parameter, a list of them, or a range of numbers.
fn values(kind: &Kind) -> Value {
    let (value, bounds) = match *kind {
        Kind::Bool => (json!({"type": "boolean"}), None),
        Kind::Int { min, max } => {
            let mut value = json!({"type": "integer"});
            bound(
                &mut value,
                (min != i64::MIN).then(|| json!(min)),
                (max != i64::MAX).then(|| json!(max)),
            );
            (value.clone(), Some(value))
        }
        Kind::Float { min, max } => {
            let mut value = json!({"type": "number"});
            bound(
                &mut value,
                min.is_finite().then(|| json!(min)),
                max.is_finite().then(|| json!(max)),
            );
            (value.clone(), Some(value))
        }
        Kind::Choice(words) => (json!({"enum": words}), None),
        Kind::Text { .. } => (json!({"type": "string"}), None),
    };
    let mut schema = listed(value);
    if let (Some(bounds), Some(forms)) = (bounds, schema["anyOf"].as_array_mut()) {
        forms.push(json!({
            "type": "object",
            "additionalProperties": false,
            "required": ["from", "to"],
            "properties": {"from": bounds, "to": bounds, "step": {"type": "number", "exclusiveMinimum": 0}},
        }));
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

fn plain(value: &tilelab_core::params::Value) -> Value {
    use tilelab_core::params::Value as Param;
    match value {
        Param::Unset => Value::Null,
        Param::Bool(value) => json!(value),
        Param::Int(value) => json!(value),
        Param::Float(value) => json!(value),
        Param::Text(value) => json!(value),
    }
}

/// This form, or a list of it.
fn listed(form: Value) -> Value {
    json!({"anyOf": [form, {"type": "array", "minItems": 1, "items": form}]})
}

fn described(mut schema: Value, description: &str) -> Value {
    schema["description"] = json!(description);
    schema
}
