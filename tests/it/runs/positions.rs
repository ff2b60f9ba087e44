//! The last positions of games: the same whatever plays, and those of the transcripts.

use crate::common::{folder, play, python, run_python, write};
use std::collections::BTreeSet;
use tilelab::catalog::games;
use tilelab::game::{GameObserver, Job, KernelChoice, Outcome, Tally};
use tilelab::json::{Json, json};
use tilelab::plan::Cell;

/// Outcome and last position of the first games, played in batches of `batch`.
fn played(job: &dyn Job, games: u64, batch: u64) -> Vec<(Outcome, String)> {
    let mut played = vec![None; games as usize];
    let mut whole = Tally::new(job.measures());
    let mut from = 0;
    while from < games {
        let range = from..games.min(from + batch);
        let observer = GameObserver {
            positions: true,
            each: &mut |game, outcome, position| {
                assert!(range.contains(&game));
                played[game as usize] = Some((*outcome, position.to_owned()));
            },
        };
        job.play(range.clone(), &mut whole, Some(observer));
        from = range.end;
    }
    let mut plain = Tally::new(job.measures());
    let mut each = |game: u64, outcome: &Outcome, _: &str| {
        assert_eq!(played[game as usize].as_ref().unwrap().0, *outcome)
    };
    job.play(
        0..games,
        &mut plain,
        Some(GameObserver::outcomes(&mut each)),
    );
    assert_eq!(whole, plain);
    played.into_iter().map(Option::unwrap).collect()
}

/// Plays a cell with every kernel that accepts it, and compares with the reference.
fn check(cell: &Cell, games: u64, batch: u64) {
    let reference = cell.job(67, KernelChoice::Reference).unwrap();
    let expected = played(reference.as_ref(), games, games);
    for (name, choice) in KernelChoice::ALL {
        let Ok(job) = cell.job(67, choice) else {
            continue;
        };
        assert!(
            played(job.as_ref(), games, batch) == expected,
            "{name}: {}",
            cell.key()
        );
    }
    // The board of the last line of the transcript.
    for (game, (outcome, position)) in expected.iter().enumerate().step_by(7) {
        let mut last = Json::Null;
        assert_eq!(
            reference.replay(game as u64, &mut |line| last = line),
            *outcome
        );
        let board = if last["after"] == Json::Null {
            &last["board"]
        } else {
            &last["after"]
        };
        if cell.game.name == "sixty-seven" {
            let fields = json!({"board": board, "round": last["round"]});
            assert_eq!(*position, fields.to_string(), "{}", cell.key());
        }
    }
}

#[test]
fn last_positions_are_the_same_however_games_are_played() {
    let mut seen = BTreeSet::new();
    for text in [
        "67 size=3x3 max_rounds=5 player=greedy",
        "2048 size=3x3 goal=64 player=corner",
        "calculator level=3",
        "offset side=5 pairs=all player=greedy opponent=random",
        "zero-sum player=greedy opponent=random",
    ] {
        let cell = Cell::parse(text).unwrap();
        check(&cell, 8, 3);
        seen.insert(cell.game.name);
    }
    assert_eq!(seen, games().map(|game| game.name).collect());
}

#[test]
fn last_positions_of_kernels_are_those_of_the_reference() {
    for settings in [
        "size=2x2 operators=* target=0",
        "size=3x3 rules=merge-runs",
        // Numbers beyond 64 bits.
        "size=6x7 rules=merge-runs operators=*",
        "size=5x5 rules=bounded",
        "size=4x4 rules=gapless max_rounds=6",
        "size=9x9 tiles_per_turn=7",
        "size=3x4 target=5",
    ] {
        check(&Cell::parse(&format!("67 {settings}")).unwrap(), 60, 7);
    }
    for settings in [
        "size=3x3",
        "size=2x3 max_rounds=4",
        "size=2x2 target=9 digits=123",
    ] {
        check(
            &Cell::parse(&format!("67 lanes=16 {settings}")).unwrap(),
            160,
            32,
        );
    }
    for settings in ["goal=64", "max_moves=30", "size=3x3"] {
        check(&Cell::parse(&format!("2048 {settings}")).unwrap(), 40, 9);
    }
}

#[test]
fn polars_reads_positions() {
    let Some(python) = python("pandas, polars, pyarrow") else {
        return;
    };
    let out = folder();
    let experiment = r#"
name = "last"
seed = 67
games = 50
per_game = "positions"
[[table]]
title = "67!"
game = "67"
size = "3x4"
[[table]]
title = "lanes"
game = "67"
size = "3x4"
lanes = 16
games = 48
[[table]]
title = "2048"
game = "2048"
games = 5
[[table]]
title = "calculator"
game = "calculator"
[[table]]
title = "multiplication"
game = "multiplication"
opponent = "random"
games = 5
[[table]]
title = "offset"
game = "offset"
opponent = "random"
games = 3
"#;
    let file = write(out.path(), "last.toml", experiment);
    play(&file, out.path(), &[]);
    let script = r#"
import json, pandas, polars as pl, sys
games = pl.read_parquet(sys.argv[1])
assert games.columns[-1] == "position" and games["position"].null_count() == 0, games
type = pl.Struct({"board": pl.List(pl.List(pl.String)), "round": pl.Int64})
boards = games.filter(pl.col("table").is_in(["67!", "lanes"])).with_columns(pl.col("position").str.json_decode(type)).unnest("position")
assert boards.height == 98
assert (boards["board"].list.len() == 3).all() and (boards["board"].list.first().list.len() == 4).all()
won = boards.with_columns(shows=pl.col("board").list.eval(pl.element().list.contains("67")).list.any())
assert (won["shows"] == (won["outcome"] == "won")).all(), won
assert ((won["round"] - won["moves"]).is_in([0, 1])).all()
frame = pandas.read_parquet(sys.argv[1])
assert all(isinstance(json.loads(text), dict) for text in frame["position"])
"#;
    run_python(&python, script, &[&out.path().join("last/games.parquet")]);
}
