//! Nothing looks finished that is not: interrupted and failed cells, records that end early, and
//! what is said while a run goes on.

use crate::common::{
    command, folder, play, stderr, stdout, succeeded, text, tilelab, tilelab_with_input, write,
};
use std::path::Path;
use std::process::Command;
use std::time::{Duration, Instant};

/// Two cells that end at once, and two that take minutes.
fn long(folder: &Path) -> std::path::PathBuf {
    let table = |title: &str, size: &str, games: u64| {
        format!(
            "[[table]]\ntitle = \"{title}\"\ngame = \"sixty-seven\"\nsize = \"{size}\"\n\
             operators = [\"+-\", \"+-*\"]\ngames = {games}\n"
        )
    };
    let text = format!(
        "name = \"long\"\nseed = 67\ngames = 10\n{}{}",
        table("short", "3x3", 10),
        table("long", "6x7", 100_000_000)
    );
    write(folder, "long.toml", &text)
}

/// Runs until `is_far` holds of what it wrote, then interrupts it. Returns what it printed.
fn interrupted(arguments: &[&str], is_far: impl Fn() -> bool) -> [String; 2] {
    use std::process::Stdio;
    let child = command(arguments)
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let begun = Instant::now();
    while !is_far() {
        assert!(begun.elapsed() < Duration::from_secs(120), "{arguments:?}");
        std::thread::sleep(Duration::from_millis(20));
    }
    let sent = Command::new("kill")
        .args(["-INT", &child.id().to_string()])
        .status();
    assert!(sent.unwrap().success());
    let output = child.wait_with_output().unwrap();
    assert_eq!(output.status.code(), Some(130), "{}", stderr(&output));
    [stdout(&output), stderr(&output)]
}

#[cfg(unix)]
#[test]
fn interrupted_results_say_so_everywhere() {
    let folder = folder();
    let file = long(folder.path());
    let out = folder.path().join("out");
    let results = out.join("long");
    let run = [
        "run",
        text(&file),
        "--out",
        text(&out),
        "--kernel",
        "reference",
        "--save-every",
        "0.1",
    ];
    // Both short cells have ended, and of a long one something is saved.
    let is_far = || {
        std::fs::read_to_string(results.join("cells.csv")).is_ok_and(|csv| csv.lines().count() == 3)
            && std::fs::read_to_string(results.join("unfinished.csv"))
                .is_ok_and(|csv| csv.contains("long,"))
    };
    let [_, said] = interrupted(&run, is_far);
    assert!(said.contains("2 of 4 cells have ended"), "{said}");
    let lacking = "unfinished: 2 of 4 cells have ended";
    let read = |name: &str| std::fs::read_to_string(results.join(name)).unwrap();
    for name in ["table.md", "report.html"] {
        assert!(read(name).contains(lacking), "{name}");
    }
    let table = read("table.md");
    let so_far = table.split_once("So far, of cells that have not ended:");
    assert!(
        so_far.is_some_and(|(_, rest)| rest.contains("### long")),
        "{table}"
    );

    let readme = write(
        folder.path(),
        "README.md",
        "<!-- tilelab:long:begin -->\n<!-- tilelab:long:end -->\n",
    );
    let report = |more: &[&str]| {
        let arguments = ["report", text(&results), "--readme", text(&readme)];
        tilelab(&[&arguments, more].concat())
    };
    succeeded(&report(&[]));
    assert!(std::fs::read_to_string(&readme).unwrap().contains(lacking));
    let checked = report(&["--check"]);
    assert_eq!(checked.status.code(), Some(1));
    assert!(stderr(&checked).contains(lacking), "{}", stderr(&checked));
    let compared = tilelab(&["compare", text(&results), text(&results)]);
    assert!(stderr(&compared).contains(lacking), "{}", stderr(&compared));

    // What has ended does not say so.
    play(&file, &out, &["--games", "20"]);
    assert!(!results.join("unfinished.csv").exists());
    assert!(!read("table.md").contains("unfinished"));
    succeeded(&report(&[]));
    succeeded(&report(&["--check"]));
}

#[test]
fn failed_cells_are_counted_in_every_output() {
    let folder = folder();
    let text_of = "name = \"failing\"\nseed = 1\ngames = 4\n[[table]]\ntitle = \"t\"\ngame = \"2048\"\n\
                   size = \"3x3\"\nplayer = [\"random\", { command = [\"sh\", \"gone.sh\"] }]\n";
    let file = write(folder.path(), "failing.toml", text_of);
    let out = folder.path().join("out");
    let run = tilelab(&[
        "run",
        text(&file),
        "--out",
        text(&out),
        "--fail-fast",
        "--allow-programs",
        "--threads",
        "1",
    ]);
    assert_eq!(run.status.code(), Some(1));
    assert!(stderr(&run).contains("is forfeited by"), "{}", stderr(&run));
    assert!(
        stderr(&run).contains("of which 1 failed"),
        "{}",
        stderr(&run)
    );
    let results = out.join("failing");
    for name in ["table.md", "report.html"] {
        let written = std::fs::read_to_string(results.join(name)).unwrap();
        assert!(written.contains("1 of 2 cells failed"), "{name}: {written}");
    }
}

/// A cell behind others that were not begun is the one that is named.
#[test]
fn the_cell_that_failed_is_named() {
    let folder = folder();
    let text_of = "name = \"named\"\nseed = 1\ngames = 3\n[[table]]\ntitle = \"good\"\ngame = \"sixty-seven\"\nsize = \"2x2\"\n\
                   target = { from = 1, to = 200, step = 1 }\n[[table]]\ntitle = \"bad\"\ngame = \"2048\"\nsize = \"3x3\"\n\
                   player = { command = [\"sh\", \"gone.sh\"] }\n";
    let file = write(folder.path(), "named.toml", text_of);
    let out = folder.path().join("out");
    let run = tilelab(&[
        "run",
        text(&file),
        "--out",
        text(&out),
        "--fail-fast",
        "--allow-programs",
        "--threads",
        "1",
    ]);
    let said = stderr(&run);
    let named = said
        .lines()
        .find(|line| line.contains(" failed: "))
        .unwrap();
    assert!(named.contains("twenty-forty-eight"), "{named}");
}

#[cfg(unix)]
#[test]
fn a_match_without_a_folder_prints_what_there_is() {
    let begun = Instant::now();
    let arguments = [
        "match",
        "random",
        "greedy",
        "--game",
        "67",
        "--set",
        "size=3x3",
        "--games",
        "100000000",
        "--threads",
        "1",
    ];
    let [printed, said] = interrupted(&arguments, || begun.elapsed() > Duration::from_secs(1));
    assert!(
        printed.contains("unfinished: 0 of 1 cell have ended"),
        "{printed}{said}"
    );
    assert!(printed.contains("| random |"), "{printed}");
}

/// The tables are printed even where the records cannot be written in the end.
#[cfg(unix)]
#[test]
fn a_record_that_cannot_be_written_costs_no_results() {
    let folder = folder();
    let full = folder.path().join("full.jsonl");
    std::os::unix::fs::symlink("/dev/full", &full).unwrap();
    let output = tilelab(&[
        "match",
        "random",
        "greedy",
        "--game",
        "67",
        "--set",
        "size=2x2",
        "--games",
        "5",
        "--record",
        text(&full),
    ]);
    assert_eq!(output.status.code(), Some(1), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("full.jsonl"),
        "{}",
        stderr(&output)
    );
    assert!(
        stdout(&output).contains("| greedy | 5 |"),
        "{}",
        stdout(&output)
    );
}

#[test]
fn a_record_is_shown_to_its_end_and_names_the_person() {
    for (game, moves) in [("67", "left\nup\nquit\n"), ("zero-sum", "3\nquit\n")] {
        let folder = folder();
        let record = folder.path().join("left.jsonl");
        let played = tilelab_with_input(
            &["play", game, "--seed", "1", "--record", text(&record)],
            moves,
        );
        succeeded(&played);
        let header = std::fs::read_to_string(&record).unwrap();
        let header: serde_json::Value =
            serde_json::from_str(header.lines().next().unwrap()).unwrap();
        let cell = header["cell"].as_str().unwrap();
        assert!(cell.contains("/person"), "{cell}");
        assert!(!cell.contains("planner"), "{cell}");
        let shown = stdout(&tilelab(&["play", "--replay", text(&record)]));
        assert!(
            shown.contains("left unfinished (the record ends here): moves 2,"),
            "{shown}"
        );
        assert!(!shown.contains("move 3"), "{shown}");
    }
}

/// A test says how far it is, and its forecast is not that of the most pairs.
#[test]
fn a_test_forecasts_from_its_mean() {
    let output = tilelab(&[
        "match",
        "random",
        "greedy",
        "--game",
        "67",
        "--set",
        "size=4x4",
        "--sprt",
        "0.5",
        "0.5005",
        "--threads",
        "1",
        "--line-every",
        "0.01",
    ]);
    let said = succeeded(&output);
    let lines: Vec<&str> = said
        .lines()
        .filter(|line| line.contains("test after"))
        .collect();
    assert!(!lines.is_empty(), "{said}");
    for line in &lines {
        assert!(line.contains("log-likelihood ratio"), "{line}");
        assert!(line.contains(" pairs expected"), "{line}");
        assert!(line.contains(" pairs/s"), "{line}");
        assert!(!line.contains(" d "), "days: {line}");
    }
    assert!(!said.contains(" games"), "{said}");
    let before = said.lines().find(|line| line.contains("time left: ?"));
    assert!(before.is_none_or(|line| !line.contains('%')), "{before:?}");
    let open = |line: &&str| line.contains(" left, ") && line.contains(" 0/1 cells");
    for line in said.lines().filter(open) {
        assert!(!line.contains("100.0 %"), "{line}");
    }
}

#[test]
fn tables_that_leave_a_folder_are_announced() {
    let folder = folder();
    let meet = |players: [&str; 2]| {
        let [first, second] = players;
        succeeded(&tilelab(&[
            "match",
            first,
            second,
            "--game",
            "67",
            "--set",
            "size=2x2",
            "--games",
            "3",
            "--out",
            text(folder.path()),
        ]))
    };
    let announced = "1 cell of the tables in";
    assert!(!meet(["random", "greedy"]).contains(announced));
    assert!(!meet(["random", "greedy"]).contains(announced));
    let said = meet(["random", "cycle"]);
    assert!(said.contains(announced), "{said}");
    assert!(!meet(["random", "cycle"]).contains(announced));
}

#[test]
fn pictures_of_others_stay() {
    let folder = folder();
    let out = folder.path().join("out");
    let file = |sizes: &str| {
        let text = format!(
            "name = \"plots\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n{sizes}\n"
        );
        write(folder.path(), "plots.toml", &text)
    };
    play(&file("size = \"2x2\"\ntarget = [1, 2, 3]"), &out, &[]);
    let results = out.join("plots");
    let made = results.join("win_rate_by_target.svg");
    assert!(made.exists());
    std::fs::copy(&made, results.join("win_rate_by_mine.svg")).unwrap();
    std::fs::write(results.join("win_rate_by_hand.svg"), "<svg/>").unwrap();
    play(
        &file("size = \"2x2\"\noperator_rate = [0.3, 0.5]"),
        &out,
        &[],
    );
    assert!(!made.exists());
    for own in ["win_rate_by_mine.svg", "win_rate_by_hand.svg"] {
        assert!(results.join(own).exists(), "{own}");
    }
}

#[test]
fn published_figures_are_found_by_size() {
    let folder = folder();
    let csv = "table,size,games,wins\nt,2x2,10,1\nt,2x3,10,2\n";
    write(folder.path(), "figures.csv", csv);
    let text_of = "name = \"size\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\n\
                   size = [\"2x2\", \"2x3\"]\npublished = \"figures.csv\"\n";
    let file = write(folder.path(), "size.toml", text_of);
    let out = folder.path().join("out");
    play(&file, &out, &[]);
    let published = std::fs::read_to_string(out.join("size/published.csv")).unwrap();
    assert_eq!(published.lines().count(), 3, "{published}");
    let wrong = csv.replace("2x3", "2x9");
    write(folder.path(), "figures.csv", &wrong);
    let refused = tilelab(&["run", text(&file), "--out", text(&out)]);
    crate::common::refused(&refused, &["row 3", "matches no cell"]);
}
