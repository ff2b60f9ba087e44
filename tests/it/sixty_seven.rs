//! 67! through the command line: `move`, `replay`, numbers of any size.

use crate::common::{
    command, folder, stdout, succeeded, tilelab, tilelab_with_input, turns, write,
};
use serde_json::Value;

fn answer(settings: &[&str], line: &str) -> Value {
    let mut arguments = vec!["move", "--game", "sixty-seven"];
    for setting in settings {
        arguments.extend(["--set", setting]);
    }
    let output = tilelab_with_input(&arguments, line);
    succeeded(&output);
    serde_json::from_str(&stdout(&output)).unwrap()
}

/// Rules and the answer's form as the contract has them.
#[test]
fn a_move_is_answered() {
    let moved = answer(
        &["rules=original"],
        r#"{"board":[["1","+","_"],["2","_","3"]],"move":"left"}"#,
    );
    let expected = r#"{"legal":["up","down","left","right"],"board":[["1","+","_"],["2","3","_"]],"changed":true,"won":false}"#;
    assert_eq!(moved.to_string(), expected);
    let asked = answer(&["rules=gapless"], r#"{"board":[["67","_"]]}"#);
    assert_eq!(asked.to_string(), r#"{"legal":["right"],"won":true}"#);
}

/// 10^40 and beyond: sums, differences and products are exact, and 67 can come out of giants.
#[test]
fn numbers_have_no_size_limit() {
    let giant = "10000000000000000000000000000000000000000";
    let product = answer(
        &[],
        &format!(r#"{{"board":[["{giant}","*","{giant}"]],"move":"left"}}"#),
    );
    assert_eq!(product["board"][0][0], format!("1{}", "0".repeat(80)));
    let over = "10000000000000000000000000000000000000067";
    let won = answer(
        &[],
        &format!(r#"{{"board":[["{over}","-","{giant}"]],"move":"right"}}"#),
    );
    assert_eq!(
        won.to_string(),
        r#"{"legal":["left","right"],"board":[["_","_","67"]],"changed":true,"won":true}"#
    );
}

/// Powers of two grow; in 64-bit arithmetic they would wrap to a false 0.
#[test]
fn powers_of_two_never_turn_into_zero() {
    let mut power = "2".to_owned();
    for doubling in 0..10 {
        let squared = answer(
            &[],
            &format!(r#"{{"board":[["{power}","*","{power}"]],"move":"left"}}"#),
        );
        power = squared["board"][0][0].as_str().unwrap().to_owned();
        assert_ne!(power, "0", "after {doubling} squarings");
    }
    assert_eq!(power.len(), 309, "2^1024 has 309 digits");
}

#[test]
fn a_game_is_replayed_line_by_line() {
    let folder = folder();
    let text = "name = \"replay\"\nseed = 5\ngames = 50\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x4\"\n";
    let file = write(folder.path(), "replay.toml", text);
    let file = file.to_str().unwrap();
    let out = folder.path().join("results");
    succeeded(&tilelab(&[
        "run",
        file,
        "--out",
        out.to_str().unwrap(),
        "--quiet",
    ]));
    let mut csv = csv::Reader::from_path(out.join("replay/cells.csv")).unwrap();
    let header = csv.headers().unwrap().clone();
    let row = csv.records().next().unwrap().unwrap();
    let field = |name: &str| row[header.iter().position(|known| known == name).unwrap()].to_owned();
    let mut moves = 0;
    let mut wins = 0;
    for game in 0..50 {
        let output = command(&[
            "replay",
            file,
            "--cell",
            &field("cell"),
            "--game",
            &game.to_string(),
            "--json",
        ])
        .output()
        .unwrap();
        let lines = turns(&stdout(&output));
        for (number, line) in lines.iter().enumerate() {
            assert_eq!(line["round"], number + 1);
            assert_eq!(
                line["move"].is_null(),
                line["legal"].as_array().unwrap().is_empty()
            );
            assert_eq!(line["outcome"].is_null(), number + 1 < lines.len());
        }
        // A lost game ends with a round in which no move is possible.
        moves += lines.iter().filter(|line| !line["move"].is_null()).count();
        wins += usize::from(lines.last().unwrap()["outcome"] == "won");
    }
    assert_eq!(field("wins"), wins.to_string());
    assert_eq!(field("moves_mean"), (moves as f64 / 50.0).to_string());
}

/// Results have the same bytes for any number of threads and any engine.
#[test]
fn results_depend_on_neither_threads_nor_kernel() {
    let folder = folder();
    let text = "name = \"same\"\nseed = 9\ngames = 700\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n\
                size = [\"4x4\", \"3x5\"]\nrules = [\"original\", \"merge-pairs\", \"bounded\"]\n";
    let file = write(folder.path(), "same.toml", text);
    let mut results = Vec::new();
    for (threads, kernel) in [
        ("1", "auto"),
        ("2", "auto"),
        ("2", "reference"),
        ("1", "portable"),
    ] {
        let out = folder.path().join(format!("{threads}-{kernel}"));
        let arguments = [
            "run",
            file.to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--threads",
            threads,
            "--kernel",
            kernel,
        ];
        let output = tilelab(&arguments);
        succeeded(&output);
        results.push(std::fs::read(out.join("same/cells.csv")).unwrap());
    }
    assert!(results.windows(2).all(|pair| pair[0] == pair[1]));
}
