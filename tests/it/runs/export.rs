//! `export`: the data of a result in other formats; what it and `compare` refuse.

use super::compare::{compare, play};
use crate::common::{folder, refused, stderr, stdout, succeeded, text, tilelab, write};
use std::path::{Path, PathBuf};
use tilelab::output::text::unguarded;

#[test]
fn wrong_arguments_of_compare_and_export() {
    let folder = folder();
    let a = play(folder.path(), "a", "seed = 1\ngames = 5", "target = 9");
    let b = play(folder.path(), "b", "seed = 1\ngames = 5", "target = 8");
    refused(&compare(&a, &b, &[]), &["have no cell in common"]);
    refused(
        &compare(&a, &folder.path().join("nowhere"), &[]),
        &["nowhere", "cannot be read"],
    );
    refused(
        &compare(&a, &a, &["--confidence", "95"]),
        &["--confidence", "between 0 and 1"],
    );
    refused(&compare(&a, &a, &["--paired=1"]), &["--paired"]);
    let foreign = write(folder.path(), "foreign.csv", "a,b\n1,2\n");
    refused(
        &compare(&a, &foreign, &[]),
        &["foreign.csv", "the column table is missing"],
    );
    let csv = std::fs::read_to_string(a.join("cells.csv")).unwrap();
    let torn = write(folder.path(), "torn.csv", &csv[..csv.len() - 30]);
    refused(&compare(&a, &torn, &[]), &["torn.csv"]);
    let words = write(
        folder.path(),
        "words.csv",
        &csv.replace(",67,5,", ",67,five,")
            .replace(",9,5,", ",9,five,"),
    );
    refused(
        &compare(&a, &words, &[]),
        &["words.csv", "line 2", "games = \"five\" is not a count"],
    );
    refused(
        &tilelab(&["report", text(&a), "--format", "xml"]),
        &["--format", "json, parquet"],
    );
    refused(
        &tilelab(&[
            "report",
            text(&folder.path().join("nowhere")),
            "--format",
            "json",
        ]),
        &["nowhere"],
    );
    std::fs::write(a.join("cells.csv"), csv.replace(",0.5,2,9,", ",0.5,few,9,")).unwrap();
    refused(
        &tilelab(&["report", text(&a), "--format", "json"]),
        &["tiles_per_turn = \"few\" is not an integer"],
    );
    assert!(!a.join("cells.json").exists());
}

/// A copy of a CSV file in which the field of a column in the first row is another one.
fn edited(file: &Path, name: &str, column: &str, value: &str) -> PathBuf {
    let mut reader = csv::Reader::from_path(file).unwrap();
    let header = reader.headers().unwrap().clone();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer.write_record(&header).unwrap();
    for (at, record) in reader.records().map(Result::unwrap).enumerate() {
        let changed = |(field, known)| {
            if at == 0 && known == column {
                value
            } else {
                field
            }
        };
        writer
            .write_record(record.iter().zip(&header).map(changed))
            .unwrap();
    }
    let copy = file.with_file_name(name);
    std::fs::write(&copy, writer.into_inner().unwrap()).unwrap();
    copy
}

/// Each of these made `compare` panic or count nonsense.
#[test]
fn impossible_figures_are_refused_with_file_line_column_and_value() {
    let folder = folder();
    let a = play(folder.path(), "a", "seed = 1\ngames = 50", "target = 9");
    let cells = a.join("cells.csv");
    for (column, value) in [
        ("wins", "51"),
        ("games", "9223372036854775808"),
        ("games", "-1"),
        ("moves_mean", "1e308"),
        ("moves_mean_se", "NaN"),
        ("moves_win_mean", "inf"),
        ("win_pct", "250"),
        ("confidence", "2"),
    ] {
        let copy = edited(&cells, "edited.csv", column, value);
        let message = format!("{column} = \"{value}\" ");
        refused(
            &compare(&a, &copy, &[]),
            &["edited.csv: line 2: ", &message],
        );
        refused(
            &compare(&copy, &a, &["--format", "csv"]),
            &["edited.csv: line 2: ", &message],
        );
    }
}

#[test]
fn titles_and_keys_cannot_drive_the_terminal() {
    let folder = folder();
    let a = play(
        folder.path(),
        "a",
        "seed = 1\ngames = 50",
        "target = [9, 8]",
    );
    let cells = a.join("cells.csv");
    let titled = edited(&cells, "titled.csv", "table", "a\u{1b}[2J|b\nc");
    let keyed = edited(&cells, "keyed.csv", "cell", "k\u{1b}[2J");
    // The row gets rules that no other row has, so that it has no counterpart.
    let keyed = edited(&keyed, "keyed.csv", "rules", "k\u{1b}[2J");
    let output = compare(&titled, &keyed, &[]);
    succeeded(&output);
    for text in [stdout(&output), stderr(&output)] {
        assert!(!text.contains('\u{1b}'), "{text}");
    }
    assert!(
        stderr(&output).contains("only in B: k\\u{1b}[2J"),
        "{}",
        stderr(&output)
    );
    let same = compare(&titled, &titled, &["--format", "markdown"]);
    assert!(
        stdout(&same).contains("| a\\u{1b}[2J\\|b\\nc |"),
        "{}",
        stdout(&same)
    );
}

#[test]
fn an_export_that_cannot_be_written_is_wrong_input() {
    let folder = folder();
    let a = play(folder.path(), "a", "seed = 1\ngames = 5", "target = 9");
    let nowhere = folder.path().join("nowhere/cells.json");
    for output in [nowhere.as_path(), &a] {
        let output = tilelab(&[
            "report",
            text(&a),
            "--format",
            "json",
            "--output",
            text(output),
        ]);
        refused(&output, &["--output", "cannot be written"]);
    }
    assert!(!nowhere.parent().unwrap().exists());
}

#[test]
fn json_has_the_data_of_the_csv() {
    let folder = folder();
    let a = play(
        folder.path(),
        "a",
        "seed = 1\ngames = 300",
        "target = [0, -9]\nvalue_limit = 50\noperator_rate = [0.5, 1]",
    );
    let output = tilelab(&["report", text(&a), "--format", "json"]);
    succeeded(&output);
    let json: serde_json::Value =
        serde_json::from_slice(&std::fs::read(a.join("cells.json")).unwrap()).unwrap();
    let printed = tilelab(&["report", text(&a), "--format", "json", "--output", "-"]);
    assert_eq!(
        serde_json::from_slice::<serde_json::Value>(&printed.stdout).unwrap(),
        json
    );
    assert_eq!(json["schema"]["version"], tilelab::report::schema::VERSION);
    let mut reader = csv::Reader::from_path(a.join("cells.csv")).unwrap();
    let header = reader.headers().unwrap().clone();
    let columns = json["schema"]["columns"].as_array().unwrap();
    assert!(
        columns
            .iter()
            .map(|column| column["name"].as_str().unwrap())
            .eq(&header)
    );
    let kind = |name: &str| {
        columns
            .iter()
            .find(|column| column["name"] == name)
            .unwrap()["type"]
            .as_str()
            .unwrap()
    };
    for (name, expected) in [
        ("games", "count"),
        ("target", "integer"),
        ("operator_rate", "number"),
        ("rules", "text"),
        ("win_pct", "number"),
    ] {
        assert_eq!(kind(name), expected, "{name}");
    }
    let cells = json["cells"].as_array().unwrap();
    let rows: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    assert_eq!(cells.len(), rows.len());
    for (cell, row) in cells.iter().zip(&rows) {
        assert!(cell.as_object().unwrap().keys().eq(&header));
        for (name, field) in header.iter().zip(row) {
            let same = match &cell[name] {
                serde_json::Value::Null => field.is_empty(),
                serde_json::Value::String(text) => text == unguarded(field),
                serde_json::Value::Number(number) => {
                    number.as_f64() == field.parse().ok()
                        && (kind(name) == "number") == number.is_f64()
                }
                other => panic!("{other}"),
            };
            assert!(same, "{name}: {} is not {field:?}", cell[name]);
        }
    }
}
