//! Win rates as a cross table of two parameters, the form in which 67!'s authors print theirs.

use super::cells::{Cells, Record};
use super::columns::dashed;
use super::figures::{decimals, distinct};
use super::labels::Factor;
use crate::plots::heat_map::used;
use crate::plots::lines::without;
use tilelab_output::document::Document;
use tilelab_output::table::{Align, Table};
use tilelab_stats::Interval;

/// One table for every table of the file and every combination of the other parameters:
/// the win rate in percent by `row` (down) and `column` (across). Both are parameters that vary, or
/// `size`.
///
/// # Errors
/// Says which parameter does not vary, and which ones do.
pub fn pivot(cells: &Cells, row: &str, column: &str) -> Result<Document, String> {
    let factors = pivot_factors(cells, row, column);
    let index = |name: &str| {
        let is_named = |factor: &Factor| factor.name.split(", ").any(|part| part == name);
        factors.iter().position(is_named).ok_or_else(|| {
            let known: Vec<_> = factors.iter().map(|factor| factor.name.as_str()).collect();
            format!(
                "{name} does not vary in this file; these do: {}",
                known.join("; ")
            )
        })
    };
    let down = index(row)?;
    let across = index(column)?;
    if down == across {
        return Err(format!(
            "{row} and {column} change together; name two parameters that vary independently"
        ));
    }
    let others = without(&factors, &[down, across]);
    let heading = |at: usize| {
        let title = cells.get(at, "table").unwrap_or_default();
        match crate::labels::label(&others, at).as_str() {
            "" => title.to_owned(),
            label => format!("{title} ({label})"),
        }
    };
    let headings: Vec<String> = (0..cells.len()).map(heading).collect();
    let mut document = Document::default();
    for title in distinct(headings.iter().map(String::as_str)) {
        let rows: Vec<usize> = (0..cells.len())
            .filter(|&at| headings[at] == title)
            .collect();
        document.heading(title);
        for (title, figure) in FIGURES {
            // As many decimals as the most precise interval supports.
            let digits = |&at: &usize| {
                let interval = interval(&cells.record(at), figure)?;
                Some(decimals(interval.half_width()))
            };
            let Some(digits) = rows.iter().filter_map(digits).max() else {
                continue;
            };
            document.text(title);
            let text = |at: usize| {
                let row = cells.record(at);
                let value = row.number(figure)?;
                let Interval { lo, hi } = interval(&row, figure)?;
                Some(format!("{value:.digits$} [{lo:.digits$}, {hi:.digits$}]"))
            };
            let factors = [&factors[down], &factors[across]];
            document.table(block(&rows, factors, text));
        }
    }
    let level = cells.confidence_text();
    document.text(&format!(
        "By {} and {}. Brackets: {level} intervals.",
        factors[down].name, factors[across].name
    ));
    Ok(document)
}

/// The factors of the file; rows and columns joined into `size` where that is asked for.
fn pivot_factors(cells: &Cells, row: &str, column: &str) -> Vec<Factor> {
    let mut factors = cells.factors();
    let is_size = |factor: &Factor| factor.name.split(", ").any(|part| part == "size");
    if [row, column].contains(&"size") && !factors.iter().any(is_size) {
        factors.retain(|factor| !["rows", "cols"].contains(&factor.name.as_str()));
        factors.insert(0, cells.size());
    }
    factors
}

/// A cross table of the texts of these rows.
fn block(
    rows: &[usize],
    [down, across]: [&Factor; 2],
    text: impl Fn(usize) -> Option<String>,
) -> Table {
    let columns = used(across, rows);
    let corner = format!("{} \\ {}", down.name, across.name);
    let heads = columns
        .iter()
        .map(|&value| (across.values[value].as_str(), Align::Right));
    let mut table = Table::new([(corner.as_str(), Align::Right)].into_iter().chain(heads));
    for value in used(down, rows) {
        let rate = |&column: &usize| {
            let mut here = rows
                .iter()
                .filter(|&&at| down.of_row[at] == Some(value) && across.of_row[at] == Some(column));
            dashed(here.next().and_then(|&at| text(at)))
        };
        let name = down.values[value].clone();
        table.row([name].into_iter().chain(columns.iter().map(rate)));
    }
    table
}

/// What cross tables show of a cell: the title, and the column of the figure.
const FIGURES: [(&str, &str); 2] = [("Win %", "win_pct"), ("Mean moves", "moves_mean")];

/// The interval of a figure.
fn interval(row: &Record<'_>, figure: &str) -> Option<Interval> {
    if figure == "win_pct" {
        let [lo, hi] = row.numbers(["win_pct_lo", "win_pct_hi"])?;
        return Some(Interval { lo, hi });
    }
    Some(row.mean(figure)?.interval(row.number("confidence")?))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cells() -> Cells {
        let mut text =
            "table,cell,game,player,seed,rules,rows,cols,rate,games,win_pct,win_pct_lo,win_pct_hi\n".to_owned();
        for rules in ["a", "b"] {
            for side in [4, 10] {
                for rate in [0.5, 0.6] {
                    let pct = f64::from(side) * rate;
                    text += &format!(
                        "T,x,g,p,1,{rules},{side},{side},{rate},9,{pct},{},{}\n",
                        pct - 0.5,
                        pct + 0.5
                    );
                }
            }
        }
        Cells::parse("x.csv", text.as_bytes(), &[]).unwrap()
    }

    #[test]
    fn two_parameters_span_a_table_for_each_of_the_others() {
        let text = pivot(&cells(), "size", "rate").unwrap().to_string();
        assert!(text.starts_with("### T (a)\n\nWin %\n\n| size \\ rate | 0.5 | 0.6 |\n| ---: | ---: | ---: |\n| 4x4 | 2.00 [1.50, 2.50] | 2.40 [1.90, 2.90] |\n| 10x10 | 5.00 [4.50, 5.50] | 6.00 [5.50, 6.50] |\n\n### T (b)\n"), "{text}");
    }

    /// A cell with few games beside one with many: all have the digits of the most precise.
    #[test]
    fn digits_are_even_and_moves_have_a_table_of_their_own() {
        let text = "table,cell,game,player,seed,a,b,games,win_pct,win_pct_lo,win_pct_hi,moves_mean,moves_mean_se,confidence\n\
                    T,x,g,p,1,1,1,9,50,20,80,7,0.5,0.95\nT,y,g,p,1,1,2,9,40,39.8,40.2,8,0.01,0.95\nT,z,g,p,1,2,1,9,30,20,40,9,1,0.95\n";
        let cells = Cells::parse("x.csv", text.as_bytes(), &[]).unwrap();
        let text = pivot(&cells, "a", "b").unwrap().to_string();
        assert!(
            text.contains("| 1 | 50.00 [20.00, 80.00] | 40.00 [39.80, 40.20] |\n| 2 | 30.00 [20.00, 40.00] | – |\n"),
            "{text}"
        );
        assert!(
            text.contains("Mean moves\n\n")
                && text.contains("| 1 | 7.000 [5.847, 8.153] | 8.000 [7.977, 8.023] |\n"),
            "{text}"
        );
    }

    #[test]
    fn parameters_that_do_not_vary_are_refused() {
        assert_eq!(
            pivot(&cells(), "player", "rate").unwrap_err(),
            "player does not vary in this file; these do: rules; size; rate"
        );
        assert!(
            pivot(&cells(), "rate", "rate")
                .unwrap_err()
                .contains("change together")
        );
    }
}
