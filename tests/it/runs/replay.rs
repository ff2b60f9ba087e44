//! `replay`: many games at once, and from a results folder.

use crate::common::{
    folder, play, refused, stdout, succeeded, text, tilelab, tilelab_with_input, turns, write,
};
use serde_json::Value;
use std::path::Path;
use tilelab::game::given::{GivenError, Reached};
use tilelab::{Cell, KernelChoice};

const EXPERIMENT: &str = "name = \"a\"\nseed = 5\ngames = 32\n\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"2x3\"\n";
const CELL: &str = "sixty-seven/rules=original,rows=2,cols=3,operators=+-*,operator_rate=0.5,tiles_per_turn=2,target=67";

#[test]
fn many_games_are_the_single_games_one_after_another() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let cell = format!("{CELL}/random");
    let replay = |game: &str, more: &[&str]| {
        let output = tilelab(
            &[
                &["replay", text(&file), "--cell", &cell, "--game", game],
                more,
            ]
            .concat(),
        );
        succeeded(&output);
        stdout(&output)
    };
    let single = |game: u64| replay(&game.to_string(), &["--json"]);
    assert_eq!(
        replay("3..100", &[]),
        (3..100).map(single).collect::<String>()
    );
    let first = single(3);
    assert!(
        first
            .lines()
            .nth(1)
            .unwrap()
            .starts_with("{\"game_index\":3,\"round\":1,"),
        "{first}"
    );
}

#[test]
fn a_results_folder_stands_for_its_experiment() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let results = out.path().join("a");
    let run = [
        "run",
        text(&file),
        "--out",
        text(out.path()),
        "--quiet",
        "--seed",
        "9",
        "--lanes",
        "16",
    ];
    succeeded(&tilelab(&run));
    let cell = format!("{CELL},lanes=16/random");
    let common = ["--cell", &cell, "--game", "20..22"];
    let of_folder = tilelab(&[&["replay", text(&results)][..], &common].concat());
    succeeded(&of_folder);
    let of_file = tilelab(
        &[
            &["replay", text(&file), "--seed", "9", "--lanes", "16"][..],
            &common,
        ]
        .concat(),
    );
    assert!(!of_file.stdout.is_empty());
    assert_eq!(stdout(&of_folder), stdout(&of_file));
    // A part of the key names the cell that was played, not that of the file without the lanes.
    let named = ["--cell", "2x3", "--game", "20..22"];
    let by_part = tilelab(&[&["replay", text(&results)][..], &named].concat());
    assert_eq!(stdout(&by_part), stdout(&of_file));
}

#[test]
fn what_cannot_be_replayed_is_refused() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let cell = format!("{CELL}/random");
    for game in ["5..5", "7..5", "-1", "1...3", "..3", "x"] {
        let game = format!("--game={game}");
        refused(
            &tilelab(&["replay", text(&file), "--cell", &cell, &game]),
            &["--game", "A..B"],
        );
    }
    let nothing = ["replay", text(out.path()), "--cell", &cell, "--game", "0"];
    refused(&tilelab(&nothing), &["cells.csv"]);
}

/// Who won a game of two, and a pair of games, is said by name.
#[test]
fn an_outcome_says_whose_it_is() {
    let out = folder();
    let pairs = "name = \"pairs\"\nseed = 1\ngames = 1\n[[table]]\ntitle = \"t\"\ngame = \"zero-sum\"\n\
                 start = 8\nmatch = [\"minimax\", \"alpha-beta\"]\n[[table]]\ntitle = \"u\"\ngame = \"zero-sum\"\n\
                 start = 8\nplayer = \"minimax\"\nopponent = \"alpha-beta\"\n[[table]]\ntitle = \"v\"\n\
                 game = \"sixty-seven\"\n";
    let file = write(out.path(), "pairs.toml", pairs);
    let ends = |row: &str| {
        let shown = tilelab(&["replay", text(&file), "--row", row, "--game", "0"]);
        succeeded(&shown);
        let shown = stdout(&shown);
        let ends = shown
            .lines()
            .filter(|line| line.contains("after ") || line.contains("outcome"));
        ends.map(str::to_owned).collect::<Vec<_>>()
    };
    assert_eq!(
        ends("1"),
        [
            "outcome for minimax(depth=3): won",
            "outcome for alpha-beta(depth=3): won",
            "Both games, for minimax(depth=3): Drawn after 10 moves"
        ]
    );
    assert_eq!(
        ends("2"),
        [
            "outcome for minimax(depth=3): won",
            "For minimax(depth=3): Won after 5 moves"
        ]
    );
    assert_eq!(ends("3"), ["outcome: lost", "Lost after 52 moves"]);
}

/// Cells of every game, with players that leave something to chance.
const CELLS: [&str; 9] = [
    "sixty-seven rules=original size=3x4",
    "sixty-seven rules=merge-runs size=3x3",
    "sixty-seven rules=gapless size=4x4 max_rounds=9",
    "twenty-forty-eight size=3x3",
    "calculator level=90",
    "calculator level=133",
    "calculator level=142",
    "offset side=6",
    "zero-sum start=18",
];

#[test]
fn the_moves_of_a_game_lead_to_the_same_transcript() {
    for text in CELLS {
        let cell = Cell::parse(text).unwrap();
        let job = cell.job(5, KernelChoice::Reference).unwrap();
        for game in 0..20 {
            let mut wanted = Vec::new();
            let outcome = job.replay(game, &mut |line| wanted.push(line));
            let mut session = job.open(game, None).unwrap();
            let mut moves = Vec::new();
            while !session.is_over() {
                let chosen = session.choose();
                moves.push(session.view().legal.swap_remove(chosen));
                session.play(chosen);
            }
            let mut lines = Vec::new();
            let reached = job.replay_given(game, &moves, &mut |line| lines.push(line));
            assert_eq!(lines, wanted, "{text}, game {game}");
            let Ok(Reached::End(reached)) = reached else {
                panic!("{text}, game {game}: {reached:?}")
            };
            assert_eq!(
                (reached.result, reached.moves),
                (outcome.result, outcome.moves),
                "{text}, game {game}"
            );
            let Some(last) = moves.pop() else { continue };
            let open = job.replay_given(game, &moves, &mut |_| ()).unwrap();
            assert!(
                matches!(open, Reached::Open { legal } if legal.contains(&last)),
                "{text}, game {game}"
            );
            let surplus = [&moves[..], &[last.clone(), last]].concat();
            let played = moves.len() + 1;
            let error = job.replay_given(game, &surplus, &mut |_| ()).unwrap_err();
            assert_eq!(
                error,
                GivenError::Surplus {
                    given: played + 1,
                    played
                },
                "{text}, game {game}"
            );
        }
    }
    // Value lanes share their moves.
    let lanes = Cell::parse("sixty-seven size=3x3 lanes=16")
        .unwrap()
        .job(5, KernelChoice::Reference)
        .unwrap();
    assert!(matches!(
        lanes.replay_given(0, &[], &mut |_| ()),
        Err(GivenError::Batches(_))
    ));
}

#[test]
fn moves_of_a_file_are_replayed_or_refused_with_one_message() {
    let out = folder();
    let file = write(out.path(), "a.toml", EXPERIMENT);
    let cell = format!("{CELL}/random");
    let common = ["replay", text(&file), "--cell", &cell, "--game", "7"];
    let lines = turns(&stdout(&tilelab(&[&common[..], &["--json"]].concat())));
    let moves: Vec<&str> = lines
        .iter()
        .filter_map(|line| line["move"].as_str())
        .collect();
    let given = write(out.path(), "moves.txt", &moves.join("\n"));
    let of_file =
        |more: &[&str]| tilelab(&[&common[..], &["--moves", text(&given)], more].concat());
    assert_eq!(turns(&stdout(&of_file(&["--json"]))), lines);
    assert_eq!(stdout(&of_file(&[])), stdout(&tilelab(&common)));
    let of_input = |input: &str, more: &[&str]| {
        tilelab_with_input(
            &[&common[..], &["--json", "--moves", "-"], more].concat(),
            input,
        )
    };
    assert_eq!(turns(&stdout(&of_input(&moves.join(" "), &[]))), lines);

    let illegal = of_input(&format!("{} sideways", moves[0]), &[]);
    refused(
        &illegal,
        &["standard input: move 2: sideways is not legal", "; legal: "],
    );
    let short = moves[..moves.len() - 1].join(" ");
    let goes_on = format!(
        "standard input: {} moves, and game 7 goes on after them (legal: ",
        moves.len() - 1
    );
    refused(&of_input(&short, &[]), &[&goes_on, "--unfinished"]);
    let shown = turns(&stdout(&of_input(&short, &["--unfinished"])));
    assert_eq!(shown.len(), moves.len());
    let last = shown.last().unwrap();
    assert_eq!(
        (&last["move"], &last["outcome"]),
        (&Value::Null, &Value::Null)
    );
    let surplus = format!(
        "{} moves, but the game is over after {}",
        moves.len() + 1,
        moves.len()
    );
    refused(
        &of_input(&format!("{} up", moves.join(" ")), &[]),
        &[&surplus],
    );
    refused(&of_input("\u{1b}[2J", &[]), &["move 1: "]);

    let absent = out.path().join("none.txt");
    refused(
        &tilelab(&[&common[..], &["--moves", text(&absent)]].concat()),
        &["none.txt", "cannot be read"],
    );
    let many = [
        "replay",
        text(&file),
        "--cell",
        &cell,
        "--game",
        "7..9",
        "--moves",
        text(&given),
    ];
    refused(
        &tilelab(&many),
        &["moves.txt: moves of one game; give --game one number"],
    );
    refused(
        &tilelab(&[&common[..], &["--unfinished"]].concat()),
        &["--moves"],
    );
}

/// A cell is named by parts of its key that no other cell has.
#[test]
fn parts_of_a_key_name_a_cell() {
    let text = "name = \"parts\"\nseed = 1\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n\
        rules = [\"original\", \"gapless\"]\nsize = [\"3x3\", \"3x4\"]\nplayer = [\"random\", \"greedy\"]\n";
    let plan = tilelab::Plan::parse(text, tilelab::Overrides::default()).unwrap();
    for (parts, at) in [
        ("gapless,3x4,greedy", 7),
        ("original, cols=3, random", 0),
        (plan.cells[5].key().as_str(), 5),
    ] {
        assert_eq!(plan.find(parts).unwrap().key(), plan.cells[at].key());
    }
    let error = plan.find("gapless,3x4").unwrap_err();
    assert!(error.contains("2 cells have these parts"), "{error}");
    for parts in ["gap,3x4,greedy", "", "4x4"] {
        let error = plan.find(parts).unwrap_err();
        assert!(error.contains("no such cell"), "{error}");
    }
}

#[test]
fn games_are_chosen_by_their_outcome_and_cells_by_their_row() {
    let out = folder();
    let experiment = "name = \"a\"\nseed = 5\ngames = 40\n\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n\
                      size = [\"2x3\", \"3x3\"]\ntarget = 9\n";
    let file = write(out.path(), "a.toml", experiment);
    play(&file, out.path(), &[]);
    let results = out.path().join("a");
    // The second cell's games by the reference.
    let plan = tilelab::Plan::of_text(experiment, tilelab::Overrides::default()).unwrap();
    let job = plan.cells[1].job(5, KernelChoice::Reference).unwrap();
    let outcomes: Vec<_> = (0..40).map(|game| job.replay(game, &mut |_| ())).collect();
    let result = |wanted| {
        let found = outcomes.iter().position(|game| game.result == wanted);
        found.unwrap() as u64
    };
    let longest = outcomes.iter().map(|game| game.moves).max().unwrap();
    let longest = outcomes.iter().position(|game| game.moves == longest);
    let replay = |source: &Path, more: &[&str]| {
        tilelab(&[&["replay", text(source), "--row", "2"], more].concat())
    };
    for (option, wanted) in [
        ("--won", result(tilelab::GameResult::Won)),
        ("--lost", result(tilelab::GameResult::Lost)),
        ("--longest", longest.unwrap() as u64),
    ] {
        for source in [&file, &results] {
            let lines = replay(source, &[option, "--json"]);
            succeeded(&lines);
            let first: Value =
                serde_json::from_str(stdout(&lines).lines().next().unwrap()).unwrap();
            assert_eq!(first["game_index"], wanted, "{option}");
            let shown = stdout(&replay(source, &[option]));
            let number = format!("game: {wanted}\n\n");
            let turns = stdout(&replay(source, &["--game", &wanted.to_string()]));
            assert_eq!(shown, number + &turns);
        }
    }
    let beyond = replay(&results, &["--game", "40"]);
    refused(&beyond, &["--game 40: ", "the games 0 to 39 of this cell"]);
    succeeded(&replay(&file, &["--game", "40"]));
    let row = tilelab(&["replay", text(&results), "--row", "3", "--won"]);
    refused(&row, &["--row 3: accepted: 1 to 2"]);
    let hard = experiment.replace("target = 9", "target = 1000000");
    let hard = write(out.path(), "hard.toml", &hard);
    let none = replay(&hard, &["--won"]);
    refused(&none, &["--won: none of the 40 games of the cell"]);
}

/// Records are read where they come from a match or from `play`, and compared with the rules.
#[test]
fn records_are_read_and_checked() {
    let out = folder();
    let at = |name: &str| out.path().join(name);
    let file = at("match.jsonl");
    let players = [
        "match", "greedy", "random", "--game", "offset", "--set", "side=6",
    ];
    let more = ["--games", "2", "--seed", "5", "--record", text(&file)];
    succeeded(&tilelab(&[&players[..], &more].concat()));
    let records = std::fs::read_to_string(&file).unwrap();
    let headers: Vec<Value> = records
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .filter(|line: &Value| line["format"] == "tilelab game")
        .collect();
    let seats: Vec<_> = headers.iter().map(|header| &header["players"][0]).collect();
    assert_eq!(seats, ["greedy", "random", "greedy", "random"]);
    assert_eq!(headers[3]["game_of_pair"], 2);
    let lines = tilelab(&["replay", text(&file), "--json"]);
    succeeded(&lines);
    let turns_of_records = turns(&records);
    assert_eq!(turns(&stdout(&lines)).len(), turns_of_records.len());
    let shown = stdout(&tilelab(&["replay", text(&file)]));
    assert!(
        shown.contains("game: 1 of offset by random / greedy"),
        "{shown}"
    );
    let watched = tilelab(&["play", "--replay", text(&file)]);
    succeeded(&watched);
    let moves = headers[0]["moves"].as_array().unwrap();
    let watched = stdout(&watched);
    assert_eq!(watched.matches("move ").count(), moves.len(), "{watched}");

    // A person's game, left before its end.
    let own = at("own.jsonl");
    let game = ["play", "zero-sum", "--set", "start=16", "--seed", "1"];
    let how = ["--hints", "greedy", "--record", text(&own)];
    tilelab_with_input(&[&game[..], &how].concat(), "3\nundo\n2\nquit\n");
    let record = std::fs::read_to_string(&own).unwrap();
    let header: Value = serde_json::from_str(record.lines().next().unwrap()).unwrap();
    assert_eq!(header["players"][0], "person");
    assert_eq!(
        (&header["outcome"], &header["moves"][0]),
        (&Value::Null, &"2".into())
    );
    succeeded(&tilelab(&["replay", text(&own)]));

    let changed = |from: &str, to: &str| {
        assert!(records.contains(from), "{from}");
        let file = write(out.path(), "changed.jsonl", &records.replacen(from, to, 1));
        tilelab(&["replay", text(&file)])
    };
    refused(
        &changed("\"seat\":1", "\"seat\":0"),
        &["changed.jsonl: line ", "the rules give"],
    );
    refused(
        &changed("\"version\":1", "\"version\":9"),
        &["changed.jsonl: line 1: ", "version 1"],
    );
    refused(
        &changed("\"side\":6", "\"side\":99"),
        &["line 1: rules: ", "side"],
    );
    let second_move = format!("[{},{}", moves[0], moves[1]);
    let twice = format!("[{},{}", moves[0], moves[0]);
    refused(
        &changed(&second_move, &twice),
        &["line 1: move 2: ", "not legal"],
    );
    refused(
        &tilelab(&["replay", text(&file), "--game", "3"]),
        &["--game: ", "leave it out"],
    );
}
