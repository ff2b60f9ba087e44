//! Wrong inputs to the two-player games: each has one clear message that says what would be right,
//! and exit code 2.

use crate::common::{folder, refused, stdout, tilelab, tilelab_with_input, write};

#[test]
fn logs() {
    let folder = folder();
    let log = write(folder.path(), "match.log", "(0, true, (0, 0), (1, 6), 2)\n");
    let log = log.to_str().unwrap().to_owned();
    let missing = folder.path().join("no.log");
    let cases: &[(&[&str], &[&str])] = &[
        (&["offset", "--log", &log], &["--pairs"]),
        (
            &["offset", "--log", &log, "--pairs", "1,6"],
            &["--pairs", "p0,q0:p1,q1"],
        ),
        (
            &["offset", "--log", &log, "--pairs", "1,6:3,3"],
            &["1,6:3,3", "different positive"],
        ),
        (
            &["offset", "--log", &log, "--pairs", "1,6:3,5"],
            &["sum 7", "sum 8"],
        ),
        (
            &["offset", "--log", &log, "--pairs", "1,6:6,1"],
            &["must differ"],
        ),
        (
            &[
                "offset",
                "--log",
                missing.to_str().unwrap(),
                "--pairs",
                "1,6:3,4",
            ],
            &["no.log"],
        ),
        (
            &["zero-sum", "--log", &log, "--pairs", "1,6:3,4"],
            &["zero-sum", "write offset"],
        ),
        (&["offset"], &["--cell"]),
    ];
    for (arguments, words) in cases {
        refused(&tilelab(&[&["replay"], *arguments].concat()), words);
    }
    // A log that stops early is no wrong input; the result says so.
    let output = tilelab(&[
        "replay", "offset", "--log", &log, "--pairs", "1,6:3,4", "--json",
    ]);
    assert_eq!(output.status.code(), Some(0));
    let last = "{\"scores\":[2,0],\"winner\":null,\"moves\":1,\"finished\":false}";
    assert_eq!(stdout(&output).lines().last(), Some(last));
}

/// Each line is answered with an error that has these words; the good line after it is answered as
/// well.
fn check_answers(game: &str, settings: &[&str], good: (&str, &str), cases: &[(&str, &[&str])]) {
    let mut input = String::new();
    cases
        .iter()
        .for_each(|(line, _)| input.push_str(&format!("{line}\n")));
    input.push_str(good.0);
    let output = tilelab_with_input(&[&["move", "--game", game], settings].concat(), &input);
    assert_eq!(output.status.code(), Some(2));
    let text = stdout(&output);
    let answers: Vec<&str> = text.lines().collect();
    assert_eq!(answers.len(), cases.len() + 1);
    for ((line, words), answer) in cases.iter().zip(&answers) {
        assert!(answer.starts_with("{\"error\":"), "{line}: {answer}");
        for word in *words {
            assert!(answer.contains(word), "{line}: {word} is not in {answer}");
        }
    }
    assert_eq!(answers.last(), Some(&good.1));
}

#[test]
fn positions_of_the_multiplication_game() {
    let good = (
        "{\"number\":16,\"scores\":[0,-1],\"player\":\"alpha-beta\"}",
        "{\"move\":4,\"nodes\":31}",
    );
    let cases: &[(&str, &[&str])] = &[
        ("[]", &["an object"]),
        ("{", &["not JSON"]),
        ("{\"scores\":[0,0]}", &["number: missing"]),
        ("{\"number\":16}", &["scores: missing"]),
        (
            "{\"number\":0,\"scores\":[0,0]}",
            &["number: 0", "from 1 to 1199"],
        ),
        (
            "{\"number\":1200,\"scores\":[0,0]}",
            &["number: 1200", "ends at 1200"],
        ),
        (
            "{\"number\":16,\"scores\":[0]}",
            &["scores: [0]", "[opponent's, mover's]"],
        ),
        (
            "{\"number\":16,\"scores\":[0,5000]}",
            &["scores", "-1000 to 1000"],
        ),
        // The absolute value of the smallest number overflows.
        (
            "{\"number\":16,\"scores\":[0,-9223372036854775808]}",
            &["scores", "-1000 to 1000"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"move\":5}",
            &["move: 5", "2, 3, 4"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"move\":2,\"player\":\"exact\"}",
            &["one of them"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"player\":\"mobility\"}",
            &["mobility", "alpha-beta"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"player\":\"minimax\",\"depth\":0}",
            &["depth: 0", "from 1 to 64"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"player\":\"random\",\"depth\":3}",
            &["depth: unknown key"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"player\":\"random\",\"seed\":-1}",
            &["seed: -1"],
        ),
        (
            "{\"number\":16,\"scores\":[0,0],\"colour\":1}",
            &["colour: unknown key"],
        ),
    ];
    check_answers("zero-sum", &[], good, cases);
}

#[test]
fn positions_of_offset() {
    let piles = "\"piles\":[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,1,4]]";
    let line = |rest: &str| format!("{{\"pairs\":\"2,3:1,4\",{piles}{rest}}}");
    let good_line = line(",\"move\":[[0,0],[2,3]]");
    let good_line = good_line.replace("1,4]", "1,1]");
    let good = (
        good_line.as_str(),
        "{\"value\":2,\"piles\":[[0,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,2,1]],\"owners\":[\"....\",\"....\",\"....\",\"..0.\"],\"scores\":[2,0],\"seat\":0,\"over\":false}",
    );
    let lines = [
        line(",\"move\":[[0,0],[1,1]]"),
        line(",\"move\":[[1,0],[3,3]]"),
        line(",\"move\":[[0,0],[0,4]]"),
        line(",\"move\":[0,0]"),
        line(",\"player\":\"exact\""),
        line(",\"list\":1"),
        line(",\"list\":true,\"move\":[[0,0],[2,3]]"),
        line(",\"seat\":2"),
        line(",\"owners\":[\"....\"]"),
        line(",\"owners\":[\"0...\",\"....\",\"....\",\"....\"]"),
        line(",\"colour\":1"),
        format!("{{{piles}}}"),
        "{\"pairs\":\"2,3:1,4\"}".to_owned(),
        "{\"pairs\":\"2,3:1,4\",\"piles\":[[1]]}".to_owned(),
        "{\"pairs\":\"2,3:1,4\",\"piles\":[[1,1,1,1],[1,1,1,1],[1,1,1,1],[1,1,1,3]]}".to_owned(),
        "{\"pairs\":\"2,3:2,3\",\"piles\":[]}".to_owned(),
    ];
    let words: [&[&str]; 16] = [
        &["lie 1 and 1 apart", "2,3"],
        &["1 and 4 coins", "only equal piles"],
        &["[[x, y], [x, y]]", "from 0 to 3"],
        &["[[x, y], [x, y]]"],
        &["exact", "mobility"],
        &["list: 1", "true, false"],
        &["list", "move", "one of them"],
        &["seat: 2", "from 0 to 1"],
        &["owners", "4 texts of 4"],
        &["(0, 0)", "piles of one coin"],
        &["colour: unknown key"],
        &["pairs: missing", "1,6:3,4"],
        &["piles: missing", "4 rows"],
        &["piles", "4 rows of 4"],
        &["(3, 3) holds 3", "power of two"],
        &["must differ"],
    ];
    let cases: Vec<(&str, &[&str])> = lines.iter().map(String::as_str).zip(words).collect();
    check_answers("offset", &["--set", "side=4", "--set", "d=5"], good, &cases);
}

/// A table that the machine has no memory for ended the program with an abort.
#[cfg(target_os = "linux")]
#[test]
fn a_table_beyond_the_memory_is_refused() {
    let limited = |arguments: &str| {
        let command = format!(
            "ulimit -v 1000000; exec {} {arguments}",
            env!("CARGO_BIN_EXE_tilelab")
        );
        std::process::Command::new("sh")
            .args(["-c", &command])
            .output()
            .unwrap()
    };
    let words = [
        "alpha-beta.table: 26",
        "2^26 positions needs 1536 MiB",
        "choose a smaller table",
    ];
    refused(
        &limited("match random 'alpha-beta(table=26)' --game offset --threads 1"),
        &words,
    );
    let request = "{\"number\":16,\"scores\":[0,0],\"player\":\"alpha-beta\",\"table\":26}";
    let output = limited(&format!("move --game zero-sum <<'END'\n{request}\nEND\n"));
    assert_eq!(output.status.code(), Some(2));
    assert!(stdout(&output).contains(words[1]), "{}", stdout(&output));
}
