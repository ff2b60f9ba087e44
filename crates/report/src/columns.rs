//! Tables by their columns: each has its heading and what stands in it in one place.

use super::cells::Record;
use super::figures::{significant, with_interval};
use tilelab_output::table::{Align, Table};

/// A column of a table whose rows are those of a file.
pub struct TableColumn<'a> {
    pub name: String,
    align: Align,
    field: Box<dyn Fn(&Record<'_>) -> String + 'a>,
}

/// A column of numbers.
pub fn right<'a>(
    name: impl Into<String>,
    field: impl Fn(&Record<'_>) -> String + 'a,
) -> TableColumn<'a> {
    TableColumn {
        name: name.into(),
        align: Align::Right,
        field: Box::new(field),
    }
}

/// A column of text.
pub fn left<'a>(name: &str, field: impl Fn(&Record<'_>) -> String + 'a) -> TableColumn<'a> {
    TableColumn {
        align: Align::Left,
        ..right(name, field)
    }
}

/// A column of what stands in a column of the file.
pub fn field<'a>(name: impl Into<String>, of: &'a str) -> TableColumn<'a> {
    right(name, move |row| dashed(row.get(of)))
}

/// A table of these columns, of which the first `keys` tell the rows apart.
pub fn table(rows: &[Record<'_>], columns: &[TableColumn<'_>], keys: usize) -> Table {
    let heads = columns.iter().map(|column| (&column.name, column.align));
    let mut table = Table::new(heads).keyed_by(keys);
    for row in rows {
        table.row(columns.iter().map(|column| (column.field)(row)));
    }
    table
}

/// A text, or a dash where there is none.
pub fn dashed(text: Option<impl Into<String>>) -> String {
    text.map_or_else(|| "–".to_owned(), Into::into)
}

/// A figure times `factor` with its interval from the columns `NAME`, `lo` and `hi`; without where
/// that is a point or unknown, and a dash without a figure.
pub fn ranged(row: &Record<'_>, names: [&str; 3], factor: f64) -> String {
    dashed(match row.numbers(names) {
        Some([value, lo, hi]) if lo < hi => {
            Some(with_interval(factor * value, factor * lo, factor * hi))
        }
        _ => row
            .number(names[0])
            .map(|value| significant(factor * value, 6)),
    })
}
