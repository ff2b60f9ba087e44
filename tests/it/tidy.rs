//! House rules as tests: who imports whom, how long files are, where `unsafe` may stand, and that
//! the project stands alone.

use std::collections::{BTreeMap, BTreeSet};
use std::path::{Path, PathBuf};

/// The import table of ARCHITECTURE.md: a module and the modules that it may import. `cli` and the
/// crate's root may import all.
const MODULES: &[(&str, &[&str])] = &[
    ("rng", &[]),
    ("params", &[]),
    ("tally", &[]),
    ("experiment", &["text"]),
    ("text", &[]),
    ("game", &["params", "rng", "tally"]),
    ("games", &["game", "params", "rng"]),
    ("players", &["game", "games", "params", "rng", "text"]),
    ("catalog", &["game", "games", "params", "players", "rng"]),
    ("plan", &["catalog", "experiment", "game", "params", "rng", "text"]),
    ("contest", &["catalog", "game", "games", "params", "players", "report", "rng", "stats"]),
    ("compare", &["game", "plan", "report"]),
    ("exact", &["games"]),
    ("bench", &["catalog", "game", "params", "plan", "rng", "stats"]),
    ("schema", &["catalog", "experiment", "params"]),
    ("runner", &["game", "plan", "rng", "stats", "tally"]),
    ("stats", &["tally"]),
    ("report", &["stats", "text"]),
    ("results", &["catalog", "experiment", "game", "params", "plan", "report", "runner", "stats", "tally", "text"]),
    ("learn", &["catalog", "game", "params", "plan", "players", "report", "results", "rng", "runner", "stats"]),
    ("tui", &["catalog", "game", "games", "params", "players", "rng"]),
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
        (path.strip_prefix(root()).unwrap().to_string_lossy().into_owned(), text)
    };
    found.into_iter().map(read).collect()
}

/// The modules that a file names as `crate::MODULE`, outside its unit tests and comments.
fn imports(text: &str) -> BTreeSet<String> {
    let code = text.split("#[cfg(test)]").next().unwrap();
    let lines = code.lines().filter(|line| !line.trim_start().starts_with("//"));
    let mut modules = BTreeSet::new();
    for line in lines {
        for part in line.split("crate::").skip(1) {
            let module: String = part.chars().take_while(|c| c.is_ascii_alphanumeric() || *c == '_').collect();
            if !module.is_empty() {
                modules.insert(module);
            }
            // A grouped import such as `crate::{game, rng::Stream}`.
            if let Some(group) = part.strip_prefix('{') {
                let group = group.split('}').next().unwrap();
                modules.extend(group.split(',').map(|item| item.trim().split("::").next().unwrap().to_owned()));
            }
        }
    }
    modules
}

#[test]
fn modules_import_only_what_the_table_allows() {
    let mut seen = BTreeSet::new();
    let mut wrong = Vec::new();
    for (path, text) in texts("src", &[".rs"]) {
        let inside = path.trim_start_matches("src/");
        let module = inside.split(['/', '.']).next().unwrap().to_owned();
        if ["lib", "main", "cli"].contains(&module.as_str()) {
            continue;
        }
        let Some((_, allowed)) = MODULES.iter().find(|(name, _)| *name == module) else {
            wrong.push(format!("{path}: the module {module} is not in the import table"));
            continue;
        };
        for import in imports(&text) {
            // Macros and re-exports at the root are nobody's module.
            if import != module && MODULES.iter().any(|(name, _)| *name == import) | (import == "cli") {
                let fits = allowed.contains(&import.as_str());
                if !fits {
                    wrong.push(format!("{path}: {module} may not import {import}; it may import {allowed:?}"));
                }
            }
        }
        seen.insert(module);
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for needed in ["rng", "tally", "game", "games", "players", "catalog", "plan", "runner", "stats", "report"] {
        assert!(seen.contains(needed), "the module {needed} was not found");
    }
}

#[test]
fn the_import_table_stands_in_the_architecture() {
    let text = std::fs::read_to_string(root().join("ARCHITECTURE.md")).unwrap();
    for (module, allowed) in MODULES.iter().filter(|(module, _)| {
        root().join("src").join(module).exists() || root().join(format!("src/{module}.rs")).exists()
    }) {
        let allowed = if allowed.is_empty() { "nothing of ours".to_owned() } else { allowed.join(", ") };
        let row = format!("| {module} | {allowed} |");
        assert!(text.contains(&row), "ARCHITECTURE.md lacks the row {row}");
    }
}

#[test]
fn files_have_one_subject() {
    let mut long = Vec::new();
    for folder in ["src", "tests", "benches"] {
        for (path, text) in texts(folder, &[".rs"]) {
            let lines = text.lines().count();
            if lines > 650 {
                long.push(format!("{path}: {lines} lines"));
            }
        }
    }
    assert!(long.is_empty(), "files of about 600 lines at most: {long:?}");
}

#[test]
fn unsafe_stands_in_kernels_only_and_is_justified() {
    for (path, text) in texts("src", &[".rs"]) {
        let lines: Vec<&str> = text.lines().collect();
        for (number, line) in lines.iter().enumerate() {
            let code = line.split("//").next().unwrap();
            let block = code.contains("unsafe {") || code.trim_start().starts_with("unsafe impl");
            assert!(!block || path.contains("kernels"), "{path}:{}: unsafe outside the kernels", number + 1);
            if block {
                // The justification stands right above, or above the statement that the block
                // belongs to.
                let above = &lines[number.saturating_sub(8)..=number];
                assert!(above.iter().any(|line| line.contains("SAFETY")), "{path}:{}: no // SAFETY:", number + 1);
            }
        }
    }
}

#[test]
fn nothing_is_left_open_and_nothing_reaches_outside() {
    let open =
        [["to", "do!("].concat(), ["unimple", "mented!("].concat(), ["#[ig", "nore"].concat(), ["FIX", "ME"].concat()];
    let outside = [["..", "/shared"].concat(), ["/wo", "rk/"].concat()];
    for folder in ["src", "tests", "benches", "experiments"] {
        for (path, text) in texts(folder, &[".rs", ".toml", ".md"]) {
            for word in open.iter().chain(&outside) {
                assert!(!text.contains(word.as_str()), "{path} contains {word}");
            }
        }
    }
}

/// Places of a rule's offences, by file: how many, and the first of them.
struct Offenders(BTreeMap<String, Vec<String>>);

impl Offenders {
    fn new() -> Self {
        Self(BTreeMap::new())
    }

    fn add(&mut self, path: &str, line: usize, text: &str) {
        self.0.entry(path.to_owned()).or_default().push(format!("{line}: {}", text.trim()));
    }

    /// Fails with a list of the files and the first offences of each.
    fn check(&self, rule: &str) {
        let files = self.0.iter().map(|(path, places)| {
            let first: Vec<&str> = places.iter().take(5).map(String::as_str).collect();
            format!("{path}: {} places\n    {}", places.len(), first.join("\n    "))
        });
        let files: Vec<String> = files.collect();
        assert!(files.is_empty(), "{rule}\n{}", files.join("\n"));
    }
}

fn sources(folders: &[&str]) -> Vec<(String, String)> {
    folders.iter().flat_map(|folder| texts(folder, &[".rs"])).collect()
}

#[test]
fn comments_are_at_most_100_columns_wide() {
    let mut offenders = Offenders::new();
    for (path, text) in sources(&["src", "tests", "benches", "examples", "fuzz"]) {
        let mut is_code = false;
        for (index, line) in text.lines().enumerate() {
            let Some(comment) = line.trim_start().strip_prefix("//") else { continue };
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
    for other in ["let (a, b) = f(x, y);", "let (a, b) = (x + y).both();", "let a = (x, y);"] {
        assert!(packed_lets(other).is_empty(), "{other}");
    }
}

#[test]
fn each_statement_binds_one_value() {
    let mut offenders = Offenders::new();
    for (path, text) in sources(&["src", "tests", "benches", "examples", "fuzz"]) {
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

/// Words that readers have to translate, with what to write.
const WORDS: &[(&str, &str)] = &[
    ("rooms", "modules"),
    ("desk", "shared state"),
    ("ledger", "inner state"),
    ("sight", "evaluator or cache"),
    ("promise", "ordering score, or guarantee"),
    ("with a word", "with an error message"),
    ("for comfort", "cut it"),
    ("lost to", "say what costs what"),
    ("is no", "is not a, or is unknown"),
];

/// As [`WORDS`], in kernels only: the words have plain meanings elsewhere.
const KERNEL_WORDS: &[(&str, &str)] =
    &[("seat", "slot"), ("seats", "slots"), ("handle", "value index"), ("handles", "value indices")];

/// The comment and the string literals of a line.
fn prose(line: &str) -> String {
    let mut found = String::new();
    let mut rest = line;
    while let Some(at) = rest.find(['"', '/']) {
        if let Some(comment) = rest[at..].strip_prefix("//") {
            found.push_str(comment);
            break;
        }
        let tail = &rest[at + 1..];
        rest = if rest[at..].starts_with('"') {
            let end = tail.find('"').unwrap_or(tail.len());
            found.push_str(&tail[..end]);
            found.push(' ');
            tail.get(end + 1..).unwrap_or_default()
        } else {
            tail
        };
    }
    // Code in backquotes is not prose.
    found.split('`').step_by(2).collect::<Vec<_>>().join(" ").to_lowercase()
}

fn has_word(prose: &str, word: &str) -> bool {
    prose.match_indices(word).any(|(at, _)| {
        let before = &prose[..at];
        let after = &prose[at + word.len()..];
        let is_letter = |c: char| c.is_alphanumeric() || c == '_' || c == '-';
        let is_whole = !before.ends_with(is_letter) && !after.starts_with(is_letter);
        // "There is no …", "is no longer", "is no more than" and the like are plain English.
        let plain = [" longer", " more", " less", " larger", " smaller", " greater", " other", " faster", " slower"];
        let is_plain = before.trim_end().ends_with("there") || plain.iter().any(|end| after.starts_with(end));
        is_whole && (word != "is no" || !is_plain)
    })
}

#[test]
fn comments_and_messages_use_plain_words() {
    let mut offenders = Offenders::new();
    for (path, text) in sources(&["src"]) {
        let words = WORDS.iter().chain(KERNEL_WORDS.iter().filter(|_| path.contains("kernels")));
        let words: Vec<_> = words.collect();
        for (index, line) in text.lines().enumerate() {
            let prose = prose(line);
            for (word, instead) in words.iter().filter(|(word, _)| has_word(&prose, word)) {
                offenders.add(&path, index + 1, &format!("{word:?} (write {instead}): {}", line.trim()));
            }
        }
    }
    offenders.check("plain words in comments and messages");
}
