//! Markdown tables: the one writer of them.

use super::text::plain;
use std::fmt;

/// Where the fields of a column stand.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Align {
    /// Text.
    Left,
    /// Numbers.
    Right,
}

/// A Markdown table; its `Display` is the table with a line end after every row.
#[derive(Clone, Debug)]
pub struct Table {
    columns: Vec<(String, Align)>,
    rows: Vec<Vec<String>>,
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
        }
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
}

/// A field on one line, in which `|` does not end the field.
fn field(text: &str) -> String {
    plain(text).replace('|', "\\|")
}

impl fmt::Display for Table {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let line = |f: &mut fmt::Formatter<'_>, fields: Vec<String>| {
            writeln!(f, "| {} |", fields.join(" | "))
        };
        line(
            f,
            self.columns.iter().map(|(name, _)| field(name)).collect(),
        )?;
        let rule = |align: &Align| if *align == Align::Left { "---" } else { "---:" };
        line(
            f,
            self.columns
                .iter()
                .map(|(_, align)| rule(align).to_owned())
                .collect(),
        )?;
        for row in &self.rows {
            line(f, row.iter().map(|text| field(text)).collect())?;
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
}
