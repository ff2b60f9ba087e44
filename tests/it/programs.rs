//! Programs that play: who may start them, how often they are started, and that nothing of them is
//! left when they or tilelab have ended.
#![cfg(unix)]

use crate::common::{
    command, folder, heed_hang_ups, refused, stderr, stdout, succeeded, text, tilelab, write,
};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::time::{Duration, Instant};

/// More than any of these commands takes.
const HANG: Duration = Duration::from_secs(60);
/// The second that SECURITY.md promises, and room for a machine that does other things.
const SOON: Duration = Duration::from_secs(10);

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
/// `begins` is put before the command that starts it.
fn wrapped(folder: &Path, begins: &str, rest: &str, games: &str) -> (Child, PathBuf) {
    let busy = write(
        folder,
        "busy.sh",
        "trap '' INT TERM HUP\nwhile :; do sleep 0.1; done\n",
    );
    let script = format!("{begins} sh {} &\n{rest}", text(&busy));
    let script = write(folder, "wrap.sh", &script);
    let player = format!("command(sh {},timeout_ms=60000)", text(&script));
    let game = ["--game", "67", "--set", "size=3x3"];
    let games = ["--games", games, "--threads", "2"];
    let child = command(&[&["match", &player, "random"][..], &game, &games].concat())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    (child, busy)
}

/// Children that have left the process group of their program have outlived it, and SIGKILL has
/// left everything.
#[cfg(target_os = "linux")]
#[test]
fn a_signal_that_ends_the_match_ends_all_that_a_program_has_started() {
    heed_hang_ups();
    let hangs = "trap '' INT TERM HUP\nwhile :; do sleep 1; done\n";
    for (signal, begins) in [
        ("-INT", ""),
        ("-TERM", "setsid"),
        ("-HUP", "nohup setsid"),
        ("-KILL", ""),
        ("-KILL", "setsid -f"),
    ] {
        let folder = folder();
        let (mut child, busy) = wrapped(folder.path(), begins, hangs, "10");
        until("the programs", || processes(&busy) >= 2);
        let pid = child.id().to_string();
        let sent = Command::new("kill").args([signal, &pid]).status().unwrap();
        assert!(sent.success());
        let code = (signal != "-KILL").then_some(130);
        assert_eq!(child.wait().unwrap().code(), code, "{signal}");
        let took = until("the end of the programs", || processes(folder.path()) == 0);
        assert!(took < SOON, "{signal} {begins}: {took:?}");
    }
}

/// Each lost game has kept two threads, two descriptors and the children of its process.
#[cfg(target_os = "linux")]
#[test]
fn lost_games_keep_nothing() {
    let folder = folder();
    let nonsense = "read -r line; echo nonsense; sleep 600\n";
    for begins in ["", "setsid"] {
        let (mut child, _) = wrapped(folder.path(), begins, nonsense, "150");
        let proc = PathBuf::from(format!("/proc/{}", child.id()));
        let count = |what: &str| std::fs::read_dir(proc.join(what)).map_or(0, Iterator::count);
        let mut most = [0; 3];
        while child.try_wait().unwrap().is_none() {
            let now = [count("task"), count("fd"), processes(folder.path())];
            most = [0, 1, 2].map(|at| most[at].max(now[at]));
            std::thread::sleep(Duration::from_millis(20));
        }
        assert!(most[0] <= 40 && most[1] <= 60 && most[2] <= 40, "{most:?}");
        let took = until("the end of the programs", || processes(folder.path()) == 0);
        assert!(took < SOON, "{begins}: {took:?}");
    }
}

/// A program was started again for each cell, and once more to name the kernels in `machine.txt`.
#[test]
fn a_program_is_started_once_for_each_thread_that_needs_it() {
    let folder = folder();
    let starts = folder.path().join("starts");
    let script = format!(
        "echo start >> {}\nexec sh examples/players/player.sh\n",
        text(&starts)
    );
    let script = write(folder.path(), "player.sh", &script);
    let player = format!("command(sh {})", text(&script));
    let toml = format!(
        "name = \"p\"\nseed = 1\ngames = 4\nper_game = \"csv\"\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\n\
         size = [\"2x2\", \"2x3\", \"3x2\"]\nplayer = [\"random\", {{ command = [\"sh\", {:?}] }}]\n",
        text(&script)
    );
    let file = write(folder.path(), "p.toml", &toml);
    let out = text(folder.path());
    let run = [
        "run",
        text(&file),
        "--out",
        out,
        "--allow-programs",
        "--quiet",
    ];
    let results = folder.path().join("p");
    let paired = ["compare", text(&results), "--by", "player", "--paired"];
    let record = folder.path().join("record.jsonl");
    let game = ["--game", "2048", "--set", "size=2x2"];
    let meet = ["match", &player, "random", "corner"];
    let recorded = ["--games", "5", "--record", text(&record)];
    let cores = std::thread::available_parallelism().map_or(1, Into::into);
    let best = ["--best", "5", "--games", "64"];
    for (arguments, most) in [
        (&[&run[..], &["--threads", "1"]].concat(), 1),
        (&[&run[..], &["--threads", "1", "--games", "6"]].concat(), 1),
        (&[&run[..], &["--threads", "2", "--fresh"]].concat(), 2),
        (&[&paired[..], &["--allow-programs"]].concat(), cores),
        (
            &[&meet[..], &game, &recorded, &["--threads", "1"]].concat(),
            cores,
        ),
        (&[&meet[..], &game, &best, &["--threads", "1"]].concat(), 1),
    ] {
        let _ = std::fs::remove_file(&starts);
        succeeded(&tilelab(
            &arguments.iter().map(|a| &a[..]).collect::<Vec<_>>(),
        ));
        let started = std::fs::read_to_string(&starts).unwrap().lines().count();
        assert!((1..=most).contains(&started), "{arguments:?}: {started}");
    }
}
