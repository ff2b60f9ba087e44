//! Published figures, read from a CSV file and matched to cells.

use super::Cell;
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use std::path::Path;
use tilelab_cells::published::unit;
use tilelab_games::params::ParamSpec;
use tilelab_output::files::{self, TEXT_BYTES_MAX};

/// What was published about a cell.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PublishedFigures {
    /// Games behind the figures.
    pub games: u64,
    /// Games won.
    pub wins: u64,
    /// The share of games won in percent, as text, empty where only the wins were published.
    #[serde(default)]
    pub win_pct: String,
    /// Mean move count, as text, empty where none was published.
    pub moves_mean: String,
    /// Mean move count of won games, as text, empty where none was published.
    pub moves_win_mean: String,
}

/// Columns that are figures; all others but `table` are parameters of the game.
const FIGURES: [&str; 5] = ["games", "wins", "win_pct", "moves_mean", "moves_win_mean"];

/// The most published games of a cell: far above any publication, and exact as a 64-bit float.
const GAMES_MAX: u64 = 1_000_000_000_000_000;

/// Finds for each row of the file with this table title the one cell that has its parameters;
/// returns the figures by the places of the cells. Where the cells are not known, the file is only
/// read.
///
/// # Errors
/// All problems of the file, one line each.
pub(super) fn figures(
    path: &Path,
    title: &str,
    cells: Option<&[Cell]>,
) -> Result<HashMap<usize, PublishedFigures>, Vec<String>> {
    let text = files::read_text(path, TEXT_BYTES_MAX).map_err(|error| vec![error])?;
    let Some(cells) = cells else {
        return Ok(HashMap::new());
    };
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader
        .headers()
        .map_err(|error| vec![error.to_string()])?
        .clone();
    let size_at = header.iter().position(|name| name == "size");
    let header = with_sides(&header, size_at, ["rows", "cols"]);
    let missing = ["table", "games", "wins"].into_iter();
    let missing = missing.filter(|column| !header.iter().any(|name| name == *column));
    let missing: Vec<String> = missing
        .map(|column| format!("the file has no column {column}"))
        .collect();
    if !missing.is_empty() {
        return Err(missing);
    }
    // The parameters that the file names, in its order; cells are found by their values.
    let spec_of = |name| cells.first()?.game.param(name);
    let specs: Vec<Option<&ParamSpec>> = header.iter().map(spec_of).collect();
    let mut unknown = Vec::new();
    for (name, spec) in header.iter().zip(&specs) {
        if spec.is_none() && name != "table" && !FIGURES.contains(&name) {
            unknown.push(format!(
                "the column {name} is neither a figure nor a parameter of the game"
            ));
        }
    }
    if !unknown.is_empty() {
        return Err(unknown);
    }
    let named: Vec<&str> = specs.iter().flatten().map(|spec| spec.name).collect();
    let mut places: HashMap<Vec<String>, usize> = HashMap::new();
    for (place, cell) in cells.iter().enumerate() {
        let values = named.iter().map(|name| cell.params.get(name).to_string());
        places.entry(values.collect()).or_insert(place);
    }
    let mut taken = HashMap::new();
    let mut found = HashMap::new();
    let mut problems = Vec::new();
    for (number, row) in reader.records().enumerate() {
        let number = number + 2;
        let row = row.map_err(|error| vec![error.to_string()])?;
        let size = size_at.map_or("", |at| &row[at]);
        let (rows, cols) = size.split_once('x').unwrap_or((size, ""));
        let row = with_sides(&row, size_at, [rows, cols]);
        let field = |column: &str| {
            let mut named = header.iter().zip(&row);
            let field = named.find(|(name, _)| *name == column);
            field.map_or("", |(_, text)| text)
        };
        if field("table") != title {
            continue;
        }
        let values: Option<Vec<String>> = specs
            .iter()
            .zip(&row)
            .filter_map(|(spec, text)| {
                spec.map(|spec| spec.parse(text).map(|value| value.to_string()))
            })
            .collect();
        let place = values.and_then(|values| places.get(&values));
        match (published(field), place) {
            (Err(message), _) => problems.push(format!("row {number} of the file: {message}")),
            (Ok(_), None) => problems.push(format!(
                "row {number} of the file matches no cell of the table {title:?}"
            )),
            (Ok(figures), Some(&place)) => {
                if let Some(earlier) = taken.insert(place, number) {
                    problems.push(format!(
                        "row {number} of the file is about the same cell as row {earlier}"
                    ));
                }
                found.insert(place, figures);
            }
        }
    }
    if found.is_empty() && problems.is_empty() {
        problems.push(format!("the file has no row whose table is {title:?}"));
    }
    if problems.is_empty() {
        Ok(found)
    } else {
        Err(problems)
    }
}

/// A record in which the column `size`, if there is one, is two.
fn with_sides(
    record: &csv::StringRecord,
    size_at: Option<usize>,
    sides: [&str; 2],
) -> csv::StringRecord {
    let fields = record.iter().enumerate();
    let fields = fields.flat_map(|(at, field)| match Some(at) == size_at {
        true => sides.to_vec(),
        false => vec![field],
    });
    fields.collect()
}

/// The figures of a row, when they do not contradict each other.
fn published<'a>(field: impl Fn(&str) -> &'a str) -> Result<PublishedFigures, String> {
    let count = |name| {
        let text = field(name);
        let count = text.parse::<u64>();
        count.map_err(|_| format!("{name} = {text:?} is not a count"))
    };
    let mean = |name| {
        let text = field(name);
        let is_mean = |mean: f64| mean.is_finite() && mean >= 0.0;
        if text.is_empty() || text.parse().is_ok_and(is_mean) {
            Ok(text.to_owned())
        } else {
            Err(format!("{name} = {text:?} is not a number from 0 up"))
        }
    };
    let figures = PublishedFigures {
        games: count("games")?,
        wins: count("wins")?,
        win_pct: field("win_pct").to_owned(),
        moves_mean: mean("moves_mean")?,
        moves_win_mean: mean("moves_win_mean")?,
    };
    let PublishedFigures { games, wins, .. } = figures;
    let percent = &figures.win_pct;
    if !(1..=GAMES_MAX).contains(&games) {
        return Err(format!(
            "games = {games}: not accepted; accepted: 1 to {GAMES_MAX}"
        ));
    }
    if wins > games {
        return Err(format!("{wins} wins of {games} games is impossible"));
    }
    if !percent.is_empty() && !is_rounded(percent, 100.0 * wins as f64 / games as f64) {
        return Err(format!(
            "win_pct = {percent:?} contradicts {wins} wins of {games} games"
        ));
    }
    Ok(figures)
}

/// Whether the text is this number to as many decimals as it has, rounded or cut.
fn is_rounded(text: &str, number: f64) -> bool {
    let written = text.parse::<f64>();
    written.is_ok_and(|written| (written - number).abs() <= unit(text).max(1e-9))
}
