//! 2048 on the command line: positions, wrong inputs, replays, and the same bytes whatever the
//! threads.

use crate::common::{folder, refused, stderr, stdout, tilelab, tilelab_with_input, write};

const MOVE: [&str; 3] = ["move", "--game", "twenty-forty-eight"];

fn check_answer(request: &str, answer: &str) {
    let output = tilelab_with_input(&MOVE, request);
    assert_eq!(stdout(&output).trim_end(), answer, "{request}");
    assert_eq!(output.status.code(), Some(0), "{request}");
}

#[test]
fn positions_are_answered() {
    check_answer(
        r#"{"board":[[2,0,0,2],[0,0,0,0],[0,4,0,0],[0,4,0,0]],"move":"left"}"#,
        r#"{"board":[[4,0,0,0],[0,0,0,0],[4,0,0,0],[4,0,0,0]],"changed":true,"score":4,"legal":["up","down","left","right"]}"#,
    );
    check_answer(
        r#"{"board":[[2,2,2,2],[4,2,2,0]],"move":"left"}"#,
        r#"{"board":[[4,4,0,0],[4,4,0,0]],"changed":true,"score":12,"legal":["up","down","left","right"]}"#,
    );
    check_answer(
        r#"{"board":[[2,4]],"move":"left"}"#,
        r#"{"board":[[2,4]],"changed":false,"score":0,"legal":[]}"#,
    );
    check_answer(
        r#"{"board":[[3,0,3,6]],"move":"right"}"#,
        r#"{"board":[[0,0,6,6]],"changed":true,"score":6,"legal":["left","right"]}"#,
    );
    check_answer(
        r#"{"board":[[65536,65536]],"move":"left"}"#,
        r#"{"board":[[131072,0]],"changed":true,"score":131072,"legal":["left","right"]}"#,
    );
    check_answer(r#"{"board":[[2],[0]]}"#, r#"{"legal":["down"]}"#);
}

/// Each is one line of `move`: what is sent, and words of the answer.
const WRONG_POSITIONS: [(&str, &[&str]); 16] = [
    ("[2,0", &["not JSON"]),
    ("[[2,0]]", &["an object with", "board"]),
    ("{}", &["board: missing"]),
    (r#"{"board":7}"#, &["list of rows", "[[2,0,0,2],[0,4,0,0]]"]),
    (r#"{"board":[2,0]}"#, &["row 1 is not a list"]),
    (r#"{"board":[]}"#, &["0 × 0", "1 to 64"]),
    (r#"{"board":[[]]}"#, &["1 × 0", "1 to 64"]),
    (r#"{"board":[[2,0],[4]]}"#, &["row 2 has 1", "equally long"]),
    (
        r#"{"board":[[2,"x"]]}"#,
        &["row 1, column 2", "\\\"x\\\"", "whole numbers"],
    ),
    (r#"{"board":[[2,-4]]}"#, &["-4", "whole numbers from 0"]),
    (r#"{"board":[[2,1.5]]}"#, &["1.5", "whole numbers"]),
    (r#"{"board":[[2,null]]}"#, &["null", "whole numbers"]),
    (
        r#"{"board":[[9223372036854775808]]}"#,
        &["9223372036854775808", "9223372036854775807"],
    ),
    (
        r#"{"board":[[9223372036854775807,2]]}"#,
        &["sum to more than"],
    ),
    (
        r#"{"board":[[2,0]],"move":"east"}"#,
        &["east", "up, down, left, right"],
    ),
    (
        r#"{"board":[[2,0]],"swipe":"left"}"#,
        &["swipe", "accepted: board, move"],
    ),
];

#[test]
fn wrong_positions_are_answered_with_an_error() {
    for (line, words) in WRONG_POSITIONS {
        let good = r#"{"board":[[2,0]]}"#;
        let output = tilelab_with_input(&MOVE, &format!("{line}\n{good}\n"));
        assert_eq!(output.status.code(), Some(2), "{line}");
        let answers = stdout(&output);
        let (first, second) = answers
            .split_once('\n')
            .unwrap_or_else(|| panic!("{line}: {answers}"));
        assert!(first.starts_with("{\"error\":\""), "{line}: {first}");
        for word in words {
            assert!(first.contains(word), "{line}: {word:?} is not in {first}");
        }
        assert_eq!(
            second.trim_end(),
            r#"{"legal":["right"]}"#,
            "the other line is answered still"
        );
    }
}

#[test]
fn wrong_settings_are_refused() {
    for (setting, words) in [
        ("rows=0", &["rows=0", "1 to 64"][..]),
        ("cols=65", &["cols=65", "1 to 64"]),
        ("size=4", &["size=4", "rows x columns"]),
        ("size=4xfour", &["cols=four", "1 to 64"]),
        ("four_rate=1.1", &["four_rate=1.1", "0 to 1"]),
        ("four_rate=half", &["four_rate=half", "0 to 1"]),
        ("goal=0", &["goal=0", "from 1 up"]),
        ("max_moves=0", &["max_moves=0", "from 1 up"]),
        ("start=2,0,x,0", &["start=2,0,x,0", "separated by commas"]),
        ("start=2,0/4", &["start=2,0/4", "rows from top to bottom"]),
        (
            "start=2,0,0,0",
            &["start", "1 rows of 4 numbers", "rows = 4"],
        ),
        (
            "start=0,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0",
            &["start", "only blanks"],
        ),
        (
            "start=2199023255552,0,0,0/0,0,0,0/0,0,0,0/0,0,0,0",
            &["start", "2199023255552", "1099511627776"],
        ),
        ("four_rat=0.2", &["four_rat", "did you mean \"four_rate\""]),
        ("goal", &["goal", "key=value"]),
    ] {
        let output = tilelab(&["move", "--game", "twenty-forty-eight", "--set", setting]);
        refused(&output, words);
        assert_eq!(stdout(&output), "");
    }
}

const HEAD: &str = "name = \"wrong\"\nseed = 1\ngames = 10\n[[table]]\ntitle = \"t\"\ngame = \"twenty-forty-eight\"\n";

#[test]
fn wrong_experiments_are_refused() {
    for (lines, words) in [
        (
            "player = \"expectimaxx\"",
            &["expectimaxx", "expectimax"][..],
        ),
        (
            "player = { name = \"expectimax\", depth = -1 }",
            &["depth = -1", "0 to 15"],
        ),
        (
            "player = { name = \"expectimax\", cut = 2 }",
            &["cut = 2", "0 to 1"],
        ),
        (
            "player = { name = \"expectimax\", nodes = 0 }",
            &["nodes = 0", "from 1"],
        ),
        (
            "player = { name = \"seed-lookahead\", depth = 9 }",
            &["depth = 9", "1 to 8"],
        ),
        (
            "player = { name = \"seed-lookahead\", edge_factor = 65 }",
            &["edge_factor = 65", "1 to 64"],
        ),
        (
            "player = { name = \"corner\", corner = \"middle\" }",
            &["corner = \"middle\"", "bottom-left"],
        ),
        ("start = \"2,0/0,2\"", &["start", "rows = 4"]),
        ("operators = \"+\"", &["operators", "unknown"]),
        ("opponent = \"random\"", &["opponent"]),
    ] {
        let folder = folder();
        let file = write(folder.path(), "wrong.toml", &format!("{HEAD}{lines}\n"));
        let out = folder.path().join("results");
        let output = tilelab(&[
            "run",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
        ]);
        refused(&output, words);
        refused(&output, &["wrong.toml"]);
        assert!(!out.exists(), "{lines}: something was written");
    }
}

#[test]
fn a_thinking_player_refuses_the_random_players_kernels() {
    let folder = folder();
    let file = write(
        folder.path(),
        "wrong.toml",
        &format!("{HEAD}player = \"corner\"\n"),
    );
    let out = folder.path().join("results");
    let output = tilelab(&[
        "run",
        file.to_str().unwrap(),
        "--kernel",
        "portable",
        "--out",
        out.to_str().unwrap(),
    ]);
    refused(
        &output,
        &["kernel", "portable", "corner", "auto, reference"],
    );
}

const SMALL: &str = "name = \"small\"\nseed = 5\ngames = 300\n
[[table]]\ntitle = \"random\"\ngame = \"twenty-forty-eight\"\nsize = [\"4x4\", \"3x4\"]\n
[[table]]\ntitle = \"players\"\ngame = \"twenty-forty-eight\"\ngames = 6\nmax_moves = 25
player = [\"corner\", { name = \"expectimax\", depth = 1 }, { name = \"seed-lookahead\", depth = 1 }]\n";

#[test]
fn the_same_bytes_whatever_threads_and_kernel() {
    let folder = folder();
    let file = write(folder.path(), "small.toml", SMALL);
    let cells = |threads: &str, out: &str| {
        let out = folder.path().join(out);
        let output = tilelab(&[
            "run",
            file.to_str().unwrap(),
            "--quiet",
            "--threads",
            threads,
            "--out",
            out.to_str().unwrap(),
        ]);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        std::fs::read_to_string(out.join("small/cells.csv")).unwrap()
    };
    let one = cells("1", "one");
    assert_eq!(one, cells("3", "three"));
    let head = one.lines().next().unwrap();
    for column in [
        "tile_sum_mean",
        "merge_score_mean",
        "largest_tile_mean",
        "largest_tile_ge_2048_pct",
    ] {
        assert!(
            head.split(',').any(|name| name == column),
            "{column} is not in {head}"
        );
    }
    assert_eq!(one.lines().count(), 1 + 2 + 3);
}
