//! What SECURITY.md promises, line by line: files of strangers write nothing outside the folder
//! that was named, take bounded memory and time, and do not drive the terminal.
#![cfg(unix)]

use crate::common::write;
use crate::common::{fifo, folder, play, refused, stderr, stdout, succeeded, text, tilelab};
use crate::effort::times;
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};

/// Results of two cells, with everything that a run can write, in a folder of their own.
fn results(folder: &Path) -> [PathBuf; 2] {
    let toml = "name = \"r\"\nseed = 1\ngames = 60\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n\
                size = [\"2x2\", \"2x3\"]\noperator_rate = [0.5, 0.6]\n";
    let file = write(folder, "r.toml", toml);
    play(&file, folder, &["--per-game=csv"]);
    let results = folder.join("r");
    succeeded(&tilelab(&["report", text(&results), "--format", "json"]));
    succeeded(&tilelab(&["report", text(&results), "--format", "parquet"]));
    [file, results]
}

/// The promises of SECURITY.md in their order, with the files and names of their tests.
const PROMISES: [(&str, &[[&str; 2]]); 14] = [
    (
        "No file starts a program",
        &[
            ["tests/it/programs.rs", "programs_of_files_need_leave"],
            [
                "python/tests/test_experiments.py",
                "test_programs_of_files_need_leave",
            ],
        ],
    ),
    (
        "Nothing is written through a link",
        &[["tests/it/safety.rs", "no_output_in_a_folder_follows_a_link"]],
    ),
    (
        "Files that you name yourself",
        &[["tests/it/outputs.rs", "outputs_need_not_be_regular_files"]],
    ),
    (
        "Only regular files are read",
        &[
            [
                "tests/it/safety.rs",
                "strange_files_are_refused_soon_and_in_little_memory",
            ],
            [
                "tests/it/safety.rs",
                "a_record_is_replayed_no_longer_than_it_is",
            ],
        ],
    ),
    (
        "Few bytes stay few cells",
        &[["tests/it/safety.rs", "few_bytes_do_not_make_many_cells"]],
    ),
    (
        "Pipes are read",
        &[["tests/it/safety.rs", "pipes_of_shells_are_read"]],
    ),
    (
        "Text of files is escaped",
        &[
            [
                "tests/it/safety.rs",
                "titles_drive_neither_terminal_nor_page",
            ],
            ["tests/it/safety.rs", "records_do_not_drive_the_terminal"],
        ],
    ),
    (
        "Tables are not for spreadsheets",
        &[[
            "tests/it/safety.rs",
            "titles_drive_neither_terminal_nor_page",
        ]],
    ),
    (
        "Programs that play have your rights, and end",
        &[[
            "tests/it/programs.rs",
            "a_signal_that_ends_the_match_ends_all_that_a_program_has_started",
        ]],
    ),
    (
        "Programs keep nothing",
        &[["tests/it/programs.rs", "lost_games_keep_nothing"]],
    ),
    (
        "`report --serve` and `run --open`",
        &[[
            "tests/it/serve.rs",
            "the_served_page_is_the_file_and_only_this_machine_may_read_it",
        ]],
    ),
    (
        "Slow clients are cut off",
        &[
            [
                "tests/it/serve.rs",
                "slow_clients_hold_up_neither_others_nor_the_end",
            ],
            [
                "tests/it/serve.rs",
                "a_connection_has_one_request_and_an_end",
            ],
        ],
    ),
    (
        "`cluster/ray_driver.py`",
        &[[
            "cluster/tests/test_ray.py",
            "test_7_a_cluster_needs_its_token",
        ]],
    ),
    ("The page", &[["web/tests/core.mjs", "foreign request"]]),
];

#[test]
fn each_promise_has_its_tests() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |name: &str| std::fs::read_to_string(root.join(name)).unwrap();
    let security = read("SECURITY.md");
    let promises = security
        .lines()
        .filter_map(|line| line.strip_prefix("* **"));
    let promises: Vec<&str> = promises
        .map(|line| line.split_once("**").unwrap().0)
        .collect();
    assert_eq!(promises, PROMISES.map(|(promise, _)| promise));
    for [file, test] in PROMISES.iter().flat_map(|(_, tests)| *tests) {
        let text = read(file);
        let is_there = match Path::new(file)
            .extension()
            .and_then(|ending| ending.to_str())
        {
            Some("rs") => text.contains(&format!("#[test]\nfn {test}() {{")),
            Some("py") => text.contains(&format!("def {test}(")),
            _ => text.contains(test),
        };
        assert!(is_there, "{file} has no {test}");
    }
}

/// A FIFO in a folder is refused; one that the shell has made for this command is read.
#[test]
fn pipes_of_shells_are_read() {
    let folder = folder();
    let toml = "name = \"r\"\nseed = 1\ngames = 6\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n";
    let file = write(folder.path(), "r.toml", toml);
    for script in ["\"$0\" check <(cat \"$1\")", "cat \"$1\" | \"$0\" check -"] {
        let output = Command::new("bash")
            .args(["-c", script, env!("CARGO_BIN_EXE_tilelab"), text(&file)])
            .output()
            .unwrap();
        succeeded(&output);
    }
    let pipe = folder.path().join("fifo.toml");
    fifo(&pipe);
    refused(
        &bounded(&["check", text(&pipe)]),
        &["it is not a regular file"],
    );
}

/// Titles and names of strangers stand in tables, pages and CSV files.
#[test]
fn titles_drive_neither_terminal_nor_page() {
    let folder = folder();
    let title = "=1+1</script><script>alert(1)</script>";
    let toml = format!(
        "name = \"r\"\nseed = 1\ngames = 6\n[[table]]\ntitle = \"{title}\"\ngame = \"67\"\nsize = \"2x2\"\n"
    );
    let evil = toml.replace("=1+1", "\\u001b]0;owned\\u0007");
    let refusal = tilelab(&["check", text(&write(folder.path(), "evil.toml", &evil))]);
    refused(
        &refusal,
        &["\\u{1b}]0;owned\\u{7}", "none of them a control character"],
    );
    let file = write(folder.path(), "r.toml", &toml);
    let results = folder.path().join("r");
    let dir = text(&results);
    let run = ["run", text(&file), "--out", text(folder.path())];
    for arguments in [
        &run[..],
        &["check", text(&file)],
        &["status", dir],
        &["report", dir],
    ] {
        let output = tilelab(arguments);
        succeeded(&output);
        let said = stdout(&output) + &stderr(&output);
        assert!(
            !said.contains(['\u{1b}', '\u{7}']),
            "{arguments:?}: {said:?}"
        );
    }
    let read = |name: &str| std::fs::read_to_string(results.join(name)).unwrap();
    for name in ["report.html", "moves.svg", "table.md"] {
        let text = read(name);
        assert!(
            !text.contains("<script>alert") && !text.contains('\u{1b}'),
            "{name}"
        );
    }
    // The title stands in `cells.csv` as it is, also where it looks like a formula.
    assert!(read("cells.csv").contains("\n=1+1</script>"));
}

/// The names in a folder, without those of folders.
fn names(folder: &Path) -> Vec<String> {
    let entries = std::fs::read_dir(folder).unwrap().map(Result::unwrap);
    let files = entries.filter(|entry| entry.file_type().unwrap().is_file());
    files
        .map(|entry| entry.file_name().into_string().unwrap())
        .collect()
}

/// Runs the binary with at most 1.5 GB of memory, and ends it when it hangs.
fn bounded(arguments: &[&str]) -> Output {
    let binary = env!("CARGO_BIN_EXE_tilelab");
    let script = "ulimit -v 1500000; exec timeout 60 \"$@\"";
    let output = Command::new("sh")
        .args(["-c", script, "sh", binary])
        .args(arguments)
        .stdin(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    let code = output.status.code();
    assert!(
        matches!(code, Some(0..=2)) && !said.contains("panicked") && !said.contains("memory"),
        "{arguments:?}: {code:?}: {said}"
    );
    output
}

/// `ln -s ~/victim D/cells.json; tilelab report D --format json` has replaced the victim.
#[test]
fn no_output_in_a_folder_follows_a_link() {
    let folder = folder();
    let [file, results] = results(folder.path());
    let mut all = names(&results);
    all.extend([".live", "published.csv", "times.md", "games.parquet"].map(str::to_owned));
    let victims = folder.path().join("victims");
    std::fs::create_dir(&victims).unwrap();
    let out = text(folder.path());
    let dir = text(&results);
    for (number, verb) in [
        &["report", dir, "--format", "json"][..],
        &["report", dir, "--format", "parquet"],
        &["report", dir, "--format", "csv"],
        &["report", dir],
        &["run", text(&file), "--out", out, "--quiet", "--games", "80"],
        &[
            "run",
            text(&file),
            "--out",
            out,
            "--quiet",
            "--fresh",
            "--per-game",
        ],
    ]
    .iter()
    .enumerate()
    {
        for name in &all {
            let victim = victims.join(format!("{number}-{name}"));
            let path = results.join(name);
            // What is read is what was there; what is written must not go through the name.
            let before = std::fs::read(&path).unwrap_or_default();
            std::fs::write(&victim, &before).unwrap();
            let _ = std::fs::remove_file(&path);
            symlink(&victim, &path).unwrap();
            drop(tilelab(verb));
            assert_eq!(std::fs::read(&victim).unwrap(), before, "{verb:?}: {name}");
            if path.is_symlink() {
                std::fs::remove_file(&path).unwrap();
                if !before.is_empty() {
                    std::fs::write(&path, &before).unwrap();
                }
            }
        }
    }
    // Nor does a shard's folder.
    let elsewhere = folder.path().join("elsewhere");
    std::fs::create_dir(&elsewhere).unwrap();
    symlink(&elsewhere, results.join("shard-1-of-2")).unwrap();
    let shard = ["run", text(&file), "--out", out, "--shard", "1/2"];
    refused(&tilelab(&shard), &["shard-1-of-2"]);
    assert_eq!(names(&elsewhere), [""; 0]);
}

/// Links to devices, pipes and sparse files have taken 4.5 GB, or hung their readers.
#[test]
fn strange_files_are_refused_soon_and_in_little_memory() {
    let folder = folder();
    let [file, results] = results(folder.path());
    let dir = text(&results).to_owned();
    let readers: [&[&str]; 8] = [
        &["status", &dir],
        &["report", &dir],
        &["report", &dir, "--format", "json", "--output", "/dev/null"],
        &["compare", &dir, "--by", "size"],
        &["compare", &dir, "--by", "operator_rate", "--paired"],
        &["replay", &dir, "--row", "1", "--game", "0"],
        &["merge", "--out", &dir, &dir],
        &["run", text(&file), "--out", text(folder.path()), "--quiet"],
    ];
    let mut all = names(&results);
    all.extend([".live".to_owned(), "published.csv".to_owned()]);
    let endless = |path: &Path| symlink("/dev/zero", path).unwrap();
    let sparse = |path: &Path| {
        let file = std::fs::File::create(path).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    let kinds: [&dyn Fn(&Path); 3] = [&fifo, &endless, &sparse];
    let kept = folder.path().join("kept");
    crate::common::copy(&results, &kept);
    // Each file is of one kind for each reader; in longer runs of the tests of every kind.
    let tried = times(1).min(3) as usize;
    for (place, name) in all.iter().enumerate() {
        let path = results.join(name);
        for (number, reader) in readers.into_iter().enumerate() {
            for kind in kinds.iter().cycle().skip(place + number).take(tried) {
                let _ = std::fs::remove_file(&path);
                kind(&path);
                drop(bounded(reader));
            }
        }
        let _ = std::fs::remove_file(&path);
        if kept.join(name).exists() {
            std::fs::copy(kept.join(name), &path).unwrap();
        }
    }
    // Files that a person names are refused, too.
    let strange = folder.path().join("strange.toml");
    let shown = text(&strange);
    for kind in kinds {
        let _ = std::fs::remove_file(&strange);
        kind(&strange);
        for reader in [
            &["check", shown][..],
            &["run", shown],
            &["play", "67", "--board-file", shown],
            &["replay", "offset", "--log", shown],
            &["replay", shown],
            &[
                "replay", &dir, "--row", "1", "--game", "0", "--moves", shown,
            ],
            &["solve", shown],
            &[
                "match", "random", "random", "--game", "67", "--starts", shown,
            ],
            &["report", &dir, "--readme", shown],
            &["learn", shown],
        ] {
            let output = bounded(reader);
            assert_eq!(
                output.status.code(),
                Some(2),
                "{reader:?}: {}",
                stderr(&output)
            );
        }
    }
}

/// A record without moves asks its player, for a game that a stranger has made long.
#[test]
fn a_record_is_replayed_no_longer_than_it_is() {
    let folder = folder();
    let path = folder.path().join("x.jsonl");
    let played = ["--game", "67", "--set", "size=2x2", "--games", "1"];
    let recorded = ["match", "random", "random", "--record", text(&path)];
    succeeded(&tilelab(&[&recorded[..], &played].concat()));
    let record = std::fs::read_to_string(&path).unwrap();
    let end = record.rfind("\n{\"format\"").unwrap();
    let (header, lines) = record[..end].split_once('\n').unwrap();
    let mut header: serde_json::Value = serde_json::from_str(header).unwrap();
    header["moves"] = serde_json::Value::Null;
    header.as_object_mut().unwrap().remove("moves");
    std::fs::write(&path, format!("{header}\n{lines}\n")).unwrap();
    succeeded(&tilelab(&["replay", text(&path)]));
    header["rules"]["rows"] = 8.into();
    header["rules"]["cols"] = 8.into();
    std::fs::write(&path, format!("{header}\n")).unwrap();
    refused(
        &bounded(&["replay", text(&path)]),
        &["the record ends before the game"],
    );
}

/// A record's players were written to the terminal as they stand.
#[test]
fn records_do_not_drive_the_terminal() {
    let folder = folder();
    let path = folder.path().join("x.jsonl");
    let recorded = ["match", "random", "random", "--record", text(&path)];
    let played = ["--game", "67", "--set", "size=2x2", "--games", "1"];
    succeeded(&tilelab(&[&recorded[..], &played].concat()));
    let record = std::fs::read_to_string(&path).unwrap();
    let evil = record.replacen("\"random\"", "\"\\u001b]0;owned\\u0007\"", 1);
    assert_ne!(record, evil);
    std::fs::write(&path, evil).unwrap();
    let shown = tilelab(&["replay", text(&path)]);
    succeeded(&shown);
    assert!(!stdout(&shown).contains('\u{1b}') && stdout(&shown).contains("\\u{1b}]0;owned"));
}

/// 130 bytes have made 900,000 cells of 1.5 kB each, in one table or in several.
#[test]
fn few_bytes_do_not_make_many_cells() {
    let folder = folder();
    let table = |title: u32, to: f64| {
        format!(
            "[[table]]\ntitle = \"{title}\"\ngame = \"67\"\nsize = \"2x2\"\n\
             operator_rate = {{ from = 0.001, to = {to}, step = 0.001 }}\ntarget = {{ from = 11, to = 960 }}\n"
        )
    };
    let head = "name = \"many\"\nseed = 1\n";
    for tables in [
        table(1, 0.95),
        (0..20).map(|title| table(title, 0.06)).collect(),
    ] {
        let file = write(folder.path(), "many.toml", &format!("{head}{tables}"));
        let output = bounded(&["check", "--no-forecast", text(&file)]);
        refused(&output, &["cells; at most 100000 are accepted"]);
    }
}

/// The limit of the size of files (`ulimit -f`) has ended the process without a message.
#[test]
fn a_file_beyond_the_limit_is_an_error() {
    let folder = folder();
    let [file, results] = results(folder.path());
    let cells = std::fs::read(results.join("cells.csv")).unwrap();
    let dir = text(&results);
    let path = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let [fresh, csv, record, weights] = ["fresh", "x.csv", "x.jsonl", "x.weights"].map(path);
    let file = text(&file);
    let out = text(folder.path());
    let game = ["--game", "67", "--set", "size=3x3", "--games", "2000"];
    let meet = [&["match", "random", "greedy"], &game[..]].concat();
    // The limit in half kilobytes, and what standard output has all the same.
    for (limit, arguments, printed) in [
        (1, &["run", file, "--out", &fresh][..], "## t"),
        (20, &["run", file, "--out", &fresh], "## t"),
        (1, &["run", file, "--out", out, "--games", "80"], "| 80 |"),
        (4, &["run", file, "--out", &fresh, "--per-game"], "## t"),
        (1, &["report", dir], ""),
        (20, &["report", dir], ""),
        (1, &["report", dir, "--format", "csv"], ""),
        (1, &["report", dir, "--format", "csv", "--output", &csv], ""),
        (1, &["report", dir, "--format", "json"], ""),
        (4, &["report", dir, "--format", "parquet"], ""),
        (1, &meet, "| greedy |"),
        (40, &meet, "| greedy |"),
        (1, &[&["run"], &game[..]].concat(), "| 2000 |"),
        (
            400,
            &[&meet[..], &["--record", &record]].concat(),
            "| greedy |",
        ),
        (
            8,
            &[
                "learn", "--game", "67", "--set", "size=2x2", "--out", &weights,
            ],
            "",
        ),
    ] {
        let script = format!("ulimit -f {limit}; exec \"$@\"");
        let output = Command::new("sh")
            .args(["-c", &script, "sh", env!("CARGO_BIN_EXE_tilelab")])
            .args(arguments)
            .output()
            .unwrap();
        let said = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{arguments:?}: {said}");
        assert_eq!(
            said.matches("File too large").count(),
            1,
            "{arguments:?}: {said}"
        );
        let shown = stdout(&output);
        assert!(shown.contains(printed), "{arguments:?}: {shown}");
        assert_eq!(std::fs::read(results.join("cells.csv")).unwrap(), cells);
    }
    // What was there before is there still.
    play(Path::new(file), folder.path(), &[]);
    assert_eq!(std::fs::read(results.join("cells.csv")).unwrap(), cells);
}

/// An opening of a start without legal moves has panicked.
#[test]
fn a_start_without_moves_is_a_game_that_is_over() {
    let folder = folder();
    let toml = "name = \"o\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"offset\"\n\
                side = 4\nd = 45\nopening = 3\nplayer = \"random\"\nopponent = \"random\"\n";
    let file = write(folder.path(), "o.toml", toml);
    succeeded(&tilelab(&["check", text(&file)]));
    play(&file, folder.path(), &[]);
}
