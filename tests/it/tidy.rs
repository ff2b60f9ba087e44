//! House rules as tests: who imports whom, how long files are, where `unsafe` may stand, and that
//! the project stands alone.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

/// The import table of ARCHITECTURE.md: a module and the modules that it may import. `cli` and the crate's
/// root may import all.
const MODULES: &[(&str, &[&str])] = &[
    ("rng", &[]),
    ("params", &[]),
    ("tally", &[]),
    ("experiment", &[]),
    ("game", &["rng", "tally"]),
    ("games", &["game", "params", "rng"]),
    ("players", &["game", "games", "params", "rng"]),
    ("catalog", &["game", "games", "params", "players", "rng"]),
    ("plan", &["catalog", "experiment", "game", "params", "rng"]),
    ("runner", &["game", "plan", "rng", "stats", "tally"]),
    ("stats", &["tally"]),
    ("report", &["stats"]),
    ("results", &["catalog", "game", "params", "plan", "report", "runner", "stats", "tally"]),
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
