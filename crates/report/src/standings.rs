//! The tables of matches: standings of the players, and the pairs of every two of them.

use super::cells::{Cells, Record};
use super::figures::{distinct, is_certain, mean_with_interval, significant, with_interval};
use super::markdown::{dashed, ranged};
use super::schema::CELLS_PLANNED;
use std::fmt::Write;
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};
use tilelab_stats::elo_of_share;

/// Follows figures whose intervals hold less often than they say.
const ROUGH: &str = " †";

/// Whether a row is a match.
pub(super) fn is_match(row: &Record<'_>) -> bool {
    row.get("match").is_some()
}

/// The players of a match's row.
pub(super) fn players<'a>(row: &Record<'a>) -> Vec<&'a str> {
    row.get("player").unwrap_or_default().split(" / ").collect()
}

/// Whether a row is a match of three or more players, whose unit is a start with all of them.
pub(super) fn has_blocks(row: &Record<'_>) -> bool {
    is_match(row) && players(row).len() > 2
}

/// Adds the tables of a match; `varying` are the parameters in which the cells differ.
pub(super) fn add(
    document: &mut Document,
    title: &str,
    rows: &[Record<'_>],
    varying: &[&str],
    standings: Option<&Cells>,
) {
    let measures = distinct(rows.iter().filter_map(|row| row.get("measure")));
    let measure = match measures.as_slice() {
        [one] => one.replace('_', " "),
        _ => "measure".to_owned(),
    };
    let varying: Vec<&str> = varying
        .iter()
        .copied()
        .filter(|name| *name != "player")
        .collect();
    let (blocks, pairs): (Vec<Record<'_>>, Vec<Record<'_>>) =
        rows.iter().copied().partition(has_blocks);
    if !pairs.is_empty() {
        document.table(pair_table(&pairs, &varying, &measure));
    }
    let of_table = |row: &Record<'_>| row.get("table").unwrap_or_default() == title;
    let all: Vec<Record<'_>> = standings
        .iter()
        .flat_map(|standings| standings.records())
        .filter(of_table)
        .collect();
    // Cells that have not ended are not shown together.
    let is_with = |one: &Record<'_>, other: &Record<'_>| {
        one.get("player") == other.get("player")
            && one.get(CELLS_PLANNED.name).is_none()
            && other.get(CELLS_PLANNED.name).is_none()
    };
    for cells in blocks.chunk_by(is_with) {
        let names = players(&cells[0]);
        let is_of = |row: &&Record<'_>| {
            let is_there = |name| row.get(name).is_none_or(|player| names.contains(&player));
            let key = match cells {
                [cell] => cell.get("cell"),
                _ => None,
            };
            is_there("player") && is_there("opponent") && row.get("cell") == key
        };
        let whole: Vec<Record<'_>> = all.iter().filter(is_of).copied().collect();
        let (mut of_players, of_pairs): (Vec<Record<'_>>, Vec<Record<'_>>) = whole
            .into_iter()
            .partition(|row| row.get("opponent").is_none());
        let points = |row: &Record<'_>| row.number("points_mean").unwrap_or_default();
        of_players.sort_by(|a, b| points(b).total_cmp(&points(a)));
        document.table(player_table(&of_players, &measure));
        document.table(lead_table(&of_pairs, &measure));
        if cells.len() > 1 {
            document.table(cell_table(cells, &all, &names, &varying));
        }
    }
}

fn right(name: impl Into<String>) -> (String, Align) {
    (name.into(), Align::Right)
}

fn left(name: &str) -> (String, Align) {
    (name.to_owned(), Align::Left)
}

fn field(row: &Record<'_>, name: &str) -> String {
    dashed(row.get(name))
}

const POINTS: [&str; 3] = ["points_mean", "points_lo", "points_hi"];
const ELO: [&str; 3] = ["elo", "elo_lo", "elo_hi"];

/// The points of a player with a mark where they are rough.
fn points(row: &Record<'_>) -> String {
    let mark = match row.get("rough") {
        Some("true") => ROUGH,
        _ => "",
    };
    ranged(row, POINTS, 100.0) + mark
}

/// Each player against all others.
fn player_table(rows: &[Record<'_>], measure: &str) -> Table {
    let counts = ["starts", "won", "drawn", "lost"].map(right);
    let figures = [
        "points %".to_owned(),
        "Elo".to_owned(),
        format!("mean {measure}"),
    ]
    .map(right);
    let columns = [left("player")].into_iter().chain(counts).chain(figures);
    let mut table = Table::new(columns);
    for row in rows {
        let counts = ["player", "blocks", "wins", "draws", "losses"].map(|name| field(row, name));
        let value = row.number("value_mean");
        let figures = [
            points(row),
            ranged(row, ELO, 1.0),
            dashed(value.map(|value| significant(value, 5))),
        ];
        table.row(counts.into_iter().chain(figures));
    }
    table
}

/// Every two players.
fn lead_table(rows: &[Record<'_>], measure: &str) -> Table {
    let counts = ["won", "drawn", "lost"].map(right);
    let figures = [
        "points % of their meetings".to_owned(),
        "lead in points %".to_owned(),
        "Elo difference".to_owned(),
        format!("mean {measure} difference"),
    ];
    let names = ["player", "opponent"].map(left);
    let columns = names.into_iter().chain(counts).chain(figures.map(right));
    let mut table = Table::new(columns).keyed_by(2);
    for row in rows {
        let counts = ["player", "opponent", "wins", "draws", "losses"];
        let difference = ["difference_mean", "difference_lo", "difference_hi"];
        let figures = [
            ranged(row, POINTS, 100.0),
            ranged(row, ["lead_mean", "lead_lo", "lead_hi"], 100.0),
            ranged(row, ELO, 1.0),
            ranged(row, difference, 1.0),
        ];
        let counts = counts.map(|name| field(row, name));
        table.row(counts.into_iter().chain(figures));
    }
    table
}

/// The points of each player in each cell.
fn cell_table(cells: &[Record<'_>], all: &[Record<'_>], names: &[&str], varying: &[&str]) -> Table {
    let parameters = varying.iter().map(|name| right(name.replace('_', " ")));
    let of_players = names
        .iter()
        .map(|name| right(format!("points % of {name}")));
    let columns = parameters.chain([right("starts")]).chain(of_players);
    let mut table = Table::new(columns).keyed_by(varying.len());
    for cell in cells {
        let of_player = |name: &&str| {
            let mut rows = all.iter();
            let row = rows.find(|row| {
                row.get("cell") == cell.get("cell")
                    && row.get("player") == Some(name)
                    && row.get("opponent").is_none()
            });
            dashed(row.map(points))
        };
        let fields = varying
            .iter()
            .chain(&["games"])
            .map(|name| field(cell, name));
        table.row(fields.chain(names.iter().map(of_player)));
    }
    table
}

/// One line a pair of players.
fn pair_table(rows: &[Record<'_>], varying: &[&str], measure: &str) -> Table {
    let mut columns: Vec<(String, Align)> = varying
        .iter()
        .map(|name| right(name.replace('_', " ")))
        .collect();
    columns.extend(["player", "opponent"].map(left));
    columns.extend(
        [
            "pairs",
            "won",
            "drawn",
            "lost",
            "points %",
            "Elo difference",
        ]
        .map(right),
    );
    columns.push(right(format!("mean {measure} a pair")));
    columns.push(right("of the opponent"));
    columns.push(right(format!("mean {measure} difference a pair")));
    let has_test = rows.iter().any(is_tested);
    if has_test {
        columns.push(left("verdict"));
        columns.push(right("estimate after stopping"));
    }
    let mut table = Table::new(columns).keyed_by(varying.len() + 2);
    for row in rows {
        let mut fields: Vec<String> = varying.iter().map(|name| field(row, name)).collect();
        fields.extend(players(row).iter().map(|&name| name.to_owned()));
        fields.extend(["games", "wins", "draws", "losses"].map(|name| field(row, name)));
        fields.push(ranged(row, POINTS, 100.0));
        fields.push(elo(row));
        for name in ["value_mean", "opponent_value_mean"] {
            let value = row.number(name);
            fields.push(dashed(value.map(|value| significant(value, 5))));
        }
        fields.push(difference(row));
        if has_test {
            fields.extend(tested(row).unwrap_or_else(|| ["–", "–"].map(str::to_owned)));
        }
        table.row(fields);
    }
    table
}

/// By how many Elo points the first player is ahead: the logit of its points, with that of the ends
/// of their interval. What a sequential test stopped has none, nor has a player with all points or
/// none.
fn elo(row: &Record<'_>) -> String {
    let points = row.numbers(POINTS).filter(|_| !is_tested(row));
    let [elo, lo, hi] = points.map_or([f64::NAN; 3], |points| points.map(elo_of_share));
    dashed(match [elo, lo, hi].iter().all(|end| end.is_finite()) {
        true if lo == hi => Some(significant(elo, 4)),
        true => Some(with_interval(elo, lo, hi)),
        false => None,
    })
}

/// Whether the pairs of a row were played until a sequential test ended.
fn is_tested(row: &Record<'_>) -> bool {
    row.number("estimate").is_some()
}

/// The verdict of the sequential test of a row, and the corrected estimate of what it tested.
fn tested(row: &Record<'_>) -> Option<[String; 2]> {
    let [estimate, lo, hi] = row.numbers(["estimate", "estimate_lo", "estimate_hi"])?;
    let interval = with_interval(estimate, lo, hi);
    let mean = |name: &str| row.get(name).unwrap_or_default();
    let verdict = match row.get("stopped")? {
        "upper" => format!("upper: {}", mean("test_upper")),
        "lower" => format!("lower: {}", mean("test_lower")),
        _ => format!(
            "undecided: {} or {}",
            mean("test_lower"),
            mean("test_upper")
        ),
    };
    Some([verdict, interval])
}

/// The mean difference of the measure with its interval: Student's t over the pairs; without where
/// a test of it chose when to stop.
fn difference(row: &Record<'_>) -> String {
    let name = "difference_mean";
    if is_certain(row) || is_tested(row) {
        return dashed(row.number(name).map(|mean| significant(mean, 6)));
    }
    mean_with_interval(row, name)
}

/// What the figures of matches are.
pub(super) fn note(rows: &[Record<'_>], level: &str) -> String {
    let mut text = format!(
        "Points: a won meeting 1, a drawn one ½, with the {level} interval of the mean over starts drawn at random (Student's t over starts)."
    );
    if rows.iter().any(|row| !has_blocks(row)) {
        text.push_str(
            " A pair is two games: in games for one, both players meet the same spawns; in games for two, both seatings of one start.",
        );
    }
    if rows.iter().any(has_blocks) {
        let _ = write!(
            text,
            " Every player meets every other on each start: in games for one by its one game, in games for two by both seatings. Meetings of a \
             start are dependent, so the start counts: intervals are from the covariance of the players' points over starts. Elo: Bradley and \
             Terry's, above the mean of the rated players; a dash stands for a player that took all points from those, or none.{ROUGH} Fewer \
             than 10 starts ended in another way than most: the interval holds less often than it says."
        );
    }
    if rows.iter().any(is_certain) {
        text.push_str(
            " Without an interval: players and start decide each game, and every different start was played once; there is no sampling error.",
        );
    }
    if rows.iter().any(is_tested) {
        text.push_str(
            " Verdict: what a sequential test says of the share of points, or of the mean difference where a measure decides; it stopped \
             the pairs as soon as it could. The estimate of that mean is median-unbiased, and its interval corrected for stopping.",
        );
    }
    if rows.iter().any(|row| {
        row.get("player")
            .is_some_and(|text| text.contains("budget_ms="))
    }) {
        text.push_str(
            " Players with budget_ms think by the clock: their games cannot be repeated.",
        );
    }
    text
}
