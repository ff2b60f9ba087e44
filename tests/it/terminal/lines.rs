//! Playing and watching line by line, as a script does.

use crate::common::{folder, refused, stderr, stdout, tilelab, tilelab_with_input, write};

/// A game whose first row shows 67 after a move to the left, whatever is dealt.
const NEARLY_WON: &str = "66 + 1 _ / _ _ _ 5";

#[test]
fn a_game_is_won() {
    let output = tilelab_with_input(
        &["play", "sixty-seven", "--seed", "1", "--board", NEARLY_WON],
        "left\n",
    );
    let text = stdout(&output);
    assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
    assert!(
        text.starts_with("67! 2x4, make 67, seed 1, game 0\n"),
        "{text}"
    );
    assert!(text.contains("66  +  1"), "{text}");
    assert!(text.contains("legal: "), "{text}");
    assert!(
        text.contains("\nWon after 1 move: a tile shows 67.\n"),
        "{text}"
    );
    let last = text.lines().last().unwrap();
    assert!(
        last.starts_with("won: moves 1, time ") && last.ends_with("round 1, best 67"),
        "{last}"
    );
}

#[test]
fn a_game_is_lost() {
    // A full board of numbers: nothing slides and nothing collapses.
    let output = tilelab_with_input(
        &["play", "sixty-seven", "--seed", "1", "--board", "1 2/3 4"],
        "",
    );
    assert_eq!(
        output.status.code(),
        Some(0),
        "the game was over before the input: {}",
        stderr(&output)
    );
    assert!(
        stdout(&output)
            .lines()
            .last()
            .unwrap()
            .starts_with("lost: moves 0,"),
        "{}",
        stdout(&output)
    );
    assert!(
        stdout(&output).contains("Lost after 0 moves: no direction changes the board."),
        "{}",
        stdout(&output)
    );
}

/// A board that is given is the position to play: no tiles appear before the first move.
#[test]
fn a_given_board_is_posed_as_it_is() {
    let output = tilelab_with_input(
        &["play", "sixty-seven", "--seed", "1", "--board", NEARLY_WON],
        "quit\n",
    );
    let text = stdout(&output);
    let rows: Vec<Vec<&str>> = text
        .lines()
        .filter(|line| line.starts_with("  "))
        .map(|line| line.split_whitespace().collect())
        .collect();
    assert_eq!(
        rows,
        [["66", "+", "1", "_"], ["_", "_", "_", "5"]],
        "{text}"
    );
    assert!(text.contains("round 1, best 66"), "{text}");
}

#[test]
fn help_tells_the_rules_of_every_game() {
    for (game, rule) in [
        ("sixty-seven", "Make a tile of exactly 67."),
        ("twenty-forty-eight", "Make a tile of at least 2048."),
        ("calculator", "Press buttons until the display shows"),
        ("offset", "hold a pile of one coin each"),
        ("zero-sum", "multiplies it by 2, 3 or 4"),
    ] {
        let output = tilelab_with_input(&["play", game, "--seed", "1"], "?\nquit\n");
        let help = stderr(&output);
        assert!(help.contains(rule), "{game}: {help}");
        assert!(
            help.lines()
                .filter(|line| !line.starts_with("moves: "))
                .all(|line| line.len() <= 80),
            "{game}: {help}"
        );
    }
}

#[test]
fn illegal_moves_are_explained() {
    let own = [
        "--set",
        "start=3",
        "--set",
        "goal=12",
        "--set",
        "moves=2",
        "--set",
        "buttons=+3 x2 /2",
    ];
    let output = tilelab_with_input(
        &[&["play", "calculator"], &own[..]].concat(),
        "/2\nhint\nx2\n+3\n",
    );
    assert!(
        stderr(&output).contains("/2 is not legal: the division leaves a remainder"),
        "{}",
        stderr(&output)
    );
    let text = stdout(&output);
    assert!(
        text.contains("hint: +3 (solver: 2 moves to the goal)"),
        "{text}"
    );
    assert!(
        text.contains("Lost after 2 moves: no presses are left and the display does not show 12."),
        "{text}"
    );
    let own = [
        "--set",
        "start=3",
        "--set",
        "goal=12",
        "--set",
        "moves=2",
        "--set",
        "buttons=+3 x2 -1",
    ];
    let hopeless = tilelab_with_input(
        &[&["play", "calculator"], &own[..]].concat(),
        "-1\nhint\nquit\n",
    );
    assert!(
        stdout(&hopeless).contains("hint: the goal is out of reach from here"),
        "{}",
        stdout(&hopeless)
    );
    let offset = [
        "play",
        "offset",
        "--seed",
        "1",
        "--set",
        "side=8",
        "--set",
        "pair0=1,6",
        "--set",
        "pair1=3,4",
    ];
    let output = tilelab_with_input(&offset, "0,0-1,1\n0,0-9,9\n0,0-1,6\n1,6-0,0\nquit\n");
    let refused = stderr(&output);
    assert!(
        refused.contains("0,0-1,1 is not legal: 0,0 and 1,1 lie 1,1 apart, not 1,6"),
        "{refused}"
    );
    assert!(
        refused.contains("outside the board; columns and rows go from 0 to 7"),
        "{refused}"
    );
    assert!(
        refused.contains("1,6-0,0 is not legal: 0,0 is empty"),
        "{refused}"
    );
}

#[test]
fn illegal_moves_are_refused_and_asked_again() {
    let full = tilelab_with_input(
        &[
            "play",
            "sixty-seven",
            "--seed",
            "4",
            "--board",
            "1 + 2/4 5 6/7 8 9",
        ],
        "up\nfoo\nright\n",
    );
    assert!(
        stderr(&full).contains("up is not legal: it would change nothing; legal: left right"),
        "{}",
        stderr(&full)
    );
    assert!(
        stderr(&full).contains("foo is not a move; legal: left right; commands: undo"),
        "{}",
        stderr(&full)
    );
    assert_eq!(full.status.code(), Some(0));
    // The move frees two cells: the next round fills them and leaves no legal direction.
    assert!(
        stdout(&full).contains("\nlost: moves 1, time "),
        "{}",
        stdout(&full)
    );
}

#[test]
fn undo_hint_new_and_the_end_of_input() {
    let arguments = ["play", "sixty-seven", "--seed", "1"];
    let output = tilelab_with_input(
        &arguments,
        "undo\nleft\nundo\nleft\nhint\nnew\nboard\nhelp\n",
    );
    let text = stdout(&output);
    assert_eq!(
        output.status.code(),
        Some(1),
        "the input ended before the game did"
    );
    assert!(
        stderr(&output).contains("nothing to undo"),
        "{}",
        stderr(&output)
    );
    assert!(
        stderr(&output).contains("commands: undo, hint, new"),
        "{}",
        stderr(&output)
    );
    assert!(
        text.contains("hint: ") && text.contains("(planner(near=128,far=32,replies=16))"),
        "{text}"
    );
    assert!(
        text.contains("67! 6x7, make 67, seed 1, game 1\n"),
        "{text}"
    );
    let boards: Vec<&str> = text.split("round ").skip(1).collect();
    assert_eq!(boards[0], boards[2], "undo shows the first position again");
    // The same move meets the same tiles again.
    assert_eq!(
        boards[1].split("hint").next(),
        boards[3].split("hint").next()
    );
}

#[test]
fn an_opponent_that_draws_answers_the_same_after_undo_and_hint() {
    let arguments = [
        "play", "offset", "--plain", "--set", "side=8", "--set", "d=5", "--hints", "greedy",
    ];
    let arguments = [
        &arguments[..],
        &["--opponent", "greedy", "--seed", "5", "--game", "7"],
    ]
    .concat();
    let answers = |input: &str| -> Vec<String> {
        let text = stdout(&tilelab_with_input(&arguments, input));
        text.lines()
            .filter(|line| line.starts_with("greedy: "))
            .map(str::to_owned)
            .collect()
    };
    let plain = answers("2,1-0,4\n7,0-5,3\n5,3-3,6\n");
    assert_eq!(plain.len(), 3);
    let undone = answers("2,1-0,4\n7,0-5,3\n5,3-3,6\nundo\n5,3-3,6\n");
    assert_eq!([&undone[..3], &undone[3..]], [&plain[..], &plain[2..]]);
    assert_eq!(answers("2,1-0,4\n7,0-5,3\nhint\nhint\n5,3-3,6\n"), plain);
}

#[test]
fn a_chosen_seed_deals_the_same_tiles() {
    let play = |seed| {
        stdout(&tilelab_with_input(
            &["play", "sixty-seven", "--seed", seed],
            "left\nup\nq\n",
        ))
    };
    let without_time = |text: String| text.split("left unfinished").next().unwrap().to_owned();
    assert_eq!(without_time(play("5")), without_time(play("5")));
    assert_ne!(without_time(play("5")), without_time(play("6")));
}

#[test]
fn boards_come_from_files_and_from_typed_rows() {
    let folder = folder();
    let file = write(folder.path(), "board.txt", "66, +, 1, _\n_, _, _, 5\n");
    let output = tilelab_with_input(
        &[
            "play",
            "sixty-seven",
            "--board-file",
            file.to_str().unwrap(),
        ],
        "a\n",
    );
    assert!(
        stdout(&output).contains("won: moves 1, time "),
        "{}",
        stdout(&output)
    );
    let typed = tilelab_with_input(
        &["play", "sixty-seven", "--board-file", "-"],
        "66 + 1 _\n_ _ _ 5\n\nleft\n",
    );
    assert!(
        stdout(&typed).contains("won: moves 1, time "),
        "{}",
        stdout(&typed)
    );
}

#[test]
fn wrong_boards_and_arguments_are_refused() {
    for (arguments, words) in [
        (
            &["--board", "1 2/3"][..],
            &["--board", "row 2 has 1 tiles where row 1 has 2"][..],
        ),
        (
            &["--board", "1 x/3 4"],
            &["row 1, column 2", "\"x\" is not a tile"],
        ),
        (&["--board", " / "], &["--board: no board"]),
        (&["--board", "_ _/_ _"], &["only blanks"]),
        (&["--board", "67 _/_ _"], &["shows 67 already"]),
        (
            &["--board", "1 _/_ _", "--set", "size=3x3"],
            &["2 × 2 cells where 3 × 3 are played"],
        ),
        (
            &["--board-file", "no/such/file"],
            &["--board-file no/such/file", "cannot be read"],
        ),
        (
            &["--board", "1 2", "--board-file", "x"],
            &["--board", "cannot be used with"],
        ),
        (&["--seed", "x"], &["--seed", "x"]),
        (&["--seat", "1"], &["--seat 1", "one seat"]),
        (
            &["--opponent", "random"],
            &["--opponent random", "one seat"],
        ),
        (
            &["--hints", "random(depth=3)"],
            &["--hints random", "depth", "unknown"],
        ),
        (&["--hints", "random(depth=3"], &["name(key=value"]),
        (&["--speed", "3"], &["--speed: needs --player"]),
    ] {
        let output = tilelab(&[&["play", "sixty-seven"], arguments].concat());
        refused(&output, words);
        assert!(
            output.stdout.is_empty(),
            "{arguments:?}: {}",
            stdout(&output)
        );
    }
    refused(
        &tilelab(&["play", "sixty-seven", "--player", "random", "--speed", "0"]),
        &["--speed", "0.01 to 1000"],
    );
    refused(
        &tilelab(&[
            "play",
            "sixty-seven",
            "--player",
            "random",
            "--speed",
            "3",
            "--turbo",
        ]),
        &["--turbo"],
    );
}

/// What is watched is the game that an experiment with this seed plays: same tiles, same moves.
#[test]
fn a_watched_game_is_the_replayed_one() {
    let folder = folder();
    let text = "name = \"w\"\nseed = 9\ngames = 5\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\nplayer = \"random\"\n";
    let file = write(folder.path(), "w.toml", text);
    let file = file.to_str().unwrap();
    let cell = stdout(&tilelab(&["check", "--no-forecast", file]));
    let cell = cell.split_whitespace().next().unwrap();
    let replay = stdout(&tilelab(&[
        "replay", file, "--cell", cell, "--game", "2", "--json",
    ]));
    let replayed: Vec<serde_json::Value> = replay
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    let moves: Vec<&str> = replayed
        .iter()
        .filter_map(|turn| turn["move"].as_str())
        .collect();
    let watch = tilelab(&[
        "play",
        "sixty-seven",
        "--set",
        "size=3x3",
        "--seed",
        "9",
        "--game",
        "2",
        "--player",
        "random",
    ]);
    let watched = stdout(&watch);
    let seen: Vec<&str> = watched
        .lines()
        .filter_map(|line| {
            line.strip_prefix("move ")?
                .split(": ")
                .nth(1)?
                .split(' ')
                .next()
        })
        .collect();
    assert_eq!(seen, moves);
    let last = watched.lines().last().unwrap();
    assert!(
        last.starts_with(&format!(
            "{}: moves ",
            replayed.last().unwrap()["outcome"].as_str().unwrap()
        )),
        "{last}"
    );
    assert!(last.contains("time "), "{last}");
}

#[test]
fn every_game_of_the_catalog_can_be_played_and_watched() {
    for game in tilelab::catalog::games() {
        let small = if game.name == "offset" { "side=12" } else { "" };
        let mut arguments = vec!["play", game.name, "--seed", "1", "--player", "random"];
        if !small.is_empty() {
            arguments.extend(["--set", small]);
        }
        let output = tilelab(&arguments);
        let text = stdout(&output);
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {}",
            game.name,
            stderr(&output)
        );
        let last = text.lines().last().unwrap();
        assert!(
            last.contains(": moves ") && last.contains("time "),
            "{}: {last}",
            game.name
        );
        arguments[4] = "--hints";
        let output = tilelab_with_input(&arguments, "quit\n");
        assert_eq!(
            output.status.code(),
            Some(0),
            "{}: {}",
            game.name,
            stderr(&output)
        );
        assert!(
            stdout(&output).contains("legal: "),
            "{}: {}",
            game.name,
            stdout(&output)
        );
    }
}

#[test]
fn twenty_forty_eight_by_hand_from_a_custom_board() {
    let board = "3,3,0,2/0,0,0,0/_ _ _ _/1024,0,0,1024";
    let arguments = [
        "play",
        "twenty-forty-eight",
        "--seed",
        "1",
        "--hints",
        "corner",
        "--board",
        board,
    ];
    let output = tilelab_with_input(&arguments, "a\nhint\nquit\n");
    let text = stdout(&output);
    assert!(
        text.contains("points 2056, score 0, largest 1024"),
        "{text}"
    );
    assert!(
        text.contains("largest 2048") && text.contains("score 2054"),
        "{text}"
    );
    assert!(
        text.contains("hint: ") && text.contains("(corner)"),
        "{text}"
    );
    for (board, words) in [
        ("2,x/2,2", &["row 1", "\"x\" is not a tile"][..]),
        ("0,0/0,0", &["only blanks"]),
        ("2,-4/0,0", &["\"-4\" is not a tile"]),
        ("2,2/2", &["row 2 has 1 tiles where row 1 has 2"]),
    ] {
        refused(
            &tilelab(&["play", "twenty-forty-eight", "--board", board]),
            words,
        );
    }
}

#[test]
fn the_multiplication_game_against_a_player_from_both_seats() {
    let play = |more: &[&str], input: &str| {
        let arguments = [
            &[
                "play",
                "zero-sum",
                "--seed",
                "1",
                "--set",
                "start=9",
                "--opponent",
                "alpha-beta(depth=3)",
            ],
            more,
        ];
        let output = tilelab_with_input(&arguments.concat(), input);
        assert_eq!(output.status.code(), Some(0), "{}", stderr(&output));
        stdout(&output)
    };
    // The beginner wins games of an odd number of multiplications: 9 x 4 x … and never loses.
    let text = play(&[], "4\n4\n4\n4\n4\n");
    assert!(
        text.contains("alpha-beta") && text.lines().last().unwrap().contains(": moves "),
        "{text}"
    );
    assert!(!text.lines().last().unwrap().starts_with("lost"), "{text}");
    let text = play(&["--set", "beginner=1"], "4\nquit\n");
    assert!(
        text.lines().nth(1).unwrap().starts_with("alpha-beta"),
        "the opponent begins: {text}"
    );
    refused(
        &tilelab(&["play", "zero-sum", "--board", "1 2"]),
        &["cannot start on a given board"],
    );
    refused(
        &tilelab(&["play", "zero-sum", "--set", "start=7"]),
        &["start=7", "from 8 to 18"],
    );
}
