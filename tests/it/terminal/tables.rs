//! Tables and progress on terminals of 60, 80 and 120 columns.

use super::tmux::Terminal;
use crate::common::{folder, stdout, succeeded, text, tilelab, write};
use std::path::Path;
use tilelab::compare::{ComparisonOptions, Side, compare};
use tilelab::report::comparison;
use tilelab::report::folder::Results;
use unicode_width::UnicodeWidthStr;

const EXPERIMENT: &str = "name = \"wide\"\nseed = 1\ngames = 200\n[[table]]\ntitle = \"Wide\"\ngame = \"67\"\n\
    target = 9\nsize = [\"3x3\", \"3x4\"]\nplayer = [\"random\", { name = \"cycle\", order = \"lurd\" }]\n\
    published = \"published.csv\"\n";
const PUBLISHED: &str =
    "table,rows,cols,games,wins,moves_mean\nWide,3,3,1000,900,7\nWide,3,4,1000,100,9\n";

/// What a terminal of this width shows of a command, its status line aside.
fn shown(columns: u16, name: &str, arguments: &[&str]) -> Option<String> {
    let terminal = Terminal::sized((columns, 400), &format!("{name}-{columns}"), arguments)?;
    Some(terminal.ended(0))
}

fn is_shown(picture: &str, expected: &str, columns: u16) {
    for line in expected.lines() {
        assert!(line.width() <= columns.into(), "{columns}: {line:?}");
    }
    assert!(
        picture.contains(expected.trim_end()),
        "{columns} columns:\n{expected}\nis not in\n{picture}"
    );
    let is_markdown = |line: &str| line.starts_with('|') || line.starts_with("###");
    assert!(!picture.lines().any(is_markdown), "{picture}");
}

fn run(out: &Path) -> (std::path::PathBuf, [String; 4]) {
    write(out, "published.csv", PUBLISHED);
    let file = write(out, "wide.toml", EXPERIMENT);
    let arguments = ["run", text(&file), "--out", text(out)].map(str::to_owned);
    (out.join("wide"), arguments)
}

#[test]
fn tables_follow_the_width_of_the_terminal() {
    let out = folder();
    let (results, arguments) = run(out.path());
    let arguments = arguments.each_ref().map(String::as_str);
    succeeded(&tilelab(&[&arguments[..], &["--quiet"]].concat()));
    let tables = Results::open(&results).unwrap().document();
    let side = Side::read(&results).unwrap();
    let matched = side.by("player", None).unwrap();
    let pairs = compare(&side, &side, &matched, &ComparisonOptions::default()).unwrap();
    let compared = comparison::document(&pairs, &ComparisonOptions::default());
    for columns in [60, 80, 120] {
        let width = usize::from(columns);
        let Some(picture) = shown(columns, "tables", &arguments) else {
            return;
        };
        is_shown(&picture, &tables.to_terminal(width), columns);
        let by_player = ["compare", text(&results), "--by", "player"];
        let picture = shown(columns, "compare", &by_player).unwrap();
        is_shown(&picture, &compared.to_terminal(width), columns);
        // Cells are called by what varies, not by their keys.
        assert!(
            picture.contains("random") && !picture.contains("tiles_per_turn="),
            "{picture}"
        );
        let check = ["check", "--no-forecast", arguments[1]];
        let picture = shown(columns, "check", &check).unwrap();
        assert!(picture.contains("random, 3x4"), "{picture}");
        // Other lines are broken between words only.
        let words = |text: &str| text.split_whitespace().collect::<Vec<_>>().join(" ");
        for command in [&["list", "games", "67"][..], &["status", text(&results)]] {
            let picture = shown(columns, command[0], command).unwrap();
            let piped = stdout(&tilelab(command));
            assert!(words(&picture).contains(&words(&piped)), "{picture}");
        }
    }
}

#[test]
fn the_time_left_is_never_cut_off() {
    let out = folder();
    let file = write(
        out.path(),
        "long.toml",
        "name = \"an-experiment-with-a-long-name\"\nseed = 1\ngames = 1_000_000\n[[table]]\ntitle = \"A table\"\n\
         game = \"67\"\nsize = [\"10x10\", \"9x9\"]\nrules = [\"gapless\", \"original\"]\n",
    );
    let arguments = ["run", text(&file), "--out", text(out.path())];
    for columns in [40, 60, 80, 120] {
        let name = format!("left-{columns}");
        let Some(terminal) = Terminal::sized((columns, 24), &name, &arguments) else {
            return;
        };
        // Each bar says it, whole: the table and the cell that is played as well.
        let is_whole = |line: &str| {
            let line = line.trim_start();
            line.starts_with(|c: char| c.is_ascii_digit()) && line.contains(" left ")
        };
        let picture = terminal.until("the time left", |picture| {
            picture.lines().filter(|line| is_whole(line)).count() == 3
        });
        // No figure loses its end: what does not fit is left out whole.
        let speed = picture
            .lines()
            .find(|line| line.contains(" left ") && line.contains("games"));
        let speed = speed.map(str::trim_end).unwrap_or_default();
        let ends_whole = [" games/s", " turns/s"]
            .iter()
            .any(|end| speed.ends_with(end));
        assert!(ends_whole, "{picture}");
        assert!(
            columns < 80
                || picture.contains("10x10, gapless")
                || picture.contains("gapless, 10x10"),
            "{picture}"
        );
        terminal.signal("-INT");
        terminal.ended(130);
    }
}

/// A terminal without UTF-8 gets a board of ASCII.
#[test]
fn a_locale_without_utf_8_gets_ascii() {
    let program = env!("CARGO_BIN_EXE_tilelab");
    let play = ["play", "sixty-seven", "--seed", "1"];
    for (locale, is_ascii) in [("LC_ALL=C", true), ("LC_ALL=C.UTF-8", false)] {
        let environment = format!("TERM=xterm-256color {locale}");
        let name = format!("locale-{is_ascii}");
        let Some(terminal) = Terminal::run(&name, &environment, program, &play) else {
            return;
        };
        terminal.shows("quit");
        terminal.keys(&["?"]);
        let help = terminal.shows_all(&[" rules and keys ", "[n] made"]);
        assert_eq!(help.is_ascii(), is_ascii, "{help}");
        terminal.signal("-TERM");
    }
}

/// Options that take no files are not completed with names of files, and games and players are.
#[test]
fn bash_completes_names_and_no_files_where_none_are_taken() {
    let Some(terminal) = Terminal::run(
        "bash",
        "TERM=xterm-256color PS1=ready:",
        "bash",
        &["--norc", "--noprofile", "-i"],
    ) else {
        return;
    };
    let script = succeeded_script();
    std::fs::write(terminal.file("completions"), script).unwrap();
    std::fs::write(terminal.file("zzz-file"), "").unwrap();
    terminal.shows("ready:");
    terminal.keys(&[". ./completions", "Enter"]);
    terminal.keys(&["tilelab run --game sixty", "Tab"]);
    terminal.shows("--game sixty-seven");
    terminal.keys(&["C-u", "tilelab run --player expecti", "Tab"]);
    terminal.shows("--player expectimax");
    terminal.keys(&["C-u", "tilelab run --seed zzz", "Tab", "x"]);
    terminal.shows("--seed zzzx");
    terminal.keys(&["C-u", "tilelab run --seed ", "Tab", "Tab", "y"]);
    let picture = terminal.shows("--seed y");
    assert!(!picture.contains("zzz-file"), "{picture}");
    // Files are completed where they are taken.
    terminal.keys(&["C-u", "tilelab run zzz", "Tab"]);
    terminal.shows("tilelab run zzz-file");
}

fn succeeded_script() -> Vec<u8> {
    let output = tilelab(&["generate", "completions", "bash"]);
    succeeded(&output);
    output.stdout
}
