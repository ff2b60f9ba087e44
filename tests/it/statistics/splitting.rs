//! Rare wins by splitting: unbiased, the same on every kernel, the same rates as plain games.

use crate::common::{command, refused, stdout, succeeded, tilelab};
use crate::effort::times;
use crate::kernels::kernels;
use std::path::Path;
use std::process::Stdio;
use std::time::{Duration, Instant};
use tilelab::exact::{Limits, Problem};
use tilelab::game::LoopJob;
use tilelab::game::splitting::{Splitting, Waves};
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::games::sixty_seven::kernels::Kernel;
use tilelab::games::sixty_seven::splitting::KernelWaves;
use tilelab::games::twenty_forty_eight::TwentyFortyEight;
use tilelab::players::random::Random;
use tilelab::stats::SplittingSums;
use tilelab::{Cell, KernelChoice, PlayableGame, Tally, play_games};

fn cell(text: &str) -> Cell {
    Cell::parse(&format!("sixty-seven {text}")).unwrap_or_else(|error| panic!("{text}: {error}"))
}

fn splitting_of(tally: &Tally) -> SplittingSums {
    SplittingSums::of(tally).expect("replications were played")
}

/// Every kernel plays the same replications as the plain rules, with the levels of the pilot run.
#[test]
fn kernels_split_as_the_reference_does() {
    for (seed, text) in [
        (0, "size=3x3 operators=+- target=30"),
        (1, "size=3x4 operators=+-* target=23 rules=gapless"),
        (
            2,
            "size=3x3 operators=+- target=30 rules=bounded value_limit=35 max_rounds=12",
        ),
        (
            3,
            "size=2x4 operators=+ target=25 digits=123 rules=merge-pairs max_rounds=9 tiles_per_turn=1",
        ),
    ] {
        let cell = cell(&format!("{text} method=splitting"));
        let mut expected: Option<Tally> = None;
        for kernel in std::iter::once(KernelChoice::Reference).chain(kernels()) {
            let job = cell.job(seed, kernel).unwrap();
            let tally = play_games(job.as_ref(), 5..45);
            println!("{text} with {}: {:?}", job.kernel(), tally.splitting());
            assert_eq!(
                *expected.get_or_insert_with(|| tally.clone()),
                tally,
                "{text} with {}",
                job.kernel()
            );
        }
    }
}

/// A cell whose games the loop plays from level to level.
fn by_turns<G: PlayableGame>(cell: &Cell) -> impl Waves {
    LoopJob::new(G::build(&cell.params), || Random, cell.seeds(67))
}

/// A cell whose games a kernel plays from level to level.
fn by_kernel(cell: &Cell) -> KernelWaves {
    let game = SixtySeven::from_params(&cell.params);
    let kernel = Kernel::new(KernelChoice::Auto, &game).expect("a kernel plays these rules");
    KernelWaves { game, kernel }
}

/// Tallies of `each` replications at given levels.
fn samples(
    cell: &Cell,
    waves: &impl Waves,
    levels: &[(u64, u64)],
    each: u64,
    samples: u64,
) -> Vec<Tally> {
    let splitting = Splitting::new(levels.iter().map(|&level| level.into()).collect());
    let sample = |number: u64| {
        let mut tally = Tally::new(cell.game.measures);
        let range = number * each..(number + 1) * each;
        splitting.play(waves, cell.seeds(67), range, &mut tally, None);
        tally
    };
    (0..samples).map(sample).collect()
}

fn replications(cell: &Cell, waves: &impl Waves, levels: &[(u64, u64)], count: u64) -> Tally {
    samples(cell, waves, levels, count, 1).remove(0)
}

fn exact(cell: &Cell) -> f64 {
    let problem = Problem::of(cell.game, &cell.params).expect("the board is small");
    problem.solve(Limits::default()).won
}

/// The estimate is that of the exact win probability, whatever the levels: also for levels that
/// are passed two at a time, that no win needs, or that split everything.
#[test]
fn estimates_are_exact_on_average() {
    fn check(cell: &Cell, waves: &impl Waves, levels: &[(u64, u64)]) {
        let exact = exact(cell);
        let text = cell.key();
        let sums = splitting_of(&replications(cell, waves, levels, times(1_000)));
        let z = (sums.rate().unwrap() - exact) / sums.standard_error().unwrap();
        println!("{text} at {levels:?}: {exact:.6}, {z:+.2} standard errors");
        assert!(
            z.abs() < 4.0,
            "{text} at {levels:?}: {z} standard errors off {exact}"
        );
    }
    for text in [
        "size=2x3 digits=12 operators=+- target=6 rules=merge-runs max_rounds=5 operator_rate=0.4",
        "size=1x4 digits=123 operators=+* target=6 rules=gapless value_limit=9 max_rounds=4",
    ] {
        let cell = cell(text);
        let waves = by_kernel(&cell);
        for levels in [
            &[][..],
            &[(4, 3)],
            &[(4, 2), (6, 5)],
            &[(4, 7), (5, 1), (6, 2)],
            &[(4, 2), (1000, 9)],
        ] {
            check(&cell, &waves, levels);
        }
        let levels = [(4, 2), (6, 5)];
        assert_eq!(
            replications(&cell, &waves, &levels, 30),
            replications(&cell, &by_turns::<SixtySeven>(&cell), &levels, 30),
            "{text}"
        );
    }
    // The first has its level from the start.
    for text in [
        "twenty-forty-eight size=2x2 goal=16 start=4,0/0,4",
        "twenty-forty-eight size=2x2 goal=32 four_rate=0.5",
    ] {
        let cell = Cell::parse(text).unwrap();
        let waves = by_turns::<TwentyFortyEight>(&cell);
        for levels in [
            &[][..],
            &[(4, 3), (9, 2)],
            &[(12, 3), (18, 1), (22, 4), (28, 2)],
        ] {
            check(&cell, &waves, levels);
        }
    }
}

/// Splitting and plain games estimate the same rate.
#[test]
fn splitting_agrees_with_plain_games() {
    for (seed, text) in [
        (1, "67 size=3x4 operators=+- target=25"),
        (2, "67 size=3x4 operators=+-* target=23 rules=merge-runs"),
        (3, "2048 size=2x4 goal=64"),
    ] {
        let played = |text: &str, games: u64| {
            let cell = Cell::parse(text).unwrap();
            play_games(&*cell.job(seed, KernelChoice::Auto).unwrap(), 0..games)
        };
        let plain = played(text, 20_000);
        let split = played(&format!("{text} method=splitting"), 2_000);
        let sums = splitting_of(&split);
        let rate = plain.wins as f64 / plain.games as f64;
        let variance = rate * (1.0 - rate) / plain.games as f64;
        let z = (sums.rate().unwrap() - rate)
            / (variance + sums.standard_error().unwrap().powi(2)).sqrt();
        println!(
            "{text}: {rate}, splitting {:?}, z = {z:+.2}, {:?}",
            sums.rate(),
            split.splitting()
        );
        assert!(plain.wins > 10 && z.abs() < 3.5, "{text}: {z}");
    }
}

/// Coverage of the interval against the exact rate, for cells whose wins are split twice.
#[test]
fn intervals_of_replications_cover() {
    let sixty_seven = cell(
        "size=2x3 digits=12 operators=+- target=6 rules=merge-runs max_rounds=5 operator_rate=0.4",
    );
    check_coverage(&sixty_seven, &by_kernel(&sixty_seven), &[(4, 3), (5, 3)]);
    let other = Cell::parse("twenty-forty-eight size=2x2 goal=32 four_rate=0.5").unwrap();
    let waves = by_turns::<TwentyFortyEight>(&other);
    check_coverage(&other, &waves, &[(18, 3), (26, 3)]);
}

fn check_coverage(cell: &Cell, waves: &impl Waves, levels: &[(u64, u64)]) {
    const SAMPLES: u64 = 200;
    let exact = exact(cell);
    let tallies = samples(cell, waves, levels, 250, SAMPLES);
    let covers = |tally: &&Tally| {
        splitting_of(tally)
            .interval(0.95)
            .is_some_and(|found| found.contains(exact))
    };
    let covered = tallies.iter().filter(covers).count();
    println!("{exact}: {covered} of {SAMPLES} intervals cover");
    // 95 % ± 3 standard errors.
    assert!((181..=199).contains(&covered), "{covered} of {SAMPLES}");
}

const EXPERIMENT: &str = "name = \"rare\"\nseed = 67\ngames = 300\n[[table]]\ntitle = \"rare\"\ngame = \"67\"\n\
                          size = \"3x3\"\noperators = \"+-\"\ntarget = 30\nmethod = [\"plain\", \"splitting\"]\n";

fn write(folder: &Path, name: &str, text: &str) -> String {
    let path = folder.join(name);
    std::fs::write(&path, text).unwrap();
    path.to_str().unwrap().to_owned()
}

/// Results have the same bytes for other threads, kernels and shards; a larger run continues a
/// smaller one.
#[test]
fn runs_of_replications_are_the_same_however_they_are_played() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "rare.toml", EXPERIMENT);
    let out = |name: &str| folder.path().join(name).to_str().unwrap().to_owned();
    let run = |name: &str, more: &[&str]| {
        let folder = out(name);
        let arguments = [&["run", &file, "--quiet", "--out", &folder], more].concat();
        succeeded(&tilelab(&arguments));
    };
    let cells = |name: &str| {
        std::fs::read_to_string(folder.path().join(name).join("rare/cells.csv")).unwrap()
    };
    run("whole", &["--threads", "1"]);
    let expected = cells("whole");
    run("threads", &["--threads", "3", "--kernel", "portable"]);
    assert_eq!(cells("threads"), expected);
    run("grown", &["--games", "120"]);
    run("grown", &[]);
    assert_eq!(cells("grown"), expected);
    run("parts", &["--shard", "1/2"]);
    run("parts", &["--shard", "2/2"]);
    let shards = [
        out("parts/rare/shard-1-of-2"),
        out("parts/rare/shard-2-of-2"),
    ];
    succeeded(&tilelab(&[
        "merge",
        "--out",
        &out("merged"),
        &shards[0],
        &shards[1],
    ]));
    assert_eq!(cells("merged"), expected);

    let mut reader = csv::Reader::from_reader(expected.as_bytes());
    let header = reader.headers().unwrap().clone();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let field = |row: usize, name: &str| {
        rows[row][header.iter().position(|known| known == name).unwrap()].to_owned()
    };
    assert_eq!(
        [field(0, "method"), field(1, "method")],
        ["plain", "splitting"]
    );
    assert_eq!(
        [field(0, "replications"), field(1, "replications")],
        ["", "300"]
    );
    assert!(field(1, "levels").contains('×') && field(0, "levels").is_empty());
    assert!(field(1, "effective_games").parse::<f64>().unwrap() > 300.0);
    assert!(field(1, "moves_mean").is_empty() && !field(0, "moves_mean").is_empty());
    let table = std::fs::read_to_string(folder.path().join("whole/rare/table.md")).unwrap();
    assert!(
        table.contains("effective games") && table.contains("Rows with method = splitting"),
        "{table}"
    );
    let distributions =
        std::fs::read_to_string(folder.path().join("whole/rare/distributions.csv")).unwrap();
    assert!(
        !distributions.contains("method=splitting"),
        "{distributions}"
    );
}

/// A run that is killed three times ends with the bytes of one that was left alone.
#[test]
fn a_killed_run_of_replications_ends_with_the_same_bytes() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(
        folder.path(),
        "rare.toml",
        &EXPERIMENT.replace("games = 300", "games = 4_000"),
    );
    let [whole, killed] =
        ["whole", "killed"].map(|name| folder.path().join(name).to_str().unwrap().to_owned());
    succeeded(&tilelab(&["run", &file, "--quiet", "--out", &whole]));
    let arguments = [
        "run",
        &file,
        "--quiet",
        "--out",
        &killed,
        "--kernel",
        "reference",
        "--save-every",
        "0.01",
    ];
    let previous = Path::new(&killed).join("rare/.state.previous");
    let mut unfinished = 0;
    for _ in 0..3 {
        let _ = std::fs::remove_file(&previous);
        let mut child = command(&arguments)
            .stderr(Stdio::null())
            .spawn()
            .expect("the binary runs");
        let begun = Instant::now();
        while !previous.exists() && child.try_wait().unwrap().is_none() {
            assert!(
                begun.elapsed() < Duration::from_secs(120),
                "{} did not come",
                previous.display()
            );
            std::thread::sleep(Duration::from_millis(2));
        }
        unfinished += u32::from(child.try_wait().unwrap().is_none());
        child.kill().unwrap();
        child.wait().unwrap();
    }
    assert!(unfinished > 0, "every run ended before it was killed");
    succeeded(&tilelab(&["run", &file, "--quiet", "--out", &killed]));
    let cells = |out: &str| std::fs::read_to_string(Path::new(out).join("rare/cells.csv")).unwrap();
    assert_eq!(cells(&killed), cells(&whole));
}

/// Replications that another version has split at other levels are kept and not added to.
#[test]
fn saved_replications_at_other_levels_are_refused() {
    let folder = tempfile::tempdir().unwrap();
    let file = write(folder.path(), "rare.toml", EXPERIMENT);
    let run = |games: &str| {
        tilelab(&[
            "run",
            &file,
            "--games",
            games,
            "--out",
            folder.path().to_str().unwrap(),
        ])
    };
    succeeded(&run("120"));
    let path = folder.path().join("rare/.state");
    let state = std::fs::read_to_string(&path).unwrap();
    let (_, levels) = state
        .split_once("\"levels\":[[")
        .expect("the cell is split");
    let level: u64 = levels.split_once(',').unwrap().0.parse().unwrap();
    let changed = state.replace(
        &format!("\"levels\":[[{level},"),
        &format!("\"levels\":[[{},", level + 1),
    );
    let (body, _) = changed.trim_end().rsplit_once('\n').unwrap();
    let sum = crc32fast::hash(format!("{body}\n").as_bytes());
    std::fs::write(&path, format!("{body}\n{{\"crc32\":\"{sum:08x}\"}}\n")).unwrap();
    let output = run("300");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(1), "{said}");
    assert!(
        said.contains(&format!("split at the levels {}×", level + 1)) && said.contains("--fresh"),
        "{said}"
    );
    let kept = std::fs::read_to_string(&path).unwrap();
    assert!(
        kept.contains(&format!("\"levels\":[[{},", level + 1)),
        "{kept}"
    );
}

/// A rule that asks for a precision ends the cell where the interval has it, not below 100
/// replications with a win.
#[test]
fn a_stopping_rule_ends_a_cell_of_replications() {
    let folder = tempfile::tempdir().unwrap();
    let text = EXPERIMENT
        .replace(
            "games = 300",
            "stop = { relative = 0.9, max_games = 30_000 }",
        )
        .replace("[\"plain\", \"splitting\"]", "\"splitting\"");
    let file = write(folder.path(), "rare.toml", &text);
    succeeded(&tilelab(&[
        "run",
        &file,
        "--quiet",
        "--out",
        folder.path().to_str().unwrap(),
    ]));
    let cells = std::fs::read_to_string(folder.path().join("rare/cells.csv")).unwrap();
    println!("{cells}");
    assert!(cells.contains(",precision,"), "{cells}");
    let mut reader = csv::Reader::from_reader(cells.as_bytes());
    let column = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "wins")
        .unwrap();
    let wins: u64 = reader.records().next().unwrap().unwrap()[column]
        .parse()
        .unwrap();
    assert!(wins >= 100, "{cells}");
    let listed = stdout(&tilelab(&["check", "--no-forecast", &file]));
    assert!(listed.contains("method=splitting"), "{listed}");
}

#[test]
fn what_has_no_single_games_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let write = |name: &str, text: &str| write(folder.path(), name, text);
    let file = write("rare.toml", EXPERIMENT);
    let out = folder.path().to_str().unwrap();
    refused(
        &tilelab(&["run", &file, "--out", out, "--per-game"]),
        &["--per-game", "method = splitting"],
    );
    let per_game = write(
        "per_game.toml",
        &EXPERIMENT.replace("games = 300", "per_game = true"),
    );
    refused(
        &tilelab(&["check", &per_game]),
        &["per_game.toml", "method = splitting"],
    );
    let listed = stdout(&tilelab(&["check", "--no-forecast", &file]));
    let key = listed
        .lines()
        .nth(1)
        .and_then(|line| line.split_whitespace().next())
        .unwrap();
    refused(
        &tilelab(&["replay", &file, "--cell", key, "--game", "0"]),
        &["replay", "method = splitting"],
    );
    let lanes = write(
        "lanes.toml",
        &EXPERIMENT.replace("target = 30", "lanes = 16"),
    );
    refused(
        &tilelab(&["check", &lanes]),
        &["lanes.toml", "method", "lanes = 16"],
    );
    let greedy = write(
        "greedy.toml",
        &EXPERIMENT.replace("target = 30", "player = \"greedy\""),
    );
    refused(
        &tilelab(&["check", &greedy]),
        &["method: splitting", "greedy"],
    );
    let wrong = write(
        "wrong.toml",
        &EXPERIMENT.replace("\"splitting\"", "\"split\""),
    );
    refused(
        &tilelab(&["check", &wrong]),
        &["method = \"split\"", "plain, splitting"],
    );
}
