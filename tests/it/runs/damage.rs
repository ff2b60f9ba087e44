//! Damaged states, full disks and folders that become read-only: a clear message, and nothing that
//! was saved is lost.

use crate::common::{command, folder, refused, stderr, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tilelab::runner::state::FORMAT;

const EXPERIMENT: &str = r#"
name = "damaged"
seed = 67
games = 40
[[table]]
title = "t"
game = "sixty-seven"
size = ["2x2", "2x3", "3x3"]
operator_rate = { from = 0.3, to = 0.7, step = 0.2 }
"#;

fn run(file: &Path, out: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["run", text(file), "--out", text(out)];
    arguments.extend(more);
    tilelab(&arguments)
}

/// A finished run whose last two states are both there.
struct Finished {
    folder: tempfile::TempDir,
    file: PathBuf,
    csv: Vec<u8>,
    state: Vec<u8>,
}

impl Finished {
    fn new() -> Self {
        Self::of(EXPERIMENT)
    }

    fn of(experiment: &str) -> Self {
        let folder = folder();
        let file = write(folder.path(), "damaged.toml", experiment);
        let out = folder.path().join("out");
        succeeded(&run(&file, &out, &[]));
        succeeded(&run(&file, &out, &[]));
        let read = |name: &str| std::fs::read(out.join("damaged").join(name)).unwrap();
        let csv = read("cells.csv");
        let state = read(".state");
        assert_eq!(read(".state.previous"), state);
        Self {
            folder,
            file,
            csv,
            state,
        }
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn put(&self, name: &str, content: &[u8]) {
        std::fs::write(self.out().join("damaged").join(name), content).unwrap();
    }

    /// Runs on from a state with something else in it and the checksum of that.
    fn changed(&self, from: &str, to: &str) -> Output {
        let state = String::from_utf8(self.state.clone()).unwrap();
        let body = state.replacen(from, to, 1);
        assert_ne!(body, state, "{from}");
        let body = &body[..body.trim_end().rfind('\n').unwrap() + 1];
        let sum = crc32fast::hash(body.as_bytes());
        self.put(
            ".state",
            format!("{body}{{\"crc32\":\"{sum:08x}\"}}\n").as_bytes(),
        );
        run(&self.file, &self.out(), &[])
    }

    /// With a damaged last state the one before is used; with both damaged the run is refused and
    /// touches nothing.
    fn check(&self, damaged: &[u8], what: &str) {
        self.put(".state", damaged);
        self.put(".state.previous", &self.state);
        let said = succeeded(&run(&self.file, &self.out(), &[]));
        for word in [
            ".state: the saved state is damaged: ",
            "using the one saved before it",
            ", complete: nothing to play",
        ] {
            assert!(said.contains(word), "{what}: {word:?} is not in {said}");
        }
        self.put(".state", damaged);
        self.put(".state.previous", damaged);
        let output = run(&self.file, &self.out(), &[]);
        refused(
            &output,
            &[
                ".state: the saved state is damaged",
                ".state.previous: the saved state is damaged",
                "--fresh",
            ],
        );
        let csv = std::fs::read(self.out().join("damaged/cells.csv")).unwrap();
        assert!(csv == self.csv, "{what}: cells.csv changed");
    }
}

#[test]
fn truncated_states_are_noticed() {
    let finished = Finished::new();
    for place in 0..20 {
        let cut = finished.state.len() * place / 20 + usize::from(place % 2 == 1);
        finished.check(&finished.state[..cut], &format!("cut at {cut}"));
    }
    finished.check(
        &finished.state[..finished.state.len() - 1],
        "the last byte is missing",
    );
}

#[test]
fn flipped_bytes_are_noticed() {
    let finished = Finished::new();
    for place in 0..20 {
        let at = (finished.state.len() - 1) * place / 19;
        let mut damaged = finished.state.clone();
        damaged[at] ^= 1 << (place % 8);
        finished.check(&damaged, &format!("byte {at}"));
    }
}

#[test]
fn a_lost_state_is_replaced_by_the_one_before() {
    let finished = Finished::new();
    std::fs::remove_file(finished.out().join("damaged/.state")).unwrap();
    let said = succeeded(&run(&finished.file, &finished.out(), &[]));
    assert!(
        said.contains("there is no saved state; using the one saved before it"),
        "{said}"
    );
    assert!(said.contains(", complete: nothing to play"), "{said}");
    finished.check(b"", "empty");
    let damaged = [b"{}\n".as_slice(), &finished.state].concat();
    finished.check(&damaged, "a line too many");
    assert!(succeeded(&run(&finished.file, &finished.out(), &["--fresh"])).contains("(all new)"));
    assert!(std::fs::read(finished.out().join("damaged/cells.csv")).unwrap() == finished.csv);
}

#[test]
fn states_of_another_version_are_refused_with_what_differs() {
    let finished = Finished::new();
    let changed = |from: &str, to: &str| finished.changed(from, to);
    refused(
        &changed("\"results\":1", "\"results\":0"),
        &["results version: 0 there, 1 here", "--fresh", "--out"],
    );
    let format = format!("\"format\":{FORMAT}");
    let reads = format!("reads {FORMAT}");
    refused(
        &changed(&format, "\"format\":99"),
        &["has format 99 of another version", &reads, "--fresh"],
    );
    refused(
        &changed("[[0,40]]", "[[0,41]]"),
        &["contradicts itself", "sixty-seven/", "--fresh"],
    );
    refused(
        &changed("\"seed\":67", "\"seed\":68"),
        &["seed: 68 there, 67 here", "--fresh", "--out"],
    );
    // What does not change a game is no obstacle.
    let version = format!("\"version\":\"{}\"", env!("CARGO_PKG_VERSION"));
    for (from, to) in [
        (version.as_str(), "\"version\":\"0.0.1\""),
        ("\"confidence\":\"0.95\"", "\"confidence\":\"0.9\""),
    ] {
        assert!(
            succeeded(&changed(from, to)).contains(", complete: nothing to play"),
            "{to}"
        );
        assert!(
            finished.csv == std::fs::read(finished.out().join("damaged/cells.csv")).unwrap(),
            "{to}"
        );
    }
}

/// Half points that no pair or block has, and sums that contradict each other.
#[test]
fn impossible_points_of_matches_are_refused() {
    let head = "name = \"damaged\"\nseed = 67\ngames = 40\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"3x3\"\n\
                measure = \"moves\"\nmatch = ";
    let two = Finished::of(&format!("{head}[\"random\", \"cycle\"]\n"));
    let three = Finished::of(&format!(
        "{head}[\"random\", \"cycle\", \"cycle(order=l)\"]\n"
    ));
    for (finished, from, to, words) in [
        (
            &two,
            "\"counts\":[[0,",
            "\"counts\":[[3,",
            "3 half points where 2 are the most",
        ),
        (
            &two,
            "\"counts\":[[0,",
            "\"counts\":[[9,",
            "9 half points where 2 are the most",
        ),
        (
            &two,
            "\"counts\":[[0,",
            "\"counts\":[[-1,",
            "-1 half points where 2 are the most",
        ),
        (
            &two,
            "\"measures\":[{\"sum\":\"",
            "\"measures\":[{\"sum\":\"1",
            "no 40 numbers have the sum 1",
        ),
        (
            &three,
            "\"counts\":[[0,",
            "\"counts\":[[5,",
            "5 half points where 4 are the most",
        ),
        (
            &three,
            "\"points\":[{\"sum\":\"",
            "\"points\":[{\"sum\":\"1",
            "half points where counts have",
        ),
        (
            &three,
            "\"meetings\":[{\"sum\":\"",
            "\"meetings\":[{\"sum\":\"1",
            "half points where counts have",
        ),
        (
            &three,
            "\"products\":[\"",
            "\"products\":[\"999",
            "no blocks have the sum of products 999",
        ),
        (
            &three,
            "\"differences\":[{\"sum\":\"",
            "\"differences\":[{\"sum\":\"999",
            "no 40 numbers have the sum 999",
        ),
    ] {
        let found = finished.changed(from, to);
        refused(&found, &["contradicts itself", words, "--fresh"]);
    }
}

/// Every file but the state is made again, whatever became of it.
#[test]
fn files_that_are_made_from_the_state_are_made_again() {
    let finished = Finished::new();
    let results = finished.out().join("damaged");
    let names = [
        "cells.csv",
        "distributions.csv",
        "times.csv",
        "machine.txt",
        "experiment.toml",
        "table.md",
        "report.html",
    ];
    let read = |name: &str| std::fs::read(results.join(name)).unwrap();
    let experiment = read("experiment.toml");
    let page = read("report.html");
    for damage in [
        None,
        Some(&b""[..]),
        Some(b"\x00\xff\"garbled"),
        Some(b"table,cell,games,moves,seconds,ms_per_move\n"),
    ] {
        for name in names.iter().map(|name| vec![*name]).chain([names.to_vec()]) {
            for name in &name {
                match damage {
                    None => std::fs::remove_file(results.join(name)).unwrap(),
                    Some(bytes) => std::fs::write(results.join(name), bytes).unwrap(),
                }
            }
            let said = succeeded(&run(&finished.file, &finished.out(), &[]));
            assert!(
                said.contains(", complete: nothing to play"),
                "{name:?}: {said}"
            );
            assert!(
                read("cells.csv") == finished.csv,
                "{name:?}: cells.csv differs"
            );
            assert!(
                read("experiment.toml") == experiment,
                "{name:?}: experiment.toml differs"
            );
            for name in names {
                assert!(!read(name).is_empty(), "{name} is empty");
                assert!(
                    read(name) != damage.unwrap_or_default() || name == "times.csv",
                    "{name} is as it was damaged"
                );
            }
            assert!(
                String::from_utf8(read("machine.txt"))
                    .unwrap()
                    .starts_with("command: tilelab run ")
            );
            succeeded(&tilelab(&["report", text(&results)]));
        }
    }
    assert!(!page.is_empty());
}

/// A table that claims more games than there are is damaged where its distributions have fewer.
#[test]
fn a_changed_digit_of_a_table_stops_nothing() {
    let finished = Finished::new();
    let table = finished.out().join("damaged/cells.csv");
    let text = String::from_utf8(finished.csv.clone()).unwrap();
    let changed = text.replace(",40,", ",940,");
    assert!(text != changed);
    std::fs::write(&table, changed).unwrap();
    succeeded(&run(&finished.file, &finished.out(), &[]));
    assert!(std::fs::read(&table).unwrap() == finished.csv);
}

/// Two shards, their merge, and then the undivided run over it, which has nothing left to play.
#[test]
fn a_run_goes_on_from_merged_shards() {
    let folder = folder();
    let file = write(folder.path(), "damaged.toml", EXPERIMENT);
    let out = folder.path().join("out");
    for shard in ["1/2", "2/2"] {
        succeeded(&run(&file, &out, &["--shard", shard]));
    }
    succeeded(&tilelab(&[
        "merge",
        "--out",
        text(&out),
        text(&out.join("damaged")),
    ]));
    let csv = std::fs::read(out.join("damaged/cells.csv")).unwrap();
    for _ in 0..2 {
        assert!(succeeded(&run(&file, &out, &[])).contains(", complete: nothing to play"));
        assert!(std::fs::read(out.join("damaged/cells.csv")).unwrap() == csv);
        assert!(out.join("damaged/machine.txt").exists());
    }
}

/// A link in a shared folder must not make a run write elsewhere.
#[cfg(unix)]
#[test]
fn a_lock_that_is_not_a_file_is_refused() {
    let folder = folder();
    let file = write(folder.path(), "damaged.toml", EXPERIMENT);
    let precious = write(folder.path(), "precious", "precious");
    let out = folder.path().join("out");
    let lock = out.join("damaged/.lock");
    std::fs::create_dir_all(out.join("damaged")).unwrap();
    for target in [precious.as_path(), Path::new("nowhere")] {
        std::os::unix::fs::symlink(target, &lock).unwrap();
        refused(
            &run(&file, &out, &[]),
            &[".lock: is not a regular file; remove it"],
        );
        std::fs::remove_file(&lock).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&precious).unwrap(), "precious");
    assert!(!out.join("damaged/nowhere").exists());
    // What is in a lock that is a file stays.
    std::fs::write(&lock, "text").unwrap();
    succeeded(&run(&file, &out, &[]));
    assert_eq!(std::fs::read_to_string(&lock).unwrap(), "text");
}

/// A state that never ends must not be read for ever.
#[cfg(unix)]
#[test]
fn a_state_that_is_a_device_is_refused() {
    let folder = folder();
    let file = write(folder.path(), "damaged.toml", EXPERIMENT);
    let results = folder.path().join("damaged");
    std::fs::create_dir(&results).unwrap();
    std::os::unix::fs::symlink("/dev/zero", results.join(".state")).unwrap();
    refused(
        &run(&file, folder.path(), &[]),
        &[
            ".state: the saved state is damaged",
            "not a file",
            "--fresh",
        ],
    );
}

#[cfg(unix)]
#[test]
fn paths_need_not_be_text() {
    use std::ffi::OsStr;
    use std::os::unix::ffi::OsStrExt;
    let folder = folder();
    let strange = folder.path().join(OsStr::from_bytes(b"str\xffange"));
    std::fs::create_dir(&strange).unwrap();
    let file = strange.join(OsStr::from_bytes(b"exp\xfe.toml"));
    std::fs::write(&file, EXPERIMENT).unwrap();
    for more in [&[][..], &["--shard", "1/2"], &["--shard", "2/2"]] {
        let output = command(&["run"])
            .args(more)
            .arg(&file)
            .arg("--out")
            .arg(&strange)
            .output()
            .unwrap();
        succeeded(&output);
    }
    assert!(strange.join("damaged/machine.txt").exists());
    assert!(strange.join("damaged/report.html").exists());
    let merged = strange.join("merged");
    for arguments in [
        ["merge", "--out"],
        ["report", ""],
        ["check", "--no-forecast"],
    ] {
        let mut command = command(&arguments[..1]);
        match arguments[0] {
            "merge" => command
                .arg("--out")
                .arg(&merged)
                .arg(strange.join("damaged")),
            "report" => command.arg(merged.join("damaged")),
            _ => command.arg(arguments[1]).arg(&file),
        };
        succeeded(&command.output().unwrap());
    }
}

/// A small file system of its own, unmounted at the end; `None` where mounting is refused.
struct Mounted(PathBuf);

impl Mounted {
    fn new(place: PathBuf, arguments: &[&str]) -> Option<Self> {
        std::fs::create_dir_all(&place).unwrap();
        let mounted = Command::new("mount")
            .args(arguments)
            .arg(&place)
            .stderr(Stdio::null())
            .status();
        if mounted.is_ok_and(|status| status.success()) {
            return Some(Self(place));
        }
        crate::common::skipped(
            "mount",
            "this user may not mount file systems: a full or read-only disk was not tried",
        );
        None
    }

    fn remount(&self, option: &str) {
        let status = Command::new("mount")
            .args(["-o", &format!("remount,{option}")])
            .arg(&self.0)
            .status()
            .unwrap();
        assert!(status.success(), "remounting as {option}");
    }
}

impl Drop for Mounted {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg(&self.0).status();
    }
}

/// 164 cells; a state of all of them, the state before and the one being written outgrow 100 kB.
fn larger() -> String {
    EXPERIMENT
        .replace("games = 40", "games = 400")
        .replace("step = 0.2", "step = 0.01")
        .replace("size = [", "size = [\"2x4\", ")
}

#[test]
fn a_full_disk_is_reported_and_loses_nothing() {
    let folder = folder();
    let disk = folder.path().join("disk");
    let Some(mounted) = Mounted::new(
        disk.clone(),
        &["-t", "tmpfs", "-o", "size=96k", "tilelab-test"],
    ) else {
        return;
    };
    let file = write(folder.path(), "damaged.toml", &larger());
    let whole = folder.path().join("whole");
    succeeded(&run(&file, &whole, &[]));
    let output = run(
        &file,
        &disk,
        &["--save-every", "0.01", "--kernel", "reference"],
    );
    let said = stderr(&output);
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in [
        "the state cannot be saved: ",
        "No space left on device",
        "what was saved before is kept",
    ] {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
    let state = tilelab::results::store::load(&disk.join("damaged/.state"))
        .expect("an earlier state is whole");
    let before: u64 = state.cells.iter().flatten().map(|cell| cell.games()).sum();
    assert!(before > 0, "nothing was saved before the disk was full");
    let left: Vec<_> = std::fs::read_dir(disk.join("damaged"))
        .unwrap()
        .flatten()
        .map(|entry| entry.file_name())
        .collect();
    assert!(
        left.iter()
            .all(|name| !name.to_string_lossy().ends_with(".tmp")),
        "left over: {left:?}"
    );
    // With room again, it goes on from there.
    mounted.remount("size=8m");
    let said = succeeded(&run(&file, &disk, &[]));
    assert!(
        said.replace(',', "")
            .contains(&format!("continuing after {before} games")),
        "{said}"
    );
    let read = |folder: &Path| std::fs::read(folder.join("damaged/cells.csv")).unwrap();
    assert!(read(&whole) == read(&disk));
}

/// Permission bits do not bind the superuser, so the file system itself becomes read-only.
#[test]
fn a_folder_that_becomes_read_only_is_reported_and_loses_nothing() {
    let folder = folder();
    let disk = folder.path().join("disk");
    let Some(mounted) = Mounted::new(
        disk.clone(),
        &["-t", "tmpfs", "-o", "size=8m", "tilelab-test"],
    ) else {
        return;
    };
    let file = write(folder.path(), "damaged.toml", &larger());
    let whole = folder.path().join("whole");
    succeeded(&run(&file, &whole, &[]));
    let child = command(&[
        "run",
        text(&file),
        "--out",
        text(&disk),
        "--save-every",
        "0.01",
        "--kernel",
        "reference",
    ])
    .stderr(Stdio::piped())
    .spawn()
    .expect("the binary runs");
    let start = Instant::now();
    // On a busy machine the first saved states have no games yet.
    let has_games = || {
        let state = tilelab::results::store::load(&disk.join("damaged/.state.previous"));
        state.is_ok_and(|state| state.cells.iter().flatten().any(|cell| cell.games() > 0))
    };
    while !has_games() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "nothing was saved"
        );
        std::thread::sleep(Duration::from_millis(1));
    }
    // Files open for writing keep a file system writable; a run opens them for instants only.
    let frozen = (0..500).any(|_| {
        std::thread::sleep(Duration::from_millis(1));
        Command::new("mount")
            .args(["-o", "remount,ro"])
            .arg(&disk)
            .stderr(Stdio::null())
            .status()
            .unwrap()
            .success()
    });
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert!(frozen, "the folder could not be made read-only");
    assert_eq!(output.status.code(), Some(1), "{said}");
    for word in [
        "the state cannot be saved: ",
        "Read-only file system",
        "what was saved before is kept",
    ] {
        assert!(said.contains(word), "{word:?} is not in {said}");
    }
    refused(
        &run(&file, &disk, &[]),
        &["--out", "cannot be written", "Read-only file system"],
    );
    tilelab::results::store::load(&disk.join("damaged/.state")).expect("an earlier state is whole");
    mounted.remount("rw");
    assert!(succeeded(&run(&file, &disk, &[])).contains("continuing after "));
    let read = |folder: &Path| std::fs::read(folder.join("damaged/cells.csv")).unwrap();
    assert!(read(&whole) == read(&disk));
}

/// The exit code of a command whose standard error cannot be written.
#[cfg(target_os = "linux")]
fn code_without_standard_error(arguments: &[&str]) -> Option<i32> {
    let full = std::fs::OpenOptions::new()
        .write(true)
        .open("/dev/full")
        .unwrap();
    command(arguments)
        .stdout(Stdio::null())
        .stderr(full)
        .status()
        .unwrap()
        .code()
}

#[cfg(target_os = "linux")]
#[test]
fn commands_go_on_where_standard_error_cannot_be_written() {
    let folder = folder();
    let file = write(folder.path(), "damaged.toml", EXPERIMENT);
    let out = folder.path().join("out");
    let shards = folder.path().join("shards");
    let joined = folder.path().join("joined");
    let wrong = write(
        folder.path(),
        "wrong.toml",
        &EXPERIMENT.replace("seed", "sead"),
    );
    assert_eq!(
        code_without_standard_error(&["run", text(&file), "--out", text(&out)]),
        Some(0)
    );
    for shard in ["1/2", "2/2"] {
        let arguments = ["run", text(&file), "--out", text(&shards), "--shard", shard];
        assert_eq!(code_without_standard_error(&arguments), Some(0), "{shard}");
    }
    assert_eq!(
        code_without_standard_error(&["merge", "--out", text(&joined), text(&shards)]),
        Some(0)
    );
    assert_eq!(
        code_without_standard_error(&["check", text(&wrong)]),
        Some(2)
    );
    let cells = |folder: &Path| std::fs::read(folder.join("damaged/cells.csv")).unwrap();
    assert_eq!(cells(&out), cells(&joined));
}
