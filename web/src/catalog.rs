//! What there is to choose from: games, players, levels and experiments.

use crate::game::title_of;
use crate::text::error;
use serde_json::{Value, json};
use tilelab::catalog::games;
use tilelab::game::registry::GameEntry;
use tilelab::games::calculator::levels;
use tilelab::params::{Kind, ParamSpec, Params};
use tilelab::plan;
use wasm_bindgen::prelude::*;

/// The parameter of 67! whose values are presets of its rules.
const PRESETS: &str = "rules";

/// What people begin with where the defaults are for machines.
const OPENINGS: [(&str, &str); 1] = [("offset", "side=8 d=5")];

/// What the laboratory varies: game, parameter and values.
const SWEEPS: [(&str, &str, &str); 6] = [
    (
        "sixty-seven",
        "operator_rate",
        "0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9",
    ),
    ("sixty-seven", "size", "3x3 4x4 5x5 6x6 7x7 8x8"),
    ("sixty-seven", "tiles_per_turn", "1 2 3 4 5 6 7 8"),
    (
        "twenty-forty-eight",
        "four_rate",
        "0 0.1 0.2 0.3 0.4 0.5 0.6 0.7 0.8 0.9 1",
    ),
    ("twenty-forty-eight", "size", "3x3 4x4 5x5 6x6"),
    ("zero-sum", "start", "8 9 10 11 12 13 14 15 16 17 18"),
];
/// Parameters that the page does not ask for: they have no use in a game that is played move by
/// move, need a clock, so that games could not be played again, or need a file.
const UNFIT: [&str; 4] = ["lanes", "method", "budget_ms", "weights"];
/// The largest board that is set up here.
const SIDE_MAX: i64 = 16;
/// Games of each point of the laboratory's curve.
#[cfg(feature = "lab")]
const LABORATORY_GAMES: u32 = 20_000;
/// Players whose games take no time worth waiting for.
const QUICK: [&str; 3] = ["random", "greedy", "corner"];

/// First games of 67!, each of a few moves, with the seed of a deal that can be won: what is to be
/// learned, the cell and the seed.
const LESSONS: [(&str, &str, u32); 3] = [
    (
        "Slide so that 6, + and 7 come together in a line: they become 13.",
        "sixty-seven rules=gapless rows=3 cols=3 target=13 digits=67 operators=+",
        4,
    ),
    (
        "A result can be used again: 6 + 7 is 13, and 13 + 7 is 20. Make 20.",
        "sixty-seven rules=gapless rows=4 cols=4 target=20 digits=67 operators=+",
        6,
    ),
    (
        "Now the game itself, with − and × and one new tile a round: make 67. A hint tells the chances.",
        "sixty-seven rules=merge-runs rows=4 cols=4 tiles_per_turn=1",
        5,
    ),
];

/// The game of the day: small enough to be won by a person in a few minutes.
const DAILY: &str = "sixty-seven rules=merge-runs size=6x6";
/// The keys of the players in the text of a cell.
pub const SEATS: [&str; 2] = ["player", "opponent"];

/// The experiments that ship with tilelab.
#[cfg(feature = "lab")]
const EXPERIMENTS: [(&str, &str); 7] = [
    ("sweep", include_str!("../../experiments/sweep.toml")),
    ("readme", include_str!("../../experiments/readme.toml")),
    ("players", include_str!("../../experiments/players.toml")),
    (
        "twenty-forty-eight",
        include_str!("../../experiments/twenty-forty-eight.toml"),
    ),
    (
        "calculator",
        include_str!("../../experiments/calculator.toml"),
    ),
    ("offset", include_str!("../../experiments/offset.toml")),
    ("zero-sum", include_str!("../../experiments/zero-sum.toml")),
];

/// What the text of a cell says, as JSON: `game`, `params` (the settings, as text), `players` (as
/// cells write them; empty where none is named), and the first `seat`, `seed` and `index`.
///
/// # Errors
/// Names the games where it begins with none, and a word that is not a setting.
#[wasm_bindgen(js_name = readCell)]
pub fn read_cell(text: &str) -> Result<String, JsError> {
    setup(text).map(|setup| setup.to_string()).map_err(error)
}

fn setup(text: &str) -> Result<Value, String> {
    let mut words = text.split_whitespace();
    let entry = plan::game(words.next().unwrap_or_default()).map_err(|error| error.to_string())?;
    let mut params = json!({});
    let mut players = vec![""; entry.seats];
    for word in words {
        let setting = word.split_once('=');
        let (key, value) =
            setting.ok_or_else(|| format!("{word}: not a setting; write key=value"))?;
        let seat = SEATS[..entry.seats].iter().position(|known| *known == key);
        match (seat, value.split_once('x')) {
            (Some(seat), _) => players[seat] = value,
            (None, Some((rows, cols))) if key == "size" => {
                params["rows"] = rows.into();
                params["cols"] = cols.into();
            }
            _ => params[key] = value.into(),
        }
    }
    let game = entry.name;
    Ok(
        json!({"game": game, "params": params, "players": players, "seat": 0, "seed": "0", "index": "0"}),
    )
}

/// All games as a JSON list.
///
/// Each has `name`, `aliases`, `title`, `seats`, `params`, `players` (each with `name`,
/// `summary` and `params`), `opening` and `daily` (what people begin with, and the game of the
/// day, as [`read_cell`] tells them), `chances` (whether players estimate win chances),
/// `solves` (whether there is a solver), `sweeps` (each with `name` and `values`: what the
/// laboratory varies), `quick` (the names of players that take no time worth waiting for),
/// `lessons` (each with `text` and `setup`) and `presets` (each with `name` and `params`, the
/// completed values as text), and Calculator has `levels` (`number`, `start`, `goal`, `moves`
/// and the count of `buttons`). A parameter has `name`, `kind` (`bool`, `int`, `float`,
/// `choice` or `text`), `min` and `max` of numbers, `choices`, `default` (null: unset),
/// `required`, `main`, `help` and `accepts`.
#[wasm_bindgen]
#[must_use]
pub fn catalog() -> String {
    json!(games().map(game).collect::<Vec<_>>()).to_string()
}

/// The experiments that ship with tilelab, as a JSON list of `name` and `text`.
#[cfg(feature = "lab")]
#[wasm_bindgen]
#[must_use]
pub fn experiments() -> String {
    let list: Vec<Value> = EXPERIMENTS
        .iter()
        .map(|(name, text)| json!({"name": name, "text": text}))
        .collect();
    json!(list).to_string()
}

/// The experiment of the laboratory: win rates of a player over the values of a parameter, which
/// are separated by spaces.
#[cfg(feature = "lab")]
#[wasm_bindgen]
#[must_use]
pub fn laboratory(game: &str, parameter: &str, player: &str, values: &str) -> String {
    let title = games().find(|entry| entry.name == game);
    let title = title.map_or_else(String::new, |entry| title_of(entry.summary));
    let quoted = |value: &str| match value.parse::<f64>() {
        Ok(_) => value.to_owned(),
        Err(_) => format!("\"{value}\""),
    };
    let values: Vec<String> = values.split(' ').map(quoted).collect();
    format!(
        "name = \"laboratory\"\nseed = 67\ngames = {LABORATORY_GAMES}\n\n[[table]]\n\
         title = \"{title} by {}\"\ngame = \"{game}\"\nplayer = \"{player}\"\n\
         {parameter} = [{}]\n",
        parameter.replace('_', " "),
        values.join(", ")
    )
}

fn game(entry: &GameEntry) -> Value {
    let players: Vec<Value> = entry
        .players
        .iter()
        .map(|player| json!({"name": player.name, "summary": player.summary, "params": params(player.params)}))
        .collect();
    let opening = OPENINGS.iter().find(|(name, _)| *name == entry.name);
    let mut game = json!({
        "name": entry.name,
        "aliases": entry.aliases,
        "title": title_of(entry.summary),
        "seats": entry.seats,
        "params": params(entry.params),
        "players": players,
        "presets": presets(entry),
        "opening": setup(&format!("{} {}", entry.name, opening.map_or("", |it| it.1))).ok(),
        "daily": setup(DAILY).ok(),
        "chances": entry.name == tilelab::games::sixty_seven::NAME,
        "solves": entry.name == tilelab::games::calculator::NAME,
        "sweeps": SWEEPS
            .iter()
            .filter(|(game, ..)| *game == entry.name)
            .map(|(_, name, values)| json!({"name": name, "values": values.split(' ').collect::<Vec<_>>()}))
            .collect::<Value>(),
        "quick": entry
            .players
            .iter()
            .map(|player| player.name)
            .filter(|name| QUICK.contains(name))
            .collect::<Vec<_>>(),
        "lessons": LESSONS
            .iter()
            .filter(|(_, cell, _)| cell.starts_with(entry.name))
            .map(|(text, cell, seed)| {
                let mut setup = setup(cell).unwrap_or_default();
                setup["seed"] = seed.to_string().into();
                json!({"text": text, "setup": setup})
            })
            .collect::<Value>(),
    });
    if entry.name == tilelab::games::calculator::NAME {
        let level = |level: &tilelab::games::calculator::level::Level| {
            json!({
                "number": level.number,
                "start": level.start,
                "goal": level.goal,
                "moves": level.moves,
                "buttons": level.buttons.len(),
            })
        };
        game["levels"] = levels::built_in().map(|it| level(&it)).collect();
    }
    game
}

fn presets(entry: &GameEntry) -> Vec<Value> {
    let Some(spec) = entry.params.iter().find(|spec| spec.name == PRESETS) else {
        return Vec::new();
    };
    let Kind::Choice(names) = spec.kind else {
        return Vec::new();
    };
    let preset = |name: &&str| {
        let params = plan::params(entry, [format!("{PRESETS}={name}")]).ok()?;
        Some(json!({"name": name, "params": texts(&params)}))
    };
    names.iter().filter_map(preset).collect()
}

/// Names and values, as `key=value` settings write them; unset ones are empty.
fn texts(params: &Params) -> Value {
    params
        .iter()
        .map(|(name, value)| (name.to_owned(), Value::from(value.to_string())))
        .collect()
}

fn params(specs: &[ParamSpec]) -> Vec<Value> {
    let fitting = specs.iter().filter(|spec| !UNFIT.contains(&spec.name));
    fitting.map(param).collect()
}

fn param(spec: &ParamSpec) -> Value {
    let default = spec
        .default_value()
        .map(|value| value.to_string())
        .filter(|text| !text.is_empty());
    let mut param = json!({
        "name": spec.name,
        "default": default,
        "required": spec.default_value().is_none(),
        "main": spec.main,
        "help": spec.help,
        "accepts": spec.accepts(),
    });
    // JSON readers take numbers beyond 2^53 for others, and have no infinity: such a bound is none.
    let whole = |bound: i64| (bound.unsigned_abs() < 1 << 53).then_some(bound);
    let finite = |bound: f64| bound.is_finite().then_some(bound);
    param["kind"] = match spec.kind {
        Kind::Bool => "bool",
        Kind::Int { min, max } => {
            let is_side = ["rows", "cols"].contains(&spec.name);
            param["min"] = json!(whole(min));
            param["max"] = json!(whole(if is_side { SIDE_MAX } else { max }));
            "int"
        }
        Kind::Float { min, max } => {
            param["min"] = json!(finite(min));
            param["max"] = json!(finite(max));
            "float"
        }
        Kind::Choice(choices) => {
            param["choices"] = json!(choices);
            "choice"
        }
        Kind::Text { .. } => "text",
    }
    .into();
    param
}
