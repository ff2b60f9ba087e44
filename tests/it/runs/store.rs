//! Files that a run, a merge, a report or a training would harm, and those that would harm them.

use crate::common::{command, folder, refused, stderr, stdout, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

const EXPERIMENT: &str = "name = \"store\"\nseed = 67\ngames = 300\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"2x2\"\n";

/// A folder with results, and a file of the user's beside them.
struct Place {
    folder: tempfile::TempDir,
    file: PathBuf,
    users: PathBuf,
}

const USERS: &str = "a file of the user's\n";

impl Place {
    fn new() -> Self {
        let folder = folder();
        Self {
            file: write(folder.path(), "store.toml", EXPERIMENT),
            users: write(folder.path(), "users.txt", USERS),
            folder,
        }
    }

    fn at(&self, name: &str) -> PathBuf {
        self.folder.path().join(name)
    }

    fn run(&self, more: &[&str]) -> std::process::Output {
        let out = self.at("out");
        let run = ["run", text(&self.file), "--out", text(&out), "--quiet"];
        tilelab(&[&run[..], more].concat())
    }

    fn results(&self) -> PathBuf {
        self.at("out/store")
    }

    fn is_untouched(&self) {
        assert_eq!(std::fs::read_to_string(&self.users).unwrap(), USERS);
    }
}

/// What is not a regular file is written to and stays.
#[cfg(unix)]
#[test]
fn outputs_that_are_not_regular_files_are_written_through() {
    use std::os::unix::fs::FileTypeExt;
    let place = Place::new();
    succeeded(&place.run(&[]));
    let results = place.results();
    let export = |output: &Path| {
        let export = ["report", text(&results), "--format", "json", "--output"];
        command(&[&export[..], &[text(output)]].concat())
    };
    let link = place.at("link.json");
    std::os::unix::fs::symlink(&place.users, &link).unwrap();
    succeeded(&export(&link).output().unwrap());
    assert!(link.is_symlink(), "the link was replaced");
    let written = std::fs::read_to_string(&place.users).unwrap();
    assert!(written.starts_with(['{', '[']), "{written}");
    let pipe = place.at("pipe.json");
    crate::common::fifo(&pipe);
    let mut child = export(&pipe).spawn().unwrap();
    assert_eq!(std::fs::read_to_string(&pipe).unwrap(), written);
    assert!(child.wait().unwrap().success());
    let kind = std::fs::symlink_metadata(&pipe).unwrap().file_type();
    assert!(kind.is_fifo(), "the pipe was replaced");
    succeeded(&export(Path::new("/dev/null")).output().unwrap());
    let kind = std::fs::metadata("/dev/null").unwrap().file_type();
    assert!(kind.is_char_device(), "the device was replaced");
}

/// Nothing is written or read through links among the records.
#[cfg(unix)]
#[test]
fn links_among_the_records_of_games_are_refused() {
    let shard = ["--per-game", "--shard", "1/2"];
    for name in ["complete", "written", "0123456789abcdef-0"] {
        for target in ["users.txt", "/dev/zero"] {
            let place = Place::new();
            let records = place.results().join("shard-1-of-2/.games");
            std::fs::create_dir_all(&records).unwrap();
            std::os::unix::fs::symlink(place.at(target), records.join(name)).unwrap();
            refused(&place.run(&shard), &[name, "is not a regular file"]);
            place.is_untouched();
        }
    }
    let place = Place::new();
    let records = place.results().join("shard-1-of-2");
    std::fs::create_dir_all(&records).unwrap();
    std::os::unix::fs::symlink(place.folder.path(), records.join(".games")).unwrap();
    refused(&place.run(&shard), &[".games", "remove it"]);
    place.is_untouched();
}

/// The rows of games are made again when they are damaged.
#[test]
fn damaged_rows_of_games_are_made_again() {
    let place = Place::new();
    succeeded(&place.run(&["--per-game"]));
    let rows = place.results().join("games.parquet");
    let whole = std::fs::read(&rows).unwrap();
    let mut flipped = whole.clone();
    flipped[whole.len() / 2] ^= 1;
    for damaged in [&whole[..100], &[], &flipped] {
        std::fs::write(&rows, damaged).unwrap();
        succeeded(&place.run(&["--per-game"]));
        assert!(std::fs::read(&rows).unwrap() == whole);
    }
    let begun = std::fs::metadata(&rows).unwrap().modified().unwrap();
    succeeded(&place.run(&["--per-game"]));
    let modified = std::fs::metadata(&rows).unwrap().modified().unwrap();
    assert_eq!(begun, modified, "whole rows were made again");
    std::fs::remove_file(&rows).unwrap();
    std::fs::create_dir(&rows).unwrap();
    succeeded(&place.run(&["--per-game"]));
    assert!(std::fs::read(&rows).unwrap() == whole);
    // A folder with something in it stays.
    std::fs::remove_file(&rows).unwrap();
    std::fs::create_dir_all(rows.join("something")).unwrap();
    let said = place.run(&["--per-game"]);
    assert_eq!(said.status.code(), Some(1), "{said:?}");
    assert!(rows.join("something").exists());
}

/// Files that are not of a training are not replaced by one.
#[test]
fn a_training_does_not_replace_other_files() {
    let place = Place::new();
    let rules = EXPERIMENT.replace("\"2x2\"", "\"3x3\"\nrules = \"merge-runs\"");
    std::fs::write(&place.file, rules).unwrap();
    for name in ["data.csv", "data.svg"] {
        let other = write(place.folder.path(), name, USERS);
        let out = place.at("data");
        let learn = [
            "learn",
            text(&place.file),
            "--games",
            "10",
            "--out",
            text(&out),
        ];
        refused(&tilelab(&learn), &[name, "already exists", "--out"]);
        assert_eq!(std::fs::read_to_string(&other).unwrap(), USERS);
        std::fs::remove_file(other).unwrap();
    }
}

/// A file that is no result is refused by its kind, length or end, whatever it seems
/// to hold.
#[cfg(unix)]
#[test]
fn endless_and_hollow_files_take_no_memory() {
    let place = Place::new();
    succeeded(&place.run(&[]));
    let results = place.results();
    let begun = Instant::now();
    let cells = results.join("cells.csv");
    let before = std::fs::read(&cells).unwrap();
    std::fs::remove_file(&cells).unwrap();
    std::os::unix::fs::symlink("/dev/zero", &cells).unwrap();
    refused(
        &tilelab(&["report", text(&results)]),
        &["cells.csv", "not a regular file"],
    );
    std::fs::remove_file(&cells).unwrap();
    std::fs::File::create(&cells)
        .unwrap()
        .set_len(2 << 30)
        .unwrap();
    refused(
        &tilelab(&["report", text(&results)]),
        &["cells.csv", "is larger than"],
    );
    std::fs::remove_file(&cells).unwrap();
    std::fs::write(&cells, before).unwrap();
    for name in [".state", ".state.previous"] {
        let state = std::fs::File::create(results.join(name)).unwrap();
        state.set_len(3 << 30).unwrap();
    }
    refused(
        &place.run(&[]),
        &["the saved state is damaged", "its end is missing"],
    );
    assert!(
        begun.elapsed() < Duration::from_secs(20),
        "{:?}",
        begun.elapsed()
    );
}

/// A report waits for no run that goes on, and harms none.
#[test]
fn a_report_beside_a_run_is_refused() {
    let place = Place::new();
    succeeded(&place.run(&[]));
    let results = place.results();
    let lock = std::fs::File::open(results.join(".lock")).unwrap();
    lock.try_lock().unwrap();
    refused(
        &tilelab(&["report", text(&results)]),
        &["another run is writing here"],
    );
    // A killed run holds its lock for a moment.
    let killed = std::thread::spawn(move || {
        std::thread::sleep(Duration::from_millis(200));
        drop(lock);
    });
    succeeded(&tilelab(&["report", text(&results)]));
    killed.join().unwrap();
}

/// Names do not drive the terminal, and a folder in the way of temporary files does
/// not stop runs.
#[test]
fn strange_names_are_harmless() {
    let place = Place::new();
    let strange = place.results().join(".tilelab-x.tmp");
    std::fs::create_dir_all(&strange).unwrap();
    std::fs::create_dir_all(place.results().join(".tilelab-kept.tmp")).unwrap();
    succeeded(&place.run(&[]));
    succeeded(&place.run(&["--games", "400"]));
    assert!(strange.is_dir());
    let red = place.at("\u{1b}[31mred");
    std::fs::rename(place.results(), &red).unwrap();
    let said = tilelab(&["status", text(&red)]);
    assert!(said.status.success());
    assert!(!stdout(&said).contains('\u{1b}'), "{:?}", stdout(&said));
    assert!(stdout(&said).contains("\\u{1b}[31mred"));
}

/// Weights are the same wherever their file lies.
#[test]
fn the_path_of_weights_decides_no_game() {
    let place = Place::new();
    let weights = place.at("a.weights");
    let rules = ["--game", "67", "--set", "size=3x3", "--games", "40"];
    let learn = ["learn", "--out", text(&weights), "--quiet"];
    succeeded(&tilelab(&[&learn[..], &rules].concat()));
    let moved = place.at("b.weights");
    std::fs::copy(&weights, &moved).unwrap();
    let out = place.at("out");
    let play = |path: &str, seed: &str| {
        let player = format!("greedy(weights={path})");
        let run = ["run", "--out", text(&out), "--seed", seed];
        let more = ["--player", &player, "--quiet", "--fresh"];
        succeeded(&tilelab(&[&run[..], &more, &rules].concat()));
        let cells = std::fs::read_to_string(out.join("sixty-seven/cells.csv")).unwrap();
        // The ID alone is in the key, from which the games are seeded.
        assert!(cells.contains("/greedy(weights=#"), "{cells}");
        let strip = |line: &str| line.replace(path, "");
        cells.lines().map(strip).collect::<Vec<_>>()
    };
    let games = play(text(&weights), "1");
    assert_eq!(play(text(&moved), "1"), games);
    assert_eq!(play(&text(&weights).replace("/a.", "/./a."), "1"), games);
    assert_ne!(play(text(&weights), "2"), games);
}

/// Weights that lack a parameter of their rules are of other rules.
#[test]
fn weights_that_lack_a_parameter_are_refused() {
    use tilelab::weights::{self, Learned};
    let place = Place::new();
    let game = tilelab::catalog::game("sixty-seven").unwrap();
    let whole = tilelab::Params::from_settings(game.params, ["size=3x3"]);
    let rules = Learned::rules_of(&whole.unwrap());
    for lacking in rules.keys() {
        let mut rules = rules.clone();
        rules.remove(lacking);
        let set = Learned {
            game: game.name.to_owned(),
            rules,
            from: None,
            games: 1,
            moves: 1,
            schedule: vec![(1, 1)],
            bytes: 0,
            crc32: weights::checksum(b""),
        };
        let mut bytes = Vec::new();
        let empty = |_| Ok(Box::new(std::io::empty()) as Box<dyn std::io::Read>);
        weights::write(&mut bytes, "a test", 67, &[set], empty).unwrap();
        let file = place.at("lacking.weights");
        std::fs::write(&file, bytes).unwrap();
        let player = format!("greedy(weights={})", text(&file));
        let run = ["run", "--game", "67", "--set", "size=3x3", "--player"];
        refused(
            &tilelab(&[&run[..], &[&player]].concat()),
            &["lacking.weights", "no weights for these rules"],
        );
    }
}

/// What is refused is quoted in part, and a mistake that is made everywhere is told a
/// few times.
#[test]
fn messages_are_bounded() {
    let place = Place::new();
    let word = "x".repeat(10_000_000);
    for wrong in [
        EXPERIMENT.replace("2x2", &word),
        EXPERIMENT.replace("\"67\"", &format!("\"{word}\"")),
        EXPERIMENT.replace("games", &word),
        format!("{EXPERIMENT}{}", "[[table]]\ngame = \"6\"\n".repeat(5_000)),
    ] {
        std::fs::write(&place.file, &wrong).unwrap();
        let said = place.run(&[]);
        refused(&said, &["store.toml", "accepted"]);
        let length = stderr(&said).len();
        assert!(length < 20_000, "a message of {length} bytes");
    }
}

/// Titles are text in Markdown.
#[test]
fn titles_are_no_html() {
    let place = Place::new();
    let titled = EXPERIMENT.replace("\"t\"", "\"<img src=x> [a](http://b) &lt;\"");
    std::fs::write(&place.file, titled).unwrap();
    succeeded(&place.run(&[]));
    let tables = std::fs::read_to_string(place.results().join("table.md")).unwrap();
    let title = "### &lt;img src=x> [a]&#40;http://b) &amp;lt;";
    assert!(tables.contains(title), "{tables}");
}

/// A replication of splitting is not a game to step.
#[test]
fn replications_are_not_stepped() {
    use tilelab::{Cell, KernelChoice, game::stepping::SteppingOptions};
    for game in ["67 size=3x3", "67 size=3x3 digits=67"] {
        let cell = Cell::parse(&format!("{game} method=splitting")).unwrap();
        let refused = cell.stepper(67, 4, KernelChoice::Auto, SteppingOptions::default());
        let refused = refused.err().expect("replications are not stepped");
        let message = refused.to_string();
        assert!(
            message.contains("method") && message.contains("many games"),
            "{message}"
        );
    }
}
