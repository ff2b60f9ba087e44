//! `table.md`: the tables of a results folder for people, from its CSV files alone.

use super::cells::{Cells, Record};
use super::figures::{
    distinct, exceptions, is_certain, mean_with_interval, p_text, significant, with_interval,
};
use super::forfeits;
use super::labels::short_name;
use super::published::{Comparison, MeanComparison, Published};
use super::schema;
use super::standings;
use super::times::Times;
use std::fmt::Write;
use tilelab_output::document::Document;
use tilelab_output::numbers::grouped;
use tilelab_output::table::{Align, Table};
use tilelab_stats::{WINS_FEW, fisher_combined, holm};

/// What tables are made of beside `cells.csv`.
#[derive(Clone, Copy, Debug, Default)]
pub struct Beside<'a> {
    /// `published.csv`.
    pub published: Option<&'a Published>,
    /// `times.csv`, where times are to be shown.
    pub times: Option<&'a Times>,
    /// `standings.csv`.
    pub standings: Option<&'a Cells>,
}

/// All tables of a file, with the notes that explain them.
pub fn document(cells: &Cells, beside: Beside<'_>) -> Document {
    of_tables(cells, beside, false)
}

/// The same with short names of columns: sizes in one column, no number of wins, and the number of
/// games above a table whose rows all have the same.
pub fn short_document(cells: &Cells, beside: Beside<'_>) -> Document {
    of_tables(cells, beside, true)
}

fn of_tables(cells: &Cells, beside: Beside<'_>, is_short: bool) -> Document {
    let mut document = Document::default();
    for title in cells.titles() {
        let rows: Vec<Record<'_>> = cells
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
    let all: Vec<Record<'_>> = cells.records().collect();
    let seeds = distinct(all.iter().filter_map(|row| row.get("seed")));
    let (matches, all): (Vec<Record<'_>>, Vec<Record<'_>>) =
        all.into_iter().partition(standings::is_match);
    if !matches.is_empty() {
        let note = standings::note(&matches, &cells.confidence_text());
        notes.push(format!("{note} Seed {}.", seeds.join(", ")));
    }
    if all.is_empty() && !matches.is_empty() {
        return notes;
    }
    notes.push(format!(
        "Win %: share of won games{} Means have Student's interval, mean moves (won) Hall's for a skew mean, and a dash below 10 \
         wins. Seed {}.",
        interval_note(&all, &cells.confidence_text(), cells.interval_name()),
        seeds.join(", ")
    ));
    let shared: Vec<&Record<'_>> = all
        .iter()
        .filter(|row| row.get("trajectories").is_some())
        .collect();
    if !shared.is_empty() {
        notes.push(format!(
            "Rows with effective games: {} games at a time share one trajectory of kinds, each with its own digits. The trajectory counts, not the \
             game: intervals (Clopper–Pearson's on effective counts, Korn and Graubard) and standard errors are cluster-robust.",
            distinct(shared.iter().filter_map(|row| row.get("lanes"))).join(" or ")
        ));
    }
    let split: Vec<&Record<'_>> = all
        .iter()
        .filter(|row| row.get("replications").is_some())
        .collect();
    if !split.is_empty() {
        let mut note = "Rows with method = splitting: games that come near a win are played on several times. Games are independent replications, wins \
             are those in which a game was won, and win % is the mean of the weighted wins with an interval corrected for their skewness (Hall's)."
            .to_owned();
        let is_few = |row: &&Record<'_>| row.count("wins").is_some_and(|wins| wins < WINS_FEW);
        if split.iter().any(is_few) {
            let _ = write!(
                note,
                " Too few wins where there are fewer than {WINS_FEW}: that interval is wide, and more replications are needed to trust it."
            );
        }
        notes.push(note);
    }
    let is_timed = |times: &&Times| times.are_noticeable(&all);
    if times.filter(is_timed).is_some() {
        let note =
            "A move's time is that of one thread on a processor, the rules' own work included.";
        notes.push(note.to_owned());
    }
    if let Some(published) = published {
        notes.push(published_note(&all, published));
    }
    notes
}

/// What the intervals of win rates are, for the methods that the rows have.
fn interval_note(rows: &[Record<'_>], level: &str, name: &str) -> String {
    let is_clustered = |row: &Record<'_>| {
        row.get("trajectories")
            .or(row.get("replications"))
            .is_some()
    };
    let is_plain =
        |row: &&Record<'_>| !is_clustered(row) && !is_certain(row) && row.get("win_pct").is_some();
    let mut parts = Vec::new();
    if rows.iter().any(|row| is_plain(&row)) {
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
    let wins: Vec<f64> = compared.iter().map(|row| row.p_value).collect();
    let moves: Vec<f64> = compared
        .iter()
        .filter_map(|row| row.moves?.p_value)
        .collect();
    let won: Vec<f64> = compared
        .iter()
        .filter_map(|row| row.moves_win?.p_value)
        .collect();
    let mut text = "Published: the figure it is compared with, and the two-sided p-value for no difference: Fisher's test with the mid-p \
                    (the exact p in brackets) for rates, a normal test for mean moves; \\* marks p < 0.01. The verdict is that of Holm's \
                    method over all tests of the table, at 0.05."
        .to_owned();
    if rows.iter().any(|row| {
        published
            .figures(row)
            .is_some_and(|figures| figures.count("lost_extra") > Some(0))
    }) {
        text.push_str(
            " Published mean moves count the last, unplayable round of a lost game as a move; they are compared after it is added to ours.",
        );
    }
    for (name, p_values) in [
        ("win rates", wins),
        ("mean moves", moves),
        ("mean moves of won games", won),
    ] {
        if let Some(p) = fisher_combined(&p_values).filter(|_| p_values.len() > 1) {
            let _ = write!(
                text,
                " All {} published {name} together: p = {} (Fisher's combination).",
                p_values.len(),
                p_text(p)
            );
        }
    }
    text
}

/// A column of a table: its name, and the field of each row.
type Column<'a> = (String, Box<dyn Fn(usize) -> String + 'a>);

fn column<'a>(name: &str, field: impl Fn(usize) -> String + 'a) -> Column<'a> {
    (name.to_owned(), Box::new(field))
}

fn add_table(
    document: &mut Document,
    title: &str,
    rows: &[Record<'_>],
    beside: Beside<'_>,
    is_short: bool,
) {
    let Beside {
        published,
        times,
        standings,
    } = beside;
    let parameters: Vec<&str> = rows[0]
        .header()
        .filter(|name| schema::is_parameter(name))
        .collect();
    let varies = |name: &str| rows.iter().any(|row| row.get(name) != rows[0].get(name));
    let varying: Vec<&str> = parameters
        .iter()
        .copied()
        .filter(|name| varies(name))
        .collect();
    let mut fixed: Vec<String> = parameters
        .iter()
        .filter(|name| !varying.contains(name))
        .filter_map(|name| {
            let value = rows[0].get(name)?;
            let leading = ["game", "player"].contains(name);
            // Only rows that share a trajectory have something to say about lanes, and only those
            // that are split about the method.
            let is_plain = [("lanes", "1"), ("method", "plain")].contains(&(*name, value));
            let text = if leading {
                format!("{name} {value}")
            } else {
                format!("{name} = {value}")
            };
            (!is_plain).then_some(text)
        })
        .collect();
    document.heading(title);
    if standings::is_match(&rows[0]) {
        document.text(&fixed.join(", "));
        standings::add(document, title, rows, &varying, standings);
        forfeits::add(document, rows, beside.standings);
        add_errors(document, rows);
        return;
    }
    let plain = |name: &'static str| {
        let field = move |at: usize| dashed(rows[at].get(name));
        column(name, field)
    };
    let verdicts = published.and_then(|published| Verdicts::of(rows, published));
    let mut columns: Vec<Column<'_>> = Vec::new();
    for &name in &varying {
        let field = move |at: usize| rows[at].get(name).unwrap_or_default().to_owned();
        columns.push(column(&name.replace('_', " "), field));
    }
    let mut keys = columns.len();
    columns.extend([plain("games"), plain("wins")]);
    columns.push(column("win %", |at| percent_with_interval(&rows[at])));
    if rows.iter().any(|row| row.get("effective_games").is_some()) {
        columns.push(column("effective games", |at| {
            let games = rows[at].number("effective_games");
            dashed(games.map(|games| format!("{games:.0}")))
        }));
    }
    if rows.iter().any(|row| row.get("draws").is_some()) {
        columns.extend([plain("draws"), plain("losses")]);
        columns.push(column("share of points", |at| {
            mean_with_interval(&rows[at], "points_mean")
        }));
    }
    columns.push(column("mean moves", |at| {
        mean_with_interval(&rows[at], "moves_mean")
    }));
    columns.push(column("mean moves (won)", |at| won_moves(&rows[at])));
    for name in measures(rows) {
        let mean = format!("{name}_mean");
        let field = move |at: usize| mean_with_interval(&rows[at], &mean);
        columns.push(column(&format!("mean {}", name.replace('_', " ")), field));
    }
    if let Some(times) = times.filter(|times| times.are_noticeable(rows)) {
        columns.push(column("ms a move", |at| {
            let ms = times.ms_per_move(&rows[at]);
            dashed(ms.map(|ms| format!("{ms:.3}")))
        }));
    }
    columns.extend(verdicts.iter().flat_map(Verdicts::columns));
    let fields = |at: usize| columns.iter().map(|(_, field)| field(at)).collect();
    let mut lines: Vec<Vec<String>> = (0..rows.len()).map(fields).collect();
    let mut columns: Vec<String> = columns.into_iter().map(|(name, _)| name).collect();
    if is_short {
        shorten(&mut columns, &mut lines, &mut keys, &mut fixed);
    }
    let columns = columns.into_iter().map(|name| (name, Align::Right));
    let mut table = Table::new(columns).keyed_by(keys);
    lines.into_iter().for_each(|fields| table.row(fields));
    document.text(&fixed.join(", "));
    document.table(table);
    forfeits::add(document, rows, beside.standings);
    add_errors(document, rows);
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

/// Gives columns short names, joins rows and columns of boards, drops the number of wins, and moves
/// a number of games that all rows have to what is said above them.
fn shorten(
    columns: &mut Vec<String>,
    lines: &mut [Vec<String>],
    keys: &mut usize,
    fixed: &mut Vec<String>,
) {
    let place = |columns: &[String], name: &str| columns.iter().position(|known| known == name);
    if let (Some(rows), Some(cols)) = (place(columns, "rows"), place(columns, "cols")) {
        columns[rows] = "size".to_owned();
        columns.remove(cols);
        *keys -= 1;
        for line in lines.iter_mut() {
            let cols = line.remove(cols);
            line[rows] = format!("{}x{cols}", line[rows]);
        }
    }
    let mut dropped: Vec<usize> = place(columns, "wins").into_iter().collect();
    if let Some(games) = place(columns, "games")
        && lines.iter().all(|line| line[games] == lines[0][games])
    {
        let count = &lines[0][games];
        let count = count.parse().map_or_else(|_| count.clone(), grouped);
        fixed.push(format!("{count} games a row"));
        dropped.insert(0, games);
    }
    for at in dropped.into_iter().rev() {
        columns.remove(at);
        lines.iter_mut().for_each(|line| drop(line.remove(at)));
    }
    for (at, name) in columns.iter_mut().enumerate() {
        let short = SHORT.iter().find(|(long, _)| long == name);
        if at < *keys {
            *name = short_name(&name.replace(' ', "_")).replace('_', " ");
        } else if let Some((_, short)) = short {
            *name = (*short).to_owned();
        }
    }
}

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

/// A text, or a dash where there is none.
pub(super) fn dashed(text: Option<impl Into<String>>) -> String {
    text.map_or_else(|| "–".to_owned(), Into::into)
}

fn percent_with_interval(row: &Record<'_>) -> String {
    let rate = row.numbers(["win_pct", "win_pct_lo", "win_pct_hi"]);
    dashed(rate.map(|[rate, lo, hi]| match is_certain(row) {
        true => significant(rate, 6),
        false => with_interval(rate, lo, hi),
    }))
}

/// A figure times `factor` with its interval from the columns `NAME`, `lo` and `hi`; without where
/// that is a point or unknown, and a dash without a figure.
pub(super) fn ranged(row: &Record<'_>, names: [&str; 3], factor: f64) -> String {
    let alone = |value: f64| significant(factor * value, 6);
    dashed(match row.numbers(names) {
        Some([value, lo, hi]) if lo < hi => {
            Some(with_interval(factor * value, factor * lo, factor * hi))
        }
        _ => row.number(names[0]).map(alone),
    })
}

/// The mean moves of won games with its interval; a dash where there are too few for one.
fn won_moves(row: &Record<'_>) -> String {
    let names = ["moves_win_mean", "moves_win_mean_lo", "moves_win_mean_hi"];
    dashed(row.numbers(names).map(|_| ranged(row, names, 1.0)))
}

/// The comparisons of a table's rows with published figures, with all p-values adjusted together.
struct Verdicts {
    /// For each row.
    rows: Vec<Option<(Comparison, Adjusted)>>,
}

/// The adjusted p-values of wins, moves and moves of won games.
type Adjusted = [Option<f64>; 3];

/// A field of a compared row.
type Field = fn(&Comparison, &Adjusted) -> String;

/// The level of the verdicts.
const LEVEL: f64 = 0.05;
/// The level at which a single p-value is marked.
const MARKED: f64 = 0.01;

impl Verdicts {
    /// Compares the rows; `None` where nothing is published.
    fn of(rows: &[Record<'_>], published: &Published) -> Option<Self> {
        let found: Vec<Option<Comparison>> =
            rows.iter().map(|row| published.compare(row)).collect();
        found.iter().any(Option::is_some).then_some(())?;
        let tests = |row: &Comparison| {
            [
                Some(row.p_value),
                row.moves.and_then(|m| m.p_value),
                row.moves_win.and_then(|m| m.p_value),
            ]
        };
        let all: Vec<f64> = found.iter().flatten().flat_map(tests).flatten().collect();
        let mut adjusted = holm(&all).into_iter();
        let rows = found
            .into_iter()
            .map(|row| row.map(|row| (row, tests(&row).map(|p| p.and_then(|_| adjusted.next())))));
        Some(Self {
            rows: rows.collect(),
        })
    }

    /// The columns that are added to a table.
    fn columns(&self) -> Vec<Column<'_>> {
        let rows = || self.rows.iter().flatten();
        let has_moves = rows().any(|(row, _)| row.moves.is_some());
        let has_won = rows().any(|(row, _)| row.moves_win.is_some());
        let columns: [(&str, bool, Field); 5] = [
            ("published win %", true, |row, _| {
                format!("{} ({} games)", significant(row.win_pct, 4), row.games)
            }),
            ("p (exact)", true, |row, _| {
                format!("{} ({})", marked(row.p_value), p_text(row.p_exact))
            }),
            ("published moves", has_moves, |row, _| mean_text(row.moves)),
            ("published moves (won)", has_won, |row, _| {
                mean_text(row.moves_win)
            }),
            ("verdict", true, |_, adjusted| verdict(adjusted)),
        ];
        let columns = columns.into_iter().filter(|(_, is_there, _)| *is_there);
        let columns = columns.map(|(name, _, text)| {
            column(name, move |at| {
                let row = self.rows[at].as_ref();
                dashed(row.map(|(row, adjusted)| text(row, adjusted)))
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
    let figures = ["win %", "moves", "moves (won)"].into_iter().zip(adjusted);
    let differing: Vec<String> = figures
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
    fn only_zero_is_written_as_zero() {
        for (value, lo, hi, text) in [
            (0.00037, 0.00034, 0.0004, "0.000370 [0.000340, 0.000400]"),
            (
                0.0001,
                0.000_002_5,
                0.000_557,
                "0.000100 [0.000003, 0.000557]",
            ),
            (1.0, 0.025_3, 5.446, "1.00 [0.03, 5.45]"),
            (0.0, 0.0, 3.6217, "0.0 [0.0, 3.6]"),
            (27.07, 26.98, 27.16, "27.070 [26.980, 27.160]"),
        ] {
            assert_eq!(with_interval(value, lo, hi), text);
        }
        for (row, text) in [
            ("100,,20,0.04,0.95", "20.000 [19.921, 20.079]"),
            ("100,,20,0.04,0.99", "20.00 [19.89, 20.11]"),
            ("1600,100,0.04,0.0004,0.95", "0.04000 [0.03921, 0.04079]"),
            ("3,,20,1,0.95", "20.0 [15.7, 24.3]"),
            ("100,,3,0,0.95", "3"),
            ("1,,3,,0.95", "3"),
            ("0,,,,0.95", "–"),
        ] {
            let row = format!("games,trajectories,moves_mean,moves_mean_se,confidence\n{row}\n");
            let cells = Cells::parse("x.csv", row.as_bytes(), &[]).unwrap();
            assert_eq!(mean_with_interval(&cells.record(0), "moves_mean"), text);
        }
    }

    #[test]
    fn short_tables_have_short_names_and_say_once_what_all_rows_have() {
        let head = "table,cell,game,player,seed,rules,rows,cols,operator_rate,games,wins,win_pct,win_pct_lo,win_pct_hi,\
                    moves_mean,moves_mean_se,moves_win_mean,confidence\n";
        let row = |size: &str, rate: &str, games: &str| {
            format!("T,x,g,p,1,a,{size},{rate},{games},5,50,40,60,7,0.1,6,0.95\n")
        };
        let table = |rows: &[String]| {
            let cells = Cells::parse("x.csv", (head.to_owned() + &rows.concat()).as_bytes(), &[]);
            short_document(&cells.unwrap(), Beside::default()).to_string()
        };
        let same = table(&[row("6,7", "0.5", "100"), row("7,7", "0.6", "100")]);
        assert!(
            same.contains("rules = a, cols = 7, 100 games a row\n\n| rows | rate | win % | moves | moves (won) |\n"),
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
                " with its 95 % interval (Clopper–Pearson), corrected for repeated looks in cells with a stopping rule.",
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
            let name = cells.interval_name();
            assert_eq!(
                interval_note(&records, &cells.confidence_text(), name),
                note
            );
        }
        let cells = Cells::parse("x.csv", format!("{HEAD}{certain}").as_bytes(), &[]).unwrap();
        assert_eq!(percent_with_interval(&cells.record(0)), "50");
    }
}
