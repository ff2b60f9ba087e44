//! The JSON schema of experiment files and the reader of experiment files hold the same view: every
//! experiment of the project fits the schema, broken ones fit neither, and both know the same keys.

use jsonschema::Validator;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::sync::LazyLock;
use tilelab::catalog::games;
use tilelab::experiment::{Experiment, Problem};
use tilelab::plan::{Overrides, Plan};
use tilelab::schema::schema;

fn validator(schema: &Value) -> Validator {
    jsonschema::validator_for(schema).expect("the schema is a JSON schema")
}

/// Checks values against one of the schema's definitions.
fn definition(name: &str) -> Validator {
    let mut schema = schema();
    assert!(
        schema["definitions"][name].is_object(),
        "no definition {name}"
    );
    let definitions = schema["definitions"].take();
    validator(&json!({
        "$schema": schema["$schema"],
        "allOf": [{"$ref": format!("#/definitions/{name}")}],
        "definitions": definitions,
    }))
}

fn faults(validator: &Validator, value: &Value) -> Vec<String> {
    validator
        .iter_errors(value)
        .map(|error| format!("{}: {error}", error.instance_path))
        .collect()
}

fn schema_faults(text: &str) -> Vec<String> {
    static WHOLE: LazyLock<Validator> = LazyLock::new(|| validator(&schema()));
    faults(&WHOLE, &toml::from_str(text).expect("TOML"))
}

fn reader_problems(path: &Path, text: &str) -> Vec<Problem> {
    Experiment::parse_at(path, text)
        .and_then(|experiment| Plan::new(&experiment, Overrides::default()))
        .map_or_else(|problems| problems.into_iter().collect(), |_| Vec::new())
}

fn experiments() -> PathBuf {
    PathBuf::from(concat!(env!("CARGO_MANIFEST_DIR"), "/../../experiments"))
}

#[test]
fn every_experiment_fits_the_schema_and_names_it() {
    let mut count = 0;
    for entry in std::fs::read_dir(experiments()).unwrap() {
        let path = entry.unwrap().path();
        if path.extension().is_some_and(|ending| ending == "toml") {
            let text = std::fs::read_to_string(&path).unwrap();
            assert_eq!(
                schema_faults(&text),
                Vec::<String>::new(),
                "{}",
                path.display()
            );
            let first = text.lines().next();
            assert_eq!(
                first,
                Some("#:schema tilelab.schema.json"),
                "{}: the first line",
                path.display()
            );
            count += 1;
        }
    }
    assert!(count > 0);
}

/// The file beside the experiments is what `tilelab generate schema` prints; set TILELAB_BLESS to
/// write it
/// anew.
#[test]
fn the_schema_beside_the_experiments_is_current() {
    let path = experiments().join("tilelab.schema.json");
    let now = format!("{}\n", serde_json::to_string_pretty(&schema()).unwrap());
    if std::env::var_os("TILELAB_BLESS").is_some() {
        std::fs::write(&path, &now).unwrap();
    }
    let then = std::fs::read_to_string(&path).unwrap_or_default();
    assert!(
        now == then,
        "stale; write it with: tilelab generate schema > experiments/tilelab.schema.json"
    );
}

const HEAD: &str = "name = \"x\"\nseed = 1\n";
const TABLE: &str = "[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n";

#[test]
fn sound_experiments_fit_both() {
    for (head, lines) in [
        ("", ""),
        (
            "games = 10\nconfidence = 0.99\n",
            "size = [\"3x3\", \"4x5\"]\nplayer = [{ name = \"random\" }]\n",
        ),
        (
            "stop = { half_width = 0.01, max_games = 100 }\n",
            "operator_rate = { from = 0.3, to = 0.5, step = 0.1 }\n",
        ),
        (
            "",
            "stop = { relative = 0.1, half_width = 0.2, max_games = 7 }\ntiles_per_turn = { from = 1, to = 4 }\n",
        ),
        (
            "",
            "rows = [2, 3]\ncols = [3, 2]\nzip = [[\"rows\", \"cols\"]]\n",
        ),
        (
            "",
            "rows = [2, 3]\ncols = 3\nexclude = [{ rows = 2 }]\nrules = [\"gapless\", \"bounded\"]\n",
        ),
        (
            "",
            "target = -5\noperators = \"+-\"\nvalue_limit = 99\nmax_rounds = 12\ndigits = \"123\"\noperator_rate = 1\n",
        ),
    ] {
        let text = format!("{HEAD}{head}{TABLE}{lines}");
        assert_eq!(schema_faults(&text), Vec::<String>::new(), "{text}");
        assert_eq!(reader_problems(Path::new("x.toml"), &text), [], "{text}");
    }
    let defaults = "[defaults]\ngame = \"sixty-seven\"\nplayer = \"random\"\nrules = [\"original\", \"gapless\"]\nsize = \"3x3\"\n";
    for table in [
        "[[table]]\ntitle = \"t\"\n",
        TABLE,
        "[[table]]\ntitle = \"t\"\nrules = \"bounded\"\nsize = \"2x2\"\n",
    ] {
        let text = format!("{HEAD}{defaults}{table}");
        assert_eq!(schema_faults(&text), Vec::<String>::new(), "{text}");
        assert_eq!(reader_problems(Path::new("x.toml"), &text), [], "{text}");
    }
}

#[test]
fn broken_experiments_fit_neither() {
    let mut broken: Vec<String> = [
        "size = \"0x3\"",
        "size = \"3by3\"",
        "size = 3",
        "size = []",
        "rows = 0",
        "rows = 65",
        "rows = 3.5",
        "cols = \"3\"",
        "rules = \"orignal\"",
        "rules = [\"original\", 1]",
        "operator_rate = 1.5",
        "operator_rate = -0.1",
        "operator_rate = \"half\"",
        "operator_rate = []",
        "operator_rate = { from = 0.1 }",
        "operator_rate = { from = 0.1, to = 0.9, step = 0.0 }",
        "operator_rate = { from = 0.1, to = 0.9, by = 0.1 }",
        "tiles_per_turn = 0",
        "tiles_per_turn = true",
        "operators = 5",
        "value_limit = -1",
        "max_rounds = 0",
        "player = \"nobody\"",
        "player = 3",
        "player = { depth = 3 }",
        "player = { name = \"random\", depth = 3 }",
        "opponent = \"random\"",
        "operater_rate = 0.5",
        "games = 0",
        "games = \"many\"",
        "published = 3",
        "zip = [\"rows\", \"cols\"]",
        "zip = [[\"rows\"]]",
        "exclude = [{}]",
        "exclude = [{ nonsense = 1 }]",
        "stop = { half_width = 0.1 }",
        "stop = { max_games = 10 }",
        "stop = { half_width = 0.7, max_games = 10 }",
        "stop = { half_width = 0.1, max_games = 10, min_games = 1 }",
    ]
    .iter()
    .map(|line| format!("{HEAD}{TABLE}{line}\n"))
    .collect();
    broken.extend([
        HEAD.to_owned(),
        format!("name = \"x\"\n{TABLE}"),
        format!("seed = 1\n{TABLE}"),
        format!("name = \"a b\"\nseed = 1\n{TABLE}"),
        format!("name = \"x\"\nseed = -1\n{TABLE}"),
        format!("{HEAD}confidence = 1.0\n{TABLE}"),
        format!("{HEAD}seeed = 1\n{TABLE}"),
        format!("{HEAD}table = 3\n"),
        format!("{HEAD}[[table]]\ngame = \"sixty-seven\"\n"),
        format!("{HEAD}[[table]]\ntitle = \" \"\ngame = \"sixty-seven\"\n"),
        format!("{HEAD}[[table]]\ntitle = \"t\"\n"),
        format!("{HEAD}[defaults]\nsize = \"3x3\"\n[[table]]\ntitle = \"t\"\n"),
        format!("{HEAD}[defaults]\ntitle = \"t\"\n{TABLE}"),
        format!("{HEAD}[defaults]\ngame = \"chess\"\n[[table]]\ntitle = \"t\"\n"),
        format!("{HEAD}[defaults]\nrules = \"orignal\"\n{TABLE}"),
        format!(
            "{HEAD}[defaults]\ngame = \"sixty-seven\"\n[[table]]\ntitle = \"t\"\nfour_rate = 0.1\n"
        ),
        format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"chess\"\n"),
    ]);
    assert!(broken.len() >= 30);
    for text in &broken {
        assert!(
            !schema_faults(text).is_empty(),
            "the schema accepts\n{text}"
        );
        assert!(
            !reader_problems(Path::new("x.toml"), text).is_empty(),
            "the reader accepts\n{text}"
        );
    }
}

/// The keys that a refusal of the unknown key `nonsense` lists.
fn listed_keys(text: &str) -> BTreeSet<String> {
    let problems = reader_problems(Path::new("x.toml"), text);
    let listed = problems.iter().find_map(|problem| {
        let (_, rest) = problem.message.split_once("nonsense")?;
        Some(
            rest.split_once("accepted: ")?
                .1
                .split(';')
                .next()?
                .to_owned(),
        )
    });
    let listed = listed.unwrap_or_else(|| panic!("no list of keys in {problems:?}"));
    listed.split(", ").map(str::to_owned).collect()
}

fn schema_keys(pointer: &str) -> BTreeSet<String> {
    let schema = schema();
    schema
        .pointer(pointer)
        .and_then(Value::as_object)
        .expect(pointer)
        .keys()
        .cloned()
        .collect()
}

#[test]
fn reader_and_schema_know_the_same_keys() {
    assert_eq!(
        listed_keys(&format!("nonsense = 1\n{HEAD}{TABLE}")),
        schema_keys("/properties")
    );
    let stop = format!("{HEAD}{TABLE}stop = {{ half_width = 0.1, max_games = 3, nonsense = 1 }}\n");
    assert_eq!(
        listed_keys(&stop),
        schema_keys("/definitions/stop/properties")
    );
    for game in games() {
        let table = format!(
            "{HEAD}[[table]]\ntitle = \"t\"\ngame = \"{}\"\nnonsense = 1\n",
            game.name
        );
        let keys = schema_keys(&format!("/definitions/{}/properties", game.name));
        assert_eq!(listed_keys(&table), keys, "{}", game.name);
    }
}

/// The defaults of every parameter of every game and player fit the schema of their own key.
#[test]
fn defaults_fit_the_schema() {
    let schema = schema();
    for game in games() {
        for spec in game.params {
            let name = format!("{}.{}", game.name, spec.name);
            if let Some(default) = schema["definitions"][&name].get("default") {
                assert_eq!(
                    faults(&definition(&name), default),
                    Vec::<String>::new(),
                    "{name}"
                );
            }
        }
        let player_of_game = definition(&format!("{}.player", game.name));
        for player in game.players {
            let fits = player_of_game.is_valid(&json!({"name": player.name}));
            let complete = player
                .params
                .iter()
                .all(|spec| spec.default_value().is_some());
            assert_eq!(fits, complete, "{}: {}", game.name, player.name);
        }
    }
}

/// Each part of the schema is written once.
#[test]
fn the_schema_is_small() {
    let bytes = serde_json::to_string_pretty(&schema()).unwrap().len();
    assert!(bytes <= 99_000, "{bytes} bytes");
}
