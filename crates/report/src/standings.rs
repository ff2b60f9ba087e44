//! The tables of matches: standings of the players, and the pairs of every two of them.

use super::cells::Record;
use super::figures::{distinct, is_certain, significant, with_interval};
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};
use tilelab_stats::{Interval, Meeting, Ratings, normal_upper_quantile};

/// Whether a row is a match.
pub(super) fn is_match(row: &Record<'_>) -> bool {
    row.get("match").is_some()
}

/// A row that has a result, seen from one of its players.
struct View {
    /// Player and opponent in the order of appearance.
    players: [usize; 2],
    pairs: u64,
    /// Won, drawn and lost pairs.
    results: [u64; 3],
    share: f64,
    interval: Interval,
    /// The measure of a pair.
    value: Option<f64>,
}

impl View {
    /// The view of the first player.
    fn of(row: &Record<'_>, names: &[&str]) -> Option<Self> {
        let (first, second) = row.get("player")?.split_once(" / ")?;
        let place = |name: &str| names.iter().position(|known| *known == name);
        Some(Self {
            players: [place(first)?, place(second)?],
            pairs: row.count("games")?,
            results: [
                row.count("wins")?,
                row.count("draws")?,
                row.count("losses")?,
            ],
            share: row.number("points_mean")?,
            interval: Interval {
                lo: row.number("points_lo")?,
                hi: row.number("points_hi")?,
            },
            value: row.number("value_mean"),
        })
    }

    /// The view of the second.
    fn reversed(&self, row: &Record<'_>) -> Self {
        let [first, second] = self.players;
        let [won, drawn, lost] = self.results;
        Self {
            players: [second, first],
            pairs: self.pairs,
            results: [lost, drawn, won],
            share: 1.0 - self.share,
            interval: Interval {
                lo: 1.0 - self.interval.hi,
                hi: 1.0 - self.interval.lo,
            },
            value: row.number("opponent_value_mean"),
        }
    }
}

/// The players of a match's rows, in order of appearance.
fn names<'a>(rows: &[Record<'a>]) -> Vec<&'a str> {
    let both = |row: &Record<'a>| row.get("player").and_then(|text| text.split_once(" / "));
    distinct(
        rows.iter()
            .filter_map(both)
            .flat_map(|(first, second)| [first, second]),
    )
}

/// The confidence of the intervals.
fn confidence(rows: &[Record<'_>]) -> f64 {
    rows[0].number("confidence").unwrap_or(0.95)
}

/// Adds both tables; `varying` are the parameters in which the cells differ.
pub(super) fn add(document: &mut Document, rows: &[Record<'_>], varying: &[&str]) {
    let names = names(rows);
    let views: Vec<View> = rows
        .iter()
        .filter_map(|row| View::of(row, &names))
        .collect();
    let measures = distinct(rows.iter().filter_map(|row| row.get("measure")));
    let measure = match measures.as_slice() {
        [one] => one.replace('_', " "),
        _ => "measure".to_owned(),
    };
    document.table(standings(rows, &names, &views, &measure));
    document.table(pairs(rows, &views, varying, &measure));
}

/// What one player reached in all rows.
struct Standing {
    player: usize,
    share: f64,
    interval: Interval,
    pairs: u64,
    results: [u64; 3],
    value: Option<f64>,
}

/// The sum of all rows for each player, the best first.
fn standings(rows: &[Record<'_>], names: &[&str], views: &[View], measure: &str) -> Table {
    let both = |(view, row): (&View, &Record<'_>)| {
        let reversed = view.reversed(row);
        let first = View {
            interval: view.interval,
            ..*view
        };
        [first, reversed]
    };
    let with_result = rows.iter().filter(|row| View::of(row, names).is_some());
    let all: Vec<View> = views.iter().zip(with_result).flat_map(both).collect();
    let mean = |of: &[&View], value: &dyn Fn(&View) -> f64| {
        of.iter().map(|view| value(view)).sum::<f64>() / of.len() as f64
    };
    let mut lines: Vec<Standing> = Vec::new();
    for player in 0..names.len() {
        let of: Vec<&View> = all
            .iter()
            .filter(|view| view.players[0] == player)
            .collect();
        if of.is_empty() {
            continue;
        }
        let share = mean(&of, &|view| view.share);
        // Of a mean of independent estimates (Zou and Donner 2008, "MOVER").
        let spread = |distance: &dyn Fn(&View) -> f64| {
            let squares = of.iter().map(|view| distance(view).powi(2)).sum::<f64>();
            squares.sqrt() / of.len() as f64
        };
        let interval = Interval {
            lo: share - spread(&|view| view.share - view.interval.lo),
            hi: share + spread(&|view| view.interval.hi - view.share),
        };
        let results = [0, 1, 2].map(|at| of.iter().map(|view| view.results[at]).sum());
        let value = of
            .iter()
            .all(|view| view.value.is_some())
            .then(|| mean(&of, &|view| view.value.unwrap_or_default()));
        let pairs = of.iter().map(|view| view.pairs).sum();
        lines.push(Standing {
            player,
            share,
            interval,
            pairs,
            results,
            value,
        });
    }
    lines.sort_by(|a, b| b.share.total_cmp(&a.share));
    let ratings = ratings(names.len(), views, confidence(rows));
    let z = normal_upper_quantile((1.0 - confidence(rows)) / 2.0);
    let last = lines.last().map(|line| line.player);
    let elo = |player: usize| {
        let Some((ratings, last)) = ratings.as_ref().zip(last) else {
            return "–".to_owned();
        };
        if player == last {
            return "0".to_owned();
        }
        let (elo, se) = ratings.elo(player, last);
        if se == 0.0 {
            return significant(elo, 4);
        }
        with_interval(elo, elo - z * se, elo + z * se)
    };
    let mut table = Table::new([
        ("player".to_owned(), Align::Left),
        ("pairs".to_owned(), Align::Right),
        ("won".to_owned(), Align::Right),
        ("drawn".to_owned(), Align::Right),
        ("lost".to_owned(), Align::Right),
        ("points %".to_owned(), Align::Right),
        ("Elo above the last".to_owned(), Align::Right),
        (format!("mean {measure} a pair"), Align::Right),
    ]);
    for line in lines {
        let [won, drawn, lost] = line.results;
        table.row([
            names[line.player].to_owned(),
            line.pairs.to_string(),
            won.to_string(),
            drawn.to_string(),
            lost.to_string(),
            percent(line.share, line.interval),
            elo(line.player),
            line.value
                .map_or_else(|| "–".to_owned(), |value| significant(value, 5)),
        ]);
    }
    table
}

/// The ratings of the players; `None` where there are no finite ones.
fn ratings(players: usize, views: &[View], confidence: f64) -> Option<Ratings> {
    let z = normal_upper_quantile((1.0 - confidence) / 2.0);
    let meetings: Vec<Meeting> = views
        .iter()
        .map(|view| Meeting {
            players: view.players,
            weight: view.pairs as f64,
            share: view.share,
            // Half the width of the interval, since pairs that all ended alike have no error.
            se: view.interval.half_width() / z,
        })
        .collect();
    Ratings::most_likely(players, &meetings)
}

/// One line a row.
fn pairs(rows: &[Record<'_>], views: &[View], varying: &[&str], measure: &str) -> Table {
    let varying: Vec<&str> = varying
        .iter()
        .copied()
        .filter(|name| *name != "player")
        .collect();
    let mut columns: Vec<(String, Align)> = varying
        .iter()
        .map(|name| (name.replace('_', " "), Align::Right))
        .collect();
    columns.extend(["player", "opponent"].map(|name| (name.to_owned(), Align::Left)));
    columns.extend(
        ["pairs", "won", "drawn", "lost", "points %"].map(|name| (name.to_owned(), Align::Right)),
    );
    columns.push((format!("mean {measure} difference a pair"), Align::Right));
    let has_test = rows.iter().any(is_tested);
    if has_test {
        columns.push(("verdict".to_owned(), Align::Left));
        columns.push(("estimate after stopping".to_owned(), Align::Right));
    }
    let mut table = Table::new(columns).keyed_by(varying.len() + 2);
    let names = names(rows);
    let mut views = views.iter();
    for row in rows {
        let field = |name: &str| row.get(name).unwrap_or("–").to_owned();
        let mut fields: Vec<String> = varying.iter().map(|name| field(name)).collect();
        let (first, second) = row
            .get("player")
            .and_then(|text| text.split_once(" / "))
            .unwrap_or_default();
        fields.extend([first.to_owned(), second.to_owned()]);
        fields.extend(["games", "wins", "draws", "losses"].map(field));
        let share = View::of(row, &names).and_then(|_| views.next());
        fields
            .push(share.map_or_else(|| "–".to_owned(), |view| percent(view.share, view.interval)));
        fields.push(difference(row));
        if has_test {
            fields.extend(tested(row).unwrap_or_else(|| ["–", "–"].map(str::to_owned)));
        }
        table.row(fields);
    }
    table
}

/// Whether the pairs of a row were played until a sequential test ended.
fn is_tested(row: &Record<'_>) -> bool {
    row.number("estimate").is_some()
}

/// The verdict of the sequential test of a row, and the corrected estimate of what it tested.
fn tested(row: &Record<'_>) -> Option<[String; 2]> {
    let estimate = row.number("estimate")?;
    let interval = with_interval(
        estimate,
        row.number("estimate_lo")?,
        row.number("estimate_hi")?,
    );
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
    let Some(mean) = row.number("difference_mean") else {
        return "–".to_owned();
    };
    let known = row
        .number("difference_mean_se")
        .zip(row.count("games"))
        .filter(|(se, _)| *se > 0.0 && !is_complete(row) && !is_tested(row));
    let Some((se, pairs)) = known else {
        return significant(mean, 6);
    };
    let estimate = tilelab_stats::Estimate {
        mean,
        se,
        df: pairs as f64 - 1.0,
    };
    let interval = estimate.interval(row.number("confidence").unwrap_or(0.95));
    with_interval(mean, interval.lo, interval.hi)
}

/// Whether the pairs of a row are all that there are.
fn is_complete(row: &Record<'_>) -> bool {
    is_certain(row)
}

fn percent(share: f64, interval: Interval) -> String {
    let Interval { lo, hi } = interval.scaled(100.0);
    if lo == hi {
        significant(100.0 * share, 6)
    } else {
        with_interval(100.0 * share, lo, hi)
    }
}

/// What the figures of matches are.
pub(super) fn note(rows: &[Record<'_>], level: &str) -> String {
    let mut text = format!(
        "A pair is two games: in games for one, both players meet the same spawns; in games for two, both seatings of one start. Points: a won \
         game 1, a drawn one ½, with the {level} interval of the mean over starts drawn at random (Student's t over pairs). Standings: the mean \
         over the rows of a player; Elo by maximum likelihood (Bradley–Terry), its interval from those of the pairs."
    );
    if rows.iter().any(is_complete) {
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
