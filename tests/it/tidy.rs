//! Rules of style that no lint of clippy or rustfmt has: the length of files, the width of
//! comments, and one value for each `let`.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

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
    for folder in [
        "crates/core/src",
        "crates/stats/src",
        "src",
        "tests",
        "benches",
    ] {
        for (path, text) in texts(folder, &[".rs"]) {
            let lines = text.lines().count();
            if lines > 840 {
                long.push(format!("{path}: {lines} lines"));
            }
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

fn sources(folders: &[&str]) -> Vec<(String, String)> {
    folders
        .iter()
        .flat_map(|folder| texts(folder, &[".rs"]))
        .collect()
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut offenders = Offenders::new();
    for (path, text) in sources(&[
        "crates/core/src",
        "crates/stats/src",
        "src",
        "tests",
        "benches",
        "examples",
        "fuzz",
    ]) {
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

/// Where the bracket that opens at `open` is closed, and whether a comma stands directly inside.
/// Good enough for formatted code: of strings and characters it knows the quotes.
fn bracketed(text: &str, open: usize) -> Option<(usize, bool)> {
    let bytes = text.as_bytes();
    let mut depth = 0_usize;
    let mut has_comma = false;
    let mut at = open;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                at += 1;
                while *bytes.get(at)? != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
            }
            b'\'' if bytes.get(at + 2) == Some(&b'\'') => at += 2,
            b'\'' if bytes.get(at + 1) == Some(&b'\\') => at += 3,
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => {
                depth = depth.checked_sub(1)?;
                if depth == 0 {
                    return Some((at, has_comma));
                }
            }
            b',' if depth == 1 => has_comma = true,
            _ => {}
        }
        at += 1;
    }
    None
}

/// Byte positions of statements such as `let (a, b) = (x, y);`: a tuple is taken apart as it is
/// made.
fn packed_lets(text: &str) -> Vec<usize> {
    let is_packed = |at: usize| {
        let (end, _) = bracketed(text, at + 4)?;
        let opened = end + 1 + text[end + 1..].strip_prefix(" = (").map(|_| 3)?;
        let (closed, has_comma) = bracketed(text, opened)?;
        Some(has_comma && text[closed + 1..].starts_with(';'))
    };
    let places = text.match_indices("let (").map(|(at, _)| at);
    places.filter(|at| is_packed(*at) == Some(true)).collect()
}

#[test]
fn packed_lets_are_found() {
    let packed = "let (a, b) = (x, y);\nlet (mut a, b) = (f(x, \"(\"), ')');\nlet (a, b) = (\n    x,\n    y,\n);";
    assert_eq!(packed_lets(packed).len(), 3);
    for other in [
        "let (a, b) = f(x, y);",
        "let (a, b) = (x + y).both();",
        "let a = (x, y);",
    ] {
        assert!(packed_lets(other).is_empty(), "{other}");
    }
}

#[test]
fn each_statement_binds_one_value() {
    let mut offenders = Offenders::new();
    for (path, text) in sources(&[
        "crates/core/src",
        "crates/stats/src",
        "src",
        "tests",
        "benches",
        "examples",
        "fuzz",
    ]) {
        if path == "tests/it/tidy.rs" {
            continue;
        }
        for at in packed_lets(&text) {
            let line = text[..at].matches('\n').count() + 1;
            offenders.add(&path, line, text[at..].lines().next().unwrap());
        }
    }
    offenders.check("write one let for each value instead of taking apart a tuple that is made in the same statement");
}
