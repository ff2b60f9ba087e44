//! `tilelab bench` and `tilelab list kernels`.

use crate::common::{refused, stdout, succeeded, tilelab};

#[test]
fn bench_measures_every_kernel_on_every_case() {
    let sweep = ["--set", "rules=gapless,bounded", "--set", "size=2x3,4x4"];
    let output = tilelab(&[["bench", "--quick", "--json"].as_slice(), &sweep].concat());
    succeeded(&output);
    let lines: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = lines.as_array().unwrap();
    let of = |kernel: &str| lines.iter().filter(|line| line["kernel"] == kernel).count();
    assert_eq!((of("reference"), of("portable")), (4, 4));
    for line in lines {
        assert!(line["ns_per_turn"].as_f64().unwrap() > 0.0, "{line}");
        assert!(line["turns"].as_u64().unwrap() >= line["games"].as_u64().unwrap(), "{line}");
        assert!(line["times_reference"].as_f64().unwrap() > 0.0, "{line}");
    }
    assert_eq!(lines[0]["case"], "rules=gapless size=2x3");
    let table = tilelab(&["bench", "--quick", "--set", "size=2x2", "--kernel", "portable"]);
    let table = stdout(&table);
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn bench_refuses_wrong_input() {
    for (arguments, message) in [
        (["--kernel", "portabel"], "--kernel portabel: not there"),
        (["--game", "sixty-eight"], "--game sixty-eight: unknown"),
        (["--set", "rules"], "--set rules: write key=value"),
        (["--set", "rules=gapless,gaples"], "--set rules=gaples: not accepted"),
        (["--set", "size=6x7,axb"], "--set rows=a: not accepted"),
        (["--set", "size=20x20"], "kernel: portable cannot play this: boards go up to 16 × 16"),
    ] {
        let output = tilelab(&["bench", "--quick", arguments[0], arguments[1]]);
        refused(&output, &[message]);
    }
}

#[test]
fn list_shows_the_kernels() {
    let text = stdout(&tilelab(&["list", "kernels"]));
    for name in ["portable", "bmi2", "avx512", "reference", "auto"] {
        assert!(text.contains(&format!("kernel {name} of ")), "{name}: {text}");
    }
}
