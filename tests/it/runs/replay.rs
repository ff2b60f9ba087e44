//! `replay`: many games at once, and from a results folder.

use crate::common::{folder, refused, stdout, succeeded, text, tilelab, write};
use serde_json::Value;

const EXPERIMENT: &str =
    "name = \"a\"\nseed = 5\ngames = 32\n\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"2x3\"\n";
const CELL: &str =
    "sixty-seven/rules=original,rows=2,cols=3,operators=+-*,operator_rate=0.5,tiles_per_turn=2,target=67";

#[test]
fn many_games_are_the_single_games_one_after_another() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let cell = format!("{CELL}/random");
    let replay = |game: &str, more: &[&str]| {
        let output = tilelab(&[&["replay", text(&file), "--cell", &cell, "--game", game], more].concat());
        succeeded(&output);
        stdout(&output)
    };
    let lines = replay("3..100", &[]);
    let lines: Vec<Value> = lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect();
    let mut at = 0;
    for game in 3..100 {
        for single in replay(&game.to_string(), &["--json"]).lines() {
            let mut wanted: Value = serde_json::from_str(single).unwrap();
            wanted["game_index"] = game.into();
            assert_eq!(lines[at], wanted);
            at += 1;
        }
    }
    assert_eq!(at, lines.len());
    assert!(replay("3..4", &[]).starts_with("{\"game_index\":3,\"round\":1,"), "{}", replay("3..4", &[]));
}

#[test]
fn a_results_folder_stands_for_its_experiment() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let results = out.path().join("a");
    let run = ["run", text(&file), "--out", text(out.path()), "--quiet", "--seed", "9", "--lanes", "16"];
    succeeded(&tilelab(&run));
    let cell = format!("{CELL},lanes=16/random");
    let common = ["--cell", &cell, "--game", "20..22"];
    let of_folder = tilelab(&[&["replay", text(&results)][..], &common].concat());
    succeeded(&of_folder);
    let of_file = tilelab(&[&["replay", text(&file), "--seed", "9", "--lanes", "16"][..], &common].concat());
    assert!(!of_file.stdout.is_empty());
    assert_eq!(stdout(&of_folder), stdout(&of_file));
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let cell = format!("{CELL}/random");
    for game in ["5..5", "7..5", "-1", "1...3", "..3", "x"] {
        let game = format!("--game={game}");
        refused(&tilelab(&["replay", text(&file), "--cell", &cell, &game]), &["--game", "A..B"]);
    }
    let nothing = ["replay", text(out.path()), "--cell", &cell, "--game", "0"];
    refused(&tilelab(&nothing), &["experiment.toml", "cannot be read"]);
}
