//! Apache Parquet: `cells.parquet`, the same data as `cells.csv` in columns with types, and the
//! writer of such files.
//!
//! `cells.parquet` has one row group; every column is optional, so undefined fields are null. Text
//! is UTF-8, counts are unsigned and other whole numbers signed 64-bit integers, numbers are
//! doubles. The schema of [`super::schema`] stands as JSON in the file's metadata under
//! `tilelab.schema`.

mod encoding;
pub(crate) mod file;
pub(crate) mod read;
mod thrift;

use super::cells::Cells;
use super::json::{TypedColumn, schema_of, wrong};
use super::schema::Kind;
use file::{Column, Field, Values, Writer};

/// The key under which the metadata of a file has the schema.
pub const SCHEMA: &str = "tilelab.schema";

/// Writes `cells.parquet`.
///
/// # Errors
/// Names the column and the field that is not of its type.
pub fn to_parquet(cells: &Cells, columns: &[TypedColumn]) -> Result<Vec<u8>, String> {
    let field = |column: &TypedColumn| Field {
        name: column.name.clone(),
        kind: column.kind,
        is_optional: true,
    };
    let filled: Vec<Column> = columns
        .iter()
        .map(|column| read(cells, column))
        .collect::<Result<_, _>>()?;
    let schema = schema_of(columns).to_string();
    let written = Writer::new(Vec::new(), "cells", columns.iter().map(field).collect()).and_then(
        |mut writer| {
            writer.group(&filled)?;
            writer.finish(&[(SCHEMA, &schema)])
        },
    );
    Ok(written.expect("memory can be written"))
}

/// The rows of a column of `cells.csv`.
fn read(cells: &Cells, column: &TypedColumn) -> Result<Column, String> {
    let fields: Vec<Option<&str>> = cells.records().map(|row| row.get(&column.name)).collect();
    let texts = || fields.iter().copied().flatten();
    let values = match column.kind {
        Kind::Text => Values::Texts(texts().map(str::to_owned).collect()),
        Kind::Count => Values::Integers(values(column, texts(), |text| {
            Some(text.parse::<u64>().ok()?.cast_signed())
        })?),
        Kind::Integer => Values::Integers(values(column, texts(), |text| text.parse().ok())?),
        Kind::Number => Values::Numbers(values(column, texts(), |text| text.parse().ok())?),
        Kind::Flag => Values::Flags(values(column, texts(), |text| text.parse().ok())?),
    };
    Ok(Column {
        values,
        defined: Some(fields.iter().map(Option::is_some).collect()),
    })
}

fn values<'a, T>(
    column: &TypedColumn,
    texts: impl Iterator<Item = &'a str>,
    read: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, String> {
    texts
        .map(|text| read(text).ok_or_else(|| wrong(column, text)))
        .collect()
}
