//! The full screen, driven through a terminal of its own: a game won, one lost, undo, hint,
//! resizing, watching, colours, and a terminal that is as it was after leaving, Ctrl-C, signals and
//! a panic.

use super::tmux::{HANG, Terminal};
use std::time::{Duration, Instant};

/// The lines of the picture that show tiles.
fn board(picture: &str) -> Vec<String> {
    picture
        .lines()
        .skip(2)
        .take_while(|line| !line.contains("legal"))
        .map(str::to_owned)
        .collect()
}

#[test]
fn the_last_screen_is_written_as_a_picture() {
    let arguments = [
        "play",
        "sixty-seven",
        "--seed",
        "1",
        "--board",
        "66 + 1 _ / _ _ _ 5",
        "--picture",
        "last.svg",
    ];
    let Some(terminal) = Terminal::tilelab("picture", &arguments) else {
        return;
    };
    terminal.shows("66");
    terminal.keys(&["q"]);
    terminal.ended(0);
    let picture = terminal.read("last.svg");
    assert!(
        picture.starts_with("<svg ") && picture.ends_with("</svg>\n"),
        "{picture}"
    );
    let texts: Vec<&str> = picture
        .split("</text>")
        .filter_map(|part| Some(part.rsplit_once('>')?.1.trim()))
        .collect();
    assert!(
        ["66", "67! 2x4 · make 67 · seed 1 · game 0"]
            .iter()
            .all(|text| texts.contains(text)),
        "{texts:?}"
    );
}

/// Closing the terminal ends the process with the exit code of an interruption, also where it does
/// not get the signal.
#[test]
fn a_game_ends_when_its_terminal_closes() {
    for (name, on_hangup) in [("signal", ":"), ("no-signal", "''")] {
        for (action, watched) in [("play", &[][..]), ("watch", &["--player", "random"])] {
            let program = env!("CARGO_BIN_EXE_tilelab");
            let arguments = [&["play", "sixty-seven", "--seed", "1"], watched].concat();
            let name = format!("closed-{name}-{action}");
            let environment = "TERM=xterm-256color";
            let Some(terminal) =
                Terminal::run_after(on_hangup, (80, 24), &name, environment, program, &arguments)
            else {
                return;
            };
            terminal.shows("round");
            terminal.tmux(&["kill-server"]);
            let begun = Instant::now();
            while !terminal.read("status").ends_with('\n') {
                assert!(begun.elapsed() < HANG, "{name}: goes on without a terminal");
                std::thread::sleep(Duration::from_millis(20));
            }
            assert_eq!(terminal.read("status"), "130\n", "{name}");
        }
    }
}

/// A player whose thread could not be had has ended the game with a panic.
#[cfg(target_os = "linux")]
#[test]
fn a_player_without_a_thread_is_told_of() {
    use rustix::process::{Pid, Resource, Rlimit, prlimit};
    let arguments = ["play", "67", "--seed", "1"];
    let Some(terminal) = Terminal::tilelab("thread", &arguments) else {
        return;
    };
    terminal.shows("round 1");
    let pid = terminal.read("pid").trim().parse().unwrap();
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).unwrap();
    let size = status.lines().find_map(|line| line.strip_prefix("VmSize:"));
    let size = size.unwrap().trim().trim_end_matches(" kB");
    // A thread needs a stack of 2 MB.
    let limit = |bytes| Rlimit {
        current: bytes,
        maximum: None,
    };
    let set = |limit| prlimit(Pid::from_raw(pid), Resource::As, limit).unwrap();
    let bytes = size.parse::<u64>().unwrap() * 1024 + (1 << 20);
    set(limit(Some(bytes)));
    terminal.keys(&["h"]);
    terminal.shows("no thread for the player");
    set(limit(None));
    terminal.keys(&["h"]);
    terminal.until("a hint", |picture| !picture.contains("no thread"));
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn a_game_is_won_on_the_screen() {
    let arguments = [
        "play",
        "sixty-seven",
        "--seed",
        "1",
        "--board",
        "66 + 1 _ / _ _ _ 5",
    ];
    let Some(terminal) = Terminal::tilelab("won", &arguments) else {
        return;
    };
    terminal.shows_all(&[
        "67! 2x4 · make 67 · seed 1 · game 0",
        "round 1 · best 66 · 0 moves",
        "66 ",
        "q quit",
    ]);
    assert_eq!(
        terminal
            .tmux(&["display-message", "-p", "#{alternate_on}"])
            .trim(),
        "1"
    );
    terminal.keys(&["Left"]);
    // The made tile is marked.
    terminal.shows_all(&[
        "Won after 1 move: a tile shows 67",
        "[67]",
        "game over · last left",
    ]);
    terminal.keys(&["q"]);
    let picture = terminal.ended(0);
    assert!(
        picture.contains("won: moves 1, time ") && picture.contains("round 1, best 67"),
        "{picture}"
    );
}

#[test]
fn a_game_is_lost_on_the_screen_and_a_new_one_begun() {
    let arguments = [
        "play",
        "sixty-seven",
        "--seed",
        "4",
        "--board",
        "1 + 2/4 5 6/7 8 9",
    ];
    let Some(terminal) = Terminal::tilelab("lost", &arguments) else {
        return;
    };
    // Up and down change nothing.
    terminal.shows("legal · · ← →");
    terminal.keys(&["w"]);
    terminal.shows("up is not legal: it would change nothing; legal: left right");
    terminal.keys(&["d"]);
    terminal.shows_all(&[
        "Lost after 1 move: no direction changes the board",
        "game over",
    ]);
    terminal.keys(&["n"]);
    terminal.until("a new game", |picture| {
        let is_new = picture.contains("game 1") && picture.contains(" 0 moves");
        is_new && !picture.contains("Lost")
    });
    terminal.keys(&["q"]);
    assert!(terminal.ended(0).contains("left unfinished: moves 0"));
}

#[test]
fn undo_and_hint_on_the_screen() {
    let Some(terminal) = Terminal::tilelab("undo", &["play", "sixty-seven", "--seed", "1"]) else {
        return;
    };
    let first = board(&terminal.shows_all(&["round 1 ", "q quit"]));
    terminal.keys(&["a"]);
    let second = board(&terminal.shows_all(&["round 2 ", "last left"]));
    assert_ne!(first, second);
    terminal.keys(&["h"]);
    terminal.shows("hint: ");
    terminal.keys(&["u"]);
    terminal.until("the first board", |picture| {
        picture.contains("round 1 ") && board(picture) == first
    });
    terminal.keys(&["u"]);
    terminal.shows("nothing to undo");
    terminal.keys(&["Left"]);
    terminal.until("the same tiles after the same move", |picture| {
        picture.contains("round 2 ") && board(picture) == second
    });
    terminal.keys(&["?"]);
    let help = terminal.shows_all(&["Make a tile of exactly 67.", "[n] made"]);
    let (rules, _) = help.split_once("[n] made").unwrap();
    assert!(rules.contains("Make a tile"), "the rules come first");
    terminal.keys(&["x"]);
    terminal.until("the help is gone", |picture| !picture.contains("[n] made"));
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn resizing_to_the_smallest_screen_and_back() {
    let arguments = [
        "play",
        "sixty-seven",
        "--seed",
        "1",
        "--board",
        "1 + 2 _ _ _ _/_ _ _ _ _ _ _/_ _ _ _ _ _ _/_ _ _ _ _ _ _/_ _ _ _ _ _ _/_ _ _ _ _ _ 8",
    ];
    let Some(terminal) = Terminal::tilelab("resize", &arguments) else {
        return;
    };
    let large = board(&terminal.shows_all(&["legal", "q quit"]));
    terminal.resize("40", "12");
    let rows = |picture: &str| {
        board(picture)
            .iter()
            .filter(|line| line.contains('·'))
            .count()
    };
    terminal.until("all six rows on the small screen", |picture| {
        let texts = ["67! 6x7", "legal", "q quit"];
        rows(picture) == 6
            && texts.iter().all(|text| picture.contains(text))
            && picture.lines().all(|line| line.chars().count() <= 40)
    });
    terminal.keys(&["Left"]);
    terminal.shows("last left");
    terminal.keys(&["u"]);
    terminal.shows("round 1 ");
    terminal.resize("30", "8");
    terminal.shows("40x12 at least");
    terminal.resize("80", "24");
    terminal.until("the first picture again", |picture| board(picture) == large);
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn watching_pauses_steps_and_runs_to_the_end() {
    let arguments = [
        "play",
        "sixty-seven",
        "--seed",
        "1",
        "--set",
        "size=4x4",
        "--player",
        "random",
        "--paused",
    ];
    let Some(terminal) = Terminal::tilelab("watch", &arguments) else {
        return;
    };
    terminal.shows(" 0 moves");
    terminal.shows("paused");
    terminal.keys(&["."]);
    terminal.shows(" 1 move ");
    terminal.keys(&["."]);
    terminal.shows(" 2 moves");
    terminal.keys(&["u"]);
    terminal.shows(" 1 move ");
    terminal.keys(&["+", "Space"]);
    terminal.shows("10/s");
    terminal.keys(&["t"]);
    terminal.shows_all(&[" after ", "turbo"]);
    terminal.keys(&["q"]);
    let picture = terminal.ended(0);
    let plain = crate::common::tilelab(&[
        "play",
        "sixty-seven",
        "--seed",
        "1",
        "--set",
        "size=4x4",
        "--player",
        "random",
    ]);
    let plain = crate::common::stdout(&plain);
    let result = plain
        .lines()
        .last()
        .unwrap()
        .split(", time")
        .next()
        .unwrap();
    assert!(
        picture.contains(result),
        "both ways end with {result}:\n{picture}"
    );
}

#[test]
fn twenty_forty_eight_on_the_screen() {
    let arguments = [
        "play",
        "twenty-forty-eight",
        "--seed",
        "1",
        "--board",
        "1024 1024 _ _/_ _ _ _/2 _ _ _/_ _ _ _",
    ];
    let Some(terminal) = Terminal::tilelab("2048", &arguments) else {
        return;
    };
    terminal.shows("largest 1024");
    terminal.keys(&["Left"]);
    // The merged tile is marked.
    terminal.shows_all(&["largest 2048", "[2048]"]);
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn the_multiplication_game_on_the_screen() {
    let arguments = [
        "play",
        "zero-sum",
        "--seed",
        "1",
        "--hints",
        "exact",
        "--opponent",
        "minimax",
    ];
    let Some(terminal) = Terminal::tilelab("zero", &arguments) else {
        return;
    };
    terminal.shows("legal 2 3 4");
    terminal.keys(&["3"]);
    terminal.until("the opponent's answer", |picture| {
        picture.contains(" 2 moves")
    });
    terminal.keys(&["h"]);
    terminal.shows("hint: ");
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn offset_is_watched_whole_and_in_part() {
    let arguments = [
        "play",
        "offset",
        "--seed",
        "1",
        "--player",
        "greedy",
        "--opponent",
        "random",
        "--paused",
    ];
    let Some(terminal) = Terminal::tilelab("offset", &arguments) else {
        return;
    };
    terminal.shows("legal moves");
    terminal.keys(&["."]);
    terminal.shows_all(&[" 1 move ", "of 32x32"]);
    terminal.resize("140", "45");
    terminal.until("all rows and the numbers of the columns", |picture| {
        !picture.contains("of 32x32")
            && board(picture)
                .iter()
                .filter(|line| line.contains('1'))
                .count()
                == 33
    });
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn calculator_is_played_with_buttons() {
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
    let Some(terminal) = Terminal::tilelab(
        "calculator",
        &[&["play", "calculator", "--seed", "1"], &own[..]].concat(),
    ) else {
        return;
    };
    // Only what can be pressed has a key.
    terminal.shows_all(&["show 12", "presses left 2", "1 +3", "2 x2", "· /2"]);
    terminal.keys(&["3"]);
    terminal.shows("/2 is not legal: the division leaves a remainder");
    terminal.keys(&["h"]);
    terminal.shows("hint: +3 (solver: 2 moves to the goal)");
    terminal.keys(&["2"]);
    terminal.shows("presses left 1");
    terminal.keys(&["1"]);
    terminal.shows("Lost after 2 moves: no presses are left");
    terminal.keys(&["u", "u", "Enter"]);
    terminal.shows("last +3");
    terminal.keys(&["?"]);
    terminal.shows("Press buttons until the display shows 12. You have 2 presses.");
    terminal.keys(&["x", "Right", "Enter"]);
    terminal.shows("Won after 2 moves: the display shows 12");
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn offset_is_played_with_a_cursor() {
    let arguments = [
        "play",
        "offset",
        "--seed",
        "1",
        "--set",
        "side=8",
        "--set",
        "pair0=3,4",
        "--set",
        "pair1=2,5",
        "--opponent",
        "random",
    ];
    let Some(terminal) = Terminal::tilelab("cursor", &arguments) else {
        return;
    };
    terminal.shows("4,4: 1 · Enter: choose");
    terminal.keys(&["Enter", "Right"]);
    terminal.shows("5,4: 1 · 4,4 chosen");
    terminal.keys(&["Enter"]);
    terminal.shows("not legal: 4,4 and 5,4 lie 1,0 apart");
    terminal.keys(&["Tab", "Enter"]);
    terminal.shows_all(&["2 moves", "you (", "opponent ("]);
    terminal.keys(&["u"]);
    terminal.shows("0 moves");
    terminal.keys(&["q"]);
    terminal.ended(0);
}

#[test]
fn the_terminal_is_put_back_after_an_interruption() {
    for (name, interrupt) in [
        ("ctrl-c", None),
        ("term", Some("-TERM")),
        ("int", Some("-INT")),
        ("hup", Some("-HUP")),
    ] {
        for (action, watched) in [("play", &[][..]), ("watch", &["--player", "random"])] {
            let name = format!("{name}-{action}");
            let arguments = [&["play", "sixty-seven", "--seed", "1"], watched].concat();
            let Some(terminal) = Terminal::tilelab(&name, &arguments) else {
                return;
            };
            terminal.shows("legal");
            match interrupt {
                None => terminal.keys(&["C-c"]),
                Some(signal) => terminal.signal(signal),
            }
            let picture = terminal.ended(130);
            assert!(
                picture.contains("left unfinished: moves "),
                "{name}: {picture}"
            );
        }
    }
}

/// A game whose player panics while it thinks; see the test below, which runs this in a terminal.
#[test]
fn panicking_child() {
    if std::env::var_os("TILELAB_TEST_PANIC").is_none() {
        return;
    }
    use tilelab::game::session::{Attempt, Hint, Session, View};
    use tilelab::json::{Json, json};
    use tilelab::tui::{PlayOptions, Role, paint::Palette, screen};
    struct Panicking;
    impl Session for Panicking {
        fn view(&self) -> View {
            let board = tilelab::game::view::BoardView::of_position(&self.position());
            View {
                board,
                seat: 0,
                legal: vec!["left".to_owned()],
                last: None,
                slides: Vec::new(),
                moves: 0,
                outcome: None,
                why_over: String::new(),
                buttons: Vec::new(),
                paths: Vec::new(),
            }
        }
        fn position(&self) -> Json {
            json!({"board": [["1"]], "round": 1})
        }
        fn is_over(&self) -> bool {
            false
        }
        fn rules(&self) -> String {
            String::new()
        }
        fn goal(&self) -> String {
            String::new()
        }
        fn why_illegal(&self, _attempt: Attempt<'_>) -> Option<String> {
            None
        }
        fn play(&mut self, _legal: usize) {}
        fn choose(&mut self) -> usize {
            panic!("the player stumbled")
        }
        fn hint(&mut self) -> Hint<usize> {
            Hint::Choice(0)
        }
        fn evaluate(&mut self) -> Option<Vec<Option<f64>>> {
            None
        }
        fn undo(&mut self) -> bool {
            false
        }
    }
    let options = PlayOptions {
        title: "panic".to_owned(),
        seed: 0,
        index: 0,
        players: vec!["panicking".to_owned()],
        role: Role::Watch {
            rate: Some(1.0),
            paused: true,
        },
        open: Box::new(|_| Ok(Box::new(Panicking))),
    };
    let _ = screen::run(options, Palette::Full, &screen::Signals::default());
}

/// Ctrl-Z was ignored, and what a shell had written in between was left on the screen.
#[test]
fn ctrl_z_stops_the_game_until_the_shell_goes_on_with_it() {
    let shell = ["--norc", "-i"];
    let Some(terminal) = Terminal::run("suspend", "TERM=xterm-256color PS1=ready:", "bash", &shell)
    else {
        return;
    };
    terminal.shows("ready:");
    let program = env!("CARGO_BIN_EXE_tilelab");
    let play = format!("exec {program} play sixty-seven --seed 1 --board \"66 + 1 _ / _ _ _ 5\"");
    terminal.keys(&[&format!("sh -c 'echo $$ >game; {play}'"), "Enter"]);
    // Where the board stands depends on what else is said at the moment.
    let tiles = |picture: &str| {
        let mut lines = board(picture);
        lines.retain(|line| !line.is_empty());
        lines
    };
    let before = tiles(&terminal.shows("legal"));
    for is_key in [true, false] {
        if is_key {
            terminal.keys(&["C-z"]);
        } else {
            let game = terminal.read("game");
            let stop = ["-TSTP", game.trim()];
            let stopped = std::process::Command::new("kill").args(stop).status();
            assert!(stopped.unwrap().success());
        }
        terminal.shows("Stopped");
        terminal.keys(&["echo torn; fg", "Enter"]);
        terminal.until("the board", |picture| {
            tiles(picture) == before && !picture.contains("torn")
        });
    }
    terminal.keys(&["q"]);
    // Prompts of before are on the screen as soon as the game leaves it, while it still takes keys.
    terminal.until("the prompt", |picture| {
        picture.contains("unfinished") && picture.trim_end().ends_with("ready:")
    });
    terminal.keys(&["exit", "Enter"]);
    terminal.ended(0);
}

#[test]
fn the_terminal_is_put_back_after_a_panic() {
    let program = std::env::current_exe().unwrap();
    let arguments = [
        "--exact",
        "terminal::screen::panicking_child",
        "--nocapture",
        "--test-threads",
        "1",
    ];
    let environment = "TILELAB_TEST_PANIC=1 RUST_BACKTRACE=0 TERM=xterm-256color";
    let Some(terminal) = Terminal::run("panic", environment, program.to_str().unwrap(), &arguments)
    else {
        return;
    };
    terminal.shows("paused");
    terminal.keys(&["."]);
    let picture = terminal.ended(101);
    assert!(picture.contains("the player stumbled"), "{picture}");
}

#[test]
fn colours_follow_the_terminal() {
    for (name, environment) in [
        ("full", "-u NO_COLOR TERM=xterm-256color"),
        ("sixteen", "-u NO_COLOR -u COLORTERM TERM=xterm"),
        ("plain", "NO_COLOR=1 TERM=xterm-256color"),
    ] {
        let arguments = [
            "play",
            "sixty-seven",
            "--seed",
            "1",
            "--board",
            "5 + 2/-8 _ _/30 _ 500",
        ];
        let program = env!("CARGO_BIN_EXE_tilelab");
        let Some(terminal) = Terminal::run(name, environment, program, &arguments) else {
            return;
        };
        terminal.shows_all(&["legal", "q quit"]);
        let picture = terminal.tmux(&["capture-pane", "-p", "-e"]);
        // Colours are written 38;5;N and 48;5;N, the sixteen of every colour terminal being N below
        // 16.
        let colours: Vec<u32> = picture
            .split("8;5;")
            .skip(1)
            .filter_map(|rest| {
                rest.split(['m', ';'])
                    .next()
                    .and_then(|number| number.parse().ok())
            })
            .collect();
        match name {
            "full" => assert!(colours.iter().any(|&colour| colour >= 16), "{picture:?}"),
            "sixteen" => assert!(
                !colours.is_empty() && colours.iter().all(|&colour| colour < 16),
                "{picture:?}"
            ),
            _ => assert_eq!(colours, [0_u32; 0], "{picture:?}"),
        }
        terminal.keys(&["q"]);
        terminal.ended(0);
    }
}
