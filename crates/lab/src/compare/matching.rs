//! Which rows of two results belong together.

use crate::report::cells::{Cells, Record};
use crate::report::figures::distinct;
use crate::report::labels::SIZE;
use crate::report::schema;
use std::collections::{HashMap, HashSet};

/// Columns with their fields.
type Fields<'a> = Vec<(&'a str, &'a str)>;

/// What rows are matched by: columns, and whether game and rules as well.
const KEYS: [(&[&str], bool); 5] = [
    (&["table", "cell"], false),
    (&["cell"], false),
    (&["table", "lanes", "method"], true),
    (&["lanes", "method"], true),
    (&[], true),
];

/// The fields of a row in some columns, with the lanes and the method only where they are not
/// plain, and its game and rules if wanted.
fn fields<'a>(row: &Record<'a>, names: &'static [&str], with_rules: bool) -> Fields<'a> {
    let field = |name: &&'static str| Some((*name, row.get(name)?));
    let is_special = |field: &(&str, &str)| ![("lanes", "1"), ("method", "plain")].contains(field);
    let rules = with_rules.then(|| row.rules());
    let named = names.iter().filter_map(field).filter(is_special);
    named.chain(rules.into_iter().flatten()).collect()
}

/// The rows of cells, one of each cell that several tables show.
fn rows<'a>(cells: &'a Cells) -> Vec<Record<'a>> {
    let mut seen = HashSet::new();
    let is_new = |row: &Record<'a>| seen.insert(["cell", "seed"].map(|name| row.get(name)));
    cells.records().filter(is_new).collect()
}

/// Which rows of two results belong together.
#[derive(Debug, Default)]
pub struct Matched<'a> {
    /// A row of A and the row of B that it is compared with.
    pub pairs: Vec<(Record<'a>, Record<'a>)>,
    /// Rows of A without one of B.
    pub only_a: Vec<Record<'a>>,
    /// Rows of B without one of A.
    pub only_b: Vec<Record<'a>>,
}

impl<'a> Matched<'a> {
    /// Matches rows by table and cell, then by cell, then by game and rules where each side has one
    /// such row left: those estimated in the same way first.
    pub(super) fn of(a: &'a Cells, b: &'a Cells) -> Self {
        let mut left_a: Vec<_> = rows(a).into_iter().map(Some).collect();
        let mut left_b: Vec<_> = rows(b).into_iter().map(Some).collect();
        let mut pairs: Vec<(usize, Record<'a>, Record<'a>)> = Vec::new();
        for (names, with_rules) in KEYS {
            // The places of the rows of both sides that are left.
            let mut places = HashMap::<Fields<'a>, [Vec<usize>; 2]>::new();
            for (side, rows) in [&left_a, &left_b].into_iter().enumerate() {
                for (at, row) in rows.iter().enumerate() {
                    if let Some(row) = row {
                        let key = fields(row, names, with_rules);
                        places.entry(key).or_default()[side].push(at);
                    }
                }
            }
            for places in places.into_values() {
                if let [&[at_a], &[at_b]] = places.each_ref().map(Vec::as_slice)
                    && let (Some(row_a), Some(row_b)) = (left_a[at_a].take(), left_b[at_b].take())
                {
                    pairs.push((at_a, row_a, row_b));
                }
            }
        }
        pairs.sort_by_key(|(at, _, _)| *at);
        Self {
            pairs: pairs.into_iter().map(|(_, a, b)| (a, b)).collect(),
            only_a: left_a.into_iter().flatten().collect(),
            only_b: left_b.into_iter().flatten().collect(),
        }
    }

    /// Pairs each row with the row that differs from it in the column `by` only and has the
    /// baseline's value there, for [`super::Side::by`].
    pub(super) fn within(
        cells: &'a Cells,
        by: &str,
        baseline: Option<&str>,
    ) -> Result<Self, String> {
        let mut known = cells.parameters();
        known.extend(cells.columns().filter(|name| schema::is_of_player(name)));
        let mut accepted = known.clone();
        let has_size = SIZE.iter().all(|name| known.contains(name));
        if has_size {
            accepted.insert(0, "size");
        }
        if !accepted.contains(&by) {
            return Err(format!(
                "--by {by}: no such parameter; accepted: {}",
                accepted.join(", ")
            ));
        }
        let value = |row: &Record<'a>| match by {
            // The column `player` is the label of both; the first player's is before the slash.
            "player" => row.players().next().map(str::to_owned),
            "size" => row.size(),
            _ => row.get(by).map(str::to_owned),
        };
        let all = rows(cells);
        let given = baseline.map(str::to_owned);
        let Some(baseline) = given.or_else(|| all.iter().find_map(value)) else {
            return Err(format!("--by {by}: no cell has a value of it"));
        };
        let has_value = |row: &Record<'a>| value(row).as_ref() == Some(&baseline);
        // A plain name stands for the player with any parameters, unless it is a whole label.
        let is_label = all.iter().any(has_value);
        let is_baseline = |row: &Record<'a>| {
            has_value(row)
                || by == "player" && !is_label && row.get("player_name") == Some(&baseline)
        };
        let varies = |name: &str| match by {
            // The players' own columns go with the player.
            "player" => name == "player" || name.starts_with("player_"),
            "size" => SIZE.contains(&name),
            _ => name == by || schema::is_of_player(by) && name == "player",
        };
        let others: Vec<&str> = known.iter().copied().filter(|name| !varies(name)).collect();
        let goes_with =
            |a: &Record<'_>, b: &Record<'_>| others.iter().all(|name| a.get(name) == b.get(name));
        let (bases, rest): (Vec<_>, Vec<_>) = all.iter().copied().partition(is_baseline);
        if bases.is_empty() {
            let values: Vec<String> = all.iter().filter_map(value).collect();
            return Err(format!(
                "--baseline {baseline}: no cell has it as {by}; accepted: {}",
                distinct(values.iter().map(String::as_str)).join(", ")
            ));
        }
        let pair = |b| Some((*bases.iter().find(|a| goes_with(a, &b))?, b));
        let pairs: Vec<_> = rest.into_iter().filter_map(pair).collect();
        if pairs.is_empty() {
            return Err(format!(
                "--by {by}: no cell differs from one with {by} = {baseline} only in {by}"
            ));
        }
        Ok(Self {
            pairs,
            ..Self::default()
        })
    }
}
