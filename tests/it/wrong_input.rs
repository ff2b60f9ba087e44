//! Wrong inputs: each has one clear message that names file, key and value and says what would be
//! right; exit code 2; nothing is written.

use crate::common::{command, folder, refused, stdout, tilelab, tilelab_with_input, write};

const HEAD: &str = "name = \"wrong\"\nseed = 1\ngames = 10\n";

/// Runs an experiment file that must be refused with all these words, and looks that no results
/// folder was made.
fn check_file(text: &str, words: &[&str]) {
    let folder = folder();
    let file = write(folder.path(), "wrong.toml", text);
    let out = folder.path().join("results");
    let output = tilelab(&[
        "run",
        file.to_str().unwrap(),
        "--out",
        out.to_str().unwrap(),
    ]);
    refused(&output, words);
    refused(&output, &["wrong.toml"]);
    assert!(!out.exists(), "something was written");
}

/// A table of 67! with these lines added.
fn check_table(lines: &str, words: &[&str]) {
    check_file(
        &format!(
            "{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\n{lines}\n"
        ),
        words,
    );
}

#[test]
fn misspelt_keys() {
    check_file(
        &format!("{HEAD}seeed = 2\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\""),
        &["seeed", "did you mean seed"],
    );
    check_table(
        "operater_rate = 0.5",
        &[
            "wrong.toml:8",
            "operater_rate",
            "did you mean \"operator_rate\"",
        ],
    );
    check_table(
        "stop = { half_widht = 0.1, max_games = 10 }",
        &["half_widht", "did you mean half_width"],
    );
    check_table(
        "player = { name = \"random\", depth = 3 }",
        &["player.depth", "unknown parameter"],
    );
}

#[test]
fn wrong_types() {
    check_table(
        "operator_rate = \"half\"",
        &["operator_rate = \"half\"", "a number from 0 to 1"],
    );
    check_table(
        "tiles_per_turn = 1.5",
        &["tiles_per_turn = 1.5", "a whole number from 1"],
    );
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
    check_table(
        "operator_rate = 1.5",
        &["operator_rate = 1.5", "from 0 to 1"],
    );
    check_table("tiles_per_turn = 0", &["tiles_per_turn = 0", "from 1"]);
    check_table(
        "operators = \"\"",
        &["operators = \"\"", "non-empty subset"],
    );
    check_table("operators = \"+/\"", &["operators = \"+/\"", "+ - *"]);
    check_table("digits = \"11\"", &["digits = \"11\"", "set of digits"]);
    check_table("max_rounds = 0", &["max_rounds = 0", "from 1"]);
    check_table("value_limit = -1", &["value_limit = -1", "from 0"]);
    check_table("games = 0", &["games = 0", "from 1 up"]);
    check_file(
        &format!("{HEAD}confidence = 1.0\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\""),
        &["confidence = 1.0", "from 0.5 to 0.999999"],
    );
    let sized = |size: &str| {
        format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = {size}\n")
    };
    check_file(&sized("\"0x4\""), &["size = \"0x4\"", "from 1 to 64"]);
    check_file(&sized("\"65x4\""), &["size = \"65x4\"", "from 1 to 64"]);
    check_file(&sized("\"6by7\""), &["size = \"6by7\"", "6x7"]);
    check_table("stop = { half_width = 0.01 }", &["max_games is missing"]);
}

/// A float that is not finite has no value to play with; its key must not vanish.
#[test]
fn numbers_that_are_not_finite() {
    for number in ["nan", "-nan", "inf", "-inf", "1e999"] {
        check_table(
            &format!("operator_rate = {number}"),
            &["wrong.toml:8", "operator_rate", "a finite number"],
        );
        check_table(
            &format!("operator_rate = [0.3, {number}]"),
            &["operator_rate", "a finite number"],
        );
        check_table(
            &format!("no_such_key = {number}"),
            &["no_such_key", "a finite number"],
        );
        check_table(
            &format!("player = {{ name = \"planner\", near = {number} }}"),
            &["player.near", "a finite"],
        );
        check_table(
            &format!("operator_rate = [0.3, 0.5]\nexclude = [{{ operator_rate = {number} }}]"),
            &["wrong.toml:9", "operator_rate", "a finite number"],
        );
        check_file(
            &format!(
                "{HEAD}[defaults]\noperator_rate = {number}\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"2x2\""
            ),
            &["wrong.toml:5", "operator_rate", "a finite number"],
        );
    }
}

/// Every wrong value of a list and of a player is reported, not only the first.
#[test]
fn all_values_of_a_list_are_reported() {
    check_table(
        "operator_rate = [nan,\n0.3,\n1979-05-27,\ninf]",
        &["toml:8", "toml:10", "toml:11"],
    );
    check_table(
        "player = { name = \"planner\", near = [nan, inf], depth = nan }",
        &[
            "player.near = nan",
            "player.near = inf",
            "player.depth = nan",
        ],
    );
}

#[test]
fn confidence_has_bounds() {
    for level in [
        "0.9999999999999999",
        "1e-300",
        "0.499",
        "0",
        "1.0",
        "nan",
        "\"0.95\"",
    ] {
        check_file(
            &format!(
                "{HEAD}confidence = {level}\nstop = {{ half_width = 0.01, max_games = 100 }}\n[[table]]\ntitle = \"t\"\n\
                 game = \"sixty-seven\"\nsize = \"2x2\"\n"
            ),
            &["wrong.toml:4", "confidence", "from 0.5 to 0.999999"],
        );
    }
}

#[test]
fn names_titles_and_tables_have_bounds() {
    let long = "n".repeat(300);
    let table = "[[table]]\ngame = \"sixty-seven\"\nsize = \"2x2\"\n";
    check_file(
        &format!("name = \"{long}\"\nseed = 1\n{table}title = \"t\"\n"),
        &["toml:1", "1 to 100 letters"],
    );
    check_file(
        &format!("{HEAD}table = []\n"),
        &["toml:4", "table: 0 tables"],
    );
    for title in [long.as_str(), "a\\nb", "a\\u001b[31mb", "a\\u202Eb", "  "] {
        check_file(
            &format!("{HEAD}{table}title = \"{title}\"\n"),
            &["toml:7", "title", "none of them a control character"],
        );
    }
    check_file(
        &format!("{HEAD}{table}title = \"t\"\n\"a\\u001b[31m\" = 1\n"),
        &["a\\u{1b}[31m: unknown key"],
    );
}

/// Long lists are read in time that grows with their length, up to a stated bound.
#[test]
fn lists_have_a_bound() {
    let list = |count: usize| {
        (0..count)
            .map(|value| value.to_string())
            .collect::<Vec<_>>()
            .join(",\n")
    };
    check_table(
        &format!("target = [{}]", list(100_001)),
        &["target: a list of 100001 values; at most 100000"],
    );
    check_table(
        &format!("target = [{},\nnan]", list(80_000)),
        &["wrong.toml:80008", "target = nan"],
    );
}

#[test]
fn empty_and_contradictory_sweeps() {
    check_table("operator_rate = []", &["operator_rate = []", "empty list"]);
    check_table("rows = 4", &["size: rows is given too"]);
    check_table("operator_rate = [0.5, 0.5]", &["give the cell", "twice"]);
    check_table(
        "exclude = [{ size = \"3x3\" }]",
        &["exclude leaves no cells"],
    );
    check_file(HEAD, &["[[table]]: missing"]);
    check_file(
        "name = \"wrong\"\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"",
        &["seed: missing"],
    );
    check_file(
        &format!("{HEAD}[[table]]\ngame = \"sixty-seven\""),
        &["title: missing"],
    );
}

#[test]
fn unknown_names() {
    check_table(
        "rules = \"orignal\"",
        &["rules = \"orignal\"", "did you mean \"original\""],
    );
    check_table(
        "player = \"randm\"",
        &["player = \"randm\"", "did you mean \"random\""],
    );
    check_file(
        &format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-sevn\""),
        &["game = \"sixty-sevn\"", "did you mean \"sixty-seven\""],
    );
    refused(
        &tilelab(&["move", "--game", "chess"]),
        &["--game chess", "sixty-seven"],
    );
    refused(
        &tilelab(&["move", "--game", "sixty-seven", "--set", "rules=x"]),
        &["rules=x", "original"],
    );
    refused(
        &tilelab(&["move", "--game", "sixty-seven", "--set", "speed=1"]),
        &["speed", "operator_rate"],
    );
    refused(
        &tilelab(&["move", "--game", "sixty-seven", "--set", "rules"]),
        &["key=value"],
    );
}

#[test]
fn all_problems_are_reported_at_once() {
    check_table(
        "rules = \"x\"\noperator_rate = 2\nspeed = 1",
        &["wrong.toml:8", "wrong.toml:9", "wrong.toml:10"],
    );
}

#[test]
fn broken_toml() {
    check_file("name = \"wrong", &["wrong.toml:1", "not TOML"]);
    check_file(
        &format!("{HEAD}seed = 2\n"),
        &["wrong.toml:4", "not TOML", "duplicate key"],
    );
}

#[test]
fn missing_and_foreign_files() {
    refused(
        &tilelab(&["run", "no-such-file.toml"]),
        &["no-such-file.toml", "cannot be read"],
    );
    check_table(
        "published = \"nowhere.csv\"",
        &["published = \"nowhere.csv\"", "cannot be read"],
    );
    let folder = folder();
    std::fs::write(folder.path().join("binary.toml"), [0xFF, 0xFE, 0]).unwrap();
    refused(
        &tilelab(&["check", folder.path().join("binary.toml").to_str().unwrap()]),
        &["binary.toml", "UTF-8"],
    );
    refused(
        &tilelab(&["report", folder.path().to_str().unwrap()]),
        &["cells.csv", "cannot be read"],
    );
    write(folder.path(), "cells.csv", "a,b\n1,2\n");
    refused(
        &tilelab(&["report", folder.path().to_str().unwrap()]),
        &["cells.csv", "column table is missing"],
    );
}

/// Published figures that contradict themselves, or files that no publication has.
#[test]
fn wrong_published_figures() {
    let check = |file: &str, words: &[&str]| {
        let folder = folder();
        write(folder.path(), "published.csv", file);
        let text = format!(
            "{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nrows = 2\ncols = [2, 3]\npublished = \"published.csv\"\n"
        );
        let path = write(folder.path(), "wrong.toml", &text);
        let output = tilelab(&["check", "--no-forecast", path.to_str().unwrap()]);
        if words.is_empty() {
            crate::common::succeeded(&output);
        } else {
            refused(
                &output,
                &[&["wrong.toml:9", "published.csv"], words].concat(),
            );
        }
    };
    let head = "table,cols,games,wins,win_pct,moves_mean\n";
    check(
        &format!("{head}t,2,1000,123,12.3,45.6\nt,3,1000,7,,\n"),
        &[],
    );
    check(
        &format!("{head}t,2,1000,123,45.6,\n"),
        &[
            "row 2",
            "win_pct = \"45.6\" contradicts 123 wins of 1000 games",
        ],
    );
    check(
        &format!("{head}t,2,1000,123,,many\n"),
        &["row 2", "moves_mean = \"many\" is not a number"],
    );
    check(
        &format!("{head}t,2,1000,123,,nan\n"),
        &["moves_mean = \"nan\" is not a number"],
    );
    check(
        &format!("{head}t,2,10,1,,\nt,3,10,1,,\nt,2,10,1,,\n"),
        &["row 4", "the same cell as row 2"],
    );
    check(
        &format!("{head}t,2,18446744073709551615,1,,\n"),
        &["games = 18446744073709551615", "1 to 1000000000000000"],
    );
    check(
        &format!("{head}t,2,10,11,,\n"),
        &["11 wins of 10 games is impossible"],
    );
    check(
        &format!("{head}t,2,10,1,50,\nt,9,10,1,,\n"),
        &["row 2", "row 3", "matches no cell"],
    );
    check(
        "table,games,wins,colour\nt,10,1,red\n",
        &["the column colour"],
    );
    for special in ["/dev/zero", "/dev/stdin", "/dev", "/dev/null"] {
        check_table(
            &format!("published = \"{special}\""),
            &["published", "not a regular file"],
        );
    }
}

/// An endless experiment file is refused after its largest accepted size.
#[test]
fn endless_files() {
    refused(
        &tilelab(&["check", "/dev/zero"]),
        &["/dev/zero", "larger than 67108864 bytes"],
    );
}

/// Where results cannot be written, nothing is played.
#[test]
fn unwritable_matches() {
    let folder = folder();
    let file = write(folder.path(), "a-file", "in the way");
    let inside = file.join("x");
    let inside = inside.to_str().unwrap();
    refused(
        &tilelab(&[
            "match", "random", "greedy", "--game", "offset", "--out", inside,
        ]),
        &["--out", "a-file"],
    );
}

/// A line beyond the stated size is answered with an error; the lines after it are still answered.
#[test]
fn long_lines_of_moves() {
    let good = r#"{"board":[["1","+","2"]],"move":"left"}"#;
    let long = "x".repeat(5 << 20);
    let output = tilelab_with_input(
        &["move", "--game", "sixty-seven"],
        &format!("{long}\n{good}\n"),
    );
    let text = crate::common::stdout(&output);
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), 2, "{}", answers.len());
    assert!(
        answers[0].contains("a line of more than 4194304 bytes"),
        "{}",
        answers[0]
    );
    assert!(answers[1].contains("\"changed\":true"), "{}", answers[1]);
    assert_eq!(output.status.code(), Some(2));
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
    let output = tilelab(&[
        "run",
        file.to_str().unwrap(),
        "--out",
        blocked.to_str().unwrap(),
    ]);
    refused(&output, &["--out", "a-file", "cannot be written"]);
    assert_eq!(std::fs::read_to_string(blocked).unwrap(), "in the way");
}

#[test]
fn wrong_arguments() {
    for (arguments, words) in [
        (&["run"][..], &["FILE"][..]),
        (
            &["run", "x.toml", "--threads", "0"],
            &["--threads", "a whole number from 1 to"],
        ),
        (&["run", "x.toml", "--games", "-5"], &["-5"]),
        (
            &["run", "x.toml", "--kernel", "fast"],
            &["--kernel", "auto, reference, portable"],
        ),
        (
            &["run", "x.toml", "--shard", "3/2"],
            &["--shard", "1 ≤ I ≤ N"],
        ),
        (&["report", "x", "--check"], &["--readme"]),
        (
            &[
                "replay",
                "experiments/readme.toml",
                "--cell",
                "nothing",
                "--game",
                "0",
            ],
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
        ("{", "not JSON"),
        (
            r#"{"board":[["1","+"],["2"]]}"#,
            "row 2 has 1 tiles where row 1 has 2",
        ),
        (r#"{"board":[["1","x"]]}"#, "\\\"x\\\" is not a tile"),
        (r#"{"board":[[1]]}"#, "is not a text"),
        (r#"{"board":[]}"#, "1 to 64 rows"),
        (r#"{"board":"12"}"#, "a list of rows"),
        (r#"{"move":"left"}"#, "board: missing"),
        (
            r#"{"board":[["1"]],"move":"north"}"#,
            "up, down, left, right",
        ),
        (r#"{"board":[["1"]],"turn":"left"}"#, "turn: unknown key"),
        ("[]", "a request is an object"),
    ] {
        let output = tilelab_with_input(
            &["move", "--game", "sixty-seven"],
            &format!("{good}\n{line}\n{good}\n"),
        );
        let text = crate::common::stdout(&output);
        let answers: Vec<&str> = text.lines().collect();
        assert_eq!(answers.len(), 3, "{text}");
        assert!(
            answers[1].starts_with("{\"error\":") && answers[1].contains(words),
            "{}",
            answers[1]
        );
        assert!(
            answers[0] == answers[2] && answers[0].contains("\"changed\":true"),
            "{text}"
        );
        assert_eq!(output.status.code(), Some(2));
    }
}

#[test]
fn no_message_is_a_panic_report() {
    let output = command(&["run", "experiments"]).output().unwrap();
    refused(&output, &["experiments", "cannot be read"]);
}

/// What the command line and the tables write is read in files, too.
#[test]
fn experiments_read_the_forms_that_people_write() {
    let folder = folder();
    let table = |lines: &str| {
        format!(
            "name = \"forms\"\nseed = 1\ngames = 1e3\n[[table]]\ntitle = \"t\"\ngame = \"67!\"\n{lines}"
        )
    };
    let file = write(
        folder.path(),
        "forms.toml",
        &table("size = \"3×4\"\nplayer = [\"random\", \"monte-carlo(playouts=20)\"]\n"),
    );
    let checked = stdout(&tilelab(&[
        "check",
        "--no-forecast",
        file.to_str().unwrap(),
    ]));
    for expected in ["rows=3,cols=4", "monte-carlo(playouts=20", "1000 games"] {
        assert!(checked.contains(expected), "{expected}: {checked}");
    }
    for (lines, words) in [
        (
            "player = \"monte-carlo(playouts=x)\"\n",
            &["forms.toml:7", "playouts=x", "not accepted"][..],
        ),
        ("player = \"monte-carlo(playouts=2\"\n", &["name(key=value"]),
    ] {
        let file = write(folder.path(), "forms.toml", &table(lines));
        refused(
            &tilelab(&["check", "--no-forecast", file.to_str().unwrap()]),
            words,
        );
    }
    refused(
        &tilelab(&["run", "--game", "67", "--set", "siz=3x3", "--games", "2"]),
        &["siz", "accepted: size, ", "did you mean \"size\""],
    );
    let games = stdout(&tilelab(&["list", "games", "67"]));
    assert!(games.contains("game sixty-seven") && !games.contains("game offset"));
}
