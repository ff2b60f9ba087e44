//! What cells are called in plots, tables and messages: by what varies, shortly, each differently.

use super::cells::Record;
use super::schema;
use std::collections::{BTreeMap, BTreeSet};

/// The parameters of a row of `cells.csv`, as [`distinct`] takes them.
#[must_use]
pub fn parameters<'a>(row: &Record<'a>) -> Vec<(&'a str, &'a str)> {
    let row = *row;
    let names = row.header().filter(|name| schema::is_parameter(name));
    names
        .filter_map(|name| Some((name, row.get(name)?)))
        .collect()
}

/// Short names of long parameters.
const SHORT: [(&str, &str); 5] = [
    ("operator_rate", "rate"),
    ("tiles_per_turn", "tiles"),
    ("value_limit", "limit"),
    ("max_rounds", "rounds"),
    ("four_rate", "fours"),
];

/// The name of a parameter where space is short.
#[must_use]
pub fn short_name(name: &str) -> &str {
    // Of parameters that only change together the first stands for all.
    let first = name.split(", ").next().unwrap_or(name);
    SHORT
        .iter()
        .find(|(long, _)| *long == first)
        .map_or(first, |(_, short)| short)
}

/// A value in a label: bare words, and numbers with the short names of their parameters.
pub(super) fn part(name: &str, value: &str, is_numeric: bool) -> String {
    if is_numeric {
        format!("{} {value}", short_name(name))
    } else {
        value.to_owned()
    }
}

/// The parts that are not empty, with commas between.
#[must_use]
pub fn joined(parts: &[String]) -> String {
    let parts: Vec<&str> = parts
        .iter()
        .map(String::as_str)
        .filter(|part| !part.is_empty())
        .collect();
    parts.join(", ")
}

/// Labels of cells, each given as its parameters: names and values, in order.
///
/// A label has the values of those parameters that vary, `rows` and `cols` as a size such as `6x7`.
/// Of parameters that only change together the first is named. Cells that are equal are numbered,
/// so no two labels are the same. Where nothing varies, a label is empty or a number.
#[must_use]
pub fn distinct<S: AsRef<str>>(cells: &[Vec<(S, S)>]) -> Vec<String> {
    numbered(varying(cells))
}

/// As [`distinct`], with one label for cells that are equal.
#[must_use]
pub fn varying<S: AsRef<str>>(cells: &[Vec<(S, S)>]) -> Vec<String> {
    let cells: Vec<Vec<(&str, String)>> = cells.iter().map(|cell| sized(cell)).collect();
    let mut names: Vec<&str> = Vec::new();
    for (name, _) in cells.iter().flatten() {
        if !names.contains(name) {
            names.push(name);
        }
    }
    let mut kept: Vec<(&str, Vec<Option<&str>>)> = Vec::new();
    for name in names {
        let values: Vec<Option<&str>> = cells.iter().map(|cell| value_of(cell, name)).collect();
        let varies = values.iter().any(|value| *value != values[0]);
        if varies
            && !kept
                .iter()
                .any(|(_, known)| change_together(known, &values))
        {
            kept.push((name, values));
        }
    }
    let mut labels = vec![Vec::new(); cells.len()];
    for (name, values) in kept {
        let is_numeric = values
            .iter()
            .flatten()
            .all(|value| value.parse::<f64>().is_ok_and(f64::is_finite));
        for (label, value) in labels.iter_mut().zip(values) {
            label.push(value.map_or_else(String::new, |value| part(name, value, is_numeric)));
        }
    }
    labels.iter().map(|parts| joined(parts)).collect()
}

fn value_of<'a>(cell: &'a [(&str, String)], name: &str) -> Option<&'a str> {
    let found = cell.iter().find(|(known, _)| *known == name);
    found.map(|(_, value)| value.as_str())
}

/// The labels, those that occur again with a number.
fn numbered(labels: Vec<String>) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut known: BTreeSet<String> = labels.iter().cloned().collect();
    let mut next = |label: String| {
        let count = times.entry(label.clone()).or_insert(0);
        *count += 1;
        if *count == 1 {
            return label;
        }
        loop {
            let candidate = format!("{label} ({count})").trim_start().to_owned();
            if known.insert(candidate.clone()) {
                return candidate;
            }
            *count += 1;
        }
    };
    labels.into_iter().map(&mut next).collect()
}

/// A cell's parameters with `rows` and `cols` as one, `size`.
#[must_use]
pub fn sized<S: AsRef<str>>(cell: &[(S, S)]) -> Vec<(&str, String)> {
    let get = |name: &str| {
        let found = cell.iter().find(|(known, _)| known.as_ref() == name);
        found.map(|(_, value)| value.as_ref())
    };
    let size = get("rows").zip(get("cols"));
    let mut parameters = Vec::new();
    for (name, value) in cell {
        match (name.as_ref(), size) {
            ("cols", Some(_)) => {}
            ("rows", Some((rows, cols))) => parameters.push(("size", format!("{rows}x{cols}"))),
            (name, _) => parameters.push((name, value.as_ref().to_owned())),
        }
    }
    parameters
}

/// Whether either of two parameters determines the other.
fn change_together(a: &[Option<&str>], b: &[Option<&str>]) -> bool {
    let pairs: BTreeSet<_> = a.iter().zip(b).collect();
    let count = |values: &[Option<&str>]| values.iter().collect::<BTreeSet<_>>().len();
    pairs.len() == count(a) && pairs.len() == count(b)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn labels(cells: &[&str]) -> Vec<String> {
        let pair = |text: &str| {
            let (name, value) = text.split_once('=').unwrap();
            (name.to_owned(), value.replace('~', " "))
        };
        let cells: Vec<Vec<(String, String)>> = cells
            .iter()
            .map(|cell| cell.split_whitespace().map(pair).collect())
            .collect();
        distinct(&cells)
    }

    #[test]
    fn labels_are_what_varies_short_and_distinct() {
        let cases: [(&[&str], &[&str]); 6] = [
            (
                &[
                    "rules=original rows=6 cols=7 operator_rate=0.5 target=67",
                    "rules=original rows=6 cols=7 operator_rate=0.67 target=67",
                    "rules=gapless rows=7 cols=7 operator_rate=0.67 target=67",
                    "rules=gapless rows=6 cols=7 operator_rate=0.67 target=67",
                ],
                &[
                    "original, 6x7, rate 0.5",
                    "original, 6x7, rate 0.67",
                    "gapless, 7x7, rate 0.67",
                    "gapless, 6x7, rate 0.67",
                ],
            ),
            // Rules and target change together.
            (
                &[
                    "rules=a target=1 rows=3",
                    "rules=b target=2 rows=4",
                    "rules=b target=2 rows=3",
                ],
                &["a, rows 3", "b, rows 4", "b, rows 3"],
            ),
            (&["rows=3 cols=4"], &[""]),
            (
                &["a=1", "a=1", "a=2", "a=1"],
                &["a 1", "a 1 (2)", "a 2", "a 1 (3)"],
            ),
            (&["a=x", "a=x"], &["", "(2)"]),
            // A cell without the parameter.
            (&["a=x", "a=y b=2", "b=2"], &["x", "y, b 2", "b 2"]),
        ];
        for (cells, expected) in cases {
            assert_eq!(labels(cells), expected);
        }
        let many: Vec<String> = labels(&["p=1", "p=1", "p=1~(2)", "p=z"]);
        assert_eq!(many.iter().collect::<BTreeSet<_>>().len(), 4, "{many:?}");
    }
}
