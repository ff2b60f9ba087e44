//! `report.html`: one self-contained page with tables that can be sorted, plots that can be zoomed,
//! and everything known about the run.
//!
//! All data are embedded as JSON; nothing is fetched. What the plots show, with axes and ticks, is
//! decided here and in [`super::plots`]; the page's script (`page/page.js`) draws it as SVG.

use super::cells::{Cells, decimal, number};
use super::folder::Results;
use super::forfeits;
use super::labels::Factor;
use super::published::Published;
use super::quote;
use super::schema::{self, COMPARED};
use crate::plots::lines::{LINES_MAX, Lines};
use crate::plots::scale::{Axis, Span, axes, number_text, suits_log};
use crate::plots::survival::{Curves, curves};
use crate::plots::{Grids, grids, interval_note, light_colours, page_colours, shades};
use serde::Serialize;
use serde_json::Number;
use std::borrow::Cow;
use std::collections::{BTreeMap, BTreeSet, HashMap};
use tilelab_games::text::join;
use tilelab_stats::{fisher_mid_p, normal_upper_quantile};

const SCRIPT: &str = include_str!("page/page.js");
const STYLE: &str = include_str!("page/page.css");

impl Results {
    /// The page.
    pub fn page(&self) -> String {
        // `</script>` and `<!--` inside the data would end it early; JSON may write the sign as an
        // escape.
        let data = json(self).replace('<', "\\u003c");
        let title = self.name.replace('&', "&amp;").replace('<', "&lt;");
        let colours = page_colours();
        format!(
            "<!doctype html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n\
             <meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n\
             <meta name=\"color-scheme\" content=\"light dark\">\n<title>{title} – tilelab report</title>\n\
             <style>\n{colours}{STYLE}</style>\n</head>\n<body>\n\
             <main id=\"page\"><noscript>This page needs JavaScript.</noscript></main>\n\
             <script type=\"application/json\" id=\"data\">{data}</script>\n\
             <script>\n{SCRIPT}</script>\n</body>\n</html>\n"
        )
    }
}

/// What the script is given; borrowed, so that a page of thousands of cells does not cost several
/// times its size.
#[derive(Serialize)]
struct Data<'a> {
    name: &'a str,
    /// What the results say, in a sentence.
    quote: Option<String>,
    /// What the results lack.
    lacking: Option<&'a str>,
    /// The line below the title.
    lead: Vec<String>,
    columns: Vec<PageColumn<'a>>,
    /// Columns of the table unless every column is asked for.
    shown: Vec<&'a str>,
    factors: &'a [Factor],
    figures: Vec<Figure>,
    lines: Vec<Lines>,
    grids: Vec<Grids>,
    /// The plot shown first: an index of `lines`, then of `grids`.
    first: usize,
    curves: Option<Curves>,
    panels_max: usize,
    lines_max: usize,
    /// The colours of heat maps, each with the ink of text on it.
    shades: Vec<[String; 2]>,
    /// The colours of saved pictures.
    colours: BTreeMap<&'static str, &'static str>,
    /// Where the data are from, for saved pictures.
    source: String,
    experiment: Option<&'a str>,
    machine: Vec<(&'a str, &'a str)>,
}

/// A column of `cells.csv`, by rows.
#[derive(Serialize)]
struct PageColumn<'a> {
    name: &'a str,
    help: Option<&'static str>,
    #[serde(flatten)]
    values: PageValues<'a>,
}

#[derive(Serialize)]
#[serde(rename_all = "lowercase")]
enum PageValues<'a> {
    Numbers(Vec<Option<Number>>),
    /// The different texts, and the index of each row's.
    Texts(Vec<&'a str>, Vec<usize>),
}

/// A measured figure that plots can show.
#[derive(Serialize)]
struct Figure {
    /// The name of the figure's column.
    name: String,
    /// What an axis says.
    title: String,
    /// The columns of the figure's interval.
    interval: Option<[String; 2]>,
    /// The column of the figure's standard error, and how many of them a bar reaches to each side.
    error: Option<(String, f64)>,
    /// Whether a logarithmic scale shows more.
    log: bool,
    /// Axes that hold all rows or those of a value of a factor, with their intervals: the page
    /// takes the tightest that holds what it shows.
    axes: Vec<Axis>,
    /// Axes for colours, which have no intervals: they hold all rows or those of a value of a
    /// factor.
    colours: Vec<Axis>,
    /// What the bars are.
    note: String,
}

/// Panels drawn at a time: more would make a filter slow.
const PANELS_SHOWN: usize = 6;
/// Whole numbers beyond this are not numbers of JavaScript.
const WHOLE_MAX: u64 = 1 << 53;

fn json(contents: &Results) -> String {
    let cells = &contents.cells;
    let mut names: Vec<_> = cells.columns().collect();
    let mut rows: Vec<Vec<_>> = cells
        .records()
        .map(|row| row.fields().map(Cow::Borrowed).collect())
        .collect();
    if let Some(published) = &contents.published {
        names.extend(schema::names(&COMPARED));
        for (fields, row) in rows.iter_mut().zip(0..) {
            fields.extend(compared(cells, published, row).map(Cow::Owned));
        }
    }
    let fields = |at: usize| {
        rows.iter()
            .map(move |row| row.get(at).map_or("", Cow::as_ref))
    };
    let columns: Vec<_> = names
        .iter()
        .enumerate()
        .map(|(at, name)| PageColumn {
            name,
            help: help(name),
            values: PageValues::of(name, fields(at)),
        })
        .collect();
    let factors = cells.factors();
    let lines: Vec<Lines> = (0..factors.len())
        .filter_map(|swept| Lines::of(cells, &factors, swept))
        .collect();
    let grids = grids(cells, &factors);
    let machine: Vec<_> = contents
        .machine
        .iter()
        .flat_map(|text| text.lines())
        .filter_map(|line| line.split_once(": "))
        .collect();
    let lacking = contents.lacking();
    let lacking = lacking.as_deref();
    let data = Data {
        name: &contents.name,
        quote: quote::quote(cells),
        lacking,
        lead: lead(contents, &machine),
        shown: shown(&columns),
        figures: figures(cells, &columns, &factors),
        columns,
        factors: &factors,
        first: first_plot(&lines, &grids),
        lines,
        grids,
        curves: (contents.distributions.as_ref()).map(|distributions| curves(cells, distributions)),
        panels_max: PANELS_SHOWN,
        lines_max: LINES_MAX,
        shades: shades(),
        colours: light_colours(),
        source: source(contents, lacking, &machine),
        experiment: contents.experiment.as_deref(),
        machine,
    };
    serde_json::to_string(&data).expect("text and numbers can be written")
}

fn help(name: &str) -> Option<&'static str> {
    schema::columns()
        .chain(&COMPARED)
        .find(|column| column.name == name)
        .map(|column| column.help)
}

impl<'a> PageValues<'a> {
    fn of(name: &str, fields: impl Iterator<Item = &'a str> + Clone) -> Self {
        let number = |field: &str| -> Option<Option<Number>> {
            if field.is_empty() {
                return Some(None);
            }
            match field.parse::<u64>() {
                Ok(whole) => (whole <= WHOLE_MAX).then(|| Some(whole.into())),
                Err(_) => Number::from_f64(field.parse().ok()?).map(Some),
            }
        };
        let names_a_cell = schema::is_parameter(name) || ["table", "cell", "seed"].contains(&name);
        if !names_a_cell && let Some(numbers) = fields.clone().map(number).collect() {
            return Self::Numbers(numbers);
        }
        let mut places = HashMap::new();
        let mut texts = Vec::new();
        let of = fields.map(|field| {
            *places.entry(field).or_insert_with(|| {
                texts.push(field);
                texts.len() - 1
            })
        });
        let of = of.collect();
        Self::Texts(texts, of)
    }

    fn varies(&self) -> bool {
        matches!(self, Self::Texts(texts, _) if texts.len() > 1)
    }

    fn is_empty(&self) -> bool {
        match self {
            Self::Numbers(numbers) => numbers.iter().all(Option::is_none),
            Self::Texts(texts, _) => texts.iter().all(|text| text.is_empty()),
        }
    }
}

/// The columns of the table: what varies, and the figures that most people ask for.
fn shown<'a>(columns: &[PageColumn<'a>]) -> Vec<&'a str> {
    const ASKED: [&str; 18] = [
        "games",
        "wins",
        "win_pct",
        "win_pct_lo",
        "win_pct_hi",
        "draws",
        "effective_games",
        "moves_mean",
        "moves_mean_se",
        "moves_win_mean",
        "moves_p50",
        "moves_p99",
        "moves_max",
        "published_win_pct",
        "published_p",
        "forfeited",
        "stopped",
        "error",
    ];
    columns
        .iter()
        .filter(|column| {
            let name = column.name;
            if name == "table" || schema::is_parameter(name) {
                return column.values.varies();
            }
            let is_measure = name.ends_with("_mean") || name.contains("_ge_");
            !column.values.is_empty() && (ASKED.contains(&name) || is_measure)
        })
        .map(|column| column.name)
        .collect()
}

fn figures(cells: &Cells, columns: &[PageColumn<'_>], factors: &[Factor]) -> Vec<Figure> {
    let confidence = cells.records().find_map(|row| row.number("confidence"));
    let numbers_of = |name: &str| {
        let column = columns.iter().find(|column| column.name == name)?;
        match &column.values {
            PageValues::Numbers(numbers) => Some(numbers),
            PageValues::Texts(..) => None,
        }
    };
    let has = |name: &str| numbers_of(name).is_some();
    // The rows of each value that a filter may choose.
    let mut parts = BTreeSet::new();
    for factor in factors {
        let mut of_value = vec![Vec::new(); factor.values.len()];
        for (row, value) in factor.of_row.iter().enumerate() {
            if let Some(value) = value {
                of_value[*value].push(row);
            }
        }
        parts.extend(of_value);
    }
    let titles = cells.titles();
    parts.extend(titles.iter().map(|title| {
        (0..cells.len())
            .filter(|row| cells.get(*row, "table").unwrap_or("") == *title)
            .collect()
    }));
    let part_of_another = ["_se", "_lo", "_hi", "_p"];
    let figure = |column: &PageColumn<'_>| {
        let name = column.name;
        let PageValues::Numbers(numbers) = &column.values else {
            return None;
        };
        let is_part = part_of_another.iter().any(|ending| name.ends_with(ending));
        if is_part || name == "confidence" || column.values.is_empty() {
            return None;
        }
        let stem = if name == "points_mean" {
            "points"
        } else {
            name
        };
        let interval = ["lo", "hi"].map(|end| format!("{stem}_{end}"));
        let interval = interval.iter().all(|end| has(end)).then_some(interval);
        let error = Some(format!("{name}_se"))
            .filter(|error| interval.is_none() && has(error))
            .zip(confidence.map(|level| normal_upper_quantile((1.0 - level) / 2.0)));
        let level = confidence.map_or(String::new(), |level| number_text(100.0 * level) + " % ");
        let note = match (&interval, &error) {
            (Some(_), _) if name == "win_pct" => format!("Bars: {}", interval_note(cells)),
            (Some(_), _) => {
                let method = match name {
                    "points_mean" => {
                        "Student's t over the pairs and two more, one like the best and one like the worst"
                    }
                    "estimate" => "corrected for stopping",
                    _ => "Hall's, for skewed data",
                };
                format!("Bars: {level}interval ({method}).")
            }
            (None, Some((_, deviate))) => format!(
                "Bars: {level}interval (mean ± {} standard errors).",
                number_text((deviate * 100.0).round() / 100.0)
            ),
            (None, None) => String::new(),
        };
        // Intervals as the page has them: `boundsOf` in its script.
        let at = |name: &str, row: usize| numbers_of(name)?[row].as_ref()?.as_f64();
        let span = |(row, number): (usize, &Option<Number>)| {
            let value = number.as_ref()?.as_f64()?;
            let [lo, hi] = match (&interval, &error) {
                (Some(ends), _) => ends.each_ref().map(|end| at(end, row).unwrap_or(value)),
                (None, Some((name, deviate))) => {
                    let reach = at(name, row).unwrap_or(0.0) * deviate;
                    [value - reach, value + reach]
                }
                (None, None) => [value; 2],
            };
            Some(Span { value, lo, hi })
        };
        let spans: Vec<_> = numbers.iter().enumerate().map(span).collect();
        let points: Vec<_> = spans
            .iter()
            .map(|span| span.map(|span| Span::point(span.value)))
            .collect();
        let most = if name.ends_with("_pct") {
            100.0
        } else {
            f64::INFINITY
        };
        Some(Figure {
            axes: axes(&spans, most, parts.iter().cloned()),
            colours: axes(&points, most, parts.iter().cloned()),
            title: match name.strip_suffix("_pct") {
                Some("win") => "games won, %".to_owned(),
                Some(share) => share.replace('_', " ") + ", %",
                None => name.replace('_', " "),
            },
            name: name.to_owned(),
            interval,
            error,
            log: suits_log(spans.iter().flatten().map(|span| span.value)),
            note,
        })
    };
    let mut found: Vec<Figure> = columns.iter().filter_map(figure).collect();
    // The win rate is what most people ask for.
    found.sort_by_key(|figure| figure.name != "win_pct");
    found
}

/// The plot to begin with: of those whose lines can be told apart the one with the longest lines,
/// else the heat map with the most cells.
fn first_plot(lines: &[Lines], grids: &[Grids]) -> usize {
    let legible = lines.iter().enumerate().filter(|(_, plot)| {
        let most = plot.panels.iter().map(|panel| panel.lines.len()).max();
        plot.panels.len() <= PANELS_SHOWN && most.unwrap_or(0) <= LINES_MAX
    });
    let longest = legible.max_by_key(|(at, plot)| {
        let first = std::cmp::Reverse(*at);
        (plot.axis.ordered, plot.axis.places.len(), first)
    });
    let size = |grid: &Grids| -> usize { grid.panels.iter().map(|panel| panel.rows.len()).sum() };
    let largest = (0..grids.len()).max_by_key(|&at| (size(&grids[at]), std::cmp::Reverse(at)));
    match (longest, largest) {
        (Some((at, _)), _) => at,
        (None, Some(at)) => lines.len() + at,
        (None, None) => 0,
    }
}

/// What holds for the whole run, in a line.
fn lead(contents: &Results, machine: &[(&str, &str)]) -> Vec<String> {
    let cells = &contents.cells;
    let counted = |count: f64, name: &str| {
        let plural = if count == 1.0 { "" } else { "s" };
        format!("{} {name}{plural}", number_text(count))
    };
    let seeds: BTreeSet<_> = cells.records().filter_map(|row| row.get("seed")).collect();
    let mut lead = vec![
        counted(cells.len() as f64, "cell"),
        counted(games(cells), "game"),
        format!("seed {}", join(seeds, ", ")),
        format!("{} confidence", cells.confidence_text()),
    ];
    let rows: Vec<_> = cells.records().collect();
    lead.extend(
        forfeits::of_rows(&rows, contents.standings.as_ref())
            .iter()
            .map(ToString::to_string),
    );
    lead.extend(version(machine));
    lead
}

/// How many games the cells have.
fn games(cells: &Cells) -> f64 {
    cells
        .records()
        .filter_map(|row| row.count("games"))
        .sum::<u64>() as f64
}

/// The program that played, if it is known.
fn version(machine: &[(&str, &str)]) -> Option<String> {
    let (_, version) = machine.iter().find(|(key, _)| *key == "version")?;
    Some(format!("tilelab {version}"))
}

/// Where a picture's data are from.
fn source(contents: &Results, lacking: Option<&str>, machine: &[(&str, &str)]) -> String {
    let games = number_text(games(&contents.cells));
    let program = version(machine).unwrap_or_else(|| "tilelab".to_owned());
    let lacking = lacking.map_or_else(String::new, |lacking| format!(", {lacking}"));
    format!(
        "Source: {}, {games} games, {program}{lacking}.",
        contents.name
    )
}

/// The fields of the columns [`COMPARED`] of a row; empty where nothing is published.
fn compared(cells: &Cells, published: &Published, row: usize) -> [String; 2] {
    let record = cells.record(row);
    let Some((wins, games)) = published.wins(&record) else {
        return Default::default();
    };
    let measured = record.effective_wins();
    let p = measured.map(|measured| fisher_mid_p((wins, games), measured).0);
    [decimal(100.0 * wins as f64 / games as f64), number(p)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(text: &str) -> Cells {
        Cells::parse("x.csv", text.as_bytes(), &[]).unwrap()
    }

    fn contents(name: &str, cells: Cells) -> Results {
        Results {
            name: name.to_owned(),
            cells,
            unfinished: None,
            distributions: None,
            standings: None,
            published: None,
            times: None,
            experiment: None,
            machine: None,
        }
    }

    #[test]
    fn data_cannot_end_the_script_and_nothing_is_fetched() {
        let cells = parse("table,cell,games\n</script><b>,a,1\n");
        let html = contents("a<b", cells).page();
        assert_eq!(html.matches("</script>").count(), 2);
        assert!(html.contains("<title>a&lt;b – "));
        for fetched in [
            "src=",
            "href=\"http",
            "@import",
            "url(",
            "fetch(",
            "XMLHttpRequest",
        ] {
            assert!(!html.contains(fetched), "{fetched}");
        }
    }

    /// Each interval is named by its own method.
    #[test]
    fn bars_of_a_match_are_those_of_its_tables() {
        let cells = parse(
            "table,cell,points_mean,points_mean_se,points_lo,points_hi,moves_win_mean,\
             moves_win_mean_lo,moves_win_mean_hi,estimate,estimate_lo,estimate_hi,confidence\n\
             t,a,0.7,0.1,0.5,0.8,12,11,14,0.6,0.4,0.8,0.95\n",
        );
        let html = contents("x", cells).page();
        for (stem, method) in [
            (
                "points",
                "Student's t over the pairs and two more, one like the best and one like the worst",
            ),
            ("moves_win_mean", "Hall's, for skewed data"),
            ("estimate", "corrected for stopping"),
        ] {
            let wanted =
                format!(r#""interval":["{stem}_lo","{stem}_hi"],"error":null,"log":false,"#);
            assert!(html.contains(&wanted), "{wanted}");
            let wanted = format!(r#""note":"Bars: 95 % interval ({method}).""#);
            assert!(html.contains(&wanted), "{wanted}");
        }
    }

    #[test]
    fn published_rates_stand_beside_the_measured_ones() {
        let cells = parse("table,cell,games,wins\nt,a,4,1\nt,b,9,9\n");
        let published = Published::of(parse("table,cell,games,wins\nt,a,4,3\n")).unwrap();
        let [win_pct, p] = compared(&cells, &published, 0);
        assert_eq!(win_pct, "75");
        assert!((p.parse::<f64>().unwrap() - 18.0 / 70.0).abs() < 1e-12);
        assert_eq!(
            compared(&cells, &published, 1),
            [String::new(), String::new()]
        );
    }
}
