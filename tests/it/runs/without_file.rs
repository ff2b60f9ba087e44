//! Running without an experiment file, `tilelab init`, aliases and counts.

use crate::common::{folder, refused, stdout, succeeded, text, tilelab, write};

#[test]
fn a_run_without_a_file_prints_its_table_and_keeps_nothing() {
    let before = std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
        .unwrap()
        .count();
    let output = tilelab(&[
        "run",
        "--game",
        "67",
        "--set",
        "size=2x2,2x3",
        "--set",
        "rules=bounded",
        "--games",
        "1e2",
    ]);
    let said = succeeded(&output);
    assert!(
        said.contains("2 cells, 200 games (all new)") && !said.contains("results in"),
        "{said}"
    );
    let printed = stdout(&output);
    let rows: Vec<&str> = printed
        .lines()
        .filter(|line| line.starts_with('|'))
        .collect();
    assert_eq!(rows.len(), 4, "{printed}");
    assert_eq!(
        std::fs::read_dir(env!("CARGO_MANIFEST_DIR"))
            .unwrap()
            .count(),
        before
    );
}

/// Other cells than those that --where names have as many games as without --games.
#[test]
fn a_part_of_a_run_without_a_file_grows() {
    let arguments = "run --game 67 --set size=2x2,2x3 --games 9 --where size=2x3";
    let output = tilelab(&arguments.split(' ').collect::<Vec<_>>());
    let said = succeeded(&output);
    assert!(said.contains("2 cells, 100,009 games"), "{said}");
}

#[test]
fn a_run_without_a_file_plays_the_games_of_its_file() {
    let out = folder();
    let experiment = "name = \"zero-sum\"\nseed = 7\ngames = \"0.2k\"\n\n[[table]]\ntitle = \"zero-sum\"\ngame = \"multiplication\"\n\
                      start = [8, 9]\nplayer = [\"greedy\", { name = \"alpha-beta\", depth = 2 }]\nopponent = \"random\"\n";
    let file = write(out.path(), "file.toml", experiment);
    let with = out.path().join("with");
    let without = out.path().join("without");
    let printed = tilelab(&["run", text(&file), "--out", text(&with)]);
    assert!(succeeded(&printed).contains("4 cells, 800 games"));
    assert!(stdout(&printed).contains("### zero-sum"));
    let arguments = [
        "--set",
        "start=8,9",
        "--player",
        "greedy,alpha-beta(depth=2)",
        "--opponent",
        "random",
    ];
    let common = [
        "run",
        "--game",
        "zero-sum",
        "--games",
        "200",
        "--seed",
        "7",
        "--quiet",
        "--out",
        text(&without),
    ];
    let quiet = tilelab(&[&common[..], &arguments[..]].concat());
    succeeded(&quiet);
    assert!(quiet.stdout.is_empty());
    let cells =
        |folder: &std::path::Path| std::fs::read(folder.join("zero-sum/cells.csv")).unwrap();
    assert_eq!(cells(&with), cells(&without));
}

#[test]
fn wrong_arguments_of_a_run_without_a_file_are_refused() {
    let out = folder();
    for (arguments, words) in [
        (
            &["--game", "68"][..],
            &["--game 68", "unknown game", "sixty-seven"][..],
        ),
        (
            &["--game", "67", "--set", "size=0x3"],
            &["rows=0", "not accepted"],
        ),
        (
            &["--game", "67", "--set", "sizes=3x3"],
            &["sizes", "unknown"],
        ),
        (
            &["--game", "67", "--player", "alpha"],
            &["alpha", "unknown player", "random"],
        ),
        (
            &["--game", "67", "--opponent", "random"],
            &["--opponent", "one seat"],
        ),
        (
            &["--game", "67", "--set", "lanes=5"],
            &["--game 67", "lanes"],
        ),
        (&["--game", "67", "--games", "1e30"], &["--games", "250k"]),
        (
            &["--game", "67", "--games", "0.5"],
            &["--games", "whole number"],
        ),
        (&["--game", "67", "--shard", "1/2"], &["--shard", "--out"]),
        (&["--set", "size=3x3"], &["--game"]),
        (&["--game", "67", "experiments/readme.toml"], &["--game"]),
        (&[], &["FILE"]),
    ] {
        refused(&tilelab(&[&["run"], arguments].concat()), words);
    }
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 0);
}

#[test]
fn init_writes_an_experiment_that_plays_and_never_overwrites() {
    let out = folder();
    for game in ["67", "2048", "calculator", "offset", "multiplication-game"] {
        let file = out.path().join(format!("{game}.toml"));
        succeeded(&tilelab(&["init", text(&file), "--game", game]));
        let cells = tilelab(&["check", "--no-forecast", "--games", "10_0", text(&file)]);
        succeeded(&cells);
        assert!(
            stdout(&cells).contains(&format!("{game}: 1 cell, 100 games")),
            "{}",
            stdout(&cells)
        );
        let written = std::fs::read(&file).unwrap();
        refused(
            &tilelab(&["init", text(&file)]),
            &[text(&file), "already exists"],
        );
        assert_eq!(std::fs::read(&file).unwrap(), written);
    }
    refused(
        &tilelab(&["init", text(&out.path().join("two words.toml"))]),
        &["two words.toml", "letters"],
    );
    refused(
        &tilelab(&["init", text(&out.path().join("none/a.toml"))]),
        &["cannot be written"],
    );
}

#[test]
fn games_are_known_by_their_aliases_everywhere() {
    let move_of = |game: &str| stdout(&tilelab(&["move", "--game", game, "--set", "rows=2"]));
    assert_eq!(move_of("67"), move_of("sixty-seven"));
    succeeded(&tilelab(&["bench", "--game", "2048", "--quick"]));
    let watched = [
        "play", "67", "--player", "random", "--plain", "--set", "size=1x2",
    ];
    succeeded(&tilelab(&watched));
    assert!(stdout(&tilelab(&["list", "games"])).contains("other names: 67"));
}
