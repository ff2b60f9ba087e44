//! Win rates as a cross table of two parameters, the form in which 67!'s authors print theirs.

use super::cells::Cells;
use super::factors::Factor;
use super::markdown::{decimals, distinct};
use super::table::{Align, Table};
use super::text::plain;
use std::fmt::Write;

/// One Markdown table for every table of the file and every combination of the other parameters:
/// the win rate in percent by `row` (down) and `column` (across). Both are parameters that vary, or
/// `size`.
///
/// # Errors
/// Says which parameter does not vary, and which ones do.
pub fn pivot(cells: &Cells, row: &str, column: &str) -> Result<String, String> {
    let factors = pivot_factors(cells, row, column);
    let index = |name: &str| {
        let names = |factor: &&(usize, &Factor)| factor.1.name.split(", ").any(|part| part == name);
        let numbered: Vec<(usize, &Factor)> = factors.iter().enumerate().collect();
        numbered
            .iter()
            .find(names)
            .map(|(index, _)| *index)
            .ok_or_else(|| {
                let known: Vec<&str> = factors.iter().map(|factor| factor.name.as_str()).collect();
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
    let others: Vec<&Factor> = factors
        .iter()
        .enumerate()
        .filter(|(at, _)| ![down, across].contains(at))
        .map(|(_, factor)| factor)
        .collect();
    let heading = |at: usize| {
        let title = cells.get(at, "table").unwrap_or_default();
        let label = cells.label(at, &others);
        if label.is_empty() {
            title.to_owned()
        } else {
            format!("{title} ({label})")
        }
    };
    let headings: Vec<String> = (0..cells.len()).map(heading).collect();
    let mut text = String::new();
    for title in distinct(headings.iter().map(String::as_str)) {
        let rows: Vec<usize> = (0..cells.len())
            .filter(|&at| headings[at] == title)
            .collect();
        let _ = writeln!(
            text,
            "### {}\n\n{}",
            plain(title),
            block(cells, &rows, &factors[down], &factors[across])
        );
    }
    let _ = writeln!(
        text,
        "Win % by {} and {}, to the precision of its interval.",
        factors[down].name, factors[across].name
    );
    Ok(text)
}

/// The factors of the file; rows and columns joined into `size` where that is asked for.
fn pivot_factors(cells: &Cells, row: &str, column: &str) -> Vec<Factor> {
    let mut factors = cells.factors();
    let wants_size = row == "size" || column == "size";
    if wants_size
        && !factors
            .iter()
            .any(|factor| factor.name.split(", ").any(|part| part == "size"))
    {
        factors.retain(|factor| !["rows", "cols"].contains(&factor.name.as_str()));
        factors.insert(0, cells.size());
    }
    factors
}

fn block(cells: &Cells, rows: &[usize], down: &Factor, across: &Factor) -> Table {
    let used = |factor: &Factor| {
        let values = (0..factor.values.len())
            .filter(|value| rows.iter().any(|&at| factor.of_row[at] == Some(*value)));
        values.collect::<Vec<usize>>()
    };
    let columns = used(across);
    let corner = format!("{} \\ {}", down.name, across.name);
    let heads = columns
        .iter()
        .map(|&value| (across.values[value].as_str(), Align::Right));
    let mut table = Table::new([(corner.as_str(), Align::Right)].into_iter().chain(heads));
    for value in used(down) {
        let rate = |&column: &usize| {
            let mut here = rows
                .iter()
                .filter(|&&at| down.of_row[at] == Some(value) && across.of_row[at] == Some(column));
            here.next()
                .and_then(|&at| rate_text(cells, at))
                .unwrap_or_else(|| "–".to_owned())
        };
        table.row(
            [down.values[value].clone()]
                .into_iter()
                .chain(columns.iter().map(rate)),
        );
    }
    table
}

/// The win rate with as many decimals as its interval supports.
fn rate_text(cells: &Cells, row: usize) -> Option<String> {
    let rate = cells.number(row, "win_pct")?;
    let half_width = cells.number(row, "win_pct_hi")? - cells.number(row, "win_pct_lo")?;
    let digits = decimals(half_width / 2.0);
    Some(format!("{rate:.digits$}"))
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
        let text = pivot(&cells(), "size", "rate").unwrap();
        assert!(text.starts_with("### T (a)\n\n| size \\ rate | 0.5 | 0.6 |\n| ---: | ---: | ---: |\n| 4x4 | 2.00 | 2.40 |\n| 10x10 | 5.00 | 6.00 |\n\n### T (b)\n"), "{text}");
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
