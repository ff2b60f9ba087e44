//! `tilelab cluster`: what identifies a run, which shards are done, and the array job for Slurm.

use crate::common::{folder, play, refused, stdout, succeeded, text, tilelab, write};
use std::path::Path;
use std::process::Command;

const EXPERIMENT: &str = "name = \"demo\"\nseed = 1\ngames = 60\n[[table]]\ntitle = \"t\"\ngame = \"sixty-seven\"\nsize = \"3x3\"\n";

#[test]
fn plan_identifies_the_run_and_names_its_files() {
    let folder = folder();
    let file = write(folder.path(), "demo.toml", EXPERIMENT);
    let plan = |arguments: &[&str]| -> serde_json::Value {
        let output = tilelab(&[&["cluster", "plan", text(&file)], arguments].concat());
        serde_json::from_str(&stdout(&output)).unwrap()
    };
    let first = plan(&[]);
    assert_eq!(first["name"], "demo");
    assert_eq!(first["version"], env!("CARGO_PKG_VERSION"));
    assert_eq!(first["files"], serde_json::json!([]));
    assert_eq!(first.get("shard"), None);
    assert_eq!(first, plan(&[]));
    assert_ne!(first, plan(&["--games", "61"]));
    assert_ne!(first, plan(&["--seed", "2"]));
    let readme: serde_json::Value = serde_json::from_str(&stdout(&tilelab(&[
        "cluster",
        "plan",
        "experiments/readme.toml",
    ])))
    .unwrap();
    assert_eq!(
        readme["files"],
        serde_json::json!(["sixty_seven_published.csv"])
    );
}

#[test]
fn status_tells_what_is_done_and_refuses_other_runs() {
    let folder = folder();
    let file = write(folder.path(), "demo.toml", EXPERIMENT);
    let out = folder.path().join("out");
    let status = |arguments: &[&str]| {
        let all = [
            &[
                "cluster",
                "status",
                text(&file),
                "--shards",
                "5",
                "--out",
                text(&out),
            ],
            arguments,
        ]
        .concat();
        tilelab(&all)
    };
    assert_eq!(stdout(&status(&["--missing"])), "1-5\n");
    assert!(!out.exists(), "asking wrote something");
    for shard in ["2/5", "4/5"] {
        succeeded(&tilelab(&[
            "run",
            text(&file),
            "--out",
            text(&out),
            "--shard",
            shard,
            "--quiet",
        ]));
    }
    assert_eq!(
        stdout(&status(&[])),
        "demo: 2 of 5 shards done, 0 begun, 3 (1,3,5) not begun\n"
    );
    std::fs::write(out.join("demo/shard-4-of-5/.state"), "torn").unwrap();
    assert_eq!(
        stdout(&status(&[])),
        "demo: 1 of 5 shards done, 1 (4) begun, 3 (1,3,5) not begun\n"
    );
    assert_eq!(stdout(&status(&["--missing"])), "1,3-5\n");
    refused(
        &status(&["--seed", "9"]),
        &["shard-2-of-5", "seed: 1 there, 9 here", "--out"],
    );
    for shard in ["1/5", "3/5", "4/5", "5/5"] {
        succeeded(&tilelab(&[
            "run",
            text(&file),
            "--out",
            text(&out),
            "--shard",
            shard,
            "--quiet",
            "--fresh",
        ]));
    }
    assert_eq!(stdout(&status(&["--missing"])), "");
}

/// Each shard as Slurm would start it, where there is no Slurm.
#[test]
fn the_array_job_plays_the_shards_of_its_experiment() {
    let folder = folder();
    let strange = folder.path().join("it's $HOME; `x` here");
    std::fs::create_dir(&strange).unwrap();
    let file = write(&strange, "demo file.toml", EXPERIMENT);
    let out = strange.join("out dir");
    let script = std::fs::read_to_string("cluster/slurm.sh").unwrap();
    let script = script
        .replace("experiments/readme.toml", "\"$FILE\"")
        .replace("--out results)", "--out \"$OUT\")")
        .replace("shards=200", "shards=3");
    for shard in ["1", "2", "3"] {
        let output = Command::new("bash")
            .args(["-c", &script])
            .env("FILE", &file)
            .env("OUT", &out)
            .env("TILELAB", env!("CARGO_BIN_EXE_tilelab"))
            .env("SLURM_ARRAY_TASK_ID", shard)
            .output()
            .unwrap();
        succeeded(&output);
    }
    let shards = [1, 2, 3].map(|shard| out.join(format!("demo/shard-{shard}-of-3")));
    let shards = shards.each_ref().map(|shard| text(shard));
    succeeded(&tilelab(
        &[&["merge", "--out", text(&out)][..], &shards].concat(),
    ));
    let local = folder.path().join("local");
    play(&file, &local, &[]);
    let cells = |out: &Path| std::fs::read(out.join("demo/cells.csv")).unwrap();
    assert_eq!(cells(&out), cells(&local));
}

#[test]
fn wrong_arguments() {
    let status = |shards| {
        let file = "experiments/readme.toml";
        tilelab(&["cluster", "status", file, "--shards", shards])
    };
    refused(&status("1"), &["--shards", "from 2 to 1000000"]);
    refused(
        &tilelab(&["cluster", "plan", "no-such-file.toml"]),
        &["no-such-file.toml", "cannot be read"],
    );
}
