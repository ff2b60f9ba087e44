//! A kill or an error at every file-system call of a small run, merge, report and export, by the
//! system-call injection of `strace`, and allocations that fail. The same command started again
//! must then end with all files and the right bytes.
//!
//! `TILELAB_ALLOCATIONS=1000` lets 1,000 allocations of each command fail, one at a time; by
//! default few do.

use crate::allocator;
use crate::common::{copy, folder, skipped, stderr, stdout, succeeded, text, tilelab, write};
use crate::effort::times;
use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};
use std::process::{Command, ExitCode, Output};
use tilelab::cli::Cli;

const EXPERIMENT: &str = r#"
name = "tiny"
seed = 67
games = 6
[[table]]
title = "t"
game = "sixty-seven"
size = ["2x2", "2x3"]
published = "figures.csv"
"#;
const FIGURES: &str = "table,rows,cols,games,wins\nt,2,2,1000,3\n";

/// System calls that reach files; a question mark allows for machines that lack a call.
const CALLS: &str = "?open,?openat,?creat,?read,?pread64,?write,?writev,?pwrite64,?ftruncate,?copy_file_range,?sendfile,?fsync,\
    ?fdatasync,?flock,?fchmod,?chmod,?fchmodat,?mkdir,?mkdirat,?link,?linkat,?rename,?renameat,?renameat2,?unlink,?unlinkat,\
    ?stat,?newfstatat,?statx,?getdents64,?readlink";

/// Files that tell how long the games took, or where and when: only their presence is checked.
const DATED: [&str; 5] = [
    "machine.txt",
    "report.html",
    "times.csv",
    ".weights.csv",
    ".state",
];

/// A command and the folder that it starts from.
struct Scene {
    folder: tempfile::TempDir,
    arguments: Vec<String>,
    /// What the folder `out` holds before the command; `None` for nothing.
    before: Option<PathBuf>,
    /// What the folder `out` holds after the undisturbed command.
    after: BTreeMap<String, Vec<u8>>,
}

/// The n-th call (from 1) of this name in a thread.
#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Point {
    call: String,
    number: usize,
    /// Whether the file could be changed by the call.
    changes: bool,
}

impl Scene {
    /// `prepare` are commands whose results lie in `out` before the command, without the files
    /// named in `remove`. `{}` in arguments stands for the scene's folder.
    fn new(prepare: &[&[&str]], remove: &[&str], arguments: &[&str]) -> Self {
        let folder = folder();
        write(folder.path(), "figures.csv", FIGURES);
        write(folder.path(), "tiny.toml", EXPERIMENT);
        let place = |arguments: &[&str]| -> Vec<String> {
            arguments
                .iter()
                .map(|argument| argument.replace("{}", text(folder.path())))
                .collect()
        };
        for arguments in prepare {
            let arguments = place(arguments);
            succeeded(&tilelab(
                &arguments.iter().map(String::as_str).collect::<Vec<_>>(),
            ));
        }
        let out = folder.path().join("out");
        for name in remove {
            std::fs::remove_file(out.join("tiny").join(name)).unwrap();
        }
        let before = (!prepare.is_empty()).then(|| folder.path().join("before"));
        if let Some(before) = &before {
            copy(&out, before);
        }
        let arguments = place(arguments);
        let mut scene = Self {
            folder,
            arguments,
            before,
            after: BTreeMap::new(),
        };
        succeeded(&scene.again());
        scene.after = scene.files();
        scene
    }

    fn out(&self) -> PathBuf {
        self.folder.path().join("out")
    }

    fn reset(&self) {
        let _ = std::fs::remove_dir_all(self.out());
        if let Some(before) = &self.before {
            copy(before, &self.out());
        }
    }

    fn again(&self) -> Output {
        tilelab(
            &self
                .arguments
                .iter()
                .map(String::as_str)
                .collect::<Vec<_>>(),
        )
    }

    fn traced(&self, options: &[&str]) -> Output {
        let mut command = Command::new("strace");
        command
            .args(["-f", "--seccomp-bpf"])
            .args(options)
            .arg(env!("CARGO_BIN_EXE_tilelab"))
            .args(&self.arguments);
        command
            .current_dir(env!("CARGO_MANIFEST_DIR"))
            .output()
            .expect("strace runs")
    }

    /// All visible files below `out`, and the hidden ones that should not be there.
    fn files(&self) -> BTreeMap<String, Vec<u8>> {
        let mut found = BTreeMap::new();
        collect(&self.out(), "", &mut found);
        found.retain(|name, _| {
            let last = name.rsplit('/').next().unwrap_or(name);
            ![".lock", ".state", ".state.previous", "times.md"].contains(&last)
        });
        found
    }

    /// The calls of the undisturbed command that reach the scene's folder.
    fn points(&self) -> BTreeSet<Point> {
        self.reset();
        let log = self.folder.path().join("log");
        let output = self.traced(&[
            "-y",
            "-ff",
            "-o",
            text(&log),
            "-e",
            &format!("trace={CALLS}"),
        ]);
        succeeded(&output);
        let here = text(self.folder.path());
        let mut points = BTreeSet::new();
        for entry in std::fs::read_dir(self.folder.path()).unwrap() {
            let path = entry.unwrap().path();
            if !path
                .file_name()
                .is_some_and(|name| name.to_string_lossy().starts_with("log."))
            {
                continue;
            }
            let mut counts = BTreeMap::<String, usize>::new();
            for line in std::fs::read_to_string(&path).unwrap().lines() {
                let Some((call, rest)) = line.split_once('(') else {
                    continue;
                };
                let number = counts.entry(call.to_owned()).or_default();
                *number += 1;
                // Messages are no files.
                let is_file = !rest.starts_with("1<") && !rest.starts_with("2<");
                if is_file && rest.contains(here) {
                    let reads = [
                        "read",
                        "pread64",
                        "stat",
                        "newfstatat",
                        "statx",
                        "getdents64",
                        "readlink",
                        "flock",
                    ];
                    let changes = !reads.contains(&call)
                        && (!call.starts_with("open") || rest.contains("O_CREAT"));
                    points.insert(Point {
                        call: call.to_owned(),
                        number: *number,
                        changes,
                    });
                }
            }
            std::fs::remove_file(path).unwrap();
        }
        points
    }

    /// What is wrong with the files, compared with those of the undisturbed command.
    fn difference(&self) -> Option<String> {
        let found = self.files();
        // A note of progress that could not be removed means nothing once the lock is free.
        let names = |files: &BTreeMap<String, Vec<u8>>| -> BTreeSet<String> {
            let names = files.keys().filter(|name| !name.ends_with("/.live"));
            names.cloned().collect()
        };
        let found_names = names(&found);
        let names = names(&self.after);
        if found_names != names {
            let missing: Vec<_> = names.difference(&found_names).collect();
            let added: Vec<_> = found_names.difference(&names).collect();
            return Some(format!(
                "missing files: {missing:?}, additional files: {added:?}"
            ));
        }
        let is_dated = |name: &str| DATED.iter().any(|dated| name.ends_with(dated));
        let differs = |(name, bytes): &(&String, &Vec<u8>)| {
            if is_dated(name) {
                bytes.is_empty()
            } else {
                self.after.get(*name).is_some_and(|wanted| wanted != *bytes)
            }
        };
        let different: Vec<_> = found.iter().filter(differs).map(|(name, _)| name).collect();
        (!different.is_empty()).then(|| format!("wrong bytes: {different:?}"))
    }

    /// Injects one fault and starts the command again; what went wrong, if anything.
    fn check(&self, fault: &str, is_kill: bool) -> Option<String> {
        self.reset();
        let call = fault.split(':').next().unwrap();
        let options = [
            "-o",
            "/dev/null",
            "-e",
            &format!("trace={call}"),
            "-e",
            &format!("inject={fault}"),
        ];
        let output = self.traced(&options);
        let said = format!("{}{}", stdout(&output), stderr(&output));
        let code = output.status.code();
        if !is_kill {
            if !matches!(code, Some(0..=2)) || said.contains("panicked") {
                return Some(format!("{fault}: the command ended with {code:?}: {said}"));
            }
            // Each thread counts its own calls: the first write of the main one may be the message.
            let may_be_message = fault.starts_with("write:") && fault.ends_with(":when=1");
            if code != Some(0) && !said.contains("error: ") && !may_be_message {
                return Some(format!(
                    "{fault}: exit code {code:?} without a message: {said:?}"
                ));
            }
            if code == Some(0)
                && let Some(difference) = self.difference()
            {
                return Some(format!(
                    "{fault}: exit code 0, but {difference}; it said {said:?}"
                ));
            }
        }
        let again = self.again();
        if again.status.code() != Some(0) {
            return Some(format!(
                "{fault}: started again: {:?}: {}",
                again.status.code(),
                stderr(&again)
            ));
        }
        let difference = self.difference()?;
        Some(format!(
            "{fault}: started again: {difference}; first it had said {said:?}"
        ))
    }
}

fn collect(folder: &Path, prefix: &str, found: &mut BTreeMap<String, Vec<u8>>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = format!("{prefix}{}", path.file_name().unwrap().to_string_lossy());
        if path.is_dir() {
            collect(&path, &format!("{name}/"), found);
        } else {
            found.insert(name, std::fs::read(&path).unwrap());
        }
    }
}

/// The errors that a call can end with.
fn errors(point: &Point) -> &'static [&'static str] {
    match point.call.as_str() {
        "write" | "writev" | "pwrite64" | "ftruncate" | "fsync" | "fdatasync" => &["ENOSPC", "EIO"],
        "read" | "pread64" | "flock" | "getdents64" => &["EIO"],
        _ if point.changes => &["ENOSPC", "EIO", "EACCES"],
        _ => &["EIO", "EACCES"],
    }
}

fn check(what: &str, prepare: &[&[&str]], remove: &[&str], arguments: &[&str]) {
    let probe = Command::new("strace")
        .args(["-f", "--seccomp-bpf", "-o", "/dev/null", "true"])
        .output();
    if !probe.is_ok_and(|output| output.status.success()) {
        skipped("strace", "faults at every file-system call were not tried");
        return;
    }
    let scenes: [Scene; 2] = std::array::from_fn(|_| Scene::new(prepare, remove, arguments));
    let points = scenes[0].points();
    assert!(
        points.iter().any(|point| point.changes),
        "{what}: no file-system call was found"
    );
    let mut faults = Vec::new();
    for (at, point) in points.iter().enumerate() {
        let Point {
            call,
            number,
            changes,
        } = point;
        let mut own: Vec<_> = errors(point)
            .iter()
            .map(|error| (format!("{call}:error={error}:when={number}"), false))
            .collect();
        if *changes {
            own.push((format!("{call}:signal=KILL:when={number}"), true));
        }
        // One fault of every second call, each time another one; in longer runs of the tests all.
        if times(1) == 1 {
            let first = at / 2 % own.len();
            own.rotate_left(first);
            own.truncate(1 - at % 2);
        }
        faults.extend(own);
    }
    let wrong_in = |number: usize| -> Vec<String> {
        let own = faults.iter().skip(number).step_by(scenes.len());
        own.filter_map(|(fault, is_kill)| scenes[number].check(fault, *is_kill))
            .collect()
    };
    let wrong = std::thread::scope(|scope| {
        let second = scope.spawn(|| wrong_in(1));
        let first = wrong_in(0);
        [first, second.join().expect("the checks do not panic")].concat()
    });
    println!(
        "{what}: {} file-system calls, {} faults, {} went wrong",
        points.len(),
        faults.len(),
        wrong.len()
    );
    assert!(
        wrong.is_empty(),
        "{what}: {} of {} faults:\n{}",
        wrong.len(),
        faults.len(),
        wrong.join("\n")
    );
}

const RUN: &[&str] = &[
    "run",
    "{}/tiny.toml",
    "--out",
    "{}/out",
    "--threads",
    "1",
    "--quiet",
];
const SHARDS: [&[&str]; 2] = [
    &[
        "run",
        "{}/tiny.toml",
        "--out",
        "{}/out",
        "--threads",
        "1",
        "--quiet",
        "--shard",
        "1/2",
    ],
    &[
        "run",
        "{}/tiny.toml",
        "--out",
        "{}/out",
        "--threads",
        "1",
        "--quiet",
        "--shard",
        "2/2",
    ],
];

#[test]
fn a_run_survives_every_fault() {
    check("run", &[], &[], RUN);
}

#[test]
fn a_finished_run_survives_every_fault() {
    check("run once more", &[RUN], &["table.md"], RUN);
}

#[test]
fn a_merge_survives_every_fault() {
    check(
        "merge",
        &SHARDS,
        &[],
        &["merge", "--out", "{}/out", "{}/out/tiny"],
    );
}

#[test]
fn a_run_of_merged_parts_survives_every_fault() {
    let merge: &[&str] = &["merge", "--out", "{}/out", "{}/out/tiny"];
    check(
        "run after a merge",
        &[SHARDS[0], SHARDS[1], merge],
        &[],
        RUN,
    );
}

#[test]
fn a_training_survives_every_fault() {
    // One set of rules: each further one doubles the calls and the time of each training.
    let rules = ["learn", "--game", "67", "--set", "size=2x2", "--games", "2"];
    let options = ["--threads", "1", "--quiet", "--out", "{}/out/tiny.weights"];
    check("learn", &[RUN], &[], &[&rules[..], &options].concat());
}

#[test]
fn a_report_survives_every_fault() {
    check(
        "report",
        &[RUN],
        &["table.md", "report.html"],
        &["report", "{}/out/tiny"],
    );
}

#[test]
fn an_export_survives_every_fault() {
    check(
        "report",
        &[RUN],
        &[],
        &["report", "{}/out/tiny", "--format", "json"],
    );
}

/// Allocations of each command that fail, without `TILELAB_ALLOCATIONS`.
const ALLOCATIONS: u64 = 6;

/// What a child process of [`check_allocations`] does.
#[test]
fn one_command() {
    let Ok(arguments) = std::env::var("TILELAB_ALLOCATION_COMMAND") else {
        return;
    };
    let number = std::env::var("TILELAB_ALLOCATION_FAILS").unwrap();
    let number = number.parse().expect("a number");
    let words = ["tilelab"].into_iter().chain(arguments.split(' '));
    let cli = Cli::read(words).expect("the arguments are right");
    let (code, made) = allocator::failing(number, || cli.execute());
    eprintln!("allocations: {made}");
    assert_eq!(code, ExitCode::SUCCESS);
}

/// Lets allocations all over a command fail: it may end, but started again it makes all files.
fn check_allocations(what: &str, prepare: &[&[&str]], arguments: &[&str]) {
    let scene = Scene::new(prepare, &[], arguments);
    let child = |number: u64| {
        let mut command = Command::new(std::env::current_exe().unwrap());
        command
            .args(["--exact", "runs::faults::one_command", "--nocapture"])
            .env("TILELAB_ALLOCATION_COMMAND", scene.arguments.join(" "))
            .env("TILELAB_ALLOCATION_FAILS", number.to_string());
        command.output().unwrap()
    };
    scene.reset();
    let undisturbed = stderr(&child(u64::MAX - 1));
    let made = undisturbed
        .lines()
        .find_map(|line| line.split_once("allocations: "));
    let made: u64 = made.expect("the child counts").1.parse().unwrap();
    assert_eq!(scene.difference(), None, "{what}: undisturbed");
    let points = std::env::var("TILELAB_ALLOCATIONS");
    let points = points.map_or(ALLOCATIONS, |points| points.parse().expect("a number"));
    let points = points.min(made);
    let mut ended = 0;
    for point in 0..points {
        let number = made - (made - 1) * point / points;
        scene.reset();
        let output = child(number);
        ended += u64::from(!output.status.success());
        let again = scene.again();
        assert!(
            again.status.success(),
            "{what}: after allocation {number} of {made} failed: {}",
            stderr(&again)
        );
        let difference = scene.difference();
        assert_eq!(
            difference, None,
            "{what}: after allocation {number} of {made} failed"
        );
    }
    assert!(
        2 * ended > points,
        "{what}: {ended} of {points} failures ended it"
    );
    println!("{what}: {made} allocations, {points} failed, {ended} ended the command");
}

#[test]
fn a_run_survives_failing_allocations() {
    check_allocations("run", &[], RUN);
    check_allocations("run once more", &[RUN], RUN);
}

#[test]
fn a_merge_survives_failing_allocations() {
    let merge = ["merge", "--out", "{}/out", "{}/out/tiny"];
    check_allocations("merge", &SHARDS, &merge);
}

#[test]
fn a_report_survives_failing_allocations() {
    check_allocations("report", &[RUN], &["report", "{}/out/tiny"]);
}
