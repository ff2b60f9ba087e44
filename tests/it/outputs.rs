//! Outputs that are not regular files: standard output by name, FIFOs and links, for every option
//! that names a file to write; and readers that stop reading.

use crate::common::{folder, refused, stdout, succeeded, text, tilelab, write};
use std::path::Path;
use std::process::{Command, Stdio};

/// The options, with what is written through them: a part of it.
fn options(results: &str) -> Vec<(Vec<String>, &'static str)> {
    let solve = "solve calculator --start 0 --goal 8 --moves 3 --button +2 +3";
    let options = [
        (format!("{solve} --csv"), "level,start,goal"),
        (format!("{solve} --markdown"), "| level | start |"),
        (
            format!("report {results} --format json --output"),
            "\"schema\"",
        ),
        (
            format!("report {results} --format csv --output"),
            "table,cell,",
        ),
        (
            format!("report {results} --format parquet --output"),
            "PAR1",
        ),
    ];
    let words = |line: &str| line.split(' ').map(str::to_owned).collect();
    options
        .iter()
        .map(|(line, part)| (words(line), *part))
        .collect()
}

fn results(out: &Path) -> String {
    let toml = "name = \"small\"\nseed = 1\ngames = 20\n[[table]]\ntitle = \"t\"\ngame = \"67\"\nsize = \"2x2\"\n";
    let file = write(out, "small.toml", toml);
    let run = ["run", text(&file), "--out", text(out), "--quiet"];
    succeeded(&tilelab(&run));
    text(&out.join("small")).to_owned()
}

#[test]
fn the_folder_of_results_folders_names_them() {
    let out = folder();
    let results = results(out.path());
    for verb in ["status", "report"] {
        refused(
            &tilelab(&[verb, text(out.path())]),
            &["cells.csv", "results are in", &results],
        );
    }
}

#[test]
fn outputs_need_not_be_regular_files() {
    let out = folder();
    let results = results(out.path());
    for (arguments, part) in options(&results) {
        let command = |output: &str| {
            let mut command = Command::new(env!("CARGO_BIN_EXE_tilelab"));
            command.args(&arguments).arg(output);
            command
        };
        // Standard output, as a pipe and as a file that has something in it already.
        for name in ["/dev/stdout", "-"] {
            let piped = command(name).output().unwrap();
            assert!(
                piped.status.success() && String::from_utf8_lossy(&piped.stdout).contains(part),
                "{arguments:?} {name}: {piped:?}"
            );
        }
        let log = out.path().join("log");
        std::fs::write(&log, "before\n").unwrap();
        let end = std::fs::OpenOptions::new().append(true).open(&log).unwrap();
        assert!(
            command("/dev/stdout")
                .stdout(end)
                .status()
                .unwrap()
                .success()
        );
        let logged = std::fs::read(&log).unwrap();
        let logged = String::from_utf8_lossy(&logged);
        assert!(
            logged.starts_with("before\n") && logged.contains(part),
            "{arguments:?}: {logged}"
        );
        // A link stays a link, also one to a file that is not there yet.
        for (name, target) in [("link", "target"), ("dangling", "new")] {
            let link = out.path().join(name);
            let target = out.path().join(target);
            if name == "link" {
                std::fs::write(&target, "old").unwrap();
            }
            std::os::unix::fs::symlink(&target, &link).unwrap();
            assert!(command(text(&link)).output().unwrap().status.success());
            let written = std::fs::read(&target).unwrap();
            assert!(
                String::from_utf8_lossy(&written).contains(part),
                "{arguments:?} {name}"
            );
            assert!(std::fs::symlink_metadata(&link).unwrap().is_symlink());
            std::fs::remove_file(&link).unwrap();
            std::fs::remove_file(&target).unwrap();
        }
        let fifo = out.path().join("fifo");
        crate::common::fifo(&fifo);
        let reader = Command::new("cat")
            .arg(&fifo)
            .stdout(Stdio::piped())
            .spawn()
            .unwrap();
        assert!(command(text(&fifo)).output().unwrap().status.success());
        let read = reader.wait_with_output().unwrap().stdout;
        assert!(
            String::from_utf8_lossy(&read).contains(part),
            "{arguments:?} fifo"
        );
        std::fs::remove_file(&fifo).unwrap();
    }
}

/// A training is saved beside its weights: nothing can be beside a device or a FIFO.
#[test]
fn weights_are_refused_where_no_training_can_be_saved() {
    let out = folder();
    let fifo = out.path().join("fifo");
    crate::common::fifo(&fifo);
    for name in ["/dev/stdout", "-", "/dev/null", text(&fifo)] {
        let rules = ["learn", "--game", "67", "--set", "size=2x2", "--games", "9"];
        let refusal = tilelab(&[&rules[..], &["--out", name]].concat());
        let words = [name, "not a regular file", "name a file with --out"];
        crate::common::refused(&refusal, &words);
    }
    assert!(!Path::new("/dev/.stdout.training").exists());
    assert_eq!(std::fs::read_dir(out.path()).unwrap().count(), 1);
}

/// `| head -1` is no failure, and nothing is said about it.
#[test]
fn a_reader_that_stops_is_no_failure() {
    let out = folder();
    let results = results(out.path());
    let file = out.path().join("small.toml");
    let run = format!("run {} --out {} --quiet", text(&file), text(out.path()));
    for line in [
        "list".to_owned(),
        "--help".to_owned(),
        "run --help".to_owned(),
        "generate columns".to_owned(),
        "generate completions bash".to_owned(),
        "generate schema".to_owned(),
        format!("check --no-forecast {}", text(&file)),
        format!("report {results} --format json --output -"),
        format!("report {results} --pivot x,y"),
        format!("replay {} --cell random --game 0..20", text(&file)),
        "solve calculator".to_owned(),
        "exact --game zero-sum".to_owned(),
        format!("status {results}"),
        run.replace(" --quiet", ""),
    ] {
        let mut child = Command::new(env!("CARGO_BIN_EXE_tilelab"))
            .args(line.split(' '))
            .stdout(Stdio::piped())
            .stderr(Stdio::piped())
            .spawn()
            .unwrap();
        // Closed before anything is read.
        drop(child.stdout.take());
        let ended = child.wait_with_output().unwrap();
        let said = String::from_utf8_lossy(&ended.stderr).into_owned();
        assert!(!said.contains("roken pipe"), "{line}: {said}");
        let is_refused = line.contains("--pivot");
        assert_eq!(
            ended.status.code(),
            Some(if is_refused { 2 } else { 0 }),
            "{line}: {said}"
        );
    }
}

/// What a list of single operators does is said, and ranges that go down are answered with the
/// range that goes up.
#[test]
fn lists_of_operators_and_reversed_ranges_are_explained() {
    let out = folder();
    let check = |keys: &str| {
        let toml = format!(
            "name = \"n\"\nseed = 1\ngames = 10\n[[table]]\ntitle = \"t\"\ngame = \"67\"\n{keys}\n"
        );
        let file = write(out.path(), "n.toml", &toml);
        tilelab(&["check", "--no-forecast", text(&file)])
    };
    let said = succeeded(&check("size = \"2x2\"\noperators = [\"+\", \"-\"]"));
    assert!(
        said.contains("makes a cell of each") && said.contains("operators = \"+-\""),
        "{said}"
    );
    let said = succeeded(&check("size = \"2x2\"\noperators = [\"+-\", \"+-*\"]"));
    assert!(!said.contains("makes a cell"), "{said}");
    for (keys, meant) in [
        (
            "cols = 3\nrows = { from = 6, to = 2 }",
            "{ from = 2, to = 6, step = 1 }",
        ),
        (
            "cols = 3\nrows = { from = 6, to = 2, step = -2 }",
            "{ from = 2, to = 6, step = 2 }",
        ),
        (
            "size = \"2x2\"\noperator_rate = { from = 0.9, to = 0.3, step = 0.1 }",
            "{ from = 0.3, to = 0.9, step = 0.1 }",
        ),
        (
            "size = \"2x2\"\noperator_rate = { from = 0.3, to = 0.9, step = -0.1 }",
            "{ from = 0.3, to = 0.9, step = 0.1 }",
        ),
        (
            "size = \"2x2\"\noperator_rate = { from = 0.0, to = 0.5, step = 0.0 }",
            "{ from = 0, to = 0.5, step = 0.005 }",
        ),
    ] {
        crate::common::refused(&check(keys), &["; write ", meant]);
    }
    assert!(stdout(&check("size = \"2x2\"")).contains("1 cell, 10 games"));
}
