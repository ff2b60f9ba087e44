//! Common random numbers: cells that differ in common parameters meet the same draws and are
//! compared in pairs.

use crate::common::{folder, stdout, succeeded, text, tilelab, write};
use std::path::Path;
use tilelab::compare::play_pairs;
use tilelab::exact::{Limits, Problem};
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::json::Json;
use tilelab::plan::{Overrides, Plan};
use tilelab::{Cell, KernelChoice};

fn experiment(lines: &str) -> String {
    format!(
        "name = \"c\"\nseed = 5\ngames = 400\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"3x3\"\ntarget = 9\n{lines}\n"
    )
}

fn plan(lines: &str) -> Plan {
    Plan::of_text(&experiment(lines), Overrides::default())
        .unwrap_or_else(|error| panic!("{error}"))
}

const RATES: &str = "operator_rate = [0.5, 0.52, 0.6]";

#[test]
fn the_key_says_what_is_common_and_the_streams_leave_it_out() {
    let common = plan(&format!("{RATES}\ncommon = [\"operator_rate\"]"));
    let apart = plan(RATES);
    let key = "sixty-seven/rules=original,rows=3,cols=3,operators=+-*,operator_rate=0.52,tiles_per_turn=2,target=9";
    assert_eq!(
        common.cells[1].key(),
        format!("{key},common=operator_rate/random")
    );
    assert_eq!(
        common.cells[1].world_key(),
        key.replace("operator_rate=0.52,", "")
    );
    assert_eq!(apart.cells[1].key(), format!("{key}/random"));
    assert_eq!(apart.cells[1].world_key(), key);
    for (cell, other) in common.cells.iter().zip(&apart.cells) {
        assert_eq!(cell.seeds(5), common.cells[0].seeds(5));
        assert_ne!(cell.seeds(5), other.seeds(5));
        assert_ne!(cell.seeds(5), cell.seeds(6));
    }
    assert_ne!(apart.cells[0].seeds(5), apart.cells[1].seeds(5));
    let fingerprints = common
        .cells
        .iter()
        .chain(&apart.cells)
        .map(|cell| cell.fingerprint(5));
    assert_eq!(
        fingerprints
            .collect::<std::collections::HashSet<u64>>()
            .len(),
        6
    );
    let two = plan("rules = [\"original\", \"gapless\"]\ncommon = [\"target\", \"rules\"]");
    assert!(
        two.cells[1]
            .key()
            .ends_with(",target=9,common=rules+target/random"),
        "{}",
        two.cells[1].key()
    );
}

/// The tiles of the first round of 50 games, with their cells.
fn first_tiles(cell: &Cell) -> Vec<Json> {
    let job = cell.job(5, KernelChoice::Auto).unwrap();
    let first = |game| {
        let mut lines = Vec::new();
        job.replay(game, &mut |line| lines.push(line["spawned"].clone()));
        lines.swap_remove(0)
    };
    (0..50).map(first).collect()
}

#[test]
fn neighbouring_cells_meet_the_same_draws() {
    let same = |a: &Cell, b: &Cell| {
        let tiles = first_tiles(a).into_iter().zip(first_tiles(b));
        let place = |tile: &Json| (tile["row"].clone(), tile["col"].clone());
        let all = |tiles: &Json| {
            tiles
                .as_array()
                .unwrap()
                .iter()
                .map(place)
                .collect::<Vec<_>>()
        };
        let counted = tiles.map(|(a, b)| (u32::from(a == b), u32::from(all(&a) == all(&b))));
        counted.fold((0, 0), |(tiles, cells), (tile, cell)| {
            (tiles + tile, cells + cell)
        })
    };
    let common = plan(&format!("{RATES}\ncommon = [\"operator_rate\"]"));
    let (tiles, cells) = same(&common.cells[0], &common.cells[1]);
    assert_eq!(cells, 50, "the same cells");
    assert!(
        (40..=50).contains(&tiles),
        "{tiles} of 50 rounds begin with the same tiles"
    );
    let apart = plan(RATES);
    assert!(same(&apart.cells[0], &apart.cells[1]).0 < 5);
    // Under the same rules for tiles, all draws are the same.
    let presets = plan("rules = [\"original\", \"merge-runs\"]\ncommon = [\"rules\"]");
    assert_eq!(same(&presets.cells[0], &presets.cells[1]), (50, 50));
}

fn run(folder: &Path, name: &str, text_of_file: &str, more: &[&str]) -> std::path::PathBuf {
    let file = write(folder, "c.toml", text_of_file);
    let out = folder.join(name);
    succeeded(&tilelab(
        &[&["run", text(&file), "--out", text(&out), "--quiet"], more].concat(),
    ));
    out.join("c")
}

#[test]
fn contrasts_are_the_same_with_and_without_rows_of_games() {
    let folder = folder();
    let file = experiment(&format!("{RATES}\ncommon = [\"operator_rate\"]"));
    let stored = run(
        folder.path(),
        "stored",
        &file,
        &["--per-game=csv", "--threads", "1"],
    );
    let plain = run(
        folder.path(),
        "plain",
        &file,
        &["--kernel", "reference", "--threads", "2"],
    );
    let cells = |results: &Path| std::fs::read(results.join("cells.csv")).unwrap();
    assert!(
        cells(&stored) == cells(&plain),
        "threads and kernels change nothing"
    );
    let contrasts = |results: &Path, more: &[&str]| {
        let output = tilelab(
            &[
                &[
                    "compare",
                    text(results),
                    "--by",
                    "operator_rate",
                    "--format",
                    "csv",
                ],
                more,
            ]
            .concat(),
        );
        succeeded(&output);
        stdout(&output)
    };
    let found = contrasts(&stored, &["--paired"]);
    assert_eq!(
        found.lines().count(),
        3,
        "two rates beside the first: {found}"
    );
    assert!(
        found
            .lines()
            .skip(1)
            .all(|line| line.contains(",paired,400,400,400,")),
        "{found}"
    );
    assert_eq!(contrasts(&plain, &["--paired"]), found, "played again");
    assert_eq!(
        contrasts(&stored, &["--baseline", "0.5", "--paired=400"]),
        found
    );
    let unpaired = contrasts(&stored, &[]);
    assert!(
        unpaired.contains("unpaired (could be paired)"),
        "{unpaired}"
    );
}

#[test]
fn wrong_common_parameters_are_named() {
    for (lines, words) in [
        (
            "common = [\"rate\"]",
            "common: rate: unknown parameter; accepted: rules, rows",
        ),
        (
            "common = [\"target\", \"target\"]",
            "common: target is named twice",
        ),
        (
            "common = []",
            "common = []: not accepted; accepted: a list of parameters",
        ),
        ("common = \"target\"", "common = \"target\": not accepted"),
        (
            "common = [\"target\"]\nlanes = 16",
            "common: games that share one sequence of tiles cannot be compared in pairs; leave lanes out",
        ),
    ] {
        let error = Plan::of_text(&experiment(lines), Overrides::default()).unwrap_err();
        assert!(error.contains(words), "{lines}: {error}");
    }
}

/// Repeated experiments with common numbers, compared with the exact rates of two cells.
#[test]
fn paired_intervals_cover_the_exact_difference() {
    let text = "name = \"c\"\nseed = 5\ngames = 400\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"1x4\"\ntarget = 8\nmax_rounds = 8\n\
                digits = \"35\"\noperators = \"+\"\noperator_rate = [0.4, 0.5]\ncommon = [\"operator_rate\"]\n";
    let cells = Plan::of_text(text, Overrides::default()).unwrap().cells;
    let exact = |cell: &Cell| {
        let problem = Problem::sixty_seven(&SixtySeven::from_params(&cell.params)).unwrap();
        problem.solve(Limits::default()).won
    };
    let truth = exact(&cells[1]) - exact(&cells[0]);
    assert!(truth.abs() > 1e-4, "{truth}");
    let repetitions = 400;
    let games = 200;
    let mut covered = 0;
    for seed in 0..repetitions {
        let jobs =
            [&cells[0], &cells[1]].map(|cell| cell.job(seed, KernelChoice::Portable).unwrap());
        let found = play_pairs(&*jobs[0], &*jobs[1], None, games)
            .rates(0.95)
            .unwrap();
        covered += u64::from(found.interval.contains(truth));
    }
    let share = covered as f64 / repetitions as f64;
    println!("coverage {share} of the difference {truth}");
    assert!((0.92..=0.99).contains(&share), "{share}");
}
