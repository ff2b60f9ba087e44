//! The files of a results folder have the columns of the data dictionary, and fit each other.

use crate::common::{folder, play, stdout, succeeded, text, tilelab, write};
use expect_test::expect_file;
use std::collections::BTreeSet;
use std::path::Path;
use tilelab::dictionary::{self, ColumnEntry};
use tilelab::keys;
use tilelab::report::schema::Kind;

/// Every game, players with parameters in both seats, lanes, published figures, and titles that
/// look like numbers.
const EXPERIMENT: &str = r#"
name = "columns"
seed = 5
games = 32

[[table]]
title = "67"
game = "sixty-seven"
rows = 3
cols = 3
digits = ["0123456789", "1234"]
target = 5
published = "published.csv"

[[table]]
title = "Variants"
game = "sixty-seven"
rows = 3
cols = 3
gaps = ["keep", "close"]
equal_operators = "runs"
operators = { "+" = 2, "-" = 1 }
numbers = { 1 = [1, 2], 5 = 1 }
start = "1,+,_/2,_,3/_,_,7"

[[table]]
title = "Lanes"
game = "sixty-seven"
rows = 3
cols = 3
lanes = 16

[[table]]
title = "Search"
game = "sixty-seven"
player = ["greedy", "cycle"]
rows = 3
cols = 3
value_limit = 100
max_rounds = 20

[[table]]
title = "2048"
game = "twenty-forty-eight"
player = ["random", "corner"]
rows = 2
cols = 2

[[table]]
title = "Calculator"
game = "calculator"
level = 1

[[table]]
title = "Offset"
game = "offset"
side = 5
player = "greedy"
opponent = { name = "minimax", depth = 1 }

[[table]]
title = "Match"
game = "sixty-seven"
rows = 3
cols = 3
match = ["random", "greedy"]

[[table]]
title = "Pairs"
game = "zero-sum"
match = ["random", "exact"]

[[table]]
title = "nan"
game = "zero-sum"
player = [{ name = "alpha-beta", depth = 2 }, "random"]
opponent = "minimax"
"#;

struct File {
    header: Vec<String>,
    rows: Vec<Vec<String>>,
}

impl File {
    fn read(path: &Path) -> Self {
        let mut reader = csv::Reader::from_path(path).unwrap();
        let header = reader
            .headers()
            .unwrap()
            .iter()
            .map(str::to_owned)
            .collect();
        let rows = reader
            .records()
            .map(|row| row.unwrap().iter().map(str::to_owned).collect())
            .collect();
        Self { header, rows }
    }

    fn get<'a>(&self, row: &'a [String], name: &str) -> &'a str {
        &row[self
            .header
            .iter()
            .position(|known| known == name)
            .unwrap_or_else(|| panic!("no column {name}"))]
    }

    fn number(&self, row: &[String], name: &str) -> f64 {
        self.get(row, name)
            .parse()
            .unwrap_or_else(|_| panic!("{name} is no number"))
    }
}

/// Whether a row of the file has the column.
fn has(entry: &ColumnEntry, file: &File) -> bool {
    let seat = if entry.name.starts_with("opponent_") {
        "opponent"
    } else {
        "player_name"
    };
    match entry.of.split_once(", ") {
        Some((game, player)) => file
            .rows
            .iter()
            .any(|row| file.get(row, "game") == game && file.get(row, seat) == player),
        None if entry.of.is_empty() || entry.of == "value lanes" => true,
        None if entry.of.contains("matches") => true,
        None => file
            .rows
            .iter()
            .any(|row| file.get(row, "game") == entry.of),
    }
}

fn fits(field: &str, kind: Kind) -> bool {
    match kind {
        Kind::Text => {
            field.parse::<f64>().is_err()
                && !["true", "false", "na", "null"].contains(&field.to_lowercase().as_str())
        }
        Kind::Count => field.parse::<u64>().is_ok(),
        Kind::Integer => field.parse::<i64>().is_ok(),
        Kind::Number => field.parse::<f64>().is_ok_and(f64::is_finite),
        Kind::Flag => field.parse::<bool>().is_ok(),
    }
}

#[test]
fn files_have_exactly_the_columns_of_the_dictionary() {
    let out = folder();
    let published =
        "table,digits,games,wins,moves_mean,moves_win_mean\n67,0123456789,100,20,5.5,4\n";
    write(out.path(), "published.csv", published);
    let three = "\n[[table]]\ntitle = \"Three\"\ngame = \"zero-sum\"\nmatch = [\"random\", \"exact\", \"greedy\"]\n";
    let file = write(out.path(), "columns.toml", &(EXPERIMENT.to_owned() + three));
    succeeded(&tilelab(&[
        "run",
        text(&file),
        "--out",
        text(&out.path().join("out")),
        "--quiet",
    ]));
    let results = out.path().join("out/columns");
    let cells = File::read(&results.join("cells.csv"));
    for (name, entries) in dictionary::files() {
        let file = File::read(&results.join(name));
        let known = entries
            .iter()
            .filter(|entry| name != "cells.csv" || has(entry, &cells));
        let expected: BTreeSet<&str> = known.map(|entry| entry.name.as_str()).collect();
        let found: BTreeSet<&str> = file.header.iter().map(String::as_str).collect();
        assert_eq!(found, expected, "{name}");
        assert_eq!(found.len(), file.header.len(), "{name}: a column twice");
        for row in &file.rows {
            for (column, field) in file
                .header
                .iter()
                .zip(row)
                .filter(|(_, field)| !field.is_empty())
            {
                let kinds: Vec<Kind> = entries
                    .iter()
                    .filter(|entry| entry.name == *column)
                    .map(|entry| entry.kind)
                    .collect();
                assert!(
                    kinds.iter().any(|kind| fits(field, *kind)),
                    "{name}: {column} = {field:?} is not {kinds:?}"
                );
                let noise = field
                    .split_once('.')
                    .is_some_and(|(_, digits)| digits.len() > 12);
                assert!(
                    !kinds.contains(&Kind::Number)
                        || !noise
                        || field.trim_start_matches('-').starts_with("0.0"),
                    "{name}: {column} = {field}"
                );
            }
        }
    }
    check_rows(&cells);
    check_distributions(&cells, &File::read(&results.join("distributions.csv")));
    let exported = stdout(&tilelab(&[
        "report",
        text(&results),
        "--format",
        "json",
        "--output",
        "-",
    ]));
    let exported: serde_json::Value = serde_json::from_str(&exported).unwrap();
    assert_eq!(
        (
            &exported["cells"][0]["table"],
            &exported["cells"][0]["digits"]
        ),
        (&"67".into(), &"0123456789".into())
    );
    let depth = exported["cells"]
        .as_array()
        .unwrap()
        .iter()
        .find(|row| row["opponent"] == "minimax")
        .unwrap();
    assert!(depth["opponent_depth"].is_i64(), "{depth}");
}

/// A file with this text.
fn read(out: &Path, name: &str, text: &str) -> File {
    File::read(&write(out, name, text))
}

/// The columns of a table of the dictionary, those of these games only; `without` are left out.
fn columns(file: &str, of: &[&str], without: &[&str]) -> Vec<String> {
    let tables = dictionary::other_files();
    let (_, entries) = tables
        .iter()
        .find(|(name, _)| *name == file)
        .unwrap_or_else(|| panic!("no table {file}"));
    let is_there = |entry: &&ColumnEntry| {
        of.contains(&entry.of.as_str()) && !without.contains(&entry.name.as_str())
    };
    entries
        .iter()
        .filter(is_there)
        .map(|entry| entry.name.clone())
        .collect()
}

/// Tables that are no part of a results folder.
#[test]
fn other_tables_have_exactly_the_columns_of_the_dictionary() {
    let out = folder();
    let at = |name: &str| out.path().join(name);
    let said = |arguments: &[&str]| {
        let output = tilelab(arguments);
        succeeded(&output);
        stdout(&output)
    };
    let mut seen = BTreeSet::new();
    let mut check = |file: &'static str, found: &File, of: &[&str], without: &[&str]| {
        assert_eq!(found.header, columns(file, of, without), "{file}");
        assert!(!found.rows.is_empty(), "{file}");
        let tables = dictionary::other_files();
        let (_, entries) = tables.iter().find(|(name, _)| *name == file).unwrap();
        for (column, field) in found
            .rows
            .iter()
            .flat_map(|row| found.header.iter().zip(row))
        {
            let mut kinds = entries
                .iter()
                .filter(|entry| entry.name == *column)
                .map(|entry| entry.kind);
            let is_right =
                field.is_empty() || kinds.any(|kind| kind == Kind::Text || fits(field, kind));
            assert!(is_right, "{file}: {column} = {field:?}");
        }
        seen.insert(file);
    };
    let levels = at("levels.csv");
    for (more, without) in [
        (&["--chance"][..], &[][..]),
        (&[], &["random_win_pct"]),
        (&["--all"], &["random_win_pct"]),
    ] {
        said(
            &[
                &[
                    "solve",
                    "calculator",
                    "--level",
                    "3",
                    "--csv",
                    text(&levels),
                ],
                more,
            ]
            .concat(),
        );
        check(
            "tilelab solve calculator --csv",
            &File::read(&levels),
            &[""],
            without,
        );
    }
    let exact = said(&[
        "exact", "--game", "2048", "--set", "size=2x2", "--set", "goal=8", "--json",
    ]);
    let exact: serde_json::Map<String, serde_json::Value> = serde_json::from_str(&exact).unwrap();
    let exact = File {
        header: exact.keys().cloned().collect(),
        rows: vec![
            exact
                .values()
                .map(|value| {
                    value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned)
                })
                .collect(),
        ],
    };
    check("tilelab exact --json", &exact, &[""], &[]);
    let run = [
        "run",
        "--game",
        "67",
        "--set",
        "size=2x2,2x3",
        "--games",
        "64",
        "--quiet",
        "--out",
        text(&at("runs")),
    ]
    .map(str::to_owned);
    said(&run.each_ref().map(String::as_str));
    let results = at("runs/sixty-seven");
    for more in [
        &[][..],
        &["--paired", "--unpaired-ok"],
        &["--margin", "0.1"],
    ] {
        let compared = said(
            &[
                &["compare", text(&results), "--by", "cols", "--format", "csv"],
                more,
            ]
            .concat(),
        );
        check(
            "tilelab compare --format csv",
            &read(out.path(), "compared.csv", &compared),
            &[""],
            &[],
        );
    }
    let counted = at("counted");
    said(&[
        "run",
        "--game",
        "67",
        "--set",
        "size=2x2",
        "--set",
        "method=counted",
        "--games",
        "2000",
        "--quiet",
        "--out",
        text(&counted),
    ]);
    let curve = counted.join("sixty-seven");
    let curve = said(&[
        "curve",
        text(&curve),
        "--from",
        "0.4",
        "--to",
        "0.6",
        "--step",
        "0.1",
        "--format",
        "csv",
    ]);
    check(
        "tilelab curve --format csv",
        &read(out.path(), "curve.csv", &curve),
        &[""],
        &[],
    );
    let learn = [
        "learn",
        "--game",
        "67",
        "--set",
        "size=2x2,2x3",
        "--games",
        "20",
        "--quiet",
        "--out",
    ];
    said(&[&learn[..], &[text(&at("small.weights"))]].concat());
    check(
        "the learning curve of tilelab learn",
        &File::read(&at("small.weights.csv")),
        &[""],
        &[],
    );
    assert_eq!(
        seen.len(),
        dictionary::other_files().len(),
        "a table was not looked at"
    );
}

/// Every way to estimate a win rate, a stopping rule, and matches that end by a test or a measure.
const MIXED: &str = r#"
name = "mixed"
seed = 5
games = 64
interval = "mid-p"

[[table]]
title = "plain"
game = "sixty-seven"
size = "2x2"
target = 9

[[table]]
title = "lanes"
game = "sixty-seven"
size = "2x2"
target = 9
lanes = 16

[[table]]
title = "splitting"
game = "sixty-seven"
size = "2x2"
method = "splitting"

[[table]]
title = "rule"
game = "sixty-seven"
size = "2x2"
target = 12
stop = { half_width = 0.01, max_games = 4096 }

[[table]]
title = "match"
game = "zero-sum"
start = 16
match = ["random", { name = "alpha-beta", depth = 1 }]
stop = { difference = { lower = 0.5, upper = 0.6 }, max_games = 64 }

[[table]]
title = "measure"
game = "twenty-forty-eight"
size = "2x2"
match = ["random", "corner"]
measure = "merge_score"
"#;

/// The columns of its `cells.csv`, in their order: programs of other people may count columns.
const MIXED_COLUMNS: &str = "\
    table cell game player seed rules rows cols operators operator_rate tiles_per_turn target \
    start beginner four_rate goal games wins win_pct win_pct_lo win_pct_hi moves_mean \
    moves_mean_se moves_win_mean moves_win_mean_se moves_p50 moves_p90 moves_p99 moves_max \
    digits value_limit max_rounds player_name lanes trajectories design_effect effective_games \
    moves_design_effect method replications levels match measure points_lo points_hi test_lower \
    test_upper estimate estimate_lo estimate_hi stopped win_pct_wilson_lo win_pct_wilson_hi \
    moves_win_mean_lo moves_win_mean_hi confidence interval win_pct_median_unbiased draws losses \
    points_mean points_mean_se limit opening opponent opponent_depth opponent_width \
    opponent_table opponent_budget_ms half_points_mean half_points_mean_se value_mean \
    value_mean_se opponent_value_mean opponent_value_mean_se difference_mean difference_mean_se \
    nodes_mean nodes_mean_se opponent_nodes_mean opponent_nodes_mean_se max_moves \
    opponent_corner error";

#[test]
fn files_of_many_kinds_of_rows_keep_the_order_of_their_columns() {
    let out = folder();
    play(&write(out.path(), "mixed.toml", MIXED), out.path(), &[]);
    let cells = File::read(&out.path().join("mixed/cells.csv"));
    assert_eq!(cells.header.join(" "), MIXED_COLUMNS);
}

/// The rows of single games.
#[test]
fn rows_of_games_have_exactly_the_columns_of_the_dictionary() {
    let out = folder();
    let file = write(
        out.path(),
        "columns.toml",
        &EXPERIMENT.replace("published = \"published.csv\"\n", ""),
    );
    play(&file, out.path(), &["--per-game=csv-positions"]);
    let rows = File::read(&out.path().join("columns/games.csv"));
    let entries = dictionary::games();
    let mut expected: Vec<&str> = Vec::new();
    for entry in entries.iter().filter(|entry| entry.of != "command") {
        if !expected.contains(&entry.name.as_str()) {
            expected.push(&entry.name);
        }
    }
    let mut found: Vec<&str> = rows.header.iter().map(String::as_str).collect();
    assert_eq!((found[0], found[found.len() - 1]), ("table", "position"));
    expected.sort_unstable();
    found.sort_unstable();
    assert_eq!(found, expected);
    for (column, field) in rows.rows.iter().flat_map(|row| rows.header.iter().zip(row)) {
        let kind = entries
            .iter()
            .find(|entry| entry.name == *column)
            .unwrap()
            .kind;
        assert!(
            field.is_empty() || fits(field, kind),
            "{column} = {field:?} is not {kind:?}"
        );
    }
}

/// What a game or player does not have is empty; what leaves nothing to chance has no error.
fn check_rows(cells: &File) {
    let mut certain = 0;
    for row in &cells.rows {
        let get = |name: &str| cells.get(row, name);
        let for_two = ["offset", "zero-sum"].contains(&get("game"));
        if !get("match").is_empty() && get("player").matches(" / ").count() > 1 {
            for name in ["value_mean", "points_lo"] {
                assert!(!get(name).is_empty(), "{name} of {}", get("cell"));
            }
            continue;
        }
        if !get("match").is_empty() {
            for name in ["value_mean", "difference_mean", "points_lo", "opponent"] {
                assert!(!get(name).is_empty(), "{name} of {}", get("cell"));
            }
            continue;
        }
        for name in [
            "draws",
            "losses",
            "points_mean",
            "points_mean_se",
            "opponent",
            "score_mean",
            "opponent_score_mean",
        ] {
            assert_eq!(get(name).is_empty(), !for_two, "{name} of {}", get("cell"));
        }
        let searches = ["minimax", "alpha-beta"];
        assert_eq!(
            get("nodes_mean").is_empty(),
            !searches.contains(&get("player_name")),
            "{}",
            get("cell")
        );
        assert_eq!(
            get("opponent_nodes_mean").is_empty(),
            !searches.contains(&get("opponent")),
            "{}",
            get("cell")
        );
        assert_eq!(
            get("trajectories").is_empty(),
            get("lanes") != "16",
            "{}",
            get("cell")
        );
        assert_eq!(
            get("tile_sum_mean").is_empty(),
            get("game") != "twenty-forty-eight"
        );
        if get("player_name") == "alpha-beta" && get("game") == "zero-sum" {
            assert_eq!(
                (get("win_pct_lo"), get("win_pct_hi")),
                (get("win_pct"), get("win_pct"))
            );
            assert_eq!(
                (
                    get("moves_mean_se"),
                    get("score_mean_se"),
                    get("points_mean_se")
                ),
                ("0", "0", "0")
            );
            certain += 1;
        } else {
            assert_ne!(get("win_pct_lo"), get("win_pct_hi"), "{}", get("cell"));
        }
        let wins = cells.number(row, "wins");
        assert_eq!(
            get("moves_win_mean_lo").is_empty(),
            wins < 10.0,
            "{}",
            get("cell")
        );
    }
    assert_eq!(certain, 1);
}

/// Games, wins, mean and maximum from the bins are those of `cells.csv`; the bins are exact here.
fn check_distributions(cells: &File, bins: &File) {
    for row in &cells.rows {
        let same = |name: &str, bin: &[String]| bins.get(bin, name) == cells.get(row, name);
        let of_cell: Vec<&Vec<String>> = bins
            .rows
            .iter()
            .filter(|bin| same("table", bin) && same("cell", bin))
            .collect();
        let sum =
            |value: &dyn Fn(&[String]) -> f64| of_cell.iter().map(|bin| value(bin)).sum::<f64>();
        let games = sum(&|bin| bins.number(bin, "games"));
        let mean = sum(&|bin| bins.number(bin, "games") * bins.number(bin, "lower")) / games;
        let won = sum(&|bin| bins.number(bin, "wins") * bins.number(bin, "lower"));
        assert_eq!(games, cells.number(row, "games"));
        assert_eq!(
            sum(&|bin| bins.number(bin, "wins")),
            cells.number(row, "wins")
        );
        assert!((mean - cells.number(row, "moves_mean")).abs() < 1e-9 * mean.max(1.0));
        assert_eq!(
            bins.number(of_cell[of_cell.len() - 1], "upper"),
            cells.number(row, "moves_max")
        );
        let wins = cells.number(row, "wins");
        assert!(
            wins == 0.0 || (won / wins - cells.number(row, "moves_win_mean")).abs() < 1e-9 * won
        );
        assert!(
            of_cell
                .iter()
                .all(|bin| bins.get(bin, "lower") == bins.get(bin, "upper"))
        );
    }
}

/// Pages with tables that the code writes have them; `UPDATE_EXPECT=1` writes them.
#[test]
fn pages_have_the_tables_that_the_code_writes() {
    let columns = stdout(&tilelab(&["generate", "columns"]));
    assert_eq!(columns, dictionary::markdown());
    for (page, tables, name) in [
        ("docs/columns.md", columns, "columns"),
        ("experiments/README.md", keys::markdown(), "keys"),
    ] {
        let marks = ["begin", "end"].map(|end| format!("<!-- {name}:{end} -->\n"));
        let path = Path::new(env!("CARGO_MANIFEST_DIR")).join(page);
        let text = std::fs::read_to_string(&path).unwrap();
        let (before, rest) = text.split_once(&marks[0]).unwrap();
        let (_, after) = rest.split_once(&marks[1]).unwrap();
        let expected = [before, &marks[0], &tables, &marks[1], after].concat();
        expect_file![path].assert_eq(&expected);
    }
}
