//! Results that grow: a changed experiment plays what is missing and nothing else, and `cells.csv`
//! is that of a run that starts over.

use crate::common::{command, folder, refused, stderr, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use std::process::Stdio;
use std::time::{Duration, Instant};

/// The experiment that the edits change.
const EXPERIMENT: &str = r#"
name = "grow"
seed = 67
games = 2_500
[[table]]
title = "sizes"
game = "sixty-seven"
size = ["2x2", "2x3"]
operator_rate = [0.4, 0.6]
[[table]]
title = "lanes"
game = "sixty-seven"
size = "2x2"
target = [1, 9]
lanes = 16
games = 32_000
"#;

struct Walk {
    folder: tempfile::TempDir,
    /// Each cell's largest number of games so far, by key.
    stored: std::collections::HashMap<String, u64>,
}

impl Walk {
    fn new() -> Self {
        Self {
            folder: folder(),
            stored: std::collections::HashMap::new(),
        }
    }

    fn path(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, file: &Path, out: &str, more: &[&str]) -> String {
        let out = self.path(out);
        let mut arguments = vec!["run", text(file), "--out", text(&out)];
        arguments.extend(more);
        succeeded(&tilelab(&arguments))
    }

    /// Continues with this experiment, and compares with a run that starts over; returns how many
    /// games were played.
    fn step(&mut self, what: &str, experiment: &str) -> u64 {
        let file = write(self.folder.path(), "grow.toml", experiment);
        let said = self.run(&file, "out", &[]);
        self.run(&file, "fresh", &["--fresh", "--quiet"]);
        for name in ["cells.csv", "distributions.csv", "experiment.toml"] {
            let read = |out: &str| {
                std::fs::read_to_string(self.path(out).join("grow").join(name)).unwrap()
            };
            assert_eq!(read("out"), read("fresh"), "{what}: {name}");
        }
        let played = now(&said);
        // What a run that starts over plays, less what was there: the rest was played again.
        let mut missing = 0;
        let csv = std::fs::read(self.path("fresh/grow/cells.csv")).unwrap();
        let cells = tilelab::report::cells::Cells::parse("cells.csv", &csv, &[]).unwrap();
        for row in cells.records() {
            let games = row.count("games").unwrap();
            let stored = self
                .stored
                .entry(row.get("cell").unwrap().to_owned())
                .or_default();
            missing += games.saturating_sub(*stored);
            *stored = games.max(*stored);
        }
        assert_eq!(
            played, missing,
            "{what}: games that were there were played again"
        );
        played
    }
}

/// The games that a run says it has played.
fn now(said: &str) -> u64 {
    if said.contains(" games, complete: nothing to play") {
        return 0;
    }
    let (before, _) = said
        .split_once(" new)")
        .unwrap_or_else(|| panic!("no count in {said}"));
    let (all, new) = before.rsplit_once(" games (").unwrap();
    let count = match new {
        "all" => all.rsplit(' ').next().unwrap(),
        _ => new,
    };
    count.replace(',', "").parse().unwrap()
}

#[test]
fn ten_edits_of_an_experiment_play_nothing_again() {
    let mut walk = Walk::new();
    assert_eq!(walk.step("begin", EXPERIMENT), 4 * 2_500 + 2 * 32_000);
    let more = EXPERIMENT.replace("games = 2_500", "games = 5_000");
    assert_eq!(walk.step("1: more games", &more), 4 * 2_500);
    let added = more.replace("\"2x3\"]", "\"2x3\", \"3x2\"]");
    assert_eq!(walk.step("2: a size added", &added), 2 * 5_000);
    let fewer = added.replace("\"2x2\", ", "");
    assert_eq!(walk.step("3: a size taken away", &fewer), 0);
    let status = tilelab(&["status", text(&walk.path("out/grow")), "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    for (key, number) in [
        ("cells", 6),
        ("cells_done", 6),
        ("cells_beyond", 2),
        ("games_beyond", 10_000),
        ("seed", 67),
    ] {
        assert_eq!(status[key], number, "{key} of {status}");
    }
    let titles = fewer.replace("title = \"sizes\"", "title = \"other sizes\"");
    assert_eq!(
        walk.step(
            "4: another title and confidence",
            &titles.replace("seed =", "confidence = 0.9\nseed =")
        ),
        0
    );
    let (head, tables) = EXPERIMENT.split_once("[[table]]").unwrap();
    let (sizes, lanes) = tables.split_once("[[table]]").unwrap();
    let more_head = head.replace("2_500", "5_000");
    let reordered = format!("{more_head}[[table]]{lanes}[[table]]{sizes}");
    assert_eq!(
        walk.step("5: tables reordered, the size back", &reordered),
        0
    );
    let shrunk = reordered
        .replace("games = 5_000", "games = 3_000")
        .replace("32_000", "16_384");
    let cells = || std::fs::read_to_string(walk.path("out/grow/cells.csv")).unwrap();
    let before = cells();
    let file = write(walk.folder.path(), "fewer.toml", &shrunk);
    assert_eq!(now(&walk.run(&file, "out", &[])), 0, "6: fewer games");
    assert_eq!(cells(), before, "6: results keep their games");
    let rule = reordered.replace(
        "operator_rate = [",
        "stop = { half_width = 0.02, max_games = 5_000 }\noperator_rate = [",
    );
    assert_eq!(walk.step("7: a stopping rule", &rule), 0);
    walk.step(
        "8: a tighter rule",
        &rule.replace("0.02, max_games = 5_000", "0.004, max_games = 7_000"),
    );
    walk.step(
        "9: the rule away, more games",
        &reordered
            .replace("5_000", "8_000")
            .replace("32_000", "40_000"),
    );
    let published =
        "table,rules,rows,cols,operator_rate,games,wins\nsizes,original,2,2,0.4,1000,3\n";
    write(walk.folder.path(), "figures.csv", published);
    let last = reordered
        .replace("5_000", "9_000")
        .replace("32_000", "48_000");
    let last = last.replace(
        "title = \"sizes\"",
        "title = \"sizes\"\npublished = \"figures.csv\"",
    );
    killed_runs(&walk, &last);
    let file = walk.path("grow.toml");
    let said = walk.run(&file, "out", &[]);
    assert!(
        now(&said) <= 4 * 1_000 + 2 * 8_000,
        "10: kills in between: {said}"
    );
    walk.run(&file, "fresh", &["--fresh", "--quiet"]);
    let read = |out: &str| std::fs::read_to_string(walk.path(out).join("grow/cells.csv")).unwrap();
    assert_eq!(read("out"), read("fresh"), "10: kills in between");
}

/// Starts the run several times and kills it.
fn killed_runs(walk: &Walk, experiment: &str) {
    let file = write(walk.folder.path(), "grow.toml", experiment);
    let out = walk.path("out");
    for millis in [5, 20, 40] {
        let run = [
            "run",
            text(&file),
            "--out",
            text(&out),
            "--quiet",
            "--save-every",
            "0.005",
            "--kernel",
            "reference",
        ];
        let mut child = command(&run).stderr(Stdio::null()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(millis));
        let _ = child.kill();
        child.wait().unwrap();
    }
}

/// A plan can always continue what it saved, and results never have fewer games.
#[test]
fn a_result_keeps_its_games_when_fewer_are_asked_for() {
    let walk = Walk::new();
    let file = write(walk.folder.path(), "grow.toml", EXPERIMENT);
    walk.run(&file, "out", &["--games", "3200"]);
    let csv = walk.path("out/grow/cells.csv");
    let before = std::fs::read(&csv).unwrap();
    for games in ["3184", "16", "3072"] {
        let said = walk.run(&file, "out", &["--games", games]);
        assert_eq!(now(&said), 0);
        assert!(
            said.contains(" more games than asked for; results in "),
            "{said}"
        );
        assert!(before == std::fs::read(&csv).unwrap(), "{games} games");
    }
    let out = walk.path("out");
    let other_seed = tilelab(&["run", text(&file), "--out", text(&out), "--seed", "68"]);
    refused(
        &other_seed,
        &["seed: 67 there, 68 here", "--fresh", "--out"],
    );
    assert!(
        before == std::fs::read(&csv).unwrap(),
        "something was written"
    );
}

/// The table of an experiment with the sizes, and those of a second table that shares a cell.
fn two_tables(first: u64, second: u64) -> String {
    format!(
        "name = \"grow\"\nseed = 67\n[[table]]\ntitle = \"first\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\n\
         games = {first}\n[[table]]\ntitle = \"second\"\ngame = \"67\"\nsize = [\"3x2\", \"2x2\"]\ngames = {second}\n"
    )
}

/// A cell is played once however many tables ask for it, and gets the largest number
/// of games; whichever table comes later, saved games are continued.
#[test]
fn a_cell_of_two_tables_is_one_cell() {
    let mut walk = Walk::new();
    let (first, _) = EXPERIMENT.split_once("[[table]]").unwrap();
    let one = format!(
        "{first}[[table]]\ntitle = \"first\"\ngame = \"67\"\nsize = [\"2x2\", \"2x3\"]\ngames = 6_000\n"
    );
    assert_eq!(walk.step("one table", &one), 2 * 6_000);
    assert_eq!(
        walk.step("fewer in the second", &two_tables(6_000, 3_000)),
        3_000
    );
    assert_eq!(
        walk.step("more in the second", &two_tables(6_000, 9_000)),
        9_000
    );
    let csv = std::fs::read(walk.path("out/grow/cells.csv")).unwrap();
    let cells = tilelab::report::cells::Cells::parse("cells.csv", &csv, &[]).unwrap();
    let games: Vec<(&str, &str, u64)> = cells
        .records()
        .map(|row| {
            let games = row.count("games").unwrap();
            (row.get("table").unwrap(), row.get("rows").unwrap(), games)
        })
        .collect();
    assert_eq!(
        games,
        [
            ("first", "2", 9_000),
            ("first", "2", 6_000),
            ("second", "3", 9_000),
            ("second", "2", 9_000)
        ]
    );
    let status = tilelab(&["status", text(&walk.path("out/grow")), "--json"]);
    let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
    assert_eq!(
        (&status["cells"], &status["games"]),
        (&3.into(), &24_000.into())
    );
    // One result cannot follow two rules.
    let ruled = two_tables(6_000, 9_000) + "stop = { half_width = 0.01, max_games = 9_000 }\n";
    let file = write(walk.folder.path(), "grow.toml", &ruled);
    let out = walk.path("out");
    refused(
        &tilelab(&["run", text(&file), "--out", text(&out)]),
        &[
            "another stopping rule in the table \"first\"",
            "rows=2,cols=2",
        ],
    );
}

/// Part of an experiment grows in place, by the command line or by a key.
#[test]
fn a_part_of_an_experiment_grows_in_place() {
    let walk = Walk::new();
    let plain = two_tables(1_000, 1_000);
    let file = write(walk.folder.path(), "grow.toml", &plain);
    let games = |out: &str| -> Vec<u64> {
        let csv = std::fs::read(walk.path(out).join("grow/cells.csv")).unwrap();
        let cells = tilelab::report::cells::Cells::parse("cells.csv", &csv, &[]).unwrap();
        cells
            .records()
            .map(|row| row.count("games").unwrap())
            .collect()
    };
    walk.run(&file, "out", &[]);
    let part = [
        "--where",
        "size=2x2,3x2",
        "--where",
        "player=random",
        "--games",
        "5k",
    ];
    assert_eq!(now(&walk.run(&file, "out", &part)), 2 * 4_000);
    assert_eq!(games("out"), [5_000, 1_000, 5_000, 5_000]);
    assert_eq!(now(&walk.run(&file, "out", &[])), 0);
    assert_eq!(games("out"), [5_000, 1_000, 5_000, 5_000]);
    let keyed = plain.replacen(
        "games = 1000\n",
        "games = 1000\ngrow = [{ size = \"2x2\", games = \"5k\" }]\n",
        2,
    );
    let keyed = keyed.replacen("[\"3x2\", \"2x2\"]", "[\"3x2\", \"2x2\"]\n", 1);
    let keyed = write(walk.folder.path(), "keyed.toml", &keyed);
    walk.run(&keyed, "keyed", &[]);
    assert_eq!(games("keyed"), [5_000, 1_000, 1_000, 5_000]);
    let out = walk.path("out");
    let none = ["run", text(&file), "--out", text(&out), "--games", "9k"];
    refused(
        &tilelab(&[&none[..], &["--where", "size=9x9"]].concat()),
        &["--where size=9x9", "no cell"],
    );
    // Shards remember which cells their games are for.
    let shards: Vec<PathBuf> = (1..=2)
        .map(|index| {
            walk.run(
                &file,
                "parts",
                &[&part[..], &["--shard", &format!("{index}/2")]].concat(),
            );
            walk.path(&format!("parts/grow/shard-{index}-of-2"))
        })
        .collect();
    let merged = walk.path("merged");
    succeeded(&tilelab(&[
        "merge",
        "--out",
        text(&merged),
        text(&shards[0]),
        text(&shards[1]),
    ]));
    assert_eq!(games("merged"), [5_000, 1_000, 5_000, 5_000]);
}

/// Games that the folder has, of a result or of an interrupted run, stay.
#[test]
fn merging_into_a_folder_keeps_its_games() {
    let walk = Walk::new();
    let file = write(walk.folder.path(), "grow.toml", &two_tables(1_000, 1_000));
    for index in ["1/2", "2/2"] {
        walk.run(&file, "parts", &["--shard", index, "--games", "4096"]);
    }
    let merge = || {
        let out = walk.path("out");
        let parts = walk.path("parts");
        succeeded(&tilelab(&["merge", "--out", text(&out), text(&parts)]))
    };
    walk.run(&file, "out", &["--games", "10000"]);
    let csv = || std::fs::read_to_string(walk.path("out/grow/cells.csv")).unwrap();
    let before = csv();
    merge();
    assert_eq!(
        csv(),
        before,
        "a larger result was replaced by a smaller one"
    );
    assert_eq!(now(&walk.run(&file, "out", &["--games", "10000"])), 0);
    // Games that no result has had are kept, too.
    let stored = || {
        let status = tilelab(&["status", text(&walk.path("out/grow")), "--json"]);
        let status: serde_json::Value = serde_json::from_slice(&status.stdout).unwrap();
        status["games"].as_u64().unwrap() + status["games_beyond"].as_u64().unwrap()
    };
    std::fs::remove_dir_all(walk.path("out")).unwrap();
    let out = walk.path("out");
    let long = [
        "run",
        text(&file),
        "--out",
        text(&out),
        "--quiet",
        "--save-every",
        "0.01",
    ];
    let mut child = command(&[&long[..], &["--games", "100M", "--kernel", "reference"]].concat())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    let state = walk.path("out/grow/.state");
    while !state.exists() || stored() < 50_000 {
        assert!(
            begun.elapsed() < Duration::from_secs(100),
            "nothing was saved"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    child.kill().unwrap();
    child.wait().unwrap();
    let before = stored();
    merge();
    assert!(
        stored() >= before,
        "{} of {before} games are left",
        stored()
    );
    assert!(csv().contains(",4096,"));
}

/// A published result may come without its state.
#[test]
fn a_result_without_a_state_is_not_replaced_by_a_smaller_one() {
    let walk = Walk::new();
    let file = write(walk.folder.path(), "grow.toml", EXPERIMENT);
    walk.run(&file, "out", &["--games", "3200"]);
    let results = walk.path("out/grow");
    let forget = || {
        for name in [".state", ".state.previous"] {
            let _ = std::fs::remove_file(results.join(name));
        }
    };
    forget();
    let csv = || std::fs::read(results.join("cells.csv")).unwrap();
    let before = csv();
    let out = walk.path("out");
    let run = |file: &Path, more: &[&str]| {
        tilelab(&[&["run", text(file), "--out", text(&out)], more].concat())
    };
    let words = [
        "games of 6 cells would be lost",
        "has 3200 games and would have 160",
        "--fresh",
        "--out",
    ];
    refused(&run(&file, &["--games", "160"]), &words);
    let other = write(
        walk.folder.path(),
        "other.toml",
        &EXPERIMENT
            .replace("\"2x2\", ", "")
            .replace("2_500", "3_200"),
    );
    refused(
        &run(&other, &[]),
        &["games of 2 cells would be lost", "would have 0"],
    );
    assert!(before == csv(), "something was written");
    let said = tilelab(&["status", text(&results)]);
    assert!(
        String::from_utf8(said.stdout)
            .unwrap()
            .contains("6 of 6 done; 19,200 games\n  no saved state"),
        "status"
    );
    assert!(!results.join(".state").exists(), "something was written");
    // A result with as many games replaces it, and so does a run that starts over.
    assert_eq!(now(&succeeded(&run(&file, &["--games", "3200"]))), 6 * 3200);
    assert!(before == csv());
    forget();
    succeeded(&run(&file, &["--games", "160", "--fresh"]));
    assert!(before != csv());
}

/// Shards are played for some games, and then for more; the merged state grows further.
#[test]
fn shards_grow_in_equal_steps() {
    let walk = Walk::new();
    let file = write(walk.folder.path(), "grow.toml", EXPERIMENT);
    let adaptive = "[[table]]\ntitle = \"rule\"\ngame = \"sixty-seven\"\nsize = \"3x2\"\ntarget = [1, 9]\n\
                    stop = { half_width = 0.03, max_games = 9_600 }\n";
    let more = write(
        walk.folder.path(),
        "more.toml",
        &format!("{EXPERIMENT}{adaptive}"),
    );
    let shard = |file: &Path, index: u64, out: &str, games: &str| {
        let shard = format!("{index}/3");
        now(&walk.run(file, out, &["--shard", &shard, "--games", games]))
    };
    let first: u64 = (1..=3)
        .map(|index| shard(&file, index, "shards", "1600"))
        .sum();
    assert_eq!(first, 6 * 1600);
    let second: u64 = (1..=3)
        .map(|index| shard(&more, index, "shards", "4000"))
        .sum();
    let merge = |shards: &[PathBuf], out: &str| {
        let out = walk.path(out);
        let mut arguments = vec!["merge", "--out", text(&out)];
        arguments.extend(shards.iter().map(|shard| text(shard)));
        tilelab(&arguments)
    };
    let part = |out: &str, index: u64| walk.path(out).join(format!("grow/shard-{index}-of-3"));
    let shards: Vec<PathBuf> = (1..=3).map(|index| part("shards", index)).collect();
    succeeded(&merge(&shards, "merged"));
    walk.run(&more, "whole", &["--games", "4000", "--quiet"]);
    let read = |out: &str| std::fs::read_to_string(walk.path(out).join("grow/cells.csv")).unwrap();
    assert_eq!(read("merged"), read("whole"));
    let fixed = 6 * (4000 - 1600);
    assert!(second >= fixed, "{second} games");
    // A shard that was played at once has other games than the others leave to it.
    shard(&more, 2, "at-once", "4000");
    refused(
        &merge(
            &[part("shards", 1), part("at-once", 2), part("shards", 3)],
            "refused",
        ),
        &["steps [4000]", "has [1600, 4000]", "at-once", "--games"],
    );
    assert!(!walk.path("refused").exists(), "something was written");
    let out = walk.path("shards");
    let fewer = [
        "run",
        text(&more),
        "--out",
        text(&out),
        "--shard",
        "1/3",
        "--games",
        "1600",
    ];
    assert_eq!(now(&succeeded(&tilelab(&fewer))), 0);
    // The merged result grows like any other.
    assert_eq!(
        now(&walk.run(&file, "merged", &["--games", "6400"])),
        6 * 2400
    );
    walk.run(&file, "whole", &["--games", "6400", "--fresh", "--quiet"]);
    assert_eq!(read("merged"), read("whole"));
    assert_eq!(
        now(&walk.run(&more, "merged", &["--games", "6400"])) % 16,
        0
    );
}

/// An interrupted run leaves files of one moment, and the run that continues it leaves none of a
/// former plan.
#[test]
fn files_of_an_interrupted_run_are_of_one_moment() {
    let walk = Walk::new();
    let file = write(
        walk.folder.path(),
        "grow.toml",
        &EXPERIMENT.replace("2_500", "200_000"),
    );
    let results = walk.path("out/grow");
    let out = walk.path("out");
    let run = [
        "run",
        text(&file),
        "--out",
        text(&out),
        "--save-every",
        "0.02",
        "--kernel",
        "reference",
        "--threads",
        "1",
    ];
    let mut child = command(&run).stderr(Stdio::piped()).spawn().unwrap();
    let begun = Instant::now();
    let lines = || {
        std::fs::read_to_string(results.join("cells.csv"))
            .unwrap_or_default()
            .lines()
            .count()
    };
    while lines() < 2
        && begun.elapsed() < Duration::from_secs(100)
        && child.try_wait().unwrap().is_none()
    {
        std::thread::sleep(Duration::from_millis(5));
    }
    let sent = std::process::Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success());
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
    let table = std::fs::read_to_string(results.join("table.md")).unwrap();
    succeeded(&tilelab(&["report", text(&results)]));
    assert_eq!(
        table,
        std::fs::read_to_string(results.join("table.md")).unwrap()
    );
}
