//! A comparison as CSV and as a table.

use super::{Analysis, ComparisonOptions, Difference, Equivalence, Pair};
use crate::cells::{Record, csv_of, decimal, number, shown};
use crate::columns::dashed;
use crate::figures::{decimals, p_text, significant};
use crate::labels;
use crate::schema::{self, COMPARISON};
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};
use tilelab_stats::Interval;

/// A p-value in a file: as a decimal, or in scientific form where that has many zeros.
fn p_number(p: f64) -> String {
    if p > 0.0 && p < 1e-4 {
        format!(
            "{:e}",
            decimal(p).parse::<f64>().expect("a decimal reads back")
        )
    } else {
        decimal(p)
    }
}

/// The comparison as CSV; rates in percent, differences B less A.
pub fn to_csv(pairs: &[Pair<'_>], options: &ComparisonOptions) -> Vec<u8> {
    let alpha = options.alpha();
    let measure = options.measure.as_deref();
    let record = |pair: &Pair<'_>| {
        let field = |row: &Record<'_>, name: &str| row.get(name).unwrap_or_default().to_owned();
        let Pair { a, b, .. } = pair;
        let mut record = vec![
            field(a, "table"),
            field(a, "cell"),
            field(b, "cell"),
            field(a, "seed"),
            field(b, "seed"),
            pair.analysis.name().to_owned(),
            field(a, "games"),
            field(b, "games"),
            shown(pair.games_paired),
        ];
        let numbers = |at: usize, unit: f64| {
            let sides = pair.sides.map(|side| number(side[at]));
            let tested = pair.differences[at].map(|found| {
                let interval = found.interval.scaled(unit);
                let [value, lo, hi] = [found.value * unit, interval.lo, interval.hi];
                let [value, lo, hi] = [value, lo, hi].map(decimal);
                let [p_value, p_holm] = [found.p_value, found.p_holm].map(p_number);
                let p_exact = shown(found.p_exact.map(p_number));
                [value, lo, hi, p_value, p_exact, p_holm, number(found.gain)]
            });
            sides.into_iter().chain(tested.unwrap_or_default())
        };
        record.extend(numbers(0, 100.0));
        record.extend(numbers(1, 1.0));
        record.push(pair.differs(alpha).to_string());
        let equivalence = pair
            .equivalence
            .map(|test| [test.p_value, test.p_holm].map(p_number));
        record.extend(equivalence.unwrap_or_default());
        record.push(
            pair.differences[2]
                .and(measure)
                .unwrap_or_default()
                .to_owned(),
        );
        record.extend(numbers(2, 1.0));
        record
    };
    csv_of(schema::names(&COMPARISON), pairs.iter().map(record))
}

/// What a row of the table says of a pair: its name, the columns `cell`, `A` and `B`, and how it
/// was analysed.
fn described(pairs: &[Pair<'_>]) -> Vec<[String; 5]> {
    let analysis = |pair: &Pair<'_>| {
        let games = |row: &Record<'_>| row.get("games").unwrap_or("–").to_owned();
        let of_games = match pair.games_paired {
            Some(games) => {
                let left_out = match pair.pairs_forfeited {
                    0 => String::new(),
                    pairs => format!(" ({pairs} more left out: a player forfeited)"),
                };
                format!("{games} pairs of games{left_out}")
            }
            None => format!("{} and {} games", games(&pair.a), games(&pair.b)),
        };
        format!("{}, {of_games}", pair.analysis.name())
    };
    let rows: Vec<_> = pairs.iter().map(|pair| [pair.a, pair.b]).collect();
    let names = labels::of_pairs(&rows);
    pairs
        .iter()
        .zip(names)
        .map(|(pair, [both, a, b])| {
            let title = pair.a.get("table").unwrap_or_default().to_owned();
            [title, both, a, b, analysis(pair)]
        })
        .collect()
}

/// The comparison as tables: what all pairs have in common in a line, then a row for each figure
/// of each pair.
pub fn document(pairs: &[Pair<'_>], options: &ComparisonOptions) -> Document {
    use Align::{Left, Right};
    const NAMES: [&str; 5] = ["table", "cell", "A", "B", "analysis"];
    let alpha = options.alpha();
    let described = described(pairs);
    let is_column = |at: usize| {
        let is_side = ["A", "B"].contains(&NAMES[at]);
        let varies = described.iter().any(|known| known[at] != described[0][at]);
        let has_sides = |known: &[String; 5]| !known[2].is_empty() || !known[3].is_empty();
        varies || is_side && described.iter().any(has_sides)
    };
    let (varying, common): (Vec<usize>, Vec<usize>) =
        (0..NAMES.len()).partition(|&at| is_column(at));
    let common: Vec<_> = common
        .iter()
        .map(|&at| described[0][at].as_str())
        .filter(|text| !text.is_empty())
        .collect();
    let has_gain = pairs.iter().any(has_gain);
    let equivalence = pairs.iter().find_map(|pair| pair.equivalence);
    let within = equivalence.map(|test| {
        let margin = significant(100.0 * test.margin, 6);
        format!("within ± {margin} percentage points")
    });
    let mut columns: Vec<_> = varying.iter().map(|&at| (NAMES[at], Left)).collect();
    columns.push(("figure", Left));
    let keys = columns.len();
    let numbers = ["of A", "of B", "difference", "p (exact)", "p (Holm)"];
    columns.extend(numbers.map(|name| (name, Right)));
    if has_gain {
        columns.push(("worth", Right));
    }
    columns.push(("verdict", Left));
    columns.extend(within.iter().map(|within| (within.as_str(), Left)));
    let mut table = Table::new(columns).keyed_by(keys);
    let measure = options.measure.as_deref().unwrap_or_default();
    let figures = [("win %", 100.0), ("moves", 1.0), (measure, 1.0)];
    for (pair, known) in pairs.iter().zip(&described) {
        for (at, (figure, unit)) in figures.into_iter().enumerate() {
            let Some(found) = pair.differences[at] else {
                continue;
            };
            let mut fields: Vec<String> = varying
                .iter()
                .map(|&at| dashed(Some(known[at].as_str()).filter(|name| !name.is_empty())))
                .collect();
            fields.push(figure.to_owned());
            fields.extend(difference_fields(pair, at, &found, unit));
            if has_gain {
                fields.push(dashed(found.gain.map(|gain| significant(gain, 2) + "×")));
            }
            let verdict = match pair.analysis {
                _ if pair.changed => "different: the same games gave other results",
                Analysis::SameGames => "the games are the same",
                _ if found.p_holm <= alpha => "different",
                _ => "no evidence of a difference",
            };
            fields.push(verdict.to_owned());
            if within.is_some() {
                let tested = pair.equivalence.filter(|_| at == 0);
                fields.push(dashed(tested.map(|test| equivalence_text(&test, alpha))));
            }
            table.row(fields);
        }
    }
    let mut document = Document::default();
    if !common.is_empty() {
        document.text(&common.join("; "));
    }
    document.table(table);
    document
}

/// Whether a figure of a pair was compared over pairs of games that vary.
fn has_gain(pair: &Pair<'_>) -> bool {
    pair.found().any(|found| found.gain.is_some())
}

/// The values of A and B, their difference with its interval, and its p-values.
fn difference_fields(pair: &Pair<'_>, at: usize, found: &Difference, unit: f64) -> [String; 5] {
    let Interval { lo, hi } = found.interval.scaled(unit);
    let value = found.value * unit;
    let digits = decimals((hi - lo) / 2.0);
    let [a, b] = pair
        .sides
        .map(|side| dashed(side[at].map(|value| format!("{value:.digits$}"))));
    let difference = if lo < hi {
        format!("{value:+.digits$} [{lo:+.digits$}, {hi:+.digits$}]")
    } else {
        format!("{value:+.digits$}")
    };
    let is_tested = pair.analysis != Analysis::SameGames;
    let [p_value, p_holm] = [found.p_value, found.p_holm].map(p_text);
    let p_value = match found.p_exact {
        Some(p) => format!("{p_value} ({})", p_text(p)),
        None => p_value,
    };
    let [p_value, p_holm] = [p_value, p_holm].map(|text| dashed(is_tested.then_some(text)));
    [a, b, difference, p_value, p_holm]
}

fn equivalence_text(test: &Equivalence, alpha: f64) -> String {
    let verdict = if test.p_holm <= alpha {
        "equivalent"
    } else {
        "no evidence of equivalence"
    };
    let [p_value, p_holm] = [test.p_value, test.p_holm].map(p_text);
    format!("{verdict}, p {p_value}, Holm {p_holm}")
}

/// The comparison as a Markdown table.
pub fn to_markdown(pairs: &[Pair<'_>], options: &ComparisonOptions) -> String {
    document(pairs, options).to_string()
}

/// What the figures are and how they were found, as one paragraph.
pub fn notes(pairs: &[Pair<'_>], options: &ComparisonOptions) -> String {
    let mut text = format!(
        "Differences are B minus A, each with its {} % interval: Newcombe's (rates) and Welch's (means) for unpaired cells, \
         Tango's (rates) and Student's (means) over pairs; rates of splitting and of cells with a stopping rule are compared by their own intervals. p-values (Fisher's mid-p, Welch's; in pairs McNemar's mid-p, Student's) are adjusted for all {} \
         comparisons by Holm's method.",
        (options.confidence * 1e8).round() / 1e6,
        pairs.iter().flat_map(Pair::found).count()
    );
    if pairs.iter().any(has_gain) {
        text +=
            " Worth: the number of unpaired games that give the same precision as one paired game.";
    }
    if pairs.iter().any(|pair| pair.equivalence.is_some()) {
        text += " Equivalence: two one-sided tests (Schuirmann's z tests for unpaired cells, Tango's score tests over pairs), their p-values \
            adjusted by Holm's method apart from the others; none where two unpaired cells have no variance.";
    }
    if pairs.iter().any(|pair| pair.analysis == Analysis::Nested) {
        text += " Nested results have the games of the shorter run in common: they cannot confirm each other, and their intervals, which treat them as \
            independent, are too wide.";
    }
    if pairs
        .iter()
        .any(|pair| pair.analysis == Analysis::UnpairedThoughPairable)
    {
        text += " Cells that could be paired met common random worlds, but totals do not tell which games both won: their intervals treat \
            them as independent and are as a rule too wide. `--paired` compares their games in pairs.";
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn small_p_values_are_written_in_scientific_form() {
        let written = [0.0, 1.0, 0.25, 1e-4, 1.25e-5, 1.0 / 3e7, 5e-324].map(p_number);
        assert_eq!(
            written,
            [
                "0",
                "1",
                "0.25",
                "0.0001",
                "1.25e-5",
                "3.33333333333e-8",
                "5e-324"
            ]
        );
    }
}
