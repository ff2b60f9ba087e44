//! `report.html`: one self-contained page with sortable tables, plots that respond, and everything
//! known about the run.
//!
//! All data are embedded as JSON; nothing is fetched. The page's script (`page.js`) and style
//! (`page.css`) stand beside this file.

use super::cells::{Cells, decimal};
use super::distributions::Distributions;
use super::factors::Factor;
use super::published::Published;
use super::schema::{self, COMPARED};
use crate::stats::{fisher_mid_p, normal_upper_quantile};
use serde::Serialize;
use serde_json::Value;
use std::borrow::Cow;

const SCRIPT: &str = include_str!("page.js");
const STYLE: &str = include_str!("page.css");

/// What a page is made of: the files of a results folder.
#[derive(Clone, Copy, Debug)]
pub struct Page<'a> {
    /// The experiment's name.
    pub name: &'a str,
    /// `cells.csv`.
    pub cells: &'a Cells,
    /// `distributions.csv`, if there is one.
    pub distributions: Option<&'a Distributions>,
    /// `published.csv`, if there is one.
    pub published: Option<&'a Published>,
    /// The text of the experiment file, if it was kept.
    pub experiment: Option<&'a str>,
    /// The text of `machine.txt`: lines `key: value`, if there is one.
    pub machine: Option<&'a str>,
}

/// Writes the page.
#[must_use]
pub fn page(contents: &Page<'_>) -> String {
    // `</script>` and `<!--` inside the data would end it early; JSON may write the sign as an
    // escape.
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

/// What the script is given; borrowed, so that a page of thousands of cells does not cost several
/// times its size.
#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    columns: Vec<&'a str>,
    rows: Vec<Vec<Cow<'a, str>>>,
    parameters: Vec<&'a str>,
    factors: Vec<Factor>,
    help: serde_json::Map<String, Value>,
    distributions: Option<Vec<Vec<u64>>>,
    /// The normal deviate of the confidence level.
    deviate: Option<f64>,
    experiment: Option<&'a str>,
    machine: Vec<(&'a str, &'a str)>,
}

fn json(contents: &Page<'_>) -> String {
    let cells = contents.cells;
    let help = schema::columns().chain(&COMPARED).map(|column| (column.name.to_owned(), column.help.into())).collect();
    let mut columns: Vec<&str> = cells.columns().collect();
    let mut rows: Vec<Vec<Cow<'_, str>>> =
        cells.records().map(|row| row.fields().map(Cow::Borrowed).collect()).collect();
    if let Some(published) = contents.published {
        columns.extend(schema::names(&COMPARED));
        for (fields, row) in rows.iter_mut().zip(0..) {
            fields.extend(compared(cells, published, row).map(Cow::Owned));
        }
    }
    let of_row = |row: usize| {
        let known = contents.distributions.map_or(&[][..], |known| known.of_record(&cells.record(row)));
        known.iter().flat_map(|bin| [bin.lower, bin.upper, bin.games]).collect()
    };
    let data = Data {
        name: contents.name,
        columns,
        rows,
        parameters: cells.parameters(),
        factors: cells.factors(),
        help,
        distributions: contents.distributions.map(|_| (0..cells.len()).map(of_row).collect()),
        deviate: cells
            .records()
            .find_map(|row| row.number("confidence"))
            .map(|level| normal_upper_quantile((1.0 - level) / 2.0)),
        experiment: contents.experiment,
        machine: contents.machine.unwrap_or("").lines().filter_map(|line| line.split_once(": ")).collect(),
    };
    serde_json::to_string(&data).expect("text and numbers can be written")
}

/// The fields of the columns [`COMPARED`] of a row; empty where nothing is published.
fn compared(cells: &Cells, published: &Published, row: usize) -> [String; 2] {
    let record = cells.record(row);
    let Some((wins, games)) = published.wins(&record) else { return Default::default() };
    let p = record.effective_wins().map(|measured| decimal(fisher_mid_p((wins, games), measured).0));
    [decimal(100.0 * wins as f64 / games as f64), p.unwrap_or_default()]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Cells {
        Cells::parse("x.csv", text.as_bytes(), &[]).unwrap()
    }

    #[test]
    fn data_cannot_end_the_script_and_nothing_is_fetched() {
        let cells = parse("table,cell,games\n</script><b>,a,1\n");
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
        let cells = parse("table,cell,games,wins\nt,a,4,1\nt,b,9,9\n");
        let published = Published::of(parse("table,cell,games,wins\nt,a,4,3\n")).unwrap();
        let [win_pct, p] = compared(&cells, &published, 0);
        assert_eq!(win_pct, "75");
        assert!((p.parse::<f64>().unwrap() - 18.0 / 70.0).abs() < 1e-12);
        assert_eq!(compared(&cells, &published, 1), [String::new(), String::new()]);
    }
}
