//! What varies in rows of `cells.csv`, and what they are called by it in plots, tables and
//! messages: shortly, each differently.

use super::cells::{Cells, Record};
use super::schema;
use serde::Serialize;
use std::cmp::Ordering;
use std::collections::{BTreeMap, BTreeSet};
use tilelab_core::text::join;

/// The columns that a size joins.
pub const SIZE: [&str; 2] = ["rows", "cols"];

/// Parameters whose numbers are names: between two levels of Calculator is none.
pub const IDENTIFIERS: [&str; 1] = ["level"];

/// The parameters of a row of `cells.csv`, as [`distinct`] takes them.
pub fn parameters<'a>(row: &Record<'a>) -> Vec<(&'a str, &'a str)> {
    let row = *row;
    let names = row.header().filter(|name| schema::is_parameter(name));
    names
        .filter_map(|name| Some((name, row.get(name)?)))
        .collect()
}

/// The name of a parameter where space is short.
pub fn short_name(name: &str) -> &str {
    // The first of parameters that only change together stands for all.
    match name.split(", ").next().unwrap_or(name) {
        "operator_rate" => "rate",
        "tiles_per_turn" => "tiles",
        "value_limit" => "limit",
        "max_rounds" => "rounds",
        "four_rate" => "fours",
        first => first,
    }
}

/// The parts that are not empty, with commas between.
pub fn joined(parts: &[String]) -> String {
    let parts = parts.iter().filter(|part| !part.is_empty());
    join(parts.map(String::as_str), ", ")
}

/// Labels of cells, each given as its parameters: names and values, in order.
///
/// A label has the values of those parameters that vary, `rows` and `cols` as a size such as `6x7`.
/// Of parameters that only change together the first is named. Cells that are equal are numbered,
/// so no two labels are the same. Where nothing varies, a label is empty or a number.
pub fn distinct<S: AsRef<str>>(cells: &[Vec<(S, S)>]) -> Vec<String> {
    numbered(varying(cells))
}

/// Labels of cells as [`distinct`] makes them, but with one label for cells that are equal.
pub fn varying<S: AsRef<str>>(cells: &[Vec<(S, S)>]) -> Vec<String> {
    let cells: Vec<Vec<(&str, String)>> = cells.iter().map(|cell| sized(cell)).collect();
    let mut seen = BTreeSet::new();
    let names = cells.iter().flatten().map(|(name, _)| *name);
    let mut kept: Vec<Factor> = Vec::new();
    for name in names.filter(|name| seen.insert(*name)) {
        let values = cells.iter().map(|cell| value_of(cell, name));
        let factor = Factor::new(name, values.map(|value| value.map(str::to_owned)));
        let of_row = &factor.of_row;
        let varies = of_row.iter().any(|value| *value != of_row[0]);
        let mut known = kept.iter();
        if varies && !known.any(|known| change_together(&known.of_row, of_row)) {
            kept.push(factor);
        }
    }
    let kept: Vec<&Factor> = kept.iter().collect();
    (0..cells.len()).map(|cell| label(&kept, cell)).collect()
}

/// The value of a parameter of a cell.
fn value_of<'a>(cell: &'a [(impl AsRef<str>, impl AsRef<str>)], name: &str) -> Option<&'a str> {
    let found = cell.iter().find(|(known, _)| known.as_ref() == name);
    found.map(|(_, value)| value.as_ref())
}

/// The labels, those that occur again with a number.
fn numbered(labels: Vec<String>) -> Vec<String> {
    let mut times: BTreeMap<String, usize> = BTreeMap::new();
    let mut known: BTreeSet<String> = labels.iter().cloned().collect();
    let next = |label: String| {
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
    labels.into_iter().map(next).collect()
}

/// A cell's parameters with `rows` and `cols` as one, `size`.
pub fn sized<S: AsRef<str>>(cell: &[(S, S)]) -> Vec<(&str, String)> {
    let size = value_of(cell, "rows").zip(value_of(cell, "cols"));
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
fn change_together<T: Ord>(a: &[T], b: &[T]) -> bool {
    let pairs: BTreeSet<_> = a.iter().zip(b).collect();
    let count = |values: &[T]| values.iter().collect::<BTreeSet<_>>().len();
    pairs.len() == count(a) && pairs.len() == count(b)
}

fn is_number(value: &str) -> bool {
    value.parse::<f64>().is_ok_and(f64::is_finite)
}

/// What rows are called by the parameters that vary; rows that are equal have one name.
pub fn of_rows(rows: &[Record<'_>]) -> Vec<String> {
    varying(&rows.iter().map(parameters).collect::<Vec<_>>())
}

/// What pairs of rows are called by the parameters that vary: what both rows have, then what the
/// first and what the second has.
pub fn of_pairs(pairs: &[[Record<'_>; 2]]) -> Vec<[String; 3]> {
    let mut both = Vec::new();
    let mut sides = Vec::new();
    for [a, b] in pairs {
        let same = |name: &str| a.get(name) == b.get(name);
        // Rows and columns stay together, so that they are called a size.
        let is_common = |name: &str| {
            if SIZE.contains(&name) {
                SIZE.into_iter().all(same)
            } else {
                same(name)
            }
        };
        let (common, of_a): (Vec<_>, Vec<_>) = parameters(a)
            .into_iter()
            .partition(|(name, _)| is_common(name));
        let mut of_b = parameters(b);
        of_b.retain(|(name, _)| !is_common(name));
        both.push(common);
        sides.extend([of_a, of_b]);
    }
    let sides = varying(&sides);
    varying(&both)
        .into_iter()
        .zip(sides.chunks(2))
        .map(|(both, sides)| [both, sides[0].clone(), sides[1].clone()])
        .collect()
}

/// Something that was varied: a parameter, the player, the game, or the board's size.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Factor {
    /// The name of the factor.
    pub name: String,
    /// The distinct values of the factor; ascending where they are numbers or sizes, else in order
    /// of appearance.
    pub values: Vec<String>,
    /// For each row of the dataset, the index of its value; `None` where the row has none.
    pub of_row: Vec<Option<usize>>,
    /// Whether all values are numbers.
    pub numeric: bool,
    /// Whether the values have an order, so that a line may join neighbours: numbers, or sizes with
    /// different numbers of cells.
    pub ordered: bool,
}

impl Cells {
    /// The names of the columns that describe a cell beyond its table, key and seed.
    pub fn parameters(&self) -> Vec<&str> {
        self.columns()
            .filter(|name| schema::is_parameter(name))
            .collect()
    }

    /// What the rows differ in: each parameter with at least two values, `rows` and `cols` joined
    /// into `size`.
    ///
    /// Rows and columns stay apart where every combination of them occurs. Of several parameters
    /// that only change together the first stands for all, named after all.
    pub fn factors(&self) -> Vec<Factor> {
        let joined = self.sizes_are_joined();
        let mut factors: Vec<Factor> = Vec::new();
        for name in self.parameters() {
            let factor = match name {
                "cols" if joined => continue,
                "rows" if joined => self.size(),
                _ => Factor::new(
                    name,
                    self.records().map(|row| row.get(name).map(str::to_owned)),
                ),
            };
            if factor.values.len() < 2 {
                continue;
            }
            match factors.iter_mut().find(|known| known.changes_with(&factor)) {
                Some(known) => known.name = format!("{}, {}", known.name, factor.name),
                None => factors.push(factor),
            }
        }
        factors
    }

    /// `rows` and `cols` joined into one factor `size`.
    pub fn size(&self) -> Factor {
        Factor::new("size", self.records().map(|row| row.size()))
    }

    fn sizes_are_joined(&self) -> bool {
        let pairs = self.records().map(|row| SIZE.map(|name| row.get(name)));
        let pairs: BTreeSet<_> = pairs.collect();
        let [rows, cols] = [0, 1].map(|side| {
            let values: BTreeSet<_> = pairs.iter().map(|pair| pair[side]).collect();
            values.len()
        });
        let all_combinations = rows > 1 && cols > 1 && pairs.len() == rows * cols;
        let has = |name| self.columns().any(|column| column == name);
        SIZE.into_iter().all(has) && !all_combinations
    }
}

impl Factor {
    /// The factor of this name, from the value of each row.
    fn new(name: &str, of_rows: impl Iterator<Item = Option<String>>) -> Self {
        let of_rows: Vec<Option<String>> = of_rows.collect();
        let mut seen = BTreeSet::new();
        let known = of_rows.iter().flatten();
        let mut values: Vec<String> = known.filter(|value| seen.insert(*value)).cloned().collect();
        let numeric = values.iter().all(|value| is_number(value));
        let magnitude = |value: &String| match value.split_once('x') {
            Some((rows, cols)) if name == "size" => {
                Some((rows.parse::<f64>().ok()? * cols.parse::<f64>().ok()?, 0.0))
            }
            // Pairs of Offset.
            _ if name.starts_with("pair") => value
                .split_once(',')
                .and_then(|(p, q)| Some((p.parse().ok()?, q.parse().ok()?))),
            _ => value.parse().ok().map(|number| (number, 0.0)),
        };
        let is_scale = !IDENTIFIERS.contains(&name);
        let mut ordered = numeric && is_scale;
        if values.iter().all(|value| magnitude(value).is_some()) {
            let order = |a: &String, b: &String| magnitude(a).partial_cmp(&magnitude(b));
            values.sort_by(|a, b| order(a, b).unwrap_or(Ordering::Equal));
            ordered = is_scale && values.is_sorted_by(|a, b| order(a, b) == Some(Ordering::Less));
        }
        let indices: BTreeMap<&String, usize> = values.iter().zip(0..).collect();
        let of_row = of_rows.iter().map(|value| Some(indices[value.as_ref()?]));
        Self {
            name: name.to_owned(),
            of_row: of_row.collect(),
            values,
            numeric,
            ordered,
        }
    }

    /// Whether the two have the same pattern of values, so that either determines the other.
    fn changes_with(&self, other: &Self) -> bool {
        let are_given = |factor: &Self| factor.of_row.iter().all(Option::is_some);
        are_given(self) && are_given(other) && change_together(&self.of_row, &other.of_row)
    }
}

/// What distinguishes a row from others by these factors: bare words, and numbers with their short
/// names.
pub fn label(factors: &[&Factor], row: usize) -> String {
    joined(&parts(factors, row))
}

/// The parts of a row's label, one for each factor: bare words, and numbers with the short names of
/// their parameters; empty where the row has no value.
pub fn parts(factors: &[&Factor], row: usize) -> Vec<String> {
    let part = |factor: &&Factor| {
        let value = &factor.values[factor.of_row[row]?];
        Some(if factor.numeric {
            format!("{} {value}", short_name(&factor.name))
        } else {
            value.clone()
        })
    };
    factors
        .iter()
        .map(|factor| part(factor).unwrap_or_default())
        .collect()
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

    const HEAD: &str = "table,cell,game,player,seed,rules,rows,cols,rate,tiles,games,wins,win_pct,score_mean,error\n";

    fn names(text: &str) -> Vec<String> {
        let data = Cells::parse("x.csv", format!("{HEAD}{text}").as_bytes(), &[]).unwrap();
        data.factors()
            .into_iter()
            .map(|factor| format!("{}: {}", factor.name, factor.values.join(" ")))
            .collect()
    }

    #[test]
    fn what_varies_is_a_factor() {
        assert_eq!(
            names(
                "t,a,g,random,1,original,10,10,0.5,2,9,1,11,,\n\
                 t,b,g,random,1,original,6,7,0.5,2,9,1,11,,\n\
                 t,c,g,random,1,gapless,7,7,0.5,2,9,1,11,,\n"
            ),
            ["rules: original gapless", "size: 6x7 7x7 10x10"]
        );
    }

    #[test]
    fn a_full_grid_keeps_rows_and_columns_apart() {
        assert_eq!(
            names(
                "t,a,g,r,1,o,1,2,0.5,2,9,1,11,,\nt,b,g,r,1,o,1,3,0.5,2,9,1,11,,\nt,c,g,r,1,o,2,2,0.5,2,9,1,11,,\nt,d,g,r,1,o,2,3,0.5,2,9,1,11,,\n"
            ),
            ["rows: 1 2", "cols: 2 3"]
        );
    }

    #[test]
    fn what_changes_together_is_one_factor() {
        assert_eq!(
            names("t,a,g,r,1,o,4,4,0.7,4,9,1,11,,\nt,b,g,r,1,o,4,4,0.6,2,9,1,11,,\n"),
            ["rate, tiles: 0.6 0.7"]
        );
    }

    #[test]
    fn labels_name_numbers_only() {
        let text = format!(
            "{HEAD}t,a,g,r,1,o,4,4,0.7,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.6,2,9,1,11,,\nt,b,g,r,1,p,4,4,0.7,2,9,1,11,,\n"
        );
        let data = Cells::parse("x.csv", text.as_bytes(), &[]).unwrap();
        let factors = data.factors();
        assert_eq!(label(&factors.iter().collect::<Vec<_>>(), 2), "p, rate 0.7");
        assert_eq!(
            (data.get(0, "score_mean"), data.number(0, "win_pct")),
            (None, Some(11.0))
        );
    }
}
