//! `table.md`: the tables of a results folder for people, from its CSV files alone.

use super::cells::{Cells, Record};
use super::columns::{TableColumn, dashed, field, ranged, right, table};
use super::figures::{distinct, exceptions, is_certain, mean_with_interval, p_text, significant};
use super::forfeits;
use super::labels::short_name;
use super::published::{Comparison, MeanComparison, Published};
use super::schema;
use super::standings;
use super::times::Times;
use std::collections::HashMap;
use tilelab_output::document::Document;
use tilelab_output::numbers::grouped;
use tilelab_output::table::Table;
use tilelab_stats::{WINS_FEW, fisher_combined, holm};

/// What tables are made of beside `cells.csv`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sources<'a> {
    /// `published.csv`.
    pub published: Option<&'a Published>,
    /// `times.csv`, where times are to be shown.
    pub times: Option<&'a Times>,
    /// `standings.csv`.
    pub standings: Option<&'a Cells>,
}

/// All tables of a file, with the notes that explain them.
///
/// Short ones have short names of columns, sizes in one column, no number of wins, and the number
/// of games above a table whose rows all have the same.
pub fn document(cells: &Cells, beside: Sources<'_>, is_short: bool) -> Document {
    let mut document = Document::default();
    for title in cells.titles() {
        let rows: Vec<_> = cells
            .records()
            .filter(|row| row.get("table").unwrap_or_default() == title)
            .collect();
        add_table(&mut document, title, &rows, beside, is_short);
    }
    document.lines(notes(cells, beside.published, beside.times));
    document
}

fn notes(cells: &Cells, published: Option<&Published>, times: Option<&Times>) -> Vec<String> {
    let mut notes = Vec::new();
    let all: Vec<_> = cells.records().collect();
    let seeds = distinct(all.iter().filter_map(|row| row.get("seed"))).join(", ");
    let (matches, all): (Vec<_>, Vec<_>) = all.into_iter().partition(standings::is_match);
    if !matches.is_empty() {
        let note = standings::note(&matches, &cells.confidence_text());
        notes.push(format!("{note} Seed {seeds}."));
    }
    if all.is_empty() && !matches.is_empty() {
        return notes;
    }
    notes.push(format!(
        "Win %: share of won games{} Means have Student's interval, mean moves (won) Hall's for skewed data, and a dash below 10 \
         wins. Seed {seeds}.",
        interval_note(&all, cells)
    ));
    let with = |name: &str| -> Vec<&Record<'_>> {
        all.iter().filter(|row| row.get(name).is_some()).collect()
    };
    let shared = with("trajectories");
    if !shared.is_empty() {
        notes.push(format!(
            "Rows with effective games: {} games at a time share one sequence of tiles and differ in their digits. The sample size is the number of \
             sequences: intervals (Clopper–Pearson's on effective counts, Korn and Graubard) and standard errors are cluster-robust.",
            distinct(shared.iter().filter_map(|row| row.get("lanes"))).join(" or ")
        ));
    }
    let split = with("replications");
    if !split.is_empty() {
        let mut note = "Rows with method = splitting: games that come near a win are continued several times. Games are independent replications, wins \
             are those in which a game was won, and win % is the mean of the weighted wins with an interval corrected for their skewness (Hall's)."
            .to_owned();
        let is_few = |row: &&Record<'_>| row.count("wins").is_some_and(|wins| wins < WINS_FEW);
        if split.iter().any(is_few) {
            note += &format!(
                " Fewer than {WINS_FEW} wins are too few: the interval is wide, and more replications are needed to trust it."
            );
        }
        notes.push(note);
    }
    if times.is_some_and(|times| times.are_noticeable(&all)) {
        notes.push(
            "The time of a move is the processor time of one thread, including the work of the rules."
                .to_owned(),
        );
    }
    if let Some(published) = published {
        notes.push(published_note(&all, published));
    }
    notes
}

/// What the intervals of win rates are, for the methods that the rows have.
fn interval_note(rows: &[Record<'_>], cells: &Cells) -> String {
    let level = cells.confidence_text();
    let is_clustered = |row: &Record<'_>| {
        row.get("trajectories")
            .or(row.get("replications"))
            .is_some()
    };
    let is_plain =
        |row: &&Record<'_>| !is_clustered(row) && !is_certain(row) && row.get("win_pct").is_some();
    let mut parts = Vec::new();
    if rows.iter().any(|row| is_plain(&row)) {
        let name = cells.interval_name();
        parts.push(format!("with its {level} interval ({name})"));
    } else if rows.iter().any(is_clustered) {
        parts.push(format!("with its {level} interval"));
    }
    parts.extend(exceptions(rows.iter().copied()).map(str::to_owned));
    if parts.is_empty() {
        ".".to_owned()
    } else {
        format!(" {}.", parts.join(", "))
    }
}

/// What the published figures were tested by, and the tests of all rows together.
fn published_note(rows: &[Record<'_>], published: &Published) -> String {
    let compared: Vec<Comparison> = rows
        .iter()
        .filter_map(|row| published.compare(row))
        .collect();
    let mut text = "Published: the figure it is compared with, and the two-sided p-value for no difference: Fisher's test with the mid-p \
                    (the exact p in brackets) for rates, a normal test for mean moves; \\* marks p < 0.01. The verdict is that of Holm's \
                    method over all tests of the table, at 0.05."
        .to_owned();
    let lost_extra = |row: &Record<'_>| published.figures(row)?.count("lost_extra");
    if rows.iter().any(|row| lost_extra(row) > Some(0)) {
        text += " Published mean moves count the last, unplayable round of a lost game as a move; they are compared after that move is added to ours.";
    }
    let names = ["win rates", "mean moves", "mean moves of won games"];
    for (at, name) in names.into_iter().enumerate() {
        let p_values: Vec<f64> = compared.iter().filter_map(|row| tests(row)[at]).collect();
        if let Some(p) = fisher_combined(&p_values).filter(|_| p_values.len() > 1) {
            text += &format!(
                " All {} published {name} together: p = {} (Fisher's combination).",
                p_values.len(),
                p_text(p)
            );
        }
    }
    text
}

fn add_table(
    document: &mut Document,
    title: &str,
    rows: &[Record<'_>],
    beside: Sources<'_>,
    is_short: bool,
) {
    let parameters = rows[0].header().filter(|name| schema::is_parameter(name));
    let (varying, same): (Vec<_>, Vec<_>) =
        parameters.partition(|name| rows.iter().any(|row| row.get(name) != rows[0].get(name)));
    let said = |name: &&str| {
        let value = rows[0].get(name)?;
        match *name {
            // Only rows that share a trajectory have something to say about lanes, and only those
            // that are split about the method.
            "lanes" if value == "1" => None,
            "method" if value == "plain" => None,
            "game" | "player" => Some(format!("{name} {value}")),
            _ => Some(format!("{name} = {value}")),
        }
    };
    let mut fixed: Vec<String> = same.iter().filter_map(said).collect();
    document.heading(title);
    if standings::is_match(&rows[0]) {
        document.text(&fixed.join(", "));
        standings::add(document, title, rows, &varying, beside.standings);
    } else {
        let table = result_table(rows, &varying, beside, is_short, &mut fixed);
        document.text(&fixed.join(", "));
        document.table(table);
    }
    forfeits::add(document, rows, beside.standings);
    add_errors(document, rows);
}

/// A row for each cell; a number of games that all rows of a short table have goes to what is
/// `fixed`.
fn result_table(
    rows: &[Record<'_>],
    varying: &[&str],
    beside: Sources<'_>,
    is_short: bool,
    fixed: &mut Vec<String>,
) -> Table {
    let verdicts = beside.published.map(|known| Verdicts::of(rows, known));
    let has = |name: &str| rows.iter().any(|row| row.get(name).is_some());
    let is_sized = is_short && ["rows", "cols"].iter().all(|name| varying.contains(name));
    let mut columns = Vec::new();
    for &name in varying {
        let value = |row: &Record<'_>, name: &str| row.get(name).unwrap_or_default().to_owned();
        let shown = if is_short { short_name(name) } else { name };
        match name {
            "rows" if is_sized => columns.push(right("size", move |row| {
                ["rows", "cols"].map(|name| value(row, name)).join("x")
            })),
            "cols" if is_sized => {}
            _ => columns.push(right(shown.replace('_', " "), move |row| value(row, name))),
        }
    }
    let keys = columns.len();
    let games = dashed(rows[0].get("games"));
    if is_short
        && rows
            .iter()
            .all(|row| row.get("games") == rows[0].get("games"))
    {
        let count = games.parse().map_or(games, grouped);
        fixed.push(format!("{count} games per row"));
    } else {
        columns.push(field("games", "games"));
    }
    if !is_short {
        columns.push(field("wins", "wins"));
    }
    columns.push(right("win %", percent_with_interval));
    if has("effective_games") {
        columns.push(right("effective games", |row| {
            let games = row.number("effective_games");
            dashed(games.map(|games| format!("{games:.0}")))
        }));
    }
    let mean = |name: &str, of: String| right(name, move |row| mean_with_interval(row, &of));
    if has("draws") {
        columns.extend([field("draws", "draws"), field("losses", "losses")]);
        columns.push(mean("share of points", "points_mean".to_owned()));
    }
    columns.push(mean("mean moves", "moves_mean".to_owned()));
    columns.push(right("mean moves (won)", won_moves));
    for name in measures(rows) {
        let title = format!("mean {}", name.replace('_', " "));
        columns.push(mean(&title, format!("{name}_mean")));
    }
    if let Some(times) = beside.times.filter(|times| times.are_noticeable(rows)) {
        columns.push(right("ms a move", |row| {
            let ms = times.ms_per_move(row);
            dashed(ms.map(|ms| format!("{ms:.3}")))
        }));
    }
    columns.extend(verdicts.iter().flat_map(Verdicts::columns));
    for column in columns.iter_mut().skip(keys).filter(|_| is_short) {
        if let Some((_, short)) = SHORT.iter().find(|(long, _)| *long == column.name) {
            column.name = (*short).to_owned();
        }
    }
    table(rows, &columns, keys)
}

/// Names of columns where space is short, beside those of parameters.
const SHORT: [(&str, &str); 7] = [
    ("mean moves", "moves"),
    ("mean moves (won)", "moves (won)"),
    ("effective games", "effective"),
    ("share of points", "points"),
    ("published win %", "published %"),
    ("p (exact)", "p"),
    ("published moves (won)", "published (won)"),
];

/// Adds why cells failed.
fn add_errors(document: &mut Document, rows: &[Record<'_>]) {
    for row in rows {
        if let Some(error) = row.get("error") {
            let cell = row.get("cell").unwrap_or_default();
            document.text(&format!("`{cell}` failed: {error}"));
        }
    }
}

/// The measures that games add, by the columns `NAME_mean` after the fixed results.
fn measures(rows: &[Record<'_>]) -> Vec<String> {
    let known = ["moves_mean", "moves_win_mean", "points_mean"];
    rows[0]
        .header()
        .filter(|name| name.ends_with("_mean") && !known.contains(name))
        .filter(|name| rows.iter().any(|row| row.get(name).is_some()))
        .map(|name| name.trim_end_matches("_mean").to_owned())
        .collect()
}

fn percent_with_interval(row: &Record<'_>) -> String {
    whole(row, ["win_pct", "win_pct_lo", "win_pct_hi"])
}

/// The mean moves of won games with its interval; a dash where there are too few for one.
fn won_moves(row: &Record<'_>) -> String {
    whole(
        row,
        ["moves_win_mean", "moves_win_mean_lo", "moves_win_mean_hi"],
    )
}

/// A figure with its interval as [`ranged`] writes it; a dash where either is unknown.
fn whole(row: &Record<'_>, names: [&str; 3]) -> String {
    dashed(row.numbers(names).map(|_| ranged(row, names, 1.0)))
}

/// The comparisons of a table's rows with published figures, with all p-values adjusted together,
/// by the lines of the rows; empty where nothing is published.
struct Verdicts(HashMap<u64, (Comparison, Adjusted)>);

/// The adjusted p-values of wins, moves and moves of won games.
type Adjusted = [Option<f64>; 3];

/// A field of a compared row.
type ComparedField = fn(&Comparison, &Adjusted) -> String;

/// The level of the verdicts.
const LEVEL: f64 = 0.05;
/// The level at which a single p-value is marked.
const MARKED: f64 = 0.01;

/// The p-values of wins, moves and moves of won games.
fn tests(row: &Comparison) -> [Option<f64>; 3] {
    let of_mean = |found: Option<MeanComparison>| found.and_then(|found| found.p_value);
    [
        Some(row.p_value),
        of_mean(row.moves),
        of_mean(row.moves_win),
    ]
}

impl Verdicts {
    /// Compares the rows.
    fn of(rows: &[Record<'_>], published: &Published) -> Self {
        let found: Vec<_> = rows
            .iter()
            .filter_map(|row| Some((row.line(), published.compare(row)?)))
            .collect();
        let all: Vec<f64> = found
            .iter()
            .flat_map(|(_, row)| tests(row))
            .flatten()
            .collect();
        let mut adjusted = holm(&all).into_iter();
        let verdict = |(line, row): (u64, Comparison)| {
            let adjusted = tests(&row).map(|p| p.and_then(|_| adjusted.next()));
            (line, (row, adjusted))
        };
        Self(found.into_iter().map(verdict).collect())
    }

    /// The columns that are added to a table.
    fn columns(&self) -> Vec<TableColumn<'_>> {
        let has_moves = self.0.values().any(|(row, _)| row.moves.is_some());
        let has_won = self.0.values().any(|(row, _)| row.moves_win.is_some());
        let are_any = !self.0.is_empty();
        let columns: [(&str, bool, ComparedField); 5] = [
            ("published win %", are_any, |row, _| {
                format!("{} ({} games)", significant(row.win_pct, 4), row.games)
            }),
            ("p (exact)", are_any, |row, _| {
                format!("{} ({})", marked(row.p_value), p_text(row.p_exact))
            }),
            ("published moves", has_moves, |row, _| mean_text(row.moves)),
            ("published moves (won)", has_won, |row, _| {
                mean_text(row.moves_win)
            }),
            ("verdict", are_any, |_, adjusted| verdict(adjusted)),
        ];
        let columns = columns
            .into_iter()
            .filter(|(_, is_there, _)| *is_there)
            .map(|(name, _, text)| {
                right(name, move |row| {
                    let found = self.0.get(&row.line());
                    dashed(found.map(|(row, adjusted)| text(row, adjusted)))
                })
            });
        columns.collect()
    }
}

/// A p-value, marked where it is small.
fn marked(p: f64) -> String {
    p_text(p) + if p < MARKED { "\\*" } else { "" }
}

/// A published mean with its p-value.
fn mean_text(found: Option<MeanComparison>) -> String {
    dashed(
        found.map(|MeanComparison { mean, p_value, .. }| match p_value {
            Some(p) => format!("{mean} (p = {})", marked(p)),
            None => mean.to_string(),
        }),
    )
}

/// Which of the figures differ.
fn verdict(adjusted: &Adjusted) -> String {
    let differing: Vec<String> = ["win %", "moves", "moves (won)"]
        .into_iter()
        .zip(adjusted)
        .filter_map(|(name, p)| Some((name, (*p).filter(|p| *p <= LEVEL)?)))
        .map(|(name, p)| format!("{name} differs (Holm p = {})", p_text(p)))
        .collect();
    match &differing[..] {
        [] => "no evidence of a difference".to_owned(),
        differing => differing.join("; "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn short_tables_have_short_names_and_say_once_what_all_rows_have() {
        let head = "table,cell,game,player,seed,rules,rows,cols,operator_rate,games,wins,win_pct,win_pct_lo,win_pct_hi,\
                    moves_mean,moves_mean_se,moves_win_mean,confidence\n";
        let row = |size: &str, rate: &str, games: &str| {
            format!("T,x,g,p,1,a,{size},{rate},{games},5,50,40,60,7,0.1,6,0.95\n")
        };
        let table = |rows: &[String]| {
            let cells = Cells::parse("x.csv", (head.to_owned() + &rows.concat()).as_bytes(), &[]);
            document(&cells.unwrap(), Sources::default(), true).to_string()
        };
        let same = table(&[row("6,7", "0.5", "100"), row("7,7", "0.6", "100")]);
        assert!(
            same.contains("rules = a, cols = 7, 100 games per row\n\n| rows | rate | win % | moves | moves (won) |\n"),
            "{same}"
        );
        let other = table(&[row("6,6", "0.5", "100"), row("7,7", "0.5", "90")]);
        assert!(
            other.contains("| size | games | win % | moves | moves (won) |\n")
                && other.contains("| 7x7 | 90 | 50"),
            "{other}"
        );
    }

    /// The note names the methods of the rows, and no others.
    #[test]
    fn captions_say_which_method_was_used() {
        const HEAD: &str = "table,win_pct,win_pct_lo,win_pct_hi,stopped,trajectories,confidence\n";
        let plain = "t,50,40,60,games,,0.95\n";
        let stopped = "t,50,40,60,precision,,0.95\n";
        let lanes = "t,50,40,60,games,100,0.95\n";
        let certain = "t,50,50,50,games,,0.95\n";
        for (rows, note) in [
            (vec![plain], " with its 95 % interval (Clopper–Pearson)."),
            (
                vec![plain, stopped],
                " with its 95 % interval (Clopper–Pearson), corrected for repeated examination in cells with a stopping rule.",
            ),
            (vec![lanes], " with its 95 % interval."),
            (
                vec![certain],
                " without an interval where nothing is left to chance.",
            ),
            (
                vec![plain, certain],
                " with its 95 % interval (Clopper–Pearson), without an interval where nothing is left to chance.",
            ),
        ] {
            let cells =
                Cells::parse("x.csv", format!("{HEAD}{}", rows.concat()).as_bytes(), &[]).unwrap();
            let records: Vec<Record<'_>> = cells.records().collect();
            assert_eq!(interval_note(&records, &cells), note);
        }
        let cells = Cells::parse("x.csv", format!("{HEAD}{certain}").as_bytes(), &[]).unwrap();
        assert_eq!(percent_with_interval(&cells.record(0)), "50");
    }
}
