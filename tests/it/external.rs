//! Players from outside: commands that answer positions.

use crate::common::{folder, python_for, stderr, stdout, succeeded, tilelab, write};

const PYTHON: &str = "command(python3 examples/players/player.py)";
#[cfg(unix)]
const SHELL: &str = "command(sh examples/players/player.sh)";

/// Plays a match and returns its tables and the warnings.
fn played(first: &str, second: &str, game: &[&str]) -> [String; 2] {
    let output = tilelab(&[&["match", first, second, "--game"], game].concat());
    succeeded(&output);
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
        assert!(table.contains("player.sh) | 10 |"), "{table}");
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
            let [table, said] = played(&player, "random", &[game, &["--games", "3"]].concat());
            assert!(said.contains(reason), "{name}: {said}");
            assert!(said.contains("is lost"), "{name}: {said}");
            assert!(said.len() < 4_000, "{name}: {said}");
            let line = table
                .lines()
                .find(|line| line.starts_with("| command"))
                .unwrap();
            let won: Vec<&str> = line.split('|').map(str::trim).collect();
            assert_eq!([won[2], won[3]], ["3", "0"], "{name}: {table}");
        }
    }
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
