//! `tilelab bench`, `tilelab list kernels`, and the published lines through `tilelab move`.

use crate::common::{folder, refused, stdout, succeeded, text, tilelab, tilelab_with_input, write};
use crate::kernels::lines::{direction, line_text, packed, published_lines};
use tilelab::json::json;

#[test]
fn bench_measures_every_kernel_on_every_case() {
    let sweep = ["--set", "rules=gapless,bounded", "--set", "size=2x3,4x4"];
    let bench = ["bench", "--quick", "--json", "--player", "greedy"];
    let output = tilelab(&[bench.as_slice(), &sweep].concat());
    succeeded(&output);
    let lines: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    let lines = lines.as_array().unwrap();
    let of = |key: &str, value: &str| lines.iter().filter(|line| line[key] == value).count();
    // The reference plays the other players.
    assert_eq!(of("kernel", "reference"), 8);
    assert_eq!((of("kernel", "portable"), of("player", "greedy")), (4, 4));
    for line in lines {
        let positive = |key: &str| line[key].as_f64().unwrap() > 0.0;
        let times = ["ns_per_turn", "ns_per_turn_min", "wall_ns_per_turn"];
        assert!(times.into_iter().all(positive), "{line}");
        assert!(
            line["turns"].as_u64().unwrap() >= line["games"].as_u64().unwrap(),
            "{line}"
        );
        assert!(line["times_reference"].as_f64().unwrap() > 0.0, "{line}");
    }
    assert_eq!(lines[0]["case"], "rules=gapless size=2x3");
    let table = tilelab(&[
        "bench", "--quick", "--set", "size=2x2", "--kernel", "portable",
    ]);
    let table = stdout(&table);
    assert_eq!(table.lines().count(), 2, "{table}");
}

#[test]
fn bench_refuses_wrong_input() {
    for (arguments, message) in [
        (["--kernel", "portabel"], "--kernel portabel: not there"),
        (["--game", "sixty-eight"], "--game sixty-eight: unknown"),
        (["--player", "greedyy"], "--player greedyy: unknown player"),
        (["--set", "rules"], "--set rules: write key=value"),
        (
            ["--set", "rules=gapless,gaples"],
            "--set rules=gaples: not accepted",
        ),
        (["--set", "size=6x7,axb"], "--set rows=a: not accepted"),
        (
            ["--set", "size=20x20"],
            "kernel: portable cannot play this: boards go up to 16 × 16",
        ),
    ] {
        let output = tilelab(&["bench", "--quick", arguments[0], arguments[1]]);
        refused(&output, &[message]);
    }
}

/// `auto` says once for each table where no kernel plays, and how much slower that is.
#[test]
fn a_fallback_to_the_reference_is_announced() {
    let folder = folder();
    let table = |title: &str, lines: &str| format!("[[table]]\ntitle = \"{title}\"\n{lines}\n");
    let text_of_file = [
        "name = \"slow\"\nseed = 1\ngames = 16\n".to_owned(),
        table("fits", "game = \"67\"\nsize = \"2x2\"\ntarget = 7"),
        table("long", "game = \"67\"\nsize = [\"2x3\", \"1x17\"]"),
        table(
            "lanes",
            "game = \"67\"\nsize = \"2x2\"\ntarget = 7\nlanes = 16",
        ),
        table(
            "thinking",
            "game = \"67\"\nsize = \"1x17\"\nplayer = \"cycle\"",
        ),
        table("small", "game = \"2048\"\nsize = \"2x2\"\ngoal = 8"),
    ]
    .concat();
    let file = write(folder.path(), "slow.toml", &text_of_file);
    let out = folder.path().join("results");
    for arguments in [
        ["run", text(&file), "--out", text(&out), "--quiet"].as_slice(),
        &["check", text(&file), "--no-forecast"],
    ] {
        let notices = succeeded(&tilelab(arguments));
        let lines: Vec<&str> = notices
            .lines()
            .filter(|line| line.contains("times slower"))
            .collect();
        assert_eq!(lines.len(), 3, "{notices}");
        for (line, words) in lines.iter().zip([
            "table \"long\" (1 of 2 cells): boards go up to 16 × 16, not 1 × 17; the reference plays",
            "table \"lanes\": with value lanes, the target cannot be a digit",
            "table \"small\": kernels play boards of 4×4",
        ]) {
            assert!(line.contains("slow.toml: ") && line.contains(words), "{line}");
        }
    }
    let asked = succeeded(&tilelab(&[
        "check",
        text(&file),
        "--no-forecast",
        "--kernel",
        "reference",
    ]));
    assert!(!asked.contains("slower"), "{asked}");
}

#[test]
fn list_shows_the_kernels() {
    let text = stdout(&tilelab(&["list", "kernels"]));
    for name in [
        "portable",
        "neon",
        "simd128",
        "avx2",
        "avx512",
        "reference",
        "auto",
    ] {
        assert!(
            text.contains(&format!("kernel {name} of ")),
            "{name}: {text}"
        );
    }
}

#[test]
fn the_published_lines_come_out_of_move() {
    for rules in ["original", "gapless", "merge-pairs", "merge-runs"] {
        let cases: Vec<_> = published_lines()
            .into_iter()
            .filter(|case| case.0 == rules)
            .collect();
        assert!(!cases.is_empty());
        let mut requests = String::new();
        for (_, towards_end, line, _) in &cases {
            for as_rows in [true, false] {
                let board = packed(std::slice::from_ref(line), as_rows).unpack();
                let direction = direction(as_rows, *towards_end).name();
                let request = json!({"board": board, "move": direction});
                requests += &format!("{request}\n");
            }
        }
        let rules_given = format!("rules={rules}");
        let output = tilelab_with_input(
            &["move", "--game", "sixty-seven", "--set", &rules_given],
            &requests,
        );
        succeeded(&output);
        let answers: Vec<serde_json::Value> = String::from_utf8(output.stdout)
            .unwrap()
            .lines()
            .map(|line| serde_json::from_str(line).unwrap())
            .collect();
        assert_eq!(answers.len(), 2 * cases.len());
        for (i, (_, _, line, result)) in cases.iter().enumerate() {
            for (answer, as_rows) in answers[2 * i..].iter().zip([true, false]) {
                let expected = json!(packed(std::slice::from_ref(result), as_rows).unpack());
                assert_eq!(answer["board"], expected, "{rules}: {}", line_text(line));
            }
        }
    }
}
