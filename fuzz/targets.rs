//! The bodies of the fuzz targets, shared by the libFuzzer programs in `fuzz_targets/` and by the
//! tests in `tests/it/fuzz.rs`. Each takes any bytes, refuses what is not text, and panics when a
//! property does not hold.

#![allow(clippy::disallowed_methods)]

use std::path::Path;
use std::process::ExitCode;
use tilelab::catalog::{GameEntry, games};
use tilelab::cli::Cli;
use tilelab::experiment::Experiment;
use tilelab::game::{KernelChoice, Tally};
use tilelab::games::calculator::solver;
use tilelab::games::offset;
use tilelab::json::Json;
use tilelab::levels::{self, LevelFormat, Listed};
use tilelab::params::{ParamSpec, Params, Value};
use tilelab::plan::{Cell, Overrides, Plan};
use tilelab::requests;
use tilelab::rng::hash_key;
use tilelab::runner::state::RunState;
use tilelab::weights::{self, Weights};

/// A target: its name, and what is done with the bytes.
pub type Target = (&'static str, fn(&[u8]));

/// The targets by name; `fuzz/corpus/NAME` holds the seeds of each.
pub const TARGETS: &[Target] = &[
    ("experiment", experiment),
    ("results", results),
    ("state", state),
    ("moves", moves),
    ("offset_log", offset_log),
    ("levels", levels),
    ("weights", weights),
    ("training", training),
    ("records", records),
    ("numbers", numbers),
];

/// An experiment's text: refused with a reason, or every key is a setting of the cells, and small
/// cells can be played.
pub fn experiment(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let overrides = Overrides {
        games: Some(2),
        unpublished: true,
        ..Overrides::default()
    };
    let parsed = Experiment::parse(text);
    let plan = match parsed.and_then(|experiment| Plan::new(&experiment, overrides)) {
        Ok(plan) => plan,
        Err(problems) => {
            assert!(!problems.0.is_empty(), "refused without a problem");
            return;
        }
    };
    let file: toml::Table = text.parse().expect("a planned experiment is TOML");
    let nothing = toml::Table::new();
    let defaults = file
        .get("defaults")
        .and_then(toml::Value::as_table)
        .unwrap_or(&nothing);
    let tables = file
        .get("table")
        .and_then(toml::Value::as_array)
        .expect("a planned experiment has tables");
    for cell in plan.cells.iter().take(64) {
        let table = tables[cell.table]
            .as_table()
            .expect("a table of the experiment is a table");
        for (key, value) in table {
            assert!(
                is_set(cell, key, value),
                "the key {key} = {value} has no effect on the cell {}",
                cell.key()
            );
        }
        let inherited = defaults
            .iter()
            .filter(|(key, _)| !table.contains_key(*key) && !is_size(key));
        for (key, value) in inherited {
            assert!(
                is_set(cell, key, value),
                "the default {key} = {value} has no effect on the cell {}",
                cell.key()
            );
        }
    }
    for cell in plan.cells.iter().filter(|cell| is_quick(cell)).take(4) {
        let mut cell = cell.clone();
        if cell
            .game
            .params
            .iter()
            .any(|spec| spec.name == "max_rounds")
        {
            cell.params.set("max_rounds", Value::Int(20));
        }
        let Ok(job) = cell.job(plan.seed, KernelChoice::Auto) else {
            continue;
        };
        let mut tally = Tally::new(job.measures());
        let games = job.sampling().lanes().max(2);
        job.play(0..games, &mut tally, None);
        assert_eq!(tally.games, games);
        assert!(tally.wins <= games);
    }
}

fn is_size(key: &str) -> bool {
    ["size", "rows", "cols"].contains(&key)
}

/// Whether a key of a table is seen in one of its cells.
fn is_set(cell: &Cell, key: &str, value: &toml::Value) -> bool {
    if [
        "title",
        "game",
        "games",
        "stop",
        "published",
        "zip",
        "exclude",
    ]
    .contains(&key)
    {
        return true;
    }
    let values = match value {
        toml::Value::Array(values) => values.as_slice(),
        // A range; its steps are the plan's own matter.
        toml::Value::Table(range) if range.contains_key("from") => return true,
        value => std::slice::from_ref(value),
    };
    let seat = ["player", "opponent"].iter().position(|seat| *seat == key);
    values.iter().any(|value| match (seat, key) {
        (Some(seat), _) => is_player(cell, seat, value),
        (None, "size") => value
            .as_str()
            .and_then(|size| size.split_once('x'))
            .is_some_and(|(rows, cols)| {
                let is = |name: &str, side: &str| {
                    side.parse() == Ok(cell.params.int(name).unwrap_or(-1))
                };
                is("rows", rows) && is("cols", cols)
            }),
        _ => has(&cell.params, cell.game.params, key, value),
    })
}

fn is_player(cell: &Cell, seat: usize, value: &toml::Value) -> bool {
    let player = &cell.players[seat];
    match value {
        toml::Value::String(name) => name == player.entry.name,
        toml::Value::Table(table) => table.iter().all(|(key, value)| match value {
            _ if key == "name" => value.as_str() == Some(player.entry.name),
            toml::Value::Array(values) => values
                .iter()
                .any(|value| has(&player.params, player.entry.params, key, value)),
            toml::Value::Table(_) => true,
            value => has(&player.params, player.entry.params, key, value),
        }),
        _ => false,
    }
}

fn has(params: &Params, specs: &[ParamSpec], key: &str, value: &toml::Value) -> bool {
    let value = match value {
        toml::Value::Boolean(value) => Value::Bool(*value),
        toml::Value::Integer(value) => Value::Int(*value),
        toml::Value::Float(value) => Value::Float(*value),
        toml::Value::String(value) => Value::Text(value.clone()),
        _ => return false,
    };
    let Some(spec) = specs.iter().find(|spec| spec.name == key) else {
        return false;
    };
    let accepted = spec.accept(&value);
    accepted.is_some()
        && accepted.as_ref()
            == params
                .iter()
                .find(|(name, _)| *name == key)
                .map(|(_, value)| value)
}

/// Whether a game of the cell takes microseconds.
fn is_quick(cell: &Cell) -> bool {
    let is_small = |(name, value): (&str, &Value)| match (name, value) {
        ("rows" | "cols", Value::Int(side)) => *side <= 6,
        ("side", Value::Int(side)) => *side <= 8,
        ("tiles_per_turn", Value::Int(tiles)) => *tiles <= 16,
        ("start", Value::Int(start)) => cell.game.name != "zero-sum" || *start <= 1_000,
        _ => true,
    };
    let is_random =
        |player: &tilelab::catalog::PlayerSpec| ["random", "greedy"].contains(&player.entry.name);
    cell.params.iter().all(is_small) && cell.players.iter().all(is_random)
}

/// Runs the command line inside this process.
fn run(arguments: &[&str]) -> ExitCode {
    let arguments = ["tilelab"].iter().chain(arguments);
    Cli::read(arguments)
        .expect("the arguments are right")
        .execute()
}

/// A path as an argument.
fn argument(path: &Path) -> &str {
    path.to_str().expect("temporary folders have plain names")
}

/// Wrong input ends with exit code 2, never with 1: the disk does not fail here.
fn check_code(code: ExitCode, what: &str) -> bool {
    assert_ne!(
        code,
        ExitCode::FAILURE,
        "{what}: exit code 1 for wrong input"
    );
    code == ExitCode::SUCCESS
}

/// The files in the data: each begins after a line `=== NAME`.
fn files(data: &[u8]) -> Vec<(&str, &str)> {
    let text = std::str::from_utf8(data).unwrap_or_default();
    text.split("=== ")
        .filter_map(|file| file.split_once('\n'))
        .collect()
}

/// The CSV files of a results folder: report, export and compare refuse them or succeed, and
/// pictures hold numbers only.
pub fn results(data: &[u8]) {
    const NAMES: [&str; 4] = [
        "cells.csv",
        "distributions.csv",
        "published.csv",
        "times.csv",
    ];
    let folder = tempfile::tempdir().expect("a temporary folder");
    let fuzzed = folder.path().join("fuzzed");
    let sound = folder.path().join("sound");
    for place in [&fuzzed, &sound] {
        std::fs::create_dir(place).expect("a folder");
    }
    let sample = include_bytes!("corpus/results/run");
    for (place, data) in [(&sound, sample.as_slice()), (&fuzzed, data)] {
        for (name, text) in files(data)
            .into_iter()
            .filter(|(name, _)| NAMES.contains(name))
        {
            std::fs::write(place.join(name), text).expect("a file");
        }
    }
    if check_code(run(&["report", argument(&fuzzed)]), "report") {
        for entry in std::fs::read_dir(&fuzzed).expect("a folder").flatten() {
            if entry
                .path()
                .extension()
                .is_some_and(|ending| ending == "svg")
            {
                let picture = std::fs::read_to_string(entry.path()).expect("a picture");
                for wrong in [
                    "x=\"NaN",
                    "y=\"NaN",
                    "x=\"inf",
                    "y=\"inf",
                    "x=\"-inf",
                    "y=\"-inf",
                    "points=\"NaN",
                ] {
                    assert!(
                        !picture.contains(wrong),
                        "{:?} contains {wrong}",
                        entry.file_name()
                    );
                }
            }
        }
    }
    let json = folder.path().join("cells.json");
    if check_code(
        run(&[
            "report",
            argument(&fuzzed),
            "--format",
            "json",
            "--output",
            argument(&json),
        ]),
        "export",
    ) {
        let text = std::fs::read(&json).expect("the export");
        serde_json::from_slice::<serde_json::Value>(&text).expect("the export is JSON");
    }
    check_code(
        run(&[
            "compare",
            argument(&fuzzed),
            argument(&sound),
            "--format",
            "csv",
        ]),
        "compare",
    );
    check_code(
        run(&["compare", argument(&sound), argument(&fuzzed)]),
        "compare",
    );
}

/// Saved states, their checksums made right: a run goes on from the first or refuses it, and all
/// are merged or refused.
pub fn state(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = |name: &str| folder.path().join(name);
    let states = files(data);
    for (index, (_, body)) in states.iter().take(3).enumerate() {
        let place = path(&format!("part-{index}"));
        std::fs::create_dir(&place).expect("a folder");
        let file = place.join(".state");
        let sum = crc32fast::hash(body.as_bytes());
        let text = format!("{body}{{\"crc32\":\"{sum:08x}\"}}\n");
        if let Ok(state) = RunState::of_bytes(text.as_bytes()) {
            let again = state.to_bytes().expect("a state can be written");
            assert_eq!(
                RunState::of_bytes(&again).ok(),
                Some(state),
                "a state written again reads otherwise"
            );
        }
        std::fs::write(&file, text).expect("a file");
    }
    if states.is_empty() {
        return;
    }
    let merged = path("merged");
    let mut arguments = vec![
        "merge".to_owned(),
        "--out".to_owned(),
        argument(&merged).to_owned(),
    ];
    arguments.extend(
        (0..states.len().min(3)).map(|index| argument(&path(&format!("part-{index}"))).to_owned()),
    );
    check_code(
        run(&arguments.iter().map(String::as_str).collect::<Vec<_>>()),
        "merge",
    );

    let experiment = path("state.toml");
    std::fs::write(&experiment, STATE_EXPERIMENT).expect("a file");
    let results = path("out/state");
    std::fs::create_dir_all(&results).expect("a folder");
    std::fs::copy(path("part-0/.state"), results.join(".state")).expect("a file");
    let out = path("out");
    let run_again = [
        "run",
        argument(&experiment),
        "--out",
        argument(&out),
        "--threads",
        "1",
        "--quiet",
    ];
    if check_code(run(&run_again), "run") {
        assert!(
            results.join("cells.csv").exists(),
            "a run without cells.csv"
        );
    }
}

/// The experiment of the states in the corpus.
pub const STATE_EXPERIMENT: &str = "name = \"state\"\nseed = 67\ngames = 9\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n\
    size = [\"2x2\", \"2x3\"]\n[[table]]\ntitle = \"a\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\ntarget = 9\n\
    stop = { half_width = 0.2, max_games = 60 }\n";

/// The first line names a game and its settings; each line after it is a request of `tilelab move`.
pub fn moves(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (first, lines) = text.split_once('\n').unwrap_or((text, ""));
    let mut words = first.split_whitespace();
    let Some(game) = words
        .next()
        .and_then(|name| games().find(|game| game.name == name))
    else {
        return;
    };
    let Some(params) = params(game, words) else {
        return;
    };
    for line in lines.lines().take(16) {
        let Ok(request) = serde_json::from_str::<serde_json::Value>(line) else {
            continue;
        };
        // Players may think for hours.
        if request.get("player").is_some() {
            continue;
        }
        match requests::answer(game, &params, line.as_bytes()) {
            Ok(answer) => check_legal(game, &params, &request, &answer),
            Err(reason) => assert!(!reason.is_empty(), "refused without a reason: {request}"),
        }
    }
}

fn params<'a>(game: &GameEntry, settings: impl Iterator<Item = &'a str>) -> Option<Params> {
    let mut params = Params::from_settings(game.params, settings).ok()?;
    (game.complete)(&mut params).ok()?;
    Some(params)
}

/// The directions that an answer calls legal can be moved, and change the board.
fn check_legal(game: &GameEntry, params: &Params, request: &serde_json::Value, answer: &Json) {
    if !["sixty-seven", "twenty-forty-eight"].contains(&game.name) || request.get("move").is_some()
    {
        return;
    }
    let legal = answer["legal"].as_array().map_or(&[][..], Vec::as_slice);
    for direction in ["up", "down", "left", "right"] {
        let mut moved = request.clone();
        moved["move"] = direction.into();
        let moved = requests::answer(game, params, moved.to_string().as_bytes())
            .expect("a direction can be asked for");
        let is_legal = legal.contains(&direction.into());
        assert_eq!(
            moved["changed"],
            Json::Bool(is_legal),
            "{direction} of {request}: {answer} and {moved}"
        );
    }
}

/// The first line gives pairs and side; the rest is a match log of Offset.
pub fn offset_log(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let (first, log) = text.split_once('\n').unwrap_or((text, ""));
    let (pairs, side) = first.split_once(' ').unwrap_or((first, "32"));
    let (Ok(pairs), Ok(side)) = (offset::parse_pairs(pairs), side.trim().parse::<usize>()) else {
        return;
    };
    if !(offset::SIDE_MIN..=offset::SIDE).contains(&side) {
        return;
    }
    let mut lines = Vec::new();
    let replayed = offset::log::replay(log, pairs, side, |entry, _| lines.push(entry.line()));
    if let Ok(replayed) = replayed {
        let again = offset::log::replay(&lines.join("\n"), pairs, side, |_, _| ());
        assert_eq!(again, Ok(replayed), "a log written again replays otherwise");
    }
}

/// A level file, JSON when it begins with a bracket: small levels are solved, and solutions hold.
pub fn levels(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let form = if text.trim_start().starts_with(['{', '[']) && !text.trim_start().starts_with("[[")
    {
        LevelFormat::Json
    } else {
        LevelFormat::Toml
    };
    match levels::read(text, form) {
        Ok(listed) => {
            for Listed { level, solutions } in listed.iter().take(4) {
                for solution in solutions.iter().take(8) {
                    let _ = level.check_solution(solution);
                }
                if level.moves <= 4
                    && level.buttons.len() <= 8
                    && let Some(solution) = solver::shortest(level)
                        .expect("four moves are few")
                        .solution
                {
                    level
                        .check_solution(&solution)
                        .expect("a solution solves its level");
                }
            }
        }
        Err(reason) => assert!(!reason.is_empty(), "refused without a reason"),
    }
}

/// A file of weights, its checksums made right: refused with a reason, or a player takes it.
pub fn weights(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let path = folder.path().join("fuzzed.weights");
    for data in [data.to_vec(), summed(data)] {
        std::fs::write(&path, data).expect("a file");
        match Weights::read(&path) {
            Ok(read) => assert_eq!(read.id.len(), 8, "an ID of another length"),
            Err(reason) => assert!(!reason.to_string().is_empty(), "refused without a reason"),
        }
        for (game, player) in [("67 size=2x2", "greedy"), ("2048", "expectimax")] {
            let cell = format!("{game} player={player}(weights={})", argument(&path));
            if let Ok(cell) = Cell::parse(&cell) {
                let tally = cell.play(1, 67).expect("a cell that was read is played");
                assert_eq!(tally.games, 1);
            }
        }
    }
}

/// The bytes of weights with the checksums that their lines should have; as they are where the
/// lines cannot be read.
fn summed(data: &[u8]) -> Vec<u8> {
    let rest = &mut &*data;
    let mut line = || {
        let end = rest.iter().position(|&byte| byte == b'\n')?;
        let (line, behind) = rest.split_at(end + 1);
        *rest = behind;
        serde_json::from_slice::<serde_json::Value>(line).ok()
    };
    let mut lines = || {
        let first = line()?;
        let sets = first["sets"].as_u64().filter(|sets| *sets < 64)?;
        let sets: Option<Vec<_>> = (0..sets).map(|_| line()).collect();
        line()?;
        Some((first, sets?))
    };
    let Some((first, sets)) = lines() else {
        return data.to_vec();
    };
    let mut text = format!("{first}\n");
    let mut ids = String::new();
    let mut at = 0;
    for mut set in sets {
        let bytes = set["bytes"].as_u64().unwrap_or_default() as usize;
        let end = bytes.saturating_add(at);
        let weights = rest.get(at..end.min(rest.len())).unwrap_or_default();
        if let Some(sum) = set.get_mut("crc32") {
            *sum = weights::checksum(weights).into();
        }
        at = end;
        ids += &format!("{set}\n");
    }
    text += &ids;
    let [id, sum] = [&ids, &text].map(|text| weights::checksum(text.as_bytes()));
    text += &format!("{{\"id\":\"{id}\",\"crc32\":\"{sum}\"}}\n");
    [text.as_bytes(), rest].concat()
}

/// The state of a training, its checksum made right: a training goes on from it or refuses it.
pub fn training(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let out = folder.path().join("fuzzed.weights");
    let states = folder.path().join(".fuzzed.weights.training");
    std::fs::create_dir(&states).expect("a folder");
    let rules = Cell::parse("67 size=2x2").expect("a cell").world_key();
    let state = states.join(format!("sixty-seven-{:016x}.state", hash_key(&rules)));
    let sum = crc32fast::hash(data).to_le_bytes();
    std::fs::write(&state, [data, &sum].concat()).expect("a file");
    let learn = ["learn", "--game", "67", "--set", "size=2x2", "--games", "3"];
    let more = ["--threads", "1", "--quiet", "--out", argument(&out)];
    if check_code(run(&[&learn[..], &more].concat()), "learn") {
        Weights::read(&out).expect("the weights of a training are sound");
    }
}

/// The records of the single games of a cell: a run makes all rows, whatever they hold.
pub fn records(data: &[u8]) {
    let folder = tempfile::tempdir().expect("a temporary folder");
    let experiment = folder.path().join("state.toml");
    std::fs::write(&experiment, STATE_EXPERIMENT).expect("a file");
    let plan = Plan::of_text(STATE_EXPERIMENT, Overrides::default()).expect("an experiment");
    let records = folder.path().join("state/.games");
    std::fs::create_dir_all(&records).expect("a folder");
    let name = format!("{:016x}-0", plan.cells[0].fingerprint(plan.seed));
    std::fs::write(records.join(name), data).expect("a file");
    let out = argument(folder.path());
    let play = ["run", argument(&experiment), "--out", out, "--threads", "1"];
    let more = ["--quiet", "--per-game=csv"];
    if check_code(run(&[&play[..], &more].concat()), "run") {
        let rows = std::fs::read_to_string(folder.path().join("state/games.csv"));
        let rows = rows.expect("the rows are there").lines().count();
        assert!(rows > 18, "{rows} rows of more than 18 games");
    }
}

/// Numbers of `sample-size` and `exact`: the first word is the verb, the others are its options.
pub fn numbers(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let mut words: Vec<&str> = text.split_whitespace().take(24).collect();
    // Games take long, and so do large boards.
    let is_slow = |word: &&str| word.starts_with("--ga") || word.starts_with("--ag");
    if words.iter().any(is_slow) {
        return;
    }
    match words.first() {
        Some(&"sample-size") => {}
        Some(&"exact") => words.extend(["--boards=200", "--set", "size=2x2"]),
        _ => return,
    }
    let words = ["tilelab"].iter().chain(&words);
    if let Ok(cli) = Cli::read(words) {
        check_code(cli.execute(), text);
    }
}
