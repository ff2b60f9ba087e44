//! `run --per-game`: a row for every game, the same however the games were played.

use crate::common::{
    command, folder, python, refused, run_python, stdout, succeeded, text, tilelab, write,
};
use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::time::Duration;

/// Cells with measures, without, with two seats, in trajectories, and with a stopping rule.
const EXPERIMENT: &str = r#"
name = "each"
seed = 67
games = 3_000
[[table]]
title = "with, comma"
game = "67"
size = ["2x2", "2x3"]
[[table]]
title = "lanes"
game = "67"
size = "2x3"
lanes = 16
[[table]]
title = "adaptive"
game = "67"
size = "2x3"
target = [1, 9]
stop = { half_width = 0.02, max_games = 5000 }
[[table]]
title = "powers of two"
game = "2048"
goal = 64
games = 70
[[table]]
title = "two"
game = "multiplication"
opponent = "greedy"
games = 500
"#;

/// Plays into a folder and returns that of the results.
fn play(file: &Path, out: &Path, more: &[&str]) -> PathBuf {
    crate::common::play(file, out, more);
    out.join("each")
}

fn bytes(results: &Path, name: &str) -> Vec<u8> {
    std::fs::read(results.join(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
}

#[test]
fn the_rows_are_the_same_however_the_games_are_played() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let at = |name: &str| out.path().join(name);
    let first = play(&file, &at("first"), &["--per-game", "--threads", "2"]);
    let rows = bytes(&first, "games.parquet");
    let slow = play(
        &file,
        &at("slow"),
        &[
            "--per-game=parquet",
            "--threads",
            "1",
            "--kernel",
            "reference",
        ],
    );
    assert!(bytes(&slow, "games.parquet") == rows, "another kernel");
    // Played before, without records.
    let later = play(&file, &at("later"), &[]);
    assert!(!later.join("games.parquet").exists());
    play(&file, &at("later"), &["--per-game"]);
    assert!(bytes(&later, "games.parquet") == rows, "played before");
    // Shards keep no rows; the merged results do not need them.
    for shard in ["1/2", "2/2"] {
        play(&file, &at("shards"), &["--shard", shard]);
    }
    let shards = ["shard-1-of-2", "shard-2-of-2"].map(|name| at("shards").join("each").join(name));
    let [one, two] = [text(&shards[0]), text(&shards[1])];
    succeeded(&tilelab(&["merge", "--out", text(&at("merged")), one, two]));
    let merged = play(&file, &at("merged"), &["--per-game"]);
    assert!(bytes(&merged, "games.parquet") == rows, "shards");
    // Asked for in the file.
    let asked = EXPERIMENT.replace("seed = 67", "seed = 67\nper_game = \"csv\"");
    let asked = play(&write(out.path(), "asked.toml", &asked), &at("asked"), &[]);
    let csv = play(&file, &at("csv"), &["--per-game=csv"]);
    assert!(
        bytes(&asked, "games.csv") == bytes(&csv, "games.csv"),
        "asked for in the file"
    );
    // Nothing is left of the records.
    for results in [&first, &merged, &asked] {
        let left: Vec<_> = std::fs::read_dir(results.join(".games"))
            .unwrap()
            .map(|e| e.unwrap().file_name())
            .collect();
        assert_eq!(left, ["written"]);
    }
}

#[test]
fn rows_are_those_of_replay_and_add_up_to_the_cells() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let results = play(&file, &out.path().join("csv"), &["--per-game=csv"]);
    let mut rows = csv::Reader::from_path(results.join("games.csv")).unwrap();
    let header = rows.headers().unwrap().clone();
    assert_eq!(
        header.iter().take(5).collect::<Vec<_>>(),
        ["table", "cell", "game_index", "outcome", "moves"]
    );
    let mut cells: BTreeMap<(String, String), [u64; 3]> = BTreeMap::new();
    for row in rows.records() {
        let row = row.unwrap();
        let sums = cells
            .entry((row[0].to_owned(), row[1].to_owned()))
            .or_default();
        assert_eq!(row[2], sums[0].to_string(), "games are in order");
        for (sum, more) in
            sums.iter_mut()
                .zip([1, u64::from(&row[3] == "won"), row[4].parse().unwrap()])
        {
            *sum += more;
        }
    }
    let mut csv = csv::Reader::from_path(results.join("cells.csv")).unwrap();
    let names = csv.headers().unwrap().clone();
    let mut seen = 0;
    for row in csv.records() {
        let row = row.unwrap();
        let get =
            |name: &str| row[names.iter().position(|known| known == name).unwrap()].to_owned();
        let [games, wins, moves] = cells[&(get("table"), get("cell"))];
        assert_eq!(
            [get("games"), get("wins")],
            [games.to_string(), wins.to_string()]
        );
        let mean: f64 = get("moves_mean").parse().unwrap();
        assert!(
            (mean - moves as f64 / games as f64).abs() < 1e-9 * mean.max(1.0),
            "{mean}"
        );
        seen += 1;
        let replayed = tilelab(&[
            "replay",
            text(&results),
            "--cell",
            &get("cell"),
            "--game",
            "17",
        ]);
        let rows = csv::Reader::from_path(results.join("games.csv"))
            .unwrap()
            .into_records();
        let is_it = |row: &csv::StringRecord| {
            row[0] == get("table") && row[1] == get("cell") && &row[2] == "17"
        };
        let row = rows.map(Result::unwrap).find(is_it).unwrap();
        let ending = format!("{} after {} moves", &row[3], &row[4]).to_lowercase();
        // Of a game of two it says whose result it is.
        let ending = match get("player").split_once(" / ") {
            Some((first, _)) => format!("for {first}: {ending}"),
            None => ending,
        };
        assert_eq!(
            stdout(&replayed).lines().last().unwrap().to_lowercase(),
            ending,
            "{}",
            get("cell")
        );
    }
    assert_eq!(seen, cells.len());
}

#[test]
fn killed_and_damaged_runs_end_with_the_same_rows() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let at = |name: &str| out.path().join(name);
    let rows = bytes(&play(&file, &at("whole"), &["--per-game"]), "games.parquet");
    let killed = at("killed");
    let run = [
        "run",
        text(&file),
        "--out",
        text(&killed),
        "--per-game",
        "--quiet",
        "--save-every",
        "0.01",
    ];
    for wait in [20, 60, 100, 200] {
        let mut child = command(&[&run[..], &["--kernel", "reference"]].concat())
            .spawn()
            .unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
        // Bytes that a crash of the machine has lost or changed.
        for entry in std::fs::read_dir(killed.join("each/.games"))
            .into_iter()
            .flatten()
            .map(Result::unwrap)
        {
            let mut bytes = std::fs::read(entry.path()).unwrap();
            if let Some(byte) = bytes.get_mut(40) {
                *byte ^= 16;
            }
            bytes.truncate(bytes.len() * 9 / 10);
            std::fs::write(entry.path(), bytes).unwrap();
        }
    }
    let killed = play(&file, &killed, &["--per-game"]);
    assert!(bytes(&killed, "games.parquet") == rows);
    // Nothing is written again where nothing has changed, and everything after --fresh.
    let written = || {
        std::fs::metadata(killed.join("games.parquet"))
            .unwrap()
            .modified()
            .unwrap()
    };
    let before = written();
    play(&file, &at("killed"), &["--per-game"]);
    assert_eq!(written(), before);
    play(&file, &at("killed"), &["--per-game", "--fresh"]);
    assert_ne!(written(), before);
    assert!(bytes(&killed, "games.parquet") == rows);
}

/// Plays all shards; `arguments` are those of each.
fn shards(file: &Path, out: &Path, arguments: &[&[&str]]) -> Vec<PathBuf> {
    let count = arguments.len();
    let play = |(number, more): (usize, &&[&str])| {
        let shard = format!("{}/{count}", number + 1);
        succeeded(&tilelab(
            &[
                &[
                    "run",
                    text(file),
                    "--out",
                    text(out),
                    "--quiet",
                    "--shard",
                    &shard,
                ],
                *more,
            ]
            .concat(),
        ));
        out.join(format!("each/shard-{}-of-{count}", number + 1))
    };
    arguments.iter().enumerate().map(play).collect()
}

fn merge(shards: &[PathBuf], out: &Path) -> (PathBuf, String) {
    let folders = shards.iter().map(|shard| text(shard));
    let merged = tilelab(
        &["merge", "--out", text(out)]
            .into_iter()
            .chain(folders)
            .collect::<Vec<_>>(),
    );
    succeeded(&merged);
    (out.join("each"), String::from_utf8(merged.stderr).unwrap())
}

#[test]
fn merged_shards_have_the_rows_of_the_undivided_run() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let at = |name: &str| out.path().join(name);
    for (format, name) in [("parquet", "games.parquet"), ("csv-positions", "games.csv")] {
        let asked = format!("--per-game={format}");
        let asked: &[&str] = &[&asked];
        let rows = bytes(&play(&file, &at(&format!("whole-{format}")), asked), name);
        let parts = shards(&file, &at(&format!("shards-{format}")), &[asked; 3]);
        assert!(!parts[0].join(name).exists());
        let (merged, said) = merge(&parts, &at(&format!("merged-{format}")));
        assert!(bytes(&merged, name) == rows, "{format}");
        assert!(!said.contains("again"), "{said}");
        // What is merged is not written again.
        let written = || {
            std::fs::metadata(merged.join(name))
                .unwrap()
                .modified()
                .unwrap()
        };
        let before = written();
        play(&file, &at(&format!("merged-{format}")), asked);
        assert_eq!(written(), before);

        // Damaged, lost and added bytes.
        for (number, entry) in std::fs::read_dir(parts[1].join(".games"))
            .unwrap()
            .map(Result::unwrap)
            .enumerate()
        {
            let mut bytes = std::fs::read(entry.path()).unwrap();
            if entry.file_name() == "complete" {
                continue;
            }
            match number % 3 {
                0 => bytes.truncate(bytes.len() / 2),
                1 => bytes
                    .iter_mut()
                    .skip(40)
                    .step_by(999)
                    .for_each(|byte| *byte ^= 8),
                _ => bytes.extend([7; 100]),
            }
            std::fs::write(entry.path(), bytes).unwrap();
        }
        assert!(
            bytes(&merge(&parts, &at(&format!("damaged-{format}"))).0, name) == rows,
            "{format}"
        );
    }
}

#[test]
fn shards_with_rows_grow_and_are_killed() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let at = |name: &str| out.path().join(name);
    let grown: &[&str] = &["--per-game", "--games", "4000"];
    let rows = bytes(&play(&file, &at("whole"), grown), "games.parquet");
    // One shard keeps its games only after it has grown.
    shards(&file, &at("shards"), &[&["--per-game"], &[]]);
    let shard_folder = at("shards");
    let killed = [
        "run",
        text(&file),
        "--out",
        text(&shard_folder),
        "--shard",
        "1/2",
        "--quiet",
        "--kernel",
        "reference",
    ];
    for wait in [30, 90] {
        let mut child = command(&[&killed[..], grown].concat()).spawn().unwrap();
        std::thread::sleep(Duration::from_millis(wait));
        child.kill().unwrap();
        child.wait().unwrap();
    }
    let parts = shards(&file, &at("shards"), &[grown; 2]);
    let (merged, said) = merge(&parts, &at("merged"));
    assert!(bytes(&merged, "games.parquet") == rows);
    assert!(!said.contains("again"), "{said}");
    // A shard without rows.
    let parts = shards(&file, &at("some"), &[&["--games", "4000"], grown]);
    let (merged, said) = merge(&parts, &at("merged-some"));
    assert!(bytes(&merged, "games.parquet") == rows);
    assert!(
        said.contains("1 of 2 shards, the first of them shard 1, have kept no single games"),
        "{said}"
    );
    // No rows are asked for.
    let none: &[&str] = &["--games", "4000"];
    let parts = shards(&file, &at("none"), &[none; 2]);
    assert!(
        !merge(&parts, &at("merged-none"))
            .0
            .join("games.parquet")
            .exists()
    );
    // Different rows are.
    let parts = shards(
        &file,
        &at("mixed"),
        &[grown, &["--per-game=positions", "--games", "4000"]],
    );
    let folders = parts.iter().map(|shard| text(shard));
    let mixed = tilelab(
        &["merge", "--out", text(&at("merged-mixed"))]
            .into_iter()
            .chain(folders)
            .collect::<Vec<_>>(),
    );
    refused(&mixed, &["--per-game=parquet", "--per-game=positions"]);
}

#[test]
fn pandas_and_polars_read_the_rows() {
    let Some(python) = python("pandas, polars, pyarrow") else {
        return;
    };
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let results = play(&file, &out.path().join("a"), &["--per-game"]);
    let script = r#"
import pandas, polars, sys
keys = ["table", "cell"]
games = polars.read_parquet(sys.argv[1])
cells = polars.read_csv(sys.argv[2], infer_schema=False).with_columns(
    polars.col("games", "wins").cast(polars.Int64), polars.col("moves_mean", "tile_sum_mean").cast(polars.Float64))
sums = games.group_by(keys).agg(
    seen=polars.len(), won=(polars.col("outcome") == "won").sum(), mean=polars.col("moves").mean(), tile_sum=polars.col("tile_sum").mean())
both = cells.join(sums, on=keys)
assert both.height == cells.height == 7, both
assert (both["seen"] == both["games"]).all() and (both["won"] == both["wins"]).all(), both
assert ((both["mean"] - both["moves_mean"]).abs() < 1e-9 * both["moves_mean"]).all(), both
assert both.filter(polars.col("table") == "powers of two").select((polars.col("tile_sum") - polars.col("tile_sum_mean")).abs() < 1e-6).item(), both
assert both.filter(polars.col("table") == "lanes")["tile_sum"].is_null().all()
frame = pandas.read_parquet(sys.argv[1])
assert len(frame) == games.height and (frame["moves"].to_numpy() == games["moves"].to_numpy()).all()
assert list(frame["outcome"]) == list(games["outcome"])
"#;
    run_python(
        &python,
        script,
        &[&results.join("games.parquet"), &results.join("cells.csv")],
    );
}

#[test]
fn wrong_requests_for_rows_are_refused() {
    let out = folder();
    let file = write(out.path(), "each.toml", EXPERIMENT);
    let xml = [
        "run",
        text(&file),
        "--out",
        text(out.path()),
        "--per-game=xml",
    ];
    refused(&tilelab(&xml), &["--per-game", "parquet, csv, positions"]);
    refused(
        &tilelab(&["run", "--game", "67", "--per-game"]),
        &["--per-game", "--out"],
    );
    let wrong = write(
        out.path(),
        "wrong.toml",
        &EXPERIMENT.replace("seed = 67", "seed = 67\nper_game = 3"),
    );
    refused(
        &tilelab(&["run", text(&wrong)]),
        &["per_game = 3", "\"parquet\""],
    );
}
