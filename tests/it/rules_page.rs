//! `docs/rules.md`: what the page says of 67! is what the program does.

use crate::common::{folder, stdout, succeeded, text, tilelab, tilelab_with_input, turns, write};

/// One line, moved left; `None` where that changes nothing.
fn moved_left(rules: &str, line: &str) -> Option<String> {
    let tiles: Vec<&str> = line.split(' ').collect();
    let request = serde_json::json!({ "board": [tiles], "move": "left" });
    let setting = format!("rules={rules}");
    let arguments = ["move", "--game", "67", "--set", &setting];
    let output = tilelab_with_input(&arguments, &format!("{request}\n"));
    succeeded(&output);
    let answer: serde_json::Value = serde_json::from_str(&stdout(&output)).unwrap();
    let board = answer["board"][0].as_array().unwrap();
    let tiles: Vec<&str> = board.iter().map(|tile| tile.as_str().unwrap()).collect();
    (answer["changed"] == true).then(|| tiles.join(" "))
}

/// The table of the presets, and the examples in the text before it.
#[test]
fn lines_collapse_as_the_page_shows() {
    let page = include_str!("../../docs/rules.md");
    let quoted = |cell: &str| cell.trim().trim_matches('`').to_owned();
    let mut presets = 0;
    for row in page.lines().filter(|line| line.starts_with("| `")) {
        let cells: Vec<&str> = row.split('|').collect();
        let [_, preset, _, _, sum, run, _] = cells[..] else {
            continue;
        };
        for (line, shown) in [("8 + _ 0", sum), ("+ + + +", run)] {
            let expected = match shown.trim() {
                "not legal" => None,
                board => Some(quoted(board)),
            };
            assert_eq!(moved_left(&quoted(preset), line), expected, "{row}: {line}");
        }
        presets += 1;
    }
    assert_eq!(presets, 5);
    for (line, moved) in [("1 + 2 + 3", "3 + 3 _ _"), ("1 + + 2", "3 _ _ _")] {
        assert_eq!(moved_left("merge-runs", line).as_deref(), Some(moved));
        assert!(page.contains(&format!("`{line}`")), "{line}");
    }
}

/// The moves of a game are the rounds in which a move was made: a won game counts its last round, a
/// lost game does not.
#[test]
fn moves_are_counted_as_the_page_says() {
    let folder = folder();
    let toml = "name = \"m\"\nseed = 67\ngames = 40\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"3x3\"\ntarget = 9\n";
    let file = write(folder.path(), "m.toml", toml);
    let out = text(folder.path());
    succeeded(&tilelab(&[
        "run",
        text(&file),
        "--out",
        out,
        "--quiet",
        "--per-game=csv",
    ]));
    let games = std::fs::read_to_string(folder.path().join("m/games.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(games.as_bytes());
    let header = reader.headers().unwrap().clone();
    let place = |name: &str| header.iter().position(|column| column == name).unwrap();
    let mut outcomes = [0, 0];
    for (game, row) in reader.records().enumerate() {
        let row = row.unwrap();
        let game = game.to_string();
        let output = tilelab(&[
            "replay",
            text(&file),
            "--cell",
            &row[place("cell")],
            "--game",
            &game,
            "--json",
        ]);
        succeeded(&output);
        let rounds = turns(&stdout(&output));
        let moved = rounds
            .iter()
            .filter(|round| !round["move"].is_null())
            .count();
        assert_eq!(
            row[place("moves")].parse::<usize>().unwrap(),
            moved,
            "game {game}"
        );
        let is_won = rounds.last().unwrap()["outcome"] == "won";
        assert_eq!(rounds.len() - moved, usize::from(!is_won), "game {game}");
        outcomes[usize::from(is_won)] += 1;
    }
    assert!(outcomes.iter().all(|count| *count > 5), "{outcomes:?}");
    let page = include_str!("../../docs/rules.md");
    assert!(page.contains("a lost game does not count its last round"));
}
