//! The crates that the library needs are those that ARCHITECTURE.md lists.

use std::collections::BTreeSet;
use std::process::Command;

#[test]
fn the_architecture_lists_the_crates_of_the_library() {
    let root = env!("CARGO_MANIFEST_DIR");
    let text = std::fs::read_to_string(format!("{root}/ARCHITECTURE.md")).unwrap();
    let section = text.split("## Dependencies of the library").nth(1).expect("the section is there");
    let table = section.split("\n## ").next().unwrap().lines().filter(|line| line.starts_with("| `"));
    let listed: BTreeSet<&str> = table.flat_map(|line| line.split('`').skip(1).step_by(2)).collect();

    let tree = Command::new(env!("CARGO"))
        .args(["tree", "--offline", "--package", "tilelab", "--edges", "normal", "--no-default-features"])
        .args(["--target", "x86_64-unknown-linux-gnu", "--prefix", "none", "--format", "{p}"])
        .current_dir(root)
        .output()
        .expect("cargo runs");
    assert!(tree.status.success(), "{}", crate::common::stderr(&tree));
    let tree = crate::common::stdout(&tree);
    let needed: BTreeSet<&str> = tree.lines().filter_map(|line| line.split(' ').next()).collect();
    let needed: BTreeSet<&str> = needed.into_iter().filter(|name| !["", "tilelab"].contains(name)).collect();
    assert_eq!(needed, listed, "crates of the library (left), crates listed in ARCHITECTURE.md (right)");
}
