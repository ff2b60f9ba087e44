//! Tables: the one writer of them, as Markdown and for a terminal.

use crate::text::{columns_of, markdown, plain, wrapped};
use std::borrow::Cow;
use std::fmt;

/// The most rows that a terminal shows.
const ROWS_MAX: usize = 200;
/// Blanks between two columns on a terminal.
const GAP: usize = 2;

/// Where the fields of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// At the left, for text.
    Left,
    /// At the right, for numbers.
    Right,
}

/// A table. Its `Display` is Markdown with a line end after every row.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
    keys: usize,
}

impl Table {
    /// A table with these columns and no rows yet.
    pub fn new<S: Into<String>>(columns: impl IntoIterator<Item = (S, Align)>) -> Self {
        let columns = columns
            .into_iter()
            .map(|(name, align)| (name.into(), align))
            .collect();
        Self {
            columns,
            rows: Vec::new(),
            keys: 1,
        }
    }

    /// Says how many of the first columns tell the rows apart; without it, the first does. A
    /// terminal that is too narrow for all columns shows these beside each part of the others.
    #[must_use]
    pub fn keyed_by(mut self, keys: usize) -> Self {
        self.keys = keys;
        self
    }

    /// Adds a row with a field for each column.
    ///
    /// # Panics
    /// When there are more or fewer fields than columns.
    pub fn row<S: Into<String>>(&mut self, fields: impl IntoIterator<Item = S>) {
        let row: Vec<String> = fields.into_iter().map(Into::into).collect();
        assert_eq!(row.len(), self.columns.len(), "a field for each column");
        self.rows.push(row);
    }

    /// The table for a terminal of `width` columns.
    ///
    /// Lines are broken between words only. A table that is wider is shown in parts below each
    /// other, as pandas does. Rows beyond the first 200 are counted, not shown.
    pub fn to_terminal(&self, width: usize) -> String {
        let rows: Vec<Vec<_>> = self
            .rows
            .iter()
            .take(ROWS_MAX)
            .map(|row| row.iter().map(|field| unmarked(field)).collect())
            .collect();
        let keys = self.keys.min(self.columns.len());
        // The widest field by this measure; a heading may take several lines.
        let widest = |column: usize, measure: fn(&str) -> usize| {
            rows.iter()
                .map(|row| measure(&row[column]))
                .fold(longest_word(&self.columns[column].0), usize::max)
        };
        let mut widths: Vec<usize> = (0..self.columns.len())
            .map(|column| widest(column, columns_of))
            .collect();
        let least = |column| widest(column, longest_word);
        let taken = |widths: &[usize]| {
            widths[..keys]
                .iter()
                .map(|width| width + GAP)
                .sum::<usize>()
        };
        // The widest key leaves room for the words of the other columns.
        if let Some(widest) = (0..keys).max_by_key(|&column| widths[column]) {
            let others = (keys..self.columns.len()).map(least).max().unwrap_or(0);
            let excess = (taken(&widths) + others).saturating_sub(width);
            widths[widest] = widths[widest].saturating_sub(excess).max(least(widest));
        }
        let room = width.saturating_sub(taken(&widths));
        for (column, width) in widths.iter_mut().enumerate().skip(keys) {
            *width = room.max(least(column)).min(*width);
        }
        let mut text = String::new();
        for part in parts(&widths, keys, room) {
            if !text.is_empty() {
                text.push('\n');
            }
            self.write_part(&mut text, &part, &widths, &rows);
        }
        if self.rows.len() > ROWS_MAX {
            text += &format!("… and {} more rows\n", self.rows.len() - ROWS_MAX);
        }
        text
    }

    fn write_part(
        &self,
        text: &mut String,
        part: &[usize],
        widths: &[usize],
        rows: &[Vec<Cow<'_, str>>],
    ) {
        let mut write = |fields: Vec<Vec<String>>, is_heading: bool| {
            let height = fields.iter().map(Vec::len).max().unwrap_or(0).max(1);
            for line in 0..height {
                let mut written = String::new();
                for (lines, &column) in fields.iter().zip(part) {
                    // Headings end at the same line, fields begin at the same one.
                    let above = if is_heading { height - lines.len() } else { 0 };
                    let field = line
                        .checked_sub(above)
                        .and_then(|line| lines.get(line))
                        .map_or("", String::as_str);
                    let blanks = " ".repeat(widths[column].saturating_sub(columns_of(field)));
                    match self.columns[column].1 {
                        Align::Left => written += &format!("{field}{blanks}"),
                        Align::Right => written += &format!("{blanks}{field}"),
                    }
                    written += &" ".repeat(GAP);
                }
                text.push_str(written.trim_end());
                text.push('\n');
            }
        };
        let heading = |&column: &usize| wrapped(&plain(&self.columns[column].0), widths[column]);
        write(part.iter().map(heading).collect(), true);
        let rule = |&column: &usize| vec!["-".repeat(widths[column])];
        write(part.iter().map(rule).collect(), false);
        for row in rows {
            let field = |&column: &usize| wrapped(&row[column], widths[column]);
            write(part.iter().map(field).collect(), false);
        }
    }
}

/// The columns of each part of a table: the first `keys`, and as many of the others as `room`
/// holds, at least one.
fn parts(widths: &[usize], keys: usize, room: usize) -> Vec<Vec<usize>> {
    let mut parts: Vec<Vec<usize>> = vec![(0..keys).collect()];
    let mut used = 0;
    for (column, width) in widths.iter().enumerate().skip(keys) {
        if used > 0 && used + width > room {
            parts.push((0..keys).collect());
            used = 0;
        }
        parts.last_mut().expect("there is a part").push(column);
        used += width + GAP;
    }
    parts
}

fn longest_word(text: &str) -> usize {
    text.split(' ').map(columns_of).max().unwrap_or(0)
}

/// A text on one line, without the signs that only Markdown needs.
pub fn unmarked(text: &str) -> Cow<'_, str> {
    let text = plain(text);
    if text.contains("\\*") {
        Cow::Owned(text.replace("\\*", "*"))
    } else {
        text
    }
}

/// A field on one line, in which `|` does not end the field.
fn field(text: &str) -> String {
    markdown(text).replace('|', "\\|")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut line = |fields: Vec<String>| writeln!(f, "| {} |", fields.join(" | "));
        line(self.columns.iter().map(|(name, _)| field(name)).collect())?;
        let rule = |(_, align): &(String, Align)| match align {
            Align::Left => "---".to_owned(),
            Align::Right => "---:".to_owned(),
        };
        line(self.columns.iter().map(rule).collect())?;
        for row in &self.rows {
            line(row.iter().map(|text| field(text)).collect())?;
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rows_are_lines_whatever_their_fields_hold() {
        let mut table = Table::new([("a", Align::Left), ("b", Align::Right)]);
        table.row(["x|y", "1"]);
        table.row(["x\ny", "2"]);
        assert_eq!(
            table.to_string(),
            "| a | b |\n| --- | ---: |\n| x\\|y | 1 |\n| x\\ny | 2 |\n"
        );
    }

    /// Two keys, a heading of two words, a mark of Markdown, and a wide character.
    fn wide() -> Table {
        let columns = [
            ("rows", Align::Right),
            ("rules", Align::Left),
            ("mean moves", Align::Right),
            ("p", Align::Right),
            ("verdict", Align::Left),
        ];
        let mut table = Table::new(columns).keyed_by(2);
        table.row([
            "6",
            "数",
            "48.4 ± 0.1",
            "0.005\\*",
            "no evidence of a difference",
        ]);
        table.row(["10", "a|b", "5", "1", "win % differs"]);
        table
    }

    #[test]
    fn a_terminal_gets_what_its_width_holds() {
        let cases = [
            (
                80,
                "rows  rules  mean moves       p  verdict\n\
                 ----  -----  ----------  ------  ---------------------------\n\
                 \u{20}  6  数     48.4 ± 0.1  0.005*  no evidence of a difference\n\
                 \u{20} 10  a|b             5       1  win % differs\n",
            ),
            (
                40,
                "rows  rules  mean moves       p\n\
                 ----  -----  ----------  ------\n\
                 \u{20}  6  数     48.4 ± 0.1  0.005*\n\
                 \u{20} 10  a|b             5       1\n\n\
                 rows  rules  verdict\n\
                 ----  -----  ---------------------------\n\
                 \u{20}  6  数     no evidence of a difference\n\
                 \u{20} 10  a|b    win % differs\n",
            ),
        ];
        for (width, expected) in cases {
            assert_eq!(wide().to_terminal(width), expected, "{width}");
        }
        // No word is broken, and no line is longer than its longest word makes it.
        for width in 26..80 {
            let text = wide().to_terminal(width);
            for line in text.lines() {
                assert!(columns_of(line) <= width, "{width}: {text}");
            }
            for word in ["48.4", "0.005*", "evidence", "difference", "verdict"] {
                assert!(text.contains(word), "{width}: {text}");
            }
        }
    }

    #[test]
    fn a_long_key_leaves_room_for_other_columns() {
        let mut table = Table::new([("cell", Align::Left), ("games", Align::Right)]);
        table.row(["a cell with a long name", "1,000"]);
        assert_eq!(
            table.to_terminal(20),
            "cell           games\n-------------  -----\na cell with a  1,000\nlong name\n"
        );
    }

    #[test]
    fn long_tables_are_cut_on_a_terminal() {
        let mut table = Table::new([("n", Align::Right)]);
        (0..ROWS_MAX + 5).for_each(|row| table.row([row.to_string()]));
        let text = table.to_terminal(80);
        assert_eq!(text.lines().count(), 2 + ROWS_MAX + 1);
        assert!(text.ends_with("… and 5 more rows\n"), "{text}");
    }
}
