//! The committed results: those of the committed experiments, and readable by this version.

use crate::common::{command, committed_cells, folder, succeeded};
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
fn committed_results_are_of_their_experiments_and_report_makes_the_rest() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let scratch = folder();
    let mut plots = 0;
    let mut tables = 0;
    for committed in files(&root.join("results")) {
        let Some(cells) = committed_cells(&committed) else {
            continue;
        };
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
        std::fs::write(copy.join("cells.csv"), cells).unwrap();
        for file in ["experiment.toml", "published.csv", "standings.csv"] {
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
        let made = files(&copy);
        for name in ["report.html", "table.md"] {
            assert!(made.contains(&copy.join(name)), "{relative}: no {name}");
        }
        let is_plot = |file: &&PathBuf| file.extension().is_some_and(|ending| ending == "svg");
        plots += made.iter().filter(is_plot).count();
        // The tables of the atlas are not versioned: thousands of rows.
        let Ok(table) = std::fs::read(committed.join("table.md")) else {
            continue;
        };
        assert!(
            table == std::fs::read(copy.join("table.md")).unwrap(),
            "{relative}/table.md: not what `tilelab report {relative}` makes"
        );
        tables += 1;
    }
    assert!(tables >= 6, "only {tables} tables");
    assert!(plots > 50, "only {plots} plots");
}
