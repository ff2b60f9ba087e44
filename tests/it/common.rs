//! Running the binary in tests.
#![allow(dead_code)]

use std::io::Write;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
#[cfg(unix)]
use std::sync::Arc;
use tilelab::game::Player;
use tilelab::games::two_player::TwoPlayer;
use tilelab::rng::{SeedableRng, Stream};

/// The binary with these arguments, run from the root of the project.
pub fn command(arguments: &[&str]) -> Command {
    let mut command = Command::new(env!("CARGO_BIN_EXE_tilelab"));
    command
        .args(arguments)
        .current_dir(env!("CARGO_MANIFEST_DIR"))
        .stdin(Stdio::null());
    command
}

/// Has the programs that are started from here heed a hang-up, also where these tests have been
/// started with it ignored (`nohup cargo test`): a signal that is handled here, in whatever way, is
/// not ignored there.
#[cfg(unix)]
pub fn heed_hang_ups() {
    signal_hook::flag::register(signal_hook::consts::SIGHUP, Arc::default()).unwrap();
}

/// Runs the binary to its end.
pub fn tilelab(arguments: &[&str]) -> Output {
    command(arguments).output().expect("the binary runs")
}

/// Runs the binary with this standard input.
pub fn tilelab_with_input(arguments: &[&str], input: &str) -> Output {
    let mut child = command(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the binary runs");
    let mut stdin = child.stdin.take().expect("standard input is piped");
    let input = input.to_owned();
    // Written aside: the binary answers while it reads, and both pipes could fill up.
    let writer = std::thread::spawn(move || stdin.write_all(input.as_bytes()));
    let output = child.wait_with_output().expect("the binary ends");
    // A binary that refuses its arguments does not read its input.
    let _ = writer.join().expect("the writer ends");
    output
}

/// Says on the real standard error, past the test runner, that a check needs something that is not
/// here. Where the environment variable `TILELAB_REQUIRE` names it, among others separated by
/// blanks, that is a failure.
pub fn skipped(needed: &str, what: &str) {
    let required = std::env::var("TILELAB_REQUIRE").unwrap_or_default();
    assert!(
        !required.split(' ').any(|tool| tool == needed),
        "TILELAB_REQUIRE names {needed}: {what}"
    );
    let _ = writeln!(std::io::stderr(), "skipped: {needed}: {what}");
}

/// The Python that has these modules of data frames, if there is one.
pub fn python(modules: &str) -> Option<String> {
    python_for("polars", modules)
}

/// The Python that has these modules, if there is one: `TILELAB_PYTHON`, otherwise `python3`.
/// `needed` names them for `TILELAB_REQUIRE`.
pub fn python_for(needed: &str, modules: &str) -> Option<String> {
    let python = std::env::var("TILELAB_PYTHON").unwrap_or_else(|_| "python3".to_owned());
    let imports = Command::new(&python)
        .args(["-c", &format!("import {modules}")])
        .stderr(Stdio::null())
        .status();
    let found = imports.is_ok_and(|status| status.success());
    if !found {
        skipped(
            needed,
            &format!("a check needs Python with {modules} (TILELAB_PYTHON)"),
        );
    }
    found.then_some(python)
}

/// Runs a Python script; what it asserts must hold.
pub fn run_python(python: &str, script: &str, arguments: &[&Path]) {
    let output = Command::new(python)
        .args(["-c", script])
        .args(arguments)
        .output()
        .expect("Python runs");
    assert!(output.status.success(), "{script}\n{}", stderr(&output));
}

/// The lines of the transcripts in records, without their headers.
pub fn turns(records: &str) -> Vec<serde_json::Value> {
    let lines = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap());
    lines
        .filter(|line: &serde_json::Value| line.get("format").is_none())
        .collect()
}

/// Standard output as text.
pub fn stdout(output: &Output) -> String {
    String::from_utf8(output.stdout.clone()).expect("standard output is text")
}

/// Standard error as text.
pub fn stderr(output: &Output) -> String {
    String::from_utf8(output.stderr.clone()).expect("standard error is text")
}

/// Asserts that the binary did what it was asked to; returns its standard error.
pub fn succeeded(output: &Output) -> String {
    assert!(output.status.success(), "{}", stderr(output));
    stderr(output)
}

/// Plays an experiment into a folder.
pub fn play(file: &Path, out: &Path, more: &[&str]) {
    let run = ["run", text(file), "--out", text(out), "--quiet"];
    succeeded(&tilelab(&[&run, more].concat()));
}

/// A path as an argument.
pub fn text(path: &Path) -> &str {
    path.to_str().expect("the path is text")
}

/// A folder that is removed at the end of the test: in memory where there is room and programs may
/// run, since a command waits for a disk a dozen times.
pub fn folder() -> tempfile::TempDir {
    tempfile::tempdir_in(temporary()).expect("a temporary folder can be made")
}

/// Where [`folder`] makes folders.
pub fn temporary() -> PathBuf {
    #[cfg(target_os = "linux")]
    if let Ok(memory) = rustix::fs::statvfs("/dev/shm")
        && memory.f_bavail * memory.f_frsize >= 1 << 30
        && !memory
            .f_flag
            .contains(rustix::fs::StatVfsMountFlags::NOEXEC)
    {
        return "/dev/shm".into();
    }
    std::env::temp_dir()
}

/// Writes an experiment file into a folder.
pub fn write(folder: &Path, name: &str, text: &str) -> PathBuf {
    let path = folder.join(name);
    std::fs::write(&path, text).expect("the temporary folder can be written");
    path
}

/// Makes a FIFO.
#[cfg(unix)]
pub fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success(), "mkfifo {}", path.display());
}

/// Asserts that the command was refused as wrong input: exit code 2, one message with all these
/// words, nothing on standard output.
pub fn refused(output: &Output, words: &[&str]) {
    let text = stderr(output);
    assert_eq!(
        output.status.code(),
        Some(2),
        "exit code; standard error: {text}"
    );
    for word in words {
        assert!(text.contains(word), "{word:?} is not in: {text}");
    }
    assert!(!text.contains("panicked"), "{text}");
}

/// Checks a property on `cases` random values, the same ones each time unless `PROPTEST_RNG_SEED`
/// says otherwise, and shrinks a failing one. `PROPTEST_CASES` sets another number of cases.
pub fn property<S: proptest::strategy::Strategy>(cases: u32, values: S, check: impl Fn(&S::Value)) {
    use proptest::test_runner::{Config, RngSeed, TestRunner};
    let mut config = Config {
        failure_persistence: None,
        max_shrink_iters: 256,
        ..Config::default()
    };
    if std::env::var_os("PROPTEST_CASES").is_none() {
        config.cases = cases;
    }
    if config.rng_seed == RngSeed::Random {
        config.rng_seed = RngSeed::Fixed(67);
    }
    let outcome = TestRunner::new(config).run(&values, |value| {
        check(&value);
        Ok(())
    });
    if let Err(error) = outcome {
        panic!("{error}");
    }
}

/// Copies a folder with everything in it.
pub fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let path = entry.unwrap().path();
        let target = to.join(path.file_name().unwrap());
        if path.is_dir() {
            copy(&path, &target);
        } else {
            std::fs::copy(&path, &target).unwrap();
        }
    }
}

/// The move that a player without chance chooses, and how many positions it visits.
pub fn searched<G: TwoPlayer>(
    player: &mut impl Player<G>,
    game: &G,
    state: &G::State,
) -> (G::Move, u64) {
    let chosen = player.choose(game, state, &[], &mut Stream::seed_from_u64(0));
    (chosen, player.take_nodes())
}

/// `cells.csv` of a folder of committed results, which may be compressed; `None` without one.
pub fn committed_cells(folder: &Path) -> Option<Vec<u8>> {
    let packed = folder.join("cells.csv.gz");
    if !packed.exists() {
        return std::fs::read(folder.join("cells.csv")).ok();
    }
    let unpacked = Command::new("gzip").arg("-dc").arg(packed).output();
    Some(unpacked.expect("gzip is installed").stdout)
}
