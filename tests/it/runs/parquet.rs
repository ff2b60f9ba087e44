//! Parquet files, read by the programs that people read them with.

use crate::common::{folder, play, python, run_python, succeeded, text, tilelab, write};

/// Every field of cells.parquet is that of cells.csv, with its type, for three readers.
const SCRIPT: &str = r#"
import csv, json, sys
import pandas, polars, pyarrow.parquet
rows = list(csv.DictReader(open(sys.argv[2])))
file = pyarrow.parquet.ParquetFile(sys.argv[1])
table = file.read()
table.validate(full=True)
assert table.column_names == list(rows[0]) and table.num_rows == len(rows), table
schema = json.loads(file.schema_arrow.metadata[b"tilelab.schema"])
kinds = {column["name"]: column["type"] for column in schema["columns"]}
types = {"text": ["string"], "count": ["uint64"], "integer": ["int64"], "number": ["double"], "flag": ["bool"]}
for name, column in zip(table.column_names, table.columns):
    assert str(column.type) in types[kinds[name]], (name, column.type)
frame = polars.read_parquet(sys.argv[1])
other = pandas.read_parquet(sys.argv[1])
assert frame.height == len(other) == len(rows)
def plain(field):
    # CSV puts text that reads as a number in braces; Parquet has types and needs none.
    return field[1:-1] if field[0] == "{" and field[-1] == "}" else field
def value(kind, field):
    if field == "":
        return None
    return {"text": plain, "count": int, "integer": int, "number": float, "flag": lambda f: f == "true"}[kind](field)
for number, row in enumerate(rows):
    for name, field in row.items():
        wanted = value(kinds[name], field)
        assert table[name][number].as_py() == wanted, (name, table[name][number], field)
        assert frame[name][number] == wanted, (name, frame[name][number], field)
        seen = other[name][number]
        assert pandas.isna(seen) if wanted is None else seen == wanted, (name, seen, field)
"#;

#[test]
fn cells_in_parquet_are_those_of_the_csv() {
    let out = folder();
    let table = |title: &str, keys: &str| {
        format!("[[table]]\ntitle = \"{title}\"\ngame = \"sixty-seven\"\n{keys}\n")
    };
    let experiment = "name = \"a\"\nseed = 1\ngames = 200\n\n".to_owned()
        + &table(
            "ü",
            "size = \"3x3\"\ntarget = [0, -9]\nvalue_limit = 50\noperator_rate = [0.5, 1]",
        )
        + &table("plain", "size = \"2x2\"\ntarget = 1_000_000")
        + "[[table]]\ntitle = \"two\"\ngame = \"zero-sum\"\nopponent = \"greedy\"\n";
    let file = write(out.path(), "a.toml", &experiment);
    play(&file, out.path(), &[]);
    let results = out.path().join("a");
    succeeded(&tilelab(&["report", text(&results), "--format", "parquet"]));
    let bytes = std::fs::read(results.join("cells.parquet")).unwrap();
    assert!(bytes.starts_with(b"PAR1") && bytes.ends_with(b"PAR1"));
    let printed = tilelab(&[
        "report",
        text(&results),
        "--format",
        "parquet",
        "--output",
        "-",
    ]);
    assert_eq!(printed.stdout, bytes);
    if let Some(python) = python("pandas, polars, pyarrow") {
        run_python(
            &python,
            SCRIPT,
            &[&results.join("cells.parquet"), &results.join("cells.csv")],
        );
    }
}
