//! Players from outside: commands that answer positions.

use crate::common::{folder, play, python_for, stderr, stdout, succeeded, text, tilelab, write};

const PYTHON: &str = "command(python3 examples/players/player.py)";
#[cfg(unix)]
const SHELL: &str = "command(sh examples/players/player.sh)";

/// Plays a match and returns its tables and the warnings.
fn played(first: &str, second: &str, game: &[&str]) -> [String; 2] {
    ended(first, second, game, 0)
}

/// Plays a match that ends with this code, and returns its tables and the warnings.
fn ended(first: &str, second: &str, game: &[&str], code: i32) -> [String; 2] {
    let output = tilelab(&[&["match", first, second, "--game"], game].concat());
    assert_eq!(output.status.code(), Some(code), "{}", stderr(&output));
    let warnings: Vec<String> = stderr(&output)
        .lines()
        .filter(|line| line.starts_with("warning: "))
        .map(str::to_owned)
        .collect();
    [stdout(&output), warnings.join("\n")]
}

#[test]
fn a_python_player_plays_100_games_of_offset() {
    if python_for("python", "json").is_none() {
        return;
    }
    let game = ["offset", "--set", "side=8", "--games", "50"];
    let [table, said] = played(PYTHON, "mobility", &game);
    assert!(table.contains("| mobility | 50 |"), "{table}");
    assert_eq!(said, "");
    assert_eq!(
        played(PYTHON, "mobility", &game)[0],
        table,
        "the seed decides its moves"
    );
}

/// Commands play every game that `move` knows.
#[cfg(unix)]
#[test]
fn a_shell_player_plays_every_game() {
    for game in [
        &["sixty-seven", "--set", "size=3x3"][..],
        &["2048", "--set", "size=3x3"],
        &[
            "calculator",
            "--set",
            "start=1",
            "--set",
            "goal=5",
            "--set",
            "moves=3",
            "--set",
            "buttons=+1 x2",
        ],
        &["offset", "--set", "side=6"],
        &["zero-sum"],
    ] {
        let [table, said] = played(SHELL, "random", &[game, &["--games", "10"]].concat());
        assert!(table.contains("player.sh) | random | 10 |"), "{table}");
        assert_eq!(said, "", "{game:?}");
    }
}

/// Whatever a command does, it loses its games, and the run goes on.
#[cfg(unix)]
#[test]
fn hostile_players_lose_their_games() {
    let folder = folder();
    for (name, script, reason) in [
        (
            "crash",
            "echo 'no tiles' >&2; exit 3",
            "it has ended: no tiles",
        ),
        ("hang", "exec sleep 600", "no answer within 300 ms"),
        ("deaf", "exec sleep 600 <&-", "no answer within 300 ms"),
        (
            "garbage",
            "while read -r l; do echo left; done",
            "not JSON: left",
        ),
        (
            "nothing",
            "while read -r l; do echo '{\"m\":1}'; done",
            "no \"move\" in",
        ),
        (
            "illegal",
            "while read -r l; do echo '{\"move\":\"home\"}'; done",
            "not a legal move: {\"move\":\"home\"}",
        ),
        ("flood", "exec yes 2>/dev/null", "not JSON: y"),
        (
            "line",
            "exec tr '\\0' x </dev/zero",
            "more than 65536 bytes",
        ),
        ("binary", "exec cat /dev/urandom", ""),
        (
            "late",
            "read -r l; echo '{\"move\":\"up\"}'; exec sleep 600",
            "",
        ),
    ] {
        let script = write(folder.path(), name, script);
        let player = format!("command(sh {},timeout_ms=300)", script.display());
        for game in [
            &["2048", "--set", "size=3x3", "--set", "goal=16"][..],
            &["offset", "--set", "side=6"],
        ] {
            let game = [game, &["--games", "2"]].concat();
            let [table, said] = ended(&player, "random", &game, 1);
            assert!(said.contains(reason), "{name}: {said}");
            assert!(said.contains("is forfeited"), "{name}: {said}");
            assert!(said.len() < 4_000, "{name}: {said}");
            let line = table
                .lines()
                .find(|line| line.starts_with("| command"))
                .unwrap();
            let won: Vec<&str> = line.split('|').map(str::trim).collect();
            assert_eq!([won[3], won[4]], ["2", "0"], "{name}: {table}");
        }
    }
}

/// A script that answers the first legal move, but crashes in games whose number is a multiple of
/// three.
#[cfg(unix)]
const SOMETIMES: &str = r#"
import json, sys
for line in sys.stdin:
    asked = json.loads(line)
    if asked["game_index"] % 3 == 0 and asked["moves"] >= 2:
        sys.exit("broken")
    print(json.dumps({"move": asked["legal"][0]}), flush=True)
"#;

/// Forfeits are counted by player and cause, wherever results are told; who forfeits loses, and no
/// mean has such games.
#[cfg(unix)]
#[test]
fn forfeits_are_counted_everywhere() {
    let Some(python) = python_for("python", "json") else {
        return;
    };
    let folder = folder();
    let script = write(folder.path(), "sometimes.py", SOMETIMES);
    let player = format!("command({python} {})", script.display());
    let out = folder.path().join("out");
    let output = tilelab(&[
        "match",
        &player,
        "corner",
        "--game",
        "2048",
        "--set",
        "size=3x3",
        "--games",
        "9",
        "--out",
        out.to_str().unwrap(),
        "--per-game=csv",
        "--measure",
        "score",
    ]);
    let said = succeeded(&output);
    assert!(
        said.contains("did not finish 3 of 9 games (3 crash)"),
        "{said}"
    );
    assert!(said.contains("9 pairs (all new), 3 forfeited"), "{said}");
    let table = stdout(&output);
    assert!(table.contains("| 9 | 3 | 3 | 0 | 0 | 0 |"), "{table}");
    assert!(
        table.contains("of the 3 of 9 pairs with a forfeit"),
        "{table}"
    );

    let results = out.join("twenty-forty-eight");
    // Where people read it, the command stands as it was given.
    let label = format!("command(run={python} {})", script.display());
    for file in ["table.md", "times.md"] {
        let text = std::fs::read_to_string(results.join(file)).unwrap();
        assert!(
            text.contains(&label) && !text.contains("%20"),
            "{file}: {text}"
        );
    }
    let cells = std::fs::read_to_string(results.join("cells.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(cells.as_bytes());
    let header = reader.headers().unwrap().clone();
    let row = reader.records().next().unwrap().unwrap();
    let field = |name: &str| row[header.iter().position(|known| known == name).unwrap()].to_owned();
    for (name, value) in [
        ("games", "9"),
        ("forfeited", "3"),
        ("forfeits_crash", "3"),
        ("forfeits_timeout", "0"),
        ("forfeited_by_both", "0"),
        ("forfeits_crash_opponent", "0"),
    ] {
        assert_eq!(field(name), value, "{name}");
    }
    let rows = std::fs::read_to_string(results.join("games.csv")).unwrap();
    let mut reader = csv::Reader::from_reader(rows.as_bytes());
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|known| known == name).unwrap();
    let mut forfeited = 0;
    let mut values = Vec::new();
    for row in reader.records() {
        let row = row.unwrap();
        if &row[at("forfeit")] == "player crash" {
            assert_eq!(&row[at("outcome")], "lost");
            forfeited += 1;
        } else {
            assert_eq!(&row[at("forfeit")], "");
            values.push(row[at("value")].parse::<f64>().unwrap());
        }
    }
    assert_eq!((forfeited, values.len()), (3, 6));
    let mean = values.iter().sum::<f64>() / 6.0;
    let shown: f64 = field("value_mean").parse().unwrap();
    assert!((shown - mean).abs() < 1e-6, "{shown} and {mean}");
    let status = stdout(&tilelab(&["status", results.to_str().unwrap()]));
    assert!(status.contains("3 of them forfeited"), "{status}");
    let page = std::fs::read_to_string(results.join("report.html")).unwrap();
    assert!(page.contains("did not finish 3 of 9 games"), "the page");

    // State files keep them: a continued match has the same rows.
    let more = tilelab(&[
        "match",
        &player,
        "corner",
        "--game",
        "2048",
        "--set",
        "size=3x3",
        "--games",
        "12",
        "--out",
        out.to_str().unwrap(),
        "--measure",
        "score",
    ]);
    assert!(
        succeeded(&more).contains("did not finish 4 of 12 games"),
        "{}",
        stderr(&more)
    );
}

/// Pairs of a comparison in which a game is forfeited are left out and counted: they once stood for
/// games of 0 moves. A record and a replay name the cause.
#[cfg(unix)]
#[test]
fn forfeited_games_are_no_short_games() {
    let Some(python) = python_for("python", "json") else {
        return;
    };
    let folder = folder();
    let script = write(folder.path(), "sometimes.py", SOMETIMES);
    let toml = format!(
        "name = \"p\"\nseed = 1\ngames = 9\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\nsize = \"3x3\"\n\
         player = [\"corner\", {{ command = [{python:?}, {:?}] }}]\n",
        script.display().to_string()
    );
    let file = write(folder.path(), "p.toml", &toml);
    play(&file, folder.path(), &["--allow-programs"]);
    let results = folder.path().join("p");
    let results = text(&results);
    let compared = tilelab(&[
        "compare",
        results,
        "--by",
        "player",
        "--paired",
        "--allow-programs",
    ]);
    succeeded(&compared);
    let table = stdout(&compared);
    assert!(
        table.contains("6 pairs of games (3 more left out: a player forfeited)"),
        "{table}"
    );
    let replay = |more: &[&str]| {
        let of = ["replay", results, "--row", "2", "--allow-programs"];
        let output = tilelab(&[&of, more].concat());
        succeeded(&output);
        stdout(&output)
    };
    let records = replay(&["--game", "0..9"]);
    let forfeits = records.matches("\"forfeit\":\"crash\"").count();
    assert_eq!(forfeits, 3, "{records}");
    let endings: Vec<String> = (0..9)
        .map(|game| replay(&["--game", &game.to_string()]))
        .collect();
    let told = endings
        .iter()
        .filter(|text| text.contains(": a forfeit (crash)"));
    assert_eq!(told.count(), 3);
}

/// In a match of three, who forfeits loses its meetings, a meeting that both forfeited is nobody's,
/// and forfeits are counted by player.
#[cfg(unix)]
#[test]
fn forfeits_of_a_match_of_three_are_counted() {
    let Some(python) = python_for("python", "json") else {
        return;
    };
    let folder = folder();
    let sometimes = write(folder.path(), "sometimes.py", SOMETIMES);
    let crash = write(folder.path(), "crash.sh", "exit 3");
    let players = [
        format!("command({python} {})", sometimes.display()),
        format!("command(sh {})", crash.display()),
        "corner".to_owned(),
    ];
    let out = folder.path().join("out");
    let mut arguments = vec!["match"];
    arguments.extend(players.iter().map(String::as_str));
    arguments.extend(["--game", "2048", "--set", "size=3x3", "--games", "9"]);
    arguments.extend(["--measure", "score", "--out", out.to_str().unwrap()]);
    let output = tilelab(&arguments);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    let said = stderr(&output);
    for count in ["3 of 9 games (3 crash)", "9 of 9 games (9 crash)"] {
        assert!(said.contains(count), "{said}");
    }
    let table = stdout(&output);
    assert!(
        table.contains("of the 9 of 9 starts with a forfeit"),
        "{table}"
    );
    let standings = out.join("twenty-forty-eight/standings.csv");
    let mut reader = csv::Reader::from_path(standings).unwrap();
    let header = reader.headers().unwrap().clone();
    let at = |name: &str| header.iter().position(|known| known == name).unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let of = |row: usize, names: &[&str]| {
        let fields = names.iter().map(|name| rows[row][at(name)].to_owned());
        fields.collect::<Vec<_>>().join(" ")
    };
    let counted = [
        "wins",
        "draws",
        "losses",
        "forfeits_crash",
        "elo",
        "value_mean",
    ];
    assert!(of(0, &counted).ends_with(" 3  "), "{}", of(0, &counted));
    assert_eq!(of(1, &counted), "0 0 15 9  ");
    assert!(of(2, &counted).ends_with(" 0  "), "{}", of(2, &counted));
    // The meetings of both programs: three are nobody's.
    let met = ["wins", "draws", "losses", "points_mean", "difference_mean"];
    assert_eq!(of(3, &met), "6 0 0 1 ");
    assert_eq!(of(5, &met), "0 0 9 0 ");
}

/// Where no game of a pairing was finished, the command fails; where both forfeit, nobody has half
/// a point.
#[cfg(unix)]
#[test]
fn games_that_nobody_finishes_are_no_draws() {
    let folder = folder();
    let script = write(folder.path(), "crash.sh", "exit 3");
    let crash = format!("command(sh {})", script.display());
    for game in [
        &["67", "--set", "size=3x3"][..],
        &["offset", "--set", "side=6"],
    ] {
        let meet = |second: &str, more: &[&str]| {
            let common = ["match", &crash, second, "--games", "3", "--game"];
            tilelab(&[&common, game, more].concat())
        };
        let output = meet("random", &[]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let table = stdout(&output);
        assert!(table.contains("| random | 3 | 0 | 0 | 3 | 0 "), "{table}");

        let other = format!("command(sh {},timeout_ms=999)", script.display());
        let output = meet(&other, &[]);
        assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
        let table = stdout(&output);
        assert!(
            table.contains("3 pairs that both forfeited count for neither"),
            "{table}"
        );
        assert!(!table.contains("| 50 "), "{table}");

        let output = meet("random", &["--fail-fast"]);
        assert_eq!(output.status.code(), Some(1));
        assert!(
            stderr(&output).contains("is forfeited by"),
            "{}",
            stderr(&output)
        );
    }
}

/// A program that answers while tilelab is stopped is not late.
#[cfg(target_os = "linux")]
#[test]
fn the_clock_of_a_program_stands_still_while_tilelab_is_stopped() {
    use std::process::{Command, Stdio};
    use std::time::{Duration, Instant};
    let folder = folder();
    let begun = folder.path().join("begun");
    // Each answer takes a second, of the two that it may take.
    let script = format!(
        "while read -r l; do touch {}; sleep 1; echo '{{\"move\":\"left\"}}'; sleep 0.1; done",
        begun.display()
    );
    let script = write(folder.path(), "slow.sh", &script);
    let player = format!("command(sh {},timeout_ms=2000)", script.display());
    let child = crate::common::command(&[
        "match",
        &player,
        "random",
        "--game",
        "2048",
        "--set",
        "size=2x2",
        "--set",
        "goal=8",
        "--games",
        "1",
        "--threads",
        "1",
    ])
    .stdout(Stdio::piped())
    .stderr(Stdio::piped())
    .spawn()
    .unwrap();
    let start = Instant::now();
    while !begun.exists() {
        assert!(start.elapsed() < Duration::from_secs(60));
        std::thread::sleep(Duration::from_millis(5));
    }
    let signal = |name: &str, id: u32| {
        let sent = Command::new("kill").args([name, &id.to_string()]).status();
        assert!(sent.unwrap().success());
    };
    let children = format!("/proc/{0}/task/{0}/children", child.id());
    let program: u32 = std::fs::read_to_string(children)
        .unwrap()
        .split_whitespace()
        .next()
        .unwrap()
        .parse()
        .unwrap();
    // Both processes stop, so that the answer cannot come before the time is looked at.
    signal("-STOP", program);
    signal("-STOP", child.id());
    std::thread::sleep(Duration::from_millis(2500));
    signal("-CONT", child.id());
    signal("-CONT", program);
    let output = child.wait_with_output().unwrap();
    let said = stderr(&output);
    assert!(!said.contains("no answer within"), "{said}");
}

/// Files write the words of a command as a list; what cannot be started is wrong input.
#[test]
fn commands_stand_in_files() {
    let folder = folder();
    let file = |command: &str| {
        let text = format!(
            "name = \"out\"\nseed = 67\ngames = 4\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\nsize = \"3x3\"\n\
             player = [\"random\", {{ command = {command} }}]\n"
        );
        write(folder.path(), "out.toml", &text)
    };
    let run = |command: &str| {
        let out = folder.path().join("out");
        tilelab(&[
            "run",
            file(command).to_str().unwrap(),
            "--out",
            out.to_str().unwrap(),
            "--quiet",
            "--allow-programs",
        ])
    };
    for (command, named) in [
        ("[\"python3\", \"my player.py\"]", "my player.py"),
        ("[]", "command"),
        ("[1]", "command"),
    ] {
        let output = run(command);
        assert_eq!(output.status.code(), Some(2), "{}", stderr(&output));
        assert!(stderr(&output).contains(named), "{}", stderr(&output));
    }
    let output = run("[\"no-such-program\"]");
    assert_eq!(output.status.code(), Some(2));
    assert!(
        stderr(&output).contains("no-such-program: cannot be started"),
        "{}",
        stderr(&output)
    );
    assert!(!folder.path().join("out").exists(), "something was written");
    if cfg!(unix) {
        succeeded(&run("[\"sh\", \"examples/players/player.sh\"]"));
    }
}

/// Every thinking player keeps to a budget, and one that cannot is named.
#[test]
fn thinking_players_take_a_budget() {
    for (player, game) in [
        (
            "minimax(depth=9,width=0,budget_ms=2)",
            &["offset", "--set", "side=5"][..],
        ),
        (
            "alpha-beta(depth=9,budget_ms=2)",
            &["offset", "--set", "side=5"],
        ),
        ("monte-carlo(budget_ms=2)", &["offset", "--set", "side=5"]),
        ("monte-carlo(budget_ms=2)", &["zero-sum"]),
        ("expectimax(budget_ms=2)", &["2048", "--set", "size=2x2"]),
        (
            "seed-lookahead(budget_ms=2)",
            &["2048", "--set", "size=2x2"],
        ),
        ("monte-carlo(budget_ms=2)", &["67", "--set", "size=2x3"]),
        ("expectimax(budget_ms=2)", &["67", "--set", "size=2x3"]),
    ] {
        let [table, _] = played(player, "random", &[game, &["--games", "2"]].concat());
        assert!(table.contains("cannot be repeated"), "{player}: {table}");
    }
    // A game after each of hundreds of moves takes longer, and is always finished.
    let player = "monte-carlo(width=0,budget_ms=1)";
    let [_, said] = played(
        player,
        "random",
        &["offset", "--set", "side=12", "--games", "1"],
    );
    assert!(
        said.contains("monte-carlo(playouts=2,width=0,budget_ms=1): "),
        "{said}"
    );
    assert!(
        said.contains("choices took longer than its budget"),
        "{said}"
    );
}
