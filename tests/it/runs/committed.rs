//! The committed results: those of the committed experiments, and readable by this version.

use crate::common::{command, folder, succeeded};
use std::path::{Path, PathBuf};

/// The files of a folder, by name.
fn files(folder: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| entry.unwrap().path())
        .collect();
    files.sort();
    files
}

#[test]
fn committed_results_are_of_their_experiments_and_report_makes_their_files() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = folder();
    let mut compared = 0;
    for committed in files(&root.join("results")) {
        if !committed.join("cells.csv").exists() {
            continue;
        }
        let name = committed.file_name().unwrap().to_str().unwrap();
        let experiment = std::fs::read(root.join(format!("experiments/{name}.toml"))).unwrap();
        let kept = std::fs::read(committed.join("experiment.toml")).unwrap();
        assert!(
            kept == experiment,
            "results/{name}: made by another version of experiments/{name}.toml"
        );

        // The path of the folder stands in the tables.
        let relative = format!("results/{name}");
        let copy = scratch.path().join(&relative);
        std::fs::create_dir_all(&copy).unwrap();
        for file in [
            "cells.csv",
            "distributions.csv",
            "experiment.toml",
            "published.csv",
        ] {
            if committed.join(file).exists() {
                std::fs::copy(committed.join(file), copy.join(file)).unwrap();
            }
        }
        succeeded(
            &command(&["report", &relative])
                .current_dir(scratch.path())
                .output()
                .unwrap(),
        );
        for file in files(&committed) {
            let made = match file.extension().and_then(|ending| ending.to_str()) {
                Some("svg") => true,
                _ => file.ends_with("table.md"),
            };
            // What shows times of the machine is not versioned.
            if made && !file.ends_with("win_rate_by_time.svg") {
                let name = file.file_name().unwrap();
                assert!(
                    std::fs::read(&file).unwrap() == std::fs::read(copy.join(name)).unwrap(),
                    "{relative}/{}: not what `tilelab report {relative}` makes",
                    name.display()
                );
                compared += 1;
            }
        }
    }
    assert!(compared > 20, "only {compared} files");
}
