//! Wrong inputs: each has one clear message that names file, key and value and says what would be
//! right; exit code 2; nothing is written.

use crate::common::{command, folder, refused, stdout, tilelab, tilelab_with_input, write};

const HEAD: &str = "name = \"wrong\"\nseed = 1\ngames = 10\n";

/// A case of `tests/data/refusals.toml`, which describes the fields.
#[derive(serde::Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    keys: Option<String>,
    file: Option<String>,
    command: Option<Vec<String>>,
    says: Vec<String>,
}

#[derive(serde::Deserialize)]
struct Cases {
    case: Vec<Case>,
}

/// Runs a case in a folder of its own, in which nothing may be written.
fn check(case: Case) {
    let folder = folder();
    let of_keys =
        |keys| format!("{HEAD}[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n{keys}\n");
    let file = case.file.or_else(|| case.keys.map(of_keys));
    if let Some(text) = &file {
        write(folder.path(), "wrong.toml", text);
    }
    let default = ["run", "wrong.toml", "--out", "results"].map(str::to_owned);
    let arguments = case.command.unwrap_or(default.into());
    let arguments: Vec<&str> = arguments.iter().map(String::as_str).collect();
    let words: Vec<&str> = case.says.iter().map(String::as_str).collect();
    let output = command(&arguments).current_dir(&folder).output().unwrap();
    refused(&output, &words);
    assert!(stdout(&output).is_empty(), "{arguments:?}");
    let left = std::fs::read_dir(folder.path()).unwrap().count();
    assert_eq!(left, usize::from(file.is_some()), "{arguments:?}: written");
}

#[test]
fn refusals() {
    let cases: Cases = toml::from_str(include_str!("../data/refusals.toml")).unwrap();
    assert!(cases.case.len() > 150);
    cases.case.into_iter().for_each(check);
}

/// An experiment with these keys is refused with all these words.
fn check_table(keys: &str, words: &[&str]) {
    check(Case {
        keys: Some(keys.to_owned()),
        file: None,
        command: None,
        says: words.iter().map(|&word| word.to_owned()).collect(),
    });
}

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
        &["wrong.toml:80007", "target = nan"],
    );
}

#[test]
fn foreign_files() {
    let folder = folder();
    std::fs::write(folder.path().join("binary.toml"), [0xFF, 0xFE, 0]).unwrap();
    refused(
        &tilelab(&["check", folder.path().join("binary.toml").to_str().unwrap()]),
        &["binary.toml", "UTF-8"],
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
    let games = stdout(&tilelab(&["list", "games", "67"]));
    assert!(games.contains("game sixty-seven") && !games.contains("game offset"));
}
