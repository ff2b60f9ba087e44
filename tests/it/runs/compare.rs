//! `compare`: what differs, and how surely.

use crate::common::{folder, refused, stderr, stdout, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use std::process::Output;

/// Plays 67! on 3×3 with these keys and returns the results folder.
pub(super) fn play(folder: &Path, name: &str, head: &str, table: &str) -> PathBuf {
    let toml = format!(
        "name = \"{name}\"\n{head}\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\n{table}\n"
    );
    let file = write(folder, "experiment.toml", &toml);
    crate::common::play(&file, folder, &[]);
    folder.join(name)
}

pub(super) fn compare(a: &Path, b: &Path, more: &[&str]) -> Output {
    let mut arguments = vec!["compare", text(a), text(b)];
    arguments.extend(more);
    tilelab(&arguments)
}

fn rows(output: &Output) -> Vec<Vec<(String, String)>> {
    let text = stdout(output);
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let row = |row: csv::StringRecord| {
        header
            .iter()
            .zip(&row)
            .map(|(a, b)| (a.to_owned(), b.to_owned()))
            .collect()
    };
    reader
        .records()
        .map(|record| row(record.unwrap()))
        .collect()
}

fn field<'a>(row: &'a [(String, String)], name: &str) -> &'a str {
    &row.iter()
        .find(|(column, _)| column == name)
        .unwrap_or_else(|| panic!("no column {name}"))
        .1
}

#[test]
fn the_same_games_are_the_same() {
    let folder = folder();
    let cells = "target = [0, 9, 67]";
    let a = play(folder.path(), "a", "seed = 1\ngames = 500", cells);
    let b = play(folder.path(), "b", "seed = 1\ngames = 500", cells);
    let output = compare(&a, &b, &["--format", "csv", "--fail-on-difference"]);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    let rows = rows(&output);
    assert_eq!(rows.len(), 3);
    for row in &rows {
        assert_eq!(
            (field(row, "analysis"), field(row, "different")),
            ("same games", "false")
        );
        assert_eq!(field(row, "win_pct_diff"), "0");
        assert_eq!(field(row, "win_pct_p_holm"), "1");
    }
    // One win more out of the same games is no chance.
    let path = b.join("cells.csv");
    let csv = std::fs::read_to_string(&path).unwrap();
    let changed: Vec<String> = csv
        .lines()
        .map(|line| line.replace(",67,500,", ",67,500,1"))
        .collect();
    assert_ne!(changed.join("\n") + "\n", csv);
    std::fs::write(&path, changed.join("\n")).unwrap();
    let output = compare(&a, &path, &["--fail-on-difference"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains("| different: the same games gave other results |"),
        "{}",
        stdout(&output)
    );
    assert_eq!(
        compare(&a, &path, &[]).status.code(),
        Some(0),
        "differences fail only where that is asked for"
    );
}

/// Rows of one result that differ in one column only.
#[test]
fn cells_of_one_result_are_compared_by_a_parameter() {
    let folder = folder();
    let cells = "player = [\"random\", \"cycle\"]\noperator_rate = [0.4, 0.5, 0.6]\ntarget = 9";
    let a = play(folder.path(), "a", "seed = 1\ngames = 200", cells);
    let by = |column: &str, baseline: &str| {
        tilelab(&[
            "compare",
            text(&a),
            "--by",
            column,
            "--baseline",
            baseline,
            "--format",
            "csv",
        ])
    };
    let players = rows(&by("player", "random"));
    assert_eq!(players.len(), 3);
    assert!(
        players
            .iter()
            .all(|row| field(row, "cell_a").ends_with("/random")
                && field(row, "cell_b").contains("/cycle"))
    );
    let rates = rows(&by("operator_rate", "0.5"));
    assert_eq!(rates.len(), 4);
    assert!(
        rates
            .iter()
            .all(|row| field(row, "cell_a").contains("operator_rate=0.5"))
    );
    refused(
        &by("colour", "red"),
        &[
            "--by colour: no such parameter; accepted: ",
            "operator_rate",
        ],
    );
    refused(
        &by("operator_rate", "0.7"),
        &["--baseline 0.7", "accepted: 0.4, 0.5, 0.6"],
    );
    let paired = tilelab(&[
        "compare",
        text(&a),
        "--by",
        "player",
        "--baseline",
        "random",
        "--paired=50",
        "--format",
        "csv",
    ]);
    for row in rows(&paired) {
        let number = |name: &str| field(&row, name).parse::<f64>().unwrap();
        assert_eq!(
            (field(&row, "analysis"), field(&row, "games_paired")),
            ("paired", "50")
        );
        // All figures are those of the pairs.
        assert!((number("win_pct_b") - number("win_pct_a") - number("win_pct_diff")).abs() < 1e-9);
        assert!(
            (number("moves_mean_b") - number("moves_mean_a") - number("moves_mean_diff")).abs()
                < 1e-9
        );
        assert!(
            (number("win_pct_a") / 2.0).fract() < 1e-9,
            "a rate of 50 games"
        );
    }
}

#[test]
fn other_seeds_agree_and_other_rules_differ() {
    let folder = folder();
    let a = play(
        folder.path(),
        "a",
        "seed = 1\ngames = 2000",
        "target = [67, 9]\ndigits = [\"0123456789\", \"09\"]",
    );
    let b = play(
        folder.path(),
        "b",
        "seed = 2\ngames = 2000",
        "target = [67, 9]\ndigits = [\"0123456789\", \"09\"]",
    );
    let output = compare(&a, &b, &["--format", "csv", "--fail-on-difference"]);
    assert_eq!(output.status.code(), Some(0), "{}", stdout(&output));
    let found = rows(&output);
    assert_eq!(found.len(), 4);
    for row in &found {
        assert_eq!(field(row, "analysis"), "unpaired");
        let number = |name: &str| field(row, name).parse::<f64>().unwrap();
        assert!(
            number("win_pct_diff_lo") < number("win_pct_diff")
                && number("win_pct_diff") < number("win_pct_diff_hi")
        );
        assert!((number("win_pct_b") - number("win_pct_a") - number("win_pct_diff")).abs() < 1e-9);
        assert!(
            number("win_pct_p") <= number("win_pct_p_holm")
                && number("moves_mean_p") <= number("moves_mean_p_holm")
        );
    }
    // With the key of A's cells put on B's figures, other rules show up as a difference: target 9
    // against 67.
    let path = folder.path().join("renamed.csv");
    let csv = std::fs::read_to_string(b.join("cells.csv")).unwrap();
    std::fs::write(
        &path,
        csv.replace("target=9", "target=8")
            .replace("target=67", "target=9"),
    )
    .unwrap();
    let output = compare(&a, &path, &["--fail-on-difference"]);
    assert_eq!(output.status.code(), Some(1));
    assert!(
        stdout(&output).contains(" | different |\n"),
        "{}",
        stdout(&output)
    );
    let shown = stdout(&compare(&a, &path, &["--format", "text"]));
    assert!(
        shown.lines().all(|line| line.chars().count() <= 100) && !shown.contains('|'),
        "{shown}"
    );
    assert!(
        stderr(&output).contains("only in A: ") && stderr(&output).contains("only in B: "),
        "{}",
        stderr(&output)
    );
    let head = stdout(&output);
    assert!(
        head.starts_with("A: ")
            && head.contains("unpaired, 2000 and 2000 games")
            && head.contains("Holm"),
        "{head}"
    );
}

/// Holm's correction counts comparisons, so the same one must not be there twice.
#[test]
fn a_cell_in_several_tables_is_compared_once() {
    let folder = folder();
    let tables = "target = [0, 9]\n[[table]]\ntitle = \"u\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\ntarget = [9, 67]";
    let a = play(folder.path(), "a", "seed = 1\ngames = 500", tables);
    let b = play(folder.path(), "b", "seed = 2\ngames = 500", tables);
    let of_two = compare(&a, &b, &["--format", "csv"]);
    assert_eq!(rows(&of_two).len(), 3, "{}", stdout(&of_two));
    // One side has the cell in another table.
    let c = play(
        folder.path(),
        "c",
        "seed = 3\ngames = 500",
        "target = [67, 9, 0]",
    );
    let output = compare(&a, &c, &["--format", "csv"]);
    assert_eq!(rows(&output).len(), 3, "{}", stdout(&output));
    assert!(!stderr(&output).contains("only in"), "{}", stderr(&output));
    let by = ["compare", text(&a), "--by", "target", "--format", "csv"];
    let output = tilelab(&by);
    assert_eq!(rows(&output).len(), 2, "{}", stdout(&output));
}

#[test]
fn nested_runs_and_value_lanes_are_called_what_they_are() {
    let folder = folder();
    let few = play(folder.path(), "few", "seed = 1\ngames = 400", "target = 9");
    let more = play(folder.path(), "more", "seed = 1\ngames = 800", "target = 9");
    let nested = stdout(&compare(&few, &more, &[]));
    assert!(
        nested.contains(
            "nested (the games of one are among those of the other), 400 and 800 games\n"
        ),
        "{nested}"
    );
    assert!(nested.contains("cannot confirm each other"), "{nested}");
    let lanes = play(
        folder.path(),
        "lanes",
        "seed = 1\ngames = 800",
        "target = 9\nlanes = 16",
    );
    let found = stdout(&compare(&more, &lanes, &[]));
    assert!(
        found.contains("| – | lanes 16 | win % |") && found.contains("unpaired, 800 and 800 games"),
        "{found}"
    );
}

#[test]
fn rates_are_equivalent_but_for_a_margin() {
    let folder = folder();
    let cells = "player = [\"random\", \"cycle\"]\ntarget = 11";
    let a = play(folder.path(), "a", "seed = 1\ngames = 1000", cells);
    let b = play(folder.path(), "b", "seed = 2\ngames = 1000", cells);
    let p = |output: &Output, name: &str| -> Vec<f64> {
        rows(output)
            .iter()
            .map(|row| field(row, name).parse().unwrap())
            .collect()
    };
    let wide = compare(&a, &b, &["--margin", "0.2", "--format", "csv"]);
    assert!(
        p(&wide, "equivalence_p_holm").iter().all(|p| *p < 0.01),
        "{}",
        stdout(&wide)
    );
    let narrow = compare(&a, &b, &["--margin", "0.00001", "--format", "csv"]);
    assert!(
        p(&narrow, "equivalence_p").iter().all(|p| *p > 0.05),
        "{}",
        stdout(&narrow)
    );
    let text_of = stdout(&compare(&a, &b, &["--margin", "0.2"]));
    assert!(
        text_of.contains("| within ± 20 percentage points |")
            && text_of.contains(" | equivalent, p "),
        "{text_of}"
    );
    assert!(text_of.contains("Schuirmann"), "{text_of}");
    let paired = [
        "compare",
        text(&a),
        "--by",
        "player",
        "--paired=500",
        "--margin",
        "0.2",
    ];
    let paired = stdout(&tilelab(&paired));
    assert!(
        paired.contains("500 pairs of games") && paired.contains("equivalent, p "),
        "{paired}"
    );
    let without = rows(&compare(&a, &b, &["--format", "csv"]));
    assert_eq!(field(&without[0], "equivalence_p"), "");
    refused(
        &compare(&a, &b, &["--margin", "1"]),
        &["--margin", "between 0 and 1"],
    );
}

/// `--paired` never falls back to independent samples in silence.
#[test]
fn cells_that_cannot_be_paired_are_refused() {
    let folder = folder();
    let head = "seed = 1\ngames = 64";
    let cells = "target = 9\nrules = [\"original\", \"gapless\"]";
    let apart = play(folder.path(), "apart", head, cells);
    let common = format!("{cells}\ncommon = [\"rules\"]");
    let together = play(folder.path(), "together", head, &common);
    let lanes = "target = [9, 11]\nlanes = 16";
    let lanes = play(folder.path(), "lanes", head, lanes);
    let other = play(folder.path(), "other", "seed = 2\ngames = 64", cells);
    let by = |results: &Path, column: &str, more: &[&str]| {
        let arguments = ["compare", text(results), "--by", column, "--paired"];
        tilelab(&[&arguments, more].concat())
    };
    refused(
        &by(&apart, "rules", &[]),
        &[
            "--paired: the cells original and gapless cannot",
            "because rules differ; add `common = [\"rules\"]`",
            "--unpaired-ok",
        ],
    );
    let unpaired = by(&apart, "rules", &["--unpaired-ok"]);
    succeeded(&unpaired);
    assert!(stdout(&unpaired).contains("\nt; unpaired, 64 and 64 games\n"));
    assert!(stdout(&by(&together, "rules", &[])).contains("\nt; paired, 64 pairs of games\n"));
    refused(
        &by(&lanes, "target", &[]),
        &["value lanes are correlated", "without `lanes`"],
    );
    refused(
        &compare(&apart, &other, &["--paired"]),
        &["their seeds differ, 1 and 2"],
    );
    succeeded(&compare(&apart, &apart, &["--paired"]));
}

/// `size` stands for rows and columns, and a player's name for its plain form where there is one.
#[test]
fn sizes_and_players_with_parameters_are_compared() {
    let folder = folder();
    let toml = "name = \"s\"\nseed = 1\ngames = 64\n[[table]]\ntitle = \"t\"\ngame = \"67\"\ntarget = 9\n\
                size = [\"3x3\", \"3x4\"]\nplayer = [\"cycle\", { name = \"cycle\", order = \"lurd\" }, \"random\"]\n";
    let file = write(folder.path(), "experiment.toml", toml);
    crate::common::play(&file, folder.path(), &[]);
    let results = folder.path().join("s");
    let by = |column: &str, more: &[&str]| {
        let arguments = ["compare", text(&results), "--by", column, "--format", "csv"];
        let output = tilelab(&[&arguments, more].concat());
        succeeded(&output);
        let pairs = rows(&output);
        let keys = pairs.iter().map(|row| {
            let player = |name: &str| field(row, name).rsplit('/').next().unwrap().to_owned();
            format!("{} {}", player("cell_a"), player("cell_b"))
        });
        keys.collect::<Vec<_>>()
    };
    assert_eq!(
        by("size", &["--baseline", "3x4"]),
        [
            "cycle cycle",
            "cycle(order=lurd) cycle(order=lurd)",
            "random random"
        ]
    );
    let both = ["cycle cycle(order=lurd)", "cycle random"];
    assert_eq!(by("player", &[]), [both, both].concat());
    assert_eq!(by("player", &["--baseline", "random"]).len(), 4);
}

/// Wins of splitting are no counts, and a stopping rule chooses counts by what they are: the
/// interval of each rate is used, and few wins of splitting are said to be few.
#[test]
fn rates_with_intervals_of_their_own_are_compared_by_them() {
    let folder = folder();
    let mut few = 0;
    for (cells, seeds) in [
        ("method = \"splitting\"\ngames = 300", vec![1, 3, 5]),
        ("stop = { half_width = 0.02, max_games = 100000 }", vec![1]),
    ] {
        let cells = format!("operators = \"+-\"\n{cells}");
        for seed in seeds {
            let run = |seed: u64| {
                let head = format!("seed = {seed}");
                let name = format!("s{}-{seed}", cells.len());
                play(folder.path(), &name, &head, &cells)
            };
            let of = [run(seed), run(seed + 1)];
            let found = rows(&compare(
                &of[0],
                &of[1],
                &["--format", "csv", "--margin", "0.1"],
            ));
            let row = &found[0];
            let number = |name: &str| field(row, name).parse::<f64>().unwrap();
            let contains_0 = number("win_pct_diff_lo") <= 0.0 && number("win_pct_diff_hi") >= 0.0;
            assert_eq!(contains_0, number("win_pct_p") > 0.05);
            assert_eq!(field(row, "win_pct_p_exact"), "");
            assert!(number("equivalence_p") < 1e-3);
            few +=
                usize::from(field(row, "analysis") == "unpaired (fewer than 10 replications won)");
        }
    }
    assert!(few > 0);
}

/// Scores of 2048: as means of two samples, in pairs that are played again, and in pairs from
/// `games.csv`.
#[test]
fn means_of_a_measure_are_compared() {
    let folder = folder();
    let toml = "name = \"s\"\nseed = 1\ngames = 100\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\n\
                player = [\"random\", \"corner\"]\n";
    let file = write(folder.path(), "experiment.toml", toml);
    let run = [
        "run",
        text(&file),
        "--out",
        text(folder.path()),
        "--quiet",
        "--per-game=csv",
    ];
    succeeded(&tilelab(&run));
    let results = folder.path().join("s");
    let command = |more: &[&str]| {
        let arguments = ["compare", text(&results), "--by", "player"];
        tilelab(&[&arguments, more].concat())
    };
    let one = |more: &[&str]| {
        let output = command(&[&["--format", "csv"], more].concat());
        let found = rows(&output);
        assert_eq!(found.len(), 1, "{}", stderr(&output));
        found.into_iter().next().unwrap()
    };
    let number = |row: &[(String, String)], name: &str| field(row, name).parse::<f64>().unwrap();
    let without = one(&[]);
    assert_eq!(
        (
            field(&without, "measure"),
            field(&without, "measure_mean_p")
        ),
        ("", "")
    );
    let scores = one(&["--measure", "merge_score"]);
    assert_eq!(field(&scores, "measure"), "merge_score");
    assert!(
        number(&scores, "measure_mean_diff_lo") > 1000.0
            && number(&scores, "measure_mean_p") < 1e-9
    );
    // Three differences are tested in place of two, and every p-value counts as often.
    let ratio = |name: &str| number(&scores, name) / number(&without, name);
    assert!(
        (ratio("moves_mean_p_holm") - 1.5).abs() < 1e-9,
        "{}",
        ratio("moves_mean_p_holm")
    );
    // By hand, from the rows of the games.
    let games = std::fs::read_to_string(results.join("games.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(games.as_bytes());
    let place = reader
        .headers()
        .unwrap()
        .iter()
        .position(|name| name == "merge_score")
        .unwrap();
    let values: Vec<f64> = reader
        .records()
        .map(|row| row.unwrap()[place].parse().unwrap())
        .collect();
    let (random, corner) = values.split_at(100);
    let mean = |values: &[f64]| values.iter().sum::<f64>() / values.len() as f64;
    assert_eq!(number(&scores, "measure_mean_a"), mean(random));
    assert_eq!(number(&scores, "measure_mean_b"), mean(corner));
    let stored = one(&["--measure", "merge_score", "--paired"]);
    assert_eq!(field(&stored, "analysis"), "paired");
    assert!((number(&stored, "measure_mean_diff") - (mean(corner) - mean(random))).abs() < 1e-6);
    let text_of = stdout(&command(&["--measure", "merge_score", "--paired"]));
    assert!(
        text_of.contains("| merge_score | ") && text_of.contains(" all 3 comparisons"),
        "{text_of}"
    );
    refused(
        &command(&["--measure", "score"]),
        &[
            "--measure score: ",
            "accepted: tile_sum, merge_score, largest_tile",
        ],
    );
    let plain = play(folder.path(), "a", "seed = 1\ngames = 5", "target = 9");
    refused(
        &compare(&plain, &plain, &["--measure", "score"]),
        &["--measure score: ", "accepted: none"],
    );
}

#[test]
fn what_is_missing_on_one_side_is_a_difference() {
    let folder = folder();
    let a = play(
        folder.path(),
        "a",
        "seed = 1\ngames = 50",
        "target = [0, 9]",
    );
    let b = play(folder.path(), "b", "seed = 1\ngames = 50", "target = 9");
    let output = compare(&a, &b, &["--fail-on-difference"]);
    assert_eq!(output.status.code(), Some(1));
    let last = "1 pair of cells, 0 differ; 1 cell is in one of the results only";
    assert_eq!(stderr(&output).lines().last(), Some(last));
}

/// Players with files of weights: their keys have the ID of a file, their columns also its path.
#[test]
fn players_with_weights_are_compared() {
    let folder = folder();
    let learn = |seed: &str, file: &str| {
        let file = folder.path().join(file);
        let to = ["--seed", seed, "--quiet", "--out", text(&file)];
        let game = [
            "learn", "--game", "67", "--set", "size=3x3", "--games", "20",
        ];
        succeeded(&tilelab(&[&game[..], &to].concat()));
    };
    learn("1", "one.weights");
    learn("2", "two.weights");
    let head = "seed = 1\ngames = 64";
    // Results are played again wherever the command is called.
    let player = |file: &str| {
        let path = folder.path().join(file);
        format!(
            "{{ name = \"greedy\", weights = \"{}.weights\" }}",
            text(&path)
        )
    };
    let [one, two] = ["one", "two"].map(player);
    let both = play(
        folder.path(),
        "both",
        head,
        &format!("player = [{one}, {two}]"),
    );
    let by_player = ["compare", text(&both), "--by", "player", "--paired"];
    let compared = tilelab(&[&by_player[..], &["--format", "csv"]].concat());
    succeeded(&compared);
    let found = rows(&compared);
    assert_eq!(found.len(), 1);
    assert_eq!(field(&found[0], "analysis"), "paired");
    assert_eq!(field(&found[0], "games_paired"), "64");
    let a = play(folder.path(), "a", head, &format!("player = {one}"));
    let b = play(folder.path(), "b", head, &format!("player = {two}"));
    let compared = compare(&a, &b, &["--paired", "--format", "csv"]);
    succeeded(&compared);
    // Cells of two results are compared like cells of one.
    assert_eq!(rows(&compared), found);
}

/// At most the games that both results have are played again, whether their rows are there or not.
#[test]
fn pairs_are_the_first_games_that_both_have() {
    let folder = folder();
    let cells = "target = [9, 11]\ncommon = [\"target\"]";
    for (name, rows_of_games, paired, pairs) in [
        ("plain", "", "--paired=400", "50"),
        ("rows", "per_game = \"csv\"\n", "--paired=400", "50"),
        ("few", "", "--paired=40", "40"),
    ] {
        let head = format!("seed = 1\ngames = 50\n{rows_of_games}");
        let results = play(folder.path(), name, &head, cells);
        assert_eq!(
            results.join("games.csv").exists(),
            !rows_of_games.is_empty()
        );
        let compared = tilelab(&[
            "compare",
            text(&results),
            "--by",
            "target",
            paired,
            "--format",
            "csv",
        ]);
        succeeded(&compared);
        assert_eq!(field(&rows(&compared)[0], "games_paired"), pairs, "{name}");
    }
}
