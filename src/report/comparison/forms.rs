//! A comparison as CSV, as text for a terminal, and as a Markdown table.

use super::{Analysis, Difference, Equivalence, Options, Pair};
use crate::report::cells::{Record, decimal};
use crate::report::markdown::{decimals, p_text, significant};
use crate::report::other_files::COMPARISON;
use crate::report::schema::names;
use crate::report::table::{Align, Table};
use crate::report::text::plain;
use crate::stats::Interval;
use std::fmt::Write;

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
#[must_use]
pub fn to_csv(pairs: &[Pair<'_>], options: &Options) -> Vec<u8> {
    let alpha = options.alpha();
    let measure = options.measure.as_deref();
    let mut writer = csv::Writer::from_writer(Vec::new());
    writer
        .write_record(names(&COMPARISON))
        .expect("memory takes every record");
    for pair in pairs {
        let field = |row: &Record<'_>, name: &str| row.get(name).unwrap_or_default().to_owned();
        let a = &pair.a;
        let b = &pair.b;
        let mut record = vec![
            field(a, "table"),
            field(a, "cell"),
            field(b, "cell"),
            field(a, "seed"),
            field(b, "seed"),
        ];
        record.extend([
            pair.analysis.name().to_owned(),
            field(a, "games"),
            field(b, "games"),
        ]);
        record.push(
            pair.games_paired
                .map(|games| games.to_string())
                .unwrap_or_default(),
        );
        let numbers = |at: usize, difference: Option<Difference>, unit: f64| {
            let sides = pair
                .sides
                .map(|side| side[at].map(decimal).unwrap_or_default());
            let tested = difference.map(|found| {
                let interval = found.interval.scaled(unit);
                let [value, lo, hi] = [found.value * unit, interval.lo, interval.hi];
                let [p_exact, gain] = [found.p_exact.map(p_number), found.gain.map(decimal)]
                    .map(Option::unwrap_or_default);
                let [p_value, p_holm] = [found.p_value, found.p_holm].map(p_number);
                [
                    decimal(value),
                    decimal(lo),
                    decimal(hi),
                    p_value,
                    p_exact,
                    p_holm,
                    gain,
                ]
            });
            sides.into_iter().chain(tested.unwrap_or_default())
        };
        record.extend(numbers(0, pair.rates, 100.0));
        record.extend(numbers(1, pair.moves, 1.0));
        record.push(pair.differs(alpha).to_string());
        let equivalence = pair
            .equivalence
            .map(|test| [test.p_value, test.p_holm].map(p_number));
        record.extend(equivalence.unwrap_or_default());
        record.push(pair.measure.and(measure).unwrap_or_default().to_owned());
        record.extend(numbers(2, pair.measure, 1.0));
        writer
            .write_record(&record)
            .expect("memory takes every record");
    }
    writer.into_inner().expect("memory takes every record")
}

/// The most columns of a line for a terminal.
const COLUMNS: usize = 100;

/// The key of a cell after its letter, in lines of at most [`COLUMNS`] columns that end after a
/// part of the key.
fn key_lines(letter: char, key: &str) -> String {
    const INDENT: &str = "   ";
    let room = COLUMNS - INDENT.len();
    let mut lines = vec![String::new()];
    let mut width = 0;
    for part in key.split_inclusive([',', '/']) {
        let long = part.chars().count();
        if width > 0 && width + long > room {
            lines.push(String::new());
            width = 0;
        }
        for character in part.chars() {
            // A part that is longer than a line is cut.
            if width == room {
                lines.push(String::new());
                width = 0;
            }
            lines.last_mut().expect("there is a line").push(character);
            width += 1;
        }
    }
    format!("{letter}  {}\n", lines.join(&format!("\n{INDENT}")))
}

/// The comparison for a terminal: each pair in a few lines of at most 100 columns.
#[must_use]
pub fn to_text(pairs: &[Pair<'_>], options: &Options) -> String {
    let alpha = options.alpha();
    let measure = options.measure.as_deref().unwrap_or_default();
    let mut text = String::new();
    for pair in pairs {
        let name = |row: &Record<'_>| plain(row.get("cell").unwrap_or("–")).into_owned();
        let games = |row: &Record<'_>| row.get("games").unwrap_or("–").to_owned();
        let a = name(&pair.a);
        let b = name(&pair.b);
        text.push_str(&key_lines('A', &a));
        text.push_str(&key_lines('B', if a == b { "the same cell" } else { &b }));
        let of_games = match pair.games_paired {
            Some(games) => format!("{games} pairs of games"),
            None => format!("{} and {} games", games(&pair.a), games(&pair.b)),
        };
        let _ = writeln!(text, "   {}, {of_games}", pair.analysis.name());
        let differences = [
            ("win %", pair.rates, 100.0),
            ("moves", pair.moves, 1.0),
            (measure, pair.measure, 1.0),
        ];
        for (at, (what, difference, unit)) in differences.into_iter().enumerate() {
            let Some(found) = difference else { continue };
            let Interval { lo, hi } = found.interval.scaled(unit);
            let digits = decimals((hi - lo) / 2.0);
            let side = |side: usize| {
                pair.sides[side][at].map_or("–".to_owned(), |value| format!("{value:.digits$}"))
            };
            let value = found.value * unit;
            let interval = if lo < hi {
                format!(" [{lo:+.digits$}, {hi:+.digits$}]")
            } else {
                String::new()
            };
            let p = if pair.analysis == Analysis::SameGames {
                String::new()
            } else {
                let exact = found
                    .p_exact
                    .map_or(String::new(), |p| format!(" (exact {})", p_text(p)));
                format!(
                    ", p {}{exact}, Holm {}",
                    p_text(found.p_value),
                    p_text(found.p_holm)
                )
            };
            let _ = writeln!(
                text,
                "   {what}: {} → {}, difference {value:+.digits$}{interval}{p}",
                side(0),
                side(1)
            );
            if let Some(gain) = found.gain {
                let _ = writeln!(
                    text,
                    "      worth {}× as many unpaired games",
                    significant(gain, 2)
                );
            }
        }
        if let Some(Equivalence {
            margin,
            p_value,
            p_holm,
        }) = pair.equivalence
        {
            let margin = significant(100.0 * margin, 6);
            let verdict = if p_holm <= alpha {
                "equivalent"
            } else {
                "no evidence of equivalence"
            };
            let p = format!("p {}, Holm {}", p_text(p_value), p_text(p_holm));
            let _ = writeln!(text, "   win % within ± {margin} points: {verdict}, {p}");
        }
        let verdict = match (pair.changed, pair.differs(alpha), pair.analysis) {
            (true, ..) => "different: the same games gave other results",
            (_, true, _) => "different",
            (_, _, Analysis::SameGames) => "the games are the same",
            _ => "no evidence of a difference",
        };
        let _ = writeln!(text, "   {verdict}\n");
    }
    text
}

/// The comparison as a Markdown table.
#[must_use]
pub fn to_markdown(pairs: &[Pair<'_>], options: &Options) -> String {
    use Align::{Left, Right};
    let alpha = options.alpha();
    let mut columns = ["table", "A", "B", "analysis"]
        .map(|name| (name.to_owned(), Left))
        .to_vec();
    let mut compared =
        |names: [&str; 4]| columns.extend(names.map(|name| (name.to_owned(), Right)));
    compared(["win % A", "win % B", "difference in points", "p (Holm)"]);
    compared(["mean moves A", "mean moves B", "difference", "p (Holm)"]);
    if let Some(measure) = &options.measure {
        compared([
            &format!("mean {measure} A"),
            &format!("mean {measure} B"),
            "difference",
            "p (Holm)",
        ]);
    }
    columns.push(("different".to_owned(), Left));
    let has_margin = pairs.iter().any(|pair| pair.equivalence.is_some());
    if has_margin {
        columns.push(("equivalent, p (Holm)".to_owned(), Left));
    }
    let mut table = Table::new(columns.iter().map(|(name, align)| (name.as_str(), *align)));
    for pair in pairs {
        let plain = |row: &Record<'_>, name: &str| row.get(name).unwrap_or("–").to_owned();
        let short =
            |value: Option<f64>| value.map_or("–".to_owned(), |value| significant(value, 5));
        let difference = |found: Option<Difference>, unit: f64| match found {
            Some(Difference {
                value,
                interval,
                p_holm,
                ..
            }) => {
                let Interval { lo, hi } = interval.scaled(unit);
                let value = value * unit;
                let digits = decimals((hi - lo) / 2.0);
                let text = match lo < hi {
                    true => format!("{value:+.digits$} [{lo:+.digits$}, {hi:+.digits$}]"),
                    false => significant(value, 6),
                };
                [text, p_text(p_holm)]
            }
            None => ["–".to_owned(), "–".to_owned()],
        };
        let analysis = match pair.games_paired {
            Some(games) => format!("{} ({games} games)", pair.analysis.name()),
            None => pair.analysis.name().to_owned(),
        };
        let a = &pair.a;
        let b = &pair.b;
        let different = match (pair.changed, pair.differs(alpha)) {
            (true, _) => "**yes**: the same games gave other results",
            (_, true) => "**yes**",
            (_, false) if pair.analysis == Analysis::SameGames => "no: the games are the same",
            (_, false) => "no",
        };
        let same_cell = a.get("cell") == b.get("cell");
        let cell_b = if same_cell {
            "same".to_owned()
        } else {
            format!("`{}`", plain(b, "cell"))
        };
        let mut fields = vec![
            plain(a, "table"),
            format!("`{}`", plain(a, "cell")),
            cell_b,
            analysis,
        ];
        let mut compared = |at: usize, found: Option<Difference>, unit: f64| {
            fields.extend(pair.sides.map(|side| short(side[at])));
            fields.extend(difference(found, unit));
        };
        compared(0, pair.rates, 100.0);
        compared(1, pair.moves, 1.0);
        if options.measure.is_some() {
            compared(2, pair.measure, 1.0);
        }
        fields.push(different.to_owned());
        if has_margin {
            fields.push(pair.equivalence.map_or("–".to_owned(), |test| {
                let verdict = if test.p_holm <= alpha {
                    "**yes**"
                } else {
                    "no"
                };
                format!("{verdict}, {}", p_text(test.p_holm))
            }));
        }
        table.row(fields);
    }
    table.to_string()
}

/// What the figures are and how they were found, as one paragraph.
#[must_use]
pub fn notes(pairs: &[Pair<'_>], options: &Options) -> String {
    let mut text = format!(
        "Differences are B less A, each with its {} % interval: Newcombe's (rates) and Welch's (means) for unpaired cells, \
         Tango's (rates) and Student's (means) over pairs; rates of splitting are compared by the intervals of their replications. p-values (Fisher's mid-p, Welch's; in pairs McNemar's mid-p, Student's) are adjusted for all {} \
         comparisons by Holm's method.",
        (options.confidence * 1e8).round() / 1e6,
        pairs
            .iter()
            .map(|pair| pair.differences().count())
            .sum::<usize>()
    );
    if pairs.iter().any(|pair| pair.equivalence.is_some()) {
        text.push_str(
            " Equivalence: two one-sided tests (Schuirmann's z tests for unpaired cells, Tango's score tests over pairs), their p-values \
             adjusted by Holm's method apart from the others; none where two unpaired cells have no variance.",
        );
    }
    if pairs.iter().any(|pair| pair.analysis == Analysis::Nested) {
        text.push_str(
            " Nested results have the games of the shorter run in common: they cannot confirm each other, and their intervals, which treat them as \
             independent, are too wide.",
        );
    }
    if pairs
        .iter()
        .any(|pair| pair.analysis == Analysis::UnpairedThoughPairable)
    {
        text.push_str(
            " Cells that could be paired met common random worlds, but totals do not tell which games both won: their intervals treat \
             them as independent and are as a rule too wide. `--paired` compares their games in pairs.",
        );
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_broken_between_their_parts() {
        assert_eq!(
            key_lines('A', "2048/rows=4,cols=4/random"),
            "A  2048/rows=4,cols=4/random\n"
        );
        let parts = ["parameter=17"; 10].join(",");
        let lines = key_lines('B', &format!("game/{parts}/{}", "x".repeat(120)));
        assert!(
            lines.lines().all(|line| line.chars().count() <= COLUMNS),
            "{lines}"
        );
        assert!(lines.lines().next().unwrap().ends_with("=17,"), "{lines}");
        let joined: String = lines.lines().map(|line| &line[3..]).collect();
        assert_eq!(joined, format!("game/{parts}/{}", "x".repeat(120)));
    }

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
