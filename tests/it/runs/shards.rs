//! `run --shard` and `merge`: the bytes of an undivided run, whatever the order; what is missing or
//! foreign is named.

use crate::common::{folder, play, refused, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use std::process::Output;

/// 17 cells: fewer games than shards, a stopping rule, two tables, published figures.
const EXPERIMENT: &str = r#"
name = "parts"
seed = 67
games = 150
[[table]]
title = "fixed"
game = "sixty-seven"
rules = ["original", "merge-runs"]
size = ["2x2", "3x3", "2x4"]
operator_rate = { from = 0.4, to = 0.6, step = 0.2 }
published = "figures.csv"
[[table]]
title = "few games, fewer than parts"
game = "sixty-seven"
size = "3x3"
games = 4
[[table]]
title = "stopped early, some of them"
game = "sixty-seven"
size = "2x2"
target = [0, 1, 9, 67]
stop = { half_width = 0.008, max_games = 3_000 }
"#;
const FIGURES: &str =
    "table,rules,rows,cols,operator_rate,games,wins\nfixed,original,3,3,0.6,1000,3\n";

struct Parts {
    folder: tempfile::TempDir,
}

impl Parts {
    /// Plays everything once undivided and once in seven parts.
    fn new() -> Self {
        let parts = Self { folder: folder() };
        write(parts.path(), "figures.csv", FIGURES);
        let file = write(parts.path(), "parts.toml", EXPERIMENT);
        succeeded(&tilelab(&[
            "run",
            text(&file),
            "--out",
            text(&parts.path().join("whole")),
            "--quiet",
        ]));
        for index in 1..=7 {
            parts.play(&file, index, "shards");
        }
        // Merging needs neither the experiment nor what it names.
        std::fs::remove_file(file).unwrap();
        std::fs::remove_file(parts.path().join("figures.csv")).unwrap();
        parts
    }

    fn play(&self, file: &Path, index: u64, out: &str) {
        let shard = format!("{index}/7");
        let out = self.path().join(out);
        succeeded(&tilelab(&[
            "run",
            text(file),
            "--out",
            text(&out),
            "--shard",
            &shard,
            "--quiet",
        ]));
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    fn part(&self, index: u64) -> PathBuf {
        self.path().join(format!("shards/parts/shard-{index}-of-7"))
    }

    fn merge(&self, out: &str, shards: &[PathBuf]) -> Output {
        let out = self.path().join(out);
        let mut arguments = vec!["merge", "--out", text(&out)];
        arguments.extend(shards.iter().map(|shard| text(shard)));
        tilelab(&arguments)
    }

    /// Asserts that the merged results are those of the undivided run.
    fn check(&self, out: &str) {
        for name in [
            "cells.csv",
            "published.csv",
            "distributions.csv",
            "experiment.toml",
        ] {
            let read = |folder: &str| {
                std::fs::read(self.path().join(folder).join("parts").join(name)).unwrap()
            };
            assert!(read("whole") == read(out), "{out}: {name} differs");
        }
        let table = |folder: &str| {
            std::fs::read_to_string(self.path().join(folder).join("parts/table.md")).unwrap()
        };
        let body = |text: String| text.split_once('\n').unwrap().1.to_owned();
        assert_eq!(body(table("whole")), body(table(out)));
    }
}

#[test]
fn merged_parts_are_the_undivided_run() {
    let parts = Parts::new();
    let orders: [&[u64]; 4] = [
        &[1, 2, 3, 4, 5, 6, 7],
        &[7, 6, 5, 4, 3, 2, 1],
        &[3, 1, 4, 3, 7, 6, 2, 5],
        &[2, 7, 7, 5, 3, 1, 6, 4, 1],
    ];
    for (number, order) in orders.into_iter().enumerate() {
        let shards: Vec<PathBuf> = order.iter().map(|&index| parts.part(index)).collect();
        let out = format!("merged-{number}");
        succeeded(&parts.merge(&out, &shards));
        parts.check(&out);
    }
    let csv = std::fs::read_to_string(parts.path().join("whole/parts/cells.csv")).unwrap();
    for word in [",games,", ",precision,", ",max-games,"] {
        assert!(csv.contains(word), "no cell ended as {word}");
    }
    // A folder above the shards will do, and the merged result is a result like any other.
    succeeded(&parts.merge("above", &[parts.path().join("shards")]));
    parts.check("above");
    succeeded(&tilelab(&[
        "report",
        text(&parts.path().join("above/parts")),
    ]));
    parts.check("above");

    the_memory_for_parts_does_not_matter(&parts);
    missing_and_foreign_parts_are_named(&parts);
    unfinished_and_contradicting_parts_are_named(&parts);
}

/// Parts that do not fit in memory are read again, some or one at a time.
fn the_memory_for_parts_does_not_matter(parts: &Parts) {
    let copy = parts.path().join("copy");
    std::fs::copy(parts.part(4).join(".state"), &copy).unwrap();
    let arranged = |cells_max: usize| {
        let mut found = tilelab::results::merge::Parts::new(cells_max);
        for index in [7, 3, 1, 2, 4, 6, 5, 3] {
            let file = if index == 4 {
                copy.clone()
            } else {
                parts.part(index).join(".state")
            };
            let state = tilelab::results::store::load(&file).unwrap();
            found.add(parts.part(index), file, state);
        }
        let shards = found.arrange().unwrap();
        assert_eq!(shards.count(), 7);
        shards
    };
    let merged = |cells_max: usize| {
        let shards = arranged(cells_max);
        shards.merge(&shards.plan().unwrap()).unwrap()
    };
    let whole = tilelab::results::store::load(&parts.path().join("whole/parts/.state")).unwrap();
    for cells_max in [1_000, 3 * 17, 17, 1] {
        assert_eq!(
            merged(cells_max).cells,
            whole.cells,
            "{cells_max} cells in memory"
        );
    }
    // A file that changes while the merge goes on is noticed.
    let shards = arranged(1);
    std::fs::copy(parts.part(7).join(".state"), &copy).unwrap();
    let error = shards
        .merge(&shards.plan().unwrap())
        .unwrap_err()
        .to_string();
    assert!(
        error.contains("copy: it has changed since the merge began"),
        "{error}"
    );
}

fn missing_and_foreign_parts_are_named(parts: &Parts) {
    let some: Vec<PathBuf> = [1, 2, 4, 5, 6].map(|index| parts.part(index)).to_vec();
    let output = parts.merge("incomplete", &some);
    refused(&output, &["missing shards: 3/7, 7/7", "--shard I/7"]);
    assert!(
        !parts.path().join("incomplete").exists(),
        "something was written"
    );

    let all = |last: PathBuf| {
        (1..=6)
            .map(|index| parts.part(index))
            .chain([last])
            .collect::<Vec<_>>()
    };
    write(parts.path(), "figures.csv", FIGURES);
    let changes = [
        ("seed = 67", "seed = 68", "seed: 67 there, 68 here"),
        ("games = 4", "games = 5", "with 4 games there"),
        (
            "half_width = 0.008",
            "half_width = 0.01",
            "half_width: Some(0.008)",
        ),
        (
            "name = \"parts\"",
            "name = \"others\"",
            "name: parts there, others here",
        ),
        ("size = \"3x3\"", "size = \"4x3\"", "rows=3,cols=3"),
        (
            "games = 150",
            "games = 150\nconfidence = 0.9",
            "confidence: 0.95 there, 0.9 here",
        ),
        (
            "target = [0, 1, 9, 67]",
            "target = [0, 1, 9]",
            "number of cells: 17 there, 16 here",
        ),
    ];
    for (number, (from, to, words)) in changes.into_iter().enumerate() {
        let out = format!("foreign-{number}");
        let file = write(parts.path(), "foreign.toml", &EXPERIMENT.replace(from, to));
        parts.play(&file, 7, &out);
        let output = parts.merge("refused", &all(parts.path().join(&out)));
        refused(&output, &["is of another run than", words, &out]);
    }
    let eighth = write(parts.path(), "parts.toml", EXPERIMENT);
    let out = parts.path().join("eighths");
    succeeded(&tilelab(&[
        "run",
        text(&eighth),
        "--out",
        text(&out),
        "--shard",
        "7/8",
        "--quiet",
    ]));
    refused(
        &parts.merge("refused", &all(out)),
        &["number of shards: 7 there, 8 here"],
    );
    refused(
        &parts.merge("refused", &all(parts.path().join("nowhere"))),
        &["nowhere"],
    );
    std::fs::create_dir(parts.path().join("empty")).unwrap();
    refused(
        &parts.merge("refused", &all(parts.path().join("empty"))),
        &["empty", ".state", "hidden files"],
    );
    assert!(
        !parts.path().join("refused").exists(),
        "something was written"
    );
}

fn unfinished_and_contradicting_parts_are_named(parts: &Parts) {
    // A part of which nothing was played, as after a kill before the end.
    let state = std::fs::read_to_string(parts.part(5).join(".state")).unwrap();
    let with_checksum = |body: String| {
        let sum = crc32fast::hash(body.as_bytes());
        format!("{body}{{\"crc32\":\"{sum:08x}\"}}\n")
    };
    let mut lines: Vec<&str> = state.lines().collect();
    lines.pop();
    let body = |lines: &[&str]| {
        lines
            .iter()
            .map(|line| format!("{line}\n"))
            .collect::<String>()
    };
    let fifth = parts.path().join("fifth");
    std::fs::create_dir(&fifth).unwrap();
    let mut unfinished = lines.clone();
    unfinished[2] = "null";
    write(&fifth, ".state", &with_checksum(body(&unfinished)));
    let mut shards: Vec<PathBuf> = (1..=7)
        .filter(|&index| index != 5)
        .map(|index| parts.part(index))
        .collect();
    shards.push(fifth.clone());
    refused(&parts.merge("refused", &shards), &["unfinished", "fifth"]);
    // Beside the finished one it does no harm.
    shards.push(parts.part(5));
    succeeded(&parts.merge("twice", &shards));
    parts.check("twice");
    // The same part with other figures is no duplicate.
    let changed = body(&lines).replacen("\"wins\":0", "\"wins\":1", 1);
    assert_ne!(changed, body(&lines));
    write(&fifth, ".state", &with_checksum(changed));
    refused(
        &parts.merge("refused", &shards),
        &["shard 5/7 is there twice with different results", "fifth"],
    );
    write(&fifth, ".state", &state[..state.len() / 2]);
    refused(&parts.merge("refused", &shards), &["fifth", "damaged"]);
    assert!(
        !parts.path().join("refused").exists(),
        "something was written"
    );
}

/// Where cells are many, a part has some games of some of them.
#[test]
fn parts_of_many_cells_are_the_undivided_run() {
    let folder = folder();
    let file = write(
        folder.path(),
        "many.toml",
        "name = \"many\"\nseed = 67\ngames = 23\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = [\"2x2\", \"2x3\"]\n\
         rules = [\"original\", \"gapless\", \"merge-runs\"]\ntarget = { from = 10, to = 65, step = 1 }\n[[table]]\ntitle = \"a\"\n\
         game = \"sixty-seven\"\nsize = \"2x2\"\ntarget = [0, 1, 9]\nstop = { half_width = 0.2, max_games = 200 }\n",
    );
    let path = |name: &str| folder.path().join(name);
    play(&file, &path("whole"), &[]);
    let whole = std::fs::read(path("whole/many/cells.csv")).unwrap();
    for count in [1, 2, 5] {
        let out = path(&format!("parts-{count}"));
        for index in 1..=count {
            let shard = format!("{index}/{count}");
            succeeded(&tilelab(&[
                "run",
                text(&file),
                "--out",
                text(&out),
                "--shard",
                &shard,
                "--quiet",
            ]));
        }
        let merged = path(&format!("merged-{count}"));
        let parts = if count == 1 { out } else { out.join("many") };
        if count > 1 {
            let state =
                tilelab::results::store::load(&parts.join(format!("shard-1-of-{count}/.state")))
                    .unwrap();
            let here = state
                .cells
                .iter()
                .flatten()
                .filter(|cell| cell.games() > 0)
                .count();
            assert!(here < 300 && here > 60, "a part has {here} of 339 cells");
        }
        succeeded(&tilelab(&["merge", "--out", text(&merged), text(&parts)]));
        assert!(
            std::fs::read(merged.join("many/cells.csv")).unwrap() == whole,
            "{count} parts: cells.csv differs"
        );
    }
}

#[test]
fn a_part_continues_only_its_own_state() {
    let folder = folder();
    let file = write(
        folder.path(),
        "one.toml",
        "name = \"one\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n",
    );
    let out = folder.path().join("out");
    let shard = |shard: &str| tilelab(&["run", text(&file), "--out", text(&out), "--shard", shard]);
    succeeded(&shard("1/2"));
    succeeded(&shard("2/2"));
    std::fs::copy(
        out.join("one/shard-1-of-2/.state"),
        out.join("one/shard-2-of-2/.state"),
    )
    .unwrap();
    refused(
        &shard("2/2"),
        &["saved by the shard 1/2, but this run is 2/2"],
    );
    refused(&shard("3/2"), &["--shard", "1 ≤ I ≤ N"]);
    refused(&shard("half"), &["--shard", "3/7"]);
}

/// A checksum does not make a state true: claims without bounds would cost hours and gigabytes, or
/// panic.
#[test]
fn forged_headers_are_refused_shortly() {
    let folder = folder();
    let file = write(
        folder.path(),
        "one.toml",
        "name = \"one\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n",
    );
    let out = folder.path().join("out");
    let shard = |shard: &str| {
        succeeded(&tilelab(&[
            "run",
            text(&file),
            "--out",
            text(&out),
            "--shard",
            shard,
            "--quiet",
        ]))
    };
    shard("1/2");
    shard("2/2");
    let state = std::fs::read_to_string(out.join("one/shard-1-of-2/.state")).unwrap();
    let forged = out.join("one/shard-1-of-2/.state");
    let long = "x".repeat(16_000_000);
    let huge = format!("\"name\":\"{long}\"");
    let unknown = format!("\"{long}\":1,\"name\":\"one\"");
    let escape = "\"name\":\"one\\u001b[2J\"";
    // The parser of TOML takes its time for long keys.
    let huge_text = format!("{{\"experiment\":\"{}", &long[..200_000]);
    let huge_comment = format!("{{\"experiment\":\"#{long}");
    for (from, to, word) in [
        (
            "\"shards\":2",
            "\"shards\":0",
            "shard 1 of 0, where a run has from 1 to 1000000 shards",
        ),
        (
            "\"shards\":2",
            "\"shards\":1000000000",
            "shard 1 of 1000000000",
        ),
        (
            "\"shards\":2",
            "\"shards\":18446744073709551615",
            "where a run has",
        ),
        ("\"shard\":1", "\"shard\":0", "shard 0 of 2"),
        ("\"shard\":1", "\"shard\":3", "shard 3 of 2"),
        (
            "\"cells\":1",
            "\"cells\":1000000000",
            "1000000000 cells, where at most 10000000 are accepted",
        ),
        (
            "\"cells\":1",
            "\"cells\":10000000",
            "it has 1 cells where its header says 10000000",
        ),
        ("\"name\":\"one\"", &huge, "name: xxxx"),
        ("\"name\":\"one\"", &unknown, "unknown field `xxxx"),
        ("\"name\":\"one\"", escape, "name: one\\u{1b}[2J"),
        ("{\"experiment\":\"", &huge_text, "experiment.toml"),
        ("{\"experiment\":\"", &huge_comment, "experiment.toml"),
    ] {
        let body = state.replacen(from, to, 1);
        assert_ne!(body, state, "{from}");
        let body = &body[..body.trim_end().rfind('\n').unwrap() + 1];
        let sum = crc32fast::hash(body.as_bytes());
        std::fs::write(&forged, format!("{body}{{\"crc32\":\"{sum:08x}\"}}\n")).unwrap();
        let _ = std::fs::remove_file(out.join("one/shard-1-of-2/.state.previous"));
        let output = tilelab(&[
            "merge",
            "--out",
            text(&folder.path().join("merged")),
            text(&out),
        ]);
        refused(&output, &[word]);
        assert!(
            output.stderr.len() < 4_000,
            "a message of {} bytes",
            output.stderr.len()
        );
        assert!(
            !output.stderr.contains(&0x1b),
            "a control character reached the terminal"
        );
    }
    // A shard of very many: those that are missing are not all named.
    std::fs::remove_dir_all(&out).unwrap();
    shard("1000000/1000000");
    let output = tilelab(&[
        "merge",
        "--out",
        text(&folder.path().join("merged")),
        text(&out),
    ]);
    refused(
        &output,
        &[
            "missing shards: 1/1000000, 2/1000000, ",
            " and 999991 more;",
        ],
    );
    assert!(
        output.stderr.len() < 1_000,
        "a message of {} bytes",
        output.stderr.len()
    );
}
