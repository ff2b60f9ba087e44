//! The JSON schema of experiment files, made from the tables of their keys and from the catalog's
//! tables of parameters.
//!
//! A table's keys depend on its game, so the schema has one definition a game. A table without a
//! game has that of `[defaults]`. Types, ranges, words, unknown and missing keys are checked; the
//! forms of texts, and what relates places to each other (zipped lists of equal length, a size
//! given twice, parameters that have to be given), are left to `tilelab check`.

use crate::experiment::{CONFIDENCE, PerGame};
use crate::external::{self, COMMAND};
use crate::keys::{DIFFERENCE, Form, Key, STOP, TABLE, TOP};
use crate::matches::{OUTCOME, measures_of};
use serde_json::{Map, Value, json};
use tilelab_cells::cells::shown;
use tilelab_games::catalog::{self, GameEntry, PlayerEntry};
use tilelab_games::game::registry::BUDGET;
use tilelab_games::params::{self, Kind, ParamSpec};
use tilelab_games::players::clock::BUDGET_PARAM;
use tilelab_stats::RateInterval;

/// The schema.
pub fn schema() -> Value {
    let tables: Vec<Value> = catalog::games().map(|game| reference(game.name)).collect();
    let is_default = |game: &GameEntry| {
        let fields = json!({"required": ["game"], "properties": {"game": {"enum": game.names().collect::<Vec<_>>()}}});
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
    definitions.extend(catalog::games().flat_map(value_definitions));
    definitions.extend(catalog::games().flat_map(player_definitions));
    let of_games = catalog::games().flat_map(|game| game.params);
    let players = catalog::games().flat_map(|game| game.players);
    let specs = of_games.chain(players.flat_map(|player| player.params));
    let named = specs.filter_map(|spec| Some((values_name(&spec.kind)?, values(&spec.kind))));
    definitions.extend(named);
    definitions.insert(BUDGET.to_owned(), param(&BUDGET_PARAM));
    definitions.extend(TABLE.iter().filter(|key| is_shared(key)).map(|key| {
        let game = catalog::games().find(|game| key.is_of(game));
        let value = described(form(key.form, game), key.help);
        (shared_name(key), value)
    }));
    definitions.insert(COMMAND.to_owned(), command());
    definitions.insert("games".to_owned(), games());
    definitions.insert("stop".to_owned(), stop());
    let mut schema = object(&TOP, None);
    schema["$schema"] = json!("http://json-schema.org/draft-07/schema#");
    schema["title"] = json!("tilelab experiment");
    schema["description"] = json!(
        "An experiment for `tilelab run`: tables of cells, each cell many games with the same parameters."
    );
    schema["properties"]["table"]["items"] = json!({"anyOf": tables});
    schema["allOf"] = json!(by_default);
    schema["definitions"] = json!(definitions);
    schema
}

/// An object with these keys, those of the tables of a game where one is given.
fn object(keys: &[Key], game: Option<&GameEntry>) -> Value {
    let keys: Vec<&Key> = keys
        .iter()
        .filter(|key| game.is_none_or(|game| key.is_of(game)))
        .collect();
    let properties = keys.iter().map(|key| {
        let value = match game {
            Some(_) if is_shared(key) => reference(&shared_name(key)),
            Some(game) if key.has_values() => reference(&format!("{}.{}", game.name, key.name)),
            _ => described(form(key.form, game), key.help),
        };
        (key.name.to_owned(), value)
    });
    // A table may take its game from [defaults].
    let required = keys
        .iter()
        .filter(|key| key.default.is_none() && key.form != Form::Game);
    json!({
        "type": "object",
        "additionalProperties": false,
        "required": required.map(|key| key.name).collect::<Vec<_>>(),
        "properties": properties.collect::<Map<_, _>>(),
    })
}

/// Whether a key of tables is the same for every game that has it.
fn is_shared(key: &Key) -> bool {
    let mut forms = catalog::games()
        .filter(|game| key.is_of(game))
        .map(|game| form(key.form, Some(game)));
    let first = forms.next();
    forms.all(|form| Some(&form) == first.as_ref())
}

/// The definition that the tables of all games share for such a key.
fn shared_name(key: &Key) -> String {
    format!("table.{}", key.name)
}

/// The values of a key, in the tables of a game where one is given.
fn form(form: Form, game: Option<&GameEntry>) -> Value {
    let game = || game.expect("a key of a table has the game of the table");
    let of_game = |definition: &str| reference(&format!("{}.{definition}", game().name));
    match form {
        Form::Name => json!({"type": "string", "pattern": "^[A-Za-z0-9_-]+$"}),
        Form::Seed => json!({"type": "integer", "minimum": 0}),
        Form::Games => reference("games"),
        Form::Stop => reference("stop"),
        Form::Confidence => json!({
            "type": "number",
            "minimum": CONFIDENCE.start(),
            "maximum": CONFIDENCE.end(),
            "default": 0.95,
        }),
        Form::Interval => {
            let names = RateInterval::ALL.map(|(name, _)| name);
            json!({"enum": names, "default": names[0]})
        }
        Form::PerGame => {
            let names = PerGame::ALL.map(|(name, _)| json!(name));
            let values = [&[json!(true), json!(false)], names.as_slice()].concat();
            json!({"enum": values, "default": false})
        }
        Form::Defaults => {
            let names = catalog::games().map(|game| format!("{}.defaults", game.name));
            json!({"anyOf": names.map(|name| reference(&name)).collect::<Vec<_>>()})
        }
        Form::Tables => json!({"type": "array", "minItems": 1}),
        Form::Title => json!({"type": "string", "pattern": "[^ \\t\\n]"}),
        Form::Game => json!({"enum": game().names().collect::<Vec<_>>()}),
        Form::Player(_) => listed(of_game("one-player")),
        Form::Match => json!({"type": "array", "minItems": 1, "items": of_game("one-player")}),
        Form::Measure => {
            let names = [&[OUTCOME], measures_of(game()).as_slice()].concat();
            listed(json!({"enum": names}))
        }
        Form::Size => listed(json!({"type": "string", "pattern": "^[1-9][0-9]*x[1-9][0-9]*$"})),
        Form::File => json!({"type": "string"}),
        Form::Zip => {
            let keys: Vec<&str> = value_keys(game()).filter(|key| *key != "match").collect();
            let group = json!({"type": "array", "minItems": 2, "items": {"enum": keys}});
            json!({"type": "array", "items": group})
        }
        Form::Exclude => {
            let entry = json!({
                "allOf": [of_game("defaults")],
                "minProperties": 1,
                "not": {"required": ["game"]},
            });
            json!({"type": "array", "items": entry})
        }
        Form::Grow => {
            let entry = json!({
                "type": "object",
                "required": ["games"],
                "minProperties": 2,
                "properties": {"games": reference("games")},
            });
            json!({"type": "array", "items": entry})
        }
        Form::Common => {
            let params: Vec<&str> = game().param_names().collect();
            json!({"type": "array", "minItems": 1, "uniqueItems": true, "items": {"enum": params}})
        }
        Form::Flag => json!({"type": "boolean"}),
        Form::Share(tenths) => json!({
            "type": "number",
            "exclusiveMinimum": 0,
            "exclusiveMaximum": f64::from(tenths) / 10.0,
        }),
        Form::Difference => object(&DIFFERENCE, None),
        Form::Number => json!({"type": "number"}),
    }
}

/// A definition by its name.
fn reference(definition: &str) -> Value {
    json!({"$ref": format!("#/definitions/{definition}")})
}

/// The `[defaults]` for tables of a game.
fn defaults(game: &GameEntry) -> Value {
    let mut keys = TABLE.to_vec();
    keys.retain(Key::is_default);
    with_params(&keys, game)
}

/// An object with these keys and the parameters of a game.
fn with_params(keys: &[Key], game: &GameEntry) -> Value {
    let mut object = object(keys, Some(game));
    for spec in game.params {
        object["properties"][spec.name] = reference(&format!("{}.{}", game.name, spec.name));
    }
    object["title"] = json!(game.name);
    object
}

/// A number of games: whole, or text such as "1e6" and "200k".
fn games() -> Value {
    let text = json!({"type": "string", "pattern": "^[0-9][0-9_]*([.][0-9][0-9_]*)?([kKMG]|[eE][+]?[0-9]+)?$"});
    json!({"anyOf": [{"type": "integer", "minimum": 1}, text]})
}

/// A stopping rule.
fn stop() -> Value {
    let mut stop = object(&STOP, None);
    stop["anyOf"] = json!([
        {"required": ["half_width", "max_games"]},
        {"required": ["relative", "max_games"]},
        {"required": ["difference"]},
    ]);
    stop.as_object_mut()
        .expect("it is an object")
        .remove("required");
    stop
}

/// The `[[table]]` of a game.
fn table(game: &GameEntry) -> Value {
    let mut table = with_params(&TABLE, game);
    table["description"] = json!(game.summary);
    table
}

/// The keys of a game's table whose values make its cells.
fn value_keys(game: &GameEntry) -> impl Iterator<Item = &'static str> {
    let keys = TABLE
        .iter()
        .filter(move |key| key.has_values() && key.is_of(game));
    keys.map(|key| key.name).chain(game.param_names())
}

/// The definitions of these keys, named GAME.KEY, and of one player, named GAME.one-player.
fn value_definitions(game: &GameEntry) -> Vec<(String, Value)> {
    let named = |name: &str, schema: Value| (format!("{}.{name}", game.name), schema);
    let keys = TABLE
        .iter()
        .filter(|key| key.has_values() && key.is_of(game) && !is_shared(key));
    let keys = keys.map(|key| named(key.name, described(form(key.form, Some(game)), key.help)));
    let params = game.params.iter().map(|spec| named(spec.name, param(spec)));
    let one_player = named("one-player", json!({"anyOf": players(game)}));
    [one_player].into_iter().chain(keys).chain(params).collect()
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
    let players = game.players.iter();
    let complete = players.filter(|player| required(player).next().is_none());
    let names: Vec<&str> = complete.map(|player| player.name).collect();
    let mut forms = vec![
        json!({"enum": names}),
        json!({"type": "string", "pattern": "^[a-z0-9-]+\\(.*\\)$"}),
        reference(COMMAND),
    ];
    let definitions = player_definitions(game);
    forms.extend(definitions.iter().map(|(name, _)| reference(name)));
    forms
}

/// The parameters that a player has to be given.
fn required(player: &PlayerEntry) -> impl Iterator<Item = &'static str> {
    let required = player.params.iter();
    let required = required.filter(|spec| spec.default_value().is_none());
    required.map(|spec| spec.name)
}

/// The definitions of a game's players, named GAME.PLAYER by the first game that has the same one.
fn player_definitions(game: &GameEntry) -> Vec<(String, Value)> {
    let of_player = |entry: &PlayerEntry| {
        let definition = player(entry);
        let mut games = catalog::games();
        let first = games.find(|other| other.players.iter().any(|one| player(one) == definition));
        let first = first.expect("the game itself has it");
        (format!("{}.{}", first.name, entry.name), definition)
    };
    game.players.iter().map(of_player).collect()
}

/// A table with the name and the parameters of a player.
fn player(entry: &PlayerEntry) -> Value {
    let mut properties = json!({"name": {"const": entry.name}});
    for spec in entry.params {
        // All with a time share its definition.
        properties[spec.name] = if spec.name == BUDGET {
            reference(BUDGET)
        } else {
            param(spec)
        };
    }
    let required: Vec<&str> = ["name"].into_iter().chain(required(entry)).collect();
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
    let shared = values_name(&spec.kind).map(|name| reference(&name));
    let values = shared.unwrap_or_else(|| values(&spec.kind));
    let mut schema = described(values, &format!("{} ({})", spec.help, spec.accepts()));
    let default = spec.default_value();
    if let Some(default) = default.filter(|value| *value != params::Value::Unset) {
        schema["default"] = json!(default);
    }
    schema
}

/// The type in JSON of a parameter's values.
const fn type_of(kind: &Kind) -> &'static str {
    match kind {
        Kind::Bool => "boolean",
        Kind::Int { .. } => "integer",
        Kind::Float { .. } => "number",
        Kind::Choice(_) | Kind::Text { .. } => "string",
    }
}

/// The lowest and the highest of a parameter's numbers, where they are limited; `None` where it has
/// no numbers.
fn limits(kind: &Kind) -> Option<[Option<params::Value>; 2]> {
    match *kind {
        Kind::Int { min, max } => Some([
            (min != i64::MIN).then_some(params::Value::Int(min)),
            (max != i64::MAX).then_some(params::Value::Int(max)),
        ]),
        Kind::Float { min, max } => Some([min, max].map(|limit| {
            let limit = Some(limit).filter(|limit| limit.is_finite());
            limit.map(params::Value::Float)
        })),
        _ => None,
    }
}

/// The definition that all parameters with these values share, such as `integers.1..64`; `None` for
/// words, which few share.
fn values_name(kind: &Kind) -> Option<String> {
    if let Kind::Text { .. } = kind {
        return Some("texts".to_owned());
    }
    let [min, max] = limits(kind)?.map(shown);
    Some(format!("{}s.{min}..{max}", type_of(kind)))
}

/// One value of a parameter, a list of them, or a range of numbers.
fn values(kind: &Kind) -> Value {
    let limits = limits(kind);
    let mut value = match kind {
        Kind::Choice(words) => json!({"enum": words}),
        _ => json!({"type": type_of(kind)}),
    };
    for (key, limit) in ["minimum", "maximum"].iter().zip(limits.iter().flatten()) {
        if let Some(limit) = limit {
            value[*key] = json!(limit);
        }
    }
    let range = limits.map(|_| json!({
        "type": "object",
        "additionalProperties": false,
        "required": ["from", "to"],
        "properties": {"from": value, "to": value, "step": {"type": "number", "exclusiveMinimum": 0}},
    }));
    let weights = matches!(kind, Kind::Text { .. }).then(|| {
        // Weights, of which each may be a list; which texts have any is left to `tilelab check`.
        let weights = listed(json!({"type": "integer"}));
        json!({"type": "object", "additionalProperties": weights})
    });
    let mut schema = listed(value);
    let forms = schema["anyOf"].as_array_mut();
    forms.expect("a list of forms").extend(weights.or(range));
    schema
}

/// The schema of a value of this form, or of a list of such values.
fn listed(form: Value) -> Value {
    json!({"anyOf": [form, {"type": "array", "minItems": 1, "items": form}]})
}

/// A schema with a description, which has no effect beside a reference.
fn described(schema: Value, description: &str) -> Value {
    let mut schema = match schema.get("$ref") {
        Some(_) => json!({"allOf": [schema]}),
        None => schema,
    };
    schema["description"] = json!(description);
    schema
}
