//! `tilelab plan`.

use crate::common::{refused, stdout, succeeded, tilelab};

#[test]
fn games_are_planned_without_playing() {
    let output = tilelab(&["plan", "--rate", "0.01", "--detect", "0.001", "--power", "0.9", "--half-width", "0.001"]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(text.contains("half-width 0.001: 38031 independent games"), "{text}");
    assert!(text.contains("difference 0.001, for each of two cells: 218337 independent games"), "{text}");
}

#[test]
fn a_game_brings_its_rate_and_a_forecast() {
    let output =
        tilelab(&["plan", "--game", "sixty-seven", "--set", "size=4x4", "--relative", "0.5", "--rate", "0.01"]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(text.contains("plain games: ") && text.contains("16 value lanes: ") && text.contains("soonest"), "{text}");
    let output = tilelab(&[
        "plan",
        "--game",
        "twenty-forty-eight",
        "--set",
        "size=2x2",
        "--set",
        "goal=16",
        "--equivalence",
        "0.01",
    ]);
    succeeded(&output);
    let text = stdout(&output);
    assert!(text.contains("rate 0.1") && text.contains("plain games: ") && !text.contains("lanes"), "{text}");
}

#[test]
fn plans_without_a_question_or_a_rate_are_refused() {
    refused(&tilelab(&["plan", "--rate", "0.1"]), &["--half-width", "--equivalence"]);
    refused(&tilelab(&["plan", "--relative", "0.1"]), &["--rate", "without --game"]);
    refused(&tilelab(&["plan", "--rate", "1.5", "--relative", "0.1"]), &["--rate", "between 0 and 1"]);
    refused(&tilelab(&["plan", "--rate", "0.5", "--detect", "0.6"]), &["--detect 0.6", "below 0.5"]);
    refused(
        &tilelab(&["plan", "--game", "sixty-seven", "--set", "size=2x2", "--relative", "0.1"]),
        &["0 of", "games were won", "give the rate"],
    );
}
