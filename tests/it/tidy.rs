//! Rules of style that no lint of clippy or rustfmt has: the length of files, the width of
//! comments, and one value for each `let`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

/// The folders with Rust sources.
const FOLDERS: [&str; 8] = [
    "benches", "crates", "examples", "fuzz", "python", "src", "tests", "web",
];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

fn files(folder: &Path, endings: &[&str], found: &mut Vec<PathBuf>) {
    for entry in std::fs::read_dir(folder).into_iter().flatten() {
        let path = entry.unwrap().path();
        let name = path.file_name().unwrap().to_string_lossy().into_owned();
        if path.is_dir() && !name.starts_with('.') && name != "target" {
            files(&path, endings, found);
        } else if endings.iter().any(|ending| name.ends_with(ending)) {
            found.push(path);
        }
    }
}

/// The project's files with these endings, with their paths from the root and their texts.
fn texts(folder: &str, endings: &[&str]) -> Vec<(String, String)> {
    let mut found = Vec::new();
    files(&root().join(folder), endings, &mut found);
    found.sort();
    let read = |path: PathBuf| {
        let text = std::fs::read_to_string(&path).unwrap();
        (
            path.strip_prefix(root())
                .unwrap()
                .to_string_lossy()
                .into_owned(),
            text,
        )
    };
    found.into_iter().map(read).collect()
}

#[test]
fn files_have_one_subject() {
    let mut long = Vec::new();
    for (path, text) in sources() {
        let lines = text.lines().count();
        if lines > 840 {
            long.push(format!("{path}: {lines} lines"));
        }
    }
    assert!(long.is_empty(), "longer than 840 lines: {long:?}");
}

/// Places of a rule's offences, by file: how many, and the first of them.
struct Offenders(BTreeMap<String, Vec<String>>);

impl Offenders {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, path: &str, line: usize, text: &str) {
        self.0
            .entry(path.to_owned())
            .or_default()
            .push(format!("{line}: {}", text.trim()));
    }

    /// Fails with a list of the files and the first offences of each.
    fn check(&self, rule: &str) {
        let files = self.0.iter().map(|(path, places)| {
            let first: Vec<&str> = places.iter().take(5).map(String::as_str).collect();
            format!(
                "{path}: {} places\n    {}",
                places.len(),
                first.join("\n    ")
            )
        });
        let files: Vec<String> = files.collect();
        assert!(files.is_empty(), "{rule}\n{}", files.join("\n"));
    }
}

/// The Rust sources of the project.
fn sources() -> impl Iterator<Item = (String, String)> {
    FOLDERS.iter().flat_map(|folder| texts(folder, &[".rs"]))
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut offenders = Offenders::new();
    for (path, text) in sources() {
        let mut is_code = false;
        for (index, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else {
                continue;
            };
            let comment = comment.trim_start_matches(['/', '!', ' ']);
            is_code ^= comment.starts_with("```");
            // Commands and rows of tables cannot be broken.
            let is_whole = is_code || comment.starts_with('|');
            if !is_whole && line.chars().count() > 100 {
                offenders.add(&path, index + 1, line);
            }
        }
    }
    offenders.check("comments are at most 100 columns wide");
}

/// Whether a line is a statement such as `let (a, b) = (x, y);`, which takes a tuple apart as it is
/// made.
fn is_packed_let(line: &str) -> bool {
    let statement = line.trim().strip_suffix(");");
    let value = statement
        .filter(|text| text.starts_with("let ("))
        .and_then(|text| text.split_once(") = ("));
    value.is_some_and(|(_, value)| value.contains(", ") && !value.contains(")."))
}

#[test]
fn each_statement_binds_one_value() {
    for (line, expected) in [
        ("let (a, b) = (x, y);", true),
        ("    let (mut a, b) = (f(x, '('), ')');", true),
        ("let (a, b) = f(x, y);", false),
        ("let (a, b) = (x + y).both(1, 2);", false),
        ("let a = (x, y);", false),
    ] {
        assert_eq!(is_packed_let(line), expected, "{line}");
    }
    let mut offenders = Offenders::new();
    for (path, text) in sources().filter(|(path, _)| path != "tests/it/tidy.rs") {
        for (index, line) in text.lines().enumerate() {
            if is_packed_let(line) {
                offenders.add(&path, index + 1, line);
            }
        }
    }
    offenders.check("write one let for each value instead of taking apart a tuple that is made in the same statement");
}
