//! What SECURITY.md promises, line by line: files of strangers start nothing, write nothing outside
//! the folder that was named, take bounded memory and time, and do not drive the terminal.
#![cfg(unix)]

use crate::common::write;
use crate::common::{command, folder, play, refused, stderr, stdout, succeeded, text, tilelab};
use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Output, Stdio};
use std::time::{Duration, Instant};

/// More than any of these commands takes.
const HANG: Duration = Duration::from_secs(60);

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

/// An experiment whose player leaves a file when it is started.
fn program(folder: &Path) -> [PathBuf; 2] {
    let script = write(folder, "leave.sh", "touch \"$(dirname \"$0\")/left\"\n");
    let toml = format!(
        "name = \"p\"\nseed = 1\ngames = 2\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\nsize = \"2x2\"\n\
         player = [\"random\", {{ command = [\"sh\", {:?}] }}]\n",
        text(&script)
    );
    [write(folder, "p.toml", &toml), folder.join("left")]
}

/// `check`, the verb for looking first, has started the programs of files without a word.
#[test]
fn programs_of_files_need_leave() {
    let folder = folder();
    let [file, left] = program(folder.path());
    let out = text(folder.path());
    let results = folder.path().join("p");
    let results = text(&results);
    let run = ["run", text(&file), "--out", out, "--quiet"];
    let words = ["leave.sh", "--allow-programs"];
    refused(&tilelab(&run), &words);
    assert!(!Path::new(results).exists(), "something was written");
    let checked = tilelab(&["check", text(&file)]);
    succeeded(&checked);
    assert!(stdout(&checked).contains("which `check` does not start"));
    refused(&tilelab(&["cluster", "plan", text(&file)]), &words);
    let replay = |of: &str| ["replay", of, "--row", "2", "--game", "0"].map(str::to_owned);
    let replay_file = replay(text(&file));
    let replay_file: Vec<&str> = replay_file.iter().map(String::as_str).collect();
    refused(&tilelab(&replay_file), &words);
    assert!(!left.exists(), "the program was started");
    // The program answers nothing, so that it forfeits every game.
    let forfeited = tilelab(&[&run[..], &["--allow-programs"]].concat());
    assert_eq!(forfeited.status.code(), Some(1), "{}", stderr(&forfeited));
    assert!(left.exists(), "the program was not started");
    std::fs::remove_file(&left).unwrap();
    // The folder has been allowed once; that allows nothing.
    refused(&tilelab(&[&run[..], &["--games", "4"]].concat()), &words);
    let replay_folder = replay(results);
    let replay_folder: Vec<&str> = replay_folder.iter().map(String::as_str).collect();
    refused(&tilelab(&replay_folder), &words);
    let compare = ["compare", results, "--by", "player", "--paired"];
    refused(&tilelab(&compare), &words);
    for reads in [
        &["report", results][..],
        &["status", results],
        &["compare", results, "--by", "player"],
        &["merge", "--out", out, results],
    ] {
        drop(tilelab(reads));
        assert!(!left.exists(), "{reads:?} has started the program");
    }
    succeeded(&tilelab(&[&compare[..], &["--allow-programs"]].concat()));
    assert!(left.exists());
    std::fs::remove_file(&left).unwrap();
    succeeded(&tilelab(
        &[&replay_folder[..], &["--allow-programs"]].concat(),
    ));
    assert!(left.exists());
}

/// The processes whose arguments name a file.
fn processes(named: &Path) -> usize {
    let entries = std::fs::read_dir("/proc").unwrap();
    let lines = entries.filter_map(|entry| std::fs::read(entry.ok()?.path().join("cmdline")).ok());
    let named = text(named).as_bytes();
    lines
        .filter(|line| line.windows(named.len()).any(|part| part == named))
        .count()
}

fn until(what: &str, is_so: impl Fn() -> bool) -> Duration {
    let begun = Instant::now();
    while !is_so() {
        assert!(begun.elapsed() < HANG, "waited for {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
    begun.elapsed()
}

/// A match of a program that starts another one, which ignores what it is told and never ends.
fn wrapped(folder: &Path, rest: &str, games: &str) -> (Child, PathBuf) {
    let busy = write(
        folder,
        "busy.sh",
        "trap '' INT TERM HUP\nwhile :; do :; done\n",
    );
    let script = format!("sh {} &\n{rest}", text(&busy));
    let script = write(folder, "wrap.sh", &script);
    let player = format!("command(sh {},timeout_ms=60000)", text(&script));
    let arguments = [
        "match",
        &player,
        "random",
        "--game",
        "67",
        "--set",
        "size=3x3",
        "--games",
        games,
        "--threads",
        "2",
    ];
    let child = command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (child, busy)
}

#[cfg(target_os = "linux")]
#[test]
fn a_hung_program_ends_with_its_children_when_a_signal_ends_the_match() {
    for signal in ["-INT", "-TERM", "-HUP"] {
        let folder = folder();
        let hangs = "trap '' INT TERM HUP\nwhile :; do sleep 1; done\n";
        let (mut child, busy) = wrapped(folder.path(), hangs, "10");
        until("the programs", || processes(&busy) >= 2);
        let pid = child.id().to_string();
        assert!(
            Command::new("kill")
                .args([signal, &pid])
                .status()
                .unwrap()
                .success()
        );
        assert_eq!(child.wait().unwrap().code(), Some(130), "{signal}");
        let took = until("the end of the programs", || processes(folder.path()) == 0);
        assert!(took < Duration::from_secs(1), "{signal}: {took:?}");
    }
}

/// Each lost game has kept two threads, two descriptors and the children of its process.
#[cfg(target_os = "linux")]
#[test]
fn lost_games_keep_nothing() {
    let folder = folder();
    let nonsense = "read -r line; echo nonsense; sleep 600\n";
    let (mut child, _) = wrapped(folder.path(), nonsense, "300");
    let proc = PathBuf::from(format!("/proc/{}", child.id()));
    let count = |what: &str| std::fs::read_dir(proc.join(what)).map_or(0, Iterator::count);
    let mut most = [0; 3];
    while child.try_wait().unwrap().is_none() {
        let now = [count("task"), count("fd"), processes(folder.path())];
        most = [0, 1, 2].map(|at| most[at].max(now[at]));
        std::thread::sleep(Duration::from_millis(20));
    }
    assert!(most[0] <= 40 && most[1] <= 60 && most[2] <= 20, "{most:?}");
    until("the end of the programs", || processes(folder.path()) == 0);
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
    let fifo = |path: &Path| {
        let made = Command::new("mkfifo").arg(path).status().unwrap();
        assert!(made.success());
    };
    let endless = |path: &Path| symlink("/dev/zero", path).unwrap();
    let sparse = |path: &Path| {
        let file = std::fs::File::create(path).unwrap();
        file.set_len(1 << 40).unwrap();
    };
    let kinds: [&dyn Fn(&Path); 3] = [&fifo, &endless, &sparse];
    let kept = folder.path().join("kept");
    crate::common::copy(&results, &kept);
    for name in all {
        let path = results.join(&name);
        for kind in kinds {
            for reader in readers {
                let _ = std::fs::remove_file(&path);
                kind(&path);
                drop(bounded(reader));
            }
        }
        let _ = std::fs::remove_file(&path);
        if kept.join(&name).exists() {
            std::fs::copy(kept.join(&name), &path).unwrap();
        }
    }
    // And files that a person names.
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
    let played = ["--game", "2048", "--set", "size=2x2", "--games", "1"];
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
    let binary = env!("CARGO_BIN_EXE_tilelab");
    let run = format!(
        "ulimit -f 4; exec {binary} run --game 67 --set size=2x2,3x3,4x4 --games 1000 --quiet --out {}",
        text(folder.path())
    );
    let output = Command::new("sh").args(["-c", &run]).output().unwrap();
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("File too large"),
        "{}",
        stderr(&output)
    );
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
