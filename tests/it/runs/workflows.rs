//! Random sequences of commands on one results folder, against a small model of what the folder
//! should hold.

use crate::common::{folder, property, refused, stderr, succeeded, text, tilelab, write};
use proptest::prelude::*;
use std::collections::BTreeSet;
use std::path::{Path, PathBuf};
use std::process::Output;

const EXPERIMENT: &str = r#"
name = "flow"
seed = 67
games = 12
[[table]]
title = "t"
game = "sixty-seven"
size = ["2x2", "2x3"]
published = "figures.csv"
"#;
const FIGURES: &str = "table,rows,cols,games,wins\nt,2,2,1000,3\n";
const SHARDS: usize = 3;

/// Files that `report` makes from the others.
const DERIVED: [&str; 2] = ["table.md", "report.html"];

/// What can be removed from the results folder.
const FILES: [&str; 10] = [
    ".state",
    ".state.previous",
    "cells.csv",
    "distributions.csv",
    "experiment.toml",
    "machine.txt",
    "published.csv",
    "report.html",
    "table.md",
    "times.csv",
];

#[derive(Clone, Debug)]
enum Action {
    Run,
    RunAfresh,
    RunOtherSeed,
    RunShard(usize),
    Merge,
    Report,
    Export,
    Compare,
    Remove(&'static str),
    RemoveShard(usize),
}

fn actions() -> impl Strategy<Value = Vec<Action>> {
    use Action::*;
    let one = prop_oneof![
        3 => Just(Run),
        1 => Just(RunAfresh),
        1 => Just(RunOtherSeed),
        5 => (1..=SHARDS).prop_map(RunShard),
        3 => Just(Merge),
        2 => Just(Report),
        1 => Just(Export),
        1 => Just(Compare),
        5 => prop::sample::select(&FILES[..]).prop_map(Remove),
        1 => (1..=SHARDS).prop_map(RemoveShard),
    ];
    prop::collection::vec(one, 1..12)
}

/// The folder as it should be.
struct Model {
    folder: tempfile::TempDir,
    whole: PathBuf,
    /// Files in the results folder.
    files: BTreeSet<&'static str>,
    /// Shards that were played.
    shards: BTreeSet<usize>,
}

impl Model {
    fn new(whole: &Path) -> Self {
        let folder = folder();
        write(folder.path(), "figures.csv", FIGURES);
        write(folder.path(), "flow.toml", EXPERIMENT);
        Self {
            folder,
            whole: whole.to_owned(),
            files: BTreeSet::new(),
            shards: BTreeSet::new(),
        }
    }

    fn results(&self) -> PathBuf {
        self.folder.path().join("out/flow")
    }

    fn shard(&self, index: usize) -> PathBuf {
        self.results().join(format!("shard-{index}-of-{SHARDS}"))
    }

    fn run(&self, more: &[&str]) -> Output {
        let file = self.folder.path().join("flow.toml");
        let out = self.folder.path().join("out");
        let mut arguments = vec![
            "run",
            text(&file),
            "--out",
            text(&out),
            "--threads",
            "1",
            "--quiet",
        ];
        arguments.extend(more);
        tilelab(&arguments)
    }

    fn has_state(&self) -> bool {
        self.files.contains(".state") || self.files.contains(".state.previous")
    }

    /// Everything that a run or a merge leaves is there.
    fn complete(&mut self) {
        self.files
            .extend(FILES.iter().filter(|name| **name != ".state.previous"));
    }

    fn step(&mut self, action: &Action) {
        let results = self.results();
        match action {
            Action::Run => {
                succeeded(&self.run(&[]));
                self.complete();
            }
            Action::RunAfresh => {
                succeeded(&self.run(&["--fresh"]));
                self.complete();
            }
            Action::RunOtherSeed if self.has_state() => {
                refused(
                    &self.run(&["--seed", "68"]),
                    &["seed: 67 there, 68 here", "--fresh"],
                );
            }
            // Without a saved state it would be a run of its own.
            Action::RunOtherSeed => {}
            Action::RunShard(index) => {
                succeeded(&self.run(&["--shard", &format!("{index}/{SHARDS}")]));
                self.shards.insert(*index);
            }
            Action::Merge => {
                let out = self.folder.path().join("out");
                let parts: Vec<PathBuf> =
                    self.shards.iter().map(|index| self.shard(*index)).collect();
                let mut arguments = vec!["merge", "--out", text(&out)];
                arguments.extend(parts.iter().map(|part| text(part)));
                let output = tilelab(&arguments);
                if self.shards.len() == SHARDS {
                    succeeded(&output);
                    self.complete();
                } else {
                    refused(&output, &[]);
                }
            }
            Action::Report => {
                let output = tilelab(&["report", text(&results)]);
                if self.files.contains("cells.csv") {
                    succeeded(&output);
                    self.files.extend(DERIVED);
                } else {
                    refused(&output, &["cannot be read"]);
                }
            }
            Action::Export => {
                let output = tilelab(&[
                    "report",
                    text(&results),
                    "--format",
                    "json",
                    "--output",
                    "-",
                ]);
                if self.files.contains("cells.csv") {
                    succeeded(&output);
                    let json: serde_json::Value =
                        serde_json::from_slice(&output.stdout).expect("JSON");
                    assert!(json.to_string().contains("\"win_pct\""), "{json}");
                } else {
                    refused(&output, &["cannot be read"]);
                }
            }
            Action::Compare => {
                let output = tilelab(&[
                    "compare",
                    text(&self.whole),
                    text(&results),
                    "--fail-on-difference",
                ]);
                if self.files.contains("cells.csv") {
                    assert!(
                        succeeded(&output).starts_with("2 pairs of cells, 0 differ; 0 cells "),
                        "{}",
                        stderr(&output)
                    );
                } else {
                    refused(&output, &["cannot be read"]);
                }
            }
            Action::Remove(name) => {
                let _ = std::fs::remove_file(results.join(name));
                self.files.remove(name);
            }
            Action::RemoveShard(index) => {
                let _ = std::fs::remove_dir_all(self.shard(*index));
                self.shards.remove(index);
            }
        }
        self.check();
    }

    /// The files that should be there are, and they have the bytes of the undivided run.
    fn check(&self) {
        for name in &self.files {
            // Made only where a state was there before.
            let path = self.results().join(name);
            assert!(
                *name == ".state.previous" || path.exists(),
                "{name} is missing"
            );
        }
        for name in [
            "cells.csv",
            "distributions.csv",
            "published.csv",
            "experiment.toml",
        ] {
            let Ok(bytes) = std::fs::read(self.results().join(name)) else {
                continue;
            };
            assert!(self.files.contains(name), "{name} should not be there");
            assert!(
                bytes == std::fs::read(self.whole.join(name)).unwrap(),
                "{name} has the wrong bytes"
            );
        }
        let listed = std::fs::read_dir(self.results()).into_iter().flatten();
        for entry in listed {
            let name = entry.unwrap().file_name().into_string().unwrap();
            let is_known = !name.starts_with('.')
                || [".lock", ".state", ".state.previous"].contains(&name.as_str());
            assert!(is_known, "left over: {name}");
        }
    }
}

#[test]
fn random_sequences_of_commands_keep_the_folder_right() {
    let whole = Model::new(Path::new("."));
    succeeded(&whole.run(&[]));
    let whole = whole.results();
    property(36, actions(), |actions| {
        let mut model = Model::new(&whole);
        for action in actions {
            model.step(action);
            if model.results().join(".state.previous").exists() {
                model.files.insert(".state.previous");
            }
        }
    });
}
