//! The documentation is true: links lead somewhere, commands run, tables shown are those that the
//! commands write.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use crate::common::{copy, folder, python};

/// Commands that would play long, wait for a person or measure, and what the tests run instead. All
/// others run as shown.
const INSTEAD: &[(&str, &str)] = &[
    (
        "tilelab run --game 67 --set size=4x4,5x5 --games 100k",
        "tilelab run --game 67 --set size=4x4,5x5 --games 20",
    ),
    (
        "cargo run --release -- run experiments/readme.toml",
        "tilelab run experiments/readme.toml --games 20 --out toy",
    ),
    (
        "tilelab run experiments/readme.toml",
        "tilelab run experiments/readme.toml --games 20 --out toy",
    ),
    (
        "tilelab run experiments/players.toml",
        "tilelab check --no-forecast experiments/players.toml",
    ),
    (
        "tilelab run experiments/atlas.toml",
        "tilelab check --no-forecast experiments/atlas.toml",
    ),
    (
        "tilelab run experiments/atlas-curves.toml",
        "tilelab check --no-forecast experiments/atlas-curves.toml",
    ),
    (
        "tilelab run experiments/atlas-refined.toml",
        "tilelab check --no-forecast experiments/atlas-refined.toml",
    ),
    (
        "tilelab run experiments/weights.toml",
        "tilelab check --no-forecast experiments/weights.toml",
    ),
    (
        "tilelab run experiments/twenty-forty-eight.toml",
        "tilelab check --no-forecast experiments/twenty-forty-eight.toml",
    ),
    (
        "tilelab check rates.toml",
        "tilelab check --no-forecast rates.toml",
    ),
    (
        "tilelab play sixty-seven",
        "echo quit | tilelab play sixty-seven",
    ),
    (
        "tilelab run experiments/offset-matches.toml",
        "tilelab check --no-forecast experiments/offset-matches.toml",
    ),
    (
        "tilelab bench --set rules=gapless,merge-runs --set size=6x7,8x8 --player greedy",
        "tilelab bench --set rules=gapless,merge-runs --set size=6x7,8x8 --player greedy --quick",
    ),
];

/// Programs that the tests do not start: the build itself, profilers that most machines lack, and
/// the script that has a test of its own.
const NOT_RUN: [&str; 5] = ["callgrind_annotate", "cargo", "perf", "python", "valgrind"];

fn root() -> PathBuf {
    PathBuf::from(env!("CARGO_MANIFEST_DIR"))
}

/// The pages, by their paths from the root.
fn pages() -> Vec<String> {
    let mut pages: Vec<String> = [
        "README.md",
        "ARCHITECTURE.md",
        "CONTRIBUTING.md",
        "CHANGELOG.md",
    ]
    .into_iter()
    .chain(["experiments/README.md", "results/README.md"])
    .map(str::to_owned)
    .collect();
    for entry in std::fs::read_dir(root().join("docs")).unwrap() {
        let name = entry.unwrap().file_name().to_string_lossy().into_owned();
        if name.ends_with(".md") {
            pages.push(format!("docs/{name}"));
        }
    }
    pages.sort();
    pages
}

fn read(page: &str) -> String {
    std::fs::read_to_string(root().join(page)).unwrap_or_else(|error| panic!("{page}: {error}"))
}

/// The text between code fences, and the fenced blocks with their languages.
fn parts(text: &str) -> (String, Vec<(String, String)>) {
    let mut prose = String::new();
    let mut blocks = Vec::new();
    let mut block: Option<(String, String)> = None;
    for line in text.lines() {
        match (&mut block, line.strip_prefix("```")) {
            (None, Some(language)) => block = Some((language.to_owned(), String::new())),
            (None, None) => prose += &format!("{line}\n"),
            (Some(_), Some(_)) => blocks.extend(block.take()),
            (Some((_, content)), None) => *content += &format!("{line}\n"),
        }
    }
    assert!(block.is_none(), "a code block is not closed");
    (prose, blocks)
}

/// The anchors of a page's headings, as GitHub and mdBook make them.
fn anchors(text: &str) -> BTreeSet<String> {
    let headings = parts(text).0;
    let headings = headings.lines().filter(|line| line.starts_with('#'));
    let anchor = |heading: &str| {
        let heading = heading.trim_start_matches('#').trim().to_lowercase();
        let kept = heading
            .chars()
            .filter(|c| c.is_alphanumeric() || " -_".contains(*c));
        kept.map(|c| if c == ' ' { '-' } else { c }).collect()
    };
    headings.map(anchor).collect()
}

/// The targets of the links and pictures in a page's prose.
fn links(text: &str) -> Vec<String> {
    let prose = parts(text).0;
    prose
        .split("](")
        .skip(1)
        .filter_map(|rest| rest.split_once(')'))
        .map(|(target, _)| target.to_owned())
        .collect()
}

#[test]
fn every_link_leads_to_a_file_and_a_heading_that_exist() {
    let mut wrong = Vec::new();
    let mut seen = 0;
    for page in pages() {
        for link in links(&read(&page))
            .into_iter()
            .filter(|link| !link.starts_with("https://"))
        {
            let (file, anchor) = link.split_once('#').unwrap_or((&link, ""));
            let folder = Path::new(&page).parent().unwrap();
            let target = if file.is_empty() {
                PathBuf::from(&page)
            } else {
                folder.join(file)
            };
            if !root().join(&target).exists() {
                wrong.push(format!("{page}: {link}: no such file"));
            } else if !anchor.is_empty()
                && !anchors(&read(&target.to_string_lossy())).contains(anchor)
            {
                wrong.push(format!("{page}: {link}: no such heading"));
            }
            seen += 1;
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert!(seen > 50, "only {seen} links were found");
}

#[test]
fn the_book_has_every_page_of_docs_and_links_to_nothing_outside() {
    let summary: BTreeSet<String> = links(&read("docs/SUMMARY.md")).into_iter().collect();
    for page in pages() {
        let Some(name) = page.strip_prefix("docs/") else {
            continue;
        };
        assert!(
            name == "SUMMARY.md" || summary.contains(name),
            "docs/SUMMARY.md lacks {name}"
        );
        for link in links(&read(&page)) {
            assert!(
                !link.starts_with(".."),
                "{page}: {link} lies outside the book"
            );
        }
        for include in read(&page).split("{{#include ").skip(1) {
            let file = include.split([':', '}']).next().unwrap();
            let text = read(&format!("docs/{file}"));
            let fits = |link: &String| link.starts_with("https://") || link.starts_with('#');
            assert!(
                links(&text).iter().all(fits),
                "{file}: the book includes it, so it may link only to itself and the web"
            );
        }
    }
}

#[test]
fn every_column_of_the_results_is_explained() {
    let columns = read("docs/columns.md");
    let named: BTreeSet<&str> = columns.split('`').skip(1).step_by(2).collect();
    let folder = folder();
    copy_of_the_project(folder.path());
    // The files that are not versioned.
    shell(
        "tilelab run experiments/readme.toml --games 2 --out small",
        folder.path(),
    );
    let mut seen = BTreeSet::new();
    let results = ["results", "small"].map(|name| folder.path().join(name).read_dir().unwrap());
    for entry in results.into_iter().flatten() {
        for file in ["cells.csv", "distributions.csv", "times.csv"] {
            let path = entry.as_ref().unwrap().path().join(file);
            let Ok(text) = std::fs::read_to_string(&path) else {
                continue;
            };
            seen.insert(file);
            for column in text.lines().next().unwrap().split(',') {
                let base = column.strip_suffix("_se").unwrap_or(column);
                let known = named.contains(column)
                    || named.contains(base)
                    || column.starts_with("largest_tile_ge_");
                assert!(
                    known,
                    "docs/columns.md does not explain {column} of {}",
                    path.display()
                );
            }
        }
    }
    assert_eq!(seen.len(), 3, "only {seen:?} were read");
}

#[test]
fn the_atlas_is_that_of_its_results() {
    let Some(python) = python("numpy, polars, sklearn") else {
        return;
    };
    let folder = folder();
    copy_of_the_project(folder.path());
    shell(
        &format!("{python} experiments/atlas.py page --check"),
        folder.path(),
    );
    shell(
        &format!("{python} experiments/atlas.py refine"),
        folder.path(),
    );
    let file = "experiments/atlas-refined.toml";
    let made = std::fs::read_to_string(folder.path().join(file)).unwrap();
    assert!(
        made == read(file),
        "`python experiments/atlas.py refine` writes another file"
    );
}

/// The estimates in the tables at the head of the page are printed as the results have them.
#[test]
fn the_figures_of_players_are_those_of_their_results() {
    let page = read("docs/players.md");
    let (head, _) = page.split_once("\n## ").expect("the page has sections");
    let results = ["players", "planner"].map(|name| read(&format!("results/{name}/table.md")));
    let rows = head.lines().filter(|line| line.starts_with('|'));
    let fields = rows.flat_map(|row| row.split('|').map(str::trim));
    let estimates: Vec<&str> = fields.filter(|field| field.ends_with(']')).collect();
    assert!(estimates.len() >= 30, "{estimates:?}");
    for estimate in estimates {
        let is_in = |table: &String| table.contains(&format!("| {estimate} |"));
        assert!(results.iter().any(is_in), "{estimate}");
    }
}

/// A folder with copies of the experiments and results, in which commands may write.
fn copy_of_the_project(target: &Path) {
    for name in ["docs", "examples/players", "experiments", "results"] {
        copy(&root().join(name), &target.join(name));
    }
}

/// Runs a shell command with `tilelab` on the path and returns all that it printed.
fn shell(command: &str, folder: &Path) -> String {
    let programs = Path::new(env!("CARGO_BIN_EXE_tilelab")).parent().unwrap();
    let others = std::env::var_os("PATH").unwrap();
    let folders = std::env::split_paths(&others);
    let path = std::env::join_paths(std::iter::once(programs.to_owned()).chain(folders)).unwrap();
    let mut shell = Command::new("bash");
    shell
        .args(["-o", "pipefail", "-c", command])
        .current_dir(folder)
        .env("PATH", path)
        .stdin(Stdio::null());
    let output = shell.output().expect("bash runs");
    let printed = String::from_utf8_lossy(&output.stdout).into_owned()
        + &String::from_utf8_lossy(&output.stderr);
    assert!(output.status.success(), "$ {command}\n{printed}");
    printed
}

/// Runs the commands of a console block; lines of output that it shows must be printed by the
/// command above them.
fn run_console(page: &str, block: &str, folder: &Path) -> usize {
    let mut printed: Option<String> = None;
    let mut commands = 0;
    for line in block.lines() {
        let Some(command) = line.strip_prefix("$ ") else {
            let printed = printed
                .as_ref()
                .unwrap_or_else(|| panic!("{page}: output without a command: {line}"));
            assert!(
                printed.lines().any(|other| other == line),
                "{page}: not printed: {line}\n{printed}"
            );
            continue;
        };
        let command = command.split("  #").next().unwrap().trim();
        let instead = INSTEAD.iter().find(|(shown, _)| *shown == command);
        if instead.is_none() && NOT_RUN.contains(&command.split(' ').next().unwrap()) {
            printed = None;
            continue;
        }
        printed = Some(shell(instead.map_or(command, |(_, other)| other), folder));
        commands += 1;
    }
    commands
}

/// Holds tables that name their file in a comment above them against that file.
fn compare_tables(page: &str, text: &str, folder: &Path) {
    for part in text.split("<!-- results/").skip(1) {
        let (file, rest) = part.split_once(" -->\n").unwrap();
        let written = std::fs::read_to_string(folder.join("results").join(file)).unwrap();
        let rows: Vec<&str> = rest
            .lines()
            .take_while(|line| line.starts_with('|'))
            .collect();
        assert!(
            rows.len() > 2,
            "{page}: no table below the comment with {file}"
        );
        for row in rows {
            assert!(
                written.lines().any(|line| line == row),
                "{page}: {file} lacks the row {row}\n{written}"
            );
        }
    }
}

/// Holds pictures that name their file in a comment above them against that file.
fn compare_pictures(page: &str, text: &str, folder: &Path) -> usize {
    let parts = text.split("<!-- picture of ").skip(1);
    let compared = parts.map(|part| {
        let (file, rest) = part.split_once(" -->\n").unwrap();
        let shown = rest.split(['(', ')']).nth(1).unwrap();
        let shown = root().join(page).parent().unwrap().join(shown);
        assert!(
            std::fs::read(folder.join(file)).unwrap() == std::fs::read(&shown).unwrap(),
            "{page}: {} is not {file} that the commands of the page write: copy it",
            shown.display()
        );
    });
    compared.count()
}

#[test]
fn every_command_shown_runs_and_prints_what_is_shown() {
    let python = python("pandas, polars");
    let mut commands = 0;
    let mut pictures = 0;
    for page in pages() {
        let text = read(&page);
        let (_, blocks) = parts(&text);
        if !blocks
            .iter()
            .any(|(language, _)| language == "console" || language == "python")
        {
            continue;
        }
        let folder = folder();
        copy_of_the_project(folder.path());
        // Experiments of a page are saved under their names first.
        for (_, toml) in blocks.iter().filter(|(language, _)| language == "toml") {
            if let Some(name) = toml
                .strip_prefix("name = \"")
                .and_then(|rest| rest.split('"').next())
            {
                std::fs::write(folder.path().join(format!("{name}.toml")), toml).unwrap();
            }
        }
        for (language, block) in &blocks {
            match (language.as_str(), &python) {
                ("console", _) => commands += run_console(&page, block, folder.path()),
                ("python", Some(python)) => {
                    std::fs::write(folder.path().join("page.py"), block).unwrap();
                    shell(&format!("{python} page.py"), folder.path());
                }
                _ => {}
            }
        }
        compare_tables(&page, &text, folder.path());
        pictures += compare_pictures(&page, &text, folder.path());
    }
    assert!(commands > 20, "only {commands} commands were found");
    assert!(pictures > 0, "no picture was compared");
}

#[test]
fn commands_that_are_replaced_are_shown_somewhere() {
    let all: String = pages().iter().map(|page| read(page)).collect();
    for (shown, _) in INSTEAD {
        assert!(
            all.contains(&format!("$ {shown}")),
            "{shown} is shown nowhere"
        );
    }
}

#[test]
fn commands_named_in_sentences_exist() {
    let mut verbs = BTreeSet::new();
    for text in pages().iter().map(|page| read(page)) {
        for part in text.split("`tilelab ").skip(1) {
            let is_verb = |character: &char| character.is_ascii_lowercase() || *character == '-';
            verbs.insert(part.chars().take_while(is_verb).collect::<String>());
        }
    }
    verbs.retain(|verb| !verb.is_empty() && !verb.starts_with('-'));
    assert!(verbs.len() > 10, "{verbs:?}");
    for verb in verbs {
        shell(&format!("tilelab {verb} --help"), &root());
    }
}
