//! The fuzz targets of `fuzz/targets.rs` on stable: over their corpora and over seeded mutations of
//! them.
//!
//! Each target runs in a process of its own, so that aborts, endless loops and hoarded memory are
//! seen as well as panics: no input may take 64 MB more than the valid ones of the corpus.
//! `TILELAB_FUZZ_SECONDS=600` mutates for that long for each target instead of a fixed number of
//! times.

use crate::allocator;
use crate::common::{folder, succeeded, temporary, text, tilelab, write};
use crate::effort::times;
use expect_test::expect_file;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};
use std::sync::Mutex;
use std::time::{Duration, Instant};
use tilelab::rng::{Draw, SeedableRng, Stream};

#[path = "../../fuzz/targets.rs"]
mod targets;

/// Mutations of a target without `TILELAB_FUZZ_SECONDS`: fewer where each is a whole command.
fn mutations(target: &str) -> u64 {
    times(match target {
        "training" | "records" | "numbers" | "results" | "state" => 120,
        _ => 300,
    })
}

/// An input that takes longer hangs: without the guard a loop without end would end nothing.
const HANG: Duration = Duration::from_secs(120);

/// What an input may take besides what a valid one takes, in bytes.
const MEMORY: usize = 64 << 20;

fn corpus(target: &str) -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("fuzz/corpus")
        .join(target)
}

fn seeds(target: &str) -> Vec<Vec<u8>> {
    let mut paths: Vec<PathBuf> = std::fs::read_dir(corpus(target))
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    paths.sort();
    paths
        .iter()
        .map(|path| std::fs::read(path).unwrap())
        .collect()
}

/// Words that inputs are made of, and numbers at the edges of their types: a dictionary of
/// libFuzzer, which takes printable ASCII alone.
fn dictionary() -> Vec<Vec<u8>> {
    let text = std::fs::read_to_string(corpus("..").join("dictionary")).unwrap();
    let word = |line: &str| Some(unescaped(line.strip_prefix('"')?.strip_suffix('"')?));
    text.lines().filter_map(word).collect()
}

/// The bytes of a word of a dictionary.
fn unescaped(mut word: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    while let Some(first) = word.chars().next() {
        assert!(matches!(first, ' '..='~'), "libFuzzer refuses {word:?}");
        let escaped = word.strip_prefix('\\').map(|rest| rest.split_at(1));
        word = match escaped {
            Some(("x", rest)) => {
                let (byte, rest) = rest.split_at(2);
                bytes.push(u8::from_str_radix(byte, 16).unwrap());
                rest
            }
            Some((quoted, rest)) => {
                bytes.extend(quoted.bytes());
                rest
            }
            None => {
                bytes.push(first as u8);
                &word[1..]
            }
        };
    }
    bytes
}

/// Cuts, doubles, flips and replaces parts of an input, one to four times.
fn mutate(draw: &mut Stream, input: &mut Vec<u8>, other: &[u8], words: &[Vec<u8>]) {
    let mut below = |limit: usize| Draw::next(draw).below(limit.max(1) as u64) as usize;
    for _ in 0..1 + below(4) {
        let start = below(input.len() + 1);
        let end = (start + below(24)).min(input.len());
        match below(8) {
            0 => drop(input.drain(start..end)),
            1 => {
                let part = input[start..end].to_vec();
                input.splice(start..start, part);
            }
            2 if end > start => input[start] ^= 1 << below(8),
            3 => {
                let from = below(other.len());
                let part = other[from..(from + below(60)).min(other.len())].to_vec();
                input.splice(start..end, part);
            }
            4 => {
                let word = words[below(words.len())].clone();
                input.splice(start..start, word);
            }
            // One word in place of another: this keeps the form of the input.
            _ => {
                let is_word = |byte: &u8| byte.is_ascii_alphanumeric() || b"._-+".contains(byte);
                let Some(begin) = input[start..].iter().position(is_word).map(|at| start + at)
                else {
                    continue;
                };
                let length = input[begin..]
                    .iter()
                    .take_while(|byte| is_word(byte))
                    .count();
                let word = words[below(words.len())].clone();
                input.splice(begin..begin + length, word);
            }
        }
    }
    input.truncate(64 << 10);
}

/// What a child process does; see [`fuzz`].
#[test]
fn one_target() {
    let Ok(name) = std::env::var("TILELAB_FUZZ_TARGET") else {
        return;
    };
    let (_, target) = targets::TARGETS
        .iter()
        .find(|(known, _)| *known == name)
        .expect("a target");
    let input_file =
        PathBuf::from(std::env::var_os("TILELAB_FUZZ_INPUT").expect("where to keep the input"));
    static BEGUN: Mutex<Option<Instant>> = Mutex::new(None);
    std::thread::spawn(|| {
        loop {
            std::thread::sleep(Duration::from_secs(1));
            if BEGUN
                .lock()
                .unwrap()
                .is_some_and(|begun| begun.elapsed() > HANG)
            {
                eprintln!("the input takes more than {HANG:?}");
                std::process::abort();
            }
        }
    });
    let mut executions = 0_u64;
    let mut execute = |input: &[u8]| {
        std::fs::write(&input_file, input).unwrap();
        *BEGUN.lock().unwrap() = Some(Instant::now());
        target(input);
        *BEGUN.lock().unwrap() = None;
        executions += 1;
    };
    let seeds = seeds(&name);
    let most = seeds.iter().map(|seed| allocator::held(|| execute(seed)));
    let most = most.max().expect("a corpus");
    let words = dictionary();
    let seconds = std::env::var("TILELAB_FUZZ_SECONDS")
        .ok()
        .map(|seconds| seconds.parse().expect("a number"));
    let seed =
        std::env::var("TILELAB_FUZZ_SEED").map_or(67, |seed| seed.parse().expect("a number"));
    let mut draw = Stream::seed_from_u64(seed);
    let begun = Instant::now();
    let mut done = 0;
    while seconds.map_or(done < mutations(&name), |seconds| {
        begun.elapsed() < Duration::from_secs(seconds)
    }) {
        let mut pick = || &seeds[Draw::next(&mut draw).below(seeds.len() as u64) as usize];
        let mut input = pick().clone();
        let other = pick();
        mutate(&mut draw, &mut input, other, &words);
        // What earlier inputs left in caches is not this one's.
        allocator::limit(MEMORY + most);
        execute(&input);
        done += 1;
    }
    let most = most >> 20;
    eprintln!("fuzz target {name}: {executions} executions; valid inputs take {most} MB");
}

/// Runs a target in a process of its own; its last input is kept where it fails.
fn fuzz(target: &str) {
    let input = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("fuzz-{target}"));
    let one_target = [
        "--exact",
        "fuzz::one_target",
        "--nocapture",
        "--test-threads",
        "1",
    ];
    let output = Command::new(std::env::current_exe().unwrap())
        .args(one_target)
        .env("TILELAB_FUZZ_TARGET", target)
        .env("TILELAB_FUZZ_INPUT", &input)
        .env("TMPDIR", temporary())
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .output()
        .unwrap();
    let said = String::from_utf8_lossy(&output.stderr);
    let lines: Vec<&str> = said.lines().collect();
    let last = lines[lines.len().saturating_sub(30)..].join("\n");
    assert!(
        output.status.success(),
        "{target}: {:?} with the input {}:\n{last}",
        output.status,
        input.display()
    );
    let summary = format!("fuzz target {target}: ");
    println!(
        "{}",
        lines
            .iter()
            .find(|line| line.starts_with(&summary))
            .expect("the child counts its executions")
    );
}

#[test]
fn experiments_are_refused_or_every_key_is_a_setting() {
    fuzz("experiment");
}

#[test]
fn results_are_refused_or_reported() {
    fuzz("results");
}

#[test]
fn states_are_refused_or_continued() {
    fuzz("state");
}

#[test]
fn requests_for_moves_are_refused_or_answered() {
    fuzz("moves");
}

#[test]
fn logs_of_offset_are_refused_or_replayed() {
    fuzz("offset_log");
}

#[test]
fn levels_are_refused_or_solved() {
    fuzz("levels");
}

#[test]
fn weights_are_refused_or_played_with() {
    fuzz("weights");
}

#[test]
fn trainings_are_refused_or_continued() {
    fuzz("training");
}

#[test]
fn records_of_games_are_used_or_made_again() {
    fuzz("records");
}

#[test]
fn numbers_are_refused_or_answered() {
    fuzz("numbers");
}

/// The seeds that the program writes are those it writes now; set UPDATE_EXPECT to write them anew.
#[test]
fn seeds_are_current() {
    let folder = folder();
    let figures = "table,rows,cols,games,wins\nt,2,2,1000,3\n";
    write(folder.path(), "figures.csv", figures);
    let state = write(folder.path(), "state.toml", targets::STATE_EXPERIMENT);
    let published =
        targets::STATE_EXPERIMENT.replace("\"2x3\"]\n", "\"2x3\"]\npublished = \"figures.csv\"\n");
    let results = write(folder.path(), "results.toml", &published);
    let play = |file: &Path, out: &str, more: &[&str]| {
        let out = folder.path().join(out);
        let mut arguments = vec![
            "run",
            text(file),
            "--out",
            text(&out),
            "--threads",
            "1",
            "--quiet",
        ];
        arguments.extend(more);
        succeeded(&tilelab(&arguments));
        out.join("state")
    };
    let whole = play(&state, "whole", &[]);
    for shard in ["1/2", "2/2"] {
        play(&state, "shards", &["--shard", shard]);
    }
    let published = play(&results, "published", &[]);
    let read = |path: PathBuf| std::fs::read_to_string(path).unwrap();
    // Without the last line, the checksum.
    let body = |path: PathBuf| {
        let state = read(path);
        format!("{}\n", state.trim_end().rsplit_once('\n').unwrap().0)
    };
    let shards = [1, 2].map(|index| {
        body(
            folder
                .path()
                .join(format!("shards/state/shard-{index}-of-2/.state")),
        )
    });
    let tables = ["cells.csv", "distributions.csv", "published.csv"];
    let tables = tables
        .map(|name| format!("=== {name}\n{}", read(published.join(name))))
        .concat();
    let times = "=== times.csv\ntable,cell,games,moves,seconds,ms_per_move\n";
    for (name, expected) in [
        (
            "state/run",
            format!("=== whole\n{}", body(whole.join(".state"))),
        ),
        (
            "state/shards",
            format!("=== first\n{}=== second\n{}", shards[0], shards[1]),
        ),
        ("results/run", format!("{tables}{times}")),
    ] {
        expect_file![corpus(name)].assert_eq(&expected);
    }
}
