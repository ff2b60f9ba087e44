//! Runs that are killed, interrupted or started twice: nothing is torn, nothing is lost, and the
//! end has the same bytes.
//!
//! `TILELAB_KILLS=50` sets how often the killed run is killed; without it, 12 times.

use crate::common::{
    command, folder, heed_hang_ups, play, refused, stderr, succeeded, text, tilelab, write,
};
use std::fs::File;
use std::path::Path;
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};
use tilelab::rng::{Draw, SeedableRng, Stream};

/// 60 cells, some with stopping rules.
fn sixty_cells(games: u64) -> String {
    format!(
        r#"
name = "killed"
seed = 67
games = {games}
[[table]]
title = "fixed"
game = "sixty-seven"
rules = ["original", "gapless", "merge-pairs"]
size = ["2x3", "3x3"]
operators = ["+-", "+-*"]
operator_rate = {{ from = 0.3, to = 0.6, step = 0.1 }}
[[table]]
title = "adaptive"
game = "sixty-seven"
size = ["2x3", "3x3"]
target = [0, 1, 2, 9, 10, 66]
stop = {{ half_width = 0.012, max_games = {games} }}
"#
    )
}

fn start(file: &Path, out: &Path, more: &[&str]) -> Child {
    // The slow engine, so that there is something to interrupt.
    let mut arguments = vec![
        "run",
        text(file),
        "--out",
        text(out),
        "--threads",
        "2",
        "--kernel",
        "reference",
    ];
    arguments.extend(more);
    command(&arguments)
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs")
}

fn signal(child: &Child, name: &str) {
    let sent = Command::new("kill")
        .args([&format!("-{name}"), &child.id().to_string()])
        .status()
        .unwrap();
    assert!(sent.success(), "kill -{name}");
}

/// Waits until the run has saved a state, or has ended.
fn wait_for(path: &Path, child: &mut Child) {
    let start = Instant::now();
    while !path.exists() && child.try_wait().unwrap().is_none() {
        assert!(
            start.elapsed() < Duration::from_secs(120),
            "{} did not come",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

/// Every results file that exists is whole.
fn check_whole(results: &Path) {
    if let Ok(csv) = std::fs::read(results.join("cells.csv")) {
        let mut reader = csv::Reader::from_reader(csv.as_slice());
        let columns = reader.headers().unwrap().len();
        assert!(
            csv.ends_with(b"\n") && reader.records().all(|row| row.unwrap().len() == columns),
            "torn cells.csv"
        );
    }
    for name in [".state", ".state.previous"] {
        let path = results.join(name);
        if path.exists() {
            tilelab::results::store::load(&path).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

/// Besides the results and the states, nothing is in the folder.
fn nothing_half_written(results: &Path) {
    let names = std::fs::read_dir(results)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap());
    let left: Vec<String> = names
        .filter(|name| {
            name.starts_with('.')
                && ![".state", ".state.previous", ".lock"].contains(&name.as_str())
        })
        .collect();
    assert!(left.is_empty(), "left over: {left:?}");
}

/// `timeout` sends its signal to the process and to its group: the second one ended the run before
/// its save.
#[test]
fn a_signal_that_comes_more_than_once_lets_the_run_save() {
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(1_000_000));
    let mut child = start(&file, folder.path(), &["--save-every", "0.05"]);
    wait_for(&folder.path().join("killed/.state"), &mut child);
    let script = "for _ in 1 2 3 4 5 6 7 8; do kill -INT $0 && sleep 0.002; done";
    let id = child.id().to_string();
    let mut sent = Command::new("sh");
    sent.args(["-c", script, &id]).stderr(Stdio::null());
    sent.status().unwrap();
    let ended = child.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130));
    let told = stderr(&ended);
    assert!(told.contains("interrupted; the state is saved"), "{told}");
}

#[test]
fn a_run_killed_at_random_instants_ends_with_the_same_bytes() {
    let kills: u64 = std::env::var("TILELAB_KILLS").map_or(12, |kills| {
        kills.parse().expect("TILELAB_KILLS is a number")
    });
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(700));
    let whole = folder.path().join("whole");
    let out = folder.path().join("out");
    let begun = Instant::now();
    let whole_run = [
        "run",
        text(&file),
        "--out",
        text(&whole),
        "--quiet",
        "--kernel",
        "reference",
    ];
    succeeded(&tilelab(&whole_run));
    let whole_time = begun.elapsed();
    let results = out.join("killed");
    let mut stream = Stream::seed_from_u64(67);
    for kill in 0..kills {
        // Saving every few milliseconds, so that kills meet all parts of a save and leave work
        // behind.
        let mut child = start(&file, &out, &["--quiet", "--save-every", "0.005"]);
        let span = (whole_time.as_micros() as u64 * 2 / kills.max(4)).max(20_000);
        if kill == 0 {
            wait_for(&results.join(".state"), &mut child);
        } else {
            std::thread::sleep(Duration::from_micros(Draw::next(&mut stream).below(span)));
        }
        child.kill().unwrap();
        child.wait().unwrap();
        check_whole(&results);
        assert!(
            results.join(".state").exists(),
            "kill {kill} lost the saved state"
        );
    }
    play(&file, &out, &[]);
    let read = |folder: &Path| std::fs::read(folder.join("killed/cells.csv")).unwrap();
    assert!(
        read(&whole) == read(&out),
        "cells.csv differs from that of an undisturbed run"
    );
    nothing_half_written(&results);
}

/// What a kill between two steps of a save leaves, made on purpose: both names on one file, and its
/// third name.
#[test]
fn a_run_killed_between_two_steps_of_a_save_leaves_nothing_behind() {
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(50));
    let run = ["run", text(&file), "--out", text(folder.path()), "--quiet"];
    succeeded(&tilelab(&run));
    let results = folder.path().join("killed");
    let state = results.join(".state");
    let previous = results.join(".state.previous");
    let _ = std::fs::remove_file(&previous);
    std::fs::hard_link(&state, &previous).unwrap();
    let saved = tilelab::results::store::load(&state).unwrap();
    tilelab::results::store::save(&saved, &state).unwrap();
    check_whole(&results);
    assert!(previous.exists());
    nothing_half_written(&results);
    // Killed before the third name was given away, and never saved again.
    for name in [".tilelab-kept.tmp", ".tilelab-a1B2c3.tmp"] {
        std::fs::hard_link(&state, results.join(name)).unwrap();
    }
    succeeded(&tilelab(&run));
    check_whole(&results);
    nothing_half_written(&results);
}

#[test]
fn signals_save_and_end_with_130_and_the_run_continues() {
    heed_hang_ups();
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(20_000));
    let whole = folder.path().join("whole");
    play(&file, &whole, &[]);
    for name in ["INT", "TERM", "HUP"] {
        let out = folder.path().join(name);
        // The slow engine has seconds of work left when it first saves.
        let mut child = start(&file, &out, &["--save-every", "0.05"]);
        wait_for(&out.join("killed/.state"), &mut child);
        signal(&child, name);
        let ended = child.wait_with_output().unwrap();
        assert_eq!(
            ended.status.code(),
            Some(130),
            "SIG{name}: {}",
            stderr(&ended)
        );
        assert!(
            stderr(&ended)
                .contains("interrupted; the state is saved, run the same command to continue")
        );
        let again = tilelab(&["run", text(&file), "--out", text(&out)]);
        let said = succeeded(&again);
        assert!(said.contains("killed: continuing after "), "{said}");
        let read = |folder: &Path| std::fs::read(folder.join("killed/cells.csv")).unwrap();
        assert!(read(&whole) == read(&out), "SIG{name}: cells.csv differs");
    }
}

#[test]
fn a_second_run_on_one_folder_is_refused() {
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(1_000_000));
    let out = folder.path().join("out");
    let mut child = start(&file, &out, &["--save-every", "0.05"]);
    // The lock is held when the first state is saved.
    wait_for(&out.join("killed/.state"), &mut child);
    refused(
        &tilelab(&["run", text(&file), "--out", text(&out)]),
        &["another run is writing here", "--out"],
    );
    // A part of it goes to a folder of its own.
    let part = [
        "run",
        text(&file),
        "--out",
        text(&out),
        "--shard",
        "1/1000000",
        "--quiet",
    ];
    succeeded(&tilelab(&part));
    signal(&child, "INT");
    assert_eq!(child.wait().unwrap().code(), Some(130));
    refused(
        &tilelab(&["run", text(&file), "--out", text(&out), "--seed", "5"]),
        &["seed: 67 there, 5 here"],
    );
    // Refused before anything is played, even as the second of two.
    let first = write(
        folder.path(),
        "first.toml",
        &sixty_cells(10).replace("killed", "first"),
    );
    let other = write(
        folder.path(),
        "other.toml",
        &sixty_cells(999_999).replace("seed = 67", "seed = 5"),
    );
    refused(
        &tilelab(&["run", text(&first), text(&other), "--out", text(&out)]),
        &["saved by another run"],
    );
    assert!(!out.join("first/cells.csv").exists());
}

#[test]
fn starting_over_forgets_the_saved_state() {
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(200));
    let out = folder.path().join("out");
    let run = |more: &[&str]| {
        let mut arguments = vec!["run", text(&file), "--out", text(&out)];
        arguments.extend(more);
        let output = tilelab(&arguments);
        succeeded(&output)
    };
    assert!(run(&[]).contains("(all new)"));
    let said = run(&[]);
    assert!(
        said.contains(" games, complete: nothing to play; results in ")
            && !said.contains("continuing"),
        "{said}"
    );
    assert!(run(&["--fresh"]).contains("(all new)"));
    assert!(run(&["--fresh", "--games", "10"]).contains("(all new)"));
}

/// A run as in `nohup tilelab run … > log &`: lines and a summary in the log, and the end of the
/// terminal does not matter.
#[test]
fn a_log_has_lines_and_a_summary() {
    let folder = folder();
    let file = write(folder.path(), "killed.toml", &sixty_cells(1_500));
    let out = folder.path().join("out");
    let log = folder.path().join("log");
    let script = "trap '' HUP; exec \"$0\" run \"$1\" --threads 1 --kernel reference --out \"$2\" --line-every 0.1 2> \"$3\" > \"$3.tables\"";
    let mut child = Command::new("sh")
        .args([
            "-c",
            script,
            env!("CARGO_BIN_EXE_tilelab"),
            text(&file),
            text(&out),
            text(&log),
        ])
        .stdin(File::open("/dev/null").unwrap())
        .spawn()
        .unwrap();
    wait_for(&out.join("killed/.lock"), &mut child);
    std::thread::sleep(Duration::from_millis(200));
    signal(&child, "HUP");
    assert!(child.wait().unwrap().success());
    let log = std::fs::read_to_string(log).unwrap();
    let lines: Vec<&str> = log.lines().collect();
    assert!(lines[0].starts_with("killed: 60 cells on "), "{log}");
    assert!(lines.len() >= 3, "{log}");
    for line in &lines[1..lines.len() - 1] {
        for word in ["killed: ", " %, ", "/60 cells, ", " games/s, ", " left, "] {
            assert!(line.contains(word), "{word:?} is not in {line:?}");
        }
    }
    let end = lines.last().unwrap();
    assert!(
        end.starts_with("killed: 60 cells, ")
            && end.contains("games/s on")
            && end.contains("results in"),
        "{end}"
    );
    assert!(
        !log.contains('\u{1b}') && !log.contains('\r'),
        "terminal codes in the log"
    );
}
