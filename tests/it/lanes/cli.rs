//! Value lanes on the command line: the same bytes whatever plays and however often it is stopped;
//! columns, notes, refusals.

use crate::common::{command, folder, refused, stdout, succeeded, text, tilelab, turns, write};
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};

/// Fixed and adaptive cells with lanes, a cell without, and a number of games that is not a
/// multiple of 16.
const EXPERIMENT: &str = r#"
name = "lanes"
seed = 67
games = 1000
[[table]]
title = "fixed"
game = "sixty-seven"
rules = ["original", "merge-runs"]
size = ["2x3", "4x4", "3x11"]
lanes = 16
[[table]]
title = "both"
game = "sixty-seven"
size = "3x3"
target = 10
digits = "12345"
lanes = [1, 16]
[[table]]
title = "adaptive"
game = "sixty-seven"
size = "3x3"
target = [12, 67]
lanes = 16
stop = { half_width = 0.02, max_games = 40_000 }
"#;

/// Runs the binary, which must succeed; returns its standard output.
fn printed(arguments: &[&str]) -> String {
    let output = tilelab(arguments);
    succeeded(&output);
    stdout(&output)
}

fn read(folder: &Path, name: &str) -> String {
    std::fs::read_to_string(folder.join("lanes").join(name)).unwrap()
}

/// One field of each row.
fn column<T: std::str::FromStr>(csv: &str, name: &str) -> Vec<Option<T>> {
    let mut reader = csv::Reader::from_reader(csv.as_bytes());
    let at = reader
        .headers()
        .unwrap()
        .iter()
        .position(|known| known == name)
        .unwrap_or_else(|| panic!("no {name}"));
    reader
        .records()
        .map(|row| row.unwrap()[at].parse().ok())
        .collect()
}

#[test]
fn threads_kernels_shards_and_kills_do_not_show() {
    let folder = folder();
    let file = write(folder.path(), "lanes.toml", EXPERIMENT);
    let out = |name: &str| folder.path().join(name);
    printed(&[
        "run",
        text(&file),
        "--out",
        text(&out("one")),
        "--threads",
        "1",
        "--quiet",
    ]);
    let whole = read(&out("one"), "cells.csv");
    for (name, more) in [
        ("three", ["--threads", "3"]),
        ("portable", ["--kernel", "portable"]),
        ("reference", ["--kernel", "reference"]),
    ] {
        printed(&[
            "run",
            text(&file),
            "--out",
            text(&out(name)),
            "--quiet",
            more[0],
            more[1],
        ]);
        for table in ["cells.csv", "distributions.csv"] {
            assert!(
                read(&out(name), table) == read(&out("one"), table),
                "{name}: {table} differs"
            );
        }
    }
    for index in ["1/3", "2/3", "3/3"] {
        printed(&[
            "run",
            text(&file),
            "--out",
            text(&out("parts")),
            "--shard",
            index,
            "--quiet",
        ]);
    }
    printed(&["merge", "--out", text(&out("merged")), text(&out("parts"))]);
    assert_eq!(read(&out("merged"), "cells.csv"), whole);
    killed(&file, &out("killed"));
    assert_eq!(read(&out("killed"), "cells.csv"), whole);
}

/// Plays an experiment with the slow engine, killed three times on the way.
fn killed(file: &Path, out: &Path) {
    let arguments = [
        "run",
        text(file),
        "--out",
        text(out),
        "--kernel",
        "reference",
        "--save-every",
        "0.01",
        "--threads",
        "2",
    ];
    let state = out.join("lanes/.state");
    for _ in 0..3 {
        let _ = std::fs::remove_file(out.join("lanes/.state.previous"));
        let mut child = command(&arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let begun = Instant::now();
        while !out.join("lanes/.state.previous").exists() && child.try_wait().unwrap().is_none() {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "{} did not come",
                state.display()
            );
            std::thread::sleep(Duration::from_millis(5));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        assert!(state.exists());
    }
    printed(&[&arguments[..], &["--quiet"]].concat());
}

#[test]
fn columns_and_notes_tell_how_far_games_are_independent() {
    let folder = folder();
    let file = write(folder.path(), "lanes.toml", EXPERIMENT);
    printed(&["run", text(&file), "--out", text(folder.path()), "--quiet"]);
    let csv = read(folder.path(), "cells.csv");
    let header = csv.lines().next().unwrap();
    assert!(
        header.contains(
            ",lanes,trajectories,design_effect,effective_games,moves_design_effect,stopped,"
        ),
        "{header}"
    );
    let counts = |name| column::<u64>(&csv, name);
    let games = counts("games");
    let lanes = counts("lanes");
    let trajectories = counts("trajectories");
    // 1,000 games are no whole number of trajectories: 63 × 16 are played.
    assert_eq!(
        games[..8].to_vec(),
        [vec![Some(1008); 6], vec![Some(1000), Some(1008)]].concat()
    );
    assert_eq!(
        lanes[..8].to_vec(),
        [vec![Some(16); 6], vec![Some(1), Some(16)]].concat()
    );
    for (games, trajectories) in games.iter().zip(&trajectories) {
        assert!(trajectories.is_none_or(|count| count * 16 == games.unwrap()));
    }
    let numbers = |name| column::<f64>(&csv, name);
    let rate = numbers("win_pct");
    let lo = numbers("win_pct_lo");
    let hi = numbers("win_pct_hi");
    let effect = numbers("design_effect");
    let effective = numbers("effective_games");
    for row in 0..games.len() {
        assert!(lo[row] <= rate[row] && rate[row] <= hi[row]);
        if let (Some(effect), Some(effective)) = (effect[row], effective[row]) {
            let expected = games[row].unwrap() as f64 / effect.max(1.0);
            assert!(
                (effective - expected).abs() < 1e-6 * expected,
                "row {row}: {effective}, {expected}"
            );
        }
    }
    assert!(
        effect[7].unwrap() > 1.0,
        "lanes of so small boards win together"
    );
    let stopped = column::<String>(&csv, "stopped");
    assert_eq!(stopped[8].as_deref(), Some("precision"));
    // At most ± 2 points, and at whole trajectories.
    for row in 8..10 {
        assert!(games[row].unwrap() % 16 == 0 && hi[row].unwrap() - lo[row].unwrap() <= 4.0 + 1e-9);
    }
    let table = read(folder.path(), "table.md");
    assert!(
        table.contains("effective games") && table.contains("cluster-robust"),
        "{table}"
    );
    let results = folder.path().join("lanes");
    printed(&["report", text(&results), "--format", "json"]);
    let json: serde_json::Value = serde_json::from_str(&read(folder.path(), "cells.json")).unwrap();
    assert_eq!(
        (&json["cells"][0]["lanes"], &json["cells"][6]["lanes"]),
        (&16.into(), &1.into())
    );
    let columns = json["schema"]["columns"].as_array().unwrap();
    let effect = columns
        .iter()
        .find(|column| column["name"] == "design_effect")
        .unwrap();
    assert!(effect["type"] == "number" && effect["help"].as_str().unwrap().contains("variance"));
}

/// A file without lanes has no columns for them.
#[test]
fn without_lanes_nothing_changes() {
    let folder = folder();
    let file = write(
        folder.path(),
        "lanes.toml",
        &EXPERIMENT
            .replace("lanes = 16\n", "")
            .replace("lanes = [1, 16]", "lanes = 1"),
    );
    printed(&["run", text(&file), "--out", text(folder.path()), "--quiet"]);
    assert!(!read(folder.path(), "cells.csv").contains("lanes"));
    let plain = read(folder.path(), "cells.csv");
    let keyed = folder.path().join("again");
    let file = write(
        folder.path(),
        "lanes.toml",
        &EXPERIMENT
            .replace("lanes = 16\n", "")
            .replace("lanes = [1, 16]\n", ""),
    );
    printed(&["run", text(&file), "--out", text(&keyed), "--quiet"]);
    assert_eq!(read(&keyed, "cells.csv"), plain);
}

#[test]
fn the_option_is_the_key() {
    let folder = folder();
    let plain = EXPERIMENT
        .replace("lanes = 16\n", "")
        .replace("lanes = [1, 16]\n", "");
    let file = write(folder.path(), "lanes.toml", &plain);
    let keyed = write(
        folder.path(),
        "keyed.toml",
        &EXPERIMENT.replace("lanes = [1, 16]", "lanes = 16"),
    );
    let out = |name: &str| folder.path().join(name);
    printed(&[
        "run",
        text(&file),
        "--lanes",
        "16",
        "--out",
        text(&out("option")),
        "--quiet",
    ]);
    printed(&["run", text(&keyed), "--out", text(&out("key")), "--quiet"]);
    assert_eq!(
        read(&out("option"), "cells.csv"),
        read(&out("key"), "cells.csv")
    );
    // Cells with other lanes are other cells; those with lanes are kept and come back.
    printed(&["run", text(&file), "--out", text(&out("option")), "--quiet"]);
    let again = tilelab(&[
        "run",
        text(&file),
        "--lanes",
        "16",
        "--out",
        text(&out("option")),
    ]);
    let said = succeeded(&again);
    assert!(said.contains(", complete: nothing to play"), "{said}");
    assert_eq!(
        read(&out("option"), "cells.csv"),
        read(&out("key"), "cells.csv")
    );
    for index in ["1/2", "2/2"] {
        printed(&[
            "run",
            text(&file),
            "--lanes",
            "16",
            "--out",
            text(&out("parts")),
            "--shard",
            index,
            "--quiet",
        ]);
    }
    printed(&["merge", "--out", text(&out("merged")), text(&out("parts"))]);
    assert_eq!(
        read(&out("merged"), "cells.csv"),
        read(&out("key"), "cells.csv")
    );
}

#[test]
fn replay_shows_one_lane() {
    let folder = folder();
    let file = write(folder.path(), "lanes.toml", EXPERIMENT);
    let listed = printed(&["check", text(&file), "--no-forecast"]);
    let key = listed
        .lines()
        .find(|line| line.contains("target=10,digits=12345,lanes=16"))
        .unwrap()
        .split(' ')
        .next()
        .unwrap();
    let mut results = Vec::new();
    for game in 0..96 {
        let lines = printed(&[
            "replay",
            text(&file),
            "--cell",
            key,
            "--game",
            &game.to_string(),
            "--json",
        ]);
        let lines = turns(&lines);
        assert!(
            lines
                .iter()
                .all(|line| line["trajectory"] == game / 16 && line["lane"] == game % 16)
        );
        let last = lines.last().unwrap();
        results.push((lines.len(), last["outcome"].as_str().unwrap().to_owned()));
        let shown = lines
            .iter()
            .flat_map(|line| line["after"].as_array().into_iter().flatten());
        let target = shown
            .flat_map(|row| row.as_array().unwrap())
            .any(|tile| tile == "10");
        assert_eq!(target, results.last().unwrap().1 == "won");
    }
    for lanes in results.chunks(16) {
        let lost: Vec<usize> = lanes
            .iter()
            .filter(|(_, outcome)| outcome == "lost")
            .map(|(turns, _)| *turns)
            .collect();
        assert!(
            lost.windows(2).all(|pair| pair[0] == pair[1]),
            "lost lanes end together: {lanes:?}"
        );
    }
    assert!(
        results.iter().any(|(_, outcome)| outcome == "won"),
        "{results:?}"
    );
}

#[test]
fn forecasts_and_benches_know_lanes() {
    let folder = folder();
    let file = write(folder.path(), "lanes.toml", EXPERIMENT);
    assert!(printed(&["check", text(&file), "--threads", "1"]).contains("\nlanes: 10 cells, "));
    let json = printed(&[
        "bench",
        "--quick",
        "--json",
        "--kernel",
        "portable",
        "--set",
        "size=4x4",
        "--set",
        "lanes=1,16",
    ]);
    let rows: serde_json::Value = serde_json::from_str(&json).unwrap();
    assert_eq!(
        (&rows[0]["lanes"], &rows[1]["lanes"]),
        (&1.into(), &16.into())
    );
    assert!(rows[0]["design_effect"].is_null());
    let raw = rows[1]["ns_per_turn"].as_f64().unwrap();
    let effective = rows[1]["effective_ns_per_turn"].as_f64().unwrap();
    let effect = rows[1]["design_effect"].as_f64().unwrap_or(1.0).max(1.0);
    assert!(
        raw > 0.0 && (effective - raw * effect).abs() < 1e-9 * effective,
        "{json}"
    );
}

/// Lanes are refused where rules or players look at values, and in numbers that there are not;
/// nothing is written.
#[test]
fn lanes_are_refused_with_a_reason() {
    let head = "name = \"wrong\"\nseed = 1\ngames = 10\n[[table]]\ntitle = \"t\"\n";
    let check = |table: &str, more: &[&str], words: &[&str]| {
        let folder = folder();
        let file = write(folder.path(), "wrong.toml", &format!("{head}{table}\n"));
        let out = folder.path().join("results");
        let arguments = [&["run", text(&file), "--out", text(&out)], more].concat();
        refused(&tilelab(&arguments), &[words, &["wrong.toml"]].concat());
        assert!(!out.exists(), "something was written");
    };
    let sixty_seven = "game = \"sixty-seven\"\n";
    for lanes in ["0", "17", "-1", "1.5", "\"all\""] {
        check(
            &format!("{sixty_seven}lanes = {lanes}"),
            &[],
            &[&format!("lanes = {lanes}"), "from 1 to 16"],
        );
    }
    check(
        &format!("{sixty_seven}lanes = 8"),
        &[],
        &["wrong.toml:7", "lanes: 8", "accepted: 1 ", "or 16"],
    );
    check(
        &format!("{sixty_seven}lanes = 16\nrules = \"bounded\""),
        &[],
        &["lanes: 16", "value_limit = 1000", "bounded"],
    );
    check(
        &format!("{sixty_seven}lanes = 16\nvalue_limit = 99"),
        &[],
        &["lanes: 16", "value_limit = 99"],
    );
    check(
        "game = \"twenty-forty-eight\"\nlanes = 16",
        &[],
        &["lanes: the moves of twenty-forty-eight", "sixty-seven"],
    );
    for lanes in ["0", "17", "4"] {
        check(
            sixty_seven,
            &["--lanes", lanes],
            &[&format!("lanes: {lanes}: accepted: 1")],
        );
    }
    check(
        &format!("{sixty_seven}rules = \"bounded\""),
        &["--lanes", "16"],
        &["lanes: 16", "value_limit = 1000"],
    );
    check(
        "game = \"calculator\"\nlevel = 1",
        &["--lanes", "16"],
        &["--lanes 16", "only sixty-seven has lanes"],
    );
    check(
        &format!("{sixty_seven}lanes = 16\nsize = \"17x3\""),
        &["--kernel", "portable"],
        &["16 × 16", "reference"],
    );
    refused(
        &tilelab(&["play", "sixty-seven", "--set", "lanes=16"]),
        &["lanes: games that share one sequence of tiles cannot be watched; play with lanes = 1"],
    );
}
