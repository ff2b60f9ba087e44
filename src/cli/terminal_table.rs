//! The tables of a finished run on standard output.

use anyhow::Context;
use std::io::Write;

/// The most rows of a table that are shown.
const ROWS_MAX: usize = 200;

/// Prints the tables of a results folder.
pub fn print(tables: &str) -> anyhow::Result<()> {
    let mut output = std::io::stdout().lock();
    output
        .write_all(aligned(tables).as_bytes())
        .context("standard output cannot be written")
}

/// The text with the columns of its Markdown tables brought to one width; it stays Markdown.
/// Tables are cut after [`ROWS_MAX`] rows.
fn aligned(text: &str) -> String {
    let mut aligned = String::new();
    let mut table: Vec<&str> = Vec::new();
    for line in text.lines() {
        if line.starts_with('|') {
            table.push(line);
            continue;
        }
        write_table(&mut aligned, &std::mem::take(&mut table));
        aligned += line;
        aligned.push('\n');
    }
    write_table(&mut aligned, &table);
    aligned
}

fn write_table(text: &mut String, lines: &[&str]) {
    let shown = lines.len().min(2 + ROWS_MAX);
    let rows: Vec<Vec<&str>> = lines[..shown].iter().map(|line| fields(line)).collect();
    let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
    let width = |column: usize| {
        rows.iter()
            .filter_map(|row| row.get(column))
            .map(|field| field.chars().count())
            .max()
    };
    let widths: Vec<usize> = (0..columns)
        .map(|column| width(column).unwrap_or(0))
        .collect();
    let is_right: Vec<bool> = rows.get(1).map_or_else(Vec::new, |rule| {
        rule.iter().map(|f| f.ends_with(':')).collect()
    });
    for (number, row) in rows.iter().enumerate() {
        for (column, (field, &width)) in row.iter().zip(&widths).enumerate() {
            let is_right = is_right.get(column).copied().unwrap_or(false);
            *text += &match (number == 1, is_right) {
                (true, true) => format!("| {:->1$} ", ":", width),
                (true, false) => format!("| {:-<1$} ", "-", width),
                (false, true) => format!("| {field:>width$} "),
                (false, false) => format!("| {field:<width$} "),
            };
        }
        *text += "|\n";
    }
    if shown < lines.len() {
        *text += &format!("… and {} more rows, in table.md\n", lines.len() - shown);
    }
}

/// The fields of a row; an escaped bar belongs to its field.
fn fields(line: &str) -> Vec<&str> {
    let inner = line.strip_prefix('|').unwrap_or(line);
    let inner = inner.strip_suffix('|').unwrap_or(inner);
    let mut is_escaped = false;
    let bars = |character: char| {
        let ends = character == '|' && !is_escaped;
        is_escaped = character == '\\' && !is_escaped;
        ends
    };
    inner.split(bars).map(str::trim).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn columns_get_one_width() {
        let text =
            "### t\n\n| a | long name |\n| --- | ---: |\n| x\\|y | 1 |\n| ü | 10 |\n\nNote.\n";
        let wanted = "### t\n\n| a    | long name |\n| ---- | --------: |\n| x\\|y |         1 |\n| ü    |        10 |\n\nNote.\n";
        assert_eq!(aligned(text), wanted);
    }

    #[test]
    fn long_tables_are_cut() {
        let rows: String = (0..ROWS_MAX + 5)
            .map(|row| format!("| {row} |\n"))
            .collect();
        let text = aligned(&format!("| n |\n| ---: |\n{rows}"));
        assert_eq!(text.lines().count(), 2 + ROWS_MAX + 1);
        assert!(text.ends_with("… and 5 more rows, in table.md\n"), "{text}");
    }
}
