//! Rules of style that no lint of clippy or rustfmt has: the length of files, the width of
//! comments, and one value for each `let`.

use std::collections::{BTreeMap, BTreeSet};
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

/// A path that is imported, and whether it is given on (`pub use`).
type Import = (Vec<String>, bool);

/// What the files of one crate import, by the paths of their modules (`game::job`; empty for the
/// crate's own).
struct Modules(BTreeMap<String, Vec<Import>>);

impl Modules {
    fn of(folder: &str) -> Self {
        let module = |(path, text): (String, String)| {
            let path = path.strip_prefix(folder)?.strip_suffix(".rs")?;
            let path = path.strip_suffix("/mod").unwrap_or(path);
            let path = path.trim_start_matches('/').replace('/', "::");
            let path = if path == "lib" { String::new() } else { path };
            let code = text.split("#[cfg(test)]\nmod tests").next()?;
            Some((path, imports(code)))
        };
        Self(
            texts(folder, &[".rs"])
                .into_iter()
                .filter_map(module)
                .collect(),
        )
    }

    /// The module whose file has what this path, imported in a module, names.
    fn home(&self, module: &str, path: &[String]) -> Option<String> {
        let parent = |module: &str| {
            module
                .rsplit_once("::")
                .map_or("", |(parent, _)| parent)
                .to_owned()
        };
        let join = |module: &str, name: &str| match module {
            "" => name.to_owned(),
            _ => format!("{module}::{name}"),
        };
        let mut rest = path;
        let mut found = match path[0].as_str() {
            "crate" => String::new(),
            "super" => parent(module),
            name if name == "self" || self.0.contains_key(&join(module, name)) => module.to_owned(),
            _ => return None,
        };
        if matches!(path[0].as_str(), "crate" | "super" | "self") {
            rest = &rest[1..];
        }
        while let [name, after @ ..] = rest {
            if name == "super" {
                found = parent(&found);
            } else if self.0.contains_key(&join(&found, name)) {
                found = join(&found, name);
            } else {
                break;
            }
            rest = after;
        }
        // Whoever gives a name on does not have it.
        let given = |(path, is_public): &Import| {
            *is_public && rest.len() == 1 && path.last() == rest.first()
        };
        match self.0[&found].iter().find(|import| given(import)) {
            Some((path, _)) => self.home(&found, path).or(Some(found)),
            None => Some(found),
        }
    }
}

/// What the code of a file imports.
fn imports(code: &str) -> Vec<Import> {
    let mut all = Vec::new();
    for statement in code.split(';') {
        let Some(at) = statement.rfind("use ") else {
            continue;
        };
        let line = statement[..at].lines().last().unwrap_or_default().trim();
        if line.is_empty() || line == "pub" || line.starts_with("pub(") {
            let is_public = !line.is_empty();
            let tree: String = statement[at + 4..].split_whitespace().collect();
            let add = |path: Vec<String>| all.push((path, is_public));
            each_path(&tree, &[], &mut { add });
        }
    }
    all
}

/// Calls `add` with each path of a tree of imports without white space.
fn each_path(tree: &str, before: &[String], add: &mut dyn FnMut(Vec<String>)) {
    let mut depth = 0;
    let mut begin = 0;
    for (at, byte) in tree.bytes().chain([b',']).enumerate() {
        depth += i32::from(byte == b'{') - i32::from(byte == b'}');
        if byte != b',' || depth > 0 {
            continue;
        }
        let part = &tree[begin..at];
        begin = at + 1;
        let (plain, inner) = part.split_once('{').unwrap_or((part, ""));
        let names = plain.split("::").filter(|name| !name.is_empty());
        let path = [before, &names.map(str::to_owned).collect::<Vec<_>>()].concat();
        match inner.strip_suffix('}') {
            Some(inner) => each_path(inner, &path, add),
            None if !path.is_empty() => add(path),
            None => {}
        }
    }
}

/// A file knows those below it, and is known by those above.
#[test]
fn no_files_import_each_other_in_a_circle() {
    let crates = std::fs::read_dir(root().join("crates")).unwrap();
    let mut names: Vec<_> = crates.map(|entry| entry.unwrap().file_name()).collect();
    names.sort();
    let mut circles = Vec::new();
    for name in names {
        let modules = Modules::of(&format!("crates/{}/src", name.to_string_lossy()));
        assert!(modules.0.contains_key(""), "{name:?} has no lib.rs");
        let known = |module: &String, imports: &[Import]| {
            let used = imports.iter().filter(|(_, is_public)| !is_public);
            let homes = used.filter_map(|(path, _)| modules.home(module, path));
            // A file may use what its folder's says.
            let is_above = |home: &String| {
                home.is_empty() || format!("{module}::").starts_with(&format!("{home}::"))
            };
            let below = homes.filter(|home| !is_above(home));
            below.collect::<BTreeSet<_>>()
        };
        let files = modules.0.iter();
        let direct: BTreeMap<_, _> = files
            .map(|(from, imports)| (from, known(from, imports)))
            .collect();
        let mut all = BTreeMap::new();
        for from in modules.0.keys() {
            let mut reached = BTreeSet::new();
            let mut left = vec![from];
            while let Some(module) = left.pop() {
                left.extend(direct[module].iter().filter(|to| reached.insert(*to)));
            }
            all.insert(from, reached);
        }
        for (from, known) in &direct {
            for to in known.iter().filter(|to| all[*to].contains(*from)) {
                circles.push(format!("{}: {from} -> {to}", name.to_string_lossy()));
            }
        }
    }
    assert!(
        circles.is_empty(),
        "files in circles:\n{}",
        circles.join("\n")
    );
}
