//! Wrong inputs: each has one clear message that names file, key and value and says what would be
//! right; exit code 2; nothing is written.

use crate::common::{command, folder, refused, tilelab, tilelab_with_input, write};

const HEAD: &str = "name = \"wrong\"\nseed = 1\ngames = 10\n";

/// Runs an experiment file that must be refused with all these words, and looks that no results
/// folder was made.
fn check_file(text: &str, words: &[&str]) {
    let folder = folder();
    let file = write(folder.path(), "wrong.toml", text);
    let out = folder.path().join("results");
    let output = tilelab(&["run", file.to_str().unwrap(), "--out", out.to_str().unwrap()]);
    refused(&output, words);
    refused(&output, &["wrong.toml"]);
    assert!(!out.exists(), "something was written");
}

/// A table of 67! with these lines added.
fn check_table(lines: &str, words: &[&str]) {
    check_file(&format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\n{lines}\n"), words);
}

#[test]
fn misspelt_keys() {
    check_file(
        &format!("{HEAD}seeed = 2\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\""),
        &["seeed", "did you mean seed"],
    );
    check_table("operater_rate = 0.5", &["wrong.toml:8", "operater_rate", "did you mean \"operator_rate\""]);
    check_table("stop = { half_widht = 0.1, max_games = 10 }", &["half_widht", "did you mean half_width"]);
    check_table("player = { name = \"random\", depth = 3 }", &["player.depth", "unknown parameter"]);
}

#[test]
fn wrong_types() {
    check_table("operator_rate = \"half\"", &["operator_rate = \"half\"", "a number from 0 to 1"]);
    check_table("tiles_per_turn = 1.5", &["tiles_per_turn = 1.5", "a whole number from 1"]);
    check_table("rules = 3", &["rules = 3", "original, gapless"]);
    check_file(
        "name = \"wrong\"\nseed = \"x\"\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"",
        &["seed = \"x\"", "whole number"],
    );
    check_file(&format!("{HEAD}table = 3"), &["table = 3", "[[table]]"]);
    check_table("games = \"many\"", &["games = \"many\"", "from 1 up"]);
}

#[test]
fn impossible_values() {
    check_table("operator_rate = 1.5", &["operator_rate = 1.5", "from 0 to 1"]);
    check_table("tiles_per_turn = 0", &["tiles_per_turn = 0", "from 1"]);
    check_table("operators = \"\"", &["operators = \"\"", "non-empty subset"]);
    check_table("operators = \"+/\"", &["operators = \"+/\"", "+ - *"]);
    check_table("digits = \"11\"", &["digits = \"11\"", "set of digits"]);
    check_table("max_rounds = 0", &["max_rounds = 0", "from 1"]);
    check_table("value_limit = -1", &["value_limit = -1", "from 0"]);
    check_table("games = 0", &["games = 0", "from 1 up"]);
    check_file(
        &format!("{HEAD}confidence = 1.0\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\""),
        &["confidence = 1.0", "between 0 and 1"],
    );
    let sized = |size: &str| format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = {size}\n");
    check_file(&sized("\"0x4\""), &["size = \"0x4\"", "from 1 to 64"]);
    check_file(&sized("\"65x4\""), &["size = \"65x4\"", "from 1 to 64"]);
    check_file(&sized("\"6by7\""), &["size = \"6by7\"", "6x7"]);
    check_table("stop = { half_width = 0.01 }", &["max_games is missing"]);
}

#[test]
fn empty_and_contradictory_sweeps() {
    check_table("operator_rate = []", &["operator_rate = []", "empty list"]);
    check_table("rows = 4", &["size: rows is given too"]);
    check_table("operator_rate = [0.5, 0.5]", &["give the cell", "twice"]);
    check_table("exclude = [{ size = \"3x3\" }]", &["exclude leaves no cells"]);
    check_file(HEAD, &["[[table]]: missing"]);
    check_file("name = \"wrong\"\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"", &["seed: missing"]);
    check_file(&format!("{HEAD}[[table]]\ngame = \"sixty-seven\""), &["title: missing"]);
}

#[test]
fn unknown_names() {
    check_table("rules = \"orignal\"", &["rules = \"orignal\"", "did you mean \"original\""]);
    check_table("player = \"randm\"", &["player = \"randm\"", "did you mean \"random\""]);
    check_file(
        &format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-sevn\""),
        &["game = \"sixty-sevn\"", "did you mean \"sixty-seven\""],
    );
    refused(&tilelab(&["move", "--game", "chess"]), &["--game chess", "sixty-seven"]);
    refused(&tilelab(&["move", "--game", "sixty-seven", "--set", "rules=x"]), &["rules=x", "original"]);
    refused(&tilelab(&["move", "--game", "sixty-seven", "--set", "speed=1"]), &["speed", "operator_rate"]);
    refused(&tilelab(&["move", "--game", "sixty-seven", "--set", "rules"]), &["key=value"]);
}

#[test]
fn all_problems_are_reported_at_once() {
    check_table("rules = \"x\"\noperator_rate = 2\nspeed = 1", &["wrong.toml:8", "wrong.toml:9", "wrong.toml:10"]);
}

#[test]
fn broken_toml() {
    check_file("name = \"wrong", &["wrong.toml:1", "no TOML"]);
    check_file(&format!("{HEAD}seed = 2\n"), &["wrong.toml:4", "no TOML", "duplicate key"]);
}

#[test]
fn missing_and_foreign_files() {
    refused(&tilelab(&["run", "no-such-file.toml"]), &["no-such-file.toml", "cannot be read"]);
    check_table("published = \"nowhere.csv\"", &["published = \"nowhere.csv\"", "cannot be read"]);
    let folder = folder();
    std::fs::write(folder.path().join("binary.toml"), [0xFF, 0xFE, 0]).unwrap();
    refused(&tilelab(&["check", folder.path().join("binary.toml").to_str().unwrap()]), &["binary.toml", "UTF-8"]);
    refused(&tilelab(&["report", folder.path().to_str().unwrap()]), &["cells.csv", "cannot be read"]);
    write(folder.path(), "cells.csv", "a,b\n1,2\n");
    refused(&tilelab(&["report", folder.path().to_str().unwrap()]), &["cells.csv", "column table is missing"]);
}

#[test]
fn unwritable_output() {
    let folder = folder();
    let file = write(
        folder.path(),
        "wrong.toml",
        &format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n"),
    );
    let blocked = write(folder.path(), "a-file", "in the way");
    let output = tilelab(&["run", file.to_str().unwrap(), "--out", blocked.to_str().unwrap()]);
    refused(&output, &["--out", "a-file", "cannot be written"]);
    assert_eq!(std::fs::read_to_string(blocked).unwrap(), "in the way");
}

#[test]
fn wrong_arguments() {
    for (arguments, words) in [
        (&["run"][..], &["FILE"][..]),
        (&["run", "x.toml", "--threads", "0"], &["--threads", "1.."]),
        (&["run", "x.toml", "--games", "-5"], &["-5"]),
        (&["run", "x.toml", "--kernel", "fast"], &["--kernel", "auto, reference, portable"]),
        (&["run", "x.toml", "--shard", "3/2"], &["--shard", "1 ≤ I ≤ N"]),
        (&["report", "x", "--check"], &["--readme"]),
        (
            &["replay", "experiments/readme.toml", "--cell", "nothing", "--game", "0"],
            &["--cell nothing", "no such cell"],
        ),
        (&["fly"], &["fly"]),
    ] {
        refused(&tilelab(arguments), words);
    }
}

/// A bad line is answered with an error, the exit code becomes 2, and the other lines are still
/// answered.
#[test]
fn broken_lines_of_moves() {
    let good = r#"{"board":[["1","+","2"]],"move":"left"}"#;
    for (line, words) in [
        ("{", "no JSON"),
        (r#"{"board":[["1","+"],["2"]]}"#, "row 2 has 1 tiles where row 1 has 2"),
        (r#"{"board":[["1","x"]]}"#, "\\\"x\\\" is no tile"),
        (r#"{"board":[[1]]}"#, "is no text"),
        (r#"{"board":[]}"#, "1 to 64 rows"),
        (r#"{"board":"12"}"#, "a list of rows"),
        (r#"{"move":"left"}"#, "board: missing"),
        (r#"{"board":[["1"]],"move":"north"}"#, "up, down, left, right"),
        (r#"{"board":[["1"]],"turn":"left"}"#, "turn: unknown key"),
        ("[]", "a request is an object"),
    ] {
        let output = tilelab_with_input(&["move", "--game", "sixty-seven"], &format!("{good}\n{line}\n{good}\n"));
        let text = crate::common::stdout(&output);
        let answers: Vec<&str> = text.lines().collect();
        assert_eq!(answers.len(), 3, "{text}");
        assert!(answers[1].starts_with("{\"error\":") && answers[1].contains(words), "{}", answers[1]);
        assert!(answers[0] == answers[2] && answers[0].contains("\"changed\":true"), "{text}");
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn no_message_is_a_panic_report() {
    let output = command(&["run", "experiments"]).output().unwrap();
    refused(&output, &["experiments", "cannot be read"]);
}
