//! Curves over the operator rate: counted tiles, exact rates, the verb and what it refuses.

use crate::common::{folder, play, refused, stdout, succeeded, text, tilelab, write};
use crate::kernels::kernels;
use std::path::Path;
use tilelab::exact::{Limits, Problem};
use tilelab::game::GameObserver;
use tilelab::games::sixty_seven::SixtySeven;
use tilelab::stats::Curve;
use tilelab::{Cell, KernelChoice, Tally, play_games};

fn cell(text: &str) -> Cell {
    let mut cell = Cell::parse(&format!("sixty-seven {text}")).unwrap();
    cell.common = vec!["method"];
    cell
}

/// Kernels count what the plain rules count, in the games that the cell has without counting.
#[test]
fn tiles_are_counted_the_same_by_all() {
    for text in [
        "size=4x4",
        "size=3x3",
        "size=3x5 rules=gapless",
        "size=3x4 rules=gapless tiles_per_turn=1",
        "size=2x1 tiles_per_turn=3",
        "size=11x9 max_rounds=60",
        "size=6x7 rules=gapless operator_rate=0.3 tiles_per_turn=3",
        "size=5x5 rules=merge-runs max_rounds=30",
        "size=3x3 rules=bounded value_limit=20 tiles_per_turn=20",
        "size=9x10 rules=merge-pairs max_rounds=40",
        "size=2x2 target=5",
    ] {
        let counted = cell(&format!("{text} method=counted"));
        let play = |cell: &Cell, kernel| play_games(cell.job(67, kernel).unwrap().as_ref(), 5..205);
        let reference = play(&counted, KernelChoice::Reference);
        let games: u64 = reference.counted.values().map(|[games, _]| games).sum();
        assert_eq!(games, 200, "{text}");
        for kernel in kernels() {
            assert_eq!(play(&counted, kernel), reference, "{text} with {kernel:?}");
        }
        let plain = play(&cell(text), KernelChoice::Auto);
        assert!(plain.counted.is_empty());
        let mut uncounted = reference.clone();
        uncounted.counted.clear();
        assert_eq!(uncounted, plain, "{text}");
        let mut with_positions = Tally::new(&[]);
        let job = counted.job(67, KernelChoice::Auto).unwrap();
        let observer = GameObserver {
            positions: true,
            each: &mut |_, _, _| (),
        };
        job.play(5..205, &mut with_positions, Some(observer));
        assert_eq!(with_positions, reference, "{text}");
        let saved = serde_json::to_string(&reference).unwrap();
        let read: Tally = serde_json::from_str(&saved).unwrap();
        assert_eq!(read.checked(&[]).unwrap(), reference, "{text}");
    }
}

/// One and several rates against the exact figures of a small board.
#[test]
fn curves_hold_the_exact_rates() {
    const BOARD: &str = "rows=2 cols=3 operators=+ digits=12 target=3 value_limit=9 max_rounds=9";
    let at = |rate: f64| {
        let cell = cell(&format!("{BOARD} operator_rate={rate}"));
        let problem = Problem::sixty_seven(&SixtySeven::from_params(&cell.params)).unwrap();
        problem.solve(Limits::default())
    };
    let rates = [0.35, 0.48, 0.5, 0.65];
    let truths = rates.map(|rate| {
        let exact = at(rate);
        let slope = (at(rate + 1e-4).won - at(rate - 1e-4).won) / 2e-4;
        let moves = [exact.moves, exact.moves_win].map(|moves| moves.mean().unwrap());
        [exact.won, slope, moves[0], moves[1]]
    });
    for played in [&[0.5][..], &[0.4, 0.5, 0.6]] {
        let play = |rate: &f64| {
            let text = format!("{BOARD} operator_rate={rate} method=counted");
            (*rate, cell(&text).play(20_000, 67).unwrap())
        };
        let cells: Vec<(f64, Tally)> = played.iter().map(play).collect();
        let cells: Vec<(f64, &Tally)> = cells.iter().map(|(rate, tally)| (*rate, tally)).collect();
        let points = Curve::new(&cells).points(&rates, 0.9999);
        for (point, truth) in points.into_iter().zip(truths) {
            for (figure, truth) in point.figures.into_iter().zip(truth) {
                let figure = figure.expect("the board is small");
                assert!(
                    figure.interval.contains(truth)
                        && figure.standard_error < 0.03 * truth.abs().max(1.0),
                    "{played:?} at {}: {truth} {figure:?}",
                    point.rate
                );
                assert!(figure.band.half_width() >= figure.interval.half_width());
            }
        }
    }
}

fn experiment(name: &str, table: &str) -> String {
    format!(
        "name = \"{name}\"\nseed = 67\ngames = 6000\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n{table}\n"
    )
}

fn curve(dir: &Path, more: &[&str]) -> String {
    let output = tilelab(&[&["curve", text(dir)], more].concat());
    succeeded(&output);
    stdout(&output)
}

#[test]
fn the_verb_writes_the_same_however_games_were_played() {
    let folder = folder();
    let path = folder.path();
    let table =
        "size = [\"3x3\", \"4x4\"]\ntarget = 6\noperator_rate = [0.45, 0.5]\nmethod = \"counted\"";
    let file = write(path, "c.toml", &experiment("c", table));
    let whole = path.join("whole");
    play(&file, &whole, &["--games", "3000"]);
    play(&file, &whole, &[]);
    let parts = path.join("parts");
    for shard in ["1/2", "2/2"] {
        play(&file, &parts, &["--shard", shard, "--kernel", "portable"]);
    }
    let shards = ["shard-1-of-2", "shard-2-of-2"].map(|shard| parts.join("c").join(shard));
    let merged = path.join("merged");
    let [first, second] = shards.each_ref().map(|shard| text(shard));
    succeeded(&tilelab(&["merge", first, second, "--out", text(&merged)]));
    let csv = curve(&whole.join("c"), &["--format", "csv"]);
    assert_eq!(csv, curve(&merged.join("c"), &["--format", "csv"]));
    assert_eq!(csv.lines().count(), 1 + 2 * 99);
    assert!(csv.starts_with("cell,operator_rate,effective_games,win_pct,win_pct_se,"));
    let range = ["--from", "0.44", "--to", "0.9", "--step", "0.02"];
    let page = curve(&whole.join("c"), &range);
    assert!(page.contains("Games: 6000 at 0.45, 6000 at 0.5."), "{page}");
    assert!(page.contains("\n| 0.46 | "), "{page}");
    assert!(
        page.contains("Refused, since the weights rest on too few games"),
        "{page}"
    );
    assert!(page.contains("to 0.9."), "{page}");
    let svg = curve(&whole.join("c"), &["--format", "svg"]);
    assert!(
        svg.starts_with("<svg") && svg.contains("class=\"band f1\""),
        "{svg}"
    );
}

#[test]
fn what_makes_no_curve_is_refused() {
    let folder = folder();
    let path = folder.path();
    for (name, table, more, words) in [
        (
            "plain",
            "size = \"2x2\"",
            &[][..],
            &[
                "no cell that has ended has counted tiles",
                "method = \"counted\"",
            ][..],
        ),
        (
            "edge",
            "size = \"2x2\"\nmethod = \"counted\"\noperator_rate = 1.0",
            &[],
            &["operator_rate=1", "say nothing"],
        ),
        (
            "stopping",
            "size = \"2x2\"\nmethod = \"counted\"\nstop = { half_width = 0.2, max_games = 3000 }",
            &[],
            &["it has a stopping rule"],
        ),
        (
            "common",
            "size = \"2x2\"\nmethod = \"counted\"\noperator_rate = [0.4, 0.5]\ncommon = [\"operator_rate\"]",
            &[],
            &["share random numbers", "out of common"],
        ),
        (
            "far",
            "method = \"counted\"",
            &["--from", "0.8"],
            &["refused at every rate", "more games"],
        ),
        (
            "step",
            "size = \"2x2\"\nmethod = \"counted\"",
            &["--step", "0"],
            &["--step 0", "0.0001 to 0.5"],
        ),
        (
            "order",
            "size = \"2x2\"\nmethod = \"counted\"",
            &["--from", "0.5", "--to", "0.4"],
            &["--from 0.5", "--to 0.4"],
        ),
        (
            "beyond",
            "size = \"2x2\"\nmethod = \"counted\"",
            &["--to", "1"],
            &["--to 1", "between 0 and 1"],
        ),
    ] {
        let file = write(path, "c.toml", &experiment(name, table));
        play(&file, path, &[]);
        let dir = path.join(name);
        refused(&tilelab(&[&["curve", text(&dir)], more].concat()), words);
    }
    refused(
        &tilelab(&["curve", text(&path.join("nowhere"))]),
        &["nowhere", "no saved state"],
    );
    for (setting, words) in [
        (
            "lanes = 16",
            &["method", "correlated weights", "lanes = 16"][..],
        ),
        (
            "player = \"greedy\"",
            &["greedy looks at operator_rate", "random and cycle"],
        ),
        ("player = \"planner\"", &["planner looks at operator_rate"]),
    ] {
        let table = format!("size = \"4x4\"\nmethod = \"counted\"\n{setting}");
        let file = write(path, "c.toml", &experiment("c", &table));
        refused(&tilelab(&["run", text(&file), "--out", text(path)]), words);
    }
}
