//! The tables of matches: standings of the players, and the pairs of every two of them.

use super::cells::{Cells, Record};
use super::columns::{TableColumn, dashed, field, left, ranged, right, table};
use super::figures::{distinct, is_certain, mean_with_interval, significant, with_interval};
use super::schema::CELLS_PLANNED;
use tilelab_output::document::Document;
use tilelab_output::table::Table;
use tilelab_stats::elo_of_share;

/// Follows figures whose intervals hold less often than they say.
const ROUGH: &str = " †";

/// Whether a row is a match.
pub fn is_match(row: &Record<'_>) -> bool {
    row.get("match").is_some()
}

/// Whether a row is a match of three or more players, whose unit is a start with all of them.
pub fn has_blocks(row: &Record<'_>) -> bool {
    is_match(row) && row.players().count() > 2
}

/// Adds the tables of a match; `varying` are the parameters in which the cells differ.
pub fn add(
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
    let mut varying = varying.to_vec();
    varying.retain(|name| *name != "player");
    let (blocks, pairs): (Vec<_>, Vec<_>) = rows.iter().copied().partition(has_blocks);
    if !pairs.is_empty() {
        document.table(pair_table(&pairs, &varying, &measure));
    }
    let of_table = |row: &Record<'_>| row.get("table").unwrap_or_default() == title;
    let all: Vec<_> = standings
        .iter()
        .flat_map(|standings| standings.records())
        .filter(of_table)
        .collect();
    // Cells that have not ended are not shown together.
    let is_with = |one: &Record<'_>, other: &Record<'_>| {
        let have_ended = [one, other].map(|row| row.get(CELLS_PLANNED.name)) == [None; 2];
        have_ended && one.get("player") == other.get("player")
    };
    for cells in blocks.chunk_by(is_with) {
        let names: Vec<_> = cells[0].players().collect();
        let is_of = |row: &&Record<'_>| {
            let is_there = |name| row.get(name).is_none_or(|player| names.contains(&player));
            let key = match cells {
                [cell] => cell.get("cell"),
                _ => None,
            };
            is_there("player") && is_there("opponent") && row.get("cell") == key
        };
        let whole = all.iter().filter(is_of).copied();
        let (mut of_players, of_pairs): (Vec<_>, Vec<_>) =
            whole.partition(|row| row.get("opponent").is_none());
        let points = |row: &Record<'_>| row.number("points_mean").unwrap_or_default();
        of_players.sort_by(|a, b| points(b).total_cmp(&points(a)));
        document.table(player_table(&of_players, &measure));
        document.table(lead_table(&of_pairs, &measure));
        if cells.len() > 1 {
            document.table(cell_table(cells, &all, &names, &varying));
        }
    }
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

/// A mean without its interval.
fn mean(row: &Record<'_>, name: &str) -> String {
    dashed(row.number(name).map(|value| significant(value, 5)))
}

/// A column of the file under its own name.
fn own(name: &str) -> TableColumn<'_> {
    left(name, move |row| dashed(row.get(name)))
}

/// A column of a parameter.
fn parameter<'a>(name: &&'a str) -> TableColumn<'a> {
    field(name.replace('_', " "), name)
}

/// Each player against all others.
fn player_table(rows: &[Record<'_>], measure: &str) -> Table {
    let columns = [
        own("player"),
        field("starts", "blocks"),
        field("won", "wins"),
        field("drawn", "draws"),
        field("lost", "losses"),
        right("points %", points),
        right("Elo", |row| ranged(row, ELO, 1.0)),
        right(format!("mean {measure}"), |row| mean(row, "value_mean")),
    ];
    table(rows, &columns, 1)
}

/// The points of every two players against each other.
fn lead_table(rows: &[Record<'_>], measure: &str) -> Table {
    const LEAD: [&str; 3] = ["lead_mean", "lead_lo", "lead_hi"];
    const DIFFERENCE: [&str; 3] = ["difference_mean", "difference_lo", "difference_hi"];
    let figure = |name: &str, of, factor| right(name, move |row| ranged(row, of, factor));
    let columns = [
        own("player"),
        own("opponent"),
        field("won", "wins"),
        field("drawn", "draws"),
        field("lost", "losses"),
        figure("points % of their meetings", POINTS, 100.0),
        figure("lead in points %", LEAD, 100.0),
        figure("Elo difference", ELO, 1.0),
        figure(&format!("mean {measure} difference"), DIFFERENCE, 1.0),
    ];
    table(rows, &columns, 2)
}

/// The points of each player in each cell.
fn cell_table(cells: &[Record<'_>], all: &[Record<'_>], names: &[&str], varying: &[&str]) -> Table {
    let mut columns: Vec<_> = varying.iter().map(parameter).collect();
    columns.push(field("starts", "games"));
    for &name in names {
        columns.push(right(format!("points % of {name}"), move |cell| {
            let is_wanted = |row: &&Record<'_>| {
                row.get("cell") == cell.get("cell")
                    && row.get("player") == Some(name)
                    && row.get("opponent").is_none()
            };
            dashed(all.iter().find(is_wanted).map(points))
        }));
    }
    table(cells, &columns, varying.len())
}

/// One line a pair of players.
fn pair_table(rows: &[Record<'_>], varying: &[&str], measure: &str) -> Table {
    let player = |row: &Record<'_>, seat: usize| dashed(row.players().nth(seat));
    let mut columns: Vec<_> = varying.iter().map(parameter).collect();
    columns.extend([
        left("player", |row| player(row, 0)),
        left("opponent", |row| player(row, 1)),
        field("pairs", "games"),
        field("won", "wins"),
        field("drawn", "draws"),
        field("lost", "losses"),
        right("points %", |row| ranged(row, POINTS, 100.0)),
        right("Elo difference", elo),
        right(format!("mean {measure} a pair"), |row| {
            mean(row, "value_mean")
        }),
        right("of the opponent", |row| mean(row, "opponent_value_mean")),
        right(format!("mean {measure} difference a pair"), difference),
    ]);
    if rows.iter().any(is_tested) {
        columns.push(left("verdict", |row| {
            dashed(tested(row).map(|[verdict, _]| verdict))
        }));
        columns.push(right("estimate after stopping", |row| {
            dashed(tested(row).map(|[_, estimate]| estimate))
        }));
    }
    table(rows, &columns, varying.len() + 2)
}

/// By how many Elo points the first player is ahead: the logit of its points, with that of the ends
/// of their interval. What a sequential test stopped has none, nor has a player with all points or
/// none.
fn elo(row: &Record<'_>) -> String {
    let points = row.numbers(POINTS).filter(|_| !is_tested(row));
    let [elo, lo, hi] = points.map_or([f64::NAN; 3], |points| points.map(elo_of_share));
    let is_finite = [elo, lo, hi].iter().all(|end| end.is_finite());
    dashed(is_finite.then(|| match lo == hi {
        true => significant(elo, 4),
        false => with_interval(elo, lo, hi),
    }))
}

/// Whether the pairs of a row were played until a sequential test ended.
fn is_tested(row: &Record<'_>) -> bool {
    row.number("estimate").is_some()
}

/// The verdict of the sequential test of a row, and the corrected estimate of what it tested.
fn tested(row: &Record<'_>) -> Option<[String; 2]> {
    let [estimate, lo, hi] = row.numbers(["estimate", "estimate_lo", "estimate_hi"])?;
    let interval = with_interval(estimate, lo, hi);
    let [lower, upper] = ["test_lower", "test_upper"].map(|name| row.get(name).unwrap_or_default());
    let verdict = match row.get("stopped")? {
        "upper" => format!("upper: {upper}"),
        "lower" => format!("lower: {lower}"),
        _ => format!("undecided: {lower} or {upper}"),
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
pub fn note(rows: &[Record<'_>], level: &str) -> String {
    let mut text = format!(
        "Points: a win counts 1, a draw ½, with the {level} interval of the mean over starts drawn at random (Student's t over starts)."
    );
    if rows.iter().any(|row| !has_blocks(row)) {
        text += " A pair is two games on one start: in one-player games, one of each player, with the same spawns; in two-player games, one in each \
            seating. Points are those of pairs; in two-player games that the outcome decides, those of single games.";
    }
    if rows.iter().any(has_blocks) {
        text += &format!(
            " Every two players meet on each start: in one-player games by the one game of each, in two-player games by a game in each seating. Points \
             are those of meetings; in two-player games that the outcome decides, those of single games. Meetings on one start are dependent, so the \
             sampling unit is the start: intervals are from the covariance of the players' points over starts. Elo: Bradley and Terry's, above the mean of the rated players; a dash stands for a player that took all points or none from these.{ROUGH} Fewer \
             than 10 starts ended in another way than most: the interval covers less than its level."
        );
    }
    if rows.iter().any(is_certain) {
        text += " Without an interval: players and start decide each game, and every different start was played once; there is no sampling error.";
    }
    if rows.iter().any(is_tested) {
        text += " Verdict: what a sequential test says of the share of points, or of the mean difference where a measure decides; it stopped \
            the pairs as soon as it could. The estimate of that mean is median-unbiased, and its interval corrected for stopping.";
    }
    let is_timed = |row: &Record<'_>| row.players().any(|player| player.contains("budget_ms="));
    if rows.iter().any(is_timed) {
        text +=
            " Players with budget_ms choose under a time limit: their games cannot be repeated.";
    }
    text
}
