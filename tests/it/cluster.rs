//! `tilelab cluster`: what identifies a run, which shards are done, and scripts that a shell reads
//! as they are meant.

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

/// A stand-in for `sbatch` plays each script at once, for each number of its array, so that the
/// script itself is tested where there is no Slurm.
#[test]
fn the_slurm_script_survives_strange_paths() {
    let folder = folder();
    let strange = folder.path().join("it's $HOME; `x` \"y\" & here");
    std::fs::create_dir(&strange).unwrap();
    let file = write(&strange, "demo file.toml", EXPERIMENT);
    let out = strange.join("out dir");
    let bin = folder.path().join("bin");
    std::fs::create_dir(&bin).unwrap();
    let sbatch = "#!/bin/sh\nscript=$(cat)\narray=0\nfor a; do case $a in --array=*) array=${a#--array=} ;; esac; done\n\
        case $array in 0) ;; *-*) array=$(seq \"${array%-*}\" \"${array#*-}\") ;; esac\n\
        for i in $array; do SLURM_ARRAY_TASK_ID=$i SLURM_JOB_ID=1 sh -c \"$script\" >&2 || exit; done\necho \"17;cluster\"\n";
    let sbatch = write(&bin, "sbatch", sbatch);
    assert!(
        Command::new("chmod")
            .arg("755")
            .arg(&sbatch)
            .status()
            .unwrap()
            .success()
    );
    let script = tilelab(&[
        "cluster",
        "slurm",
        text(&file),
        "--shards",
        "3",
        "--out",
        text(&out),
    ]);
    succeeded(&script);
    let path = format!("{}:{}", bin.display(), std::env::var("PATH").unwrap());
    let submit = || {
        let output = Command::new("sh")
            .args(["-c", &stdout(&script)])
            .env("PATH", &path)
            .current_dir("/")
            .output()
            .unwrap();
        succeeded(&output);
        stdout(&output)
    };
    let said = submit();
    assert!(said.contains("shards 1-3 are the array job 17\n"), "{said}");
    let local = folder.path().join("local");
    play(&file, &local, &[]);
    let cells = |out: &Path| std::fs::read(out.join("demo/cells.csv")).unwrap();
    assert_eq!(cells(&out), cells(&local));
    assert!(submit().contains("all 3 shards are done"));
}

#[test]
fn wrong_arguments() {
    let slurm = |arguments: &[&str]| {
        tilelab(&[&["cluster", "slurm", "experiments/readme.toml"], arguments].concat())
    };
    for (arguments, words) in [
        (&[][..], &["--shards"][..]),
        (&["--shards", "1"], &["--shards", "from 2 to 1000000"]),
        (
            &["--shards", "4", "--time", "1h; rm"],
            &["--time", "h:mm:ss"],
        ),
        (
            &["--shards", "4", "--partition", "a b"],
            &["--partition", "letters"],
        ),
        (
            &["--shards", "4", "--time", "1:00:00:00"],
            &["--time", "h:mm:ss"],
        ),
        (&["--shards", "4", "--time", "1:60"], &["--time", "h:mm:ss"]),
        (&["--shards", "4", "--time", "0"], &["--time", "above zero"]),
        (&["--shards", "4", "--time", "1-"], &["--time", "d-hh"]),
        (&["--shards", "4", "--mem=-1"], &["--mem", "500M"]),
        (&["--shards", "4", "--mem", "lots"], &["--mem", "500M"]),
        (&["--shards", "4", "--mem", "0"], &["--mem", "from 1"]),
        (&["--shards", "4", "--mem", "4GB"], &["--mem", "500M"]),
        (
            &["--shards", "4", "--tilelab", "no/such/program"],
            &["--tilelab no/such/program", "no such file"],
        ),
        (
            &["--shards", "4", "--tilelab", "src"],
            &["--tilelab src", "not a program"],
        ),
        (
            &["--shards", "4", "--tilelab", "Cargo.toml"],
            &["--tilelab Cargo.toml", "not executable"],
        ),
        (&["--shards", "4", "--cpus", "0"], &["--cpus", "1.."]),
        (&["--shards", "4", "--out", "a%j"], &["--out", "%"]),
        (
            &["--shards", "4", "--out", "a\nb"],
            &["--out", "control characters"],
        ),
    ] {
        refused(&slurm(arguments), words);
    }
    for arguments in [
        ["--time", "90"],
        ["--time", "1-12:30:00"],
        ["--time", "2-0"],
        ["--mem", "500"],
        ["--mem", "4g"],
    ] {
        assert!(
            slurm(&[&["--shards", "4"], &arguments[..]].concat())
                .status
                .success(),
            "{arguments:?}"
        );
    }
    refused(
        &tilelab(&["cluster", "plan", "no-such-file.toml"]),
        &["no-such-file.toml", "cannot be read"],
    );
}
