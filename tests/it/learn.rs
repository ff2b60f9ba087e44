//! `tilelab learn`, and players with the weights that it writes.

use crate::common::{folder, refused, stderr, stdout, succeeded, text, write};
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};
use tilelab::weights::Weights;

/// Two sets of rules, one of them named twice.
const EXPERIMENT: &str = r#"
name = "small"
seed = 67
games = 20
[[table]]
title = "t"
game = "sixty-seven"
rules = "merge-runs"
size = ["2x3", "3x3"]
player = ["random", { name = "greedy", weights = "small.weights" }]
[[table]]
title = "lanes"
game = "sixty-seven"
rules = "merge-runs"
size = "3x3"
lanes = 16
"#;

/// A folder in which commands run.
struct Place(tempfile::TempDir);

impl Place {
    fn new() -> Self {
        let place = Self(folder());
        write(place.path(), "small.toml", EXPERIMENT);
        place
    }

    fn path(&self) -> &Path {
        self.0.path()
    }

    fn at(&self, name: &str) -> PathBuf {
        self.path().join(name)
    }

    fn command(&self, arguments: &str) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_tilelab"));
        command
            .args(arguments.split(' '))
            .current_dir(self.path())
            .stdin(Stdio::null());
        command
    }

    fn run(&self, arguments: &str) -> Output {
        self.command(arguments).output().expect("the binary runs")
    }

    /// Standard error of a command that succeeds.
    fn done(&self, arguments: &str) -> String {
        succeeded(&self.run(arguments))
    }

    fn read(&self, name: &str) -> Vec<u8> {
        std::fs::read(self.at(name)).unwrap_or_else(|error| panic!("{name}: {error}"))
    }

    fn id(&self, name: &str) -> String {
        Weights::read(&self.at(name)).unwrap().id
    }

    /// The states of the training of `small.weights`.
    fn states(&self) -> Vec<PathBuf> {
        let entries = std::fs::read_dir(self.at(".small.weights.training")).unwrap();
        let paths = entries.map(|entry| entry.unwrap().path());
        paths
            .filter(|path| {
                path.extension()
                    .is_some_and(|extension| extension == "state")
            })
            .collect()
    }
}

#[test]
fn a_training_writes_its_files_and_nothing_else() {
    let place = Place::new();
    let said = place.done("learn small.toml --games 40 --threads 2");
    assert!(
        said.contains("small: 2 sets of rules on 2 threads"),
        "{said}"
    );
    assert!(
        said.contains("small: 2 sets of rules, 80 games (all new) in"),
        "{said}"
    );
    assert_eq!(said.matches("40 games learned; won ").count(), 2, "{said}");
    let mut names: Vec<String> = std::fs::read_dir(place.path())
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    names.sort();
    let files = [
        ".small.weights.training",
        "small.toml",
        "small.weights",
        "small.weights.csv",
        "small.weights.svg",
    ];
    assert_eq!(names, files);
    assert_eq!(place.states().len(), 2);
    let weights = Weights::read(&place.at("small.weights")).unwrap();
    assert_eq!((weights.seed, weights.sections.len()), (67, 2));
    assert_eq!(
        weights.command,
        "tilelab learn small.toml --games 40 --seed 67"
    );
    for section in &weights.sections {
        let learned = &section.learned;
        assert_eq!(
            (learned.games, learned.schedule.as_slice()),
            (40, &[(40, 40)][..])
        );
        assert!(learned.moves > 40 && learned.bytes > 0);
    }
    let curve = String::from_utf8(place.read("small.weights.csv")).unwrap();
    assert_eq!(curve.lines().count(), 1 + 2 * 20);
    assert!(
        String::from_utf8(place.read("small.weights.svg"))
            .unwrap()
            .contains("games learned")
    );
    // The same games learn the same, whatever the threads and the file.
    place.done("learn small.toml --games 40 --threads 1 --out again.weights --quiet");
    assert_eq!(place.id("small.weights"), place.id("again.weights"));
    assert_eq!(place.read("small.weights"), place.read("again.weights"));
    place.done("learn --game 67 --set rules=merge-runs --set size=2x3,3x3 --games 40 --quiet");
    assert_eq!(place.id("small.weights"), place.id("sixty-seven.weights"));
    place.done("learn small.toml --games 40 --seed 5 --out other.weights --quiet");
    assert_ne!(place.id("small.weights"), place.id("other.weights"));
}

#[test]
fn a_training_starts_from_weights_of_other_rules_and_tells_which() {
    let place = Place::new();
    place.done("learn --game 67 --set size=3x3 --games 40 --out one.weights --quiet");
    place.done("learn small.toml --games 40 --out two.weights --quiet");
    // One set of the game for all rules, or of several that of the same rules.
    for from in ["one", "two"] {
        let out = format!("from-{from}.weights");
        let learn = format!("learn small.toml --from {from}.weights --out {out} --quiet --games");
        place.done(&format!("{learn} 20"));
        let weights = Weights::read(&place.at(&out)).unwrap();
        let id = Some(format!("#{}", place.id(&format!("{from}.weights"))));
        assert!(weights.command.ends_with(&format!("--from {from}.weights")));
        assert!(
            weights
                .sections
                .iter()
                .all(|section| section.learned.from == id)
        );
        // The training goes on from its own state.
        place.done(&format!("{learn} 40"));
        let weights = Weights::read(&place.at(&out)).unwrap();
        assert_eq!(weights.sections[0].learned.schedule, [(20, 20), (40, 40)]);
        assert_ne!(place.id(&out), place.id("two.weights"));
    }
    // Twenty games do not teach so many weights.
    place.done(
        "learn --game 67 --set size=4x4 --from built-in --games 20 --out more.weights --quiet",
    );
    let weights = Weights::read(&place.at("more.weights")).unwrap();
    assert!(weights.command.ends_with("--from built-in"));
    assert!(weights.sections[0].learned.bytes > 100_000);
    refused(
        &place.run("learn --game 2048 --from built-in"),
        &["--from built-in", "twenty-forty-eight", "a file of weights"],
    );
    refused(
        &place.run("learn small.toml --games 40 --out from-one.weights"),
        &["--from: #", "there, nothing here", "--fresh"],
    );
    refused(
        &place.run("learn --game 67 --set size=2x2 --from two.weights"),
        &["--from two.weights", "2 sets of weights", "rows=2"],
    );
    refused(
        &place.run("learn --game 2048 --from two.weights"),
        &["--from two.weights", "0 sets of weights"],
    );
    refused(
        &place.run("learn small.toml --from small.toml"),
        &["--from", "small.toml", "is not a file of weights"],
    );
    assert!(!place.at("small.weights").exists() && !place.at(".small.weights.training").exists());
}

/// Waits until a file is there.
fn wait_for(path: &Path) {
    let start = Instant::now();
    while !path.exists() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "{} did not come",
            path.display()
        );
        std::thread::sleep(Duration::from_millis(2));
    }
}

#[test]
fn an_interrupted_training_goes_on_to_the_same_bytes() {
    let place = Place::new();
    place.done("learn small.toml --games 2000 --out whole.weights --quiet");
    for (round, signal) in ["INT", "TERM", "KILL"].into_iter().enumerate() {
        let mut child = place
            .command("learn small.toml --games 2000 --threads 1 --save-every 0.02")
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        wait_for(&place.at(".small.weights.training"));
        std::thread::sleep(Duration::from_millis(150 + 100 * round as u64));
        let killed = Command::new("kill")
            .args([format!("-{signal}"), child.id().to_string()])
            .status()
            .unwrap();
        assert!(killed.success());
        let _ = child.wait().unwrap();
        let ended = child.wait_with_output().unwrap();
        if signal != "KILL" && !place.at("small.weights").exists() {
            assert_eq!(ended.status.code(), Some(130), "{}", stderr(&ended));
            assert!(
                stderr(&ended).contains("interrupted; the training is saved"),
                "{}",
                stderr(&ended)
            );
        }
    }
    let is_whole = place.at("small.weights").exists();
    let said = place.done("learn small.toml --games 2000 --line-every 0.05");
    assert!(
        said.contains("small: continuing after ") != is_whole && said.contains(" sets of rules, "),
        "{said}"
    );
    assert!(
        place.read("small.weights") == place.read("whole.weights"),
        "the weights differ"
    );
    // All but the last column, the time.
    let curve = |name| {
        let curve = String::from_utf8(place.read(name)).unwrap();
        curve
            .lines()
            .map(|line| line.rsplit_once(',').unwrap().0.to_owned())
            .collect::<Vec<_>>()
    };
    assert_eq!(curve("small.weights.csv"), curve("whole.weights.csv"));
    let said = place.done("learn small.toml --games 2000");
    assert!(
        said.contains("4,000 games, complete: nothing to play; weights in "),
        "{said}"
    );
    assert!(
        place.read("small.weights") == place.read("whole.weights"),
        "the weights differ"
    );
}

#[test]
fn a_finished_training_can_be_given_more_games_and_never_fewer() {
    let place = Place::new();
    place.done("learn small.toml --games 40 --quiet");
    refused(
        &place.run("learn small.toml --games 39"),
        &["40 games are learned already", "39", "--games", "--fresh"],
    );
    place.done("learn small.toml --games 60 --quiet");
    let weights = Weights::read(&place.at("small.weights")).unwrap();
    assert_eq!(weights.sections[0].learned.schedule, [(40, 40), (60, 60)]);
    // Rules that are added are learned; those that are there stay as they are.
    let payload = weights.sections[0].payload().unwrap();
    write(
        place.path(),
        "small.toml",
        &EXPERIMENT.replace("[\"2x3\", \"3x3\"]", "[\"2x2\", \"2x3\"]"),
    );
    let said = place.done("learn small.toml --games 60");
    assert!(
        said.contains("continuing after 120 games") && said.contains("(60 new)"),
        "{said}"
    );
    let weights = Weights::read(&place.at("small.weights")).unwrap();
    assert_eq!(weights.sections.len(), 3);
    assert_eq!(weights.sections[1].payload().unwrap(), payload);
    // A time ends it early, at a number of games that the file tells.
    let said = place.done("learn small.toml --games 10M --minutes 0.005 --fresh");
    assert!(
        said.contains("3 of 3 sets have fewer than 10000000 games; run the same command to go on"),
        "{said}"
    );
    let weights = Weights::read(&place.at("small.weights")).unwrap();
    for section in &weights.sections {
        let games = section.learned.games;
        assert!((1..10_000_000).contains(&games));
        assert_eq!(section.learned.schedule, [(games, 10_000_000)]);
    }
}

#[test]
fn what_is_wrong_is_refused_before_anything_is_learned() {
    let place = Place::new();
    write(
        place.path(),
        "offset.toml",
        "name = \"o\"\nseed = 1\n[[table]]\ntitle = \"t\"\ngame = \"offset\"\n",
    );
    refused(
        &place.run("learn offset.toml"),
        &[
            "offset: has no evaluation that can be learned",
            "sixty-seven",
        ],
    );
    write(
        place.path(),
        "large.toml",
        &EXPERIMENT.replace("\"3x3\"]", "\"9x9\"]"),
    );
    refused(&place.run("learn large.toml"), &["rows=9", "size", "8x8"]);
    refused(
        &place.run("learn nothing.toml"),
        &["nothing.toml", "cannot be read"],
    );
    refused(
        &place.run("learn small.toml --out missing/small.weights"),
        &["missing/small.weights", "--out"],
    );
    refused(
        &place.run("learn small.toml --out small.toml"),
        &["small.toml", "the experiment itself"],
    );
    write(place.path(), "notes.txt", "notes\n");
    refused(
        &place.run("learn small.toml --out notes.txt"),
        &["notes.txt", "is not a file of weights", "--out"],
    );
    for (arguments, word) in [
        ("learn", "<FILE>"),
        ("learn small.toml --games 0", "--games"),
        ("learn small.toml --minutes 0", "--minutes"),
        ("learn small.toml --threads 0", "--threads"),
        ("learn small.toml --set size=2x2", "--game"),
        ("learn --game 67 --set size=2", "size=2"),
        ("learn --game 68", "unknown game"),
    ] {
        refused(&place.run(arguments), &[word]);
    }
    assert!(!place.at(".small.weights.training").exists() && !place.at("small.weights").exists());
    place.done("learn small.toml --games 40 --quiet");
    refused(
        &place.run("learn small.toml --games 40 --seed 5"),
        &["seed: 67 there, 5 here", "--fresh"],
    );
    // A damaged state is named and refused where the one before it is damaged too; starting over
    // replaces it.
    let before = place.read("small.weights");
    let state = &place.states()[0];
    let previous = state.with_extension("previous");
    let whole = std::fs::read(state).unwrap();
    for at in [0, 20, whole.len() / 2, whole.len() - 1] {
        let mut bytes = whole.clone();
        bytes[at] ^= 4;
        for damaged in [&bytes, &whole[..at].to_vec()] {
            std::fs::write(state, damaged).unwrap();
            std::fs::write(&previous, damaged).unwrap();
            let words = [
                state.file_name().unwrap().to_str().unwrap(),
                "is damaged",
                "--fresh",
            ];
            refused(&place.run("learn small.toml --games 40"), &words);
        }
    }
    std::fs::write(&previous, &whole).unwrap();
    place.done("learn small.toml --games 40 --quiet");
    assert_eq!(before, place.read("small.weights"));
    std::fs::write(state, &whole[..20]).unwrap();
    place.done("learn small.toml --games 40 --fresh --quiet");
    assert_eq!(before, place.read("small.weights"));
    // Weights whose training is gone are not replaced by accident.
    std::fs::remove_dir_all(place.at(".small.weights.training")).unwrap();
    refused(
        &place.run("learn small.toml --games 40"),
        &["small.weights", "already exists", "--fresh", "--out"],
    );
}

#[test]
fn a_second_training_beside_the_first_is_refused() {
    let place = Place::new();
    let mut child = place
        .command("learn small.toml --games 10M --save-every 0.02 --threads 1")
        .stderr(Stdio::null())
        .spawn()
        .unwrap();
    wait_for(&place.at(".small.weights.training/.lock"));
    // The lock is held when the first state is saved.
    let start = Instant::now();
    while place.states().is_empty() {
        assert!(
            start.elapsed() < Duration::from_secs(60),
            "no state was saved"
        );
        std::thread::sleep(Duration::from_millis(5));
    }
    refused(
        &place.run("learn small.toml --games 10M"),
        &["another run is writing here", "--out"],
    );
    assert!(
        Command::new("kill")
            .args(["-INT", &child.id().to_string()])
            .status()
            .unwrap()
            .success()
    );
    assert_eq!(child.wait().unwrap().code(), Some(130));
    assert!(!place.at("small.weights").exists());
}

#[test]
fn players_take_the_weights_and_results_name_them() {
    let place = Place::new();
    place.done("learn small.toml --games 40 --quiet");
    let id = place.id("small.weights");
    place.done("run small.toml --quiet");
    let cells = String::from_utf8(place.read("results/small/cells.csv")).unwrap();
    let label = format!("greedy(weights=small.weights#{id})");
    assert_eq!(
        cells.matches(&format!(",sixty-seven,{label},")).count(),
        2,
        "{cells}"
    );
    assert!(
        cells.contains(",player_weights,") && cells.contains(&format!(",small.weights#{id},")),
        "{cells}"
    );
    // From another folder, and from the folder of the results, the same cells.
    let outside = folder();
    let [file, out] = ["small.toml", "results"].map(|name| place.at(name));
    let from_outside = ["run", text(&file), "--out", text(&out), "--quiet"];
    let again = Command::new(env!("CARGO_BIN_EXE_tilelab"))
        .args(from_outside)
        .current_dir(outside.path())
        .output();
    succeeded(&again.unwrap());
    assert_eq!(cells.as_bytes(), place.read("results/small/cells.csv"));
    let key = cells
        .lines()
        .find_map(|line| line.split('"').nth(1).filter(|key| key.contains("greedy")))
        .unwrap();
    for source in ["small.toml", "results/small"] {
        let replayed = place
            .command(&format!("replay {source} --game 3 --json --cell"))
            .arg(key)
            .output()
            .unwrap();
        assert!(
            stdout(&replayed).contains("outcome"),
            "{}",
            stderr(&replayed)
        );
    }
    // On the command line, with and without the ID.
    let direct = "run --game 67 --set rules=merge-runs --set size=3x3 --games 20 --out direct --quiet --player";
    place.done(&format!("{direct} greedy(weights=small.weights)"));
    let cells = String::from_utf8(place.read("direct/sixty-seven/cells.csv")).unwrap();
    assert!(cells.contains(&label), "{cells}");
    place.done(&format!("{direct} greedy(weights=small.weights#{id})"));
    let watched = place
        .run("play 67 --plain --seed 1 --set rules=merge-runs --set size=3x3 --player greedy(weights=small.weights)");
    succeeded(&watched);
    // Other weights are another cell, and the run keeps the old ones.
    place.done("learn small.toml --games 60 --quiet");
    let other = place.id("small.weights");
    assert_ne!(id, other);
    let before = "results/small/cells.csv";
    place.done("run small.toml --quiet");
    let cells = String::from_utf8(place.read(before)).unwrap();
    assert!(cells.contains(&other) && !cells.contains(&id), "{cells}");
    refused(
        &place.run(&format!("{direct} greedy(weights=small.weights#{id})")),
        &["small.weights", &id, &other],
    );
    // Shards are merged without the file.
    for shard in ["1/2", "2/2"] {
        place.done(&format!(
            "run small.toml --out parts --quiet --shard {shard}"
        ));
    }
    std::fs::remove_file(place.at("small.weights")).unwrap();
    place.done("merge --out parts parts/small");
    assert_eq!(place.read("parts/small/cells.csv"), cells.as_bytes());
}

#[test]
fn weights_that_do_not_fit_are_refused_with_one_message() {
    let place = Place::new();
    let all = |place: &Place, words: &[&str]| {
        for command in ["check --no-forecast small.toml", "run small.toml --quiet"] {
            refused(
                &place.run(command),
                &[&["player.weights: small.weights: "], words].concat(),
            );
        }
        let player = "--set rules=merge-runs --set size=3x3 --player greedy(weights=small.weights)";
        for command in ["run --quiet --game 67", "play 67 --plain"] {
            refused(
                &place.run(&format!("{command} {player}")),
                &[&["small.weights: "], words].concat(),
            );
        }
        assert!(!place.at("results").exists());
    };
    all(&place, &["cannot be read"]);
    write(place.path(), "small.weights", "name = \"small\"\n");
    all(
        &place,
        &["is not a file of weights; tilelab learn writes them"],
    );
    std::fs::remove_file(place.at("small.weights")).unwrap();
    place.done("learn small.toml --games 20 --quiet");
    let whole = place.read("small.weights");
    let with = |from: &str, to: &str| {
        let at = whole
            .windows(from.len())
            .position(|part| part == from.as_bytes())
            .unwrap();
        [&whole[..at], to.as_bytes(), &whole[at + from.len()..]].concat()
    };
    for (bytes, words) in [
        (
            with("\"version\":1", "\"version\":2"),
            "has version 2 of the file format; this tilelab reads version 1",
        ),
        (
            with("\"cols\":3", "\"cols\":4"),
            "is damaged: its lines do not have their checksum",
        ),
        (whole[..whole.len() - 1].to_vec(), "is damaged: it has "),
        (
            whole[..300].to_vec(),
            "is damaged: its lines are incomplete",
        ),
        (
            [&whole[..whole.len() - 1], &[whole[whole.len() - 1] ^ 1]].concat(),
            "is damaged: the weights for ",
        ),
    ] {
        std::fs::write(place.at("small.weights"), bytes).unwrap();
        all(&place, &[words]);
    }
    // Weights for other rules only.
    std::fs::write(place.at("small.weights"), &whole).unwrap();
    write(
        place.path(),
        "small.toml",
        &EXPERIMENT.replace("[\"2x3\", \"3x3\"]", "\"2x2\""),
    );
    for command in ["check --no-forecast small.toml", "run small.toml --quiet"] {
        let words = [
            "rows=2,cols=2",
            "small.weights: holds no weights for these rules",
            "rows=2,cols=3",
            "tilelab learn",
        ];
        refused(&place.run(command), &words);
    }
    assert!(!place.at("results").exists());
}
