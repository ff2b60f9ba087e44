//! `table.md`: the tables of a results folder for people, from its CSV files alone.

use super::cells::{Cells, Record};
use super::published::{Comparison, Published};
use super::table::{Align, Table};
use super::text::plain;
use super::times::Times;
use std::fmt::Write;

/// All tables of a file as Markdown, with the notes that explain them.
#[must_use]
pub fn tables(cells: &Cells, published: Option<&Published>, times: Option<&Times>) -> String {
    let mut text = String::new();
    for title in cells.titles() {
        let rows: Vec<Record<'_>> =
            cells.records().filter(|row| row.get("table").unwrap_or_default() == title).collect();
        write_table(&mut text, title, &rows, published, times);
    }
    let seeds = distinct(cells.records().filter_map(|row| row.get("seed")));
    let _ = writeln!(
        text,
        "Win %: share of won games with its {} interval (Clopper–Pearson). ± is one standard error. Seed {}.",
        cells.confidence_text(),
        seeds.join(", ")
    );
    let shared: Vec<Record<'_>> = cells.records().filter(|row| row.get("trajectories").is_some()).collect();
    if !shared.is_empty() {
        let _ = writeln!(
            text,
            "Rows with effective games: {} games at a time share one trajectory of kinds, each with its own digits. The trajectory counts, not the \
             game: intervals (Wilson's with the effective number of games and Student's t) and standard errors are cluster-robust.",
            distinct(shared.iter().filter_map(|row| row.get("lanes"))).join(" or ")
        );
    }
    let is_timed = |times: &&Times| times.are_noticeable(&cells.records().collect::<Vec<_>>());
    if times.filter(is_timed).is_some() {
        let _ = writeln!(text, "A move's time is that of one thread on a processor, the rules' own work included.");
    }
    if published.is_some() {
        let _ = writeln!(
            text,
            "Published: the figure it is compared with, and Fisher's exact two-sided p-value for equal rates; \
             **no** marks p < 0.01."
        );
    }
    text
}

/// The different values, in order of appearance.
pub(crate) fn distinct<'a>(values: impl Iterator<Item = &'a str>) -> Vec<&'a str> {
    let mut seen = Vec::new();
    for value in values {
        if !seen.contains(&value) {
            seen.push(value);
        }
    }
    seen
}

fn write_table(
    text: &mut String,
    title: &str,
    rows: &[Record<'_>],
    published: Option<&Published>,
    times: Option<&Times>,
) {
    let parameters: Vec<&str> = rows[0].header().take_while(|name| *name != "games").collect();
    let values = |name: &str| distinct(rows.iter().filter_map(|row| row.get(name)));
    let varying: Vec<&str> = parameters
        .iter()
        .copied()
        .filter(|name| !["table", "cell", "seed"].contains(name) && values(name).len() > 1)
        .collect();
    let fixed: Vec<String> = parameters
        .iter()
        .filter(|name| !["table", "cell", "seed"].contains(name) && !varying.contains(name))
        .filter_map(|name| {
            let value = rows[0].get(name)?;
            let leading = ["game", "player"].contains(name);
            Some(if leading { format!("{name} {value}") } else { format!("{name} = {value}") })
        })
        .collect();
    let two_seats = rows.iter().any(|row| row.get("draws").is_some());
    let compared = published.is_some_and(|published| rows.iter().any(|row| published.figures(row).is_some()));
    let mut columns: Vec<String> = varying.iter().map(|name| name.replace('_', " ")).collect();
    columns.extend(["games", "wins", "win %"].map(str::to_owned));
    let lanes = rows.iter().any(|row| row.get("trajectories").is_some());
    if lanes {
        columns.push("effective games".to_owned());
    }
    if two_seats {
        columns.extend(["draws", "losses", "mean score"].map(str::to_owned));
    }
    columns.extend(["mean moves", "mean moves (won)"].map(str::to_owned));
    let measures = measures(rows);
    columns.extend(measures.iter().map(|name| format!("mean {}", name.replace('_', " "))));
    let timed = times.filter(|times| times.are_noticeable(rows));
    if timed.is_some() {
        columns.push("ms a move".to_owned());
    }
    if compared {
        columns.extend(["published win %", "agree"].map(str::to_owned));
    }
    let _ = writeln!(text, "### {}\n\n{}\n", plain(title), plain(&fixed.join(", ")));
    let mut table = Table::new(columns.into_iter().map(|name| (name, Align::Right)));
    for row in rows {
        let mut fields: Vec<String> = varying.iter().map(|name| row.get(name).unwrap_or_default().to_owned()).collect();
        fields.extend([row.get("games").unwrap_or("–").to_owned(), row.get("wins").unwrap_or("–").to_owned()]);
        fields.push(percent_with_interval(row));
        if lanes {
            fields.push(row.number("effective_games").map_or_else(|| "–".to_owned(), |games| format!("{games:.0}")));
        }
        if two_seats {
            let field = |name| row.get(name).unwrap_or("–").to_owned();
            fields.extend([field("draws"), field("losses"), short(row, "score_mean", 4)]);
        }
        fields.extend([with_error(row, "moves_mean"), with_error(row, "moves_win_mean")]);
        fields.extend(measures.iter().map(|name| with_error(row, &format!("{name}_mean"))));
        if let Some(times) = timed {
            fields.push(times.ms_per_move(row).map_or_else(|| "–".to_owned(), |ms| format!("{ms:.3}")));
        }
        if compared {
            fields.extend(comparison(row, published));
        }
        table.row(fields);
    }
    let _ = write!(text, "{table}");
    for row in rows {
        if let Some(error) = row.get("error") {
            let cell = plain(row.get("cell").unwrap_or_default());
            let _ = writeln!(text, "\n`{cell}` failed: {}", plain(error));
        }
    }
    text.push('\n');
}

/// The measures that games add, by the columns `NAME_mean` after the fixed results.
fn measures(rows: &[Record<'_>]) -> Vec<String> {
    let known = ["moves_mean", "moves_win_mean", "score_mean"];
    rows[0]
        .header()
        .filter(|name| name.ends_with("_mean") && !known.contains(name))
        .filter(|name| rows.iter().any(|row| row.get(name).is_some()))
        .map(|name| name.trim_end_matches("_mean").to_owned())
        .collect()
}

/// Decimals that show a spread to two significant digits, at most 6.
pub(super) fn decimals(spread: f64) -> usize {
    if spread <= 0.0 { 2 } else { (1.0 - spread.log10().floor()).clamp(0.0, 6.0) as usize }
}

fn percent_with_interval(row: &Record<'_>) -> String {
    let (Some(rate), Some(lo), Some(hi)) = (row.number("win_pct"), row.number("win_pct_lo"), row.number("win_pct_hi"))
    else {
        return "–".to_owned();
    };
    let digits = decimals((hi - lo) / 2.0);
    format!("{rate:.digits$} [{lo:.digits$}, {hi:.digits$}]")
}

fn with_error(row: &Record<'_>, name: &str) -> String {
    let Some(mean) = row.number(name) else { return "–".to_owned() };
    match row.number(&format!("{name}_se")) {
        Some(error) => {
            let digits = decimals(error);
            format!("{mean:.digits$} ± {error:.digits$}")
        }
        None => format!("{mean:.1}"),
    }
}

/// A number to this many significant digits, without trailing zeros.
fn significant(value: f64, digits: i32) -> String {
    if value == 0.0 {
        return "0".to_owned();
    }
    let scale = 10_f64.powi(digits - 1 - value.abs().log10().floor() as i32);
    ((value * scale).round() / scale).to_string()
}

fn short(row: &Record<'_>, name: &str, digits: usize) -> String {
    row.number(name).map_or_else(|| "–".to_owned(), |value| format!("{value:.digits$}"))
}

fn comparison(row: &Record<'_>, published: Option<&Published>) -> [String; 2] {
    let Some(Comparison { win_pct, games, p_value, standard_errors }) = published.and_then(|all| all.compare(row))
    else {
        return ["–".to_owned(), "–".to_owned()];
    };
    let agrees = if p_value < 0.01 { "**no**" } else { "yes" };
    let p_value = if p_value < 0.001 { format!("{p_value:.0e}") } else { format!("{p_value:.3}") };
    [format!("{} of {games}", significant(win_pct, 4)), format!("{agrees} (p = {p_value}, {standard_errors:+.1} s.e.)")]
}
