//! Sweeps: the cells of those that are right, and all mistakes of those that are not.

use crate::common::{folder, refused, stdout, succeeded, tilelab, write};

const HEAD: &str = "name = \"wrong\"\nseed = 1\ngames = 10\n";

/// The keys of the cells of a table.
fn cells(lines: &str) -> Vec<String> {
    let folder = folder();
    let text = format!(
        "{HEAD}[defaults]\ngame = \"sixty-seven\"\nsize = \"2x2\"\n[[table]]\ntitle = \"t\"\n{lines}\n"
    );
    let file = write(folder.path(), "right.toml", &text);
    let output = tilelab(&["check", "--no-forecast", file.to_str().unwrap()]);
    succeeded(&output);
    let text = stdout(&output);
    text.lines()
        .filter(|line| line.contains('/'))
        .map(|line| line.split_whitespace().next().unwrap().to_owned())
        .collect()
}

#[test]
fn right_sweeps_have_the_cells_that_they_say() {
    let rates = |lines: &str| -> Vec<String> {
        let part = |key: &String| {
            key.split("operator_rate=")
                .nth(1)
                .unwrap()
                .split(',')
                .next()
                .unwrap()
                .to_owned()
        };
        cells(lines).iter().map(part).collect()
    };
    assert_eq!(
        rates("operator_rate = { from = 0.3, to = 0.5, step = 0.05 }"),
        ["0.3", "0.35", "0.4", "0.45", "0.5"]
    );
    assert_eq!(
        rates("operator_rate = { from = 0.0, to = 0.3, step = 0.1 }"),
        ["0", "0.1", "0.2", "0.3"]
    );
    let target = |lines: &str| cells(lines).len();
    assert_eq!(target("target = { from = -2, to = 2 }"), 5);
    assert_eq!(
        target("target = { from = 9223372036854775800, to = 9223372036854775807, step = 5 }"),
        2
    );
    assert_eq!(
        target("rows = [2, 3]\ncols = [2, 3]\nzip = [[\"rows\", \"cols\"]]"),
        2
    );
    assert_eq!(
        target("rows = [2, 3]\ncols = [2, 3]\nexclude = [{ rows = 2, cols = 3 }]"),
        3
    );
    // A table's own key stands instead of the default.
    assert!(cells("size = \"3x4\"")[0].contains("rows=3,cols=4"));
}

/// Mistakes of different kinds in two tables; all are told at once, by line, and nothing else.
#[test]
fn all_mistakes_of_a_file_are_told_at_once() {
    let text = r#"name = "ten mistakes"
seed = -1
games = 10
confidense = 0.9
per_game = "xml"
[defaults]
operator_rate = [0.5, 1.5]
titel = "x"
[[table]]
title = "sixty-seven"
game = "67"
rows = [3, 99]
cols = [3, 4]
target = { from = 5, to = 1 }
digits = [nan, "11"]
player = { name = "planner", near = inf, dept = 3 }
stop = { half_width = 0.9, max_games = 0 }
zip = [["rows", "cols"], ["target", "colls"]]
exclude = [{ cols = 5 }, { rulez = "bounded" }, { cols = 3, rows = 99 }]
common = ["operator_rat"]
[[table]]
title = "sixty-seven"
game = "offset"
player = ["greedy", "gredy"]
opponent = { name = "alpha-beta", depth = [2, -1] }
d = 100
published = "nowhere.csv"
"#;
    let expected = [
        (1, "name = \"ten mistakes\": not accepted"),
        (2, "seed = -1: not accepted"),
        (4, "confidense: unknown key"),
        (5, "per_game = \"xml\": not accepted"),
        (7, "operator_rate = 1.5: not accepted"),
        (7, "operator_rate: unknown key"),
        (
            8,
            "titel: unknown key; accepted: title, game, player, match, measure, separate, games, stop, published, zip, exclude, grow, common, size",
        ),
        (
            8,
            "titel: unknown key; accepted: title, game, player, opponent, match, measure, separate, games, stop, published, zip, exclude, grow, common",
        ),
        (12, "rows = 99: not accepted"),
        (14, "target = { from = 5, to = 1 }: not accepted"),
        (15, "digits = nan: not accepted"),
        (15, "digits = \"11\": not accepted"),
        (16, "player.near = inf: not accepted"),
        (16, "player.dept: unknown parameter"),
        (17, "stop.half_width = 0.9: not accepted"),
        (17, "stop.max_games = 0: not accepted"),
        (18, "zip: colls is not a key"),
        (
            19,
            "exclude = { cols = 5 }: no cell of the table has these values",
        ),
        (19, "rulez: unknown key"),
        (19, "rows = 99: not accepted"),
        (20, "common: operator_rat: unknown parameter"),
        (21, "title = \"sixty-seven\": used by an earlier table"),
        (24, "player = \"gredy\": unknown player"),
        (25, "opponent.depth = -1: not accepted"),
        (26, "d = 100: not accepted"),
        (27, "published = \"nowhere.csv\": "),
    ];
    let folder = folder();
    let file = write(folder.path(), "ten.toml", text);
    let output = tilelab(&["check", file.to_str().unwrap()]);
    refused(&output, &[]);
    let said = String::from_utf8(output.stderr).unwrap();
    let said: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("ten.toml:"))
        .collect();
    for (line, words) in expected {
        let place = format!("ten.toml:{line}: ");
        let found = said
            .iter()
            .any(|told| told.contains(&place) && told.contains(words));
        assert!(found, "{line}: {words} is not among\n{}", said.join("\n"));
    }
    // A default that no table takes in the same way is told for each.
    let distinct: std::collections::BTreeSet<&&str> = said.iter().collect();
    assert_eq!(distinct.len(), expected.len(), "{}", said.join("\n"));
    let lines: Vec<usize> = said
        .iter()
        .map(|told| {
            told.split("ten.toml:")
                .nth(1)
                .unwrap()
                .split(':')
                .next()
                .unwrap()
                .parse()
                .unwrap()
        })
        .collect();
    assert!(lines.is_sorted(), "{lines:?}");
}
