//! `tilelab solve calculator` and `tilelab move --game calculator`: answers, wrong inputs, and the
//! game of chance.

use crate::common::{folder, refused, stdout, succeeded, tilelab, tilelab_with_input, write};
use crate::conformance::check_positions;
use expect_test::expect_file;
use serde_json::{Value, json};
use tilelab::catalog::{PlayerSpec, Setup, game};
use tilelab::game::{Job, KernelChoice, Tally};
use tilelab::games::calculator::{Calculator, Level};
use tilelab::levels::built_in;
use tilelab::params::Params;
use tilelab::rng::CellSeeds;

fn solve(arguments: &[&str]) -> std::process::Output {
    tilelab(&[&["solve", "calculator"], arguments].concat())
}

fn answer(arguments: &[&str]) -> Value {
    let output = solve(arguments);
    succeeded(&output);
    serde_json::from_str(&stdout(&output)).expect("the answer is JSON")
}

#[test]
fn one_solution_or_all_as_json() {
    let given = [
        "--start", "189", "--goal", "500", "--moves", "6", "--portal", "-4,-1", "--json",
    ];
    let buttons = ["--button", "+8", "x4", "Inv10", "9", "7=>0"];
    let one = answer(&[&given[..], &buttons].concat());
    assert_eq!(
        one[0]["solutions"],
        json!([["x4", "7=>0", "9", "+8", "7=>0"]])
    );
    assert!(one[0]["ms"].as_f64().is_some_and(|ms| ms >= 0.0));
    let all = answer(&[
        "experiments/calculator_levels.json",
        "--level",
        "192",
        "--all",
        "--json",
    ]);
    assert_eq!(all[0]["level"], 192);
    let listed = &built_in()[191].solutions;
    assert_eq!(
        all[0]["solutions"],
        json!(listed),
        "in the order of the public list, too"
    );
    // Buttons and options may stand in any order, and each button may have an option of its own.
    let apart = answer(&[
        "--button",
        "-7",
        "--button",
        "+/-",
        "--portal=-4,-1",
        "--moves",
        "2",
        "--start",
        "-7",
        "--goal",
        "14",
        "--json",
    ]);
    assert_eq!(apart[0]["solutions"], json!([["-7", "+/-"]]));
}

#[test]
fn levels_without_solution_are_refuted() {
    let given = [
        "--start", "0", "--goal", "7", "--moves", "12", "--button", "+2", "x4", "-6",
    ];
    let output = solve(&given);
    succeeded(&output);
    assert!(stdout(&output).contains("cannot be solved"));
    assert_eq!(
        answer(&[&given[..], &["--json", "--all"]].concat())[0]["solutions"],
        json!([])
    );
}

#[test]
fn a_toml_file_gives_a_table_in_every_form() {
    let folder = folder();
    let text = "[[level]]\nstart = 0\ngoal = 8\nmoves = 3\nbuttons = ['+2', '+3']\n\n[[level]]\nnumber = 7\nstart = 1\ngoal = 5\nmoves = 1\nbuttons = ['+2']\n";
    let path = write(folder.path(), "levels.toml", text);
    let csv = folder.path().join("table.csv");
    let markdown = folder.path().join("table.md");
    let csv_name = csv.to_str().unwrap();
    let markdown_name = markdown.to_str().unwrap();
    let files = ["--csv", csv_name, "--markdown", markdown_name];
    let output = solve(&[&[path.to_str().unwrap(), "--all", "--chance"], &files[..]].concat());
    succeeded(&output);
    let rows: Vec<Vec<String>> = stdout(&output)
        .lines()
        .skip(2)
        .map(|line| {
            line.trim_matches('|')
                .split('|')
                .map(|cell| cell.trim().to_owned())
                .collect()
        })
        .collect();
    // Three of eight sequences solve level 1.
    assert_eq!(rows[0][..7], ["1", "0", "8", "3", "`+2 +3`", "", "3"]);
    assert_eq!(rows[0][9..], ["37.500000", "`+2 +3 +3`"]);
    assert_eq!(rows[1][6], "none");
    let csv = std::fs::read_to_string(csv).unwrap();
    let head = csv.lines().next().unwrap();
    let first = csv.lines().nth(1).unwrap();
    assert_eq!(
        head,
        "level,start,goal,moves,buttons,portal,solutions,states,ms,random_win_pct,solution"
    );
    assert!(
        first.starts_with("1,0,8,3,+2 +3,,3,") && first.ends_with(",37.500000,+2 +3 +3"),
        "{first}"
    );
    let markdown = std::fs::read_to_string(markdown).unwrap();
    assert!(
        markdown.contains("| 7 | 1 | 5 | 1 | `+2` |  | none |"),
        "{markdown}"
    );
}

#[test]
fn wrong_arguments_are_refused() {
    let level = |change: &[&'static str]| -> Vec<&'static str> {
        let mut all = vec![
            ("--start", "1"),
            ("--goal", "2"),
            ("--moves", "3"),
            ("--button", "+1"),
            ("--portal", "-4,-1"),
        ];
        all.retain(|(key, _)| !change.contains(key));
        all.into_iter()
            .flat_map(|(key, value)| [key, value])
            .chain(change.iter().copied())
            .collect()
    };
    for (arguments, words) in [
        (level(&["--moves", "0"]), vec!["--moves", "0", "1 to 99"]),
        (
            level(&["--moves", "100"]),
            vec!["--moves", "100", "1 to 99"],
        ),
        (level(&["--moves", "two"]), vec!["--moves", "two"]),
        (
            level(&["--start", "1000000"]),
            vec!["--start", "1000000", "999999"],
        ),
        (level(&["--goal", "-1000000"]), vec!["--goal", "-1000000"]),
        (
            level(&["--start", "12345"]),
            vec!["--start", "12345", "position -4"],
        ),
        (level(&["--button", "/0"]), vec!["/0", "from 1 to 999999"]),
        (
            level(&["--button", "reverse"]),
            vec!["reverse", "did you mean", "Reverse"],
        ),
        (level(&["--button", "x^21"]), vec!["x^21", "from 1 to 20"]),
        (
            level(&["--button", "1234567"]),
            vec!["1234567", "1 to 6 digits"],
        ),
        (level(&["--button", "1=>"]), vec!["1=>", "1 to 6 digits"]),
        (level(&["--button", "[+]x"]), vec!["[+]x", "from 1 to 9999"]),
        (
            level(&["--button", "+1", "+1"]),
            vec!["--buttons", "+1 twice"],
        ),
        (
            level(&["--portal", "-1,-4"]),
            vec!["--portal", "-1,-4", "to its right"],
        ),
        (level(&["--portal", "4"]), vec!["--portal", "two positions"]),
        (level(&["--portal", "-7,-1"]), vec!["--portal", "-7,-1"]),
        (
            vec!["--start", "1", "--moves", "3", "--button", "+1"],
            vec!["required", "--goal <N>"],
        ),
        (
            vec!["--portal", "-4,-1"],
            vec!["required", "--start", "--goal", "--moves", "--button"],
        ),
        (vec!["--level", "200"], vec!["--level 200", "1 to 199"]),
        (
            level(&["--level", "3"]),
            vec!["'--start <N>' cannot be used with '--level <N>'"],
        ),
        (
            vec!["experiments/calculator_levels.json", "--goal", "3"],
            vec!["required", "--start <N>"],
        ),
        (
            vec!["no/such/file.json"],
            vec!["no/such/file.json", "No such file"],
        ),
        (vec!["README.md"], vec!["README.md", ".json or .toml"]),
        (vec!["--depth", "3"], vec!["--depth"]),
    ] {
        let output = solve(&arguments);
        refused(&output, &words);
        assert!(output.stdout.is_empty(), "{arguments:?}");
    }
    refused(&tilelab(&["solve", "chess"]), &["chess"]);
}

#[test]
fn wrong_level_files_are_refused() {
    let folder = folder();
    for (name, text, words) in [
        ("a.json", "[{\"start\": 1", vec!["a.json", "line 1"]),
        ("b.json", "[]", vec!["b.json", "no level"]),
        (
            "c.json",
            r#"[{"start":1,"goal":2,"moves":1,"button":["+1"]}]"#,
            vec!["c.json", "unknown field `button`", "buttons"],
        ),
        (
            "d.json",
            r#"[{"start":1.5,"goal":2,"moves":1,"buttons":["+1"]}]"#,
            vec!["d.json", "1.5"],
        ),
        (
            "e.json",
            r#"[{"level":4,"start":1,"goal":2,"moves":0,"buttons":["?"]}]"#,
            vec!["level 4: moves: 0", "level 4: buttons", "?"],
        ),
        (
            "f.json",
            r#"{"start":1,"goal":2,"moves":1,"buttons":["+1"],"portal":[-4]}"#,
            vec!["f.json", "length 2"],
        ),
        ("g.toml", "[[level]]\nstart = = 1", vec!["g.toml", "line 2"]),
        ("h.toml", "[[levels]]\nstart = 1", vec!["h.toml", "levels"]),
        (
            "i.toml",
            "[[level]]\nstart = 1\ngoal = 2\nmoves = 1",
            vec!["i.toml", "buttons"],
        ),
        (
            "j.toml",
            "[[level]]\nstart=1\ngoal=2\nmoves=1\nbuttons=['+1']\nportal=[-2,-2]",
            vec!["j.toml", "level 1: portal -2,-2"],
        ),
    ] {
        let path = write(folder.path(), name, text);
        let table = folder.path().join("table.csv");
        refused(
            &solve(&[path.to_str().unwrap(), "--csv", table.to_str().unwrap()]),
            &words,
        );
        assert!(!table.exists(), "{name}: nothing is written");
    }
}

#[test]
fn moves_are_answered_line_by_line() {
    let input = r#"{"value":189,"button":"x4","portal":[-4,-1]}
{"value":189,"button":"/4"}
{"value":500000,"button":"x4"}
{"value":-3,"button":"Store"}
{"value":7,"button":"x-2"}
{"value":7,"button":"Revers"}
{"value":7,"button":3}
{"value":"7","button":"x3"}
{"value":1000000,"button":"x3"}
{"button":"x3"}
{"value":7}
{"value":7,"button":"x3","portal":[1,4]}
{"value":7,"button":"x3","portal":"-4,-1"}
{"value":7,"button":"x3","buttons":["x4"]}
{"value":7,"button":"x3","stored":-1}
{"value":7,"key":"x3"}
[7]
{"value":7
"#;
    let output = tilelab_with_input(&["move", "--game", "calculator"], input);
    assert_eq!(output.status.code(), Some(2));
    let lines: Vec<Value> = stdout(&output)
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines.len(), input.lines().count());
    assert_eq!(
        (&lines[0], &lines[4]),
        (&json!({"value": 756}), &json!({"value": -14}))
    );
    for (line, words) in [
        (1, "remainder"),
        (2, "more than 6 digits"),
        (3, "negative number cannot be stored"),
        (5, "did you mean \"Reverse\"?"),
        (6, "3 is not a text"),
        (7, "value: \"7\" is not a whole number"),
        (8, "value: 1000000"),
        (9, "value: missing"),
        (10, "button: missing"),
        (11, "portal 1,4"),
        (12, "not a pair of positions"),
        (13, "\"x3\" is not among the buttons x4"),
        (14, "stored: -1"),
        (15, "key: unknown key"),
        (16, "a request is an object"),
        (17, "not JSON"),
    ] {
        let error = lines[line]["error"]
            .as_str()
            .unwrap_or_else(|| panic!("line {line} is wrong"));
        assert!(error.contains(words), "{words:?} not in {error}");
    }
}

/// Places of buttons were cut to 8 bits, so that button 256 was answered as
/// button 0.
#[test]
fn more_buttons_than_a_level_has_are_refused() {
    let labels = |count: usize| (1..=count).map(|n| format!("+{n}")).collect::<Vec<_>>();
    let request =
        |count: usize| json!({"value": 1, "button": format!("+{count}"), "buttons": labels(count)});
    let input = format!("{}\n{}\n{}\n", request(24), request(25), request(257));
    let output = tilelab_with_input(&["move", "--game", "calculator"], &input);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    let lines: Vec<Value> = text
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(lines[0]["value"], 25);
    assert_eq!(
        lines[1]["error"],
        "buttons: 25 given; at most 24 are accepted"
    );
    assert_eq!(
        lines[2]["error"],
        "buttons: 257 given; at most 24 are accepted"
    );
}

#[test]
fn wrong_parameters_are_refused() {
    for (settings, words) in [
        (vec!["level=0"], vec!["level=0", "1 to 199"]),
        (
            vec!["level=3", "start=1"],
            vec!["start", "contradicts level 3"],
        ),
        (
            vec!["start=1", "goal=2", "moves=3"],
            vec!["buttons", "missing"],
        ),
        (
            vec!["start=1", "goal=2", "moves=3", "buttons=+1 ?"],
            vec!["buttons=+1 ?", "labels separated by spaces"],
        ),
        (
            vec!["start=1", "goal=2", "moves=3", "buttons=+1 +1"],
            vec!["buttons", "twice"],
        ),
        (
            vec![
                "start=1234",
                "goal=2",
                "moves=3",
                "buttons=+1",
                "portal=-4,-1",
            ],
            vec!["start", "position -4"],
        ),
        (vec!["portal=-1,-4"], vec!["portal=-1,-4", "-4,-1"]),
    ] {
        let settings = settings.iter().flat_map(|setting| ["--set", setting]);
        let arguments: Vec<&str> = ["move", "--game", "calculator"]
            .into_iter()
            .chain(settings)
            .collect();
        refused(&tilelab(&arguments), &words);
    }
}

fn params(settings: &[(&str, &str)]) -> Params {
    let entry = game("calculator").unwrap();
    let settings = settings.iter().map(|(key, value)| format!("{key}={value}"));
    let mut params = Params::from_settings(entry.params, settings).unwrap();
    (entry.complete)(&mut params).unwrap();
    params
}

fn random_job(settings: &[(&str, &str)]) -> Box<dyn Job> {
    let entry = game("calculator").unwrap();
    let params = params(settings);
    let players = [PlayerSpec::new(&entry.players[0])];
    let seeds = CellSeeds::new(199, &params.key(entry.params), "random");
    entry
        .build(&Setup {
            params: &params,
            players: &players,
            seeds,
            kernel: KernelChoice::Auto,
        })
        .unwrap()
}

/// Random games against the exact share, on every level: 199 deviations, none beyond 4.9 standard
/// errors (chance 2 in 10,000).
#[test]
fn random_play_wins_as_often_as_it_should() {
    const GAMES: u64 = 4000;
    for level in built_in().into_iter().map(|listed| listed.level) {
        let job = random_job(&[("level", &level.number.to_string())]);
        let mut tally = Tally::new(job.measures());
        job.play(0..GAMES, &mut tally, None);
        let moves = u64::from(level.moves);
        let number = level.number;
        let share = Calculator { level }.random_win_share().unwrap();
        let games = GAMES as f64;
        let wins = tally.wins as f64;
        let error = (games * share * (1.0 - share)).sqrt();
        // Where few wins are expected their number is skewed; one in 10⁶ is allowed for by the
        // added constant.
        let limit = 4.9 * error + 6.0;
        assert!(
            (wins - games * share).abs() <= limit,
            "level {number}: {wins} of {games} where {share} is exact"
        );
        assert!(tally.moves_max <= moves);
    }
}

/// Game 0 of three levels, press by press; set UPDATE_EXPECT to write the file anew.
#[test]
fn transcripts_of_store_portal_and_increase_are_golden() {
    let mut text = String::new();
    for settings in [
        vec![("level", "150")],
        vec![("level", "192")],
        vec![
            ("start", "5"),
            ("goal", "100000"),
            ("moves", "9"),
            ("buttons", "[+]2 Store 7 /1 x-3"),
            ("portal", "-6,-2"),
        ],
    ] {
        let job = random_job(&settings);
        for index in 0..2 {
            check_positions(
                game("calculator").unwrap(),
                &params(&settings),
                &*job,
                index,
            );
            job.replay(index, &mut |line| text.push_str(&format!("{line}\n")));
        }
    }
    expect_file!["../../data/calculator_transcripts.jsonl"].assert_eq(&text);
}

#[test]
fn the_same_bytes_for_any_number_of_threads() {
    let folder = folder();
    let text = "name = \"some\"\nseed = 3\ngames = 9000\n\n[[table]]\ntitle = \"some\"\ngame = \"calculator\"\nlevel = [2, 150, 192]\n";
    let file = write(folder.path(), "some.toml", text);
    let run = |threads: &str| {
        let out = folder.path().join(threads);
        let arguments = [
            "run",
            file.to_str().unwrap(),
            "--quiet",
            "--threads",
            threads,
            "--out",
            out.to_str().unwrap(),
        ];
        let output = tilelab(&arguments);
        succeeded(&output);
        std::fs::read_to_string(out.join("some/cells.csv")).unwrap()
    };
    let one = run("1");
    assert_eq!(one.lines().count(), 4);
    assert_eq!(one, run("3"));
}

#[test]
fn the_levels_of_the_file_and_of_the_program_are_the_same() {
    let read = |output: std::process::Output| -> Vec<Value> {
        let answers: Vec<Value> = serde_json::from_str(&stdout(&output)).unwrap();
        answers
            .into_iter()
            .map(|answer| answer["solutions"].clone())
            .collect()
    };
    let named = read(solve(&["experiments/calculator_levels.json", "--json"]));
    assert_eq!(named, read(solve(&["--json"])));
    assert_eq!(named.len(), 199);
    for (solutions, listed) in named.iter().zip(built_in()) {
        let labels: Vec<&str> = solutions[0]
            .as_array()
            .unwrap()
            .iter()
            .map(|label| label.as_str().unwrap())
            .collect();
        Level::check_solution(&listed.level, &labels).unwrap();
    }
}
