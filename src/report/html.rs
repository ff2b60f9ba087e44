//! `report.html`: one self-contained page with sortable tables, plots that respond, and everything known about the run.
//!
//! All data are embedded as JSON; nothing is fetched. The page's script (`page.js`) and style (`page.css`) stand beside this file.

use super::dataset::{Dataset, Factor};
use super::schema::{ADDED, Column, ERROR, Kind, LEADING, RESULTS, TWO_PLAYERS};
use crate::stats::fisher_exact;
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;
use std::collections::HashMap;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// Columns that the page adds where figures published elsewhere are known.
const PUBLISHED: [Column; 2] = [
    Column { name: "published_win_pct", kind: Kind::Number, help: "won games in percent as published elsewhere" },
    Column {
        name: "published_p",
        kind: Kind::Number,
        help: "Fisher's exact two-sided p-value of the hypothesis that both rates are the same",
    },
];

/// What a page is made of: the files of a results folder.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// `cells.csv`.
    pub cells: &'a Dataset,
    /// `distributions.csv`, if there is one.
    pub distributions: Option<&'a Dataset>,
    /// `published.csv`, if there is one.
    pub published: Option<&'a Dataset>,
    /// The text of the experiment file, if it was kept.
    pub experiment: Option<&'a str>,
    /// The text of `machine.txt`: lines `key: value`, if there is one.
    pub machine: Option<&'a str>,
}

/// Writes the page.
#[must_use]
pub fn page(contents: &Page<'_>) -> String {
    // `</script>` and `<!--` inside the data would end it early; JSON may write the sign as an escape.
    let data = json(contents).replace('<', "\\u003c");
    let title = contents.name.replace('&', "&amp;").replace('<', "&lt;");
    format!(
        "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
         <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
         <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – tilelab report</title>\n\
         <style>\n{STYLE}</style>\n</head>\n<body>\n<main id=\"page\"><noscript>This page shows its data by a script.</noscript></main>\n\
         <script type=\"application/json\" id=\"data\">{data}</script>\n<script>\n{SCRIPT}</script>\n</body>\n</html>\n"
    )
}

/// What the script is given; borrowed, so that a page of thousands of cells does not cost several times its size.
#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    columns: &'a [String],
    rows: &'a [Vec<String>],
    parameters: Vec<&'a str>,
    factors: Vec<Factor>,
    help: serde_json::Map<String, Value>,
    distributions: Option<Vec<Vec<u64>>>,
    experiment: Option<&'a str>,
    machine: Vec<(&'a str, &'a str)>,
}

fn json(contents: &Page<'_>) -> String {
    let cells = &with_published(contents.cells, contents.published);
    let help = [&LEADING[..], &RESULTS, &TWO_PLAYERS, &ADDED, &[ERROR]]
        .concat()
        .into_iter()
        .chain(PUBLISHED)
        .map(|Column { name, help, .. }| (name.to_owned(), help.into()))
        .collect();
    let data = Data {
        name: contents.name,
        columns: &cells.columns,
        rows: &cells.rows,
        parameters: cells.parameters(),
        factors: cells.factors(),
        help,
        distributions: contents.distributions.map(|known| distributions(cells, known)),
        experiment: contents.experiment,
        machine: contents.machine.unwrap_or("").lines().filter_map(|line| line.split_once(": ")).collect(),
    };
    serde_json::to_string(&data).expect("text and numbers can be written")
}

/// The cells with the published rates beside the measured ones.
fn with_published<'a>(cells: &'a Dataset, published: Option<&Dataset>) -> Cow<'a, Dataset> {
    let Some(published) = published else { return Cow::Borrowed(cells) };
    let mut joined = cells.clone();
    let mut known = HashMap::new();
    for row in 0..published.rows.len() {
        let count = |name| published.get(row, name)?.parse::<u64>().ok();
        if let (Some(wins), Some(games @ 1..)) = (count("wins"), count("games")) {
            known.insert((published.get(row, "table"), published.get(row, "cell")), (wins, games));
        }
    }
    joined.columns.extend(PUBLISHED.map(|column| column.name.to_owned()));
    for (row, fields) in joined.rows.iter_mut().enumerate() {
        let count = |name| cells.get(row, name)?.parse::<u64>().ok();
        let compared = known.get(&(cells.get(row, "table"), cells.get(row, "cell"))).map(|&(wins, games)| {
            let p = count("wins").zip(count("games")).map(|measured| fisher_exact((wins, games), measured));
            [(100.0 * wins as f64 / games as f64).to_string(), p.map(|p| p.to_string()).unwrap_or_default()]
        });
        fields.extend(compared.unwrap_or_default());
    }
    Cow::Owned(joined)
}

/// The distributions by row of the cells, as flat lists (count, games, count, games, …).
fn distributions(cells: &Dataset, known: &Dataset) -> Vec<Vec<u64>> {
    let mut rows = HashMap::new();
    for row in 0..known.rows.len() {
        rows.insert((known.get(row, "table"), known.get(row, "cell")), row);
    }
    let of_row = |row| {
        let found = rows.get(&(cells.get(row, "table"), cells.get(row, "cell")));
        found.map_or_else(Vec::new, |&row| known.distribution(row).into_iter().flat_map(<[u64; 2]>::from).collect())
    };
    (0..cells.rows.len()).map(of_row).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn data_cannot_end_the_script_and_nothing_is_fetched() {
        let cells = Dataset::parse(b"table,cell,games\n</script><b>,a,1\n").unwrap();
        let contents =
            Page { name: "a<b", cells: &cells, distributions: None, published: None, experiment: None, machine: None };
        let html = page(&contents);
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("<title>a&lt;b – "));
        for fetched in ["src=", "href=\"http", "@import", "url(", "fetch(", "XMLHttpRequest"] {
            assert!(!html.contains(fetched), "{fetched}");
        }
    }

    #[test]
    fn published_rates_stand_beside_the_measured_ones() {
        let cells = Dataset::parse(b"table,cell,games,wins\nt,a,4,1\nt,b,9,9\n").unwrap();
        let published = Dataset::parse(b"table,cell,games,wins\nt,a,4,3\n").unwrap();
        let joined = with_published(&cells, Some(&published));
        assert_eq!((joined.number(0, "published_win_pct"), joined.get(1, "published_win_pct")), (Some(75.0), None));
        assert!((joined.number(0, "published_p").unwrap() - 34.0 / 70.0).abs() < 1e-12);
        assert_eq!(*with_published(&cells, None), cells);
    }

    #[test]
    fn distributions_are_joined_by_table_and_cell() {
        let cells = Dataset::parse(b"table,cell\nt,a\nt,b\nu,a\n").unwrap();
        let known = Dataset::parse(b"table,cell,moves\nu,a,4:1\nt,a,3:9 5:2\n").unwrap();
        assert_eq!(distributions(&cells, &known), [vec![3, 9, 5, 2], vec![], vec![4, 1]]);
    }
}
